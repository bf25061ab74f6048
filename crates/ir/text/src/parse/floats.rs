//! Floating-point constants: from the text to the bits of their format.

use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float as _, FloatConvert, Status};

use crate::bits::Bits;
use crate::tree::Float;

/// A number as written, in a format; `Err` says what is wrong with it.
pub(super) fn float(text: &str, format: Float) -> Result<Bits, &'static str> {
    let Some(hex) = text.strip_prefix("0x") else {
        return of_double(decimal(text)?, format);
    };
    let of_format = match hex.as_bytes().first() {
        Some(b'H') => Float::Half,
        Some(b'R') => Float::Bfloat,
        Some(b'K') => Float::X86,
        Some(b'L') => Float::Quad,
        Some(b'M') => Float::Ppc,
        _ => {
            let bits = u64::from_str_radix(hex, 16).map_err(|_| "a number with too many digits")?;
            return of_double(bits, format);
        }
    };
    if of_format != format {
        return Err("a number in the format of another type");
    }
    let digits = &hex[1..];
    let number = |digits| {
        u128::from_str_radix(digits, 16).map_err(|_| "a number without the digits of its format")
    };
    let bits = match format {
        // The low half is written first, padded if there are fewer digits.
        Float::Quad | Float::Ppc => {
            let (low, high) = digits.split_at(digits.len().min(16));
            if high.len() > 16 {
                return Err("a number with too many digits");
            }
            number(low)? | if high.is_empty() { 0 } else { number(high)? << 64 }
        }
        _ => number(digits)?,
    };
    if format.bits() < 128 && bits >> format.bits() != 0 {
        return Err("a number with too many digits");
    }
    Ok(Bits::new(format.bits(), bits))
}

/// A decimal number, rounded to a double as LLVM's reader does.
fn decimal(text: &str) -> Result<u64, &'static str> {
    let number: f64 = text.parse().map_err(|_| "no number")?;
    if number.is_infinite() { Err("a number that is too large") } else { Ok(number.to_bits()) }
}

/// The bits of a double in another format, if it has them.
fn of_double(bits: u64, format: Float) -> Result<Bits, &'static str> {
    let double = f64::from_bits(bits);
    let bits = match format {
        Float::Double | Float::Ppc => u128::from(bits),
        Float::Single if double.is_nan() => u128::from(nan(bits, 32, 23)?),
        Float::Half if double.is_nan() => u128::from(nan(bits, 16, 10)?),
        Float::Bfloat if double.is_nan() => u128::from(nan(bits, 16, 7)?),
        Float::Single => exact::<Single>(bits)?,
        Float::Half => exact::<Half>(bits)?,
        Float::Bfloat => exact::<BFloat>(bits)?,
        Float::X86 => exact::<X87DoubleExtended>(bits)?,
        Float::Quad => exact::<Quad>(bits)?,
    };
    Ok(Bits::new(format.bits(), bits))
}

fn exact<F: rustc_apfloat::Float>(bits: u64) -> Result<u128, &'static str>
where
    Double: FloatConvert<F>,
{
    let mut loses = false;
    let converted: rustc_apfloat::StatusAnd<F> = Double::from_bits(bits.into()).convert(&mut loses);
    if loses || !(converted.status - Status::INVALID_OP).is_empty() {
        return Err("a number that its type cannot hold exactly");
    }
    Ok(converted.value.to_bits())
}

/// A double that is not a number, in a shorter format: its payload stays, signalling or quiet.
fn nan(bits: u64, width: u32, mantissa: u32) -> Result<u64, &'static str> {
    let dropped = 52 - mantissa;
    if bits & ((1 << dropped) - 1) != 0 {
        return Err("a number that its type cannot hold exactly");
    }
    let payload = (bits & ((1 << 52) - 1)) >> dropped;
    let exponent = ((1u64 << (width - 1 - mantissa)) - 1) << mantissa;
    Ok((bits >> 63) << (width - 1) | exponent | payload)
}
