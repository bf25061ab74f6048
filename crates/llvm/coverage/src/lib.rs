//! Which basic blocks of a stock binary ran, without rebuilding it.
//!
//! An [`Image`] finds the *leaders* of an ELF file, the first instructions of its basic blocks, by
//! decoding the code that `.eh_frame` describes. A block is named by its number among them, and a
//! [`Set`] holds such numbers; a [`Baseline`] keeps sets of several images in a file.
//!
//! There are three ways to see which blocks run. [`Traps`] puts breakpoints into a library that is
//! loaded into our own process and logs hits of this process and its forks. [`trace()`] does the same
//! to any command from outside, by `ptrace`. [`Counters`] reads what a library that was built with
//! `-fsanitize-coverage=inline-8bit-counters` counts itself. In the first two a breakpoint goes when
//! it is hit, so what runs often runs at full speed. A [`Probe`] is a library watched either way.
//!
//! x86-64 Linux only. A block that is entered only by a jump table from a block that falls into it is
//! not told apart from that one.

mod baseline;
mod counters;
mod image;
mod leaders;
mod probe;
mod set;
mod trace;
mod traps;

pub use baseline::{Baseline, BaselineError};
pub use counters::{Counters, bucket};
pub use image::{Image, ImageError, Segment};
pub use probe::Probe;
pub use set::Set;
pub use trace::{Options, Reached, Report, trace};
pub use traps::Traps;
