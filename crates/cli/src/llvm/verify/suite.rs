//! Many tests: progress while they are checked, what is refuted as it is found, a table at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use optimise::locate::Located;
use optimise::suite::{Compared, Outcome, Report, Servers, Suite, Table, Test, Times, find_tests};
use refine::{Own, PIPELINE, Scope};
use sandbox::Stop;
use serde_json::{Value, json};

use super::Verify;
use crate::{human, terminal};

/// A person starts to wonder after about this long.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often a log is told how far it is.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// How often a terminal is.
const REDRAW: Duration = Duration::from_millis(250);

/// Checks the tests.
pub fn main(args: &Verify, own: Own) -> Result<u8> {
    let mut tests = find_tests(&args.paths).map_err(|e| anyhow!(e))?;
    if tests.is_empty() {
        bail!("there is no .ll file below {}", args.paths[0].display());
    }
    let every = args.tests.every.unwrap_or(1) as usize;
    tests = tests.into_iter().step_by(every).collect();
    let runs_passes = tests.iter().any(|test| matches!(test, Test::Module(_)));
    let servers = match runs_passes {
        true => {
            let library = args.library.find()?;
            Some(Servers::new(super::super::program()?, &library))
        }
        false => None,
    };
    // The default passes look at one function at a time.
    let mut own = if args.passes.is_none() { own.within(Scope::Function) } else { own };
    let stop = Stop::on_signals();
    if let Some(solver) = &mut own.solver {
        solver.stop = stop.clone();
    }
    let suite = Suite {
        servers: servers.as_ref(),
        limits: args.library.limits(),
        passes: args.passes.as_deref().unwrap_or(PIPELINE),
        oracle: &own,
        function: args.function.as_deref(),
        blame: args.tests.blame,
        stop: &stop,
    };
    if runs_passes {
        suite.know_passes().map_err(|e| anyhow!(e))?;
    }
    if let Some(dir) = &args.tests.output {
        fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    }
    let table = check_all(args, &suite, &tests)?;
    let stopped = table.tests < tests.len();
    if args.json {
        print_line(&json!({ "summary": as_json(&table, tests.len()) }))?;
    } else {
        let mut text = String::new();
        if stopped {
            writeln!(text, "\nstopped after {} of {} tests", table.tests, tests.len())?;
        }
        let gap = if table.count(Outcome::Refuted) > 0 { "\n" } else { "" };
        write!(text, "{gap}{table}")?;
        terminal::print(text.as_bytes())?;
    }
    Ok(u8::from(table.count(Outcome::Refuted) > 0))
}

/// Checks on other threads, and shows reports here in the order of the tests.
fn check_all(args: &Verify, suite: &Suite<'_>, tests: &[Test]) -> Result<Table> {
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.tests.jobs.map_or_else(processors, usize::from);
    let mut table = Table::default();
    let mut progress = Progress::new(tests.len());
    thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        let work = scope.spawn(move || {
            // The receiver outlives this thread.
            suite.check_all(tests, jobs, &|number, report| drop(send.send((number, report))))
        });
        let (mut waiting, mut next) = (BTreeMap::new(), 0);
        let mut shown = Ok(());
        loop {
            match receive.recv_timeout(REDRAW) {
                Ok((number, report)) => {
                    progress.add(&report);
                    waiting.insert(number, report);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            progress.show();
            while let Some(report) = waiting.remove(&next) {
                shown = shown.and_then(|()| show(args, suite, &report));
                table.add(&report);
                next += 1;
            }
            if shown.is_err() {
                suite.stop.set();
            }
        }
        for report in waiting.values() {
            shown = shown.and_then(|()| show(args, suite, report));
            table.add(report);
        }
        terminal::status("");
        let worked = work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        shown.and(worked.map_err(|e| anyhow!(e)))
    })?;
    Ok(table)
}

/// How far it is, on standard error, for whoever waits.
struct Progress {
    begin: Instant,
    told: Instant,
    total: usize,
    tests: usize,
    functions: usize,
    refuted: usize,
}

impl Progress {
    fn new(total: usize) -> Progress {
        let now = Instant::now();
        Progress { begin: now, told: now, total, tests: 0, functions: 0, refuted: 0 }
    }

    fn add(&mut self, report: &Report) {
        self.tests += 1;
        let functions = report.functions.as_deref().unwrap_or_default();
        self.functions += functions.len();
        self.refuted += functions.iter().filter(|one| one.outcome() == Outcome::Refuted).count();
    }

    fn show(&mut self) {
        let every = if terminal::is_live() { REDRAW } else { LINE_EVERY };
        if self.begin.elapsed() < PATIENCE || self.told.elapsed() < every {
            return;
        }
        self.told = Instant::now();
        let line = format!(
            "{} of {} tests, {}, {} refuted, {}",
            human::count(self.tests as u64),
            human::count(self.total as u64),
            human::plural(self.functions as u64, "function"),
            human::count(self.refuted as u64),
            human::span(self.begin.elapsed()),
        );
        if terminal::is_live() {
            terminal::status(&line);
        } else {
            terminal::complain(&format!("gainsay: {line}"));
        }
    }
}

