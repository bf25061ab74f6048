//! What a killed hunt leaves behind. Processes are told by a variable of their environment, which everything
//! that a hunt starts inherits; scratch folders by their place, a `TMPDIR` of the hunt's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The variable; its value names the hunt.
pub const MARK: &str = "GAINSAY_KILLS_MARK";

/// What is not gone by then has survived: killing takes milliseconds, and a server looks up every half second.
const PATIENCE: Duration = Duration::from_secs(10);

/// Between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// Waits until no process has the mark any more: how long that took, or the command lines of those that stay.
pub fn await_gone(mark: &str) -> Result<Duration, Vec<String>> {
    let begin = Instant::now();
    loop {
        let alive = marked(mark);
        if alive.is_empty() {
            return Ok(begin.elapsed());
        }
        if begin.elapsed() > PATIENCE {
            return Err(alive);
        }
        thread::sleep(LOOK);
    }
}

/// Command lines of the processes that have the mark. One that has ended and waits for its parent has no
/// environment any more.
fn marked(mark: &str) -> Vec<String> {
    let variable = format!("{MARK}={mark}");
    let has_mark = |process: &PathBuf| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
    };
    let name = |process: PathBuf| {
        let line = fs::read(process.join("cmdline")).unwrap_or_default();
        format!("{}: {}", process.display(), String::from_utf8_lossy(&line).replace('\0', " "))
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten().map(|e| e.path());
    processes.filter(has_mark).map(name).collect()
}

/// Folders in a `TMPDIR` that somebody still holds: the next hunt could not sweep them.
pub fn held_folders(tmp: &Path) -> Vec<PathBuf> {
    let is_held = |path: &PathBuf| {
        fs::File::open(path)
            .is_ok_and(|dir| matches!(dir.try_lock(), Err(fs::TryLockError::WouldBlock)))
    };
    folders(tmp).into_iter().filter(is_held).collect()
}

/// Everything in a `TMPDIR`.
pub fn folders(tmp: &Path) -> Vec<PathBuf> {
    fs::read_dir(tmp).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}
