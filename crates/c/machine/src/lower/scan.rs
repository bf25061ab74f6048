//! Facts about a program that decide where variables live: whose address is taken, which are in
//! conflict with themselves within one expression, which functions have labels.

use crate::Hooks;
use ctree::{ExprId, ExprKind, Init, Item, Program, StmtId, StmtKind, TypeKind, UnOp, VarId};
use std::collections::{HashMap, HashSet};

/// What [`Facts::of`] finds.
pub(crate) struct Facts {
    /// The address of the variable is taken somewhere.
    pub escapes: Vec<bool>,
    /// A register variable that one operand writes and another, unsequenced, accesses: it must
    /// live in memory, where the machine detects the conflict.
    pub conflicted: Vec<bool>,
    /// Variables whose own initialiser reads them.
    pub own_init: HashSet<VarId>,
    /// Bodies of functions with labels: declarations may be jumped over.
    pub has_labels: HashSet<StmtId>,
    /// Locations that a probe before a statement looks at, as [`super::effects`] folds them.
    pub watched: HashMap<StmtId, u64>,
}

/// The variable at the root of an lvalue, if the path to it has no pointer in it.
pub(crate) fn root(program: &Program, mut e: ExprId) -> Option<VarId> {
    loop {
        match program.expr(e).kind {
            ExprKind::Var(v) => return Some(v),
            ExprKind::Member(of, _) => e = of,
            ExprKind::Index(base, _) | ExprKind::Unary(UnOp::Deref, base) => {
                match program.expr(base).kind {
                    ExprKind::Implicit(array) if has_elements(program, array) => e = array,
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
}

/// Whether an expression has array type.
pub(crate) fn is_array(program: &Program, e: ExprId) -> bool {
    matches!(program.types.shape(program.expr(e).ty), TypeKind::Array(..))
}

/// Whether an expression is an array or a vector: an index reaches its parts without reading it.
pub(crate) fn has_elements(program: &Program, e: ExprId) -> bool {
    is_array(program, e) || program.types.lanes(program.expr(e).ty).is_some()
}

impl Facts {
    pub(crate) fn of(program: &Program, hooks: &Hooks) -> Facts {
        let mut facts = Facts {
            escapes: vec![false; program.vars.len()],
            conflicted: vec![false; program.vars.len()],
            own_init: HashSet::new(),
            has_labels: HashSet::new(),
            watched: HashMap::new(),
        };
        facts.escapes(program);
        for func in &program.funcs {
            if let Some(body) = func.body {
                let mut scan =
                    Scan { program, hooks, facts: &mut facts, labels: false, in_expr: false };
                scan.stmt(body, &mut Accesses::default());
                if scan.labels {
                    facts.has_labels.insert(body);
                }
            }
        }
        facts
    }

    fn escapes(&mut self, program: &Program) {
        let mut direct = vec![false; program.exprs.len()];
        for expr in &program.exprs {
            if let ExprKind::Index(base, _) | ExprKind::Unary(UnOp::Deref, base) = expr.kind {
                direct[base.index()] = true;
            }
        }
        for (index, expr) in program.exprs.iter().enumerate() {
            let taken = match expr.kind {
                ExprKind::Unary(UnOp::AddrOf, e) => e,
                ExprKind::Implicit(e) | ExprKind::Cast(_, e)
                    if !direct[index] && is_array(program, e) =>
                {
                    e
                }
                _ => continue,
            };
            if let Some(v) = root(program, taken) {
                self.escapes[v.index()] = true;
            }
        }
    }
}

/// Variables accessed by part of an expression.
#[derive(Default)]
struct Accesses {
    reads: Vec<VarId>,
    writes: Vec<VarId>,
}

impl Accesses {
    fn absorb(&mut self, mut other: Accesses) {
        self.reads.append(&mut other.reads);
        self.writes.append(&mut other.writes);
    }
}

struct Scan<'a> {
    program: &'a Program,
    hooks: &'a Hooks,
    facts: &'a mut Facts,
    labels: bool,
    /// In a statement expression.
    in_expr: bool,
}

impl Scan<'_> {
    fn is_candidate(&self, v: VarId) -> bool {
        self.program.var(v).scope != ctree::Scope::File
            && self.program.types.is_scalar(self.program.var(v).ty)
    }

    /// Marks what two unsequenced operands both touch, one of them writing.
    fn conflict(&mut self, a: &Accesses, b: &Accesses) {
        for (one, other) in [(a, b), (b, a)] {
            for v in &one.writes {
                if other.writes.contains(v) || other.reads.contains(v) {
                    self.facts.conflicted[v.index()] = true;
                }
            }
        }
    }

    fn unsequenced(&mut self, operands: &[ExprId], out: &mut Accesses) {
        let mut all = Accesses::default();
        for &e in operands {
            let mut acc = Accesses::default();
            self.expr(e, &mut acc);
            if !acc.writes.is_empty() || !all.writes.is_empty() {
                self.conflict(&all, &acc);
            }
            all.absorb(acc);
        }
        out.absorb(all);
    }

    fn write(&mut self, target: ExprId, rhs: Option<ExprId>, reads_too: bool, out: &mut Accesses) {
        let operands: Vec<ExprId> = match self.program.expr(target).kind {
            ExprKind::Var(_) => rhs.into_iter().collect(),
            _ => [target].into_iter().chain(rhs).collect(),
        };
        let mut inner = Accesses::default();
        self.unsequenced(&operands, &mut inner);
        if let ExprKind::Var(v) = self.program.expr(target).kind
            && self.is_candidate(v)
        {
            // Simpler than C's rule: any write of it inside counts as a conflict here, and
            // the machine decides.
            if inner.writes.contains(&v) {
                self.facts.conflicted[v.index()] = true;
            }
            inner.writes.push(v);
            if reads_too {
                inner.reads.push(v);
            }
        }
        out.absorb(inner);
    }

    fn expr(&mut self, e: ExprId, out: &mut Accesses) {
        match &self.program.expr(e).kind {
            ExprKind::Var(v) if self.is_candidate(*v) => out.reads.push(*v),
            ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, a) => {
                self.write(*a, None, true, out);
            }
            ExprKind::Assign(a, b) => self.write(*a, Some(*b), false, out),
            ExprKind::AssignOp { lhs, rhs, .. } => self.write(*lhs, Some(*rhs), true, out),
            ExprKind::Unary(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::Implicit(a)
            | ExprKind::Member(a, _)
            | ExprKind::Arrow(a, _)
            | ExprKind::VaArg(a, _) => self.expr(*a, out),
            ExprKind::Binary(
                ctree::BinOp::LogAnd | ctree::BinOp::LogOr | ctree::BinOp::Comma,
                a,
                b,
            ) => {
                self.expr(*a, out);
                self.expr(*b, out);
            }
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => self.unsequenced(&[*a, *b], out),
            ExprKind::Cond(c, a, b) => {
                self.expr(*c, out);
                if let Some(a) = a {
                    self.expr(*a, out);
                }
                self.expr(*b, out);
            }
            ExprKind::Call(f, args) => {
                let operands: Vec<ExprId> =
                    std::iter::once(*f).chain(args.iter().copied()).collect();
                self.unsequenced(&operands, out);
            }
            ExprKind::CompoundLit(_, init) => self.init(init, out),
            ExprKind::StmtExpr(s) => {
                let saved = std::mem::replace(&mut self.in_expr, true);
                self.stmt(*s, out);
                self.in_expr = saved;
            }
            _ => {}
        }
    }

    fn init(&mut self, init: &Init, out: &mut Accesses) {
        match init {
            Init::Expr(e) => self.expr(*e, out),
            Init::List(items) => {
                // Indeterminately sequenced (6.7.9p23): treated like operands.
                let mut all = Accesses::default();
                for item in items {
                    let mut acc = Accesses::default();
                    self.init(&item.init, &mut acc);
                    if !acc.writes.is_empty() || !all.writes.is_empty() {
                        self.conflict(&all, &acc);
                    }
                    all.absorb(acc);
                }
                out.absorb(all);
            }
        }
    }

    fn stmt(&mut self, s: StmtId, out: &mut Accesses) {
        // Statements are sequenced: what they access matters only to an expression around them,
        // when this is inside a statement expression.
        if self.in_expr
            && let Some(watches) = self.hooks.probes.get(&s)
        {
            // Part of the enclosing expression is evaluated: registers may be in use.
            for watch in watches {
                self.facts.conflicted[watch.var.index()] = true;
            }
        }
        match &self.program.stmt(s).kind {
            StmtKind::Expr(e) | StmtKind::Return(Some(e)) => self.expr(*e, out),
            StmtKind::Block(list) => {
                for &s in list {
                    self.stmt(s, out);
                }
            }
            StmtKind::If(c, a, b) => {
                self.expr(*c, out);
                self.stmt(*a, out);
                if let Some(b) = b {
                    self.stmt(*b, out);
                }
            }
            StmtKind::While(c, s) | StmtKind::DoWhile(s, c) | StmtKind::Switch(c, s) => {
                self.expr(*c, out);
                self.stmt(*s, out);
            }
            StmtKind::For { init, cond, step, body } => {
                if let Some(init) = init {
                    self.stmt(*init, out);
                }
                for e in [cond, step].into_iter().flatten() {
                    self.expr(*e, out);
                }
                self.stmt(*body, out);
            }
            StmtKind::Label(_, s) => {
                self.labels = true;
                self.stmt(*s, out);
            }
            StmtKind::Case(_, _, s) | StmtKind::Default(s) => self.stmt(*s, out),
            StmtKind::Decl(items) => {
                for item in items {
                    if let Item::Var(v) = item
                        && let Some(init) = &self.program.var(*v).init
                    {
                        let mut own = Accesses::default();
                        self.init(init, &mut own);
                        if own.reads.contains(v) || own.writes.contains(v) {
                            self.facts.own_init.insert(*v);
                        }
                        own.writes.push(*v);
                        out.absorb(own);
                    }
                }
            }
            _ => {}
        }
    }
}
