//! `cargo lab bench machine`: the machine's speed and memory against its peers, in one run.
//!
//! Wall time is what a person waits; processor time is what a shared or busy machine does not
//! distort. Peers do the same work from the same C file: preprocess, compile or analyse, run. The
//! programs are Csmith's, those that end within a second, and that the machine finishes: a quick
//! refusal must not count as speed.

use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use sandbox::{Ended, Run, Scratch};
use toolchain::{Tool, find_tool, on_path};

use crate::compiler::{Built, Compiler, Cost};
use crate::context::Context;
use crate::csmith::{Case, Csmith};
use crate::machine::{Machine, RunOutcome};
use crate::pool::Progress;

/// Frama-C Eva may take hours on one program: what is cut off here counts as this much, which
/// flatters it.
const EVA_WALL: Duration = Duration::from_secs(120);

/// The memory goal, in bytes.
const MEMORY_GOAL: u64 = 200_000_000;

/// Arguments of `cargo lab bench machine`.
#[derive(Args, Debug)]
pub struct MachineArgs {
    /// Number of programs.
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// First seed tried.
    #[arg(long, default_value_t = 1_000_000)]
    start: u64,
    /// Number of programs, spread over all, that Frama-C is asked about: it is slow.
    #[arg(long, default_value_t = 5)]
    eva: usize,
}

/// One program and what the machine needed for it.
struct MeasuredProgram {
    case: Case,
    ours: Cost,
    peak_rss: u64,
}

/// Measures and prints.
pub fn main(context: &Context, args: &MachineArgs) -> Result<()> {
    if args.count == 0 {
        bail!("--count must be at least 1");
    }
    let csmith = Csmith::required()?;
    let machine = Machine::new(context.gainsay()?).include(&csmith.headers);
    let scratch = Scratch::new()?;
    let samples = collect(args, &csmith, &machine, &scratch)?;
    let ours = total(samples.iter().map(|s| s.ours));
    println!("{:<44} {:>9} {:>9}", "", "wall s", "cpu s");
    println!("{:<44} {:>9.3} {:>9.3}", "gainsay run", secs(ours.wall), secs(ours.cpu));
    let gcc = total(samples.iter().map(|s| s.case.cost));
    report("gcc -O0, compile and run", gcc, ours, Some(0.35));
    sanitizers(&samples, &csmith, &scratch, ours);
    // As CsmithEdge uses it (its section 2.2): on the single path of such a program, enough states
    // make Eva an interpreter. The default is quicker, and raises false alarms on these programs.
    eva(&samples, &csmith, args.eva, &["-eva", "-eva-slevel", "10000"], Some(0.02));
    eva(&samples, &csmith, args.eva, &["-eva"], None);
    let peak = samples.iter().max_by_key(|s| s.peak_rss);
    if let Some(worst) = peak {
        let megabytes = worst.peak_rss as f64 / 1e6;
        let seed = worst.case.seed;
        let verdict = if worst.peak_rss < MEMORY_GOAL { "met" } else { "MISSED" };
        println!("peak memory {megabytes:.0} MB (seed {seed}): goal below 200 MB {verdict}");
    }
    Ok(())
}

/// Generates programs from the first seed on until there are enough, and measures us and gcc, one
/// program after the other so that no measurement disturbs another.
fn collect(
    args: &MachineArgs,
    csmith: &Csmith,
    machine: &Machine,
    scratch: &Scratch,
) -> Result<Vec<MeasuredProgram>> {
    let reference = Compiler::reference()?;
    let progress = Progress::new("bench: gainsay and gcc", args.count);
    let mut samples = Vec::new();
    let (mut tried, mut unfinished) = (0, 0);
    while samples.len() < args.count {
        // Csmith's own failures and endless programs are about a third; more means something broke.
        if tried > 20 * args.count + 20 {
            bail!("of {tried} Csmith programs only {} could be measured", samples.len());
        }
        let seed = args.start + tried as u64;
        tried += 1;
        let Some(case) = csmith.case(seed, scratch.path(), &reference) else { continue };
        let got = machine.run(&case.file);
        if !matches!(got.answer, RunOutcome::Finished { .. }) {
            unfinished += 1;
            continue;
        }
        let ours = Cost { wall: got.wall, cpu: got.cpu };
        samples.push(MeasuredProgram { case, ours, peak_rss: got.peak_rss });
        progress.step();
    }
    progress.end();
    println!(
        "{} Csmith programs that end in 1 s (seeds {} to {}; {unfinished} more that the machine did \
         not finish are left out)",
        samples.len(),
        args.start,
        args.start + tried as u64 - 1
    );
    Ok(samples)
}

