//! Raw results as lines of a file, and the tables made of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::program_pool::{MutantFate, MutantResult};

/// Seconds at which faults are counted, up to the budget.
const MARKS: [f64; 11] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];

/// First line of a file of results.
pub const HEAD: &str = "mutant\tsource\tbudget\tfate\tseconds\treaching\tprogram";

/// The result of one source on one mutant.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Address of the mutant, in hexadecimal.
    pub mutant: String,
    /// The source's label.
    pub source: String,
    /// Seconds that were allowed.
    pub budget: f64,
    /// `alive`, `crash`, `hang` or `wrong`.
    pub fate: String,
    /// Seconds spent.
    pub seconds: f64,
    /// Programs tried that execute the site.
    pub reaching: usize,
    /// The program that exposed it, or `-`.
    pub program: String,
}

impl MutantFate {
    fn name(self) -> &'static str {
        match self {
            MutantFate::Alive => "alive",
            MutantFate::Crash => "crash",
            MutantFate::Hang => "hang",
            MutantFate::Wrong => "wrong",
        }
    }
}

impl Row {
    /// The row of a verdict.
    pub fn new(mutant: u64, source: &str, budget: f64, verdict: &MutantResult) -> Row {
        Row {
            mutant: format!("{mutant:x}"),
            source: source.into(),
            budget,
            fate: verdict.fate.name().into(),
            seconds: verdict.spent.as_secs_f64(),
            reaching: verdict.reaching,
            program: verdict.by.clone().unwrap_or("-".into()),
        }
    }

    /// As a line of a file.
    pub fn line(&self) -> String {
        let Row { mutant, source, budget, fate, seconds, reaching, program } = self;
        format!("{mutant}\t{source}\t{budget}\t{fate}\t{seconds:.3}\t{reaching}\t{program}")
    }

    fn parse(line: &str) -> Option<Row> {
        let mut fields = line.split('\t').map(str::to_string);
        let mut next = || fields.next();
        Some(Row {
            mutant: next()?,
            source: next()?,
            budget: next()?.parse().ok()?,
            fate: next()?,
            seconds: next()?.parse().ok()?,
            reaching: next()?.parse().ok()?,
            program: next()?,
        })
    }

    fn exposed(&self) -> bool {
        self.fate != "alive"
    }
}

/// Reads files of results. A source that occurs in several is named after its file too.
pub fn read(files: &[impl AsRef<Path>]) -> Result<Vec<Row>> {
    let mut all: Vec<Row> = Vec::new();
    for file in files {
        let file = file.as_ref();
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let lines = text.lines().filter(|line| !line.starts_with('#') && *line != HEAD);
        // The last line may be torn where a run was interrupted.
        let mut rows: Vec<Row> = lines.filter_map(Row::parse).collect();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        for row in &mut rows {
            if all.iter().any(|other| other.source == row.source) {
                row.source = format!("{} ({stem})", row.source);
            }
        }
        all.extend(rows);
    }
    if all.is_empty() {
        bail!("no results");
    }
    Ok(all)
}

/// The tables, over the mutants that every source was tried on.
pub fn tables(rows: &[Row]) -> String {
    let mut sources: Vec<&str> = Vec::new();
    let mut by_mutant: BTreeMap<&str, BTreeMap<&str, &Row>> = BTreeMap::new();
    for row in rows {
        if !sources.contains(&row.source.as_str()) {
            sources.push(&row.source);
        }
        by_mutant.entry(&row.mutant).or_default().insert(&row.source, row);
    }
    by_mutant.retain(|_, of| of.len() == sources.len());
    let columns: Vec<(&str, Vec<&Row>)> = sources
        .iter()
        .map(|&source| {
            (source, by_mutant.values().filter_map(|of| of.get(source).copied()).collect())
        })
        .collect();
    let budget = rows.iter().map(|row| row.budget).fold(f64::INFINITY, f64::min);
    let mut text = over_time(&columns, budget);
    text += &overlap(&columns);
    text
}

/// Faults for each second that was spent until they were exposed or the budget was over, and how many times that is
/// the first source's.
pub fn rates(rows: &[Row]) -> String {
    let mut sources: Vec<(&str, usize, f64)> = Vec::new();
    for row in rows {
        let at = sources.iter().position(|(source, ..)| *source == row.source);
        let at = at.unwrap_or_else(|| {
            sources.push((&row.source, 0, 0.0));
            sources.len() - 1
        });
        sources[at].1 += usize::from(row.exposed());
        sources[at].2 += row.seconds;
    }
    let rate = |(_, exposed, seconds): &(&str, usize, f64)| *exposed as f64 / seconds.max(1e-9);
    let first = sources.first().map_or(0.0, rate).max(1e-9);
    let mut text = "\n| source | exposed | CPU seconds | for each second | ratio |\n".to_string();
    text += "| --- | ---: | ---: | ---: | ---: |\n";
    for source in &sources {
        let (name, exposed, seconds) = source;
        let (rate, ratio) = (rate(source), rate(source) / first);
        let _ = writeln!(text, "| {name} | {exposed} | {seconds:.1} | {rate:.3} | {ratio:.2} |");
    }
    text
}

