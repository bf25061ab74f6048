//! The census on hand-written C whose constructs are counted by hand.

use cgen::census::{Census, Count};
use choice::Choices;
use cmachine::{Hooks, MachineConfig, Outcome};
use ctree::{DataModel, Program};

fn parse(units: &[&str]) -> Program {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    for (i, text) in units.iter().enumerate() {
        cparse::parse_unit(&mut program, &format!("unit{i}.c"), text).expect("test program parses");
    }
    program
}

fn profile(program: &Program) -> cmachine::Profile {
    let hooks = Hooks { cover: true, ..Hooks::default() };
    let report = cmachine::run_with(program, &MachineConfig::default(), &hooks);
    assert!(matches!(report.outcome, Outcome::Finished(_)), "{:?}", report.outcome);
    report.profile
}

fn census(text: &str) -> Census {
    let program = parse(&[text]);
    Census::of(&program, &profile(&program))
}

/// `group` holds exactly these rows: name, executed, not executed.
fn check(census: &Census, group: &str, expected: &[(&str, u64, u64)]) {
    for &(feature, executed, not_executed) in expected {
        let count = Count { executed, not_executed };
        assert_eq!(census.count(group, feature), count, "{group}: {feature}\n{census}");
    }
    let json = serde_json::to_value(census).expect("a census is JSON");
    let rows = json["groups"][group].as_object().map_or(0, |rows| rows.len());
    assert_eq!(rows, expected.len(), "{group} has other rows\n{census}");
}

#[test]
fn statements_live_and_dead() {
    let census = census(
        "int main(void) {
            int n = 0;
            if (n) { n = 1; n = 2; } else n = 3;
            if (n == 5) goto out;
            switch (n) { case 3: n++; break; case 4: n--; break; default: n = 9; }
            n = ({ int k = n; k + 1; });
            while (1) { if (n > 6) break; n++; continue; }
        out:
            return n - 7;
        }",
    );
    check(
        &census,
        "statements",
        &[
            ("statement", 16, 6),
            ("expression statement", 5, 4),
            ("declaration", 2, 0),
            ("if", 2, 0),
            ("if-else", 1, 0),
            ("switch", 1, 0),
            ("case", 1, 1),
            ("default", 0, 1),
            ("break", 2, 1),
            ("continue", 1, 0),
            ("goto", 0, 1),
            ("return", 1, 0),
            ("statement expression", 1, 0),
        ],
    );
    assert_eq!(format!("{:.1}", census.live_share()), "72.7");
}

#[test]
fn loops_and_their_iterations() {
    let census = census(
        "int main(void) {
            int n = 0, i = 0;
            for (int j = 0; j < 5; j++)
                for (int k = 0; k < j; k++)
                    do n++; while (n % 3);
            while (i < 200) i++;
            while (i < 0) { for (;;) i++; }
            for (;;) { if (i++ > 1) break; }
            return 0;
        }",
    );
    check(
        &census,
        "loops",
        &[
            ("for", 3, 1),
            ("while", 2, 0),
            ("do", 1, 0),
            ("nesting depth 1", 4, 0),
            ("nesting depth 2", 1, 1),
            ("nesting depth 3", 1, 0),
        ],
    );
    // The `do` is entered 10 times and goes round three times each; the inner `for` 5 and 10.
    check(
        &census,
        "iterations per entry",
        &[("0", 1, 0), ("1", 1, 0), ("2 to 9", 3, 0), ("100 to 999", 1, 0)],
    );
    assert_eq!(census.iterations, 5 + 10 + 30 + 200 + 1);
}

#[test]
fn jumps_into_blocks_and_loops() {
    let census = census(
        "int main(void) {
            int n = 3, sum = 0;
            switch (n) { case 0: do { sum += 1; case 3: sum += 2; } while (--n > 0); }
            goto in;
            { sum = 0; in: sum++; }
            return sum;
        }",
    );
    check(&census, "loops", &[("do", 1, 0), ("nesting depth 1", 1, 0)]);
    assert_eq!(census.count("statements", "case"), Count { executed: 1, not_executed: 1 });
    check(&census, "assignments", &[("+=", 2, 0), ("--x", 1, 0), ("=", 0, 1), ("x++", 1, 0)]);
}

#[test]
fn calls_and_recursion_across_units() {
    let program = parse(&[
        "int odd(int n);
         int even(int n) { return n == 0 ? 1 : odd(n - 1); }
         int once(int n) { return n; }
         static int (*through)(int) = once;
         int putchar(int);
         int main(void) { putchar(10); return even(4) - through(1) + (0 && once(2)); }",
        "int even(int n);
         int odd(int n) { if (n == 0) return 0; return even(n - 1); }
         static int never(int n) { return n ? never(n - 1) : n; }",
    ]);
    let census = Census::of(&program, &profile(&program));
    check(
        &census,
        "functions",
        &[
            ("function", 4, 1),
            ("recursive function", 2, 1),
            ("call", 4, 1),
            ("library call", 1, 0),
            ("call through a pointer", 1, 0),
        ],
    );
    let own = |f| program.name(program.func(f).name) == "odd";
    let odd = Census::of_functions(&program, &profile(&program), own);
    check(&odd, "functions", &[("function", 1, 0), ("call", 1, 0)]);
    check(&odd, "statements", &[("statement", 2, 1), ("if", 1, 0), ("return", 1, 1)]);
}

