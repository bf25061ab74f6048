//! The hunt: workers take tests from the queue, one thread records what they bring and tells of it.
//!
//! Only the recording thread touches the store. Workers are not scoped threads: at Ctrl-C the hunt
//! does not wait for one that is in the middle of executing a program in the machine.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use oracle::{Lab, Trouble};
use reduce::{NotReduced, Order};
use sandbox::Stop;
use toolchain::Target;

use crate::bench::Bench;
use crate::engine::Engine;
use crate::event::{Ended, EngineProgress, Event, Progress};
use crate::plan::{EngineChoice, Plan};
use crate::predict::OUR_BUG;
use crate::queue::{Item, Queue, Work};
use crate::recheck::Subject;
use crate::record::{Finding, Study, Tested, Word};
use crate::schedule;
use crate::store::{Sample, Store, StoredTarget, is_full};
use crate::study::{Patient, study, targets_of};

/// Between two looks at the clock: also the time until a view is drawn again.
const TICK: Duration = Duration::from_millis(100);

/// When the time is over, tests in flight get this long to finish: a test takes seconds, and what
/// is thrown away is done again by the next hunt.
const GRACE: Duration = Duration::from_secs(10);

/// Stopped workers are waited for this long. Killing processes takes milliseconds; what is slower
/// than this is our own computing, which leaves nothing behind.
const PARTING: Duration = Duration::from_millis(600);

/// Stack of a worker: the parser recurses with the nesting of other people's programs.
const STACK: usize = 256 << 20;

/// A worker without work looks again after this long.
const IDLE: Duration = Duration::from_millis(50);

/// A study that takes longer ends with the best it has.
const STUDY: Duration = Duration::from_secs(600);

/// Between two samples for the curves of a page.
const SAMPLE: Duration = Duration::from_secs(5);

/// What a worker sends home.
enum Done {
    Test(Item, Box<Result<Tested, Trouble>>),
    Study(i64, Box<Result<Study, NotReduced>>),
}

/// Hunts until the time is over, the tests are done, `stop` is set or nothing more can be written,
/// and tells of it all along.
pub fn hunt(plan: Plan, stop: &Stop, tell: &mut dyn FnMut(Event)) -> Result<Progress> {
    if plan.compilers.is_empty() && plan.engines.iter().any(EngineChoice::needs_compilers) {
        bail!(
            "no compiler to hunt on: install one (apt-get install gcc libc6-dev), or name one with --cc"
        );
    }
    let engines = plan.engines.iter().map(|choice| choice.engine(plan.language));
    let engines: Arc<[Box<dyn Engine>]> = engines.collect::<Result<_>>()?;
    let mut store = Store::create(&plan.out)?;
    let seed = first_seed(&plan, &store)?;
    let mut tested: Vec<StoredTarget> = levels(&plan).iter().map(StoredTarget::from).collect();
    tested.extend(engines.iter().flat_map(|engine| engine.targets()));
    store.targets(&tested)?;
    // Our own, so that the end of the time can end runs as Ctrl-C does.
    let cancel = Stop::new();
    let lab = Lab { limits: plan.limits.clone(), stop: cancel.clone() };
    let bench = Arc::new(Bench::new(lab, plan.compilers.clone(), plan.extras_per_test));
    let mut queue = Queue::default();
    let mut progress =
        Progress { time: plan.time, tests_wanted: plan.tests, seed, ..Progress::default() };
    recall(&store, &bench, &mut progress)?;
    for engine in engines.iter() {
        let record = store.engine(engine.name())?;
        progress.tests += record.done.len() as u64;
        progress.cost += record.cost;
        queue.add(engine.seeds(seed), record);
    }
    if let Some(tests) = plan.tests {
        let each = engines.iter().map(|engine| engine.tests_each()).min().unwrap_or(1);
        let left = match each {
            1 => tests.saturating_sub(queue.done()),
            each => tests.saturating_sub(progress.tests).div_ceil(each),
        };
        queue.limit(left);
    }
    if plan.study {
        // Testing goes on beside it, if there is more than one worker.
        queue.let_study(plan.jobs.div_ceil(2));
        for finding in unstudied(&store)? {
            queue.study(finding);
        }
    }
    let targets: Arc<[StoredTarget]> = store.stored_targets()?.into();
    let queue = Arc::new(Mutex::new(queue));
    let (send, receive) = mpsc::channel();
    for n in 0..plan.jobs.max(1) {
        let worker = Worker {
            engines: engines.clone(),
            queue: queue.clone(),
            bench: bench.clone(),
            targets: targets.clone(),
            home: send.clone(),
        };
        let thread = thread::Builder::new().name(format!("worker {n}")).stack_size(STACK);
        thread.spawn(move || worker.work()).context("a worker thread cannot be started")?;
    }
    drop(send);
    let names = engines.iter().map(|engine| engine.name().to_string()).collect();
    let before = store.last_sample()?.unwrap_or_default();
    let mut hunt = Hunt {
        begin: Instant::now(),
        store,
        queue,
        bench,
        cancel,
        names,
        progress,
        engines,
        before,
    };
    hunt.refresh();
    tell(Event::Begin(&hunt.progress));
    hunt.sample(false);
    hunt.run(&receive, stop, tell);
    hunt.refresh();
    hunt.sample(true);
    tell(Event::End(&hunt.progress));
    hunt.store.settle();
    Ok(hunt.progress)
}

