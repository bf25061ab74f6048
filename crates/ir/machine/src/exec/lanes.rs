//! Lanes of vectors made one, and the arithmetic of `atomicrmw`.

use irtext::{Binary, Bits, IntFlags, IntPredicate};

use super::Machine;
use super::operate::exact_only;
use crate::code::{Call, Rmw};
use crate::float;
use crate::integer::{self, exact};
use crate::intrinsic::Reduction;
use crate::reason::Reason;
use crate::value::{Atom, Stop, Value, lift, unknown};

/// Lanes that make one choice together are not reduced.
pub(super) fn independent(lanes: &[Value]) -> Result<(), Stop> {
    match lanes.iter().filter(|lane| lane.any(&|atom| atom.is_shared())).count() {
        0 | 1 => Ok(()),
        _ => unknown(Reason::SharedChoiceCombined),
    }
}

impl<'a> Machine<'a> {
    /// `llvm.vector.reduce.…`.
    pub(super) fn reduce(
        &mut self,
        reduction: Reduction,
        call: &'a Call,
        arguments: &[Value],
    ) -> Result<Value, Stop> {
        let format = call.result.format();
        let lanes =
            arguments.last().map_or_else(|| unknown(Reason::PartsExpected), |a| a.parts())?;
        independent(lanes)?;
        let mut atoms: Vec<Atom> = Vec::new();
        if let Reduction::Float(_) = reduction {
            exact_only(call.fast)?;
            atoms.push(arguments[0].atom()?.clone());
        }
        for lane in lanes {
            atoms.push(lane.atom()?.clone());
        }
        let mut result = atoms[0].clone();
        for atom in &atoms[1..] {
            result = match (reduction, format) {
                (Reduction::Integer(op), _) => {
                    integer::binary(op, IntFlags::default(), &result, atom)?
                }
                (Reduction::Function(function), _) => lift([&result, atom], |[a, b]| {
                    Ok(integer::function(function, &[exact(a)?, exact(b)?]))
                })?,
                (Reduction::Float(op), Some(format)) => {
                    lift([&result, atom], |[a, b]| float::binary(op, format, a, b))?
                }
                (Reduction::Extreme(op), Some(format)) => {
                    lift([&result, atom], |[a, b]| float::extreme(op, format, a, b))?
                }
                _ => return unknown(Reason::ReductionOfLanes),
            };
        }
        match format {
            Some(format) => self.fast_value(call.fast, format, Value::One(result)),
            None => Ok(Value::One(result)),
        }
    }
}

/// What `atomicrmw` writes.
pub(super) fn rmw(op: Rmw, old: &Atom, value: &Atom) -> Result<Atom, Stop> {
    let flags = IntFlags::default();
    match op {
        Rmw::Xchg => Ok(value.clone()),
        Rmw::Integer(op) => integer::binary(op, flags, old, value),
        Rmw::Nand => {
            let both = integer::binary(Binary::And, flags, old, value)?;
            match &both {
                Atom::Poison => Ok(Atom::Poison),
                _ => lift([&both], |[a]| Ok(Atom::Exact(exact(a)?.not()))),
            }
        }
        Rmw::Function(function) => {
            lift([old, value], |[a, b]| Ok(integer::function(function, &[exact(a)?, exact(b)?])))
        }
        Rmw::Float(op, format) => lift([old, value], |[a, b]| float::binary(op, format, a, b)),
        Rmw::UIncWrap | Rmw::UDecWrap => lift([old, value], |[a, b]| {
            let (a, b) = (exact(a)?, exact(b)?);
            let one = Bits::new(a.width(), 1);
            let over = integer::answers(IntPredicate::Ugt, a.compare(b));
            Ok(Atom::Exact(match op {
                Rmw::UIncWrap if a.compare(b).is_ge() => Bits::zero(a.width()),
                Rmw::UIncWrap => a.add(&one),
                _ if a.is_zero() || over => b.clone(),
                _ => a.sub(&one),
            }))
        }),
    }
}
