//! The values of scalars before chosen statements.
//!
//! A value is noted only if an expression that names the scalar could be read at the point without
//! undefined or unspecified behaviour, and would have that value. The checks are those of
//! the machine's own loads. Observing has no effect on the execution: no mark, no effective type, no
//! trace.

use super::Machine;
use crate::code::{Code, ScalarLocation, WatchedScalar};
use crate::kind::ScalarKind;
use crate::memory::{Access, AccessCheck, INIT, INIT8, POINTER8, READ_MARK, STATE, WRITE_MARK};
use crate::{Hooks, Point, VarValues};
use ctree::StmtId;
use std::collections::BTreeMap;

/// Distinct values kept of one scalar by default; a set with more is incomplete.
const VALUES: usize = 256;

/// What all probes recorded.
pub(super) struct Tallies {
    list: Vec<Tally>,
    /// A probe with more visits is dropped.
    visits: u64,
    /// Distinct values kept.
    values: usize,
}

/// What the probe before one statement recorded.
#[derive(Default)]
struct Tally {
    visits: u64,
    scalars: Vec<ScalarTally>,
}

/// The values that one scalar had.
#[derive(Clone)]
struct ScalarTally {
    times: u64,
    last: i128,
    /// Ascending.
    values: Vec<i128>,
    complete: bool,
    min: i128,
    max: i128,
    writable: bool,
    /// It is behind a pointer and had no value at one visit: it is not read again, as that is slow and
    /// its values could not be used.
    lost: bool,
}

impl Tallies {
    pub(super) fn new(code: &Code, hooks: &Hooks) -> Tallies {
        Tallies {
            list: code.tallies.iter().map(|_| Tally::default()).collect(),
            visits: hooks.probe_visits.unwrap_or(u64::MAX),
            values: hooks.probe_values.unwrap_or(VALUES),
        }
    }

    /// The probes that were reached, and not too often, by statement.
    pub(super) fn points(self, code: &Code) -> BTreeMap<StmtId, Point> {
        let types = code.probes.iter().map(|probe| (probe.tally, &probe.scalars));
        let types: BTreeMap<_, _> = types.collect();
        let mut points = BTreeMap::new();
        for (i, (tally, &stmt)) in self.list.into_iter().zip(&code.tallies).enumerate() {
            if let 1.. = tally.visits
                && tally.visits <= self.visits
                && let Some(scalars) = types.get(&(i as u32))
            {
                let values = tally.scalars.into_iter().zip(scalars.iter());
                let values = values.map(|(seen, scalar)| seen.finish(scalar.as_ref()?)).collect();
                points.insert(stmt, Point { visits: tally.visits, values });
            }
        }
        points
    }
}

impl ScalarTally {
    const NOTHING: ScalarTally = ScalarTally {
        times: 0,
        last: 0,
        values: Vec::new(),
        complete: true,
        min: i128::MAX,
        max: i128::MIN,
        writable: true,
        lost: false,
    };

    fn note(&mut self, value: i128, cap: usize) {
        self.times += 1;
        if self.times > 1 && value == self.last {
            return;
        }
        self.last = value;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        if self.complete
            && let Err(at) = self.values.binary_search(&value)
        {
            if self.values.len() < cap {
                self.values.insert(at, value);
            } else {
                self.complete = false;
            }
        }
    }

    fn finish(self, scalar: &WatchedScalar) -> Option<VarValues> {
        (self.times > 0).then(|| VarValues {
            ty: scalar.ty,
            seen: self.times,
            writable: self.writable,
            values: self.values.into_iter().collect(),
            complete: self.complete,
            min: self.min,
            max: self.max,
        })
    }
}

