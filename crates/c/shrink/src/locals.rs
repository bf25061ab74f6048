//! Variables become what they hold, or each other; declarations are drawn together.

use std::collections::HashMap;

use ctree::{
    ExprId, ExprKind, FuncId, Init, Item, Program, Scope, StmtId, StmtKind, Storage, Ty, UnOp,
    VarId,
};

use crate::graft::{bare, constant, has_effects, same_var, substitute, undeclare};
use crate::params::is_changed;
use crate::{Edit, Parent, ProgramMap, Specimen};
use ctree::map::{Child, StmtContext, for_each_child};

/// Variables that get one value only become it: first those whose value is a constant or an address,
/// then those that are read once.
pub(crate) fn copies(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let p = &specimen.program;
    if level > 1 {
        return None;
    }
    let map = ProgramMap::of(p);
    let parents: HashMap<StmtId, Option<StmtId>> =
        map.stmts.iter().map(|context| (context.id, context.parent)).collect();
    let stmt_of: HashMap<ExprId, Option<StmtId>> = map.exprs.iter().copied().collect();
    let mut edits: Vec<Edit> = Vec::new();
    for &v in map.vars.iter().filter(|&&v| p.var(v).scope != Scope::Param) {
        let Some(only) = Definition::of(p, &map, v) else { continue };
        let steady = is_steady(p, only.value);
        // What the value names must be known where it goes.
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
        let is_known =
            is_global(p, only.value) || only.assignment.is_none() || only.reads.iter().all(within);
        if is_known && (level == 0 && steady || level == 1 && !steady && only.reads.len() == 1) {
            edits.push(Box::new(move |p| only.spread(p, v)));
        }
    }
    Some(edits)
}

/// The one place where a variable gets a value, and all where it is read.
struct Definition {
    value: ExprId,
    /// The assignment that it is, unless it is the initialiser.
    assignment: Option<StmtId>,
    reads: Vec<ExprId>,
}

impl Definition {
    fn of(p: &Program, map: &ProgramMap, v: VarId) -> Option<Definition> {
        let mut value = match &p.var(v).init {
            Some(Init::Expr(e)) if p.types.as_array(p.var(v).ty).is_none() => Some(*e),
            Some(_) => return None,
            None => None,
        };
        let (mut assignment, mut reads) = (None, Vec::new());
        let mut vars: Vec<VarId> = map.var_uses.keys().copied().collect();
        vars.sort_unstable();
        vars.retain(|&w| same_var(p, v, w));
        for &e in vars.iter().flat_map(|w| &map.var_uses[w]) {
            if !is_changed(p, map, e) {
                reads.push(e);
                continue;
            }
            let (s, right) = assigned(p, map, e)?;
            if value.is_some() {
                return None;
            }
            (value, assignment) = (Some(right), Some(s));
        }
        Some(Definition { value: value?, assignment, reads })
    }

    fn spread(&self, p: &mut Program, v: VarId) {
        let ty = p.types.canon(p.var(v).ty).unqual();
        let value = converted(p, self.value, ty);
        let map = ProgramMap::of(p);
        for &e in &self.reads {
            substitute(p, &map, e, value);
        }
        if let Some(s) = self.assignment {
            p.stmts[s.index()].kind = StmtKind::Empty;
        }
        undeclare(p, |p, w| same_var(p, v, w));
    }
}

/// The statement `e = right;` that a use of a variable is the left side of.
fn assigned(p: &Program, map: &ProgramMap, e: ExprId) -> Option<(StmtId, ExprId)> {
    let Some(Parent::Expr(up)) = map.visible_parent(p, e) else { return None };
    let ExprKind::Assign(lhs, rhs) = p.expr(up).kind else { return None };
    match map.visible_parent(p, up) {
        Some(Parent::Stmt(s)) if bare(p, lhs) == e => {
            matches!(p.stmt(s).kind, StmtKind::Expr(_)).then_some((s, rhs))
        }
        _ => None,
    }
}

/// Whether an expression has the same value wherever it stands.
fn is_steady(p: &Program, e: ExprId) -> bool {
    let e = bare(p, e);
    match p.expr(e).kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Func(_) => true,
        ExprKind::EnumConst(..) => true,
        ExprKind::Unary(UnOp::Neg, a) | ExprKind::Cast(_, a) => is_steady(p, a),
        ExprKind::Unary(UnOp::AddrOf, of) => is_steady_place(p, of),
        ExprKind::Var(v) => p.types.as_array(p.var(v).ty).is_some(),
        _ => false,
    }
}

fn is_steady_place(p: &Program, e: ExprId) -> bool {
    let e = bare(p, e);
    match p.expr(e).kind {
        ExprKind::Var(_) => true,
        ExprKind::Member(of, _) => is_steady_place(p, of),
        ExprKind::Index(base, i) => is_steady_place(p, base) && constant(p, i).is_some(),
        _ => false,
    }
}

