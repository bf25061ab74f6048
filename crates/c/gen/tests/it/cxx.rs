//! The same tree as C++ and as three files: real compilers accept the text at every standard, and
//! the program prints what the machine found by executing the tree.

use choice::Choices;
use cmachine::{Exit, MachineConfig, Outcome};
use ctree::print::{
    Container, CxxPlan, HEADER, Split, SplitFile, Style, print_split, print_unit_as,
};
use ctree::{
    DataModel, ExprId, ExprKind, FuncStorage, Item, Program, Scope, Storage, Ty, UnitId, VarId,
};
use sandbox::{Ended, Run, Scratch};
use std::path::Path;
use std::time::Duration;

/// Far more than a compiler needs for a few kilobytes and three headers on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Compilers of C++, each with the compiler of C that belongs to it.
const COMPILERS: [(&str, &str); 2] = [("g++", "gcc"), ("clang++-16", "clang-16")];

const STANDARDS: [u8; 4] = [11, 14, 17, 20];

fn installed() -> Vec<(&'static str, &'static str)> {
    let answers = |cc: &str| Run::new(cc, PATIENCE).arg("--version").finish().success().is_some();
    let found: Vec<_> =
        COMPILERS.into_iter().filter(|(cxx, c)| answers(cxx) && answers(c)).collect();
    let all = found.len() == COMPILERS.len();
    assert!(
        all || std::env::var_os("CI").is_none(),
        "set-up installs {COMPILERS:?}: CI skips none"
    );
    found
}

fn machine(what: &str, program: &Program) -> String {
    let report = cmachine::run(program, &MachineConfig::default());
    assert_eq!(report.outcome, Outcome::Finished(Exit::Status(0)), "{what}");
    String::from_utf8_lossy(&report.stdout).into_owned()
}

/// Compiles and links the files, runs the program, and gives back what it prints.
fn native(what: &str, compiler: &str, flags: &[&str], folder: &Path, files: &[&str]) -> String {
    let binary = folder.join("program");
    let compile = Run::new(compiler, PATIENCE)
        .args(flags)
        .args(["-O0", "-o"])
        .arg(&binary)
        .args(files.iter().map(|file| folder.join(file)));
    if compile.finish().success().is_none() {
        let diagnostics = match compile.finish() {
            Ended::Finished(finished) => finished.stderr.text(),
            other => format!("{other:?}"),
        };
        let errors: Vec<&str> = diagnostics.lines().filter(|line| line.contains("error")).collect();
        panic!("{compiler} {flags:?} refuses {what}: {errors:#?}");
    }
    match Run::new(&binary, PATIENCE).finish().success() {
        Some(finished) => finished.stdout.text(),
        None => panic!("{what} fails natively, {compiler} {flags:?}"),
    }
}

/// A random plan over the arrays, structs and file-scope variables of a program.
fn plan(choices: &mut Choices, program: &Program, std: u8) -> CxxPlan {
    use Container::{CArray, StdArray, Valarray, Vector};
    let mut plan = CxxPlan::new(std);
    let mut records = Vec::new();
    for item in &program.units[0].items {
        match *item {
            Item::Record(id) => records.push(id),
            Item::Var(id) => {
                let var = program.var(id);
                let mut dims = Vec::new();
                let mut ty = var.ty;
                while let Some((elem, _)) = program.types.as_array(ty) {
                    let all = [CArray, StdArray, Valarray, Vector];
                    // No vector of bool.
                    let some = if elem.unqual() == Ty::BOOL { &all[..3] } else { &all };
                    dims.push(some[choices.index(some.len())]);
                    ty = elem;
                }
                plan.containers.insert(id, dims);
                if choices.chance(25)
                    && let Some(&record) = choices.pick(&records)
                {
                    plan.static_members.insert(id, (record, var.name));
                }
            }
            _ => {}
        }
    }
    for id in records {
        let record = &program.types.records[id.index()];
        for (at, _) in record.fields.iter().enumerate() {
            if !record.packed && choices.chance(50) {
                plan.fields.insert((id, at as u32), vec![StdArray]);
            }
        }
    }
    for (at, expr) in program.exprs.iter().enumerate() {
        if matches!(expr.kind, ExprKind::Index(..)) && choices.chance(30) {
            plan.at.insert(ExprId(at as u32));
        }
    }
    plan
}

