//! Integer and character constants and string literals (C11 6.4.4, 6.4.5): text to values.
//!
//! Wide strings are UTF-32, as on every target in the data model. Not supported: `u""` and `U""`
//! literals, imaginary constants, integer constants of more than 64 bits.

use crate::error::{ParseResult, invalid, unsupported};
use ctree::{DataModel, IntKind, Span, StrWidth};

/// The value and type of an integer constant.
pub(crate) fn integer(text: &str, model: &DataModel, span: Span) -> ParseResult<(u64, IntKind)> {
    let lower = text.as_bytes();
    let (radix, digits) = match lower {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, rest),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower),
    };
    let mut value: u64 = 0;
    let mut used = 0;
    for &b in digits {
        let Some(d) = (b as char).to_digit(radix.max(10)) else { break };
        if d >= radix {
            return invalid(span, format!("invalid digit '{}' in octal constant", b as char));
        }
        let Some(v) = value.checked_mul(u64::from(radix)).and_then(|v| v.checked_add(u64::from(d)))
        else {
            return unsupported(span, "integer constant of more than 64 bits");
        };
        value = v;
        used += 1;
    }
    if used == 0 && radix != 8 {
        return invalid(span, format!("invalid integer constant `{text}`"));
    }
    let (unsigned, longs) = suffix(&digits[used..], span)?;
    Ok((value, integer_type(value, radix == 10, unsigned, longs, model)))
}

/// Reads `u`, `l`, `ll` in any order and case: whether unsigned, and how many `l`.
fn suffix(text: &[u8], span: Span) -> ParseResult<(bool, u8)> {
    let shown = || String::from_utf8_lossy(text).into_owned();
    let lower = text.to_ascii_lowercase();
    Ok(match lower.as_slice() {
        b"" => (false, 0),
        b"u" => (true, 0),
        b"l" => (false, 1),
        b"ul" | b"lu" => (true, 1),
        b"ll" => (false, 2),
        b"ull" | b"llu" => (true, 2),
        s if s.iter().all(|b| b"ijul".contains(b)) => {
            return unsupported(span, "imaginary constant");
        }
        _ => {
            return invalid(span, format!("invalid suffix \"{}\" on integer constant", shown()));
        }
    })
}

/// The first type of C's list that holds the value (6.4.4.1p5).
fn integer_type(
    value: u64,
    decimal: bool,
    unsigned: bool,
    longs: u8,
    model: &DataModel,
) -> IntKind {
    use IntKind::*;
    let candidates = [(Int, UInt, 0), (Long, ULong, 1), (LongLong, ULongLong, 2)];
    for (signed_kind, unsigned_kind, min_longs) in candidates {
        if min_longs < longs {
            continue;
        }
        let bits = model.int_size(signed_kind) * 8;
        if !unsigned && value >> (bits - 1) == 0 {
            return signed_kind;
        }
        if (unsigned || !decimal) && (bits == 64 || value >> bits == 0) {
            return unsigned_kind;
        }
    }
    Int128 // A decimal constant beyond `long long`: GCC's extended type.
}

/// The value of a character constant, sign-extended from its type, and whether it is wide.
pub(crate) fn character(text: &str, model: &DataModel, span: Span) -> ParseResult<(i64, bool)> {
    let (wide, body) = match text.as_bytes() {
        [b'\'', body @ .., b'\''] => (false, body),
        [b'L', b'\'', body @ .., b'\''] => (true, body),
        _ => return unsupported(span, "`char16_t` or `char32_t` character constant"),
    };
    if body.is_empty() {
        return invalid(span, "empty character constant");
    }
    if wide {
        let mut units = Vec::new();
        decode(body, true, span, &mut units)?;
        let last = units.last_chunk::<4>().copied().unwrap_or_default();
        return Ok((i64::from(i32::from_le_bytes(last)), true));
    }
    let mut bytes = Vec::new();
    decode(body, false, span, &mut bytes)?;
    if let [one] = bytes[..] {
        let value = if model.char_signed { i64::from(one as i8) } else { i64::from(one) };
        return Ok((value, false));
    }
    // As GCC: the characters shifted in from the left, the last four kept.
    let value = bytes.iter().fold(0u32, |v, &b| v << 8 | u32::from(b));
    Ok((i64::from(value as i32), false))
}

/// The prefix of a string literal's token.
pub(crate) fn string_width(text: &str, span: Span) -> ParseResult<StrWidth> {
    match text.as_bytes().first() {
        Some(b'L') => Ok(StrWidth::Wide),
        Some(b'"') => Ok(StrWidth::Char),
        _ if text.starts_with("u8") => Ok(StrWidth::Char),
        _ => unsupported(span, "`char16_t` or `char32_t` string literal"),
    }
}

