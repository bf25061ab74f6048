//! Repair by execution: removes the undefined behaviour of a program that was built without regard to
//! it.
//!
//! The program runs in the abstract machine. For an operation without a defined result a repair
//! is chosen, and the run continues with the result of the repaired operation (YARPGen, section 3.2, for
//! any program instead of straight-line ones). At the end of the run the repairs are written into the
//! tree, and it runs again from the start, until a run is clean. Code that is never executed is never
//! changed.
//!
//! A node climbs a ladder: unchanged; a similar operation that is defined for the values met
//! ([`rewrite`]); a form that is always defined ([`forms`]); a constant or a new object. It never
//! descends, a form adds no operation that can be at fault, and repairs of pointers, objects and
//! evaluation order only make a tree simpler. So each run is either clean or makes progress, and repair
//! terminates.
//!
//! What it does not do: end an endless loop, or replace unsupported constructs.

mod children;
mod fix;
pub mod forms;
pub mod number;
mod object;
mod once;
mod order;
mod plan;
pub mod rewrite;
mod scratch;
pub mod term;
mod value;

pub use fix::Rung;

use choice::Choices;
use cmachine::{FaultCause, Hooks, MachineConfig, Node, Outcome, Report, UbKind, UnspecKind};
use ctree::{ExprId, ExprKind, Program, StmtId, Ty, VarId};
use fix::Fix;
use once::Once;
use plan::{Defect, Planner};
use scratch::Scratch;
use std::collections::{BTreeMap, BTreeSet};

/// How to repair.
#[derive(Clone, Debug)]
pub struct RepairOptions {
    /// Limits of each run.
    pub machine: MachineConfig,
    /// What the runs record; the report is of the last.
    pub hooks: Hooks,
    /// In how many of 100 cases an operation that is executed at most once gets a rule of Table 1
    /// rather than an always-defined form.
    pub table_first: u32,
    /// The same for operations that may be executed more often. A rule fits one execution; in a loop
    /// it often costs another run and an always-defined form in the end.
    pub table_first_repeated: u32,
    /// Whether GNU's `a ?: b` may be used.
    pub gnu: bool,
    /// Whether `__int128` may be used.
    pub int128: bool,
    /// File-scope variables, by type, for pointers without a valid target. Others are created as
    /// needed.
    pub fallbacks: Vec<(Ty, VarId)>,
    /// Runs after which repair gives up.
    pub passes: u32,
}

impl Default for RepairOptions {
    fn default() -> Self {
        RepairOptions {
            // Tens of milliseconds: a generated program that runs longer costs more than it finds.
            // The stack is cleared for each run, which is noticeable for a program of 50 KB.
            machine: MachineConfig {
                fuel: 2_000_000,
                stack: 512 << 10,
                ..MachineConfig::default()
            },
            hooks: Hooks::default(),
            table_first: 100,
            table_first_repeated: 0,
            gnu: true,
            int128: true,
            fallbacks: Vec::new(),
            // Two or three are usual; each further one is for a fault after one that ended a run.
            passes: 200,
        }
    }
}

/// A program that was repaired.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The last run, which is clean: what it printed is what the program prints.
    pub report: Report,
    /// Runs, the clean one included.
    pub passes: u32,
    /// How many nodes ended on each rung, from [`Rung::Table`] on.
    pub rungs: [u32; 3],
    /// The nodes that were changed, in order.
    pub touched: Vec<ExprId>,
}

/// Why a program could not be repaired.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RepairError {
    /// The machine's limits were reached, or it does not support what was executed: discard it.
    #[error("the program cannot be used: {0:?}")]
    Outcome(Box<Outcome>),
    /// There is no repair for this behaviour, or the limit of runs was reached. The former happens if
    /// an object of a type that a block declares is needed: no file-scope object can have it.
    #[error("no repair is left: {0:?}")]
    Stuck(Box<Outcome>),
}

/// The repair of a node so far.
#[derive(Clone, Debug)]
struct NodeState {
    rung: Rung,
    /// The node before any repair.
    original: ExprKind,
    /// The repair that is in the tree.
    fix: Option<Fix>,
}

/// The state of a repair.
struct Repair<'o> {
    options: &'o RepairOptions,
    nodes: BTreeMap<ExprId, NodeState>,
    /// Nodes that a repair added and that may be at fault in its stead, with the repaired node.
    inner: BTreeMap<ExprId, ExprId>,
    once: Option<Once>,
    scratch: Scratch,
    /// Nodes changed since the last run.
    changed: BTreeSet<ExprId>,
}

