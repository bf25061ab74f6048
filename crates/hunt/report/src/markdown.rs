//! `report.md`: what trackers ask for, in reading order, for any tracker that takes Markdown.
//!
//! GCC's tracker takes plain text (`bugzilla`), LLVM's has habits of its own (`github`).

use std::fmt::Write;

use oracle::Certificate;

use crate::blame;
use crate::sentences::{self, Inline, name_and_version};
use crate::test::Test;
use crate::text::{code, fenced, head, one_line, plural};

/// Where Gainsay lives.
pub const PROJECT_URL: &str = "https://github.com/gainsay/gainsay";

/// A longer test is only named, not quoted.
pub const LINES: usize = 120;

/// Lines of an output or of messages; the files have all of it.
const SHOWN: usize = 25;

/// One line for a tracker's list: the compiler, and the title that the finding has everywhere.
pub fn title(test: &Test) -> String {
    format!("{}: {}", name_and_version(test), test.title())
}

/// The report.
pub fn markdown(test: &Test) -> String {
    let mut text = format!(
        "# {}\n\n{}\n",
        one_line(&title(test)),
        sentences::statement(test, Inline::Markdown)
    );
    if let Some((mark, why)) = sentences::doubt(test) {
        let _ = write!(text, "\n**{mark}**: {why}\n");
    }
    for (name, body) in [
        ("Test", program(test)),
        ("To reproduce", reproduce(test)),
        ("Expected and actual", expected(test)),
        ("Versions", versions(test)),
        ("Targets", targets(test)),
        blame::section(test.study.map(|study| &study.blame)),
        (vouches(test), validity(test, test.certificate())),
        ("Compiler and system", compiler(test)),
        ("Origin", origin(test)),
        ("Not checked", unchecked(test)),
    ] {
        if !body.is_empty() {
            let _ = write!(text, "\n## {name}\n\n{body}");
        }
    }
    text
}

/// What the evidence is about.
pub fn vouches(test: &Test) -> &'static str {
    match test.expected {
        _ if test.is_module() => "Evidence that the module is valid",
        Some(_) => "Evidence that the program is valid",
        None => "Evidence about the program",
    }
}

/// The language of a block of code.
pub fn language(test: &Test) -> &'static str {
    match test.files.iter().any(|f| f.name.ends_with(".cpp")) {
        _ if test.is_module() => "llvm",
        true => "cpp",
        false => "c",
    }
}

/// The files, or their names where they are too long to be read.
pub fn program(test: &Test) -> String {
    let lines: usize =
        test.files.iter().map(|f| String::from_utf8_lossy(&f.bytes).lines().count()).sum();
    let names = test.files.iter().map(|f| code(&f.name)).collect::<Vec<_>>().join(", ");
    if lines > LINES {
        let why = match test.study {
            Some(_) => String::new(),
            None => {
                format!(" Not reduced yet: run `gainsay reduce {}`.", test.found.id)
            }
        };
        return format!("{} in {names}, beside this report.{why}\n", plural(lines, "line"));
    }
    let one = |file: &oracle::SourceFile| {
        format!(
            "{}:\n\n{}",
            code(&file.name),
            fenced(language(test), &String::from_utf8_lossy(&file.bytes))
        )
    };
    let shown = test.files.iter().filter(|file| file.name != campaign::COUNTEREXAMPLE);
    shown.map(one).collect::<Vec<_>>().join("\n")
}

fn reproduce(test: &Test) -> String {
    let commands: String = test.commands().iter().map(|line| format!("$ {line}\n")).collect();
    let what = if test.is_sequenced() { "VERSION" } else { "COMPILER" };
    format!(
        "{}\n`./reproduce.sh [{what}]` runs them and exits with 0 if the bug is present, 1 if it is \
         gone, 2 if that cannot be determined.\n",
        fenced("console", &commands)
    )
}

fn expected(test: &Test) -> String {
    let mut text = format!("{}\n\n", sentences::expectation(test));
    if let Some(printed) = sentences::expected_output(test) {
        let _ = writeln!(text, "{}", fenced("", &head(&printed, SHOWN)));
    }
    let (words, got) = sentences::actual(test);
    let _ = match got {
        Some(got) => write!(text, "Actual{words}:\n\n{}", fenced("", &head(&got, SHOWN))),
        None => writeln!(text, "Actual: {}.", one_line(&test.summary())),
    };
    text
}

fn versions(test: &Test) -> String {
    match test.study.map(|study| &study.ladder) {
        Some(ladder) if !ladder.rungs.is_empty() => {
            format!("{}\n\n{}", blame::history(ladder), blame::table(ladder))
        }
        _ => String::new(),
    }
}

fn targets(test: &Test) -> String {
    let (fails, right) = test.labels();
    let list = |labels: &[String]| match labels {
        [] => "none".to_string(),
        labels => labels.iter().map(|label| code(label)).collect::<Vec<_>>().join(", "),
    };
    let has_ladder = test.study.is_some_and(|study| !study.ladder.rungs.is_empty());
    match &blame::other_targets(test)[..] {
        [] if has_ladder => String::new(),
        [] => format!("Fails: {}.\n\nWorks: {}.\n", list(&fails), list(&right)),
        rows => blame::target_table(rows),
    }
}

fn validity(test: &Test, certificate: &Certificate) -> String {
    let one = |one| format!("- {}\n", sentences::opinion(test, one, Inline::Markdown));
    let own = sentences::refutation(test).into_iter().map(|told| format!("- {told}\n"));
    certificate.opinions.iter().map(one).chain(own).collect()
}

fn compiler(test: &Test) -> String {
    let mut text = format!("- compiler: {}\n", name_and_version(test));
    if !test.triple.is_empty() {
        let _ = writeln!(text, "- target: {}", test.triple);
    }
    if !test.flags.is_empty() {
        let _ = writeln!(text, "- options: {}", code(&test.flags.join(" ")));
    }
    if let Some(system) = &test.today.system {
        let _ = writeln!(text, "- system: {}", one_line(system));
    }
    if test.today.preprocessed.is_some() {
        let _ = writeln!(text, "- preprocessed: `test.i`");
    }
    if let Some(verbose) = &test.today.verbose {
        let _ = write!(text, "\n{}", fenced("", verbose));
    }
    text
}

fn origin(test: &Test) -> String {
    let found = test.found;
    format!(
        "{} The original program is in `original/`: {}, engine {}, seed {}.\n",
        sentences::found(test),
        code(&found.finding.origin),
        found.engine,
        found.seed
    )
}

fn unchecked(test: &Test) -> String {
    sentences::unchecked(test).iter().map(|what| format!("- {what}\n")).collect()
}
