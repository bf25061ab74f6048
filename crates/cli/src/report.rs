//! `gainsay report`: a folder for a bug tracker, or a page on a hunt.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use campaign::Store;
use clap::Args;
use finding::{CompilerTarget, Subject};
use oracle::{Behaviour, Case, FailureKind, Lab};
use report::{CompilerToday, Detail, Format, SuspectFlags, Test, View};
use sandbox::{Ended, Run, Scratch, Status};
use toolchain::{Family, Language, Preprocessor, Target};

use crate::args::HuntFolder;
use crate::hunt::compilers;
use crate::{findings, terminal};

/// Bytes for one of LLVM's tools on a small module, as a hunt allows.
const MEMORY: u64 = 4 << 30;

/// A compiler tells its version in no time.
const PATIENCE: Duration = Duration::from_secs(20);

/// Write a finding as a bug report, or a whole hunt as a page
///
/// A report is a folder: the test, its text for a bug tracker, `reproduce.sh`, which says whether
/// the bug is there, and the original program. A page is one file that any browser shows.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Report {
    /// The number of a finding, as `gainsay findings` lists it
    #[arg(value_name = "ID", required_unless_present = "html", conflicts_with = "html")]
    pub id: Option<i64>,
    /// The tracker it is for
    ///
    /// `bugzilla` is GCC's: plain text, with the fields of its form. `github` is LLVM's: an issue with title and labels.
    #[arg(long, value_name = "FORMAT", default_value = "markdown", conflicts_with = "html",
          value_parser = format)]
    pub format: Format,
    /// One HTML page on the whole hunt
    #[arg(long)]
    pub html: bool,
    /// Write the report to this folder, or the page to this file
    #[arg(short = 'o', long, value_name = "PATH", required = true)]
    pub output: PathBuf,
    #[command(flatten)]
    pub folder: HuntFolder,
    /// Compilers, flags and limits; ./gainsay.toml, if there is one and this is not given.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

const HELP: &str = "\
Examples:
  gainsay reduce 3 && gainsay report 3 -o bug                # a folder to send
  gainsay report 3 --format bugzilla -o bug                  # the same for GCC's tracker
  gainsay report 3 -o bug && sh bug/reproduce.sh gcc-12      # is it there, too?
  gainsay report --html --hunt my-hunt -o hunt.html";

/// Reads the name of a format.
fn format(text: &str) -> Result<Format, String> {
    Format::ALL.into_iter().find(|format| format.name() == text).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        format!("the formats are {names}")
    })
}

/// Runs the command; the exit status.
pub fn main(args: &Report) -> Result<u8> {
    let store = Store::open(&args.folder.dir)?;
    match args.id {
        Some(id) => folder(args, &store, id)?,
        None => page(args, &store)?,
    }
    Ok(0)
}

fn page(args: &Report, store: &Store) -> Result<()> {
    let shot = store.snapshot()?;
    let mut details = Vec::new();
    for bug in &shot.bugs {
        let id = bug.representative;
        let Some(found) = store.finding(id)? else { continue };
        let (study, bug) = (store.study(id)?, Some(bug.clone()));
        let (targets, folder) = (shot.targets.clone(), Some(args.folder.dir.clone()));
        details.push(Detail { found, study, bug, targets, folder });
    }
    let name = args.folder.dir.to_string_lossy();
    let view = View { name: &name, now: findings::now(), shot: &shot };
    if args.output.is_dir() {
        bail!("{} is a folder: give a file with -o", args.output.display());
    }
    let page = report::page(&view, &details);
    fs::write(&args.output, page)
        .with_context(|| format!("{} cannot be written", args.output.display()))?;
    terminal::print(format!("{}\n", args.output.display()).as_bytes())?;
    Ok(())
}

fn folder(args: &Report, store: &Store, id: i64) -> Result<()> {
    store.known(id)?;
    let found = store.finding(id)?.context("it was there a moment ago")?;
    let study = store.study(id)?;
    let bugs = store.bugs()?;
    let bug = bugs.iter().find(|bug| bug.ids.contains(&id));
    let mut test = Test::new(&found, study.as_ref(), bug)?;
    test.today = today(args, &test);
    let written = report::folder(&test, args.format, &args.output)?;
    let mut told = format!("{}: {}\n", args.output.display(), written.join(" "));
    if study.is_none() {
        let reduce = args.folder.command(&format!("reduce {id}"));
        told += &format!(
            "The program is not reduced yet: `{reduce}` does that and finds the cause; this report has \
             the original.\n"
        );
        if let Some(bug) = bug.filter(|bug| {
            bug.representative != id && store.study(bug.representative).is_ok_and(|s| s.is_some())
        }) {
            told += &format!(
                "Finding {} is likely to be the same bug, and is reduced.\n",
                bug.representative
            );
        }
    }
    terminal::print(told.as_bytes())?;
    Ok(())
}

/// Asks the compiler that fails; what it does not tell is left out.
fn today(args: &Report, test: &Test) -> CompilerToday {
    let today = CompilerToday { system: system(), ..CompilerToday::default() };
    match (test.failing(), test.case()) {
        (Some(failing), Some(case)) => of_compiler(args, test, failing, &case, today),
        _ => of_tool(test, today),
    }
}

