//! Hunts over many machines: work, results and leases on NATS JetStream.
//!
//! [`Coordinator`] is a [`campaign::Crew`]: it deals what is on the board as blocks of seeds on a work-queue
//! stream and sends home what comes back on another. [`join()`] is the other end: a process that takes
//! blocks, tests as a local hunt does, and publishes what came of each test. Neither knows how programs
//! are made or judged, and the recording side of a hunt does not know which of the two crews it has.
//!
//! Nothing is lost, because a message is acknowledged only when what it stands for is safe one step
//! further: a block when all its results are on the results stream, a result when it is on the disk of the
//! store. Nothing is doubled, because a test is an engine and a seed, and is recorded once.
//!
//! | what | name | kind |
//! | --- | --- | --- |
//! | work | `gainsay-work` | stream, work queue, a subject and a consumer for each engine and set of targets |
//! | results | `gainsay-results` | stream, work queue, deduplicated by message id |
//! | the hunt, target sets | `gainsay-hunt` | key-value bucket |
//! | leases | `gainsay-leases` | key-value bucket whose entries age: the coordinator, each bug that is reduced |
//! | questions | `gainsay.look` | subject: the coordinator answers for its store |
//! | files | `gainsay-files` | object store: what options name, and messages that are too long |

mod access;
mod coordinator;
mod files;
mod join;
mod lease;
mod link;
mod load;
mod look;
mod supply;
mod wire;

pub use access::{Access, Secret};
pub use coordinator::{Coordinator, Options};
pub use files::{pack, unpack};
pub use join::{Joined, Member, join};
pub use load::measure;
pub use look::{Shown, Watch};
pub use wire::{Shipped, Spec};
