//! Sizes, alignments and offsets of types, by a module's `target datalayout`.
//!
//! `None` is the answer for what has no size before it runs (scalable vectors) and for what versions of LLVM
//! lay out differently (vectors of elements that are no whole bytes).

use crate::tree::{Float, Module, Type};

/// How a target lays out types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    big: bool,
    pointers: Vec<Pointer>,
    integers: Vec<Aligned>,
    floats: Vec<Aligned>,
    vectors: Vec<Aligned>,
    aggregate: u64,
    /// Address spaces whose pointers are no integers.
    non_integral: Vec<u32>,
    /// Where allocas are.
    alloca_space: u32,
}

/// Pointers of an address space; the alignment in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pointer {
    space: u32,
    bits: u32,
    align: u64,
    index: u32,
}

/// Bits of a type, and its alignment in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Aligned {
    bits: u64,
    align: u64,
}

/// What holds where a module says nothing, as LLVM's manual has it.
const DEFAULT: &str =
    "p:64:64-i1:8-i8:8-i16:16-i32:32-i64:32-f16:16-f32:32-f64:64-f128:128-v64:64-v128:128-a:0";

impl Layout {
    /// That of a module; an `Err` names the part that is not understood.
    pub fn of(module: &Module) -> Result<Layout, String> {
        Layout::parse(module.layout.as_deref().unwrap_or(""))
    }

    /// Reads a description, over what holds by default.
    pub fn parse(text: &str) -> Result<Layout, String> {
        let mut layout = Layout {
            big: false,
            pointers: Vec::new(),
            integers: Vec::new(),
            floats: Vec::new(),
            vectors: Vec::new(),
            aggregate: 1,
            non_integral: Vec::new(),
            alloca_space: 0,
        };
        for part in DEFAULT.split('-').chain(text.split('-')).filter(|part| !part.is_empty()) {
            layout.read(part).ok_or_else(|| format!("data layout `{part}`"))?;
        }
        Ok(layout)
    }

    fn read(&mut self, part: &str) -> Option<()> {
        let mut fields = part.split(':');
        let head = fields.next()?;
        let bytes = |field: Option<&str>| Some(field?.parse::<u64>().ok()?.div_ceil(8).max(1));
        let letters = head.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = &head[letters.len()..];
        match letters {
            "e" | "E" => self.big = letters == "E",
            "p" => {
                let space = if number.is_empty() { 0 } else { number.parse().ok()? };
                let bits = fields.next()?.parse().ok()?;
                let align = bytes(fields.next())?;
                let index = fields.nth(1).map_or(Some(bits), |index| index.parse().ok())?;
                self.pointers.retain(|p| p.space != space);
                self.pointers.push(Pointer { space, bits, align, index });
            }
            "i" | "f" | "v" => {
                let bits = number.parse().ok()?;
                let align = bytes(fields.next())?;
                let list = match letters {
                    "i" => &mut self.integers,
                    "f" => &mut self.floats,
                    _ => &mut self.vectors,
                };
                list.retain(|a| a.bits != bits);
                list.push(Aligned { bits, align });
                list.sort_by_key(|a| a.bits);
            }
            "a" => self.aggregate = bytes(fields.next())?,
            "A" => self.alloca_space = number.parse().ok()?,
            "ni" => self.non_integral = fields.map(|s| s.parse().ok()).collect::<Option<_>>()?,
            // Mangling, native widths, stack, functions, address spaces of code and data.
            "m" | "n" | "s" | "S" | "P" | "G" | "Fi" | "Fn" | "F" => {}
            _ => return None,
        }
        Some(())
    }

    /// Whether the high byte comes first.
    pub fn is_big_endian(&self) -> bool {
        self.big
    }

    /// Where allocas are.
    pub fn alloca_space(&self) -> u32 {
        self.alloca_space
    }

    /// Whether pointers of an address space are integers in disguise.
    pub fn is_integral(&self, space: u32) -> bool {
        !self.non_integral.contains(&space)
    }

    fn pointer(&self, space: u32) -> Pointer {
        let of = |space| self.pointers.iter().find(|p| p.space == space);
        let none = Pointer { space, bits: 64, align: 8, index: 64 };
        of(space).or_else(|| of(0)).copied().unwrap_or(none)
    }

    /// Bits of a pointer.
    pub fn pointer_bits(&self, space: u32) -> u32 {
        self.pointer(space).bits
    }

    /// Bits of an index into what a pointer points to.
    pub fn index_bits(&self, space: u32) -> u32 {
        self.pointer(space).index
    }

    /// Bits of a value.
    pub fn bits(&self, module: &Module, ty: &Type) -> Option<u64> {
        Some(match module.resolve(ty)? {
            Type::Integer(width) => u64::from(*width),
            Type::Float(float) => u64::from(float.bits()),
            Type::Pointer(space) => u64::from(self.pointer_bits(*space)),
            Type::Vector { count, scalable: false, element } => {
                u64::from(*count).checked_mul(self.bits(module, element)?)?
            }
            Type::Array(count, element) => {
                self.size(module, element)?.checked_mul(*count)?.checked_mul(8)?
            }
            Type::Struct { packed, fields } => {
                self.fields(module, *packed, fields)?.1.checked_mul(8)?
            }
            _ => return None,
        })
    }

