//! From arguments to a plan: every mistake a person can make here is told in one sentence.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use campaign::{EmiOptions, EmiSeeds, EngineChoice, Plan, SmithOptions};
use llvmhost::Installed;
use oracle::Limits;
use toolchain::{Compiler, Config, Language};

use super::passes::ByProgram;
use super::{Setting, Tested, crossover, passes};
use crate::args::{Hunt, HuntEngine, Lang, Mutations, Validate};
use crate::{generate, smith, terminal, words};

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
    let language = match args.lang {
        Lang::C => Language::C,
        Lang::Cxx => Language::Cxx,
    };
    let of_llvm =
        |engine: &HuntEngine| matches!(engine, HuntEngine::Crossover | HuntEngine::Passes);
    if !args.cc.is_empty() && args.engine.iter().all(of_llvm) {
        bail!("--cc is for engines of C programs: crossover and passes test --lib");
    }
    let engines = engines(args, language)?;
    if args.out.exists() && !args.out.is_dir() {
        bail!("{} is not a folder: give another one with --out", args.out.display());
    }
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or_else(processors);
    let needed = engines.iter().any(EngineChoice::needs_compilers);
    let found = match needed && args.cluster.cluster.is_empty() {
        true => compilers(
            args.config.as_ref().map(|file| args.here(file)).as_deref(),
            &args.cc,
            language,
        )?,
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
        out: args.out.to_string_lossy().into_owned(),
        again: again(std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned())),
        compilers: tested,
        fuzzers,
        sequenced,
        engines: args.engine.iter().map(|engine| name(*engine).to_string()).collect(),
        language,
        jobs,
        cluster: args.cluster.cluster.len(),
    };
    let plan = Plan {
        engines,
        seed: args.seed,
        time: args.time,
        tests: args.tests,
        jobs,
        out: args.out.clone(),
        language,
        compilers: found.compilers,
        extras_per_test: found.extras_per_test,
        limits: found.limits,
        study: !args.no_reduce,
    };
    Ok((plan, setting))
}

fn of_library(library: &Installed) -> Tested {
    Tested {
        name: format!("libLLVM-{}", library.major),
        version: library.major.to_string(),
        triple: llvmhost::X86_64.to_string(),
    }
}

fn name(engine: HuntEngine) -> &'static str {
    match engine {
        HuntEngine::Yarp => "yarp",
        HuntEngine::Smith => "smith",
        HuntEngine::Csmith => "csmith",
        HuntEngine::Files => "files",
        HuntEngine::Emi => "emi",
        HuntEngine::Crossover => "crossover",
        HuntEngine::Passes => "passes",
    }
}

