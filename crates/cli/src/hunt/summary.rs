//! What a person reads when a hunt is over: ten seconds' worth.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use ::crossover::fuzz::{Fuzzer, KindTally};
use campaign::{Bug, BugCount, Checks, Cost, EndReason, PassesTally, Progress, Standing};
use llvmhost::Installed;
use oracle::FailureKind;

use super::view::{Shares, one_line};
use super::{Outcome, Setting};
use crate::findings::show_command;
use crate::{human, terminal};

/// More groups than this nobody reads; `gainsay findings` lists them all.
const GROUPS: usize = 10;

/// The summary. `before` is what tests had cost when this run began.
pub fn text(setting: &Setting, progress: &Progress, before: Cost, outcome: &Outcome) -> String {
    let mut text = opening(setting, progress);
    text += &cpu(progress, before);
    text.push('\n');
    let of = |standing: Standing| -> Vec<&Bug> {
        let bugs = outcome.bugs.iter().filter(|bug| bug.suppressed.is_none());
        bugs.filter(|bug| bug.standing == standing).collect()
    };
    let (stand, seen) = (of(Standing::Confirmed), of(Standing::Unconfirmed));
    let disputed = of(Standing::Disputed);
    text += &list(outcome, &stand);
    text += &unconfirmed(outcome, &seen);
    text += &unfinished(progress);
    text += &not_counted(progress, outcome, disputed.first().map(|bug| bug.representative));
    text += &folder(progress, outcome);
    text += &skipped(progress);
    text += &setting.fuzzers.iter().map(|fuzzer| crossovers(fuzzer)).collect::<String>();
    text += &setting
        .sequenced
        .iter()
        .filter_map(|library| sequences(setting, library))
        .collect::<String>();
    text += &unanswered(progress);
    let _ = writeln!(text, "Everything is in {}.", setting.out);
    if terminal::is_quiet() {
        return text;
    }
    // What waits to be confirmed is confirmed by going on.
    let shown = stand.first().or(disputed.first().filter(|_| seen.is_empty()));
    match shown {
        Some(bug) => {
            let _ = writeln!(text, "Next: {}", show_command(bug.representative, &setting.out));
        }
        // Only files come to an end by themselves.
        None if progress.ended == Some(EndReason::Tests) && progress.tests_wanted.is_none() => {
            let command = crate::args::command_on(Path::new(&setting.out), "hunt");
            let _ = writeln!(text, "Next, with programs made for it: {command}");
        }
        None => {
            let _ = writeln!(text, "Next, to go on where this ended: {}", setting.resume);
        }
    }
    text
}

/// What became of the sequences on one library, earlier runs included.
fn sequences(setting: &Setting, library: &Installed) -> Option<String> {
    let tally = PassesTally::of(Path::new(&setting.out), library)?;
    Some(format!(
        "libLLVM-{}: {}, {} without a fault; {} executed in the end, {} of them right.\n",
        library.name(),
        human::plural(tally.sequences, "sequence"),
        human::count(tally.crash_free),
        human::count(tally.executed),
        human::count(tally.right),
    ))
}

/// What became of the crossovers on one library, earlier runs included.
fn crossovers(fuzzer: &Fuzzer) -> String {
    let (tally, seeds, baseline, blocks) = fuzzer.account();
    let kind = |(name, kind): (&String, &KindTally)| {
        let share = 100.0 * kind.valid as f64 / kind.drawn.max(1) as f64;
        format!(
            "{name} {} of {} valid ({share:.1} %)",
            human::count(kind.valid),
            human::count(kind.drawn)
        )
    };
    let kinds: Vec<String> = tally.kinds.iter().map(kind).collect();
    format!(
        "libLLVM-{}: {}; {} ({} by crossing); {} blocks, {} of them new.\n",
        fuzzer.library.name(),
        kinds.join(", "),
        human::plural(seeds as u64, "seed"),
        human::count(tally.added),
        human::count(blocks as u64),
        human::count(blocks.saturating_sub(baseline) as u64),
    )
}

