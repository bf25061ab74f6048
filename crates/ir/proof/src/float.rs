//! Floats, as the bits of their format. Signs, comparisons and classes are exact, on bits. Arithmetic is an
//! uninterpreted function of its operands and flags, with a meaning in the theory of floating point where it
//! has one: what only moves floats around is proved without that theory.
//!
//! A NaN matches any NaN: which one an operation gives is open.

use std::ops::{Add, Div, Mul, Rem, Sub};

use irtext::{Binary, Cast, FastMath, Float, FloatPredicate, IntFlags};

use crate::side::Side;
use crate::term::{Arithmetic, Node, Sort, Term, Terms};
use crate::value::{Kind, Lane};
use crate::{Approximation, Unsupported, unsupported};

/// Bits of exponent and of significand, the hidden one among them.
fn format(float: Float) -> Option<(u32, u32)> {
    match float {
        Float::Half => Some((5, 11)),
        Float::Bfloat => Some((8, 8)),
        Float::Single => Some((8, 24)),
        Float::Double => Some((11, 53)),
        Float::Quad => Some((15, 113)),
        Float::X86 | Float::Ppc => None,
    }
}

/// The name of a format as the theory has it.
fn sort_name(float: Float) -> Option<String> {
    format(float).map(|(exponent, significand)| format!("{exponent} {significand}"))
}

/// The bits of the positive infinity.
fn infinity(terms: &mut Terms, float: Float) -> Option<Term> {
    let (exponent, significand) = format(float)?;
    let ones = terms.ones(exponent);
    let zeros = terms.number(significand - 1, 0);
    let rest = terms.concat(ones, zeros);
    let sign = terms.number(1, 0);
    Some(terms.concat(sign, rest))
}

/// All bits but the sign.
fn magnitude(terms: &mut Terms, x: Term) -> Term {
    let width = terms.width(x);
    terms.truncate(width - 1, x)
}

/// Whether bits are those of a NaN.
pub(crate) fn is_nan(terms: &mut Terms, float: Float, x: Term) -> Option<Term> {
    let infinity = infinity(terms, float)?;
    let infinity = magnitude(terms, infinity);
    let x = magnitude(terms, x);
    Some(terms.less(false, infinity, x))
}

fn is_infinite(terms: &mut Terms, float: Float, x: Term) -> Option<Term> {
    let infinity = infinity(terms, float)?;
    let infinity = magnitude(terms, infinity);
    let x = magnitude(terms, x);
    Some(terms.equal(infinity, x))
}

fn is_zero(terms: &mut Terms, x: Term) -> Term {
    let x = magnitude(terms, x);
    let zero = terms.number(terms.width(x), 0);
    terms.equal(x, zero)
}

fn sign(terms: &mut Terms, x: Term) -> Term {
    let top = terms.width(x) - 1;
    terms.extract(top, top, x)
}

/// The flags that let an operation give another result than the rounded one.
fn liberties(flags: &FastMath) -> String {
    let mut name = String::new();
    for (flag, letter) in [
        (flags.nsz, 'z'),
        (flags.arcp, 'r'),
        (flags.contract, 'c'),
        (flags.afn, 'f'),
        (flags.reassoc, 'a'),
    ] {
        if flag {
            name.push(letter);
        }
    }
    name
}

