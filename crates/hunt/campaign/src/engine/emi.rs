//! The engine `emi`: programs of the other engines, and variants of them that print the same.
//!
//! A test is a seed with all its variants, each derived from the last that no compiler failed on: a bug would
//! show in all that have the mutation, and hide others. The seed itself comes first: what
//! it shows is not reported of its variants again. A variant that fails is reduced to the fewest mutations
//! that still fail (`culprits`) before it is recorded.

mod culprits;

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use choice::Choices;
use cmachine::MachineConfig;
use ctree::Program;
use emi::{Chain, Strategies, Strategy, Variant};
use oracle::{Case, Expected, Lab, Suspicion, Trouble};
use toolchain::{Language, Preprocessor, on_path};

use super::{Engine, Source, TestProgram};
use crate::bench::{TestBench, timed};
use crate::differential::{self, DifferentialTest};
use crate::plan::EngineChoice;
use crate::predict::{OUR_BUG, Unusable, answer, own_opinion};
use crate::record::{Cost, NewFinding, Tested};
use crate::seed::{Seed, donors, texts};
pub use culprits::least;
use culprits::{Culprits, MutationBlame};

/// Options of the engine.
#[derive(Clone, Debug)]
pub struct EmiOptions {
    /// Engines of C programs where seeds come from; each seed is of one of them.
    pub seeds: Vec<EngineChoice>,
    /// The mutations to choose from.
    pub strategies: Strategies,
    /// Variants of a seed.
    pub variants: u32,
}

impl Default for EmiOptions {
    /// Yarp, smith, and Csmith where it is installed.
    fn default() -> Self {
        let csmith = on_path("csmith").is_some().then(EngineChoice::csmith);
        let seeds =
            [EngineChoice::yarp(), EngineChoice::smith()].into_iter().chain(csmith).collect();
        EmiOptions { seeds, strategies: Strategies::default(), variants: 10 }
    }
}

/// Makes seeds as hunts do, for callers that only need the programs.
pub struct SeedMaker {
    source: Box<dyn Source>,
    preprocessor: Preprocessor,
    bench: TestBench,
}

impl SeedMaker {
    /// Seeds of one kind; an error is a sentence about what is missing.
    pub fn new(seeds: &EngineChoice) -> Result<SeedMaker> {
        let bench = TestBench::new(Lab::default(), Vec::new(), 0);
        let source = seeds.source(Language::C)?;
        Ok(SeedMaker { source, preprocessor: Preprocessor::find()?, bench })
    }

    /// How many there are, if that is known.
    pub fn count(&self) -> Option<u64> {
        Some(self.source.seeds(0).end).filter(|end| *end != u64::MAX)
    }

    /// The program of a number, as it is tested.
    pub fn program(&self, number: u64) -> Result<Result<TestProgram, Unusable>, Trouble> {
        let folder = self.bench.folder()?;
        self.source.make(number, folder.path(), &self.bench, &mut Cost::default())
    }

    /// The seed of a number, as it is tested and as it is mutated.
    pub fn make(&self, number: u64) -> Result<Result<(TestProgram, Seed), Unusable>, Trouble> {
        let folder = self.bench.folder()?;
        let mut cost = Cost::default();
        made(
            self.source.as_ref(),
            &self.preprocessor,
            number,
            folder.path(),
            &self.bench,
            &mut cost,
        )
    }
}

/// Makes the program of a number and reads it. A folder is gone through again and again.
fn made(
    source: &dyn Source,
    preprocessor: &Preprocessor,
    number: u64,
    dir: &Path,
    bench: &TestBench,
    cost: &mut Cost,
) -> Result<Result<(TestProgram, Seed), Unusable>, Trouble> {
    let has = source.seeds(number);
    let within = has.end.saturating_sub(has.start).max(1);
    let number = if has.contains(&number) { number } else { has.start + number % within };
    let made = match source.make(number, dir, bench, cost)? {
        Ok(made) => made,
        Err(unusable) => return Ok(Err(unusable)),
    };
    if let Some(reason) = &made.unanswered {
        return Ok(Err(Unusable { reason: reason.clone(), detail: made.origin }));
    }
    bench.lab.write(&made.case, dir)?;
    let preprocessor = made.case.include.iter().fold(preprocessor.clone(), |p, dir| p.include(dir));
    let units: Vec<PathBuf> = made.case.units().map(|unit| dir.join(unit)).collect();
    Ok(Seed::read(&units, &preprocessor, &mut cost.generate).map(|seed| (made, seed)))
}

/// The engine.
pub struct Emi {
    name: String,
    sources: Vec<Box<dyn Source>>,
    strategies: Strategies,
    variants: u32,
    preprocessor: Preprocessor,
}

