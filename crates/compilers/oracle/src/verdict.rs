//! Observations to suspicions: which kind of failure, on which targets.

use std::sync::Arc;

use toolchain::{Compiler, Target};

/// Kinds of failure.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The compiler crashed.
    CompilerCrash,
    /// The compiler did not end.
    CompilerHang,
    /// The compiler exhausted its memory or disk limit.
    CompilerMemory,
    /// A pass left a module that is not valid.
    InvalidIr,
    /// The output of a pass does not refine its input.
    Miscompilation,
    /// The output or exit status of the program is wrong.
    WrongOutput,
    /// The compiled program was killed by a signal.
    RuntimeCrash,
    /// The compiled program does not end.
    RuntimeHang,
    /// The compiler rejects a valid program.
    Rejection,
    /// A sanitizer stops a program that is well-defined.
    SanitizerFalseAlarm,
    /// A sanitizer misses undefined behaviour that it documents to find.
    SanitizerMiss,
    /// A detector calls a program undefined that the machine calls defined: a bug of ours, or of theirs.
    Disagreement,
}

impl FailureKind {
    /// Every kind, the gravest first.
    pub const ALL: [FailureKind; 12] = [
        FailureKind::WrongOutput,
        FailureKind::RuntimeCrash,
        FailureKind::RuntimeHang,
        FailureKind::Miscompilation,
        FailureKind::CompilerCrash,
        FailureKind::InvalidIr,
        FailureKind::CompilerHang,
        FailureKind::CompilerMemory,
        FailureKind::Rejection,
        FailureKind::SanitizerFalseAlarm,
        FailureKind::SanitizerMiss,
        FailureKind::Disagreement,
    ];

    /// `wrong-output`: as in files and `--json`.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::CompilerCrash => "compiler-crash",
            FailureKind::CompilerHang => "compiler-hang",
            FailureKind::CompilerMemory => "compiler-memory",
            FailureKind::InvalidIr => "invalid-ir",
            FailureKind::Miscompilation => "miscompilation",
            FailureKind::WrongOutput => "wrong-output",
            FailureKind::RuntimeCrash => "runtime-crash",
            FailureKind::RuntimeHang => "runtime-hang",
            FailureKind::Rejection => "rejection",
            FailureKind::SanitizerFalseAlarm => "sanitizer-false-alarm",
            FailureKind::SanitizerMiss => "sanitizer-miss",
            FailureKind::Disagreement => "disagreement",
        }
    }

    /// Whether it is what a compiler did with a program that makes it a failure; the others are about
    /// tools that judge programs, and cannot be reduced by asking compilers.
    pub fn is_of_a_compiler(self) -> bool {
        !matches!(self, FailureKind::SanitizerMiss | FailureKind::Disagreement)
    }

    /// Whether the generated code, instrumentation included, is wrong, which needs proof that the program is valid.
    pub fn is_wrong_code(self) -> bool {
        matches!(
            self,
            FailureKind::WrongOutput
                | FailureKind::RuntimeCrash
                | FailureKind::RuntimeHang
                | FailureKind::SanitizerFalseAlarm
        )
    }

    /// Whether the failure says itself which bug it is, by a compiler's own words or place. Wrong results do
    /// not: of two with one signature each may be a bug of its own until it was studied.
    pub fn names_its_bug(self) -> bool {
        !self.is_wrong_code() && self != FailureKind::Miscompilation
    }
}

/// A failure of one family's compilers on one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// What kind.
    pub kind: FailureKind,
    /// Labels of the targets that show it, in the order of the targets.
    pub targets: Vec<String>,
    /// One line: the compiler's own message, or the first line of output that differs.
    pub summary: String,
    /// What failures of the same bug have in common, as far as can be told without bisecting:
    /// `compiler-crash gcc in extract_insn, at recog.cc:2791`, `wrong-output gcc-12 -O2 -O3`.
    pub signature: String,
}

/// What one target did wrong, in the terms by which the same bug is known again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Fault {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What a crash or a rejection is known by: the compiler's words without what changes from
    /// program to program, its pass, its functions. Of a run, that its exit status is wrong. Empty for
    /// other kinds.
    pub known_by: String,
}

/// A failure that must persist while its program or its flags change.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is wrong.
    pub fault: Fault,
    /// Where it is, the quickest to show it first; never empty.
    pub bad: Vec<Target>,
    /// The targets that are right.
    pub right: Vec<Target>,
    /// Of a comparison: the compiler that must be right with the very flags with which the first target fails.
    pub baseline: Option<Arc<Compiler>>,
}

impl Failure {
    /// The baseline with the flags of a target.
    pub fn baseline_for(&self, target: &Target) -> Option<Target> {
        let compiler = self.baseline.clone()?;
        Some(Target { compiler, flags: target.flags.clone() })
    }
}
