//! Findings by refinement: the output of passes does not refine their input.
//!
//! The finding is the module that the culprit was given, not the one that the pipeline was given: the
//! pass is located before the finding is recorded. Its counterexample was executed.

use std::collections::BTreeSet;
use std::time::Instant;

use finding::{LibraryIdentity, ModuleFault, ModuleSubject, Subject};
use llvmhost::{Installed, Limits, Server};
use optimise::locate::{Located, OnText, Optimiser, last_pass, locate};
use optimise::masked::WrongModule;
use optimise::shrink::{self, pipeline::class_of};
use optimise::tester::Refuting;
use oracle::{FailureKind, SourceFile, Trouble};
use reduce::NotReduced;
use refine::{AliveTv, Checker, Refinement as _, Refutation, Scope, Verdict, without_unmodelled};
use sandbox::Stop;
use triage::{Blame, Cell, Culprit, Ladder, Mask, Method, ModuleConstruct, Rung};

use crate::baseline::BaselineTester;
use crate::explain::shape_of;
use crate::module::{
    FILE, LlvmTools, ProgressFn, certificate, compiler, identity, rungs_for, serve,
};
use crate::record::{Finding, NewFinding, Standing, Study};

/// What the passes made of the module.
pub use finding::MODULE_AFTER as AFTER;

/// The input on which both differ, with both traces.
pub const COUNTEREXAMPLE: &str = "counterexample.txt";

/// Why it may be none.
pub const DOUBT: &str = "doubt";

/// The refinement oracles.
#[derive(Debug)]
pub struct RefinementOracles {
    own: Checker,
    /// A second opinion, where it is installed.
    alive: Option<AliveTv>,
}

/// A module to ask about, and what was done to it.
#[derive(Clone, Copy, Debug)]
pub struct RefinementQuery<'a> {
    /// The library that did it.
    pub library: &'a Installed,
    /// The module's text, as the library prints it.
    pub before: &'a str,
    /// What the passes made of it.
    pub after: &'a str,
    /// The passes.
    pub passes: &'a str,
    /// Whether passes may have looked beyond a function.
    pub scope: Scope,
    /// Where the module comes from.
    pub origin: &'a str,
}

impl RefinementOracles {
    /// Our own, without a solver: a hunt asks often; and Alive2, where it is installed.
    pub fn find() -> RefinementOracles {
        RefinementOracles { own: Checker::new(None), alive: AliveTv::find() }
    }

    /// Asks; a refutation is a finding, with the pass that is to blame, or several, if several passes are.
    pub fn ask(
        &self,
        asked: &RefinementQuery<'_>,
        server: &mut Server,
        limits: Limits,
        sources: &[SourceFile],
    ) -> Vec<NewFinding> {
        let own = self.own.within(asked.scope);
        let Some(refuted) = refuted(own.check(asked.before, asked.after)) else {
            return Vec::new();
        };
        let passes = llvmhost::without_fixpoint_check(asked.passes, asked.library.major);
        let mut optimiser = OnText { server, limits, x86: true };
        let mut located = locate(&mut optimiser, asked.before, &passes, &own);
        let is_whole = located.is_empty();
        if is_whole {
            let (before, after) = (asked.before.to_string(), asked.after.to_string());
            located.push(Located { passes, alone: false, before, after, refuted });
        }
        let mut findings: Vec<NewFinding> = Vec::new();
        for one in &located {
            let culprit = if is_whole { "the pipeline" } else { one.pass() };
            let found = self.confirmed(asked, one, culprit, &mut optimiser, &own);
            let is_new =
                |found: &NewFinding| !findings.iter().any(|f| f.signature == found.signature);
            if let Some(mut found) = found.filter(is_new) {
                found.artifacts.splice(0..0, sources.iter().cloned());
                findings.push(found);
            }
        }
        findings
    }

