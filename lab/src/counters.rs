//! `cargo lab counters`: how often GCC's optimisations fire on two sources of programs.
//!
//! YARPGen's paper (section 4, its table 5) compares generation policies on and off by the
//! compiler's own counters. Here `-fdump-statistics-stats` gives the totals of each pass; each
//! source has the same compile time, split into repetitions, and a counter rises or falls when
//! Welch's test is 95 % sure. Instances of a pass are added up. Only GCC: Debian's clang is built
//! without counters.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use sandbox::{Run, Scratch};

use crate::LabOutcome;
use crate::context::Context;
use crate::pool;
use crate::programs::{Raw, Source, StockTools};

/// A program that takes gcc longer is left out; none should.
const WALL: Duration = Duration::from_secs(120);

/// Repetitions of each source.
const REPEATS: usize = 10;

/// Student's t at 95 %, two-sided, for as many degrees of freedom as one source has: Welch's are
/// at least that many, so this errs on the side of no difference.
const T_95: f64 = 2.262;

/// Programs generated at a time.
const BATCH: u64 = 16;

/// Arguments of `cargo lab counters`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// What is measured: a source as `cargo lab faults` takes it.
    #[arg(long, default_value = "yarp")]
    on: String,
    /// What it is compared with.
    #[arg(long, default_value = "yarp:--policy none")]
    off: String,
    /// Seconds of compile time for each of the two.
    #[arg(long, default_value_t = 60.0)]
    cpu: f64,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Optimisation level.
    #[arg(long, default_value = "-O3", allow_hyphen_values = true)]
    level: String,
    /// Counters shown at either end.
    #[arg(long, default_value_t = 12)]
    top: usize,
}

/// Counts by `pass: counter`.
pub type Counters = BTreeMap<String, f64>;

/// Measures both sources and prints the tables.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    let Some(cpu) = Duration::try_from_secs_f64(args.cpu).ok().filter(|cpu| !cpu.is_zero()) else {
        bail!("--cpu must be more than nothing");
    };
    let bench = StockTools::new()?;
    let measure = |text: &str| {
        let source = Source::parse(context, text)?;
        repetitions(&bench, &source, args, cpu / REPEATS as u32)
    };
    let (on, off) = (measure(&args.on)?, measure(&args.off)?);
    println!("counters of gcc {}, {} CPU seconds of compiling each:\n", args.level, args.cpu);
    print!("{}", tables(&compare(&on, &off), &args.on, &args.off, args.top));
    Ok(LabOutcome::Nothing)
}

/// The counters of each repetition, per second of compile time.
fn repetitions(
    bench: &StockTools,
    source: &Source,
    args: &Args,
    each: Duration,
) -> Result<Vec<Counters>> {
    let scratch = Scratch::new()?;
    let (mut done, mut programs) = (Vec::new(), 0);
    let (mut sum, mut spent) = (Counters::new(), Duration::ZERO);
    let mut seed = args.seed;
    while done.len() < REPEATS {
        let dir = scratch.file(seed.to_string());
        let raws = source.generate(seed..seed + BATCH, &dir)?;
        seed += BATCH;
        let results = pool::map(&source.label, &raws, |raw| count(bench, raw, &args.level, &dir));
        let good: Vec<_> = results.into_iter().flatten().collect();
        if good.is_empty() {
            bail!("{} gives no program that gcc compiles", source.label);
        }
        for (counters, cpu) in good {
            programs += 1;
            spent += cpu;
            counters.into_iter().for_each(|(name, n)| *sum.entry(name).or_default() += n);
            if spent >= each && done.len() < REPEATS {
                let seconds = std::mem::take(&mut spent).as_secs_f64();
                let rate = |(name, n)| (name, n / seconds);
                done.push(std::mem::take(&mut sum).into_iter().map(rate).collect());
            }
        }
        let _ = fs::remove_dir_all(&dir);
    }
    eprintln!("{}: {programs} programs, seeds {} to {}", source.label, args.seed, seed - 1);
    Ok(done)
}

/// Compiles one program's unit under test; its counters, and the time.
fn count(bench: &StockTools, raw: &Raw, level: &str, dir: &Path) -> Option<(Counters, Duration)> {
    let include: Vec<String> =
        raw.include.iter().map(|dir| format!("-I{}", dir.display())).collect();
    let dump = dir.join(format!("{}.statistics", raw.name));
    compile(&bench.gcc, &raw.unit, level, &include, &dump)
}

/// Compiles a file; its counters, and the time. `None` where gcc does not take it.
pub fn compile(
    gcc: &Path,
    file: &Path,
    level: &str,
    options: &[String],
    dump: &Path,
) -> Option<(Counters, Duration)> {
    let run = Run::new(gcc, WALL)
        .args([level, "-w", "-S", "-o", "/dev/null"])
        .arg(format!("-fdump-statistics-stats={}", dump.display()))
        .args(options)
        .arg(file);
    let done = run.finish().success()?;
    Some((parse(&fs::read_to_string(dump).ok()?), done.cpu))
}

