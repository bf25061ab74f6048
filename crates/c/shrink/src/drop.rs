//! Removes statements, functions, variables and initialisers.

use std::collections::BTreeMap;

use ctree::{ExprId, ExprKind, FuncId, Init, Item, Program, StmtId, StmtKind, UnOp, VarId};

use crate::value::literal;
use crate::{Edit, Parent, ProgramMap, Specimen, only};

/// Removes statements. A level is a depth of calls and a depth of nesting: statements nearer to the top
/// of `main` are tried first, with everything in them.
pub(crate) fn statements(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let depths = map.call_depths(program);
    let mut levels: BTreeMap<(usize, usize), Vec<StmtId>> = BTreeMap::new();
    for context in map.stmts.iter().filter(|context| context.depth > 0) {
        let calls = context.func.and_then(|f| depths.get(&f)).copied().unwrap_or(usize::MAX);
        let removable = match &program.stmt(context.id).kind {
            StmtKind::Empty | StmtKind::Decl(_) | StmtKind::Label(..) => false,
            // Only the function's value depends on its last statement.
            StmtKind::Return(value) => context.depth > 1 || value.is_none(),
            _ => true,
        };
        if removable {
            levels.entry((calls, context.depth)).or_default().push(context.id);
        }
    }
    let stmts = levels.into_values().nth(level)?;
    let drop = |s: StmtId| -> Edit {
        Box::new(move |program| program.stmts[s.index()].kind = StmtKind::Empty)
    };
    Some(stmts.into_iter().map(drop).collect())
}

/// Removes functions: a call is replaced by the value that it had.
pub(crate) fn functions(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || {
        let program = &specimen.program;
        let map = ProgramMap::of(program);
        let depths = map.call_depths(program);
        let mut funcs: Vec<FuncId> = map.funcs.clone();
        funcs.retain(|&f| program.name(program.func(f).name) != "main");
        funcs.sort_by_key(|f| depths.get(f).copied().unwrap_or(usize::MAX));
        funcs.into_iter().map(|f| remove_function(specimen, &map, f)).collect()
    })
}

fn remove_function(specimen: &Specimen, map: &ProgramMap, f: FuncId) -> Edit {
    let program = &specimen.program;
    let name = program.func(f).name;
    let same = |g: FuncId| program.func(g).name == name;
    let mut calls: Vec<(ExprId, i128)> = Vec::new();
    for (_, uses) in map.func_uses.iter().filter(|(g, _)| same(**g)) {
        for &e in uses {
            if let Some(Parent::Expr(call)) = map.visible_parent(program, e)
                && matches!(program.expr(call).kind, ExprKind::Call(..))
            {
                let worth = specimen.profile().values.get(&call).map_or(0, |worth| worth.first);
                calls.push((call, worth));
            }
        }
    }
    Box::new(move |program| {
        for &(call, worth) in &calls {
            literal(program, call, worth);
        }
        for unit in &mut program.units {
            let funcs = &program.funcs;
            unit.items.retain(|item| match *item {
                Item::Func(g) | Item::FuncDecl(g) => funcs[g.index()].name != name,
                _ => true,
            });
        }
    })
}

/// Removes variables: a read is replaced by its first value, an assignment by its right side.
pub(crate) fn variables(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || {
        let map = ProgramMap::of(&specimen.program);
        let vars = map.vars.iter().filter(|&&v| !is_parameter(&specimen.program, v));
        vars.filter_map(|&v| remove_variable(specimen, &map, v)).collect()
    })
}

fn is_parameter(program: &Program, v: VarId) -> bool {
    program.var(v).scope == ctree::Scope::Param
}

/// The replacement of one use of a variable.
enum Replacement {
    /// Replaced by a constant.
    Value(ExprId, i128),
    /// Replaced by another expression.
    Other(ExprId, ExprId),
}