fn engines(args: &Hunt, language: Language) -> Result<Vec<EngineChoice>> {
    let asked = |engine| args.engine.contains(&engine);
    // Whose options may be given: those of the engine of programs that passes uses count too.
    let asked =
        |engine| asked(engine) || asked(HuntEngine::Passes) && args.sequences.programs == engine;
    let files = asked(HuntEngine::Files) || asked(HuntEngine::Emi);
    if args.from.is_some() && !files {
        bail!("--from is for --engine files and emi: add one, or leave --from out");
    }
    if !args.include.is_empty() && !files {
        bail!("-I is for --engine files and emi: add one, or leave -I out");
    }
    let emis = [
        (!args.mutate.is_empty(), "--mutate"),
        (args.strategy != emi::Strategies::default(), "--strategy"),
        (args.variants != EmiOptions::default().variants, "--variants"),
    ];
    if let Some((_, option)) = emis.iter().find(|(given, _)| *given && !asked(HuntEngine::Emi)) {
        bail!("{option} is for --engine emi: add that, or leave {option} out");
    }
    if args.policy != "default" && !asked(HuntEngine::Yarp) {
        bail!("--policy is for --engine yarp: add that, or leave --policy out");
    }
    let smiths = [
        (args.relax != "default", "--relax"),
        (args.validate == Validate::External, "--validate"),
        (args.keep_checks, "--keep-checks"),
        (args.as_drawn, "--as-drawn"),
    ];
    if let Some((_, option)) = smiths.iter().find(|(given, _)| *given && !asked(HuntEngine::Smith))
    {
        bail!("{option} is for --engine smith: add that, or leave {option} out");
    }
    if args.eager && !asked(HuntEngine::Smith) && !asked(HuntEngine::Csmith) {
        bail!("--eager is for --engine smith and csmith: add one, or leave --eager out");
    }
    if args.relax_arith && !asked(HuntEngine::Csmith) {
        bail!("--relax-arith is for --engine csmith: add that, or leave --relax-arith out");
    }
    let crossovers = [
        (args.corpus.is_some(), "--corpus"),
        (args.passes != "default<O3>", "--passes"),
        (args.mutations != Mutations::Both, "--mutations"),
    ];
    let asked_for = asked(HuntEngine::Crossover);
    if let Some((_, option)) = crossovers.iter().find(|(given, _)| *given && !asked_for) {
        bail!("{option} is for --engine crossover: add that, or leave {option} out");
    }
    let of_llvm = asked_for || asked(HuntEngine::Passes);
    let libraries = [(args.lib != ["16"], "--lib"), (args.verify.is_some(), "--verify")];
    if let Some((_, option)) = libraries.iter().find(|(given, _)| *given && !of_llvm) {
        bail!("{option} is for --engine crossover and passes: add one, or leave {option} out");
    }
    if let Some(option) = args.sequences.given().filter(|_| !asked(HuntEngine::Passes)) {
        bail!("{option} is for --engine passes: add that, or leave {option} out");
    }
    let mut choices = Vec::new();
    for (i, &engine) in args.engine.iter().enumerate() {
        if args.engine[..i].contains(&engine) {
            bail!("--engine names {} twice", name(engine));
        }
        if language == Language::Cxx && engine != HuntEngine::Yarp {
            bail!("--engine {} makes C only: leave it out, or --lang c++", name(engine));
        }
        choices.push(match engine {
            HuntEngine::Emi => EngineChoice::Emi(mutations(args)?),
            HuntEngine::Crossover => crossover::choice(args)?,
            HuntEngine::Passes => passes::choice(args, &|engine| programs(args, engine))?,
            _ => programs(args, engine)?,
        });
    }
    Ok(choices)
}

/// Programs that meet thousands of sequences are better small, unless something else is asked for.
fn policy_name(args: &Hunt) -> &str {
    let for_passes = !args.engine.contains(&HuntEngine::Yarp);
    if for_passes && args.policy == "default" { "small" } else { &args.policy }
}

/// An engine that makes C programs.
fn programs(args: &Hunt, engine: HuntEngine) -> Result<EngineChoice> {
    Ok(match engine {
        HuntEngine::Yarp => {
            let name = policy_name(args);
            EngineChoice::Yarp {
                policy: Box::new(generate::policy(&args.named(name))?),
                name: name.into(),
            }
        }
        HuntEngine::Smith => EngineChoice::Smith(SmithOptions {
            bounds: smith::bounds(&args.named(&args.relax))?,
            keep_checks: args.keep_checks,
            as_drawn: args.as_drawn,
            eager: args.eager,
            validate: match args.validate {
                Validate::Machine => campaign::Validate::Machine,
                Validate::External => campaign::Validate::External,
            },
        }),
        HuntEngine::Csmith => EngineChoice::Csmith {
            options: Vec::new(),
            relax_arith: args.relax_arith,
            eager: args.eager,
            swarm: args.sequences.programs_by == ByProgram::Swarm,
        },
        HuntEngine::Files => {
            let (from, include) = folder(args, "--engine files")?;
            EngineChoice::Files { from, include }
        }
        other => bail!("--programs {}: that engine makes no programs of its own", name(other)),
    })
}

