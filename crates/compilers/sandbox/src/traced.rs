//! Commands that the calling thread watches by `ptrace`.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;

use nix::libc;

/// Starts a command on our own streams, with the calling thread as its tracer and without address
/// space randomisation, and returns its process number. It has executed the program and not begun
/// to run it. The caller reaps it, and sees to it that it ends: only there is known when it has had
/// enough.
pub fn traced<S: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    args: impl IntoIterator<Item = S>,
) -> io::Result<i32> {
    let mut command = crate::child::command(program.as_ref());
    command.args(args);
    // SAFETY: two system calls and reads of the error number, between fork and exec.
    unsafe {
        command.pre_exec(|| {
            let old = libc::personality(0xffff_ffff);
            // A kernel that refuses (in some containers) only costs repeatability.
            if old >= 0 {
                libc::personality(old as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            }
            if libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) < 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
    let child = command.spawn()?;
    i32::try_from(child.id()).map_err(io::Error::other)
}
