//! Ctrl-C: what SIGINT, SIGTERM and SIGHUP do to us and to what is running.
//!
//! The handler only raises an event; a thread does the rest, as a handler may do next to nothing.
//! Runs watch the same event. A run that was ended by it never returns: its thread would otherwise
//! take the death of a program for news. All this is for order only. However we die, the
//! shepherds notice and end what they started; what a disorderly death leaves are scratch folders.

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicPtr, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::scratch;
use crate::stop::{Inner, Stop, event, raise};

/// A second signal so soon is the same one: `timeout` signals its child and then its group.
const SAME: i64 = 500;

/// How long we wait for shepherds before we die without them.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the thread and the runs wait for.
static DEATH: OnceLock<Option<OwnedFd>> = OnceLock::new();
/// The same for the handler, once there is a thread; else -1.
static DEATH_FD: AtomicI32 = AtomicI32::new(-1);
/// The signal that we die of.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// When the last signal was heeded, in milliseconds.
static HEEDED: AtomicI64 = AtomicI64::new(0);
/// What the first signal sets instead of killing us.
static STOP: AtomicPtr<Inner> = AtomicPtr::new(std::ptr::null_mut());
/// Runs under way.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// From now on SIGINT, SIGTERM and SIGHUP end every program that a [`Run`](crate::Run) has alive,
/// remove the folders of every [`Scratch`](crate::Scratch), and then end this process. A signal
/// that was being ignored (`nohup`) stays so.
pub fn die_with_children() {
    DEATH.get_or_init(|| {
        let death = event();
        if let Some(event) = &death {
            let (wake, fd) = (event.try_clone(), event.as_raw_fd());
            let thread = thread::Builder::new().name("signals".into()).stack_size(256 << 10);
            if wake.is_ok_and(|wake| thread.spawn(move || wait_for_death(&wake)).is_ok()) {
                DEATH_FD.store(fd, Ordering::SeqCst);
            }
        }
        install();
        death
    });
}

/// See [`Stop::on_signals`].
pub(crate) fn stop() -> Stop {
    static ONE: OnceLock<Stop> = OnceLock::new();
    let stop = ONE.get_or_init(|| {
        let stop = Stop::new();
        STOP.store(stop.leak().cast_mut(), Ordering::SeqCst);
        stop
    });
    die_with_children();
    stop.clone()
}

fn install() {
    let action =
        SigAction::new(SigHandler::Handler(on_signal), SaFlags::SA_RESTART, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // SAFETY: `on_signal` makes only async-signal-safe calls; the action restored is one that
        // the kernel has just handed out.
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
    // SAFETY: async-signal-safe calls on a local, on the calling thread's error number, which is
    // put back, and on a `Stop` that is never freed.
    unsafe {
        let errno = *libc::__errno_location();
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now);
        let now = now.tv_sec * 1000 + now.tv_nsec / 1_000_000;
        let last = HEEDED.swap(now, Ordering::SeqCst);
        let stop = STOP.load(Ordering::SeqCst).as_ref();
        if last != 0 && now - last < SAME {
            HEEDED.store(last, Ordering::SeqCst);
        } else if last == 0
            && let Some(stop) = stop
        {
            stop.set();
        } else if SIGNAL.swap(signal, Ordering::SeqCst) == 0 && DEATH_FD.load(Ordering::SeqCst) >= 0
        {
            raise(DEATH_FD.load(Ordering::SeqCst));
        } else {
            take_default_action(signal);
        }
        *libc::__errno_location() = errno;
    }
}

/// Lets a signal do what it always does. Async-signal-safe.
fn take_default_action(signal: libc::c_int) {
    // SAFETY: neither takes pointers of ours.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::kill(libc::getpid(), signal);
    }
}

fn wait_for_death(wake: &OwnedFd) {
    use std::os::fd::AsFd;
    while poll(&mut [PollFd::new(wake.as_fd(), PollFlags::POLLIN)], PollTimeout::NONE).is_err() {}
    let deadline = Instant::now() + PATIENCE;
    while RUNNING.load(Ordering::SeqCst) > 0 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
    scratch::remove_all();
    take_default_action(SIGNAL.load(Ordering::SeqCst));
}

/// What a run has to watch, if there is anything.
pub(crate) fn death() -> Option<BorrowedFd<'static>> {
    use std::os::fd::AsFd;
    DEATH.get().and_then(Option::as_ref).map(AsFd::as_fd)
}

/// A run under way.
pub(crate) struct RunGuard(());

impl RunGuard {
    pub(crate) fn new() -> RunGuard {
        block_if_dying();
        RUNNING.fetch_add(1, Ordering::SeqCst);
        RunGuard(())
    }
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
        block_if_dying();
    }
}

/// Does not return when the process is about to die.
fn block_if_dying() {
    while SIGNAL.load(Ordering::SeqCst) != 0 {
        thread::park();
    }
}
