//! A hunt that is killed and interrupted again and again ends with what an undisturbed one finds, and with
//! its sums.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use choice::Choices;
use sandbox::{Ended, Run, Scratch, Status};

/// How often the hunt is killed.
const KILLS: usize = 20;

/// Tests of the hunt: few enough for CI, enough not to be over before the last kill.
const TESTS: &str = "60";

/// Crashes at -O1 on programs of some sizes and rejects others at -O2. No wrong code: the detectors
/// that it calls for would take most of the test's time.
const FAULTY: &str = r#"#!/bin/sh
real=${REAL_CC:-gcc}
size=0
case " $* " in *" func.c "*) size=$(wc -c < func.c) ;; esac
case " $* " in
*" -O1 "*)
    if [ $((size % 3)) = 1 ]; then
        echo "func.c:1:1: internal compiler error: in fold_the_unfoldable, at fold-const.cc:$((size % 2 + 100))" >&2
        exit 1
    fi ;;
*" -O2 "*)
    if [ $((size % 5)) = 1 ]; then
        echo "func.c:3:1: error: this is not C" >&2
        exit 1
    fi ;;
esac
exec $real "$@"
"#;

/// Small programs.
const POLICY: &str = "program.tests = [1, 2]\n";

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("it is written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is executable");
}

/// The hunt of this test on a folder.
fn arguments(dir: &Path, out: &str) -> Vec<String> {
    let file = |name: &str| dir.join(name).display().to_string();
    let mut args: Vec<String> =
        ["hunt", "--tests", TESTS, "--seed", "1", "--jobs", "2", "--json", "--no-reduce"]
            .map(String::from)
            .into();
    for (name, value) in
        [("--config", "gainsay.toml"), ("--policy", "policy.toml"), ("--hunt", out)]
    {
        args.extend([name.to_string(), file(value)]);
    }
    args.extend(["--cc".to_string(), "faulty".to_string()]);
    args
}

/// What a finding is, apart from when it was found.
fn findings(out: &Path) -> BTreeSet<String> {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(60))
        .args(["findings", "--all", "--json", "--hunt"])
        .arg(out);
    let done = run.finish().finished().expect("it ends");
    let text = done.stdout.text();
    let line = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let fields = ["engine", "seed", "kind", "signature", "targets", "summary", "standing"];
        fields.map(|field| format!("{field}: {}", value[field])).join(", ")
    };
    text.lines().map(line).collect()
}

/// What the last line of a hunt says of its folder.
fn sums(printed: &str) -> serde_json::Value {
    let end = printed.lines().last().expect("an end");
    let end: serde_json::Value = serde_json::from_str(end).expect("JSON");
    let fields = [
        "event",
        "tests",
        "findings",
        "distinct",
        "disputed",
        "unconfirmed",
        "flaky",
        "skipped",
        "unanswered",
        "checks",
        "variants",
        "targets",
    ];
    fields.iter().map(|field| (field.to_string(), end[*field].clone())).collect()
}

#[test]
// A run of ours would kill what the hunt has started; here that must happen without help.
#[allow(clippy::disallowed_methods)]
fn killed_twenty_times_and_nothing_is_lost() {
    let scratch = Scratch::new().expect("a scratch folder");
    let dir = scratch.path();
    write(&dir.join("faulty"), FAULTY);
    write(&dir.join("policy.toml"), POLICY);
    write(
        &dir.join("gainsay.toml"),
        "extras_per_test = 0\n[[compiler]]\nname = \"faulty\"\npath = \"./faulty\"\nfamily = \"gcc\"\n\
         levels = [\"-O0\", \"-O1\", \"-O2\"]\n",
    );
    let undisturbed = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(600))
        .args(arguments(dir, "undisturbed"));
    let begin = Instant::now();
    let done = undisturbed.finish().finished().expect("it ends");
    assert_eq!(done.status, Status::Exit(1), "{}{}", done.stdout.text(), done.stderr.text());
    let whole = begin.elapsed();
    let want = findings(&dir.join("undisturbed"));
    let want_sums = sums(&done.stdout.text());
    let kinds = |kind: &str| want.iter().filter(|f| f.contains(kind)).count();
    assert!(kinds("compiler-crash") > 5 && kinds("rejection") > 2, "{want:#?}");

    let mut choices = Choices::new(20);
    for kill in 0..KILLS {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gainsay"))
            .args(arguments(dir, "killed"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        // Anywhere from before the first test to well into the work, but in all not to its end.
        let most = 2 * whole.as_millis() as u64 / KILLS as u64;
        thread::sleep(Duration::from_millis(100 + choices.below(most)));
        // Every other one hands in what it has seen and ends by itself.
        match kill % 2 {
            0 => child.kill().expect("it is killed"),
            _ => {
                let pid = child.id().to_string();
                let sent = Command::new("kill").args(["-s", "INT", &pid]).status();
                assert!(sent.expect("it is sent").success());
            }
        }
        let status = child.wait().expect("it is gone");
        assert!(status.code() != Some(2), "kill {kill}: the hunt could not go on");
        // What is there is whole at every moment.
        if dir.join("killed/hunt.db").is_file() {
            let mut so_far = findings(&dir.join("killed"));
            // Not all targets had their turn.
            so_far.retain(|finding| !finding.contains("standing: \"unconfirmed\""));
            assert!(so_far.is_subset(&want), "{:#?}", so_far.difference(&want));
        }
    }
    let last = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(600))
        .args(arguments(dir, "killed"));
    match last.finish() {
        Ended::Finished(done) => {
            assert_ne!(done.status, Status::Exit(2), "{}", done.stderr.text());
            assert_eq!(sums(&done.stdout.text()), want_sums);
        }
        other => panic!("{other:?}"),
    }
    let got = findings(&dir.join("killed"));
    assert_eq!(got, want);
}
