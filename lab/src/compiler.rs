//! Compiles and runs programs with real compilers, and keeps account of the cost.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use sandbox::{Ended, Finished, Run, Status};
use toolchain::{Tool, find_tool, on_path};

/// A compiler on one program: Csmith's largest take a few seconds under the sanitizers.
const COMPILE_WALL: Duration = Duration::from_secs(60);

/// Memory of a compiled program. Not for sanitizers, which reserve terabytes.
const MEMORY: u64 = 4 << 30;

/// A compiler with the options of one use.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The executable.
    pub program: PathBuf,
    /// Its options.
    pub options: Vec<String>,
    /// How long a compiled program may run.
    pub run_wall: Duration,
    /// Variables for the compiled program.
    pub env: Vec<(&'static str, &'static str)>,
}

/// Wall and processor time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// From start to end.
    pub wall: Duration,
    /// User and system.
    pub cpu: Duration,
}

impl Cost {
    /// The cost of one process.
    pub fn of(done: &Finished) -> Cost {
        Cost { wall: done.wall, cpu: done.cpu }
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

/// How compiling and running went.
#[derive(Clone, Debug)]
pub enum Built {
    /// The program ran to its end.
    Ran(Finished),
    /// The program was stopped at the time limit.
    TooLong,
    /// The compiler did not produce a program; its messages.
    NotCompiled(String),
    /// The compiler died; its last words.
    Crashed(String),
}

/// Whether a compiler that failed did so by a bug of its own and not by refusing the program.
fn crashed(done: &Finished) -> bool {
    let stderr = done.stderr.text();
    let words = ["internal compiler error", "PLEASE submit a bug report", "PLEASE ATTACH"];
    matches!(done.status, Status::Signal(_)) || words.iter().any(|w| stderr.contains(w))
}

impl Compiler {
    /// A compiler with options.
    pub fn new(program: impl Into<PathBuf>, options: &[&str]) -> Compiler {
        Compiler {
            program: program.into(),
            options: options.iter().map(|o| o.to_string()).collect(),
            run_wall: Duration::from_secs(10),
            env: Vec::new(),
        }
    }

    /// The reference: gcc without optimisation.
    pub fn reference() -> Result<Compiler> {
        let plain = on_path("gcc");
        let versioned = || find_tool(Tool::Gcc).into_iter().next().map(|found| found.path);
        let gcc = plain.or_else(versioned).context(
            "gcc is the reference and is not installed: run cargo xtask setup, or apt-get install gcc libc6-dev",
        )?;
        Ok(Compiler::new(gcc, &["-O0", "-w"]))
    }

    /// Adds a header folder.
    pub fn include(mut self, dir: &Path) -> Compiler {
        self.options.push(format!("-I{}", dir.display()));
        self
    }

    /// Adds options.
    pub fn with(mut self, options: &[&str]) -> Compiler {
        self.options.extend(options.iter().map(|o| o.to_string()));
        self
    }

    /// Limits the time of compiled programs.
    pub fn run_wall(mut self, wall: Duration) -> Compiler {
        self.run_wall = wall;
        self
    }

    fn sanitizes(&self) -> bool {
        self.options.iter().any(|o| o.starts_with("-fsanitize"))
    }

    /// Compiles `source` into `binary` and runs it; the cost of both.
    pub fn build_and_run(&self, source: &Path, binary: &Path) -> (Built, Cost) {
        self.build_and_run_all(&[source], binary)
    }

    /// The same for a program of several files.
    pub fn build_and_run_all(&self, sources: &[&Path], binary: &Path) -> (Built, Cost) {
        let mut cost = Cost::default();
        let compile = Run::new(&self.program, COMPILE_WALL)
            .args(&self.options)
            .arg("-o")
            .arg(binary)
            .args(sources)
            .arg("-lm")
            .env("LC_ALL", "C");
        match compile.finish() {
            Ended::Finished(done) => {
                cost += Cost::of(&done);
                if crashed(&done) {
                    return (Built::Crashed(done.stderr.text()), cost);
                }
                if done.status != Status::Exit(0) {
                    return (Built::NotCompiled(done.stderr.text()), cost);
                }
            }
            Ended::Killed(_, _) => return (Built::NotCompiled("timed out".into()), cost),
            Ended::NotStarted(error) => return (Built::NotCompiled(error.to_string()), cost),
        }
        let mut run = Run::new(binary, self.run_wall);
        run.memory = (!self.sanitizes()).then_some(MEMORY);
        run.cwd = binary.parent().map(Path::to_path_buf);
        run = self.env.iter().fold(run, |run, (name, value)| run.env(name, value));
        let built = match run.finish() {
            Ended::Finished(done) => {
                cost += Cost::of(&done);
                Built::Ran(done)
            }
            Ended::Killed(_, done) => {
                cost += Cost::of(&done);
                Built::TooLong
            }
            Ended::NotStarted(error) => Built::NotCompiled(error.to_string()),
        };
        let _ = std::fs::remove_file(binary);
        (built, cost)
    }
}
