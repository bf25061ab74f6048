//! The least flags with which a target still fails.
//!
//! Flags that were added to a compiler's own words so that its programs mean what the machine says
//! (`-ffp-contract=off`, `-fsigned-char`) go as well where they cannot matter. Not yet: `-w` and `-lm`, which
//! every command has.

use std::sync::Arc;

use oracle::{Case, Fault, Lab, Trouble};
use toolchain::Target;

use crate::ask::TrialSlot;

/// Levels from the least to the most.
const LEVELS: &[&str] = &["-O0", "-O1", "-Os", "-O2", "-O3"];

/// What is added to the command of a compiler for another processor, and the words of C without which a
/// program means the same without it.
const MEANING: &[(&str, &[&str])] =
    &[("-ffp-contract=off", &["float", "double"]), ("-fsigned-char", &["char"])];

/// Whether the program may mean something else without a flag, so that what is wrong then is not the fault.
fn has_meaning(flag: &str, case: &Case, fault: &Fault) -> bool {
    let found = MEANING.iter().find(|(name, _)| *name == flag);
    let uses = |words: &[&str]| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        case.files.iter().any(|file| words.iter().any(|word| text(&file.bytes).contains(word)))
    };
    fault.kind.is_wrong_code() && found.is_some_and(|(_, words)| uses(words))
}

/// The target with as few flags, and as low a level, as still show the fault.
pub(crate) fn fewest(
    lab: &Lab,
    case: &Case,
    fault: &Fault,
    target: &Target,
    slot: &TrialSlot<'_>,
) -> Result<Target, Trouble> {
    let mut best = target.clone();
    let shows = |target: &Target| -> Result<bool, Trouble> {
        let _ = std::fs::remove_dir_all(slot.dir);
        lab.write(case, slot.dir)?;
        let seen = lab.observe(case, slot.dir, target)?.seen;
        Ok(seen.fault(case).as_ref() == Some(fault))
    };
    for (ours, _) in MEANING {
        let is = |word: &std::ffi::OsString| word == ours;
        if !best.compiler.c.iter().any(is) || has_meaning(ours, case, fault) {
            continue;
        }
        let mut compiler = (*best.compiler).clone();
        compiler.c.retain(|word| !is(word));
        let fewer = Target { compiler: Arc::new(compiler), flags: best.flags.clone() };
        if shows(&fewer)? {
            best = fewer;
        }
    }
    let compiler = best.compiler.clone();
    let fails =
        |flags: &[String]| shows(&Target { compiler: compiler.clone(), flags: flags.to_vec() });
    let mut at = best.flags.len();
    while at > 0 {
        at -= 1;
        // A level is lowered, not left out: what a compiler does without one is its own affair.
        let flag = best.flags[at].as_str();
        if LEVELS.contains(&flag) || has_meaning(flag, case, fault) {
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

#[cfg(test)]
mod tests {
    use oracle::{FailureKind, SourceFile};
    use toolchain::Language;

    use super::*;

    #[test]
    fn what_a_flag_means_to_a_program() {
        let has = |kind, flag: &str, text: &str| {
            let case = Case {
                language: Language::C,
                files: vec![SourceFile { name: "a.c".into(), bytes: text.into() }],
                standard: None,
                harness: None,
                include: Vec::new(),
                expected: None,
            };
            has_meaning(flag, &case, &Fault { kind, known_by: String::new() })
        };
        let wrong = FailureKind::WrongOutput;
        assert!(has(wrong, "-ffp-contract=off", "double x;"));
        assert!(!has(wrong, "-ffp-contract=off", "int x; char y;"));
        assert!(has(wrong, "-fsigned-char", "int x; char y;"));
        assert!(!has(wrong, "-fsigned-char", "double x;"));
        assert!(!has(wrong, "-fwrapv", "double x; char y;"));
        assert!(!has(FailureKind::CompilerCrash, "-ffp-contract=off", "double x;"));
    }
}
