//! Which engine is next: processor time goes where new signatures come from, with a floor for each. And how
//! long a study may take: studies have a quarter of the workers' time as long as there are tests to do.

use std::time::Duration;

/// Part of all processor time that is dealt out evenly whatever engines yield: one that finds
/// nothing today is the one that knows the next bug.
const EVEN: f64 = 0.3;

/// Seconds of processor time that an engine is taken to have spent before it starts: the first
/// signature of a hunt must not decide everything.
const PRIOR: f64 = 300.0;

/// Studies get one part in so many of the workers' time: a hunt is for finding, and what it has found can
/// be reduced afterwards.
const STUDY_PART: u32 = 4;

/// What studies may take before the hunt has lasted that long: the first findings come at once.
const LOAN: Duration = Duration::from_secs(30);

/// Not worth beginning a study for: a reduction takes some seconds to get anywhere.
const LEAST: Duration = Duration::from_secs(10);

/// A study gets no more than this at once.
pub const LONGEST_STUDY: Duration = Duration::from_secs(600);

/// The time of studies.
#[derive(Clone, Copy, Debug)]
pub struct StudyBudget {
    workers: u32,
    /// What was earned before there were so many workers.
    earned: Duration,
    loan: Duration,
    least: Duration,
    /// What studies that are over have taken.
    spent: Duration,
}

impl Default for StudyBudget {
    fn default() -> StudyBudget {
        StudyBudget::new(1, None)
    }
}

impl StudyBudget {
    /// That of a hunt with so many workers, which lasts so long if that is known.
    pub fn new(workers: usize, time: Option<Duration>) -> StudyBudget {
        let workers = u32::try_from(workers).unwrap_or(u32::MAX);
        // The loan is half of what a short hunt has in all.
        let most = time.map_or(LOAN, |time| time.saturating_mul(workers.max(1)) / (2 * STUDY_PART));
        let (loan, least) = (LOAN.min(most), LEAST.min(most));
        StudyBudget { workers, earned: Duration::ZERO, loan, least, spent: Duration::ZERO }
    }

    /// The number of workers is another from now on; it has been what it was for so long.
    pub fn employ(&mut self, workers: usize, elapsed: Duration) {
        self.earned += self.earned_in(elapsed);
        self.workers = u32::try_from(workers).unwrap_or(u32::MAX);
    }

    fn earned_in(&self, elapsed: Duration) -> Duration {
        elapsed.saturating_mul(self.workers) / STUDY_PART
    }

    /// What a study may take that begins now, if one may; `reserved` is for those that are under way,
    /// `tries` how often this one was begun and not finished. It gets twice as much each time.
    pub fn slice(&self, elapsed: Duration, reserved: Duration, tries: u32) -> Option<Duration> {
        let earned = self.earned + self.earned_in(elapsed) + self.loan;
        let left = earned.saturating_sub(self.spent + reserved);
        let least = self.least.saturating_mul(1 << tries.min(16));
        (left >= least).then_some(left.min(LONGEST_STUDY))
    }

    /// A study took so long.
    pub fn spend(&mut self, time: Duration) {
        self.spent += time;
    }
}

/// What an engine has cost and yielded.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineAccount {
    /// Processor time of its tests.
    pub cpu: Duration,
    /// Tests recorded.
    pub tests: u64,
    /// Signatures that it was the first to yield.
    pub signatures: u64,
    /// Tests in flight.
    pub in_flight: u64,
    /// It has no tests left.
    pub exhausted: bool,
}

impl EngineAccount {
    /// New signatures for each second, as far as it can be told.
    fn rate(&self) -> f64 {
        (self.signatures as f64 + 1.0) / (self.cpu.as_secs_f64() + PRIOR)
    }

    /// How many of its tests take about so much processor time; 0 where nothing is known.
    pub fn tests_in(&self, time: Duration) -> usize {
        let each = self.cpu.as_secs_f64() / self.tests.max(1) as f64;
        if each > 0.0 { (time.as_secs_f64() / each).round() as usize } else { 0 }
    }

    /// Seconds spent, with a guess for what is in flight.
    fn committed(&self) -> f64 {
        let mean = self.cpu.as_secs_f64() / self.tests.max(1) as f64;
        self.cpu.as_secs_f64() + mean.max(1e-3) * self.in_flight as f64
    }
}

