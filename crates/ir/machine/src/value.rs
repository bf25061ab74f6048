//! Values as an execution has them: sets of what each use may see.
//!
//! `undef` is a set of choices, and each use chooses anew; a value that depends on it is the set of what it
//! may come to. A set that may be poison is poison: whatever follows from the other members is allowed
//! wherever what follows from poison is. So a set here has no poison in it.
//!
//! Sets are exact. One that cannot be written exactly ends the execution as unknown.

use std::sync::Arc;

use irtext::Bits;

use crate::range::{self, Range};
use crate::reason::{Reason, Ub};

/// Why an execution ends before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// UB: what.
    Ub(Ub),
    /// The meaning is not certain, or not supported: why.
    Unknown(Reason),
    /// A call that does not return.
    Ended,
}

/// An `Err` of UB.
pub fn ub<T>(what: Ub) -> Result<T, Stop> {
    Err(Stop::Ub(what))
}

/// An `Err` of what is not certain.
pub fn unknown<T>(why: impl Into<Reason>) -> Result<T, Stop> {
    Err(Stop::Unknown(why.into()))
}

/// A value of any type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of a type without parts.
    One(Atom),
    /// Lanes, elements or fields.
    Many(Arc<[Value]>),
}

/// A value of a type without parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Atom {
    /// Poison, or what may be poison.
    Poison,
    /// An integer or a float.
    Exact(Bits),
    /// Some bits are known, each of the others may be either; also an undef pointer.
    Free(Arc<Free>),
    /// Integers that follow each other; more than one.
    Range(Arc<Range>),
    /// One of these, which are exact; at least two.
    Set(Arc<Set>),
    /// A pointer.
    Pointer(Pointer),
    /// A float that is not a number, of which nothing else is known.
    Nan,
}

/// Bits of which some are free.
#[derive(Clone, Debug, PartialEq)]
pub struct Free {
    /// Those that are known; zero where free.
    pub known: Bits,
    /// Those that may be either; at least one.
    pub free: Bits,
    /// Whether another lane makes the same choice.
    pub shared: bool,
}

/// One of several values.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// Which.
    pub of: Vec<Atom>,
    /// Whether another lane makes the same choice.
    pub shared: bool,
}

/// Where a pointer points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pointer {
    /// To no block; 0 is null.
    Address(u64),
    /// Into a block, or beside it.
    Block {
        /// Its number in this execution.
        block: u32,
        /// Bytes from its beginning.
        offset: i64,
    },
}

/// The null pointer.
pub const NULL: Pointer = Pointer::Address(0);

/// Sets larger than this are not enumerated.
pub const LARGEST: usize = 256;

impl Atom {
    /// An integer.
    pub fn bits(width: u32, value: u128) -> Atom {
        Atom::Exact(Bits::new(width, value))
    }

    /// A truth value.
    pub fn truth(value: bool) -> Atom {
        Atom::bits(1, value.into())
    }

    /// `undef` of a width.
    pub fn undef(width: u32) -> Atom {
        Atom::free(Bits::zero(width), Bits::ones(width), false)
    }

    /// Known and free bits.
    pub fn free(known: Bits, free: Bits, shared: bool) -> Atom {
        if free.is_zero() {
            Atom::Exact(known)
        } else {
            Atom::Free(Arc::new(Free { known: known.and(&free.not()), free, shared }))
        }
    }

    /// Whether it is exactly one value.
    pub fn is_exact(&self) -> bool {
        matches!(self, Atom::Exact(_) | Atom::Pointer(_) | Atom::Nan)
    }

    /// Whether it is poison or more than one value.
    pub fn is_loose(&self) -> bool {
        !self.is_exact()
    }

    /// Whether all its bits are free.
    pub fn is_undef(&self) -> bool {
        matches!(self, Atom::Free(free) if free.free.is_ones())
    }

    /// Whether another lane makes the same choice.
    pub fn is_shared(&self) -> bool {
        match self {
            Atom::Free(free) => free.shared,
            Atom::Set(set) => set.shared,
            Atom::Range(range) => range.shared,
            _ => false,
        }
    }

    /// The same, marked as a choice that another lane makes too.
    pub fn share(&self) -> Atom {
        match self {
            Atom::Free(free) => Atom::free(free.known.clone(), free.free.clone(), true),
            Atom::Set(set) => Atom::Set(Arc::new(Set { of: set.of.clone(), shared: true })),
            Atom::Range(range) => {
                Atom::Range(Arc::new(Range { shared: true, ..(**range).clone() }))
            }
            other => other.clone(),
        }
    }

