//! Integers of a width: bits, neither signed nor unsigned until somebody reads them so.

use std::fmt;

use num_bigint::{BigInt, BigUint};

/// Bits of an integer. Those of up to 128 are held in place.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits {
    width: u32,
    held: Held,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Held {
    /// Of at most 128 bits; those above the width are zero.
    Small(u128),
    /// Of more; those above the width are zero.
    Wide(Box<BigUint>),
}

/// The widest that is held in place.
const SMALL: u32 = u128::BITS;

impl Bits {
    /// The low bits of a number.
    pub fn new(width: u32, value: u128) -> Bits {
        if width <= SMALL {
            let mask = if width == SMALL { u128::MAX } else { (1 << width) - 1 };
            Bits { width, held: Held::Small(value & mask) }
        } else {
            Bits { width, held: Held::Wide(Box::new(value.into())) }
        }
    }

    /// The low bits of a number of any size.
    pub fn of_big(width: u32, value: &BigUint) -> Bits {
        let low = value & ((BigUint::from(1u8) << width) - 1u8);
        if width <= SMALL {
            Bits::new(width, u128::try_from(low).unwrap_or(0))
        } else {
            Bits { width, held: Held::Wide(Box::new(low)) }
        }
    }

    /// The low bits, in two's complement, of a number of any size.
    pub fn of_signed(width: u32, value: &BigInt) -> Bits {
        let modulus = BigInt::from(1u8) << width;
        let low = ((value % &modulus) + &modulus) % &modulus;
        Bits::of_big(width, &low.to_biguint().unwrap_or_default())
    }

    /// A decimal number, with or without a sign; `None` if it is none.
    pub fn decimal(width: u32, text: &str) -> Option<Bits> {
        text.parse::<BigInt>().ok().map(|value| Bits::of_signed(width, &value))
    }

    /// How many.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// As a number without sign, if it has at most 128 bits.
    pub fn small(&self) -> Option<u128> {
        match &self.held {
            Held::Small(value) => Some(*value),
            Held::Wide(_) => None,
        }
    }

    /// As a number without sign.
    pub fn unsigned(&self) -> BigUint {
        match &self.held {
            Held::Small(value) => (*value).into(),
            Held::Wide(value) => (**value).clone(),
        }
    }

    /// As a number in two's complement.
    pub fn signed(&self) -> BigInt {
        let value = BigInt::from(self.unsigned());
        if self.width > 0 && self.bit(self.width - 1) {
            value - (BigInt::from(1u8) << self.width)
        } else {
            value
        }
    }

    /// One of them, from the low end.
    pub fn bit(&self, index: u32) -> bool {
        match &self.held {
            Held::Small(value) => index < SMALL && value >> index & 1 == 1,
            Held::Wide(value) => value.bit(index.into()),
        }
    }
}

/// Arithmetic. Operands have one width; results have it too, and wrap around.
impl Bits {
    /// No bit set.
    pub fn zero(width: u32) -> Bits {
        Bits::new(width, 0)
    }

    /// All bits set.
    pub fn ones(width: u32) -> Bits {
        Bits::zero(width).not()
    }

    /// The least number of two's complement.
    pub fn least_signed(width: u32) -> Bits {
        Bits::new(width, 1).shl(width.saturating_sub(1))
    }

    /// The greatest number of two's complement.
    pub fn greatest_signed(width: u32) -> Bits {
        Bits::least_signed(width).not()
    }

    fn combine(
        &self,
        other: &Bits,
        small: impl Fn(u128, u128) -> u128,
        wide: impl Fn(BigUint, BigUint) -> BigUint,
    ) -> Bits {
        match (&self.held, &other.held) {
            (Held::Small(a), Held::Small(b)) => Bits::new(self.width, small(*a, *b)),
            _ => Bits::of_big(self.width, &wide(self.unsigned(), other.unsigned())),
        }
    }

    /// Whether no bit is set.
    pub fn is_zero(&self) -> bool {
        match &self.held {
            Held::Small(value) => *value == 0,
            Held::Wide(value) => value.bits() == 0,
        }
    }

    /// Whether all bits are set.
    pub fn is_ones(&self) -> bool {
        self.not().is_zero()
    }

    /// Whether the highest bit is set.
    pub fn is_negative(&self) -> bool {
        self.width > 0 && self.bit(self.width - 1)
    }

    /// The sum.
    pub fn add(&self, other: &Bits) -> Bits {
        self.combine(other, u128::wrapping_add, |a, b| a + b)
    }

    /// The difference.
    pub fn sub(&self, other: &Bits) -> Bits {
        self.add(&other.neg())
    }

