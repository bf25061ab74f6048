//! Functions lose parameters and results.

use std::collections::HashSet;

use ctree::{
    BinOp, Expr, ExprId, ExprKind, FuncId, Init, Item, Program, Scope, StmtId, StmtKind, Sym, Ty,
    TypeKind, UnOp, VarId,
};

use crate::graft::{Graft, bare, callee, has_effects, has_room, substitute};
use crate::value::literal;
use crate::{Edit, Parent, ProgramMap, Specimen};

/// Parameters go: those that nothing uses, those that always have the same argument, then all, with
/// the first argument in their place.
pub(crate) fn parameters(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    if level > 2 {
        return None;
    }
    let p = &specimen.program;
    let map = ProgramMap::of(p);
    let mut edits: Vec<Edit> = Vec::new();
    for &f in &map.funcs {
        let Some(calls) = calls(p, &map, p.func(f).name) else { continue };
        for (i, &param) in p.func(f).params.iter().enumerate() {
            let uses = map.var_uses.get(&param).map_or(0, Vec::len);
            let args = calls.iter().filter_map(|&call| match &p.expr(call).kind {
                ExprKind::Call(_, args) => args.get(i).copied(),
                _ => None,
            });
            let args: Vec<ExprId> = args.collect();
            match level {
                0 if uses == 0 => edits.push(Box::new(move |p| {
                    lose(p, f, param);
                })),
                1 if uses > 0 => {
                    let Some(&first) = args.first() else { continue };
                    let text = |e: ExprId| ctree::print::print_expr(p, e);
                    if is_closed(p, first) && args.iter().all(|&arg| text(arg) == text(first)) {
                        edits.push(Box::new(move |p| settle(p, f, param, Some(first), None)));
                    }
                }
                2 if uses > 0 => {
                    let first = args.iter().copied().find(|&arg| is_closed(p, arg));
                    let value = args.iter().find_map(|arg| specimen.profile().values.get(arg));
                    let value = value.map(|worth| worth.first);
                    edits.push(Box::new(move |p| settle(p, f, param, first, value)));
                }
                _ => {}
            }
        }
    }
    Some(edits)
}

/// The calls of a function by its name; `None` if it is used in any other way.
fn calls(p: &Program, map: &ProgramMap, name: Sym) -> Option<Vec<ExprId>> {
    let mut calls = Vec::new();
    for (_, uses) in map.func_uses.iter().filter(|(g, _)| p.func(**g).name == name) {
        for &e in uses {
            match map.visible_parent(p, e) {
                Some(Parent::Expr(call)) if callee(p, call).is_some() => {
                    let ExprKind::Call(f, _) = p.expr(call).kind else { return None };
                    (bare(p, f) == e).then(|| calls.push(call))?;
                }
                _ => return None,
            }
        }
    }
    calls.sort_unstable();
    Some(calls)
}

/// Whether an expression means the same in any function and at any time.
fn is_closed(p: &Program, e: ExprId) -> bool {
    let e = bare(p, e);
    let is_global = |v: VarId| p.var(v).scope == Scope::File;
    match p.expr(e).kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Func(_) => true,
        ExprKind::Var(v) => is_global(v) && p.types.as_array(p.var(v).ty).is_some(),
        ExprKind::Unary(UnOp::AddrOf, of) => match p.expr(bare(p, of)).kind {
            ExprKind::Var(v) => is_global(v),
            ExprKind::Index(base, i) => is_closed(p, base) && is_closed(p, i),
            ExprKind::Member(of, _) => {
                matches!(p.expr(bare(p, of)).kind, ExprKind::Var(v) if is_global(v))
            }
            _ => false,
        },
        ExprKind::Unary(UnOp::Neg, a) | ExprKind::Cast(_, a) => is_closed(p, a),
        _ => false,
    }
}

/// Takes a parameter out of a function and of all its calls. False if it is out already.
fn lose(p: &mut Program, f: FuncId, param: VarId) -> bool {
    let Some(at) = p.func(f).params.iter().position(|&v| v == param) else { return false };
    let name = p.func(f).name;
    p.funcs[f.index()].params.remove(at);
    change_type(p, name, &mut |ty| {
        let mut params = ty.params.to_vec();
        if at < params.len() {
            params.remove(at);
        }
        ty.params = params.into();
    });
    for e in 0..p.exprs.len() {
        let call = ExprId(e as u32);
        let Some(g) = callee(p, call) else { continue };
        if p.func(g).name != name {
            continue;
        }
        if let ExprKind::Call(_, args) = &mut p.exprs[e].kind
            && at < args.len()
        {
            let mut rest = args.to_vec();
            rest.remove(at);
            *args = rest.into();
        }
    }
    true
}

/// Changes the type of all entries of a function, and of the expressions that name it.
fn change_type(p: &mut Program, name: Sym, change: &mut dyn FnMut(&mut ctree::FuncType)) {
    for f in 0..p.funcs.len() {
        if p.funcs[f].name != name {
            continue;
        }
        let Some(mut ty) = p.types.as_function(p.funcs[f].ty).cloned() else { continue };
        if let TypeKind::Function(written) = p.types.kind(p.funcs[f].ty) {
            ty = written.clone();
        }
        change(&mut ty);
        p.funcs[f].ty = p.types.intern(TypeKind::Function(ty));
    }
    name_types(p);
}

