//! `gainsay worker`: tests for hunts that another process coordinates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use cluster::{Spec, WorkerEvent, WorkerOptions};
use serde::Deserialize as _;
use toolchain::SurveyError;

use crate::cluster::{Nats, this_process};
use crate::hunt::options::{Hunt, Workload};
use crate::{human, hunt, terminal};

/// A log wants a sign of life, but no more.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Test for hunts that another machine coordinates
///
/// Joins NATS servers and does the tests of whatever hunt `gainsay hunt --cluster` coordinates there, with
/// the compilers of this machine; then waits for the next hunt. Start as many as you like, on as many
/// machines, at any time; end them with Ctrl-C or SIGTERM, or pull the plug: what a worker had begun goes
/// to others, and nothing counts twice.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Worker {
    /// The NATS servers, separated by commas.
    #[arg(long, value_name = "nats://HOST:PORT", value_delimiter = ',', required = true)]
    pub join: Vec<String>,
    /// Tests at the same time; all processors by default
    #[arg(short = 'j', long, value_name = "N")]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub nats: Nats,
}

const HELP: &str = "\
The compilers are those of this machine that the hunt's --cc asks for. A worker with only a part of them
tests on its part; one with none says so and waits for another hunt. Worker and coordinator must be of the
same version: the same seed must be the same program.

Exit status:
  0   it was told to stop
  2   no server, wrong credentials, another version, a full disk

Examples:
  gainsay worker --join nats://head:4222
  gainsay worker --join nats://head:4222 -j 16

Several servers: --join nats://a:4222,nats://b:4222. With TLS and credentials: --join tls://head:4222
--creds hunt.creds --tls-ca ca.pem. deploy/ has a unit for systemd, a script for Slurm and a manifest for Kubernetes.";

/// Runs the command; the exit status.
pub fn main(args: &Worker) -> Result<u8> {
    if args.jobs == Some(0) {
        bail!("--jobs must be at least 1");
    }
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let member = WorkerOptions { name: this_process(), jobs: args.jobs.unwrap_or_else(processors) };
    for weakness in sandbox::weaknesses() {
        terminal::note(&format!("gainsay: {weakness}"));
    }
    let access = args.nats.access(&args.join)?;
    let stop = sandbox::Stop::on_signals();
    let mut last = (Instant::now(), 0);
    let every = if terminal::is_verbose() { Duration::ZERO } else { LINE_EVERY };
    let mut tell = |joined: WorkerEvent<'_>| match joined {
        WorkerEvent::Note(word) => say(&format!("gainsay worker {}: {word}", member.name)),
        WorkerEvent::Progress(..) if terminal::is_quiet() => {}
        WorkerEvent::Progress(tests, findings) if last.0.elapsed() >= every && tests != last.1 => {
            last = (Instant::now(), tests);
            let (tests, findings) =
                (human::plural(tests, "test"), human::plural(findings, "finding"));
            say(&format!("gainsay worker {}: {tests}, {findings}", member.name));
        }
        WorkerEvent::Progress(..) => {}
    };
    let jobs = member.jobs;
    let mut prepare =
        |spec: &Spec, files: &BTreeMap<String, PathBuf>, dir: &Path| plan(spec, files, dir, jobs);
    cluster::join(&access, &member, &mut prepare, &stop, &mut tell)?;
    Ok(0)
}

fn say(line: &str) {
    // Where nobody can read any more the work still counts.
    let _ = terminal::print(format!("{line}\n").as_bytes());
}

/// The plan of a hunt on this machine, for what was typed elsewhere.
fn plan(
    spec: &Spec,
    files: &BTreeMap<String, PathBuf>,
    dir: &Path,
    jobs: usize,
) -> Result<campaign::Plan> {
    let workload = Workload::deserialize(&spec.workload).context("the hunt cannot be read")?;
    let own = dir.join("own");
    std::fs::create_dir(&own).context("a temporary folder cannot be made")?;
    let mut args = Hunt::elsewhere(workload, own, jobs, files.clone());
    loop {
        let plan = hunt::plan_only(&args);
        // What of the compilers is here is tested; only if none is, there is nothing to do.
        let error = plan.as_ref().err().and_then(|error| error.downcast_ref::<SurveyError>());
        let Some(SurveyError::NothingMatches { pattern, .. }) = error else { return plan };
        let cc = &mut args.workload.cc;
        if cc.len() < 2 {
            return plan;
        }
        cc.retain(|asked| asked != pattern);
    }
}
