//! Arguments that cannot be read: one sentence each, and one that names the new spelling where an option has changed.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Args, CommandFactory};
use crate::human;

/// An option that has another name now.
struct Renamed {
    /// The command, or nothing for all that work on a hunt.
    command: Option<&'static str>,
    old: &'static str,
    new: &'static str,
}

const RENAMED: &[Renamed] = &[
    Renamed { command: None, old: "--out", new: "--hunt DIR" },
    Renamed { command: Some("hunt"), old: "--mutate", new: "--programs ENGINE[,ENGINE]" },
    Renamed { command: Some("hunt"), old: "--mutations", new: "--crossovers KIND" },
    Renamed { command: Some("gen"), old: "--mend", new: "--revert" },
];

/// Commands that work on a hunt.
const ON_A_HUNT: [&str; 8] =
    ["hunt", "findings", "show", "reduce", "report", "recheck", "suppress", "serve"];

/// Commands that took the hunt's folder by its position.
const BY_POSITION: [&str; 3] = ["findings", "show", "serve"];

/// Commands and options that a build may lack, with the feature that they need.
const OPTIONAL: [(&str, &str, bool); 3] = [
    ("serve", "serve", cfg!(feature = "serve")),
    ("worker", "cluster", cfg!(feature = "cluster")),
    ("--cluster", "cluster", cfg!(feature = "cluster")),
];

/// The sentence for a mistake; `None` where the error is no mistake, but a question for help.
pub fn sentence(error: &clap::Error, words: &[String]) -> Option<String> {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return None;
    }
    let command = command(words);
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let word = match error.kind() {
        ErrorKind::InvalidSubcommand => text(ContextKind::InvalidSubcommand),
        ErrorKind::UnknownArgument => text(ContextKind::InvalidArg),
        _ => None,
    };
    let known = word.and_then(|word| absent(word).or_else(|| renamed(&command, word)));
    Some(known.unwrap_or_else(|| shortened(error, &command)))
}

/// The words that name the command: `llvm opt`.
fn command(words: &[String]) -> String {
    let mut path: Vec<&str> = Vec::new();
    let mut at = Args::command();
    for word in words.iter().skip(1) {
        let Some(next) = at.find_subcommand(word).cloned() else { continue };
        path.push(word);
        at = next;
    }
    path.join(" ")
}

/// A sentence if it belongs to a part that was not built in.
fn absent(word: &str) -> Option<String> {
    let (name, feature, _) =
        OPTIONAL.iter().find(|(name, _, built_in)| *name == word && !built_in)?;
    let name = if name.starts_with('-') { name.to_string() } else { format!("gainsay {name}") };
    Some(format!(
        "{name} is not part of this build: build gainsay with the cargo feature `{feature}`"
    ))
}

/// A sentence if it is an old spelling.
fn renamed(command: &str, word: &str) -> Option<String> {
    if command.is_empty() && word == "smith" {
        return Some("gainsay smith is now gainsay gen --engine smith".into());
    }
    let option = word.split('=').next().unwrap_or(word);
    let is_meant = |row: &&Renamed| {
        row.old == option && row.command.map_or(ON_A_HUNT.contains(&command), |c| c == command)
    };
    if let Some(row) = RENAMED.iter().find(is_meant) {
        return Some(format!("{} is now {}", row.old, row.new));
    }
    let by_position = BY_POSITION.contains(&command) && !word.starts_with('-');
    by_position.then(|| format!("the hunt's folder is now given as --hunt {}", human::quote(word)))
}

/// What clap says, in one line.
fn shortened(error: &clap::Error, command: &str) -> String {
    let rendered = error.render().to_string();
    let mut sentence = String::new();
    let mut tips: Vec<&str> = Vec::new();
    for line in rendered.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        }
        match line.strip_prefix("tip: ") {
            Some(tip) => tips.push(tip),
            None => {
                sentence += if sentence.is_empty() { "" } else { " " };
                sentence += line.strip_prefix("error: ").unwrap_or(line);
            }
        }
    }
    if !tips.is_empty() {
        sentence += &format!(" ({})", tips.join("; "));
    }
    let command = if command.is_empty() { String::new() } else { format!("{command} ") };
    sentence + &format!("; see gainsay {command}--help")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> String {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        let os: Vec<_> = words.iter().map(std::ffi::OsString::from).collect();
        let error = super::super::parse(&os).expect_err("a mistake");
        sentence(&error, &words).expect("a sentence")
    }

    #[test]
    fn old_spellings_name_the_new_one() {
        for command in ["hunt", "report 3 -o bug", "recheck", "suppress --list", "reduce 3"] {
            assert_eq!(told(&format!("gainsay {command} --out x")), "--out is now --hunt DIR");
        }
        assert_eq!(told("gainsay hunt --out=x"), "--out is now --hunt DIR");
        assert_eq!(told("gainsay findings x"), "the hunt's folder is now given as --hunt x");
        assert_eq!(told("gainsay show 3 x"), "the hunt's folder is now given as --hunt x");
        assert_eq!(
            told("gainsay hunt --mutate yarp"),
            "--mutate is now --programs ENGINE[,ENGINE]"
        );
        assert_eq!(
            told("gainsay smith --seed 7"),
            "gainsay smith is now gainsay gen --engine smith"
        );
    }

    #[test]
    fn other_mistakes_are_one_line() {
        let lines = [
            ("gainsay run --fule 3 a.c", "unexpected argument '--fule' found (a similar argument"),
            (
                "gainsay hunt --engine yapr",
                "invalid value 'yapr' for '--engine <ENGINES>' [possible values: yarp, ",
            ),
            (
                "gainsay run",
                "required arguments were not provided: <FILE.c>...; see gainsay run --help",
            ),
            ("gainsay llvm opt", "see gainsay llvm opt --help"),
            ("gainsay hunted", "unrecognized subcommand 'hunted'"),
        ];
        for (line, part) in lines {
            let told = told(line);
            assert!(told.contains(part) && !told.contains('\n'), "{told}");
        }
    }
}
