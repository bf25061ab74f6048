//! The limits hold, and nothing is left running.

use std::time::{Duration, Instant};

use sandbox::{Ended, Run, Scratch, Status};

const LONG: Duration = Duration::from_secs(20);

fn sh(script: &str, wall: Duration) -> Run {
    Run::new("sh", wall).arg("-c").arg(script)
}

fn finished(run: Run) -> sandbox::Finished {
    match run.finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

/// True when the process with this number is gone, or a zombie, within a few seconds: SIGKILL is
/// certain, but not instant.
fn dies(pid: &str) -> bool {
    assert!(!pid.is_empty());
    let deadline = Instant::now() + Duration::from_secs(5);
    while Instant::now() < deadline {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if stat.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with('Z')) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

#[test]
fn status_and_both_streams() {
    let got = finished(sh("echo out; echo err >&2; exit 3", LONG));
    assert_eq!(got.status, Status::Exit(3));
    assert_eq!(got.stdout.bytes, b"out\n");
    assert_eq!(got.stderr.bytes, b"err\n");
    assert!(!got.stdout.truncated);
}

#[test]
fn signals_are_told_apart_from_statuses() {
    let got = finished(sh("kill -SEGV $$", LONG));
    assert_eq!(got.status, Status::Signal(11));
    assert_eq!(got.status.shell(), 139);
}

#[test]
fn stdin_of_any_size_goes_through() {
    let input = b"0123456789abcdef".repeat(100_000);
    let got = finished(Run::new("cat", LONG).stdin(input.clone()));
    assert_eq!(got.stdout.bytes, input);
}

#[test]
fn a_program_need_not_read_its_input() {
    let got = finished(Run::new("true", LONG).stdin(vec![b'x'; 1 << 20]));
    assert_eq!(got.status, Status::Exit(0));
}

#[test]
fn timeout_keeps_what_was_written() {
    let begin = Instant::now();
    let ended = sh("echo early; sleep 30", Duration::from_millis(300)).finish();
    let Ended::Killed(_, got) = ended else { panic!("{ended:?}") };
    assert_eq!(got.stdout.bytes, b"early\n");
    assert_eq!(got.status, Status::Signal(9));
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn timeout_kills_the_whole_group() {
    let ended = sh("sleep 30 & echo $!; wait", Duration::from_millis(300)).finish();
    let Ended::Killed(_, got) = ended else { panic!("{ended:?}") };
    let pid = got.stdout.text();
    assert!(dies(pid.trim()), "grandchild {pid} is alive");
}

#[test]
fn a_child_that_ends_first_leaves_no_orphan() {
    let begin = Instant::now();
    let got = finished(sh("sleep 30 & echo $!", LONG));
    assert_eq!(got.status, Status::Exit(0));
    assert!(begin.elapsed() < Duration::from_secs(10), "waited for the grandchild");
    let pid = got.stdout.text();
    assert!(dies(pid.trim()), "grandchild {pid} is alive");
}

#[test]
fn output_beyond_the_cap_is_dropped_not_waited_on() {
    let got = finished(sh("head -c 5000000 /dev/zero; exit 4", LONG).output_cap(1000));
    assert_eq!(got.stdout.bytes.len(), 1000);
    assert!(got.stdout.truncated);
    assert_eq!(got.status, Status::Exit(4));
}

#[test]
fn a_missing_program_is_a_value() {
    // Folders of the PATH that we may not read would make it "not permitted".
    let ended = Run::new("no-such-program-anywhere", LONG).env("PATH", "/usr/bin:/bin").finish();
    let Ended::NotStarted(error) = ended else { panic!("{ended:?}") };
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn processor_time_is_limited_and_measured() {
    let got = finished(sh("while :; do :; done", LONG).cpu(Duration::from_secs(1)));
    assert_eq!(got.status, Status::Signal(24), "SIGXCPU");
    // The kernel enforces by ticks and accounts by clock: the two differ on a busy machine.
    assert!(got.cpu >= Duration::from_millis(300), "{:?}", got.cpu);
}

#[test]
fn memory_is_limited() {
    let big = "x=$(head -c 300000000 /dev/zero | tr '\\0' x); echo ${#x}";
    let got = finished(sh(big, LONG).memory(200 << 20));
    assert_ne!(got.stdout.bytes, b"300000000\n");
}

#[test]
fn peak_memory_is_measured() {
    let got = finished(sh("x=$(head -c 30000000 /dev/zero | tr '\\0' x); echo ${#x}", LONG));
    assert!(got.peak_rss > 30_000_000, "{}", got.peak_rss);
}

#[test]
fn folder_and_environment() {
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("a"), "here").expect("a file in it");
    let got = finished(sh("cat a; echo $GREETING", LONG).cwd(scratch.path()).env("GREETING", "hi"));
    assert_eq!(got.stdout.text(), "herehi\n");
    let path = scratch.path().to_path_buf();
    drop(scratch);
    assert!(!path.exists());
}

/// A compiler that is killed leaves its temporary files: they go with the run.
#[test]
fn temporary_files_go_with_the_run() {
    let leave = "f=$(mktemp) && echo $f && exec sleep 300";
    let Ended::Killed(_, killed) = sh(leave, Duration::from_secs(2)).finish() else {
        panic!("it is killed");
    };
    let left = killed.stdout.text();
    let left = std::path::Path::new(left.trim());
    assert!(left.is_absolute() && !left.exists(), "{}", left.display());
    assert!(left.parent().is_some_and(|dir| !dir.exists()), "{}", left.display());
    // One that is given stays.
    let scratch = Scratch::new().expect("a temporary folder");
    let given = finished(sh("mktemp", LONG).env("TMPDIR", scratch.path())).stdout.text();
    assert!(std::path::Path::new(given.trim()).starts_with(scratch.path()), "{given}");
    assert!(std::path::Path::new(given.trim()).exists());
}