/// Whether an expression names nothing that only a block knows.
fn is_global(p: &Program, e: ExprId) -> bool {
    let mut all = true;
    for_each_child(&p.expr(e).kind, &mut |child| match child {
        Child::Expr(e) => all &= is_global(p, e),
        Child::Stmt(_) | Child::Init(_) => all = false,
    });
    all && !matches!(p.expr(e).kind, ExprKind::Var(v) if p.var(v).scope != Scope::File)
}

/// A value in the type of the variable that held it: other types compute otherwise.
fn converted(p: &mut Program, value: ExprId, ty: Ty) -> ExprId {
    let inner = bare(p, value);
    if !p.types.is_arithmetic(ty) || p.expr(inner).ty.unqual() == ty {
        return inner;
    }
    match constant(p, inner) {
        // A value of a narrow type is an `int` wherever it is used.
        Some(n)
            if p.types.int_bits(ty).is_some_and(|(bits, _)| bits < 32 && n >> (bits - 1) == 0) =>
        {
            inner
        }
        Some(n) if p.types.int_bits(ty).is_some_and(|(bits, signed)| fits(n, bits, signed)) => {
            p.int_const(ty, n)
        }
        _ => p.cast(ty, inner),
    }
}

fn fits(n: i128, bits: u32, signed: bool) -> bool {
    let top = if signed { bits - 1 } else { bits };
    n >> top == 0 || signed && n >> top == -1
}

/// A variable becomes another one of its type that the text has before it. A level is how many of
/// that type are between the two.
pub(crate) fn mergers(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    if level > 2 {
        return None;
    }
    let p = &specimen.program;
    let map = ProgramMap::of(p);
    let owners = owners(p, &map);
    let owner = |v: VarId| owners.get(&v).copied();
    let mut edits: Vec<Edit> = Vec::new();
    for (at, &v) in map.vars.iter().enumerate() {
        let var = p.var(v);
        if var.scope == Scope::Param {
            continue;
        }
        let ty = p.types.resolved(var.ty).unqual();
        let mut fitting = map.vars[..at].iter().rev().copied().filter(|&w| {
            let is_seen = p.var(w).scope == Scope::File || owner(w) == owner(v);
            is_seen && !same_var(p, v, w) && p.types.resolved(p.var(w).ty).unqual() == ty
        });
        if let Some(by) = fitting.nth(level) {
            edits.push(Box::new(move |p| become_other(p, v, by)));
        }
    }
    Some(edits)
}

/// The functions that local variables and parameters belong to.
fn owners(p: &Program, map: &ProgramMap) -> HashMap<VarId, FuncId> {
    let params = map.funcs.iter().flat_map(|&f| p.func(f).params.iter().map(move |&v| (v, f)));
    let mut owners: HashMap<VarId, FuncId> = params.collect();
    for context in &map.stmts {
        if let (Some(vars), Some(f)) = (declared(p, context.id), context.func) {
            owners.extend(vars.into_iter().map(|v| (v, f)));
        }
    }
    owners
}

/// The initialiser becomes an assignment where it stands in a block.
fn become_other(p: &mut Program, v: VarId, by: VarId) {
    let init = p.var(v).init.clone();
    let is_local = p.var(v).scope == Scope::Block && p.var(v).storage != Storage::Static;
    for expr in &mut p.exprs {
        if let ExprKind::Var(w) = &mut expr.kind
            && (*w == v)
        {
            *w = by;
        }
    }
    if let (true, Some(Init::Expr(value))) = (is_local, init) {
        let map = ProgramMap::of(p);
        let alone = |context: &&StmtContext| matches!(&p.stmt(context.id).kind, StmtKind::Decl(items) if items == &[Item::Var(v)]);
        if let Some(context) = map.stmts.iter().find(alone) {
            let var = p.var_ref(by);
            let assign = p.assign(var, value);
            p.stmts[context.id.index()].kind = StmtKind::Expr(assign);
        }
    }
    undeclare(p, |_, w| w == v);
}

/// Declarations are drawn together: `int a; a = 1;` and `int a; int b;` become one.
pub(crate) fn declarations(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let p = &specimen.program;
    let map = ProgramMap::of(p);
    let mut edits: Vec<Edit> = Vec::new();
    match level {
        0 => {
            for context in &map.stmts {
                let StmtKind::Block(list) = &p.stmt(context.id).kind else { continue };
                with_first_values(p, list, &mut edits);
                if context.depth == 0 && context.func.is_some_and(|f| is_main(p, f)) {
                    globals(p, list, &mut edits);
                }
            }
        }
        1 => {
            for context in &map.stmts {
                let StmtKind::Block(list) = &p.stmt(context.id).kind else { continue };
                let block = context.id;
                if list.iter().filter(|&&s| declared(p, s).is_some()).count() > 1 {
                    edits.push(Box::new(move |p| together(p, block)));
                }
            }
        }
        _ => return None,
    }
    Some(edits)
}

