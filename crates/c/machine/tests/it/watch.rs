//! Watches: which values are noted, which are not, and that the machine itself agrees: what was
//! noted at every visit can be read there, what was not noted cannot, and what is writable can be
//! written.

use PathStep::{Deref, Element, Field};
use cmachine::{
    Exit, Hooks, MachineConfig, Outcome, PathStep, Point, VarValues, Watch, run, run_with,
};
use ctree::scope::VisibleDecls;
use ctree::{DataModel, Program, StmtId};
use std::collections::HashMap;

fn parse(text: &str) -> Program {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    let text = format!(
        "void *malloc(unsigned long); void free(void *); static void here(void) {{}}
         {text}"
    );
    cparse::parse_unit(&mut program, "watch.c", &text).expect("test program parses");
    program
}

/// The statement `here();`.
fn here(program: &Program) -> StmtId {
    let all = (0..program.stmts.len() as u32).map(StmtId);
    let is_here = |s: &StmtId| program.source.snippet(program.stmt(*s).span) == "here();";
    let found: Vec<_> = all.filter(is_here).collect();
    assert_eq!(found.len(), 1, "one point");
    found[0]
}

fn watch(program: &Program, name: &str, path: &[PathStep]) -> Watch {
    let vars = VisibleDecls::of(program).vars(program, here(program));
    let is_it = |v: &ctree::VarId| program.name(program.var(*v).name) == name;
    let var = vars.into_iter().find(is_it).expect("a variable in scope");
    Watch { var, path: path.to_vec() }
}

fn point(program: &Program, watches: &[Watch], hooks: Hooks) -> Option<Point> {
    let at = here(program);
    let probes = HashMap::from([(at, watches.to_vec())]);
    let report = run_with(program, &MachineConfig::default(), &Hooks { probes, ..hooks });
    assert_eq!(report.outcome, Outcome::Finished(Exit::Status(0)));
    report.profile.points.get(&at).cloned()
}

fn finishes(program: &Program) -> bool {
    run(program, &MachineConfig::default()).outcome == Outcome::Finished(Exit::Status(0))
}

/// What was noted of one scalar. The machine is asked whether it can be read at every visit, and
/// if it was noted as writable, whether it can be written.
fn seen(program: &Program, name: &str, path: &[PathStep]) -> Option<VarValues> {
    let at = here(program);
    let watch = watch(program, name, path);
    let point = point(program, std::slice::from_ref(&watch), Hooks::default()).expect("reached");
    let noted = point.values[0].clone();
    let always = noted.as_ref().filter(|v| v.seen == point.visits);
    let mut reading = program.clone();
    crate::place::insert_read(&mut reading, at, &watch, always);
    assert_eq!(finishes(&reading), always.is_some(), "reading {name} {path:?}: {point:?}");
    if always.is_some_and(|v| v.writable) && !crate::place::is_fixed(&mut program.clone(), &watch) {
        let mut writing = program.clone();
        crate::place::insert_write(&mut writing, at, &watch);
        assert!(finishes(&writing), "writing {name} {path:?}");
    }
    noted
}

/// Values and whether it is writable.
fn values(program: &Program, name: &str, path: &[PathStep]) -> Option<(Vec<i128>, bool)> {
    seen(program, name, path).map(|v| (v.values.into_iter().collect(), v.writable))
}

fn one(value: i128) -> Option<(Vec<i128>, bool)> {
    Some((vec![value], true))
}

#[test]
fn bit_fields_have_their_width_and_sign() {
    let program = parse(
        "struct s { int a : 3; unsigned b : 3; _Bool c : 1; long d : 40; int e : 5; int : 2;
                    unsigned long f : 64; } s, *p = &s;
         int main(void) {
             struct s t; t.b = 6; t.d = -5;
             struct s *q = &t;
             s.a = -3; s.b = 7; s.c = 1; s.d = -(1L << 39); s.f = -1;
             here();
             return 0;
         }",
    );
    assert_eq!(values(&program, "s", &[Field(0)]), one(-3));
    assert_eq!(values(&program, "s", &[Field(1)]), one(7));
    assert_eq!(values(&program, "s", &[Field(2)]), one(1));
    assert_eq!(values(&program, "s", &[Field(3)]), one(-(1 << 39)));
    assert_eq!(values(&program, "s", &[Field(4)]), one(0));
    assert_eq!(values(&program, "p", &[Deref, Field(0)]), one(-3));
    assert_eq!(values(&program, "p", &[Deref, Field(6)]), one(u64::MAX.into()));
    // Those of `t` share bytes with fields that were set.
    assert_eq!(values(&program, "t", &[Field(1)]), one(6));
    assert_eq!(values(&program, "q", &[Deref, Field(3)]), one(-5));
    assert_eq!(values(&program, "t", &[Field(0)]), None);
    assert_eq!(values(&program, "q", &[Deref, Field(2)]), None);
    // One without a name has no value.
    let unnamed = watch(&program, "s", &[Field(5)]);
    assert_eq!(point(&program, &[unnamed], Hooks::default()).expect("reached").values, [None]);
    // The type is the field's, not `int` for all.
    let ty = seen(&program, "s", &[Field(3)]).expect("a value").ty;
    assert_eq!(ty, ctree::Ty::LONG);
}

