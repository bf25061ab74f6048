//! Inlines calls.
//!
//! The body is inserted before the statement with the call where that is possible, and otherwise becomes a
//! statement expression. Only calls by name within a unit are inlined.

use std::collections::{HashMap, HashSet};

use ctree::{
    BinOp, ExprId, ExprKind, FuncId, Init, Item, Label, LabelId, Program, Scope, Span, StmtId,
    StmtKind, Storage, Ty, VarId,
};

use crate::edit::{TreeCopier, bare, callee, constant, has_room, insert_before, replace_by_child};
use crate::value::literal;
use crate::{Edit, Parent, ProgramMap, Specimen, only};
use ctree::map::StmtContext;

/// Functions with a single call that return only at their end: inlining makes the text shorter.
pub(crate) fn single(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || edits(specimen, |program, f, calls| calls == 1 && ends_once(program, f)))
}

/// Functions with several calls or returns: first those that are one expression, then all.
pub(crate) fn several(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    match level {
        0 => Some(edits(specimen, |program, f, calls| calls > 1 && is_expression(program, f))),
        1 => Some(edits(specimen, |_, _, calls| calls == 1)),
        2 => Some(edits(specimen, |program, f, calls| calls > 1 && !is_expression(program, f))),
        _ => None,
    }
}

/// Whether only the last statement of a function returns.
fn ends_once(program: &Program, f: FuncId) -> bool {
    let Some(body) = program.func(f).body else { return false };
    let StmtKind::Block(list) = &program.stmt(body).kind else { return false };
    let returns = |s: StmtId| matches!(program.stmt(s).kind, StmtKind::Return(_));
    let all = ProgramMap::of_stmt(program, body).stmts;
    all.iter().all(|context| !returns(context.id) || Some(&context.id) == list.last())
}

fn edits(specimen: &Specimen, wanted: fn(&Program, FuncId, usize) -> bool) -> Vec<Edit> {
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let mut edits: Vec<Edit> = Vec::new();
    for &f in &map.funcs {
        if let Some(calls) = calls_of(program, &map, f)
            && wanted(program, f, calls.len())
        {
            edits.push(Box::new(move |program| inline(program, f)));
        }
    }
    edits
}

/// `{ return e; }`
fn is_expression(program: &Program, f: FuncId) -> bool {
    let list = program.func(f).body.map(|body| &program.stmt(body).kind);
    match list {
        Some(StmtKind::Block(list)) => match list.as_slice() {
            [s] => matches!(program.stmt(*s).kind, StmtKind::Return(Some(_)) | StmtKind::Expr(_)),
            _ => false,
        },
        _ => false,
    }
}

/// The calls of a function, if it is only ever called by its name, in its own unit, by others.
fn calls_of(program: &Program, map: &ProgramMap, f: FuncId) -> Option<Vec<ExprId>> {
    let func = program.func(f);
    let variadic = program.types.as_function(func.ty).is_none_or(|ty| ty.variadic);
    let elsewhere = map.func_uses.keys().any(|&g| g != f && program.func(g).name == func.name);
    if variadic || elsewhere || program.name(func.name) == "main" {
        return None;
    }
    let own: HashSet<ExprId> =
        ProgramMap::of_items(program, &[Item::Func(f)]).exprs.into_iter().map(|(e, _)| e).collect();
    let mut calls = Vec::new();
    for &e in map.func_uses.get(&f)? {
        let Some(Parent::Expr(call)) = map.visible_parent(program, e) else { return None };
        let ExprKind::Call(_, args) = &program.expr(call).kind else { return None };
        if callee(program, call) != Some(f) || args.len() != func.params.len() || own.contains(&e) {
            return None;
        }
        calls.push(call);
    }
    Some(calls)
}

