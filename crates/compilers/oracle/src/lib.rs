//! Says whether a compiler is wrong about a program, and how certain that is.
//!
//! A [`Case`] is a program with its one right result, or without one: then only compilers can fail. A
//! [`Lab`] compiles and runs it on a target and says what was [`Behaviour`]; [`judge()`] turns what was seen on
//! all targets into [`Suspicion`]s, each with a signature by which failures of the same bug are recognised;
//! [`Lab::confirm`] tries again; [`Detectors`] ask sanitizers and Frama-C whether the program is valid.
//!
//! | module | concern |
//! | --- | --- |
//! | `case`, `observe`, `verdict`, `certify` | the data: program and result, what was seen, kinds of failure, opinions |
//! | `lab`, `command` | compile and run under limits, a second try; the command as it can be typed |
//! | `compiled`, `signal` | how a compiler ended, from its status and messages |
//! | `signature/` | what failures of one bug have in common: source location, pass, top of the stack |
//! | `judge`, `output` | classes of equal behaviour, suspicions; comparison of outputs |
//! | `runner`, `ready` | what of a run is the processor's, the emulator's or a sanitizer's doing; whether a target works with its flags |
//! | `detect/` | sanitizers and Frama-C |
//!
//! **Who is to blame** is asked in an order: the disk, our limits, a kill from outside, the assembler and the
//! linker, the compiler, the program. Only what is left is a rejection. Where a driver does not say which of its
//! processes died, the lab compiles step by step. What an assembler *rejects* the compiler wrote. An
//! instruction that the processor or the emulator lacks, and a sanitizer that cannot start, are nobody's bug. A compiler that lacks an extension which the program uses is
//! excused whatever its code prints.
//!
//! **A second try** starts from writing the files. Hangs get twice the time.
//!
//! **The harness.** A case can name a unit that only sets up and prints. It is compiled once for each
//! compiler, without optimisation: optimising the loops of a driver took longer than the tests themselves.
//!
//! **Architecture Invariant:** a false alarm is the worst defect here. What the system did to a process (a
//! full disk, a kill from outside) is never a compiler's fault.
//!
//! **Architecture Invariant:** `judge`, `signature` and `compiled` are pure; only `lab` and `detect` run
//! things.
//!
//! **Architecture Invariant:** a detector that cannot do its work is silent. Only a sanitizer's own report
//! makes a program undefined; a static alarm never does.
//!
//! `tests/compilers/faulty/` holds compilers with one fault each: every kind of failure is shown to be seen.
//! Not here: which suspicion counts; the caller decides that from [`agreement()`] and [`Certificate`].

mod case;
mod certify;
mod command;
mod compiled;
mod detect;
mod judge;
mod lab;
mod observe;
mod output;
mod ready;
mod runner;
mod signal;
mod signature;
mod verdict;

pub use case::{AddedOption, Case, Expected, SourceFile};
pub use certify::{Assessment, Certificate, Opinion};
pub use command::{arguments, command_line, compilations, is_training};
pub use detect::{Detector, Detectors};
pub use judge::{Agreement, Class, agreement, classes, judge};
pub use lab::{Confirmation, Lab, Limits, Trouble};
pub use observe::{Behaviour, Observation};
pub use output::difference;
pub use ready::{Readiness, TargetProbes};
pub use verdict::{Failure, FailureKind, Fault, Suspicion};
