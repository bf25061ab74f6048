//! `printf` formatting as a pure function of typed arguments (C11 7.21.6.1), byte for byte as glibc
//! prints.
//!
//! [`parse()`] splits a format into directives and rejects what the standard leaves undefined; the
//! machine fetches and checks each argument ([`Spec::arg`] says what is expected) and has the
//! [`ResolvedSpec`] rendered. Not here: wide characters, `%n`, and the extensions of POSIX and glibc, which
//! are refused as unsupported.

mod float;
mod parse;

pub use parse::parse;

use crate::longdouble::F80;
use std::fmt;
use std::ops::Range;

/// Widest field or precision rendered: a megabyte of padding is a mistake, and would allow a
/// small program to exhaust the host's memory.
const MAX_FIELD: usize = 1 << 20;

/// A piece of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Directive {
    /// Bytes of the format to be copied; for `%%` the range of its second character.
    Literal(Range<usize>),
    /// A conversion specification.
    Spec(Spec),
}

/// Flags of a conversion specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `#`
    pub alternate: bool,
    /// `0`
    pub zero: bool,
}

/// A field width or precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldSize {
    /// Not given.
    Absent,
    /// Written in the format.
    Fixed(usize),
    /// `*`: an `int` argument before the converted one.
    Star,
}

/// Length modifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Length {
    None,
    Hh,
    H,
    L,
    Ll,
    J,
    Z,
    T,
    LongDouble,
}

/// Conversion specifier; the floating ones remember whether they were upper case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Conversion {
    Decimal,
    Unsigned,
    Octal,
    Hex { upper: bool },
    Char,
    Str,
    Pointer,
    Fixed { upper: bool },
    Exponent { upper: bool },
    General { upper: bool },
    HexFloat { upper: bool },
}

/// The C type a conversion expects its argument to have, before the default argument promotions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ArgType {
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    /// `intmax_t`
    IntMax,
    /// `uintmax_t`
    UIntMax,
    /// The signed type corresponding to `size_t`.
    SSize,
    /// `size_t`
    Size,
    /// `ptrdiff_t`
    PtrDiff,
    /// The unsigned type corresponding to `ptrdiff_t`.
    UPtrDiff,
    /// An `int` that is printed as a character.
    CharAsInt,
    Double,
    LongDouble,
    /// A pointer to a character array.
    Str,
    /// A pointer to `void`.
    Pointer,
}

impl ArgType {
    /// Bits of the value that is printed and whether it is signed, for the integer conversions.
    pub fn int_bits(self) -> Option<(u32, bool)> {
        use ArgType::*;
        Some(match self {
            SChar => (8, true),
            UChar | CharAsInt => (8, false),
            Short => (16, true),
            UShort => (16, false),
            Int => (32, true),
            UInt => (32, false),
            Long | LongLong | IntMax | SSize | PtrDiff => (64, true),
            ULong | ULongLong | UIntMax | Size | UPtrDiff => (64, false),
            Double | LongDouble | Str | Pointer => return None,
        })
    }
}

/// A conversion specification as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// Flags.
    pub flags: Flags,
    /// Minimum field width.
    pub width: FieldSize,
    /// Precision.
    pub precision: FieldSize,
    /// Length modifier.
    pub length: Length,
    /// What to convert to.
    pub conversion: Conversion,
    /// Its bytes in the format, from `%` on.
    pub range: Range<usize>,
}

/// A conversion specification with its `*` arguments filled in: ready to render.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResolvedSpec {
    flags: Flags,
    width: usize,
    precision: Option<usize>,
    conversion: Conversion,
    arg: ArgType,
}

/// Whether a rejected format is undefined or unsupported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// C11 7.21.6.1 leaves the behaviour undefined.
    Undefined,
    /// It may have a meaning that this module does not implement.
    Unsupported,
}

/// Why a format was rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// Undefined or unsupported.
    pub refusal: Refusal,
    /// The conversion specification at fault, in the format.
    pub range: Range<usize>,
    /// One phrase, without a full stop.
    pub problem: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for FormatError {}

impl Spec {
    /// How many `int` arguments `*` takes, before the converted argument.
    pub fn stars(&self) -> usize {
        [self.width, self.precision].iter().filter(|&&c| c == FieldSize::Star).count()
    }

    /// The type of the argument that is converted.
    pub fn arg(&self) -> ArgType {
        use ArgType::*;
        let pair = match self.length {
            Length::None => [Int, UInt],
            Length::Hh => [SChar, UChar],
            Length::H => [Short, UShort],
            Length::L => [Long, ULong],
            Length::Ll | Length::LongDouble => [LongLong, ULongLong],
            Length::J => [IntMax, UIntMax],
            Length::Z => [SSize, Size],
            Length::T => [PtrDiff, UPtrDiff],
        };
        match self.conversion {
            Conversion::Decimal => pair[0],
            Conversion::Unsigned | Conversion::Octal | Conversion::Hex { .. } => pair[1],
            Conversion::Char => CharAsInt,
            Conversion::Str => Str,
            Conversion::Pointer => Pointer,
            _ if self.length == Length::LongDouble => LongDouble,
            _ => Double,
        }
    }

