//! The latest snapshot of a hunt, shared by all requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use campaign::Snapshot;
use report::{Detail, View};
use tokio::sync::watch;

use crate::source::Source;

/// What was read less long ago is good enough: while a page is open, no request waits for a large hunt to be read.
const FRESH: Duration = Duration::from_secs(2);

/// The source and what it last said.
pub struct Hub {
    /// What the hunt is called.
    pub name: String,
    source: Mutex<Box<dyn Source>>,
    latest: Mutex<Latest>,
    /// Counts changes.
    changed: watch::Sender<u64>,
}

#[derive(Clone)]
struct Latest {
    shot: Arc<Snapshot>,
    /// The source's number when the snapshot was taken.
    changes: i64,
    /// When the source was last asked for it.
    asked: Instant,
    /// Whether the hunt was running then.
    running: bool,
}

impl Hub {
    /// Reads the hunt for the first time.
    pub fn new(source: Box<dyn Source>) -> Result<Hub> {
        let name = source.name();
        // The number first: what changes in between is seen again.
        let (changes, asked) = (source.changes()?, Instant::now());
        let mut shot = Snapshot::default();
        source.refresh(&mut shot)?;
        let latest = Latest { shot: Arc::new(shot), changes, asked, running: false };
        let (source, latest) = (Mutex::new(source), Mutex::new(latest));
        Ok(Hub { name, source, latest, changed: watch::Sender::new(0) })
    }

    /// The hunt as it is now, or was a moment ago.
    pub fn shot(&self) -> Result<Arc<Snapshot>> {
        let latest = lock(&self.latest).clone();
        if latest.asked.elapsed() >= FRESH {
            self.poll_source()?;
            return Ok(lock(&self.latest).shot.clone());
        }
        Ok(latest.shot)
    }

    /// All about one finding.
    pub fn detail(&self, id: i64) -> Result<Option<Detail>> {
        let shot = self.shot()?;
        let detail = lock(&self.source).detail(id)?;
        let bug = || shot.bugs.iter().find(|bug| bug.ids.binary_search(&id).is_ok()).cloned();
        Ok(detail.map(|detail| Detail { bug: bug(), ..detail }))
    }

    /// Changes from now on.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Polls for changes while there are listeners, and notifies them.
    pub async fn watch(self: Arc<Hub>, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            if self.changed.receiver_count() == 0 {
                continue;
            }
            let hub = self.clone();
            // A store that cannot be read at this moment is read at the next.
            let news = tokio::task::spawn_blocking(move || hub.poll_source()).await;
            if matches!(news, Ok(Ok(true))) {
                self.changed.send_modify(|n| *n += 1);
            }
        }
    }

    /// Reads what is new; whether there is anything.
    fn poll_source(&self) -> Result<bool> {
        // Those who only want the latest do not wait for this lock.
        let source = lock(&self.source);
        let before = lock(&self.latest).clone();
        let (changes, asked) = (source.changes()?, Instant::now());
        let shot = match changes == before.changes {
            true => before.shot.clone(),
            false => {
                let mut shot = Snapshot::clone(&before.shot);
                source.refresh(&mut shot)?;
                Arc::new(shot)
            }
        };
        let running = View { name: &self.name, now: now(), shot: &shot }.is_running();
        *lock(&self.latest) = Latest { shot, changes, asked, running };
        Ok(changes != before.changes || running != before.running)
    }
}

/// A panic while reading leaves what was read before.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs())
}
