//! The arguments of `gainsay hunt`, grouped by engine, and which of them are for which engine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::passes::SequenceOptions;
use crate::args::{Given, HuntFolder};
use crate::engines::{self, EngineOption, FeatureOptions, Lang, SmithOptions, YarpOptions};
use crate::human;

/// Search compilers for bugs
///
/// Makes programs whose exact output is known, compiles each on targets drawn for it (a compiler, a level, flags),
/// runs them, and keeps what a compiler got wrong, with a certificate that the program is valid. Goes on until Ctrl-C by default. The same
/// folder again goes on where the last hunt ended.
#[derive(Args, Debug)]
#[command(after_help = SHORT_HELP, after_long_help = HELP)]
pub struct Hunt {
    /// Stop after this time: 90s, 10m, 1h30m, 2d
    #[arg(long = "for", value_name = "TIME", value_parser = human::duration, display_order = 1)]
    pub time: Option<Duration>,
    /// Stop when the hunt has this many tests
    #[arg(long, value_name = "N", display_order = 2)]
    pub tests: Option<u64>,
    /// Tests at the same time; all processors by default
    #[arg(short = 'j', long, value_name = "N", display_order = 5)]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub folder: HuntFolder,
    /// The first seed; a fresh one by default
    ///
    /// The hunt's own where it goes on, else a fresh one; it is printed.
    #[arg(long, value_name = "S", display_order = 6)]
    pub seed: Option<u64>,
    // Headings of what is flattened reach on: what is not under one comes first, and is shown in another order.
    #[command(flatten)]
    pub workload: Workload,
    #[command(flatten)]
    pub output: OutputOptions,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub cluster: crate::cluster::Cluster,
    /// Where the files that options name are, for a hunt that was typed on another machine.
    #[arg(skip)]
    pub elsewhere: BTreeMap<String, PathBuf>,
    /// Of a comparison: the library that is to read what is made for the others.
    #[arg(skip)]
    pub baseline: Option<llvmhost::Installed>,
}

/// What is tested, and with what: all that workers on other machines must know of a hunt. It is sent to them as it
/// is; how long the hunt takes, where it keeps what it finds and how servers are reached is not in it.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct Workload {
    /// What makes the tests, separated by commas; more time goes to those that find more
    #[arg(
        long,
        value_enum,
        value_name = "ENGINES",
        value_delimiter = ',',
        default_value = "yarp",
        hide_possible_values = true,
        help = engine_help(),
        long_help = engine_long_help(),
        display_order = 0
    )]
    pub engine: Vec<HuntEngine>,
    /// Compilers: a pattern of names ('gcc*') or a path; may be repeated
    ///
    /// A pattern such as `gcc*` or `clang-1[46]`, or a path with or without flags. By default all that work on this
    /// processor.
    #[arg(long, value_name = "PATTERN", display_order = 4)]
    pub cc: Vec<String>,
    /// The language of the programs: C11, or C++11 to C++20
    #[arg(
        long,
        value_enum,
        value_name = "c|c++",
        default_value_t = Lang::C,
        hide_possible_values = true
    )]
    pub lang: Lang,
    #[command(flatten)]
    pub yarp: YarpOptions,
    #[command(flatten)]
    pub smith: SmithOptions,
    #[command(flatten)]
    pub smith_tests: SmithTests,
    /// Ask the sanitizers, and Frama-C, about a program before any compiler
    ///
    /// About a program of smith as far as what was relaxed calls for them, about one of Csmith the sanitizers. By
    /// default they are asked when compilers disagree.
    #[arg(long, hide_short_help = true, help_heading = "Options of --engine smith and csmith")]
    pub eager: bool,
    /// Remove the calls of safe_* that Csmith's programs do not need
    #[arg(long, hide_short_help = true, help_heading = "Options of --engine csmith")]
    pub relax_arith: bool,
    #[command(flatten)]
    pub files: FileOptions,
    /// Whose programs: any of yarp, smith, csmith, files; for passes one
    ///
    /// Those that emi derives variants from, each from one of them, and those that sequences of passes work on. By default
    /// emi takes yarp, smith, and csmith where it is installed, and passes takes yarp; with --from both take files.
    #[arg(
        long,
        value_enum,
        value_name = "ENGINES",
        value_delimiter = ',',
        hide_possible_values = true,
        help_heading = "Options of --engine emi and passes"
    )]
    pub programs: Vec<ProgramEngine>,
    #[command(flatten)]
    pub emi: EmiOptions,
    #[command(flatten)]
    pub llvm: LlvmOptions,
    #[command(flatten)]
    pub crossover: CrossoverOptions,
    #[command(flatten)]
    pub sequences: SequenceOptions,
    /// Compilers, flags and limits; ./gainsay.toml, if it is there
    #[arg(long, value_name = "FILE", help_heading = "Findings and output")]
    pub config: Option<PathBuf>,
    /// What was typed.
    #[arg(skip)]
    pub given: Given,
}

