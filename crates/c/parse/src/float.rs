//! Floating constants (C11 6.4.4.2): decimal and hexadecimal text to correctly rounded values.
//!
//! `float` constants are rounded once, to `float`, and `long double` ones to the x87 format.
//! Suffixes of types we do not have (`q`, `f128`, `df`, `i`) are refused as unsupported.

use crate::error::{ParseResult, invalid, unsupported};
use ctree::{ExprKind, FloatKind, Span};
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round};

/// Longest constant taken: exact decimal conversion costs the square of the length, and even
/// `DBL_TRUE_MIN` written out in full stays well below.
const MAX_LENGTH: usize = 2000;

/// The tree node and type for a floating constant.
pub(crate) fn floating(text: &str, span: Span) -> ParseResult<(ExprKind, FloatKind)> {
    if text.len() > MAX_LENGTH {
        return unsupported(span, "floating constant of more than 2000 characters");
    }
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let (number, suffix) = split(text, hex);
    if !well_formed(number, hex) {
        return invalid(span, format!("invalid floating constant `{text}`"));
    }
    let kind = match suffix {
        "" | "d" | "D" => FloatKind::Double,
        "f" | "F" => FloatKind::Float,
        "l" | "L" => FloatKind::LongDouble,
        _ if is_extension(suffix) => {
            return unsupported(span, format!("floating constant with suffix \"{suffix}\""));
        }
        _ => {
            return invalid(span, format!("invalid suffix \"{suffix}\" on floating constant"));
        }
    };
    match value(number, hex, kind) {
        Some(node) => Ok((node, kind)),
        None => invalid(span, format!("invalid floating constant `{text}`")),
    }
}

fn is_extension(suffix: &str) -> bool {
    let lower = suffix.to_ascii_lowercase();
    let real = lower.trim_matches(|c| c == 'i' || c == 'j');
    let known = ["", "d", "f", "l", "q", "w", "df", "dd", "dl", "bf16"];
    let sized = real.strip_prefix('f').is_some_and(|n| {
        !n.is_empty() && n.trim_end_matches('x').bytes().all(|b| b.is_ascii_digit())
    });
    known.contains(&real) || sized
}

/// Splits the number from its suffix.
fn split(text: &str, hex: bool) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut end = if hex { 2 } else { 0 };
    let mantissa =
        |b: u8| b == b'.' || if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() };
    while bytes.get(end).is_some_and(|&b| mantissa(b)) {
        end += 1;
    }
    let marker = if hex { b'p' } else { b'e' };
    if bytes.get(end).is_some_and(|b| b | 0x20 == marker) {
        end += 1;
        if matches!(bytes.get(end), Some(b'+' | b'-')) {
            end += 1;
        }
        while bytes.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
    }
    text.split_at(end)
}

/// Checks the shape before any conversion sees it: one point at most, digits, a whole exponent.
fn well_formed(number: &str, hex: bool) -> bool {
    let lower = number.to_ascii_lowercase();
    let body = if hex { &lower[2..] } else { &lower[..] };
    let (mantissa, exponent) = match body.split_once(if hex { 'p' } else { 'e' }) {
        Some((m, e)) => (m, Some(e)),
        None => (body, None),
    };
    let points = mantissa.bytes().filter(|&b| b == b'.').count();
    let whole_exponent = match exponent {
        Some(e) => !e.trim_start_matches(['+', '-']).is_empty(),
        None => !hex, // A hexadecimal floating constant must have one.
    };
    points <= 1 && mantissa.len() > points && whole_exponent
}

fn value(number: &str, hex: bool, kind: FloatKind) -> Option<ExprKind> {
    let near = Round::NearestTiesToEven;
    let double = match (kind, hex) {
        (FloatKind::LongDouble, _) => {
            let bits = X87DoubleExtended::from_str_r(number, near).ok()?.value.to_bits();
            let (mantissa, exponent) = (bits as u64, (bits >> 64) as u16);
            return Some(ExprKind::LongFloat { mantissa, exponent });
        }
        (FloatKind::Double, false) => number.parse::<f64>().ok()?,
        (FloatKind::Float, false) => f64::from(number.parse::<f32>().ok()?),
        (FloatKind::Double, true) => {
            f64::from_bits(Double::from_str_r(number, near).ok()?.value.to_bits() as u64)
        }
        (FloatKind::Float, true) => {
            f64::from(f32::from_bits(Single::from_str_r(number, near).ok()?.value.to_bits() as u32))
        }
    };
    Some(ExprKind::Float(double.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> f64 {
        match floating(text, Span::NONE).unwrap().0 {
            ExprKind::Float(bits) => f64::from_bits(bits),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn decimal_and_hexadecimal() {
        assert_eq!(bits("1.5"), 1.5);
        assert_eq!(bits("1e400"), f64::INFINITY);
        assert_eq!(bits("0x1.8p1"), 3.0);
        assert_eq!(bits(".1f"), f64::from(0.1f32));
        assert_eq!(bits("0x.1p+4f"), 1.0);
        assert_eq!(bits("1.e-1"), 0.1);
    }

    #[test]
    fn long_double() {
        let expected = ExprKind::LongFloat { mantissa: 0xcccc_cccc_cccc_cccd, exponent: 0x3ffb };
        assert_eq!(floating("0.1L", Span::NONE).unwrap().0, expected);
        assert!(floating("1e99999999999999L", Span::NONE).is_ok());
        assert!(floating("1e-99999999999999L", Span::NONE).is_ok());
    }

    #[test]
    fn malformed_ones_are_refused() {
        for text in ["1.2.3", "1e", "0x1.8", "1.0z", "0xp1", "1.0q", "1.0i", "1.5e+"] {
            assert!(floating(text, Span::NONE).is_err(), "{text}");
        }
    }
}
