//! Sets of integers that follow each other: what division, remainder, minimum and the like make of undef.
//!
//! A range may wrap around, so that it is one in two's complement as well. All results are exact; where the
//! result is no range there is none.

use irtext::{Binary, Bits, IntFlags, IntPredicate};

use crate::integer::{IntegerIntrinsic, is_signed};
use crate::value::Atom;

/// Integers from one on.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The first.
    pub low: Bits,
    /// How many more.
    pub span: Bits,
    /// Whether another lane makes the same choice.
    pub shared: bool,
}

impl Range {
    /// Whether a number is among them.
    pub fn contains(&self, bits: &Bits) -> bool {
        bits.sub(&self.low).compare(&self.span).is_le()
    }

    /// The first and the last, if they are in order.
    fn ends(&self) -> Option<(Bits, Bits)> {
        if self.span.is_ones() {
            let width = self.low.width();
            return Some((Bits::zero(width), Bits::ones(width)));
        }
        (!self.low.add_wraps(&self.span)).then(|| (self.low.clone(), self.low.add(&self.span)))
    }

    /// The first and the last, if they are in order in two's complement.
    fn signed_ends(&self) -> Option<(Bits, Bits)> {
        let sign = Bits::least_signed(self.low.width());
        let flipped = Range { low: self.low.xor(&sign), ..self.clone() };
        flipped.ends().map(|(low, high)| (low.xor(&sign), high.xor(&sign)))
    }

    fn ends_for(&self, signed: bool) -> Option<(Bits, Bits)> {
        if signed { self.signed_ends() } else { self.ends() }
    }

    /// Whether all of them are choices of some bits: exactly those vary at which the ends differ, or below.
    pub fn within_bits(&self, known: &Bits, free: &Bits) -> bool {
        let Some((low, high)) = self.ends() else { return free.is_ones() };
        let top = low.width() - low.xor(&high).leading_zeros();
        let width = low.width();
        let varying =
            if top == 0 { Bits::zero(width) } else { Bits::ones(width).lshr(width - top) };
        varying.and(&free.not()).is_zero() && low.and(&free.not()) == *known
    }
}

impl Atom {
    /// As a range, if it is one.
    pub fn range(&self) -> Option<Range> {
        match self {
            Atom::Exact(bits) => {
                Some(Range { low: bits.clone(), span: Bits::zero(bits.width()), shared: false })
            }
            Atom::Free(free) => {
                let next = free.free.add(&Bits::new(free.free.width(), 1));
                let low = free.free.and(&next).is_zero();
                low.then(|| Range {
                    low: free.known.clone(),
                    span: free.free.clone(),
                    shared: free.shared,
                })
            }
            Atom::Range(range) => Some((**range).clone()),
            _ => None,
        }
    }

    /// Of a range, in the form that says most.
    pub fn of_range(low: Bits, span: Bits, shared: bool) -> Atom {
        let next = span.add(&Bits::new(span.width(), 1));
        if span.is_zero() {
            return Atom::Exact(low);
        }
        if span.is_ones() || span.and(&next).is_zero() && low.and(&span).is_zero() {
            return Atom::free(low.and(&span.not()), span, shared);
        }
        Atom::Range(std::sync::Arc::new(Range { low, span, shared }))
    }
}

fn between((low, high): (Bits, Bits), shared: bool) -> Option<Atom> {
    let span = high.sub(&low);
    Some(Atom::of_range(low, span, shared))
}

