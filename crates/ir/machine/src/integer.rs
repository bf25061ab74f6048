//! Integers: arithmetic, comparison, conversion and the intrinsics on them, on sets of values.
//!
//! Each function is exact: where an operand has more values than can be enumerated, a rule that is exact for
//! the operation applies, or the result is unknown.

use std::cmp::Ordering;

use irtext::{Binary, Bits, IntFlags, IntPredicate};

use crate::range;
use crate::reason::{Reason, Ub};
use crate::value::{Atom, Stop, lift, ub, unknown};

/// The bits of an exact integer.
pub fn exact(atom: &Atom) -> Result<&Bits, Stop> {
    match atom {
        Atom::Exact(bits) => Ok(bits),
        Atom::Nan => unknown(Reason::BitsOfNan),
        Atom::Pointer(_) => unknown(Reason::BitsOfPointer),
        _ => unknown(Reason::SetOfIntegers),
    }
}

fn is_division(op: Binary) -> bool {
    matches!(op, Binary::UDiv | Binary::SDiv | Binary::URem | Binary::SRem)
}

/// Arithmetic on two integers.
pub fn binary(op: Binary, flags: IntFlags, a: &Atom, b: &Atom) -> Result<Atom, Stop> {
    if let (Atom::Exact(a), Atom::Exact(b)) = (a, b) {
        return on_exact(op, flags, a, b);
    }
    if is_division(op) {
        divisor(op, a, b)?;
    }
    if matches!(a, Atom::Poison) || matches!(b, Atom::Poison) {
        return Ok(Atom::Poison);
    }
    if let Some(result) = by_rule(op, flags, a, b) {
        return Ok(result);
    }
    if let Some(result) = range::binary(op, flags, a, b) {
        return Ok(result);
    }
    lift([a, b], |[a, b]| on_exact(op, flags, exact(a)?, exact(b)?))
}

/// Divisions whose divisor may be bad are undefined, whatever is divided.
fn divisor(op: Binary, a: &Atom, b: &Atom) -> Result<(), Stop> {
    match b {
        Atom::Poison => return ub(Ub::DivisionByPoison),
        Atom::Free(free) if free.known.is_zero() => return ub(Ub::DivisionByZero),
        Atom::Set(set) if set.of.iter().any(|m| matches!(m, Atom::Exact(b) if b.is_zero())) => {
            return ub(Ub::DivisionByZero);
        }
        Atom::Exact(bits) if bits.is_zero() => return ub(Ub::DivisionByZero),
        Atom::Range(range) if range.contains(&Bits::zero(range.low.width())) => {
            return ub(Ub::DivisionByZero);
        }
        _ => {}
    }
    if !matches!(op, Binary::SDiv | Binary::SRem) {
        return Ok(());
    }
    let may_be_minus_one = match b {
        Atom::Set(set) => set.of.iter().any(|m| matches!(m, Atom::Exact(b) if b.is_ones())),
        Atom::Range(range) => range.contains(&Bits::ones(range.low.width())),
        other => other.known_and_free().is_some_and(|(known, free)| known.or(&free).is_ones()),
    };
    // Poison may be the least number.
    if matches!(a, Atom::Poison) && may_be_minus_one {
        return ub(Ub::DivisionOverflow);
    }
    if let (Atom::Range(range), true) = (a, may_be_minus_one)
        && range.contains(&Bits::least_signed(range.low.width()))
    {
        return ub(Ub::DivisionOverflow);
    }
    // The least number by -1, where one of them is one of many.
    if let (Some((known, free)), Some((known_b, free_b))) = (a.known_and_free(), b.known_and_free())
    {
        let least = Bits::least_signed(known.width());
        if known.or(&free).and(&least) == least
            && known.and(&least.not()).is_zero()
            && known_b.or(&free_b).is_ones()
        {
            return ub(Ub::DivisionOverflow);
        }
    }
    Ok(())
}

