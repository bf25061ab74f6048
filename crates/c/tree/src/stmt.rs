//! Statements.

use crate::ids::{ExprId, LabelId, StmtId};
use crate::program::Item;
use crate::source::Span;

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of statement.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `e;`
    Expr(ExprId),
    /// `{ … }`
    Block(Vec<StmtId>),
    /// `if (c) a else b`
    If(ExprId, StmtId, Option<StmtId>),
    /// `while (c) s`
    While(ExprId, StmtId),
    /// `do s while (c);`
    DoWhile(StmtId, ExprId),
    /// `for (init; cond; step) body`; `init` is an expression or declaration statement.
    For {
        /// First clause.
        init: Option<StmtId>,
        /// Second clause.
        cond: Option<ExprId>,
        /// Third clause.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `switch (e) s`
    Switch(ExprId, StmtId),
    /// `case lo ... hi: s` (`lo == hi` for the standard form), values converted to the promoted
    /// type of the controlling expression and kept as that type's bits, sign- or zero-extended.
    Case(i64, i64, StmtId),
    /// `default: s`
    Default(StmtId),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `goto l;`
    Goto(LabelId),
    /// `l: s`
    Label(LabelId, StmtId),
    /// `return e;`
    Return(Option<ExprId>),
    /// A declaration: several items only where one declaration made them all (`int i, j;`).
    Decl(Vec<Item>),
}
