//! Expressions with a syntax of their own: `_Generic` (C11 6.5.1.1), `offsetof` (7.19) and the
//! builtins that take types.
//!
//! All but `va_arg` are resolved here and leave no node behind: the chosen branch, or a constant.

use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::Parser;
use crate::token::Tok;
use ctree::*;

impl Parser<'_> {
    /// `_Generic(e, T: a, default: b)`: the chosen branch itself.
    pub(crate) fn generic_selection(&mut self) -> ParseResult<ExprId> {
        self.enter()?;
        let lo = self.bump().lo;
        self.expect(Tok::LParen, "`(`")?;
        let control = self.assign_expr()?;
        let control = self.decay(control);
        let wanted = self.ty(control).unqual();
        let mut chosen = None;
        let mut default = None;
        while self.eat(Tok::Comma) {
            let matches = if self.eat(Tok::KwDefault) {
                None
            } else {
                let ty = self.type_name()?;
                let ty = self.canon(ty);
                Some(self.compatible(ty, wanted))
            };
            self.expect(Tok::Colon, "`:`")?;
            let branch = self.assign_expr()?;
            match matches {
                None => default = Some(branch),
                Some(true) if chosen.is_none() => chosen = Some(branch),
                Some(_) => {}
            }
        }
        self.expect(Tok::RParen, "`)`")?;
        self.leave();
        match chosen.or(default) {
            Some(e) => Ok(e),
            None => {
                let shown = self.show(wanted);
                let message = format!("`_Generic` has no association for type `{shown}`");
                invalid(self.span_from(lo), message)
            }
        }
    }

    /// `__builtin_offsetof(T, a.b[1])`, folded.
    pub(crate) fn offsetof(&mut self) -> ParseResult<ExprId> {
        self.enter()?;
        let lo = self.bump().lo;
        self.expect(Tok::LParen, "`(`")?;
        let ty = self.type_name()?;
        self.expect(Tok::Comma, "`,`")?;
        let mut ty = self.canon(ty);
        let mut offset = self.offset_of_member(&mut ty)?;
        loop {
            let step = if self.eat(Tok::Dot) {
                self.offset_of_member(&mut ty)?
            } else if self.eat(Tok::LBracket) {
                self.offset_of_element(&mut ty)?
            } else {
                break;
            };
            offset = match offset.checked_add(step) {
                Some(n) => n,
                None => return invalid(self.span_from(lo), "offset is too large"),
            };
        }
        self.expect(Tok::RParen, "`)`")?;
        self.leave();
        let size = self.program.types.model.size_type().ty();
        let span = self.span_from(lo);
        Ok(self.int_node(offset, size, span))
    }

    fn offset_of_member(&mut self, ty: &mut Ty) -> ParseResult<u64> {
        let name = self.expect(Tok::Ident, "member name")?;
        let mut path = Vec::new();
        let found = self
            .program
            .types
            .as_record(*ty)
            .is_some_and(|id| self.find_member(id, name.sym, &mut path));
        if !found {
            let (shown, what) = (self.show(*ty), self.name(name.sym));
            return invalid(name.span(), format!("`{shown}` has no member named `{what}`"));
        }
        let mut offset = 0u64;
        for index in path {
            let Some(id) = self.program.types.as_record(*ty) else { break };
            let field = &self.program.types.records[id.index()].fields[index as usize];
            if field.bits.is_some() {
                return invalid(name.span(), "`offsetof` applied to a bit-field");
            }
            offset = offset.saturating_add(field.offset);
            let field_ty = field.ty;
            *ty = self.canon(field_ty);
        }
        Ok(offset)
    }

    fn offset_of_element(&mut self, ty: &mut Ty) -> ParseResult<u64> {
        let span = self.cur.span();
        let mark = self.arena_mark();
        let e = self.expr()?;
        let index = self.fold_int(e);
        self.drop_nodes_since(mark);
        self.expect(Tok::RBracket, "`]`")?;
        let Some((elem, _)) = self.program.types.as_array(*ty) else {
            return invalid(span, "subscripted member is not an array");
        };
        *ty = self.canon(elem);
        let size = self.program.types.size_of(elem).unwrap_or(0);
        let Some(index) = index else {
            return unsupported(span, "`offsetof` with a variable subscript");
        };
        match u64::try_from(index).ok().and_then(|i| i.checked_mul(size)) {
            Some(n) => Ok(n),
            None => invalid(span, "offset is out of range"),
        }
    }

    /// `__builtin_choose_expr(c, a, b)`: the chosen expression itself.
    pub(crate) fn choose_expr(&mut self) -> ParseResult<ExprId> {
        self.enter()?;
        self.bump();
        self.expect(Tok::LParen, "`(`")?;
        let test = self.assign_expr()?;
        self.expect(Tok::Comma, "`,`")?;
        let a = self.assign_expr()?;
        self.expect(Tok::Comma, "`,`")?;
        let b = self.assign_expr()?;
        self.expect(Tok::RParen, "`)`")?;
        self.leave();
        match self.fold_int(test) {
            Some(value) => Ok(if value != 0 { a } else { b }),
            None => invalid(
                self.span(test),
                "first argument of `__builtin_choose_expr` is not a constant",
            ),
        }
    }

    /// `__builtin_types_compatible_p(T, U)`, folded; outermost qualifiers are ignored.
    pub(crate) fn types_compatible(&mut self) -> ParseResult<ExprId> {
        let lo = self.bump().lo;
        self.expect(Tok::LParen, "`(`")?;
        let a = self.type_name()?;
        self.expect(Tok::Comma, "`,`")?;
        let b = self.type_name()?;
        self.expect(Tok::RParen, "`)`")?;
        let (a, b) = (self.canon(a).unqual(), self.canon(b).unqual());
        // Unlike C, GCC gives 0 for an enum and its integer type.
        let same_sort = matches!(self.shape(a), TypeKind::Enum(_))
            == matches!(self.shape(b), TypeKind::Enum(_));
        let answer = same_sort && self.compatible(a, b);
        let span = self.span_from(lo);
        Ok(self.int_node(answer.into(), Ty::INT, span))
    }

    /// `__builtin_va_arg(ap, T)`.
    pub(crate) fn va_arg(&mut self) -> ParseResult<ExprId> {
        self.enter()?;
        let lo = self.bump().lo;
        self.expect(Tok::LParen, "`(`")?;
        let list = self.assign_expr()?;
        self.expect(Tok::Comma, "`,`")?;
        let ty = self.type_name()?;
        self.expect(Tok::RParen, "`)`")?;
        self.leave();
        let span = self.span_from(lo);
        if !matches!(self.shape(self.ty(list)), TypeKind::VaList) {
            return invalid(span, "first argument of `va_arg` is not a `va_list`");
        }
        let result = self.canon(ty).unqual();
        if self.program.types.size_of(result).is_none() && !self.program.types.is_void(result) {
            let shown = self.show(result);
            return invalid(span, format!("`va_arg` of incomplete type `{shown}`"));
        }
        if self.program.types.as_array(result).is_some() {
            return unsupported(span, "`va_arg` of an array type");
        }
        Ok(self.add_expr(ExprKind::VaArg(list, ty), result, span))
    }
}
