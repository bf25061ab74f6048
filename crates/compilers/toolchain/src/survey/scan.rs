//! Which compilers there seem to be: by file name, without starting them (but for Zig).

use std::env::consts::ARCH;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::Run;

use crate::added::{self, Added, AddedCompiler};
use crate::catalog::is_number;
use crate::config::Configured;
use crate::find::{executable, folders, on_path};
use crate::processor;
use crate::runner::Runner;
use crate::target::Family;

/// Python needs a moment to find a module.
const PYTHON_PATIENCE: Duration = Duration::from_secs(10);

/// Programs that pass for a compiler by the name they are called: not the compiler itself.
const WRAPPERS: &[&str] = &["ccache", "distcc", "icecc", "sccache"];

/// What a compiler's file is called, in the order in which they are shown.
const STEMS: &[&str] = &["gcc", "clang", "tcc", "pcc"];

/// A compiler that has not been asked anything yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidate {
    /// Its name in a hunt.
    pub(super) name: String,
    /// Other names of the same executable.
    pub(super) aliases: Vec<String>,
    /// The command for C.
    pub(super) c: Vec<OsString>,
    /// The command for C++.
    pub(super) cxx: Option<Vec<OsString>>,
    /// Whether its name says that it compiles for another processor.
    pub(super) is_cross: bool,
    /// Whether a person named it: then it stays in a hunt though it breaks down on our probes.
    pub(super) is_named: bool,
    /// What the configuration says; for compilers that were found, nothing.
    pub(super) family: Option<Family>,
    pub(super) runner: Option<Runner>,
    pub(super) runners: Vec<(String, Vec<OsString>)>,
    pub(super) cpu: Vec<String>,
    pub(super) random_march: usize,
    pub(super) levels: Option<Vec<String>>,
    pub(super) extras: Option<Vec<String>>,
}

impl Candidate {
    /// The compiler in this file, under this name, with the C++ compiler beside it.
    pub(super) fn of_file(name: &str, path: PathBuf) -> Candidate {
        let cxx = beside(&path).map(|path| vec![path.into_os_string()]);
        Candidate { name: name.into(), cxx, c: vec![path.into_os_string()], ..Candidate::default() }
    }

    /// As its record has it.
    fn added(from: &Added, compiler: &AddedCompiler) -> Candidate {
        let (c, cxx) = compiler.commands(&from.folder());
        let words = |words: Vec<String>| words.into_iter().map(OsString::from).collect();
        let parts = parse_compiler_name(&compiler.name);
        Candidate {
            name: compiler.name.clone(),
            c: words(c),
            cxx: cxx.map(words),
            is_cross: parts.and_then(|it| it.triple).is_some_and(|it| !processor::is_native(it)),
            ..Candidate::default()
        }
    }

    /// As the configuration has it.
    pub(super) fn configured(from: &Configured) -> Candidate {
        let mut made = Candidate::of_file(&from.name, from.path.clone());
        if let Some(cxx) = &from.cxx {
            made.cxx = Some(vec![cxx.into()]);
        }
        made.is_named = true;
        made.family = from.family;
        made.runner = from.runner.clone();
        made.runners = from.runners.clone();
        made.cpu = from.cpu.clone();
        made.random_march = from.random_march;
        made.levels = from.levels.clone();
        made.extras = from.extras.clone();
        made.with_flags(&from.flags)
    }

    /// The name of a configured compiler that the `PATH` does not have.
    pub(super) fn absent(&self) -> Option<&str> {
        let word = self.c.first()?.to_str()?;
        (!word.contains('/') && on_path(word).is_none()).then_some(word)
    }

    /// The same with more fixed arguments.
    pub(super) fn with_flags(mut self, flags: &[String]) -> Candidate {
        let flags = || flags.iter().map(OsString::from);
        self.c.extend(flags());
        if let Some(cxx) = &mut self.cxx {
            cxx.extend(flags());
        }
        self
    }

