//! Cleans up after edits: empty statements, redundant braces, unused declarations.

use std::collections::HashSet;

use ctree::{
    EnumId, ExprKind, FuncId, Item, Program, RecordId, Scope, StmtId, StmtKind, Sym, Ty, TypeKind,
    TypedefId, VarId,
};

use crate::{Edit, ProgramMap, Specimen, only};

/// Removes what has no effect. With `sweep`, also unused functions and variables: they do not change the
/// result, but may change what a compiler does.
pub(crate) fn tidy(program: &mut Program, sweep: bool) {
    for index in 0..program.stmts.len() {
        flatten(program, StmtId(index as u32));
    }
    let mut used = Used::of(program, sweep);
    if sweep && drop_unused_locals(program, &used) {
        used = Used::of(program, sweep);
    }
    for unit in 0..program.units.len() {
        let mut items = std::mem::take(&mut program.units[unit].items);
        let mut declared = HashSet::new();
        items.retain(|item| used.keeps(program, item, sweep, &mut declared));
        program.units[unit].items = items;
    }
}

/// Removes unused declarations, and the definitions that are not `own` and not used by own ones. Code
/// does not change.
pub fn drop_headers(program: &mut Program, own: &dyn Fn(&Program, &Item) -> bool) {
    let used = Used::from(program, &|item| own(program, item));
    for unit in 0..program.units.len() {
        let mut items = std::mem::take(&mut program.units[unit].items);
        let mut declared = HashSet::new();
        items.retain(|item| used.keeps(program, item, !own(program, item), &mut declared));
        program.units[unit].items = items;
    }
}

/// The edit that removes everything unused at once.
pub(crate) fn unused(_: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || {
        let sweep: Edit = Box::new(|program| tidy(program, true));
        vec![sweep]
    })
}

/// Drops empty statements, and braces around one statement or within others.
fn flatten(program: &mut Program, id: StmtId) {
    let alone = |program: &Program, s: StmtId| match &program.stmt(s).kind {
        StmtKind::Block(list) => match list.as_slice() {
            [] => Some(None),
            [one] if !matches!(program.stmt(*one).kind, StmtKind::Decl(_)) => Some(Some(*one)),
            _ => None,
        },
        _ => None,
    };
    let inner = |program: &Program, s: StmtId| match alone(program, s) {
        Some(Some(one)) => one,
        _ => s,
    };
    let nothing = |program: &Program, s: StmtId| {
        matches!(program.stmt(s).kind, StmtKind::Empty) || alone(program, s) == Some(None)
    };
    let mut kind = program.stmt(id).kind.clone();
    match &mut kind {
        StmtKind::Block(list) => {
            let mut flat = Vec::with_capacity(list.len());
            for &s in list.iter() {
                match &program.stmt(s).kind {
                    StmtKind::Empty => {}
                    StmtKind::Block(inner) if !inner.iter().any(|&s| declares(program, s)) => {
                        flat.extend(inner);
                    }
                    StmtKind::Decl(items) if items.is_empty() => {}
                    _ => flat.push(s),
                }
            }
            *list = flat;
        }
        StmtKind::If(_, then, other) => {
            *then = inner(program, *then);
            *other = other.filter(|&s| !nothing(program, s)).map(|s| inner(program, s));
        }
        StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::For { body, .. }
        | StmtKind::Case(_, _, body)
        | StmtKind::Default(body)
        | StmtKind::Label(_, body) => {
            *body = inner(program, *body);
        }
        _ => return,
    }
    program.stmts[id.index()].kind = kind;
}

/// Whether a statement puts a name into the scope it is in.
fn declares(program: &Program, s: StmtId) -> bool {
    match program.stmt(s).kind {
        StmtKind::Decl(_) => true,
        StmtKind::Label(_, s) | StmtKind::Case(_, _, s) | StmtKind::Default(s) => {
            declares(program, s)
        }
        _ => false,
    }
}

/// Drops local variables that nothing uses and whose initialisers do nothing else.
fn drop_unused_locals(program: &mut Program, used: &Used) -> bool {
    let mut dropped = false;
    for index in 0..program.stmts.len() {
        let StmtKind::Decl(items) = &program.stmts[index].kind else { continue };
        let keep = |item: &Item| match *item {
            Item::Var(v) => used.vars.contains(&v) || has_effects(program, v),
            _ => true,
        };
        if items.iter().all(keep) {
            continue;
        }
        let kept: Vec<Item> = items.iter().filter(|item| keep(item)).cloned().collect();
        program.stmts[index].kind =
            if kept.is_empty() { StmtKind::Empty } else { StmtKind::Decl(kept) };
        dropped = true;
    }
    if dropped {
        (0..program.stmts.len()).for_each(|index| flatten(program, StmtId(index as u32)));
    }
    dropped
}

fn has_effects(program: &Program, v: VarId) -> bool {
    let map = ProgramMap::of_items(program, &[Item::Var(v)]);
    map.exprs.iter().any(|&(e, _)| {
        matches!(
            program.expr(e).kind,
            ExprKind::Assign(..)
                | ExprKind::AssignOp { .. }
                | ExprKind::Call(..)
                | ExprKind::StmtExpr(_)
                | ExprKind::Unary(
                    ctree::UnOp::PreInc
                        | ctree::UnOp::PreDec
                        | ctree::UnOp::PostInc
                        | ctree::UnOp::PostDec,
                    _
                )
        )
    })
}

