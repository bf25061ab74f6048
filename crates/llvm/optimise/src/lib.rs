//! A pipeline of passes on a module, in a child of an [`llvmhost`] server: what the engines that test
//! LLVM's passes have in common.
//!
//! | module | concern |
//! | --- | --- |
//! | [`work`], [`verdict`] | items that a server's children do for all engines; what their results mean |
//! | [`shrink`], [`tester`] | edits of modules and of pipelines; the search, which knows no LLVM; candidates on a server |
//! | [`reduce`] | a module of a user's on which passes fail, made small |
//! | [`locate`] | the first pass of a pipeline whose result does not refine what it was given |
//! | [`masked`] | what of a module passes must see to make it wrong |
//! | [`suite`] | refinement over a folder of tests, counted |
//!
//! The first byte of an item says which engine it belongs to, so that one server serves all of them.
//!
//! **Stages.** A child records whether it reads a module, runs passes, generates code or executes. A fault
//! during code generation is the code generator's; what fails while a module is read or made is no finding.
//!
//! Not here: where modules come from.

pub mod locate;
pub mod masked;
pub mod reduce;
pub mod shrink;
pub mod suite;
pub mod tester;
pub mod verdict;
pub mod work;
