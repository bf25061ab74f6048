//! A program that we communicate with while it runs.
//!
//! Unlike a [`crate::Run`] it has no shepherd: it is a program of our own that ends when its standard
//! input does, so it outlives us by no more than it takes to see that. What it starts is its own responsibility.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use nix::libc;

use crate::child::command;

/// A running program. Dropping it kills it.
#[derive(Debug)]
pub struct Service {
    child: Child,
    /// What it reads.
    pub input: Option<ChildStdin>,
    /// What it prints.
    pub output: ChildStdout,
}

impl Service {
    /// Starts a program whose addresses are the same every time. Its messages go where ours go.
    pub fn start<S: AsRef<OsStr>>(
        program: &Path,
        args: impl IntoIterator<Item = S>,
    ) -> io::Result<Service> {
        let mut command = command(program.as_os_str());
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own: a Ctrl-C is for us, and we tell it.
        command.process_group(0);
        // SAFETY: one system call that changes nothing but the new process.
        unsafe {
            command.pre_exec(|| {
                match libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) {
                    -1 => Err(io::Error::last_os_error()),
                    _ => Ok(()),
                }
            });
        }
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        match output {
            Some(output) => Ok(Service { child, input, output }),
            None => Err(io::Error::other("it has no standard output")),
        }
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
        let _ = self.child.wait();
    }
}
