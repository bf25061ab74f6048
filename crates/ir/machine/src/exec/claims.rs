//! Claims of attributes and metadata: a false one makes poison, and with `noundef` UB.

use super::{Machine, Side};
use crate::facts::Facts;
use crate::float;
use crate::reason::{ClaimedValue, Reason, Ub};
use crate::shape::Shape;
use crate::value::{Atom, Pointer, Stop, Value, lift, ub, unknown};

impl<'a> Machine<'a> {
    /// A value after what is claimed of it.
    pub(super) fn claimed(
        &mut self,
        value: Value,
        shape: &Shape,
        facts: &Facts,
        what: ClaimedValue,
    ) -> Result<Value, Stop> {
        if facts.claims_nothing() {
            return Ok(value);
        }
        let mut value = value;
        let before = value.clone();
        if !facts.ranges.is_empty() {
            value = value.map(&mut |atom| self.in_range(facts, atom))?;
        }
        if facts.no_classes != 0
            && let Some(format) = shape.format()
        {
            value = value.map(&mut |atom| {
                lift([atom], |[atom]| match float::class_bit(format, atom)? {
                    Some(bit) if facts.no_classes & bit != 0 => Ok(Atom::Poison),
                    None if facts.no_classes & 3 == 3 => Ok(Atom::Poison),
                    None if facts.no_classes & 3 != 0 => unknown(Reason::KindOfNan),
                    _ => Ok(atom.clone()),
                })
            })?;
        }
        if facts.nonnull || facts.align.is_some() {
            value = value.map(&mut |atom| self.pointer_claims(facts, atom))?;
        }
        if facts.metadata && self.side == Side::Source && value != before {
            // Until 16 false metadata was UB at once.
            return ub(Ub::FalseMetadata(what));
        }
        if facts.noundef && value.any(&|atom| atom.is_loose()) {
            return ub(Ub::UndefNoundef(what));
        }
        if facts.dereferenceable.is_some() || facts.dereferenceable_or_null.is_some() {
            self.dereferenceable(&value, facts, what)?;
        }
        Ok(value)
    }

    fn in_range(&self, facts: &Facts, atom: &Atom) -> Result<Atom, Stop> {
        let one = |atom: &Atom| match atom {
            Atom::Exact(bits) if facts.in_range(bits) => Ok(atom.clone()),
            Atom::Exact(_) => Ok(Atom::Poison),
            _ => unknown(Reason::IntegerExpected),
        };
        // Everything is not in a range that excludes something.
        if atom.is_undef() { Ok(Atom::Poison) } else { lift([atom], |[atom]| one(atom)) }
    }

    fn pointer_claims(&mut self, facts: &Facts, atom: &Atom) -> Result<Atom, Stop> {
        if atom.is_undef() {
            // It may be null, and at an odd address.
            let poison = facts.nonnull || facts.align.is_some_and(|align| align > 1);
            return Ok(if poison { Atom::Poison } else { atom.clone() });
        }
        lift([atom], |[atom]| {
            let Atom::Pointer(pointer) = atom else { return Ok(atom.clone()) };
            if facts.nonnull && *pointer == Pointer::Address(0) {
                return Ok(Atom::Poison);
            }
            match facts.align {
                Some(align) if !self.is_aligned(*pointer, align)? => Ok(Atom::Poison),
                _ => Ok(atom.clone()),
            }
        })
    }

    /// Whether an address is a multiple of a power of two.
    pub(super) fn is_aligned(&self, pointer: Pointer, align: u64) -> Result<bool, Stop> {
        if align <= 1 {
            return Ok(true);
        }
        if let Some(address) = self.address(pointer) {
            return Ok(address % align == 0);
        }
        match pointer {
            Pointer::Block { block, offset } if self.blocks[block as usize].align >= align => {
                Ok(offset.rem_euclid(align as i64) == 0)
            }
            _ => unknown(Reason::AddressOfLocalAlignment),
        }
    }

    fn dereferenceable(
        &mut self,
        value: &Value,
        facts: &Facts,
        what: ClaimedValue,
    ) -> Result<(), Stop> {
        let bad = || ub(Ub::NotDereferenceable(what));
        let atom = value.atom()?;
        if facts.dereferenceable.is_none() && *atom == Atom::Pointer(Pointer::Address(0)) {
            return Ok(());
        }
        let size = facts.dereferenceable.max(facts.dereferenceable_or_null).unwrap_or(0);
        match atom {
            Atom::Pointer(Pointer::Block { block, offset }) => {
                self.prepare(*block)?;
                let held = &self.blocks[*block as usize];
                let room = held.bytes.len() as i128 - i128::from(*offset);
                match held.alive && *offset >= 0 && i128::from(size) <= room {
                    true => Ok(()),
                    false => bad(),
                }
            }
            Atom::Pointer(Pointer::Address(0)) | Atom::Poison | Atom::Free(_) => bad(),
            _ => unknown(Reason::DereferenceablePlainAddress),
        }
    }
}
