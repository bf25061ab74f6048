//! The folder in which documented commands run: the files that they name, and two hunts with findings.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use sandbox::{Ended, Run, Scratch, Status};

/// A gcc that fails where a program calls `puts`: it dies at -O1, and calls another function at -O2.
const FAULTY: &str = r#"#!/bin/sh
for word; do
    case $word in *.c|*.i) grep -q 'puts(' "$word" && fails=1 ;; esac
done
case "$fails: $* " in
"1:"*" -O1 "*) echo "prog.c:3:1: internal compiler error: in extract_insn, at recog.cc:2791" >&2; exit 1 ;;
"1:"*" -O2 "*) exec gcc "$@" -Dputs=atoi ;;
esac
exec gcc "$@"
"#;

const CONFIG: &str = "extras_per_test = 0
[[compiler]]
name = \"faulty\"
path = \"./faulty.sh\"
family = \"gcc\"
levels = [\"-O0\", \"-O1\", \"-O2\"]
";

const AVERAGE: &str = r#"#include <stdio.h>

static int average(int a, int b)
{
    return (a + b) / 2;
}

int main(void)
{
    printf("%d\n", average(3, 5));
    printf("%d\n", average(2147483647, 1));
    return 0;
}
"#;

const PROG: &str = r#"#include <stdio.h>

static unsigned table[8];

static unsigned mix(unsigned x, int n)
{
    for (int i = 0; i < n; i++) {
        table[i % 8] += x >> i;
        if (x & 1)
            x = x * 3 + 1;
        else
            x /= 2;
    }
    return x;
}

int main(void)
{
    unsigned sum = mix(27, 40);
    for (int i = 0; i < 8; i++)
        sum = sum * 31 + table[i];
    printf("%u\n", sum);
    return 0;
}
"#;

const MAIN: &str = r#"#include <stdio.h>
#include "util.h"
int main(void) { printf("%d\n", twice(21)); return 0; }
"#;

/// A change of a pass and of its test.
const PATCH: &str = "\
--- a/llvm/lib/Analysis/InstructionSimplify.cpp
+++ b/llvm/lib/Analysis/InstructionSimplify.cpp
@@ -1,3 +1,3 @@ static Value *simplifyMulInst(Value *Op0, Value *Op1,
--- a/llvm/test/Transforms/InstSimplify/multiply.ll
+++ b/llvm/test/Transforms/InstSimplify/multiply.ll
";

/// gcc 11 and 12 are wrong at -O2: the trophy of README.md.
const TAIL: &str = include_str!("../../../../../trophies/gcc-tail-recursion-overflow/test.c");

/// gcc 11 and 12 die.
const CRASH: &str =
    "int a;\nint b;\nint main(void) { while (0) a = (_Bool)(0 / 0); b = 3; return 0; }\n";

const BIG: &str = r#"#include <stdio.h>
int used(int x) { return x / 3; }
int unused(int x) { return x * 5; }
int main(void)
{
    int i, s = 0;
    for (i = 0; i < 10; i++)
        s += used(i);
    printf("%d\n", s);
    return 0;
}
"#;

/// The division stays.
const INTERESTING: &str = "#!/bin/sh\ngrep -qs '/ 3' big.c || grep -qs 'sdiv' bad.ll\n";

const MODULE: &str = "define i32 @divide(i32 %x, i32 %y) {
  %a = add nsw i32 %x, 0
  %b = mul i32 %y, 4
  %d = sdiv i32 %a, 3
  %s = add i32 %d, %b
  ret i32 %s
}

define i1 @compare(i32 %x) {
  %a = add nsw i32 %x, 1
  %c = icmp sgt i32 %a, %x
  ret i1 %c
}
";

const BEFORE: &str = "define i32 @f(i32 %x) {\n  %a = mul i32 %x, 2\n  ret i32 %a\n}\n";

const AFTER: &str = "define i32 @f(i32 %x) {\n  %a = shl i32 %x, 1\n  ret i32 %a\n}\n";

/// Programs on which the faulty compiler fails; each gives two findings.
const FAILING: &[&str] = &["one", "two", "three", "four"];

/// The binary of this build before everything else.
pub fn path() -> OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_gainsay"));
    let mut path = OsString::from(binary.parent().expect("a folder"));
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    path
}

/// A fresh folder.
pub fn folder() -> Scratch {
    static FIRST: OnceLock<Scratch> = OnceLock::new();
    let scratch = Scratch::new().expect("a temporary folder");
    copy(FIRST.get_or_init(make).path(), scratch.path());
    scratch
}

/// The folder that others are copied from: hunting takes seconds.
fn make() -> Scratch {
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    write_files(dir);
    let words = ["hunt", "--engine", "files", "--from", "tests", "--cc", "faulty", "--no-reduce"];
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(300));
    match run.args(words).args(["--hunt", "my-hunt", "--jobs", "1"]).cwd(dir).finish() {
        Ended::Finished(done) if done.status == Status::Exit(1) => {}
        Ended::Finished(done) => {
            panic!("the hunt of the fixture: {}{}", done.stdout.text(), done.stderr.text())
        }
        other => panic!("the hunt of the fixture: {other:?}"),
    }
    copy(&dir.join("my-hunt"), &dir.join("gainsay-hunt"));
    scratch
}

fn write_files(dir: &Path) {
    let write = |name: &str, text: &str| {
        let file = dir.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    };
    let script = |name: &str, text: &str| {
        write(name, text);
        fs::set_permissions(dir.join(name), fs::Permissions::from_mode(0o755)).expect("a script");
    };
    script("faulty.sh", FAULTY);
    script("interesting.sh", INTERESTING);
    write("gainsay.toml", CONFIG);
    write("average.c", AVERAGE);
    write("prog.c", PROG);
    write("main.c", MAIN);
    write("util.c", "#include \"util.h\"\nint twice(int x) { return 2 * x; }\n");
    write("include/util.h", "int twice(int x);\n");
    write("tail.c", TAIL);
    write("crash.c", CRASH);
    write("big.c", BIG);
    for name in FAILING {
        let text = format!(
            "#include <stdlib.h>\nint puts(const char *);\nint main(void) {{ puts(\"{name}\"); return 0; }}\n"
        );
        write(&format!("tests/{name}.c"), &text);
    }
    for name in ["bad.ll", "test.ll", "llvm/test/Transforms/InstCombine/divide.ll"] {
        write(name, MODULE);
    }
    write("llvm/test/Transforms/InstSimplify/multiply.ll", BEFORE);
    let pair = BEFORE.replace("@f", "@src") + &AFTER.replace("@f", "@tgt");
    write("change.patch", PATCH);
    write("pair.srctgt.ll", &pair);
    write("before.ll", BEFORE);
    write("after.ll", AFTER);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.file_type().expect("a type").is_dir() {
            true => copy(&entry.path(), &target),
            false => {
                fs::copy(entry.path(), target).expect("a copy");
            }
        }
    }
}
