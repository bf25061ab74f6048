//! Many runs at once: none is mistaken for another, and neither descriptors nor children are left. A program
//! of its own: it counts the children and descriptors of its process.

#[path = "it/common/mod.rs"]
mod common;

use std::time::Duration;

use crate::common::{LONG, sh};
use sandbox::{Ended, KillReason, Scratch, Status};

const THREADS: usize = 8;
const RUNS: usize = 25;

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map(|d| d.count()).unwrap_or(0)
}

#[test]
fn two_hundred_runs_from_eight_threads() {
    let scratch = Scratch::new().expect("a temporary folder");
    let before = descriptors();
    let mark = crate::common::mark();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (mark, dir) = (&mark, scratch.path());
            scope.spawn(move || {
                for run in 0..RUNS {
                    let number = thread * RUNS + run;
                    let hangs = run % 8 == 7;
                    let wall = if hangs { Duration::from_millis(50) } else { LONG };
                    let then = if hangs { "sleep 300" } else { "exit $(cat)" };
                    let script = format!("setsid sleep 300 & echo {number}; {then}");
                    let run =
                        sh(&script, wall).stdin(number.to_string()).env(crate::common::MARK, mark);
                    match run.processes(20).folder_cap(dir, 1 << 20).confined_to(dir).finish() {
                        Ended::Finished(done) if !hangs => {
                            assert_eq!(done.status, Status::Exit(number as u8));
                            assert_eq!(done.stdout.text(), format!("{number}\n"));
                        }
                        Ended::Killed(KillReason::Wall, _) if hangs => {}
                        other => panic!("{other:?}"),
                    }
                }
            });
        }
    });
    assert!(crate::common::alive(&mark).is_empty(), "{:?}", crate::common::alive(&mark));
    assert_eq!(descriptors(), before);
    let me = std::process::id();
    let children = std::fs::read_dir("/proc").expect("/proc is there").flatten().filter(|entry| {
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        status.lines().any(|line| line == format!("PPid:\t{me}"))
    });
    assert_eq!(children.count(), 0);
}
