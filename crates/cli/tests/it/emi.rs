//! `gainsay mutate` and `gainsay hunt --engine emi`: variants print what their seeds print, and find what
//! their seeds do not.

use std::fs;
use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};
use serde_json::Value;

/// For one process, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// Some code runs, some does not; nothing is guarded.
const SEED: &str = r#"#include <stdio.h>
int a = 3, b = 5, c[4];
static int never(int x) { a = x; return x * 2; }
int main(void) {
    int i;
    for (i = 0; i < 4; i++) {
        a = a + b;
        b = b * 3 + i;
        c[i] = a - b;
    }
    while (b == 7) { a = never(b); }
    printf("%d %d %d\n", a, b, c[2]);
    return 0;
}
"#;

/// The same without code that never runs.
const LIVE: &str = r#"#include <stdio.h>
int a = 1, b = 2, c = 3;
int main(void) {
    int i;
    for (i = 0; i < 5; i++) {
        c = a;
        a = b;
        b = a + c + i;
    }
    printf("%d %d %d\n", a, b, c);
    return 0;
}
"#;

fn gainsay(dir: &Path, args: &[&str]) -> Finished {
    match Run::new(env!("CARGO_BIN_EXE_gainsay"), PATIENCE).cwd(dir).args(args).finish() {
        Ended::Finished(done) => done,
        other => panic!("{other:?}"),
    }
}

fn folder() -> Scratch {
    let scratch = Scratch::new().expect("a temporary folder");
    fs::write(scratch.file("seed.c"), SEED).expect("it is written");
    scratch
}

/// Whether compilers are there; in CI they must be.
fn installed(compilers: &[&str]) -> bool {
    let answers = |cc: &&str| Run::new(cc, PATIENCE).arg("--version").finish().success().is_some();
    let all = compilers.iter().all(answers);
    assert!(all || std::env::var_os("CI").is_none(), "set-up installs {compilers:?}");
    all
}

#[test]
fn a_variant_prints_the_same_and_is_the_same_every_time() {
    if !installed(&["gcc"]) {
        return;
    }
    let scratch = folder();
    let dir = scratch.path();
    let seed = gainsay(dir, &["run", "seed.c"]);
    let mut different = 0;
    for strategy in ["fcb", "tg", "tcb", "orion", "athena", "all"] {
        for n in 1..4 {
            let n = n.to_string();
            let args = ["mutate", "seed.c", "--strategy", strategy, "--seed", &n];
            let done = gainsay(dir, &[&args[..], &["--variant", "2", "-o", "v.c"]].concat());
            assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
            assert!(done.stderr.text().starts_with("variant 2: "), "{}", done.stderr.text());
            let text = fs::read(scratch.file("v.c")).expect("it is there");
            let again = gainsay(dir, &[&args[..], &["--variant", "2"]].concat());
            assert!(again.stdout.bytes == text, "{strategy} {n} is not the same twice");
            let ran = gainsay(dir, &["run", "v.c"]);
            assert_eq!(ran.stdout.text(), seed.stdout.text(), "{strategy} {n}");
            different += usize::from(!done.stderr.text().contains("no mutations"));
        }
    }
    assert!(different >= 9, "only {different} of 18 variants have mutations");
}

#[test]
fn what_was_changed_is_shown_as_a_diff() {
    if !installed(&["gcc"]) {
        return;
    }
    let scratch = folder();
    let show = ["mutate", "seed.c", "--variant", "4", "--show"];
    let done = gainsay(scratch.path(), &show);
    let text = done.stdout.text();
    assert!(text.starts_with("--- seed.c (seed)\n+++ seed.c (variant)\n@@ "), "{text}");
    assert!(!text.contains('\x1b'), "no terminal, no colour");
    let summary = done.stderr.text();
    assert!(summary.contains(" mutations: "), "{summary}");
    // Without any mutation it is the seed.
    let none = gainsay(scratch.path(), &[&show[..], &["--keep", "none"]].concat());
    assert_eq!(none.stdout.text(), "");
    assert!(none.stderr.text().starts_with("variant 4: no mutations (of "));
}

