//! `cargo lab passes selection`: RQ1 of the paper in small. Do selected sequences and programs find more bugs
//! than random ones in the same time?
//!
//! A run is a hunt of one job that is ended when it has used its processor time, everything included: drawing,
//! vectors, selection, programs that are made and not chosen, passes, executions, and the reduction of
//! sequences. (The paper gives selection its hours for nothing.) What is not counted is the reduction of
//! programs: it is off. Variants take turns, so that what else the machine does hits all; a repetition has the
//! same seed in all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use campaign::PassesTally;
use llvmhost::Installed;
use sandbox::{Ended, KillReason, Run, Stop};
use serde::{Deserialize, Serialize};

use super::bugs::{self, Type};
use super::spent::spent;
use super::statistics::{a12, mann_whitney, mean, median};
use crate::context::Context;

/// Seeds of repetitions are so far apart that no round of one is a round of another.
const APART: u64 = 1_000_000;

/// How often the processor time is looked at; each look takes a millisecond or two of it.
const LOOK: Duration = Duration::from_millis(500);

/// By the clock a run may take so many times its processor time: others may want the machine, too.
const PATIENCE: u32 = 20;

/// The raw results, a run a line.
const RESULTS: &str = "results.jsonl";

/// Ways to sequences: as the paper calls them, as `gainsay hunt` does.
const SEQUENCES: [(&str, &str); 4] =
    [("SS", "selection"), ("RS", "chance"), ("SWARM", "swarm"), ("2W", "pairs")];

/// Ways to programs.
const PROGRAMS: [(&str, &str); 3] = [("SP", "selection"), ("RP", "chance"), ("SPS", "features")];

/// Arguments of `cargo lab passes selection`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The libLLVM.
    #[arg(long, default_value = "16")]
    lib: String,
    /// Runs of each variant.
    #[arg(long, default_value_t = 5)]
    repetitions: u64,
    /// The first of them: others may be run by another process into the same folder.
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Processor seconds of a run.
    #[arg(long, default_value_t = 300)]
    cpu: u64,
    /// Which passes.
    #[arg(long, default_value = "production")]
    list: String,
    /// Whose programs.
    #[arg(long, default_value = "yarp")]
    programs: String,
    /// SEQUENCES+PROGRAMS: SS, RS, SWARM or 2W, and SP, RP or SPS. The others are compared with the first.
    #[arg(long, value_delimiter = ',', default_value = "SS+SP,RS+RP", value_parser = variant)]
    variants: Vec<Variant>,
    /// Where hunts and results are kept. Runs that are there are not done again.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// A gainsay that is built already.
    #[arg(long, value_name = "PATH")]
    gainsay: Option<PathBuf>,
    /// Passed on to `gainsay hunt`, the same for all variants.
    #[arg(last = true)]
    hunt: Vec<String>,
}

/// How to choose sequences and programs.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Variant {
    name: String,
    sequences_by: &'static str,
    programs_by: &'static str,
}

fn variant(text: &str) -> Result<Variant, String> {
    let of = |table: &[(&str, &'static str)], word: &str| {
        table.iter().find(|(short, _)| *short == word).map(|(_, long)| *long)
    };
    let read = || {
        let (sequences, programs) = text.split_once('+')?;
        let (sequences_by, programs_by) = (of(&SEQUENCES, sequences)?, of(&PROGRAMS, programs)?);
        Some(Variant { name: text.to_string(), sequences_by, programs_by })
    };
    read().ok_or_else(|| format!("{text} is no variant such as SS+SP: see --help"))
}

/// A run, done.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Done {
    /// What all runs of a folder have in common.
    terms: String,
    variant: String,
    repetition: u64,
    cpu_s: f64,
    wall_s: f64,
    tally: PassesTally,
    bugs: BTreeMap<Type, BTreeSet<String>>,
}

impl Done {
    fn count(&self, kind: Type) -> f64 {
        self.bugs.get(&kind).map_or(0, BTreeSet::len) as f64
    }

    fn total(&self) -> f64 {
        Type::ALL.iter().map(|kind| self.count(*kind)).sum()
    }
}

