//! The only crate that starts processes.
//!
//! [`Run`] starts one program, feeds it, reads it, and returns when it and everything that it
//! started have ended: not only its group, also daemons in sessions of their own. Between us and
//! the program stands a *shepherd*, a small fork of us that adopts whatever is orphaned below it
//! and outlives us long enough to end it all, even when we are killed with SIGKILL. Processor time
//! and peak memory come from the kernel's own accounts (`wait4`). How a program ends, crash and
//! timeout included, is a value ([`Ended`]), never an error: for a compiler tester a crash is data.
//!
//! [`Run::confined_to`] keeps a program's writing in one folder and the network closed, as far as
//! the kernel can ([`weaknesses`]). [`Stop`] ends runs from outside. [`Scratch`] is a temporary
//! folder that removes itself; [`sweep`] removes those of processes that were killed.
//! [`foreground()`] is for the few commands a person may have to answer (a package manager, `sudo`)
//! or wants to watch (`cargo`). [`Service`] is a program of our own that is spoken with while it runs,
//! and a [`traced()`] command is one that a tracer of ours watches.
//! [`die_with_children`] makes Ctrl-C an orderly end.
//!
//! Linux only. Not here: a fork server (a fork copies the page tables of whoever starts the
//! program, which takes milliseconds when that is large), and control groups, which need rights
//! that a user seldom has.

#![allow(unsafe_code)]

mod child;
mod confine;
mod folder;
mod foreground;
mod plan;
mod procfs;
mod run;
mod scratch;
mod service;
mod shepherd;
mod signals;
mod stop;
mod traced;

pub use confine::weaknesses;
pub use foreground::foreground;
pub use run::{Capture, Ended, Finished, Run, Status, Why, note_served, served, spent};
pub use scratch::{Scratch, sweep};
pub use service::Service;
pub use signals::die_with_children;
pub use stop::Stop;
pub use traced::traced;
