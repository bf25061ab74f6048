//! Refinement over a whole suite of LLVM's tests: `cargo lab refine table`.

mod mutants;
mod self_check;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use crossover::import::files;
use llvmhost::{Installed, Limits, Program, Server, Setup};
use optimise::locate::{OnText, Optimiser as _};
use refine::{Checked, Executed, Own, PIPELINE, Pair, Proof, Scope, Solver, Verdict};

use crate::context::Context;
use crate::pool;

/// Arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// What is known of every function of a suite after passes: proved, held, refuted, unknown; and how fast.
    Table(Table),
    /// What the machine computes, against the code that LLVM makes of the same function.
    SelfCheck(self_check::Args),
    /// Wrong changes to functions: what the machine refutes the solver must not prove.
    Mutants(mutants::Args),
}

/// Arguments of the table.
#[derive(clap::Args, Debug)]
struct Table {
    /// LLVM's tests, such as llvm/test/Transforms of a checkout.
    #[arg(long, value_name = "DIR")]
    tests: PathBuf,
    /// Which libLLVMs.
    #[arg(long, value_delimiter = ',', default_value = "16,19")]
    lib: Vec<String>,
    /// The passes: those of O2 that look at one function at a time, unless told otherwise.
    #[arg(long, default_value = PIPELINE)]
    passes: String,
    /// Every so many files only.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Execute only.
    #[arg(long)]
    no_solver: bool,
    /// Milliseconds of the solver for a question.
    #[arg(long, default_value_t = 5000)]
    solver_ms: u64,
    /// Write modules and reports of what is refuted or not confirmed here.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Functions at a time.
    #[arg(long)]
    jobs: Option<usize>,
}

/// Runs the command.
pub fn main(context: &Context, args: &Args) -> Result<()> {
    match &args.command {
        Command::Table(args) => table(context, args),
        Command::SelfCheck(args) => self_check::main(context, args),
        Command::Mutants(args) => mutants::main(context, args),
    }
}

/// A function's verdict with what cannot be told from it.
struct Row {
    file: PathBuf,
    checked: Checked,
    same: bool,
}

fn table(context: &Context, args: &Table) -> Result<()> {
    let mut tests = files(&args.tests).with_context(|| args.tests.display().to_string())?;
    tests.sort();
    let tests: Vec<PathBuf> = tests.into_iter().step_by(args.every.max(1)).collect();
    let solver = match args.no_solver {
        true => None,
        false => Some(Solver::find().context("there is no z3 or cvc5")?),
    };
    let time = Duration::from_millis(args.solver_ms);
    let solver = solver.map(|solver| solver.within(time));
    for name in &args.lib {
        let library = Installed::named(name).map_err(|e| anyhow!(e))?;
        let begin = Instant::now();
        let own = Own::new(solver.clone()).within(Scope::Function);
        let servers = Servers::new(context, &library)?;
        let what = format!("LLVM {}: test files", library.major);
        let jobs = args.jobs.unwrap_or_else(pool::processors);
        let rows = pool::map_on(jobs, &what, &tests, |file| {
            servers.with(|server| one_file(file, server, args, &own))
        });
        let (mut all, mut aside) = (Vec::new(), BTreeMap::new());
        for rows in rows {
            match rows? {
                Ok(rows) => all.extend(rows),
                Err(why) => *aside.entry(why).or_insert(0u32) += 1,
            }
        }
        if let Some(keep) = &args.keep {
            write_kept(&keep.join(name), &all)?;
        }
        show(&library, &all, &aside, tests.len(), begin.elapsed());
    }
    Ok(())
}

/// Servers that threads share.
pub struct Servers {
    program: Program,
    setup: Setup,
    idle: Mutex<Vec<Server>>,
}

impl Servers {
    /// For a library.
    pub fn new(context: &Context, library: &Installed) -> Result<Servers> {
        let args = vec!["llvm".to_string(), "serve".to_string()];
        let program = Program { path: context.gainsay()?, args };
        let setup =
            Setup { library: library.path.clone(), major: library.major, ..Setup::default() };
        Ok(Servers { program, setup, idle: Mutex::default() })
    }