    /// A pass that is to blame, as a finding: it must be so again, and Alive2 must not know better.
    fn confirmed(
        &self,
        asked: &RefinementQuery<'_>,
        located: &Located,
        culprit: &str,
        optimiser: &mut OnText<'_>,
        own: &Checker,
    ) -> Option<NewFinding> {
        let Located { passes, before, after, refuted: refutation, .. } = located;
        let report = &refutation.report;
        let again = optimiser.run(before, passes)?;
        refuted(own.check(before, &again))?;
        let doubt = doubt(optimiser, before, passes, own, refutation);
        let second = self.alive.as_ref().map(|alive| alive.check(before, after));
        let standing = match second {
            Some(Verdict::Proved) => Standing::Disputed,
            _ if doubt.is_some() => Standing::Disputed,
            _ => Standing::Confirmed,
        };
        let needed = match WrongModule::new(optimiser, before, passes, own) {
            Some(mut wrong) => wrong.needs(&|| false),
            None => BTreeSet::new(),
        };
        let alive = second.map(|verdict| file("alive-tv", &verdict.to_string()));
        let mut artifacts = vec![file(AFTER, after), file("messages", report)];
        artifacts.extend(alive);
        artifacts.extend(doubt.map(|why| file(DOUBT, &why)));
        Some(NewFinding {
            attributed_to: None,
            kind: FailureKind::Miscompilation,
            signature: signature(refutation, culprit, &needed),
            summary: summary(report, culprit),
            standing,
            subject: subject(identity(asked.library, &optimiser.server.release), passes),
            files: vec![file(FILE, before)],
            artifacts,
            origin: asked.origin.to_string(),
            certificate: certificate(asked.library),
        })
    }
}

fn file(name: &str, text: &str) -> SourceFile {
    SourceFile { name: name.into(), bytes: text.into() }
}

fn refuted(verdict: Verdict) -> Option<Box<Refutation>> {
    match verdict {
        Verdict::Refuted(refuted) => Some(refuted),
        _ => None,
    }
}

/// Why a refutation may be none, in a sentence: what rests on an input with undef alone, or on claims that we
/// do not model, is no confirmed miscompilation. Claims that the passes do not need are none.
fn doubt(
    optimiser: &mut dyn Optimiser,
    before: &str,
    passes: &str,
    own: &Checker,
    refutation: &Refutation,
) -> Option<String> {
    if refutation.needs_undef {
        return Some("It shows on an input with undef only.\n".into());
    }
    if refutation.unmodelled.is_empty() {
        return None;
    }
    let plain = without_unmodelled(before).and_then(|text| optimiser.run(&text, "verify"));
    let shows = plain.and_then(|text| {
        let after = optimiser.run(&text, passes)?;
        refuted(own.check(&text, &after)).filter(|again| !again.needs_undef)
    });
    match shows {
        Some(_) => None,
        None => Some(format!(
            "It shows only with attributes or metadata whose meaning is not modelled: {}.\n",
            refutation.unmodelled.join(", ")
        )),
    }
}

/// The last line of a report says what is wrong.
fn summary(report: &str, culprit: &str) -> String {
    let last = report.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("{culprit}: {}", last.trim())
}

/// What findings of the same bug have in common before they are studied: the pass, and what it must see. What shows
/// with an undefined input only is another bug, and one that maintainers mind less.
fn signature(refutation: &Refutation, culprit: &str, needed: &BTreeSet<ModuleConstruct>) -> String {
    let words: Vec<&str> = needed.iter().map(ModuleConstruct::words).collect();
    key(refutation, culprit, &words.join(", "))
}

/// The key of a miscompilation: the pass, by the name of its class in LLVM, and more.
fn key(refutation: &Refutation, culprit: &str, more: &str) -> String {
    let undef = if refutation.needs_undef { " (undef)" } else { "" };
    let pass = class_of(culprit);
    let behind = if more.is_empty() { "" } else { " | " };
    format!("{} llvm {pass}{undef}{behind}{more}", FailureKind::Miscompilation.name())
}

