//! Reduction that preserves a failure.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cparse::Dialect;
use cshrink::{Rejected, Rules, Specimen, UnitText};
use oracle::{Behaviour, Case, Expected, Failure, FailureKind, Lab, SourceFile, Trouble};
use sandbox::Scratch;
use toolchain::{Abi, Language, Preprocessor, Target};

use crate::ask::{Interestingness, TrialSlot};
use crate::checked::Checked;
use crate::pool::Pool;
use crate::search::Search;
use crate::{Clock, KnownMasks, NotReduced, ProgressFn, ReduceOptions, checked, cxx, flags};

/// A candidate may take this many times the steps of the program it comes from.
const SLOWER: u64 = 4;
/// And so many at least.
const STEPS: u64 = 100_000;
/// Steps of the unreduced program.
const FUEL: u64 = 1_000_000_000;

/// A small program and the failure it shows.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The program with what it must print.
    pub case: Case,
    /// What is wrong with whom; the first target has the fewest flags with which it fails.
    pub failure: Failure,
    /// Whether the machine knows the program's answer. A crash may be shown by a program that it
    /// cannot execute.
    pub executed: bool,
    /// The tools whose checks every candidate had to pass for as long as the machine could not follow.
    pub checked_by: Vec<String>,
    /// Steps it takes.
    pub steps: u64,
    /// Tokens before, headers included, and after.
    pub tokens: (usize, usize),
    /// Candidates made, and those that compilers were asked about.
    pub tried: (u64, u64),
    /// How long it took.
    pub took: Duration,
    /// Whether it came to its end, and was not cut short by its time.
    pub is_complete: bool,
}

/// Makes a program small that shows a failure.
pub fn reduce(
    case: &Case,
    failure: &Failure,
    order: &ReduceOptions,
    tell: ProgressFn<'_>,
) -> Result<Reduced, NotReduced> {
    let clock = Clock::new(order.time);
    let lab = Lab { limits: order.limits.clone(), stop: order.stop.clone() };
    if failure.bad.is_empty() {
        return Err(NotReduced::NotShown("no target fails".into()));
    }
    let mut failure = failure.clone();
    let pool = Pool::new(order.jobs, order.stop.clone(), clock)?;
    let (mut as_text, mut case) = (None, case.clone());
    let mut begin = start(&lab, &case, &failure, &pool);
    if begin.is_err() && case.language == Language::Cxx {
        let is_c = |case: &Case| start(&lab, case, &failure, &pool).is_ok();
        let done = checked::reduce(&lab, &case, &failure, &pool, clock, tell, &is_c)?;
        begin = start(&lab, &done.case, &failure, &pool);
        case = done.case.clone();
        as_text = Some(done);
    }
    let (start, rules, before, checked_by) = match (begin, as_text) {
        (Ok((start, rules, _)), Some(done)) => (start, rules, done.before, done.checks),
        (Ok((start, rules, before)), None) => (start, rules, before, Vec::new()),
        (Err(why), None) => return Err(why),
        (Err(_), Some(done)) => return finish_text(&lab, order, failure, &pool, done, clock),
    };
    let case = &case;
    let locked = FailureLock::new(lab.clone(), case, failure.clone(), start.clone());
    let fewest =
        |case: &Case, failure: &Failure| pool.one(|slot| flags::fewest(&lab, case, failure, slot));
    if let Some(case) = locked.case(&start) {
        failure.bad[0] = fewest(&case, &failure)?;
    }
    let locked =
        FailureLock::new(lab.clone(), case, failure.clone(), start.clone()).behind(&order.known);
    let found = Search::new(&locked, &pool, clock, tell, rules.clone(), start).run()?;
    let no_text = || NotReduced::Unusable("it has no text in its language".into());
    let mut case = locked.case(&found.specimen).ok_or_else(no_text)?;
    let mut failure = locked.failure();
    if !order.stop.is_set() {
        failure.bad[0] = fewest(&case, &failure)?;
        name_baseline(&mut failure);
        case.omitted = pool.one(|slot| flags::omissible(&lab, &case, &failure, slot))?;
    }
    Ok(Reduced {
        failure,
        executed: rules.execute,
        checked_by,
        steps: found.specimen.steps,
        tokens: (before, found.specimen.tokens()),
        tried: (found.candidates, found.asked),
        took: clock.begin.elapsed(),
        is_complete: !clock.is_over() && !order.stop.is_set(),
        case,
    })
}

