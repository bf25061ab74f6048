//! What a hunt remembers of a test and of a finding.

use std::time::Duration;

use crate::allocation::Arm;
use finding::Subject;
use oracle::{Certificate, Expected, FailureKind, SourceFile, Trouble};
use triage::{Blame, Construct, Ladder, Mask};

/// Processor time of one test, or of many, by what it was spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Cost {
    /// Our own: making the program and executing it in the machine.
    pub generate: Duration,
    /// In compilers.
    pub compile: Duration,
    /// In compiled programs.
    pub run: Duration,
    /// In detectors of undefined behaviour, and in running failures a second time.
    pub validate: Duration,
}

impl Cost {
    /// All of it.
    pub fn total(self) -> Duration {
        self.generate + self.compile + self.run + self.validate
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.generate += other.generate;
        self.compile += other.compile;
        self.run += other.run;
        self.validate += other.validate;
    }
}

/// The result of a target on a program.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum TargetResult {
    /// Right.
    Right,
    /// It failed.
    Failed(FailureKind),
    /// It failed, and so does the baseline of the comparison: nothing that is new.
    FailedBefore(FailureKind),
    /// It failed, and whether the baseline of the comparison does cannot be told.
    CannotTell(FailureKind),
    /// It failed once, and not when tried again.
    Flaky,
    /// It does not support the program.
    #[serde(alias = "not-for-it")]
    Unsupported,
}

/// A drawn target of a test.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ArmUse {
    /// Its label.
    pub target: String,
    /// What it was drawn as.
    pub arm: Arm,
    /// Processor time of the compiler and of the compiled program.
    pub cost: Duration,
}

/// Checks around arithmetic, of one program or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Checks {
    /// Those that programs were made with.
    pub all: u64,
    /// Those that were never needed, and became bare operations.
    pub removed: u64,
}

impl std::ops::AddAssign for Checks {
    fn add_assign(&mut self, other: Checks) {
        self.all += other.all;
        self.removed += other.removed;
    }
}

/// The record of one test.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Tested {
    /// Which engine made it.
    pub engine: String,
    /// Its seed: engine and seed are its identity.
    pub seed: u64,
    /// Why there was nothing to test, if so: the machine does not know the program's answer.
    pub skipped: Option<String>,
    /// Why its program has no answer, if so (`undefined: null-deref`): it was compiled and not run.
    pub unanswered: Option<String>,
    /// The checks around arithmetic that its program had, if it has an answer.
    pub checks: Checks,
    /// How many tests it stands for.
    pub tests: u64,
    /// Variants of its program that were tested besides it.
    pub variants: u64,
    /// What it cost.
    pub cost: Cost,
    /// Each target by label.
    pub targets: Vec<(String, TargetResult)>,
    /// What its drawn targets were drawn as, and what each cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<ArmUse>,
    /// What was found.
    pub findings: Vec<NewFinding>,
    /// It was interrupted: its findings are kept, and the next hunt does it again.
    #[serde(default)]
    pub interrupted: bool,
}

impl Tested {
    /// A test of which nothing is known yet.
    pub fn new(engine: &str, seed: u64) -> Tested {
        Tested {
            engine: engine.to_string(),
            seed,
            skipped: None,
            unanswered: None,
            checks: Checks::default(),
            tests: 1,
            variants: 0,
            cost: Cost::default(),
            targets: Vec::new(),
            arms: Vec::new(),
            findings: Vec::new(),
            interrupted: false,
        }
    }

    /// What is handed in of a test that came this far: a stop takes nothing away that was found.
    pub fn kept(self, done: Result<(), Trouble>) -> Result<Tested, Trouble> {
        match done {
            Ok(()) => Ok(self),
            Err(Trouble::Stopped) => Ok(Tested { interrupted: true, ..self }),
            Err(trouble) => Err(trouble),
        }
    }

    /// An interrupted test with what was seen in it and not confirmed; `None` if there is nothing to keep.
    /// A seed whose variants so far have nothing left to confirm is a test like any other.
    pub fn with_sightings(mut self, sightings: Vec<NewFinding>) -> Option<Tested> {
        for seen in sightings {
            // Origins of findings that were taken back to the least mutations say so at their end.
            let is_same = |found: &NewFinding| {
                let rest = found.origin.strip_prefix(seen.origin.as_str());
                found.signature == seen.signature
                    && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            };
            if !self.findings.iter().any(is_same) {
                self.findings.push(seen);
            }
        }
        let confirmed = self.findings.iter().all(|f| f.standing != Standing::Unconfirmed);
        self.interrupted = !(confirmed && self.variants > 0);
        (!self.interrupted || !self.findings.is_empty()).then_some(self)
    }
}

