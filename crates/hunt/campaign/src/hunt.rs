//! The hunt: workers take tests from the queue, one thread records and reports their results.
//!
//! Only the recording thread touches the store. Workers are not scoped threads: at Ctrl-C the hunt
//! does not wait for one that is in the middle of executing a program in the machine.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use oracle::Trouble;
use sandbox::Stop;

use crate::allocation::{Accounts, Arm};
use crate::attribution::KnownBugs;
use crate::bench::TestBench;
use crate::engine::Engine;
use crate::event::{EndReason, EngineProgress, Event, Progress};
use crate::explain::adopt_key;
use crate::plan::Plan;
use crate::queue::{Queue, QueuedTest};
use crate::record::{Cost, Finding, Standing, TargetResult, Tested};
use crate::schedule::{self, StudyBudget};
use crate::store::{Sample, Store, StoredTarget, is_full};
use crate::worker::{
    Delivery, InProcess, SharedQueue, StudyFailure, StudyOutcome, WorkResult, Worker,
};

/// Between two looks at the clock: also the time until a view is drawn again.
const TICK: Duration = Duration::from_millis(100);

/// When the time is over, tests in flight get this long to finish: a test takes seconds, and what
/// is thrown away is done again by the next hunt.
const GRACE: Duration = Duration::from_secs(10);

/// Stopped workers are waited for this long. Killing processes takes milliseconds; what is slower
/// than this is our own computing, which leaves nothing behind.
const PARTING: Duration = Duration::from_millis(600);

/// What does the work of a hunt: threads of this process, or workers on other machines.
pub trait Crew {
    /// What tests share, where they are done in this process.
    fn bench(&self) -> Option<Arc<TestBench>>;

    /// Starts working and returns: takes from the queue until nothing is left, sends the results,
    /// and drops the sender at the end.
    fn start(&mut self, plan: &Plan, task: Task) -> Result<()>;
}

/// What a crew is given.
pub struct Task {
    /// What is to be done.
    pub board: SharedQueue,
    /// Where results are sent.
    pub home: Sender<Delivery>,
    /// Ends all work at once when it is set.
    pub cancel: Stop,
    /// The engines, in the order of the plan.
    pub engines: Arc<[Box<dyn Engine>]>,
    /// All targets of the store.
    pub targets: Arc<[StoredTarget]>,
    /// The identity of the folder.
    pub identity: String,
}

/// Between two samples for the curves of a page.
const SAMPLE: Duration = Duration::from_secs(5);

/// Where the accounts of targets are among the settings of a store. They are written with the samples: what is lost
/// with a hunt that is killed are some seconds of a heuristic.
const ACCOUNTS: &str = "accounts of targets";

/// The threads of this process.
struct Threads(Arc<TestBench>);

impl Crew for Threads {
    fn bench(&self) -> Option<Arc<TestBench>> {
        Some(self.0.clone())
    }

    fn start(&mut self, plan: &Plan, task: Task) -> Result<()> {
        let Task { board, home, engines, targets, .. } = task;
        let worker = Arc::new(Worker::on(self.0.clone(), engines, targets));
        let supply = Arc::new(InProcess { board, home });
        for n in 0..plan.jobs.max(1) {
            worker.start(n, supply.clone())?;
        }
        Ok(())
    }
}

/// Hunts until the time is over, the tests are done, `stop` is set or nothing more can be written,
/// and tells of it all along.
pub fn hunt(plan: Plan, stop: &Stop, tell: &mut dyn FnMut(Event)) -> Result<Progress> {
    let engines = plan.build_engines()?;
    hunt_on(plan, engines, stop, tell)
}

/// The same with these engines in place of the plan's.
pub fn hunt_on(
    plan: Plan,
    engines: Arc<[Box<dyn Engine>]>,
    stop: &Stop,
    tell: &mut dyn FnMut(Event),
) -> Result<Progress> {
    plan.check_compilers()?;
    // Our own, so that the end of the time can end runs as Ctrl-C does.
    let cancel = Stop::new();
    let bench = Arc::new(TestBench::of(&plan, cancel.clone()));
    record(plan, engines, &mut Threads(bench), cancel, stop, tell)
}

