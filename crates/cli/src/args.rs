//! The command line: the commands, what all of them take, and how arguments are read.
//!
//! The arguments of a command are in the module of that command.

pub mod mistakes;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{
    ArgMatches, Args as ClapArgs, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand,
};
use serde::{Deserialize, Serialize};

pub use report::DEFAULT_HUNT;

/// Find bugs in C compilers and in LLVM, with programs whose exact output is known.
///
/// Programs are generated, or are your own. An abstract machine executes each and proves that it is well-defined; a
/// compiler that makes something else of it is wrong. Findings are reduced and written as bug reports.
#[derive(Parser, Debug)]
#[command(name = "gainsay", version, after_help = HELP, after_long_help = LONG_HELP)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

const HELP: &str = "`gainsay COMMAND -h` lists the common options of a command, `--help` all of them, with examples.";

const LONG_HELP: &str = "\
Examples:
  gainsay compilers              which compilers are here, and how more come here
  gainsay doctor                 what is installed, and what is missing for what
  gainsay hunt --for 10m         search the installed compilers for bugs
  gainsay compare gcc-11 gcc-12  what does the newer one break?
  gainsay findings               list what was found
  gainsay show 3                 show one finding
  gainsay reduce 3               make its program small
  gainsay report 3 -o bug        a folder to send: test, report, script
  gainsay check prog.c           which installed compilers are wrong about prog.c
  gainsay run prog.c             execute prog.c in the abstract machine
  gainsay gen --seed 1 -o one    a random program and its exact output
  gainsay mutate prog.c --show   a variant of prog.c that must print the same

`gainsay COMMAND --help` explains a command.";

/// What every command takes.
#[derive(ClapArgs, Clone, Debug)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// When to use colours; NO_COLOR turns them off, too
    #[arg(
        long,
        global = true,
        value_name = "auto|always|never",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub color: ColorChoice,
    /// Show results and errors only: no progress, notes or hints
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show every step, and every test of a hunt
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// The commands, in the order of a hunter's day.
#[derive(Subcommand, Debug)]
pub enum Command {
    Hunt(Box<crate::hunt::options::Hunt>),
    Compare(Box<crate::compare::Compare>),
    Findings(crate::findings::Findings),
    Show(crate::show::Show),
    Reduce(crate::reduce::Reduce),
    Report(crate::report::Report),
    #[cfg(feature = "serve")]
    Serve(crate::serve::Serve),
    Recheck(crate::recheck::Recheck),
    Suppress(crate::suppress::Suppress),
    Check(crate::check::Check),
    Run(crate::run::Run),
    Gen(crate::generate::Gen),
    Mutate(crate::mutate::Mutate),
    Llvm(crate::llvm::Llvm),
    Coverage(crate::coverage::Coverage),
    #[cfg(feature = "cluster")]
    Worker(crate::worker::Worker),
    Compilers(crate::compilers::Compilers),
    Doctor(crate::doctor::Doctor),
    Completions(crate::manual::Completions),
    Man(crate::manual::Man),
}

/// The environment variable that names another folder.
const HUNT_VARIABLE: &str = "GAINSAY_HUNT";

/// The folder of a hunt.
#[derive(ClapArgs, Clone, Debug)]
pub struct HuntFolder {
    /// The hunt's folder
    #[arg(
        id = "hunt",
        long = "hunt",
        value_name = "DIR",
        env = HUNT_VARIABLE,
        hide_env_values = true,
        default_value = DEFAULT_HUNT
    )]
    pub dir: PathBuf,
}

impl HuntFolder {
    /// A complete command on this hunt: `gainsay show 3 --hunt my-hunt`.
    pub fn command(&self, words: &str) -> String {
        command_on(&self.dir, words)
    }
}

/// A complete command on the hunt of a folder, which is left out where it would be used anyway.
pub fn command_on(dir: &Path, words: &str) -> String {
    match dir == Path::new(DEFAULT_HUNT) && std::env::var_os(HUNT_VARIABLE).is_some() {
        true => format!("gainsay {words} --hunt {DEFAULT_HUNT}"),
        false => report::command_on(dir, words),
    }
}

/// The options that were typed, by the names they have on the command line: `--relax`, `-I`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Given(BTreeSet<String>);

impl Given {
    /// Whether this one was.
    pub fn has(&self, option: &str) -> bool {
        self.0.contains(option)
    }

    /// Forgets the others.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.0.retain(|name| keep(name));
    }

    /// What the parser says of a command's options.
    fn of(command: &clap::Command, matches: &ArgMatches) -> Given {
        let typed = |arg: &&clap::Arg| {
            matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
        };
        let name = |arg: &clap::Arg| match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => Some(format!("--{long}")),
            (None, Some(short)) => Some(format!("-{short}")),
            (None, None) => None,
        };
        Given(command.get_arguments().filter(typed).filter_map(name).collect())
    }
}

/// Reads the arguments, the name of the program first.
pub fn parse(words: &[OsString]) -> Result<Args, clap::Error> {
    let mut command = Args::command().color(color_asked(words));
    let matches = command.try_get_matches_from_mut(words)?;
    let mut args = Args::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    let given = matches
        .subcommand()
        .and_then(|(name, matches)| Some(Given::of(command.find_subcommand(name)?, matches)));
    let given = given.unwrap_or_default();
    match &mut args.command {
        Command::Hunt(hunt) => hunt.workload.given = given,
        Command::Compare(compare) => compare.workload.given = given,
        Command::Gen(generate) => generate.given = given,
        #[cfg(feature = "cluster")]
        #[cfg(feature = "serve")]
        Command::Serve(serve) => serve.given = given,
        _ => {}
    }
    Ok(args)
}

/// What `--color` asks for, which help and mistakes need before arguments are read.
fn color_asked(words: &[OsString]) -> ColorChoice {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let asked = words.iter().enumerate().find_map(|(at, word)| match word.as_ref() {
        "--color" => words.get(at + 1).map(|value| value.to_string()),
        word => word.strip_prefix("--color=").map(str::to_string),
    });
    match asked.as_deref() {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Args, clap::Error> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        parse(&words)
    }

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn what_was_given_is_asked_of_the_parser() {
        let args = parsed("gainsay hunt --relax default -I inc --no-unions").expect("arguments");
        let Command::Hunt(hunt) = args.command else { panic!("{args:?}") };
        let given: Vec<String> = hunt.workload.given.0.into_iter().collect();
        assert_eq!(given, ["--no-unions", "--relax", "-I"]);
    }

    #[test]
    fn common_options_of_a_hunt_fit_on_a_screen() {
        let help = parsed("gainsay hunt -h").expect_err("help").render().to_string();
        assert!(help.lines().count() <= 60, "{} lines:\n{help}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        assert!(help.contains("gainsay hunt --help"), "{help}");
    }

    #[test]
    fn commands_are_complete() {
        assert_eq!(command_on(Path::new("my hunt"), "show 3"), "gainsay show 3 --hunt 'my hunt'");
    }
}
