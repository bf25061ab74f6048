//! `gainsay llvm minimise`: a corpus without the seeds that reach nothing of their own.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use clap::Args as ClapArgs;
use crossover::corpus::Corpus;
use crossover::minimise::minimise;
use llvmhost::{Server, Setup};

use super::{Library, import, program};
use crate::{human, terminal};

/// Copy a corpus without the seeds that reach nothing of their own
///
/// The smallest seeds come first: what they reach, larger ones need not. The result is a corpus of the same
/// library, which `gainsay hunt --engine crossover --corpus` takes.
#[derive(ClapArgs, Debug)]
#[command(after_long_help = HELP)]
pub struct Minimise {
    /// The corpus.
    #[arg(value_name = "CORPUS")]
    pub corpus: PathBuf,
    #[command(flatten)]
    pub library: Library,
    /// Write the small corpus to this folder.
    #[arg(short = 'o', long, value_name = "DIR")]
    pub output: PathBuf,
    /// The pipeline in which blocks are reached.
    #[arg(long, value_name = "P", default_value = "default<O3>")]
    pub passes: String,
}

const HELP: &str = "\
Examples:
  gainsay llvm minimise corpus --lib 16 -o small-corpus";

/// Between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(20);

/// Runs the command.
pub fn main(args: &Minimise) -> Result<u8> {
    let imported = args.corpus.join("imported.json");
    if !Corpus::is_in(&args.corpus).map_err(|why| anyhow!(why))? {
        bail!("{} holds no corpus: `gainsay llvm import` makes one", args.corpus.display());
    }
    if args.output.join("imported.json").exists() {
        bail!("{} holds a corpus already: give another folder", args.output.display());
    }
    let library = args.library.find()?;
    let from = Corpus::open(&args.corpus)?;
    let mut to = Corpus::open(&args.output)?;
    let setup = Setup {
        library: library.path.clone(),
        major: library.major,
        coverage: true,
        ..Setup::default()
    };
    let mut server = Server::start(&program()?, &setup).map_err(|e| anyhow!(e))?;
    let image = coverage::Image::read(&library.path)?;
    let stop = sandbox::Stop::on_signals();
    let mut last = Instant::now();
    let mut tell = |done: usize, kept: usize| {
        let line = format!("{done} of {} seeds, {kept} kept", from.len());
        terminal::status(&line);
        if last.elapsed() > LINE_EVERY && !terminal::is_live() {
            terminal::complain(&format!("gainsay: {line}"));
            last = Instant::now();
        }
        !stop.is_set()
    };
    let pipeline = import::options(&args.passes).pipeline;
    let limits = args.library.limits();
    let known = minimise(&from, &mut to, &mut server, &image, &pipeline, limits, &mut tell)?;
    terminal::status("");
    if stop.is_set() {
        bail!("stopped; {} is not whole", args.output.display());
    }
    std::fs::copy(&imported, args.output.join("imported.json"))?;
    let text = format!(
        "{} of {}, which reach {} blocks\n",
        human::count(to.len() as u64),
        human::plural(from.len() as u64, "seed"),
        human::count(known.len() as u64)
    );
    terminal::print(text.as_bytes())?;
    Ok(0)
}
