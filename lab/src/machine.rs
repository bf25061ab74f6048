//! The abstract machine in a child process: `gainsay run --json`, so that a panic or a stack
//! overflow is one more answer.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Ended, Run, Status};
use serde::Deserialize;

/// The machine's own fuel ends a program sooner than this, unless the machine hangs.
const WALL: Duration = Duration::from_secs(120);

/// Address space of the child; the machine's own limit on the program's memory is far below.
const MEMORY: u64 = 4 << 30;

/// Builds and calls `gainsay`.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The binary.
    pub gainsay: PathBuf,
    /// Options for every run.
    pub options: Vec<OsString>,
    /// Greatest number of steps; `None` is the machine's default.
    pub fuel: Option<u64>,
}

/// What `gainsay run --json` prints, as far as we use it.
#[derive(Clone, Debug, Deserialize, Default)]
pub struct Object {
    pub outcome: String,
    pub stage: String,
    pub kind: Option<String>,
    pub file: Option<String>,
    pub line: Option<u64>,
    pub column: Option<u64>,
    pub detail: Option<String>,
    pub stdout: String,
    pub stdout_hex: Option<String>,
    pub status: Option<u8>,
}

/// The result of a program.
#[derive(Clone, Debug)]
pub enum RunOutcome {
    /// It finished with this status and output.
    Finished { status: u8, stdout: Vec<u8> },
    /// Undefined or unspecified, and the kind.
    Broken { outcome: String, kind: String },
    /// The machine or, before it, the parser rejects it, and why.
    Unsupported { by_parser: bool, reason: String },
    /// The parser says that it is not C.
    Invalid(String),
    /// Out of fuel or memory.
    Exhausted,
    /// A bug of ours: a panic, a crash, a hang, a contradiction.
    Bug(String),
}

/// An answer and its cost.
#[derive(Clone, Debug)]
pub struct Measured {
    pub answer: RunOutcome,
    /// `file:line:column: detail`, where there is a place.
    pub place: String,
    pub wall: Duration,
    pub cpu: Duration,
    pub peak_rss: u64,
}

impl Machine {
    /// A machine without options.
    pub fn new(gainsay: PathBuf) -> Machine {
        Machine { gainsay, options: Vec::new(), fuel: None }
    }

    /// Adds a header folder.
    pub fn include(mut self, dir: &Path) -> Machine {
        self.options.push("-I".into());
        self.options.push(dir.into());
        self
    }

    fn command(&self, file: &Path) -> Run {
        let fuel = self.fuel.map(|n| format!("--fuel={n}"));
        Run::new(&self.gainsay, WALL)
            .arg("run")
            .args(&self.options)
            .args(fuel)
            .arg(file)
            .memory(MEMORY)
    }

    /// Executes a program.
    pub fn run(&self, file: &Path) -> Measured {
        let nothing = Duration::ZERO;
        let bug = |what: String, wall, cpu, peak_rss| Measured {
            answer: RunOutcome::Bug(what),
            place: String::new(),
            wall,
            cpu,
            peak_rss,
        };
        let done = match self.command(file).arg("--json").finish() {
            Ended::Finished(done) => done,
            Ended::Killed(_, done) => {
                return bug("hang".into(), done.wall, done.cpu, done.peak_rss);
            }
            Ended::NotStarted(error) => return bug(error.to_string(), nothing, nothing, 0),
        };
        let (wall, cpu, peak_rss) = (done.wall, done.cpu, done.peak_rss);
        match serde_json::from_slice::<Object>(&done.stdout.bytes) {
            Ok(object) => {
                let place = place(&object);
                Measured { answer: answer(object), place, wall, cpu, peak_rss }
            }
            Err(_) => bug(how_it_died(done.status, &done.stderr.text()), wall, cpu, peak_rss),
        }
    }

    /// The diagnostic a person would see.
    pub fn diagnostic(&self, file: &Path) -> String {
        match self.command(file).finish() {
            Ended::Finished(done) => done.stderr.text(),
            other => format!("{other:?}"),
        }
    }
}

fn place(object: &Object) -> String {
    let detail = object.detail.as_deref().unwrap_or("");
    match (&object.file, object.line, object.column) {
        (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}: {detail}"),
        _ => detail.to_string(),
    }
}

fn answer(object: Object) -> RunOutcome {
    let detail = object.detail.unwrap_or_default();
    match object.outcome.as_str() {
        "finished" => RunOutcome::Finished {
            status: object.status.unwrap_or(0),
            stdout: match object.stdout_hex {
                Some(hex) => from_hex(&hex),
                None => object.stdout.into_bytes(),
            },
        },
        "undefined" | "unspecified" => {
            RunOutcome::Broken { outcome: object.outcome, kind: object.kind.unwrap_or_default() }
        }
        "unsupported" => {
            RunOutcome::Unsupported { by_parser: object.stage == "parse", reason: detail }
        }
        "invalid" => RunOutcome::Invalid(detail),
        "out-of-fuel" | "out-of-memory" => RunOutcome::Exhausted,
        _ => RunOutcome::Bug(format!("{}: {detail}", object.outcome)),
    }
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// One line on a child that left no answer: the panic's place where there is one.
fn how_it_died(status: Status, stderr: &str) -> String {
    let mut lines = stderr.lines().skip_while(|line| !line.contains("panicked at"));
    match (lines.next(), lines.next()) {
        (Some(at), message) => {
            let at = at.split("panicked at ").nth(1).unwrap_or(at);
            format!("panic at {at} {}", message.unwrap_or(""))
        }
        _ if stderr.contains("overflowed its stack") => "stack overflow".into(),
        _ => format!("{status:?}: {}", stderr.lines().next().unwrap_or("no message")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_told_by_their_place() {
        let stderr = "\nthread 'work' (1) panicked at crates/x.rs:3:4:\nindex out of bounds\nnote";
        let got = how_it_died(Status::Exit(70), stderr);
        assert_eq!(got, "panic at crates/x.rs:3:4: index out of bounds");
    }

    #[test]
    fn hexadecimal() {
        assert_eq!(from_hex("61ff"), [0x61, 0xff]);
    }
}
