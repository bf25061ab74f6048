//! What each pass makes of small programs. The result does not change.

use crate::common::{normalise, pass, shrink, specimen};

const PRINTF: &str = "int printf(const char *, ...);\n";

/// One pass, as long as the output stays the same.
fn result(name: &str, before: &str) -> String {
    let start = specimen(&format!("{PRINTF}{before}"));
    let answer = (start.stdout.clone(), start.status);
    let same = |s: &cshrink::Specimen| (s.stdout.clone(), s.status) == answer;
    let end = shrink(start, &pass(name), &same);
    let text: Vec<&str> = end.units[0].text.split_whitespace().collect();
    let text = text.join(" ");
    text.strip_prefix(PRINTF.trim()).map(|rest| rest.trim().to_string()).unwrap_or(text)
}

fn check(name: &str, before: &str, after: &str) {
    let after: Vec<&str> = after.split_whitespace().collect();
    assert_eq!(result(name, before), after.join(" "), "{name}: {before}");
}

#[test]
fn what_never_ran_goes() {
    check(
        "dead code",
        "int a; int main(void) { if (a) { a = 1; a = 2; } else a = 3; while (a > 5) a--; return a; }",
        "int a; int main(void) { if (a) ; else a = 3; while (a > 5) ; return a; }",
    );
}

#[test]
fn branches_become_what_was_taken() {
    check(
        "taken branches",
        "int a = 1; int main(void) { if (a) a = 5; else a = 4; for (int i = 0; i < 1; i++) a += i;
         while (a < 6) a++; do a++; while (a < 2);
         switch (a) { case 1: a = 0; break; case 7: a += 2; break; default: a = 8; } return a; }",
        "int a = 1; int main(void) { a = 5; { int i = 0; a += i; i++; } a++; a++; a += 2; return a; }",
    );
    // A loop that is left by a jump keeps one.
    check(
        "taken branches",
        "int a; int main(void) { for (a = 3; a < 9; a++) { if (a < 5) break; a = 7; } return a; }",
        "int a; int main(void) { a = 3; return a; }",
    );
}

#[test]
fn loops_turn_less_often() {
    check(
        "loops",
        "int a; int main(void) { for (int i = 2; i < 10; i += 3) a = 4; return a; }",
        "int a; int main(void) { { int i = 2; a = 4; i += 3; } return a; }",
    );
    check(
        "loops",
        "int a; int main(void) { for (int i = 0; i < 10; i++) if (i < 2) a++; return a; }",
        "int a; int main(void) { for (int i = 0; i < 2; i++) if (i < 2) a++; return a; }",
    );
}

#[test]
fn statements_lose_parts() {
    check(
        "branches",
        "int a = 2; int main(void) { int i; for (i = 0; a < 7; i++) a++;
         if (a) a = 3; else a = 4; switch (a) { case 3: a++; } return a; }",
        "int a = 2; int main(void) { while (a < 7) a++; a = 3; a++; return a; }",
    );
}

#[test]
fn needless_jumps_and_braces_go() {
    check(
        "redundant control flow",
        "int a; int main(void) { int b = 1; goto on; a = 9; on: a = b; { int b = 2; a += b; }
         unused: a += ({ int c = a; c + 1; }); return 0; }",
        "int a; int main(void) { int b = 1; a = b; int b0 = 2; a += b0; int c0 = a; a += c0 + 1; }",
    );
}

#[test]
fn assignments_and_strings_get_short() {
    check(
        "redundant control flow",
        "int a[2] = {3}; int main(void) { a[0] = a[0] << 2; a[0] = a[1] - 2; return a[0]; }",
        "int a[2] = {3}; int main(void) { a[0] <<= 2; a[0] = a[1] - 2; return a[0]; }",
    );
    let start = specimen(
        "int printf(const char *, ...); int main(void) { printf(\"a %5lu, 7 %%\\n\", 1UL); }",
    );
    let end = shrink(start, &pass("strings"), &|s| s.stdout.contains(&b'1'));
    assert!(end.units[0].text.contains("printf(\"%5d\", 1)"), "{}", end.units[0].text);
}

