//! `gainsay hunt --engine crossover`: a bug of a real LLVM found by crossing two modules, reduced, reported
//! and tried again; a hunt that was killed goes on; every mistake gets a sentence.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};
use serde_json::Value;

/// An alignment assumption with an offset: nothing is wrong with it until the pointer is a local variable.
/// Up to LLVM 22 SROA then makes a bundle of it that the verifier refuses.
const ASSUMES: &str = r#"
declare void @llvm.assume(i1)
define i32 @assumes(ptr %p) {
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 32, i64 28) ]
  %q = getelementptr i32, ptr %p, i64 1
  %v = load i32, ptr %q, align 4
  ret i32 %v
}
"#;

const PLAIN: &str = r"
define i32 @adds(i32 %a, i32 %b) {
  %c = add nsw i32 %a, %b
  %d = mul i32 %c, 3
  ret i32 %d
}
define i32 @stores(ptr %p, i32 %x) {
  store i32 %x, ptr %p
  %v = load i32, ptr %p
  ret i32 %v
}
define <4 x float> @vectors(<4 x float> %a) {
  %b = fadd <4 x float> %a, %a
  ret <4 x float> %b
}
";

fn gainsay(dir: &Path, args: &[&str]) -> Finished {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(300)).args(args).cwd(dir);
    match run.finish() {
        Ended::Finished(done) => done,
        other => panic!("{args:?}: {other:?}"),
    }
}

/// A folder with the tests.
fn folder() -> Scratch {
    let scratch = Scratch::new().expect("a temporary folder");
    let tests = scratch.path().join("tests/sub");
    fs::create_dir_all(&tests).expect("it is made");
    fs::write(tests.join("assumes.ll"), ASSUMES).expect("it is written");
    fs::write(tests.join("plain.ll"), PLAIN).expect("it is written");
    fs::write(tests.join("broken.ll"), "define i32 @f( {").expect("it is written");
    scratch
}

fn has_16() -> bool {
    let has = llvmhost::Installed::named("16").is_ok();
    assert!(has || std::env::var_os("CI").is_none(), "set-up installs LLVM 16, CI skips none");
    has
}

#[test]
fn a_bug_of_a_stock_llvm_is_found_and_told() {
    if !has_16() {
        return;
    }
    let scratch = folder();
    let dir = scratch.path();
    let hunt = ["hunt", "--engine", "crossover", "--corpus", "tests", "--lib", "16", "--seed", "1"];
    let more = ["--tests", "300", "--jobs", "1", "--hunt", "out", "--json"];
    let done = gainsay(dir, &[&hunt[..], &more[..]].concat());
    let text = done.stdout.text();
    assert_eq!(done.status, Status::Exit(1), "{text}{}", done.stderr.text());
    let events: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let event = |name: &str| events.iter().find(|event| event["event"] == name).expect(name);
    let finding = event("finding");
    assert_eq!(finding["kind"], "invalid-ir", "{finding}");
    let summary = finding["summary"].as_str().expect("a summary");
    assert_eq!(summary, "invalid IR after SROAPass: too many arguments");
    let study = event("study");
    assert_eq!(study["flags"][0], "-passes=sroa", "{study}");
    assert!(study["tokens"].as_u64().is_some_and(|tokens| tokens < 60), "{study}");
    // Four functions, one file that is none; sequences always work.
    let imported = fs::read_to_string(dir.join("out/crossover-16/imported.json")).expect("read");
    let imported: Value = serde_json::from_str(&imported).expect("JSON");
    assert_eq!((&imported["functions"], &imported["seeds"]), (&4.into(), &4.into()), "{imported}");
    assert_eq!(imported["aside"]["not a module for this LLVM"], 1, "{imported}");

    let report = gainsay(dir, &["report", "1", "--hunt", "out", "-o", "bug"]);
    assert_eq!(report.status, Status::Exit(0), "{}", report.stderr.text());
    let report = fs::read_to_string(dir.join("bug/report.md")).expect("a report");
    for words in ["[SROA]", "opt-16", "-passes=sroa", "```llvm", "libLLVM-16"] {
        assert!(report.contains(words), "no {words} in {report}");
    }
    let file = dir.join("bug/test.ll");
    let file = file.to_str().expect("a name");
    let opt = gainsay(dir, &["llvm", "opt", file, "--lib", "16", "--passes", "sroa"]);
    assert_eq!(opt.status, Status::Exit(1), "{}", opt.stderr.text());
    assert!(opt.stderr.text().contains("pass: SROAPass"), "{}", opt.stderr.text());
    let again = gainsay(dir, &["recheck", "1", "--hunt", "out"]);
    assert!(again.stdout.text().contains("still fails"), "{}", again.stdout.text());
}

