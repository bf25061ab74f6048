//! `gainsay findings`: what hunts have found, one line for each bug.

use std::fmt::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use campaign::{Bug, BugCount, BugState, ListedFinding, Snapshot, Standing, Store, StudyBrief};
use clap::{Args, ValueEnum};
use oracle::FailureKind;
use report::{BugCase, FileTexts};

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
    /// sanitizer-miss, sanitizer-false-alarm, disagreement, invalid-ir or miscompilation.
    #[arg(long, value_name = "KIND", value_parser = crate::findings::kind)]
    pub kind: Option<oracle::FailureKind>,
    /// Every finding on a line of its own
    #[arg(long)]
    pub all: bool,
    /// How to list them
    ///
    /// `json` is one object for each finding, with all that is known of it. `sarif` and `junit` are one result for each
    /// bug, for CI systems; suppressed bugs fail nothing there.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: ListFormat,
    /// Print one JSON object for each finding: --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

/// A form of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people.
    #[default]
    Table,
    /// One object for each finding.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit's XML.
    Junit,
}

const HELP: &str = "\
Examples:
  gainsay findings
  gainsay findings --kind wrong-output --all
  gainsay findings --json | jq -s 'group_by(.key) | map({key: .[0].key, n: length})'
  gainsay findings --format sarif > gainsay.sarif            # for a code host
  gainsay findings --format junit > gainsay.xml              # for a CI system
  gainsay findings --hunt my-hunt --json | jq -r .title";

/// Runs the command; the exit status.
pub fn main(args: &Findings) -> Result<u8> {
    let store = Store::open(&args.folder.dir)?;
    let wanted = |kind: FailureKind| args.kind.is_none_or(|only| only == kind);
    let format = if args.json { ListFormat::Json } else { args.format };
    let text = match (format, args.all) {
        (ListFormat::Table, true) => {
            let shot = store.snapshot()?;
            let all = shot.findings.iter().filter(|found| wanted(found.kind));
            let rows: Vec<Row> = all.map(|found| Row { found, bug: None, study: None }).collect();
            let width = terminal::width().unwrap_or(WIDTH);
            table(&rows, now(), width) + &next(&rows, &args.folder.dir.to_string_lossy())
        }
        _ => of_kinds(&store, format, &args.folder.dir.to_string_lossy(), &wanted)?,
    };
    terminal::print(text.as_bytes())?;
    Ok(0)
}

/// The list of all bugs in a format.
#[cfg(test)]
pub fn text(store: &Store, format: ListFormat) -> Result<String> {
    of_kinds(store, format, crate::args::DEFAULT_HUNT, &|_| true)
}

/// All bugs as SARIF.
pub fn sarif(store: &Store) -> Result<String> {
    of_kinds(store, ListFormat::Sarif, "", &|_| true)
}

/// The list of some kinds of bugs in a format.
fn of_kinds(
    store: &Store,
    format: ListFormat,
    dir: &str,
    wanted: &dyn Fn(FailureKind) -> bool,
) -> Result<String> {
    Ok(match format {
        ListFormat::Table => {
            let shot = store.snapshot()?;
            let bugs: Vec<&Bug> = shot.bugs.iter().filter(|bug| wanted(bug.kind)).collect();
            by_bug(&shot, &bugs, now(), dir, terminal::width().unwrap_or(WIDTH))
        }
        ListFormat::Json => objects(store, wanted)?,
        ListFormat::Sarif => format!("{:#}\n", with_cases(store, wanted, report::sarif)?),
        ListFormat::Junit => with_cases(store, wanted, report::junit)?,
    })
}

/// Every finding as an object, a line each.
fn objects(store: &Store, wanted: &dyn Fn(FailureKind) -> bool) -> Result<String> {
    let bugs = store.bugs()?;
    let mut text = String::new();
    for listed in store.findings()?.iter().filter(|found| wanted(found.finding.kind)) {
        // A list does not read files: objects have them.
        let Some(found) = store.finding(listed.id)? else { continue };
        let bug = bugs.iter().find(|bug| bug.ids.contains(&found.id));
        let study = store.study(found.id)?;
        let object = report::object(&found, bug, study.as_ref(), FileTexts::Program);
        let _ = writeln!(text, "{object}");
    }
    Ok(text)
}

