//! Conversions (6.3): decay, promotion, the usual arithmetic conversions.

use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::ExprId;
use crate::program::Program;
use crate::types::{FloatKind, IntKind, Ty, TypeKind};

impl Program {
    /// The expression as a value of type `ty`: behind an [`ExprKind::Implicit`] node where the
    /// types, qualifiers aside, differ. Arrays and functions decay first.
    pub fn convert(&mut self, expr: ExprId, ty: Ty) -> ExprId {
        let expr = self.decay(expr);
        let to = self.types.canon(ty).unqual();
        if self.expr(expr).ty.unqual() == to {
            return expr;
        }
        self.implicit(expr, to)
    }

    fn implicit(&mut self, expr: ExprId, ty: Ty) -> ExprId {
        let span = self.expr(expr).span;
        self.add_expr(ExprKind::Implicit(expr), ty, span)
    }

    /// Array to pointer, function to pointer (6.3.2.1); anything else is unchanged.
    pub fn decay(&mut self, expr: ExprId) -> ExprId {
        let ty = self.expr(expr).ty;
        let to = match *self.types.kind(ty) {
            TypeKind::Array(elem, _) => self.types.pointer(elem),
            TypeKind::Function(_) => self.types.pointer(ty),
            _ => return expr,
        };
        self.implicit(expr, to)
    }

    /// The integer promotions (6.3.1.1p2); other types only decay.
    pub fn promote(&mut self, expr: ExprId) -> ExprId {
        let expr = self.decay(expr);
        match self.promoted(expr) {
            Some(kind) => self.convert(expr, kind.ty()),
            None => expr,
        }
    }

    /// The promoted type of an integer expression; a bit-field's width counts.
    fn promoted(&self, expr: ExprId) -> Option<IntKind> {
        let kind = self.types.int_kind(self.expr(expr).ty)?;
        if kind.rank() < IntKind::Int.rank() {
            return Some(IntKind::Int);
        }
        if let Some(width) = self.yielded_width(expr) {
            let int = self.types.model.int_size(IntKind::Int) * 8;
            if width < int || (width == int && self.types.model.int_signed(kind)) {
                return Some(IntKind::Int);
            }
            if width == int {
                return Some(IntKind::UInt);
            }
        }
        Some(kind)
    }

    /// The width of the bit-field that an expression reads or yields: assignments and increments
    /// of one, and a comma before one, have its width too.
    fn yielded_width(&self, mut expr: ExprId) -> Option<u32> {
        use UnOp::{PostDec, PostInc, PreDec, PreInc};
        loop {
            match self.expr(expr).kind {
                ExprKind::Assign(lhs, _) | ExprKind::AssignOp { lhs, .. } => expr = lhs,
                ExprKind::Binary(BinOp::Comma, _, rhs) => expr = rhs,
                ExprKind::Unary(PreInc | PreDec | PostInc | PostDec, of) => expr = of,
                _ => return self.bit_field_width(expr),
            }
        }
    }

    /// Width in bits, if the expression is a bit-field.
    pub fn bit_field_width(&self, expr: ExprId) -> Option<u32> {
        let (record, field) = match self.expr(expr).kind {
            ExprKind::Member(of, field) => (self.expr(of).ty, field),
            ExprKind::Arrow(of, field) => (self.types.pointee(self.expr(of).ty)?, field),
            _ => return None,
        };
        let id = self.types.as_record(record)?;
        self.types.records[id.index()].fields[field as usize].bits
    }

    /// The common type of two arithmetic expressions (6.3.1.8).
    pub fn common_type(&mut self, a: ExprId, b: ExprId) -> Ty {
        let float = |e| self.types.float_kind(self.expr(e).ty);
        match (float(a), float(b)) {
            (None, None) => {}
            (x, y) => return x.max(y).unwrap_or(FloatKind::Double).ty(),
        }
        match (self.promoted(a), self.promoted(b)) {
            (Some(x), Some(y)) => self.common_int(x, y).ty(),
            _ => self.expr(a).ty.unqual(),
        }
    }

    fn common_int(&self, a: IntKind, b: IntKind) -> IntKind {
        let model = &self.types.model;
        if model.int_signed(a) == model.int_signed(b) {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (signed, unsigned) = if model.int_signed(a) { (a, b) } else { (b, a) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if model.int_size(signed) > model.int_size(unsigned) {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    /// The default argument promotions (6.5.2.2p6), for arguments that no parameter governs.
    pub fn promote_argument(&mut self, expr: ExprId) -> ExprId {
        if self.types.float_kind(self.expr(expr).ty) == Some(FloatKind::Float) {
            return self.convert(expr, Ty::DOUBLE);
        }
        self.promote(expr)
    }
}
