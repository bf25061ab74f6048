//! The two examples of CTOS (Figure 1) and its five types of bugs, on LLVMs with faults that are planted.
//!
//! This file is its own harness: with the argument `serve` it is a server, a [`faulty`] one.

#[path = "figures/faulty.rs"]
mod faulty;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use choice::Choices;
use faulty::{Faulty, planted};
use libtest_mimic::Arguments;
use llvmhost::{
    Allowance, Executed, ExecutionEnd, Fault, Installed, Limits, Program, Server, Setup, Signature,
};
use optimise::verdict::CODE_GENERATOR;
use passes::exclusion::{Excluded, Exclusions};
use passes::inventory::{Inventory, List};
use passes::sequence::{Draw, Sequence};
use passes::trial::{Attempt, ExpectedRun, SequenceOutcome, ShortenOptions, Trial};
use sandbox::{Run, Scratch};

/// Those that set-up installs everywhere.
const REQUIRED: [u32; 2] = [16, 22];

/// Newest first; none is newer than the oldest library.
const CLANGS: [&str; 3] = ["clang-16", "clang-15", "clang-14"];

/// Random sequences for each fault that is reduced.
const SEEDS: u64 = 3;

/// A name and what is done with a library.
type Test = (&'static str, fn(&Stand));

const TESTS: [Test; 7] = [
    ("figure_1a", figure_1a),
    ("figure_1b", figure_1b),
    ("five_types", five_types),
    ("verified_after_each", verified_after_each),
    ("behind_the_wall", run_past_crashes),
    ("stopped_on_the_way", stopped_on_the_way),
    ("what_is_known_is_not_drawn", what_is_known_is_not_drawn),
];

fn main() {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return llvmhost::serve(Faulty::new).expect("a server");
    }
    let trial = |major: u32| {
        libtest_mimic::Trial::test(format!("llvm_{major}"), move || {
            all_tests(major);
            Ok(())
        })
    };
    libtest_mimic::run(&Arguments::from_args(), REQUIRED.map(trial).into()).exit();
}

/// All tests with one library: its inventory takes a while to make.
fn all_tests(major: u32) {
    let in_ci = std::env::var_os("CI").is_some();
    let programs = [include_str!("figures/1a.c"), include_str!("figures/1b.c")].map(bitcode);
    let [Some(figure_1a), Some(figure_1b)] = programs else {
        assert!(!in_ci, "set-up installs one of {CLANGS:?}, and CI skips none");
        return println!("skipped: there is none of {CLANGS:?}");
    };
    let library = match Installed::named(&major.to_string()) {
        Ok(library) => library,
        Err(why) => {
            assert!(!in_ci, "set-up installs LLVM {major}, and CI skips none: {why}");
            return println!("skipped: {why}");
        }
    };
    let inventory = Inventory::make(&mut start(&library, ""), &library).expect("an inventory");
    let stand = Stand { library, inventory, figure_1a, figure_1b };
    for (name, test) in TESTS {
        println!("test {name} with LLVM {major} ...");
        test(&stand);
    }
}

