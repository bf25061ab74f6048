//! Whether known bugs still reproduce with the installed compilers.
//!
//! A bug is fixed when every target that failed is tried again and is right. Where a compiler
//! is gone, nothing is known, whatever its relatives do. Not here: whether it is the same bug that
//! makes a compiler fail now; the same kind of failure on the same program counts.

use std::sync::Arc;

use anyhow::{Result, bail};
use oracle::{Case, Expected, FailureKind, Lab, SourceFile, Trouble};
use sandbox::Scratch;
use toolchain::{Compiler, Family, Language, Preprocessor, Target};

use crate::predict::predict;
use crate::record::{BugState, Finding, Study};
use crate::store::{Recipe, Store, StoredTarget};

/// Code that reads what a miscompilation left uninitialised fails only now and then.
const TRIES: usize = 3;

/// Steps of the machine for a program whose exit status is not stored; as many as a hunt allows.
const FUEL: u64 = 20_000_000;

/// A program to be tried again.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The program and its answer.
    pub case: Case,
    /// How it failed.
    pub kind: FailureKind,
    /// Where: compilers by name, with flags.
    pub failed: Vec<(String, Vec<String>)>,
}

/// The result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecheckOutcome {
    /// It still reproduces.
    Fails,
    /// All targets that failed are right.
    Fixed,
    /// Not known.
    Unknown,
}

/// A program tried again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
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
}

impl Subject {
    /// A finding as it was found, with what is stored of targets.
    pub fn of_finding(found: &Finding, targets: &[StoredTarget]) -> Result<Subject> {
        let failed = split(&found.finding.targets, targets);
        Ok(Subject { case: stored_case(found, &failed)?, kind: found.finding.kind, failed })
    }

    /// A reduced finding.
    pub fn of_study(study: &Study, kind: FailureKind, targets: &[StoredTarget]) -> Subject {
        let mut failed = vec![(study.compiler.clone(), study.flags.clone())];
        for one in split(&study.targets, targets) {
            if !failed.contains(&one) {
                failed.push(one);
            }
        }
        Subject { case: study_case(study), kind, failed }
    }

    /// The smallest that shows a finding: its study's program, or its own.
    pub fn of(store: &Store, found: &Finding) -> Result<Subject> {
        let targets = store.stored_targets()?;
        match store.study(found.id)? {
            Some(study) => Ok(Subject::of_study(&study, found.finding.kind, &targets)),
            None => Subject::of_finding(found, &targets),
        }
    }
}

/// Compilers and flags of labels. A compiler's name may have blanks: the store knows them.
fn split(labels: &[String], targets: &[StoredTarget]) -> Vec<(String, Vec<String>)> {
    let one = |label: &String| {
        let known = targets.iter().find(|target| target.label == *label);
        let name = match known {
            Some(target) => target.compiler.as_str(),
            None => label.split(' ').next().unwrap_or_default(),
        };
        let flags = label.strip_prefix(name).unwrap_or_default();
        (name.to_string(), flags.split_whitespace().map(String::from).collect())
    };
    labels.iter().map(one).collect()
}

/// The language of files, by their names.
fn language(files: &[SourceFile]) -> Language {
    let is_cxx = |file: &SourceFile| [".cpp", ".cc"].iter().any(|end| file.name.ends_with(end));
    if files.iter().any(is_cxx) { Language::Cxx } else { Language::C }
}

/// The program of a study.
pub fn study_case(study: &Study) -> Case {
    let flags: Vec<&str> = study.flags.iter().map(String::as_str).collect();
    let recipe = study.commands.iter().find_map(|command| Recipe::read(command, &flags));
    Case {
        language: language(&study.files),
        files: study.files.clone(),
        standard: study.standard.clone(),
        harness: None,
        include: recipe.map_or_else(Vec::new, |recipe| recipe.include()),
        expected: study.expected.clone(),
    }
}

