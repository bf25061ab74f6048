//! The process between us and a program: it starts the program, outlives us if it must, and does
//! not end before everything that the program started has ended.
//!
//! It is a fork of us that never executes anything else, so only async-signal-safe calls are made
//! here and nothing is allocated. It is a subreaper: whatever loses its parent below it, daemons
//! included, becomes its own child. So it kills only its own children, which nobody else can reap:
//! their numbers cannot have been reused. What is orphaned by that is killed next.
//!
//! One pipe tells it to end: we close our end of it on purpose, or the kernel does when we die, be
//! it by SIGKILL. (`PR_SET_PDEATHSIG` would go by the death of the *thread* that forked.)
//!
//! Not solved: a shepherd that is itself killed. Then the program dies with it (that is what its
//! `PR_SET_PDEATHSIG` is for) and [`crate::child`] kills its session, but a daemon that made a
//! session of its own is gone. A confined program cannot do it where the kernel has Landlock's
//! signal scope.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::resource::setrlimit;

use crate::confine;
use crate::plan::LaunchPlan;
use crate::procfs;

/// Where the shepherd's descriptors are after [`place_descriptors`]. The first three are the program's.
const REPORT: c_int = 3;
const CONTROL: c_int = 4;
const RULES: c_int = 5;
const DESCRIPTORS: usize = 6;

/// How often processes are counted, unless counting is slow.
const COUNT: Duration = Duration::from_millis(50);

/// The stack that the child has until it executes the program.
const STACK: usize = 64 << 10;

/// Descriptors handed to the shepherd, in the order of the constants above; -1 is none.
pub(crate) type HandedDescriptors = [c_int; DESCRIPTORS];

/// What the shepherd says at the end.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Report {
    /// Why the program could not be started; 0 when it could.
    pub(crate) errno: c_int,
    /// As `wait` gives it.
    pub(crate) status: c_int,
    /// Processor time of all processes together, in microseconds.
    pub(crate) cpu: u64,
    /// Greatest resident size of any one process, in kilobytes.
    pub(crate) peak_rss: u64,
    /// Set when there were too many processes.
    pub(crate) crowded: c_int,
}

/// The shepherd's life.
///
/// # Safety
///
/// To be called in a fresh fork with all signals blocked, with descriptors that are open.
pub(crate) unsafe fn shepherd_main(plan: &LaunchPlan, handed: &HandedDescriptors) -> ! {
    let mut report = Report::default();
    // SAFETY: system calls on our own descriptors and on nothing else of this process, which
    // shares no memory with its parent.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        libc::prctl(libc::PR_SET_NAME, c"shepherd".as_ptr());
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        if !place_descriptors(handed) {
            report.errno = *libc::__errno_location();
        } else {
            let count = plan.processes.map(ProcessCounter::new);
            let entered = plan.entry.as_ref().map_or(Ok(()), |entry| entry.enter());
            match entered.and_then(|()| start(plan)) {
                Ok(main) => supervise(main, count, &mut report),
                Err(errno) => report.errno = errno,
            }
        }
        libc::write(REPORT, (&raw const report).cast(), size_of::<Report>());
        libc::_exit(0)
    }
}

/// Moves the descriptors to their places and closes everything else.
unsafe fn place_descriptors(handed: &HandedDescriptors) -> bool {
    // SAFETY: the caller's promise; numbers are only copied and closed.
    unsafe {
        // First out of the way: one may stand where another has to go.
        let mut aside = [-1; DESCRIPTORS];
        for (aside, &fd) in aside.iter_mut().zip(handed).filter(|(_, fd)| **fd >= 0) {
            *aside = libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 2 * DESCRIPTORS as c_int);
            if *aside < 0 {
                return false;
            }
        }
        for (place_descriptors, &fd) in aside.iter().enumerate() {
            let flags = if place_descriptors < REPORT as usize { 0 } else { libc::O_CLOEXEC };
            if fd < 0 {
                libc::close(place_descriptors as c_int);
            } else if libc::dup3(fd, place_descriptors as c_int, flags) < 0 {
                return false;
            }
        }
        if libc::syscall(libc::SYS_close_range, DESCRIPTORS, u32::MAX, 0) < 0 {
            // Before Linux 5.9. More descriptors than these we do not have.
            (DESCRIPTORS as c_int..4096).for_each(|fd| _ = libc::close(fd));
        }
        true
    }
}

/// What parent and child share until the child executes the program.
struct Shared<'a> {
    plan: &'a LaunchPlan,
    errno: c_int,
}

