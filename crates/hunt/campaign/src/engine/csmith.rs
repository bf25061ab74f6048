//! The engine `csmith`: an installed Csmith makes the programs, the machine says what they print.
//!
//! With `relax_arith` they lose redundant calls of `safe_*` (RELAX-ARITH of the
//! CsmithEdge paper). They are read with the header that has wrappers as functions and written for one
//! of both headers, by seed; what is written is read and executed again, as compilers will see it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use cgen::redundant_checks;
use choice::Choices;
use cmachine::MachineConfig;
use oracle::{Case, Detector, Expected, SourceFile, Trouble};
use sandbox::{Ended, KillReason, Run, Scratch, Status};
use toolchain::{Language, Preprocessor, csmith_headers, on_path};

use super::{Source, TestProgram};
use crate::bench::{TestBench, trouble};
use crate::predict::{self, Unusable, predict};
use crate::record::{Checks, Cost};

/// Csmith itself sometimes takes seconds, and with some seeds does not end.
const WALL: Duration = Duration::from_secs(30);

/// Memory limit of Csmith.
const MEMORY: u64 = 4 << 30;

/// Steps for one program; most take less than a tenth of it. An endless program is to be given up
/// within a second.
const FUEL: u64 = 2_000_000;

/// Features of Csmith that can be disabled.
const FEATURES: [&str; 22] = [
    "arrays",
    "bitfields",
    "comma-operators",
    "compound-assignment",
    "consts",
    "divs",
    "embedded-assigns",
    "pre-incr-operator",
    "pre-decr-operator",
    "post-incr-operator",
    "post-decr-operator",
    "unary-plus-operator",
    "jumps",
    "math64",
    "inline-function",
    "muls",
    "pointers",
    "structs",
    "unions",
    "volatiles",
    "volatile-pointers",
    "const-pointers",
];

/// An installed Csmith.
pub struct Csmith {
    name: String,
    program: PathBuf,
    headers: PathBuf,
    options: Vec<String>,
    preprocessor: Preprocessor,
    /// Remove redundant checks; how many declarations Csmith's header has.
    relax_arith: Option<usize>,
    /// Ask the sanitizers before any compiler.
    eager: bool,
    /// Disable a random half of the features in each program.
    swarm: bool,
}

/// The line that all programs have, and the one before it that makes wrappers macros.
const INCLUDE: &str = "#include \"csmith.h\"\n";
const MACROS: &str = "#define USE_MATH_MACROS\n";

impl Csmith {
    /// Finds it; more options for it can be given.
    pub fn find(options: Vec<String>, relax_arith: bool, eager: bool) -> Result<Csmith> {
        let missing = "Csmith is not installed, and --engine csmith runs it: on Debian, apt-get \
                       install csmith libcsmith-dev";
        let program = on_path("csmith").context(missing)?;
        let headers = csmith_headers().context(missing)?;
        let preprocessor = Preprocessor::find()?.include(&headers);
        let mut name = match options.is_empty() {
            true => "csmith".to_string(),
            false => format!("csmith {}", options.join(" ")),
        };
        let mut declarations = None;
        if relax_arith {
            name += " relax-arith";
            declarations = Some(declared(&preprocessor)?);
        }
        if eager {
            name += " eager";
        }
        let relax_arith = declarations;
        let swarm = false;
        Ok(Csmith { name, program, headers, options, preprocessor, relax_arith, eager, swarm })
    }

    /// The same with swarm testing (Groce et al., 2012): a random half of the features is disabled in each program.
    pub fn swarm(mut self) -> Csmith {
        self.name += " swarm";
        self.swarm = true;
        self
    }

    /// The features that are disabled in a program.
    fn without(&self, seed: u64) -> Vec<String> {
        let mut choices = Choices::new(seed);
        let off = FEATURES.iter().filter(|_| self.swarm && choices.chance(50));
        off.map(|feature| format!("--no-{feature}")).collect()
    }

    /// The program of a file without its redundant checks, for one of the headers.
    fn relaxed(
        &self,
        seed: u64,
        file: &Path,
        header: usize,
        spent: &mut Duration,
    ) -> Result<(String, Checks, Expected), Unusable> {
        let mut program = predict::read(&[file.to_path_buf()], &self.preprocessor, spent)?;
        let config = MachineConfig { fuel: FUEL, ..MachineConfig::default() };
        let stripped = redundant_checks::remove_redundant_checks(&mut program, &config);
        let checks = Checks { all: stripped.checks as u64, removed: stripped.removed as u64 };
        let expected = predict::answer(stripped.report)?.expected;
        let items = program.units.first().and_then(|unit| unit.items.get(header..));
        let body = ctree::print::print_items(&program, items.unwrap_or_default());
        let macros = if seed.is_multiple_of(2) { MACROS } else { "" };
        Ok((format!("{macros}{INCLUDE}\n{body}"), checks, expected))
    }
}

impl Source for Csmith {
    fn name(&self) -> &str {
        &self.name
    }