impl Side<'_> {
    /// A number with the other sign.
    pub(crate) fn float_negated(&mut self, lane: Lane) -> Lane {
        let terms = &mut self.shared.terms;
        let bits = flip_sign(terms, lane.bits);
        Lane { bits, poison: lane.poison }
    }

    /// What flags do to operands or results: NaNs and infinities that they rule out are poison.
    fn ruled_out(&mut self, float: Float, flags: &FastMath, x: Term) -> Result<Term, Unsupported> {
        let terms = &mut self.shared.terms;
        let mut wrong = terms.bool(false);
        if flags.nnan {
            let nan = is_nan(terms, float, x).ok_or(Unsupported::X86Float)?;
            wrong = terms.or(wrong, nan);
        }
        if flags.ninf {
            let infinite = is_infinite(terms, float, x).ok_or(Unsupported::X86Float)?;
            wrong = terms.or(wrong, infinite);
        }
        Ok(wrong)
    }

    /// The result of `select`, `phi` or `fneg` with flags.
    pub(crate) fn fast_result(
        &mut self,
        lanes: Vec<Lane>,
        kinds: &[Kind],
        flags: &FastMath,
    ) -> Result<Vec<Lane>, Unsupported> {
        if !(flags.nnan || flags.ninf || flags.nsz) {
            return Ok(lanes);
        }
        let mut result = Vec::new();
        for (lane, kind) in lanes.into_iter().zip(kinds) {
            let Kind::Float(float) = kind else {
                result.push(lane);
                continue;
            };
            let wrong = self.ruled_out(*float, flags, lane.bits)?;
            let terms = &mut self.shared.terms;
            let poison = terms.or(lane.poison, wrong);
            let mut bits = lane.bits;
            if flags.nsz {
                let zero = is_zero(terms, bits);
                let own = sign(terms, bits);
                let any = terms.apply("sign of zero", &[own], Sort::Bits(1));
                let rest = magnitude(terms, bits);
                let signed = terms.concat(any, rest);
                bits = terms.choose(zero, signed, bits);
                self.shared.approximate(Approximation::SignOfZero);
            }
            result.push(self.shared.unless(poison, bits));
        }
        Ok(result)
    }

    pub(crate) fn float_binary(
        &mut self,
        op: Binary,
        float: Float,
        flags: &FastMath,
        a: Lane,
        b: Lane,
    ) -> Result<Lane, Unsupported> {
        let mut wrong = vec![a.poison, b.poison];
        wrong.push(self.ruled_out(float, flags, a.bits)?);
        wrong.push(self.ruled_out(float, flags, b.bits)?);
        let result = self.float_result(op, float, flags, a.bits, b.bits)?;
        wrong.push(self.ruled_out(float, flags, result)?);
        let poison = self.shared.terms.any(&wrong);
        Ok(self.shared.unless(poison, result))
    }

    fn float_result(
        &mut self,
        op: Binary,
        float: Float,
        flags: &FastMath,
        x: Term,
        y: Term,
    ) -> Result<Term, Unsupported> {
        let terms = &mut self.shared.terms;
        let liberties = liberties(flags);
        let (mut x, mut y) = (x, y);
        if let (Some(a), Some(b)) = (terms.as_number(x), terms.as_number(y))
            && let Some(value) = fold(op, float, a, b)
        {
            return Ok(terms.number(float.bits(), value));
        }
        let mut op = op;
        if op == Binary::FSub {
            op = Binary::FAdd;
            y = flip_sign(terms, y);
        }
        if op == Binary::FDiv
            && let Some(inverse) = terms.as_number(y).and_then(|y| reciprocal(float, y))
        {
            op = Binary::FMul;
            y = terms.number(float.bits(), inverse);
        }
        let mut flip = false;
        if matches!(op, Binary::FMul | Binary::FDiv) {
            for operand in [&mut x, &mut y] {
                if let Some(positive) = without_sign(terms, *operand) {
                    *operand = positive;
                    flip = !flip;
                }
            }
        }
        if matches!(op, Binary::FAdd | Binary::FMul) && y < x {
            std::mem::swap(&mut x, &mut y);
        }
        let minus_zero = terms.sign_bit(float.bits());
        let one = one(float).map(|one| terms.number(float.bits(), one));
        let plain = match op {
            Binary::FAdd if x == minus_zero => Some(y),
            Binary::FAdd if y == minus_zero => Some(x),
            Binary::FMul if Some(x) == one => Some(y),
            Binary::FMul | Binary::FDiv if Some(y) == one => Some(x),
            _ => None,
        };
        let result = match plain {
            Some(same) => same,
            None => {
                let name = match op {
                    Binary::FAdd => "fp.add RNE",
                    Binary::FMul => "fp.mul RNE",
                    Binary::FDiv => "fp.div RNE",
                    _ => "frem",
                };
                self.float_apply(name, float, &liberties, &[x, y])
            }
        };
        Ok(if flip { flip_sign(&mut self.shared.terms, result) } else { result })
    }

    /// An operation of the theory, on numbers of one format.
    pub(crate) fn float_apply(
        &mut self,
        name: &str,
        float: Float,
        liberties: &str,
        operands: &[Term],
    ) -> Term {
        let symbol = format!("{name} {float:?} {liberties}");
        self.shared.approximate(Approximation::FloatArithmetic);
        let result = Sort::Bits(float.bits());
        let meaning = || match sort_name(float) {
            Some(sort) if liberties.is_empty() && name.starts_with("fp.") => {
                let operands: Vec<String> = (["a", "b", "c"].iter().take(operands.len()))
                    .map(|operand| format!("((_ to_fp {sort}) {operand})"))
                    .collect();
                format!("(fp.to_ieee_bv ({name} {}))", operands.join(" "))
            }
            _ => String::new(),
        };
        self.shared.terms.apply_known(&symbol, operands, result, meaning)
    }

    pub(crate) fn float_compared(
        &mut self,
        predicate: FloatPredicate,
        float: Float,
        flags: &FastMath,
        a: Lane,
        b: Lane,
    ) -> Result<Lane, Unsupported> {
        let mut wrong = vec![a.poison, b.poison];
        wrong.push(self.ruled_out(float, flags, a.bits)?);
        wrong.push(self.ruled_out(float, flags, b.bits)?);
        let terms = &mut self.shared.terms;
        let (x, y) = (a.bits, b.bits);
        let nan = |terms: &mut Terms, x| is_nan(terms, float, x).ok_or(Unsupported::X86Float);
        let (nan_x, nan_y) = (nan(terms, x)?, nan(terms, y)?);
        let unordered = terms.or(nan_x, nan_y);
        let ordered = terms.not(unordered);
        let (zero_x, zero_y) = (is_zero(terms, x), is_zero(terms, y));
        let zeros = terms.and(zero_x, zero_y);
        let same = terms.equal(x, y);
        let equal = terms.or(same, zeros);
        let less = float_less(terms, x, y, zeros);
        let greater = float_less(terms, y, x, zeros);
        let holds = match predicate {
            FloatPredicate::False => terms.bool(false),
            FloatPredicate::True => terms.bool(true),
            FloatPredicate::Ord => ordered,
            FloatPredicate::Uno => unordered,
            FloatPredicate::Oeq => terms.and(ordered, equal),
            FloatPredicate::Ueq => terms.or(unordered, equal),
            FloatPredicate::Olt => terms.and(ordered, less),
            FloatPredicate::Ult => terms.or(unordered, less),
            FloatPredicate::Ogt => terms.and(ordered, greater),
            FloatPredicate::Ugt => terms.or(unordered, greater),
            FloatPredicate::Ole | FloatPredicate::Ule => {
                let holds = terms.not(greater);
                with_order(terms, predicate == FloatPredicate::Ole, ordered, unordered, holds)
            }
            FloatPredicate::Oge | FloatPredicate::Uge => {
                let holds = terms.not(less);
                with_order(terms, predicate == FloatPredicate::Oge, ordered, unordered, holds)
            }
            FloatPredicate::One | FloatPredicate::Une => {
                let holds = terms.not(equal);
                with_order(terms, predicate == FloatPredicate::One, ordered, unordered, holds)
            }
        };
        let bits = terms.bit_of(holds);
        let poison = terms.any(&wrong);
        Ok(self.shared.unless(poison, bits))
    }

    pub(crate) fn float_cast(
        &mut self,
        op: Cast,
        flags: &IntFlags,
        old: Kind,
        new: Kind,
        lane: Lane,
    ) -> Result<Lane, Unsupported> {
        let terms = &mut self.shared.terms;
        let mut poison = lane.poison;
        let result = Sort::Bits(new.width());
        let name = format!("{op:?} {old:?} {new:?}");
        if flags.nneg {
            let negative = terms.is_negative(lane.bits);
            poison = terms.or(poison, negative);
        }
        if let Some(number) = terms.as_number(lane.bits)
            && let Some(value) = fold_cast(op, old, new, number)
        {
            let bits = terms.number(new.width(), value);
            return Ok(self.shared.unless(poison, bits));
        }
        let meaning = match (op, old, new) {
            (Cast::FpExt | Cast::FpTrunc, Kind::Float(old), Kind::Float(new)) => {
                let (Some(old), Some(new)) = (sort_name(old), sort_name(new)) else {
                    return unsupported(Unsupported::X86Float);
                };
                format!("(fp.to_ieee_bv ((_ to_fp {new}) RNE ((_ to_fp {old}) a)))")
            }
            (Cast::SiToFp, _, Kind::Float(float)) if sort_name(float).is_some() => {
                let sort = sort_name(float).unwrap_or_default();
                format!("(fp.to_ieee_bv ((_ to_fp {sort}) RNE a))")
            }
            (Cast::UiToFp, _, Kind::Float(float)) if sort_name(float).is_some() => {
                let sort = sort_name(float).unwrap_or_default();
                format!("(fp.to_ieee_bv ((_ to_fp_unsigned {sort}) RNE a))")
            }
            _ => String::new(),
        };
        self.shared.approximate(Approximation::FloatConversion);
        let terms = &mut self.shared.terms;
        if matches!(op, Cast::FpToUi | Cast::FpToSi) {
            let outside = terms.apply(&format!("outside {name}"), &[lane.bits], Sort::Bool);
            poison = terms.or(poison, outside);
        }
        let bits = terms.apply_known(&name, &[lane.bits], result, || meaning);
        Ok(self.shared.unless(poison, bits))
    }
}

