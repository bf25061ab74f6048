//! Executes LLVM IR: poison, undef, memory with provenance; refinement by execution.
//!
//! [`check()`] executes both sides of a refinement on many inputs and says whether the target did what the source
//! may not. Whatever is not certain is unknown with its reason, never an alarm.
//!
//! Not here: proofs (`irproof`), and who runs solvers and tells people (`refine`).

mod check;
mod code;
mod compare;
mod counterexample;
mod exact;
mod exec;
mod facts;
mod float;
pub mod input;
mod inputs;
mod integer;
mod intrinsic;
mod library;
mod lower;
mod memory;
mod mine;
mod outcome;
mod range;
mod shape;
mod value;

pub use check::{Answer, check, confirm};
pub use code::Program;
pub use counterexample::Counterexample;
pub use exact::{Exact, evaluate, inputs};
pub use exec::{Side, execute};
pub use input::Input;
pub use library::is_library;
pub use outcome::{Event, Execution, Limits, Outcome, Step};
