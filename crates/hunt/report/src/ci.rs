//! A hunt for CI systems: its bugs as SARIF 2.1.0 (OASIS), which code hosts show, and as JUnit's XML, which all read.
//!
//! One result is one line of the list of bugs. What is suppressed says why and fails nothing; what is disputed or not
//! confirmed is a note. The program is in the file itself: a hunt's programs are in nobody's repository.

use std::collections::BTreeMap;

use campaign::{Bug, BugCount, Finding, Standing, Study, Title};
use oracle::{FailureKind, SourceFile};
use serde_json::{Value, json};

use crate::markdown::PROJECT_URL;
use crate::text::escape;

/// Where the schema of SARIF is.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A bug with the finding to look at.
#[derive(Clone, Copy, Debug)]
pub struct BugCase<'a> {
    /// The bug.
    pub bug: &'a Bug,
    /// Its representative, with files.
    pub found: &'a Finding,
    /// The study of that, with files.
    pub study: Option<&'a Study>,
}

/// What a CI system is to make of a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    /// It fails the run.
    Failure,
    /// It is told, and fails nothing.
    Note,
    /// Somebody has decided that nobody wants to hear of it.
    Suppressed,
}

impl BugCase<'_> {
    fn weight(&self) -> Weight {
        match (&self.bug.suppressed, self.bug.standing) {
            (Some(_), _) => Weight::Suppressed,
            (None, Standing::Confirmed) => Weight::Failure,
            (None, Standing::Unconfirmed | Standing::CannotTell | Standing::Disputed) => {
                Weight::Note
            }
        }
    }

    fn title(&self) -> String {
        Title::of(&self.found.finding, self.study).to_string()
    }

    /// The targets that fail on the program that is shown.
    fn targets(&self) -> Vec<String> {
        self.study.map_or_else(|| self.found.finding.targets(), Study::targets)
    }

    fn files(&self) -> &[SourceFile] {
        self.study.map_or(&self.found.finding.files, |study| &study.files)
    }

    fn commands(&self) -> Vec<String> {
        self.study.map_or_else(|| self.found.finding.commands(), Study::commands)
    }

    /// What a person reads: the title, on what, and how to see it.
    fn message(&self) -> String {
        let first = self.commands().into_iter().next().unwrap_or_default();
        format!("{}. Fails: {}. To reproduce: {first}", self.title(), self.targets().join(", "))
    }

    /// Where a file of it is, below the root of the log.
    fn uri(&self, file: &SourceFile) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let name: String = file.name.chars().map(plain).collect();
        format!("finding-{}/{name}", self.found.id)
    }
}

/// The bugs as SARIF.
pub fn sarif(cases: &[BugCase]) -> Value {
    let rule = |kind: &FailureKind| {
        json!({
            "id": kind.name(), "name": kind.name(),
            "shortDescription": { "text": kind_sentence(*kind) },
            "defaultConfiguration": { "level": "error" },
        })
    };
    let artifacts = cases.iter().flat_map(|case| {
        let one = |file: &SourceFile| {
            let text = String::from_utf8_lossy(&file.bytes);
            json!({ "location": { "uri": case.uri(file) }, "contents": { "text": text } })
        };
        case.files().iter().map(one).collect::<Vec<_>>()
    });
    let count = BugCount::of(cases.iter().map(|case| case.bug));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Gainsay", "version": env!("CARGO_PKG_VERSION"),
                "informationUri": PROJECT_URL,
                "rules": FailureKind::ALL.iter().map(rule).collect::<Value>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": cases.iter().map(result).collect::<Value>(),
            "artifacts": artifacts.collect::<Value>(),
            "properties": { "count": count },
        }],
    })
}

