//! Compiles and runs cases on targets under limits.
//!
//! All that a compiler or a program leaves lies in one folder beside the case's files, which is
//! gone when the observation is made. The program runs confined to a folder of its own; the compiler
//! does not, because some keep caches elsewhere.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{env, fs};

use sandbox::{Ended, Finished, KillReason, Run, Status, Stop};
use toolchain::{Family, Step, Target};

use crate::case::{AddedOption, Case, SourceFile};
use crate::command::{self, arguments};
use crate::compiled::{Died, died, failure, no_program, not_the_compiler};
use crate::observe::{Behaviour, Observation};
use crate::runner;
use crate::signal;
use crate::verdict::FailureKind;

/// Emulated programs take ten to thirty times as long; the limit leaves a factor for the slowest.
const EMULATED: u32 = 10;

/// An emulator of a 32-bit processor reserves 4 GiB of address space before it begins.
const EMULATOR_SPACE: u64 = 16 << 30;

/// Stack of a program. Without optimisation its frames are many times as large as the machine's, and
/// recursion that the machine lets pass must not overflow.
const STACK: u64 = 512 << 20;

/// Bytes of a program's output that are kept, if no more than that is expected of it.
const OUTPUT: usize = 16 << 20;

/// Bytes of a compiler's messages that are read.
const MESSAGES: usize = 1 << 20;

/// "Exec format error": what a compiler left is no program.
const ENOEXEC: i32 = 8;

/// What makes a compiler look, and what it must not find.
const CHECKS: &[&str] = &[
    "-O1",
    "-c",
    "-Wall",
    "-Werror=uninitialized",
    "-Werror=return-type",
    "-Werror=array-bounds",
    "-Werror=shift-count-overflow",
    "-Werror=shift-count-negative",
    "-Werror=format",
];

/// The same, as GCC calls it.
const GCC_CHECKS: &[&str] = &[
    "-Werror=maybe-uninitialized",
    "-Werror=sequence-point",
    "-Werror=div-by-zero",
    "-Werror=return-local-addr",
];

/// The same, as Clang calls it.
const CLANG_CHECKS: &[&str] = &[
    "-Werror=conditional-uninitialized",
    "-Werror=sometimes-uninitialized",
    "-Werror=unsequenced",
    "-Werror=division-by-zero",
    "-Werror=return-stack-address",
];

/// What compilers and programs may use. Time is limited by the processor's clock, which a busy
/// machine does not distort; the wall clock is only for what sleeps, and has room for a machine
/// with three processes for each processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Processor time of each process of a compiler. Generated programs compile in seconds.
    pub compile_cpu: Duration,
    /// Time of a compilation by the clock.
    pub compile_wall: Duration,
    /// Processor time of a compiled program. The machine's limit of steps makes it milliseconds.
    pub run_cpu: Duration,
    /// Time of a compiled program by the clock.
    pub run_wall: Duration,
    /// Bytes of address space of each process: a compiler needs below 1 GiB, and a few of them at
    /// once must not exhaust a common machine.
    pub memory: u64,
    /// Bytes of each file: an executable of a generated program is below 1 MiB.
    pub file_size: u64,
    /// Processes at once; a driver with link-time optimisation starts some for each processor.
    pub processes: u32,
    /// Bytes of all files of a compilation, temporaries included; the folder may be in memory.
    pub folder: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            compile_cpu: Duration::from_secs(60),
            compile_wall: Duration::from_secs(180),
            run_cpu: Duration::from_secs(10),
            run_wall: Duration::from_secs(60),
            memory: 4 << 30,
            file_size: 256 << 20,
            processes: 256,
            folder: 1 << 30,
        }
    }
}

/// A step of the abstract machine takes a few nanoseconds of a compiled program, and some hundred where every
/// access is checked or goes to memory. Nothing that is right takes longer than this.
const STEP: Duration = Duration::from_micros(1);

/// What a program gets however few its steps: loading it, and a library that is slow to begin.
const SHORTEST_RUN: Duration = Duration::from_secs(1);

/// The same by the clock, on a machine that is busy.
const SHORTEST_WAIT: Duration = Duration::from_secs(10);

