//! What every format of a report says in words, with or without the marks of Markdown.

use std::fmt::Write;

use campaign::Standing;
use oracle::{Assessment, Behaviour, FailureKind, Opinion};

use crate::blame;
use crate::markdown::PROJECT_URL;
use crate::test::Test;
use crate::text::{code, date, one_line};

/// How code looks inside a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Between backquotes.
    Markdown,
    /// As it is.
    Plain,
}

impl Inline {
    /// A piece of code.
    pub fn code(self, text: &str) -> String {
        match self {
            Inline::Markdown => code(text),
            Inline::Plain => one_line(text),
        }
    }

    /// Words that nobody may overlook.
    pub fn strong(self, words: &str) -> String {
        match self {
            Inline::Markdown => format!("**{words}**"),
            Inline::Plain => words.to_uppercase(),
        }
    }
}

/// `gcc-12 (12.2.0)`.
pub fn name_and_version(test: &Test) -> String {
    match test.version.is_empty() || test.compiler.contains(&test.version) {
        true => test.compiler.clone(),
        false => format!("{} ({})", test.compiler, test.version),
    }
}

/// The files that are compiled.
pub fn units<'t>(test: &'t Test) -> Vec<&'t str> {
    let beside = [campaign::AFTER, campaign::COUNTEREXAMPLE];
    let units = test.files.iter().filter(|file| file.is_unit());
    units.map(|file| file.name.as_str()).filter(|name| !beside.contains(name)).collect()
}

/// The bug in one paragraph.
pub fn statement(test: &Test, inline: Inline) -> String {
    let compiler = name_and_version(test);
    let machine = match test.triple.is_empty() {
        true => String::new(),
        false => format!(" for {}", test.triple),
    };
    let code = |text: &str| inline.code(text);
    let flags = code(&test.flags.join(" "));
    // A compiler without levels has none to name.
    let at = if test.flags.is_empty() { String::new() } else { format!(" at {flags}") };
    let with = if test.flags.is_empty() { String::new() } else { format!(" with {flags}") };
    // Passes are no level.
    let at = if test.is_module() { with.clone() } else { at };
    let name = code(&units(test).join(" "));
    let summary = one_line(&test.summary());
    let does = match test.kind() {
        FailureKind::WrongOutput | FailureKind::RuntimeCrash | FailureKind::RuntimeHang
            if test.is_sequenced() =>
        {
            format!("generates wrong code for {name}{with}: it {}", it_does(&summary))
        }
        FailureKind::WrongOutput | FailureKind::RuntimeCrash => {
            format!("compiles {name}{at} to a program that {}", it_does(&summary))
        }
        FailureKind::RuntimeHang => format!("compiles {name}{at} to a program that does not end"),
        FailureKind::CompilerCrash => format!("crashes on {name}{at}: {}", code(&summary)),
        FailureKind::Miscompilation => format!("miscompiles {name}{with}: {}", code(&summary)),
        FailureKind::InvalidIr => format!("makes {name} invalid{with}: {}", code(&summary)),
        FailureKind::CompilerHang => format!("does not end on {name}{at}"),
        FailureKind::CompilerMemory => format!("runs out of memory on {name}{at}"),
        FailureKind::Rejection => format!("rejects {name}{at}: {}", code(&summary)),
        FailureKind::SanitizerFalseAlarm => {
            format!("compiles {name}{at} to a program that its sanitizer stops: {}", code(&summary))
        }
        FailureKind::SanitizerMiss => format!("reports nothing on {name}{with}: {summary}"),
        FailureKind::Disagreement => format!("objects to {name}{with}: {}", code(&summary)),
    };
    let hides = test.study.and_then(|study| blame::flags_that_hide(&study.blame));
    let hides = hides.map_or_else(String::new, |flags| format!(" {} hides it.", code(&flags)));
    let regression = test.subject.comparison();
    let regression = regression
        .map_or_else(String::new, |told| format!(" It is a regression: it {}.", one_line(&told)));
    format!("{compiler}{machine} {does}.{regression}{}{hides}", validity(test))
}

/// A summary as what a program does: some have no verb, some the program before it.
fn it_does(summary: &str) -> String {
    let what = summary.strip_prefix("the program ").unwrap_or(summary);
    match what.strip_prefix("exit status ") {
        Some(rest) => format!("exits with status {rest}"),
        None => what.into(),
    }
}

/// Whether what is wrong can be the program's fault.
fn validity(test: &Test) -> &'static str {
    match (test.kind().is_wrong_code(), test.is_vouched_for()) {
        _ if test.is_module() => " LLVM's verifier accepts the module.",
        (false, _) if test.expected.is_none() => {
            " The program has no single defined result: compile it, do not run it."
        }
        (true, true) => {
            " The program has one defined result and no undefined behaviour; the evidence is below."
        }
        (false, true) => " The program is valid; the evidence is below.",
        (_, false) => " No tool could check whether the program is valid.",
    }
}

/// Why it is not to be sent yet, if so: the mark, and the sentence.
pub fn doubt(test: &Test) -> Option<(&'static str, &'static str)> {
    match test.found.finding.standing {
        Standing::Confirmed => None,
        Standing::Unconfirmed => Some((
            "Not confirmed",
            "seen when the hunt ended. Run the same hunt again before you report this.",
        )),
        Standing::CannotTell => Some((
            "Cannot tell",
            "whether this is a regression: the baseline of the comparison does not show such failures, or does not \
             take this.",
        )),
        Standing::Disputed => Some((
            "Disputed",
            "the program may be at fault, or Gainsay. Do not report this as it is.",
        )),
    }
}

