//! Expressions (6.5).

use super::Printer;
use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::ExprId;
use crate::types::Ty;

/// Levels of the grammar, loosest first.
pub(super) const COMMA: u8 = 0;
pub(super) const ASSIGN: u8 = 1;
const COND: u8 = 2;
const LOGOR: u8 = 3;
const UNARY: u8 = 13;
pub(super) const POSTFIX: u8 = 14;
const PRIMARY: u8 = 15;

impl Printer<'_> {
    /// An expression where the grammar wants one of at least the given level.
    pub(super) fn expr(&mut self, id: ExprId, min: u8) {
        let id = self.peel(id);
        let paren = level(&self.program.expr(id).kind) < min;
        self.maybe_paren(id, paren);
    }

    fn maybe_paren(&mut self, id: ExprId, paren: bool) {
        if paren {
            self.push("(");
            self.bare(id);
            self.push(")");
        } else {
            self.bare(id);
        }
    }

    /// The expression under implicit conversions, which are not printed where the language makes
    /// them by itself.
    fn peel(&self, id: ExprId) -> ExprId {
        match self.cxx {
            None => self.innermost(id),
            Some(_) => self.shown(id),
        }
    }

    /// `(T)e`
    pub(super) fn cast(&mut self, ty: Ty, operand: ExprId) {
        self.push("(");
        self.type_name(ty);
        self.push(")");
        let operand = self.peel(operand);
        let kind = &self.program.expr(operand).kind;
        let literal = matches!(kind, ExprKind::CompoundLit(..));
        self.maybe_paren(operand, literal || level(kind) < UNARY);
    }

    /// A controlling expression; an assignment gets its own parentheses, as compilers warn otherwise.
    pub(super) fn condition(&mut self, id: ExprId) {
        let id = self.peel(id);
        let assigns =
            matches!(self.program.expr(id).kind, ExprKind::Assign(..) | ExprKind::AssignOp { .. });
        self.push("(");
        self.maybe_paren(id, assigns);
        self.push(")");
    }

    fn bare(&mut self, id: ExprId) {
        let program = self.program;
        let expr = program.expr(id);
        if self.cxx.is_some() {
            self.check(id);
        }
        match &expr.kind {
            ExprKind::Int(value) => self.int_lit(*value, expr.ty),
            ExprKind::Float(bits) => self.float_lit(*bits, expr.ty),
            ExprKind::LongFloat { mantissa, exponent } => self.long_float_lit(*mantissa, *exponent),
            ExprKind::Str(lit) => self.str_lit(*lit, expr.ty),
            ExprKind::Var(var) => self.var_name(*var),
            ExprKind::Func(func) => self.push_name(program.func(*func).name),
            ExprKind::EnumConst(of, index) => self.enumerator(*of, *index),
            ExprKind::Unary(op, operand) => self.unary(*op, *operand),
            ExprKind::Binary(op, lhs, rhs) => self.binary(*op, *lhs, *rhs),
            ExprKind::Assign(lhs, rhs) => self.assignment("", *lhs, *rhs),
            ExprKind::AssignOp { op, lhs, rhs, .. } => {
                self.assignment(op.symbol(), *lhs, *rhs);
            }
            ExprKind::Cond(cond, then, other) => self.conditional(*cond, *then, *other, expr.ty),
            ExprKind::Cast(ty, operand) => self.cast(*ty, *operand),
            ExprKind::Implicit(_) => self.conversion(id),
            ExprKind::Call(callee, args) => {
                self.expr(*callee, POSTFIX);
                self.call_args(args);
            }
            ExprKind::Index(base, index) => self.index(id, *base, *index),
            ExprKind::Member(of, field) => self.member(*of, *field),
            ExprKind::Arrow(of, field) => self.arrow(*of, *field),
            ExprKind::SizeofExpr(operand) => {
                self.push("sizeof(");
                if self.sizeof_as_type(*operand) {
                    self.type_name(program.expr(*operand).ty);
                } else {
                    self.expr(*operand, COMMA);
                }
                self.push(")");
            }
            ExprKind::SizeofType(ty) => {
                self.push("sizeof(");
                self.type_name(*ty);
                self.push(")");
            }
            ExprKind::AlignofType(ty) => {
                self.push(if self.cxx.is_some() { "alignof(" } else { "_Alignof(" });
                self.type_name(*ty);
                self.push(")");
            }
            ExprKind::CompoundLit(ty, init) if self.cxx.is_some() => self.temporary(*ty, init),
            ExprKind::CompoundLit(ty, init) => {
                self.push("(");
                self.type_name(*ty);
                self.push(")");
                self.braced(*ty, init);
            }
            ExprKind::StmtExpr(block) => {
                self.push("(");
                self.block(*block);
                self.push(")");
            }
            ExprKind::VaArg(list, ty) => {
                self.push("__builtin_va_arg(");
                self.expr(*list, ASSIGN);
                self.push(", ");
                self.type_name(*ty);
                self.push(")");
            }
        }
    }

    fn index(&mut self, id: ExprId, base: ExprId, index: ExprId) {
        let container = self.decayed(base);
        self.expr(container.unwrap_or(base), POSTFIX);
        let at = container.is_some_and(|array| self.has_at(id, array));
        self.push(if at { ".at(" } else { "[" });
        self.expr(index, if at { ASSIGN } else { COMMA });
        self.push(if at { ")" } else { "]" });
    }

    fn call_args(&mut self, args: &[ExprId]) {
        self.push("(");
        for (i, &arg) in args.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.expr(arg, ASSIGN);
        }
        self.push(")");
    }

    fn unary(&mut self, op: UnOp, operand: ExprId) {
        let text = op.symbol();
        if op == UnOp::Deref
            && let Some(container) = self.decayed(operand)
        {
            self.expr(container, POSTFIX);
            return self.push("[0]");
        }
        if matches!(op, UnOp::PostInc | UnOp::PostDec) {
            self.expr(operand, POSTFIX);
            self.push(text);
            return;
        }
        self.push(text);
        let operand = self.peel(operand);
        let kind = &self.program.expr(operand).kind;
        // `-` before `-x` must not read as `--x`; nor `&` before `&x`, as GNU's label address.
        let joins =
            first_char(kind).is_some_and(|c| text.ends_with(c) && matches!(c, '+' | '-' | '&'));
        self.maybe_paren(operand, joins || level(kind) < UNARY);
    }

    fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) {
        self.operand(op, lhs, false);
        if op != BinOp::Comma {
            self.push(" ");
        }
        self.push(op.symbol());
        self.push(" ");
        match self.compared_as(op, lhs, rhs) {
            Some(ty) => self.cast(ty, rhs),
            None => self.operand(op, rhs, true),
        }
    }

    fn operand(&mut self, op: BinOp, id: ExprId, right: bool) {
        let id = self.peel(id);
        let kind = &self.program.expr(id).kind;
        let own = level_of(op);
        let paren = match kind {
            ExprKind::Binary(inner, ..) => !is_clear(op, *inner, right),
            // `a - -b` is correct but hard to read; `!a & b` looks like `!(a & b)`.
            ExprKind::Unary(UnOp::LogNot, _) => !right && own > LOGOR + 1 && op != BinOp::Comma,
            ExprKind::Unary(..) => right && first_char(kind) == op.symbol().chars().next(),
            _ => level(kind) < own + u8::from(right),
        };
        self.maybe_paren(id, paren);
    }

    fn assignment(&mut self, op: &str, lhs: ExprId, rhs: ExprId) {
        self.expr(lhs, UNARY);
        self.push(" ");
        self.push(op);
        self.push("= ");
        self.expr(rhs, ASSIGN);
    }

    fn conditional(&mut self, cond: ExprId, then: Option<ExprId>, other: ExprId, ty: Ty) {
        let cond = self.peel(cond);
        let kind = &self.program.expr(cond).kind;
        let obscure = match kind {
            ExprKind::Binary(op, ..) => !is_comparison(*op) && !is_logical(*op),
            _ => false,
        };
        self.maybe_paren(cond, obscure || level(kind) <= COND);
        match then {
            Some(then) => {
                self.push(" ? ");
                self.alternative(then, ty, LOGOR);
                self.push(" : ");
            }
            None => self.push(" ?: "),
        }
        self.alternative(other, ty, COND);
    }

    /// `r.f`. A member without a name is passed through: its own members belong to the record.
    fn member(&mut self, of: ExprId, field: u32) {
        let program = self.program;
        let name = |record: ExprId| {
            let id = program.types.as_record(program.expr(record).ty)?;
            program.types.records[id.index()].fields[field as usize].name
        };
        let Some(name) = name(of) else {
            return self.expr(of, POSTFIX);
        };
        let mut base = self.peel(of);
        loop {
            match program.expr(base).kind {
                ExprKind::Member(of, field) if self.is_anonymous(program.expr(of).ty, field) => {
                    base = self.peel(of);
                }
                ExprKind::Arrow(pointer, field) if self.is_anonymous_behind(pointer, field) => {
                    self.expr(pointer, POSTFIX);
                    self.push("->");
                    break;
                }
                _ => {
                    self.expr(base, POSTFIX);
                    self.push(".");
                    break;
                }
            }
        }
        self.push_name(name);
    }

    fn arrow(&mut self, pointer: ExprId, field: u32) {
        let types = &self.program.types;
        self.expr(pointer, POSTFIX);
        let record =
            types.pointee(self.program.expr(pointer).ty).and_then(|to| types.as_record(to));
        if let Some(name) =
            record.and_then(|id| types.records[id.index()].fields[field as usize].name)
        {
            self.push("->");
            self.push_name(name);
        }
    }

    fn is_anonymous(&self, record: Ty, field: u32) -> bool {
        let types = &self.program.types;
        types
            .as_record(record)
            .is_some_and(|id| types.records[id.index()].fields[field as usize].name.is_none())
    }

    fn is_anonymous_behind(&self, pointer: ExprId, field: u32) -> bool {
        let to = self.program.types.pointee(self.program.expr(pointer).ty);
        to.is_some_and(|to| self.is_anonymous(to, field))
    }
}

