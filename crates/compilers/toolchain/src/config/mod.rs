//! `gainsay.toml`: compilers that are not on the `PATH`, levels, flag sets and limits.
//!
//! `text` reads values and words every mistake as one sentence with file and line; here is what
//! the keys mean. Words given on a command line are stronger than this file; that is the caller's.

mod text;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::find::{executable, on_path};
use crate::runner::Runner;
use crate::target::Family;

pub use text::ConfigError;
use text::Section;

/// What a configuration says. The default is an empty file's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Levels of every compiler, in place of those of its family.
    pub levels: Option<Vec<String>>,
    /// Flag sets of every compiler, in place of those of its family.
    pub extras: Option<Vec<String>>,
    /// How many flag sets are drawn for each compiler and test, besides its levels.
    pub extras_per_test: Option<usize>,
    /// How many targets are drawn for each test where neither levels nor flag sets are named.
    pub targets_per_test: usize,
    /// Compilers, besides those on the `PATH`.
    pub compilers: Vec<Configured>,
    /// Without those on the `PATH`.
    pub only: bool,
    /// What random instruction sets are drawn with.
    pub march_seed: u64,
    /// What compilers and programs may use up.
    pub limits: Limits,
}

/// Limits of each process of a test; what is not set is the caller's to say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Seconds for a compiler.
    pub compile_seconds: Option<u64>,
    /// Seconds for a compiled program.
    pub run_seconds: Option<u64>,
    /// Memory of either.
    pub memory_mb: Option<u64>,
}

/// A `[[compiler]]` table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configured {
    /// Its name, unique in the file.
    pub name: String,
    /// The executable for C. A name that the `PATH` does not have is kept as it is.
    pub path: PathBuf,
    /// The executable for C++; `None` is the one beside it, if there is one.
    pub cxx: Option<PathBuf>,
    /// Who made it; `None` is what it says itself.
    pub family: Option<Family>,
    /// Fixed arguments.
    pub flags: Vec<String>,
    /// What runs its programs; `None` is an emulator if its processor is another.
    pub runner: Option<Runner>,
    /// What runs programs of targets whose flags have these words.
    pub runners: Vec<(String, Vec<OsString>)>,
    /// Properties of the emulator's processor, besides those that flags ask for.
    pub cpu: Vec<String>,
    /// How many random instruction sets join its extras.
    pub random_march: usize,
    /// Its own levels.
    pub levels: Option<Vec<String>>,
    /// Its own flag sets.
    pub extras: Option<Vec<String>>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            levels: None,
            extras: None,
            extras_per_test: None,
            targets_per_test: TARGETS_PER_TEST,
            compilers: Vec::new(),
            only: false,
            march_seed: 0,
            limits: Limits::default(),
        }
    }
}

/// Half the price of a level each, and every test draws anew.
const EXTRAS_PER_TEST: usize = 1;

/// One more target costs nearly as much as one more program, and says less (docs/experiments/targets.md).
const TARGETS_PER_TEST: usize = 1;

const KEYS: &[&str] = &[
    "levels",
    "extras",
    "extras_per_test",
    "targets_per_test",
    "only",
    "march_seed",
    "compiler",
    "limits",
];
const LIMIT_KEYS: &[&str] = &["compile_seconds", "run_seconds", "memory_mb"];
const COMPILER_KEYS: &[&str] = &[
    "name",
    "path",
    "cxx",
    "family",
    "flags",
    "runner",
    "runners",
    "cpu",
    "levels",
    "extras",
    "random_march",
];

/// What `runner` says of a compiler whose programs are not run.
const NO_RUNNER: &str = "none";
const FAMILIES: &[(&str, Family)] = &[
    ("gcc", Family::Gcc),
    ("clang", Family::Clang),
    ("tcc", Family::Tcc),
    ("pcc", Family::Pcc),
    ("other", Family::Other),
];

impl Config {
    /// For those who want to know what there is, and draw no flags: trying every flag takes seconds.
    pub fn without_flags(self) -> Config {
        Config { extras_per_test: Some(0), ..self }
    }

    /// Reads a file. Paths in it are relative to the file's folder.
    pub fn read(file: &Path) -> Result<Config, ConfigError> {
        let text = fs::read_to_string(file).map_err(|error| ConfigError {
            file: file.to_path_buf(),
            line: None,
            message: format!("cannot be read: {error}"),
        })?;
        Config::parse(&text, file)
    }

    /// How many flag sets are drawn where levels or flag sets are named.
    pub fn extras_per_test(&self) -> usize {
        self.extras_per_test.unwrap_or(EXTRAS_PER_TEST)
    }

