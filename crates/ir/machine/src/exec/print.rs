//! What functions of C's library print.

use irtext::Bits;

use super::masked::shifted;
use super::{Frame, Machine, Side};
use crate::code::Call;
use crate::integer::exact;
use crate::library::Library;
use crate::outcome::Event;
use crate::reason::Reason;
use crate::value::{Atom, Stop, Value, unknown};

/// Texts longer than this are not printed.
const LONGEST: usize = 4096;

/// One directive of a format.
#[derive(Debug, Default)]
struct Directive {
    left: bool,
    zeros: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits of an integer.
    bits: u32,
    conversion: u8,
}

impl<'a> Machine<'a> {
    /// `printf`, `puts` and `putchar`.
    pub(super) fn print(
        &mut self,
        frame: &Frame<'a>,
        library: &Library,
        call: &Call,
        arguments: &[Value],
    ) -> Result<Value, Stop> {
        let first = arguments[0].atom()?;
        let (bytes, result) = match library {
            Library::PutChar => {
                let byte = self.printed(first)?.small().unwrap_or(0) as u8;
                (vec![byte], byte.into())
            }
            Library::Puts => {
                let mut text = self.text(frame, first, LONGEST)?;
                text.push(b'\n');
                let count = text.len();
                (text, count)
            }
            _ => {
                let text = self.formatted(frame, arguments)?;
                let count = text.len();
                (text, count)
            }
        };
        match self.events.last_mut() {
            _ if bytes.is_empty() => {}
            // What is printed is one text, whoever printed which part.
            Some(Event::Output(all)) => all.extend(bytes),
            _ => self.events.push(Event::Output(bytes)),
        }
        Ok(Value::One(Atom::bits(call.result.bits(), result as u128)))
    }

    /// The integer that is printed. What may be one of several is different at each use: where a target prints
    /// it, it may print this one.
    fn printed(&self, value: &Atom) -> Result<Bits, Stop> {
        match value {
            Atom::Free(free) if self.side == Side::Target => Ok(free.known.or(&free.free)),
            Atom::Range(range) if self.side == Side::Target => Ok(range.low.clone()),
            value => exact(value).cloned(),
        }
    }

    /// The bytes of a string, at most so many.
    fn text(&mut self, frame: &Frame<'a>, at: &Atom, most: usize) -> Result<Vec<u8>, Stop> {
        let mut text = Vec::new();
        while text.len() < most {
            match self.character(frame, &shifted(at, text.len() as u64)?)? {
                0 => return Ok(text),
                byte => text.push(byte),
            }
        }
        if most < LONGEST { Ok(text) } else { unknown(Reason::LongString) }
    }

    fn formatted(&mut self, frame: &Frame<'a>, arguments: &[Value]) -> Result<Vec<u8>, Stop> {
        let format = self.text(frame, arguments[0].atom()?, LONGEST)?;
        let mut rest = format.as_slice();
        let mut values = arguments[1..].iter();
        let mut text = Vec::new();
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if byte != b'%' {
                text.push(byte);
                continue;
            }
            let Some(directive) = Directive::read(&mut rest) else {
                return unknown(Reason::PrintfFormat);
            };
            if directive.conversion == b'%' {
                text.push(b'%');
                continue;
            }
            let Some(value) = values.next() else {
                return unknown(Reason::PrintfTooFewArguments);
            };
            let printed = match directive.conversion {
                b's' => {
                    let most = directive.precision.unwrap_or(LONGEST).min(LONGEST);
                    self.text(frame, value.atom()?, most)?
                }
                _ => {
                    let bits = self.printed(value.atom()?)?;
                    if bits.width() != directive.bits.max(32) {
                        return unknown(Reason::PrintfArgumentType);
                    }
                    directive.integer(bits.small().unwrap_or(0))
                }
            };
            text.extend(directive.padded(printed));
            if text.len() > LONGEST {
                return unknown(Reason::LongString);
            }
        }
        Ok(text)
    }
}