    /// Known and free bits, of integers that are such.
    pub fn known_and_free(&self) -> Option<(Bits, Bits)> {
        match self {
            Atom::Exact(bits) => Some((bits.clone(), Bits::zero(bits.width()))),
            Atom::Free(free) => Some((free.known.clone(), free.free.clone())),
            _ => None,
        }
    }

    /// Its members, if they are few.
    pub fn members(&self) -> Option<Vec<Atom>> {
        match self {
            Atom::Set(set) => Some(set.of.clone()),
            Atom::Range(range) => {
                let span = u128::try_from(range.span.unsigned()).ok()?;
                let span = Some(span).filter(|span| *span < LARGEST as u128)?;
                let width = range.low.width();
                let member = |step| Atom::Exact(range.low.add(&Bits::new(width, step)));
                Some((0..=span).map(member).collect())
            }
            Atom::Free(free) => {
                let places: Vec<u32> =
                    (0..free.free.width()).filter(|i| free.free.bit(*i)).collect();
                if places.len() > 8 {
                    return None;
                }
                let member = |choice: u32| {
                    let one = Bits::new(free.free.width(), 1);
                    let chosen = places.iter().enumerate().filter(|(n, _)| choice >> n & 1 == 1);
                    chosen.fold(free.known.clone(), |bits, (_, place)| bits.or(&one.shl(*place)))
                };
                Some((0..1 << places.len()).map(|choice| Atom::Exact(member(choice))).collect())
            }
            other => Some(vec![other.clone()]),
        }
    }

    /// The set of some atoms, which may be sets themselves.
    pub fn any_of(atoms: Vec<Atom>, shared: bool) -> Result<Atom, Stop> {
        if atoms.iter().any(|a| matches!(a, Atom::Poison)) {
            return Ok(Atom::Poison);
        }
        if let Some(all) = atoms.iter().find(|a| a.is_undef()) {
            return Ok(if shared { all.share() } else { all.clone() });
        }
        if atoms.iter().any(|atom| atom.is_loose() && atom.members().is_none()) {
            return together(&atoms, shared).map_or_else(|| unknown(Reason::TooManyValues), Ok);
        }
        let mut of: Vec<Atom> = Vec::with_capacity(atoms.len());
        for atom in atoms {
            if of.contains(&atom) {
                continue;
            }
            match atom.is_exact() {
                true => of.push(atom),
                false => {
                    for member in
                        atom.members().map_or_else(|| unknown(Reason::TooManyValues), Ok)?
                    {
                        if !of.contains(&member) {
                            of.push(member);
                        }
                    }
                }
            }
        }
        if of.len() > LARGEST {
            return unknown(Reason::TooManyValues);
        }
        if of.len() == 1 {
            return Ok(of.remove(0));
        }
        if let Some((known, free)) = as_product(&of) {
            return Ok(Atom::free(known, free, shared));
        }
        Ok(Atom::Set(Arc::new(Set { of, shared })))
    }

    /// Whether every member of another is a member of this, or, of floats, is as good. `None`: not known.
    pub fn admits(&self, other: &Atom, is_nan: &dyn Fn(&Bits) -> bool) -> Option<bool> {
        match (self, other) {
            (Atom::Poison, _) => Some(true),
            (_, Atom::Poison) => Some(false),
            (Atom::Exact(a), Atom::Exact(b)) => Some(a == b || is_nan(a) && is_nan(b)),
            (Atom::Nan, Atom::Nan) => Some(true),
            (Atom::Nan, Atom::Exact(bits)) | (Atom::Exact(bits), Atom::Nan) => Some(is_nan(bits)),
            (a, _) if a.is_undef() => Some(true),
            // Any float that is not a number is as good as another.
            (a @ Atom::Free(_), Atom::Nan) => {
                any(&a.members()?, |own| Some(matches!(own, Atom::Exact(bits) if is_nan(bits))))
            }
            // Bits that only partly say where they point, and integers, are compared with no pointer.
            (Atom::Free(_), Atom::Pointer(_)) | (Atom::Range(_), Atom::Nan | Atom::Pointer(_)) => {
                None
            }
            (Atom::Free(a), b) => {
                if let Atom::Range(range) = b {
                    return Some(range.within_bits(&a.known, &a.free));
                }
                if let Some((known, free)) = b.known_and_free() {
                    let fixed = a.free.not();
                    return Some(free.and(&fixed).is_zero() && known.and(&fixed) == a.known);
                }
                all(&other.members()?, |member| self.admits(member, is_nan))
            }
            (Atom::Range(range), Atom::Exact(bits)) => Some(range.contains(bits)),
            (Atom::Range(a), _) => match other.range() {
                Some(b) => {
                    let start = b.low.sub(&a.low);
                    let end = start.add(&b.span);
                    Some(!start.add_wraps(&b.span) && end.compare(&a.span).is_le())
                }
                None => all(&other.members()?, |member| self.admits(member, is_nan)),
            },
            // What has no list of members has more than any set.
            (Atom::Set(set), _) => match other.members() {
                None => Some(false),
                Some(members) => {
                    all(&members, |member| any(&set.of, |own| own.admits(member, is_nan)))
                }
            },
            (_, Atom::Free(_) | Atom::Set(_) | Atom::Range(_)) => match other.members() {
                None => Some(false),
                Some(members) => all(&members, |member| self.admits(member, is_nan)),
            },
            _ => Some(self == other),
        }
    }
}

