//! The oracle is shown to fail: compilers with a fault each, all of which must be seen for what
//! they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use oracle::{
    Behaviour, Case, Confirmation, Expected, FailureKind, Lab, Limits, Observation, Readiness,
    SourceFile, TargetProbes, Trouble, agreement, classes, judge,
};
use sandbox::{Run, Scratch, Stop};
use toolchain::{Compiler, Family, Language, Target};

const SOURCE: &str = r#"#include <stdio.h>
#include "mix.h"
int main(void)
{
    unsigned x = 7;
    for (int i = 0; i < 100; i++)
        x = mix(x, i);
    printf("start 1\nmix %x\n", x);
    return 0;
}
"#;

const MIX: &str = r#"#include "mix.h"
unsigned mix(unsigned a, unsigned b)
{
    return ((a ^ b) & 0xfffff) * (a + b) ^ a >> 3;
}
"#;

/// What mix must give, computed by its definition.
fn expected() -> String {
    let mix = |a: u32, b: u32| ((a ^ b) & 0xfffff).wrapping_mul(a.wrapping_add(b)) ^ (a >> 3);
    format!("start 1\nmix {:x}\n", (0..100).fold(7, mix))
}

fn case() -> Case {
    let file = |name: &str, text: &str| SourceFile { name: name.into(), bytes: text.into() };
    Case {
        language: Language::C,
        harness: None,
        standard: None,
        files: vec![
            file("driver.c", SOURCE),
            file("mix.c", MIX),
            file("mix.h", "unsigned mix(unsigned a, unsigned b);\n"),
        ],
        include: Vec::new(),
        expected: Some(Expected { stdout: expected().into(), status: 0 }),
        omitted: Default::default(),
    }
}

/// Small enough for the tests to take seconds, large enough for gcc on a busy machine.
fn lab() -> Lab {
    let limits = Limits {
        compile_cpu: Duration::from_secs(2),
        compile_wall: Duration::from_secs(20),
        run_cpu: Duration::from_secs(1),
        run_wall: Duration::from_secs(4),
        memory: 512 << 20,
        file_size: 8 << 20,
        processes: 40,
        folder: 16 << 20,
    };
    Lab { limits, stop: Stop::new() }
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/compilers/faulty")
}