/// Inlines all calls of a function and removes it.
fn inline(program: &mut Program, f: FuncId) {
    let map = ProgramMap::of(program);
    let Some(calls) = calls_of(program, &map, f) else { return };
    let stmt_of: HashMap<ExprId, Option<StmtId>> = map.exprs.iter().copied().collect();
    // Inner calls first: they are in the arguments of outer ones.
    for call in calls.into_iter().rev() {
        if !has_room(program) {
            return;
        }
        let at = stmt_of.get(&call).copied().flatten();
        let context = at.and_then(|s| map.stmts.iter().find(|context| context.id == s));
        inline_call(program, &map, f, call, context);
    }
    for unit in &mut program.units {
        unit.items.retain(|item| !matches!(*item, Item::Func(g) | Item::FuncDecl(g) if g == f));
    }
}

fn inline_call(
    program: &mut Program,
    map: &ProgramMap,
    f: FuncId,
    call: ExprId,
    context: Option<&StmtContext>,
) {
    let ExprKind::Call(_, args) = program.expr(call).kind.clone() else { return };
    let Some(body) = program.func(f).body else { return };
    let mut copier = TreeCopier::default();
    let mut list = Vec::new();
    let changed = changed_vars(program, f);
    for (param, &arg) in program.func(f).params.clone().into_iter().zip(&args) {
        if !changed.contains(&param) && is_same(program, param, arg) {
            copier.values.insert(param, arg);
            continue;
        }
        let local = copier.var(program, param);
        program.vars[local.index()].scope = Scope::Block;
        program.vars[local.index()].init = Some(Init::Expr(arg));
        list.push(program.make_stmt(StmtKind::Decl(vec![Item::Var(local)])));
    }
    let copy = copier.stmt(program, body);
    let StmtKind::Block(inner) = program.stmt(copy).kind.clone() else { return };
    let ret = program.types.as_function(program.func(f).ty).map_or(Ty::VOID, |ty| ty.ret);
    let alone = context.is_some_and(|context| {
        map.visible_parent(program, call) == Some(Parent::Stmt(context.id))
            && matches!(program.stmt(context.id).kind, StmtKind::Expr(_))
    });
    let result = if alone { Ty::VOID } else { ret };
    let value = with_value(program, inner, result, &mut list);
    match context {
        Some(context) if alone => {
            if let Some(value) = value {
                list.push(program.expr_stmt(value));
            }
            program.stmts[context.id.index()].kind = StmtKind::Empty;
            insert_before(program, context.parent, context.id, list);
        }
        Some(context) if can_precede(program, map, call, context) => {
            replace_call(program, call, value);
            insert_before(program, context.parent, context.id, list);
        }
        _ if list.is_empty() => replace_call(program, call, value),
        _ => {
            list.extend(value.map(|value| program.expr_stmt(value)));
            let block = program.block(list);
            program.exprs[call.index()].kind = ExprKind::StmtExpr(block);
        }
    }
}

/// Replaces a call by its value.
fn replace_call(program: &mut Program, call: ExprId, value: Option<ExprId>) {
    match value {
        Some(value) => replace_by_child(program, call, value),
        None => literal(program, call, 0),
    }
}

/// Variables that a function's body changes or takes the address of.
fn changed_vars(program: &Program, f: FuncId) -> HashSet<VarId> {
    use ctree::UnOp::{AddrOf, PostDec, PostInc, PreDec, PreInc};
    let mut changed = HashSet::new();
    for (e, _) in ProgramMap::of_items(program, &[Item::Func(f)]).exprs {
        let written = match program.expr(e).kind {
            ExprKind::Assign(lhs, _) | ExprKind::AssignOp { lhs, .. } => lhs,
            ExprKind::Unary(AddrOf | PreInc | PreDec | PostInc | PostDec, of) => of,
            _ => continue,
        };
        if let ExprKind::Var(v) = program.expr(bare(program, written)).kind {
            changed.insert(v);
        }
    }
    changed
}

