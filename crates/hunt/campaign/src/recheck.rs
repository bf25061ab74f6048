//! Whether known bugs still reproduce with the installed compilers.
//!
//! A bug is fixed when every target that failed is tried again and is right. Where a compiler
//! is gone, nothing is known, whatever its relatives do. Another library, or compilers that are named in its place, are
//! asked about themselves: what they do is told, and changes nothing that is noted of the bug. Not here: whether it is the same bug that
//! makes a compiler fail now; the same kind of failure on the same program counts.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use finding::{
    CompilerTarget, LibraryIdentity, ModuleSubject, ProgramSubject, SequenceSubject, Subject,
};
use llvmhost::Installed;
use oracle::{Case, Expected, FailureKind, Lab, SourceFile, Trouble};
use sandbox::{Scratch, Stop};
use toolchain::{Abi, Compiler, Family, Language, Preprocessor, Target};
use triage::Mask;

use crate::module::{LlvmTools, identity, recheck_module};
use crate::predict::predict;
use crate::program::recheck_program;
use crate::record::{BugState, Finding, Study};
use crate::store::Store;
use crate::study::CompilerFinder;

/// Code that reads what a miscompilation left uninitialised fails only now and then.
const TRIES: usize = 3;

/// Steps of the machine for a program whose exit status is not stored; as many as a hunt allows.
const FUEL: u64 = 20_000_000;

/// The smallest that shows a finding: its study's program, or its own.
#[derive(Clone, Copy, Debug)]
pub struct Specimen<'a> {
    /// What fails on what.
    pub subject: &'a Subject,
    /// The files.
    pub files: &'a [SourceFile],
    /// How it fails.
    pub kind: FailureKind,
    /// What hides it, if it was studied.
    pub mask: Option<&'a Mask>,
}

impl<'a> Specimen<'a> {
    /// Of a finding and, if it was studied, its study.
    pub fn of(found: &'a Finding, study: Option<&'a Study>) -> Specimen<'a> {
        let kind = found.finding.kind;
        match study {
            Some(study) => {
                let mask = Some(&study.mask);
                Specimen { subject: &study.subject, files: &study.files, kind, mask }
            }
            None => {
                let found = &found.finding;
                Specimen { subject: &found.subject, files: &found.files, kind, mask: None }
            }
        }
    }

    /// Its program with the answer.
    pub fn case(&self) -> Result<Case> {
        let mut case = match self.subject {
            Subject::Program(it) => it.case(self.files),
            Subject::Sequence(it) => it.case(self.files),
            Subject::Module(_) => bail!("it is a module of LLVM's, and no program"),
            Subject::Judged(_) => return Err(judged(self.kind)),
        };
        if case.expected.is_none() && self.kind.is_wrong_code() {
            bail!("its expected output was not stored");
        }
        let unsure = matches!(self.subject, Subject::Program(it) if !it.is_status_known);
        if unsure && case.expected.is_some() {
            case.expected = Some(ask_machine(&case)?);
        }
        Ok(case)
    }
}

/// Writes the files of a finding into a folder, which is made if it is not there.
pub fn write_files(files: &[SourceFile], dir: &Path) -> Result<(), Trouble> {
    let case = Case {
        language: Language::C,
        files: files.to_vec(),
        standard: None,
        harness: None,
        include: Vec::new(),
        expected: None,
        omitted: Default::default(),
    };
    Lab::default().write(&case, dir)
}

/// Why no compiler can be asked about a finding.
pub(crate) fn judged(kind: FailureKind) -> anyhow::Error {
    let kind = kind.name();
    anyhow!("it is a {kind} of a tool that checks programs: no compiler can be asked again")
}

/// The result.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecheckOutcome {
    /// It still reproduces.
    Fails,
    /// All targets that failed are right.
    Fixed,
    /// Right on what was asked in their place.
    Right,
    /// Not known.
    #[default]
    Unknown,
}

/// Whether what hid a bug still does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MaskState {
    /// It does: it is the bug that was studied.
    Hides,
    /// It does not: something else is wrong with the program now.
    HidesNoMore,
}

/// A program tried again.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Rechecked {
    /// The result.
    pub verdict: RecheckOutcome,
    /// Labels of the targets that fail as before, those that failed first.
    pub fails: Vec<String>,
    /// Labels of those that do as they must.
    pub right: Vec<String>,
    /// Names of compilers that failed and are not there any more.
    pub gone: Vec<String>,
    /// Labels of targets that fail in another way, or cannot take the program, with what they do.
    pub otherwise: Vec<(String, String)>,
    /// Whether what hid the bug still does, where it fails and that can be asked.
    pub mask: Option<MaskState>,
    /// Another library or other compilers were asked, and nothing of what failed: it says nothing about the bug there.
    pub is_elsewhere: bool,
}