fn target(name: &str, command: &[&Path], flags: &str) -> Target {
    let compiler = Compiler {
        family: Family::Gcc,
        name: name.into(),
        version: "1".into(),
        triple: "x86_64-linux-gnu".into(),
        c: command.iter().map(|word| word.into()).collect(),
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
    Target { compiler: Arc::new(compiler), flags: vec![flags.into()] }
}

fn faulty(name: &str, level: &str) -> Target {
    target(name, &[&scripts().join(format!("{name}.sh"))], level)
}

/// Whether there is a gcc to make faulty; CI has one.
fn gcc() -> bool {
    let found =
        Run::new("gcc", Duration::from_secs(60)).arg("--version").finish().success().is_some();
    assert!(found || std::env::var_os("CI").is_none(), "set-up installs gcc: CI skips none");
    found
}

fn observe(lab: &Lab, target: &Target) -> (Scratch, Result<Observation, Trouble>) {
    let scratch = Scratch::new().expect("a temporary folder");
    lab.write(&case(), scratch.path()).expect("the files are written");
    let seen = lab.observe(&case(), scratch.path(), target);
    (scratch, seen)
}

/// Names of what is in a folder.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a folder").flatten();
    let mut names: Vec<_> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What a fault is seen as at -O2; at -O0 the same script must be right.
#[track_caller]
fn check(name: &str, kind: Option<FailureKind>, signature: &str) {
    if gcc() {
        check_in(&lab(), name, kind, signature);
    }
}

#[track_caller]
fn check_in(lab: &Lab, name: &str, kind: Option<FailureKind>, signature: &str) {
    let target = faulty(name, "-O2");
    let (dir, seen) = observe(lab, &target);
    let seen = seen.expect("an observation");
    assert_eq!(seen.seen.kind(&case()), kind, "{:?}", seen.seen);
    assert_eq!(names(dir.path()), ["driver.c", "mix.c", "mix.h"], "it cleans up");
    let suspicions = judge(&case(), &[target], &[seen]);
    assert_eq!(suspicions.len(), usize::from(kind.is_some()));
    if let Some(suspicion) = suspicions.first() {
        assert_eq!(suspicion.signature, signature);
        assert_eq!(suspicion.targets, [format!("{name} -O2")]);
    }
    let innocent = observe(lab, &faulty(name, "-O0")).1.expect("an observation");
    assert!(innocent.seen.is_right(&case()), "{:?}", innocent.seen);
}

#[test]
fn miscompilation() {
    check("miscompile", Some(FailureKind::WrongOutput), "wrong-output miscompile -O2");
}

#[test]
fn internal_error() {
    check(
        "ice",
        Some(FailureKind::CompilerCrash),
        "compiler-crash gcc in break_it, at faulty.cc:42",
    );
}

#[test]
fn death_by_signal() {
    check("segv", Some(FailureKind::CompilerCrash), "compiler-crash segv -O2 SIGSEGV");
}

#[test]
fn a_kill_from_outside_is_nobodys_fault() {
    check("killed", None, "");
}

/// A linker or an assembler that dies is not the compiler, whether the driver says what died or not.
#[test]
fn only_the_compilers_own_step_is_blamed() {
    for name in ["linker-dies", "linker-unnamed", "assembler-dies"] {
        check(name, None, "");
    }
    let signature = "rejection gcc operand type mismatch for `mov'";
    check("assembler-rejects", Some(FailureKind::Rejection), signature);
    check(
        "compiler-unnamed",
        Some(FailureKind::CompilerCrash),
        "compiler-crash compiler-unnamed -O2 SIGSEGV",
    );
}

/// What is nobody's bug in a reduction and a comparison of versions must be said as well.
#[test]
fn a_dead_linker_is_named() {
    if gcc() {
        let seen = observe(&lab(), &faulty("linker-dies", "-O2")).1.expect("an observation").seen;
        let Behaviour::Unsupported(why) = seen else { panic!("{seen:?}") };
        assert!(why.starts_with("the linker died, not the compiler\n"), "{why}");
        assert!(why.contains("ld terminated with signal 11"), "{why}");
    }
}

/// Where a linker runs the compiler's optimiser, its death is the compiler's, unless it dies without as well.
#[test]
fn an_optimising_linker_is_the_compiler() {
    let seen = |name: &str| {
        let mut target = faulty(name, "-O2");
        let mut compiler = (*target.compiler).clone();
        compiler.family = Family::Clang;
        target.compiler = Arc::new(compiler);
        target.flags.push("-flto".into());
        observe(&lab(), &target).1.expect("an observation").seen.kind(&case())
    };
    if gcc() {
        assert_eq!(seen("lto-dies"), Some(FailureKind::CompilerCrash));
        assert_eq!(seen("linker-dies"), None);
    }
}

/// A sanitizer that cannot start is no crash of the program, and one of the compiler under test can.
#[test]
fn sanitizers() {
    check("no-shadow", None, "");
    let mut target = target("gcc", &[Path::new("gcc")], "-O1");
    target.flags.push("-fsanitize=address".into());
    if gcc() {
        let seen = observe(&lab(), &target).1.expect("an observation").seen;
        assert!(seen.is_right(&case()), "our memory limit is not for its shadow: {seen:?}");
    }
}

/// A target that fails because of its flags or its runner fails its probe as well; one with a bug of its own
/// does not.
#[test]
fn probes_tell_targets_from_bugs() {
    if !gcc() {
        return;
    }
    let probes = TargetProbes::default();
    let ask = |target: &Target| probes.ask(&lab(), Language::C, target).expect("an answer");
    let left_out = |target: &Target, words: &str| match ask(target) {
        Readiness::LeftOut(why) => assert!(why.contains(words), "{why}"),
        other => panic!("{}: {other:?}", target.label()),
    };
    let mut emulated = faulty("extension", "-O2");
    let mut compiler = (*emulated.compiler).clone();
    compiler.runner = toolchain::Runner::of_words(vec![scripts().join("runner").into()]);
    emulated.compiler = Arc::new(compiler);
    let seen = observe(&lab(), &emulated).1.expect("an observation").seen;
    assert_eq!(seen.kind(&case()), Some(FailureKind::RuntimeCrash), "{seen:?}");
    left_out(&emulated, "runner lacks an instruction");
    left_out(&faulty("refuses-level", "-O2"), "unrecognized command-line option '-O2'");
    left_out(&faulty("linker-dies", "-O2"), "the linker died");
    left_out(&faulty("no-shadow", "-O2"), "AddressSanitizer failed to allocate");
    left_out(&target("gcc", &[Path::new("gcc")], "-march=nope"), "-march=");
    assert_eq!(probes.take_notices().len(), 5);
    for name in ["extension", "refuses-level", "linker-dies", "no-shadow"] {
        assert_eq!(ask(&faulty(name, "-O0")), Readiness::Ready, "{name} -O0");
    }
    for name in ["miscompile", "program-crashes", "program-hangs", "rejects", "garbage-fails"] {
        assert_eq!(ask(&faulty(name, "-O2")), Readiness::Ready, "{name} -O2");
    }
    assert_eq!(probes.take_notices(), [""; 0]);
    assert!(
        matches!(ask(&faulty("ice", "-O2")), Readiness::Breaks(how) if how.contains("crashes"))
    );
    assert_eq!(probes.known(Language::C, &faulty("ice", "-O2")), Some(ask(&faulty("ice", "-O2"))));
    assert_eq!(probes.known(Language::C, &faulty("segv", "-O2")), None);
    assert_eq!(probes.take_notices().len(), 1);
}

#[test]
fn hangs() {
    check("spins", Some(FailureKind::CompilerHang), "compiler-hang spins -O2");
}

#[test]
fn by_the_clock_sleepers_and_talkers_hang() {
    if !gcc() {
        return;
    }
    let mut lab = lab();
    lab.limits.compile_wall = Duration::from_secs(1);
    for name in ["sleeps", "garbage-endless"] {
        let (_dir, seen) = observe(&lab, &faulty(name, "-O2"));
        assert_eq!(seen.expect("an observation").seen, Behaviour::CompilerHung, "{name}");
    }
}

#[test]
fn exhaustion() {
    if !gcc() {
        return;
    }
    // Memory runs out before time does.
    let mut patient = lab();
    patient.limits.compile_cpu = Duration::from_secs(60);
    patient.limits.compile_wall = Duration::from_secs(180);
    check_in(&patient, "memory", Some(FailureKind::CompilerMemory), "compiler-memory memory -O2");
    check("forks", Some(FailureKind::CompilerMemory), "compiler-memory forks -O2");
    check("big-file", Some(FailureKind::CompilerMemory), "compiler-memory big-file -O2");
    check("many-files", Some(FailureKind::CompilerMemory), "compiler-memory many-files -O2");
}

#[test]
fn garbage() {
    check("garbage-works", None, "");
    if !gcc() {
        return;
    }
    let (_dir, seen) = observe(&lab(), &faulty("garbage-fails", "-O2"));
    assert!(matches!(seen.expect("an observation").seen, Behaviour::Rejected(_)));
}

#[test]
fn success_without_a_program() {
    let told = "compiler-crash gcc exit status 0, but";
    check("nothing", Some(FailureKind::CompilerCrash), &format!("{told} there is no executable"));
    check(
        "no-program",
        Some(FailureKind::CompilerCrash),
        &format!("{told} its executable is not one"),
    );
}

#[test]
fn rejection() {
    check("rejects", Some(FailureKind::Rejection), "rejection gcc expected ';' before 'int'");
}

#[test]
fn programs_that_misbehave() {
    check("program-hangs", Some(FailureKind::RuntimeHang), "runtime-hang program-hangs -O2");
    check("program-crashes", Some(FailureKind::RuntimeCrash), "runtime-crash program-crashes -O2");
    check("program-prints", Some(FailureKind::RuntimeHang), "runtime-hang program-prints -O2");
}

#[test]
fn a_program_cannot_write_outside_its_folder() {
    // Without confinement it prints one line more.
    check("program-writes", None, "");
}

#[test]
fn a_full_disk_is_our_trouble() {
    if gcc() {
        let (_dir, seen) = observe(&lab(), &faulty("full-disk", "-O2"));
        assert!(matches!(seen, Err(Trouble::DiskFull(told)) if told.contains("final link")));
    }
}

#[test]
fn children_do_not_outlive_their_compiler() {
    if !gcc() {
        return;
    }
    let (dir, seen) = observe(&lab(), &faulty("children", "-O2"));
    assert!(seen.expect("an observation").seen.is_right(&case()));
    let inside = |entry: fs::DirEntry| {
        fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(dir.path()))
    };
    let left = fs::read_dir("/proc").expect("processes").flatten().filter_map(|entry| {
        let name = entry.file_name();
        inside(entry).then_some(name)
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_stop_ends_it() {
    if gcc() {
        let lab = lab();
        lab.stop.set();
        let (_dir, seen) = observe(&lab, &faulty("sleeps", "-O2"));
        assert_eq!(seen.err(), Some(Trouble::Stopped));
    }
}

#[test]
fn what_a_compiler_lacks_excuses_it() {
    if !gcc() {
        return;
    }
    for (script, excused) in [("rejects", true), ("miscompile", true), ("ice", false)] {
        let target = faulty(script, "-O2");
        // The program has this word.
        let compiler = Compiler { lacks: vec!["unsigned"], ..(*target.compiler).clone() };
        let target = Target { compiler: Arc::new(compiler), ..target };
        let (_dir, seen) = observe(&lab(), &target);
        let seen = seen.expect("an observation").seen;
        assert_eq!(matches!(seen, Behaviour::Unsupported(_)), excused, "{script}: {seen:?}");
    }
}

#[test]
fn failures_are_confirmed_and_chance_is_not() {
    if !gcc() {
        return;
    }
    let lab = lab();
    for name in ["miscompile", "ice", "spins", "program-hangs", "memory"] {
        let target = faulty(name, "-O2");
        let (dir, first) = observe(&lab, &target);
        let first = first.expect("an observation");
        // A compiler that spoils the sources is to fail on the sources as they were.
        fs::write(dir.path().join("mix.c"), "spoilt").expect("written");
        let again = lab.confirm(&case(), dir.path(), &target, &first).expect("a second try");
        assert!(matches!(again, Confirmation::Same(_)), "{name}: {again:?}");
    }
    // It counts beside itself: not in the source folder.
    let own = Scratch::new().expect("a temporary folder");
    for name in ["flaky.sh", "common"] {
        fs::copy(scripts().join(name), own.file(name)).expect("copied");
    }
    let target = target("flaky", &[Path::new("sh"), &own.file("flaky.sh")], "-O2");
    let (dir, first) = observe(&lab, &target);
    let first = first.expect("an observation");
    assert_eq!(first.seen.kind(&case()), Some(FailureKind::WrongOutput), "{:?}", first.seen);
    let again = lab.confirm(&case(), dir.path(), &target, &first).expect("a second try");
    assert!(matches!(again, Confirmation::Flaky(second) if second.seen.is_right(&case())));
}

/// gcc and a faulty compiler side by side: who is right, who is not, in which classes.
#[test]
fn the_whole_matrix() {
    if !gcc() {
        return;
    }
    let lab = lab();
    let mut targets = vec![target("gcc", &[Path::new("gcc")], "-O2")];
    targets.extend(["-O0", "-O2", "-O3"].map(|level| faulty("miscompile", level)));
    let dir = Scratch::new().expect("a temporary folder");
    lab.write(&case(), dir.path()).expect("the files are written");
    let observe = |target: &Target| lab.observe(&case(), dir.path(), target).expect("seen");
    let seen: Vec<Observation> = targets.iter().map(observe).collect();
    let suspicions = judge(&case(), &targets, &seen);
    assert_eq!(suspicions.len(), 1);
    assert_eq!(suspicions[0].targets, ["miscompile -O2", "miscompile -O3"]);
    assert_eq!(suspicions[0].signature, "wrong-output miscompile -O2 -O3");
    let mix = expected().lines().nth(1).map(String::from).unwrap_or_default();
    let summary = &suspicions[0].summary;
    assert!(
        summary.starts_with("prints \"mix ")
            && summary.contains(&format!("expected \"{mix}\" (line 2)")),
        "{summary}"
    );
    assert_eq!(agreement(&case(), &targets, &seen).right, ["gcc -O2", "miscompile -O0"]);
    let classes = classes(&case(), &seen);
    assert!(classes[0].right && classes[1..].iter().all(|class| !class.right), "{classes:?}");
    assert!(seen.iter().all(|seen| seen.compile > Duration::ZERO));
}

/// Of a program without an answer a compiler can still die, hang or eat all memory, and nothing else:
/// it is never run, and may be rejected.
#[test]
fn without_an_answer_only_compilers_fail() {
    if !gcc() {
        return;
    }
    let case = Case { expected: None, ..case() };
    let lab = lab();
    let see = |name: &str, level: &str| {
        let scratch = Scratch::new().expect("a temporary folder");
        lab.write(&case, scratch.path()).expect("the files are written");
        let target = faulty(name, level);
        let seen = lab.observe(&case, scratch.path(), &target).expect("an observation");
        (scratch, target, seen)
    };
    for (name, kind) in [
        ("segv", Some(FailureKind::CompilerCrash)),
        ("ice", Some(FailureKind::CompilerCrash)),
        ("spins", Some(FailureKind::CompilerHang)),
        ("forks", Some(FailureKind::CompilerMemory)),
        ("nothing", Some(FailureKind::CompilerCrash)),
        // That it is no program shows only when it is started.
        ("no-program", None),
        ("rejects", None),
        ("program-prints", None),
        ("program-crashes", None),
        ("program-hangs", None),
        ("miscompile", None),
    ] {
        let (dir, target, seen) = see(name, "-O2");
        assert_eq!(seen.seen.kind(&case), kind, "{name}: {:?}", seen.seen);
        assert_eq!(seen.run, Duration::ZERO, "{name} is not run");
        let right = agreement(&case, std::slice::from_ref(&target), std::slice::from_ref(&seen));
        assert_eq!(right.right.len(), usize::from(kind.is_none() && name != "rejects"), "{name}");
        let suspicions = judge(&case, std::slice::from_ref(&target), std::slice::from_ref(&seen));
        assert_eq!(suspicions.first().map(|s| s.kind), kind);
        // A hang would be given twice the time.
        if name == "ice" {
            let again = lab.confirm(&case, dir.path(), &target, &seen).expect("a second try");
            assert!(matches!(again, Confirmation::Same(_)));
        }
        assert_eq!(see(name, "-O0").2.seen, Behaviour::Compiled, "{name} -O0");
    }
}

/// A sanitizer that stops a correct program is seen as such, and not where the target has none.
#[test]
fn false_alarm_of_a_sanitizer() {
    if !gcc() {
        return;
    }
    let flags = ["-O2", "-fsanitize=undefined", "-fno-sanitize-recover=all"].map(String::from);
    let instrumented = Target { flags: flags.into(), ..faulty("false-alarm", "-O2") };
    let (_scratch, seen) = observe(&lab(), &instrumented);
    let seen = seen.expect("it is observed").seen;
    let fault = seen.fault(&case()).expect("a fault");
    assert_eq!(fault.kind, FailureKind::SanitizerFalseAlarm, "{seen:?}");
    assert_eq!(fault.known_by, "signed integer overflow:");
    let (_scratch, seen) = observe(&lab(), &faulty("false-alarm", "-O2"));
    assert!(seen.expect("it is observed").seen.is_right(&case()));
}

/// A target with a profile builds twice, and what it needs lies in no other's way.
#[test]
fn a_profile_is_made_and_used() {
    if !gcc() {
        return;
    }
    let flags = ["-O2", "-fprofile-use", "-Werror=missing-profile"].map(String::from);
    let profiled = Target { flags: flags.into(), ..target("gcc", &[Path::new("gcc")], "-O2") };
    let (scratch, seen) = observe(&lab(), &profiled);
    let seen = seen.expect("it is observed").seen;
    assert!(seen.is_right(&case()), "{seen:?}");
    let left = names(scratch.path());
    assert!(
        left.iter().all(|name| !name.ends_with(".gcda") && !name.starts_with("work")),
        "{left:?}"
    );
    // A program without an answer is not run, and so has none.
    let unanswered = Case { expected: None, ..case() };
    let seen = lab().observe(&unanswered, scratch.path(), &profiled).expect("it is observed").seen;
    assert!(matches!(seen, Behaviour::Rejected(_) | Behaviour::Compiled), "{seen:?}");
}
