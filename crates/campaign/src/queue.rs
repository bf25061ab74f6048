//! The tests that are still to do, dealt out to workers.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::time::Duration;

use crate::record::Finding;
use crate::schedule::{self, Account};
use crate::store::EngineRecord;

/// All engines with what they have left.
#[derive(Debug, Default)]
pub struct Queue {
    lanes: Vec<Lane>,
    accounts: Vec<Account>,
    /// How many tests may still be begun.
    left: Option<u64>,
    /// Findings to be studied.
    studies: VecDeque<Finding>,
    /// Studies that are begun, and how many may be at a time.
    studying: usize,
    at_a_time: usize,
    /// Tests that are begun.
    testing: usize,
    closed: bool,
}

/// The seeds of one engine.
#[derive(Debug)]
struct Lane {
    seeds: Range<u64>,
    done: BTreeSet<u64>,
    /// Begun and not finished: given out again first.
    returned: BTreeSet<u64>,
}

/// A test to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// Number of its engine.
    pub engine: usize,
    /// Its seed.
    pub seed: u64,
}

/// What a worker is to do next.
#[derive(Debug)]
pub enum Work {
    /// A test.
    Test(Item),
    /// A study of a finding.
    Study(Box<Finding>),
    /// Nothing yet: a test that is under way may bring more.
    Wait,
}

impl Queue {
    /// Lets so many studies be made at a time; without it none is.
    pub fn let_study(&mut self, at_a_time: usize) {
        self.at_a_time = at_a_time;
    }

    /// Puts down a finding to be studied.
    pub fn study(&mut self, finding: Finding) {
        if self.at_a_time > 0 {
            self.studies.push_back(finding);
        }
    }

    /// Findings that wait to be studied, and those that are.
    pub fn studies(&self) -> (usize, usize) {
        (self.studies.len(), self.studying)
    }

    /// A study is over.
    pub fn studied(&mut self) {
        self.studying -= 1;
    }

    /// The next thing to do; `None` when there is nothing left. Studies go first: what is found
    /// should be ready to be told.
    pub fn next(&mut self) -> Option<Work> {
        if self.closed {
            return None;
        }
        if self.studying < self.at_a_time
            && let Some(finding) = self.studies.pop_front()
        {
            self.studying += 1;
            return Some(Work::Study(Box::new(finding)));
        }
        match self.take() {
            Some(item) => Some(Work::Test(item)),
            None if self.testing > 0 && self.at_a_time > 0 || !self.studies.is_empty() => {
                Some(Work::Wait)
            }
            None => None,
        }
    }

    /// Adds an engine with what the store knows of it.
    pub fn add(&mut self, seeds: Range<u64>, record: EngineRecord) {
        let done: BTreeSet<u64> = record.done.range(seeds.clone()).copied().collect();
        self.accounts.push(Account {
            cpu: record.cost.total(),
            tests: record.done.len() as u64,
            signatures: record.signatures,
            ..Account::default()
        });
        self.lanes.push(Lane { seeds, done, returned: BTreeSet::new() });
    }

    /// Tests that are done already among the seeds of this hunt.
    pub fn done(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.done.len() as u64).sum()
    }

    /// Begins at most so many more.
    pub fn limit(&mut self, tests: u64) {
        self.left = Some(tests);
    }

    /// Deals out no more.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// The next test; `None` when there is none left to begin.
    pub fn take(&mut self) -> Option<Item> {
        if self.closed || self.left == Some(0) {
            return None;
        }
        loop {
            let engine = schedule::next(&self.accounts)?;
            match self.lanes[engine].take() {
                Some(seed) => {
                    self.accounts[engine].in_flight += 1;
                    self.testing += 1;
                    self.left = self.left.map(|left| left - 1);
                    return Some(Item { engine, seed });
                }
                None => self.accounts[engine].exhausted = true,
            }
        }
    }

    /// A test was not finished.
    pub fn give_back(&mut self, item: Item) {
        self.testing -= 1;
        self.lanes[item.engine].returned.insert(item.seed);
        self.accounts[item.engine].in_flight -= 1;
        self.accounts[item.engine].exhausted = false;
        self.left = self.left.map(|left| left + 1);
    }

    /// A test was recorded.
    pub fn finish(&mut self, item: Item, cpu: Duration, signatures: u64) {
        self.testing -= 1;
        let account = &mut self.accounts[item.engine];
        account.in_flight -= 1;
        account.tests += 1;
        account.cpu += cpu;
        account.signatures += signatures;
    }

    /// What each engine has cost and yielded.
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }
}

impl Lane {
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
    fn closed_is_closed() {
        let mut queue = Queue::default();
        queue.add(0..9, record(&[]));
        queue.close();
        assert_eq!(queue.take(), None);
    }
}
