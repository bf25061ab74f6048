//! Generates programs with `gainsay gen` and reads what it wrote.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Ended, Run, Status};

/// Generation takes well below a second; repair by execution may go on for long when it goes wrong.
const GENERATE_WALL: Duration = Duration::from_secs(120);

/// Address space of the generator: the machine inside keeps far below.
const MEMORY: u64 = 4 << 30;

/// The file that holds the exact output.
const EXPECTED: &str = "expected";

/// Language of the generated programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Lang {
    /// C.
    C,
    /// C++.
    #[value(name = "c++")]
    Cxx,
}

impl Lang {
    /// As `gainsay gen --lang` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Lang::C => "c",
            Lang::Cxx => "c++",
        }
    }
}

/// How `gainsay gen` is called.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The binary.
    pub gainsay: PathBuf,
    /// Its engine.
    pub engine: String,
    /// Its policy, if not the default one.
    pub policy: Option<String>,
    /// Language of the programs.
    pub lang: Lang,
}

/// A generated program.
#[derive(Clone, Debug)]
pub struct GeneratedProgram {
    /// Its folder.
    pub dir: PathBuf,
    /// What it prints.
    pub expected: Vec<u8>,
    files: BTreeMap<String, Vec<u8>>,
    sources: Vec<PathBuf>,
}

impl Generator {
    /// The program of a seed, in several files.
    pub fn generate(&self, seed: u64, dir: &Path) -> Result<GeneratedProgram, String> {
        self.call(seed, dir, &[])
    }

    /// The program of a seed in one file.
    pub fn generate_single(&self, seed: u64, dir: &Path) -> Result<GeneratedProgram, String> {
        self.call(seed, dir, &["--single-file"])
    }

    fn call(&self, seed: u64, dir: &Path, options: &[&str]) -> Result<GeneratedProgram, String> {
        fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let mut run = Run::new(&self.gainsay, GENERATE_WALL)
            .args(["gen", "--engine", &self.engine, "--seed", &seed.to_string()])
            .args(["--lang", self.lang.name()])
            .args(options)
            .memory(MEMORY);
        if let Some(policy) = &self.policy {
            run = run.args(["--policy", policy]);
        }
        match run.arg("-o").arg(dir).finish() {
            Ended::Finished(done) if done.status == Status::Exit(0) => GeneratedProgram::read(dir),
            Ended::Finished(done) => {
                Err(format!("{:?}: {}", done.status, done.stderr.text().trim()))
            }
            Ended::Killed(_, _) => Err(format!("not done in {} s", GENERATE_WALL.as_secs())),
            Ended::NotStarted(error) => Err(format!("{}: {error}", self.gainsay.display())),
        }
    }
}

impl GeneratedProgram {
    /// The program in a folder.
    pub fn read(dir: &Path) -> Result<GeneratedProgram, String> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(dir).map_err(|e| e.to_string())?.flatten() {
            if entry.path().is_file() {
                let bytes = fs::read(entry.path()).map_err(|e| e.to_string())?;
                files.insert(entry.file_name().to_string_lossy().into_owned(), bytes);
            }
        }
        let expected = files.get(EXPECTED).cloned().ok_or(format!("no file `{EXPECTED}`"))?;
        let is_source = |name: &&String| name.ends_with(".c") || name.ends_with(".cpp");
        let sources: Vec<_> = files.keys().filter(is_source).map(|name| dir.join(name)).collect();
        if sources.is_empty() {
            return Err("no source file".into());
        }
        Ok(GeneratedProgram { dir: dir.into(), expected, files, sources })
    }

    /// What a compiler gets, without headers.
    pub fn sources(&self) -> &[PathBuf] {
        &self.sources
    }

    /// A file that is not in both with the same bytes.
    pub fn first_different(&self, other: &GeneratedProgram) -> Option<String> {
        let mut names = self.files.keys().chain(other.files.keys());
        names.find(|name| self.files.get(*name) != other.files.get(*name)).cloned()
    }
}
