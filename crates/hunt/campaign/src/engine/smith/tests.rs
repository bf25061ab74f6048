//! What becomes of seeds, and of detectors that object.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use cgen::smith::{Feature, Limit, SeedTuple};
use sandbox::Stop;
use toolchain::{Compiler, on_path};

use super::*;
use crate::engine::{Engine, ProgramEngine};
use crate::record::{Standing, TargetResult, Tested};

const SEEDS: std::ops::Range<u64> = 0..60;

fn bench(compilers: Vec<Arc<Compiler>>) -> TestBench {
    TestBench::new(Lab { limits: Limits::default(), stop: Stop::new() }, compilers, 0)
}

/// A compiler of GCC's family at two levels, if it is there; CI has it.
fn compiler(name: &str, command: PathBuf) -> Arc<Compiler> {
    Arc::new(Compiler {
        family: Family::Gcc,
        name: name.into(),
        version: "1".into(),
        triple: "x86_64-linux-gnu".into(),
        c: vec![command.into()],
        cxx: None,
        runner: Default::default(),
        abi: Some(toolchain::Abi::Lp64),
        levels: vec!["-O0".into(), "-O2".into()],
        extras: Vec::new(),
        drawn: Default::default(),
        lacks: Vec::new(),
        checks: None,
        root: None,
    })
}

fn gcc() -> Option<PathBuf> {
    let gcc = on_path("gcc");
    assert!(gcc.is_some() || std::env::var_os("CI").is_none(), "CI skips none");
    gcc
}

fn faulty(name: &str) -> Arc<Compiler> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/compilers/faulty");
    compiler(name, dir.join(format!("{name}.sh")))
}

/// Programs as they are drawn: one in three is undefined.
fn drawn() -> SmithOptions {
    SmithOptions { as_drawn: true, ..SmithOptions::default() }
}

fn made(smith: &Smith, seed: u64) -> Result<TestProgram, Unusable> {
    let bench = bench(Vec::new());
    let dir = bench.folder().expect("a temporary folder");
    smith.make(seed, dir.path(), &bench, &mut Cost::default()).expect("no trouble")
}

fn tested(options: SmithOptions, seed: u64, compiler: Arc<Compiler>) -> Tested {
    ProgramEngine(Smith::new(options)).test(seed, &bench(vec![compiler])).expect("no trouble")
}

#[test]
fn other_tests_have_other_names() {
    let name = |options: SmithOptions| Smith::new(options).name().to_string();
    assert_eq!(name(SmithOptions::default()), "smith");
    let none = Bounds::parse(Bounds::NONE).expect("bounds");
    let crash = Bounds::parse(Bounds::CRASH).expect("bounds");
    let of = |bounds: &Bounds| name(SmithOptions { bounds: bounds.clone(), ..Default::default() });
    assert!(of(&none).starts_with("smith-") && of(&none) != of(&crash));
    let mut features = Features::default();
    features.set(Feature::Unions, false);
    let with = |features: &Features| {
        name(SmithOptions { features: features.clone(), ..Default::default() })
    };
    let no_unions = with(&features);
    features.set_limit(Limit::Funcs, 2);
    assert!(no_unions.starts_with("smith-with-") && no_unions != with(&features));
    let all = SmithOptions {
        keep_checks: true,
        as_drawn: true,
        eager: true,
        validate: Validate::External,
        ..SmithOptions::default()
    };
    assert_eq!(name(all), "smith-checked-drawn-eager-external");
}

#[test]
fn a_program_has_an_answer_or_a_reason() {
    let smith = Smith::new(drawn());
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in SEEDS {
        let end = match made(&smith, seed) {
            Ok(TestProgram { case, unanswered: None, own, origin, .. }) => {
                assert!(case.expected.is_some() && own.says == Assessment::Valid, "{seed}");
                let tuple = origin
                    .strip_prefix("gainsay gen --engine smith --seed-tuple ")
                    .expect("a command");
                let tuple = tuple.strip_suffix(" --relax-arith -o test.c").expect("a command");
                assert_eq!(tuple.parse(), Ok(Bounds::default().draw(seed)));
                "answered"
            }
            Ok(TestProgram { case, unanswered: Some(why), own, checks, .. }) => {
                assert!(
                    why.starts_with("undefined: ") || why.starts_with("unspecified: "),
                    "{why}"
                );
                assert!(case.expected.is_none() && matches!(own.says, Assessment::Undefined(_)));
                assert_eq!(checks, Checks::default());
                "unanswered"
            }
            Err(why) => {
                assert_eq!(why.reason, "runs too long", "{seed}: {}", why.detail);
                "skipped"
            }
        };
        *ends.entry(end).or_default() += 1;
    }
    let many = |end| ends.get(end).copied().unwrap_or(0);
    assert!(many("answered") > 10 && many("unanswered") > 5 && many("skipped") < 20, "{ends:?}");
}

