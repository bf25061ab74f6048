//! Findings that are LLVM modules: their study and their recheck.
//!
//! A target's label is `libLLVM-16 -passes=default<O3>`; which file is asked, the subject says.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use finding::{LibraryIdentity, ModuleFault, ModuleSubject, Subject};
use llvmhost::{Fault, Installed, Limits, Program, Running, Server, Setup, Signature};
use optimise::masked::needed_to_show;
use optimise::shrink;
use optimise::tester::OnServer;
use optimise::verdict::{CODE_GENERATOR, Verdict, judge};
use optimise::work::{Item, Pipeline};
use oracle::{Assessment, Certificate, FailureKind, Opinion, SourceFile, Trouble};
use reduce::NotReduced;
use refine::Checker;
use sandbox::Stop;
use triage::{Blame, Cell, Culprit, Ladder, Mask, Method, Rung};

use crate::baseline::BaselineTester;
use crate::explain::mask_state;
use crate::recheck::{Rechecked, Specimen};
use crate::record::{Finding, Study};
use crate::refinement::{is_refuted, study_refuted};

/// The file of a finding.
pub use finding::MODULE_FILE as FILE;

/// What a study of passes needs besides the finding.
#[derive(Clone, Copy, Debug)]
pub struct LlvmTools<'a> {
    /// How servers are started; we ourselves, so that is also who `gainsay llvm cc` is.
    pub program: &'a Program,
    /// What LLVM may use.
    pub limits: Limits,
}

/// What a study tells while it works.
pub type ProgressFn<'a> = &'a dyn Fn(&shrink::Progress<'_>);

/// Which library it is. `version` is what it says of itself, where it was asked.
pub fn identity(library: &Installed, version: &str) -> LibraryIdentity {
    LibraryIdentity {
        path: library.path.display().to_string(),
        major: library.major,
        version: version.into(),
        distinct_name: (!library.is_default).then(|| library.name()),
        build: (!library.build_id.is_empty()).then(|| library.build_id.clone()),
        assertions: library.assertions,
        bin: library.bin().map(|bin| bin.display().to_string()),
        triple: llvmhost::X86_64.into(),
    }
}

/// The library of a finding, if it is still there. One of which only the number was kept is the system's of that
/// number; no other is taken for one that was given by file. `Err` is a sentence.
pub fn installed(library: &LibraryIdentity) -> Result<Installed, String> {
    match library.path.is_empty() {
        true => Installed::named(&library.major.to_string()),
        false => Installed::named(&library.path),
    }
}

/// A module as it is studied in a hunt of these libraries: on another machine the same one is another file. The file
/// that failed comes first, for two may have one number.
pub fn at_hand<'a>(
    module: &ModuleSubject,
    libraries: impl Iterator<Item = &'a Installed>,
) -> Option<ModuleSubject> {
    let here = library_at_hand(&module.library, libraries)?;
    Some(ModuleSubject { library: here, ..module.clone() })
}

/// The same of a library alone.
pub fn library_at_hand<'a>(
    wanted: &LibraryIdentity,
    libraries: impl Iterator<Item = &'a Installed>,
) -> Option<LibraryIdentity> {
    let alike = libraries.filter(|library| library.major == wanted.major);
    let here = alike.min_by_key(|library| library.path.as_path() != Path::new(&wanted.path))?;
    Some(LibraryIdentity { path: here.path.display().to_string(), ..wanted.clone() })
}

/// `libLLVM-16`.
pub fn compiler(library: &Installed) -> String {
    format!("libLLVM-{}", library.name())
}

/// `libLLVM-16 -passes=default<O3>`.
pub fn label(library: &Installed, passes: &str) -> String {
    format!("{} -passes={passes}", compiler(library))
}