fn is_main(p: &Program, f: FuncId) -> bool {
    p.name(p.func(f).name) == "main"
}

/// The variables of a declaration that declares nothing else.
fn declared(p: &Program, s: StmtId) -> Option<Vec<VarId>> {
    let StmtKind::Decl(items) = &p.stmt(s).kind else { return None };
    let var = |item: &Item| match *item {
        Item::Var(v) => Some(v),
        _ => None,
    };
    items.iter().map(var).collect()
}

/// The variable and the value of `v = e;`.
fn assignment(p: &Program, s: StmtId) -> Option<(VarId, ExprId)> {
    let StmtKind::Expr(e) = p.stmt(s).kind else { return None };
    let ExprKind::Assign(lhs, rhs) = p.expr(e).kind else { return None };
    match p.expr(bare(p, lhs)).kind {
        ExprKind::Var(v) => Some((v, rhs)),
        _ => None,
    }
}

/// The first statement that uses a variable of the block assigns to it: it becomes the declaration.
fn with_first_values(p: &Program, list: &[StmtId], edits: &mut Vec<Edit>) {
    let uses = |s: StmtId, v: VarId| ProgramMap::of_stmt(p, s).var_uses.contains_key(&v);
    for (at, &decl) in list.iter().enumerate() {
        for v in declared(p, decl).unwrap_or_default() {
            let later = &list[at + 1..];
            let first = later.iter().copied().find(|&s| uses(s, v));
            let Some((s, (w, value))) = first.and_then(|s| Some((s, assignment(p, s)?))) else {
                continue;
            };
            let plain = p.var(v).init.is_none() && p.var(v).storage == Storage::None;
            if w != v || !plain || ProgramMap::of_stmt(p, s).var_uses[&v].len() > 1 {
                continue;
            }
            edits.push(Box::new(move |p| {
                if let StmtKind::Decl(items) = &mut p.stmts[decl.index()].kind {
                    items.retain(|item| *item != Item::Var(v));
                }
                p.vars[v.index()].init = Some(Init::Expr(value));
                p.stmts[s.index()].kind = StmtKind::Decl(vec![Item::Var(v)]);
            }));
        }
    }
}

/// A constant that `main` assigns to a variable before anything else becomes its initialiser.
fn globals(p: &Program, list: &[StmtId], edits: &mut Vec<Edit>) {
    for &s in list {
        let Some((v, value)) = assignment(p, s) else { continue };
        if p.var(v).scope == Scope::File && p.var(v).defined && is_steady(p, value) {
            edits.push(Box::new(move |p| {
                p.vars[v.index()].init = Some(Init::Expr(value));
                p.stmts[s.index()].kind = StmtKind::Empty;
            }));
        }
    }
}

/// Declarations of a block that follow each other, or have no initialiser, join an earlier one.
fn together(p: &mut Program, block: StmtId) {
    let StmtKind::Block(list) = p.stmt(block).kind.clone() else { return };
    let specifiers = |p: &Program, v: VarId| (base(p, p.var(v).ty), p.var(v).storage);
    let mut heads: Vec<StmtId> = Vec::new();
    let mut previous = None;
    for s in list {
        let Some(vars) = declared(p, s).filter(|vars| !vars.is_empty()) else {
            previous = None;
            continue;
        };
        let inert = |v: &VarId| match &p.var(*v).init {
            None => true,
            Some(Init::Expr(e)) => constant(p, *e).is_some() && !has_effects(p, *e),
            Some(Init::List(_)) => false,
        };
        let movable = vars.iter().all(inert);
        let fits = |head: StmtId| {
            let first = declared(p, head).and_then(|vars| vars.first().copied());
            first.is_some_and(|w| vars.iter().all(|&v| specifiers(p, v) == specifiers(p, w)))
        };
        let head =
            heads.iter().copied().find(|&head| fits(head) && (movable || previous == Some(head)));
        match head {
            Some(head) => {
                if let StmtKind::Decl(items) = &mut p.stmts[head.index()].kind {
                    items.extend(vars.into_iter().map(Item::Var));
                }
                p.stmts[s.index()].kind = StmtKind::Empty;
            }
            None => {
                heads.push(s);
                previous = Some(s);
            }
        }
    }
}

fn base(p: &Program, ty: Ty) -> Ty {
    match *p.types.kind(ty) {
        ctree::TypeKind::Pointer(to) | ctree::TypeKind::Array(to, _) => base(p, to),
        _ => ty,
    }
}
