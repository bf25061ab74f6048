//! Constructs of C by kind, and programs in which some of them cannot be compiled wrongly.
//!
//! A bug of a compiler is about a construct: a left shift of 64 bits, a bit-field that is read, a conversion of
//! a signed 16-bit value. [`constructs`] says which a program has. [`without`] makes a program that prints the same
//! and no longer needs the compiler to be right about some of them: they are *masked*. If a failure is gone with a
//! construct masked, the construct is needed for it; so two failures can be told apart, or taken for one, without a
//! switch of the compiler and before anything is reduced.
//!
//! **A mask is a tape.** The machine executes the program and records the operands and the result of each masked
//! operation, in order. The operation becomes a call of a function that looks at the next place of the tape: with
//! the recorded operands it returns the recorded result; with others it does what the operation did. So what was
//! computed wrongly *before* it stays wrong, and only its own mistakes disappear. The tape is volatile: no
//! compiler can see through it. An operation that is executed too often for a tape has its operands laundered
//! through volatile variables instead. What a parameter or bit-field has is taken from the tape whatever was read.
//!
//! **Objects are masked by `volatile`**: they are read, assigned and copied through pointers to volatile types.
//! That hides nearly every bug of an optimiser ([`Construct::hides_much`]), so such constructs come last in the
//! order of [`Construct`]. A masked `switch` is a row of comparisons and jumps.
//!
//! | module | concern |
//! | --- | --- |
//! | `construct` | the kinds, most telling first; in words |
//! | `site` | where a program has them |
//! | `apply` | the masked program: recorded, rewritten, printed, parsed and executed again |
//! | `object` | masks of objects |
//! | `dispatch` | masks of `switch` |
//!
//! Not here yet: arithmetic on floats, vectors and 128 bits, loops, `if`, `goto` and calls are named and cannot be
//! masked.
//!
//! **Architecture Invariant:** a masked program has been executed with the output of the one that it was made of;
//! where that fails there is none.

mod apply;
mod construct;
mod dispatch;
mod object;
mod site;

pub use apply::without;
pub use construct::{Construct, Sign};
pub use site::{constructs, maskable};
