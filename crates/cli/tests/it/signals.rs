//! Stopping `gainsay` stops the preprocessor it started.

use std::fs;
use std::time::{Duration, Instant};

use sandbox::{Ended, Run, Scratch};

/// Command lines of all processes that mention `word`.
fn processes(word: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("/proc is there").flatten();
    let lines = entries.filter_map(|e| fs::read(e.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(word)).collect()
}

/// Repeats `check` until it holds, for at most ten seconds.
fn eventually(check: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !check() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

#[test]
fn a_signal_takes_the_preprocessor_along() {
    let scratch = Scratch::new().expect("a temporary folder");
    // A pipe that nobody writes to keeps the preprocessor waiting. The file is named in full so
    // that its processes can be found.
    let file = scratch.file("waiting.c");
    let path = file.display().to_string();
    let number = scratch.file("number");
    let script = "mkfifo \"$1\"; \"$0\" run \"$1\" & echo $! > \"$2\"; wait $!; echo $?";
    let run = Run::new("sh", Duration::from_secs(30))
        .args(["-c", script, env!("CARGO_BIN_EXE_gainsay"), &path])
        .arg(&number);
    let shell = std::thread::spawn(move || run.finish());
    let preprocessing = || processes(&path).iter().any(|line| line.contains("-E"));
    assert!(eventually(preprocessing), "the preprocessor does not start");
    let gainsay = fs::read_to_string(&number).expect("the shell wrote it before");
    Run::new("sh", Duration::from_secs(20)).args(["-c", "kill -TERM $0", gainsay.trim()]).finish();
    let Ok(Ended::Finished(done)) = shell.join() else { panic!("the shell did not finish") };
    assert_eq!(done.stdout.text(), "143\n");
    assert!(eventually(|| processes(&path).is_empty()), "left: {:?}", processes(&path));
}
