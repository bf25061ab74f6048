//! The engine on a compiler that is wrong about one shape of code: a guard right around a statement.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use oracle::{Detectors, FailureKind, Lab};
use sandbox::Scratch;
use toolchain::{Compiler, Config};

use super::*;

/// A program that has no `if` at all.
const SEED: &str = "#include <stdio.h>\nint a = 3, b = 5;\nint main(void) {\n  int i;\n  \
    for (i = 0; i < 4; i++) { a += b; b = b * 3 + i; }\n  printf(\"%d %d\\n\", a, b);\n  return 0;\n}\n";

/// Breaks down on an `if` where it optimises.
const WRONG: &str = "#!/bin/sh\nfor w in \"$@\"; do case $w in -O2) o=yes;; *.c) f=$w;; esac; done\n\
    if [ \"$o\" ] && [ \"$f\" ] && grep -q '^ *if (' \"$f\"; then\n\
    echo 'test.c:1:1: internal compiler error: in fold_guard, at fold.c:7' >&2; exit 4; fi\n\
    exec gcc \"$@\"\n";

/// Compilers: gcc, and one that is wrong about guards.
fn bench(dir: &Path) -> TestBench {
    let script = dir.join("wrong-cc");
    fs::write(&script, WRONG).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let text = format!(
        "extras_per_test = 0\n[[compiler]]\nname = \"wrong\"\npath = {:?}\nfamily = \"gcc\"\n\
         levels = [\"-O0\", \"-O2\"]\n",
        script.display().to_string()
    );
    let file = dir.join("gainsay.toml");
    fs::write(&file, text).unwrap();
    let config = Config::read(&file).unwrap();
    let survey =
        toolchain::survey(&config, &["wrong".to_string()], Language::C, &mut |_| {}).unwrap();
    let compilers: Vec<Arc<Compiler>> = survey.compilers;
    assert_eq!(compilers.len(), 1, "{:?}", survey.left_out);
    TestBench::new(Lab::default(), compilers, 0).with_detectors(Detectors::among(Vec::new()))
}

fn engine(from: &Path, strategies: &str) -> Emi {
    let seeds = vec![EngineChoice::Files { from: from.to_path_buf(), include: Vec::new() }];
    let strategies = strategies.parse().unwrap();
    Emi::new(&EmiOptions { seeds, strategies, variants: 4 }).unwrap()
}

fn installed() -> bool {
    let there = on_path("gcc").is_some();
    assert!(there || std::env::var_os("CI").is_none(), "set-up installs gcc");
    there
}

fn folder() -> (Scratch, PathBuf) {
    let scratch = Scratch::new().unwrap();
    let from = scratch.file("from");
    fs::create_dir(&from).unwrap();
    fs::write(from.join("seed.c"), SEED).unwrap();
    (scratch, from)
}

#[test]
fn each_variant_that_fails_is_found_and_taken_back_to_its_mutation() {
    if !installed() {
        return;
    }
    let (scratch, from) = folder();
    let bench = bench(scratch.path());
    let emi = engine(&from, "hermes");
    let found = (1..20).map(|seed| (seed, emi.test(seed, &bench).unwrap()));
    let (seed, tested) = found.into_iter().find(|(_, t)| !t.findings.is_empty()).unwrap();
    assert_eq!(tested.skipped, None);
    assert!(tested.variants >= 1 && tested.variants <= 4);
    let finding = &tested.findings[0];
    assert_eq!(finding.kind, FailureKind::CompilerCrash);
    assert_eq!(finding.targets(), ["wrong -O2"]);
    let told = finding.summary.split_once(" (emi: ").expect("blame").1;
    assert!(told.contains(", 1 of ") && told.ends_with(" mutations)"), "{told}");
    assert!(finding.origin.contains(" --keep "), "{}", finding.origin);
    // What is left is the seed and one mutation, and prints the same.
    let text = String::from_utf8(finding.files[0].bytes.clone()).unwrap();
    assert!(text.matches("if (").count() <= 2 && text.contains("if ("), "{text}");
    // The same test again is the same test.
    let again = emi.test(seed, &bench).unwrap();
    assert_eq!(again.findings[0].files, finding.files);
    assert_eq!(again.findings[0].origin, finding.origin);
}

/// Two variants of a seed that fail alike may be two bugs: each is a finding, and the second is not derived
/// from the first.
#[test]
fn a_variant_that_fails_hides_no_other() {
    if !installed() {
        return;
    }
    let (scratch, from) = folder();
    let bench = bench(scratch.path());
    let emi = engine(&from, "fcb");
    let found = (1..30).map(|seed| emi.test(seed, &bench).unwrap());
    let tested = found.into_iter().find(|t| t.findings.len() > 1).expect("a seed with two");
    let number = |origin: &str| -> u32 {
        let (_, rest) = origin.split_once("--variant ").expect("a number");
        rest.split(' ').next().and_then(|n| n.parse().ok()).expect("a number")
    };
    let [first, second, ..] = &tested.findings[..] else { panic!("{:?}", tested.findings) };
    assert_eq!(first.signature, second.signature);
    assert!(number(&first.origin) < number(&second.origin));
    assert!(!first.origin.contains("--without"), "{}", first.origin);
    let without = format!("--without {}", number(&first.origin));
    assert!(second.origin.contains(&without), "{}", second.origin);
    assert_ne!(first.files, second.files);
}

#[test]
fn a_failure_of_the_seed_is_not_told_of_its_variants() {
    if !installed() {
        return;
    }
    let (scratch, from) = folder();
    let seed = SEED.replace("{ a += b;", "{\n  if (a < 4)\n a += b;");
    fs::write(from.join("seed.c"), seed).unwrap();
    let bench = bench(scratch.path());
    let tested = engine(&from, "all").test(1, &bench).unwrap();
    assert_eq!(tested.findings.len(), 1, "{:?}", tested.findings);
    assert!(!tested.findings[0].summary.contains("emi"), "{:?}", tested.findings[0]);
    assert!(tested.findings[0].origin.ends_with("seed.c"));
    assert!(tested.variants > 0);
}

#[test]
fn what_the_machine_does_not_finish_is_skipped() {
    if !installed() {
        return;
    }
    let (scratch, from) = folder();
    fs::write(from.join("seed.c"), "int main(void) { int x; return x; }").unwrap();
    let tested = engine(&from, "all").test(1, &bench(scratch.path())).unwrap();
    assert_eq!(tested.skipped.as_deref(), Some("undefined: indeterminate"));
    assert!(tested.targets.is_empty());
}

#[test]
fn a_stop_gives_the_test_back() {
    if !installed() {
        return;
    }
    let (scratch, from) = folder();
    let bench = bench(scratch.path());
    bench.lab.stop.set();
    let tested = engine(&from, "all").test(1, &bench).unwrap();
    assert!(tested.interrupted && tested.with_sightings(Vec::new()).is_none());
}

#[test]
fn other_arguments_are_another_engine() {
    let (_scratch, from) = folder();
    let names: Vec<String> =
        ["all", "tg"].iter().map(|s| engine(&from, s).name().to_string()).collect();
    assert_ne!(names[0], names[1]);
    assert!(names[1].starts_with("emi tg 4 of files "), "{}", names[1]);
}