    /// Fills in the values of the `*`s, in order: [`Spec::stars`] of them.
    pub fn resolve(&self, stars: &[i32]) -> Result<ResolvedSpec, FormatError> {
        let mut stars = stars.iter().map(|&n| i64::from(n));
        let mut flags = self.flags;
        let mut value = |count: FieldSize| match count {
            FieldSize::Absent => None,
            FieldSize::Fixed(n) => i64::try_from(n).ok(),
            FieldSize::Star => stars.next(),
        };
        let width = value(self.width).unwrap_or(0);
        // A negative width is the flag `-`; a negative precision is none.
        flags.left |= width < 0;
        let precision = value(self.precision).filter(|&p| p >= 0);
        if width.unsigned_abs().max(precision.unwrap_or(0).unsigned_abs()) > MAX_FIELD as u64 {
            return Err(FormatError {
                refusal: Refusal::Unsupported,
                range: self.range.clone(),
                problem: "a field width or precision of more than 1048576".into(),
            });
        }
        Ok(ResolvedSpec {
            flags,
            width: width.unsigned_abs() as usize,
            precision: precision.map(|p| p as usize),
            conversion: self.conversion,
            arg: self.arg(),
        })
    }
}

impl ResolvedSpec {
    /// How many bytes of a string are read: a string shorter than this must be terminated.
    pub fn str_limit(&self) -> Option<usize> {
        self.precision
    }

    /// Renders an integer; of `bits` those are used that the length modifier asks for.
    pub fn render_int(&self, bits: u64, out: &mut Vec<u8>) {
        let (width, signed) = self.arg.int_bits().unwrap_or((64, false));
        let unused = 64 - width;
        if !signed {
            let value = bits << unused >> unused;
            return self.unsigned(value, "", out);
        }
        let value = (bits << unused) as i64 >> unused;
        let sign = self.sign(value < 0);
        self.unsigned(value.unsigned_abs(), sign, out);
    }

    fn sign(&self, negative: bool) -> &'static str {
        match self.flags {
            _ if negative => "-",
            Flags { plus: true, .. } => "+",
            Flags { space: true, .. } => " ",
            _ => "",
        }
    }

    fn unsigned(&self, value: u64, sign: &str, out: &mut Vec<u8>) {
        let mut digits = match self.conversion {
            Conversion::Octal => format!("{value:o}"),
            Conversion::Hex { upper: true } => format!("{value:X}"),
            Conversion::Hex { upper: false } | Conversion::Pointer => format!("{value:x}"),
            _ => value.to_string(),
        };
        if value == 0 && self.precision == Some(0) {
            digits.clear();
        }
        let missing = self.precision.unwrap_or(1).saturating_sub(digits.len());
        digits.insert_str(0, &"0".repeat(missing));
        let alternate = self.flags.alternate;
        let prefix = match self.conversion {
            Conversion::Octal if alternate && !digits.starts_with('0') => "0",
            Conversion::Hex { upper: true } if alternate && value != 0 => "0X",
            Conversion::Hex { upper: false } if alternate && value != 0 => "0x",
            Conversion::Pointer => "0x",
            _ => sign,
        };
        let zeros = self.flags.zero && self.precision.is_none();
        self.pad(prefix, digits.as_bytes(), zeros, out);
    }

    /// Puts prefix and body into the field; with `zeros`, the padding goes between them.
    fn pad(&self, prefix: &str, body: &[u8], zeros: bool, out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(prefix.len() + body.len());
        let (spaces, zeros, after) = match (self.flags.left, zeros) {
            (true, _) => (0, 0, missing),
            (false, true) => (0, missing, 0),
            (false, false) => (missing, 0, 0),
        };
        out.extend(std::iter::repeat_n(b' ', spaces));
        out.extend(prefix.as_bytes());
        out.extend(std::iter::repeat_n(b'0', zeros));
        out.extend(body);
        out.extend(std::iter::repeat_n(b' ', after));
    }

    /// Renders an `int` as a character.
    pub fn render_char(&self, value: i32, out: &mut Vec<u8>) {
        self.pad("", &[value as u8], false, out);
    }

    /// Renders a string, given without its terminating zero; the precision cuts it.
    pub fn render_str(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let length = self.precision.map_or(bytes.len(), |p| p.min(bytes.len()));
        self.pad("", &bytes[..length], false, out);
    }

    /// Renders a pointer with the given address as glibc does.
    pub fn render_pointer(&self, address: u64, out: &mut Vec<u8>) {
        match address {
            0 => self.pad("", b"(nil)", false, out),
            _ => self.unsigned(address, "", out),
        }
    }

    /// Renders a `double`.
    pub fn render_f64(&self, value: f64, out: &mut Vec<u8>) {
        float::render(self, float::FloatParts::from_f64(value), out);
    }

    /// Renders a `long double`.
    pub fn render_f80(&self, value: F80, out: &mut Vec<u8>) {
        float::render(self, float::FloatParts::from_f80(value), out);
    }
}

#[cfg(test)]
mod tests;
