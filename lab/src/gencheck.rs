//! `cargo lab gencheck`: the generator at scale.
//!
//! Every seed must give a program, and with `--twice` the same bytes again. Samples of them go
//! through real compilers without optimisation, through their sanitizers, and back through
//! `gainsay run`: each must print exactly what the generator says, and no sanitizer may complain.
//! Folders of failing programs are kept, with the reason beside the program.

pub mod judge;
pub mod program;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use choice::Choices;

use crate::LabOutcome;
use crate::context::Context;
use crate::machine::{Machine, RunOutcome};
use crate::{csmith, pool};
use judge::ReferenceTool;
use oracle::difference;
use program::{GeneratedProgram, Generator, Lang};

/// Checks that are no compiler's.
const GENERATED: &str = "generated";
const TWICE: &str = "the same twice";
const REREAD: &str = "gainsay run";

/// Arguments of `cargo lab gencheck`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Seeds, from the first to before the last.
    #[arg(long, value_name = "A..B", default_value = "1..501", value_parser = csmith::seeds)]
    seeds: Range<u64>,
    /// Language of the programs.
    #[arg(long, value_enum, default_value = "c")]
    lang: Lang,
    /// Generation engine.
    #[arg(long, default_value = "yarp")]
    engine: String,
    /// Generation policy.
    #[arg(long)]
    policy: Option<String>,
    /// Generate every program a second time and compare the bytes.
    #[arg(long)]
    twice: bool,
    /// How many programs the compilers get, without optimisation.
    #[arg(long, value_name = "N", default_value_t = 300)]
    compilers: usize,
    /// How many programs the sanitizers get.
    #[arg(long, value_name = "N", default_value_t = 300)]
    sanitize: usize,
    /// How many C programs `gainsay run` gets, as one file.
    #[arg(long, value_name = "N", default_value_t = 300)]
    reread: usize,
    /// Picks other samples.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    sample_seed: u64,
    /// How many programs at a time; as many as there are processors if not given.
    #[arg(long)]
    jobs: Option<usize>,
    /// Begin no program after so many minutes.
    #[arg(long)]
    minutes: Option<u64>,
    /// Another program to call as `gainsay`, to test this command itself.
    #[arg(long, hide = true)]
    gainsay: Option<PathBuf>,
}

/// What is done with the program of one seed.
#[derive(Clone, Copy, Debug)]
struct Job {
    seed: u64,
    compilers: bool,
    sanitize: bool,
    reread: bool,
}

/// One check of one program; the failure as a sentence, with all that is known below it.
#[derive(Debug)]
struct CheckResult {
    check: String,
    failure: Option<String>,
}

/// Runs the checks and prints the table.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    // A policy may be the path of a file.
    let policy = args.policy.as_deref().and_then(|policy| Path::new(policy).file_stem());
    let policy = policy.map_or("default".into(), |stem| stem.to_string_lossy());
    let dir = context.target.join(format!("gencheck/{}-{policy}", args.lang.name()));
    // What an earlier run kept would be taken for this one's.
    let _ = fs::remove_dir_all(&dir);
    let checker = Checker::new(context, args, dir)?;
    let begin = Instant::now();
    let end = args.minutes.map(|minutes| begin + Duration::from_secs(60 * minutes));
    let jobs = plan(args);
    let threads = args.jobs.unwrap_or_else(pool::processors);
    let results = pool::map_on(threads, "gencheck", &jobs, |job| {
        let late = end.is_some_and(|end| Instant::now() > end);
        (!late).then(|| checker.program(job))
    });
    let mut table = Table { rows: checker.checks(), ..Table::default() };
    for (job, result) in jobs.iter().zip(results) {
        match result {
            Some(checks) => checks.into_iter().for_each(|checked| table.add(job.seed, checked)),
            None => table.not_begun += 1,
        }
    }
    print!("{}", table.text(&checker.dir));
    println!("{} programs in {:.0} s", jobs.len() - table.not_begun, begin.elapsed().as_secs_f64());
    Ok(if table.failures.is_empty() { LabOutcome::Nothing } else { LabOutcome::Something })
}

/// All seeds, and which of them are in which sample.
fn plan(args: &Args) -> Vec<Job> {
    let seeds: Vec<u64> = args.seeds.clone().collect();
    let sample = |label: &str, count: usize| -> BTreeSet<u64> {
        let mut order = seeds.clone();
        Choices::new(args.sample_seed).fork(label).shuffle(&mut order);
        order.into_iter().take(count).collect()
    };
    let (compilers, sanitize) =
        (sample("compilers", args.compilers), sample("sanitize", args.sanitize));
    let reread = sample("reread", if args.lang == Lang::C { args.reread } else { 0 });
    let job = |&seed: &u64| Job {
        seed,
        compilers: compilers.contains(&seed),
        sanitize: sanitize.contains(&seed),
        reread: reread.contains(&seed),
    };
    seeds.iter().map(job).collect()
}

/// All that a program is checked with.
struct Checker {
    generator: Generator,
    machine: Machine,
    twice: bool,
    compilers: Vec<ReferenceTool>,
    sanitizers: Vec<ReferenceTool>,
    /// Where programs lie, each in a folder named after its seed.
    dir: PathBuf,
}

