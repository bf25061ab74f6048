//! Other people's programs: `llvm-reduce` asks our question, `alive-tv` (a script that prints what it
//! prints) is understood.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use optimise::shrink::external::{Question, llvm_reduce, tool};
use refine::{AliveTv, Reason, Refinement as _, Verdict};
use sandbox::{Scratch, Stop};

fn program(scratch: &Scratch, name: &str, text: &str) -> PathBuf {
    let path = scratch.file(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
    path
}

#[test]
fn llvm_reduce_asks_the_question() {
    let tool = tool(16);
    assert!(
        tool.is_some() || std::env::var_os("CI").is_none(),
        "set-up installs llvm-reduce: CI skips none"
    );
    let Some(tool) = tool else { return };
    let scratch = Scratch::new().expect("a folder");
    // Our program, as far as the script can tell: the finding is a division.
    let checks = r#"[ "$1 $2" = "llvm opt" ] && [ "$4 $5" = "--lib 16" ] && [ "$6" = --passes ] || exit 3
[ "$7" = "it's<a>(b)" ] && [ "$8 $9" = "--expect a division" ] || exit 3
grep -q udiv "$3""#;
    let gainsay = program(&scratch, "gainsay", checks);
    let question = Question {
        gainsay: &gainsay,
        library: "16",
        passes: "it's<a>(b)",
        signature: "a division",
    };
    let module = "define i32 @f(i32 %x) {\n  %a = add i32 %x, 1\n  %b = udiv i32 %a, 3\n  \
                  %c = xor i32 %b, 9\n  ret i32 %c\n}\n";
    let limit = Duration::from_secs(120);
    let small = llvm_reduce(&tool, module, &question, limit, &Stop::new()).expect("it runs");
    let small = small.expect("it ends");
    assert!(small.contains("udiv") && !small.contains("xor") && !small.contains("add"), "{small}");
    // What is not interesting to begin with is an error, not a result.
    let dull =
        llvm_reduce(&tool, "define void @f() {\n  ret void\n}\n", &question, limit, &Stop::new());
    assert!(dull.is_err(), "{dull:?}");
    let stop = Stop::new();
    stop.set();
    assert_eq!(llvm_reduce(&tool, module, &question, limit, &stop), Ok(None));
}

/// Prints as `alive-tv` does, by what it finds in the second file.
const ALIVE: &str = r#"
[ "$1 $2" = "--smt-to=10000 --smt-max-mem=500" ] && [ -r "$3" ] && [ -r "$4" ] || { echo "usage"; exit 1; }
echo; echo ----------------------------------------; cat "$3"; echo "=>"; cat "$4"
if grep -q slow "$4"; then sleep 60; fi
if grep -q crash "$4"; then kill -SEGV $$; fi
good=0; bad=0; failed=0; errors=0
if grep -q ptrtoint "$4"; then echo "ERROR: Unsupported instruction:   %r = ptrtoint ptr %p to i64" >&2; errors=1
elif grep -q hard "$4"; then echo "ERROR: Timeout"; failed=1
elif cmp -s "$3" "$4"; then echo "Transformation seems to be correct! (syntactically equal)"; good=1
else printf "Transformation doesn't verify!\n\nERROR: Value mismatch\n\nExample:\ni32 %%x = #x00000000 (0)\n"; bad=1; fi
printf '\nSummary:\n  %d correct transformations\n  %d incorrect transformations\n' $good $bad
printf '  %d failed-to-prove transformations\n  %d Alive2 errors\n' $failed $errors
[ $errors = 0 ]
"#;

#[test]
fn alive_is_understood() {
    let scratch = Scratch::new().expect("a folder");
    let mut alive = AliveTv::new(program(&scratch, "alive-tv", ALIVE));
    let before = "define i32 @f(i32 %x) {\n  ret i32 %x\n}\n";
    assert_eq!(alive.check(before, before), Verdict::Proved);
    let Verdict::Refuted(refuted) =
        alive.check(before, "define i32 @f(i32 %x) {\n  ret i32 1\n}\n")
    else {
        panic!("not found wrong");
    };
    let example = refuted.report;
    assert!(example.starts_with("define i32 @f") && example.contains("ret i32 1"), "{example}");
    assert!(example.ends_with("i32 %x = #x00000000 (0)"), "{example}");
    let unsupported =
        Reason::AliveTv("Unsupported instruction:   %r = ptrtoint ptr %p to i64".into());
    assert_eq!(alive.check(before, "ptrtoint\n"), Verdict::Unknown(unsupported));
    assert_eq!(alive.check(before, "hard\n"), Verdict::Timeout);
    assert!(matches!(alive.check(before, "crash\n"), Verdict::Error(_)));
    alive.wall = Duration::from_millis(500);
    assert_eq!(alive.check(before, "slow\n"), Verdict::Timeout);
    alive.program = scratch.file("nothing").into();
    assert!(matches!(alive.check(before, before), Verdict::Error(_)));
}