fn opening(setting: &Setting, progress: &Progress) -> String {
    let how = match &progress.ended {
        Some(EndReason::Failed(why)) => format!("The hunt could not go on: {why}\n"),
        Some(EndReason::Interrupted) => "Interrupted.\n".into(),
        Some(EndReason::Time | EndReason::Tests) | None => String::new(),
    };
    let Progress { elapsed, tests, tests_now, .. } = progress;
    let mut done = human::plural(*tests_now, "test");
    if tests > tests_now {
        done += &format!(" ({} with earlier runs)", human::count(*tests));
    }
    format!(
        "{how}{} in {} ({}), seed {}, on {}.\n",
        done,
        human::span(*elapsed),
        human::rate(*tests_now, *elapsed),
        progress.seed,
        setting.compilers()
    )
}

fn cpu(progress: &Progress, before: Cost) -> String {
    let Progress { own, others, studying, .. } = progress;
    let all = *own + *others + *studying;
    let Shares { generate, harness, .. } = Shares::of(progress, before);
    let studies = match studying.is_zero() {
        true => String::new(),
        false => format!(", {} in reductions", human::percent(*studying, all)),
    };
    format!(
        "{} of CPU time in compilers and their programs, {} ours (generation {}, harness {}){studies}.\n",
        human::percent(*others, all),
        human::percent(*own, all),
        human::percent(generate, all),
        human::percent(harness, all),
    )
}

/// `3 wrong-output, 1 compiler-crash`.
fn kinds(counts: &BTreeMap<FailureKind, u64>) -> String {
    let kinds = FailureKind::ALL.iter().filter_map(|kind| {
        let n = counts.get(kind).filter(|n| **n > 0)?;
        Some(format!("{} {}", human::count(*n), kind.name()))
    });
    kinds.collect::<Vec<_>>().join(", ")
}

/// What this run has found.
fn list(outcome: &Outcome, stand: &[&Bug]) -> String {
    let run = if outcome.has_more() { " in this run" } else { "" };
    if stand.is_empty() {
        return match outcome.bugs.iter().all(|bug| bug.standing == Standing::Disputed) {
            true => format!("Nothing was found{run}.\n"),
            false => String::new(),
        };
    }
    let mut counts: BTreeMap<FailureKind, u64> = BTreeMap::new();
    for bug in stand {
        *counts.entry(bug.kind).or_default() += bug.count as u64;
    }
    let text = format!(
        "{}{run}, {}: {}.\n",
        human::plural(counts.values().sum(), "finding"),
        BugCount::of(stand.iter().copied()),
        kinds(&counts)
    );
    text + &rows(outcome, stand)
}

fn rows(outcome: &Outcome, bugs: &[&Bug]) -> String {
    let mut text = String::new();
    for bug in bugs.iter().take(GROUPS) {
        let times = if bug.count > 1 { format!(" ({} times)", bug.count) } else { String::new() };
        let (kind, targets) = (bug.kind.name(), human::targets(outcome.shot.targets_of(bug)));
        let what = format!("{targets}: {}", one_line(outcome.shot.title(bug)));
        let _ = writeln!(
            text,
            "  #{:<4} {kind}{times}: {}",
            bug.representative,
            human::cut(&what, 150)
        );
    }
    if bugs.len() > GROUPS {
        let more = bugs.len() - GROUPS;
        let _ = writeln!(text, "  and {more} more: `gainsay findings` lists them");
    }
    text
}

/// What was seen when the hunt ended, and not yet tried again.
fn unconfirmed(outcome: &Outcome, seen: &[&Bug]) -> String {
    if seen.is_empty() {
        return String::new();
    }
    let rows = rows(outcome, seen);
    format!("Seen and not confirmed yet; the same hunt again does it:\n{rows}")
}

fn unfinished(progress: &Progress) -> String {
    let (waiting, begun, _) = progress.studies;
    let n = waiting + begun;
    if n == 0 {
        return String::new();
    }
    let findings = human::plural(n, "finding");
    match progress.unfinished.is_empty() {
        true => format!("Not reduced yet: {findings}.\n"),
        false => {
            let ids: Vec<String> = progress.unfinished.iter().map(|id| format!("#{id}")).collect();
            format!(
                "Not reduced yet: {findings}; too little time for {} (`gainsay reduce` takes longer).\n",
                ids.join(", ")
            )
        }
    }
}

