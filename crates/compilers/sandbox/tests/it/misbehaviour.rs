//! Programs that go wrong in every way we know: each ends, for the right reason, and alone.

use std::time::{Duration, Instant};

use crate::common::{LONG, compile, finished, killed, leaves_nothing, sh};
use sandbox::{Ended, KillReason, Run, Scratch, Status, Stop};

const SHORT: Duration = Duration::from_millis(400);

#[test]
fn hangs() {
    let ended = leaves_nothing(sh("echo begun; sleep 300", SHORT));
    let Ended::Killed(KillReason::Wall, done) = ended else { panic!("{ended:?}") };
    assert_eq!(done.stdout.text(), "begun\n");
    assert!(done.wall >= SHORT && done.wall < Duration::from_secs(20), "{:?}", done.wall);
}

#[test]
fn ignores_polite_signals() {
    let ended = leaves_nothing(sh("trap '' TERM INT HUP; sleep 300; sleep 300", SHORT));
    assert!(matches!(ended, Ended::Killed(KillReason::Wall, _)), "{ended:?}");
}

#[test]
fn outlives_its_driver() {
    let begin = Instant::now();
    let ended = leaves_nothing(sh("sleep 300 & exit 7", LONG));
    let Ended::Finished(done) = ended else { panic!("{ended:?}") };
    assert_eq!(done.status, Status::Exit(7));
    assert!(begin.elapsed() < LONG / 2);
}

#[test]
fn becomes_a_daemon() {
    // In the first, the inner shell is gone before the outer: a double fork in a new session.
    let script = "(setsid sh -c 'sleep 300; :' & ) ; (setsid setsid sleep 300 &) ; echo $$";
    let ended = leaves_nothing(sh(script, LONG));
    assert!(matches!(ended, Ended::Finished(_)), "{ended:?}");
    let ended = leaves_nothing(sh("(setsid sh -c 'sleep 300; :' &) ; sleep 300", SHORT));
    assert!(matches!(ended, Ended::Killed(KillReason::Wall, _)), "{ended:?}");
}

/// Each process forks the next in a session of its own and ends: whoever kills the one that it saw
/// comes too late.
#[test]
fn runs_away_from_its_killer() {
    let scratch = Scratch::new().expect("a temporary folder");
    let source = r"
        #include <unistd.h>
        int main(void) {
            if (fork()) return 0;
            for (int i = 0; i < 3000; i++) {
                setsid();
                if (fork()) _exit(0);
            }
            sleep(300);
        }";
    let Some(program) = compile(scratch.path(), source) else { return };
    let ended = leaves_nothing(Run::new(program, LONG));
    assert!(matches!(ended, Ended::Finished(_)), "{ended:?}");
}

#[test]
fn forks_without_end() {
    let bomb = "i=0; while [ $i -lt 300 ]; do sleep 300 & i=$((i+1)); done; wait";
    let ended = leaves_nothing(sh(bomb, LONG).processes(40));
    let Ended::Killed(why, done) = ended else { panic!("{ended:?}") };
    assert_eq!(why, KillReason::Processes);
    assert!(done.wall < LONG / 2);
    // In sessions of their own, and without a limit: all the same.
    let bomb = "i=0; while [ $i -lt 100 ]; do setsid sleep 300 & i=$((i+1)); done";
    let ended = leaves_nothing(sh(bomb, LONG));
    assert!(matches!(ended, Ended::Finished(_)), "{ended:?}");
}

#[test]
fn processes_one_after_the_other_are_not_many() {
    let script = "i=0; while [ $i -lt 60 ]; do sleep 0.005; i=$((i+1)); done; echo done";
    assert_eq!(finished(&sh(script, LONG).processes(10)).stdout.text(), "done\n");
}

#[test]
fn eats_memory() {
    let scratch = Scratch::new().expect("a temporary folder");
    let source = r"
        #include <stdlib.h>
        #include <string.h>
        int main(void) {
            for (int i = 0; i < 1000; i++) {
                char *p = malloc(1 << 20);
                if (!p) return i < 300 ? 9 : 0;
                memset(p, 1, 1 << 20);
            }
        }";
    let Some(program) = compile(scratch.path(), source) else { return };
    let done = finished(&Run::new(program, LONG).memory(200 << 20));
    assert_eq!(done.status, Status::Exit(9));
    assert!(done.peak_rss > 50 << 20, "{}", done.peak_rss);
}

#[test]
fn writes_one_big_file() {
    let scratch = Scratch::new().expect("a temporary folder");
    let run = sh("exec head -c 50000000 /dev/zero > big", LONG).cwd(scratch.path());
    let done = finished(&run.file_size(1 << 20));
    assert_eq!(done.status, Status::Signal(25), "SIGXFSZ");
    let length = std::fs::metadata(scratch.file("big")).map(|m| m.len());
    assert!(length.is_ok_and(|n| n <= 1 << 20));
}

