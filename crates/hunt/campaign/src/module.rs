//! Findings that are LLVM modules: their study and their recheck.
//!
//! A target's label is `libLLVM-16 -passes=default<O3>`: the version says which library is asked, unless
//! the caller knows the file.

use std::time::Instant;

use llvmhost::{Fault, Installed, Limits, Program, Running, Server, Setup, Signature};
use optimise::shrink;
use optimise::tester::OnServer;
use optimise::verdict::{CODE_GENERATOR, Verdict, judge};
use optimise::work::{Item, Pipeline};
use oracle::{Assessment, Certificate, FailureKind, Opinion, SourceFile, Trouble};
use reduce::NotReduced;
use refine::Checker;
use sandbox::Stop;
use triage::{Blame, Cell, Culprit, Ladder, Method, Rung};

use crate::recheck::{RecheckOutcome, Rechecked};
use crate::record::{Finding, Study};
use crate::refinement::{is_refuted, study_refuted};

/// The file of a finding.
pub const FILE: &str = "test.ll";

/// What stands between a library and its passes in a label.
const PASSES: &str = " -passes=";

/// A library with passes that fail on a module.
#[derive(Clone, Debug)]
pub struct Patient<'a> {
    /// The library.
    pub library: &'a Installed,
    /// The passes.
    pub passes: &'a str,
    /// How servers are started.
    pub program: &'a Program,
    /// What LLVM may use.
    pub limits: Limits,
}

