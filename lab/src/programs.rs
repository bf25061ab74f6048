//! Programs to measure generators by: where they come from, and what one needs to be judged.
//!
//! A [`Source`] writes programs and says what each took to generate. [`StockTools::prepare`] turns one
//! into a [`Program`]: preprocessed, its driver compiled, its output known, and each step's cost
//! with the compiler as it is. Programs without an answer of their own get gcc -O0's; those that do
//! not end are left out, and their generation is charged to the next.

mod bench;
mod source;

pub use bench::{RunResult, SIGXCPU, StockTools, WRONG};
pub use source::Source;

use std::path::PathBuf;
use std::time::Duration;

/// A program as its generator wrote it.
#[derive(Clone, Debug)]
pub struct Raw {
    /// What to call it: its seed or its file.
    pub name: String,
    /// The unit under test.
    pub unit: PathBuf,
    /// The other units.
    pub rest: Vec<PathBuf>,
    /// Header folder, if it needs one.
    pub include: Option<PathBuf>,
    /// What it prints, if the generator knows.
    pub expected: Option<Vec<u8>>,
    /// Processor time to generate it.
    pub generation: Duration,
}

/// A program that is ready to be tested with.
#[derive(Clone, Debug)]
pub struct Program {
    /// What to call it.
    pub name: String,
    /// The unit under test, preprocessed.
    pub unit: PathBuf,
    /// Objects of the other units.
    pub rest: Vec<PathBuf>,
    /// What it prints and its exit status.
    pub answer: RunResult,
    /// What the stock compiler makes of the unit.
    pub assembly: Vec<u8>,
    /// Processor time of the steps, generation to run.
    pub cost: Cost,
}

/// Processor time of one test, by steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// To generate the program, and those before it that were of no use.
    pub generation: Duration,
    /// To compile the unit under test to assembly.
    pub compile: Duration,
    /// To compile the other units, assemble and link.
    pub link: Duration,
    /// To run it.
    pub run: Duration,
}

impl Cost {
    /// All of it.
    pub fn total(self) -> Duration {
        self.generation + self.compile + self.link + self.run
    }
}
