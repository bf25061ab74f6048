//! Repair by execution: whatever the program, what comes out is free of undefined behaviour, and
//! its output is known. The machine, the parser and a real compiler with sanitizers say so.

use crate::raw::Wildness;
use cgen::repair::{RepairError, RepairOptions, Repaired, repair};
use choice::Choices;
use cmachine::{MachineConfig, Outcome};
use ctree::{DataModel, Program, UnitId};
use sandbox::{Run, Scratch};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

fn parse(text: &str) -> Program {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    if let Err(error) = cparse::parse_unit(&mut program, "raw.c", text) {
        panic!("not read: {error} at {:?}\n{text}", program.source.location(error.span));
    }
    program
}

/// The text of a repaired program and what repair says of it.
fn repaired(
    seed: u64,
    text: &str,
    options: &RepairOptions,
) -> Result<(Program, Repaired), RepairError> {
    let mut program = parse(text);
    let repaired = repair(&mut program, &mut Choices::new(seed).fork("repair"), options)?;
    Ok((program, repaired))
}

/// A repaired tree runs clean on its own, and so does its text, with the same output.
fn check(what: &str, program: &Program, expected: &Repaired) {
    assert!(matches!(expected.report.outcome, Outcome::Finished(_)), "{what}");
    // Time enough, and a stack that is quickly cleared.
    let config = MachineConfig { stack: 512 << 10, ..MachineConfig::default() };
    let again = cmachine::run(program, &config);
    assert_eq!(again.outcome, expected.report.outcome, "{what}: the tree");
    assert_eq!(again.stdout, expected.report.stdout, "{what}: the tree");
    let text = ctree::print::print_unit(program, UnitId(0));
    let read = cmachine::run(&parse(&text), &config);
    assert_eq!(read.outcome, expected.report.outcome, "{what}: the text\n{text}");
    assert_eq!(read.stdout, expected.report.stdout, "{what}: the text\n{text}");
}

/// Whether gcc is there; in CI it must be.
fn has_gcc() -> bool {
    let found = Run::new("gcc", PATIENCE).arg("--version").finish().success().is_some();
    assert!(found || std::env::var_os("CI").is_none(), "set-up installs gcc: CI skips nothing");
    found
}

/// What a program prints when gcc's sanitizers watch it.
fn sanitized(what: &str, program: &Program, scratch: &Scratch) -> String {
    let text = ctree::print::print_unit(program, UnitId(0));
    let binary = scratch.file("program");
    let compile = Run::new("gcc", PATIENCE)
        .args(["-std=gnu11", "-w", "-O0", "-fsanitize=undefined,address"])
        .args(["-fno-sanitize-recover=all", "-xc", "-", "-o"])
        .arg(&binary)
        .stdin(text.clone());
    assert!(compile.finish().success().is_some(), "gcc refuses {what}\n{text}");
    let ran = Run::new(&binary, PATIENCE).env("ASAN_OPTIONS", "detect_leaks=0").finish();
    let shown = format!("{ran:?}");
    match ran.success() {
        Some(native) => native.stdout.text(),
        None => panic!("the sanitizers object to {what}: {shown}\n{text}"),
    }
}

