//! What is refused, as which kind, with which words.

use cparse::ErrorKind::{self, Invalid, Unsupported};
use ctree::{DataModel, Program};

fn refusal(text: &str) -> (ErrorKind, String) {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    match cparse::parse_unit(&mut program, "test.c", text) {
        Ok(_) => panic!("taken: {text}"),
        Err(error) => (error.kind, error.message),
    }
}

/// Each text is refused with exactly this message.
#[track_caller]
fn check(kind: ErrorKind, cases: &[(&str, &str)]) {
    for (text, message) in cases {
        assert_eq!(refusal(text), (kind, message.to_string()), "{text}");
    }
}

/// The same for statements in a function with a few variables in scope.
#[track_caller]
fn check_body(kind: ErrorKind, cases: &[(&str, &str)]) {
    for (text, message) in cases {
        let text = format!(
            "struct s {{ int a : 3; int b; }} g; struct inc *ip; int i, *p; const int k; double d; \
             int fn(int); void body(void) {{ {text} }}"
        );
        assert_eq!(refusal(&text), (kind, message.to_string()), "{text}");
    }
}

#[test]
fn syntax() {
    check(
        Invalid,
        &[
            ("int x", "expected `;` before end of input"),
            ("int x = ;", "expected expression before `;`"),
            ("int f( { }", "expected parameter declaration before `{`"),
            ("void f(void) { int x; x = (1; }", "expected `)` before `;`"),
            ("int x = 'a", "missing terminating ' character"),
            ("char *s = \"a", "missing terminating \" character"),
            ("int x @;", "stray '@' in program"),
            ("/* open", "unterminated comment"),
            ("#define X 1\n", "directive #define in preprocessed text"),
            ("int x = 08;", "invalid digit '8' in octal constant"),
            ("int x = 1foo;", "invalid suffix \"foo\" on integer constant"),
        ],
    );
}

#[test]
fn declarations() {
    check(
        Invalid,
        &[
            ("int x; long x;", "conflicting types for `x`"),
            ("int x = 1; int x = 2;", "redefinition of `x`"),
            ("int f(void) { return 0; } int f(void) { return 0; }", "redefinition of `f`"),
            ("int f(int); int f(long);", "conflicting types for `f`"),
            ("struct s { int a; }; struct s { int a; };", "redefinition of `s`"),
            ("struct s { int a; }; union s u;", "`s` defined as wrong kind of tag"),
            ("struct s { int a, a; };", "duplicate member `a`"),
            ("struct s { int a : 33; };", "width of bit-field exceeds its type"),
            ("struct s { int a : -1; };", "negative width in bit-field"),
            ("int a[-1];", "size of array is negative"),
            ("void f(void) { int x; int x; }", "redeclaration of `x`"),
            ("void f(void) { struct t x; }", "storage size of `x` is not known"),
            ("void f(int a, int a) { }", "redefinition of parameter `a`"),
            ("_Static_assert(1 == 2, \"no\");", "static assertion failed: \"no\""),
            ("long double float x;", "two or more data types in declaration specifiers"),
            ("static extern int x;", "multiple storage classes in declaration specifiers"),
            ("int x __attribute__((aligned(3)));", "requested alignment 3 is not a power of 2"),
            ("enum e { A, A };", "redeclaration of enumerator `A`"),
            ("int f(void)[3];", "function returning an array"),
            ("int x = { };", "empty scalar initializer"),
            ("struct s { int a; } x = { .b = 1 };", "unknown field `b` in initializer"),
            ("int a[2] = { [2] = 1 };", "array index in initializer exceeds array bounds"),
        ],
    );
}

#[test]
fn expressions() {
    check_body(
        Invalid,
        &[
            ("y = 1;", "`y` undeclared"),
            ("g.c = 1;", "`struct s` has no member named `c`"),
            ("ip->a = 1;", "use of incomplete type `struct inc`"),
            ("i.a = 1;", "request for member `a` in something of type `int`"),
            ("k = 1;", "assignment of read-only variable `k`"),
            ("i + 1 = 2;", "lvalue required as left operand of assignment"),
            ("&(i + 1);", "lvalue required as unary `&` operand"),
            ("&g.a;", "cannot take the address of a bit-field"),
            ("register int r; &r;", "address of register variable `r` requested"),
            ("sizeof g.a;", "`sizeof` or `_Alignof` applied to a bit-field"),
            ("fn();", "too few arguments to function `fn`"),
            ("fn(1, 2);", "too many arguments to function `fn`"),
            ("i();", "called object of type `int` is not a function"),
            ("*i;", "invalid type of unary `*` (have `int`)"),
            ("g + 1;", "invalid operands to binary `+` (have `struct s` and `int`)"),
            ("d % 2;", "invalid operands to binary `%` (have `double` and `int`)"),
            ("i = g;", "incompatible types when assigning to type `int` from type `struct s`"),
            ("if (g) ;", "used value of type `struct s` where a scalar is required"),
            ("(struct s)i;", "cannot cast from type `int` to type `struct s`"),
            ("_Generic(d, int: 1);", "`_Generic` has no association for type `double`"),
        ],
    );
}

