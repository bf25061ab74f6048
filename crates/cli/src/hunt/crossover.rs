//! The engine `crossover` as arguments ask for it: libraries, corpora, pipeline.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use campaign::EngineChoice;
use crossover::CrossoverKind;
use crossover::corpus::Corpus;
use crossover::fuzz::{Fuzzer, Options};
use llvmhost::Installed;

use super::options::{Crossovers, Hunt, Verify};
use crate::llvm::{import, libraries, program};
use crate::{human, terminal};

/// The engine; corpora that are not there yet are made.
pub fn choice(args: &Hunt) -> Result<EngineChoice> {
    let Some(corpus) = &args.workload.crossover.corpus.as_ref().map(|corpus| args.here(corpus))
    else {
        bail!(
            "--engine crossover needs --corpus DIR: LLVM's tests, such as llvm/test/Transforms of a checkout"
        );
    };
    if !corpus.is_dir() {
        bail!("the folder {} given with --corpus does not exist", corpus.display());
    }
    let is_corpus = Corpus::is_in(corpus).map_err(|why| anyhow!(why))?;
    if is_corpus && args.workload.llvm.lib.len() > 1 {
        bail!(
            "{} is the corpus of one library: name one with --lib, or give the tests",
            corpus.display()
        );
    }
    let mut fuzzers = Vec::new();
    for library in libraries(&args.workload.llvm.lib)? {
        // What `--corpus` names is only read: the hunt's corpus grows in the folder of the hunt.
        let dir = args.folder.dir.join(format!("crossover-{}", library.folder()));
        fuzzers.push(Arc::new(ready(args, &library, dir, corpus, is_corpus)?));
    }
    Ok(EngineChoice::Crossover {
        fuzzers,
        passes: args.workload.crossover.passes.clone(),
        program: program()?,
    })
}

fn ready(
    args: &Hunt,
    library: &Installed,
    dir: PathBuf,
    given: &Path,
    is_corpus: bool,
) -> Result<Fuzzer> {
    let mut options: Options = import::options(&args.workload.crossover.passes);
    options.pipeline.running.verify_each = args.workload.llvm.verify != Some(Verify::End);
    options.kinds = match args.workload.crossover.crossovers {
        Crossovers::Inline => vec![CrossoverKind::Inline],
        Crossovers::Sequence => vec![CrossoverKind::Sequence],
        Crossovers::Both => vec![CrossoverKind::Inline, CrossoverKind::Sequence],
    };
    let is_there = Corpus::is_in(&dir).unwrap_or(false);
    if !is_there && is_corpus && !is_same(&dir, given) {
        Corpus::copy(given, &dir).with_context(|| dir.display().to_string())?;
    } else if !is_there {
        // A part of a corpus, of an import that was stopped, is made anew.
        Corpus::clear(&dir).with_context(|| dir.display().to_string())?;
    }
    let fuzzer = import::open(&dir, library, options)?;
    if fuzzer.imported().is_some() {
        return measured(fuzzer, &dir);
    }
    let jobs =
        args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let imported = import::fill(&fuzzer, given, jobs)?;
    terminal::complain(import::summary(&imported, library).trim_end());
    Ok(fuzzer)
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(one).is_some_and(|one| Some(one) == real(other))
}

/// The blocks of a corpus are found anew where the library is another build than the one they are of.
fn measured(fuzzer: Fuzzer, dir: &Path) -> Result<Fuzzer> {
    if fuzzer.is_stale() {
        let seeds = fuzzer.account().1;
        terminal::complain(&format!(
            "{} was measured on another build of {}: its {} seeds are run once more",
            dir.display(),
            fuzzer.library.path.display(),
            human::count(seeds as u64)
        ));
        let stop = sandbox::Stop::on_signals();
        let mut tell = |done| terminal::status(&format!("{done} of {seeds} seeds"));
        let done = fuzzer.measure(&mut tell, &|| stop.is_set()).map_err(|why| anyhow!(why))?;
        terminal::status("");
        if done.is_none() {
            bail!("stopped while the corpus was measured");
        }
    }
    Ok(fuzzer)
}
