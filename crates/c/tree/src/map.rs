//! A map of a program: its statements, expressions, functions and variables in source order, and the
//! uses of each function and variable.

use std::collections::HashMap;

use crate::{ExprId, ExprKind, FuncId, Init, Item, Program, StmtId, StmtKind, VarId};

/// The direct parent of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parent {
    /// Another expression.
    Expr(ExprId),
    /// A statement.
    Stmt(StmtId),
    /// A variable's initialiser.
    Var(VarId),
}

/// A statement and what encloses it.
#[derive(Clone, Copy, Debug)]
pub struct StmtContext {
    /// The statement.
    pub id: StmtId,
    /// The function it is in; `None` for a statement expression at file scope.
    pub func: Option<FuncId>,
    /// The directly enclosing statement.
    pub parent: Option<StmtId>,
    /// The number of enclosing statements; 0 for the body of a function.
    pub depth: usize,
}

/// All nodes of a program, in source order.
#[derive(Debug, Default)]
pub struct ProgramMap {
    /// Statements, enclosing ones first.
    pub stmts: Vec<StmtContext>,
    /// Expressions, enclosing ones first, each with its statement.
    pub exprs: Vec<(ExprId, Option<StmtId>)>,
    /// The parent of each expression.
    pub parents: HashMap<ExprId, Parent>,
    /// The uses of each variable.
    pub var_uses: HashMap<VarId, Vec<ExprId>>,
    /// The uses of each function.
    pub func_uses: HashMap<FuncId, Vec<ExprId>>,
    /// Functions with a body.
    pub funcs: Vec<FuncId>,
    /// Variables that are defined, at file scope, in blocks and as parameters.
    pub vars: Vec<VarId>,
}

impl ProgramMap {
    /// The map of a program.
    pub fn of(program: &Program) -> ProgramMap {
        ProgramMap::of_each(program, program.units.iter().flat_map(|unit| &unit.items))
    }

    /// The map of some of a program's declarations.
    pub fn of_items(program: &Program, items: &[Item]) -> ProgramMap {
        ProgramMap::of_each(program, items)
    }

    /// The map of a statement.
    pub fn of_stmt(program: &Program, s: StmtId) -> ProgramMap {
        let mut builder =
            MapBuilder { program, map: ProgramMap::default(), func: None, stmt: None, depth: 0 };
        builder.stmt(s);
        builder.map
    }

    fn of_each<'a>(program: &Program, items: impl IntoIterator<Item = &'a Item>) -> ProgramMap {
        let mut builder =
            MapBuilder { program, map: ProgramMap::default(), func: None, stmt: None, depth: 0 };
        items.into_iter().for_each(|item| builder.item(item));
        builder.map
    }

    /// The nearest parent of an expression that the text shows, which an implicit conversion is not.
    pub fn visible_parent(&self, program: &Program, mut e: ExprId) -> Option<Parent> {
        loop {
            match *self.parents.get(&e)? {
                Parent::Expr(up) if matches!(program.expr(up).kind, ExprKind::Implicit(_)) => {
                    e = up
                }
                parent => return Some(parent),
            }
        }
    }

    /// The call depth of each function: 0 for `main`, 1 for what it calls, and so on.
    pub fn call_depths(&self, program: &Program) -> HashMap<FuncId, usize> {
        let owner: HashMap<StmtId, FuncId> =
            self.stmts.iter().filter_map(|place| Some((place.id, place.func?))).collect();
        let mut calls: HashMap<FuncId, Vec<FuncId>> = HashMap::new();
        let stmt_of: HashMap<ExprId, Option<StmtId>> = self.exprs.iter().copied().collect();
        for (&callee, uses) in &self.func_uses {
            for e in uses {
                if let Some(Some(stmt)) = stmt_of.get(e)
                    && let Some(&caller) = owner.get(stmt)
                {
                    calls.entry(caller).or_default().push(callee);
                }
            }
        }
        let named = |f: FuncId| program.name(program.func(f).name);
        let roots: Vec<FuncId> =
            self.funcs.iter().copied().filter(|&f| named(f) == "main").collect();
        let mut depths: HashMap<FuncId, usize> = roots.iter().map(|&f| (f, 0)).collect();
        let mut queue = roots;
        while let Some(f) = queue.pop() {
            let next = depths[&f] + 1;
            for &callee in calls.get(&f).into_iter().flatten() {
                // Each unit has its own entry for the same function.
                let same = self.funcs.iter().copied().filter(|&g| named(g) == named(callee));
                for g in same.chain([callee]) {
                    if depths.get(&g).is_none_or(|&old| old > next) && next < 64 {
                        depths.insert(g, next);
                        queue.push(g);
                    }
                }
            }
        }
        depths
    }
}