/// Exact rules for operands of which bits are free.
fn by_rule(op: Binary, flags: IntFlags, a: &Atom, b: &Atom) -> Option<Atom> {
    let shared = a.is_shared() || b.is_shared();
    let ((ka, fa), (kb, fb)) = (a.known_and_free()?, b.known_and_free()?);
    let width = ka.width();
    let flagged = match op {
        Binary::LShr | Binary::AShr => flags.exact,
        _ => flags.nsw || flags.nuw,
    };
    match op {
        Binary::And => {
            // A bit is free if it is free in one, and may be one in the other.
            let (may_a, may_b) = (ka.or(&fa), kb.or(&fb));
            let free = fa.and(&may_b).or(&fb.and(&may_a));
            Some(Atom::free(ka.and(&kb), free, shared))
        }
        Binary::Or => {
            if flags.disjoint && !ka.or(&fa).and(&kb.or(&fb)).is_zero() {
                return Some(Atom::Poison);
            }
            let known = ka.or(&kb);
            Some(Atom::free(known.clone(), fa.or(&fb).and(&known.not()), shared))
        }
        Binary::Xor => Some(Atom::free(ka.xor(&kb), fa.or(&fb), shared)),
        Binary::Add | Binary::Sub if a.is_undef() || b.is_undef() => {
            if !flagged {
                return Some(Atom::undef(width).maybe_shared(shared));
            }
            // What is free meets anything but zero at a value at which the sum wraps.
            let other_is_zero =
                fb.is_zero() && kb.is_zero() || op == Binary::Add && fa.is_zero() && ka.is_zero();
            other_is_zero.then(|| Atom::undef(width).maybe_shared(shared)).or_else(|| {
                let zero_minus_free = op == Binary::Sub && fa.is_zero() && width > 1;
                (!zero_minus_free).then_some(Atom::Poison)
            })
        }
        Binary::Mul if a.is_undef() || b.is_undef() => {
            let (factor, exact) =
                if a.is_undef() { (&kb, fb.is_zero()) } else { (&ka, fa.is_zero()) };
            if !exact {
                return None;
            }
            if factor.is_zero() {
                return Some(Atom::Exact(Bits::zero(width)));
            }
            if flagged {
                let one = *factor == Bits::new(width, 1) && width > 1;
                return one.then(|| Atom::undef(width).maybe_shared(shared));
            }
            let free = Bits::ones(width).shl(factor.trailing_zeros());
            Some(Atom::free(Bits::zero(width), free, shared))
        }
        Binary::Shl | Binary::LShr | Binary::AShr if fb.is_zero() && !flagged => {
            let by = u32::try_from(kb.small()?).ok().filter(|by| *by < width)?;
            match op {
                Binary::Shl => Some(Atom::free(ka.shl(by), fa.shl(by), shared)),
                Binary::LShr => Some(Atom::free(ka.lshr(by), fa.lshr(by), shared)),
                _ if !fa.is_negative() => Some(Atom::free(ka.ashr(by), fa.lshr(by), shared)),
                _ => None,
            }
        }
        // An amount that may be anything may be too much.
        Binary::Shl | Binary::LShr | Binary::AShr => {
            let most = kb.or(&fb);
            let bound = Bits::new(width.max(32), width.into());
            most.resize(width.max(32)).compare(&bound).is_ge().then_some(Atom::Poison)
        }
        _ => None,
    }
}

impl Atom {
    fn maybe_shared(self, shared: bool) -> Atom {
        if shared { self.share() } else { self }
    }
}

