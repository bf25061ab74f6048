//! Says whether a compiler is wrong about a program, and how sure that is.
//!
//! A [`Case`] is a program with its one right answer, or without one: then only compilers can fail. A [`Lab`] compiles and runs it on a target
//! and says what was [`Seen`]; [`judge()`] turns what was seen on all targets into [`Suspicion`]s,
//! each with a signature by which failures of the same bug are known; [`Lab::confirm`] tries again;
//! [`Detectors`] ask other people's tools whether the program is valid at all.
//!
//! A false alarm is the worst defect here. What the system did to a process (a full disk, a kill
//! from outside) is [`Trouble`] or [`Seen::NotForIt`], never a compiler's fault. Not here: which
//! suspicion counts, which is for the caller to decide from [`agreement()`] and [`Certificate`].

mod case;
mod certify;
mod command;
mod compiled;
mod detect;
mod judge;
mod lab;
mod observe;
mod output;
mod signal;
mod signature;
mod verdict;

pub use case::{Case, Expected, SourceFile};
pub use certify::{Certificate, Opinion, Says};
pub use command::{arguments, command_line};
pub use detect::{Detector, Detectors};
pub use judge::{Agreement, Class, agreement, classes, judge};
pub use lab::{Confirmation, Lab, Limits, Trouble};
pub use observe::{Observation, Seen};
pub use output::difference;
pub use verdict::{Failure, Fault, Kind, Suspicion};
