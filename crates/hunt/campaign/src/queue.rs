//! The queue of tests, handed out to workers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::attribution::KnownBugs;
use crate::record::Finding;
use crate::schedule::{self, EngineAccount, LONGEST_STUDY, StudyBudget};
use crate::store::EngineRecord;

/// Tests in one block at most: what is lost with a worker is done again.
const LARGEST: usize = 64;

/// Findings of one signature that wait to be studied with all their files, at most: a compiler with a bug in
/// every program yields thousands.
const MOST_WAITING: usize = 16;

/// All engines with what they have left.
#[derive(Debug)]
pub struct Queue {
    engines: Vec<EngineQueue>,
    accounts: Vec<EngineAccount>,
    /// How many tests may still be begun.
    left: Option<u64>,
    /// Findings to be studied.
    studies: VecDeque<Finding>,
    /// More of them, by signature.
    later: BTreeMap<String, VecDeque<i64>>,
    /// How many studies of each signature were begun: the least studied is next.
    begun_of: BTreeMap<String, u32>,
    /// The bugs that were studied.
    known: Arc<KnownBugs>,
    /// Studies that are begun, by finding, and how many may be at a time.
    studying: BTreeMap<i64, BegunStudy>,
    at_a_time: usize,
    /// How often a study was begun and did not come to its end, by finding.
    tries: BTreeMap<i64, u32>,
    /// What studies may take while there are tests, since when; without it they go first and take what
    /// they need.
    budget: Option<(StudyBudget, Instant)>,
    /// Tests that are begun.
    testing: usize,
    closed: bool,
}

/// A study that is under way.
#[derive(Debug)]
struct BegunStudy {
    finding: Finding,
    since: Instant,
    /// What it was given.
    time: Duration,
}

/// The seeds of one engine.
#[derive(Debug)]
struct EngineQueue {
    seeds: Range<u64>,
    done: BTreeSet<u64>,
    /// Dealt out and not recorded.
    begun: BTreeSet<u64>,
    /// Begun and not finished: given out again first.
    returned: BTreeSet<u64>,
}

/// A test to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueuedTest {
    /// Number of its engine.
    pub engine: usize,
    /// Its seed.
    pub seed: u64,
}

/// Tests of one engine, to be done one after the other.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct SeedBlock {
    /// Number of the engine.
    pub engine: usize,
    /// The seeds.
    pub seeds: Vec<u64>,
}

impl SeedBlock {
    /// Its tests.
    pub fn items(&self) -> impl Iterator<Item = QueuedTest> + '_ {
        self.seeds.iter().map(|&seed| QueuedTest { engine: self.engine, seed })
    }
}

/// What a worker is to do next.
#[derive(Debug)]
pub enum WorkItem {
    /// Tests.
    Block(SeedBlock),
    /// A study of a finding, and how long it may take.
    /// It comes with the bugs that were studied before.
    Study(Box<Finding>, Duration, Arc<KnownBugs>),
    /// Nothing yet: a test that is under way may bring more.
    Wait,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            engines: Vec::new(),
            accounts: Vec::new(),
            left: None,
            studies: VecDeque::new(),
            later: BTreeMap::new(),
            begun_of: BTreeMap::new(),
            known: Arc::new([]),
            studying: BTreeMap::new(),
            at_a_time: 0,
            tries: BTreeMap::new(),
            budget: None,
            testing: 0,
            closed: false,
        }
    }
}

impl Queue {
    /// Sets how many studies may run at a time; the default is none.
    pub fn let_study(&mut self, at_a_time: usize) {
        self.at_a_time = at_a_time;
    }

    /// Gives studies a share of the time from now on.
    pub fn share_time(&mut self, budget: StudyBudget) {
        self.budget = Some((budget, Instant::now()));
    }

    /// Sets the bugs that were studied.
    pub fn learn(&mut self, known: Arc<KnownBugs>) {
        self.known = known;
    }

    /// The bugs that were studied.
    pub fn known(&self) -> Arc<KnownBugs> {
        self.known.clone()
    }

    /// Queues a finding to be studied.
    pub fn study(&mut self, finding: Finding) {
        let is_known =
            self.is_studied(finding.id) || self.studies.iter().any(|f| f.id == finding.id);
        if self.at_a_time == 0 || is_known {
            return;
        }
        let signature = &finding.finding.signature;
        match self.has_place(signature) {
            true => self.studies.push_back(finding),
            false => self.study_later(&finding),
        }
    }

