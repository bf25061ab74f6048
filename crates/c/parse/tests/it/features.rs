//! One test per feature: C text in, lines of the tree's dump out.

use ctree::{DataModel, Program};

/// The dump of a unit.
fn dump(text: &str) -> String {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    match cparse::parse_unit(&mut program, "test.c", text) {
        Ok(unit) => ctree::dump::dump_unit(&program, unit),
        Err(error) => panic!("{error}: {:?}\n{text}", program.source.location(error.span)),
    }
}

/// The lines of a unit's dump, without indentation.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let dump = dump(text);
    let lines: Vec<&str> = dump.lines().map(str::trim).collect();
    assert_eq!(lines, expected, "\n{dump}");
}

/// Declarations that expression tests share.
const PRELUDE: &str = "
    struct s { int a; unsigned b : 5; unsigned w : 32; struct { int in; }; int arr[3]; } g, *ps;
    const int k = 3; enum e { A, B = 5 } ee; char c; unsigned char uc; short h; unsigned u; int i;
    long l; unsigned long ul; float f; double d; long double ld; int *p; const int *cp; void *v;
    _Bool b; int fn(int x, ...); int old(); void (*fp)(float); int arr[3][4];
    typedef int v4 __attribute__((vector_size(16))); v4 vec;
";

/// The dump of the expression `text` on one line, names without their ordinals.
fn expr(text: &str) -> String {
    let dump = dump(&format!("{PRELUDE}void test(void) {{ {text}; }}"));
    let body = dump.split("(block").nth(1).unwrap_or_default();
    let line: Vec<&str> = body.split_whitespace().collect();
    let line = line.join(" ");
    let inner = line.strip_prefix("(expr ").and_then(|l| l.strip_suffix(")))")).unwrap_or(&line);
    let mut out = String::new();
    let mut skip = false;
    for ch in inner.chars() {
        skip = ch == '#' || skip && ch.is_ascii_digit();
        if !skip {
            out.push(ch);
        }
    }
    out
}

#[track_caller]
fn check_exprs(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(expr(text), *expected, "{text}");
    }
}

#[test]
fn promotions_and_usual_conversions() {
    check_exprs(&[
        ("c + uc", "(Add:Int (implicit:Int (var:Char c)) (implicit:Int (var:UChar uc)))"),
        ("k + 1", "(Add:Int (var:const Int k) (int:Int 1))"),
        ("i + u", "(Add:UInt (implicit:UInt (var:Int i)) (var:UInt u))"),
        ("u + l", "(Add:Long (implicit:Long (var:UInt u)) (var:Long l))"),
        ("l < ul", "(Lt:Int (implicit:ULong (var:Long l)) (var:ULong ul))"),
        ("ee + 1", "(Add:UInt (implicit:UInt (var:enum e ee)) (implicit:UInt (int:Int 1)))"),
        ("f * 2", "(Mul:Float (var:Float f) (implicit:Float (int:Int 2)))"),
        ("f == d", "(Eq:Int (implicit:Double (var:Float f)) (var:Double d))"),
        ("h << l", "(Shl:Int (implicit:Int (var:Short h)) (var:Long l))"),
        ("~uc", "(BitNot:Int (implicit:Int (var:UChar uc)))"),
        ("b && p", "(LogAnd:Int (var:Bool b) (var:(ptr Int) p))"),
    ]);
}

#[test]
fn bit_fields_promote_by_width() {
    check_exprs(&[
        ("g.b - 4", "(Sub:Int (implicit:Int (member:UInt 1 (var:struct s g))) (int:Int 4))"),
        (
            "(g.b = 1) - 4",
            "(Sub:Int (implicit:Int (assign:UInt (member:UInt 1 (var:struct s g)) (implicit:UInt \
             (int:Int 1)))) (int:Int 4))",
        ),
        ("-g.w", "(Neg:UInt (member:UInt 2 (var:struct s g)))"),
    ]);
}