#[test]
fn variants_go_to_folders_of_their_own() {
    if !installed(&["gcc"]) {
        return;
    }
    let scratch = folder();
    let done = gainsay(scratch.path(), &["mutate", "seed.c", "--variants", "3", "-o", "many"]);
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    for n in 1..=3 {
        assert!(scratch.file(format!("many/{n}/seed.c")).is_file());
    }
}

#[test]
fn mistakes_are_told_in_a_sentence() {
    if !installed(&["gcc"]) {
        return;
    }
    let scratch = folder();
    fs::write(scratch.file("bad.c"), "int main(void) { int x; return x; }").expect("written");
    let cases: &[(&[&str], u8, &str)] = &[
        (&["mutate", "nowhere.c"], 2, "nowhere.c cannot be read"),
        (&["mutate", "bad.c"], 65, "nothing that variants could keep"),
        (&["mutate", "seed.c", "--strategy", "hermse"], 2, "no strategy `hermse`"),
        (&["mutate", "seed.c", "--variant", "0"], 2, "counted from 1"),
        (&["mutate", "seed.c", "--keep", "999999"], 2, "that is not there"),
        (&["hunt", "--strategy", "tg"], 2, "--strategy is for --engine emi"),
        (&["hunt", "--programs", "smith"], 2, "--programs is for --engine emi and passes"),
        (&["hunt", "--engine", "emi", "--variants", "0"], 2, "--variants must be at least 1"),
        (
            &["hunt", "--engine", "emi", "--programs", "files"],
            2,
            "--programs files needs --from DIR",
        ),
        (&["hunt", "--engine", "emi", "--programs", "smith,smith"], 2, "names smith twice"),
    ];
    for (args, status, words) in cases {
        let done = gainsay(scratch.path(), args);
        assert_eq!(done.status, Status::Exit(*status), "{args:?}: {}", done.stderr.text());
        assert!(done.stderr.text().contains(words), "{args:?}: {}", done.stderr.text());
    }
}

/// A compiler that loses guarded stores is right about the seeds and wrong about their variants; of the
/// mutations of such a variant one is left.
#[test]
fn variants_find_what_their_seeds_do_not() {
    if !installed(&["gcc", "clang-16"]) {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    fs::create_dir(dir.join("seeds")).expect("it is made");
    fs::write(dir.join("seeds/live.c"), LIVE).expect("it is written");
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/compilers/planted/guard.sh");
    let config = format!(
        "extras_per_test = 0\n[[compiler]]\nname = \"guard\"\npath = {:?}\nfamily = \"clang\"\n\
         levels = [\"-O0\", \"-O2\"]\n",
        script.display().to_string()
    );
    fs::write(dir.join("gainsay.toml"), config).expect("it is written");
    let hunt = |more: &[&str]| {
        let args =
            ["hunt", "--from", "seeds", "--no-reduce", "--jobs", "1", "--json", "--cc", "guard"];
        gainsay(dir, &[&args[..], more].concat())
    };
    let plain = hunt(&["--engine", "files", "--hunt", "plain"]);
    assert_eq!(plain.status, Status::Exit(0), "{}{}", plain.stdout.text(), plain.stderr.text());
    let args = ["--engine", "emi", "--strategy", "tg", "--seed", "1", "--tests", "2"];
    let found = hunt(&[&args[..], &["--hunt", "emi"]].concat());
    let text = found.stdout.text();
    let events: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let finding =
        events.iter().find(|e| e["event"] == "finding").unwrap_or_else(|| panic!("{text}"));
    assert_eq!(finding["kind"], "wrong-output", "{finding}");
    assert_eq!(finding["standing"], "confirmed", "{finding}");
    let summary = finding["summary"].as_str().expect("a summary");
    assert!(summary.contains("(emi: tg,") && summary.contains(", 1 of "), "{summary}");
    let variants = events.last().expect("the end")["variants"].as_u64();
    assert!(variants.is_some_and(|n| n > 2), "{variants:?}");
    let shown = gainsay(dir, &["show", &finding["id"].to_string(), "--hunt", "emi", "--source"])
        .stdout
        .text();
    assert!(shown.contains("gainsay mutate ") && shown.contains(" --keep "), "{shown}");
    assert!(shown.contains(" # tg, 1 of "), "{shown}");
}
