//! What an expression or a statement consists of.

use ctree::{ExprId, ExprKind, Init, Item, Program, StmtId, StmtKind};

/// A part of an expression or statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Part {
    Expr(ExprId),
    Stmt(StmtId),
}

fn init(init: &Init, visit: &mut impl FnMut(Part)) {
    match init {
        Init::Expr(e) => visit(Part::Expr(*e)),
        Init::List(items) => items.iter().for_each(|item| self::init(&item.init, visit)),
    }
}

/// The parts of an expression that are evaluated, in the order they are written.
pub fn expr_parts(kind: &ExprKind, visit: &mut impl FnMut(Part)) {
    let mut expr = |e: ExprId| visit(Part::Expr(e));
    match kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::LongFloat { .. }
        | ExprKind::Str(_)
        | ExprKind::Var(_)
        | ExprKind::Func(_)
        | ExprKind::EnumConst(..)
        | ExprKind::SizeofExpr(_)
        | ExprKind::SizeofType(_)
        | ExprKind::AlignofType(_) => {}
        ExprKind::Unary(_, a)
        | ExprKind::Cast(_, a)
        | ExprKind::Implicit(a)
        | ExprKind::Member(a, _)
        | ExprKind::Arrow(a, _)
        | ExprKind::VaArg(a, _) => expr(*a),
        ExprKind::Binary(_, a, b) | ExprKind::Assign(a, b) | ExprKind::Index(a, b) => {
            expr(*a);
            expr(*b);
        }
        ExprKind::AssignOp { lhs, rhs, .. } => {
            expr(*lhs);
            expr(*rhs);
        }
        ExprKind::Cond(c, a, b) => {
            expr(*c);
            a.iter().for_each(|a| expr(*a));
            expr(*b);
        }
        ExprKind::Call(f, args) => {
            expr(*f);
            args.iter().for_each(|a| expr(*a));
        }
        ExprKind::CompoundLit(_, list) => init(list, visit),
        ExprKind::StmtExpr(block) => visit(Part::Stmt(*block)),
    }
}

/// The parts of a statement.
pub fn stmt_parts(p: &Program, stmt: StmtId, visit: &mut impl FnMut(Part)) {
    match &p.stmt(stmt).kind {
        StmtKind::Empty | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {}
        StmtKind::Expr(e) => visit(Part::Expr(*e)),
        StmtKind::Block(stmts) => stmts.iter().for_each(|s| visit(Part::Stmt(*s))),
        StmtKind::If(c, a, b) => {
            visit(Part::Expr(*c));
            visit(Part::Stmt(*a));
            b.iter().for_each(|b| visit(Part::Stmt(*b)));
        }
        StmtKind::While(c, s) | StmtKind::DoWhile(s, c) | StmtKind::Switch(c, s) => {
            visit(Part::Expr(*c));
            visit(Part::Stmt(*s));
        }
        StmtKind::For { init, cond, step, body } => {
            init.iter().for_each(|s| visit(Part::Stmt(*s)));
            cond.iter().for_each(|e| visit(Part::Expr(*e)));
            step.iter().for_each(|e| visit(Part::Expr(*e)));
            visit(Part::Stmt(*body));
        }
        StmtKind::Case(_, _, s) | StmtKind::Default(s) | StmtKind::Label(_, s) => {
            visit(Part::Stmt(*s));
        }
        StmtKind::Return(e) => e.iter().for_each(|e| visit(Part::Expr(*e))),
        StmtKind::Decl(items) => {
            for item in items {
                if let Item::Var(v) = item
                    && let Some(list) = &p.var(*v).init
                {
                    init(list, visit);
                }
            }
        }
    }
}

/// Whether a part is in another, or is it.
pub fn holds(p: &Program, whole: Part, part: Part) -> bool {
    let mut found = whole == part;
    let mut visit = |inner| found = found || holds(p, inner, part);
    match whole {
        Part::Expr(e) => expr_parts(&p.expr(e).kind, &mut visit),
        Part::Stmt(s) => stmt_parts(p, s, &mut visit),
    }
    found
}
