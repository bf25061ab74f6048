//! One user program on all compilers, without a store.

use std::sync::Arc;

use oracle::{Lab, Limits, Observation, Trouble};
use sandbox::Stop;
use toolchain::Compiler;

use crate::bench::TestBench;
use crate::differential;
use crate::engine::TestProgram;
use crate::record::Tested;

/// The result.
#[derive(Debug)]
pub struct CheckReport {
    /// What was seen on each target.
    pub observations: Vec<Observation>,
    /// The result of each target, and the findings with their standing and certificate.
    pub tested: Tested,
}

/// Tests a program of which the machine knows the answer; calls `begin` with the label of each
/// target before it is its turn.
pub fn check(
    made: &TestProgram,
    compilers: Vec<Arc<Compiler>>,
    limits: Limits,
    stop: &Stop,
    begin: &mut dyn FnMut(&str),
) -> Result<CheckReport, Trouble> {
    let lab = Lab { limits, stop: stop.clone() };
    let bench = TestBench::new(lab, compilers, 0);
    let mut tested = Tested::new("check", 0);
    let observations = differential::test(&bench, 0, made, &mut tested, begin)?;
    Ok(CheckReport { observations, tested })
}
