//! Counts the constructs of programs, executed and not executed.
//!
//! A construct is counted once for each place where it is written, not for each time it runs;
//! only the iterations of loops are dynamic. It counts as executed where the statement it belongs
//! to was reached. So the arm of a ternary that is never taken, and the right side of an `&&` that
//! is never evaluated, count as executed with their statement: `Hooks::branches` would be exact, but is
//! not worth its cost here. Operands of `sizeof` do not count, and
//! neither do initialisers of globals, which no statement executes.

mod count;
mod features;
mod names;

use std::collections::BTreeMap;
use std::fmt;

use cmachine::Profile;
use ctree::{FuncId, Program};
use serde::Serialize;

/// How often a construct occurs in programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// In statements that ran.
    pub executed: u64,
    /// In statements that did not.
    pub not_executed: u64,
}

impl Count {
    /// Executed or not.
    pub fn total(self) -> u64 {
        self.executed + self.not_executed
    }
}

/// Counts over one program or many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Census {
    /// How many programs were counted.
    pub programs: u64,
    /// Iterations of all their loops.
    pub iterations: u64,
    /// Counts by group and feature.
    groups: BTreeMap<&'static str, BTreeMap<String, Count>>,
}

impl Census {
    /// Counts all functions of a program that was run with `Hooks::cover`.
    pub fn of(program: &Program, profile: &Profile) -> Census {
        Census::of_functions(program, profile, |_| true)
    }

    /// Counts the functions that `own` picks, and all globals. The driver and the
    /// checksum are the same in all programs.
    pub fn of_functions(
        program: &Program,
        profile: &Profile,
        own: impl Fn(FuncId) -> bool,
    ) -> Census {
        count::census(program, profile, &own)
    }

    /// Adds the counts of other programs.
    pub fn add(&mut self, other: &Census) {
        self.programs += other.programs;
        self.iterations += other.iterations;
        for (&group, features) in &other.groups {
            for (feature, count) in features {
                let sum = self.entry(group, feature);
                sum.executed += count.executed;
                sum.not_executed += count.not_executed;
            }
        }
    }

    /// The count of a feature; zero where there is none.
    pub fn count(&self, group: &str, feature: &str) -> Count {
        self.groups.get(group).and_then(|g| g.get(feature)).copied().unwrap_or_default()
    }

    /// The share of statements that were executed, in percent.
    pub fn live_share(&self) -> f64 {
        let all = self.count("statements", "statement");
        100.0 * all.executed as f64 / all.total().max(1) as f64
    }

    /// Features of a fixed list that no program executed.
    pub fn missing(&self) -> Vec<&'static str> {
        let groups = features::GROUPS.iter().filter(|(group, _)| *group != features::ITERATIONS);
        let all = groups.flat_map(|(group, list)| list.iter().map(move |feature| (group, feature)));
        all.filter(|(g, f)| self.count(g, f).executed == 0).map(|(_, f)| *f).collect()
    }

    fn entry(&mut self, group: &'static str, feature: &str) -> &mut Count {
        self.groups.entry(group).or_default().entry(feature.into()).or_default()
    }

    fn tick(&mut self, group: &'static str, feature: &str, live: bool) {
        let count = self.entry(group, feature);
        *(if live { &mut count.executed } else { &mut count.not_executed }) += 1;
    }

    /// The rows of a group: the fixed ones, then the others.
    fn rows(&self, group: &str, fixed: &'static [&'static str]) -> Vec<(&str, Count)> {
        let others = self.groups.get(group).into_iter().flatten().map(|(f, _)| f.as_str());
        let others = others.filter(|f| !fixed.contains(f));
        fixed.iter().copied().chain(others).map(|f| (f, self.count(group, f))).collect()
    }
}

/// The table: counts, in total and per thousand programs.
impl fmt::Display for Census {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_thousand = |n: u64| 1000.0 * n as f64 / self.programs.max(1) as f64;
        writeln!(
            f,
            "{} programs, {:.1} % of the statements executed, {} loop iterations",
            self.programs,
            self.live_share(),
            self.iterations
        )?;
        writeln!(
            f,
            "{:40} {:>12} {:>12} {:>12} {:>12}",
            "", "executed", "not executed", "executed", "not executed"
        )?;
        writeln!(f, "{:40} {:>25} {:>25}", "", "in all", "per 1,000 programs")?;
        for (group, fixed) in features::GROUPS {
            let rows = self.rows(group, fixed);
            if !rows.is_empty() {
                writeln!(f, "{group}")?;
            }
            for (feature, Count { executed, not_executed }) in rows {
                writeln!(
                    f,
                    "  {feature:38} {executed:>12} {not_executed:>12} {:>12.0} {:>12.0}",
                    per_thousand(executed),
                    per_thousand(not_executed)
                )?;
            }
        }
        Ok(())
    }
}
