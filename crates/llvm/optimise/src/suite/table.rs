//! What a suite came to, as a table.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use refine::{Executed, Proof};

use super::{Compared, Report};

/// All that is known of a function, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Both sides are the same.
    Unchanged,
    /// It refines, whatever the input.
    Proved,
    /// No input was found on which it does not.
    NoCounterexample,
    /// It does not refine.
    Refuted,
    /// Neither execution nor solver can tell.
    Unknown,
    /// Execution cannot tell, and the solver ran out of time or memory.
    OutOfTime,
    /// The solver failed.
    Error,
}

impl Outcome {
    /// All of them, in the order of the table.
    pub const ALL: [Outcome; 7] = [
        Outcome::Unchanged,
        Outcome::Proved,
        Outcome::NoCounterexample,
        Outcome::Refuted,
        Outcome::Unknown,
        Outcome::OutOfTime,
        Outcome::Error,
    ];

    /// Its name in the table and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Unchanged => "unchanged",
            Outcome::Proved => "proved",
            Outcome::NoCounterexample => "no counterexample",
            Outcome::Refuted => "refuted",
            Outcome::Unknown => "unknown",
            Outcome::OutOfTime => "out of time",
            Outcome::Error => "error",
        }
    }
}

/// Times of one kind.
#[derive(Clone, Debug, Default)]
pub struct Times {
    all: Vec<Duration>,
    slowest: Option<(Duration, String)>,
}

impl Times {
    fn add(&mut self, time: Duration, what: impl FnOnce() -> String) {
        if time.is_zero() {
            return;
        }
        self.all.push(time);
        if self.slowest.as_ref().is_none_or(|(slowest, _)| time > *slowest) {
            self.slowest = Some((time, what()));
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// All of them together.
    pub fn total(&self) -> Duration {
        self.all.iter().sum()
    }

    /// The one that this share of them does not exceed.
    pub fn quantile(&self, share: f64) -> Duration {
        let mut sorted = self.all.clone();
        sorted.sort_unstable();
        let at = (sorted.len() as f64 * share) as usize;
        sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((slowest, what)) = &self.slowest else { return Ok(()) };
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        write!(
            f,
            "{} in {:.2} s, median {:.1} ms, 95 % within {:.1} ms, slowest {:.0} ms ({what})",
            plural(self.count(), "function"),
            self.total().as_secs_f64(),
            ms(self.quantile(0.5)),
            ms(self.quantile(0.95)),
            ms(*slowest),
        )
    }
}

/// Counts over the reports of a suite.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Tests reported.
    pub tests: usize,
    /// Tests without a function that was compared, by reason.
    pub set_aside: BTreeMap<&'static str, usize>,
    /// Functions by outcome.
    pub outcomes: BTreeMap<Outcome, usize>,
    /// Functions of which execution could tell something.
    pub answered_by_execution: usize,
    /// Functions of which all inputs were executed.
    pub all_inputs: usize,
    /// Refuted functions whose input has no undef.
    pub refuted_without_undef: usize,
    /// Functions that a solver proved.
    pub proved_by_solver: usize,
    /// Why functions could not be executed.
    pub not_executed: BTreeMap<String, usize>,
    /// Why functions that are neither proved nor refuted could not be.
    pub not_proved: BTreeMap<String, usize>,
    /// Times of executing.
    pub execution: Times,
    /// Times of posing and solving.
    pub proof: Times,
}

/// Reasons that are shown.
const SHOWN: usize = 40;

impl Table {
    /// Counts one more.
    pub fn add(&mut self, report: &Report) {
        self.tests += 1;
        match &report.functions {
            Err(aside) => *self.set_aside.entry(aside.group()).or_default() += 1,
            Ok(functions) => {
                for one in functions {
                    self.add_function(one, || {
                        format!("{} @{}", report.test.file().display(), one.checked.function)
                    });
                }
            }
        }
    }

    fn add_function(&mut self, one: &Compared, what: impl Fn() -> String) {
        let checked = &one.checked;
        let outcome = one.outcome();
        *self.outcomes.entry(outcome).or_default() += 1;
        if outcome == Outcome::Unchanged {
            return;
        }
        match &checked.executed {
            Executed::Unknown(why) => *self.not_executed.entry(why.to_string()).or_default() += 1,
            Executed::Failed(why) => *self.not_executed.entry(why.to_string()).or_default() += 1,
            Executed::Held(_, complete) => {
                self.answered_by_execution += 1;
                self.all_inputs += usize::from(*complete);
            }
            Executed::Refuted => self.answered_by_execution += 1,
        }
        let counterexample = checked.counterexample.as_ref();
        self.refuted_without_undef += usize::from(counterexample.is_some_and(|c| !c.needs_undef));
        self.proved_by_solver += usize::from(checked.proof == Proof::Proved);
        if let Some(why) = checked.proof.why() {
            *self.not_proved.entry(why).or_default() += 1;
        }
        self.execution.add(checked.execution_time, &what);
        self.proof.add(checked.proof_time, &what);
    }

    /// Functions with this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.outcomes.get(&outcome).copied().unwrap_or_default()
    }

    /// All functions.
    pub fn functions(&self) -> usize {
        self.outcomes.values().sum()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.functions();
        let changed = all - self.count(Outcome::Unchanged);
        let (tests, functions) = (plural(self.tests, "test"), plural(all, "function"));
        writeln!(f, "{tests}, {functions}, {changed} changed\n")?;
        writeln!(f, "{:<28} {:>9} {:>8}", "outcome", "functions", "changed")?;
        let share = |n: usize| format!("{:.1} %", 100.0 * n as f64 / changed.max(1) as f64);
        let mut row = |name: &str, n: usize| writeln!(f, "{name:<28} {n:>9} {:>8}", share(n));
        for outcome in Outcome::ALL.into_iter().filter(|o| *o != Outcome::Unchanged) {
            row(outcome.name(), self.count(outcome))?;
        }
        row("answered by execution", self.answered_by_execution)?;
        row("  all inputs executed", self.all_inputs)?;
        row("proved by the solver", self.proved_by_solver)?;
        row("refuted without undef", self.refuted_without_undef)?;
        show_reasons(f, "Not executed:", &self.not_executed)?;
        show_reasons(f, "Not proved:", &self.not_proved)?;
        let aside = self.set_aside.iter().map(|(why, n)| (why.to_string(), *n)).collect();
        show_reasons(f, "Tests set aside:", &aside)?;
        for (what, times) in [("execution", &self.execution), ("solver", &self.proof)] {
            if times.count() > 0 {
                write!(f, "\n{what}: {times}")?;
            }
        }
        if self.execution.count() + self.proof.count() > 0 { writeln!(f) } else { Ok(()) }
    }
}

fn plural(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// The most frequent first.
fn show_reasons(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    reasons: &BTreeMap<String, usize>,
) -> fmt::Result {
    if reasons.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{title}")?;
    let mut reasons: Vec<_> = reasons.iter().collect();
    reasons.sort_by_key(|(why, n)| (std::cmp::Reverse(**n), *why));
    for (why, n) in reasons.iter().take(SHOWN) {
        writeln!(f, "  {n:>6} {why}")?;
    }
    if let Some(rest @ [_, ..]) = reasons.get(SHOWN..) {
        let n: usize = rest.iter().map(|(_, n)| **n).sum();
        writeln!(f, "  {n:>6} for {} other reasons", rest.len())?;
    }
    Ok(())
}