impl Limits {
    /// Limits for a program of so many steps of the abstract machine: one that hangs is not waited for as
    /// long as the longest may take.
    pub fn for_steps(&self, steps: u64) -> Limits {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        let cpu = STEP.saturating_mul(steps).max(SHORTEST_RUN).min(self.run_cpu);
        let share = cpu.as_secs_f64() / self.run_cpu.as_secs_f64().max(1e-3);
        let wall = self.run_wall.mul_f64(share).max(SHORTEST_WAIT).min(self.run_wall);
        Limits { run_cpu: cpu, run_wall: wall, ..self.clone() }
    }

    fn with_twice_the_time(&self) -> Limits {
        Limits {
            compile_cpu: self.compile_cpu * 2,
            compile_wall: self.compile_wall * 2,
            run_cpu: self.run_cpu * 2,
            run_wall: self.run_wall * 2,
            ..self.clone()
        }
    }
}

/// Our own inability to continue; never a compiler's failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// A stop was requested.
    #[error("stopped")]
    Stopped,
    /// There is no space left.
    #[error("the disk is full: {0}")]
    DiskFull(String),
    /// A file or a process that should work does not.
    #[error("{0}")]
    Io(String),
}

impl Trouble {
    /// What the system's error means to us; `what` says what we were about to do.
    pub(crate) fn of(error: &io::Error, what: String) -> Trouble {
        let told = format!("{what}: {error}");
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Trouble::DiskFull(told),
            _ => Trouble::Io(told),
        }
    }
}

/// What came of a second try.
#[derive(Clone, Debug)]
pub enum Confirmation {
    /// It fails again, in the same way.
    Same(Observation),
    /// It does something else now.
    Flaky(Observation),
}

/// Compiles and runs cases. A folder is used for one observation at a time.
#[derive(Clone, Debug, Default)]
pub struct Lab {
    /// What compilers and programs may use.
    pub limits: Limits,
    /// Ends all that runs.
    pub stop: Stop,
}

impl Lab {
    /// Writes the files of a case into a folder, which is made if it is not there.
    pub fn write(&self, case: &Case, dir: &Path) -> Result<(), Trouble> {
        let io = |path: &Path, done: io::Result<()>| {
            done.map_err(|error| Trouble::of(&error, format!("cannot write {}", path.display())))
        };
        io(dir, fs::create_dir_all(dir))?;
        for SourceFile { name, bytes } in &case.files {
            let path = dir.join(name);
            io(&path, fs::write(&path, bytes))?;
        }
        Ok(())
    }

    /// Compiles a case whose files are in `dir` and runs it, if it has an answer; leaves the folder as it was.
    pub fn observe(
        &self,
        case: &Case,
        dir: &Path,
        target: &Target,
    ) -> Result<Observation, Trouble> {
        let mut seen = Observation {
            target: target.label(),
            seen: Behaviour::Unsupported("no compiler for the language".into()),
            compile: Duration::ZERO,
            run: Duration::ZERO,
        };
        if target.command(case.language).is_none() {
            return Ok(seen);
        }
        let harness = match self.harness(case, dir, target, &mut seen.compile)? {
            Ok(object) => object,
            Err(failed) => {
                seen.seen = self.excuse(case, target, failed);
                return Ok(seen);
            }
        };
        let work = WorkFolder::new(dir)?;
        let command = arguments(case, target, harness.as_deref(), &work.program());
        let mut command = command.unwrap_or_default();
        if command::uses_profile(&command) {
            self.make_profile(case, target, &command, &work, &mut seen)?;
            command = command::with_profile(&command, &work.home());
        }
        let compiled = self.compile(&command, &work);
        seen.compile += cpu(&compiled);
        seen.seen = match failure(&compiled, &self.limits)? {
            Some(failed) => match died(&compiled, &failed) {
                Died::Clear => failed,
                dead => self.attribute(case, target, &work, dead, failed, &mut seen.compile)?,
            },
            None if target.compiler.runner.is_compile_only() => Behaviour::Compiled,
            None if !work.has_program() => no_program("there is no executable", &compiled),
            None if case.expected.is_none() => Behaviour::Compiled,
            None => {
                let ran = self.run_program(case, target, &work);
                seen.run += cpu(&ran);
                self.judge_run(&ran, target)?
                    .unwrap_or_else(|| no_program("its executable is not one", &compiled))
            }
        };
        seen.seen = self.excuse(case, target, seen.seen);
        Ok(seen)
    }

