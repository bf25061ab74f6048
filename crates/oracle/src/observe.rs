//! One program on one target: what was seen, as data.

use std::time::Duration;

use crate::case::Expected;
use crate::output::difference;
use crate::signal;
use crate::signature::{crash, rejection};
use crate::verdict::{Fault, Kind};

/// What one target did with a program.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The target's label.
    pub target: String,
    /// What was seen.
    pub seen: Seen,
    /// Processor time of the compiler.
    pub compile: Duration,
    /// Processor time of the compiled program.
    pub run: Duration,
}

/// What was seen on a target. Equality is what makes an equivalence class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The program ran to an end: by itself, or by a signal (128 and its number, as a shell shows it).
    Ran {
        /// Exit status.
        status: u8,
        /// Standard output, capped.
        stdout: Vec<u8>,
    },
    /// The program did not end in its time.
    RunsOn,
    /// The compiler died: a signal, an internal error, a failed assertion. Its messages.
    Crashed(String),
    /// The compiler did not end in its time.
    Hung,
    /// The compiler ran out of the memory or disk it was allowed; its messages.
    Exhausted(String),
    /// The compiler rejects the program; its messages.
    Rejected(String),
    /// The target cannot take this program (no compiler for the language, an extension that it is
    /// known not to have): no statement on anybody.
    NotForIt(String),
}

/// What linkers say: the program is not whole.
const LINKER: &[&str] = &["undefined reference to", "undefined symbol", "multiple definition of"];

impl Seen {
    /// Whether a linker, and not the compiler itself, rejects the program.
    pub fn is_link_error(&self) -> bool {
        match self {
            Seen::Rejected(messages) => LINKER.iter().any(|words| messages.contains(words)),
            _ => false,
        }
    }

    /// Whether the target does what it must.
    pub fn is_right(&self, expected: &Expected) -> bool {
        match self {
            Seen::Ran { status, stdout } => {
                *status == expected.status && difference(&expected.stdout, stdout).is_none()
            }
            _ => false,
        }
    }

    /// The kind of failure that this is, if it is one.
    pub fn kind(&self, expected: &Expected) -> Option<Kind> {
        Some(match self {
            Seen::NotForIt(_) => return None,
            Seen::Ran { .. } if self.is_right(expected) => return None,
            Seen::Ran { status, .. } => match signal::of_status(*status) {
                Some(_) if *status != expected.status => Kind::RuntimeCrash,
                _ => Kind::WrongOutput,
            },
            Seen::RunsOn => Kind::RuntimeHang,
            Seen::Crashed(_) => Kind::CompilerCrash,
            Seen::Hung => Kind::CompilerHang,
            Seen::Exhausted(_) => Kind::CompilerMemory,
            Seen::Rejected(_) => Kind::Rejection,
        })
    }

    /// What is wrong with it, if anything is.
    pub fn fault(&self, expected: &Expected) -> Option<Fault> {
        let known_by = match self {
            Seen::Crashed(messages) => crash(messages).known_by,
            Seen::Rejected(messages) => rejection(messages).0,
            Seen::Ran { status, stdout } if *status != expected.status => {
                match difference(&expected.stdout, stdout) {
                    None => "exit status".into(),
                    Some(_) => "exit status and output".into(),
                }
            }
            _ => String::new(),
        };
        Some(Fault { kind: self.kind(expected)?, known_by })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_in_what_a_run_is_wrong() {
        let expected = Expected { stdout: b"1\n".to_vec(), status: 0 };
        let known_by = |status: u8, stdout: &str| {
            let seen = Seen::Ran { status, stdout: stdout.into() };
            seen.fault(&expected).map(|fault| (fault.kind, fault.known_by))
        };
        assert_eq!(known_by(0, "1\n"), None);
        assert_eq!(known_by(0, "2\n"), Some((Kind::WrongOutput, String::new())));
        assert_eq!(known_by(3, "1\n"), Some((Kind::WrongOutput, "exit status".into())));
        assert_eq!(known_by(3, "2\n"), Some((Kind::WrongOutput, "exit status and output".into())));
    }
}