/// The same with another crew; setting `cancel` must end what is under way.
pub fn hunt_with(
    plan: Plan,
    crew: &mut dyn Crew,
    cancel: Stop,
    stop: &Stop,
    tell: &mut dyn FnMut(Event),
) -> Result<Progress> {
    let engines = plan.build_engines()?;
    record(plan, engines, crew, cancel, stop, tell)
}

/// Deals out tests, and records and reports their results.
fn record(
    plan: Plan,
    engines: Arc<[Box<dyn Engine>]>,
    crew: &mut dyn Crew,
    cancel: Stop,
    stop: &Stop,
    tell: &mut dyn FnMut(Event),
) -> Result<Progress> {
    let mut store = Store::create(&plan.out)?;
    let seed = first_seed(&plan, &store)?;
    store.targets(&plan.stored_targets(&engines))?;
    let mut queue = Queue::default();
    let mut progress =
        Progress { time: plan.time, tests_wanted: plan.tests, seed, ..Progress::default() };
    let bench = crew.bench();
    recall(&store, bench.as_deref(), &mut progress)?;
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
        // Elsewhere those who work say how many they are.
        let workers = if bench.is_some() { plan.jobs } else { 0 };
        queue.share_time(StudyBudget::new(workers, plan.time));
        for finding in unstudied(&store)? {
            queue.study_later(&finding);
        }
    }
    let board = SharedQueue::new(queue);
    let (home, receive) = mpsc::channel();
    let names = engines.iter().map(|engine| engine.name().to_string()).collect();
    let sampled = store.last_sample()?.unwrap_or_default();
    let targets = store.stored_targets()?.into();
    let identity = identity(&store)?;
    let task = Task {
        board: board.clone(),
        home,
        cancel: cancel.clone(),
        engines: engines.clone(),
        targets,
        identity,
    };
    crew.start(&plan, task)?;
    let before = progress.cost;
    let begin = Instant::now();
    let unconfirmed = store.findings()?.into_iter().filter(is_unconfirmed).map(|f| f.id).collect();
    let accounts = Accounts::of_text(&store.setting(ACCOUNTS)?.unwrap_or_default());
    if let Some(bench) = &bench {
        bench.set_weights(accounts.weights());
    }
    let mut hunt = Hunt {
        begin,
        store,
        board,
        bench,
        cancel,
        names,
        before,
        progress,
        engines,
        sampled,
        unconfirmed,
        accounts,
    };
    hunt.learn()?;
    hunt.recall_studies();
    hunt.refresh();
    tell(Event::Begin(&hunt.progress));
    hunt.sample(false);
    hunt.run(&receive, stop, tell);
    hunt.refresh();
    hunt.sample(true);
    tell(Event::End(&hunt.progress));
    hunt.store.checkpoint();
    Ok(hunt.progress)
}