/// Runs what is missing and prints the table.
pub fn main(context: &Context, args: &Args) -> Result<()> {
    let out = match &args.out {
        Some(dir) => dir.clone(),
        None => context.work_folder("passes-selection")?,
    };
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    let file = out.join(RESULTS);
    let gainsay = args.gainsay.clone().map_or_else(|| context.gainsay(), Ok)?;
    let (runs, mut number) = (args.repetitions * args.variants.len() as u64, 0);
    for repetition in args.first..args.first + args.repetitions {
        for variant in &args.variants {
            number += 1;
            let is_it = |d: &Done| d.variant == variant.name && d.repetition == repetition;
            if read(&file, &terms(args))?.iter().any(is_it) {
                continue;
            }
            eprintln!("lab: run {number} of {runs}: {}, {} CPU s", variant.name, args.cpu);
            let done = run(args, variant, repetition, &gainsay, &out)?;
            let line = serde_json::to_string(&done)? + "\n";
            File::options().create(true).append(true).open(&file)?.write_all(line.as_bytes())?;
            let (bugs, sequences) = (done.total(), done.tally.sequences);
            eprintln!("lab: {bugs} bugs by {sequences} sequences in {:.0} CPU s", done.cpu_s);
        }
    }
    print!("{}", table(&read(&file, &terms(args))?, &args.variants));
    Ok(())
}

/// What runs must have in common to be compared.
fn terms(args: &Args) -> String {
    let Args { lib, list, programs, cpu, hunt, .. } = args;
    let text =
        format!("LLVM {lib}, list {list}, programs {programs}, {cpu} CPU s {}", hunt.join(" "));
    text.trim_end().to_string()
}

/// The runs that are there.
fn read(file: &Path, terms: &str) -> Result<Vec<Done>> {
    let text = match file.is_file() {
        true => fs::read_to_string(file)?,
        false => String::new(),
    };
    let mut all = Vec::new();
    for line in text.lines() {
        let done: Done =
            serde_json::from_str(line).with_context(|| format!("{} is damaged", file.display()))?;
        if done.terms != terms {
            let (place, other) = (file.display(), &done.terms);
            bail!("{place} holds runs on other terms ({other}): give another --out");
        }
        all.push(done);
    }
    Ok(all)
}

/// One hunt, until its time is spent.
fn run(args: &Args, v: &Variant, repetition: u64, gainsay: &Path, out: &Path) -> Result<Done> {
    let dir = out.join(format!("{}-{repetition}", v.name));
    if dir.exists() {
        // It was not brought to its end.
        fs::remove_dir_all(&dir)?;
    }
    let library = Installed::named(&args.lib).map_err(|e| anyhow!(e))?;
    let budget = Duration::from_secs(args.cpu);
    let stop = Stop::new();
    let run = Run::new(gainsay, budget * PATIENCE)
        .args(["hunt", "--engine", "passes", "--json", "--jobs", "1", "--no-reduce"])
        .args(["--lib", &args.lib, "--list", &args.list, "--programs", &args.programs])
        .args(["--sequences-by", v.sequences_by, "--programs-by", v.programs_by])
        .args(["--seed", &(repetition * APART).to_string()])
        .args(&args.hunt)
        .arg("--hunt")
        .arg(&dir)
        .stop(&stop);
    let (begin, before) = (Instant::now(), spent()?);
    let is_over = AtomicBool::new(false);
    let ended = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                // Only a `/proc` that cannot be read is an error, and that was seen above.
                if spent().is_ok_and(|now| now.saturating_sub(before) >= budget) {
                    stop.set();
                    return;
                }
                thread::sleep(LOOK);
            }
        });
        let ended = run.finish();
        is_over.store(true, Ordering::Relaxed);
        ended
    });
    let done = match ended {
        Ended::Killed(KillReason::Stop, done) => done,
        Ended::Finished(done) => {
            let (last, words) = (done.stdout.text(), done.stderr.text());
            bail!("the hunt ended: {} {}", last.lines().last().unwrap_or(""), words.trim());
        }
        other => bail!("the hunt did not use its time: {other:?}"),
    };
    let mut unique: BTreeMap<Type, BTreeSet<String>> = BTreeMap::new();
    for bug in bugs::of(&dir)?.into_keys() {
        unique.entry(bug.kind).or_default().insert(bug.key);
    }
    Ok(Done {
        terms: terms(args),
        variant: v.name.clone(),
        repetition,
        cpu_s: done.cpu.as_secs_f64(),
        wall_s: begin.elapsed().as_secs_f64(),
        tally: PassesTally::read(&dir.join(format!("passes-{}", library.major))),
        bugs: unique,
    })
}