/// Shows and keeps what is refuted; as JSON, shows everything.
fn show(args: &Verify, suite: &Suite<'_>, report: &Report) -> Result<()> {
    let file = report.test.file();
    let functions = match &report.functions {
        Ok(functions) => functions,
        Err(aside) if args.json => {
            return print_line(&json!({ "file": file, "set_aside": aside.to_string() }));
        }
        Err(_) => return Ok(()),
    };
    if args.json {
        for one in functions {
            print_line(&function_json(file, one))?;
        }
    } else {
        let text: String = functions.iter().map(|one| refutation(file, one)).collect();
        if !text.is_empty() {
            terminal::status("");
            terminal::print(text.as_bytes())?;
        }
    }
    match &args.tests.output {
        Some(dir) => keep(dir, args, suite, report).with_context(|| dir.display().to_string()),
        None => Ok(()),
    }
}

fn refutation(file: &Path, one: &Compared) -> String {
    let Some(counterexample) = &one.checked.counterexample else { return String::new() };
    let mut text = format!("{}: @{} does not refine\n", file.display(), one.checked.function);
    let given = counterexample.given.lines().map(|line| format!("  input: {line}\n"));
    text.extend(given.take(4));
    text += &format!("  {}\n", counterexample.why);
    if let Some(located) = &one.located {
        text += &format!("  pass to blame: {}\n", located.pass());
    }
    text
}

fn function_json(file: &Path, one: &Compared) -> Value {
    let checked = &one.checked;
    json!({
        "file": file,
        "function": checked.function,
        "outcome": one.outcome().name(),
        "execution": checked.executed.name(),
        "says": checked.verdict().to_string(),
        "proof": checked.proof.why(),
        "counterexample": checked.counterexample.as_ref().map(ToString::to_string),
        "pass": one.located.as_ref().map(Located::pass),
        "passes": one.located.as_ref().map(|located| &located.passes),
        "execution_ms": ms(checked.execution_time),
        "proof_ms": ms(checked.proof_time),
    })
}

fn as_json(table: &Table, total: usize) -> Value {
    let times = |times: &Times| {
        json!({
            "functions": times.count(),
            "total_ms": ms(times.total()),
            "median_ms": ms(times.quantile(0.5)),
            "p95_ms": ms(times.quantile(0.95)),
        })
    };
    let outcomes: BTreeMap<_, _> =
        Outcome::ALL.into_iter().map(|outcome| (outcome.name(), table.count(outcome))).collect();
    json!({
        "tests": total,
        "finished": table.tests,
        "functions": table.functions(),
        "outcomes": outcomes,
        "answered_by_execution": table.answered_by_execution,
        "all_inputs_executed": table.all_inputs,
        "proved_by_solver": table.proved_by_solver,
        "refuted_without_undef": table.refuted_without_undef,
        "not_executed": table.not_executed,
        "not_proved": table.not_proved,
        "set_aside": table.set_aside,
        "execution": times(&table.execution),
        "solver": times(&table.proof),
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn print_line(value: &Value) -> Result<()> {
    Ok(terminal::print(format!("{value}\n").as_bytes())?)
}

/// Characters of a file's name: file systems have 255 bytes, and there is an ending.
const LONGEST_NAME: usize = 150;

/// Writes both modules, and what is wrong of each function that is refuted.
fn keep(dir: &Path, args: &Verify, suite: &Suite<'_>, report: &Report) -> Result<()> {
    let (Some((before, after)), Ok(functions)) = (&report.modules, &report.functions) else {
        return Ok(());
    };
    let stem = file_name(&report.test.file().with_extension("").display().to_string());
    let (old, new) = (format!("{stem}.before.ll"), format!("{stem}.after.ll"));
    fs::write(dir.join(&old), before)?;
    fs::write(dir.join(&new), after)?;
    for one in functions {
        let Some(counterexample) = &one.checked.counterexample else { continue };
        let function = &one.checked.function;
        let mut text = format!("test: {}\nfunction: @{function}\n", report.test.file().display());
        if let Test::Module(_) = report.test {
            let library = suite
                .servers
                .map_or_else(String::new, |servers| servers.library().display().to_string());
            text += &format!("library: {library}\npasses: {}\n", suite.passes);
        }
        if let Some(located) = &one.located {
            text += &format!("pass to blame: {} (-passes='{}')\n", located.pass(), located.passes);
        }
        let isolated = if suite.oracle.scope == Scope::Function { " --isolated" } else { "" };
        text += &format!(
            "command: gainsay llvm verify {old} {new} --function {}{isolated}\n\n{counterexample}\n",
            human::quote(function)
        );
        fs::write(dir.join(format!("{stem}.{}.txt", file_name(function))), text)?;
    }
    Ok(())
}

fn file_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = text.trim_start_matches(['.', '/']).chars().map(plain).collect();
    name[name.len().saturating_sub(LONGEST_NAME)..].to_string()
}
