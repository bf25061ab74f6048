//! What the tests share: scripts, C programs, and finding what is still running.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sandbox::{Ended, Finished, KillReason, Run, Status};

/// Far more than anything here needs on a busy machine.
pub const LONG: Duration = Duration::from_secs(60);

/// The variable by which the processes of one test are found.
pub const MARK: &str = "SANDBOX_TEST_MARK";

pub fn sh(script: &str, wall: Duration) -> Run {
    Run::new("sh", wall).arg("-c").arg(script)
}

pub fn finished(run: &Run) -> Finished {
    match run.finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

pub fn killed(run: &Run) -> (KillReason, Finished) {
    match run.finish() {
        Ended::Killed(why, finished) => (why, finished),
        other => panic!("{other:?}"),
    }
}

/// A value for [`MARK`] that no other test has.
pub fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}.{}.", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The processes that have inherited a mark and are no zombies.
pub fn alive(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}");
    let marked = |path: &PathBuf| {
        let environ = fs::read(path.join("environ")).unwrap_or_default();
        environ.split(|&b| b == 0).any(|variable| variable == wanted.as_bytes())
    };
    let entries = fs::read_dir("/proc").expect("/proc is there").flatten();
    let found = entries.map(|e| e.path()).filter(marked);
    found.filter_map(|path| fs::read_to_string(path.join("stat")).ok()).collect()
}

/// Repeats `check` until it holds, for at most twenty seconds.
pub fn eventually(check: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !check() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// Runs `run` with a mark and checks that nothing of it is alive the moment it returns.
pub fn leaves_nothing(run: Run) -> Ended {
    let mark = mark();
    let ended = run.env(MARK, &mark).finish();
    let left = alive(&mark);
    assert!(left.is_empty(), "{left:?} after {ended:?}");
    ended
}

/// Compiles a C program into `dir`; `None` without a compiler, which CI must have.
pub fn compile(dir: &Path, source: &str) -> Option<PathBuf> {
    compile_with("cc", &[], dir, source)
}

/// The same with a certain compiler and flags.
pub fn compile_with(cc: &str, flags: &[&str], dir: &Path, source: &str) -> Option<PathBuf> {
    let program = dir.join(format!("program{}", mark()));
    let run = Run::new(cc, LONG).args(["-w", "-xc", "-", "-o"]).arg(&program).args(flags);
    match run.stdin(source).finish() {
        Ended::Finished(done) if done.status == Status::Exit(0) => Some(program),
        Ended::Finished(done) => panic!("{}", done.stderr.text()),
        other => {
            assert!(std::env::var_os("CI").is_none(), "CI has {cc}: {other:?}");
            eprintln!("skipped: no {cc}");
            None
        }
    }
}