    /// Queues a finding by its number.
    pub fn study_later(&mut self, finding: &Finding) {
        let signature = finding.finding.signature.clone();
        self.later.entry(signature).or_default().push_back(finding.id);
    }

    fn has_place(&self, signature: &str) -> bool {
        let same = |found: &&Finding| found.finding.signature == signature;
        self.studies.iter().filter(same).count() < MOST_WAITING
    }

    /// A finding that was queued by its number only, and for which there is a place now: it is to be queued again.
    pub fn recall_study(&mut self) -> Option<i64> {
        let place = self.later.keys().find(|signature| self.has_place(signature))?.clone();
        let waiting = self.later.get_mut(&place)?;
        let next = waiting.pop_front();
        if waiting.is_empty() {
            self.later.remove(&place);
        }
        next
    }

    /// Findings that wait to be studied, and those that are.
    pub fn studies(&self) -> (usize, usize) {
        let later: usize = self.later.values().map(VecDeque::len).sum();
        (self.studies.len() + later, self.studying.len())
    }

    /// So many workers share the time from now on.
    pub fn employ(&mut self, workers: usize) {
        if let Some((budget, since)) = &mut self.budget {
            budget.employ(workers, since.elapsed());
            *since = Instant::now();
        }
    }

    /// The next finding to study, if one more study may begin, whatever time studies have had.
    fn take_study(&mut self) -> Option<(Box<Finding>, Duration)> {
        if self.closed || self.studying.len() >= self.at_a_time {
            return None;
        }
        let (at, ()) = self.least_studied(&|_| Some(()))?;
        let finding = self.studies.remove(at)?;
        Some(self.begin_study(finding, LONGEST_STUDY))
    }

    /// Of the findings that can be studied now, the first of the signature that was studied least: what is
    /// rare does not wait for what is frequent.
    fn least_studied<T>(&self, can: &dyn Fn(&Finding) -> Option<T>) -> Option<(usize, T)> {
        let waiting = self.studies.iter().enumerate();
        let able = waiting.filter_map(|(at, found)| Some((at, can(found)?)));
        able.min_by_key(|(at, _)| self.begun_of.get(&self.studies[*at].finding.signature))
    }

    fn begin_study(&mut self, finding: Finding, time: Duration) -> (Box<Finding>, Duration) {
        let begun = BegunStudy { finding: finding.clone(), since: Instant::now(), time };
        *self.begun_of.entry(finding.finding.signature.clone()).or_default() += 1;
        self.studying.insert(finding.id, begun);
        (Box::new(finding), time)
    }

    /// The next finding to study in the time that studies have, and how long it may take. Where no test is
    /// left nobody waits for the time.
    pub fn take_shared_study(&mut self, is_last: bool) -> Option<(Box<Finding>, Duration)> {
        if self.closed || self.studying.len() >= self.at_a_time {
            return None;
        }
        let Some((budget, since)) = self.budget.filter(|_| !is_last) else {
            return self.take_study();
        };
        let reserved =
            self.studying.values().map(|begun| begun.time.max(begun.since.elapsed())).sum();
        let tries = |finding: &Finding| self.tries.get(&finding.id).copied().unwrap_or(0);
        let slice = |f: &Finding| budget.slice(since.elapsed(), reserved, tries(f));
        let (at, time) = self.least_studied(&slice)?;
        let finding = self.studies.remove(at)?;
        Some(self.begin_study(finding, time))
    }

    /// A study did not come to its end in its time: it waits until there is more. How often that has
    /// happened to it.
    pub fn suspend_study(&mut self, id: i64) -> Option<u32> {
        let begun = self.end_study(id)?;
        self.studies.push_back(begun.finding);
        let tries = self.tries.entry(id).or_default();
        *tries += 1;
        Some(*tries)
    }

    fn end_study(&mut self, id: i64) -> Option<BegunStudy> {
        let begun = self.studying.remove(&id)?;
        if let Some((budget, _)) = &mut self.budget {
            budget.spend(begun.since.elapsed());
        }
        Some(begun)
    }

    /// Whether the study of a finding is begun.
    pub fn is_studied(&self, id: i64) -> bool {
        self.studying.contains_key(&id)
    }

    /// A study was not made: it is the next to be.
    pub fn give_back_study(&mut self, finding: Finding) {
        if self.studying.remove(&finding.id).is_some() {
            self.studies.push_front(finding);
        }
    }

    /// A study is over; whether its result is still wanted.
    pub fn studied(&mut self, id: i64) -> bool {
        let waiting = self.studies.len();
        self.studies.retain(|finding| finding.id != id);
        self.end_study(id).is_some() || self.studies.len() < waiting
    }