/// What the folder has in all, where that is more than what this run has found.
fn folder(progress: &Progress, outcome: &Outcome) -> String {
    let sum: u64 = progress.findings.values().sum();
    if !outcome.has_more() || sum == 0 {
        return String::new();
    }
    format!(
        "The folder has {}, {}: {}.\n",
        human::plural(sum, "finding"),
        BugCount::of(&outcome.shot.bugs),
        kinds(&progress.findings)
    )
}

fn not_counted(progress: &Progress, outcome: &Outcome, disputed: Option<i64>) -> String {
    let mut text = String::new();
    let suppressed = BugCount::of(&outcome.bugs).suppressed_findings;
    if suppressed > 0 {
        let n = human::count(suppressed as u64);
        let _ = writeln!(text, "Not counted: {n} suppressed.");
    }
    if progress.disputed > 0 {
        let newest = disputed.map(|id| format!(", newest #{id}")).unwrap_or_default();
        let n = human::count(progress.disputed);
        let _ = writeln!(text, "Not counted: {n} disputed (our fault, or the program's{newest}).");
    }
    if progress.flaky > 0 {
        let n = human::plural(progress.flaky, "failure");
        let _ = writeln!(text, "Not counted: {n} that did not show again.");
    }
    text
}

fn skipped(progress: &Progress) -> String {
    let Some((sum, told)) = by_reason(&progress.skipped) else { return String::new() };
    format!("Skipped {sum} without a known answer: {told}.\n")
}

/// Programs that were compiled only, what became of checks around arithmetic, and variants.
fn unanswered(progress: &Progress) -> String {
    let mut text = by_reason(&progress.unanswered).map_or_else(String::new, |(sum, told)| {
        format!("Compiled and not run in {sum}, for want of one answer: {told}.\n")
    });
    let Checks { all, removed } = progress.checks;
    if all > 0 {
        let _ = writeln!(
            text,
            "Removed {} of {} around arithmetic ({:.1} %).",
            human::count(removed),
            human::plural(all, "check"),
            removed as f64 * 100.0 / all as f64
        );
    }
    if progress.variants > 0 {
        let variants = human::plural(progress.variants, "variant");
        let _ =
            writeln!(text, "Tested {variants} besides the programs that they are derived from.");
    }
    text
}

/// How many tests, and the most frequent reasons; `None` where there is none.
fn by_reason(reasons: &BTreeMap<String, u64>) -> Option<(String, String)> {
    let sum: u64 = reasons.values().sum();
    let mut reasons: Vec<(&String, u64)> = reasons.iter().map(|(r, n)| (r, *n)).collect();
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let told: Vec<String> = reasons
        .iter()
        .take(4)
        .map(|(reason, n)| format!("{reason} {}", human::count(*n)))
        .collect();
    let more = if reasons.len() > 4 { ", …" } else { "" };
    (sum > 0).then(|| (human::plural(sum, "test"), told.join(", ") + more))
}

#[cfg(test)]
mod tests {
    use campaign::Snapshot;

    use super::*;
    use crate::hunt::sample;

