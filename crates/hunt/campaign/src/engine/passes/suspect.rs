//! From the outcomes of sequences on a program to findings.

use std::collections::{BTreeMap, BTreeSet};
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
use crate::record::{Cost, NewFinding, Standing, Tested};
use crate::refinement::RefinementQuery;
use crate::{front, program};

/// Of one fault so many are findings; the others are counted.
const CLOSELY: u64 = 3;

/// Whether what is seen is a finding of its own, with so many before it of the same signature. That may stand for
/// several bugs (of a wrong program it says the last pass only): behind a frequent one some more are kept, so that a
/// rare one comes through.
fn is_kept(known: u64) -> bool {
    known < CLOSELY || (known + 1).is_power_of_two()
}

/// Of one fault so many are reduced to the fewest passes, so that what they have in common is learnt.
const LEARNT: u64 = 6;

/// Known wrong sequences that a program is tried with before a new one is thought of.
const KNOWN: usize = 12;

/// Bytes of an output that are kept.
const OUTPUT: usize = 64 << 10;

impl Passes {
    /// Runs sequences on a program and says what is wrong with them. An error leaves what was found before it in
    /// `tested`, and how many sequences were run; what was seen and not confirmed is sighted.
    pub(super) fn test_sequences(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        sequences: &[Sequence],
        trial: &mut Trial<'_>,
        bench: &TestBench,
        tested: &mut Tested,
    ) -> Result<(), Trouble> {
        text(program, trial)?;
        let mut attempts = Vec::new();
        let ran = trial.run_past_crashes(sequences, &mut attempts, &mut |attempt| {
            self.sight(library_state, program, attempt, bench, tested);
        });
        tested.tests = run(&attempts);
        ran.map_err(io)?;
        let must = program.must.clone().or_else(|| majority(&attempts));
        self.count(library_state, &attempts, sequences.len(), must.as_ref());
        for attempt in &attempts {
            let found: Vec<NewFinding> = match &attempt.seen {
                SequenceOutcome::Fault(signature) => {
                    let (state, case) = (library_state, program);
                    let found = self.report_fault(state, case, attempt, signature, trial, bench)?;
                    found.into_iter().collect()
                }
                SequenceOutcome::Refused(words) => {
                    self.exclude_refused(library_state, words);
                    Vec::new()
                }
                seen => match must.as_ref().filter(|must| seen.is_wrong(must)) {
                    Some(must) => {
                        let cost = &mut tested.cost;
                        let (state, case) = (library_state, program);
                        self.report_wrong_code(state, case, attempt, must, trial, bench, cost)?
                    }
                    None => Vec::new(),
                },
            };
            let found = self.compared(library_state, found, bench, tested)?;
            // In place of what was sighted: should we not come to an end in time, this is what is kept.
            bench.sight(tested, &origin(program, attempt), found.clone());
            tested.findings.extend(found);
        }
        // One of them at a time: what is wrong in one function need not show in what a program prints. Those where it
        // shows have been asked about.
        let well = |attempt: &&Attempt| {
            let is_right = |must| !attempt.seen.is_wrong(must);
            matches!(attempt.seen, SequenceOutcome::Executed(_))
                && must.as_ref().is_none_or(is_right)
        };
        if let Some(attempt) = attempts.iter().find(well) {
            let found = self.refine(library_state, program, attempt, trial, bench)?;
            let found = self.compared(library_state, found, bench, tested)?;
            tested.findings.extend(found);
        }
        Ok(())
    }

    /// Findings, as far as they are some of a comparison.
    fn compared(
        &self,
        library_state: &LibraryState,
        found: Vec<NewFinding>,
        bench: &TestBench,
        tested: &mut Tested,
    ) -> Result<Vec<NewFinding>, Trouble> {
        let Some(baseline) = &self.baseline else { return Ok(found) };
        let (limits, stop) = (self.options.limits, &bench.lab.stop);
        let list = format!("{:?}", self.options.list).to_lowercase();
        let target = crate::module::label(&library_state.installed, &list);
        let mut new = Vec::new();
        for found in found {
            new.extend(baseline.compared(found, &target, limits, stop, tested)?);
        }
        Ok(new)
    }

