//! What a hunt is to do.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use cgen::policy::Policy;
use crossover::fuzz::Fuzzer;
use llvmhost::{Installed, Program};
use oracle::Limits;
use toolchain::{Compiler, Language, Target};

use crate::baseline::Baseline;
use crate::draw::TargetChoice;
use crate::engine::{
    Crossover, Csmith, Emi, EmiOptions, Engine, Files, Judge, Passes, PassesOptions, ProgramEngine,
    Smith, SmithOptions, Source, Yarp,
};
use crate::store::StoredTarget;

/// A hunt before it begins.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which engines share the time.
    pub engines: Vec<EngineChoice>,
    /// First seed; `None` is the folder's own, or a fresh one.
    pub seed: Option<u64>,
    /// How long.
    pub time: Option<Duration>,
    /// How many tests the folder is to have.
    pub tests: Option<u64>,
    /// How many tests at a time.
    pub jobs: usize,
    /// The folder of the store.
    pub out: PathBuf,
    /// Language of generated programs.
    pub language: Language,
    /// What is tested.
    pub compilers: Vec<Arc<Compiler>>,
    /// How each test's targets are chosen.
    pub targets: TargetChoice,
    /// Of a comparison: what must be right where something else fails. A compiler is one of `compilers`.
    pub baseline: Option<Baseline>,
    /// Limits of compilers and programs.
    pub limits: Limits,
    /// Findings are reduced and studied as they come.
    pub study: bool,
}

impl Plan {
    /// A sentence where compilers are needed and none is here.
    pub fn check_compilers(&self) -> Result<()> {
        if self.compilers.is_empty() && self.engines.iter().any(EngineChoice::needs_compilers) {
            bail!(
                "no compiler to test: install one (apt-get install gcc libc6-dev), or name one with --cc"
            );
        }
        Ok(())
    }

    /// The engines; an error is a sentence about what one lacks.
    pub fn build_engines(&self) -> Result<Arc<[Box<dyn Engine>]>> {
        let baseline = self.baseline.as_ref().and_then(Baseline::library);
        self.engines.iter().map(|choice| choice.engine(self.language, baseline)).collect()
    }

    /// Every compiler at its levels, and what engines test besides.
    pub fn stored_targets(&self, engines: &[Box<dyn Engine>]) -> Vec<StoredTarget> {
        let flags = |level: &str| level.split_whitespace().map(str::to_string).collect();
        let at = |compiler: &Arc<Compiler>, level: &str| {
            StoredTarget::from(&Target { compiler: compiler.clone(), flags: flags(level) })
        };
        let levels = self.compilers.iter().flat_map(|c| c.levels.iter().map(move |l| at(c, l)));
        levels.chain(engines.iter().flat_map(|engine| engine.targets())).collect()
    }
}

/// An engine by its arguments.
#[derive(Clone, Debug)]
pub enum EngineChoice {
    /// Our own generator.
    Yarp {
        /// All distributions.
        policy: Box<Policy>,
        /// What `--policy` was given.
        name: String,
    },
    /// Our own generator of Csmith's kind.
    Smith(SmithOptions),
    /// An installed Csmith.
    Csmith {
        /// More options for it.
        options: Vec<String>,
        /// Without the checks that its programs do without.
        relax_arith: bool,
        /// With the sanitizers asked before any compiler.
        eager: bool,
        /// Each program without a random half of C.
        swarm: bool,
    },
    /// A folder of C programs.
    Files {
        /// The folder.
        from: PathBuf,
        /// Header folders.
        include: Vec<PathBuf>,
    },
    /// Variants of programs of the others.
    Emi(EmiOptions),
    /// Crossovers of LLVM's unit tests.
    Crossover {
        /// A library each, with its corpus.
        fuzzers: Vec<Arc<Fuzzer>>,
        /// The pipeline.
        passes: String,
        /// How servers are started.
        program: Program,
    },
    /// Sequences of LLVM's passes on programs of another engine.
    Passes {
        /// All about sequences.
        options: Box<PassesOptions>,
        /// Whose programs: an engine of C programs.
        programs: Box<EngineChoice>,
    },
}

impl EngineChoice {
    /// Our own generator with its default policy.
    pub fn yarp() -> EngineChoice {
        EngineChoice::Yarp { policy: Box::default(), name: "default".into() }
    }

    /// Our own generator of Csmith's kind with its default options.
    pub fn smith() -> EngineChoice {
        EngineChoice::Smith(SmithOptions::default())
    }

    /// An installed Csmith as it is.
    pub fn csmith() -> EngineChoice {
        let (relax_arith, eager, swarm) = (false, false, false);
        EngineChoice::Csmith { options: Vec::new(), relax_arith, eager, swarm }
    }

    /// Whether it tests the compilers of the plan.
    pub fn needs_compilers(&self) -> bool {
        !matches!(self, EngineChoice::Crossover { .. } | EngineChoice::Passes { .. })
    }

    /// The engine itself, with the library that its own are compared with, if there is one; an error is a sentence
    /// about what it lacks.
    pub fn engine(
        &self,
        language: Language,
        baseline: Option<&Installed>,
    ) -> Result<Box<dyn Engine>> {
        Ok(match self {
            EngineChoice::Yarp { .. }
            | EngineChoice::Smith(_)
            | EngineChoice::Csmith { .. }
            | EngineChoice::Files { .. } => Box::new(ProgramEngine(self.source(language)?)),
            EngineChoice::Emi(options) => Box::new(Emi::new(options)?),
            EngineChoice::Crossover { fuzzers, passes, program } => {
                let crossover = Crossover::new(fuzzers.clone(), passes.clone(), program.clone());
                Box::new(crossover.against(baseline))
            }
            EngineChoice::Passes { options, programs } => {
                let source: Box<dyn Source> = match (programs.as_ref(), options.oracle) {
                    (EngineChoice::Files { from, include }, Judge::Majority) => {
                        Box::new(Files::find(from, include)?.with_unanswered())
                    }
                    (programs, _) => programs.source(language)?,
                };
                let passes = Passes::new(options.as_ref().clone(), source, baseline);
                Box::new(passes.map_err(|e| anyhow!(e))?)
            }
        })
    }

    /// What makes the programs of an engine.
    pub(crate) fn source(&self, language: Language) -> Result<Box<dyn Source>> {
        Ok(match self {
            EngineChoice::Yarp { policy, name } => {
                Box::new(Yarp::new(language, policy.as_ref().clone(), name))
            }
            EngineChoice::Smith(options) => Box::new(Smith::new(options.clone())),
            EngineChoice::Csmith { options, relax_arith, eager, swarm } => {
                let csmith = Csmith::find(options.clone(), *relax_arith, *eager)?;
                Box::new(if *swarm { csmith.swarm() } else { csmith })
            }
            EngineChoice::Files { from, include } => Box::new(Files::find(from, include)?),
            EngineChoice::Emi(_) | EngineChoice::Crossover { .. } | EngineChoice::Passes { .. } => {
                bail!("that engine makes no programs of its own")
            }
        })
    }
}
