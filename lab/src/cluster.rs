//! `cargo lab cluster chaos`: three NATS servers, six workers and a coordinator on loopback, killed at
//! random while they hunt on the faulty compilers; at the end the store must be that of an undisturbed
//! local hunt on the same seeds.
//!
//! What is compared is everything that a finding says but numbers and times that depend on the order of
//! arrival: engine, seed, kind, signature, standing, summary, targets that fail and that do not, the program
//! and the files with it. Not the certificate: only the first twenty findings of a signature are put before
//! the sanitizers, and which are the first is a matter of time, in a local hunt of two threads as well.

mod stage;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use campaign::{Finding, Store};
use choice::Choices;
use sandbox::{Ended, Run, Status};

use crate::LabOutcome;
use crate::context::Context;
pub use stage::Stage;

/// Workers of a run.
const WORKERS: usize = 6;

/// Servers of a run.
const SERVERS: usize = 3;

/// The first seed.
const SEED: u64 = 7;

/// Faulty compilers whose faults depend on the program alone, and not on a clock: killing takes time, and a
/// busy machine must not look like a fault.
pub const FAULTS: &[&str] = &["miscompile", "ice", "segv", "nothing", "rejects"];

/// A worker that is silent for so long is taken for dead: short, since many die.
const LEASE: &str = "4s";

/// Arguments of `cargo lab cluster`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Kill workers, servers and the coordinator at random; compare with an undisturbed local hunt.
    Chaos(Chaos),
}

/// Arguments of `cargo lab cluster chaos`.
#[derive(clap::Args, Debug)]
pub struct Chaos {
    /// How long to kill.
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// The binary, in place of a release build.
    #[arg(long, value_name = "FILE")]
    gainsay: Option<PathBuf>,
    /// The seed of what is killed when.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the command.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    match &args.what {
        Command::Chaos(args) => chaos(context, args),
    }
}

fn chaos(context: &Context, args: &Chaos) -> Result<LabOutcome> {
    let gainsay = binary(context, args.gainsay.as_deref())?;
    let dir = context.work_folder("cluster-chaos")?;
    fs::remove_dir_all(&dir)?;
    fs::create_dir_all(&dir)?;
    write_configuration(context, &dir)?;
    // How many tests to begin with is measured; when they are done before the time is over, more are added.
    let probe = local(&gainsay, &dir, "probe", 12)?;
    let tests = (args.minutes * 60.0 * 12.0 / probe.as_secs_f64() * 0.3).max(12.0) as u64;
    println!(
        "chaos: {tests} tests, {WORKERS} workers, {SERVERS} servers, killed for {} minutes",
        args.minutes
    );
    let (killed, tests) = disturbed(&gainsay, &dir, tests, args)?;
    println!("chaos: killed {killed}; now the same seeds undisturbed");
    let took = local(&gainsay, &dir, "local", tests)?;
    println!("chaos: undisturbed, {tests} tests took {:.0} s", took.as_secs_f64());
    compare(&dir, tests)
}

/// The binary that was named, or a release build.
pub fn binary(context: &Context, given: Option<&Path>) -> Result<PathBuf> {
    match given {
        Some(path) => Ok(fs::canonicalize(path)?),
        None => context.gainsay(),
    }
}

/// Faulty compilers, and programs that are tested in a second.
pub fn write_configuration(context: &Context, dir: &Path) -> Result<()> {
    let scripts = context.root.join("tests/compilers/faulty");
    let compiler = |name: &&str| {
        let path = scripts.join(format!("{name}.sh")).display().to_string();
        format!(
            "[[compiler]]\nname = \"{name}\"\npath = {path:?}\nfamily = \"gcc\"\nlevels = [\"-O0\", \"-O2\"]\n"
        )
    };
    let compilers: String = FAULTS.iter().map(compiler).collect();
    fs::write(dir.join("gainsay.toml"), format!("extras_per_test = 0\n{compilers}"))?;
    fs::write(dir.join("small.toml"), "program.tests = [1, 2]\n")?;
    Ok(())
}

/// The arguments of all hunts here.
pub fn hunt(out: &str, tests: u64) -> Vec<String> {
    let mut words: Vec<String> =
        ["hunt", "--policy", "small.toml", "--json", "--no-reduce"].map(String::from).into();
    words.extend(["--hunt".into(), out.into(), "--tests".into(), tests.to_string()]);
    words.extend(["--seed".into(), SEED.to_string()]);
    FAULTS.iter().for_each(|name| words.extend(["--cc".into(), name.to_string()]));
    words
}

/// A local hunt; how long it took.
fn local(gainsay: &Path, dir: &Path, out: &str, tests: u64) -> Result<Duration> {
    let run = Run::new(gainsay, Duration::from_secs(4 * 3600)).args(hunt(out, tests)).cwd(dir);
    match run.finish() {
        Ended::Finished(done) if matches!(done.status, Status::Exit(0 | 1)) => Ok(done.wall),
        other => bail!("the local hunt failed: {other:?}"),
    }
}

