//! The only crate that starts processes.
//!
//! [`Run`] starts one program in a process group of its own, feeds it, reads it and waits for it,
//! and whatever happens kills the whole group before it returns: a compiler driver that times out
//! does not leave its `cc1` behind. Processor time and peak memory come from the kernel's own
//! accounts (`wait4`). How a program ends, crash and timeout included, is a value ([`Ended`]),
//! never an error: for a compiler tester a crash is data.
//!
//! [`foreground()`] is for the few commands a person may have to answer (a package manager, `sudo`)
//! or wants to watch (`cargo`). [`Scratch`] is a temporary folder that removes itself.
//! [`die_with_children`] makes Ctrl-C reach the groups that are running.
//!
//! Linux only: process descriptors (`pidfd`, Linux 5.3) let one thread wait for the process and
//! its pipes together. Not here yet: Landlock, network namespaces, processes that leave their
//! group on purpose (`setsid`), a fork server.

#![allow(unsafe_code)]

mod child;
mod foreground;
mod run;
mod scratch;
mod signals;
mod stop;

pub use foreground::foreground;
pub use run::{Capture, Ended, Finished, Run, Status, Why};
pub use scratch::Scratch;
pub use signals::die_with_children;
pub use stop::Stop;