#[test]
fn a_killed_hunt_goes_on_with_its_corpus() {
    if !has_16() {
        return;
    }
    let scratch = folder();
    let dir = scratch.path();
    let hunt = |end: &[&str]| -> Vec<String> {
        let words = "hunt --engine crossover --lib 16 --corpus tests --hunt out".split(' ');
        let words = words.chain(["--no-reduce", "--jobs", "1", "--json"]);
        words.chain(end.iter().copied()).map(String::from).collect()
    };
    let run = |end: &[&str]| {
        let words = hunt(end);
        gainsay(dir, &words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let done = run(&["--tests", "100"]);
    assert!(matches!(done.status, Status::Exit(0 | 1)), "{}", done.stderr.text());
    // Killed by its wall, as SIGKILL does it.
    let killed = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(6));
    let ended = killed.args(hunt(&["--for", "10m"])).cwd(dir).finish();
    assert!(matches!(ended, Ended::Killed(..)), "{ended:?}");
    let corpus = dir.join("out/crossover-16");
    let imported = || fs::metadata(corpus.join("imported.json")).expect("a corpus").modified();
    let (before, seeds) =
        (imported().expect("a time"), fs::read(corpus.join("seeds.bc")).expect("seeds"));
    let done = run(&["--for", "2s"]);
    assert!(matches!(done.status, Status::Exit(0 | 1)), "{}", done.stderr.text());
    assert_eq!(imported().expect("a time"), before, "the tests were imported again");
    let now = fs::read(corpus.join("seeds.bc")).expect("seeds");
    assert!(now.starts_with(&seeds), "what was there is there");
    let first = done.stdout.text();
    let first: Value = serde_json::from_str(first.lines().next().expect("a line")).expect("JSON");
    assert!(first["tests"].as_u64().is_some_and(|tests| tests >= 100), "{first}");
}

/// All files of a folder with what is in them.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry"));
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, fs::read(entry.path()).expect("a file"))
    };
    entries.map(file).collect()
}

#[test]
fn a_corpus_of_a_user_is_only_read() {
    if !has_16() {
        return;
    }
    let scratch = folder();
    let dir = scratch.path();
    let import =
        gainsay(dir, &["llvm", "import", "tests", "--lib", "16", "-o", "corpus", "-j", "1"]);
    assert_eq!(import.status, Status::Exit(0), "{}", import.stderr.text());
    fs::write(dir.join("corpus/notes.txt"), "mine").expect("written");
    let before = contents(&dir.join("corpus"));
    let hunt = |out: &str| {
        let words =
            "hunt --engine crossover --lib 16 --corpus corpus --tests 100 --jobs 1 --no-reduce";
        let words = words.split(' ').chain(["--hunt", out]);
        gainsay(dir, &words.collect::<Vec<_>>())
    };
    let done = hunt("out");
    assert!(matches!(done.status, Status::Exit(0 | 1)), "{}", done.stderr.text());
    assert_eq!(contents(&dir.join("corpus")), before);
    let own = dir.join("out/crossover-16");
    assert!(fs::read(own.join("index")).expect("a copy").starts_with(&before["index"]));

    // A library that was built anew has another build id and other blocks.
    let blocks = fs::read(own.join("blocks")).expect("blocks");
    let begin = blocks.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let mut other = blocks.clone();
    other[begin] = if blocks[begin] == b'0' { b'1' } else { b'0' };
    fs::write(own.join("blocks"), other).expect("written");
    let done = hunt("out");
    assert!(matches!(done.status, Status::Exit(0 | 1)), "{}", done.stderr.text());
    let told = done.stderr.text();
    assert!(told.contains("was measured on another build of"), "{told}");
    let again = hunt("out");
    assert!(!again.stderr.text().contains("another build"), "{}", again.stderr.text());

    // One hunt at a time.
    let lock = fs::File::open(own.join("lock")).expect("a lock");
    lock.lock().expect("it is free");
    let refused = hunt("out");
    assert_eq!(refused.status, Status::Exit(2));
    assert!(refused.stderr.text().contains("in use by another hunt"), "{}", refused.stderr.text());
    drop(lock);

    fs::write(dir.join("corpus/imported.json"), "torn").expect("written");
    let before = contents(&dir.join("corpus"));
    let refused = hunt("other");
    assert_eq!(refused.status, Status::Exit(2));
    assert!(refused.stderr.text().contains("looks like a corpus"), "{}", refused.stderr.text());
    assert_eq!(contents(&dir.join("corpus")), before);
}

#[test]
fn mistakes_get_one_sentence() {
    let scratch = folder();
    let dir = scratch.path();
    fs::create_dir_all(dir.join("empty")).expect("it is made");
    for (args, words) in [
        (&["--engine", "crossover"][..], "needs --corpus DIR"),
        (&["--engine", "crossover", "--corpus", "nowhere"], "does not exist"),
        (&["--engine", "crossover", "--corpus", "empty"], "no .ll or .bc file"),
        (&["--engine", "crossover", "--corpus", "tests", "--lib", "99"], "there is no libLLVM 99"),
        (&["--engine", "yarp", "--corpus", "tests"], "--corpus is for --engine crossover"),
        (
            &["--engine", "crossover", "--corpus", "tests", "--cc", "gcc"],
            "--cc is for engines of C",
        ),
    ] {
        let done = gainsay(dir, &[&["hunt", "--hunt", "out"][..], args].concat());
        let told = done.stderr.text();
        assert_eq!(done.status, Status::Exit(2), "{args:?}: {told}");
        assert!(told.contains(words), "{args:?}: {told}");
        assert_eq!(told.trim().lines().count(), 1, "{args:?}: {told}");
    }
    let minimise = gainsay(dir, &["llvm", "minimise", "tests", "-o", "small"]);
    assert!(minimise.stderr.text().contains("holds no corpus"), "{}", minimise.stderr.text());
}