/// What is used, directly or not.
#[derive(Default)]
struct Used {
    vars: HashSet<VarId>,
    funcs: HashSet<FuncId>,
    records: HashSet<RecordId>,
    enums: HashSet<EnumId>,
    typedefs: HashSet<TypedefId>,
    /// Names that another unit may refer to.
    names: HashSet<Sym>,
}

impl Used {
    /// What `main` uses; or what anything uses, if nothing may be removed or there is no `main`.
    fn of(program: &Program, from_main: bool) -> Used {
        let is_main = |item: &Item| match *item {
            Item::Func(f) => program.name(program.func(f).name) == "main",
            _ => false,
        };
        let from_main = from_main && program.units.iter().any(|u| u.items.iter().any(is_main));
        Used::from(program, &|item| !from_main || is_main(item))
    }

    /// What these definitions use.
    fn from(program: &Program, root: &dyn Fn(&Item) -> bool) -> Used {
        let mut used = Used::default();
        let items = || program.units.iter().flat_map(|unit| &unit.items);
        let is_definition = |item: &&Item| matches!(item, Item::Func(_) | Item::Var(_));
        let mut queue: Vec<Item> =
            items().filter(is_definition).filter(|item| root(item)).cloned().collect();
        let mut waiting: Vec<Item> = items().filter(is_definition).cloned().collect();
        while !queue.is_empty() {
            for item in &queue {
                used.item(program, item);
            }
            let reached = |item: &Item| match *item {
                Item::Func(f) => {
                    used.funcs.contains(&f) || used.names.contains(&program.func(f).name)
                }
                Item::Var(v) => used.vars.contains(&v) || used.names.contains(&program.var(v).name),
                _ => false,
            };
            (queue, waiting) = waiting.into_iter().partition(reached);
        }
        used
    }

    /// All that a definition uses, itself included.
    fn item(&mut self, program: &Program, item: &Item) {
        match *item {
            Item::Func(f) => {
                self.funcs.insert(f);
                self.ty(program, program.func(f).ty);
                for &param in &program.func(f).params {
                    self.ty(program, program.var(param).ty);
                }
            }
            Item::Var(v) => {
                self.vars.insert(v);
                self.ty(program, program.var(v).ty);
            }
            _ => {}
        }
        let map = ProgramMap::of_items(program, std::slice::from_ref(item));
        for context in &map.stmts {
            let StmtKind::Decl(items) = &program.stmt(context.id).kind else { continue };
            for item in items {
                self.local(program, item);
            }
        }
        for &(e, _) in &map.exprs {
            match program.expr(e).kind {
                ExprKind::Var(v) => {
                    self.vars.insert(v);
                    self.ty(program, program.var(v).ty);
                    if program.var(v).scope == Scope::File {
                        self.names.insert(program.var(v).name);
                    }
                }
                ExprKind::Func(f) => {
                    self.funcs.insert(f);
                    self.names.insert(program.func(f).name);
                    self.ty(program, program.func(f).ty);
                }
                ExprKind::EnumConst(id, _) => {
                    self.enums.insert(id);
                }
                ExprKind::Cast(ty, _)
                | ExprKind::SizeofType(ty)
                | ExprKind::AlignofType(ty)
                | ExprKind::CompoundLit(ty, _)
                | ExprKind::VaArg(_, ty) => self.ty(program, ty),
                _ => {}
            }
        }
    }

    fn local(&mut self, program: &Program, item: &Item) {
        match *item {
            Item::Var(v) | Item::VarDecl(v) => self.ty(program, program.var(v).ty),
            Item::FuncDecl(f) | Item::Func(f) => self.ty(program, program.func(f).ty),
            Item::Typedef(t) => self.ty(program, program.types.typedefs[t.index()].ty),
            Item::Record(r) | Item::RecordDecl(r) => self.record(program, r),
            Item::Enum(_) => {}
        }
    }

    fn record(&mut self, program: &Program, r: RecordId) {
        if self.records.insert(r) {
            for field in &program.types.records[r.index()].fields {
                self.ty(program, field.ty);
            }
        }
    }

    fn ty(&mut self, program: &Program, ty: Ty) {
        match program.types.kind(ty) {
            TypeKind::Pointer(to) | TypeKind::Array(to, _) | TypeKind::Vector(to, _) => {
                self.ty(program, *to);
            }
            TypeKind::Function(f) => {
                self.ty(program, f.ret);
                f.params.iter().for_each(|&param| self.ty(program, param));
            }
            TypeKind::Record(r) => self.record(program, *r),
            TypeKind::Enum(id) => {
                self.enums.insert(*id);
            }
            TypeKind::Typedef(t) if self.typedefs.insert(*t) => {
                self.ty(program, program.types.typedefs[t.index()].ty);
            }
            _ => {}
        }
    }

    fn keeps(
        &self,
        program: &Program,
        item: &Item,
        sweep: bool,
        declared: &mut HashSet<Sym>,
    ) -> bool {
        match *item {
            Item::RecordDecl(r) | Item::Record(r) => self.records.contains(&r),
            Item::Enum(e) => self.enums.contains(&e),
            Item::Typedef(t) => self.typedefs.contains(&t),
            Item::Var(v) => {
                declared.insert(program.var(v).name);
                !sweep || self.vars.contains(&v) || self.names.contains(&program.var(v).name)
            }
            Item::VarDecl(v) => self.vars.contains(&v) && declared.insert(program.var(v).name),
            Item::FuncDecl(f) => self.funcs.contains(&f) && declared.insert(program.func(f).name),
            Item::Func(f) => {
                declared.insert(program.func(f).name);
                !sweep || self.funcs.contains(&f) || self.names.contains(&program.func(f).name)
            }
        }
    }
}
