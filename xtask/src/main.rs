//! What everybody does with the workspace: `cargo xtask setup|test|hunt|tidy|ci`.
//!
//! It uses the standard library alone, so that it is compiled in a second on a fresh machine and
//! can say what it does while the rest is compiled. Benches and checks at scale are in `lab`.

mod ci;
mod hunt;
mod setup;
mod suite;
mod tidy;
mod workspace;

use std::env;
use std::process::ExitCode;

use setup::Group;
use workspace::Workspace;

const HELP: &str = "\
Set-up, tests, a first hunt, tidiness and CI of the Gainsay workspace.

Usage: cargo xtask COMMAND

Commands:
  setup [--all]   Install the Debian packages that hunts and tests use; with --all those of `cargo lab`, too
  test [-- ARGS]  Set up for tests, then run them all; ARGS go to `cargo nextest run` or `cargo test`
  hunt [-- ARGS]  Set up for a hunt, build gainsay in release, and hunt for half a minute;
                  ARGS go to `gainsay hunt` instead
  tidy            Check what the compiler does not: layers, purity, module docs, file sizes
  ci              Run everything that a change must pass, with the time of each step

Options:
  --no-setup      Install nothing (test, hunt, ci)
  -h, --help      Show this

GAINSAY names a binary for `hunt` to use in place of a release build.
Benches, tables and checks at scale: cargo lab --help
";

/// A failure in one sentence: what is wrong, where, what to do.
type Result<T> = std::result::Result<T, String>;

/// What a command found: its exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// Nothing wrong: 0.
    Nothing,
    /// Something wrong: 1.
    Something,
}

#[derive(PartialEq, Eq, Debug)]
enum Task {
    Help,
    Setup(Group),
    Test { setup: bool, args: Vec<String> },
    Hunt { setup: bool, args: Vec<String> },
    Tidy,
    Ci { setup: bool },
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match parse(&args).and_then(|task| perform(&task)) {
        Ok(Found::Nothing) => ExitCode::SUCCESS,
        Ok(Found::Something) => ExitCode::from(1),
        Err(sentence) => {
            say(&sentence);
            ExitCode::from(2)
        }
    }
}

fn perform(task: &Task) -> Result<Found> {
    let workspace = Workspace::find()?;
    match task {
        Task::Help => print!("{HELP}"),
        Task::Setup(group) => setup::main(*group)?,
        Task::Test { setup, args } => return suite::main(&workspace, *setup, args),
        Task::Hunt { setup, args } => return hunt::main(&workspace, *setup, args),
        Task::Tidy => return tidy::main(&workspace),
        Task::Ci { setup } => return ci::main(&workspace, *setup),
    }
    Ok(Found::Nothing)
}

/// One line about what goes on, apart from what programs print on standard output.
fn say(line: &str) {
    eprintln!("xtask: {line}");
}

fn parse(args: &[String]) -> Result<Task> {
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let passed_on = args.get(end + 1..).unwrap_or_default().to_vec();
    let own: Vec<&str> = args[..end].iter().map(String::as_str).collect();
    if own.iter().any(|arg| matches!(*arg, "-h" | "--help" | "help")) || args.is_empty() {
        return Ok(Task::Help);
    }
    let (options, words): (Vec<&str>, Vec<&str>) =
        own.into_iter().partition(|arg| arg.starts_with('-'));
    let [command, rest @ ..] = &words[..] else {
        return Err("say what to do: setup, test, hunt, tidy or ci (cargo xtask --help)".into());
    };
    let (known, passes_on): (&[&str], bool) = match *command {
        "setup" => (&["--all"], false),
        "test" | "hunt" => (&["--no-setup"], true),
        "tidy" => (&[], false),
        "ci" => (&["--no-setup"], false),
        _ => {
            return Err(format!(
                "there is no command `{command}`: there are setup, test, hunt, tidy and ci, and \
                 `cargo lab --help` lists benches and checks"
            ));
        }
    };
    let unknown = options.iter().find(|option| !known.contains(option)).or(rest.first());
    match unknown {
        Some(word) if passes_on => {
            return Err(format!(
                "{command} does not take `{word}`: put what it passes on after `--`"
            ));
        }
        Some(word) => return Err(format!("{command} does not take `{word}` (cargo xtask --help)")),
        None if !passes_on && end < args.len() => {
            return Err(format!("{command} passes nothing on: leave out `--` and what follows"));
        }
        None => {}
    }
    let setup = !options.contains(&"--no-setup");
    Ok(match *command {
        "setup" if options.is_empty() => Task::Setup(Group::Test),
        "setup" => Task::Setup(Group::Lab),
        "test" => Task::Test { setup, args: passed_on },
        "hunt" => Task::Hunt { setup, args: passed_on },
        "tidy" => Task::Tidy,
        _ => Task::Ci { setup },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Task> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        parse(&words)
    }

    #[test]
    fn commands() {
        let args = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
        for (line, task) in [
            ("", Task::Help),
            ("hunt --help", Task::Help),
            ("setup", Task::Setup(Group::Test)),
            ("setup --all", Task::Setup(Group::Lab)),
            ("test", Task::Test { setup: true, args: args(&[]) }),
            ("test -- name --help", Task::Test { setup: true, args: args(&["name", "--help"]) }),
            (
                "hunt --no-setup -- --for 1m",
                Task::Hunt { setup: false, args: args(&["--for", "1m"]) },
            ),
            ("--no-setup ci", Task::Ci { setup: false }),
            ("tidy", Task::Tidy),
        ] {
            assert_eq!(parsed(line), Ok(task), "{line}");
        }
    }

    #[test]
    fn mistakes_are_told_in_a_sentence() {
        for (line, sentence) in [
            ("bench machine", "there is no command `bench`"),
            ("--all", "say what to do"),
            ("setup --some", "setup does not take `--some`"),
            ("tidy --no-setup", "tidy does not take `--no-setup`"),
            ("hunt --for 10m", "put what it passes on after `--`"),
            ("test name", "test does not take `name`"),
            ("ci -- fast", "ci passes nothing on"),
        ] {
            let told = parsed(line).expect_err(line);
            assert!(told.contains(sentence) && !told.contains('\n'), "{line}: {told}");
        }
    }
}
