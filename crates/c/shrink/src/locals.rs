//! Replaces variables by their values or by each other, and joins declarations.

use std::collections::HashMap;

use ctree::{
    ExprId, ExprKind, FuncId, Init, Item, Program, Scope, StmtId, StmtKind, Storage, Ty, UnOp,
    VarId,
};

use crate::edit::{bare, constant, has_effects, same_var, substitute, undeclare};
use crate::params::is_changed;
use crate::{Edit, Parent, ProgramMap, Specimen};
use ctree::map::{Child, StmtContext, for_each_child};

/// Replaces variables with a single value by it: first those whose value is a constant or an address,
/// then those that are read once.
pub(crate) fn copies(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let program = &specimen.program;
    if level > 1 {
        return None;
    }
    let map = ProgramMap::of(program);
    let parents: HashMap<StmtId, Option<StmtId>> =
        map.stmts.iter().map(|context| (context.id, context.parent)).collect();
    let stmt_of: HashMap<ExprId, Option<StmtId>> = map.exprs.iter().copied().collect();
    let mut edits: Vec<Edit> = Vec::new();
    for &v in map.vars.iter().filter(|&&v| program.var(v).scope != Scope::Param) {
        let Some(only) = Definition::of(program, &map, v) else { continue };
        let steady = is_steady(program, only.value);
        // What the value names must be visible where it is inserted.
        let block = only.assignment.and_then(|s| parents[&s]);
        let within = |e: &ExprId| {
            let mut at = stmt_of.get(e).copied().flatten();
            while at != block
                && let Some(s) = at
            {
                at = parents.get(&s).copied().flatten();
            }
            at == block
        };
        let is_known = is_global(program, only.value)
            || only.assignment.is_none()
            || only.reads.iter().all(within);
        if is_known && (level == 0 && steady || level == 1 && !steady && only.reads.len() == 1) {
            edits.push(Box::new(move |program| only.substitute_uses(program, v)));
        }
    }
    Some(edits)
}

/// The single definition of a variable, and its uses.
struct Definition {
    value: ExprId,
    /// The assignment that it is, unless it is the initialiser.
    assignment: Option<StmtId>,
    reads: Vec<ExprId>,
}

impl Definition {
    fn of(program: &Program, map: &ProgramMap, v: VarId) -> Option<Definition> {
        let mut value = match &program.var(v).init {
            Some(Init::Expr(e)) if program.types.as_array(program.var(v).ty).is_none() => Some(*e),
            Some(_) => return None,
            None => None,
        };
        let (mut assignment, mut reads) = (None, Vec::new());
        let mut vars: Vec<VarId> = map.var_uses.keys().copied().collect();
        vars.sort_unstable();
        vars.retain(|&w| same_var(program, v, w));
        for &e in vars.iter().flat_map(|w| &map.var_uses[w]) {
            if !is_changed(program, map, e) {
                reads.push(e);
                continue;
            }
            let (s, right) = assigned(program, map, e)?;
            if value.is_some() {
                return None;
            }
            (value, assignment) = (Some(right), Some(s));
        }
        Some(Definition { value: value?, assignment, reads })
    }

    fn substitute_uses(&self, program: &mut Program, v: VarId) {
        let ty = program.types.canon(program.var(v).ty).unqual();
        let value = converted(program, self.value, ty);
        let map = ProgramMap::of(program);
        for &e in &self.reads {
            substitute(program, &map, e, value);
        }
        if let Some(s) = self.assignment {
            program.stmts[s.index()].kind = StmtKind::Empty;
        }
        undeclare(program, |program, w| same_var(program, v, w));
    }
}

/// The statement `e = right;` that a use of a variable is the left side of.
fn assigned(program: &Program, map: &ProgramMap, e: ExprId) -> Option<(StmtId, ExprId)> {
    let Some(Parent::Expr(up)) = map.visible_parent(program, e) else { return None };
    let ExprKind::Assign(lhs, rhs) = program.expr(up).kind else { return None };
    match map.visible_parent(program, up) {
        Some(Parent::Stmt(s)) if bare(program, lhs) == e => {
            matches!(program.stmt(s).kind, StmtKind::Expr(_)).then_some((s, rhs))
        }
        _ => None,
    }
}

/// Whether an expression has the same value everywhere.
fn is_steady(program: &Program, e: ExprId) -> bool {
    let e = bare(program, e);
    match program.expr(e).kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Func(_) => true,
        ExprKind::EnumConst(..) => true,
        ExprKind::Unary(UnOp::Neg, a) | ExprKind::Cast(_, a) => is_steady(program, a),
        ExprKind::Unary(UnOp::AddrOf, of) => is_steady_place(program, of),
        ExprKind::Var(v) => program.types.as_array(program.var(v).ty).is_some(),
        _ => false,
    }
}