impl Emi {
    /// Tests of this kind; an error is a sentence about what is missing.
    pub fn new(options: &EmiOptions) -> Result<Emi> {
        let sources = options.seeds.iter().map(|seeds| seeds.source(Language::C));
        let sources = sources.collect::<Result<Vec<Box<dyn Source>>>>()?;
        let of: Vec<&str> = sources.iter().map(|source| source.name()).collect();
        let (strategies, variants) = (options.strategies.clone(), options.variants);
        let name = format!("emi {strategies} {variants} of {}", of.join(", "));
        Ok(Emi { name, sources, strategies, variants, preprocessor: Preprocessor::find()? })
    }

    /// The program of a seed, and the beginning of its variants.
    fn begin(
        &self,
        seed: u64,
        bench: &TestBench,
        cost: &mut Cost,
    ) -> Result<Result<(TestProgram, Chain, Expected), Unusable>, Trouble> {
        let source = &self.sources[Choices::new(seed).fork("source").index(self.sources.len())];
        let folder = bench.folder()?;
        let made = made(source.as_ref(), &self.preprocessor, seed, folder.path(), bench, cost)?;
        Ok(made.and_then(|(made, read)| {
            let chain = read.chain(&self.strategies, &MachineConfig::default(), seed);
            let chain = chain.map_err(|unfit| unusable(&unfit.0))?;
            let found = answer(chain.seed().clone())?;
            match Some(&found.expected) == made.case.expected.as_ref() {
                true => Ok((made, chain, found.expected)),
                false => Err(Unusable {
                    reason: format!("{OUR_BUG}: a seed prints something else when it is read"),
                    detail: made.origin,
                }),
            }
        }))
    }

    /// Derives variants and tests them; what fails is not the base of the next.
    fn variants(
        &self,
        seed: u64,
        made: &TestProgram,
        chain: &mut Chain,
        expected: &Expected,
        bench: &TestBench,
        tested: &mut Tested,
    ) -> Result<(), Trouble> {
        let of_seed: Vec<String> = tested.findings.iter().map(|f| f.signature.clone()).collect();
        let mut without = Vec::new();
        for number in 1..=self.variants {
            if bench.lab.stop.is_set() {
                return Err(Trouble::Stopped);
            }
            let (derived, own) = timed(|| chain.next(self.database()));
            tested.cost.generate += own;
            let derived = match derived {
                Ok(derived) => derived,
                Err(wrong) => {
                    let new = wrong.variant.edits().get(wrong.new.clone()).unwrap_or_default();
                    let by = names(new.iter().map(|edit| edit.strategy));
                    tested.skipped = Some(format!("{OUR_BUG}: a variant by {by} is not its seed"));
                    return Ok(());
                }
            };
            // Nothing new to show to anybody.
            if derived.new.is_empty() {
                continue;
            }
            let (without_them, of_seed) = (&without, &of_seed);
            let subject =
                VariantTest { emi: self, seed, made, number, without_them, of_seed, expected };
            let program = chain.program();
            let failed = subject.test(chain.variant(), program, derived.steps, bench, tested)?;
            tested.variants += 1;
            if failed {
                chain.undo();
                without.push(number);
            }
        }
        Ok(())
    }

    fn database(&self) -> &emi::Database {
        static NONE: std::sync::LazyLock<emi::Database> =
            std::sync::LazyLock::new(Default::default);
        if self.strategies.has(Strategy::Athena) { donors() } else { &NONE }
    }
}

impl Engine for Emi {
    fn name(&self) -> &str {
        &self.name
    }

    fn seeds(&self, first: u64) -> Range<u64> {
        first..u64::MAX
    }

    fn test(&self, seed: u64, bench: &TestBench) -> Result<Tested, Trouble> {
        let mut tested = Tested::new(self.name(), seed);
        let mut cost = Cost::default();
        let (begun, own) = timed(|| self.begin(seed, bench, &mut cost));
        bench.generated(cost.generate);
        tested.cost = cost;
        tested.cost.generate += own;
        let (made, mut chain, expected) = match begun? {
            Ok(begun) => begun,
            Err(unusable) => {
                tested.skipped = Some(unusable.reason);
                return Ok(tested);
            }
        };
        let done = differential::test(bench, seed, &made, &mut tested, &mut |_| {})
            .and_then(|_| self.variants(seed, &made, &mut chain, &expected, bench, &mut tested));
        // A seed takes minutes: what it has shown is not given back with it.
        tested.kept(done)
    }
}

/// One variant to be tested.
struct VariantTest<'a> {
    emi: &'a Emi,
    seed: u64,
    /// What it is a variant of.
    made: &'a TestProgram,
    /// Which one.
    number: u32,
    /// Those before it that it is not derived from.
    without_them: &'a [u32],
    /// Signatures of what the seed shows.
    of_seed: &'a [String],
    expected: &'a Expected,
}

