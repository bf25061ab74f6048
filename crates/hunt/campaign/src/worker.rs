//! A [`Worker`] takes work from a [`WorkSource`] and submits the results.
//!
//! The work source is the one boundary between testing and recording. Here it is the queue
//! in memory, for threads of this process; `cluster` has one for other machines.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use finding::Subject;
use oracle::Trouble;
use reduce::{NotReduced, ReduceOptions};
use sandbox::Stop;

use crate::bench::TestBench;
use crate::engine::Engine;
use crate::plan::Plan;
use crate::predict::OUR_BUG;
use crate::queue::{Queue, QueuedTest, WorkItem};
use crate::recheck::Specimen;
use crate::record::{Finding, Study, Tested};
use crate::store::StoredTarget;
use crate::study::study;

/// Stack of a worker: the parser recurses with the nesting of other people's programs.
const STACK: usize = 256 << 20;

/// A worker without work looks again after this long.
const IDLE: Duration = Duration::from_millis(50);

/// A study that takes longer ends with the best it has.
const STUDY: Duration = Duration::from_secs(600);

/// The result of a work item.
#[derive(Debug)]
pub enum WorkResult {
    /// Of a test.
    Test(QueuedTest, Box<Result<Tested, Trouble>>),
    /// Of a test that this hunt did not deal out: an engine of an earlier run on the same folder.
    Stray(Box<Tested>),
    /// Of the study of a finding; or a sentence on why there is none.
    Study(i64, Box<Result<Study, StudyFailure>>),
    /// Targets that are tested from now on.
    Targets(Vec<StoredTarget>),
    /// A message for the user.
    Note(String),
}

/// Why there is no study.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StudyFailure {
    /// It was cut short: another worker, or the next hunt, makes it.
    Stopped,
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
}

impl Worker {
    /// A worker for a plan whose compilers are here. Setting `stop` ends what it does.
    pub fn new(plan: &Plan, stop: Stop) -> Result<Worker> {
        plan.check_compilers()?;
        let engines = plan.build_engines()?;
        let targets = plan.stored_targets(&engines).into();
        Ok(Worker { engines, bench: Arc::new(TestBench::of(plan, stop)), targets })
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
                    let done = WorkResult::Test(item, Box::new(self.test(item)));
                    // The rest of a block that was stopped is for another worker.
                    supply.submit(done) && !self.bench.lab.stop.is_set()
                }),
                WorkItem::Study(found) => {
                    supply.submit(WorkResult::Study(found.id, Box::new(self.study(&found))))
                }
            };
            supply.release(ticket, is_done);
        }
    }

    fn test(&self, item: QueuedTest) -> Result<Tested, Trouble> {
        let engine = &self.engines[item.engine];
        let test = AssertUnwindSafe(|| engine.test(item.seed, &self.bench));
        catch_unwind(test).unwrap_or_else(|panic| {
            let mut tested = Tested::new(engine.name(), item.seed);
            tested.skipped = Some(format!("{OUR_BUG}: {}", panic_message(panic.as_ref())));
            Ok(tested)
        })
    }

    fn study(&self, found: &Finding) -> Result<Study, StudyFailure> {
        let work = AssertUnwindSafe(|| self.try_study(found));
        let study = catch_unwind(work).unwrap_or_else(|panic| {
            Err(NotReduced::Unusable(format!("{OUR_BUG}: {}", panic_message(panic.as_ref()))))
        });
        study.map_err(|why| match why {
            _ if self.bench.lab.stop.is_set() => StudyFailure::Stopped,
            NotReduced::Trouble(Trouble::Stopped) => StudyFailure::Stopped,
            why => StudyFailure::Because(why.to_string()),
        })
    }

    fn try_study(&self, found: &Finding) -> Result<Study, NotReduced> {
        let lab = &self.bench.lab;
        let engine = self.engines.iter().find(|engine| engine.name() == found.engine);
        if let Some(study) = engine.and_then(|engine| engine.study(found, &lab.stop)) {
            return study;
        }
        let Subject::Program(subject) = &found.finding.subject else {
            return Err(NotReduced::Unusable("its engine is not part of this hunt".into()));
        };
        let unusable = |error: anyhow::Error| NotReduced::Unusable(format!("{error:#}"));
        let case = Specimen::of(found, None).case().map_err(unusable)?;
        let (limits, stop) = (lab.limits.clone(), lab.stop.clone());
        let order = ReduceOptions { jobs: 1, time: Some(STUDY), stop, limits };
        study(&case, subject, &self.bench.compilers, &order, &|_| {})
    }
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
