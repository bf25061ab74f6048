//! What the printer writes as C++ and as three files, construct by construct, and what it refuses.

use ctree::print::{Container, CxxPlan, SplitFile, Style, print_split, print_unit_as};
use ctree::{
    BinOp, DataModel, Enum, EnumId, Enumerator, ExprId, Field, FuncStorage, Init, InitItem,
    IntKind, Item, Program, Quals, Record, RecordId, RecordKind, Scope, StmtKind, Storage, Ty,
    TypeKind, UnOp, UnitId, VarId,
};

fn program() -> Program {
    let mut p = Program::new(DataModel::X86_64_SYSV);
    p.add_unit("unit.c");
    p
}

fn item(p: &mut Program, item: Item) {
    p.units[0].items.push(item);
}

/// A file-scope variable with its definition.
fn global(p: &mut Program, name: &str, ty: Ty, init: Option<Init>) -> VarId {
    let var = p.add_var(name, ty, Scope::File);
    p.vars[var.index()].init = init;
    p.vars[var.index()].defined = true;
    item(p, Item::Var(var));
    var
}

fn record(p: &mut Program, tag: &str, kind: RecordKind, fields: Vec<Field>) -> RecordId {
    let tag = Some(p.names.intern(tag));
    p.types.records.push(Record {
        tag,
        kind,
        fields,
        complete: false,
        packed: false,
        min_align: None,
        size: 0,
        align: 0,
    });
    let id = RecordId(p.types.records.len() as u32 - 1);
    p.types.complete_record(id);
    item(p, Item::Record(id));
    id
}

fn field(p: &mut Program, name: &str, ty: Ty) -> Field {
    Field::new(Some(p.names.intern(name)), ty)
}

fn ints(p: &mut Program, values: &[(u64, i128)]) -> Init {
    let items = values.iter().map(|&(at, value)| {
        let init = Init::Expr(p.int_const(Ty::INT, value));
        InitItem { first: at, last: at, init }
    });
    Init::List(items.collect())
}

/// `void f(void) { e; }`
fn statement(p: &mut Program, expr: ExprId) {
    let stmt = p.expr_stmt(expr);
    let ty = p.func_type(Ty::VOID, &[], false);
    let func = p.add_func("f", ty);
    p.funcs[func.index()].body = Some(p.block(vec![stmt]));
    item(p, Item::Func(func));
}

fn cxx(p: &Program, plan: &CxxPlan) -> String {
    print_unit_as(p, UnitId(0), Style::Cxx(plan)).expect("printable")
}

fn refusal(p: &Program, plan: &CxxPlan) -> String {
    print_unit_as(p, UnitId(0), Style::Cxx(plan)).expect_err("not printable").what
}

/// The one line, or lines, between the braces of the function.
fn body(p: &Program, plan: &CxxPlan) -> String {
    let text = cxx(p, plan);
    let (_, body) = text.split_once("void f(void) {\n").expect("a function");
    body.trim_end_matches("}\n").trim().to_string()
}

#[test]
fn containers_of_every_kind() {
    use Container::{CArray, StdArray, Valarray, Vector};
    for (dims, zero, filled) in [
        (&[StdArray][..], "std::array<int, 3> a = {{}};", "std::array<int, 3> a = {{0, 5}};"),
        (&[Vector], "std::vector<int> a(3);", "std::vector<int> a = {0, 5, 0};"),
        (&[Valarray], "std::valarray<int> a(3);", "std::valarray<int> a = {0, 5, 0};"),
        (&[CArray], "int a[3];", "int a[3] = {0, 5};"),
    ] {
        for is_filled in [false, true] {
            let p = &mut program();
            let ty = p.types.array(Ty::INT, 3);
            let init = is_filled.then(|| ints(p, &[(1, 5)]));
            let a = global(p, "a", ty, init);
            let mut plan = CxxPlan::new(11);
            plan.containers.insert(a, dims.to_vec());
            let text = cxx(p, &plan);
            let line = text.lines().last();
            assert_eq!(line, Some(if is_filled { filled } else { zero }));
        }
    }
}

