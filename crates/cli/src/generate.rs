//! `gainsay gen`: random programs, with their exact output where the machine knows it.

mod makers;
mod tally;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use cgen::smith::SeedTuple;
use clap::{Args, ValueEnum};

use crate::args::Given;
use crate::engines::{self, EngineOption, FeatureOptions, Lang, SmithOptions, YarpOptions};
use crate::{status, terminal};
use makers::{Maker, Program, WrapperForm};
use tally::Tally;

/// Generate random programs
///
/// Programs of yarp are free of undefined behaviour, and come as a header with the types, the test functions, a driver,
/// and `expected`, the output that every correct compiler's program must print. Programs of smith and Csmith are one file
/// that ends with a checksum of all global variables. The same seed gives the same bytes on every machine.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Gen {
    /// What makes the programs
    ///
    /// yarp: independent small tests, built freely and repaired by execution. smith: programs of Csmith's kind, with
    /// restrictions lifted here and there as CsmithEdge does. csmith: programs of the installed Csmith.
    #[arg(
        long,
        value_enum,
        value_name = "yarp|smith|csmith",
        default_value_t = Engine::Yarp,
        hide_possible_values = true
    )]
    pub engine: Engine,
    /// The first program's seed
    #[arg(short = 's', long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Make N programs, each in a folder of -o named by its seed
    ///
    /// Those of seeds S, S+1 …
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Write to this folder, or to this file
    ///
    /// A program of smith or csmith is a file, one of yarp a folder, and so are several.
    ///
    /// Without -o a single file goes to standard output.
    #[arg(short = 'o', long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Count what the programs contain, and print a table
    #[arg(long)]
    pub stats: bool,
    /// Print the statistics as one JSON object
    #[arg(long, requires = "stats")]
    pub json: bool,
    /// Print what --policy or --relax names, as a file that it takes, and stop
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub yarp: YarpOptions,
    #[command(flatten)]
    pub yarp_only: YarpOnly,
    #[command(flatten)]
    pub smith_only: SmithOnly,
    #[command(flatten)]
    pub smith: SmithOptions,
    /// Remove the checks around arithmetic that are not needed, as hunts do
    #[arg(long, help_heading = "Options of --engine smith and csmith")]
    pub relax_arith: bool,
    /// What was typed.
    #[arg(skip)]
    pub given: Given,
}

/// What of yarp is no business of a hunt.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options of --engine yarp")]
pub struct YarpOnly {
    /// The language: C11, or C++11 to C++20
    #[arg(
        long,
        value_enum,
        value_name = "c|c++",
        default_value_t = Lang::C,
        hide_possible_values = true
    )]
    pub lang: Lang,
    /// One file, test.c or test.cpp, in place of header, tests and driver
    #[arg(long)]
    pub single_file: bool,
    /// Print each value by name before its checksum
    ///
    /// So a mismatch names the variable.
    #[arg(long)]
    pub trace: bool,
}

/// What of smith is no business of a hunt.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options of --engine smith")]
pub struct SmithOnly {
    /// A seed with all that was drawn from it
    ///
    /// The first line of every program has it: the base seed, the form of the wrappers (0 functions, 1 macros, 2 mixed), and seven probabilities.
    #[arg(long, value_name = "TUPLE", conflicts_with_all = ["seed", "relax", "form", "count"])]
    pub seed_tuple: Option<SeedTuple>,
    /// How wrappers around operators are written; drawn by default
    #[arg(long, value_enum, value_name = "FORM")]
    pub form: Option<WrapperForm>,
    /// Take back the relaxations that leave the program without a result
    #[arg(long)]
    pub revert: bool,
}

/// The engines that make programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Engine {
    /// Independent small tests, built freely and repaired by execution
    Yarp,
    /// Programs of Csmith's kind, its restrictions lifted here and there as CsmithEdge does
    Smith,
    /// Programs of the installed Csmith
    Csmith,
}

const HELP: &str = "\
Examples:
  gainsay gen --seed 7 -o seven && gcc -O2 seven/func.c seven/driver.c -o seven/program
  gainsay gen --seed 1 --count 100 -o many --lang c++
  gainsay gen --seed 7 --trace --single-file > trace.c   # prints each result by name
  gainsay gen --stats --count 100                        # what programs contain
  gainsay gen --explain > my.toml                        # a policy to edit
  gainsay gen --policy my.toml --seed 1 -o mine
  gainsay gen --engine smith --relax none --seed 7 > smith.c
  gainsay gen --engine smith --seed 7 --revert --relax-arith -o r.c && gainsay run r.c
  gainsay gen --engine smith --seed 7 --no-bitfields --max-funcs 3 -o few.c
  gainsay gen --engine smith --seed-tuple 1621474906,2,0.8,0,0,0,0.3,0,0 -o tuple.c
  gainsay gen --engine smith --relax crash --explain > my.relax
  gainsay gen --engine csmith --count 10 -o csmith

A compiled program of smith or Csmith prints the checksum after each variable when it is given an argument.";

/// Which options are for which engines; all others are for all.
fn options() -> Vec<EngineOption<Engine>> {
    use Engine::{Csmith, Smith, Yarp};
    let mut table = engines::table(&[
        (&["--policy", "--lang", "--single-file", "--trace"], &[Yarp]),
        (&["--explain"], &[Yarp, Smith]),
        (&["--relax", "--seed-tuple", "--form", "--revert"], &[Smith]),
        (&["--relax-arith"], &[Smith, Csmith]),
    ]);
    let features = FeatureOptions::names();
    table.extend(features.map(|name| EngineOption { name, engines: &[Smith] }));
    table
}