    /// Builds a program with instructions that count, and runs it, so that it leaves a profile in its folder. What
    /// it prints is no matter; without a profile the compiler guesses. A program without an answer is not run.
    fn make_profile(
        &self,
        case: &Case,
        target: &Target,
        command: &[OsString],
        work: &WorkFolder,
        seen: &mut Observation,
    ) -> Result<(), Trouble> {
        if case.expected.is_none() {
            return Ok(());
        }
        let generate = format!("{}={}", command::GENERATE, work.home().display());
        let compiled = self.compile(&command::training(command, &generate), work);
        seen.compile += cpu(&compiled);
        if failure(&compiled, &self.limits)?.is_none() && work.has_program() {
            let ran = self.run_program(case, target, work);
            seen.run += cpu(&ran);
            self.judge_run(&ran, target)?;
        }
        let _ = fs::remove_file(work.program());
        Ok(())
    }

    /// Who is to blame for a failure of which the messages do not say enough: repeats it step by step,
    /// or links once more without optimising.
    fn attribute(
        &self,
        case: &Case,
        target: &Target,
        work: &WorkFolder,
        dead: Died,
        failed: Behaviour,
        spent: &mut Duration,
    ) -> Result<Behaviour, Trouble> {
        let mut again = |target: &Target, case: &Case| {
            let output = work.temporaries().join("step");
            let command = arguments(case, target, None, &output).unwrap_or_default();
            let ended = self.compile(&command, work);
            *spent += cpu(&ended);
            let failed = failure(&ended, &self.limits)?;
            Ok::<_, Trouble>(failed.map(|failed| (died(&ended, &failed), failed)))
        };
        let with = |flag: &str| {
            let mut target = target.clone();
            target.flags.push(flag.into());
            target
        };
        if dead == Died::Linker {
            // Clang's optimiser is part of the linker then.
            let optimises = target.compiler.family == Family::Clang && with_lto(target);
            return Ok(match optimises && again(&with("-fno-lto"), case)?.is_none() {
                true => Behaviour::Crashed(text_of(failed)),
                false => failed,
            });
        }
        let assembles = matches!(target.compiler.family, Family::Gcc | Family::Pcc);
        for (step, flag) in [(Step::Compile, "-S"), (Step::Assemble, "-c")] {
            for unit in case.units() {
                let mut alone = Case { harness: None, ..case.clone() };
                alone.files.retain(|file| !file.is_unit() || file.name == unit);
                match again(&with(flag), &alone)? {
                    None => {}
                    Some((Died::Unnamed, _)) if step == Step::Assemble && assembles => {
                        return Ok(not_the_compiler(step, &text_of(failed)));
                    }
                    // It died in this step, or does not know such steps.
                    Some(_) => return Ok(failed),
                }
            }
        }
        if with_lto(target) && again(&with("-fno-lto"), case)?.is_none() {
            return Ok(failed);
        }
        Ok(not_the_compiler(Step::Link, &text_of(failed)))
    }

    /// Whether a target accepts every unit of a case with `-pedantic-errors`, and the processor
    /// time that took. What it accepts this way is standard C.
    pub fn is_strictly_valid(
        &self,
        case: &Case,
        dir: &Path,
        target: &Target,
    ) -> Result<(bool, Duration), Trouble> {
        let work = WorkFolder::new(dir)?;
        let mut strict = target.clone();
        strict.flags.extend(["-fsyntax-only", "-pedantic-errors"].map(String::from));
        let command = arguments(case, &strict, None, &work.program()).unwrap_or_default();
        // `-w` would silence some of what is asked for.
        let command: Vec<OsString> = command.into_iter().filter(|word| word != "-w").collect();
        let compiled = self.compile(&command, &work);
        let valid = failure(&compiled, &self.limits)?.is_none();
        Ok((valid, cpu(&compiled)))
    }

