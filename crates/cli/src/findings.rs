//! `gainsay findings`: what hunts have found, one line for each bug.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use campaign::{Bug, BugState, Finding, Standing, Store, Study};
use clap::Args;
use oracle::FailureKind;
use serde_json::{Value, json};

use crate::args::{HuntFolder, command_on};
use crate::hunt::one_line;
use crate::{human, terminal};

/// Columns where there is no terminal.
const WIDTH: usize = 120;

/// Columns of the list of targets; a compiler at all its levels is longer, and `show` tells.
const TARGETS: usize = 24;

/// Columns of a bug's versions.
const VERSIONS: usize = 20;

/// List what was found
///
/// One line for each bug: findings that were reduced and have the same cause, or that have the same
/// signature. The rarest are first among bugs of a kind, suppressed ones are counted at the end.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Findings {
    #[command(flatten)]
    pub folder: HuntFolder,
    /// Only findings of this kind
    ///
    /// wrong-output, runtime-crash, runtime-hang, compiler-crash, compiler-hang, compiler-memory, rejection,
    /// sanitizer-miss or disagreement.
    #[arg(long, value_name = "KIND", value_parser = crate::findings::kind)]
    pub kind: Option<oracle::FailureKind>,
    /// Every finding on a line of its own
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object for each finding
    #[arg(long)]
    pub json: bool,
}

const HELP: &str = "\
Examples:
  gainsay findings
  gainsay findings --kind wrong-output --all
  gainsay findings --json | jq -s 'group_by(.key) | map({key: .[0].key, n: length})'
  gainsay findings --hunt my-hunt --json | jq -r .signature | sort | uniq -c";

/// Runs the command; the exit status.
pub fn main(args: &Findings) -> Result<u8> {
    let store = Store::open(&args.folder.dir)?;
    let wanted = |kind: FailureKind| args.kind.is_none_or(|only| only == kind);
    let mut findings = store.findings()?;
    let mut bugs = store.bugs()?;
    if args.json {
        let studies: BTreeMap<i64, Study> = store.studies()?.into_iter().collect();
        let wanted = findings.iter().filter(|f| wanted(f.finding.kind));
        let text: String = wanted.map(|f| format!("{}\n", full(f, &bugs, &studies))).collect();
        terminal::print(text.as_bytes())?;
        return Ok(0);
    }
    let width = terminal::width().unwrap_or(WIDTH);
    let dir = args.folder.dir.to_string_lossy();
    let text = match args.all {
        true => {
            findings.retain(|f| wanted(f.finding.kind));
            let rows = findings.iter().map(|f| Row { found: f, bug: None, study: None }).collect();
            table(rows, now(), &dir, width)
        }
        false => {
            bugs.retain(|bug| wanted(bug.kind));
            let studies = store.studies()?.into_iter().collect();
            by_bug(&findings, &bugs, &studies, now(), &dir, width)
        }
    };
    terminal::print(text.as_bytes())?;
    Ok(0)
}

/// A finding as an object, with what is known of its bug.
fn full(found: &Finding, bugs: &[Bug], studies: &BTreeMap<i64, Study>) -> Value {
    let mut value = object(found);
    if let Some(bug) = bugs.iter().find(|bug| bug.ids.contains(&found.id)) {
        value["key"] = json!(bug.key);
        value["count"] = json!(bug.count);
        value["representative"] = json!(bug.representative);
        value["suppressed"] = json!(bug.suppressed);
        value["state"] = json!(bug.state);
    }
    value["study"] = studies.get(&found.id).map_or(Value::Null, study_object);
    value
}

/// What JSON objects say of a study, without its files.
pub fn study_object(study: &Study) -> Value {
    json!({
        "key": study.key, "summary": study.summary, "compiler": study.compiler(),
        "flags": study.flags(), "targets": study.targets(), "right": study.right(),
        "tokens": { "before": study.tokens.0, "after": study.tokens.1 },
        "took_s": study.took.as_secs_f64(), "pass": study.blame.pass,
        "hides": report::flags_that_hide(&study.blame), "versions": report::versions(&study.ladder),
    })
}