/// Gives the bugs with what is shown of each to `make`.
fn with_cases<T>(
    store: &Store,
    wanted: &dyn Fn(FailureKind) -> bool,
    make: impl Fn(&[BugCase]) -> T,
) -> Result<T> {
    let bugs: Vec<Bug> = store.bugs()?.into_iter().filter(|bug| wanted(bug.kind)).collect();
    let mut shown = Vec::new();
    for bug in &bugs {
        if let Some(found) = store.finding(bug.representative)? {
            shown.push((bug, found, store.study(bug.representative)?));
        }
    }
    let cases: Vec<BugCase> = shown
        .iter()
        .map(|(bug, found, study)| BugCase { bug, found, study: study.as_ref() })
        .collect();
    Ok(make(&cases))
}

/// Reads the name of a kind.
pub fn kind(text: &str) -> Result<FailureKind, String> {
    FailureKind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
        let names: Vec<&str> = FailureKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("the kinds are {}", names.join(", "))
    })
}

/// A line of the table.
struct Row<'a> {
    found: &'a ListedFinding,
    /// Where the line stands for a bug.
    bug: Option<&'a Bug>,
    study: Option<&'a StudyBrief>,
}

impl Row<'_> {
    fn cells(&self, now: u64) -> [String; 10] {
        let ListedFinding { id, found_at, kind, standing, title, targets, .. } = self.found;
        let doubt = match standing {
            Standing::Confirmed => "",
            Standing::Unconfirmed => "*",
            Standing::CannotTell => "~",
            Standing::Disputed => "?",
        };
        let of_study = |cell: fn(&StudyBrief) -> String| self.study.map(cell).unwrap_or_default();
        let (targets, title) = match self.study {
            Some(study) => (&study.targets, &study.title),
            None => (targets, title),
        };
        [
            id.to_string(),
            self.bug.map(|bug| bug.count.to_string()).unwrap_or_default(),
            format!("{}{doubt}", kind.name()),
            self.bug.map(state).unwrap_or_default().into(),
            of_study(|study| study.tokens.1.to_string()),
            of_study(|study| study.pass.clone().unwrap_or_default()),
            of_study(|study| human::cut(&report::versions(&study.ladder), VERSIONS)),
            human::age(now.saturating_sub(*found_at)),
            human::cut(&human::targets(targets), TARGETS),
            one_line(title),
        ]
    }
}

/// What is to be said of a bug that is not one open bug.
fn state(bug: &Bug) -> &'static str {
    match (bug.standing, bug.attributed, bug.state) {
        (Standing::Confirmed, false, _) => "not attributed",
        (_, _, BugState::Fixed) => "fixed",
        (_, _, BugState::Open) => "",
    }
}

/// Names of the columns; one that is empty in all lines is left out.
const COLUMNS: [&str; 10] =
    ["id", "count", "kind", "state", "tokens", "pass", "versions", "age", "targets", "title"];

/// Columns of numbers.
const NUMBERS: [usize; 3] = [0, 1, 4];

fn table(rows: &[Row], now: u64, width: usize) -> String {
    if rows.is_empty() {
        return "no findings\n".into();
    }
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
    let has = |standing| rows.iter().any(|row| row.found.standing == standing);
    if has(Standing::Unconfirmed) {
        text.push_str(
            "*: not confirmed: seen when the hunt ended; the same hunt again tries it once more\n",
        );
    }
    if has(Standing::CannotTell) {
        text.push_str("~: it cannot be told whether the baseline of the comparison fails, too\n");
    }
    if has(Standing::Disputed) {
        text.push_str("?: disputed: the program may be to blame, or gainsay\n");
    }
    text
}

/// What to type next, if there is a finding to look at.
fn next(rows: &[Row], dir: &str) -> String {
    match rows.first().filter(|_| !terminal::is_quiet()) {
        Some(row) => format!("\nNext: {}\n", show_command(row.found.id, dir)),
        None => String::new(),
    }
}

