//! The folder of one package: claimed, filled under another name, and renamed when all of it works.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use sandbox::MARK;
use toolchain::Language;
use toolchain::added::{Added, AddedPackage, RECORD};

use crate::client::system;
use crate::tree::{self, Fetched};
use crate::{InstallError, Installed, Installer, Progress, Source};

/// What a folder is called until it is done; the dot keeps it out of every list.
const PARTIAL: &str = ".partial-";

/// What fetched packages and lists are kept in until they are installed.
const CACHE: &str = ".cache";

/// The folder of a package, ours alone as long as this lives.
#[derive(Debug)]
pub(crate) struct Place {
    /// Its name when it is done.
    id: String,
    all: PathBuf,
    /// Where it is made.
    pub(crate) partial: PathBuf,
    _lock: Flock<File>,
}

impl Place {
    /// Claims the folder of a package.
    pub(crate) fn claim(all: &Path, id: &str) -> Result<Place, InstallError> {
        fs::create_dir_all(all).map_err(|error| system(&error, all))?;
        let lock = lock(all, id)?;
        let partial = all.join(format!("{PARTIAL}{id}"));
        Ok(Place { id: id.into(), all: all.into(), partial, _lock: lock })
    }

    /// Its record, if it is installed.
    pub(crate) fn is_done(&self) -> Option<Added> {
        Added::read(&self.all.join(&self.id))
    }

    /// Begins anew: whatever an earlier attempt left is removed.
    pub(crate) fn begin(&self) -> Result<(), InstallError> {
        let failed = |error: io::Error| system(&error, &self.partial);
        remove_folder(&self.partial).map_err(failed)?;
        for folder in ["bin", "host"] {
            fs::create_dir_all(self.partial.join(folder)).map_err(failed)?;
        }
        fs::write(self.partial.join(MARK), "").map_err(failed)
    }

    /// Where packages of a source are fetched to, whichever package is being installed.
    pub(crate) fn cache(all: &Path, source: &str) -> PathBuf {
        all.join(CACHE).join(source)
    }

    /// Tries what is there, writes the record, and lets the folder appear.
    pub(crate) fn finish(
        &self,
        installer: &Installer<'_>,
        source: &Source,
        fetched: Fetched,
    ) -> Result<Installed, InstallError> {
        let result = self.settle(installer, source, fetched);
        if result.is_err() {
            // What does not work is not kept; what was fetched is, elsewhere.
            let _ = remove_folder(&self.partial);
        }
        result
    }

    fn settle(
        &self,
        installer: &Installer<'_>,
        source: &Source,
        fetched: Fetched,
    ) -> Result<Installed, InstallError> {
        let mut found = tree::look(&self.partial)?;
        found.compilers.extend(fetched.compiler);
        let (mut working, mut failing) = (Vec::new(), Vec::new());
        found.compilers.retain(|compiler| {
            installer.tell(Progress::Trying(compiler.name.clone()));
            let commands = compiler.commands(&self.partial);
            let tried = toolchain::try_compiler(&compiler.name, commands, Language::C);
            let works = tried.is_ok();
            match tried {
                Ok(it) => working.push((compiler.name.clone(), it.version)),
                Err(why) => failing.push((compiler.name.clone(), why)),
            }
            works
        });
        found.libraries.retain(|library| {
            let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
            installer.tell(Progress::Trying(name.clone()));
            let tried = (installer.try_library)(&self.partial.join(library));
            let works = tried.is_ok();
            match tried {
                Ok(version) => working.push((name, version)),
                Err(why) => failing.push((name, why)),
            }
            works
        });
        if installer.stop.is_set() {
            return Err(InstallError::Stopped);
        }
        let AddedPackage { name, version } = fetched.package;
        if found.compilers.is_empty() && found.libraries.is_empty() {
            return Err(InstallError::Useless(match failing.first() {
                None => format!("{name} has no C compiler and no libLLVM"),
                Some((what, why)) => format!("{what} of {name} does not work here: {why}"),
            }));
        }
        let bytes = tree::size(&self.partial);
        let added = Added {
            id: self.id.clone(),
            source: source.typed(&name),
            packages: vec![AddedPackage { name, version }],
            compilers: found.compilers,
            libraries: found.libraries,
            bytes,
        };
        let done = self.all.join(&self.id);
        let text = serde_json::to_string_pretty(&added)
            .map_err(|error| InstallError::System(error.to_string()))?;
        let record = self.partial.join(RECORD);
        sandbox::replace_file(&record, text.as_bytes()).map_err(|error| system(&error, &record))?;
        remove_folder(&done).map_err(|error| system(&error, &done))?;
        fs::rename(&self.partial, &done).map_err(|error| system(&error, &done))?;
        Ok(Installed { added, was_there: false, working, failing })
    }
}

/// Removes a folder that is installed. It disappears at once, whatever happens then.
pub(crate) fn remove(all: &Path, id: &str) -> Result<(), InstallError> {
    let lock = lock(all, id)?;
    let partial = all.join(format!("{PARTIAL}{id}"));
    let failed = |error: io::Error| system(&error, &partial);
    remove_folder(&partial).map_err(failed)?;
    fs::rename(all.join(id), &partial).map_err(failed)?;
    remove_folder(&partial).map_err(failed)?;
    let _ = fs::remove_file(lock_file(all, id));
    drop(lock);
    leave_nothing(all);
    Ok(())
}

/// Removes what interrupted installations have left, and what is kept of fetched packages.
pub(crate) fn clean(all: &Path) -> Result<(), InstallError> {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(id) = name.strip_prefix(PARTIAL) else { continue };
        let lock = lock(all, id)?;
        remove_folder(&entry.path()).map_err(|error| system(&error, &entry.path()))?;
        let _ = fs::remove_file(lock_file(all, id));
        drop(lock);
    }
    let cache = all.join(CACHE);
    remove_folder(&cache).map_err(|error| system(&error, &cache))?;
    leave_nothing(all);
    Ok(())
}

/// Removes our folders if nothing is in them.
fn leave_nothing(all: &Path) {
    let has_compilers = fs::read_dir(all).into_iter().flatten().flatten().any(|entry| {
        let name = entry.file_name();
        !name.to_string_lossy().starts_with('.')
    });
    if !has_compilers {
        let _ = remove_folder(&all.join(CACHE));
        // Only where they are empty.
        let _ = fs::remove_dir(all);
        let _ = all.parent().map(fs::remove_dir);
    }
}

fn lock_file(all: &Path, id: &str) -> PathBuf {
    all.join(format!(".lock-{id}"))
}

fn lock(all: &Path, id: &str) -> Result<Flock<File>, InstallError> {
    let path = lock_file(all, id);
    let file = File::create(&path).map_err(|error| system(&error, &path))?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|_| InstallError::Busy(id.into()))
}

/// Removes a folder, be there one or not. Packages may have folders that cannot be written to.
fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            tree::make_writable(folder);
            fs::remove_dir_all(folder)
        }
        result => result,
    }
}
