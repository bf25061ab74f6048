//! Enumeration specifiers (C11 6.7.2.2), with the integer types GCC chooses.

use crate::attr::Attrs;
use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::Parser;
use crate::scope::{Binding, Tag};
use crate::token::{Tok, Token};
use ctree::*;

impl Parser<'_> {
    /// `enum E`, `enum E { … }`, `enum { … }`.
    pub(crate) fn enum_specifier(&mut self) -> ParseResult<Ty> {
        self.enter()?;
        self.bump();
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs)?;
        let tag = (self.tok() == Tok::Ident).then(|| self.bump());
        let id = if self.tok() == Tok::LBrace {
            self.enum_definition(tag, attrs)?
        } else {
            let Some(tag) = tag else { return self.unexpected("tag or `{`") };
            match self.scopes.tag(tag.sym).0 {
                Tag::Enum(id) => id,
                Tag::Record(_) => return self.wrong_tag(tag),
                // GCC takes a forward reference; it becomes complete with the definition.
                Tag::None => self.new_enum(Some(tag.sym), Some(tag.sym)),
            }
        };
        self.leave();
        Ok(self.intern(TypeKind::Enum(id)))
    }

    fn new_enum(&mut self, tag: Option<Sym>, shown: Option<Sym>) -> EnumId {
        let int = IntKind::UInt;
        let members = Vec::new();
        self.program.types.enums.push(Enum { tag: shown, members, int, packed: false });
        let id = EnumId(self.program.types.enums.len() as u32 - 1);
        if let Some(tag) = tag {
            self.scopes.bind_tag(tag, Tag::Enum(id));
        }
        id
    }

    fn enum_to_define(&mut self, tag: Option<Token>) -> ParseResult<EnumId> {
        let Some(tag) = tag else {
            let shown = self.fresh_tag();
            return Ok(self.new_enum(None, Some(shown)));
        };
        let (seen, level) = self.scopes.tag(tag.sym);
        match seen {
            Tag::Enum(id) if level == self.scopes.level() => {
                if !self.program.types.enums[id.index()].members.is_empty() {
                    let name = self.name(tag.sym);
                    return invalid(tag.span(), format!("redefinition of `enum {name}`"));
                }
                Ok(id)
            }
            Tag::Record(_) if level == self.scopes.level() => self.wrong_tag(tag),
            _ => {
                let shown = self.hoisted_tag(tag.sym);
                Ok(self.new_enum(Some(tag.sym), Some(shown)))
            }
        }
    }

    fn enum_definition(&mut self, tag: Option<Token>, mut attrs: Attrs) -> ParseResult<EnumId> {
        let id = self.enum_to_define(tag)?;
        self.bump();
        let mut next: i128 = 0;
        let mut range = (0i128, 0i128);
        while self.tok() != Tok::RBrace {
            let value = self.enumerator(id, next)?;
            range = (range.0.min(value), range.1.max(value));
            next = value + 1;
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        let close = self.expect(Tok::RBrace, "`}`")?;
        if next == 0 && self.program.types.enums[id.index()].members.is_empty() {
            return invalid(close.span(), "empty enum");
        }
        self.attributes(&mut attrs)?;
        let widest = self.program.types.model.intmax_type();
        let int = enum_kind(range, attrs.packed, widest);
        if attrs.mode.is_some() {
            return unsupported(close.span(), "`enum` with a machine mode");
        }
        let entry = &mut self.program.types.enums[id.index()];
        entry.int = int;
        entry.packed = attrs.packed;
        for member in &mut entry.members {
            if member.ty != Ty::INT {
                member.ty = int.ty();
            }
        }
        self.pending.push(Item::Enum(id));
        Ok(id)
    }

    /// One enumeration constant; returns its value.
    fn enumerator(&mut self, id: EnumId, next: i128) -> ParseResult<i128> {
        let name = self.expect(Tok::Ident, "enumerator")?;
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs)?;
        let value =
            if self.eat(Tok::Assign) { self.const_int("enumerator value")?.0 } else { next };
        let ty = if i32::try_from(value).is_ok() {
            Ty::INT
        } else if i64::try_from(value).is_ok() {
            self.program.types.model.intmax_type().ty()
        } else if u64::try_from(value).is_ok() {
            self.program.types.model.intmax_type().to_unsigned().ty()
        } else {
            return invalid(name.span(), "enumerator value out of range");
        };
        if self.scopes.name_here(name.sym) != Binding::None {
            let shown = self.name(name.sym);
            return invalid(name.span(), format!("redeclaration of enumerator `{shown}`"));
        }
        let members = &mut self.program.types.enums[id.index()].members;
        members.push(Enumerator { name: name.sym, value: value as i64, ty });
        let index = members.len() as u32 - 1;
        self.scopes.bind(name.sym, Binding::Enumerator(id, index));
        Ok(value)
    }
}

/// The integer type GCC gives an enum with values in this range; `widest` is the signed one of 64 bits.
fn enum_kind((min, max): (i128, i128), packed: bool, widest: IntKind) -> IntKind {
    use IntKind::*;
    let signed = [(SChar, 8), (Short, 16), (Int, 32), (widest, 64)];
    let unsigned = [(UChar, 8), (UShort, 16), (UInt, 32), (widest.to_unsigned(), 64)];
    let skip = if packed { 0 } else { 2 };
    if min < 0 {
        let fits = |bits: u32| min >= -(1i128 << (bits - 1)) && max < 1i128 << (bits - 1);
        signed[skip..].iter().find(|k| fits(k.1)).map_or(widest, |k| k.0)
    } else {
        unsigned[skip..].iter().find(|k| max < 1i128 << k.1).map_or(widest.to_unsigned(), |k| k.0)
    }
}
