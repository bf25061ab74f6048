//! Scalar kinds: how a value is represented in a register and in memory.
//!
//! A register is 64 bits. An integer is sign- or zero-extended according to its type, `float`
//! and `double` as their bits, a pointer packed (see [`crate::memory`]). `__int128` and
//! `long double` take a pair of registers: low half or significand first.

use ctree::{FloatKind, IntKind, Ty, TypeKind, TypeTable};

/// The kind of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum ScalarKind {
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
    /// A pointer of 4 bytes: in memory the number of an entry of [`crate::memory::Memory::narrow`].
    Ptr32,
}

impl ScalarKind {
    /// The kind of a scalar type, `None` for any other.
    pub fn of(types: &TypeTable, ty: Ty) -> Option<ScalarKind> {
        Some(match *types.shape(ty) {
            TypeKind::Pointer(_) if types.model.pointer_size == 4 => ScalarKind::Ptr32,
            TypeKind::Pointer(_) => ScalarKind::Ptr,
            TypeKind::Float(FloatKind::Float) => ScalarKind::F32,
            TypeKind::Float(FloatKind::Double) => ScalarKind::F64,
            TypeKind::Float(FloatKind::LongDouble) => ScalarKind::F80,
            TypeKind::Int(IntKind::Bool) => ScalarKind::Bool,
            TypeKind::Int(_) | TypeKind::Enum(_) => {
                let (bits, signed) = types.int_bits(ty)?;
                ScalarKind::int(bits, signed)
            }
            _ => return None,
        })
    }

    /// The integer kind of a width and signedness.
    pub fn int(bits: u32, signed: bool) -> ScalarKind {
        match (bits, signed) {
            (..=8, true) => ScalarKind::I8,
            (..=8, false) => ScalarKind::U8,
            (9..=16, true) => ScalarKind::I16,
            (9..=16, false) => ScalarKind::U16,
            (17..=32, true) => ScalarKind::I32,
            (17..=32, false) => ScalarKind::U32,
            (33..=64, true) => ScalarKind::I64,
            (33..=64, false) => ScalarKind::U64,
            (_, true) => ScalarKind::I128,
            (_, false) => ScalarKind::U128,
        }
    }

    /// Bytes in memory.
    #[inline(always)]
    pub fn size(self) -> u32 {
        match self {
            ScalarKind::Bool | ScalarKind::I8 | ScalarKind::U8 => 1,
            ScalarKind::I16 | ScalarKind::U16 => 2,
            ScalarKind::I32 | ScalarKind::U32 | ScalarKind::F32 | ScalarKind::Ptr32 => 4,
            ScalarKind::I64 | ScalarKind::U64 | ScalarKind::F64 | ScalarKind::Ptr => 8,
            ScalarKind::I128 | ScalarKind::U128 | ScalarKind::F80 => 16,
        }
    }

    /// Takes a pair of registers.
    #[inline(always)]
    pub fn is_wide(self) -> bool {
        matches!(self, ScalarKind::I128 | ScalarKind::U128 | ScalarKind::F80)
    }

    /// Any integer kind, `_Bool` included.
    pub fn is_int(self) -> bool {
        !self.is_float() && !self.is_pointer()
    }

    /// A pointer of either width; the same in a register.
    #[inline(always)]
    pub fn is_pointer(self) -> bool {
        matches!(self, ScalarKind::Ptr | ScalarKind::Ptr32)
    }

    /// A floating kind.
    pub fn is_float(self) -> bool {
        matches!(self, ScalarKind::F32 | ScalarKind::F64 | ScalarKind::F80)
    }

    /// A signed integer kind.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            ScalarKind::I8 | ScalarKind::I16 | ScalarKind::I32 | ScalarKind::I64 | ScalarKind::I128
        )
    }

    /// Width of an integer kind in bits.
    pub fn bits(self) -> u32 {
        if self == ScalarKind::Bool { 1 } else { self.size() * 8 }
    }

    /// The low bits of `v` in the register form of an integer kind of at most 64 bits.
    #[inline(always)]
    pub fn wrap(self, v: u64) -> u64 {
        match self {
            ScalarKind::Bool => v & 1,
            ScalarKind::I8 => v as i8 as i64 as u64,
            ScalarKind::U8 => u64::from(v as u8),
            ScalarKind::I16 => v as i16 as i64 as u64,
            ScalarKind::U16 => u64::from(v as u16),
            ScalarKind::I32 => v as i32 as i64 as u64,
            ScalarKind::U32 | ScalarKind::F32 => u64::from(v as u32),
            _ => v,
        }
    }

    /// The least value of a signed kind of 32 or 64 bits.
    pub fn least(self) -> i64 {
        if self == ScalarKind::I32 { i64::from(i32::MIN) } else { i64::MIN }
    }

    /// The mathematical value of a register of an integer kind of at most 64 bits.
    pub fn value(self, v: u64) -> i128 {
        if self.is_signed() { i128::from(v as i64) } else { i128::from(v) }
    }
}