    /// The next thing to do; `None` when there is nothing left. Studies go first as far as they have time:
    /// what is found should be ready to be reported.
    pub fn next_work(&mut self) -> Option<WorkItem> {
        if self.closed {
            return None;
        }
        if let Some((finding, time)) = self.take_shared_study(false) {
            return Some(WorkItem::Study(finding, time, self.known()));
        }
        if let Some(item) = self.take() {
            let block = SeedBlock { engine: item.engine, seeds: vec![item.seed] };
            return Some(WorkItem::Block(block));
        }
        match self.take_shared_study(true) {
            Some((finding, time)) => Some(WorkItem::Study(finding, time, self.known())),
            None if self.testing > 0 && self.at_a_time > 0 || self.studies().0 > 0 => {
                Some(WorkItem::Wait)
            }
            None => None,
        }
    }

    /// Adds an engine with what the store knows of it.
    pub fn add(&mut self, seeds: Range<u64>, record: EngineRecord) {
        let done: BTreeSet<u64> = record.done.range(seeds.clone()).copied().collect();
        self.accounts.push(EngineAccount {
            cpu: record.cost.total(),
            tests: record.done.len() as u64,
            signatures: record.signatures,
            ..EngineAccount::default()
        });
        self.engines.push(EngineQueue {
            seeds,
            done,
            begun: BTreeSet::new(),
            returned: BTreeSet::new(),
        });
    }

    /// Tests that are done already among the seeds of this hunt.
    pub fn done(&self) -> u64 {
        self.engines.iter().map(|lane| lane.done.len() as u64).sum()
    }

    /// Begins at most so many more.
    pub fn limit(&mut self, tests: u64) {
        self.left = Some(tests);
    }

    /// Hands out no more work.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Whether no more is dealt out.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether nothing is left to do, nothing under way, and nothing to study.
    pub fn is_spent(&self) -> bool {
        self.is_dealt_out() && self.testing == 0 && self.studies() == (0, 0)
    }

    /// Whether every test has been begun.
    pub fn is_dealt_out(&self) -> bool {
        self.left == Some(0) || self.accounts.iter().all(|account| account.exhausted)
    }

    /// The next test; `None` when there is none left to begin.
    pub fn take(&mut self) -> Option<QueuedTest> {
        self.take_of(&|_| true)
    }

    /// The next test of an engine that can be tested now.
    fn take_of(&mut self, can: &dyn Fn(usize) -> bool) -> Option<QueuedTest> {
        if self.closed || self.left == Some(0) {
            return None;
        }
        loop {
            let engine = schedule::next(&self.accounts, can)?;
            match self.engines[engine].take() {
                Some(seed) => {
                    let item = QueuedTest { engine, seed };
                    self.begin(item);
                    return Some(item);
                }
                None => self.accounts[engine].exhausted = true,
            }
        }
    }

    /// The next tests of an engine that can be tested now, as many as take about `time` of a processor.
    pub fn take_block(&mut self, time: Duration, can: &dyn Fn(usize) -> bool) -> Option<SeedBlock> {
        let first = self.take_of(can)?;
        let engine = first.engine;
        let size = self.accounts[engine].tests_in(time).clamp(1, LARGEST);
        let mut seeds = vec![first.seed];
        while seeds.len() < size && self.left != Some(0) {
            let Some(seed) = self.engines[engine].take() else { break };
            self.begin(QueuedTest { engine, seed });
            seeds.push(seed);
        }
        Some(SeedBlock { engine, seeds })
    }

    fn begin(&mut self, item: QueuedTest) {
        self.testing += 1;
        self.engines[item.engine].begun.insert(item.seed);
        self.accounts[item.engine].in_flight += 1;
        self.left = self.left.map(|left| left.saturating_sub(1));
    }

    /// Whether a test is dealt out and not recorded.
    pub fn is_begun(&self, item: QueuedTest) -> bool {
        self.engines.get(item.engine).is_some_and(|lane| lane.begun.contains(&item.seed))
    }

    /// Whether the result of a test is still to be recorded; it is not dealt out any more. Results come
    /// twice where a block was done twice, and unasked where an earlier run asked for them.
    pub fn accept(&mut self, item: QueuedTest) -> bool {
        let Some(lane) = self.engines.get_mut(item.engine) else { return false };
        if lane.begun.contains(&item.seed) {
            return true;
        }
        let late = lane.returned.remove(&item.seed)
            || lane.seeds.contains(&item.seed) && lane.done.insert(item.seed);
        if late {
            self.begin(item);
        }
        late
    }

