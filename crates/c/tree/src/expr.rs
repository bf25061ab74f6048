//! Expressions and initialisers.

use crate::ids::{EnumId, ExprId, FuncId, StmtId, StrId, VarId};
use crate::source::Span;
use crate::types::Ty;

/// An expression with its (canonical) type.
///
/// Whether a node is an lvalue follows from its kind: [`ExprKind::Var`], [`ExprKind::Str`],
/// [`ExprKind::Index`], [`ExprKind::Arrow`], [`ExprKind::CompoundLit`], `Unary(Deref)`, and
/// [`ExprKind::Member`] of an lvalue. An lvalue's type keeps its qualifiers; an rvalue's type is
/// unqualified. There is no node for reading an lvalue (lvalue conversion): an lvalue used as a value
/// is read.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its type, canonical.
    pub ty: Ty,
    /// Where it stands.
    pub span: Span,
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnOp {
    Plus,
    Neg,
    BitNot,
    LogNot,
    Deref,
    AddrOf,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
}

impl UnOp {
    /// The operator as C writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            UnOp::Plus => "+",
            UnOp::Neg => "-",
            UnOp::BitNot => "~",
            UnOp::LogNot => "!",
            UnOp::Deref => "*",
            UnOp::AddrOf => "&",
            UnOp::PreInc | UnOp::PostInc => "++",
            UnOp::PreDec | UnOp::PostDec => "--",
        }
    }
}

/// Binary operators; the arithmetic ones also serve compound assignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    LogAnd,
    LogOr,
    Comma,
}

impl BinOp {
    /// The operator as C writes it.
    pub fn symbol(self) -> &'static str {
        use BinOp::*;
        match self {
            Mul => "*",
            Div => "/",
            Rem => "%",
            Add => "+",
            Sub => "-",
            Shl => "<<",
            Shr => ">>",
            Lt => "<",
            Gt => ">",
            Le => "<=",
            Ge => ">=",
            Eq => "==",
            Ne => "!=",
            BitAnd => "&",
            BitXor => "^",
            BitOr => "|",
            LogAnd => "&&",
            LogOr => "||",
            Comma => ",",
        }
    }
}

/// The kinds of expression.
///
/// Operands have already been converted: an arithmetic binary operator's operands have the type of
/// its common type (shifts: each promoted on its own; pointer arithmetic: the pointer and an
/// integer), arrays and functions decay through [`ExprKind::Implicit`].
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// An integer constant, non-negative, of type `int` or wider; the bits of its value.
    Int(u64),
    /// A `float` or `double` constant; the bits of its value as `f64`.
    Float(u64),
    /// A `long double` constant: 64-bit significand, 15-bit exponent and sign, as x87 stores them.
    LongFloat {
        /// Significand, explicit leading bit included.
        mantissa: u64,
        /// Sign (bit 15) and biased exponent.
        exponent: u16,
    },
    /// A string literal; an array lvalue.
    Str(StrId),
    /// A variable.
    Var(VarId),
    /// A function designator.
    Func(FuncId),
    /// An enumeration constant: the enum and the position in its members.
    EnumConst(EnumId, u32),
    /// A unary operator.
    Unary(UnOp, ExprId),
    /// A binary operator.
    Binary(BinOp, ExprId, ExprId),
    /// Simple assignment; the right side has been converted to the left's type.
    Assign(ExprId, ExprId),
    /// Compound assignment `lhs op= rhs`: the left is converted to `comp`, combined with the right
    /// (already of type `comp`; a promoted integer for shifts and pointers), and converted back.
    AssignOp {
        /// The arithmetic operator.
        op: BinOp,
        /// Target lvalue.
        lhs: ExprId,
        /// Converted right operand.
        rhs: ExprId,
        /// The type the operation is done in.
        comp: Ty,
    },
    /// `c ? a : b`; without the middle operand, GNU's `c ?: b`, whose middle is the value of `c`
    /// converted to the type of the whole.
    Cond(ExprId, Option<ExprId>, ExprId),
    /// An explicit cast to the type as written.
    Cast(Ty, ExprId),
    /// An implicit conversion to the node's type: arithmetic, pointer, array or function decay.
    Implicit(ExprId),
    /// A call; the callee is a function pointer (usually an `Implicit` decay of `Func`).
    Call(ExprId, Box<[ExprId]>),
    /// `p[i]`: a pointer (usually a decayed array) and an integer. `i[p]` is normalised to it.
    Index(ExprId, ExprId),
    /// `r.f`: field index in the record. A member reached through anonymous members is a chain.
    Member(ExprId, u32),
    /// `p->f`.
    Arrow(ExprId, u32),
    /// `sizeof e`: not evaluated.
    SizeofExpr(ExprId),
    /// `sizeof(T)`.
    SizeofType(Ty),
    /// `_Alignof(T)`.
    AlignofType(Ty),
    /// `(T){…}`: an lvalue for a new unnamed object.
    CompoundLit(Ty, Box<Init>),
    /// `({ … })`: the block; its value is that of the last expression statement.
    StmtExpr(StmtId),
    /// `__builtin_va_arg(ap, T)`.
    VaArg(ExprId, Ty),
}

impl ExprKind {
    /// What the expression is, for messages: "conditional expression", "unary `-`".
    pub fn description(&self) -> String {
        use ExprKind::*;
        let text = match self {
            Unary(op, _) => return format!("unary `{}`", op.symbol()),
            Binary(op, ..) => return format!("binary `{}`", op.symbol()),
            AssignOp { op, .. } => return format!("compound assignment `{}=`", op.symbol()),
            Int(_) => "integer constant",
            Float(_) | LongFloat { .. } => "floating constant",
            Str(_) => "string literal",
            Var(_) => "variable",
            Func(_) => "function designator",
            EnumConst(..) => "enumeration constant",
            Assign(..) => "assignment",
            Cond(_, Some(_), _) => "conditional expression",
            Cond(_, None, _) => "`?:` without its middle operand",
            Cast(..) => "cast",
            Implicit(_) => "implicit conversion",
            Call(..) => "function call",
            Index(..) => "array subscript",
            Member(..) | Arrow(..) => "member access",
            SizeofExpr(_) | SizeofType(_) => "`sizeof`",
            AlignofType(_) => "`_Alignof`",
            CompoundLit(..) => "compound literal",
            StmtExpr(_) => "statement expression",
            VaArg(..) => "`va_arg`",
        };
        text.into()
    }
}

/// An initialiser, normalised: every aggregate has its own braces.
#[derive(Clone, PartialEq, Debug)]
pub enum Init {
    /// A value, converted to the type of what it initialises; or a string literal for an array.
    Expr(ExprId),
    /// `{ … }` for an aggregate or union, positions ascending and unique. The rest is zero.
    List(Vec<InitItem>),
}

/// One element of a braced initialiser.
#[derive(Clone, PartialEq, Debug)]
pub struct InitItem {
    /// Field index, or first array index.
    pub first: u64,
    /// Last array index, for GNU's `[a ... b]`; else equal to `first`.
    pub last: u64,
    /// The initialiser of that element.
    pub init: Init,
}