fn check_unit(seed: u64) {
    let program = ctestgen::simple(&mut Choices::new(seed));
    let expected = machine(&format!("simple {seed}"), &program);
    let scratch = Scratch::new().expect("a temporary folder");
    for (at, (compiler, _)) in installed().into_iter().enumerate() {
        // The standards take turns.
        let std = STANDARDS[(seed as usize / 2 + 2 * at) % STANDARDS.len()];
        let plan = plan(&mut Choices::new(seed).fork("plan"), &program, std);
        let what = format!("simple {seed} as C++{std}");
        let text = match print_unit_as(&program, UnitId(0), Style::Cxx(&plan)) {
            Ok(text) => text,
            Err(why) => panic!("{what}: {why}"),
        };
        std::fs::write(scratch.file("unit.cpp"), text).expect("the scratch folder takes files");
        let flags = [&*format!("-std=c++{std}"), "-Wall", "-Werror=narrowing"];
        let printed = native(&what, compiler, &flags, scratch.path(), &["unit.cpp"]);
        assert_eq!(printed, expected, "{what}, {compiler}");
    }
}

/// A simple program whose functions can be called from another file.
fn shared(seed: u64) -> Program {
    let mut program = ctestgen::simple(&mut Choices::new(seed));
    for func in &mut program.funcs {
        func.storage = FuncStorage::None;
    }
    for var in program.vars.iter_mut().filter(|var| var.scope == Scope::File) {
        var.storage = Storage::None;
    }
    program
}

/// Functions apart from the data and from `main`.
fn place(program: &Program, item: &Item) -> SplitFile {
    match *item {
        Item::Func(id) if program.name(program.func(id).name).starts_with('f') => {
            SplitFile::Functions
        }
        _ => SplitFile::Driver,
    }
}

fn check_split(seed: u64) {
    let program = shared(seed);
    let expected = machine(&format!("simple {seed}"), &program);
    let split = |style: Style<'_>| {
        print_split(&program, UnitId(0), style, |item| place(&program, item))
            .unwrap_or_else(|why| panic!("simple {seed}: {why}"))
    };
    for (at, (cxx, c)) in installed().into_iter().enumerate() {
        let std = STANDARDS[(seed as usize / 2 + 2 * at) % STANDARDS.len()];
        let plan = plan(&mut Choices::new(seed).fork("plan"), &program, std);
        for (compiler, flag, style, suffix) in [
            (c, "-std=gnu11".to_string(), Style::C11, "c"),
            (cxx, format!("-std=c++{std}"), Style::Cxx(&plan), "cpp"),
        ] {
            let Split { header, functions, driver } = split(style);
            assert!(!functions.contains("int main("), "the driver has main");
            let scratch = Scratch::new().expect("a temporary folder");
            let files = [format!("func.{suffix}"), format!("driver.{suffix}")];
            for (name, text) in [(HEADER, header), (&files[0], functions), (&files[1], driver)] {
                std::fs::write(scratch.file(name), text).expect("the scratch folder takes files");
            }
            let what = format!("simple {seed} in three files");
            let files = [&*files[0], &*files[1]];
            let printed = native(&what, compiler, &[&flag, "-w"], scratch.path(), &files);
            assert_eq!(printed, expected, "{what}, {compiler} {flag}");
        }
    }
}

/// Compilers take the time: a few programs; more with `CXX_PROGRAMS=N`.
fn seeds() -> std::ops::Range<u64> {
    let wanted = std::env::var("CXX_PROGRAMS").ok().and_then(|text| text.parse().ok());
    0..wanted.unwrap_or(8)
}

#[test]
fn simple_programs_are_the_same_in_cxx() {
    seeds().for_each(check_unit);
}

#[test]
fn simple_programs_are_the_same_in_three_files() {
    seeds().for_each(check_split);
}

/// What reads or behaves differently in C++ unless the printer sees to it.
const TRICKY: &str = r#"
int printf(const char *, ...);
enum color { RED, GREEN = 5, BLUE };
enum wide { SMALL = 1, GREAT = 0x80000000u };
typedef int row[3];
typedef int v4 __attribute__((vector_size(16)));
struct bits { unsigned a : 5; unsigned long b : 7; _Bool c : 1; volatile int : 2; short d; };
union both { int i; float f; };
struct outer { char tag; struct bits bits[2]; union both u; const int limit; int tail[3]; };
const int answer = 42;
const struct outer zero;
static const char letters[3] = "abc";
const signed char text[2][6] = {"one", {1, [4] = 5}};
int holes[8] = {[1] = 7, [3 ... 5] = -1};
struct outer filled = {.bits[1].a = 9, .limit = 3, .tail[1] = 2};
unsigned char flags[4] = {1, 2, 0xff};
long table[2][3][2] = {[1] = {{1, 2}, [2] = {3}}};
int *cursor = holes + 3;
_Bool truth[3] = {1, 0, 1};
void *any = holes;
row rows[2] = {{1, 2, 3}};
v4 lanes[2] = {{1, 2}};
struct bits pairs[2] = {{1, 2, 1, 3}};
long double precise = 0.1L, tiny = 1.5L;

