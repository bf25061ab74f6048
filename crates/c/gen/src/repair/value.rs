//! The last rung: a constant of a node's type.

use super::fix::replace;
use super::number::wrapped;
use super::scratch::Scratch;
use ctree::{BinOp, ExprId, ExprKind, Program, Ty, UnOp};

/// Replaces a node by a constant (`value` if it is an integer), or by a new object where an lvalue or
/// an aggregate is needed. `None` if neither is possible, or the node is one already.
pub(super) fn make_constant(
    program: &mut Program,
    node: ExprId,
    scratch: &mut Scratch,
    value: i64,
) -> Option<()> {
    if scratch.is_inert(program, node) {
        return None;
    }
    let ty = program.expr(node).ty;
    if let Some((record, field)) = bit_field(program, node) {
        // Only a bit-field of this width is promoted like one.
        let var = scratch.object(program, node, record)?;
        let object = program.var_ref(var);
        let member = program.member(object, field);
        replace(program, node, member);
        return Some(());
    }
    if program.is_lvalue(node) {
        return scratch.make_object(program, node);
    }
    let with = if program.types.is_void(ty) {
        let zero = program.int_const(Ty::INT, 0);
        program.cast(Ty::VOID, zero)
    } else if program.types.is_integer(ty) {
        let value = wrapped(value.into(), program.types.int_bits(ty)?).value;
        program.int_const(ty, value)
    } else if program.types.float_kind(ty).is_some() {
        program.float_const(ty, value as f64)
    } else if program.types.is_pointer(ty) {
        scratch.pointer(program, node, ty)?
    } else {
        return scratch.make_object(program, node);
    };
    replace(program, node, with);
    Some(())
}

/// The record and member of the bit-field whose value an expression has: also through assignments
/// and commas, which are promoted alike.
pub(super) fn bit_field(program: &Program, mut node: ExprId) -> Option<(Ty, u32)> {
    loop {
        let (record, field) = match program.expr(node).kind {
            ExprKind::Member(of, field) => (program.expr(of).ty, field),
            ExprKind::Arrow(of, field) => (program.types.pointee(program.expr(of).ty)?, field),
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
        let id = program.types.as_record(record)?;
        program.types.records[id.index()].fields[field as usize].bits?;
        return Some((record, field));
    }
}
