//! Floats, rounded to the nearest and to even, on exact operands.
//!
//! An operation that yields a NaN yields some NaN: [`Atom::Nan`]. Changes of the sign are exact on bits. What
//! is not exact here (`sqrt` of wide formats, `ppc_fp128`, encodings that x87 does not have) is unknown.

use irtext::{Binary, Bits, Float as Format, FloatPredicate};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::reason::{Construct, Reason};
use crate::value::{Atom, Stop, unknown};

/// Does something with the type of a format's numbers.
macro_rules! with {
    ($format:expr, $float:ident => $body:expr) => {
        match $format {
            Format::Half => {
                type $float = Half;
                $body
            }
            Format::Bfloat => {
                type $float = BFloat;
                $body
            }
            Format::Single => {
                type $float = Single;
                $body
            }
            Format::Double => {
                type $float = Double;
                $body
            }
            Format::X86 => {
                type $float = X87DoubleExtended;
                $body
            }
            Format::Quad => {
                type $float = Quad;
                $body
            }
            Format::Ppc => unknown(Construct::PpcFloat),
        }
    };
}

/// What a float is, besides its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Not a number.
    pub nan: bool,
    /// Not a number, and signaling.
    pub signaling: bool,
    /// Infinite.
    pub infinite: bool,
    /// Zero.
    pub zero: bool,
    /// Too small for the format's full precision.
    pub denormal: bool,
    /// Its sign.
    pub negative: bool,
}

/// The class of a number; `None` for formats and encodings that are not known.
pub fn class(format: Format, bits: &Bits) -> Option<Class> {
    fn of<F: Float>(value: F) -> Class {
        Class {
            nan: value.is_nan(),
            signaling: value.is_signaling(),
            infinite: value.is_infinite(),
            zero: value.is_zero(),
            denormal: value.is_denormal(),
            negative: value.is_negative(),
        }
    }
    let value = legal(format, bits).ok()?;
    let class: Result<Class, Stop> = with!(format, F => Ok(of(F::from_bits(value))));
    class.ok()
}

/// Whether bits are a NaN of a format.
pub fn is_nan(format: Format, bits: &Bits) -> bool {
    class(format, bits).is_some_and(|class| class.nan)
}

/// The bits of a number whose encoding all processors read alike.
fn legal(format: Format, bits: &Bits) -> Result<u128, Stop> {
    let Some(value) = bits.small().filter(|_| bits.width() == format.bits()) else {
        return unknown(Reason::WidthOfFloat);
    };
    if format == Format::X86 {
        let whole = value >> 63 & 1 == 1;
        let exponent = value >> 64 & 0x7fff;
        if whole != (exponent != 0) {
            return unknown(Reason::X87Encoding);
        }
    }
    Ok(value)
}

fn value_of<F: Float>(format: Format, atom: &Atom) -> Result<F, Stop> {
    match atom {
        Atom::Exact(bits) => Ok(F::from_bits(legal(format, bits)?)),
        Atom::Nan => Ok(F::qnan(None)),
        _ => unknown(Reason::SetOfFloats),
    }
}

fn atom_of<F: Float>(format: Format, value: F) -> Atom {
    match value.is_nan() {
        true => Atom::Nan,
        false => Atom::Exact(Bits::new(format.bits(), value.to_bits())),
    }
}

/// Arithmetic.
pub fn binary(op: Binary, format: Format, a: &Atom, b: &Atom) -> Result<Atom, Stop> {
    with!(format, F => {
        let (a, b): (F, F) = (value_of(format, a)?, value_of(format, b)?);
        let result = match op {
            Binary::FAdd => (a + b).value,
            Binary::FSub => (a - b).value,
            Binary::FMul => (a * b).value,
            Binary::FDiv => (a / b).value,
            Binary::FRem => a.c_fmod(b).value,
            _ => return unknown(Reason::FloatOperationExpected),
        };
        Ok(atom_of(format, result))
    })
}

