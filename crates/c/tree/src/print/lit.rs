//! Literals: integer and floating constants (6.4.4) and string literals (6.4.5).

use super::Printer;
use crate::ids::StrId;
use crate::program::StrWidth;
use crate::types::{FloatKind, IntKind, Ty};

impl Printer<'_> {
    /// An integer constant; its type decides the suffix.
    pub(super) fn int_lit(&mut self, value: u64, ty: Ty) {
        let suffix = match self.program.types.int_kind(ty) {
            Some(IntKind::Int) => "",
            Some(IntKind::UInt) => "U",
            Some(IntKind::Long) => "L",
            Some(IntKind::ULong) => "UL",
            Some(IntKind::LongLong) => "LL",
            Some(IntKind::ULongLong) => "ULL",
            // No constant has such a type: cast one.
            _ => {
                self.push("((");
                self.type_name(ty.unqual());
                self.push_fmt(format_args!("){value}UL)"));
                return;
            }
        };
        self.push_u64(value);
        self.push(suffix);
    }

    /// A `float` or `double` constant: the shortest decimal that reads back as the same value.
    pub(super) fn float_lit(&mut self, bits: u64, ty: Ty) {
        let value = f64::from_bits(bits);
        let single = self.program.types.float_kind(ty) == Some(FloatKind::Float);
        if value.is_sign_negative() {
            // C has no such literal: printed as an expression with the same value.
            self.push("(-");
            self.float_lit(bits & !(1 << 63), ty);
            self.push(")");
            return;
        }
        if value.is_nan() {
            self.push(if single { "__builtin_nanf(\"\")" } else { "__builtin_nan(\"\")" });
            return;
        }
        match (value.is_infinite(), single) {
            // A constant that is too large for its type is read as infinity.
            (true, true) => self.push("1e99"),
            (true, false) => self.push("1e999"),
            (false, true) => self.push_fmt(format_args!("{:?}", value as f32)),
            (false, false) => self.push_fmt(format_args!("{value:?}")),
        }
        if single {
            self.push("f");
        }
    }

    /// A `long double` constant, in hexadecimal: exact whatever the reader's arithmetic.
    pub(super) fn long_float_lit(&mut self, mantissa: u64, exponent: u16) {
        let negative = exponent & 0x8000 != 0;
        let biased = i32::from(exponent & 0x7fff);
        if negative {
            self.push("(-");
        }
        if biased == 0x7fff {
            self.push(if mantissa << 1 == 0 { "1e9999L" } else { "__builtin_nanl(\"\")" });
        } else if mantissa == 0 {
            self.push("0.0L");
        } else if self.cxx.as_ref().is_some_and(|cxx| cxx.plan.std < 17) {
            // No hexadecimal literals before C++17. Both operands are exact, and compilers fold the call.
            let power = biased.max(1) - 16383 - 63;
            self.push_fmt(format_args!("__builtin_ldexpl({mantissa}ULL, {power})"));
        } else {
            let zeros = mantissa.trailing_zeros();
            // A subnormal's exponent is that of the smallest normal number.
            let power = biased.max(1) - 16383 - 63 + zeros as i32;
            self.push_fmt(format_args!("{:#x}p{power}L", mantissa >> zeros));
        }
        if negative {
            self.push(")");
        }
    }

    /// A string literal, without the terminating zero that its bytes end in. One of `const char`
    /// is the function's name (6.4.2.2).
    pub(super) fn str_lit(&mut self, id: StrId, ty: Ty) {
        let program = self.program;
        let lit = &program.strings[id.index()];
        let constant = program.types.as_array(ty).is_some_and(|(elem, _)| elem.is_const());
        if constant
            && let Some(name) = self.function
            && lit.bytes.strip_suffix(&[0]) == Some(program.name(name).as_bytes())
        {
            self.push("__func__");
            return;
        }
        match lit.width {
            StrWidth::Char => {
                self.push("\"");
                let text = &lit.bytes[..lit.bytes.len().saturating_sub(1)];
                let mut last = 0;
                for &byte in text {
                    self.char_of_string(byte, last);
                    last = byte;
                }
            }
            StrWidth::Wide => {
                self.push("L\"");
                let units = (lit.bytes.len() / 4).saturating_sub(1);
                let mut after_hex = false;
                let mut last = 0;
                for unit in lit.bytes.chunks_exact(4).take(units) {
                    let value = u32::from_le_bytes([unit[0], unit[1], unit[2], unit[3]]);
                    match u8::try_from(value) {
                        // A digit would run on from a hexadecimal escape.
                        Ok(byte) if after_hex && byte.is_ascii_hexdigit() => self.octal(byte),
                        Ok(byte) => self.char_of_string(byte, last),
                        Err(_) => self.push_fmt(format_args!("\\x{value:x}")),
                    }
                    after_hex = value > 0xff;
                    last = value as u8;
                }
            }
        }
        self.push("\"");
    }

    fn char_of_string(&mut self, byte: u8, last: u8) {
        match byte {
            b'"' => self.push("\\\""),
            b'\\' => self.push("\\\\"),
            b'\n' => self.push("\\n"),
            b'\t' => self.push("\\t"),
            // No trigraphs (5.2.1.1).
            b'?' if last == b'?' => self.push("\\?"),
            b' '..=b'~' => self.out.push(char::from(byte)),
            _ => self.octal(byte),
        }
    }

    /// Always three digits, so that no digit that follows can belong to it.
    fn octal(&mut self, byte: u8) {
        self.push_fmt(format_args!("\\{byte:03o}"));
    }
}
