//! What one target did with one program, as data.

use std::time::Duration;

use crate::case::Case;
use crate::output::difference;
use crate::runner;
use crate::signal;
use crate::signature::{crash, rejection};
use crate::verdict::{FailureKind, Fault};

/// What one target did with a program.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The target's label.
    pub target: String,
    /// What was seen.
    pub seen: Behaviour,
    /// Processor time of the compiler.
    pub compile: Duration,
    /// Processor time of the compiled program.
    pub run: Duration,
}

/// The behaviour of a target on a program. Equal behaviours form an equivalence class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// The program ran to an end: by itself, or by a signal (128 and its number, as a shell shows it).
    Ran {
        /// Exit status.
        status: u8,
        /// Standard output, capped.
        stdout: Vec<u8>,
    },
    /// The compiler made a program of a case without an answer; it was not run.
    Compiled,
    /// A sanitizer that the target builds into the program stopped it. What it reports.
    Alarmed(String),
    /// The program did not end in its time.
    ProgramHung,
    /// The compiler died: a signal, an internal error, a failed assertion. Its messages.
    Crashed(String),
    /// The compiler did not end in its time.
    CompilerHung,
    /// The compiler ran out of the memory or disk it was allowed; its messages.
    Exhausted(String),
    /// The compiler rejects the program; its messages.
    Rejected(String),
    /// The target does not support this program (no compiler for the language, an extension that it is
    /// known not to have): says nothing about either.
    Unsupported(String),
}

/// What linkers print about missing or repeated definitions.
const LINKER: &[&str] = &["undefined reference to", "undefined symbol", "multiple definition of"];

impl Behaviour {
    /// Whether a linker, and not the compiler itself, rejects the program.
    pub fn is_link_error(&self) -> bool {
        match self {
            Behaviour::Rejected(messages) => LINKER.iter().any(|words| messages.contains(words)),
            _ => false,
        }
    }

    /// Whether the target does what it must.
    pub fn is_right(&self, case: &Case) -> bool {
        match (self, &case.expected) {
            (Behaviour::Ran { status, stdout }, Some(expected)) => {
                *status == expected.status && difference(&expected.stdout, stdout).is_none()
            }
            (Behaviour::Compiled, None) => true,
            _ => false,
        }
    }

    /// The kind of failure that this is, if it is one. A program without an answer may be rejected:
    /// a compiler that sees through it is not wrong.
    pub fn kind(&self, case: &Case) -> Option<FailureKind> {
        let expected = case.expected.as_ref();
        Some(match self {
            Behaviour::Unsupported(_) | Behaviour::Compiled => return None,
            Behaviour::Ran { .. } if self.is_right(case) => return None,
            Behaviour::Ran { .. }
            | Behaviour::Alarmed(_)
            | Behaviour::ProgramHung
            | Behaviour::Rejected(_)
                if expected.is_none() =>
            {
                return None;
            }
            Behaviour::Ran { status, .. } => match signal::of_status(*status) {
                Some(_) if expected.is_none_or(|e| *status != e.status) => {
                    FailureKind::RuntimeCrash
                }
                _ => FailureKind::WrongOutput,
            },
            Behaviour::Alarmed(_) => FailureKind::SanitizerFalseAlarm,
            Behaviour::ProgramHung => FailureKind::RuntimeHang,
            Behaviour::Crashed(_) => FailureKind::CompilerCrash,
            Behaviour::CompilerHung => FailureKind::CompilerHang,
            Behaviour::Exhausted(_) => FailureKind::CompilerMemory,
            Behaviour::Rejected(_) => FailureKind::Rejection,
        })
    }

    /// What is wrong with it, if anything is.
    pub fn fault(&self, case: &Case) -> Option<Fault> {
        let known_by = match (self, &case.expected) {
            (Behaviour::Crashed(messages), _) => crash(messages).known_by,
            (Behaviour::Rejected(messages), _) => rejection(messages).0,
            (Behaviour::Alarmed(report), _) => runner::alarm_kind(report),
            (Behaviour::Ran { status, stdout }, Some(expected)) if *status != expected.status => {
                match difference(&expected.stdout, stdout) {
                    None => "exit status".into(),
                    Some(_) => "exit status and output".into(),
                }
            }
            _ => String::new(),
        };
        Some(Fault { kind: self.kind(case)?, known_by })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::tests::case;

    #[test]
    fn a_fault_says_in_what_a_run_is_wrong() {
        let case = case("1\n");
        let known_by = |status: u8, stdout: &str| {
            let seen = Behaviour::Ran { status, stdout: stdout.into() };
            seen.fault(&case).map(|fault| (fault.kind, fault.known_by))
        };
        assert_eq!(known_by(0, "1\n"), None);
        assert_eq!(known_by(0, "2\n"), Some((FailureKind::WrongOutput, String::new())));
        assert_eq!(known_by(3, "1\n"), Some((FailureKind::WrongOutput, "exit status".into())));
        assert_eq!(
            known_by(3, "2\n"),
            Some((FailureKind::WrongOutput, "exit status and output".into()))
        );
    }

    #[test]
    fn without_an_answer_only_the_compiler_can_fail() {
        let case = Case { expected: None, ..case("") };
        let kind = |seen: Behaviour| seen.kind(&case);
        assert_eq!(kind(Behaviour::Crashed(String::new())), Some(FailureKind::CompilerCrash));
        assert_eq!(kind(Behaviour::CompilerHung), Some(FailureKind::CompilerHang));
        assert_eq!(kind(Behaviour::Exhausted(String::new())), Some(FailureKind::CompilerMemory));
        let harmless = [
            Behaviour::Compiled,
            Behaviour::Rejected("no".into()),
            Behaviour::Unsupported("no".into()),
            Behaviour::ProgramHung,
            Behaviour::Ran { status: 139, stdout: Vec::new() },
        ];
        for seen in harmless {
            assert_eq!(seen.is_right(&case), seen == Behaviour::Compiled, "{seen:?}");
            assert_eq!(kind(seen), None);
        }
    }
}