/// Where programs go.
enum Destination {
    /// Nowhere: they are only counted.
    Nowhere,
    /// Standard output.
    Standard,
    /// This file.
    File(PathBuf),
    /// This folder.
    Folder(PathBuf),
    /// A folder in this one for each seed.
    Folders(PathBuf),
}

impl Destination {
    fn of(args: &Gen) -> Result<Destination> {
        let is_one_file = args.engine != Engine::Yarp || args.yarp_only.single_file;
        Ok(match (&args.output, args.count) {
            (Some(path), Some(_)) => Destination::Folders(path.clone()),
            (Some(path), None) if args.engine == Engine::Yarp || path.is_dir() => {
                Destination::Folder(path.clone())
            }
            (Some(path), None) => Destination::File(path.clone()),
            (None, _) if args.stats => Destination::Nowhere,
            (None, Some(_)) => bail!("--count needs a folder: give it with -o, or ask for --stats"),
            (None, None) if is_one_file => Destination::Standard,
            (None, None) => bail!(
                "say with -o where the program should go, or print one file with --single-file"
            ),
        })
    }

    fn write(&self, seed: u64, program: &Program) -> Result<()> {
        match self {
            Destination::Nowhere => Ok(()),
            Destination::Standard => {
                let texts = program.files.iter();
                Ok(terminal::print(&texts.flat_map(|file| file.text.clone()).collect::<Vec<u8>>())?)
            }
            Destination::File(path) => {
                let text = program.files.first().map_or(&[][..], |file| &file.text);
                fs::write(path, text).with_context(|| cannot(path))
            }
            Destination::Folder(folder) => write(folder, program),
            Destination::Folders(folder) => write(&folder.join(seed.to_string()), program),
        }
    }
}

/// Runs the command; the exit status.
pub fn main(args: Gen) -> Result<u8> {
    for option in options() {
        if args.given.has(&option.name) && !option.engines.contains(&args.engine) {
            let places = format!("--engine {}", engines::names(option.engines));
            bail!("{}", engines::refusal(&option.name, &places, option.engines.len() > 1));
        }
    }
    if args.explain {
        let text = match args.engine {
            Engine::Smith => engines::relaxations(&args.smith.relax)?,
            _ => engines::policy(&args.yarp.policy)?.explain(),
        };
        terminal::print(text.as_bytes())?;
        return Ok(0);
    }
    let Some(last) = args.seed.checked_add(args.count.unwrap_or(1)) else {
        bail!("the seeds from {} on are fewer than --count", args.seed);
    };
    if args.count == Some(0) {
        bail!("--count must be at least 1");
    }
    let destination = Destination::of(&args)?;
    let mut maker = makers::maker(&args)?;
    let (first, many) = (args.seed, args.count.is_some());
    let work = move || make(&mut *maker, first..last, many, &destination);
    let Some(tally) = terminal::work("still generating".into(), work)? else {
        terminal::complain(crate::run::REPORT_A_BUG);
        return Ok(status::INTERNAL);
    };
    let tally = tally?;
    match args.stats.then_some(args.json) {
        Some(true) => terminal::print(format!("{}\n", tally.json()?).as_bytes())?,
        Some(false) => terminal::print(tally.text().as_bytes())?,
        None => tally.skipped().iter().for_each(|line| terminal::note(&format!("gainsay: {line}"))),
    }
    Ok(0)
}

fn make(
    maker: &mut dyn Maker,
    seeds: std::ops::Range<u64>,
    many: bool,
    destination: &Destination,
) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut progress = Progress::new(seeds.end - seeds.start);
    for seed in seeds.clone() {
        let made = maker.make(seed).with_context(|| format!("seed {seed}"))?;
        match made {
            Ok(program) => {
                destination.write(seed, &program)?;
                tally.add(&program);
            }
            // Of many, some may be of no use.
            Err(unusable) if many => tally.skip(unusable.reason),
            Err(unusable) => bail!("seed {seed}: {}: {}", unusable.reason, unusable.detail.trim()),
        }
        progress.done(seed - seeds.start + 1);
    }
    Ok(tally)
}

fn cannot(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}

fn write(folder: &Path, program: &Program) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| cannot(folder))?;
    for file in &program.files {
        let path = folder.join(&file.name);
        fs::write(&path, &file.text).with_context(|| cannot(&path))?;
    }
    // The last one: a folder with `expected` is whole.
    let Some(expected) = &program.expected else { return Ok(()) };
    let path = folder.join("expected");
    fs::write(&path, expected).with_context(|| cannot(&path))
}

/// Counts on a terminal's standard error, at most twice a second.
struct Progress {
    of: u64,
    started: Instant,
    last: Instant,
    shown: bool,
}

impl Progress {
    fn new(of: u64) -> Progress {
        Progress { of, started: Instant::now(), last: Instant::now(), shown: false }
    }

    fn done(&mut self, count: u64) {
        let pause = Duration::from_millis(500);
        if self.started.elapsed() > Duration::from_secs(2) && self.last.elapsed() > pause {
            self.last = Instant::now();
            self.shown = true;
            terminal::status(&format!("gainsay: {count} of {} programs", self.of));
        }
        if self.shown && count == self.of {
            terminal::status("");
        }
    }
}
