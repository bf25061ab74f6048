//! What sanitizers find and what they are made to miss.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use oracle::{Case, SourceFile};
use sandbox::Scratch;
use toolchain::{InstalledTool, Tool, find_tool};

use super::*;
use crate::predict::{Unusable, own_objection};

fn folder(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(below)
}

/// The tools that are there; CI has them all.
fn tools() -> &'static [InstalledTool] {
    static TOOLS: OnceLock<Vec<InstalledTool>> = OnceLock::new();
    let tools =
        TOOLS.get_or_init(|| [Tool::Gcc, Tool::Clang].into_iter().flat_map(find_tool).collect());
    let both = [Tool::Gcc, Tool::Clang].iter().all(|tool| tools.iter().any(|t| t.tool == *tool));
    assert!(both || std::env::var_os("CI").is_none(), "CI skips none");
    tools
}

fn made(text: &str) -> TestProgram {
    let case = Case {
        language: Language::C,
        files: vec![SourceFile { name: "test.c".into(), bytes: text.into() }],
        harness: None,
        standard: None,
        include: Vec::new(),
        expected: None,
        omitted: Default::default(),
    };
    let why = Unusable { reason: "undefined: x".into(), detail: "y".into() };
    let own = own_objection("test.c", &why);
    TestProgram {
        unanswered: Some(why.reason),
        ..TestProgram::new(case, "a test".into(), own, 100_000)
    }
}

/// What is claimed of a text, and what of that is missed.
fn examined(text: &str, detectors: &Detectors) -> (Option<Detector>, Vec<NewFinding>) {
    let dir = Scratch::new().expect("a temporary folder");
    let (made, lab) = (made(text), Lab::default());
    let mut tested = Tested::new("test", 0);
    lab.write(&made.case, dir.path()).expect("the file is written");
    let claimed = specimen(&made, 100_000, dir.path(), &mut tested).map(|s| s.detector);
    let found = examine(&lab, detectors, &made, dir.path(), &mut tested).expect("no trouble");
    (claimed, found)
}

/// A GCC that says nothing, beside the real tools of the other family if `confirmed`.
fn deaf(confirmed: bool) -> Detectors {
    let path = folder("tests/compilers/faulty/deaf.sh");
    let deaf = InstalledTool { tool: Tool::Gcc, name: "deaf".into(), path, version: "1.2".into() };
    let others = tools().iter().filter(|t| confirmed && t.tool == Tool::Clang).cloned();
    Detectors::among(others.chain([deaf]).collect())
}

/// Names of behaviours, programs with it on line 4, and who is to find it.
const PROGRAMS: &[(&str, Detector, &str)] = &[
    (
        "signed-overflow",
        Detector::Undefined,
        "int x = 2147483647;\nint main(void)\n{\n    x += 1;\n    return 0;\n}\n",
    ),
    (
        "shift-count",
        Detector::Undefined,
        "int x = 40, y = 1;\nint main(void)\n{\n    y = y << x;\n    return 0;\n}\n",
    ),
    (
        "out-of-bounds",
        Detector::Undefined,
        "int a[4][3], i = 7;\nint main(void)\n{\n    return a[0][i];\n}\n",
    ),
    (
        "dangling",
        Detector::Address,
        "int *p;\nvoid f(void) { int x = 0; p = &x; }\nint main(void) { f();\n    return *p & 0;\n}\n",
    ),
    (
        "dangling",
        Detector::Address,
        "int main(void) { int *p;\n    { int x = 0; p = &x; }\n\n    return *p;\n}\n",
    ),
];

#[test]
fn a_sanitizer_that_says_nothing_is_found_out() {
    if tools().is_empty() {
        return;
    }
    let (confirmed, alone) = (deaf(true), deaf(false));
    for (kind, detector, text) in PROGRAMS {
        let (claimed, found) = examined(text, &confirmed);
        assert_eq!(claimed, Some(*detector), "{text}");
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.kind, one.standing), (FailureKind::SanitizerMiss, Standing::Confirmed));
        let options = match detector {
            Detector::Address => "address",
            _ => "undefined",
        };
        let signature = format!("sanitizer-miss gcc 1.2 -fsanitize={options} {kind}");
        assert_eq!(one.signature, signature);
        assert!(one.summary.starts_with(&format!("misses {kind} on line 4: ")), "{}", one.summary);
        assert!(one.right()[0].starts_with("clang"), "{:?}", one.right());
        // With nobody else to say so the machine may be wrong; and storage may be in use again.
        let (_, found) = examined(text, &alone);
        let standings: Vec<Standing> = found.iter().map(|f| f.standing).collect();
        let want: &[Standing] =
            if *detector == Detector::Address { &[] } else { &[Standing::Disputed] };
        assert_eq!(standings, want, "{text}");
    }
}

#[test]
fn nothing_is_claimed_of_what_sanitizers_do_not_promise() {
    for text in [
        // Folded before there is a check.
        "int x;\nint main(void) { x = 2147483647 + 1; return 0; }\n",
        // Copied, and not decided by.
        "int main(void) { int x, y; y = x; return 0; }\n",
        // A last member may be meant as a flexible one; a pointer has no bound.
        "struct s { int n, a[2]; } s; int i = 2;\nint main(void) { return s.a[i]; }\n",
        "int a[2], *p = a, i = 5;\nint main(void) { return p[i]; }\n",
        // Jumps make compilers forget lifetimes.
        "int main(void) { int *p; { int x = 0; p = &x; goto l; } l: return *p; }\n",
        // Unsequenced, and defined.
        "int x;\nint main(void) { x = x++ + 1; return 0; }\n",
        "int main(void) { return 0; }\n",
    ] {
        let dir = Scratch::new().expect("a temporary folder");
        let made = made(text);
        Lab::default().write(&made.case, dir.path()).expect("the file is written");
        let claimed = specimen(&made, 100_000, dir.path(), &mut Tested::new("test", 0));
        assert!(claimed.is_none(), "{text}");
    }
}

/// One file in so many is tried: all take minutes.
const SOME: usize = 6;

/// GCC 12 does not see the overflow in these: it folds `x + 1 < 0`, and multiplies shorts as shorts.
const MISSED: &[&str] = &["bit_field_unsigned_promoted.c", "enum_constant.c", "mul_assign_short.c"];

/// There is no false alarm over programs of one behaviour each.
#[test]
fn sanitizers_find_what_is_claimed() {
    let detectors = Detectors::among(tools().to_vec());
    let mut claimed = 0;
    for claim in CLAIMS {
        let dir = fs::read_dir(folder("tests/ub").join(claim.kind.name())).expect("a folder");
        let mut files: Vec<_> = dir.flatten().map(|file| file.path()).collect();
        files.sort();
        let is_missed = |file: &Path| MISSED.iter().any(|missed| file.ends_with(missed));
        let some = files.iter().enumerate().filter(|(i, file)| i % SOME == 0 || is_missed(file));
        for (_, file) in some {
            let text = fs::read_to_string(file).expect("a text");
            let (detector, found) = examined(&text, &detectors);
            claimed += usize::from(detector.is_some());
            assert!(found.is_empty() || is_missed(file), "{}: {found:#?}", file.display());
            for finding in found {
                assert_eq!(finding.standing, Standing::Confirmed, "{}", file.display());
                assert!(finding.signature.contains(" gcc "), "{}", finding.signature);
            }
        }
    }
    assert!(claimed > 10, "{claimed}");
}