#[test]
fn calls_become_bodies() {
    check(
        "calls",
        "int a; int f(int x, int y) { x += y; return x * 2; } void g(void) { a = 3; }
         int main(void) { g(); return f(a, 4); }",
        "int a; int main(void) { a = 3; int x0 = a; x0 += 4; return x0 * 2; }",
    );
    // A jump replaces a return that is not the last statement.
    check(
        "repeated calls",
        "int a; int f(int x) { if (x) return 5; a = 1; return 6; }
         int main(void) { return f(a); }",
        "int a; int main(void) { int x0 = a; int r0; if (x0) { r0 = 5; goto l0; } a = 1; r0 = 6;
         l0: ; return r0; }",
    );
    // What is evaluated under a condition stays there.
    check(
        "calls",
        "int a; int f(int x) { a++; a++; return x; } int main(void) { return a && f(3); }",
        "int a; int main(void) { return a && ({ a++; a++; 3; }); }",
    );
    check(
        "repeated calls",
        "int a = 2; int f(int x) { return x + 1; } int main(void) { int b = 3; return f(b) * f(4); }",
        "int main(void) { int b = 3; return (b + 1) * (4 + 1); }",
    );
}

#[test]
fn parameters_go() {
    check(
        "parameters",
        "int a; void f(int x, int *p, int y, long z, int w) { *p = y; a += z; w++; a += w; }
         int main(void) { f(1, &a, 5, a, a); return a; }",
        "int a; void f(void) { int w = 0; a = 5; a += 0L; w++; a += w; } int main(void) { f(); return a; }",
    );
}

#[test]
fn results_go() {
    check(
        "results",
        "int a; int f(void) { a++; return a; } int main(void) { f(); f(); return a; }",
        "int a; void f() { a++; } int main() { f(); f(); return a; }",
    );
}

#[test]
fn records_become_their_fields() {
    check(
        "records",
        "struct S { int a; int b; short c; } s = {1, 2, 3}, *p = &s;
         int main(void) { p->b += 4; return s.b; }",
        "int s = 2; int *p = &s; int main(void) { *p += 4; return s; }",
    );
    check(
        "records",
        "union U { int a; unsigned b; } u = {3}; int main(void) { u.a++; return u.b; }",
        "int u = 3; int main(void) { u++; return u; }",
    );
    check(
        "records",
        "struct A { int x; int y; }; struct B { int k; struct A a[2]; } b = {.a = {{1, 2}, {3, 4}}};
         int main(void) { return b.a[1].y + b.a[0].y; }",
        "int b[2] = {2, 4}; int main(void) { return b[1] + b[0]; }",
    );
}

#[test]
fn arrays_get_short_and_become_elements() {
    check(
        "arrays",
        "int a[9] = {5, 6, 7}; int b[2][3]; void f(int *p) { *p += 2; }
         int main(void) { b[0][0] = 1; f(a); return a[0] + b[0][0]; }",
        "int a = 5; int b; void f(int *p) { *p += 2; } int main(void) { b = 1; f(&a); return a + b; }",
    );
    check(
        "arrays",
        "int a[9] = {5, 6, 7}; int main(void) { int i = 0; a[1]++; return a[i] * 8 + a[1]; }",
        "int a[2] = {5, 6}; int main(void) { int i = 0; a[1]++; return a[i] * 8 + a[1]; }",
    );
}

#[test]
fn types_become_plain() {
    check(
        "qualifiers",
        "static const volatile int a = 3; static inline int f(void) { register int b = a; return b; }
         int main(void) { return f(); }",
        "int a = 3; int f(void) { int b = a; return b; } int main(void) { return f(); }",
    );
    check(
        "arithmetic types",
        "typedef unsigned long T; enum E { X, Y = 4 }; struct S { char c : 3; long d; };
         T a = Y; struct S s; float g = 1; T f(short x) { return x + (unsigned char)s.c; }
         int main(void) { enum E e = Y; s.d = g; return a + f(2) + e; }",
        "struct S { int c; int d; }; int a = 4; struct S s; int g = 1;
         int f(int x) { return x + (int)s.c; } int main(void) { int e = 4; s.d = g; return a + f(2) + e; }"
            .replace("int g = 1", "double g = 1")
            .as_str(),
    );
}

