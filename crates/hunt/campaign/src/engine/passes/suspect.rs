//! From the outcomes of sequences on a program to findings.

use std::collections::BTreeMap;
use std::io;

use finding::{SequenceSubject, Subject};
use llvmhost::{Executed, ExecutionEnd, Fault, Signature};
use optimise::locate::{OnText, Optimiser as _};
use optimise::work::{Answer, Item};
use oracle::{Assessment, Certificate, Expected, FailureKind, SourceFile, Trouble};
use passes::exclusion::{Excluded, Exclusion};
use passes::sequence::{Grouping, Sequence};
use passes::trial::{Attempt, ExpectedRun, SequenceOutcome, ShortenOptions, Trial};
use refine::Scope;

use super::{LibraryState, Passes, PreparedProgram, lock};
use crate::bench::TestBench;
use crate::module::{FILE, certificate, kind, named, subject};
use crate::record::{Cost, NewFinding, Standing};
use crate::refinement::RefinementQuery;
use crate::{front, program};

/// Of one fault so many are findings; the others are counted.
const CLOSELY: u64 = 3;

/// Of one fault so many are reduced to the fewest passes, so that what they have in common is learnt.
const LEARNT: u64 = 6;

/// Known wrong sequences that a program is tried with before a new one is thought of.
const KNOWN: usize = 12;

/// Bytes of an output that are kept.
const OUTPUT: usize = 64 << 10;

impl Passes {
    /// Runs sequences on a program and says what is wrong with them.
    pub(super) fn test_sequences(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        sequences: &[Sequence],
        trial: &mut Trial<'_>,
        bench: &TestBench,
        cost: &mut Cost,
    ) -> Result<Vec<NewFinding>, Trouble> {
        let attempts = trial.run_past_crashes(sequences).map_err(io)?;
        let must = program.must.clone().or_else(|| majority(&attempts));
        let mut findings = Vec::new();
        self.count(library_state, &attempts, sequences.len(), must.as_ref());
        for Attempt { sequence, seen, .. } in &attempts {
            match seen {
                SequenceOutcome::Fault(signature) => {
                    findings.extend(self.report_fault(
                        library_state,
                        program,
                        sequence,
                        signature,
                        trial,
                        bench,
                    )?);
                }
                SequenceOutcome::Refused(words) => self.exclude_refused(library_state, words),
                seen => {
                    if let Some(must) = must.as_ref().filter(|must| seen.is_wrong(must)) {
                        let found = self.report_wrong_code(
                            library_state,
                            program,
                            sequence,
                            must,
                            trial,
                            bench,
                            cost,
                        )?;
                        findings.extend(found);
                    }
                }
            }
        }
        // One of them at a time: what is wrong in one function need not show in what a program prints. Where it
        // does, the function and the pass say more than the program.
        let wrong =
            |attempt: &&Attempt| must.as_ref().is_some_and(|must| attempt.seen.is_wrong(must));
        let well = |attempt: &&Attempt| matches!(attempt.seen, SequenceOutcome::Executed(_));
        let asked = attempts.iter().find(wrong).or_else(|| attempts.iter().find(well));
        if let Some(Attempt { sequence, .. }) = asked {
            findings.extend(self.refine(library_state, program, sequence, trial, bench)?);
        }
        Ok(findings)
    }

    /// Asks whether a sequence keeps what the functions of a program mean.
    fn refine(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        sequence: &Sequence,
        trial: &mut Trial<'_>,
        bench: &TestBench,
    ) -> Result<Option<NewFinding>, Trouble> {
        let passes = sequence.text(&library_state.inventory, Grouping::Alone);
        let text = text(program, trial)?;
        let mut optimiser = OnText { server: trial.server, limits: trial.limits, x86: true };
        let before = optimiser.run(&text, "verify");
        let after = before.as_ref().and_then(|before| optimiser.run(before, &passes));
        let (Some(before), Some(after)) = (before, after) else { return Ok(None) };
        let asked = RefinementQuery {
            library: &library_state.installed,
            before: &before,
            after: &after,
            passes: &passes,
            scope: Scope::Module,
            origin: &origin(program, sequence),
        };
        let files = &program.made.case.files;
        let found = self.oracles.ask(&asked, trial.server, trial.limits, files);
        Ok(found.filter(|found| bench.count(&found.signature) < CLOSELY))
    }

    fn count(
        &self,
        library_state: &LibraryState,
        attempts: &[Attempt],
        sequences: usize,
        must: Option<&ExpectedRun>,
    ) {
        let mut tally = lock(&library_state.tally);
        tally.sequences += sequences as u64;
        tally.attempts += attempts.len() as u64;
        for (at, attempt) in attempts.iter().enumerate() {
            match &attempt.seen {
                SequenceOutcome::Executed(executed) => {
                    tally.executed += 1;
                    tally.crash_free += u64::from(at < sequences);
                    tally.right += u64::from(must.is_some_and(|must| must.matches(executed)));
                }
                SequenceOutcome::Fault(signature) => {
                    *tally.faults.entry(named(signature)).or_default() += 1;
                }
                SequenceOutcome::Refused(why) | SequenceOutcome::Trouble(why) => {
                    *tally.lost.entry(why.clone()).or_default() += 1;
                }
            }
        }
    }

