//! One child from start to reaping: spawn, feed and drain its pipes, time out, kill, account.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::run::{Capture, Ended, Finished, Run, Status, Why};
use crate::signals::Registered;

/// How long we read on after the group is dead: what is in the pipes is there at once, and only a
/// process that left its group could still hold them open.
const DRAIN: Duration = Duration::from_millis(200);

/// The one place in the workspace that makes a `Command`.
#[allow(clippy::disallowed_methods)]
pub(crate) fn command(program: &OsStr) -> Command {
    Command::new(program)
}

/// Starts, watches and reaps.
pub(crate) fn execute(run: &Run) -> io::Result<Ended> {
    let begin = Instant::now();
    let mut child = spawn(run)?;
    let group = Pid::from_raw(child.id() as i32);
    let registered = Registered::new(group.as_raw());
    let watched = pidfd(&child).and_then(|pidfd| {
        let mut pipes = Pipes::new(&mut child, run)?;
        let in_time = pipes.pump(&pidfd, begin + run.wall)?;
        // The leader is dead or about to be, but not reaped: its number is still ours, so this
        // cannot hit a stranger. An empty group is no error.
        let _ = killpg(group, Signal::SIGKILL);
        pipes.drain()?;
        Ok((in_time, pipes.stdout.capture, pipes.stderr.capture))
    });
    if watched.is_err() {
        let _ = killpg(group, Signal::SIGKILL);
    }
    let (status, cpu, peak_rss) = reap(group)?;
    drop(registered);
    let (in_time, stdout, stderr) = watched?;
    let finished = Finished { status, stdout, stderr, wall: begin.elapsed(), cpu, peak_rss };
    Ok(if in_time { Ended::Finished(finished) } else { Ended::Killed(Why::Wall, finished) })
}

