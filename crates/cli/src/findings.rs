//! `gainsay findings`: what hunts have found, one line for each signature.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use campaign::{Finding, Store};
use oracle::Kind;
use serde_json::{Value, json};

use crate::args::{DEFAULT_OUT, Findings};
use crate::hunt::one_line;
use crate::{terminal, words};

/// Columns where there is no terminal.
const WIDTH: usize = 120;

/// Columns of the list of targets; a compiler at all its levels is longer, and `show` tells.
const TARGETS: usize = 24;

/// Runs the command; the exit status.
pub fn main(args: &Findings) -> Result<u8> {
    let all = Store::open(&args.dir)?.findings()?;
    let wanted: Vec<Finding> =
        all.into_iter().filter(|f| args.kind.is_none_or(|kind| f.finding.kind == kind)).collect();
    let text = match (args.json, args.all) {
        (true, _) => wanted.iter().map(|f| format!("{}\n", object(f))).collect(),
        (false, all) => {
            let dir = args.dir.to_string_lossy();
            table(&wanted, all, now(), &dir, terminal::width().unwrap_or(WIDTH))
        }
    };
    terminal::print(text.as_bytes())?;
    Ok(0)
}

/// Reads the name of a kind.
pub fn kind(text: &str) -> Result<Kind, String> {
    Kind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
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
    let rank = |kind: Kind| Kind::ALL.iter().position(|k| *k == kind);
    let mut groups: Vec<Group> = by_signature.into_values().collect();
    groups.sort_by_key(|Group { newest, .. }| {
        (!newest.finding.stands(), rank(newest.finding.kind), Reverse(newest.id))
    });
    groups
}

fn table(findings: &[Finding], all: bool, now: u64, dir: &str, width: usize) -> String {
    let groups = match all {
        true => findings.iter().map(|newest| Group { count: 1, newest }).collect(),
        false => groups(findings),
    };
    let Some(first) = groups.first() else { return "no findings\n".into() };
    let row = |group: &Group| {
        let Finding { id, found_at, finding, .. } = group.newest;
        let doubt = if finding.stands() { "" } else { "?" };
        [
            id.to_string(),
            if all { String::new() } else { group.count.to_string() },
            format!("{}{doubt}", finding.kind.name()),
            words::age(now.saturating_sub(*found_at)),
            words::cut(&words::targets(&finding.targets), TARGETS),
            one_line(&finding.summary),
        ]
    };
    let count = if all { "" } else { "count" };
    let mut rows = vec![["id", count, "kind", "age", "targets", "what"].map(String::from)];
    rows.extend(groups.iter().map(row));
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (i, cell) in row.iter().enumerate() {
            let width = rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
            let _ = match i {
                0 => write!(line, "{cell:>width$}"),
                _ if width == 0 => Ok(()),
                1 => write!(line, "  {cell:>width$}"),
                _ => write!(line, "  {cell:width$}"),
            };
        }
        let _ = writeln!(text, "{}", words::cut(line.trim_end(), width));
    }
    if groups.iter().any(|group| !group.newest.finding.stands()) {
        text.push_str("?: disputed: the program may be to blame, or gainsay\n");
    }
    let _ = writeln!(text, "\n{} tells more.", show_command(first.newest.id, dir));
    text
}

/// The command that tells a finding; the folder is left out where it is the usual one.
pub fn show_command(id: i64, dir: &str) -> String {
    match dir {
        DEFAULT_OUT => format!("gainsay show {id}"),
        _ => format!("gainsay show {id} {}", words::quote(dir)),
    }
}

/// What all JSON objects of findings have.
pub fn object(found: &Finding) -> Value {
    let finding = &found.finding;
    json!({
        "id": found.id, "kind": finding.kind, "standing": finding.standing,
        "summary": finding.summary, "signature": finding.signature, "targets": finding.targets,
        "right": finding.right, "engine": found.engine, "seed": found.seed,
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
    use crate::hunt::sample::finding;
    use campaign::Standing;

    fn three() -> Vec<Finding> {
        let mut disputed = finding(4, Kind::WrongOutput, "wrong-output tcc");
        disputed.finding.standing = Standing::Disputed;
        disputed.finding.targets = vec!["tcc -O0".into()];
        vec![
            finding(1, Kind::CompilerCrash, "compiler-crash gcc in extract_insn"),
            finding(2, Kind::WrongOutput, "wrong-output gcc-12 -O2 -O3"),
            finding(3, Kind::WrongOutput, "wrong-output gcc-12 -O2 -O3"),
            disputed,
        ]
    }

    #[test]
    fn one_line_for_each_signature() {
        let want = "\
id  count  kind            age  targets          what
 3      2  wrong-output    2 h  gcc-12 -O2, -O3  prints \"test_3 1f\" for \"test_3 2a\" (line 3)
 1      1  compiler-crash  2 h  gcc-12 -O2, -O3  internal compiler error: in extract_insn, at recog…
 4      1  wrong-output?   2 h  tcc -O0          prints \"test_3 1f\" for \"test_3 2a\" (line 3)
?: disputed: the program may be to blame, or gainsay

gainsay show 3 tells more.
";
        assert_eq!(table(&three(), false, 1_800_007_300, DEFAULT_OUT, 100), want);
    }

    #[test]
    fn every_one() {
        let want = "\
id  kind            age   targets          what
 1  compiler-crash  40 s  gcc-12 -O2, -O3  interna…
 2  wrong-output    40 s  gcc-12 -O2, -O3  prints …

gainsay show 1 'my hunt' tells more.
";
        assert_eq!(table(&three()[..2], true, 1_800_000_040, "my hunt", 51), want);
        assert_eq!(table(&[], true, 0, DEFAULT_OUT, 51), "no findings\n");
    }

    #[test]
    fn kinds_are_read() {
        assert_eq!(kind("runtime-hang"), Ok(Kind::RuntimeHang));
        assert!(kind("hang").is_err_and(|e| e.contains("runtime-hang")));
    }
}