/// A module on which passes of a library have a fault.
pub fn subject(library: LibraryIdentity, passes: &str, signature: &Signature) -> Subject {
    let fault = match signature.fault {
        _ if is_of_code(signature) => ModuleFault::CodeGenerator,
        Fault::InvalidIr => ModuleFault::InvalidIr,
        Fault::Crash | Fault::Hang | Fault::Memory => ModuleFault::Pass,
    };
    Subject::Module(ModuleSubject { library, passes: passes.into(), fault, baseline: None })
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
    module: &ModuleSubject,
    tools: LlvmTools<'_>,
    stop: &Stop,
    tell: ProgressFn<'_>,
) -> Result<Study, NotReduced> {
    let library = &installed(&module.library).map_err(NotReduced::Unusable)?;
    if module.fault == ModuleFault::Refinement {
        return study_refuted(found, module, library, tools, stop, tell);
    }
    let begin = Instant::now();
    let (passes, limits) = (module.passes.as_str(), tools.limits);
    let file = found.finding.files.first();
    let file = file.ok_or_else(|| NotReduced::Unusable("it has no file".into()))?;
    let mut server = serve(tools.program, library).map_err(NotReduced::Unusable)?;
    let code = module.fault == ModuleFault::CodeGenerator;
    let wanted = match outcome_of(&mut server, &file.bytes, passes, code, limits)? {
        Verdict::Fault(signature) => signature,
        _ => return Err(NotReduced::NotShown("it works".into())),
    };
    let mut tester = OnServer::new(&mut server, wanted.clone(), limits);
    let is_over = || stop.is_set();
    let compared = BaselineTester::new(&mut tester, &found.finding, module, tools.program, limits);
    let shrunk = match compared.map_err(NotReduced::Unusable)? {
        Some(mut tester) => shrink::shrink(&file.bytes, passes, &mut tester, tell, &is_over),
        None => shrink::shrink(&file.bytes, passes, &mut tester, tell, &is_over),
    };
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
    let needed = match now.fault {
        Fault::InvalidIr => {
            let text = String::from_utf8_lossy(&shrunk.module);
            // What the verifier says depends on what uses the value that is wrong.
            let mut shows = |text: &str| {
                let seen = outcome_of(&mut server, text.as_bytes(), &shrunk.passes, code, limits);
                !matches!(seen, Ok(Verdict::Fine(_)))
            };
            needed_to_show(&text, &mut shows, &|| stop.is_set())
        }
        Fault::Crash | Fault::Hang | Fault::Memory => BTreeSet::new(),
    };
    let ladder = ladder(tools, library, &shrunk.module, &shrunk.passes, &now);
    let pass = now.pass.clone().or(wanted.pass);
    let culprit = pass.as_ref().map(|pass| Culprit {
        method: Method::Message,
        name: pass.clone(),
        hides: Vec::new(),
        detail: format!("-passes={}", shrunk.passes),
    });
    let tokens = |text: &[u8]| String::from_utf8_lossy(text).split_whitespace().count();
    Ok(Study {
        about: None,
        mask: Mask::of_module(needed),
        evidence: Vec::new(),
        subject: subject(identity(library, &server.release), &shrunk.passes, &now)
            .against(module.baseline.clone()),
        summary: now.summary.clone(),
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
    specimen: Specimen<'_>,
    module: &ModuleSubject,
    tools: LlvmTools<'_>,
    begin: &mut dyn FnMut(&str),
) -> Result<Rechecked, String> {
    let file = specimen.files.first().ok_or("it has no file")?;
    let label = module.label();
    begin(&label);
    let mut done = Rechecked::default();
    let Ok(library) = installed(&module.library) else {
        done.gone.push(module.library.name());
        return Ok(done);
    };
    let mut server = serve(tools.program, &library)?;
    if module.fault == ModuleFault::Refinement {
        let text = String::from_utf8_lossy(&file.bytes);
        let own = Checker::new(None);
        match is_refuted(&mut server, &text, &module.passes, &own, tools.limits) {
            Some(true) => {
                done.fails.push(label);
                let masks = specimen.mask.map(|mask| &mask.instructions);
                done.mask = masks.filter(|masks| !masks.is_empty()).and_then(|masks| {
                    mask_state(&mut server, &text, &module.passes, &own, masks, tools.limits)
                });
            }
            Some(false) => done.right.push(label),
            None => done.otherwise.push((label, "the passes fail on it".into())),
        }
        return Ok(done.concluded());
    }
    let code = module.fault == ModuleFault::CodeGenerator;
    let seen = outcome_of(&mut server, &file.bytes, &module.passes, code, tools.limits);
    match seen.map_err(|error| error.to_string())? {
        Verdict::Fine(_) => done.right.push(label),
        Verdict::Fault(now) if kind(now.fault) == specimen.kind => done.fails.push(label),
        Verdict::Fault(now) => done.otherwise.push((label, kind(now.fault).name().into())),
        Verdict::Refused(why) | Verdict::Trouble(why) => done.otherwise.push((label, why)),
    }
    Ok(done.concluded())
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
fn ladder(
    tools: LlvmTools<'_>,
    failed: &Installed,
    module: &[u8],
    passes: &str,
    seen: &Signature,
) -> Ladder {
    let mut rungs = Vec::new();
    for library in rungs_for(failed) {
        let Ok(mut server) = serve(tools.program, &library) else { continue };
        let asked = outcome_of(&mut server, module, passes, is_of_code(seen), tools.limits);
        let cell = cell(seen, asked.as_ref().ok(), library.assertions);
        let version = library.version_and_build();
        rungs.push(Rung { compiler: compiler(&library), version, cells: vec![cell] });
    }
    Ladder { levels: vec![format!("-passes={passes}")], rungs }
}

/// What a pipeline does with a module's text.
pub(crate) fn outcome_of(
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

    #[test]
    fn the_file_that_failed_is_asked_and_no_other_of_its_number() {
        let library = |path: &str| Installed { path: path.into(), ..named(16) };
        let all = [library("/a/libLLVM-16.so"), library("/b/libLLVM-16.so")];
        let wanted = identity(&all[1], "16.0.6");
        let here = library_at_hand(&wanted, all.iter()).expect("it is there");
        assert_eq!(here, wanted);
        // On another machine it is another file; of another number, none.
        let moved = LibraryIdentity { path: "/c/libLLVM-16.so".into(), ..wanted.clone() };
        let here = library_at_hand(&moved, all.iter()).expect("one of its number is there");
        assert_eq!(here.path, "/a/libLLVM-16.so");
        let other = LibraryIdentity { major: 15, ..wanted.clone() };
        assert_eq!(library_at_hand(&other, all.iter()), None);
        // The system's library is not taken for one that was given by file and is gone.
        assert!(installed(&wanted).is_err());
    }

    fn named(major: u32) -> Installed {
        Installed {
            major,
            path: Default::default(),
            build_id: String::new(),
            assertions: false,
            targets: Vec::new(),
            is_default: true,
        }
    }
}
