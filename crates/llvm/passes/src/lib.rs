//! Sequences of LLVM's passes, and programs to run them on, both chosen to be representative (CTOS).
//!
//! The [`inventory`] says what passes a libLLVM has; sequences of them are drawn at random ([`sequence`]),
//! but for what is excluded. A program is known by its [`shape`], which becomes a vector.
//! Not here: vectors and selection as such (`embed`), and hunts (`campaign`).

pub mod exclusion;
pub mod features;
pub mod graph;
pub mod inventory;
pub mod region;
pub mod represent;
pub mod sequence;
pub mod shape;
pub mod shorten;
pub mod trial;
pub mod vector;
pub mod work;
