//! From arguments to a plan: every mistake a person can make here is told in one sentence.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use campaign::{EmiOptions, EngineChoice, Plan, SmithOptions, Store, TargetChoice};
use llvmhost::Installed;
use oracle::Limits;
use toolchain::{Compiler, Config, Language};

use super::options::{Hunt, HuntEngine, ProgramEngine, Validate};
use super::passes::ByProgram;
use super::{Setting, Tested, crossover, passes};
use crate::engines::{self, Lang};
use crate::{human, terminal};

/// The configuration that is read unasked.
const CONFIG: &str = "gainsay.toml";

/// The plan, and what is to be said of it.
pub fn plan(args: &Hunt) -> Result<(Plan, Setting)> {
    if args.jobs == Some(0) {
        bail!("--jobs must be at least 1");
    }
    if args.tests == Some(0) {
        bail!("--tests must be at least 1");
    }
    let language = match args.workload.lang {
        Lang::C => Language::C,
        Lang::Cxx => Language::Cxx,
    };
    args.workload.check_engines()?;
    let dir = &args.folder.dir;
    if dir.exists() && !dir.is_dir() {
        bail!("{} is not a folder: give another one with --hunt", dir.display());
    }
    Store::check(dir)?;
    let engines = engine_choices(args, language)?;
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or_else(processors);
    let needed = engines.iter().any(EngineChoice::needs_compilers);
    let found = match needed && args.servers().is_empty() {
        true => {
            let file = args.workload.config.as_ref().map(|file| args.here(file));
            find_compilers(&configuration(file.as_deref())?, &args.workload.cc, language)?
        }
        // Nobody needs them, or workers have them.
        false => Compilers::none(),
    };
    let tested = |c: &Arc<Compiler>| Tested {
        name: c.name.clone(),
        version: c.version.clone(),
        triple: c.triple.clone(),
    };
    let fuzzers = engines.iter().find_map(|engine| match engine {
        EngineChoice::Crossover { fuzzers, .. } => Some(fuzzers.clone()),
        _ => None,
    });
    let fuzzers = fuzzers.unwrap_or_default();
    let sequenced = engines.iter().filter_map(|engine| match engine {
        EngineChoice::Passes { options, .. } => Some(&options.libraries),
        _ => None,
    });
    let sequenced: Vec<Installed> = sequenced.flatten().cloned().collect();
    let crossed = fuzzers.iter().map(|fuzzer| of_library(&fuzzer.library));
    let tested = found.compilers.iter().map(tested).chain(crossed);
    let tested = tested.chain(sequenced.iter().map(of_library)).collect();
    let setting = Setting {
        out: dir.to_string_lossy().into_owned(),
        resume: resume(args, std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned())),
        compilers: tested,
        fuzzers,
        sequenced,
        engines: args.workload.engine.iter().map(engines::name).collect(),
        language,
        jobs,
        cluster: args.servers().len(),
        baseline: None,
    };
    let plan = Plan {
        engines,
        seed: args.seed,
        time: args.time,
        tests: args.tests,
        jobs,
        out: dir.clone(),
        language,
        compilers: found.compilers,
        targets: found.targets,
        baseline: None,
        limits: found.limits,
        study: !args.output.no_reduce,
    };
    Ok((plan, setting))
}

fn of_library(library: &Installed) -> Tested {
    Tested {
        name: format!("libLLVM-{}", library.name()),
        version: library.version_and_build(),
        triple: llvmhost::X86_64.to_string(),
    }
}

fn engine_choices(args: &Hunt, language: Language) -> Result<Vec<EngineChoice>> {
    let mut choices = Vec::new();
    for &engine in &args.workload.engine {
        if language == Language::Cxx && engine != HuntEngine::Yarp {
            bail!("--engine {} makes C only: leave it out, or --lang c++", engines::name(&engine));
        }
        choices.push(match engine {
            HuntEngine::Yarp => programs(args, ProgramEngine::Yarp, Use::Tests)?,
            HuntEngine::Smith => programs(args, ProgramEngine::Smith, Use::Tests)?,
            HuntEngine::Csmith => programs(args, ProgramEngine::Csmith, Use::Tests)?,
            HuntEngine::Files => programs(args, ProgramEngine::Files, Use::Tests)?,
            HuntEngine::Emi => EngineChoice::Emi(variants(args)?),
            HuntEngine::Crossover => crossover::choice(args)?,
            HuntEngine::Passes => {
                passes::choice(args, &|engine| programs(args, engine, Use::Passes))?
            }
        });
    }
    Ok(choices)
}