impl VariantTest<'_> {
    fn test(
        &self,
        variant: &Variant,
        program: &Program,
        steps: u64,
        bench: &TestBench,
        tested: &mut Tested,
    ) -> Result<bool, Trouble> {
        let made = self.variant(program, steps, self.origin(None));
        // Flags are drawn anew for each.
        let draw = self.seed.wrapping_add(u64::from(self.number) << 40);
        let mut trial = DifferentialTest::run(bench, draw, &made, tested, &mut |_| {})?;
        let mut failed = false;
        for suspicion in trial.suspicions() {
            if self.of_seed.contains(&suspicion.signature) {
                continue;
            }
            failed = true;
            let least = self.least(&trial, variant, &suspicion, bench, tested)?;
            let finding = match least {
                Some(finding) => finding,
                None => {
                    let mut finding = trial.finding(suspicion, &mut tested.cost)?;
                    let edits = variant.edits().len();
                    finding.summary += &format!(" (emi: {edits} mutations, not minimised)");
                    finding
                }
            };
            tested.findings.push(finding);
        }
        Ok(failed)
    }

    /// The finding with the least mutations, if it is found on them as well.
    fn least(
        &self,
        trial: &DifferentialTest<'_>,
        variant: &Variant,
        suspicion: &Suspicion,
        bench: &TestBench,
        tested: &mut Tested,
    ) -> Result<Option<NewFinding>, Trouble> {
        let Some((target, fault)) = trial.fault(suspicion) else { return Ok(None) };
        let culprits = Culprits { variant, target, fault, bench, lab: trial.lab() };
        let case = |program: &Program| self.variant(program, 0, String::new()).case;
        let known = bench.known(&suspicion.signature);
        let Some(blame) = culprits.find(known, &case, &mut tested.cost)? else {
            return Ok(None);
        };
        let made = self.variant(&blame.program, blame.steps, self.origin(Some((&blame, variant))));
        let mut words = Tested::new("", self.seed);
        // What is due may have changed since.
        let mut again =
            DifferentialTest::run_on(bench, trial.targets(), &made, &mut words, &mut |_| {})?;
        tested.cost.validate += words.cost.total();
        let same = again.suspicions().into_iter().find(|s| s.signature == suspicion.signature);
        let Some(same) = same else { return Ok(None) };
        let mut finding = again.finding(same, &mut tested.cost)?;
        finding.summary += &format!(" (emi: {})", blame.describe(variant));
        Ok(Some(finding))
    }

    fn variant(&self, program: &Program, steps: u64, origin: String) -> TestProgram {
        let case = Case {
            language: Language::C,
            files: texts(program),
            standard: self.made.case.standard.clone(),
            harness: self.made.case.harness.clone(),
            include: Vec::new(),
            expected: Some(self.expected.clone()),
            omitted: Default::default(),
        };
        let units = case.units().collect::<Vec<_>>().join(" ");
        let own = own_opinion(&units, steps);
        let made = TestProgram::new(case, origin, own, MachineConfig::default().fuel);
        // Code that never runs is grown freely: a compiler that refuses it, or a linker that cannot
        // reach so far, is wrong only if the strictest of the others takes it.
        TestProgram { is_foreign: true, ..made.taking(steps) }
    }

    /// The commands that make it again: first the seed, then the variant.
    fn origin(&self, blame: Option<(&MutationBlame, &Variant)>) -> String {
        let include: String =
            self.made.case.include.iter().map(|dir| format!(" -I {}", dir.display())).collect();
        let VariantTest { emi, seed, number, made, .. } = self;
        let without: Vec<String> = self.without_them.iter().map(u32::to_string).collect();
        let without = match without.is_empty() {
            true => String::new(),
            false => format!(" --without {}", without.join(",")),
        };
        let before = if made.is_foreign { String::new() } else { format!("{}; ", made.origin) };
        let folder = if made.origin.ends_with("-o DIR") { "DIR/" } else { "" };
        let files = match made.is_foreign {
            true => made.origin.clone(),
            false => {
                let units = made.case.units().map(|unit| format!("{folder}{unit}"));
                units.collect::<Vec<_>>().join(" ")
            }
        };
        // The summary of the reduced program says nothing of mutations; this stays.
        let least = |(blame, variant): (&MutationBlame, &Variant)| {
            format!("{} # {}", blame.argument(), blame.describe(variant))
        };
        let keep = blame.map(least).unwrap_or_default();
        format!(
            "{before}gainsay mutate {files}{include} --strategy {} --seed {seed} --variant \
             {number}{without}{keep}",
            emi.strategies
        )
    }
}

fn unusable(outcome: &cmachine::Outcome) -> Unusable {
    let report = cmachine::Report {
        outcome: outcome.clone(),
        stdout: Vec::new(),
        steps: 0,
        profile: Default::default(),
    };
    answer(report).err().unwrap_or_else(|| Unusable {
        reason: format!("{OUR_BUG}: a seed that ends is no seed"),
        detail: String::new(),
    })
}

/// `fcb+tcb`.
fn names(strategies: impl Iterator<Item = Strategy>) -> String {
    let mut all: Vec<Strategy> = strategies.collect();
    all.sort_unstable();
    all.dedup();
    all.iter().map(|s| s.name()).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests;
