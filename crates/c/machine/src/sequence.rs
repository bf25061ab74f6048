//! Conflicts between operands whose order is unspecified (6.5p2, 6.5.2.2p10).
//!
//! A *region* is the evaluation of such operands. While all but the last are evaluated, every access is
//! logged; when one ends, the bytes it accessed are marked in the shadow. An access by a later operand
//! that meets a mark, one of the two writing, is a conflict. Marks are set once and cleared in order,
//! so the cost of nested regions is proportional to their accesses. Marks on dead objects are harmless:
//! a new object begins with a clean shadow.

use crate::memory::{Memory, READ_MARK, WRITE_MARK};
use crate::stop::{ConflictContext, ExecResult, Stop};

/// A logged access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LoggedAccess {
    /// First bit of memory, and how many.
    bit: u64,
    bits: u64,
    write: bool,
    /// Depth of calls at the access.
    depth: u32,
    /// Code address of the access.
    pc: u32,
}

impl LoggedAccess {
    fn bytes(&self) -> std::ops::Range<u32> {
        (self.bit / 8) as u32..(self.bit + self.bits).div_ceil(8) as u32
    }

    fn overlaps(&self, other: &LoggedAccess) -> bool {
        self.bit < other.bit + other.bits && other.bit < self.bit + self.bits
    }
}

#[derive(Clone, Copy, Debug)]
struct Region {
    marks: usize,
    log: usize,
    active: usize,
    depth: u32,
    initialiser: bool,
    /// Code address of the operator or initialiser that the region belongs to.
    pc: u32,
}

/// The state of all open regions.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    log: Vec<LoggedAccess>,
    regions: Vec<Region>,
    marks: Vec<(u32, u8)>,
    /// Parts of the log whose marks are set, of all open regions in order.
    active: Vec<(usize, usize)>,
    /// Where the log of each operand being logged begins.
    logging: Vec<usize>,
    compact_at: usize,
    pending: Vec<LoggedAccess>,
    pending_starts: Vec<usize>,
    /// Code address whose conflicts are ignored.
    forgiven: Option<u32>,
}

/// The log is compacted when it grows beyond this size, then at twice the size that is left.
const COMPACT: usize = 1 << 20;

impl Sequence {
    pub(crate) fn begin(&mut self, depth: u32, initialiser: bool, pc: u32) {
        self.regions.push(Region {
            marks: self.marks.len(),
            log: self.log.len(),
            active: self.active.len(),
            depth,
            initialiser,
            pc,
        });
    }

    pub(crate) fn end(&mut self, memory: &mut Memory) {
        let Some(region) = self.regions.pop() else { return };
        for (address, mark) in self.marks.drain(region.marks..) {
            memory.shadow[address as usize] &= !mark;
        }
        self.active.truncate(region.active);
        if self.logging.is_empty() {
            self.log.truncate(region.log);
        }
    }

    pub(crate) fn log_on(&mut self, memory: &mut Memory) {
        self.logging.push(self.log.len());
        // No shadow looks like this: every access takes the slow path.
        (memory.readable, memory.writable) = (!0, !0);
    }

    pub(crate) fn log_off(&mut self, memory: &mut Memory) {
        let Some(start) = self.logging.pop() else { return };
        for entry in &self.log[start..] {
            let mark = if entry.write { WRITE_MARK } else { READ_MARK };
            for address in entry.bytes() {
                let shadow = &mut memory.shadow[address as usize];
                if *shadow & mark == 0 {
                    *shadow |= mark;
                    self.marks.push((address, mark));
                }
            }
        }
        self.active.push((start, self.log.len()));
        if self.logging.is_empty() {
            (memory.readable, memory.writable) = (crate::memory::INIT8, 0);
        }
    }

    /// Allows the access at a code address whatever it conflicts with.
    pub(crate) fn ignore_conflict_at(&mut self, pc: u32) {
        self.forgiven = Some(pc);
    }

    /// The call depth of the innermost region with operands that are not evaluated yet, whose conflicts
    /// are therefore not known; `None` if there is none.
    pub(crate) fn open_depth(&self) -> Option<u32> {
        self.logging.last()?;
        self.regions.last().map(|region| region.depth)
    }

