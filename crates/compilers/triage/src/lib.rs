//! Which pass is to blame, which versions fail, and whether a bug is known already.
//!
//! Everything here works on a small program, usually a reduced one. [`blame()`] asks the failing compiler
//! with one part of its optimiser switched off at a time: options, passes and debug counters of GCC,
//! `-opt-bisect-limit` of LLVM. [`ladder()`] asks all versions and levels of its family, [`dumps()`] shows the
//! code before and after the blamed pass, and [`key()`] makes of what was learnt the key by which the same
//! bug is recognised.
//!
//! Where no pass can be blamed (compilers other than GCC and LLVM, or code that always runs), the key of wrong
//! code contains the operators of the reduced program: listing one bug twice does less harm than hiding one
//! behind another.
//!
//! Not here: bisecting a compiler's own history, and passes of link-time optimisation in LLVM.

mod blame;
mod dump;
mod found;
mod gcc;
mod key;
mod ladder;
mod llvm;
mod message;
mod minimise;
mod probe;

pub use blame::blame;
pub use dump::dumps;
pub use found::{Blame, Cell, Culprit, Ladder, Method, Rung};
pub use key::key;
pub use ladder::ladder;
