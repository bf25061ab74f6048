//! Temporary folders that do not outlive their owner, or not for long.
//!
//! The owner holds a lock (`flock`) on the folder itself; the kernel lets go of it however the owner
//! dies. A folder by our name whose lock can be taken is stale, and the next process that makes a
//! folder removes it. Nothing is put into the folder for this.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};

use nix::libc;
use nix::sys::statfs::{TMPFS_MAGIC, statfs};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{AccessFlags, access, geteuid};

/// Not `gainsay-` alone: a person may well name something so.
const PREFIX: &str = "gainsay-scratch-";

/// What a folder in memory must have free to be preferred.
const ROOM: u64 = 1 << 30;

/// Folders that are ours and alive.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A fresh folder, removed with all it holds when dropped. It is in memory where there is room
/// (see [`Scratch::new`]).
///
/// A process that is killed cannot drop anything: its folder stays until the next process of the
/// same user makes one, or calls [`sweep`].
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Makes an empty folder: in the folder that `TMPDIR` names, or else in `/dev/shm` or
    /// `XDG_RUNTIME_DIR` if that is in memory, allows execution and has a gigabyte free, or else in
    /// the system's temporary folder. The first call of a process also removes what dead ones left.
    pub fn new() -> io::Result<Scratch> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| _ = sweep());
        let base =
            bases().into_iter().find(|base| is_good(base)).unwrap_or_else(std::env::temp_dir);
        loop {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX).permissions(Permissions::from_mode(0o700));
            let path = builder.tempdir_in(&base)?.keep();
            // Between its making and its locking another process may have swept it: then again.
            match lock(&path) {
                Ok(Some(lock)) if path.exists() => {
                    live(|all| all.push(path.clone()));
                    return Ok(Scratch { path, _lock: lock });
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// Gives the folder up to the caller: it is not removed. It gets a name that is not swept
    /// either, so this is its path from now on.
    pub fn keep(mut self) -> PathBuf {
        let old = std::mem::take(&mut self.path);
        live(|all| all.retain(|path| *path != old));
        let name = old.file_name().unwrap_or_default().to_string_lossy();
        let new = old.with_file_name(name.replacen(PREFIX, "gainsay-kept-", 1));
        if fs::rename(&old, &new).is_ok() { new } else { old }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            remove(&self.path);
            live(|all| all.retain(|path| *path != self.path));
        }
    }
}

fn live(change: impl FnOnce(&mut Vec<PathBuf>)) {
    change(&mut LIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
}

/// Removes every folder of this process: it is about to die.
pub(crate) fn remove_all() {
    live(|all| all.drain(..).for_each(|path| _ = remove(&path)));
}

/// Removes the folders that dead processes of this user left, and says how many.
pub fn sweep() -> usize {
    let mut all = bases();
    all.push(std::env::temp_dir());
    all.sort();
    all.dedup();
    all.iter().map(|base| sweep_in(base)).sum()
}

fn sweep_in(base: &Path) -> usize {
    let Ok(entries) = fs::read_dir(base) else { return 0 };
    let ours = entries.flatten().filter(|e| e.file_name().to_string_lossy().starts_with(PREFIX));
    ours.filter(|entry| {
        let path = entry.path();
        let mine = entry.metadata().is_ok_and(|m| m.is_dir() && m.uid() == geteuid().as_raw());
        mine && matches!(lock(&path), Ok(Some(_lock)) if remove(&path))
    })
    .count()
}

/// Takes the lock of a folder; `None` when somebody has it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let dir = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    match dir.try_lock() {
        Ok(()) => Ok(Some(dir)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Places to prefer to the temporary folder.
fn bases() -> Vec<PathBuf> {
    // An explicit setting wins.
    if std::env::var_os("TMPDIR").is_some() {
        return vec![];
    }
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    [Some(PathBuf::from("/dev/shm")), runtime].into_iter().flatten().collect()
}

/// Whether programs can be built and run here, in memory.
fn is_good(base: &Path) -> bool {
    let (Ok(kind), Ok(data)) = (statfs(base), statvfs(base)) else { return false };
    kind.filesystem_type() == TMPFS_MAGIC
        && !data.flags().intersects(FsFlags::ST_NOEXEC | FsFlags::ST_RDONLY)
        && data.blocks_available() * data.fragment_size() >= ROOM
        && access(base, AccessFlags::W_OK | AccessFlags::X_OK).is_ok()
}

/// Removes a folder, also one with parts that we took the right to write to from ourselves.
fn remove(path: &Path) -> bool {
    fs::remove_dir_all(path).is_ok() || {
        open_up(path);
        fs::remove_dir_all(path).is_ok()
    }
}

fn open_up(dir: &Path) {
    let _ = fs::set_permissions(dir, Permissions::from_mode(0o700));
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
