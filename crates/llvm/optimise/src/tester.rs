//! Runs the candidates of a reduction on a server.

use std::time::Duration;

use llvmhost::{End, Fault, Limits, Running, Server, Signature};

use refine::{Refinement, Verdict as Refined};

use crate::shrink::{Candidate, EditKind, Tester};
use crate::verdict::{CODE_GENERATOR, Verdict};
use crate::work::{Answer, Item, Pipeline, stage};

/// Candidates that make LLVM slow are not worth waiting for, unless slowness is the finding.
const TIME: Duration = Duration::from_secs(4);

/// A server and the finding that candidates must show.
#[derive(Debug)]
pub struct OnServer<'s> {
    server: &'s mut Server,
    wanted: Signature,
    running: Running,
    /// The fault is that of making code.
    code: bool,
    limits: Limits,
    /// Set when the server is gone: nothing shows anything then.
    pub lost: Option<String>,
}

impl<'s> OnServer<'s> {
    /// Candidates must show this.
    pub fn new(server: &'s mut Server, wanted: Signature, limits: Limits) -> OnServer<'s> {
        // Verifying after each pass is what names the pass; a crash needs none.
        let verify_each = wanted.fault == Fault::InvalidIr;
        let time = if wanted.fault == Fault::Hang { limits.time } else { TIME.min(limits.time) };
        let running = Running { verify_each, log: false };
        let code = wanted.pass.as_deref() == Some(CODE_GENERATOR);
        OnServer { server, wanted, running, code, limits: Limits { time, ..limits }, lost: None }
    }

    fn pipeline(&self, passes: &str) -> Pipeline {
        Pipeline { passes: passes.to_string(), running: self.running, code: self.code }
    }

    fn run(&mut self, items: Vec<Vec<u8>>) -> Vec<llvmhost::Ran> {
        ask(self.server, &mut self.lost, items, self.limits)
    }
}

impl Tester for OnServer<'_> {
    fn try_all(&mut self, base: &[u8], candidates: &[Candidate]) -> Vec<Option<Vec<u8>>> {
        let item = |candidate: &Candidate| Item::Edit {
            base: base.to_vec(),
            edit: candidate.edit.clone(),
            pipeline: self.pipeline(&candidate.passes),
            print: false,
        };
        let items = candidates.iter().map(|candidate| item(candidate).bytes()).collect();
        let mut shown: Vec<Option<Vec<u8>>> = Vec::with_capacity(candidates.len());
        for ran in self.run(items) {
            let shows = match Verdict::of(&ran) {
                Verdict::Fault(seen) => ran.stage >= stage::PASSES && seen.shows(&self.wanted),
                _ => false,
            };
            shown.push(shows.then_some(ran.artifact));
        }
        shown.resize(candidates.len(), None);
        shown
    }

    fn count(&mut self, base: &[u8], kind: EditKind) -> usize {
        places(self.run(vec![counting(base, kind)]))
    }

    fn expansions(&mut self, base: &[u8], passes: &str) -> Vec<String> {
        let mut pipeline = self.pipeline(passes);
        pipeline.running.log = true;
        let module = base.to_vec();
        let item =
            Item::Optimise { module, name: "reduced".into(), pipeline, x86: false, print: false };
        let log = self.run(vec![item.bytes()]).into_iter().find_map(|ran| match ran.end {
            End::Fatal(crash) | End::Signal(_, crash) | End::Exit(_, crash) => Some(crash.printed),
            End::Time(crash) | End::Memory(crash) => Some(crash.printed),
            End::Done | End::Panic(_) => None,
        });
        log.map(|log| crate::shrink::pipeline::from_log(&log))
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect()
    }
}

/// A server and an oracle that must refute what passes make of a candidate.
#[derive(Debug)]
pub struct Refuting<'s, R> {
    server: &'s mut Server,
    oracle: &'s R,
    limits: Limits,
    /// Set when the server is gone: nothing shows anything then.
    pub lost: Option<String>,
}

impl<'s, R: Refinement> Refuting<'s, R> {
    /// The results of candidates must be refuted by this.
    pub fn new(server: &'s mut Server, oracle: &'s R, limits: Limits) -> Refuting<'s, R> {
        let limits = Limits { time: TIME.min(limits.time), ..limits };
        Refuting { server, oracle, limits, lost: None }
    }
}

impl<R: Refinement> Tester for Refuting<'_, R> {
    fn try_all(&mut self, base: &[u8], candidates: &[Candidate]) -> Vec<Option<Vec<u8>>> {
        let running = Running { verify_each: false, log: false };
        let item = |candidate: &Candidate| Item::Edit {
            base: base.to_vec(),
            edit: candidate.edit.clone(),
            pipeline: Pipeline::of(&candidate.passes, running),
            print: true,
        };
        let items = candidates.iter().map(|candidate| item(candidate).bytes()).collect();
        let refuted = |ran: llvmhost::Ran| match Verdict::of(&ran) {
            Verdict::Fine(Answer::Fine(after)) => {
                let before = String::from_utf8(ran.artifact).ok()?;
                let verdict = self.oracle.check(&before, &after);
                matches!(verdict, Refined::Refuted(_)).then(|| before.into_bytes())
            }
            _ => None,
        };
        let ran = ask(self.server, &mut self.lost, items, self.limits);
        let mut shown: Vec<Option<Vec<u8>>> = ran.into_iter().map(refuted).collect();
        shown.resize(candidates.len(), None);
        shown
    }

    fn count(&mut self, base: &[u8], kind: EditKind) -> usize {
        places(ask(self.server, &mut self.lost, vec![counting(base, kind)], self.limits))
    }
}

fn counting(base: &[u8], kind: EditKind) -> Vec<u8> {
    Item::Count { base: base.to_vec(), kind }.bytes()
}

fn places(ran: Vec<llvmhost::Ran>) -> usize {
    match ran.first().map(|ran| Answer::read(&ran.output)) {
        Some(Answer::Places(places)) => places as usize,
        _ => 0,
    }
}

fn ask(
    server: &mut Server,
    lost: &mut Option<String>,
    items: Vec<Vec<u8>>,
    limits: Limits,
) -> Vec<llvmhost::Ran> {
    if lost.is_some() {
        return Vec::new();
    }
    server.run(items, limits, false).unwrap_or_else(|e| {
        *lost = Some(e.to_string());
        Vec::new()
    })
}