impl Machine<'_> {
    pub(super) fn probe(&mut self, point: u32) {
        let probe = &self.code.probes[point as usize];
        let Tallies { list, visits, values: cap } = &mut self.recorder.tallies;
        let (tally, cap) = (&mut list[probe.tally as usize], *cap);
        tally.visits += 1;
        if tally.visits > *visits {
            return;
        }
        let mut scalars = std::mem::take(&mut tally.scalars);
        if scalars.is_empty() {
            scalars = vec![ScalarTally::NOTHING; probe.scalars.len()];
        }
        for (seen, scalar) in scalars.iter_mut().zip(&probe.scalars) {
            let Some(scalar) = scalar else { continue };
            if seen.lost {
                continue;
            }
            if let Some(pointer) = self.follow(&scalar.way)
                && let Some(at) = self.find(&scalar.end, pointer)
                && let Some(value) = self.look(scalar, at)
            {
                seen.note(value, cap);
                seen.writable = seen.writable && self.may_write(scalar, pointer, at);
            } else {
                seen.lost = !scalar.way.is_empty();
            }
        }
        self.recorder.tallies.list[probe.tally as usize].scalars = scalars;
    }

    /// The last of a chain of pointers.
    fn follow(&self, way: &[ScalarLocation]) -> Option<u64> {
        let mut pointer = 0;
        for spot in way {
            let at = self.find(spot, pointer)?;
            pointer = match *spot {
                ScalarLocation::Register { reg, .. } => self.r(reg),
                _ => self.peek_pointer(at)?,
            };
        }
        Some(pointer)
    }

    /// The address of a scalar if it may be accessed there; 0 in a register.
    fn find(&self, spot: &ScalarLocation, pointer: u64) -> Option<u32> {
        let (record, check) = match *spot {
            ScalarLocation::Register { flag, .. } => {
                return flag.is_none_or(|f| self.r(f) != 0).then_some(0);
            }
            ScalarLocation::Direct { base, at, private } => {
                return self.conflicts_are_known(private).then(|| self.base(base) + at);
            }
            ScalarLocation::Behind { record, access } => {
                (record, self.access_check(access, Access::Load))
            }
            ScalarLocation::Bits { record, access } => {
                let a = &self.code.bits[access as usize];
                if let Some(base) = a.base {
                    return self.conflicts_are_known(false).then(|| self.base(base) + a.at);
                }
                (record, Self::bit_access_check(a, Access::Load))
            }
        };
        // The common case is decided here, without the text of a verdict.
        if pointer == 0 || !self.memory.is_live(pointer) || !self.conflicts_are_known(false) {
            return None;
        }
        if let Some(elem) = record {
            self.check_record(pointer, elem).ok()?;
        }
        self.memory.resolve(&self.code.classes, pointer, &check).ok()
    }

    /// Whether all accesses that one here might conflict with are known. While an operand is evaluated
    /// before others whose order is unspecified, only what those cannot reach is known.
    fn conflicts_are_known(&self, private: bool) -> bool {
        let open = self.sequence.open_depth();
        open.is_none_or(|depth| private && self.frames.len() as u32 > depth)
    }

    /// The value of a scalar, if it has one.
    fn look(&self, scalar: &WatchedScalar, at: u32) -> Option<i128> {
        let kind = scalar.kind;
        match scalar.end {
            ScalarLocation::Register { reg, .. } if kind.is_wide() => fit(kind, self.wide(reg)),
            ScalarLocation::Register { reg, .. } => Some(kind.value(self.r(reg))),
            ScalarLocation::Direct { .. } | ScalarLocation::Behind { .. } => self.peek(at, kind),
            ScalarLocation::Bits { access, .. } => {
                let a = &self.code.bits[access as usize];
                let size = (a.bit + a.width).div_ceil(8);
                if self.has_mark(at, size, WRITE_MARK) {
                    return None;
                }
                self.bits_at(at, a).ok().map(|value| kind.value(value))
            }
        }
    }

    /// The integer at an address.
    fn peek(&self, at: u32, kind: ScalarKind) -> Option<i128> {
        let (memory, shadow) = (&self.memory.bytes, &self.memory.shadow);
        let a = at as usize;
        let (raw, is_plain) = match kind.size() {
            1 => (u64::from(memory[a]), shadow[a] == INIT),
            2 => {
                let state = u16::from_le_bytes(Self::bytes(shadow, at));
                (u64::from(u16::from_le_bytes(Self::bytes(memory, at))), state == INIT8 as u16)
            }
            4 => {
                let state = u32::from_le_bytes(Self::bytes(shadow, at));
                (u64::from(u32::from_le_bytes(Self::bytes(memory, at))), state == INIT8 as u32)
            }
            8 => {
                let state = u64::from_le_bytes(Self::bytes(shadow, at));
                (u64::from_le_bytes(Self::bytes(memory, at)), state == INIT8)
            }
            _ => (0, false),
        };
        let is_data = |s: &u8| s & !READ_MARK == INIT;
        if !is_plain && !shadow[a..a + kind.size() as usize].iter().all(is_data) {
            return None;
        }
        match kind {
            ScalarKind::I128 | ScalarKind::U128 => {
                fit(kind, u128::from_le_bytes(Self::bytes(memory, at)))
            }
            // Any other is a trap.
            ScalarKind::Bool => (raw <= 1).then_some(i128::from(raw)),
            _ => Some(kind.value(kind.wrap(raw))),
        }
    }

    /// The pointer at an address, if it points to an object.
    fn peek_pointer(&self, at: u32) -> Option<u64> {
        const STATES: u64 = u64::from_le_bytes([STATE | WRITE_MARK; 8]);
        if self.program.types.model.pointer_size == 4 {
            let state = u32::from_le_bytes(Self::bytes(&self.memory.shadow, at));
            let narrow = u32::from_le_bytes(Self::bytes(&self.memory.bytes, at));
            let is_whole = state & STATES as u32 == POINTER8 as u32;
            return is_whole.then(|| self.memory.widened(narrow));
        }
        let state = u64::from_le_bytes(Self::bytes(&self.memory.shadow, at));
        let pointer = u64::from_le_bytes(Self::bytes(&self.memory.bytes, at));
        (state & STATES == POINTER8).then_some(pointer)
    }

    fn has_mark(&self, at: u32, size: u32, mark: u8) -> bool {
        self.memory.shadow[at as usize..(at + size) as usize].iter().any(|s| s & mark != 0)
    }

    /// Whether a scalar that may be read may be written too.
    fn may_write(&self, scalar: &WatchedScalar, pointer: u64, at: u32) -> bool {
        let (check, is_behind) = match scalar.end {
            ScalarLocation::Register { .. } => return true,
            ScalarLocation::Direct { .. } => (None, false),
            ScalarLocation::Behind { access, .. } => {
                (Some(self.access_check(access, Access::Store)), true)
            }
            ScalarLocation::Bits { access, .. } => {
                let a = &self.code.bits[access as usize];
                (Some(Self::bit_access_check(a, Access::Store)), a.base.is_none())
            }
        };
        let size = check.map_or(scalar.kind.size(), |check| check.size);
        let is_free = self.sequence.is_idle() || !self.has_mark(at, size, READ_MARK | WRITE_MARK);
        let may_store = |check: &AccessCheck| {
            let classes = &self.code.classes;
            self.memory.resolve(classes, pointer, check).is_ok()
                && self.memory.keeps_class(classes, pointer, check)
        };
        is_free && (!is_behind || check.as_ref().is_some_and(may_store))
    }
}

/// A value of 128 bits, if an `i128` can hold it.
fn fit(kind: ScalarKind, raw: u128) -> Option<i128> {
    if kind == ScalarKind::I128 { Some(raw as i128) } else { i128::try_from(raw).ok() }
}