/// Whether an argument can stand for a parameter that does not change: an expression of the same type
/// whose value does not change during the call.
fn is_same(program: &Program, param: VarId, arg: ExprId) -> bool {
    let ty = program.types.resolved(program.var(param).ty).unqual();
    let inner = bare(program, arg);
    let steady = match program.expr(inner).kind {
        ExprKind::Var(v) => {
            program.var(v).scope != Scope::File && program.var(v).storage != Storage::Static
        }
        ExprKind::Func(_) | ExprKind::Str(_) => return true,
        ExprKind::Unary(ctree::UnOp::AddrOf, of) => {
            return matches!(program.expr(bare(program, of)).kind, ExprKind::Var(_));
        }
        _ => constant(program, inner).is_some(),
    };
    // An array decays to the pointer that the parameter is.
    steady
        && (program.expr(inner).ty.unqual() == ty
            || program.types.as_array(program.expr(inner).ty).is_some())
}

/// Whether a call's body may run before the statement that it is in.
fn can_precede(program: &Program, map: &ProgramMap, call: ExprId, context: &StmtContext) -> bool {
    let plain = matches!(
        program.stmt(context.id).kind,
        StmtKind::Expr(_)
            | StmtKind::Return(_)
            | StmtKind::Decl(_)
            | StmtKind::If(..)
            | StmtKind::Switch(..)
    );
    let in_clause = context.parent.is_some_and(
        |up| matches!(program.stmt(up).kind, StmtKind::For { init: Some(init), .. } if init == context.id),
    );
    let mut e = call;
    while let Some(&Parent::Expr(up)) = map.parents.get(&e) {
        match program.expr(up).kind {
            ExprKind::Cond(c, ..) if c != e => return false,
            ExprKind::Binary(BinOp::LogAnd | BinOp::LogOr, _, b) if b == e => return false,
            _ => e = up,
        }
    }
    plain && !in_clause
}

/// Appends the statements of a body; gives the expression of its value. `return` elsewhere than at
/// the end becomes a jump there.
fn with_value(
    program: &mut Program,
    inner: Vec<StmtId>,
    ret: Ty,
    list: &mut Vec<StmtId>,
) -> Option<ExprId> {
    let returns = returns(program, &inner);
    let last = inner.last().copied();
    if returns.iter().all(|&s| Some(s) == last) {
        list.extend(inner);
        let value = match last.map(|s| program.stmt(s).kind.clone()) {
            Some(StmtKind::Return(value)) => {
                list.pop();
                value
            }
            _ => None,
        };
        return value;
    }
    let is_void = program.types.is_void(ret);
    let stem = program.names.intern("r");
    let name = crate::edit::fresh(program, stem);
    let name = program.name(name).to_string();
    let (result, decl) = program.local(&name, ret, None);
    let stem = program.names.intern("l");
    let label = crate::edit::fresh(program, stem);
    program.labels.push(Label { name: label });
    let label = LabelId(program.labels.len() as u32 - 1);
    if !is_void {
        list.push(decl);
    }
    for s in returns {
        let StmtKind::Return(value) = program.stmt(s).kind else { continue };
        let mut parts = Vec::new();
        if let Some(value) = value {
            let effect = if is_void {
                value
            } else {
                let var = program.var_ref(result);
                program.assign(var, value)
            };
            parts.push(program.expr_stmt(effect));
        }
        if Some(s) != last {
            parts.push(program.make_stmt(StmtKind::Goto(label)));
        }
        program.stmts[s.index()].kind = StmtKind::Block(parts);
    }
    list.extend(inner);
    let end = program.make_stmt(StmtKind::Empty);
    list.push(program.make_stmt(StmtKind::Label(label, end)));
    (!is_void).then(|| program.add_expr(ExprKind::Var(result), ret, Span::NONE))
}

/// The `return` statements in a list; those of statement expressions too.
fn returns(program: &mut Program, list: &[StmtId]) -> Vec<StmtId> {
    let block = program.block(list.to_vec());
    let map = ProgramMap::of_stmt(program, block);
    let is_return = |s: &StmtId| matches!(program.stmt(*s).kind, StmtKind::Return(_));
    map.stmts.iter().map(|context| context.id).filter(is_return).collect()
}
