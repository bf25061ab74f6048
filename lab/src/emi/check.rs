//! `cargo lab emi check`: every variant must do what its seed does, by every tool.
//!
//! Each is compiled by gcc and clang without optimisation and read again from its text; a sample goes
//! through the sanitizers. Programs that fail are kept, with the reason beside them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use campaign::{donors, least, texts};
use cmachine::{Exit, MachineConfig, Outcome};
use ctree::{DataModel, Program};
use emi::{Strategies, Strategy, Variant};
use oracle::{SourceFile, difference};

use super::{Numbered, SeedKind, collect};
use crate::LabOutcome;
use crate::context::Context;
use crate::gencheck::judge::{self, ReferenceTool};
use crate::gencheck::program::{GeneratedProgram, Lang};
use crate::pool;

/// Checks that are no compiler's.
const MACHINE: &str = "the machine";
const REREAD: &str = "its text, read again";

/// Arguments of `cargo lab emi check`.
#[derive(clap::Args, Debug)]
pub struct Check {
    /// How many seeds of yarp, smith, Csmith and the torture tests.
    #[arg(long, value_name = "N,N,N,N", value_delimiter = ',', default_value = "50,50,50,50")]
    seeds: Vec<usize>,
    /// Variants of each seed.
    #[arg(long, default_value_t = 10)]
    variants: u32,
    /// The mutations.
    #[arg(long, default_value = "all")]
    strategy: Strategies,
    /// How many variants the sanitizers get.
    #[arg(long, value_name = "N", default_value_t = 200)]
    sanitize: usize,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds at a time; as many as there are processors if not given.
    #[arg(long)]
    jobs: Option<usize>,
}

/// The results of one seed.
#[derive(Default)]
struct Outcomes {
    variants: usize,
    /// Variants without a new mutation.
    unchanged: usize,
    mutations: BTreeMap<Strategy, usize>,
    /// Steps of the seed, and of all variants together.
    steps: (u64, u64),
    /// For each check how often it was made.
    made: BTreeMap<String, usize>,
    /// For each sanitizer how often it complained of a variant as it does of the seed.
    inherited: BTreeMap<String, usize>,
    /// Which variant, which check, why.
    failures: Vec<(String, String, String)>,
}

/// Runs the checks and prints the tables.
pub fn main(context: &Context, args: &Check) -> Result<LabOutcome> {
    let &[yarp, smith, csmith, torture] = args.seeds.as_slice() else {
        bail!("--seeds takes four numbers, such as 50,50,50,50");
    };
    if args.variants == 0 || args.jobs == Some(0) {
        bail!("--variants and --jobs must be at least 1");
    }
    let dir = context.target.join("emi-check");
    // What an earlier run kept would be taken for this one's.
    let _ = fs::remove_dir_all(&dir);
    let mut seeds = Vec::new();
    for (kind, count) in SeedKind::ALL.into_iter().zip([yarp, smith, csmith, torture]) {
        seeds.extend(collect(context, kind, args.seed, count)?);
    }
    let all = seeds.len() * args.variants as usize;
    let checker = Checker {
        compilers: judge::compilers(Lang::C)?,
        sanitizers: if args.sanitize == 0 { Vec::new() } else { judge::sanitizers(Lang::C)? },
        every: all.checked_div(args.sanitize).unwrap_or(0).max(1),
        strategies: args.strategy.clone(),
        variants: args.variants,
        dir,
    };
    let begin = Instant::now();
    let numbered: Vec<(usize, Numbered)> = seeds.into_iter().enumerate().collect();
    let threads = args.jobs.unwrap_or_else(pool::processors);
    let results = pool::map_on(threads, "emi", &numbered, |(at, seed)| checker.seed(*at, seed));
    let mut by_kind: Vec<(SeedKind, usize, Outcomes)> = Vec::new();
    for ((_, seed), outcomes) in numbered.iter().zip(results) {
        let at = by_kind.iter().position(|(kind, ..)| *kind == seed.kind).unwrap_or_else(|| {
            by_kind.push((seed.kind, 0, Outcomes::default()));
            by_kind.len() - 1
        });
        by_kind[at].1 += 1;
        by_kind[at].2.add(outcomes?);
    }
    print!("{}", tables(&by_kind));
    println!("\n{:.0} s on {threads} processors", begin.elapsed().as_secs_f64());
    let mut failures = by_kind.iter().flat_map(|(_, _, o)| &o.failures).peekable();
    let found = if failures.peek().is_some() { LabOutcome::Something } else { LabOutcome::Nothing };
    for (label, check, why) in failures {
        println!("{label}: {check}: {}", why.lines().next().unwrap_or(""));
    }
    if found == LabOutcome::Something {
        println!("kept under {}, each with why.txt", checker.dir.display());
    }
    Ok(found)
}

