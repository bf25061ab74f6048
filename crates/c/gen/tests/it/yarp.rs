//! The `yarp` engine: every seed gives a program that is free of undefined behaviour, the same one
//! each time; policies do what they say.

use cgen::census::Census;
use cgen::policy::Policy;
use cgen::yarp::{Generated, Language, Options, generate};
use cmachine::{Exit, Hooks, MachineConfig, Outcome};
use ctree::{Abi, DataModel, Program};

fn options(policy: Policy, language: Language) -> Options {
    Options { policy, language, ..Options::default() }
}

fn all_options() -> [Options; 4] {
    [
        options(Policy::default(), Language::C),
        options(Policy::default(), Language::Cxx),
        options(Policy::paper(), Language::C),
        options(Policy::none(), Language::C),
    ]
}

fn program(seed: u64, options: &Options) -> Generated {
    generate(seed, options).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
}

#[test]
fn every_seed_gives_a_clean_program() {
    for options in all_options() {
        for seed in 1..=40 {
            let made = program(seed, &options);
            let report = cmachine::run(&made.program, &MachineConfig::default());
            assert_eq!(report.outcome, Outcome::Finished(Exit::Status(0)), "seed {seed}");
            assert_eq!(report.stdout, made.expected(), "seed {seed}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for options in all_options() {
        for seed in 1..=10 {
            for single in [true, false] {
                let files = |seed| program(seed, &options).files(single).expect("printable");
                assert_eq!(files(seed), files(seed), "seed {seed}");
                assert_ne!(files(seed), files(seed + 1000));
            }
        }
    }
}

#[test]
fn the_text_means_what_the_tree_means() {
    let experimental = Policy::parse("stmt.kind = { float = 8, vector = 12 }").expect("a policy");
    for policy in [Policy::default(), experimental] {
        for seed in 1..=25 {
            let made = program(seed, &options(policy.clone(), Language::C));
            let files = made.files(true).expect("printable");
            let mut read = Program::new(DataModel::X86_64_SYSV);
            cparse::parse_unit(&mut read, "test.c", &files[0].text).expect("our own text is C");
            let report = cmachine::run(&read, &MachineConfig::default());
            assert_eq!(report.stdout, made.expected(), "seed {seed}");
        }
    }
}

/// How many of so many programs do the same with each data model, as an answer for all of them has it.
fn shared(policy: &Policy, seeds: u64) -> [u64; 2] {
    [Abi::I386, Abi::Ilp32].map(|abi| {
        let is_shared = |seed: &u64| {
            let made = program(*seed, &options(policy.clone(), Language::C));
            let files = made.files(true).expect("printable");
            let mut read = Program::new(abi.model());
            if cparse::parse_unit(&mut read, "test.c", &files[0].text).is_err() {
                return false;
            }
            let report = cmachine::run(&read, &MachineConfig::default());
            assert!(!matches!(report.outcome, Outcome::Internal(_)), "seed {seed}: our bug");
            report.outcome == Outcome::Finished(Exit::Status(0)) && report.stdout == made.expected()
        };
        (1..=seeds).filter(is_shared).count() as u64
    })
}

#[test]
fn portable_programs_do_the_same_with_every_data_model() {
    let seeds = 60;
    let portable = shared(&Policy::portable(), seeds);
    eprintln!("of {seeds}: portable {portable:?}, default {:?}", shared(&Policy::default(), seeds));
    assert!(portable.iter().all(|count| count * 10 >= seeds * 9), "{portable:?} of {seeds}");
}

#[test]
fn each_test_has_a_line_of_its_own() {
    let made = program(3, &Options::default());
    let text = String::from_utf8_lossy(made.expected()).into_owned();
    let tests = made.functions.iter().map(|&f| made.program.name(made.program.func(f).name));
    let tests: Vec<String> = tests.filter(|n| n.starts_with("test_")).map(String::from).collect();
    assert_eq!(text.lines().count(), tests.len());
    for (line, test) in text.lines().zip(tests) {
        assert_eq!(line.split(' ').next(), Some(test.as_str()));
    }
}

#[test]
fn a_trace_adds_values_and_keeps_the_checksums() {
    let plain = program(5, &Options::default());
    let traced = program(5, &Options { trace: true, ..Options::default() });
    let text = String::from_utf8_lossy(traced.expected()).into_owned();
    let sums: Vec<&str> = text.lines().filter(|l| l.starts_with("test_")).collect();
    assert_eq!(sums.join("\n") + "\n", String::from_utf8_lossy(plain.expected()));
    assert!(text.lines().any(|l| l.starts_with("out_") && l.contains(" = ")), "{text}");
}

fn census(policy: &Policy, language: Language, seeds: u64) -> Census {
    let mut sum = Census::default();
    for seed in 1..=seeds {
        let hooks = Hooks { cover: true, ..Hooks::default() };
        let options = Options { hooks, ..options(policy.clone(), language) };
        let made = program(seed, &options);
        let profile = &made.repaired.report.profile;
        sum.add(&Census::of_functions(&made.program, profile, |f| made.functions.contains(&f)));
    }
    sum
}

#[test]
fn features_can_be_switched_off() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            "stmt.kind = { for = 0, array_walk = 0, reduction = 0, pointer_walk = 0 }",
            &[("loops", "for")],
        ),
        ("stmt.kind = { while = 0 }", &[("loops", "while")]),
        ("stmt.kind = { do = 0 }", &[("loops", "do")]),
        ("stmt.kind = { switch = 0, table = 0 }", &[("statements", "switch")]),
        ("stmt.kind = { goto = 0 }", &[("statements", "goto")]),
        ("loop.exit = 0", &[("statements", "continue")]),
        (
            "call.helpers = 0\nexpr.node = { builtin = 0 }\nstmt.kind = { memory = 0 }",
            &[("functions", "call")],
        ),
        ("types.bit_field = 0", &[("records", "bit-field read"), ("records", "bit-field write")]),
        ("types.unions = 0", &[("records", "union member")]),
        ("types.enums = 0", &[("values", "enum constant")]),
        ("data.volatile = 0", &[("values", "volatile read"), ("values", "volatile write")]),
        ("expr.node = { comma = 0 }", &[("operators", "comma")]),
    ];
    for (text, gone) in cases {
        let policy = Policy::parse(text).expect("a policy");
        let census = census(&policy, Language::C, 12);
        for (group, feature) in *gone {
            assert_eq!(census.count(group, feature).total(), 0, "{feature} with {text}");
        }
    }
}

