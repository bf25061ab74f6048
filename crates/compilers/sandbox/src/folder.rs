//! How much a folder holds, watched while a program runs.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// The first look comes early, as a folder in memory fills fast; then ever less often, up to this.
const FIRST: Duration = Duration::from_millis(60);
const SLOWEST: Duration = Duration::from_millis(500);

/// One folder and what it may hold.
pub(crate) struct FolderWatch<'a> {
    dir: &'a Path,
    cap: u64,
    pause: Duration,
    next: Instant,
}

impl<'a> FolderWatch<'a> {
    pub(crate) fn new(dir: &'a Path, cap: u64) -> FolderWatch<'a> {
        FolderWatch { dir, cap, pause: FIRST, next: Instant::now() + FIRST }
    }

    /// When to look again.
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// True when it is time to look and there is too much.
    pub(crate) fn exceeded(&mut self) -> bool {
        let begin = Instant::now();
        if begin < self.next {
            return false;
        }
        let mut room = self.cap;
        let exceeded = !fits(self.dir, &mut room);
        let now = Instant::now();
        self.pause = (self.pause * 2).min(SLOWEST);
        // Looking takes at most a tenth of our time, also where there are a million files.
        self.next = now + self.pause.max((now - begin) * 10);
        exceeded
    }
}

/// Takes what is below `dir` from `room`, false when that does not suffice. What vanishes meanwhile
/// counts nothing.
fn fits(dir: &Path, room: &mut u64) -> bool {
    let Ok(entries) = fs::read_dir(dir) else { return true };
    for entry in entries.flatten() {
        let Ok(data) = entry.metadata() else { continue };
        // What it takes on the disk, whatever its length (a file with holes is small), and a little
        // for its own sake: a million empty files take memory too.
        let Some(left) = room.checked_sub(512 + data.blocks() * 512) else { return false };
        *room = left;
        if data.is_dir() && !fits(&entry.path(), room) {
            return false;
        }
    }
    true
}
