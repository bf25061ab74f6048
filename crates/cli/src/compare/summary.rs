//! What a person reads when a comparison is over: what broke, what was there before, by pass and by level.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use campaign::{Bug, EndReason, Progress, Standing};

use super::Compared;
use crate::findings::show_command;
use crate::hunt::{Outcome, Setting, Tally, one_line};
use crate::{human, terminal};

/// More rows than this nobody reads; `gainsay findings` lists them all.
const ROWS: usize = 20;

/// What a comparison came to, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Findings of this run that are regressions.
    pub regressions: usize,
    /// Failures that OLD has, too.
    pub before: u64,
    /// Findings of which OLD cannot tell.
    pub cannot_tell: usize,
    /// Findings that were seen and not tried again.
    pub unconfirmed: usize,
    /// Tests of this run.
    pub tests: u64,
}

impl Count {
    /// Of a run, and of what its folder has.
    pub fn of(progress: &Progress, outcome: &Outcome) -> Count {
        let sum = |standing: Standing| {
            of_standing(outcome, standing).iter().map(|bug| bug.count).sum::<usize>()
        };
        let tallies = progress.targets.values().map(|counts| {
            let mut tally = Tally::default();
            tally.add(counts);
            tally.before
        });
        Count {
            regressions: sum(Standing::Confirmed),
            before: tallies.sum(),
            cannot_tell: sum(Standing::CannotTell),
            unconfirmed: sum(Standing::Unconfirmed),
            tests: progress.tests_now,
        }
    }
}

/// Bugs of this run that are not suppressed.
fn of_standing(outcome: &Outcome, standing: Standing) -> Vec<&Bug> {
    let bugs = outcome.bugs.iter().filter(|bug| bug.suppressed.is_none());
    bugs.filter(|bug| bug.standing == standing).collect()
}

/// The summary.
pub fn text(
    compared: &Compared,
    setting: &Setting,
    progress: &Progress,
    outcome: &Outcome,
) -> String {
    let count = Count::of(progress, outcome);
    let Compared { old, new } = compared;
    let mut text = format!(
        "{}{} in {}, seed {}: {new} against {old}.\n\n",
        ended(progress),
        human::plural(progress.tests_now, "test"),
        human::span(progress.elapsed),
        progress.seed,
    );
    text += &regressions(outcome, compared);
    text += &by_pass(outcome);
    if count.before > 0 {
        let n = human::plural(count.before, "failure");
        let _ = writeln!(text, "{n} that {old} has, too: not counted.");
    }
    text += &apart(
        outcome,
        Standing::CannotTell,
        &format!("{old} cannot tell of these, which do not count:"),
    );
    text += &apart(
        outcome,
        Standing::Unconfirmed,
        "Seen and not confirmed; the same comparison again does it:",
    );
    let disputed: usize =
        of_standing(outcome, Standing::Disputed).iter().map(|bug| bug.count).sum();
    if disputed > 0 {
        let _ = writeln!(text, "Not counted: {disputed} disputed (our fault, or the program's).");
    }
    if progress.flaky > 0 {
        let n = human::plural(progress.flaky, "failure");
        let _ = writeln!(text, "Not counted: {n} that did not show again.");
    }
    text += &by_target(progress);
    let _ = writeln!(text, "Everything is in {}.", setting.out);
    let shown = of_standing(outcome, Standing::Confirmed);
    if let Some(bug) = shown.first().filter(|_| !terminal::is_quiet()) {
        let _ = writeln!(text, "Next: {}", show_command(bug.representative, &setting.out));
    }
    text
}

fn ended(progress: &Progress) -> String {
    match &progress.ended {
        Some(EndReason::Failed(why)) => format!("The comparison could not go on: {why}\n"),
        Some(EndReason::Interrupted) => "Interrupted.\n".into(),
        Some(EndReason::Time | EndReason::Tests) | None => String::new(),
    }
}

fn regressions(outcome: &Outcome, compared: &Compared) -> String {
    let bugs = of_standing(outcome, Standing::Confirmed);
    if bugs.is_empty() {
        return "No regression was found.\n".into();
    }
    let findings: usize = bugs.iter().map(|bug| bug.count).sum();
    let head = format!(
        "{} ({}), right with {} and wrong with {}:\n",
        human::plural(bugs.len() as u64, "regression"),
        human::plural(findings as u64, "finding"),
        compared.old,
        compared.new,
    );
    head + &rows(outcome, &bugs)
}

