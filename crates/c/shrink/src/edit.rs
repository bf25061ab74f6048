//! Operations on trees that several passes use: copies, replacements, queries.
//!
//! A child that replaces its parent may be shared; anything that is inserted elsewhere is copied, so that
//! successive edits never create a cycle.

use std::collections::HashMap;

use ctree::{
    ExprId, ExprKind, FuncId, Init, InitItem, Item, LabelId, Program, Scope, StmtId, StmtKind, Sym,
    UnOp, VarId,
};

use crate::{Parent, ProgramMap};
use ctree::map::{Child, for_each_child};

/// Most nodes of a program that more may be copied into: each of several edits may double the result of
/// the previous one.
const ROOM: usize = 400_000;

/// Whether there is room for copies.
pub(crate) fn has_room(program: &Program) -> bool {
    program.exprs.len() < ROOM
}

/// The expression under implicit conversions.
pub(crate) fn bare(program: &Program, mut e: ExprId) -> ExprId {
    while let ExprKind::Implicit(inner) = program.expr(e).kind {
        e = inner;
    }
    e
}

/// Replaces an expression by one of its children. It keeps its type, which accesses to its members and
/// elements depend on, except that a constant's type follows from its text.
pub(crate) fn replace_by_child(program: &mut Program, e: ExprId, part: ExprId) {
    use ExprKind::{Float, Int, LongFloat, Str};
    let part = bare(program, part);
    let mut new = program.exprs[part.index()].clone();
    if !matches!(new.kind, Int(_) | Float(_) | LongFloat { .. } | Str(_)) {
        new.ty = program.expr(e).ty;
    }
    program.exprs[e.index()] = new;
}

/// Replaces a use of a variable by a copy of an expression; `*&x` becomes `x`.
pub(crate) fn substitute(program: &mut Program, map: &ProgramMap, e: ExprId, by: ExprId) {
    if !has_room(program) {
        return;
    }
    let copy = TreeCopier::default().expr(program, by);
    replace_by_child(program, e, copy);
    let (ExprKind::Unary(UnOp::AddrOf, place), Some(Parent::Expr(up))) =
        (program.expr(e).kind.clone(), map.visible_parent(program, e))
    else {
        return;
    };
    match program.expr(up).kind {
        ExprKind::Unary(UnOp::Deref, _) => replace_by_child(program, up, place),
        ExprKind::Index(base, i) if bare(program, base) == e && constant(program, i) == Some(0) => {
            replace_by_child(program, up, place);
        }
        ExprKind::Arrow(_, field) => {
            program.exprs[up.index()].kind = ExprKind::Member(place, field)
        }
        _ => {}
    }
}

/// An unused name similar to an old one.
pub(crate) fn fresh(program: &mut Program, old: Sym) -> Sym {
    let stem = program.name(old).trim_end_matches(|c: char| c.is_ascii_digit()).to_string();
    let free = (0..)
        .map(|n: u32| format!("{stem}{n}"))
        .find(|name| program.names.get(name).is_none() && !name.is_empty());
    program.names.intern(&free.unwrap_or(stem))
}

/// Renames a local variable if another entity has the same name.
pub(crate) fn make_unique(program: &mut Program, v: VarId) {
    let name = program.var(v).name;
    let other = |(i, var): (usize, &ctree::Var)| i != v.index() && var.name == name;
    let shared = program.vars.iter().enumerate().any(other)
        || program.funcs.iter().any(|f| f.name == name)
        || program.types.typedefs.iter().any(|t| t.name == name)
        || program.types.enums.iter().flat_map(|e| &e.members).any(|m| m.name == name);
    if shared {
        program.vars[v.index()].name = fresh(program, name);
    }
}