#[test]
fn pointers() {
    check_exprs(&[
        ("1 + p", "(Add:(ptr Int) (var:(ptr Int) p) (int:Int 1))"),
        ("p - cp", "(Sub:Long (var:(ptr Int) p) (var:(ptr const Int) cp))"),
        ("p == v", "(Eq:Int (implicit:(ptr void) (var:(ptr Int) p)) (var:(ptr void) v))"),
        (
            "p == cp",
            "(Eq:Int (implicit:(ptr const Int) (var:(ptr Int) p)) (var:(ptr const Int) cp))",
        ),
        ("p = 0", "(assign:(ptr Int) (var:(ptr Int) p) (implicit:(ptr Int) (int:Int 0)))"),
        ("i = p", "(assign:Int (var:Int i) (implicit:Int (var:(ptr Int) p)))"),
        ("c[p]", "(index:Int (var:(ptr Int) p) (implicit:Int (var:Char c)))"),
        (
            "arr[1]",
            "(index:(array 4 Int) (implicit:(ptr (array 4 Int)) (var:(array 3 (array 4 Int)) arr)) \
             (int:Int 1))",
        ),
        ("*&i", "(Deref:Int (AddrOf:(ptr Int) (var:Int i)))"),
        (
            "b ? p : 0",
            "(cond:(ptr Int) (var:Bool b) (var:(ptr Int) p) (implicit:(ptr Int) (int:Int 0)))",
        ),
        (
            "b ? p : v",
            "(cond:(ptr void) (var:Bool b) (implicit:(ptr void) (var:(ptr Int) p)) (var:(ptr void) v))",
        ),
    ]);
}

#[test]
fn assignments() {
    check_exprs(&[
        ("c = l", "(assign:Char (var:Char c) (implicit:Char (var:Long l)))"),
        ("c += d", "(assign-Add:Char in Double (var:Char c) (var:Double d))"),
        ("c <<= l", "(assign-Shl:Char in Int (var:Char c) (var:Long l))"),
        (
            "p -= c",
            "(assign-Sub:(ptr Int) in (ptr Int) (var:(ptr Int) p) (implicit:Int (var:Char c)))",
        ),
        (
            "i = u = 1",
            "(assign:Int (var:Int i) (implicit:Int (assign:UInt (var:UInt u) (implicit:UInt (int:Int 1)))))",
        ),
        ("c ?: l", "(cond:Long (var:Char c) - (var:Long l))"),
        ("i, c", "(Comma:Char (var:Int i) (var:Char c))"),
    ]);
}

#[test]
fn members_through_anonymous_ones() {
    let dump = dump("struct s { int a; struct { int in; }; } *p; int f(void) { return p->in; }");
    assert!(dump.contains("(member:Int 0 (arrow:"), "{dump}");
    assert_eq!(expr("ps->a"), "(arrow:Int 0 (var:(ptr struct s) ps))");
    assert_eq!(
        expr("(&g)->arr"),
        "(arrow:(array 3 Int) 4 (AddrOf:(ptr struct s) (var:struct s g)))"
    );
}

#[test]
fn calls() {
    check_exprs(&[
        (
            "fn(c, f)",
            "(call:Int (implicit:(ptr (fn Int, Int, ...)) (func:(fn Int, Int, ...) fn)) (implicit:Int \
             (var:Char c)) (implicit:Double (var:Float f)))",
        ),
        (
            "(*fp)(d)",
            "(call:void (implicit:(ptr (fn void, Float)) (Deref:(fn void, Float) (var:(ptr (fn void, Float)) fp))) (implicit:Float (var:Double d)))",
        ),
    ]);
    assert!(
        expr("old(f, c)").ends_with("(implicit:Double (var:Float f)) (implicit:Int (var:Char c)))")
    );
}

#[test]
fn constants() {
    check_exprs(&[
        ("'a'", "(int:Int 97)"),
        ("'\\xff'", "(Neg:Int (int:Int 1))"),
        ("4294967295", "(int:Long 4294967295)"),
        ("0xffffffff", "(int:UInt 4294967295)"),
        ("1.5f", "(float:Float 1.5)"),
        ("B", "(enum-const:Int B)"),
        ("sizeof(int)", "(sizeof-type:ULong Int)"),
    ]);
}

#[test]
fn folded_extensions() {
    check_exprs(&[
        ("__builtin_constant_p(3 * 4)", "(int:Int 1)"),
        ("__builtin_constant_p(\"x\")", "(int:Int 1)"),
        ("__builtin_constant_p(i)", "(int:Int 0)"),
        ("__builtin_types_compatible_p(int, const int)", "(int:Int 1)"),
        ("__builtin_types_compatible_p(int, enum e)", "(int:Int 0)"),
        ("__builtin_choose_expr(0, 1, i)", "(var:Int i)"),
        ("__builtin_offsetof(struct s, arr[1])", "(int:ULong 20)"),
        ("_Generic(c, int: 1, char: c, default: 3)", "(var:Char c)"),
        ("_Generic(&arr[0], int (*)[4]: 7, default: 3)", "(int:Int 7)"),
        ("__builtin_classify_type(d)", "(int:Int 8)"),
    ]);
}

