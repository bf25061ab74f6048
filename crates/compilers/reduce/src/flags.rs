//! The least flags with which a target still fails.
//!
//! Flags that were added to a compiler's own words so that its programs mean what the machine says
//! (`-ffp-contract=off`, `-fsigned-char`) go as well where they cannot matter; so do the options that every
//! command has (`-w`, `-lm`), where no target does anything else without them. The standard stays: defaults change
//! with the version.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::sync::Arc;

use oracle::{AddedOption, Case, Failure, Fault, Lab, Trouble};
use toolchain::{Compiler, Language, Target};

use crate::ask::TrialSlot;

/// Levels from the least to the most.
const LEVELS: &[&str] = &["-O0", "-O1", "-Os", "-O2", "-O3"];

/// What clang hands to LLVM is the word behind this.
const PASS_ON: &str = "-mllvm";

/// A flag of ours, and whether a program of this text may mean something else without it.
type Meaning = (&'static str, fn(&str) -> bool);

/// What is added to the command of a compiler for another processor.
const MEANING: &[Meaning] =
    &[("-ffp-contract=off", computes_with_fractions), ("-fsigned-char", has_plain_char)];

/// Whether a text may have floating-point arithmetic: a type or a constant.
fn computes_with_fractions(text: &str) -> bool {
    let after_digit = |(at, _): (usize, &str)| text[..at].ends_with(|c: char| c.is_ascii_digit());
    let before_digit =
        |(at, _): (usize, &str)| text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    ["float", "double", "__fp16", "_Float", "_Decimal"].iter().any(|word| text.contains(word))
        || text.match_indices('.').any(|at| after_digit(at) || before_digit(at))
        || ["e", "E", "p", "P"].iter().any(|e| text.match_indices(*e).any(after_digit))
}

/// Whether a text may have values of type `char`: the type, a character constant, an element of a string.
fn has_plain_char(text: &str) -> bool {
    let is_element = |(at, _): (usize, &str)| {
        let rest = text[at + 1..].trim_start();
        text[..at].trim_end().ends_with(['*', '[']) || rest.starts_with('[')
    };
    text.contains("char") || text.contains('\'') || text.match_indices('"').any(is_element)
}

/// Whether the program may mean something else without a flag, so that what is wrong then is not the fault.
fn has_meaning(flag: &str, case: &Case, fault: &Fault) -> bool {
    let found = MEANING.iter().find(|(name, _)| *name == flag);
    let uses = |is_used: &fn(&str) -> bool| {
        case.files.iter().any(|file| is_used(&String::from_utf8_lossy(&file.bytes)))
    };
    fault.kind.is_wrong_code() && found.is_some_and(|(_, is_used)| uses(is_used))
}

/// The first failing target with as few flags, and as low a level, as still show the fault, where a baseline is right.
pub(crate) fn fewest(
    lab: &Lab,
    case: &Case,
    failure: &Failure,
    slot: &TrialSlot<'_>,
) -> Result<Target, Trouble> {
    let fault = &failure.fault;
    let mut best = failure.bad[0].clone();
    let shows = |target: &Target| -> Result<bool, Trouble> {
        let _ = fs::remove_dir_all(slot.dir);
        lab.write(case, slot.dir)?;
        let seen = lab.observe(case, slot.dir, target)?.seen;
        if seen.fault(case).as_ref() != Some(fault) {
            return Ok(false);
        }
        Ok(match failure.baseline_for(target) {
            Some(baseline) => lab.observe(case, slot.dir, &baseline)?.seen.is_right(case),
            None => true,
        })
    };
    for (ours, _) in MEANING {
        let is = |word: &OsString| word == ours;
        let words = best.command(case.language).unwrap_or_default();
        if !words.iter().any(is) || has_meaning(ours, case, fault) {
            continue;
        }
        let mut compiler = (*best.compiler).clone();
        command_of(&mut compiler, case.language).retain(|word| !is(word));
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
        // `-mllvm` goes with what it passes on.
        let is_passed_on = at > 0 && best.flags[at - 1] == PASS_ON;
        if is_passed_on {
            at -= 1;
            fewer.remove(at);
        }
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

/// The words of a compiler for a language.
fn command_of(compiler: &mut Compiler, language: Language) -> &mut Vec<OsString> {
    match (language, &mut compiler.cxx) {
        (Language::Cxx, Some(words)) => words,
        _ => &mut compiler.c,
    }
}

/// The options of ours that do not matter to a program: without them every target does what it did, and so does
/// each of their compilers at its lowest level, where no call of a library function is computed at compile time.
pub(crate) fn omissible(
    lab: &Lab,
    case: &Case,
    failure: &Failure,
    slot: &TrialSlot<'_>,
) -> Result<BTreeSet<AddedOption>, Trouble> {
    let mut targets: Vec<Target> = Vec::new();
    for target in failure.bad.iter().chain(&failure.right) {
        let lowest = target.compiler.levels.first().map(|level| Target {
            compiler: target.compiler.clone(),
            flags: level.split_whitespace().map(String::from).collect(),
        });
        for target in [target.clone()].into_iter().chain(lowest) {
            if targets.iter().all(|known| known.label() != target.label()) {
                targets.push(target);
            }
        }
    }
    let seen = |case: &Case| -> Result<Vec<(bool, Option<Fault>)>, Trouble> {
        let _ = fs::remove_dir_all(slot.dir);
        lab.write(case, slot.dir)?;
        let ask = |target: &Target| {
            let seen = lab.observe(case, slot.dir, target)?.seen;
            Ok((seen.is_right(case), seen.fault(case)))
        };
        targets.iter().map(ask).collect()
    };
    let before = seen(case)?;
    let mut best = case.clone();
    for option in AddedOption::ALL {
        let mut fewer = best.clone();
        fewer.omitted.insert(option);
        if seen(&fewer)? == before {
            best = fewer;
        }
    }
    Ok(best.omitted)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use oracle::{Expected, FailureKind, SourceFile};
    use sandbox::{Scratch, Stop};
    use toolchain::Family;

    use super::*;

    fn case(text: &str, expected: Option<Expected>) -> Case {
        Case {
            language: Language::C,
            files: vec![SourceFile { name: "a.c".into(), bytes: text.into() }],
            standard: None,
            harness: None,
            include: Vec::new(),
            expected,
            omitted: BTreeSet::new(),
        }
    }

    fn target(words: &[&str], flags: &[&str]) -> Target {
        let compiler = Compiler {
            family: Family::Gcc,
            name: "it".into(),
            version: "1".into(),
            triple: "x86_64-linux-gnu".into(),
            c: words.iter().map(OsString::from).collect(),
            cxx: None,
            runner: Default::default(),
            abi: Some(toolchain::Abi::Lp64),
            levels: vec!["-O0".into()],
            extras: Vec::new(),
            drawn: Default::default(),
            lacks: Vec::new(),
            checks: None,
            root: None,
        };
        let flags = flags.iter().map(ToString::to_string).collect();
        Target { compiler: Arc::new(compiler), flags }
    }

    /// Asks in a folder of its own.
    fn within<R>(ask: impl FnOnce(&TrialSlot<'_>) -> Result<R, Trouble>) -> R {
        let scratch = Scratch::new().expect("a temporary folder");
        let slot = TrialSlot { dir: &scratch.file("work"), stop: &Stop::new() };
        ask(&slot).expect("no trouble")
    }

    #[test]
    fn what_a_flag_means_to_a_program() {
        let has = |kind, flag: &str, text: &str| {
            has_meaning(flag, &case(text, None), &Fault { kind, known_by: String::new() })
        };
        let wrong = FailureKind::WrongOutput;
        assert!(has(wrong, "-ffp-contract=off", "double x;"));
        for fraction in ["x = y * 1.5;", "x = .5;", "x = 1e3;", "x = 0x1p3;", "_Float16 x;"] {
            assert!(has(wrong, "-ffp-contract=off", fraction), "{fraction}");
        }
        assert!(!has(wrong, "-ffp-contract=off", "struct { int x; } s; char y = s.x + 15;"));
        assert!(has(wrong, "-fsigned-char", "int x; char y;"));
        for element in ["*\"\\377\"", "\"\\377\" [0]", "0[\"\\377\"]", "x = '\\377';"] {
            assert!(has(wrong, "-fsigned-char", element), "{element}");
        }
        assert!(!has(wrong, "-fsigned-char", "double x; printf(\"%d\", x);"));
        assert!(!has(wrong, "-fwrapv", "double x; char y;"));
        assert!(!has(FailureKind::CompilerCrash, "-ffp-contract=off", "double x;"));
    }

    #[test]
    fn plain_char_keeps_its_sign_where_the_program_has_it() {
        let planted = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../tests/compilers/planted/sign.sh")
            .display()
            .to_string();
        // Its plain char is unsigned but for the flag.
        let words = [planted.as_str(), "-funsigned-char", "-fsigned-char"];
        let left = |ty: &str| {
            let text = format!(
                "int printf(const char *, ...);\nvolatile {ty} c = -5;\n\
                 int main(void) {{ short s = c; printf(\"%ld\\n\", (long)s); return 0; }}\n"
            );
            // The declaration of printf names the type, too: this one has another.
            let text = text.replace("const char *", "const void *");
            let case = case(&text, Some(Expected { stdout: b"-5\n".to_vec(), status: 0 }));
            let fault = Fault { kind: FailureKind::WrongOutput, known_by: String::new() };
            let bad = vec![target(&words, &["-O2"])];
            let failure = Failure { fault, bad, right: Vec::new(), baseline: None };
            let done = within(|slot| fewest(&Lab::default(), &case, &failure, slot));
            done.compiler.c.len()
        };
        assert_eq!(left("char"), 3, "without the flag it prints something else for another reason");
        assert_eq!(left("signed"), 2);
    }

    #[test]
    fn options_of_ours_stay_where_they_matter() {
        let omitted = |words: &[&str], text: &str| {
            let case = case(text, Some(Expected { stdout: Vec::new(), status: 1 }));
            let fault = Fault { kind: FailureKind::WrongOutput, known_by: String::new() };
            let failure = Failure {
                fault,
                bad: vec![target(words, &["-O2"])],
                right: Vec::new(),
                baseline: None,
            };
            within(|slot| omissible(&Lab::default(), &case, &failure, slot))
        };
        let plain = "int main(void) { int x; return 1; }\n";
        assert_eq!(omitted(&["gcc"], plain), AddedOption::ALL.into());
        let warned = omitted(&["gcc", "-Wall", "-Werror"], plain);
        assert_eq!(warned, [AddedOption::Mathematics].into(), "a warning is an error there");
        // GCC computes it at -O2.
        let root = "double sqrt(double); int main(void) { double x = 1; return sqrt(x); }\n";
        assert_eq!(omitted(&["gcc"], root), [AddedOption::NoWarnings].into());
    }
}
