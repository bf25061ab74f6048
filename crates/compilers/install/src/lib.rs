//! Brings compilers, each in a folder of its own below the user's data folder, and removes them. Nothing of the
//! system changes, and nobody needs to be root.
//!
//! | module | concern |
//! | --- | --- |
//! | `source` | `debian:sid`, `pypi:ziglang==0.17.0`, `root:/srv/gcc-trunk`: where from, what for |
//! | `debian` | packages of a Debian suite with all that they need: apt with a configuration of its own |
//! | `pypi` | packages of Python's index: pip |
//! | `tree` | a tree of files: packages unpacked, what compilers and libraries it has, launchers |
//! | `loader` | scripts for systems without mount namespaces |
//! | `place` | the folder, from its beginning to its record; its lock |
//!
//! Packages are fetched by the systems' own clients: they check signatures and sums, resume, and know proxies and
//! mirrors as the user has set them up. What a client says when it fails becomes one sentence ([`InstallError`]).
//!
//! **Architecture Invariant:** a folder gets its record (`toolchain::added`) when all its compilers have been tried,
//! as the last step but the renaming that makes it appear. What was interrupted or went wrong is never used.
//!
//! Not here: what a compiler is used for, and the library that a libLLVM is; its check is handed in.

mod client;
mod debian;
mod loader;
mod place;
mod pypi;
mod source;
mod tree;

use std::path::{Path, PathBuf};

use sandbox::Stop;
use toolchain::added::{self, Added};

pub use source::Source;

/// What somebody sees while it takes long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Lists of packages are fetched.
    Lists,
    /// Bytes that are there, of all.
    Fetched(u64, u64),
    /// Packages that are unpacked, of all.
    Unpacked(usize, usize),
    /// A compiler is tried.
    Trying(String),
}

/// Why nothing was installed, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A mistake in what was asked for.
    #[error("{0}")]
    Asked(String),
    /// A program that we need is not here.
    #[error("{program} is needed for that, and is not here: {remedy}")]
    NoClient {
        /// Its name.
        program: &'static str,
        /// How to get it.
        remedy: &'static str,
    },
    /// The source cannot be reached.
    #[error(
        "{from} cannot be reached ({words}); what was fetched so far is kept: run the same command again"
    )]
    Network {
        /// Which.
        from: String,
        /// The client's own words.
        words: String,
    },
    /// A signature or a sum is wrong.
    #[error("{from} is not signed as it should be, so nothing was installed: {words}")]
    Signature {
        /// Which.
        from: String,
        /// The client's own words.
        words: String,
    },
    /// No room.
    #[error("the disk is full at {place}: {free} are free; nothing was installed")]
    DiskFull {
        /// Where.
        place: PathBuf,
        /// What is free.
        free: String,
    },
    /// What came has nothing to test, or it does not work.
    #[error("{0}; nothing was installed")]
    Useless(String),
    /// It is being installed or removed by another process.
    #[error("{0} is being installed or removed by another gainsay")]
    Busy(String),
    /// It was stopped.
    #[error("stopped; what was fetched so far is kept: run the same command again")]
    Stopped,
    /// Anything else that the system says.
    #[error("{0}")]
    System(String),
}

/// What an installation is done with.
pub struct Installer<'a> {
    /// Is told how far it is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Says what a libLLVM is (`22.1.8+assertions`), or why it cannot be used.
    pub try_library: &'a (dyn Fn(&Path) -> Result<String, String> + Sync),
    /// The mirror of Debian; the system's own by default.
    pub mirror: Option<String>,
    /// The keys its suites are signed with; Debian's by default.
    pub keyring: Option<PathBuf>,
    /// Ends it.
    pub stop: Stop,
}

impl std::fmt::Debug for Installer<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Installer").field("mirror", &self.mirror).finish_non_exhaustive()
    }
}

/// What a package became.
#[derive(Clone, Debug)]
pub struct Installed {
    /// Its record.
    pub added: Added,
    /// Whether it had been there before, and nothing was done.
    pub was_there: bool,
    /// What was tried and works: each compiler and library by name, with its version in its own words.
    pub working: Vec<(String, String)>,
    /// What was found and does not work, and why.
    pub failing: Vec<(String, String)>,
}

impl Installer<'_> {
    /// Installs one package of those that were named with the source.
    pub fn add(&self, source: &Source, package: &str) -> Result<Installed, InstallError> {
        let all = folder()?;
        let place = place::Place::claim(&all, &source.folder_of(package))?;
        if let Some(added) = place.is_done() {
            return Ok(Installed {
                added,
                was_there: true,
                working: Vec::new(),
                failing: Vec::new(),
            });
        }
        let fetched = match source {
            Source::Debian { suite } => debian::fetch(self, &all, suite, package, &place)?,
            Source::Pypi => pypi::fetch(self, package, &place)?,
            Source::Own { folder } => tree::link(folder, &place)?,
        };
        place.finish(self, source, fetched)
    }

    fn tell(&self, progress: Progress) {
        (self.progress)(progress);
    }
}

/// Removes a folder of compilers with all that is in it.
pub fn remove(id: &str) -> Result<u64, InstallError> {
    let all = folder()?;
    let there = added::all();
    let Some(added) = there.iter().find(|added| added.id == id) else {
        let ids: Vec<&str> = there.iter().map(|added| added.id.as_str()).collect();
        return Err(InstallError::Asked(match ids.is_empty() {
            true => format!("there is no {id}: nothing was added"),
            false => format!("there is no {id}; added were {}", ids.join(", ")),
        }));
    };
    place::remove(&all, id)?;
    Ok(added.bytes)
}

/// Removes what interrupted installations have left, and what was fetched for them.
pub fn clean() -> Result<(), InstallError> {
    place::clean(&folder()?)
}

fn folder() -> Result<PathBuf, InstallError> {
    added::folder().ok_or_else(|| {
        InstallError::Asked(
            "there is no home folder: set GAINSAY_DATA to a folder for compilers".into(),
        )
    })
}