/// Reads the name of a kind.
pub fn kind(text: &str) -> Result<FailureKind, String> {
    FailureKind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
        let names: Vec<&str> = FailureKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("the kinds are {}", names.join(", "))
    })
}

/// Findings that are likely to be one bug.
#[derive(Debug)]
pub struct Group<'a> {
    /// How many.
    pub count: usize,
    /// The one to look at: the newest.
    pub newest: &'a Finding,
}

/// One group for each signature and standing; those that stand first, then by kind, gravest first,
/// then the newest first.
pub fn groups(findings: &[Finding]) -> Vec<Group<'_>> {
    let mut by_signature: BTreeMap<(bool, &str), Group> = BTreeMap::new();
    for finding in findings {
        let key = (!finding.finding.stands(), finding.finding.signature.as_str());
        let group = by_signature.entry(key).or_insert(Group { count: 0, newest: finding });
        group.count += 1;
        if finding.id > group.newest.id {
            group.newest = finding;
        }
    }
    let rank = |kind: FailureKind| FailureKind::ALL.iter().position(|k| *k == kind);
    let mut groups: Vec<Group> = by_signature.into_values().collect();
    groups.sort_by_key(|Group { newest, .. }| {
        (!newest.finding.stands(), rank(newest.finding.kind), Reverse(newest.id))
    });
    groups
}

/// A line of the table.
struct Row<'a> {
    found: &'a Finding,
    /// Where the line stands for a bug.
    bug: Option<&'a Bug>,
    study: Option<&'a Study>,
}

impl Row<'_> {
    fn cells(&self, now: u64) -> [String; 10] {
        let Finding { id, found_at, finding, .. } = self.found;
        let doubt = match finding.standing {
            Standing::Confirmed => "",
            Standing::Unconfirmed => "*",
            Standing::Disputed => "?",
        };
        let fixed = |bug: &&Bug| bug.state == BugState::Fixed;
        let of_study = |cell: fn(&Study) -> String| self.study.map(cell).unwrap_or_default();
        let (targets, summary) = match self.study {
            Some(study) => (study.targets(), &study.summary),
            None => (finding.targets(), &finding.summary),
        };
        [
            id.to_string(),
            self.bug.map(|bug| bug.count.to_string()).unwrap_or_default(),
            format!("{}{doubt}", finding.kind.name()),
            self.bug.filter(fixed).map(|_| "fixed".into()).unwrap_or_default(),
            of_study(|study| study.tokens.1.to_string()),
            of_study(|study| study.blame.pass.clone().unwrap_or_default()),
            of_study(|study| human::cut(&report::versions(&study.ladder), VERSIONS)),
            human::age(now.saturating_sub(*found_at)),
            human::cut(&human::targets(&targets), TARGETS),
            one_line(summary),
        ]
    }
}

/// Names of the columns; one that is empty in all lines is left out.
const COLUMNS: [&str; 10] =
    ["id", "count", "kind", "state", "tokens", "pass", "versions", "age", "targets", "what"];

/// Columns of numbers.
const NUMBERS: [usize; 3] = [0, 1, 4];

fn table(rows: Vec<Row>, now: u64, dir: &str, width: usize) -> String {
    let Some(first) = rows.first() else { return "no findings\n".into() };
    let cells: Vec<[String; 10]> = rows.iter().map(|row| row.cells(now)).collect();
    let mut widths = [0; 10];
    for (i, column) in COLUMNS.iter().enumerate() {
        let widest = cells.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
        widths[i] = if widest == 0 { 0 } else { widest.max(column.len()) };
    }
    let mut text = String::new();
    for row in std::iter::once(&COLUMNS.map(String::from)).chain(&cells) {
        let mut line = String::new();
        for (i, (cell, width)) in row.iter().zip(widths).enumerate().filter(|(_, (_, w))| *w > 0) {
            let gap = if i == 0 { "" } else { "  " };
            let _ = match NUMBERS.contains(&i) {
                true => write!(line, "{gap}{cell:>width$}"),
                false => write!(line, "{gap}{cell:width$}"),
            };
        }
        let _ = writeln!(text, "{}", human::cut(line.trim_end(), width));
    }
    let has = |standing| rows.iter().any(|row| row.found.finding.standing == standing);
    if has(Standing::Unconfirmed) {
        text.push_str(
            "*: not confirmed: seen when the hunt ended; the same hunt again tries it once more\n",
        );
    }
    if has(Standing::Disputed) {
        text.push_str("?: disputed: the program may be to blame, or gainsay\n");
    }
    if !terminal::is_quiet() {
        let _ = writeln!(text, "\nNext: {}", show_command(first.found.id, dir));
    }
    text
}