/// Gives the expressions that name functions the types that the functions have.
pub(crate) fn name_types(p: &mut Program) {
    for e in 0..p.exprs.len() {
        if let ExprKind::Func(f) = p.exprs[e].kind {
            p.exprs[e].ty = p.types.canon(p.funcs[f.index()].ty);
        }
    }
}

/// A parameter becomes its argument where it is only read, else a variable that begins with it.
fn settle(p: &mut Program, f: FuncId, param: VarId, arg: Option<ExprId>, value: Option<i128>) {
    let Some(body) = p.func(f).body else { return };
    let map = ProgramMap::of_items(p, &[Item::Func(f)]);
    let uses = map.var_uses.get(&param).cloned().unwrap_or_default();
    let read_only = uses.iter().all(|&e| !is_changed(p, &map, e));
    if !has_room(p) || !lose(p, f, param) {
        return;
    }
    let ty = p.types.canon(p.var(param).ty).unqual();
    let value = match (arg, value) {
        (Some(arg), _) => Graft::default().expr(p, arg),
        (None, Some(value)) => p.int_const(ty, value),
        (None, None) => p.int_const(Ty::INT, 0),
    };
    if read_only {
        uses.iter().for_each(|&e| substitute(p, &map, e, value));
        return;
    }
    let var = &mut p.vars[param.index()];
    var.scope = Scope::Block;
    var.init = Some(Init::Expr(value));
    let decl = p.make_stmt(StmtKind::Decl(vec![Item::Var(param)]));
    if let StmtKind::Block(list) = &mut p.stmts[body.index()].kind {
        list.insert(0, decl);
    }
}

/// Whether a use of a variable changes it or takes its address.
pub(crate) fn is_changed(p: &Program, map: &ProgramMap, e: ExprId) -> bool {
    use UnOp::{AddrOf, PostDec, PostInc, PreDec, PreInc};
    match map.visible_parent(p, e) {
        Some(Parent::Expr(up)) => match p.expr(up).kind {
            ExprKind::Assign(lhs, _) | ExprKind::AssignOp { lhs, .. } => bare(p, lhs) == e,
            ExprKind::Unary(op, _) => matches!(op, AddrOf | PreInc | PreDec | PostInc | PostDec),
            ExprKind::Member(..) => is_changed(p, map, up),
            _ => false,
        },
        _ => false,
    }
}

/// Functions lose their results: first those whose result nobody uses, then all, with the value that
/// a call had in its place. At last, `(void)` becomes `()`.
pub(crate) fn results(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let p = &specimen.program;
    let map = ProgramMap::of(p);
    let mut edits: Vec<Edit> = Vec::new();
    let others = map.funcs.iter().filter(|&&f| p.name(p.func(f).name) != "main");
    match level {
        0 | 1 => {
            for &f in others {
                let Some(ty) = p.types.as_function(p.func(f).ty) else { continue };
                let Some(calls) = calls(p, &map, p.func(f).name) else { continue };
                if p.types.is_void(ty.ret) {
                    continue;
                }
                let used: Vec<(ExprId, i128)> = calls
                    .into_iter()
                    .filter(|&call| !is_statement(p, &map, call))
                    .map(|call| {
                        let worth = specimen.profile().values.get(&call);
                        (call, worth.map_or(0, |worth| worth.first))
                    })
                    .collect();
                if used.is_empty() == (level == 0) {
                    edits.push(Box::new(move |p| without_result(p, f, &used)));
                }
            }
        }
        2 => {
            for &f in &map.funcs {
                let name = p.func(f).name;
                let ty = p.types.as_function(p.func(f).ty);
                if ty.is_some_and(|ty| ty.proto && ty.params.is_empty() && !ty.variadic) {
                    edits.push(Box::new(move |p| change_type(p, name, &mut |ty| ty.proto = false)));
                }
            }
        }
        _ => return None,
    }
    Some(edits)
}

fn is_statement(p: &Program, map: &ProgramMap, call: ExprId) -> bool {
    match map.visible_parent(p, call) {
        Some(Parent::Stmt(s)) => matches!(p.stmt(s).kind, StmtKind::Expr(_)),
        _ => false,
    }
}

fn without_result(p: &mut Program, f: FuncId, used: &[(ExprId, i128)]) {
    // What the call does is kept: `f()` becomes `(f(), 3)`.
    for &(call, value) in used {
        let Expr { kind, span, .. } = p.expr(call).clone();
        let effect = p.add_expr(kind, Ty::VOID, span);
        literal(p, call, value);
        let value = p.expr(call).clone();
        let value = p.add_expr(value.kind, value.ty, span);
        p.exprs[call.index()].kind = ExprKind::Binary(BinOp::Comma, effect, value);
    }
    let name = p.func(f).name;
    change_type(p, name, &mut |ty| ty.ret = Ty::VOID);
    let map = ProgramMap::of_items(p, &[Item::Func(f)]);
    let inner: HashSet<StmtId> = match p.func(f).body.map(|body| p.stmt(body).kind.clone()) {
        Some(StmtKind::Block(list)) => list.last().copied().into_iter().collect(),
        _ => HashSet::new(),
    };
    for context in map.stmts {
        let StmtKind::Return(Some(value)) = p.stmt(context.id).kind else { continue };
        let mut list = Vec::new();
        if has_effects(p, value) {
            list.push(p.expr_stmt(value));
        }
        if !inner.contains(&context.id) {
            list.push(p.make_stmt(StmtKind::Return(None)));
        }
        p.stmts[context.id.index()].kind = StmtKind::Block(list);
    }
}
