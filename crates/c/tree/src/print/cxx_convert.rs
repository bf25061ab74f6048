//! Conversions that C makes and C++ does not, or makes differently: they are printed as casts.

use super::Printer;
use super::cxx::is_container;
use super::expr::POSTFIX;
use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::ExprId;
use crate::types::{Ty, TypeKind};

impl Printer<'_> {
    /// The expression under implicit conversions.
    pub(super) fn innermost(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Implicit(inner) = self.program.expr(id).kind {
            id = inner;
        }
        id
    }

    /// The node that C++ text is printed for: an implicit conversion only if it leaves a trace.
    pub(super) fn shown(&self, id: ExprId) -> ExprId {
        let inner = self.innermost(id);
        if inner == id || self.wants_cast(inner, self.program.expr(id).ty) {
            return id;
        }
        self.unconverted(id)
    }

    /// The expression below conversions, but for the decay of a container, which has its own text.
    pub(super) fn unconverted(&self, mut id: ExprId) -> ExprId {
        let inner = self.innermost(id);
        if !is_container(self.dims(inner)) {
            return inner;
        }
        while let ExprKind::Implicit(next) = self.program.expr(id).kind
            && next != inner
        {
            id = next;
        }
        id
    }

    /// An implicit conversion that is printed: a cast, or the address of a container's first element.
    pub(super) fn conversion(&mut self, id: ExprId) {
        let to = self.program.expr(id).ty;
        let inner = self.innermost(id);
        if self.wants_cast(inner, to) {
            let operand = self.unconverted(id);
            return self.cast(to, operand);
        }
        if is_container(self.dims(inner).get(1..).unwrap_or(&[])) {
            return self.fail("a pointer to a row of a container");
        }
        self.push("&");
        self.expr(inner, POSTFIX);
        self.push("[0]");
    }

    /// Whether C++ does not convert the expression to the type as C does.
    fn wants_cast(&self, inner: ExprId, to: Ty) -> bool {
        let program = self.program;
        let types = &program.types;
        let expr = program.expr(inner);
        let from = expr.ty.unqual();
        match (types.kind(from), types.kind(to)) {
            (_, TypeKind::Enum(id)) => {
                let own = matches!(expr.kind, ExprKind::EnumConst(of, _) if of == *id);
                from != to.unqual() && !(own && self.promotes_to_int(*id))
            }
            // Promotes to `int` in C++, to the compatible type in C.
            (TypeKind::Enum(_), TypeKind::Int(_) | TypeKind::Float(_)) => true,
            (TypeKind::Int(_), TypeKind::Pointer(_)) => expr.kind != ExprKind::Int(0),
            (TypeKind::Array(elem, _), TypeKind::Pointer(to)) => {
                let constant = matches!(expr.kind, ExprKind::Str(_)) && !to.is_const();
                constant || !converts(types, *elem, *to)
            }
            (TypeKind::Pointer(from), TypeKind::Pointer(to)) => !converts(types, *from, *to),
            (TypeKind::Function(_), TypeKind::Pointer(to)) => *to != from,
            (TypeKind::Pointer(_), TypeKind::Int(_)) => to.unqual() != Ty::BOOL,
            // The result of a postfix operator is not a bit-field in C++, so it does not promote.
            (TypeKind::Int(_), TypeKind::Int(_)) => match expr.kind {
                ExprKind::Unary(UnOp::PostInc | UnOp::PostDec, of) => {
                    program.bit_field_width(of).is_some()
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The type that the right operand needs: C++ does not compare pointers to different types.
    pub(super) fn compared_as(&self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<Ty> {
        use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
        if self.cxx.is_none() || !matches!(op, Eq | Ne | Lt | Gt | Le | Ge) {
            return None;
        }
        let types = &self.program.types;
        let (to, from) = (self.points_to(lhs)?, self.points_to(rhs)?);
        let alike = to == from || types.is_void(to) || types.is_void(from);
        // The common type of the operands, or the type of the left one.
        let meets = self.program.expr(rhs).ty.unqual();
        let is_void = types.pointee(meets).is_some_and(|to| types.is_void(to));
        (!alike).then_some(if is_void { meets } else { self.program.expr(lhs).ty.unqual() })
    }

    /// What an expression points to, or would after decay; unqualified, conversions aside.
    fn points_to(&self, id: ExprId) -> Option<Ty> {
        let ty = self.program.expr(self.innermost(id)).ty;
        match *self.program.types.kind(ty) {
            TypeKind::Pointer(to) | TypeKind::Array(to, _) => Some(to.unqual()),
            TypeKind::Function(_) => Some(ty),
            _ => None,
        }
    }

    /// An alternative of `?:`. C++ may give a bit-field as an lvalue where C has promoted it, and
    /// pointers to different types have no common type.
    pub(super) fn alternative(&mut self, id: ExprId, whole: Ty, min: u8) {
        if self.cxx.is_some() {
            let types = &self.program.types;
            let to = self.program.expr(id).ty;
            let inner = self.unconverted(id);
            if types.is_void(whole) && !types.is_void(to) {
                return self.cast(Ty::VOID, id);
            }
            let points = self.points_to(id).filter(|_| types.is_pointer(whole));
            let apart = points.is_some_and(|from| types.pointee(to).map(Ty::unqual) != Some(from));
            if inner != id && (apart || self.yields_bit_field(inner)) {
                return self.cast(to, inner);
            }
        }
        self.expr(id, min);
    }

    fn yields_bit_field(&self, id: ExprId) -> bool {
        match self.program.expr(id).kind {
            ExprKind::Assign(of, _)
            | ExprKind::AssignOp { lhs: of, .. }
            | ExprKind::Binary(BinOp::Comma, _, of)
            | ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, of) => {
                self.yields_bit_field(self.innermost(of))
            }
            _ => self.program.bit_field_width(id).is_some(),
        }
    }

    /// `sizeof e`. The type of a value may be another in C++ (`a < b` is a `bool`), and containers
    /// have sizes of their own: there the type of C is named.
    pub(super) fn sizeof_as_type(&self, operand: ExprId) -> bool {
        fn is_plain(p: &Printer<'_>, id: ExprId) -> bool {
            match p.program.expr(id).kind {
                ExprKind::Var(_) | ExprKind::Str(_) => !is_container(p.dims(id)),
                ExprKind::Member(of, _) | ExprKind::Arrow(of, _) => {
                    !is_container(p.dims(id)) && is_plain(p, p.innermost(of))
                }
                _ => false,
            }
        }
        self.cxx.is_some() && !is_plain(self, operand)
    }
}

/// Whether a pointer to `from` becomes one to `to` by itself: qualifiers added, or `void`.
fn converts(types: &crate::TypeTable, from: Ty, to: Ty) -> bool {
    let same = from.unqual() == to.unqual();
    let void = types.is_void(to) && types.as_function(from).is_none();
    to.quals().has(from.quals()) && (same || void)
}
