//! Runs a compiler with a fault planted, or with its sites watched.
//!
//! Both are done by a small library (`plant.c`) that the dynamic linker loads into the compiler:
//! the file on disk is never touched, a mutant costs nothing to make, and many can run at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sandbox::{Ended, Finished, Run, Status};

use super::sites::Site;
use crate::programs::SIGXCPU;

/// A compile that takes this long by the clock is a hang on any machine; the processor time of a
/// compile is limited more tightly.
const WALL: Duration = Duration::from_secs(120);

/// More than any program needs by far; a mutant that loops while it allocates ends sooner.
const MEMORY: u64 = 2 << 30;

/// GCC's compiler proper, and the library to load into it.
#[derive(Debug)]
pub struct Planter {
    cc1: PathBuf,
    library: PathBuf,
}

/// What one run of the compiler proper came to.
#[derive(Debug)]
pub enum Compiled {
    /// It wrote assembly; the processor time it took.
    Assembly(Vec<u8>, Duration),
    /// It died, or refused a valid program.
    Crashed,
    /// It was stopped.
    Hung,
}

/// What is done to the compiler's code.
#[derive(Clone, Copy, Debug)]
enum Change<'a> {
    None,
    Flip(&'a Site),
    Trace(&'a Path),
}

impl Planter {
    /// Builds the library into a folder, for the `cc1` of a gcc.
    pub fn new(gcc: &Path, cc1: &Path, dir: &Path) -> Result<Planter> {
        let (source, library) = (dir.join("plant.c"), dir.join("plant.so"));
        fs::write(&source, include_str!("plant.c"))?;
        let run = Run::new(gcc, WALL)
            .args(["-O2", "-Wall", "-shared", "-fPIC", "-o"])
            .args([&library, &source]);
        match run.finish() {
            Ended::Finished(done) if done.status == Status::Exit(0) => {}
            Ended::Finished(done) => bail!("plant.c is not compiled: {}", done.stderr.text()),
            other => bail!("plant.c is not compiled: {other:?}"),
        }
        Ok(Planter { cc1: cc1.into(), library })
    }

    /// Compiles with the compiler as it is.
    pub fn stock(&self, unit: &Path, level: &str, to: &Path) -> Compiled {
        self.compile(unit, level, to, WALL, Change::None)
    }

    /// Compiles with a fault planted.
    pub fn mutant(
        &self,
        site: &Site,
        unit: &Path,
        level: &str,
        to: &Path,
        cpu: Duration,
    ) -> Compiled {
        self.compile(unit, level, to, cpu, Change::Flip(site))
    }

    /// Compiles while the given addresses, in ascending order, are watched; the assembly, and
    /// those that were executed.
    pub fn trace(
        &self,
        sites: &[u64],
        unit: &Path,
        level: &str,
        to: &Path,
    ) -> Result<(Vec<u8>, Vec<u64>)> {
        let list = to.with_extension("sites");
        fs::write(&list, sites.iter().flat_map(|site| site.to_le_bytes()).collect::<Vec<u8>>())?;
        let compiled = self.compile(unit, level, to, WALL, Change::Trace(&list));
        let Compiled::Assembly(assembly, _) = compiled else {
            bail!("{} is not compiled at {level} while watched: {compiled:?}", unit.display());
        };
        let met = fs::read(&list).with_context(|| list.display().to_string())?;
        let _ = fs::remove_file(&list);
        let (words, _) = met.as_chunks::<8>();
        Ok((assembly, words.iter().map(|word| u64::from_le_bytes(*word)).collect()))
    }

    fn compile(
        &self,
        unit: &Path,
        level: &str,
        to: &Path,
        cpu: Duration,
        change: Change<'_>,
    ) -> Compiled {
        let _ = fs::remove_file(to);
        let mut run = Run::new(&self.cc1, WALL)
            .args(["-fpreprocessed", "-quiet", "-w", "-mtune=generic", "-march=x86-64"])
            .args(level.split_whitespace())
            .args(["-fasynchronous-unwind-tables", "-o"])
            .args([to, unit])
            .env("LC_ALL", "C")
            .output_cap(1 << 16)
            .cpu(cpu)
            .memory(MEMORY);
        run = match change {
            Change::None => run,
            Change::Flip(site) => run
                .env("LD_PRELOAD", &self.library)
                .env("GAINSAY_FLIP", format!("{:x}", site.condition)),
            Change::Trace(list) => run.env("LD_PRELOAD", &self.library).env("GAINSAY_TRACE", list),
        };
        match run.finish() {
            Ended::Finished(done) => judged(&done, to),
            Ended::Killed(_, _) => Compiled::Hung,
            Ended::NotStarted(_) => Compiled::Crashed,
        }
    }
}

fn judged(done: &Finished, to: &Path) -> Compiled {
    match (done.status, fs::read(to)) {
        (Status::Exit(0), Ok(assembly)) => Compiled::Assembly(assembly, done.cpu),
        (Status::Signal(SIGXCPU), _) => Compiled::Hung,
        _ => Compiled::Crashed,
    }
}
