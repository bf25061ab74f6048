//! The engine `crossover`: crossovers of LLVM's unit tests on its passes.
//!
//! A test is a batch of them. Which seeds are drawn depends on what earlier batches have added to the
//! corpus, so a batch is not the same again; a finding is: it has its module.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use crossover::fuzz::{Found, Fuzzer};
use crossover::shrink;
use crossover::tester::OnServer;
use crossover::verdict::{Verdict, judge};
use crossover::work::{Item, Pipeline, Source};
use llvm::{Fault, Installed, Limits, Program, Running, Server, Setup, Signature};
use oracle::{Certificate, Kind, Opinion, Says, SourceFile, Trouble};
use reduce::NotReduced;
use sandbox::Stop;
use triage::{Blame, Cell, Culprit, Ladder, Method, Rung};

use super::Engine;
use crate::bench::Bench;
use crate::record::{Finding, NewFinding, Standing, Study, Tested};
use crate::store::StoredTarget;

/// Crossovers in a batch: enough to pay for a fork, few enough to be done soon.
pub const BATCH: usize = 50;

/// The file of a finding.
const FILE: &str = "test.ll";

/// Crossovers on one or several libraries, which take turns.
#[derive(Debug)]
pub struct Crossover {
    name: String,
    fuzzers: Vec<Arc<Fuzzer>>,
    passes: String,
    program: Program,
}

impl Crossover {
    /// On these, with these passes. `program` is what servers for other versions are started with.
    pub fn new(fuzzers: Vec<Arc<Fuzzer>>, passes: String, program: Program) -> Crossover {
        Crossover { name: "crossover".to_string(), fuzzers, passes, program }
    }

    fn finding(&self, fuzzer: &Fuzzer, found: Found) -> NewFinding {
        let Found { signature, module, origin, told } = found;
        let kind = kind(signature.fault);
        NewFinding {
            kind,
            signature: named(&signature),
            summary: signature.summary.clone(),
            standing: Standing::Confirmed,
            targets: vec![label(&fuzzer.library, &self.passes)],
            right: Vec::new(),
            files: vec![SourceFile { name: FILE.into(), bytes: module.into_bytes() }],
            artifacts: vec![SourceFile { name: "messages".into(), bytes: told.into_bytes() }],
            commands: vec![command(&fuzzer.library, &self.passes, signature.fault)],
            origin: format!("crossover: {origin}"),
            certificate: certificate(&fuzzer.library),
        }
    }

    fn fuzzer(&self, found: &Finding) -> Option<&Arc<Fuzzer>> {
        let is_of = |fuzzer: &&Arc<Fuzzer>| found.finding.targets.contains(&label(&fuzzer.library, &self.passes));
        self.fuzzers.iter().find(is_of)
    }

    fn reduce(&self, found: &Finding, stop: &Stop) -> Result<Study, NotReduced> {
        let begin = Instant::now();
        let unusable = |why: String| NotReduced::Unusable(why);
        let fuzzer = self.fuzzer(found).ok_or_else(|| unusable("its library is not of this hunt".into()))?;
        let file = found.finding.files.first().ok_or_else(|| unusable("it has no file".into()))?;
        let mut server = fuzzer.plain_server().map_err(unusable)?;
        let limits = fuzzer.limits();
        let wanted = match look(&mut server, &file.bytes, &self.passes, limits).map_err(unusable)? {
            Verdict::Fault(signature) => signature,
            _ => return Err(NotReduced::NotShown("it works".into())),
        };
        let mut tester = OnServer::new(&mut server, wanted.clone(), limits);
        let shrunk = shrink::shrink(&file.bytes, &self.passes, &mut tester, &|_| {}, &|| stop.is_set());
        if let Some(lost) = tester.lost {
            return Err(unusable(lost));
        }
        let shrunk = shrunk.ok_or_else(|| NotReduced::NotShown("it does not show alone".into()))?;
        if stop.is_set() {
            return Err(NotReduced::Trouble(Trouble::Stopped));
        }
        let now = match look(&mut server, &shrunk.module, &shrunk.passes, limits).map_err(unusable)? {
            Verdict::Fault(signature) => signature,
            _ => return Err(unusable("the reduced module does not show it any more".into())),
        };
        let ladder = self.ladder(&shrunk.module, &shrunk.passes, &now, limits);
        let pass = now.pass.clone().or(wanted.pass);
        let culprit = pass.as_ref().map(|pass| Culprit {
            method: Method::Message,
            name: pass.clone(),
            hides: Vec::new(),
            detail: format!("-passes={}", shrunk.passes),
        });
        let tokens = |text: &[u8]| String::from_utf8_lossy(text).split_whitespace().count();
        let library = &fuzzer.library;
        Ok(Study {
            standard: None,
            expected: None,
            summary: now.summary.clone(),
            compiler: compiler(library),
            flags: vec![format!("-passes={}", shrunk.passes)],
            targets: vec![label(library, &shrunk.passes)],
            right: Vec::new(),
            commands: vec![command(library, &shrunk.passes, now.fault)],
            certificate: certificate(library),
            blame: Blame { pass, culprits: culprit.into_iter().collect(), limits: Vec::new() },
            ladder,
            key: named(&now),
            tokens: (tokens(&file.bytes), tokens(&shrunk.module)),
            took: begin.elapsed(),
            files: vec![SourceFile { name: FILE.into(), bytes: shrunk.module }],
        })
    }

