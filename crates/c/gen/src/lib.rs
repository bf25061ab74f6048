//! Random C programs as typed trees.
//!
//! [`yarp`] is the engine: tests built freely under a [`policy`] and made free of undefined behaviour
//! by [`repair`]; [`census`] counts what programs contain.
//!
//! [`smith`] is the engine of Csmith's kind.

pub mod arith;
pub mod census;
pub mod policy;
pub mod repair;
pub mod smith;
pub mod yarp;
