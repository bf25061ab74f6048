//! Reverts the relaxations that cost a program its result, and only those.
//!
//! The paper discards undefined programs, three of five. Here the machine reports where a program is
//! undefined; the relaxation at that place is reverted, the program is generated again, otherwise
//! unchanged, and executed again. The relaxations that stay are harmless: in code that is not reached, or
//! within the rules by chance. If the place does not identify the relaxation (a pointer dangles elsewhere
//! than where it was assigned), half of the possible ones are reverted.

use super::relax::Relaxation;
use super::{AppliedRelaxation, Generated, Options, SeedTuple, generate_without};
use cmachine::{MachineConfig, Node, Outcome, Report, UbKind, Verdict};
use ctree::map::{Child, for_each_child};
use ctree::{ExprId, ExprKind, Program};
use std::collections::BTreeSet;

/// Executions for one program, at most.
const ROUNDS: u32 = 40;

/// A program after harmful relaxations were reverted.
#[derive(Clone, Debug)]
pub struct Reverted {
    /// The program.
    pub generated: Generated,
    /// Its execution.
    pub report: Report,
    /// Relaxations that it still has.
    pub kept: usize,
    /// Relaxations that were reverted.
    pub reverted: usize,
}

/// The program of a seed tuple without the relaxations that leave it without a defined result.
pub fn revert_relaxations(
    tuple: &SeedTuple,
    options: &Options,
    config: &MachineConfig,
) -> Reverted {
    let mut reverted = BTreeSet::new();
    let mut round = 0;
    loop {
        let generated = generate_without(tuple, options, &reverted);
        let report = cmachine::run(&generated.program, config);
        let done = matches!(report.outcome, Outcome::Finished(_)) || generated.applied.is_empty();
        if done || round == ROUNDS {
            let (kept, reverted) = (generated.applied.len(), reverted.len());
            return Reverted { generated, report, kept, reverted };
        }
        reverted.extend(to_blame(&generated, &report, round));
        round += 1;
    }
}

/// The numbers of the relaxations to revert next, at least one.
fn to_blame(generated: &Generated, report: &Report, round: u32) -> Vec<u32> {
    let applied = &generated.applied;
    if let Some(Node::Expr(expr)) = verdict(report).and_then(|v| v.node) {
        let mut found = Vec::new();
        inside(&generated.program, expr, applied, &mut found);
        if !found.is_empty() {
            return found;
        }
    }
    let suspects = suspects(&report.outcome);
    let mut meant: Vec<u32> =
        applied.iter().filter(|t| suspects.contains(&t.relaxation)).map(|t| t.number).collect();
    // Late, or without a suspect, any of them may be the cause.
    if meant.is_empty() || round > ROUNDS / 2 {
        meant = applied.iter().map(|t| t.number).collect();
    }
    let half = meant.len().div_ceil(2);
    // The newer half and the older half in turn.
    match round % 2 {
        0 => meant.split_off(meant.len() - half),
        _ => meant.into_iter().take(half).collect(),
    }
}

fn verdict(report: &Report) -> Option<&Verdict> {
    match &report.outcome {
        Outcome::Undefined(_, verdict)
        | Outcome::Unspecified(_, verdict)
        | Outcome::Unsupported(verdict)
        | Outcome::OutOfMemory(verdict) => Some(verdict),
        _ => None,
    }
}

/// The relaxations that created a part of an expression, or left a variable in it uninitialised.
fn inside(program: &Program, expr: ExprId, applied: &[AppliedRelaxation], found: &mut Vec<u32>) {
    let kind = &program.expr(expr).kind;
    let here = |t: &&AppliedRelaxation| match *kind {
        ExprKind::Var(var) if t.var == Some(var) => true,
        _ => t.made.contains(&expr.0),
    };
    found.extend(applied.iter().filter(here).map(|t| t.number));
    for_each_child(kind, &mut |part| {
        if let Child::Expr(inner) = part {
            inside(program, inner, applied, found);
        }
    });
}

/// Relaxations that can cause an outcome in another place than their own.
fn suspects(outcome: &Outcome) -> &'static [Relaxation] {
    use Relaxation::{Bounds, Conflicts, Dangling, Goto, Init, Null, ParamAddress};
    match outcome {
        Outcome::Undefined(UbKind::Indeterminate, _) => &[Init, Goto],
        Outcome::Undefined(UbKind::NullDeref, _) => &[Null, Init],
        Outcome::Undefined(UbKind::Dangling, _) => &[Dangling],
        Outcome::Undefined(UbKind::Unsequenced, _) | Outcome::Unspecified(..) => {
            &[Conflicts, ParamAddress]
        }
        Outcome::Undefined(..) => &[Bounds, Conflicts],
        Outcome::OutOfFuel => &[Goto],
        _ => &[],
    }
}
