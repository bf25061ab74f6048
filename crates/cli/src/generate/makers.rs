//! The generators behind `gainsay gen`, each from a seed to files.

use anyhow::{Context, Result, anyhow};
use campaign::{EngineChoice, SeedMaker, TestProgram, Unusable};
use cgen::census::Census;
use cgen::smith::{self, Bounds, SeedTuple, WrapperStyle};
use cgen::{redundant_checks, yarp};
use clap::ValueEnum;
use cmachine::{Exit, Hooks, MachineConfig, Outcome};

use super::tally::Repairs;
use super::{Engine, Gen, Lang};
use crate::engines;

/// Steps and stack for smith, as in hunts: what is out of fuel there must be here.
const FUEL: u64 = campaign::SMITH_FUEL;
const STACK: u32 = campaign::SMITH_STACK;

/// The file that a program of smith or Csmith is.
const FILE: &str = "test.c";

/// A program.
pub struct Program {
    pub files: Vec<File>,
    /// What it prints, where that is known.
    pub expected: Option<Vec<u8>>,
    /// What it contains, where that is asked for.
    pub census: Option<Census>,
    /// How yarp repaired it.
    pub repairs: Option<Repairs>,
}

/// A file of a program.
pub struct File {
    pub name: String,
    pub text: Vec<u8>,
}

/// A generator.
pub trait Maker: Send {
    /// The program of a seed, or why there is none that is of use.
    fn make(&mut self, seed: u64) -> Result<Result<Program, Unusable>>;
}

/// The forms of smith's wrappers.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum WrapperForm {
    /// Functions
    Functions,
    /// Macros with statement expressions
    Macros,
    /// Each use as one or the other
    Mixed,
}

/// The generator that arguments ask for.
pub fn maker(args: &Gen) -> Result<Box<dyn Maker>> {
    Ok(match args.engine {
        Engine::Yarp => Box::new(Yarp::new(args)?),
        Engine::Smith => Box::new(Smith::new(args)?),
        Engine::Csmith => {
            let relax_arith = args.relax_arith;
            let (options, eager, swarm) = (Vec::new(), false, false);
            let choice = EngineChoice::Csmith { options, relax_arith, eager, swarm };
            Box::new(Csmith { maker: SeedMaker::new(&choice)?, stats: args.stats })
        }
    })
}

struct Yarp {
    options: yarp::Options,
    single_file: bool,
}

impl Yarp {
    fn new(args: &Gen) -> Result<Yarp> {
        let language = match args.yarp_only.lang {
            Lang::C => yarp::Language::C,
            Lang::Cxx => yarp::Language::Cxx,
        };
        let policy = engines::policy(&args.yarp.policy)?;
        let hooks = Hooks { cover: args.stats, ..Hooks::default() };
        let options = yarp::Options { policy, language, trace: args.yarp_only.trace, hooks };
        Ok(Yarp { options, single_file: args.yarp_only.single_file })
    }
}

impl Maker for Yarp {
    fn make(&mut self, seed: u64) -> Result<Result<Program, Unusable>> {
        let made = yarp::generate(seed, &self.options).map_err(|error| anyhow!("{error}"))?;
        let files = made.files(self.single_file).context("it cannot be printed")?;
        let file = |f: yarp::SourceFile| File { name: f.name.into(), text: f.text.into_bytes() };
        let profile = &made.repaired.report.profile;
        let census = (!profile.executed.is_empty()).then(|| {
            Census::of_functions(&made.program, profile, |func| made.functions.contains(&func))
        });
        let repairs = Repairs {
            runs: u64::from(made.repaired.passes),
            rungs: made.repaired.rungs.map(u64::from),
            attempts: u64::from(made.attempts),
        };
        Ok(Ok(Program {
            files: files.into_iter().map(file).collect(),
            expected: Some(made.expected().to_vec()),
            census,
            repairs: Some(repairs),
        }))
    }
}

struct Smith {
    bounds: Bounds,
    tuple: Option<SeedTuple>,
    form: Option<WrapperForm>,
    options: smith::Options,
    revert: bool,
    relax_arith: bool,
    stats: bool,
    /// Whether the output is wanted.
    execute: bool,
}

impl Smith {
    fn new(args: &Gen) -> Result<Smith> {
        Ok(Smith {
            bounds: engines::bounds(&args.smith.relax)?,
            tuple: args.smith_only.seed_tuple.clone(),
            form: args.smith_only.form,
            options: smith::Options { features: args.smith.features.0.clone() },
            revert: args.smith_only.revert,
            relax_arith: args.relax_arith,
            stats: args.stats,
            execute: args.stats || args.count.is_some(),
        })
    }
}

impl Maker for Smith {
    fn make(&mut self, seed: u64) -> Result<Result<Program, Unusable>> {
        let tuple = self.tuple.clone().unwrap_or_else(|| self.bounds.draw(seed));
        let form = match self.form {
            None => tuple.form,
            Some(WrapperForm::Functions) => WrapperStyle::Functions,
            Some(WrapperForm::Macros) => WrapperStyle::Macros,
            Some(WrapperForm::Mixed) => WrapperStyle::Mixed,
        };
        let tuple = SeedTuple { form, ..tuple };
        let config = MachineConfig { fuel: FUEL, stack: STACK, ..MachineConfig::default() };
        let mut made = match self.revert {
            true => smith::revert_relaxations(&tuple, &self.options, &config).generated,
            false => smith::generate(&tuple, &self.options),
        };
        if self.relax_arith {
            redundant_checks::remove_redundant_checks(&mut made.program, &config);
        }
        let (expected, census) = match self.execute {
            true => executed(&made.program, &config, self.stats),
            false => (None, None),
        };
        let files = vec![File { name: FILE.into(), text: made.text().into_bytes() }];
        Ok(Ok(Program { files, expected, census, repairs: None }))
    }
}

struct Csmith {
    maker: SeedMaker,
    stats: bool,
}

impl Maker for Csmith {
    fn make(&mut self, seed: u64) -> Result<Result<Program, Unusable>> {
        let (made, census) = match self.stats {
            false => match self.maker.program(seed)? {
                Ok(made) => (made, None),
                Err(unusable) => return Ok(Err(unusable)),
            },
            true => match self.maker.make(seed)? {
                Ok((made, seed)) => {
                    let census = executed(&seed.program, &MachineConfig::default(), true).1;
                    (made, census)
                }
                Err(unusable) => return Ok(Err(unusable)),
            },
        };
        let TestProgram { case, .. } = made;
        let file = |f: oracle::SourceFile| File { name: f.name, text: f.bytes };
        Ok(Ok(Program {
            files: case.files.into_iter().map(file).collect(),
            expected: case.expected.map(|expected| expected.stdout),
            census,
            repairs: None,
        }))
    }
}

/// What a program prints, if it has a result, and what it contains besides the wrappers around operators.
fn executed(
    program: &ctree::Program,
    config: &MachineConfig,
    stats: bool,
) -> (Option<Vec<u8>>, Option<Census>) {
    let hooks = Hooks { cover: stats, ..Hooks::default() };
    let report = cmachine::run_with(program, config, &hooks);
    let own = |func| !program.name(program.func(func).name).starts_with("safe_");
    let census = stats.then(|| Census::of_functions(program, &report.profile, own));
    let finished = matches!(report.outcome, Outcome::Finished(Exit::Status(_)));
    (finished.then_some(report.stdout), census)
}
