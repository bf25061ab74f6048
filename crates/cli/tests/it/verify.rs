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
    dir
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
        (&["source.ll"][..], "<AFTER.ll>"),
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
