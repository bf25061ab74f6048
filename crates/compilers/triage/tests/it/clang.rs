//! Planted bugs: clang with `faulty-clang.sh` around it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{case, compiler, failure, is_installed, target};
use oracle::{Case, Lab, SourceFile, Trouble};
use toolchain::{Compiler, Family};
use triage::{Blame, Cell, Ladder, Method, blame, dumps, key, ladder};

const SUM: &str = "#include <stdio.h>\n\
    __attribute__((noinline)) int f(int n) {\n\
    int s = 0; for (int i = 0; i < n; i++) s += i * n; return s + 1234567; }\n\
    int main(void) { printf(\"%d\\n\", f(9)); return 0; }\n";

const CHOICE: &str = "#include <stdio.h>\n\
    int before(int n) { return n & 3; }\n\
    __attribute__((noinline)) int f(int *p) { return *p > 3 ? *p ^ 1234567 : before(*p); }\n\
    int main(void) { int x = 8; printf(\"%d\\n\", f(&x)); return 0; }\n";

/// A clang in which this pass is guilty; "" for none.
fn clang(version: &str, guilty: &str) -> Arc<Compiler> {
    let script = format!("{}/tests/faulty-clang.sh", env!("CARGO_MANIFEST_DIR"));
    let guilty = if guilty.is_empty() { "nothing" } else { guilty };
    let name = format!("clang-{version}");
    compiler(Family::Clang, &name, version, &["sh", &script, "clang-16", guilty])
}

/// A family of which only versions 10 and 12 have the bug.
fn family(guilty: &str) -> Vec<Arc<Compiler>> {
    let versions = [("12.0.1", guilty), ("9.0.1", ""), ("13.0.0", ""), ("10.0.0", guilty)];
    versions.map(|(version, guilty)| clang(version, guilty)).to_vec()
}

fn triaged(case: &Case, guilty: &str) -> (Blame, Ladder, String) {
    let lab = Lab::default();
    let family = family(guilty);
    let failure = failure(&lab, case, target(&family[0], "-O2"), Vec::new());
    let blame = blame(&lab, case, &failure, 2, &|_| ()).expect("blame");
    let flags = &failure.bad[0].flags;
    let ladder = ladder(&lab, case, &failure.fault, &family, flags, 2, &|_| ()).expect("ladder");
    let key = key(&failure.fault, Family::Clang, &blame, &ladder);
    (blame, ladder, key)
}

#[test]
fn the_guilty_pass_is_blamed_and_the_bug_known_again() {
    if !is_installed("clang-16") {
        return;
    }
    let (sum, choice) = (case(SUM, "1234891\n"), case(CHOICE, "1234575\n"));
    let (blame, ladder, first) = triaged(&sum, "GVNPass");
    assert_eq!(blame.pass.as_deref(), Some("GVNPass"), "{blame:?}");
    assert_eq!(blame.culprits.len(), 1);
    let culprit = &blame.culprits[0];
    assert_eq!(culprit.method, Method::OptBisect);
    assert!(culprit.detail.ends_with(", on f"), "{culprit:?}");
    let words = culprit.detail.split([' ', ',']).nth(1).and_then(|n| n.parse().ok());
    let number: u64 = words.unwrap_or_else(|| panic!("{culprit:?}"));
    assert_eq!(culprit.hides, ["-mllvm".to_string(), format!("-opt-bisect-limit={}", number - 1)]);
    assert!(blame.limits.is_empty(), "{blame:?}");

    let versions: Vec<&str> = ladder.rungs.iter().map(|rung| rung.version.as_str()).collect();
    assert_eq!(versions, ["9.0.1", "10.0.0", "12.0.1", "13.0.0"]);
    assert_eq!(ladder.levels, ["-O0", "-O1", "-O2", "-O3", "-Os"]);
    assert_eq!(ladder.first_bad(), Some("clang-10.0.0"));
    assert_eq!(ladder.last_bad(), Some("clang-12.0.1"));
    assert_eq!(ladder.works(), ["clang-9.0.1", "clang-13.0.0"]);
    let row = &ladder.rungs[1].cells;
    assert_eq!((row[0], row[2]), (Cell::Works, Cell::Fails), "{row:?}");

    let (_, _, again) = triaged(&choice, "GVNPass");
    let (other, _, third) = triaged(&choice, "SLPVectorizerPass");
    assert_eq!(other.pass.as_deref(), Some("SLPVectorizerPass"));
    assert_eq!(first, again);
    assert_ne!(first, third);
    assert_eq!(first, "wrong-output clang | from -O2, since 10 | GVNPass");
}

#[test]
fn each_file_counts_its_passes_and_a_harness_has_none() {
    if !is_installed("clang-16") {
        return;
    }
    let (lab, mut case) = (Lab::default(), case(SUM, "1234891\n"));
    let (f, main) = SUM.split_once("int main").expect("a main function");
    let file = |name: &str, text: String| SourceFile { name: name.into(), bytes: text.into() };
    case.files = vec![
        file("a.c", format!("#include <stdio.h>\nint f(int);\nint main{main}")),
        file("b.c", f.into()),
    ];
    for harness in [None, Some("a.c".to_string())] {
        case.harness = harness;
        let bad = target(&clang("16.0.6", "GVNPass"), "-O2");
        let failure = failure(&lab, &case, bad, Vec::new());
        let blame = blame(&lab, &case, &failure, 1, &|_| ()).expect("blame");
        let names: Vec<&str> = blame.culprits.iter().map(|c| c.name.as_str()).collect();
        assert!(names.contains(&"GVNPass"), "{blame:?}");
        if case.harness.is_some() {
            assert_eq!((names.len(), blame.limits.len()), (1, 0), "{blame:?}");
        }
    }
}

