//! Which compilers a hunt uses: found (`scan`), chosen (`pattern`), and proved to work.

mod pattern;
mod scan;

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use choice::Choices;
use sandbox::{Root, Scratch};

use crate::config::Config;
use crate::cross;
use crate::identity::Identity;
use crate::march;
use crate::matrix::{self, FlagFamily, FlagTable};
use crate::probe::{CompilerProbe, ModelCheck};
use crate::processor;
use crate::runner::{Emulator, Runner};
use crate::target::{Compiler, Family, Language};

use scan::Candidate;
pub use scan::{FoundCompiler, compilers_in};

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

/// Whether a compiler works that is not in any list yet: it as it is used, or why it cannot be, as the end of a
/// sentence.
pub fn try_compiler(
    name: &str,
    commands: (Vec<String>, Option<Vec<String>>),
    language: Language,
) -> Result<Compiler, String> {
    let words = |words: Vec<String>| words.into_iter().map(OsString::from).collect();
    let (c, cxx) = (words(commands.0), commands.1.map(words));
    let candidate = Candidate { name: name.into(), c, cxx, ..Candidate::default() };
    examine(&candidate, &Config::default().without_flags(), language).map(|(compiler, _)| compiler)
}

/// Those of the configuration, then those on the `PATH` that are not the same.
fn candidates(config: &Config) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = config.compilers.iter().map(Candidate::configured).collect();
    if config.only {
        return all;
    }
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
    if let Some(name) = candidate.absent() {
        let advice = cross::package_of(name).map(|package| format!(": apt-get install {package}"));
        return Err(format!("there is no {name} on the PATH{}", advice.unwrap_or_default()));
    }
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
    let root = candidate.c.first().and_then(|program| Root::of(Path::new(program)));
    let family = candidate.family.unwrap_or(identity.family);
    let runner = runner(candidate, &identity.triple)?;
    let mut compiler = Compiler {
        family,
        name: candidate.name.clone(),
        version: identity.version,
        triple: identity.triple,
        checks: identity.checks,
        c: candidate.c.clone(),
        cxx: candidate.cxx.clone(),
        runner,
        abi: None,
        levels: Vec::new(),
        extras: Vec::new(),
        drawn: FlagTable::default(),
        lacks: Vec::new(),
        root,
    };
    let is_native = processor::is_native(&compiler.triple);
    if !is_native && matches!(compiler.family, Family::Gcc | Family::Clang) {
        // Other processors multiply and add without rounding in between.
        add_flag(&mut compiler, "-ffp-contract=off");
        for flag in cross::added_flags(family, &compiler.triple, &candidate.c) {
            add_flag(&mut compiler, flag);
        }
    }
    let is_narrow = candidate.c.iter().any(|word| word == "-m32");
    let is_x86 = processor::is_x86(&compiler.triple);
    if matches!(compiler.family, Family::Gcc | Family::Clang) && is_x86 && (is_narrow || !is_native)
    {
        // The registers of 80 bits round twice.
        add_flag(&mut compiler, "-msse2");
        add_flag(&mut compiler, "-mfpmath=sse");
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
        ModelCheck::Same(abi) => compiler.abi = abi,
        ModelCheck::UnsignedChar => return Err("its plain char is unsigned".into()),
        // It is what a hunt is for, and every further probe would take as long to fail.
        ModelCheck::Broken(why) if named => {
            let levels = candidate.levels.as_ref().or(config.levels.as_ref());
            compiler.levels = levels.cloned().unwrap_or_else(|| matrix::levels(compiler.family));
            let note = LeftOut { name: compiler.name.clone(), why, stays: true };
            return Ok((compiler, vec![note]));
        }
        ModelCheck::Broken(why) | ModelCheck::Bad(why) => {
            let advice = cross::advice(compiler.family, &compiler.triple, &candidate.c, language);
            return Err(match advice {
                Some(advice) => format!("{why}: {advice}"),
                None => why,
            });
        }
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
    let mut choices = Choices::new(config.march_seed).fork(&compiler.name);
    let marches = march::draw(&compiler.triple, candidate.random_march, &mut choices);
    let asked = wanted_extras.into_iter().flatten().chain(&marches).cloned();
    let (mut extras, not_run) = bench.accepted(&asked.collect::<Vec<String>>());
    let mut drawn = FlagTable::default();
    // With no set for a test nobody will draw any.
    if wanted_extras.is_none() && config.extras_per_test != Some(0) {
        let table = table();
        let more = matrix::extras(&table);
        if is_default {
            drawn = table.with(FlagFamily::Processor, &extras);
        }
        extras.extend(more);
    }
    if levels.is_empty() {
        return Err("it accepts none of its levels".into());
    }
    let wanted = wanted_levels.iter().chain(wanted_extras.into_iter().flatten());
    let refused = wanted.filter(|flags| !levels.contains(flags) && !extras.contains(flags));
    let why =
        |flags: &String| not_run.iter().find(|(set, _)| set == flags).map(|(_, why)| why.clone());
    let left_out = |flags: &String| LeftOut {
        name: format!("{} {flags}", compiler.name),
        why: why(flags).unwrap_or_else(|| "the compiler does not take these flags".into()),
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
            .filter(|row| !bench.accepted(std::slice::from_ref(row)).0.is_empty())
            .collect(),
        FlagFamily::Plain
        | FlagFamily::Vector
        | FlagFamily::CostModel
        | FlagFamily::Limits
        | FlagFamily::PassesOff
        | FlagFamily::PassesOn
        | FlagFamily::Promises
        | FlagFamily::Profile => bench.accepted(&rows).0,
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
    let root = compiler.root.as_ref();
    Ok(CompilerProbe { command, runner: &compiler.runner, root, language, scratch })
}

/// What runs the programs of a candidate, whose triple this is.
fn runner(candidate: &Candidate, triple: &str) -> Result<Runner, String> {
    let runner = match &candidate.runner {
        Some(runner) => runner.clone(),
        None if processor::is_foreign_system(triple) && candidate.is_named => Runner::CompileOnly,
        None => processor::runner(triple, &candidate.c, &candidate.cpu)?,
    };
    Ok(match runner {
        Runner::Emulator(emulator) if !candidate.runners.is_empty() => {
            Runner::Emulator(Emulator { by_flag: candidate.runners.clone(), ..emulator })
        }
        // Some flags need an emulator, and others do not.
        Runner::Native if !candidate.runners.is_empty() => Runner::Emulator(Emulator {
            by_flag: candidate.runners.clone(),
            ..Emulator::fixed(Vec::new())
        }),
        runner => runner,
    })
}

fn add_flag(compiler: &mut Compiler, flag: impl Into<OsString>) {
    let flag = flag.into();
    compiler.c.push(flag.clone());
    if let Some(cxx) = &mut compiler.cxx {
        cxx.push(flag);
    }
}

/// Whether a compiler is asked for by name only, for its programs run in an emulator.
pub fn is_emulated(compiler: &Compiler) -> bool {
    !processor::is_native(&compiler.triple)
}
