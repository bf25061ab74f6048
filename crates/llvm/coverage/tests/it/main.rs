//! Blocks of real programs and libraries: found, trapped, traced, counted. One program, so that it is linked once.

mod common;
mod counters;
mod image;
mod trace;
mod traps;
