//! The events of a running hunt, for a user interface.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::record::{Checks, Cost, Finding, TargetResult, Tested};
use crate::worker::StudyOutcome;
use oracle::FailureKind;

/// What happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// The hunt begins: what is known before the first test.
    Begin(&'a Progress),
    /// A test was recorded.
    Tested(&'a Tested, &'a Progress),
    /// A finding was recorded; it is on disk.
    Found(&'a Finding, &'a Progress),
    /// A finding was studied; what was learnt is on disk. Or it could not be, and why.
    Studied(i64, Result<&'a StudyOutcome, &'a str>, &'a Progress),
    /// A message for the user: a worker joined or left, a test was set aside.
    Note(&'a str, &'a Progress),
    /// Nothing happened for a moment: time to redraw.
    Tick(&'a Progress),
    /// The hunt is over.
    End(&'a Progress),
}

/// The state of a hunt. Counts include what earlier runs on the same folder recorded, unless stated otherwise.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The first seed.
    pub seed: u64,
    /// Since this run began.
    pub elapsed: Duration,
    /// How long it is to last, if it was told.
    pub time: Option<Duration>,
    /// How many tests it is to do, if it was told.
    pub tests_wanted: Option<u64>,
    /// Tests recorded.
    pub tests: u64,
    /// Tests recorded by this run.
    pub tests_now: u64,
    /// Tests for which the machine had no answer, by the reason.
    pub skipped: BTreeMap<String, u64>,
    /// Tests whose programs have no answer and were compiled only, by the reason.
    pub unanswered: BTreeMap<String, u64>,
    /// Checks around arithmetic in all programs.
    pub checks: Checks,
    /// Variants that were tested besides their seeds.
    pub variants: u64,
    /// Processor time of tests, by what it was spent on.
    pub cost: Cost,
    /// Processor time of our own process in this run: generation, the machine, the harness.
    pub own: Duration,
    /// Processor time of compilers, compiled programs and detectors in this run.
    pub others: Duration,
    /// Processor time of studies in this run, ours and that of compilers; neither of the two above has it.
    pub studying: Duration,
    /// What has been under way for the longest, and for how long; `None` where that is not known.
    pub waits_for: Option<(String, Duration)>,
    /// What each target did, by label.
    pub targets: BTreeMap<String, BTreeMap<TargetResult, u64>>,
    /// Findings that stand, by kind.
    pub findings: BTreeMap<FailureKind, u64>,
    /// Findings that are disputed.
    pub disputed: u64,
    /// Findings that were seen once and wait for the next hunt to be confirmed.
    pub unconfirmed: u64,
    /// Findings of a comparison of which it cannot be told whether they are new.
    pub cannot_tell: u64,
    /// Numbers of the findings of this run, in their order; those that it has confirmed too.
    pub found_now: Vec<i64>,
    /// Different signatures among the findings that stand.
    pub signatures: u64,
    /// Findings that wait to be studied, that are being studied, and that this run has studied.
    pub studies: (u64, u64, u64),
    /// Findings whose study did not come to its end in its time, and which wait for more.
    pub unfinished: BTreeSet<i64>,
    /// Failures that did not show when tried again.
    pub flaky: u64,
    /// The last finding: number, kind and summary.
    pub newest: Option<(i64, FailureKind, String)>,
    /// Each engine: tests, new signatures, share of processor time so far, share it is due.
    pub engines: BTreeMap<String, EngineProgress>,
    /// Why the hunt ended; set with [`Event::End`].
    pub ended: Option<EndReason>,
}

/// How an engine does.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineProgress {
    /// Tests recorded.
    pub tests: u64,
    /// Signatures that it was the first to yield.
    pub signatures: u64,
    /// Its share of all processor time so far, 0 to 1.
    pub used: f64,
    /// The share it is due next, 0 to 1.
    pub due: f64,
}

/// Why a hunt ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// Its time is over.
    Time,
    /// All tests are done.
    Tests,
    /// Ctrl-C, or another request to stop.
    Interrupted,
    /// It could not continue: a full disk, a lost store. One sentence.
    Failed(String),
}