#[test]
fn nested_containers() {
    use Container::{CArray, StdArray, Valarray, Vector};
    for (dims, text) in [
        (
            vec![Vector],
            "#include <array>\n#include <vector>\n\
             const std::vector<std::array<int, 3>> a = \
             {std::array<int, 3>{{}}, std::array<int, 3>{{7}}};\n",
        ),
        (
            vec![CArray, StdArray],
            "#include <array>\nconst std::array<int, 3> a[2] = \
             {std::array<int, 3>{{}}, std::array<int, 3>{{7}}};\n",
        ),
        (
            vec![StdArray, Vector],
            "#include <array>\n#include <vector>\n\
             const std::array<std::vector<int>, 2> a = \
             {{std::vector<int>(3), std::vector<int>{7, 0, 0}}};\n",
        ),
        (
            vec![Valarray, Valarray],
            "#include <valarray>\nconst std::valarray<std::valarray<int>> a = \
             {std::valarray<int>(3), std::valarray<int>{7, 0, 0}};\n",
        ),
    ] {
        let p = &mut program();
        let row = p.types.array(Ty::INT.qualified(Quals::CONST), 3);
        let ty = p.types.array(row, 2);
        let init = Init::List(vec![InitItem { first: 1, last: 1, init: ints(p, &[(0, 7)]) }]);
        let a = global(p, "a", ty, Some(init));
        p.vars[a.index()].storage = Storage::Static;
        let mut plan = CxxPlan::new(17);
        plan.containers.insert(a, dims);
        assert_eq!(cxx(p, &plan).replace("static ", ""), text);
    }
}

/// `int a[2][3]` as a vector of `inner`, and a function with the expression made from it.
fn matrix(
    inner: Container,
    make: impl Fn(&mut Program, ExprId) -> ExprId,
) -> (Program, CxxPlan, ExprId) {
    let mut p = program();
    let row = p.types.array(Ty::INT, 3);
    let ty = p.types.array(row, 2);
    let a = global(&mut p, "a", ty, None);
    let mut plan = CxxPlan::new(20);
    plan.containers.insert(a, vec![Container::Vector, inner]);
    let object = p.var_ref(a);
    let expr = make(&mut p, object);
    statement(&mut p, expr);
    (p, plan, expr)
}

#[test]
fn elements_rows_and_decay() {
    let element = |p: &mut Program, a| {
        let (i, j) = (p.int_const(Ty::INT, 1), p.int_const(Ty::INT, 2));
        let row = p.index(a, i);
        p.index(row, j)
    };
    let (p, mut plan, at) = matrix(Container::Vector, element);
    assert_eq!(body(&p, &plan), "a[1][2];");
    plan.at.insert(at);
    assert_eq!(body(&p, &plan), "a[1].at(2);");
    // A valarray has no `at`.
    let (p, mut plan, at) = matrix(Container::Valarray, element);
    plan.at.insert(at);
    assert_eq!(body(&p, &plan), "a[1][2];");

    let (p, plan, _) = matrix(Container::StdArray, |p, a| {
        let one = p.int_const(Ty::INT, 1);
        let row = p.index(a, one);
        let end = p.int_const(Ty::INT, 2);
        p.binary(BinOp::Add, row, end)
    });
    assert_eq!(body(&p, &plan), "&a[1][0] + 2;");
    let (p, plan, _) = matrix(Container::StdArray, |p, a| {
        let row = p.deref(a);
        p.deref(row)
    });
    assert_eq!(body(&p, &plan), "(a[0])[0];");
    let (p, plan, _) = matrix(Container::StdArray, |p, a| p.sizeof_expr(a));
    assert_eq!(body(&p, &plan), "sizeof(int[2][3]);");
}

#[test]
fn pointers_to_containers_are_refused() {
    let (p, plan, _) = matrix(Container::StdArray, |p, a| p.decay(a));
    assert_eq!(refusal(&p, &plan), "a pointer to a row of a container");
    let (p, plan, _) = matrix(Container::StdArray, |p, a| p.addr_of(a));
    assert_eq!(refusal(&p, &plan), "a pointer to a container");
}

