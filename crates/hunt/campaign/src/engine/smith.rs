//! The engine `smith`: programs of Csmith's kind with its restrictions relaxed, as CsmithEdge does.
//!
//! With [`Validate::Machine`] the machine executes a program, which loses the checks that it does
//! not need, and is sorted: one that ends has an answer; one that is undefined or depends on an open
//! choice goes to the compilers without one; one that does not end in its fuel goes nowhere.
//!
//! Three of four programs have relaxations reverted first: they lose those relaxations that would leave them without an
//! answer. The fourth stays as it was drawn, for the sake of crashes and of the sanitizers.
//!
//! [`Validate::External`] is the paper's way, for comparison: an unoptimised build of one compiler, run
//! for ten seconds at most, gives the answer, and another one tells which checks were needed.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use cgen::redundant_checks;
use cgen::smith::{self, Bounds, Features, Generated, Relaxation, SeedTuple};
use cmachine::MachineConfig;
use oracle::{
    Assessment, Behaviour, Case, Detector, Expected, FailureKind, Lab, Limits, Opinion, SourceFile,
    Trouble,
};
use toolchain::{Family, Language, Target};

use super::yarp::digest;
use super::{Source, TestProgram};
use crate::bench::TestBench;
use crate::predict::{self, Unusable, answer, own_objection};
use crate::record::{Checks, Cost};

/// Steps for one program: most take a few thousand, and endless ones are to cost milliseconds.
pub const FUEL: u64 = 300_000;

/// Bytes of stack: no program comes near, and more takes time to clear.
pub const STACK: u32 = 256 << 10;

/// One program in so many keeps all its relaxations.
const DRAWN: u64 = 4;

/// The paper's limit for an unoptimised program.
const RUNS: Duration = Duration::from_secs(10);

/// The file that a program is.
const FILE: &str = "test.c";

/// Who says what a program must do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Validate {
    /// The machine.
    #[default]
    Machine,
    /// An unoptimised build.
    External,
}

/// Options of the engine.
#[derive(Clone, Debug, Default)]
pub struct SmithOptions {
    /// How likely each relaxation is.
    pub bounds: Bounds,
    /// What programs may contain.
    pub features: Features,
    /// Checks that are not needed stay.
    pub keep_checks: bool,
    /// No relaxation is reverted.
    pub as_drawn: bool,
    /// The detectors that the relaxations call for are asked before the compilers.
    pub eager: bool,
    /// Who says what a program must do.
    pub validate: Validate,
}

/// The generator with its options.
pub struct Smith {
    name: String,
    options: SmithOptions,
}