static int sum(const int *p, int n) {
    int total = 0;
    while (n-- > 0)
        total += *p++;
    return total;
}
static struct bits make(unsigned a, int d) { return (struct bits){a, .d = d}; }
static int later(int x);
inline static int twice(register int x) { return later(x) * 2; }
static int later(int x) { return x + answer; }

int main(void) {
    enum color c = 1;
    enum wide w = GREAT;
    int n = 3, *restrict p = any;
    struct bits b = {n, n + 1, n};
    short narrow[2] = {n, n * 2};
    char *name = "name", c2[] = {n + 1, 'x'};
    c = n > 2 ? BLUE : c;
    printf("%d %d %d\n", c - 7 < 0, b.a++ - 40 < 0, (n ? b.d : b.b) - 9 < 0);
    printf("%d %d %d\n", SMALL - 2 < 0, w > 5, (int)sizeof(n == 3) + (int)sizeof(enum color));
    printf("%d %d %s %d\n", narrow[1], c2[0], name, zero.limit + (int)sizeof letters);
    printf("%d %d\n", sum(holes, 8), sum(rows[0], 3) + sum(*rows, 2));
    printf("%d %d %d\n", *cursor, cursor - holes == 3, holes + 1 == &p[1]);
    printf("%d %d %d\n", filled.bits[1].a, filled.limit, filled.tail[1] + filled.u.i);
    printf("%ld %ld %d\n", table[1][0][1], (*(table[1][2] + 0)), (*table)[0][0] == 0);
    printf("%d %d %d\n", text[0][2], text[1][4], letters[2] + flags[2]);
    printf("%d %d %d\n", truth[0] + truth[2], make(3, -1).d, (int){n} + (unsigned char){300});
    printf("%d %d\n", (lanes[0] + lanes[1])[1], lanes[0][0]);
    printf("%d %d %d\n", twice(1), pairs[0].d, (pairs[1] = pairs[0]).c);
    printf("%.20Lg %.3Lg %d\n", precise, tiny, ({ int t = n; t * t; }));
    switch (w) {
    case GREAT:
        printf("great\n");
    }
    switch (c) {
    case BLUE:
        return 0;
    default:
        return 1;
    }
}
"#;

/// Plans over the variables of [`TRICKY`] that have arrays of two or three dimensions or classes
/// of elements that matter.
fn tricky_plan(program: &Program, std: u8, which: usize) -> CxxPlan {
    use Container::{CArray, StdArray, Valarray, Vector};
    let mut plan = CxxPlan::new(std);
    let turns =
        [[StdArray, Vector, Valarray], [Vector, Vector, StdArray], [CArray, Valarray, Vector]];
    let outside = |id: &VarId| program.var(*id).scope == Scope::File;
    for id in (0..program.vars.len() as u32).map(VarId).filter(outside) {
        let dims = match program.name(program.var(id).name) {
            "truth" => vec![[StdArray, Valarray, CArray][which]],
            // Passed on by rows: the inner dimension may be a class, the outer never decays.
            _ => turns[which].to_vec(),
        };
        plan.containers.insert(id, dims);
    }
    plan
}

#[test]
fn tricky_constructs_mean_the_same_in_cxx() {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    let unit = cparse::parse_unit(&mut program, "tricky.c", TRICKY).expect("valid text");
    let expected = machine("tricky.c", &program);
    let scratch = Scratch::new().expect("a temporary folder");
    for (compiler, _) in installed() {
        for (std, which) in STANDARDS.into_iter().zip([0, 1, 2, 0]) {
            let plan = tricky_plan(&program, std, which);
            let text = print_unit_as(&program, unit, Style::Cxx(&plan))
                .unwrap_or_else(|why| panic!("tricky.c as C++{std}: {why}"));
            std::fs::write(scratch.file("unit.cpp"), text).expect("the scratch folder takes files");
            let flags = [&*format!("-std=gnu++{std}"), "-Wno-register", "-Werror=narrowing"];
            let printed = native("tricky.c", compiler, &flags, scratch.path(), &["unit.cpp"]);
            assert_eq!(printed, expected, "tricky.c as C++{std}, {compiler}");
        }
    }
}