/// What a study tells while it works.
pub type ProgressFn<'a> = &'a dyn Fn(&shrink::Progress<'_>);

/// Whether a finding is a module.
pub fn is_module(found: &Finding) -> bool {
    found.finding.commands.iter().any(|command| command.contains(FILE))
}

/// Library and passes of a label. `Err` is a sentence.
pub fn read_label(label: &str) -> Result<(Installed, String), String> {
    let read = label.split_once(PASSES);
    let (name, passes) = read.ok_or_else(|| format!("{label} names no passes"))?;
    // A level may stand between.
    let name = name.split(' ').next().unwrap_or(name);
    let version = name.strip_prefix("libLLVM-").unwrap_or(name);
    Ok((Installed::named(version)?, passes.to_string()))
}

/// `libLLVM-16`.
pub fn compiler(library: &Installed) -> String {
    format!("libLLVM-{}", library.name())
}

/// `libLLVM-16 -passes=default<O3>`.
pub fn label(library: &Installed, passes: &str) -> String {
    format!("{}{PASSES}{passes}", compiler(library))
}

/// The command that shows it, in the folder of the file. Debian's names of LLVM's tools; elsewhere they have no
/// number.
pub fn command(library: &Installed, passes: &str, signature: &Signature) -> String {
    let major = library.major;
    let verify = if signature.fault == Fault::InvalidIr { " -verify-each" } else { "" };
    match (is_of_code(signature), passes) {
        (true, "") => format!("{} {FILE}", code_command(library)),
        (true, _) => {
            format!("opt-{major} '-passes={passes}' {FILE} | {}", code_command(library))
        }
        _ => format!("opt-{major} '-passes={passes}'{verify} -disable-output {FILE}"),
    }
}

fn code_command(library: &Installed) -> String {
    format!("llc-{} -O2 -relocation-model=pic -filetype=obj -o test.o", library.major)
}

/// Whether the code generator fails, and not a pass.
fn is_of_code(signature: &Signature) -> bool {
    signature.pass.as_deref() == Some(CODE_GENERATOR)
}

/// The verifier's opinion.
pub fn certificate(library: &Installed) -> Certificate {
    let opinion = Opinion {
        tool: format!("the verifier of LLVM {}", library.version_and_build()),
        command: format!("{} -passes=verify -disable-output {FILE}", library.tool("opt")),
        says: Assessment::NoAlarm,
    };
    Certificate { opinions: vec![opinion] }
}

/// The kind of a fault.
pub fn kind(fault: Fault) -> FailureKind {
    match fault {
        Fault::Crash => FailureKind::CompilerCrash,
        Fault::InvalidIr => FailureKind::InvalidIr,
        Fault::Hang => FailureKind::CompilerHang,
        Fault::Memory => FailureKind::CompilerMemory,
    }
}

/// The signature of a fault.
pub fn named(signature: &Signature) -> String {
    format!("{} llvm {}", kind(signature.fault).name(), signature.key)
}

/// Makes the module of a finding small, its passes too, and finds out which versions fail.
pub fn study_module(
    found: &Finding,
    patient: &Patient<'_>,
    stop: &Stop,
    tell: ProgressFn<'_>,
) -> Result<Study, NotReduced> {
    if found.finding.kind == FailureKind::Miscompilation {
        return study_refuted(found, patient, stop, tell);
    }
    let begin = Instant::now();
    let Patient { library, passes, limits, .. } = *patient;
    let file = found.finding.files.first();
    let file = file.ok_or_else(|| NotReduced::Unusable("it has no file".into()))?;
    let mut server = serve(patient.program, library).map_err(NotReduced::Unusable)?;
    let code = found.finding.signature.contains(CODE_GENERATOR);
    let wanted = match outcome_of(&mut server, &file.bytes, passes, code, limits)? {
        Verdict::Fault(signature) => signature,
        _ => return Err(NotReduced::NotShown("it works".into())),
    };
    let mut tester = OnServer::new(&mut server, wanted.clone(), limits);
    let shrunk = shrink::shrink(&file.bytes, passes, &mut tester, tell, &|| stop.is_set());
    if let Some(lost) = tester.lost {
        return Err(NotReduced::Unusable(lost));
    }
    if stop.is_set() {
        return Err(NotReduced::Trouble(Trouble::Stopped));
    }
    let mut shrunk = shrunk.ok_or_else(|| NotReduced::NotShown("it does not show alone".into()))?;
    // As `opt` must be told it.
    shrunk.passes = llvmhost::without_fixpoint_check(&shrunk.passes, library.major);
    let now = match outcome_of(&mut server, &shrunk.module, &shrunk.passes, code, limits)? {
        Verdict::Fault(signature) => signature,
        _ => return Err(NotReduced::Unusable("the reduced module does not show it".into())),
    };
    let ladder = ladder(patient, &shrunk.module, &shrunk.passes, &now);
    let pass = now.pass.clone().or(wanted.pass);
    let culprit = pass.as_ref().map(|pass| Culprit {
        method: Method::Message,
        name: pass.clone(),
        hides: Vec::new(),
        detail: format!("-passes={}", shrunk.passes),
    });
    let tokens = |text: &[u8]| String::from_utf8_lossy(text).split_whitespace().count();
    Ok(Study {
        evidence: Vec::new(),
        standard: None,
        expected: None,
        summary: now.summary.clone(),
        compiler: compiler(library),
        flags: vec![format!("-passes={}", shrunk.passes)],
        targets: vec![label(library, &shrunk.passes)],
        right: Vec::new(),
        commands: vec![command(library, &shrunk.passes, &now)],
        certificate: certificate(library),
        blame: Blame { pass, culprits: culprit.into_iter().collect(), limits: Vec::new() },
        ladder,
        key: named(&now),
        tokens: (tokens(&file.bytes), tokens(&shrunk.module)),
        took: begin.elapsed(),
        files: vec![SourceFile { name: FILE.into(), bytes: shrunk.module }],
    })
}

/// Whether a module still fails where it did.
pub fn recheck_module(
    found: &Finding,
    study: Option<&Study>,
    program: &Program,
    begin: &mut dyn FnMut(&str),
) -> Result<Rechecked, String> {
    let (files, labels) = match study {
        Some(study) => (&study.files, &study.targets),
        None => (&found.finding.files, &found.finding.targets),
    };
    let file = files.first().ok_or("it has no file")?;
    let mut done = Rechecked {
        verdict: RecheckOutcome::Unknown,
        fails: Vec::new(),
        right: Vec::new(),
        gone: Vec::new(),
        otherwise: Vec::new(),
    };
    for label in labels {
        begin(label);
        let Ok((library, passes)) = read_label(label) else {
            done.gone.push(label.split(' ').next().unwrap_or(label).to_string());
            continue;
        };
        let mut server = serve(program, &library)?;
        if found.finding.kind == FailureKind::Miscompilation {
            let text = String::from_utf8_lossy(&file.bytes);
            let own = Checker::new(None);
            match is_refuted(&mut server, &text, &passes, &own, Limits::default()) {
                Some(true) => done.fails.push(label.clone()),
                Some(false) => done.right.push(label.clone()),
                None => done.otherwise.push((label.clone(), "the passes fail on it".into())),
            }
            continue;
        }
        let code = found.finding.signature.contains(CODE_GENERATOR);
        let seen = outcome_of(&mut server, &file.bytes, &passes, code, Limits::default());
        match seen.map_err(|error| error.to_string())? {
            Verdict::Fine(_) => done.right.push(label.clone()),
            Verdict::Fault(now) if kind(now.fault) == found.finding.kind => {
                done.fails.push(label.clone())
            }
            Verdict::Fault(now) => {
                done.otherwise.push((label.clone(), kind(now.fault).name().into()))
            }
            Verdict::Refused(why) | Verdict::Trouble(why) => {
                done.otherwise.push((label.clone(), why))
            }
        }
    }
    done.verdict = match () {
        () if !done.fails.is_empty() => RecheckOutcome::Fails,
        () if !done.otherwise.is_empty() || !done.gone.is_empty() => RecheckOutcome::Unknown,
        () => RecheckOutcome::Fixed,
    };
    Ok(done)
}

pub(crate) fn serve(program: &Program, library: &Installed) -> Result<Server, String> {
    let setup = Setup { library: library.path.clone(), major: library.major, ..Setup::default() };
    Server::start(program, &setup)
}

/// The libraries of a ladder, oldest first: those that are installed, and the one that failed, by its file.
pub(crate) fn rungs_for(failed: &Installed) -> Vec<Installed> {
    let mut all = Installed::all();
    if !all.iter().any(|library| library.path == failed.path) {
        all.push(failed.clone());
    }
    // Of one version the one with assertions sees more.
    all.sort_by_key(|library| (library.major, !library.assertions, library.path != failed.path));
    all
}

/// What a library does where `seen` was seen in another. Without assertions none can fail.
fn cell(seen: &Signature, asked: Option<&Verdict>, assertions: bool) -> Cell {
    match asked {
        Some(Verdict::Fault(other)) if is_same(seen, other) => Cell::Fails,
        Some(Verdict::Fine(_) | Verdict::Fault(_)) if seen.assertion && !assertions => {
            Cell::CannotTell
        }
        Some(Verdict::Fine(_)) => Cell::Works,
        Some(Verdict::Fault(other)) => Cell::Otherwise(kind(other.fault)),
        Some(Verdict::Refused(_) | Verdict::Trouble(_)) | None => Cell::Unsupported,
    }
}

/// The module on every LLVM that is installed, and on the one that failed.
fn ladder(patient: &Patient<'_>, module: &[u8], passes: &str, seen: &Signature) -> Ladder {
    let mut rungs = Vec::new();
    for library in rungs_for(patient.library) {
        let Ok(mut server) = serve(patient.program, &library) else { continue };
        let asked = outcome_of(&mut server, module, passes, is_of_code(seen), patient.limits);
        let cell = cell(seen, asked.as_ref().ok(), library.assertions);
        let version = library.version_and_build();
        rungs.push(Rung { compiler: compiler(&library), version, cells: vec![cell] });
    }
    Ladder { levels: vec![format!("-passes={passes}")], rungs }
}

/// What a pipeline does with a module's text.
fn outcome_of(
    server: &mut Server,
    module: &[u8],
    passes: &str,
    code: bool,
    limits: Limits,
) -> Result<Verdict, NotReduced> {
    let running = Running { verify_each: true, log: false };
    let item = Item::Optimise {
        module: module.to_vec(),
        name: FILE.into(),
        pipeline: Pipeline { passes: passes.to_string(), running, code },
        x86: false,
        print: false,
    };
    let judged = judge(server, &item, limits).map(|(verdict, _)| verdict);
    judged.map_err(|error| NotReduced::Unusable(error.to_string()))
}

/// Whether two versions have the same fault. Functions have names in one and only addresses in the
/// other, so the kind and the pass must do.
fn is_same(one: &Signature, other: &Signature) -> bool {
    one.key == other.key || one.fault == other.fault && one.pass.is_some() && one.pass == other.pass
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(assertion: bool) -> Signature {
        Signature {
            fault: Fault::Crash,
            key: "SIGABRT".into(),
            summary: String::new(),
            pass: Some("InstCombinePass".into()),
            assertion,
        }
    }

    #[test]
    fn who_checks_no_assertions_cannot_tell() {
        let fine = Verdict::Fine(optimise::work::Answer::Fine(String::new()));
        let other =
            Verdict::Fault(Signature { pass: None, key: "SIGSEGV".into(), ..signature(false) });
        for (assertion, has_assertions, seen, expected) in [
            (true, false, &fine, Cell::CannotTell),
            (true, false, &other, Cell::CannotTell),
            (true, true, &fine, Cell::Works),
            (false, false, &fine, Cell::Works),
            (false, false, &other, Cell::Otherwise(FailureKind::CompilerCrash)),
        ] {
            assert_eq!(cell(&signature(assertion), Some(seen), has_assertions), expected);
        }
        let same = Verdict::Fault(signature(true));
        assert_eq!(cell(&signature(true), Some(&same), true), Cell::Fails);
        assert_eq!(cell(&signature(true), None, true), Cell::Unsupported);
    }

    #[test]
    fn the_library_that_failed_is_on_the_ladder() {
        let Some(usual) = Installed::all().into_iter().next() else { return };
        assert_eq!(rungs_for(&usual), Installed::all(), "once");
        let other = Installed {
            path: "/opt/llvm/lib/libLLVM.so".into(),
            assertions: true,
            is_default: false,
            ..usual.clone()
        };
        let rungs = rungs_for(&other);
        assert_eq!(rungs[..2], [other, usual], "in the order of versions, by its own file");
    }
}
