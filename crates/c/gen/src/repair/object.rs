//! What is wrong with a pointer or an object: where a run stops because of it, the pointer gets a
//! living object to point to, or the value that could not be read becomes another.

use super::Repair;
use super::fix::{Rung, replace};
use super::value::neutral;
use cmachine::{FaultCause, UbKind};
use ctree::{BinOp, ExprId, ExprKind, Program, Ty, UnOp};

/// How the pointer behind an lvalue can be dealt with.
enum Behind {
    /// `p[i]`: the node itself, whose index can be 0.
    Element(ExprId),
    /// The pointer operand.
    Pointer(ExprId),
    /// A variable: there is none.
    Nothing,
}

impl Repair<'_> {
    /// Repairs a node that something is wrong with. `value` is what the run went on with.
    pub(super) fn treat(&mut self, p: &mut Program, node: ExprId, cause: FaultCause, value: i64) {
        let node = self.inner.get(&node).copied().unwrap_or(node);
        let kind = match cause {
            FaultCause::Undefined(kind) => Some(kind),
            FaultCause::Unspecified(_) => None,
        };
        let value_is_bad = matches!(
            kind,
            None | Some(UbKind::Indeterminate | UbKind::TrapValue | UbKind::Overlap)
        );
        let done = match p.expr(node).kind {
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) if self.is_walk(p, a, b) => {
                self.walk_pointer(p, node, a, b)
            }
            ExprKind::AssignOp { lhs, rhs, .. } if p.types.is_pointer(p.expr(lhs).ty) => {
                !value_is_bad && self.redirect(p, node, kind)
                    || self.walk_stored(p, node, lhs, Some(rhs))
            }
            ExprKind::Unary(op, of) if is_step(op) && p.types.is_pointer(p.expr(of).ty) => {
                !value_is_bad && self.redirect(p, node, kind) || self.walk_stored(p, node, of, None)
            }
            ExprKind::Unary(op, of) if is_step(op) && value_is_bad => {
                self.set_instead(p, node, of, value)
            }
            ExprKind::Assign(_, stored) if kind == Some(UbKind::Overlap) => {
                let ty = p.expr(node).ty;
                self.climb(p, node, Rung::Constant, |p, _| {
                    p.exprs[node.index()].kind = ExprKind::Cast(ty, stored);
                    Some(())
                })
            }
            ExprKind::Call(..) | ExprKind::Binary(..) | ExprKind::VaArg(..) => false,
            _ => !value_is_bad && self.redirect(p, node, kind),
        };
        if !done {
            self.climb(p, node, Rung::Constant, |p, repair| {
                neutral(p, node, &mut repair.scratch, value)
            });
        }
    }

    /// Does something to a node, unless it was changed since the last run: what is wrong with it may
    /// be right already. What brings a node to the second rung is done once. What brings it to the
    /// last must make it simpler, as `++x`, `x += 1`, `x = 1`, `1` do in turn.
    pub(super) fn climb(
        &mut self,
        p: &mut Program,
        node: ExprId,
        rung: Rung,
        change: impl FnOnce(&mut Program, &mut Self) -> Option<()>,
    ) -> bool {
        if self.changed.contains(&node) {
            return true;
        }
        if rung < Rung::Constant && self.nodes.get(&node).is_some_and(|n| n.rung >= rung) {
            return false;
        }
        let original = p.expr(node).kind.clone();
        if change(p, self).is_none() {
            return false;
        }
        self.note(node, rung, original);
        true
    }

    fn is_walk(&self, p: &Program, a: ExprId, b: ExprId) -> bool {
        p.types.is_pointer(p.expr(a).ty) && p.types.is_integer(p.expr(b).ty)
    }

    /// `p + i`: by nothing; else from an object of our own.
    fn walk_pointer(&mut self, p: &mut Program, node: ExprId, a: ExprId, b: ExprId) -> bool {
        let by_nothing = self.climb(p, node, Rung::Form, |p, _| {
            let zero = p.int_const(p.expr(b).ty.unqual(), 0);
            if let ExprKind::Binary(_, _, b) = &mut p.exprs[node.index()].kind {
                *b = zero;
            }
            Some(())
        });
        by_nothing || self.point_to_scratch(p, a)
    }

    /// `p += i` and `++p`: by nothing; else a pointer to an object of our own is stored.
    fn walk_stored(
        &mut self,
        p: &mut Program,
        node: ExprId,
        lhs: ExprId,
        rhs: Option<ExprId>,
    ) -> bool {
        let ty = p.expr(lhs).ty.unqual();
        let by_nothing = self.climb(p, node, Rung::Form, |p, _| {
            let int = rhs.map_or(Ty::INT, |rhs| p.expr(rhs).ty.unqual());
            let rhs = p.int_const(int, 0);
            let kind = ExprKind::AssignOp { op: BinOp::Add, lhs, rhs, comp: ty };
            p.exprs[node.index()].kind = kind;
            Some(())
        });
        by_nothing
            || self.climb(p, node, Rung::Constant, |p, repair| {
                let pointer = repair.scratch.pointer(p, node, ty)?;
                p.exprs[node.index()].kind = ExprKind::Assign(lhs, pointer);
                Some(())
            })
    }

    /// `++x` where x has no value: it gets one.
    fn set_instead(&mut self, p: &mut Program, node: ExprId, target: ExprId, value: i64) -> bool {
        self.climb(p, node, Rung::Constant, |p, _| {
            let ty = p.expr(target).ty.unqual();
            let value = if p.types.is_integer(ty) {
                p.int_const(ty, (value & 1).into())
            } else {
                p.types.float_kind(ty)?;
                p.float_const(ty, value as f64)
            };
            p.exprs[node.index()].kind = ExprKind::Assign(target, value);
            Some(())
        })
    }

    /// Gives the pointer behind an lvalue an object to point to.
    fn redirect(&mut self, p: &mut Program, node: ExprId, kind: Option<UbKind>) -> bool {
        match behind(p, node) {
            Behind::Nothing => false,
            Behind::Element(element) => {
                let ExprKind::Index(base, index) = p.expr(element).kind else { return false };
                let to_first = self.climb(p, element, Rung::Form, |p, _| {
                    let zero = p.int_const(p.expr(index).ty.unqual(), 0);
                    p.exprs[element.index()].kind = ExprKind::Index(base, zero);
                    Some(())
                });
                to_first || self.redirect_pointer(p, base, kind)
            }
            Behind::Pointer(pointer) => self.redirect_pointer(p, pointer, kind),
        }
    }

    fn redirect_pointer(&mut self, p: &mut Program, pointer: ExprId, kind: Option<UbKind>) -> bool {
        // Other runs of the same node may have a good pointer: only null is replaced.
        let guarded = self.options.gnu
            && kind == Some(UbKind::NullDeref)
            && self.climb(p, pointer, Rung::Form, |p, repair| {
                let ty = p.expr(pointer).ty.unqual();
                let to = p.types.pointee(ty)?;
                p.types.size_of(to)?;
                let other = repair.scratch.pointer(p, pointer, ty)?;
                let expr = p.expr(pointer).clone();
                let inner = p.add_expr(expr.kind, expr.ty, expr.span);
                let expr = &mut p.exprs[pointer.index()];
                (expr.kind, expr.ty) = (ExprKind::Cond(inner, None, other), ty);
                Some(())
            });
        guarded || self.point_to_scratch(p, pointer)
    }

    fn point_to_scratch(&mut self, p: &mut Program, pointer: ExprId) -> bool {
        self.climb(p, pointer, Rung::Constant, |p, repair| {
            if let ExprKind::Unary(UnOp::AddrOf, _) = p.expr(pointer).kind
                && repair.scratch.is_inert(p, pointer)
            {
                return None;
            }
            let ty = p.expr(pointer).ty;
            let other = repair.scratch.pointer(p, pointer, ty)?;
            replace(p, pointer, other);
            Some(())
        })
    }
}

