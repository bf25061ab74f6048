//! A libLLVM as baseline: of modules under passes, and of C programs under sequences of them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use finding::{ModuleFault, ModuleSubject, SequenceSubject, Subject};
use llvmhost::{Installed, Limits, Program, Server};
use optimise::locate::{OnText, Optimiser as _};
use optimise::shrink::{Candidate, EditKind, Tester};
use optimise::verdict::Verdict;
use oracle::{Assessment, FailureKind, Opinion, Trouble};
use refine::{Checker, Refinement as _, Scope, Verdict as Refined};
use sandbox::Stop;

use super::common_words::in_common_words;
use super::{AT_EASE, BaselineVerdict, no_checks};
use crate::module::{compiler, identity, outcome_of, serve};
use crate::program::sequence_on;
use crate::record::{NewFinding, Standing, TargetResult, Tested};

/// The older library of a comparison.
#[derive(Clone, Debug)]
pub(crate) struct LibraryBaseline {
    pub library: Installed,
    program: Program,
    /// Idle servers.
    servers: Arc<Mutex<Vec<Server>>>,
    /// Signatures of what both fail on.
    shown: Arc<Mutex<BTreeSet<String>>>,
    /// The library that it is compared with, once it is needed.
    newer: Arc<OnceLock<Option<Box<LibraryBaseline>>>>,
}

impl LibraryBaseline {
    /// This library; `program` is what its servers are started with.
    pub fn new(library: &Installed, program: &Program) -> LibraryBaseline {
        LibraryBaseline {
            library: library.clone(),
            program: program.clone(),
            servers: Arc::default(),
            shown: Arc::default(),
            newer: Arc::default(),
        }
    }

    /// A finding of the newer library, as far as it is one of the comparison. What became of it is a word on `target`.
    pub fn compared(
        &self,
        mut found: NewFinding,
        target: &str,
        limits: Limits,
        stop: &Stop,
        tested: &mut Tested,
    ) -> Result<Option<NewFinding>, Trouble> {
        let (verdict, release) = self.with_server(|server| {
            let verdict = self.ask(server, &mut found, limits, stop);
            (verdict, server.release.clone())
        })?;
        if !found.stands() {
            // What is disputed is no failure of anybody's.
            return Ok(Some(found));
        }
        let verdict = match verdict? {
            // Another order of passes hides a bug here and there; by its own words it is one that was there before.
            BaselineVerdict::Right if self.has_shown(&found) => BaselineVerdict::CannotTell(
                format!("{} fails in the same way on other modules", compiler(&self.library)),
            ),
            verdict => verdict,
        };
        let (word, found) = match verdict {
            BaselineVerdict::Right => {
                let here = identity(&self.library, &release);
                let subject = found.subject.against(Some(here));
                (TargetResult::Failed(found.kind), Some(NewFinding { subject, ..found }))
            }
            BaselineVerdict::Wrong => {
                self.shown().insert(found.signature);
                (TargetResult::FailedBefore(found.kind), None)
            }
            BaselineVerdict::CannotTell(why) => {
                let word = TargetResult::CannotTell(found.kind);
                (word, Some(cannot_tell(found, &compiler(&self.library), why)))
            }
        };
        tested.targets.push((target.to_string(), word));
        Ok(found)
    }

    fn ask(
        &self,
        server: &mut Server,
        found: &mut NewFinding,
        limits: Limits,
        stop: &Stop,
    ) -> Result<BaselineVerdict, Trouble> {
        let is_assertion = is_assertion(found);
        Ok(match &found.subject {
            Subject::Module(module) => {
                let Some(file) = found.files.first_mut() else {
                    return Ok(BaselineVerdict::CannotTell("it has no file".into()));
                };
                let asked = AskedModule { module, kind: found.kind, is_assertion };
                let (verdict, plain) = self.ask_in_its_words(server, &file.bytes, &asked, limits);
                // What was compared is what is kept.
                file.bytes = plain.unwrap_or_else(|| std::mem::take(&mut file.bytes));
                verdict
            }
            Subject::Sequence(sequence) => {
                self.ask_sequence(server, found, sequence, limits, stop)?
            }
            Subject::Program(_) | Subject::Judged(_) => {
                BaselineVerdict::CannotTell("it is not about passes".into())
            }
        })
    }

