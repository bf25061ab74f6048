//! Compiles one program with many sets of flags, several at a time.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use oracle::{Case, Fault, Lab, Trouble};
use sandbox::{Account, Ended, KillReason, Run, Scratch};
use toolchain::Target;

/// Messages that are read of a compiler. Lists of passes are tens of kilobytes.
const MESSAGES: usize = 16 << 20;

/// How long a blame may take in all. A few hundred compilations of a small program take a minute;
/// what takes longer than this is a program that was not reduced.
const PATIENCE: Duration = Duration::from_secs(600);

/// The result of one compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProbeAnswer {
    /// The same fault.
    Fails,
    /// All is as it must be.
    Works,
    /// Something else is wrong, or there was no time left to ask.
    Otherwise,
}

/// A program and its fault, with a folder for each compilation that runs at the same time.
pub(crate) struct FaultProbe<'a> {
    lab: Lab,
    case: &'a Case,
    fault: &'a Fault,
    folders: Vec<Scratch>,
    until: Instant,
    late: AtomicBool,
}

impl<'a> FaultProbe<'a> {
    pub(crate) fn new(
        lab: Lab,
        case: &'a Case,
        fault: &'a Fault,
        jobs: usize,
    ) -> Result<FaultProbe<'a>, Trouble> {
        let folders = folders(&lab, case, jobs)?;
        let until = Instant::now() + PATIENCE;
        Ok(FaultProbe { lab, case, fault, folders, until, late: AtomicBool::new(false) })
    }

    /// Whether compilations were left out because time was up.
    pub(crate) fn is_late(&self) -> bool {
        self.late.load(Ordering::Relaxed)
    }

    /// What a target does with more flags.
    pub(crate) fn ask(&self, target: &Target, more: &[String]) -> Result<ProbeAnswer, Trouble> {
        self.ask_in(self.folders[0].path(), target, more)
    }

    /// What a target does with each of these sets of flags. `tell` learns how many were asked.
    pub(crate) fn ask_all(
        &self,
        target: &Target,
        sets: &[Vec<String>],
        tell: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<ProbeAnswer>, Trouble> {
        let done = AtomicUsize::new(0);
        side_by_side(sets.len(), &self.folders, &|i, folder| {
            let answer = self.ask_in(folder, target, &sets[i]);
            tell(done.fetch_add(1, Ordering::Relaxed) + 1);
            answer
        })
    }

    fn ask_in(
        &self,
        folder: &Path,
        target: &Target,
        more: &[String],
    ) -> Result<ProbeAnswer, Trouble> {
        if Instant::now() > self.until {
            self.late.store(true, Ordering::Relaxed);
            return Ok(ProbeAnswer::Otherwise);
        }
        let seen = self.lab.observe(self.case, folder, &with(target, more))?.seen;
        Ok(if seen.is_right(self.case) {
            ProbeAnswer::Works
        } else if seen.fault(self.case).as_ref() == Some(self.fault) {
            ProbeAnswer::Fails
        } else {
            ProbeAnswer::Otherwise
        })
    }

    /// What a compiler says, with more flags, on each unit that is compiled with the target's flags.
    pub(crate) fn listings(
        &self,
        target: &Target,
        more: &[&str],
    ) -> Result<Vec<(String, String)>, Trouble> {
        let more: Vec<String> = more.iter().chain(&["-c"]).map(ToString::to_string).collect();
        let target = with(target, &more);
        let mut all = Vec::new();
        for unit in self.case.units().filter(|unit| self.case.harness.as_deref() != Some(*unit)) {
            let mut alone = self.case.clone();
            alone.harness = None;
            alone.files.retain(|file| !file.is_unit() || file.name == unit);
            let output = self.folders[0].file("listing.o");
            let words = oracle::arguments(&alone, &target, None, &output).unwrap_or_default();
            all.push((unit.to_string(), self.output_of(&words)?));
            let _ = std::fs::remove_file(output);
        }
        Ok(all)
    }

    /// What compiler and linker say, with more flags, when the whole program is made.
    pub(crate) fn linking(&self, target: &Target, more: &[&str]) -> Result<String, Trouble> {
        let output = self.folders[0].file("listing");
        let alone = Case { harness: None, ..self.case.clone() };
        let more: Vec<String> = more.iter().map(ToString::to_string).collect();
        let words = oracle::arguments(&alone, &with(target, &more), None, &output);
        let said = self.output_of(&words.unwrap_or_default());
        let _ = std::fs::remove_file(output);
        said
    }

    /// Compiles the one unit of the case with more flags.
    pub(crate) fn compile(
        &self,
        target: &Target,
        more: &[&str],
        output: &Path,
    ) -> Result<String, Trouble> {
        let more: Vec<String> = more.iter().map(ToString::to_string).collect();
        let words = oracle::arguments(self.case, &with(target, &more), None, output);
        self.output_of(&words.unwrap_or_default())
    }

    /// Where that happens.
    pub(crate) fn folder(&self) -> &Path {
        self.folders[0].path()
    }

    /// What a compiler says to these flags alone, without a program.
    pub(crate) fn settings(&self, target: &Target, more: &[&str]) -> Result<String, Trouble> {
        let mut words = target.command(self.case.language).unwrap_or_default().to_vec();
        words.extend(target.flags.iter().map(OsString::from));
        words.extend(more.iter().map(OsString::from));
        self.output_of(&words)
    }

    /// Both streams of a command, whatever came of it: a compiler may crash after it listed.
    fn output_of(&self, words: &[OsString]) -> Result<String, Trouble> {
        let Some((program, args)) = words.split_first() else { return Ok(String::new()) };
        let (folder, limits) = (&self.folders[0], &self.lab.limits);
        let ended = Run::new(program, limits.compile_wall)
            .args(args)
            .cwd(folder.path())
            .env("LC_ALL", "C")
            .env("TMPDIR", folder.path())
            .cpu(limits.compile_cpu)
            .memory(limits.memory)
            .file_size(limits.file_size)
            .processes(limits.processes)
            .output_cap(MESSAGES)
            .stop(&self.lab.stop)
            .finish();
        match ended {
            Ended::Killed(KillReason::Stop, _) => Err(Trouble::Stopped),
            Ended::Finished(done) | Ended::Killed(_, done) => {
                Ok(done.stdout.text() + &done.stderr.text())
            }
            Ended::NotStarted(error) => {
                Err(Trouble::Io(format!("cannot start {}: {error}", program.display())))
            }
        }
    }
}