/// The seed that was asked for, or the folder's, or a fresh one.
fn first_seed(plan: &Plan, store: &Store) -> Result<u64> {
    let known = store.setting("seed")?.and_then(|text| text.parse().ok());
    let fresh = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(1, |t| t.as_secs() % 1_000_000_000)
    };
    let seed = plan.seed.or(known).unwrap_or_else(fresh);
    store.set("seed", &seed.to_string())?;
    Ok(seed)
}

/// Every compiler at its levels.
fn levels(plan: &Plan) -> Vec<Target> {
    let of = |compiler: &Arc<toolchain::Compiler>| {
        let target = |level: &String| Target {
            compiler: compiler.clone(),
            flags: level.split_whitespace().map(str::to_string).collect(),
        };
        compiler.levels.iter().map(target).collect::<Vec<_>>()
    };
    plan.compilers.iter().flat_map(of).collect()
}

/// What earlier runs on the folder have left.
fn recall(store: &Store, bench: &Bench, progress: &mut Progress) -> Result<()> {
    progress.skipped = store.skipped()?.into_iter().collect();
    let counts = store.counts()?;
    progress.tests = counts.batched;
    progress.unanswered = counts.unanswered;
    (progress.checks, progress.variants) = (counts.checks, counts.variants);
    for (target, word, n) in store.tallies()? {
        *progress.targets.entry(target).or_default().entry(word).or_default() += n;
        progress.flaky += if word == Word::Flaky { n } else { 0 };
    }
    for finding in store.findings()? {
        bench.count(&finding.finding.signature);
        count_finding(progress, &finding);
    }
    Ok(())
}

fn count_finding(progress: &mut Progress, found: &Finding) {
    let finding = &found.finding;
    if !finding.stands() {
        progress.disputed += 1;
        return;
    }
    *progress.findings.entry(finding.kind).or_default() += 1;
    progress.signatures += u64::from(found.seen_before == 0);
    progress.newest = Some((found.id, finding.kind, finding.summary.clone()));
}

/// Whether a finding is to be studied. One of each signature is; of wrong code, whose signature says
/// little, some more.
fn is_worth_a_study(found: &Finding) -> bool {
    let more = || found.finding.kind.is_wrong_code() && (found.seen_before + 1).is_power_of_two();
    let kind = found.finding.kind;
    let reducible = found.finding.stands() && kind.is_of_a_compiler();
    reducible && (found.seen_before == 0 || more())
}

/// What earlier runs on the folder have found and not studied.
fn unstudied(store: &Store) -> Result<Vec<Finding>> {
    let mut waiting = Vec::new();
    for found in store.findings()?.into_iter().filter(is_worth_a_study) {
        if store.study(found.id)?.is_none() && is_open(store, &found) {
            // The list has no files.
            waiting.extend(store.finding(found.id)?);
        }
    }
    Ok(waiting)
}

fn is_open(store: &Store, found: &Finding) -> bool {
    !matches!(store.suppressed(&found.finding.signature), Ok(Some(_)))
}

/// One of the threads that test.
struct Worker {
    engines: Arc<[Box<dyn Engine>]>,
    queue: Arc<Mutex<Queue>>,
    bench: Arc<Bench>,
    targets: Arc<[StoredTarget]>,
    home: Sender<Done>,
}