fn on_exact(op: Binary, flags: IntFlags, a: &Bits, b: &Bits) -> Result<Atom, Stop> {
    let width = a.width();
    let (nsw, nuw) = (flags.nsw, flags.nuw);
    let result = match op {
        Binary::Add => {
            if nsw && a.add_wraps_signed(b) || nuw && a.add_wraps(b) {
                return Ok(Atom::Poison);
            }
            a.add(b)
        }
        Binary::Sub => {
            if nsw && a.sub_wraps_signed(b) || nuw && a.sub_wraps(b) {
                return Ok(Atom::Poison);
            }
            a.sub(b)
        }
        Binary::Mul => {
            if nsw && a.mul_wraps_signed(b) || nuw && a.mul_wraps(b) {
                return Ok(Atom::Poison);
            }
            a.mul(b)
        }
        Binary::UDiv | Binary::URem | Binary::SDiv | Binary::SRem => {
            return divide(op, flags, a, b);
        }
        Binary::Shl | Binary::LShr | Binary::AShr => {
            let Some(by) = amount(b, width) else { return Ok(Atom::Poison) };
            let result = match op {
                Binary::Shl => a.shl(by),
                Binary::LShr => a.lshr(by),
                _ => a.ashr(by),
            };
            if op == Binary::Shl && (nsw && result.ashr(by) != *a || nuw && result.lshr(by) != *a)
                || op != Binary::Shl && flags.exact && result.shl(by) != *a
            {
                return Ok(Atom::Poison);
            }
            result
        }
        Binary::And => a.and(b),
        Binary::Or => {
            if flags.disjoint && !a.and(b).is_zero() {
                return Ok(Atom::Poison);
            }
            a.or(b)
        }
        Binary::Xor => a.xor(b),
        _ => return unknown(Reason::IntegerOperationExpected),
    };
    Ok(Atom::Exact(result))
}

/// How far a shift goes, if less than the width.
fn amount(b: &Bits, width: u32) -> Option<u32> {
    b.small().and_then(|by| u32::try_from(by).ok()).filter(|by| *by < width).or_else(|| {
        let by = (b.width() > 128).then(|| u32::try_from(b.unsigned()).ok())??;
        (by < width).then_some(by)
    })
}

fn divide(op: Binary, flags: IntFlags, a: &Bits, b: &Bits) -> Result<Atom, Stop> {
    if b.is_zero() {
        return ub(Ub::DivisionByZero);
    }
    let signed = matches!(op, Binary::SDiv | Binary::SRem);
    if signed && b.is_ones() && *a == Bits::least_signed(a.width()) {
        return ub(Ub::DivisionOverflow);
    }
    let rest = if signed { a.srem(b) } else { a.urem(b) };
    Ok(match op {
        Binary::UDiv | Binary::SDiv if flags.exact && !rest.is_zero() => Atom::Poison,
        Binary::UDiv => Atom::Exact(a.udiv(b)),
        Binary::SDiv => Atom::Exact(a.sdiv(b)),
        _ => Atom::Exact(rest),
    })
}

/// Whether an ordering answers a predicate.
pub fn answers(predicate: IntPredicate, ordering: Ordering) -> bool {
    match predicate {
        IntPredicate::Eq => ordering.is_eq(),
        IntPredicate::Ne => ordering.is_ne(),
        IntPredicate::Ugt | IntPredicate::Sgt => ordering.is_gt(),
        IntPredicate::Uge | IntPredicate::Sge => ordering.is_ge(),
        IntPredicate::Ult | IntPredicate::Slt => ordering.is_lt(),
        IntPredicate::Ule | IntPredicate::Sle => ordering.is_le(),
    }
}

/// Whether a predicate looks at signs.
pub fn is_signed(predicate: IntPredicate) -> bool {
    use IntPredicate::*;
    matches!(predicate, Sgt | Sge | Slt | Sle)
}

