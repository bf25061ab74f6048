//! Executes an object file: its `main`, in a fork of this process, what it prints into a file in memory.
//!
//! LLVM's own JIT links it. The fork can do no harm: it is confined as its server is, and may start no processes
//! besides; its signals are the defaults, its descriptors are closed, the board is out of its reach, and it is
//! killed when its time is over. Whatever it does is data.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::api::{JitRef, JitSymbol};
use crate::server::Recorder;
use crate::{Broken, Llvm};

/// What a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// By the clock.
    pub time: Duration,
    /// Bytes that it may print.
    pub output: u64,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance { time: Duration::from_secs(5), output: 4 << 20 }
    }
}

/// The result of an execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executed {
    /// How it ended.
    pub how: ExecutionEnd,
    /// What it printed on standard output.
    pub stdout: Vec<u8>,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExecutionEnd {
    /// By itself, with a status.
    Status(u8),
    /// By a signal.
    Signal(i32),
    /// It was killed when its time was over.
    Time,
    /// It was never begun: the JIT could not link it, or died of it.
    NotBegun(String),
}

/// The state of the fork, in shared memory.
#[repr(C)]
struct ForkState {
    /// One of the phases below.
    phase: AtomicU32,
}

/// It could not be linked or confined.
const NOT_BEGUN: u32 = 1;
/// `main` runs.
const RUNNING: u32 = 2;

/// Links an object file and calls its `main`. `Err` is our own trouble.
pub fn execute(
    llvm: &Llvm,
    object: &[u8],
    allowance: Allowance,
    recorder: &Recorder<'_>,
) -> io::Result<Executed> {
    let printed = crate::server::memory_file()?;
    let note = SharedForkState::new()?;
    // SAFETY: this process has one thread.
    let pid = match unsafe { libc::fork() } {
        -1 => return Err(io::Error::last_os_error()),
        0 => run_program(llvm, object, allowance, &printed, &note, recorder),
        pid => pid,
    };
    let (status, in_time) = wait(pid, allowance.time)?;
    let mut stdout = vec![0; printed.metadata()?.len() as usize];
    printed.read_exact_at(&mut stdout, 0)?;
    let how = match note.phase() {
        _ if !in_time => ExecutionEnd::Time,
        RUNNING if libc::WIFEXITED(status) => ExecutionEnd::Status(libc::WEXITSTATUS(status) as u8),
        RUNNING => ExecutionEnd::Signal(libc::WTERMSIG(status)),
        NOT_BEGUN => {
            ExecutionEnd::NotBegun(String::from_utf8_lossy(&std::mem::take(&mut stdout)).into())
        }
        _ => ExecutionEnd::NotBegun("the JIT died of it".into()),
    };
    Ok(Executed { how, stdout })
}

/// The main function of the fork.
fn run_program(
    llvm: &Llvm,
    object: &[u8],
    allowance: Allowance,
    printed: &File,
    note: &SharedForkState,
    recorder: &Recorder<'_>,
) -> ! {
    // SAFETY: changes of this process alone.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // Breakpoints of coverage stay: the JIT is part of the library.
        for signal in (1..32).filter(|signal| *signal != libc::SIGTRAP) {
            libc::signal(signal, libc::SIG_DFL);
        }
        let none = libc::timeval { tv_sec: 0, tv_usec: 0 };
        let off = libc::itimerval { it_interval: none, it_value: none };
        libc::syscall(libc::SYS_setitimer, libc::ITIMER_PROF, &off, 0);
        let most = libc::rlimit { rlim_cur: allowance.output, rlim_max: allowance.output };
        libc::setrlimit(libc::RLIMIT_FSIZE, &most);
        libc::dup2(printed.as_raw_fd(), 1);
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        libc::dup2(null, 0);
        libc::dup2(null, 2);
        libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0);
        // Mathematics is not in every program that we are.
        libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL);
    }
    let main = match link(llvm, object) {
        Ok(main) => main,
        Err(broken) => give_up(note, &broken.0),
    };
    recorder.close_board();
    if let Err(error) = sandbox::confine_program() {
        give_up(note, &format!("it cannot be confined: {error}"));
    }
    note.set(RUNNING);
    let mut words = [c"program".as_ptr(), std::ptr::null()];
    // SAFETY: none. It is whatever the passes made of a program, which is why it runs here.
    unsafe {
        let main: extern "C" fn(c_int, *mut *const c_char) -> c_int =
            std::mem::transmute(main as usize);
        quit(main(1, words.as_mut_ptr()))
    }
}