    /// A fault of LLVM's: seen again, with the fewest passes that show it.
    fn report_fault(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        sequence: &Sequence,
        signature: &Signature,
        trial: &mut Trial<'_>,
        bench: &TestBench,
    ) -> Result<Option<NewFinding>, Trouble> {
        let mut name = named(signature);
        if bench.known(&name) >= LEARNT {
            bench.count(&name);
            return Ok(None);
        }
        let (seen, told) = trial.rerun_verified(sequence).map_err(io)?;
        let SequenceOutcome::Fault(signature) = seen else { return Ok(None) };
        // A module that was broken before may crash a pass that has no part in it: both names are known then.
        let seen_as = std::mem::replace(&mut name, named(&signature));
        if seen_as != name {
            bench.count(&seen_as);
        }
        let known = bench.count(&name);
        if known >= LEARNT {
            return Ok(None);
        }
        let shows = |seen: &SequenceOutcome| match seen {
            SequenceOutcome::Fault(other) => other.shows(&signature),
            _ => false,
        };
        let terms = ShortenOptions {
            verify_each: signature.fault == Fault::InvalidIr,
            is_slow: matches!(signature.fault, Fault::Hang | Fault::Memory),
        };
        let short = trial.shorten(sequence, terms, &shows).map_err(io)?;
        self.learn_exclusion(library_state, &short, &name);
        if known >= CLOSELY {
            return Ok(None);
        }
        let passes = short.text(&library_state.inventory, Grouping::Alone);
        let text = text(program, trial)?;
        let mut artifacts = program.made.case.files.clone();
        artifacts.push(SourceFile { name: "messages".into(), bytes: told.into_bytes() });
        Ok(Some(NewFinding {
            kind: kind(signature.fault),
            signature: name,
            summary: signature.summary.clone(),
            standing: Standing::Confirmed,
            subject: subject(library_state.identity(), &passes, &signature),
            files: vec![SourceFile { name: FILE.into(), bytes: text.into_bytes() }],
            artifacts,
            origin: origin(program, sequence),
            certificate: certificate(&library_state.installed),
        }))
    }

    /// The program does something else than it must.
    #[allow(clippy::too_many_arguments)]
    fn report_wrong_code(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        sequence: &Sequence,
        must: &ExpectedRun,
        trial: &mut Trial<'_>,
        bench: &TestBench,
        cost: &mut Cost,
    ) -> Result<Option<NewFinding>, Trouble> {
        // Once more, and without any passes.
        let twice = [sequence.clone(), Sequence::default()];
        let seen = trial.run(&twice).map_err(io)?;
        let [SequenceOutcome::Executed(_), SequenceOutcome::Executed(plain)] = seen.as_slice()
        else {
            return Ok(None);
        };
        if !seen[0].is_wrong(must) || !must.matches(plain) {
            return Ok(None);
        }
        let shows = |seen: &SequenceOutcome| seen.is_wrong(must);
        let short = match self.known_wrong(library_state, sequence, trial, &shows)? {
            Some(known) => known,
            None => trial.shorten(sequence, ShortenOptions::default(), &shows).map_err(io)?,
        };
        let seen = trial.run(std::slice::from_ref(&short)).map_err(io)?;
        let Some(SequenceOutcome::Executed(got)) = seen.into_iter().next() else { return Ok(None) };
        let Some(last) = short.0.last().and_then(|number| library_state.inventory.pass(*number))
        else {
            return Ok(None);
        };
        let kind = kind_of(&got);
        let signature = format!("{} llvm {}", kind.name(), last.class);
        let known = bench.count(&signature);
        self.learn_exclusion(library_state, &short, &signature);
        if known >= CLOSELY {
            return Ok(None);
        }
        let passes = short.text(&library_state.inventory, Grouping::Alone);
        // What the JIT linked must not be the JIT's fault.
        let object = program::object(trial.server, &program.bitcode, &passes, trial.limits)?;
        if must.matches(&program::linked(&object, &self.options.clang, &bench.lab.stop)?) {
            return Ok(None);
        }
        lock(&library_state.wrong).push(short.clone());
        let certificate = certify(program, must, bench, cost)?;
        // Where the machine does not know, another tool must have executed the program.
        let vouched = certificate.opinions.iter().any(|opinion| opinion.says == Assessment::Valid);
        let standing = match certificate.disputed() || !vouched {
            true => Standing::Disputed,
            false => Standing::Confirmed,
        };
        let file = |name: &str, bytes: &[u8]| SourceFile {
            name: name.into(),
            bytes: bytes[..bytes.len().min(OUTPUT)].to_vec(),
        };
        let include = program.made.case.include.iter();
        Ok(Some(NewFinding {
            kind,
            signature,
            summary: format!("{} after {}", program::summary(must, &got), last.class),
            standing,
            subject: Subject::Sequence(SequenceSubject {
                kind,
                units: program.made.case.units().map(String::from).collect(),
                include: include.map(|dir| dir.to_string_lossy().into_owned()).collect(),
                expected: Expected { stdout: must.stdout.clone(), status: must.status },
                clang: self.options.clang.display().to_string(),
                level: front::level(program.optimising),
                library: library_state.identity(),
                passes,
            }),
            files: program.made.case.files.clone(),
            artifacts: vec![
                file("expected", &must.stdout),
                file("status", must.status.to_string().as_bytes()),
                file("stdout", &got.stdout),
            ],
            origin: origin(program, sequence),
            certificate,
        }))
    }

