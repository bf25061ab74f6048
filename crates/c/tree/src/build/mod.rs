//! Constructors that keep the tree's invariants.
//!
//! Methods of [`Program`](crate::Program) that add an expression with the nodes the parser would
//! make of its text: operands converted (6.3), arrays and functions decayed, the type filled in.
//! They do not check their arguments: an expression that C does not allow gets some type, not an error.
//!
//! What it does not do yet: composite types of pointers in conditionals.

mod constant;
mod convert;
mod copy;
mod operator;
mod stmt;
mod vector;

pub use vector::VectorOperands;