#[test]
fn vectors() {
    check_exprs(&[
        (
            "vec + 1",
            "(Add:(vector 4 Int) (var:(vector 4 Int) vec) (implicit:(vector 4 Int) (int:Int 1)))",
        ),
        ("vec << 'c'", "(Shl:(vector 4 Int) (var:(vector 4 Int) vec) (int:Int 99))"),
        (
            "1 << vec",
            "(Shl:(vector 4 Int) (implicit:(vector 4 Int) (int:Int 1)) (var:(vector 4 Int) vec))",
        ),
        ("vec == vec", "(Eq:(vector 4 Int) (var:(vector 4 Int) vec) (var:(vector 4 Int) vec))"),
        ("vec[1]", "(index:Int (implicit:(ptr Int) (var:(vector 4 Int) vec)) (int:Int 1))"),
    ]);
}

#[test]
fn tentative_definitions_and_redeclarations() {
    check(
        "int x; int x; extern int x; int a[]; int a[4]; int open[]; static int s; static int s = 1;",
        &[
            "(declare x#1<None File defined Int>)",
            "(define x#1)",
            "(declare x#1)",
            "(declare a#2<None File defined (array 4 Int)>)",
            "(define a#2)",
            "(define open#3<None File defined (array 1 Int)>)",
            "(declare s#4<Static File defined Int>)",
            "(define s#4 = (int:Int 1))",
        ],
    );
}

#[test]
fn hoisted_definitions() {
    let text = "struct { struct in { int x; } i; } v; enum { A } e; typedef union u { int i; } U;";
    let dump = dump(text);
    let heads: Vec<&str> = dump
        .lines()
        .filter(|l| l.starts_with('('))
        .map(|l| l.split_whitespace().next().unwrap_or(l))
        .collect();
    assert_eq!(heads, ["(struct", "(struct", "(define", "(enum", "(define", "(union", "(typedef"]);
    assert!(dump.contains("__anon_0") && dump.contains("__anon_1"), "{dump}");
}

#[test]
fn initialisers_are_normalised() {
    let init = |text: &str| {
        let dump = dump(&format!("struct p {{ int x, y; }}; struct p q; {text}"));
        let line: Vec<&str> = dump.lines().last().unwrap_or("").split(" = ").collect();
        line[1..].join(" = ").trim_end_matches(')').to_string()
    };
    // Brace elision and explicit braces give one tree.
    assert_eq!(init("struct p a[2] = { 1, 2, 3 };"), init("struct p a[2] = { { 1, 2 }, { 3 } };"));
    assert_eq!(init("int g[2][2] = { 1, 2, 3 };"), init("int g[2][2] = { { 1, 2 }, { 3 } };"));
    // Designators reorder and override.
    assert_eq!(init("struct p a = { .y = 2, .x = 1 };"), init("struct p a = { 1, 2 };"));
    assert_eq!(init("struct p a = { y: 2 };"), init("struct p a = { .y = 2 };"));
    assert_eq!(init("int a[4] = { 1, 2, [1] = 5, 6 };"), init("int a[4] = { 1, 5, 6 };"));
    assert_eq!(
        init("int a[9] = { [0 ... 8] = 1, [4] = 2 };"),
        init("int a[9] = { [0 ... 3] = 1, 2, [5 ... 8] = 1 };")
    );
    assert_eq!(
        init("struct p a[3] = { [1].y = 4, 5 };"),
        init("struct p a[3] = { [1] = { .y = 4 }, { 5 } };")
    );
    assert_eq!(init("int a = { { 3 } };"), init("int a = 3;"));
}

#[test]
fn unsized_arrays_are_completed() {
    assert!(dump("char s[] = \"abc\";").contains("(array 4 Char)"));
    assert!(dump("int a[] = { [5] = 1, 2 };").contains("(array 7 Int)"));
    assert!(dump("int a[][2] = { 1, 2, 3 };").contains("(array 2 (array 2 Int))"));
    assert!(dump("int *p = (int[]){ 1, 2, 3 };").contains("(array 3 Int)"));
}

