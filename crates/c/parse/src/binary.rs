//! Type checking of binary operators and assignments (C11 6.5.5 to 6.5.17).
//!
//! Vector operands follow GCC: both of one type, or a scalar that is spread over the lanes, which
//! is an implicit conversion to the vector type; a scalar shift count stays one. Comparisons give
//! vectors of signed integers. Where the signedness of two vectors differs, the left one decides.

use crate::Dialect;
use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::Parser;
use crate::token::Tok;
use ctree::*;

/// The operator of a token that stands between two operands; for `+=` and the like, the
/// operator it applies.
pub(crate) fn binary_operator(tok: Tok) -> Option<BinOp> {
    Some(match tok {
        Tok::Star | Tok::MulAssign => BinOp::Mul,
        Tok::Slash | Tok::DivAssign => BinOp::Div,
        Tok::Percent | Tok::RemAssign => BinOp::Rem,
        Tok::Plus | Tok::AddAssign => BinOp::Add,
        Tok::Minus | Tok::SubAssign => BinOp::Sub,
        Tok::Shl | Tok::ShlAssign => BinOp::Shl,
        Tok::Shr | Tok::ShrAssign => BinOp::Shr,
        Tok::Lt => BinOp::Lt,
        Tok::Gt => BinOp::Gt,
        Tok::Le => BinOp::Le,
        Tok::Ge => BinOp::Ge,
        Tok::EqEq => BinOp::Eq,
        Tok::Ne => BinOp::Ne,
        Tok::Amp | Tok::AndAssign => BinOp::BitAnd,
        Tok::Caret | Tok::XorAssign => BinOp::BitXor,
        Tok::Pipe | Tok::OrAssign => BinOp::BitOr,
        Tok::AmpAmp => BinOp::LogAnd,
        Tok::PipePipe => BinOp::LogOr,
        Tok::Comma => BinOp::Comma,
        _ => return None,
    })
}

/// Which operand types an operator takes.
fn integers_only(op: BinOp) -> bool {
    use BinOp::*;
    matches!(op, Rem | Shl | Shr | BitAnd | BitXor | BitOr)
}

fn is_comparison(op: BinOp) -> bool {
    use BinOp::*;
    matches!(op, Lt | Gt | Le | Ge | Eq | Ne)
}