    #[test]
    fn with_findings() {
        let mut disputed = sample::finding(5, FailureKind::WrongOutput, "wrong-output tcc");
        disputed.finding.standing = campaign::Standing::Disputed;
        let findings = [
            sample::finding(1, FailureKind::CompilerCrash, "compiler-crash gcc in extract_insn"),
            sample::finding(2, FailureKind::WrongOutput, "wrong-output gcc-12"),
            sample::finding(4, FailureKind::WrongOutput, "wrong-output gcc-12"),
            disputed,
        ];
        let mut shot = sample::shot(&findings);
        let run = |shot: &Snapshot, ids: &[i64]| {
            Outcome::in_run(shot.clone(), &ids.iter().copied().collect())
        };
        let outcome = run(&shot, &[1, 2, 4, 5]);
        let got = text(&sample::setting(), &sample::progress(), Cost::default(), &outcome);
        let want = "\
1,234 tests in 12 min 3 s (1.71/s), seed 17, on gcc-12 12.2.0, clang-16 16.0.6.
98.3 % of CPU time in compilers and their programs, 1.7 % ours (generation 0.9 %, harness 0.8 %).

3 findings, 2 distinct bugs: 2 wrong-output, 1 compiler-crash.
  #4    wrong-output (2 times): gcc-12 -O2, -O3: wrong code at -O2, -O3: prints \"test_3 1f\" for \"test_3 2a\" (line 3)
  #1    compiler-crash: gcc-12 -O2, -O3: crash at -O2, -O3: in extract_insn, at recog.cc:2791
Not counted: 1 disputed (our fault, or the program's, newest #5).
Not counted: 4 failures that did not show again.
Skipped 20 tests without a known answer: not supported 12, out of fuel 8.
Everything is in gainsay-hunt.
Next: gainsay show 4
";
        assert_eq!(got, want);

        // A run on a folder that has more says what is its own. What is suppressed is not.
        let mut seen = sample::finding(6, FailureKind::CompilerCrash, "compiler-crash gcc in foo");
        seen.finding.standing = campaign::Standing::Unconfirmed;
        let quiet = sample::finding(7, FailureKind::CompilerCrash, "compiler-crash gcc in bar");
        let all = [&findings[..], &[seen, quiet]].concat();
        shot = sample::shot(&all);
        for bug in shot.bugs.iter_mut().filter(|bug| bug.ids == [7]) {
            bug.suppressed = Some("PR 7".into());
        }
        // That a finding was not studied yet is said of the folder.
        shot.bugs[0].attributed = false;
        let outcome = run(&shot, &[1, 5, 6, 7]);
        let mut progress = sample::progress();
        progress.studies = (1, 1, 0);
        progress.unfinished.insert(4);
        progress.studying = std::time::Duration::from_secs(250);
        let got = text(&sample::setting(), &progress, Cost::default(), &outcome);
        let want = "\
1,234 tests in 12 min 3 s (1.71/s), seed 17, on gcc-12 12.2.0, clang-16 16.0.6.
78.6 % of CPU time in compilers and their programs, 1.4 % ours (generation 0.7 %, harness 0.6 %), 20.0 % in reductions.

1 finding in this run, 1 distinct bug: 1 compiler-crash.
  #1    compiler-crash: gcc-12 -O2, -O3: crash at -O2, -O3: in extract_insn, at recog.cc:2791
Seen and not confirmed yet; the same hunt again does it:
  #6    compiler-crash: gcc-12 -O2, -O3: crash at -O2, -O3: in extract_insn, at recog.cc:2791
Not reduced yet: 2 findings; too little time for #4 (`gainsay reduce` takes longer).
Not counted: 1 suppressed.
Not counted: 1 disputed (our fault, or the program's, newest #5).
Not counted: 4 failures that did not show again.
The folder has 3 findings, 1 distinct bug, 2 findings not yet attributed: 2 wrong-output, 1 compiler-crash.
Skipped 20 tests without a known answer: not supported 12, out of fuel 8.
Everything is in gainsay-hunt.
Next: gainsay show 1
";
        assert_eq!(got, want);
    }

    #[test]
    fn programs_that_were_compiled_only() {
        let mut progress =
            Progress { checks: Checks { all: 2000, removed: 1234 }, ..Progress::default() };
        progress.unanswered.insert("undefined: null-deref".into(), 3);
        progress.unanswered.insert("unspecified: eval-order".into(), 1);
        let want = "\
Compiled and not run in 4 tests, for want of one answer: undefined: null-deref 3, unspecified: eval-order 1.
Removed 1,234 of 2,000 checks around arithmetic (61.7 %).
";
        assert_eq!(unanswered(&progress), want);
        assert_eq!(unanswered(&Progress::default()), "");
    }

    #[test]
    fn without() {
        let progress = Progress {
            seed: 17,
            tests: 30,
            tests_now: 10,
            elapsed: std::time::Duration::from_secs(4),
            ended: Some(EndReason::Interrupted),
            ..Progress::default()
        };
        let got = text(&sample::setting(), &progress, Cost::default(), &Outcome::default());
        let want = "\
Interrupted.
10 tests (30 with earlier runs) in 4 s (2.50/s), seed 17, on gcc-12 12.2.0, clang-16 16.0.6.
– of CPU time in compilers and their programs, – ours (generation –, harness –).

Nothing was found.
Everything is in gainsay-hunt.
Next, to go on where this ended: gainsay hunt --for 10m
";
        assert_eq!(got, want);
    }
}
