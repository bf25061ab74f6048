//! What the machine notes of random programs at random points can be read there: a program that
//! checks each noted value where it was noted does what it did before.

use choice::Choices;
use cmachine::{Hooks, MachineConfig, Outcome, PathStep, Report, VarValues, Watch, run, run_with};
use ctree::scope::VisibleDecls;
use ctree::{ArrayLen, ExprKind, Program, StmtId, StmtKind, TypeKind, VarId};
use std::collections::{HashMap, HashSet};

fn config() -> MachineConfig {
    MachineConfig { fuel: 1_000_000, stack: 256 << 10, ..MachineConfig::default() }
}

/// Statements that something can be put before.
fn sites(program: &Program) -> Vec<StmtId> {
    let mut bound = HashSet::new();
    for stmt in &program.stmts {
        if let StmtKind::For { init: Some(init), .. } = stmt.kind {
            bound.insert(init);
        }
    }
    for expr in &program.exprs {
        if let ExprKind::StmtExpr(block) = expr.kind {
            bound.insert(block);
            if let StmtKind::Block(list) = &program.stmt(block).kind {
                bound.extend(list.last());
            }
        }
    }
    let is_site = |s: &StmtId| {
        let kind = &program.stmt(*s).kind;
        let is_labelled =
            matches!(kind, StmtKind::Case(..) | StmtKind::Default(_) | StmtKind::Label(..));
        !bound.contains(s) && !is_labelled && !matches!(kind, StmtKind::Decl(_))
    };
    (0..program.stmts.len() as u32).map(StmtId).filter(is_site).collect()
}

/// A way from a variable to an integer.
fn way(program: &Program, var: VarId, choices: &mut Choices) -> Option<Watch> {
    let (types, mut ty) = (&program.types, program.var(var).ty);
    let mut path = Vec::new();
    while path.len() < 6 {
        let (step, next) = match *types.shape(ty) {
            TypeKind::Int(_) | TypeKind::Enum(_) => return Some(Watch { var, path }),
            TypeKind::Array(elem, ArrayLen::Known(n)) if n > 0 => {
                (PathStep::Element(choices.below(n) as u32), elem)
            }
            TypeKind::Record(id) => {
                let fields = &types.records[id.index()].fields;
                let named: Vec<_> =
                    (0..fields.len()).filter(|&i| fields[i].name.is_some()).collect();
                let &i = choices.pick(&named)?;
                (PathStep::Field(i as u32), fields[i].ty)
            }
            TypeKind::Pointer(to) => (PathStep::Deref, to),
            _ => return None,
        };
        path.push(step);
        ty = next;
    }
    None
}

/// Everything that was noted at every visit of a point.
fn noted(
    program: &Program,
    plain: &Report,
    choices: &mut Choices,
) -> Vec<(StmtId, Watch, VarValues)> {
    let visible = VisibleDecls::of(program);
    let mut probes = HashMap::new();
    for s in sites(program) {
        if choices.chance(25) {
            let vars = visible.vars(program, s);
            let some = (0..20).filter_map(|_| way(program, *choices.pick(&vars)?, choices));
            probes.insert(s, some.collect::<Vec<_>>());
        }
    }
    let hooks = Hooks { probes: probes.clone(), ..Hooks::default() };
    let report = run_with(program, &config(), &hooks);
    assert!(same(&report, plain), "probes change nothing: {:?}", report.outcome);
    let points = report.profile.points;
    let mut noted = Vec::new();
    for (s, point) in points {
        for (watch, values) in probes[&s].iter().zip(point.values) {
            if let Some(values) = values
                && values.seen == point.visits
            {
                noted.push((s, watch.clone(), values));
            }
        }
    }
    noted
}

fn same(a: &Report, b: &Report) -> bool {
    a.outcome == b.outcome && a.stdout == b.stdout
}

/// Checks a program; returns how many values were read again, through how many pointers, and how
/// many places were written.
fn check(what: &str, program: &Program, choices: &mut Choices) -> [usize; 3] {
    let plain = run(program, &config());
    if !matches!(plain.outcome, Outcome::Finished(_)) {
        return [0; 3];
    }
    let noted = noted(program, &plain, choices);
    let mut reading = program.clone();
    for (s, watch, values) in &noted {
        crate::place::insert_read(&mut reading, *s, watch, Some(values));
    }
    let report = run(&reading, &config());
    if !same(&report, &plain) {
        let alone = noted.iter().find(|(s, watch, values)| {
            let mut reading = program.clone();
            crate::place::insert_read(&mut reading, *s, watch, Some(values));
            !same(&run(&reading, &config()), &plain)
        });
        panic!("{what}: {alone:?}: {:?}", report.outcome);
    }
    // One at a time: two of them may be in calls whose order is open.
    let is_free =
        |w: &Watch, v: &VarValues| v.writable && !crate::place::is_fixed(&mut program.clone(), w);
    let free: Vec<_> = noted.iter().filter(|(_, w, v)| is_free(w, v)).collect();
    let written = free.len().min(4);
    for _ in 0..written {
        let Some((s, watch, values)) = choices.pick(&free) else { break };
        let mut writing = program.clone();
        crate::place::insert_write(&mut writing, *s, watch);
        let report = run(&writing, &config());
        assert!(same(&report, &plain), "{what}: {watch:?} {values:?}: {:?}", report.outcome);
    }
    let behind = noted.iter().filter(|(_, w, _)| w.path.contains(&PathStep::Deref)).count();
    [noted.len(), behind, written]
}

fn check_all(what: &str, seeds: std::ops::Range<u64>, make: impl Fn(u64) -> Program) -> [usize; 3] {
    let mut all = [0; 3];
    for seed in seeds {
        let choices = &mut Choices::new(seed).fork("watch");
        let counts = check(&format!("{what} {seed}"), &make(seed), choices);
        all = std::array::from_fn(|i| all[i] + counts[i]);
    }
    all
}

#[test]
fn smith() {
    let options = cgen::smith::Options::default();
    let make = |seed| cgen::smith::generate(&cgen::smith::SeedTuple::plain(seed), &options).program;
    let [all, behind, written] = check_all("smith", 0..60, make);
    assert!(all > 10_000 && behind > 1000 && written > 200, "{all} {behind} {written}");
}

#[test]
fn simple() {
    let [all, _, written] =
        check_all("simple", 0..50, |seed| ctestgen::simple(&mut Choices::new(seed)));
    assert!(all > 10_000 && written > 150, "{all} {written}");
}

#[test]
fn yarp() {
    let options = cgen::yarp::Options::default();
    let make = |seed| cgen::yarp::generate(seed, &options).expect("a program").program;
    let [all, behind, written] = check_all("yarp", 1..8, make);
    assert!(all > 10_000 && behind > 500 && written > 20, "{all} {behind} {written}");
}