    /// Whether a target takes each unit of a case with its own checks as errors: of values that are never set, of
    /// functions that end without one, of what is out of bounds. Some of these need an optimiser to see.
    pub fn passes_checks(&self, case: &Case, dir: &Path, target: &Target) -> Result<bool, Trouble> {
        let work = WorkFolder::new(dir)?;
        let mut strict = target.clone();
        let checks = CHECKS.iter().chain(match target.compiler.family {
            Family::Gcc => GCC_CHECKS,
            Family::Clang => CLANG_CHECKS,
            Family::Tcc | Family::Pcc | Family::Other => &[],
        });
        strict.flags = checks.map(ToString::to_string).collect();
        for unit in case.units() {
            let mut alone = Case { harness: None, ..case.clone() };
            alone.omitted.insert(AddedOption::NoWarnings);
            alone.files.retain(|file| !file.is_unit() || file.name == unit);
            let output = work.temporaries().join("checked.o");
            let command = arguments(&alone, &strict, None, &output).unwrap_or_default();
            if failure(&self.compile(&command, &work), &self.limits)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The object of the case's harness, made when a compiler first needs it; or how the compiler
    /// failed on it.
    fn harness(
        &self,
        case: &Case,
        dir: &Path,
        target: &Target,
        spent: &mut Duration,
    ) -> Result<Result<Option<PathBuf>, Behaviour>, Trouble> {
        if case.harness.is_none() || target.compiler.runner.is_compile_only() {
            return Ok(Ok(None));
        }
        let mut work = WorkFolder::new(dir)?;
        let object = work.dir.join(harness_name(target));
        let Some(command) = command::harness(case, target, &object) else { return Ok(Ok(None)) };
        if !object.is_file() {
            let compiled = self.compile(&command, &work);
            *spent += cpu(&compiled);
            if let Some(failed) = failure(&compiled, &self.limits)? {
                return Ok(Err(failed));
            }
            if !object.is_file() {
                return Ok(Err(no_program("there is no object file", &compiled)));
            }
            work.before.insert(harness_name(target).into());
        }
        Ok(Ok(Some(object)))
    }

    /// An extension that a compiler lacks may be ignored as well as refused.
    fn excuse(&self, case: &Case, target: &Target, seen: Behaviour) -> Behaviour {
        if let Behaviour::Rejected(messages) = &seen
            && let Some(why) = runner::cannot_take(target, messages)
        {
            return Behaviour::Unsupported(why);
        }
        let excusable = match &seen {
            Behaviour::Rejected(_) | Behaviour::ProgramHung => true,
            ran => matches!(ran, Behaviour::Ran { .. }) && !ran.is_right(case),
        };
        match lacking(case, target) {
            Some(word) if excusable => {
                Behaviour::Unsupported(format!("unsupported extension: {word}"))
            }
            _ => seen,
        }
    }

    /// Repeats everything from writing the files on. A hang is given twice the time: what
    /// ends then was only slow on this machine.
    pub fn confirm(
        &self,
        case: &Case,
        dir: &Path,
        target: &Target,
        first: &Observation,
    ) -> Result<Confirmation, Trouble> {
        let patient = matches!(first.seen, Behaviour::CompilerHung | Behaviour::ProgramHung);
        let limits = if patient { self.limits.with_twice_the_time() } else { self.limits.clone() };
        let lab = Lab { limits, stop: self.stop.clone() };
        lab.write(case, dir)?;
        let _ = fs::remove_file(dir.join(harness_name(target)));
        let second = lab.observe(case, dir, target)?;
        let same = match (first.seen.kind(case), second.seen.kind(case)) {
            (Some(a), Some(b)) => a == b || may_share_cause(a, b),
            _ => false,
        };
        Ok(if same { Confirmation::Same(second) } else { Confirmation::Flaky(second) })
    }

    /// Runs a compiler in the case's folder.
    pub(crate) fn compile(&self, command: &[OsString], work: &WorkFolder) -> Ended {
        let (program, args) = match command.split_first() {
            Some((program, args)) => (program.clone(), args),
            None => return Ended::NotStarted(io::ErrorKind::InvalidInput.into()),
        };
        Run::new(program, self.limits.compile_wall)
            .args(args)
            .cwd(&work.dir)
            .env("LC_ALL", "C")
            .env("TMPDIR", work.temporaries())
            .cpu(self.limits.compile_cpu)
            .memory(self.limits.memory)
            .file_size(self.limits.file_size)
            .processes(self.limits.processes)
            .folder_cap(&work.dir, self.limits.folder)
            .output_cap(MESSAGES)
            .stop(&self.stop)
            .finish()
    }

    /// A run of what was compiled, confined and limited, but for its memory.
    pub(crate) fn program(&self, case: &Case, work: &WorkFolder, runner: &[OsString]) -> Run {
        let program = work.program().into_os_string();
        let words: Vec<OsString> = runner.iter().cloned().chain([program]).collect();
        let slower = if runner.is_empty() { 1 } else { EMULATED };
        Run::new(&words[0], self.limits.run_wall * slower)
            .args(&words[1..])
            .cwd(work.home())
            .env("LC_ALL", "C")
            .env("TMPDIR", work.home())
            .cpu(self.limits.run_cpu * slower)
            .stack(STACK)
            .file_size(self.limits.file_size)
            .processes(self.limits.processes)
            .confined_to(work.home())
            .folder_cap(work.home(), self.limits.folder)
            .output_cap(OUTPUT.max(case.stdout().len() + MESSAGES))
            .stop(&self.stop)
    }

    fn run_program(&self, case: &Case, target: &Target, work: &WorkFolder) -> Ended {
        let memory = self.limits.memory;
        let is_emulated = target.compiler.runner.is_emulator();
        let memory = if is_emulated { memory.max(EMULATOR_SPACE) } else { memory };
        let mut run =
            self.program(case, work, &target.run_words()).root(target.compiler.root.as_ref());
        if runner::is_instrumented(target) {
            run.wall *= runner::SLOWER;
            run.cpu = run.cpu.map(|cpu| cpu * runner::SLOWER);
        }
        match runner::is_sanitized(target) {
            // The shadow takes terabytes of address space. Leaks are no undefined behaviour.
            true => {
                runner::SILENT_LEAKS.iter().fold(run, |run, (name, value)| run.env(name, value))
            }
            false => run.memory(memory),
        }
        .finish()
    }

    /// What a run means; `None` when the file is no program.
    fn judge_run(&self, ended: &Ended, target: &Target) -> Result<Option<Behaviour>, Trouble> {
        let ran = |done: &Finished, status: u8| Behaviour::Ran {
            status,
            stdout: done.stdout.bytes.clone(),
        };
        let slower = if target.compiler.runner.is_emulator() { EMULATED } else { 1 };
        let slower = if runner::is_instrumented(target) { slower * runner::SLOWER } else { slower };
        Ok(Some(match ended {
            Ended::Killed(KillReason::Stop, _) => return Err(Trouble::Stopped),
            Ended::Killed(KillReason::Wall, _) => Behaviour::ProgramHung,
            // It starts processes or fills the disk: wrong code, and dead by our hand.
            Ended::Killed(KillReason::Processes | KillReason::Folder, done) => ran(done, 128 + 9),
            Ended::NotStarted(error) if error.raw_os_error() == Some(ENOEXEC) => return Ok(None),
            Ended::NotStarted(error) => {
                return Err(Trouble::of(error, "a compiled program could not be started".into()));
            }
            Ended::Finished(done) => match done.status {
                Status::Signal(24) => Behaviour::ProgramHung,
                Status::Signal(9) if done.cpu >= self.limits.run_cpu * slower => {
                    Behaviour::ProgramHung
                }
                Status::Signal(number) if signal::from_outside(number) => {
                    let name = signal::name(number);
                    Behaviour::Unsupported(format!(
                        "its program was killed by another process with {name}"
                    ))
                }
                status => match runner::excuse(target, status.shell(), &done.stderr.bytes) {
                    Some(why) => Behaviour::Unsupported(why),
                    None => match runner::alarm(target, status.shell(), &done.stderr.bytes) {
                        Some(report) => Behaviour::Alarmed(report),
                        None => ran(done, status.shell()),
                    },
                },
            },
        }))
    }
}

/// What a compiler said.
fn text_of(failed: Behaviour) -> String {
    match failed {
        Behaviour::Crashed(text)
        | Behaviour::Exhausted(text)
        | Behaviour::Rejected(text)
        | Behaviour::Unsupported(text) => text,
        Behaviour::Ran { .. }
        | Behaviour::Alarmed(_)
        | Behaviour::Compiled
        | Behaviour::ProgramHung
        | Behaviour::CompilerHung => String::new(),
    }
}

fn with_lto(target: &Target) -> bool {
    let fixed = target.compiler.c.iter().map(|word| word.to_string_lossy());
    let mut words = fixed.chain(target.flags.iter().map(Into::into));
    words.any(|word| word.starts_with("-flto"))
}

/// Whether two kinds may come of one fault. Code that reads garbage rarely reads the same twice; a
/// compiler that goes on for ever runs out of time or of memory, whichever is first.
fn may_share_cause(a: FailureKind, b: FailureKind) -> bool {
    let endless = |kind| matches!(kind, FailureKind::CompilerHang | FailureKind::CompilerMemory);
    a.is_wrong_code() && b.is_wrong_code() || endless(a) && endless(b)
}

/// Where a compiler's object of the harness is kept in a case's folder.
fn harness_name(target: &Target) -> String {
    format!("harness-{}.o", target.compiler.name.replace('/', "_"))
}

fn lacking(case: &Case, target: &Target) -> Option<&'static str> {
    case.files.iter().find_map(|f| target.compiler.lacking(&String::from_utf8_lossy(&f.bytes)))
}

pub(crate) fn cpu(ended: &Ended) -> Duration {
    match ended {
        Ended::Finished(done) | Ended::Killed(_, done) => done.cpu,
        Ended::NotStarted(_) => Duration::ZERO,
    }
}

/// The folder of one observation inside the case's folder.
pub(crate) struct WorkFolder {
    /// The case's folder.
    pub dir: PathBuf,
    own: PathBuf,
    /// What was in the case's folder before.
    before: BTreeSet<OsString>,
}

impl WorkFolder {
    /// Makes it, empty.
    pub(crate) fn new(dir: &Path) -> Result<WorkFolder, Trouble> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let fail = |error: io::Error| {
            Trouble::of(&error, format!("cannot make a folder in {}", dir.display()))
        };
        // Compilers and programs run elsewhere: a relative path would mean something else to them.
        let here = || env::current_dir().map(|here| here.join(dir));
        let dir = if dir.is_absolute() { dir.to_path_buf() } else { here().map_err(fail)? };
        let before = names(&dir).map_err(fail)?;
        let own = loop {
            let n = NEXT.fetch_add(1, Ordering::Relaxed);
            let own = dir.join(format!("work-{n}"));
            match fs::create_dir(&own) {
                Ok(()) => break own,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fail(error)),
            }
        };
        let work = WorkFolder { dir, own, before };
        fs::create_dir(work.temporaries()).map_err(fail)?;
        fs::create_dir(work.home()).map_err(fail)?;
        Ok(work)
    }

    /// Where the executable goes: out of the program's own reach.
    pub(crate) fn program(&self) -> PathBuf {
        self.own.join("program")
    }

    /// Where the program runs.
    pub(crate) fn home(&self) -> PathBuf {
        self.own.join("home")
    }

    fn temporaries(&self) -> PathBuf {
        self.own.join("tmp")
    }

    /// Whether a compiler left something that could be run.
    pub(crate) fn has_program(&self) -> bool {
        let runs = |file: fs::Metadata| file.is_file() && file.permissions().mode() & 0o111 != 0;
        fs::metadata(self.program()).is_ok_and(runs)
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        // What a compiler drops into the folder it runs in would be there for the next.
        let _ = fs::remove_dir_all(&self.own);
        for name in names(&self.dir).unwrap_or_default().difference(&self.before) {
            let path = self.dir.join(name);
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
    }
}

fn names(dir: &Path) -> io::Result<BTreeSet<OsString>> {
    fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_as_much_time_as_its_steps_need() {
        let seconds = |steps| {
            let limits = Limits::default().for_steps(steps);
            (limits.run_cpu.as_secs(), limits.run_wall.as_secs())
        };
        assert_eq!(seconds(0), (1, 10));
        assert_eq!(seconds(900_000), (1, 10));
        assert_eq!(seconds(5_000_000), (5, 30));
        assert_eq!(seconds(20_000_000), (10, 60), "the longest there is");
        assert_eq!(seconds(u64::MAX), (10, 60));
        let short = Limits { run_cpu: Duration::from_millis(500), ..Limits::default() };
        assert_eq!(short.for_steps(5).run_cpu, Duration::from_millis(500), "as was asked for");
    }
}
