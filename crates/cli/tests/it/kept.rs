//! A failure that was seen is kept, whatever it is that the hunt is at when it ends: trying it again, taking
//! it back to a mutation, or reducing it. The next hunt on the folder goes on from there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use sandbox::{Finished, Run, Scratch, Status};
use serde_json::Value;

/// Breaks down at -O1 on a guard or on what a generator made, and is slow from the third compilation of
/// one on, or from the one that `slow` says, until that file is gone.
const SLOW: &str = r#"#!/bin/sh
here=${0%/*}
for word in "$@"; do
    case $word in -O1) optimises=yes ;; *.c) file=$word ;; esac
done
if [ "$optimises" ] && [ "$file" ] && grep -q -e '^ *if (' -e '^#include "init.h"' "$file"; then
    echo >> "$here/failures"
    failures=$(wc -l < "$here/failures")
    if [ -f "$here/slow" ] && [ "$failures" -ge "$(cat "$here/slow")" ]; then
        touch "$here/sleeps"
        sleep 300
    fi
    echo "func.c:3:1: internal compiler error: in extract_insn, at recog.cc:2791" >&2
    exit 1
fi
exec gcc "$@"
"#;

const CONFIG: &str = "extras_per_test = 0
[[compiler]]
name = \"slow\"
path = \"./slow.sh\"
family = \"gcc\"
levels = [\"-O1\"]
";

/// A program that has no `if`; a variant of it has.
const SEED: &str = "#include <stdio.h>\nint a = 3, b = 5;\nint main(void) {\n  int i;\n  \
    for (i = 0; i < 4; i++) { a += b; b = b * 3 + i; }\n  printf(\"%d %d\\n\", a, b);\n  return 0;\n}\n";

/// And one that has one.
const GUARDED: &str = "#include <stdio.h>\nint a = 3;\nint main(void) {\n  \
    if (a < 4)\n    a += 2;\n  printf(\"%d\\n\", a);\n  return 0;\n}\n";

/// A folder with the compiler, slow from this failure on, and a program.
fn folder(slow_from: u32, program: &str) -> Scratch {
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    fs::create_dir(dir.join("from")).expect("a folder");
    for (name, text) in [
        ("slow.sh", SLOW),
        ("gainsay.toml", CONFIG),
        ("from/seed.c", program),
        ("slow", &slow_from.to_string()),
    ] {
        fs::write(dir.join(name), text).expect("it is written");
    }
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(dir.join("slow.sh"), executable).expect("it is executable");
    scratch
}

const FILES: [&str; 9] =
    ["hunt", "--engine", "files", "--from", "from", "--cc", "slow", "--jobs", "1"];
const EMI: [&str; 11] = [
    "hunt",
    "--engine",
    "emi",
    "--from",
    "from",
    "--strategy",
    "hermes",
    "--cc",
    "slow",
    "--jobs",
    "1",
];

fn gainsay(dir: &Path, args: &[&str]) -> Finished {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(300));
    run.args(args.iter().copied()).cwd(dir).finish().finished().expect("it ends")
}

/// Starts a hunt and waits until its compiler sleeps.
// A run of ours would kill it, and it is to end as a person or a service manager ends it.
#[allow(clippy::disallowed_methods)]
fn asleep(dir: &Path, args: &[&str]) -> Child {
    let child = Command::new(env!("CARGO_BIN_EXE_gainsay"))
        .args(args)
        .current_dir(dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let begin = Instant::now();
    while !dir.join("sleeps").is_file() {
        assert!(begin.elapsed() < Duration::from_secs(120), "the compiler does not sleep");
        thread::sleep(Duration::from_millis(20));
    }
    child
}

#[allow(clippy::disallowed_methods)]
fn end(mut child: Child, signal: &str) -> ExitStatus {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", signal, &pid]).status().expect("it is sent");
    assert!(sent.success());
    child.wait().expect("it ends")
}

/// The findings of a folder: number, standing, signature, summary.
fn findings(dir: &Path) -> Vec<Value> {
    let done = gainsay(dir, &["findings", "--all", "--json"]);
    done.stdout.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What a hunt in which the compiler is slow no more tells, and the events of it.
fn awake(dir: &Path, args: &[&str]) -> (Status, Vec<Value>) {
    let _ = fs::remove_file(dir.join("slow"));
    let done = gainsay(dir, &[args, &["--json", "--tests", "1"]].concat());
    let text = done.stdout.text();
    (done.status, text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

/// What was seen is in the folder, and the next hunt confirms it under its number.
fn kept_and_confirmed(dir: &Path, args: &[&str]) {
    let seen = findings(dir);
    let [finding] = seen.as_slice() else { panic!("{seen:#?}") };
    assert_eq!((&finding["id"], &finding["standing"]), (&1.into(), &"unconfirmed".into()));
    assert_eq!(finding["targets"], serde_json::json!(["slow -O1"]));
    let table = gainsay(dir, &["findings"]).stdout.text();
    assert!(table.contains("compiler-crash*") && table.contains("*: not confirmed"), "{table}");
    let shown = gainsay(dir, &["show", "1"]).stdout.text();
    assert!(shown.contains("not confirmed: seen when the hunt ended"), "{shown}");

    let (status, events) = awake(dir, args);
    assert_eq!(status, Status::Exit(1), "{events:#?}");
    let end = events.last().expect("an end");
    assert_eq!((&end["tests"], &end["unconfirmed"]), (&1.into(), &0.into()), "{end:#?}");
    assert_eq!(end["findings"]["compiler-crash"], 1, "{end:#?}");
    assert_eq!(end["skipped"], serde_json::json!({}));
    let now = findings(dir);
    let [confirmed] = now.as_slice() else { panic!("{now:#?}") };
    assert_eq!((&confirmed["id"], &confirmed["standing"]), (&1.into(), &"confirmed".into()));
    assert_eq!(confirmed["signature"], finding["signature"]);
    // A third hunt has nothing to do, and says so.
    let (status, events) = awake(dir, args);
    assert_eq!(status, Status::Exit(0), "{events:#?}");
}

#[test]
fn while_it_is_tried_again() {
    for signal in ["INT", "TERM"] {
        let scratch = folder(2, GUARDED);
        let hunt = asleep(scratch.path(), &[&FILES[..], &["--no-reduce"]].concat());
        assert_eq!(end(hunt, signal).code(), Some(1), "it was seen");
        kept_and_confirmed(scratch.path(), &[&FILES[..], &["--no-reduce"]].concat());
    }
}

#[test]
fn while_it_is_tried_again_and_the_time_is_over() {
    let scratch = folder(2, GUARDED);
    let dir = scratch.path();
    let args = [&FILES[..], &["--no-reduce"]].concat();
    let done = gainsay(dir, &[&args[..], &["--for", "1s"]].concat());
    let text = done.stdout.text();
    assert_eq!(done.status, Status::Exit(1), "{text}");
    assert!(text.contains("\n#1 compiler-crash, not confirmed yet: slow -O1: "), "{text}");
    assert!(text.contains("\nSeen and not confirmed yet; the same hunt again"), "{text}");
    assert!(text.contains("\nNext, to go on where this ended: gainsay hunt "), "{text}");
    assert!(!text.contains("Nothing was found"), "{text}");
    kept_and_confirmed(dir, &args);
}

#[test]
fn while_it_is_taken_back_to_its_mutation() {
    let scratch = folder(3, SEED);
    let dir = scratch.path();
    let args = [&EMI[..], &["--seed", "1", "--no-reduce", "--variants", "4"]].concat();
    assert_eq!(end(asleep(dir, &args), "TERM").code(), Some(1), "it was seen");
    let seen = findings(dir);
    assert!(!seen.is_empty(), "the failure of a variant is lost");
    assert!(seen.iter().any(|f| f["standing"] == "unconfirmed"), "{seen:#?}");
    let (status, events) = awake(dir, &args);
    assert_eq!(status, Status::Exit(1), "{events:#?}");
    let now = findings(dir);
    assert_eq!(now[0]["id"], seen[0]["id"]);
    assert!(now.iter().all(|f| f["standing"] == "confirmed"), "{now:#?}");
    assert!(now[0]["summary"].as_str().is_some_and(|s| s.contains("(emi: ")), "{now:#?}");
}

#[test]
fn while_it_is_reduced() {
    let scratch = folder(3, GUARDED);
    let dir = scratch.path();
    assert_eq!(end(asleep(dir, &FILES), "INT").code(), Some(1), "it was found");
    let found = findings(dir);
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!((&finding["standing"], &finding["study"]), (&"confirmed".into(), &Value::Null));
    // Nothing is new, and the study is made now.
    let (status, events) = awake(dir, &FILES);
    assert_eq!(status, Status::Exit(0), "{events:#?}");
    let studied = events.iter().find(|event| event["event"] == "study").expect("a study");
    assert_eq!((&studied["id"], &studied["failed"]), (&1.into(), &Value::Null), "{studied:#?}");
    assert!(findings(dir)[0]["study"]["tokens"].is_object());
}