/// What programs are made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// Compilers.
    Tests,
    /// Variants.
    Emi,
    /// Sequences of passes.
    Passes,
}

/// The policy of yarp. Programs that meet thousands of sequences are better small, unless something else is asked for.
fn policy_name(args: &Hunt, purpose: Use) -> &str {
    let asked = args.workload.given.has("--policy") || args.workload.has(HuntEngine::Yarp);
    if purpose == Use::Passes && !asked { "small" } else { &args.workload.yarp.policy }
}

/// An engine that makes C programs.
fn programs(args: &Hunt, engine: ProgramEngine, purpose: Use) -> Result<EngineChoice> {
    let eager = args.workload.eager && purpose == Use::Tests;
    Ok(match engine {
        ProgramEngine::Yarp => {
            let name = policy_name(args, purpose);
            EngineChoice::Yarp {
                policy: Box::new(engines::policy(&args.named(name))?),
                name: name.into(),
            }
        }
        ProgramEngine::Smith => EngineChoice::Smith(SmithOptions {
            bounds: engines::bounds(&args.named(&args.workload.smith.relax))?,
            features: args.workload.smith.features.0.clone(),
            keep_checks: args.workload.smith_tests.keep_checks,
            as_drawn: args.workload.smith_tests.as_drawn,
            eager,
            validate: match args.workload.smith_tests.validate {
                Validate::External if purpose == Use::Tests => campaign::Validate::External,
                Validate::External | Validate::Machine => campaign::Validate::Machine,
            },
        }),
        ProgramEngine::Csmith => EngineChoice::Csmith {
            options: Vec::new(),
            relax_arith: args.workload.relax_arith,
            eager,
            swarm: purpose == Use::Passes
                && args.workload.sequences.programs_by == ByProgram::Swarm,
        },
        ProgramEngine::Files => {
            let option = if purpose == Use::Tests { "--engine files" } else { "--programs files" };
            let (from, include) = folder(args, option)?;
            EngineChoice::Files { from, include }
        }
    })
}

/// The folder of programs that an option needs, and their headers'.
fn folder(args: &Hunt, option: &str) -> Result<(PathBuf, Vec<PathBuf>)> {
    let Some(from) = args.workload.files.from.as_ref().map(|from| args.here(from)) else {
        bail!("{option} needs --from DIR, the folder of your programs");
    };
    let include: Vec<PathBuf> =
        args.workload.files.include.iter().map(|dir| args.here(dir)).collect();
    if !from.is_dir() {
        bail!("the folder {} given with --from does not exist", from.display());
    }
    for dir in &include {
        if !dir.is_dir() {
            bail!("the header folder {} given with -I does not exist", dir.display());
        }
    }
    Ok((from, include))
}

fn variants(args: &Hunt) -> Result<EmiOptions> {
    if args.workload.emi.variants == 0 {
        bail!("--variants must be at least 1");
    }
    let mut options = EmiOptions::default();
    let seeds = match args.workload.emi_programs() {
        // Those that are here, with what was asked of each.
        [] => [ProgramEngine::Yarp, ProgramEngine::Smith, ProgramEngine::Csmith]
            .into_iter()
            .take(options.seeds.len())
            .collect(),
        asked => asked.to_vec(),
    };
    options.seeds =
        seeds.into_iter().map(|engine| programs(args, engine, Use::Emi)).collect::<Result<_>>()?;
    let (strategies, variants) = (args.workload.emi.strategy.clone(), args.workload.emi.variants);
    Ok(EmiOptions { strategies, variants, ..options })
}

/// Compilers and how they are to be used.
#[derive(Debug)]
pub struct Compilers {
    /// Those that work.
    pub compilers: Vec<Arc<Compiler>>,
    /// How each test's targets are chosen.
    pub targets: TargetChoice,
    /// Limits.
    pub limits: Limits,
}

impl Compilers {
    fn none() -> Compilers {
        let targets = TargetChoice { extras_per_test: 0, targets_per_test: None };
        Compilers { compilers: Vec::new(), targets, limits: Limits::default() }
    }
}

/// Finds the compilers that were asked for, says which were left out and why. They are for programs that are tried
/// at all levels: it takes seconds to find out which flags a compiler takes.
pub fn compilers(
    config: Option<&Path>,
    patterns: &[String],
    language: Language,
) -> Result<Compilers> {
    let config = Config { extras_per_test: Some(0), ..configuration(config)? };
    find_compilers(&config, patterns, language)
}