/// Whether an expression has side effects.
pub(crate) fn has_effects(program: &Program, e: ExprId) -> bool {
    use UnOp::{PostDec, PostInc, PreDec, PreInc};
    let kind = &program.expr(e).kind;
    if matches!(
        kind,
        ExprKind::Assign(..)
            | ExprKind::AssignOp { .. }
            | ExprKind::Call(..)
            | ExprKind::StmtExpr(_)
            | ExprKind::VaArg(..)
            | ExprKind::Unary(PreInc | PreDec | PostInc | PostDec, _)
    ) {
        return true;
    }
    let mut found = false;
    for_each_child(kind, &mut |child| match child {
        Child::Expr(e) => found |= has_effects(program, e),
        Child::Stmt(_) | Child::Init(_) => found = true,
    });
    found
}

/// The function that a call calls by name.
pub(crate) fn callee(program: &Program, call: ExprId) -> Option<FuncId> {
    let ExprKind::Call(f, _) = program.expr(call).kind else { return None };
    match program.expr(bare(program, f)).kind {
        ExprKind::Func(f) => Some(f),
        _ => None,
    }
}

/// The value of a literal.
pub(crate) fn constant(program: &Program, e: ExprId) -> Option<i128> {
    match program.expr(bare(program, e)).kind {
        ExprKind::Int(n) => Some(i128::from(n)),
        ExprKind::Unary(UnOp::Neg, a) => Some(-constant(program, a)?),
        _ => None,
    }
}

/// Replaces a statement by several.
pub(crate) fn become_all(program: &mut Program, s: StmtId, list: Vec<StmtId>) {
    program.stmts[s.index()].kind = StmtKind::Block(list);
}

/// Inserts statements before another one, into its block if it is in one.
pub(crate) fn insert_before(
    program: &mut Program,
    parent: Option<StmtId>,
    s: StmtId,
    new: Vec<StmtId>,
) {
    if let Some(parent) = parent
        && let StmtKind::Block(list) = &mut program.stmts[parent.index()].kind
        && let Some(at) = list.iter().position(|&other| other == s)
    {
        list.splice(at..at, new);
        return;
    }
    let old = program.stmt(s).kind.clone();
    let mut list = new;
    list.push(program.make_stmt(old));
    become_all(program, s, list);
}

/// Removes the declarations of variables.
pub(crate) fn undeclare(program: &mut Program, gone: impl Fn(&Program, VarId) -> bool) {
    let is_gone = |program: &Program, item: &Item| match *item {
        Item::Var(v) | Item::VarDecl(v) => gone(program, v),
        _ => false,
    };
    for unit in 0..program.units.len() {
        let mut items = std::mem::take(&mut program.units[unit].items);
        items.retain(|item| !is_gone(program, item));
        program.units[unit].items = items;
    }
    for s in 0..program.stmts.len() {
        if let StmtKind::Decl(items) = &mut program.stmts[s].kind {
            let mut items = std::mem::take(items);
            items.retain(|item| !is_gone(program, item));
            program.stmts[s].kind = StmtKind::Decl(items);
        }
    }
}

/// Whether two entries are the same variable: each unit has its own entry.
pub(crate) fn same_var(program: &Program, a: VarId, b: VarId) -> bool {
    let (x, y) = (program.var(a), program.var(b));
    a == b || x.scope == Scope::File && y.scope == Scope::File && x.name == y.name
}

/// Calls `f` for the operands of an expression.
pub(crate) fn operands(kind: &mut ExprKind, f: &mut dyn FnMut(&mut ExprId)) {
    use ExprKind::*;
    match kind {
        Unary(_, a)
        | Cast(_, a)
        | Implicit(a)
        | Member(a, _)
        | Arrow(a, _)
        | SizeofExpr(a)
        | VaArg(a, _) => f(a),
        Binary(_, a, b) | Assign(a, b) | Index(a, b) | AssignOp { lhs: a, rhs: b, .. } => {
            f(a);
            f(b);
        }
        Cond(c, a, b) => {
            f(c);
            a.iter_mut().for_each(&mut *f);
            f(b);
        }
        Call(callee, args) => {
            f(callee);
            args.iter_mut().for_each(f);
        }
        _ => {}
    }
}

