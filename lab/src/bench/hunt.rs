//! `cargo lab bench hunt`: a hunt's throughput against a plain shell loop, in one run.
//!
//! Both take the same seeds of Csmith, the same compilers and the same levels, one test at a time;
//! both generate, compile, run and compare. The loop is what people write in an afternoon: it knows
//! no answer, so it compares the outputs with each other, and a program that does not end costs it
//! the time limit on every target. A hunt also executes every program in the machine, and drops
//! those that the machine does not finish. Tests per second of processor time, everything included.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sandbox::{Ended, Finished, Run, Scratch, Status};
use serde_json::Value;

use crate::context::Context;
use crate::csmith::Csmith;
use crate::pool::Progress;

/// Longer than any hunt of this bench takes.
const WALL: Duration = Duration::from_secs(3 * 3600);

/// Arguments of `cargo lab bench hunt`.
#[derive(clap::Args, Debug)]
pub struct HuntArgs {
    /// Number of seeds.
    #[arg(long, default_value_t = 50)]
    count: u64,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Compilers, by name.
    #[arg(long, value_delimiter = ',', default_value = "gcc-12,clang-16")]
    cc: Vec<String>,
    /// Levels.
    #[arg(
        long,
        value_delimiter = ',',
        allow_hyphen_values = true,
        default_value = "-O0,-O1,-O2,-Os,-O3"
    )]
    levels: Vec<String>,
}

/// What one side did.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    tests: u64,
    cpu: Duration,
}

impl Side {
    fn rate(self) -> f64 {
        self.tests as f64 / self.cpu.as_secs_f64().max(1e-9)
    }

    fn line(self, who: &str) {
        println!(
            "{who:<52} {:>5} tests {:>9.2} CPU s {:>8.4} tests per CPU s",
            self.tests,
            self.cpu.as_secs_f64(),
            self.rate()
        );
    }
}

/// Measures both and prints the ratio.
pub fn main(context: &Context, args: &HuntArgs) -> Result<()> {
    if args.count == 0 || args.cc.is_empty() || args.levels.is_empty() {
        bail!("--count must be at least 1, and --cc and --levels name at least one each");
    }
    let csmith = Csmith::required()?;
    let gainsay = context.gainsay()?;
    let scratch = Scratch::new()?;
    let (all, ending) = shell(args, &csmith, scratch.path())?;
    let ours = hunt(args, &gainsay, scratch.path())?;
    ours.line("gainsay hunt --engine csmith");
    all.line("shell loop, all seeds");
    ending.line("shell loop, programs that end only");
    println!("gainsay hunt / shell loop: {:.2}", ours.rate() / all.rate());
    println!("gainsay hunt / shell loop without endless ones: {:.2}", ours.rate() / ending.rate());
    Ok(())
}

/// The loop, one seed at a time so that each one's cost is known: of all seeds, and of those whose
/// program ended on every target.
fn shell(args: &HuntArgs, csmith: &Csmith, scratch: &Path) -> Result<(Side, Side)> {
    let dir = scratch.join("shell");
    fs::create_dir(&dir)?;
    let script = dir.join("test.sh");
    fs::write(&script, SCRIPT)?;
    let progress = Progress::new("bench: shell loop", args.count as usize);
    let (mut all, mut ending) = (Side::default(), Side::default());
    for seed in args.seed..args.seed + args.count {
        let run = Run::new("sh", WALL)
            .arg(&script)
            .arg(seed.to_string())
            .env("CCS", args.cc.join(" "))
            .env("LEVELS", args.levels.join(" "))
            .env("INCLUDE", &csmith.headers)
            .cwd(&dir);
        let done = finished(run, "the shell loop")?;
        all.cpu += done.cpu;
        match done.status {
            Status::Exit(0) => {
                all.tests += 1;
                ending.tests += 1;
                ending.cpu += done.cpu;
            }
            // A program that does not end, or that csmith does not give.
            Status::Exit(3) => {}
            Status::Exit(1) => {
                bail!("the shell loop found a difference at seed {seed}: look at it")
            }
            other => bail!("the shell loop ended with {other:?}: {}", done.stderr.text()),
        }
        progress.step();
    }
    progress.end();
    Ok((all, ending))
}

/// Generates, compiles, runs, compares. Status 1: the outputs differ; 3: no test.
const SCRIPT: &str = r#"
timeout 30 csmith --seed "$1" > test.c || exit 3
first=
for cc in $CCS; do
    for level in $LEVELS; do
        $cc $level -w -I"$INCLUDE" test.c -o test || exit 2
        timeout 10 ./test > out || exit 3
        if [ -z "$first" ]; then
            first=yes
            mv out expected
        else
            cmp -s out expected || exit 1
        fi
    done
done
"#;

fn hunt(args: &HuntArgs, gainsay: &Path, scratch: &Path) -> Result<Side> {
    let config = scratch.join("gainsay.toml");
    let levels: Vec<String> = args.levels.iter().map(|l| format!("{l:?}")).collect();
    fs::write(&config, format!("levels = [{}]\nextras_per_test = 0\n", levels.join(", ")))?;
    let mut run = Run::new(gainsay, WALL)
        .args(["hunt", "--engine", "csmith", "--json", "--jobs", "1", "--no-reduce"])
        .args(["--tests", &args.count.to_string(), "--seed", &args.seed.to_string()])
        .arg("--config")
        .arg(&config)
        .arg("--hunt")
        .arg(scratch.join("hunt"))
        .cwd(scratch);
    for cc in &args.cc {
        run = run.args(["--cc", cc]);
    }
    eprintln!("bench: gainsay hunt on {} seeds", args.count);
    let done = finished(run, "gainsay hunt")?;
    let text = done.stdout.text();
    let end = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let end = end.into_iter().next().context("gainsay hunt --json printed nothing")?;
    if done.status != Status::Exit(0) {
        bail!("gainsay hunt ended with {:?}: {end}\n{}", done.status, done.stderr.text());
    }
    let number = |key: &str| end[key].as_u64().with_context(|| format!("no {key} in {end}"));
    let skipped: u64 = end["skipped"]
        .as_object()
        .map_or(0, |reasons| reasons.values().filter_map(Value::as_u64).sum());
    Ok(Side { tests: number("tests")? - skipped, cpu: done.cpu })
}

fn finished(run: Run, what: &str) -> Result<Finished> {
    match run.finish() {
        Ended::Finished(done) => Ok(done),
        other => bail!("{what} did not end by itself: {other:?}"),
    }
}