/// Comparison of two integers.
pub fn compare(predicate: IntPredicate, samesign: bool, a: &Atom, b: &Atom) -> Result<Atom, Stop> {
    let one = |a: &Bits, b: &Bits| {
        if samesign && a.is_negative() != b.is_negative() {
            return Atom::Poison;
        }
        let ordering = if is_signed(predicate) { a.compare_signed(b) } else { a.compare(b) };
        Atom::truth(answers(predicate, ordering))
    };
    if let (Atom::Exact(a), Atom::Exact(b)) = (a, b) {
        return Ok(one(a, b));
    }
    if let (Some(x), Some(y)) = (a.known_and_free(), b.known_and_free())
        && !samesign
    {
        let possible = possible(predicate, &x, &y);
        return Atom::any_of(possible, a.is_shared() || b.is_shared());
    }
    if !samesign && let Some(possible) = range::compare(predicate, a, b) {
        return Atom::any_of(possible, a.is_shared() || b.is_shared());
    }
    lift([a, b], |[a, b]| Ok(one(exact(a)?, exact(b)?)))
}

/// What a comparison of numbers with free bits may say: their extremes are members.
fn possible(predicate: IntPredicate, x: &(Bits, Bits), y: &(Bits, Bits)) -> Vec<Atom> {
    let width = x.0.width();
    if matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) {
        let fixed = x.1.or(&y.1).not();
        let equal = x.0.and(&fixed) == y.0.and(&fixed);
        let differ = !x.1.is_zero() || !y.1.is_zero() || x.0 != y.0;
        let is_eq = predicate == IntPredicate::Eq;
        let mut all = Vec::new();
        all.extend(equal.then(|| Atom::truth(is_eq)));
        all.extend(differ.then(|| Atom::truth(!is_eq)));
        return all;
    }
    let sign = Bits::least_signed(width);
    let ends = |(known, free): &(Bits, Bits)| {
        if is_signed(predicate) {
            let (low, high) = (known.or(&free.and(&sign)), known.or(&free.and(&sign.not())));
            (low, high)
        } else {
            (known.clone(), known.or(free))
        }
    };
    let ((low_x, high_x), (low_y, high_y)) = (ends(x), ends(y));
    relations(predicate, (&low_x, &high_x), (&low_y, &high_y))
}

/// What a relation of order may say of sets with these ends: it holds for some pair if for one of the two
/// extreme pairs.
pub fn relations(
    predicate: IntPredicate,
    (low_x, high_x): (&Bits, &Bits),
    (low_y, high_y): (&Bits, &Bits),
) -> Vec<Atom> {
    let order = |a: &Bits, b: &Bits| {
        if is_signed(predicate) { a.compare_signed(b) } else { a.compare(b) }
    };
    let pairs = [order(low_x, high_y), order(high_x, low_y)];
    let possible = |truth: bool| pairs.iter().any(|o| answers(predicate, *o) == truth);
    [true, false].into_iter().filter(|truth| possible(*truth)).map(Atom::truth).collect()
}

/// `trunc`, `zext` and `sext`.
pub fn resize(atom: &Atom, to: u32, signed: bool, flags: IntFlags) -> Result<Atom, Stop> {
    let one = |bits: &Bits| {
        if to < bits.width() {
            let small = bits.resize(to);
            let lost = flags.nuw && small.resize(bits.width()) != *bits
                || flags.nsw && small.resize_signed(bits.width()) != *bits;
            return if lost { Atom::Poison } else { Atom::Exact(small) };
        }
        if flags.nneg && bits.is_negative() {
            return Atom::Poison;
        }
        Atom::Exact(if signed { bits.resize_signed(to) } else { bits.resize(to) })
    };
    match atom {
        Atom::Poison => Ok(Atom::Poison),
        Atom::Exact(bits) => Ok(one(bits)),
        Atom::Free(free) => {
            let sign = free.free.is_negative();
            let narrows = to < free.free.width();
            if !narrows && flags.nneg && (sign || free.known.is_negative()) {
                return Ok(Atom::Poison);
            }
            if (narrows && (flags.nuw || flags.nsw)) || (!narrows && signed && sign) {
                if let Some(result) = range::resize(atom, to, signed, flags) {
                    return Ok(result);
                }
                return lift([atom], |[a]| Ok(one(exact(a)?)));
            }
            let known = match signed {
                true => free.known.resize_signed(to),
                false => free.known.resize(to),
            };
            Ok(Atom::free(known, free.free.resize(to), free.shared))
        }
        _ => match range::resize(atom, to, signed, flags) {
            Some(result) => Ok(result),
            None => lift([atom], |[a]| Ok(one(exact(a)?))),
        },
    }
}

