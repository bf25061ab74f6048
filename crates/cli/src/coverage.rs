//! `gainsay coverage`: which basic blocks of a compiler a command reaches.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use coverage::{Baseline, Image, Options, Reached, Set, TraceReport, trace};
use sandbox::Status;
use serde::Serialize;

use crate::{human, terminal};

/// Show how much of a compiler a command reaches
///
/// Runs the command and counts the basic blocks that run in every file it executes: stock binaries,
/// without debug information or a special build. Against a baseline it tells what is new.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Coverage {
    /// Compare with what this file has.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the baseline and what this run reached, together, to this file.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Shared libraries, too: most of clang is in libLLVM.
    #[arg(long)]
    libs: bool,
    /// List functions, those with most new blocks first; all blocks count as new without a baseline.
    #[arg(long)]
    functions: bool,
    /// Only files of this name, without folders: cc1, libLLVM-16.so.1. May be given more than once.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Kill the command after this time: 90s, 10m.
    #[arg(long, value_name = "TIME", value_parser = human::duration)]
    timeout: Option<Duration>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

const HELP: &str = "\
The command has the standard streams of this one; what was reached is printed on standard output when it
has ended. Each block that runs for the first time costs some microseconds, so a compiler takes a second
or two. A file that was built with -fsanitize-coverage=inline-8bit-counters also tells its features.

Exit status:
  0   measured, however the command ended; that is told
  2   a mistake in the arguments, or the command cannot be run

