//! How a child reports its death: handlers of signals and of LLVM's fatal errors.
//!
//! Each writes where it is and why to the board and ends the process at once, without LLVM's own
//! handlers and destructors. A handler runs on a stack of its own, so that an overflow can be told.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use coverage::Counters;

use super::board::{Board, FRAMES, fate};

/// Exit status of a child that reported its death.
pub(super) const REPORTED: c_int = 77;

/// Bytes of the handlers' stack: the unwinder needs much.
const STACK: usize = 256 << 10;

/// As far from the stack pointer an address may be that an overflow touches: a large frame skips pages.
const NEAR: u64 = 1 << 20;

/// The board of this process.
static BOARD: AtomicPtr<Board> = AtomicPtr::new(std::ptr::null_mut());

/// What a library counts of itself.
static COUNTERS: OnceLock<Counters> = OnceLock::new();

/// Signals that end a child.
const DEADLY: [c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGSYS];

/// Makes ready in the server, for all children: the unwinder loads itself when it is first called, and
/// that must not happen in a handler.
pub(super) fn prepare(board: &'static Board) -> io::Result<()> {
    BOARD.store(std::ptr::from_ref(board).cast_mut(), SeqCst);
    backtrace(&mut [std::ptr::null_mut(); 4]);
    // Before breakpoints are set: those that are not of coverage come here then.
    handle(libc::SIGTRAP, on_signal);
    // SAFETY: the memory is never given back; the stack is for handlers only.
    unsafe {
        let stack: &'static mut [u8] = Vec::leak(vec![0u8; STACK]);
        let stack = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK };
        if libc::sigaltstack(&stack, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Lets a death report include what was counted.
pub(super) fn publish(counters: Counters) {
    let _ = COUNTERS.set(counters);
}

/// Installs the handlers, in a child.
pub(super) fn install() {
    for signal in DEADLY {
        handle(signal, on_signal);
    }
    handle(libc::SIGPROF, on_time);
}

fn handle(signal: c_int, handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)) {
    // SAFETY: a zeroed action with a handler of the three-argument kind.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

/// Starts the clock of one item, or stops it with zero.
pub(super) fn set_clock(time: Duration) {
    let value = libc::timeval {
        tv_sec: time.as_secs().cast_signed(),
        tv_usec: i64::from(time.subsec_micros()),
    };
    let none = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: none, it_value: value };
    // SAFETY: a valid timer. It cannot fail with these arguments.
    unsafe { libc::syscall(libc::SYS_setitimer, libc::ITIMER_PROF, &timer, 0) };
}

/// What LLVM calls before it would abort.
pub(super) extern "C" fn on_fatal(reason: *const c_char) {
    // SAFETY: a string, valid during this call.
    let text = unsafe { CStr::from_ptr(reason) };
    end(fate::FATAL, text.to_bytes())
}

extern "C" fn on_time(_: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    end(fate::TIME, b"")
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    if let Some(board) = board() {
        board.signal.store(signal, SeqCst);
        // SAFETY: what the kernel hands to a handler of three arguments.
        let (address, registers) = unsafe {
            let context = &*context.cast::<libc::ucontext_t>();
            ((*info).si_addr() as u64, &context.uc_mcontext.gregs)
        };
        let stack = registers[libc::REG_RSP as usize].cast_unsigned();
        board.place.store(registers[libc::REG_RIP as usize].cast_unsigned(), SeqCst);
        let overflows = signal == libc::SIGSEGV && address.abs_diff(stack) < NEAR;
        board.is_overflow.store(overflows.into(), SeqCst);
    }
    end(fate::SIGNAL, b"")
}

/// Says it and ends the process.
pub(super) fn end(fate: u32, reason: &[u8]) -> ! {
    if let Some(board) = board() {
        board.set_reason(reason);
        // Before the stack is looked at, which may crash in its turn.
        board.fate.store(fate, SeqCst);
        if let Some(counters) = COUNTERS.get() {
            counters.publish();
        }
        let mut frames = [std::ptr::null_mut(); FRAMES];
        let count = backtrace(&mut frames);
        board.set_frames(&frames[..count]);
    }
    // SAFETY: ends the process without running anything.
    unsafe { libc::_exit(REPORTED) }
}

fn board() -> Option<&'static Board> {
    // SAFETY: null, or a board that is never unmapped.
    unsafe { BOARD.load(SeqCst).as_ref() }
}

fn backtrace(frames: &mut [*mut c_void]) -> usize {
    let room = c_int::try_from(frames.len()).unwrap_or(0);
    // SAFETY: room for as many as are asked for.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), room) };
    usize::try_from(count).unwrap_or(0)
}
