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

/// Lines of a reduced program, blank ones and the comment behind it aside.
const LINES: usize = 15;

/// The language of a hunt, and how its files end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lang {
    C,
    Cxx,
}

impl Lang {
    fn name(self) -> &'static str {
        match self {
            Lang::C => "c",
            Lang::Cxx => "c++",
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Lang::C => "c",
            Lang::Cxx => "cpp",
        }
    }
}

/// The scripts of `tests/compilers/planted`, each with a seed and the number of test functions of
/// a program that shows its bug: the fewer, the less there is to reduce.
macro_rules! plants {
    ($($name:ident $script:literal $seed:literal $functions:literal)*) => {
        $(#[test]
        fn $name() {
            found_and_reduced(Lang::C, $script, $seed, $functions);
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

/// Programs of C++, with containers and static members: reduced as trees, executed as C, compiled as C++.
#[test]
fn shift_in_cxx() {
    found_and_reduced(Lang::Cxx, "shift", 15, 1);
}

/// What an option of GCC hides is blamed on it, in C++ as well, and the key says so.
#[test]
fn operator_in_cxx_is_blamed() {
    let Some(study) = found_and_reduced(Lang::Cxx, "operator", 1, 1) else { return };
    assert_eq!(study["blame"]["culprits"][0]["name"], "tree-vrp", "{study}");
    assert_eq!(study["blame"]["culprits"][0]["hides"][0], "-fno-tree-vrp", "{study}");
    let key = study["key"].as_str().expect("a key");
    assert!(key.starts_with("wrong-") && key.contains("gcc") && key.contains("tree-vrp"), "{key}");
}

/// C++ of a user that the machine cannot follow: what the compilers agree on is what it must do.
#[test]
fn a_template_is_reduced_by_the_compilers_own_checks() {
    if !installed() {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    fs::write(dir.join("gainsay.toml"), configuration("operator")).expect("it is written");
    let text = "extern \"C\" int printf(const char *, ...);\n\
                template <class T> T mixed(T a, T b) {\n    return a ^ b;\n}\n\
                int unused = 3;\n\
                int main() {\n    printf(\"%d\\n\", mixed(9, 5));\n    return 0;\n}\n";
    fs::write(dir.join("user.cpp"), text).expect("it is written");
    let run = gainsay(dir).args(["reduce", "user.cpp", "--cc", "operator", "--cc", "reference"]);
    let done = finished(run.args(["--jobs", "1"]));
    let (small, told) = (done.stdout.text(), done.stderr.text());
    assert_eq!(done.status, Status::Exit(0), "{told}");
    assert!(small.contains(" ^ ") && !small.contains("unused"), "{small}");
    assert!(told.contains("compilers' own checks") && told.contains("-fsanitize="), "{told}");
    assert!(told.contains("fails: ") && told.contains("user.cpp"), "{told}");
}

/// What `gainsay reduce --json` tells, unless the compilers are missing here.
fn found_and_reduced(lang: Lang, plant: &str, seed: u64, functions: u32) -> Option<Value> {
    if !installed() {
        return None;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    fs::write(dir.join("gainsay.toml"), configuration(plant)).expect("it is written");
    let policy = format!("program.tests = [{functions}, {functions}]\n");
    fs::write(dir.join("small.toml"), policy).expect("it is written");
    let id = found(lang, dir, plant, seed);
    // One candidate at a time: the tests beside this one use the other processors.
    let run = gainsay(dir).args(["reduce", &id, "--hunt", "out", "-o", "reduced", "--jobs", "1"]);
    let done = finished(run.args(["--json", "--cc", plant, "--cc", "reference"]));
    assert_eq!(done.status, Status::Exit(0), "{plant}: {}", done.stderr.text());
    let file = the_file(lang, &dir.join("reduced"));
    let text = fs::read_to_string(&file).expect("it is read");
    // The comment behind the program, which says what to expect, is not counted.
    let (program, _) = text.split_once("/* Expected: ").expect("it says what to expect");
    let lines = program.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= LINES, "{plant}: {lines} lines\n{text}");
    valid_and_shows(lang, dir, plant, &file, &text);
    Some(serde_json::from_str(&done.stdout.text()).expect("JSON"))
}

/// Hunts until the bug is found; the number of the finding.
fn found(lang: Lang, dir: &Path, plant: &str, seed: u64) -> String {
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
            .args(["--cc", plant, "--cc", "reference", "--lang", lang.name()]);
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
fn valid_and_shows(lang: Lang, dir: &Path, plant: &str, file: &Path, text: &str) {
    let machine = finished(gainsay(dir).arg("run").arg(file));
    assert_eq!(machine.stderr.text(), "", "{plant}: {text}");
    let expected = (machine.status, machine.stdout.text());
    let (standard, clang, gcc) = match lang {
        Lang::C => ("-std=gnu11", "clang-16", "gcc"),
        Lang::Cxx => ("-std=c++17", "clang++-16", "g++"),
    };
    let does = |cc: &Path, options: &[&str]| {
        let program = dir.join("program");
        let compile = Run::new(cc, PATIENCE).args(options).args(["-w", standard]).arg(file);
        let compiled = finished(compile.arg("-o").arg(&program).arg("-lm"));
        assert_eq!(compiled.status, Status::Exit(0), "{cc:?} {text}{}", compiled.stderr.text());
        let ran = finished(Run::new(&program, PATIENCE).env("ASAN_OPTIONS", "detect_leaks=0"));
        (ran.status, ran.stdout.text())
    };
    let (clang, gcc) = (Path::new(clang), Path::new(gcc));
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        for cc in [clang, gcc] {
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
    let all = ["clang-16", "clang++-16", "gcc", "g++"].into_iter().all(answers);
    assert!(all || std::env::var_os("CI").is_none(), "set-up installs clang-16 and gcc");
    all
}

fn script(plant: &str) -> PathBuf {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/compilers/planted");
    scripts.join(format!("{plant}.sh"))
}

/// The planted compiler, and one of the other family that is right.
fn configuration(plant: &str) -> String {
    let path = script(plant).display().to_string();
    let (family, right, c, cxx) = match plant {
        "operator" => ("gcc", "clang", "clang-16", "clang++-16"),
        _ => ("clang", "gcc", "gcc", "g++"),
    };
    format!(
        "extras_per_test = 0\n\
         [[compiler]]\nname = \"{plant}\"\npath = {path:?}\ncxx = {path:?}\nfamily = \"{family}\"\n\
         levels = [\"-O0\", \"-O2\"]\n\
         [[compiler]]\nname = \"reference\"\npath = \"{c}\"\ncxx = \"{cxx}\"\nfamily = \"{right}\"\n\
         levels = [\"-O1\"]\n"
    )
}

fn the_file(lang: Lang, dir: &Path) -> PathBuf {
    let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("a file").path());
    let is = |path: &PathBuf| path.extension().is_some_and(|end| end == lang.ending());
    let files: Vec<PathBuf> = entries.filter(is).collect();
    match files.as_slice() {
        [one] => one.clone(),
        more => panic!("not one {} file: {more:?}", lang.name()),
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
