//! Temporary folders.

use std::io;
use std::path::{Path, PathBuf};

/// A fresh folder under the system's temporary folder, removed with all it holds when dropped.
///
/// A process that is killed cannot drop anything: its folder stays, named `gainsay-…`.
#[derive(Debug)]
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    /// Makes an empty folder.
    pub fn new() -> io::Result<Scratch> {
        tempfile::Builder::new().prefix("gainsay-").tempdir().map(Scratch)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Gives the folder up to the caller: it is not removed.
    pub fn keep(self) -> PathBuf {
        self.0.keep()
    }
}
