//! The queue of tests, handed out to workers.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::time::Duration;

use crate::record::Finding;
use crate::schedule::{self, EngineAccount};
use crate::store::EngineRecord;

/// Tests in one block at most: what is lost with a worker is done again.
const LARGEST: usize = 64;

/// All engines with what they have left.
#[derive(Debug, Default)]
pub struct Queue {
    engines: Vec<EngineQueue>,
    accounts: Vec<EngineAccount>,
    /// How many tests may still be begun.
    left: Option<u64>,
    /// Findings to be studied.
    studies: VecDeque<Finding>,
    /// Findings whose study is begun, and how many studies may be at a time.
    studying: BTreeSet<i64>,
    at_a_time: usize,
    /// Tests that are begun.
    testing: usize,
    closed: bool,
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
    /// A study of a finding.
    Study(Box<Finding>),
    /// Nothing yet: a test that is under way may bring more.
    Wait,
}

impl Queue {
    /// Sets how many studies may run at a time; the default is none.
    pub fn let_study(&mut self, at_a_time: usize) {
        self.at_a_time = at_a_time;
    }

    /// Queues a finding to be studied.
    pub fn study(&mut self, finding: Finding) {
        if self.at_a_time > 0 {
            self.studies.push_back(finding);
        }
    }

    /// Findings that wait to be studied, and those that are.
    pub fn studies(&self) -> (usize, usize) {
        (self.studies.len(), self.studying.len())
    }

    /// The next finding to study, if one more study may begin.
    pub fn take_study(&mut self) -> Option<Box<Finding>> {
        if self.closed || self.studying.len() >= self.at_a_time {
            return None;
        }
        let finding = self.studies.pop_front()?;
        self.studying.insert(finding.id);
        Some(Box::new(finding))
    }

    /// Whether the study of a finding is begun.
    pub fn is_studied(&self, id: i64) -> bool {
        self.studying.contains(&id)
    }

    /// A study was not made: it is the next to be.
    pub fn give_back_study(&mut self, finding: Finding) {
        if self.studying.remove(&finding.id) {
            self.studies.push_front(finding);
        }
    }

    /// A study is over; whether its result is still wanted.
    pub fn studied(&mut self, id: i64) -> bool {
        let waiting = self.studies.len();
        self.studies.retain(|finding| finding.id != id);
        self.studying.remove(&id) || self.studies.len() < waiting
    }

    /// The next thing to do; `None` when there is nothing left. Studies go first: what is found
    /// should be ready to be reported.
    pub fn next_work(&mut self) -> Option<WorkItem> {
        if self.closed {
            return None;
        }
        if let Some(finding) = self.take_study() {
            return Some(WorkItem::Study(finding));
        }
        match self.take() {
            Some(item) => {
                Some(WorkItem::Block(SeedBlock { engine: item.engine, seeds: vec![item.seed] }))
            }
            None if self.testing > 0 && self.at_a_time > 0 || !self.studies.is_empty() => {
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
        let dealt = self.left == Some(0) || self.accounts.iter().all(|a| a.exhausted);
        dealt && self.testing == 0 && self.studies.is_empty() && self.studying.is_empty()
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

    #[test]
    fn closed_is_closed() {
        let mut queue = Queue::default();
        queue.add(0..9, record(&[]));
        queue.close();
        assert_eq!(queue.take(), None);
    }
}
