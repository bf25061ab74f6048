//! Crossovers of LLVM's unit tests (FLUX), run through a pipeline of passes of any libLLVM.
//!
//! A *seed* is a module with one function out of a test suite (`split`). A crossover of two is made by
//! `mutate`: one inlined into the other (`inline`), or both called in sequence (`sequence`). All that
//! touches LLVM runs in a forked child of an [`llvm`] server. What is done with a finding is `optimise`'s.

mod constants;
pub mod corpus;
mod facts;
mod fitness;
pub mod fuzz;
mod host;
pub mod import;
mod inline;
mod merge;
pub mod minimise;
mod mutate;
mod prune;
mod sequence;
mod split;
pub mod work;

pub use facts::{Facts, FunctionFacts, Manner};
pub use mutate::{Failed, Kind, Policy, cross};
pub use split::{Aside, Piece, split, split_text};
