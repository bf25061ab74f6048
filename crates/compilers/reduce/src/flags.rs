//! The least flags with which a target still fails.

use oracle::{Case, Fault, Lab, Trouble};
use toolchain::Target;

use crate::ask::TrialSlot;

/// Levels from the least to the most.
const LEVELS: &[&str] = &["-O0", "-O1", "-Os", "-O2", "-O3"];

/// The target with as few flags, and as low a level, as still show the fault.
pub(crate) fn fewest(
    lab: &Lab,
    case: &Case,
    fault: &Fault,
    target: &Target,
    slot: &TrialSlot<'_>,
) -> Result<Target, Trouble> {
    let mut best = target.clone();
    let fails = |flags: &[String]| -> Result<bool, Trouble> {
        let target = Target { compiler: target.compiler.clone(), flags: flags.to_vec() };
        let _ = std::fs::remove_dir_all(slot.dir);
        lab.write(case, slot.dir)?;
        let seen = lab.observe(case, slot.dir, &target)?.seen;
        Ok(seen.fault(case).as_ref() == Some(fault))
    };
    let mut at = best.flags.len();
    while at > 0 {
        at -= 1;
        // A level is lowered, not left out: what a compiler does without one is its own affair.
        if LEVELS.contains(&best.flags[at].as_str()) {
            continue;
        }
        let mut fewer = best.flags.clone();
        fewer.remove(at);
        if fails(&fewer)? {
            best.flags = fewer;
        }
    }
    let level = best.flags.iter().position(|flag| LEVELS.contains(&flag.as_str()));
    if let Some(at) = level {
        for lower in LEVELS.iter().take_while(|level| **level != best.flags[at]) {
            let mut flags = best.flags.clone();
            flags[at] = lower.to_string();
            if fails(&flags)? {
                best.flags = flags;
                break;
            }
        }
    }
    Ok(best)
}
