//! Crossovers of LLVM's unit tests (FLUX), run through a pipeline of passes of any libLLVM.
//!
//! A *seed* is a module with one function out of a test suite. Two are crossed: one inlined into the
//! other, or both called in sequence. Everything that touches LLVM runs in a forked child of an
//! [`llvmhost`] server. What is done with a finding is `optimise`'s.
//!
//! | module | concern |
//! | --- | --- |
//! | `split`, `facts` | a test file to seeds of one function each; the types that a seed provides and requires |
//! | `corpus`, `import`, `minimise` | seeds on disk, and drawing two that fit; a folder of tests to a corpus; a corpus without redundant seeds |
//! | `mutate`, `inline`, `sequence` | the crossovers; `merge`, `host`, `fitness`, `constants` and `prune` serve them |
//! | `work` | items for a server's children |
//! | `fuzz` | the loop: draw, cross, run, judge, keep |
//!
//! **Depth costs.** Crossovers of crossovers are slower, and so are their results. They get a tenth of the
//! time, and one becomes a seed only if it is not much slower than those of the suite. Without these limits
//! a hunt did a tenth of its tests per second after an hour, and reached no more.
//!
//! **A test is a pair of seeds, a kind and a random number**, and is repeatable. Which pairs are drawn
//! depends on what was kept before, so a hunt is not; a finding carries its module.
//!
//! **Types rule out hopeless pairs.** The corpus lists for each type the seeds that require it and that
//! provide it. A guest is drawn first, then a host from the list of the rarest type that the guest needs.
//!
//! **The state is on disk.** Seeds and their records are appended, the seed first; an incomplete record is
//! cut off. The blocks that were reached are written every few seconds; those lost with a kill are reached
//! again.
//!
//! **New coverage** is a block that a test reaches first and reaches again when it is repeated.
//!
//! **A fault counts** if it shows on a module that the verifier accepted, and again when that module's
//! bitcode is read by a child that does nothing else. What LLVM does while a crossover is made is no
//! finding.

mod constants;
pub mod corpus;
mod facts;
mod fitness;
pub mod focus;
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

pub use facts::{Facts, FrameProperties, FunctionFacts};
pub use mutate::{CrossoverFailure, CrossoverKind, Policy, cross};
pub use split::{SplitFailure, SplitSeed, split, split_text};
