//! `gainsay gen --engine smith` as a user runs it.

use std::fs;
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};

fn gainsay(args: &[&str]) -> Finished {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(120)).args(args);
    match run.finish() {
        Ended::Finished(done) => done,
        other => panic!("{other:?}"),
    }
}

fn printed(args: &[&str]) -> String {
    let done = gainsay(args);
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    done.stdout.text()
}

fn refused(args: &[&str]) -> String {
    let done = gainsay(args);
    assert_eq!(done.status, Status::Exit(2), "{}", done.stdout.text());
    done.stderr.text()
}

/// The words of `gainsay gen --engine smith` with these.
fn smith<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["gen", "--engine", "smith"][..], args].concat()
}

fn tuple_of(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.split("seed tuple ").nth(1).unwrap().split([' ', '*']).next().unwrap().to_string()
}

#[test]
fn a_program_is_printed_and_has_an_answer() {
    let scratch = Scratch::new().unwrap();
    let file = scratch.file("t.c");
    let file = file.to_str().unwrap();
    assert_eq!(printed(&smith(&["--relax", "none", "--seed", "5", "-o", file])), "");
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(text, printed(&smith(&["--relax", "none", "-s", "5"])));
    assert!(printed(&["run", file]).starts_with("checksum = "));
}

#[test]
fn a_tuple_gives_the_same_program_again() {
    for seed in ["1", "2", "3"] {
        let text = printed(&smith(&["--seed", seed]));
        assert_eq!(printed(&smith(&["--seed", seed, "--relax", "default"])), text);
        assert_eq!(printed(&smith(&["--seed-tuple", &tuple_of(&text)])), text);
    }
    let paper = printed(&smith(&["--seed-tuple", "1621474906, 2, 0.8, 0, 0, 0, 0.3, 0, 0"]));
    assert_eq!(tuple_of(&paper), "1621474906,2,0.8,0,0,0,0.3,0,0");
}

#[test]
fn mended_programs_without_checks_run() {
    let scratch = Scratch::new().unwrap();
    for seed in 1..6 {
        let file = scratch.file(format!("{seed}.c"));
        let (file, seed) = (file.to_str().unwrap(), seed.to_string());
        let how = ["--relax", "crash", "--revert", "--relax-arith", "-o", file];
        printed(&[&smith(&["--seed", &seed])[..], &how].concat());
        assert!(printed(&["run", file]).starts_with("checksum = "), "{seed}");
    }
}

#[test]
fn options_are_csmiths() {
    let text =
        printed(&smith(&["--relax", "none", "--seed", "2", "--no-swarm", "--form", "macros"]));
    assert!(text.contains("#define safe_") && text.contains("union "));
    let less = [
        "--relax",
        "none",
        "--seed",
        "2",
        "--no-swarm",
        "--no-unions",
        "--no-jumps",
        "--max-funcs",
        "1",
    ];
    let text = printed(&smith(&less));
    assert!(!text.contains("union ") && !text.contains("goto ") && !text.contains("func_2("));
    let help = printed(&smith(&["--help"]));
    for option in ["--no-bitfields", "--max-block-size", "--seed-tuple", "--relax-arith"] {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn several_programs_are_in_folders_of_their_own() {
    let scratch = Scratch::new().unwrap();
    let many = scratch.path().join("many");
    let folder = many.to_str().unwrap();
    printed(&smith(&["--seed", "4", "--count", "2", "--relax", "none", "-o", folder]));
    for seed in ["4", "5"] {
        let file = many.join(seed).join("test.c");
        let expected = fs::read_to_string(many.join(seed).join("expected")).unwrap();
        assert_eq!(printed(&["run", file.to_str().unwrap()]), expected);
    }
    let stats = printed(&smith(&["--stats", "--count", "3", "--relax", "none", "--json"]));
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    assert_eq!(stats["programs"], 3);
    assert!(stats["census"]["groups"]["statements"]["statement"]["executed"].as_u64() > Some(20));
    assert!(refused(&smith(&["--count", "2"])).contains("--count needs a folder"));
}

#[test]
fn mistakes_are_told() {
    let scratch = Scratch::new().unwrap();
    let file = scratch.file("my.relax");
    fs::write(&file, "null 0 1\n# fine so far\nbounds 0.5 0.25\n").unwrap();
    let file = file.to_str().unwrap();
    let told = refused(&smith(&["--relax", file]));
    assert!(told.contains("line 3: the range from 0.5 to 0.25 is empty"), "{told}");
    assert!(refused(&smith(&["--relax", "wild"])).contains("`miscompilation`, `crash` or a file"));
    assert!(refused(&smith(&["--seed-tuple", "1,2,3"])).contains("not a probability"));
    assert!(refused(&smith(&["--max-funcs", "0"])).contains("--max-funcs"));
    for (args, places) in [
        (&["--trace"][..], "--trace is for --engine yarp: add that, or leave --trace out"),
        (&["--policy", "small"], "--policy is for --engine yarp: "),
    ] {
        let told = refused(&smith(args));
        assert!(told.contains(places), "{told}");
    }
    let told = refused(&["gen", "--engine", "csmith", "--max-funcs", "3"]);
    assert!(told.contains("--max-funcs is for --engine smith: "), "{told}");
    let told = refused(&["hunt", "--relax-arith"]);
    assert!(told.contains("--relax-arith is for --engine csmith"), "{told}");
    let told = refused(&["hunt", "--as-drawn"]);
    assert!(told.contains("--as-drawn is for --engine smith"), "{told}");
}

#[test]
fn a_configuration_can_be_printed_and_read() {
    let scratch = Scratch::new().unwrap();
    let file = scratch.file("my.relax");
    fs::write(&file, printed(&smith(&["--relax", "crash", "--explain"]))).unwrap();
    let file = file.to_str().unwrap();
    let (named, read) = (smith(&["--relax", "crash"]), smith(&["--relax", file]));
    assert_eq!(printed(&named), printed(&read));
}