    /// Notes what an attempt has shown, to be kept should the hunt end before it is confirmed. What a majority is
    /// to judge is not known yet.
    fn sight(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        attempt: &Attempt,
        bench: &TestBench,
        tested: &Tested,
    ) {
        if self.baseline.is_some() {
            // It may be nothing new.
            return;
        }
        let passes = attempt.sequence.text(&library_state.inventory, Grouping::Alone);
        let seen = match (&attempt.seen, &program.must) {
            (SequenceOutcome::Fault(signature), _) => {
                self.fault(library_state, program, attempt, signature, &passes, String::new())
            }
            (SequenceOutcome::Executed(got), Some(must)) if !must.matches(got) => {
                let last = attempt.sequence.0.last();
                let last = last.and_then(|number| library_state.inventory.pass(*number));
                let after = last.map_or("no passes", |pass| &pass.class);
                let certificate = Certificate { opinions: vec![program.made.own.clone()] };
                let (state, case) = (library_state, program);
                self.wrong_code(state, case, attempt, (must, got), (&passes, after), certificate)
            }
            _ => return,
        };
        if bench.known(&seen.signature) < CLOSELY {
            let seen = NewFinding { standing: Standing::Unconfirmed, ..seen };
            bench.sight(tested, &origin(program, attempt), vec![seen]);
        }
    }

    /// Asks whether a sequence keeps what the functions of a program mean.
    fn refine(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        attempt: &Attempt,
        trial: &mut Trial<'_>,
        bench: &TestBench,
    ) -> Result<Vec<NewFinding>, Trouble> {
        let text = text(program, trial)?;
        let (origin, passes) = (origin(program, attempt), &attempt.sequence.0);
        let mut found = self.refuted(library_state, program, &text, passes, &origin, trial)?;
        // Their signatures say what the pass must see: what is rare is not counted with what is frequent.
        found.retain(|found| bench.count(&found.signature) < CLOSELY);
        Ok(found)
    }

