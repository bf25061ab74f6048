//! Floating conversions: the exact decimal expansion of any `double` or `long double`, rounded half
//! to even at the digit the precision asks for, as glibc does in the default rounding mode.

use super::{Conversion, ResolvedSpec};
use crate::longdouble::F80;

/// A floating value as significand and exponent.
#[derive(Clone, Copy, Debug)]
pub struct FloatParts {
    negative: bool,
    class: FloatClass,
    /// Where the hexadecimal form of the type puts its point: bits of the significand after it.
    hex_bits: u32,
}

#[derive(Clone, Copy, Debug)]
enum FloatClass {
    Nan,
    Infinite,
    /// `mantissa * 2^scale`
    Finite {
        mantissa: u64,
        scale: i32,
    },
}

impl FloatParts {
    /// Decomposes a `double`.
    pub fn from_f64(value: f64) -> FloatParts {
        let bits = value.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let class = match exponent {
            0x7ff if fraction != 0 => FloatClass::Nan,
            0x7ff => FloatClass::Infinite,
            0 => FloatClass::Finite { mantissa: fraction, scale: -1074 },
            _ => FloatClass::Finite { mantissa: fraction | 1 << 52, scale: exponent - 1075 },
        };
        FloatParts { negative: bits >> 63 != 0, class, hex_bits: 52 }
    }

    /// Decomposes a `long double`.
    pub fn from_f80(value: F80) -> FloatParts {
        let class = if value.is_nan() {
            FloatClass::Nan
        } else if value.is_infinite() {
            FloatClass::Infinite
        } else {
            FloatClass::Finite { mantissa: value.mantissa, scale: value.scale() }
        };
        FloatParts { negative: value.is_negative(), class, hex_bits: 60 }
    }
}

/// Renders a value into a field.
pub fn render(field: &ResolvedSpec, parts: FloatParts, out: &mut Vec<u8>) {
    let upper = match field.conversion {
        Conversion::Fixed { upper }
        | Conversion::Exponent { upper }
        | Conversion::General { upper }
        | Conversion::HexFloat { upper } => upper,
        _ => false,
    };
    let sign = field.sign(parts.negative);
    let (prefix, mut body, zeros) = match parts.class {
        FloatClass::Nan => ("", "nan".to_string(), false),
        FloatClass::Infinite => ("", "inf".to_string(), false),
        FloatClass::Finite { mantissa, scale } => {
            let precision = field.precision;
            let alternate = field.flags.alternate;
            match field.conversion {
                Conversion::HexFloat { .. } => {
                    let body = hex(mantissa, scale, parts.hex_bits, precision, alternate);
                    ("0x", body, field.flags.zero)
                }
                _ => {
                    let decimal = Decimal::exact(mantissa, scale);
                    let body = decimal_body(field.conversion, decimal, precision, alternate);
                    ("", body, field.flags.zero)
                }
            }
        }
    };
    let mut prefix = format!("{sign}{prefix}");
    if upper {
        body.make_ascii_uppercase();
        prefix.make_ascii_uppercase();
    }
    field.pad(&prefix, body.as_bytes(), zeros, out);
}

fn decimal_body(
    conversion: Conversion,
    mut decimal: Decimal,
    precision: Option<usize>,
    alternate: bool,
) -> String {
    let precision = precision.unwrap_or(6);
    match conversion {
        Conversion::Exponent { .. } => decimal.exponential(precision, alternate),
        Conversion::General { .. } => {
            let digits = precision.max(1);
            decimal.round(digits as i64);
            let exponent = decimal.exponent();
            let fixed = -4 <= exponent && exponent < digits as i64;
            let text = match fixed {
                true => decimal.fixed((digits as i64 - 1 - exponent) as usize, alternate),
                false => decimal.exponential(digits - 1, alternate),
            };
            if alternate { text } else { without_trailing_zeros(&text) }
        }
        _ => decimal.fixed(precision, alternate),
    }
}

/// `%g` drops the zeros at the end of the fraction, and a point at the end.
fn without_trailing_zeros(text: &str) -> String {
    let (number, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    let number = match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    };
    format!("{number}{exponent}")
}

