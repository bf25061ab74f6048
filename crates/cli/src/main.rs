//! `gainsay`: the command line. Thin: it reads arguments and files, calls the crates that do the
//! work, and turns what they say into text, JSON and an exit status.

mod args;
mod check;
mod cluster;
mod coverage;
mod diagnostic;
mod doctor;
mod findings;
mod generate;
mod hunt;
mod input;
mod json;
mod llvm;
mod locate;
mod mutate;
mod profile;
mod recheck;
mod reduce;
mod report;
mod run;
mod serve;
mod show;
mod smith;
mod suppress;
mod terminal;
mod words;
mod worker;

use std::process::ExitCode;

use clap::Parser;

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
    let command = Args::parse().command;
    // A server handles signals itself: LLVM's crashes are among them.
    if !matches!(&command, Command::Llvm(llvm) if llvm.is_server()) {
        sandbox::die_with_children();
    }
    let result = match command {
        Command::Run(args) => run::main(args),
        Command::Gen(args) => generate::main(args),
        Command::Hunt(args) => hunt::main(*args),
        Command::Findings(args) => findings::main(&args),
        Command::Show(args) => show::main(&args),
        Command::Check(args) => check::main(args),
        Command::Reduce(args) => reduce::main(&args),
        Command::Report(args) => report::main(&args),
        Command::Serve(args) => serve::main(&args),
        Command::Recheck(args) => recheck::main(&args),
        Command::Suppress(args) => suppress::main(&args),
        Command::Smith(args) => smith::main(args),
        Command::Mutate(args) => mutate::main(args),
        Command::Llvm(args) => llvm::main(args),
        Command::Coverage(args) => coverage::main(&args),
        Command::Doctor(args) => doctor::main(&args),
        Command::Worker(args) => worker::main(&args),
    };
    match result {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            terminal::complain(&format!("gainsay: {error:#}"));
            ExitCode::from(status::USAGE)
        }
    }
}