/// The level of the grammar that an expression is at.
fn level(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Binary(op, ..) => level_of(*op),
        ExprKind::Assign(..) | ExprKind::AssignOp { .. } => ASSIGN,
        ExprKind::Cond(..) => COND,
        ExprKind::Unary(UnOp::PostInc | UnOp::PostDec, _) => POSTFIX,
        ExprKind::Unary(..)
        | ExprKind::Cast(..)
        | ExprKind::Implicit(_)
        | ExprKind::SizeofExpr(_)
        | ExprKind::SizeofType(_)
        | ExprKind::AlignofType(_) => UNARY,
        ExprKind::Call(..)
        | ExprKind::Index(..)
        | ExprKind::Member(..)
        | ExprKind::Arrow(..)
        | ExprKind::CompoundLit(..) => POSTFIX,
        _ => PRIMARY,
    }
}

fn level_of(op: BinOp) -> u8 {
    use BinOp::*;
    match op {
        Comma => COMMA,
        LogOr => LOGOR,
        LogAnd => 4,
        BitOr => 5,
        BitXor => 6,
        BitAnd => 7,
        Eq | Ne => 8,
        Lt | Gt | Le | Ge => 9,
        Shl | Shr => 10,
        Add | Sub => 11,
        Mul | Div | Rem => 12,
    }
}

fn is_comparison(op: BinOp) -> bool {
    matches!(level_of(op), 8 | 9)
}

fn is_logical(op: BinOp) -> bool {
    matches!(op, BinOp::LogAnd | BinOp::LogOr)
}

/// Whether `inner` needs no parentheses as an operand of `outer`: it must parse back the same, and a
/// reader should not need a table of precedence.
fn is_clear(outer: BinOp, inner: BinOp, right: bool) -> bool {
    use BinOp::*;
    let (out, inn) = (level_of(outer), level_of(inner));
    if inn < out || (inn == out && right) {
        return false;
    }
    match outer {
        Comma => true,
        LogAnd | LogOr => inner == outer || is_comparison(inner) || inn >= level_of(Add),
        BitOr | BitXor | BitAnd => inner == outer,
        Shl | Shr => false,
        _ if is_comparison(outer) => inn >= level_of(Add),
        _ => true,
    }
}

/// What the text of a prefix operator begins with.
fn first_char(kind: &ExprKind) -> Option<char> {
    match kind {
        ExprKind::Unary(UnOp::PostInc | UnOp::PostDec, _) => None,
        ExprKind::Unary(op, _) => op.symbol().chars().next(),
        _ => None,
    }
}