/// Intrinsics on one or two integers and perhaps a third, all of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // As LLVM's manual names them.
pub enum Function {
    Abs,
    SMin,
    SMax,
    UMin,
    UMax,
    SAddSat,
    UAddSat,
    SSubSat,
    USubSat,
    SShlSat,
    UShlSat,
    Fshl,
    Fshr,
    Ctpop,
    Ctlz,
    Cttz,
    Bswap,
    BitReverse,
}

/// An intrinsic on exact operands; of `abs`, `ctlz` and `cttz` the second is the flag.
pub fn function(function: Function, operands: &[&Bits]) -> Atom {
    use Function::*;
    let a = operands[0];
    let width = a.width();
    let second = || operands[1];
    let flag = || !operands[1].is_zero();
    let number = |value: u32| Bits::new(width, value.into());
    let saturated = |wraps: bool, result: Bits, negative: bool| match (wraps, negative) {
        (false, _) => result,
        (true, true) => Bits::least_signed(width),
        (true, false) => Bits::greatest_signed(width),
    };
    Atom::Exact(match function {
        Abs if flag() && *a == Bits::least_signed(width) => return Atom::Poison,
        Abs => a.magnitude(),
        SMin if a.compare_signed(second()).is_lt() => a.clone(),
        SMax if a.compare_signed(second()).is_gt() => a.clone(),
        UMin if a.compare(second()).is_lt() => a.clone(),
        UMax if a.compare(second()).is_gt() => a.clone(),
        SMin | SMax | UMin | UMax => second().clone(),
        SAddSat => saturated(a.add_wraps_signed(second()), a.add(second()), a.is_negative()),
        SSubSat => saturated(a.sub_wraps_signed(second()), a.sub(second()), a.is_negative()),
        UAddSat if a.add_wraps(second()) => Bits::ones(width),
        UAddSat => a.add(second()),
        USubSat if a.sub_wraps(second()) => Bits::zero(width),
        USubSat => a.sub(second()),
        SShlSat | UShlSat => {
            let Some(by) = amount(second(), width) else { return Atom::Poison };
            let result = a.shl(by);
            match function {
                UShlSat if result.lshr(by) != *a => Bits::ones(width),
                SShlSat => saturated(result.ashr(by) != *a, result, a.is_negative()),
                _ => result,
            }
        }
        Fshl | Fshr => {
            let modulus = Bits::new(width.max(32), width.into());
            let by = operands[2].resize(width.max(32)).urem(&modulus).small().unwrap_or(0) as u32;
            let whole = second().below(a);
            let from = if function == Fshl { width - by } else { by };
            whole.part(from, width)
        }
        Ctpop => number(a.count_ones()),
        Ctlz | Cttz if a.is_zero() && flag() => return Atom::Poison,
        Ctlz => number(a.leading_zeros()),
        Cttz => number(a.trailing_zeros()),
        Bswap => rearranged(a, 8),
        BitReverse => rearranged(a, 1),
    })
}

