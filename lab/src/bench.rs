//! `cargo lab bench`: our figures against those of named peers, in one run.

mod cluster;
mod embed;
mod emi;
mod generator;
mod hunt;
mod machine;
mod page;
mod passes;
mod reduce;
mod smith;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::LabOutcome;
use crate::context::Context;
use crate::crossover;

/// Arguments of `cargo lab bench`.
#[derive(Args, Debug)]
pub struct Bench {
    #[command(subcommand)]
    what: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// The abstract machine against gcc -O0, clang's sanitizers and Frama-C Eva.
    Machine(machine::MachineArgs),
    /// The generator's speed against Csmith's, and its share of a differential test.
    Gen(generator::GenArgs),
    /// A hunt with Csmith's programs against a shell loop that does the same work.
    Hunt(hunt::HuntArgs),
    /// The reducer against C-Vise, on compilers with planted bugs.
    Reduce(reduce::ReduceArgs),
    /// Usable programs for each CPU hour: Csmith in a loop, smith with detectors, smith with the machine.
    Smith(smith::SmithArgs),
    /// Vectors of sequences, clusters and selection against gensim, pyclustering and numpy.
    Embed(embed::EmbedArgs),
    /// The time to derive a variant, and variants tested for each CPU hour against plain tests.
    Emi(emi::EmiArgs),
    /// Crossovers in the fork server against a loop that starts `opt` for each.
    Crossover(crossover::BenchArgs),
    /// Pages of a hunt with ten thousand findings, from a local server.
    Page(page::PageArgs),
    /// A hunt over NATS against a local one, and how many messages a server takes.
    Cluster(cluster::ClusterArgs),
    /// Sequences of passes in the fork server against `opt`, `llc`, a linker and the program, started for each.
    Passes(passes::PassesArgs),
}

/// Runs a bench.
pub fn main(context: &Context, bench: &Bench) -> Result<LabOutcome> {
    match &bench.what {
        Command::Machine(args) => machine::main(context, args),
        Command::Gen(args) => generator::main(context, args),
        Command::Hunt(args) => hunt::main(context, args),
        Command::Reduce(args) => reduce::main(context, args),
        Command::Embed(args) => embed::main(context, args),
        Command::Emi(args) => emi::main(context, args),
        Command::Crossover(args) => crossover::bench(context, args),
        Command::Page(args) => page::main(context, args),
        Command::Cluster(args) => cluster::main(context, args),
        Command::Passes(args) => passes::main(context, args),
        Command::Smith(args) => smith::main(context, args),
    }?;
    Ok(LabOutcome::Nothing)
}