/// The table of bugs, and a line on those that are suppressed.
fn by_bug(
    findings: &[Finding],
    bugs: &[Bug],
    studies: &BTreeMap<i64, Study>,
    now: u64,
    dir: &str,
    width: usize,
) -> String {
    let (suppressed, shown): (Vec<&Bug>, Vec<&Bug>) =
        bugs.iter().partition(|bug| bug.suppressed.is_some());
    let row = |bug: &&'_ Bug| {
        let id = bug.representative;
        let at = findings.binary_search_by_key(&id, |found| found.id).ok()?;
        Some((at, id))
    };
    let rows = shown.iter().filter_map(|bug| {
        let (at, id) = row(bug)?;
        Some(Row { found: &findings[at], bug: Some(*bug), study: studies.get(&id) })
    });
    let rows: Vec<Row> = rows.collect();
    let mut text = match rows.is_empty() && !suppressed.is_empty() {
        true => String::new(),
        false => table(rows, now, dir, width),
    };
    if !suppressed.is_empty() {
        let n: usize = suppressed.iter().map(|bug| bug.count).sum();
        let mut reasons: Vec<&str> =
            suppressed.iter().filter_map(|bug| bug.suppressed.as_deref()).collect();
        reasons.dedup();
        let line = format!(
            "suppressed: {}, {} ({})",
            human::plural(suppressed.len() as u64, "bug"),
            human::plural(n as u64, "finding"),
            one_line(&reasons.join(", "))
        );
        let _ = writeln!(text, "{}", human::cut(&line, width));
    }
    text
}

/// The command that shows a finding; the folder is left out where it is the usual one.
pub fn show_command(id: i64, dir: &str) -> String {
    command_on(Path::new(dir), &format!("show {id}"))
}

