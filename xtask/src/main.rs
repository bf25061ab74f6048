//! Automation of the workspace: `cargo xtask COMMAND`. Thin commands over the crates and the
//! `gainsay` binary; everything a person or CI has to do more than once is here, in no shell script.

mod bench;
mod bench_cluster;
mod bench_embed;
mod bench_emi;
mod bench_gen;
mod bench_hunt;
mod bench_page;
mod bench_passes;
mod bench_reduce;
mod bench_smith;
mod browser;
mod cluster;
mod compiler;
mod context;
mod counters;
mod crossover;
mod csmith;
mod emi;
mod faults;
mod gencheck;
mod hunt;
mod ir;
mod machine;
mod mutants;
mod passes;
mod pool;
mod programs;
mod reference;
mod refinement;
mod self_check;
mod setup;
mod smith;
mod suite;
mod tally;
mod tidy;
mod torture;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use context::Context;

/// Automation of the Gainsay workspace.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
    /// Do not install anything.
    #[arg(long, global = true)]
    no_setup: bool,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Install the Debian packages of xtask/debian-packages.txt that are missing.
    Setup,
    /// Set up, then run the whole test suite.
    Test(suite::Test),
    /// Set up, build in release, and run a short hunt on the compilers that are there.
    Hunt(hunt::Hunt),
    /// Measure against named peers, in one run, and print the ratios.
    Bench(bench::Bench),
    /// Measure generators by the faults planted in GCC that their programs expose.
    Faults(faults::Args),
    /// Compare how often GCC's optimisations fire on two sources of programs.
    Counters(counters::Args),
    /// Look at the page with a real browser while a hunt is running.
    Browser(browser::Args),
    /// Check what the compiler does not: module docs, crate edges, purity, file sizes.
    Tidy,
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
    /// Refinement of LLVM IR: over a suite of tests, and the machine against real execution.
    Refine(refinement::Args),
    /// The text of LLVM IR: whether what we read and print is what LLVM reads and prints.
    Ir(ir::Args),
    /// Hunts over many machines: whether anything is lost when they are killed.
    Cluster(cluster::Args),
    /// Check the generator at scale: compilers, sanitizers, determinism.
    Gencheck(gencheck::Args),
}

/// What a command found: its exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// Nothing wrong: 0.
    Nothing,
    /// Something wrong: 1.
    Something,
}

fn main() -> ExitCode {
    sandbox::die_with_children();
    let args = Args::parse();
    match dispatch(&args) {
        Ok(Found::Nothing) => ExitCode::SUCCESS,
        Ok(Found::Something) => ExitCode::from(1),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(args: &Args) -> Result<Found> {
    let context = Context::new()?;
    if !args.no_setup && !matches!(args.command, Command::Tidy | Command::Setup) {
        setup::main(&context)?;
    }
    match &args.command {
        Command::Setup => setup::main(&context).map(|()| Found::Nothing),
        Command::Test(test) => suite::main(&context, test),
        Command::Hunt(hunt) => hunt::main(&context, hunt),
        Command::Bench(bench) => bench::main(&context, bench),
        Command::Faults(faults) => faults::main(&context, faults),
        Command::Counters(counters) => counters::main(&context, counters),
        Command::Browser(args) => browser::main(&context, args),
        Command::Tidy => tidy::main(&context),
        Command::Torture(torture) => torture::main(&context, torture),
        Command::Csmith(csmith) => csmith::main(&context, csmith),
        Command::Smith(args) => smith::main(args),
        Command::Emi(args) => emi::main(&context, args),
        Command::Crossover(args) => crossover::main(&context, args).map(|()| Found::Nothing),
        Command::Passes(args) => passes::main(&context, args),
        Command::Refine(args) => refinement::main(&context, args).map(|()| Found::Nothing),
        Command::Ir(args) => ir::main(&context, args),
        Command::Cluster(args) => cluster::main(&context, args),
        Command::Gencheck(args) => gencheck::main(&context, args),
    }
}
