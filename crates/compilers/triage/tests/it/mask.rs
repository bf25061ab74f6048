//! What hides planted bugs: the compilers of `tests/compilers/planted`, each on a small program that shows it.

use std::sync::Arc;

use cshrink::{Rules, Specimen, UnitText};
use oracle::{Expected, Lab};
use toolchain::{Compiler, Family};
use triage::{
    Blame, Construct, Culprit, Mask, MaskProbe, Method, blame, most_telling, wrong_code_key,
};

use crate::common::{case, compiler, failure, is_installed, target};

/// The bugs, and what each is about.
const SHOWN: &[(&str, &str)] = &[
    ("fold", "32-bit bitwise operation"),
    ("shift", "64-bit left shift"),
    ("store", "assignment"),
    ("loop", "signed 32-bit comparison"),
    ("sign", "conversion of signed 16-bit values to 64 bits"),
    ("bitfield", "bit-field"),
    ("copy", "structure assignment"),
    ("arguments", "parameter"),
    ("alias", "variable"),
    ("switch", "switch"),
];

const PLANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/compilers/planted");

/// A program that shows a bug.
fn program(name: &str) -> String {
    let file = format!("{PLANTED}/programs/{name}.c");
    let text = std::fs::read_to_string(file).expect("a program");
    let noise = "static unsigned noise(unsigned n) {\n    return n;\n}";
    text.replace("NUMBER", "5").replace("NOISE", noise)
}

fn planted(name: &str) -> Arc<Compiler> {
    compiler(Family::Clang, name, "16.0.6", &[&format!("{PLANTED}/{name}.sh")])
}

fn specimen(program: &str) -> Specimen {
    let unit = UnitText { name: "test.c".into(), text: program.into() };
    let rules = Rules { execute: true, fuel: 1_000_000, sweep: false, also: Vec::new() };
    Specimen::new(vec![unit], &rules).expect("it is well-defined")
}

/// Asks about a program on a planted compiler at -O2.
fn with_probe<T>(
    name: &str,
    program: &str,
    ask: impl FnOnce(&MaskProbe<'_>, &dyn Fn() -> Blame) -> T,
) -> T {
    let (lab, specimen) = (Lab::default(), specimen(program));
    let mut case = case(&specimen.units[0].text, "");
    case.expected = Some(Expected { stdout: specimen.stdout.clone(), status: specimen.status });
    let bad = target(&planted(name), "-O2");
    let failure = failure(&lab, &case, bad.clone(), Vec::new());
    let blame = || blame(&lab, &case, &failure, 1, &|_| ()).expect("blame");
    let probe = MaskProbe::new(&lab, &case, &bad, Some(specimen)).expect("a probe");
    ask(&probe, &blame)
}

#[test]
fn what_a_bug_is_about_is_found_by_masking_it() {
    if !is_installed("clang-16") {
        return;
    }
    for (name, about) in SHOWN {
        let program = program(name);
        let found = with_probe(name, &program, |probe, _| probe.construct().expect("an answer"));
        assert_eq!(found.map(Construct::words).as_deref(), Some(*about), "{name}: {program}");
    }
}

#[test]
fn two_bugs_of_one_pass_are_told_apart() {
    if !is_installed("clang-16") {
        return;
    }
    let learnt = |name: &str| {
        with_probe("ten", &program(name), |probe, blame| {
            let (construct, blame) = (probe.construct().expect("an answer"), blame());
            (Mask::of(construct, &blame), wrong_code_key(Family::Clang, &blame, construct))
        })
    };
    let ((fold, fold_key), (shift, shift_key)) = (learnt("fold"), learnt("shift"));
    assert_eq!(fold.pass.as_deref(), Some("InstCombinePass"));
    assert_eq!(fold.pass, shift.pass);
    assert_ne!(fold_key, shift_key);
    assert!(fold.is_telling() && shift.is_telling());
    let hides = |name: &str, program: &str, mask: &Mask| {
        with_probe(name, program, |probe, _| probe.is_hidden_by(mask).expect("an answer"))
    };
    let other_shift = "int printf(const char *, ...); static unsigned long w = 77; \
         int main(void) { if (w) printf(\"%lx\\n\", (w + 3) << 35 | 1); }";
    assert!(hides("ten", other_shift, &shift), "another program with the bug");
    assert!(!hides("ten", other_shift, &fold));
    assert!(!hides("ten", &program("fold"), &shift));
    // The same construct, and another pass: a part that always runs.
    assert!(!hides("shift", other_shift, &shift));
    // Both at once are hidden by both masks alone.
    let both = "int printf(const char *, ...); unsigned v = 5; long w = 6; \
         int main(void) { printf(\"%u %ld\\n\", v | 1234567, w << 40); }";
    assert!(!hides("ten", both, &fold) && !hides("ten", both, &shift));
    let masked = [fold.construct, shift.construct].into_iter().flatten().collect();
    let is_right = |probe: &MaskProbe<'_>| probe.is_right_behind(&masked, &[]).expect("an answer");
    assert!(with_probe("ten", both, |probe, _| is_right(probe)));
}

/// Reads through pointers and copies of structures both rest on what is known of types: the option that hides both
/// makes no one bug of them.
#[test]
fn a_switch_needs_its_construct() {
    if !is_installed("clang-16") {
        return;
    }
    let option = Culprit {
        method: Method::Option,
        name: "strict-aliasing".into(),
        hides: vec!["-fno-strict-aliasing".into()],
        detail: String::new(),
    };
    let blame = Blame { culprits: vec![option], ..Blame::default() };
    let mask = Mask::of(Some(Construct::Variable), &blame);
    let hides = |name: &str, mask: &Mask| {
        with_probe("ten", &program(name), |probe, _| probe.is_hidden_by(mask).expect("an answer"))
    };
    assert!(mask.is_telling() && hides("alias", &mask));
    assert!(!hides("copy", &mask));
    assert!(hides("copy", &Mask { construct: None, ..mask }), "the option alone hides both");
}

/// Volatile variables hide nearly every bug of an optimiser: such a mask tells nothing alone.
#[test]
fn what_hides_nearly_everything_tells_nothing() {
    let assignment = Mask { construct: Some(Construct::Assignment), ..Mask::default() };
    assert!(!assignment.is_telling());
    assert!(Mask { pass: Some("GVNPass".into()), ..assignment.clone() }.is_telling());
    assert!(Mask { switch: Some(vec!["-fno-tree-vrp".into()]), ..assignment }.is_telling());
    assert!(!Mask { pass: Some("GVNPass".into()), ..Mask::default() }.is_telling());
    assert!(!Mask::default().is_telling() && Mask::default().is_empty());
    let program = specimen(
        "int printf(const char *, ...); int v = 3; int main(void) { printf(\"%d\\n\", v * v); }",
    );
    assert_eq!(most_telling(&program), Some(Construct::Multiplication(32)));
}
