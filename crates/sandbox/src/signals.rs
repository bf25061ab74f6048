//! Ctrl-C and the process groups that are running.
//!
//! A child in a group of its own does not get the terminal's Ctrl-C. So the groups are kept in a
//! table of atomics that a signal handler can read, and the handler kills them before it lets the
//! signal do to us what it always does.

use std::sync::atomic::{AtomicI32, Ordering};

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// Groups that can run at once and still be reached; a hunt uses one per processor. One that finds
/// no slot still dies with us, but its own children may not.
const SLOTS: usize = 256;

static GROUPS: [AtomicI32; SLOTS] = [const { AtomicI32::new(0) }; SLOTS];

/// A running group's place in the table; leaves it when dropped.
pub(crate) struct Registered(Option<&'static AtomicI32>);

impl Registered {
    /// Enters a group.
    pub(crate) fn new(group: i32) -> Registered {
        let free = |slot: &&AtomicI32| {
            slot.compare_exchange(0, group, Ordering::SeqCst, Ordering::Relaxed).is_ok()
        };
        Registered(GROUPS.iter().find(free))
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        if let Some(slot) = self.0 {
            slot.store(0, Ordering::SeqCst);
        }
    }
}

/// From now on SIGINT, SIGTERM and SIGHUP kill every process group that a [`Run`](crate::Run) has
/// alive, and then this process. A signal that was being ignored (`nohup`) stays so.
pub fn die_with_children() {
    let action = SigAction::new(SigHandler::Handler(on_signal), SaFlags::empty(), SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // SAFETY: `on_signal` only loads atomics and calls kill, signal and raise, all of which
        // are async-signal-safe; the action restored is one the kernel has just handed out.
        unsafe {
            if let Ok(old) = sigaction(signal, &action)
                && matches!(old.handler(), SigHandler::SigIgn)
            {
                let _ = sigaction(signal, &old);
            }
        }
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    for slot in &GROUPS {
        let group = slot.load(Ordering::SeqCst);
        if group > 0 {
            // SAFETY: kill takes no pointers; a group in the table has a leader that is not yet
            // reaped, so the number cannot have passed to another group.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
    }
    // SAFETY: both are async-signal-safe and take no pointers of ours. The signal is blocked while
    // we are here, so the default action comes when this handler returns.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}
