//! Types as an execution needs them: resolved, with their places in memory.
//!
//! Not here: types that no value of an execution has (scalable vectors, tokens, opaque structures); making a
//! shape of one is refused by name.

use std::sync::Arc;

use irtext::layout::Layout;
use irtext::{Bits, Float as Format, Module, Type};

use crate::reason::Construct;
use crate::value::{Atom, NULL, Value};

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Nothing.
    Void,
    /// An integer of a width.
    Integer(u32),
    /// A float.
    Float(Format),
    /// A pointer of an address space, with its bits.
    Pointer {
        /// The address space.
        space: u32,
        /// Bits of its addresses.
        bits: u32,
    },
    /// A vector: lanes without anything between them.
    Vector(u32, Arc<Shape>),
    /// An array: how many, bytes from one to the next, of what.
    Array(u32, u64, Arc<Shape>),
    /// A structure: fields with their offsets, bytes of it all.
    Struct(Arc<[(u64, Shape)]>, u64),
}

/// Arrays with more elements are no values here; they are memory only.
const MOST_ELEMENTS: u64 = 4096;

impl Shape {
    /// The shape of a type, or why it has none.
    pub fn of(module: &Module, layout: &Layout, ty: &Type) -> Result<Shape, Construct> {
        let Some(resolved) = module.resolve(ty) else { return Err(Construct::OpaqueType) };
        Ok(match resolved {
            Type::Void => Shape::Void,
            Type::Integer(width) => Shape::Integer(*width),
            Type::Float(Format::Ppc) => return Err(Construct::PpcFloat),
            Type::Float(format) => Shape::Float(*format),
            Type::Pointer(space) => {
                let bits = layout.pointer_bits(*space);
                let usual = bits == layout.pointer_bits(0) && matches!(bits, 32 | 64);
                if !usual || !layout.is_integral(*space) {
                    return Err(Construct::AddressSpace(*space));
                }
                Shape::Pointer { space: *space, bits }
            }
            Type::Vector { scalable: true, .. } => return Err(Construct::ScalableVector),
            Type::Vector { count, element, .. } => {
                Shape::Vector(*count, Arc::new(Shape::of(module, layout, element)?))
            }
            Type::Array(count, element) => {
                if *count > MOST_ELEMENTS {
                    return Err(Construct::LargeArray);
                }
                let stride = layout.size(module, element).ok_or(Construct::UnsizedType)?;
                let element = Shape::of(module, layout, element)?;
                Shape::Array(*count as u32, stride, Arc::new(element))
            }
            Type::Struct { packed, fields } => {
                let (offsets, size) =
                    layout.fields(module, *packed, fields).ok_or(Construct::UnsizedType)?;
                let shapes = fields.iter().map(|field| Shape::of(module, layout, field));
                let parts: Result<Vec<_>, Construct> =
                    offsets.into_iter().zip(shapes).map(|(at, shape)| Ok((at, shape?))).collect();
                Shape::Struct(parts?.into(), size)
            }
            Type::Token => return Err(Construct::Token),
            Type::Label | Type::Metadata | Type::Function(_) | Type::Named(_) => {
                return Err(Construct::TypeWithoutValues);
            }
            Type::Other(name) => return Err(Construct::Type((&**name).into())),
        })
    }

    /// Bits of a value without parts, or of a vector of such.
    pub fn bits(&self) -> u32 {
        match self {
            Shape::Integer(width) => *width,
            Shape::Float(format) => format.bits(),
            Shape::Pointer { bits, .. } => *bits,
            Shape::Vector(count, element) => count * element.bits(),
            _ => 0,
        }
    }

    /// Bytes that a store writes, from the first to the last.
    pub fn size(&self) -> u64 {
        match self {
            Shape::Array(count, stride, _) => u64::from(*count) * stride,
            Shape::Struct(_, size) => *size,
            other => u64::from(other.bits().div_ceil(8)),
        }
    }

    /// The number of lanes of a vector, and the shape of one; of another shape, itself.
    pub fn lane(&self) -> (Option<u32>, &Shape) {
        match self {
            Shape::Vector(count, element) => (Some(*count), element),
            other => (None, other),
        }
    }

    /// The format of its floats, if it has such.
    pub fn format(&self) -> Option<Format> {
        match self.lane().1 {
            Shape::Float(format) => Some(*format),
            _ => None,
        }
    }

    /// How many parts it has, and each of them with its place in memory; vectors of whole bytes among them.
    pub fn parts(&self) -> Vec<(u64, &Shape)> {
        match self {
            Shape::Vector(count, element) => {
                let size = u64::from(element.bits().div_ceil(8));
                (0..u64::from(*count)).map(|i| (i * size, &**element)).collect()
            }
            Shape::Array(count, stride, element) => {
                (0..u64::from(*count)).map(|i| (i * stride, &**element)).collect()
            }
            Shape::Struct(fields, _) => fields.iter().map(|(at, shape)| (*at, shape)).collect(),
            _ => Vec::new(),
        }
    }

    /// A value whose atoms are all made alike.
    pub fn fill(&self, atom: &dyn Fn(&Shape) -> Atom) -> Value {
        match self {
            Shape::Vector(..) | Shape::Array(..) | Shape::Struct(..) => {
                Value::many(self.parts().iter().map(|(_, part)| part.fill(atom)).collect())
            }
            one => Value::One(atom(one)),
        }
    }

    /// `undef`.
    pub fn undef(&self) -> Value {
        self.fill(&|shape| Atom::undef(shape.bits()))
    }

    /// `poison`.
    pub fn poison(&self) -> Value {
        self.fill(&|_| Atom::Poison)
    }

    /// `zeroinitializer`.
    pub fn zero(&self) -> Value {
        self.fill(&|shape| match shape {
            Shape::Pointer { .. } => Atom::Pointer(NULL),
            other => Atom::Exact(Bits::zero(other.bits())),
        })
    }
}
