//! The engine `smith`: its programs, its relaxations, its wrappers, and the removal of checks.

use cgen::redundant_checks;
use cgen::smith::{
    Bounds, Feature, Features, Generated, Limit, Options, Probability, Relaxation, SeedTuple,
    WrapperStyle, generate, revert_relaxations,
};
use cmachine::{MachineConfig, Outcome, Report};
use ctree::{DataModel, Program};
use std::collections::BTreeSet;

fn config() -> MachineConfig {
    MachineConfig { fuel: 1_000_000, stack: 256 << 10, ..MachineConfig::default() }
}

fn made(tuple: &SeedTuple) -> Generated {
    generate(tuple, &Options::default())
}

fn parsed(text: &str) -> Program {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    cparse::parse_unit(&mut program, "test.c", text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    program
}

fn run(program: &Program) -> Report {
    cmachine::run(program, &config())
}

fn is_defined(report: &Report) -> bool {
    matches!(report.outcome, Outcome::Finished(_))
}

fn with(relaxation: Relaxation, base: u64) -> SeedTuple {
    let one = Probability::ONE;
    SeedTuple { form: WrapperStyle::Functions, ..Bounds::only(relaxation, one, one).draw(base) }
}

#[test]
fn plain_programs_have_a_result() {
    let mut open = Vec::new();
    for seed in 0..600 {
        let report = run(&made(&SeedTuple::plain(seed)).program);
        match report.outcome {
            Outcome::Finished(_) => {
                let out = String::from_utf8(report.stdout).unwrap();
                assert!(out.starts_with("checksum = "), "{out}");
            }
            // What a pointer to a struct and one to its member reach is not told apart.
            Outcome::Unspecified(..) => open.push(seed),
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(open.len() <= 6, "{open:?}");
}

#[test]
fn what_is_printed_is_what_was_executed() {
    for seed in 0..150 {
        let tuple = SeedTuple { form: WrapperStyle::Functions, ..Bounds::default().draw(seed) };
        let made = made(&tuple);
        let (tree, text) = (run(&made.program), run(&parsed(&made.text())));
        assert_eq!(is_defined(&tree), is_defined(&text), "{tuple}");
        if is_defined(&tree) {
            assert_eq!(tree.stdout, text.stdout, "{tuple}");
        }
    }
}

#[test]
fn a_seed_is_a_program() {
    for seed in [0, 7, u64::MAX] {
        let tuple = Bounds::default().draw(seed);
        assert_eq!(made(&tuple).text(), made(&tuple).text());
        assert!(made(&tuple).text().contains(&tuple.to_string()));
    }
    assert_ne!(made(&SeedTuple::plain(1)).text(), made(&SeedTuple::plain(2)).text());
}

/// The lines that only the first text has, first lines aside: they hold the tuple.
fn lines_of_the_first_only(a: &str, b: &str) -> Vec<String> {
    let other: Vec<&str> = b.lines().skip(1).collect();
    a.lines().skip(1).filter(|line| !other.contains(line)).map(String::from).collect()
}

/// A program changes where it was relaxed and nowhere else: most of its lines stay.
#[test]
fn each_relaxation_changes_programs_and_leaves_the_rest() {
    for relaxation in Relaxation::ALL {
        let mut changed = 0;
        for base in 0..60 {
            let tuple = with(relaxation, base);
            if tuple.enabled().count() == 0 {
                continue;
            }
            let (plain, relaxed) = (made(&tuple.unrelaxed()).text(), made(&tuple).text());
            let lines = lines_of_the_first_only(&relaxed, &plain);
            let count = relaxed.lines().count();
            assert!(plain.lines().count().abs_diff(count) <= count / 4, "{relaxation:?} {base}");
            changed += usize::from(!lines.is_empty());
        }
        assert!(changed >= 8, "{relaxation:?} changed {changed} programs");
    }
}

/// What each relaxation does, on one line of a program: before and after.
#[test]
fn before_and_after() {
    let check = |relaxation, fits: &dyn Fn(&str, &str) -> bool| {
        let found = (0..400).find_map(|base| {
            let tuple = with(relaxation, base);
            let (plain, relaxed) = (made(&tuple.unrelaxed()).text(), made(&tuple).text());
            let pairs: Vec<_> = plain.lines().zip(relaxed.lines()).skip(1).collect();
            let pair = pairs.into_iter().find(|(a, b)| a != b && fits(a.trim(), b.trim()))?;
            Some((pair.0.trim().to_string(), pair.1.trim().to_string()))
        });
        found.unwrap_or_else(|| panic!("{relaxation:?} never did that"))
    };
    // The initialiser is gone.
    let (before, after) = check(Relaxation::Init, &|a, b| {
        a.contains(" = ") && a.starts_with(b.trim_end_matches(';')) && b.ends_with(';')
    });
    assert!(before.len() > after.len());
    // Another label.
    check(Relaxation::Goto, &|a, b| a.starts_with("goto lbl_") && b.starts_with("goto lbl_"));
    // A constant beyond the bounds of its array, or a variable in the index.
    check(Relaxation::Bounds, &|a, b| a.contains('[') && b.contains('[') && a.len() != b.len());
    // A global pointer to a local.
    check(Relaxation::Dangling, &|a, b| {
        a.starts_with("g_") && a.contains(" = &g_") && b.starts_with("g_") && b.contains(" = &l_")
    });
    // The address of a parameter in a call.
    check(Relaxation::ParamAddress, &|a, b| {
        b.contains("func_") && b.contains("&p_") && !a.contains("&p_")
    });
    // Another pointer is followed.
    check(Relaxation::Null, &|a, b| a.contains("*g_") && b.contains("*g_") && a != b);
    // Another variable, beside one that changes it.
    check(Relaxation::Conflicts, &|a, b| a.ends_with(';') && b.ends_with(';') && b.contains("g_"));
}

/// What each relaxation can do wrong shows in some programs, and not in the plain ones of their seeds.
#[test]
fn relaxations_do_what_they_are_named_for() {
    use cmachine::UbKind::{Dangling, Indeterminate, NullDeref, OnePast, OutOfBounds, Unsequenced};
    let kinds: [(Relaxation, &[cmachine::UbKind]); 6] = [
        (Relaxation::Null, &[NullDeref]),
        (Relaxation::Dangling, &[Dangling]),
        (Relaxation::Init, &[Indeterminate]),
        (Relaxation::Goto, &[Indeterminate]),
        (Relaxation::Bounds, &[OutOfBounds, OnePast]),
        (Relaxation::Conflicts, &[Unsequenced]),
    ];
    for (relaxation, wanted) in kinds {
        let shows = |base: &u64| {
            let tuple = with(relaxation, *base);
            let outcome = run(&made(&tuple).program).outcome;
            let relaxed = matches!(outcome, Outcome::Undefined(kind, _) if wanted.contains(&kind));
            relaxed && is_defined(&run(&made(&tuple.unrelaxed()).program))
        };
        assert!((0..400).any(|base| shows(&base)), "{relaxation:?}");
    }
}

/// A wrapper as a function and as a macro, word by word.
#[test]
fn wrappers_are_written_in_both_forms() {
    let all = |form| -> String {
        (0..40).map(|s| made(&SeedTuple { form, ..SeedTuple::plain(s) }).text()).collect()
    };
    let function = "static uint8_t safe_div_func_uint8_t_u_u(uint8_t a, uint8_t b)
{
    return (b == 0) ? a : a / b;
}
";
    let as_macro = "#define safe_div_macro_uint8_t_u_u(x, y) ({ uint8_t a = (x); uint8_t b = (y); \
                    (uint8_t)((b == 0) ? a : a / b); })\n";
    let (functions, macros) = (all(WrapperStyle::Functions), all(WrapperStyle::Macros));
    assert!(functions.contains(function) && !functions.contains("#define"));
    assert!(macros.contains(as_macro) && !macros.contains("_func_"));
    let mixed = all(WrapperStyle::Mixed);
    assert!(mixed.contains(function) && mixed.contains(as_macro));
}

#[test]
fn most_relaxed_programs_differ_and_many_are_defined() {
    let (mut different, mut defined) = (0, 0);
    const PROGRAMS: u64 = 300;
    for seed in 0..PROGRAMS {
        let tuple = Bounds::default().draw(seed);
        let relaxed = made(&tuple);
        let plain = made(&tuple.unrelaxed());
        if !lines_of_the_first_only(&relaxed.text(), &plain.text()).is_empty() {
            different += 1;
            defined += u64::from(is_defined(&run(&relaxed.program)));
        }
    }
    assert!(different * 100 >= PROGRAMS * 84, "{different} of {PROGRAMS} differ");
    assert!(defined * 100 >= different * 30, "{defined} of {different} are defined");
}

/// Taking back what does harm leaves most of what does not.
#[test]
fn reverted_programs_have_a_result_and_stay_relaxed() {
    let (mut kept, mut undone, mut open) = (0, 0, 0);
    for seed in 0..150 {
        let tuple = Bounds::default().draw(seed);
        let reverted = revert_relaxations(&tuple, &Options::default(), &config());
        open += usize::from(!is_defined(&reverted.report));
        kept += reverted.kept;
        undone += reverted.reverted;
        let again = run(&reverted.generated.program);
        assert_eq!(again.stdout, reverted.report.stdout, "{tuple}");
    }
    assert!(open <= 2, "{open} have none");
    assert!(undone > 0 && kept > 2 * undone, "{kept} kept, {undone} undone");
}

#[test]
fn features_and_limits_are_kept() {
    let text = |change: &dyn Fn(&mut Features)| {
        let mut features = Features::default();
        features.swarm = false;
        change(&mut features);
        let options = Options { features };
        (0..20).map(|s| generate(&SeedTuple::plain(s), &options).text()).collect::<String>()
    };
    let all = text(&|_| {});
    let absent = |feature: Feature, word: &str| {
        assert!(all.contains(word), "{word}");
        let without = text(&|f| f.set(feature, false));
        assert!(!without.contains(word), "{word} without {}", feature.name());
    };
    absent(Feature::Unions, "union U");
    absent(Feature::Jumps, "goto ");
    absent(Feature::Volatiles, "static volatile ");
    absent(Feature::Longlong, "static int64_t g_");
    absent(Feature::Packed, "((packed");
    absent(Feature::Divs, "safe_div_");
    absent(Feature::Shifts, "safe_lshift_");
    absent(Feature::PostIncr, "++;");
    let few = text(&|f| f.set_limit(Limit::Funcs, 1));
    assert!(all.contains("func_2(") && !few.contains("func_2("));
    let mut features = Features::default();
    features.set(Feature::Unions, false);
    features.set_limit(Limit::Funcs, 2);
    assert_eq!(features.arguments(), " --no-unions --max-funcs 2");
}

/// Every wrapper, on the edges of its types, gives the exact result where there is one, else its
/// first operand.
#[test]
fn wrappers_are_right() {
    let program = made(&SeedTuple::plain(1)).program;
    // The tree has all wrappers, the text those that are used.
    let text = ctree::print::print_unit(&program, ctree::UnitId(0));
    let header = &text[..text.find("static uint32_t crc32_context").unwrap()];
    let ints: [(&str, u32, bool); 8] = [
        ("int8_t", 8, true),
        ("uint8_t", 8, false),
        ("int16_t", 16, true),
        ("uint16_t", 16, false),
        ("int32_t", 32, true),
        ("uint32_t", 32, false),
        ("int64_t", 64, true),
        ("uint64_t", 64, false),
    ];
    let edges = |bits: u32, signed: bool| -> Vec<i128> {
        let max: i128 = (1 << (bits - u32::from(signed))) - 1;
        let min = if signed { -max - 1 } else { 0 };
        let all = [min, min + 1, -32, -7, -2, -1, 0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64];
        all.into_iter().chain([max / 2, max - 1, max]).filter(|v| (min..=max).contains(v)).collect()
    };
    let wrap = |value: i128, bits: u32, signed: bool| -> i128 {
        let low = value & ((1 << bits) - 1);
        if signed && low >> (bits - 1) & 1 == 1 { low - (1 << bits) } else { low }
    };
    let mut body = String::new();
    let mut wanted = String::new();
    let mut wrappers = 0;
    for (name, bits, signed) in ints {
        let (wide, wide_signed) = if bits < 32 { (32, true) } else { (bits, signed) };
        let range = |v: i128| {
            let max: i128 = (1 << (wide - u32::from(wide_signed))) - 1;
            let min = if wide_signed { -max - 1 } else { 0 };
            (min..=max).contains(&v)
        };
        let letter = if signed { 's' } else { 'u' };
        for op in ["add", "sub", "mul", "div", "mod", "lshift", "rshift", "unary_minus"] {
            let counts: &[&str] = match op {
                "lshift" | "rshift" => &["_s", "_u"],
                "unary_minus" => &[""],
                _ if signed => &["_s"],
                _ => &["_u"],
            };
            for count in counts {
                let wrapper = format!("safe_{op}_func_{name}_{letter}{count}");
                if !header.contains(&wrapper) {
                    continue;
                }
                wrappers += 1;
                let right = match *count {
                    "_u" if op.ends_with("shift") => edges(32, false),
                    "_s" if op.ends_with("shift") => edges(32, true),
                    "" => vec![0],
                    _ => edges(bits, signed),
                };
                for a in edges(bits, signed) {
                    for &b in &right {
                        let shift = (0..i128::from(wide)).contains(&b) && (a >= 0 || !wide_signed);
                        let exact = match op {
                            "add" => Some(a + b),
                            "sub" => Some(a - b),
                            "mul" => Some(a * b),
                            "div" if b != 0 => Some(a / b),
                            "mod" if b != 0 && range(a / b) => Some(a % b),
                            "lshift" if shift && wide_signed => Some(a << b).filter(|v| range(*v)),
                            "lshift" if shift => Some(wrap(a << b, wide, false)),
                            "rshift" if shift => Some(a >> b),
                            "unary_minus" => Some(-a),
                            _ => None,
                        };
                        let exact = exact.filter(|v| range(*v)).unwrap_or(a);
                        let args = if count.is_empty() {
                            literal(a)
                        } else {
                            format!("{}, {}", literal(a), literal(b))
                        };
                        body +=
                            &format!("    printf(\"%lx\\n\", (unsigned long){wrapper}({args}));\n");
                        wanted += &format!("{:x}\n", wrap(exact, bits, signed) as u64);
                    }
                }
            }
        }
    }
    assert!(wrappers >= 50, "{wrappers}");
    let report = run(&parsed(&format!("{header}\nint main(void) {{\n{body}    return 0;\n}}\n")));
    assert!(is_defined(&report), "{:?}", report.outcome);
    let got = String::from_utf8(report.stdout).unwrap();
    let differs = got.lines().zip(wanted.lines()).position(|(a, b)| a != b);
    let line = differs.and_then(|at| body.lines().nth(at));
    assert_eq!(got.lines().count(), wanted.lines().count());
    assert_eq!(line, None);
}

fn literal(value: i128) -> String {
    match value {
        v if v == i128::from(i64::MIN) => "(-9223372036854775807L - 1)".into(),
        v if v > i128::from(i64::MAX) => format!("{v}UL"),
        v => format!("{v}L"),
    }
}

/// The example of section 3.2 of the paper.
const PAPER: &str = r#"
int printf(const char *, ...);
static int safe_lshift(int a, int b) { return (a < 0 || b < 0 || b >= 32 || a > (2147483647 >> b)) ? a : a << b; }
static int safe_add(int a, int b) { return ((b > 0 && a > 2147483647 - b) || (b < 0 && a < (-2147483647 - 1) - b)) ? a : a + b; }
static int safe_div(int a, int b) { return (b == 0 || (a == (-2147483647 - 1) && b == -1)) ? a : a / b; }
static int safe_mul(int a, int b) { long p = (long)a * b; return (p > 2147483647L || p < -2147483647L - 1) ? a : a * b; }
static int safe_mul2(int a, int b) { return (a > 0 ? (b > 0 ? a > 2147483647 / b : b < (-2147483647 - 1) / a) : (b > 0 ? a < (-2147483647 - 1) / b : a != 0 && b < 2147483647 / a)) ? a : a * b; }
int main(void) {
    int s = 5;
    int t = 2147483646;
    s = safe_lshift(s, 14);
    for (int k = 8; k >= -8; k--) {
        s = safe_add(s, k);
        t = safe_div(t, k);
    }
    t = safe_mul2(safe_mul2(s, t), s);
    printf("%d %d\n", s, t);
    return 0;
}
"#;

#[test]
fn redundant_checks_are_removed() {
    let mut program = parsed(PAPER);
    let stripped = redundant_checks::remove_redundant_checks(&mut program, &config());
    // `safe_mul` has a variable of its own: it is no wrapper.
    assert_eq!((stripped.checks, stripped.removed), (5, 3));
    let text = ctree::print::print_unit(&program, ctree::UnitId(0));
    for line in ["s = s << 14;", "s = s + k;", "t = safe_div(t, k);", "t = safe_mul2(s * t, s);"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(run(&parsed(&text)).stdout, run(&parsed(PAPER)).stdout);
}

/// A call orders its operands before what uses its value; a bare operator does not.
#[test]
fn a_check_that_orders_effects_stays() {
    let text = "int printf(const char *, ...);
static int safe_add(int a, int b) { return (b > 0 && a > 2147483647 - b) ? a : a + b; }
int main(void) { int x = 1; x = safe_add(x++, 1); x = safe_add(x, 2); printf(\"%d\\n\", x); return 0; }
";
    let mut program = parsed(text);
    let stripped = redundant_checks::remove_redundant_checks(&mut program, &config());
    assert_eq!((stripped.checks, stripped.removed), (2, 1));
    assert_eq!(stripped.report.stdout, b"4\n");
    assert!(ctree::print::print_unit(&program, ctree::UnitId(0)).contains("safe_add(x++, 1)"));
}

#[test]
fn operands_are_cut_as_parameters_cut_them() {
    let text = "int printf(const char *, ...);
static signed char safe_add(signed char a, signed char b) { return a + b; }
static short safe_neg(short a) { return (a == -32768) ? a : -a; }
int main(void) { int x = 300; printf(\"%d %d\\n\", safe_add(x, 7), safe_neg(70000) >> 1); return 0; }
";
    let mut program = parsed(text);
    let before = run(&program).stdout;
    let stripped = redundant_checks::remove_redundant_checks(&mut program, &config());
    assert_eq!((stripped.checks, stripped.removed), (2, 2));
    assert_eq!(stripped.report.stdout, before);
    let text = ctree::print::print_unit(&program, ctree::UnitId(0));
    assert!(text.contains("(signed char)((signed char)x + (signed char)7)"), "{text}");
    assert_eq!(run(&parsed(&text)).stdout, before);
}

#[test]
fn a_program_without_a_result_is_not_changed() {
    let text = "static int safe_neg(int a) { return -a; } int main(void) { int z = 0; return safe_neg(1) / z; }";
    let mut program = parsed(text);
    let before = ctree::print::print_unit(&program, ctree::UnitId(0));
    let stripped = redundant_checks::remove_redundant_checks(&mut program, &config());
    assert!(!is_defined(&stripped.report));
    assert_eq!((stripped.checks, stripped.removed), (1, 0));
    assert_eq!(ctree::print::print_unit(&program, ctree::UnitId(0)), before);
}

#[test]
fn programs_without_their_checks_print_the_same() {
    let (mut checks, mut removed) = (0, 0);
    for seed in 0..120 {
        let mut made =
            made(&SeedTuple { form: WrapperStyle::Functions, ..Bounds::default().draw(seed) });
        let before = run(&made.program);
        if !is_defined(&before) {
            continue;
        }
        let stripped = redundant_checks::remove_redundant_checks(&mut made.program, &config());
        assert_eq!(stripped.report.stdout, before.stdout, "{seed}");
        let read = run(&parsed(&made.text()));
        assert!(is_defined(&read), "{seed}: {:?}", read.outcome);
        assert_eq!(read.stdout, before.stdout, "{seed}");
        (checks, removed) = (checks + stripped.checks, removed + stripped.removed);
    }
    assert!(removed * 2 > checks, "{removed} of {checks}");
}

/// The paper's way: the program itself tells which checks it needed.
#[test]
fn programs_tell_which_checks_they_need() {
    let (mut told, mut removed) = (0, 0);
    for seed in 0..60 {
        let mut made = made(&SeedTuple::plain(seed));
        let before = run(&made.program);
        if !is_defined(&before) {
            continue;
        }
        let report = run(&parsed(&made.reporting_text()));
        if !is_defined(&report) {
            // Two checks that tell in one expression print in an order that is open.
            assert!(
                matches!(report.outcome, Outcome::Unspecified(..)),
                "{seed}: {:?}",
                report.outcome
            );
            continue;
        }
        let text = String::from_utf8(report.stdout).unwrap();
        let needed: BTreeSet<usize> = text
            .lines()
            .filter_map(|line| line.strip_prefix("needed ").map(|n| n.parse().unwrap()))
            .collect();
        let rest: Vec<&str> = text.lines().filter(|line| !line.starts_with("needed ")).collect();
        assert_eq!(rest, std::str::from_utf8(&before.stdout).unwrap().lines().collect::<Vec<_>>());
        let mut ours = made.program.clone();
        let stripped = redundant_checks::remove_redundant_checks(&mut ours, &config());
        let checks = redundant_checks::checks(&made.program).len();
        assert_eq!(checks, stripped.checks);
        let gone = redundant_checks::remove_checks_except(&mut made.program, &needed);
        assert_eq!(gone, checks - needed.len(), "{seed}");
        // Ours may keep more: those that order effects.
        assert!(stripped.removed <= gone, "{seed}");
        told += needed.len();
        removed += gone;
    }
    assert!(told > 0 && removed > told, "{told} needed, {removed} removed");
}
