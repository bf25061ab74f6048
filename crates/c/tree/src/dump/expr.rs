//! Dump of expressions and initialisers.

use super::Dumper;
use crate::expr::{ExprKind, Init};
use crate::ids::ExprId;

impl Dumper<'_> {
    /// `(kind:type operands…)`
    pub(super) fn expr(&mut self, id: ExprId) {
        let program = self.program;
        let expr = program.expr(id);
        self.push("(");
        self.push(word(&expr.kind));
        if let ExprKind::Unary(op, _) = expr.kind {
            self.push_fmt(format_args!("{op:?}"));
        }
        if let ExprKind::Binary(op, ..) | ExprKind::AssignOp { op, .. } = expr.kind {
            self.push_fmt(format_args!("{op:?}"));
        }
        self.push(":");
        self.ty(expr.ty);
        self.operands(&expr.kind);
        self.push(")");
    }

    fn operands(&mut self, kind: &ExprKind) {
        let program = self.program;
        match kind {
            ExprKind::Int(value) => self.push_fmt(format_args!(" {value}")),
            ExprKind::Float(bits) => self.push_fmt(format_args!(" {:?}", f64::from_bits(*bits))),
            ExprKind::LongFloat { mantissa, exponent } => {
                self.push_fmt(format_args!(" {mantissa:#x} {exponent:#x}"));
            }
            ExprKind::Str(id) => {
                let lit = &program.strings[id.index()];
                self.push_fmt(format_args!(" {:?} \"{}\"", lit.width, lit.bytes.escape_ascii()));
            }
            ExprKind::Var(id) => {
                self.push(" ");
                self.var(*id);
            }
            ExprKind::Func(id) => {
                self.push(" ");
                self.func(*id);
            }
            ExprKind::EnumConst(id, index) => {
                let (ordinal, _) = self.enums.get(id.index());
                let member = &program.types.enums[id.index()].members[*index as usize];
                self.push(" ");
                self.push_name(Some(member.name), ordinal);
            }
            ExprKind::Unary(_, a) | ExprKind::Implicit(a) | ExprKind::SizeofExpr(a) => {
                self.exprs(&[*a]);
            }
            ExprKind::Binary(_, a, b) | ExprKind::Assign(a, b) | ExprKind::Index(a, b) => {
                self.exprs(&[*a, *b]);
            }
            ExprKind::AssignOp { lhs, rhs, comp, .. } => {
                self.push(" in ");
                self.ty(*comp);
                self.exprs(&[*lhs, *rhs]);
            }
            ExprKind::Cond(cond, Some(then), other) => self.exprs(&[*cond, *then, *other]),
            ExprKind::Cond(cond, None, other) => {
                self.exprs(&[*cond]);
                self.push(" -");
                self.exprs(&[*other]);
            }
            ExprKind::Cast(ty, a) | ExprKind::VaArg(a, ty) => {
                self.push(" to ");
                self.ty(*ty);
                self.exprs(&[*a]);
            }
            ExprKind::Call(callee, args) => {
                self.exprs(&[*callee]);
                self.exprs(args);
            }
            ExprKind::Member(of, field) | ExprKind::Arrow(of, field) => {
                self.push_fmt(format_args!(" {field}"));
                self.exprs(&[*of]);
            }
            ExprKind::SizeofType(ty) | ExprKind::AlignofType(ty) => {
                self.push(" ");
                self.ty(*ty);
            }
            ExprKind::CompoundLit(ty, init) => {
                self.push(" ");
                self.ty(*ty);
                self.push(" ");
                self.init(init);
            }
            ExprKind::StmtExpr(block) => {
                self.indent += 1;
                self.line();
                self.stmt(*block);
                self.indent -= 1;
            }
        }
    }

    fn exprs(&mut self, ids: &[ExprId]) {
        for &id in ids {
            self.push(" ");
            self.expr(id);
        }
    }

    /// An initialiser.
    pub(super) fn init(&mut self, init: &Init) {
        match init {
            Init::Expr(value) => self.expr(*value),
            Init::List(items) => {
                self.push("{");
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.push(" ");
                    }
                    if item.first == item.last {
                        self.push_fmt(format_args!("{}: ", item.first));
                    } else {
                        self.push_fmt(format_args!("{}..{}: ", item.first, item.last));
                    }
                    self.init(&item.init);
                }
                self.push("}");
            }
        }
    }
}

fn word(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Int(_) => "int",
        ExprKind::Float(_) => "float",
        ExprKind::LongFloat { .. } => "long-float",
        ExprKind::Str(_) => "str",
        ExprKind::Var(_) => "var",
        ExprKind::Func(_) => "func",
        ExprKind::EnumConst(..) => "enum-const",
        ExprKind::Unary(..) | ExprKind::Binary(..) => "",
        ExprKind::Assign(..) => "assign",
        ExprKind::AssignOp { .. } => "assign-",
        ExprKind::Cond(..) => "cond",
        ExprKind::Cast(..) => "cast",
        ExprKind::Implicit(_) => "implicit",
        ExprKind::Call(..) => "call",
        ExprKind::Index(..) => "index",
        ExprKind::Member(..) => "member",
        ExprKind::Arrow(..) => "arrow",
        ExprKind::SizeofExpr(_) => "sizeof-expr",
        ExprKind::SizeofType(_) => "sizeof-type",
        ExprKind::AlignofType(_) => "alignof-type",
        ExprKind::CompoundLit(..) => "compound-lit",
        ExprKind::StmtExpr(_) => "stmt-expr",
        ExprKind::VaArg(..) => "va-arg",
    }
}
