//! Refinement of LLVM IR: how right we are about it. What LLVM's tests say of LLVM is told by
//! `gainsay llvm verify DIR`.

mod mutants;
mod self_check;

use anyhow::{Result, anyhow};
use llvmhost::{Installed, Program};
use optimise::suite::Servers;

use crate::context::Context;

/// Arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// What the machine computes, against the code that LLVM makes of the same function.
    SelfCheck(self_check::Args),
    /// Wrong changes to functions: what the machine refutes the solver must not prove.
    Mutants(mutants::Args),
}

/// Runs the command.
pub fn main(context: &Context, args: &Args) -> Result<()> {
    match &args.command {
        Command::SelfCheck(args) => self_check::main(context, args),
        Command::Mutants(args) => mutants::main(context, args),
    }
}

/// Servers of a library, named by version or file.
fn servers(context: &Context, library: &str) -> Result<(Installed, Servers)> {
    let library = Installed::named(library).map_err(|e| anyhow!(e))?;
    let args = vec!["llvm".to_string(), "serve".to_string()];
    let servers = Servers::new(Program { path: context.gainsay()?, args }, &library);
    Ok((library, servers))
}
