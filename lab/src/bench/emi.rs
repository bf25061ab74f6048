//! `cargo lab bench emi`: what variants cost.
//!
//! The time to derive one, profile included, from seeds of Csmith's size; and how many programs are
//! tested in a CPU hour when ten variants of each seed are tested with it, against the seeds alone. A
//! test is a compilation and a run at each of gcc's levels. All processor time counts.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use campaign::{donors, texts};
use cmachine::MachineConfig;
use emi::{Strategies, Strategy};
use oracle::SourceFile;
use sandbox::Scratch;

use crate::compiler::Compiler;
use crate::context::Context;
use crate::emi::{Numbered, SeedKind, collect};
use crate::pool::Progress;

/// The levels of a test.
const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-Os", "-O3"];

/// Arguments of `cargo lab bench emi`.
#[derive(clap::Args, Debug)]
pub struct EmiArgs {
    /// Whose programs are the seeds.
    #[arg(long, value_enum, default_value = "csmith")]
    kind: SeedKind,
    /// How many.
    #[arg(long, default_value_t = 20)]
    seeds: usize,
    /// Variants of each.
    #[arg(long, default_value_t = 10)]
    variants: u32,
    /// The mutations.
    #[arg(long, default_value = "all")]
    strategy: Strategies,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Time of one thread, by steps; this thread does nothing else.
#[derive(Default)]
struct Times {
    begin: Duration,
    derive: Duration,
    slowest: Duration,
    print: Duration,
    variants: u32,
    mutations: usize,
    statements: usize,
}

/// Measures and prints.
pub fn main(context: &Context, args: &EmiArgs) -> Result<()> {
    if args.seeds == 0 || args.variants == 0 {
        bail!("--seeds and --variants must be at least 1");
    }
    if cfg!(debug_assertions) {
        println!("(not a release build: cargo run --release -p lab -- bench emi)");
    }
    // Gathered once in a hunt.
    if args.strategy.has(Strategy::Athena) {
        donors();
    }
    let seeds = collect(context, args.kind, args.seed, args.seeds)?;
    let gcc = Compiler::reference()?.program;
    let scratch = Scratch::new()?;
    let progress = Progress::new("bench emi", seeds.len());
    let (mut times, mut plain, mut tested) = (Times::default(), Duration::ZERO, Duration::ZERO);
    let mut number = 0;
    for seed in &seeds {
        let own = texts(&seed.seed.program);
        plain += test(&gcc, &own, scratch.path())?;
        for files in derive(seed, args, &mut times)? {
            number += 1;
            tested += test(&gcc, &files, scratch.path())?;
        }
        progress.step();
    }
    progress.end();
    let each = |time: Duration| 1e3 * time.as_secs_f64() / f64::from(times.variants.max(1));
    println!(
        "{} seeds of {}, {} variants, {:.0} statements and {:.1} new mutations each",
        seeds.len(),
        args.kind.name(),
        times.variants,
        times.statements as f64 / seeds.len() as f64,
        times.mutations as f64 / f64::from(times.variants.max(1)),
    );
    let begin = 1e3 * times.begin.as_secs_f64() / seeds.len() as f64;
    println!("\n| step | ms |\n| --- | --- |");
    println!("| profile of a seed | {begin:.1} |");
    println!("| mutate, weave and profile a variant | {:.1} |", each(times.derive));
    println!("| the slowest of them | {:.1} |", 1e3 * times.slowest.as_secs_f64());
    println!("| print it | {:.1} |", each(times.print));
    let making = times.begin + times.derive + times.print;
    let with = plain + tested + making;
    let rate = |n: usize, time: Duration| 3600.0 * n as f64 / time.as_secs_f64().max(1e-9);
    let (alone, together) = (rate(seeds.len(), plain), rate(seeds.len() + number, with));
    println!("\nprograms tested in a CPU hour, at {} levels of gcc:", LEVELS.len());
    println!("\n| what | programs | CPU s | for each hour |\n| --- | --- | --- | --- |");
    println!("| seeds | {} | {:.1} | {alone:.0} |", seeds.len(), plain.as_secs_f64());
    println!(
        "| seeds and variants | {} | {:.1} | {together:.0} |",
        seeds.len() + number,
        with.as_secs_f64()
    );
    println!(
        "\nratio {:.2}; making variants is {:.1} % of the time (generating the seeds is not counted)",
        together / alone,
        100.0 * making.as_secs_f64() / with.as_secs_f64()
    );
    Ok(())
}

fn derive(seed: &Numbered, args: &EmiArgs, times: &mut Times) -> Result<Vec<Vec<SourceFile>>> {
    let begin = Instant::now();
    let config = MachineConfig::default();
    let Ok(mut chain) = seed.seed.clone().chain(&args.strategy, &config, seed.number) else {
        bail!("{} is no seed after all", seed.label());
    };
    times.begin += begin.elapsed();
    times.statements += seed.seed.program.stmts.len();
    let mut all = Vec::new();
    for _ in 0..args.variants {
        let begin = Instant::now();
        let Ok(derived) = chain.next(donors()) else {
            bail!("a variant of {} is not its seed: see cargo lab emi check", seed.label());
        };
        let took = begin.elapsed();
        times.derive += took;
        times.slowest = times.slowest.max(took);
        times.variants += 1;
        times.mutations += derived.new.len();
        let begin = Instant::now();
        let files = texts(chain.program());
        times.print += begin.elapsed();
        all.push(files);
    }
    Ok(all)
}

/// Compiles and runs a program at each level; the processor time.
fn test(gcc: &Path, files: &[SourceFile], dir: &Path) -> Result<Duration> {
    let mut sources = Vec::new();
    for file in files {
        let path = dir.join(&file.name);
        fs::write(&path, &file.bytes)?;
        sources.push(path);
    }
    let sources: Vec<&Path> = sources.iter().map(|path| path.as_path()).collect();
    let mut cpu = Duration::ZERO;
    for level in LEVELS {
        let compiler = Compiler::new(gcc, &[level, "-w", "-std=gnu11"]);
        cpu += compiler.build_and_run_all(&sources, &dir.join("program")).1.cpu;
    }
    Ok(cpu)
}
