//! `cargo xtask hunt`: a short hunt on the compilers that are here.
//!
//! Until the real hunt exists this is its skeleton: make a program, let the machine say what it
//! must print, compile it with every compiler found at -O0 and -O2, compare. A compiler that
//! disagrees, crashes or hangs is a finding, and the program is kept.

mod sources;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use clap::Args;
use sandbox::Scratch;
use toolchain::{Tool, find_tool};

use crate::Found;
use crate::compiler::{Built, Compiler};
use crate::context::Context;
use crate::csmith::Csmith;
use crate::machine::{Answer, Machine};
use crate::pool::Progress;
use sources::Source;

/// Steps for one program; most take less than a tenth of it. An endless program of Csmith is to be
/// given up within seconds, even where a step is a large statement under an order check: the time
/// limit of the machine would call it a hang.
const FUEL: u64 = 2_000_000;

/// Arguments of `cargo xtask hunt`.
#[derive(Args, Debug)]
pub struct Hunt {
    /// How long, such as 30s or 10m.
    #[arg(long = "for", value_name = "TIME", default_value = "30s", value_parser = duration)]
    time: Duration,
    /// First seed; a fresh one unless given.
    #[arg(long)]
    seed: Option<u64>,
}

fn duration(text: &str) -> Result<Duration, String> {
    let (digits, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: u64 = digits.parse().map_err(|_| "a number and s, m or h, such as 30s")?;
    match unit {
        "" | "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(number * 60)),
        "h" => Ok(Duration::from_secs(number * 3600)),
        _ => Err("a number and s, m or h, such as 30s".into()),
    }
}

/// Counts of one hunt.
#[derive(Default)]
struct Counts {
    programs: u64,
    finished: u64,
    undefined: u64,
    other: u64,
    comparisons: u64,
    /// Programs that a target does not compile, by its name.
    refusals: BTreeMap<String, u64>,
    findings: Vec<String>,
}

/// Everything a worker needs.
struct Field {
    machine: Machine,
    sources: Vec<Source>,
    targets: Vec<(String, Compiler)>,
    scratch: Scratch,
    keep: PathBuf,
}

/// Hunts and prints a summary.
pub fn main(context: &Context, hunt: &Hunt) -> Result<Found> {
    let field = prepare(context)?;
    // Whoever wants a hunt again gives the seed that was printed.
    let seed = hunt.seed.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |t| t.as_secs() % 1_000_000_000)
    });
    let names: Vec<&str> = field.targets.iter().map(|(name, _)| name.as_str()).collect();
    println!("hunt: seed {seed}, {} s, on {}", hunt.time.as_secs(), names.join(", "));
    let counts = search(&field, seed, hunt.time);
    for finding in &counts.findings {
        println!("{finding}");
    }
    summarise(&counts);
    Ok(if counts.findings.is_empty() { Found::Nothing } else { Found::Something })
}

fn summarise(counts: &Counts) {
    println!(
        "hunt: {} programs: {} finished, {} undefined or unspecified, {} not taken by the machine",
        counts.programs, counts.finished, counts.undefined, counts.other
    );
    println!("hunt: {} comparisons, {} finding(s)", counts.comparisons, counts.findings.len());
    for (name, n) in &counts.refusals {
        println!("hunt: {name} does not compile {n} of them");
    }
    if counts.comparisons == 0 {
        println!("hunt: nothing was compared, so nothing was tested: give it more time with --for");
    }
}

fn prepare(context: &Context) -> Result<Field> {
    let csmith = Csmith::find();
    if csmith.is_none() {
        println!("hunt: no Csmith programs, csmith or its headers are not installed");
    }
    let mut machine = Machine { fuel: Some(FUEL), ..Machine::new(context.gainsay()?) };
    let mut targets = Vec::new();
    for tool in [Tool::Gcc, Tool::Clang, Tool::Tcc] {
        let found = find_tool(tool);
        if found.is_empty() {
            println!("hunt: {0} is not tested, it is not installed", tool.known().name);
        }
        for compiler in found {
            // The Tiny C Compiler has no optimiser.
            let levels: &[&str] = if tool == Tool::Tcc { &["-O0"] } else { &["-O0", "-O2"] };
            for level in levels {
                let target = Compiler::new(&compiler.path, &[level, "-w"]);
                targets.push((format!("{} {} {level}", compiler.name, compiler.version), target));
            }
        }
    }
    if targets.is_empty() {
        bail!(
            "no C compiler is installed to hunt on: run cargo xtask setup, or apt-get install gcc"
        );
    }
    if let Some(csmith) = &csmith {
        machine = machine.include(&csmith.headers);
        targets
            .iter_mut()
            .for_each(|(_, target)| *target = target.clone().include(&csmith.headers));
    }
    let sources = Source::all(csmith);
    let keep = context.work_folder("hunt")?;
    Ok(Field { machine, sources, targets, scratch: Scratch::new()?, keep })
}

