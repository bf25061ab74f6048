//! The target's data model: what C leaves to the implementation about sizes and alignments.

use crate::types::{FloatKind, IntKind};

/// The data models that are known, all little-endian with `int` of 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Abi {
    /// LP64: x86-64, and what else prints the same (AArch64, RISC-V, POWER, little-endian).
    Lp64,
    /// i386, System V ABI: ILP32 with `long long` and `double` aligned to 4 inside structures.
    I386,
    /// ILP32 with everything aligned to its size: ARM, RISC-V, MIPS, little-endian.
    Ilp32,
}

impl Abi {
    /// All of them, the one that programs are generated for first.
    pub const ALL: [Abi; 3] = [Abi::Lp64, Abi::I386, Abi::Ilp32];

    /// Its sizes and alignments.
    pub fn model(self) -> DataModel {
        match self {
            Abi::Lp64 => DataModel::X86_64_SYSV,
            Abi::I386 => DataModel::I386_SYSV,
            Abi::Ilp32 => DataModel::ILP32,
        }
    }

    /// As it is called in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Abi::Lp64 => "lp64",
            Abi::I386 => "i386",
            Abi::Ilp32 => "ilp32",
        }
    }
}

/// Sizes, alignments and signedness of the basic types of one target ABI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataModel {
    /// A name for messages, such as `x86_64-sysv`.
    pub name: &'static str,
    /// Bytes of a data or function pointer, of `size_t` and of `ptrdiff_t`.
    pub pointer_size: u32,
    /// Bytes of `long`.
    pub long_size: u32,
    /// Alignment of `long long` and `double` as members, which is what `_Alignof` says.
    pub wide_align: u32,
    /// Size and alignment of `long double`.
    pub long_double: (u32, u32),
    /// Size and alignment of `va_list`.
    pub va_list: (u32, u32),
    /// Whether there is an `__int128`.
    pub has_int128: bool,
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
        wide_align: 8,
        long_double: (16, 16),
        va_list: (24, 8),
        has_int128: true,
        char_signed: true,
        max_align: 16,
    };

    /// i386, System V ABI with the 16 bytes of stack alignment that GCC and Clang keep.
    pub const I386_SYSV: DataModel = DataModel {
        name: "i386-sysv",
        pointer_size: 4,
        long_size: 4,
        wide_align: 4,
        long_double: (12, 4),
        va_list: (4, 4),
        has_int128: false,
        ..DataModel::X86_64_SYSV
    };

    /// ILP32 with natural alignment. Its `long double` is that of no processor: programs with one are for others.
    pub const ILP32: DataModel =
        DataModel { name: "ilp32", wide_align: 8, max_align: 8, ..DataModel::I386_SYSV };

    /// Bytes of an integer type.
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

    /// Alignment of an integer type as a member.
    #[inline]
    pub fn int_align(&self, kind: IntKind) -> u32 {
        match self.int_size(kind) {
            8 => self.wide_align,
            size => size,
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
            FloatKind::Double => (8, self.wide_align),
            FloatKind::LongDouble => self.long_double,
        }
    }

    /// The unsigned type that `sizeof` yields.
    pub fn size_type(&self) -> IntKind {
        if self.pointer_size == 8 { IntKind::ULong } else { IntKind::UInt }
    }

    /// `intmax_t`, and `int64_t`.
    pub fn intmax_type(&self) -> IntKind {
        if self.long_size == 8 { IntKind::Long } else { IntKind::LongLong }
    }

    /// The signed type of a pointer difference.
    pub fn ptrdiff_type(&self) -> IntKind {
        if self.pointer_size == 8 { IntKind::Long } else { IntKind::Int }
    }
}
