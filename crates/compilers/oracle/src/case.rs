//! A program and, where it has one, its expected result.

use std::collections::BTreeSet;
use std::path::PathBuf;

use toolchain::Language;

/// A program and what it must do.
///
/// One without an expected result (undefined or unspecified) is compiled and never run: a compiler must not crash,
/// hang or exhaust memory on it, and nothing else is claimed.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its language.
    pub language: Language,
    /// All its files, headers included.
    pub files: Vec<SourceFile>,
    /// The standard it is written for (`c++20`), if not the usual one of its language.
    pub standard: Option<String>,
    /// A unit that only sets up and prints (`driver.c`). It is compiled once for each compiler,
    /// without optimisation: the loops of a driver cost an optimiser more than the tests do.
    pub harness: Option<String>,
    /// Folders of installed headers that are not copied (`/usr/include/csmith`).
    pub include: Vec<PathBuf>,
    /// Expected output and exit status; `None` for a program without a single defined result.
    pub expected: Option<Expected>,
    /// Options of ours that its compilations go without, because they were seen not to matter to it.
    pub omitted: BTreeSet<AddedOption>,
}

/// An option that every compilation has unless it is known not to matter to the program.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum AddedOption {
    /// `-w`: warnings of generated programs fill the messages, and some compilers make errors of them.
    NoWarnings,
    /// `-lm`: the library that has C's `<math.h>`.
    Mathematics,
}

impl AddedOption {
    /// All of them.
    pub const ALL: [AddedOption; 2] = [AddedOption::NoWarnings, AddedOption::Mathematics];

    /// As it is typed.
    pub fn flag(self) -> &'static str {
        match self {
            AddedOption::NoWarnings => "-w",
            AddedOption::Mathematics => "-lm",
        }
    }
}

impl Case {
    /// The expected output; empty without an expected result.
    pub fn stdout(&self) -> &[u8] {
        self.expected.as_ref().map_or(&[], |expected| &expected.stdout)
    }

    /// Names of the files that a compiler is given.
    pub fn units(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|file| file.is_unit()).map(|file| file.name.as_str())
    }
}

/// A file of a program.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SourceFile {
    /// Its name, without a folder.
    pub name: String,
    /// Its contents; bytes, because not every file is UTF-8.
    pub bytes: Vec<u8>,
}

impl SourceFile {
    /// Whether a compiler is given this file by name; a header is not.
    pub fn is_unit(&self) -> bool {
        !self.name.ends_with(".h")
    }
}

/// The only correct result.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Expected {
    /// Standard output. Lines that begin with `float ` are compared within a tolerance.
    pub stdout: Vec<u8>,
    /// Exit status; 134 for `abort`.
    pub status: u8,
}
