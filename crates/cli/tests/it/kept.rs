//! A failure that was seen is kept, whatever it is that the hunt is at when it ends: trying it again, taking
//! it back to a mutation, or reducing it; so are the sequences of passes that were run. The next hunt on the folder
//! goes on from there.

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
    let path = std::env::var("PATH").unwrap_or_default();
    let child = Command::new(env!("CARGO_BIN_EXE_gainsay"))
        .args(args)
        .current_dir(dir)
        .env("PATH", format!("{path}:{}", dir.join("bin").display()))
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
    let args = [&EMI[..], &["--seed", "1", "--no-reduce", "--variants", "4"]].concat();
    let scratch = folder(3, SEED);
    assert_eq!(end(asleep(scratch.path(), &args), "TERM").code(), Some(1), "it was seen");
    taken_back_by_the_next(scratch.path(), &args);
    // The same where the time is over: the test has ten seconds more, and does not come to its end in them.
    let scratch = folder(3, SEED);
    let done = gainsay(scratch.path(), &[&args[..], &["--for", "1s"]].concat());
    assert_eq!(done.status, Status::Exit(1), "{}", done.stdout.text());
    taken_back_by_the_next(scratch.path(), &args);
}

/// A failure of a variant is in the folder, and the next hunt takes it back to its mutation.
fn taken_back_by_the_next(dir: &Path, args: &[&str]) {
    let seen = findings(dir);
    assert!(!seen.is_empty(), "the failure of a variant is lost");
    assert!(seen.iter().any(|f| f["standing"] == "unconfirmed"), "{seen:#?}");
    let (status, events) = awake(dir, args);
    assert_eq!(status, Status::Exit(1), "{events:#?}");
    let now = findings(dir);
    assert_eq!(now[0]["id"], seen[0]["id"]);
    assert!(now.iter().all(|f| f["standing"] == "confirmed"), "{now:#?}");
    assert!(now[0]["summary"].as_str().is_some_and(|s| s.contains("(emi: ")), "{now:#?}");
}

#[test]
fn while_it_is_reduced() {
    for signal in ["INT", "KILL"] {
        let scratch = folder(3, GUARDED);
        let code = end(asleep(scratch.path(), &FILES), signal).code();
        assert_eq!(code, (signal == "INT").then_some(1), "it was found");
        reduced_by_the_next(scratch.path());
    }
    let scratch = folder(3, GUARDED);
    let done = gainsay(scratch.path(), &[&FILES[..], &["--for", "1s"]].concat());
    assert_eq!(done.status, Status::Exit(1), "{}", done.stdout.text());
    reduced_by_the_next(scratch.path());
}

/// What is killed while it is tried again was told to nobody yet, and is found again.
#[test]
fn while_it_is_tried_again_and_killed() {
    let scratch = folder(2, GUARDED);
    let dir = scratch.path();
    let args = [&FILES[..], &["--no-reduce"]].concat();
    assert_eq!(end(asleep(dir, &args), "KILL").code(), None);
    assert!(findings(dir).is_empty());
    let (status, events) = awake(dir, &args);
    assert_eq!(status, Status::Exit(1), "{events:#?}");
    let [found] = &findings(dir)[..] else { panic!("{events:#?}") };
    assert_eq!((&found["id"], &found["standing"]), (&1.into(), &"confirmed".into()));
}

/// A finding that was confirmed is in the folder, and the next hunt studies it.
fn reduced_by_the_next(dir: &Path) {
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

/// A clang that is slow from the program on that `slow` says, until that file is gone: when it links.
const LINKER: &str = r#"#!/bin/sh
here=${0%/*}/..
case " $* " in
*/test.o\ *)
    echo >> "$here/links"
    if [ -f "$here/slow" ] && [ "$(wc -l < "$here/links")" -ge "$(cat "$here/slow")" ]; then
        touch "$here/sleeps"
        sleep 300
    fi ;;
esac
exec /usr/bin/clang-16 "$@"
"#;

const LOOP: &str = "#include <stdio.h>\nint a[10];\nint main(void) {\n  int s = 0;\n  \
    for (int i = 0; i < 10; i++) { a[i] = i * i; s += a[i]; }\n  printf(\"%d\\n\", s);\n  return 3;\n}\n";

/// SROA, up to LLVM 22, makes something invalid of an alignment with an offset.
const ASSUMES: &str = "#include <stdio.h>\nint main(void) {\n  _Alignas(32) int x[16];\n  x[7] = 41;\n  \
    int *p = __builtin_assume_aligned(x + 7, 32, 28);\n  *p += 1;\n  printf(\"%d\\n\", x[7]);\n  return 0;\n}\n";

const PASSES: &str = "hunt --engine passes --lib 16 --programs files --from from --sequences 10 --program-count 1 \
                      --out-of 1 --seed 1 --no-reduce --no-exclude --backend cc --jobs 1";

/// The linker sleeps in the second half of a test's ten sequences, and the hunt is interrupted.
fn interrupted_sequences(program: &str) -> Option<(Scratch, Vec<&'static str>)> {
    let has = llvmhost::Installed::named("16").is_ok() && campaign::front::clang_for(16).is_ok();
    assert!(has || std::env::var_os("CI").is_none(), "set-up installs LLVM 16, CI skips none");
    if !has {
        return None;
    }
    let scratch = folder(6, program);
    let linker = scratch.file("bin/clang-16");
    fs::create_dir(scratch.file("bin")).expect("a folder");
    fs::write(&linker, LINKER).expect("it is written");
    fs::set_permissions(&linker, fs::Permissions::from_mode(0o755)).expect("it is executable");
    let args: Vec<&str> = PASSES.split_whitespace().collect();
    let hunt = asleep(scratch.path(), &args);
    end(hunt, "INT");
    Some((scratch, args))
}

#[test]
fn sequences_that_were_run_are_tests() {
    let Some((scratch, args)) = interrupted_sequences(LOOP) else { return };
    let dir = scratch.path();
    fs::remove_file(dir.join("slow")).expect("it was there");
    let done = gainsay(dir, &[&args[..], &["--json", "--tests", "15"]].concat());
    let text = done.stdout.text();
    let events: Vec<Value> = text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    assert_eq!(events[0]["tests"], 5, "{text}");
    assert_eq!(events.last().expect("an end")["tests"], 15, "{text}");
}

#[test]
fn what_sequences_have_shown_is_kept() {
    let Some((scratch, args)) = interrupted_sequences(ASSUMES) else { return };
    let dir = scratch.path();
    let seen = findings(dir);
    assert!(!seen.is_empty(), "the failure of a sequence is lost");
    assert!(seen.iter().all(|f| f["standing"] == "unconfirmed"), "{seen:#?}");
    let summary = "invalid IR after SROAPass: too many arguments";
    assert_eq!((&seen[0]["id"], &seen[0]["summary"]), (&1.into(), &summary.into()), "{seen:#?}");
    fs::remove_file(dir.join("slow")).expect("it was there");
    let done = gainsay(dir, &[&args[..], &["--tests", "10"]].concat());
    assert_eq!(done.status, Status::Exit(1), "{}", done.stdout.text());
    let now = findings(dir);
    assert_eq!((&now[0]["id"], &now[0]["standing"]), (&1.into(), &"confirmed".into()), "{now:#?}");
    assert_eq!(now[0]["signature"], seen[0]["signature"]);
}
