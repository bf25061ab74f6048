//! A [`Worker`] takes work from a [`WorkSource`] and submits the results.
//!
//! The work source is the one boundary between testing and recording. Here it is the queue
//! in memory, for threads of this process; `cluster` has one for other machines.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use cmachine::MachineConfig;
use finding::{ProgramSubject, Subject};
use oracle::{Case, FailureKind, Lab, Limits, Trouble};
use reduce::{KnownMasks, NotReduced, ReduceOptions};
use sandbox::{Scratch, Stop};
use toolchain::{Language, Preprocessor};
use triage::Mask;

use crate::attribution::{Attribution, KnownBugs, attribute};
use crate::bench::TestBench;
use crate::engine::Engine;
use crate::plan::Plan;
use crate::predict::{OUR_BUG, predict};
use crate::queue::{Queue, QueuedTest, WorkItem};
use crate::recheck::Specimen;
use crate::record::{Finding, Study, Tested};
use crate::schedule::LONGEST_STUDY;
use crate::store::StoredTarget;
use crate::study::{StudyProgress, investigate, shrink};

/// Stack of a worker: the parser recurses with the nesting of other people's programs.
const STACK: usize = 256 << 20;

/// A worker without work looks again after this long.
const IDLE: Duration = Duration::from_millis(50);

/// The part of a study's time in which its program is reduced: then it is asked which pass is to blame, which
/// versions fail, and whether it is valid.
const REDUCTION: f64 = 0.5;

/// A program of so many tokens tells what it is about, even if it could be smaller.
const SMALL_ENOUGH: usize = 80;

/// A program that is still large after so many reductions stays as it is.
const REDUCTIONS: u32 = 4;

/// How often a study is asked whether its time is over.
const LOOK: Duration = Duration::from_millis(50);

/// The result of a work item.
#[derive(Debug)]
pub enum WorkResult {
    /// Of a test.
    Test(QueuedTest, Box<Result<Tested, Trouble>>),
    /// Of a test that this hunt did not deal out: an engine of an earlier run on the same folder.
    Stray(Box<Tested>),
    /// Of the study of a finding; or a sentence on why there is none.
    Study(i64, Box<Result<StudyOutcome, StudyFailure>>),
    /// Targets that are tested from now on.
    Targets(Vec<StoredTarget>),
    /// A message for the user.
    Note(String),
}

/// What came of a study.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub enum StudyOutcome {
    /// A bug that nobody had studied.
    Studied(Study),
    /// The same of a program that could be smaller: its reduction goes on when there is time.
    Partly(Study),
    /// The bug of this finding, which was studied before.
    Explained(i64),
}

/// Why there is no study.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StudyFailure {
    /// It was cut short: another worker, or the next hunt, makes it.
    Stopped,
    /// Its time was over before its end: it goes on when there is more.
    Unfinished,
    /// It cannot be made; one sentence.
    Because(String),
}

/// A result on its way to the recording thread.
pub struct Delivery {
    /// The result.
    pub done: WorkResult,
    /// Called when that is on the disk, or was there before.
    pub on_stored: Option<Box<dyn FnOnce() + Send>>,
}

impl From<WorkResult> for Delivery {
    fn from(done: WorkResult) -> Delivery {
        Delivery { done, on_stored: None }
    }
}

/// Where a worker takes work from and submits results.
pub trait WorkSource: Send + Sync {
    /// Identifies a piece of work.
    type Ticket;

    /// The next piece of work; `None` when there will be none.
    fn next(&self) -> Option<(WorkItem, Self::Ticket)>;

    /// Submits the result of one test or study; whether more is wanted.
    fn submit(&self, done: WorkResult) -> bool;

    /// A piece of work is over: done, or abandoned, and then for another worker.
    fn release(&self, ticket: Self::Ticket, is_done: bool);
}