impl Workload {
    /// The same for workers. Of what was typed only the options of engines are theirs.
    pub fn for_workers(&self, config: Option<PathBuf>) -> Workload {
        let mut workload = Workload { config, ..self.clone() };
        workload.given.retain(|name| options().iter().any(|option| option.name == name));
        workload
    }
}

/// What is kept of findings, and how the hunt is shown.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Findings and output")]
pub struct OutputOptions {
    /// Keep findings as they are: `gainsay reduce ID` reduces one later
    ///
    /// Otherwise the first of each kind is reduced, and the pass to blame and the versions that fail are looked for.
    #[arg(long)]
    pub no_reduce: bool,
    /// Print one JSON object a line in place of text
    #[arg(long)]
    pub json: bool,
}

/// How programs of smith are tested.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[command(next_help_heading = "Options of --engine smith")]
pub struct SmithTests {
    /// Who says what a program must do
    ///
    /// The machine, or, for comparison, an unoptimised build that runs for ten seconds at most.
    #[arg(
        long,
        value_enum,
        value_name = "WHO",
        hide_short_help = true,
        default_value_t = Validate::Machine
    )]
    pub validate: Validate,
    /// Keep the checks around arithmetic that a program does not need
    #[arg(long, hide_short_help = true)]
    pub keep_checks: bool,
    /// Test all programs as they were drawn
    ///
    /// Otherwise three of four lose those relaxations that would leave them without a result.
    #[arg(long, hide_short_help = true)]
    pub as_drawn: bool,
}

/// Programs of your own.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[command(next_help_heading = "Options of --engine files and emi")]
pub struct FileOptions {
    /// The folder of your C programs, one file each
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// Search this folder for headers, for the files of --from
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
}

/// How variants are derived.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[command(next_help_heading = "Options of --engine emi")]
pub struct EmiOptions {
    /// Mutations: hermes (fcb, tg, tcb), orion, athena, or all
    #[arg(long, value_name = "NAMES", default_value = "all")]
    pub strategy: emi::Strategies,
    /// Variants of a program, each derived from the last
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub variants: u32,
}

/// Which libraries are tested, and how.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[command(next_help_heading = "Options of --engine crossover and passes")]
pub struct LlvmOptions {
    /// libLLVMs to test: versions (16,19) or files; the newest installed by default
    #[arg(long, value_name = "LIBS", value_delimiter = ',')]
    pub lib: Vec<String>,
    /// When modules are verified
    ///
    /// By default crossover verifies after each pass, and passes at the end, which is faster, and after each once more
    /// when something fails.
    #[arg(long, value_enum, value_name = "WHEN", hide_short_help = true)]
    pub verify: Option<Verify>,
}

/// What is crossed.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[command(next_help_heading = "Options of --engine crossover")]
pub struct CrossoverOptions {
    /// LLVM's tests (llvm/test/Transforms), or a corpus of gainsay llvm import
    ///
    /// The seeds that are made of a folder of tests are kept in the hunt's folder.
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// What is run on each module, as for `opt -passes=`
    #[arg(long, value_name = "P", default_value = "default<O3>", hide_short_help = true)]
    pub passes: String,
    /// How two modules are crossed
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        hide_short_help = true,
        default_value_t = Crossovers::Both
    )]
    pub crossovers: Crossovers,
}