    /// Calls `work` with an idle one.
    pub fn with<T>(&self, work: impl FnOnce(&mut Server) -> T) -> Result<T> {
        let idle = || self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let taken = idle().pop();
        let mut server = match taken {
            Some(server) => server,
            None => Server::start(&self.program, &self.setup).map_err(|e| anyhow!(e))?,
        };
        let done = work(&mut server);
        idle().push(server);
        Ok(done)
    }
}

/// The functions of a file; `Err` is why there are none.
fn one_file(
    file: &Path,
    server: &mut Server,
    args: &Table,
    own: &Own,
) -> Result<Vec<Row>, &'static str> {
    let text = fs::read(file).map_err(|_| "it cannot be read")?;
    let text = String::from_utf8(text).map_err(|_| "it is no text")?;
    let limits = Limits { time: Duration::from_secs(10), ..Limits::default() };
    let mut optimiser = OnText { server, limits, x86: true };
    let before = optimiser.run(&text, "verify").ok_or("no module for this LLVM")?;
    let after = optimiser.run(&before, &args.passes).ok_or("the passes fail on it")?;
    let pair = Pair::read(&before, &after).map_err(|why| {
        eprintln!("{}: {why}", file.display());
        "not understood by us"
    })?;
    let row = |name: &String| {
        let mut checked = own.function(&pair, name);
        let same = checked.proof == Proof::Same;
        if same {
            // Executed all the same: how much of LLVM's language the machine knows is the question.
            own.execute(&pair, name, &mut checked);
        }
        Row { file: file.to_path_buf(), checked, same }
    };
    let rows: Vec<Row> = pair.names(own.scope).iter().map(row).collect();
    if let Some(keep) = &args.keep
        && rows.iter().any(is_of_note)
    {
        let _ = keep_modules(keep, file, &before, &after);
    }
    Ok(rows)
}

fn is_of_note(row: &Row) -> bool {
    row.checked.counterexample.is_some() || matches!(row.checked.proof, Proof::Unconfirmed(_))
}

fn stem(file: &Path) -> String {
    let parts: Vec<_> = file.components().rev().take(3).collect();
    let names = parts.iter().rev().map(|part| part.as_os_str().to_string_lossy().into_owned());
    names.collect::<Vec<_>>().join("_")
}

fn keep_modules(keep: &Path, file: &Path, before: &str, after: &str) -> std::io::Result<()> {
    let dir = keep.join("modules");
    fs::create_dir_all(&dir)?;
    fs::write(dir.join(format!("{}.before.ll", stem(file))), before)?;
    fs::write(dir.join(format!("{}.after.ll", stem(file))), after)
}

fn write_kept(dir: &Path, rows: &[Row]) -> Result<()> {
    fs::create_dir_all(dir)?;
    let mut unconfirmed = String::new();
    for row in rows {
        let name = format!("{}.{}", stem(&row.file), row.checked.function);
        if let Some(counterexample) = &row.checked.counterexample {
            let name = name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "_");
            fs::write(dir.join(format!("{name}.txt")), counterexample.to_string())?;
        }
        if let Proof::Unconfirmed(why) = &row.checked.proof {
            unconfirmed += &format!("{name}: {why}\n");
        }
    }
    fs::write(dir.join("unconfirmed.txt"), unconfirmed)?;
    Ok(())
}