fn with_order(
    terms: &mut Terms,
    is_ordered: bool,
    ordered: Term,
    unordered: Term,
    holds: Term,
) -> Term {
    if is_ordered { terms.and(ordered, holds) } else { terms.or(unordered, holds) }
}

/// `x < y` of numbers that are no NaNs.
fn float_less(terms: &mut Terms, x: Term, y: Term, zeros: Term) -> Term {
    let (sign_x, sign_y) = (sign(terms, x), sign(terms, y));
    let (negative_x, negative_y) = (terms.is_set(sign_x), terms.is_set(sign_y));
    let (mag_x, mag_y) = (magnitude(terms, x), magnitude(terms, y));
    let up = terms.less(false, mag_x, mag_y);
    let down = terms.less(false, mag_y, mag_x);
    let no = terms.bool(false);
    let positive = terms.choose(negative_y, no, up);
    let yes = terms.bool(true);
    let negative = terms.choose(negative_y, down, yes);
    let less = terms.choose(negative_x, negative, positive);
    let not_zeros = terms.not(zeros);
    terms.and(not_zeros, less)
}

/// The bits with the other sign.
pub(crate) fn flip_sign(terms: &mut Terms, x: Term) -> Term {
    let mask = terms.sign_bit(terms.width(x));
    terms.arithmetic(Arithmetic::Xor, x, mask)
}