fn is_steady_place(program: &Program, e: ExprId) -> bool {
    let e = bare(program, e);
    match program.expr(e).kind {
        ExprKind::Var(_) => true,
        ExprKind::Member(of, _) => is_steady_place(program, of),
        ExprKind::Index(base, i) => {
            is_steady_place(program, base) && constant(program, i).is_some()
        }
        _ => false,
    }
}

/// Whether an expression names nothing that is local to a block.
fn is_global(program: &Program, e: ExprId) -> bool {
    let mut all = true;
    for_each_child(&program.expr(e).kind, &mut |child| match child {
        Child::Expr(e) => all &= is_global(program, e),
        Child::Stmt(_) | Child::Init(_) => all = false,
    });
    all && !matches!(program.expr(e).kind, ExprKind::Var(v) if program.var(v).scope != Scope::File)
}

/// A value converted to the type of the variable: another type would change computations.
fn converted(program: &mut Program, value: ExprId, ty: Ty) -> ExprId {
    let inner = bare(program, value);
    if !program.types.is_arithmetic(ty) || program.expr(inner).ty.unqual() == ty {
        return inner;
    }
    match constant(program, inner) {
        // A value of a narrow type is an `int` wherever it is used.
        Some(n)
            if program
                .types
                .int_bits(ty)
                .is_some_and(|(bits, _)| bits < 32 && n >> (bits - 1) == 0) =>
        {
            inner
        }
        Some(n)
            if program.types.int_bits(ty).is_some_and(|(bits, signed)| fits(n, bits, signed)) =>
        {
            program.int_const(ty, n)
        }
        _ => program.cast(ty, inner),
    }
}

fn fits(n: i128, bits: u32, signed: bool) -> bool {
    let top = if signed { bits - 1 } else { bits };
    n >> top == 0 || signed && n >> top == -1
}

/// Replaces a variable by an earlier one of its type. A level is the number of variables of that type
/// between the two.
pub(crate) fn mergers(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    if level > 2 {
        return None;
    }
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let owners = owners(program, &map);
    let owner = |v: VarId| owners.get(&v).copied();
    let mut edits: Vec<Edit> = Vec::new();
    for (at, &v) in map.vars.iter().enumerate() {
        let var = program.var(v);
        if var.scope == Scope::Param {
            continue;
        }
        let ty = program.types.resolved(var.ty).unqual();
        let mut fitting = map.vars[..at].iter().rev().copied().filter(|&w| {
            let is_seen = program.var(w).scope == Scope::File || owner(w) == owner(v);
            is_seen
                && !same_var(program, v, w)
                && program.types.resolved(program.var(w).ty).unqual() == ty
        });
        if let Some(by) = fitting.nth(level) {
            edits.push(Box::new(move |program| become_other(program, v, by)));
        }
    }
    Some(edits)
}

/// The functions that local variables and parameters belong to.
fn owners(program: &Program, map: &ProgramMap) -> HashMap<VarId, FuncId> {
    let params =
        map.funcs.iter().flat_map(|&f| program.func(f).params.iter().map(move |&v| (v, f)));
    let mut owners: HashMap<VarId, FuncId> = params.collect();
    for context in &map.stmts {
        if let (Some(vars), Some(f)) = (declared(program, context.id), context.func) {
            owners.extend(vars.into_iter().map(|v| (v, f)));
        }
    }
    owners
}

/// The initialiser of a variable of a block becomes an assignment.
fn become_other(program: &mut Program, v: VarId, by: VarId) {
    let init = program.var(v).init.clone();
    let is_local =
        program.var(v).scope == Scope::Block && program.var(v).storage != Storage::Static;
    for expr in &mut program.exprs {
        if let ExprKind::Var(w) = &mut expr.kind
            && (*w == v)
        {
            *w = by;
        }
    }
    if let (true, Some(Init::Expr(value))) = (is_local, init) {
        let map = ProgramMap::of(program);
        let alone = |context: &&StmtContext| matches!(&program.stmt(context.id).kind, StmtKind::Decl(items) if items == &[Item::Var(v)]);
        if let Some(context) = map.stmts.iter().find(alone) {
            let var = program.var_ref(by);
            let assign = program.assign(var, value);
            program.stmts[context.id.index()].kind = StmtKind::Expr(assign);
        }
    }
    undeclare(program, |_, w| w == v);
}

/// Joins declarations: `int a; a = 1;` and `int a; int b;` become one.
pub(crate) fn declarations(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let mut edits: Vec<Edit> = Vec::new();
    match level {
        0 => {
            for context in &map.stmts {
                let StmtKind::Block(list) = &program.stmt(context.id).kind else { continue };
                with_first_values(program, list, &mut edits);
                if context.depth == 0 && context.func.is_some_and(|f| is_main(program, f)) {
                    globals(program, list, &mut edits);
                }
            }
        }
        1 => {
            for context in &map.stmts {
                let StmtKind::Block(list) = &program.stmt(context.id).kind else { continue };
                let block = context.id;
                if list.iter().filter(|&&s| declared(program, s).is_some()).count() > 1 {
                    edits.push(Box::new(move |program| join_declarations(program, block)));
                }
            }
        }
        _ => return None,
    }
    Some(edits)
}

