//! `cargo lab bench gen`: the speed of our generator against Csmith's, in one run.
//!
//! Both write whole files, and are measured by bytes of source for each second of processor time:
//! ours with its validation in the abstract machine included, Csmith's failures included. The other
//! question is what a campaign pays for generation at all: its share in the processor time of a
//! differential test with two compilers at two levels.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sandbox::Scratch;
use toolchain::{Tool, find_tool};

use crate::compiler::{Built, Compiler, Cost};
use crate::context::Context;
use crate::pool::Progress;
use crate::programs::{Raw, Source};

/// Bytes for each second, ours to Csmith's.
const SPEED_GOAL: f64 = 20.0;

/// Share of generation in a differential test.
const SHARE_GOAL: f64 = 0.02;

/// Arguments of `cargo lab bench gen`.
#[derive(clap::Args, Debug)]
pub struct GenArgs {
    /// Number of our programs.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// Number of Csmith's programs: it is slow.
    #[arg(long, default_value_t = 100)]
    csmith: u64,
    /// Number of our programs that go through the compilers.
    #[arg(long, default_value_t = 30)]
    tested: u64,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Our generator: yarp, with options as in 'yarp:--policy none', or the path of a gainsay.
    #[arg(long, default_value = "yarp")]
    ours: String,
}

/// What a generator wrote, and in which time.
#[derive(Clone, Copy, Debug)]
struct Written {
    programs: usize,
    bytes: u64,
    cpu: Duration,
}

impl Written {
    fn of(raws: &[Raw]) -> Result<Written> {
        let mut written = Written { programs: raws.len(), bytes: 0, cpu: Duration::ZERO };
        for raw in raws {
            written.cpu += raw.generation;
            for file in sources(raw) {
                written.bytes += fs::metadata(&file)?.len();
            }
        }
        Ok(written)
    }

    fn speed(self) -> f64 {
        self.bytes as f64 / self.cpu.as_secs_f64().max(1e-9)
    }

    fn line(self, who: &str) {
        let Written { programs, bytes, cpu } = self;
        println!(
            "{who:<24} {programs:>6} programs, {:>8.2} MB in {:>7.2} CPU s: {:>8.3} MB/s, {:.1} ms and \
             {:.1} KB a program",
            bytes as f64 / 1e6,
            cpu.as_secs_f64(),
            self.speed() / 1e6,
            1e3 * cpu.as_secs_f64() / programs.max(1) as f64,
            bytes as f64 / 1e3 / programs.max(1) as f64,
        );
    }
}

/// The files of a program that a compiler reads; a header that our generator writes lies beside.
fn sources(raw: &Raw) -> Vec<PathBuf> {
    let header = raw.unit.with_file_name("init.h");
    let mut all = vec![raw.unit.clone()];
    all.extend(raw.rest.iter().cloned());
    all.extend(header.is_file().then_some(header));
    all
}

/// Measures both and prints the ratios.
pub fn main(context: &Context, args: &GenArgs) -> Result<()> {
    if args.count == 0 || args.csmith == 0 {
        bail!("--count and --csmith must be at least 1");
    }
    let ours = Source::parse(context, &args.ours)?;
    let csmith = Source::parse(context, "csmith")?;
    let scratch = Scratch::new()?;
    let raws = ours.generate(args.seed..args.seed + args.count, &scratch.file("ours"))?;
    let theirs = csmith.generate(args.seed..args.seed + args.csmith, &scratch.file("csmith"))?;
    let (we, they) = (Written::of(&raws)?, Written::of(&theirs)?);
    we.line(&args.ours);
    they.line("csmith");
    let ratio = we.speed() / they.speed();
    println!(
        "bytes per CPU second: {ratio:.1} times Csmith's; {}",
        verdict(ratio >= SPEED_GOAL, ">= 20")
    );
    let tested = raws.len().min(args.tested as usize);
    share(&raws[..tested], scratch.path())
}

/// The share of generation in testing some programs.
fn share(raws: &[Raw], dir: &Path) -> Result<()> {
    let gcc = Compiler::reference()?.program;
    let clang =
        find_tool(Tool::Clang).pop().context("clang is needed: apt-get install clang-16")?;
    let progress = Progress::new("bench: gcc and clang", raws.len());
    let (mut test, mut generation, mut failed) = (Cost::default(), Duration::ZERO, 0);
    for raw in raws {
        generation += raw.generation;
        let files: Vec<&Path> =
            [raw.unit.as_path()].into_iter().chain(raw.rest.iter().map(PathBuf::as_path)).collect();
        for program in [&gcc, &clang.path] {
            for level in ["-O0", "-O3"] {
                let compiler = Compiler::new(program, &[level, "-w"]);
                let (built, cost) = compiler.build_and_run_all(&files, &dir.join("test.exe"));
                test += cost;
                failed += usize::from(!matches!(built, Built::Ran(_)));
            }
        }
        progress.step();
    }
    progress.end();
    let (made, tested) = (generation.as_secs_f64(), test.cpu.as_secs_f64());
    let share = made / (made + tested).max(1e-9);
    println!(
        "generation is {:.2} % of a differential test ({} programs, gcc and {}, -O0 and -O3: {tested:.1} \
         CPU s; {failed} of {} not run); {}",
        100.0 * share,
        raws.len(),
        clang.name,
        4 * raws.len(),
        verdict(share < SHARE_GOAL, "< 2 %"),
    );
    Ok(())
}

fn verdict(met: bool, goal: &str) -> String {
    format!("goal {goal} {}", if met { "met" } else { "MISSED" })
}
