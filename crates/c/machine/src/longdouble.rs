//! `long double` of x86-64: the x87 80-bit extended format, as a plain value.
//!
//! Rust has no such type, so the arithmetic is `rustc_apfloat`'s (a port of LLVM's own soft floats,
//! which LLVM folds constants with); this module fixes the representation, the conversions that C
//! needs, and what the hardware does where the port leaves room. Rounding is always to nearest,
//! ties to even: `fesetround` is not modelled, nor are the exception flags.

use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, StatusAnd};
use std::cmp::Ordering;

/// Bias of the exponent field.
const BIAS: i32 = 16383;
/// Mask of the exponent field; all ones for infinities and NaNs.
const EXPONENT: u16 = 0x7fff;
const SIGN: u16 = 0x8000;
const INTEGER_BIT: u64 = 1 << 63;

/// A `long double`. Derived equality is that of the representation, for tables and tests; C's `==`
/// is [`F80::compare`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct F80 {
    /// Significand; the leading bit is explicit.
    pub mantissa: u64,
    /// Sign (bit 15) and biased exponent.
    pub exponent: u16,
}

impl F80 {
    /// Positive zero.
    pub const ZERO: F80 = F80 { mantissa: 0, exponent: 0 };
    /// Positive infinity.
    pub const INFINITY: F80 = F80 { mantissa: INTEGER_BIT, exponent: EXPONENT };
    /// The NaN that x87 makes from an invalid operation: quiet, and negative.
    pub const DEFAULT_NAN: F80 = F80 { mantissa: 3 << 62, exponent: SIGN | EXPONENT };

    fn soft(self) -> X87DoubleExtended {
        X87DoubleExtended::from_bits((u128::from(self.exponent) << 64) | u128::from(self.mantissa))
    }

    fn from_soft(value: X87DoubleExtended) -> F80 {
        let bits = value.to_bits();
        F80 { mantissa: bits as u64, exponent: (bits >> 64) as u16 }
    }

