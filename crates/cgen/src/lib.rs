//! Random C programs as typed trees.
//!
//! Two plain builders so far, both of which the tests and the first hunts stand on:
//! [`wild`] makes well-typed units that hold every construct of the tree, to be printed and read
//! back but never executed; [`simple`](fn@simple) makes programs that terminate, have no undefined
//! behaviour by construction and print a checksum.
//!
//! What it does not do yet: the engines `yarp` and `smith`, repair by execution, policies.

pub mod simple;
pub mod wild;

pub use simple::simple;