    /// A sequence that is known to make wrong code, is part of this one, and does so here.
    fn known_wrong(
        &self,
        library_state: &LibraryState,
        sequence: &Sequence,
        trial: &mut Trial<'_>,
        shows: &dyn Fn(&SequenceOutcome) -> bool,
    ) -> Result<Option<Sequence>, Trouble> {
        let is_part = |known: &&Sequence| {
            let mut rest = sequence.0.iter();
            known.0.iter().all(|wanted| rest.any(|number| number == wanted))
        };
        let known: Vec<Sequence> =
            lock(&library_state.wrong).iter().filter(is_part).take(KNOWN).cloned().collect();
        if known.is_empty() {
            return Ok(None);
        }
        let seen = trial.run(&known).map_err(io)?;
        Ok(known.into_iter().zip(seen).find(|(_, seen)| shows(seen)).map(|(known, _)| known))
    }

    /// A pass that cannot stand in a pipeline is not drawn again.
    fn exclude_refused(&self, library_state: &LibraryState, words: &str) {
        if let Some(pass) = library_state.inventory.refused(words) {
            let (what, reason) = (Excluded::Pass(pass.name.clone()), words.to_string());
            let _ = lock(&library_state.exclusions).add(Exclusion {
                what,
                reason,
                learnt: true,
                hits: 0,
            });
        }
    }

    /// Counts a reduced sequence; what is frequent is not drawn any more.
    fn learn_exclusion(&self, library_state: &LibraryState, short: &Sequence, signature: &str) {
        if self.options.exclude {
            let names = short.names(&library_state.inventory);
            lock(&library_state.exclusions).note(&names, signature);
        }
    }
}

/// The module of a program.
fn text(program: &PreparedProgram, trial: &mut Trial<'_>) -> Result<String, Trouble> {
    let print = Item::Print { bitcode: program.bitcode.clone() };
    let printed = trial.server.run(vec![print.bytes()], trial.limits, false).map_err(io)?;
    match printed.first().map(|ran| Answer::read(&ran.output)) {
        Some(Answer::Fine(text)) => Ok(text),
        _ => Err(Trouble::Io("a module cannot be printed".into())),
    }
}

/// Asks all detectors whether the program is valid and does what is expected.
fn certify(
    program: &PreparedProgram,
    must: &ExpectedRun,
    bench: &TestBench,
    cost: &mut Cost,
) -> Result<Certificate, Trouble> {
    let folder = bench.folder()?;
    let mut case = program.made.case.clone();
    case.expected = Some(Expected { stdout: must.stdout.clone(), status: must.status });
    let own = program.made.own.clone();
    let (certificate, validate) =
        bench.detectors().certify(&bench.lab, &case, folder.path(), own)?;
    *cost += Cost { validate, ..Cost::default() };
    Ok(certificate)
}

/// What most sequences make of a program, if it is more than half of them.
fn majority(attempts: &[Attempt]) -> Option<ExpectedRun> {
    let mut votes: BTreeMap<(u8, &[u8]), usize> = BTreeMap::new();
    let mut all = 0;
    for attempt in attempts {
        let SequenceOutcome::Executed(executed) = &attempt.seen else { continue };
        all += 1;
        if let ExecutionEnd::Status(status) = executed.how {
            *votes.entry((status, &executed.stdout)).or_default() += 1;
        }
    }
    let ((status, stdout), count) = votes.into_iter().max_by_key(|(_, count)| *count)?;
    (count * 2 > all).then(|| ExpectedRun { status, stdout: stdout.to_vec() })
}

fn kind_of(got: &Executed) -> FailureKind {
    match got.how {
        ExecutionEnd::Signal(_) => FailureKind::RuntimeCrash,
        ExecutionEnd::Time => FailureKind::RuntimeHang,
        _ => FailureKind::WrongOutput,
    }
}

fn origin(program: &PreparedProgram, sequence: &Sequence) -> String {
    format!("{}, one of {} passes", program.made.origin, sequence.0.len())
}

fn io(error: io::Error) -> Trouble {
    Trouble::Io(error.to_string())
}
