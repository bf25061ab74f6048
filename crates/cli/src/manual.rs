//! `gainsay completions` and `gainsay man`: what shells and `man` read, from the definitions that arguments are read by.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::terminal;

/// Print a script that completes commands and options in a shell.
#[derive(Args, Debug)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

const COMPLETIONS_HELP: &str = "\
Examples:
  gainsay completions bash > gainsay.bash   # then: source gainsay.bash
  gainsay completions fish > gainsay.fish   # in ~/.config/fish/completions
  gainsay completions zsh > _gainsay        # in a folder of $fpath";

/// Write a man page for each command.
#[derive(Args, Debug)]
#[command(after_long_help = MAN_HELP)]
pub struct Man {
    /// Write the pages to this folder
    #[arg(short = 'o', long, value_name = "DIR")]
    pub output: PathBuf,
}

const MAN_HELP: &str = "\
Examples:
  gainsay man -o man/man1   # then: man -M man gainsay-hunt";

/// Runs `gainsay completions`; the exit status.
pub fn completions(args: &Completions) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut crate::args::Args::command(), "gainsay", &mut text);
    terminal::print(&text)?;
    Ok(0)
}

/// Runs `gainsay man`; the exit status.
pub fn man(args: &Man) -> Result<u8> {
    let cannot = || format!("{} cannot be written", args.output.display());
    fs::create_dir_all(&args.output).with_context(cannot)?;
    let command = crate::args::Args::command().disable_help_subcommand(true);
    clap_mangen::generate_to(command, &args.output).with_context(cannot)?;
    Ok(0)
}
