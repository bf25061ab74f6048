//! `gainsay llvm import`: seeds for crossovers out of a folder of LLVM's tests.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args as ClapArgs;
use crossover::fuzz::{Fuzzer, Options};
use crossover::import::{Imported, files};
use crossover::{CrossoverKind, Policy};
use llvmhost::{Installed, Limits, Running};
use optimise::work::Pipeline;

use super::Library;
use crate::{human, terminal};

/// Make a corpus for crossovers out of a folder of LLVM's tests
///
/// Every function of every `.ll` and `.bc` file below DIR becomes a seed, a module of its own with what it
/// needs. What this LLVM does not take, what is for another processor and what crashes it at once is set aside
/// and counted. `gainsay hunt --engine crossover` does the same when it is given such a folder.
#[derive(ClapArgs, Debug)]
#[command(after_long_help = HELP)]
pub struct Import {
    /// The folder, such as llvm/test/Transforms of a checkout of LLVM.
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    #[command(flatten)]
    pub library: Library,
    /// Write the corpus to this folder.
    #[arg(short = 'o', long, value_name = "DIR")]
    pub output: PathBuf,
    /// What every seed must survive, as for `opt -passes=`.
    #[arg(long, value_name = "P", default_value = "default<O3>")]
    pub passes: String,
    /// Files at the same time; all processors by default
    #[arg(short = 'j', long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

const HELP: &str = "\
Examples:
  gainsay llvm import llvm/test/Transforms --lib 16 -o corpus
  gainsay hunt --engine crossover --corpus corpus --lib 16 --for 10m";

/// Between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(20);

/// Runs the command.
pub fn main(args: &Import) -> Result<u8> {
    let library = args.library.find()?;
    let options = Options { limits: args.library.limits(), ..options(&args.passes) };
    let fuzzer = open(&args.output, &library, options)?;
    if fuzzer.imported().is_some() {
        bail!("{} holds a corpus already: give another folder", args.output.display());
    }
    if fuzzer.account().1 > 0 {
        bail!("{} holds a part of a corpus: give another folder", args.output.display());
    }
    let jobs =
        args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let imported = fill(&fuzzer, &args.dir, jobs)?;
    if args.json {
        terminal::print(format!("{}\n", serde_json::to_string(&imported)?).as_bytes())?;
    } else {
        terminal::print(summary(&imported, &library).as_bytes())?;
    }
    Ok(0)
}

/// Options of a fuzzer that are not the caller's business.
pub fn options(passes: &str) -> Options {
    Options {
        pipeline: Pipeline::of(passes, Running { verify_each: true, log: false }),
        // A crossover takes milliseconds; what takes a thousand times as long is a finding.
        limits: Limits { time: Duration::from_secs(5), ..Limits::default() },
        kinds: vec![CrossoverKind::Inline, CrossoverKind::Sequence],
        policy: Policy::default(),
        guided: true,
    }
}

/// A fuzzer on the corpus of a folder.
pub fn open(dir: &Path, library: &Installed, options: Options) -> Result<Fuzzer> {
    Fuzzer::open(dir, library, &super::program()?, options).map_err(|e| anyhow!(e))
}

/// Imports a folder of tests, and shows how far it is. Ctrl-C leaves no half of a corpus behind.
pub fn fill(fuzzer: &Fuzzer, dir: &Path, jobs: usize) -> Result<Imported> {
    if !dir.is_dir() {
        bail!("the folder {} does not exist", dir.display());
    }
    let found = files(dir).with_context(|| dir.display().to_string())?;
    if found.is_empty() {
        bail!("there is no .ll or .bc file below {}", dir.display());
    }
    let stop = sandbox::Stop::on_signals();
    let begin = Instant::now();
    let mut last = Instant::now();
    let version = fuzzer.library.name();
    let mut tell = |done: usize| {
        let line = format!("LLVM {version}: {done} of {} test files", found.len());
        terminal::status(&line);
        if last.elapsed() > LINE_EVERY && !terminal::is_live() {
            terminal::complain(&format!("gainsay: {line}, {}", human::span(begin.elapsed())));
            last = Instant::now();
        }
    };
    let imported = fuzzer.import(dir, &found, jobs, &mut tell, &|| stop.is_set());
    terminal::status("");
    match imported.map_err(|e| anyhow!(e))? {
        Some(imported) if imported.seeds == 0 => {
            bail!("no function below {} can be a seed: {}", dir.display(), reasons(&imported))
        }
        Some(imported) => Ok(imported),
        None => bail!("stopped; the corpus is not whole, and will be made anew"),
    }
}

fn reasons(imported: &Imported) -> String {
    let list = imported.aside.iter().map(|(reason, n)| format!("{} {reason}", human::count(*n)));
    list.collect::<Vec<_>>().join(", ")
}

/// What an import came to.
pub fn summary(imported: &Imported, library: &Installed) -> String {
    let rate = imported.functions as f64 / imported.took.as_secs_f64().max(1e-9);
    let mut text = format!(
        "LLVM {}: {} of {} ({} files) in {}, {rate:.0} a second\n",
        library.name(),
        human::plural(imported.seeds, "seed"),
        human::plural(imported.functions, "function"),
        human::count(imported.files),
        human::span(imported.took),
    );
    if !imported.aside.is_empty() {
        text += &format!("  set aside: {}\n", reasons(imported));
    }
    text += &format!("  they reach {} blocks of the library\n", human::count(imported.blocks));
    for (fault, n) in &imported.faults {
        text += &format!("  LLVM by itself, {n} times: {}\n", human::cut(fault, 120));
    }
    text
}
