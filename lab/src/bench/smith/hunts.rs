//! Hunts with smith as child processes, until their processor time is spent.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use cgen::redundant_checks;
use cgen::smith::{self, Bounds};
use cmachine::{MachineConfig, Outcome};
use sandbox::{Ended, Run, Status};
use serde_json::Value;

use super::table::Row;
use super::{COMPILERS, SmithArgs};

/// Longer than any hunt of this bench takes.
const WALL: Duration = Duration::from_secs(6 * 3600);

/// Tests of the first hunt, which only shows what a test costs.
const FIRST: u64 = 10;

/// From this share on the time counts as spent: one more hunt would be all start-up.
const SPENT: f64 = 0.9;

/// Seeds whose programs are looked at for their tokens.
const COUNTED: u64 = 200;

/// Steps of such a program, enough for all that end.
const FUEL: u64 = 300_000;

/// What all hunts have in common.
pub struct Hunts<'a> {
    args: &'a SmithArgs,
    gainsay: PathBuf,
    dir: &'a Path,
    bounds: Bounds,
}

impl Hunts<'_> {
    /// Writes their configuration.
    pub fn new<'a>(args: &'a SmithArgs, gainsay: PathBuf, dir: &'a Path) -> Result<Hunts<'a>> {
        let text = Bounds::named(&args.relax).with_context(|| {
            format!("--relax takes a name such as miscompilation, not {}", args.relax)
        })?;
        let bounds = Bounds::parse(text).map_err(|error| anyhow!(error))?;
        let limits = format!("[limits]\nrun_seconds = {}\n", args.timeout);
        let config = format!("levels = [\"-O2\"]\nextras_per_test = 0\n{limits}");
        fs::write(dir.join("gainsay.toml"), config)?;
        Ok(Hunts { args, gainsay, dir, bounds })
    }

    /// Hunts with these options until the time is spent.
    pub fn measure(&self, label: &'static str, options: &[&str]) -> Result<Row> {
        let mut row = Row::new(label);
        let budget = self.args.cpu as f64;
        let mut tests = FIRST;
        eprintln!("bench: {label} for {budget} CPU s");
        while row.cpu.as_secs_f64() < SPENT * budget {
            self.hunt(tests, options, &mut row)?;
            let each = row.cpu.as_secs_f64() / row.generated.max(1) as f64;
            tests = ((budget - row.cpu.as_secs_f64()) / each.max(1e-6)).ceil().max(1.0) as u64;
        }
        row.tokens = self.tokens(options.is_empty());
        Ok(row)
    }

    /// One hunt, its numbers added to the row.
    fn hunt(&self, tests: u64, options: &[&str], row: &mut Row) -> Result<()> {
        let out = self.dir.join("hunt");
        let seed = self.args.seed + row.generated;
        let mut run = Run::new(&self.gainsay, WALL)
            .args(["hunt", "--engine", "smith", "--json", "--jobs", "1", "--no-reduce"])
            .args(["--relax", &self.args.relax])
            .args(["--tests", &tests.to_string(), "--seed", &seed.to_string()])
            .args(options)
            .arg("--config")
            .arg(self.dir.join("gainsay.toml"))
            .arg("--hunt")
            .arg(&out)
            .cwd(self.dir);
        for compiler in COMPILERS {
            run = run.args(["--cc", compiler]);
        }
        let done = match run.finish() {
            Ended::Finished(done) => done,
            other => bail!("gainsay hunt did not end by itself: {other:?}"),
        };
        let text = done.stdout.text();
        let end = text.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok());
        let end = end.with_context(|| format!("gainsay hunt: {}", done.stderr.text().trim()))?;
        if !matches!(done.status, Status::Exit(0 | 1)) {
            bail!("gainsay hunt ended with {:?}: {end}", done.status);
        }
        add(row, &end, done.cpu)?;
        fs::remove_dir_all(&out)?;
        Ok(())
    }

    /// Mean tokens of the programs that the machine finishes, among some.
    fn tokens(&self, strip: bool) -> f64 {
        let config = MachineConfig { fuel: FUEL, ..MachineConfig::default() };
        let texts = (self.args.seed..self.args.seed + COUNTED).filter_map(|seed| {
            let mut made = smith::generate(&self.bounds.draw(seed), &smith::Options::default());
            let done = match strip {
                true => redundant_checks::remove_redundant_checks(&mut made.program, &config),
                false => redundant_checks::run_with_all_checks(&made.program, &config),
            };
            matches!(done.report.outcome, Outcome::Finished(_)).then(|| made.text())
        });
        let counts: Vec<usize> = texts.map(|text| cshrink::tokens(random_part(&text))).collect();
        counts.iter().sum::<usize>() as f64 / counts.len().max(1) as f64
    }
}