/// Clang's ASan+UBSan and MSan, each a compile and a run: together they see about what we see.
fn sanitizers(samples: &[MeasuredProgram], csmith: &Csmith, scratch: &Scratch, ours: Cost) {
    let Some(clang) = find_tool(Tool::Clang).pop() else {
        println!("clang's sanitizers: skipped, clang is not installed");
        return;
    };
    let compiler = Compiler::new(&clang.path, &["-O0", "-w"])
        .include(&csmith.headers)
        .run_wall(Duration::from_secs(60));
    let modes = ["-fsanitize=address,undefined", "-fsanitize=memory"];
    let progress = Progress::new("bench: sanitizers", samples.len());
    let mut cost = Cost::default();
    for sample in samples {
        for mode in modes {
            let compiler = compiler.clone().with(&[mode]);
            let (built, one) =
                compiler.build_and_run(&sample.case.file, &scratch.file("sanitized"));
            cost += one;
            if let Built::NotCompiled(why) | Built::Crashed(why) = built {
                let why = why.lines().next().unwrap_or("").to_string();
                println!("clang's sanitizers: skipped, {} cannot link them: {why}", clang.name);
                return;
            }
        }
        progress.step();
    }
    progress.end();
    report(&format!("{} ASan+UBSan, then MSan", clang.name), cost, ours, Some(0.1));
}

/// Frama-C Eva on a few programs, against our time on the same few.
fn eva(
    samples: &[MeasuredProgram],
    csmith: &Csmith,
    count: usize,
    options: &[&str],
    goal: Option<f64>,
) {
    if count == 0 {
        return;
    }
    let Some(frama_c) = on_path("frama-c") else {
        println!("Frama-C Eva: skipped, frama-c is not installed");
        return;
    };
    let step = samples.len().div_ceil(count);
    let few: Vec<&MeasuredProgram> = samples.iter().step_by(step).collect();
    let progress = Progress::new("bench: Frama-C Eva", few.len());
    let mut cost = Cost::default();
    let mut cut = 0;
    for sample in &few {
        let run = Run::new(&frama_c, EVA_WALL)
            .args(options)
            .arg(format!("-cpp-extra-args=-I{}", csmith.headers.display()))
            .arg(&sample.case.file);
        match run.finish() {
            Ended::Finished(done) => cost += Cost::of(&done),
            Ended::Killed(_, done) => {
                cut += 1;
                cost += Cost::of(&done);
            }
            Ended::NotStarted(error) => return println!("Frama-C Eva: skipped, {error}"),
        }
        progress.step();
    }
    progress.end();
    let ours = total(few.iter().map(|s| s.ours));
    let limit = EVA_WALL.as_secs();
    report(&format!("frama-c {}, {} of them", options.join(" "), few.len()), cost, ours, goal);
    println!(
        "    ({cut} of these {} stopped at {limit} s and counted as that; our own time on the same: \
         {:.3} s wall, {:.3} s cpu)",
        few.len(),
        secs(ours.wall),
        secs(ours.cpu)
    );
}

/// A peer's line: its cost, the ratio of ours to it, and whether the goal is met.
fn report(peer: &str, cost: Cost, ours: Cost, goal: Option<f64>) {
    let ratio = |ours: Duration, theirs: Duration| secs(ours) / secs(theirs).max(1e-9);
    let (wall, cpu) = (ratio(ours.wall, cost.wall), ratio(ours.cpu, cost.cpu));
    let verdict = match goal {
        Some(goal) if wall <= goal && cpu <= goal => format!("goal {goal} met"),
        Some(goal) => format!("goal {goal} MISSED"),
        None => "for comparison".into(),
    };
    println!(
        "{peer:<44} {:>9.3} {:>9.3}   gainsay is {wall:.4} of it in wall, {cpu:.4} in cpu; {verdict}",
        secs(cost.wall),
        secs(cost.cpu),
    );
}

fn total(costs: impl Iterator<Item = Cost>) -> Cost {
    let mut sum = Cost::default();
    costs.for_each(|cost| sum += cost);
    sum
}

fn secs(time: Duration) -> f64 {
    time.as_secs_f64()
}
