//! Code that never runs: Orion takes it away, Athena puts more there. Variants do what their seeds
//! do, whichever edits are left out; our parser reads them and compilers take them.

use std::time::Duration;

use choice::Choices;
use cmachine::{MachineConfig, Outcome};
use ctree::{DataModel, Program, UnitId};
use emi::{Chain, Change, Database, Options, Strategy};
use sandbox::{Ended, Run};

/// Far more than a compiler needs for a few kilobytes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const COMPILERS: [&str; 2] = ["gcc", "clang-16"];

fn config() -> MachineConfig {
    MachineConfig { fuel: 2_000_000, ..MachineConfig::default() }
}

fn parse(text: &str) -> Program {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    cparse::parse_unit(&mut program, "test.c", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program
}

fn text(program: &Program) -> String {
    ctree::print::print_unit(program, UnitId(0))
}

fn chain(seed: Program, strategies: &str, number: u64) -> Option<Chain> {
    let options = Options {
        strategies: strategies.parse().expect("strategies"),
        mutations: 12,
        ..Options::default()
    };
    Chain::new(seed, options, &config(), &Choices::new(number)).ok()
}

/// The variant after some rounds.
fn variant(seed: &str, strategies: &str, number: u64, rounds: u32, database: &Database) -> Program {
    let mut chain = chain(parse(seed), strategies, number).expect("a seed");
    for _ in 0..rounds {
        chain.next(database).unwrap_or_else(|wrong| panic!("{:?}", wrong.report.outcome));
    }
    chain.program().clone()
}

/// Every second statement of it never runs.
const SEED: &str = "int printf(const char *, ...);
int a, b = 2;
static int f(int x) { if (x > 5) { a = x; b -= a; return 9; } return x + 1; }
int main(void) {
    int i;
    for (i = 0; i < 3; i++) {
        if (i == 7) { a++; continue; }
        b += f(i);
    }
    switch (b) { case 1: a = 1; break; case 2: a = 2; default: a = 3; }
    if (b > 90) { again: a--; if (a) goto again; }
    if (b > 91) { goto out; }
    b ^= ({ int t = a; if (t == 44) t = 0; t; });
out:
    printf(\"%d %d\\n\", a, b);
    return 0;
}
";

#[test]
fn orion_takes_what_never_ran() {
    let program = variant(SEED, "orion", 3, 1, &Database::default());
    assert_eq!(text(&program), ORION);
}

const ORION: &str = r#"int printf(const char *, ...);
int a;
int b = 2;

static int f(int x) {
    if (x > 5)
        ;
    return x + 1;
}

int main(void) {
    int i;
    for (i = 0; i < 3; i++) {
        if (i == 7)
            ;
        b += f(i);
    }
    switch (b) {
    case 1:
        a = 1;
        break;
    case 2: ;
    default:
        a = 3;
    }
    if (b > 90) {
    again:
        a--;
        if (a)
            goto again;
    }
    if (b > 91) {
        goto out;
    }
    b ^= ({
        int t = a;
        if (t == 44)
            ;
        t;
    });
out:
    printf("%d %d\n", a, b);
    return 0;
}
"#;

#[test]
fn athena_puts_statements_where_nothing_ran() {
    let mut database = Database::default();
    let other = "double d; long n; int g(int k) { int s[4], m = k; while (m < 9) { s[m & 3] = m; m *= 2; }
        if (n > m) { d = n; n -= g(m) + s[1]; return m; } return k; } int main(void) { return g(1) - 1; }";
    database.gather(&parse(other), &[]);
    assert!(database.len() >= 8, "{}", database.len());
    let program = variant(SEED, "athena", 4, 1, &database);
    assert_eq!(text(&program), ATHENA);
}

const ATHENA: &str = r#"int printf(const char *, ...);
int a;
int b = 2;

static int f(int x) {
    if (x > 5) {
        a = x;
        b -= a;
        return 9;
    }
    return x + 1;
}

int main(void) {
    int i;
    for (i = 0; i < 3; i++) {
        if (i == 7) {
            {
                int emi_9[4];
                emi_9[b & 3] = b;
                b *= 2;
            }
            {
                a++;
                {
                    double emi_5;
                    long emi_6;
                    emi_5 = emi_6;
                }
                continue;
            }
        }
        b += f(i);
    }
    switch (b) {
    case 1: ;
        break;
    case 2:
        a = 2;
    default:
        a = 3;
    }
    if (b > 90) {
        {
            long emi_7;
            int emi_8[4];
            emi_7 -= f(a) + emi_8[1];
        }
        {
        again:
            a--;
            if (a)
                goto again;
        }
    }
    if (b > 91) {
        goto out;
    }
    b ^= ({
        int t = a;
        if (t == 44)
            t = 0;
        t;
    });
out:
    printf("%d %d\n", a, b);
    return 0;
}
"#;

#[test]
fn a_database_takes_what_can_stand_elsewhere() {
    let kept = |body: &str| {
        let program = format!(
            "struct s {{ int m; }} r; enum e {{ E }} e; int v; int h(void); int (*p)(void);
             void f(void) {{ l: for (;;) {body} }} int main(void) {{ goto l; l: return 0; }}"
        );
        let program = program.replace("goto l; l:", "");
        let mut database = Database::default();
        database.gather(&parse(&program), &[]);
        // Without the `for` around it.
        database.len()
    };
    assert_eq!(kept("v++;"), 2, "the loop and what is in it");
    assert_eq!(kept("v = h();"), 2);
    assert_eq!(kept("v = E;"), 2, "a constant has no name");
    assert_eq!(kept("r.m = 1;"), 0, "its record is not known elsewhere");
    assert_eq!(kept("e = 0;"), 0);
    assert_eq!(kept("goto l;"), 0);
    assert_eq!(kept("p = h;"), 0, "a function may not be there");
    assert_eq!(kept("break;"), 1, "the loop alone");
    assert_eq!(kept("if (v) break;"), 2, "where there is a loop");
}

/// Seeds with dead code: some by hand, the rest from both generators.
fn seeds() -> Vec<Program> {
    let yarp = cgen::yarp::Options::default();
    let yarp = (0..8).filter_map(|n| Some(cgen::yarp::generate(n, &yarp).ok()?.program));
    let smith = cgen::smith::Options::default();
    let smith =
        (0..16).map(|n| cgen::smith::generate(&cgen::smith::SeedTuple::plain(n), &smith).program);
    let mut all: Vec<Program> = [SEED, RECORDS, DUFF].map(parse).into();
    all.extend(yarp.chain(smith));
    all
}

const RECORDS: &str = "
struct pair { int a; struct pair *next; const int k; unsigned bits : 3; }; union u { int i; float f; };
static struct pair x, y; static union u u; enum e { A, B } e; const int c = 3; static int t[2][3];
static struct pair *pick(int n) { register int r = n; if (r) { r += t[n][r]; return &x; } return &y; }
static void quiet(void) { if (c == 4) { e = B; u.f = 1; return; } }
int main(void) {
    struct pair *p = pick(0);
    if (p == &x) { p->a += x.bits; p->next = pick(t[1][2]); { struct pair *q = p; q->bits++; } }
    else if (e) { struct pair { char inner; } l = {1}; t[0][0] = l.inner; }
    quiet();
    while (u.i > 0) { int v[3] = {1, 2}; u.i = v[u.i]--; if (v[1]) break; }
    return x.a;
}
";

/// Labels that are jumped to are not to go.
const DUFF: &str = "
int n = 3, s;
int main(void) {
    switch (n) { case 0: do { s++; case 3: s++; if (s == 9) { case 8: s--; } } while (--n > 0); }
    if (s > 50) { in: s = 1; { { back: s--; } } }
    if (s > 60) goto in;
    if (s > 70) { if (s == 71) goto back; s = 2; }
    return s - 5;
}
";

#[test]
fn variants_do_what_their_seeds_do_whichever_edits_are_left_out() {
    let mut database = Database::default();
    let seeds = seeds();
    seeds.iter().for_each(|seed| database.gather(seed, &[]));
    let mut counts = [0; 3];
    let mut last = Vec::new();
    for (number, seed) in seeds.into_iter().enumerate() {
        let Some(mut chain) = chain(seed, "orion,athena", number as u64) else { continue };
        for round in 0..5 {
            chain.next(&database).unwrap_or_else(|wrong| {
                let text = text(&wrong.variant.program());
                panic!("seed {number}, round {round}: {:?}\n{text}", wrong.report.outcome)
            });
        }
        for edit in chain.variant().edits() {
            counts[match (edit.strategy, edit.change) {
                (Strategy::Orion, _) => 0,
                (_, Change::Remove { .. }) => 1,
                _ => 2,
            }] += 1;
        }
        for part in 0..3 {
            let program = chain.variant().with(|n| n % 3 != part);
            let report = cmachine::run(&parse(&text(&program)), &config());
            assert_eq!(report.outcome, chain.seed().outcome, "seed {number} without {part}");
            assert_eq!(report.stdout, chain.seed().stdout, "seed {number} without {part}");
            assert!(matches!(report.outcome, Outcome::Finished(_)));
        }
        last.push(text(chain.program()));
    }
    assert!(last.len() > 15, "{} seeds", last.len());
    assert!(counts.iter().all(|n| *n > 50), "{counts:?}");
    compilers_take(&last);
}

fn compilers_take(texts: &[String]) {
    let answers = |cc: &&str| Run::new(*cc, PATIENCE).arg("--version").finish().success().is_some();
    let found: Vec<&str> = COMPILERS.into_iter().filter(answers).collect();
    let all = found.len() == COMPILERS.len();
    assert!(
        all || std::env::var_os("CI").is_none(),
        "set-up installs {COMPILERS:?}: CI skips none"
    );
    for (cc, text) in found.iter().flat_map(|cc| texts.iter().map(move |text| (cc, text))) {
        let run =
            Run::new(*cc, PATIENCE).args(["-w", "-fsyntax-only", "-xc", "-"]).stdin(text.clone());
        if run.finish().success().is_none() {
            let Ended::Finished(finished) = run.finish() else { panic!("{cc} failed") };
            panic!("{cc}: {}\n{text}", finished.stderr.text());
        }
    }
}
