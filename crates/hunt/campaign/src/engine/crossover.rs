//! The engine `crossover`: crossovers of LLVM's unit tests on its passes.
//!
//! A test is a batch of them. Which seeds are drawn depends on what earlier batches have added to the
//! corpus, so a batch is not the same again; a finding is: it has its module.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossover::fuzz::{FoundFault, Fuzzer};
use finding::{LibraryIdentity, Subject};
use llvmhost::{Installed, Program};
use oracle::{SourceFile, Trouble};
use reduce::NotReduced;
use refine::{PIPELINE, Scope};
use sandbox::Stop;

use super::Engine;
use crate::baseline::LibraryBaseline;
use crate::bench::TestBench;
use crate::explain::explained_by;
use crate::module::{
    FILE, LlvmTools, at_hand, certificate, compiler, identity, kind, label, named, study_module,
    subject,
};
use crate::record::{Finding, NewFinding, Standing, Study, Tested};
use crate::refinement::{RefinementOracles, RefinementQuery};
use crate::store::StoredTarget;

/// Crossovers in a batch: enough to pay for a fork, few enough to be done soon.
pub const BATCH: usize = 100;

/// What the refinement oracles may take, in parts of the time of a batch.
const REFINING: f64 = 0.1;

/// Crossovers on one or several libraries, which take turns.
#[derive(Debug)]
pub struct Crossover {
    name: String,
    fuzzers: Vec<Arc<Fuzzer>>,
    passes: String,
    program: Program,
    /// Oracles that check whether crossovers of the corpus are miscompiled.
    oracles: RefinementOracles,
    /// Of a comparison.
    baseline: Option<LibraryBaseline>,
}

impl Crossover {
    /// On these, with these passes. `program` is what servers for other versions are started with.
    pub fn new(fuzzers: Vec<Arc<Fuzzer>>, passes: String, program: Program) -> Crossover {
        let oracles = RefinementOracles::find();
        let name = "crossover".to_string();
        Crossover { name, fuzzers, passes, program, oracles, baseline: None }
    }

    /// The same with an older library that must be right.
    pub fn against(self, baseline: Option<&Installed>) -> Crossover {
        let baseline = baseline.map(|library| LibraryBaseline::new(library, &self.program));
        Crossover { baseline, ..self }
    }

    /// Findings, as far as they are some of a comparison.
    fn compared(
        &self,
        fuzzer: &Fuzzer,
        found: Vec<NewFinding>,
        stop: &Stop,
        tested: &mut Tested,
    ) -> Result<Vec<NewFinding>, Trouble> {
        let Some(baseline) = &self.baseline else { return Ok(found) };
        let (target, limits) = (label(&fuzzer.library, &self.passes), fuzzer.limits());
        let mut new = Vec::new();
        for found in found {
            new.extend(baseline.compared(found, &target, limits, stop, tested)?);
        }
        Ok(new)
    }

    /// Asks the refinement oracles about crossovers of the corpus, the smallest first, for a part of the
    /// time that a batch took.
    fn refine(&self, fuzzer: &Fuzzer, batch: Duration) -> io::Result<Vec<NewFinding>> {
        let (begin, mut findings) = (Instant::now(), Vec::new());
        while begin.elapsed() < batch.mul_f64(REFINING) {
            let Some(refined) = fuzzer.next_to_refine(PIPELINE)? else { break };
            let origin = format!("crossover: seed {} of the corpus", refined.seed);
            let asked = RefinementQuery {
                library: &fuzzer.library,
                before: &refined.before,
                after: &refined.after,
                passes: PIPELINE,
                scope: Scope::Function,
                origin: &origin,
            };
            let limits = fuzzer.limits();
            let found =
                fuzzer.with_server(|server| self.oracles.ask(&asked, server, limits, &[]))?;
            findings.extend(found);
        }
        Ok(findings)
    }

    fn finding(&self, fuzzer: &Fuzzer, found: FoundFault) -> NewFinding {
        let FoundFault { signature, module, passes, origin, told } = found;
        let kind = kind(signature.fault);
        NewFinding {
            attributed_to: None,
            kind,
            signature: named(&signature),
            summary: signature.summary.clone(),
            standing: Standing::Confirmed,
            subject: subject(identity(&fuzzer.library, ""), &passes, &signature),
            files: vec![SourceFile { name: FILE.into(), bytes: module.into_bytes() }],
            artifacts: vec![SourceFile { name: "messages".into(), bytes: told.into_bytes() }],
            origin: format!("crossover: {origin}"),
            certificate: certificate(&fuzzer.library),
        }
    }