/// A compiler by its name, as it is installed now.
fn of_compiler(
    args: &Report,
    test: &Test,
    failing: &CompilerTarget,
    case: &Case,
    mut today: CompilerToday,
) -> CompilerToday {
    let (name, flags, language) = (&failing.compiler, &failing.flags, test.language);
    let here = match compilers(args.config.as_deref(), std::slice::from_ref(name), language) {
        Ok(here) => here,
        Err(error) => {
            terminal::complain(&format!("gainsay: {name} cannot be asked again: {error:#}"));
            return today;
        }
    };
    let Some(compiler) = here.compilers.into_iter().find(|c| c.name == *name) else { return today };
    let target = Target { compiler, flags: flags.clone() };
    let Some(command) = target.command(language).map(<[_]>::to_vec) else { return today };
    if target.compiler.version == test.version {
        today.verbose = verbose(&command);
    }
    let lab = Lab { limits: here.limits, stop: sandbox::Stop::on_signals() };
    let Ok(scratch) = Scratch::new() else { return today };
    // By the names of the report, so that messages fit it.
    if lab.write(case, scratch.path()).is_err() {
        return today;
    }
    let seen = lab.observe(case, scratch.path(), &target).ok().map(|seen| seen.seen);
    match &seen {
        Some(seen) if seen.kind(case).is_some() => today.got = Some(seen.clone()),
        Some(_) => terminal::complain(&format!(
            "gainsay: {} does as it must now: `{}` tells more",
            target.label(),
            args.folder.command(&format!("recheck {}", test.found.id))
        )),
        None => {}
    }
    if target.compiler.family == Family::Gcc && test.kind().is_wrong_code() {
        today.suspects = suspects(&lab, case, scratch.path(), &target);
    }
    if language == Language::C {
        today.preprocessed = preprocessed(&command, &target, case, scratch.path());
    }
    today
}

/// What GCC does with the flags that its maintainers ask to try before they hear of wrong code.
fn suspects(lab: &Lab, case: &Case, dir: &Path, target: &Target) -> Option<SuspectFlags> {
    let flags = target.flags.iter().cloned();
    let lenient = flags.chain(SuspectFlags::LENIENT.map(String::from)).collect();
    let lenient = Target { compiler: target.compiler.clone(), flags: lenient };
    let seen = lab.observe(case, dir, &lenient).ok()?.seen;
    // A compiler that does not take these flags has said nothing.
    let still_wrong = match seen.kind(case) {
        Some(kind) if kind.is_wrong_code() => true,
        None if seen.is_right(case) => false,
        _ => return None,
    };
    let (program, arguments) = target.command(case.language)?.split_first()?;
    let run = Run::new(program, PATIENCE).args(arguments).args(&target.flags);
    let run = run.args(SuspectFlags::WARN).args(["-fsyntax-only"]).args(case.units());
    let include = case.include.iter().flat_map(|dir| ["-I".as_ref(), dir.as_os_str()]);
    match run.args(include).cwd(dir).env("LC_ALL", "C").finish() {
        Ended::Finished(done) => Some(SuspectFlags { warnings: done.stderr.text(), still_wrong }),
        _ => None,
    }
}

/// One of LLVM's tools on a module: what it says, and which it is. Only the one that was built with the library that
/// failed has something to say, and what ends by itself.
fn of_tool(test: &Test, mut today: CompilerToday) -> CompilerToday {
    let Subject::Module(module) = &test.subject else { return today };
    if module.library.distinct_name.is_some() && module.library.bin.is_none() {
        return today;
    }
    let (Some((tool, words)), Some(file)) = (module.tool(), test.files.first()) else {
        return today;
    };
    let Some(tool) =
        toolchain::on_path(&tool).or_else(|| Some(PathBuf::from(tool)).filter(|t| t.is_file()))
    else {
        return today;
    };
    let Ok(scratch) = Scratch::new() else { return today };
    if fs::write(scratch.file(&file.name), &file.bytes).is_err() {
        return today;
    }
    let said = |words: &[String]| {
        let run = Run::new(&tool, PATIENCE).memory(MEMORY).args(words).cwd(scratch.path());
        match run.env("LC_ALL", "C").finish() {
            Ended::Finished(done) => Some((done.status, done.stdout.text() + &done.stderr.text())),
            _ => None,
        }
    };
    let version = said(&["--version".into()]).map(|(_, text)| text.trim().to_string() + "\n");
    today.verbose = version.filter(|text| text.contains(&test.version));
    let ends = matches!(test.kind(), FailureKind::CompilerCrash | FailureKind::InvalidIr);
    if today.verbose.is_none() || !ends {
        return today;
    }
    if let Some((_, text)) = said(&words).filter(|(status, _)| *status != Status::Exit(0)) {
        let text = text.replace(&format!("{}/", scratch.path().display()), "");
        today.got = Some(Behaviour::Crashed(text));
    }
    today
}

fn verbose(command: &[std::ffi::OsString]) -> Option<String> {
    let (program, arguments) = command.split_first()?;
    let run = Run::new(program, PATIENCE).args(arguments).arg("-v").env("LC_ALL", "C");
    match run.finish() {
        Ended::Finished(done) => {
            let text = format!("{}{}", done.stdout.text(), done.stderr.text());
            Some(text).filter(|text| !text.trim().is_empty())
        }
        _ => None,
    }
}

/// A program of one file, preprocessed: GCC's tracker asks for it.
fn preprocessed(
    command: &[std::ffi::OsString],
    target: &Target,
    case: &oracle::Case,
    dir: &Path,
) -> Option<String> {
    let mut units = case.units();
    let (Some(unit), None) = (units.next(), units.next()) else { return None };
    let preprocessor = Preprocessor::with_command(command);
    let preprocessor = target.flags.iter().fold(preprocessor, |p, flag| p.option(flag));
    let preprocessor = case.include.iter().fold(preprocessor, |p, dir| p.include(dir));
    let text = preprocessor.run(&dir.join(unit)).ok()?;
    // Line markers name our temporary folder.
    Some(text.replace(&format!("{}/", dir.display()), ""))
}

/// The operating system by name.
fn system() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(format!("{}, {}", name.trim_matches('"'), std::env::consts::ARCH))
}