    /// Whether tests draw their targets by family of flags: neither levels nor flag sets are named for all
    /// compilers.
    pub fn draws_by_family(&self) -> bool {
        self.levels.is_none() && self.extras.is_none() && self.extras_per_test.is_none()
    }

    /// Reads the text of `file`. Looks whether the executables that it names exist.
    pub fn parse(text: &str, file: &Path) -> Result<Config, ConfigError> {
        let table = text::parse(text, file)?;
        let top = Section::new(file, text, table.get_ref(), table.span(), KEYS)?;
        let mut config = Config {
            levels: top.strings("levels")?,
            extras: top.strings("extras")?,
            ..Config::default()
        };
        if let Some(number) = top.number("extras_per_test", 0, 100)? {
            config.extras_per_test = Some(number as usize);
        }
        if let Some(number) = top.number("targets_per_test", 1, 100)? {
            config.targets_per_test = number as usize;
        }
        config.only = top.flag("only")?.unwrap_or_default();
        config.march_seed = top.number("march_seed", 0, u64::MAX)?.unwrap_or_default();
        if let Some(limits) = top.section("limits", LIMIT_KEYS)? {
            config.limits = Limits {
                compile_seconds: limits.number("compile_seconds", 1, 86_400)?,
                run_seconds: limits.number("run_seconds", 1, 86_400)?,
                memory_mb: limits.number("memory_mb", 1, 1 << 20)?,
            };
        }
        for section in top.sections("compiler", COMPILER_KEYS)? {
            let compiler = configured(&section)?;
            if config.compilers.iter().any(|c| c.name == compiler.name) {
                let name = &compiler.name;
                return section.wrong("name", format!("is used twice: `{name}`"));
            }
            config.compilers.push(compiler);
        }
        if config.only && config.compilers.is_empty() {
            return top.wrong("only", "leaves no compiler: the file has no [[compiler]]");
        }
        Ok(config)
    }
}

fn configured(section: &Section) -> Result<Configured, ConfigError> {
    let name = section.required("name")?;
    if name.trim().is_empty() || name.contains(char::is_whitespace) {
        return section.wrong("name", "must be a word without blanks");
    }
    let family = match section.string("family")? {
        None => None,
        Some(word) => match FAMILIES.iter().find(|(name, _)| *name == word) {
            Some((_, family)) => Some(*family),
            None => return section.wrong("family", "must be gcc, clang, tcc, pcc or other"),
        },
    };
    let program = |key: &str, word: &str| match resolve(section, word) {
        Some(path) => Ok(path),
        None => section.wrong(key, format!("is not an executable: {word}")),
    };
    let word = section.required("path")?;
    let path = match resolve(section, &word) {
        Some(path) => path,
        // The file may be meant for machines that have more.
        None if !word.contains('/') => PathBuf::from(&word),
        None => return section.wrong("path", format!("is not an executable: {word}")),
    };
    let cxx = section.string("cxx")?.map(|word| program("cxx", &word)).transpose()?;
    let command = |key: &str, words: &[String]| match words {
        [] => Ok(Vec::new()),
        [first, rest @ ..] => {
            let mut command = vec![program(key, first)?.into_os_string()];
            command.extend(rest.iter().map(OsString::from));
            Ok(command)
        }
    };
    let runner = match section.words("runner")? {
        None => None,
        Some(words) if words == [NO_RUNNER] => Some(Runner::CompileOnly),
        Some(words) => Some(Runner::of_words(command("runner", &words)?)),
    };
    let runners = section.words_by_name("runners")?.into_iter();
    let runners = runners.map(|(flags, words)| Ok((flags, command("runners", &words)?)));
    let runners = runners.collect::<Result<Vec<_>, ConfigError>>()?;
    let cpu = section.string("cpu")?.unwrap_or_default();
    let random_march = section.number("random_march", 0, 100)?.unwrap_or_default();
    Ok(Configured {
        name,
        path,
        cxx,
        family,
        flags: section.words("flags")?.unwrap_or_default(),
        runner,
        runners,
        cpu: cpu.split(',').filter(|property| !property.is_empty()).map(String::from).collect(),
        levels: section.strings("levels")?,
        extras: section.strings("extras")?,
        random_march: random_march as usize,
    })
}

/// As a shell does it, but relative to the file: a word without a slash is looked up on the `PATH`.
fn resolve(section: &Section, word: &str) -> Option<PathBuf> {
    if !word.contains('/') {
        return on_path(word);
    }
    let folder = section.file().parent().unwrap_or(Path::new("."));
    let path = std::path::absolute(folder.join(word)).ok()?;
    executable(&path).then_some(path)
}

#[cfg(test)]
mod tests;
