//! The machine's hooks: what runs, which values variables have, which way branches go, volatile
//! accesses; programs of several units; the node that a verdict names for repair.

use cmachine::{
    Hooks, MachineConfig, Node, Outcome, PathStep, Report, UbKind, UnspecKind, Watch, run_with,
};
use ctree::scope::VisibleDecls;
use ctree::{DataModel, ExprId, ExprKind, Program, StmtId, StmtKind};
use std::collections::HashMap;

fn parse(units: &[&str]) -> Program {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    for (i, text) in units.iter().enumerate() {
        cparse::parse_unit(&mut program, &format!("unit{i}.c"), text).expect("test program parses");
    }
    program
}

fn run(program: &Program, hooks: &Hooks) -> Report {
    run_with(program, &MachineConfig::default(), hooks)
}

fn statements(program: &Program, text: &str) -> Vec<StmtId> {
    let all = (0..program.stmts.len() as u32).map(StmtId);
    all.filter(|&s| program.source.snippet(program.stmt(s).span).trim() == text).collect()
}

/// Everything in scope before a statement, elements of arrays of two included.
fn in_scope(program: &Program, s: StmtId) -> Vec<Watch> {
    let visible = VisibleDecls::of(program);
    let all = visible.vars(program, s).into_iter().flat_map(|var| {
        let paths = match program.types.as_array(program.var(var).ty) {
            Some(_) => vec![vec![PathStep::Element(0)], vec![PathStep::Element(1)]],
            None => vec![Vec::new()],
        };
        paths.into_iter().map(move |path| Watch { var, path })
    });
    all.collect()
}

const LOOP: &str = "
static int total, refused;
static int pick(int n) { if (n > 2) { return n; } refused += 100; return 0; }
int main(void) {
    unsigned char small = 250;
    int grid[2] = {7, 8};
    for (int i = 0; i < 4; i++) {
        small += 3;
        total += pick(i);
    }
    if (total < 0) { grid[0] = 1; }
    return grid[1] - 8;
}";

#[test]
fn probes_see_the_values_in_scope() {
    let program = parse(&[LOOP]);
    let [at] = statements(&program, "total += pick(i);")[..] else { panic!("one statement") };
    let watches = in_scope(&program, at);
    let probes = HashMap::from([(at, watches.clone())]);
    let report = run(&program, &Hooks { probes, ..Hooks::default() });
    let point = &report.profile.points[&at];
    let values = |name: &str| -> Vec<i128> {
        let found = watches.iter().zip(&point.values);
        let found = found.filter(|(w, _)| program.name(program.var(w.var).name) == name);
        found.flat_map(|(_, v)| v.iter().flat_map(|v| v.values.clone())).collect()
    };
    assert_eq!(values("i"), [0, 1, 2, 3]);
    assert_eq!(values("small"), [0, 3, 6, 253]);
    assert_eq!(values("grid"), [7, 8]);
    assert_eq!(values("refused"), [0, 100, 200, 300]);
    assert_eq!(point.visits, 4);
}

#[test]
fn coverage_tells_live_from_dead() {
    let program = parse(&[LOOP]);
    let report = run(&program, &Hooks { cover: true, ..Hooks::default() });
    let ran =
        |text: &str| statements(&program, text).iter().any(|s| report.profile.executed.contains(s));
    assert!(ran("refused += 100;") && ran("return n;"));
    assert!(!ran("grid[0] = 1;"));
    let count =
        |text: &str| statements(&program, text).iter().map(|s| report.profile.counts.get(s)).next();
    assert_eq!(count("total += pick(i);"), Some(Some(&4)));
    assert_eq!(count("return n;"), Some(Some(&1)));
    assert_eq!(count("grid[0] = 1;"), Some(None));
}