/// Works through seeds on all processors until the time is over.
fn search(field: &Field, seed: u64, time: Duration) -> Counts {
    let deadline = Instant::now() + time;
    let next = AtomicU64::new(0);
    let progress = Progress::new("hunt", time.as_secs() as usize).unit(" s");
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let mut total = Counts::default();
    thread::scope(|scope| {
        let work = || {
            let mut counts = Counts::default();
            while Instant::now() < deadline {
                let n = next.fetch_add(1, Ordering::Relaxed);
                one(field, seed.wrapping_add(n), n, &mut counts);
            }
            counts
        };
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        while Instant::now() < deadline {
            thread::sleep(Duration::from_secs(1).min(time));
            progress.step();
        }
        for counts in workers.into_iter().filter_map(|w| w.join().ok()) {
            total.programs += counts.programs;
            total.finished += counts.finished;
            total.undefined += counts.undefined;
            total.other += counts.other;
            total.comparisons += counts.comparisons;
            for (name, n) in counts.refusals {
                *total.refusals.entry(name).or_default() += n;
            }
            total.findings.extend(counts.findings);
        }
    });
    progress.end();
    total
}

fn one(field: &Field, seed: u64, n: u64, counts: &mut Counts) {
    let Some(source) = field.sources.get(n as usize % field.sources.len().max(1)) else { return };
    let file = field.scratch.file(format!("{seed}.c"));
    if source.generate(seed, &file).is_err() {
        return;
    }
    counts.programs += 1;
    let got = field.machine.run(&file);
    match got.answer {
        Answer::Finished { status, stdout } => {
            counts.finished += 1;
            compare(field, &file, (status, &stdout), counts);
        }
        Answer::Broken { .. } => counts.undefined += 1,
        Answer::Bug(what) => keep(field, &file, &format!("gainsay itself: {what}"), counts),
        _ => counts.other += 1,
    }
    let _ = fs::remove_file(file);
}

fn compare(field: &Field, file: &Path, expected: (u8, &[u8]), counts: &mut Counts) {
    for (i, (name, compiler)) in field.targets.iter().enumerate() {
        let binary = file.with_extension(format!("{i}.exe"));
        match compiler.build_and_run(file, &binary).0 {
            Built::Ran(done) => {
                counts.comparisons += 1;
                let status = done.status.shell();
                if status != expected.0 {
                    let what =
                        format!("{name}: wrong code: exits with {status}, not {}", expected.0);
                    keep(field, file, &what, counts);
                } else if done.stdout.bytes != expected.1 {
                    keep(
                        field,
                        file,
                        &format!("{name}: wrong code: prints something else"),
                        counts,
                    );
                }
            }
            // The machine has no clock: a program it takes seconds for may be slow anywhere.
            Built::TooLong => {}
            // Not every compiler takes every extension that Csmith uses.
            Built::NotCompiled(_) => *counts.refusals.entry(name.clone()).or_default() += 1,
            Built::Crashed(why) => {
                let first = why.lines().next().unwrap_or("no message");
                keep(field, file, &format!("{name}: crashes: {first}"), counts);
            }
        }
    }
}

fn keep(field: &Field, file: &Path, what: &str, counts: &mut Counts) {
    let kept = field.keep.join(file.file_name().unwrap_or_default());
    let _ = fs::copy(file, &kept);
    counts.findings.push(format!("{what} ({})", kept.display()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert!(duration("soon").is_err() && duration("3d").is_err());
    }
}