fn is_step(op: UnOp) -> bool {
    matches!(op, UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec)
}

/// The array that a pointer is made from by decay.
fn decayed(p: &Program, pointer: ExprId) -> Option<ExprId> {
    match p.expr(pointer).kind {
        ExprKind::Implicit(of) if p.types.as_array(p.expr(of).ty).is_some() => Some(of),
        _ => None,
    }
}

/// The outermost pointer that an access goes through.
fn behind(p: &Program, mut node: ExprId) -> Behind {
    loop {
        node = match p.expr(node).kind {
            ExprKind::Index(base, _) => match decayed(p, base) {
                Some(array) => array,
                None => return Behind::Element(node),
            },
            ExprKind::Unary(UnOp::Deref, base) => match decayed(p, base) {
                Some(array) => array,
                None => return Behind::Pointer(base),
            },
            ExprKind::Arrow(base, _) => match decayed(p, base) {
                Some(array) => array,
                None => return Behind::Pointer(base),
            },
            ExprKind::Member(of, _)
            | ExprKind::Implicit(of)
            | ExprKind::Cast(_, of)
            | ExprKind::Unary(_, of)
            | ExprKind::Assign(of, _)
            | ExprKind::AssignOp { lhs: of, .. } => of,
            _ => return Behind::Nothing,
        };
    }
}
