//! A pipeline of passes on a module, in a child of an [`llvm`] server: what came of it ([`work`],
//! [`verdict`]), the module and the pipeline made small ([`shrink`], [`tester`]), and whether the result
//! means what the module meant ([`refine`]).
//!
//! What is common to the engines that test LLVM's passes. Not here: where modules come from.

pub mod refine;
pub mod shrink;
pub mod tester;
pub mod verdict;
pub mod work;