fn find_compilers(config: &Config, patterns: &[String], language: Language) -> Result<Compilers> {
    let mut tell = |what: &str| terminal::status(what);
    let survey = toolchain::survey(config, patterns, language, &mut tell);
    terminal::status("");
    let survey = survey?;
    for left in &survey.left_out {
        let what = if left.stays { "does not work, and stays in" } else { "left out" };
        terminal::note(&format!("gainsay: {what}: {}: {}", left.name, left.why));
    }
    if survey.compilers.is_empty() {
        bail!(
            "no compiler that works was found: install one (on Debian: apt-get install gcc \
             libc6-dev), or name one with --cc"
        );
    }
    Ok(Compilers {
        compilers: survey.compilers,
        targets: TargetChoice {
            extras_per_test: config.extras_per_test(),
            targets_per_test: Some(config.targets_per_test),
        },
        limits: limits(config),
    })
}

fn configuration(asked: Option<&Path>) -> Result<Config> {
    match config_file(asked) {
        Some(path) => Ok(Config::read(&path)?),
        None => Ok(Config::default()),
    }
}

/// The configuration that is read: the one that was asked for, or one that is there.
pub fn config_file(asked: Option<&Path>) -> Option<PathBuf> {
    let unasked = || Some(PathBuf::from(CONFIG)).filter(|path| path.is_file());
    asked.map(Path::to_path_buf).or_else(unasked)
}

/// Time of the clock is allowed in the same proportion to processor time as it is by default.
fn limits(config: &Config) -> Limits {
    let mut limits = Limits::default();
    let said = &config.limits;
    if let Some(seconds) = said.compile_seconds {
        limits.compile_wall =
            limits.compile_wall.mul_f64(seconds as f64 / limits.compile_cpu.as_secs_f64());
        limits.compile_cpu = Duration::from_secs(seconds);
    }
    if let Some(seconds) = said.run_seconds {
        limits.run_wall = limits.run_wall.mul_f64(seconds as f64 / limits.run_cpu.as_secs_f64());
        limits.run_cpu = Duration::from_secs(seconds);
    }
    if let Some(megabytes) = said.memory_mb {
        limits.memory = megabytes << 20;
    }
    limits
}

/// A word of a command, for a log that others may read: addresses without what is secret in them.
fn without_secrets(word: &str) -> String {
    let plain = |part: &str| {
        let secret = part.split_once("://").and_then(|(scheme, rest)| {
            let (_, host) = rest.rsplit_once('@')?;
            Some(format!("{scheme}://SECRET@{host}"))
        });
        secret.unwrap_or_else(|| part.to_string())
    };
    word.split(',').map(plain).collect::<Vec<_>>().join(",")
}

/// The command that was typed, to go on: without a number of tests, which the folder now has, and without
/// passwords.
fn resume(args: &Hunt, words: impl Iterator<Item = String>) -> String {
    let mut line = String::new();
    let mut skip = false;
    for word in words {
        if std::mem::take(&mut skip) || word.starts_with("--tests=") {
            continue;
        }
        if word == "--tests" {
            skip = true;
            continue;
        }
        line += if line.is_empty() { "" } else { " " };
        line += &human::quote(&without_secrets(&word));
    }
    match args.workload.given.has("--hunt") {
        true => format!("gainsay {line}"),
        false => args.folder.command(&line),
    }
}

#[cfg(test)]
mod tests {
    use crate::args::{Command, parse};

    #[test]
    fn the_command_to_go_on() {
        let typed =
            ["gainsay", "hunt", "--tests", "5", "--cc", "gcc*", "--tests=7", "--for", "10m"];
        let words = ["gainsay", "hunt", "--hunt", "out"].map(Into::into);
        let Ok(Command::Hunt(hunt)) = parse(&words).map(|args| args.command) else { panic!() };
        let line = super::resume(&hunt, typed.into_iter().skip(1).map(String::from));
        assert_eq!(line, "gainsay hunt --cc 'gcc*' --for 10m");
    }

    #[test]
    fn passwords_are_not_echoed() {
        let words = ["gainsay", "hunt", "--hunt", "out"].map(Into::into);
        let Ok(Command::Hunt(hunt)) = parse(&words).map(|args| args.command) else { panic!() };
        for (typed, shown) in [
            ("nats://user:p@ss@head:4222", "nats://SECRET@head:4222"),
            ("nats://token@a,tls://b:4222", "nats://SECRET@a,tls://b:4222"),
            ("--cluster=nats://user:pass@head", "--cluster=nats://SECRET@head"),
            ("nats://head:4222", "nats://head:4222"),
            ("me@here", "me@here"),
        ] {
            let line = super::resume(&hunt, ["hunt", typed].map(String::from).into_iter());
            assert!(line.ends_with(&format!(" {}", crate::human::quote(shown))), "{line}");
        }
    }
}
