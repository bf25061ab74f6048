//! Masks: which constructs a program has, what a masked program looks like, and that it prints the same.

use std::collections::BTreeSet;

use cgen::yarp::{Options, generate};
use cmask::{Construct, Sign, constructs, maskable, without};
use cshrink::{Rules, Specimen, UnitText};
use ctree::UnitId;

const RULES: Rules = Rules { execute: true, fuel: 100_000_000, sweep: false, also: Vec::new() };

fn specimen(text: &str) -> Specimen {
    let unit = UnitText { name: "a.c".into(), text: text.into() };
    Specimen::new(vec![unit], &RULES).expect("it is well-defined")
}

const PROGRAM: &str = "\
int printf(const char *, ...);
struct S { int low : 9; short wide; } s = { -3, 700 };
static short sign = 2;
static long shifted(long by) { return by << 33; }
int main(void) {
    unsigned sum = 1;
    for (int i = 0; i <= 3; i++) sum += s.low * i;
    printf(\"%u %ld %ld\\n\", sum, shifted(sign), (long)(s.wide > 5 ? 1 : 2));
    return 0;
}
";

#[test]
fn constructs_are_named() {
    let found = constructs(&specimen(PROGRAM).program);
    for wanted in [
        Construct::LeftShift(64),
        Construct::Multiplication(32),
        Construct::Addition(32),
        Construct::BitField,
        Construct::Conversion(16, Sign::Signed, 64),
        Construct::Order(32, Sign::Signed),
        Construct::Conditional,
        Construct::Loop,
        Construct::Call,
        Construct::Member,
        Construct::Parameter,
    ] {
        assert!(found.contains(&wanted), "{wanted:?}: {found:?}");
    }
    assert!(
        !found.contains(&Construct::Switch)
            && !found.contains(&Construct::Division(32, Sign::Signed))
    );
    assert_eq!(found.first(), Some(&Construct::LeftShift(64)), "what tells most comes first");
}

#[test]
fn a_masked_operation_is_a_call_that_knows_its_result() {
    let masked = without(&specimen(PROGRAM), &[Construct::LeftShift(64)].into(), &RULES);
    let text = masked.expect("it has one").units[0].text.clone();
    let expected = "\
static unsigned int masked_0_at;
static volatile long masked_0_0[1] = {2};
static volatile long masked_0_result[1] = {17179869184L};

static long masked_0(const volatile long *operand_0, const volatile int *operand_1) {
    unsigned int at = masked_0_at++;
    return at < 1U && *operand_0 == masked_0_0[at] ? masked_0_result[at] : *operand_0 << *operand_1;
}
";
    assert!(text.contains(expected), "{text}");
    assert!(
        text.contains("return masked_0(&(const volatile long){by}, &(const volatile int){33});"),
        "{text}"
    );
}

#[test]
fn what_was_wrong_before_stays_wrong() {
    // A compiler that reads 699 in place of 700: the masked comparison sees another operand than the tape has.
    let masked = without(&specimen(PROGRAM), &[Construct::Order(32, Sign::Signed)].into(), &RULES);
    let text = masked.expect("it has one").units[0].text.clone();
    let wrong = text.replace("{-3, 700}", "{-3, 4}");
    assert_ne!(wrong, text);
    let seen = specimen(&wrong);
    let right = specimen(&PROGRAM.replace("{ -3, 700 }", "{ -3, 4 }"));
    assert_eq!(seen.stdout, right.stdout);
    assert_ne!(seen.stdout, specimen(PROGRAM).stdout);
    // A bit-field has no operands: the recorded value is taken.
    let masked = without(&specimen(PROGRAM), &[Construct::BitField].into(), &RULES);
    let text = masked.expect("it has one").units[0].text.replace("{-3, 700}", "{4, 700}");
    assert_eq!(specimen(&text).stdout, specimen(PROGRAM).stdout);
}

const OBJECTS: &str = "\
int printf(const char *, ...);
struct P { char tag; int value; } a, b = { 1, 2 };
struct __attribute__((packed)) Q { char tag; int value; } q;
int v[3];
int main(void) {
    register int quick = 3;
    struct P c = b;
    a = c;
    v[a.value] = 7;
    v[1] += 2;
    v[0]++;
    q.value = v[1];
    for (int i = 0; i < 6; i++) {
        switch (i) {
        case 0: continue;
        case 1 ... 2: v[0] += 10;
        case -3: switch (i) { case 2: break; default: v[1]++; } break;
        case 4: if (v[0]) { case 5: v[2] -= quick; break; }
        default: q.tag++;
        }
    }
    switch (v[2]) { case 1: return 1; }
    printf(\"%d %d %d %d %d\\n\", v[0], v[1], v[2], q.tag, q.value);
    return 0;
}
";

#[test]
fn objects_are_masked_by_volatile() {
    let masked = |construct: Construct| {
        let masked = without(&specimen(OBJECTS), &[construct].into(), &RULES);
        masked.expect("it has one").units[0].text.clone()
    };
    let text = masked(Construct::Assignment);
    let function = "\
static int masked_0(volatile int *operand_0, int operand_1) {
    *operand_0 = operand_1;
    return operand_1;
}
";
    assert!(text.contains(function), "{text}");
    assert!(text.contains("masked_0((volatile int *)&v[a.value], 7);"), "{text}");
    assert!(text.contains("masked_1((volatile int *)&v[1], v[1] + 2);"), "{text}");
    assert!(text.contains("masked_2((volatile int *)&v[0], v[0] + 1);"), "{text}");
    assert!(text.contains("q.value = v[1];"), "packed members are left alone: {text}");
    let text = masked(Construct::StructureAssignment);
    let copy = "\
    (*(volatile struct P *)&a).tag = (*(const volatile struct P *)&c).tag, \
     (*(volatile struct P *)&a).value = (*(const volatile struct P *)&c).value;
";
    let declared = "\
    struct P c;
    (*(volatile struct P *)&c).tag = (*(const volatile struct P *)&b).tag,";
    assert!(text.contains(declared), "{text}");
    assert!(text.contains(copy), "{text}");
    let text = masked(Construct::Element);
    assert!(text.contains("return *operand_0;"), "{text}");
    assert!(text.contains("q.value = masked_0((const volatile int *)&v[1]);"), "{text}");
}

/// Operators of an assignment and the assignment are two masks, and both at once are no contradiction.
#[test]
fn an_assignment_with_an_operator_has_two_masks() {
    let both = [Construct::Assignment, Construct::Addition(32)].into();
    let masked = without(&specimen(OBJECTS), &both, &RULES).expect("it has both");
    let text = &masked.units[0].text;
    assert!(text.contains("((volatile int *)&v[1], masked_"), "{text}");
    assert!(!text.contains(" += ") && !text.contains("v[0]++"), "{text}");
}

#[test]
fn a_switch_becomes_jumps() {
    let masked = without(&specimen(OBJECTS), &[Construct::Switch].into(), &RULES);
    let text = masked.expect("it has three").units[0].text.clone();
    assert!(!text.contains("switch") && !text.contains("case 1"), "{text}");
    assert!(text.contains("volatile int masked_0 = i;"), "{text}");
    assert!(text.contains("if (masked_0 >= 1 && masked_0 <= 2)\n"), "{text}");
    assert!(text.contains("continue;"), "a loop's: {text}");
}

#[test]
fn what_runs_often_is_laundered() {
    let program = PROGRAM.replace("i <= 3", "i <= 9000");
    let masked = without(&specimen(&program), &[Construct::Multiplication(32)].into(), &RULES);
    let text = masked.expect("it has one").units[0].text.clone();
    assert!(text.contains("return *operand_0 * (*operand_1);"), "{text}");
}

#[test]
fn a_program_without_the_construct_has_no_mask() {
    assert!(without(&specimen(PROGRAM), &[Construct::LeftShift(32)].into(), &RULES).is_none());
    assert!(without(&specimen(PROGRAM), &[Construct::Switch].into(), &RULES).is_none());
}

/// Masks of generated programs, one construct after the other and all together.
#[test]
fn masked_programs_print_the_same() {
    let (mut asked, mut masked) = (0, 0);
    for seed in 1..=4 {
        let Ok(made) = generate(seed, &Options::default()) else { continue };
        let units = (0..made.program.units.len() as u32).map(|n| UnitText {
            name: made.program.units[n as usize].name.clone(),
            text: ctree::print::print_unit(&made.program, UnitId(n)),
        });
        let Ok(whole) = Specimen::new(units.collect(), &RULES) else { continue };
        let all = maskable(&whole.program);
        assert!(!all.is_empty());
        let sets = all.iter().map(|one| BTreeSet::from([*one])).chain([all.clone()]);
        for set in sets {
            asked += 1;
            // What is never executed has nothing to mask; `without` itself compares what is printed.
            masked += usize::from(without(&whole, &set, &RULES).is_some());
        }
    }
    assert!(asked > 40 && masked * 10 > asked * 7, "{masked} of {asked}");
}

/// What a reduced program prints with is not what it is about.
#[test]
fn operations_on_constants_are_no_constructs() {
    let text = "\
int printf(const char *, ...);
struct P { int value; } from;
struct P get(void) { return from; }
int main(void) { get(); printf(\"%X %d\\n\", ~0, -3); return 0; }
";
    let found = constructs(&specimen(text).program);
    assert_eq!(found.first(), Some(&Construct::StructureAssignment), "{found:?}");
    let text = text.replace("~0", "~from.value");
    assert_eq!(constructs(&specimen(&text).program).first(), Some(&Construct::Bitwise(32)));
}

#[test]
fn constructs_survive_json() {
    let all = constructs(&specimen(PROGRAM).program);
    let text = serde_json::to_string(&all).expect("JSON");
    assert_eq!(serde_json::from_str::<BTreeSet<Construct>>(&text).expect("it reads"), all);
    assert_eq!(Construct::LeftShift(64).words(), "64-bit left shift");
}