    /// Whether it is this executable, without fixed arguments, by whatever name.
    pub(super) fn is_file(&self, path: &Path) -> bool {
        match &self.c[..] {
            [own] => file_id(Path::new(own)).is_some_and(|id| Some(id) == file_id(path)),
            _ => false,
        }
    }

    fn has_name(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }
}

/// What tells a file, whether its names are symbolic links or hard ones.
fn file_id(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// `g++-12` beside `gcc-12`, `clang++` beside `clang`.
fn beside(path: &Path) -> Option<PathBuf> {
    let file = path.file_name()?.to_str()?;
    let (from, to) = [("gcc", "g++"), ("clang", "clang++")]
        .into_iter()
        .find(|(from, _)| file.contains(from) && !file.contains("clang++"))?;
    let at = file.rfind(from)?;
    let name = format!("{}{to}{}", &file[..at], &file[at + from.len()..]);
    let path = path.with_file_name(name);
    executable(&path).then_some(path)
}

/// The parts of a compiler's file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CompilerName<'a> {
    triple: Option<&'a str>,
    stem: usize,
    version: Option<&'a str>,
}

/// Takes `aarch64-linux-gnu-gcc-12` apart; `None` for what is no compiler's name.
fn parse_compiler_name(file: &str) -> Option<CompilerName<'_>> {
    let (rest, version) = match file.rsplit_once('-') {
        Some((rest, version)) if is_number(version) => (rest, Some(version)),
        _ => (file, None),
    };
    let (triple, stem) = match rest.rsplit_once('-') {
        Some((triple, stem)) => (Some(triple), stem),
        None => (None, rest),
    };
    let stem = STEMS.iter().position(|&known| known == stem)?;
    // `c99-gcc` and `musl-gcc` are scripts around a compiler that is found anyway.
    (triple.is_none_or(|t| t.contains('-'))).then_some(CompilerName { triple, stem, version })
}

impl CompilerName<'_> {
    /// Of several names of one executable the least is shown: versioned, and without a triple.
    fn preference(self) -> (bool, bool) {
        (self.triple.is_some(), self.version.is_none())
    }

    /// Where it is shown: our processor first, then by maker, then by version.
    fn place(self) -> (bool, String, usize, Vec<u32>) {
        let is_cross = self.triple.is_some_and(|t| !processor::is_native(t));
        let triple = self.triple.filter(|_| is_cross).unwrap_or("").to_string();
        let numbers = self.version.unwrap_or("").split('.');
        (is_cross, triple, self.stem, numbers.filter_map(|n| n.parse().ok()).collect())
    }
}

/// A compiler's executables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundCompiler {
    /// Its name, by its file.
    pub name: String,
    /// For C.
    pub c: PathBuf,
    /// For C++, if it is there.
    pub cxx: Option<PathBuf>,
}

/// Compilers in folders, each executable once.
pub fn compilers_in(folders: &[PathBuf]) -> Vec<FoundCompiler> {
    let path = |words: &[OsString]| words.first().map(PathBuf::from);
    let found = scan_folders(folders).into_iter().filter_map(|candidate| {
        let Candidate { name, c, cxx, .. } = candidate;
        Some(FoundCompiler { name, c: path(&c)?, cxx: cxx.and_then(|words| path(&words)) })
    });
    found.collect()
}

/// Compilers on the `PATH`, each executable once, and those that were added.
pub(super) fn scan() -> Vec<Candidate> {
    let mut found = scan_folders(&folders());
    let first_cross = found.iter().position(|c| c.is_cross).unwrap_or(found.len());
    if let Some(zig) = zig() {
        found.insert(first_cross, zig);
    }
    for added in added::all() {
        for compiler in &added.compilers {
            let candidate = Candidate::added(&added, compiler);
            // Both are tested: the one that was added goes by the name of its folder, too.
            let is_taken = found.iter().any(|other| other.has_name(&candidate.name));
            let name =
                if is_taken { format!("{}@{}", candidate.name, added.id) } else { candidate.name };
            found.push(Candidate { name, ..candidate });
        }
    }
    found
}