fn remove_variable(specimen: &Specimen, map: &ProgramMap, v: VarId) -> Option<Edit> {
    let program = &specimen.program;
    let name = program.var(v).name;
    let is_file = program.var(v).scope == ctree::Scope::File;
    let same = |w: VarId| w == v || is_file && program.var(w).name == name;
    let worth = |e: ExprId| specimen.profile().values.get(&e).map_or(0, |worth| worth.first);
    let mut uses = Vec::new();
    for (_, all) in map.var_uses.iter().filter(|(w, _)| same(**w)) {
        for &e in all {
            let whole = whole_place(program, map, e);
            let becomes = match map.visible_parent(program, whole) {
                Some(Parent::Expr(up)) => match program.expr(up).kind {
                    ExprKind::Assign(lhs, rhs) if lhs == whole => Replacement::Other(up, rhs),
                    ExprKind::AssignOp { lhs, rhs, .. } if lhs == whole => {
                        Replacement::Other(up, rhs)
                    }
                    ExprKind::Unary(
                        UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                        _,
                    ) => Replacement::Value(up, worth(up)),
                    ExprKind::Unary(UnOp::AddrOf, _) => return None,
                    _ => Replacement::Value(whole, worth(whole)),
                },
                _ => Replacement::Value(whole, worth(whole)),
            };
            uses.push(becomes);
        }
    }
    Some(Box::new(move |program| {
        for becomes in &uses {
            match *becomes {
                Replacement::Value(e, value) => literal(program, e, value),
                Replacement::Other(e, by) => {
                    program.exprs[e.index()] = program.exprs[by.index()].clone()
                }
            }
        }
        let vars = &program.vars;
        let gone = |item: &Item| match *item {
            Item::Var(w) | Item::VarDecl(w) => w == v || is_file && vars[w.index()].name == name,
            _ => false,
        };
        program.units.iter_mut().for_each(|unit| unit.items.retain(|item| !gone(item)));
        for stmt in &mut program.stmts {
            if let StmtKind::Decl(items) = &mut stmt.kind {
                items.retain(|item| !gone(item));
            }
        }
    }))
}

/// The largest lvalue that a use of a variable is the root of: all of `a[1].b` for its `a`.
pub(crate) fn whole_place(program: &Program, map: &ProgramMap, mut e: ExprId) -> ExprId {
    loop {
        let Some(Parent::Expr(up)) = map.visible_parent(program, e) else { return e };
        let inside = |a: ExprId| {
            let mut a = a;
            while let ExprKind::Implicit(inner) = program.expr(a).kind {
                a = inner;
            }
            a == e
        };
        match program.expr(up).kind {
            ExprKind::Member(..) => e = up,
            ExprKind::Index(base, _) if inside(base) => {
                // The subscript of an array, not of a pointer that is read.
                match program.types.as_array(program.expr(e).ty) {
                    Some(_) => e = up,
                    None => return e,
                }
            }
            _ => return e,
        }
    }
}

/// Removes initialisers, then parts of them.
pub(crate) fn initialisers(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let map = ProgramMap::of(&specimen.program);
    let vars = map.vars.iter().copied();
    let init = |v: VarId| specimen.program.var(v).init.as_ref();
    match level {
        0 => Some(
            vars.filter(|&v| init(v).is_some())
                .map(|v| -> Edit { Box::new(move |program| program.vars[v.index()].init = None) })
                .collect(),
        ),
        1 => {
            let mut edits: Vec<Edit> = Vec::new();
            for v in vars {
                let mut paths = Vec::new();
                if let Some(init) = init(v) {
                    elements(init, &mut Vec::new(), &mut paths);
                }
                // From the back, so that no designators are needed for the rest.
                for path in paths.into_iter().rev() {
                    edits.push(Box::new(move |program| {
                        if let Some(init) = &mut program.vars[v.index()].init {
                            leave_out(init, &path);
                        }
                    }));
                }
            }
            Some(edits)
        }
        _ => None,
    }
}

/// The paths of all elements of an initialiser, by their positions.
fn elements(init: &Init, path: &mut Vec<u64>, out: &mut Vec<Vec<u64>>) {
    if let Init::List(items) = init {
        for item in items {
            path.push(item.first);
            out.push(path.clone());
            elements(&item.init, path, out);
            path.pop();
        }
    }
}

fn leave_out(init: &mut Init, path: &[u64]) {
    let (Init::List(items), Some((first, rest))) = (init, path.split_first()) else { return };
    match rest {
        [] => items.retain(|item| item.first != *first),
        _ => items
            .iter_mut()
            .filter(|item| item.first == *first)
            .for_each(|item| leave_out(&mut item.init, rest)),
    }
}

/// Removes declarations of what is defined in the same unit.
pub(crate) fn redundant_declarations(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || {
        let mut edits: Vec<Edit> = Vec::new();
        for (at, unit) in specimen.program.units.iter().enumerate() {
            for item in &unit.items {
                let defined = match *item {
                    Item::FuncDecl(f) => unit.items.contains(&Item::Func(f)),
                    Item::VarDecl(v) => unit.items.contains(&Item::Var(v)),
                    _ => false,
                };
                if defined {
                    let item = item.clone();
                    edits.push(Box::new(move |program| {
                        program.units[at].items.retain(|other| *other != item)
                    }));
                }
            }
        }
        edits
    })
}
