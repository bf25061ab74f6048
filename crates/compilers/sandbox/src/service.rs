//! A program that we communicate with while it runs.
//!
//! Unlike a [`crate::Run`] it has no shepherd: it is a program of our own that ends when its standard
//! input does, so it outlives us by no more than it takes to see that. What it starts is its own responsibility.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use nix::libc;

use crate::child::command;
use crate::root::Root;

/// A running program. Dropping it kills it.
#[derive(Debug)]
pub struct Service {
    child: Child,
    /// What it reads.
    pub input: Option<ChildStdin>,
    /// What it prints.
    pub output: ChildStdout,
    /// Processor time that it says it used, its children included.
    noted: Duration,
}

impl Service {
    /// Starts a program of ours whose addresses are the same every time, where the system allows that: some
    /// containers do not. Its messages go where ours go. With a root it sees the libraries of that system.
    pub fn start<S: AsRef<OsStr>>(
        program: &Path,
        args: impl IntoIterator<Item = S>,
        root: Option<&Root>,
    ) -> io::Result<Service> {
        // In another system its path may lead elsewhere.
        let file = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(program)?;
        let entry = root.map(Root::entry).transpose()?.flatten();
        let mut words = root.and_then(Root::loader).unwrap_or_default();
        words.push(match root {
            Some(_) => OsString::from(format!("/proc/self/fd/{}", file.as_raw_fd())),
            None => program.into(),
        });
        let mut command = command(&words[0]);
        command.args(&words[1..]).args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own: a Ctrl-C is for us, and we tell it.
        command.process_group(0);
        let kept = root.map(|_| file.as_raw_fd());
        // SAFETY: system calls that change nothing but the new process, which has one thread.
        unsafe {
            command.pre_exec(move || {
                libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
                // A loader opens it after it has taken our place.
                kept.map(|fd| libc::fcntl(fd, libc::F_SETFD, 0));
                entry.as_ref().map_or(Ok(()), |e| e.enter().map_err(io::Error::from_raw_os_error))
            });
        }
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        match output {
            Some(output) => Ok(Service { child, input, output, noted: Duration::ZERO }),
            None => Err(io::Error::other("it has no standard output")),
        }
    }

    /// Notes processor time that it says it used, it and its children, since it last said so. The kernel
    /// accounts that to us only when it ends.
    pub fn note_used(&mut self, time: Duration) {
        self.noted += time;
        crate::run::note_served(time);
    }

    /// Its process number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.input = None;
        // It may have ended already; either way it is gone afterwards.
        let _ = self.child.kill();
        crate::run::settle_served(self.noted, wait(self.child.id()).unwrap_or(self.noted));
    }
}

/// Waits for a child; the processor time of it and of the children that it waited for.
fn wait(child: u32) -> Option<Duration> {
    let (child, mut status) = (child.cast_signed(), 0);
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: a child of ours that nobody else waits for, and places for the answers.
        let ended = unsafe { libc::wait4(child, &mut status, 0, usage.as_mut_ptr()) };
        if ended == child {
            break;
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return None;
        }
    }
    // SAFETY: it was filled; zeros are a valid one anyway.
    let usage = unsafe { usage.assume_init() };
    let of = |time: libc::timeval| {
        let seconds = Duration::from_secs(time.tv_sec.unsigned_abs());
        seconds + Duration::from_micros(time.tv_usec.unsigned_abs())
    };
    Some(of(usage.ru_utime) + of(usage.ru_stime))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn it_starts_where_personality_is_refused() {
        // In a process of its own: what is forbidden stays forbidden.
        // SAFETY: the child forbids itself one call, starts a program and ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let said = refuse_personality().and_then(|()| {
                let mut service = Service::start(Path::new("/bin/echo"), ["hello"], None)?;
                let mut text = String::new();
                service.output.read_to_string(&mut text)?;
                Ok(text)
            });
            // SAFETY: ends the child.
            unsafe { libc::_exit(if said.is_ok_and(|text| text == "hello\n") { 0 } else { 1 }) }
        }
        let mut status = 0;
        // SAFETY: a child of ours.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0, "it did not start");
    }

    /// Has the kernel answer `personality` with EPERM.
    fn refuse_personality() -> io::Result<()> {
        let [load, jump, ret] = [
            libc::BPF_LD | libc::BPF_W | libc::BPF_ABS,
            libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
            libc::BPF_RET | libc::BPF_K,
        ];
        let one =
            |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter { code: code as u16, jt, jf, k };
        let mut filter = [
            one(load, 0, 0, 0),
            one(jump, 0, 1, libc::SYS_personality as u32),
            one(ret, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
            one(ret, 0, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
        // SAFETY: a filter of as many instructions as it says, for this process alone; afterwards a call
        // that changes nothing shows that it works.
        unsafe {
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program) != 0
            {
                return Err(io::Error::last_os_error());
            }
            match libc::personality(0xffff_ffff) {
                -1 => Ok(()),
                _ => Err(io::Error::other("it is not refused")),
            }
        }
    }

    #[test]
    fn what_it_used_is_accounted_when_it_ends() {
        let before = crate::spent();
        let busy = ["-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; echo done; read x"];
        let mut service = Service::start(Path::new("/bin/sh"), busy, None).expect("it starts");
        service.note_used(Duration::from_secs(1000));
        assert!(crate::served() >= Duration::from_secs(1000), "what it says counts meanwhile");
        let mut told = [0; 5];
        service.output.read_exact(&mut told).expect("it is done");
        drop(service);
        let used = crate::spent().saturating_sub(before);
        assert!(used > Duration::from_millis(2) && used < Duration::from_secs(900), "{used:?}");
    }
}
