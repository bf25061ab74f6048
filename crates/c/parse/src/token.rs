//! Tokens (C11 6.4) and the keyword table.
//!
//! A token is 16 bytes: kind, place, and the symbol for identifiers. Keywords are kinds of their
//! own; the spellings GNU C adds (`__const`, `__inline__`, …) share the kind of the plain one.
//! Literals are kept as text and decoded when the parser meets them.

use ctree::{Interner, Span, Sym};

/// The kinds of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Tok {
    Eof,
    Ident,
    Int,
    Float,
    Char,
    Str,
    LParen,
    RParen,
    LBrace,
    RBrace,
    LBracket,
    RBracket,
    Semi,
    Comma,
    Colon,
    Question,
    Dot,
    Ellipsis,
    Arrow,
    PlusPlus,
    MinusMinus,
    Amp,
    Star,
    Plus,
    Minus,
    Tilde,
    Bang,
    Slash,
    Percent,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    EqEq,
    Ne,
    Caret,
    Pipe,
    AmpAmp,
    PipePipe,
    Assign,
    MulAssign,
    DivAssign,
    RemAssign,
    AddAssign,
    SubAssign,
    ShlAssign,
    ShrAssign,
    AndAssign,
    XorAssign,
    OrAssign,
    // Type specifiers and qualifiers first: `starts_type` compares against the range.
    KwVoid,
    KwChar,
    KwShort,
    KwInt,
    KwLong,
    KwFloat,
    KwDouble,
    KwSigned,
    KwUnsigned,
    KwBool,
    KwComplex,
    KwImaginary,
    KwInt128,
    KwInt128T,
    KwUInt128T,
    KwVaList,
    KwStruct,
    KwUnion,
    KwEnum,
    KwTypeof,
    KwAtomic,
    KwConst,
    KwVolatile,
    KwRestrict,
    KwAttribute,
    KwAutoType,
    // Storage classes and function specifiers.
    KwTypedef,
    KwExtern,
    KwStatic,
    KwAuto,
    KwRegister,
    KwThreadLocal,
    KwInline,
    KwNoreturn,
    KwAlignas,
    // Statements.
    KwIf,
    KwElse,
    KwWhile,
    KwDo,
    KwFor,
    KwSwitch,
    KwCase,
    KwDefault,
    KwBreak,
    KwContinue,
    KwGoto,
    KwReturn,
    KwAsm,
    KwLabel,
    KwStaticAssert,
    // Expressions.
    KwSizeof,
    KwAlignof,
    KwGeneric,
    KwExtension,
    KwFuncName,
    KwVaArg,
    KwOffsetof,
    KwChooseExpr,
    KwTypesCompatible,
    KwReal,
    KwImag,
}

impl Tok {
    /// A keyword that can only begin a type name: specifier or qualifier.
    pub(crate) fn starts_type(self) -> bool {
        (Tok::KwVoid as u8..=Tok::KwAutoType as u8).contains(&(self as u8))
    }

    /// `*=` and the like.
    pub(crate) fn is_compound_assignment(self) -> bool {
        (Tok::MulAssign as u8..=Tok::OrAssign as u8).contains(&(self as u8))
    }

    /// A keyword that begins a declaration.
    pub(crate) fn starts_declaration(self) -> bool {
        (Tok::KwVoid as u8..=Tok::KwAlignas as u8).contains(&(self as u8))
    }
}

/// A token. Offsets are those of the whole program's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub tok: Tok,
    pub lo: u32,
    pub hi: u32,
    /// The identifier or keyword; meaningless for other kinds.
    pub sym: Sym,
}

impl Token {
    pub(crate) fn span(self) -> Span {
        Span { lo: self.lo, hi: self.hi }
    }
}