fn ask_machine(case: &Case) -> Result<Expected> {
    let scratch = Scratch::new()?;
    Lab::default().write(case, scratch.path())?;
    let found = Preprocessor::find()?;
    let preprocessor = case.include.iter().fold(found, |p, dir| p.include(dir));
    let units: Vec<_> = case.units().map(|unit| scratch.file(unit)).collect();
    match predict(&units, &preprocessor, FUEL, &mut Default::default()) {
        Ok(answer) if answer.expected.stdout == case.stdout() => Ok(answer.expected),
        Ok(_) => bail!("its program prints something else in the machine of today"),
        Err(unusable) => {
            bail!("the machine has no answer: {} ({})", unusable.reason, unusable.detail)
        }
    }
}

/// How findings are tried again.
pub struct RecheckOptions<'a> {
    /// For findings of LLVM's passes.
    pub tools: LlvmTools<'a>,
    /// All compilers are asked, and not only what failed and its relatives.
    pub everywhere: bool,
    /// The library to ask in the place of the one that failed.
    pub library: Option<&'a Installed>,
    /// Ends it.
    pub stop: Stop,
}

/// Tries a finding again, whatever it is about. An error is of this finding alone; `Trouble` is of the machine.
pub fn recheck_finding(
    specimen: Specimen<'_>,
    options: &RecheckOptions<'_>,
    finder: &mut dyn CompilerFinder,
    begin: &mut dyn FnMut(&str),
) -> Result<Result<Rechecked, String>> {
    let on = |failed: &LibraryIdentity| match options.library {
        Some(library) => identity(library, ""),
        None => failed.clone(),
    };
    let elsewhere = |failed: &LibraryIdentity, done: Result<Rechecked, String>| {
        let is_own = on(failed).path == failed.path;
        done.map(|done| if is_own { done } else { done.elsewhere() })
    };
    match specimen.subject {
        Subject::Module(it) => {
            let asked = ModuleSubject { library: on(&it.library), ..it.clone() };
            let done = recheck_module(specimen, &asked, options.tools, begin);
            Ok(elsewhere(&it.library, done))
        }
        Subject::Sequence(it) => {
            let asked = SequenceSubject { library: on(&it.library), ..it.clone() };
            let done = recheck_program(specimen, &asked, options.tools, begin);
            Ok(elsewhere(&it.library, done))
        }
        Subject::Judged(_) => Ok(Err(format!("{:#}", judged(specimen.kind)))),
        Subject::Program(it) => {
            let case = match specimen.case() {
                Ok(case) => case,
                Err(error) => return Ok(Err(format!("{error:#}"))),
            };
            let (compilers, limits) = finder.find(it.language, &it.needed_compilers())?;
            let lab = Lab { limits, stop: options.stop.clone() };
            Ok(Ok(recheck(&lab, &case, it, &compilers, options.everywhere, begin)?))
        }
    }
}

/// Tries a program again on what failed, and on relatives of that among `compilers`; on all of them
/// if `everywhere`. Calls `begin` with the label of each target before it is its turn.
pub fn recheck(
    lab: &Lab,
    case: &Case,
    subject: &ProgramSubject,
    compilers: &[Arc<Compiler>],
    everywhere: bool,
    begin: &mut dyn FnMut(&str),
) -> Result<Rechecked, Trouble> {
    let kind = &subject.kind;
    let scratch = Scratch::new().map_err(|error| Trouble::Io(error.to_string()))?;
    lab.write(case, scratch.path())?;
    let mut done =
        Rechecked { gone: gone(&subject.failing_compilers(), compilers), ..Rechecked::default() };
    let mut doubt = false;
    for Asked { target, before, is_failing } in targets(subject, compilers, everywhere) {
        // A hang costs minutes at each level: the first says enough.
        if is_hang(*kind) && (!before || !done.fails.is_empty()) {
            continue;
        }
        let label = target.label();
        begin(&label);
        let tries = if before && kind.is_wrong_code() { TRIES } else { 1 };
        let mut seen = lab.observe(case, scratch.path(), &target)?;
        for _ in 1..tries {
            if !seen.seen.is_right(case) {
                break;
            }
            seen = lab.observe(case, scratch.path(), &target)?;
        }
        match seen.seen.kind(case) {
            Some(now) if may_share_cause(*kind, now) => done.fails.push(label),
            Some(now) => {
                doubt |= is_failing;
                done.otherwise.push((label, now.name().into()));
            }
            None if seen.seen.is_right(case) => done.right.push(label),
            None => {
                doubt |= is_failing;
                done.otherwise.push((label, "unsupported".into()));
            }
        }
    }
    // Who names other compilers wants to know about these.
    done.is_elsewhere = everywhere && done.gone.len() == subject.failing_compilers().len();
    done.verdict = match () {
        () if !done.fails.is_empty() => RecheckOutcome::Fails,
        () if doubt || done.right.is_empty() => RecheckOutcome::Unknown,
        () if done.is_elsewhere => RecheckOutcome::Right,
        () if !done.gone.is_empty() => RecheckOutcome::Unknown,
        () => RecheckOutcome::Fixed,
    };
    Ok(done)
}