fn subject(library: LibraryIdentity, passes: &str) -> Subject {
    let fault = ModuleFault::Refinement;
    Subject::Module(ModuleSubject { library, passes: passes.into(), fault, baseline: None })
}

/// Makes the module of a finding small, as long as what the pass makes of it is refuted.
pub fn study_refuted(
    found: &Finding,
    module: &ModuleSubject,
    library: &Installed,
    tools: LlvmTools<'_>,
    stop: &Stop,
    tell: ProgressFn<'_>,
) -> Result<Study, NotReduced> {
    let begin = Instant::now();
    let (passes, limits) = (module.passes.as_str(), tools.limits);
    let source = found.finding.files.first();
    let source = source.ok_or_else(|| NotReduced::Unusable("it has no file".into()))?;
    let mut server = serve(tools.program, library).map_err(NotReduced::Unusable)?;
    // Functions that only the module calls may be what their callers make of them.
    let own = Checker::new(None).within(Scope::Module);
    let mut tester = Refuting::new(&mut server, &own, limits);
    let is_over = || stop.is_set();
    let compared = BaselineTester::new(&mut tester, &found.finding, module, tools.program, limits);
    let shrunk = match compared.map_err(NotReduced::Unusable)? {
        Some(mut tester) => shrink::shrink(&source.bytes, passes, &mut tester, tell, &is_over),
        None => shrink::shrink(&source.bytes, passes, &mut tester, tell, &is_over),
    };
    if let Some(lost) = tester.lost {
        return Err(NotReduced::Unusable(lost));
    }
    if stop.is_set() {
        return Err(NotReduced::Trouble(Trouble::Stopped));
    }
    let mut shrunk = shrunk.ok_or_else(|| NotReduced::NotShown("it is not refuted".into()))?;
    // As `opt` must be told it.
    shrunk.passes = llvmhost::without_fixpoint_check(&shrunk.passes, library.major);
    let before = String::from_utf8_lossy(&shrunk.module).into_owned();
    // As `opt` does it: the module may not name its machine any more.
    let mut plain = OnText { server: &mut server, limits, x86: false };
    let after = plain.run(&before, &shrunk.passes);
    let after = after.ok_or_else(|| NotReduced::NotShown("the passes fail on it".into()))?;
    let refutation = refuted(own.check(&before, &after));
    let refutation =
        refutation.ok_or_else(|| NotReduced::NotShown("it is not refuted again".into()))?;
    let (needed, shape) = what_matters(&mut plain, &before, &shrunk.passes, &own, stop);
    let ladder = ladder(tools, library, &before, &shrunk.passes, &own);
    let pass = last_pass(&shrunk.passes).to_string();
    let tokens = |text: &[u8]| String::from_utf8_lossy(text).split_whitespace().count();
    Ok(Study {
        about: None,
        mask: Mask::of_module(needed),
        subject: subject(identity(library, &server.release), &shrunk.passes)
            .against(module.baseline.clone()),
        summary: summary(&refutation.report, &pass),
        certificate: certificate(library),
        key: key(&refutation, &pass, &shape),
        blame: Blame {
            culprits: vec![Culprit {
                method: Method::LastPass,
                name: class_of(&pass),
                hides: Vec::new(),
                detail: format!("-passes={}", shrunk.passes),
            }],
            pass: Some(class_of(&pass)),
            limits: Vec::new(),
        },
        ladder,
        tokens: (tokens(&source.bytes), tokens(&shrunk.module)),
        took: begin.elapsed(),
        evidence: Vec::new(),
        files: vec![
            SourceFile { name: FILE.into(), bytes: shrunk.module },
            file(AFTER, &after),
            file(COUNTEREXAMPLE, &refutation.report),
        ],
    })
}

