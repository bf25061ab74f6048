//! `gainsay compare OLD NEW`: what NEW breaks that OLD got right.
//!
//! A comparison is a hunt of NEW with OLD as its baseline (`campaign::Baseline`): what counts as a regression is decided
//! there. Here the two are found, the engines for them chosen, and what came of it is shown.

mod operand;
mod summary;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use campaign::{Baseline, EndReason, Plan, Standing, Store};
use clap::Args;
use crossover::focus::Focus;
use llvmhost::Installed;
use report::Detail;
use serde_json::json;

use crate::args::{DEFAULT_HUNT, HuntFolder};
use crate::hunt::options::{Hunt, HuntEngine, OutputOptions, Workload};
use crate::hunt::{self, Setting};
use crate::{findings, human, status, terminal};
use operand::Operand;

/// Exit status when there are regressions.
const REGRESSIONS: u8 = 1;

/// Exit status when it could not be told whether there are.
const CANNOT_TELL: u8 = 3;

/// The setting of a folder that says what is compared in it.
const SETTING: &str = "comparison";

/// Find what NEW breaks that OLD got right
///
/// Tests NEW as a hunt does, and asks OLD, with the same flags or passes, about everything that NEW gets wrong. What OLD
/// gets right is a regression: it is kept, and reduced so that OLD stays right about it. What both get wrong is counted
/// only.
#[derive(Args, Debug)]
#[command(after_help = SHORT_HELP, after_long_help = HELP)]
pub struct Compare {
    /// The older: a compiler as for --cc of a hunt, or a libLLVM as for --lib: a version or a file
    #[arg(value_name = "OLD")]
    pub old: String,
    /// The newer, of the same kind
    #[arg(value_name = "NEW")]
    pub new: String,
    /// Stop after this time: 90s, 10m, 1h30m
    #[arg(
        long = "for",
        value_name = "TIME",
        value_parser = human::duration,
        default_value = "5m",
        display_order = 1
    )]
    pub time: Duration,
    /// Stop when there are this many tests
    #[arg(long, value_name = "N", display_order = 2)]
    pub tests: Option<u64>,
    /// Tests at the same time; all processors by default
    #[arg(short = 'j', long, value_name = "N", display_order = 5)]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub folder: HuntFolder,
    /// The first seed; a fresh one by default
    #[arg(long, value_name = "S", display_order = 6)]
    pub seed: Option<u64>,
    /// Prefer what reaches a pass or a source file of the compiler, separated by commas
    ///
    /// Crossovers: seeds of its tests, and those that reach blocks of its functions, as far as symbols of the library tell.
    /// Programs: nothing is compiled at -O0.
    #[arg(long, value_name = "PASS-OR-FILE", value_delimiter = ',', display_order = 3)]
    pub touching: Vec<String>,
    /// Prefer what a patch touches, a unified diff: its tests, and what reaches its functions
    #[arg(long, value_name = "PATCH", display_order = 4)]
    pub diff: Option<PathBuf>,
    #[command(flatten)]
    pub workload: Workload,
    #[command(flatten)]
    pub output: OutputOptions,
    /// Write the regressions to this file for a code host: SARIF 2.1.0
    #[arg(long, value_name = "FILE", help_heading = "Findings and output")]
    pub sarif: Option<PathBuf>,
    /// Write a page with everything to this file, which needs nothing else
    #[arg(long, value_name = "FILE", help_heading = "Findings and output")]
    pub html: Option<PathBuf>,
}

const SHORT_HELP: &str = "gainsay compare --help has all options and examples.";

const HELP: &str = "\
OLD and NEW are two compilers, for programs of yarp and smith, or two libLLVMs, for sequences of passes
and, with --corpus, crossovers; --engine chooses others. A flag or a pass that OLD does not take is used for
neither. OLD cannot tell of a failed assertion if it has none, nor of what it cannot read: such failures are
listed apart, and do not count.

What is found is kept in gainsay-compare-OLD-NEW, or in the folder that --hunt names.

