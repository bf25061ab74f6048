//! Type checking of unary operators, casts, conditionals, subscripts, members and `sizeof`
//! (C11 6.5.2 to 6.5.4, 6.5.15).

use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::Parser;
use crate::token::{Tok, Token};
use ctree::*;

impl Parser<'_> {
    pub(crate) fn make_unary(&mut self, op: UnOp, e: ExprId, lo: u32) -> ParseResult<ExprId> {
        let span = self.span_from(lo);
        match op {
            UnOp::Plus | UnOp::Neg | UnOp::BitNot => self.arithmetic_unary(op, e, span),
            UnOp::LogNot => {
                let e = self.scalar(e)?;
                Ok(self.add_expr(ExprKind::Unary(op, e), Ty::INT, span))
            }
            UnOp::Deref => self.dereference(e, span),
            UnOp::AddrOf => self.address_of(e, span),
            UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec => {
                self.check_modifiable(e)?;
                let ty = self.ty(e).unqual();
                if self.program.types.is_pointer(ty) {
                    self.check_pointee(e)?;
                } else if !self.program.types.is_scalar(ty) && !self.is_vector(ty) {
                    let shown = self.show(ty);
                    return invalid(
                        span,
                        format!("wrong type `{shown}` to increment or decrement"),
                    );
                }
                Ok(self.add_expr(ExprKind::Unary(op, e), ty, span))
            }
        }
    }

    fn arithmetic_unary(&mut self, op: UnOp, e: ExprId, span: Span) -> ParseResult<ExprId> {
        let e = self.decay(e);
        let types = &self.program.types;
        let operand = self.lanes(self.ty(e)).map_or(self.ty(e), |(elem, _)| elem);
        let right = if op == UnOp::BitNot {
            types.is_integer(operand)
        } else {
            types.is_arithmetic(operand)
        };
        if !right {
            let shown = self.show(self.ty(e));
            return invalid(span, format!("wrong type `{shown}` for unary `{}`", op.symbol()));
        }
        let e = self.with_declared_type(e);
        if op != UnOp::Plus && self.wide_bit_field(e).is_some() {
            return unsupported(
                span,
                "arithmetic on a bit-field wider than `int`, whose type differs between GCC and clang",
            );
        }
        let e = self.promote(e);
        let ty = self.ty(e).unqual();
        Ok(self.add_expr(ExprKind::Unary(op, e), ty, span))
    }

    fn dereference(&mut self, e: ExprId, span: Span) -> ParseResult<ExprId> {
        let e = self.decay(e);
        match self.program.types.pointee(self.ty(e)) {
            Some(to) => Ok(self.add_expr(ExprKind::Unary(UnOp::Deref, e), to, span)),
            None => {
                let shown = self.show(self.ty(e));
                invalid(span, format!("invalid type of unary `*` (have `{shown}`)"))
            }
        }
    }

    fn address_of(&mut self, e: ExprId, span: Span) -> ParseResult<ExprId> {
        let ty = self.ty(e);
        if self.program.types.as_function(ty).is_none() {
            if !self.program.is_lvalue(e) {
                return invalid(span, "lvalue required as unary `&` operand");
            }
            if let ExprKind::Member(..) | ExprKind::Arrow(..) = self.kind(e)
                && self.bit_field_width(e).is_some()
            {
                return invalid(span, "cannot take the address of a bit-field");
            }
            if let ExprKind::Var(id) = *self.kind(e)
                && self.program.var(id).storage == Storage::Register
            {
                let name = self.name(self.program.var(id).name);
                return invalid(span, format!("address of register variable `{name}` requested"));
            }
        }
        let to = self.pointer_to(ty);
        Ok(self.add_expr(ExprKind::Unary(UnOp::AddrOf, e), to, span))
    }

    pub(crate) fn make_cast(&mut self, ty: Ty, e: ExprId, lo: u32) -> ParseResult<ExprId> {
        let span = self.span_from(lo);
        let to = self.canon(ty).unqual();
        let e = if self.program.types.is_void(to) { e } else { self.decay(e) };
        let from = self.ty(e).unqual();
        let types = &self.program.types;
        let scalars = types.is_scalar(to) && types.is_scalar(from);
        let mixed = types.is_pointer(to) && types.float_kind(from).is_some()
            || types.is_pointer(from) && types.float_kind(to).is_some();
        if types.is_void(to) || scalars && !mixed {
            return Ok(self.add_expr(ExprKind::Cast(ty, e), to, span));
        }
        if self.is_vector(to) || self.is_vector(from) {
            let sizes = (types.size_of(to), types.size_of(from));
            let fixed = |t| self.is_vector(t) || types.is_integer(t);
            if sizes.0 == sizes.1 && fixed(to) && fixed(from) {
                return Ok(self.add_expr(ExprKind::Cast(ty, e), to, span));
            }
        }
        if let (Some(a), Some(b)) = (types.as_record(to), types.as_record(from))
            && a == b
        {
            // GCC takes a cast to the same record type, which changes nothing.
            return Ok(e);
        }
        if let Some(id) = types.as_record(to)
            && types.records[id.index()].kind == RecordKind::Union
            && let Some(member) = self.union_member(id, from)
        {
            // GNU C's cast to a union is a literal of the union with that member set.
            let item = InitItem { first: member, last: member, init: Init::Expr(e) };
            let init = Box::new(Init::List(vec![item]));
            self.max_height = self.max_height.max(self.height(e));
            return Ok(self.add_expr(ExprKind::CompoundLit(ty, init), to, span));
        }
        let (to, from) = (self.show(to), self.show(from));
        invalid(span, format!("cannot cast from type `{from}` to type `{to}`"))
    }

    /// The first member of a union with this type.
    fn union_member(&self, id: RecordId, ty: Ty) -> Option<u64> {
        let fields = &self.program.types.records[id.index()].fields;
        let same = |f: &Field| f.name.is_some() && self.program.types.resolved(f.ty).unqual() == ty;
        fields.iter().position(same).map(|i| i as u64)
    }

    /// `c ? a : b` (6.5.15).
    pub(crate) fn make_conditional(
        &mut self,
        c: ExprId,
        a: Option<ExprId>,
        b: ExprId,
    ) -> ParseResult<ExprId> {
        let span = self.span(c).to(self.span(b));
        if self.is_vector(self.ty(c)) {
            return unsupported(span, "conditional operator on vectors");
        }
        let c = self.scalar(c)?;
        let b = self.decay(b);
        let first = match a {
            Some(a) => self.decay(a),
            None => c,
        };
        let ty = self.conditional_type(first, b, span)?;
        let a = a.map(|_| if ty == Ty::VOID { first } else { self.implicit(first, ty) });
        let b = if ty == Ty::VOID { b } else { self.implicit(b, ty) };
        Ok(self.add_expr(ExprKind::Cond(c, a, b), ty, span))
    }

    fn conditional_type(&mut self, a: ExprId, b: ExprId, span: Span) -> ParseResult<Ty> {
        let (at, bt) = (self.ty(a).unqual(), self.ty(b).unqual());
        let types = &self.program.types;
        if types.is_arithmetic(at) && types.is_arithmetic(bt) {
            return Ok(self.common_type(a, b));
        }
        if types.is_void(at) || types.is_void(bt) {
            return Ok(Ty::VOID); // GCC takes one `void` side with a warning.
        }
        if at == bt {
            return Ok(at);
        }
        let pointer_or_int = |t| types.is_pointer(t) || types.is_integer(t);
        if pointer_or_int(at) && pointer_or_int(bt) {
            return Ok(self.common_pointer(a, b));
        }
        let (at, bt) = (self.show(at), self.show(bt));
        invalid(span, format!("type mismatch in conditional expression (`{at}` and `{bt}`)"))
    }

    /// `a[i]` or `i[a]`. A vector's lanes are reached through a pointer to its first.
    pub(crate) fn make_index(&mut self, a: ExprId, i: ExprId, lo: u32) -> ParseResult<ExprId> {
        let span = self.span_from(lo);
        let (a, i) = (self.lanes_or_decay(a), self.decay(i));
        let types = &self.program.types;
        let (p, i) = if types.is_pointer(self.ty(a)) { (a, i) } else { (i, a) };
        let Some(to) = types.pointee(self.ty(p)) else {
            return invalid(span, "subscripted value is neither array nor pointer");
        };
        if !types.is_integer(self.ty(i)) {
            return invalid(span, "array subscript is not an integer");
        }
        if types.as_function(to).is_some() {
            return invalid(span, "subscripted value is a pointer to a function");
        }
        self.check_pointee(p)?;
        let i = self.promote(i);
        Ok(self.add_expr(ExprKind::Index(p, i), to, span))
    }

    fn lanes_or_decay(&mut self, e: ExprId) -> ExprId {
        let ty = self.ty(e);
        match self.lanes(ty) {
            Some((elem, _)) => {
                let to = self.pointer_to(elem.qualified(ty.quals()));
                self.implicit(e, to)
            }
            None => self.decay(e),
        }
    }

    pub(crate) fn make_member(
        &mut self,
        e: ExprId,
        arrow: bool,
        name: Token,
        lo: u32,
    ) -> ParseResult<ExprId> {
        let span = self.span_from(lo);
        let e = if arrow { self.decay(e) } else { e };
        let types = &self.program.types;
        let record_ty = if arrow { types.pointee(self.ty(e)) } else { Some(self.ty(e)) };
        let Some((ty, id)) = record_ty.and_then(|t| types.as_record(t).map(|id| (t, id))) else {
            let shown = self.show(self.ty(e));
            let what = self.name(name.sym);
            let message = format!("request for member `{what}` in something of type `{shown}`");
            return invalid(span, message);
        };
        let mut path = Vec::new();
        if !self.find_member(id, name.sym, &mut path) {
            let what = self.name(name.sym);
            let shown = self.show(ty.unqual());
            let message = if self.program.types.records[id.index()].complete {
                format!("`{shown}` has no member named `{what}`")
            } else {
                format!("use of incomplete type `{shown}`")
            };
            return invalid(name.span(), message);
        }
        let mut e = e;
        let mut ty = ty;
        for (n, &index) in path.iter().enumerate() {
            let field = self.member_type(ty, index);
            let kind = if arrow && n == 0 {
                ExprKind::Arrow(e, index)
            } else {
                ExprKind::Member(e, index)
            };
            let lvalue = matches!(kind, ExprKind::Arrow(..)) || self.program.is_lvalue(e);
            ty = if lvalue { field } else { field.unqual() };
            e = self.add_expr(kind, ty, span);
        }
        Ok(e)
    }

    /// The type of a member of a possibly qualified record, canonical.
    fn member_type(&mut self, record: Ty, index: u32) -> Ty {
        let Some(id) = self.program.types.as_record(record) else { return Ty::VOID };
        let field = self.program.types.records[id.index()].fields[index as usize].ty;
        // `restrict` of the record does not exist; const and volatile pass to the member.
        self.canon(field.qualified(record.quals()))
    }

    /// Finds a member by name, through anonymous members; `path` gets the field indices.
    pub(crate) fn find_member(&self, id: RecordId, name: Sym, path: &mut Vec<u32>) -> bool {
        let fields = &self.program.types.records[id.index()].fields;
        if let Some(index) = fields.iter().position(|f| f.name == Some(name)) {
            path.push(index as u32);
            return true;
        }
        for (index, field) in fields.iter().enumerate() {
            if field.name.is_some() || field.bits.is_some() {
                continue;
            }
            if let Some(inner) = self.program.types.as_record(field.ty) {
                path.push(index as u32);
                if self.find_member(inner, name, path) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }

    /// `sizeof` and `_Alignof`, of an expression or a type.
    pub(crate) fn size_or_align(&mut self) -> ParseResult<ExprId> {
        self.enter()?;
        let keyword = self.bump();
        let sizeof = keyword.tok == Tok::KwSizeof;
        let lo = keyword.lo;
        let e = if self.tok() == Tok::LParen && self.type_ahead(1) {
            let open = self.bump().lo;
            let ty = self.type_name()?;
            self.expect(Tok::RParen, "`)`")?;
            if self.tok() == Tok::LBrace {
                let literal = self.compound_literal(ty, open)?;
                let operand = self.suffixes(literal, open)?;
                self.size_of_expr(sizeof, operand, lo)?
            } else {
                self.size_of_type(sizeof, ty, lo)?
            }
        } else {
            let operand = self.unary()?;
            self.size_of_expr(sizeof, operand, lo)?
        };
        self.leave();
        Ok(e)
    }

    fn size_type(&self) -> Ty {
        self.program.types.model.size_type().ty()
    }

    fn size_of_type(&mut self, sizeof: bool, ty: Ty, lo: u32) -> ParseResult<ExprId> {
        let span = self.span_from(lo);
        let result = self.size_type();
        if !sizeof && self.program.types.as_function(ty).is_some() {
            return unsupported(span, "`_Alignof` of a function");
        }
        if let TypeKind::Void | TypeKind::Function(_) = self.shape(ty) {
            return Ok(self.int_node(1, result, span)); // GNU C counts these as one byte.
        }
        let incomplete = self.program.types.size_of(ty).is_none();
        // The alignment of an array of unknown length is that of its elements.
        if incomplete && (sizeof || self.program.types.as_array(ty).is_none()) {
            let shown = self.show(ty);
            let what = if sizeof { "sizeof" } else { "_Alignof" };
            return invalid(
                span,
                format!("invalid application of `{what}` to incomplete type `{shown}`"),
            );
        }
        let kind = if sizeof { ExprKind::SizeofType(ty) } else { ExprKind::AlignofType(ty) };
        Ok(self.add_expr(kind, result, span))
    }

    fn size_of_expr(&mut self, sizeof: bool, e: ExprId, lo: u32) -> ParseResult<ExprId> {
        let span = self.span_from(lo);
        let ty = self.ty(e);
        if let ExprKind::Member(..) | ExprKind::Arrow(..) = self.kind(e)
            && self.bit_field_width(e).is_some()
        {
            return invalid(span, "`sizeof` or `_Alignof` applied to a bit-field");
        }
        let sized = self.program.types.size_of(ty).is_some();
        if sizeof && sized {
            let result = self.size_type();
            return Ok(self.add_expr(ExprKind::SizeofExpr(e), result, span));
        }
        if !sizeof && let Some(align) = self.declared_alignment(e) {
            let result = self.size_type();
            return Ok(self.int_node(align.into(), result, span));
        }
        self.size_of_type(sizeof, ty.unqual(), lo)
    }

    /// The alignment a variable or member was declared with, where that is not its type's.
    fn declared_alignment(&self, e: ExprId) -> Option<u32> {
        let types = &self.program.types;
        let member = |record: Ty, index: u32| {
            let id = types.as_record(record)?;
            let record = &types.records[id.index()];
            let field = &record.fields[index as usize];
            let natural = if record.packed || field.packed { 1 } else { types.align_of(field.ty) };
            Some(field.align.unwrap_or(0).max(natural))
        };
        match *self.kind(e) {
            ExprKind::Var(id) => {
                let var = self.program.var(id);
                var.align.or_else(|| Some(types.align_of(var.ty)))
            }
            ExprKind::Member(r, index) => member(self.ty(r), index),
            ExprKind::Arrow(p, index) => member(types.pointee(self.ty(p))?, index),
            _ => None,
        }
    }
}
