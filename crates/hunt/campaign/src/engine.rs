//! Engines: what a seed becomes.
//!
//! An [`Engine`] does one whole test of a seed and says what came of it. Those that make C or C++
//! programs are [`Source`]s: they only make the program, and [`Programs`] puts it before the
//! detectors that are to be asked first, the compilers, and, if it is undefined, the sanitizers.

mod crossover;
mod csmith;
mod emi;
mod files;
mod passes;
mod smith;
mod yarp;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use oracle::{Case, Detector, Opinion, Trouble};
use reduce::NotReduced;
use sandbox::Stop;

pub use self::emi::{Emi, EmiOptions, SeedMaker, least};
pub use self::passes::{Backend, Judge, Passes, PassesOptions, Tally};
pub(crate) use self::passes::{exclusions_file, is_name as is_passes, start};
pub use crossover::Crossover;
pub use csmith::Csmith;
pub use files::Files;
pub use smith::{FUEL as SMITH_FUEL, STACK as SMITH_STACK, Smith, SmithOptions, Validate};
pub use yarp::Yarp;

use crate::bench::Bench;
use crate::predict::Unusable;
use crate::record::{Checks, Cost, Finding, Study, Tested};
use crate::store::StoredTarget;
use crate::{differential, eager, miss};

/// Something that makes tests out of seeds. The same seed is the same test, on every machine.
pub trait Engine: Send + Sync {
    /// Its name in the store; engines that make other programs of the same seed have other names.
    fn name(&self) -> &str;

    /// The seeds it has, when the hunt begins at `first`.
    fn seeds(&self, first: u64) -> Range<u64>;

    /// How many tests one of its tests stands for, about.
    fn tests_each(&self) -> u64 {
        1
    }

    /// Targets of its own, besides the compilers.
    fn targets(&self) -> Vec<StoredTarget> {
        Vec::new()
    }

    /// Basic blocks of compilers that its tests have reached, if it measures that.
    fn blocks(&self) -> Option<u64> {
        None
    }

    /// Studies a finding of its own in its own way; `None` for findings that are C programs.
    fn study(&self, _found: &Finding, _stop: &Stop) -> Option<Result<Study, NotReduced>> {
        None
    }

    /// Does the test of a seed.
    fn test(&self, seed: u64, bench: &Bench) -> Result<Tested, Trouble>;
}

/// Something that makes programs.
pub trait Source: Send + Sync {
    /// Its name in the store.
    fn name(&self) -> &str;

    /// The seeds it has, when the hunt begins at `first`.
    fn seeds(&self, first: u64) -> Range<u64> {
        first..u64::MAX
    }

    /// Makes the program of a seed; `dir` is an empty folder to work in. Processor time of other
    /// processes is added to `cost`; our own is measured by the caller.
    fn make(
        &self,
        seed: u64,
        dir: &Path,
        bench: &Bench,
        cost: &mut Cost,
    ) -> Result<Result<Made, Unusable>, Trouble>;
}

impl Source for Box<dyn Source> {
    fn name(&self) -> &str {
        self.as_ref().name()
    }

    fn seeds(&self, first: u64) -> Range<u64> {
        self.as_ref().seeds(first)
    }

    fn make(
        &self,
        seed: u64,
        dir: &Path,
        bench: &Bench,
        cost: &mut Cost,
    ) -> Result<Result<Made, Unusable>, Trouble> {
        self.as_ref().make(seed, dir, bench, cost)
    }
}

/// A program to test with.
#[derive(Clone, Debug)]
pub struct Made {
    /// The program and its answer.
    pub case: Case,
    /// Where it comes from, as a command or a file.
    pub origin: String,
    /// The machine's word on it.
    pub own: Opinion,
    /// Steps that the machine may take for it; `None` where it is not to be asked.
    pub fuel: Option<u64>,
    /// Somebody else wrote it: it has one defined result, but need not be valid C in all its parts.
    pub is_foreign: bool,
    /// Why it has no answer, where it has none.
    pub unanswered: Option<String>,
    /// Its checks around arithmetic.
    pub checks: Checks,
    /// Who is to be asked for an opinion before any compiler.
    pub first: BTreeSet<Detector>,
}

impl Made {
    /// A program with an answer and without checks, which the machine executed.
    pub fn new(case: Case, origin: String, own: Opinion, fuel: u64) -> Made {
        Made {
            case,
            origin,
            own,
            fuel: Some(fuel),
            is_foreign: false,
            unanswered: None,
            checks: Checks::default(),
            first: BTreeSet::new(),
        }
    }
}

/// An engine of programs that are put before compilers.
pub struct Programs<S>(pub S);

impl<S: Source> Engine for Programs<S> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn seeds(&self, first: u64) -> Range<u64> {
        self.0.seeds(first)
    }

    fn test(&self, seed: u64, bench: &Bench) -> Result<Tested, Trouble> {
        let folder = bench.folder()?;
        let mut cost = Cost::default();
        let (made, own) =
            crate::bench::timed(|| self.0.make(seed, folder.path(), bench, &mut cost));
        let mut tested = Tested::new(self.name(), seed);
        bench.generated(cost.generate);
        tested.cost = cost;
        tested.cost.generate += own;
        match made? {
            Ok(mut made) => {
                tested.checks = made.checks;
                eager::test(bench, &mut made, &mut tested)?;
                tested.unanswered = made.unanswered.clone();
                differential::test(bench, seed, &made, &mut tested, &mut |_| {})?;
                miss::test(bench, seed, &made, &mut tested)?;
            }
            Err(unusable) => tested.skipped = Some(unusable.reason),
        }
        Ok(tested)
    }
}
