//! Repairs conflicts between operands whose order is unspecified (6.5p2, 6.5.2.2p10).
//!
//! An access that is not inside a call is removed: an assignment becomes the value it would store, `++x`
//! becomes `x`, a read reads another object; `x += f()` becomes `x = f()`. If both accesses are inside
//! calls, the side effects of an operand are removed, and a call becomes a constant. Each repair removes
//! something that is never added again, so this terminates.

use super::children::{expr_children, stmt_children};
use super::scratch::Scratch;
use super::value::{bit_field, make_constant};
use super::{Defect, Repair, Rung};
use cmachine::Node;
use ctree::{ExprId, ExprKind, Program, UnOp};

impl Repair<'_> {
    /// Repairs a conflict.
    pub(super) fn reorder(&mut self, program: &mut Program, defect: &Defect) {
        let accesses = || defect.accesses.iter().flatten().copied();
        if accesses().any(|e| self.changed.contains(&e)) {
            return;
        }
        let write = accesses().find(|&e| is_side_effect(&program.expr(e).kind));
        let stripped = match write {
            Some(write)
                if remove_side_effect(program, write, &mut self.scratch, defect.value)
                    .is_some() =>
            {
                vec![write]
            }
            _ if self.assign_instead(program, defect) || self.read_instead(program, defect) => {
                return;
            }
            _ => remove_side_effects(program, defect.node, &mut self.scratch, defect.value),
        };
        for node in stripped {
            self.note(node, Rung::Constant, program.expr(node).kind.clone());
        }
    }

    /// Replaces a read that conflicts with a call or another initialiser.
    fn read_instead(&mut self, program: &mut Program, defect: &Defect) -> bool {
        let mut reads: Vec<ExprId> = defect.accesses.iter().flatten().copied().collect();
        // The value that an initialiser stores is not a read.
        reads.sort_by_key(|&e| !program.is_lvalue(e));
        reads.into_iter().any(|read| {
            self.climb(program, read, Rung::Constant, |program, repair| {
                make_constant(program, read, &mut repair.scratch, defect.value)
            })
        })
    }

    /// `x += f()`, where the call writes x, becomes `x = f()`.
    fn assign_instead(&mut self, program: &mut Program, defect: &Defect) -> bool {
        let Node::Expr(owner) = defect.node else { return false };
        let ExprKind::AssignOp { lhs, rhs, .. } = program.expr(owner).kind else { return false };
        let ty = program.expr(lhs).ty.unqual();
        if !defect.accesses.contains(&Some(lhs)) || program.types.is_pointer(ty) {
            return false;
        }
        self.climb(program, owner, Rung::Constant, |program, _| {
            let value = program.convert(rhs, ty);
            program.exprs[owner.index()].kind = ExprKind::Assign(lhs, value);
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

/// Removes the side effects of the last child that has any. Returns the nodes that were changed.
fn remove_side_effects(
    program: &mut Program,
    owner: Node,
    scratch: &mut Scratch,
    value: i64,
) -> Vec<ExprId> {
    let mut nodes = Vec::new();
    match owner {
        Node::Expr(e) => expr_children(&program.expr(e).kind, &mut |node| nodes.push(node)),
        Node::Stmt(s) => stmt_children(program, s, &mut |node| nodes.push(node)),
    }
    for &node in nodes.iter().rev() {
        let mut effects = Vec::new();
        side_effects(program, node, &mut effects);
        effects.retain(|&e| remove_side_effect(program, e, scratch, value).is_some());
        if !effects.is_empty() {
            return effects;
        }
    }
    Vec::new()
}

/// The side effects in an expression, outermost first. A call or a statement expression
/// counts as one.
fn side_effects(program: &Program, node: Node, found: &mut Vec<ExprId>) {
    let Node::Expr(e) = node else { return };
    let kind = &program.expr(e).kind;
    match kind {
        ExprKind::Call(..) | ExprKind::StmtExpr(_) | ExprKind::VaArg(..) => {
            found.push(e);
            return;
        }
        _ if is_side_effect(kind) => found.push(e),
        _ => {}
    }
    expr_children(kind, &mut |inner| side_effects(program, inner, found));
}

/// Removes the side effect of a node.
fn remove_side_effect(
    program: &mut Program,
    node: ExprId,
    scratch: &mut Scratch,
    value: i64,
) -> Option<()> {
    let ty = program.expr(node).ty;
    let of = match program.expr(node).kind {
        ExprKind::Assign(_, stored) => stored,
        ExprKind::AssignOp { lhs, .. } => lhs,
        ExprKind::Unary(_, target) => target,
        _ => return make_constant(program, node, scratch, value),
    };
    if program.types.is_scalar(ty) && bit_field(program, node).is_none() {
        program.exprs[node.index()].kind = ExprKind::Cast(ty, of);
        return Some(());
    }
    make_constant(program, node, scratch, value)
}