    /// The product.
    pub fn mul(&self, other: &Bits) -> Bits {
        self.combine(other, u128::wrapping_mul, |a, b| a * b)
    }

    /// The quotient without signs; of a division by zero, zero.
    pub fn udiv(&self, other: &Bits) -> Bits {
        if other.is_zero() {
            return Bits::zero(self.width);
        }
        self.combine(other, |a, b| a / b, |a, b| a / b)
    }

    /// The remainder without signs; of a division by zero, zero.
    pub fn urem(&self, other: &Bits) -> Bits {
        if other.is_zero() {
            return Bits::zero(self.width);
        }
        self.combine(other, |a, b| a % b, |a, b| a % b)
    }

    /// The magnitude of the number in two's complement.
    pub fn magnitude(&self) -> Bits {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// The signed quotient, towards zero; of a division by zero, zero.
    pub fn sdiv(&self, other: &Bits) -> Bits {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.is_negative() == other.is_negative() { quotient } else { quotient.neg() }
    }

    /// The signed remainder, with the sign of the first; of a division by zero, zero.
    pub fn srem(&self, other: &Bits) -> Bits {
        let rest = self.magnitude().urem(&other.magnitude());
        if self.is_negative() { rest.neg() } else { rest }
    }

    /// Bits that both have.
    pub fn and(&self, other: &Bits) -> Bits {
        self.combine(other, |a, b| a & b, |a, b| a & b)
    }

    /// Bits that one of them has.
    pub fn or(&self, other: &Bits) -> Bits {
        self.combine(other, |a, b| a | b, |a, b| a | b)
    }

    /// Bits that exactly one of them has.
    pub fn xor(&self, other: &Bits) -> Bits {
        self.combine(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// The other bits.
    pub fn not(&self) -> Bits {
        match &self.held {
            Held::Small(value) => Bits::new(self.width, !value),
            Held::Wide(value) => {
                let ones = (BigUint::from(1u8) << self.width) - 1u8;
                Bits::of_big(self.width, &(ones ^ &**value))
            }
        }
    }

    /// The negated number.
    pub fn neg(&self) -> Bits {
        match &self.held {
            Held::Small(value) => Bits::new(self.width, value.wrapping_neg()),
            Held::Wide(_) => self.not().add(&Bits::new(self.width, 1)),
        }
    }

    /// Moved up; zeros come in.
    pub fn shl(&self, by: u32) -> Bits {
        if by >= self.width {
            return Bits::zero(self.width);
        }
        match &self.held {
            Held::Small(value) => Bits::new(self.width, value << by),
            Held::Wide(value) => Bits::of_big(self.width, &(&**value << by)),
        }
    }

    /// Moved down; zeros come in.
    pub fn lshr(&self, by: u32) -> Bits {
        if by >= self.width {
            return Bits::zero(self.width);
        }
        match &self.held {
            Held::Small(value) => Bits::new(self.width, value >> by),
            Held::Wide(value) => Bits::of_big(self.width, &(&**value >> by)),
        }
    }

    /// Moved down; copies of the highest bit come in.
    pub fn ashr(&self, by: u32) -> Bits {
        if self.is_negative() { self.not().lshr(by).not() } else { self.lshr(by) }
    }

    /// The low bits, or with zeros above.
    pub fn resize(&self, width: u32) -> Bits {
        match &self.held {
            Held::Small(value) => Bits::new(width, *value),
            Held::Wide(value) => Bits::of_big(width, value),
        }
    }

    /// The low bits, or with copies of the highest bit above.
    pub fn resize_signed(&self, width: u32) -> Bits {
        if width > self.width && self.is_negative() {
            self.not().resize(width).not()
        } else {
            self.resize(width)
        }
    }

    /// These bits below, others above.
    pub fn below(&self, above: &Bits) -> Bits {
        let width = self.width + above.width;
        above.resize(width).shl(self.width).or(&self.resize(width))
    }

    /// Some of them, from a place on.
    pub fn part(&self, from: u32, width: u32) -> Bits {
        self.lshr(from).resize(width)
    }

    /// Which is the greater number without sign.
    pub fn compare(&self, other: &Bits) -> std::cmp::Ordering {
        match (&self.held, &other.held) {
            (Held::Small(a), Held::Small(b)) => a.cmp(b),
            _ => self.unsigned().cmp(&other.unsigned()),
        }
    }

    /// Which is the greater number of two's complement.
    pub fn compare_signed(&self, other: &Bits) -> std::cmp::Ordering {
        // A negative number has the greater bits.
        other.is_negative().cmp(&self.is_negative()).then(self.compare(other))
    }

    /// How many bits are set.
    pub fn count_ones(&self) -> u32 {
        match &self.held {
            Held::Small(value) => value.count_ones(),
            Held::Wide(value) => value.count_ones() as u32,
        }
    }

    /// How many bits are clear above the highest that is set.
    pub fn leading_zeros(&self) -> u32 {
        match &self.held {
            Held::Small(value) => value.leading_zeros() - (SMALL - self.width),
            Held::Wide(value) => self.width - value.bits() as u32,
        }
    }

    /// How many bits are clear below the lowest that is set.
    pub fn trailing_zeros(&self) -> u32 {
        match &self.held {
            Held::Small(value) => value.trailing_zeros().min(self.width),
            Held::Wide(value) => value.trailing_zeros().map_or(self.width, |n| n as u32),
        }
    }

    /// Whether the sum without signs is another than [`Bits::add`].
    pub fn add_wraps(&self, other: &Bits) -> bool {
        self.add(other).compare(self).is_lt()
    }

    /// Whether the sum of two's complement is another.
    pub fn add_wraps_signed(&self, other: &Bits) -> bool {
        let sum = self.add(other).is_negative();
        self.is_negative() == other.is_negative() && sum != self.is_negative()
    }

    /// Whether the difference without signs is another than [`Bits::sub`].
    pub fn sub_wraps(&self, other: &Bits) -> bool {
        self.compare(other).is_lt()
    }

    /// Whether the difference of two's complement is another.
    pub fn sub_wraps_signed(&self, other: &Bits) -> bool {
        let difference = self.sub(other).is_negative();
        self.is_negative() != other.is_negative() && difference != self.is_negative()
    }

    /// Whether the product without signs is another than [`Bits::mul`].
    pub fn mul_wraps(&self, other: &Bits) -> bool {
        match (&self.held, &other.held) {
            (Held::Small(a), Held::Small(b)) if self.width <= 64 => (a * b) >> self.width != 0,
            _ => (self.unsigned() * other.unsigned()).bits() > u64::from(self.width),
        }
    }

    /// Whether the product of two's complement is another.
    pub fn mul_wraps_signed(&self, other: &Bits) -> bool {
        Bits::of_signed(2 * self.width, &(self.signed() * other.signed()))
            != self.mul(other).resize_signed(2 * self.width)
    }
}

impl fmt::Display for Bits {
    /// As LLVM writes it: signed, but for one bit without.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.signed())
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "i{} {self}", self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All operations at widths on both sides of what is held in place agree with numbers of any size.
    #[test]
    fn arithmetic_is_that_of_numbers() {
        for width in [1, 4, 64, 127, 128, 129, 200] {
            let least = Bits::least_signed(width);
            let mut values: Vec<Bits> = [0, 1, 2, 3, 7].map(|v| Bits::new(width, v)).into();
            values.extend([Bits::ones(width), least.clone(), least.not(), least.add(&values[1])]);
            for a in &values {
                for b in &values {
                    let (x, y) = (a.signed(), b.signed());
                    let (u, v) = (a.unsigned(), b.unsigned());
                    assert_eq!(a.add(b), Bits::of_signed(width, &(&x + &y)));
                    assert_eq!(a.sub(b), Bits::of_signed(width, &(&x - &y)));
                    assert_eq!(a.mul(b), Bits::of_signed(width, &(&x * &y)));
                    assert_eq!(a.add_wraps_signed(b), a.add(b).signed() != &x + &y);
                    assert_eq!(a.sub_wraps_signed(b), a.sub(b).signed() != &x - &y);
                    assert_eq!(a.mul_wraps_signed(b), a.mul(b).signed() != &x * &y);
                    assert_eq!(a.add_wraps(b), a.add(b).unsigned() != &u + &v);
                    assert_eq!(a.mul_wraps(b), a.mul(b).unsigned() != &u * &v);
                    assert_eq!(a.compare(b), u.cmp(&v));
                    assert_eq!(a.compare_signed(b), x.cmp(&y));
                    if !b.is_zero() {
                        assert_eq!(a.sdiv(b), Bits::of_signed(width, &(&x / &y)));
                        assert_eq!(a.srem(b), Bits::of_signed(width, &(&x % &y)));
                        assert_eq!(a.udiv(b), Bits::of_big(width, &(&u / &v)));
                    }
                }
                for by in [0, 1, width - 1] {
                    assert_eq!(a.ashr(by), Bits::of_signed(width, &(a.signed() >> by)));
                    assert_eq!(a.shl(by), Bits::of_big(width, &(a.unsigned() << by)));
                }
                assert_eq!(a.resize_signed(300).signed(), a.signed());
                assert_eq!(a.part(0, width).below(&a.part(0, width)).part(width, width), *a);
                assert_eq!(a.leading_zeros(), width - a.unsigned().bits() as u32);
            }
        }
    }
}
