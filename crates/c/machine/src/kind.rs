//! Scalar kinds: how a value sits in a register and in memory.
//!
//! A register is 64 bits. An integer sits in it sign- or zero-extended by its own type, `float`
//! and `double` as their bits, a pointer packed (see [`crate::memory`]). `__int128` and
//! `long double` take a pair of registers: low half or significand first.

use ctree::{FloatKind, IntKind, Ty, TypeKind, TypeTable};

/// The kind of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Kind {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    I128,
    U128,
    F32,
    F64,
    F80,
    Ptr,
}

impl Kind {
    /// The kind of a scalar type, `None` for any other.
    pub fn of(types: &TypeTable, ty: Ty) -> Option<Kind> {
        Some(match *types.shape(ty) {
            TypeKind::Pointer(_) => Kind::Ptr,
            TypeKind::Float(FloatKind::Float) => Kind::F32,
            TypeKind::Float(FloatKind::Double) => Kind::F64,
            TypeKind::Float(FloatKind::LongDouble) => Kind::F80,
            TypeKind::Int(IntKind::Bool) => Kind::Bool,
            TypeKind::Int(_) | TypeKind::Enum(_) => {
                let (bits, signed) = types.int_bits(ty)?;
                Kind::int(bits, signed)
            }
            _ => return None,
        })
    }

    /// The integer kind of a width and signedness.
    pub fn int(bits: u32, signed: bool) -> Kind {
        match (bits, signed) {
            (..=8, true) => Kind::I8,
            (..=8, false) => Kind::U8,
            (9..=16, true) => Kind::I16,
            (9..=16, false) => Kind::U16,
            (17..=32, true) => Kind::I32,
            (17..=32, false) => Kind::U32,
            (33..=64, true) => Kind::I64,
            (33..=64, false) => Kind::U64,
            (_, true) => Kind::I128,
            (_, false) => Kind::U128,
        }
    }

    /// Bytes in memory.
    #[inline(always)]
    pub fn size(self) -> u32 {
        match self {
            Kind::Bool | Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 | Kind::Ptr => 8,
            Kind::I128 | Kind::U128 | Kind::F80 => 16,
        }
    }

    /// Takes a pair of registers.
    #[inline(always)]
    pub fn is_wide(self) -> bool {
        matches!(self, Kind::I128 | Kind::U128 | Kind::F80)
    }

    /// Any integer kind, `_Bool` included.
    pub fn is_int(self) -> bool {
        !matches!(self, Kind::F32 | Kind::F64 | Kind::F80 | Kind::Ptr)
    }

    /// A floating kind.
    pub fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64 | Kind::F80)
    }

    /// A signed integer kind.
    pub fn is_signed(self) -> bool {
        matches!(self, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 | Kind::I128)
    }

    /// Width of an integer kind in bits.
    pub fn bits(self) -> u32 {
        if self == Kind::Bool { 1 } else { self.size() * 8 }
    }

    /// Brings the low bits of `v` into the register form of an integer kind of at most 64 bits.
    #[inline(always)]
    pub fn wrap(self, v: u64) -> u64 {
        match self {
            Kind::Bool => v & 1,
            Kind::I8 => v as i8 as i64 as u64,
            Kind::U8 => u64::from(v as u8),
            Kind::I16 => v as i16 as i64 as u64,
            Kind::U16 => u64::from(v as u16),
            Kind::I32 => v as i32 as i64 as u64,
            Kind::U32 | Kind::F32 => u64::from(v as u32),
            _ => v,
        }
    }

    /// The least value of a signed kind of 32 or 64 bits.
    pub fn least(self) -> i64 {
        if self == Kind::I32 { i64::from(i32::MIN) } else { i64::MIN }
    }

    /// The mathematical value of a register of an integer kind of at most 64 bits.
    pub fn value(self, v: u64) -> i128 {
        if self.is_signed() { i128::from(v as i64) } else { i128::from(v) }
    }
}
