//! Declaration specifiers (C11 6.7): storage class, type, qualifiers, function specifiers,
//! alignment, and the attributes between them.

use crate::attr::Attrs;
use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::Parser;
use crate::scope::Binding;
use crate::token::{Tok, Token};
use ctree::*;

/// A storage-class specifier as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum StorageSpec {
    #[default]
    None,
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// A struct, union or enum among the specifiers, for declarations that declare nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum TagUse {
    #[default]
    None,
    Record(RecordId),
    /// An unnamed record defined here: the type of an anonymous member, or soon to be named.
    Unnamed(RecordId),
    Other,
}

/// Everything before the first declarator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Specs {
    pub ty: Option<Ty>,
    pub storage: StorageSpec,
    pub inline: bool,
    pub auto_type: bool,
    pub align: Option<u32>,
    pub attrs: Attrs,
    pub tag: TagUse,
    quals: Quals,
    basic: Basic,
}

impl Specs {
    /// The type, once parsed; `int` where none was written.
    pub(crate) fn base(&self) -> Ty {
        self.ty.unwrap_or(Ty::INT)
    }

    /// Alignment asked for by attribute or `_Alignas`.
    pub(crate) fn alignment(&self, also: &Attrs) -> Option<u32> {
        self.align.max(self.attrs.align).max(also.align)
    }
}

/// The keywords of a basic type, as a bit set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Basic(u16);

impl Basic {
    const VOID: u16 = 1;
    const CHAR: u16 = 2;
    const SHORT: u16 = 4;
    const INT: u16 = 8;
    const LONG: u16 = 16;
    const LONG2: u16 = 32;
    const FLOAT: u16 = 64;
    const DOUBLE: u16 = 128;
    const SIGNED: u16 = 256;
    const UNSIGNED: u16 = 512;
    const BOOL: u16 = 1024;
    const INT128: u16 = 2048;
    const COMPLEX: u16 = 4096;

    fn bit(tok: Tok) -> u16 {
        match tok {
            Tok::KwVoid => Self::VOID,
            Tok::KwChar => Self::CHAR,
            Tok::KwShort => Self::SHORT,
            Tok::KwInt => Self::INT,
            Tok::KwLong => Self::LONG,
            Tok::KwFloat => Self::FLOAT,
            Tok::KwDouble => Self::DOUBLE,
            Tok::KwSigned => Self::SIGNED,
            Tok::KwUnsigned => Self::UNSIGNED,
            Tok::KwBool => Self::BOOL,
            Tok::KwInt128 => Self::INT128,
            _ => Self::COMPLEX,
        }
    }

    /// Adds a keyword; false if it does not go with the others.
    fn add(&mut self, tok: Tok) -> bool {
        let bit = Self::bit(tok);
        if bit == Self::LONG && self.0 & Self::LONG != 0 {
            let first = self.0 & Self::LONG2 == 0;
            self.0 |= Self::LONG2;
            return first;
        }
        let new = self.0 & bit == 0;
        self.0 |= bit;
        new
    }

    fn ty(self) -> Option<Ty> {
        const INT: u16 = Basic::INT;
        const SIGNED: u16 = Basic::SIGNED;
        const UNSIGNED: u16 = Basic::UNSIGNED;
        // `int` and `signed` add nothing to the types that allow them.
        let plain = self.0 & !INT & !SIGNED;
        let marks = self.0 & (INT | SIGNED | UNSIGNED);
        let both = self.0 & (SIGNED | UNSIGNED) == SIGNED | UNSIGNED;
        if both {
            return None;
        }
        const LONG: u16 = Basic::LONG;
        const LONG2: u16 = Basic::LONG | Basic::LONG2;
        const UCHAR: u16 = Basic::CHAR | Basic::UNSIGNED;
        const USHORT: u16 = Basic::SHORT | Basic::UNSIGNED;
        const ULONG: u16 = LONG | UNSIGNED;
        const ULONG2: u16 = LONG2 | UNSIGNED;
        const UINT128: u16 = Basic::INT128 | UNSIGNED;
        const LDOUBLE: u16 = LONG | Basic::DOUBLE;
        Some(match plain {
            0 => Ty::INT,
            UNSIGNED => Ty::UINT,
            Self::CHAR if marks == 0 => Ty::CHAR,
            Self::CHAR if marks == SIGNED => Ty::SCHAR,
            UCHAR if marks == UNSIGNED => Ty::UCHAR,
            Self::SHORT => Ty::SHORT,
            USHORT => Ty::USHORT,
            LONG => Ty::LONG,
            ULONG => Ty::ULONG,
            LONG2 => Ty::LLONG,
            ULONG2 => Ty::ULLONG,
            Self::INT128 if marks & INT == 0 => Ty::INT128,
            UINT128 if marks & INT == 0 => Ty::UINT128,
            Self::VOID if marks == 0 => Ty::VOID,
            Self::BOOL if marks == 0 => Ty::BOOL,
            Self::FLOAT if marks == 0 => Ty::FLOAT,
            Self::DOUBLE if marks == 0 => Ty::DOUBLE,
            LDOUBLE if marks == 0 => Ty::LDOUBLE,
            _ => return None,
        })
    }
}

