//! libLLVM, whichever is installed, opened when the program runs.
//!
//! [`Installed`] finds libraries, [`Llvm`] opens one through its C API, [`Context`] and [`Module`] are
//! what passes work on. LLVM crashes, aborts, exits and never returns, as it likes: so nothing here is
//! called in a process that matters. A [`Server`] is a process of its own, which opens the library once
//! and forks for every batch of work; whatever happens in there comes back as a value ([`End`]).
//!
//! One library per process: two copies of LLVM would share their symbols. Not here: what the work is
//! (that is a [`Work`] of the caller's), and which blocks of the library ran (`coverage`).

#![allow(unsafe_code)]

pub mod api;
mod client;
mod compose;
mod context;
mod dominators;
mod execute;
mod installed;
mod module;
mod open;
mod rewrite;
mod server;
mod signature;
mod value;
mod wire;

pub use client::{Program, Server};
pub use context::Context;
pub use dominators::Dominators;
pub use execute::{Allowance, Executed, How, execute};
pub use installed::Installed;
pub use module::{Broken, Machine, Module, Running, X86_64};
pub use open::Llvm;
pub use rewrite::{Attribute, Builder};
pub use server::{Desk, Work, serve};
pub use signature::{Fault, Signature, printable};
pub use value::{Block, Linkage, Type, TypeKind, Value, opcode};
pub use wire::{Crash, End, Frame, Limits, Ran, Setup, Watch};