    /// The ten value bytes, as x87 stores them (little-endian); the six bytes after them are padding.
    pub fn to_bytes(self) -> [u8; 10] {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.mantissa.to_le_bytes());
        bytes[8..].copy_from_slice(&self.exponent.to_le_bytes());
        bytes
    }

    /// Reads what [`F80::to_bytes`] wrote. Any pattern is taken; see [`F80::is_canonical`].
    pub fn from_bytes(bytes: [u8; 10]) -> F80 {
        let [a, b, c, d, e, f, g, h, i, j] = bytes;
        F80 {
            mantissa: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            exponent: u16::from_le_bytes([i, j]),
        }
    }

    /// Whether the pattern is one that arithmetic can produce. The others (unnormals,
    /// pseudo-infinities, pseudo-NaNs, pseudo-denormals) are trap representations in the sense of
    /// C11 6.2.6.1p5: the 387 and later raise invalid operation on most of them.
    pub fn is_canonical(self) -> bool {
        (self.biased() == 0) == (self.mantissa & INTEGER_BIT == 0)
    }

    fn biased(self) -> u16 {
        self.exponent & EXPONENT
    }

    /// Whether the sign bit is set, also of a zero or NaN.
    pub fn is_negative(self) -> bool {
        self.exponent & SIGN != 0
    }

    /// Whether it is a NaN; patterns that the hardware rejects count as such.
    pub fn is_nan(self) -> bool {
        let special = self.biased() == EXPONENT && self.mantissa != INTEGER_BIT;
        let unnormal = self.biased() != 0 && self.mantissa & INTEGER_BIT == 0;
        special || unnormal
    }

    /// Whether it is an infinity of either sign.
    pub fn is_infinite(self) -> bool {
        self.biased() == EXPONENT && self.mantissa == INTEGER_BIT
    }

    /// Whether it is neither an infinity nor a NaN.
    pub fn is_finite(self) -> bool {
        !self.is_nan() && !self.is_infinite()
    }

    /// Whether it is a zero of either sign.
    pub fn is_zero(self) -> bool {
        self.biased() == 0 && self.mantissa == 0
    }

    /// A finite value is `mantissa * 2^scale`, sign aside: this is `scale`.
    pub fn scale(self) -> i32 {
        // Denormals have the exponent of the smallest normal numbers.
        i32::from(self.biased().max(1)) - BIAS - 63
    }

    /// Converts from `double`: always exact.
    pub fn from_f64(value: f64) -> F80 {
        let soft = Double::from_bits(u128::from(value.to_bits()));
        F80::from_soft(soft.convert(&mut false).value)
    }

    /// Converts from `float`: always exact.
    pub fn from_f32(value: f32) -> F80 {
        let soft = Single::from_bits(u128::from(value.to_bits()));
        F80::from_soft(soft.convert(&mut false).value)
    }

    /// Converts to `double`, rounding once.
    pub fn to_f64(self) -> f64 {
        let soft: StatusAnd<Double> = self.soft().convert(&mut false);
        f64::from_bits(soft.value.to_bits() as u64)
    }

    /// Converts to `float`, rounding once (not through `double`).
    pub fn to_f32(self) -> f32 {
        let soft: StatusAnd<Single> = self.soft().convert(&mut false);
        f32::from_bits(soft.value.to_bits() as u32)
    }

    /// Converts from a signed integer: exact.
    pub fn from_i64(value: i64) -> F80 {
        F80::from_i128(i128::from(value))
    }

    /// Converts from an unsigned integer: exact.
    pub fn from_u64(value: u64) -> F80 {
        F80::from_u128(u128::from(value))
    }

    /// Converts from a signed integer, rounding where it has more than 64 significant bits.
    pub fn from_i128(value: i128) -> F80 {
        F80::from_soft(X87DoubleExtended::from_i128(value).value)
    }

    /// Converts from an unsigned integer, rounding where it has more than 64 significant bits.
    pub fn from_u128(value: u128) -> F80 {
        F80::from_soft(X87DoubleExtended::from_u128(value).value)
    }

    /// The integral part's magnitude; `None` from 2^128 on and for infinities and NaNs.
    fn magnitude(self) -> Option<u128> {
        if !self.is_finite() {
            return None;
        }
        let mantissa = u128::from(self.mantissa);
        match self.scale() {
            65.. if mantissa != 0 => None,
            shift @ 0..65 => Some(mantissa << shift),
            shift @ -63..0 => Some(mantissa >> -shift),
            _ => Some(0),
        }
    }

    /// Converts to a signed integer, discarding the fraction; `None` where C11 6.3.1.4p1 leaves the
    /// conversion undefined.
    pub fn to_i128(self) -> Option<i128> {
        let magnitude = self.magnitude()?;
        if self.is_negative() {
            0i128.checked_sub_unsigned(magnitude)
        } else {
            i128::try_from(magnitude).ok()
        }
    }

    /// As [`F80::to_i128`], for an unsigned target: values above -1 truncate to zero.
    pub fn to_u128(self) -> Option<u128> {
        self.magnitude().filter(|&m| m == 0 || !self.is_negative())
    }

    /// As [`F80::to_i128`], for 64 bits.
    pub fn to_i64(self) -> Option<i64> {
        i64::try_from(self.to_i128()?).ok()
    }

    /// As [`F80::to_u128`], for 64 bits.
    pub fn to_u64(self) -> Option<u64> {
        u64::try_from(self.to_u128()?).ok()
    }

    /// `self < other`, `==` or `>`; `None` if either is a NaN.
    pub fn compare(self, other: F80) -> Option<Ordering> {
        self.soft().partial_cmp(&other.soft())
    }

    /// An operation of the hardware: a NaN operand goes through, a new NaN is the default one.
    fn operate(
        self,
        other: F80,
        op: fn(X87DoubleExtended, X87DoubleExtended) -> StatusAnd<X87DoubleExtended>,
    ) -> F80 {
        let result = F80::from_soft(op(self.soft(), other.soft()).value);
        if !result.is_nan() {
            return result;
        }
        match (self.is_nan(), other.is_nan()) {
            (false, false) => F80::DEFAULT_NAN,
            (true, false) => self.quieted(),
            (false, true) => other.quieted(),
            // x87 takes the operand with the larger significand.
            (true, true) if self.mantissa >= other.mantissa => self.quieted(),
            (true, true) => other.quieted(),
        }
    }

    fn quieted(self) -> F80 {
        F80 { mantissa: self.mantissa | 3 << 62, ..self }
    }

    /// The remainder of truncating division, `fmodl`: exact.
    pub fn fmod(self, other: F80) -> F80 {
        self.operate(other, Float::c_fmod)
    }

    /// The value without its sign, `fabsl`.
    pub fn abs(self) -> F80 {
        F80 { exponent: self.exponent & EXPONENT, ..self }
    }
}

impl std::ops::Add for F80 {
    type Output = F80;
    fn add(self, other: F80) -> F80 {
        self.operate(other, |a, b| a + b)
    }
}

impl std::ops::Sub for F80 {
    type Output = F80;
    fn sub(self, other: F80) -> F80 {
        self.operate(other, |a, b| a - b)
    }
}

impl std::ops::Mul for F80 {
    type Output = F80;
    fn mul(self, other: F80) -> F80 {
        self.operate(other, |a, b| a * b)
    }
}

impl std::ops::Div for F80 {
    type Output = F80;
    fn div(self, other: F80) -> F80 {
        self.operate(other, |a, b| a / b)
    }
}

impl std::ops::Neg for F80 {
    type Output = F80;
    /// Flips the sign bit, also of a NaN, as `fchs` does.
    fn neg(self) -> F80 {
        F80 { exponent: self.exponent ^ SIGN, ..self }
    }
}

#[cfg(test)]
pub(crate) mod tests;
