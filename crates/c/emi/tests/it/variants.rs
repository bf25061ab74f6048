//! Chains of variants of generated programs: each prints what its seed prints, does what its seed
//! does in the same order, and is the same program again when written and read.

use choice::Choices;
use cmachine::{Hooks, MachineConfig, Node, Outcome, Verdict, run_with};
use ctree::{DataModel, ExprId, ExprKind, Program, StmtId, UnitId};
use emi::{Chain, Change, Database, Edit, Options, Strategies, Strategy};

fn config() -> MachineConfig {
    MachineConfig { fuel: 2_000_000, ..MachineConfig::default() }
}

/// Seeds of both generators that finish.
fn seeds(count: u64) -> Vec<Program> {
    let yarp = cgen::yarp::Options::default();
    let yarp = (0..count).filter_map(|n| Some(cgen::yarp::generate(n, &yarp).ok()?.program));
    let smith = cgen::smith::Options::default();
    let smith = (0..count).map(|n| {
        let tuple = cgen::smith::SeedTuple::plain(n);
        cgen::smith::generate(&tuple, &smith).program
    });
    yarp.chain(smith).collect()
}

fn chain(seed: &Program, strategies: &str, number: u64) -> Option<Chain> {
    let strategies: Strategies = strategies.parse().expect("strategies");
    let options = Options { strategies, percent: 30, ..Options::default() };
    Chain::new(seed.clone(), options, &config(), &Choices::new(number)).ok()
}

/// Derives variants and panics with the text of one that is wrong.
fn derive(chain: &mut Chain, database: &Database, times: usize, what: &str) {
    for _ in 0..times {
        if let Err(wrong) = chain.next(database) {
            let program = wrong.variant.program();
            let print = |edit: &Edit| match edit.change {
                Change::Insert { code, .. } => ctree::print::print_stmt(&program, code),
                Change::Guard { by, .. } => ctree::print::print_expr(&program, by),
                Change::Remove { stmt } => ctree::print::print_stmt(&program, stmt),
            };
            // Only those that it takes.
            let mut kept: Vec<usize> = wrong.new.clone().collect();
            for n in wrong.new.clone() {
                let fewer = |m: usize| m < wrong.new.start || (m != n && kept.contains(&m));
                let report = cmachine::run(&wrong.variant.with(fewer), &config());
                let seed = chain.seed();
                if report.outcome != seed.outcome || report.stdout != seed.stdout {
                    kept.retain(|m| *m != n);
                }
            }
            let texts = kept.iter().map(|n| &wrong.variant.edits()[*n]);
            let texts: Vec<_> =
                texts.map(|edit| format!("{}: {}", edit.strategy, print(edit))).collect();
            let at = match &wrong.report.outcome {
                Outcome::Undefined(_, Verdict { node: Some(Node::Expr(e)), .. }) => {
                    ctree::print::print_expr(&program, *e)
                }
                _ => String::new(),
            };
            panic!("{what}: {:?} at {at}\n{}", wrong.report.outcome, texts.join("\n"));
        }
    }
}

fn counted(chain: &Chain) -> [usize; Strategy::ALL.len()] {
    Strategy::ALL.map(|s| chain.variant().edits().iter().filter(|e| e.strategy == s).count())
}

#[test]
fn every_variant_prints_what_its_seed_prints() {
    let mut counts = [0; Strategy::ALL.len()];
    let mut seen = 0;
    for (number, seed) in seeds(10).iter().enumerate() {
        let Some(mut chain) = chain(seed, "all", number as u64) else { continue };
        let mut database = Database::default();
        database.gather(seed, &[]);
        seen += 1;
        derive(&mut chain, &database, 6, &format!("seed {number}"));
        for (all, one) in counts.iter_mut().zip(counted(&chain)) {
            *all += one;
        }
    }
    assert!(seen > 15, "{seen} seeds");
    assert!(counts.iter().all(|n| *n > 20), "{counts:?}");
}

/// The statements of the seed that ran, in order, and its volatile accesses: whatever was put in is
/// left out.
fn trace(program: &Program, seed: &Program) -> (Vec<StmtId>, Vec<(u64, bool)>) {
    let hooks = Hooks { cover: true, trace: true, volatile: true, ..Hooks::default() };
    let profile = run_with(program, &config(), &hooks).profile;
    let ran = profile.trace.into_iter().filter(|s| s.index() < seed.stmts.len());
    let own = |e: Option<ExprId>| e.is_some_and(|e| e.index() < seed.exprs.len());
    let volatile = profile.volatile.iter().filter(|access| own(access.node));
    (ran.collect(), volatile.map(|access| (access.value, access.store)).collect())
}

#[test]
fn a_variant_does_what_its_seed_does_in_the_same_order() {
    let (mut steps, mut ordered) = (0, 0);
    for (number, seed) in seeds(10).iter().enumerate() {
        let Some(mut chain) = chain(seed, "all", number as u64) else { continue };
        let mut database = Database::default();
        database.gather(seed, &[]);
        let mut before = trace(seed, seed);
        steps += before.0.len();
        // The operands of `f() + ({ … })` may be evaluated in any order, and the machine chooses by what
        // is in them.
        let exact = !seed.exprs.iter().any(|e| matches!(e.kind, ExprKind::StmtExpr(_)));
        ordered += usize::from(exact);
        if !exact {
            before.0.sort_unstable();
        }
        for round in 0..5 {
            derive(&mut chain, &database, 1, &format!("seed {number}"));
            let mut after = trace(chain.program(), seed);
            if !exact {
                after.0.sort_unstable();
            }
            let differs = after.0.iter().zip(&before.0).position(|(a, b)| a != b);
            assert_eq!(differs, None, "seed {number}, variant {round}: the first that differs");
            assert_eq!(after.0.len(), before.0.len(), "seed {number}, variant {round}");
            assert_eq!(after.1, before.1, "seed {number}, variant {round}: volatile accesses");
        }
    }
    assert!(ordered > 5, "{ordered} seeds in order");
    assert!(steps > 10_000, "{steps} statements ran");
}

