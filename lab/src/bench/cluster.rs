//! `cargo lab bench cluster`: the same tests by a local hunt and by one server and one worker, in one run;
//! and how many messages a server takes.
//!
//! Both use the same number of threads. The sides take turns, since the machine may be busy with something
//! else; processor time counts everything that was started: hunt, server, coordinator, worker.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use campaign::{Store, TargetResult, Tested};
use sandbox::{Ended, Run, Status};
use serde_json::Value;

use crate::cluster::{Stage, binary, hunt, write_configuration};
use crate::context::Context;

/// Targets of a result, for the measure of a store: a dozen compilers at five levels.
const TARGETS: usize = 60;

/// Arguments of `cargo lab bench cluster`.
#[derive(clap::Args, Debug)]
pub struct ClusterArgs {
    /// Tests of each run.
    #[arg(long, default_value_t = 150)]
    tests: u64,
    /// Tests at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Runs of each side.
    #[arg(long, default_value_t = 2)]
    rounds: usize,
    /// Messages for the measure of a server.
    #[arg(long, default_value_t = 20_000)]
    messages: u64,
    /// The binary, in place of a release build.
    #[arg(long, value_name = "FILE")]
    gainsay: Option<PathBuf>,
}

/// What one side did.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    tests: u64,
    /// By the clock, from the first result to the last.
    wall: Duration,
    cpu: Duration,
    /// Over the connections of the server.
    bytes: u64,
}

impl Side {
    fn add(&mut self, other: Side) {
        self.tests += other.tests;
        self.wall += other.wall;
        self.cpu += other.cpu;
        self.bytes += other.bytes;
    }

    fn line(self, who: &str) {
        println!(
            "{who:<8} {:>6} tests {:>8.1} s {:>7.3} tests/s {:>9.2} CPU s {:>7.4} CPU s a test",
            self.tests,
            self.wall.as_secs_f64(),
            self.tests as f64 / self.wall.as_secs_f64(),
            self.cpu.as_secs_f64(),
            self.cpu.as_secs_f64() / self.tests as f64,
        );
    }
}

/// Measures both and prints the ratios.
pub fn main(context: &Context, args: &ClusterArgs) -> Result<()> {
    if args.tests == 0 || args.rounds == 0 {
        bail!("--tests and --rounds must be at least 1");
    }
    let gainsay = binary(context, args.gainsay.as_deref())?;
    let dir = context.work_folder("bench-cluster")?;
    fs::remove_dir_all(&dir)?;
    fs::create_dir_all(&dir)?;
    write_configuration(context, &dir)?;
    let (mut local, mut cluster) = (Side::default(), Side::default());
    for round in 0..args.rounds {
        local.add(run_local(&gainsay, &dir, round, args)?);
        cluster.add(run_cluster(&gainsay, &dir, round, args)?);
    }
    local.line("local");
    cluster.line("cluster");
    let rate = |side: Side| side.tests as f64 / side.wall.as_secs_f64();
    let cost = |side: Side| side.cpu.as_secs_f64() / side.tests as f64;
    println!("cluster / local, tests a second by the clock: {:.3}", rate(cluster) / rate(local));
    println!("cluster / local, tests for each CPU second:  {:.3}", cost(local) / cost(cluster));
    println!("over the server's connections: {} bytes a test", cluster.bytes / cluster.tests);
    store(&dir)?;
    load(&dir, args)
}

/// How many results a store takes: each is flushed to the disk.
fn store(dir: &Path) -> Result<()> {
    const RESULTS: u64 = 500;
    let mut store = Store::create(&dir.join("store"))?;
    let mut tested = Tested::new("bench", 0);
    let label = |n: usize| (format!("compiler-{n} -O2"), TargetResult::Right);
    tested.targets = (0..TARGETS).map(label).collect();
    let begin = Instant::now();
    for seed in 0..RESULTS {
        tested.seed = seed;
        store.record(&tested)?;
    }
    let rate = RESULTS as f64 / begin.elapsed().as_secs_f64();
    println!("a store takes {rate:.0} results/s of {TARGETS} targets without findings");
    Ok(())
}

fn run_local(gainsay: &Path, dir: &Path, round: usize, args: &ClusterArgs) -> Result<Side> {
    let mut words = hunt(&format!("local-{round}"), args.tests);
    words.extend(["--jobs".into(), args.jobs.to_string()]);
    let run = Run::new(gainsay, Duration::from_secs(4 * 3600)).args(words).cwd(dir);
    let done = match run.finish() {
        Ended::Finished(done) if matches!(done.status, Status::Exit(0 | 1)) => done,
        other => bail!("the local hunt failed: {other:?}"),
    };
    let wall = elapsed(&done.stdout.text())?;
    Ok(Side { tests: args.tests, wall, cpu: done.cpu, bytes: 0 })
}

fn run_cluster(gainsay: &Path, dir: &Path, round: usize, args: &ClusterArgs) -> Result<Side> {
    let own = dir.join(format!("cluster-{round}"));
    fs::create_dir_all(&own)?;
    for name in ["gainsay.toml", "small.toml"] {
        fs::copy(dir.join(name), own.join(name))?;
    }
    let mut stage = Stage::servers(&own, 1)?;
    let servers = stage.address();
    let working: Vec<String> =
        ["worker", "--join", &servers, "--jobs", &args.jobs.to_string()].map(String::from).into();
    let mut worker = stage.start("worker", gainsay, &working)?;
    let mut words = hunt("out", args.tests);
    words.extend(["--cluster".into(), servers]);
    let mut coordinator = stage.start("coordinator", gainsay, &words)?;
    let coordinated = coordinator.wait()?;
    let bytes = stage.bytes()?;
    let worked = worker.finish()?;
    let served = stage.finish()?;
    let wall = elapsed(&fs::read_to_string(own.join("coordinator.log"))?)?;
    Ok(Side { tests: args.tests, wall, cpu: coordinated.cpu + worked.cpu + served, bytes })
}

/// The time of a hunt by its last line, without what it waited for its first worker.
fn elapsed(text: &str) -> Result<Duration> {
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut end = None;
    for event in events.filter(|event| event["event"] == "end") {
        end = event["elapsed_s"].as_f64();
    }
    Ok(Duration::from_secs_f64(end.context("the hunt told no end")?))
}

/// How many messages a server takes.
fn load(dir: &Path, args: &ClusterArgs) -> Result<()> {
    for (servers, bytes) in [(1, 1_000), (1, 50_000), (3, 1_000), (3, 50_000)] {
        let own = dir.join(format!("load-{servers}-{bytes}"));
        fs::create_dir_all(&own)?;
        let stage = Stage::servers(&own, servers)?;
        let address = stage.address().split(',').map(String::from).collect();
        let access = cluster::Access { servers: address, ..cluster::Access::default() };
        let messages = if bytes > 10_000 { args.messages / 10 } else { args.messages };
        let took = cluster::measure(&access, messages.max(100), bytes)?;
        let rate = |time: Duration| messages.max(100) as f64 / time.as_secs_f64();
        println!(
            "{servers} server{}, {bytes:>6} bytes: {:>8.0} messages/s stored, {:>8.0} messages/s taken and acknowledged",
            if servers == 1 { " " } else { "s" },
            rate(took.0),
            rate(took.1)
        );
        stage.finish()?;
    }
    Ok(())
}
