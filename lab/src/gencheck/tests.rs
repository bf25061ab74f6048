//! The check itself is checked: a generator with a fault for each check, which must be caught.

use std::os::unix::fs::PermissionsExt;

use sandbox::Scratch;

use super::*;

/// Writes a program whose fault depends on the seed, and answers as the machine would.
const FAKE: &str = r#"#!/bin/sh
if [ "$1" = run ]; then
    printf '%s\n' '{"outcome":"finished","stage":"run","stdout":"7\n","status":0}'
    exit
fi
while [ $# -gt 0 ]; do
    case $1 in --seed) seed=$2 ;; --single-file) single=1 ;; -o) dir=$2 ;; esac
    shift
done
body='int x = 7;' note=1 output=7
case $seed in
2) output=8 ;;
3) note=$$ ;;
4) echo 'no program' >&2; exit 1 ;;
5) body='int x = 7, big = 2147483647; big += x;' ;;
6) body='int x = 7, never; if (never == 5) x = 7;' ;;
7) body='int x = 7 oops;' ;;
8) body='int x = 7, y; static int a[2]; y = a[x - 5];' ;;
9) body='int x = 7, a, b; if (&a < &b) x = 7;' ;;
10) body='int x = 7; char c[8] = {0}; x += *(int *)(c + 1);' ;;
11) body='int x = 7; __builtin_trap();' ;;
12) if [ "$single" ]; then output=9; fi ;;
esac
echo "void show(int); /* $note */" > "$dir/init.h"
printf '#include "init.h"\nint main(void) { %s show(x); return 0; }\n' "$body" > "$dir/func.c"
show='void show(int x) { printf("%d\n", x); }'
if [ "$single" ]; then
    printf '#include <stdio.h>\n%s\n%s\n' "$show" "int main(void) { $body show(x); }" > "$dir/program.c"
    rm "$dir/func.c"
else
    printf '#include <stdio.h>\n%s\n' "$show" > "$dir/driver.c"
fi
echo $output > "$dir/expected"
"#;

fn checker(scratch: &Scratch) -> Option<Checker> {
    let gainsay = scratch.file("gainsay");
    fs::write(&gainsay, FAKE).expect("a script");
    fs::set_permissions(&gainsay, fs::Permissions::from_mode(0o755)).expect("made executable");
    let (Ok(compilers), Ok(sanitizers)) = (judge::compilers(Lang::C), judge::sanitizers(Lang::C))
    else {
        assert!(std::env::var_os("CI").is_none(), "set-up installs gcc and clang-16");
        eprintln!("skipped: gcc or clang-16 is not installed");
        return None;
    };
    let generator =
        Generator { gainsay: gainsay.clone(), engine: "yarp".into(), policy: None, lang: Lang::C };
    let machine = Machine::new(gainsay);
    let dir = scratch.file("programs");
    Some(Checker { generator, machine, twice: true, compilers, sanitizers, dir })
}

#[test]
fn every_fault_is_caught() {
    let scratch = Scratch::new().expect("a temporary folder");
    let Some(checker) = checker(&scratch) else { return };
    let compilers = ["gcc -O0", "clang-16 -O0"];
    let both = ["gcc ASan+UBSan", "clang-16 ASan+UBSan"];
    let all = [&compilers[..], &both, &["clang-16 MSan"]].concat();
    let caught: [(u64, &str, Vec<&str>); 12] = [
        (1, "", vec![]),
        (2, "output differs: line 1 is `7`, expected `8`", [&all[..], &["gainsay run"]].concat()),
        (3, "init.h differs", vec!["the same twice"]),
        (4, "Exit(1): no program", vec!["generated"]),
        (5, "signed integer overflow", both.to_vec()),
        (6, "use-of-uninitialized-value", vec!["clang-16 MSan"]),
        (7, "not compiled: ", all.clone()),
        (8, "out of bounds", both.to_vec()),
        (9, "invalid-pointer-pair", vec!["gcc ASan+UBSan"]),
        (10, "misaligned address", both.to_vec()),
        (11, "status 13", all.clone()),
        (12, "is said to print something else", vec!["gainsay run"]),
    ];
    for (seed, why, expected) in caught {
        let job = Job { seed, compilers: true, sanitize: true, reread: true };
        let checks = checker.program(&job);
        assert_eq!(checks.len(), if seed == 4 { 1 } else { 8 }, "seed {seed}");
        let failed = checks.iter().filter(|c| c.failure.is_some());
        assert_eq!(failed.map(|c| c.check.as_str()).collect::<Vec<_>>(), expected, "{checks:#?}");
        let kept = fs::read_to_string(checker.dir.join(format!("{seed}/why.txt")));
        let kept = kept.unwrap_or_default();
        let told = expected.iter().all(|check| kept.contains(&format!("{check}: ")));
        assert!(told && kept.contains(why), "seed {seed}: {kept}");
        assert_eq!(checker.dir.join(seed.to_string()).exists(), seed != 1, "seed {seed}");
    }
}

#[test]
fn the_table_counts_and_lists() {
    let mut table = Table::default();
    for (seed, check, failure) in [
        (1, "generated", None),
        (1, "gcc -O0", Some("bad\nmore")),
        (1, "gainsay run", Some("x")),
        (2, "generated", None),
    ] {
        let failure = failure.map(String::from);
        table.add(seed, CheckResult { check: check.into(), failure });
    }
    let text = table.text(Path::new("kept"));
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["generated", "2", "0"]);
    assert_eq!(rows[2], ["gcc", "-O0", "1", "1"]);
    assert!(text.contains("seed 1: gcc -O0: bad (and 1 more)\nkept under kept"), "{text}");
}