/// The tests that are still to do, shared by all who take part.
#[derive(Clone, Debug, Default)]
pub struct SharedQueue(Arc<Mutex<Queue>>);

impl SharedQueue {
    /// Shares a queue.
    pub fn new(queue: Queue) -> SharedQueue {
        SharedQueue(Arc::new(Mutex::new(queue)))
    }

    /// The queue. It is plain data: a panic elsewhere has not broken it.
    pub fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Everything that a test needs.
pub struct Worker {
    /// The engines, in the order of the plan.
    pub engines: Arc<[Box<dyn Engine>]>,
    /// What all tests share.
    pub bench: Arc<TestBench>,
    /// All targets, as they are stored.
    pub targets: Arc<[StoredTarget]>,
    /// How far studies came that did not come to their end.
    pub begun: Mutex<BTreeMap<i64, BegunStudy>>,
}

/// A program that was reduced, and of which nothing else is known yet.
#[derive(Clone, Debug)]
pub struct BegunStudy {
    case: Case,
    /// Tokens before.
    tokens: usize,
    /// How often it was reduced.
    times: u32,
}

impl Worker {
    /// A worker for a plan whose compilers are here. Setting `stop` ends what it does.
    pub fn new(plan: &Plan, stop: Stop) -> Result<Worker> {
        plan.check_compilers()?;
        let engines = plan.build_engines()?;
        let targets = plan.stored_targets(&engines).into();
        Ok(Worker::on(Arc::new(TestBench::of(plan, stop)), engines, targets))
    }

    /// A worker on a bench.
    pub fn on(
        bench: Arc<TestBench>,
        engines: Arc<[Box<dyn Engine>]>,
        targets: Arc<[StoredTarget]>,
    ) -> Worker {
        Worker { engines, bench, targets, begun: Mutex::default() }
    }

    /// Starts a thread that works until the supply ends or the worker is stopped.
    pub fn start<S: WorkSource + 'static>(
        self: &Arc<Self>,
        n: usize,
        supply: Arc<S>,
    ) -> Result<()> {
        let worker = self.clone();
        let thread = thread::Builder::new().name(format!("worker {n}")).stack_size(STACK);
        thread
            .spawn(move || worker.work(supply.as_ref()))
            .context("a worker thread cannot be started")?;
        Ok(())
    }

    fn work<S: WorkSource>(&self, supply: &S) {
        while !self.bench.lab.stop.is_set() {
            let Some((work, ticket)) = supply.next() else { return };
            let is_done = match work {
                WorkItem::Wait => {
                    thread::sleep(IDLE);
                    true
                }
                WorkItem::Block(block) => block.items().all(|item| {
                    let hand_in = |done| supply.submit(WorkResult::Test(item, Box::new(done)));
                    let more = self.test(item).into_iter().all(hand_in);
                    self.bench.forget_sightings(self.engines[item.engine].name(), item.seed);
                    // The rest of a block that was stopped is for another worker.
                    more && !self.bench.lab.stop.is_set()
                }),
                WorkItem::Study(found, time, known) => {
                    self.bench.learn(known);
                    let study = self.bench.studies(|| self.study(&found, time));
                    supply.submit(WorkResult::Study(found.id, Box::new(study)))
                }
            };
            self.bench.rests();
            supply.release(ticket, is_done);
        }
    }

