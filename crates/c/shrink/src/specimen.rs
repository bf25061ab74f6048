//! A program with its text and its result.

use std::sync::OnceLock;

use cmachine::{Exit, Hooks, MachineConfig, Outcome, Profile};
use ctree::print::{CxxPlan, Style, print_unit_as};
use ctree::{Abi, Program, UnitId};

use crate::{Edit, clean};

/// One translation unit as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnitText {
    /// File name.
    pub name: String,
    /// Preprocessed C.
    pub text: String,
}

/// The requirements on a specimen.
#[derive(Clone, Debug)]
pub struct Rules {
    /// It must have a defined result. If not, nothing is executed: for incomplete
    /// programs, and those that the machine does not support.
    pub execute: bool,
    /// Steps it may take.
    pub fuel: u64,
    /// Unused functions and variables are removed with every edit.
    pub sweep: bool,
    /// Data models besides that of x86-64 under which it must do the same, if it is executed.
    pub also: Vec<Abi>,
}

/// Why a text is not a specimen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// The parser rejects it, with the reason.
    Text(String),
    /// It has no defined result, with the reason.
    Undefined(String),
    /// The machine cannot execute it, with the reason.
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

/// A program with its text and its result.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// The tree of exactly this text.
    pub program: Program,
    /// The text.
    pub units: Vec<UnitText>,
    /// Its output; empty if it was not executed.
    pub stdout: Vec<u8>,
    /// Its exit status; 134 for `abort`, 0 if it was not executed.
    pub status: u8,
    /// Steps the machine took.
    pub steps: u64,
    /// Data models besides that of x86-64 under which it does the same.
    pub also: Vec<Abi>,
    profile: OnceLock<Profile>,
}

/// The exit status that a shell reports for `abort`.
const ABORTED: u8 = 134;

impl Specimen {
    /// Reads and executes a text.
    pub fn new(units: Vec<UnitText>, rules: &Rules) -> Result<Specimen, Rejected> {
        let program = parse(&units, Abi::Lp64)?;
        let (stdout, status, steps) =
            if rules.execute { execute(&program, rules.fuel)? } else { Default::default() };
        let also = if rules.execute { rules.also.clone() } else { Vec::new() };
        for abi in &also {
            let (other, its_status, _) = execute(&parse(&units, *abi)?, rules.fuel)?;
            if (&other, its_status) != (&stdout, status) {
                let why = format!("it has another result with the data model {}", abi.name());
                return Err(Rejected::Undefined(why));
            }
        }
        Ok(Specimen { program, units, stdout, status, steps, also, profile: OnceLock::new() })
    }

    /// The specimen after some edits, if it is one and differs from this one.
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

    /// Its text as C++, as close to C as can be; `None` where the tree has none. Any standard takes it.
    pub fn as_cxx(&self) -> Option<Vec<UnitText>> {
        let plan = CxxPlan::new(11);
        let unit = |(i, old): (usize, &UnitText)| {
            let text = print_unit_as(&self.program, UnitId(i as u32), Style::Cxx(&plan)).ok()?;
            Some(UnitText { name: old.name.clone(), text })
        };
        self.units.iter().enumerate().map(unit).collect()
    }

    /// The profile of its execution: coverage and values. Empty if it cannot be executed.
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

fn parse(units: &[UnitText], abi: Abi) -> Result<Program, Rejected> {
    let mut program = Program::new(abi.model());
    for unit in units {
        cparse::parse_unit(&mut program, &unit.name, &unit.text)
            .map_err(|error| Rejected::Text(error.message))?;
    }
    Ok(program)
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
        Outcome::OutOfFuel => return Err(Rejected::Unknown("it exceeds the step limit".into())),
        Outcome::Internal(what) => return Err(Rejected::Unknown(what)),
    };
    Ok((report.stdout, status, report.steps))
}
