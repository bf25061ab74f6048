//! Effective types (6.5p7): which scalar may be accessed at which offset of an object.
//!
//! Every scalar type has a *class*; types that may alias each other by 6.5p7 without being a
//! character type (signed and unsigned counterparts, an enum and its integer type) share one.
//! [`Layout`] tells, for each byte of an object's element, which classes may be accessed there,
//! whether it is padding, and whether a member is `const` or `volatile`.

use ctree::{ArrayLen, Quals, RecordKind, Ty, TypeKind, TypeTable};
use std::collections::HashMap;

/// Class of a scalar type; 0 is "none".
pub type Class = u16;

/// The class of the character types, which may access anything.
pub const CHAR: Class = 1;

/// Largest record that can be executed: its layout takes four times its size.
pub const MAX_RECORD: u32 = 1 << 24;

/// What may be accessed at one byte offset of a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LayoutByte {
    /// Class of the scalar that begins here; 0 for none (inside a scalar, or padding); for a union, that of
    /// the first member, with the others in [`Layout::also`].
    pub class: Class,
    /// Set of `PADDING`, `CONST`, `VOLATILE`, `UNION`, `BITFIELD`.
    pub flags: u8,
}

/// No member covers this byte.
pub const PADDING: u8 = 1;
/// Part of a `const` member.
pub const CONST: u8 = 2;
/// Part of a `volatile` member.
pub const VOLATILE: u8 = 4;
/// Members of a union overlap here: the active one is tracked at run time.
pub const UNION: u8 = 8;
/// Holds bits of a bit-field: no address of it can be taken.
pub const BITFIELD: u8 = 16;

/// The access map of an object's type.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The object's declared type; `None` for allocated storage.
    pub ty: Option<Ty>,
    /// Bytes of the innermost element of an array (of arrays), or of the object.
    pub elem_size: u32,
    /// Bytes of the element that hold data, for a uniform layout: `long double` has 10 of 16.
    pub data_size: u32,
    /// One per byte of the element; empty when `uniform` says all.
    pub leaves: Vec<LayoutByte>,
    /// Further classes that may begin at an offset, for unions.
    pub also: Vec<(u32, Class)>,
    /// The class when the object is a scalar or an array (of arrays) of them.
    pub uniform: Class,
    /// Flags of a uniform layout.
    pub flags: u8,
    /// One-dimensional or scalar: no inner array bounds to respect.
    pub flat: bool,
}

/// Classes and layouts of a program.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    by_ty: HashMap<Ty, Class>,
    /// A type of each class, for messages.
    examples: Vec<Ty>,
    layouts: Vec<Layout>,
    layout_of: HashMap<(Ty, u8), u32>,
}

impl Classes {
    /// A table with the character class and the layout of allocated storage (number 0).
    pub fn new() -> Classes {
        let heap = Layout {
            ty: None,
            elem_size: 1,
            data_size: 1,
            leaves: Vec::new(),
            also: Vec::new(),
            uniform: 0,
            flags: 0,
            flat: true,
        };
        Classes { examples: vec![Ty::VOID, Ty::CHAR], layouts: vec![heap], ..Self::default() }
    }

    /// The class of a scalar type.
    pub fn class(&mut self, types: &TypeTable, ty: Ty) -> Class {
        let ty = types.resolved(ty).unqual();
        if let Some(&class) = self.by_ty.get(&ty) {
            return class;
        }
        let key = match *types.shape(ty) {
            TypeKind::Int(_) | TypeKind::Enum(_) => {
                types.int_kind(ty).map_or(ty, |k| k.to_unsigned().ty())
            }
            _ => ty,
        };
        let class = if key == Ty::UCHAR {
            CHAR
        } else if let Some(&class) = self.by_ty.get(&key) {
            class
        } else {
            self.examples.push(ty);
            self.examples.len() as Class - 1
        };
        self.by_ty.insert(key, class);
        self.by_ty.insert(ty, class);
        class
    }

    /// The class of a scalar type that was already numbered.
    pub fn known(&self, types: &TypeTable, ty: Ty) -> Class {
        self.by_ty.get(&types.resolved(ty).unqual()).copied().unwrap_or(0)
    }

    /// A type of the class, for messages.
    pub fn example(&self, class: Class) -> Ty {
        self.examples[class as usize]
    }

    /// The number of the layout of an object declared with `ty`.
    pub fn layout(&mut self, types: &TypeTable, ty: Ty) -> u32 {
        let (mut elem, mut quals, mut depth) = (types.resolved(ty), ty.quals(), 0);
        while let TypeKind::Array(inner, _) | TypeKind::Vector(inner, _) = *types.shape(elem) {
            // A vector belongs to the array it is in: it is not an array itself.
            depth += u32::from(types.lanes(elem).is_none());
            elem = types.resolved(inner);
            quals = quals.with(elem.quals());
        }
        let key = (types.resolved(ty).unqual(), quals.0);
        if let Some(&number) = self.layout_of.get(&key) {
            return number;
        }
        let mut layout = Layout {
            ty: Some(ty),
            elem_size: u32::try_from(types.size_of(elem).unwrap_or(0).max(1)).unwrap_or(u32::MAX),
            data_size: u32::try_from(data_size(types, elem).max(1)).unwrap_or(u32::MAX),
            leaves: Vec::new(),
            also: Vec::new(),
            uniform: 0,
            flags: qual_flags(quals),
            flat: depth <= 1,
        };
        if types.is_scalar(elem) {
            layout.uniform = self.class(types, elem);
        } else if layout.elem_size <= MAX_RECORD {
            let pad = LayoutByte { class: 0, flags: PADDING };
            layout.leaves = vec![pad; layout.elem_size as usize];
            layout.flat = false;
            self.fill(types, &mut layout, 0, elem, quals, 0);
            let mut covered = vec![0; layout.elem_size as usize];
            cover_bits(types, elem, 0, &mut covered);
            for (leaf, bits) in layout.leaves.iter_mut().zip(covered) {
                if leaf.flags & BITFIELD != 0 && bits != 0xff {
                    leaf.flags |= PADDING;
                }
            }
        }
        let number = self.layouts.len() as u32;
        self.layouts.push(layout);
        self.layout_of.insert(key, number);
        number
    }