/// Makes a program free of undefined and unspecified behaviour, as far as it is executed.
pub fn repair(
    program: &mut Program,
    choices: &mut Choices,
    options: &RepairOptions,
) -> Result<Repaired, RepairError> {
    let scratch = Scratch::new(program, &options.fallbacks);
    let mut repair = Repair {
        options,
        nodes: BTreeMap::new(),
        inner: BTreeMap::new(),
        once: None,
        scratch,
        changed: BTreeSet::new(),
    };
    let mut passes = 0;
    loop {
        passes += 1;
        let mut planner = Planner::new(program, &mut repair, choices);
        let report =
            cmachine::run_with_recovery(program, &options.machine, &options.hooks, &mut planner);
        planner.end(&report.outcome);
        let Planner { fixes, defects, .. } = planner;
        if fixes.is_empty() && defects.is_empty() && matches!(report.outcome, Outcome::Finished(_))
        {
            return Ok(repair.finish(report, passes));
        }
        let changed = repair.change(program, fixes, &defects, choices);
        let outcome = Box::new(report.outcome);
        if passes >= options.passes {
            return Err(RepairError::Stuck(outcome));
        }
        if !changed && !defects.is_empty() {
            return Err(RepairError::Stuck(outcome));
        }
        if !changed {
            return Err(RepairError::Outcome(outcome));
        }
    }
}

/// Removes `_Noreturn` from the function with this statement.
fn may_return(program: &mut Program, stmt: StmtId) -> bool {
    let holds = |f: &ctree::Func| {
        f.body.is_some_and(|body| children::contains(program, Node::Stmt(body), Node::Stmt(stmt)))
    };
    let Some(name) = program.funcs.iter().find(|f| f.noreturn && holds(f)).map(|f| f.name) else {
        return false;
    };
    program.funcs.iter_mut().filter(|f| f.name == name).for_each(|f| f.noreturn = false);
    true
}

impl Repair<'_> {
    /// Changes the tree after a run. False if nothing was changed.
    fn change(
        &mut self,
        program: &mut Program,
        fixes: BTreeMap<ExprId, Fix>,
        defects: &[Defect],
        choices: &mut Choices,
    ) -> bool {
        self.changed.clear();
        for (node, fix) in fixes {
            self.apply(program, node, fix);
        }
        let mut promises = false;
        for defect in defects {
            match (defect.node, defect.cause) {
                (Node::Stmt(s), FaultCause::Undefined(UbKind::NoReturn)) => {
                    promises |= may_return(program, s)
                }
                _ => self.repair_defect(program, defect, choices),
            }
        }
        promises || !self.changed.is_empty()
    }

    fn apply(&mut self, program: &mut Program, node: ExprId, fix: Fix) {
        let original = match self.nodes.get(&node) {
            Some(entry) => entry.original.clone(),
            None => program.expr(node).kind.clone(),
        };
        if let Some(inside) = fix.apply(program, node, &original).flatten() {
            self.inner.insert(inside, node);
        }
        self.nodes.insert(node, NodeState { rung: fix.rung, original, fix: Some(fix) });
        self.changed.insert(node);
    }

    fn narrow_lanes(&mut self, program: &mut Program, node: ExprId, choices: &mut Choices) -> bool {
        let kind = &program.expr(node).kind;
        if !fix::is_vector(program, kind) || self.nodes.contains_key(&node) {
            return false;
        }
        let Some(fix) = Fix::always_defined(program, kind, choices, self.options) else {
            return false;
        };
        self.apply(program, node, fix);
        true
    }

    fn repair_defect(&mut self, program: &mut Program, defect: &Defect, choices: &mut Choices) {
        let order = matches!(
            defect.cause,
            FaultCause::Undefined(UbKind::Unsequenced)
                | FaultCause::Unspecified(UnspecKind::EvalOrder | UnspecKind::CallOrder)
        );
        match defect.node {
            _ if order => self.reorder(program, defect),
            // A fault in a lane narrower than `int` ends a run: it is not an operation of the machine.
            Node::Expr(e) if self.narrow_lanes(program, e, choices) => {}
            Node::Expr(e) => self.repair_access(program, e, defect.cause, defect.value),
            // A record that is returned, or that an initialiser copies.
            Node::Stmt(s) => {
                let mut nodes = Vec::new();
                children::stmt_children(program, s, &mut |node| nodes.push(node));
                let before = self.changed.len();
                for node in nodes {
                    if let Node::Expr(e) = node
                        && self.changed.len() == before
                    {
                        self.repair_access(program, e, defect.cause, defect.value);
                    }
                }
            }
        }
    }

    fn note(&mut self, node: ExprId, rung: Rung, original: ExprKind) {
        self.changed.insert(node);
        self.nodes.insert(node, NodeState { rung, original, fix: None });
    }

    fn finish(self, report: Report, passes: u32) -> Repaired {
        let mut rungs = [0; 3];
        for node in self.nodes.values() {
            rungs[node.rung as usize - 1] += 1;
        }
        Repaired { report, passes, rungs, touched: self.nodes.into_keys().collect() }
    }
}
