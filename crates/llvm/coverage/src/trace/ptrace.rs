//! The system calls of a tracer, with typed results.
//!
//! A tracee can be killed at any time by anybody, and then calls fail. That is no error: the next
//! wait reports that it ended. So most of these return nothing.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::mem::{MaybeUninit, offset_of};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use nix::libc;
use sandbox::Status;

/// What a wait has seen of a process.
pub enum WaitStatus {
    /// It is gone.
    Ended(Status),
    /// It has stopped, with this signal and for this reason.
    Stopped(i32, Event),
}

/// Why a process stopped.
pub enum Event {
    /// It has a new process or thread: see [`message`].
    Born,
    /// It has executed a file.
    Executed,
    /// It is about to end; its memory is still there.
    Exiting,
    /// It was stopped with its group.
    Group,
    /// A signal is about to be delivered.
    Signal {
        /// By the kernel for what the process did, not by anybody else.
        by_kernel: bool,
    },
}

/// Waits for one tracee.
pub fn wait(pid: libc::pid_t) -> io::Result<(libc::pid_t, WaitStatus)> {
    loop {
        let mut status = 0;
        // SAFETY: a pointer to a local. Only children and tracees of this thread.
        let got = unsafe { libc::waitpid(pid, &mut status, libc::__WALL | libc::__WNOTHREAD) };
        if got >= 0 {
            return Ok((got, seen(got, status)));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Waits for any tracee; `None` when there are no more.
pub fn next() -> io::Result<Option<(libc::pid_t, WaitStatus)>> {
    match wait(-1) {
        Ok(seen) => Ok(Some(seen)),
        Err(error) if error.raw_os_error() == Some(libc::ECHILD) => Ok(None),
        Err(error) => Err(error),
    }
}

fn seen(pid: libc::pid_t, status: i32) -> WaitStatus {
    if libc::WIFEXITED(status) {
        return WaitStatus::Ended(Status::Exit(libc::WEXITSTATUS(status) as u8));
    }
    if libc::WIFSIGNALED(status) {
        return WaitStatus::Ended(Status::Signal(libc::WTERMSIG(status)));
    }
    let event = match status >> 16 {
        libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
            Event::Born
        }
        libc::PTRACE_EVENT_EXEC => Event::Executed,
        libc::PTRACE_EVENT_EXIT => Event::Exiting,
        _ => match signal_code(pid) {
            Some(code) => Event::Signal { by_kernel: code == libc::SI_KERNEL },
            None => Event::Group,
        },
    };
    WaitStatus::Stopped(libc::WSTOPSIG(status), event)
}

/// Why a signal came; `None` where none is about to be delivered.
fn signal_code(pid: libc::pid_t) -> Option<i32> {
    let mut info = MaybeUninit::<libc::siginfo_t>::uninit();
    // SAFETY: the kernel fills in the local if it says so.
    unsafe {
        let got = libc::ptrace(libc::PTRACE_GETSIGINFO, pid, 0, info.as_mut_ptr());
        (got == 0).then(|| info.assume_init().si_code)
    }
}

/// Asks to be told of everything, for a process and what it starts; all of it dies with this thread.
pub fn follow(pid: libc::pid_t) -> io::Result<()> {
    let options = libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_TRACEEXIT
        | libc::PTRACE_O_EXITKILL;
    // SAFETY: takes no pointers.
    match unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, pid, 0, options as usize) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets a stopped process go on, with a signal or 0.
pub fn resume(pid: libc::pid_t, signal: i32) {
    // SAFETY: takes no pointers.
    unsafe { libc::ptrace(libc::PTRACE_CONT, pid, 0, signal as usize) };
}

/// What comes with an event: the number of a new process.
pub fn message(pid: libc::pid_t) -> Option<libc::pid_t> {
    let mut message: libc::c_ulong = 0;
    // SAFETY: the kernel fills in the local.
    let got = unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, pid, 0, &mut message) };
    if got == 0 { message.try_into().ok() } else { None }
}

/// Where the instruction pointer is among a process's registers.
const RIP: usize = offset_of!(libc::user, regs) + offset_of!(libc::user_regs_struct, rip);

/// The instruction pointer of a stopped process.
pub fn instruction(pid: libc::pid_t) -> u64 {
    // SAFETY: takes no pointers of ours.
    unsafe { libc::ptrace(libc::PTRACE_PEEKUSER, pid, RIP, 0) as u64 }
}

/// Sets the instruction pointer of a stopped process.
pub fn set_instruction(pid: libc::pid_t, address: u64) {
    // SAFETY: takes no pointers of ours.
    unsafe { libc::ptrace(libc::PTRACE_POKEUSER, pid, RIP, address) };
}

/// A handle that no other process gets, whoever has the number.
pub fn handle(pid: libc::pid_t) -> io::Result<OwnedFd> {
    // SAFETY: takes no pointers; the descriptor is new.
    unsafe {
        match libc::syscall(libc::SYS_pidfd_open, pid, 0) {
            fd if fd >= 0 => Ok(OwnedFd::from_raw_fd(fd as i32)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Kills a process, if it is still there.
pub fn kill(handle: &OwnedFd) {
    let nothing = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: a null pointer is allowed.
    unsafe {
        libc::syscall(libc::SYS_pidfd_send_signal, handle.as_raw_fd(), libc::SIGKILL, nothing, 0)
    };
}

/// Kills a tracee. Until it is reaped its number is its own.
pub fn kill_number(pid: libc::pid_t) {
    // SAFETY: takes no pointers.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

/// The memory of a process.
pub fn memory(pid: libc::pid_t) -> io::Result<File> {
    File::options().read(true).write(true).open(format!("/proc/{pid}/mem"))
}