/// The same in a cluster, with everything killed now and then; how often, and how many tests it came to.
fn disturbed(gainsay: &Path, dir: &Path, first: u64, args: &Chaos) -> Result<(usize, u64)> {
    let mut stage = Stage::servers(dir, SERVERS)?;
    let servers = stage.address();
    let mut tests = first;
    let coordinating = |tests: u64| {
        let mut words = hunt("cluster", tests);
        words.extend(["--cluster".into(), servers.clone(), "--lease".into(), LEASE.into()]);
        words
    };
    let mut coordinator = stage.start("coordinator", gainsay, &coordinating(tests))?;
    let working: Vec<String> =
        ["worker", "--join", &servers, "--jobs", "1"].map(String::from).into();
    let mut workers = Vec::new();
    for n in 0..WORKERS {
        workers.push(stage.start(&format!("worker-{n}"), gainsay, &working)?);
    }
    let mut choices = Choices::new(args.seed).fork("chaos");
    let begin = Instant::now();
    let time = Duration::from_secs_f64(args.minutes * 60.0);
    // Enough for the tests that the killing cost.
    let patience = time * 4 + Duration::from_secs(300);
    let (mut killed, mut round) = (0, 0_u64);
    let mut down: Option<(usize, Instant)> = None;
    loop {
        if !coordinator.is_running() {
            let ended = coordinator.last()?;
            if !matches!(ended, Status::Exit(0 | 1)) {
                let log = dir.join("coordinator.log");
                bail!("the coordinator ended with {ended:?}: {} tells more", log.display());
            }
            if begin.elapsed() > time {
                break;
            }
            tests += first.div_ceil(3);
            coordinator = stage.start("coordinator", gainsay, &coordinating(tests))?;
        }
        std::thread::sleep(Duration::from_millis(1500 + choices.below(5000)));
        if begin.elapsed() > patience {
            bail!("the hunt does not end: {} tells more", dir.join("coordinator.log").display());
        }
        if let Some((n, since)) = down
            && since.elapsed() > Duration::from_secs(3)
        {
            stage.restart_server(n)?;
            down = None;
        }
        for worker in workers.iter_mut().filter(|worker| !worker.is_running()) {
            worker.start_again()?;
        }
        if begin.elapsed() > time {
            continue;
        }
        round += 1;
        killed += 1;
        match round {
            // Servers need each other to agree: one is down at a time.
            n if n % 5 == 3 && down.is_none() => {
                let server = choices.index(SERVERS);
                stage.kill_server(server)?;
                down = Some((server, Instant::now()));
            }
            n if n % 20 == 6 => {
                coordinator.kill()?;
                coordinator.start_again()?;
            }
            _ => workers[choices.index(WORKERS)].kill()?,
        }
    }
    println!("chaos: {tests} tests, disturbed, took {:.0} s", begin.elapsed().as_secs_f64());
    Ok((killed, tests))
}

/// Whether both stores say the same.
fn compare(dir: &Path, tests: u64) -> Result<LabOutcome> {
    let (calm, wild) = (
        findings_as_text(&dir.join("local"), tests)?,
        findings_as_text(&dir.join("cluster"), tests)?,
    );
    let (lost, more) = (difference(&calm, &wild), difference(&wild, &calm));
    for text in &lost {
        println!("chaos: lost: {}", text.lines().next().unwrap_or_default());
    }
    for text in &more {
        println!("chaos: not in the local hunt: {}", text.lines().next().unwrap_or_default());
    }
    println!(
        "chaos: {} findings undisturbed, {} disturbed: {} lost, {} more; every one of {tests} tests done once",
        calm.len(),
        wild.len(),
        lost.len(),
        more.len()
    );
    let same = lost.is_empty() && more.is_empty() && !calm.is_empty();
    Ok(if same { LabOutcome::Nothing } else { LabOutcome::Something })
}

/// Every finding of a store as text, sorted; an error if tests are missing or were set aside.
fn findings_as_text(dir: &Path, tests: u64) -> Result<Vec<String>> {
    let store = Store::open(dir)?;
    let engines = store.snapshot()?.spent;
    let [spent] = &engines[..] else { bail!("{} has {engines:?}", dir.display()) };
    let (done, n) = (store.engine(&spent.engine)?.done, spent.seeds);
    let wanted: BTreeSet<u64> = (SEED..SEED + tests).collect();
    if done != wanted || n != tests {
        let undone: Vec<_> = wanted.difference(&done).collect();
        bail!("{}: {n} tests of {tests}; undone: {undone:?}", dir.display());
    }
    let skipped = store.skipped()?;
    if let Some((why, n)) = skipped.iter().find(|(why, _)| why.starts_with("set aside")) {
        bail!("{}: {n} tests are {why}", dir.display());
    }
    let mut all = Vec::new();
    for found in store.findings()? {
        let whole = store.finding(found.id)?.context("a finding that is listed is not there")?;
        all.push(text(&whole));
    }
    all.sort();
    Ok(all)
}

/// A finding without what depends on the order of arrival.
fn text(found: &Finding) -> String {
    let f = &found.finding;
    let files: Vec<_> =
        f.files.iter().chain(&f.artifacts).map(|file| (&file.name, &file.bytes)).collect();
    format!(
        "{} seed {} {:?} {:?} {}\n{}\n{:?}\n{:?}\n{files:?}\n{}",
        found.engine,
        found.seed,
        f.kind,
        f.standing,
        f.signature,
        f.summary,
        f.targets(),
        f.right(),
        f.origin
    )
}

/// What is in one sorted list more often than in another.
fn difference(one: &[String], other: &[String]) -> Vec<String> {
    let count = |list: &[String], text: &String| list.iter().filter(|t| *t == text).count();
    let mut more: Vec<String> =
        one.iter().filter(|text| count(one, text) > count(other, text)).cloned().collect();
    more.dedup();
    more
}