impl Checker {
    fn new(context: &Context, args: &Args, dir: PathBuf) -> Result<Checker> {
        let gainsay = match &args.gainsay {
            Some(path) => path.clone(),
            None => context.gainsay()?,
        };
        if args.jobs == Some(0) {
            bail!("--jobs must be at least 1");
        }
        let wanted = |count, make: fn(Lang) -> Result<Vec<ReferenceTool>>| match count {
            0 => Ok(Vec::new()),
            _ => make(args.lang),
        };
        Ok(Checker {
            generator: Generator {
                gainsay: gainsay.clone(),
                engine: args.engine.clone(),
                policy: args.policy.clone(),
                lang: args.lang,
            },
            machine: Machine::new(gainsay),
            twice: args.twice,
            compilers: wanted(args.compilers, judge::compilers)?,
            sanitizers: wanted(args.sanitize, judge::sanitizers)?,
            dir,
        })
    }

    /// The rows of the table, in the order in which a program goes through the checks.
    fn checks(&self) -> Vec<(String, usize, usize)> {
        let judges = self.compilers.iter().chain(&self.sanitizers).map(|judge| judge.name.as_str());
        let twice = self.twice.then_some(TWICE);
        let reread = (self.generator.lang == Lang::C).then_some(REREAD);
        let names = [GENERATED].into_iter().chain(twice).chain(judges).chain(reread);
        names.map(|name| (name.to_string(), 0, 0)).collect()
    }

    /// Generates and checks one program, and keeps its folder only if something failed.
    fn program(&self, job: &Job) -> Vec<CheckResult> {
        let dir = self.dir.join(job.seed.to_string());
        let mut checks = Vec::new();
        let mut note = |check: &str, result: Result<(), String>| {
            checks.push(CheckResult { check: check.into(), failure: result.err() });
        };
        match self.generator.generate(job.seed, &dir) {
            Err(why) => note(GENERATED, Err(why)),
            Ok(made) => {
                note(GENERATED, Ok(()));
                if self.twice {
                    note(TWICE, self.check_determinism(job.seed, &made));
                }
                let compilers = self.compilers.iter().filter(|_| job.compilers);
                let sanitizers = self.sanitizers.iter().filter(|_| job.sanitize);
                for judge in compilers.chain(sanitizers) {
                    note(&judge.name, judge.check(job.seed, &made));
                }
                if job.reread {
                    note(REREAD, self.reread(job.seed, &made));
                }
            }
        }
        let failures = checks.iter().filter_map(|c| Some((&c.check, c.failure.as_ref()?)));
        let why: String = failures.map(|(check, why)| format!("{check}: {why}\n")).collect();
        // The folder is a courtesy: not being able to keep or remove it changes no verdict.
        let _ = match why.is_empty() {
            true => fs::remove_dir_all(&dir),
            false => fs::write(dir.join("why.txt"), why),
        };
        checks
    }

    /// The same seed once more.
    fn check_determinism(&self, seed: u64, made: &GeneratedProgram) -> Result<(), String> {
        let dir = made.dir.join("again");
        let second = self.generator.generate(seed, &dir)?;
        if let Some(file) = made.first_different(&second) {
            return Err(format!("{file} differs: see again/{file}"));
        }
        let _ = fs::remove_dir_all(&dir);
        Ok(())
    }

    /// The program as one file, through the preprocessor, the parser and the machine.
    fn reread(&self, seed: u64, made: &GeneratedProgram) -> Result<(), String> {
        let dir = made.dir.join("single");
        let single = self.generator.generate_single(seed, &dir)?;
        if single.expected != made.expected {
            return Err("the single file is said to print something else".into());
        }
        let [file] = single.sources() else {
            return Err(format!("{} sources in place of one", single.sources().len()));
        };
        let got = self.machine.run(file);
        match &got.answer {
            RunOutcome::Finished { status: 0, stdout } => difference(&made.expected, stdout)
                .map_or(Ok(()), |difference| Err(format!("output differs: {difference}"))),
            other => Err(format!("{other:?} {}", got.place)),
        }
    }
}

/// Counts for each check, and the failures.
#[derive(Debug, Default)]
struct Table {
    /// Name, programs, failures.
    rows: Vec<(String, usize, usize)>,
    failures: Vec<(u64, String, String)>,
    not_begun: usize,
}

impl Table {
    fn add(&mut self, seed: u64, checked: CheckResult) {
        let CheckResult { check, failure } = checked;
        let at = self.rows.iter().position(|(name, ..)| *name == check).unwrap_or_else(|| {
            self.rows.push((check.clone(), 0, 0));
            self.rows.len() - 1
        });
        self.rows[at].1 += 1;
        if let Some(why) = failure {
            self.rows[at].2 += 1;
            self.failures.push((seed, check, why));
        }
    }

    fn text(&self, dir: &Path) -> String {
        let mut text = format!("{:<28} {:>9} {:>9}\n", "check", "programs", "failures");
        for (check, programs, failures) in &self.rows {
            text += &format!("{check:<28} {programs:>9} {failures:>9}\n");
        }
        if self.not_begun > 0 {
            text += &format!("{:<28} {:>9}\n", "not begun in time", self.not_begun);
        }
        for failures in self.failures.chunk_by(|a, b| a.0 == b.0) {
            let (seed, check, why) = &failures[0];
            let why = why.lines().next().unwrap_or("");
            text += &format!("seed {seed}: {check}: {why}");
            // Mostly the same in other words: `why.txt` has it all.
            text += &match failures.len() - 1 {
                0 => "\n".to_string(),
                others => format!(" (and {others} more)\n"),
            };
        }
        if !self.failures.is_empty() {
            text += &format!("kept under {}, each with why.txt\n", dir.display());
        }
        text
    }
}
