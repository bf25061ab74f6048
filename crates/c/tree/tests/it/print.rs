//! What the printer writes, construct by construct, on trees made with the builders.

use ctree::print::{print_expr, print_stmt, print_type, print_unit};
use ctree::{
    BinOp, DataModel, ExprId, Field, Init, InitItem, Item, Label, LabelId, Program, Quals, Record,
    RecordId, RecordKind, Scope, StmtKind, Storage, Ty, TypeKind, UnOp,
};

fn program() -> Program {
    Program::new(DataModel::X86_64_SYSV)
}

/// An `int` variable to use in expressions.
fn var(p: &mut Program, name: &str) -> ExprId {
    let var = p.add_var(name, Ty::INT, Scope::Block);
    p.var_ref(var)
}

fn declaration(p: &mut Program, ty: Ty) -> String {
    let var = p.add_var("x", ty, Scope::Block);
    let stmt = p.make_stmt(StmtKind::Decl(vec![Item::Var(var)]));
    print_stmt(p, stmt).trim_end().to_string()
}

#[test]
fn declarators() {
    let p = &mut program();
    let func = p.func_type(Ty::INT, &[Ty::CHAR, Ty::LDOUBLE], true);
    let func_ptr = p.types.pointer(func);
    assert_eq!(declaration(p, func_ptr), "int (*x)(char, long double, ...);");
    let table = p.types.array(func_ptr, 3);
    assert_eq!(declaration(p, table), "int (*x[3])(char, long double, ...);");
    let row = p.types.array(Ty::UINT, 4);
    let row_ptr = p.types.pointer(row);
    assert_eq!(declaration(p, row_ptr), "unsigned int (*x)[4];");
    let returns_row = p.func_type(row_ptr, &[], false);
    let returns_row = p.types.pointer(returns_row);
    assert_eq!(declaration(p, returns_row), "unsigned int (*(*x)(void))[4];");
    let constant = p.types.pointer(Ty::CHAR.qualified(Quals::CONST)).qualified(Quals::CONST);
    let constant = p.types.pointer(constant).qualified(Quals::VOLATILE.with(Quals::RESTRICT));
    assert_eq!(declaration(p, constant), "const char *const *volatile restrict x;");
    assert_eq!(print_type(p, table), "int (*[3])(char, long double, ...)");
    assert_eq!(print_type(p, row), "unsigned int[4]");
    let vector = p.types.intern(TypeKind::Vector(Ty::INT, 4));
    let vector = p.types.pointer(vector.qualified(Quals::CONST));
    assert_eq!(print_type(p, vector), "const int __attribute__((vector_size(16))) *");
}

#[test]
fn one_declaration_declares_several() {
    let p = &mut program();
    let pointer = p.types.pointer(Ty::LONG);
    let (a, b) = (p.add_var("a", Ty::LONG, Scope::Block), p.add_var("b", pointer, Scope::Block));
    let zero = p.int_const(Ty::INT, 0);
    p.vars[a.index()].init = Some(p.init_expr(Ty::LONG, zero));
    p.vars[b.index()].align = Some(16);
    let stmt = p.make_stmt(StmtKind::Decl(vec![Item::Var(a), Item::Var(b)]));
    assert_eq!(print_stmt(p, stmt), "long a = 0, *b __attribute__((aligned(16)));\n");
    p.vars[b.index()].storage = Storage::Static;
    assert_eq!(print_stmt(p, stmt), "long a = 0;\nstatic long *b __attribute__((aligned(16)));\n");
}

