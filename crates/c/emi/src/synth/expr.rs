//! Valid expressions, from the bottom up (Algorithm 3 of the Hermes paper, with constants, casts and
//! `?:` besides).

use choice::Choices;
use ctree::{BinOp, ExprId, ExprKind, IntKind, Program, Ty, UnOp};

use super::eval::{self, IntType};
use super::values::ValueSet;
use crate::env::{Env, KnownScalar};

/// Most leaves of one expression.
const LEAVES: usize = 5;
/// Most unary operators and casts in a row.
const IN_A_ROW: u32 = 2;

const UNARY: [UnOp; 3] = [UnOp::LogNot, UnOp::BitNot, UnOp::Neg];

pub(super) const COMPARE: [BinOp; 6] =
    [BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne, BinOp::Le, BinOp::Lt];

const BINARY: [BinOp; 16] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Rem,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::BitAnd,
    BinOp::BitOr,
    BinOp::BitXor,
    BinOp::Gt,
    BinOp::Ge,
    BinOp::Eq,
    BinOp::Ne,
    BinOp::Le,
    BinOp::Lt,
];

const CASTS: [IntKind; 9] = [
    IntKind::SChar,
    IntKind::UChar,
    IntKind::Short,
    IntKind::UShort,
    IntKind::Int,
    IntKind::UInt,
    IntKind::Long,
    IntKind::ULong,
    IntKind::LongLong,
];

const LITERALS: [IntKind; 4] = [IntKind::Int, IntKind::UInt, IntKind::Long, IntKind::ULong];

/// An expression and the values that it can have.
#[derive(Clone, Debug)]
pub(crate) struct ValuedExpr {
    pub expr: ExprId,
    pub values: ValueSet,
}

impl ValuedExpr {
    /// A known scalar.
    pub fn of(program: &mut Program, known: &KnownScalar) -> ValuedExpr {
        ValuedExpr { expr: known.lvalue(program), values: known.values.clone() }
    }

    /// A constant that is in the range of a type.
    pub fn constant(program: &mut Program, ty: Ty, value: i128) -> ValuedExpr {
        ValuedExpr { expr: program.int_const(ty, value), values: ValueSet::one(value) }
    }

    /// Its type after promotion.
    pub(super) fn promoted(&self, program: &mut Program) -> Option<(Ty, IntType)> {
        let promoted = program.promote(self.expr);
        let ty = program.expr(promoted).ty.unqual();
        Some((ty, IntType::of(program, ty)?))
    }

    /// The values after conversion to an operand: `operand` is this expression or its conversion.
    fn as_operand(&self, program: &Program, operand: ExprId) -> Option<(IntType, ValueSet)> {
        let own = IntType::of(program, program.expr(self.expr).ty)?;
        let ty = IntType::of(program, program.expr(operand).ty)?;
        Some((ty, if own == ty { self.values.clone() } else { eval::convert(&self.values, ty) }))
    }

    /// A unary operator applied to it, if defined for all values.
    pub fn unary(&self, program: &mut Program, op: UnOp) -> Option<ValuedExpr> {
        let expr = program.unary(op, self.expr);
        let ExprKind::Unary(_, operand) = program.expr(expr).kind else { return None };
        let (ty, values) = self.as_operand(program, operand)?;
        Some(ValuedExpr { expr, values: eval::unary(op, ty, &values)? })
    }

    /// A binary operator applied to both, if defined for all values.
    pub fn binary(
        &self,
        program: &mut Program,
        op: BinOp,
        other: &ValuedExpr,
    ) -> Option<ValuedExpr> {
        let expr = program.binary(op, self.expr, other.expr);
        let ExprKind::Binary(_, left, right) = program.expr(expr).kind else { return None };
        let (ty, left) = self.as_operand(program, left)?;
        let (_, right) = other.as_operand(program, right)?;
        Some(ValuedExpr { expr, values: eval::binary(op, ty, &left, &right)? })
    }

    fn cast(&self, program: &mut Program, to: Ty) -> Option<ValuedExpr> {
        let expr = program.cast(to, self.expr);
        let (_, values) = self.as_operand(program, expr)?;
        Some(ValuedExpr { expr, values })
    }

