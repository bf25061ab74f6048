//! Real bugs of gcc: the trophies.

use crate::common::{case, compiler, failure, is_installed, target};
use oracle::{Case, Lab};
use toolchain::Family;
use triage::{Method, blame, dumps, key, ladder};

fn trophy(name: &str, stdout: &str) -> Case {
    let path = format!("{}/../../../trophies/{name}/test.c", env!("CARGO_MANIFEST_DIR"));
    case(&std::fs::read_to_string(path).expect("a trophy"), stdout)
}

#[test]
fn tail_recursion_is_blamed() {
    if !is_installed("gcc-12") {
        return;
    }
    let gcc = compiler(Family::Gcc, "gcc-12", "12.2.0", &["gcc-12"]);
    let (lab, case) = (Lab::default(), trophy("gcc-tail-recursion-overflow", "1"));
    let right = vec![target(&gcc, "-O1"), target(&gcc, "-Os")];
    let failure = failure(&lab, &case, target(&gcc, "-O2"), right);
    let blame = blame(&lab, &case, &failure, 2, &|_| ()).expect("blame");
    assert_eq!(blame.pass.as_deref(), Some("tailr1"));
    let found = |method: Method, name: &str| {
        let found = blame.culprits.iter().find(|c| c.method == method && c.name == name);
        found.unwrap_or_else(|| panic!("{name} is not among {:?}", blame.culprits))
    };
    assert_eq!(blame.culprits[0], *found(Method::DisabledPass, "tailr1"));
    assert_eq!(found(Method::DisabledPass, "tailr1").hides, ["-fdisable-tree-tailr1"]);
    let option = found(Method::Option, "optimize-sibling-calls");
    assert_eq!(option.hides, ["-fno-optimize-sibling-calls"]);
    let counter = found(Method::DebugCounter, "tail_call");
    assert_eq!(counter.hides, ["-fdbg-cnt=tail_call:0"]);
    assert!(counter.detail.starts_with("use 1 of "), "{counter:?}");
    // A group of passes is not named beside its member.
    assert!(blame.culprits.iter().all(|culprit| culprit.name != "early_optimizations"));

    let dumps = dumps(&lab, &case, &failure, &blame).expect("dumps");
    let [before, after] = &dumps[..] else { panic!("{dumps:?}") };
    assert!(before.name.starts_with("before.") && after.name.ends_with("t.tailr1"), "{dumps:?}");
    assert!(String::from_utf8_lossy(&after.bytes).contains(";; Function main"), "{dumps:?}");
    assert_ne!(before.bytes, after.bytes);

    let flags = failure.bad[0].flags.clone();
    let ladder = ladder(&lab, &case, &failure.fault, &[gcc], &flags, 2, &|_| ()).expect("ladder");
    assert_eq!(ladder.levels, ["-O0", "-O1", "-O2", "-O3", "-Os"]);
    let key = key(&failure.fault, Family::Gcc, &blame, &ladder);
    assert_eq!(key, "wrong-output gcc | from -O2 | tailr");
}

#[test]
fn a_crash_says_where_and_the_rest_is_not_asked_in_vain() {
    if !is_installed("gcc-12") {
        return;
    }
    let gcc = compiler(Family::Gcc, "gcc-12", "12.2.0", &["gcc-12"]);
    let (lab, case) = (Lab::default(), trophy("gcc-bool-of-zero-division", ""));
    let failure = failure(&lab, &case, target(&gcc, "-O2"), Vec::new());
    let blame = blame(&lab, &case, &failure, 2, &|_| ()).expect("blame");
    let first = &blame.culprits[0];
    assert_eq!((first.method, first.name.as_str()), (Method::Message, "gimplify_expr"));
    assert!(first.detail.starts_with("in gimplify_expr, at gimplify."), "{first:?}");
    // No pass was at work: it is the front end, at every level.
    assert_eq!(blame.pass, None);
    assert!(blame.limits[0].contains("-O0 as well"), "{:?}", blame.limits);
}

#[test]
fn a_crash_in_a_pass_names_it() {
    if !is_installed("gcc-12") {
        return;
    }
    // Without the pass that tidies up after the loops, the next that looks at loops crashes.
    let gcc = compiler(Family::Gcc, "gcc-12", "12.2.0", &["gcc-12"]);
    let source = "int a[99];\nint f(int *p, int n) {\n\
        int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n\
        int main(void) { return f(a, 9); }\n";
    let (lab, case) = (Lab::default(), case(source, ""));
    let bad = target(&gcc, "-O2 -fdisable-tree-loopdone");
    let failure = failure(&lab, &case, bad, vec![target(&gcc, "-O1")]);
    let blame = blame(&lab, &case, &failure, 2, &|_| ()).expect("blame");
    assert_eq!(blame.pass.as_deref(), Some("strlen"));
    let first = &blame.culprits[0];
    assert_eq!((first.method, first.name.as_str()), (Method::Message, "strlen"));
    let hides = |flag: &str| blame.culprits.iter().any(|culprit| culprit.hides == [flag]);
    assert!(hides("-fno-tree-loop-optimize"), "{blame:?}");
    // Without strlen the next pass after it crashes in the same way: that hides nothing.
    assert!(!hides("-fdisable-tree-strlen1"), "{blame:?}");
}

#[test]
fn a_compiler_that_ignores_all_this_is_no_trouble() {
    if !is_installed("gcc-12") {
        return;
    }
    let (lab, case) = (Lab::default(), case("int main(void) { return 3; }\n", ""));
    for family in [Family::Gcc, Family::Clang, Family::Other, Family::Tcc] {
        let gcc = compiler(family, "strange", "1", &["gcc-12"]);
        let failure = failure(&lab, &case, target(&gcc, "-O2"), Vec::new());
        let blame = blame(&lab, &case, &failure, 1, &|_| ()).expect("blame");
        assert!(blame.culprits.is_empty() && blame.pass.is_none());
        // That a compiler cannot be asked is no cause.
        let asked = matches!(family, Family::Gcc | Family::Clang);
        assert_eq!(blame.limits.len(), usize::from(asked), "{family:?}: {:?}", blame.limits);
    }
}