#[test]
fn writes_many_files() {
    let scratch = Scratch::new().expect("a temporary folder");
    // At most 200 MB, if nobody stops it.
    let fill = "i=0; mkdir d; while [ $i -lt 400 ]; do
        head -c 500000 /dev/zero > d/$i; sleep 0.01; i=$((i+1)); done; sleep 300";
    let run = sh(fill, LONG).cwd(scratch.path()).folder_cap(scratch.path(), 3_000_000);
    let (why, done) = killed(&run);
    assert_eq!(why, KillReason::Folder);
    assert!(done.wall < LONG / 2);
    let few = sh("echo 1 > small; sleep 0.3; echo ok", LONG).cwd(scratch.path());
    let other = Scratch::new().expect("a temporary folder");
    assert_eq!(finished(&few.folder_cap(other.path(), 1 << 20)).stdout.text(), "ok\n");
}

#[test]
fn prints_without_end() {
    let noise = sh("cat /dev/urandom & exec cat /dev/urandom >&2", SHORT).output_cap(10_000);
    let ended = leaves_nothing(noise);
    let Ended::Killed(KillReason::Wall, done) = ended else { panic!("{ended:?}") };
    assert!(done.stdout.truncated && done.stderr.truncated);
    assert_eq!((done.stdout.bytes.len(), done.stderr.bytes.len()), (10_000, 10_000));
}

#[test]
fn closes_its_streams_and_goes_on() {
    let done = finished(&sh("exec 0<&- 1>&- 2>&-; sleep 0.3; exit 5", LONG));
    assert_eq!(done.status, Status::Exit(5));
    assert!(done.wall >= Duration::from_millis(300));
}

#[test]
fn the_processor_time_of_orphans_counts() {
    let burn = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
    // The shell does not wait for the one that burns.
    let done = finished(&sh(&format!("(setsid sh -c '{burn}' &); sleep 3"), LONG));
    assert!(done.cpu > Duration::from_millis(50), "{:?}", done.cpu);
}

#[test]
fn inherits_nothing_but_its_streams() {
    let _open = std::fs::File::open("/dev/null");
    let listed = finished(&Run::new("ls", LONG).arg("/proc/self/fd")).stdout.text();
    assert_eq!(listed, "0\n1\n2\n3\n", "the last is ls's own");
    let status = finished(&Run::new("cat", LONG).arg("/proc/self/status")).stdout.text();
    for line in ["SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000", "NoNewPrivs:\t1"] {
        assert!(status.lines().any(|have| have == line), "no {line} in {status}");
    }
    let tty = finished(&sh(": < /dev/tty", LONG));
    assert_ne!(tty.status, Status::Exit(0), "it has a terminal");
}

#[test]
fn what_cannot_be_started_says_why() {
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("plain"), "text").expect("a file");
    let why = |run: Run| match run.finish() {
        Ended::NotStarted(error) => error.raw_os_error(),
        other => panic!("{other:?}"),
    };
    let (enoent, eacces) = (Some(2), Some(13));
    assert_eq!(why(Run::new(scratch.file("plain"), LONG)), eacces);
    assert_eq!(why(Run::new(scratch.file("missing"), LONG)), enoent);
    assert_eq!(why(Run::new("true", LONG).cwd(scratch.file("missing"))), enoent);
    let zero = Run::new("true", LONG).arg("a\0b").finish();
    assert!(matches!(zero, Ended::NotStarted(_)), "{zero:?}");
}

#[test]
fn a_stop_ends_what_watches_it() {
    let stop = Stop::new();
    let runs: Vec<_> = (0..4)
        .map(|_| {
            let run = sh("setsid sleep 300 & sleep 300", LONG).stop(&stop);
            std::thread::spawn(move || leaves_nothing(run))
        })
        .collect();
    std::thread::sleep(Duration::from_millis(200));
    let begin = Instant::now();
    stop.set();
    for run in runs {
        let ended = run.join().expect("no panic");
        assert!(matches!(ended, Ended::Killed(KillReason::Stop, _)), "{ended:?}");
    }
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert!(matches!(sh("echo", LONG).stop(&stop).finish(), Ended::Killed(KillReason::Stop, _)));
}

/// A program that kills its shepherd is still ended, and so is its session.
#[test]
fn kills_its_shepherd() {
    let ended = leaves_eventually_nothing("sleep 300 & kill -9 $PPID; sleep 300");
    assert!(matches!(ended, Ended::NotStarted(_)), "{ended:?}");
}

fn leaves_eventually_nothing(script: &str) -> Ended {
    let mark = crate::common::mark();
    let ended = sh(script, LONG).env(crate::common::MARK, &mark).finish();
    assert!(
        crate::common::eventually(|| crate::common::alive(&mark).is_empty()),
        "{:?}",
        crate::common::alive(&mark)
    );
    ended
}