#[test]
fn formats_follow_types() {
    check(
        "arithmetic types",
        "long a[2] = {3}; int main(void) { printf(\"%lu %5ld\\n\", 5UL, a[0]); return 0; }",
        "int a[2] = {3}; int main(void) { printf(\"%lu %5d\\n\", 5UL, a[0]); return 0; }",
    );
    check(
        "strings",
        "int main(void) { printf(\"%lu\\n\", 5UL); return 0; }",
        "int main(void) { printf(\"%d\\n\", 5); return 0; }",
    );
}

#[test]
fn variables_become_what_they_hold() {
    check(
        "copied variables",
        "int a; int main(void) { int *p = &a; short c = 7; int d; *p = c; d = a + 1; a++; return d; }",
        "int a; int main(void) { int d; a = 7; d = a + 1; a++; return d; }",
    );
    check(
        "merged variables",
        "long a; int main(void) { int i, k; for (i = 0; i < 3; i++) a += i;
         for (k = 0; k < 3; k++) a += k; return a; }",
        "long a; int main(void) { int i; for (i = 0; i < 3; i++) a += i;
         for (i = 0; i < 3; i++) a += i; return a; }",
    );
}

#[test]
fn declarations_are_drawn_together() {
    check(
        "declarations",
        "int a; int main(void) { int x; int y; a = 3; x = a; int *z; y = 2; z = &y; return x + *z; }",
        "int a = 3; int main(void) { int x = a, y = 2, *z = &y; return x + *z; }",
    );
}