/// The program without its header, whose last function is the checksum's.
fn random_part(text: &str) -> &str {
    let after = text.split_once("static void transparent_crc(").map_or(text, |(_, after)| after);
    after.split_once("\n}\n").map_or(after, |(_, body)| body)
}

/// Adds what a hunt's last object says.
fn add(row: &mut Row, end: &Value, cpu: Duration) -> Result<()> {
    let number =
        |value: &Value| value.as_u64().with_context(|| format!("a number is missing in {end}"));
    row.generated += number(&end["tests_now"])?;
    row.cpu += cpu;
    for (account, key) in [
        (&mut row.generate, "generate"),
        (&mut row.compile, "compile"),
        (&mut row.run, "run"),
        (&mut row.detect, "validate"),
    ] {
        let seconds = end["cpu_s"][key].as_f64();
        *account += Duration::from_secs_f64(seconds.with_context(|| format!("no {key} in {end}"))?);
    }
    let findings = end["findings"].as_object().into_iter().flatten();
    row.failures += findings.filter_map(|(_, n)| n.as_u64()).sum::<u64>();
    for key in ["skipped", "unanswered"] {
        for (reason, n) in end[key].as_object().into_iter().flatten() {
            *cause(row, reason) += number(n)?;
        }
    }
    Ok(())
}

/// Where a program that is not usable is counted, by the reason that the hunt gives.
fn cause<'a>(row: &'a mut Row, reason: &str) -> &'a mut u64 {
    let begins = |words: &[&str]| words.iter().any(|word| reason.starts_with(word));
    if begins(&["runs too long"]) {
        &mut row.timed_out
    } else if begins(&["dies at "]) {
        &mut row.crash
    } else if begins(&["ASan: ", "MSan: ", "UBSan: ", "Frama-C: "]) {
        &mut row.detectors
    } else if begins(&["undefined: ", "unspecified: "]) {
        &mut row.machine
    } else {
        &mut row.other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_of_a_hunt() {
        let end = json!({
            "tests_now": 20, "findings": { "wrong-output": 1 },
            "cpu_s": { "generate": 1.5, "compile": 4.0, "run": 0.5, "validate": 2.0 },
            "skipped": { "runs too long": 2, "no such function": 1 },
            "unanswered": {
                "undefined: null-deref": 3, "unspecified: eval-order": 1,
                "UBSan: load of null pointer": 4, "dies at -O0": 2,
            },
        });
        let mut row = Row::new("smith");
        add(&mut row, &end, Duration::from_secs(10)).unwrap();
        let causes = (row.timed_out, row.crash, row.detectors, row.machine, row.other);
        assert_eq!(causes, (2, 2, 4, 4, 1));
        assert_eq!((row.generated, row.usable(), row.failures), (20, 7, 1));
        assert_eq!((row.generate.as_millis(), row.detect.as_secs()), (1500, 2));
    }

    #[test]
    fn a_header_is_left_out() {
        let tuple = smith::SeedTuple::plain(1);
        let text = smith::generate(&tuple, &smith::Options::default()).text();
        let body = random_part(&text);
        assert!(!body.contains("static void transparent_crc(") && body.contains("int main("));
        assert!(body.len() < text.len());
        assert_eq!(random_part("int x;"), "int x;");
    }
}
