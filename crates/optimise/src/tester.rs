//! Runs the candidates of a reduction on a server.

use std::time::Duration;

use llvm::{End, Fault, Limits, Running, Server, Signature};

use crate::shrink::{Candidate, Kind, Tester};
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

    fn run(&mut self, items: Vec<Vec<u8>>) -> Vec<llvm::Ran> {
        if self.lost.is_some() {
            return Vec::new();
        }
        self.server.run(items, self.limits, false).unwrap_or_else(|e| {
            self.lost = Some(e.to_string());
            Vec::new()
        })
    }
}

impl Tester for OnServer<'_> {
    fn try_all(&mut self, base: &[u8], candidates: &[Candidate]) -> Vec<Option<Vec<u8>>> {
        let item = |candidate: &Candidate| Item::Edit {
            base: base.to_vec(),
            edit: candidate.edit.clone(),
            pipeline: self.pipeline(&candidate.passes),
        };
        let items = candidates.iter().map(|candidate| item(candidate).bytes()).collect();
        let mut shown: Vec<Option<Vec<u8>>> = Vec::with_capacity(candidates.len());
        for ran in self.run(items) {
            let shows = match Verdict::of(&ran) {
                Verdict::Fault(seen) => ran.stage >= stage::PASSES && seen.shows(&self.wanted),
                _ => false,
            };
            shown.push(shows.then_some(ran.artefact));
        }
        shown.resize(candidates.len(), None);
        shown
    }

    fn count(&mut self, base: &[u8], kind: Kind) -> usize {
        let ran = self.run(vec![Item::Count { base: base.to_vec(), kind }.bytes()]);
        match ran.first().map(|ran| Answer::read(&ran.output)) {
            Some(Answer::Places(places)) => places as usize,
            _ => 0,
        }
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
