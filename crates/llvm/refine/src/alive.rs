//! `alive-tv`, where it is installed.
//!
//! FLUX section IV-B: Alive2 proves function by function, so only pipelines without passes between
//! functions make sense ([`crate::PIPELINE`]); it has a limit on memory and on time for each question; and it
//! does not know all of LLVM. Small tests are worth more than large ones, so whoever asks begins with the
//! smallest.

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use crate::{Failure, Reason, Refinement, Refutation, Verdict};
use sandbox::{Ended, KillReason, Run, Scratch, Status, Stop};

/// `alive-tv`.
#[derive(Clone, Debug)]
pub struct AliveTv {
    /// The program.
    pub program: OsString,
    /// For each question to the solver.
    pub query: Duration,
    /// For all of a pair.
    pub wall: Duration,
    /// For the solver, in MiB.
    pub memory: u64,
    /// Ends it.
    pub stop: Stop,
}

impl AliveTv {
    /// The one on the PATH, with the paper's limit on memory; `None` if there is none.
    pub fn find() -> Option<AliveTv> {
        let program = OsString::from("alive-tv");
        let asked = Run::new(&program, Duration::from_secs(20)).arg("--version").finish();
        asked.success().map(|_| AliveTv::new(program))
    }

    /// A program, with the paper's limit on memory, and limits on time that leave a hunt going.
    pub fn new(program: impl Into<OsString>) -> AliveTv {
        AliveTv {
            program: program.into(),
            query: Duration::from_secs(10),
            wall: Duration::from_secs(120),
            memory: 500,
            stop: Stop::new(),
        }
    }

    fn run(&self, before: &str, after: &str) -> std::io::Result<Ended> {
        let scratch = Scratch::new()?;
        let (old, new) = (scratch.file("before.ll"), scratch.file("after.ll"));
        fs::write(&old, before)?;
        fs::write(&new, after)?;
        Ok(Run::new(&self.program, self.wall)
            .arg(format!("--smt-to={}", self.query.as_millis()))
            .arg(format!("--smt-max-mem={}", self.memory))
            .arg(old)
            .arg(new)
            .cwd(scratch.path())
            .stop(&self.stop)
            .finish())
    }
}

impl Refinement for AliveTv {
    fn check(&self, before: &str, after: &str) -> Verdict {
        match self.run(before, after) {
            Err(error) => Verdict::Error(Failure::Scratch(error.to_string().into())),
            Ok(Ended::NotStarted(error)) => {
                let program = self.program.display();
                Verdict::Error(Failure::NotStarted(
                    format!("{program} cannot be started: {error}").into(),
                ))
            }
            Ok(Ended::Killed(KillReason::Wall, _)) => Verdict::Timeout,
            Ok(Ended::Killed(why, _)) => {
                Verdict::Error(Failure::Killed(format!("it was ended: {why:?}").into()))
            }
            Ok(Ended::Finished(done)) => {
                // Versions differ in which stream has what.
                let said = done.stdout.text() + &done.stderr.text();
                match done.status {
                    Status::Signal(signal) => Verdict::Error(Failure::Signal(signal)),
                    Status::Exit(_) => judge(&said),
                }
            }
        }
    }
}

/// What has the solver at its limit.
const TOO_HARD: [&str; 3] = ["ERROR: Timeout", "ERROR: Out of memory", "ERROR: SMT Error"];

/// What Alive2 says of what it does not know.
const UNKNOWN: [&str; 6] = [
    "ERROR: Unsupported",
    "ERROR: Could not translate",
    "ERROR: Couldn't prove",
    "ERROR: Loops are not supported",
    "ERROR: Function with unsupported",
    "ERROR: Skip",
];

/// Reads a report of `alive-tv`. A wrong transformation outweighs whatever else there is, then what is
/// not known, then what was too hard.
fn judge(said: &str) -> Verdict {
    let Some((_, summary)) = said.rsplit_once("Summary:") else {
        let failure = last_error(said).map(|words| Failure::Says(words.into()));
        return Verdict::Error(failure.unwrap_or(Failure::NoSummary));
    };
    let count = |what: &str| -> u64 {
        let line = summary.lines().find_map(|line| line.trim().strip_suffix(what));
        line.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
    };
    if count(" incorrect transformations") > 0 {
        return Verdict::Refuted(Box::new(Refutation::told(counterexample(said))));
    }
    let error = |known: &[&str]| {
        said.lines().map(str::trim).find(|line| known.iter().any(|start| line.starts_with(start)))
    };
    // Errors were counted in one number once.
    let failed =
        count(" failed-to-prove transformations") + count(" Alive2 errors") + count(" errors");
    if failed > 0 {
        return match (error(&UNKNOWN), error(&TOO_HARD)) {
            (Some(line), _) => Verdict::Unknown(Reason::AliveTv(without_mark(line).into())),
            (None, Some(_)) => Verdict::Timeout,
            (None, None) => {
                Verdict::Error(Failure::Says(last_error(said).unwrap_or("no reason given").into()))
            }
        };
    }
    match count(" correct transformations") {
        0 => Verdict::Unknown(Reason::NoCommonFunction),
        _ => Verdict::Proved,
    }
}

