//! A compiler as baseline.

use std::sync::Arc;

use oracle::{
    Behaviour, Case, FailureKind, Fault, Lab, Limits, Observation, Readiness, TargetProbes, Trouble,
};
use toolchain::{Compiler, Language, Target};

use crate::draw::DrawnTarget;

use super::{AT_EASE, BaselineVerdict, no_checks};

/// Words whose next word belongs to them.
const TAKES_A_WORD: [&str; 4] = ["-mllvm", "-Xclang", "-Xassembler", "--param"];

/// The older compiler of a comparison.
#[derive(Debug)]
pub(crate) struct CompilerBaseline {
    /// The compiler.
    pub compiler: Arc<Compiler>,
}

impl CompilerBaseline {
    /// This one.
    pub fn new(compiler: Arc<Compiler>) -> CompilerBaseline {
        CompilerBaseline { compiler }
    }

    /// Targets without the flags that the baseline does not take: nothing could come of them.
    pub fn fit(
        &self,
        targets: Vec<DrawnTarget>,
        probes: &TargetProbes,
        lab: &Lab,
        language: Language,
    ) -> Result<Vec<DrawnTarget>, Trouble> {
        let mut fitting: Vec<DrawnTarget> = Vec::new();
        for DrawnTarget { target, arm } in targets {
            let Some(flags) = self.fitting_flags(&target.flags, probes, lab, language)? else {
                continue;
            };
            let target = Target { flags, ..target };
            if fitting.iter().all(|other| other.target.label() != target.label()) {
                fitting.push(DrawnTarget { target, arm });
            }
        }
        Ok(fitting)
    }

    /// Those of some flags that the baseline takes; `None` where it has not their level.
    fn fitting_flags(
        &self,
        flags: &[String],
        probes: &TargetProbes,
        lab: &Lab,
        language: Language,
    ) -> Result<Option<Vec<String>>, Trouble> {
        let mut fitting = Vec::new();
        for unit in units(flags) {
            let target = Target { compiler: self.compiler.clone(), flags: unit.to_vec() };
            match probes.ask(lab, language, &target)? {
                Readiness::Ready | Readiness::Breaks(_) => fitting.extend_from_slice(unit),
                Readiness::LeftOut(_) if unit[0].starts_with("-O") => return Ok(None),
                Readiness::LeftOut(_) => {}
            }
        }
        Ok(Some(fitting))
    }

    /// What it does with a program on which the newer one has a fault, with the same flags.
    pub fn ask(
        &self,
        case: &Case,
        dir: &std::path::Path,
        failing: &Target,
        fault: &Fault,
        (lab, probes): (&Lab, &TargetProbes),
    ) -> Result<(BaselineVerdict, Observation), Trouble> {
        let target = Target { compiler: self.compiler.clone(), flags: failing.flags.clone() };
        let readiness = probes.ask(lab, case.language, &target)?;
        let lab = Lab { limits: limits_for(fault.kind, &lab.limits), stop: lab.stop.clone() };
        let seen = lab.observe(case, dir, &target)?;
        let name = &self.compiler.name;
        let verdict = match (&seen.seen, readiness) {
            (_, Readiness::LeftOut(why)) => BaselineVerdict::CannotTell(format!("{name}: {why}")),
            (seen, _) if seen.is_right(case) => self.right(fault),
            (Behaviour::Unsupported(why), _) => {
                BaselineVerdict::CannotTell(format!("{name}: {why}"))
            }
            // What it refuses it cannot get wrong. That both refuse it is nothing new.
            (Behaviour::Rejected(_), _) if fault.kind != FailureKind::Rejection => {
                BaselineVerdict::CannotTell(format!("{name} rejects the program"))
            }
            // With less than the newer one was given, it says only that it is not at ease.
            (Behaviour::CompilerHung | Behaviour::ProgramHung | Behaviour::Exhausted(_), _)
                if is_of_limits(fault.kind) =>
            {
                BaselineVerdict::CannotTell(format!("{name} needs nearly as much"))
            }
            _ => BaselineVerdict::Wrong,
        };
        Ok((verdict, seen))
    }

    /// What it says of a fault that it does not show.
    fn right(&self, fault: &Fault) -> BaselineVerdict {
        let is_check = triage::is_internal_check(&fault.known_by);
        match is_check && !self.compiler.makes_checks() {
            true => BaselineVerdict::CannotTell(no_checks(&self.compiler.name)),
            false => BaselineVerdict::Right,
        }
    }
}

/// Whether the fault is that a limit was reached.
fn is_of_limits(kind: FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::CompilerHang | FailureKind::RuntimeHang | FailureKind::CompilerMemory
    )
}

/// What the baseline may use. Where the newer one reached a limit, being just below it says nothing: it must do
/// with much less.
fn limits_for(kind: FailureKind, limits: &Limits) -> Limits {
    let part = |time: std::time::Duration| time / AT_EASE;
    match kind {
        FailureKind::CompilerHang => {
            Limits { compile_cpu: part(limits.compile_cpu), ..limits.clone() }
        }
        FailureKind::RuntimeHang => Limits { run_cpu: part(limits.run_cpu), ..limits.clone() },
        FailureKind::CompilerMemory => {
            let parts = u64::from(AT_EASE);
            Limits {
                memory: limits.memory / parts,
                folder: limits.folder / parts,
                ..limits.clone()
            }
        }
        FailureKind::CompilerCrash
        | FailureKind::InvalidIr
        | FailureKind::Miscompilation
        | FailureKind::WrongOutput
        | FailureKind::RuntimeCrash
        | FailureKind::Rejection
        | FailureKind::SanitizerMiss
        | FailureKind::SanitizerFalseAlarm
        | FailureKind::Disagreement => limits.clone(),
    }
}

/// Flags with the words that belong to them.
fn units(flags: &[String]) -> Vec<&[String]> {
    let mut units = Vec::new();
    let mut at = 0;
    while at < flags.len() {
        let length = if TAKES_A_WORD.contains(&flags[at].as_str()) { 2 } else { 1 };
        let end = (at + length).min(flags.len());
        units.push(&flags[at..end]);
        at = end;
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_belong_together_stay_together() {
        let flags = ["-O2", "-mllvm", "-force-vector-width=4", "-g", "--param"].map(String::from);
        let units: Vec<String> = units(&flags).iter().map(|unit| unit.join(" ")).collect();
        assert_eq!(units, ["-O2", "-mllvm -force-vector-width=4", "-g", "--param"]);
    }

    #[test]
    fn a_baseline_must_be_well_below_a_limit_that_was_reached() {
        let usual = Limits::default();
        let hang = limits_for(FailureKind::CompilerHang, &usual);
        assert_eq!((hang.compile_cpu, hang.run_cpu), (usual.compile_cpu / 4, usual.run_cpu));
        assert_eq!(limits_for(FailureKind::RuntimeHang, &usual).run_cpu, usual.run_cpu / 4);
        assert_eq!(limits_for(FailureKind::CompilerMemory, &usual).memory, usual.memory / 4);
        assert_eq!(limits_for(FailureKind::WrongOutput, &usual), usual);
    }
}
