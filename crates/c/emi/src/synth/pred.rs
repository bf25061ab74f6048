//! Predicates with a known truth value (Algorithm 2 of the Hermes paper).

use choice::Choices;
use ctree::{BinOp, ExprId, Program, UnOp};

use super::expr::{COMPARE, ValuedExpr, expression};
use super::values::ValueSet;
use crate::env::Env;

/// Comparisons tried before one is used that a compiler can fold.
const TRIES: usize = 12;
/// Leaves of an expression that is compared.
const LEAVES: usize = 3;

/// A predicate that has the expected truth value whenever the point is reached; `None` where no scalar
/// is known.
pub(crate) fn predicate(
    program: &mut Program,
    env: &Env,
    expected: bool,
    depth: u32,
    choices: &mut Choices,
) -> Option<ExprId> {
    if depth == 0 {
        return atom(program, env, expected, choices);
    }
    match choices.below(4) {
        0 => {
            let inner = predicate(program, env, !expected, depth - 1, choices)?;
            Some(program.unary(UnOp::LogNot, inner))
        }
        1 => {
            let (left, right) = sides(expected, true, choices);
            pair(program, env, BinOp::LogAnd, [left, right], depth, choices)
        }
        2 => {
            let (left, right) = sides(expected, false, choices);
            pair(program, env, BinOp::LogOr, [left, right], depth, choices)
        }
        _ => atom(program, env, expected, choices),
    }
}

/// The truth values of both sides of a conjunction or disjunction that evaluates to `expected`.
fn sides(expected: bool, conjunction: bool, choices: &mut Choices) -> (bool, bool) {
    // One truth value needs both sides, the other is decided by one side.
    if expected == conjunction {
        return (conjunction, conjunction);
    }
    match choices.chance(50) {
        true => (conjunction, !conjunction),
        false => (!conjunction, choices.chance(50)),
    }
}

fn pair(
    program: &mut Program,
    env: &Env,
    op: BinOp,
    expected: [bool; 2],
    depth: u32,
    choices: &mut Choices,
) -> Option<ExprId> {
    let left = predicate(program, env, expected[0], depth - 1, choices)?;
    let right = predicate(program, env, expected[1], depth - 1, choices)?;
    Some(program.binary(op, left, right))
}

fn atom(program: &mut Program, env: &Env, expected: bool, choices: &mut Choices) -> Option<ExprId> {
    for _ in 0..TRIES {
        let found = match choices.below(10) {
            0 => bare(program, env, expected, choices),
            1..=4 => {
                let term = ValuedExpr::of(program, choices.pick(&env.known)?);
                against_constant(program, &term, expected, choices)
            }
            5..=7 => two(program, env, expected, choices),
            _ => {
                let term = expression(program, env, LEAVES, choices);
                against_constant(program, &term, expected, choices)
            }
        };
        if let Some(found) = found {
            return Some(found);
        }
    }
    // Its own limits decide it, even if a compiler can fold it.
    let term = ValuedExpr::of(program, choices.pick(&env.known)?);
    let (ty, _) = term.promoted(program)?;
    let least = ValuedExpr::constant(program, ty, term.values.min());
    let op = if expected { BinOp::Ge } else { BinOp::Lt };
    term.binary(program, op, &least).map(|found| found.expr)
}

/// A scalar by itself, or its negation.
fn bare(program: &mut Program, env: &Env, expected: bool, choices: &mut Choices) -> Option<ExprId> {
    let term = ValuedExpr::of(program, choices.pick(&env.known)?);
    match term.values.truth()? == expected {
        true => Some(term.expr),
        false => Some(program.unary(UnOp::LogNot, term.expr)),
    }
}

/// Rule 1: a term and a constant.
fn against_constant(
    program: &mut Program,
    term: &ValuedExpr,
    expected: bool,
    choices: &mut Choices,
) -> Option<ExprId> {
    let (ty, int) = term.promoted(program)?;
    let near = match &term.values {
        ValueSet::Set(all) => *choices.pick(all)?,
        ValueSet::Span(min, max) => [*min, *max][choices.index(2)],
    };
    let value = match choices.below(3) {
        0 => near,
        1 => near + i128::from(choices.range(-3..=3)),
        _ => {
            let width = choices.range(1..=31) as u32;
            i128::from(choices.bits(width))
        }
    };
    if !int.holds(value) {
        return None;
    }
    let mut ops = COMPARE;
    choices.shuffle(&mut ops);
    let everything = ValuedExpr { expr: term.expr, values: ValueSet::Span(int.min(), int.max()) };
    ops.into_iter().find_map(|op| {
        let constant = ValuedExpr::constant(program, ty, value);
        let settled = everything.binary(program, op, &constant)?.values.truth().is_some();
        let found = match choices.chance(75) {
            true => term.binary(program, op, &constant)?,
            false => constant.binary(program, op, term)?,
        };
        (!settled && found.values.truth() == Some(expected)).then_some(found.expr)
    })
}

/// Rule 2: two scalars.
fn two(program: &mut Program, env: &Env, expected: bool, choices: &mut Choices) -> Option<ExprId> {
    let (a, b) = (choices.index(env.known.len()), choices.index(env.known.len()));
    if a == b {
        return None;
    }
    let [a, b] = [a, b].map(|at| ValuedExpr::of(program, &env.known[at]));
    if [&a, &b].iter().all(|term| program.expr(term.expr).ty.is_volatile()) {
        return None;
    }
    let mut ops = COMPARE;
    choices.shuffle(&mut ops);
    ops.into_iter().find_map(|op| {
        let found = a.binary(program, op, &b)?;
        (found.values.truth() == Some(expected)).then_some(found.expr)
    })
}
