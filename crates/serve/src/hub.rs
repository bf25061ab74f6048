//! The latest that is known of a hunt, shared by all who look.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use campaign::Snapshot;
use report::{Detail, View};
use tokio::sync::watch;

use crate::source::Source;

/// The source and what it last said.
pub struct Hub {
    /// What the hunt is called.
    pub name: String,
    inner: Mutex<Inner>,
    /// Counts changes.
    changed: watch::Sender<u64>,
}

struct Inner {
    source: Box<dyn Source>,
    shot: Arc<Snapshot>,
    /// The source's number when the snapshot was taken.
    changes: i64,
    /// Whether the hunt was running when we last looked at the clock.
    running: bool,
}

impl Hub {
    /// Reads the hunt for the first time.
    pub fn new(source: Box<dyn Source>) -> Result<Hub> {
        let name = source.name();
        // The number first: what changes in between is seen again.
        let changes = source.changes()?;
        let mut shot = Snapshot::default();
        source.refresh(&mut shot)?;
        let inner = Mutex::new(Inner { source, shot: Arc::new(shot), changes, running: false });
        Ok(Hub { name, inner, changed: watch::Sender::new(0) })
    }

    /// The hunt as it is now.
    pub fn shot(&self) -> Result<Arc<Snapshot>> {
        self.inner().fresh()
    }

    /// All about one finding.
    pub fn detail(&self, id: i64) -> Result<Option<Detail>> {
        let mut inner = self.inner();
        let shot = inner.fresh()?;
        let detail = inner.source.detail(id)?;
        let bug = || shot.bugs.iter().find(|bug| bug.ids.binary_search(&id).is_ok()).cloned();
        Ok(detail.map(|detail| Detail { bug: bug(), ..detail }))
    }

    /// Changes from now on.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Looks for changes for ever, and tells of them.
    pub async fn watch(self: Arc<Hub>, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            if self.changed.receiver_count() == 0 {
                continue;
            }
            let hub = self.clone();
            // A store that cannot be read at this moment is read at the next.
            let news = tokio::task::spawn_blocking(move || hub.look()).await;
            if matches!(news, Ok(Ok(true))) {
                self.changed.send_modify(|n| *n += 1);
            }
        }
    }

    /// Whether there is something new, read while nobody waits for it.
    fn look(&self) -> Result<bool> {
        let mut inner = self.inner();
        let before = Arc::as_ptr(&inner.shot);
        let shot = inner.fresh()?;
        let running = View { name: &self.name, now: now(), shot: &shot }.is_running();
        let turned = std::mem::replace(&mut inner.running, running) != running;
        Ok(turned || Arc::as_ptr(&shot) != before)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // A panic while reading leaves what was read before.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn fresh(&mut self) -> Result<Arc<Snapshot>> {
        let changes = self.source.changes()?;
        if changes != self.changes {
            // Whoever is still reading the old one keeps it.
            let mut shot = Snapshot::clone(&self.shot);
            self.source.refresh(&mut shot)?;
            (self.shot, self.changes) = (Arc::new(shot), changes);
        }
        Ok(self.shot.clone())
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs())
}