fn apart(outcome: &Outcome, standing: Standing, head: &str) -> String {
    let bugs = of_standing(outcome, standing);
    if bugs.is_empty() { String::new() } else { format!("{head}\n{}", rows(outcome, &bugs)) }
}

fn rows(outcome: &Outcome, bugs: &[&Bug]) -> String {
    let mut text = String::new();
    for bug in bugs.iter().take(ROWS) {
        let times = if bug.count > 1 { format!(" ({} times)", bug.count) } else { String::new() };
        let what = one_line(outcome.shot.title(bug));
        let (id, kind) = (bug.representative, bug.kind.name());
        let _ = writeln!(text, "  #{id:<4} {kind}{times}: {}", human::cut(&what, 150));
    }
    if bugs.len() > ROWS {
        let _ = writeln!(text, "  and {} more: `gainsay findings` lists them", bugs.len() - ROWS);
    }
    text
}

/// Regressions by pass, with the levels or passes at which they show.
fn by_pass(outcome: &Outcome) -> String {
    let mut table: BTreeMap<String, (usize, usize, BTreeSet<String>)> = BTreeMap::new();
    for bug in of_standing(outcome, Standing::Confirmed) {
        let study = outcome.shot.studies.get(&bug.representative);
        let pass = study.and_then(|study| study.pass.clone());
        let row = table.entry(pass.unwrap_or_else(|| "not known".into())).or_default();
        row.0 += 1;
        row.1 += bug.count;
        row.2.extend(
            outcome.shot.targets_of(bug).iter().map(|label| human::split(label).1.to_string()),
        );
    }
    if table.is_empty() {
        return String::new();
    }
    let rows = table.into_iter().map(|(pass, (bugs, findings, levels))| {
        let levels: Vec<String> = levels.into_iter().collect();
        [pass, bugs.to_string(), findings.to_string(), human::cut(&levels.join(", "), 60)]
    });
    format!("\n{}\n", columns(["pass", "regressions", "findings", "at"], rows.collect()))
}

/// What NEW did at each level.
fn by_target(progress: &Progress) -> String {
    let mut sums: BTreeMap<String, Tally> = BTreeMap::new();
    for (label, counts) in &progress.targets {
        sums.entry(flags_of(label)).or_default().add(counts);
    }
    if sums.is_empty() {
        return String::new();
    }
    let rows = sums.into_iter().map(|(target, tally)| {
        let Tally { right, failed, before, cannot_tell, flaky, unsupported } = tally;
        let all = right + failed + before + cannot_tell + flaky + unsupported;
        let numbers = [all, failed, before, cannot_tell].map(human::count);
        let [all, failed, before, cannot_tell] = numbers;
        [human::cut(&target, 60), all, failed, before, cannot_tell]
    });
    let head = ["tested", "programs", "worse", "as before", "cannot tell"];
    format!("\n{}\n", columns(head, rows.collect()))
}

/// Where a label's target is in the table: NEW is one, so its flags are enough; those drawn anew for each test are one
/// row.
fn flags_of(label: &str) -> String {
    match human::split(label).1 {
        flags if flags.contains(' ') => "more flags".into(),
        flags => flags.into(),
    }
}

/// A table: the first column to the left, the last as it is, those between to the right.
fn columns<const N: usize>(head: [&str; N], rows: Vec<[String; N]>) -> String {
    let all: Vec<[String; N]> = std::iter::once(head.map(String::from)).chain(rows).collect();
    let widths: [usize; N] =
        std::array::from_fn(|at| all.iter().map(|row| row[at].chars().count()).max().unwrap_or(0));
    let mut text = String::new();
    for row in &all {
        let cells = row.iter().zip(widths).enumerate().map(|(at, (cell, width))| match at {
            0 => format!("{cell:width$}"),
            _ if cell.chars().next().is_some_and(|c| c.is_ascii_digit()) => {
                format!("{cell:>width$}")
            }
            _ => format!("{cell:width$}"),
        });
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}
