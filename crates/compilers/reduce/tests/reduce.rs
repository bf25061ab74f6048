//! Whole reductions, with compilers that have a fault and with scripts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use oracle::{AddedOption, Case, Expected, Failure, FailureKind, Fault, Lab, Limits, SourceFile};
use reduce::{NotReduced, ReduceOptions, Validity, finish_with_cvise, reduce, reduce_by_script};
use sandbox::{Scratch, Stop};
use toolchain::{Compiler, Family, Language, Target};

/// Two files, with a bit-field, a loop and much that does not matter.
const MAIN: &str = r#"#include <stdio.h>
struct pair { unsigned low : 3; unsigned high : 13; int rest; };
extern struct pair made;
long sum(long a, long b);
static int twice(int x) { return 2 * x; }
int table[4] = {1, 2, 3, 4};
int main(void)
{
    long total = 0;
    for (int i = 0; i < 4; i++)
        total = sum(total, twice(table[i]));
    made.high = 5000 + (unsigned)total;
    made.rest = 7;
    printf("total %ld\n", total);
    printf("made %u %u %d\n", made.low, made.high, made.rest);
    return 0;
}
"#;
const OTHER: &str = r#"struct pair { unsigned low : 3; unsigned high : 13; int rest; };
struct pair made = {1, 2, 3};
long sum(long a, long b) { return a + b; }
"#;

fn file(name: &str, text: &str) -> SourceFile {
    SourceFile { name: name.into(), bytes: text.into() }
}

fn case(files: Vec<SourceFile>, stdout: &str) -> Case {
    Case {
        language: Language::C,
        files,
        standard: None,
        harness: None,
        include: Vec::new(),
        expected: Some(Expected { stdout: stdout.into(), status: 0 }),
        omitted: Default::default(),
    }
}

fn target(family: Family, command: &str, flags: &[&str]) -> Target {
    let compiler = Compiler {
        family,
        name: "it".into(),
        version: "1".into(),
        triple: "x86_64-linux-gnu".into(),
        c: vec![command.into()],
        cxx: None,
        runner: Default::default(),
        abi: Some(toolchain::Abi::Lp64),
        levels: Vec::new(),
        extras: Vec::new(),
        drawn: Default::default(),
        lacks: Vec::new(),
        checks: None,
        root: None,
    };
    Target { compiler: Arc::new(compiler), flags: flags.iter().map(|f| f.to_string()).collect() }
}

fn script(folder: &str, name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/compilers");
    root.join(folder).join(name).display().to_string()
}

fn order() -> ReduceOptions {
    let limits = Limits::default();
    ReduceOptions { jobs: 2, time: None, stop: Stop::new(), limits, known: Default::default() }
}

fn text_of(case: &Case) -> String {
    case.files.iter().map(|f| String::from_utf8_lossy(&f.bytes)).collect()
}

/// What the machine says a text prints.
fn answer(text: &str) -> Vec<u8> {
    let mut program = ctree::Program::new(ctree::DataModel::X86_64_SYSV);
    cparse::parse_unit(&mut program, "test.c", text).expect("it is C");
    let report = cmachine::run(&program, &cmachine::MachineConfig::default());
    assert!(
        matches!(report.outcome, cmachine::Outcome::Finished(_)),
        "{:?}\n{text}",
        report.outcome
    );
    report.stdout
}

#[test]
fn wrong_code_becomes_small_with_few_flags_and_one_file() {
    let command = script("planted", "bitfield.sh");
    let before =
        case(vec![file("main.c", MAIN), file("other.c", OTHER)], "total 20\nmade 1 5020 7\n");
    let failure = Failure {
        fault: Fault { kind: FailureKind::WrongOutput, known_by: String::new() },
        bad: vec![target(Family::Clang, &command, &["-O3", "-fwrapv", "-g"])],
        right: vec![target(Family::Clang, &command, &["-O1"])],
        baseline: None,
    };
    let done = reduce(&before, &failure, &order(), &|_| {}).expect("it is reduced");
    let text = text_of(&done.case);
    assert_eq!(done.case.files.len(), 1, "{text}");
    assert!(done.tokens.1 <= 55, "{text}");
    assert!(done.tokens.1 < done.tokens.0, "{text}");
    assert_eq!(done.failure.bad[0].flags, ["-O2"], "{text}");
    assert_eq!(done.case.omitted, AddedOption::ALL.into(), "{text}");
    assert_eq!(answer(&text), done.case.stdout());
    // It still shows, and only there.
    let scratch = Scratch::new().expect("a temporary folder");
    let lab = Lab::default();
    lab.write(&done.case, scratch.path()).expect("it is written");
    let seen =
        |target: &Target| lab.observe(&done.case, scratch.path(), target).expect("no trouble").seen;
    assert_eq!(seen(&failure.bad[0]).kind(&done.case), Some(FailureKind::WrongOutput));
    assert!(seen(&failure.right[0]).is_right(&done.case));
}

