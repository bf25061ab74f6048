//! Removes parameters and results of functions.

use std::collections::HashSet;

use ctree::{
    BinOp, Expr, ExprId, ExprKind, FuncId, Init, Item, Program, Scope, StmtId, StmtKind, Sym, Ty,
    TypeKind, UnOp, VarId,
};

use crate::edit::{TreeCopier, bare, callee, has_effects, has_room, substitute};
use crate::value::literal;
use crate::{Edit, Parent, ProgramMap, Specimen};

/// Removes parameters: unused ones, those that always have the same argument, then all, which are
/// replaced by the first argument.
pub(crate) fn parameters(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    if level > 2 {
        return None;
    }
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let mut edits: Vec<Edit> = Vec::new();
    for &f in &map.funcs {
        let Some(calls) = calls(program, &map, program.func(f).name) else { continue };
        for (i, &param) in program.func(f).params.iter().enumerate() {
            let uses = map.var_uses.get(&param).map_or(0, Vec::len);
            let args = calls.iter().filter_map(|&call| match &program.expr(call).kind {
                ExprKind::Call(_, args) => args.get(i).copied(),
                _ => None,
            });
            let args: Vec<ExprId> = args.collect();
            match level {
                0 if uses == 0 => edits.push(Box::new(move |program| {
                    remove_parameter(program, f, param);
                })),
                1 if uses > 0 => {
                    let Some(&first) = args.first() else { continue };
                    let text = |e: ExprId| ctree::print::print_expr(program, e);
                    if is_closed(program, first) && args.iter().all(|&arg| text(arg) == text(first))
                    {
                        edits.push(Box::new(move |program| {
                            bind_parameter(program, f, param, Some(first), None)
                        }));
                    }
                }
                2 if uses > 0 => {
                    let first = args.iter().copied().find(|&arg| is_closed(program, arg));
                    let value = args.iter().find_map(|arg| specimen.profile().values.get(arg));
                    let value = value.map(|worth| worth.first);
                    edits.push(Box::new(move |program| {
                        bind_parameter(program, f, param, first, value)
                    }));
                }
                _ => {}
            }
        }
    }
    Some(edits)
}

/// The calls of a function by its name; `None` if it is used in any other way.
fn calls(program: &Program, map: &ProgramMap, name: Sym) -> Option<Vec<ExprId>> {
    let mut calls = Vec::new();
    for (_, uses) in map.func_uses.iter().filter(|(g, _)| program.func(**g).name == name) {
        for &e in uses {
            match map.visible_parent(program, e) {
                Some(Parent::Expr(call)) if callee(program, call).is_some() => {
                    let ExprKind::Call(f, _) = program.expr(call).kind else { return None };
                    (bare(program, f) == e).then(|| calls.push(call))?;
                }
                _ => return None,
            }
        }
    }
    calls.sort_unstable();
    Some(calls)
}

/// Whether an expression has the same meaning in any function and at any time.
fn is_closed(program: &Program, e: ExprId) -> bool {
    let e = bare(program, e);
    let is_global = |v: VarId| program.var(v).scope == Scope::File;
    match program.expr(e).kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Func(_) => true,
        ExprKind::Var(v) => is_global(v) && program.types.as_array(program.var(v).ty).is_some(),
        ExprKind::Unary(UnOp::AddrOf, of) => match program.expr(bare(program, of)).kind {
            ExprKind::Var(v) => is_global(v),
            ExprKind::Index(base, i) => is_closed(program, base) && is_closed(program, i),
            ExprKind::Member(of, _) => {
                matches!(program.expr(bare(program, of)).kind, ExprKind::Var(v) if is_global(v))
            }
            _ => false,
        },
        ExprKind::Unary(UnOp::Neg, a) | ExprKind::Cast(_, a) => is_closed(program, a),
        _ => false,
    }
}

