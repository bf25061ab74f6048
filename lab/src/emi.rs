//! `cargo lab emi`: variants at scale. Seeds are made as hunts make them.

mod check;
mod counters;
mod seeds;

use anyhow::Result;

use crate::LabOutcome;
use crate::context::Context;

/// Arguments of `cargo lab emi`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Variants of all kinds of seeds through compilers without optimisation, through sanitizers and back
    /// through the machine.
    Check(check::Check),
    /// Which of GCC's optimisations fire on variants and not on their seeds.
    Counters(counters::Counters),
}

/// Runs the command.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    match &args.what {
        Command::Check(check) => check::main(context, check),
        Command::Counters(counters) => counters::main(context, counters),
    }
}

pub use seeds::{Numbered, SeedKind, collect};
