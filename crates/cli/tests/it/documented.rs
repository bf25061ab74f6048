//! Every command in README.md, in the chapters of `docs/` and in the examples of `--help` is run as printed, in a
//! folder that has the files they name. Output that a page shows must be what is printed; `…` stands for anything.
//!
//! Hunts and servers go on until Ctrl-C: they get it after a few seconds.

mod fixture;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Ended, Run, Status};

/// For what ends by itself, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// How long what goes on until Ctrl-C may go on.
const UNTIL_INTERRUPT: Duration = Duration::from_secs(4);

/// Columns of a terminal that help is written for: a longer example would be wrapped.
const WIDTH: usize = 100;

/// How commands begin that cannot run here as printed, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("cargo ", "this test is run by cargo"),
    ("nats-server", "tests of the cluster start their own on a free port"),
    ("curl ", "asks another machine"),
    (
        "gainsay compilers add",
        "fetches large packages; tests/it/compilers.rs does the same with a small archive",
    ),
    ("gainsay compilers remove", "there was nothing added"),
];

/// Words of commands that cannot run here as printed, and why.
const OTHER_MACHINES: &[(&str, &str)] = &[
    ("nats://head", "there is no machine named head; tests/it/cluster.rs runs the same commands"),
    ("nats://host", "there is no machine named host; tests/it/cluster.rs runs the same commands"),
];

macro_rules! pages {
    ($($name:ident $file:literal)*) => {
        $(#[test]
        fn $name() {
            run_page($file);
        })*

        /// The pages above.
        const PAGES: &[&str] = &[$($file),*];
    };
}

pages! {
    readme "README.md"
    hunting "docs/hunting.md"
    compilers "docs/compilers.md"
    comparing "docs/comparing.md"
    reducing "docs/reducing.md"
    executing "docs/executing.md"
    generating "docs/generating.md"
    variants "docs/variants.md"
    llvm "docs/llvm.md"
    machines "docs/machines.md"
}

#[test]
fn no_page_is_left_out() {
    let files = fs::read_dir(root().join("docs")).expect("a folder");
    let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
    for name in names.filter(|name| name.ends_with(".md")) {
        assert!(PAGES.contains(&format!("docs/{name}").as_str()), "docs/{name} is not run");
    }
}

#[test]
fn examples_of_help() {
    let commands = every_command(&[]);
    assert!(commands.len() > 20, "{commands:?}");
    let mut examples = 0;
    // Examples of one command use what those before them made, as `llvm minimise` does of `llvm import`.
    let mut folder: Option<(&str, sandbox::Scratch)> = None;
    for command in &commands {
        let group = command.first().map_or("", String::as_str);
        if folder.as_ref().is_none_or(|(last, _)| *last != group) {
            folder = Some((group, fixture::folder()));
        }
        let Some((_, dir)) = &folder else { continue };
        let text = help(command);
        let wide = text.lines().find(|line| line.chars().count() > WIDTH);
        assert_eq!(wide, None, "{command:?} --help is wrapped");
        for example in examples_in(&text) {
            let step = Step { command: example, shown: Vec::new() };
            examples += usize::from(step.run(dir.path(), 0, &command.join(" ")).is_some());
        }
    }
    assert!(examples > 40, "{examples} examples were run");
}

/// Runs the commands of a page one after the other, in one folder.
fn run_page(page: &str) {
    let text = fs::read_to_string(root().join(page)).expect("the page");
    let steps = steps_of(&text);
    let dir = fixture::folder();
    let mut last = 0;
    let mut ran = 0;
    for step in &steps {
        if let Some(status) = step.run(dir.path(), last, page) {
            last = status;
            ran += 1;
        }
    }
    assert!(ran > 0 || page == "docs/machines.md", "{page} has no command");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_path_buf()
}

/// A command and what a page shows of its output.
#[derive(Debug, PartialEq)]
struct Step {
    command: String,
    shown: Vec<String>,
}

impl Step {
    /// Runs it after a command that ended with status `last`; its own status, unless it cannot run here.
    fn run(&self, dir: &Path, last: i32, page: &str) -> Option<i32> {
        let command = &self.command;
        let elsewhere = ELSEWHERE.iter().any(|(start, _)| command.starts_with(start))
            || OTHER_MACHINES.iter().any(|(word, _)| command.contains(word));
        if elsewhere {
            return None;
        }
        let limit = if ends_by_itself(command) { PATIENCE } else { UNTIL_INTERRUPT };
        let script = format!("(exit {last}); {command}");
        let limit_words = ["--preserve-status", "--signal=INT", "--kill-after=60"];
        let run = Run::new("timeout", PATIENCE * 2)
            .args(limit_words)
            .arg(limit.as_secs().to_string())
            .args(["bash", "-c", &script])
            .env("PATH", fixture::path())
            .cwd(dir);
        let done = match run.finish() {
            Ended::Finished(done) => done,
            other => panic!("{page}: {command}: {other:?}"),
        };
        let output = done.stdout.text() + &done.stderr.text();
        let Status::Exit(status) = done.status else {
            panic!("{page}: {command}: {:?}\n{output}", done.status);
        };
        // 2 is a mistake in the arguments, or Ctrl-C before a hunt began; 66 and above end no example.
        let interrupted = output.contains("gainsay: stopped;");
        // A comparison that is cut short cannot tell.
        let cut = status == 3 && command.contains("gainsay compare");
        let fine = matches!(status, 0 | 1 | 65 | 130) || interrupted || cut;
        assert!(fine, "{page}: {command}: status {status}\n{output}");
        assert!(!output.contains("panicked"), "{page}: {command}:\n{output}");
        let missing = first_missing(&self.shown, &output);
        assert!(missing.is_none(), "{page}: {command}: no {missing:?} in\n{output}");
        Some(i32::from(status))
    }
}

