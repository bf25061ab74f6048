//! Which expressions are executed at most once, judged by the text: outside of loops, in functions
//! that are called from one place of that sort.
//!
//! A rule of Table 1 changes what an operation computes, so it fits exactly where there is only one
//! execution to please.

use super::walk::{Part, expr_parts, stmt_parts};
use ctree::{ExprId, ExprKind, FuncId, Program, StmtId, StmtKind, Sym};
use std::collections::BTreeMap;

/// The answer for a program as it was when it was asked.
pub struct Once {
    /// Function that each expression belongs to; [`REPEATED`] in a loop, [`NOWHERE`] outside.
    home: Vec<u32>,
    repeated: Vec<bool>,
}

const REPEATED: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX - 1;

struct Walk<'p> {
    p: &'p Program,
    home: Vec<u32>,
    /// Definitions by name: a call may go through another unit's declaration.
    defined: BTreeMap<Sym, FuncId>,
    /// Calls of each function: from which home.
    calls: Vec<Vec<u32>>,
}

impl Once {
    /// Looks at a program.
    pub fn of(p: &Program) -> Once {
        let defined = p.funcs.iter().enumerate().filter(|(_, f)| f.body.is_some());
        let mut walk = Walk {
            p,
            home: vec![NOWHERE; p.exprs.len()],
            defined: defined.map(|(i, f)| (f.name, FuncId(i as u32))).collect(),
            calls: vec![Vec::new(); p.funcs.len()],
        };
        for (index, func) in p.funcs.iter().enumerate() {
            if let Some(body) = func.body {
                // A jump may go back anywhere.
                let home = if has_goto(p, body) { REPEATED } else { index as u32 };
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

    /// Whether an expression is executed at most once. One that was made later is not judged.
    pub fn is_once(&self, e: ExprId) -> bool {
        match self.home.get(e.index()) {
            None | Some(&REPEATED) => false,
            // A static initialiser, which runs once.
            Some(&NOWHERE) => true,
            Some(&func) => !self.repeated[func as usize],
        }
    }
}

fn has_goto(p: &Program, stmt: StmtId) -> bool {
    let mut found = matches!(p.stmt(stmt).kind, StmtKind::Goto(_));
    stmt_parts(p, stmt, &mut |part| {
        if let Part::Stmt(s) = part {
            found = found || has_goto(p, s);
        }
    });
    found
}

impl Walk<'_> {
    fn stmt(&mut self, stmt: StmtId, home: u32) {
        let p = self.p;
        let inner = match p.stmt(stmt).kind {
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
        stmt_parts(p, stmt, &mut |part| match part {
            Part::Expr(e) => self.expr(e, inner),
            Part::Stmt(s) => self.stmt(s, inner),
        });
    }

    fn expr(&mut self, e: ExprId, home: u32) {
        self.home[e.index()] = home;
        let kind = &self.p.expr(e).kind;
        match kind {
            // What is pointed to may be called from anywhere.
            ExprKind::Func(f) => self.called(*f, REPEATED),
            ExprKind::Call(callee, args) => {
                if let ExprKind::Implicit(of) = self.p.expr(*callee).kind
                    && let ExprKind::Func(f) = self.p.expr(of).kind
                {
                    self.called(f, home);
                    args.iter().for_each(|a| self.expr(*a, home));
                    return;
                }
            }
            _ => {}
        }
        expr_parts(kind, &mut |part| match part {
            Part::Expr(e) => self.expr(e, home),
            Part::Stmt(s) => self.stmt(s, home),
        });
    }

    fn called(&mut self, func: FuncId, from: u32) {
        let func = self.defined.get(&self.p.func(func).name).copied().unwrap_or(func);
        self.calls[func.index()].push(from);
    }
}