/// Lines such as `39 ccp "Statements folded" 4`; of a histogram, `"name == 3" 4`.
fn parse(text: &str) -> Counters {
    let mut counters = Counters::new();
    for line in text.lines() {
        let mut parts = line.split('"');
        let (Some(pass), Some(name), Some(n)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let pass = pass.split_whitespace().nth(1).unwrap_or("?");
        let name = name.split(" == ").next().unwrap_or(name);
        if let Ok(n) = n.trim().parse::<f64>() {
            *counters.entry(format!("{pass}: {name}")).or_default() += n;
        }
    }
    counters
}

/// One counter on both sides, as means per second.
#[derive(Debug)]
struct Pair {
    name: String,
    on: f64,
    off: f64,
    /// Whether the difference is significant.
    sure: bool,
}

fn compare(on: &[Counters], off: &[Counters]) -> Vec<Pair> {
    let names: BTreeSet<&String> = on.iter().chain(off).flat_map(|c| c.keys()).collect();
    let pair = |name: &String| {
        let values = |all: &[Counters]| -> Vec<f64> {
            all.iter().map(|c| c.get(name).copied().unwrap_or(0.0)).collect()
        };
        let ((on, a), (off, b)) = (mean_error(&values(on)), mean_error(&values(off)));
        Pair { name: name.clone(), on, off, sure: (on - off).abs() > T_95 * (a + b).sqrt() }
    };
    names.into_iter().map(pair).collect()
}

/// The mean and the square of its standard error.
fn mean_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, squares / (n - 1.0).max(1.0) / n)
}

fn tables(pairs: &[Pair], on: &str, off: &str, top: usize) -> String {
    let count = |test: fn(&Pair) -> bool| pairs.iter().filter(|pair| test(pair)).count();
    let mut text = "| counters | number |\n| --- | ---: |\n".to_string();
    let mut line = |what: String, n: usize| {
        let _ = writeln!(text, "| {what} | {n} |");
    };
    line(format!("higher with `{on}`"), count(|p| p.sure && p.on > p.off));
    line(format!("higher with `{off}`"), count(|p| p.sure && p.on < p.off));
    line("no sure difference".into(), count(|p| !p.sure));
    line(format!("seen only with `{on}`"), count(|p| p.off == 0.0));
    line(format!("seen only with `{off}`"), count(|p| p.on == 0.0));
    let mut both: Vec<&Pair> = pairs.iter().filter(|p| p.on > 0.0 && p.off > 0.0).collect();
    let logs: f64 = both.iter().map(|pair| (pair.on / pair.off).ln()).sum();
    let mean = (logs / both.len().max(1) as f64).exp();
    let _ = writeln!(
        text,
        "\ngeometric mean of the ratios of the {} counters seen with both: {mean:.2}\n",
        both.len()
    );
    text += "| counter | per s, on | per s, off | ratio |\n| --- | ---: | ---: | ---: |\n";
    both.retain(|pair| pair.sure);
    both.sort_by(|a, b| (b.on / b.off).total_cmp(&(a.on / a.off)));
    let last = both.len().saturating_sub(top).max(top.min(both.len()));
    for pair in both[..top.min(both.len())].iter().chain(&both[last..]) {
        let Pair { name, on, off, .. } = pair;
        let _ = writeln!(text, "| {name} | {on:.1} | {off:.1} | {:.2} |", on / off);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_and_histograms_are_added_up() {
        let text = "39 ccp \"Statements folded\" 4\n61 ccp \"Statements folded\" 3\n\
                    90 pre \"Size == 2\" 1\n90 pre \"Size == 7\" 5\nnoise\n";
        let want = [("ccp: Statements folded".to_string(), 7.0), ("pre: Size".to_string(), 6.0)];
        assert_eq!(parse(text), Counters::from(want));
    }

    #[test]
    fn sure_and_unsure_differences() {
        let all = |values: [f64; 4], name: &str| -> Vec<Counters> {
            values.iter().map(|&v| Counters::from([(name.to_string(), v)])).collect()
        };
        let sure = compare(&all([9.0, 10.0, 11.0, 10.0], "a"), &all([4.0, 5.0, 6.0, 5.0], "a"));
        assert!(sure[0].sure && sure[0].on == 10.0 && sure[0].off == 5.0);
        let unsure = compare(&all([1.0, 20.0, 3.0, 8.0], "a"), &all([4.0, 9.0, 2.0, 5.0], "a"));
        assert!(!unsure[0].sure);
        let text = tables(&sure, "x", "y", 5);
        assert!(
            text.contains("both: 2.00") && text.contains("| a | 10.0 | 5.0 | 2.00 |"),
            "{text}"
        );
        assert_eq!(text.matches("| a |").count(), 1);
    }
}
