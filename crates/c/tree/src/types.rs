//! C types, interned: equal types have equal [`Ty`]s.
//!
//! A [`Ty`] packs an index into the [`TypeTable`] with the three qualifiers, so that qualifying or
//! unqualifying a type touches no table. Typedef names are kept ([`TypeKind::Typedef`]) where
//! a declaration was written with one; [`TypeTable::canon`] looks through them in one step.
//! Expression types are always canonical.

use crate::ids::{EnumId, RecordId, TypedefId};
use crate::symbol::{Fnv, Sym};
use crate::target::DataModel;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Type qualifiers, as a bit set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Quals(pub u8);

impl Quals {
    /// No qualifier.
    pub const NONE: Quals = Quals(0);
    /// `const`.
    pub const CONST: Quals = Quals(1);
    /// `volatile`.
    pub const VOLATILE: Quals = Quals(2);
    /// `restrict`; printed, and ignored by the machine.
    pub const RESTRICT: Quals = Quals(4);

    /// Both sets together.
    #[inline]
    pub fn with(self, other: Quals) -> Quals {
        Quals(self.0 | other.0)
    }

    /// Whether all of `other` is in `self`.
    #[inline]
    pub fn has(self, other: Quals) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A possibly qualified type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ty(u32);

macro_rules! basic_types {
    ($($(#[$doc:meta])* $name:ident = $index:expr, $kind:expr;)*) => {
        impl Ty {
            $($(#[$doc])* pub const $name: Ty = Ty($index << 3);)*
        }
        const BASIC: &[TypeKind] = &[$($kind),*];
    };
}

basic_types! {
    /// `void`
    VOID = 0, TypeKind::Void;
    /// `_Bool`
    BOOL = 1, TypeKind::Int(IntKind::Bool);
    /// `char`
    CHAR = 2, TypeKind::Int(IntKind::Char);
    /// `signed char`
    SCHAR = 3, TypeKind::Int(IntKind::SChar);
    /// `unsigned char`
    UCHAR = 4, TypeKind::Int(IntKind::UChar);
    /// `short`
    SHORT = 5, TypeKind::Int(IntKind::Short);
    /// `unsigned short`
    USHORT = 6, TypeKind::Int(IntKind::UShort);
    /// `int`
    INT = 7, TypeKind::Int(IntKind::Int);
    /// `unsigned int`
    UINT = 8, TypeKind::Int(IntKind::UInt);
    /// `long`
    LONG = 9, TypeKind::Int(IntKind::Long);
    /// `unsigned long`
    ULONG = 10, TypeKind::Int(IntKind::ULong);
    /// `long long`
    LLONG = 11, TypeKind::Int(IntKind::LongLong);
    /// `unsigned long long`
    ULLONG = 12, TypeKind::Int(IntKind::ULongLong);
    /// `__int128`
    INT128 = 13, TypeKind::Int(IntKind::Int128);
    /// `unsigned __int128`
    UINT128 = 14, TypeKind::Int(IntKind::UInt128);
    /// `float`
    FLOAT = 15, TypeKind::Float(FloatKind::Float);
    /// `double`
    DOUBLE = 16, TypeKind::Float(FloatKind::Double);
    /// `long double`
    LDOUBLE = 17, TypeKind::Float(FloatKind::LongDouble);
    /// `__builtin_va_list`
    VA_LIST = 18, TypeKind::VaList;
}

impl Ty {
    /// The qualifiers on the outside of the type.
    #[inline]
    pub fn quals(self) -> Quals {
        Quals(self.0 as u8 & 7)
    }

    /// The type without its outermost qualifiers.
    #[inline]
    pub fn unqual(self) -> Ty {
        Ty(self.0 & !7)
    }

    /// The type with qualifiers added.
    #[inline]
    pub fn qualified(self, quals: Quals) -> Ty {
        Ty(self.0 | u32::from(quals.0))
    }

    /// Whether it is `const`-qualified on the outside.
    #[inline]
    pub fn is_const(self) -> bool {
        self.quals().has(Quals::CONST)
    }

    /// Whether it is `volatile`-qualified on the outside.
    #[inline]
    pub fn is_volatile(self) -> bool {
        self.quals().has(Quals::VOLATILE)
    }

    /// A dense index of the unqualified type, for side tables.
    #[inline]
    pub fn index(self) -> usize {
        (self.0 >> 3) as usize
    }
}

/// The integer types that C names; enums are separate and convert to one of these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum IntKind {
    Bool,
    Char,
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
    Int128,
    UInt128,
}

impl IntKind {
    /// C's integer conversion rank (6.3.1.1), in steps of one.
    pub fn rank(self) -> u8 {
        use IntKind::*;
        match self {
            Bool => 0,
            Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 3,
            Long | ULong => 4,
            LongLong | ULongLong => 5,
            Int128 | UInt128 => 6,
        }
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> IntKind {
        use IntKind::*;
        match self {
            Bool => Bool,
            Char | SChar | UChar => UChar,
            Short | UShort => UShort,
            Int | UInt => UInt,
            Long | ULong => ULong,
            LongLong | ULongLong => ULongLong,
            Int128 | UInt128 => UInt128,
        }
    }

    /// The type itself.
    pub fn ty(self) -> Ty {
        Ty((1 + self as u32) << 3)
    }
}

/// The real floating types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum FloatKind {
    Float,
    Double,
    LongDouble,
}

impl FloatKind {
    /// The type itself.
    pub fn ty(self) -> Ty {
        Ty((15 + self as u32) << 3)
    }
}

/// Number of elements of an array type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLen {
    /// `[n]`
    Known(u64),
    /// `[]`: incomplete, or a flexible array member.
    Unknown,
}

/// A function type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FuncType {
    /// Return type, unqualified.
    pub ret: Ty,
    /// Parameter types after adjustment (arrays and functions to pointers), unqualified on the outside.
    pub params: Box<[Ty]>,
    /// Ends in `...`.
    pub variadic: bool,
    /// Has a prototype; false for `int f()` and old-style definitions.
    pub proto: bool,
}

/// The kind of an unqualified type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum TypeKind {
    Void,
    Int(IntKind),
    Float(FloatKind),
    Enum(EnumId),
    Pointer(Ty),
    Array(Ty, ArrayLen),
    /// GCC's `vector_size` extension: element type and number of lanes.
    Vector(Ty, u32),
    Function(FuncType),
    Record(RecordId),
    /// A typedef name, kept for printing; [`TypeTable::canon`] resolves it.
    Typedef(TypedefId),
    /// `__builtin_va_list`, opaque.
    VaList,
}

/// Struct or union.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum RecordKind {
    Struct,
    Union,
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// `None` for an anonymous struct or union member, or an unnamed bit-field.
    pub name: Option<Sym>,
    /// Declared type, typedef names kept.
    pub ty: Ty,
    /// Width of a bit-field.
    pub bits: Option<u32>,
    /// `__attribute__((packed))` on the member.
    pub packed: bool,
    /// `__attribute__((aligned(n)))` or `_Alignas(n)` on the member.
    pub align: Option<u32>,
    /// Byte offset; for a bit-field, of the byte that holds its first bit. Set by layout.
    pub offset: u64,
    /// For a bit-field, first bit within that byte (little-endian). Set by layout.
    pub bit: u32,
}

