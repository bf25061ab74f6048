//! Conflicts between operands whose order C leaves open (6.5p2, 6.5.2.2p10).
//!
//! A *region* is the evaluation of such operands. While all but the last are evaluated, every
//! access is logged; when one ends, what it touched is marked in memory's shadow. An access by a
//! later operand that meets a mark, one of the two writing, is a conflict. Marks are set once and
//! taken back in order, so nested regions cost what they touch. Marks on dead objects are harmless:
//! a new object begins with a clean shadow.

use crate::memory::{Memory, READ_MARK, WRITE_MARK};
use crate::stop::{Res, Stop};

/// A logged access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    address: u32,
    size: u32,
    write: bool,
    /// Depth of calls at the access.
    depth: u32,
    /// Code address of the access.
    pc: u32,
}

#[derive(Clone, Copy, Debug)]
struct Region {
    marks: usize,
    log: usize,
    depth: u32,
}

/// The state of all open regions.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    log: Vec<Entry>,
    regions: Vec<Region>,
    marks: Vec<(u32, u8)>,
    /// Where the log of each operand being logged begins.
    logging: Vec<usize>,
    compact_at: usize,
    pending: Vec<Entry>,
    pending_starts: Vec<usize>,
}

/// The log is tidied when it grows beyond this, then at twice what is left.
const COMPACT: usize = 1 << 20;

impl Sequence {
    pub(crate) fn begin(&mut self, depth: u32) {
        self.regions.push(Region { marks: self.marks.len(), log: self.log.len(), depth });
    }

    pub(crate) fn end(&mut self, memory: &mut Memory) {
        let Some(region) = self.regions.pop() else { return };
        for (address, mark) in self.marks.drain(region.marks..) {
            memory.shadow[address as usize] &= !mark;
        }
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
            for address in entry.address..entry.address + entry.size {
                let shadow = &mut memory.shadow[address as usize];
                if *shadow & mark == 0 {
                    *shadow |= mark;
                    self.marks.push((address, mark));
                }
            }
        }
        if self.logging.is_empty() {
            (memory.readable, memory.writable) = (crate::memory::INIT8, 0);
        }
    }

    pub(crate) fn depth(&self) -> (usize, usize, usize) {
        (self.regions.len(), self.logging.len(), self.pending_starts.len())
    }

    /// Checks an access against the marks, and logs it where an operand is being logged.
    pub(crate) fn access(&mut self, memory: &Memory, at: (u32, u32), write: bool, depth: u32, pc: u32) -> Res<()> {
        let (address, size) = at;
        let bad = if write { READ_MARK | WRITE_MARK } else { WRITE_MARK };
        let range = address as usize..(address + size) as usize;
        if let Some(i) = memory.shadow[range].iter().position(|s| s & bad != 0) {
            return Err(Box::new(self.conflict(address + i as u32, write, depth)));
        }
        if let Some(&start) = self.logging.last() {
            self.log.push(Entry { address, size, write, depth, pc });
            if self.log.len() > self.compact_at.max(COMPACT) {
                self.log[start..].sort_by_key(|e| (e.address, e.size, e.write));
                self.log[start..].reverse();
                let mut kept = self.log.split_off(start);
                kept.dedup_by_key(|e| (e.address, e.size, e.write));
                self.log.append(&mut kept);
                self.compact_at = self.log.len() * 2;
            }
        }
        Ok(())
    }

    fn conflict(&self, address: u32, write: bool, depth: u32) -> Stop {
        let hit = |e: &&Entry| e.address <= address && address < e.address + e.size && (write || e.write);
        let entry = self.log.iter().rev().find(hit).copied();
        let mark = self.marks.iter().position(|m| m.0 == address && (write || m.1 == WRITE_MARK)).unwrap_or(0);
        let region = self.regions.iter().rev().find(|r| r.marks <= mark);
        let base = region.map_or(0, |r| r.depth);
        let other = entry.map_or(0, |e| e.pc);
        let in_call = depth > base || entry.is_some_and(|e| e.depth > base);
        let what = match (entry.is_some_and(|e| e.write), write) {
            (true, true) => "both write the same object",
            (true, false) => "one writes what the other reads",
            (false, _) => "one reads what the other writes",
        };
        Stop::Conflict { other, in_call, what }
    }

    pub(crate) fn pend_begin(&mut self) {
        self.pending_starts.push(self.pending.len());
    }

    pub(crate) fn pend_log(&mut self, address: u32, size: u32, pc: u32) {
        self.pending.push(Entry { address, size, write: true, depth: 0, pc });
    }

    /// The store of an assignment against the side effects of its operands.
    pub(crate) fn pend_check(&self, address: u32, size: u32) -> Res<()> {
        let start = self.pending_starts.last().copied().unwrap_or(0);
        let overlap = |e: &&Entry| e.address < address + size && address < e.address + e.size;
        match self.pending[start..].iter().find(overlap) {
            Some(e) => Err(Box::new(Stop::Conflict {
                other: e.pc,
                in_call: false,
                what: "both write the same object",
            })),
            None => Ok(()),
        }
    }

    /// Side effects noted stay pending for an enclosing assignment.
    pub(crate) fn pend_end(&mut self) {
        self.pending_starts.pop();
        if self.pending_starts.is_empty() {
            self.pending.clear();
        }
    }
}