/// Any part of the edits is again a variant: that is what blame relies on.
#[test]
fn any_part_of_a_variant_is_one() {
    for (number, seed) in seeds(4).iter().enumerate() {
        let Some(mut chain) = chain(seed, "all", number as u64) else { continue };
        let mut database = Database::default();
        database.gather(seed, &[]);
        derive(&mut chain, &database, 4, &format!("seed {number}"));
        let mut choices = Choices::new(number as u64);
        for percent in [0, 20, 50, 80] {
            let kept: Vec<bool> =
                chain.variant().edits().iter().map(|_| choices.chance(percent)).collect();
            let report = cmachine::run(&chain.variant().with(|n| kept[n]), &config());
            assert_eq!(report.outcome, chain.seed().outcome, "seed {number}, {percent} %");
            assert_eq!(report.stdout, chain.seed().stdout, "seed {number}, {percent} %");
        }
    }
}

#[test]
fn the_same_number_makes_the_same_variant() {
    let seeds = seeds(2);
    let text = || {
        let mut chain = chain(&seeds[0], "all", 7).expect("a seed");
        let mut database = Database::default();
        database.gather(&seeds[1], &[]);
        derive(&mut chain, &database, 3, "twice");
        ctree::print::print_unit(chain.program(), ctree::UnitId(0))
    };
    assert_eq!(text(), text());
}

/// What a program is called is not the same in the machine and elsewhere.
#[test]
fn nothing_depends_on_how_a_program_is_called() {
    let text =
        "int g = 2; int main(int argc, char **argv) { int n = 1; n += g; g = n; return n - 3; }";
    let mut seed = Program::new(DataModel::X86_64_SYSV);
    cparse::parse_unit(&mut seed, "test.c", text).expect("the seed parses");
    let options = Options {
        strategies: "tg".parse().expect("a strategy"),
        percent: 100,
        ..Options::default()
    };
    for number in 0..20 {
        let chain = Chain::new(seed.clone(), options.clone(), &config(), &Choices::new(number));
        let Ok(mut chain) = chain else { panic!("the seed runs") };
        derive(&mut chain, &Database::default(), 2, "main");
        let text = ctree::print::print_unit(chain.program(), ctree::UnitId(0));
        assert!(text.contains("if ("), "{text}");
        assert_eq!(text.matches("arg").count(), 2, "{text}");
    }
}

/// Access to one object by two ways, one of them `restrict`, is undefined, and the machine does not see
/// it: new live code names only what no pointer can point to.
#[test]
fn where_restrict_is_about_nothing_shared_is_named() {
    let text = "int shared = 2;
        static int f(int *restrict p, int own) { *p += own; own -= 1; *p -= own; return *p; }
        int main(void) { int n = f(&shared, 3); n -= 1; n += 2; return n - 4; }";
    let mut seed = Program::new(DataModel::X86_64_SYSV);
    cparse::parse_unit(&mut seed, "test.c", text).expect("the seed parses");
    for number in 0..20 {
        let options = Options {
            strategies: "tg,tcb".parse().expect("strategies"),
            percent: 100,
            ..Options::default()
        };
        let chain = Chain::new(seed.clone(), options, &config(), &Choices::new(number));
        let Ok(mut chain) = chain else { panic!("the seed runs") };
        derive(&mut chain, &Database::default(), 2, "restrict");
        assert!(!chain.variant().edits().is_empty());
        let text = ctree::print::print_unit(chain.program(), ctree::UnitId(0));
        assert_eq!(text.matches("shared").count(), 2, "{text}");
        assert_eq!(text.matches("*p").count(), 3, "{text}");
    }
}

fn text_of(program: &Program) -> String {
    let units = (0..program.units.len()).map(|n| UnitId(n as u32));
    units.map(|unit| ctree::print::print_unit(program, unit)).collect()
}

#[test]
fn a_variant_that_is_taken_back_is_not_the_base_of_the_next() {
    let database = Database::default();
    let mut compared = 0;
    for (at, seed) in seeds(4).iter().enumerate() {
        let Some(mut whole) = chain(seed, "hermes", 7) else { continue };
        let Some(mut without) = chain(seed, "hermes", 7) else { continue };
        derive(&mut whole, &database, 1, "the first");
        derive(&mut without, &database, 1, "the first");
        let text = text_of(without.program());
        let first = whole.variant().edits().len();
        without.undo();
        assert_eq!(without.variant().edits().len(), 0);
        assert_eq!(text_of(without.program()), text_of(seed), "{at}");
        // Once is all there is to take back.
        without.undo();
        derive(&mut whole, &database, 1, "the second");
        derive(&mut without, &database, 1, "the second alone");
        assert!(whole.variant().edits().len() >= first);
        if first > 0 && !without.variant().edits().is_empty() {
            assert_ne!(text_of(without.program()), text, "{at}");
            compared += 1;
        }
    }
    assert!(compared > 0, "no seed has two variants");
}