/// A non-negative decimal number `0.d1d2d3… * 10^point`; `d1` is not zero, and zero has no digits.
struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// `mantissa * 2^scale`, exactly.
    fn exact(mantissa: u64, scale: i32) -> Decimal {
        if mantissa == 0 {
            return Decimal { digits: Vec::new(), point: 1 };
        }
        // Trailing zero bits would only cost time below.
        let zeros = mantissa.trailing_zeros();
        let (mantissa, scale) = (mantissa >> zeros, scale + zeros as i32);
        let mut number = Limbs::new(mantissa);
        // A negative power: m * 2^-k = m * 5^k / 10^k.
        if scale < 0 {
            number.multiply(5, 13, scale.unsigned_abs());
        } else {
            number.multiply(2, 29, scale.unsigned_abs());
        }
        let digits = number.digits();
        let point = digits.len() as i64 + i64::from(scale.min(0));
        Decimal { digits, point }
    }

    /// The exponent of the first digit, in scientific notation; 0 for zero.
    fn exponent(&self) -> i64 {
        self.point - 1
    }

    /// Rounds to `keep` digits from the first on; where it is negative, the value becomes zero.
    fn round(&mut self, keep: i64) {
        if keep >= self.digits.len() as i64 {
            return;
        }
        let up = keep >= 0 && {
            let keep = keep as usize;
            let odd = keep > 0 && self.digits[keep - 1] % 2 == 1;
            let more = self.digits[keep + 1..].iter().any(|&d| d != 0);
            match self.digits[keep] {
                5 => odd || more,
                d => d > 5,
            }
        };
        self.digits.truncate(keep.max(0) as usize);
        if !up {
            return;
        }
        while self.digits.last() == Some(&9) {
            self.digits.pop();
        }
        match self.digits.last_mut() {
            Some(last) => *last += 1,
            None => {
                self.digits.push(1);
                self.point += 1;
            }
        }
    }

    /// The digit worth `10^(point - 1 - index)`, zero outside of what is kept.
    fn digit(&self, index: i64) -> char {
        let digit = usize::try_from(index).ok().and_then(|i| self.digits.get(i));
        (b'0' + digit.copied().unwrap_or(0)) as char
    }

    /// `%f` with that many digits after the point.
    fn fixed(&mut self, precision: usize, alternate: bool) -> String {
        self.round(self.point.saturating_add(precision as i64));
        let mut text = match self.point {
            ..1 => String::from('0'),
            point => (0..point).map(|i| self.digit(i)).collect(),
        };
        if precision > 0 || alternate {
            text.push('.');
        }
        text.extend((0..precision as i64).map(|i| self.digit(self.point + i)));
        text
    }

    /// `%e` with that many digits after the point.
    fn exponential(&mut self, precision: usize, alternate: bool) -> String {
        self.round(precision as i64 + 1);
        let mut text = String::from(self.digit(0));
        if precision > 0 || alternate {
            text.push('.');
        }
        text.extend((1..=precision as i64).map(|i| self.digit(i)));
        let exponent = if self.digits.is_empty() { 0 } else { self.exponent() };
        let sign = if exponent < 0 { '-' } else { '+' };
        text + &format!("e{sign}{:02}", exponent.unsigned_abs())
    }
}

/// A big natural number in base 10^9, least limb first.
struct Limbs(Vec<u32>);

const BASE: u64 = 1_000_000_000;

impl Limbs {
    fn new(value: u64) -> Limbs {
        let mut limbs = Limbs(Vec::new());
        let mut rest = value;
        while rest > 0 {
            limbs.0.push((rest % BASE) as u32);
            rest /= BASE;
        }
        limbs
    }

    /// Multiplies by `factor^power`, in steps of `factor^step`, which must fit 32 bits.
    fn multiply(&mut self, factor: u64, step: u32, power: u32) {
        for _ in 0..power / step {
            self.times(factor.pow(step));
        }
        self.times(factor.pow(power % step));
    }

    fn times(&mut self, factor: u64) {
        let mut carry = 0;
        for limb in &mut self.0 {
            let product = u64::from(*limb) * factor + carry;
            *limb = (product % BASE) as u32;
            carry = product / BASE;
        }
        while carry > 0 {
            self.0.push((carry % BASE) as u32);
            carry /= BASE;
        }
    }

    /// Decimal digits, the first not zero.
    fn digits(&self) -> Vec<u8> {
        let mut digits = Vec::with_capacity(self.0.len() * 9);
        for &limb in self.0.iter().rev() {
            let mut unit = BASE as u32 / 10;
            while unit > 0 {
                digits.push((limb / unit % 10) as u8);
                unit /= 10;
            }
        }
        let zeros = digits.iter().take_while(|&&d| d == 0).count();
        digits.drain(..zeros);
        digits
    }
}

/// `%a` without sign and `0x`. The digit before the point holds what lies above `hex_bits`: a
/// single bit for `double`, four bits for `long double`, less in denormals.
fn hex(
    mantissa: u64,
    scale: i32,
    hex_bits: u32,
    precision: Option<usize>,
    alternate: bool,
) -> String {
    let mut exponent = if mantissa == 0 { 0 } else { i64::from(scale) + i64::from(hex_bits) };
    let mut significand = u128::from(mantissa);
    let all = hex_bits as usize / 4;
    if let Some(precision) = precision.filter(|&p| p < all) {
        // Half to even, done where the dropped bits are.
        let dropped = 4 * (all - precision) as u32;
        let (kept, rest) = (significand >> dropped, significand & ((1 << dropped) - 1));
        let half = 1 << (dropped - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        significand = (kept + u128::from(up)) << dropped;
    }
    let mut leading = significand >> hex_bits;
    if leading > 0xf {
        // Only `long double` gets here: ff…f rounds to a new leading digit.
        leading >>= 4;
        exponent += 4;
    }
    let fraction = format!("{:0all$x}", significand & ((1 << hex_bits) - 1));
    let fraction = match precision {
        None => fraction.trim_end_matches('0').to_string(),
        Some(precision) => format!("{fraction:0<precision$.precision$}"),
    };
    let point = if !fraction.is_empty() || alternate { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{leading:x}{point}{fraction}p{sign}{}", exponent.unsigned_abs())
}