/// Which checks of a wrapper triggered is told apart by the call, as redundant ones are removed
/// call by call.
#[test]
fn branches_are_counted_for_each_call() {
    let program = parse(&["
static int safe_div(int a, int b) { return b == 0 ? a : a / b; }
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += safe_div(6, i) + safe_div(8, 2);
    return sum;
}"]);
    let report = run(&program, &Hooks { branches: true, ..Hooks::default() });
    let by_call: Vec<(String, (u64, u64))> = report
        .profile
        .branches
        .iter()
        .filter(|((_, cond), _)| matches!(program.expr(*cond).kind, ExprKind::Cond(..)))
        .map(|((call, _), &ways)| {
            let span = program.expr(call.expect("called from an expression")).span;
            (program.source.snippet(span).to_string(), ways)
        })
        .collect();
    assert_eq!(
        by_call,
        [("safe_div(6, i)".to_string(), (1, 2)), ("safe_div(8, 2)".to_string(), (0, 3))]
    );
}

#[test]
fn volatile_accesses_come_in_order() {
    let program = parse(&["volatile short v = 3; int main(void) { v = v + 1; v++; return v; }"]);
    let report = run(&program, &Hooks { volatile: true, ..Hooks::default() });
    let trace: Vec<(bool, u64)> =
        report.profile.volatile.iter().map(|a| (a.store, a.value)).collect();
    assert_eq!(trace, [(false, 3), (true, 4), (false, 4), (true, 5), (false, 5)]);
}

#[test]
fn values_of_expressions_are_noted() {
    let program = parse(&["
static short half(int n) { return n / 2; }
unsigned char c = 250;
int main(void) {
    int sum = 0;
    for (int i = 3; i < 6; i++) sum += half(-8) * i;
    if (0) sum = c + 1;
    return (unsigned char)(c + 10) + (sum < 0 ? -sum : sum);
}"]);
    let report = run(&program, &Hooks { values: true, ..Hooks::default() });
    let worth = |text: &str| -> Vec<(i128, bool)> {
        let is = |e: &u32| program.source.snippet(program.expr(ExprId(*e)).span) == text;
        let noted = (0..program.exprs.len() as u32).filter(is).map(ExprId);
        noted
            .filter_map(|e| report.profile.values.get(&e))
            .map(|worth| (worth.first, worth.constant))
            .collect()
    };
    let all = |text: &str, what: (i128, bool)| {
        let noted = worth(text);
        assert!(!noted.is_empty() && noted.iter().all(|w| *w == what), "{text}: {noted:?}");
    };
    all("half(-8)", (-4, true));
    all("half(-8) * i", (-12, false));
    all("(c + 10)", (260, true));
    all("(unsigned char)(c + 10)", (4, true));
    // It never ran.
    assert_eq!(worth("c + 1"), []);
}

#[test]
fn tapes_have_each_value_in_order() {
    let program = parse(&["
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += i * 5;
    for (int i = 0; i < 9; i++) sum -= i - 4;
    if (sum != 15) return 1 + sum;
    return sum;
}"]);
    let is = |text: &str, e: &ExprId| program.source.snippet(program.expr(*e).span) == text;
    let of = |text: &str| (0..program.exprs.len() as u32).map(ExprId).find(|e| is(text, e));
    let [product, less, many, dead] =
        ["i * 5", "i < 3", "i - 4", "1 + sum"].map(|text| of(text).expect("it is there"));
    let hooks =
        Hooks { tapes: [product, less, many, dead].into(), tape_length: 4, ..Hooks::default() };
    let report = run(&program, &hooks);
    let tape = |e: ExprId| report.profile.tapes[&e].clone();
    assert_eq!(tape(product), Some(vec![0, 5, 10]));
    assert_eq!(tape(less), Some(vec![1, 1, 1, 0]));
    assert_eq!(tape(many), None, "it has nine values");
    assert_eq!(tape(dead), Some(vec![]));
    assert!(report.profile.values.is_empty(), "nobody asked for them");
}

#[test]
fn hooks_change_no_outcome() {
    let program = parse(&[LOOP]);
    let all = (0..program.stmts.len() as u32).map(StmtId);
    let hooks = Hooks {
        cover: true,
        probes: all.map(|s| (s, in_scope(&program, s))).collect(),
        branches: true,
        volatile: true,
        values: true,
        ..Hooks::default()
    };
    let (plain, hooked) = (run(&program, &Hooks::default()), run(&program, &hooks));
    assert_eq!(plain.outcome, hooked.outcome);
    assert_eq!(plain.steps, hooked.steps);
}

#[test]
fn a_verdict_names_the_node_to_repair() {
    let program = parse(&["int main(void) { int a = 2147483647; return 1 + (a + 1); }"]);
    let Outcome::Undefined(UbKind::SignedOverflow, verdict) =
        run(&program, &Hooks::default()).outcome
    else {
        panic!("overflow expected");
    };
    let Some(Node::Expr(e)) = verdict.node else { panic!("an expression expected") };
    assert_eq!(program.source.snippet(program.expr(e).span), "(a + 1)");
    assert_eq!(verdict.detail, "2147483647 + 1");
}

/// For a conflict the node is the expression that leaves the order open, the span the access.
#[test]
fn a_conflict_names_the_expression_around_it() {
    let program = parse(&["
static int g;
static int f(void) { g = 1; return 1; }
int main(void) { return g + f(); }"]);
    let Outcome::Unspecified(UnspecKind::CallOrder, verdict) =
        run(&program, &Hooks::default()).outcome
    else {
        panic!("a conflict expected");
    };
    let Some(Node::Expr(e)) = verdict.node else { panic!("an expression expected") };
    assert_eq!(program.source.snippet(program.expr(e).span), "g + f()");
    assert_eq!(program.source.snippet(verdict.span), "g = 1");
}

#[test]
fn units_are_linked_by_name() {
    let program = parse(&[
        "extern int shared; int twice(int); int main(void) { shared = 4; return twice(3) - 10; }",
        "int shared = 1; static int own(int x) { return x * 2; } int twice(int x) { return own(x) + shared; }",
    ]);
    let report = run(&program, &Hooks::default());
    assert_eq!(report.outcome, Outcome::Finished(cmachine::Exit::Status(0)));
}

#[test]
fn contradicting_units_are_refused() {
    let cases: [[&str; 2]; 4] = [
        ["int f(void) { return 1; } int main(void) { return f(); }", "int f(void) { return 2; }"],
        ["int x = 1; int main(void) { return x; }", "int x = 2;"],
        ["extern int x; int main(void) { return x; }", "float x = 2;"],
        ["int f(int); int main(void) { return f(1); }", "int f(long x) { return (int)x; }"],
    ];
    for units in cases {
        let program = parse(&units);
        let outcome = run(&program, &Hooks::default()).outcome;
        let expected =
            matches!(outcome, Outcome::Undefined(UbKind::MultipleDefinition | UbKind::CallType, _));
        assert!(expected, "{units:?}: {outcome:?}");
    }
}

/// A statement of each kind is where the tests above look for it.
#[test]
fn statements_have_spans() {
    let program = parse(&[LOOP]);
    assert!(statements(&program, "small += 3;").len() == 1);
    assert!(program.stmts.iter().any(|s| matches!(s.kind, StmtKind::For { .. })));
}

#[test]
fn alignment_is_judged_as_asked() {
    use cmachine::Alignment::{Any, Offsets, Types};
    let program = |field: &str| {
        parse(&[&format!(
            "#pragma pack(1)
struct s {{ int a; char b; int c; }} v = {{1, 2, 3}};
int main(void) {{ int *p = &v.{field}; return *p; }}"
        )])
    };
    let finishes = |field: &str, alignment| {
        let config = MachineConfig { alignment, ..MachineConfig::default() };
        matches!(cmachine::run(&program(field), &config).outcome, Outcome::Finished(_))
    };
    assert_eq!([Types, Offsets, Any].map(|a| finishes("a", a)), [false, true, true]);
    assert_eq!([Types, Offsets, Any].map(|a| finishes("c", a)), [false, false, true]);
}

/// Code that cannot be compiled stops only the execution that reaches it.
#[test]
fn labels_survive_behind_what_is_unsupported() {
    let program = parse(&["
int elsewhere(void);
extern int nowhere;
int main(void) {
    goto first;
    if (elsewhere()) { first: goto second; }
    if (nowhere) second: ;
    return 3;
}"]);
    let report = run(&program, &Hooks::default());
    assert_eq!(report.outcome, Outcome::Finished(cmachine::Exit::Status(3)));
}