/// The share of processor time that each engine is due; they add up to 1.
pub fn due(accounts: &[EngineAccount]) -> Vec<f64> {
    let open = |a: &&EngineAccount| !a.exhausted;
    let n = accounts.iter().filter(open).count().max(1) as f64;
    let sum: f64 = accounts.iter().filter(open).map(EngineAccount::rate).sum();
    let share = |a: &EngineAccount| match a.exhausted {
        true => 0.0,
        false => EVEN / n + (1.0 - EVEN) * a.rate() / sum,
    };
    accounts.iter().map(share).collect()
}

/// The engine that is furthest behind what it is due, of those that can be tested now; `None` when all
/// are exhausted.
pub fn next(accounts: &[EngineAccount], can: &dyn Fn(usize) -> bool) -> Option<usize> {
    let due = due(accounts);
    let behind = |i: usize| accounts[i].committed() / due[i];
    let open = (0..accounts.len()).filter(|&i| !accounts[i].exhausted && can(i));
    open.min_by(|&a, &b| behind(a).total_cmp(&behind(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(seconds: u64, signatures: u64) -> EngineAccount {
        EngineAccount {
            cpu: Duration::from_secs(seconds),
            tests: seconds / 5,
            signatures,
            ..EngineAccount::default()
        }
    }

    #[test]
    fn what_yields_gets_more_and_nothing_starves() {
        let due = due(&[account(1000, 9), account(1000, 0), account(1000, 0)]);
        assert!((due.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(due[0] > 0.6 && due[1] >= 0.1 && due[1] == due[2], "{due:?}");
    }

    /// Engines that cost differently for each test get time, not tests.
    #[test]
    fn shares_come_true_over_a_simulated_hunt() {
        let mut accounts = [EngineAccount::default(); 2];
        let cost = [Duration::from_secs(1), Duration::from_secs(10)];
        for _ in 0..5000 {
            let i = next(&accounts, &|_| true).expect("none is exhausted");
            accounts[i].cpu += cost[i];
            accounts[i].tests += 1;
        }
        let seconds = accounts.map(|a| a.cpu.as_secs_f64());
        assert!((seconds[0] / seconds[1] - 1.0).abs() < 0.1, "{seconds:?}");
    }

    #[test]
    fn a_yielding_engine_overtakes_and_falls_back_when_it_dries_up() {
        let mut accounts = [account(100, 0), account(100, 5)];
        let rich = due(&accounts)[1];
        accounts[1].cpu += Duration::from_secs(100_000);
        assert!(due(&accounts)[1] < rich);
    }

    #[test]
    fn studies_get_a_quarter_of_the_time() {
        let second = Duration::from_secs(1);
        let mut budget = StudyBudget::new(1, Some(600 * second));
        assert_eq!(budget.slice(Duration::ZERO, Duration::ZERO, 0), Some(30 * second), "a loan");
        budget.spend(30 * second);
        assert_eq!(budget.slice(20 * second, Duration::ZERO, 0), None);
        assert_eq!(budget.slice(300 * second, Duration::ZERO, 0), Some(75 * second));
        assert_eq!(budget.slice(300 * second, 70 * second, 0), None, "another one is under way");
        assert_eq!(budget.slice(300 * second, Duration::ZERO, 3), None, "10 s, 20 s, 40 s, 80 s");
        // However many there are, they never have more than their part and the loan.
        let mut now = Duration::ZERO;
        let mut budget = StudyBudget::new(1, None);
        let mut studied = Duration::ZERO;
        while now < 36_000 * second {
            match budget.slice(now, Duration::ZERO, 0) {
                Some(slice) => {
                    now += slice;
                    studied += slice;
                    budget.spend(slice);
                }
                None => now += second,
            }
        }
        let share = studied.as_secs_f64() / now.as_secs_f64();
        assert!((0.24..0.26).contains(&share), "{share}");
    }

    #[test]
    fn workers_come_and_go() {
        let second = Duration::from_secs(1);
        let mut budget = StudyBudget::new(1, None);
        budget.spend(30 * second);
        budget.employ(8, 40 * second);
        assert_eq!(budget.slice(20 * second, Duration::ZERO, 0), Some(50 * second), "10 and 40");
        budget.employ(0, 20 * second);
        assert_eq!(
            budget.slice(500 * second, Duration::ZERO, 0),
            Some(50 * second),
            "nobody works"
        );
    }

    #[test]
    fn exhausted_engines_are_passed_over() {
        let done = EngineAccount { exhausted: true, ..account(1, 9) };
        assert_eq!(next(&[done, account(500, 0)], &|_| true), Some(1));
        assert_eq!(next(&[done, account(500, 0)], &|i| i != 1), None);
        assert_eq!(next(&[done], &|_| true), None);
        assert_eq!(due(&[done, account(500, 0)]), [0.0, 1.0]);
    }
}
