//! Copies of subtrees: a node has one parent, so an expression that is needed twice is copied.

use crate::expr::{ExprKind, Init, InitItem};
use crate::ids::ExprId;
use crate::program::Program;

impl Program {
    /// A copy of the tree. The block of a statement expression is shared, not copied.
    pub fn copy_expr(&mut self, expr: ExprId) -> ExprId {
        use ExprKind::*;
        let old = self.expr(expr).clone();
        let kind = match old.kind {
            Int(_)
            | Float(_)
            | LongFloat { .. }
            | Str(_)
            | Var(_)
            | Func(_)
            | EnumConst(..)
            | SizeofType(_)
            | AlignofType(_)
            | StmtExpr(_) => old.kind,
            Unary(op, a) => Unary(op, self.copy_expr(a)),
            Binary(op, a, b) => Binary(op, self.copy_expr(a), self.copy_expr(b)),
            Assign(a, b) => Assign(self.copy_expr(a), self.copy_expr(b)),
            AssignOp { op, lhs, rhs, comp } => {
                AssignOp { op, lhs: self.copy_expr(lhs), rhs: self.copy_expr(rhs), comp }
            }
            Cond(c, a, b) => {
                let c = self.copy_expr(c);
                let a = a.map(|a| self.copy_expr(a));
                Cond(c, a, self.copy_expr(b))
            }
            Cast(ty, a) => Cast(ty, self.copy_expr(a)),
            Implicit(a) => Implicit(self.copy_expr(a)),
            Call(f, args) => {
                let f = self.copy_expr(f);
                Call(f, args.iter().map(|&a| self.copy_expr(a)).collect())
            }
            Index(a, b) => Index(self.copy_expr(a), self.copy_expr(b)),
            Member(a, field) => Member(self.copy_expr(a), field),
            Arrow(a, field) => Arrow(self.copy_expr(a), field),
            SizeofExpr(a) => SizeofExpr(self.copy_expr(a)),
            CompoundLit(ty, init) => CompoundLit(ty, Box::new(self.copy_init(&init))),
            VaArg(a, ty) => VaArg(self.copy_expr(a), ty),
        };
        self.add_expr(kind, old.ty, old.span)
    }

    fn copy_init(&mut self, init: &Init) -> Init {
        match init {
            Init::Expr(e) => Init::Expr(self.copy_expr(*e)),
            Init::List(items) => Init::List(
                items
                    .iter()
                    .map(|item| InitItem { init: self.copy_init(&item.init), ..item.clone() })
                    .collect(),
            ),
        }
    }
}
