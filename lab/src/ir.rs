//! `cargo lab ir`: the text of LLVM IR, read and written by us, held against LLVM's own reader and writer.
//!
//! `round-trip`: a library prints a file (1), we read that and print it (2), the library reads and prints
//! that (3). Nothing was lost or changed if (3) is (1), byte for byte; or is what the library prints of (1),
//! for the order of predecessors in its comments is not always that of the text it reads.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use crossover::import::files;
use llvmhost::{Installed, Limits, Program, Server, Setup};
use optimise::work::{Answer, Item};

use crate::LabOutcome;
use crate::context::Context;
use crate::pool::{self, Progress};

/// Files of a batch: few, so that the threads end together.
const BATCH: usize = 16;

/// How many reasons and files are named for each library.
const NAMED: usize = 20;

/// Arguments of `cargo lab ir`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Read and print what LLVM prints, and see whether LLVM then prints the same.
    RoundTripArgs(RoundTripArgs),
}

/// Arguments of `cargo lab ir round-trip`.
#[derive(clap::Args, Debug)]
struct RoundTripArgs {
    /// LLVM's tests, such as llvm/test/Transforms of a checkout.
    #[arg(long, value_name = "DIR")]
    tests: PathBuf,
    /// Which libraries.
    #[arg(long = "lib", value_delimiter = ',', default_value = "15,16,19,22")]
    libraries: Vec<String>,
    /// Read the files as they were written, not what the library prints of them.
    #[arg(long)]
    as_written: bool,
    /// A `gainsay` that is there already, as the server.
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// Runs the command.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    match &args.what {
        Command::RoundTripArgs(args) => round_trip(context, args),
    }
}

/// What came of a file.
enum RoundTripOutcome {
    /// It is no module to the library, or what the library prints of it is none: what it says.
    NoModule(String),
    /// We refuse it.
    Refused(String),
    /// The library does not take what we print, or it says something else.
    Unequal(String),
    /// Nothing was lost.
    Equal,
}

/// What came of all files in a library.
#[derive(Default)]
struct RoundTripTally {
    no_module: Vec<(PathBuf, String)>,
    equal: usize,
    refused: BTreeMap<String, Vec<PathBuf>>,
    unequal: Vec<(PathBuf, String)>,
    /// Text that we read and printed, and how long that took.
    bytes: usize,
    reading: Duration,
    printing: Duration,
}

