//! What an execution can record: which statements ran and how often, which branches were taken,
//! volatile accesses in order. [`watch`](super::watch) records values of variables at chosen points.
//! Everything is off by default, and then the code has no operation for it.

use super::Machine;
use super::watch::Tallies;
use crate::code::{Code, CodeNode, Reg};
use crate::{Hooks, ObservedValue, Profile, VolatileAccess};
use ctree::ExprId;

/// Collects a [`Profile`].
pub(crate) struct Recorder {
    profile: Profile,
    trace_volatile: bool,
    /// How often each cover point was passed.
    covered: Vec<u64>,
    /// The points passed, in order, if requested.
    trace: Option<Vec<u32>>,
    /// What probes recorded.
    pub(super) tallies: Tallies,
    values: bool,
    tape_length: usize,
}

impl Recorder {
    pub(crate) fn new(code: &Code, hooks: &Hooks) -> Recorder {
        Recorder {
            profile: Profile {
                tapes: hooks.tapes.iter().map(|e| (*e, Some(Vec::new()))).collect(),
                ..Profile::default()
            },
            trace_volatile: hooks.volatile,
            covered: vec![0; code.cover.len()],
            trace: hooks.trace.then(Vec::new),
            tallies: Tallies::new(code, hooks),
            values: hooks.values,
            tape_length: hooks.tape_length,
        }
    }

    pub(super) fn cover(&mut self, point: u32) {
        self.covered[point as usize] += 1;
        if let Some(trace) = &mut self.trace {
            trace.push(point);
        }
    }

    pub(super) fn branch(&mut self, caller: Option<ExprId>, point: u32, taken: bool) {
        let ways = self.profile.branches.entry((caller, ExprId(point))).or_default();
        if taken {
            ways.0 += 1;
        } else {
            ways.1 += 1;
        }
    }

    pub(super) fn volatile(&mut self, access: VolatileAccess) {
        if self.trace_volatile {
            self.profile.volatile.push(access);
        }
    }

    pub(crate) fn finish(self, code: &Code) -> Profile {
        Profile { points: self.tallies.points(code), ..self.profile }
    }

    /// Turns cover points into statements.
    pub(crate) fn resolve(&mut self, cover: &[CodeNode]) {
        for (&times, node) in self.covered.iter().zip(cover) {
            if let (1.., &CodeNode::Stmt(s)) = (times, node) {
                self.profile.executed.insert(s);
                *self.profile.counts.entry(s).or_default() += times;
            }
        }
        for point in self.trace.take().into_iter().flatten() {
            if let CodeNode::Stmt(s) = cover[point as usize] {
                self.profile.trace.push(s);
            }
        }
    }
}

impl Machine<'_> {
    pub(super) fn note(&mut self, r: Reg, e: ExprId) {
        let Some(kind) = self.kind(self.program.expr(e).ty) else { return };
        let value = kind.value(self.r(r));
        let Recorder { profile, values, tape_length, .. } = &mut self.recorder;
        if *values {
            let new = ObservedValue { first: value, constant: true };
            let worth = profile.values.entry(e).or_insert(new);
            worth.constant &= worth.first == value;
        }
        if let Some(tape) = profile.tapes.get_mut(&e) {
            match tape {
                Some(written) if written.len() < *tape_length => written.push(value),
                _ => *tape = None,
            }
        }
    }
}