/// Faults exposed by each source within so many seconds.
fn over_time(columns: &[(&str, Vec<&Row>)], budget: f64) -> String {
    let count = columns.first().map_or(0, |(_, rows)| rows.len());
    let mut marks: Vec<f64> = MARKS.into_iter().filter(|&mark| mark < budget).collect();
    marks.push(budget);
    let mut text = format!("faults exposed, of {count}, within CPU seconds:\n\n| source |");
    marks.iter().for_each(|mark| text += &format!(" {mark} |"));
    text += " crash | hang | wrong | reached | mean s |\n| --- |";
    text += &" ---: |".repeat(marks.len() + 5);
    text += "\n";
    for (source, rows) in columns {
        let _ = write!(text, "| {source} |");
        for &mark in &marks {
            let within = rows.iter().filter(|row| row.exposed() && row.seconds <= mark).count();
            let _ = write!(text, " {within} |");
        }
        for fate in ["crash", "hang", "wrong"] {
            let _ = write!(text, " {} |", rows.iter().filter(|row| row.fate == fate).count());
        }
        let reached = rows.iter().filter(|row| row.reaching > 0).count();
        let time = |row: &&Row| if row.exposed() { row.seconds.min(budget) } else { budget };
        let mean = rows.iter().map(time).sum::<f64>() / count.max(1) as f64;
        let _ = writeln!(text, " {reached} | {mean:.3} |");
    }
    text += "\nreached: some program tried executes the site; mean s: time to expose a fault, the \
             budget where it was not.\n";
    text
}

/// Who exposed what the other did not, for each pair.
fn overlap(columns: &[(&str, Vec<&Row>)]) -> String {
    if columns.len() < 2 {
        return String::new();
    }
    let mut text = "\n| A | B | both | only A | only B | p | A first | B first |\n".to_string();
    text += "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (i, (a, rows_a)) in columns.iter().enumerate() {
        for (b, rows_b) in &columns[i + 1..] {
            let (mut both, mut only_a, mut only_b, mut faster_a, mut faster_b) = (0, 0, 0, 0, 0);
            for (a, b) in rows_a.iter().zip(rows_b) {
                match (a.exposed(), b.exposed()) {
                    (true, true) if a.seconds < b.seconds => {
                        (both, faster_a) = (both + 1, faster_a + 1)
                    }
                    (true, true) => (both, faster_b) = (both + 1, faster_b + 1),
                    (true, false) => only_a += 1,
                    (false, true) => only_b += 1,
                    (false, false) => {}
                }
            }
            let (first_a, first_b) = (faster_a + only_a, faster_b + only_b);
            let p = sign_test(only_a, only_b);
            let _ = writeln!(
                text,
                "| {a} | {b} | {both} | {only_a} | {only_b} | {p:.3} | {first_a} | {first_b} |"
            );
        }
    }
    text += "\np: how likely a difference this large is if both were equally good (sign test over mutants, \
             for these very programs). Who is first depends on the measured cost of a program: no test.\n";
    text
}

/// Two-sided: how likely `a` and `b` lie at least this far apart if each case is a fair coin.
fn sign_test(a: usize, b: usize) -> f64 {
    let (n, k) = (a + b, a.min(b));
    // Terms of the binomial distribution by their logarithms: 2^-1000 is still a number, but
    // 2^-2000 is not.
    let mut term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = term.exp();
    for i in 0..k {
        term += ((n - i) as f64 / (i + 1) as f64).ln();
        sum += term.exp();
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mutant: &str, source: &str, fate: &str, seconds: f64) -> Row {
        let (mutant, source, fate) = (mutant.into(), source.into(), fate.into());
        Row { mutant, source, budget: 5.0, fate, seconds, reaching: 1, program: "7".into() }
    }

    #[test]
    fn rows_read_back() {
        let one = row("63f2", "yarp:--policy none", "wrong", 1.25);
        assert_eq!(Row::parse(&one.line()), Some(one));
        assert_eq!(Row::parse("63f2\tyarp\t5"), None);
    }

    #[test]
    fn counts_over_mutants_that_all_were_tried_on() {
        let rows = [
            row("1", "a", "wrong", 0.7),
            row("1", "b", "alive", 4.9),
            row("2", "a", "crash", 3.0),
            row("2", "b", "crash", 0.2),
            row("3", "a", "crash", 0.1),
        ];
        let text = tables(&rows);
        assert!(text.contains("of 2, within"), "{text}");
        assert!(text.contains("| a | 0 | 1 | 1 | 2 | 1 | 0 | 1 | 2 | 1.850 |"), "{text}");
        assert!(text.contains("| b | 1 | 1 | 1 | 1 | 1 | 0 | 0 | 2 | 2.600 |"), "{text}");
        assert!(text.contains("| a | b | 1 | 1 | 0 | 1.000 | 1 | 1 |"), "{text}");
    }

    #[test]
    fn rates_are_of_the_time_that_was_spent() {
        let rows = [
            row("1", "a", "wrong", 1.0),
            row("2", "a", "alive", 3.0),
            row("1", "b", "wrong", 0.5),
            row("2", "b", "crash", 0.5),
        ];
        let text = rates(&rows);
        assert!(text.contains("| a | 1 | 4.0 | 0.250 | 1.00 |"), "{text}");
        assert!(text.contains("| b | 2 | 1.0 | 2.000 | 8.00 |"), "{text}");
    }

    #[test]
    fn signs() {
        // 10 against 0: two of 2^10 outcomes. 8 against 2: 2 * (1 + 10 + 45) of 1024.
        assert!((sign_test(10, 0) - 2.0 / 1024.0).abs() < 1e-12);
        assert!((sign_test(2, 8) - 112.0 / 1024.0).abs() < 1e-12);
        assert_eq!(sign_test(5, 5), 1.0);
        assert_eq!(sign_test(0, 0), 1.0);
    }
}
