//! `gainsay coverage` on a real compiler, and on mistakes.

use std::fs;
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};
use serde_json::Value;

fn gainsay(args: &[&str]) -> Run {
    Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(120)).arg("coverage").args(args)
}

fn finish(run: Run) -> Finished {
    match run.finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

fn json(run: Run) -> Value {
    let got = finish(run);
    assert_eq!(got.status, Status::Exit(0), "{}", got.stderr.text());
    serde_json::from_str(&got.stdout.text()).expect("one JSON object")
}

fn has_gcc() -> bool {
    let version = Run::new("gcc-12", Duration::from_secs(60)).arg("--version");
    let there = version.finish().success().is_some();
    assert!(there || std::env::var_os("CI").is_none(), "set-up installs gcc-12: CI skips nothing");
    there
}

#[test]
fn a_baseline_leaves_what_is_new() {
    if !has_gcc() {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let text = |name: &str| scratch.file(name).to_string_lossy().into_owned();
    let (source, base, both) = (text("x.c"), text("base"), text("both"));
    let program = "int f(int *p, int n) { int s = 0; while (n--) s += p[n]; return s; }";
    fs::write(&source, program).expect("ours");
    let compile = |level: &'static str, args: &[&str]| {
        let command = ["--", "gcc-12", level, "-S", &source, "-o", "/dev/null"];
        gainsay(&[&["--only", "cc1"], args, &command].concat())
    };
    let image = |object: Value| object["images"][0].clone();

    let first = image(json(compile("-O2", &["--json", "--save", &base])));
    assert!(first["reached"].as_u64() > Some(10_000), "{first}");
    assert_eq!(first["new"], Value::Null);
    let other = image(json(compile(
        "-O0",
        &["--json", "--functions", "--baseline", &base, "--save", &both],
    )));
    let new = other["new"].as_u64().expect("a number");
    assert!(new > 0 && Some(new) < other["reached"].as_u64(), "{new}");
    let functions = other["functions"].as_array().expect("a list");
    let counts: Vec<u64> = functions.iter().filter_map(|f| f["new"].as_u64()).collect();
    assert_eq!(counts.iter().sum::<u64>(), new);
    assert!(counts.is_sorted_by(|a, b| a >= b));
    assert!(functions.iter().any(|f| f["name"].is_string()), "cc1 exports its functions");
    // Everything is known now; a handful of blocks may depend on the process.
    let again = image(json(compile("-O0", &["--json", "--baseline", &both])));
    assert!(again["new"].as_u64() < Some(100), "{again}");

    let shown = finish(compile("-O0", &["--baseline", &base])).stdout.text();
    assert!(shown.starts_with("the command exited with status 0\n"), "{shown}");
    assert!(shown.contains("/cc1: ") && shown.contains(" new\n"), "{shown}");
}

#[test]
fn the_command_keeps_its_streams_and_its_status() {
    let script = "read line; echo got $line; echo aside >&2; exit 3";
    let got = finish(gainsay(&["--", "/bin/sh", "-c", script]).stdin("word\n"));
    assert_eq!(got.status, Status::Exit(0));
    assert!(got.stdout.text().starts_with("got word\nthe command exited with status 3\n"));
    assert_eq!(got.stderr.text(), "aside\n");
    let dead = json(gainsay(&["--json", "--", "/bin/sh", "-c", "kill -SEGV $$"]));
    assert_eq!((&dead["exit"], &dead["signal"]), (&Value::Null, &Value::from(11)));
    let late = json(gainsay(&["--json", "--timeout", "1s", "--", "sleep", "1000"]));
    assert_eq!(late["late"], true);
}

#[test]
fn a_signal_takes_the_command_along() {
    let scratch = Scratch::new().expect("a temporary folder");
    let number = scratch.file("number");
    // The command tells its number and waits; whoever is gone cannot be signalled any more.
    let script = r#"
        "$0" coverage -- sh -c 'echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 1000' "$1" &
        until [ -e "$1" ]; do sleep 0.05; done
        kill -TERM $!; wait $!; echo $?
        for i in 1 2 3 4 5 6 7 8 9; do kill -0 $(cat "$1") 2> /dev/null || break; sleep 1; done
        kill -0 $(cat "$1") 2> /dev/null && echo left; exit 0"#;
    let shell = Run::new("sh", Duration::from_secs(60));
    let shell = shell.args(["-c", script, env!("CARGO_BIN_EXE_gainsay")]).arg(&number);
    assert_eq!(finish(shell).stdout.text(), "143\n");
}

#[test]
fn mistakes_get_a_sentence() {
    let scratch = Scratch::new().expect("a temporary folder");
    let file = scratch.file("text").to_string_lossy().into_owned();
    fs::write(&file, "text").expect("ours");
    let cases: [(&[&str], &str); 6] = [
        (&["--", "/no/such/compiler"], "cannot trace /no/such/compiler: No such file"),
        (&["--only", "cc2", "--", "/bin/true"], "nothing was traced; what the command executed: /"),
        (&["--baseline", "/no/such", "--", "/bin/true"], "cannot use /no/such: No such file"),
        (&["--baseline", &file, "--", "/bin/true"], "is not a coverage baseline"),
        (&["--save", "/no/such/folder/x", "--", "/bin/true"], "cannot use /no/such/folder/x"),
        (&[], "required arguments were not provided"),
    ];
    for (args, sentence) in cases {
        let got = finish(gainsay(args));
        assert_eq!(got.status, Status::Exit(2), "{args:?}");
        assert!(got.stderr.text().contains(sentence), "{args:?}: {}", got.stderr.text());
        assert!(got.stdout.bytes.is_empty(), "{args:?}");
    }
}
