//! Instructions, but for calls.

use irtext::{
    Binary, Cast, Constant, Instruction as TreeInstruction, Op, Type, Typed, Value as TreeValue,
};

use super::{LARGEST_BLOCK, Lower};
use crate::code::{Access, Code, Lane, Operand, Rmw, Step};
use crate::facts::Facts;
use crate::integer::Function;
use crate::reason::Construct;
use crate::shape::Shape;
use crate::value::{Atom, Value};

impl Lower<'_> {
    /// An instruction.
    pub(super) fn instruction(
        &mut self,
        function: &irtext::Function,
        instruction: &TreeInstruction,
    ) -> Result<Code, Construct> {
        let attachments = &instruction.attachments;
        match &instruction.op {
            Op::Ret(value) => {
                Ok(Code::Ret(value.as_ref().map(|value| self.typed(value)).transpose()?))
            }
            Op::Br(to) => Ok(Code::Br(to.0)),
            Op::CondBr { condition, then, otherwise } => {
                let condition = self.operand(&Type::Integer(1), condition)?;
                Ok(Code::CondBr(condition, then.0, otherwise.0))
            }
            Op::Switch { on, default, cases } => {
                let cases = cases.iter().map(|(value, to)| match value {
                    Constant::Integer(bits) => Ok((bits.clone(), to.0)),
                    _ => Err(Construct::SwitchOperand),
                });
                Ok(Code::Switch(self.typed(on)?, cases.collect::<Result<_, _>>()?, default.0))
            }
            Op::Unreachable => Ok(Code::Unreachable),
            Op::IndirectBr { .. } => Err(Construct::IndirectBr),
            Op::Resume(_) => Err(Construct::Resume),
            Op::CallBr { .. } => Err(Construct::CallBr),
            Op::LandingPad { .. } => Err(Construct::LandingPad),
            Op::Funclet(_) => Err(Construct::Funclet),
            Op::VaArg { .. } => Err(Construct::VaArg),
            Op::Phi { .. } => Err(Construct::MisplacedPhi),
            Op::Fence(_) => Ok(Code::Nothing),
            Op::Call(call) => self.call(function, call, attachments),
            Op::Invoke { call, .. } => self.call(function, call, attachments),
            Op::Load { volatile, ty, from, align, .. } => {
                let tag = self.tag_of(attachments);
                let access = self.access(ty, *align, *volatile, tag)?;
                let facts = Facts::of_metadata(self.module, attachments);
                if let Some(name) = facts.unsupported {
                    return Err(Construct::LoadMetadata(name));
                }
                Ok(Code::Load { access, from: self.typed(from)?, facts })
            }
            Op::Store { volatile, value, to, align, .. } => {
                let tag = self.tag_of(attachments);
                let access = self.access(&value.ty, *align, *volatile, tag)?;
                Ok(Code::Store { access, value: self.typed(value)?, to: self.typed(to)? })
            }
            Op::CmpXchg { weak, volatile, address, expected, new, align, .. } => {
                let tag = self.tag_of(attachments);
                let access = self.access(&new.ty, *align, *volatile, tag)?;
                let access = Access { align: align.unwrap_or(access.shape.size()), ..access };
                Ok(Code::CmpXchg {
                    access,
                    address: self.typed(address)?,
                    expected: self.typed(expected)?,
                    new: self.typed(new)?,
                    weak: *weak,
                })
            }
            Op::AtomicRmw { volatile, op, address, value, align, .. } => {
                let tag = self.tag_of(attachments);
                let access = self.access(&value.ty, *align, *volatile, tag)?;
                let access = Access { align: align.unwrap_or(access.shape.size()), ..access };
                let op = rmw(op, &access.shape)?;
                Ok(Code::AtomicRmw {
                    access,
                    op,
                    address: self.typed(address)?,
                    value: self.typed(value)?,
                })
            }
            Op::Alloca { words, ty, count, align, .. } => {
                if !words.is_empty() {
                    return Err(Construct::AllocaWord(words.join(" ").into()));
                }
                let size = self.layout.size(self.module, ty).ok_or(Construct::UnsizedType)?;
                if size > LARGEST_BLOCK {
                    return Err(Construct::LargeAlloca);
                }
                let natural = self.layout.align(self.module, ty).unwrap_or(1);
                let count = count.as_ref().map(|count| self.typed(count)).transpose()?;
                Ok(Code::Alloca { size, count, align: align.unwrap_or(natural) })
            }
            other => self.operation(other),
        }
    }

    fn access(
        &self,
        ty: &Type,
        align: Option<u64>,
        volatile: bool,
        tag: u32,
    ) -> Result<Access, Construct> {
        let shape = self.shape(ty)?;
        let align = match align {
            Some(align) => align,
            None => self.layout.align(self.module, ty).ok_or(Construct::UnsizedType)?,
        };
        Ok(Access { shape, align, volatile, tag })
    }

    /// An operation on values alone, also of a constant expression.
    pub(super) fn operation(&self, op: &Op) -> Result<Code, Construct> {
        match op {
            Op::FNeg { flags, of } => {
                let format = self.shape(&of.ty)?.format().ok_or(Construct::FloatOperandExpected)?;
                Ok(Code::FNeg { fast: *flags, format, of: self.typed(of)? })
            }
            Op::Binary { op, flags, fast, left, right } => {
                let (a, b) = (self.typed(left)?, self.operand(&left.ty, right)?);
                match self.shape(&left.ty)?.format() {
                    Some(format) => Ok(Code::Float { op: *op, fast: *fast, format, a, b }),
                    None => Ok(Code::Integer { op: *op, flags: *flags, a, b }),
                }
            }
            Op::ICmp { predicate, samesign, left, right } => {
                let pointers = matches!(self.shape(&left.ty)?.lane().1, Shape::Pointer { .. });
                let (a, b) = (self.typed(left)?, self.operand(&left.ty, right)?);
                Ok(Code::ICmp { predicate: *predicate, samesign: *samesign, pointers, a, b })
            }
            Op::FCmp { predicate, flags, left, right } => {
                let format =
                    self.shape(&left.ty)?.format().ok_or(Construct::FloatOperandExpected)?;
                let (a, b) = (self.typed(left)?, self.operand(&left.ty, right)?);
                Ok(Code::FCmp { predicate: *predicate, fast: *flags, format, a, b })
            }
            Op::Cast { op: Cast::AddrSpaceCast, .. } => Err(Construct::AddrSpaceCast),
            Op::Cast { op, flags, fast, from, to } => Ok(Code::Cast {
                op: *op,
                flags: *flags,
                fast: *fast,
                from: self.shape(&from.ty)?,
                to: self.shape(to)?,
                of: self.typed(from)?,
            }),
            Op::Select { flags, condition, then, otherwise } => Ok(Code::Select {
                fast: *flags,
                format: self.shape(&then.ty)?.format(),
                condition: self.typed(condition)?,
                a: self.typed(then)?,
                b: self.typed(otherwise)?,
            }),
            Op::Freeze(of) => Ok(Code::Freeze { shape: self.shape(&of.ty)?, of: self.typed(of)? }),
            Op::ExtractElement { vector, index } => {
                self.shape(&vector.ty)?;
                Ok(Code::Extract { vector: self.typed(vector)?, index: self.typed(index)? })
            }
            Op::InsertElement { vector, element, index } => {
                self.shape(&vector.ty)?;
                Ok(Code::Insert {
                    vector: self.typed(vector)?,
                    element: self.typed(element)?,
                    index: self.typed(index)?,
                })
            }
            Op::ShuffleVector { left, right, mask } => self.shuffle(left, right, mask),
            Op::ExtractValue { aggregate, indices } => {
                Ok(Code::ExtractValue { of: self.typed(aggregate)?, indices: indices.clone() })
            }
            Op::InsertValue { aggregate, element, indices } => Ok(Code::InsertValue {
                of: self.typed(aggregate)?,
                element: self.typed(element)?,
                indices: indices.clone(),
            }),
            Op::GetElementPtr { flags, ty, base, indices } => {
                if flags.inrange.is_some() || flags.inrange_index.is_some() {
                    return Err(Construct::InRange);
                }
                let (steps, vectors) = self.steps(ty, indices)?;
                let shape = self.shape(&base.ty)?;
                let (lanes, lane) = shape.lane();
                Ok(Code::Gep {
                    flags: flags.clone(),
                    base: self.typed(base)?,
                    steps,
                    lanes: lanes.or(vectors),
                    bits: lane.bits(),
                })
            }
            _ => Err(Construct::NotAnOperation),
        }
    }

    fn shuffle(&self, left: &Typed, right: &Typed, mask: &Typed) -> Result<Code, Construct> {
        let shape = self.shape(&left.ty)?;
        let Shape::Vector(count, _) = self.shape(&mask.ty)? else {
            return Err(Construct::ShuffleMask);
        };
        let lane = |constant: &Constant| match constant {
            Constant::Integer(bits) => Ok(Lane::From(bits.small().unwrap_or(0) as u32)),
            Constant::Undef => Ok(Lane::Undef),
            Constant::Poison => Ok(Lane::Poison),
            _ => Err(Construct::ShuffleMask),
        };
        let all = |lane| Ok(vec![lane; count as usize]);
        let mask: Result<Vec<Lane>, Construct> = match &mask.value {
            TreeValue::Constant(Constant::Vector(lanes)) => {
                lanes.iter().map(|(_, constant)| lane(constant)).collect()
            }
            TreeValue::Constant(Constant::Splat(part)) => lane(&part.1).and_then(all),
            TreeValue::Constant(Constant::Zero) => all(Lane::From(0)),
            TreeValue::Constant(Constant::Undef) => all(Lane::Undef),
            TreeValue::Constant(Constant::Poison) => all(Lane::Poison),
            _ => Err(Construct::ShuffleMask),
        };
        Ok(Code::Shuffle {
            left: self.typed(left)?,
            right: self.typed(right)?,
            mask: mask?,
            element: shape.lane().1.clone(),
        })
    }

    /// The steps of a `getelementptr`, and the number of lanes if an index is a vector.
    fn steps(&self, ty: &Type, indices: &[Typed]) -> Result<(Vec<Step>, Option<u32>), Construct> {
        let (module, layout) = (self.module, &self.layout);
        let mut steps = Vec::new();
        let mut lanes = None;
        let mut ty = ty;
        for (place, index) in indices.iter().enumerate() {
            if let Shape::Vector(count, _) = self.shape(&index.ty)? {
                lanes = Some(count);
            }
            if place > 0 {
                match module.resolve(ty).ok_or(Construct::OpaqueType)? {
                    Type::Array(_, element) | Type::Vector { element, scalable: false, .. } => {
                        ty = element;
                    }
                    Type::Struct { packed, fields } => {
                        let number = field(&index.value).ok_or(Construct::FieldIndex)?;
                        let (offsets, _) =
                            layout.fields(module, *packed, fields).ok_or(Construct::UnsizedType)?;
                        ty = fields.get(number).ok_or(Construct::FieldIndex)?;
                        let offset = Value::One(Atom::bits(64, offsets[number].into()));
                        if offsets[number] != 0 {
                            steps.push(Step { index: Operand::Constant(offset), stride: 1 });
                        }
                        continue;
                    }
                    _ => return Err(Construct::GepIntoScalar),
                }
            }
            if let TreeValue::Constant(Constant::Integer(bits)) = &index.value
                && bits.is_zero()
            {
                continue;
            }
            let stride = layout.size(module, ty).ok_or(Construct::UnsizedType)?;
            steps.push(Step { index: self.typed(index)?, stride });
        }
        Ok((steps, lanes))
    }
}