/// What goes wrong only where the linker sees several units stays several units, small ones, with the flag.
#[test]
fn units_stay_apart_where_only_the_linker_is_wrong() {
    let scratch = Scratch::new().expect("a temporary folder");
    let path = scratch.file("lto.sh");
    let planted = script("planted", "operator.sh");
    let text = format!(
        "#!/bin/sh\nunits=0 lto=\nfor word in \"$@\"; do\n\
         case $word in *.c) units=$((units + 1)) ;; -flto) lto=yes ;; esac\ndone\n\
         [ \"$lto\" ] && [ $units -gt 1 ] && exec {planted} \"$@\"\nexec gcc \"$@\"\n"
    );
    fs::write(&path, text).expect("it is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is set");
    let command = path.display().to_string();
    let failure = Failure {
        fault: Fault { kind: FailureKind::WrongOutput, known_by: String::new() },
        bad: vec![target(Family::Gcc, &command, &["-O3", "-flto", "-fwrapv"])],
        right: vec![target(Family::Gcc, &command, &["-O3"])],
        baseline: None,
    };
    let files = vec![
        file("main.c", &MAIN.replace("twice(table[i])", "twice(table[i] ^ 1)")),
        file("other.c", OTHER),
    ];
    let mut before = case(files, "");
    let shown = reduce::executed(&before, &[]).expect("it has a result");
    before.expected = Some(Expected { stdout: shown.stdout, status: shown.status });
    let done = reduce(&before, &failure, &order(), &|_| {}).expect("it is reduced");
    let text = text_of(&done.case);
    let names: Vec<&str> = done.case.units().collect();
    assert_eq!(names, ["main.c", "other.c"], "{text}");
    assert_eq!(done.failure.bad[0].flags, ["-O2", "-flto"], "{text}");
    assert!(done.tokens.1 <= 45, "{} tokens: {text}", done.tokens.1);
    let line = oracle::command_line(&done.case, &done.failure.bad[0]).expect("a command");
    assert!(line.contains(" -O2 -flto ") && line.contains("main.c other.c"), "{line}");
}

/// Two programs that show one bug in different surroundings.
const SHOWN: [&str; 2] = [
    "#include <stdio.h>\nunsigned x = 0x1233; int table[3] = {1, 2, 3};\n\
     int main(void) { unsigned long h = 5; for (int i = 0; i < 3; i++) h += table[i] ^ x;\n\
     printf(\"%lx\\n\", h); return 0; }\n",
    "#include <stdio.h>\nstruct s { int a; long b; } g = {7, -3};\n\
     static long f(long q) { return q ^ g.b; }\n\
     int main(void) { long r = f(9) - -4; if (~r) puts(\"x\"); printf(\"r=%ld\\n\", r); return 0; }\n",
];

#[test]
fn findings_of_one_bug_become_one_program() {
    let command = script("planted", "operator.sh");
    let failure = Failure {
        fault: Fault { kind: FailureKind::WrongOutput, known_by: String::new() },
        bad: vec![target(Family::Gcc, &command, &["-O2"])],
        right: vec![target(Family::Gcc, &command, &["-O0"])],
        baseline: None,
    };
    let reduced = SHOWN.map(|text| {
        let mut before = case(vec![file("a.c", text)], "");
        let shown = reduce::executed(&before, &[]).expect("it has a result");
        before.expected = Some(Expected { stdout: shown.stdout, status: shown.status });
        let done = reduce(&before, &failure, &order(), &|_| {}).expect("it is reduced");
        text_of(&done.case)
    });
    assert_eq!(reduced[0], reduced[1]);
    assert!(reduced[0].contains(" ^ "), "{}", reduced[0]);
}

#[test]
fn a_crash_stays_the_same_crash() {
    let command = script("faulty", "ice.sh");
    let before =
        case(vec![file("main.c", MAIN), file("other.c", OTHER)], "total 20\nmade 1 5020 7\n");
    let mut bad = target(Family::Gcc, &command, &["-O2"]);
    let ours = ["-ffp-contract=off", "-fsigned-char"].map(Into::into);
    Arc::get_mut(&mut bad.compiler).expect("one of its own").c.extend(ours);
    let scratch = Scratch::new().expect("a temporary folder");
    Lab::default().write(&before, scratch.path()).expect("it is written");
    let seen = Lab::default().observe(&before, scratch.path(), &bad).expect("no trouble").seen;
    let fault = seen.fault(&before).expect("it crashes");
    assert_eq!(fault.kind, FailureKind::CompilerCrash);
    let failure =
        Failure { fault: fault.clone(), bad: vec![bad.clone()], right: Vec::new(), baseline: None };
    let done = reduce(&before, &failure, &order(), &|_| {}).expect("it is reduced");
    // It crashes on everything: nothing is left.
    assert!(done.tokens.1 <= 8, "{}", text_of(&done.case));
    // Flags of ours that do not matter to it are gone.
    assert_eq!(done.failure.bad[0].compiler.c, [command.as_str()]);
    // Another crash is not it.
    let other = Failure { fault: Fault { known_by: "elsewhere".into(), ..fault }, ..failure };
    let not = reduce(&before, &other, &order(), &|_| {}).expect_err("it does not show");
    assert!(matches!(not, NotReduced::NotShown(_)), "{not}");
}

