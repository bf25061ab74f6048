//! From a finding to a bug report: reduced, blamed, with the versions that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use choice::Choices;
use finding::{ProgramSubject, Subject};
use oracle::{
    Assessment, Behaviour, Case, Detectors, Expected, Failure, FailureKind, Fault, Lab, Limits,
    Observation, Opinion, SourceFile, Suspicion, Trouble,
};
use reduce::{NotReduced, ReduceOptions, ReduceProgress, Reduced};
use sandbox::Scratch;
use toolchain::{Compiler, Language, Target};
use triage::{Construct, Mask, MaskProbe};

use crate::attribution::{KnownBugs, same_bug};
use crate::front;
use crate::module::{LlvmTools, study_module};
use crate::operators::operators_of;
use crate::predict::own_opinion;
use crate::program::study_program;
use crate::recheck::{Specimen, judged};
use crate::record::{Finding, Study};
use crate::relatives::relatives;

/// Targets of other compilers that must stay right, at most: one of each.
const OTHERS: usize = 6;
/// Failing targets that must stay so, at most.
const FAILING: usize = 6;
/// Bytes kept of what a reduced program prints: it prints a few lines.
const KEPT: usize = 1 << 16;

/// What is wrong with a program at the levels of these compilers, the most severe of it, if anything. Nobody is asked twice, and no detector at all: this is for programs whose
/// validity the caller answers for. Calls `begin` with the label of each target.
pub fn failing(
    case: &Case,
    compilers: &[Arc<Compiler>],
    order: &ReduceOptions,
    begin: &(dyn Fn(&str) + Sync),
) -> Result<Option<ProgramSubject>, Trouble> {
    let targets = toolchain::targets(compilers, 0, &mut Choices::new(0));
    let lab = Lab { limits: order.limits.clone(), stop: order.stop.clone() };
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(usize, Observation)>, Trouble> {
        let scratch = Scratch::new().map_err(|error| Trouble::Io(error.to_string()))?;
        lab.write(case, scratch.path())?;
        let mut seen = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(target) = targets.get(at) else { return Ok(seen) };
            begin(&target.label());
            seen.push((at, lab.observe(case, scratch.path(), target)?));
        }
    };
    let parts: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..order.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    let mut seen: Vec<(usize, Observation)> = Vec::new();
    for part in parts {
        seen.extend(part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    seen.sort_by_key(|(at, _)| *at);
    let seen: Vec<Observation> = seen.into_iter().map(|(_, seen)| seen).collect();
    let gravity = |s: &Suspicion| FailureKind::ALL.iter().position(|kind| *kind == s.kind);
    let worst = oracle::judge(case, &targets, &seen).into_iter().min_by_key(gravity);
    let right = oracle::agreement(case, &targets, &seen).right;
    let those = |labels: &[String]| -> Vec<Target> {
        targets.iter().filter(|target| labels.contains(&target.label())).cloned().collect()
    };
    let subject = |worst: Suspicion| {
        ProgramSubject::new(case, worst.kind, &those(&worst.targets), &those(&right))
    };
    Ok(worst.map(subject))
}

/// What compilers agree that a program does that the machine cannot execute, each at its lowest level, if sanitizers
/// find nothing wrong with it.
pub fn agreed_result(
    case: &Case,
    compilers: &[Arc<Compiler>],
    order: &ReduceOptions,
) -> Result<Option<Expected>, Trouble> {
    let lowest = |compiler: &Arc<Compiler>| {
        let flags = compiler.levels.first()?.split_whitespace().map(String::from).collect();
        Some(Target { compiler: compiler.clone(), flags })
    };
    let references: Vec<Target> = compilers.iter().filter_map(lowest).collect();
    let lab = Lab { limits: order.limits.clone(), stop: order.stop.clone() };
    let scratch = Scratch::new().map_err(|error| Trouble::Io(error.to_string()))?;
    reduce::agreed_result(&lab, case, &references, scratch.path())
}

/// The progress of a study.
#[derive(Debug)]
pub enum StudyProgress<'a> {
    /// The program becomes smaller.
    Reduced(&'a ReduceProgress),
    /// A module becomes smaller.
    Shrunk(&'a optimise::shrink::Progress<'a>),
    /// What is being determined now.
    Asks(&'a str),
}

/// Where the compilers are that a study or a recheck needs.
pub trait CompilerFinder {
    /// Those for a language, and the limits of what they compile; `names` are wanted most.
    fn find(
        &mut self,
        language: Language,
        names: &[String],
    ) -> anyhow::Result<(Vec<Arc<Compiler>>, Limits)>;
}

/// How a finding is studied.
pub struct StudyOptions<'a> {
    /// Candidates at a time, and for how long.
    pub reduce: ReduceOptions,
    /// For findings of LLVM's passes.
    pub tools: LlvmTools<'a>,
    /// The bugs that were studied before: a study of one of them gets its key.
    pub known: &'a KnownBugs,
}

/// Makes a finding small, whatever it is about, and finds out all about it.
pub fn study_finding(
    found: &Finding,
    options: StudyOptions<'_>,
    finder: &mut dyn CompilerFinder,
    tell: &(dyn Fn(StudyProgress<'_>) + Sync),
) -> anyhow::Result<Result<Study, NotReduced>> {
    let StudyOptions { mut reduce, tools, known } = options;
    match &found.finding.subject {
        Subject::Module(module) => {
            let tell = |progress: &optimise::shrink::Progress<'_>| {
                tell(StudyProgress::Shrunk(progress));
            };
            Ok(study_module(found, module, tools, &reduce.stop, &tell))
        }
        Subject::Sequence(sequence) => {
            let clang = front::clang_of(sequence).map_err(anyhow::Error::msg)?;
            Ok(study_program(found, sequence, tools, &clang, &reduce.stop, tell))
        }
        Subject::Program(program) => {
            let case = Specimen::of(found, None).case()?;
            let names = program.needed_compilers();
            let (compilers, limits) = finder.find(program.language, &names)?;
            reduce.limits = limits;
            let others: Vec<_> = known.iter().filter(|(id, _)| *id != found.id).cloned().collect();
            Ok(study(&case, program, &compilers, &reduce, &others, tell))
        }
        Subject::Judged(_) => Err(judged(found.finding.kind)),
    }
}

/// Makes the program of a finding small, and finds out all about it.
pub fn study(
    case: &Case,
    subject: &ProgramSubject,
    compilers: &[Arc<Compiler>],
    order: &ReduceOptions,
    known: &KnownBugs,
    tell: &(dyn Fn(StudyProgress<'_>) + Sync),
) -> Result<Study, NotReduced> {
    let reduced = shrink(case, subject, compilers, order, tell)?;
    investigate(compilers, order, reduced, known, tell)
}

/// Makes the program of a finding small, and no more.
pub fn shrink(
    case: &Case,
    subject: &ProgramSubject,
    compilers: &[Arc<Compiler>],
    order: &ReduceOptions,
    tell: &(dyn Fn(StudyProgress<'_>) + Sync),
) -> Result<Reduced, NotReduced> {
    let lab = Lab { limits: order.limits.clone(), stop: order.stop.clone() };
    tell(StudyProgress::Asks("looking at the failure once more"));
    let failure = failure(case, subject, compilers, &lab)?;
    reduce::reduce(case, &failure, order, &|p| tell(StudyProgress::Reduced(p)))
}

/// The failure as it shows now.
fn failure(
    case: &Case,
    subject: &ProgramSubject,
    compilers: &[Arc<Compiler>],
    lab: &Lab,
) -> Result<Failure, NotReduced> {
    let bad = ProgramSubject::installed(&subject.failing, compilers);
    let right = ProgramSubject::installed(&subject.right, compilers);
    let baseline = match &subject.baseline {
        Some(name) => {
            Some(compilers.iter().find(|c| c.name == *name).cloned().ok_or_else(|| {
                NotReduced::Unusable(format!("{name}, which is right about it, is not here"))
            })?)
        }
        None => None,
    };
    let scratch = Scratch::new().map_err(|error| Trouble::Io(error.to_string()))?;
    lab.write(case, scratch.path())?;
    let mut instead = "none of the compilers that failed is here".to_string();
    for (at, target) in bad.iter().enumerate() {
        let seen = lab.observe(case, scratch.path(), target)?.seen;
        match seen.fault(case) {
            Some(fault) if fault.kind == subject.kind => {
                return Ok(Failure { baseline, ..targets_to_watch(&bad[at..], &right, fault) });
            }
            Some(fault) => instead = format!("{}: {}", target.label(), fault.kind.name()),
            None => instead = format!("{}: it works", target.label()),
        }
    }
    Err(NotReduced::NotShown(instead))
}

/// The targets that a reduction watches: a few that tell most. The first of `failing` is seen to fail.
fn targets_to_watch(failing: &[Target], right: &[Target], fault: Fault) -> Failure {
    let first = &failing[0];
    let mut bad = vec![first.clone()];
    bad.extend(failing[1..].iter().take(FAILING - 1).cloned());
    let own = |t: &&Target| t.compiler.name == first.compiler.name;
    let mut watched: Vec<Target> = right.iter().filter(own).cloned().collect();
    // The level above which it fails is the one most like it.
    watched.reverse();
    let mut others: Vec<Target> = Vec::new();
    for target in right.iter().filter(|t| !own(t)).rev() {
        if others.len() < OTHERS && !others.iter().any(|o| o.compiler.name == target.compiler.name)
        {
            others.push(target.clone());
        }
    }
    watched.extend(others);
    Failure { fault, bad, right: watched, baseline: None }
}

/// Finds out all about a reduced program.
pub(crate) fn investigate(
    compilers: &[Arc<Compiler>],
    order: &ReduceOptions,
    reduced: Reduced,
    known: &KnownBugs,
    tell: &(dyn Fn(StudyProgress<'_>) + Sync),
) -> Result<Study, NotReduced> {
    let lab = &Lab { limits: order.limits.clone(), stop: order.stop.clone() };
    let jobs = order.jobs;
    let Reduced { failure, .. } = &reduced;
    let case = &named(&reduced.case);
    let ask = |sentence: &str| tell(StudyProgress::Asks(sentence));
    let family = failure.bad[0].compiler.family;
    ask("which versions fail");
    let relatives = relatives(compilers, &failure.bad[0].compiler, case.language);
    let flags = &failure.bad[0].flags;
    let ladder = triage::ladder(lab, case, &failure.fault, &relatives, flags, jobs, &ask)?;
    ask("which pass is to blame");
    let blame = triage::blame(lab, case, failure, jobs, &ask)?;
    ask("whether the reduced program is valid");
    let scratch = Scratch::new().map_err(|error| Trouble::Io(error.to_string()))?;
    lab.write(case, scratch.path())?;
    let names: Vec<&str> = case.units().collect();
    let own = match reduced.executed {
        true => own_opinion(&names.join(" "), reduced.steps),
        false => checked_opinion(&reduced.checked_by),
    };
    let certificate = match failure.fault.kind.is_wrong_code() {
        true => Detectors::find().certify(lab, case, scratch.path(), own)?.0,
        false => oracle::Certificate { opinions: vec![own] },
    };
    let (summary, seen) = observed(lab, case, &failure.bad[0])?;
    let mut evidence = actual(seen);
    evidence.extend(triage::dumps(lab, case, failure, &blame)?);
    let mut identity = Identity {
        key: triage::key(&failure.fault, family, &blame, &ladder),
        about: None,
        mask: triage::Mask::default(),
    };
    if failure.fault.kind.is_wrong_code() {
        ask("what it is about");
        identity = identify(lab, case, &failure.bad[0], &blame, known)?;
    }
    let subject = ProgramSubject::new(case, failure.fault.kind, &failure.bad, &failure.right)
        .against(failure.baseline.as_deref());
    Ok(Study {
        about: identity.about,
        mask: identity.mask,
        files: presented(case, &summary),
        evidence,
        subject: Subject::Program(subject),
        key: identity.key,
        certificate,
        blame,
        ladder,
        summary,
        tokens: reduced.tokens,
        took: reduced.took,
    })
}

/// By what a bug is known again.
struct Identity {
    key: String,
    about: Option<Construct>,
    mask: Mask,
}

/// What wrong code of a reduced program is about, what hides it, and whether that bug is known.
fn identify(
    lab: &Lab,
    case: &Case,
    target: &Target,
    blame: &triage::Blame,
    known: &KnownBugs,
) -> Result<Identity, Trouble> {
    let specimen = reduce::executed(case, std::slice::from_ref(target)).ok();
    let telling = specimen.as_ref().and_then(triage::most_telling);
    let family = target.compiler.family;
    let probe = MaskProbe::new(lab, case, target, specimen)?;
    let construct = probe.construct()?;
    let about = construct.or(telling);
    let mask = Mask::of(construct, blame);
    let key = match same_bug(&probe, family, known)? {
        Some(key) => key.to_string(),
        None => triage::wrong_code_key(family, blame, about),
    };
    // Of a program that the machine cannot execute it is not known what it is about.
    let key = match about {
        Some(_) => key,
        None => format!("{key} | {}", operators_of(&text(case))),
    };
    Ok(Identity { key, about, mask })
}

/// Our own line on a program that the machine cannot execute: what its validity rests on.
fn checked_opinion(checked_by: &[String]) -> Opinion {
    let why = match checked_by {
        [] => "the machine cannot execute the program".to_string(),
        tools => format!(
            "the machine cannot execute this C++: that the program is valid rests on the compilers' own checks, \
             which every step of its reduction had to pass: {}",
            tools.join(", ")
        ),
    };
    Opinion {
        tool: format!("gainsay {}", env!("CARGO_PKG_VERSION")),
        command: String::new(),
        says: Assessment::Silent(why),
    }
}

/// One line on what a target does with a program.
pub fn summary_of(lab: &Lab, case: &Case, target: &Target) -> Result<String, Trouble> {
    Ok(observed(lab, case, target)?.0)
}

/// The same, and what was seen.
fn observed(lab: &Lab, case: &Case, target: &Target) -> Result<(String, Behaviour), Trouble> {
    let scratch = Scratch::new().map_err(|error| Trouble::Io(error.to_string()))?;
    lab.write(case, scratch.path())?;
    let seen = lab.observe(case, scratch.path(), target)?;
    let suspicions = oracle::judge(case, std::slice::from_ref(target), std::slice::from_ref(&seen));
    let summary = suspicions.into_iter().next().map_or_else(|| "as expected".into(), |s| s.summary);
    Ok((summary, seen.seen))
}

/// What a program printed, or what its compiler said, as a file.
fn actual(seen: Behaviour) -> Vec<SourceFile> {
    let mut bytes = match seen {
        Behaviour::Ran { stdout, .. } => stdout,
        Behaviour::Crashed(text) | Behaviour::Exhausted(text) | Behaviour::Rejected(text) => {
            text.into_bytes()
        }
        _ => return Vec::new(),
    };
    bytes.truncate(KEPT);
    vec![SourceFile { name: "actual".into(), bytes }]
}

/// The files, with what must be printed in a comment.
pub(crate) fn presented(case: &Case, summary: &str) -> Vec<SourceFile> {
    let mut files = case.files.clone();
    if let Some(first) = files.first_mut() {
        let text = String::from_utf8_lossy(&first.bytes).into_owned();
        first.bytes = reduce::present(&text, case.expected.as_ref(), summary).into_bytes();
    }
    files
}

/// A single file needs no name of its own.
pub(crate) fn named(case: &Case) -> Case {
    let mut case = case.clone();
    if let [only] = case.files.as_mut_slice() {
        only.name = match case.language {
            Language::C => "test.c".into(),
            Language::Cxx => "test.cpp".into(),
        };
    }
    case
}

fn text(case: &Case) -> String {
    case.files.iter().map(|file| String::from_utf8_lossy(&file.bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_certificate_says_what_validity_rests_on() {
        let says = |tools: &[&str]| {
            let tools: Vec<String> = tools.iter().map(ToString::to_string).collect();
            match checked_opinion(&tools).says {
                Assessment::Silent(why) => why,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(says(&[]), "the machine cannot execute the program");
        let checked = says(&["clang -O0", "gcc 12.2.0 -fsanitize=undefined,address"]);
        let words = ["compilers' own checks", "clang -O0, gcc 12.2.0 -fsanitize=undefined,address"];
        assert!(words.iter().all(|words| checked.contains(words)), "{checked}");
    }
}