    /// Does a test. One that cannot be finished gives what it has found before it says so.
    fn test(&self, item: QueuedTest) -> Vec<Result<Tested, Trouble>> {
        let engine = &self.engines[item.engine];
        self.bench.begins(format!("the program of {} {}", engine.name(), item.seed));
        let test = AssertUnwindSafe(|| engine.test(item.seed, &self.bench));
        let seen = || self.bench.sightings(engine.name(), item.seed);
        let done = catch_unwind(test).unwrap_or_else(|panic| {
            let mut tested = Tested::new(engine.name(), item.seed);
            tested.skipped = Some(format!("{OUR_BUG}: {}", panic_message(panic.as_ref())));
            tested.findings = seen();
            Ok(tested)
        });
        let kept = |tested: Tested| tested.with_sightings(seen()).map(Ok);
        match done {
            Ok(tested) if tested.interrupted => {
                vec![kept(tested).unwrap_or(Err(Trouble::Stopped))]
            }
            Ok(tested) => vec![Ok(tested)],
            Err(trouble) => {
                let partial = kept(Tested::new(engine.name(), item.seed));
                match trouble {
                    Trouble::Stopped => vec![partial.unwrap_or(Err(trouble))],
                    _ => partial.into_iter().chain([Err(trouble)]).collect(),
                }
            }
        }
    }

    /// Studies a finding in a time; with [`LONGEST_STUDY`] only the reduction is limited.
    fn study(&self, found: &Finding, time: Duration) -> Result<StudyOutcome, StudyFailure> {
        let stop = Stop::new();
        let all = &self.bench.lab.stop;
        let is_over = AtomicBool::new(false);
        let begin = Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    if all.is_set() || time < LONGEST_STUDY && begin.elapsed() > time {
                        return stop.set();
                    }
                    thread::sleep(LOOK);
                }
            });
            let study = self.study_until(found, time, &stop);
            is_over.store(true, Ordering::Relaxed);
            study
        })
    }

    fn study_until(
        &self,
        found: &Finding,
        time: Duration,
        stop: &Stop,
    ) -> Result<StudyOutcome, StudyFailure> {
        let work = AssertUnwindSafe(|| self.try_study(found, time, stop));
        let study = catch_unwind(work).unwrap_or_else(|panic| {
            Err(NotReduced::Unusable(format!("{OUR_BUG}: {}", panic_message(panic.as_ref()))))
        });
        study.map_err(|why| match why {
            _ if self.bench.lab.stop.is_set() => StudyFailure::Stopped,
            _ if stop.is_set() => StudyFailure::Unfinished,
            NotReduced::Trouble(Trouble::Stopped) => StudyFailure::Stopped,
            why => StudyFailure::Because(why.to_string()),
        })
    }

    fn try_study(
        &self,
        found: &Finding,
        time: Duration,
        stop: &Stop,
    ) -> Result<StudyOutcome, NotReduced> {
        let lab = &self.bench.lab;
        self.bench.begins(format!("the reduction of #{}", found.id));
        let engine = self.engines.iter().find(|engine| engine.name() == found.engine);
        let known_bugs = self.bench.known_bugs();
        let explained = engine.and_then(|engine| engine.explained_by(found, &known_bugs, stop));
        if let Some(bug) = explained {
            return Ok(StudyOutcome::Explained(bug));
        }
        if let Some(study) = engine.and_then(|engine| engine.study(found, stop)) {
            return study.map(StudyOutcome::Studied);
        }
        let Subject::Program(subject) = &found.finding.subject else {
            return Err(NotReduced::Unusable("its engine is not part of this hunt".into()));
        };
        let unusable = |error: anyhow::Error| NotReduced::Unusable(format!("{error:#}"));
        let found_case = Specimen::of(found, None).case().map_err(unusable)?;
        let all = self.bench.compilers.as_slice();
        let begun = self.begun().get(&found.id).cloned();
        let case = begun.as_ref().map_or(&found_case, |begun| &begun.case);
        let time = if time < LONGEST_STUDY { time.mul_f64(REDUCTION) } else { time };
        let limits = match steps_of(found.finding.kind, &found_case) {
            Some(steps) => lab.limits.for_steps(steps),
            None => lab.limits.clone(),
        };
        let known = match self.attribute(found, case, subject, &limits, stop, &known_bugs)? {
            Attribution::Explained(bug) => return Ok(StudyOutcome::Explained(bug)),
            Attribution::New(known) => known,
        };
        let stop = stop.clone();
        let order = ReduceOptions { jobs: 1, time: Some(time), stop, limits, known };
        let own = thread::current().id();
        let tell = |at: StudyProgress<'_>| {
            if let StudyProgress::Asks(what) = at {
                self.bench.thread_begins(own, format!("the study of #{}: {what}", found.id));
            }
        };
        let mut reduced = shrink(case, subject, all, &order, &tell)?;
        // What was reduced is not reduced again, should the time not suffice for the rest.
        let tokens = begun.as_ref().map_or(reduced.tokens.0, |begun| begun.tokens);
        let times = begun.map_or(0, |begun| begun.times) + 1;
        reduced.tokens.0 = tokens;
        let is_large = !reduced.is_complete && reduced.tokens.1 > SMALL_ENOUGH;
        self.begun().insert(found.id, BegunStudy { case: reduced.case.clone(), tokens, times });
        let mut study = investigate(all, &order, reduced, &known_bugs, &tell)?;
        let is_last = times >= REDUCTIONS || order.time.is_none_or(|time| time >= LONGEST_STUDY);
        if is_large && found.finding.kind.is_wrong_code() && !(is_last && study.mask.is_telling()) {
            // What a large program is about can be one of many things: it is not attributed.
            (study.mask, study.about) = (Mask::default(), None);
            study.key.clone_from(&found.finding.signature);
        }
        if is_large && !is_last {
            return Ok(StudyOutcome::Partly(study));
        }
        self.begun().remove(&found.id);
        Ok(StudyOutcome::Studied(study))
    }

    /// Which bug that was studied before explains a program.
    fn attribute(
        &self,
        found: &Finding,
        case: &Case,
        subject: &ProgramSubject,
        limits: &Limits,
        stop: &Stop,
        known: &KnownBugs,
    ) -> Result<Attribution, NotReduced> {
        let failing = ProgramSubject::installed(&subject.failing, &self.bench.compilers);
        let Some(target) = failing.first().filter(|_| !known.is_empty()) else {
            return Ok(Attribution::New(KnownMasks::default()));
        };
        self.bench.begins(format!("the study of #{}: is it a bug that is known?", found.id));
        let lab = Lab { limits: limits.clone(), stop: stop.clone() };
        Ok(attribute(&lab, case, found.finding.kind, target, known)?)
    }

    fn begun(&self) -> MutexGuard<'_, BTreeMap<i64, BegunStudy>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Steps of a program that does not end where a compiler is wrong: its candidates are waited for no longer
