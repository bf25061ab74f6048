//! The direct children of an expression or a statement that are evaluated.

use cmachine::Node;
use ctree::{ExprId, ExprKind, Init, Item, Program, StmtId, StmtKind};

fn init(init: &Init, visit: &mut impl FnMut(Node)) {
    match init {
        Init::Expr(e) => visit(Node::Expr(*e)),
        Init::List(items) => items.iter().for_each(|item| self::init(&item.init, visit)),
    }
}

/// The children of an expression that are evaluated, in source order.
pub fn expr_children(kind: &ExprKind, visit: &mut impl FnMut(Node)) {
    let mut expr = |e: ExprId| visit(Node::Expr(e));
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
        ExprKind::StmtExpr(block) => visit(Node::Stmt(*block)),
    }
}

/// The children of a statement.
pub fn stmt_children(program: &Program, stmt: StmtId, visit: &mut impl FnMut(Node)) {
    match &program.stmt(stmt).kind {
        StmtKind::Empty | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {}
        StmtKind::Expr(e) => visit(Node::Expr(*e)),
        StmtKind::Block(stmts) => stmts.iter().for_each(|s| visit(Node::Stmt(*s))),
        StmtKind::If(c, a, b) => {
            visit(Node::Expr(*c));
            visit(Node::Stmt(*a));
            b.iter().for_each(|b| visit(Node::Stmt(*b)));
        }
        StmtKind::While(c, s) | StmtKind::DoWhile(s, c) | StmtKind::Switch(c, s) => {
            visit(Node::Expr(*c));
            visit(Node::Stmt(*s));
        }
        StmtKind::For { init, cond, step, body } => {
            init.iter().for_each(|s| visit(Node::Stmt(*s)));
            cond.iter().for_each(|e| visit(Node::Expr(*e)));
            step.iter().for_each(|e| visit(Node::Expr(*e)));
            visit(Node::Stmt(*body));
        }
        StmtKind::Case(_, _, s) | StmtKind::Default(s) | StmtKind::Label(_, s) => {
            visit(Node::Stmt(*s));
        }
        StmtKind::Return(e) => e.iter().for_each(|e| visit(Node::Expr(*e))),
        StmtKind::Decl(items) => {
            for item in items {
                if let Item::Var(v) = item
                    && let Some(list) = &program.var(*v).init
                {
                    init(list, visit);
                }
            }
        }
    }
}

/// Whether `tree` is `node` or has it as a descendant.
pub fn contains(program: &Program, tree: Node, node: Node) -> bool {
    let mut found = tree == node;
    let mut visit = |inner| found = found || contains(program, inner, node);
    match tree {
        Node::Expr(e) => expr_children(&program.expr(e).kind, &mut visit),
        Node::Stmt(s) => stmt_children(program, s, &mut visit),
    }
    found
}