impl Worker {
    fn work(&self) {
        while !self.bench.lab.stop.is_set() {
            let work = lock(&self.queue).next();
            let done = match work {
                None => return,
                Some(Work::Wait) => {
                    thread::sleep(IDLE);
                    continue;
                }
                Some(Work::Test(item)) => Done::Test(item, Box::new(self.test(item))),
                Some(Work::Study(found)) => Done::Study(found.id, Box::new(self.study(&found))),
            };
            // Nobody listens any more when the hunt has parted.
            if self.home.send(done).is_err() {
                return;
            }
        }
    }

    fn test(&self, item: Item) -> Result<Tested, Trouble> {
        let engine = &self.engines[item.engine];
        let test = AssertUnwindSafe(|| engine.test(item.seed, &self.bench));
        catch_unwind(test).unwrap_or_else(|panic| {
            let mut tested = Tested::new(engine.name(), item.seed);
            tested.skipped = Some(format!("{OUR_BUG}: {}", words(panic.as_ref())));
            Ok(tested)
        })
    }

    fn study(&self, found: &Finding) -> Result<Study, NotReduced> {
        let lab = &self.bench.lab;
        let work = AssertUnwindSafe(|| {
            let engine = self.engines.iter().find(|engine| engine.name() == found.engine);
            if let Some(study) = engine.and_then(|engine| engine.study(found, &lab.stop)) {
                return study;
            }
            let unusable = |error: anyhow::Error| NotReduced::Unusable(format!("{error:#}"));
            let subject = Subject::of_finding(found, &self.targets).map_err(unusable)?;
            let all = self.bench.compilers.as_slice();
            let patient = Patient {
                case: &subject.case,
                kind: subject.kind,
                bad: targets_of(&found.finding.targets, all),
                right: targets_of(&found.finding.right, all),
                compilers: all,
            };
            let (limits, stop) = (lab.limits.clone(), lab.stop.clone());
            let order = Order { jobs: 1, time: Some(STUDY), stop, limits };
            study(&patient, &order, &|_| {})
        });
        catch_unwind(work).unwrap_or_else(|panic| {
            Err(NotReduced::Unusable(format!("{OUR_BUG}: {}", words(panic.as_ref()))))
        })
    }
}

/// The queue is plain data: a panic elsewhere has not broken it.
fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

/// The recording side.
struct Hunt {
    begin: Instant,
    store: Store,
    queue: Arc<Mutex<Queue>>,
    bench: Arc<Bench>,
    cancel: Stop,
    names: Vec<String>,
    progress: Progress,
    engines: Arc<[Box<dyn Engine>]>,
    /// The last sample of earlier runs: sums go on from there.
    before: Sample,
}

