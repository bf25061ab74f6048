//! Random C programs as typed trees.
//!
//! [`yarp`] is the engine: tests built freely under a [`policy`] and made free of undefined behaviour
//! by [`repair`]; [`census`] counts what programs contain.
//!
//! Two plain builders serve the tests of other crates: [`wild`] makes well-typed units that hold every
//! construct of the tree, to be printed and read back but never executed; [`simple`](fn@simple) makes
//! programs that terminate, have no undefined behaviour by construction and print a checksum.
//!
//! What it does not do yet: the engine `smith`.

pub mod arith;
pub mod census;
pub mod policy;
pub mod repair;
pub mod simple;
pub mod smith;
pub mod wild;
pub mod yarp;

pub use simple::simple;