/// Table 2 of the paper, with medians, and with all runs of a variant together.
fn table(runs: &[Done], variants: &[Variant]) -> String {
    let mut text = String::from(
        "| variant | runs | CPU s | sequences | crash | invalid IR | wrong code | performance | code gen. \
         | bugs | median | min | max | in all runs | p | A12 |\n",
    );
    let _ = writeln!(text, "|{}", " --- |".repeat(16));
    let of =
        |v: &Variant| -> Vec<&Done> { runs.iter().filter(|run| run.variant == v.name).collect() };
    let totals = |runs: &[&Done]| runs.iter().map(|run| run.total()).collect::<Vec<f64>>();
    let first = variants.first().map(|v| totals(&of(v))).unwrap_or_default();
    for (at, v) in variants.iter().enumerate() {
        let runs = of(v);
        if runs.is_empty() {
            continue;
        }
        let average = |number: &dyn Fn(&Done) -> f64| {
            mean(&runs.iter().map(|run| number(run)).collect::<Vec<f64>>())
        };
        let mut cells = vec![v.name.clone(), runs.len().to_string()];
        cells.push(format!("{:.1}", average(&|run| run.cpu_s)));
        cells.push(format!("{:.0}", average(&|run| run.tally.sequences as f64)));
        cells.extend(Type::ALL.map(|kind| format!("{:.1}", average(&|run| run.count(kind)))));
        let own = totals(&runs);
        let (least, most) =
            own.iter().fold((f64::MAX, 0.0), |(a, b): (f64, f64), n| (a.min(*n), b.max(*n)));
        let all: BTreeSet<(Type, &String)> = runs
            .iter()
            .flat_map(|run| run.bugs.iter())
            .flat_map(|(kind, keys)| keys.iter().map(|key| (*kind, key)))
            .collect();
        cells.push(format!("{:.1}", mean(&own)));
        cells.extend([median(&own), least, most, all.len() as f64].map(|n| n.to_string()));
        cells.extend(match at {
            0 => ["–".to_string(), "–".to_string()],
            _ => [mann_whitney(&first, &own), a12(&first, &own)].map(|n| format!("{n:.3}")),
        });
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(variant: &str, repetition: u64, crashes: &[&str]) -> Done {
        Done {
            terms: "LLVM 16".into(),
            variant: variant.into(),
            repetition,
            cpu_s: 60.0,
            wall_s: 70.0,
            tally: PassesTally { sequences: 100, ..PassesTally::default() },
            bugs: [(Type::Crash, crashes.iter().map(|key| key.to_string()).collect())].into(),
        }
    }

    #[test]
    fn variants_by_name() {
        let read = variant("2W+SPS").unwrap();
        assert_eq!((read.sequences_by, read.programs_by), ("pairs", "features"));
        assert!(variant("SS").is_err() && variant("SP+SS").is_err());
    }

    #[test]
    fn a_table() {
        let variants = [variant("SS+SP").unwrap(), variant("RS+RP").unwrap()];
        let runs = [
            done("SS+SP", 1, &["a", "b"]),
            done("RS+RP", 1, &["a"]),
            done("SS+SP", 2, &["b", "c", "d"]),
            done("RS+RP", 2, &["a"]),
        ];
        let text = table(&runs, &variants);
        let lines: Vec<&str> = text.lines().collect();
        let zeros = "0.0 | 0.0 | 0.0 | 0.0";
        let wanted =
            format!("| SS+SP | 2 | 60.0 | 100 | 2.5 | {zeros} | 2.5 | 2.5 | 2 | 3 | 4 | – | – |");
        assert_eq!(lines[2], wanted);
        let wanted = format!(
            "| RS+RP | 2 | 60.0 | 100 | 1.0 | {zeros} | 1.0 | 1 | 1 | 1 | 1 | 0.333 | 1.000 |"
        );
        assert_eq!(lines[3], wanted);
        assert!(lines.iter().all(|line| line.matches('|').count() == 17));
    }

    #[test]
    fn results_are_found_again() {
        let dir = sandbox::Scratch::new().unwrap();
        let file = dir.file(RESULTS);
        assert!(read(&file, "LLVM 16").unwrap().is_empty());
        fs::write(&file, serde_json::to_string(&done("SS+SP", 1, &["a"])).unwrap() + "\n").unwrap();
        assert_eq!(read(&file, "LLVM 16").unwrap()[0].total(), 1.0);
        assert!(read(&file, "LLVM 22").is_err());
    }
}