/// The engines of a hunt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum HuntEngine {
    /// Independent small programs, built freely and repaired by execution
    Yarp,
    /// Programs of Csmith's kind with its restrictions lifted here and there, as CsmithEdge does
    Smith,
    /// Programs of the installed Csmith
    Csmith,
    /// Your own programs: the C files of --from, one program each
    Files,
    /// Variants of programs that must print the same (Hermes, Orion, Athena)
    Emi,
    /// Crossovers of LLVM's unit tests (--corpus) on the passes of libLLVM (--lib), as FLUX does
    Crossover,
    /// Sequences of passes of libLLVM (--lib) on whole programs, as CTOS does
    Passes,
}

fn engine_help() -> String {
    let names: Vec<String> = HuntEngine::value_variants().iter().map(engines::name).collect();
    format!("Any of {}", names.join(", "))
}

fn engine_long_help() -> String {
    let mut text = String::from(
        "What makes the tests. Several, separated by commas, share the time, and more of it goes to those that find more.\n",
    );
    let line = |value: PossibleValue| {
        let about = value.get_help().map(ToString::to_string).unwrap_or_default();
        format!("\n- {}: {about}", value.get_name())
    };
    text.extend(
        HuntEngine::value_variants().iter().filter_map(HuntEngine::to_possible_value).map(line),
    );
    text
}

/// The engines whose programs emi and passes can work with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum ProgramEngine {
    /// Those of the engine yarp
    Yarp,
    /// Those of the engine smith
    Smith,
    /// Those of the installed Csmith
    Csmith,
    /// Your own, of --from
    Files,
}

impl ProgramEngine {
    /// The same as an engine of a hunt.
    pub fn engine(self) -> HuntEngine {
        match self {
            ProgramEngine::Yarp => HuntEngine::Yarp,
            ProgramEngine::Smith => HuntEngine::Smith,
            ProgramEngine::Csmith => HuntEngine::Csmith,
            ProgramEngine::Files => HuntEngine::Files,
        }
    }
}

/// The crossovers of two modules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum Crossovers {
    /// One function's body inside another's
    Inline,
    /// Both called by a new function
    Sequence,
    /// The one or the other
    Both,
}

/// When modules are verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum Verify {
    /// After each pass
    Each,
    /// After the last
    End,
}

/// Who says what a program must do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum Validate {
    /// The abstract machine
    Machine,
    /// An unoptimised build of one compiler
    External,
}

const SHORT_HELP: &str = "gainsay hunt --help has all options and examples.";

const HELP: &str = "\
Exit status:
  0   this run found nothing (suppressed, disputed and flaky findings do not count, and neither do
      those of earlier runs)
  1   it found something, or saw something that the next run on the folder has yet to confirm
  2   a mistake in the arguments, or something is missing here

Examples:
  gainsay hunt                                          # all compilers, until Ctrl-C
  gainsay hunt --for 10m --cc 'gcc*'                    # ten minutes of every gcc
  gainsay hunt --cc 'aarch64*' --tests 100              # a cross compiler, with an emulator
  gainsay hunt --cc '/usr/bin/gcc -pipe' --tests 10     # one by its path, with flags
  gainsay hunt --engine yarp,csmith --tests 100         # two engines share the time
  gainsay hunt --engine smith --relax crash --for 10m   # programs that may be undefined
  gainsay hunt --engine smith --no-bitfields --max-funcs 3 --tests 100
  gainsay hunt --engine csmith --relax-arith --for 10m  # Csmith's, without redundant checks
  gainsay hunt --engine files --from tests -I include
  gainsay hunt --engine emi --for 10m                   # ten variants of each program
  gainsay hunt --engine emi --from tests --strategy hermes --variants 20 --for 10m
  gainsay hunt --engine crossover --corpus llvm/test/Transforms --lib 16,19 --for 1h
  gainsay hunt --engine crossover --corpus llvm/test/Transforms --passes gvn --for 10m
  gainsay hunt --engine passes --lib 16,22 --for 1h     # sequences of passes, executed
  gainsay hunt --engine passes --programs csmith --list all --sequences-by chance --for 10m
  gainsay hunt --cluster nats://head:4222               # workers of other machines test
  gainsay hunt --for 8h --json > hunt.jsonl             # for scripts

