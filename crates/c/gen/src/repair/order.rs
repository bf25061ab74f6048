//! Operands whose order is open and that get into each other's way (6.5p2, 6.5.2.2p10).
//!
//! Where one of the two accesses is written in an operand itself, it goes: a side effect is taken
//! out (an assignment becomes the value it would store, `++x` becomes `x`), or what is read becomes
//! another object; `x += f()` becomes `x = f()`. Where both are inside of calls, the side effects
//! of an operand go, and a call becomes a constant. Each time something disappears that is never
//! made again, so this ends.

use super::scratch::Scratch;
use super::value::{bit_field, neutral};
use super::walk::{Part, expr_parts, stmt_parts};
use super::{Repair, Rung, Wrong};
use ctree::{ExprId, ExprKind, Program, UnOp};

impl Repair<'_> {
    /// Repairs a conflict.
    pub(super) fn reorder(&mut self, p: &mut Program, wrong: &Wrong) {
        let accesses = || wrong.accesses.iter().flatten().copied();
        if accesses().any(|e| self.changed.contains(&e)) {
            return;
        }
        let write = accesses().find(|&e| is_side_effect(&p.expr(e).kind));
        let stripped = match write {
            Some(write) if quiet(p, write, &mut self.scratch, wrong.value).is_some() => vec![write],
            _ if self.assign_instead(p, wrong) || self.read_instead(p, wrong) => return,
            _ => strip(p, wrong.node, &mut self.scratch, wrong.value),
        };
        for node in stripped {
            self.note(node, Rung::Constant, p.expr(node).kind.clone());
        }
    }

    /// Takes out a read that a call or another initialiser interferes with.
    fn read_instead(&mut self, p: &mut Program, wrong: &Wrong) -> bool {
        let mut reads: Vec<ExprId> = wrong.accesses.iter().flatten().copied().collect();
        // The value that an initialiser stores is no read.
        reads.sort_by_key(|&e| !p.is_lvalue(e));
        reads.into_iter().any(|read| {
            self.climb(p, read, Rung::Constant, |p, repair| {
                neutral(p, read, &mut repair.scratch, wrong.value)
            })
        })
    }

    /// `x += f()`, where the call writes x, becomes `x = f()`.
    fn assign_instead(&mut self, p: &mut Program, wrong: &Wrong) -> bool {
        let Part::Expr(owner) = wrong.node else { return false };
        let ExprKind::AssignOp { lhs, rhs, .. } = p.expr(owner).kind else { return false };
        let ty = p.expr(lhs).ty.unqual();
        if !wrong.accesses.contains(&Some(lhs)) || p.types.is_pointer(ty) {
            return false;
        }
        self.climb(p, owner, Rung::Constant, |p, _| {
            let value = p.convert(rhs, ty);
            p.exprs[owner.index()].kind = ExprKind::Assign(lhs, value);
            Some(())
        })
    }
}

fn is_side_effect(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Assign(..)
            | ExprKind::AssignOp { .. }
            | ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, _)
    )
}

/// Takes the side effects out of the last part that has any. Returns the nodes that were changed:
/// none if there was nothing to take out.
fn strip(p: &mut Program, owner: Part, scratch: &mut Scratch, value: i64) -> Vec<ExprId> {
    let mut parts = Vec::new();
    match owner {
        Part::Expr(e) => expr_parts(&p.expr(e).kind, &mut |part| parts.push(part)),
        Part::Stmt(s) => stmt_parts(p, s, &mut |part| parts.push(part)),
    }
    for &part in parts.iter().rev() {
        let mut effects = Vec::new();
        side_effects(p, part, &mut effects);
        effects.retain(|&e| quiet(p, e, scratch, value).is_some());
        if !effects.is_empty() {
            return effects;
        }
    }
    Vec::new()
}

/// The side effects in an expression, outermost first. What is inside of a call or a statement
/// expression goes with it.
fn side_effects(p: &Program, part: Part, found: &mut Vec<ExprId>) {
    let Part::Expr(e) = part else { return };
    let kind = &p.expr(e).kind;
    match kind {
        ExprKind::Call(..) | ExprKind::StmtExpr(_) | ExprKind::VaArg(..) => {
            found.push(e);
            return;
        }
        _ if is_side_effect(kind) => found.push(e),
        _ => {}
    }
    expr_parts(kind, &mut |inner| side_effects(p, inner, found));
}

/// Takes the side effect out of a node.
fn quiet(p: &mut Program, node: ExprId, scratch: &mut Scratch, value: i64) -> Option<()> {
    let ty = p.expr(node).ty;
    let of = match p.expr(node).kind {
        ExprKind::Assign(_, stored) => stored,
        ExprKind::AssignOp { lhs, .. } => lhs,
        ExprKind::Unary(_, target) => target,
        _ => return neutral(p, node, scratch, value),
    };
    if p.types.is_scalar(ty) && bit_field(p, node).is_none() {
        p.exprs[node.index()].kind = ExprKind::Cast(ty, of);
        return Some(());
    }
    neutral(p, node, scratch, value)
}
