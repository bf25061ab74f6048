//! Compilers and libraries that were added, each in a folder of its own below the user's data folder.
//!
//! What is written here is what a folder's [`RECORD`] says. The record is written last, and a folder without one is
//! not there: nothing half-installed is ever used. Bringing and removing them is for the crate `install`.

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::{Deserialize, Serialize};

/// Names the folder of all our data, in place of the usual one.
const DATA: &str = "GAINSAY_DATA";

/// The file that says what a folder has.
pub const RECORD: &str = "installed.json";

/// A folder of compilers that were added together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// The name of its folder, by which it is removed: `debian-sid-gcc-16`.
    #[serde(skip)]
    pub id: String,
    /// Where it came from, as one types it: `debian:sid`.
    pub source: String,
    /// What was asked for, with the versions that came.
    pub packages: Vec<AddedPackage>,
    /// Compilers.
    pub compilers: Vec<AddedCompiler>,
    /// Files of libLLVM, relative to its folder.
    pub libraries: Vec<PathBuf>,
    /// What it takes on the disk.
    pub bytes: u64,
}

/// A package that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedPackage {
    /// Its name.
    pub name: String,
    /// The packager's version.
    pub version: String,
}

/// A compiler. Paths are relative to its folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedCompiler {
    /// Its name: `gcc-16`, `zig-0.17.0`.
    pub name: String,
    /// What is run for C.
    pub c: PathBuf,
    /// What is run for C++, if there is one.
    pub cxx: Option<PathBuf>,
    /// Fixed arguments; `{folder}` in one is the folder.
    pub arguments: Vec<String>,
    /// More of them for C++.
    pub cxx_arguments: Vec<String>,
}

/// The folder of all that was added; `None` without a home.
pub fn folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = set(DATA)
        .or_else(|| Some(set("XDG_DATA_HOME")?.join("gainsay")))
        .or_else(|| Some(env::home_dir()?.join(".local/share/gainsay")))?;
    Some(std::path::absolute(data).ok()?.join("compilers"))
}

/// All that was added, by name of folder.
pub fn all() -> Vec<Added> {
    let Some(folder) = folder() else { return Vec::new() };
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut ids: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    ids.sort();
    ids.iter().filter_map(|id| Added::read(&folder.join(id))).collect()
}

impl Added {
    /// Reads the record of a folder; `None` if it has none that can be read.
    pub fn read(folder: &Path) -> Option<Added> {
        let text = fs::read_to_string(folder.join(RECORD)).ok()?;
        let read: Added = serde_json::from_str(&text).ok()?;
        Some(Added { id: folder.file_name()?.to_str()?.into(), ..read })
    }

    /// Its folder.
    pub fn folder(&self) -> PathBuf {
        folder().unwrap_or_default().join(&self.id)
    }

    /// Its libraries by their files.
    pub fn libraries(&self) -> Vec<PathBuf> {
        let folder = self.folder();
        self.libraries.iter().map(|path| folder.join(path)).collect()
    }
}

impl AddedCompiler {
    /// The commands for C and, where there is one, for C++.
    pub fn commands(&self, folder: &Path) -> (Vec<String>, Option<Vec<String>>) {
        let at = |path: &Path| folder.join(path).to_string_lossy().into_owned();
        let place = folder.to_string_lossy();
        let fixed = |words: &[String]| -> Vec<String> {
            words.iter().map(|word| word.replace("{folder}", &place)).collect()
        };
        let c = [vec![at(&self.c)], fixed(&self.arguments)].concat();
        let cxx = self.cxx.as_ref().map(|path| {
            [vec![at(path)], fixed(&self.arguments), fixed(&self.cxx_arguments)].concat()
        });
        (c, cxx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let scratch = sandbox::Scratch::new().expect("a folder");
        let zig = AddedCompiler {
            name: "zig-1".into(),
            c: "tree/zig".into(),
            cxx: Some("tree/zig".into()),
            arguments: vec!["clang".into(), "-resource-dir".into(), "{folder}/tree/lib".into()],
            cxx_arguments: vec!["--driver-mode=g++".into()],
        };
        let added = Added {
            id: scratch.path().file_name().and_then(|name| name.to_str()).expect("a name").into(),
            source: "pypi:ziglang".into(),
            packages: vec![AddedPackage { name: "ziglang".into(), version: "1".into() }],
            compilers: vec![zig.clone()],
            libraries: vec!["tree/lib/libLLVM.so".into()],
            bytes: 12,
        };
        assert_eq!(Added::read(scratch.path()), None, "without a record it is not there");
        let text = serde_json::to_string(&added).expect("JSON");
        fs::write(scratch.file(RECORD), text).expect("written");
        assert_eq!(Added::read(scratch.path()), Some(added));
        fs::write(scratch.file(RECORD), "{\"source\":").expect("written");
        assert_eq!(Added::read(scratch.path()), None, "half a record is none");
        let (c, cxx) = zig.commands(Path::new("/d"));
        assert_eq!(c, ["/d/tree/zig", "clang", "-resource-dir", "/d/tree/lib"]);
        assert_eq!(cxx.map(|words| words.len()), Some(5));
    }
}
