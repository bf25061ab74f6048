//! Hunts: engines scheduled over workers, findings kept in a store.

mod event;
mod record;

pub use event::{Ended, EngineProgress, Event, Progress};
pub use record::{Cost, Finding, NewFinding, Standing, Tested, Word};
