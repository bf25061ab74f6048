//! `cargo lab bench smith`: usable programs for each hour of processor time, as Tables 3 and 4 of
//! the CsmithEdge paper count them, in one run.
//!
//! Three ways to test gcc-12 and clang-16 at -O2 get the same processor time: (a) Csmith in a plain
//! loop, (b) smith with the paper's detectors asked about every program, (c) smith with the machine's
//! word. A program is *usable* if it ended in time and no tool that was asked calls it invalid. Time is
//! that of all processes, of hunts with their start-up. Programs differ in size, so tokens are counted
//! too, without wrappers and checksum: Csmith keeps its own in headers.
//!
//! As in the paper, whether a program ends is seen by clang's build, and (a) asks gcc only about one that
//! does. Not as in the paper: its hours are of wall time; in (b) and (c) the compilers also get the
//! programs without an answer, as tests for crashes, and that is counted as cost; in (b) an unoptimised
//! build may run for 10 s, whatever `--timeout` says.

mod hunts;
mod table;

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sandbox::{Ended, Run, Scratch, Status};

use crate::context::Context;
use crate::csmith::Csmith;
use hunts::Hunts;
use table::Row;

/// The compilers under test.
const COMPILERS: [&str; 2] = ["clang-16", "gcc-12"];

/// A tool on one program: Csmith itself does not end with some seeds.
const TOOL_WALL: Duration = Duration::from_secs(60);

/// Arguments of `cargo lab bench smith`.
#[derive(clap::Args, Debug)]
pub struct SmithArgs {
    /// Processor time of each configuration, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    cpu: u64,
    /// How long a compiled program may run, in seconds. The paper has 10, 50 and 120, and hunted with 50.
    #[arg(long, value_name = "SECONDS", default_value_t = 50)]
    timeout: u64,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What smith relaxes, by a name that gainsay hunt --relax knows.
    #[arg(long, value_name = "NAME", default_value = "miscompilation")]
    relax: String,
}

/// Measures the three and prints the tables.
pub fn main(context: &Context, args: &SmithArgs) -> Result<()> {
    if args.cpu == 0 || args.timeout == 0 {
        bail!("--cpu and --timeout must be at least 1");
    }
    let csmith = Csmith::required()?;
    let gainsay = context.gainsay()?;
    let scratch = Scratch::new()?;
    let hunts = Hunts::new(args, gainsay, scratch.path())?;
    let plain = csmith_loop(args, &csmith, scratch.path())?;
    let eager =
        hunts.measure("(b) smith, eager, detectors", &["--eager", "--validate", "external"])?;
    let lazy = hunts.measure("(c) smith, lazy, machine", &[])?;
    println!(
        "{} CPU s each; {} -O2; compiled programs end after {} s; smith relaxes as in `{}`\n",
        args.cpu,
        COMPILERS.join(" and "),
        args.timeout,
        args.relax
    );
    print!("{}", table::text(&[plain, eager, lazy]));
    Ok(())
}

/// The loop that people write: generate, compile, run, compare.
fn csmith_loop(args: &SmithArgs, csmith: &Csmith, scratch: &Path) -> Result<Row> {
    let dir = scratch.join("loop");
    fs::create_dir(&dir)?;
    let mut row = Row::new("(a) Csmith in a loop");
    let (mut tokens, mut seed) = (0, args.seed);
    eprintln!("bench: {} for {} CPU s", row.label, args.cpu);
    while row.cpu.as_secs() < args.cpu {
        let before = sandbox::spent();
        tokens += one(args, csmith, &dir, seed, &mut row)?;
        row.cpu += sandbox::spent() - before;
        seed += 1;
    }
    row.tokens = tokens as f64 / row.usable().max(1) as f64;
    Ok(row)
}

/// One round of the loop; the tokens of a usable program.
fn one(args: &SmithArgs, csmith: &Csmith, dir: &Path, seed: u64, row: &mut Row) -> Result<usize> {
    let file = dir.join("t.c");
    let written = timed(&mut row.generate, || csmith.generate(seed, &file));
    // A program that Csmith does not give costs time and is none.
    if written.is_err() {
        return Ok(0);
    }
    row.generated += 1;
    let mut outputs = Vec::new();
    for compiler in COMPILERS {
        let compile = Run::new(compiler, TOOL_WALL)
            .args(["-O2", "-w", "-I"])
            .arg(&csmith.headers)
            .args(["t.c", "-o", "t"])
            .cwd(dir);
        if timed(&mut row.compile, || compile.finish()).success().is_none() {
            row.other += 1;
            return Ok(0);
        }
        let run = Run::new(dir.join("t"), Duration::from_secs(args.timeout)).cwd(dir);
        match timed(&mut row.run, || run.finish()) {
            Ended::Finished(done) if matches!(done.status, Status::Exit(_)) => {
                outputs.push((done.status, done.stdout.bytes));
            }
            Ended::Finished(_) => {
                row.crash += 1;
                return Ok(0);
            }
            Ended::Killed(..) => {
                row.timed_out += 1;
                return Ok(0);
            }
            Ended::NotStarted(error) => return Err(error).context("a compiled program"),
        }
    }
    row.failures += u64::from(outputs[0] != outputs[1]);
    Ok(cshrink::tokens(&String::from_utf8_lossy(&fs::read(file)?)))
}

/// Adds the processor time of what is run to an account.
fn timed<T>(account: &mut Duration, work: impl FnOnce() -> T) -> T {
    let before = sandbox::spent();
    let result = work();
    *account += sandbox::spent() - before;
    result
}
