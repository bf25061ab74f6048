//! The machine's result for a program that we did not generate: its exact output, or why there is none.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cmachine::{Exit, MachineConfig, Outcome, Report};
use cparse::ErrorKind;
use ctree::{Abi, Program};
use oracle::{Assessment, Expected, Opinion};
use toolchain::Preprocessor;

/// Prefixes of the reasons that are the program's own.
const UNDEFINED: &str = "undefined: ";
const UNSPECIFIED: &str = "unspecified: ";

/// What a program called `abort` leaves to the shell.
const ABORTED: u8 = 134;

/// The result of a program.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// What it must do.
    pub expected: Expected,
    /// Steps that the machine took.
    pub steps: u64,
}

/// Why a program cannot be used: a short reason that many programs share, and the details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// `undefined: signed-overflow`.
    pub reason: String,
    /// What exactly.
    pub detail: String,
}

impl Unusable {
    /// Whether the program has no defined answer, rather than one that we cannot find.
    pub fn is_undefined(&self) -> bool {
        self.reason.starts_with(UNDEFINED) || self.reason.starts_with(UNSPECIFIED)
    }

    fn new(reason: impl Into<String>, detail: impl Into<String>) -> Unusable {
        Unusable { reason: reason.into(), detail: detail.into() }
    }
}

/// Preprocesses, parses and executes a program of these files; the preprocessor's processor time is
/// added to `spent`.
pub fn predict(
    files: &[PathBuf],
    preprocessor: &Preprocessor,
    fuel: u64,
    spent: &mut Duration,
) -> Result<Prediction, Unusable> {
    predict_for(Abi::Lp64, files, preprocessor, fuel, spent)
}

/// The same with a data model.
pub fn predict_for(
    abi: Abi,
    files: &[PathBuf],
    preprocessor: &Preprocessor,
    fuel: u64,
    spent: &mut Duration,
) -> Result<Prediction, Unusable> {
    let program = read_for(abi, files, preprocessor, spent)?;
    let config = MachineConfig { fuel, ..MachineConfig::default() };
    answer(cmachine::run(&program, &config))
}

/// Preprocesses and parses a program of these files.
pub fn read(
    files: &[PathBuf],
    preprocessor: &Preprocessor,
    spent: &mut Duration,
) -> Result<Program, Unusable> {
    read_for(Abi::Lp64, files, preprocessor, spent)
}

fn read_for(
    abi: Abi,
    files: &[PathBuf],
    preprocessor: &Preprocessor,
    spent: &mut Duration,
) -> Result<Program, Unusable> {
    let mut program = Program::new(abi.model());
    for file in files {
        let text = text(file, preprocessor, spent)?;
        let name = file.display().to_string();
        if let Err(error) = cparse::parse_unit(&mut program, &name, &text) {
            let reason = match error.kind {
                ErrorKind::Invalid => "not C",
                ErrorKind::Unsupported => "not supported",
            };
            return Err(Unusable::new(reason, error.message));
        }
    }
    Ok(program)
}

/// What an execution says of the program.
pub fn answer(report: Report) -> Result<Prediction, Unusable> {
    let status = match report.outcome {
        Outcome::Finished(Exit::Status(status)) => status,
        Outcome::Finished(Exit::Abort) => ABORTED,
        Outcome::Undefined(kind, verdict) => {
            return Err(Unusable::new(format!("{UNDEFINED}{}", kind.name()), verdict.detail));
        }
        Outcome::Unspecified(kind, verdict) => {
            return Err(Unusable::new(format!("{UNSPECIFIED}{}", kind.name()), verdict.detail));
        }
        Outcome::Unsupported(verdict) => {
            return Err(Unusable::new("not supported", verdict.detail));
        }
        Outcome::OutOfFuel => return Err(Unusable::new("runs too long", "out of fuel")),
        Outcome::OutOfMemory(verdict) => {
            return Err(Unusable::new("needs too much memory", verdict.detail));
        }
        Outcome::Internal(what) => return Err(Unusable::new(OUR_BUG, what)),
    };
    Ok(Prediction { expected: Expected { stdout: report.stdout, status }, steps: report.steps })
}

/// The reason for what is our own fault.
pub const OUR_BUG: &str = "a bug of gainsay";

fn text(
    file: &Path,
    preprocessor: &Preprocessor,
    spent: &mut Duration,
) -> Result<String, Unusable> {
    if file.extension().is_some_and(|e| e == "i") {
        return std::fs::read_to_string(file)
            .map_err(|error| Unusable::new("cannot be read", error.to_string()));
    }
    preprocessor
        .run_counted(file, spent)
        .map_err(|error| Unusable::new("cannot be preprocessed", error.to_string()))
}

/// The machine's own line of a certificate.
pub fn own_opinion(units: &str, steps: u64) -> Opinion {
    let version = env!("CARGO_PKG_VERSION");
    Opinion {
        tool: format!("gainsay {version}, abstract machine of C11, {steps} steps"),
        command: format!("gainsay run {units}"),
        says: Assessment::Valid,
    }
}

/// The machine's own line on a program that it cannot execute.
pub fn own_silence(units: &str, why: &Unusable) -> Opinion {
    let says = Assessment::Silent(format!("{}: {}", why.reason, why.detail));
    Opinion { says, ..own_objection(units, why) }
}

/// The machine's own line on a program without an answer.
pub fn own_objection(units: &str, why: &Unusable) -> Opinion {
    Opinion {
        tool: format!("gainsay {}", env!("CARGO_PKG_VERSION")),
        command: format!("gainsay run {units}"),
        says: Assessment::Undefined(format!("{}: {}", why.reason, why.detail)),
    }
}