Examples:
  gainsay coverage -- gcc-12 -O2 -c prog.c
  gainsay coverage --only cc1 --save base -- gcc-12 -O2 -c prog.c
  gainsay coverage --only cc1 --baseline base --functions -- gcc-12 -O3 -c prog.c | head -20
  gainsay coverage --libs --only libLLVM-16.so.1 -- clang-16 -O2 -c prog.c
  gainsay coverage --json -- gcc-12 -S prog.c | jq '.images[] | {path, reached}'
  for f in tests/*.c; do gainsay coverage --baseline base --save base -- gcc-12 -O2 -c $f; done";

/// Runs the command; the exit status.
pub fn main(args: &Coverage) -> Result<u8> {
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let (program, rest) = args.command.split_first().context("there is no command")?;
    let options = Options {
        libs: args.libs,
        only: args.only.clone(),
        wall: args.timeout.unwrap_or(Duration::MAX),
    };
    let report = trace(program, rest, &options)
        .with_context(|| format!("cannot trace {}", program.to_string_lossy()))?;
    if report.images.is_empty() {
        bail!("{}", nothing(&report));
    }
    let told = report
        .images
        .iter()
        .map(|reached| image_object(reached, baseline.as_ref(), args.functions));
    let told = told.collect::<Result<Vec<_>>>()?;
    if let Some(path) = &args.save {
        let mut baseline = baseline.unwrap_or_default();
        for reached in &report.images {
            baseline.add(&reached.image, &reached.blocks)?;
        }
        baseline.write(path)?;
    }
    let text = if args.json {
        serde_json::to_string(&object(&report, told))? + "\n"
    } else {
        text(&report, &told)
    };
    terminal::print(text.as_bytes())?;
    Ok(0)
}

/// Why nothing was traced.
fn nothing(report: &TraceReport) -> String {
    let names: Vec<_> = report.others.iter().map(|path| path.display().to_string()).collect();
    match names.is_empty() {
        true => "nothing was traced: the command executed no x86-64 ELF file".into(),
        false => format!("nothing was traced; what the command executed: {}", names.join(", ")),
    }
}

/// A run as one JSON object. Fields are added, never renamed.
#[derive(Serialize)]
struct RunObject {
    /// The command's exit status; null if a signal ended it.
    exit: Option<u8>,
    /// The signal that ended it.
    signal: Option<i32>,
    /// Whether --timeout ended it.
    late: bool,
    images: Vec<ImageObject>,
}

/// What was reached of a file.
#[derive(Serialize)]
pub struct ImageObject {
    pub path: PathBuf,
    pub build_id: String,
    /// All blocks of the file.
    pub blocks: usize,
    /// Those that ran.
    pub reached: usize,
    /// Those that ran and are not in the baseline; null without one.
    pub new: Option<usize>,
    /// Features of a file that counts itself.
    pub features: usize,
    /// Functions, with --functions only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<Vec<FunctionObject>>,
}

/// What was reached of a function.
#[derive(Serialize)]
pub struct FunctionObject {
    /// Its symbol; null where there is none.
    pub name: Option<String>,
    /// Its address in the file.
    pub address: u64,
    pub reached: usize,
    pub new: usize,
}

fn object(report: &TraceReport, images: Vec<ImageObject>) -> RunObject {
    let (exit, signal) = match report.status {
        Status::Exit(status) => (Some(status), None),
        Status::Signal(signal) => (None, Some(signal)),
    };
    RunObject { exit, signal, late: report.late, images }
}

/// What there is to tell of a file, against a baseline, with its functions if they are wanted.
pub fn image_object(reached: &Reached, base: Option<&Baseline>, list: bool) -> Result<ImageObject> {
    let Reached { image, blocks, features } = reached;
    let known = base.map(|base| base.get(image)).transpose()?;
    let new = match known.flatten() {
        Some(known) => blocks.difference(known),
        None => blocks.clone(),
    };
    Ok(ImageObject {
        path: image.path().to_path_buf(),
        build_id: image.build_id().into(),
        blocks: image.leaders().len(),
        reached: blocks.len(),
        new: base.map(|_| new.len()),
        features: features.len(),
        functions: list.then(|| functions(image, blocks, &new)),
    })
}

/// The functions with new blocks, most first.
fn functions(image: &Image, blocks: &Set, new: &Set) -> Vec<FunctionObject> {
    let count = |set: &Set| {
        let mut counts = BTreeMap::new();
        for block in set.iter() {
            let leader = image.leaders().get(block as usize);
            if let Some((start, _)) = leader.and_then(|&leader| image.function_of(leader)) {
                *counts.entry(start).or_insert(0) += 1;
            }
        }
        counts
    };
    let (reached, new) = (count(blocks), count(new));
    let mut functions: Vec<FunctionObject> = new
        .into_iter()
        .map(|(address, new)| FunctionObject {
            name: image.function_of(address).and_then(|(_, name)| name).map(String::from),
            address,
            reached: reached.get(&address).copied().unwrap_or(0),
            new,
        })
        .collect();
    functions.sort_by_key(|function| std::cmp::Reverse(function.new));
    functions
}

fn text(report: &TraceReport, images: &[ImageObject]) -> String {
    let mut text = String::new();
    let _ = match (report.late, report.status) {
        (true, _) => writeln!(text, "the command was killed: it took too long"),
        (false, Status::Exit(status)) => writeln!(text, "the command exited with status {status}"),
        (false, Status::Signal(signal)) => writeln!(text, "signal {signal} ended the command"),
    };
    images.iter().for_each(|image| text.push_str(&image_text(image)));
    text
}

/// A file's line, and one for each of its functions.
pub fn image_text(image: &ImageObject) -> String {
    let mut text = String::new();
    let count = |n: usize| human::count(n as u64);
    let (reached, all) = (count(image.reached), count(image.blocks));
    let share = 100.0 * image.reached as f64 / image.blocks.max(1) as f64;
    let _ = write!(text, "{}: {reached} of {all} blocks ({share:.1} %)", image.path.display());
    if let Some(new) = image.new {
        let _ = write!(text, ", {} new", count(new));
    }
    if image.features > 0 {
        let _ = write!(text, ", {} features", count(image.features));
    }
    text.push('\n');
    for function in image.functions.iter().flatten() {
        let name = function.name.clone().unwrap_or_else(|| format!("{:#x}", function.address));
        let _ = writeln!(text, "{:>8}  {name}", count(function.new));
    }
    text
}