#[test]
fn memory_and_records() {
    let census = census(
        "struct s { int plain; unsigned bits : 5; union { int i; unsigned u; } un; int row[4]; };
         enum { RED, GREEN };
         struct s g; int a[4], b[2][3], c[2][2][2];
         volatile int v; volatile int va[2];
         int main(void) {
            struct s l = g, *p = &l;
            int i = 1, *q = a, *end = a + 4;
            l.bits = 3; l.bits += 1; i = l.bits - 3;
            p->un.i = 4; l.row[i] = p->un.u;
            a[0] = a[i]; b[1][i] = b[1][GREEN]; c[0][1][i] = c[0][0][0];
            q[1] = 5; *q = 6; q++; i = q != end;
            l = (struct s){ .plain = 1 };
            v = v + 1; va[1]++; &v;
            return sizeof a[1] == 4 ? RED : i;
         }",
    );
    check(
        &census,
        "records",
        &[
            ("struct member", 6, 0),
            ("arrow", 2, 0),
            ("union member", 2, 0),
            ("bit-field read", 2, 0),
            ("bit-field write", 2, 0),
            ("struct copy", 2, 0),
            ("compound literal", 1, 0),
        ],
    );
    check(
        &census,
        "arrays",
        &[
            ("1-d array, constant index", 2, 0),
            ("1-d array, variable index", 2, 0),
            ("2-d array, constant index", 1, 0),
            ("2-d array, variable index", 1, 0),
            ("3-d array, constant index", 1, 0),
            ("3-d array, variable index", 1, 0),
        ],
    );
    check(
        &census,
        "pointers",
        &[
            ("dereference", 1, 0),
            ("address-of", 2, 0),
            ("pointer arithmetic", 2, 0),
            ("pointer comparison", 1, 0),
            ("pointer subscript", 1, 0),
        ],
    );
    assert_eq!(census.count("values", "enum constant").executed, 2);
    assert_eq!(census.count("values", "volatile read").executed, 2);
    assert_eq!(census.count("values", "volatile write").executed, 2);
    check(
        &census,
        "declarations",
        &[
            ("global struct", 1, 0),
            ("global array", 4, 0),
            ("global integer", 1, 0),
            ("global volatile", 1, 0),
            ("local struct", 1, 0),
            ("local integer", 1, 0),
            ("local pointer", 3, 0),
        ],
    );
}

#[test]
fn operators_by_type() {
    let census = census(
        "int main(void) {
            int i = 5; unsigned char c = 200; unsigned long l = 3; double d = 1.5;
            typedef int four __attribute__((vector_size(16)));
            i = i + 2; l = l << i; c += 1; i = c < i; l = (unsigned long)-i;
            d = d * 2.0; i = !l ? ~i : 1;
            ++l; --i; c++; d--;
            if (i == 12345) { l = l % 7; four x = {1, 2, 3, 4}; x = x + x; i = x[1]; }
            i >>= 1, i ^= (signed char)i;
            return 0;
        }",
    );
    check(
        &census,
        "operators by type",
        &[
            ("+ int", 1, 0),
            ("<< unsigned long", 1, 0),
            ("+= int", 1, 0),
            ("< int", 1, 0),
            ("unary - int", 1, 0),
            ("* double", 1, 0),
            ("+ vector", 0, 1),
            ("! unsigned long", 1, 0),
            ("~ int", 1, 0),
            ("++x unsigned long", 1, 0),
            ("--x int", 1, 0),
            ("x++ unsigned char", 1, 0),
            ("x-- double", 1, 0),
            ("== int", 1, 0),
            ("% unsigned long", 0, 1),
            (">>= int", 1, 0),
            ("^= int", 1, 0),
        ],
    );
    check(
        &census,
        "operators",
        &[
            ("+", 1, 1),
            ("<<", 1, 0),
            ("<", 1, 0),
            ("==", 1, 0),
            ("*", 1, 0),
            ("%", 0, 1),
            ("unary -", 1, 0),
            ("!", 1, 0),
            ("~", 1, 0),
            ("comma", 1, 0),
            ("ternary", 1, 0),
            ("cast", 2, 0),
            ("floating operator", 2, 0),
            ("vector operator", 0, 1),
        ],
    );
    check(
        &census,
        "casts",
        &[("signed to unsigned, wider", 1, 0), ("signed to signed, narrower", 1, 0)],
    );
    assert_eq!(census.count("arrays", "vector lane, constant index").not_executed, 1);
}

/// Sums are sums, and what is executed in one program only is not missing from both.
#[test]
fn censuses_add_up() {
    let (with, without) = (
        census("int main(void) { for (int i = 0; i < 3; i++) ; return 0; }"),
        census("int main(void) { goto out; out: return 0; }"),
    );
    let mut both = with.clone();
    both.add(&without);
    assert_eq!((both.programs, both.iterations), (2, 3));
    assert_eq!(both.count("statements", "return").executed, 2);
    let missing = both.missing();
    assert!(!missing.contains(&"for") && !missing.contains(&"goto"), "{missing:?}");
    assert!(with.missing().contains(&"goto") && missing.contains(&"while"), "{missing:?}");
    // One in two programs is 500 in 1,000.
    let table = both.to_string();
    let row = table.lines().find(|line| line.trim_start().starts_with("goto")).unwrap_or("");
    let columns: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(columns, ["goto", "1", "0", "500", "0"], "{table}");
}

/// Generated trees have no spans and were never text: the census does not mind.
#[test]
fn generated_programs_are_counted() {
    let mut all = Census::default();
    for seed in 0..50 {
        let program = ctestgen::simple(&mut Choices::new(seed));
        all.add(&Census::of(&program, &profile(&program)));
    }
    assert_eq!(all.programs, 50);
    assert!(all.live_share() > 30.0 && all.iterations > 0, "{all}");
    assert!(all.count("functions", "function").executed >= 50, "{all}");
}
