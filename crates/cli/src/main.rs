//! `gainsay`: the command line. It reads arguments and files, calls the crates that do the work, and turns
//! their results into text, JSON and an exit status.
//!
//! A command works on a thread with a deep reserved stack, so that a deeply nested program does not end the
//! process, and a panic becomes exit status 70 with a request for a report. The main thread waits, and after
//! two seconds says on a terminal what is going on.
//!
//! Diagnostics point into the user's file. The preprocessor's line markers name file and line, but not the
//! column; `locate` looks for the span's words on the original line, blanks aside, and falls back to the
//! preprocessed line, saying so. `annotate-snippets`, which rustc uses, does the drawing.
//!
//! A hunt is shown as a view at the foot of a terminal, as lines, or as JSON lines, from the events of
//! `campaign`. The view is a ratatui widget, drawn into a buffer and written over the last picture by relative
//! moves; the terminal's modes are never touched, so there is nothing to restore.
//!
//! **Architecture Invariant:** nothing about programs is decided here.

mod args;
mod check;
#[cfg(feature = "cluster")]
mod cluster;
mod compare;
mod compilers;
mod coverage;
mod diagnostic;
mod doctor;
mod engines;
mod findings;
mod generate;
mod human;
mod hunt;
mod input;
mod installed;
mod json;
mod llvm;
mod locate;
mod manual;
mod mutate;
mod profile;
mod recheck;
mod reduce;
mod report;
mod run;
#[cfg(feature = "serve")]
mod serve;
mod show;
mod suppress;
mod terminal;
#[cfg(feature = "cluster")]
mod worker;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Args, Command};

/// Exit statuses of our own; everything else is the executed program's.
mod status {
    /// Usage or environment error.
    pub const USAGE: u8 = 2;
    /// The program is undefined, or depends on what C leaves unspecified (`EX_DATAERR`).
    pub const UNDEFINED: u8 = 65;
    /// The program uses what Gainsay does not model.
    pub const UNSUPPORTED: u8 = 66;
    /// The program ran out of fuel or memory.
    pub const EXHAUSTED: u8 = 67;
    /// Gainsay contradicted itself (`EX_SOFTWARE`).
    pub const INTERNAL: u8 = 70;
    /// What a shell shows for a program that called `abort`.
    pub const ABORTED: u8 = 134;
}

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let Args { global, command } = match args::parse(&words) {
        Ok(args) => args,
        Err(error) => {
            let words: Vec<String> = words.iter().map(|w| w.to_string_lossy().into()).collect();
            let Some(sentence) = args::mistakes::sentence(&error, &words) else { error.exit() };
            terminal::complain(&format!("gainsay: {sentence}"));
            return ExitCode::from(status::USAGE);
        }
    };
    let args::Global { color, quiet, verbose } = global;
    terminal::set_manners(terminal::Manners { quiet, verbose, color });
    // A server handles signals itself: LLVM's crashes are among them.
    if !matches!(&command, Command::Llvm(llvm) if llvm.is_server()) {
        sandbox::die_with_children();
    }
    match perform(command) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            terminal::complain(&format!("gainsay: {error:#}"));
            ExitCode::from(status::USAGE)
        }
    }
}

/// Runs a command; the exit status.
fn perform(command: Command) -> anyhow::Result<u8> {
    match command {
        Command::Hunt(args) => hunt::main(*args),
        Command::Compare(args) => compare::main(*args),
        Command::Findings(args) => findings::main(&args),
        Command::Show(args) => show::main(&args),
        Command::Reduce(args) => reduce::main(&args),
        Command::Report(args) => report::main(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::main(&args),
        Command::Recheck(args) => recheck::main(&args),
        Command::Suppress(args) => suppress::main(&args),
        Command::Check(args) => check::main(args),
        Command::Run(args) => run::main(args),
        Command::Gen(args) => generate::main(args),
        Command::Mutate(args) => mutate::main(args),
        Command::Llvm(args) => llvm::main(args),
        Command::Coverage(args) => coverage::main(&args),
        #[cfg(feature = "cluster")]
        Command::Worker(args) => worker::main(&args),
        Command::Compilers(args) => compilers::main(args),
        Command::Doctor(args) => doctor::main(&args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
    }
}
