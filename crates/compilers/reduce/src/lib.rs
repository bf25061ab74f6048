//! Makes a failing program small and keeps it failing, for the same reason, and valid.
//!
//! [`reduce()`] keeps an [`oracle::Failure`]: the same kind of fault, known by the same words, on the targets
//! that fail, and none on those that work. [`reduce_by_script`] asks a script, as C-Reduce does. Both search
//! over the edits of [`cshrink`], which executes every candidate first: one without a defined result costs
//! milliseconds and is never shown to a compiler. Text that our parser does not accept is reduced as text
//! (`lines`), and the script alone judges it.
//!
//! **A pass is a list of edits**, level by level. `search` tries all edits of a level together, then halves,
//! down to single ones. After a success the list is made anew and the search goes on at the same place.
//!
//! **The lock** (`locked`): a candidate must fail with the same fault on one failing target and be right on
//! the right target most like it. The failing target is asked first, since most candidates end there. The
//! other targets are asked at the end of a round; one that was lost is watched from then on, and the round is
//! repeated. A target that never behaved as claimed is dropped.
//!
//! **Candidates run in parallel** (`pool`) as if one after the other: the first in order wins, those after it
//! are killed. So the result does not depend on the number of jobs, except through time limits.
//!
//! **C++** is reduced as the C that it is at heart (`cxx`): the machine executes the tree, compilers get it printed
//! as C++. What is more than that is reduced as text, and every candidate has to pass the compilers' own checks
//! (`checked`).
//!
//! **Architecture Invariant:** no C that the machine has not executed to a defined end is shown to a
//! compiler as a candidate for wrong code. A crash may be reduced without execution, where the machine does
//! not support the program in the first place.
//!
//! Not here: where a failure comes from, and what is done with the result.

mod ask;
mod checked;
mod cxx;
mod finish;
mod flags;
mod ir;
mod lines;
mod locked;
mod pool;
mod present;
mod script;
mod search;

pub use checked::agreed_result;
pub use cxx::as_c;
pub use finish::finish_with_cvise;
pub use ir::{is_ir, reduce_ir};
pub use locked::{Reduced, executed, reduce};
pub use present::present;
pub use script::{ReducedByScript, Validity, reduce_by_script};

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use cmask::Construct;
use oracle::{Limits, Trouble};
use sandbox::Stop;

/// How to reduce.
#[derive(Clone, Debug)]
pub struct ReduceOptions {
    /// Candidates at a time.
    pub jobs: usize,
    /// When this is over, the best so far is the result.
    pub time: Option<Duration>,
    /// Ends it; the best so far is the result.
    pub stop: Stop,
    /// Limits of compilers and programs.
    pub limits: Limits,
    /// What fails must still fail behind these, or one bug's program could be reduced to another's.
    pub known: KnownMasks,
}

/// What hides the bugs that are known already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownMasks {
    /// The constructs that they are about.
    pub constructs: BTreeSet<Construct>,
    /// Flags that switch off the parts of the compiler where they are.
    pub flags: Vec<String>,
}

impl KnownMasks {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == KnownMasks::default()
    }
}

/// The state of a reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct ReduceProgress {
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

/// Called now and then with the progress.
pub type ProgressFn<'a> = &'a (dyn Fn(&ReduceProgress) + Sync);

/// Why there is no result at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReduced {
    /// The failure does not show to begin with; what was seen.
    #[error("the failure does not show on the unreduced program: {0}")]
    NotShown(String),
    /// The program cannot be used; why.
    #[error("{0}")]
    Unusable(String),
    /// Our own trouble.
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