Exit status:
  0   no regression was found
  1   there are regressions
  2   a mistake in the arguments, or something is missing here
  3   it could not be told: no test was done, or all that NEW gets wrong is what OLD cannot tell of

Examples:
  gainsay compare gcc-11 gcc-12                              # five minutes
  gainsay compare gcc-11 gcc-12 --engine files --from tests --for 1m
  gainsay compare gcc-11 'gcc-12 -m64' --for 1h --html page.html --sarif new.sarif
  gainsay compare 16 19 --corpus llvm/test/Transforms --engine crossover --for 10m
  gainsay compare 16 19 --corpus llvm/test/Transforms --touching instcombine
  gainsay compare 16 19 --corpus llvm/test/Transforms --diff change.patch
  gainsay compare 16 19 --engine passes --list all";

/// Runs the command; the exit status.
pub fn main(mut args: Compare) -> Result<u8> {
    let is_named = args.workload.given.has("--hunt") || args.folder.dir != Path::new(DEFAULT_HUNT);
    if !is_named {
        args.folder.dir = own_folder(&args.old, &args.new);
    }
    let (sarif, html) = (args.sarif.clone(), args.html.clone());
    if let Some(file) = sarif.iter().chain(&html).find(|file| file.is_dir()) {
        bail!("{} is a folder: give a file", file.display());
    }
    let dir = args.folder.dir.clone();
    let json = args.output.json;
    let focus = focus(&args)?;
    let (mut plan, setting, compared) = plan(args)?;
    if let Some(focus) = &focus {
        apply(focus, &mut plan, &setting);
    }
    note_comparison(&dir, &compared)?;
    for weakness in sandbox::weaknesses() {
        terminal::note(&format!("gainsay: {weakness}"));
    }
    let done = hunt::run(plan, setting, json, &|setting, progress, outcome| {
        summary::text(&compared, setting, progress, outcome)
    })?;
    let store = Store::open(&dir)?;
    if let Some(file) = &sarif {
        write(file, &findings::sarif(&store)?)?;
    }
    if let Some(file) = &html {
        write(file, &page(&store, &dir, &compared)?)?;
    }
    if let Some(EndReason::Failed(why)) = &done.progress.ended {
        terminal::complain(&format!("gainsay: {why}"));
        return Ok(status::USAGE);
    }
    let count = summary::Count::of(&done.progress, &done.outcome);
    let exit = exit_status(&count);
    if json {
        let object = json!({
            "event": "comparison", "old": compared.old, "new": compared.new, "exit": exit,
            "regressions": count.regressions, "failed_before": count.before,
            "cannot_tell": count.cannot_tell, "unconfirmed": count.unconfirmed,
        });
        terminal::print(format!("{object}\n").as_bytes())?;
    }
    Ok(exit)
}

/// What --touching and --diff name.
fn focus(args: &Compare) -> Result<Option<Focus>> {
    let mut focus = Focus::touching(&args.touching);
    if let Some(patch) = &args.diff {
        let bytes =
            fs::read(patch).with_context(|| format!("{} cannot be read", patch.display()))?;
        let of_patch = Focus::of_diff(&String::from_utf8_lossy(&bytes));
        if of_patch.is_empty() {
            bail!("{} is no unified diff of a compiler's sources or tests", patch.display());
        }
        focus = focus.and(of_patch);
    }
    Ok((!focus.is_empty()).then_some(focus))
}

/// Spends the time where a change is, as far as each engine can.
fn apply(focus: &Focus, plan: &mut Plan, setting: &Setting) {
    for fuzzer in &setting.fuzzers {
        let found = fuzzer.focus(focus);
        terminal::note(&format!(
            "gainsay: preferred: {} of the change's own tests, {} that are near it or reach it ({} the first to reach a \
             block of its functions, which have {})",
            human::plural(found.tests as u64, "seed"),
            human::count(found.seeds as u64),
            human::count(found.reaching as u64),
            human::plural(found.blocks as u64, "block"),
        ));
    }
    for compiler in &mut plan.compilers {
        // Nothing that is optimised runs there.
        let mut fewer = (**compiler).clone();
        fewer.levels.retain(|level| level != "-O0");
        if !fewer.levels.is_empty() {
            *compiler = Arc::new(fewer);
        }
    }
}