/// What a tool says of the program, and how it was asked.
pub fn opinion(test: &Test, opinion: &Opinion, inline: Inline) -> String {
    let command = match opinion.command.is_empty() {
        true => String::new(),
        false => format!(" ({})", inline.code(&test.renamed(&opinion.command))),
    };
    format!("{}{command}", says(opinion, inline))
}

/// What a tool says of the program.
pub fn says(opinion: &Opinion, inline: Inline) -> String {
    let says = match &opinion.says {
        Assessment::Valid => "valid, with the expected result".to_string(),
        Assessment::Undefined(what) => {
            format!("{}: {}", inline.strong("undefined"), one_line(what))
        }
        Assessment::Differs(what) => {
            format!("no report, but a different result: {}", one_line(what))
        }
        Assessment::NoAlarm => "no alarm".to_string(),
        Assessment::Alarm(what) => format!("an alarm, possibly false: {}", one_line(what)),
        Assessment::Silent(why) => format!("no answer: {}", one_line(why)),
    };
    format!("{}: {says}", one_line(&opinion.tool))
}

/// What is to be expected, in a sentence; wrong code has an output as well.
pub fn expectation(test: &Test) -> String {
    match (&test.expected, test.kind()) {
        (Some(expected), kind) if kind.is_wrong_code() => {
            format!("Expected, with exit status {}:", expected.status)
        }
        (_, FailureKind::Miscompilation) => "Expected: a module that refines the original.".into(),
        _ if test.is_module() => "Expected: a valid module.".into(),
        _ => "Expected: it compiles.".into(),
    }
}

/// What the program must print, where that is what is wrong.
pub fn expected_output(test: &Test) -> Option<String> {
    let expected = test.expected.as_ref().filter(|_| test.kind().is_wrong_code())?;
    Some(String::from_utf8_lossy(&expected.stdout).into_owned())
}

/// What is seen instead: a word on how it ended, and the text.
pub fn actual(test: &Test) -> (String, Option<String>) {
    let counterexample = test.files.iter().find(|file| file.name == campaign::COUNTEREXAMPLE);
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let dies = match test.kind() {
        FailureKind::RuntimeCrash => format!(" ({})", one_line(&test.summary())),
        _ => String::new(),
    };
    let nothing = |text: &[u8]| if text.is_empty() { ", and no output" } else { "" };
    match &test.today.got {
        Some(Behaviour::Ran { status, stdout }) => {
            let words = format!(", with exit status {status}{dies}{}", nothing(stdout));
            (words, Some(lossy(stdout)))
        }
        Some(Behaviour::Crashed(told) | Behaviour::Rejected(told) | Behaviour::Exhausted(told)) => {
            (String::new(), Some(told.clone()))
        }
        _ => {
            let kept = counterexample.or_else(|| test.seen()).map(|file| lossy(&file.bytes));
            let words = kept.as_ref().map(|text| format!("{dies}{}", nothing(text.as_bytes())));
            (words.unwrap_or_default(), kept.map(|text| test.named(&text)))
        }
    }
}

/// Those whose word helps a maintainer: a tool that had no answer has none for them either.
pub fn telling<'t>(test: &'t Test) -> impl Iterator<Item = &'t Opinion> {
    let opinions = test.certificate().opinions.iter();
    opinions.filter(|opinion| !matches!(opinion.says, Assessment::Silent(_)))
}

/// What is said of a counterexample, and by whom, beside the tools that looked at the module.
pub fn refutation(test: &Test) -> Vec<String> {
    if test.kind() != FailureKind::Miscompilation {
        return Vec::new();
    }
    let gainsay = env!("CARGO_PKG_VERSION");
    let mut all = vec![format!(
        "the counterexample: gainsay {gainsay} executed both sides on it, by the LangRef's semantics of undef and poison"
    )];
    let alive = test.found.finding.artifacts.iter().find(|file| file.name == ALIVE);
    all.extend(
        alive.map(|file| format!("Alive2: {}", one_line(&String::from_utf8_lossy(&file.bytes)))),
    );
    all
}

/// The file of a finding with Alive2's opinion.
const ALIVE: &str = "alive-tv";

/// Who found it, and how often. How the program was made is for those who have the hunt.
pub fn found(test: &Test) -> String {
    let found = test.found;
    let mut text =
        format!("Found by fuzzing with Gainsay ({PROJECT_URL}) on {}.", date(found.found_at));
    if let Some(study) = test.study {
        let (before, after) = study.tokens;
        let _ =
            write!(text, " Reduced from {before} tokens to {after} in {} s.", study.took.as_secs());
    }
    if let Some(bug) = test.bug.filter(|bug| bug.count > 1) {
        let _ = write!(text, " {} findings of that hunt are likely to be this bug.", bug.count);
    }
    text
}

/// That a later version has it no more, if so: trackers do not take what is fixed.
pub fn fixed(test: &Test) -> Option<String> {
    let stories = blame::stories(&test.study?.ladder);
    let fixed = stories.first()?.fixed_in()?;
    Some(format!(
        "{} ({}) does not have it any more: report it only if it is to be fixed in older versions, too.",
        one_line(&fixed.compiler),
        one_line(&fixed.version)
    ))
}

/// What nobody has looked at, a sentence each.
pub fn unchecked(test: &Test) -> Vec<&'static str> {
    let mut all = vec!["duplicates: the tracker was not searched"];
    let ladder = test.study.map(|study| &study.ladder);
    all.push(match ladder.is_none_or(|ladder| ladder.rungs.len() < 2) {
        true => {
            "other versions of the compiler than those above, its development branch among them"
        }
        false => {
            "versions of the compiler that are not in the table, its development branch among them"
        }
    });
    if test.study.is_none() {
        all.push("which pass is at fault: the program is not reduced");
    }
    all
}
