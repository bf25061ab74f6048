//! Whether a target works at all with its flags: a small program ([`TARGET_PROBE`]), compiled and run with
//! exactly those flags.
//!
//! A target that fails is asked before it is blamed, once. It is left out where the compiler refuses the
//! flags, where the processor or the emulator lacks an instruction, where a sanitizer cannot start, where the
//! linker dies. Whatever else goes wrong with the probe may be a bug, and leaves nothing out. Flags are
//! drawn for each test, and most targets never fail: no target is probed before it fails.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sandbox::Scratch;
use toolchain::{Language, TARGET_PROBE, Target, is_about_flags};

use crate::case::{Case, Expected, SourceFile};
use crate::lab::{Lab, Trouble};
use crate::observe::Behaviour;
use crate::runner::SIGILL;

/// For targets whose programs are not run: they may have no headers.
const COMPILED: &str = "int probe(int a) { return a + 1; }\n";

/// What became of a target's probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// What it does with other programs is its own doing.
    Ready,
    /// What it does says nothing about the compiler; why, as the end of a sentence that begins with
    /// the target.
    LeftOut(String),
    /// The compiler breaks down on the probe already; how, as the end of such a sentence.
    Breaks(String),
}

/// What is found out of one target.
type Slot = Arc<Mutex<Option<Readiness>>>;

/// The targets that were probed so far. Those who ask at the same time wait for one probe.
#[derive(Debug, Default)]
pub struct TargetProbes {
    /// By language, command, runner and flags.
    asked: Mutex<BTreeMap<String, Slot>>,
    /// Sentences that were not taken yet.
    notices: Mutex<BTreeSet<String>>,
}

impl TargetProbes {
    /// What is known of a target, if it was probed.
    pub fn known(&self, language: Language, target: &Target) -> Option<Readiness> {
        let slot = self.lock_asked().get(&key(language, target)).cloned()?;
        slot.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Probes a target, if that was not done yet.
    pub fn ask(
        &self,
        lab: &Lab,
        language: Language,
        target: &Target,
    ) -> Result<Readiness, Trouble> {
        let slot = self.lock_asked().entry(key(language, target)).or_default().clone();
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*slot {
            return Ok(known.clone());
        }
        let found = probe(lab, language, target)?;
        let sentence = match &found {
            Readiness::Ready => None,
            Readiness::LeftOut(why) => Some(format!("{} is left out: {why}", target.label())),
            Readiness::Breaks(how) => Some(format!("{} {how}", target.label())),
        };
        if let Some(sentence) = sentence {
            self.notices.lock().unwrap_or_else(PoisonError::into_inner).insert(sentence);
        }
        *slot = Some(found.clone());
        Ok(found)
    }

    /// One sentence for each target that is left out or breaks down, once.
    pub fn take_notices(&self) -> Vec<String> {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *notices).into_iter().collect()
    }

    fn lock_asked(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Slot>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(language: Language, target: &Target) -> String {
    let (command, runner) = (target.command(language), target.run_words());
    format!("{language:?} {command:?} {runner:?} {:?}", target.flags)
}

fn probe(lab: &Lab, language: Language, target: &Target) -> Result<Readiness, Trouble> {
    let scratch = Scratch::new().map_err(|e| Trouble::of(&e, "cannot make a folder".into()))?;
    let name = if language == Language::C { "probe.c" } else { "probe.cpp" };
    let text = if target.compiler.runner.is_compile_only() { COMPILED } else { TARGET_PROBE };
    let case = Case {
        language,
        files: vec![SourceFile { name: name.into(), bytes: text.into() }],
        standard: None,
        harness: None,
        include: Vec::new(),
        expected: Some(Expected { stdout: b"works\n".to_vec(), status: 0 }),
        omitted: Default::default(),
    };
    lab.write(&case, scratch.path())?;
    let ask = || Ok(judge(target, lab.observe(&case, scratch.path(), target)?.seen));
    // What another process did to it, it does not do twice.
    match ask()? {
        Readiness::LeftOut(_) => ask(),
        found => Ok(found),
    }
}

fn judge(target: &Target, seen: Behaviour) -> Readiness {
    let first = |text: &str| {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty());
        line.unwrap_or("no message").to_string()
    };
    match seen {
        Behaviour::Unsupported(why) => Readiness::LeftOut(first(&why)),
        Behaviour::Rejected(text) => match is_about_flags(&text) {
            Some(line) => Readiness::LeftOut(format!("the compiler refuses its flags: {line}")),
            None => Readiness::Ready,
        },
        // Without an emulator, and with flags for this processor, it is the compiler's own trap.
        Behaviour::Ran { status: SIGILL, .. } if target.compiler.runner.is_emulator() => {
            let words = target.run_words();
            let runner = words.first().map(Path::new).unwrap_or(Path::new("this processor"));
            let runner = runner.display();
            Readiness::LeftOut(format!("{runner} lacks an instruction that its programs use"))
        }
        Behaviour::Crashed(text) => Readiness::Breaks(format!(
            "crashes on the program with which targets are tried: {}",
            first(&text)
        )),
        Behaviour::CompilerHung => {
            Readiness::Breaks("hangs on the program with which targets are tried".into())
        }
        Behaviour::Exhausted(text) => Readiness::Breaks(format!(
            "exhausts its limits on the program with which targets are tried: {}",
            first(&text)
        )),
        // A sanitizer that objects to the probe objects to everything.
        Behaviour::Alarmed(report) => {
            Readiness::LeftOut(format!("its sanitizer stops a trivial program: {report}"))
        }
        Behaviour::Ran { .. } | Behaviour::Compiled | Behaviour::ProgramHung => Readiness::Ready,
    }
}