#[test]
fn integer_constants() {
    let p = &mut program();
    for (ty, value, text) in [
        (Ty::INT, 5, "5"),
        (Ty::UINT, 4_294_967_295, "4294967295U"),
        (Ty::LONG, -1, "-1L"),
        (Ty::ULONG, 7, "7UL"),
        (Ty::LLONG, 7, "7LL"),
        (Ty::ULLONG, i128::from(u64::MAX), "18446744073709551615ULL"),
        (Ty::INT, i128::from(i32::MIN), "-2147483647 - 1"),
        (Ty::LONG, i128::from(i64::MIN), "-9223372036854775807L - 1L"),
        (Ty::SCHAR, -128, "(signed char)-128"),
        (Ty::BOOL, 1, "(_Bool)1"),
        (Ty::INT128, -3, "(__int128)-3L"),
        (Ty::UINT128, 1 << 64, "((unsigned __int128)1UL << 64) | 0UL"),
    ] {
        let e = p.int_const(ty, value);
        assert_eq!(print_expr(p, e), text);
    }
}

#[test]
fn floating_constants() {
    let p = &mut program();
    for (ty, value, text) in [
        (Ty::DOUBLE, 1.0, "1.0"),
        (Ty::DOUBLE, 0.1, "0.1"),
        (Ty::DOUBLE, -2.5, "-2.5"),
        (Ty::DOUBLE, 1e300, "1e300"),
        (Ty::DOUBLE, 5e-324, "5e-324"),
        (Ty::FLOAT, 0.1, "0.1f"),
        (Ty::FLOAT, 1e30, "1e30f"),
        (Ty::LDOUBLE, 1.0, "0x1p0L"),
        (Ty::LDOUBLE, 0.0, "0.0L"),
        (Ty::LDOUBLE, 10.5, "0x15p-1L"),
        (Ty::LDOUBLE, 5e-324, "0x1p-1074L"),
    ] {
        let e = p.float_const(ty, value);
        assert_eq!(print_expr(p, e), text);
    }
}

