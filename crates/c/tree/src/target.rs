//! The target's data model: what C leaves to the implementation about sizes and alignments.

use crate::types::{FloatKind, IntKind};

/// Sizes, alignments and signedness of the basic types of one target ABI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataModel {
    /// A name for messages, such as `x86_64-sysv`.
    pub name: &'static str,
    /// Bytes of a data or function pointer.
    pub pointer_size: u32,
    /// Bytes of `long`.
    pub long_size: u32,
    /// Size and alignment of `long double`.
    pub long_double: (u32, u32),
    /// Whether plain `char` is signed.
    pub char_signed: bool,
    /// Greatest alignment of a basic type; also what `malloc` guarantees.
    pub max_align: u32,
}

impl DataModel {
    /// x86-64, System V ABI (LP64).
    pub const X86_64_SYSV: DataModel = DataModel {
        name: "x86_64-sysv",
        pointer_size: 8,
        long_size: 8,
        long_double: (16, 16),
        char_signed: true,
        max_align: 16,
    };

    /// Bytes of an integer type; its alignment is the same.
    #[inline]
    pub fn int_size(&self, kind: IntKind) -> u32 {
        use IntKind::*;
        match kind {
            Bool | Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 4,
            Long | ULong => self.long_size,
            LongLong | ULongLong => 8,
            Int128 | UInt128 => 16,
        }
    }

    /// Whether an integer type is signed here.
    #[inline]
    pub fn int_signed(&self, kind: IntKind) -> bool {
        use IntKind::*;
        match kind {
            Char => self.char_signed,
            SChar | Short | Int | Long | LongLong | Int128 => true,
            Bool | UChar | UShort | UInt | ULong | ULongLong | UInt128 => false,
        }
    }

    /// Size and alignment of a floating type.
    #[inline]
    pub fn float_layout(&self, kind: FloatKind) -> (u32, u32) {
        match kind {
            FloatKind::Float => (4, 4),
            FloatKind::Double => (8, 8),
            FloatKind::LongDouble => self.long_double,
        }
    }

    /// The unsigned type that `sizeof` yields.
    pub fn size_type(&self) -> IntKind {
        if self.long_size == self.pointer_size { IntKind::ULong } else { IntKind::UInt }
    }

    /// The signed type of a pointer difference.
    pub fn ptrdiff_type(&self) -> IntKind {
        if self.long_size == self.pointer_size { IntKind::Long } else { IntKind::Int }
    }
}
