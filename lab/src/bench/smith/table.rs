//! What the configurations did, as Markdown: Table 3 and Table 4 of the paper, and tokens.

use std::fmt::Write;
use std::time::Duration;

/// Usable programs for each hour of processor time, the last configuration's to the first's.
const GOAL: f64 = 10.0;

/// What one configuration did.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its name.
    pub label: &'static str,
    /// Programs made.
    pub generated: u64,
    /// Programs that did not end in time, or within the machine's steps.
    pub timed_out: u64,
    /// Programs that died when they ran.
    pub crash: u64,
    /// Programs to which a detector objected.
    pub detectors: u64,
    /// Programs that the machine called undefined or unspecified.
    pub machine: u64,
    /// Programs lost in other ways: a compiler or the machine does not take them.
    pub other: u64,
    /// Usable programs on which the compilers differ, or findings.
    pub failures: u64,
    /// Processor time of everything.
    pub cpu: Duration,
    /// Of generators; for a hunt also of the machine.
    pub generate: Duration,
    /// Of compilers.
    pub compile: Duration,
    /// Of compiled programs.
    pub run: Duration,
    /// Of detectors.
    pub detect: Duration,
    /// Mean tokens of a usable program.
    pub tokens: f64,
}

impl Row {
    /// Of nothing yet.
    pub fn new(label: &'static str) -> Row {
        Row { label, ..Row::default() }
    }

    /// Programs that serve miscompilation testing.
    pub fn usable(&self) -> u64 {
        let lost = self.timed_out + self.crash + self.detectors + self.machine + self.other;
        self.generated.saturating_sub(lost)
    }

    fn per_hour(&self, count: f64) -> f64 {
        3600.0 * count / self.cpu.as_secs_f64().max(1e-9)
    }

    /// Mean seconds of a generated program.
    fn mean(&self, time: Duration) -> f64 {
        time.as_secs_f64() / self.generated.max(1) as f64
    }

    /// What no stage accounts for: start-up, the store.
    fn rest(&self) -> Duration {
        self.cpu.saturating_sub(self.generate + self.compile + self.run + self.detect)
    }
}

/// A line of a table: its name and how a configuration's cell is written.
type Line<'a> = (&'a str, &'a dyn Fn(&Row) -> String);

/// The tables, the ratios of the last row to the first, and whether the goal is met.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut table = |title: &str, lines: &[Line]| {
        let labels: Vec<&str> = rows.iter().map(|row| row.label).collect();
        let _ = writeln!(text, "| {title} | {} |", labels.join(" | "));
        let _ = writeln!(text, "| --- |{}", " ---: |".repeat(rows.len()));
        for (name, cell) in lines {
            let cells: Vec<String> = rows.iter().map(cell).collect();
            let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
        }
        text.push('\n');
    };
    let rate = |row: &Row, count: u64| format!("{:.1}", row.per_hour(count as f64));
    let mean = |row: &Row, time| format!("{:.3}", row.mean(time));
    table(
        "programs for each CPU hour",
        &[
            ("generated", &|r| rate(r, r.generated)),
            ("timed out", &|r| rate(r, r.timed_out)),
            ("invalid: crash at run time", &|r| rate(r, r.crash)),
            ("invalid: detectors", &|r| rate(r, r.detectors)),
            ("invalid: machine", &|r| rate(r, r.machine)),
            ("lost otherwise", &|r| rate(r, r.other)),
            ("**usable**", &|r| rate(r, r.usable())),
            ("tokens of a usable program", &|r| format!("{:.0}", r.tokens)),
            ("usable tokens", &|r| format!("{:.0}", r.per_hour(r.tokens * r.usable() as f64))),
        ],
    );
    table(
        "mean CPU seconds of a generated program",
        &[
            ("generation (and the machine)", &|r| mean(r, r.generate)),
            ("compilation", &|r| mean(r, r.compile)),
            ("execution", &|r| mean(r, r.run)),
            ("UB detection", &|r| mean(r, r.detect)),
            ("rest: start-up, store", &|r| mean(r, r.rest())),
        ],
    );
    table(
        "counts",
        &[
            ("programs generated", &|r| r.generated.to_string()),
            ("usable", &|r| r.usable().to_string()),
            ("failures shown", &|r| r.failures.to_string()),
            ("CPU s", &|r| format!("{:.1}", r.cpu.as_secs_f64())),
        ],
    );
    if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
        let ratio = |of: &dyn Fn(&Row) -> f64| {
            last.per_hour(of(last)) / first.per_hour(of(first)).max(1e-9)
        };
        let usable = ratio(&|r| r.usable() as f64);
        let met = if usable >= GOAL { "met" } else { "MISSED" };
        let _ = writeln!(
            text,
            "usable programs, {} to {}: {usable:.1}; goal >= {GOAL} {met}\nusable tokens: {:.1}",
            last.label,
            first.label,
            ratio(&|r| r.tokens * r.usable() as f64),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables() {
        let hour = |label, generated, machine| Row {
            generated,
            machine,
            cpu: Duration::from_secs(3600),
            compile: Duration::from_secs(1800),
            tokens: 100.0,
            ..Row::new(label)
        };
        let mut plain = hour("plain", 90, 0);
        plain.timed_out = 10;
        let text = text(&[plain, hour("ours", 1000, 200)]);
        for line in [
            "| programs for each CPU hour | plain | ours |",
            "| timed out | 10.0 | 0.0 |",
            "| invalid: machine | 0.0 | 200.0 |",
            "| **usable** | 80.0 | 800.0 |",
            "| usable tokens | 8000 | 80000 |",
            "| compilation | 20.000 | 1.800 |",
            "| rest: start-up, store | 20.000 | 1.800 |",
            "usable programs, ours to plain: 10.0; goal >= 10 met",
        ] {
            assert!(text.lines().any(|l| l == line), "no {line:?} in\n{text}");
        }
    }
}
