//! Which basic blocks of a stock binary ran, without rebuilding it.
//!
//! An [`Image`] finds the *leaders* of an ELF file, the first instructions of its basic blocks, by
//! decoding the code that `.eh_frame` describes. A block is named by its number among them, a [`Set`]
//! holds such numbers, and a [`Baseline`] keeps sets of several images in a file.
//!
//! | module | concern |
//! | --- | --- |
//! | `image`, `leaders` | an ELF file: functions, and leaders by linear decoding |
//! | `set`, `baseline` | sets of block numbers; files of them that know their binary |
//! | `traps` | breakpoints in a library of our own process, shared with its forks |
//! | `trace/` | breakpoints in any command, by `ptrace` |
//! | `counters`, `probe` | libraries built with `-fsanitize-coverage=inline-8bit-counters`; either kind behind one interface |
//!
//! **A breakpoint is removed when it is hit.** The library's text is replaced by a copy in shared memory,
//! so a breakpoint that a child removes is gone for the server and all later children: in the long run
//! nothing is slower. A file of blocks carries the build id and a hash of the leaders, so that numbers are
//! never taken for those of another build.
//!
//! **Where no breakpoint may stand.** Code that runs with SIGTRAP blocked would die of one: stubs of the
//! linkage table and the one function of LLVM that blocks all signals are left alone.
//!
//! x86-64 Linux only. A block that is entered only by a jump table from a block that falls into it is not
//! told apart from that one.

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
pub use trace::{Options, Reached, TraceReport, trace};
pub use traps::Traps;