fn spawn(run: &Run) -> io::Result<Child> {
    let mut command = command(run.program.as_os_str());
    command.args(&run.args).envs(run.env.iter().map(|(k, v)| (k, v)));
    if let Some(dir) = &run.cwd {
        command.current_dir(dir);
    }
    command.stdin(if run.stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let cpu = run.cpu.map(|limit| limit.as_secs() + u64::from(limit.subsec_nanos() > 0));
    let memory = run.memory;
    let parent = std::process::id();
    let limits = move || -> io::Result<()> {
        if let Some(seconds) = cpu {
            // One second more before SIGKILL, for a program that ignores SIGXCPU.
            setrlimit(Resource::RLIMIT_CPU, seconds, seconds + 1)?;
        }
        if let Some(bytes) = memory {
            setrlimit(Resource::RLIMIT_AS, bytes, bytes)?;
        }
        // A crashing compiler is our daily bread; its core files are not.
        setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
        // SAFETY: prctl with these arguments and getppid take no pointers.
        let orphan = unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::getppid() as u32 != parent
        };
        if orphan { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    };
    // SAFETY: between fork and exec the closure makes only system calls that are
    // async-signal-safe, and allocates nothing: its errors carry only a number.
    unsafe { command.pre_exec(limits) };
    command.spawn()
}

/// A descriptor that becomes readable when the child has ended.
fn pidfd(child: &Child) -> io::Result<OwnedFd> {
    // SAFETY: the system call takes a process number and flags, no pointers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, child.id() as libc::pid_t, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just given us this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Collects the ended leader with its accounts: status, processor time, peak resident bytes.
fn reap(child: Pid) -> io::Result<(Status, Duration, u64)> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid value of that plain C struct.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live locals of the right types.
        let got = unsafe { libc::wait4(child.as_raw(), &mut status, 0, &mut usage) };
        if got == child.as_raw() {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let status = if libc::WIFSIGNALED(status) {
        Status::Signal(libc::WTERMSIG(status))
    } else {
        Status::Exit(libc::WEXITSTATUS(status) as u8)
    };
    let time = |t: libc::timeval| {
        Duration::from_secs(t.tv_sec as u64) + Duration::from_micros(t.tv_usec as u64)
    };
    Ok((status, time(usage.ru_utime) + time(usage.ru_stime), usage.ru_maxrss as u64 * 1024))
}

/// Our ends of the child's pipes.
struct Pipes<'a> {
    stdin: Option<ChildStdin>,
    input: &'a [u8],
    stdout: Reader,
    stderr: Reader,
}

impl<'a> Pipes<'a> {
    fn new(child: &mut Child, run: &'a Run) -> io::Result<Pipes<'a>> {
        let stdin = child.stdin.take();
        if let Some(stdin) = &stdin {
            nonblocking(stdin.as_fd())?;
        }
        let stdout = Reader::new(child.stdout.take().map(OwnedFd::from), run.output_cap)?;
        let stderr = Reader::new(child.stderr.take().map(OwnedFd::from), run.output_cap)?;
        Ok(Pipes { stdin, input: &run.stdin, stdout, stderr })
    }

    /// Feeds and drains until the leader ends; false when the deadline comes first.
    fn pump(&mut self, pidfd: &OwnedFd, deadline: Instant) -> io::Result<bool> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            if self.step(Some(pidfd.as_fd()), left)? {
                return Ok(true);
            }
        }
    }

    /// Reads what a dead group left in its pipes.
    fn drain(&mut self) -> io::Result<()> {
        self.stdin = None;
        let deadline = Instant::now() + DRAIN;
        while self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.step(None, left)?;
        }
        Ok(())
    }

    /// Waits for any descriptor once and serves those that are ready; true when the leader ended.
    fn step(&mut self, pidfd: Option<BorrowedFd>, left: Duration) -> io::Result<bool> {
        let mut fds = Vec::with_capacity(4);
        fds.extend(pidfd.map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        fds.extend(self.stdin.as_ref().map(|p| PollFd::new(p.as_fd(), PollFlags::POLLOUT)));
        for reader in [&self.stdout, &self.stderr] {
            fds.extend(reader.pipe.as_ref().map(|p| PollFd::new(p.as_fd(), PollFlags::POLLIN)));
        }
        // Rounded up, so that the last wait does not spin through its final millisecond.
        let timeout = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
        match poll(&mut fds, PollTimeout::try_from(timeout).unwrap_or(PollTimeout::MAX)) {
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        let ended = pidfd.is_some() && fds.first().is_some_and(|fd| fd.any() == Some(true));
        drop(fds);
        self.feed();
        self.stdout.read()?;
        self.stderr.read()?;
        Ok(ended)
    }

    /// Writes what the child will take; it need not want its input.
    fn feed(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        match stdin.write(self.input) {
            Ok(n) => self.input = &self.input[n..],
            Err(error) if retry(&error) => return,
            Err(_) => self.input = &[],
        }
        if self.input.is_empty() {
            self.stdin = None;
        }
    }
}

/// One output stream, read up to a cap and dropped after it.
struct Reader {
    pipe: Option<std::fs::File>,
    cap: usize,
    capture: Capture,
}

impl Reader {
    fn new(pipe: Option<OwnedFd>, cap: usize) -> io::Result<Reader> {
        if let Some(pipe) = &pipe {
            nonblocking(pipe.as_fd())?;
        }
        Ok(Reader { pipe: pipe.map(std::fs::File::from), cap, capture: Capture::default() })
    }

    /// Takes what is there without waiting; closes the pipe at its end.
    fn read(&mut self) -> io::Result<()> {
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        // As large as a pipe: one call empties it.
        let mut buffer = [0; 1 << 16];
        match pipe.read(&mut buffer) {
            Ok(0) => self.pipe = None,
            Ok(n) => {
                let keep = n.min(self.cap - self.capture.bytes.len());
                self.capture.bytes.extend_from_slice(&buffer[..keep]);
                self.capture.truncated |= keep < n;
            }
            Err(error) if retry(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

fn retry(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn nonblocking(fd: BorrowedFd) -> io::Result<()> {
    let flags = OFlag::from_bits_truncate(fcntl(fd, FcntlArg::F_GETFL)?);
    fcntl(fd, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}
