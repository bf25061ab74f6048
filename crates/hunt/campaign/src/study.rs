//! From a finding to a bug report: reduced, blamed, with the versions that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use choice::Choices;
use oracle::{
    Assessment, Behaviour, Case, Detectors, Failure, FailureKind, Fault, Lab, Observation, Opinion,
    SourceFile, Suspicion, Trouble,
};
use reduce::{NotReduced, ReduceOptions, ReduceProgress, Reduced};
use sandbox::Scratch;
use toolchain::{Compiler, Target};

use crate::predict::own_opinion;
use crate::record::Study;

/// Targets of other compilers that must stay right, at most: one of each.
const OTHERS: usize = 6;
/// Failing targets that must stay so, at most.
const FAILING: usize = 6;
/// Bytes kept of what a reduced program prints: it prints a few lines.
const KEPT: usize = 1 << 16;

/// The targets of labels, as far as their compilers are there.
pub fn targets_of(labels: &[String], compilers: &[Arc<Compiler>]) -> Vec<Target> {
    let target = |label: &String| {
        let of = |c: &&Arc<Compiler>| {
            label.strip_prefix(&c.name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let compiler = compilers.iter().filter(of).max_by_key(|c| c.name.len())?;
        let flags = label[compiler.name.len()..].split_whitespace().map(String::from).collect();
        Some(Target { compiler: compiler.clone(), flags })
    };
    labels.iter().filter_map(target).collect()
}

/// What is wrong with a program at the levels of these compilers, the most severe first, and the labels
/// of those that are right. Nobody is asked twice, and no detector at all: this is for programs whose
/// validity the caller answers for. Calls `begin` with the label of each target.
pub fn suspicions(
    case: &Case,
    compilers: &[Arc<Compiler>],
    order: &ReduceOptions,
    begin: &(dyn Fn(&str) + Sync),
) -> Result<(Vec<Suspicion>, Vec<String>), Trouble> {
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
    let mut suspicions = oracle::judge(case, &targets, &seen);
    let gravity = |s: &Suspicion| FailureKind::ALL.iter().position(|kind| *kind == s.kind);
    suspicions.sort_by_key(gravity);
    Ok((suspicions, oracle::agreement(case, &targets, &seen).right))
}

/// What a study is made of.
#[derive(Clone, Debug)]
pub struct Patient<'a> {
    /// The program and its answer.
    pub case: &'a Case,
    /// How it fails.
    pub kind: FailureKind,
    /// Where.
    pub bad: Vec<Target>,
    /// The targets that are right.
    pub right: Vec<Target>,
    /// All compilers there are.
    pub compilers: &'a [Arc<Compiler>],
}

/// The progress of a study.
#[derive(Debug)]
pub enum StudyProgress<'a> {
    /// The program becomes smaller.
    Reduced(&'a ReduceProgress),
    /// What is being determined now.
    Asks(&'a str),
}

/// Makes the program of a finding small, and finds out all about it.
pub fn study(
    subject: &Patient<'_>,
    order: &ReduceOptions,
    tell: &(dyn Fn(StudyProgress<'_>) + Sync),
) -> Result<Study, NotReduced> {
    let reduced = shrink(subject, order, tell)?;
    investigate(subject, order, reduced, tell)
}

/// Makes the program of a finding small, and no more.
pub fn shrink(
    subject: &Patient<'_>,
    order: &ReduceOptions,
    tell: &(dyn Fn(StudyProgress<'_>) + Sync),
) -> Result<Reduced, NotReduced> {
    let lab = Lab { limits: order.limits.clone(), stop: order.stop.clone() };
    tell(StudyProgress::Asks("looking at the failure once more"));
    let failure = failure(subject, &lab)?;
    reduce::reduce(subject.case, &failure, order, &|p| tell(StudyProgress::Reduced(p)))
}

/// The failure as it shows now.
fn failure(subject: &Patient<'_>, lab: &Lab) -> Result<Failure, NotReduced> {
    let scratch = Scratch::new().map_err(|error| Trouble::Io(error.to_string()))?;
    lab.write(subject.case, scratch.path())?;
    let mut instead = "none of the compilers that failed is here".to_string();
    for (at, target) in subject.bad.iter().enumerate() {
        let seen = lab.observe(subject.case, scratch.path(), target)?.seen;
        match seen.fault(subject.case) {
            Some(fault) if fault.kind == subject.kind => {
                return Ok(targets_to_watch(subject, at, fault));
            }
            Some(fault) => instead = format!("{}: {}", target.label(), fault.kind.name()),
            None => instead = format!("{}: it works", target.label()),
        }
    }
    Err(NotReduced::NotShown(instead))
}

/// The targets that a reduction watches: a few that tell most.
fn targets_to_watch(subject: &Patient<'_>, at: usize, fault: Fault) -> Failure {
    let first = &subject.bad[at];
    let mut bad = vec![first.clone()];
    bad.extend(subject.bad[at + 1..].iter().take(FAILING - 1).cloned());
    let own = |t: &&Target| t.compiler.name == first.compiler.name;
    let mut right: Vec<Target> = subject.right.iter().filter(own).cloned().collect();
    // The level above which it fails is the one most like it.
    right.reverse();
    let mut others: Vec<Target> = Vec::new();
    for target in subject.right.iter().filter(|t| !own(t)).rev() {
        if others.len() < OTHERS && !others.iter().any(|o| o.compiler.name == target.compiler.name)
        {
            others.push(target.clone());
        }
    }
    right.extend(others);
    Failure { fault, bad, right }
}

/// Finds out all about a reduced program.
pub(crate) fn investigate(
    subject: &Patient<'_>,
    order: &ReduceOptions,
    reduced: Reduced,
    tell: &(dyn Fn(StudyProgress<'_>) + Sync),
) -> Result<Study, NotReduced> {
    let lab = &Lab { limits: order.limits.clone(), stop: order.stop.clone() };
    let jobs = order.jobs;
    let Reduced { failure, .. } = &reduced;
    let case = &named(&reduced.case);
    let ask = |sentence: &str| tell(StudyProgress::Asks(sentence));
    let family = failure.bad[0].compiler.family;
    ask("which versions fail");
    let relatives: Vec<Arc<Compiler>> =
        subject.compilers.iter().filter(|c| c.family == family).cloned().collect();
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
        false => Opinion {
            tool: format!("gainsay {}", env!("CARGO_PKG_VERSION")),
            command: format!("gainsay run {}", names.join(" ")),
            says: Assessment::Silent("the machine cannot execute the program".into()),
        },
    };
    let certificate = match failure.fault.kind.is_wrong_code() {
        true => Detectors::find().certify(lab, case, scratch.path(), own)?.0,
        false => oracle::Certificate { opinions: vec![own] },
    };
    let (summary, seen) = observed(lab, case, &failure.bad[0])?;
    let mut evidence = actual(seen);
    evidence.extend(triage::dumps(lab, case, failure, &blame)?);
    let key = triage::key(&failure.fault, family, &blame, &ladder);
    let label = |targets: &[Target]| targets.iter().map(Target::label).collect();
    let command = |target: &Target| {
        let line = oracle::command_line(case, target)?;
        Some(match failure.fault.kind.is_wrong_code() {
            true => format!("{line} | diff expected -"),
            false => line,
        })
    };
    Ok(Study {
        files: presented(case, &summary),
        evidence,
        standard: case.standard.clone(),
        expected: case.expected.clone(),
        compiler: failure.bad[0].compiler.name.clone(),
        flags: failure.bad[0].flags.clone(),
        targets: label(&failure.bad),
        right: label(&failure.right),
        commands: failure.bad.iter().filter_map(command).collect(),
        key: match failure.fault.kind.is_wrong_code() && blame.pass.is_none() {
            true => format!("{key} | {}", operators_of(&text(case))),
            false => key,
        },
        certificate,
        blame,
        ladder,
        summary,
        tokens: reduced.tokens,
        took: reduced.took,
    })
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
        only.name = "test.c".into();
    }
    case
}

fn text(case: &Case) -> String {
    case.files.iter().map(|file| String::from_utf8_lossy(&file.bytes)).collect()
}

/// The operators and words of C that a reduced program is made of. Where no pass is known, bugs are
/// told apart by it: one bug in two lines of a list does less harm than two bugs in one.
fn operators_of(text: &str) -> String {
    /// In every reduced program, or in none but by chance.
    const COMMON: &[&str] = &["int", "char", "const", "return", "void", "main", "printf", "="];
    let is_sign = |c: char| "+-*/%<>=!&|^~?:".contains(c);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found: Vec<&str> = Vec::new();
    // Formats of strings are no operators: every other part stands between quotes.
    for code in text.split('"').step_by(2) {
        let mut rest = code;
        while let Some(first) = rest.chars().next() {
            let alike = |c: char| is_word(first) && is_word(c) || is_sign(first) && is_sign(c);
            let end = rest.find(|c| !alike(c)).unwrap_or(rest.len()).max(first.len_utf8());
            let (token, after) = rest.split_at(end);
            rest = after;
            // Names are a letter or two by now.
            let telling = is_sign(first) || first.is_alphabetic() && token.len() > 2;
            if telling && !COMMON.contains(&token) && !found.contains(&token) {
                found.push(token);
            }
        }
    }
    found.sort_unstable();
    found.join(" ")
}

#[cfg(test)]
mod tests {
    use super::operators_of;

    #[test]
    fn shapes_tell_programs_apart_and_not_their_names() {
        let shift = |name: &str, n: u32| {
            format!("int {name} = {n};\nint main() {{ printf(\"%lx\", (long){name} << 52); }}")
        };
        assert_eq!(operators_of(&shift("a", 5)), "<< long");
        assert_eq!(operators_of(&shift("b", 70)), operators_of(&shift("a", 5)));
        let sign = "short a = -1;\nint main() { printf(\"%lx\", (unsigned long)a); }";
        assert_eq!(operators_of(sign), "- long short unsigned");
    }
}
