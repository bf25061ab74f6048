//! Repairs of pointers and objects: an invalid pointer is replaced by a pointer to a live object, and a
//! value that could not be read by another one.

use super::Repair;
use super::fix::{Rung, replace};
use super::value::make_constant;
use cmachine::{FaultCause, UbKind};
use ctree::{BinOp, ExprId, ExprKind, Program, Ty, UnOp};

/// The pointer that an lvalue goes through, and how it can be repaired.
enum Indirection {
    /// `p[i]`: the node itself, whose index can be 0.
    Element(ExprId),
    /// The pointer operand.
    Pointer(ExprId),
    /// A variable: there is none.
    None,
}

impl Repair<'_> {
    /// Repairs an access through a pointer or to an object. `value` is what the run continued with.
    pub(super) fn repair_access(
        &mut self,
        program: &mut Program,
        node: ExprId,
        cause: FaultCause,
        value: i64,
    ) {
        let node = self.inner.get(&node).copied().unwrap_or(node);
        let kind = match cause {
            FaultCause::Undefined(kind) => Some(kind),
            FaultCause::Unspecified(_) => None,
        };
        let value_is_bad = matches!(
            kind,
            None | Some(UbKind::Indeterminate | UbKind::TrapValue | UbKind::Overlap)
        );
        let done = match program.expr(node).kind {
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) if self.is_walk(program, a, b) => {
                self.walk_pointer(program, node, a, b)
            }
            ExprKind::AssignOp { lhs, rhs, .. }
                if program.types.is_pointer(program.expr(lhs).ty) =>
            {
                !value_is_bad && self.redirect(program, node, kind)
                    || self.walk_stored(program, node, lhs, Some(rhs))
            }
            ExprKind::Unary(op, of)
                if is_step(op) && program.types.is_pointer(program.expr(of).ty) =>
            {
                !value_is_bad && self.redirect(program, node, kind)
                    || self.walk_stored(program, node, of, None)
            }
            ExprKind::Unary(op, of) if is_step(op) && value_is_bad => {
                self.set_instead(program, node, of, value)
            }
            ExprKind::Assign(_, stored) if kind == Some(UbKind::Overlap) => {
                let ty = program.expr(node).ty;
                self.climb(program, node, Rung::Constant, |program, _| {
                    program.exprs[node.index()].kind = ExprKind::Cast(ty, stored);
                    Some(())
                })
            }
            ExprKind::Call(..) | ExprKind::Binary(..) | ExprKind::VaArg(..) => false,
            _ => !value_is_bad && self.redirect(program, node, kind),
        };
        if !done {
            self.climb(program, node, Rung::Constant, |program, repair| {
                make_constant(program, node, &mut repair.scratch, value)
            });
        }
    }

    /// Applies a repair to a node, unless it was changed since the last run: it may be correct already.
    /// A repair of the second rung is applied once. One of the last rung must make the node simpler, as
    /// `++x`, `x += 1`, `x = 1`, `1` do in turn.
    pub(super) fn climb(
        &mut self,
        program: &mut Program,
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
        let original = program.expr(node).kind.clone();
        if change(program, self).is_none() {
            return false;
        }
        self.note(node, rung, original);
        true
    }

    fn is_walk(&self, program: &Program, a: ExprId, b: ExprId) -> bool {
        program.types.is_pointer(program.expr(a).ty) && program.types.is_integer(program.expr(b).ty)
    }

    /// `p + i`: adds 0, or else uses a new object.
    fn walk_pointer(&mut self, program: &mut Program, node: ExprId, a: ExprId, b: ExprId) -> bool {
        let by_nothing = self.climb(program, node, Rung::Form, |program, _| {
            let zero = program.int_const(program.expr(b).ty.unqual(), 0);
            if let ExprKind::Binary(_, _, b) = &mut program.exprs[node.index()].kind {
                *b = zero;
            }
            Some(())
        });
        by_nothing || self.point_to_scratch(program, a)
    }

    /// `p += i` and `++p`: adds 0, or else stores a pointer to a new object.
    fn walk_stored(
        &mut self,
        program: &mut Program,
        node: ExprId,
        lhs: ExprId,
        rhs: Option<ExprId>,
    ) -> bool {
        let ty = program.expr(lhs).ty.unqual();
        let by_nothing = self.climb(program, node, Rung::Form, |program, _| {
            let int = rhs.map_or(Ty::INT, |rhs| program.expr(rhs).ty.unqual());
            let rhs = program.int_const(int, 0);
            let kind = ExprKind::AssignOp { op: BinOp::Add, lhs, rhs, comp: ty };
            program.exprs[node.index()].kind = kind;
            Some(())
        });
        by_nothing
            || self.climb(program, node, Rung::Constant, |program, repair| {
                let pointer = repair.scratch.pointer(program, node, ty)?;
                program.exprs[node.index()].kind = ExprKind::Assign(lhs, pointer);
                Some(())
            })
    }

    /// `++x` where `x` is indeterminate: assigns a value.
    fn set_instead(
        &mut self,
        program: &mut Program,
        node: ExprId,
        target: ExprId,
        value: i64,
    ) -> bool {
        self.climb(program, node, Rung::Constant, |program, _| {
            let ty = program.expr(target).ty.unqual();
            let value = if program.types.is_integer(ty) {
                program.int_const(ty, (value & 1).into())
            } else {
                program.types.float_kind(ty)?;
                program.float_const(ty, value as f64)
            };
            program.exprs[node.index()].kind = ExprKind::Assign(target, value);
            Some(())
        })
    }

    /// Gives the pointer behind an lvalue an object to point to.
    fn redirect(&mut self, program: &mut Program, node: ExprId, kind: Option<UbKind>) -> bool {
        match indirection(program, node) {
            Indirection::None => false,
            Indirection::Element(element) => {
                let ExprKind::Index(base, index) = program.expr(element).kind else { return false };
                let to_first = self.climb(program, element, Rung::Form, |program, _| {
                    let zero = program.int_const(program.expr(index).ty.unqual(), 0);
                    program.exprs[element.index()].kind = ExprKind::Index(base, zero);
                    Some(())
                });
                to_first || self.redirect_pointer(program, base, kind)
            }
            Indirection::Pointer(pointer) => self.redirect_pointer(program, pointer, kind),
        }
    }

    fn redirect_pointer(
        &mut self,
        program: &mut Program,
        pointer: ExprId,
        kind: Option<UbKind>,
    ) -> bool {
        // Other executions of the node may have a valid pointer: only null is replaced.
        let guarded = self.options.gnu
            && kind == Some(UbKind::NullDeref)
            && self.climb(program, pointer, Rung::Form, |program, repair| {
                let ty = program.expr(pointer).ty.unqual();
                let to = program.types.pointee(ty)?;
                program.types.size_of(to)?;
                let other = repair.scratch.pointer(program, pointer, ty)?;
                let expr = program.expr(pointer).clone();
                let inner = program.add_expr(expr.kind, expr.ty, expr.span);
                let expr = &mut program.exprs[pointer.index()];
                (expr.kind, expr.ty) = (ExprKind::Cond(inner, None, other), ty);
                Some(())
            });
        guarded || self.point_to_scratch(program, pointer)
    }

    fn point_to_scratch(&mut self, program: &mut Program, pointer: ExprId) -> bool {
        self.climb(program, pointer, Rung::Constant, |program, repair| {
            if let ExprKind::Unary(UnOp::AddrOf, _) = program.expr(pointer).kind
                && repair.scratch.is_inert(program, pointer)
            {
                return None;
            }
            let ty = program.expr(pointer).ty;
            let other = repair.scratch.pointer(program, pointer, ty)?;
            replace(program, pointer, other);
            Some(())
        })
    }
}