/// than it takes, and a reduction has many.
fn steps_of(kind: FailureKind, case: &Case) -> Option<u64> {
    if kind != FailureKind::RuntimeHang || case.language != Language::C {
        return None;
    }
    let scratch = Scratch::new().ok()?;
    Lab::default().write(case, scratch.path()).ok()?;
    let preprocessor = Preprocessor::find().ok()?;
    let preprocessor = case.include.iter().fold(preprocessor, |p, dir| p.include(dir));
    let files: Vec<_> = case.units().map(|unit| scratch.file(unit)).collect();
    let fuel = MachineConfig::default().fuel;
    let mut spent = Duration::ZERO;
    Some(predict(&files, &preprocessor, fuel, &mut spent).ok()?.steps)
}

/// What a panic said.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

/// The queue of this process.
pub struct InProcess {
    /// Where work is taken from.
    pub board: SharedQueue,
    /// Where what came of it is sent.
    pub home: Sender<Delivery>,
}

impl WorkSource for InProcess {
    type Ticket = ();

    fn next(&self) -> Option<(WorkItem, ())> {
        self.board.lock().next_work().map(|work| (work, ()))
    }

    fn submit(&self, done: WorkResult) -> bool {
        // Nobody listens any more when the hunt has parted.
        self.home.send(done.into()).is_ok()
    }

    // A block here is one test, and what was stopped says so itself.
    fn release(&self, _: (), _: bool) {}
}
