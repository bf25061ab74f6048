//! Which variables, functions and records can be named before a statement.

use ctree::scope::VisibleDecls;
use ctree::{DataModel, Program, StmtId};

/// What is visible before the statement `0;` of a text: variables with the line of their
/// declaration, innermost first; functions; tags.
fn visible(text: &str) -> [String; 3] {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    cparse::parse_unit(&mut program, "scope.c", text).expect("test program parses");
    let all = (0..program.stmts.len() as u32).map(StmtId);
    let is_point = |s: &StmtId| program.source.snippet(program.stmt(*s).span) == "0;";
    let points: Vec<_> = all.filter(is_point).collect();
    let [point] = points[..] else { panic!("one point in {text}") };
    let visible = VisibleDecls::of(&program);
    let vars = visible.vars(&program, point).into_iter().map(|v| {
        let var = program.var(v);
        let line = program.source.location(var.span).map_or(0, |place| place.line);
        format!("{}@{line}", program.name(var.name))
    });
    let funcs = visible.funcs(&program, point).into_iter();
    let funcs = funcs.map(|f| program.name(program.func(f).name).to_string());
    let mut tags: Vec<_> = visible
        .records(point)
        .into_iter()
        .filter_map(|id| program.types.records[id.index()].tag)
        .map(|tag| program.name(tag).to_string())
        .collect();
    tags.sort();
    [vars.collect::<Vec<_>>().join(" "), funcs.collect::<Vec<_>>().join(" "), tags.join(" ")]
}

fn vars(text: &str) -> String {
    visible(text).into_iter().next().unwrap_or_default()
}

#[test]
fn inner_names_hide_outer_ones() {
    let text = "int a, b;
int main(void) {
    int b;
    { int a; { int a; } 0; int c; }
    int d;
}
int late;";
    assert_eq!(vars(text), "a@4 b@3");
}

#[test]
fn what_is_no_variable_hides_one_too() {
    assert_eq!(vars("int T, E, f, x; int main(void) { typedef int T; 0; }"), "x@1 f@1 E@1");
    assert_eq!(vars("int T, E, f, x; int main(void) { enum { E }; 0; }"), "x@1 f@1 T@1");
    assert_eq!(vars("int x; int main(void) { int f; { int f(void); 0; } }"), "x@1");
    // A tag lives in another name space.
    assert_eq!(vars("int T; int main(void) { struct T { int m; }; 0; }"), "T@1");
}

#[test]
fn parameters_and_loops() {
    let text = "int i, n;
int f(int n, char *p) {
    for (int i = 0, k = 0; i < n; i++) 0;
}";
    assert_eq!(vars(text), "k@3 i@3 p@2 n@2");
    assert_eq!(vars("int i; int f(int q) { for (int i = 0; i < 3; i++) ; 0; }"), "q@1 i@1");
    assert_eq!(vars("int f(int q) { int r = q; return r; } int g(void) { 0; }"), "");
}

#[test]
fn a_block_can_name_what_is_defined_elsewhere() {
    let text = "int f(void) { 
    int a = 1;
    { extern int a, far; 0; }
    return a;
}
int a = 3;";
    let [vars, ..] = visible(text);
    assert!(vars == "far@3 a@6" || vars == "far@3 a@3", "the one of the file: {vars}");
    assert_eq!(self::vars("int f(void) { { extern int far; } 0; }"), "");
}

#[test]
fn statement_expressions() {
    let text = "int x;
int main(void) {
    int y = ({ int x = 2; 0; x; }), z;
}";
    // A variable is visible in its own initialiser, the next one is not.
    assert_eq!(vars(text), "x@3 y@3");
    assert_eq!(vars("int x; int main(void) { int y = ({ int x = 2; x; }); 0; }"), "y@1 x@1");
    assert_eq!(vars("int f(int a) { while (({ int b = a; 0; b; })) ; }"), "b@1 a@1");
}

#[test]
fn labels_change_nothing() {
    assert_eq!(vars("int a; int f(int n) { goto l; l: int n2; 0; }"), "n2@1 n@1 a@1");
    assert_eq!(vars("int a; int f(int n) { switch (n) { int c; case 1: 0; } }"), "c@1 n@1 a@1");
    assert_eq!(
        vars("int a; int f(int n) { { int b; l: b = 1; } m: 0; goto l; goto m; }"),
        "n@1 a@1"
    );
}

#[test]
fn functions_and_records() {
    let text = "struct early { int m; };
int before(int);
int main(void) {
    struct local { int m; };
    int shadowed;
    0;
    struct later { int m; };
}
int shadowed(void);
int after(void);";
    let [_, funcs, tags] = visible(text);
    assert_eq!((funcs.as_str(), tags.as_str()), ("main before", "early local"));
    let [_, funcs, _] = visible("int f(void); int g(void); int main(void) { int f; 0; }");
    assert_eq!(funcs, "main g");
}

#[test]
fn units_do_not_see_each_other() {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    for text in ["int a; int f(void) { return 0; }", "int b; int g(void) { return 1; }"] {
        cparse::parse_unit(&mut program, "unit.c", text).expect("test program parses");
    }
    let visible = VisibleDecls::of(&program);
    let body = program.funcs[1].body.expect("a body");
    let names: Vec<_> =
        visible.vars(&program, body).iter().map(|v| program.name(program.var(*v).name)).collect();
    assert_eq!(names, ["b"]);
}