/// A reduced text with what is left of its flags.
fn finish_text(
    lab: &Lab,
    order: &ReduceOptions,
    mut failure: Failure,
    pool: &Pool,
    done: Checked,
    clock: Clock,
) -> Result<Reduced, NotReduced> {
    let Checked { mut case, checks, before, candidates, asked } = done;
    if !order.stop.is_set() {
        failure.bad[0] = pool.one(|slot| flags::fewest(lab, &case, &failure, slot))?;
        name_baseline(&mut failure);
        case.omitted = pool.one(|slot| flags::omissible(lab, &case, &failure, slot))?;
    }
    let tokens = |file: &SourceFile| cshrink::tokens(&String::from_utf8_lossy(&file.bytes));
    Ok(Reduced {
        failure,
        executed: false,
        checked_by: checks,
        steps: 0,
        tokens: (before, case.files.iter().map(tokens).sum()),
        tried: (candidates, asked),
        took: clock.begin.elapsed(),
        is_complete: !clock.is_over() && !order.stop.is_set(),
        case,
    })
}

/// Of the targets of a baseline, that with the flags of the first that fails is the one to name: it was asked.
fn name_baseline(failure: &mut Failure) {
    if let Some(target) = failure.baseline_for(&failure.bad[0]) {
        failure.right.retain(|right| right.compiler.name != target.compiler.name);
        failure.right.insert(0, target);
    }
}

/// A program as the machine takes it, with its result; `Err` says why it has none.
pub fn executed(case: &Case, on: &[Target]) -> Result<Specimen, NotReduced> {
    let system = Preprocessor::find().map_err(|e| NotReduced::Unusable(e.to_string()))?;
    Ok(read(case, &system, true, &other_models(on))?.0)
}

/// Data models of targets, but for that with which programs are made.
fn other_models(targets: &[Target]) -> Vec<Abi> {
    let run = targets.iter().filter(|target| !target.compiler.runner.is_compile_only());
    let models: BTreeSet<Abi> = run.filter_map(|target| target.compiler.abi).collect();
    models.into_iter().filter(|abi| *abi != Abi::Lp64).collect()
}

/// The program in a form that shows the failure, and its tokens with all that its headers bring. What
/// it does not use of its headers is left out: what they are written for is another compiler, often.
fn start(
    lab: &Lab,
    case: &Case,
    failure: &Failure,
    pool: &Pool,
) -> Result<(Specimen, Rules, usize), NotReduced> {
    let wrong_code = failure.fault.kind.is_wrong_code();
    // A crash is one whatever the program means.
    let targets = [&failure.bad[..], &failure.right[..]].concat();
    let also = if wrong_code { other_models(&targets) } else { Vec::new() };
    let mut why = NotReduced::NotShown("it was not tried".into());
    for preprocessor in preprocessors(case, &failure.bad[0])? {
        let read = read(case, &preprocessor, wrong_code, &also);
        let (whole, rules) = match read {
            Ok(read) => read,
            Err(error) => {
                why = error;
                continue;
            }
        };
        let before = whole.tokens();
        let tidy = whole.with([], &rules);
        for start in tidy.into_iter().chain([whole]) {
            let locked = FailureLock::new(lab.clone(), case, failure.clone(), start.clone());
            let (bad, right) = locked.watched();
            let Some(case) = locked.case(&start) else { continue };
            let mut seen = None;
            pool.one(|slot| {
                locked.holds(&case, slot, &bad, &right, &mut |target, what| {
                    seen = Some(format!("{}: {what}", target.label()));
                    false
                })
            })?;
            match seen {
                None => return Ok((start, rules, before)),
                Some(seen) => why = NotReduced::NotShown(seen),
            }
        }
    }
    Err(why)
}

