//! Hunts: engines scheduled over workers, findings kept in a store.
//!
//! [`hunt()`] runs a [`Plan`] and reports [`Event`]s; [`Store`] is what stays. [`check()`] is one test of a
//! user's own program, without a store. [`study_finding`] reduces a finding and finds out all about it; [`recheck_finding`]
//! asks whether it is still there. A [`Crew`] does the work of a hunt: threads of this process, or, in
//! `cluster`, workers on other machines.
//!
//! | module | concern |
//! | --- | --- |
//! | `plan`, `engine/` | what is to be done; a seed to a test |
//! | `draw`, `allocation` | the targets of a test; where the time of compilers goes |
//! | `differential` | one program on all targets, to findings with standing and certificate |
//! | `predict`, `seed`, `front` | the machine's result for a program that we did not generate; programs as `emi` takes them; C to IR by clang |
//! | `queue`, `schedule` | tests still to do; which engine is next |
//! | `worker`, `bench` | takes work from a supply, hands in results; what all tests share |
//! | `hunt`, `event` | the recording thread, and what it reports |
//! | `store/`, `record` | SQLite: tests, tallies, findings, files, samples over time |
//! | `baseline/` | comparisons: an older compiler or library that must be right |
//! | `eager` | detectors that are asked before any compiler |
//! | `miss` | undefined behaviour that a sanitizer should have reported and did not |
//! | `operators` | what a program is made of, where nothing better tells bugs apart |
//! | `attribution` | which studied bug explains a failure, before it is reduced |
//! | `study`, `recheck` | findings reduced, blamed, compared over versions; asked again |
//! | `explain` | which studied bug explains a miscompiled module |
//! | `relatives` | the compilers that a version ladder asks |
//! | `title` | the line by which people know a finding |
//! | `module`, `program`, `refinement` | findings that are LLVM modules, C programs under a sequence, failed refinements |
//!
//! **A test is an engine and a seed.** Engines that would make another program of the same seed (another
//! language, another policy) have another name. Targets are drawn from the seed and from
//! what the hunt has learnt so far. So a test can be done twice, by anybody, and a hunt that was killed simply repeats
//! what was in flight; a failure that waits to be confirmed brings its targets with it.
//!
//! **The store** commits a test with its findings as one transaction and flushes it. An event is sent after
//! the commit: what was seen on the screen is on the disk.
//!
//! **Programs without a result.** A program that is undefined, or depends on what C leaves unspecified, is
//! compiled at all levels and never run: a crash, a hang or a compiler that exhausts memory is a bug whatever
//! the program means. `eager` asks detectors before the compilers and withdraws the result of a program to
//! which one objects; where the machine had a result, that is a *disagreement*, always disputed. `miss` turns
//! some undefined programs on the sanitizers: one table says which behaviour each sanitizer documents to find;
//! silence is a *sanitizer-miss*, confirmed only if another tool objects to the same line.
//!
//! **Standing.** A wrong-code finding is *confirmed* only with a witness: a target, or a sanitizer's build,
//! that does what the machine says, and no detector that calls the program undefined. Otherwise it is
//! *disputed*: kept, counted separately, and most likely a bug of ours.
//!
//! **Findings** are data: a [`Subject`] of `finding` says what failed on what. Labels and commands are made of it;
//! only `store/older` reads text of that kind, for stores of versions 1 to 4.
//!
//! **Studies.** A [`Study`] is the reduced program with its fewest flags, certificate, version ladder, blame
//! key and mask, what it prints, and the code before and after the blamed pass. The first finding of a signature is
//! studied; of wrong code and miscompiled modules, whose signature says little, each that no studied bug explains. A study
//! that was interrupted is not stored: the next hunt makes it. Studies have a quarter of the workers' time as long
//! as there are tests to do; one that needs more waits, and goes on from the program that it had reduced.
//!
//! **Nothing seen is lost.** A failure is noted when it is first seen. A test that is interrupted while the
//! failure is tried again, certified or taken back to a mutation hands it in as not confirmed; the test is done
//! again by the next hunt on the folder, which confirms the finding under the same number.
//!
//! **Scheduling.** Each engine gets an equal share of time and a share that follows its new signatures per
//! second of processor time. The unit is time, not tests, so that fast and slow engines can share.
//!
//! **Accounting.** *Our own* time is all processor time of the process and its children that is not in a
//! compiler, a compiled program or a detector; all time of studies is a sum of its own. Every five seconds the hunt samples time, tests, findings,
//! processor time and blocks reached; sums continue over runs, and old samples are thinned. Sums by engine are
//! kept in the transaction of each test, so that a page does not count a million rows.
//!
//! **Architecture Invariant:** a program without a result is never run on a target.

mod allocation;
mod attribution;
mod baseline;
mod bench;
mod check;
mod differential;
mod draw;
mod eager;
mod engine;
mod event;
mod explain;
pub mod front;
mod hunt;
mod miss;
mod module;
mod operators;
mod plan;
mod predict;
mod program;
mod queue;
mod recheck;
mod record;
mod refinement;
mod relatives;
mod schedule;
mod seed;
mod store;
mod study;
mod title;
mod worker;

pub use allocation::{Accounts, Arm, Weights};
pub use attribution::{Attribution, KnownBugs};
pub use baseline::Baseline;
pub use bench::TestBench;
pub use check::{CheckReport, check};
pub use draw::{DrawnTarget, TargetChoice, draw};
pub use engine::{
    Backend, EmiOptions, Engine, Judge, PassesOptions, PassesTally, SMITH_FUEL, SMITH_STACK,
    SeedMaker, SmithOptions, TestProgram, Validate, least,
};
pub use event::{EndReason, EngineProgress, Event, Progress};
pub use explain::{adopt_key, explained_by};
pub use finding::Subject;
pub use hunt::{Crew, Task, hunt, hunt_on, hunt_with};
pub use module::{FILE as MODULE, LlvmTools};
pub use plan::{EngineChoice, Plan};
pub use predict::{Unusable, own_opinion};
pub use program::forget_exclusions;
pub use queue::{Queue, QueuedTest, SeedBlock, WorkItem};
pub use recheck::{
    MaskState, RecheckOptions, RecheckOutcome, Rechecked, Specimen, recheck_finding, write_files,
};
pub use record::{
    ArmUse, BugState, Checks, Cost, Finding, NewFinding, Standing, Study, TargetResult, Tested,
};
pub use refinement::{AFTER, COUNTEREXAMPLE, RefinementOracles, RefinementQuery};
pub use schedule::LONGEST_STUDY;
pub use seed::{Seed, donors, texts};
pub use store::{
    Bug, BugCount, Counts, EngineSpent, ListedFinding, NotedState, Sample, Snapshot, Store,
    StoredTarget, StudyBrief, Suppression,
};
pub use study::{
    CompilerFinder, StudyOptions, StudyProgress, agreed_result, failing, shrink, study_finding,
    summary_of,
};
pub use title::{Title, pass_name};
pub use worker::{
    Delivery, SharedQueue, StudyFailure, StudyOutcome, WorkResult, WorkSource, Worker,
};