#[test]
fn the_default_executes_every_feature() {
    let census = census(&Policy::default(), Language::C, 150);
    // Floating point and vectors have policies of their own.
    let experimental = ["floating constant", "floating operator", "vector operator"];
    let mut missing = census.missing();
    missing.retain(|feature| !experimental.contains(feature));
    assert!(missing.is_empty(), "{missing:?}");
    assert!(census.live_share() > 60.0, "{}", census.live_share());
}

#[test]
fn the_papers_subset_has_no_loops_calls_or_effects() {
    let census = census(&Policy::paper(), Language::C, 30);
    let gone = [
        ("loops", "for"),
        ("loops", "while"),
        ("loops", "do"),
        ("functions", "call"),
        ("statements", "switch"),
        ("statements", "goto"),
        ("assignments", "+="),
        ("assignments", "++x"),
        ("assignments", "x--"),
        ("records", "union member"),
        ("values", "enum constant"),
        ("values", "volatile read"),
        ("operators", "comma"),
        ("pointers", "pointer arithmetic"),
    ];
    for (group, feature) in gone {
        assert_eq!(census.count(group, feature).total(), 0, "{feature}");
    }
    for (group, feature) in
        [("statements", "if"), ("records", "bit-field read"), ("pointers", "dereference")]
    {
        assert!(census.count(group, feature).executed > 0, "{feature}");
    }
}

#[test]
fn experimental_kinds_are_there_when_asked_for() {
    let policy = Policy::parse("stmt.kind = { float = 20, vector = 30 }").expect("a policy");
    let census = census(&policy, Language::C, 20);
    assert!(census.count("operators", "floating operator").executed > 0);
    assert!(census.count("operators", "vector operator").executed > 0);
}
