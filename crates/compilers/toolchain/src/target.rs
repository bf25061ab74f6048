//! What is tested: a compiler with flags, and how its programs are run.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use ctree::Abi;
use sandbox::Root;

use crate::matrix::FlagTable;
use crate::runner::Runner;

/// The language of a program.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// C11 with GNU extensions.
    C,
    /// C++11 or later.
    #[serde(rename = "c++")]
    Cxx,
}

impl Language {
    /// The language of a file, by the end of its name, as drivers tell it.
    pub fn of(file: &Path) -> Language {
        let end = file.extension().and_then(OsStr::to_str).unwrap_or_default();
        match end {
            "cpp" | "cc" | "cxx" | "c++" | "C" | "cp" | "CPP" => Language::Cxx,
            _ => Language::C,
        }
    }
}

/// Who made a compiler. Versions of one family are likely to share their bugs, and agreement within
/// one family proves little.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// GCC, cross compilers included.
    Gcc,
    /// Clang, `zig cc` included.
    Clang,
    /// The Tiny C Compiler.
    Tcc,
    /// The Portable C Compiler.
    Pcc,
    /// Anything else that takes the usual options.
    Other,
}

/// A compiler that works: its probe program printed what a data model of the machine says.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Who made it.
    pub family: Family,
    /// A name that is unique in a hunt: `gcc-12`, `zig-0.13.0`, `aarch64-linux-gnu-gcc-12`.
    pub name: String,
    /// Its version number.
    pub version: String,
    /// The machine it compiles for, as it says itself (`-dumpmachine`).
    pub triple: String,
    /// The internal checks that it says it was built with: `checking=yes,extra,rtl`, `+assertions`.
    pub checks: Option<String>,
    /// The command for C: program and fixed arguments.
    pub c: Vec<OsString>,
    /// The command for C++, where there is one.
    pub cxx: Option<Vec<OsString>>,
    /// What runs its programs.
    pub runner: Runner,
    /// The data model of its programs; `None` where nothing is known but that it compiles: such a compiler's
    /// programs are never run, and it may refuse any.
    pub abi: Option<Abi>,
    /// Optimisation levels it is tested at; its own from the configuration, or those of its family.
    pub levels: Vec<String>,
    /// Flag sets of which a few are drawn for each test (`-O3 -march=native`).
    pub extras: Vec<String>,
    /// Flags by family of which a test's targets are drawn; empty where a user named levels or flag sets, and
    /// every test is for all of the levels.
    pub drawn: FlagTable,
    /// Keywords of extensions that it lacks: a program that uses one may be refused.
    pub lacks: Vec<&'static str>,
    /// The tree of another system in which it and its programs run.
    pub root: Option<Root>,
}

/// A compiler with flags: one column of the comparison.
#[derive(Clone, Debug)]
pub struct Target {
    /// The compiler.
    pub compiler: Arc<Compiler>,
    /// Its flags, level first.
    pub flags: Vec<String>,
}

impl Target {
    /// `gcc-12 -O2`: unique in a hunt, stable from run to run.
    pub fn label(&self) -> String {
        format!("{} {}", self.compiler.name, self.flags.join(" "))
    }

    /// What stands before its programs to run them: an emulator, with the processor that the flags ask for.
    pub fn run_words(&self) -> Vec<OsString> {
        let fixed = self.compiler.c.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
        let flags = self.flags.iter().flat_map(|flag| flag.split_whitespace()).map(String::from);
        self.compiler.runner.words(&fixed.chain(flags).collect::<Vec<_>>())
    }

    /// The command that compiles this language, without flags; `None` where it has none.
    pub fn command(&self, language: Language) -> Option<&[OsString]> {
        match language {
            Language::C => Some(&self.compiler.c),
            Language::Cxx => self.compiler.cxx.as_deref(),
        }
    }
}
