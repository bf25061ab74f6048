//! The machine from outside: language tests of the workspace, hooks, hostile input. One program, so
//! that it is linked once.

mod hooks;
mod language;
mod place;
mod recover;
mod robust;
mod vectors;
mod watch;
