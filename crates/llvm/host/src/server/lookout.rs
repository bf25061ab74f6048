//! Whether the client is still there, while the server is busy with itself: opening a library and arming its blocks
//! takes seconds, and a server must not outlive its client by that.

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

/// Between two looks, in microseconds.
const LOOK: libc::suseconds_t = 200_000;

/// Where the client talks to us.
static LINE: AtomicI32 = AtomicI32::new(-1);

/// Ends the process when the client goes away, until it is dropped.
#[derive(Debug)]
pub(super) struct Lookout(());

impl Lookout {
    /// Looks at this line.
    pub(super) fn on(line: RawFd) -> Lookout {
        LINE.store(line, SeqCst);
        // SAFETY: a handler that makes async-signal-safe calls only. System calls go on after it.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_look as *const () as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(libc::SIGALRM, &action, std::ptr::null_mut());
        }
        set_timer(LOOK);
        Lookout(())
    }
}

impl Drop for Lookout {
    fn drop(&mut self) {
        set_timer(0);
        // SAFETY: children have the default.
        unsafe { libc::signal(libc::SIGALRM, libc::SIG_DFL) };
    }
}

fn set_timer(micros: libc::suseconds_t) {
    let every = libc::timeval { tv_sec: 0, tv_usec: micros };
    let timer = libc::itimerval { it_interval: every, it_value: every };
    // SAFETY: a valid timer of this process.
    unsafe { libc::syscall(libc::SYS_setitimer, libc::ITIMER_REAL, &timer, 0) };
}

extern "C" fn on_look(_: libc::c_int) {
    let mut line = libc::pollfd { fd: LINE.load(SeqCst), events: libc::POLLRDHUP, revents: 0 };
    // SAFETY: async-signal-safe calls on a local, and on the error number, which is put back.
    unsafe {
        let errno = *libc::__errno_location();
        let gone = libc::POLLHUP | libc::POLLERR | libc::POLLRDHUP;
        if libc::poll(&mut line, 1, 0) > 0 && line.revents & gone != 0 {
            libc::_exit(0);
        }
        *libc::__errno_location() = errno;
    }
}
