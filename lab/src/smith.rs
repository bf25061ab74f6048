//! `cargo lab smith`: what relaxations do to programs, and whether the machine and the detectors of
//! the CsmithEdge paper agree about them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use cgen::smith::{Bounds, Options, Relaxation, SeedTuple, generate, revert_relaxations};
use cmachine::{Exit, MachineConfig, Outcome, Report};
use oracle::{Assessment, Case, Detector, Detectors, Expected, Lab, Limits, SourceFile};
use sandbox::{Scratch, Stop};
use toolchain::{Family, Language};

use crate::{LabOutcome, pool};

/// Arguments of `cargo lab smith`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// How many relaxed programs differ from the plain ones, and how many have an answer.
    Rates(RatesArgs),
    /// Relaxed programs through the machine and through ASan, MSan, UBSan and Frama-C.
    CompareArgs(CompareArgs),
}

#[derive(clap::Args, Debug)]
struct RatesArgs {
    /// How many.
    #[arg(long, default_value_t = 1000)]
    programs: u64,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(clap::Args, Debug)]
struct CompareArgs {
    /// How many.
    #[arg(long, default_value_t = 500)]
    programs: u64,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Ask Frama-C about one program in so many; 0 for none.
    #[arg(long, default_value_t = 1)]
    frama_c: u64,
    /// Keep programs on which opinions differ in this folder.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// As in hunts.
fn config() -> MachineConfig {
    MachineConfig { fuel: 300_000, stack: 256 << 10, ..MachineConfig::default() }
}

/// Runs the command.
pub fn main(args: &Args) -> Result<LabOutcome> {
    match &args.what {
        Command::Rates(programs) => rates(programs),
        Command::CompareArgs(agree) => compare(agree),
    }
}

fn is_defined(report: &Report) -> bool {
    matches!(report.outcome, Outcome::Finished(_))
}

/// Counts for one configuration.
#[derive(Default)]
struct Rate {
    programs: u64,
    different: u64,
    defined: u64,
    mended: u64,
    kept: u64,
    undone: u64,
}

fn rates(args: &RatesArgs) -> Result<LabOutcome> {
    let one = |r: Relaxation| {
        let line = Bounds::DEFAULT.lines().find(|line| line.starts_with(r.name()));
        (r.name().to_string(), line.unwrap_or_default())
    };
    let mut all = vec![
        ("all, default".to_string(), Bounds::DEFAULT),
        ("all, miscompilation".to_string(), Bounds::MISCOMPILATION),
        ("all, crash".to_string(), Bounds::CRASH),
    ];
    all.extend(Relaxation::ALL.map(one));
    println!(
        "| relaxed | programs | differ | of these defined | mended: defined | kept | undone |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, text) in all {
        let bounds = Bounds::parse(text).map_err(anyhow::Error::msg)?;
        let seeds: Vec<u64> = (args.seed..args.seed + args.programs).collect();
        let tuples: Vec<SeedTuple> = seeds.iter().map(|seed| bounds.draw(*seed)).collect();
        // One relaxation alone is drawn for half of the seeds.
        let on: Vec<SeedTuple> = tuples
            .into_iter()
            .filter(|t| name.starts_with("all") || t.enabled().count() > 0)
            .collect();
        let mut sum = Rate::default();
        for rate in pool::map(&name, &on, rate) {
            sum.programs += rate.programs;
            sum.different += rate.different;
            sum.defined += rate.defined;
            sum.mended += rate.mended;
            sum.kept += rate.kept;
            sum.undone += rate.undone;
        }
        let percent = |n: u64, of: u64| 100.0 * n as f64 / of.max(1) as f64;
        println!(
            "| {name} | {} | {:.1} % | {:.1} % | {:.1} % | {} | {} |",
            sum.programs,
            percent(sum.different, sum.programs),
            percent(sum.defined, sum.different),
            percent(sum.mended, sum.programs),
            sum.kept,
            sum.undone
        );
    }
    Ok(LabOutcome::Nothing)
}

fn rate(tuple: &SeedTuple) -> Rate {
    let options = Options::default();
    let relaxed = generate(tuple, &options);
    // The first line holds the tuple.
    let body = |text: String| text.split_once('\n').map(|(_, rest)| rest.to_string());
    let plain = generate(&tuple.unrelaxed(), &options);
    let different = body(relaxed.text()) != body(plain.text());
    let defined = different && is_defined(&cmachine::run(&relaxed.program, &config()));
    let whole = revert_relaxations(tuple, &options, &config());
    Rate {
        programs: 1,
        different: u64::from(different),
        defined: u64::from(defined),
        mended: u64::from(is_defined(&whole.report)),
        kept: whole.kept as u64,
        undone: whole.reverted as u64,
    }
}

/// What was said of one program.
struct OpinionsOnProgram {
    tuple: SeedTuple,
    machine: String,
    said: Vec<(Detector, Assessment)>,
    text: String,
}

fn compare(args: &CompareArgs) -> Result<LabOutcome> {
    let detectors = Detectors::find();
    let limits = Limits {
        run_cpu: Duration::from_secs(2),
        run_wall: Duration::from_secs(20),
        ..Limits::default()
    };
    let lab = Lab { limits, stop: Stop::default() };
    let seeds: Vec<u64> = (args.seed..args.seed + args.programs).collect();
    let asked = pool::map("programs", &seeds, |&seed| {
        let eva = args.frama_c > 0 && (seed - args.seed).is_multiple_of(args.frama_c);
        ask(seed, eva, &detectors, &lab)
    });
    let mut table: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut eva: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for opinions in asked {
        let opinions = opinions?;
        let machine = match opinions.machine.split(':').next() {
            Some("defined") => "defined",
            Some("undefined") => "undefined",
            Some("unspecified") => "unspecified",
            _ => "no verdict",
        };
        let reports =
            opinions.said.iter().any(|(_, says)| matches!(says, Assessment::Undefined(_)));
        let differs = opinions.said.iter().any(|(_, says)| matches!(says, Assessment::Differs(_)));
        let sanitizers_only = opinions.said.iter().filter(|(d, _)| *d != Detector::Eva);
        let mute = sanitizers_only.clone().any(|(_, says)| matches!(says, Assessment::Silent(_)));
        let sanitizers = match (reports, differs, mute) {
            (true, ..) => "report",
            (_, true, _) => "another output",
            (.., true) => "one could not say",
            _ => "nothing to report",
        };
        *table.entry((machine, sanitizers)).or_default() += 1;
        if let Some((_, says)) = opinions.said.iter().find(|(d, _)| *d == Detector::Eva) {
            let says = match says {
                Assessment::Alarm(_) => "alarm",
                Assessment::Silent(_) => "could not say",
                _ => "no alarm",
            };
            *eva.entry((machine, says)).or_default() += 1;
        }
        match (machine, sanitizers) {
            ("defined", "report" | "another output") => theirs.push(opinions),
            ("undefined" | "unspecified", "nothing to report" | "one could not say") => {
                ours.push(opinions);
            }
            _ => {}
        }
    }
    println!("| machine | sanitizers | programs |\n| --- | --- | --- |");
    table.iter().for_each(|((m, s), n)| println!("| {m} | {s} | {n} |"));
    println!("\n| machine | Frama-C | programs |\n| --- | --- | --- |");
    eva.iter().for_each(|((m, s), n)| println!("| {m} | {s} | {n} |"));
    println!("\ndetector only: {}", theirs.len());
    show(&theirs, args, "detector-only")?;
    println!("\nmachine only: {}", ours.len());
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for one in &ours {
        *kinds.entry(one.machine.split(" at ").next().unwrap_or_default()).or_default() += 1;
    }
    kinds.iter().for_each(|(kind, n)| println!("  {n} {kind}"));
    show(&ours[..ours.len().min(20)], args, "machine-only")?;
    Ok(if theirs.is_empty() { LabOutcome::Nothing } else { LabOutcome::Something })
}

fn show(all: &[OpinionsOnProgram], args: &CompareArgs, name: &str) -> Result<()> {
    for one in all {
        println!("{} {}", one.tuple, one.machine);
        for (detector, says) in &one.said {
            println!("  {}: {says:?}", detector.name());
        }
        if let Some(keep) = &args.keep {
            fs::create_dir_all(keep).with_context(|| keep.display().to_string())?;
            fs::write(keep.join(format!("{name}-{}.c", one.tuple.base)), &one.text)?;
        }
    }
    Ok(())
}

fn ask(seed: u64, eva: bool, detectors: &Detectors, lab: &Lab) -> Result<OpinionsOnProgram> {
    let tuple = Bounds::default().draw(seed);
    let made = generate(&tuple, &Options::default());
    let text = made.text();
    // Read again, for the lines.
    let mut program = ctree::Program::new(ctree::DataModel::X86_64_SYSV);
    let report = match cparse_functions(&made, &mut program) {
        true => cmachine::run(&program, &config()),
        false => cmachine::run(&made.program, &config()),
    };
    let line = |span| program.source.location(span).map_or(0, |place| place.line);
    let machine = match &report.outcome {
        Outcome::Finished(_) => "defined:".to_string(),
        Outcome::Undefined(kind, v) => {
            format!("undefined: {} at line {}: {}", kind.name(), line(v.span), v.detail)
        }
        Outcome::Unspecified(kind, v) => {
            format!("unspecified: {} at line {}: {}", kind.name(), line(v.span), v.detail)
        }
        other => format!("{other:?}"),
    };
    let expected = match report.outcome {
        Outcome::Finished(Exit::Status(status)) => Some(Expected { stdout: report.stdout, status }),
        _ => None,
    };
    let mut said = Vec::new();
    if matches!(report.outcome, Outcome::OutOfFuel) {
        return Ok(OpinionsOnProgram { tuple, machine, said, text });
    }
    let case = Case {
        language: Language::C,
        files: vec![SourceFile { name: "test.c".into(), bytes: text.clone().into_bytes() }],
        harness: None,
        standard: None,
        include: Vec::new(),
        expected,
        omitted: Default::default(),
    };
    let scratch = Scratch::new()?;
    lab.write(&case, scratch.path())?;
    for detector in [Detector::Address, Detector::Memory, Detector::Undefined, Detector::Eva] {
        if detector == Detector::Eva && !eva {
            continue;
        }
        match detectors.ask(lab, &case, scratch.path(), detector, Family::Clang)? {
            Some((opinion, _)) => said.push((detector, opinion.says)),
            None => bail!("{} is not installed or does not work", detector.name()),
        }
    }
    Ok(OpinionsOnProgram { tuple, machine, said, text })
}

/// The text with macros as functions, read into a program.
fn cparse_functions(made: &cgen::smith::Generated, program: &mut ctree::Program) -> bool {
    cparse::parse_unit(program, "test.c", &made.text_with_functions()).is_ok()
}