#[test]
fn everything_gets_a_short_name() {
    check(
        "names",
        "struct tag { int field; } var; typedef struct tag type; enum { zero, one };
         int function(int param) { int var = param; loop: if (var-- > 3) goto loop; return var + one; }
         int main(void) { type *local = &var; local->field = function(9);
         { int local = 1; printf(\"%d\\n\", var.field + local); } return zero; }",
        "struct a { int b; }; struct a c; typedef struct a d; enum e { f, g };
         int h(int i) { int j = i; k: if (j-- > 3) goto k; return j + g; }
         int main(void) { d *l = &c; l->b = h(9); { int m = 1; printf(\"%d\\n\", c.b + m); } return f; }",
    );
}

#[test]
fn units_keep_their_common_names() {
    let unit = |name: &str, text: &str| cshrink::UnitText { name: name.into(), text: text.into() };
    let first = "extern int shared; static int own = 1; int helper(int); \
                 int main(void) { return helper(own) + shared; }";
    let second =
        "int shared = 3; static int own = 2; int helper(int value) { return value + own; }";
    let units = vec![unit("a.c", first), unit("b.c", second)];
    let start = cshrink::Specimen::new(units, &crate::common::rules()).expect("a program");
    let status = start.status;
    let end = shrink(start, &pass("names"), &|s| s.status == status);
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = end.units.iter().map(|unit| flat(&unit.text)).collect();
    assert_eq!(
        texts,
        [
            "extern int a; static int b = 1; int c(int); int main(void) { return c(b) + a; }",
            "int a = 3; static int b = 2; int c(int d) { return d + b; }",
        ]
    );
}

#[test]
fn definitions_move_to_the_unit_of_main() {
    let unit = |name: &str, text: &str| cshrink::UnitText { name: name.into(), text: text.into() };
    let first = "struct s { int m; }; extern struct s shared; int helper(int); \
                 int main(void) { return helper(2) + shared.m; }";
    let second = "struct s { int m; }; struct s shared = {3}; static int own = 1; \
                  int helper(int value) { return value + own + shared.m; }";
    let units = vec![unit("a.c", first), unit("b.c", second)];
    let start = cshrink::Specimen::new(units, &crate::common::rules()).expect("a program");
    let status = start.status;
    let end = shrink(start, &pass("moved definitions"), &|s| s.status == status);
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = end.units.iter().map(|unit| flat(&unit.text)).collect();
    assert_eq!(
        texts,
        [
            "struct s { int m; }; int helper(int); struct s shared = {3}; \
             int main(void) { return helper(2) + shared.m; }",
            "struct s { int m; }; extern struct s shared; static int own = 1; \
             int helper(int value) { return value + own + shared.m; }",
        ]
    );
}

/// One pass towards the normal form, as long as the status stays the same.
fn check_form(name: &str, before: &str, after: &str) {
    let start = specimen(&format!("{PRINTF}{before}"));
    let status = start.status;
    let end = normalise(start, name, &|made| made.status == status);
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = flat(&end.units[0].text);
    let text = text.strip_prefix(PRINTF.trim()).map_or(text.as_str(), str::trim);
    assert_eq!(text, flat(after), "{name}: {before}");
}

#[test]
fn constants_are_written_as_what_they_are() {
    check_form(
        "signs of constants",
        "int main(void) { int a = -0, b = ~0, c = +3, d = !0, e = - -3, f = -3; return a + b + c + d + e + f; }",
        "int main(void) { int a = 0, b = -1, c = 3, d = 1, e = 3, f = -3; return a + b + c + d + e + f; }",
    );
}

#[test]
fn constants_become_plain() {
    check_form(
        "plain constants",
        "int main(void) { int a = 70000, b = -3, c = 77; return a > 65535 && b && c == 77; }",
        "int main(void) { int a = 1, b = 1, c = 0; return a > 0 && b && c == 0; }",
    );
    check_form(
        "plain constants",
        "int main(void) { int b = 70000; return b > (unsigned short)b; }",
        "int main(void) { int b = 65536; return b > (unsigned short)b; }",
    );
}

#[test]
fn operands_and_steps_are_in_order() {
    check_form(
        "operand order",
        "int a = 5; int main(void) { return (3 + a > 4) + (1 == a) + (2 >= 2 * a) + (a - 1); }",
        "int a = 5; int main(void) { return (4 < a + 3) + (a == 1) + (a * 2 <= 2) + (a - 1); }",
    );
    check_form(
        "steps",
        "int a; int main(void) { ++a; a += 1; a += 2; --a; a -= 1; return a; }",
        "int a; int main(void) { a++; a++; a += 2; a--; a--; return a; }",
    );
}

#[test]
fn numbers_are_printed_in_one_way() {
    check_form(
        "formats",
        "int main(void) { printf(\"%lx %5x %x %s%c\", -1UL, 2, (short)3, \"x\", 65); return 0; }",
        "int main(void) { printf(\"%lu %5d %d %s%c\", -1UL, 2, (short)3, \"x\", 65); return 0; }",
    );
}

#[test]
fn declarations_are_in_the_order_of_their_use() {
    check_form(
        "order of declarations",
        "int b = 2; struct s { int m; } c; int g(void) { return b; } int a;
         int main(void) { int x = 1, y = 2; a = y; return a + x + g() + c.m; }",
        "struct s { int m; }; int b = 2; int a; struct s c; int g(void) { return b; }
         int main(void) { int y = 2, x = 1; a = y; return a + x + g() + c.m; }",
    );
}

/// Programs that differ in nothing that counts have one normal form.
#[test]
fn one_bug_has_one_normal_form() {
    let forms = [
        "unsigned int other; int value = 70000; int main(void) { printf(\"%x\", 3 ^ value); return ~0 < value; }",
        "int first = 81234, z; int main(void) { z = -0; printf(\"%d\", first ^ 1); return first > - 3; }",
    ];
    // The shape of a bug: an exclusive or of a variable.
    let has_xor = |made: &cshrink::Specimen| {
        made.units[0].text.contains(" ^ ") && made.stdout.len() > 1 && made.status == 1
    };
    let normal = |text: &&str| {
        let mut made = crate::common::reduce(specimen(&format!("{PRINTF}{text}")), &has_xor);
        for _ in 0..2 {
            for pass in cshrink::normal_forms() {
                made = normalise(made, pass.name, &has_xor);
            }
        }
        made.units[0].text.clone()
    };
    let forms: Vec<String> = forms.iter().map(normal).collect();
    assert_eq!(forms[0], forms[1]);
}