/// A program as the machine takes it. What is C++ is taken as the C that it is at heart, if it prints the same.
fn read(
    case: &Case,
    preprocessor: &Preprocessor,
    must_run: bool,
    also: &[Abi],
) -> Result<(Specimen, Rules), NotReduced> {
    if case.language == Language::C {
        return specimen(preprocessed(case, preprocessor)?, must_run, also);
    }
    let as_c = Case { files: cxx::as_c(&case.files), ..case.clone() };
    let mut program = ctree::Program::new(ctree::DataModel::X86_64_SYSV);
    let units = preprocessed(&as_c, preprocessor)?;
    let plain = units.into_iter().map(|unit| {
        let read = cparse::parse_unit_as(&mut program, &unit.name, &unit.text, Dialect::Cxx);
        let at = read.map_err(|error| NotReduced::Unusable(format!("as C: {error}")))?;
        Ok(UnitText { text: ctree::print::print_unit(&program, at), ..unit })
    });
    let read = specimen(plain.collect::<Result<_, NotReduced>>()?, true, also)?;
    let same = case
        .expected
        .as_ref()
        .is_none_or(|wanted| wanted.stdout == read.0.stdout && wanted.status == read.0.status);
    match same {
        true => Ok(read),
        false => Err(NotReduced::Unusable("it does something else as C than as C++".into())),
    }
}

/// The program as the machine takes it. Wrong code needs an answer; a crash does not.
pub(crate) fn specimen(
    units: Vec<UnitText>,
    must_run: bool,
    also: &[Abi],
) -> Result<(Specimen, Rules), NotReduced> {
    let rules = Rules { execute: true, fuel: FUEL, sweep: false, also: also.to_vec() };
    match Specimen::new(units.clone(), &rules) {
        Ok(start) => {
            let fuel = (start.steps * SLOWER).max(STEPS);
            Ok((start, Rules { fuel, ..rules }))
        }
        Err(rejected) if must_run => {
            let what = match &rejected {
                Rejected::Text(_) => "the parser rejects it",
                Rejected::Undefined(_) => "it has no defined result",
                Rejected::Unknown(_) => "the machine does not know its result",
            };
            Err(NotReduced::Unusable(format!("{what}: {}", rejected.why())))
        }
        Err(_) => {
            let rules = Rules { execute: false, ..rules };
            let start = Specimen::new(units, &rules)
                .map_err(|rejected| NotReduced::Unusable(rejected.why().to_string()))?;
            Ok((start, rules))
        }
    }
}

/// The failing compiler's own preprocessor, and the system's: one that crashes may do so before it has
/// read anything, and the headers of a small one may be written for another.
fn preprocessors(case: &Case, target: &Target) -> Result<Vec<Preprocessor>, NotReduced> {
    let own = target.command(Language::C).filter(|_| case.language == Language::C).map(|command| {
        let with = Preprocessor::with_command(command);
        let with = with.for_abi(target.compiler.abi.unwrap_or(Abi::Lp64));
        target.flags.iter().fold(with, |p, flag| p.option(flag))
    });
    let system = Preprocessor::find().map_err(|e| NotReduced::Unusable(e.to_string()))?;
    Ok(own.into_iter().chain([system]).collect())
}

/// The units as a preprocessor gives them.
fn preprocessed(case: &Case, with: &Preprocessor) -> Result<Vec<UnitText>, NotReduced> {
    let scratch = Scratch::new().map_err(|e| Trouble::Io(e.to_string()))?;
    Lab::default().write(case, scratch.path())?;
    let with = case.include.iter().fold(with.clone(), |p, dir| p.include(dir));
    case.units().map(|name| unit(&with, scratch.path(), name)).collect()
}

fn unit(preprocessor: &Preprocessor, dir: &Path, name: &str) -> Result<UnitText, NotReduced> {
    let text = preprocessor
        .run(&dir.join(name))
        .map_err(|error| NotReduced::Unusable(error.to_string()))?;
    Ok(UnitText { name: name.to_string(), text })
}

