//! Compilers with a planted bug each: a hunt finds it, and `gainsay reduce` makes of what it found a
//! program of a few lines that is valid and still shows it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};
use serde_json::Value;

/// For one process, on a busy machine; a reduction takes seconds on an idle one.
const PATIENCE: Duration = Duration::from_secs(600);

/// Tests until which a bug has to be found. Seeds below are known to show it at once, until the
/// generator changes.
const TESTS: u32 = 64;

/// Lines of a reduced program, blank ones and the comment before it aside.
const LINES: usize = 15;

/// The scripts of `tests/compilers/planted`, each with a seed and the number of test functions of
/// a program that shows its bug: the fewer, the less there is to reduce.
macro_rules! plants {
    ($($name:ident $script:literal $seed:literal $functions:literal)*) => {
        $(#[test]
        fn $name() {
            found_and_reduced($script, $seed, $functions);
        })*
    };
}

plants! {
    constant_folding "fold" 105 1
    shift "shift" 1 1
    dropped_store "store" 101 1
    loop_bound "loop" 2 1
    sign_confusion "sign" 3 1
    bit_field "bitfield" 7 1
    struct_copy "copy" 11 1
    argument_order "arguments" 15 3
    pointer_aliasing "alias" 26 3
    switch_case "switch" 34 3
}

fn found_and_reduced(plant: &str, seed: u64, functions: u32) {
    if !installed() {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    fs::write(dir.join("gainsay.toml"), configuration(plant)).expect("it is written");
    let policy = format!("program.tests = [{functions}, {functions}]\n");
    fs::write(dir.join("small.toml"), policy).expect("it is written");
    let id = found(dir, plant, seed);
    // One candidate at a time: the tests beside this one use the other processors.
    let run = gainsay(dir).args(["reduce", &id, "--hunt", "out", "-o", "reduced", "--jobs", "1"]);
    let done = finished(run.args(["--cc", plant, "--cc", "gcc"]));
    assert_eq!(done.status, Status::Exit(0), "{plant}: {}", done.stderr.text());
    let file = the_c_file(&dir.join("reduced"));
    let text = fs::read_to_string(&file).expect("it is read");
    // The comment before the program, which says what to expect, is not counted.
    let program = text.split_once("*/").map_or(text.as_str(), |(_, program)| program);
    let lines = program.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= LINES, "{plant}: {lines} lines\n{text}");
    valid_and_shows(dir, plant, &file, &text);
}

/// Hunts until the bug is found; the number of the finding.
fn found(dir: &Path, plant: &str, seed: u64) -> String {
    let bad = format!("{plant} -O2");
    let mut tests = 1;
    while tests <= TESTS {
        let run = gainsay(dir)
            .args(["hunt", "--tests", &tests.to_string(), "--seed", &seed.to_string()])
            .args([
                "--policy",
                "small.toml",
                "--no-reduce",
                "--jobs",
                "1",
                "--hunt",
                "out",
                "--json",
            ])
            .args(["--cc", plant, "--cc", "gcc"]);
        let done = finished(run);
        let text = done.stdout.text();
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let mut findings = events.filter(|event| event["event"] == "finding");
        if let Some(event) = findings.next() {
            let targets = event["targets"].as_array().expect("targets");
            assert!(targets.iter().all(|t| *t == bad.as_str()), "{event}");
            assert_eq!(event["standing"], "confirmed", "{event}");
            return event["id"].to_string();
        }
        assert_eq!(done.status, Status::Exit(0), "{text}{}", done.stderr.text());
        tests *= 2;
    }
    panic!("{plant} is not found by {TESTS} tests from seed {seed} on");
}

/// The machine takes the program, compilers and sanitizers do what the machine says, and the
/// planted compiler does not.
fn valid_and_shows(dir: &Path, plant: &str, file: &Path, text: &str) {
    let machine = finished(gainsay(dir).arg("run").arg(file));
    assert_eq!(machine.stderr.text(), "", "{plant}: {text}");
    let expected = (machine.status, machine.stdout.text());
    let does = |cc: &Path, options: &[&str]| {
        let program = dir.join("program");
        let compile = Run::new(cc, PATIENCE).args(options).args(["-w", "-std=gnu11"]).arg(file);
        let compiled = finished(compile.arg("-o").arg(&program).arg("-lm"));
        assert_eq!(compiled.status, Status::Exit(0), "{cc:?} {text}{}", compiled.stderr.text());
        let ran = finished(Run::new(&program, PATIENCE).env("ASAN_OPTIONS", "detect_leaks=0"));
        (ran.status, ran.stdout.text())
    };
    let clang = Path::new("clang-16");
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        for cc in [clang, Path::new("gcc")] {
            assert_eq!(does(cc, &[level]), expected, "{cc:?} {level}: {text}");
        }
    }
    for sanitizer in ["-fsanitize=undefined,address,float-cast-overflow", "-fsanitize=memory"] {
        let options = ["-O0", "-fno-sanitize-recover=all", sanitizer];
        assert_eq!(does(clang, &options), expected, "{sanitizer}: {text}");
    }
    let planted = script(plant);
    assert_eq!(does(&planted, &["-O1"]), expected, "{plant} -O1: {text}");
    for level in ["-O2", "-O3"] {
        assert_ne!(does(&planted, &[level]), expected, "{plant} {level}: {text}");
    }
}

/// Whether the compilers are there; in CI they must be.
fn installed() -> bool {
    let answers = |cc: &str| Run::new(cc, PATIENCE).arg("--version").finish().success().is_some();
    let all = answers("clang-16") && answers("gcc");
    assert!(all || std::env::var_os("CI").is_none(), "set-up installs clang-16 and gcc");
    all
}

fn script(plant: &str) -> PathBuf {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/compilers/planted");
    scripts.join(format!("{plant}.sh"))
}

fn configuration(plant: &str) -> String {
    let path = script(plant).display().to_string();
    format!(
        "extras_per_test = 0\n\
         [[compiler]]\nname = \"{plant}\"\npath = {path:?}\nfamily = \"clang\"\n\
         levels = [\"-O0\", \"-O2\"]\n\
         [[compiler]]\nname = \"gcc\"\npath = \"gcc\"\nfamily = \"gcc\"\nlevels = [\"-O1\"]\n"
    )
}

fn the_c_file(dir: &Path) -> PathBuf {
    let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("a file").path());
    let files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    match files.as_slice() {
        [one] => one.clone(),
        more => panic!("not one C file: {more:?}"),
    }
}

fn gainsay(dir: &Path) -> Run {
    Run::new(env!("CARGO_BIN_EXE_gainsay"), PATIENCE).cwd(dir)
}

fn finished(run: Run) -> Finished {
    match run.finish() {
        Ended::Finished(done) => done,
        other => panic!("{other:?}"),
    }
}
