//! Hunts whose findings come fast: planted compilers on programs of a few lines, and a libLLVM on modules and
//! programs that show a bug of it.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use llvmhost::Installed;

/// Breaks down at -O1 on an `if`, in another place for one, two or three of them; does not take a `while` at
/// -O1; and adds 7 where 3 is to be added at -O2. On a failure it takes a moment, so that it is often alive
/// when the hunt is killed.
const PLANTED: &str = r#"#!/bin/sh
for word in "$@"; do
    case $word in -O*) level=$word ;; -E | -fsyntax-only) level=none ;; *.c) file=$word ;; esac
    case $word in -O0 | -fsanitize*) sound=yes ;; esac
done
if [ -z "$file" ] || [ "$sound" ]; then exec gcc "$@"; fi
case $level in
-O1)
    ifs=$(grep -c '^ *if (' "$file")
    if [ "$ifs" -gt 0 ]; then
        sleep 0.03
        echo "$file:3:1: internal compiler error: in planted, at planted.cc:$((ifs % 3 + 100))" >&2
        exit 1
    fi
    if grep -q '^ *while (' "$file"; then
        sleep 0.03
        echo "$file:3:1: error: this is not C" >&2
        exit 1
    fi ;;
-O2)
    if grep -q ' + 3;' "$file"; then
        sed 's/ + 3;/ + 7;/' "$file" > "$file.planted.c"
        count=$#
        while [ "$count" -gt 0 ]; do
            word=$1 count=$((count - 1))
            shift
            if [ "$word" = "$file" ]; then word=$file.planted.c; fi
            set -- "$@" "$word"
        done
    fi ;;
esac
exec gcc "$@"
"#;

const CONFIG: &str = "extras_per_test = 0
[[compiler]]
name = \"planted\"
path = \"./planted.sh\"
family = \"gcc\"
levels = [\"-O0\", \"-O1\", \"-O2\"]
";

/// An alignment with an offset: up to LLVM 22 SROA makes something invalid of it where the pointer is a local
/// variable.
const ASSUMES_C: &str = "int printf(const char *, ...);
int main(void) {
    _Alignas(32) int x[16];
    x[7] = 41;
    int *p = __builtin_assume_aligned(x + 7, 32, 28);
    *p += 1;
    printf(\"%d\\n\", x[7]);
    return 0;
}
";

/// The same as a module, and functions to cross it with.
const ASSUMES_LL: &str = "declare void @llvm.assume(i1)
define i32 @assumes(ptr %p) {
  call void @llvm.assume(i1 true) [ \"align\"(ptr %p, i64 32, i64 28) ]
  %q = getelementptr i32, ptr %p, i64 1
  %v = load i32, ptr %q, align 4
  ret i32 %v
}
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
";

/// The library of the hunts on LLVM; its clang makes the IR of programs.
const LLVM: &str = "16";

/// A hunt to be killed.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is called.
    pub name: &'static str,
    /// Its arguments after `gainsay hunt`, but for the folder.
    pub words: Vec<String>,
    /// Tests after which it has findings, some of them studied.
    pub tests: u32,
}

impl Scenario {
    fn new(name: &'static str, tests: u32, words: &str) -> Scenario {
        let words = words.split_whitespace().map(String::from).collect();
        Scenario { name, words, tests }
    }

    /// Writes compilers, programs and modules into an empty folder, which the hunt is started in.
    pub fn prepare(&self, dir: &Path) -> io::Result<()> {
        for folder in ["from", "programs", "tests"] {
            fs::create_dir(dir.join(folder))?;
        }
        let script = dir.join("planted.sh");
        fs::write(&script, PLANTED)?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
        fs::write(dir.join("gainsay.toml"), CONFIG)?;
        fs::write(dir.join("policy.toml"), "program.tests = [1, 2]\n")?;
        for n in 0..PROGRAMS {
            fs::write(dir.join(format!("from/{n}.c")), program(n))?;
        }
        fs::write(dir.join("programs/0.c"), ASSUMES_C)?;
        fs::write(dir.join("programs/1.c"), program(0))?;
        fs::write(dir.join("tests/assumes.ll"), ASSUMES_LL)
    }
}

/// How many programs of a few lines there are.
const PROGRAMS: u32 = 24;

/// The n-th of them: with none to three `if`s, a `while`, an addition of 3, or several of these.
fn program(n: u32) -> String {
    let mut body = String::new();
    for k in 0..n % 4 {
        body += &format!("    if (a > {k})\n        a += {};\n", n + k + 4);
    }
    if n % 3 == 1 {
        body += "    while (i < 2)\n        i++;\n";
    }
    if n.is_multiple_of(2) {
        body += "    b = a + 3;\n";
    }
    format!(
        "#include <stdio.h>\nint a = {n}, b = 5, i;\nint main(void) {{\n{body}    \
         printf(\"%d %d %d\\n\", a, b, i);\n    return 0;\n}}\n"
    )
}

/// Hunts of all engines that can be killed here.
pub fn scenarios() -> Vec<Scenario> {
    let mut all = vec![
        Scenario::new("files", 4, "--engine files --from from --cc planted"),
        Scenario::new(
            "emi",
            3,
            "--engine emi --from from --strategy hermes --variants 4 --cc planted --seed 1",
        ),
        Scenario::new(
            "yarp, smith",
            4,
            "--engine yarp,smith --policy policy.toml --max-funcs 2 --cc planted --seed 1",
        ),
    ];
    if toolchain::on_path("csmith").is_some() {
        let words = "--engine csmith --cc planted --seed 1";
        all.push(Scenario::new("csmith", 3, words));
    }
    if Installed::named(LLVM).is_ok() {
        let crossover = format!("--engine crossover --lib {LLVM} --corpus tests --seed 1");
        let passes = format!(
            "--engine passes --lib {LLVM} --programs files --from programs --sequences 10 \
             --program-count 2 --out-of 2 --no-exclude --seed 1"
        );
        all.push(Scenario::new("crossover", 300, &crossover));
        all.push(Scenario::new("passes", 20, &passes));
    }
    all
}