/// All are true, or one is not known.
pub fn all<T>(of: &[T], test: impl Fn(&T) -> Option<bool>) -> Option<bool> {
    let mut answer = Some(true);
    for one in of {
        match test(one) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => answer = None,
        }
    }
    answer
}

/// One is true, or one is not known.
pub fn any<T>(of: &[T], test: impl Fn(&T) -> Option<bool>) -> Option<bool> {
    all(of, |one| test(one).map(|yes| !yes)).map(|none| !none)
}

/// Several sets as one range, or as that of them which holds the others.
fn together(atoms: &[Atom], shared: bool) -> Option<Atom> {
    let (first, rest) = atoms.split_first()?;
    let mut all = first.clone();
    for atom in rest {
        let holds = |a: &Atom, b: &Atom| a.admits(b, &|_| false) == Some(true);
        all = match () {
            () if holds(&all, atom) => all,
            () if holds(atom, &all) => atom.clone(),
            () => range::union(&all, atom, shared)?,
        };
    }
    Some(if shared { all.share() } else { all })
}

/// Numbers that are all choices of some bits: those bits.
fn as_product(of: &[Atom]) -> Option<(Bits, Bits)> {
    let exact = |atom: &Atom| match atom {
        Atom::Exact(bits) => Some(bits.clone()),
        _ => None,
    };
    let first = exact(&of[0])?;
    let (mut some, mut every) = (first.clone(), first);
    for atom in of {
        let bits = exact(atom)?;
        some = some.or(&bits);
        every = every.and(&bits);
    }
    let free = some.xor(&every);
    let complete = free.count_ones() < 32 && of.len() == 1 << free.count_ones();
    complete.then_some((every, free))
}

/// An operation on exact atoms, on all members of its operands' sets. Poison among them is the result.
pub fn lift<const N: usize>(
    operands: [&Atom; N],
    operation: impl Fn([&Atom; N]) -> Result<Atom, Stop>,
) -> Result<Atom, Stop> {
    if operands.iter().all(|a| a.is_exact()) {
        return operation(operands);
    }
    if operands.iter().any(|a| matches!(a, Atom::Poison)) {
        return Ok(Atom::Poison);
    }
    let mut sets = Vec::with_capacity(N);
    let mut count = 1;
    for operand in operands {
        let members = operand.members().map_or_else(|| unknown(Reason::TooManyValues), Ok)?;
        count *= members.len();
        if count > LARGEST {
            return unknown(Reason::TooManyValues);
        }
        sets.push(members);
    }
    let mut results = Vec::with_capacity(count);
    for number in 0..count {
        let mut rest = number;
        let chosen: [&Atom; N] = std::array::from_fn(|i| {
            let member = &sets[i][rest % sets[i].len()];
            rest /= sets[i].len();
            member
        });
        results.push(operation(chosen)?);
    }
    Atom::any_of(results, operands.iter().any(|a| a.is_shared()))
}

impl Value {
    /// Of some parts.
    pub fn many(parts: Vec<Value>) -> Value {
        Value::Many(parts.into())
    }

    /// The atom of a value without parts.
    pub fn atom(&self) -> Result<&Atom, Stop> {
        match self {
            Value::One(atom) => Ok(atom),
            Value::Many(_) => unknown(Reason::ScalarExpected),
        }
    }