impl Parser<'_> {
    /// Whether the current token begins a declaration; an identifier does if it names a type and
    /// is not a label.
    pub(crate) fn declaration_ahead(&self) -> bool {
        match self.tok() {
            Tok::Ident => self.is_type_name(self.cur.sym) && self.peek(1).tok != Tok::Colon,
            Tok::KwStaticAssert => true,
            Tok::KwExtension => {
                let mut n = 1;
                while self.peek(n).tok == Tok::KwExtension {
                    n += 1;
                }
                let token = self.peek(n);
                token.tok.starts_declaration()
                    || token.tok == Tok::Ident && self.is_type_name(token.sym)
            }
            tok => tok.starts_declaration(),
        }
    }

    /// Parses declaration specifiers. `member` says that we are in a record's member list, where
    /// an unnamed record may be an anonymous member.
    pub(crate) fn specs(&mut self, member: bool) -> ParseResult<Specs> {
        let mut specs = Specs::default();
        let lo = self.cur.lo;
        loop {
            match self.tok() {
                Tok::Ident => {
                    let typed = specs.ty.is_some() || specs.basic.0 != 0 || specs.auto_type;
                    if typed || !self.is_type_name(self.cur.sym) {
                        break;
                    }
                    let token = self.bump();
                    specs.ty = Some(self.named_type(token));
                }
                Tok::KwConst => self.qualifier(&mut specs, Quals::CONST),
                Tok::KwVolatile => self.qualifier(&mut specs, Quals::VOLATILE),
                Tok::KwRestrict => self.qualifier(&mut specs, Quals::RESTRICT),
                Tok::KwAttribute => self.attributes(&mut specs.attrs)?,
                Tok::KwExtension => {
                    self.bump();
                }
                tok if (Tok::KwTypedef as u8..=Tok::KwAlignas as u8).contains(&(tok as u8)) => {
                    self.storage_or_function_spec(&mut specs)?;
                }
                tok if tok.starts_type() => self.type_spec(&mut specs)?,
                _ => break,
            }
        }
        self.finish_specs(&mut specs, member, lo)?;
        Ok(specs)
    }

    fn qualifier(&mut self, specs: &mut Specs, qual: Quals) {
        self.bump();
        specs.quals = specs.quals.with(qual);
    }

    /// A typedef name as a type.
    fn named_type(&mut self, token: Token) -> Ty {
        match self.scopes.name(token.sym).0 {
            Binding::Typedef(id) => self.intern(TypeKind::Typedef(id)),
            Binding::Unsupported(index) => {
                let what = self.unsupported_names[index as usize].0.clone();
                self.defer_unsupported(token.span(), what);
                Ty::DOUBLE
            }
            _ => Ty::INT,
        }
    }

    fn storage_or_function_spec(&mut self, specs: &mut Specs) -> ParseResult<()> {
        let token = self.bump();
        let storage = match token.tok {
            Tok::KwTypedef => StorageSpec::Typedef,
            Tok::KwExtern => StorageSpec::Extern,
            Tok::KwStatic => StorageSpec::Static,
            Tok::KwAuto => StorageSpec::Auto,
            Tok::KwRegister => StorageSpec::Register,
            Tok::KwInline => {
                specs.inline = true;
                return Ok(());
            }
            Tok::KwNoreturn => {
                specs.attrs.noreturn = true;
                return Ok(());
            }
            Tok::KwAlignas => return self.alignas(specs),
            _ => {
                self.defer_unsupported(token.span(), "thread-local storage");
                return Ok(());
            }
        };
        if specs.storage != StorageSpec::None {
            return invalid(token.span(), "multiple storage classes in declaration specifiers");
        }
        specs.storage = storage;
        Ok(())
    }

    fn alignas(&mut self, specs: &mut Specs) -> ParseResult<()> {
        let open = self.expect(Tok::LParen, "`(`")?;
        let align = if self.type_ahead(0) {
            let ty = self.type_name()?;
            self.program.types.align_of(ty)
        } else {
            self.const_u32("alignment")?
        };
        self.expect(Tok::RParen, "`)`")?;
        specs.align = specs.align.max(self.checked_alignment(align, open.span())?);
        Ok(())
    }

    fn type_spec(&mut self, specs: &mut Specs) -> ParseResult<()> {
        let token = self.cur;
        if token.tok == Tok::KwAtomic {
            return unsupported(token.span(), "`_Atomic`");
        }
        let given = specs.ty.is_some() || specs.auto_type;
        let compound = matches!(
            token.tok,
            Tok::KwStruct
                | Tok::KwUnion
                | Tok::KwEnum
                | Tok::KwTypeof
                | Tok::KwVaList
                | Tok::KwInt128T
                | Tok::KwUInt128T
                | Tok::KwAutoType
        );
        if given || compound && specs.basic.0 != 0 {
            return invalid(token.span(), "two or more data types in declaration specifiers");
        }
        let is_int128 = matches!(token.tok, Tok::KwInt128 | Tok::KwInt128T | Tok::KwUInt128T);
        if is_int128 && !self.program.types.model.has_int128 {
            return unsupported(token.span(), "`__int128`, which this data model does not have");
        }
        if !compound {
            self.bump();
            if let Tok::KwComplex | Tok::KwImaginary = token.tok {
                self.defer_unsupported(token.span(), "`_Complex` type");
                // Alone, it means `_Complex double`.
                return Ok(());
            }
            if !specs.basic.add(token.tok) {
                return invalid(token.span(), "two or more data types in declaration specifiers");
            }
            return Ok(());
        }
        specs.ty = Some(match token.tok {
            Tok::KwStruct | Tok::KwUnion => {
                specs.tag = self.record_specifier()?;
                match specs.tag {
                    TagUse::Record(id) | TagUse::Unnamed(id) => self.intern(TypeKind::Record(id)),
                    _ => Ty::INT,
                }
            }
            Tok::KwEnum => {
                specs.tag = TagUse::Other;
                self.enum_specifier()?
            }
            Tok::KwTypeof => self.typeof_specifier()?,
            Tok::KwAutoType => {
                self.bump();
                specs.auto_type = true;
                return Ok(());
            }
            simple => {
                self.bump();
                match simple {
                    Tok::KwVaList => Ty::VA_LIST,
                    Tok::KwInt128T => Ty::INT128,
                    _ => Ty::UINT128,
                }
            }
        });
        Ok(())
    }

    /// `typeof(e)` or `typeof(T)`; the operand is not evaluated and leaves no node.
    fn typeof_specifier(&mut self) -> ParseResult<Ty> {
        self.enter()?;
        self.bump();
        let open = self.expect(Tok::LParen, "`(`")?;
        let ty = if self.type_ahead(0) {
            self.type_name()?
        } else {
            let arena_mark = self.arena_mark();
            let e = self.expr()?;
            if let ExprKind::Member(..) | ExprKind::Arrow(..) = self.kind(e)
                && self.bit_field_width(e).is_some()
            {
                return invalid(open.span(), "`typeof` applied to a bit-field");
            }
            let ty = self.ty(e);
            self.drop_nodes_since(arena_mark);
            ty
        };
        self.expect(Tok::RParen, "`)`")?;
        self.leave();
        Ok(ty)
    }

    fn finish_specs(&mut self, specs: &mut Specs, member: bool, lo: u32) -> ParseResult<()> {
        if specs.ty.is_none() && specs.basic.0 != 0 {
            specs.ty = specs.basic.ty();
            if specs.ty.is_none() {
                let message = "two or more data types in declaration specifiers";
                return invalid(self.span_from(lo), message);
            }
        }
        if let TagUse::Unnamed(id) = specs.tag {
            if member && self.tok() == Tok::Semi {
                // An anonymous member: printed in place, so it is not an item.
                if self.pending.last() == Some(&Item::Record(id)) {
                    self.pending.pop();
                }
            } else {
                let tag = self.fresh_tag();
                self.program.types.records[id.index()].tag = Some(tag);
                specs.tag = TagUse::Other;
            }
        }
        if specs.quals != Quals::NONE || specs.attrs.mode.is_some() || specs.attrs.vector.is_some()
        {
            let ty = specs.base().qualified(specs.quals);
            let span = self.span_from(lo);
            specs.ty = Some(self.apply_type_attrs(ty, &specs.attrs, span)?);
            specs.attrs.mode = None;
            specs.attrs.vector = None;
        }
        Ok(())
    }

    /// A type name, as in casts and `sizeof` (6.7.7). Unsupported types are refused here.
    pub(crate) fn type_name(&mut self) -> ParseResult<Ty> {
        let token = self.cur;
        let specs = self.specs(false)?;
        if specs.storage != StorageSpec::None || specs.auto_type {
            return invalid(token.span(), "storage class in a type name");
        }
        if specs.ty.is_none() && self.deferred.is_none() {
            return self.unexpected("type name");
        }
        let ty = self.abstract_declarator(specs.base())?;
        self.check_deferred()?;
        self.check_height()?;
        Ok(ty)
    }
}