impl Directive {
    /// Reads what follows a `%`; `None`: it is none of those that are known here.
    fn read(rest: &mut &[u8]) -> Option<Directive> {
        let mut directive = Directive { bits: 32, ..Directive::default() };
        let next = |rest: &mut &[u8]| {
            let (&byte, after) = rest.split_first()?;
            *rest = after;
            Some(byte)
        };
        let mut byte = next(rest)?;
        loop {
            match byte {
                b'-' => directive.left = true,
                b'0' => directive.zeros = true,
                b'+' => directive.plus = true,
                b' ' => directive.space = true,
                b'#' => directive.alternative = true,
                _ => break,
            }
            byte = next(rest)?;
        }
        let number = |byte: &mut u8, rest: &mut &[u8]| {
            let mut n = 0usize;
            while byte.is_ascii_digit() {
                n = (n * 10 + usize::from(*byte - b'0')).min(LONGEST);
                *byte = next(rest)?;
            }
            Some(n)
        };
        directive.width = number(&mut byte, rest)?;
        if byte == b'.' {
            byte = next(rest)?;
            directive.precision = Some(number(&mut byte, rest)?);
        }
        while let b'h' | b'l' | b'j' | b'z' | b't' = byte {
            directive.bits = match (byte, directive.bits) {
                (b'h', 32) => 16,
                (b'h', _) => 8,
                _ => 64,
            };
            byte = next(rest)?;
        }
        directive.conversion = byte;
        let plain = directive.bits == 32;
        let known = match byte {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => true,
            b'c' | b's' | b'%' => plain,
            _ => false,
        };
        known.then_some(directive)
    }

    /// An integer's digits, with sign and prefix.
    fn integer(&self, value: u128) -> Vec<u8> {
        if self.conversion == b'c' {
            return vec![value as u8];
        }
        let value = value & (u128::MAX >> (128 - self.bits));
        let signed = matches!(self.conversion, b'd' | b'i');
        let negative = signed && value >> (self.bits - 1) == 1;
        let magnitude = if negative { (1u128 << self.bits) - value } else { value };
        let mut digits = match self.conversion {
            b'x' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            b'o' => format!("{magnitude:o}"),
            _ => magnitude.to_string(),
        };
        if magnitude == 0 && self.precision == Some(0) {
            digits.clear();
        }
        let least = self.precision.unwrap_or(1);
        digits = "0".repeat(least.saturating_sub(digits.len())) + &digits;
        let prefix = match self.conversion {
            _ if negative => "-",
            b'd' | b'i' if self.plus => "+",
            b'd' | b'i' if self.space => " ",
            b'x' if self.alternative && magnitude > 0 => "0x",
            b'X' if self.alternative && magnitude > 0 => "0X",
            b'o' if self.alternative && !digits.starts_with('0') => "0",
            _ => "",
        };
        if self.zeros && !self.left && self.precision.is_none() {
            let room = self.width.saturating_sub(prefix.len() + digits.len());
            digits = "0".repeat(room) + &digits;
        }
        (prefix.to_string() + &digits).into_bytes()
    }

    fn padded(&self, mut text: Vec<u8>) -> Vec<u8> {
        let spaces = vec![b' '; self.width.saturating_sub(text.len())];
        if self.left {
            text.extend(spaces);
            return text;
        }
        [spaces, text].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(format: &str, value: i64) -> String {
        let mut rest = &format.as_bytes()[1..];
        let directive = Directive::read(&mut rest).expect("a directive");
        assert!(rest.is_empty());
        let text = directive.padded(directive.integer(u128::from(value as u64)));
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn numbers_are_printed_as_c_has_it() {
        for (format, value, expected) in [
            ("%d", -7, "-7"),
            ("%u", -1, "4294967295"),
            ("%lu", -1, "18446744073709551615"),
            ("%hhd", 255, "-1"),
            ("%hu", 65537, "1"),
            ("%X", 0xbeef, "BEEF"),
            ("%#x", 255, "0xff"),
            ("%#x", 0, "0"),
            ("%#o", 8, "010"),
            ("%5d", 42, "   42"),
            ("%-5d", 42, "42   "),
            ("%05d", -42, "-0042"),
            ("%+.3d", 7, "+007"),
            ("%08.3d", 7, "     007"),
            ("% lld", 9, " 9"),
            ("%.0d", 0, ""),
            ("%c", 65, "A"),
        ] {
            assert_eq!(printed(format, value), expected, "{format}");
        }
        for other in ["f", "*d", "n", "p", "ls", "", "5"] {
            assert!(Directive::read(&mut other.as_bytes()).is_none(), "{other}");
        }
    }
}