With --json each line has an \"event\":
  begin     seed, language, engines, jobs, out, compilers (name, version, triple), tests so far
  finding   what `gainsay findings --json` says of it: id, kind, standing, title, signature, targets,
            subject, commands, files and more
  study     id, and either tokens, lines, compiler, flags, pass, key; or failed, and why
  word      text: a worker came or went, a test was set aside (--cluster)
  progress  every ten seconds: elapsed_s, tests, tests_now, findings by kind, distinct (bugs),
            bugs (distinct, fixed, unattributed, suppressed and more, as they are counted), disputed,
            unconfirmed, found_now (the numbers of this run's findings), waits_for (what, s),
            flaky, skipped by reason, unanswered by reason (compiled, not run), checks (all, removed),
            variants (besides the tests),
            cpu_s (generate, compile, run, validate, own, others, studies),
            targets (right, failed, flaky, unsupported), engines (tests, distinct, used, due)
  end       the same, with ended: time, tests, interrupted or failed, and why";

/// Which options are for which engines; all others are for all.
fn options() -> Vec<EngineOption<HuntEngine>> {
    use HuntEngine::{Crossover, Csmith, Emi, Files, Passes, Smith, Yarp};
    let mut table = engines::table(&[
        (&["--policy"], &[Yarp]),
        (&["--relax", "--validate", "--keep-checks", "--as-drawn"], &[Smith]),
        (&["--eager"], &[Smith, Csmith]),
        (&["--relax-arith"], &[Csmith]),
        (&["--from", "-I"], &[Files]),
        (&["--programs"], &[Emi, Passes]),
        (&["--strategy", "--variants"], &[Emi]),
        (&["--lib", "--verify"], &[Crossover, Passes]),
        (&["--corpus", "--passes", "--crossovers"], &[Crossover]),
        (&["--list", "--sequences-by", "--sequences", "--out-of", "--length"], &[Passes]),
        (&["--programs-by", "--program-count", "--oracle", "--backend", "--no-exclude"], &[Passes]),
    ]);
    let features = FeatureOptions::names();
    table.extend(features.map(|name| EngineOption { name, engines: &[Smith] }));
    table
}

/// Those that are about tests, not about programs: they do not reach the programs of emi and passes.
const OF_TESTS: [&str; 2] = ["--validate", "--eager"];

impl Hunt {
    /// A hunt that was typed on another machine, in a folder of our own. `files` are those that its options name.
    #[cfg(feature = "cluster")]
    pub fn elsewhere(
        workload: Workload,
        dir: PathBuf,
        jobs: usize,
        files: BTreeMap<String, PathBuf>,
    ) -> Hunt {
        Hunt {
            workload,
            time: None,
            tests: None,
            jobs: Some(jobs),
            folder: HuntFolder { dir },
            seed: None,
            output: OutputOptions::default(),
            cluster: Default::default(),
            elsewhere: files,
            baseline: None,
        }
    }

    /// Where a file that an option names is.
    pub fn here(&self, given: &Path) -> PathBuf {
        let moved = given.to_str().and_then(|name| self.elsewhere.get(name));
        moved.cloned().unwrap_or_else(|| given.to_path_buf())
    }

    /// The same of an option that takes a name or a file.
    pub fn named(&self, given: &str) -> String {
        self.here(Path::new(given)).to_string_lossy().into_owned()
    }

    /// The servers over which others do the tests; none in a local hunt.
    pub fn servers(&self) -> &[String] {
        #[cfg(feature = "cluster")]
        return &self.cluster.cluster;
        #[cfg(not(feature = "cluster"))]
        &[]
    }
}

impl Workload {
    /// Whether an engine is asked for.
    pub fn has(&self, engine: HuntEngine) -> bool {
        self.engine.contains(&engine)
    }

    /// Whose programs emi works with; nothing where that is its own business.
    pub fn emi_programs(&self) -> &[ProgramEngine] {
        match self.programs.is_empty() && self.files_alone() {
            true => &[ProgramEngine::Files],
            false => &self.programs,
        }
    }

    /// Whose programs passes works with.
    pub fn passes_programs(&self) -> Result<ProgramEngine> {
        match self.programs.as_slice() {
            [] if self.files_alone() => Ok(ProgramEngine::Files),
            [] => Ok(ProgramEngine::Yarp),
            [one] => Ok(*one),
            _ => {
                bail!("--programs names several engines: --engine passes takes the programs of one")
            }
        }
    }

    /// Whether --from is given, and not for the engine files.
    fn files_alone(&self) -> bool {
        self.files.from.is_some() && !self.has(HuntEngine::Files)
    }

    /// Whether an engine makes programs for emi or passes.
    fn makes_programs(&self, engine: HuntEngine) -> Result<bool> {
        let mut programs: Vec<ProgramEngine> = Vec::new();
        if self.has(HuntEngine::Emi) {
            let default = [ProgramEngine::Yarp, ProgramEngine::Smith, ProgramEngine::Csmith];
            match self.emi_programs() {
                [] => programs.extend(default),
                asked => programs.extend(asked),
            }
        }
        if self.has(HuntEngine::Passes) {
            programs.push(self.passes_programs()?);
        }
        Ok(programs.iter().any(|program| program.engine() == engine))
    }

    /// A sentence if an option was given that is for none of the engines.
    pub fn check_engines(&self) -> Result<()> {
        for (at, engine) in self.engine.iter().enumerate() {
            if self.engine[..at].contains(engine) {
                bail!("--engine names {} twice", engines::name(engine));
            }
        }
        for (at, engine) in self.programs.iter().enumerate() {
            if self.programs[..at].contains(engine) {
                bail!("--programs names {} twice", engines::name(engine));
            }
        }
        let programs = self.has(HuntEngine::Emi) || self.has(HuntEngine::Passes);
        for option in options().iter().filter(|option| self.given.has(&option.name)) {
            let reaches = programs && !OF_TESTS.contains(&option.name.as_str());
            let mut is_used = option.engines.iter().any(|engine| self.has(*engine));
            for engine in option.engines.iter().filter(|_| reaches) {
                is_used |= self.makes_programs(*engine)?;
            }
            if is_used {
                continue;
            }
            let mut places = format!("--engine {}", engines::names(option.engines));
            let mut several = option.engines.len() > 1;
            let makes = ProgramEngine::value_variants().iter().map(|program| program.engine());
            let makes: Vec<HuntEngine> =
                makes.filter(|engine| reaches && option.engines.contains(engine)).collect();
            if !makes.is_empty() {
                places += &format!(" or --programs {}", engines::names(&makes));
                several = true;
            }
            bail!("{}", engines::refusal(&option.name, &places, several));
        }
        let of_llvm =
            |engine: &HuntEngine| matches!(engine, HuntEngine::Crossover | HuntEngine::Passes);
        if !self.cc.is_empty() && self.engine.iter().all(of_llvm) {
            bail!("--cc is for engines of C programs: crossover and passes test --lib");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_option_of_an_engine_is_an_option_and_has_its_heading() {
        let command = crate::args::Args::command();
        let hunt = command.find_subcommand("hunt").expect("a command");
        for option in options() {
            let name = option.name.trim_start_matches('-');
            let is_it = |arg: &&clap::Arg| {
                arg.get_long() == Some(name)
                    || arg.get_short().is_some_and(|c| c.to_string() == name)
            };
            let arg = hunt.get_arguments().find(is_it);
            let arg = arg.unwrap_or_else(|| panic!("{} is no option", option.name));
            let heading = arg.get_help_heading();
            let first = engines::name(&option.engines[0]);
            assert!(heading.is_some_and(|text| text.contains(&first)), "{name}: {heading:?}");
        }
        // And the other way round.
        for arg in hunt.get_arguments() {
            let is_of_engine = arg.get_help_heading().is_some_and(|text| text.contains("--engine"));
            let long = arg.get_long().map(|long| format!("--{long}"));
            let name = long.or(arg.get_short().map(|c| format!("-{c}"))).unwrap_or_default();
            assert_eq!(options().iter().any(|o| o.name == name), is_of_engine, "{name}");
        }
    }
}
