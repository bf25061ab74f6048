//! The fault handler of a run: chooses a repair for each fault as it happens, to be applied to the tree
//! afterwards.
//!
//! A run continues with the value that the repaired program will compute, wherever that is known, so that
//! it finds the faults that the repaired program would have.

use super::fix::{self, Fix, FixRequest};
use super::once::Once;
use super::{Repair, Rung};
use choice::Choices;
use cmachine::{Fault, FaultCause, FaultHandler, FaultyOp, Node, Outcome, Recovery};
use ctree::{BinOp, ExprId, ExprKind, Program};
use std::collections::BTreeMap;

/// The fault handler of one run, with the repairs to apply, by node.
pub(super) struct Planner<'r, 'o> {
    program: &'r Program,
    repair: &'r mut Repair<'o>,
    choices: &'r mut Choices,
    pub fixes: BTreeMap<ExprId, Fix>,
    /// Other defects, in order, at most one for each node.
    pub defects: Vec<Defect>,
    /// The values that the run continued with after these, by node.
    values: BTreeMap<Node, i64>,
    faults: u32,
}

/// A defect of a pointer, an object or the order of evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defect {
    pub node: Node,
    pub cause: FaultCause,
    /// The accesses of a conflict that are not inside calls.
    pub accesses: [Option<ExprId>; 2],
    /// The value that the run continued with.
    pub value: i64,
}

/// Faults recovered from in one run. Each costs a fraction of a microsecond, but a loop may have
/// millions, and its repair is known after the first.
const FAULTS: u32 = 20_000;

impl FaultHandler for Planner<'_, '_> {
    fn handle(&mut self, fault: &Fault) -> Recovery {
        self.faults += 1;
        if self.faults > FAULTS {
            return Recovery::Stop;
        }
        match self.plan(fault) {
            Some(value) => Recovery::Value(value),
            None => Recovery::Stop,
        }
    }
}

impl<'r, 'o> Planner<'r, 'o> {
    pub fn new(
        program: &'r Program,
        repair: &'r mut Repair<'o>,
        choices: &'r mut Choices,
    ) -> Planner<'r, 'o> {
        let (fixes, values) = (BTreeMap::new(), BTreeMap::new());
        Planner { program, repair, choices, fixes, defects: Vec::new(), values, faults: 0 }
    }

    /// Adds the behaviour that ended the run, if undefined or unspecified, unless the run ended because
    /// of the limit on faults.
    pub fn end(&mut self, outcome: &Outcome) {
        if self.faults <= FAULTS {
            self.defects.extend(defect(outcome));
        }
    }

    fn plan(&mut self, fault: &Fault) -> Option<i128> {
        let node = match (fault.node, fault.op) {
            (Node::Expr(e), FaultyOp::Read | FaultyOp::Other | FaultyOp::Conflict { .. }) => {
                return self.defect(Node::Expr(e), fault);
            }
            (Node::Stmt(s), _) => return self.defect(Node::Stmt(s), fault),
            (Node::Expr(e), _) => e,
        };
        if let Some(&outer) = self.repair.inner.get(&node) {
            // The node belongs to a repair: the repaired node climbs instead.
            self.plan_always_defined(outer);
            return wrapped_result(fault);
        }
        let entry = self.repair.nodes.get(&node);
        let kind = entry.map_or(&self.program.expr(node).kind, |n| &n.original);
        let earlier = entry.and_then(|n| n.fix.as_ref());
        let (op, a, b) = fix::original(kind, fault, earlier);
        if let Some(fix) = self.fixes.get(&node) {
            // A second fault means a second execution: a rule of the table does not fit.
            if fix.rung != Rung::Table {
                return fix.value(a, b);
            }
        }
        let request = match entry {
            // An always-defined form cannot be at fault; if it is nevertheless, give up.
            Some(entry) if entry.rung >= Rung::Form => return None,
            None if !self.fixes.contains_key(&node) => self.first_request(node),
            _ => self.next_request(node),
        };
        let entry = self.repair.nodes.get(&node);
        let kind = entry.map_or(&self.program.expr(node).kind, |n| &n.original);
        let fix = Fix::choose(self.program, kind, (op, a, b), request, self.choices)?;
        let value = fix.value(a, b);
        self.fixes.insert(node, fix);
        value
    }

    /// Records a defect that no rule repairs. A read gives the value of a new object.
    fn defect(&mut self, node: Node, fault: &Fault) -> Option<i128> {
        if let Some(&known) = self.values.get(&node) {
            return Some(known.into());
        }
        let value = match node {
            _ if fault.op == FaultyOp::Read => 0,
            Node::Expr(e) if self.is_comparison(e) => self.choices.range(0..=1),
            _ => self.choices.range(0..=100),
        };
        self.values.insert(node, value);
        let accesses = match fault.op {
            FaultyOp::Conflict { this, other } => [this, other],
            _ => [None; 2],
        };
        self.defects.push(Defect { node, cause: fault.cause, accesses, value });
        Some(value.into())
    }

    fn is_comparison(&self, e: ExprId) -> bool {
        use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self.program.expr(e).kind, ExprKind::Binary(Lt | Gt | Le | Ge | Eq | Ne, ..))
    }

    /// The second rung for a node whose operands are not known.
    fn plan_always_defined(&mut self, node: ExprId) {
        let Some(entry) = self.repair.nodes.get(&node) else { return };
        if self.fixes.contains_key(&node) {
            return;
        }
        let options = self.repair.options;
        if let Some(fix) = Fix::always_defined(self.program, &entry.original, self.choices, options)
        {
            self.fixes.insert(node, fix);
        }
    }

    fn first_request(&mut self, node: ExprId) -> FixRequest<'o> {
        let program = self.program;
        let once = self.repair.once.get_or_insert_with(|| Once::of(program)).is_once(node);
        let request = self.next_request(node);
        let options = self.repair.options;
        let percent = if once { options.table_first } else { options.table_first_repeated };
        let table = !request.vector && self.choices.chance(percent);
        FixRequest { from: if table { Rung::Table } else { Rung::Form }, once, ..request }
    }

    fn next_request(&self, node: ExprId) -> FixRequest<'o> {
        let vector = fix::is_vector(self.program, &self.program.expr(node).kind);
        FixRequest { from: Rung::Form, once: false, vector, options: self.repair.options }
    }
}

/// The result of an overflowing sum or difference in two's complement.
fn wrapped_result(fault: &Fault) -> Option<i128> {
    let (a, b) = (fault.left.value, fault.right.value);
    match fault.op {
        FaultyOp::Binary(BinOp::Add) => Some(a.wrapping_add(b)),
        FaultyOp::Binary(BinOp::Sub) => Some(a.wrapping_sub(b)),
        _ => None,
    }
}

/// The behaviour that ended a run, if undefined or unspecified.
fn defect(outcome: &Outcome) -> Option<Defect> {
    let (cause, verdict) = match outcome {
        Outcome::Undefined(kind, verdict) => (FaultCause::Undefined(*kind), verdict),
        Outcome::Unspecified(kind, verdict) => (FaultCause::Unspecified(*kind), verdict),
        _ => return None,
    };
    Some(Defect { node: verdict.node?, cause, accesses: [None; 2], value: 1 })
}