struct Checker {
    compilers: Vec<ReferenceTool>,
    sanitizers: Vec<ReferenceTool>,
    /// One variant in so many goes through the sanitizers.
    every: usize,
    strategies: Strategies,
    variants: u32,
    dir: PathBuf,
}

impl Checker {
    fn seed(&self, at: usize, seed: &Numbered) -> Result<Outcomes> {
        let mut outcomes = Outcomes::default();
        let config = MachineConfig::default();
        let chain = seed.seed.clone().chain(&self.strategies, &config, seed.number);
        let mut chain = match chain {
            Ok(chain) => chain,
            Err(unfit) => bail!("{} is no seed after all: {:?}", seed.label(), unfit.0),
        };
        let expected = chain.seed().stdout.clone();
        outcomes.steps.0 = chain.seed().steps * u64::from(self.variants);
        for number in 1..=self.variants {
            let label = format!("{}-variant-{number}", seed.label());
            let derived = match chain.next(donors()) {
                Ok(derived) => derived,
                Err(wrong) => {
                    let new = wrong.variant.edits().get(wrong.new.clone()).unwrap_or_default();
                    let why = format!("{:?} by {:?}", wrong.report.outcome, new);
                    self.keep(&label, &texts(&wrong.variant.program()), &expected, &why)?;
                    outcomes.note(&label, MACHINE, Err(why));
                    break;
                }
            };
            outcomes.note(&label, MACHINE, Ok(()));
            outcomes.variants += 1;
            outcomes.unchanged += usize::from(derived.new.is_empty());
            outcomes.steps.1 += derived.steps;
            let edits = chain.variant().edits().get(derived.new.clone()).unwrap_or_default();
            for edit in edits {
                *outcomes.mutations.entry(edit.strategy).or_default() += 1;
            }
            let files = texts(chain.program());
            let sanitize =
                (at * self.variants as usize + number as usize).is_multiple_of(self.every);
            let before = outcomes.failures.len();
            self.variant(&label, seed, &files, &expected, sanitize, &mut outcomes)?;
            if let Some((_, check, _)) = outcomes.failures.get(before) {
                self.blame(&label, chain.variant(), &check.clone(), &expected)?;
            }
        }
        Ok(outcomes)
    }

