//! `cargo lab bench embed`: vectors of sequences, clusters and selection, ours against what the authors of CTOS
//! used: gensim, pyclustering and numpy.
//!
//! Both sides are processes of one thread that read the same file of random sequences; a stage counts by its
//! processor time, reading and starting do not count. Quality is asked in the same run: for some sequences the
//! corpus has a copy with two neighbours swapped and one with a word deleted, and it is counted how many
//! sequences are nearer to the original than its copy.

mod peer;
mod ranks;

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use choice::Choices;
use embed::Points;
use sandbox::{Ended, Run, Status};
use serde::Deserialize;

use crate::context::Context;
use crate::pool;

/// Times less processor time than the peer.
const SPEED_GOAL: f64 = 8.0;

/// Of `--big`: seconds and bytes.
const BIG_GOAL: (f64, u64) = (600.0, 2_000_000_000);

/// Passes of LLVM that the paper draws sequences from (its section 4.2).
const WORDS: u64 = 114;

/// Coordinates of a vector, on both sides.
const SIZE: usize = 100;

/// An hour: gensim takes a minute or two for the default.
const WALL: Duration = Duration::from_secs(3600);

/// Arguments of `cargo lab bench embed`.
#[derive(clap::Args, Debug)]
pub struct EmbedArgs {
    /// Number of sequences.
    #[arg(long, default_value_t = 30_000)]
    sequences: usize,
    /// How many of them are selected.
    #[arg(long, default_value_t = 300)]
    select: usize,
    /// Sequences that get copies with an edit.
    #[arg(long, default_value_t = 200)]
    probes: usize,
    /// The seed of sequences and of training.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The paper's own numbers, 3,000 of 300,000, by us alone on all processors.
    #[arg(long)]
    big: bool,
}

/// What a side says of itself.
#[derive(Deserialize, Debug)]
struct SideReport {
    /// Processor seconds of Doc2Vec, X-means and selection.
    stages: [f64; 3],
    /// Seconds from the first to the last.
    wall: f64,
    /// Number of clusters.
    clusters: usize,
    /// Number of sequences chosen.
    chosen: usize,
    /// Most memory resident, in bytes.
    peak: u64,
}

/// Measures both sides and prints.
pub fn main(context: &Context, args: &EmbedArgs) -> Result<()> {
    if args.sequences < args.probes || args.probes == 0 {
        bail!("--probes must be at least 1 and at most --sequences");
    }
    let dir = context.work_folder("bench-embed")?;
    // What is measured must be optimised, whatever we are ourselves.
    let build = ["build", "--release", "--locked", "--package", "embed", "--example", "measure"];
    context.cargo(&build)?;
    if args.big {
        return big(context, &dir, args.seed);
    }
    let file = dir.join("sequences");
    write(&file, args.sequences, args.probes, args.seed)?;
    let ours = run_ours(context, &file, args.select, args.seed, 1)?;
    let theirs = peer::run(&dir, &file, args.select, args.seed)?;
    table(&ours, &theirs);
    for (who, file) in [("ours", ours_vectors(&file)), ("gensim", peer::vectors(&file))] {
        for measure in ranks::MEASURES {
            ranks::report(who, &read_vectors(&file)?, args.sequences, args.probes, measure);
        }
    }
    Ok(())
}

fn table(ours: &SideReport, theirs: &SideReport) {
    let line = |what: &str, ours: f64, theirs: f64| {
        println!("{what:<20} {ours:>10.2} {theirs:>10.2} {:>8.1}", theirs / ours.max(1e-9));
    };
    println!("{:<20} {:>10} {:>10} {:>8}", "", "ours", "peer", "ratio");
    for (i, stage) in ["Doc2Vec, CPU s", "X-means, CPU s", "selection, CPU s"].iter().enumerate() {
        line(stage, ours.stages[i], theirs.stages[i]);
    }
    let sum = |account: &SideReport| account.stages.iter().sum::<f64>();
    line("all, CPU s", sum(ours), sum(theirs));
    line("all, wall s", ours.wall, theirs.wall);
    line("peak memory, MB", ours.peak as f64 / 1e6, theirs.peak as f64 / 1e6);
    let met = if sum(theirs) >= SPEED_GOAL * sum(ours) { "met" } else { "MISSED" };
    println!("goal of {SPEED_GOAL} times less processor time {met}");
    println!(
        "clusters: {} and {}; chosen: {} and {}",
        ours.clusters, theirs.clusters, ours.chosen, theirs.chosen
    );
}

