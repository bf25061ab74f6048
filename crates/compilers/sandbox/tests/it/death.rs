//! However we die, nothing of what we started stays, and our folders do not stay for long.
//!
//! The process that dies is this test binary again, told by a variable what to do.

#![allow(clippy::disallowed_methods, unsafe_code)]

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{LONG, MARK, alive, eventually, mark, sh};
use nix::sys::signal::{SigHandler, Signal, signal};
use sandbox::{Ended, KillReason, Scratch, Stop};

const ROLE: &str = "SANDBOX_TEST_ROLE";

/// The folder that the dying process has made, and that for the temporary files of what it runs.
const FOLDERS: usize = 2;

/// Two processes to start with, one in a session of its own.
const TWO: &str = "setsid sleep 300 & sleep 300";

/// Not a test: what the dying process does. Its temporary folder is the test's.
#[test]
fn role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    match role.as_str() {
        "sweep" => std::process::exit(sandbox::sweep() as i32),
        "orderly" => sandbox::die_with_children(),
        "stop" | "deaf" => _ = Stop::on_signals(),
        _ => {}
    }
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("held"), "held").expect("a file");
    let mut run = sh(TWO, LONG);
    if role == "stop" {
        run = run.stop(&Stop::on_signals());
    }
    let ended = run.finish();
    drop(scratch);
    std::process::exit(if matches!(ended, Ended::Killed(KillReason::Stop, _)) { 42 } else { 1 });
}

struct Dying {
    child: Child,
    mark: String,
    dir: Scratch,
}

impl Dying {
    /// Starts the role and waits until what it starts is there.
    fn new(role: &str) -> Dying {
        let dir = Scratch::new().expect("a temporary folder");
        let mark = mark();
        let exe = std::env::current_exe().expect("a path");
        Dying::with(Command::new(exe), role, dir, mark)
    }

    fn with(command: Command, role: &str, dir: Scratch, mark: String) -> Dying {
        let child = start(command, role, dir.path(), &mark);
        let dying = Dying { child, mark, dir };
        // The test binary itself, and two that sleep; a shell may be a fourth.
        assert!(eventually(|| alive(&dying.mark).len() >= 3), "{:?}", alive(&dying.mark));
        assert_eq!(dying.folders().len(), FOLDERS);
        dying
    }

    fn folders(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.dir.path()).expect("our folder").flatten();
        entries.map(|entry| entry.path()).collect()
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().is_ok_and(|s| s.success()));
    }

    /// Waits for its end and that of all it started; signal and status.
    fn end(&mut self) -> (Option<i32>, Option<i32>) {
        let status = self.child.wait().expect("it ends");
        let gone = eventually(|| alive(&self.mark).is_empty());
        assert!(gone, "left: {:?}", alive(&self.mark));
        (status.signal(), status.code())
    }
}

fn start(mut command: Command, role: &str, dir: &Path, mark: &str) -> Child {
    command
        .args(["--exact", "death::role", "--nocapture"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.env(ROLE, role).env("TMPDIR", dir).env(MARK, mark);
    // Whoever runs the tests in the background may have these ignored, which is inherited.
    let heed = || {
        for heeded in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGTERM] {
            // SAFETY: no handler is installed.
            unsafe { signal(heeded, SigHandler::SigDfl)? };
        }
        Ok(())
    };
    // SAFETY: `signal` is async-signal-safe, and the closure allocates nothing.
    unsafe { command.pre_exec(heed) };
    command.spawn().expect("this binary starts")
}

fn sweep(dir: &Path) -> Option<i32> {
    let exe = Command::new(std::env::current_exe().expect("a path"));
    start(exe, "sweep", dir, "none").wait().ok()?.code()
}

#[test]
fn killed_outright() {
    let mut dying = Dying::new("plain");
    assert_eq!(sweep(dying.dir.path()), Some(0), "it is alive");
    dying.signal("-KILL");
    assert_eq!(dying.end(), (Some(9), None));
    assert_eq!(dying.folders().len(), FOLDERS);
    assert_eq!(sweep(dying.dir.path()), Some(FOLDERS as i32));
    assert_eq!(dying.folders().len(), 0);
}

#[test]
fn told_to_die() {
    for (name, number) in [("-TERM", 15), ("-INT", 2), ("-HUP", 1)] {
        let mut dying = Dying::new("orderly");
        dying.signal(name);
        assert_eq!(dying.end(), (Some(number), None));
        assert_eq!(dying.folders().len(), 0);
    }
}

#[test]
fn asked_to_stop() {
    let mut dying = Dying::new("stop");
    dying.signal("-INT");
    assert_eq!(dying.end(), (None, Some(42)));
    assert_eq!(dying.folders().len(), 0);
}

#[test]
fn asked_twice() {
    let mut dying = Dying::new("deaf");
    dying.signal("-INT");
    // Too soon: taken for the same.
    dying.signal("-INT");
    std::thread::sleep(Duration::from_millis(700));
    assert!(dying.child.try_wait().is_ok_and(|status| status.is_none()), "died of the first");
    dying.signal("-TERM");
    assert_eq!(dying.end(), (Some(15), None));
    assert_eq!(dying.folders().len(), 0);
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]);
    shell.arg(std::env::current_exe().expect("a path"));
    let dir = Scratch::new().expect("a temporary folder");
    let mut dying = Dying::with(shell, "orderly", dir, mark());
    dying.signal("-HUP");
    std::thread::sleep(Duration::from_millis(300));
    assert!(dying.child.try_wait().is_ok_and(|status| status.is_none()), "died");
    dying.signal("-TERM");
    assert_eq!(dying.end(), (Some(15), None));
}
