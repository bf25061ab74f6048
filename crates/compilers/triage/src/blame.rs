//! Which part of an optimiser a bug needs: the entry point, for every family.

use std::time::Duration;

use oracle::{Behaviour, Case, Failure, FailureKind, Lab, Trouble};
use toolchain::Family;

use crate::found::{Blame, Culprit, Method};
use crate::probe::{FaultProbe, folders};
use crate::{gcc, llvm, message};

/// A compilation that takes longer is not asked for hundreds of times.
const SLOW: Duration = Duration::from_secs(5);

/// What a program of milliseconds may take once a part of its compiler is switched off.
const RUN: Duration = Duration::from_secs(2);

/// Time limit of a compilation that may hang: nearly every answer takes this long.
const ENDLESS: Duration = Duration::from_secs(1);

/// The part of the failing compiler's optimiser without which the bug is gone.
///
/// Asks the first failing target. A crash says itself in which pass it happened. Clang counts the
/// passes it runs and can stop after any of them, so that the first pass that makes the bug is found
/// by bisection. GCC is asked with one option, one pass and one debug counter switched off at a time.
/// What could not be learnt is said in [`Blame::limits`]; only our own inability is an error.
pub fn blame(
    lab: &Lab,
    case: &Case,
    failure: &Failure,
    jobs: usize,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Blame, Trouble> {
    let mut blame = Blame::default();
    let Some(target) = failure.bad.first() else {
        return Ok(blame);
    };
    let family = target.compiler.family;
    if !matches!(family, Family::Gcc | Family::Clang) {
        // No part of its optimiser can be switched off: there is no cause to look for.
        return Ok(blame);
    }
    let kind = failure.fault.kind;
    let mut brief = Lab { limits: lab.limits.clone(), stop: lab.stop.clone() };
    if kind == FailureKind::CompilerHang {
        brief.limits.compile_cpu = brief.limits.compile_cpu.min(SLOW);
    }
    tell(&format!("{}: does it still fail?", target.label()));
    let first = {
        let folders = folders(lab, case, 1)?;
        brief.observe(case, folders[0].path(), target)?
    };
    if first.seen.fault(case).as_ref() != Some(&failure.fault) {
        blame.limits.push(format!("{} no longer fails in this way.", target.label()));
        return Ok(blame);
    }
    if let Behaviour::Crashed(messages) = &first.seen {
        blame.culprits.extend(message::culprit(messages));
        blame.pass = message::pass(messages);
    }
    if first.compile > SLOW && kind != FailureKind::CompilerHang {
        let seconds = first.compile.as_secs();
        blame.limits.push(format!("One compilation takes {seconds} s, too slow to try many."));
        return Ok(blame);
    }
    let patience = if kind == FailureKind::RuntimeHang { ENDLESS } else { RUN.max(first.run * 4) };
    brief.limits.run_cpu = brief.limits.run_cpu.min(patience);
    brief.limits.run_wall = brief.limits.run_wall.min(patience * 10);
    let bench = FaultProbe::new(brief, case, &failure.fault, jobs)?;
    match family {
        Family::Clang => llvm::blame(&bench, target, &mut blame, tell)?,
        _ if kind == FailureKind::CompilerHang => {
            blame.limits.push("Every try of a compiler that hangs takes too long.".into());
        }
        _ => gcc::blame(&bench, target, &failure.right, &mut blame, tell)?,
    }
    if bench.is_late() {
        blame.limits.push("The time limit was reached before everything had been tried.".into());
    }
    Ok(blame)
}

/// A culprit whose flags hide the bug.
pub(crate) fn culprit(method: Method, name: &str, hides: &[String], detail: String) -> Culprit {
    Culprit { method, name: name.to_string(), hides: hides.to_vec(), detail }
}
