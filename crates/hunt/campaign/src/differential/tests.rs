//! Compilers that do not end, and programs of theirs that do not: neither may eat a hunt.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use oracle::{Case, Expected, Limits};
use toolchain::{Compiler, Config, FlagFamily, FlagTable, on_path};

use super::*;
use crate::draw::TargetChoice;
use crate::predict::own_opinion;

/// Makes an endless program of what is not a probe, at -O1.
const ENDLESS: &str = "#!/bin/sh\ncase \" $* \" in\n\
    *\" -O1 \"*two.c*) exec gcc \"$@\" -Dmain=main_of_before -include \"${0%/*}/endless.h\" ;;\nesac\n\
    exec gcc \"$@\"\n";

/// Does not end on what is not a probe.
const SPINS: &str = "#!/bin/sh\ncase \" $* \" in *two.c*) while :; do :; done ;; esac\n\
    exec gcc \"$@\"\n";

/// Runs before `main`, and for ever.
const BEFORE: &str = "#undef main\nint main(void) { for (;;) ; }\n#define main main_of_before\n";

fn compiler(dir: &Path, script: &str) -> Vec<Arc<Compiler>> {
    let path = dir.join("wrong-cc");
    fs::write(&path, script).unwrap();
    fs::write(dir.join("endless.h"), BEFORE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let text = format!(
        "extras_per_test = 0\n[[compiler]]\nname = \"wrong\"\npath = {:?}\nfamily = \"gcc\"\n\
         levels = [\"-O0\", \"-O1\", \"-O2\"]\n",
        path.display().to_string()
    );
    let file = dir.join("gainsay.toml");
    fs::write(&file, text).unwrap();
    let config = Config::read(&file).unwrap();
    let names = ["wrong".to_string()];
    let survey = toolchain::survey(&config, &names, Language::C, &mut |_| {}).unwrap();
    assert_eq!(survey.compilers.len(), 1, "{:?}", survey.left_out);
    survey.compilers
}

/// What comes of a program of a few steps on a compiler.
fn tested(script: &str, limits: Limits) -> Option<Tested> {
    let there = on_path("gcc").is_some();
    assert!(there || std::env::var_os("CI").is_none(), "set-up installs gcc");
    if !there {
        return None;
    }
    let scratch = Scratch::new().unwrap();
    let lab = Lab { limits, ..Lab::default() };
    let bench = TestBench::new(lab, compiler(scratch.path(), script), 0);
    let case = Case {
        language: Language::C,
        files: vec![SourceFile {
            name: "two.c".into(),
            bytes: b"int main(void) { return 0; }\n".to_vec(),
        }],
        harness: None,
        standard: None,
        include: Vec::new(),
        expected: Some(Expected::default()),
        omitted: Default::default(),
    };
    let made = TestProgram::new(case, "a test".into(), own_opinion("two.c", 5), 1000).taking(5);
    let mut tested = Tested::new("test", 1);
    DifferentialTest::run(&bench, 1, &made, &mut tested, &mut |_| {}).unwrap();
    // What is seen is noted at once, and is there for who interrupts it.
    let [seen] = &bench.sightings("test", 1)[..] else { panic!("{:?}", tested.targets) };
    assert_eq!(seen.standing, Standing::Unconfirmed);
    bench.forget_sightings("test", 1);
    assert!(bench.interrupted().is_empty());
    Some(tested)
}

#[test]
fn a_program_that_does_not_end_is_not_waited_for_as_long_as_the_longest() {
    let Some(tested) = tested(ENDLESS, Limits::default()) else { return };
    let failed = TargetResult::Failed(FailureKind::RuntimeHang);
    let results: Vec<TargetResult> = tested.targets.iter().map(|(_, result)| *result).collect();
    assert_eq!(results, [TargetResult::Right, failed, TargetResult::Right]);
    // One second, and two to confirm it; not ten and twenty.
    let took = tested.cost.run + tested.cost.validate;
    assert!(took > Duration::from_millis(2500) && took < Duration::from_secs(6), "{took:?}");
}

#[test]
fn a_compiler_that_does_not_end_is_asked_once() {
    let limits = Limits { compile_cpu: Duration::from_secs(1), ..Limits::default() };
    let Some(tested) = tested(SPINS, limits) else { return };
    let failed = TargetResult::Failed(FailureKind::CompilerHang);
    let results: Vec<TargetResult> = tested.targets.iter().map(|(_, result)| *result).collect();
    assert_eq!(results, [failed, TargetResult::Unsupported, TargetResult::Unsupported]);
    let took = tested.cost.compile + tested.cost.validate;
    assert!(took < Duration::from_secs(6), "{took:?}");
}

/// Prints something else when it optimises what is not a probe.
const WRONG: &str = "#!/bin/sh\ncase \" $* \" in\n\
    *\" -E \"*) ;;\n*\" -O0 \"*) ;;\n*one.c*) set -- \"$@\" -DANSWER=2 ;;\nesac\nexec gcc \"$@\"\n";

/// What comes of a program that prints 1, by a machine that says `expected`, on targets that are drawn.
fn drawn(script: &str, expected: &str, with: impl Fn(&mut Compiler)) -> Option<Tested> {
    let there = on_path("gcc").is_some();
    assert!(there || std::env::var_os("CI").is_none(), "set-up installs gcc");
    if !there {
        return None;
    }
    let scratch = Scratch::new().unwrap();
    let mut compilers = compiler(scratch.path(), script);
    let mut own = (*compilers.remove(0)).clone();
    with(&mut own);
    let mut bench = TestBench::new(Lab::default(), vec![Arc::new(own)], 1);
    let targets = TargetChoice { extras_per_test: 1, targets_per_test: Some(2) };
    bench.targets = targets;
    let text = "#ifndef ANSWER\n#define ANSWER 1\n#endif\nint puts(const char *);\n\
                int main(void) { return puts(ANSWER == 1 ? \"1\" : \"2\") < 0; }\n";
    let case = Case {
        language: Language::C,
        files: vec![SourceFile { name: "one.c".into(), bytes: text.into() }],
        harness: None,
        standard: None,
        include: Vec::new(),
        expected: Some(Expected { stdout: expected.into(), status: 0 }),
        omitted: Default::default(),
    };
    // Without fuel nobody asks what the macro makes of the program.
    let mut made = TestProgram::new(case, "a test".into(), own_opinion("one.c", 5), 1000).taking(5);
    made.fuel = None;
    let mut tested = Tested::new("test", 1);
    let seen = super::test(&bench, 1, &made, &mut tested, &mut |_| {}).unwrap();
    assert!(!seen.is_empty());
    Some(tested)
}

fn draws(compiler: &mut Compiler) {
    compiler.levels = ["-O0", "-O2", "-O3"].map(String::from).into();
    compiler.drawn = FlagTable::of(compiler.family, false)
        .retain(|of, _| matches!(of, FlagFamily::Plain | FlagFamily::PassesOff));
}

#[test]
fn a_compiler_that_fails_is_asked_at_its_lowest_level() {
    let Some(tested) = drawn(WRONG, "1\n", draws) else { return };
    let [found] = &tested.findings[..] else { panic!("{tested:?}") };
    assert_eq!((found.kind, found.standing), (FailureKind::WrongOutput, Standing::Confirmed));
    assert_eq!(found.right(), ["wrong -O0"]);
    // The level alone fails as well, and is what the bug is known by.
    let words: Vec<&str> = found.signature.split(' ').collect();
    assert!(words.len() <= 4 && words[..2] == ["wrong-output", "wrong"], "{}", found.signature);
    assert!(words[2..].iter().all(|word| word.starts_with("-O")), "{}", found.signature);
    assert_eq!(tested.arms.len(), 2, "what was not drawn is on no account: {:?}", tested.arms);
}

/// A wrong answer of ours is wrong at every level.
#[test]
fn what_no_level_agrees_with_is_disputed() {
    let Some(tested) = drawn("#!/bin/sh\nexec gcc \"$@\"\n", "7\n", draws) else { return };
    let [found] = &tested.findings[..] else { panic!("{tested:?}") };
    assert_eq!((found.kind, found.standing), (FailureKind::WrongOutput, Standing::Disputed));
    assert!(found.right().is_empty() && found.targets().contains(&"wrong -O0".to_string()));
}

/// Right here and there is no witness for a compiler that is wrong without optimisation too.
#[test]
fn a_target_that_is_right_by_chance_is_no_witness() {
    let lucky = "#!/bin/sh\ncase \" $* \" in *\" -O3 \"*one.c*) set -- \"$@\" -DANSWER=2 ;; esac\n\
                 exec gcc \"$@\"\n";
    let all = |compiler: &mut Compiler| {
        compiler.levels = ["-O0", "-O2", "-O3"].map(String::from).into();
        compiler.extras = Vec::new();
    };
    let Some(tested) = drawn(lucky, "2\n", all) else { return };
    let [found] = &tested.findings[..] else { panic!("{tested:?}") };
    assert_eq!(found.standing, Standing::Disputed, "{found:?}");
}

#[test]
fn a_false_alarm_needs_a_sanitizer_that_calls_the_program_valid() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../tests/compilers/faulty/false-alarm.sh")
        .display()
        .to_string();
    let instrumented = |compiler: &mut Compiler| {
        compiler.c = vec![script.clone().into()];
        compiler.levels = vec!["-O0".into()];
        compiler.extras = vec!["-O2 -fsanitize=undefined -fno-sanitize-recover=all".into()];
    };
    let Some(tested) = drawn("#!/bin/sh\nexec gcc \"$@\"\n", "1\n", instrumented) else { return };
    let [found] = &tested.findings[..] else { panic!("{tested:?}") };
    assert_eq!(found.kind, FailureKind::SanitizerFalseAlarm);
    let is_valid = found.certificate.opinions.iter().skip(1).any(|o| o.says == Assessment::Valid);
    let standing = if is_valid { Standing::Confirmed } else { Standing::Disputed };
    assert_eq!(found.standing, standing, "{:?}", found.certificate);
    assert!(is_valid || std::env::var_os("CI").is_none(), "set-up installs sanitizers");
}