/// The number of a field: an integer, or a vector of equal ones.
fn field(value: &TreeValue) -> Option<usize> {
    match value {
        TreeValue::Constant(Constant::Integer(bits)) => Some(bits.small()? as usize),
        TreeValue::Constant(Constant::Zero) => Some(0),
        TreeValue::Constant(Constant::Vector(lanes)) => {
            field(&TreeValue::Constant(lanes.first()?.1.clone()))
        }
        TreeValue::Constant(Constant::Splat(part)) => field(&TreeValue::Constant(part.1.clone())),
        _ => None,
    }
}

fn rmw(op: &str, shape: &Shape) -> Result<Rmw, Construct> {
    Ok(match (op, shape) {
        ("xchg", _) => Rmw::Xchg,
        ("add", _) => Rmw::Integer(Binary::Add),
        ("sub", _) => Rmw::Integer(Binary::Sub),
        ("and", _) => Rmw::Integer(Binary::And),
        ("or", _) => Rmw::Integer(Binary::Or),
        ("xor", _) => Rmw::Integer(Binary::Xor),
        ("nand", _) => Rmw::Nand,
        ("max", _) => Rmw::Function(Function::SMax),
        ("min", _) => Rmw::Function(Function::SMin),
        ("umax", _) => Rmw::Function(Function::UMax),
        ("umin", _) => Rmw::Function(Function::UMin),
        ("uinc_wrap", _) => Rmw::UIncWrap,
        ("udec_wrap", _) => Rmw::UDecWrap,
        ("fadd", Shape::Float(format)) => Rmw::Float(Binary::FAdd, *format),
        ("fsub", Shape::Float(format)) => Rmw::Float(Binary::FSub, *format),
        _ => return Err(Construct::AtomicRmw(op.into())),
    })
}