/// Ends the fork before the program begins; why.
fn give_up(note: &SharedForkState, why: &str) -> ! {
    // SAFETY: as many bytes as there are; ends the process without running anything.
    unsafe {
        libc::write(1, why.as_ptr().cast(), why.len());
        note.set(NOT_BEGUN);
        libc::_exit(1)
    }
}

/// What `exit` is for the program: the destructors of this process are not its own.
extern "C" fn quit(status: c_int) -> ! {
    // SAFETY: flushes all streams, and ends the process without running anything else.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(status)
    }
}

/// The address of `main`.
fn link(llvm: &Llvm, object: &[u8]) -> Result<u64, Broken> {
    const EXPORTED_AND_CALLABLE: u8 = 1 | 4;
    let api = &llvm.api;
    let mut jit = JitRef::NULL;
    let mut others: *mut c_void = std::ptr::null_mut();
    let mut main = 0;
    let name: &CStr = c"main";
    // SAFETY: what is created is handed over or lives as long as the process, which is short.
    unsafe {
        llvm.check((api.LLVMOrcCreateLLJIT)(&mut jit, std::ptr::null_mut()))?;
        let library = (api.LLVMOrcLLJITGetMainJITDylib)(jit);
        let exit = JitSymbol {
            name: (api.LLVMOrcLLJITMangleAndIntern)(jit, c"exit".as_ptr()),
            address: quit as *const () as u64,
            flags: [EXPORTED_AND_CALLABLE, 0],
        };
        let exit = (api.LLVMOrcAbsoluteSymbols)(&exit, 1);
        llvm.check((api.LLVMOrcJITDylibDefine)(library, exit))?;
        llvm.check((api.LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess)(
            &mut others,
            0,
            std::ptr::null(),
            std::ptr::null_mut(),
        ))?;
        (api.LLVMOrcJITDylibAddGenerator)(library, others);
        let buffer = (api.LLVMCreateMemoryBufferWithMemoryRangeCopy)(
            object.as_ptr().cast(),
            object.len(),
            c"object".as_ptr(),
        );
        llvm.check((api.LLVMOrcLLJITAddObjectFile)(jit, library, buffer))?;
        llvm.check((api.LLVMOrcLLJITLookup)(jit, &mut main, name.as_ptr()))?;
    }
    Ok(main)
}

/// Waits for the fork: its status, and whether it ended of itself.
fn wait(pid: i32, time: Duration) -> io::Result<(i32, bool)> {
    // SAFETY: a number of a child that we have not waited for; the descriptor is new and ours.
    let handle = unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(fd as c_int)
    };
    let end = Instant::now() + time;
    let mut in_time = true;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let left =
            if in_time { c_int::try_from(left.as_millis()).unwrap_or(c_int::MAX) } else { -1 };
        let mut fd = libc::pollfd { fd: handle.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor that is open.
        let ready = unsafe { libc::poll(&mut fd, 1, left) };
        if ready > 0 {
            let mut status = 0;
            // SAFETY: a child of ours that ended.
            unsafe { libc::waitpid(pid, &mut status, 0) };
            return Ok((status, in_time));
        }
        if ready == 0 {
            in_time = false;
            // SAFETY: a child of ours that was not waited for.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    }
}

/// A note that a fork shares with its parent; unmapped when dropped.
struct SharedForkState(*mut c_void);

impl SharedForkState {
    fn new() -> io::Result<SharedForkState> {
        // SAFETY: a new mapping of zeros, which are a valid note.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<ForkState>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if at == libc::MAP_FAILED {
            Err(io::Error::last_os_error())
        } else {
            Ok(SharedForkState(at))
        }
    }

    fn state(&self) -> &ForkState {
        // SAFETY: mapped as long as we live.
        unsafe { &*self.0.cast::<ForkState>() }
    }

    fn phase(&self) -> u32 {
        self.state().phase.load(SeqCst)
    }

    fn set(&self, phase: u32) {
        self.state().phase.store(phase, SeqCst);
    }
}

impl Drop for SharedForkState {
    fn drop(&mut self) {
        // SAFETY: mapped by us, and nobody has it any more.
        unsafe { libc::munmap(self.0, size_of::<ForkState>()) };
    }
}
