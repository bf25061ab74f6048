//! Conversions (C11 6.3), each made an [`ExprKind::Implicit`] node: decay, promotions, the usual
//! arithmetic conversions, and conversion as if by assignment (6.5.16.1).
//!
//! What GCC only warns about is accepted: integers and pointers into each other, incompatible
//! pointers, lost qualifiers. The conversion is then in the tree, and the machine
//! checks it.
//!
//! # Bit-fields
//! A bit-field narrower than `int` promotes to `int`, one of exactly `int`'s width to `int` or
//! `unsigned`. Wider ones keep their declared type, as in clang; GCC gives them a type of the
//! field's width, and where the two could differ the operator is refused ([`Parser::bit_field_width`]).

use crate::error::{ParseResult, invalid};
use crate::parser::Parser;
use ctree::*;

impl Parser<'_> {
    /// `e` converted to `to`: itself where the unqualified types agree.
    pub(crate) fn implicit(&mut self, e: ExprId, to: Ty) -> ExprId {
        let to = to.unqual();
        if self.ty(e).unqual() == to {
            return e;
        }
        let span = self.span(e);
        self.add_expr(ExprKind::Implicit(e), to, span)
    }

    /// Arrays and functions to pointers (6.3.2.1p3, p4).
    #[inline]
    pub(crate) fn decay(&mut self, e: ExprId) -> ExprId {
        let ty = self.ty(e);
        match *self.shape(ty) {
            TypeKind::Array(elem, _) => {
                let to = self.pointer_to(elem);
                self.implicit(e, to)
            }
            TypeKind::Function(_) => {
                let to = self.pointer_to(ty.unqual());
                self.implicit(e, to)
            }
            _ => e,
        }
    }

    /// Decays, and refuses what cannot be a condition or an operand of `!`, `&&`, `||`, `?:`.
    pub(crate) fn scalar(&mut self, e: ExprId) -> ParseResult<ExprId> {
        let e = self.decay(e);
        let ty = self.ty(e);
        if !self.program.types.is_scalar(ty) {
            let shown = self.show(ty.unqual());
            let message = format!("used value of type `{shown}` where a scalar is required");
            return invalid(self.span(e), message);
        }
        Ok(e)
    }

    /// The width of the bit-field an expression reads or yields, and its field type's signedness.
    /// Assignments and increments of a bit-field yield its value in its own width, too.
    pub(crate) fn bit_field_width(&self, mut e: ExprId) -> Option<u32> {
        loop {
            match *self.kind(e) {
                ExprKind::Member(of, index) => return self.field_bits(self.ty(of), index),
                ExprKind::Arrow(of, index) => {
                    return self.field_bits(self.program.types.pointee(self.ty(of))?, index);
                }
                ExprKind::Assign(lhs, _) | ExprKind::AssignOp { lhs, .. } => e = lhs,
                ExprKind::Binary(BinOp::Comma, _, rhs) => e = rhs,
                ExprKind::Unary(
                    UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                    of,
                ) => e = of,
                _ => return None,
            }
        }
    }

    fn field_bits(&self, record: Ty, index: u32) -> Option<u32> {
        let id = self.program.types.as_record(record)?;
        self.program.types.records[id.index()].fields.get(index as usize)?.bits
    }

    /// The type an integer operand is promoted to; `None` for other types.
    pub(crate) fn promoted_type(&self, e: ExprId) -> Option<Ty> {
        let kind = self.program.types.int_kind(self.ty(e))?;
        if let Some(width) = self.bit_field_width(e) {
            let model = &self.program.types.model;
            let int_bits = model.int_size(IntKind::Int) * 8;
            if width < int_bits || width == int_bits && model.int_signed(kind) {
                return Some(Ty::INT);
            }
            if width == int_bits {
                return Some(Ty::UINT);
            }
        }
        Some(self.promoted_kind(kind).ty())
    }

    /// The integer promotions; other types are left alone. `e` has been decayed.
    pub(crate) fn promote(&mut self, e: ExprId) -> ExprId {
        match self.promoted_type(e) {
            Some(ty) => self.implicit(e, ty),
            None => e,
        }
    }

    /// The default argument promotions (6.5.2.2p6).
    pub(crate) fn default_promote(&mut self, e: ExprId) -> ExprId {
        let e = self.decay(e);
        match *self.shape(self.ty(e)) {
            TypeKind::Float(FloatKind::Float) => self.implicit(e, Ty::DOUBLE),
            _ => self.promote(e),
        }
    }

    /// The common type of two arithmetic operands (6.3.1.8).
    pub(crate) fn common_type(&self, a: ExprId, b: ExprId) -> Ty {
        let types = &self.program.types;
        let (fa, fb) = (types.float_kind(self.ty(a)), types.float_kind(self.ty(b)));
        match (fa, fb) {
            (Some(x), Some(y)) => return x.max(y).ty(),
            (Some(x), None) | (None, Some(x)) => return x.ty(),
            (None, None) => {}
        }
        let kind =
            |e| self.promoted_type(e).and_then(|t| types.int_kind(t)).unwrap_or(IntKind::Int);
        self.common_int(kind(a), kind(b)).ty()
    }

    /// The common type of two promoted integer types.
    fn common_int(&self, a: IntKind, b: IntKind) -> IntKind {
        if a == b {
            return a;
        }
        let model = &self.program.types.model;
        let (sa, sb) = (model.int_signed(a), model.int_signed(b));
        if sa == sb {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (unsigned, signed) = if sa { (b, a) } else { (a, b) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if model.int_size(signed) > model.int_size(unsigned) {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    /// Converts both operands to their common type.
    pub(crate) fn usual_conversions(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId, Ty) {
        let ty = self.common_type(a, b);
        (self.implicit(a, ty), self.implicit(b, ty), ty)
    }

    /// A null pointer constant (6.3.2.3p3).
    pub(crate) fn is_null_constant(&self, e: ExprId) -> bool {
        match *self.kind(e) {
            ExprKind::Int(value) => value == 0,
            ExprKind::Cast(ty, inner) if self.program.types.is_pointer(ty) => {
                let to_void = self
                    .program
                    .types
                    .pointee(ty)
                    .is_some_and(|t| t.quals() == Quals::NONE && self.program.types.is_void(t));
                to_void && self.program.types.is_integer(self.ty(inner)) && self.is_zero(inner)
            }
            ExprKind::Cast(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Cond(..) => self.program.types.is_integer(self.ty(e)) && self.is_zero(e),
            ExprKind::EnumConst(..) => self.is_zero(e),
            _ => false,
        }
    }

    fn is_zero(&self, e: ExprId) -> bool {
        self.fold_int(e) == Some(0)
    }

    /// Converts as if by assignment to an object of canonical type `to`; `what` names the context in
    /// messages, such as "initializing".
    pub(crate) fn assign_convert(&mut self, e: ExprId, to: Ty, what: &str) -> ParseResult<ExprId> {
        let to = to.unqual();
        let e = self.decay(e);
        let from = self.ty(e).unqual();
        if from == to {
            return Ok(e);
        }
        let types = &self.program.types;
        if types.is_scalar(to) && types.is_scalar(from) {
            // A pointer does not become a floating value or the other way round.
            let mixed = types.is_pointer(to) && types.float_kind(from).is_some()
                || types.is_pointer(from) && types.float_kind(to).is_some();
            if !mixed {
                return Ok(self.implicit(e, to));
            }
        }
        if self.assignable_vectors(to, from) {
            return Ok(self.implicit(e, to));
        }
        let (to, from) = (self.show(to), self.show(from));
        if from == "void" {
            return invalid(
                self.span(e),
                format!("void value not ignored as it ought to be when {what}"),
            );
        }
        let message = format!("incompatible types when {what} type `{to}` from type `{from}`");
        invalid(self.span(e), message)
    }

    /// GCC lets vectors of the same size and lane count convert where only signedness differs.
    fn assignable_vectors(&self, to: Ty, from: Ty) -> bool {
        match (self.shape(to), self.shape(from)) {
            (&TypeKind::Vector(a, n), &TypeKind::Vector(b, m)) => {
                let types = &self.program.types;
                n == m
                    && types.size_of(a) == types.size_of(b)
                    && types.is_integer(a) == types.is_integer(b)
            }
            _ => false,
        }
    }
}
