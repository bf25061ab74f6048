//! The interestingness test: whether a candidate still shows the failure.

use std::path::Path;

use cshrink::Specimen;
use oracle::Trouble;
use sandbox::Stop;

/// Where one candidate is tried.
#[derive(Debug)]
pub(crate) struct TrialSlot<'a> {
    /// A folder of its own, empty but for what the last candidate left.
    pub dir: &'a Path,
    /// Set when the answer is not wanted any more.
    pub stop: &'a Stop,
}

/// An interestingness test.
pub(crate) trait Interestingness: Sync {
    /// Whether it is. What `stop` cuts short is [`Trouble::Stopped`].
    fn ask(&self, specimen: &Specimen, slot: &TrialSlot<'_>) -> Result<bool, Trouble>;

    /// A more expensive test of the result of a whole round: whether nothing else was lost. A test
    /// that fails here has taken note and checks more the next time.
    fn confirm(&self, _: &Specimen, _: &TrialSlot<'_>) -> Result<bool, Trouble> {
        Ok(true)
    }
}
