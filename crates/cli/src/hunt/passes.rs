//! The engine `passes` as arguments ask for it: libraries, sequences, programs.

use anyhow::{Result, anyhow, bail};
use campaign::{Backend, EngineChoice, Judge, PassesOptions, front};
use clap::{Args as ClapArgs, ValueEnum};
use llvmhost::Limits;
use passes::inventory::List;
use passes::represent::{ProgramSelection, SequenceSelection};
use passes::sequence::Draw;
use serde::{Deserialize, Serialize};

use super::options::{Hunt, ProgramEngine, Verify};
use crate::llvm::{libraries, program};

/// For one sequence of up to 200 passes.
const TIME: std::time::Duration = std::time::Duration::from_secs(30);

/// What the paper gives an optimiser.
const MEMORY: u64 = 4 << 30;

/// What sequences and programs are selected from: all of it is in memory.
const MOST: usize = 1_000_000;

/// Which sequences are tried, on which programs.
#[derive(ClapArgs, Clone, Debug, Serialize, Deserialize)]
#[command(next_help_heading = "Options of --engine passes")]
pub struct SequenceOptions {
    /// Which passes sequences are made of
    #[arg(
        long,
        value_enum,
        value_name = "LIST",
        hide_short_help = true,
        default_value_t = PassList::Production
    )]
    pub list: PassList,
    /// How to choose sequences
    #[arg(
        long,
        value_enum,
        value_name = "WAY",
        hide_short_help = true,
        default_value_t = BySequence::Selection
    )]
    pub sequences_by: BySequence,
    /// How to choose programs
    #[arg(
        long,
        value_enum,
        value_name = "WAY",
        hide_short_help = true,
        default_value_t = ByProgram::Selection
    )]
    pub programs_by: ByProgram,
    /// Sequences of a round
    #[arg(long = "sequences", value_name = "N", default_value_t = 300)]
    pub sequence_count: usize,
    /// Programs of a round, each tested with all its sequences
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub program_count: usize,
    /// How many times as many sequences and programs are made to select from
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = 10)]
    pub out_of: usize,
    /// Passes of a sequence, from N to M
    #[arg(
        long,
        value_name = "N-M",
        hide_short_help = true,
        default_value = "50-200",
        value_parser = lengths
    )]
    pub length: (u16, u16),
    /// How to know what a program must print
    #[arg(
        long,
        value_enum,
        value_name = "WHO",
        hide_short_help = true,
        default_value_t = Oracle::Machine
    )]
    pub oracle: Oracle,
    /// How the code is linked and run
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        hide_short_help = true,
        default_value_t = Linked::Jit
    )]
    pub backend: Linked,
    /// Go on drawing passes whose faults are known and frequent
    #[arg(long, hide_short_help = true)]
    pub no_exclude: bool,
}

/// Lists of passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum PassList {
    /// What -O1 to -O3, -Os and -Oz run: faults of these are cared for
    Production,
    /// The 114 of the paper, as far as they still exist
    Paper,
    /// Every transformation that must keep the meaning of a program
    All,
}

/// Ways to sequences.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum BySequence {
    /// Those most unlike each other, by Doc2Vec, X-means and distances
    Selection,
    /// As they are drawn
    Chance,
    /// Each drawn from a random half of the passes
    Swarm,
    /// Every ordered pair of passes side by side somewhere
    Pairs,
    /// For every two positions every two passes: tens of thousands, of which --sequences are the first
    TwoWay,
}

/// Ways to programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum ByProgram {
    /// Those most unlike each other, by region graphs and calls
    Selection,
    /// As they are made
    Chance,
    /// Those most unlike each other by counts of what they contain
    Features,
    /// As Csmith makes them, each without a random half of C (--programs csmith)
    Swarm,
}

/// Who knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum Oracle {
    /// The abstract machine, before anything is compiled
    Machine,
    /// What most sequences make of it
    Majority,
}

/// How code is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum Linked {
    /// By LLVM's JIT, in a fork of the server
    Jit,
    /// By the system's linker, as a program of its own: slower
    Cc,
}

fn lengths(text: &str) -> Result<(u16, u16), String> {
    let wrong = || format!("{text} is no range of lengths such as 50-200");
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let (least, most) = (least.parse().map_err(|_| wrong())?, most.parse().map_err(|_| wrong())?);
    if least == 0 || least > most {
        return Err(wrong());
    }
    Ok((least, most))
}

/// The engine. `programs` makes the engine that makes the programs.
pub fn choice(
    args: &Hunt,
    programs: &dyn Fn(ProgramEngine) -> Result<EngineChoice>,
) -> Result<EngineChoice> {
    let asked = &args.workload.sequences;
    for (number, option) in [
        (asked.sequence_count, "--sequences"),
        (asked.program_count, "--program-count"),
        (asked.out_of, "--out-of"),
    ] {
        if number == 0 {
            bail!("{option} must be at least 1");
        }
        if number.saturating_mul(asked.out_of) > MOST {
            bail!("{option}, with --out-of {}, asks for more than {MOST} in a round", asked.out_of);
        }
    }
    let lib = &args.workload.llvm.lib;
    if let Some((_, twice)) = lib.iter().enumerate().find(|(at, name)| lib[..*at].contains(name)) {
        bail!("--lib names {twice} twice");
    }
    let program_engine = args.workload.passes_programs()?;
    if asked.programs_by == ByProgram::Swarm && program_engine != ProgramEngine::Csmith {
        bail!("--programs-by swarm is for --programs csmith: add that, or choose another way");
    }
    let libraries = libraries(lib)?;
    let read_by = libraries.iter().chain(&args.baseline);
    let oldest = read_by.map(|library| library.major).min().unwrap_or(0);
    let jobs =
        args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let options = PassesOptions {
        program: program()?,
        clang: front::clang_for(oldest).map_err(|e| anyhow!(e))?,
        dir: args.folder.dir.clone(),
        list: match asked.list {
            PassList::Production => List::Production,
            PassList::Paper => List::Paper,
            PassList::All => List::All,
        },
        sequences_by: match asked.sequences_by {
            BySequence::Selection => SequenceSelection::Selection,
            BySequence::Chance => SequenceSelection::Chance,
            BySequence::Swarm => SequenceSelection::Swarm,
            BySequence::Pairs => SequenceSelection::Pairs,
            BySequence::TwoWay => SequenceSelection::TwoWay,
        },
        sequences: (asked.sequence_count, asked.sequence_count * asked.out_of),
        draw: Draw { length: asked.length.0..=asked.length.1, ..Draw::default() },
        programs_by: match asked.programs_by {
            ByProgram::Selection => ProgramSelection::Selection,
            ByProgram::Chance | ByProgram::Swarm => ProgramSelection::Chance,
            ByProgram::Features => ProgramSelection::Features,
        },
        programs: (asked.program_count, asked.program_count * asked.out_of),
        oracle: match asked.oracle {
            Oracle::Machine => Judge::Machine,
            Oracle::Majority => Judge::Majority,
        },
        backend: match asked.backend {
            Linked::Jit => Backend::Jit,
            Linked::Cc => Backend::Linker,
        },
        limits: Limits { time: TIME, memory: MEMORY },
        verify_each: args.workload.llvm.verify == Some(Verify::Each),
        exclude: !asked.no_exclude,
        threads: jobs,
        libraries,
    };
    let programs = Box::new(programs(program_engine)?);
    Ok(EngineChoice::Passes { options: Box::new(options), programs })
}