#[test]
fn wide_integers() {
    let program = parse(
        "__int128 g = -7; unsigned __int128 big;
         int main(void) {
             __int128 r = (__int128)1 << 100;
             unsigned __int128 small = 9, large = ~(unsigned __int128)0;
             __int128 *p = &g;
             big = large; here(); return 0;
         }",
    );
    assert_eq!(values(&program, "g", &[]), one(-7));
    assert_eq!(values(&program, "p", &[Deref]), one(-7));
    assert_eq!(values(&program, "r", &[]), one(1 << 100));
    assert_eq!(values(&program, "small", &[]), one(9));
    // They have values, but none that can be told.
    let watches = [watch(&program, "large", &[]), watch(&program, "big", &[])];
    assert_eq!(point(&program, &watches, Hooks::default()).expect("reached").values, [None, None]);
}

#[test]
fn pointers_are_followed() {
    let program = parse(
        "struct in { short x, y; }; struct s { int n; struct in in; struct s *next; int *p; };
         int a[3] = {10, 11, 12}; int (*pa)[3] = &a; int *ends[2] = {&a[2], a};
         struct s first = {1, {2, 3}, 0, &a[1]}, second = {4, {5, 6}, &first, a};
         int main(void) {
             int x = 20, *p = &x, **pp = &p, ***ppp = &pp;
             struct s *s = &second; struct s rows[2] = {first, second}; struct s (*pr)[2] = &rows;
             here();
             return 0;
         }",
    );
    assert_eq!(values(&program, "p", &[Deref]), one(20));
    assert_eq!(values(&program, "pp", &[Deref, Deref]), one(20));
    assert_eq!(values(&program, "ppp", &[Deref, Deref, Deref]), one(20));
    assert_eq!(values(&program, "pa", &[Deref, Element(2)]), one(12));
    assert_eq!(values(&program, "ends", &[Element(0), Deref]), one(12));
    assert_eq!(values(&program, "s", &[Deref, Field(0)]), one(4));
    assert_eq!(values(&program, "s", &[Deref, Field(1), Field(1)]), one(6));
    assert_eq!(values(&program, "s", &[Deref, Field(2), Deref, Field(0)]), one(1));
    assert_eq!(values(&program, "s", &[Deref, Field(2), Deref, Field(3), Deref]), one(11));
    assert_eq!(values(&program, "pr", &[Deref, Element(1), Field(1), Field(0)]), one(5));
    assert_eq!(values(&program, "s", &[Deref, Field(2), Deref, Field(2), Deref, Field(0)]), None);
    // What leads to no integer is never there.
    for path in [&[][..], &[Deref, Deref], &[Element(0)], &[Field(0)]] {
        let watch = watch(&program, "p", path);
        let point = point(&program, &[watch], Hooks::default()).expect("reached");
        assert_eq!(point.values, [None], "{path:?}");
    }
}