    fn variant(
        &self,
        label: &str,
        seed: &Numbered,
        files: &[SourceFile],
        expected: &[u8],
        sanitize: bool,
        outcomes: &mut Outcomes,
    ) -> Result<()> {
        let before = outcomes.failures.len();
        outcomes.note(label, REREAD, reread(files, expected));
        self.keep(label, files, expected, "")?;
        let dir = self.dir.join(label);
        let made = GeneratedProgram::read(&dir).map_err(anyhow::Error::msg)?;
        for judge in &self.compilers {
            outcomes.note(label, &judge.name, judge.check(seed.number, &made));
        }
        for judge in self.sanitizers.iter().filter(|_| sanitize) {
            let result = judge.check(seed.number, &made);
            // Other people's programs do what sanitizers complain of and the machine lets pass.
            if result.is_err() && self.fails_itself(judge, label, seed, expected)? {
                *outcomes.inherited.entry(judge.name.clone()).or_default() += 1;
            } else {
                outcomes.note(label, &judge.name, result);
            }
        }
        let why: Vec<String> = outcomes.failures[before..]
            .iter()
            .map(|(_, check, why)| format!("{check}: {why}\n"))
            .collect();
        match why.is_empty() {
            true => fs::remove_dir_all(&dir)?,
            false => {
                let origin = format!("seed: {}\n", seed.made.origin);
                fs::write(dir.join("why.txt"), why.concat() + &origin)?;
            }
        }
        Ok(())
    }

    /// Whether a check fails on the seed of a variant as well.
    fn fails_itself(
        &self,
        judge: &ReferenceTool,
        label: &str,
        seed: &Numbered,
        expected: &[u8],
    ) -> Result<bool> {
        let name = format!("{label}/seed");
        self.keep(&name, &texts(&seed.seed.program), expected, "")?;
        let made = GeneratedProgram::read(&self.dir.join(&name)).map_err(anyhow::Error::msg)?;
        Ok(judge.check(seed.number, &made).is_err())
    }

    /// Keeps the variant with the least mutations that still fail a check, for debugging.
    fn blame(&self, label: &str, variant: &Variant, check: &str, expected: &[u8]) -> Result<()> {
        let dir = self.dir.join(label);
        let all: Vec<usize> = (0..variant.edits().len()).collect();
        let judge = self.compilers.iter().chain(&self.sanitizers).find(|j| j.name == check);
        let least_label = format!("{label}/least");
        let mut best = None;
        least(&all, &mut |edits| {
            let files = texts(&variant.with(|n| edits.contains(&n)));
            let fails = match judge {
                None => reread(&files, expected).is_err(),
                Some(judge) => {
                    let made = self.keep(&least_label, &files, expected, "");
                    let made =
                        made.ok().and_then(|()| GeneratedProgram::read(&dir.join("least")).ok());
                    made.is_some_and(|made| judge.check(0, &made).is_err())
                }
            };
            if fails {
                best = Some((edits.to_vec(), files));
            }
            Ok(fails)
        })?;
        if let Some((edits, files)) = best {
            let by = edits.iter().filter_map(|&n| variant.edits().get(n));
            let by: Vec<&str> = by.map(|edit| edit.strategy.name()).collect();
            println!(
                "{label}: {check} fails with {} of {} mutations: {}",
                by.len(),
                all.len(),
                by.join(" ")
            );
            self.keep(&least_label, &files, expected, "")?;
            self.keep(&format!("{label}/seed"), &texts(&variant.with(|_| false)), expected, "")?;
        }
        Ok(())
    }

    fn keep(&self, label: &str, files: &[SourceFile], expected: &[u8], why: &str) -> Result<()> {
        let dir = self.dir.join(label);
        fs::create_dir_all(&dir)?;
        for file in files {
            fs::write(dir.join(&file.name), &file.bytes)?;
        }
        fs::write(dir.join("expected"), expected)?;
        if !why.is_empty() {
            fs::write(dir.join("why.txt"), why)?;
        }
        Ok(())
    }
}

/// The text through parser and machine.
fn reread(files: &[SourceFile], expected: &[u8]) -> Result<(), String> {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    for file in files {
        let text = String::from_utf8_lossy(&file.bytes);
        cparse::parse_unit(&mut program, &file.name, &text)
            .map_err(|error| format!("not read: {}", error.message))?;
    }
    let report = cmachine::run(&program, &MachineConfig::default());
    match report.outcome {
        Outcome::Finished(Exit::Status(0)) => match difference(expected, &report.stdout) {
            None => Ok(()),
            Some(difference) => Err(format!("output differs: {difference}")),
        },
        other => Err(format!("{other:?}")),
    }
}

