//! Whole compilers, and commands that do not end as they should, traced from outside.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use coverage::{Options, Reached, Set, TraceReport, trace};
use sandbox::{Run, Scratch, Status};

use crate::common::{PATIENCE, compile, must};

fn options(only: &[&str]) -> Options {
    let only = only.iter().map(|name| name.to_string()).collect();
    Options { libs: false, only, wall: PATIENCE }
}

fn run(options: &Options, program: &str, args: &[&OsStr]) -> TraceReport {
    let args: Vec<OsString> = args.iter().map(|&arg| arg.to_owned()).collect();
    trace(OsStr::new(program), &args, options).expect("traced")
}

fn shell(options: &Options, script: &str) -> TraceReport {
    run(options, "/bin/sh", &["-c".as_ref(), script.as_ref()])
}

fn image<'a>(report: &'a TraceReport, name: &str) -> &'a Reached {
    let found = report.images.iter().find(|reached| reached.image.path().ends_with(name));
    found.unwrap_or_else(|| panic!("{name} was not traced"))
}

fn has(program: &str) -> bool {
    let there = Run::new(program, PATIENCE).arg("--version").finish().success().is_some();
    must(there, program)
}

fn source() -> OsString {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/small.c").into()
}

#[test]
fn gcc_reaches_the_same_blocks_each_time() {
    if !has("gcc-12") {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let (output, source) = (scratch.file("small.o"), source());
    let compile = |level: &str| -> Set {
        let args: [&OsStr; 5] =
            [level.as_ref(), "-c".as_ref(), &source, "-o".as_ref(), output.as_ref()];
        let begin = Instant::now();
        let report = run(&options(&["cc1"]), "gcc-12", &args);
        assert_eq!((report.status, report.late), (Status::Exit(0), false));
        assert_eq!(report.images.len(), 1, "only cc1 was asked for");
        let reached = image(&report, "cc1");
        let (blocks, all) = (&reached.blocks, reached.image.leaders().len());
        println!("{level}: {} blocks of {all} in {:?}", blocks.len(), begin.elapsed());
        blocks.clone()
    };
    let first = compile("-O2");
    let traced = fs::read(&output).expect("an object file");
    let second = compile("-O2");
    assert!(first.len() > 10_000, "{}", first.len());
    let (lost, new) = (first.difference(&second).len(), second.difference(&first).len());
    println!("a second time: {lost} fewer, {new} more");
    // What is left depends on the process number, the clock or the environment.
    assert!(lost + new < 100, "{lost} fewer, {new} more");
    let plain =
        Run::new("gcc-12", PATIENCE).args(["-O2", "-c"]).arg(&source).arg("-o").arg(&output);
    assert!(plain.finish().success().is_some());
    assert!(fs::read(&output).expect("an object file") == traced, "tracing changed the output");
    let unoptimised = compile("-O0");
    assert!(unoptimised.len() < first.len());
    assert!(!unoptimised.difference(&first).is_empty());
}

#[test]
fn libraries_are_traced_when_asked_for() {
    if !has("clang-16") {
        return;
    }
    let options = Options { libs: true, ..options(&["libLLVM-16.so.1"]) };
    let source = source();
    let begin = Instant::now();
    let args: [&OsStr; 5] =
        ["-O1".as_ref(), "-c".as_ref(), &source, "-o".as_ref(), "/dev/null".as_ref()];
    let report = run(&options, "clang-16", &args);
    assert_eq!(report.status, Status::Exit(0));
    let reached = image(&report, "libLLVM-16.so.1");
    println!("{} blocks in {:?}", reached.blocks.len(), begin.elapsed());
    assert!(reached.blocks.len() > 10_000, "{}", reached.blocks.len());
}

#[test]
fn forks_are_followed() {
    let report = shell(&options(&[]), "(true; exit 3); true | cat; exit $(/bin/true; echo 7)");
    assert_eq!(report.status, Status::Exit(7));
    for name in ["cat", "true"] {
        assert!(!image(&report, name).blocks.is_empty(), "{name}");
    }
    assert_eq!(report.images.len(), 3, "cat, dash and true, each once: {:?}", report.images.len());
}

#[test]
fn what_dies_is_told() {
    assert_eq!(shell(&options(&[]), "kill -SEGV $$").status, Status::Signal(11));
    assert_eq!(shell(&options(&[]), "kill -TRAP $$").status, Status::Signal(5));
    let Some((_scratch, program)) = compile("gcc-12", "crash.c", &[]) else { return };
    let report = run(&options(&[]), &program.to_string_lossy(), &[]);
    assert_eq!(report.status, Status::Signal(11));
    let reached = &image(&report, "output");
    let name = |block| reached.image.function_of(reached.image.leaders()[block as usize]);
    let names: Vec<&str> = reached.blocks.iter().filter_map(|b| name(b)?.1).collect();
    assert!(names.contains(&"main") && names.contains(&"crash") && !names.contains(&"never"));
}

#[test]
fn what_does_not_end_is_ended() {
    let begin = Instant::now();
    let short = Options { wall: Duration::from_secs(1), ..options(&[]) };
    let report = shell(&short, "sleep 1000 & sleep 1000");
    assert_eq!((report.status, report.late), (Status::Signal(9), true));
    // And what a command leaves behind ends with it.
    let report = shell(&options(&[]), "sleep 1000 & exit 4");
    assert_eq!((report.status, report.late), (Status::Exit(4), false));
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_is_not_there_is_an_error() {
    let error = trace(OsStr::new("/no/such/compiler"), &[], &options(&[])).expect_err("none");
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn counters_of_an_executable_are_read() {
    let flags = ["-fsanitize-coverage=inline-8bit-counters"];
    let Some((_scratch, program)) = compile("clang-16", "counting.c", &flags) else { return };
    let features = |args: &[&OsStr]| {
        let report = run(&options(&["output"]), &program.to_string_lossy(), args);
        assert_eq!(report.status, Status::Exit(0));
        image(&report, "output").features.clone()
    };
    let (none, one) = (features(&[]), features(&["x".as_ref()]));
    assert!(!none.is_empty());
    assert_eq!(none, features(&[]));
    assert!(!one.difference(&none).is_empty() && !none.difference(&one).is_empty());
}
