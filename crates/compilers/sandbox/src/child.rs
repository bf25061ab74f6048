//! One run from our side: start a shepherd, feed and drain the program's pipes, decide when to
//! end it, and read the shepherd's report.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::folder::FolderWatch;
use crate::plan::{self, LaunchPlan};
use crate::procfs;
use crate::run::{Capture, Ended, Finished, KillReason, Run, Status};
use crate::scratch::Scratch;
use crate::shepherd::{self, Report};
use crate::signals::{self, RunGuard};

/// How long we read on after all processes are dead: what is in the pipes is there at once, and only
/// a stranger who was handed them could still hold them open.
const DRAIN: Duration = Duration::from_millis(200);

/// How long a shepherd may take to end everything. SIGKILL works at once except on a process that
/// is stuck in the kernel; we do not wait for that one, the shepherd does.
const GRACE: Duration = Duration::from_secs(10);

/// As good as no limit, and no clock overflows.
const FOREVER: Duration = Duration::from_secs(1 << 32);

/// The one place in the workspace that makes a `Command`.
#[allow(clippy::disallowed_methods)]
pub(crate) fn command(program: &OsStr) -> Command {
    Command::new(program)
}

/// Starts, watches and ends.
pub(crate) fn execute(run: &Run) -> io::Result<Ended> {
    let _running = RunGuard::new();
    let begin = Instant::now();
    if run.stop.as_ref().is_some_and(|stop| stop.is_set()) {
        return Ok(Ended::Killed(KillReason::Stop, Finished::nothing()));
    }
    let temporaries = plan::temporaries(run)?;
    let (mut shepherd, mut pipes) = Shepherd::start(run, temporaries.as_ref())?;
    let (why, report) = pipes.pump(&mut shepherd, run, begin)?;
    pipes.drain()?;
    shepherd.end(report.is_some());
    let account = report.unwrap_or(Report { status: libc::SIGKILL, ..Report::default() });
    if account.errno != 0 {
        return Err(io::Error::from_raw_os_error(account.errno));
    }
    let finished = Finished {
        status: status(account.status),
        stdout: pipes.stdout.capture,
        stderr: pipes.stderr.capture,
        wall: begin.elapsed(),
        cpu: Duration::from_micros(account.cpu),
        peak_rss: account.peak_rss * 1024,
    };
    match why.or((account.crowded != 0).then_some(KillReason::Processes)) {
        Some(why) => Ok(Ended::Killed(why, finished)),
        None if report.is_none() => Err(io::Error::other("its shepherd was killed")),
        None => Ok(Ended::Finished(finished)),
    }
}

fn status(status: i32) -> Status {
    if libc::WIFSIGNALED(status) {
        Status::Signal(libc::WTERMSIG(status))
    } else {
        Status::Exit(libc::WEXITSTATUS(status) as u8)
    }
}

/// A shepherd at work. Dropping it ends everything that it started.
struct Shepherd {
    pid: libc::pid_t,
    /// Closed to tell it to end.
    control: Option<PipeWriter>,
    report: PipeReader,
}

impl Shepherd {
    fn start<'a>(run: &'a Run, temporaries: Option<&Scratch>) -> io::Result<(Shepherd, Pipes<'a>)> {
        let plan = LaunchPlan::new(run, temporaries)?;
        let (child_in, stdin) = if run.stdin.is_empty() {
            (OwnedFd::from(File::open("/dev/null")?), None)
        } else {
            let (theirs, ours) = io::pipe()?;
            nonblocking(ours.as_fd())?;
            (theirs.into(), Some(ours))
        };
        let (stdout, child_out) = io::pipe()?;
        let (stderr, child_err) = io::pipe()?;
        let (report, reporting) = io::pipe()?;
        let (controlled, control) = io::pipe()?;
        let handed = [
            child_in.as_raw_fd(),
            child_out.as_raw_fd(),
            child_err.as_raw_fd(),
            reporting.as_raw_fd(),
            controlled.as_raw_fd(),
            plan.rules.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        ];
        let pipes = Pipes {
            stdin,
            input: &run.stdin,
            stdout: Reader::new(stdout, run.output_cap)?,
            stderr: Reader::new(stderr, run.output_cap)?,
        };
        let pid = fork(&plan, &handed)?;
        Ok((Shepherd { pid, control: Some(control), report }, pipes))
    }

    /// Tells it to end everything.
    fn dismiss(&mut self) {
        self.control = None;
    }

    /// Reads the report, once the pipe is readable; `None` when the shepherd died before.
    fn read(&mut self) -> Option<Report> {
        let mut bytes = [0; size_of::<Report>()];
        self.report.read_exact(&mut bytes).ok()?;
        // SAFETY: written by our own fork from the same type, which is plain numbers.
        Some(unsafe { bytes.as_ptr().cast::<Report>().read_unaligned() })
    }

    /// Reaps it. When it has not done its work, kills what is left of its session, which is still
    /// there to be found.
    fn end(mut self, reported: bool) {
        self.dismiss();
        if !reported {
            let session = self.pid;
            procfs::each(|process| {
                if process.session == session && process.pid != session {
                    // SAFETY: takes no pointers. The session's leader is not reaped, so its number
                    // is not another's.
                    unsafe { libc::kill(process.pid, libc::SIGKILL) };
                }
            });
        }
    }
}

