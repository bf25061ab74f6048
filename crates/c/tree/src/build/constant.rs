//! Constants. C has neither negative ones nor any narrower than `int`, so most values need operators.

use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::ExprId;
use crate::program::{Program, StrLit, StrWidth};
use crate::source::Span;
use crate::types::{FloatKind, IntKind, Ty, TypeKind};

impl Program {
    /// An expression of integer, enumerated or `_Bool` type `ty` with the given value, which must
    /// be in the type's range: a literal, a negated literal, `(-MAX - 1)`, or a cast of one where
    /// no literal has the type.
    pub fn int_const(&mut self, ty: Ty, value: i128) -> ExprId {
        let canon = self.types.canon(ty).unqual();
        match *self.types.kind(canon) {
            TypeKind::Int(kind) if kind >= IntKind::Int && kind < IntKind::Int128 => {
                self.literal(canon, value)
            }
            TypeKind::Int(IntKind::Int128) => match i64::try_from(value) {
                Ok(_) => self.cast_of(ty, IntKind::Long, value),
                Err(_) => {
                    let bits = self.wide_bits(value as u128);
                    self.cast(ty, bits)
                }
            },
            TypeKind::Int(IntKind::UInt128) => match u64::try_from(value) {
                Ok(_) => self.cast_of(ty, IntKind::ULong, value),
                Err(_) => self.wide_bits(value as u128),
            },
            TypeKind::Enum(id) => {
                let kind = self.types.enums[id.index()].int.max(IntKind::Int);
                self.cast_of(ty, kind, value)
            }
            _ => self.cast_of(ty, IntKind::Int, value),
        }
    }

    fn cast_of(&mut self, ty: Ty, literal: IntKind, value: i128) -> ExprId {
        let inner = self.literal(literal.ty(), value);
        self.cast(ty, inner)
    }

    /// `(unsigned __int128)high << 64 | low`
    fn wide_bits(&mut self, value: u128) -> ExprId {
        let high = self.cast_of(Ty::UINT128, IntKind::ULong, (value >> 64) as i128);
        let count = self.literal(Ty::INT, 64);
        let shifted = self.binary(BinOp::Shl, high, count);
        let low = self.literal(Ty::ULONG, i128::from(value as u64));
        self.binary(BinOp::BitOr, shifted, low)
    }

    /// A value of a type that literals can have.
    fn literal(&mut self, ty: Ty, value: i128) -> ExprId {
        let Some((bits, signed)) = self.types.int_bits(ty) else {
            return self.add_expr(ExprKind::Int(value as u64), ty, Span::NONE);
        };
        if !signed || value >= 0 {
            return self.add_expr(ExprKind::Int(value as u64), ty, Span::NONE);
        }
        if value == -(1i128 << (bits - 1)) {
            // The type cannot represent the magnitude of its least value.
            let max = self.literal(ty, value + 1);
            let one = self.literal(ty, 1);
            return self.binary(BinOp::Sub, max, one);
        }
        let magnitude = self.literal(ty, -value);
        self.unary(UnOp::Neg, magnitude)
    }

    /// A finite floating constant, negated where need be; `ty` is a floating type. The value is
    /// rounded to it.
    pub fn float_const(&mut self, ty: Ty, value: f64) -> ExprId {
        let ty = self.types.canon(ty).unqual();
        let magnitude = value.abs();
        let kind = match self.types.float_kind(ty) {
            Some(FloatKind::LongDouble) => extended(magnitude),
            Some(FloatKind::Float) => ExprKind::Float(f64::from(magnitude as f32).to_bits()),
            _ => ExprKind::Float(magnitude.to_bits()),
        };
        let literal = self.add_expr(kind, ty, Span::NONE);
        if value.is_sign_negative() { self.unary(UnOp::Neg, literal) } else { literal }
    }

    /// A string literal; the terminating zero is added.
    pub fn str_const(&mut self, text: &[u8]) -> ExprId {
        let mut bytes = text.to_vec();
        bytes.push(0);
        self.add_str(StrLit { bytes, width: StrWidth::Char }, Ty::CHAR)
    }

    /// A wide string literal; the terminating zero is added.
    pub fn wide_str_const(&mut self, units: &[u32]) -> ExprId {
        let bytes = units.iter().chain(&[0]).flat_map(|unit| unit.to_le_bytes()).collect();
        self.add_str(StrLit { bytes, width: StrWidth::Wide }, Ty::INT)
    }

    fn add_str(&mut self, lit: StrLit, elem: Ty) -> ExprId {
        let size = self.types.size_of(elem).unwrap_or(1);
        let ty = self.types.array(elem, lit.bytes.len() as u64 / size);
        let id = crate::StrId(self.strings.len() as u32);
        self.strings.push(lit);
        self.add_expr(ExprKind::Str(id), ty, Span::NONE)
    }
}

/// A finite non-negative `f64` in the 80-bit format, exactly.
fn extended(value: f64) -> ExprKind {
    let bits = value.to_bits();
    let (biased, fraction) = ((bits >> 52) as u16, bits & ((1 << 52) - 1));
    if value == 0.0 {
        return ExprKind::LongFloat { mantissa: 0, exponent: 0 };
    }
    if biased == 0 {
        // A subnormal `double` is normal in the 80-bit format.
        let shift = fraction.leading_zeros();
        let exponent = 16383 - 1022 - 52 + 63 - shift as u16;
        return ExprKind::LongFloat { mantissa: fraction << shift, exponent };
    }
    ExprKind::LongFloat { mantissa: 1 << 63 | fraction << 11, exponent: biased + (16383 - 1023) }
}