#[test]
fn statements() {
    check_body(
        Invalid,
        &[
            ("break;", "break statement not within loop or switch"),
            ("continue;", "continue statement not within a loop"),
            ("goto nowhere;", "label `nowhere` used but not defined"),
            ("l: ; l: ;", "duplicate label `l`"),
            ("case 1: ;", "case label not within a switch statement"),
            ("switch (i) { case 1: case 2: case 1: ; }", "duplicate case value"),
            ("switch (i) { case 1 ... 4: case 3: ; }", "duplicate case value"),
            ("switch (i) { default: default: ; }", "multiple default labels in one switch"),
            ("switch (i) { case i: ; }", "case label is not an integer constant"),
            ("switch (d) { }", "switch quantity is not an integer"),
        ],
    );
}

#[test]
fn static_variables_do_not_begin_with_automatic_ones() {
    let not_constant = "initializer of a static variable is not constant";
    check_body(
        ErrorKind::Invalid,
        &[
            ("int x = 1; static int *p = &x;", not_constant),
            ("int x = 1; static int y = x + 1;", not_constant),
            ("int x[2]; static int *p[2] = {0, x + 1};", not_constant),
        ],
    );
    let taken = "void f(int q) { int x; static int s; static unsigned long n = sizeof x + sizeof q;
        static int *p = &s; static int (*g)(void); }";
    assert!(cparse::parse_unit(&mut Program::new(DataModel::X86_64_SYSV), "a.c", taken).is_ok());
}

#[test]
fn unsupported_constructs_are_named() {
    check_body(
        Unsupported,
        &[
            ("int a[i];", "variable-length array"),
            ("asm(\"nop\");", "`asm` statement with instructions"),
            ("int nested(void) { return 1; }", "nested function"),
            ("goto *p;", "computed `goto`"),
            ("p = &&l; l: ;", "address of a label"),
            ("__label__ l;", "`__label__` declaration"),
            ("_Complex double z;", "`_Complex` type"),
            ("__float128 q;", "type `__float128`"),
            ("(_Decimal32)i;", "type `_Decimal32`"),
            ("_Atomic int a;", "`_Atomic`"),
            ("static __thread int t;", "thread-local storage"),
            ("__builtin_alloca(4);", "builtin function `__builtin_alloca`"),
            ("__builtin_frame_address(0);", "builtin function `__builtin_frame_address`"),
            ("u\"wide\";", "`char16_t` or `char32_t` string literal"),
            ("d = 1.0q;", "floating constant with suffix \"q\""),
        ],
    );
    check(
        Unsupported,
        &[
            ("extern _Float128 f(void); int x = f();", "type `_Float128`"),
            ("typedef _Complex float cf; cf x;", "`_Complex` type"),
            ("typedef int i __attribute__((__may_alias__)); i x;", "attribute `may_alias`"),
            (
                "typedef union { int i; } u __attribute__((transparent_union)); u x;",
                "attribute `transparent_union`",
            ),
            ("#pragma pack(2)\nstruct s { char c; int i; };\n", "`#pragma pack(2)`"),
            ("asm(\"nop\");", "`asm` at file scope"),
        ],
    );
}

/// GCC takes these with a warning at most.
#[test]
fn what_gcc_only_warns_about_is_taken() {
    let texts = [
        "int *p = 5; int i = &i; char *s; int *q = &s;",
        "const int *cp; int *p; void f(void) { p = cp; }",
        "f() { return; } void g(void) { return 1; }",
        "int f(); int g(void) { return f(1, 2.0, \"x\"); }",
        "static x = 3; main() { x; }",
        "int a[2] = { 1, 2, 3 }; char s[2] = \"abcd\"; int i = { 1, 2 };",
        "void f(void) { int x = 1 ? (void *)0 : 5; x == &x; }",
        "int f(char c); int f(c) char c; { return c; }",
        "struct s { int a; ; int b }; enum { A, B, };",
        "int f(int) { return 0; } ; ;",
        "void f(void) { l: } void g(int x) { switch (x) { case 1: } }",
    ];
    for text in texts {
        let mut program = Program::new(DataModel::X86_64_SYSV);
        let result = cparse::parse_unit(&mut program, "test.c", text);
        assert!(result.is_ok(), "{text}: {result:?}");
    }
}
