//! Which compilers a hunt uses: found (`scan`), chosen (`pattern`), and proved to work.

mod pattern;
mod scan;

use std::ffi::OsString;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use sandbox::Scratch;

use crate::config::Config;
use crate::identity::Identity;
use crate::matrix::{self, FlagFamily, FlagTable};
use crate::probe::{CompilerProbe, ModelCheck};
use crate::processor;
use crate::target::{Compiler, Family, Language};

use scan::Candidate;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Compilers that work, in an order that does not change from run to run.
    pub compilers: Vec<Arc<Compiler>>,
    /// Those that were asked for and do not work; and levels and flags that a compiler refuses.
    pub left_out: Vec<LeftOut>,
}

/// A compiler that is not used, or only because it was named.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct LeftOut {
    /// Its name; with flags behind it where only those are left out.
    pub name: String,
    /// Why, as a sentence of its own, without a capital.
    pub why: String,
    /// It stays in the hunt all the same: it was named, and breaks down rather than refuses.
    pub stays: bool,
}

/// Why a survey could not be made: a mistake in what was asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SurveyError {
    /// A pattern without a match.
    #[error("--cc `{pattern}` matches no compiler; found: {there}")]
    NothingMatches {
        /// The pattern.
        pattern: String,
        /// The names that there are.
        there: String,
    },
    /// A path that is no executable.
    #[error("--cc: {path} is not an executable")]
    NoExecutable {
        /// The path.
        path: String,
    },
    /// A pattern with half a quotation.
    #[error("--cc `{pattern}` has an unclosed quote")]
    OpenQuote {
        /// The pattern.
        pattern: String,
    },
}

/// Finds the compilers that `patterns` mean and asks each for its programs, several at a time. A
/// compiler joins without being named if it is for this processor or in `config`: emulated
/// programs are slow. `progress` is told what is going on.
pub fn survey(
    config: &Config,
    patterns: &[String],
    language: Language,
    progress: &mut (dyn FnMut(&str) + Send),
) -> Result<Survey, SurveyError> {
    let chosen = pattern::select(candidates(config), patterns)?;
    let next = AtomicUsize::new(0);
    let progress = Mutex::new(progress);
    let tell = |message: &str| progress.lock().unwrap_or_else(PoisonError::into_inner)(message);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(candidate) = chosen.get(at) else { return done };
            tell(&format!("trying {}", candidate.name));
            done.push((at, examine(candidate, config, language)));
        }
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get()).min(chosen.len());
    let mut results: Vec<(usize, Examined)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    results.sort_by_key(|(at, _)| *at);
    let mut survey = Survey::default();
    for (at, result) in results {
        match result {
            Ok((compiler, refused)) => {
                survey.compilers.push(Arc::new(compiler));
                survey.left_out.extend(refused);
            }
            Err(why) => {
                survey.left_out.push(LeftOut { name: chosen[at].name.clone(), why, stays: false })
            }
        }
    }
    Ok(survey)
}

/// Those of the configuration, then those on the `PATH` that are not the same.
fn candidates(config: &Config) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = config.compilers.iter().map(Candidate::configured).collect();
    for found in scan::scan() {
        let path = found.c.first().map(std::path::PathBuf::from).unwrap_or_default();
        match all.iter_mut().find(|c| c.name == found.name || c.is_file(&path)) {
            Some(same) => same.aliases.extend(found.aliases.into_iter().chain([found.name])),
            None => all.push(found),
        }
    }
    all
}

/// A compiler and the configured flags that it refuses; or why it cannot be used.
type Examined = Result<(Compiler, Vec<LeftOut>), String>;