    /// The module on every LLVM that is installed.
    fn ladder(&self, module: &[u8], passes: &str, seen: &Signature, limits: Limits) -> Ladder {
        let mut rungs = Vec::new();
        for library in Installed::all() {
            let setup = Setup {
                library: library.path.clone(),
                major: library.major,
                ..Setup::default()
            };
            let Ok(mut server) = Server::start(&self.program, &setup) else { continue };
            let cell = match look(&mut server, module, passes, limits) {
                Ok(Verdict::Fine(_)) => Cell::Works,
                Ok(Verdict::Fault(other)) if is_same(seen, &other) => Cell::Fails,
                Ok(Verdict::Fault(other)) => Cell::Otherwise(kind(other.fault)),
                Ok(Verdict::Refused(_) | Verdict::Trouble(_)) | Err(_) => Cell::NotForIt,
            };
            let version = server.release.clone();
            rungs.push(Rung { compiler: compiler(&library), version, cells: vec![cell] });
        }
        Ladder { levels: vec![format!("-passes={passes}")], rungs }
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

    fn test(&self, seed: u64, bench: &Bench) -> Result<Tested, Trouble> {
        let fuzzer = &self.fuzzers[(seed % self.fuzzers.len() as u64) as usize];
        let mut tested = Tested::new(self.name(), seed);
        let batch = fuzzer.batch(seed, BATCH).map_err(|error| match bench.lab.stop.is_set() {
            true => Trouble::Stopped,
            false => Trouble::Io(format!("libLLVM {}: {error}", fuzzer.library.major)),
        })?;
        tested.tests = batch.tally.tests;
        tested.cost.compile = batch.time;
        for found in batch.found {
            let finding = self.finding(fuzzer, found);
            bench.count(&finding.signature);
            tested.findings.push(finding);
        }
        Ok(tested)
    }

    fn study(&self, found: &Finding, stop: &Stop) -> Option<Result<Study, NotReduced>> {
        Some(self.reduce(found, stop))
    }

    fn targets(&self) -> Vec<StoredTarget> {
        let target = |fuzzer: &Arc<Fuzzer>| StoredTarget {
            label: label(&fuzzer.library, &self.passes),
            compiler: compiler(&fuzzer.library),
            version: fuzzer.library.major.to_string(),
            triple: llvm::X86_64.to_string(),
            command: fuzzer.library.path.display().to_string(),
            runner: String::new(),
        };
        self.fuzzers.iter().map(target).collect()
    }
}

/// What a pipeline does with a module's text.
fn look(server: &mut Server, module: &[u8], passes: &str, limits: Limits) -> Result<Verdict, String> {
    let item = Item::Optimise {
        module: Source::Bytes(module.to_vec()),
        name: FILE.into(),
        pipeline: Pipeline {
            passes: passes.to_string(),
            running: Running { verify_each: true, log: false },
        },
        x86: false,
        print: false,
    };
    judge(server, &item, limits).map(|(verdict, _)| verdict).map_err(|error| error.to_string())
}

/// Whether two versions do the same wrong. Functions have names in one and only addresses in the
/// other, so the kind and the pass must do.
fn is_same(one: &Signature, other: &Signature) -> bool {
    one.key == other.key || one.fault == other.fault && one.pass.is_some() && one.pass == other.pass
}

fn kind(fault: Fault) -> Kind {
    match fault {
        Fault::Crash => Kind::CompilerCrash,
        Fault::InvalidIr => Kind::InvalidIr,
        Fault::Hang => Kind::CompilerHang,
        Fault::Memory => Kind::CompilerMemory,
    }
}

fn named(signature: &Signature) -> String {
    format!("{} llvm {}", kind(signature.fault).name(), signature.key)
}

/// `libLLVM-16`.
fn compiler(library: &Installed) -> String {
    format!("libLLVM-{}", library.major)
}

fn label(library: &Installed, passes: &str) -> String {
    format!("{} -passes={passes}", compiler(library))
}

/// What shows it, typed beside the file. Debian's name of `opt`; in other places it has none with a
/// number.
fn command(library: &Installed, passes: &str, fault: Fault) -> String {
    let verify = if fault == Fault::InvalidIr { " -verify-each" } else { "" };
    format!("opt-{} '-passes={passes}'{verify} -disable-output {FILE}", library.major)
}

fn certificate(library: &Installed) -> Certificate {
    let opinion = Opinion {
        tool: format!("the verifier of LLVM {}", library.major),
        command: format!("opt-{} -passes=verify -disable-output {FILE}", library.major),
        says: Says::NoAlarm,
    };
    Certificate { opinions: vec![opinion] }
}