fn exit_status(count: &summary::Count) -> u8 {
    match count {
        _ if count.regressions > 0 => REGRESSIONS,
        _ if count.tests == 0 || count.cannot_tell + count.unconfirmed > 0 => CANNOT_TELL,
        _ => 0,
    }
}

/// What is compared, by name.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Compared {
    /// The baseline: `gcc-11 11.3.0`.
    pub old: String,
    /// What is tested.
    pub new: String,
}

/// The folder of a pair where none is named: that of hunts has other findings.
fn own_folder(old: &str, new: &str) -> PathBuf {
    let name = |word: &str| -> String {
        let last = word.rsplit('/').next().unwrap_or(word);
        let plain = |c: char| if c.is_ascii_alphanumeric() || ".-_+".contains(c) { c } else { '_' };
        last.chars().map(plain).collect()
    };
    PathBuf::from(format!("gainsay-compare-{}-{}", name(old), name(new)))
}

/// A folder is of one comparison: findings of another would be counted with it.
fn note_comparison(dir: &Path, compared: &Compared) -> Result<()> {
    let store = Store::create(dir)?;
    let known = store.setting(SETTING)?;
    let known: Option<Compared> = known.and_then(|text| serde_json::from_str(&text).ok());
    match known {
        Some(known) if known == *compared => Ok(()),
        Some(known) => bail!(
            "{} compares {} with {}: give another folder with --hunt",
            dir.display(),
            known.new,
            known.old
        ),
        None if !store.findings()?.is_empty() => bail!(
            "{} is the folder of a hunt, which compares nothing: give another one with --hunt",
            dir.display()
        ),
        None => store.set(SETTING, &serde_json::to_string(compared)?),
    }
}

/// The plan of the hunt, and what is to be said of it.
fn plan(mut args: Compare) -> Result<(Plan, Setting, Compared)> {
    let given = args.workload.given.clone();
    if let Some(option) = ["--cc", "--lib"].into_iter().find(|option| given.has(option)) {
        bail!("{option} is for hunts: a comparison tests NEW alone");
    }
    let (old, new) = (Operand::of(&args.old)?, Operand::of(&args.new)?);
    if !given.has("--engine") {
        args.workload.engine = new.engines(old.has_clang() && new.has_clang(), &args.workload);
    }
    let is_of_llvm =
        |engine: &HuntEngine| matches!(engine, HuntEngine::Crossover | HuntEngine::Passes);
    match (&old, &new) {
        (Operand::Compiler(old), Operand::Compiler(new)) => {
            if args.workload.engine.iter().any(is_of_llvm) {
                bail!(
                    "engines of LLVM's passes compare two libLLVMs: {old} and {new} are compilers"
                );
            }
            let old = old.clone();
            args.workload.cc = vec![new.clone()];
            of_compilers(args, &old)
        }
        (Operand::Library(old), Operand::Library(new)) => {
            if !args.workload.engine.iter().all(is_of_llvm) {
                bail!(
                    "programs for compilers compare two compilers: {} and {} are libLLVMs",
                    args.old,
                    args.new
                );
            }
            if old.path == new.path {
                bail!("OLD and NEW are the same library: {}", old.path.display());
            }
            let (old, file) = (old.clone(), new.path.display().to_string());
            // By number, where that means it: so it is called.
            let name = if new.is_default { new.major.to_string() } else { file };
            args.workload.llvm.lib = vec![name];
            of_libraries(args, old)
        }
        _ => bail!(
            "{} and {} are a compiler and a libLLVM: compare two of one kind",
            args.old,
            args.new
        ),
    }
}

