//! Tries candidates in parallel, as if one after the other.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use oracle::Trouble;
use sandbox::{Account, Scratch, Stop};

use crate::Clock;
use crate::ask::TrialSlot;

/// How often a request to stop is looked for.
const TICK: Duration = Duration::from_millis(50);

/// The parser recurses with the nesting of a program; this much is only reserved.
const STACK: usize = 256 << 20;

/// Folders for candidates, and who may end it all.
#[derive(Debug)]
pub(crate) struct Pool {
    scratch: Scratch,
    jobs: usize,
    stop: Stop,
    clock: Clock,
}

/// What the threads share.
struct State<T> {
    next: usize,
    /// The first candidate so far that is interesting.
    best: Option<(usize, T)>,
    /// What each thread works on.
    at_work: Vec<Option<(usize, Stop)>>,
    trouble: Option<Trouble>,
    threads: usize,
}

impl Pool {
    pub(crate) fn new(jobs: usize, stop: Stop, clock: Clock) -> Result<Pool, Trouble> {
        let io =
            |error: io::Error| Trouble::Io(format!("no temporary folder can be made: {error}"));
        let pool = Pool { scratch: Scratch::new().map_err(io)?, jobs: jobs.max(1), stop, clock };
        for job in 0..pool.jobs {
            fs::create_dir(pool.folder(job)).map_err(io)?;
        }
        Ok(pool)
    }

    fn folder(&self, job: usize) -> PathBuf {
        self.scratch.path().join(job.to_string())
    }

    /// Whether to stop trying.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.is_set() || self.clock.is_over()
    }

    /// Asks one question, in this thread.
    pub(crate) fn one<R>(&self, ask: impl FnOnce(&TrialSlot<'_>) -> R) -> R {
        ask(&TrialSlot { dir: &self.folder(0), stop: &self.stop })
    }

    /// The first of `n` candidates that is interesting. Later ones are tried at the same time, and
    /// given up when an earlier one is. [`Trouble::Stopped`] when it is over before that is known.
    pub(crate) fn first<T: Send>(
        &self,
        n: usize,
        make: &(dyn Fn(usize) -> Option<T> + Sync),
        ask: &(dyn Fn(&T, &TrialSlot<'_>) -> Result<bool, Trouble> + Sync),
    ) -> Result<Option<(usize, T)>, Trouble> {
        let threads = self.jobs.min(n);
        let state = Mutex::new(State {
            next: 0,
            best: None,
            at_work: vec![None; threads],
            trouble: None,
            threads,
        });
        let changed = Condvar::new();
        let account = Account::current();
        thread::scope(|scope| {
            for job in 0..threads {
                let (state, changed, account) = (&state, &changed, account.clone());
                let work = move || {
                    Account::charge(account, || self.work(job, n, state, make, ask));
                    lock(state).threads -= 1;
                    changed.notify_all();
                };
                if thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_err() {
                    lock(state).threads -= 1;
                }
            }
            let mut guard = lock(&state);
            while guard.threads > 0 {
                if self.is_over() {
                    guard.trouble.get_or_insert(Trouble::Stopped);
                    guard.at_work.iter().flatten().for_each(|(_, stop)| stop.set());
                }
                guard = changed.wait_timeout(guard, TICK).unwrap_or_else(PoisonError::into_inner).0;
            }
        });
        let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (state.best, state.trouble) {
            (Some(best), None | Some(Trouble::Stopped)) => Ok(Some(best)),
            (_, Some(trouble)) => Err(trouble),
            (None, None) => Ok(None),
        }
    }

    fn work<T>(
        &self,
        job: usize,
        n: usize,
        state: &Mutex<State<T>>,
        make: &(dyn Fn(usize) -> Option<T> + Sync),
        ask: &(dyn Fn(&T, &TrialSlot<'_>) -> Result<bool, Trouble> + Sync),
    ) {
        let dir = self.folder(job);
        loop {
            let stop = Stop::new();
            let index = {
                let mut state = lock(state);
                let index = state.next;
                let decided = state.best.as_ref().is_some_and(|(best, _)| *best < index);
                if index >= n || decided || state.trouble.is_some() {
                    return;
                }
                state.next += 1;
                state.at_work[job] = Some((index, stop.clone()));
                index
            };
            let answer = make(index).map(|made| {
                let answer = ask(&made, &TrialSlot { dir: &dir, stop: &stop });
                (made, answer)
            });
            let mut state = lock(state);
            state.at_work[job] = None;
            let earlier = |state: &State<T>| state.best.as_ref().is_none_or(|(b, _)| index < *b);
            match answer {
                Some((made, Ok(true))) if earlier(&state) => {
                    state.best = Some((index, made));
                    let later = state.at_work.iter().flatten().filter(|(i, _)| *i > index);
                    later.for_each(|(_, stop)| stop.set());
                }
                // Given up because an earlier one is interesting.
                Some((_, Err(Trouble::Stopped))) if !earlier(&state) => {}
                Some((_, Err(trouble))) => {
                    state.trouble.get_or_insert(trouble);
                    return;
                }
                _ => {}
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> Pool {
        Pool::new(3, Stop::new(), Clock::new(None)).expect("a temporary folder")
    }

    #[test]
    fn the_first_wins_though_a_later_one_is_quicker() {
        let slow = |n: &usize, _: &TrialSlot<'_>| {
            thread::sleep(Duration::from_millis(if *n == 4 { 80 } else { 1 }));
            Ok(*n >= 4)
        };
        let first = pool().first(10, &Some, &slow);
        assert_eq!(first, Ok(Some((4, 4))));
        assert_eq!(pool().first(3, &Some, &slow), Ok(None));
        let odd = |n: usize| (n % 2 == 1).then_some(n);
        assert_eq!(pool().first(10, &odd, &slow), Ok(Some((5, 5))));
    }

    #[test]
    fn later_ones_are_given_up_and_trouble_is_told() {
        let waits = |n: &usize, slot: &TrialSlot<'_>| {
            while *n > 0 && !slot.stop.is_set() {
                thread::sleep(Duration::from_millis(1));
            }
            if *n > 0 { Err(Trouble::Stopped) } else { Ok(true) }
        };
        assert_eq!(pool().first(3, &Some, &waits), Ok(Some((0, 0))));
        let fails = |n: &usize, _: &TrialSlot<'_>| match n {
            1 => Err(Trouble::Io("no".into())),
            _ => Ok(false),
        };
        assert_eq!(pool().first(9, &Some, &fails), Err(Trouble::Io("no".into())));
        let over = Pool::new(2, Stop::new(), Clock::new(Some(Duration::from_millis(20))));
        let endless = |_: &usize, slot: &TrialSlot<'_>| {
            while !slot.stop.is_set() {
                thread::sleep(Duration::from_millis(1));
            }
            Err(Trouble::Stopped)
        };
        let over = over.expect("a temporary folder").first(5, &Some, &endless);
        assert_eq!(over, Err(Trouble::Stopped));
    }
}
