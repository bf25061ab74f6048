//! A request to end everything that runs.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::libc;

use crate::signals;

/// A request to stop that many threads share. Once set it stays set.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    set: AtomicBool,
    /// Readable from the moment it is set; it is never read. `None` when we are out of
    /// descriptors: then no run can start either.
    event: Option<OwnedFd>,
}

impl Default for Inner {
    fn default() -> Inner {
        Inner { set: AtomicBool::new(false), event: event() }
    }
}

impl Inner {
    /// Async-signal-safe.
    pub(crate) fn set(&self) {
        self.set.store(true, Ordering::SeqCst);
        if let Some(event) = &self.event {
            raise(event.as_raw_fd());
        }
    }
}

impl Stop {
    /// Not set.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Sets it: runs that watch it are killed, and return
    /// [`KillReason::Stop`](crate::KillReason::Stop).
    pub fn set(&self) {
        self.0.set();
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.set.load(Ordering::SeqCst)
    }

    /// Sets itself when the process gets SIGINT, SIGTERM or SIGHUP; a second one, half a second
    /// later or more, ends the process as [`die_with_children`](crate::die_with_children) says.
    /// All calls return the same one.
    pub fn on_signals() -> Stop {
        signals::stop()
    }

    /// Something to poll for.
    pub(crate) fn event(&self) -> Option<BorrowedFd<'_>> {
        self.0.event.as_ref().map(AsFd::as_fd)
    }

    /// For a signal handler: never freed.
    pub(crate) fn leak(&self) -> *const Inner {
        Arc::into_raw(self.0.clone())
    }
}

/// An event descriptor that nobody has raised.
pub(crate) fn event() -> Option<OwnedFd> {
    // SAFETY: takes no pointers, and the descriptor is nobody else's.
    unsafe {
        let fd = libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK);
        (fd >= 0).then(|| OwnedFd::from_raw_fd(fd))
    }
}

/// Makes an event descriptor readable. Async-signal-safe.
pub(crate) fn raise(event: i32) {
    let one = 1u64;
    // SAFETY: eight bytes, as an event descriptor wants them.
    unsafe { libc::write(event, (&raw const one).cast(), 8) };
}
