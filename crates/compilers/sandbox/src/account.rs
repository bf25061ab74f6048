//! Whose processor time it is: sums for a piece of work that several threads share.
//!
//! [`spent`](crate::spent) is the sum of the whole process. A hunt tests and reduces at the same time, and
//! says how much each took.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// The processor time of a piece of work.
#[derive(Clone, Debug, Default)]
pub struct Account(Arc<Sums>);

/// Microseconds.
#[derive(Debug, Default)]
struct Sums {
    own: AtomicU64,
    others: AtomicU64,
}

thread_local! {
    static CURRENT: RefCell<Option<Account>> = const { RefCell::new(None) };
}

impl Account {
    /// That of the piece of work to which this thread belongs, for the threads that it starts.
    pub fn current() -> Option<Account> {
        CURRENT.with_borrow(Option::clone)
    }

    /// Time of our own threads.
    pub fn own(&self) -> Duration {
        Duration::from_micros(self.0.own.load(Ordering::Relaxed))
    }

    /// Time of what they ran.
    pub fn others(&self) -> Duration {
        Duration::from_micros(self.0.others.load(Ordering::Relaxed))
    }

    /// Does `work` on this account, or on none.
    pub fn charge<T>(account: Option<Account>, work: impl FnOnce() -> T) -> T {
        let Some(account) = account else { return work() };
        let before = CURRENT.replace(Some(account.clone()));
        let begin = thread_time();
        let done = work();
        add(&account.0.own, thread_time().saturating_sub(begin));
        CURRENT.set(before);
        done
    }
}

/// Notes the time of something that this thread ran.
pub(crate) fn note(time: Duration) {
    CURRENT.with_borrow(|current| {
        if let Some(account) = current {
            add(&account.0.others, time);
        }
    });
}

fn add(sum: &AtomicU64, time: Duration) {
    sum.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
}

fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::Run;

    #[test]
    fn work_is_charged_to_whom_it_is_done_for() {
        let busy = || {
            let script = "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done";
            Run::new("sh", Duration::from_secs(60)).args(["-c", script]).finish();
        };
        let (one, other) = (Account::default(), Account::default());
        Account::charge(Some(one.clone()), || {
            let account = Account::current();
            thread::scope(|scope| {
                scope.spawn(|| Account::charge(account, busy));
            });
        });
        Account::charge(Some(other.clone()), || {});
        busy();
        assert!(one.others() > Duration::ZERO && other.others() == Duration::ZERO);
        assert!(Account::current().is_none());
    }
}