    /// Its parts.
    pub fn parts(&self) -> Result<&[Value], Stop> {
        match self {
            Value::Many(parts) => Ok(parts),
            Value::One(_) => unknown(Reason::PartsExpected),
        }
    }

    /// Whether any of its atoms passes a test.
    pub fn any(&self, test: &dyn Fn(&Atom) -> bool) -> bool {
        match self {
            Value::One(atom) => test(atom),
            Value::Many(parts) => parts.iter().any(|part| part.any(test)),
        }
    }

    /// The same with each atom changed.
    pub fn map(&self, change: &mut dyn FnMut(&Atom) -> Result<Atom, Stop>) -> Result<Value, Stop> {
        Ok(match self {
            Value::One(atom) => Value::One(change(atom)?),
            Value::Many(parts) => {
                Value::Many(parts.iter().map(|part| part.map(change)).collect::<Result<_, _>>()?)
            }
        })
    }

    /// Two of one shape, atom by atom.
    pub fn zip(
        &self,
        other: &Value,
        combine: &mut dyn FnMut(&Atom, &Atom) -> Result<Atom, Stop>,
    ) -> Result<Value, Stop> {
        Ok(match (self, other) {
            (Value::One(a), Value::One(b)) => Value::One(combine(a, b)?),
            (Value::Many(a), Value::Many(b)) if a.len() == b.len() => {
                let parts = a.iter().zip(b.iter()).map(|(a, b)| a.zip(b, combine));
                Value::Many(parts.collect::<Result<_, _>>()?)
            }
            _ => return unknown(Reason::ShapesDiffer),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(a: &Atom, b: &Atom) -> Option<bool> {
        a.admits(b, &|_| false)
    }

    #[test]
    fn partly_known_floats_against_those_that_are_no_numbers() {
        let is_nan = |bits: &Bits| *bits == Bits::new(8, 0xff);
        let free =
            |known: u128, free: u128| Atom::free(Bits::new(8, known), Bits::new(8, free), false);
        assert_eq!(free(0xfc, 3).admits(&Atom::Nan, &is_nan), Some(true), "one member is none");
        assert_eq!(free(0x0c, 3).admits(&Atom::Nan, &is_nan), Some(false));
        let pointer = Atom::Pointer(NULL);
        assert_eq!(free(0x0c, 3).admits(&pointer, &is_nan), None, "nobody knows, and it ends");
    }

    #[test]
    fn sets_are_exact() {
        let set = Atom::any_of([1, 2, 5].map(|v| Atom::bits(8, v)).into(), false).unwrap();
        assert_eq!(set.members().unwrap().len(), 3);
        let both = Atom::any_of(vec![Atom::truth(false), Atom::truth(true)], false).unwrap();
        assert!(both.is_undef());
        let sum = lift([&set, &both.clone()], |[a, b]| match (a, b) {
            (Atom::Exact(a), Atom::Exact(b)) => Ok(Atom::Exact(a.add(&b.resize(8)))),
            _ => unknown(Reason::SetsCompared),
        });
        assert_eq!(sum.unwrap().members().unwrap().len(), 5);
        assert_eq!(
            Atom::any_of(vec![Atom::Poison, Atom::truth(true)], false).unwrap(),
            Atom::Poison
        );
    }

    #[test]
    fn a_source_admits_what_it_may_be() {
        let low = Atom::free(Bits::new(8, 0x10), Bits::new(8, 0x0f), false);
        assert_eq!(admits(&low, &Atom::bits(8, 0x1a)), Some(true));
        assert_eq!(admits(&low, &Atom::bits(8, 0x2a)), Some(false));
        assert_eq!(admits(&Atom::undef(8), &low), Some(true));
        assert_eq!(admits(&low, &Atom::undef(8)), Some(false));
        assert_eq!(admits(&Atom::bits(8, 1), &Atom::undef(8)), Some(false));
        assert_eq!(admits(&Atom::bits(32, 1), &Atom::undef(32)), Some(false));
        assert_eq!(admits(&Atom::Poison, &Atom::undef(32)), Some(true));
        assert_eq!(admits(&Atom::undef(32), &Atom::Poison), Some(false));
        let two = Atom::any_of(vec![Atom::bits(8, 1), Atom::bits(8, 6)], false).unwrap();
        assert_eq!(admits(&two, &Atom::bits(8, 6)), Some(true));
        assert_eq!(admits(&two, &Atom::undef(8)), Some(false));
    }
}
