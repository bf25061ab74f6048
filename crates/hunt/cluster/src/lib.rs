//! Hunts over many machines: work, results and leases on NATS JetStream.
//!
//! ```text
//! queue ──coordinator──▶ gainsay-work ──▶ worker: test, test, … ──▶ gainsay-results ──coordinator──▶ store
//!        (work items)     (acknowledged when all results are stored)     (when it is on the disk)
//! ```
//!
//! [`Coordinator`] is a [`campaign::Crew`]: it deals blocks of seeds out of the hunt's queue on a work-queue
//! stream and passes on the results that come back on another. [`join()`] is the other end: a process that
//! takes blocks, tests as a local hunt does, and publishes the result of each test. Neither knows how programs
//! are made or judged, and the recording side of a hunt does not know which crew it has.
//!
//! | module | concern |
//! | --- | --- |
//! | `access`, `link` | addresses, credentials, TLS and a sentence for each mistake; streams, buckets, objects, retries |
//! | `wire`, `files` | messages; files and folders that options name |
//! | `coordinator` | deals blocks, takes in results, reassigns the work of lost workers |
//! | `join`, `supply` | a worker: waits for a hunt, prepares as the hunt's own arguments say, is a `campaign::WorkSource` |
//! | `lease` | who reduces a bug, who coordinates |
//! | `look` | the coordinator answers for its store |
//! | `load` | messages a second, for the bench |
//!
//! | what | name | kind |
//! | --- | --- | --- |
//! | work | `gainsay-work` | stream, work queue, a subject and a consumer for each engine and set of targets |
//! | results | `gainsay-results` | stream, work queue, deduplicated by message id |
//! | the hunt, target sets | `gainsay-hunt` | key-value bucket |
//! | leases | `gainsay-leases` | key-value bucket whose entries age: the coordinator, each bug that is reduced |
//! | questions | `gainsay.look` | subject: the coordinator answers for its store |
//! | files | `gainsay-files` | object store: what options name, and messages that are too long |
//!
//! **Targets.** Each worker matches `--cc` against its own compilers. The result is its target set, identified
//! by labels, versions and triples. Each set and engine has a subject and a consumer, so a block is done, and
//! done again after a death, on exactly the targets that it was dealt for. A set without workers gives its
//! work back.
//!
//! **Poisonous work.** A block that five workers did not finish is dealt again test by test; a test that five
//! workers did not finish is recorded as skipped, with the reason.
//!
//! **A coordinator that was killed** is started again with the same command. It takes what waits on the results
//! stream, clears the work that no worker has begun, and hands out what is not in its store.
//!
//! **Architecture Invariant:** a message is acknowledged when what it stands for is safe one step further, and
//! not before. A test is recorded once, whichever worker did it and however often: the queue accepts a result once, and
//! the store has engine and seed as its key.

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
pub use join::{WorkerEvent, WorkerOptions, join};
pub use load::measure;
pub use look::{FindingDetail, HuntClient};
pub use wire::{Shipped, Spec};
