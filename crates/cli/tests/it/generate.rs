//! `gainsay gen`: files, statistics, and one sentence for each mistake.

use std::fs;
use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};

fn gainsay(args: &[&str]) -> Finished {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(120)).arg("gen");
    match run.args(args.iter().copied()).finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

fn made(args: &[&str], folder: &Path) {
    let folder = folder.display().to_string();
    let got = gainsay(&[args, &["-o", &folder]].concat());
    assert_eq!(got.status, Status::Exit(0), "{}", got.stderr.text());
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn run(file: &Path) -> Finished {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(120)).arg("run");
    match run.arg(file).finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_and_its_output() {
    let scratch = Scratch::new().expect("a scratch folder");
    let folder = scratch.path().join("new/folder");
    made(&["--seed", "7"], &folder);
    assert_eq!(names(&folder), ["driver.c", "expected", "func.c", "init.h"]);
    let single = scratch.path().join("single");
    made(&["--seed", "7", "--single-file", "--engine", "yarp"], &single);
    assert_eq!(names(&single), ["expected", "test.c"]);
    let expected = fs::read(single.join("expected")).expect("written");
    assert_eq!(expected, fs::read(folder.join("expected")).expect("written"));
    let got = run(&single.join("test.c"));
    assert_eq!(got.status, Status::Exit(0), "{}", got.stderr.text());
    assert_eq!(got.stdout.bytes, expected);
}

#[test]
fn a_single_file_goes_to_standard_output() {
    let scratch = Scratch::new().expect("a scratch folder");
    made(&["--seed", "7", "--single-file"], scratch.path());
    let printed = gainsay(&["--seed", "7", "--single-file"]).stdout.bytes;
    assert_eq!(printed, fs::read(scratch.path().join("test.c")).expect("written"));
}

#[test]
fn many_programs_have_folders_of_their_own() {
    let scratch = Scratch::new().expect("a scratch folder");
    made(&["--seed", "9", "--count", "3", "--lang", "c++"], scratch.path());
    assert_eq!(names(scratch.path()), ["10", "11", "9"]);
    let folder = scratch.path().join("10");
    assert_eq!(names(&folder), ["driver.cpp", "expected", "func.cpp", "init.h"]);
}

#[test]
fn a_trace_names_values() {
    let scratch = Scratch::new().expect("a scratch folder");
    made(&["--seed", "4", "--trace", "--single-file"], scratch.path());
    let got = run(&scratch.path().join("test.c"));
    assert_eq!(got.stdout.bytes, fs::read(scratch.path().join("expected")).expect("written"));
    assert!(got.stdout.text().lines().any(|l| l.starts_with("mix_") && l.contains(" = ")));
}

#[test]
fn the_explained_policy_is_a_policy() {
    let scratch = Scratch::new().expect("a scratch folder");
    let explained = gainsay(&["--explain", "--policy", "paper"]);
    let file = scratch.path().join("paper.toml");
    fs::write(&file, &explained.stdout.bytes).expect("written");
    let (named, read) = (scratch.path().join("named"), scratch.path().join("read"));
    made(&["--policy", "paper"], &named);
    made(&["--policy", &file.display().to_string()], &read);
    let text = |folder: &Path| fs::read(folder.join("func.c")).expect("written");
    assert_eq!(text(&named), text(&read));
}

#[test]
fn statistics_count_programs() {
    let got = gainsay(&["--stats", "--count", "3", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&got.stdout.bytes).expect("JSON");
    assert_eq!(value["programs"], 3);
    assert!(value["census"]["groups"]["statements"]["statement"]["executed"].as_u64() > Some(20));
    let table = gainsay(&["--stats", "--count", "3"]).stdout.text();
    assert!(table.contains("of which as built"), "{table}");
    assert!(table.contains("expression statement"), "{table}");
}

#[test]
fn mistakes_get_one_sentence() {
    let scratch = Scratch::new().expect("a scratch folder");
    let file = scratch.path().join("p.toml");
    fs::write(&file, "[loop]\nexits = 3\n").expect("written");
    let file = file.display().to_string();
    let cases: [(&[&str], &str); 8] = [
        (&["--seed", "1"], "say with -o where the program should go"),
        (&["--stats", "--policy", "papre"], "the policy papre cannot be read"),
        (
            &["--stats", "--policy", &file],
            "there is no `loop.exits`; the nearest name is `loop.exit`",
        ),
        (&["--stats", "--count", "0"], "--count must be at least 1"),
        (&["-o", "/dev/null/x"], "/dev/null/x cannot be written"),
        (&["--json"], "--stats"),
        (&["--relax", "none"], "--relax is for --engine smith: add that, or leave --relax out"),
        (&["--relax-arith"], "--relax-arith is for --engine smith and csmith: add one, "),
    ];
    for (args, sentence) in cases {
        let got = gainsay(args);
        assert_eq!(got.status, Status::Exit(2), "{args:?}");
        assert!(got.stderr.text().contains(sentence), "{}", got.stderr.text());
    }
}