    /// A layout by number.
    #[inline(always)]
    pub fn get(&self, layout: u32) -> &Layout {
        &self.layouts[layout as usize]
    }

    fn fill(
        &mut self,
        types: &TypeTable,
        out: &mut Layout,
        at: u64,
        ty: Ty,
        quals: Quals,
        extra: u8,
    ) {
        // Members of a union overlap: the qualifiers of one do not apply to the others.
        let quals = if extra & UNION == 0 { quals.with(ty.quals()) } else { quals };
        let ty = types.resolved(ty);
        let flags = qual_flags(quals) | extra;
        match *types.shape(ty) {
            TypeKind::Array(elem, len) => {
                let size = types.size_of(elem).unwrap_or(0);
                let n = if let ArrayLen::Known(n) = len { n } else { 0 };
                let n = if size == 0 { n.min(1) } else { n };
                for i in 0..n {
                    self.fill(types, out, at + i * size, elem, quals, extra);
                }
            }
            TypeKind::Vector(elem, n) => {
                let size = types.size_of(elem).unwrap_or(0);
                for i in 0..u64::from(n) {
                    self.fill(types, out, at + i * size, elem, quals, extra);
                }
            }
            TypeKind::Record(id) => {
                let record = types.records[id.index()].clone();
                let union = if record.kind == RecordKind::Union { UNION } else { 0 };
                for field in &record.fields {
                    let here = at + field.offset;
                    match field.bits {
                        Some(0) => {}
                        Some(width) if field.name.is_some() => {
                            let last = (u64::from(field.bit + width) - 1) / 8;
                            let flags = qual_flags(quals) | extra | union | BITFIELD;
                            for byte in here..=here + last {
                                if let Some(leaf) = out.leaves.get_mut(byte as usize) {
                                    leaf.flags = (leaf.flags & !PADDING) | flags;
                                }
                            }
                        }
                        Some(_) => {}
                        None => self.fill(types, out, here, field.ty, quals, extra | union),
                    }
                }
            }
            TypeKind::Void | TypeKind::Function(_) => {}
            _ => {
                let class = if types.is_scalar(ty) { self.class(types, ty) } else { 0 };
                for byte in at..at + data_size(types, ty) {
                    let Some(leaf) = out.leaves.get_mut(byte as usize) else { return };
                    leaf.flags = (leaf.flags & !PADDING) | flags;
                }
                let Some(leaf) = out.leaves.get_mut(at as usize) else { return };
                if leaf.class == 0 {
                    leaf.class = class;
                } else if leaf.class != class && !out.also.contains(&(at as u32, class)) {
                    out.also.push((at as u32, class));
                }
            }
        }
    }
}

/// Bytes of a type that hold data.
fn data_size(types: &TypeTable, ty: Ty) -> u64 {
    match types.float_kind(ty) {
        Some(ctree::FloatKind::LongDouble) => 10,
        _ => types.size_of(ty).unwrap_or(0),
    }
}

/// Which bits of each byte some member covers.
fn cover_bits(types: &TypeTable, ty: Ty, at: u64, out: &mut [u8]) {
    match *types.shape(ty) {
        TypeKind::Array(elem, ArrayLen::Known(n)) => {
            let size = types.size_of(elem).unwrap_or(0);
            let n = if size == 0 { n.min(1) } else { n };
            for i in 0..n {
                cover_bits(types, elem, at + i * size, out);
            }
        }
        TypeKind::Record(id) => {
            for field in &types.records[id.index()].fields {
                match field.bits {
                    None => cover_bits(types, field.ty, at + field.offset, out),
                    Some(_) if field.name.is_none() => {}
                    Some(width) => {
                        for bit in u64::from(field.bit)..u64::from(field.bit + width) {
                            if let Some(byte) = out.get_mut((at + field.offset + bit / 8) as usize)
                            {
                                *byte |= 1 << (bit % 8);
                            }
                        }
                    }
                }
            }
        }
        _ => {
            for byte in at..at + data_size(types, ty) {
                if let Some(byte) = out.get_mut(byte as usize) {
                    *byte = 0xff;
                }
            }
        }
    }
}

fn qual_flags(quals: Quals) -> u8 {
    let mut flags = 0;
    if quals.has(Quals::CONST) {
        flags |= CONST;
    }
    if quals.has(Quals::VOLATILE) {
        flags |= VOLATILE;
    }
    flags
}