/// `a * b + c`, rounded once.
pub fn fused(format: Format, a: &Atom, b: &Atom, c: &Atom) -> Result<Atom, Stop> {
    with!(format, F => {
        let (a, b, c): (F, F, F) =
            (value_of(format, a)?, value_of(format, b)?, value_of(format, c)?);
        Ok(atom_of(format, a.mul_add(b, c).value))
    })
}

/// The number with another sign; of a NaN of which nothing is known, that again.
pub fn negate(format: Format, a: &Atom) -> Result<Atom, Stop> {
    match a {
        Atom::Exact(bits) => Ok(Atom::Exact(bits.xor(&Bits::least_signed(format.bits())))),
        other => Ok(other.clone()),
    }
}

/// The number without its sign.
pub fn absolute(format: Format, a: &Atom) -> Result<Atom, Stop> {
    match a {
        Atom::Exact(bits) => Ok(Atom::Exact(bits.and(&Bits::greatest_signed(format.bits())))),
        other => Ok(other.clone()),
    }
}

/// The magnitude of one with the sign of another.
pub fn copy_sign(format: Format, a: &Atom, sign: &Atom) -> Result<Atom, Stop> {
    match (a, sign) {
        (Atom::Exact(a), Atom::Exact(sign)) => {
            let bit = Bits::least_signed(format.bits());
            Ok(Atom::Exact(a.and(&bit.not()).or(&sign.and(&bit))))
        }
        (Atom::Nan, _) => Ok(Atom::Nan),
        _ => unknown(Reason::SignOfNan),
    }
}

/// Comparison.
pub fn compare(
    predicate: FloatPredicate,
    format: Format,
    a: &Atom,
    b: &Atom,
) -> Result<bool, Stop> {
    use FloatPredicate::*;
    let ordering: Result<_, Stop> = with!(format, F => {
        let (a, b): (F, F) = (value_of(format, a)?, value_of(format, b)?);
        Ok(a.partial_cmp(&b))
    });
    let ordering = ordering?;
    let is = |test: fn(std::cmp::Ordering) -> bool| ordering.is_some_and(test);
    Ok(match predicate {
        False => false,
        True => true,
        Ord => ordering.is_some(),
        Uno => ordering.is_none(),
        Oeq => is(|o| o.is_eq()),
        Ogt => is(|o| o.is_gt()),
        Oge => is(|o| o.is_ge()),
        Olt => is(|o| o.is_lt()),
        Ole => is(|o| o.is_le()),
        One => is(|o| o.is_ne()),
        Ueq => ordering.is_none_or(|o| o.is_eq()),
        Ugt => ordering.is_none_or(|o| o.is_gt()),
        Uge => ordering.is_none_or(|o| o.is_ge()),
        Ult => ordering.is_none_or(|o| o.is_lt()),
        Ule => ordering.is_none_or(|o| o.is_le()),
        Une => ordering.is_none_or(|o| o.is_ne()),
    })
}

/// `fptrunc` and `fpext`.
pub fn convert(from: Format, to: Format, a: &Atom) -> Result<Atom, Stop> {
    with!(from, F => {
        let a: F = value_of(from, a)?;
        with!(to, T => {
            let converted: T = a.convert(&mut false).value;
            Ok(atom_of(to, converted))
        })
    })
}

/// `uitofp` and `sitofp`.
pub fn of_integer(format: Format, bits: &Bits, signed: bool) -> Result<Atom, Stop> {
    let Some(value) = bits.resize_signed(128).small().filter(|_| bits.width() <= 128) else {
        return unknown(Reason::WideIntegerToFloat);
    };
    with!(format, F => {
        let result: F = match signed {
            true => F::from_i128(value as i128).value,
            false => F::from_u128(bits.small().unwrap_or(0)).value,
        };
        Ok(atom_of(format, result))
    })
}

/// What a conversion to an integer says.
pub enum Whole {
    /// The number without its fraction.
    Fits(Bits),
    /// It is beyond the type; whether it is negative.
    Beyond(bool),
    /// It is not a number.
    Nan,
}

