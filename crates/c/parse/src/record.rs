//! Structure and union specifiers (C11 6.7.2.1, 6.7.2.3).
//!
//! A definition becomes an item of its own, before the declaration or statement that contains it.
//! A tag that would thereby leave its scope is given a generated name.

use crate::attr::Attrs;
use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::{MAX_HEIGHT, MAX_SIZE, Parser, RecordFacts};
use crate::scope::Tag;
use crate::specs::{Specs, TagUse};
use crate::token::{Tok, Token};
use ctree::*;

impl Parser<'_> {
    /// `struct S`, `struct S { … }`, `struct { … }`, and the same with `union`.
    pub(crate) fn record_specifier(&mut self) -> ParseResult<TagUse> {
        self.enter()?;
        let keyword = self.bump();
        let kind =
            if keyword.tok == Tok::KwStruct { RecordKind::Struct } else { RecordKind::Union };
        let outer_deferred = self.deferred.take();
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs)?;
        let tag = (self.tok() == Tok::Ident).then(|| self.bump());
        self.attributes(&mut attrs)?;
        let used = if self.tok() == Tok::LBrace {
            self.record_definition(kind, tag, attrs)?
        } else {
            let Some(tag) = tag else { return self.unexpected("tag or `{`") };
            TagUse::Record(self.record_reference(kind, tag)?)
        };
        if let TagUse::Record(id) = used
            && let Some((_, what)) = self.unsupported_records.iter().find(|r| r.0 == id)
        {
            let what = what.clone();
            self.defer_unsupported(keyword.span(), what);
        }
        self.deferred = outer_deferred.or(self.deferred.take());
        self.leave();
        Ok(used)
    }

    /// A tag without a member list: the visible one, or a new incomplete type.
    fn record_reference(&mut self, kind: RecordKind, tag: Token) -> ParseResult<RecordId> {
        let (seen, level) = self.scopes.tag(tag.sym);
        // `struct S;` alone declares the tag anew in this scope.
        let alone = self.tok() == Tok::Semi && level != self.scopes.level();
        match seen {
            Tag::Record(id) if !alone => {
                if self.program.types.records[id.index()].kind != kind {
                    return self.wrong_tag(tag);
                }
                Ok(id)
            }
            Tag::Enum(_) if !alone => self.wrong_tag(tag),
            _ => {
                let id = self.new_record(kind, Some(tag.sym));
                self.scopes.bind_tag(tag.sym, Tag::Record(id));
                Ok(id)
            }
        }
    }

    pub(crate) fn wrong_tag<T>(&self, tag: Token) -> ParseResult<T> {
        let name = self.name(tag.sym);
        invalid(tag.span(), format!("`{name}` defined as wrong kind of tag"))
    }

    fn new_record(&mut self, kind: RecordKind, tag: Option<Sym>) -> RecordId {
        self.program.types.records.push(Record {
            tag,
            kind,
            fields: Vec::new(),
            complete: false,
            packed: false,
            min_align: None,
            size: 0,
            align: 0,
        });
        RecordId(self.program.types.records.len() as u32 - 1)
    }

    fn record_definition(
        &mut self,
        kind: RecordKind,
        tag: Option<Token>,
        mut attrs: Attrs,
    ) -> ParseResult<TagUse> {
        let id = self.record_to_define(kind, tag)?;
        let open = self.bump();
        let items_before = self.pending.len();
        let fields = self.member_list()?;
        let close = self.pos;
        self.expect(Tok::RBrace, "`}`")?;
        self.attributes(&mut attrs)?;
        if self.program.types.records[id.index()].complete {
            return invalid(open.span(), "nested redefinition of a record");
        }
        let has_unsupported = self.deferred.is_some();
        if let Some((_, what)) = &self.deferred {
            self.unsupported_records.push((id, what.clone()));
        }
        let record = &mut self.program.types.records[id.index()];
        record.fields = fields;
        record.packed = attrs.packed;
        record.min_align = attrs.align;
        self.apply_pragma_pack(id, close, open.span())?;
        self.complete(id, open.span())?;
        if tag.is_some() && self.pending.len() > items_before {
            // What was hoisted out of the member list may mention the tag.
            self.pending.insert(items_before, Item::RecordDecl(id));
        }
        if !has_unsupported {
            self.pending.push(Item::Record(id));
        }
        Ok(if tag.is_some() { TagUse::Record(id) } else { TagUse::Unnamed(id) })
    }

    /// The entry a definition completes: one declared in this scope, or a new one.
    fn record_to_define(&mut self, kind: RecordKind, tag: Option<Token>) -> ParseResult<RecordId> {
        let Some(tag) = tag else { return Ok(self.new_record(kind, None)) };
        let (seen, level) = self.scopes.tag(tag.sym);
        if level == self.scopes.level() {
            match seen {
                Tag::Record(id) => {
                    let record = &self.program.types.records[id.index()];
                    if record.kind != kind {
                        return self.wrong_tag(tag);
                    }
                    if record.complete {
                        let name = self.name(tag.sym);
                        return invalid(tag.span(), format!("redefinition of `{name}`"));
                    }
                    return Ok(id);
                }
                Tag::Enum(_) => return self.wrong_tag(tag),
                Tag::None => {}
            }
        }
        let name = self.hoisted_tag(tag.sym);
        let id = self.new_record(kind, Some(name));
        self.scopes.bind_tag(tag.sym, Tag::Record(id));
        Ok(id)
    }

    /// The tag to print: a generated one if the definition will be hoisted out of its scope.
    pub(crate) fn hoisted_tag(&mut self, tag: Sym) -> Sym {
        if self.scopes.level() == self.pending_level { tag } else { self.fresh_tag() }
    }

    fn member_list(&mut self) -> ParseResult<Vec<Field>> {
        let mut fields = Vec::new();
        loop {
            match self.tok() {
                Tok::RBrace => break,
                Tok::Semi => {
                    self.bump();
                }
                Tok::KwStaticAssert => self.static_assert()?,
                _ => self.member_declaration(&mut fields)?,
            }
        }
        self.check_members(&fields)?;
        Ok(fields)
    }

    fn member_declaration(&mut self, fields: &mut Vec<Field>) -> ParseResult<()> {
        let lo = self.cur.lo;
        let specs = self.specs(true)?;
        if specs.ty.is_none() && self.deferred.is_none() {
            return self.unexpected("member declaration");
        }
        if self.eat(Tok::Semi) {
            if let TagUse::Unnamed(id) = specs.tag {
                let ty = specs.base();
                let mut field = Field::new(None, ty);
                field.align = specs.alignment(&Attrs::default());
                let _ = id;
                fields.push(field);
            }
            return Ok(());
        }
        loop {
            let field = self.member_declarator(&specs, lo)?;
            fields.push(field);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        if self.tok() == Tok::RBrace {
            return Ok(()); // GCC takes a missing semicolon at the end of the list.
        }
        self.expect(Tok::Semi, "`;`")?;
        Ok(())
    }

    fn member_declarator(&mut self, specs: &Specs, lo: u32) -> ParseResult<Field> {
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs)?;
        let (name, mut ty) = if self.tok() == Tok::Colon {
            (None, specs.base())
        } else {
            let d = self.declarator(specs.base())?;
            attrs.merge(&d.attrs);
            (Some(d.name), d.ty)
        };
        let bits = if self.eat(Tok::Colon) {
            let span = self.cur.span();
            let (width, _) = self.const_int("bit-field width")?;
            Some((width, span))
        } else {
            None
        };
        self.attributes(&mut attrs)?;
        let span = self.span_from(lo);
        ty = self.apply_type_attrs(ty, &attrs, span)?;
        let mut field = Field::new(name.map(|n| n.sym), ty);
        field.packed = attrs.packed || specs.attrs.packed;
        field.align = specs.alignment(&attrs);
        if let Some((width, span)) = bits {
            field.bits = Some(self.bit_width(ty, width, name.is_some(), span)?);
        } else if self.program.types.as_function(ty).is_some() {
            let name = name.map_or("", |n| self.name(n.sym));
            return invalid(span, format!("field `{name}` declared as a function"));
        }
        Ok(field)
    }

    fn bit_width(&self, ty: Ty, width: i128, named: bool, span: Span) -> ParseResult<u32> {
        let Some((bits, _)) = self.program.types.int_bits(ty) else {
            return invalid(span, "bit-field has invalid type");
        };
        if width < 0 {
            return invalid(span, "negative width in bit-field");
        }
        if width > i128::from(bits) {
            return invalid(span, "width of bit-field exceeds its type");
        }
        if width == 0 && named {
            return invalid(span, "zero width for a named bit-field");
        }
        if bits == 128 {
            return unsupported(span, "`__int128` bit-field");
        }
        Ok(width as u32)
    }

    /// Checks that names are unique and that all types but a last flexible array are complete.
    fn check_members(&self, fields: &[Field]) -> ParseResult<()> {
        let mut names = std::collections::HashSet::new();
        for (i, field) in fields.iter().enumerate() {
            if let Some(name) = field.name
                && !names.insert(name)
            {
                let shown = self.name(name);
                return invalid(self.cur.span(), format!("duplicate member `{shown}`"));
            }
            if self.program.types.size_of(field.ty).is_some() {
                continue;
            }
            let shown = field.name.map_or("", |n| self.name(n));
            let open = matches!(self.shape(field.ty), TypeKind::Array(_, ArrayLen::Unknown));
            if !open {
                return invalid(self.cur.span(), format!("field `{shown}` has incomplete type"));
            }
            if i + 1 != fields.len() {
                let message = format!("flexible array member `{shown}` not at end of struct");
                return invalid(self.cur.span(), message);
            }
        }
        Ok(())
    }

    /// `#pragma pack(1)` packs; other values matter only if a member is more aligned than that.
    fn apply_pragma_pack(&mut self, id: RecordId, token: usize, span: Span) -> ParseResult<()> {
        let limit = self.packs.at(token);
        if limit == 0 {
            return Ok(());
        }
        if limit == 1 {
            self.program.types.records[id.index()].packed = true;
            return Ok(());
        }
        let types = &self.program.types;
        if types.records[id.index()].fields.iter().any(|f| types.align_of(f.ty) > limit) {
            return unsupported(span, format!("`#pragma pack({limit})`"));
        }
        Ok(())
    }

    fn complete(&mut self, id: RecordId, span: Span) -> ParseResult<()> {
        let facts = self.record_facts(id);
        if facts.depth > MAX_HEIGHT / 8 {
            return unsupported(span, format!("structs nested more than {} deep", MAX_HEIGHT / 8));
        }
        self.records.insert(id, facts);
        if self.program.types.complete_record(id).is_none() {
            return invalid(span, "size of record is too large");
        }
        if self.program.types.records[id.index()].size > MAX_SIZE {
            return unsupported(span, "record of more than 2^40 bytes");
        }
        Ok(())
    }

    fn record_facts(&self, id: RecordId) -> RecordFacts {
        let types = &self.program.types;
        let mut facts = RecordFacts { depth: 1, ..RecordFacts::default() };
        for field in &types.records[id.index()].fields {
            let mut ty = types.resolved(field.ty);
            while let Some((elem, len)) = types.as_array(ty) {
                facts.flexible |= len == ArrayLen::Unknown;
                ty = types.resolved(elem).qualified(ty.quals());
            }
            facts.has_const |= ty.is_const();
            if let Some(inner) = types.as_record(ty).and_then(|r| self.records.get(&r)) {
                facts.depth = facts.depth.max(inner.depth + 1);
                facts.has_const |= inner.has_const;
                facts.flexible |= inner.flexible;
            }
        }
        facts
    }
}