impl Smith {
    /// Programs and tests of this kind.
    pub fn new(options: SmithOptions) -> Smith {
        let mut name = "smith".to_string();
        if options.bounds != Bounds::default() {
            // Other bounds make other programs of the same seeds, whatever their file is called.
            name += &format!("-{:08x}", digest(&format!("{:?}", options.bounds)));
        }
        if options.features != Features::default() {
            // So do other features and limits.
            name += &format!("-with-{:08x}", digest(&options.features.arguments()));
        }
        // Tests that differ in these alone are to be compared, so both must be done.
        let marks = [
            (options.keep_checks, "-checked"),
            (options.as_drawn, "-drawn"),
            (options.eager, "-eager"),
            (options.validate == Validate::External, "-external"),
        ];
        name.extend(marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark));
        Smith { name, options }
    }

    /// The options of the generator.
    fn generator(&self) -> smith::Options {
        smith::Options { features: self.options.features.clone() }
    }

    /// The program as the machine sees it.
    fn executed(&self, tuple: &SeedTuple) -> Result<TestProgram, Unusable> {
        let config = MachineConfig { fuel: FUEL, stack: STACK, ..MachineConfig::default() };
        let options = self.generator();
        let revert = !self.options.as_drawn && tuple.base % DRAWN != DRAWN - 1;
        let mut generated = match revert {
            true => smith::revert_relaxations(tuple, &options, &config).generated,
            false => smith::generate(tuple, &options),
        };
        let stripped = match self.options.keep_checks {
            true => redundant_checks::run_with_all_checks(&generated.program, &config),
            false => redundant_checks::remove_redundant_checks(&mut generated.program, &config),
        };
        let mut checks = Checks { all: stripped.checks as u64, removed: stripped.removed as u64 };
        let steps = stripped.report.steps;
        let (expected, own, unanswered) = match answer(stripped.report) {
            Ok(prediction) => {
                (Some(prediction.expected), predict::own_opinion(FILE, prediction.steps), None)
            }
            Err(why) if why.is_undefined() => {
                // Which of them are needed is known of whole executions only.
                checks = Checks::default();
                (None, own_objection(FILE, &why), Some(why.reason))
            }
            Err(why) => return Err(why),
        };
        let origin = self.origin(&generated, revert);
        let made = TestProgram::new(case(generated.text(), expected), origin, own, FUEL);
        Ok(TestProgram { unanswered, checks, ..made.taking(steps) })
    }

    /// The program as an unoptimised build of the first compiler sees it, GCC's if there is one.
    fn built(
        &self,
        mut generated: Generated,
        dir: &Path,
        bench: &TestBench,
        cost: &mut Cost,
    ) -> Result<Result<TestProgram, Unusable>, Trouble> {
        let first = case(generated.text(), Some(Expected::default()));
        let gcc = bench.compilers.iter().find(|c| c.family == Family::Gcc);
        let Some(compiler) = gcc.or(bench.compilers.first()) else {
            return Err(Trouble::Io("there is no compiler to say what a program must do".into()));
        };
        let level = compiler.levels.first().into_iter().flat_map(|l| l.split_whitespace());
        let target =
            Target { compiler: compiler.clone(), flags: level.map(String::from).collect() };
        let limits = Limits { run_cpu: RUNS, run_wall: RUNS, ..bench.lab.limits.clone() };
        let lab = Lab { limits, stop: bench.lab.stop.clone() };
        lab.write(&first, dir)?;
        let seen = lab.observe(&first, dir, &target)?;
        cost.validate += seen.compile + seen.run;
        let kind = seen.seen.kind(&first);
        let unusable = |reason: &str| Unusable { reason: reason.into(), detail: target.label() };
        let (expected, unanswered) = match seen.seen {
            Behaviour::ProgramHung => return Ok(Err(unusable("runs too long"))),
            Behaviour::Ran { .. } if kind == Some(FailureKind::RuntimeCrash) => {
                (None, Some("dies at -O0"))
            }
            Behaviour::Ran { status, stdout } => (Some(Expected { stdout, status }), None),
            Behaviour::Unsupported(_) => {
                return Ok(Err(unusable("unsupported by the reference compiler")));
            }
            // The hunt sees that again.
            _ => (None, Some("does not compile at -O0")),
        };
        let mut checks =
            Checks { all: redundant_checks::checks(&generated.program).len() as u64, removed: 0 };
        if expected.is_some() && !self.options.keep_checks {
            let telling = case(generated.reporting_text(), Some(Expected::default()));
            lab.write(&telling, dir)?;
            let told = lab.observe(&telling, dir, &target)?;
            cost.generate += told.compile + told.run;
            if let Behaviour::Ran { stdout, .. } = told.seen {
                let needed = needed(&stdout);
                checks.removed =
                    redundant_checks::remove_checks_except(&mut generated.program, &needed) as u64;
            }
        }
        let case = case(generated.text(), expected);
        let own = Opinion {
            tool: target.label(),
            command: oracle::command_line(&case, &target).unwrap_or_default(),
            says: match unanswered {
                Some(why) => Assessment::Silent(format!("its program {why}")),
                None => Assessment::Valid,
            },
        };
        let made = TestProgram::new(case, self.origin(&generated, false), own, FUEL);
        let unanswered = unanswered.map(String::from);
        Ok(Ok(TestProgram { unanswered, checks, fuel: None, ..made }))
    }

    fn origin(&self, generated: &Generated, reverted: bool) -> String {
        let strip = if self.options.keep_checks { "" } else { " --relax-arith" };
        let revert = if reverted { " --revert" } else { "" };
        let features = self.options.features.arguments();
        let tuple = &generated.tuple;
        format!(
            "gainsay gen --engine smith --seed-tuple {tuple}{features}{revert}{strip} -o {FILE}"
        )
    }
}

/// The numbers of the checks that a program told to be needed.
fn needed(stdout: &[u8]) -> BTreeSet<usize> {
    let text = String::from_utf8_lossy(stdout);
    text.lines().filter_map(|line| line.strip_prefix("needed ")?.parse().ok()).collect()
}

fn case(text: String, expected: Option<Expected>) -> Case {
    Case {
        language: Language::C,
        files: vec![SourceFile { name: FILE.into(), bytes: text.into_bytes() }],
        harness: None,
        standard: None,
        include: Vec::new(),
        expected,
        omitted: Default::default(),
    }
}

/// Table 1 of the paper: who finds what a relaxation may do wrong. Nobody finds conflicts, and the
/// address of a parameter is harmless by itself.
fn detectors(relaxation: Relaxation) -> &'static [Detector] {
    use Detector::{Address, Eva, Memory, Undefined};
    match relaxation {
        Relaxation::Null => &[Undefined],
        Relaxation::Dangling => &[Address, Eva],
        Relaxation::Init => &[Memory, Eva],
        Relaxation::Goto => &[Address, Memory, Eva],
        Relaxation::Bounds => &[Address, Memory, Undefined, Eva],
        Relaxation::ParamAddress | Relaxation::Conflicts => &[],
    }
}

impl Source for Smith {
    fn name(&self) -> &str {
        &self.name
    }

    fn make(
        &self,
        seed: u64,
        dir: &Path,
        bench: &TestBench,
        cost: &mut Cost,
    ) -> Result<Result<TestProgram, Unusable>, Trouble> {
        let tuple = self.options.bounds.draw(seed);
        let mut made = match self.options.validate {
            Validate::Machine => self.executed(&tuple),
            Validate::External => {
                let generated = smith::generate(&tuple, &self.generator());
                self.built(generated, dir, bench, cost)?
            }
        };
        if let (Ok(made), true) = (&mut made, self.options.eager) {
            made.first = tuple.enabled().flat_map(detectors).copied().collect();
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests;
