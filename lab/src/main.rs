//! Benches, tables and checks at scale: `cargo lab COMMAND`. They say how good Gainsay is and whether it is
//! right, over the crates and the `gainsay` binary. They install nothing: `cargo xtask setup --all` does.

mod bench;
mod browser;
mod cluster;
mod compiler;
mod context;
mod counted;
mod counters;
mod crossover;
mod csmith;
mod emi;
mod faults;
mod gencheck;
mod ir;
mod kills;
mod machine;
mod passes;
mod pool;
mod programs;
mod reference;
mod refinement;
mod smith;
mod tally;
mod torture;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use context::Context;

/// Benches, tables and checks at scale. `cargo xtask setup --all` installs the peers they use.
#[derive(Parser, Debug)]
#[command(name = "cargo lab", bin_name = "cargo lab")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Measure against named peers, in one run, and print the ratios.
    Bench(bench::Bench),
    /// Measure generators by the faults planted in GCC that their programs expose.
    Faults(faults::Args),
    /// Measure choices of targets by the faults planted in GCC that programs expose on them.
    Targets(faults::targets::Args),
    /// Hunt on a compiler with ten planted bugs, and see whether each is counted once.
    Counted(counted::Args),
    /// Compare how often GCC's optimisations fire on two sources of programs.
    Counters(counters::Args),
    /// Look at the page with a real browser while a hunt is running.
    Browser(browser::Args),
    /// Run GCC's gcc.c-torture/execute through the machine.
    Torture(torture::Torture),
    /// Run Csmith's programs through the machine and compare with gcc -O0.
    Csmith(csmith::Args),
    /// Relaxed programs: how many differ, how many are defined, who agrees about them.
    Smith(smith::Args),
    /// Variants of programs: whether they do what their seeds do, and what they reach.
    Emi(emi::Args),
    /// Crossovers of LLVM's unit tests: what they reach, against generated programs.
    Crossover(crossover::Args),
    /// Sequences of passes: whether selection finds more bugs, and what campaigns found.
    Passes(passes::Args),
    /// Refinement of LLVM IR: the machine against real execution, the solver against the machine.
    Refine(refinement::Args),
    /// The text of LLVM IR: whether what we read and print is what LLVM reads and prints.
    Ir(ir::Args),
    /// Hunts over many machines: whether anything is lost when they are killed.
    Cluster(cluster::Args),
    /// Hunts killed at random moments: whether anything is lost, and whether anything survives.
    Kills(kills::Args),
    /// Check the generator at scale: compilers, sanitizers, determinism.
    Gencheck(gencheck::Args),
}

/// What a command found: its exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LabOutcome {
    /// Nothing wrong: 0.
    Nothing,
    /// Something wrong: 1.
    Something,
}

fn main() -> ExitCode {
    sandbox::die_with_children();
    let args = Args::parse();
    match dispatch(&args) {
        Ok(LabOutcome::Nothing) => ExitCode::SUCCESS,
        Ok(LabOutcome::Something) => ExitCode::from(1),
        Err(error) => {
            eprintln!("lab: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(args: &Args) -> Result<LabOutcome> {
    let context = Context::new()?;
    match &args.command {
        Command::Bench(bench) => bench::main(&context, bench),
        Command::Faults(faults) => faults::main(&context, faults),
        Command::Targets(args) => faults::targets::main(&context, args),
        Command::Counted(args) => counted::main(&context, args),
        Command::Counters(counters) => counters::main(&context, counters),
        Command::Browser(args) => browser::main(&context, args),
        Command::Torture(torture) => torture::main(&context, torture),
        Command::Csmith(csmith) => csmith::main(&context, csmith),
        Command::Smith(args) => smith::main(args),
        Command::Emi(args) => emi::main(&context, args),
        Command::Crossover(args) => crossover::main(&context, args).map(|()| LabOutcome::Nothing),
        Command::Passes(args) => passes::main(&context, args),
        Command::Refine(args) => refinement::main(&context, args).map(|()| LabOutcome::Nothing),
        Command::Ir(args) => ir::main(&context, args),
        Command::Cluster(args) => cluster::main(&context, args),
        Command::Kills(args) => kills::main(&context, args),
        Command::Gencheck(args) => gencheck::main(&context, args),
    }
}