impl Field {
    /// A plain named member; layout is filled in when the record is completed.
    pub fn new(name: Option<Sym>, ty: Ty) -> Field {
        Field { name, ty, bits: None, packed: false, align: None, offset: 0, bit: 0 }
    }
}

/// A struct or union type. Two records are the same type only if they are the same entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// `None` only for the type of an anonymous member, which is printed in place.
    pub tag: Option<Sym>,
    /// Struct or union.
    pub kind: RecordKind,
    /// Members in order; empty while incomplete.
    pub fields: Vec<Field>,
    /// The member list has been seen.
    pub complete: bool,
    /// `__attribute__((packed))`, or `#pragma pack(1)`.
    pub packed: bool,
    /// `__attribute__((aligned(n)))` on the type.
    pub min_align: Option<u32>,
    /// Bytes, set by layout.
    pub size: u64,
    /// Alignment, set by layout.
    pub align: u32,
}

/// A member of an enumerated type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Sym,
    /// Its value, sign-extended to 64 bits; read it with the enumerator's type.
    pub value: i64,
    /// The type of the constant: `int` wherever the value fits.
    pub ty: Ty,
}

/// An enumerated type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    /// Its tag.
    pub tag: Option<Sym>,
    /// Members; empty while incomplete.
    pub members: Vec<Enumerator>,
    /// The compatible integer type.
    pub int: IntKind,
    /// `__attribute__((packed))`.
    pub packed: bool,
}