/// Each of these is undefined to read, and has no value; the execution goes on.
#[test]
fn pointers_that_cannot_be_followed() {
    for (declaration, path) in [
        ("int *p = 0;", &[Deref][..]),
        ("int *p;", &[Deref]),
        ("int *p = (int *)40;", &[Deref]),
        ("int *p; { int gone = 3; p = &gone; }", &[Deref]),
        ("int *p = malloc(4); *p = 3; free(p);", &[Deref]),
        ("int *p = malloc(4);", &[Deref]),
        ("int a[2] = {1, 2}; int *p = a + 2;", &[Deref]),
        ("int a[2] = {1, 2}; int (*p)[2] = &a + 1;", &[Deref, Element(0)]),
        ("int a[2] = {1, 2}; int (*p)[4] = (int (*)[4])&a;", &[Deref, Element(2)]),
        ("float f = 1; int *p = (int *)&f;", &[Deref]),
        ("int i = 1; short *p = (short *)&i;", &[Deref]),
        ("int *p = malloc(8); *(float *)p = 1;", &[Deref]),
        ("int i, *p = &i;", &[Deref]),
        ("int i = 1, *q = &i; int *p = (int *)&q;", &[Deref]),
        ("int i = 1, *q = &i; unsigned char *p = (unsigned char *)&q;", &[Deref]),
        ("_Bool b = 1; unsigned char *q = (unsigned char *)&b; *q = 2; _Bool *p = &b;", &[Deref]),
        ("volatile int v = 1; int *p = (int *)&v;", &[Deref]),
        ("int *p = (int *)here;", &[Deref]),
        (
            "struct a { int x; } a = {1}; struct b { int x; } *p = (struct b *)&a;",
            &[Deref, Field(0)],
        ),
        ("struct a { int x, y; } *p = 0;", &[Deref, Field(1)]),
        ("struct a { char c; int x; } v = {1, 2}; char *p = &v.c + 1;", &[Deref]),
        ("union u { int i; float f; } u; u.f = 1; int *p = &u.i;", &[Deref]),
        ("int *q = 0; int **p = &q;", &[Deref, Deref]),
        ("int *q; int **p = &q;", &[Deref, Deref]),
        ("int **p = malloc(8);", &[Deref, Deref]),
        ("int i = 1; int **p = (int **)&i;", &[Deref, Deref]),
        ("int *q = (int *)1; int **p = &q;", &[Deref, Deref]),
        (
            "struct { int a; struct { int *q; } in; } s = {1, {0}}, *p = &s;",
            &[Deref, Field(1), Field(0), Deref],
        ),
    ] {
        let program = parse(&format!("int main(void) {{ {declaration} here(); return 0; }}"));
        assert_eq!(seen(&program, "p", path), None, "{declaration}");
    }
    let packed = parse(
        "#pragma pack(1)
         struct s { char c; int x; } v = {1, 2}; int *p = &v.x; struct s *q = &v;
         int main(void) { here(); return 0; }",
    );
    assert_eq!(seen(&packed, "p", &[Deref]), None, "misaligned");
    assert_eq!(values(&packed, "q", &[Deref, Field(1)]), one(2));
}

#[test]
fn some_can_be_followed_up_to_some_visit() {
    let program = parse(
        "int main(void) {
             int a[2] = {5, 6}, *p = 0;
             for (int i = 0; i < 4; i++) { p = i < 2 ? &a[i] : 0; here(); }
             return 0;
         }",
    );
    let p = seen(&program, "p", &[Deref]).expect("a value at some visits");
    assert_eq!((p.seen, p.min, p.max, p.complete), (2, 5, 6, true));
    let a = seen(&program, "a", &[Element(1)]).expect("a value at all");
    assert_eq!((a.seen, a.values.len()), (4, 1));
}

#[test]
fn what_must_not_be_written() {
    let fixed = |value: i128| Some((vec![value], false));
    for (declaration, path, expected) in [
        ("static const int c = 4; int *p = (int *)&c;", &[Deref][..], fixed(4)),
        ("char *p = \"A\";", &[Deref], fixed(65)),
        ("const char *p = \"A\";", &[Deref], fixed(65)),
        ("struct s { const int x; int y; } s = {1, 2}; int *p = (int *)&s.x;", &[Deref], fixed(1)),
        ("const int a[2] = {7, 8}; int *p = (int *)a;", &[Deref], fixed(7)),
        ("int c = 4; const int *p = &c;", &[Deref], one(4)),
        ("struct s { const int x; int y; } s = {1, 2}; int *p = &s.y;", &[Deref], one(2)),
        ("int *p = malloc(8); *p = 3;", &[Deref], one(3)),
        ("int *q = malloc(8); *q = 3; unsigned *p = (unsigned *)q;", &[Deref], one(3)),
        ("int *q = malloc(8); *q = 3; char *p = (char *)q;", &[Deref], fixed(3)),
        ("long i = 3; char *p = (char *)&i;", &[Deref], one(3)),
        ("union u { int i; short s; } u = {3}; u.i = 4; int *p = &u.i;", &[Deref], one(4)),
        (
            "union u { int i; short s; } u = {3}; u.i = 4; short *q = &u.s; union u *p = &u;",
            &[Deref, Field(1)],
            fixed(4),
        ),
        ("struct s { int a : 4; } *p = malloc(4); p->a = 2;", &[Deref, Field(0)], fixed(2)),
        (
            "const struct s { int a : 4; } s = {2}; struct s *p = (struct s *)&s;",
            &[Deref, Field(0)],
            fixed(2),
        ),
    ] {
        let program = parse(&format!("int main(void) {{ {declaration} here(); return 0; }}"));
        assert_eq!(values(&program, "p", path), expected, "{declaration}");
    }
}

