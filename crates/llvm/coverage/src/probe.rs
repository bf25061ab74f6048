//! A library that is watched, whichever way: what a run reached that none before it did.

use crate::{Counters, Set, Traps};

/// A library that is watched by breakpoints or by its own counters.
#[derive(Debug)]
pub enum Probe {
    /// A feature is the number of a block that was hit for the first time.
    Traps {
        /// The breakpoints.
        traps: Traps,
        /// Hits that have been told.
        told: usize,
    },
    /// A feature is a counter and roughly what it counted.
    Counters {
        /// The counters.
        counters: Counters,
        /// Features that have been told.
        told: Set,
    },
}

impl Probe {
    /// To be called before each run: counters start from zero, and earlier hits are dropped.
    pub fn begin(&mut self) {
        match self {
            Probe::Traps { traps, told } => *told = traps.count(),
            Probe::Counters { counters, .. } => counters.reset(),
        }
    }

    /// The features of the run, or runs, since [`begin`](Probe::begin) that were not reported before.
    pub fn fresh(&mut self) -> Vec<u32> {
        match self {
            Probe::Traps { traps, told } => {
                let count = traps.count();
                traps.between(std::mem::replace(told, count), count)
            }
            Probe::Counters { counters, told } => {
                counters.features().into_iter().filter(|&feature| told.insert(feature)).collect()
            }
        }
    }

    /// Lets features be fresh once more, so that a second run shows whether it reaches them again.
    pub fn forget(&mut self, features: &[u32]) {
        match self {
            Probe::Traps { traps, .. } => traps.rearm(features),
            Probe::Counters { told, .. } => {
                *told = told.difference(&features.iter().copied().collect());
            }
        }
    }

    /// Marks features as known, because a fork reported them for example; all hits up to now as well.
    pub fn mark_known(&mut self, features: &[u32]) {
        match self {
            Probe::Traps { traps, told } => {
                traps.disarm(features);
                *told = traps.count();
            }
            Probe::Counters { told, .. } => told.extend(features.iter().copied()),
        }
    }

    /// A fork calls this before it ends, however it ends. Async-signal-safe.
    pub fn publish(&self) {
        if let Probe::Counters { counters, .. } = self {
            counters.publish();
        }
    }
}

impl From<Traps> for Probe {
    /// Hits so far count as told.
    fn from(traps: Traps) -> Probe {
        Probe::Traps { traps, told: traps.count() }
    }
}

impl From<Counters> for Probe {
    fn from(counters: Counters) -> Probe {
        Probe::Counters { counters, told: Set::new() }
    }
}
