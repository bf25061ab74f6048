//! Hunts: engines scheduled over workers, findings kept in a store.
//!
//! [`hunt()`] runs a [`Plan`] and tells of it by [`Event`]s; [`Store`] is what stays. A test is an
//! engine and a seed, and doing it twice changes nothing. [`check()`] is one test of somebody's own
//! program, without a store.
//!
//! Not here yet: reduction, blame and de-duplication of findings beyond the oracle's signatures;
//! hunts over many machines.

mod bench;
mod check;
mod differential;
mod engine;
mod event;
mod hunt;
mod plan;
mod predict;
mod queue;
mod record;
mod schedule;
mod store;

pub use check::{Checked, check};
pub use engine::Made;
pub use event::{Ended, EngineProgress, Event, Progress};
pub use hunt::hunt;
pub use plan::{EngineChoice, Plan};
pub use predict::own_opinion;
pub use record::{Cost, Finding, NewFinding, Standing, Tested, Word};
pub use store::Store;