    /// Asks whether passes keep what the functions of a module mean.
    fn refuted(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        text: &str,
        passes: &[u16],
        origin: &str,
        trial: &mut Trial<'_>,
    ) -> Result<Vec<NewFinding>, Trouble> {
        let passes = Sequence(passes.to_vec()).text(&library_state.inventory, Grouping::Alone);
        let mut optimiser = OnText { server: trial.server, limits: trial.limits, x86: true };
        let before = optimiser.run(text, "verify");
        let after = before.as_ref().and_then(|before| optimiser.run(before, &passes));
        let (Some(before), Some(after)) = (before, after) else { return Ok(Vec::new()) };
        let asked = RefinementQuery {
            library: &library_state.installed,
            before: &before,
            after: &after,
            passes: &passes,
            scope: Scope::Module,
            origin,
        };
        let files = &program.made.case.files;
        Ok(self.oracles.ask(&asked, trial.server, trial.limits, files))
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
        attempt: &Attempt,
        signature: &Signature,
        trial: &mut Trial<'_>,
        bench: &TestBench,
    ) -> Result<Option<NewFinding>, Trouble> {
        let sequence = &attempt.sequence;
        let mut name = named(signature);
        let is_counted_only = |known: u64| known >= LEARNT && !is_kept(known);
        if is_counted_only(bench.known(&name)) {
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
        if is_counted_only(known) {
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
        if !is_kept(known) {
            return Ok(None);
        }
        let passes = short.text(&library_state.inventory, Grouping::Alone);
        text(program, trial)?;
        Ok(Some(self.fault(library_state, program, attempt, &signature, &passes, told)))
    }

    /// The finding of a fault; the text of its module is known.
    fn fault(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        attempt: &Attempt,
        signature: &Signature,
        passes: &str,
        told: String,
    ) -> NewFinding {
        let text = program.text.get().cloned().unwrap_or_default();
        let mut artifacts = program.made.case.files.clone();
        artifacts.push(SourceFile { name: "messages".into(), bytes: told.into_bytes() });
        NewFinding {
            attributed_to: None,
            kind: kind(signature.fault),
            signature: named(signature),
            summary: signature.summary.clone(),
            standing: Standing::Confirmed,
            subject: subject(library_state.identity(), passes, signature),
            files: vec![SourceFile { name: FILE.into(), bytes: text.into_bytes() }],
            artifacts,
            origin: origin(program, attempt),
            certificate: certificate(&library_state.installed),
        }
    }

    /// The program does something else than it must.
    #[allow(clippy::too_many_arguments)]
    fn report_wrong_code(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        attempt: &Attempt,
        must: &ExpectedRun,
        trial: &mut Trial<'_>,
        bench: &TestBench,
        cost: &mut Cost,
    ) -> Result<Vec<NewFinding>, Trouble> {
        let sequence = &attempt.sequence;
        // Once more, and without any passes.
        let twice = [sequence.clone(), Sequence::default()];
        let seen = trial.run(&twice).map_err(io)?;
        let [SequenceOutcome::Executed(_), SequenceOutcome::Executed(plain)] = seen.as_slice()
        else {
            return Ok(Vec::new());
        };
        if !seen[0].is_wrong(must) || !must.matches(plain) {
            return Ok(Vec::new());
        }
        let shows = |seen: &SequenceOutcome| seen.is_wrong(must);
        let short = match self.known_wrong(library_state, sequence, trial, &shows)? {
            Some(known) => known,
            None => trial.shorten(sequence, ShortenOptions::default(), &shows).map_err(io)?,
        };
        let seen = trial.run(std::slice::from_ref(&short)).map_err(io)?;
        let Some(SequenceOutcome::Executed(got)) = seen.into_iter().next() else {
            return Ok(Vec::new());
        };
        let Some(last) = short.0.last().and_then(|number| library_state.inventory.pass(*number))
        else {
            return Ok(Vec::new());
        };
        let refuted = self.refuted_last(library_state, program, attempt, &short, trial)?;
        if let Some(first) = refuted.first() {
            self.learn_exclusion(library_state, &short, &first.signature);
            let is_wanted = |found: &NewFinding| bench.count(&found.signature) < CLOSELY;
            return Ok(refuted.into_iter().filter(is_wanted).collect());
        }
        let signature = wrong_code_signature(&got, &last.class);
        let known = bench.count(&signature);
        self.learn_exclusion(library_state, &short, &signature);
        if !is_kept(known) {
            return Ok(Vec::new());
        }
        let passes = short.text(&library_state.inventory, Grouping::Alone);
        // What the JIT linked must not be the JIT's fault.
        let object = program::object(trial.server, &program.bitcode, &passes, trial.limits)?;
        if must.matches(&program::linked(&object, &self.options.clang, &bench.lab.stop)?) {
            return Ok(Vec::new());
        }
        lock(&library_state.wrong).push(short.clone());
        let certificate = certify(program, must, bench, cost, self.baseline.is_some())?;
        let (state, passes) = (library_state, (passes.as_str(), last.class.as_str()));
        Ok(vec![self.wrong_code(state, program, attempt, (must, &got), passes, certificate)])
    }

    /// The finding that a program does something else than it must, after passes of which the last has this class.
    fn wrong_code(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        attempt: &Attempt,
        (must, got): (&ExpectedRun, &Executed),
        (passes, last): (&str, &str),
        certificate: Certificate,
    ) -> NewFinding {
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
        let (kind, include) = (kind_of(got), program.made.case.include.iter());
        NewFinding {
            attributed_to: None,
            kind,
            signature: wrong_code_signature(got, last),
            summary: format!("{} after {last}", program::summary(must, got)),
            standing,
            subject: Subject::Sequence(SequenceSubject {
                kind,
                units: program.made.case.units().map(String::from).collect(),
                include: include.map(|dir| dir.to_string_lossy().into_owned()).collect(),
                expected: Expected { stdout: must.stdout.clone(), status: must.status },
                clang: self.options.clang.display().to_string(),
                level: front::level(program.optimising),
                library: library_state.identity(),
                passes: passes.to_string(),
                baseline: None,
            }),
            files: program.made.case.files.clone(),
            artifacts: vec![
                file("expected", &must.stdout),
                file("status", must.status.to_string().as_bytes()),
                file("stdout", &got.stdout),
            ],
            origin: origin(program, attempt),
            certificate,
        }
    }

    /// What is wrong after the last pass of a sequence from which none can go: what comes before it is right. Where a
    /// function shows it, that and the pass say more than the program, and are the finding in its place.
    fn refuted_last(
        &self,
        library_state: &LibraryState,
        program: &PreparedProgram,
        attempt: &Attempt,
        short: &Sequence,
        trial: &mut Trial<'_>,
    ) -> Result<Vec<NewFinding>, Trouble> {
        let Some((last, others)) = short.0.split_last() else { return Ok(Vec::new()) };
        let mut text = text(program, trial)?;
        if !others.is_empty() {
            let others = Sequence(others.to_vec());
            let passes = others.text(&library_state.inventory, Grouping::Alone);
            let mut optimiser = OnText { server: trial.server, limits: trial.limits, x86: true };
            let Some(before) = optimiser.run(&text, &passes) else { return Ok(Vec::new()) };
            text = before;
        }
        let origin = origin(program, attempt);
        let mut found = self.refuted(library_state, program, &text, &[*last], &origin, trial)?;
        found.retain(NewFinding::stands);
        Ok(found)
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
    if let Some(text) = program.text.get() {
        return Ok(text.clone());
    }
    let print = Item::Print { bitcode: program.bitcode.clone() };
    let printed = trial.server.run(vec![print.bytes()], trial.limits, false).map_err(io)?;
    match printed.first().map(|ran| Answer::read(&ran.output)) {
        Some(Answer::Fine(text)) => Ok(program.text.get_or_init(|| text).clone()),
        _ => Err(Trouble::Io("a module cannot be printed".into())),
    }
}

/// How many sequences were run, with or without all of their passes.
fn run(attempts: &[Attempt]) -> u64 {
    attempts.iter().map(|attempt| attempt.of).collect::<BTreeSet<_>>().len() as u64
}

/// Asks all detectors whether the program is valid and does what is expected.
fn certify(
    program: &PreparedProgram,
    must: &ExpectedRun,
    bench: &TestBench,
    cost: &mut Cost,
    is_compared: bool,
) -> Result<Certificate, Trouble> {
    let folder = bench.folder()?;
    let mut case = program.made.case.clone();
    case.expected = Some(Expected { stdout: must.stdout.clone(), status: must.status });
    let own = program.made.own.clone();
    let (certificate, validate) = match is_compared {
        true => bench.certify_quickly(&case, folder.path(), own)?,
        false => bench.detectors().certify(&bench.lab, &case, folder.path(), own)?,
    };
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

fn wrong_code_signature(got: &Executed, last: &str) -> String {
    format!("{} llvm {last}", kind_of(got).name())
}

/// Where a finding comes from: no two attempts of a test have the same.
fn origin(program: &PreparedProgram, Attempt { of, sequence, .. }: &Attempt) -> String {
    format!("{}, sequence {} with {} passes", program.made.origin, of + 1, sequence.0.len())
}

fn io(error: io::Error) -> Trouble {
    Trouble::Io(error.to_string())
}