    /// Whether no operands with unspecified order are being evaluated.
    pub(crate) fn is_idle(&self) -> bool {
        self.regions.is_empty()
    }

    pub(crate) fn depth(&self) -> (usize, usize, usize) {
        (self.regions.len(), self.logging.len(), self.pending_starts.len())
    }

    /// Checks an access to a range of bits against the marks, and logs it where an operand is
    /// being logged.
    pub(crate) fn access(
        &mut self,
        memory: &Memory,
        (bit, bits): (u64, u64),
        write: bool,
        depth: u32,
        pc: u32,
    ) -> ExecResult<()> {
        let entry = LoggedAccess { bit, bits, write, depth, pc };
        let bad = if write { READ_MARK | WRITE_MARK } else { WRITE_MARK };
        let bytes = entry.bytes();
        let marked =
            memory.shadow[bytes.start as usize..bytes.end as usize].iter().any(|s| s & bad != 0);
        if marked
            && self.forgiven != Some(pc)
            && let Some(stop) = self.conflict(&entry)
        {
            return Err(Box::new(stop));
        }
        if let Some(&start) = self.logging.last() {
            self.log.push(entry);
            if self.log.len() > self.compact_at.max(COMPACT) {
                // Active parts are named by position: they stay where they are.
                let start = self.active.last().map_or(start, |a| a.1.max(start));
                let mut kept = self.log.split_off(start);
                kept.sort_by_key(|e| (e.bit, e.bits, e.write));
                kept.dedup_by_key(|e| (e.bit, e.bits, e.write));
                self.log.append(&mut kept);
                self.compact_at = self.log.len() * 2;
            }
        }
        Ok(())
    }

    /// The logged access that conflicts with one, if the marks did not mislead: bit-fields share
    /// bytes without sharing objects.
    fn conflict(&self, new: &LoggedAccess) -> Option<Stop> {
        for (n, &(from, to)) in self.active.iter().enumerate().rev() {
            let hit = |e: &&LoggedAccess| e.overlaps(new) && (new.write || e.write);
            let Some(old) = self.log.get(from..to)?.iter().rev().find(hit) else { continue };
            let region = self.regions.iter().rev().find(|r| r.active <= n)?;
            let in_call = (old.depth > region.depth, new.depth > region.depth);
            let between = if in_call.0 || in_call.1 {
                ConflictContext::Calls
            } else if region.initialiser {
                ConflictContext::Initialisers
            } else {
                ConflictContext::Operands
            };
            let what = match (old.write, new.write) {
                (true, true) => "both write the same object",
                (true, false) => "one writes what the other reads",
                (false, _) => "one reads what the other writes",
            };
            let owner = Some(region.pc);
            return Some(Stop::Conflict { other: old.pc, owner, between, in_call, what });
        }
        None
    }

    pub(crate) fn pend_begin(&mut self) {
        self.pending_starts.push(self.pending.len());
    }

    pub(crate) fn pend_log(&mut self, (bit, bits): (u64, u64), pc: u32) {
        self.pending.push(LoggedAccess { bit, bits, write: true, depth: 0, pc });
    }

    /// The store of an assignment against the side effects of its operands.
    pub(crate) fn pend_check(&self, (bit, bits): (u64, u64)) -> ExecResult<()> {
        let start = self.pending_starts.last().copied().unwrap_or(0);
        let new = LoggedAccess { bit, bits, write: true, depth: 0, pc: 0 };
        match self.pending[start..].iter().find(|e| e.overlaps(&new)) {
            Some(e) => Err(Box::new(Stop::Conflict {
                other: e.pc,
                owner: None,
                between: ConflictContext::Operands,
                in_call: (false, false),
                what: "both write the same object",
            })),
            None => Ok(()),
        }
    }

    /// The assignment is done. Its operands' side effects stay pending only for an assignment that
    /// it is an operand of itself, with no call or sequence point between.
    pub(crate) fn pend_end(&mut self, keep: bool) {
        if let Some(start) = self.pending_starts.pop()
            && !keep
        {
            self.pending.truncate(start);
        }
    }
}