impl Parser<'_> {
    /// Applies the operator of `tok` to two operands as parsed.
    pub(crate) fn apply(&mut self, tok: Tok, l: ExprId, r: ExprId) -> ParseResult<ExprId> {
        match (binary_operator(tok), tok) {
            (_, Tok::Assign) => self.assign(l, r),
            (Some(op), _) if tok.is_compound_assignment() => self.assign_op(op, l, r),
            (Some(op), _) => self.binary(op, l, r),
            (None, _) => self.unexpected("operator"),
        }
    }

    pub(crate) fn binary(&mut self, op: BinOp, l: ExprId, r: ExprId) -> ParseResult<ExprId> {
        let span = self.span(l).to(self.span(r));
        if op == BinOp::Comma {
            let r = self.decay(r);
            let ty = self.ty(r).unqual();
            return Ok(self.add_expr(ExprKind::Binary(op, l, r), ty, span));
        }
        if let BinOp::LogAnd | BinOp::LogOr = op {
            let (l, r) = (self.scalar(l)?, self.scalar(r)?);
            return Ok(self.add_expr(ExprKind::Binary(op, l, r), Ty::INT, span));
        }
        let (l, r) = (self.decay(l), self.decay(r));
        let (lt, rt) = (self.ty(l), self.ty(r));
        let types = &self.program.types;
        let arithmetic = types.is_arithmetic(lt) && types.is_arithmetic(rt);
        if arithmetic && (!integers_only(op) || types.is_integer(lt) && types.is_integer(rt)) {
            return self.arithmetic(op, l, r, span);
        }
        if self.is_vector(lt) || self.is_vector(rt) {
            return self.vector_binary(op, l, r, span);
        }
        let (lp, rp) = (types.is_pointer(lt), types.is_pointer(rt));
        match op {
            BinOp::Add | BinOp::Sub if lp && types.is_integer(rt) => self.offset(op, l, r, span),
            BinOp::Add if rp && types.is_integer(lt) => self.offset(op, r, l, span),
            BinOp::Sub if lp && rp => self.difference(l, r, span),
            _ if is_comparison(op) && (lp || rp) => self.compare_pointers(op, l, r, span),
            _ => self.bad_operands(op, lt, rt, span),
        }
    }

    fn bad_operands<T>(&self, op: BinOp, lt: Ty, rt: Ty, span: Span) -> ParseResult<T> {
        let (l, r) = (self.show(lt), self.show(rt));
        invalid(
            span,
            format!("invalid operands to binary `{}` (have `{l}` and `{r}`)", op.symbol()),
        )
    }

    fn arithmetic(&mut self, op: BinOp, l: ExprId, r: ExprId, span: Span) -> ParseResult<ExprId> {
        let (l, r) = (self.with_declared_type(l), self.with_declared_type(r));
        self.check_wide_bit_fields(op, l, r)?;
        if let BinOp::Shl | BinOp::Shr = op {
            let (l, r) = (self.promote(l), self.promote(r));
            let ty = self.ty(l).unqual();
            return Ok(self.add_expr(ExprKind::Binary(op, l, r), ty, span));
        }
        let (l, r, common) = self.usual_conversions(l, r);
        let ty = if is_comparison(op) { Ty::INT } else { common };
        Ok(self.add_expr(ExprKind::Binary(op, l, r), ty, span))
    }

    /// Refuses operators on bit-fields wider than `int` whose result depends on whether the type
    /// has the field's width (GCC) or is the declared one (clang).
    fn check_wide_bit_fields(&self, op: BinOp, l: ExprId, r: ExprId) -> ParseResult<()> {
        for (field, other) in [(l, r), (r, l)] {
            let Some((width, signed)) = self.wide_bit_field(field) else { continue };
            let types = &self.program.types;
            if types.float_kind(self.ty(other)).is_some() {
                continue;
            }
            let shift = matches!(op, BinOp::Shl | BinOp::Shr);
            if shift && (field == r || op == BinOp::Shr) {
                continue;
            }
            // An operand of at least the declared type's rank decides the common type alone.
            let full = types.int_bits(self.ty(field)).map_or(0, |b| b.0);
            let other_bits = self.promoted_type(other).and_then(|t| types.int_bits(t));
            let wins = other_bits.is_some_and(|(bits, _)| bits >= full)
                && self.bit_field_width(other).is_none();
            // A constant that the field could hold makes these the same in both types.
            let room = width - u32::from(signed);
            let fits = self.fold_int(other).is_some_and(|v| v >= 0 && v >> room == 0);
            let harmless = is_comparison(op)
                || matches!(
                    op,
                    BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Div | BinOp::Rem
                );
            if !(!shift && wins || harmless && (fits || signed)) {
                let message = "arithmetic on a bit-field wider than `int`, whose type differs between GCC and clang";
                return unsupported(self.span(field), message);
            }
        }
        Ok(())
    }

    /// A bit-field wider than `int` as a value of its declared type, where the dialect says so.
    pub(crate) fn with_declared_type(&mut self, e: ExprId) -> ExprId {
        if self.dialect == Dialect::C || self.wide_bit_field(e).is_none() {
            return e;
        }
        let (ty, span) = (self.ty(e).unqual(), self.span(e));
        self.add_expr(ExprKind::Cast(ty, e), ty, span)
    }

    /// Width and signedness of a bit-field operand that is wider than `int` but narrower than its
    /// declared type.
    pub(crate) fn wide_bit_field(&self, e: ExprId) -> Option<(u32, bool)> {
        let width = self.bit_field_width(e)?;
        let (full, signed) = self.program.types.int_bits(self.ty(e))?;
        (width > 32 && width < full).then_some((width, signed))
    }

    /// `pointer ± integer`, the pointer first whatever the source's order.
    fn offset(&mut self, op: BinOp, p: ExprId, i: ExprId, span: Span) -> ParseResult<ExprId> {
        self.check_pointee(p)?;
        let i = self.promote(i);
        let ty = self.ty(p).unqual();
        Ok(self.add_expr(ExprKind::Binary(op, p, i), ty, span))
    }

    /// Arithmetic on a pointer needs to know the size of what it points to; GNU C counts `void`
    /// and functions as one byte.
    pub(crate) fn check_pointee(&self, p: ExprId) -> ParseResult<()> {
        let types = &self.program.types;
        let Some(to) = types.pointee(self.ty(p)) else { return Ok(()) };
        let sized = types.size_of(to).is_some()
            || matches!(types.shape(to), TypeKind::Void | TypeKind::Function(_));
        if sized {
            return Ok(());
        }
        let shown = self.show(to);
        invalid(self.span(p), format!("arithmetic on a pointer to incomplete type `{shown}`"))
    }

    fn difference(&mut self, l: ExprId, r: ExprId, span: Span) -> ParseResult<ExprId> {
        self.check_pointee(l)?;
        let types = &self.program.types;
        let (Some(a), Some(b)) = (types.pointee(self.ty(l)), types.pointee(self.ty(r))) else {
            return invalid(span, "subtraction of operands that are not pointers");
        };
        if !self.compatible_unqual(a, b) {
            return self.bad_operands(BinOp::Sub, self.ty(l), self.ty(r), span);
        }
        let ty = types.model.ptrdiff_type().ty();
        Ok(self.add_expr(ExprKind::Binary(BinOp::Sub, l, r), ty, span))
    }

    fn compare_pointers(
        &mut self,
        op: BinOp,
        l: ExprId,
        r: ExprId,
        span: Span,
    ) -> ParseResult<ExprId> {
        let types = &self.program.types;
        for e in [l, r] {
            if !types.is_pointer(self.ty(e)) && !types.is_integer(self.ty(e)) {
                return self.bad_operands(op, self.ty(l), self.ty(r), span);
            }
        }
        let ty = self.common_pointer(l, r);
        let (l, r) = (self.implicit(l, ty), self.implicit(r, ty));
        Ok(self.add_expr(ExprKind::Binary(op, l, r), Ty::INT, span))
    }

    /// The common type of two operands, at least one a pointer (6.5.9p5, 6.5.15p6).
    pub(crate) fn common_pointer(&mut self, l: ExprId, r: ExprId) -> Ty {
        let (lt, rt) = (self.ty(l).unqual(), self.ty(r).unqual());
        let types = &self.program.types;
        let (a, b) = match (types.pointee(lt), types.pointee(rt)) {
            (Some(a), Some(b)) => (a, b),
            (Some(_), None) => return lt,
            _ => return rt,
        };
        if lt == rt || self.is_null_constant(r) {
            return lt;
        }
        if self.is_null_constant(l) {
            return rt;
        }
        let quals = a.quals().with(b.quals());
        let to = if types.is_void(a) || types.is_void(b) {
            Ty::VOID
        } else if self.compatible_unqual(a, b) {
            self.composite(a, b).unqual()
        } else {
            Ty::VOID // Incompatible: GCC warns and uses `void *`.
        };
        self.pointer_to(to.qualified(quals))
    }

    // Assignment.

    /// Refuses what cannot be assigned to (6.3.2.1p1).
    pub(crate) fn check_modifiable(&self, e: ExprId) -> ParseResult<()> {
        let ty = self.ty(e);
        if !self.program.is_lvalue(e) || self.program.types.as_array(ty).is_some() {
            return invalid(self.span(e), "lvalue required as left operand of assignment");
        }
        if ty.is_const() || self.has_const_member(ty) {
            let what = match *self.kind(e) {
                ExprKind::Var(id) => format!("variable `{}`", self.name(self.program.var(id).name)),
                ExprKind::Member(..) | ExprKind::Arrow(..) => "member".to_string(),
                _ => "location".to_string(),
            };
            return invalid(self.span(e), format!("assignment of read-only {what}"));
        }
        if self.program.types.size_of(ty).is_none() {
            let shown = self.show(ty);
            return invalid(self.span(e), format!("assignment to incomplete type `{shown}`"));
        }
        Ok(())
    }

    fn has_const_member(&self, ty: Ty) -> bool {
        let id = self.program.types.as_record(ty);
        id.and_then(|id| self.records.get(&id)).is_some_and(|facts| facts.has_const)
    }

    fn assign(&mut self, l: ExprId, r: ExprId) -> ParseResult<ExprId> {
        self.check_modifiable(l)?;
        let ty = self.ty(l).unqual();
        let r = self.assign_convert(r, ty, "assigning to")?;
        let span = self.span(l).to(self.span(r));
        Ok(self.add_expr(ExprKind::Assign(l, r), ty, span))
    }

    fn assign_op(&mut self, op: BinOp, lhs: ExprId, r: ExprId) -> ParseResult<ExprId> {
        self.check_modifiable(lhs)?;
        let r = self.decay(r);
        let span = self.span(lhs).to(self.span(r));
        let ty = self.ty(lhs).unqual();
        let (lt, rt) = (ty, self.ty(r));
        let types = &self.program.types;
        let additive = matches!(op, BinOp::Add | BinOp::Sub);
        let arithmetic = types.is_arithmetic(lt) && types.is_arithmetic(rt);
        let (comp, rhs) =
            if arithmetic && (!integers_only(op) || types.is_integer(lt) && types.is_integer(rt)) {
                if let BinOp::Shl | BinOp::Shr = op {
                    let comp = self.promoted_type(lhs).unwrap_or(ty);
                    (comp, self.promote(r))
                } else {
                    // The other operators give the same bits in either width.
                    if let BinOp::Div | BinOp::Rem = op {
                        self.check_wide_bit_fields(op, lhs, r)?;
                    }
                    let comp = self.common_type(lhs, r);
                    (comp, self.implicit(r, comp))
                }
            } else if additive && types.is_pointer(lt) && types.is_integer(rt) {
                self.check_pointee(lhs)?;
                (ty, self.promote(r))
            } else if additive && types.is_integer(lt) && types.is_pointer(rt) {
                return unsupported(span, "compound assignment of a pointer to an integer");
            } else if self.is_vector(lt) {
                let operands = self.vector_operands(op, lt, rt, span)?;
                (lt, self.vector_right(r, operands))
            } else {
                return self.bad_operands(op, lt, rt, span);
            };
        Ok(self.add_expr(ExprKind::AssignOp { op, lhs, rhs, comp }, ty, span))
    }

    // Vectors.

    pub(crate) fn is_vector(&self, ty: Ty) -> bool {
        matches!(self.shape(ty), TypeKind::Vector(..))
    }

    /// Element type and lane count of a vector.
    pub(crate) fn lanes(&self, ty: Ty) -> Option<(Ty, u32)> {
        self.program.types.lanes(ty)
    }

    /// Checks the operands of an operator and gives the types they are converted to.
    fn vector_operands(
        &mut self,
        op: BinOp,
        lt: Ty,
        rt: Ty,
        span: Span,
    ) -> ParseResult<build::VectorOperands> {
        let types = &self.program.types;
        let elem = |ty| self.lanes(ty).map_or(ty, |(e, _)| e);
        let (a, b) = (elem(lt), elem(rt));
        let counts = match (self.lanes(lt), self.lanes(rt)) {
            (Some((_, n)), Some((_, m))) => n == m && types.size_of(a) == types.size_of(b),
            _ => types.is_arithmetic(a) && types.is_arithmetic(b),
        };
        let floats = types.float_kind(a).is_some() || types.float_kind(b).is_some();
        if !counts || floats && integers_only(op) {
            return self.bad_operands(op, lt, rt, span);
        }
        match self.program.types.vector_operands(op, lt, rt) {
            Some(operands) => Ok(operands),
            None => self.bad_operands(op, lt, rt, span),
        }
    }

    fn vector_right(&mut self, r: ExprId, operands: build::VectorOperands) -> ExprId {
        match operands.right {
            Some(to) => self.implicit(r, to),
            None => self.promote(r),
        }
    }

    fn vector_binary(
        &mut self,
        op: BinOp,
        l: ExprId,
        r: ExprId,
        span: Span,
    ) -> ParseResult<ExprId> {
        let (lt, rt) = (self.ty(l).unqual(), self.ty(r).unqual());
        let operands = self.vector_operands(op, lt, rt, span)?;
        let l = self.implicit(l, operands.left);
        let r = self.vector_right(r, operands);
        Ok(self.add_expr(ExprKind::Binary(op, l, r), operands.result, span))
    }
}
