//! Random C programs for tests. Only tests depend on this crate; what hunts test with is `cgen`.
//!
//! [`wild`](fn@wild) makes well-typed units that hold every construct of the tree, to be printed and
//! read back but never executed. [`simple`](fn@simple) makes programs that terminate, have no
//! undefined behaviour by construction and print a checksum.

mod simple;
mod wild;

pub use simple::simple;
pub use wild::wild;
