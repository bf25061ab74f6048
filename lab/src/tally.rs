//! Counts of what happened to many programs, by class and by reason.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::machine::{Measured, RunOutcome};

/// The class of one program once its result is compared with the reference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Finished as the reference did.
    Finished,
    /// Finished otherwise: a bug of ours, or of the compiler.
    Wrong,
    /// The machine or parser died or contradicted itself.
    Panic,
    /// Undefined behaviour.
    Undefined,
    /// Depends on what C leaves open.
    Unspecified,
    /// Undefined or unspecified, but meant for options that define it.
    NeedsFlags,
    /// The machine does not model it.
    Unsupported,
    /// The parser does not take it.
    Refused,
    /// Out of fuel or memory.
    Exhausted,
    /// No reference to compare with.
    Skipped,
}

impl Class {
    /// All, in the order shown.
    pub const ALL: [Class; 10] = [
        Class::Finished,
        Class::Undefined,
        Class::Unspecified,
        Class::NeedsFlags,
        Class::Unsupported,
        Class::Exhausted,
        Class::Refused,
        Class::Wrong,
        Class::Panic,
        Class::Skipped,
    ];

    /// Name for people, also what `--list` takes.
    pub fn name(self) -> &'static str {
        match self {
            Class::Finished => "finished",
            Class::Wrong => "wrong",
            Class::Panic => "panic",
            Class::Undefined => "undefined",
            Class::Unspecified => "unspecified",
            Class::NeedsFlags => "needs-flags",
            Class::Unsupported => "unsupported",
            Class::Refused => "refused",
            Class::Exhausted => "out-of-fuel",
            Class::Skipped => "skipped",
        }
    }
}

/// The class of an answer against the reference's status (as a shell shows it) and output, and
/// the reason within the class.
pub fn classify(got: &Measured, status: u8, stdout: &[u8]) -> (Class, String) {
    match &got.answer {
        RunOutcome::Finished { status: ours, stdout: out } if *ours == status && out == stdout => {
            (Class::Finished, String::new())
        }
        RunOutcome::Finished { status: ours, .. } if *ours != status => {
            (Class::Wrong, format!("status {ours}, and {status} with the reference"))
        }
        RunOutcome::Finished { .. } => (Class::Wrong, "output differs".into()),
        RunOutcome::Broken { outcome, kind } if outcome == "unspecified" => {
            (Class::Unspecified, kind.clone())
        }
        RunOutcome::Broken { kind, .. } => (Class::Undefined, kind.clone()),
        RunOutcome::Unsupported { by_parser: true, reason } => (Class::Refused, general(reason)),
        RunOutcome::Unsupported { by_parser: false, reason } => {
            (Class::Unsupported, general(reason))
        }
        RunOutcome::Invalid(reason) => (Class::Refused, format!("not C: {}", general(reason))),
        RunOutcome::Exhausted => (Class::Exhausted, String::new()),
        RunOutcome::Bug(what) => (Class::Panic, what.clone()),
    }
}

/// A reason without the names it quotes, so that like ones are counted together: names of ours
/// (`__builtin_…`) stay.
fn general(reason: &str) -> String {
    let mut parts = reason.split('`');
    let mut text = parts.next().unwrap_or("").to_string();
    while let Some(quoted) = parts.next() {
        let shown = if quoted.starts_with("__") { quoted } else { "…" };
        let _ = write!(text, "`{shown}`{}", parts.next().unwrap_or(""));
    }
    text
}

/// Counts by class and reason, with the items.
#[derive(Debug, Default)]
pub struct Tally {
    classes: BTreeMap<Class, BTreeMap<String, Vec<String>>>,
}

impl Tally {
    /// Adds one item; `place` is shown where items are listed.
    pub fn add(&mut self, class: Class, reason: String, item: String) {
        self.classes.entry(class).or_default().entry(reason).or_default().push(item);
    }

    /// How many items a class has.
    pub fn count(&self, class: Class) -> usize {
        self.classes.get(&class).map_or(0, |reasons| reasons.values().map(Vec::len).sum())
    }

    /// How many items have a reference.
    pub fn judged(&self) -> usize {
        Class::ALL.iter().filter(|&&c| c != Class::Skipped).map(|&c| self.count(c)).sum()
    }

    /// Whether anything is wrong with Gainsay itself.
    pub fn is_bad(&self) -> bool {
        self.count(Class::Wrong) + self.count(Class::Panic) > 0
    }

    /// The counts, reasons below their class, most frequent first.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for class in Class::ALL {
            let _ = writeln!(text, "{:<12} {:>5}", class.name(), self.count(class));
            let Some(reasons) = self.classes.get(&class) else { continue };
            let mut reasons: Vec<_> = reasons.iter().filter(|(r, _)| !r.is_empty()).collect();
            reasons
                .sort_by_key(|(reason, items)| (std::cmp::Reverse(items.len()), reason.as_str()));
            for (reason, items) in reasons {
                let _ = writeln!(text, "    {:>5}  {reason}", items.len());
            }
        }
        let judged = self.judged();
        let finished = self.count(Class::Finished);
        let percent = 100.0 * finished as f64 / judged.max(1) as f64;
        let _ = writeln!(text, "finished: {finished} of {judged} ({percent:.1} %)");
        text
    }

    /// The items of a class, by reason.
    pub fn list(&self, class: Class) -> String {
        let mut text = String::new();
        for (reason, items) in self.classes.get(&class).into_iter().flatten() {
            let _ = writeln!(text, "{}: {reason}", class.name());
            for item in items {
                let _ = writeln!(text, "    {item}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_reasons_count_together() {
        assert_eq!(
            general("call of `foo` is not modelled"),
            general("call of `bar` is not modelled")
        );
        assert_eq!(general("no `__builtin_apply`"), "no `__builtin_apply`");
    }

    #[test]
    fn counts_and_percentage() {
        let mut tally = Tally::default();
        tally.add(Class::Finished, String::new(), "a".into());
        tally.add(Class::Undefined, "aliasing".into(), "b".into());
        tally.add(Class::Skipped, "gcc".into(), "c".into());
        assert!(tally.text().contains("finished: 1 of 2 (50.0 %)"));
        assert!(!tally.is_bad());
        assert_eq!(tally.list(Class::Undefined), "undefined: aliasing\n    b\n");
    }
}