/// Copies trees: declarations in a copied block become new declarations with new names.
#[derive(Default)]
pub(crate) struct TreeCopier {
    /// Variables that are replaced by others.
    pub vars: HashMap<VarId, VarId>,
    /// Variables that are replaced by copies of an expression.
    pub values: HashMap<VarId, ExprId>,
    labels: HashMap<LabelId, LabelId>,
}

impl TreeCopier {
    /// A copy of an expression.
    pub(crate) fn expr(&mut self, program: &mut Program, e: ExprId) -> ExprId {
        let mut new = program.expr(e).clone();
        match &mut new.kind {
            ExprKind::Var(v) => {
                if let Some(&value) = self.values.get(v) {
                    return TreeCopier::default().expr(program, value);
                }
                *v = self.vars.get(v).copied().unwrap_or(*v);
            }
            ExprKind::StmtExpr(s) => *s = self.stmt(program, *s),
            ExprKind::CompoundLit(_, init) => **init = self.init(program, init),
            kind => operands(kind, &mut |operand| *operand = self.expr(program, *operand)),
        }
        program.add_expr(new.kind, new.ty, new.span)
    }

    /// A copy of an initialiser.
    pub(crate) fn init(&mut self, program: &mut Program, init: &Init) -> Init {
        match init {
            Init::Expr(e) => Init::Expr(self.expr(program, *e)),
            Init::List(items) => {
                let copy = |item: &InitItem| InitItem {
                    init: self.init(program, &item.init),
                    ..item.clone()
                };
                Init::List(items.iter().map(copy).collect())
            }
        }
    }

    /// A copy of a statement.
    pub(crate) fn stmt(&mut self, program: &mut Program, s: StmtId) -> StmtId {
        use StmtKind::*;
        let mut kind = program.stmt(s).kind.clone();
        match &mut kind {
            Empty | Break | Continue | Return(None) => {}
            Expr(e) | Return(Some(e)) => *e = self.expr(program, *e),
            Block(list) => list.iter_mut().for_each(|s| *s = self.stmt(program, *s)),
            If(c, then, other) => {
                *c = self.expr(program, *c);
                *then = self.stmt(program, *then);
                other.iter_mut().for_each(|s| *s = self.stmt(program, *s));
            }
            While(c, body) | Switch(c, body) | DoWhile(body, c) => {
                *c = self.expr(program, *c);
                *body = self.stmt(program, *body);
            }
            For { init, cond, step, body } => {
                init.iter_mut().for_each(|s| *s = self.stmt(program, *s));
                cond.iter_mut().for_each(|e| *e = self.expr(program, *e));
                step.iter_mut().for_each(|e| *e = self.expr(program, *e));
                *body = self.stmt(program, *body);
            }
            Case(_, _, s) | Default(s) => *s = self.stmt(program, *s),
            Goto(l) => *l = self.label(program, *l),
            Label(l, s) => {
                *l = self.label(program, *l);
                *s = self.stmt(program, *s);
            }
            Decl(items) => items.iter_mut().for_each(|item| self.item(program, item)),
        }
        program.make_stmt(kind)
    }

    fn item(&mut self, program: &mut Program, item: &mut Item) {
        if let Item::Var(v) = item {
            let new = self.var(program, *v);
            if let Some(init) = program.var(*v).init.clone() {
                program.vars[new.index()].init = Some(self.init(program, &init));
            }
            *v = new;
        }
    }

    /// A new variable like an old one, without its initialiser.
    pub(crate) fn var(&mut self, program: &mut Program, old: VarId) -> VarId {
        let mut new = program.var(old).clone();
        new.init = None;
        new.name = fresh(program, new.name);
        program.vars.push(new);
        let id = VarId(program.vars.len() as u32 - 1);
        self.vars.insert(old, id);
        id
    }

    fn label(&mut self, program: &mut Program, old: LabelId) -> LabelId {
        if let Some(&new) = self.labels.get(&old) {
            return new;
        }
        let name = fresh(program, program.labels[old.index()].name);
        program.labels.push(ctree::Label { name });
        let id = LabelId(program.labels.len() as u32 - 1);
        self.labels.insert(old, id);
        id
    }
}
