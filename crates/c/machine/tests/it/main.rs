//! The machine from outside: language tests of the workspace, hooks, hostile input. One program, so
//! that it is linked once.

mod hooks;
mod ilp32;
mod language;
mod place;
mod recover;
mod robust;
mod vectors;
mod watch;