#[test]
fn containers_that_cxx_cannot_have_are_refused() {
    let refused = |elem: Ty, class: Container, std: u8| {
        let p = &mut program();
        let ty = p.types.array(elem, 3);
        let a = global(p, "a", ty, None);
        let mut plan = CxxPlan::new(std);
        plan.containers.insert(a, vec![class]);
        refusal(p, &plan)
    };
    assert_eq!(refused(Ty::BOOL, Container::Vector, 11), "std::vector<bool>");
    let volatile = Ty::INT.qualified(Quals::VOLATILE);
    assert_eq!(refused(volatile, Container::Valarray, 11), "a vector of volatile elements");
    let p = &mut program();
    let wide = p.types.intern(TypeKind::Vector(Ty::INT, 8));
    let ty = p.types.array(wide, 2);
    let a = global(p, "a", ty, None);
    for (class, std, fine) in [
        (Container::StdArray, 11, true),
        (Container::Vector, 14, false),
        (Container::Vector, 17, true),
        (Container::Valarray, 20, false),
    ] {
        let mut plan = CxxPlan::new(std);
        plan.containers.insert(a, vec![class]);
        let printed = print_unit_as(p, UnitId(0), Style::Cxx(&plan));
        assert_eq!(printed.is_ok(), fine, "{class:?} in C++{std}: {printed:?}");
    }
}

#[test]
fn static_members() {
    let p = &mut program();
    let m = field(p, "m", Ty::INT);
    let id = record(p, "S", RecordKind::Struct, vec![m]);
    let one = Init::Expr(p.int_const(Ty::LONG, 1));
    let var = global(p, "g", Ty::LONG.qualified(Quals::CONST), Some(one));
    let read = p.var_ref(var);
    statement(p, read);
    let mut plan = CxxPlan::new(11);
    plan.static_members.insert(var, (id, p.names.intern("count")));
    assert_eq!(
        cxx(p, &plan),
        "struct S {\n    int m;\n    static const long count;\n};\nconst long S::count = 1L;\n\n\
         void f(void) {\n    S::count;\n}\n"
    );
}

#[test]
fn members_as_containers() {
    let p = &mut program();
    let row = p.types.array(Ty::INT, 4);
    let fields = vec![field(p, "m", row), field(p, "n", Ty::CHAR)];
    let id = record(p, "S", RecordKind::Struct, fields);
    let ty = p.types.intern(TypeKind::Record(id));
    let init = Init::List(vec![InitItem { first: 0, last: 0, init: ints(p, &[(2, 9)]) }]);
    let var = global(p, "s", ty, Some(init));
    let object = p.var_ref(var);
    let member = p.member(object, 0);
    let zero = p.int_const(Ty::INT, 0);
    let element = p.index(member, zero);
    statement(p, element);
    let mut plan = CxxPlan::new(14);
    plan.fields.insert((id, 0), vec![Container::StdArray]);
    plan.at.insert(element);
    assert_eq!(
        cxx(p, &plan),
        "#include <array>\nstruct S {\n    std::array<int, 4> m;\n    char n;\n};\n\
         struct S s = {std::array<int, 4>{{0, 0, 9}}};\n\nvoid f(void) {\n    s.m.at(0);\n}\n"
    );
    plan.fields.insert((id, 0), vec![Container::Vector]);
    assert!(refusal(p, &plan).contains("changes the layout"));
}

#[test]
fn constants_keep_external_linkage_and_get_a_value() {
    let p = &mut program();
    let ty = Ty::INT.qualified(Quals::CONST);
    global(p, "a", ty, None);
    let hidden = global(p, "b", ty, None);
    p.vars[hidden.index()].storage = Storage::Static;
    assert_eq!(
        cxx(p, &CxxPlan::new(11)),
        "extern const int a;\nconst int a = {};\nstatic const int b = {};\n"
    );
}