#[test]
fn a_program_without_an_answer_shows_no_wrong_code() {
    let undefined = "int main(void) { int x; return x; }";
    let failure = Failure {
        fault: Fault { kind: FailureKind::WrongOutput, known_by: String::new() },
        bad: vec![target(Family::Gcc, "gcc", &["-O2"])],
        right: Vec::new(),
        baseline: None,
    };
    let not = reduce(&case(vec![file("a.c", undefined)], ""), &failure, &order(), &|_| {});
    let not = not.expect_err("it cannot be used").to_string();
    assert!(not.starts_with("it has no defined result: "), "{not}");
}

/// A script in a folder, and a file beside it.
fn scripted(scratch: &Scratch, name: &str, text: &str, script: &str) -> (PathBuf, PathBuf) {
    let (file, path) = (scratch.file(name), scratch.file("interesting.sh"));
    fs::write(&file, text).expect("it is written");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("it is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is set");
    (file, path)
}

#[test]
fn a_script_is_never_asked_about_undefined_behaviour() {
    // The script would take a program that reads what was never written, or divides by zero.
    let scratch = Scratch::new().expect("a temporary folder");
    let source = "#include <stdio.h>\nint f(int n) { return n + 1; }\nint unused = 3;\n\
                  int main(void) { int x = 5, y = 0; y = f(x); if (y) x = 100 / x;\n\
                  printf(\"%d %d\\n\", x, y); return 0; }\n";
    let asks =
        "grep -q printf a.c && grep -q 'int .*;' a.c && gcc -w -O0 a.c -o p && ./p | grep -q .";
    let (file, script) = scripted(&scratch, "a.c", source, asks);
    let done = reduce_by_script(&file, &script, &[], &order(), &|_| {}).expect("it is reduced");
    assert_eq!(done.validity, Validity::Executed);
    assert!(!answer(&done.text).is_empty(), "{}", done.text);
    assert!(done.tokens.1 <= 30, "{}", done.text);
}

#[test]
fn what_is_not_c_is_reduced_as_text() {
    let scratch = Scratch::new().expect("a temporary folder");
    let source = "template <class T> T f(T x) { return x; }\nint main() { return f(0); }\nint g;\n";
    let (file, script) = scripted(&scratch, "a.cpp", source, "grep -q template a.cpp");
    let done = reduce_by_script(&file, &script, &[], &order(), &|_| {}).expect("it is reduced");
    assert!(matches!(done.validity, Validity::Text(_)), "{:?}", done.validity);
    assert_eq!(done.text.trim(), "template");
}

#[test]
fn mistakes_are_told() {
    let scratch = Scratch::new().expect("a temporary folder");
    let (file, script) = scripted(&scratch, "a.c", "int main(void) { return 0; }\n", "exit 1");
    let not = reduce_by_script(&file, &script, &[], &order(), &|_| {}).expect_err("it is dull");
    assert!(not.to_string().contains("the script does not exit with 0 on"), "{not}");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).expect("it is set");
    let not = reduce_by_script(&file, &script, &[], &order(), &|_| {}).expect_err("no script");
    assert!(not.to_string().contains("is it executable?"), "{not}");
}

#[test]
fn when_the_time_is_over_the_best_so_far_is_the_result() {
    let scratch = Scratch::new().expect("a temporary folder");
    let source = "#include <stdio.h>\nint a, b, c;\nint main(void) { a = 1; b = 2; c = 3;\n\
                  printf(\"%d\\n\", a); return 0; }\n";
    let (file, script) = scripted(&scratch, "a.c", source, "sleep 0.05; grep -q printf a.c");
    let order = ReduceOptions { time: Some(Duration::from_millis(400)), ..order() };
    let done = reduce_by_script(&file, &script, &[], &order, &|_| {}).expect("something is left");
    assert!(done.text.contains("printf"), "{}", done.text);
    assert!(done.took < Duration::from_secs(20));
    answer(&done.text);
}