/// The table of bugs, and below it how many there are.
fn by_bug(shot: &Snapshot, bugs: &[&Bug], now: u64, dir: &str, width: usize) -> String {
    let shown = bugs.iter().filter(|bug| bug.suppressed.is_none());
    let rows = shown.filter_map(|bug| {
        let study = shot.studies.get(&bug.representative);
        Some(Row { found: shot.finding(bug.representative)?, bug: Some(bug), study })
    });
    let rows: Vec<Row> = rows.collect();
    let count = BugCount::of(bugs.iter().copied());
    let mut text = match rows.is_empty() && count.suppressed > 0 {
        true => String::new(),
        false => table(&rows, now, width),
    };
    if !bugs.is_empty() {
        let _ = writeln!(text, "{count}");
    }
    if count.suppressed > 0 {
        let mut reasons: Vec<&str> =
            bugs.iter().filter_map(|bug| bug.suppressed.as_deref()).collect();
        reasons.dedup();
        let line = format!(
            "suppressed: {}, {} ({})",
            human::plural(count.suppressed as u64, "bug"),
            human::plural(count.suppressed_findings as u64, "finding"),
            one_line(&reasons.join(", "))
        );
        let _ = writeln!(text, "{}", human::cut(&line, width));
    }
    text + &next(&rows, dir)
}

/// The command that shows a finding; the folder is left out where it is the usual one.
pub fn show_command(id: i64, dir: &str) -> String {
    command_on(Path::new(dir), &format!("show {id}"))
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs())
}

#[cfg(test)]
mod tests {
    use campaign::Finding;

    use super::*;
    use crate::args::DEFAULT_HUNT;
    use crate::hunt::sample::{self, finding};

    fn three() -> Vec<Finding> {
        let mut disputed = finding(4, FailureKind::WrongOutput, "w");
        disputed.finding.standing = Standing::Disputed;
        disputed.finding.subject = sample::subject(&[("tcc", "-O0")], &[]);
        vec![
            finding(1, FailureKind::CompilerCrash, "compiler-crash gcc in extract_insn"),
            finding(2, FailureKind::WrongOutput, "wrong-output gcc-12 -O2 -O3"),
            finding(3, FailureKind::WrongOutput, "wrong-output gcc-12 -O2 -O3"),
            disputed,
        ]
    }

    fn listed(shot: &Snapshot, now: u64, width: usize) -> String {
        let bugs: Vec<&Bug> = shot.bugs.iter().collect();
        by_bug(shot, &bugs, now, DEFAULT_HUNT, width)
    }

    #[test]
    fn one_line_for_each_bug() {
        let mut shot = sample::shot(&three());
        let want = "\
id  count  kind            age  targets          title
 3      2  wrong-output    2 h  gcc-12 -O2, -O3  wrong code at -O2, -O3: prints \"test_3 1f\" for \"test_3 2a\"…
 1      1  compiler-crash  2 h  gcc-12 -O2, -O3  crash at -O2, -O3: in extract_insn, at recog.cc:2791
 4      1  wrong-output?   2 h  tcc -O0          wrong code at -O0: prints \"test_3 1f\" for \"test_3 2a\" (lin…
?: disputed: the program may be to blame, or gainsay
2 distinct bugs

Next: gainsay show 3
";
        assert_eq!(listed(&shot, 1_800_007_300, 108), want);
        let none = Snapshot::default();
        assert_eq!(listed(&none, 0, 80), "no findings\n");
        // Wrong code that nobody has studied may be any bug.
        shot.bugs[0].attributed = false;
        let text = listed(&shot, 1_800_007_300, 108);
        assert!(text.contains(" 3      2  wrong-output    not attributed  2 h"), "{text}");
        let count = "\n1 distinct bug, 2 findings not yet attributed\n\nNext: gainsay show 3\n";
        assert!(text.ends_with(count), "{text}");
    }

