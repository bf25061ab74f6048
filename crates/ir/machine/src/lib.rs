//! Executes LLVM IR: poison, undef, memory with provenance; refinement by execution.
//!
//! [`check()`] executes both sides of a refinement on many inputs and says whether the target did
//! something that the source may not do.
//!
//! | module | concern |
//! | --- | --- |
//! | `lower/`, `code`, `shape`, `facts` | a module as it is executed; what attributes and metadata claim |
//! | `value`, `integer`, `range`, `float` | sets of what each use may see, and arithmetic on them |
//! | `memory`, `exec/access`, `exec/masked`, `exec/pointer` | blocks, bytes, provenance |
//! | `intrinsic`, `exec/intrinsic`, `exec/lanes` | LLVM's intrinsics, by name and by effect |
//! | `exec/call`, `exec/world`, `library`, `exec/library`, `exec/print` | functions outside the module: what they return, what they see, what is printed |
//! | `input`, `inputs`, `mine` | inputs: all if they are few; else corner cases, values that the code mentions, random ones |
//! | `check`, `compare`, `counterexample` | both sides on an input; whether the target did what the source may do |
//! | `exact` | results that are a single value, to be compared with compiled code |
//!
//! **Undef is a set.** A value is what one use of a register may see: one number, numbers with free bits,
//! a range, a few of them, or poison. Each use chooses for itself, so nothing is enumerated until a
//! `freeze` or a branch needs one choice. Sets that cannot be represented exactly are unknown.
//!
//! **What the source may do, the target may do.** A source that is UB on an input allows everything;
//! poison allows any value, undef any value of its set. Observable events are compared in order: calls
//! that may write or not return, volatile accesses, output. Calls that only read are not events, and of
//! calls that only write two equal ones are one. Functions that are only declared always return, touch no
//! memory, and answer by their arguments and what they may read.
//!
//! **Architecture Invariant:** nothing is guessed. What is not certain is *unknown* with its reason, on
//! either side, never an alarm. What LLVM treats as its own (profile counters, tokens, library functions
//! that it knows by name) is executed as the LangRef says, or is unknown.
//!
//! Not here: proofs (`irproof`), and running solvers (`refine`).

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
mod reason;
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
pub use reason::{AccessKind, ClaimedValue, Construct, Reason, Ub};