/// Starts the program: its number, or why not.
///
/// The child shares our memory, and we stand still until it executes the program (as with `vfork`):
/// no page table is copied, and an error needs no pipe.
unsafe fn start(plan: &LaunchPlan) -> Result<c_int, c_int> {
    #[repr(align(16))]
    struct Stack(MaybeUninit<[u8; STACK]>);
    let mut stack = Stack(MaybeUninit::uninit());
    let mut shared = Shared { plan, errno: 0 };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack grows down from its end and lives until the child has left it; `shared` is
    // what `child` expects; we have no other thread.
    unsafe {
        let top = stack.0.as_mut_ptr().cast::<u8>().add(STACK).cast::<c_void>();
        let pid = libc::clone(child, top, flags, (&raw mut shared).cast());
        if pid < 0 {
            return Err(*libc::__errno_location());
        }
        // The pipes are the program's now: we must not hold them open.
        for fd in [0, 1, 2, RULES] {
            libc::close(fd);
        }
        match (&raw const shared.errno).read_volatile() {
            0 => Ok(pid),
            errno => {
                libc::waitpid(pid, std::ptr::null_mut(), 0);
                Err(errno)
            }
        }
    }
}

/// The child between clone and exec; returns only to say that it failed.
extern "C" fn child(shared: *mut c_void) -> c_int {
    // SAFETY: `start` passes its `Shared`, and waits.
    unsafe {
        let shared = &mut *shared.cast::<Shared>();
        let errno = exec_program(shared.plan);
        (&raw mut shared.errno).write_volatile(errno);
        libc::_exit(127)
    }
}

/// Executes the program; returns the error number if it cannot.
unsafe fn exec_program(plan: &LaunchPlan) -> c_int {
    // SAFETY: every pointer is into the plan, which lives as long as the shepherd.
    unsafe {
        let errno = || *libc::__errno_location();
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // Past the C library, which hides two signals of its own that may have come ignored.
        let default = [0u64; 4];
        for signal in 1..=64 {
            let none = std::ptr::null_mut::<u64>();
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), none, size_of::<u64>());
        }
        if plan.cwd.as_ref().is_some_and(|dir| libc::chdir(dir.as_ptr()) < 0) {
            return errno();
        }
        for &(resource, soft, hard) in &plan.limits {
            if let Err(error) = setrlimit(resource, soft, hard) {
                return error as c_int;
            }
        }
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 {
            return errno();
        }
        if plan.confined && !confine::enter(plan.rules.is_some().then_some(RULES)) {
            return errno();
        }
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
        // As execvp: go on where there is nothing, and remember that something was forbidden.
        let mut worst = libc::ENOENT;
        for program in &plan.programs {
            libc::execve(program.as_ptr(), plan.argv.as_ptr(), plan.envp.as_ptr());
            match errno() {
                libc::ENOENT | libc::ENOTDIR => {}
                libc::EACCES => worst = libc::EACCES,
                other => return other,
            }
        }
        worst
    }
}

/// Waits until the program ends or is to end, then ends all there is.
unsafe fn supervise(main: c_int, mut count: Option<ProcessCounter>, report: &mut Report) {
    // SAFETY: polls and waits for our own children; all structures are locals.
    unsafe {
        let mut chld = MaybeUninit::uninit();
        libc::sigemptyset(chld.as_mut_ptr());
        libc::sigaddset(chld.as_mut_ptr(), libc::SIGCHLD);
        let events = libc::signalfd(-1, chld.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        while !main_ended(main, report) {
            let mut fds = [pollfd(CONTROL), pollfd(events)];
            let timeout = count.as_ref().map_or(-1, ProcessCounter::timeout);
            libc::poll(fds.as_mut_ptr(), 2, timeout);
            if fds[0].revents != 0 {
                break;
            }
            drain(events);
            if count.as_mut().is_some_and(ProcessCounter::exceeded) {
                report.crowded = 1;
                break;
            }
        }
        end_all(main, events, report);
    }
}

fn pollfd(fd: c_int) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

unsafe fn drain(events: c_int) {
    let mut info = MaybeUninit::<libc::signalfd_siginfo>::uninit();
    // SAFETY: the buffer is as long as we say.
    unsafe { while libc::read(events, info.as_mut_ptr().cast(), size_of_val(&info)) > 0 {} }
}

/// Reaps orphans that have ended; true when the program has, which is left unreaped.
unsafe fn main_ended(main: c_int, report: &mut Report) -> bool {
    // SAFETY: an all-zero siginfo is a valid value, and the kernel fills in a local.
    unsafe {
        loop {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            if libc::waitid(libc::P_ALL, 0, &mut info, options) < 0 {
                return *libc::__errno_location() != libc::EINTR;
            }
            match info.si_pid() {
                0 => return false,
                pid if pid == main => return true,
                pid => _ = reap(pid, main, report),
            }
        }
    }
}

/// Collects one ended child with its accounts; as `wait4` returns.
unsafe fn reap(pid: c_int, main: c_int, report: &mut Report) -> c_int {
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid value, and both pointers are to live locals.
    let (got, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid, &mut status, libc::WNOHANG, &mut usage), usage)
    };
    if got > 0 {
        let micros = |t: libc::timeval| t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64;
        report.cpu += micros(usage.ru_utime) + micros(usage.ru_stime);
        report.peak_rss = report.peak_rss.max(usage.ru_maxrss as u64);
        if got == main {
            report.status = status;
        }
    }
    got
}