/// A target that is asked.
struct Asked {
    target: Target,
    /// Whether it failed before.
    before: bool,
    /// Whether its flags are those with which something failed.
    is_failing: bool,
}

/// What is asked, those that failed first. Compilers that did not fail are asked with the flags that did, too.
fn targets(subject: &ProgramSubject, compilers: &[Arc<Compiler>], all: bool) -> Vec<Asked> {
    let has_failed = |c: &Compiler| subject.failing.iter().any(|t| t.compiler == c.name);
    let families: Vec<Family> =
        compilers.iter().filter(|c| has_failed(c)).map(|c| c.family).collect();
    let related = |c: &Compiler| {
        all || families.contains(&c.family) && c.family != Family::Other
            || subject.failing.iter().any(|t| stem(&t.compiler) == stem(&c.name))
    };
    // With another data model the program may be another one.
    let takes = |c: &Compiler| {
        let of_failing = compilers.iter().any(|other| has_failed(other) && other.abi == c.abi);
        c.abi == Some(Abi::Lp64) || of_failing
    };
    let mut targets: Vec<Asked> = Vec::new();
    for compiler in compilers.iter().filter(|c| related(c) && takes(c)) {
        let before = has_failed(compiler);
        let own = |t: &&CompilerTarget| t.compiler == compiler.name || !before && all;
        let failing = subject.failing.iter().filter(own).map(|t| (t.flags.clone(), true));
        let levels = compiler.levels.iter().map(|level| {
            (level.split_whitespace().map(String::from).collect::<Vec<String>>(), false)
        });
        for (flags, is_failing) in failing.chain(levels) {
            let is_known =
                |t: &Asked| t.target.compiler.name == compiler.name && t.target.flags == flags;
            if !targets.iter().any(is_known) {
                let target = Target { compiler: compiler.clone(), flags };
                targets.push(Asked { target, before: before && is_failing, is_failing });
            }
        }
    }
    targets.sort_by_key(|asked| !asked.before);
    targets
}

/// Those of the names that no compiler has.
fn gone(names: &[String], compilers: &[Arc<Compiler>]) -> Vec<String> {
    let there = |name: &&String| compilers.iter().any(|c| c.name == **name);
    names.iter().filter(|name| !there(name)).cloned().collect()
}

/// A compiler's name without its version.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

fn is_hang(kind: FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::CompilerHang | FailureKind::RuntimeHang | FailureKind::CompilerMemory
    )
}

/// Whether two kinds may come of one fault, as the oracle sees it.
fn may_share_cause(a: FailureKind, b: FailureKind) -> bool {
    let endless = |kind| matches!(kind, FailureKind::CompilerHang | FailureKind::CompilerMemory);
    a == b || a.is_wrong_code() && b.is_wrong_code() || endless(a) && endless(b)
}

impl Rechecked {
    /// With the verdict of what was seen on all that failed.
    pub(crate) fn concluded(mut self) -> Rechecked {
        self.verdict = match () {
            () if !self.fails.is_empty() => RecheckOutcome::Fails,
            () if !self.otherwise.is_empty() || !self.gone.is_empty() => RecheckOutcome::Unknown,
            () => RecheckOutcome::Fixed,
        };
        self
    }

    /// What was asked is not what failed.
    fn elsewhere(mut self) -> Rechecked {
        self.is_elsewhere = true;
        if self.verdict == RecheckOutcome::Fixed {
            self.verdict = RecheckOutcome::Right;
        }
        self
    }

    /// Notes the verdict of a finding in the store; what cannot be told, or was not asked of what failed, changes
    /// nothing.
    pub fn note(&self, store: &mut Store, id: i64) -> Result<()> {
        match self.verdict {
            _ if self.is_elsewhere => Ok(()),
            RecheckOutcome::Fails => {
                store.set_state(id, BugState::Open, &format!("fails on {}", self.fails.join(", ")))
            }
            RecheckOutcome::Fixed => {
                store.set_state(id, BugState::Fixed, &format!("right on {}", self.right.join(", ")))
            }
            RecheckOutcome::Right | RecheckOutcome::Unknown => Ok(()),
        }
    }
}