/// 3,000 of 300,000, as in the paper.
fn big(context: &Context, dir: &Path, seed: u64) -> Result<()> {
    let file = dir.join("sequences-big");
    write(&file, 300_000, 0, seed)?;
    let threads = pool::processors();
    let ours = run_ours(context, &file, 3000, seed, threads)?;
    let [vectors, clusters, selection] = ours.stages;
    println!(
        "{} of 300,000 on {threads} threads: {:.0} s wall, {:.0} MB; CPU s: Doc2Vec {vectors:.1}, X-means \
         {clusters:.1} ({} clusters), selection {selection:.1}",
        ours.chosen,
        ours.wall,
        ours.peak as f64 / 1e6,
        ours.clusters,
    );
    let met = if ours.wall < BIG_GOAL.0 && ours.peak < BIG_GOAL.1 { "met" } else { "MISSED" };
    println!("goal of less than 10 minutes and 2 GB {met}");
    Ok(fs::remove_file(&file)?)
}

/// Random sequences as the paper's, 50 to 200 words; then copies of the first ones with two neighbours swapped, and
/// with one word deleted.
fn write(file: &Path, count: usize, probes: usize, seed: u64) -> Result<()> {
    let choices = Choices::new(seed);
    let (mut words, mut edits) = (choices.fork("sequences"), choices.fork("edits"));
    let mut out = BufWriter::new(fs::File::create(file)?);
    let mut line = |words: &[u64]| {
        let words: Vec<String> = words.iter().map(u64::to_string).collect();
        writeln!(out, "{}", words.join(" "))
    };
    let mut originals = Vec::new();
    for i in 0..count {
        let len = words.range(50..=200);
        let sequence: Vec<u64> = (0..len).map(|_| words.below(WORDS)).collect();
        line(&sequence)?;
        originals.extend((i < probes).then_some(sequence));
    }
    for original in &originals {
        let mut swapped = original.clone();
        let at = edits.index(swapped.len() - 1);
        swapped.swap(at, at + 1);
        line(&swapped)?;
    }
    for original in &mut originals {
        original.remove(edits.index(original.len()));
        line(original)?;
    }
    Ok(out.flush()?)
}

fn ours_vectors(sequences: &Path) -> PathBuf {
    sequences.with_extension("ours")
}

fn run_ours(
    context: &Context,
    sequences: &Path,
    select: usize,
    seed: u64,
    threads: usize,
) -> Result<SideReport> {
    let run = Run::new(context.target.join("release/examples/measure"), WALL)
        .arg(sequences)
        .arg(ours_vectors(sequences))
        .args([select.to_string(), seed.to_string(), threads.to_string()]);
    account(&run)
}

/// Runs a side, and reads what it says.
fn account(run: &Run) -> Result<SideReport> {
    match run.finish() {
        Ended::Finished(done) if done.status == Status::Exit(0) => {
            Ok(serde_json::from_slice(&done.stdout.bytes)?)
        }
        Ended::Finished(done) => bail!("{} failed: {}", run.program.display(), done.stderr.text()),
        other => bail!("{} did not end: {other:?}", run.program.display()),
    }
}

/// Vectors as either side writes them.
fn read_vectors(file: &Path) -> Result<Points> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    let values: Vec<f32> = bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
    let mut points = Points::new(SIZE);
    values.chunks_exact(SIZE).for_each(|row| points.push(row));
    Ok(points)
}