/// What all JSON objects of findings have.
pub fn object(found: &Finding) -> Value {
    let finding = &found.finding;
    json!({
        "id": found.id, "kind": finding.kind, "standing": finding.standing,
        "summary": finding.summary, "signature": finding.signature, "targets": finding.targets(),
        "right": finding.right(), "engine": found.engine, "seed": found.seed,
        "seen_before": found.seen_before, "found_at": found.found_at,
    })
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::DEFAULT_HUNT;
    use crate::hunt::sample::{self, finding};
    use campaign::Standing;

    fn three() -> Vec<Finding> {
        let mut disputed = finding(4, FailureKind::WrongOutput, "wrong-output tcc");
        disputed.finding.standing = Standing::Disputed;
        disputed.finding.subject = sample::subject(&[("tcc", "-O0")], &[]);
        vec![
            finding(1, FailureKind::CompilerCrash, "compiler-crash gcc in extract_insn"),
            finding(2, FailureKind::WrongOutput, "wrong-output gcc-12 -O2 -O3"),
            finding(3, FailureKind::WrongOutput, "wrong-output gcc-12 -O2 -O3"),
            disputed,
        ]
    }

    fn bug(key: &str, kind: FailureKind, ids: &[i64]) -> Bug {
        Bug {
            key: key.into(),
            kind,
            standing: Standing::Confirmed,
            count: ids.len(),
            ids: ids.to_vec(),
            suppressed: None,
            state: BugState::Open,
            noted: None,
            representative: ids[ids.len() - 1],
        }
    }

    fn bugs() -> Vec<Bug> {
        vec![
            bug("wrong-output gcc-12 -O2 -O3", FailureKind::WrongOutput, &[2, 3]),
            bug("compiler-crash gcc in extract_insn", FailureKind::CompilerCrash, &[1]),
            Bug { standing: Standing::Disputed, ..bug("w", FailureKind::WrongOutput, &[4]) },
        ]
    }

    #[test]
    fn one_line_for_each_bug() {
        let want = "\
id  count  kind            age  targets          what
 3      2  wrong-output    2 h  gcc-12 -O2, -O3  prints \"test_3 1f\" for \"test_3 2a\" (line 3)
 1      1  compiler-crash  2 h  gcc-12 -O2, -O3  internal compiler error: in extract_insn, at recog…
 4      1  wrong-output?   2 h  tcc -O0          prints \"test_3 1f\" for \"test_3 2a\" (line 3)
?: disputed: the program may be to blame, or gainsay

Next: gainsay show 3
";
        let none = BTreeMap::new();
        assert_eq!(by_bug(&three(), &bugs(), &none, 1_800_007_300, DEFAULT_HUNT, 100), want);
    }

    #[test]
    fn studied_fixed_and_suppressed_bugs() {
        let mut bugs = bugs();
        bugs.pop();
        bugs[1].state = BugState::Fixed;
        let known = |reason: &str, ids: &[i64]| Bug {
            suppressed: Some(reason.into()),
            ..bug("s", FailureKind::Rejection, ids)
        };
        bugs.extend([known("PR 1", &[7, 8, 9]), known("PR 2", &[10])]);
        let studies = BTreeMap::from([(3, sample::study())]);
        let want = "\
id  count  kind            state  tokens  pass    versions        age  targets          what
 3      2  wrong-output               61  tailr1  gcc-11, gcc-12  2 h  gcc-12 -O2       prints \"0\"…
 1      1  compiler-crash  fixed                                  2 h  gcc-12 -O2, -O3  internal c…

Next: gainsay show 3
suppressed: 2 bugs, 4 findings (PR 1, PR 2)
";
        assert_eq!(by_bug(&three(), &bugs, &studies, 1_800_007_300, DEFAULT_HUNT, 99), want);
        let only = by_bug(&three(), &bugs[2..], &studies, 0, DEFAULT_HUNT, 99);
        assert_eq!(only, "suppressed: 2 bugs, 4 findings (PR 1, PR 2)\n");
    }

    #[test]
    fn every_one() {
        let want = "\
id  kind            age   targets          what
 1  compiler-crash  40 s  gcc-12 -O2, -O3  interna…
 2  wrong-output    40 s  gcc-12 -O2, -O3  prints …

Next: gainsay show 1 --hunt 'my hunt'
";
        let all = three();
        let rows = |n| all[..n].iter().map(|found| Row { found, bug: None, study: None }).collect();
        assert_eq!(table(rows(2), 1_800_000_040, "my hunt", 51), want);
        assert_eq!(table(rows(0), 0, DEFAULT_HUNT, 51), "no findings\n");
    }

    #[test]
    fn objects_tell_of_the_bug() {
        let studies = BTreeMap::from([(3, sample::study())]);
        let value = full(&three()[2], &bugs(), &studies);
        assert_eq!((&value["id"], &value["count"]), (&3.into(), &2.into()));
        assert_eq!((&value["state"], &value["suppressed"]), (&"open".into(), &Value::Null));
        assert_eq!(value["study"]["tokens"]["after"], 61);
        assert_eq!(value["signature"], "wrong-output gcc-12 -O2 -O3");
        assert_eq!(full(&three()[1], &bugs(), &studies)["study"], Value::Null);
    }

    #[test]
    fn kinds_are_read() {
        assert_eq!(kind("runtime-hang"), Ok(FailureKind::RuntimeHang));
        assert!(kind("hang").is_err_and(|e| e.contains("runtime-hang")));
    }
}