/// Asks one compiler.
fn examine(candidate: &Candidate, config: &Config, language: Language) -> Examined {
    let scratch = Scratch::new().map_err(|error| format!("no temporary folder: {error}"))?;
    let named = candidate.is_named;
    let mut broken = None;
    let identity = match Identity::ask(&candidate.c, &scratch) {
        Ok(identity) => identity?,
        Err(why) if named => {
            broken = Some(why);
            Identity::unknown()
        }
        Err(why) => return Err(why),
    };
    let runner = match &candidate.runner {
        Some(runner) => runner.clone(),
        None => processor::runner(&identity.triple)?,
    };
    let mut compiler = Compiler {
        family: candidate.family.unwrap_or(identity.family),
        name: candidate.name.clone(),
        version: identity.version,
        triple: identity.triple,
        c: candidate.c.clone(),
        cxx: candidate.cxx.clone(),
        runner,
        levels: Vec::new(),
        extras: Vec::new(),
        drawn: FlagTable::default(),
        lacks: Vec::new(),
    };
    let is_native = processor::is_native(&compiler.triple);
    if !is_native && matches!(compiler.family, Family::Gcc | Family::Clang) {
        // Other processors multiply and add without rounding in between.
        add_flag(&mut compiler, "-ffp-contract=off");
    }
    let ask = |compiler: &Compiler| match &broken {
        Some(why) => Ok(ModelCheck::Broken(why.clone())),
        None => bench(compiler, language, &scratch).map(|bench| bench.model()),
    };
    let mut model = ask(&compiler)?;
    if model == ModelCheck::UnsignedChar {
        add_flag(&mut compiler, "-fsigned-char");
        model = ask(&compiler)?;
    }
    match model {
        ModelCheck::Same => {}
        ModelCheck::UnsignedChar => return Err("its plain char is unsigned".into()),
        // It is what a hunt is for, and every further probe would take as long to fail.
        ModelCheck::Broken(why) if named => {
            let levels = candidate.levels.as_ref().or(config.levels.as_ref());
            compiler.levels = levels.cloned().unwrap_or_else(|| matrix::levels(compiler.family));
            let note = LeftOut { name: compiler.name.clone(), why, stays: true };
            return Ok((compiler, vec![note]));
        }
        ModelCheck::Broken(why) | ModelCheck::Bad(why) => return Err(why),
    }
    let bench = bench(&compiler, language, &scratch)?;
    let lacks = bench.lacks();
    let wanted_levels = candidate.levels.clone().or(config.levels.clone());
    let wanted_levels = wanted_levels.unwrap_or_else(|| matrix::levels(compiler.family));
    let takes = |level: &&String| !bench.refuses(level);
    let levels: Vec<String> = wanted_levels.iter().filter(takes).cloned().collect();
    let wanted_extras = candidate.extras.as_ref().or(config.extras.as_ref());
    let table = || {
        let all = FlagTable::of(compiler.family, is_native);
        all.filtered(|of, rows| accepted_rows(&bench, of, rows))
    };
    let is_default =
        candidate.levels.is_none() && candidate.extras.is_none() && config.draws_by_family();
    let (extras, drawn) = match wanted_extras {
        Some(wanted) => (bench.accepted(wanted), FlagTable::default()),
        // Nobody will draw any.
        None if config.extras_per_test == Some(0) => (Vec::new(), FlagTable::default()),
        None => {
            let table = table();
            (matrix::extras(&table), if is_default { table } else { FlagTable::default() })
        }
    };
    if levels.is_empty() {
        return Err("it accepts none of its levels".into());
    }
    let wanted = wanted_levels.iter().chain(wanted_extras.into_iter().flatten());
    let refused = wanted.filter(|flags| !levels.contains(flags) && !extras.contains(flags));
    let why = "the compiler does not take these flags";
    let left_out = |flags| LeftOut {
        name: format!("{} {flags}", compiler.name),
        why: why.into(),
        stays: false,
    };
    let refused = refused.map(left_out).collect();
    Ok((Compiler { levels, extras, drawn, lacks, ..compiler }, refused))
}

/// Which rows of a family a compiler takes. Of processors it heeds the last alone, so each is asked for by itself.
fn accepted_rows(bench: &CompilerProbe, of: FlagFamily, rows: Vec<String>) -> Vec<String> {
    match of {
        FlagFamily::Processor | FlagFamily::Sanitizer | FlagFamily::WholeProgram => rows
            .into_iter()
            .filter(|row| !bench.accepted(std::slice::from_ref(row)).is_empty())
            .collect(),
        FlagFamily::Plain
        | FlagFamily::Vector
        | FlagFamily::CostModel
        | FlagFamily::Limits
        | FlagFamily::PassesOff
        | FlagFamily::PassesOn
        | FlagFamily::Promises
        | FlagFamily::Profile => bench.accepted(&rows),
    }
}

fn bench<'a>(
    compiler: &'a Compiler,
    language: Language,
    scratch: &'a Scratch,
) -> Result<CompilerProbe<'a>, String> {
    let command = match language {
        Language::C => &compiler.c[..],
        Language::Cxx => compiler.cxx.as_deref().ok_or("it has no C++ compiler beside it")?,
    };
    Ok(CompilerProbe { command, runner: &compiler.runner, language, scratch })
}

fn add_flag(compiler: &mut Compiler, flag: &str) {
    compiler.c.push(OsString::from(flag));
    if let Some(cxx) = &mut compiler.cxx {
        cxx.push(OsString::from(flag));
    }
}

/// Whether a compiler is asked for by name only, for its programs run in an emulator.
pub fn is_emulated(compiler: &Compiler) -> bool {
    !processor::is_native(&compiler.triple)
}
