//! libLLVM, whichever is installed, opened at run time.
//!
//! [`Installed`] finds libraries, [`Llvm`] opens one through its C API, [`Context`] and [`Module`] are
//! what passes work on. A [`Server`] is a process of its own that opens the library once and forks for
//! every batch of work; whatever happens there comes back as a value ([`End`]).
//!
//! | module | concern |
//! | --- | --- |
//! | `installed`, `identity`, `open`, `api` | which libraries there are, and what each is; one opened; its C functions, those that not all versions have as options |
//! | `context`, `module`, `value`, `compose`, `rewrite` | LLVM's objects as Rust values that live as long as their context |
//! | `wire`, `client` | the protocol between a client and its server |
//! | `server/` | the server; `board` is the memory shared with children, `fatal` records how a child died |
//! | `execute` | machine code linked by LLVM's JIT and executed in a confined fork |
//! | `fixpoint` | InstCombine's check that one round was enough, which no pipeline has here |
//! | `dominators` | dominators of a control-flow graph |
//! | `signature` | what two faults of one bug have in common |
//!
//! **Why a server.** LLVM aborts, exits, overflows its stack and never returns, and one process can hold
//! one libLLVM only: two copies would share their symbols. A child does dozens of items and records its
//! progress on the board. When it dies, the item in work is done again alone, and the rest goes to a new
//! child. A fault that shows only in company is counted and not blamed.
//!
//! **How a child dies is recorded.** Handlers for signals and for LLVM's fatal errors write the reason and
//! the stack to the board and end the child at once. The server, which has the same library at the same
//! address, names the functions: the start of the enclosing function by the unwind table, its name by the
//! symbol table. The time limit is processor time of the item (`ITIMER_PROF`); the server kills by wall
//! clock what ignores that.
//!
//! **Which pass broke a module**, LLVM says from version 17 on. Before that the run is repeated with a log
//! of passes; the last one logged is to blame.
//!
//! **Architecture Invariant:** a panic of ours in a child is [`End::Panic`], and never reported as LLVM's
//! fault.
//!
//! Not here: what the work is (a [`Work`] of the caller's), and which blocks of the library ran
//! (`coverage`).

#![allow(unsafe_code)]

pub mod api;
mod client;
mod compose;
mod context;
mod dominators;
mod execute;
mod fixpoint;
mod identity;
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
pub use execute::{Allowance, Executed, ExecutionEnd, execute};
pub use fixpoint::without_fixpoint_check;
pub use identity::Identity;
pub use installed::Installed;
pub use module::{Broken, Machine, Module, Running, X86_64};
pub use open::Llvm;
pub use rewrite::{Attribute, Builder};
pub use server::{Recorder, Work, serve};
pub use signature::{Fault, Signature, printable};
pub use value::{Block, Linkage, Type, TypeKind, Value, opcode};
pub use wire::{CoverageMethod, Crash, End, Frame, Limits, Ran, Setup};
