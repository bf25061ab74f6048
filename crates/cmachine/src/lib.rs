//! The abstract machine: executes a [`ctree::Program`] and knows its exact output, or exactly why
//! it has none.

pub mod outcome;

pub use outcome::{Exit, Node, Outcome, UbKind, UnspecKind, Verdict};

use ctree::Program;

/// Limits and hooks of an execution.
#[derive(Clone, Debug)]
pub struct MachineConfig {
    /// Greatest number of machine steps.
    pub fuel: u64,
    /// Greatest number of bytes in live objects.
    pub memory: u64,
    /// Greatest depth of calls.
    pub call_depth: u32,
}

impl Default for MachineConfig {
    fn default() -> Self {
        // A machine step is a few native instructions: this is tens of seconds. Real stacks are
        // 8 MiB, so deeper recursion would not survive in a compiled program either.
        MachineConfig { fuel: 20_000_000_000, memory: 128 << 20, call_depth: 50_000 }
    }
}

/// What an execution showed.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Everything written to standard output before that.
    pub stdout: Vec<u8>,
    /// Machine steps taken.
    pub steps: u64,
}

/// Executes `main` of a program.
pub fn run(_program: &Program, _config: &MachineConfig) -> Report {
    Report { outcome: Outcome::Internal("not built yet".into()), stdout: Vec::new(), steps: 0 }
}