/// `fptoui` and `fptosi`.
pub fn to_integer(format: Format, a: &Atom, width: u32, signed: bool) -> Result<Whole, Stop> {
    if width > 127 {
        return unknown(Reason::FloatToWideInteger);
    }
    let whole: Result<(bool, bool, Option<i128>), Stop> = with!(format, F => {
        let a: F = value_of(format, a)?;
        let whole = a.round_to_integral(Round::TowardZero).value;
        let number = whole.to_i128(128);
        let fits = !number.status.contains(rustc_apfloat::Status::INVALID_OP);
        Ok((a.is_nan(), a.is_negative(), fits.then_some(number.value)))
    });
    let (nan, negative, number) = whole?;
    if nan {
        return Ok(Whole::Nan);
    }
    let (low, high) = match signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    Ok(match number {
        Some(number) if (low..=high).contains(&number) => {
            Whole::Fits(Bits::new(width, number as u128))
        }
        _ => Whole::Beyond(negative),
    })
}

/// Functions of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // As C names them.
pub enum Unary {
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    RoundEven,
}

/// A function of one number.
pub fn unary(op: Unary, format: Format, a: &Atom) -> Result<Atom, Stop> {
    if op == Unary::Sqrt {
        return square_root(format, a);
    }
    let round = match op {
        Unary::Floor => Round::TowardNegative,
        Unary::Ceil => Round::TowardPositive,
        Unary::Trunc => Round::TowardZero,
        Unary::Round => Round::NearestTiesToAway,
        _ => Round::NearestTiesToEven,
    };
    with!(format, F => {
        let a: F = value_of(format, a)?;
        Ok(atom_of(format, a.round_to_integral(round).value))
    })
}

/// Exact by the processor's instruction. From `float`, the narrow formats are rounded right as well: it has
/// more than twice their digits.
fn square_root(format: Format, a: &Atom) -> Result<Atom, Stop> {
    match format {
        Format::Double => {
            let a: Double = value_of(format, a)?;
            let root = f64::from_bits(a.to_bits() as u64).sqrt();
            Ok(atom_of(format, Double::from_bits(root.to_bits().into())))
        }
        Format::Single => {
            let a: Single = value_of(format, a)?;
            let root = f32::from_bits(a.to_bits() as u32).sqrt();
            Ok(atom_of(format, Single::from_bits(root.to_bits().into())))
        }
        Format::Half | Format::Bfloat => {
            let root = square_root(Format::Single, &convert(format, Format::Single, a)?)?;
            convert(Format::Single, format, &root)
        }
        _ => unknown(Reason::SqrtOfWideFloat),
    }
}

/// Functions of two numbers that choose one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // As LLVM's manual names them.
pub enum Extreme {
    MinNum,
    MaxNum,
    Minimum,
    Maximum,
}

/// The lesser or greater of two numbers. `minnum` of zeros of both signs is either: unknown.
pub fn extreme(op: Extreme, format: Format, a: &Atom, b: &Atom) -> Result<Atom, Stop> {
    let of = |atom: &Atom| match atom {
        Atom::Exact(bits) => match class(format, bits) {
            Some(class) => Ok(class),
            None => unknown(Reason::ClassOfFloat),
        },
        _ => class(format, &Bits::ones(format.bits()))
            .map_or_else(|| unknown(Construct::PpcFloat), Ok),
    };
    let (ca, cb) = (of(a)?, of(b)?);
    let number = matches!(op, Extreme::MinNum | Extreme::MaxNum);
    if number && (ca.signaling || cb.signaling) {
        return unknown(Reason::MinnumOfSignalingNan);
    }
    if ca.nan || cb.nan {
        return Ok(match (ca.nan, cb.nan) {
            (true, false) if number => b.clone(),
            (false, true) if number => a.clone(),
            _ => Atom::Nan,
        });
    }
    if ca.zero && cb.zero && ca.negative != cb.negative {
        if number {
            return unknown(Reason::MinnumOfZeros);
        }
        let least = if ca.negative { a } else { b };
        let most = if ca.negative { b } else { a };
        return Ok(if op == Extreme::Minimum { least.clone() } else { most.clone() });
    }
    let less = compare(FloatPredicate::Olt, format, a, b)?;
    let wants_less = matches!(op, Extreme::MinNum | Extreme::Minimum);
    Ok(if less == wants_less { a.clone() } else { b.clone() })
}