#[test]
fn initialisers_neither_narrow_nor_designate() {
    let p = &mut program();
    let n = global(p, "n", Ty::INT, None);
    let ty = p.types.array(Ty::SHORT, 9);
    let mut items = Vec::new();
    for (at, last, value) in [(1, 1, 5), (3, 4, 70_000), (6, 6, -3)] {
        let value = p.int_const(Ty::INT, value);
        items.push(InitItem { first: at, last, init: p.init_expr(Ty::SHORT, value) });
    }
    let read = p.var_ref(n);
    items.push(InitItem { first: 7, last: 7, init: p.init_expr(Ty::SHORT, read) });
    global(p, "a", ty, Some(Init::List(items)));
    let bytes = p.types.array(Ty::CHAR, 3);
    let text = p.str_const(b"ab\xff");
    global(p, "s", bytes, Some(Init::Expr(text)));
    let text = cxx(p, &CxxPlan::new(11));
    let a = "short a[9] = {0, 5, 0, (short)70000, (short)70000, 0, -3, (short)n};";
    assert_eq!(text.lines().nth(1), Some(a));
    assert_eq!(text.lines().nth(2), Some("char s[3] = {97, 98, -1};"));
}

#[test]
fn unions_by_their_first_member_or_a_designator() {
    let p = &mut program();
    let fields = vec![field(p, "i", Ty::INT), field(p, "l", Ty::LONG)];
    let id = record(p, "U", RecordKind::Union, fields);
    let ty = p.types.intern(TypeKind::Record(id));
    let one = Init::Expr(p.int_const(Ty::LONG, 1));
    let init = Init::List(vec![InitItem { first: 1, last: 1, init: one }]);
    global(p, "u", ty, Some(init));
    assert!(refusal(p, &CxxPlan::new(17)).contains("another member than its first"));
    assert!(cxx(p, &CxxPlan::new(20)).ends_with("union U u = {.l = 1L};\n"));
}

fn color(p: &mut Program) -> (EnumId, Ty) {
    let (tag, name) = (Some(p.names.intern("color")), p.names.intern("RED"));
    let members = vec![Enumerator { name, value: 0, ty: Ty::INT }];
    p.types.enums.push(Enum { tag, members, int: IntKind::UInt, packed: false });
    let id = EnumId(p.types.enums.len() as u32 - 1);
    item(p, Item::Enum(id));
    (id, p.types.intern(TypeKind::Enum(id)))
}

#[test]
fn conversions_that_cxx_does_not_make() {
    // To an enum, from one, and of its own constant.
    let p = &mut program();
    let (id, ty) = color(p);
    let var = global(p, "c", ty, None);
    let (to, one) = (p.var_ref(var), p.int_const(Ty::INT, 1));
    let assign = p.assign(to, one);
    let (from, two) = (p.var_ref(var), p.int_const(Ty::INT, 2));
    let less = p.binary(BinOp::Lt, from, two);
    let both = p.binary(BinOp::Comma, assign, less);
    let (to, red) = (p.var_ref(var), p.enum_ref(id, 0));
    let own = p.assign(to, red);
    let all = p.binary(BinOp::Comma, both, own);
    statement(p, all);
    assert_eq!(body(p, &CxxPlan::new(11)), "c = (enum color)1, (unsigned int)c < 2, c = RED;");

    // From `void *`, from a string, and qualifiers that are only added.
    let p = &mut program();
    let void = p.types.pointer(Ty::VOID);
    let chars = p.types.pointer(Ty::CHAR);
    let constant = p.types.pointer(Ty::CHAR.qualified(Quals::CONST));
    let vars = [("v", void), ("c", chars), ("k", constant)];
    let [v, c, k] = vars.map(|(name, ty)| global(p, name, ty, None));
    let mut stmts = Vec::new();
    for (to, from) in [(c, Some(v)), (c, None), (k, Some(c)), (k, None), (v, Some(c)), (c, Some(k))]
    {
        let from = match from {
            Some(from) => p.var_ref(from),
            None => p.str_const(b"x"),
        };
        let to = p.var_ref(to);
        let assign = p.assign(to, from);
        stmts.push(p.expr_stmt(assign));
    }
    let ty = p.func_type(Ty::VOID, &[], false);
    let func = p.add_func("f", ty);
    p.funcs[func.index()].body = Some(p.block(stmts));
    item(p, Item::Func(func));
    let expected =
        "c = (char *)v;\n c = (char *)\"x\";\n k = c;\n k = \"x\";\n v = c;\n c = (char *)k;";
    assert_eq!(body(p, &CxxPlan::new(11)).replace("    ", " "), expected);
}