/// A clang that is wrong once the linker has run 20 passes over the whole program.
const LINKER: &str = "#!/bin/sh\nvalue=2 lto=\nfor word in \"$@\"; do\n\
    case $word in\n-flto) lto=yes ;;\n\
    -Wl,-plugin-opt=-opt-bisect-limit=-1) ;;\n\
    -Wl,-plugin-opt=-opt-bisect-limit=*) [ \"${word##*=}\" -lt 20 ] && value=1 ;;\n\
    esac\ndone\n[ \"$lto\" ] || value=1\nexec clang-16 \"$@\" -DVALUE=$value\n";

#[test]
fn passes_of_the_linker_are_bisected_through_it() {
    use std::os::unix::fs::PermissionsExt;
    if !is_installed("clang-16") {
        return;
    }
    let scratch = sandbox::Scratch::new().expect("a folder");
    let script = scratch.file("lto.sh");
    std::fs::write(&script, LINKER).expect("it is written");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("it is set");
    let compiler =
        compiler(Family::Clang, "lto", "16.0.6", &[script.to_str().expect("a plain path")]);
    let source = "int printf(const char *, ...); int f(int);\n\
                  int main(void) { printf(\"%d\\n\", f(VALUE)); return 0; }\n";
    let mut case = case(source, "3\n");
    case.files.push(SourceFile {
        name: "b.c".into(),
        bytes: "int f(int x) { int s = 0; for (int i = 0; i < 3; i++) s += x; return s; }\n".into(),
    });
    let lab = Lab::default();
    let failure = failure(&lab, &case, target(&compiler, "-O2 -flto"), Vec::new());
    let blame = blame(&lab, &case, &failure, 1, &|_| ()).expect("blame");
    let culprit = blame.culprits.first().unwrap_or_else(|| panic!("{blame:?}"));
    assert_eq!(culprit.hides, ["-Wl,-plugin-opt=-opt-bisect-limit=19"], "{blame:?}");
    assert!(culprit.detail.starts_with("pass 20 of "), "{blame:?}");
    assert!(culprit.detail.contains(" when linking, on "), "{blame:?}");
    assert_eq!(blame.pass.as_deref(), Some(culprit.name.as_str()));
    assert!(blame.limits.is_empty(), "{blame:?}");
}

#[test]
fn what_needs_no_pass_is_said_so() {
    if !is_installed("clang-16") {
        return;
    }
    // The program prints something else than it must whatever is done to it.
    let (lab, case) = (Lab::default(), case(SUM, "1\n"));
    let failure = failure(&lab, &case, target(&clang("16.0.6", ""), "-O2"), Vec::new());
    let blame = blame(&lab, &case, &failure, 1, &|_| ()).expect("blame");
    assert_eq!((blame.pass, blame.culprits), (None, Vec::new()));
    assert!(blame.limits[0].contains("always runs"), "{:?}", blame.limits);
}

#[test]
fn a_request_to_stop_gets_through() {
    if !is_installed("clang-16") {
        return;
    }
    let (lab, case) = (Lab::default(), case(SUM, "1234891\n"));
    let family = family("GVNPass");
    let failure = failure(&lab, &case, target(&family[0], "-O2"), Vec::new());
    let told = AtomicUsize::new(0);
    let stop = |_: &str| {
        if told.fetch_add(1, Ordering::Relaxed) == 1 {
            lab.stop.set();
        }
    };
    let begun = Instant::now();
    let blamed = thread::scope(|s| s.spawn(|| blame(&lab, &case, &failure, 2, &stop)).join());
    assert_eq!(blamed.expect("no panic").err(), Some(Trouble::Stopped));
    let flags = &failure.bad[0].flags;
    let climbed = ladder(&lab, &case, &failure.fault, &family, flags, 2, &|_| ());
    assert_eq!(climbed.err(), Some(Trouble::Stopped));
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn the_code_around_the_guilty_pass_is_shown() {
    if !is_installed("clang-16") {
        return;
    }
    let (lab, case) = (Lab::default(), case(SUM, "1234891\n"));
    let mut failure = failure(&lab, &case, target(&clang("12.0.1", "GVNPass"), "-O2"), Vec::new());
    let blame = blame(&lab, &case, &failure, 2, &|_| ()).expect("blame");
    // The script makes no IR.
    let real = compiler(Family::Clang, "clang-16", "16.0.6", &["clang-16"]);
    failure.bad = vec![target(&real, "-O2")];
    let files = dumps(&lab, &case, &failure, &blame).expect("dumps");
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["before.ll", "after.ll"]);
    assert_ne!(files[0].bytes, files[1].bytes);
    for file in files {
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        assert!(text.contains("define") && text.contains("@f("), "{text}");
    }
    let unknown = Blame::default();
    assert!(dumps(&lab, &case, &failure, &unknown).expect("no dumps").is_empty());
}
