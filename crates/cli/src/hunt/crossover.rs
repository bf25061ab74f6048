//! The engine `crossover` as arguments ask for it: libraries, corpora, pipeline.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use campaign::EngineChoice;
use crossover::CrossoverKind;
use crossover::fuzz::{Fuzzer, Options};
use llvmhost::Installed;

use super::options::{Crossovers, Hunt, Verify};
use crate::llvm::{import, libraries, program};
use crate::terminal;

/// The engine; corpora that are not there yet are made.
pub fn choice(args: &Hunt) -> Result<EngineChoice> {
    let Some(corpus) = &args.crossover.corpus.as_ref().map(|corpus| args.here(corpus)) else {
        bail!(
            "--engine crossover needs --corpus DIR: LLVM's tests, such as llvm/test/Transforms of a checkout"
        );
    };
    if !corpus.is_dir() {
        bail!("the folder {} given with --corpus does not exist", corpus.display());
    }
    let is_corpus = corpus.join("imported.json").is_file();
    if is_corpus && args.llvm.lib.len() > 1 {
        bail!(
            "{} is the corpus of one library: name one with --lib, or give the tests",
            corpus.display()
        );
    }
    let mut fuzzers = Vec::new();
    for library in libraries(&args.llvm.lib)? {
        let dir = match is_corpus {
            true => corpus.clone(),
            false => args.folder.dir.join(format!("crossover-{}", library.major)),
        };
        fuzzers.push(Arc::new(ready(args, &library, dir, corpus)?));
    }
    Ok(EngineChoice::Crossover {
        fuzzers,
        passes: args.crossover.passes.clone(),
        program: program()?,
    })
}

fn ready(args: &Hunt, library: &Installed, dir: PathBuf, tests: &Path) -> Result<Fuzzer> {
    let mut options: Options = import::options(&args.crossover.passes);
    options.pipeline.running.verify_each = args.llvm.verify != Some(Verify::End);
    options.kinds = match args.crossover.crossovers {
        Crossovers::Inline => vec![CrossoverKind::Inline],
        Crossovers::Sequence => vec![CrossoverKind::Sequence],
        Crossovers::Both => vec![CrossoverKind::Inline, CrossoverKind::Sequence],
    };
    let fuzzer = import::open(&dir, library, options.clone())?;
    if fuzzer.imported().is_some() {
        return Ok(fuzzer);
    }
    // A part of a corpus, of an import that was stopped, is made anew.
    drop(fuzzer);
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    let fuzzer = import::open(&dir, library, options)?;
    let jobs =
        args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let imported = import::fill(&fuzzer, tests, jobs)?;
    terminal::complain(import::summary(&imported, library.major).trim_end());
    Ok(fuzzer)
}
