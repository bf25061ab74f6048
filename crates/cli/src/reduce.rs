//! `gainsay reduce`: a small program that still fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use campaign::{LlvmTools, Store, Study, StudyOptions, StudyProgress, TestProgram};
use clap::{Args, ValueEnum};
use finding::ProgramSubject;
use oracle::{Case, Lab, SourceFile};
use reduce::{
    KnownMasks, NotReduced, ReduceOptions, ReduceProgress, Reduced, ReducedByScript, Validity,
};
use serde_json::json;
use toolchain::{Language, Target};

use crate::args::HuntFolder;
use crate::check::Check;
use crate::hunt::{Compilers, compilers};
use crate::installed::InstalledCompilers;
use crate::run::{Alignment, Run};
use crate::{check, human, run, status, terminal};

/// Exit status when there is nothing to reduce.
const NOT_REDUCED: u8 = 1;

/// A log wants a sign of life, but no more.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Make a failing program small, and keep it failing and valid
///
/// Every candidate is executed by the abstract machine before a compiler sees it: what has no
/// defined result is never tried. A crash stays the same crash; wrong code stays wrong where it was
/// wrong and right where it was right. Ctrl-C keeps the best so far.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Reduce {
    /// The number of a finding, a folder as `gainsay show -o` writes it, C or C++ files of one program, or an
    /// LLVM module.
    #[arg(required = true, value_name = "ID | DIR | FILE.c | FILE.ll")]
    pub what: Vec<PathBuf>,
    /// A script that exits with 0 for what must stay, as for C-Reduce
    ///
    /// It runs in a folder with a copy of the file.
    #[arg(long, value_name = "SCRIPT")]
    pub test: Option<PathBuf>,
    /// Write the result to this file; for a finding, to this folder
    ///
    /// Without it a file goes to standard output, and a finding stays in the hunt's folder.
    #[arg(short = 'o', long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Compilers, as for `gainsay hunt`.
    #[arg(long, value_name = "PATTERN")]
    pub cc: Vec<String>,
    /// For a module: which libLLVM fails on it, a version (16) or the file; the newest by default
    #[arg(long, value_name = "VERSION-OR-FILE", conflicts_with = "test")]
    pub lib: Option<String>,
    /// For a module: the passes that fail on it, as for `opt -passes=`; `default<O3>` if not given
    #[arg(long, value_name = "P", conflicts_with = "test")]
    pub passes: Option<String>,
    /// Candidates at the same time; all processors by default
    #[arg(short = 'j', long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Stop after this time with the best so far: 90s, 10m.
    #[arg(long = "for", value_name = "TIME", value_parser = crate::human::duration)]
    pub time: Option<Duration>,
    /// Let another reducer go on with the result of --test.
    #[arg(long, value_enum, value_name = "TOOL", requires = "test")]
    pub finish: Option<Finisher>,
    /// Search this folder for headers.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    #[command(flatten)]
    pub folder: HuntFolder,
    /// Compilers, flags and limits; ./gainsay.toml, if there is one and this is not given.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON object in place of text.
    #[arg(long)]
    pub json: bool,
}

/// Reducers that can go on where ours ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Finisher {
    /// C-Vise, with our check that the program is valid before its script
    Cvise,
}

const HELP: &str = "\
Exit status:
  0   reduced
  1   the failure does not show, or the program cannot be used
  2   a mistake in the arguments, or something is missing here

Examples:
  gainsay reduce 3                                      # a finding, with blame and versions
  gainsay reduce crash.c --cc gcc-12 -o small.c
  gainsay reduce big.c --test ./interesting.sh -o small.c
  gainsay reduce big.c --test ./interesting.sh --finish cvise -o small.c
  gainsay reduce bad.ll --lib 16 --passes instcombine -o small.ll
  gainsay reduce bad.ll --test ./interesting.sh -o small.ll  # LLVM IR, by llvm-reduce";

