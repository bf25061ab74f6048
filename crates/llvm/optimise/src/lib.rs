//! A pipeline of passes on a module, in a child of an [`llvm`] server: what came of it ([`work`],
//! [`verdict`]), the module and the pipeline made small ([`shrink`], [`tester`]), and which pass is to blame
//! where the result does not mean what the module meant ([`locate`]).
//!
//! What is common to the engines that test LLVM's passes. Not here: where modules come from.

pub mod locate;
pub mod shrink;
pub mod tester;
pub mod verdict;
pub mod work;