/// Asks the compilers.
struct FailureLock {
    lab: Lab,
    /// All but the files and what they must print.
    template: Case,
    /// The unreduced program.
    start: Specimen,
    /// What must stay. Targets that never behaved as they were said to are dropped from it.
    failure: Mutex<Failure>,
    /// Targets that every candidate is put to: those that fail and those that work. Others are
    /// asked only now and then.
    watched: Mutex<(Vec<Target>, Vec<Target>)>,
    /// It must fail behind these as well.
    known: KnownMasks,
}

impl FailureLock {
    fn new(lab: Lab, case: &Case, failure: Failure, start: Specimen) -> FailureLock {
        // One that fails; and of those that work the one most like it.
        let bad: Vec<Target> = failure.bad.first().cloned().into_iter().collect();
        let same = |t: &&Target| bad.iter().any(|b| b.compiler.name == t.compiler.name);
        let like = failure.right.iter().find(same).or(failure.right.first());
        // A comparison is about both: what the older one gets wrong, too, is another bug.
        let baseline = bad.first().and_then(|target| failure.baseline_for(target));
        let right = baseline.into_iter().chain(like.cloned()).collect();
        let template = Case { files: Vec::new(), include: Vec::new(), ..case.clone() };
        let (failure, watched) = (Mutex::new(failure), Mutex::new((bad, right)));
        FailureLock { lab, template, start, failure, watched, known: KnownMasks::default() }
    }

    /// The same behind masks.
    fn behind(self, known: &KnownMasks) -> FailureLock {
        FailureLock { known: known.clone(), ..self }
    }

    /// Whether a program that fails does so behind the masks, too.
    fn fails_masked(&self, specimen: &Specimen, slot: &TrialSlot<'_>) -> Result<bool, Trouble> {
        let (fuel, also) = (specimen.steps.max(STEPS), specimen.also.clone());
        let rules = Rules { execute: true, fuel, sweep: false, also };
        let masked = cmask::without(specimen, &self.known.constructs, &rules);
        if masked.is_none() && self.known.flags.is_empty() {
            // It has none of these constructs.
            return Ok(true);
        }
        let Some(case) = self.case(masked.as_ref().unwrap_or(specimen)) else { return Ok(true) };
        let (mut bad, _) = self.watched();
        for target in &mut bad {
            target.flags.extend_from_slice(&self.known.flags);
        }
        let mut fails = true;
        self.holds(&case, slot, &bad, &[], &mut |_, _| {
            fails = false;
            false
        })?;
        Ok(fails)
    }

    fn watched(&self) -> (Vec<Target>, Vec<Target>) {
        lock(&self.watched).clone()
    }

    fn failure(&self) -> Failure {
        lock(&self.failure).clone()
    }

    /// A specimen as compilers get it; `None` if it has no text in their language.
    fn case(&self, specimen: &Specimen) -> Option<Case> {
        let units = match self.template.language {
            Language::C => specimen.units.clone(),
            Language::Cxx => specimen.as_cxx()?,
        };
        let file = |unit: UnitText| SourceFile { name: unit.name, bytes: unit.text.into_bytes() };
        let files: Vec<SourceFile> = units.into_iter().map(file).collect();
        let has = |name: &String| files.len() > 1 && files.iter().any(|f| f.name == *name);
        Some(Case {
            harness: self.template.harness.clone().filter(has),
            expected: self
                .template
                .expected
                .is_some()
                .then(|| Expected { stdout: specimen.stdout.clone(), status: specimen.status }),
            files,
            ..self.template.clone()
        })
    }

