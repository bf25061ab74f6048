//! The steps of one test with stock tools: preprocess, compile, link, run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sandbox::{Finished, Run, Status};

use super::{Cost, Program, Raw};
use crate::compiler::Compiler;

/// A stock compiler on one program, by the clock.
const WALL: Duration = Duration::from_secs(120);

/// Programs that run longer than this unoptimised are left out: most such loop forever.
const ENDS: Duration = Duration::from_secs(1);

/// With this the kernel stops a process that used up its processor time.
pub const SIGXCPU: i32 = 24;

/// A program wrongly compiled may allocate without end.
const MEMORY: u64 = 1 << 30;

/// The stock compiler and the program's own answer disagree: a bug of one of them.
pub const WRONG: &str = "stock compiler and expected output DISAGREE";

/// What a program printed, and its exit status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    /// Exit status as a shell shows it.
    pub status: u8,
    /// Standard output.
    pub stdout: Vec<u8>,
}

/// The stock tools.
#[derive(Clone, Debug)]
pub struct StockTools {
    /// The driver.
    pub gcc: PathBuf,
    /// The compiler proper that it runs.
    pub cc1: PathBuf,
}

impl StockTools {
    /// The gcc on this machine.
    pub fn new() -> Result<StockTools> {
        let gcc = Compiler::reference()?.program;
        let run = Run::new(&gcc, WALL).arg("-print-prog-name=cc1");
        let done = run.finish().success().context("gcc does not say where its cc1 is")?;
        let cc1 = PathBuf::from(done.stdout.text().trim());
        if !cc1.is_absolute() {
            bail!("gcc has no compiler for C: apt-get install gcc");
        }
        Ok(StockTools { gcc, cc1 })
    }

    /// Makes a program ready in a folder of its own, or says why it cannot be used. The unit is
    /// compiled by `compile`, which gets a preprocessed file and gives assembly and time.
    pub fn prepare(
        &self,
        raw: &Raw,
        dir: &Path,
        compile: impl Fn(&Path, &Path) -> Option<(Vec<u8>, Duration)>,
    ) -> Result<Program, String> {
        fs::create_dir_all(dir).map_err(|error| error.to_string())?;
        let (unit, exe, asm) = (dir.join("unit.i"), dir.join("a.out"), dir.join("unit.s"));
        let include = raw.include.iter().map(|dir| format!("-I{}", dir.display()));
        self.gcc(|run| run.args(["-E", "-P"]).args(include).arg(&raw.unit), &unit)
            .ok_or("not preprocessed")?;
        let mut cost = Cost { generation: raw.generation, ..Cost::default() };
        let mut rest = Vec::new();
        for (i, file) in raw.rest.iter().enumerate() {
            let object = dir.join(format!("rest{i}.o"));
            let done = self.gcc(|run| run.args(["-O0", "-c"]).arg(file), &object);
            cost.link += done.ok_or("its driver is not compiled")?.cpu;
            rest.push(object);
        }
        let answer = match &raw.expected {
            Some(stdout) => RunResult { status: 0, stdout: stdout.clone() },
            None => self.reference(&unit, &rest, &exe)?,
        };
        let (assembly, time) = compile(&unit, &asm).ok_or("not compiled by the stock compiler")?;
        cost.compile = time;
        let (linked, time) = self.link(&asm, &rest, &exe).ok_or("not linked")?;
        cost.link += time;
        let (ran, time) = linked.run(ENDS).ok_or("does not end when optimised")?;
        cost.run = time;
        if ran != answer {
            return Err(format!("{WRONG}: {}", raw.unit.display()));
        }
        Ok(Program { name: raw.name.clone(), unit, rest, answer, assembly, cost })
    }

    /// What gcc -O0 makes of a program.
    fn reference(&self, unit: &Path, rest: &[PathBuf], exe: &Path) -> Result<RunResult, String> {
        self.gcc(|run| run.arg("-O0").arg(unit).args(rest).arg("-lm"), exe)
            .ok_or("not compiled at -O0")?;
        let (ran, _) = Linked(exe.into()).run(ENDS).ok_or("does not end")?;
        Ok(ran)
    }

    /// Assembles and links; the program and the time, or `None` if that fails.
    pub fn link(&self, asm: &Path, rest: &[PathBuf], exe: &Path) -> Option<(Linked, Duration)> {
        let done = self.gcc(|run| run.args([asm]).args(rest).arg("-lm"), exe)?;
        Some((Linked(exe.into()), done.cpu))
    }

    /// Runs gcc to a file; `None` unless it succeeds.
    fn gcc(&self, args: impl FnOnce(Run) -> Run, to: &Path) -> Option<Finished> {
        let run = Run::new(&self.gcc, WALL).env("LC_ALL", "C").args(["-w", "-o"]).arg(to);
        args(run.output_cap(1 << 16)).finish().success()
    }
}

/// A linked program; removed when dropped.
#[derive(Debug)]
pub struct Linked(PathBuf);

impl Linked {
    /// Runs it; `None` if it does not end in this much processor time.
    pub fn run(&self, cpu: Duration) -> Option<(RunResult, Duration)> {
        // By the clock only in the end: that also counts what others do on this machine.
        let run = Run::new(&self.0, cpu * 10).cpu(cpu).memory(MEMORY).output_cap(1 << 20);
        let done = run.finish().finished().filter(|done| done.status != Status::Signal(SIGXCPU))?;
        Some((RunResult { status: done.status.shell(), stdout: done.stdout.bytes }, done.cpu))
    }
}

impl Drop for Linked {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