/// A typedef name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typedef {
    /// Its name.
    pub name: Sym,
    /// What it stands for, typedef names kept.
    pub ty: Ty,
    /// `__attribute__((aligned(n)))` on the typedef.
    pub align: Option<u32>,
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct TypeTable {
    kinds: Vec<TypeKind>,
    canon: Vec<Ty>,
    map: HashMap<TypeKind, u32, BuildHasherDefault<Fnv>>,
    /// Structs and unions.
    pub records: Vec<Record>,
    /// Enumerated types.
    pub enums: Vec<Enum>,
    /// Typedef names.
    pub typedefs: Vec<Typedef>,
    /// The target's sizes and alignments.
    pub model: DataModel,
}

impl TypeTable {
    /// A table with the basic types only.
    pub fn new(model: DataModel) -> TypeTable {
        let mut table = TypeTable {
            kinds: Vec::new(),
            canon: Vec::new(),
            map: HashMap::default(),
            records: Vec::new(),
            enums: Vec::new(),
            typedefs: Vec::new(),
            model,
        };
        for kind in BASIC {
            table.intern(kind.clone());
        }
        table
    }

    /// The type of the given kind.
    pub fn intern(&mut self, kind: TypeKind) -> Ty {
        if let Some(&index) = self.map.get(&kind) {
            return Ty(index << 3);
        }
        let canon = self.canonical_of(&kind);
        let index = self.kinds.len() as u32;
        self.kinds.push(kind.clone());
        self.canon.push(Ty(index << 3));
        self.map.insert(kind, index);
        if let Some(canon) = canon {
            self.canon[index as usize] = canon;
        }
        Ty(index << 3)
    }

    /// The canonical type of a kind, `None` where it is canonical itself.
    fn canonical_of(&mut self, kind: &TypeKind) -> Option<Ty> {
        let canonical = match *kind {
            TypeKind::Pointer(to) => TypeKind::Pointer(self.canon(to)),
            TypeKind::Array(elem, len) => TypeKind::Array(self.canon(elem), len),
            TypeKind::Vector(elem, lanes) => TypeKind::Vector(self.canon(elem), lanes),
            TypeKind::Function(ref f) => TypeKind::Function(FuncType {
                ret: self.canon(f.ret).unqual(),
                params: f.params.iter().map(|&p| self.canon(p).unqual()).collect(),
                variadic: f.variadic,
                proto: f.proto,
            }),
            TypeKind::Typedef(id) => return Some(self.canon(self.typedefs[id.index()].ty)),
            _ => return None,
        };
        if canonical == *kind { None } else { Some(self.intern(canonical)) }
    }

    /// The kind of a type as written; qualifiers are ignored.
    #[inline]
    pub fn kind(&self, ty: Ty) -> &TypeKind {
        &self.kinds[ty.index()]
    }

    /// The kind of the type with this [`Ty::index`]; parts of a type have smaller indices.
    #[inline]
    pub fn kind_at(&self, index: usize) -> &TypeKind {
        &self.kinds[index]
    }

    /// The type with all typedef names resolved, at every depth. Qualifiers of an array go to its
    /// elements (6.7.3p9).
    #[inline]
    pub fn canon(&mut self, ty: Ty) -> Ty {
        let base = self.canon[ty.index()];
        let quals = ty.quals();
        if quals == Quals::NONE || !matches!(self.kinds[base.index()], TypeKind::Array(..)) {
            return base.qualified(quals);
        }
        self.qualify_array(base, quals)
    }

    fn qualify_array(&mut self, ty: Ty, quals: Quals) -> Ty {
        let TypeKind::Array(elem, len) = *self.kind(ty) else {
            return ty.qualified(quals);
        };
        let elem = self.qualify_array(elem, quals);
        self.intern(TypeKind::Array(elem, len))
    }