    /// Puts a case to targets that must fail and targets that must not; calls `lost` for each that
    /// does otherwise, with what it does, and stops when that says no.
    fn holds(
        &self,
        case: &Case,
        slot: &TrialSlot<'_>,
        bad: &[Target],
        right: &[Target],
        lost: &mut dyn FnMut(&Target, String) -> bool,
    ) -> Result<(), Trouble> {
        let lab = Lab { limits: self.lab.limits.clone(), stop: slot.stop.clone() };
        let (wanted, baseline) = {
            let failure = lock(&self.failure);
            (failure.fault.clone(), failure.baseline.as_ref().map(|compiler| compiler.name.clone()))
        };
        // The object of a harness is good for as long as its text is the same.
        let harness = case.files.iter().find(|f| Some(&f.name) == case.harness.as_ref());
        let kept =
            |f: &SourceFile| std::fs::read(slot.dir.join(&f.name)).is_ok_and(|old| old == f.bytes);
        if !harness.is_some_and(kept) {
            let _ = std::fs::remove_dir_all(slot.dir);
        }
        lab.write(case, slot.dir)?;
        let bad = bad.iter().map(|target| (target, true));
        for (target, must_fail) in bad.chain(right.iter().map(|target| (target, false))) {
            let seen = lab.observe(case, slot.dir, target)?.seen;
            let fault = seen.fault(case);
            let is_baseline = baseline.as_ref() == Some(&target.compiler.name);
            let as_wanted = match must_fail {
                true => fault.as_ref() == Some(&wanted),
                false if is_baseline => seen.is_right(case),
                // What cannot take the program says nothing on it.
                false => fault.is_none(),
            };
            let what = || match (&seen, fault) {
                (_, Some(fault)) => format!("{} {}", fault.kind.name(), fault.known_by),
                (Behaviour::Unsupported(why), None) => why.clone(),
                (_, None) => "it works".to_string(),
            };
            if !as_wanted && !lost(target, what()) {
                break;
            }
        }
        Ok(())
    }
}

impl Interestingness for FailureLock {
    fn ask(&self, specimen: &Specimen, slot: &TrialSlot<'_>) -> Result<bool, Trouble> {
        let silent = specimen.stdout.is_empty() && specimen.status == 0;
        if silent && lock(&self.failure).fault.kind == FailureKind::WrongOutput {
            return Ok(false);
        }
        let Some(case) = self.case(specimen) else { return Ok(false) };
        let (bad, right) = self.watched();
        let mut interesting = true;
        self.holds(&case, slot, &bad, &right, &mut |_, _| {
            interesting = false;
            false
        })?;
        if interesting && !self.known.is_empty() {
            interesting = self.fails_masked(specimen, slot)?;
        }
        Ok(interesting)
    }

    fn confirm(&self, specimen: &Specimen, slot: &TrialSlot<'_>) -> Result<bool, Trouble> {
        let failure = self.failure();
        let baseline = failure.bad.first().and_then(|target| failure.baseline_for(target));
        let Failure { bad, mut right, .. } = failure;
        right.extend(baseline);
        let mut lost = Vec::new();
        let mut note = |target: &Target, _: String| {
            lost.push(target.label());
            true
        };
        let Some(case) = self.case(specimen) else { return Ok(false) };
        self.holds(&case, slot, &bad, &right, &mut note)?;
        let among = |targets: &[Target], labels: &[String]| -> Vec<Target> {
            targets.iter().filter(|t| labels.contains(&t.label())).cloned().collect()
        };
        // On the unreduced program too?
        let (bad_lost, right_lost) = (among(&bad, &lost), among(&right, &lost));
        let mut never = Vec::new();
        let mut note = |target: &Target, _: String| {
            never.push(target.label());
            true
        };
        if let Some(start) = self.case(&self.start).filter(|_| !lost.is_empty()) {
            self.holds(&start, slot, &bad_lost, &right_lost, &mut note)?;
        }
        let mut failure = lock(&self.failure);
        failure.bad.retain(|target| !never.contains(&target.label()));
        failure.right.retain(|target| !never.contains(&target.label()));
        lost.retain(|label| !never.contains(label));
        let mut watched = lock(&self.watched);
        watched.0.extend(among(&bad, &lost));
        watched.1.extend(among(&right, &lost));
        Ok(lost.is_empty())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