/// Arithmetic on ranges; `None`: the result is no range, or not known to be one.
pub fn binary(op: Binary, flags: IntFlags, a: &Atom, b: &Atom) -> Option<Atom> {
    let (x, y) = (a.range()?, b.range()?);
    let shared = x.shared || y.shared;
    let width = x.low.width();
    let by = y.span.is_zero().then_some(&y.low);
    match op {
        Binary::Add | Binary::Sub => {
            if flags.nsw || flags.nuw {
                return None;
            }
            let span = x.span.add(&y.span);
            if x.span.add_wraps(&y.span) {
                return Some(Atom::undef(width));
            }
            let low = match op {
                Binary::Add => x.low.add(&y.low),
                _ => x.low.sub(&y.low.add(&y.span)),
            };
            Some(Atom::of_range(low, span, shared))
        }
        Binary::UDiv if !flags.exact => {
            let (low, high) = x.ends()?;
            between((low.udiv(by?), high.udiv(by?)), shared)
        }
        Binary::LShr if !flags.exact => {
            let by = amount(by?, width)?;
            let (low, high) = x.ends()?;
            between((low.lshr(by), high.lshr(by)), shared)
        }
        Binary::AShr if !flags.exact => {
            let by = amount(by?, width)?;
            let (low, high) = x.signed_ends()?;
            between((low.ashr(by), high.ashr(by)), shared)
        }
        Binary::SDiv if !flags.exact => {
            let by = by?;
            let (low, high) = x.signed_ends()?;
            if by.is_ones() {
                return None;
            }
            let (low, high) = (low.sdiv(by), high.sdiv(by));
            between(if by.is_negative() { (high, low) } else { (low, high) }, shared)
        }
        Binary::URem => {
            let by = by?;
            let last = by.sub(&Bits::new(width, 1));
            let (low, high) = x.ends()?;
            if x.span.compare(&last).is_ge() {
                return between((Bits::zero(width), last), shared);
            }
            (low.udiv(by) == high.udiv(by))
                .then(|| between((low.urem(by), high.urem(by)), shared))?
        }
        Binary::SRem => {
            let by = by?;
            let last = by.magnitude().sub(&Bits::new(width, 1));
            // Of all numbers every remainder occurs, if the divisor is in their range twice.
            let enough = x.span.is_ones() && !last.is_negative() && !by.is_ones();
            let half = Bits::greatest_signed(width);
            (enough && last.compare(&half).is_lt()).then(|| between((last.neg(), last), shared))?
        }
        _ => None,
    }
}

fn amount(by: &Bits, width: u32) -> Option<u32> {
    by.small().and_then(|by| u32::try_from(by).ok()).filter(|by| *by < width)
}

/// What a comparison may say.
pub fn compare(predicate: IntPredicate, a: &Atom, b: &Atom) -> Option<Vec<Atom>> {
    let (x, y) = (a.range()?, b.range()?);
    if matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) {
        let meet = x.contains(&y.low) || y.contains(&x.low);
        let differ = !(x.span.is_zero() && y.span.is_zero() && x.low == y.low);
        let is_eq = predicate == IntPredicate::Eq;
        let mut all = Vec::new();
        all.extend(meet.then(|| Atom::truth(is_eq)));
        all.extend(differ.then(|| Atom::truth(!is_eq)));
        return Some(all);
    }
    let signed = is_signed(predicate);
    let ((low_x, high_x), (low_y, high_y)) = (x.ends_for(signed)?, y.ends_for(signed)?);
    Some(crate::integer::relations(predicate, (&low_x, &high_x), (&low_y, &high_y)))
}

/// Least and greatest.
pub fn function(function: IntegerIntrinsic, a: &Atom, b: &Atom) -> Option<Atom> {
    let signed = match function {
        IntegerIntrinsic::SMin | IntegerIntrinsic::SMax => true,
        IntegerIntrinsic::UMin | IntegerIntrinsic::UMax => false,
        _ => return None,
    };
    let (x, y) = (a.range()?, b.range()?);
    let ((low_x, high_x), (low_y, high_y)) = (x.ends_for(signed)?, y.ends_for(signed)?);
    let of = |a: &Bits, b: &Bits| match crate::integer::function(function, &[a, b]) {
        Atom::Exact(bits) => Some(bits),
        _ => None,
    };
    between((of(&low_x, &low_y)?, of(&high_x, &high_y)?), x.shared || y.shared)
}

/// Conversion to another width.
pub fn resize(atom: &Atom, to: u32, signed: bool, flags: IntFlags) -> Option<Atom> {
    let range = atom.range()?;
    let width = range.low.width();
    if to < width {
        if flags.nuw || flags.nsw {
            return None;
        }
        let all = range.span.compare(&Bits::ones(to).resize(width)).is_ge();
        return Some(match all {
            true => Atom::undef(to),
            false => Atom::of_range(range.low.resize(to), range.span.resize(to), range.shared),
        });
    }
    let (low, high) = range.ends_for(signed)?;
    if flags.nneg && (low.is_negative() || high.is_negative()) {
        return Some(Atom::Poison);
    }
    let wide = |bits: &Bits| if signed { bits.resize_signed(to) } else { bits.resize(to) };
    between((wide(&low), wide(&high)), range.shared)
}