    /// What it does with a module, in words that it knows if need be: then these come second, and the newer library
    /// still fails on that.
    fn ask_in_its_words(
        &self,
        server: &mut Server,
        text: &[u8],
        asked: &AskedModule<'_>,
        limits: Limits,
    ) -> (BaselineVerdict, Option<Vec<u8>>) {
        let first = self.ask_module(server, text, asked, limits);
        let plain = in_common_words(&String::from_utf8_lossy(text)).into_bytes();
        if !matches!(first, BaselineVerdict::CannotTell(_)) || plain == text {
            return (first, None);
        }
        let newer = self.newer.get_or_init(|| {
            let library = crate::module::installed(&asked.module.library).ok()?;
            Some(Box::new(LibraryBaseline::new(&library, &self.program)))
        });
        let still_fails = newer.as_ref().is_some_and(|newer| {
            let seen = newer.with_server(|server| newer.ask_module(server, &plain, asked, limits));
            seen == Ok(BaselineVerdict::Wrong)
        });
        match still_fails.then(|| self.ask_module(server, &plain, asked, limits)) {
            Some(second @ (BaselineVerdict::Right | BaselineVerdict::Wrong)) => {
                (second, Some(plain))
            }
            Some(BaselineVerdict::CannotTell(_)) | None => (first, None),
        }
    }

    fn ask_module(
        &self,
        server: &mut Server,
        text: &[u8],
        asked: &AskedModule<'_>,
        limits: Limits,
    ) -> BaselineVerdict {
        let name = compiler(&self.library);
        let cannot_tell = |why: &str| BaselineVerdict::CannotTell(format!("{name}: {why}"));
        let passes = llvmhost::without_fixpoint_check(&asked.module.passes, self.library.major);
        if asked.module.fault == ModuleFault::Refinement {
            let own = Checker::new(None).within(Scope::Module);
            return match does_refine(server, &String::from_utf8_lossy(text), &passes, &own, limits)
            {
                Some(true) => BaselineVerdict::Right,
                Some(false) => BaselineVerdict::Wrong,
                None => cannot_tell(
                    "it does not take the module, or what it makes of it cannot be judged",
                ),
            };
        }
        let limits = match asked.kind {
            FailureKind::CompilerHang => Limits { time: limits.time / AT_EASE, ..limits },
            FailureKind::CompilerMemory => {
                Limits { memory: limits.memory / u64::from(AT_EASE), ..limits }
            }
            _ => limits,
        };
        let is_code = asked.module.fault == ModuleFault::CodeGenerator;
        match outcome_of(server, text, &passes, is_code, limits) {
            Ok(Verdict::Fine(_)) if asked.is_assertion && !self.library.assertions => {
                BaselineVerdict::CannotTell(no_checks(&name))
            }
            Ok(Verdict::Fine(_)) => BaselineVerdict::Right,
            Ok(Verdict::Fault(fault)) if is_of_limits(asked.kind) && is_limit(fault.fault) => {
                cannot_tell("it needs nearly as much")
            }
            Ok(Verdict::Fault(_)) => BaselineVerdict::Wrong,
            Ok(Verdict::Refused(why) | Verdict::Trouble(why)) => {
                cannot_tell(&llvmhost::printable(why.lines().next().unwrap_or_default(), 200))
            }
            Err(error) => cannot_tell(&error.to_string()),
        }
    }

    fn ask_sequence(
        &self,
        server: &mut Server,
        found: &NewFinding,
        sequence: &SequenceSubject,
        limits: Limits,
        stop: &Stop,
    ) -> Result<BaselineVerdict, Trouble> {
        let case = sequence.case(&found.files);
        let clang = PathBuf::from(&sequence.clang);
        Ok(match sequence_on(server, &case, sequence, &clang, limits, stop)? {
            Ok(true) => BaselineVerdict::Right,
            Ok(false) => BaselineVerdict::Wrong,
            Err(why) => BaselineVerdict::CannotTell(format!("{}: {why}", compiler(&self.library))),
        })
    }

    /// Whether it has failed as this finding says on another module. Only a failure that names its bug tells.
    fn has_shown(&self, found: &NewFinding) -> bool {
        found.subject.is_module()
            && found.kind.names_its_bug()
            && self.shown().contains(&found.signature)
    }