fn is_step(op: UnOp) -> bool {
    matches!(op, UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec)
}

/// The array that a pointer is made from by decay.
fn decayed(program: &Program, pointer: ExprId) -> Option<ExprId> {
    match program.expr(pointer).kind {
        ExprKind::Implicit(of) if program.types.as_array(program.expr(of).ty).is_some() => Some(of),
        _ => None,
    }
}

/// The outermost pointer that an access goes through.
fn indirection(program: &Program, mut node: ExprId) -> Indirection {
    loop {
        node = match program.expr(node).kind {
            ExprKind::Index(base, _) => match decayed(program, base) {
                Some(array) => array,
                None => return Indirection::Element(node),
            },
            ExprKind::Unary(UnOp::Deref, base) => match decayed(program, base) {
                Some(array) => array,
                None => return Indirection::Pointer(base),
            },
            ExprKind::Arrow(base, _) => match decayed(program, base) {
                Some(array) => array,
                None => return Indirection::Pointer(base),
            },
            ExprKind::Member(of, _)
            | ExprKind::Implicit(of)
            | ExprKind::Cast(_, of)
            | ExprKind::Unary(_, of)
            | ExprKind::Assign(of, _)
            | ExprKind::AssignOp { lhs: of, .. } => of,
            _ => return Indirection::None,
        };
    }
}