/// What the folder is known by among all folders: drawn once.
fn identity(store: &Store) -> Result<String> {
    if let Some(known) = store.setting("identity")? {
        return Ok(known);
    }
    // The standard library's hashes are seeded by the system.
    let drawn = RandomState::new().hash_one(SystemTime::now());
    let fresh = format!("{drawn:016x}");
    store.set("identity", &fresh)?;
    Ok(fresh)
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

/// What earlier runs on the folder have left.
fn recall(store: &Store, bench: Option<&TestBench>, progress: &mut Progress) -> Result<()> {
    progress.skipped = store.skipped()?.into_iter().collect();
    let counts = store.counts()?;
    progress.tests = counts.batched;
    progress.unanswered = counts.unanswered;
    (progress.checks, progress.variants) = (counts.checks, counts.variants);
    for (target, word, n) in store.tallies()? {
        *progress.targets.entry(target).or_default().entry(word).or_default() += n;
        progress.flaky += if word == TargetResult::Flaky { n } else { 0 };
    }
    for finding in store.findings()? {
        if let Some(bench) = bench {
            bench.count(&finding.finding.signature);
            if is_unconfirmed(&finding) {
                bench.revisit(&finding);
            }
        }
        count_finding(progress, &finding);
    }
    Ok(())
}

fn count_finding(progress: &mut Progress, found: &Finding) {
    let finding = &found.finding;
    match finding.standing {
        Standing::Disputed => progress.disputed += 1,
        Standing::Unconfirmed => progress.unconfirmed += 1,
        Standing::CannotTell => progress.cannot_tell += 1,
        Standing::Confirmed => count_confirmed(progress, found),
    }
}

fn is_unconfirmed(found: &Finding) -> bool {
    found.finding.standing == Standing::Unconfirmed
}

fn count_confirmed(progress: &mut Progress, found: &Finding) {
    let finding = &found.finding;
    *progress.findings.entry(finding.kind).or_default() += 1;
    progress.signatures += u64::from(found.seen_before == 0);
    progress.newest = Some((found.id, finding.kind, finding.summary.clone()));
}

/// Whether a finding is to be studied. One of each signature is; of what does not say itself which bug it is,
/// each that no studied bug explains.
fn is_worth_a_study(found: &Finding) -> bool {
    let kind = found.finding.kind;
    let reducible = found.finding.stands() && kind.is_of_a_compiler();
    let is_open = found.finding.attributed_to.is_none();
    reducible && is_open && (found.seen_before == 0 || !kind.names_its_bug())
}

/// What earlier runs on the folder have found and not studied.
fn unstudied(store: &Store) -> Result<Vec<Finding>> {
    let studied: BTreeSet<i64> = store.studied_ids()?;
    let mut waiting = store.findings()?;
    waiting.retain(|found| {
        is_worth_a_study(found) && !studied.contains(&found.id) && is_open(store, found)
    });
    Ok(waiting)
}

fn is_open(store: &Store, found: &Finding) -> bool {
    !matches!(store.suppressed(&found.finding.signature), Ok(Some(_)))
}

/// The recording side.
struct Hunt {
    begin: Instant,
    store: Store,
    board: SharedQueue,
    /// Where tests are done in this process.
    bench: Option<Arc<TestBench>>,
    cancel: Stop,
    names: Vec<String>,
    /// What tests had cost when this run began.
    before: Cost,
    progress: Progress,
    engines: Arc<[Box<dyn Engine>]>,
    /// The last sample of earlier runs: sums go on from there.
    sampled: Sample,
    /// Findings that are not confirmed.
    unconfirmed: BTreeSet<i64>,
    /// What targets have cost and yielded.
    accounts: Accounts,
}

impl Hunt {
    /// Records until all workers are gone, and then what those were at that did not end in time.
    fn run(&mut self, receive: &Receiver<Delivery>, stop: &Stop, tell: &mut dyn FnMut(Event)) {
        let mut parting = None;
        let mut tick = Instant::now();
        let mut sampled = Instant::now();
        loop {
            for told in self.bench.iter().flat_map(|bench| bench.probes.take_notices()) {
                tell(Event::Note(&told, &self.progress));
            }
            match receive.recv_timeout(TICK) {
                Ok(delivery) => self.accept_delivery(delivery, tell),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if tick.elapsed() >= TICK {
                tick = Instant::now();
                self.recall_studies();
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
        while let Ok(delivery) = receive.try_recv() {
            self.accept_delivery(delivery, tell);
        }
        for tested in self.bench.as_ref().map(|bench| bench.interrupted()).unwrap_or_default() {
            match self.store.record(&tested) {
                Ok(found) => self.found(&found, tell),
                Err(error) => _ = self.is_written(Err(error)),
            }
        }
        self.progress.ended.get_or_insert(EndReason::Tests);
    }

    fn look_at_clock(&mut self, stop: &Stop) {
        if stop.is_set() {
            self.end(EndReason::Interrupted);
            self.cancel.set();
        }
        let over = self.progress.time.map(|time| self.begin.elapsed().checked_sub(time));
        if let Some(Some(late)) = over {
            self.end(EndReason::Time);
            if late > GRACE {
                self.cancel.set();
            }
        }
    }

    fn end(&mut self, why: EndReason) {
        self.board.lock().close();
        self.progress.ended.get_or_insert(why);
    }

    /// Records a result and confirms it to the sender once it is on the disk.
    fn accept_delivery(&mut self, delivery: Delivery, tell: &mut dyn FnMut(Event)) {
        let is_stored = match delivery.done {
            WorkResult::Test(item, result) => self.record_test(item, *result, tell),
            WorkResult::Study(id, result) => self.record_outcome(id, *result, tell),
            WorkResult::Stray(tested) => {
                let recorded = self.store.record(&tested).map(|_| ());
                self.is_written(recorded)
            }
            WorkResult::Targets(targets) => {
                let written = self.store.targets(&targets);
                self.is_written(written)
            }
            WorkResult::Note(word) => {
                tell(Event::Note(&word, &self.progress));
                true
            }
        };
        if let Some(on_stored) = delivery.on_stored.filter(|_| is_stored) {
            on_stored();
        }
    }

    /// Whether something was written; the hunt ends where nothing can be.
    fn is_written(&mut self, result: Result<()>) -> bool {
        let Err(error) = result else { return true };
        self.end(EndReason::Failed(match is_full(&error) {
            true => format!(
                "the disk is full: {error:#}. Make room and start the same hunt again: it goes on \
                 where it was"
            ),
            false => format!("{error:#}"),
        }));
        self.cancel.set();
        false
    }

    /// Records a test; whether it is on the disk.
    fn record_test(
        &mut self,
        item: QueuedTest,
        result: Result<Tested, Trouble>,
        tell: &mut dyn FnMut(Event),
    ) -> bool {
        if !self.board.lock().accept(item) {
            return true;
        }
        let tested = match result {
            Ok(tested) => tested,
            Err(trouble) => {
                self.board.lock().give_back(item);
                if trouble != Trouble::Stopped {
                    self.end(EndReason::Failed(trouble.to_string()));
                    self.cancel.set();
                }
                return false;
            }
        };
        let found = match self.store.record(&tested) {
            Ok(found) => found,
            Err(error) => {
                self.board.lock().give_back(item);
                return self.is_written(Err(error));
            }
        };
        if tested.interrupted {
            // Elsewhere whoever deals out blocks deals this one out again.
            if self.bench.is_some() {
                self.board.lock().give_back(item);
            }
            self.found(&found, tell);
        } else {
            self.recorded(item, &tested, &found, tell);
        }
        true
    }

    /// Keeps what came of a study; whether it is on the disk, or is none that will be.
    fn record_outcome(
        &mut self,
        id: i64,
        result: Result<StudyOutcome, StudyFailure>,
        tell: &mut dyn FnMut(Event),
    ) -> bool {
        let is_stored = self.try_record_outcome(id, result, tell);
        self.recall_studies();
        is_stored
    }

    /// Findings that were queued by their numbers are read when it is their turn.
    fn recall_studies(&mut self) {
        loop {
            let Some(id) = self.board.lock().recall_study() else { return };
            match self.store.finding(id) {
                Ok(Some(found)) => self.board.lock().study(found),
                Ok(None) => {}
                Err(error) => _ = self.is_written(Err(error)),
            }
        }
    }

    fn try_record_outcome(
        &mut self,
        id: i64,
        mut result: Result<StudyOutcome, StudyFailure>,
        tell: &mut dyn FnMut(Event),
    ) -> bool {
        match &result {
            Err(StudyFailure::Unfinished) => {
                self.suspend_study(id, tell);
                // That is all there is to know of it.
                return true;
            }
            Ok(StudyOutcome::Partly(_)) if self.board.lock().suspend_study(id).is_some() => {}
            _ => {
                let wanted = self.board.lock().studied(id);
                if !wanted {
                    return true;
                }
            }
        }
        self.progress.unfinished.remove(&id);
        // What was cut short may have missed the best: the next hunt does it again.
        if self.cancel.is_set() || result == Err(StudyFailure::Stopped) {
            return false;
        }
        self.progress.studies.2 += u64::from(!matches!(result, Ok(StudyOutcome::Partly(_))));
        let outcome = match &mut result {
            Ok(outcome) => {
                let written = self.keep_outcome(id, outcome);
                if !self.is_written(written) {
                    return false;
                }
                Ok(&*outcome)
            }
            Err(StudyFailure::Because(why)) => Err(why.as_str()),
            Err(StudyFailure::Stopped | StudyFailure::Unfinished) => return false,
        };
        self.refresh();
        tell(Event::Studied(id, outcome, &self.progress));
        true
    }

    /// Keeps what was learnt, a study under the key of a bug that it is of, and tells workers which bugs are known.
    fn keep_outcome(&mut self, id: i64, outcome: &mut StudyOutcome) -> Result<()> {
        match outcome {
            StudyOutcome::Explained(bug) => self.store.attribute(id, *bug)?,
            StudyOutcome::Studied(study) | StudyOutcome::Partly(study) => {
                adopt_key(&self.store, id, study)?;
                self.store.put_study(id, study)?;
            }
        }
        self.learn()
    }

    /// Tells workers which bugs were studied.
    fn learn(&self) -> Result<()> {
        let known: Arc<KnownBugs> = self.store.known_bugs()?.into();
        if let Some(bench) = &self.bench {
            bench.learn(known.clone());
        }
        self.board.lock().learn(known);
        Ok(())
    }

    fn suspend_study(&mut self, id: i64, tell: &mut dyn FnMut(Event)) {
        let tries = self.board.lock().suspend_study(id);
        self.progress.unfinished.insert(id);
        self.refresh();
        if tries == Some(1) {
            let word = format!(
                "#{id}: its reduction has used up its share of the time and goes on when there is more"
            );
            tell(Event::Note(&word, &self.progress));
        }
    }

    /// Counts findings that are on the disk, and tells of them.
    fn found(&mut self, found: &[Finding], tell: &mut dyn FnMut(Event)) {
        for finding in found {
            match is_unconfirmed(finding) {
                true => _ = self.unconfirmed.insert(finding.id),
                false if self.unconfirmed.remove(&finding.id) => self.progress.unconfirmed -= 1,
                false => {}
            }
            count_finding(&mut self.progress, finding);
            self.progress.found_now.push(finding.id);
        }
        self.refresh();
        for finding in found {
            tell(Event::Found(finding, &self.progress));
        }
    }

    fn recorded(
        &mut self,
        item: QueuedTest,
        tested: &Tested,
        found: &[Finding],
        tell: &mut dyn FnMut(Event),
    ) {
        let fresh = |f: &&Finding| f.seen_before == 0 && f.finding.stands();
        let signatures = found.iter().filter(fresh).count() as u64;
        {
            let mut queue = self.board.lock();
            // Put down before the test is over: idle workers wait for tests only.
            for finding in found {
                if is_worth_a_study(finding) && is_open(&self.store, finding) {
                    queue.study(finding.clone());
                }
            }
            queue.finish(item, tested.cost.total(), signatures);
        }
        self.account(tested, found);
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
            progress.flaky += u64::from(*word == TargetResult::Flaky);
        }
        self.refresh();
        tell(Event::Tested(tested, &self.progress));
        self.found(found, tell);
    }

    /// Learns which targets yield new signatures for their time.
    fn account(&mut self, tested: &Tested, found: &[Finding]) {
        for used in &tested.arms {
            self.accounts.spend(&used.arm, used.cost);
        }
        let fresh = found.iter().filter(|f| f.seen_before == 0 && f.finding.stands());
        for finding in fresh {
            let failing = finding.finding.targets();
            let showed = tested.arms.iter().filter(|used| failing.contains(&used.target));
            let arms: Vec<&Arm> = showed.map(|used| &used.arm).collect();
            self.accounts.reward(&arms);
        }
        if let Some(bench) = &self.bench {
            bench.set_weights(self.accounts.weights());
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
            hunted: self.sampled.hunted + *elapsed,
            tests: *tests,
            findings: findings.values().sum(),
            signatures: *signatures,
            own: self.sampled.own + *own,
            others: self.sampled.others + *others,
            blocks: (!blocks.is_empty()).then(|| blocks.iter().sum()),
        };
        let _ = self.store.put_sample(&sample);
        let _ = self.store.set(ACCOUNTS, &self.accounts.to_text());
    }

    /// Brings clocks and shares up to date.
    fn refresh(&mut self) {
        let progress = &mut self.progress;
        progress.elapsed = self.begin.elapsed();
        match &self.bench {
            Some(bench) => {
                (progress.own, progress.others) = (bench.own(), bench.others());
                progress.studying = bench.studying();
                progress.waits_for = bench.longest();
            }
            // What is done elsewhere is known from what tests cost there.
            None => {
                progress.own = progress.cost.generate.saturating_sub(self.before.generate);
                let all = progress.cost.total().saturating_sub(self.before.total());
                progress.others = all.saturating_sub(progress.own);
            }
        }
        let queue = self.board.lock();
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
