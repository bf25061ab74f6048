//! Which expressions are executed at most once, by a syntactic criterion: they are outside of loops, in
//! functions with one call that is itself executed at most once.
//!
//! A rule of Table 1 changes what an operation computes, so it is suited to operations that are executed
//! only once.

use super::children::{expr_children, stmt_children};
use cmachine::Node;
use ctree::{ExprId, ExprKind, FuncId, Program, StmtId, StmtKind, Sym};
use std::collections::BTreeMap;

/// The expressions of a program that are executed at most once.
pub struct Once {
    /// Function that each expression belongs to; [`REPEATED`] in a loop, [`NOWHERE`] outside.
    home: Vec<u32>,
    repeated: Vec<bool>,
}

const REPEATED: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX - 1;

struct CallGraphBuilder<'program> {
    program: &'program Program,
    home: Vec<u32>,
    /// Definitions by name: a call may go through another unit's declaration.
    defined: BTreeMap<Sym, FuncId>,
    /// Calls of each function: from which home.
    calls: Vec<Vec<u32>>,
}

impl Once {
    /// Analyses a program.
    pub fn of(program: &Program) -> Once {
        let defined = program.funcs.iter().enumerate().filter(|(_, f)| f.body.is_some());
        let mut walk = CallGraphBuilder {
            program,
            home: vec![NOWHERE; program.exprs.len()],
            defined: defined.map(|(i, f)| (f.name, FuncId(i as u32))).collect(),
            calls: vec![Vec::new(); program.funcs.len()],
        };
        for (index, func) in program.funcs.iter().enumerate() {
            if let Some(body) = func.body {
                // A jump may go backwards.
                let home = if has_goto(program, body) { REPEATED } else { index as u32 };
                walk.stmt(body, home);
            }
        }
        let mut repeated: Vec<bool> =
            walk.calls.iter().map(|from| from.len() > 1 || from.contains(&REPEATED)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (index, from) in walk.calls.iter().enumerate() {
                let by_repeated = |&f: &u32| repeated.get(f as usize).is_some_and(|&r| r);
                if !repeated[index] && from.iter().any(by_repeated) {
                    repeated[index] = true;
                    changed = true;
                }
            }
        }
        Once { home: walk.home, repeated }
    }

    /// Whether an expression is executed at most once. `false` for one that was added later.
    pub fn is_once(&self, e: ExprId) -> bool {
        match self.home.get(e.index()) {
            None | Some(&REPEATED) => false,
            // A static initialiser, which runs once.
            Some(&NOWHERE) => true,
            Some(&func) => !self.repeated[func as usize],
        }
    }
}

fn has_goto(program: &Program, stmt: StmtId) -> bool {
    let mut found = matches!(program.stmt(stmt).kind, StmtKind::Goto(_));
    stmt_children(program, stmt, &mut |node| {
        if let Node::Stmt(s) = node {
            found = found || has_goto(program, s);
        }
    });
    found
}

impl CallGraphBuilder<'_> {
    fn stmt(&mut self, stmt: StmtId, home: u32) {
        let program = self.program;
        let inner = match program.stmt(stmt).kind {
            StmtKind::While(..) | StmtKind::DoWhile(..) => REPEATED,
            StmtKind::For { init, cond, step, body } => {
                if let Some(init) = init {
                    self.stmt(init, home);
                }
                cond.iter().chain(&step).for_each(|e| self.expr(*e, REPEATED));
                self.stmt(body, REPEATED);
                return;
            }
            _ => home,
        };
        stmt_children(program, stmt, &mut |node| match node {
            Node::Expr(e) => self.expr(e, inner),
            Node::Stmt(s) => self.stmt(s, inner),
        });
    }

    fn expr(&mut self, e: ExprId, home: u32) {
        self.home[e.index()] = home;
        let kind = &self.program.expr(e).kind;
        match kind {
            // A function whose address is taken may be called from anywhere.
            ExprKind::Func(f) => self.called(*f, REPEATED),
            ExprKind::Call(callee, args) => {
                if let ExprKind::Implicit(of) = self.program.expr(*callee).kind
                    && let ExprKind::Func(f) = self.program.expr(of).kind
                {
                    self.called(f, home);
                    args.iter().for_each(|a| self.expr(*a, home));
                    return;
                }
            }
            _ => {}
        }
        expr_children(kind, &mut |node| match node {
            Node::Expr(e) => self.expr(e, home),
            Node::Stmt(s) => self.stmt(s, home),
        });
    }

    fn called(&mut self, func: FuncId, from: u32) {
        let func = self.defined.get(&self.program.func(func).name).copied().unwrap_or(func);
        self.calls[func.index()].push(from);
    }
}
