//! Work over many items on all processors, with a progress line.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Stack of a thread: parser and printer recurse with the nesting of programs. It is only reserved.
const STACK: usize = 256 << 20;

/// Applies `work` to every item on as many threads as there are processors; results in order.
pub fn map<T: Sync, R: Send>(what: &str, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_on(processors(), what, items, work)
}

/// How many processors there are.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Applies `work` to every item on so many threads; results in order.
pub fn map_on<T: Sync, R: Send>(
    jobs: usize,
    what: &str,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    let progress = Progress::new(what, items.len());
    thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            let worker = || {
                while let Some((i, item)) = take(&next, items) {
                    let result = work(item);
                    results.lock().unwrap_or_else(PoisonError::into_inner)[i] = Some(result);
                    progress.step();
                }
            };
            let thread = thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, worker).expect("a thread can be started");
        }
    });
    progress.end();
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().flatten().collect()
}

fn take<'a, T>(next: &AtomicUsize, items: &'a [T]) -> Option<(usize, &'a T)> {
    let i = next.fetch_add(1, Ordering::Relaxed);
    items.get(i).map(|item| (i, item))
}

/// A count that shows itself on standard error, from two seconds on: often and in place on a
/// terminal, rarely and on lines of its own in a log.
pub struct Progress {
    what: String,
    total: usize,
    done: AtomicUsize,
    terminal: bool,
    next: Mutex<Instant>,
    every: Duration,
}

impl Progress {
    /// A count towards `total` of `what`.
    pub fn new(what: &str, total: usize) -> Progress {
        let terminal = io::stderr().is_terminal();
        let every = Duration::from_millis(if terminal { 500 } else { 20_000 });
        Progress {
            what: what.into(),
            total,
            done: AtomicUsize::new(0),
            terminal,
            next: Mutex::new(Instant::now() + Duration::from_secs(2)),
            every,
        }
    }

    /// One more is done.
    pub fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if Instant::now() < *next {
            return;
        }
        *next = Instant::now() + self.every;
        let (begin, end) = if self.terminal { ("\r", "") } else { ("", "\n") };
        let mut err = io::stderr().lock();
        let _ = write!(err, "{begin}{}: {done} of {}{end}", self.what, self.total);
    }

    /// Clears the line.
    pub fn end(&self) {
        if self.terminal {
            let _ = write!(io::stderr().lock(), "\r{:60}\r", "");
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_keep_their_order() {
        let items: Vec<u64> = (0..1000).collect();
        let got = super::map("squares", &items, |n| n * n);
        assert!(got.iter().enumerate().all(|(i, &n)| n == (i * i) as u64));
    }
}