#[test]
fn old_style_definitions_and_implicit_declarations() {
    let old = dump("f(a, b) char *b; { return a + *b; }");
    assert!(old.contains("f#1") && old.contains("(ptr Char)"), "{old}");
    let implicit = dump("void f(void) { g(1); strlen(\"x\"); }");
    let heads: Vec<&str> = implicit.lines().filter(|l| l.starts_with("(declare")).collect();
    assert_eq!(heads.len(), 2, "{implicit}");
    assert!(heads[1].contains("(fn ULong, (ptr const Char))"), "{implicit}");
}

#[test]
fn builtins_are_no_items() {
    let dump =
        dump("void f(int *p) { __builtin_memcpy(p, p, 4); __builtin_add_overflow(1, 2, p); }");
    assert_eq!(dump.lines().filter(|l| l.starts_with('(')).count(), 1, "{dump}");
    assert!(dump.contains("__builtin_memcpy"), "{dump}");
}

#[test]
fn attributes_and_pragmas() {
    assert!(dump("struct __attribute__((packed)) s { char c; int i; };").contains("size 5"));
    assert!(dump("struct s { char c; int i; } __attribute__((aligned(16)));").contains("size 16"));
    assert!(dump("#pragma pack(1)\nstruct s { char c; int i; };\n").contains("size 5"));
    assert!(
        dump("#pragma pack(push, 1)\n#pragma pack(pop)\nstruct s { char c; int i; };\n")
            .contains("size 8")
    );
    assert!(dump("typedef unsigned hi __attribute__((mode(HI))); hi x;").contains("UShort"));
    assert!(dump("enum __attribute__((packed)) e { A } x;").contains("UChar"));
}

#[test]
fn statements() {
    check(
        "int f(int x) { switch (x) { case 1: case 2 ... 3: break; default: goto l; } l: return 0; }",
        &[
            "(define f#1<None defined (fn Int, Int)> x#1<None Param defined Int>",
            "(block",
            "(switch (var:Int x#1)",
            "(block",
            "(case 1 1",
            "(case 2 3",
            "(break)))",
            "(default",
            "(goto l#1))))",
            "(label l#1",
            "(return (int:Int 0)))))",
        ],
    );
}

#[test]
fn unsupported_prototypes_are_skipped_until_used() {
    dump("extern _Float128 f(void); typedef _Complex double c; extern c g(c); int x = 1;");
    dump("typedef float _Float32; _Float32 x;");
}

#[test]
fn asm_barriers_with_empty_templates() {
    let dump = dump(
        "void f(int x, int y) { asm volatile (\"\" : \"+r\" (x) : : \"memory\"); asm (\"\" : \"=r\" (x) : \"0\" (y)); }",
    );
    assert!(dump.contains("(assign:Int (var:Int x#1) (var:Int y#2))"), "{dump}");
}

#[test]
fn line_markers_give_places() {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    let text = "# 10 \"a.c\"\nint x;\n# 40 \"b.h\" 1\nint y;\n#line 7 \"c.c\"\n\nint x = y z;\n";
    let error = cparse::parse_unit(&mut program, "test.i", text).unwrap_err();
    let place = program.source.location(error.span).unwrap();
    assert_eq!((place.file.as_str(), place.line, place.column), ("c.c", 8, 11));
}

#[test]
fn units_share_a_program() {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    let a =
        cparse::parse_unit(&mut program, "a.c", "static int x; struct s { int a; } v;").unwrap();
    let b =
        cparse::parse_unit(&mut program, "b.c", "static long x; struct s { char b; } v;").unwrap();
    assert_ne!(a, b);
    assert_eq!(program.units.len(), 2);
    assert!(ctree::dump::dump_unit(&program, b).contains("Long"));
}

/// In C++ a bit-field wider than `int` is of its declared type.
#[test]
fn wide_bit_fields_are_what_the_dialect_says() {
    let text =
        "struct { unsigned long w : 40; } s; unsigned long f(void) { return ~s.w + s.w * 2; }";
    let read = |dialect| {
        let mut program = Program::new(DataModel::X86_64_SYSV);
        let unit = cparse::parse_unit_as(&mut program, "test.c", text, dialect)?;
        Ok(ctree::print::print_unit(&program, unit))
    };
    let refused: Result<String, cparse::ParseError> = read(cparse::Dialect::C);
    assert_eq!(refused.expect_err("compilers differ").kind, cparse::ErrorKind::Unsupported);
    let printed = read(cparse::Dialect::Cxx).expect("all compilers agree");
    assert!(printed.contains("~(unsigned long)s.w + (unsigned long)s.w * 2"), "{printed}");
}