/// A direct child of an expression.
#[derive(Clone, Copy, Debug)]
pub enum Child<'a> {
    /// An operand.
    Expr(ExprId),
    /// The block of a statement expression.
    Stmt(StmtId),
    /// The initialiser of a compound literal.
    Init(&'a Init),
}

/// Calls `f` for each direct child of an expression, in source order.
pub fn for_each_child<'a>(kind: &'a ExprKind, f: &mut dyn FnMut(Child<'a>)) {
    use ExprKind::*;
    match kind {
        Int(_)
        | Float(_)
        | LongFloat { .. }
        | Str(_)
        | Var(_)
        | Func(_)
        | EnumConst(..)
        | SizeofType(_)
        | AlignofType(_) => {}
        Unary(_, a)
        | Cast(_, a)
        | Implicit(a)
        | Member(a, _)
        | Arrow(a, _)
        | SizeofExpr(a)
        | VaArg(a, _) => f(Child::Expr(*a)),
        Binary(_, a, b) | Assign(a, b) | Index(a, b) | AssignOp { lhs: a, rhs: b, .. } => {
            f(Child::Expr(*a));
            f(Child::Expr(*b));
        }
        Cond(c, a, b) => {
            f(Child::Expr(*c));
            a.iter().for_each(|a| f(Child::Expr(*a)));
            f(Child::Expr(*b));
        }
        Call(callee, args) => {
            f(Child::Expr(*callee));
            args.iter().for_each(|a| f(Child::Expr(*a)));
        }
        CompoundLit(_, init) => f(Child::Init(init)),
        StmtExpr(s) => f(Child::Stmt(*s)),
    }
}

struct MapBuilder<'a> {
    program: &'a Program,
    map: ProgramMap,
    func: Option<FuncId>,
    stmt: Option<StmtId>,
    depth: usize,
}

impl MapBuilder<'_> {
    fn item(&mut self, item: &Item) {
        match *item {
            Item::Var(v) => {
                self.map.vars.push(v);
                if let Some(init) = &self.program.var(v).init {
                    self.init(init, Parent::Var(v));
                }
            }
            Item::Func(f) => {
                self.map.funcs.push(f);
                let func = self.program.func(f);
                self.map.vars.extend(&func.params);
                let outer = self.func.replace(f);
                if let Some(body) = func.body {
                    self.stmt(body);
                }
                self.func = outer;
            }
            _ => {}
        }
    }

    fn init(&mut self, init: &Init, parent: Parent) {
        match init {
            Init::Expr(e) => self.expr(*e, parent),
            Init::List(items) => items.iter().for_each(|item| self.init(&item.init, parent)),
        }
    }

    fn stmt(&mut self, id: StmtId) {
        let program = self.program;
        let place = StmtContext { id, func: self.func, parent: self.stmt, depth: self.depth };
        self.map.stmts.push(place);
        let outer = self.stmt.replace(id);
        self.depth += 1;
        let parent = Parent::Stmt(id);
        match &program.stmt(id).kind {
            StmtKind::Empty | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {}
            StmtKind::Expr(e) => self.expr(*e, parent),
            StmtKind::Block(list) => list.iter().for_each(|&s| self.stmt(s)),
            StmtKind::If(c, then, other) => {
                self.expr(*c, parent);
                self.stmt(*then);
                other.iter().for_each(|&s| self.stmt(s));
            }
            StmtKind::While(c, body) | StmtKind::Switch(c, body) => {
                self.expr(*c, parent);
                self.stmt(*body);
            }
            StmtKind::DoWhile(body, c) => {
                self.stmt(*body);
                self.expr(*c, parent);
            }
            StmtKind::For { init, cond, step, body } => {
                init.iter().for_each(|&s| self.stmt(s));
                cond.iter().for_each(|&e| self.expr(e, parent));
                step.iter().for_each(|&e| self.expr(e, parent));
                self.stmt(*body);
            }
            StmtKind::Case(_, _, s) | StmtKind::Default(s) | StmtKind::Label(_, s) => self.stmt(*s),
            StmtKind::Return(e) => e.iter().for_each(|&e| self.expr(e, parent)),
            StmtKind::Decl(items) => items.iter().for_each(|item| self.item(item)),
        }
        self.depth -= 1;
        self.stmt = outer;
    }

    fn expr(&mut self, id: ExprId, parent: Parent) {
        let program = self.program;
        self.map.exprs.push((id, self.stmt));
        self.map.parents.insert(id, parent);
        match program.expr(id).kind {
            ExprKind::Var(v) => self.map.var_uses.entry(v).or_default().push(id),
            ExprKind::Func(f) => self.map.func_uses.entry(f).or_default().push(id),
            _ => {}
        }
        for_each_child(&program.expr(id).kind, &mut |child| match child {
            Child::Expr(e) => self.expr(e, Parent::Expr(id)),
            Child::Stmt(s) => self.stmt(s),
            Child::Init(init) => self.init(init, Parent::Expr(id)),
        });
    }
}