    fn choose(
        &self,
        program: &mut Program,
        yes: &ValuedExpr,
        no: &ValuedExpr,
    ) -> Option<ValuedExpr> {
        let expr = program.cond(self.expr, Some(yes.expr), no.expr);
        let ExprKind::Cond(_, Some(a), b) = program.expr(expr).kind else { return None };
        let (a, b) = (yes.as_operand(program, a)?.1, no.as_operand(program, b)?.1);
        let values = match self.values.truth() {
            Some(true) => a,
            Some(false) => b,
            None => a.or(&b),
        };
        Some(ValuedExpr { expr, values })
    }

    /// The values that an object of a type has when this is assigned to it.
    pub fn stored(&self, program: &Program, ty: Ty, bits: Option<u32>) -> Option<ValueSet> {
        let to = IntType::of(program, ty)?;
        let to = bits.map_or(to, |bits| to.narrow(bits));
        Some(eval::convert(&self.values, to))
    }
}

/// A valid expression over the known scalars, with at most `most` leaves.
pub(crate) fn expression(
    program: &mut Program,
    env: &Env,
    most: usize,
    choices: &mut Choices,
) -> ValuedExpr {
    let mut work = leaves(program, env, most, choices);
    let mut row = 0;
    while work.len() > 1 || (row == 0 && choices.chance(30)) {
        if row < IN_A_ROW && (work.len() == 1 || choices.chance(30)) {
            row += 1;
            let at = choices.index(work.len());
            let grown = match choices.chance(60) {
                true => {
                    let mut ops = UNARY;
                    choices.shuffle(&mut ops);
                    ops.into_iter().find_map(|op| work[at].unary(program, op))
                }
                false => {
                    let to = CASTS[choices.index(CASTS.len())].ty();
                    work[at].cast(program, to)
                }
            };
            if let Some(grown) = grown {
                work[at] = grown;
            }
            continue;
        }
        row = 0;
        if work.len() == 1 {
            break;
        }
        if work.len() > 2 && choices.chance(15) {
            let [a, b, c] = [(); 3].map(|()| take(&mut work, choices));
            let grown = a.choose(program, &b, &c);
            work.push(grown.unwrap_or(a));
            continue;
        }
        let (a, b) = (take(&mut work, choices), take(&mut work, choices));
        let mut ops = BINARY;
        choices.shuffle(&mut ops);
        // Comparisons and `&`, `|`, `^` are always defined.
        let grown = ops.into_iter().find_map(|op| a.binary(program, op, &b));
        work.push(grown.unwrap_or(a));
    }
    take(&mut work, choices)
}

fn take(work: &mut Vec<ValuedExpr>, choices: &mut Choices) -> ValuedExpr {
    let at = choices.index(work.len());
    work.swap_remove(at)
}

fn leaves(program: &mut Program, env: &Env, most: usize, choices: &mut Choices) -> Vec<ValuedExpr> {
    let mut known: Vec<&KnownScalar> = env.known.iter().collect();
    choices.shuffle(&mut known);
    let wanted = 1 + choices.index(most.clamp(1, LEAVES));
    let mut volatile = 0;
    let mut work = Vec::new();
    for known in known.into_iter().take(wanted) {
        let term = ValuedExpr::of(program, known);
        // Reads of one volatile object without a sequence point between them are not defined, and
        // two names may be the same object.
        volatile += u32::from(program.expr(term.expr).ty.is_volatile());
        if volatile < 2 || !program.expr(term.expr).ty.is_volatile() {
            work.push(term);
        }
    }
    if work.is_empty() || choices.chance(40) {
        work.push(literal(program, env, choices));
    }
    work
}

/// A constant: small, a limit of its type, or near a known value.
fn literal(program: &mut Program, env: &Env, choices: &mut Choices) -> ValuedExpr {
    let ty = LITERALS[choices.index(LITERALS.len())].ty();
    let Some(int) = IntType::of(program, ty) else {
        return ValuedExpr::constant(program, Ty::INT, 1);
    };
    let value = match choices.below(4) {
        0 => i128::from(choices.range(-9..=9)),
        1 => [int.min(), int.max(), 0][choices.index(3)],
        2 => match choices.pick(&env.known) {
            Some(known) => known.values.max() + i128::from(choices.range(-2..=2)),
            None => 1,
        },
        _ => {
            let width = choices.range(1..=64) as u32;
            i128::from(choices.bits(width) as i64)
        }
    };
    let value = if int.holds(value) { value } else { i128::from(choices.range(0..=9)) };
    ValuedExpr::constant(program, ty, value)
}