/// Kills and reaps until no child is left.
unsafe fn end_all(main: c_int, events: c_int, report: &mut Report) {
    // SAFETY: no pointers but to locals. `main` is not reaped yet, so its number and its group's
    // are still its own, and every other process that is killed is our child.
    unsafe {
        // The group at once: a fork bomb cannot outrun that, as the kernel forks no process that
        // is being killed.
        libc::kill(-main, libc::SIGKILL);
        libc::kill(main, libc::SIGKILL);
        let me = libc::getpid();
        // What is being killed takes a moment; something stuck in the kernel takes longer, and
        // then we need not be quick.
        let mut pause = 1;
        loop {
            match reap(-1, main, report) {
                0 => {}
                1.. => continue,
                _ if *libc::__errno_location() == libc::EINTR => continue,
                _ => break,
            }
            let kill_own = |process: procfs::Process| {
                if process.parent == me {
                    libc::kill(process.pid, libc::SIGKILL);
                }
            };
            // Without /proc there is only the group, and that may take its time to die.
            if !procfs::each(kill_own) && pause >= 100 {
                break;
            }
            libc::poll(&mut pollfd(events), 1, pause);
            drain(events);
            pause = (pause * 2).min(100);
        }
    }
}

/// Counts our descendants now and then. `RLIMIT_NPROC` would count all processes of the user, and
/// not hold for root.
struct ProcessCounter {
    limit: usize,
    next: Instant,
    /// The last number given out before the program began.
    first: Option<i32>,
    /// Memory for all processes of the system, touched only as far as it is used.
    table: &'static mut [(i32, i32)],
}

impl ProcessCounter {
    /// More processes than a system has by default.
    const TABLE: usize = 1 << 20;

    unsafe fn map() -> &'static mut [(i32, i32)] {
        let (read, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE);
        let flags = private | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let size = ProcessCounter::TABLE * size_of::<(i32, i32)>();
        // SAFETY: fresh memory, all zero, which is valid for numbers, and never unmapped.
        unsafe {
            match libc::mmap(std::ptr::null_mut(), size, read, flags, -1, 0) {
                libc::MAP_FAILED => &mut [],
                memory => std::slice::from_raw_parts_mut(memory.cast(), ProcessCounter::TABLE),
            }
        }
    }

    fn new(limit: u32) -> ProcessCounter {
        // SAFETY: see `map`.
        let table = unsafe { ProcessCounter::map() };
        let first = procfs::last_pid();
        ProcessCounter { limit: limit as usize, next: Instant::now() + COUNT, first, table }
    }

    fn timeout(&self) -> c_int {
        self.next.saturating_duration_since(Instant::now()).as_millis() as c_int + 1
    }

    /// True when it is time to count and there are too many.
    fn exceeded(&mut self) -> bool {
        let begin = Instant::now();
        if begin < self.next {
            return false;
        }
        let exceeded = self.possible() && self.count() > self.limit;
        let now = Instant::now();
        // Counting takes at most a twentieth of our time.
        self.next = now + COUNT.max((now - begin) * 20);
        exceeded
    }

    /// False when fewer numbers have been given out since the beginning than the limit allows.
    fn possible(&mut self) -> bool {
        match (self.first, procfs::last_pid()) {
            (Some(first), Some(last)) if last >= first => (last - first) as usize > self.limit,
            // They wrapped: from now on only counting helps.
            _ => {
                self.first = None;
                true
            }
        }
    }

    /// Our descendants, or the first of them that exceed the limit.
    fn count(&mut self) -> usize {
        let mut all = 0;
        procfs::each(|process| {
            if let Some(entry) = self.table.get_mut(all) {
                *entry = (process.pid, process.parent);
                all += 1;
            }
        });
        // SAFETY: takes nothing.
        let me = unsafe { libc::getpid() };
        let table = &mut self.table[..all];
        let mut mine = 0;
        loop {
            let before = mine;
            for i in before..all {
                let parent = table[i].1;
                if parent == me || table[..mine].iter().any(|&(pid, _)| pid == parent) {
                    table.swap(mine, i);
                    mine += 1;
                    if mine > self.limit {
                        return mine;
                    }
                }
            }
            if mine == before {
                return mine;
            }
        }
    }
}
