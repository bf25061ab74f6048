//! Statements (6.8).

use super::Printer;
use super::expr::COMMA;
use crate::ids::{ExprId, StmtId};
use crate::stmt::StmtKind;

impl Printer<'_> {
    /// A statement on lines of its own.
    pub(super) fn stmt(&mut self, id: StmtId) {
        let kind = &self.program.stmt(id).kind;
        let labelled =
            matches!(kind, StmtKind::Label(..) | StmtKind::Case(..) | StmtKind::Default(_));
        if labelled && self.indent > 0 {
            // Labels hang out by one level.
            self.indent -= 1;
            self.line();
            self.indent += 1;
        } else {
            self.line();
        }
        self.open_stmt(id);
        self.push("\n");
    }

    /// A statement whose line has been begun and is ended by the caller.
    fn open_stmt(&mut self, id: StmtId) {
        let program = self.program;
        match &program.stmt(id).kind {
            StmtKind::Empty => self.push(";"),
            StmtKind::Expr(expr) => {
                self.expr(*expr, COMMA);
                self.push(";");
            }
            StmtKind::Block(_) => self.block(id),
            StmtKind::If(cond, then, other) => self.if_stmt(*cond, *then, *other),
            StmtKind::While(cond, body) => {
                self.push("while ");
                self.condition(*cond);
                self.body(*body);
            }
            StmtKind::DoWhile(body, cond) => {
                self.push("do");
                if self.body(*body) {
                    self.push(" while ");
                } else {
                    self.push("\n");
                    self.line();
                    self.push("while ");
                }
                self.condition(*cond);
                self.push(";");
            }
            StmtKind::For { init, cond, step, body } => self.for_stmt(*init, *cond, *step, *body),
            StmtKind::Switch(value, body) => {
                self.push("switch (");
                self.switch_value(*value);
                self.push(")");
                let bits = program.types.int_bits(program.expr(*value).ty);
                self.switches.push(bits.is_some_and(|(_, signed)| !signed));
                self.body(*body);
                self.switches.pop();
            }
            StmtKind::Case(low, high, inner) => {
                self.push("case ");
                self.case_value(*low);
                if low != high {
                    self.push(" ... ");
                    self.case_value(*high);
                }
                self.labelled(*inner);
            }
            StmtKind::Default(inner) => {
                self.push("default");
                self.labelled(*inner);
            }
            StmtKind::Break => self.push("break;"),
            StmtKind::Continue => self.push("continue;"),
            StmtKind::Goto(label) => {
                self.push("goto ");
                self.push_name(program.labels[label.index()].name);
                self.push(";");
            }
            StmtKind::Label(label, inner) => {
                self.push_name(program.labels[label.index()].name);
                self.labelled(*inner);
            }
            StmtKind::Return(None) => self.push("return;"),
            StmtKind::Return(Some(value)) => {
                self.check_copy(*value);
                self.push("return ");
                self.expr(*value, COMMA);
                self.push(";");
            }
            StmtKind::Decl(items) => self.block_decl(items),
        }
    }

    /// `{ … }` from the present column, without a final line break.
    pub(super) fn block(&mut self, id: StmtId) {
        let program = self.program;
        let StmtKind::Block(stmts) = &program.stmt(id).kind else {
            // A body that is not a block becomes one.
            self.push("{\n");
            self.indent += 1;
            self.stmt(id);
            self.close();
            return;
        };
        self.push("{\n");
        self.indent += 1;
        for &stmt in stmts {
            self.stmt(stmt);
        }
        self.close();
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line();
        self.push("}");
    }

    /// What follows a label or case.
    fn labelled(&mut self, inner: StmtId) {
        self.push(":");
        match self.program.stmt(inner).kind {
            StmtKind::Empty => self.push(" ;"),
            // C11 has no labels on declarations.
            StmtKind::Decl(_) => {
                self.push(" ;\n");
                self.line();
                self.open_stmt(inner);
            }
            _ => {
                self.push("\n");
                self.stmt(inner);
                // The caller ends the line.
                self.out.pop();
            }
        }
    }

    /// A sub-statement: a block on the same line (then true), anything else on the next.
    fn body(&mut self, id: StmtId) -> bool {
        match self.program.stmt(id).kind {
            StmtKind::Block(_) | StmtKind::Decl(_) => {
                self.push(" ");
                self.block(id);
                true
            }
            _ => {
                self.push("\n");
                self.indent += 1;
                self.stmt(id);
                self.indent -= 1;
                self.out.pop();
                false
            }
        }
    }

    fn if_stmt(&mut self, cond: ExprId, then: StmtId, other: Option<StmtId>) {
        self.push("if ");
        self.condition(cond);
        let Some(other) = other else {
            self.body(then);
            return;
        };
        let braced = if self.captures_else(then) {
            self.push(" {\n");
            self.indent += 1;
            self.stmt(then);
            self.close();
            true
        } else {
            self.body(then)
        };
        if braced {
            self.push(" else");
        } else {
            self.push("\n");
            self.line();
            self.push("else");
        }
        if matches!(self.program.stmt(other).kind, StmtKind::If(..)) {
            self.push(" ");
            self.open_stmt(other);
        } else {
            self.body(other);
        }
    }

    /// Whether an `else` after the statement would belong to an `if` inside it.
    fn captures_else(&self, id: StmtId) -> bool {
        match self.program.stmt(id).kind {
            StmtKind::If(_, _, None) => true,
            StmtKind::If(_, _, Some(inner))
            | StmtKind::While(_, inner)
            | StmtKind::For { body: inner, .. }
            | StmtKind::Switch(_, inner)
            | StmtKind::Case(_, _, inner)
            | StmtKind::Default(inner)
            | StmtKind::Label(_, inner) => self.captures_else(inner),
            _ => false,
        }
    }

    fn for_stmt(
        &mut self,
        init: Option<StmtId>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    ) {
        self.push("for (");
        match init {
            Some(init) => self.open_stmt(init),
            None => self.push(";"),
        }
        if let Some(cond) = cond {
            self.push(" ");
            self.expr(cond, COMMA);
        }
        self.push(";");
        if let Some(step) = step {
            self.push(" ");
            self.expr(step, COMMA);
        }
        self.push(")");
        self.body(body);
    }

    /// A case constant, converted to the controlling type already.
    fn case_value(&mut self, value: i64) {
        let unsigned = self.switches.last().copied().unwrap_or(false);
        match value {
            // Decimal without a suffix has the first of int and long that fits.
            _ if unsigned && value < 0 => self.push_fmt(format_args!("{}UL", value as u64)),
            i64::MIN => self.push("-9223372036854775807L - 1"),
            _ => self.push_fmt(format_args!("{value}")),
        }
    }
}