#[test]
fn cvise_goes_on_behind_our_check() {
    if toolchain::on_path("cvise").is_none() {
        assert!(std::env::var_os("CI").is_none(), "set-up installs cvise");
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let source = "int unused;\nint main(void) { return 0; }\n";
    let (_, script) = scripted(&scratch, "a.c", source, "grep -q main a.c");
    // Stands for our own program: it takes what has a type before `main`.
    let machine = scratch.file("machine");
    fs::write(&machine, "#!/bin/sh\ngrep -q 'int main' a.c || exit 65\n").expect("it is written");
    fs::set_permissions(&machine, fs::Permissions::from_mode(0o755)).expect("it is set");
    let text = finish_with_cvise(source, "a.c", &script, &machine, &order()).expect("it ends");
    assert!(text.contains("int main") && !text.contains("unused"), "{text}");
    assert!(text.len() < source.len(), "{text}");
}

/// What is no C, and a function that operators are wrong in.
const CLASSES: &str = r#"#include <cstdio>
#include <vector>
template <class T> struct Box {
    T value;
    explicit Box(T v) : value(v) {}
    T get() const { return value; }
};
static int mixed(int &a, int b) {
    a = a ^ b;
    return a;
}
int main() {
    Box<int> box(9);
    int x = box.get();
    std::printf("%d\n", mixed(x, 5));
    for (auto v : std::vector<int>{1, 2})
        std::printf("v %d\n", v);
    return 0;
}
"#;

/// The reduction of a C++ program that a compiler is wrong about; `needs` must stand in what it is wrong about.
fn reduced_cxx(needs: &str) -> Option<reduce::Reduced> {
    let here = |name: &str| toolchain::on_path(name).is_some();
    if !here("g++") || !here("clang++-16") {
        assert!(std::env::var_os("CI").is_none(), "set-up installs g++ and clang++-16");
        return None;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let path = scratch.file("wrong.sh");
    let planted = script("planted", "operator.sh");
    let text =
        format!("#!/bin/sh\ngrep -qs '{needs}' *.cpp || exec g++ \"$@\"\nexec {planted} \"$@\"\n");
    fs::write(&path, text).expect("it is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is set");
    let cxx = |family, name: &str, command: &str, flags: &[&str]| {
        let mut target = target(family, command, flags);
        let compiler = Arc::get_mut(&mut target.compiler).expect("one of its own");
        compiler.name = name.into();
        compiler.cxx = Some(vec![command.into()]);
        target
    };
    let wrong = path.display().to_string();
    let failure = Failure {
        fault: Fault { kind: FailureKind::WrongOutput, known_by: String::new() },
        bad: vec![cxx(Family::Gcc, "wrong", &wrong, &["-O3", "-fwrapv"])],
        right: vec![
            cxx(Family::Gcc, "wrong", &wrong, &["-O1"]),
            cxx(Family::Clang, "clang", "clang++-16", &["-O0"]),
        ],
        baseline: None,
    };
    let before = case(vec![file("main.cpp", CLASSES)], "12\nv 1\nv 2\n");
    let before = Case { language: Language::Cxx, ..before };
    let done = reduce(&before, &failure, &order(), &|_| {}).expect("it is reduced");
    let text = text_of(&done.case);
    assert_eq!(done.failure.bad[0].flags, ["-O2"], "{text}");
    assert!(text.contains(" ^ ") && text.contains(needs), "{text}");
    let lab = Lab::default();
    lab.write(&done.case, scratch.path()).expect("it is written");
    let seen =
        |target: &Target| lab.observe(&done.case, scratch.path(), target).expect("no trouble");
    for command in ["g++", "clang++-16"] {
        for level in ["-O0", "-O2"] {
            let target = cxx(Family::Gcc, "right", command, &[level]);
            assert!(seen(&target).seen.is_right(&done.case), "{command} {level}: {text}");
        }
    }
    let kind = seen(&done.failure.bad[0]).seen.kind(&done.case);
    assert_eq!(kind, Some(FailureKind::WrongOutput), "{text}");
    Some(done)
}

#[test]
fn cxx_that_the_machine_cannot_follow_passes_the_checks_of_compilers() {
    let Some(done) = reduced_cxx("template") else { return };
    let text = text_of(&done.case);
    assert!(!done.executed, "{text}");
    assert!(done.tokens.1 <= 60, "{} tokens: {text}", done.tokens.1);
    for check in ["gcc", "clang"] {
        let named = |name: &String| name.contains(check) && name.contains("-fsanitize=");
        assert!(done.checked_by.iter().any(named), "{:?}", done.checked_by);
    }
}

#[test]
fn cxx_that_becomes_c_is_taken_over_by_the_machine() {
    let Some(done) = reduced_cxx("main") else { return };
    let text = text_of(&done.case);
    assert!(done.executed && !done.checked_by.is_empty(), "{text}");
    assert!(done.tokens.1 <= 40, "{} tokens: {text}", done.tokens.1);
}