    /// Signatures of what both fail on.
    fn shown(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with an idle server.
    fn with_server<T>(&self, work: impl FnOnce(&mut Server) -> T) -> Result<T, Trouble> {
        let idle = self.servers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut server = match idle {
            Some(server) => server,
            None => serve(&self.program, &self.library).map_err(Trouble::Io)?,
        };
        let done = work(&mut server);
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).push(server);
        Ok(done)
    }
}

/// A module on which the newer library fails.
struct AskedModule<'a> {
    module: &'a ModuleSubject,
    kind: FailureKind,
    is_assertion: bool,
}

fn is_of_limits(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::CompilerHang | FailureKind::CompilerMemory)
}

fn is_limit(fault: llvmhost::Fault) -> bool {
    matches!(fault, llvmhost::Fault::Hang | llvmhost::Fault::Memory)
}

/// Whether it is an assertion that failed, by LLVM's own words.
fn is_assertion(found: &NewFinding) -> bool {
    let messages = found.artifacts.iter().filter(|file| file.name == "messages");
    let says = |text: &str| triage::is_internal_check(text);
    found.kind == FailureKind::CompilerCrash
        && (says(&found.summary)
            || messages.into_iter().any(|file| says(&String::from_utf8_lossy(&file.bytes))))
}

/// A finding of which it is not known whether it is new.
pub(crate) fn cannot_tell(mut found: NewFinding, name: &str, why: String) -> NewFinding {
    found.standing = Standing::CannotTell;
    let says = Assessment::Silent(format!("cannot tell: {why}"));
    found.certificate.opinions.push(Opinion { tool: name.into(), command: String::new(), says });
    found
}

/// Whether what passes make of a module refines it, as far as executions show; `None` where that cannot be told.
fn does_refine(
    server: &mut Server,
    module: &str,
    passes: &str,
    own: &Checker,
    limits: Limits,
) -> Option<bool> {
    let mut optimiser = OnText { server, limits, x86: true };
    let before = optimiser.run(module, "verify")?;
    let after = optimiser.run(&before, passes)?;
    match own.check(&before, &after) {
        Refined::Proved | Refined::Held(_) => Some(true),
        Refined::Refuted(_) => Some(false),
        Refined::Unknown(_) | Refined::Timeout | Refined::Error(_) => None,
    }
}

/// A reduction on the newer library in which the baseline must stay right.
pub(crate) struct BaselineTester<'a, T> {
    inner: &'a mut T,
    baseline: LibraryBaseline,
    asked: AskedModule<'a>,
    limits: Limits,
}

impl<'a, T: Tester> BaselineTester<'a, T> {
    /// What `inner` shows of a finding, as far as the library of its module's baseline is right about it. An error
    /// is a sentence.
    pub fn new(
        inner: &'a mut T,
        found: &NewFinding,
        module: &'a ModuleSubject,
        program: &Program,
        limits: Limits,
    ) -> Result<Option<BaselineTester<'a, T>>, String> {
        let Some(library) = &module.baseline else { return Ok(None) };
        let library = crate::module::installed(library)?;
        let baseline = LibraryBaseline::new(&library, program);
        let is_assertion = is_assertion(found);
        let asked = AskedModule { module, kind: found.kind, is_assertion };
        Ok(Some(BaselineTester { inner, baseline, asked, limits }))
    }

    fn is_right(&self, text: &[u8], passes: &str) -> bool {
        let module = ModuleSubject { passes: passes.into(), ..self.asked.module.clone() };
        let asked = AskedModule { module: &module, ..self.asked };
        let verdict = self.baseline.with_server(|server| {
            self.baseline.ask_in_its_words(server, text, &asked, self.limits).0
        });
        verdict == Ok(BaselineVerdict::Right)
    }
}

impl<T: Tester> Tester for BaselineTester<'_, T> {
    fn try_all(&mut self, base: &[u8], candidates: &[Candidate]) -> Vec<Option<Vec<u8>>> {
        let shown = self.inner.try_all(base, candidates);
        let is_new = |(text, candidate): (Option<Vec<u8>>, &Candidate)| {
            text.filter(|text| self.is_right(text, &candidate.passes))
        };
        shown.into_iter().zip(candidates).map(is_new).collect()
    }

    fn count(&mut self, base: &[u8], kind: EditKind) -> usize {
        self.inner.count(base, kind)
    }

    fn expansions(&mut self, base: &[u8], passes: &str) -> Vec<String> {
        self.inner.expansions(base, passes)
    }
}
