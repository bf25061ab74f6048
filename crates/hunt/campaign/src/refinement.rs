//! Findings by refinement: the output of passes does not refine their input.
//!
//! The finding is the module that the culprit was given, not the one that the pipeline was given: the
//! pass is located before the finding is recorded. Its counterexample was executed.

use std::time::Instant;

use finding::{LibraryIdentity, ModuleFault, ModuleSubject, Subject};
use llvmhost::{Installed, Limits, Server};
use optimise::locate::{OnText, Optimiser, last_pass, locate};
use optimise::shrink::{self, pipeline::class_of};
use optimise::tester::Refuting;
use oracle::{FailureKind, SourceFile, Trouble};
use reduce::NotReduced;
use refine::{AliveTv, Checker, Refinement as _, Refutation, Scope, Verdict, without_unmodelled};
use sandbox::Stop;
use triage::{Blame, Cell, Culprit, Ladder, Method, Rung};

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

    /// Asks; a refutation is a finding, with the pass that is to blame.
    pub fn ask(
        &self,
        asked: &RefinementQuery<'_>,
        server: &mut Server,
        limits: Limits,
        sources: &[SourceFile],
    ) -> Option<NewFinding> {
        let own = self.own.within(asked.scope);
        let refutation = refuted(own.check(asked.before, asked.after))?;
        let asked_passes = llvmhost::without_fixpoint_check(asked.passes, asked.library.major);
        let mut optimiser = OnText { server, limits, x86: true };
        let located = locate(&mut optimiser, asked.before, &asked_passes, &own);
        let (passes, before, after, refutation, culprit) = match &located {
            Some(it) => (it.passes.as_str(), &*it.before, &*it.after, &it.refuted, it.pass()),
            None => (&*asked_passes, asked.before, asked.after, &refutation, "the pipeline"),
        };
        let report = &refutation.report;
        // It must be so again, and Alive2 must not know better.
        let again = optimiser.run(before, passes)?;
        refuted(own.check(before, &again))?;
        let doubt = doubt(&mut optimiser, before, passes, &own, refutation);
        let second = self.alive.as_ref().map(|alive| alive.check(before, after));
        let standing = match second {
            Some(Verdict::Proved) => Standing::Disputed,
            _ if doubt.is_some() => Standing::Disputed,
            _ => Standing::Confirmed,
        };
        let summary = summary(report, culprit);
        let mut artifacts = sources.to_vec();
        let alive = second.map(|verdict| file("alive-tv", &verdict.to_string()));
        artifacts.extend([file(AFTER, after), file("messages", report)]);
        artifacts.extend(alive);
        artifacts.extend(doubt.map(|why| file(DOUBT, &why)));
        Some(NewFinding {
            kind: FailureKind::Miscompilation,
            signature: signature(refutation, culprit),
            summary,
            standing,
            subject: subject(identity(asked.library, &server.release), passes),
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

/// What findings of the same bug have in common, as far as can be told. What shows with an undefined input
/// only is another bug, and one that maintainers mind less.
fn signature(refutation: &Refutation, culprit: &str) -> String {
    let undef = if refutation.needs_undef { " (undef)" } else { "" };
    format!("{} llvm {culprit}{undef}", FailureKind::Miscompilation.name())
}

fn subject(library: LibraryIdentity, passes: &str) -> Subject {
    let fault = ModuleFault::Refinement;
    Subject::Module(ModuleSubject { library, passes: passes.into(), fault })
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
    let shrunk = shrink::shrink(&source.bytes, passes, &mut tester, tell, &|| stop.is_set());
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
    let ladder = ladder(tools, library, &before, &shrunk.passes, &own);
    let pass = last_pass(&shrunk.passes).to_string();
    let tokens = |text: &[u8]| String::from_utf8_lossy(text).split_whitespace().count();
    Ok(Study {
        subject: subject(identity(library, &server.release), &shrunk.passes),
        summary: summary(&refutation.report, &pass),
        certificate: certificate(library),
        key: signature(&refutation, &pass),
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
        assert_eq!(signature(&refutation, "p"), "miscompilation llvm p (undef)");
        let why = doubt(&mut Faulty { needs: None }, "", "p", &own, &refutation);
        assert!(why.is_some_and(|why| why.contains("undef only")));
        // The name of a value is not its value.
        let plain = Refutation::told("input: i32 %undef = 7");
        assert_eq!(signature(&plain, "p"), "miscompilation llvm p");
    }
}
