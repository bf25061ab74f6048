//! `cargo lab passes table`: what campaigns found, in the shape of the paper's Tables 4 and 5.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use campaign::PassesTally;

use super::bugs::{self, Bug, Type};

/// Prints the tables.
pub fn main(dirs: &[PathBuf]) -> Result<()> {
    let (mut found, mut tallies) = (BTreeMap::new(), BTreeMap::new());
    for dir in dirs {
        found.extend(bugs::of(dir)?);
        add_tallies(dir, &mut tallies)?;
    }
    print!("{}", text(&found, &tallies));
    Ok(())
}

/// Adds up what the libraries of a hunt did.
fn add_tallies(dir: &Path, tallies: &mut BTreeMap<String, PassesTally>) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let Some(major) = name.strip_prefix("passes-") else { continue };
        let more = PassesTally::read(&dir.join(&name));
        let sum = tallies.entry(format!("libLLVM-{major}")).or_default();
        sum.sequences += more.sequences;
        sum.crash_free += more.crash_free;
        sum.executed += more.executed;
        sum.right += more.right;
        sum.attempts += more.attempts;
    }
    Ok(())
}

fn text(found: &BTreeMap<Bug, String>, tallies: &BTreeMap<String, PassesTally>) -> String {
    let of_bugs = found.keys().map(|bug| bug.library.as_str());
    let libraries: BTreeSet<&str> = of_bugs.chain(tallies.keys().map(String::as_str)).collect();
    let heads: Vec<&str> = libraries.iter().copied().collect();
    let mut text = String::new();
    let mut table = |head: &str, heads: &[&str], rows: Vec<Vec<String>>| {
        let _ = writeln!(text, "| {head} | {} |", heads.join(" | "));
        let _ = writeln!(text, "| --- |{}", " --- |".repeat(heads.len()));
        for row in rows {
            let _ = writeln!(text, "| {} |", row.join(" | "));
        }
        text.push('\n');
    };
    let count = |kind: Option<Type>, library: Option<&str>| {
        let fits = |bug: &&Bug| {
            kind.is_none_or(|k| bug.kind == k) && library.is_none_or(|l| bug.library == l)
        };
        // The same in several versions is one bug.
        let keys: BTreeSet<_> =
            found.keys().filter(fits).map(|bug| (bug.kind, bug.key.as_str())).collect();
        keys.len().to_string()
    };
    let row = |name: &str, kind: Option<Type>| {
        let cells = heads.iter().map(|library| count(kind, Some(library)));
        let all = count(kind, None);
        std::iter::once(name.to_string()).chain(cells).chain([all]).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = Type::ALL.iter().map(|kind| row(kind.name(), Some(*kind))).collect();
    rows.push(row("total", None));
    let with_all: Vec<&str> = heads.iter().copied().chain(["all"]).collect();
    table("unique bugs", &with_all, rows);

    let passes = |kind: Type, library: &str| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (bug, last) in found {
            if bug.kind == kind && bug.library == library {
                *counts.entry(last).or_default() += 1;
            }
        }
        let name = |(name, n): (&&str, &usize)| match n {
            1 => name.to_string(),
            n => format!("{name} {n}"),
        };
        counts.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    let row = |kind: &Type| {
        let cells = heads.iter().map(|library| passes(*kind, library));
        std::iter::once(kind.name().to_string()).chain(cells).collect()
    };
    table("last passes", &heads, Type::ALL.iter().map(row).collect());

    let columns = ["sequences", "crash-free", "executed in the end", "right", "attempts"];
    let row = |(library, t): (&String, &PassesTally)| {
        let share = |n: u64| format!("{n} ({:.1} %)", 100.0 * n as f64 / t.sequences.max(1) as f64);
        let shares = [t.crash_free, t.executed, t.right].map(share);
        let begin = [library.clone(), t.sequences.to_string()];
        begin.into_iter().chain(shares).chain([t.attempts.to_string()]).collect()
    };
    table("library", &columns, tallies.iter().map(row).collect());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables() {
        let bug = |kind, key: &str, library: &str, last: &str| {
            (Bug { kind, key: key.into(), library: library.into() }, last.to_string())
        };
        let found = BTreeMap::from([
            bug(Type::Crash, "a", "libLLVM-16", "gvn"),
            bug(Type::Crash, "b", "libLLVM-16", "gvn"),
            bug(Type::Crash, "a", "libLLVM-22", "gvn"),
            bug(Type::WrongCode, "LICMPass", "libLLVM-22", "licm"),
        ]);
        let tally =
            PassesTally { sequences: 200, crash_free: 80, executed: 190, ..PassesTally::default() };
        let text = text(&found, &BTreeMap::from([("libLLVM-16".to_string(), tally)]));
        for line in [
            "| unique bugs | libLLVM-16 | libLLVM-22 | all |",
            "| crash | 2 | 1 | 2 |",
            "| wrong code | 0 | 1 | 1 |",
            "| total | 2 | 2 | 3 |",
            "| crash | gvn 2 | gvn |",
            "| wrong code |  | licm |",
            "| libLLVM-16 | 200 | 80 (40.0 %) | 190 (95.0 %) | 0 (0.0 %) | 0 |",
        ] {
            assert!(text.lines().any(|l| l == line), "no {line:?} in\n{text}");
        }
    }
}
