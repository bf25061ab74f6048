//! Commands that share the terminal with the person who started us.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use crate::Status;

/// Runs a command on our own terminal and in our own process group, so that it can ask for a
/// password and Ctrl-C reaches it as usual, and waits for it. No limits: a person is watching.
pub fn foreground<S: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    args: impl IntoIterator<Item = S>,
    env: &[(&str, &str)],
    cwd: Option<&Path>,
) -> io::Result<Status> {
    let mut command = crate::child::command(program.as_ref());
    command.args(args).envs(env.iter().copied());
    if let Some(dir) = cwd {
        command.current_dir(dir);
    }
    let status = command.status()?;
    Ok(match status.signal() {
        Some(signal) => Status::Signal(signal),
        None => Status::Exit(status.code().unwrap_or(0) as u8),
    })
}