#[test]
fn what_has_no_text_is_refused() {
    let refused = |make: &dyn Fn(&mut Program) -> ExprId| {
        let p = &mut program();
        let expr = make(p);
        statement(p, expr);
        refusal(p, &CxxPlan::new(20))
    };
    let literal = |p: &mut Program| {
        let ty = p.types.array(Ty::INT, 2);
        let init = ints(p, &[(0, 1)]);
        p.compound_lit(ty, init)
    };
    assert_eq!(refused(&literal), "a compound literal of array type");
    let increment = |p: &mut Program| {
        let var = global(p, "b", Ty::BOOL, None);
        let b = p.var_ref(var);
        p.unary(UnOp::PreInc, b)
    };
    assert_eq!(refused(&increment), "`++` or `--` of a bool or an enum");
    let keyword = |p: &mut Program| {
        let var = global(p, "class", Ty::INT, None);
        p.var_ref(var)
    };
    assert_eq!(refused(&keyword), "the name `class`, a keyword of C++");
}

/// `printf`, a constant, a static variable, a function that reads both, and `main`.
fn small() -> Program {
    let mut p = program();
    let text = p.types.pointer(Ty::CHAR.qualified(Quals::CONST));
    let ty = p.func_type(Ty::INT, &[text], true);
    let printf = p.add_func("printf", ty);
    item(&mut p, Item::FuncDecl(printf));
    let m = field(&mut p, "m", Ty::INT);
    record(&mut p, "S", RecordKind::Struct, vec![m]);
    let (seven, eight) = (p.int_const(Ty::INT, 7), p.int_const(Ty::INT, 8));
    let constant = Ty::INT.qualified(Quals::CONST);
    let a = global(&mut p, "a", constant, Some(Init::Expr(seven)));
    let b = global(&mut p, "b", Ty::INT, Some(Init::Expr(eight)));
    p.vars[b.index()].storage = Storage::Static;
    let ty = p.func_type(Ty::INT, &[], false);
    for (name, storage) in
        [("get", FuncStorage::None), ("own", FuncStorage::Static), ("main", FuncStorage::None)]
    {
        let func = p.add_func(name, ty);
        let value = p.var_ref(a);
        let stmt = p.make_stmt(StmtKind::Return(Some(value)));
        p.funcs[func.index()].body = Some(p.block(vec![stmt]));
        p.funcs[func.index()].storage = storage;
        item(&mut p, Item::Func(func));
    }
    p
}

#[test]
fn three_files() {
    let p = small();
    let place = |item: &Item| match item {
        Item::Func(id) if p.name(p.func(*id).name) == "main" => SplitFile::Driver,
        Item::Func(_) => SplitFile::Functions,
        _ => SplitFile::Driver,
    };
    for (style, printf) in [
        (Style::C11, "int printf(const char *, ...);"),
        (Style::Cxx(&CxxPlan::new(11)), "extern \"C\" int printf(const char *, ...);"),
    ] {
        let split = print_split(&p, UnitId(0), style, place).expect("printable");
        assert_eq!(
            split.header,
            format!(
                "#ifndef INIT_H\n#define INIT_H\n{printf}\nstruct S {{\n    int m;\n}};\n\
                 extern const int a;\nint get(void);\n#endif\n"
            )
        );
        let [get, own, main] = ["int get", "static int own", "int main"]
            .map(|name| format!("\n{name}(void) {{\n    return a;\n}}\n"));
        assert_eq!(split.functions, format!("#include \"init.h\"\n{get}{own}"));
        assert_eq!(
            split.driver,
            format!("#include \"init.h\"\nconst int a = 7;\nstatic int b = 8;\n{main}")
        );
    }
    let all_in_the_header = |_: &Item| SplitFile::Header;
    assert!(print_split(&p, UnitId(0), Style::C11, all_in_the_header).is_err());
}