/// Runs the command; the exit status.
pub fn main(args: &Reduce) -> Result<u8> {
    let done = terminal::deep(|| match &args.test {
        Some(script) => by_script(args, script),
        None => match number(&args.what) {
            Some(id) => a_finding(args, id),
            None => match args.what.as_slice() {
                [file] if reduce::is_ir(file) => a_module(args, file),
                _ if args.lib.is_some() || args.passes.is_some() => {
                    bail!("--lib and --passes are for one LLVM module, FILE.ll or FILE.bc")
                }
                _ => files(args),
            },
        },
    });
    terminal::status("");
    match done? {
        Ok(()) => Ok(0),
        Err(NotReduced::Trouble(trouble)) => Err(trouble.into()),
        Err(why) => {
            terminal::complain(&format!("gainsay: {why}"));
            Ok(NOT_REDUCED)
        }
    }
}

/// `3`, and no file of that name.
fn number(what: &[PathBuf]) -> Option<i64> {
    match what {
        [one] if !one.exists() => one.to_str()?.parse().ok(),
        _ => None,
    }
}

fn order(args: &Reduce, limits: oracle::Limits) -> ReduceOptions {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    ReduceOptions {
        jobs: args.jobs.unwrap_or(processors),
        time: args.time,
        stop: sandbox::Stop::on_signals(),
        limits,
        known: KnownMasks::default(),
    }
}

/// Shows how far it is.
struct Teller {
    begin: Instant,
    last: Mutex<Option<Instant>>,
}

impl Teller {
    fn new() -> Teller {
        Teller { begin: Instant::now(), last: Mutex::new(None) }
    }

