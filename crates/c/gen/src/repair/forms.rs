//! The second rung: forms of an operation that are defined whatever the operands.
//!
//! Arithmetic is done in the unsigned type, counts are masked, divisors are made different from 0 and -1
//! in one of several ways. The tests prove the same for them as for the table, and which of them
//! preserve the defined results of the operation: these do not change the other iterations of a loop
//! that has one undefined case.

use super::rewrite::Operator;
use super::term::{Constant, Term, TermType, binary, cast, small, unary};
use ctree::{BinOp, UnOp};

/// The mask of a shift count, `b & (width - 1)`; the width is a power of two.
fn masked() -> Term {
    binary(BinOp::BitAnd, Term::B, Term::Const(Constant::CountMask, TermType::Right))
}

/// A form of an operation that is defined whatever the operands.
#[derive(Clone, Debug)]
pub struct Form {
    /// Name, for statistics and tests.
    pub name: &'static str,
    /// The replacement of `a op b`.
    pub term: Term,
    /// The form has the same result wherever the operation is defined.
    pub exact: bool,
}

/// The always-defined forms of an operation on a left operand of this signedness.
pub fn forms(op: Operator, signed: bool) -> Vec<Form> {
    use TermType::{Left, LeftUnsigned, LeftWide, Right};
    let form = |name, term, exact| Form { name, term, exact };
    let on_unsigned = |op, a, b| cast(Left, binary(op, cast(LeftUnsigned, a), b));
    let elvis = |a, b| Term::Elvis(Box::new(a), Box::new(b));
    let Operator::Binary(op) = op else {
        let negated = unary(UnOp::Neg, cast(LeftUnsigned, Term::A));
        return vec![
            form("wrap", cast(Left, negated), true),
            form(
                "wrap-sub",
                cast(Left, binary(BinOp::Sub, small(0, LeftUnsigned), cast(LeftUnsigned, Term::A))),
                true,
            ),
        ];
    };
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => {
            vec![form("wrap", on_unsigned(op, Term::A, cast(LeftUnsigned, Term::B)), true)]
        }
        BinOp::Shl if signed => vec![form("wrap-mask", on_unsigned(op, Term::A, masked()), true)],
        BinOp::Shl | BinOp::Shr => vec![form("mask", binary(op, Term::A, masked()), true)],
        BinOp::Div | BinOp::Rem if signed => {
            let positive = binary(BinOp::BitAnd, Term::B, Term::Const(Constant::Max, Right));
            let odd = binary(BinOp::BitOr, positive, small(1, Right));
            let unsigned_odd =
                binary(BinOp::BitOr, cast(LeftUnsigned, Term::B), small(1, LeftUnsigned));
            // (U)b + 1 > 1 leaves out 0 and -1 in one comparison.
            let plus_one = binary(BinOp::Add, cast(LeftUnsigned, Term::B), small(1, LeftUnsigned));
            let good = binary(BinOp::Gt, plus_one, small(1, LeftUnsigned));
            let guard = Term::Cond(
                Box::new(good),
                Box::new(binary(op, Term::A, Term::B)),
                Box::new(Term::A),
            );
            let nonzero = cast(LeftWide, elvis(Term::B, small(1, Right)));
            let wide = cast(Left, binary(op, cast(LeftWide, Term::A), nonzero));
            vec![
                form("odd-positive", binary(op, Term::A, odd), false),
                form("odd-unsigned", on_unsigned(op, Term::A, unsigned_odd), false),
                form("guard", guard, false),
                form("wide", wide, true),
            ]
        }
        BinOp::Div | BinOp::Rem => {
            let guard = Term::Cond(
                Box::new(Term::B),
                Box::new(binary(op, Term::A, Term::B)),
                Box::new(Term::A),
            );
            let odd = binary(BinOp::BitOr, Term::B, small(1, Right));
            vec![
                form("guard", guard, true),
                form("odd", binary(op, Term::A, odd), false),
                form("elvis", binary(op, Term::A, elvis(Term::B, small(1, Right))), true),
            ]
        }
        _ => Vec::new(),
    }
}

/// A form of `x op= b` that is defined whatever the operands: another operator and another right
/// side, in whose type the operation is done. The target is named once, as in the original.
#[derive(Clone, Debug)]
pub struct AssignForm {
    /// Name, for statistics and tests.
    pub name: &'static str,
    /// The operator.
    pub op: BinOp,
    /// The type that the operation is done in.
    pub comp: TermType,
    /// The right side, of that type; for a shift, of any.
    pub rhs: Term,
    /// The form has the same result wherever the operation is defined.
    pub exact: bool,
}

impl AssignForm {
    /// The form as a term over the target's value, in the type of the original operation.
    pub fn term(&self) -> Term {
        cast(TermType::Left, binary(self.op, cast(self.comp, Term::A), self.rhs.clone()))
    }
}

/// The always-defined forms of a compound assignment done in a type of this signedness.
pub fn assign_forms(op: BinOp, signed: bool) -> Vec<AssignForm> {
    use TermType::{Left, LeftUnsigned, LeftWide, Right};
    let form = |name, op, comp, rhs, exact| AssignForm { name, op, comp, rhs, exact };
    let elvis = |a, b| Term::Elvis(Box::new(a), Box::new(b));
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => {
            vec![form("wrap", op, LeftUnsigned, cast(LeftUnsigned, Term::B), true)]
        }
        BinOp::Shl if signed => {
            // x << n is x * 2^n, and the right side makes the multiplication unsigned.
            let power = binary(BinOp::Shl, small(1, LeftUnsigned), masked());
            vec![form("wrap-power", BinOp::Mul, LeftUnsigned, power, true)]
        }
        BinOp::Shl | BinOp::Shr => vec![form("mask", op, Left, masked(), true)],
        BinOp::Div | BinOp::Rem if signed => {
            let positive = binary(BinOp::BitAnd, Term::B, Term::Const(Constant::Max, Right));
            let odd = binary(BinOp::BitOr, positive, small(1, Right));
            let unsigned_odd =
                binary(BinOp::BitOr, cast(LeftUnsigned, Term::B), small(1, LeftUnsigned));
            let nonzero = cast(LeftWide, elvis(Term::B, small(1, Right)));
            vec![
                form("odd-positive", op, Left, odd, false),
                form("odd-unsigned", op, LeftUnsigned, unsigned_odd, false),
                form("wide", op, LeftWide, nonzero, true),
            ]
        }
        BinOp::Div | BinOp::Rem => {
            let odd = binary(BinOp::BitOr, Term::B, small(1, Right));
            vec![
                form("odd", op, Left, odd, false),
                form("elvis", op, Left, elvis(Term::B, small(1, Right)), true),
            ]
        }
        _ => Vec::new(),
    }
}
