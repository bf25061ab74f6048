//! `gainsay llvm cc`: C compiled by passes of one's choice of any libLLVM, with the words of a C compiler.

use std::fs;
use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};

const MAIN: &str = r#"int printf(const char *, ...);
int twice(int);
int main(void) {
    int s = OFFSET;
    for (int i = 0; i < 9; i++) s += twice(i);
    printf("%d\n", s);
    return 4;
}"#;

const TWICE: &str = "int twice(int x) { return x + x; }";

/// A loop hint that is none: up to LLVM 22 the vectoriser does not survive it.
const NO_HINT: &str = "
    define i32 @main() {
      br label %loop
    loop:
      %i = phi i32 [ 0, %0 ], [ %j, %loop ]
      %j = add i32 %i, 1
      %c = icmp slt i32 %j, 9
      br i1 %c, label %loop, label %end, !llvm.loop !0
    end:
      ret i32 0
    }
    !0 = distinct !{!0, null}";

fn finish(run: &Run) -> Finished {
    match run.finish() {
        Ended::Finished(done) => done,
        other => panic!("{other:?}"),
    }
}

fn cc(dir: &Path, args: &str) -> Run {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(120)).cwd(dir);
    run.args(["llvm", "cc"]).args(args.split(' '))
}

/// It compiles without a word.
fn compiles(dir: &Path, args: &str) {
    let done = finish(&cc(dir, args));
    assert_eq!((done.status, done.stderr.text().as_str()), (Status::Exit(0), ""), "{args}");
}

/// Nine numbers, twice, and an offset.
fn prints(dir: &Path, program: &str, expected: &str) {
    let done = finish(&Run::new(dir.join(program), Duration::from_secs(20)));
    assert_eq!((done.status, done.stdout.text().as_str()), (Status::Exit(4), expected));
}

/// A folder with the programs, if LLVM 16 and a clang for it are here.
fn folder() -> Option<Scratch> {
    let has = llvmhost::Installed::named("16").is_ok() && campaign::front::clang_for(16).is_ok();
    assert!(has || std::env::var_os("CI").is_none(), "set-up installs LLVM 16, CI skips none");
    let scratch = Scratch::new().expect("a temporary folder");
    for (name, text) in [
        ("a.c", MAIN),
        ("b.c", TWICE),
        ("bad.c", "int main(void) { return nothing; }"),
        ("hint.ll", NO_HINT),
    ] {
        fs::write(scratch.file(name), text).expect("ours");
    }
    has.then_some(scratch)
}

#[test]
fn files_become_a_program() {
    let Some(scratch) = folder() else { return };
    let dir = scratch.path();
    compiles(dir, "--lib 16 -O0 -DOFFSET=0 -passes=default<O2> a.c b.c -o program");
    prints(dir, "program", "72\n");
    // Several pipelines, an empty one, and IR as for an optimised build; a name that is not set off.
    compiles(
        dir,
        "--lib 16 -O2 -D OFFSET=5 -passes=function(sroa) -passes= -passes=globaldce a.c b.c -lm -oother",
    );
    prints(dir, "other", "77\n");
    compiles(dir, "--lib 16 -DOFFSET=1 a.c b.c");
    prints(dir, "a.out", "73\n");
}

#[test]
fn objects() {
    let Some(scratch) = folder() else { return };
    let dir = scratch.path();
    compiles(dir, "--lib 16 -c -passes=default<O1> b.c -o object.o");
    compiles(dir, "--lib 16 -DOFFSET=0 a.c object.o -o program");
    prints(dir, "program", "72\n");
    // Where a compiler puts it.
    compiles(dir, "--lib 16 -c b.c");
    assert!(dir.join("b.o").exists() && !dir.join("a.out").exists());
    let object = fs::read(dir.join("object.o")).expect("an object");
    assert!(object.starts_with(b"\x7fELF") && object != fs::read(dir.join("b.o")).expect("one"));
}

#[test]
fn what_llvm_does_not_survive_is_told_as_a_crash() {
    let Some(scratch) = folder() else { return };
    let done = finish(&cc(scratch.path(), "--lib 16 -passes=loop-vectorize hint.ll -o program"));
    let told = done.stderr.text();
    assert_eq!(done.status, Status::Exit(1), "{told}");
    for words in ["fatal error: error in backend: SIGSEGV in ", "PLEASE submit", "LoopVectorize"] {
        assert!(told.contains(words), "{told}");
    }
    assert!(!scratch.file("program").exists());
}

#[test]
fn mistakes() {
    let Some(scratch) = folder() else { return };
    let dir = scratch.path();
    for (args, status, words) in [
        ("--lib 16 -passes=no-such-pass a.c", 2, "gainsay: unknown pass name 'no-such-pass'\n"),
        ("--lib 16 -o program", 2, "gainsay: no files to compile\n"),
        ("--lib 16 a.c -o", 2, "gainsay: -o without a name\n"),
        ("--lib 16 -c object.o", 2, "gainsay: no files to compile\n"),
        ("--lib 99 a.c", 2, "gainsay: there is no libLLVM 99; installed are "),
        ("--lib 16 --clang /no/such a.c", 2, "gainsay: /no/such cannot be started: "),
        ("--lib 16 bad.c", 1, "bad.c:1:25: error: use of undeclared identifier 'nothing'"),
        ("--lib 16 nowhere.c", 1, "no such file or directory: 'nowhere.c'"),
        ("--lib 16 b.c b.c", 1, "gainsay: Linking globals named 'twice': symbol multiply defined!"),
        ("--lib 16 -DOFFSET=0 a.c", 1, "undefined reference to `twice'"),
    ] {
        let done = finish(&cc(dir, &args.replace("a.c", "-DOFFSET=0 a.c")));
        let told = done.stderr.text();
        assert_eq!(done.status, Status::Exit(status), "{args}: {told}");
        assert!(told.contains(words), "{args}: {told}");
        assert!(status == 1 || told.lines().count() == 1, "{args}: {told}");
    }
    // No clang is on this path.
    let done = finish(&cc(dir, "--lib 16 b.c").env("PATH", dir));
    let told = "gainsay: programs are compiled to LLVM IR by clang, and no clang up to version 16 is installed\n";
    assert_eq!((done.status, done.stderr.text().as_str()), (Status::Exit(2), told));
}
