//! `cargo lab passes`: whether the selection of sequences and programs finds more bugs (CTOS, RQ1), and what
//! campaigns of the engine `passes` found (Tables 4 and 5 of the paper).

mod bugs;
mod selection;
pub mod spent;
mod statistics;
mod table;

use std::path::PathBuf;

use anyhow::Result;

use crate::LabOutcome;
use crate::context::Context;

/// Arguments of `cargo lab passes`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Hunts with selected sequences and programs against hunts with random ones, for the same CPU time.
    Selection(selection::Args),
    /// Unique bugs by type and by pass, out of the folders of hunts.
    Table {
        /// Folders of hunts.
        #[arg(value_name = "DIR", required = true)]
        dirs: Vec<PathBuf>,
    },
}

/// Runs the command.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    match &args.what {
        Command::Selection(args) => selection::main(context, args)?,
        Command::Table { dirs } => table::main(dirs)?,
    }
    Ok(LabOutcome::Nothing)
}