/// Which bit of `llvm.is.fpclass` and `nofpclass` a number has; `None`: a NaN of which nothing is known.
pub fn class_bit(format: Format, a: &Atom) -> Result<Option<u32>, Stop> {
    let bits = match a {
        Atom::Nan => return Ok(None),
        Atom::Exact(bits) => bits,
        _ => return unknown(Reason::ClassOfSet),
    };
    let Some(class) = class(format, bits) else { return unknown(Reason::ClassOfFloat) };
    let by_sign = |negative: u32, positive: u32| if class.negative { negative } else { positive };
    Ok(Some(match class {
        _ if class.signaling => 1 << 0,
        _ if class.nan => 1 << 1,
        _ if class.infinite => by_sign(1 << 2, 1 << 9),
        _ if class.zero => by_sign(1 << 5, 1 << 6),
        _ if class.denormal => by_sign(1 << 4, 1 << 7),
        _ => by_sign(1 << 3, 1 << 8),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> Atom {
        Atom::bits(64, value.to_bits().into())
    }

    #[test]
    fn arithmetic_is_that_of_the_processor() {
        let values = [0.0, -0.0, 1.0, -1.5, 0.1, 1e308, 5e-324, f64::INFINITY, f64::NAN, 7.25];
        for a in values {
            for b in values {
                let same = |op, expected: f64| {
                    let ours = binary(op, Format::Double, &double(a), &double(b)).unwrap();
                    let expected = if expected.is_nan() { Atom::Nan } else { double(expected) };
                    assert_eq!(ours, expected, "{op:?} {a} {b}");
                };
                same(Binary::FAdd, a + b);
                same(Binary::FSub, a - b);
                same(Binary::FMul, a * b);
                same(Binary::FDiv, a / b);
                same(Binary::FRem, a % b);
                let less = compare(FloatPredicate::Olt, Format::Double, &double(a), &double(b));
                assert_eq!(less.unwrap(), a < b);
            }
            let root = unary(Unary::Sqrt, Format::Double, &double(a)).unwrap();
            let expected = if a.sqrt().is_nan() { Atom::Nan } else { double(a.sqrt()) };
            assert_eq!(root, expected);
        }
    }

    #[test]
    fn conversions() {
        let to = |value: f64, width, signed| match to_integer(
            Format::Double,
            &double(value),
            width,
            signed,
        )
        .unwrap()
        {
            Whole::Fits(bits) => bits.to_string(),
            Whole::Beyond(negative) => format!("beyond {negative}"),
            Whole::Nan => "nan".into(),
        };
        assert_eq!(to(-128.9, 8, true), "-128");
        assert_eq!(to(-129.0, 8, true), "beyond true");
        assert_eq!(to(-0.9, 8, false), "0");
        assert_eq!(to(1e300, 64, true), "beyond false");
        assert_eq!(to(f64::NAN, 64, true), "nan");
        let minus = of_integer(Format::Double, &Bits::new(8, 0xff), true).unwrap();
        assert_eq!(minus, double(-1.0));
        assert_eq!(of_integer(Format::Double, &Bits::new(8, 0xff), false).unwrap(), double(255.0));
        let single = convert(Format::Double, Format::Single, &double(0.1)).unwrap();
        assert_eq!(single, Atom::bits(32, 0.1f32.to_bits().into()));
    }

    #[test]
    fn extremes_and_nan() {
        let of = |op, a, b| extreme(op, Format::Double, &double(a), &double(b)).unwrap();
        assert_eq!(of(Extreme::MinNum, f64::NAN, 2.0), double(2.0));
        assert_eq!(of(Extreme::Minimum, f64::NAN, 2.0), Atom::Nan);
        assert_eq!(of(Extreme::Minimum, 0.0, -0.0), double(-0.0));
        assert_eq!(of(Extreme::Maximum, 0.0, -0.0), double(0.0));
        assert_eq!(of(Extreme::MaxNum, 3.0, 2.0), double(3.0));
    }
}