    /// The one whose library a finding is about.
    fn fuzzer(&self, library: &LibraryIdentity) -> Option<&Arc<Fuzzer>> {
        self.fuzzers.iter().find(|fuzzer| Path::new(&library.path) == fuzzer.library.path)
    }
}

impl Engine for Crossover {
    fn name(&self) -> &str {
        &self.name
    }

    fn seeds(&self, first: u64) -> Range<u64> {
        first..u64::MAX
    }

    fn tests_each(&self) -> u64 {
        BATCH as u64
    }

    fn test(&self, seed: u64, bench: &TestBench) -> Result<Tested, Trouble> {
        let fuzzer = &self.fuzzers[(seed % self.fuzzers.len() as u64) as usize];
        let mut tested = Tested::new(self.name(), seed);
        let is_stopped = || bench.lab.stop.is_set();
        // What is found is kept even if the rest of the batch does not come to its end in time.
        // What may be nothing new is not.
        let mut sight = |found: &FoundFault| {
            if self.baseline.is_some() {
                return;
            }
            let finding = self.finding(fuzzer, found.clone());
            bench.sight(&tested, &finding.origin.clone(), vec![finding]);
        };
        let batch = fuzzer.batch(seed, BATCH, &is_stopped, &mut sight);
        let batch = batch.map_err(|error| match is_stopped() {
            true => Trouble::Stopped,
            false => Trouble::Io(format!("libLLVM {}: {error}", fuzzer.library.name())),
        })?;
        tested.tests = batch.tally.tests;
        tested.cost.compile = batch.time;
        let findings = batch.found.into_iter().map(|found| self.finding(fuzzer, found)).collect();
        let mut findings = self.compared(fuzzer, findings, &bench.lab.stop, &mut tested)?;
        if is_stopped() {
            // A batch is never the same again, so what was done of this one is a test like any other.
            tested.interrupted = tested.tests == 0;
        } else {
            let refuted = self.refine(fuzzer, batch.time);
            let refuted = refuted.map_err(|error| Trouble::Io(error.to_string()))?;
            findings.extend(self.compared(fuzzer, refuted, &bench.lab.stop, &mut tested)?);
        }
        for finding in findings {
            bench.count(&finding.signature);
            tested.findings.push(finding);
        }
        Ok(tested)
    }

    fn blocks(&self) -> Option<u64> {
        Some(self.fuzzers.iter().map(|fuzzer| fuzzer.account().3 as u64).sum())
    }

    fn study(&self, found: &Finding, stop: &Stop) -> Option<Result<Study, NotReduced>> {
        let Subject::Module(module) = &found.finding.subject else { return None };
        let module = at_hand(module, self.fuzzers.iter().map(|fuzzer| &fuzzer.library))?;
        let limits = self.fuzzer(&module.library)?.limits();
        let tools = LlvmTools { program: &self.program, limits };
        Some(study_module(found, &module, tools, stop, &|_| {}))
    }

    fn explained_by(&self, found: &Finding, known: &[(i64, Study)], stop: &Stop) -> Option<i64> {
        let Subject::Module(module) = &found.finding.subject else { return None };
        let module = at_hand(module, self.fuzzers.iter().map(|fuzzer| &fuzzer.library))?;
        let limits = self.fuzzer(&module.library)?.limits();
        let tools = LlvmTools { program: &self.program, limits };
        // What cannot be told now is learnt by a study.
        explained_by(found, &module, known, tools, stop).ok().flatten()
    }

    fn targets(&self) -> Vec<StoredTarget> {
        let target = |fuzzer: &Arc<Fuzzer>| StoredTarget {
            label: label(&fuzzer.library, &self.passes),
            compiler: compiler(&fuzzer.library),
            version: fuzzer.library.version_and_build(),
            triple: llvmhost::X86_64.to_string(),
            command: fuzzer.library.path.display().to_string(),
            runner: String::new(),
        };
        self.fuzzers.iter().map(target).collect()
    }
}
