//! `gainsay llvm verify` through the binary: what it says, how it ends, and one sentence for each mistake.

use std::fs;
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};

const SOURCE: &str = "define i32 @f(i32 %x) {\n  %r = sdiv i32 %x, 2\n  ret i32 %r\n}\n";

/// A call that is undefined where it is not made.
const HOISTED: &str = r#"
target triple = "x86_64-unknown-linux-gnu"
declare i32 @g(ptr) nounwind speculatable willreturn memory(argmem: read)
define i32 @f(ptr %p) {
  %c = icmp ne ptr %p, null
  br i1 %c, label %then, label %end
then:
  %v = call i32 @g(ptr dereferenceable(12) %p)
  br label %end
end:
  %r = phi i32 [ %v, %then ], [ 0, %0 ]
  ret i32 %r
}
"#;

fn verify(dir: &Scratch, args: &[&str]) -> Finished {
    let all = [&["llvm", "verify"], args].concat();
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(100));
    match run.args(all).cwd(dir.path()).finish() {
        Ended::Finished(done) => done,
        other => panic!("{other:?}"),
    }
}

fn folder() -> Scratch {
    let dir = Scratch::new().expect("a temporary folder");
    let wrong = SOURCE.replace("sdiv i32 %x, 2", "ashr i32 %x, 1");
    let doubled = SOURCE.replace("sdiv i32 %x, 2", "mul i32 %x, 2");
    let added = SOURCE.replace("sdiv i32 %x, 2", "add i32 %x, %x");
    // What LLVM 18 and later make of an older layout.
    let old = "target datalayout = \"e-m:e-i64:64-n8:16:32:64-S128\"\n";
    let new = "target datalayout = \"e-m:e-i64:64-i128:128-n8:16:32:64-S128\"\n";
    for (name, text) in [
        ("source.ll", SOURCE.to_string()),
        ("wrong.ll", wrong),
        ("doubled.ll", doubled),
        ("added.ll", added),
        ("old.ll", old.to_string() + SOURCE),
        ("new.ll", new.to_string() + SOURCE),
        ("hoisted.ll", HOISTED.to_string()),
        ("nonsense.ll", "int main() {}\n".to_string()),
    ] {
        fs::write(dir.file(name), text).expect("it is written");
    }
    fs::write(dir.file("pair.srctgt.ll"), PAIR).expect("it is written");
    fs::create_dir(dir.file("empty")).expect("it is made");
    dir
}

/// Negation and complement differ everywhere.
const PAIR: &str = "define i8 @src(i8 %x) {\n  %r = sub i8 0, %x\n  ret i8 %r\n}\n\n\
    define i8 @tgt(i8 %x) {\n  %r = xor i8 %x, -1\n  ret i8 %r\n}\n";

/// A folder of tests: three to run passes on, one of which goes wrong, and pairs as they are.
fn suite() -> Scratch {
    let dir = Scratch::new().expect("a temporary folder");
    fs::create_dir(dir.file("sub")).expect("it is made");
    let halved = "define i8 @src(i8 %x) {\n  %r = sdiv i8 %x, 2\n  ret i8 %r\n}\n\
        define i8 @tgt(i8 %x) {\n  %q = sdiv i8 %x, 2\n  %r = add i8 %q, 0\n  ret i8 %r\n}\n";
    for (name, text) in [
        ("folded.ll", "define i8 @f(i8 %x) {\n  %r = add i8 %x, 0\n  ret i8 %r\n}\n"),
        ("same.ll", "define i8 @g(i8 %x) {\n  ret i8 %x\n}\n"),
        ("hoisted.ll", HOISTED),
        ("nonsense.ll", "int main() {}\n"),
        ("sub/pair.srctgt.ll", PAIR),
        ("sub/halved.srctgt.ll", halved),
        ("sub/two.src.ll", "define i8 @h() {\n  ret i8 1\n}\n"),
        ("sub/two.tgt.ll", "define i8 @h() {\n  ret i8 2\n}\n"),
        ("notes.txt", "no test"),
    ] {
        fs::write(dir.file(name), text).expect("it is written");
    }
    dir
}

const PASSES: [&str; 4] = ["--lib", "16", "--passes", "instcombine,speculative-execution,dce"];

#[test]
fn a_folder_becomes_a_table() {
    let dir = suite();
    let done = verify(&dir, &[&["."], &PASSES[..], &["--blame", "-j", "2", "-o", "kept"]].concat());
    let text = done.stdout.text();
    assert_eq!(done.status, Status::Exit(1), "{text}{}", done.stderr.text());
    for (line, why) in [
        ("hoisted.ll: @f does not refine\n  input: ptr %p = null", "the input"),
        ("pass to blame: speculative-execution", "blame"),
        ("pair.srctgt.ll: @src does not refine", "a pair in one file"),
        ("two.src.ll: @h does not refine", "a pair of files"),
        ("7 tests, 6 functions, 5 changed", "the size"),
        ("refuted                              3   60.0 %", "a count"),
        ("proved                               2   40.0 %", "another"),
        ("     1 not a module for this LLVM", "what is no module"),
        ("execution: 5 functions in ", "times"),
    ] {
        assert!(text.contains(line), "{why}: {text}");
    }
    let order = ["hoisted.ll", "pair.srctgt.ll", "two.src.ll"].map(|name| text.find(name));
    assert!(order.is_sorted(), "the order of the tests: {text}");
    let kept = fs::read_to_string(dir.file("kept/hoisted.f.txt")).expect("a report is kept");
    assert!(kept.contains("pass to blame: speculative-execution"), "{kept}");
    // What the report says shows it again.
    let command = kept.lines().find_map(|line| line.strip_prefix("command: gainsay llvm verify "));
    let words: Vec<&str> = command.expect("a command").split(' ').collect();
    let files: Vec<String> = words[..2].iter().map(|file| format!("kept/{file}")).collect();
    let again = verify(&dir, &[&[&*files[0], &files[1]], &words[2..]].concat());
    assert_eq!(again.status, Status::Exit(1), "{}", again.stdout.text());
}

