//! The only crate that starts processes.
//!
//! [`Run`] starts one program, feeds it, reads it, and returns when it and everything that it started have
//! ended: not only its group, also daemons in sessions of their own. How a program ends, crash and timeout
//! included, is a value ([`Ended`]), never an error: for a compiler tester a crash is data.
//!
//! [`Run::confined_to`] keeps a program's writes in one folder and the network closed, as far as the kernel
//! can ([`weaknesses`]). [`Stop`] ends runs from outside. [`Scratch`] is a temporary folder that removes
//! itself; [`sweep`] removes those of processes that were killed. [`foreground()`] is for the few commands
//! that share the terminal with a person (a package manager, `sudo`, `cargo`). [`Service`] is a program of
//! our own that we talk to while it runs; it may confine itself ([`confine_server`]). A file that is read by the
//! next process is written by [`replace_file`]: whole, or not at all. And a [`traced()`] command is one that a tracer of ours watches.
//! A program of another system runs in a [`Root`] of its own.
//! [`die_with_children`] makes Ctrl-C an orderly end.
//!
//! **The shepherd.** Between us and a program stands a fork of us that executes nothing, leads a session of
//! its own and is a subreaper, so that whatever is orphaned below it becomes its child. It starts the program
//! as `vfork` would, and when the program ends, or our end of a pipe closes, it kills and reaps its children
//! until there are none, adds up their resource usage and reports. That pipe closes when we close it and when
//! we die, even by SIGKILL. It kills only its own children (and the program's group while its leader is
//! unreaped): nobody else can reap them, so their numbers cannot have been reused. Not solved: a shepherd
//! that is itself killed; then a daemon in a session of its own escapes.
//!
//! **Limits** are the kernel's where it has them. Processes are counted by the shepherd (`RLIMIT_NPROC`
//! counts the whole user and spares root), folders by us. One thread per run polls the program's pipes, the
//! report, its [`Stop`] and the event of our own death. A confined program is held by Landlock and a small
//! seccomp filter.
//!
//! **Scratch folders** are locked by their owner with `flock`; one whose lock can be taken is stale and is
//! swept by the next process. The signal handler only raises an event; a thread ends the runs, removes the
//! folders and lets the signal take effect.
//!
//! **Architecture Invariant:** every [`Run`] ends with everything it started dead. A lint (`clippy.toml`)
//! keeps `Command::new` out of all other crates.
//!
//! Linux only. Not here: control groups, which need rights that a user seldom has.

#![allow(unsafe_code)]

mod account;
mod child;
mod confine;
mod folder;
mod foreground;
mod plan;
mod procfs;
mod replace;
mod root;
mod run;
mod scratch;
mod service;
mod shepherd;
mod signals;
mod stop;
mod traced;

pub use account::Account;
pub use confine::{confine_program, confine_server, weaknesses};
pub use foreground::foreground;
pub use replace::replace_file;
pub use root::{MARK, Root, entrance_weakness, launcher};
pub use run::{Capture, Ended, Finished, KillReason, Run, Status, served, spent};
pub use scratch::{Scratch, sweep};
pub use service::Service;
pub use signals::die_with_children;
pub use stop::Stop;
pub use traced::traced;