/// What was negated, or the positive constant of a negative one.
fn without_sign(terms: &mut Terms, x: Term) -> Option<Term> {
    let mask = terms.sign_bit(terms.width(x));
    match *terms.node(x) {
        Node::Arithmetic(Arithmetic::Xor, of, by) if by == mask => Some(of),
        Node::Bits(_) => {
            let top = sign(terms, x);
            (terms.as_number(top) == Some(1)).then(|| flip_sign(terms, x))
        }
        _ => None,
    }
}

/// The bits of 1.
fn one(float: Float) -> Option<u128> {
    let (exponent, significand) = format(float)?;
    Some(((1 << (exponent - 1)) - 1) << (significand - 1))
}

/// The bits of the reciprocal of a power of two, if it is exact and normal.
fn reciprocal(float: Float, bits: u128) -> Option<u128> {
    let (exponent, significand) = format(float)?;
    let fraction = bits & ((1 << (significand - 1)) - 1);
    let raw = bits >> (significand - 1) & ((1 << exponent) - 1);
    let sign = bits >> (exponent + significand - 1);
    let bias = (1 << (exponent - 1)) - 1;
    let inverse = (2 * bias as u128).checked_sub(raw)?;
    let normal = fraction == 0 && raw != 0 && inverse != 0 && raw != (1 << exponent) - 1;
    normal.then_some(sign << (exponent + significand - 1) | inverse << (significand - 1))
}

