//! `gainsay llvm coverage`: which blocks of a libLLVM modules reach on their way through a pipeline.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args as ClapArgs;
use coverage::{Baseline, Image, Reached, Set};
use llvmhost::{CoverageMethod, Frame, Ran, Running, Server, Setup};
use optimise::verdict::Verdict;
use optimise::work::{Item, Pipeline};
use serde::Serialize;

use super::{Library, opt, program, tame};
use crate::coverage::{ImageObject, image_object, image_text};
use crate::{human, terminal};

/// Modules that are handed over together.
const BATCH: usize = 32;

/// Show how much of a libLLVM modules reach on their way through a pipeline
///
/// Counts the basic blocks of the library that run: a stock one, without debug information or a special
/// build. Against a baseline it tells what is new. The library's own start does not count.
#[derive(ClapArgs, Debug)]
#[command(after_long_help = HELP)]
pub struct Coverage {
    /// The modules, LLVM IR as text or bitcode; `-` is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    library: Library,
    /// What to run, as for `opt -passes=`.
    #[arg(long, value_name = "P", default_value = "default<O3>")]
    passes: String,
    /// Compare with what this file has.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the baseline and what was reached, together, to this file.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// List functions, those with most new blocks first; all blocks count as new without a baseline.
    #[arg(long)]
    functions: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
A library that was built with -fsanitize-coverage=inline-8bit-counters tells its features in place of
blocks, and takes no baseline. Baselines are those of `gainsay coverage`.

Exit status:
  0   measured, whatever became of the modules; that is told
  2   a mistake in the arguments, no such library, or not one valid module

Examples:
  gainsay llvm coverage before.ll after.ll --lib 16 --passes 'default<O3>' --save base
  gainsay llvm coverage test.ll --lib 16 --baseline base --functions | head -20
  gainsay llvm coverage test.ll --json | jq '.images[0].reached'";

/// What became of modules, as one JSON object. Fields are added, never renamed.
#[derive(Default, Serialize)]
struct CoverageObject {
    /// How many there were.
    modules: usize,
    /// Those that are no valid modules, or there is no such pass.
    refused: usize,
    /// Those on which LLVM crashed, hung or made invalid IR.
    faults: usize,
    /// The version of the library.
    llvm: String,
    images: Vec<ImageObject>,
}

/// Runs the command.
pub fn main(args: &Coverage) -> Result<u8> {
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let found = args.library.find()?;
    let image = Image::read(&found.path)?;
    let setup =
        Setup { library: found.path, major: found.major, coverage: true, ..Setup::default() };
    let mut server = Server::start(&program()?, &setup).map_err(|e| anyhow!(e))?;
    let counts = server.watch == CoverageMethod::Counters;
    if counts && (args.baseline.is_some() || args.save.is_some()) {
        bail!("{} counts itself: there is no baseline of its features", setup.library.display());
    }
    let mut report = CoverageObject { llvm: server.release.clone(), ..CoverageObject::default() };
    let mut reached = Set::new();
    for files in args.files.chunks(BATCH) {
        run(args, &mut server, files, &mut report, &mut reached)?;
    }
    if report.refused == report.modules {
        bail!("nothing was optimised");
    }
    let reached = match counts {
        false => Reached { image, blocks: reached, features: Set::new() },
        true => Reached { image, blocks: Set::new(), features: reached },
    };
    let mut object = image_object(&reached, baseline.as_ref(), args.functions && !counts)?;
    if counts {
        object.blocks = server.blocks as usize;
        object.reached = reached.features.iter().map(|feature| feature / 8).collect::<Set>().len();
    }
    for function in object.functions.iter_mut().flatten() {
        let (start, name) = (function.address, function.name.take());
        function.name = name.map(|symbol| Frame { start, symbol }.name());
    }
    report.images.push(object);
    if let Some(path) = &args.save {
        let mut baseline = baseline.unwrap_or_default();
        baseline.add(&reached.image, &reached.blocks)?;
        baseline.write(path)?;
    }
    let text = if args.json { serde_json::to_string(&report)? + "\n" } else { text(&report) };
    terminal::print(text.as_bytes())?;
    Ok(0)
}

fn run(
    args: &Coverage,
    server: &mut Server,
    files: &[PathBuf],
    report: &mut CoverageObject,
    reached: &mut Set,
) -> Result<()> {
    let mut items = Vec::new();
    for file in files {
        let (bytes, name) = opt::read(file)?;
        let pipeline = Pipeline::of(&args.passes, Running::default());
        let module = bytes;
        items.push(Item::Optimise { module, name, pipeline, x86: true, print: false }.bytes());
    }
    let all: Vec<Ran> = server.run(items, args.library.limits(), false)?;
    for (file, ran) in files.iter().zip(all) {
        report.modules += 1;
        let why = match Verdict::of(&ran) {
            Verdict::Fine(_) => None,
            Verdict::Trouble(words) => bail!("a bug of ours, please report it: {words}"),
            Verdict::Refused(words) => {
                report.refused += 1;
                Some(words)
            }
            Verdict::Fault(signature) => {
                report.faults += 1;
                Some(signature.summary)
            }
        };
        if let Some(why) = why {
            terminal::complain(&format!("gainsay: {}: {}", file.display(), tame(&why)));
        }
        reached.extend(ran.blocks);
    }
    Ok(())
}

fn text(report: &CoverageObject) -> String {
    let mut text =
        format!("{} through LLVM {}", human::plural(report.modules as u64, "module"), report.llvm);
    for (count, what) in [(report.refused, "refused"), (report.faults, "at fault")] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    text.push('\n');
    report.images.iter().for_each(|image| text.push_str(&image_text(image)));
    text
}
