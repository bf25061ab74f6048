//! A finding for scripts: all that is known of it, as one JSON object.
//!
//! Every command that prints JSON of findings prints this one. Fields are added, never renamed. Titles are for people;
//! what scripts compare is `key` and `signature`.

use campaign::{Bug, Finding, Study, Title, pass_name};
use oracle::SourceFile;
use serde_json::{Value, json};

use crate::blame;

/// What of a finding's files goes into its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileTexts {
    /// The program to look at: reduced, where there is a study.
    Program,
    /// Those of the original program and of what compilers left as well.
    All,
}

/// A finding, with the bug it belongs to and its study.
pub fn object(
    found: &Finding,
    bug: Option<&Bug>,
    study: Option<&Study>,
    texts: FileTexts,
) -> Value {
    let finding = &found.finding;
    let file = |file: &SourceFile, with: bool| {
        let text = with.then(|| String::from_utf8_lossy(&file.bytes));
        json!({ "name": file.name, "bytes": file.bytes.len(), "text": text })
    };
    let all = texts == FileTexts::All;
    let title = Title::of(finding, study);
    let mut value = json!({
        "id": found.id, "kind": finding.kind, "standing": finding.standing,
        "title": title.to_string(), "summary": finding.summary, "signature": finding.signature,
        "targets": finding.targets(), "right": finding.right(), "engine": found.engine,
        "seed": found.seed, "seen_before": found.seen_before, "found_at": found.found_at,
        "subject": finding.subject, "commands": finding.commands(), "origin": finding.origin,
        "certificate": finding.certificate,
        "files": finding.files.iter().map(|f| file(f, all || study.is_none())).collect::<Value>(),
        "artifacts": finding.artifacts.iter().map(|f| file(f, all)).collect::<Value>(),
        "study": study.map_or(Value::Null, study_object),
    });
    if let Some(bug) = bug {
        value["key"] = json!(bug.key);
        value["bug"] = json!(bug.representative);
        value["attributed"] = json!(bug.attributed);
        value["count"] = json!(bug.count);
        value["representative"] = json!(bug.representative);
        value["suppressed"] = json!(bug.suppressed);
        value["state"] = json!(bug.state);
    }
    value
}

/// A study: what it learnt, and the reduced program.
fn study_object(study: &Study) -> Value {
    let file =
        |f: &SourceFile| json!({ "name": f.name, "text": String::from_utf8_lossy(&f.bytes) });
    json!({
        "key": study.key, "summary": study.summary, "compiler": study.compiler(),
        "flags": study.flags(), "targets": study.targets(), "right": study.right(),
        "tokens": { "before": study.tokens.0, "after": study.tokens.1 },
        "took_s": study.took.as_secs_f64(),
        "pass": study.blame.pass.as_deref().map(pass_name),
        "hides": blame::flags_that_hide(&study.blame), "versions": blame::versions(&study.ladder),
        "subject": study.subject, "commands": study.commands(), "certificate": study.certificate,
        "blame": study.blame, "ladder": study.ladder, "about": study.about, "mask": study.mask,
        "files": study.files.iter().map(file).collect::<Value>(),
        "evidence": study.evidence.iter().map(file).collect::<Value>(),
    })
}
