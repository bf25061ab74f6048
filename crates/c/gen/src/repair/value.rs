//! The last rung: a value of a node's type that depends on nothing.

use super::fix::replace;
use super::number::wrapped;
use super::scratch::Scratch;
use ctree::{BinOp, ExprId, ExprKind, Program, Ty, UnOp};

/// Puts a constant (`value` if it is an integer) in the place of a node, or an object made for the purpose where an lvalue or an
/// aggregate is wanted. `None` if the type has neither, or the node is one of these.
pub(super) fn neutral(
    p: &mut Program,
    node: ExprId,
    scratch: &mut Scratch,
    value: i64,
) -> Option<()> {
    if scratch.is_inert(p, node) {
        return None;
    }
    let ty = p.expr(node).ty;
    if let Some((record, field)) = bit_field(p, node) {
        // Nothing but a bit-field of this width is promoted as one.
        let var = scratch.object(p, node, record)?;
        let object = p.var_ref(var);
        let member = p.member(object, field);
        replace(p, node, member);
        return Some(());
    }
    if p.is_lvalue(node) {
        return scratch.make_object(p, node);
    }
    let with = if p.types.is_void(ty) {
        let zero = p.int_const(Ty::INT, 0);
        p.cast(Ty::VOID, zero)
    } else if p.types.is_integer(ty) {
        let value = wrapped(value.into(), p.types.int_bits(ty)?).value;
        p.int_const(ty, value)
    } else if p.types.float_kind(ty).is_some() {
        p.float_const(ty, value as f64)
    } else if p.types.is_pointer(ty) {
        scratch.pointer(p, node, ty)?
    } else {
        return scratch.make_object(p, node);
    };
    replace(p, node, with);
    Some(())
}

/// The record and member of the bit-field whose value an expression has: also through assignments
/// and commas, which are promoted alike.
pub(super) fn bit_field(p: &Program, mut node: ExprId) -> Option<(Ty, u32)> {
    loop {
        let (record, field) = match p.expr(node).kind {
            ExprKind::Member(of, field) => (p.expr(of).ty, field),
            ExprKind::Arrow(of, field) => (p.types.pointee(p.expr(of).ty)?, field),
            ExprKind::Assign(lhs, _) | ExprKind::AssignOp { lhs, .. } => {
                node = lhs;
                continue;
            }
            ExprKind::Binary(BinOp::Comma, _, rhs) => {
                node = rhs;
                continue;
            }
            ExprKind::Unary(
                UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                target,
            ) => {
                node = target;
                continue;
            }
            _ => return None,
        };
        let id = p.types.as_record(record)?;
        p.types.records[id.index()].fields[field as usize].bits?;
        return Some((record, field));
    }
}
