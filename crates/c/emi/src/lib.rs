//! Equivalence modulo inputs: programs that print exactly what their seed prints and look different
//! to a compiler.
//!
//! A C program without input has one execution, and the machine knows all of it. So code may be put
//! in that is known never to run, or to run and leave no trace; statements may be guarded by what is
//! known to be true; and what never ran may go, or be replaced. These are the mutations of Hermes
//! (`live`), Orion (`orion`) and Athena (`athena`).
//!
//! A [`Chain`] begins with a seed and derives one variant from another. Each is a [`Variant`]: the
//! seed and a list of edits, any part of which can be left out again. Every variant is executed
//! before it is handed out: one that does not print what the seed prints is a mistake of ours and is
//! told as such, never tested with.
//!
//! Pure: no files, no processes. Texts and compilers are `campaign`'s.

mod athena;
mod chain;
mod dead;
mod env;
mod grow;
mod live;
mod orion;
mod site;
mod strategy;
mod synth;
mod variant;

pub use athena::Database;
pub use chain::{Chain, Derived, Options, Unfit, Wrong};
pub use strategy::{Strategies, Strategy};
pub use variant::{Change, Edit, Variant};