/// Arithmetic on constants, where this machine has the format.
fn fold(op: Binary, float: Float, a: u128, b: u128) -> Option<u128> {
    match float {
        Float::Single => {
            let value = computed(op, f32::from_bits(a as u32), f32::from_bits(b as u32))?;
            (!value.is_nan()).then(|| value.to_bits().into())
        }
        Float::Double => {
            let value = computed(op, f64::from_bits(a as u64), f64::from_bits(b as u64))?;
            (!value.is_nan()).then(|| value.to_bits().into())
        }
        _ => None,
    }
}

fn computed<T>(op: Binary, a: T, b: T) -> Option<T>
where
    T: Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T> + Rem<Output = T>,
{
    Some(match op {
        Binary::FAdd => a + b,
        Binary::FSub => a - b,
        Binary::FMul => a * b,
        Binary::FDiv => a / b,
        Binary::FRem => a % b,
        _ => return None,
    })
}

/// Conversions of constants, where this machine has the format.
fn fold_cast(op: Cast, old: Kind, new: Kind, number: u128) -> Option<u128> {
    let signed = |width: u32| ((number << (128 - width)) as i128) >> (128 - width);
    Some(match (op, old, new) {
        (Cast::UiToFp, _, Kind::Float(Float::Single)) => (number as f32).to_bits().into(),
        (Cast::UiToFp, _, Kind::Float(Float::Double)) => (number as f64).to_bits().into(),
        (Cast::SiToFp, Kind::Integer(width), Kind::Float(Float::Single)) if width <= 128 => {
            (signed(width) as f32).to_bits().into()
        }
        (Cast::SiToFp, Kind::Integer(width), Kind::Float(Float::Double)) if width <= 128 => {
            (signed(width) as f64).to_bits().into()
        }
        (Cast::FpExt, Kind::Float(Float::Single), Kind::Float(Float::Double)) => {
            let value = f32::from_bits(number as u32);
            (!value.is_nan()).then(|| f64::from(value).to_bits().into())?
        }
        (Cast::FpTrunc, Kind::Float(Float::Double), Kind::Float(Float::Single)) => {
            let value = f64::from_bits(number as u64);
            (!value.is_nan()).then(|| (value as f32).to_bits().into())?
        }
        (Cast::FpToSi | Cast::FpToUi, Kind::Float(float), Kind::Integer(width)) => {
            let value = match float {
                Float::Single => f64::from(f32::from_bits(number as u32)),
                Float::Double => f64::from_bits(number as u64),
                _ => return None,
            };
            let value = value.trunc();
            let bound = 2f64.powi(width.min(64) as i32 - i32::from(op == Cast::FpToSi));
            let least = if op == Cast::FpToSi { -bound } else { 0.0 };
            let inside = width <= 64 && value >= least && value < bound;
            inside.then_some((value as i128) as u128)?
        }
        _ => return None,
    })
}
