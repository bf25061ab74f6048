//! What a bug of LLVM's passes is about: kinds of instructions, intrinsics, flags and claims, masked one at a time.
//!
//! A pass that makes a wrong function looks at certain instructions when it does. [`without`] makes a module in which
//! it cannot see those of one kind: each is a call of a function that is only declared, so that no pass knows what it
//! computes. Whoever compares the module with what the passes left puts the definitions back ([`Masked::judged`]),
//! on both sides: the calls mean what the instructions meant. If nothing is wrong any more, the pass needed to see
//! instructions of that kind; so two wrong functions can be told apart, or taken for one, before anything is reduced.
//!
//! Flags and claims (`nsw`, `noundef`, `!range`) are taken away. That may change what the module means, but
//! not what is asked: the passes are given the module without them, and must keep what *it* means.
//!
//! [`Shape`] is the normal form of a reduced function: only the instructions that matter, without names and
//! widths, constants by class, operands of commutative operations in an order of their own.
//!
//! | module | concern |
//! | --- | --- |
//! | `construct` | the kinds, most telling first; those of an instruction |
//! | `claims` | flags, attributes and metadata: which there are, and a module without one |
//! | `opaque` | instructions behind calls |
//! | `shape` | the normal form |
//!
//! Not here: phis, allocas and what ends a block cannot be called; masks of these do not exist. Running passes and
//! comparing modules is for `optimise`.

mod claims;
mod construct;
mod opaque;
mod shape;

pub use construct::{Construct, constructs};
pub use opaque::{Masked, without};
pub use shape::Shape;