    #[test]
    fn what_was_learnt_is_shown_and_what_is_suppressed_is_counted() {
        let known = finding(5, FailureKind::CompilerCrash, "known");
        let others: Vec<Finding> =
            (6..9).map(|id| finding(id, FailureKind::WrongOutput, "other")).collect();
        let mut shot = sample::shot(&[&three()[..3], &[known], &others].concat());
        for bug in &mut shot.bugs {
            bug.suppressed = match bug.key.as_str() {
                "known" => Some("PR 1".into()),
                "other" => Some("PR 2".into()),
                _ => None,
            };
            if bug.ids == [1] {
                bug.state = BugState::Fixed;
            }
        }
        shot.studies.insert(3, sample::brief());
        let want = "\
id  count  kind            state  tokens  pass   versions        age  targets          title
 3      2  wrong-output               61  tailr  gcc-11, gcc-12  2 h  gcc-12 -O2       wrong code at -O2, pass tai…
 1      1  compiler-crash  fixed                                 2 h  gcc-12 -O2, -O3  crash at -O2, -O3: in extra…
2 distinct bugs
suppressed: 2 bugs, 4 findings (PR 2, PR 1)

Next: gainsay show 3
";
        assert_eq!(listed(&shot, 1_800_007_300, 115), want);
        shot.bugs.retain(|bug| bug.suppressed.is_some());
        let want = "0 distinct bugs\nsuppressed: 2 bugs, 4 findings (PR 2, PR 1)\n";
        assert_eq!(listed(&shot, 0, 99), want);
    }

    #[test]
    fn every_one() {
        let want = "\
id  kind            age   targets          title
 1  compiler-crash  40 s  gcc-12 -O2, -O3  crash a…
 2  wrong-output    40 s  gcc-12 -O2, -O3  wrong c…

Next: gainsay show 1 --hunt 'my hunt'
";
        let shot = sample::shot(&three());
        let rows = |n| -> Vec<Row> {
            let some = shot.findings[..n].iter();
            some.map(|found| Row { found, bug: None, study: None }).collect()
        };
        assert_eq!(table(&rows(2), 1_800_000_040, 51) + &next(&rows(2), "my hunt"), want);
        assert_eq!(table(&rows(0), 0, 51) + &next(&rows(0), DEFAULT_HUNT), "no findings\n");
    }

    #[test]
    fn objects_have_all_of_a_finding() {
        let all = three();
        let shot = sample::shot(&all);
        let study = sample::study();
        let value = report::object(&all[2], shot.bugs.first(), Some(&study), FileTexts::Program);
        assert_eq!(
            (&value["id"], &value["count"], &value["bug"]),
            (&3.into(), &2.into(), &3.into())
        );
        assert_eq!(
            (&value["state"], &value["suppressed"]),
            (&"open".into(), &serde_json::Value::Null)
        );
        assert_eq!(value["title"], "wrong code at -O2, pass tailr");
        assert_eq!(value["attributed"], true);
        assert_eq!(value["key"], "wrong-output gcc-12 -O2 -O3");
        assert_eq!(value["signature"], "wrong-output gcc-12 -O2 -O3");
        let compiler = &value["subject"]["Program"]["compilers"][0];
        assert_eq!(compiler["name"], "gcc-12", "{value:#}");
        assert_eq!(value["study"]["tokens"]["after"], 61);
        assert_eq!(value["study"]["pass"], "tailr");
        assert_eq!(value["study"]["ladder"]["rungs"][0]["compiler"], "gcc-11");
        assert_eq!(
            value["study"]["mask"],
            serde_json::json!({ "construct": null, "switch": null, "pass": null, "instructions": [] })
        );
        assert!(value["study"]["files"][0]["text"].as_str().is_some_and(|t| t.contains("main")));
        assert_eq!(value["certificate"]["opinions"][0]["says"]["verdict"], "valid");
        let unstudied = report::object(&all[1], None, None, FileTexts::Program);
        assert_eq!(unstudied["study"], serde_json::Value::Null);
        assert_eq!(unstudied["files"][0]["text"], "int f;\n");
    }

    #[test]
    fn kinds_are_read() {
        assert_eq!(kind("runtime-hang"), Ok(FailureKind::RuntimeHang));
        assert!(kind("hang").is_err_and(|e| e.contains("runtime-hang")));
    }
}