/// Groups of bits in the opposite order.
fn rearranged(bits: &Bits, group: u32) -> Bits {
    let width = bits.width();
    (0..width / group).fold(Bits::zero(width), |all, index| {
        all.shl(group).or(&bits.part(index * group, group).resize(width))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [Binary; 13] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::UDiv,
        Binary::SDiv,
        Binary::URem,
        Binary::SRem,
        Binary::Shl,
        Binary::LShr,
        Binary::AShr,
        Binary::And,
        Binary::Or,
        Binary::Xor,
    ];

    /// All sets of known and free bits of a small width.
    fn operands(width: u32) -> Vec<Atom> {
        let all = 0..1u128 << width;
        let pairs = all.clone().flat_map(|free| all.clone().map(move |known| (known, free)));
        pairs
            .filter(|(known, free)| known & free == 0)
            .map(|(known, free)| Atom::free(Bits::new(width, known), Bits::new(width, free), false))
            .collect()
    }

    /// Rules for free bits say what enumeration says, for all operands of three bits and all flags.
    #[test]
    fn rules_are_exact() {
        let flags = |n: u32| IntFlags {
            nuw: n & 1 != 0,
            nsw: n & 2 != 0,
            exact: n & 4 != 0,
            disjoint: n & 8 != 0,
            nneg: false,
        };
        for op in OPS {
            for flags in (0..16).map(flags) {
                for a in operands(3) {
                    for b in operands(3) {
                        let by_all = lift([&a, &b], |[a, b]| {
                            on_exact(op, flags, exact(a).unwrap(), exact(b).unwrap())
                        });
                        let ours = binary(op, flags, &a, &b);
                        match (&ours, &by_all) {
                            (Err(_), Err(_)) => {}
                            (Ok(x), Ok(y)) => {
                                let same = x.admits(y, &|_| false) == Some(true)
                                    && y.admits(x, &|_| false) == Some(true);
                                assert!(same, "{op:?} {flags:?} {a:?} {b:?}: {x:?}, not {y:?}");
                            }
                            _ => panic!("{op:?} {flags:?} {a:?} {b:?}: {ours:?}, not {by_all:?}"),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_are_exact() {
        use IntPredicate::*;
        for predicate in [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle] {
            for a in operands(3) {
                for b in operands(3) {
                    let by_all = lift([&a, &b], |[a, b]| compare(predicate, false, a, b)).unwrap();
                    assert_eq!(compare(predicate, false, &a, &b).unwrap(), by_all);
                }
            }
        }
    }

    #[test]
    fn conversions_are_exact() {
        for a in operands(4) {
            for (to, signed) in [(2, false), (7, false), (7, true)] {
                for flags in
                    [IntFlags::default(), IntFlags { nneg: true, nsw: true, ..IntFlags::default() }]
                {
                    let by_all = lift([&a], |[a]| resize(a, to, signed, flags)).unwrap();
                    let ours = resize(&a, to, signed, flags).unwrap();
                    assert_eq!(ours.admits(&by_all, &|_| false), Some(true));
                    assert_eq!(by_all.admits(&ours, &|_| false), Some(true));
                }
            }
        }
    }

    #[test]
    fn functions() {
        let of = |f, a: u128, b: u128| function(f, &[&Bits::new(8, a), &Bits::new(8, b)]);
        assert_eq!(of(Function::SAddSat, 127, 1), Atom::bits(8, 127));
        assert_eq!(of(Function::SSubSat, 128, 1), Atom::bits(8, 128));
        assert_eq!(of(Function::SShlSat, 0xc0, 2), Atom::bits(8, 128));
        assert_eq!(of(Function::UShlSat, 0x41, 2), Atom::bits(8, 255));
        assert_eq!(of(Function::BitReverse, 0x13, 0), Atom::bits(8, 0xc8));
        let (a, b) = (Bits::new(8, 0xab), Bits::new(8, 0xcd));
        let shift = |f, by| function(f, &[&a, &b, &Bits::new(8, by)]);
        assert_eq!(shift(Function::Fshl, 4), Atom::bits(8, 0xbc));
        assert_eq!(shift(Function::Fshr, 12), Atom::bits(8, 0xbc));
        assert_eq!(shift(Function::Fshl, 8), Atom::bits(8, 0xab));
    }
}