/// Whether a finding counts.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It counts: seen twice, and no detector objects to the program.
    Confirmed,
    /// Seen, and the hunt ended before it was tried again. The next hunt on the folder does its test
    /// again; when that shows it, the finding is confirmed under the same number.
    Unconfirmed,
    /// Of a comparison: it fails, and whether it did before cannot be told.
    CannotTell,
    /// A detector complains about the program, or no compiler at all agrees with the machine:
    /// probably a bug of ours.
    Disputed,
}

/// A finding as a worker hands it in.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NewFinding {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What findings of the same bug have in common.
    pub signature: String,
    /// One line that describes it.
    pub summary: String,
    /// Whether it counts.
    pub standing: Standing,
    /// What fails on what, as data.
    pub subject: Subject,
    /// The program.
    pub files: Vec<SourceFile>,
    /// Everything else worth keeping, by file name: `expected`, `README`, a target's output or messages.
    pub artifacts: Vec<SourceFile>,
    /// Where the program comes from, as a command or a file.
    pub origin: String,
    /// Evidence that the program is valid.
    pub certificate: Certificate,
    /// The finding whose study explains it: with what is wrong there masked, nothing is wrong here.
    pub attributed_to: Option<i64>,
}

impl NewFinding {
    /// Whether it counts.
    pub fn stands(&self) -> bool {
        self.standing == Standing::Confirmed
    }

    /// Labels of the targets that fail.
    pub fn targets(&self) -> Vec<String> {
        self.subject.targets()
    }

    /// Labels of the targets that are right.
    pub fn right(&self) -> Vec<String> {
        self.subject.right()
    }

    /// Commands that show it, one a line, to be typed beside the files.
    pub fn commands(&self) -> Vec<String> {
        self.subject.commands()
    }
}

/// A finding in the store.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    /// Its number, from 1.
    pub id: i64,
    /// The engine of its test.
    pub engine: String,
    /// The seed of its test.
    pub seed: u64,
    /// Seconds since 1970 when it was recorded.
    pub found_at: u64,
    /// How many findings before it have the same signature.
    pub seen_before: u64,
    /// All the rest.
    pub finding: NewFinding,
}

/// What became of a finding when it was studied: a small program that still shows it, and what was
/// learnt from that.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Study {
    /// The program, reduced.
    pub files: Vec<SourceFile>,
    /// What the failing compiler makes of it: `actual`, what it prints; the code before and after the
    /// blamed pass, where that can be had.
    pub evidence: Vec<SourceFile>,
    /// What fails on it: first the quickest compiler that does, with the least flags.
    pub subject: Subject,
    /// One line on what it does in place of that.
    pub summary: String,
    /// Evidence that the reduced program is valid.
    pub certificate: Certificate,
    /// Which pass is to blame.
    pub blame: Blame,
    /// Which versions fail.
    pub ladder: Ladder,
    /// What findings of the same bug have in common, as far as can be told now.
    pub key: String,
    /// Wrong code: the construct of C that it is about.
    pub about: Option<Construct>,
    /// What hides it, in any program.
    pub mask: Mask,
    /// Tokens before and after.
    pub tokens: (usize, usize),
    /// How long the reduction took, by the clock.
    pub took: Duration,
}

impl Study {
    /// The compiler by name (`gcc-12`), the quickest that fails.
    pub fn compiler(&self) -> String {
        self.subject.compiler()
    }

    /// The least flags with which it fails.
    pub fn flags(&self) -> Vec<String> {
        self.subject.flags()
    }

    /// Labels of all targets that fail on the reduced program.
    pub fn targets(&self) -> Vec<String> {
        self.subject.targets()
    }

    /// Labels of those that do as they must.
    pub fn right(&self) -> Vec<String> {
        self.subject.right()
    }

    /// Commands that show it, one a line, to be typed beside the files.
    pub fn commands(&self) -> Vec<String> {
        self.subject.commands()
    }

    /// What it must print and exit with; `None` for a program without an answer.
    pub fn expected(&self) -> Option<&Expected> {
        self.subject.expected()
    }
}

/// Whether a bug is fixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BugState {
    /// As far as is known, it is not fixed.
    Open,
    /// No installed compiler fails any more.
    Fixed,
}
