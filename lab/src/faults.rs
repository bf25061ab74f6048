//! `cargo lab faults`: the power of program generators, as faults planted in GCC's optimiser that
//! their programs expose within a budget of processor time.
//!
//! A mutant is the installed `cc1` with one condition inverted (`sites`, `plant`), from a fixed list
//! (`mutants`). The programs of each source are compiled with each mutant until one shows the fault or the
//! budget is spent (`program_pool`). Time is charged as measured once with the stock compiler: generate,
//! compile, link, run; so results do not depend on what else the machine does. Each mutant begins
//! at another program of the source, so that no single program decides.
//!
//! `targets` does the same for choices of targets.
//!
//! Raw results go to a file line by line: an interrupted run loses nothing, and runs made at
//! different times are compared with `--report FILE --report FILE`.

mod mutants;
mod plant;
mod program_pool;
mod report;
mod sites;
pub mod targets;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use choice::Choices;

use crate::LabOutcome;
use crate::context::Context;
use crate::pool;
use crate::programs::{Program, Source};
use mutants::{List, MutantPlan};
use program_pool::{ProgramPool, Tools};
use report::Row;
use sites::{Executable, Site};

/// A source prepares programs for this many budgets: mutants see different ones.
const POOL: u32 = 3;

/// Arguments of `cargo lab faults`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Number of mutants, from the top of the list.
    #[arg(long, default_value_t = 300)]
    mutants: usize,
    /// Seconds of processor time that each source has for each mutant.
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    budget: f64,
    /// Where programs come from: csmith, yarp, either with options as in 'yarp:--policy none', or a
    /// folder of programs. May be repeated.
    #[arg(long, value_name = "SOURCE")]
    source: Vec<String>,
    /// First seed of the programs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Optimisation level.
    #[arg(long, default_value = "-O3", allow_hyphen_values = true)]
    level: String,
    /// Take up no more mutants after this long (such as 20m).
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    limit: Option<Duration>,
    /// File of raw results; by default under the target folder.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Only print the tables of files of raw results. May be repeated.
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,
    /// Lengthen the list of mutants to this many; remove its file to begin anew.
    #[arg(long, value_name = "COUNT")]
    make_list: Option<usize>,
    /// Sources of the samples that the list is made with, besides GCC's own tests.
    #[arg(long, value_name = "SOURCE", default_values = ["csmith", "yarp"])]
    sample: Vec<String>,
}

/// A time such as 90s, 20m or 2h.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.len() - text.chars().last().map_or(0, char::len_utf8));
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err("a number and s, m or h is needed, such as 20m".into()),
    };
    let number: u64 = number.parse().map_err(|_| format!("{number:?} is not a number"))?;
    Ok(Duration::from_secs(number.saturating_mul(unit)))
}

/// Makes the list if need be, measures, and prints the tables.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    if !args.report.is_empty() {
        print!("{}", report::tables(&report::read(&args.report)?));
        return Ok(LabOutcome::Nothing);
    }
    let Some(budget) = Duration::try_from_secs_f64(args.budget).ok().filter(|b| !b.is_zero())
    else {
        bail!("--budget must be more than nothing");
    };
    let tools = Tools::new(&args.level)?;
    let executable = Executable::read(&tools.bench.cc1)?;
    let list = list(context, args, &tools, &executable)?;
    if args.source.is_empty() {
        return Ok(LabOutcome::Nothing);
    }
    let mutants = &list.mutants[..args.mutants.min(list.mutants.len())];
    let ranges = ranges(context, args, &tools, mutants, budget)?;
    let file = match &args.out {
        Some(file) => file.clone(),
        None => context.work_folder("faults")?.join("results.tsv"),
    };
    measure(args, &tools, mutants, &ranges, budget, &file)?;
    print!("{}", report::tables(&report::read(&[&file])?));
    println!("\nraw results: {}", file.display());
    Ok(LabOutcome::Nothing)
}

/// Where the list of an executable is kept.
fn list_file(context: &Context, executable: &Executable) -> PathBuf {
    let name = format!("cc1-{}.tsv", executable.build_id.get(..12).unwrap_or("unknown"));
    context.root.join("lab/faults").join(name)
}

/// The list of the installed `cc1`; made if there is none.
fn list(context: &Context, args: &Args, tools: &Tools, executable: &Executable) -> Result<List> {
    let file = list_file(context, executable);
    let mut list = match file.is_file() {
        true => List::read(&file, executable)?,
        false => List::new(executable),
    };
    if args.make_list.is_none() && !list.mutants.is_empty() {
        return Ok(list);
    }
    let mut samples: Vec<Source> =
        args.sample.iter().map(|text| Source::parse(context, text)).collect::<Result<_>>()?;
    let tests = Source::torture(context, &mut Choices::new(args.seed).fork("torture"))?;
    let tests = tests.context("GCC's tests are needed: apt-get install gcc-12-source xz-utils")?;
    samples.push(tests.clone());
    let count = args.make_list.unwrap_or(args.mutants);
    let end = args.limit.map(|limit| Instant::now() + limit);
    let plan = MutantPlan { tools, samples: &samples, tests: &tests, count, seed: args.seed, end };
    list.lengthen(&plan, executable, &file)?;
    list.notes.iter().for_each(|note| println!("{note}"));
    println!("{}", file.display());
    Ok(list)
}

/// The programs of each source.
fn ranges(
    context: &Context,
    args: &Args,
    tools: &Tools,
    mutants: &[Site],
    budget: Duration,
) -> Result<Vec<ProgramPool>> {
    let mut addresses: Vec<u64> = mutants.iter().map(|site| site.address).collect();
    addresses.sort_unstable();
    let enough = |programs: &[Program]| {
        programs.iter().map(|program| program.cost.total()).sum::<Duration>() >= budget * POOL
    };
    let range = |text: &String| {
        let source = Source::parse(context, text)?;
        let mut range = ProgramPool::prepare(tools, &source, args.seed, enough)?;
        range.watch(tools, &addresses)?;
        eprintln!("{}", range.summary());
        Ok(range)
    };
    args.source.iter().map(range).collect()
}

/// Runs each source on each mutant and writes the results.
fn measure(
    args: &Args,
    tools: &Tools,
    mutants: &[Site],
    ranges: &[ProgramPool],
    budget: Duration,
    file: &Path,
) -> Result<()> {
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir)?;
    }
    let out = File::create(file).with_context(|| file.display().to_string())?;
    let out = Mutex::new(out);
    let write = |text: &str| {
        writeln!(out.lock().unwrap_or_else(PoisonError::into_inner), "{text}")
            .with_context(|| file.display().to_string())
    };
    write(&format!("# {} seed {}", tools.level, args.seed))?;
    ranges.iter().try_for_each(|range| write(&format!("# {}", range.summary())))?;
    write(report::HEAD)?;
    let end = args.limit.map(|limit| Instant::now() + limit);
    let done = pool::map("faults", mutants, |site| -> Result<()> {
        if end.is_some_and(|end| Instant::now() >= end) {
            return Ok(());
        }
        let mut lines = Vec::new();
        for range in ranges {
            let first =
                Choices::new(site.address).fork("first program").index(range.programs.len());
            let verdict = range.run_until_exposed(tools, site, first, budget)?;
            lines.push(Row::new(site.address, &range.label, args.budget, &verdict).line());
        }
        write(&lines.join("\n"))
    });
    done.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("20m"), Ok(Duration::from_secs(1200)));
        assert!(duration("").is_err() && duration("20").is_err() && duration("xm").is_err());
    }
}