#[test]
fn sanitizers_agree() {
    if !has_gcc() {
        eprintln!("skipped: gcc is not installed");
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    for seed in 5000..5020 {
        let objects = seed % 2 == 0;
        let text = crate::raw::program(&mut Choices::new(seed), Wildness { objects, size: 3 });
        let (program, done) = repaired(seed, &text, &RepairOptions::default()).expect("a repair");
        let native = sanitized(&format!("raw {seed}"), &program, &scratch);
        assert_eq!(String::from_utf8_lossy(&done.report.stdout), native, "raw {seed}");
    }
}

/// Repairs many programs; says how many runs they took.
fn repair_many(what: &str, seeds: std::ops::Range<u64>, wildness: Wildness) -> u32 {
    let mut passes = 0;
    for seed in seeds {
        let what = format!("{what} {seed}");
        let text = crate::raw::program(&mut Choices::new(seed), wildness);
        let (program, done) = match repaired(seed, &text, &RepairOptions::default()) {
            Ok(done) => done,
            Err(error) => panic!("{what}: {error}\n{text}"),
        };
        check(&what, &program, &done);
        passes += done.passes;
    }
    passes
}

#[test]
fn arithmetic_is_repaired() {
    let passes = repair_many("arithmetic", 0..1000, Wildness { objects: false, size: 5 });
    assert!(passes < 2500, "two runs are the rule, not {passes} for 1000 programs");
}

#[test]
fn objects_are_repaired() {
    let passes = repair_many("objects", 0..1000, Wildness { objects: true, size: 4 });
    assert!(passes < 4500, "four runs are the rule, not {passes} for 1000 programs");
}

/// Wild units hold every construct of the language. Most loop for ever or use what the machine
/// does not have; what can be repaired must be right, and nothing may be stuck.
#[test]
fn wild_functions_are_repaired_or_refused() {
    let (mut done, mut refused) = (0, 0);
    let options = RepairOptions {
        machine: MachineConfig {
            fuel: 20_000,
            call_depth: 500,
            ..RepairOptions::default().machine
        },
        ..RepairOptions::default()
    };
    for seed in 0..400 {
        let unit = ctestgen::wild(&mut Choices::new(seed));
        let text = ctree::print::print_unit(&unit, UnitId(0));
        for func in unit.units[0].items.iter() {
            let ctree::Item::Func(func) = func else { continue };
            let Some(call) = call(&unit, *func) else { continue };
            let text = format!("{text}\nint main(void) {{ {call}; return 0; }}\n");
            match repaired(seed, &text, &options) {
                Ok((program, repaired)) => {
                    check(&format!("wild {seed}: {call}"), &program, &repaired);
                    done += 1;
                }
                Err(RepairError::Outcome(_)) => refused += 1,
                Err(error) => panic!("wild {seed}: {call}: {error}\n{text}"),
            }
        }
    }
    assert!(done > 200, "{done} done, {refused} refused");
}

/// A call of a function whose parameters can all be written as constants.
fn call(program: &Program, func: ctree::FuncId) -> Option<String> {
    let func = program.func(func);
    let argument = |ty| match program.types.shape(ty) {
        ctree::TypeKind::Int(_) | ctree::TypeKind::Float(_) => Some("7"),
        ctree::TypeKind::Pointer(_) => Some("0"),
        _ => None,
    };
    let arguments: Option<Vec<&str>> =
        func.params.iter().map(|&p| argument(program.var(p).ty)).collect();
    Some(format!("{}({})", program.name(func.name), arguments?.join(", ")))
}

#[test]
fn clean_programs_take_one_run_and_stay_as_they_are() {
    for seed in 0..100 {
        let mut program = ctestgen::simple(&mut Choices::new(seed));
        let before = ctree::print::print_unit(&program, UnitId(0));
        let done = repair(&mut program, &mut Choices::new(seed), &RepairOptions::default());
        let done = done.expect("a clean program");
        assert_eq!((done.passes, done.touched.len()), (1, 0), "simple {seed}");
        assert_eq!(ctree::print::print_unit(&program, UnitId(0)), before, "simple {seed}");
    }
}

#[test]
fn the_same_seed_gives_the_same_program() {
    for seed in 0..50 {
        let text =
            crate::raw::program(&mut Choices::new(seed), Wildness { objects: true, size: 4 });
        let print = || {
            let (program, _) = repaired(seed, &text, &RepairOptions::default()).expect("a repair");
            ctree::print::print_unit(&program, UnitId(0))
        };
        assert_eq!(print(), print(), "objects {seed}");
    }
}

/// A statement that is undefined, what the first rung makes of it, and what a higher one does.
const CASES: &[(&str, &str, &str)] = &[
    (
        "int x = 2147483647, y = 5; x = x + y;",
        "x = x - y;",
        "x = (int)((unsigned int)x + (unsigned int)y);",
    ),
    (
        "int x = -2147483647, y = 5; x = x - y;",
        "x = x + y;",
        "x = (int)((unsigned int)x - (unsigned int)y);",
    ),
    ("int x = 65536; x = x * x;", "x = x / x;", "x = (int)((unsigned int)x * (unsigned int)x);"),
    ("int x = -2147483647 - 1; x = -x;", "x = +x;", "x = (int)(0U - (unsigned int)x);"),
    ("int x = 5, y = 0; x = x / y;", "x = x * y;", "x = (unsigned int)y + 1U > 1U ? x / y : x;"),
    ("unsigned x = 5, y = 0; x = x % y;", "x = x * y;", "x = x % (y ?: 1U);"),
    (
        "int x = -2147483647 - 1, y = -1; x = x % y;",
        "x = x - y;",
        "x = (unsigned int)y + 1U > 1U ? x % y : x;",
    ),
    (
        "int x = 5, y = -3; x = x << y;",
        "x = x << (y + 23);",
        "x = (int)((unsigned int)x << (y & 31));",
    ),
    (
        "int x = -5, y = 3; x = x << y;",
        "x = ~x << (y - 2);",
        "x = (int)((unsigned int)x << (y & 31));",
    ),
    (
        "int x = 5, y = 30; x = x << y;",
        "x = x << (y - 22);",
        "x = (int)((unsigned int)x << (y & 31));",
    ),
    ("unsigned x = 5; long y = 70; x = x >> y;", "x = x >> (y - 59L);", "x = x >> (y & 31L);"),
    ("int x = 2147483647, y = 5; x += y;", "x -= y;", "x += (unsigned int)y;"),
    ("int x = 5, y = 40; x <<= y;", "x <<= y - 32;", "x *= 1U << (y & 31);"),
    ("int x = -5; x <<= 1;", "x *= 1U << (1 & 31);", "x *= 1U << (1 & 31);"),
    ("int x = 5, y = 0; x /= y;", "x *= y;", "x /= (long long)(y ?: 1);"),
    ("int x = 2147483647; x++;", "x--;", "(int)((unsigned int)(x += 1U) - 1U);"),
    ("int x = 2147483647, y; y = x++;", "y = x--;", "y = (int)((unsigned int)(x += 1U) - 1U);"),
    ("int x = 2147483647; ++x;", "--x;", "x += 1U;"),
    ("int a[4] = {0}, i = 9; a[i] = 1;", "a[i - 7] = 1;", "a[(unsigned int)i % 4U] = 1;"),
    ("int a[5] = {0}, i = -9; a[i] = 1;", "a[i + 13] = 1;", "a[(unsigned int)i % 5U] = 1;"),
    ("int a[5] = {0}, i = 7, *p; p = a + i;", "p = a + (i - 3);", "p = a + (unsigned int)i % 5U;"),
    ("int *p = 0; *p = 1;", "*(p ?: &scratch0) = 1;", "*(p ?: &scratch0) = 1;"),
    ("int a[2] = {1, 2}, *p = a; p += 7;", "p += 0;", "p += 0;"),
    ("int a[2] = {1, 2}, *p = a; p--;", "p += 0;", "p += 0;"),
    ("int a[2], b[2], x; x = a < b;", "x = 0;", "x = 0;"),
    ("int x; x = x + 1;", "x = scratch0 + 1;", "x = scratch0 + 1;"),
    ("int x; x++;", "x = 0;", "x = 0;"),
    ("double d = 1e30; int x; x = (int)d;", "x = 61;", "x = 61;"),
    ("int x = 1, y; y = x + x++;", "y = x + (int)x;", "y = x + (int)x;"),
    ("int x = 1; x = x++;", "(int)x++;", "(int)x++;"),
    ("int x = 0; x += f(&x);", "x = f(&x);", "x = f(&x);"),
    ("int x = 0, y; y = x + f(&x);", "y = scratch0 + f(&x);", "y = scratch0 + f(&x);"),
    ("int x; long y; y = (long)&x;", "y = 43L;", "y = 43L;"),
    (
        "float f = 2.0f; int *p = (int *)&f; int x = *p;",
        "int x = *&scratch0;",
        "int x = *&scratch0;",
    ),
];

#[test]
fn statements_before_and_after() {
    for &(before, table, form) in CASES {
        for (percent, after) in [(100, table), (0, form)] {
            let text = format!(
                "int f(int *p) {{ return ++*p; }}\nint main(void) {{ {before} return 0; }}\n"
            );
            let options = RepairOptions { table_first: percent, ..RepairOptions::default() };
            let mut program = parse(&text);
            let done = repair(&mut program, &mut Choices::new(3), &options).expect("a repair");
            assert_eq!(done.passes, 2, "{before}");
            let printed = ctree::print::print_unit(&program, UnitId(0));
            let end = printed.find("    return 0;").expect("the end of main");
            let last = printed[..end].trim_end().lines().last().unwrap_or("").trim();
            assert_eq!(last, after, "{before}");
        }
    }
}

/// What is not executed stays as it is, and what a loop does well stays so too.
#[test]
fn only_what_is_at_fault_is_touched() {
    let text = "int printf(const char *, ...);
        int main(void) {
            int x = 2147483647, s = 0;
            if (x < 0) { x = x << 40; x = x / 0; }
            for (int i = 0; i < 5; i++) { s += i * 1000; s = s * 300; }
            printf(\"%d %d\\n\", x, s);
            return 0;
        }";
    let (program, done) = repaired(1, text, &RepairOptions::default()).expect("a repair");
    let printed = ctree::print::print_unit(&program, UnitId(0));
    assert!(printed.contains("x = x << 40;") && printed.contains("x = x / 0;"), "{printed}");
    assert!(printed.contains("s += i * 1000;"), "{printed}");
    assert!(printed.contains("s = (int)((unsigned int)s * (unsigned int)300);"), "{printed}");
    assert_eq!(done.rungs, [0, 1, 0]);
    let mut s = 0i32;
    for i in 0..5 {
        s = (s + i * 1000).wrapping_mul(300);
    }
    assert_eq!(String::from_utf8_lossy(&done.report.stdout), format!("2147483647 {s}\n"));
}

/// An endless loop is an ordinary result.
#[test]
fn endless_programs_are_refused() {
    let text = "int main(void) { int x = 1; for (;;) x = x * 3; }";
    match repaired(1, text, &RepairOptions::default()) {
        Err(RepairError::Outcome(outcome)) => assert_eq!(*outcome, Outcome::OutOfFuel),
        other => panic!("{other:?}"),
    }
}

/// The caller's own objects are used before new ones are made.
#[test]
fn fallbacks_are_used() {
    let mut program = parse("int spare; int main(void) { int *p = 0; return *p; }");
    let var = program.vars.iter().position(|v| program.name(v.name) == "spare");
    let spare = ctree::VarId(var.expect("the variable") as u32);
    let fallbacks = vec![(ctree::Ty::INT, spare)];
    let options = RepairOptions { fallbacks, gnu: false, ..RepairOptions::default() };
    repair(&mut program, &mut Choices::new(1), &options).expect("a repair");
    let printed = ctree::print::print_unit(&program, UnitId(0));
    assert!(printed.contains("return *&spare;"), "{printed}");
}