impl Hunt {
    /// Records until all workers are gone.
    fn run(&mut self, receive: &Receiver<Done>, stop: &Stop, tell: &mut dyn FnMut(Event)) {
        let mut parting = None;
        let mut tick = Instant::now();
        let mut sampled = Instant::now();
        loop {
            match receive.recv_timeout(TICK) {
                Ok(Done::Test(item, result)) => self.take(item, *result, tell),
                Ok(Done::Study(id, result)) => self.learn(id, *result, tell),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if tick.elapsed() >= TICK {
                tick = Instant::now();
                self.refresh();
                tell(Event::Tick(&self.progress));
            }
            if sampled.elapsed() >= SAMPLE {
                sampled = Instant::now();
                self.sample(false);
            }
            self.look_at_clock(stop);
            if self.cancel.is_set() {
                let since = *parting.get_or_insert_with(Instant::now);
                if since.elapsed() > PARTING {
                    break;
                }
            }
        }
        self.progress.ended.get_or_insert(Ended::Tests);
    }

    fn look_at_clock(&mut self, stop: &Stop) {
        if stop.is_set() {
            self.end(Ended::Interrupted);
            self.cancel.set();
        }
        let over = self.progress.time.map(|time| self.begin.elapsed().checked_sub(time));
        if let Some(Some(late)) = over {
            self.end(Ended::Time);
            if late > GRACE {
                self.cancel.set();
            }
        }
    }

    fn end(&mut self, why: Ended) {
        lock(&self.queue).close();
        self.progress.ended.get_or_insert(why);
    }

    fn take(&mut self, item: Item, result: Result<Tested, Trouble>, tell: &mut dyn FnMut(Event)) {
        let sentence = match result {
            Ok(tested) => match self.store.record(&tested) {
                Ok(found) => return self.recorded(item, &tested, &found, tell),
                Err(error) if is_full(&error) => format!(
                    "the disk is full: {error:#}. Make room and start the same hunt again: it \
                     goes on where it was"
                ),
                Err(error) => format!("{error:#}"),
            },
            Err(Trouble::Stopped) => {
                lock(&self.queue).give_back(item);
                return;
            }
            Err(trouble) => trouble.to_string(),
        };
        lock(&self.queue).give_back(item);
        self.end(Ended::Failed(sentence));
        self.cancel.set();
    }

    fn learn(&mut self, id: i64, result: Result<Study, NotReduced>, tell: &mut dyn FnMut(Event)) {
        lock(&self.queue).studied();
        self.progress.studies.2 += 1;
        let told = match &result {
            // What was cut short may have missed the best: the next hunt does it again.
            _ if self.cancel.is_set() => return,
            Ok(study) => match self.store.put_study(id, study) {
                Ok(()) => Ok(study),
                Err(error) => {
                    self.end(Ended::Failed(format!("{error:#}")));
                    self.cancel.set();
                    return;
                }
            },
            Err(why) => Err(why.to_string()),
        };
        self.refresh();
        let told = told.as_ref().map(|study| *study).map_err(String::as_str);
        tell(Event::Studied(id, told, &self.progress));
    }

    fn recorded(
        &mut self,
        item: Item,
        tested: &Tested,
        found: &[Finding],
        tell: &mut dyn FnMut(Event),
    ) {
        let fresh = |f: &&Finding| f.seen_before == 0 && f.finding.stands();
        let signatures = found.iter().filter(fresh).count() as u64;
        {
            let mut queue = lock(&self.queue);
            // Put down before the test is over: idle workers wait for tests only.
            for finding in found {
                if is_worth_a_study(finding) && is_open(&self.store, finding) {
                    queue.study(finding.clone());
                }
            }
            queue.finish(item, tested.cost.total(), signatures);
        }
        let progress = &mut self.progress;
        progress.tests += tested.tests;
        progress.tests_now += tested.tests;
        progress.cost += tested.cost;
        if let Some(reason) = &tested.skipped {
            *progress.skipped.entry(reason.clone()).or_default() += 1;
        }
        if let Some(reason) = &tested.unanswered {
            *progress.unanswered.entry(reason.clone()).or_default() += 1;
        }
        progress.checks += tested.checks;
        progress.variants += tested.variants;
        for (label, word) in &tested.targets {
            *progress.targets.entry(label.clone()).or_default().entry(*word).or_default() += 1;
            progress.flaky += u64::from(*word == Word::Flaky);
        }
        for finding in found {
            count_finding(progress, finding);
        }
        self.refresh();
        tell(Event::Tested(tested, &self.progress));
        for finding in found {
            tell(Event::Found(finding, &self.progress));
        }
    }

    /// Notes where the hunt stands. Curves are not worth ending a hunt for: a store that cannot be
    /// written will say so at the next test.
    fn sample(&mut self, last: bool) {
        let Progress { tests, findings, signatures, elapsed, own, others, .. } = &self.progress;
        let blocks: Vec<u64> = self.engines.iter().filter_map(|engine| engine.blocks()).collect();
        let sample = Sample {
            at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs()),
            last,
            hunted: self.before.hunted + *elapsed,
            tests: *tests,
            findings: findings.values().sum(),
            signatures: *signatures,
            own: self.before.own + *own,
            others: self.before.others + *others,
            blocks: (!blocks.is_empty()).then(|| blocks.iter().sum()),
        };
        let _ = self.store.put_sample(&sample);
    }

    /// Brings clocks and shares up to date.
    fn refresh(&mut self) {
        let progress = &mut self.progress;
        progress.elapsed = self.begin.elapsed();
        progress.own = self.bench.own();
        progress.others = self.bench.others();
        let queue = lock(&self.queue);
        let (waiting, begun) = queue.studies();
        (progress.studies.0, progress.studies.1) = (waiting as u64, begun as u64);
        let accounts = queue.accounts();
        let all: f64 = accounts.iter().map(|a| a.cpu.as_secs_f64()).sum();
        let due = schedule::due(accounts);
        for ((name, account), due) in self.names.iter().zip(accounts).zip(due) {
            let engine = EngineProgress {
                tests: account.tests,
                signatures: account.signatures,
                used: account.cpu.as_secs_f64() / all.max(1e-9),
                due,
            };
            progress.engines.insert(name.clone(), engine);
        }
    }
}