fn of_compilers(args: Compare, old: &str) -> Result<(Plan, Setting, Compared)> {
    let config = args.workload.config.clone();
    let (mut plan, mut setting) = hunt::plan(&hunt_of(args, None))?;
    let [new] = plan.compilers.as_slice() else {
        bail!("NEW means {} compilers: name one", plan.compilers.len());
    };
    let new = new.clone();
    let found = hunt::compilers(config.as_deref(), &[old.to_string()], plan.language)?;
    let [old] = found.compilers.as_slice() else {
        bail!("OLD means {} compilers: name one", found.compilers.len());
    };
    if old.name == new.name {
        bail!("OLD and NEW are the same compiler: {}", old.name);
    }
    let named = |name: &str, version: &str| hunt::name_with_version(name, version);
    let compared =
        Compared { old: named(&old.name, &old.version), new: named(&new.name, &new.version) };
    plan.compilers.push(old.clone());
    plan.baseline = Some(Baseline::Compiler(old.clone()));
    setting.baseline = Some(compared.old.clone());
    Ok((plan, setting, compared))
}

fn of_libraries(args: Compare, old: Installed) -> Result<(Plan, Setting, Compared)> {
    let (mut plan, mut setting) = hunt::plan(&hunt_of(args, Some(old.clone())))?;
    let name = |library: &Installed| format!("libLLVM-{}", library.name());
    let Some(new) = setting.compilers.first() else { bail!("NEW is no library") };
    let compared = Compared {
        old: hunt::name_with_version(&name(&old), &old.version_and_build()),
        new: hunt::name_with_version(&new.name, &new.version),
    };
    plan.baseline = Some(Baseline::Library(old));
    setting.baseline = Some(compared.old.clone());
    Ok((plan, setting, compared))
}

/// The hunt of NEW. Programs for libraries must be readable by `baseline`, too.
fn hunt_of(args: Compare, baseline: Option<Installed>) -> Hunt {
    Hunt {
        time: Some(args.time),
        tests: args.tests,
        jobs: args.jobs,
        folder: args.folder,
        seed: args.seed,
        workload: args.workload,
        output: args.output,
        #[cfg(feature = "cluster")]
        cluster: Default::default(),
        elsewhere: Default::default(),
        baseline,
    }
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}

/// The page of the folder.
fn page(store: &Store, dir: &Path, compared: &Compared) -> Result<String> {
    let shot = store.snapshot()?;
    let mut details = Vec::new();
    let is_shown = |bug: &&campaign::Bug| bug.standing != Standing::Disputed;
    for bug in shot.bugs.iter().filter(is_shown) {
        let id = bug.representative;
        let Some(found) = store.finding(id)? else { continue };
        let (study, bug) = (store.study(id)?, Some(bug.clone()));
        let (targets, folder) = (shot.targets.clone(), Some(dir.to_path_buf()));
        details.push(Detail { found, study, bug, targets, folder });
    }
    let name = format!("{} against {}", compared.new, compared.old);
    let view = report::View { name: &name, now: findings::now(), shot: &shot };
    Ok(report::page(&view, &details))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_a_folder_of_its_own() {
        let name = |old, new| own_folder(old, new).display().to_string();
        assert_eq!(name("gcc-11", "gcc-12 -m64"), "gainsay-compare-gcc-11-gcc-12_-m64");
        assert_eq!(name("./a/libLLVM.so", "16"), "gainsay-compare-libLLVM.so-16");
    }

    #[test]
    fn what_was_found_decides_on_the_status() {
        let count = |regressions, cannot_tell, tests| summary::Count {
            regressions,
            cannot_tell,
            tests,
            ..Default::default()
        };
        for (count, status) in [
            (count(1, 5, 10), REGRESSIONS),
            (count(0, 0, 10), 0),
            (count(0, 0, 0), CANNOT_TELL),
            (count(0, 2, 10), CANNOT_TELL),
            (summary::Count { before: 7, ..count(0, 0, 10) }, 0),
            (summary::Count { unconfirmed: 1, ..count(0, 0, 10) }, CANNOT_TELL),
        ] {
            assert_eq!(exit_status(&count), status, "{count:?}");
        }
    }
}