/// A program as clang leaves it unoptimised, by the first clang there is.
fn bitcode(program: &str) -> Option<Vec<u8>> {
    let scratch = Scratch::new().expect("a temporary folder");
    let (source, output) = (scratch.file("program.c"), scratch.file("program.bc"));
    std::fs::write(&source, program).expect("ours");
    // The figures are C of an older kind.
    let words = ["-std=gnu89", "-w", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c"];
    let clang = |name: &&str| {
        let run = Run::new(name, Duration::from_secs(60)).args(words).arg(&source);
        run.arg("-o").arg(&output).finish().success().is_some()
    };
    CLANGS.iter().any(clang).then(|| std::fs::read(&output).expect("ours"))
}

fn start(library: &Installed, faults: &str) -> Server {
    let path = std::env::current_exe().expect("we are a file");
    let program = Program { path, args: vec!["serve".into()] };
    let (library, major) = (library.path.clone(), library.major);
    let setup = Setup { library, major, work: faults.into(), ..Setup::default() };
    Server::start(&program, &setup).expect("a server")
}

/// A library and what it is tried with.
struct Stand {
    library: Installed,
    inventory: Inventory,
    figure_1a: Vec<u8>,
    figure_1b: Vec<u8>,
}

impl Stand {
    /// Does something with Figure 1(b) on a server with some faults.
    fn with<T>(&self, faults: &str, act: impl FnOnce(&mut Trial<'_>) -> T) -> T {
        self.with_program(faults, &self.figure_1b, act)
    }

    fn with_program<T>(
        &self,
        faults: &str,
        bitcode: &[u8],
        act: impl FnOnce(&mut Trial<'_>) -> T,
    ) -> T {
        let server = &mut start(&self.library, faults);
        act(&mut Trial {
            server,
            inventory: &self.inventory,
            bitcode,
            limits: Limits { time: Duration::from_secs(20), memory: 1 << 30 },
            allowance: Allowance::default(),
            runner: None,
            verify_each: false,
            spent: Duration::ZERO,
            is_stopped: &|| false,
        })
    }

    /// A random sequence of 50 to 200 production passes, with some faults' among them.
    fn sequence(&self, faults: &str, seed: u64) -> Sequence {
        let mut choices = Choices::new(seed);
        let list = self.inventory.list(List::Production);
        let draw = Draw { length: 50..=190, ..Draw::default() };
        let mut drawn = draw.draw(&list, &mut choices).0;
        let mut from = 0;
        for name in faults.split(' ').flat_map(|fault| planted(fault).passes) {
            let number = self.inventory.number(name).expect("everybody has it");
            assert!(list.contains(&number), "{name} is for production");
            from = choices.range(from..=drawn.len() as i64);
            drawn.insert(from as usize, number);
            from += 1;
        }
        assert!((50..=200).contains(&drawn.len()));
        Sequence(drawn)
    }

    /// Without what is in angle brackets.
    fn names(&self, sequence: &Sequence) -> Vec<&str> {
        let names = sequence.names(&self.inventory).into_iter();
        names.map(|name| name.split('<').next().unwrap_or(name)).collect()
    }
}

fn nine() -> ExpectedRun {
    ExpectedRun { status: 0, stdout: b"9\n".to_vec() }
}

fn one(trial: &mut Trial<'_>, sequence: &Sequence) -> SequenceOutcome {
    trial.run(std::slice::from_ref(sequence)).expect("it lives").remove(0)
}

fn signature(seen: SequenceOutcome) -> Signature {
    match seen {
        SequenceOutcome::Fault(signature) => signature,
        other => panic!("{other:?}"),
    }
}

/// All orders of some things, as they are first.
fn orders(things: &[u16]) -> Vec<Vec<u16>> {
    if things.is_empty() {
        return vec![Vec::new()];
    }
    let first = |at: usize| {
        let mut rest = things.to_vec();
        let one = rest.remove(at);
        orders(&rest).into_iter().map(move |order| [vec![one], order].concat())
    };
    (0..things.len()).flat_map(first).collect()
}

/// With one pass less, with the last alone, or in another order the program does as it must.
fn is_least(trial: &mut Trial<'_>, short: &Sequence, must: &ExpectedRun) {
    let mut others: Vec<Sequence> = orders(&short.0).into_iter().skip(1).map(Sequence).collect();
    others.extend((0..short.0.len()).map(|at| {
        let mut fewer = short.clone();
        fewer.0.remove(at);
        fewer
    }));
    others.push(Sequence(short.0[short.0.len() - 1..].to_vec()));
    for (seen, other) in trial.run(&others).expect("it lives").iter().zip(&others) {
        let is_right =
            matches!(seen, SequenceOutcome::Executed(executed) if must.matches(executed));
        assert!(is_right, "{:?}: {seen:?}", other.names(trial.inventory));
    }
}

fn figure_1a(stand: &Stand) {
    let must = ExpectedRun { status: 0, stdout: Vec::new() };
    stand.with_program("1a", &stand.figure_1a, |trial| {
        for seed in 0..SEEDS {
            let long = stand.sequence("1a", seed);
            let crash = signature(one(trial, &long));
            assert_eq!(
                (crash.fault, crash.pass.as_deref()),
                (Fault::Crash, Some("LoopVectorizePass"))
            );
            let words = "Assertion `isScalarAfterVectorization(I, VF)' failed, LoopVectorize.cpp";
            assert!(crash.key.ends_with(words), "{crash:?}");
            let shows = |seen: &SequenceOutcome| matches!(seen, SequenceOutcome::Fault(other) if other.shows(&crash));
            let short = trial.shorten(&long, ShortenOptions::default(), &shows).expect("it lives");
            assert_eq!(stand.names(&short), planted("1a").passes);
            assert!(shows(&one(trial, &short)));
            if seed == 0 {
                is_least(trial, &short, &must);
            }
        }
    });
}

fn figure_1b(stand: &Stand) {
    stand.with("1b", |trial| {
        for seed in 0..SEEDS {
            let long = stand.sequence("1b", seed);
            let short = trial
                .shorten(&long, ShortenOptions::default(), &|seen| seen.is_wrong(&nine()))
                .expect("it lives");
            assert_eq!(stand.names(&short), planted("1b").passes);
            let seen = one(trial, &short);
            let fifteen = Executed { how: ExecutionEnd::Status(0), stdout: b"15\n".to_vec() };
            assert!(
                matches!(&seen, SequenceOutcome::Executed(executed) if *executed == fifteen),
                "{seen:?}"
            );
            if seed == 0 {
                is_least(trial, &short, &nine());
            }
        }
    });
}

/// Each type is known for what it is, and reduced to the passes it takes. Wrong code is Figure 1(b).
fn five_types(stand: &Stand) {
    for (name, fault, pass) in [
        ("crash", Fault::Crash, Some("VectorCombinePass")),
        ("invalid", Fault::InvalidIr, Some("SROAPass")),
        ("code", Fault::Crash, Some(CODE_GENERATOR)),
        // Nobody is at work when these are: the server itself is.
        ("time", Fault::Hang, None),
        ("memory", Fault::Memory, None),
    ] {
        let act = |trial: &mut Trial<'_>| {
            if fault == Fault::Hang {
                trial.limits.time = Duration::from_millis(300);
            } else if fault == Fault::Memory {
                trial.limits.memory = 128 << 20;
            }
            let long = stand.sequence(name, 9);
            let first = signature(one(trial, &long));
            // Verified at the end, a module is invalid by nobody's fault.
            let blamed = pass.filter(|_| fault != Fault::InvalidIr);
            assert_eq!((first.fault, first.pass.as_deref()), (fault, blamed), "{name}");
            let (again, _) = trial.rerun_verified(&long).expect("it lives");
            let again = signature(again);
            assert_eq!((again.fault, again.pass.as_deref()), (fault, pass), "{name}");
            let terms = ShortenOptions {
                verify_each: fault == Fault::InvalidIr,
                is_slow: matches!(fault, Fault::Hang | Fault::Memory),
            };
            let shows = |seen: &SequenceOutcome| matches!(seen, SequenceOutcome::Fault(other) if other.shows(&again));
            let short = trial.shorten(&long, terms, &shows).expect("it lives");
            assert_eq!(stand.names(&short), planted(name).passes, "{name}");
            is_least(trial, &short, &nine());
            again
        };
        let seen = stand.with(name, act);
        match name {
            "invalid" => assert_eq!(seen.key, "invalid IR after SROAPass: too many arguments"),
            "code" => assert!(
                seen.key.starts_with("the code generator: LLVM ERROR Cannot select"),
                "{seen:?}"
            ),
            _ => {}
        }
    }
}

/// The pass is known at once where LLVM says it, from 17 on.
fn verified_after_each(stand: &Stand) {
    stand.with("invalid", |trial| {
        trial.verify_each = true;
        let seen = signature(one(trial, &stand.sequence("invalid", 3)));
        let pass = (stand.library.major >= 17).then_some("SROAPass");
        assert_eq!((seen.fault, seen.pass.as_deref()), (Fault::InvalidIr, pass));
    });
}

/// Wrong code is found behind a crash and an invalid module in the same sequence. What no pass can be blamed
/// for is a wall without a way around.
fn run_past_crashes(stand: &Stand) {
    stand.with("crash invalid 1b", |trial| {
        let sequences = [
            stand.sequence("crash invalid 1b", 1),
            Sequence::default(),
            stand.sequence("invalid crash 1b", 2),
        ];
        let attempts = attempts(trial, &sequences);
        for of in [0, 2] {
            let these: Vec<_> = attempts.iter().filter(|attempt| attempt.of == of).collect();
            let [first, second, last] = these[..] else { panic!("{these:?}") };
            assert_eq!(first.sequence, sequences[of]);
            let mut walls = [first, second].map(|wall| signature(wall.seen.clone()));
            walls.sort_by_key(|wall| wall.fault);
            let walls = walls.map(|wall| (wall.fault, wall.pass.unwrap_or_default()));
            let crash = (Fault::Crash, "VectorCombinePass".to_string());
            assert_eq!(walls, [crash, (Fault::InvalidIr, "SROAPass".to_string())]);
            assert!(last.seen.is_wrong(&nine()), "{last:?}");
            let left = stand.names(&last.sequence);
            assert!(!left.contains(&"sroa") && !left.contains(&"vector-combine"), "{left:?}");
        }
        let plain: Vec<_> = attempts.iter().filter(|attempt| attempt.of == 1).collect();
        let [plain] = plain[..] else { panic!("{plain:?}") };
        assert!(
            matches!(&plain.seen, SequenceOutcome::Executed(executed) if nine().matches(executed))
        );
    });
    stand.with("code 1b", |trial| {
        let attempts = attempts(trial, &[stand.sequence("code 1b", 1)]);
        assert_eq!(attempts.len(), 1);
        assert_eq!(signature(attempts[0].seen.clone()).pass.as_deref(), Some(CODE_GENERATOR));
    });
}

/// All attempts at sequences, which are told one by one.
fn attempts(trial: &mut Trial<'_>, sequences: &[Sequence]) -> Vec<Attempt> {
    let (mut all, mut told) = (Vec::new(), Vec::new());
    let mut tell = |attempt: &Attempt| told.push((attempt.of, attempt.sequence.clone()));
    trial.run_past_crashes(sequences, &mut all, &mut tell).expect("it lives");
    let put_down: Vec<_> = all.iter().map(|one| (one.of, one.sequence.clone())).collect();
    assert_eq!(told, put_down);
    all
}

/// One that is stopped on the way leaves what it has seen.
fn stopped_on_the_way(stand: &Stand) {
    stand.with("crash", |trial| {
        let looks = AtomicUsize::new(0);
        // The trial may live longer than this function.
        trial.is_stopped = Box::leak(Box::new(move || looks.fetch_add(1, Relaxed) > 0));
        let mut all = Vec::new();
        let sequences = vec![stand.sequence("crash", 1); 8];
        let ended = trial.run_past_crashes(&sequences, &mut all, &mut |_| {});
        assert_eq!(ended.map_err(|error| error.kind()), Err(io::ErrorKind::Interrupted));
        assert!(!all.is_empty() && all.len() < 8, "{}", all.len());
        assert!(all.iter().all(|one| matches!(one.seen, SequenceOutcome::Fault(_))), "{all:?}");
    });
}

/// After five reduced sequences of a finding its pair is drawn no more, until it is forgotten.
fn what_is_known_is_not_drawn(stand: &Stand) {
    let inventory = &stand.inventory;
    let [first, then] = *planted("crash").passes else { panic!("a pair") };
    let mut exclusions = Exclusions::default();
    let drawn = |exclusions: &mut Exclusions| -> Vec<Sequence> {
        let (list, mut choices) = (inventory.list(List::Production), Choices::new(1));
        (0..60).map(|_| exclusions.draw(&Draw::default(), &list, inventory, &mut choices)).collect()
    };
    let has_pair = |sequence: &&Sequence| {
        let names = stand.names(sequence);
        names.iter().position(|name| *name == first).is_some_and(|at| names[at..].contains(&then))
    };
    stand.with("crash", |trial| {
        let is_crash = |seen: &SequenceOutcome| {
            matches!(seen, SequenceOutcome::Fault(one) if one.pass.as_deref() == Some("VectorCombinePass"))
        };
        let before = drawn(&mut exclusions);
        let affected = before.iter().filter(has_pair).count();
        assert!(affected > 20, "{affected}");
        for seed in 1..=5 {
            let long = stand.sequence("crash", 100 + seed);
            let short = trial.shorten(&long, ShortenOptions::default(), &is_crash).expect("it lives");
            let learnt = exclusions.note(&short.names(inventory), "a crash");
            let pair = Excluded::Pair(first.into(), then.into());
            assert_eq!(learnt.map(|one| one.what.clone()), (seed == 5).then_some(pair));
        }
        let after = drawn(&mut exclusions);
        assert_eq!((after.len(), after.iter().filter(has_pair).count()), (60, 0));
        assert!(exclusions.iter().all(|one| one.hits > 0));
        let seen = trial.run(&after[..10]).expect("it lives");
        assert!(!seen.iter().any(is_crash), "{seen:?}");
        assert_eq!(exclusions.forget("a crash"), 1);
        assert_eq!(drawn(&mut exclusions), before);
    });
}