    /// A test was not finished.
    pub fn give_back(&mut self, item: QueuedTest) {
        if !self.engines[item.engine].begun.remove(&item.seed) {
            return;
        }
        self.testing -= 1;
        self.engines[item.engine].returned.insert(item.seed);
        self.accounts[item.engine].in_flight -= 1;
        self.accounts[item.engine].exhausted = false;
        self.left = self.left.map(|left| left + 1);
    }

    /// A test was recorded.
    pub fn finish(&mut self, item: QueuedTest, cpu: Duration, signatures: u64) {
        let account = &mut self.accounts[item.engine];
        if self.engines[item.engine].begun.remove(&item.seed) {
            self.testing -= 1;
            account.in_flight -= 1;
        }
        account.tests += 1;
        account.cpu += cpu;
        account.signatures += signatures;
    }

    /// What each engine has cost and yielded.
    pub fn accounts(&self) -> &[EngineAccount] {
        &self.accounts
    }
}

impl EngineQueue {
    fn take(&mut self) -> Option<u64> {
        if let Some(seed) = self.returned.pop_first() {
            return Some(seed);
        }
        // What is passed is not asked for again, so it need not be remembered.
        self.seeds.by_ref().find(|seed| !self.done.remove(seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(done: &[u64]) -> EngineRecord {
        EngineRecord { done: done.iter().copied().collect(), ..EngineRecord::default() }
    }

    fn drain(queue: &mut Queue) -> Vec<(usize, u64)> {
        std::iter::from_fn(|| queue.take()).map(|item| (item.engine, item.seed)).collect()
    }

    #[test]
    fn what_is_done_is_not_dealt_again() {
        let mut queue = Queue::default();
        queue.add(1..6, record(&[2, 4, 9]));
        assert_eq!(queue.done(), 2);
        assert_eq!(drain(&mut queue), [(0, 1), (0, 3), (0, 5)]);
    }

    #[test]
    fn what_comes_back_is_dealt_first_and_counts_once() {
        let mut queue = Queue::default();
        queue.add(1..100, record(&[]));
        queue.limit(2);
        let first = queue.take().expect("there are seeds");
        queue.give_back(first);
        assert_eq!(drain(&mut queue), [(0, 1), (0, 2)]);
    }

    #[test]
    fn a_short_engine_leaves_the_rest_to_the_others() {
        let mut queue = Queue::default();
        queue.add(0..2, record(&[]));
        queue.add(0..3, record(&[0]));
        let mut all = drain(&mut queue);
        all.sort();
        assert_eq!(all, [(0, 0), (0, 1), (1, 1), (1, 2)]);
        assert!(queue.accounts().iter().all(|a| a.exhausted));
    }

    #[test]
    fn blocks_take_about_the_time_that_is_asked_for() {
        let mut queue = Queue::default();
        queue.add(0..100, record(&[]));
        queue.limit(6);
        let second = Duration::from_secs(1);
        let block = |queue: &mut Queue| queue.take_block(3 * second, &|_| true).map(|b| b.seeds);
        // Nothing is known of what a test takes.
        assert_eq!(block(&mut queue), Some(vec![0]));
        queue.finish(QueuedTest { engine: 0, seed: 0 }, second, 0);
        assert_eq!(block(&mut queue), Some(vec![1, 2, 3]));
        assert_eq!(block(&mut queue), Some(vec![4, 5]), "no more than the limit");
        assert_eq!(block(&mut queue), None);
        assert_eq!(queue.take_block(second, &|_| false), None);
    }

    #[test]
    fn a_result_counts_once_whoever_it_comes_from() {
        let mut queue = Queue::default();
        queue.add(1..9, record(&[2]));
        queue.limit(3);
        let at = |seed| QueuedTest { engine: 0, seed };
        let first = queue.take().expect("there are seeds");
        assert!(queue.accept(first) && queue.accept(first), "until it is recorded");
        queue.finish(first, Duration::ZERO, 0);
        assert!(!queue.accept(first), "it was recorded");
        assert!(!queue.accept(at(2)) && !queue.accept(at(9)), "done before; none of ours");
        assert!(!queue.accept(QueuedTest { engine: 1, seed: 3 }), "no engine of ours");
        // Asked for by an earlier run: it is not dealt again, and counts.
        assert!(queue.accept(at(4)));
        queue.finish(at(4), Duration::ZERO, 0);
        assert_eq!(drain(&mut queue), [(0, 3)]);
        queue.give_back(at(3));
        queue.give_back(at(3));
        assert!(queue.accept(at(3)), "given up too early");
        queue.finish(at(3), Duration::ZERO, 0);
        assert_eq!(queue.take(), None);
        assert!(queue.is_spent());
    }

    fn finding(id: i64) -> Finding {
        Finding {
            id,
            engine: "yarp".into(),
            seed: 1,
            found_at: 0,
            seen_before: 0,
            finding: crate::store::tests::finding("s"),
        }
    }

    /// With one worker as well: a study that takes long does not keep it from testing.
    #[test]
    fn a_study_has_its_share_and_waits_for_more() {
        let mut queue = Queue::default();
        queue.add(0..3, record(&[]));
        queue.let_study(1);
        queue.share_time(StudyBudget::new(1, Some(Duration::from_secs(160))));
        queue.study(finding(7));
        let time = |work| match work {
            Some(WorkItem::Study(finding, time, _)) => (finding.id, time.as_secs()),
            other => panic!("{other:?}"),
        };
        assert_eq!(time(queue.next_work()), (7, 20), "half of a quarter");
        assert_eq!(queue.suspend_study(7), Some(1));
        assert_eq!(queue.studies(), (1, 0));
        // It was no time at all here; but the second try needs twice the first.
        queue.budget.as_mut().expect("a budget").0.spend(Duration::from_secs(5));
        for seed in 0..3 {
            match queue.next_work() {
                Some(WorkItem::Block(block)) => assert_eq!(block.seeds, [seed]),
                other => panic!("{other:?}"),
            }
            queue.finish(QueuedTest { engine: 0, seed }, Duration::ZERO, 0);
        }
        // Nobody else wants the time.
        assert_eq!(time(queue.next_work()), (7, LONGEST_STUDY.as_secs()));
        assert!(queue.studied(7));
        assert!(queue.is_spent() && queue.next_work().is_none());
    }

    /// A rare failure is studied before the rest of a frequent one, and not all programs are kept in memory.
    #[test]
    fn what_is_rare_does_not_wait_for_what_is_frequent() {
        let mut queue = Queue::default();
        queue.let_study(1);
        let of = |id: i64, signature: &str| Finding {
            finding: crate::store::tests::finding(signature),
            ..finding(id)
        };
        for id in 1..=40 {
            queue.study(of(id, "frequent"));
        }
        queue.study(of(41, "rare"));
        assert_eq!(queue.studies(), (41, 0));
        let mut next = || {
            let id = queue.take_study().expect("one waits").0.id;
            assert!(queue.studied(id));
            let recalled = queue.recall_study();
            recalled.into_iter().for_each(|id| queue.study(of(id, "frequent")));
            (id, recalled)
        };
        assert_eq!([next(), next(), next()], [(1, Some(17)), (41, None), (2, Some(18))]);
        let rest: Vec<i64> = (3..=40).map(|_| next().0).collect();
        assert_eq!(rest, (3..=40).collect::<Vec<i64>>());
        assert!(queue.take_study().is_none() && queue.recall_study().is_none());
    }

    /// In a cluster: a coordinator deals ahead, and what is dealt is reserved.
    #[test]
    fn studies_are_dealt_in_their_share() {
        let mut queue = Queue::default();
        queue.add(0..3, record(&[]));
        queue.let_study(4);
        queue.share_time(StudyBudget::new(0, None));
        queue.employ(2);
        (1..4).for_each(|id| queue.study(finding(id)));
        let (first, time) = queue.take_shared_study(false).expect("the loan");
        assert_eq!((first.id, time.as_secs()), (1, 30));
        assert!(queue.take_shared_study(false).is_none(), "all of it is reserved");
        // It waits behind the others.
        assert_eq!(queue.suspend_study(1), Some(1));
        assert!(!queue.is_dealt_out());
        let dealt = queue.take_block(Duration::ZERO, &|_| true).into_iter();
        let rest = std::iter::from_fn(|| queue.take());
        assert_eq!(dealt.map(|block| block.seeds.len()).sum::<usize>() + rest.count(), 3);
        assert!(queue.is_dealt_out());
        let (second, time) = queue.take_shared_study(true).expect("nobody else wants the time");
        assert_eq!((second.id, time), (2, LONGEST_STUDY));
    }

    #[test]
    fn closed_is_closed() {
        let mut queue = Queue::default();
        queue.add(0..9, record(&[]));
        queue.close();
        assert_eq!(queue.take(), None);
    }
}