/// Appends the object representation of a string literal's contents, without a terminator.
pub(crate) fn string(
    text: &str,
    width: StrWidth,
    span: Span,
    out: &mut Vec<u8>,
) -> ParseResult<()> {
    let open = text.find('"').map_or(0, |i| i + 1);
    let body = text.as_bytes().get(open..text.len() - 1).unwrap_or_default();
    decode(body, width == StrWidth::Wide, span, out)
}

fn decode(body: &[u8], wide: bool, span: Span, out: &mut Vec<u8>) -> ParseResult<()> {
    let mut rest = body;
    while let Some(&b) = rest.first() {
        if b == b'\\' {
            let (unit, used) = escape(rest, span)?;
            rest = &rest[used..];
            match unit {
                CodeUnit::Char(c) if !wide => {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                CodeUnit::Char(c) => out.extend_from_slice(&u32::from(c).to_le_bytes()),
                CodeUnit::Code(n) if wide => out.extend_from_slice(&n.to_le_bytes()),
                CodeUnit::Code(n) => out.push(n as u8),
            }
        } else if wide {
            let text = std::str::from_utf8(rest).unwrap_or("");
            let Some(c) = text.chars().next() else {
                return invalid(span, "invalid UTF-8 in wide literal");
            };
            out.extend_from_slice(&u32::from(c).to_le_bytes());
            rest = &rest[c.len_utf8()..];
        } else {
            out.push(b);
            rest = &rest[1..];
        }
    }
    Ok(())
}

enum CodeUnit {
    /// A universal character name: encoded as the literal demands.
    Char(char),
    /// A plain or numeric escape: one unit with this value.
    Code(u32),
}

/// One escape sequence (6.4.4.4): its value and length in bytes, backslash included.
fn escape(text: &[u8], span: Span) -> ParseResult<(CodeUnit, usize)> {
    let code = |n: u32| Ok((CodeUnit::Code(n), 2));
    match text.get(1).copied().unwrap_or(0) {
        b'n' => code(10),
        b't' => code(9),
        b'r' => code(13),
        b'a' => code(7),
        b'b' => code(8),
        b'f' => code(12),
        b'v' => code(11),
        b'e' | b'E' => code(27),
        c @ (b'\\' | b'\'' | b'"' | b'?') => code(u32::from(c)),
        b'0'..=b'7' => {
            let digits = text[1..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            Ok((CodeUnit::Code(digits_value(&text[1..=digits], 8)), 1 + digits))
        }
        b'x' => {
            let digits = text[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
            if digits == 0 {
                return invalid(span, "\\x used with no following hex digits");
            }
            Ok((CodeUnit::Code(digits_value(&text[2..2 + digits], 16)), 2 + digits))
        }
        c @ (b'u' | b'U') => {
            let want = if c == b'u' { 4 } else { 8 };
            let digits = text[2..].iter().take(want).take_while(|b| b.is_ascii_hexdigit()).count();
            let value = digits_value(&text[2..2 + digits], 16);
            match char::from_u32(value) {
                Some(c) if digits == want => Ok((CodeUnit::Char(c), 2 + digits)),
                _ => invalid(span, "incomplete universal character name"),
            }
        }
        // GCC warns and takes the character itself.
        c => code(u32::from(c)),
    }
}

fn digits_value(digits: &[u8], radix: u32) -> u32 {
    digits
        .iter()
        .filter_map(|&b| (b as char).to_digit(radix))
        .fold(0u32, |v, d| v.wrapping_mul(radix).wrapping_add(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> (u64, IntKind) {
        integer(text, &DataModel::X86_64_SYSV, Span::NONE).unwrap()
    }

    #[test]
    fn integer_types_follow_the_list() {
        assert_eq!(int("0"), (0, IntKind::Int));
        assert_eq!(int("2147483648"), (2147483648, IntKind::Long));
        assert_eq!(int("0x80000000"), (0x8000_0000, IntKind::UInt));
        assert_eq!(int("0xffffffffffffffffLL"), (u64::MAX, IntKind::ULongLong));
        assert_eq!(int("017u"), (15, IntKind::UInt));
        assert_eq!(int("0b101L"), (5, IntKind::Long));
        assert_eq!(int("9223372036854775808"), (1 << 63, IntKind::Int128));
        assert_eq!(int("1LLU"), (1, IntKind::ULongLong));
    }

    #[test]
    fn bad_integers_are_refused() {
        for text in ["08", "0x", "1lul", "12ab", "99999999999999999999"] {
            assert!(integer(text, &DataModel::X86_64_SYSV, Span::NONE).is_err(), "{text}");
        }
    }

    #[test]
    fn characters() {
        let value = |t| character(t, &DataModel::X86_64_SYSV, Span::NONE).unwrap();
        assert_eq!(value("'a'"), (97, false));
        assert_eq!(value(r"'\xff'"), (-1, false));
        assert_eq!(value("'ab'"), (0x6162, false));
        assert_eq!(value("L'é'"), (0xe9, true));
        assert_eq!(value(r"'\0'"), (0, false));
    }
}