/// A probe leaves no trace in the machine: above all no effective type.
#[test]
fn looking_changes_nothing() {
    let program = parse(
        "int main(void) {
             int *p = malloc(16); volatile int v = 1, *q = &v; __builtin_memset(p, 0, 16);
             here();
             *(float *)p = 1.5f;
             return *(float *)p == 1.5f ? 0 : 1;
         }",
    );
    let watches = [watch(&program, "p", &[Deref]), watch(&program, "q", &[Deref])];
    let hooks = Hooks { volatile: true, ..Hooks::default() };
    let probes = HashMap::from([(here(&program), watches.to_vec())]);
    let plain = run_with(&program, &MachineConfig::default(), &hooks);
    let probed = run_with(&program, &MachineConfig::default(), &Hooks { probes, ..hooks });
    assert_eq!(plain.outcome, Outcome::Finished(Exit::Status(0)));
    assert_eq!((probed.outcome, probed.steps), (plain.outcome, plain.steps));
    assert_eq!(probed.profile.volatile, plain.profile.volatile);
    let point = &probed.profile.points[&here(&program)];
    assert!(point.values.iter().all(Option::is_some), "{point:?}");
}

#[test]
fn a_probe_reached_too_often_is_given_up() {
    let program = parse("int main(void) { for (int i = 0; i < 10; i++) here(); return 0; }");
    let watches = [watch(&program, "i", &[])];
    let limited = |n| Hooks { probe_visits: Some(n), ..Hooks::default() };
    assert_eq!(point(&program, &watches, limited(9)), None);
    let point = point(&program, &watches, limited(10)).expect("within the limit");
    assert_eq!(point.visits, 10);
    assert_eq!(point.values[0].as_ref().expect("values").max, 9);
}

#[test]
fn only_so_many_values_are_kept() {
    let program = parse("int main(void) { for (int i = 0; i < 600; i++) here(); return 0; }");
    let watches = [watch(&program, "i", &[])];
    let noted = |probe_values| {
        let point = point(&program, &watches, Hooks { probe_values, ..Hooks::default() });
        let values = point.expect("reached").values[0].clone().expect("values");
        (values.values.len(), values.complete, values.min, values.max, values.seen)
    };
    assert_eq!(noted(None), (256, false, 0, 599, 600));
    assert_eq!(noted(Some(16)), (16, false, 0, 599, 600));
    assert_eq!(noted(Some(600)), (600, true, 0, 599, 600));
}

/// While operands are evaluated whose order is open, what another of them accesses is not known:
/// to read it would be unsequenced, or depend on the order of calls.
#[test]
fn what_another_operand_touches_has_no_value() {
    let program = |main: &str| {
        parse(&format!(
            "int g = 1, h = 2, u = 3, *pg = &g; static int set(void) {{ g = 5; return 0; }}
             static int look(void) {{ int own = 4; here(); return own - 4; }}
             int main(void) {{ {main} return 0; }}"
        ))
    };
    // Written before or after, by an operator or a call.
    for main in ["u = (g = 5) + look();", "u = look() + set();", "u = set() + look();"] {
        let program = program(main);
        assert_eq!(seen(&program, "g", &[]), None, "{main}");
        assert_eq!(seen(&program, "pg", &[Deref]), None, "{main}");
        assert_eq!(values(&program, "own", &[]), one(4), "{main}");
    }
    // Only read: it must not be written.
    let reading = program("u = g + look();");
    assert_eq!(values(&reading, "g", &[]), Some((vec![1], false)));
    assert_eq!(values(&reading, "pg", &[Deref]), Some((vec![1], false)));
    assert_eq!(values(&reading, "h", &[]), one(2));
    assert_eq!(values(&program("u = 0; look();"), "g", &[]), one(1));
    assert_eq!(values(&program("u = look() ? g : (g = 2);"), "g", &[]), one(1));
}

#[test]
fn statement_expressions() {
    let program = parse(
        "int main(void) {
             int x = 7, y = 1;
             int z = x + ({ here(); y = 2; 1; });
             return z - 8;
         }",
    );
    // Only read there, by the other operand.
    assert_eq!(values(&program, "x", &[]), Some((vec![7], false)));
    assert_eq!(values(&program, "y", &[]), one(1));
    // In its own initialiser it has no value yet.
    assert_eq!(values(&program, "z", &[]), None);
    let program = parse(
        "int main(void) {
             int x = 7;
             for (int i = 0; i < 2; i++) { x = i + ({ here(); x++; x; }); }
             return 0;
         }",
    );
    let x = point(&program, &[watch(&program, "x", &[])], Hooks::default()).expect("reached");
    let values = x.values[0].clone().expect("a value");
    assert_eq!((values.seen, values.min, values.max), (2, 7, 8));
}

/// Scopes end and begin again: a variable in a register has no value from last time.
#[test]
fn variables_begin_without_a_value() {
    let program = parse(
        "int main(void) {
             int n = 0;
         again: ;
             int x; int *p = &n;
             if (n == 2) x = 9;
             here();
             x = 5;
             if (n++ < 2) goto again;
             return x - 5;
         }",
    );
    let x = seen(&program, "x", &[]).expect("a value at one visit");
    assert_eq!((x.seen, x.min, x.max), (1, 9, 9));
    assert_eq!(values(&program, "p", &[Deref]).expect("values").0, [0, 1, 2]);
}
