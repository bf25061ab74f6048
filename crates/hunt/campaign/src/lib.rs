//! Hunts: engines scheduled over workers, findings kept in a store.
//!
//! [`hunt()`] runs a [`Plan`] and tells of it by [`Event`]s; [`Store`] is what stays. A test is an
//! engine and a seed, and doing it twice changes nothing. [`check()`] is one test of somebody's own
//! program, without a store.
//!
//! [`study()`] makes what was found small and finds out all about it; [`recheck()`] asks whether it is
//! still there. A [`Crew`] does the work of a hunt: threads of this process, or, in `cluster`, workers on
//! other machines.

mod bench;
mod check;
mod differential;
mod eager;
mod engine;
mod event;
pub mod front;
mod hunt;
mod miss;
mod module;
mod plan;
mod predict;
mod program;
mod queue;
mod recheck;
mod record;
mod refinement;
mod schedule;
mod seed;
mod store;
mod study;
mod worker;

pub use bench::Bench;
pub use check::{Checked, check};
pub use engine::{
    Backend, EmiOptions, EmiSeeds, Engine, Judge, Made, PassesOptions, SMITH_FUEL, SMITH_STACK,
    SeedMaker, SmithOptions, Tally as PassesTally, Validate, least,
};
pub use event::{Ended, EngineProgress, Event, Progress};
pub use hunt::{Crew, Task, hunt, hunt_with};
pub use module::{
    FILE as MODULE, Patient as ModulePatient, is_module, read_label, recheck_module, study_module,
};
pub use plan::{EngineChoice, Plan};
pub use predict::{Unusable, own_opinion};
pub use program::{
    Subject as ProgramSubject, forget_exclusions, is_sequenced, recheck_program, study_program,
};
pub use queue::{Block, Item, Queue, Work};
pub use recheck::{Rechecked, Subject, Verdict, recheck, stored_case, study_case};
pub use record::{Checks, Cost, Finding, NewFinding, Standing, State, Study, Tested, Word};
pub use refinement::{AFTER, COUNTEREXAMPLE};
pub use seed::{Seed, donors, texts};
pub use store::{
    Brief, Bug, Counts, Listed, Noted, Recipe, Sample, Snapshot, Spent, Store, StoredTarget,
    Suppression,
};
pub use study::{Patient, Step, shrink, study, summary_of, suspicions, targets_of};
pub use worker::{Board, Done, Failed, Letter, Supply, Worker};