/// A target with more flags behind its own.
pub(crate) fn with(target: &Target, more: &[String]) -> Target {
    let mut target = target.clone();
    target.flags.extend_from_slice(more);
    target
}

/// Folders that hold the files of a case: one observation is made in each at a time.
pub(crate) fn folders(lab: &Lab, case: &Case, jobs: usize) -> Result<Vec<Scratch>, Trouble> {
    (0..jobs.max(1))
        .map(|_| {
            let folder = Scratch::new()
                .map_err(|error| Trouble::Io(format!("cannot make a scratch folder: {error}")))?;
            lab.write(case, folder.path())?;
            Ok(folder)
        })
        .collect()
}

/// Does `count` pieces of work, one in each folder at a time. The first trouble ends it all.
pub(crate) fn side_by_side<T: Send>(
    count: usize,
    folders: &[Scratch],
    work: &(dyn Fn(usize, &Path) -> Result<T, Trouble> + Sync),
) -> Result<Vec<T>, Trouble> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new((Vec::with_capacity(count), None));
    let account = Account::current();
    thread::scope(|scope| {
        for folder in folders {
            let account = account.clone();
            let work = || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count {
                        break;
                    }
                    let result = work(i, folder.path());
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    match result {
                        Ok(result) => done.0.push((i, result)),
                        Err(trouble) => {
                            done.1.get_or_insert(trouble);
                            next.store(count, Ordering::Relaxed);
                        }
                    }
                }
            };
            scope.spawn(move || Account::charge(account, work));
        }
    });
    let (mut results, trouble) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    results.sort_by_key(|(i, _)| *i);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