fn result(case: &BugCase) -> Value {
    let kind = case.bug.kind;
    let (level, sarif_kind) = match case.weight() {
        Weight::Failure => ("error", "fail"),
        Weight::Suppressed => ("none", "informational"),
        Weight::Note => ("none", "review"),
    };
    // A program is wrong as a whole: its first line stands for it.
    let place = |file: &SourceFile| {
        json!({ "physicalLocation": {
            "artifactLocation": { "uri": case.uri(file) }, "region": { "startLine": 1 },
        } })
    };
    let suppressions =
        case.bug.suppressed.iter().map(
            |reason| json!({ "kind": "external", "status": "accepted", "justification": reason }),
        );
    json!({
        "ruleId": kind.name(),
        "ruleIndex": FailureKind::ALL.iter().position(|one| *one == kind),
        "level": level, "kind": sarif_kind,
        "message": { "text": case.message() },
        "locations": case.files().first().map(place).into_iter().collect::<Value>(),
        "partialFingerprints": { "key/v1": case.bug.key },
        "occurrenceCount": case.bug.count,
        "suppressions": suppressions.collect::<Value>(),
        "properties": {
            "id": case.found.id, "title": case.title(), "targets": case.targets(),
            "commands": case.commands(), "standing": case.bug.standing,
            "attributed": case.bug.attributed, "state": case.bug.state,
        },
    })
}

/// A kind in a sentence.
fn kind_sentence(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::WrongOutput => "The compiled program prints something else than C says",
        FailureKind::RuntimeCrash => "The compiled program crashes, and C says that it does not",
        FailureKind::RuntimeHang => "The compiled program does not end, and C says that it does",
        FailureKind::CompilerCrash => "The compiler crashes",
        FailureKind::CompilerHang => "The compiler does not end",
        FailureKind::CompilerMemory => "The compiler runs out of memory",
        FailureKind::Rejection => "The compiler rejects a valid program",
        FailureKind::SanitizerFalseAlarm => "A sanitizer stops a program that is well-defined",
        FailureKind::SanitizerMiss => "A sanitizer does not report what it documents to find",
        FailureKind::Disagreement => "A tool objects to a program that others call valid",
        FailureKind::InvalidIr => "A pass leaves a module that does not verify",
        FailureKind::Miscompilation => "A pass changes what a module means",
    }
}

/// The bugs as JUnit's XML: one suite, one case for each bug by kind.
pub fn junit(cases: &[BugCase]) -> String {
    let mut weights: BTreeMap<&str, usize> = BTreeMap::new();
    let mut body = String::new();
    for case in cases {
        let (inner, counter) = match case.weight() {
            Weight::Failure => (failure(case), "failures"),
            Weight::Suppressed => {
                (skipped(case.bug.suppressed.as_deref().unwrap_or_default()), "skipped")
            }
            Weight::Note => (skipped(case.bug.standing.name()), "skipped"),
        };
        *weights.entry(counter).or_default() += 1;
        body += &format!(
            "    <testcase classname=\"{}\" name=\"{}\">{inner}</testcase>\n",
            xml(case.bug.kind.name()),
            xml(&format!(
                "#{} {}: {}",
                case.found.id,
                case.targets().first().cloned().unwrap_or_default(),
                case.title()
            )),
        );
    }
    let of = |counter| weights.get(counter).copied().unwrap_or_default();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"gainsay\" tests=\"{}\" \
         failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{body}  </testsuite>\n</testsuites>\n",
        cases.len(),
        of("failures"),
        of("skipped"),
    )
}

fn failure(case: &BugCase) -> String {
    let mut text = case.commands().join("\n");
    for file in case.files() {
        text += &format!("\n\n{}:\n{}", file.name, String::from_utf8_lossy(&file.bytes));
    }
    format!(
        "<failure type=\"{}\" message=\"{}\">{}</failure>",
        xml(case.bug.kind.name()),
        xml(&case.message()),
        xml(&text)
    )
}

fn skipped(why: &str) -> String {
    format!("<skipped message=\"{}\"/>", xml(why))
}

/// Text of XML. What XML 1.0 forbids even when it is escaped is gone: control characters, U+FFFE and U+FFFF.
fn xml(text: &str) -> String {
    let legal = |c: char| {
        if matches!(c, '\u{fffe}' | '\u{ffff}') { char::REPLACEMENT_CHARACTER } else { c }
    };
    escape(&text.chars().map(legal).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hostile_gets_into_xml() {
        assert_eq!(xml("a<b>&\"'\u{1}\u{ffff}\n"), "a&lt;b&gt;&amp;&quot;&#39;\u{fffd}\u{fffd}\n");
    }
}