impl Outcomes {
    fn note(&mut self, label: &str, check: &str, result: Result<(), String>) {
        *self.made.entry(check.into()).or_default() += 1;
        if let Err(why) = result {
            self.failures.push((label.into(), check.into(), why));
        }
    }

    fn add(&mut self, other: Outcomes) {
        self.variants += other.variants;
        self.unchanged += other.unchanged;
        self.steps.0 += other.steps.0;
        self.steps.1 += other.steps.1;
        for (strategy, n) in other.mutations {
            *self.mutations.entry(strategy).or_default() += n;
        }
        for (check, n) in other.made {
            *self.made.entry(check).or_default() += n;
        }
        for (check, n) in other.inherited {
            *self.inherited.entry(check).or_default() += n;
        }
        self.failures.extend(other.failures);
    }
}

fn tables(all: &[(SeedKind, usize, Outcomes)]) -> String {
    let names: Vec<&str> = Strategy::ALL.iter().map(|s| s.name()).collect();
    let mut text = format!(
        "| seeds of | seeds | variants | as the last | {} | steps, to the seed's |\n",
        names.join(" | ")
    );
    text += &format!("|{}\n", " --- |".repeat(5 + names.len()));
    let mut sum: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for (kind, seeds, outcomes) in all {
        let counts: Vec<String> = Strategy::ALL
            .iter()
            .map(|s| outcomes.mutations.get(s).copied().unwrap_or(0).to_string())
            .collect();
        let ratio = outcomes.steps.1 as f64 / outcomes.steps.0.max(1) as f64;
        let _ = writeln!(
            text,
            "| {} | {seeds} | {} | {} | {} | {ratio:.2} |",
            kind.name(),
            outcomes.variants,
            outcomes.unchanged,
            counts.join(" | ")
        );
        for (check, n) in &outcomes.made {
            sum.entry(check).or_default().0 += n;
        }
        for (_, check, _) in &outcomes.failures {
            sum.entry(check).or_default().1 += 1;
        }
        for (check, n) in &outcomes.inherited {
            sum.entry(check).or_default().2 += n;
        }
    }
    text += "\n| check | variants | failures | beside them: on the seed too |\n";
    text += "| --- | --- | --- | --- |\n";
    for (check, (made, failed, inherited)) in sum {
        let _ = writeln!(text, "| {check} | {made} | {failed} | {inherited} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_do_something_else_are_seen() {
        let file =
            |text: &str| vec![SourceFile { name: "a.c".into(), bytes: text.as_bytes().to_vec() }];
        let text = "int printf(const char *, ...); int main(void) { printf(\"1\\n\"); return 0; }";
        assert_eq!(reread(&file(text), b"1\n"), Ok(()));
        assert!(reread(&file(text), b"2\n").unwrap_err().contains("differs"));
        assert!(
            reread(&file("int main(void) { return 1 }"), b"").unwrap_err().contains("not read")
        );
        assert!(reread(&file("int main(void) { return 1; }"), b"").is_err());
    }

    #[test]
    fn outcomes_are_added_up_by_kind() {
        let mut a = Outcomes { variants: 2, steps: (10, 15), ..Outcomes::default() };
        a.note("x", REREAD, Ok(()));
        a.mutations.insert(Strategy::Tg, 3);
        let mut b = Outcomes { variants: 1, unchanged: 1, steps: (10, 15), ..Outcomes::default() };
        b.note("y", REREAD, Err("no".into()));
        a.add(b);
        let text = tables(&[(SeedKind::Smith, 2, a)]);
        assert!(text.contains("| smith | 2 | 3 | 1 | 0 | 3 | 0 | 0 | 0 | 1.50 |"), "{text}");
        assert!(text.contains("| its text, read again | 2 | 1 |"), "{text}");
    }
}