    fn say(&self, line: &str) {
        if terminal::is_live() || terminal::is_verbose() {
            terminal::status(line);
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.unwrap_or(self.begin).elapsed() >= LINE_EVERY {
            *last = Some(Instant::now());
            terminal::note(line);
        }
    }

    fn progress(&self, p: &ReduceProgress) {
        let (seconds, tokens) = (p.elapsed.as_secs(), p.tokens);
        self.say(&format!(
            "{seconds:>4} s  {tokens} of {} tokens  {} tried, {} asked  {}",
            p.before, p.candidates, p.asked, p.pass
        ));
    }

    fn edits(&self, p: &optimise::shrink::Progress<'_>) {
        self.say(&format!(
            "{:>4} s  {} instructions, {}  {} tried  {}",
            self.begin.elapsed().as_secs(),
            p.instructions,
            human::cut(p.passes, 40),
            p.candidates,
            p.what
        ));
    }

    fn step(&self, step: StudyProgress<'_>) {
        match step {
            StudyProgress::Reduced(progress) => self.progress(progress),
            StudyProgress::Shrunk(progress) => self.say(&format!(
                "{:>4} s  {} instructions, {}  {} tried  {}",
                self.begin.elapsed().as_secs(),
                progress.instructions,
                human::cut(progress.passes, 40),
                progress.candidates,
                progress.what
            )),
            StudyProgress::Asks(what) => {
                self.say(&format!("{:>4} s  {what}", self.begin.elapsed().as_secs()))
            }
        }
    }
}

type Outcome = Result<Result<(), NotReduced>>;

/// A file and a script.
fn by_script(args: &Reduce, script: &Path) -> Outcome {
    let [file] = args.what.as_slice() else {
        bail!("--test reduces one file: preprocess several into one, or leave --test out")
    };
    if !file.is_file() {
        bail!("there is no file {}", file.display());
    }
    if !script.is_file() {
        bail!("there is no script {}", script.display());
    }
    let order = order(args, oracle::Limits::default());
    let teller = Teller::new();
    if reduce::is_ir(file) {
        return by_llvm_reduce(args, file, script, &order);
    }
    let tell = |p: &ReduceProgress| teller.progress(p);
    let mut done = match reduce::reduce_by_script(file, script, &args.include, &order, &tell) {
        Ok(done) => done,
        Err(why) => return Ok(Err(why)),
    };
    if args.finish == Some(Finisher::Cvise) && !order.stop.is_set() {
        teller.say("C-Vise goes on");
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let script = fs::canonicalize(script)?;
        let own = std::env::current_exe().context("where gainsay is installed is not known")?;
        match reduce::finish_with_cvise(&done.text, &name, &script, &own, &order) {
            Ok(text) => {
                done.tokens.1 = cshrink::tokens(&text);
                done.text = text;
            }
            Err(why) => return Ok(Err(why)),
        }
    }
    write(args.output.as_deref(), &done.text, args.json)?;
    tell_script(args, &done)?;
    Ok(Ok(()))
}

fn by_llvm_reduce(args: &Reduce, file: &Path, script: &Path, order: &ReduceOptions) -> Outcome {
    match reduce::reduce_ir(file, script, order) {
        Ok(Some(text)) => {
            write(args.output.as_deref(), &text, false)?;
            Ok(Ok(()))
        }
        Ok(None) => {
            // Lines of text will do.
            let tell = |_: &ReduceProgress| {};
            match reduce::reduce_by_script(file, script, &[], order, &tell) {
                Ok(done) => {
                    write(args.output.as_deref(), &done.text, args.json)?;
                    tell_script(args, &done)?;
                    Ok(Ok(()))
                }
                Err(why) => Ok(Err(why)),
            }
        }
        Err(why) => Ok(Err(why)),
    }
}

/// A module on which passes of a library fail: what they do wrong is found out first.
fn a_module(args: &Reduce, file: &Path) -> Outcome {
    let module =
        fs::read(file).with_context(|| format!("the file {} cannot be read", file.display()))?;
    let limits = llvmhost::Limits::default();
    let library = crate::llvm::Library {
        name: args.lib.clone(),
        timeout: limits.time,
        memory: limits.memory >> 20,
    };
    let (found, mut server) = library.serve_found()?;
    let passes = args.passes.as_deref().unwrap_or("default<O3>");
    let (teller, order) = (Teller::new(), order(args, oracle::Limits::default()));
    let is_over =
        || order.stop.is_set() || order.time.is_some_and(|time| teller.begin.elapsed() >= time);
    let tell = |p: &optimise::shrink::Progress<'_>| teller.edits(p);
    let done = optimise::reduce::reduce(&mut server, &module, passes, limits, &tell, &is_over);
    let done = match done {
        Ok(done) => done,
        Err(optimise::reduce::NotReduced::Trouble(why)) => bail!("{why}"),
        Err(why) => return Ok(Err(NotReduced::Unusable(why.to_string()))),
    };
    let text = String::from_utf8_lossy(&done.shrunk.module).into_owned();
    write(args.output.as_deref(), &text, args.json)?;
    let count = |text: &[u8]| String::from_utf8_lossy(text).split_whitespace().count();
    let passes = llvmhost::without_fixpoint_check(&done.shrunk.passes, found.major);
    let tried = (done.shrunk.candidates, done.shrunk.candidates);
    let valid = "every candidate is a module that LLVM's verifier takes";
    let tokens = (count(&module), count(&done.shrunk.module));
    summary(args.json, tokens, tried, teller.begin.elapsed(), valid, &text)?;
    if !args.json {
        terminal::complain(&format!("fails: {}: {}", found.name(), done.summary));
        let tool = found.tool("opt");
        terminal::complain(&format!("passes: {tool} '-passes={passes}'"));
    }
    Ok(Ok(()))
}

fn tell_script(args: &Reduce, done: &ReducedByScript) -> Result<()> {
    let valid = match &done.validity {
        Validity::Executed => "every candidate was executed first: no undefined behaviour".into(),
        Validity::Parsed(why) => format!("nothing was executed, validity is the script's: {why}"),
        Validity::Text(why) => format!("reduced as mere text, validity is the script's: {why}"),
    };
    summary(args.json, done.tokens, done.tried, done.took, &valid, &done.text)
}

fn summary(
    json: bool,
    tokens: (usize, usize),
    tried: (u64, u64),
    took: Duration,
    valid: &str,
    text: &str,
) -> Result<()> {
    terminal::status("");
    if json {
        let object = json!({
            "tokens_before": tokens.0, "tokens": tokens.1, "lines": text.lines().count(),
            "candidates": tried.0, "asked": tried.1, "seconds": took.as_secs_f64(),
            "validity": valid, "text": text,
        });
        terminal::print(format!("{object}\n").as_bytes())?;
    } else {
        terminal::complain(&format!(
            "{} tokens of {} in {:.1} s; {} candidates, {} asked; {valid}",
            tokens.1,
            tokens.0,
            took.as_secs_f64(),
            tried.0,
            tried.1
        ));
    }
    Ok(())
}

fn write(output: Option<&Path>, text: &str, json: bool) -> Result<()> {
    match output {
        Some(path) => fs::write(path, text)
            .with_context(|| format!("the file {} cannot be written", path.display())),
        None if json => Ok(()),
        None => Ok(terminal::print(text.as_bytes())?),
    }
}

/// C files, or a folder of them: what is wrong with whom is found out first.
fn files(args: &Reduce) -> Outcome {
    let files = match args.what.as_slice() {
        [dir] if dir.is_dir() => units(dir)?,
        files => files.to_vec(),
    };
    if let Some(missing) = files.iter().find(|file| !file.is_file()) {
        bail!("there is no file {}, and no finding of that number", missing.display());
    }
    let found = compilers(args.config.as_deref(), &args.cc, check::language(&files)?)?;
    let order = order(args, found.limits.clone());
    let (case, subject) = match failing(args, &files, &found, &order)? {
        Some(failing) => failing,
        None => return Ok(Err(NotReduced::NotShown("every compiler is right about it".into()))),
    };
    let teller = Teller::new();
    let all = found.compilers.as_slice();
    let tell = |step: StudyProgress<'_>| teller.step(step);
    let reduced = match campaign::shrink(&case, &subject, all, &order, &tell) {
        Ok(reduced) => reduced,
        Err(why) => return Ok(Err(why)),
    };
    let Reduced { case, failure, .. } = &reduced;
    let lab = Lab { limits: order.limits.clone(), stop: sandbox::Stop::new() };
    let bad: &Target = &failure.bad[0];
    let instead = format!("{}: {}", bad.label(), campaign::summary_of(&lab, case, bad)?);
    let text: String = case.files.iter().map(|f| String::from_utf8_lossy(&f.bytes)).collect();
    let text = reduce::present(&text, case.expected.as_ref(), &instead);
    match (args.output.as_deref(), case.files.as_slice()) {
        (Some(dir), [_, _, ..]) => {
            lab.write(case, dir)?;
        }
        (output, _) => write(output, &text, args.json)?,
    }
    let valid = match (reduced.executed, reduced.checked_by.as_slice()) {
        (true, []) => "every candidate was executed first: no undefined behaviour".into(),
        (true, tools) => format!(
            "every candidate was executed first, or passed the compilers' own checks before it was C: {}",
            tools.join(", ")
        ),
        (false, []) => {
            "nothing was executed: the machine cannot, and a crash needs no result".into()
        }
        (false, tools) => {
            format!("every candidate passed the compilers' own checks: {}", tools.join(", "))
        }
    };
    summary(args.json, reduced.tokens, reduced.tried, reduced.took, &valid, &text)?;
    if let Some(line) = oracle::command_line(case, bad).filter(|_| !args.json) {
        terminal::complain(&format!("fails: {line}"));
    }
    Ok(Ok(()))
}

/// The files of a folder that a compiler is given.
fn units(dir: &Path) -> Result<Vec<PathBuf>> {
    let read = || format!("the folder {} cannot be read", dir.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).with_context(read)? {
        let path = entry.with_context(read)?.path();
        let is_c = path.extension().is_some_and(|end| end == "c" || end == "i");
        if is_c || Language::of(&path) == Language::Cxx {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        bail!("there is no C or C++ file in {}", dir.display());
    }
    Ok(files)
}

/// What is wrong with the program, if anything: the gravest of it, and who is right.
fn failing(
    args: &Reduce,
    files: &[PathBuf],
    found: &Compilers,
    order: &ReduceOptions,
) -> Result<Option<(Case, ProgramSubject)>> {
    let check = Check {
        files: files.to_vec(),
        include: args.include.clone(),
        define: Vec::new(),
        cc: Vec::new(),
        config: None,
        json: false,
    };
    let run = Run {
        files: check.files.clone(),
        include: check.include.clone(),
        define: Vec::new(),
        profile: false,
        fuel: None,
        alignment: Alignment::Offsets,
        json: false,
    };
    let told = run::execute(&run)?;
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    let mut made: TestProgram = check::made(&check, &names.join(" "), &told)?;
    if told.diagnostic.is_some() {
        // A crash is a bug whatever the program means.
        made.case.expected = None;
    }
    let is_beyond = told.exit == status::USAGE || told.exit == status::UNSUPPORTED;
    if told.diagnostic.is_some() && made.case.language == Language::Cxx && is_beyond {
        terminal::status("what do the compilers agree on?");
        made.case.expected = campaign::agreed_result(&made.case, &found.compilers, order)?;
    }
    let sum: usize = found.compilers.iter().map(|c| c.levels.len()).sum();
    let n = AtomicUsize::new(0);
    let begin = |label: &str| {
        let n = 1 + n.fetch_add(1, Ordering::Relaxed);
        terminal::status(&format!("[{n}/{sum}] {label}"));
    };
    let failing = campaign::failing(&made.case, &found.compilers, order, &begin)?;
    if failing.is_none()
        && made.case.expected.is_none()
        && let Some(diagnostic) = &told.diagnostic
    {
        terminal::complain(&diagnostic.render(terminal::colour()));
        bail!("so wrong code cannot be told, and no compiler crashes on it");
    }
    Ok(failing.map(|subject| (made.case, subject)))
}

/// A finding of a hunt.
fn a_finding(args: &Reduce, id: i64) -> Outcome {
    Store::open(&args.folder.dir)?;
    // Held to the end: a hunt must not write meanwhile.
    let mut store = Store::create(&args.folder.dir)?;
    let Some(found) = store.finding(id)? else {
        bail!(
            "there is no finding {id} in {}: `{}` lists them",
            args.folder.dir.display(),
            args.folder.command("findings")
        );
    };
    let teller = Teller::new();
    let known = store.known_bugs()?;
    let options = StudyOptions {
        known: &known,
        reduce: order(args, oracle::Limits::default()),
        tools: LlvmTools { program: &crate::llvm::program()?, limits: llvmhost::Limits::default() },
    };
    let mut installed = InstalledCompilers::new(args.config.as_deref(), &args.cc);
    let tell = |step: StudyProgress<'_>| teller.step(step);
    let mut study = match campaign::study_finding(&found, options, &mut installed, &tell)? {
        Ok(study) => study,
        Err(why) => return Ok(Err(why)),
    };
    campaign::adopt_key(&store, id, &mut study)?;
    store.put_study(id, &study)?;
    show_reduced(args, id, &study)
}

/// Shows what became of a finding, and writes it where it is wanted.
fn show_reduced(args: &Reduce, id: i64, study: &Study) -> Outcome {
    terminal::status("");
    if let Some(dir) = &args.output {
        campaign::write_files(&study.files, dir)?;
    }
    let text = |file: &SourceFile| String::from_utf8_lossy(&file.bytes).into_owned();
    let text: String = study.files.iter().map(text).collect();
    if args.json {
        let object = json!({
            "id": id, "tokens_before": study.tokens.0, "tokens": study.tokens.1,
            "lines": text.lines().count(), "seconds": study.took.as_secs_f64(),
            "compiler": study.compiler(), "flags": study.flags(), "key": study.key,
            "blame": study.blame, "ladder": study.ladder, "text": text,
        });
        terminal::print(format!("{object}\n").as_bytes())?;
    } else {
        terminal::print(text.as_bytes())?;
        let pass = study.blame.pass.as_deref().unwrap_or("no pass found");
        terminal::complain(&format!(
            "{} tokens of {} in {:.0} s; {} {}; {pass}; `{}` shows all",
            study.tokens.1,
            study.tokens.0,
            study.took.as_secs_f64(),
            study.compiler(),
            human::cut(&study.flags().join(" "), 60),
            args.folder.command(&format!("show {id}")),
        ));
    }
    Ok(Ok(()))
}
