//! A compiler that crashes on a probe is still a compiler: crashes are what a hunt looks for.

use sandbox::{Ended, Status};

use crate::step::{Step, dead_step};

/// What compilers print when they fail by their own fault.
const WORDS: &[&str] = &[
    "internal compiler error",
    "PLEASE submit a bug report",
    "Assertion",
    "UNREACHABLE",
    "LLVM ERROR",
    "signal terminated program",
    "out of memory",
    "memory exhausted",
    "bad_alloc",
];

/// Whether a compiler died, hung or ran out of something, rather than refusing what it was asked.
pub(crate) fn broke_down(ended: &Ended) -> bool {
    match ended {
        Ended::Killed(..) => true,
        Ended::NotStarted(_) => false,
        Ended::Finished(done) => match done.status {
            Status::Signal(_) => true,
            // As a shell script that runs a compiler tells it.
            Status::Exit(128..) => true,
            Status::Exit(0) => false,
            Status::Exit(_) => {
                let messages = done.stderr.text();
                // A linker that dies is not the compiler's.
                !matches!(dead_step(&messages), Some(Step::Assemble | Step::Link))
                    && WORDS.iter().any(|word| messages.contains(word))
            }
        },
    }
}