impl Drop for Shepherd {
    fn drop(&mut self) {
        self.dismiss();
        let deadline = Instant::now() + GRACE;
        loop {
            // It is about to exit, or has reported: waiting is short. Only one that has something
            // stuck in the kernel on its hands is left alone.
            let mut ready = [PollFd::new(self.report.as_fd(), PollFlags::POLLHUP)];
            let left = deadline.saturating_duration_since(Instant::now());
            let hung_up = poll(&mut ready, timeout(left)).is_ok_and(|n| n > 0);
            let options = if hung_up { 0 } else { libc::WNOHANG };
            // SAFETY: no pointers but a null one, which is allowed.
            let got = unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), options) };
            let again = got < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
            if !again && (got != 0 || left.is_zero()) {
                return;
            }
        }
    }
}

/// Forks a shepherd. No signal can reach it before it has its own ways, or ever.
fn fork(plan: &LaunchPlan, handed: &shepherd::HandedDescriptors) -> io::Result<libc::pid_t> {
    let (mut all, mut old) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: the sets are locals. The fork calls `live` at once, which is made for it.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), old.as_mut_ptr());
        let pid = libc::fork();
        if pid == 0 {
            shepherd::shepherd_main(plan, handed);
        }
        let error = io::Error::last_os_error();
        libc::pthread_sigmask(libc::SIG_SETMASK, old.as_ptr(), std::ptr::null_mut());
        if pid < 0 { Err(error) } else { Ok(pid) }
    }
}

/// Our ends of the program's pipes.
struct Pipes<'a> {
    stdin: Option<PipeWriter>,
    input: &'a [u8],
    stdout: Reader,
    stderr: Reader,
}

impl Pipes<'_> {
    /// Feeds and drains until the shepherd reports; tells it to end when there is a reason.
    fn pump(
        &mut self,
        shepherd: &mut Shepherd,
        run: &Run,
        begin: Instant,
    ) -> io::Result<(Option<KillReason>, Option<Report>)> {
        let mut why = None;
        let mut deadline = begin + run.wall.min(FOREVER);
        let mut folder = run.folder_cap.as_ref().map(|(dir, cap)| FolderWatch::new(dir, *cap));
        loop {
            let stop = run.stop.as_ref().and_then(|stop| stop.event());
            let watched = [Some(shepherd.report.as_fd()), stop, signals::death()];
            // What has made us kill it stays ready: from then on only the report counts.
            let watched = if why.is_some() { &watched[..1] } else { &watched[..] };
            let until = folder.as_ref().map_or(deadline, |watch| deadline.min(watch.next()));
            let ready = self.step(watched, until.saturating_duration_since(Instant::now()))?;
            if ready & 1 != 0 {
                return Ok((why, shepherd.read()));
            }
            let late = Instant::now() >= deadline;
            if why.is_some() {
                if late {
                    return Ok((why, None));
                }
                continue;
            }
            if ready != 0 {
                why = Some(KillReason::Stop);
            } else if late {
                why = Some(KillReason::Wall);
            } else if folder.as_mut().is_some_and(FolderWatch::exceeded) {
                why = Some(KillReason::Folder);
            }
            if why.is_some() {
                shepherd.dismiss();
                folder = None;
                deadline = Instant::now() + GRACE;
            }
        }
    }

    /// Reads what the dead left in their pipes.
    fn drain(&mut self) -> io::Result<()> {
        self.stdin = None;
        let deadline = Instant::now() + DRAIN;
        while self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.step(&[], left)?;
        }
        Ok(())
    }

    /// Waits for any descriptor once and serves our own; bit `i` says that `watched[i]` is ready.
    fn step(&mut self, watched: &[Option<BorrowedFd>], left: Duration) -> io::Result<u32> {
        let mut fds = Vec::with_capacity(6);
        let mut places = Vec::with_capacity(3);
        for (place, fd) in watched.iter().enumerate() {
            if let Some(fd) = fd {
                fds.push(PollFd::new(*fd, PollFlags::POLLIN));
                places.push(place);
            }
        }
        fds.extend(self.stdin.as_ref().map(|p| PollFd::new(p.as_fd(), PollFlags::POLLOUT)));
        for reader in [&self.stdout, &self.stderr] {
            fds.extend(reader.pipe.as_ref().map(|p| PollFd::new(p.as_fd(), PollFlags::POLLIN)));
        }
        match poll(&mut fds, timeout(left)) {
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => return Ok(0),
            Err(error) => return Err(error.into()),
        }
        let ready = places.iter().zip(&fds).filter(|(_, fd)| fd.any() == Some(true));
        let ready = ready.fold(0, |ready, (place, _)| ready | 1 << place);
        drop(fds);
        self.feed();
        self.stdout.read()?;
        self.stderr.read()?;
        Ok(ready)
    }

    /// Writes what the program will take; it need not want its input.
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

/// Rounded up, so that the last wait does not spin through its final millisecond.
fn timeout(left: Duration) -> PollTimeout {
    let millis = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
    PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX)
}

/// One output stream, read up to a cap and dropped after it.
struct Reader {
    pipe: Option<PipeReader>,
    cap: usize,
    capture: Capture,
}

impl Reader {
    fn new(pipe: PipeReader, cap: usize) -> io::Result<Reader> {
        nonblocking(pipe.as_fd())?;
        Ok(Reader { pipe: Some(pipe), cap, capture: Capture::default() })
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