fn round_trip(context: &Context, args: &RoundTripArgs) -> Result<LabOutcome> {
    let path = args.server.clone().map_or_else(|| context.gainsay(), Ok)?;
    let program = Program { path, args: vec!["llvm".to_string(), "serve".to_string()] };
    let found = files(&args.tests).with_context(|| args.tests.display().to_string())?;
    println!(
        "| LLVM | files | not parsed by it | refused by us | unequal | equal | read, MB/s | printed, MB/s |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut all_well = true;
    let mut tallies = Vec::new();
    for name in &args.libraries {
        let library = Installed::named(name).map_err(|e| anyhow!(e))?;
        let tally = of_library(&library, &program, &found, args.as_written)?;
        let rate = |took: Duration| tally.bytes as f64 / 1e6 / took.as_secs_f64().max(1e-9);
        let refused = tally.refused.values().map(Vec::len).sum::<usize>();
        println!(
            "| {} | {} | {} | {refused} | {} | {} | {:.1} | {:.1} |",
            library.major,
            found.len(),
            tally.no_module.len(),
            tally.unequal.len(),
            tally.equal,
            rate(tally.reading),
            rate(tally.printing),
        );
        all_well &= refused == 0 && tally.unequal.is_empty();
        tallies.push((library.major, tally));
    }
    tallies.iter().for_each(|(major, tally)| explain(*major, tally));
    Ok(if all_well { LabOutcome::Nothing } else { LabOutcome::Something })
}

/// Names what was refused or unequal.
fn explain(major: u32, tally: &RoundTripTally) {
    let mut reasons: Vec<_> = tally.refused.iter().collect();
    reasons.sort_by_key(|(reason, files)| (usize::MAX - files.len(), *reason));
    for (reason, files) in reasons.iter().take(NAMED) {
        println!("LLVM {major}: refused {}: {reason} ({})", files.len(), files[0].display());
    }
    for (file, why) in tally.unequal.iter().take(NAMED) {
        println!("LLVM {major}: unequal: {}: {why}", file.display());
    }
    for (file, why) in tally.no_module.iter().take(NAMED) {
        let first = why.split("\\n").next().unwrap_or(why);
        println!("LLVM {major}: not parsed by it: {}: {first}", file.display());
    }
}

fn of_library(
    library: &Installed,
    program: &Program,
    files: &[PathBuf],
    as_written: bool,
) -> Result<RoundTripTally> {
    let next = AtomicUsize::new(0);
    let progress = Progress::new(&format!("LLVM {}", library.major), files.len());
    let work = || -> Result<RoundTripTally> {
        let setup = Setup {
            library: library.path.clone(),
            major: library.major,
            coverage: false,
            known: None,
            work: Vec::new(),
        };
        let mut server = Server::start(program, &setup).map_err(|e| anyhow!(e))?;
        let mut tally = RoundTripTally::default();
        while let Some(batch) = files.chunks(BATCH).nth(next.fetch_add(1, Ordering::Relaxed)) {
            for (file, trip) in batch.iter().zip(trips(&mut server, batch, as_written, &mut tally)?)
            {
                tally.add(file, trip);
                progress.step();
            }
        }
        Ok(tally)
    };
    let ended: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..pool::processors()).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    progress.end();
    let mut whole = RoundTripTally::default();
    for one in ended {
        whole.join(one.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    whole.unequal.sort();
    whole.no_module.sort();
    Ok(whole)
}

/// The way of a batch through the library, through us, and through the library again.
fn trips(
    server: &mut Server,
    batch: &[PathBuf],
    as_written: bool,
    tally: &mut RoundTripTally,
) -> Result<Vec<RoundTripOutcome>> {
    let read = |file: &PathBuf| fs::read(file).with_context(|| file.display().to_string());
    let texts = batch.iter().map(read).collect::<Result<Vec<_>>>()?;
    let first = printed(server, texts.clone())?;
    let read = |(text, first): (&Vec<u8>, &Result<String, String>)| {
        let first = first.as_ref().ok()?;
        Some(if as_written {
            reprint(&String::from_utf8_lossy(text), tally)
        } else {
            reprint(first, tally)
        })
    };
    let ours: Vec<_> = texts.iter().zip(&first).map(read).collect();
    let sent = ours.iter().flatten().flatten().map(|text| text.clone().into_bytes()).collect();
    let mut third = printed(server, sent)?.into_iter();
    let mut trips = Vec::new();
    for (first, ours) in first.into_iter().zip(ours) {
        trips.push(match (first, ours) {
            (Ok(first), Some(Ok(_))) => {
                judged(server, first, third.next().context("an answer is missing")?)?
            }
            (Ok(first), Some(Err(why))) => {
                match printed(server, vec![first.into_bytes()])?.remove(0) {
                    Ok(_) => RoundTripOutcome::Refused(why),
                    Err(why) => RoundTripOutcome::NoModule(why),
                }
            }
            (Err(why), _) => RoundTripOutcome::NoModule(why),
            (Ok(_), None) => RoundTripOutcome::Refused("not read at all".to_string()),
        });
    }
    Ok(trips)
}

/// Whether the library says the same of what it printed first and of what we printed.
fn judged(
    server: &mut Server,
    first: String,
    third: Result<String, String>,
) -> Result<RoundTripOutcome> {
    if third.as_ref() == Ok(&first) {
        return Ok(RoundTripOutcome::Equal);
    }
    Ok(match (printed(server, vec![first.into_bytes()])?.remove(0), third) {
        (Err(why), _) => RoundTripOutcome::NoModule(why),
        (Ok(own), Ok(third)) if own == third => RoundTripOutcome::Equal,
        (Ok(own), Ok(third)) => RoundTripOutcome::Unequal(difference(&own, &third)),
        (Ok(_), Err(why)) => RoundTripOutcome::Unequal(format!("not taken: {why}")),
    })
}

/// What the library prints of each module; or what it says against it.
fn printed(server: &mut Server, texts: Vec<Vec<u8>>) -> Result<Vec<Result<String, String>>> {
    let items = texts.into_iter().map(|bitcode| Item::Print { bitcode }.bytes()).collect();
    let answers = server.run(items, Limits::default(), false)?;
    Ok(answers
        .iter()
        .map(|ran| match Answer::read(&ran.output) {
            Answer::Fine(text) => Ok(text),
            other => Err(format!("{other:?}")),
        })
        .collect())
}

/// What we print of a text; or why we refuse it, without the line.
fn reprint(text: &str, tally: &mut RoundTripTally) -> Result<String, String> {
    tally.bytes += text.len();
    let begin = Instant::now();
    let module = irtext::parse(text);
    tally.reading += begin.elapsed();
    let module = module.map_err(|refused| refused.what)?;
    let begin = Instant::now();
    let text = irtext::print(&module);
    tally.printing += begin.elapsed();
    Ok(text)
}

/// The first lines that differ.
fn difference(first: &str, third: &str) -> String {
    let mut pairs = first.lines().zip(third.lines());
    match pairs.find(|(left, right)| left != right) {
        Some((left, right)) => format!("\n  {left}\n  {right}"),
        None => "one has more lines".to_string(),
    }
}

impl RoundTripTally {
    fn add(&mut self, file: &Path, trip: RoundTripOutcome) {
        match trip {
            RoundTripOutcome::NoModule(why) => self.no_module.push((file.into(), why)),
            RoundTripOutcome::Equal => self.equal += 1,
            RoundTripOutcome::Refused(why) => {
                self.refused.entry(why).or_default().push(file.into())
            }
            RoundTripOutcome::Unequal(why) => self.unequal.push((file.into(), why)),
        }
    }

    fn join(&mut self, other: RoundTripTally) {
        self.no_module.extend(other.no_module);
        self.equal += other.equal;
        self.bytes += other.bytes;
        self.reading += other.reading;
        self.printing += other.printing;
        self.unequal.extend(other.unequal);
        for (why, files) in other.refused {
            self.refused.entry(why).or_default().extend(files);
        }
    }
}