/// The program of a finding, put together from what was stored of it; `failed` are its targets.
pub fn stored_case(found: &Finding, failed: &[(String, Vec<String>)]) -> Result<Case> {
    let finding = &found.finding;
    let read = |(command, (_, flags)): (&String, &(String, Vec<String>))| {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        Recipe::read(command, &flags)
    };
    let recipe = finding.commands.iter().zip(failed).find_map(read).unwrap_or_default();
    if !finding.kind.is_of_a_compiler() {
        bail!(
            "it is a {} of a tool that checks programs: no compiler can be asked again",
            finding.kind.name()
        );
    }
    // A program without an answer has none to keep.
    let expected = finding.artifacts.iter().find(|file| file.name == "expected");
    if expected.is_none() && finding.kind.is_wrong_code() {
        bail!("its expected output was not stored");
    }
    // What every compiler is told without being asked; another compiler is told something else.
    let usual = ["gnu11", "c11", "c++17"];
    let standard = recipe.standard().filter(|standard| !usual.contains(standard));
    let mut case = Case {
        language: language(&finding.files),
        files: finding.files.clone(),
        standard: standard.map(String::from),
        harness: recipe.harness().map(String::from),
        include: recipe.include(),
        expected: expected.map(|file| Expected { stdout: file.bytes.clone(), status: 0 }),
    };
    // Programs of generators end well; of others the status was not kept.
    if found.engine.starts_with("files ") {
        case.expected = Some(ask_machine(&case)?);
    }
    Ok(case)
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

/// Tries a program again on what failed, and on relatives of that among `compilers`; on all of them
/// if `everywhere`. Calls `begin` with the label of each target before it is its turn.
pub fn recheck(
    lab: &Lab,
    subject: &Subject,
    compilers: &[Arc<Compiler>],
    everywhere: bool,
    begin: &mut dyn FnMut(&str),
) -> Result<Rechecked, Trouble> {
    let Subject { case, kind, failed } = subject;
    let scratch = Scratch::new().map_err(|error| Trouble::Io(error.to_string()))?;
    lab.write(case, scratch.path())?;
    let mut done = Rechecked {
        verdict: RecheckOutcome::Unknown,
        fails: Vec::new(),
        right: Vec::new(),
        gone: gone(failed, compilers),
        otherwise: Vec::new(),
    };
    let mut doubt = !done.gone.is_empty();
    for (target, before) in targets(subject, compilers, everywhere) {
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
                doubt |= before;
                done.otherwise.push((label, now.name().into()));
            }
            None if seen.seen.is_right(case) => done.right.push(label),
            None => {
                doubt |= before;
                done.otherwise.push((label, "unsupported".into()));
            }
        }
    }
    done.verdict = match () {
        () if !done.fails.is_empty() => RecheckOutcome::Fails,
        () if doubt || done.right.is_empty() => RecheckOutcome::Unknown,
        () => RecheckOutcome::Fixed,
    };
    Ok(done)
}

/// What is asked, those that failed first, and whether each did.
fn targets(subject: &Subject, compilers: &[Arc<Compiler>], all: bool) -> Vec<(Target, bool)> {
    let has_failed = |c: &Compiler| subject.failed.iter().any(|(name, _)| *name == c.name);
    let families: Vec<Family> =
        compilers.iter().filter(|c| has_failed(c)).map(|c| c.family).collect();
    let related = |c: &Compiler| {
        all || families.contains(&c.family) && c.family != Family::Other
            || subject.failed.iter().any(|(name, _)| stem(name) == stem(&c.name))
    };
    let mut targets: Vec<(Target, bool)> = Vec::new();
    for compiler in compilers.iter().filter(|c| related(c)) {
        let own = subject.failed.iter().filter(|(name, _)| *name == compiler.name);
        let levels = compiler.levels.iter().map(|level| {
            (level.split_whitespace().map(String::from).collect::<Vec<String>>(), false)
        });
        for (flags, before) in own.map(|(_, flags)| (flags.clone(), true)).chain(levels) {
            if targets.iter().all(|(t, _)| t.compiler.name != compiler.name || t.flags != flags) {
                targets.push((Target { compiler: compiler.clone(), flags }, before));
            }
        }
    }
    targets.sort_by_key(|(_, before)| !before);
    targets
}

fn gone(failed: &[(String, Vec<String>)], compilers: &[Arc<Compiler>]) -> Vec<String> {
    let mut gone: Vec<String> = failed.iter().map(|(name, _)| name.clone()).collect();
    gone.sort();
    gone.dedup();
    gone.retain(|name| compilers.iter().all(|c| c.name != *name));
    gone
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
    /// Notes the verdict of a finding in the store; what cannot be told changes nothing.
    pub fn note(&self, store: &mut Store, id: i64) -> Result<()> {
        match self.verdict {
            RecheckOutcome::Fails => {
                store.set_state(id, BugState::Open, &format!("fails on {}", self.fails.join(", ")))
            }
            RecheckOutcome::Fixed => {
                store.set_state(id, BugState::Fixed, &format!("right on {}", self.right.join(", ")))
            }
            RecheckOutcome::Unknown => Ok(()),
        }
    }
}