fn show(
    library: &Installed,
    rows: &[Row],
    aside: &BTreeMap<&'static str, u32>,
    tests: usize,
    took: Duration,
) {
    let total = rows.len().max(1);
    let changed = rows.iter().filter(|row| !row.same).count();
    let percent = |n: usize| 100.0 * n as f64 / total as f64;
    println!(
        "\nLLVM {}: {tests} files, {} functions, {changed} of them changed by the passes, {:.0} s",
        library.major,
        rows.len(),
        took.as_secs_f64()
    );
    for (why, count) in aside {
        println!("  {count} files aside: {why}");
    }
    println!("\n| outcome | functions | of all | of the changed |\n| --- | ---: | ---: | ---: |");
    let line = |name: &str, is: &dyn Fn(&Row) -> bool| {
        let all = rows.iter().filter(|row| is(row)).count();
        let of_changed = rows.iter().filter(|row| !row.same && is(row)).count();
        println!(
            "| {name} | {all} | {:.1} % | {of_changed} ({:.1} %) |",
            percent(all),
            100.0 * of_changed as f64 / changed.max(1) as f64
        );
    };
    line("unchanged", &|row| row.same);
    line("proved", &|row| row.checked.verdict() == Verdict::Proved);
    line("no counterexample", &|row| matches!(row.checked.verdict(), Verdict::Held(_)));
    line("refuted", &|row| row.checked.counterexample.is_some());
    line("refuted, no undef in the input", &|row| {
        row.checked.counterexample.as_ref().is_some_and(|shown| !shown.needs_undef)
    });
    line("unknown", &|row| matches!(row.checked.verdict(), Verdict::Unknown(_)));
    line("time out", &|row| row.checked.verdict() == Verdict::Timeout);
    line("error", &|row| matches!(row.checked.verdict(), Verdict::Error(_)));
    line("answered by execution", &|row| !matches!(row.checked.executed, Executed::Unknown(_)));
    line("all inputs executed", &|row| matches!(row.checked.executed, Executed::Held(_, true)));
    line("solver: proved", &|row| row.checked.proof == Proof::Proved);
    line("solver: out of time", &|row| row.checked.proof == Proof::TooHard);
    line("solver: not confirmed", &|row| matches!(row.checked.proof, Proof::Unconfirmed(_)));
    reasons(
        "not executed",
        rows.iter().filter_map(|row| match &row.checked.executed {
            Executed::Unknown(why) => Some(why.as_str()),
            _ => None,
        }),
    );
    reasons(
        "no proof",
        rows.iter().filter_map(|row| match &row.checked.proof {
            Proof::Refused(why) | Proof::Unconfirmed(why) | Proof::Failed(why) => {
                Some(why.as_str())
            }
            _ => None,
        }),
    );
    let executed = rows.iter().map(|row| (row.checked.execution_time, row));
    times("execution", executed.filter(|(time, _)| !time.is_zero()));
    let proved = rows.iter().map(|row| (row.checked.proof_time, row));
    times("solver", proved.filter(|(time, _)| !time.is_zero()));
}

/// The most frequent reasons; names and numbers in them do not count.
fn reasons<'a>(what: &str, all: impl Iterator<Item = &'a str>) {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for why in all {
        let why: String = why.chars().take(70).collect();
        *counts.entry(why.replace(|c: char| c.is_ascii_digit(), "#")).or_default() += 1;
    }
    let mut counts: Vec<(String, u32)> = counts.into_iter().collect();
    counts.sort_by_key(|(why, count)| (std::cmp::Reverse(*count), why.clone()));
    println!("\n{what}:");
    for (why, count) in counts.iter().take(40) {
        println!("  {count:6} {why}");
    }
    if counts.len() > 40 {
        let rest: u32 = counts[40..].iter().map(|(_, count)| count).sum();
        println!("  {rest:6} for {} other reasons", counts.len() - 40);
    }
}

fn times<'a>(what: &str, times: impl Iterator<Item = (Duration, &'a Row)>) {
    let mut times: Vec<_> = times.collect();
    times.sort_by_key(|(time, _)| *time);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).map(|(t, _)| ms(*t));
    let sum: Duration = times.iter().map(|(time, _)| time).sum();
    let Some((slowest, row)) = times.last() else { return };
    println!(
        "{what}: {} functions, {:.0} a second, median {:.2} ms, 95th percentile {:.1} ms, slowest {:.0} ms \
         ({} @{})",
        times.len(),
        times.len() as f64 / sum.as_secs_f64().max(1e-9),
        at(0.5).unwrap_or_default(),
        at(0.95).unwrap_or_default(),
        ms(*slowest),
        stem(&row.file),
        row.checked.function
    );
}