/// The folder of programs that an option needs, and their headers'.
fn folder(args: &Hunt, option: &str) -> Result<(PathBuf, Vec<PathBuf>)> {
    let Some(from) = args.from.as_ref().map(|from| args.here(from)) else {
        bail!("{option} needs --from DIR, the folder of your programs");
    };
    let include: Vec<PathBuf> = args.include.iter().map(|dir| args.here(dir)).collect();
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

fn mutations(args: &Hunt) -> Result<EmiOptions> {
    if args.variants == 0 {
        bail!("--variants must be at least 1");
    }
    let own = args.from.is_some() && !args.engine.contains(&HuntEngine::Files);
    let asked = match args.mutate.as_slice() {
        [] if own => &[HuntEngine::Files],
        asked => asked,
    };
    if own && !asked.contains(&HuntEngine::Files) {
        bail!("--from is for --mutate files: add that, or leave --from out");
    }
    let mut seeds = Vec::new();
    for (i, engine) in asked.iter().enumerate() {
        if asked[..i].contains(engine) {
            bail!("--mutate names {} twice", name(*engine));
        }
        seeds.push(match engine {
            HuntEngine::Yarp => EmiSeeds::Yarp,
            HuntEngine::Smith => EmiSeeds::Smith,
            HuntEngine::Csmith => EmiSeeds::Csmith,
            HuntEngine::Files => {
                let (from, include) = folder(args, "--mutate files")?;
                EmiSeeds::Files(from, include)
            }
            HuntEngine::Emi => bail!("--mutate emi: variants are derived from variants anyway"),
            HuntEngine::Crossover => bail!("--mutate crossover: emi is for C programs"),
            HuntEngine::Passes => bail!("--mutate passes: it makes no programs of its own"),
        });
    }
    let mut options = EmiOptions::default();
    if !seeds.is_empty() {
        options.seeds = seeds;
    }
    Ok(EmiOptions { strategies: args.strategy.clone(), variants: args.variants, ..options })
}

/// Compilers and how they are to be used.
#[derive(Debug)]
pub struct Compilers {
    /// Those that work.
    pub compilers: Vec<Arc<Compiler>>,
    /// Flag sets drawn for each test and compiler.
    pub extras_per_test: usize,
    /// Limits.
    pub limits: Limits,
}

impl Compilers {
    fn none() -> Compilers {
        Compilers { compilers: Vec::new(), extras_per_test: 0, limits: Limits::default() }
    }
}

/// Finds the compilers that were asked for, says which were left out and why.
pub fn compilers(
    config: Option<&Path>,
    patterns: &[String],
    language: Language,
) -> Result<Compilers> {
    let config = configuration(config)?;
    let mut tell = |what: &str| terminal::status(what);
    let survey = toolchain::survey(&config, patterns, language, &mut tell);
    terminal::status("");
    let survey = survey?;
    for left in &survey.left_out {
        let what = if left.stays { "does not work, and stays in" } else { "left out" };
        terminal::complain(&format!("gainsay: {what}: {} {}", left.name, left.why));
    }
    if survey.compilers.is_empty() {
        bail!(
            "no compiler that works was found: install one (on Debian: apt-get install gcc \
             libc6-dev), or name one with --cc"
        );
    }
    Ok(Compilers {
        compilers: survey.compilers,
        extras_per_test: config.extras_per_test,
        limits: limits(&config),
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

/// The command that was typed, to go on: without a number of tests, which the folder now has.
fn again(words: impl Iterator<Item = String>) -> String {
    let mut line = "gainsay".to_string();
    let mut skip = false;
    for word in words {
        if std::mem::take(&mut skip) || word.starts_with("--tests=") {
            continue;
        }
        if word == "--tests" {
            skip = true;
            continue;
        }
        line.push(' ');
        line += &words::quote(&word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_again() {
        let typed = ["hunt", "--tests", "5", "--cc", "gcc*", "--tests=7", "--for", "10m"];
        let line = again(typed.into_iter().map(String::from));
        assert_eq!(line, "gainsay hunt --cc 'gcc*' --for 10m");
    }
}