#[test]
fn a_folder_as_json_lines() {
    let dir = suite();
    let done = verify(&dir, &[&[".", "--json", "--solver", "none"], &PASSES[..]].concat());
    assert_eq!(done.status, Status::Exit(1), "{}", done.stderr.text());
    let text = done.stdout.text();
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let lines: Vec<serde_json::Value> = lines.collect();
    let functions = lines.iter().filter(|line| line["function"].is_string()).count();
    let aside = lines.iter().filter(|line| line["set_aside"].is_string()).count();
    assert_eq!((functions, aside, lines.len()), (6, 1, 8), "{text}");
    let summary = &lines[7]["summary"];
    assert_eq!(summary["outcomes"]["refuted"], 3, "{text}");
    assert_eq!(summary["finished"], 7, "{text}");
}

#[test]
fn pairs_need_no_library_and_nothing_refuted_is_no_failure() {
    let dir = suite();
    let one = verify(&dir, &["sub/pair.srctgt.ll"]);
    assert_eq!(one.status, Status::Exit(1), "{}", one.stderr.text());
    assert!(one.stdout.text().contains("@src: does not refine"), "{}", one.stdout.text());
    let no_library = ["sub", "--lib", "999", "--every", "3"];
    let done = verify(&dir, &no_library);
    assert_eq!(done.status, Status::Exit(0), "{}{}", done.stdout.text(), done.stderr.text());
    assert!(done.stdout.text().contains("1 test, 1 function, 1 changed"), "{}", done.stdout.text());
}

#[test]
fn a_verdict_comes_with_its_reason() {
    let dir = folder();
    let wrong = verify(&dir, &["source.ll", "wrong.ll"]);
    assert_eq!(wrong.status, Status::Exit(1), "{}", wrong.stderr.text());
    let text = wrong.stdout.text();
    assert!(text.contains("@f: does not refine") && text.contains("input: i32 %x = "), "{text}");
    assert!(text.contains("%r = ashr i32 %x, 1    ; -1"), "{text}");
    let doubled = verify(&dir, &["doubled.ll", "added.ll"]).stdout.text();
    assert!(
        doubled.contains("input: i32 %x = undef"),
        "an undefined argument read twice: {doubled}"
    );
    for (before, after) in
        [("source.ll", "source.ll"), ("old.ll", "new.ll"), ("source.ll", "new.ll")]
    {
        let same = verify(&dir, &[before, after]);
        assert_eq!(same.status, Status::Exit(0), "{}", same.stdout.text());
        assert!(same.stdout.text().contains("@f: refines (proved)"), "{}", same.stdout.text());
    }
}

#[test]
fn passes_are_run_and_blamed() {
    let dir = folder();
    let passes = ["--lib", "16", "--passes", "instcombine,speculative-execution,dce"];
    let blamed = verify(&dir, &[&["hoisted.ll"], &passes[..]].concat());
    let text = blamed.stdout.text();
    assert_eq!(blamed.status, Status::Exit(1), "{text}{}", blamed.stderr.text());
    assert!(text.contains("to blame: speculative-execution"), "{text}");
    assert!(text.contains("input: ptr %p = null"), "{text}");
    let fine = ["--lib", "16", "--passes", "instcombine,dce"];
    let fine = verify(&dir, &[&["hoisted.ll"], &fine[..]].concat());
    assert_eq!(fine.status, Status::Exit(0), "{}", fine.stdout.text());
}

#[test]
fn every_mistake_gets_a_sentence() {
    let dir = folder();
    for (args, sentence) in [
        (&["source.ll"][..], "with what to compare source.ll?"),
        (&["source.ll", "source.ll", "--blame"], "--blame is for a folder"),
        (&["pair.srctgt.ll", "--passes", "dce"], "compared as it is"),
        (&[".", "none.ll"], "no file or folder none.ll"),
        (&["empty"], "no .ll file below empty"),
        (&[".", "--passes", "no-such-pass", "--lib", "16"], "no such passes"),
        (&[".", "--lib", "999"], "999"),
        (&[".", "--jobs", "0"], "--jobs"),
        (&["none.ll", "source.ll"], "none.ll"),
        (&["source.ll", "nonsense.ll"], "the module after: line 1"),
        (&["source.ll", "--passes", "no-such-pass", "--lib", "16"], "there are none such"),
        (&["source.ll", "wrong.ll", "--solver", "abacus"], "abacus"),
    ] {
        let done = verify(&dir, args);
        assert_eq!(done.status, Status::Exit(2), "{args:?}: {}", done.stdout.text());
        assert!(done.stderr.text().contains(sentence), "{args:?}: {}", done.stderr.text());
    }
}