#[test]
fn a_failure_that_waits_brings_its_targets() {
    let scratch = Scratch::new().unwrap();
    if on_path("gcc").is_none() {
        assert!(std::env::var_os("CI").is_none(), "set-up installs gcc");
        return;
    }
    let mut own = (*compiler(scratch.path(), WRONG).remove(0)).clone();
    draws(&mut own);
    let mut bench = TestBench::new(Lab::default(), vec![Arc::new(own)], 0);
    let targets = TargetChoice { extras_per_test: 0, targets_per_test: Some(1) };
    bench.targets = targets;
    let label = "wrong -O2 -fno-dse -fno-gcse";
    let mut found = crate::store::tests::finding("s");
    found.subject = Subject::Program(ProgramSubject::named(
        FailureKind::WrongOutput,
        &["one.c"],
        &[("wrong", "-O2 -fno-dse -fno-gcse")],
        &[],
    ));
    let found = crate::record::Finding {
        id: 1,
        engine: "test".into(),
        seed: 9,
        found_at: 0,
        seen_before: 0,
        finding: found,
    };
    let labels = |seed| -> Vec<String> {
        let drawn = bench.draw_targets(&Tested::new("test", seed), seed);
        drawn.iter().map(|drawn| drawn.target.label()).collect()
    };
    let before = labels(9);
    bench.revisit(&found);
    assert_eq!(labels(9), [before, vec![label.to_string()]].concat());
    assert_eq!(labels(8).len(), 1);
}