#[test]
fn most_programs_have_relaxations_reverted() {
    let smith = Smith::new(SmithOptions::default());
    let mut reverted = 0;
    for seed in SEEDS {
        let Ok(made) = made(&smith, seed) else { continue };
        assert_eq!(made.origin.contains(" --revert "), seed % 4 != 3, "{seed}");
        reverted += usize::from(seed % 4 != 3 && made.case.expected.is_some());
    }
    assert!(reverted > 35, "{reverted}");
}

/// Seeds of a program with an answer, and of one without.
fn seeds() -> (u64, u64) {
    let smith = Smith::new(drawn());
    let find = |answered: bool| {
        let wanted = |seed: &u64| {
            made(&smith, *seed).is_ok_and(|made| made.case.expected.is_some() == answered)
        };
        let mut all = SEEDS;
        all.find(wanted).expect("there are both")
    };
    (find(true), find(false))
}

#[test]
fn undefined_programs_test_compilers_only() {
    if gcc().is_none() {
        return;
    }
    let (answered, unanswered) = seeds();
    let test = |seed, name: &str| tested(drawn(), seed, faulty(name));
    let ice = test(unanswered, "ice");
    assert!(ice.unanswered.is_some());
    assert_eq!((ice.findings.len(), ice.cost.run), (1, Duration::ZERO));
    let finding = &ice.findings[0];
    assert_eq!((finding.kind, finding.standing), (FailureKind::CompilerCrash, Standing::Confirmed));
    assert!(finding.artifacts.iter().all(|file| file.name != "expected"));
    for (harmless, word) in
        [("program-crashes", TargetResult::Right), ("rejects", TargetResult::Unsupported)]
    {
        let tested = test(unanswered, harmless);
        assert!(tested.findings.is_empty(), "{harmless}: {:?}", tested.findings);
        let words: Vec<TargetResult> = tested.targets.iter().map(|(_, word)| *word).collect();
        assert_eq!(words, [TargetResult::Right, word], "{harmless}");
    }
    let wrong = test(answered, "program-crashes");
    assert_eq!(wrong.findings[0].kind, FailureKind::RuntimeCrash);
    assert!(wrong.unanswered.is_none());
}

#[test]
fn checks_go_or_stay() {
    let keep = Smith::new(SmithOptions { keep_checks: true, ..drawn() });
    let strip = Smith::new(drawn());
    let mut removed = 0;
    for seed in SEEDS {
        let (Ok(with), Ok(without)) = (made(&keep, seed), made(&strip, seed)) else { continue };
        assert_eq!((with.checks.all, with.checks.removed), (without.checks.all, 0), "{seed}");
        assert_eq!(with.case.expected, without.case.expected, "{seed}");
        assert!(!with.origin.contains("--relax-arith"));
        removed += without.checks.removed;
    }
    assert!(removed > 0);
}

#[test]
fn relaxations_call_for_the_detectors_of_table_1() {
    use Detector::{Address, Eva, Memory, Undefined};
    let asked = |tuple: &str| -> Vec<Detector> {
        let tuple: SeedTuple = tuple.parse().expect("a tuple");
        let all: std::collections::BTreeSet<Detector> =
            tuple.enabled().flat_map(detectors).copied().collect();
        all.into_iter().collect()
    };
    assert_eq!(asked("1,0,1,0,0,0,0,0,0"), [Undefined]);
    assert_eq!(asked("1,0,1,1,0,0,0,0,0"), [Address, Undefined, Eva]);
    assert_eq!(asked("1,0,0,0,1,0,0,0,0"), [Memory, Eva]);
    assert_eq!(asked("1,0,0,0,0,1,0,0,0"), [Address, Memory, Eva]);
    assert_eq!(asked("1,0,0,0,0,0,1,0,0"), [Address, Memory, Undefined, Eva]);
    assert!(asked("1,0,0,0,0,0,0,1,1").is_empty());
    let eager = Smith::new(SmithOptions { eager: true, ..SmithOptions::default() });
    let lazy = Smith::new(SmithOptions::default());
    let all = || SEEDS;
    assert!(all().filter_map(|seed| made(&lazy, seed).ok()).all(|made| made.first.is_empty()));
    assert!(all().filter_map(|seed| made(&eager, seed).ok()).any(|made| !made.first.is_empty()));
}

#[test]
fn an_unoptimised_build_says_what_must_be_printed() {
    let Some(gcc) = gcc() else { return };
    let external =
        Smith::new(SmithOptions { validate: Validate::External, ..SmithOptions::default() });
    let keep = Smith::new(SmithOptions { keep_checks: true, ..drawn() });
    let bench = bench(vec![compiler("gcc", gcc)]);
    let dir = bench.folder().expect("a temporary folder");
    let mut agreed = 0;
    for seed in 0..12 {
        let mut cost = Cost::default();
        let built = external.make(seed, dir.path(), &bench, &mut cost).expect("no trouble");
        assert!(!cost.validate.is_zero());
        let (Ok(built), Ok(executed)) = (built, made(&keep, seed)) else { continue };
        assert_eq!(built.fuel, None, "the machine is not asked");
        if executed.case.expected.is_some() {
            assert_eq!(built.case.expected, executed.case.expected, "{seed}");
            agreed += 1;
        }
    }
    assert!(agreed > 0);
}