fn is_main(program: &Program, f: FuncId) -> bool {
    program.name(program.func(f).name) == "main"
}

/// The variables of a declaration that declares nothing else.
fn declared(program: &Program, s: StmtId) -> Option<Vec<VarId>> {
    let StmtKind::Decl(items) = &program.stmt(s).kind else { return None };
    let var = |item: &Item| match *item {
        Item::Var(v) => Some(v),
        _ => None,
    };
    items.iter().map(var).collect()
}

/// The variable and the value of `v = e;`.
fn assignment(program: &Program, s: StmtId) -> Option<(VarId, ExprId)> {
    let StmtKind::Expr(e) = program.stmt(s).kind else { return None };
    let ExprKind::Assign(lhs, rhs) = program.expr(e).kind else { return None };
    match program.expr(bare(program, lhs)).kind {
        ExprKind::Var(v) => Some((v, rhs)),
        _ => None,
    }
}

/// The first statement that uses a variable of the block assigns to it: the assignment becomes the
/// declaration.
fn with_first_values(program: &Program, list: &[StmtId], edits: &mut Vec<Edit>) {
    let uses = |s: StmtId, v: VarId| ProgramMap::of_stmt(program, s).var_uses.contains_key(&v);
    for (at, &decl) in list.iter().enumerate() {
        for v in declared(program, decl).unwrap_or_default() {
            let later = &list[at + 1..];
            let first = later.iter().copied().find(|&s| uses(s, v));
            let Some((s, (w, value))) = first.and_then(|s| Some((s, assignment(program, s)?)))
            else {
                continue;
            };
            let plain = program.var(v).init.is_none() && program.var(v).storage == Storage::None;
            if w != v || !plain || ProgramMap::of_stmt(program, s).var_uses[&v].len() > 1 {
                continue;
            }
            edits.push(Box::new(move |program| {
                if let StmtKind::Decl(items) = &mut program.stmts[decl.index()].kind {
                    items.retain(|item| *item != Item::Var(v));
                }
                program.vars[v.index()].init = Some(Init::Expr(value));
                program.stmts[s.index()].kind = StmtKind::Decl(vec![Item::Var(v)]);
            }));
        }
    }
}

/// A constant that `main` assigns to a variable before anything else becomes its initialiser.
fn globals(program: &Program, list: &[StmtId], edits: &mut Vec<Edit>) {
    for &s in list {
        let Some((v, value)) = assignment(program, s) else { continue };
        if program.var(v).scope == Scope::File
            && program.var(v).defined
            && is_steady(program, value)
        {
            edits.push(Box::new(move |program| {
                program.vars[v.index()].init = Some(Init::Expr(value));
                program.stmts[s.index()].kind = StmtKind::Empty;
            }));
        }
    }
}

/// Declarations of a block that follow each other, or have no initialiser, join an earlier one.
fn join_declarations(program: &mut Program, block: StmtId) {
    let StmtKind::Block(list) = program.stmt(block).kind.clone() else { return };
    let specifiers =
        |program: &Program, v: VarId| (base(program, program.var(v).ty), program.var(v).storage);
    let mut heads: Vec<StmtId> = Vec::new();
    let mut previous = None;
    for s in list {
        let Some(vars) = declared(program, s).filter(|vars| !vars.is_empty()) else {
            previous = None;
            continue;
        };
        let inert = |v: &VarId| match &program.var(*v).init {
            None => true,
            Some(Init::Expr(e)) => constant(program, *e).is_some() && !has_effects(program, *e),
            Some(Init::List(_)) => false,
        };
        let movable = vars.iter().all(inert);
        let fits = |head: StmtId| {
            let first = declared(program, head).and_then(|vars| vars.first().copied());
            first.is_some_and(|w| {
                vars.iter().all(|&v| specifiers(program, v) == specifiers(program, w))
            })
        };
        let head =
            heads.iter().copied().find(|&head| fits(head) && (movable || previous == Some(head)));
        match head {
            Some(head) => {
                if let StmtKind::Decl(items) = &mut program.stmts[head.index()].kind {
                    items.extend(vars.into_iter().map(Item::Var));
                }
                program.stmts[s.index()].kind = StmtKind::Empty;
            }
            None => {
                heads.push(s);
                previous = Some(s);
            }
        }
    }
}

fn base(program: &Program, ty: Ty) -> Ty {
    match *program.types.kind(ty) {
        ctree::TypeKind::Pointer(to) | ctree::TypeKind::Array(to, _) => base(program, to),
        _ => ty,
    }
}
