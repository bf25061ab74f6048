//! Which pass is to blame, which versions fail, and whether a bug is known already.
//!
//! Everything here works on a small program, usually a reduced one: [`blame()`] asks the failing
//! compiler with one part of its optimiser switched off at a time, [`ladder()`] asks all its
//! relatives, [`dumps()`] shows the code around the blamed pass, [`key()`] puts what was learnt into the words by which the same bug is known again.
//!
//! Not here: bisecting a compiler's own history, and passes of link-time optimisation in LLVM.

mod bench;
mod blame;
mod dump;
mod found;
mod gcc;
mod key;
mod ladder;
mod llvm;
mod message;
mod minimise;

pub use blame::blame;
pub use dump::dumps;
pub use found::{Blame, Cell, Culprit, Ladder, Method, Rung};
pub use key::key;
pub use ladder::ladder;