/// Removes a parameter from a function and all its calls. False if it was already removed.
fn remove_parameter(program: &mut Program, f: FuncId, param: VarId) -> bool {
    let Some(at) = program.func(f).params.iter().position(|&v| v == param) else { return false };
    let name = program.func(f).name;
    program.funcs[f.index()].params.remove(at);
    change_type(program, name, &mut |ty| {
        let mut params = ty.params.to_vec();
        if at < params.len() {
            params.remove(at);
        }
        ty.params = params.into();
    });
    for e in 0..program.exprs.len() {
        let call = ExprId(e as u32);
        let Some(g) = callee(program, call) else { continue };
        if program.func(g).name != name {
            continue;
        }
        if let ExprKind::Call(_, args) = &mut program.exprs[e].kind
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
fn change_type(program: &mut Program, name: Sym, change: &mut dyn FnMut(&mut ctree::FuncType)) {
    for f in 0..program.funcs.len() {
        if program.funcs[f].name != name {
            continue;
        }
        let Some(mut ty) = program.types.as_function(program.funcs[f].ty).cloned() else {
            continue;
        };
        if let TypeKind::Function(written) = program.types.kind(program.funcs[f].ty) {
            ty = written.clone();
        }
        change(&mut ty);
        program.funcs[f].ty = program.types.intern(TypeKind::Function(ty));
    }
    name_types(program);
}

/// Gives the expressions that name functions the types that the functions have.
pub(crate) fn name_types(program: &mut Program) {
    for e in 0..program.exprs.len() {
        if let ExprKind::Func(f) = program.exprs[e].kind {
            program.exprs[e].ty = program.types.canon(program.funcs[f.index()].ty);
        }
    }
}

/// Replaces a parameter by its argument if it is only read, or else by a variable initialised with it.
fn bind_parameter(
    program: &mut Program,
    f: FuncId,
    param: VarId,
    arg: Option<ExprId>,
    value: Option<i128>,
) {
    let Some(body) = program.func(f).body else { return };
    let map = ProgramMap::of_items(program, &[Item::Func(f)]);
    let uses = map.var_uses.get(&param).cloned().unwrap_or_default();
    let read_only = uses.iter().all(|&e| !is_changed(program, &map, e));
    if !has_room(program) || !remove_parameter(program, f, param) {
        return;
    }
    let ty = program.types.canon(program.var(param).ty).unqual();
    let value = match (arg, value) {
        (Some(arg), _) => TreeCopier::default().expr(program, arg),
        (None, Some(value)) => program.int_const(ty, value),
        (None, None) => program.int_const(Ty::INT, 0),
    };
    if read_only {
        uses.iter().for_each(|&e| substitute(program, &map, e, value));
        return;
    }
    let var = &mut program.vars[param.index()];
    var.scope = Scope::Block;
    var.init = Some(Init::Expr(value));
    let decl = program.make_stmt(StmtKind::Decl(vec![Item::Var(param)]));
    if let StmtKind::Block(list) = &mut program.stmts[body.index()].kind {
        list.insert(0, decl);
    }
}

/// Whether a use of a variable changes it or takes its address.
pub(crate) fn is_changed(program: &Program, map: &ProgramMap, e: ExprId) -> bool {
    use UnOp::{AddrOf, PostDec, PostInc, PreDec, PreInc};
    match map.visible_parent(program, e) {
        Some(Parent::Expr(up)) => match program.expr(up).kind {
            ExprKind::Assign(lhs, _) | ExprKind::AssignOp { lhs, .. } => bare(program, lhs) == e,
            ExprKind::Unary(op, _) => matches!(op, AddrOf | PreInc | PreDec | PostInc | PostDec),
            ExprKind::Member(..) => is_changed(program, map, up),
            _ => false,
        },
        _ => false,
    }
}

/// Removes the results of functions: first unused ones, then all, with each call replaced by its value.
/// At last, `(void)` becomes `()`.
pub(crate) fn results(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let mut edits: Vec<Edit> = Vec::new();
    let others = map.funcs.iter().filter(|&&f| program.name(program.func(f).name) != "main");
    match level {
        0 | 1 => {
            for &f in others {
                let Some(ty) = program.types.as_function(program.func(f).ty) else { continue };
                let Some(calls) = calls(program, &map, program.func(f).name) else { continue };
                if program.types.is_void(ty.ret) {
                    continue;
                }
                let used: Vec<(ExprId, i128)> = calls
                    .into_iter()
                    .filter(|&call| !is_statement(program, &map, call))
                    .map(|call| {
                        let worth = specimen.profile().values.get(&call);
                        (call, worth.map_or(0, |worth| worth.first))
                    })
                    .collect();
                if used.is_empty() == (level == 0) {
                    edits.push(Box::new(move |program| without_result(program, f, &used)));
                }
            }
        }
        2 => {
            for &f in &map.funcs {
                let name = program.func(f).name;
                let ty = program.types.as_function(program.func(f).ty);
                if ty.is_some_and(|ty| ty.proto && ty.params.is_empty() && !ty.variadic) {
                    edits.push(Box::new(move |program| {
                        change_type(program, name, &mut |ty| ty.proto = false)
                    }));
                }
            }
        }
        _ => return None,
    }
    Some(edits)
}

fn is_statement(program: &Program, map: &ProgramMap, call: ExprId) -> bool {
    match map.visible_parent(program, call) {
        Some(Parent::Stmt(s)) => matches!(program.stmt(s).kind, StmtKind::Expr(_)),
        _ => false,
    }
}

fn without_result(program: &mut Program, f: FuncId, used: &[(ExprId, i128)]) {
    // What the call does is kept: `f()` becomes `(f(), 3)`.
    for &(call, value) in used {
        let Expr { kind, span, .. } = program.expr(call).clone();
        let effect = program.add_expr(kind, Ty::VOID, span);
        literal(program, call, value);
        let value = program.expr(call).clone();
        let value = program.add_expr(value.kind, value.ty, span);
        program.exprs[call.index()].kind = ExprKind::Binary(BinOp::Comma, effect, value);
    }
    let name = program.func(f).name;
    change_type(program, name, &mut |ty| ty.ret = Ty::VOID);
    let map = ProgramMap::of_items(program, &[Item::Func(f)]);
    let inner: HashSet<StmtId> =
        match program.func(f).body.map(|body| program.stmt(body).kind.clone()) {
            Some(StmtKind::Block(list)) => list.last().copied().into_iter().collect(),
            _ => HashSet::new(),
        };
    for context in map.stmts {
        let StmtKind::Return(Some(value)) = program.stmt(context.id).kind else { continue };
        let mut list = Vec::new();
        if has_effects(program, value) {
            list.push(program.expr_stmt(value));
        }
        if !inner.contains(&context.id) {
            list.push(program.make_stmt(StmtKind::Return(None)));
        }
        program.stmts[context.id.index()].kind = StmtKind::Block(list);
    }
}