fn scan_folders(folders: &[PathBuf]) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for folder in folders {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let mut files: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|file| parse_compiler_name(file).is_some())
            .collect();
        files.sort();
        for file in files {
            add(&mut found, &file, folder.join(&file));
        }
    }
    found.sort_by_cached_key(|c| {
        (parse_compiler_name(&c.name).map(CompilerName::place), c.name.clone())
    });
    found
}

fn add(found: &mut Vec<Candidate>, file: &str, path: PathBuf) {
    let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
    let wrapper = real.file_name().is_some_and(|name| WRAPPERS.iter().any(|w| name == *w));
    let Some(name) = parse_compiler_name(file).filter(|_| executable(&path) && !wrapper) else {
        return;
    };
    // A file that another one of its name hides is not meant by that name.
    if found.iter().any(|c| c.has_name(file)) {
        return;
    }
    let mut new = Candidate::of_file(file, path.clone());
    new.is_cross = name.triple.is_some_and(|triple| !processor::is_native(triple));
    let Some(same) = found.iter_mut().find(|c| c.is_file(&path)) else {
        return found.push(new);
    };
    let is_better =
        parse_compiler_name(&same.name).is_some_and(|old| name.preference() < old.preference());
    if is_better {
        new.aliases = std::mem::take(&mut same.aliases);
        new.aliases.push(std::mem::take(&mut same.name));
        *same = new;
    } else {
        same.aliases.push(file.to_string());
    }
}

/// The Clang inside Zig's Python package. `zig cc` itself would cache every program it compiles
/// under the home folder, and add traps and `-march=native` unasked; `zig clang` is the plain
/// compiler, with the system's library and linker.
fn zig() -> Option<Candidate> {
    let script = "import os, ziglang; print(os.path.dirname(ziglang.__file__))";
    let python = on_path("python3")?;
    let asked = Run::new(python, PYTHON_PATIENCE).args(["-c", script]).finish().success()?;
    let folder = PathBuf::from(asked.stdout.text().trim());
    let program = folder.join("zig");
    let asked = Run::new(&program, PYTHON_PATIENCE).arg("version").finish().success()?;
    let mut command = vec![program.into_os_string(), "clang".into()];
    command.push(format!("--target={ARCH}-linux-gnu").into());
    command.extend(["-resource-dir".into(), folder.join("lib").into_os_string()]);
    let mut cxx = command.clone();
    cxx.push("--driver-mode=g++".into());
    let name = format!("zig-{}", asked.stdout.text().trim());
    Some(Candidate { name, c: command, cxx: Some(cxx), ..Candidate::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let parts = |file| parse_compiler_name(file).map(|n| (n.triple, STEMS[n.stem], n.version));
        let cases = [
            ("gcc", Some((None, "gcc", None))),
            ("gcc-12", Some((None, "gcc", Some("12")))),
            ("gcc-4.9", Some((None, "gcc", Some("4.9")))),
            ("tcc", Some((None, "tcc", None))),
            ("aarch64-linux-gnu-gcc-12", Some((Some("aarch64-linux-gnu"), "gcc", Some("12")))),
            ("arm-none-eabi-gcc", Some((Some("arm-none-eabi"), "gcc", None))),
            ("gcc-ar-12", None),
            ("c99-gcc", None),
            ("clang++-16", None),
            ("clang-format-15", None),
            ("g++", None),
        ];
        for (file, want) in cases {
            assert_eq!(parts(file), want, "{file}");
        }
    }

    #[test]
    fn versions_are_ordered_as_numbers() {
        let place = |file| parse_compiler_name(file).map(CompilerName::place);
        assert!(place("gcc-9") < place("gcc-12"));
        assert!(place("gcc-12") < place("clang-3.9"));
        assert!(place("tcc") < place("sparc64-linux-gnu-gcc-4"));
    }
}