#[test]
fn string_literals() {
    let p = &mut program();
    for (bytes, text) in [
        (&b"a\"b\\c\n\t"[..], r#""a\"b\\c\n\t""#),
        // No trigraph, no digit that joins an escape, zeros inside kept.
        (b"??=", r#""?\?=""#),
        (b"\x011\x002\xff", r#""\0011\0002\377""#),
    ] {
        let e = p.str_const(bytes);
        assert_eq!(print_expr(p, e), text);
    }
    let wide = p.wide_str_const(&[0x3b1, u32::from(b'a'), 0x7f, u32::from(b'z')]);
    assert_eq!(print_expr(p, wide), r#"L"\x3b1\141\177z""#);
}

#[test]
fn parentheses() {
    use BinOp::*;
    let p = &mut program();
    let [a, b, c] = ["a", "b", "c"].map(|n| var(p, n));
    let both = |p: &mut Program, inner, outer| {
        let left = p.binary(inner, a, b);
        let left = p.binary(outer, left, c);
        let right = p.binary(inner, b, c);
        let right = p.binary(outer, a, right);
        format!("{}, {}", print_expr(p, left), print_expr(p, right))
    };
    assert_eq!(both(p, Add, Add), "a + b + c, a + (b + c)");
    assert_eq!(both(p, Mul, Add), "a * b + c, a + b * c");
    assert_eq!(both(p, Add, Mul), "(a + b) * c, a * (b + c)");
    assert_eq!(both(p, Add, Shl), "(a + b) << c, a << (b + c)");
    assert_eq!(both(p, Shl, BitAnd), "(a << b) & c, a & (b << c)");
    assert_eq!(both(p, BitAnd, BitAnd), "a & b & c, a & (b & c)");
    assert_eq!(both(p, BitAnd, BitOr), "(a & b) | c, a | (b & c)");
    assert_eq!(both(p, LogAnd, LogOr), "(a && b) || c, a || (b && c)");
    assert_eq!(both(p, Lt, LogAnd), "a < b && c, a && b < c");
    assert_eq!(both(p, Lt, Eq), "(a < b) == c, a == (b < c)");
    assert_eq!(both(p, BitAnd, Eq), "(a & b) == c, a == (b & c)");
    assert_eq!(both(p, Comma, Comma), "a, b, c, a, (b, c)");
}

#[test]
fn prefix_operators_do_not_join() {
    let p = &mut program();
    let (a, b) = (var(p, "a"), var(p, "b"));
    let minus = p.unary(UnOp::Neg, b);
    let twice = p.unary(UnOp::Neg, minus);
    assert_eq!(print_expr(p, twice), "-(-b)");
    let sub = p.binary(BinOp::Sub, a, minus);
    assert_eq!(print_expr(p, sub), "a - (-b)");
    let dec = p.unary(UnOp::PreDec, b);
    let neg = p.unary(UnOp::Neg, dec);
    assert_eq!(print_expr(p, neg), "-(--b)");
    let not = p.unary(UnOp::LogNot, a);
    let and = p.binary(BinOp::BitAnd, not, b);
    assert_eq!(print_expr(p, and), "(!a) & b");
    let address = p.addr_of(b);
    let address = p.cast(Ty::LONG, address);
    let and = p.binary(BinOp::BitAnd, a, address);
    assert_eq!(print_expr(p, and), "a & (long)&b");
}

#[test]
fn sizeof_and_casts_of_compound_literals() {
    let p = &mut program();
    let one = p.int_const(Ty::INT, 1);
    let literal = p.compound_lit(Ty::INT, Init::Expr(one));
    let size = p.sizeof_expr(literal);
    assert_eq!(print_expr(p, size), "sizeof((int){1})");
    let cast = p.cast(Ty::CHAR, literal);
    assert_eq!(print_expr(p, cast), "(char)((int){1})");
    let negative = p.unary(UnOp::Neg, one);
    let cast = p.cast(Ty::CHAR, negative);
    assert_eq!(print_expr(p, cast), "(char)-1");
    let post = p.unary(UnOp::PostInc, literal);
    assert_eq!(print_expr(p, post), "(int){1}++");
}

#[test]
fn an_else_keeps_its_if() {
    let p = &mut program();
    let (a, b) = (var(p, "a"), var(p, "b"));
    let empty = p.make_stmt(StmtKind::Empty);
    let inner = p.make_stmt(StmtKind::If(b, empty, None));
    let inner = p.make_stmt(StmtKind::While(b, inner));
    let outer = p.make_stmt(StmtKind::If(a, inner, Some(empty)));
    let text = "if (a) {\n    while (b)\n        if (b)\n            ;\n} else\n    ;\n";
    assert_eq!(print_stmt(p, outer), text);
}

#[test]
fn conditions_with_an_assignment_get_parentheses() {
    let p = &mut program();
    let (a, b) = (var(p, "a"), var(p, "b"));
    let assign = p.assign(a, b);
    let empty = p.make_stmt(StmtKind::Empty);
    let stmt = p.make_stmt(StmtKind::While(assign, empty));
    assert_eq!(print_stmt(p, stmt), "while ((a = b))\n    ;\n");
}

#[test]
fn labels_stand_before_statements_only() {
    let p = &mut program();
    let name = p.names.intern("out");
    p.labels.push(Label { name });
    let (_, decl) = p.local("x", Ty::INT, None);
    let label = p.make_stmt(StmtKind::Label(LabelId(0), decl));
    assert_eq!(print_stmt(p, label), "out: ;\nint x;\n");
    let case = p.make_stmt(StmtKind::Case(1, 3, decl));
    assert_eq!(print_stmt(p, case), "case 1 ... 3: ;\nint x;\n");
}

/// `struct S { int a; int : 3; struct { int b; int c; }; int d; };`
fn record_with_anonymous_member(p: &mut Program) -> Ty {
    let field = |p: &mut Program, name: &str| Field::new(Some(p.names.intern(name)), Ty::INT);
    let record = |p: &mut Program, tag: Option<&str>, fields| {
        let tag = tag.map(|t| p.names.intern(t));
        p.types.records.push(Record {
            tag,
            kind: RecordKind::Struct,
            fields,
            complete: false,
            packed: false,
            min_align: None,
            size: 0,
            align: 0,
        });
        let id = RecordId(p.types.records.len() as u32 - 1);
        p.types.complete_record(id);
        p.types.intern(TypeKind::Record(id))
    };
    let fields = vec![field(p, "b"), field(p, "c")];
    let inner = record(p, None, fields);
    let gap = Field { bits: Some(3), ..Field::new(None, Ty::INT) };
    let fields = vec![field(p, "a"), gap, Field::new(None, inner), field(p, "d")];
    record(p, Some("S"), fields)
}

#[test]
fn anonymous_members_are_in_place() {
    let p = &mut program();
    let ty = record_with_anonymous_member(p);
    let unit = p.add_unit("t.c");
    p.units[0].items.push(Item::Record(RecordId(1)));
    let text = "struct S {\n    int a;\n    int : 3;\n    struct {\n        int b;\n        int c;\n    };\n    int d;\n};\n";
    assert_eq!(print_unit(p, unit), text);
    let var = p.add_var("s", ty, Scope::Block);
    let s = p.var_ref(var);
    let (inner, address) = (p.member(s, 2), p.addr_of(s));
    let c = p.member(inner, 1);
    assert_eq!(print_expr(p, c), "s.c");
    let inner = p.arrow(address, 2);
    let c = p.member(inner, 1);
    assert_eq!(print_expr(p, c), "(&s)->c");
}

#[test]
fn designators_only_where_a_position_is_skipped() {
    let p = &mut program();
    let ty = record_with_anonymous_member(p);
    let one = p.int_const(Ty::INT, 1);
    let item = |first, init| InitItem { first, last: first, init };
    let value = || Init::Expr(one);
    let literal = |p: &mut Program, ty, items| {
        let e = p.compound_lit(ty, Init::List(items));
        print_expr(p, e)
    };
    let inner = || Init::List(vec![item(1, value())]);
    let whole = vec![item(0, value()), item(2, inner()), item(3, value())];
    assert_eq!(literal(p, ty, whole), "(struct S){1, {.c = 1}, 1}");
    // An anonymous member that is not next is reached through its members' names.
    let late = vec![item(2, inner()), item(3, value())];
    assert_eq!(literal(p, ty, late), "(struct S){.c = 1, .d = 1}");
    let array = p.types.array(Ty::INT, 9);
    let range = InitItem { first: 2, last: 4, init: value() };
    let items = vec![item(0, value()), range, item(5, value()), item(8, value())];
    assert_eq!(literal(p, array, items), "(int[9]){1, [2 ... 4] = 1, 1, [8] = 1}");
    assert_eq!(literal(p, array, Vec::new()), "(int[9]){}");
}

#[test]
fn old_style_definitions() {
    let p = &mut program();
    let ty = p.types.intern(TypeKind::Function(ctree::FuncType {
        ret: Ty::INT,
        params: Box::default(),
        variadic: false,
        proto: false,
    }));
    let func = p.add_func("f", ty);
    let pointer = p.types.pointer(Ty::CHAR);
    let params =
        vec![p.add_var("a", Ty::FLOAT, Scope::Param), p.add_var("b", pointer, Scope::Param)];
    let body = p.block(Vec::new());
    let f = &mut p.funcs[func.index()];
    (f.old_style, f.params, f.body) = (true, params, Some(body));
    let unit = p.add_unit("t.c");
    p.units[0].items = vec![Item::FuncDecl(func), Item::Func(func)];
    assert_eq!(print_unit(p, unit), "int f();\n\nint f(a, b)\nfloat a;\nchar *b;\n{\n}\n");
}

#[test]
fn a_later_typedef_name_is_not_used_before_it_is_declared() {
    let p = &mut program();
    let name = p.names.intern("T");
    p.types.typedefs.push(ctree::Typedef { name, ty: Ty::INT, align: None });
    let id = ctree::TypedefId(0);
    let ty = p.types.intern(TypeKind::Typedef(id));
    let var = p.add_var("x", ty, Scope::File);
    let unit = p.add_unit("t.c");
    p.units[0].items = vec![Item::VarDecl(var), Item::Typedef(id), Item::Var(var)];
    assert_eq!(print_unit(p, unit), "extern int x;\ntypedef int T;\nT x;\n");
}
