//! Replaces expressions by the values they had, or by one of their operands; shortens constants.

use std::collections::HashMap;

use ctree::{Expr, ExprId, ExprKind, Program, Span, StmtId, StmtKind, Ty, TypeKind, UnOp};

use crate::{Edit, Parent, ProgramMap, Specimen};

/// Replaces an expression by a constant, of the type that its shortest text has.
pub(crate) fn literal(program: &mut Program, e: ExprId, value: i128) {
    let ty = match value {
        _ if i32::try_from(value).is_ok() => Ty::INT,
        _ if i64::try_from(value).is_ok() => Ty::LONG,
        _ => Ty::ULONG,
    };
    let constant = program.int_const(ty, value);
    program.exprs[e.index()] = program.exprs[constant.index()].clone();
}

/// Whether an expression is already a literal.
fn is_literal(program: &Program, e: ExprId) -> bool {
    match program.expr(e).kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) => true,
        ExprKind::Unary(UnOp::Neg, a) => matches!(program.expr(a).kind, ExprKind::Int(_)),
        ExprKind::Implicit(a) => is_literal(program, a),
        _ => false,
    }
}

fn is_number(program: &Program, ty: Ty) -> bool {
    matches!(program.types.shape(ty), TypeKind::Int(_) | TypeKind::Enum(_))
}

/// Whether a statement is an expression statement, whose value is not used.
fn is_effect(program: &Program, s: StmtId) -> bool {
    matches!(program.stmt(s).kind, StmtKind::Expr(_))
}

/// Whether the value of an expression is used, not its lvalue or only its effect, and it is not called.
fn is_value(program: &Program, map: &ProgramMap, e: ExprId) -> bool {
    is_number(program, program.expr(e).ty)
        && match map.visible_parent(program, e) {
            Some(Parent::Expr(up)) => match program.expr(up).kind {
                ExprKind::Assign(lhs, _) | ExprKind::AssignOp { lhs, .. } => lhs != e,
                ExprKind::Unary(op, _) => !matches!(
                    op,
                    UnOp::AddrOf | UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec
                ),
                ExprKind::Member(..) | ExprKind::SizeofExpr(_) => false,
                _ => true,
            },
            Some(Parent::Stmt(s)) => !is_effect(program, s),
            Some(Parent::Var(_)) => true,
            None => false,
        }
}

/// Depth of an expression within its statement, implicit conversions not counted.
fn depths(program: &Program, map: &ProgramMap) -> HashMap<ExprId, usize> {
    let mut depths: HashMap<ExprId, usize> = HashMap::new();
    for &(e, _) in &map.exprs {
        let depth = match map.parents.get(&e) {
            Some(Parent::Expr(up)) => {
                let hidden = matches!(program.expr(*up).kind, ExprKind::Implicit(_));
                depths.get(up).copied().unwrap_or(0) + usize::from(!hidden)
            }
            _ => 0,
        };
        depths.insert(e, depth);
    }
    depths
}

/// Replaces expressions by their first value. A level is a depth of nesting.
pub(crate) fn to_values(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let depths = depths(program, &map);
    if depths.values().all(|&depth| depth < level) {
        return None;
    }
    let mut edits: Vec<Edit> = Vec::new();
    for &(e, _) in &map.exprs {
        if depths[&e] != level
            || matches!(program.expr(e).kind, ExprKind::Implicit(_))
            || is_literal(program, e)
            || !is_value(program, &map, e)
        {
            continue;
        }
        // An expression that is never evaluated may have any value.
        let value = specimen.profile().values.get(&e).map_or(0, |worth| worth.first);
        edits.push(Box::new(move |program| literal(program, e, value)));
    }
    Some(edits)
}

/// The level of expressions whose value is used besides their effect.
const VALUES: usize = 6;

/// Replaces expressions by one of their operands. A level is a kind of expression and one of its operands.
pub(crate) fn to_operands(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let choose: fn(&Program, &Expr) -> Option<Expr> = match level {
        0 => |program, e| match e.kind {
            ExprKind::Cast(_, a) => Some(program.expr(a).clone()),
            _ => None,
        },
        1 => |program, e| match e.kind {
            ExprKind::Unary(UnOp::Plus | UnOp::Neg | UnOp::BitNot | UnOp::LogNot, a)
                if !matches!(program.expr(a).kind, ExprKind::Int(_)) =>
            {
                Some(program.expr(a).clone())
            }
            ExprKind::Cond(_, Some(a), _) => Some(program.expr(a).clone()),
            _ => None,
        },
        2 => |program, e| match e.kind {
            ExprKind::Binary(_, a, _) | ExprKind::Cond(_, _, a) => Some(program.expr(a).clone()),
            _ => None,
        },
        3 => |program, e| match e.kind {
            ExprKind::Binary(_, _, b) | ExprKind::Cond(b, ..) => Some(program.expr(b).clone()),
            _ => None,
        },
        4 => |program, e| match e.kind {
            ExprKind::Assign(_, b) | ExprKind::AssignOp { rhs: b, .. } => {
                Some(program.expr(b).clone())
            }
            _ => None,
        },
        5 => |_, e| match e.kind {
            ExprKind::AssignOp { lhs, rhs, .. } => {
                Some(Expr { kind: ExprKind::Assign(lhs, rhs), ..e.clone() })
            }
            _ => None,
        },
        VALUES => |program, e| match &e.kind {
            ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, a) => {
                Some(program.expr(*a).clone())
            }
            // Calls whose value is used; a value is not printed by itself.
            ExprKind::Call(_, args) if is_number(program, e.ty) => {
                args.iter().map(|&a| program.expr(a)).find(|a| is_number(program, a.ty)).cloned()
            }
            _ => None,
        },
        _ => return None,
    };
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let mut edits: Vec<Edit> = Vec::new();
    for &(e, _) in &map.exprs {
        let mere_effect =
            matches!(map.parents.get(&e), Some(Parent::Stmt(s)) if is_effect(program, *s));
        if level == VALUES && mere_effect {
            continue;
        }
        if choose(program, program.expr(e)).is_some() {
            edits.push(Box::new(move |program| {
                if let Some(new) = choose(program, program.expr(e)) {
                    program.exprs[e.index()] = new;
                }
            }));
        }
    }
    Some(edits)
}

/// Shortens constants.
pub(crate) fn simpler_constants(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let change: fn(u64) -> u64 = match level {
        0 => |_| 0,
        1 => |_| 1,
        2 => |n| n / 1000,
        3 => |n| n / 10,
        4 => |n| n,
        _ => return None,
    };
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let mut edits: Vec<Edit> = Vec::new();
    for &(e, _) in &map.exprs {
        let ExprKind::Int(old) = program.expr(e).kind else { continue };
        let (new, ty) = (change(old), program.expr(e).ty);
        if new < old.max(2) && old > 9 || level == 4 && ty != Ty::INT {
            edits.push(Box::new(move |program| {
                let ty = if i32::try_from(new).is_ok() { Ty::INT } else { ty };
                program.exprs[e.index()] = Expr { kind: ExprKind::Int(new), ty, span: Span::NONE };
            }));
        }
    }
    Some(edits)
}