    /// The kind of a type after its outermost typedef names are resolved; qualifiers are ignored.
    #[inline]
    pub fn shape(&self, ty: Ty) -> &TypeKind {
        &self.kinds[self.canon[ty.index()].index()]
    }

    /// Like [`canon`](Self::canon) without the array rule and without changing the table: sufficient
    /// for everything but qualified arrays behind a typedef.
    #[inline]
    pub fn resolved(&self, ty: Ty) -> Ty {
        self.canon[ty.index()].qualified(ty.quals())
    }

    /// `T *`
    pub fn pointer(&mut self, to: Ty) -> Ty {
        self.intern(TypeKind::Pointer(to))
    }

    /// `T [n]`
    pub fn array(&mut self, elem: Ty, len: u64) -> Ty {
        self.intern(TypeKind::Array(elem, ArrayLen::Known(len)))
    }

    /// A vector of GCC's `vector_size`; `elem` is an integer or floating type, `lanes` a power of 2.
    pub fn vector(&mut self, elem: Ty, lanes: u32) -> Ty {
        self.intern(TypeKind::Vector(elem, lanes))
    }

    /// The number of types; indices run below it.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Never true: the basic types are always there.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The record behind a type, through typedefs.
    pub fn as_record(&self, ty: Ty) -> Option<RecordId> {
        match *self.shape(ty) {
            TypeKind::Record(id) => Some(id),
            _ => None,
        }
    }

    /// What a pointer points to, through typedefs.
    pub fn pointee(&self, ty: Ty) -> Option<Ty> {
        match *self.shape(ty) {
            TypeKind::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// Element type and length of an array, through typedefs.
    pub fn as_array(&self, ty: Ty) -> Option<(Ty, ArrayLen)> {
        match *self.shape(ty) {
            TypeKind::Array(elem, len) => Some((elem, len)),
            _ => None,
        }
    }

    /// The function type behind a type, through typedefs (not through pointers).
    pub fn as_function(&self, ty: Ty) -> Option<&FuncType> {
        match self.shape(ty) {
            TypeKind::Function(f) => Some(f),
            _ => None,
        }
    }

    /// The integer type that holds values of `ty`: itself, or an enum's compatible type.
    #[inline]
    pub fn int_kind(&self, ty: Ty) -> Option<IntKind> {
        match *self.shape(ty) {
            TypeKind::Int(kind) => Some(kind),
            TypeKind::Enum(id) => Some(self.enums[id.index()].int),
            _ => None,
        }
    }

    /// The floating type behind `ty`.
    pub fn float_kind(&self, ty: Ty) -> Option<FloatKind> {
        match *self.shape(ty) {
            TypeKind::Float(kind) => Some(kind),
            _ => None,
        }
    }

    /// Width in bits and signedness of an integer or enum type. `_Bool` has width 1.
    #[inline]
    pub fn int_bits(&self, ty: Ty) -> Option<(u32, bool)> {
        let kind = self.int_kind(ty)?;
        let bits = if kind == IntKind::Bool { 1 } else { self.model.int_size(kind) * 8 };
        Some((bits, self.model.int_signed(kind)))
    }

    /// Integer, enum, floating or pointer type.
    pub fn is_scalar(&self, ty: Ty) -> bool {
        use TypeKind::*;
        matches!(self.shape(ty), Int(_) | Enum(_) | Float(_) | Pointer(_))
    }

    /// Integer or enum type.
    pub fn is_integer(&self, ty: Ty) -> bool {
        matches!(self.shape(ty), TypeKind::Int(_) | TypeKind::Enum(_))
    }

    /// Integer, enum or floating type.
    pub fn is_arithmetic(&self, ty: Ty) -> bool {
        matches!(self.shape(ty), TypeKind::Int(_) | TypeKind::Enum(_) | TypeKind::Float(_))
    }

    /// Pointer type.
    pub fn is_pointer(&self, ty: Ty) -> bool {
        matches!(self.shape(ty), TypeKind::Pointer(_))
    }

    /// `void`, qualified or not.
    pub fn is_void(&self, ty: Ty) -> bool {
        matches!(self.shape(ty), TypeKind::Void)
    }
}