/// Every keyword spelling.
const KEYWORDS: &[(&str, Tok)] = &[
    ("void", Tok::KwVoid),
    ("char", Tok::KwChar),
    ("short", Tok::KwShort),
    ("int", Tok::KwInt),
    ("long", Tok::KwLong),
    ("float", Tok::KwFloat),
    ("double", Tok::KwDouble),
    ("signed", Tok::KwSigned),
    ("__signed", Tok::KwSigned),
    ("__signed__", Tok::KwSigned),
    ("unsigned", Tok::KwUnsigned),
    ("_Bool", Tok::KwBool),
    ("_Complex", Tok::KwComplex),
    ("__complex", Tok::KwComplex),
    ("__complex__", Tok::KwComplex),
    ("_Imaginary", Tok::KwImaginary),
    ("__int128", Tok::KwInt128),
    ("__int128_t", Tok::KwInt128T),
    ("__uint128_t", Tok::KwUInt128T),
    ("__builtin_va_list", Tok::KwVaList),
    ("struct", Tok::KwStruct),
    ("union", Tok::KwUnion),
    ("enum", Tok::KwEnum),
    ("typeof", Tok::KwTypeof),
    ("__typeof", Tok::KwTypeof),
    ("__typeof__", Tok::KwTypeof),
    ("_Atomic", Tok::KwAtomic),
    ("const", Tok::KwConst),
    ("__const", Tok::KwConst),
    ("__const__", Tok::KwConst),
    ("volatile", Tok::KwVolatile),
    ("__volatile", Tok::KwVolatile),
    ("__volatile__", Tok::KwVolatile),
    ("restrict", Tok::KwRestrict),
    ("__restrict", Tok::KwRestrict),
    ("__restrict__", Tok::KwRestrict),
    ("__attribute", Tok::KwAttribute),
    ("__attribute__", Tok::KwAttribute),
    ("__auto_type", Tok::KwAutoType),
    ("typedef", Tok::KwTypedef),
    ("extern", Tok::KwExtern),
    ("static", Tok::KwStatic),
    ("auto", Tok::KwAuto),
    ("register", Tok::KwRegister),
    ("_Thread_local", Tok::KwThreadLocal),
    ("__thread", Tok::KwThreadLocal),
    ("inline", Tok::KwInline),
    ("__inline", Tok::KwInline),
    ("__inline__", Tok::KwInline),
    ("_Noreturn", Tok::KwNoreturn),
    ("_Alignas", Tok::KwAlignas),
    ("if", Tok::KwIf),
    ("else", Tok::KwElse),
    ("while", Tok::KwWhile),
    ("do", Tok::KwDo),
    ("for", Tok::KwFor),
    ("switch", Tok::KwSwitch),
    ("case", Tok::KwCase),
    ("default", Tok::KwDefault),
    ("break", Tok::KwBreak),
    ("continue", Tok::KwContinue),
    ("goto", Tok::KwGoto),
    ("return", Tok::KwReturn),
    ("asm", Tok::KwAsm),
    ("__asm", Tok::KwAsm),
    ("__asm__", Tok::KwAsm),
    ("__label__", Tok::KwLabel),
    ("_Static_assert", Tok::KwStaticAssert),
    ("sizeof", Tok::KwSizeof),
    ("_Alignof", Tok::KwAlignof),
    ("__alignof", Tok::KwAlignof),
    ("__alignof__", Tok::KwAlignof),
    ("_Generic", Tok::KwGeneric),
    ("__extension__", Tok::KwExtension),
    ("__func__", Tok::KwFuncName),
    ("__FUNCTION__", Tok::KwFuncName),
    ("__PRETTY_FUNCTION__", Tok::KwFuncName),
    ("__builtin_va_arg", Tok::KwVaArg),
    ("__builtin_offsetof", Tok::KwOffsetof),
    ("__builtin_choose_expr", Tok::KwChooseExpr),
    ("__builtin_types_compatible_p", Tok::KwTypesCompatible),
    ("__real", Tok::KwReal),
    ("__real__", Tok::KwReal),
    ("__imag", Tok::KwImag),
    ("__imag__", Tok::KwImag),
];

/// Which token kind each symbol has, by symbol index. Symbols past the end are identifiers.
///
/// Keywords are interned before anything else when the program is empty, so the table is short;
/// in a program that already holds names they may stand anywhere.
pub(crate) struct KeywordTable(Vec<Tok>);

impl KeywordTable {
    pub(crate) fn new(names: &mut Interner) -> KeywordTable {
        let mut table = Vec::new();
        for &(name, tok) in KEYWORDS {
            let index = names.intern(name).0 as usize;
            if table.len() <= index {
                table.resize(index + 1, Tok::Ident);
            }
            table[index] = tok;
        }
        KeywordTable(table)
    }

    #[inline]
    pub(crate) fn get(&self, sym: Sym) -> Tok {
        self.0.get(sym.0 as usize).copied().unwrap_or(Tok::Ident)
    }
}
