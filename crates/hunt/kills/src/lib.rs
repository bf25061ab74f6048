//! Hunts that are killed at random moments, and what must hold after each: for `cargo lab kills` and for tests.
//!
//! | module | concern |
//! | --- | --- |
//! | `scenario` | hunts of all engines on planted compilers, whose findings come fast |
//! | `victim` | one hunt, started again and again on one folder, and killed |
//! | `kept` | what its folder holds: nothing of it may be lost, and its sums must agree |
//! | `left` | what a killed hunt leaves behind: processes and scratch folders |
//!
//! **What must hold after a kill.** The store opens and [`campaign::Store::verify`] has no complaint. Every
//! finding and every study that was announced on the event stream is in it. Findings, studies, attributions and
//! tests are never fewer than before, and a confirmed finding stays confirmed. Nothing that the hunt started is
//! alive a moment later, and nobody holds its scratch folders. The next start goes on with as many tests as the
//! store has.

mod kept;
mod left;
mod scenario;
mod victim;

pub use kept::{FolderState, Kept};
pub use scenario::{Scenario, scenarios};
pub use victim::{Blow, Killed, Moment, Reached, Victim};