    /// Bytes that a store of a value may write.
    pub fn store_size(&self, module: &Module, ty: &Type) -> Option<u64> {
        Some(self.bits(module, ty)?.div_ceil(8))
    }

    /// Bytes from one element of an array to the next.
    pub fn size(&self, module: &Module, ty: &Type) -> Option<u64> {
        self.store_size(module, ty)?.checked_next_multiple_of(self.align(module, ty)?)
    }

    /// Alignment in bytes where nothing else is said.
    pub fn align(&self, module: &Module, ty: &Type) -> Option<u64> {
        let natural = |bits: u64| bits.div_ceil(8).next_power_of_two();
        Some(match module.resolve(ty)? {
            Type::Integer(width) => {
                let bits = u64::from(*width);
                let larger = self.integers.iter().find(|a| a.bits >= bits);
                larger.or(self.integers.last())?.align
            }
            Type::Float(float) => {
                let bits = u64::from(float.bits());
                let known = self.floats.iter().find(|a| a.bits == bits);
                known.map_or(natural(bits), |a| a.align)
            }
            Type::Pointer(space) => self.pointer(*space).align,
            ty @ Type::Vector { scalable: false, element, count } => {
                let bits = self.bits(module, ty)?;
                let known = self.vectors.iter().find(|a| a.bits == bits);
                let whole = self.size(module, element)?.checked_mul(u64::from(*count))?;
                // LLVM went from the one to the other in version 17.
                let (old, new) = (whole.next_power_of_two(), natural(bits));
                match known {
                    Some(a) => a.align,
                    None if old == new => old,
                    None => return None,
                }
            }
            Type::Array(_, element) => self.align(module, element)?,
            Type::Struct { packed: true, .. } => 1,
            Type::Struct { packed: false, fields } => {
                let mut most = self.aggregate;
                for field in fields.iter() {
                    most = most.max(self.align(module, field)?);
                }
                most
            }
            _ => return None,
        })
    }

    /// Where the fields of a struct begin, in bytes, and how many bytes it has.
    pub fn fields(&self, module: &Module, packed: bool, of: &[Type]) -> Option<(Vec<u64>, u64)> {
        let (mut offsets, mut end, mut most) = (Vec::with_capacity(of.len()), 0u64, 1);
        for field in of {
            let align = if packed { 1 } else { self.align(module, field)? };
            most = most.max(align);
            let start = end.checked_next_multiple_of(align)?;
            offsets.push(start);
            end = start.checked_add(self.size(module, field)?)?;
        }
        Some((offsets, end.checked_next_multiple_of(most)?))
    }
}

impl Float {
    /// Bits of a number.
    pub fn bits(self) -> u32 {
        match self {
            Float::Half | Float::Bfloat => 16,
            Float::Single => 32,
            Float::Double => 64,
            Float::X86 => 80,
            Float::Quad | Float::Ppc => 128,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const X86: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128";

    fn of(layout: &str, ty: &Type) -> (u64, u64, u64) {
        let (module, layout) = (Module::default(), Layout::parse(layout).unwrap());
        (
            layout.store_size(&module, ty).unwrap(),
            layout.size(&module, ty).unwrap(),
            layout.align(&module, ty).unwrap(),
        )
    }

    #[test]
    fn scalars() {
        assert_eq!(of(X86, &Type::Integer(1)), (1, 1, 1));
        assert_eq!(of(X86, &Type::Integer(17)), (3, 4, 4));
        assert_eq!(of(X86, &Type::Integer(64)), (8, 8, 8));
        assert_eq!(of("", &Type::Integer(64)), (8, 8, 4));
        assert_eq!(of(X86, &Type::Integer(128)), (16, 16, 8));
        assert_eq!(of("e-i64:64-i128:128", &Type::Integer(128)), (16, 16, 16));
        assert_eq!(of(X86, &Type::Float(Float::X86)), (10, 16, 16));
        assert_eq!(of(X86, &Type::Pointer(0)), (8, 8, 8));
        assert_eq!(of(X86, &Type::Pointer(270)), (4, 4, 4));
    }

    #[test]
    fn aggregates() {
        let vector = |count, bits| Type::Vector {
            count,
            scalable: false,
            element: Arc::new(Type::Integer(bits)),
        };
        assert_eq!(of(X86, &vector(3, 32)), (12, 16, 16));
        let (module, layout) = (Module::default(), Layout::parse(X86).unwrap());
        assert_eq!(layout.size(&module, &vector(8, 1)), None);
        assert_eq!(layout.store_size(&module, &vector(8, 1)), Some(1));
        let fields: Arc<[Type]> = [Type::Integer(8), Type::Integer(32), Type::Integer(8)].into();
        let strct = |packed| Type::Struct { packed, fields: fields.clone() };
        assert_eq!(of(X86, &strct(false)), (12, 12, 4));
        assert_eq!(of(X86, &strct(true)), (6, 6, 1));
        assert_eq!(of(X86, &Type::Array(3, Arc::new(strct(false)))), (36, 36, 4));
    }

    #[test]
    fn nonsense_is_named() {
        assert_eq!(Layout::parse("e-q:3").unwrap_err(), "data layout `q:3`");
    }
}