/// What the passes must see of a reduced module, and its shape.
fn what_matters(
    optimiser: &mut dyn Optimiser,
    module: &str,
    passes: &str,
    own: &Checker,
    stop: &Stop,
) -> (BTreeSet<ModuleConstruct>, String) {
    let Some(mut wrong) = WrongModule::new(optimiser, module, passes, own) else {
        // All of it may matter: better one bug twice in a list than two bugs in one.
        let none = BTreeSet::new();
        let shape = shape_of(module, &none).map_or_else(String::new, |shape| shape.to_string());
        return (none, shape);
    };
    let needed = wrong.needs(&|| stop.is_set());
    let shape = wrong.shape(&needed).to_string();
    (needed, shape)
}

/// The module on every LLVM that is installed.
fn ladder(
    tools: LlvmTools<'_>,
    failed: &Installed,
    module: &str,
    passes: &str,
    own: &Checker,
) -> Ladder {
    let mut rungs = Vec::new();
    for library in rungs_for(failed) {
        let Ok(mut server) = serve(tools.program, &library) else { continue };
        let cell = is_refuted(&mut server, module, passes, own, tools.limits);
        let cell = match cell {
            Some(true) => Cell::Fails,
            Some(false) => Cell::Works,
            None => Cell::Unsupported,
        };
        let version = library.version_and_build();
        rungs.push(Rung { compiler: compiler(&library), version, cells: vec![cell] });
    }
    Ladder { levels: vec![format!("-passes={passes}")], rungs }
}

/// Whether what passes make of a module is refuted; `None` if they fail, or do not exist.
pub fn is_refuted(
    server: &mut Server,
    module: &str,
    passes: &str,
    own: &Checker,
    limits: Limits,
) -> Option<bool> {
    let mut optimiser = OnText { server, limits, x86: true };
    let before = optimiser.run(module, "verify")?;
    let after = optimiser.run(&before, passes)?;
    Some(matches!(own.check(&before, &after), Verdict::Refuted(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pass that makes 1 of what a function returns: of any, or only of one with a claim.
    struct Faulty {
        needs: Option<&'static str>,
    }

    impl Optimiser for Faulty {
        fn run(&mut self, module: &str, passes: &str) -> Option<String> {
            let fails = self.needs.is_none_or(|claim| module.contains(claim));
            let text = if fails && passes != "verify" {
                module.replace("ret i32 %x", "ret i32 1")
            } else {
                module.into()
            };
            Some(text)
        }
    }

    fn doubted(module: &str, needs: Option<&'static str>) -> Option<String> {
        let own = Checker::new(None);
        let mut pass = Faulty { needs };
        let after = pass.run(module, "p").expect("a module");
        let refutation = refuted(own.check(module, &after)).expect("it is refuted");
        doubt(&mut pass, module, "p", &own, &refutation)
    }

    #[test]
    fn what_rests_on_unknown_claims_is_not_confirmed() {
        let plain = "define i32 @f(i32 noundef %x) {\n  ret i32 %x\n}\n";
        let claims = "define i32 @f(i32 noundef %x) \"modular-format\"=\"a\" {\n  ret i32 %x\n}\n";
        assert_eq!(doubted(plain, None), None);
        assert_eq!(doubted(claims, None), None, "the claim has no part in it");
        let why = doubted(claims, Some("modular-format")).expect("it has");
        assert!(why.ends_with("not modelled: \"modular-format\".\n"), "{why}");
    }

    #[test]
    fn what_rests_on_undef_is_not_confirmed() {
        let own = Checker::new(None);
        let refutation =
            Refutation { needs_undef: true, ..Refutation::told("input: i32 %x = undef") };
        let none = BTreeSet::new();
        assert_eq!(signature(&refutation, "p", &none), "miscompilation llvm p (undef)");
        let why = doubt(&mut Faulty { needs: None }, "", "p", &own, &refutation);
        assert!(why.is_some_and(|why| why.contains("undef only")));
        // The name of a value is not its value.
        let plain = Refutation::told("input: i32 %undef = 7");
        assert_eq!(signature(&plain, "p", &none), "miscompilation llvm p");
    }
}
