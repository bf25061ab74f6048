//! Format text to directives (C11 7.21.6.1p3 to p8), and what that clause leaves undefined.

use super::{
    Conversion, Directive, FieldSize, Flags, FormatError, Length, MAX_FIELD, Refusal, Spec,
};

/// Splits a format (without its terminating zero) into directives.
pub fn parse(format: &[u8]) -> Result<Vec<Directive>, FormatError> {
    let mut directives = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let literal = format[at..].iter().position(|&b| b == b'%').unwrap_or(format.len() - at);
        if literal > 0 {
            directives.push(Directive::Literal(at..at + literal));
            at += literal;
        } else if format.get(at + 1) == Some(&b'%') {
            directives.push(Directive::Literal(at + 1..at + 2));
            at += 2;
        } else {
            let spec = FormatParser { format, start: at, at: at + 1 }.spec()?;
            at = spec.range.end;
            directives.push(Directive::Spec(spec));
        }
    }
    Ok(directives)
}

struct FormatParser<'a> {
    format: &'a [u8],
    start: usize,
    at: usize,
}

impl FormatParser<'_> {
    fn error(&self, refusal: Refusal, problem: String) -> FormatError {
        let end = (self.at + 1).min(self.format.len());
        FormatError { refusal, range: self.start..end, problem }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.format.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn spec(mut self) -> Result<Spec, FormatError> {
        let flags = self.flags();
        let width = self.count()?;
        let precision = match self.eat(b'.') {
            false => FieldSize::Absent,
            // A lone period is a precision of zero.
            true => match self.count()? {
                FieldSize::Absent => FieldSize::Fixed(0),
                count => count,
            },
        };
        let length = self.length();
        let conversion = self.conversion(length)?;
        let range = self.start..self.at + 1;
        let spec = Spec { flags, width, precision, length, conversion, range };
        match spec.misuse() {
            Some(problem) => Err(self.error(Refusal::Undefined, problem)),
            None => Ok(spec),
        }
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        loop {
            match self.format.get(self.at) {
                Some(b'-') => flags.left = true,
                Some(b'+') => flags.plus = true,
                Some(b' ') => flags.space = true,
                Some(b'#') => flags.alternate = true,
                Some(b'0') => flags.zero = true,
                _ => return flags,
            }
            self.at += 1;
        }
    }

    fn count(&mut self) -> Result<FieldSize, FormatError> {
        if self.eat(b'*') {
            return Ok(FieldSize::Star);
        }
        let rest = &self.format[self.at..];
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return Ok(FieldSize::Absent);
        }
        let value = rest[..digits]
            .iter()
            .try_fold(0usize, |n, d| n.checked_mul(10)?.checked_add(usize::from(d - b'0')));
        self.at += digits;
        match value {
            Some(value) if value <= MAX_FIELD => Ok(FieldSize::Fixed(value)),
            _ => Err(self.error(
                Refusal::Unsupported,
                "a field width or precision of more than 1048576".into(),
            )),
        }
    }

    fn length(&mut self) -> Length {
        for (text, length) in [
            (&b"hh"[..], Length::Hh),
            (b"h", Length::H),
            (b"ll", Length::Ll),
            (b"l", Length::L),
            (b"j", Length::J),
            (b"z", Length::Z),
            (b"t", Length::T),
            (b"L", Length::LongDouble),
        ] {
            if self.format[self.at..].starts_with(text) {
                self.at += text.len();
                return length;
            }
        }
        Length::None
    }

    fn conversion(&self, length: Length) -> Result<Conversion, FormatError> {
        use Conversion::*;
        let Some(&byte) = self.format.get(self.at) else {
            let problem = "the format ends within a conversion specification";
            return Err(self.error(Refusal::Undefined, problem.into()));
        };
        let upper = byte.is_ascii_uppercase();
        Ok(match byte {
            b'd' | b'i' => Decimal,
            b'u' => Unsigned,
            b'o' => Octal,
            b'x' | b'X' => Hex { upper },
            b'c' | b's' if length == Length::L => {
                return Err(self.error(Refusal::Unsupported, "wide characters".into()));
            }
            b'c' => Char,
            b's' => Str,
            b'p' => Pointer,
            b'f' | b'F' => Fixed { upper },
            b'e' | b'E' => Exponent { upper },
            b'g' | b'G' => General { upper },
            b'a' | b'A' => HexFloat { upper },
            b'n' => return Err(self.error(Refusal::Unsupported, "%n".into())),
            b'%' => {
                let problem = "%% takes no flags, width, precision or length";
                return Err(self.error(Refusal::Undefined, problem.into()));
            }
            // Extensions of POSIX and glibc.
            b'$' | b'\'' | b'I' | b'q' | b'Z' | b'm' | b'C' | b'S' => {
                let problem = format!("the extension '{}' in a format", byte as char);
                return Err(self.error(Refusal::Unsupported, problem));
            }
            _ => {
                let shown = byte.escape_ascii();
                let problem = format!("'{shown}' is not a conversion specifier");
                return Err(self.error(Refusal::Undefined, problem));
            }
        })
    }
}

impl Spec {
    /// What 7.21.6.1 leaves undefined in the combination of flags, precision, length and conversion.
    fn misuse(&self) -> Option<String> {
        use Conversion::*;
        let (name, float) = match self.conversion {
            Decimal => ("d", false),
            Unsigned => ("u", false),
            Octal | Hex { .. } => ("x", false),
            Char => ("c", false),
            Str => ("s", false),
            Pointer => ("p", false),
            _ => ("f", true),
        };
        let text = matches!(self.conversion, Char | Str | Pointer);
        let fits = match self.length {
            Length::None => true,
            Length::L => !text,
            Length::LongDouble => float,
            _ => !text && !float,
        };
        if !fits {
            return Some(format!("a length modifier that does not go with %{name}"));
        }
        // p6: `#` is for o, x and the floating conversions; `0` also for the other numbers.
        if self.flags.alternate && matches!(name, "d" | "u" | "c" | "s" | "p") {
            return Some(format!("the flag # does not go with %{name}"));
        }
        if self.flags.zero && text {
            return Some(format!("the flag 0 does not go with %{name}"));
        }
        // p4: with a precision, any conversion but numbers and strings is undefined.
        if self.precision != FieldSize::Absent && matches!(name, "c" | "p") {
            return Some(format!("a precision does not go with %{name}"));
        }
        None
    }
}