/// What each target of a compiler for i386 did with a program that prints this on x86-64, and the findings.
fn on_i386(compiler: &str, text: &str, stdout: &str) -> Option<Tested> {
    let needed = ["i686-linux-gnu-gcc", "qemu-i386", "clang-16"];
    let there = needed.iter().all(|name| on_path(name).is_some());
    assert!(there || std::env::var_os("CI").is_none(), "set-up installs {needed:?}");
    if !there {
        return None;
    }
    let config = Config { levels: Some(vec!["-O0".into(), "-O2".into()]), ..Config::default() };
    let config = config.without_flags();
    let names = [compiler.to_string()];
    let survey = toolchain::survey(&config, &names, Language::C, &mut |_| {}).unwrap();
    let bench = TestBench::new(Lab::default(), survey.compilers, 0);
    let case = Case {
        language: Language::C,
        files: vec![SourceFile { name: "a.c".into(), bytes: text.into() }],
        harness: None,
        standard: None,
        include: Vec::new(),
        expected: Some(Expected { stdout: stdout.into(), status: 0 }),
        omitted: Default::default(),
    };
    let made = TestProgram::new(case, "a test".into(), own_opinion("a.c", 5), 1000);
    let mut tested = Tested::new("test", 1);
    test(&bench, 1, &made, &mut tested, &mut |_| {}).unwrap();
    assert!(tested.findings.is_empty(), "{:?}", tested.findings);
    assert_eq!(tested.targets.len(), 2, "{:?}", tested.targets);
    Some(tested)
}

/// A program is run where it does the same; where it is another one, nothing that it does is anybody's fault.
#[test]
fn a_program_for_another_data_model_is_no_finding() {
    let same =
        "int printf(const char *, ...);\nint main(void) { printf(\"%lld\\n\", 1LL << 40); }\n";
    let other = "int printf(const char *, ...);\nint main(void) { printf(\"%d\\n\", (int)sizeof(long)); }\n";
    let refused = "struct { long a : 40; } s;\nint main(void) { return s.a; }\n";
    let undefined = "int main(void) { return (int)(1l << 40); }\n";
    let wanted = [
        ("i686-linux-gnu-gcc", same, "1099511627776\n", TargetResult::Right),
        ("i686-linux-gnu-gcc", other, "8\n", TargetResult::Unsupported),
        ("i686-linux-gnu-gcc", refused, "", TargetResult::Unsupported),
        ("i686-linux-gnu-gcc", undefined, "", TargetResult::Unsupported),
        // Nothing runs there, and nothing is known of its headers or sizes.
        ("clang-16 --target=msp430-none-elf", refused, "", TargetResult::Unsupported),
    ];
    for (compiler, text, stdout, want) in wanted {
        let Some(tested) = on_i386(compiler, text, stdout) else { return };
        let results: Vec<TargetResult> = tested.targets.iter().map(|(_, result)| *result).collect();
        assert_eq!(results, [want; 2], "{compiler}: {text}");
    }
}
