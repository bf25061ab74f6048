//! Makes a failing program small and keeps it failing, for the same reason, and valid.
//!
//! [`reduce()`] keeps a [`oracle::Failure`] in sight: the same kind of fault, known by the same words,
//! on the targets that fail, and none on those that work. [`reduce_by_script`] asks a script, as
//! C-Reduce does. Both search (`search`) over the edits of [`cshrink`], which executes every
//! candidate before anybody is asked: a candidate without a defined result costs milliseconds and is
//! never shown to a compiler. Text that our parser does not take is reduced as text (`lines`),
//! which is then for the script to judge.
//!
//! Not here: where a failure comes from, and what is done with the result.

mod ask;
mod finish;
mod flags;
mod ir;
mod lines;
mod locked;
mod pool;
mod present;
mod script;
mod search;

pub use finish::finish_with_cvise;
pub use ir::{is_ir, reduce_ir};
pub use locked::{Reduced, reduce};
pub use present::present;
pub use script::{ByScript, Validity, reduce_by_script};

use std::time::{Duration, Instant};

use oracle::{Limits, Trouble};
use sandbox::Stop;

/// How to work.
#[derive(Clone, Debug)]
pub struct Order {
    /// Candidates at a time.
    pub jobs: usize,
    /// When this is over, the best so far is the result.
    pub time: Option<Duration>,
    /// Ends it; the best so far is the result.
    pub stop: Stop,
    /// Limits of compilers and programs.
    pub limits: Limits,
}

/// Where a reduction stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being tried.
    pub pass: &'static str,
    /// Tokens at the beginning.
    pub before: usize,
    /// Tokens now.
    pub tokens: usize,
    /// Candidates that were made.
    pub candidates: u64,
    /// Those of them that had a defined result, were new, and so were put to a compiler or script.
    pub asked: u64,
    /// Since the beginning.
    pub elapsed: Duration,
}

/// Told now and then.
pub type Tell<'a> = &'a (dyn Fn(&Progress) + Sync);

/// Why there is no result at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReduced {
    /// The failure does not show to begin with; what was seen.
    #[error("the failure does not show on the unreduced program: {0}")]
    NotShown(String),
    /// The program cannot be used; why.
    #[error("{0}")]
    Unusable(String),
    /// Our own inability.
    #[error("{0}")]
    Trouble(#[from] Trouble),
}

/// A clock that may be over.
#[derive(Clone, Copy, Debug)]
struct Clock {
    begin: Instant,
    end: Option<Instant>,
}

impl Clock {
    fn new(time: Option<Duration>) -> Clock {
        let begin = Instant::now();
        Clock { begin, end: time.and_then(|time| begin.checked_add(time)) }
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}