/// Whether a command ends without Ctrl-C, in seconds.
fn ends_by_itself(command: &str) -> bool {
    let goes_on = ["gainsay hunt", "gainsay compare", "gainsay serve", "gainsay worker"];
    !goes_on.iter().any(|start| command.contains(start))
}

/// The commands of the `console` and `sh` blocks of a page.
fn steps_of(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut block = None;
    for line in page.lines() {
        if let Some(info) = line.strip_prefix("```") {
            block = (block.is_none()).then_some(info);
            continue;
        }
        match block {
            Some("console") => match line.strip_prefix("$ ") {
                Some(command) => steps.push(Step { command: command.into(), shown: Vec::new() }),
                None => {
                    let step = steps.last_mut().expect("a command before its output");
                    step.shown.push(line.into());
                }
            },
            Some("sh") if !line.is_empty() => {
                steps.push(Step { command: without_comment(line).into(), shown: Vec::new() });
            }
            _ => {}
        }
    }
    steps
}

/// A command without the words that explain it: two blanks or more stand between them.
fn without_comment(line: &str) -> &str {
    let line = line.trim();
    line.split_once("  ").map_or(line, |(command, _)| command).trim()
}

/// The first of the shown lines that is not in the output, in this order.
fn first_missing<'a>(shown: &'a [String], output: &str) -> Option<&'a str> {
    let mut lines = output.lines();
    let missing = |wanted: &&String| !lines.by_ref().any(|line| matches(line, wanted));
    shown.iter().filter(|line| line.as_str() != "…").find(missing).map(String::as_str)
}

/// Whether a line is the pattern, in which `…` stands for anything.
fn matches(line: &str, pattern: &str) -> bool {
    let mut parts = pattern.trim_end().split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.trim_end().strip_prefix(first) else { return false };
    let mut last = first;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        last = part;
    }
    rest.is_empty() || (pattern.contains('…') && last.is_empty())
}

/// All commands of the binary, by their words.
fn every_command(words: &[String]) -> Vec<Vec<String>> {
    let text = help(words);
    let list = text.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
    let list = list.split_once("\n\n").map_or(list, |(list, _)| list);
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|n| *n != "help");
    let mut all = vec![words.to_vec()];
    for name in names {
        all.extend(every_command(&[words, &[name.to_string()]].concat()));
    }
    all
}

fn help(words: &[String]) -> String {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), PATIENCE).args(words).arg("--help");
    match run.finish() {
        Ended::Finished(done) if done.status == Status::Exit(0) => done.stdout.text(),
        other => panic!("{words:?} --help: {other:?}"),
    }
}

/// The commands below `Examples:`.
fn examples_in(help: &str) -> Vec<String> {
    let list = help.split_once("\nExamples:\n").map_or("", |(_, rest)| rest);
    let lines = list.lines().take_while(|line| line.starts_with("  "));
    lines.map(|line| without_comment(line).to_string()).collect()
}

#[test]
fn pages_are_read() {
    let page =
        "a\n```console\n$ one x\nout\n$ two\n```\n```c\n$ no\n```\n```sh\nthree  # why\n```\n";
    let step = |command: &str, shown: &[&str]| Step {
        command: command.into(),
        shown: shown.iter().map(|line| line.to_string()).collect(),
    };
    assert_eq!(steps_of(page), [step("one x", &["out"]), step("two", &[]), step("three", &[])]);
    let help = "Usage\n\nExamples:\n  gainsay a    why\n  gainsay b 'c d'\n\nMore\n  no\n";
    assert_eq!(examples_in(help), ["gainsay a", "gainsay b 'c d'"]);
}

#[test]
fn output_is_compared() {
    for (line, pattern, same) in [
        ("9 tests in 38 s", "… tests in … s", true),
        ("9 tests in 38 s", "… tests", false),
        ("9 tests in 38 s", "9 tests…", true),
        ("4", "4", true),
        ("45", "4", false),
    ] {
        assert_eq!(matches(line, pattern), same, "{line} {pattern}");
    }
    let shown = ["a".to_string(), "…".into(), "c".into()];
    assert_eq!(first_missing(&shown, "a\nb\nc\n"), None);
    assert_eq!(first_missing(&shown, "c\na\n"), Some("c"));
}