fn without_mark(line: &str) -> String {
    line.strip_prefix("ERROR: ").unwrap_or(line).to_string()
}

fn last_error(said: &str) -> Option<&str> {
    said.lines().rev().find_map(|line| line.trim().strip_prefix("ERROR: "))
}

/// The report of the first function that is wrong: both versions of it, and the example.
fn counterexample(said: &str) -> String {
    /// What stands between functions.
    const RULE: &str = "----------------------------------------";
    let body = said.rsplit_once("Summary:").map_or(said, |(body, _)| body);
    let parts = body.split(RULE).find(|part| part.contains("Transformation doesn't verify!"));
    parts.unwrap_or(body).trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report with these lines before its summary and these counts in it.
    fn report(lines: &str, counts: [u32; 4]) -> String {
        let [correct, incorrect, failed, errors] = counts;
        format!(
            "{lines}\nSummary:\n  {correct} correct transformations\n  {incorrect} incorrect \
             transformations\n  {failed} failed-to-prove transformations\n  {errors} Alive2 errors\n"
        )
    }

    const WRONG: &str = "----------------------------------------\ndefine i8 @good() {\n  ret i8 1\n}\n=>\n\
        define i8 @good() {\n  ret i8 1\n}\nTransformation seems to be correct! (syntactically equal)\n\n\
        ----------------------------------------\ndefine i1 @bad(i8 %x) {\n  ret i1 1\n}\n=>\n\
        define i1 @bad(i8 %x) {\n  ret i1 0\n}\nTransformation doesn't verify!\n\n\
        ERROR: Value mismatch\n\nExample:\ni8 %x = #x00 (0)\n\nSource value: #x1 (1)\nTarget value: #x0 (0)\n\n";

    #[test]
    fn reports_are_read() {
        let fine = report("Transformation seems to be correct!\n", [2, 0, 0, 0]);
        assert_eq!(judge(&fine), Verdict::Proved);
        let Verdict::Refuted(refuted) = judge(&report(WRONG, [1, 1, 0, 0])) else { panic!() };
        let example = refuted.report;
        assert!(example.starts_with("define i1 @bad"), "{example}");
        assert!(example.ends_with("Target value: #x0 (0)"), "{example}");
        let unknown = "ERROR: Unsupported instruction:   %r = va_arg ptr %p, i32\n\
                       ERROR: Could not translate 'f' to Alive IR";
        assert_eq!(
            judge(&report(unknown, [3, 0, 0, 1])),
            Verdict::Unknown(Reason::AliveTv(
                "Unsupported instruction:   %r = va_arg ptr %p, i32".into()
            ))
        );
        let rough =
            "ERROR: Couldn't prove the correctness of the transformation\nAlive2 approximated …";
        assert!(matches!(judge(&report(rough, [0, 0, 1, 0])), Verdict::Unknown(_)));
        for hard in [
            "ERROR: Timeout",
            "ERROR: Out of memory; skipping function.",
            "ERROR: SMT Error: max. memory",
        ] {
            assert_eq!(judge(&report(hard, [0, 0, 1, 0])), Verdict::Timeout, "{hard}");
        }
        // A wrong function is wrong, whatever the others are.
        let both = format!("ERROR: Timeout\n{WRONG}");
        assert!(matches!(judge(&report(&both, [0, 1, 1, 1])), Verdict::Refuted(_)));
    }

    #[test]
    fn odd_reports_are_errors() {
        let other =
            report("ERROR: Only functions with identical signatures can be checked", [0, 0, 0, 1]);
        assert_eq!(
            judge(&other),
            Verdict::Error(Failure::Says(
                "Only functions with identical signatures can be checked".into()
            ))
        );
        assert_eq!(judge("Could not read bitcode"), Verdict::Error(Failure::NoSummary));
        assert!(matches!(judge(&report("", [0, 0, 0, 0])), Verdict::Unknown(_)));
        // The first releases counted errors in one line.
        let old = "ERROR: Timeout\nSummary:\n  0 correct transformations\n  0 incorrect transformations\n  1 errors\n";
        assert_eq!(judge(old), Verdict::Timeout);
    }
}