/// Both together, if they are one range.
pub fn union(a: &Atom, b: &Atom, shared: bool) -> Option<Atom> {
    let (x, y) = (a.range()?, b.range()?);
    if x.span.is_ones() || y.span.is_ones() {
        return Some(Atom::undef(x.low.width()));
    }
    let one = Bits::new(x.low.width(), 1);
    for (x, y) in [(&x, &y), (&y, &x)] {
        // The second begins within the first, or right behind it.
        let start = y.low.sub(&x.low);
        if start.compare(&x.span.add(&one)).is_le() {
            let end = start.add(&y.span);
            if start.add_wraps(&y.span) {
                return Some(Atom::undef(x.low.width()));
            }
            let span = if end.compare(&x.span).is_gt() { end } else { x.span.clone() };
            return Some(Atom::of_range(x.low.clone(), span, shared));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::lift;

    fn ranges(width: u32) -> Vec<Atom> {
        let all = 0..1u128 << width;
        let pairs = all.clone().flat_map(|low| all.clone().map(move |span| (low, span)));
        pairs
            .map(|(low, span)| Atom::of_range(Bits::new(width, low), Bits::new(width, span), false))
            .collect()
    }

    fn same(a: &Atom, b: &Atom) -> bool {
        let sorted = |atom: &Atom| {
            let mut all: Vec<String> =
                atom.members().unwrap().iter().map(|m| format!("{m:?}")).collect();
            all.sort();
            all
        };
        matches!((a, b), (Atom::Poison, Atom::Poison))
            || !matches!(a, Atom::Poison) && !matches!(b, Atom::Poison) && sorted(a) == sorted(b)
    }

    #[test]
    fn arithmetic_is_exact() {
        use Binary::*;
        let flags = IntFlags::default();
        for op in [Add, Sub, UDiv, SDiv, URem, SRem, LShr, AShr] {
            for a in ranges(3) {
                for b in ranges(3) {
                    let by_all = lift([&a, &b], |[a, b]| crate::integer::binary(op, flags, a, b));
                    if let (Ok(expected), Some(ours)) = (by_all, binary(op, flags, &a, &b)) {
                        assert!(same(&ours, &expected), "{op:?} {a:?} {b:?}: {ours:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_rest_is_exact() {
        for a in ranges(3) {
            for b in ranges(3) {
                for f in [IntegerIntrinsic::SMin, IntegerIntrinsic::UMax] {
                    if let Some(ours) = function(f, &a, &b) {
                        let by_all = lift([&a, &b], |[a, b]| {
                            let (a, b) = (crate::integer::exact(a)?, crate::integer::exact(b)?);
                            Ok(crate::integer::function(f, &[a, b]))
                        });
                        assert!(same(&ours, &by_all.unwrap()), "{f:?} {a:?} {b:?}");
                    }
                }
                for predicate in [IntPredicate::Eq, IntPredicate::Ult, IntPredicate::Sle] {
                    if let Some(ours) = compare(predicate, &a, &b) {
                        let by_all = lift([&a, &b], |[a, b]| {
                            crate::integer::compare(predicate, false, a, b)
                        });
                        assert!(same(&Atom::any_of(ours, false).unwrap(), &by_all.unwrap()));
                    }
                }
                if let Some(ours) = union(&a, &b, false) {
                    let both = [a.members().unwrap(), b.members().unwrap()].concat();
                    assert!(
                        same(&ours, &Atom::any_of(both, false).unwrap()),
                        "{a:?} {b:?}: {ours:?}"
                    );
                }
            }
            for (to, signed) in [(2, false), (5, false), (5, true)] {
                if let Some(ours) = resize(&a, to, signed, IntFlags::default()) {
                    let by_all = lift([&a], |[a]| {
                        crate::integer::resize(a, to, signed, IntFlags::default())
                    });
                    assert!(same(&ours, &by_all.unwrap()), "{a:?} to {to}: {ours:?}");
                }
            }
        }
    }
}
