//! Constants: values, or code that computes them.

use std::sync::Arc;

use irtext::{Bits, Constant, Linkage, Type, Typed, Value as TreeValue};

use super::Lower;
use crate::code::{Code, Operand};
use crate::reason::Construct;
use crate::shape::Shape;
use crate::value::{Atom, NULL, Pointer, Value};

impl Lower<'_> {
    /// An operand with its type.
    pub(super) fn typed(&self, typed: &Typed) -> Result<Operand, Construct> {
        self.operand(&typed.ty, &typed.value)
    }

    /// An operand.
    pub(super) fn operand(&self, ty: &Type, value: &TreeValue) -> Result<Operand, Construct> {
        match value {
            TreeValue::Local(local) => Ok(Operand::Register(local.0)),
            TreeValue::Constant(constant) => self.constant(ty, constant),
            TreeValue::Metadata(_) => Err(Construct::MetadataOperand),
        }
    }

    /// A constant.
    pub(super) fn constant(&self, ty: &Type, constant: &Constant) -> Result<Operand, Construct> {
        let one = |atom| Ok(Operand::Constant(Value::One(atom)));
        match constant {
            Constant::Integer(bits) | Constant::Float(bits) => match self.shape(ty)? {
                shape if shape.bits() == bits.width() => one(Atom::Exact(bits.clone())),
                shape => one(Atom::Exact(bits.resize(shape.bits()))),
            },
            Constant::Null => one(Atom::Pointer(NULL)),
            Constant::Zero => Ok(Operand::Constant(self.shape(ty)?.zero())),
            Constant::Undef => Ok(Operand::Constant(self.shape(ty)?.undef())),
            Constant::Poison => Ok(Operand::Constant(self.shape(ty)?.poison())),
            Constant::Struct(parts) | Constant::Array(parts) | Constant::Vector(parts) => {
                let parts = parts.iter().map(|(ty, part)| self.constant(ty, part));
                Ok(build(parts.collect::<Result<_, _>>()?))
            }
            Constant::Splat(part) => match self.shape(ty)? {
                Shape::Vector(count, _) => {
                    let part = self.constant(&part.0, &part.1)?;
                    Ok(build(vec![part; count as usize]))
                }
                _ => Err(Construct::Splat),
            },
            Constant::Bytes(bytes) => {
                let byte = |byte: &u8| Value::One(Atom::bits(8, (*byte).into()));
                Ok(Operand::Constant(Value::many(bytes.iter().map(byte).collect())))
            }
            Constant::Global(symbol) => self.address(symbol),
            Constant::Expression(op) => Ok(Operand::Expression(Arc::new(self.operation(op)?))),
            Constant::BlockAddress(..) => Err(Construct::BlockAddress),
            Constant::Wrapped(word, _) => Err(Construct::WrappedConstant((&**word).into())),
            Constant::Signed(_) => Err(Construct::PtrAuth),
            Constant::None => Err(Construct::Token),
            Constant::Assembly(_) => Err(Construct::InlineAssembly),
        }
    }

    fn address(&self, symbol: &irtext::Symbol) -> Result<Operand, Construct> {
        let place = self.place(symbol)?;
        let module = self.module;
        let (globals, aliases) = (module.globals.len(), module.aliases.len());
        let at = place as usize;
        if (globals..globals + aliases).contains(&at) {
            let alias = &module.aliases[at - globals];
            let fixed = !matches!(alias.linkage, Linkage::Weak | Linkage::LinkOnce);
            if alias.ifunc || !fixed {
                return Err(Construct::ReplaceableAlias);
            }
            return self.constant(&alias.target.0, &alias.target.1);
        }
        let weak = match at {
            _ if at < globals => {
                let global = &module.globals[at];
                if global.words.iter().any(|word| word.starts_with("thread_local")) {
                    return Err(Construct::ThreadLocal);
                }
                global.linkage
            }
            _ => module.functions[at - globals - aliases].linkage,
        };
        if weak == Linkage::ExternWeak {
            return Err(Construct::ExternWeak);
        }
        let pointer = Pointer::Block { block: self.mention(place), offset: 0 };
        Ok(Operand::Constant(Value::One(Atom::Pointer(pointer))))
    }

    /// The parts of a global's initial value, with their places.
    pub(super) fn initial(
        &self,
        ty: &Type,
        value: &Constant,
        at: u64,
        parts: &mut Vec<(u64, Shape, Operand)>,
    ) -> Result<(), Construct> {
        let resolved = self.module.resolve(ty).ok_or(Construct::OpaqueType)?;
        match (resolved, value) {
            (_, Constant::Zero) => {
                let size = self.layout.size(self.module, ty).ok_or(Construct::UnsizedType)?;
                // In pieces: one number of thousands of bits is slow to take apart.
                for start in (0..size).step_by(16) {
                    let width = 8 * (size - start).min(16) as u32;
                    let zero = Operand::Constant(Value::One(Atom::Exact(Bits::zero(width))));
                    parts.push((at + start, Shape::Integer(width), zero));
                }
            }
            (_, Constant::Undef) => {}
            (_, Constant::Poison) => {
                let shape = self.shape(ty)?;
                let poison = Operand::Constant(shape.poison());
                parts.push((at, shape, poison));
            }
            (Type::Array(_, element), Constant::Array(values)) => {
                let stride =
                    self.layout.size(self.module, element).ok_or(Construct::UnsizedType)?;
                for (index, (ty, value)) in values.iter().enumerate() {
                    self.initial(ty, value, at + index as u64 * stride, parts)?;
                }
            }
            (Type::Array(..), Constant::Bytes(bytes)) => {
                for (index, byte) in bytes.iter().enumerate() {
                    let value = Value::One(Atom::bits(8, (*byte).into()));
                    parts.push((at + index as u64, Shape::Integer(8), Operand::Constant(value)));
                }
            }
            (Type::Struct { packed, fields }, Constant::Struct(values)) => {
                let (offsets, _) = self
                    .layout
                    .fields(self.module, *packed, fields)
                    .ok_or(Construct::UnsizedType)?;
                for (offset, (ty, value)) in offsets.iter().zip(values) {
                    self.initial(ty, value, at + offset, parts)?;
                }
            }
            _ => parts.push((at, self.shape(ty)?, self.constant(ty, value)?)),
        }
        Ok(())
    }
}

/// Parts as one constant, or as code that builds it.
fn build(parts: Vec<Operand>) -> Operand {
    let values = parts.iter().map(|part| match part {
        Operand::Constant(value) => Some(value.clone()),
        _ => None,
    });
    match values.collect::<Option<Vec<_>>>() {
        Some(values) => Operand::Constant(Value::many(values)),
        None => Operand::Expression(Arc::new(Code::Build(parts))),
    }
}
