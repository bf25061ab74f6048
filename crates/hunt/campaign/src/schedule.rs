//! Which engine is next: processor time goes where new signatures come from, with a floor for each.

use std::time::Duration;

/// Part of all processor time that is dealt out evenly whatever engines yield: one that finds
/// nothing today is the one that knows the next bug.
const EVEN: f64 = 0.3;

/// Seconds of processor time that an engine is taken to have spent before it starts: the first
/// signature of a hunt must not decide everything.
const PRIOR: f64 = 300.0;

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
    fn exhausted_engines_are_passed_over() {
        let done = EngineAccount { exhausted: true, ..account(1, 9) };
        assert_eq!(next(&[done, account(500, 0)], &|_| true), Some(1));
        assert_eq!(next(&[done, account(500, 0)], &|i| i != 1), None);
        assert_eq!(next(&[done], &|_| true), None);
        assert_eq!(due(&[done, account(500, 0)]), [0.0, 1.0]);
    }
}
