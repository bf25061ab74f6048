//! A program with its text and its answer.

use std::sync::OnceLock;

use cmachine::{Exit, Hooks, MachineConfig, Outcome, Profile};
use ctree::{DataModel, Program, UnitId};

use crate::{Edit, clean};

/// One translation unit as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnitText {
    /// File name.
    pub name: String,
    /// Preprocessed C.
    pub text: String,
}

/// What a specimen must obey.
#[derive(Clone, Debug)]
pub struct Rules {
    /// It must have a defined result. Without this nothing is executed: for programs that are not
    /// whole, or beyond the machine.
    pub execute: bool,
    /// Steps it may take.
    pub fuel: u64,
    /// Functions and variables that nothing uses are dropped with every edit.
    pub sweep: bool,
}

/// Why a text is no specimen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// The parser does not take it; why.
    Text(String),
    /// It has no defined result; why.
    Undefined(String),
    /// The machine cannot say; why.
    Unknown(String),
}

impl Rejected {
    /// The reason.
    pub fn why(&self) -> &str {
        match self {
            Rejected::Text(why) | Rejected::Undefined(why) | Rejected::Unknown(why) => why,
        }
    }
}

/// A program with its text and its answer.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// The tree of exactly this text.
    pub program: Program,
    /// The text.
    pub units: Vec<UnitText>,
    /// What it prints; empty when it was not executed.
    pub stdout: Vec<u8>,
    /// What it exits with; 134 for `abort`, 0 when it was not executed.
    pub status: u8,
    /// Steps the machine took.
    pub steps: u64,
    profile: OnceLock<Profile>,
}

/// What a program that called `abort` leaves to the shell.
const ABORTED: u8 = 134;

impl Specimen {
    /// Reads and executes a text.
    pub fn new(units: Vec<UnitText>, rules: &Rules) -> Result<Specimen, Rejected> {
        let mut program = Program::new(DataModel::X86_64_SYSV);
        for unit in &units {
            cparse::parse_unit(&mut program, &unit.name, &unit.text)
                .map_err(|error| Rejected::Text(error.message))?;
        }
        let (stdout, status, steps) =
            if rules.execute { execute(&program, rules.fuel)? } else { Default::default() };
        Ok(Specimen { program, units, stdout, status, steps, profile: OnceLock::new() })
    }

    /// The specimen with some edits made, if it still is one and not the same.
    pub fn with<'a>(
        &self,
        edits: impl IntoIterator<Item = &'a Edit>,
        rules: &Rules,
    ) -> Option<Specimen> {
        let mut program = self.program.clone();
        for edit in edits {
            edit(&mut program);
        }
        clean::tidy(&mut program, rules.sweep);
        let units = print(&program, &self.units);
        if units == self.units {
            return None;
        }
        Specimen::new(units, rules).ok()
    }

    /// All of it in one file, if that is a specimen.
    pub fn merged(&self, rules: &Rules) -> Option<Specimen> {
        let mut program = self.program.clone();
        crate::merge_units::merge_units(&mut program);
        clean::tidy(&mut program, rules.sweep);
        Specimen::new(print(&program, &self.units[..1]), rules).ok()
    }

    /// What was recorded of its execution: coverage and values. Empty if it cannot be executed.
    pub fn profile(&self) -> &Profile {
        self.profile.get_or_init(|| {
            let hooks = Hooks { cover: true, values: true, ..Hooks::default() };
            let config = MachineConfig { fuel: self.steps + 1, ..MachineConfig::default() };
            cmachine::run_with(&self.program, &config, &hooks).profile
        })
    }

    /// Tokens of all its text.
    pub fn tokens(&self) -> usize {
        self.units.iter().map(|unit| crate::tokens(&unit.text)).sum()
    }
}

/// The text of a program's units, under the names of these.
fn print(program: &Program, names: &[UnitText]) -> Vec<UnitText> {
    let unit = |(i, old): (usize, &UnitText)| UnitText {
        name: old.name.clone(),
        text: ctree::print::print_unit(program, UnitId(i as u32)),
    };
    names.iter().enumerate().map(unit).collect()
}

fn execute(program: &Program, fuel: u64) -> Result<(Vec<u8>, u8, u64), Rejected> {
    let config = MachineConfig { fuel, ..MachineConfig::default() };
    let report = cmachine::run(program, &config);
    let status = match report.outcome {
        Outcome::Finished(Exit::Status(status)) => status,
        Outcome::Finished(Exit::Abort) => ABORTED,
        Outcome::Undefined(kind, verdict) => {
            return Err(Rejected::Undefined(format!("{}: {}", kind.name(), verdict.detail)));
        }
        Outcome::Unspecified(kind, verdict) => {
            return Err(Rejected::Undefined(format!("{}: {}", kind.name(), verdict.detail)));
        }
        Outcome::Unsupported(verdict) | Outcome::OutOfMemory(verdict) => {
            return Err(Rejected::Unknown(verdict.detail));
        }
        Outcome::OutOfFuel => return Err(Rejected::Unknown("it runs too long".into())),
        Outcome::Internal(what) => return Err(Rejected::Unknown(what)),
    };
    Ok((report.stdout, status, report.steps))
}