    fn make(
        &self,
        seed: u64,
        dir: &Path,
        bench: &TestBench,
        cost: &mut Cost,
    ) -> Result<Result<TestProgram, Unusable>, Trouble> {
        let run = Run::new(&self.program, WALL)
            .args(["--seed", &seed.to_string()])
            .args(&self.options)
            .args(self.without(seed))
            // It drops a file of its own where it runs.
            .cwd(dir)
            .memory(MEMORY)
            .stop(&bench.lab.stop);
        let text = match run.finish() {
            Ended::Finished(done) => {
                cost.generate += done.cpu;
                if done.status != Status::Exit(0) || done.stdout.bytes.is_empty() {
                    return Ok(Err(unusable("csmith fails", done.stderr.text())));
                }
                done.stdout.bytes
            }
            Ended::Killed(KillReason::Stop, _) => return Err(Trouble::Stopped),
            Ended::Killed(_, done) => {
                cost.generate += done.cpu;
                return Ok(Err(unusable("csmith takes too long", String::new())));
            }
            Ended::NotStarted(error) => {
                return Err(Trouble::Io(format!("csmith cannot be started: {error}")));
            }
        };
        let file = dir.join("test.c");
        fs::write(&file, &text).map_err(|error| trouble(&error, &file))?;
        let mut checks = Checks::default();
        let mut text = text;
        let mut before = None;
        if let Some(header) = self.relax_arith {
            match self.relaxed(seed, &file, header, &mut cost.generate) {
                Ok((relaxed, found, expected)) => {
                    (text, checks, before) = (relaxed.into_bytes(), found, Some(expected));
                }
                Err(unusable) => return Ok(Err(unusable)),
            }
            fs::write(&file, &text).map_err(|error| trouble(&error, &file))?;
        }
        let prediction = match predict(&[file], &self.preprocessor, FUEL, &mut cost.generate) {
            Ok(prediction) => prediction,
            Err(unusable) => return Ok(Err(unusable)),
        };
        if before.is_some_and(|before| before != prediction.expected) {
            let detail = format!("csmith --seed {seed} prints something else without its checks");
            return Ok(Err(unusable(predict::OUR_BUG, detail)));
        }
        let case = Case {
            language: Language::C,
            files: vec![SourceFile { name: "test.c".into(), bytes: text }],
            harness: None,
            standard: None,
            include: vec![self.headers.clone()],
            expected: Some(prediction.expected),
            omitted: Default::default(),
        };
        let include = self.headers.display();
        let own = predict::own_opinion(&format!("-I {include} test.c"), prediction.steps);
        let without = self.without(seed);
        let options: String =
            self.options.iter().chain(&without).map(|o| format!(" {o}")).collect();
        let mut origin = format!("csmith --seed {seed}{options} > test.c");
        if self.relax_arith.is_some() {
            origin += ", without its redundant checks";
        }
        let made = TestProgram::new(case, origin, own, FUEL).taking(prediction.steps);
        let mut made = TestProgram { checks, ..made };
        if self.eager {
            made.first = [Detector::Address, Detector::Memory, Detector::Undefined].into();
        }
        Ok(Ok(made))
    }
}

/// How many declarations Csmith's header has: what comes after them is the program.
fn declared(preprocessor: &Preprocessor) -> Result<usize> {
    let scratch = Scratch::new().context("a folder for temporary files")?;
    let file = scratch.file("header.c");
    fs::write(&file, INCLUDE).with_context(|| format!("{} cannot be written", file.display()))?;
    let mut spent = Duration::ZERO;
    let program = predict::read(&[file], preprocessor, &mut spent);
    let program =
        program.map_err(|u| anyhow!("csmith.h cannot be read: {}: {}", u.reason, u.detail))?;
    Ok(program.units.first().map_or(0, |unit| unit.items.len()))
}

fn unusable(reason: &str, detail: String) -> Unusable {
    Unusable { reason: reason.into(), detail }
}

#[cfg(test)]
mod tests {
    use oracle::Lab;

    use super::*;

    fn made(csmith: &Csmith, seed: u64) -> Result<TestProgram, Unusable> {
        let bench = TestBench::new(Lab::default(), Vec::new(), 0);
        let folder = bench.folder().unwrap();
        csmith.make(seed, folder.path(), &bench, &mut Cost::default()).unwrap()
    }

    /// For both headers: fewer checks, the same answer.
    #[test]
    fn needless_checks_go_and_the_answer_stays() {
        if on_path("csmith").is_none() && std::env::var_os("CI").is_none() {
            return;
        }
        let small = || ["--max-funcs", "3", "--max-block-size", "2"].map(String::from).to_vec();
        let plain = Csmith::find(small(), false, false).unwrap();
        let relaxed = Csmith::find(small(), true, true).unwrap();
        let mut compared = 0;
        for seed in 1..30 {
            let (Ok(before), Ok(after)) = (made(&plain, seed), made(&relaxed, seed)) else {
                continue;
            };
            assert_eq!(before.case.expected, after.case.expected, "seed {seed}");
            assert!(after.checks.removed <= after.checks.all);
            assert_eq!(after.first.len(), 3);
            let text = String::from_utf8(after.case.files[0].bytes.clone()).unwrap();
            assert_eq!(text.starts_with(MACROS), seed % 2 == 0);
            if after.checks.all > 5 {
                let calls = |text: &str| text.matches("safe_").count() as u64;
                let original = String::from_utf8(before.case.files[0].bytes.clone()).unwrap();
                assert_eq!(calls(&original) - calls(&text), after.checks.removed, "seed {seed}");
                compared += 1;
            }
            if compared == 4 {
                return;
            }
        }
        panic!("{compared} programs with checks");
    }
}
