//! What an execution can record for others: which statements ran and how often, the values of
//! variables at chosen points, which way branches went, volatile accesses in order. Off by default,
//! and then the code has no operation for it.

use super::Machine;
use crate::code::{CodeNode, ProbePlace, ProbeVar, Reg};
use crate::kind::Kind;
use crate::memory::{INIT, STATE};
use crate::{Hooks, Profile, VarValues, VolatileAccess, Worth};
use ctree::{ArrayLen, ExprId, Ty, TypeKind};

/// Distinct values kept of one variable at one point; beyond it the set is marked incomplete.
const MAX_VALUES: usize = 256;
/// Elements of an array, and scalars of a variable altogether, that a probe looks at.
const MAX_SCALARS: usize = 64;

/// Collects a [`Profile`].
pub(crate) struct Recorder {
    profile: Profile,
    trace_volatile: bool,
    /// How often each cover point was passed.
    covered: Vec<u64>,
}

impl Recorder {
    pub(crate) fn new(hooks: &Hooks) -> Recorder {
        Recorder {
            profile: Profile::default(),
            trace_volatile: hooks.volatile,
            covered: Vec::new(),
        }
    }

    pub(super) fn cover(&mut self, point: u32) {
        let point = point as usize;
        if self.covered.len() <= point {
            self.covered.resize(point + 1, 0);
        }
        self.covered[point] += 1;
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

    pub(crate) fn finish(self) -> Profile {
        self.profile
    }

    /// Turns cover points into statements.
    pub(crate) fn resolve(&mut self, cover: &[CodeNode]) {
        for (&times, node) in self.covered.iter().zip(cover) {
            if let (1.., &CodeNode::Stmt(s)) = (times, node) {
                self.profile.executed.insert(s);
                *self.profile.counts.entry(s).or_default() += times;
            }
        }
    }
}

impl Machine<'_> {
    pub(super) fn note(&mut self, r: Reg, e: ExprId) {
        let Some(kind) = self.kind(self.p.expr(e).ty) else { return };
        let value = kind.value(self.r(r));
        let new = Worth { first: value, constant: true };
        let worth = self.recorder.profile.values.entry(e).or_insert(new);
        worth.constant &= worth.first == value;
    }

    pub(super) fn probe(&mut self, point: u32) {
        let (stmt, vars) = &self.code.probes[point as usize];
        for &ProbeVar { var, place } in vars {
            let ty = self.p.var(var).ty;
            let mut found: Vec<(Vec<u32>, Ty, i128)> = Vec::new();
            match place {
                ProbePlace::Register { reg, flag } => {
                    if flag.is_none_or(|f| self.r(f) != 0)
                        && let Some(kind) = self.kind(ty)
                        && kind.is_int()
                        && !kind.is_wide()
                    {
                        found.push((Vec::new(), ty, kind.value(self.r(reg))));
                    }
                }
                ProbePlace::Memory { base, at } => {
                    let address = self.base(base) + at;
                    self.scalars(ty, address, &mut Vec::new(), &mut found);
                }
            }
            let entry = self.recorder.profile.points.entry(*stmt).or_default();
            for (path, ty, value) in found {
                note(entry.entry((var, path)).or_insert_with(|| VarValues::new(ty)), value);
            }
        }
        let visits = self.recorder.profile.visits.entry(*stmt).or_default();
        *visits += 1;
    }

    /// The initialised integer scalars of an object, by path of member and element numbers.
    fn scalars(&self, ty: Ty, at: u32, path: &mut Vec<u32>, out: &mut Vec<(Vec<u32>, Ty, i128)>) {
        if out.len() >= MAX_SCALARS {
            return;
        }
        match *self.p.types.shape(ty) {
            TypeKind::Array(elem, ArrayLen::Known(n)) => {
                let size = self.p.types.size_of(elem).unwrap_or(0) as u32;
                for i in 0..n.min(MAX_SCALARS as u64) as u32 {
                    path.push(i);
                    self.scalars(elem, at + i * size, path, out);
                    path.pop();
                }
            }
            TypeKind::Record(id) => {
                for (i, field) in self.p.types.records[id.index()].fields.iter().enumerate() {
                    if field.bits.is_none() {
                        path.push(i as u32);
                        self.scalars(field.ty, at + field.offset as u32, path, out);
                        path.pop();
                    }
                }
            }
            _ => {
                let Some(kind) = self.kind(ty) else { return };
                if let Some(value) = self.peek(at, kind) {
                    out.push((path.clone(), ty, value));
                }
            }
        }
    }

    fn peek(&self, at: u32, kind: Kind) -> Option<i128> {
        if !kind.is_int() || kind.is_wide() {
            return None;
        }
        let range = at as usize..(at + kind.size()) as usize;
        if self.memory.shadow[range.clone()].iter().any(|s| s & STATE != INIT) {
            return None;
        }
        let mut raw = [0; 8];
        raw[..kind.size() as usize].copy_from_slice(&self.memory.bytes[range]);
        let raw = u64::from_le_bytes(raw);
        Some(if kind == Kind::Bool { i128::from(raw & 1) } else { kind.value(kind.wrap(raw)) })
    }
}

fn note(values: &mut VarValues, value: i128) {
    if values.values.len() < MAX_VALUES || values.values.contains(&value) {
        values.values.insert(value);
    } else {
        values.complete = false;
    }
    values.min = values.min.min(value);
    values.max = values.max.max(value);
}
