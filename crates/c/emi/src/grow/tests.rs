//! Grown bodies are what they say: our parser reads them and compilers take them, over scopes with
//! all that C has.

use std::time::Duration;

use choice::Choices;
use ctree::{DataModel, Program, StmtKind, Ty, UnitId};
use sandbox::{Ended, Run, Scratch};

use super::body;
use crate::site::Sites;
use crate::{Change, Edit, Strategy, Variant};

/// Far more than a compiler needs for a few kilobytes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const COMPILERS: [&str; 2] = ["gcc", "clang-16"];

/// A bit of everything that a scope can have.
pub(crate) const SCOPES: &str = "
struct later;
extern struct later *ahead;
extern int nowhere[];
extern int missing(int);
struct empty {};
typedef struct { int x; const int y; } fixed;
struct bits { unsigned a : 3; int : 2; int b : 7; _Bool c : 1; };
struct pair { short s; struct bits bits; double d[3]; struct pair *next; };
union either { int i; float f; struct pair *p; unsigned char bytes[8]; };
struct outer { struct { int inside; union { long u; char v; }; }; int (*call)(int, char *); int more[]; };
enum colour { RED, GREEN = 5 } colour;
const int limit = 4; volatile int device; const volatile long both;
int grid[3][4]; char *names[2]; const char *text = \"x\"; int *const steady = &grid[0][0];
struct pair pair, *pairs; union either either; struct outer *outer; fixed stay; struct empty hollow, *void_of;
float single; long double wide; __int128 huge; _Bool flag; void *any; void (*handler)(void);
struct later { int known; };
static int helper(int n, char *s) { return n + *s; }
static struct pair make(struct pair p, union either *e) { (void)e; return p; }
static void nothing(void) {}
inline int elsewhere(int n) { return n; }
int old();
int many(int n, ...) { return n; }
static double mean(double a, const float *b, int c[3]) {
    register int fast = c[0];
    register struct pair near = pair;
    struct pair { int hidden; } local = {1};
    for (int i = 0; i < 3; i++) {
        if (i == 2) continue;
        fast += i + local.hidden + near.s;
        switch (i) { case 0: fast++; break; default: fast--; }
    }
again:
    if (fast > 100) goto again;
    fast = ({ int pair = 3; pair++; pair + fast; });
    return a + *b + fast;
}
int main(void) {
    static int counter; extern volatile int device;
    int grid = 3, *at = &grid, **deep = &at, (*row)[4] = 0, (*f)(int, char *) = helper;
    { enum colour limit = RED; counter += limit; }
    nothing();
    handler = nothing;
    pair = make(pair, &either);
    while (counter < 3) { counter++; mean(1.0, &single, at); }
    do { grid--; } while (grid > 0);
    (void)row; (void)deep; (void)f;
done:
    return counter - 3;
}
";

pub(crate) fn parse(text: &str) -> Program {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    cparse::parse_unit(&mut program, "test.c", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program
}

/// A program with bodies before some of its statements, and how many they are.
fn grown(program: Program, percent: u32, choices: &mut Choices) -> (Program, usize) {
    let sites = Sites::of(&program, &[], program.stmts.len());
    let mut variant = Variant::new(program);
    for site in &sites.list {
        if choices.chance(percent) {
            let base = &mut variant.base;
            let looped = choices.chance(50);
            let body = body(base, &sites, site, looped, choices);
            let never = base.int_const(Ty::INT, 0);
            let code = base.make_stmt(match looped {
                true => StmtKind::While(never, body),
                false => StmtKind::If(never, body, None),
            });
            let change = Change::Insert { before: site.stmt, code };
            variant.edits.push(Edit { strategy: Strategy::Fcb, change });
        }
    }
    (variant.program(), variant.edits.len())
}

fn programs() -> Vec<(Program, usize)> {
    let mut choices = Choices::new(1);
    let mut all = Vec::new();
    for _ in 0..12 {
        all.push(grown(parse(SCOPES), 40, &mut choices));
    }
    for seed in 0..6 {
        let options = cgen::yarp::Options::default();
        let yarp = cgen::yarp::generate(seed, &options).expect("a program").program;
        all.push(grown(yarp, 10, &mut choices));
        let smith = cgen::smith::SeedTuple::plain(seed);
        let smith = cgen::smith::generate(&smith, &cgen::smith::Options::default()).program;
        all.push(grown(smith, 5, &mut choices));
    }
    for seed in 0..20 {
        all.push(grown(ctestgen::wild(&mut Choices::new(seed)), 15, &mut choices));
    }
    all
}

pub(crate) fn installed() -> Vec<&'static str> {
    let answers = |cc: &&str| Run::new(*cc, PATIENCE).arg("--version").finish().success().is_some();
    let found: Vec<&str> = COMPILERS.into_iter().filter(answers).collect();
    let all = found.len() == COMPILERS.len();
    assert!(
        all || std::env::var_os("CI").is_none(),
        "set-up installs {COMPILERS:?}: CI skips none"
    );
    found
}

#[test]
fn compilers_and_our_parser_take_what_is_grown() {
    let programs = programs();
    let bodies: usize = programs.iter().map(|(_, bodies)| bodies).sum();
    assert!(bodies > 300, "{bodies} bodies");
    let compilers = installed();
    for (number, (program, _)) in programs.iter().enumerate() {
        check(&compilers, &format!("program {number}"), program);
    }
}

/// Without optimisation what never runs is there, and what it names has to be somewhere.
#[test]
fn what_is_grown_links() {
    let scratch = Scratch::new().expect("a temporary folder");
    for cc in installed() {
        for (program, _) in &programs()[..4] {
            let text = ctree::print::print_unit(program, UnitId(0));
            let run = Run::new(cc, PATIENCE).args(["-w", "-O0", "-xc", "-", "-o"]);
            let run = run.arg(scratch.file("program")).stdin(text.clone());
            assert!(run.finish().success().is_some(), "{cc}: {:?}\n{text}", run.finish());
        }
    }
}

/// Our parser reads a program and compilers take it.
pub(crate) fn check(compilers: &[&str], what: &str, program: &Program) {
    for unit in 0..program.units.len() as u32 {
        let text = ctree::print::print_unit(program, UnitId(unit));
        assert_eq!(ctree::print::print_unit(&parse(&text), UnitId(0)), text, "{what}");
        for cc in compilers {
            let flags = ["-w", "-fsyntax-only", "-xc", "-"];
            let run = Run::new(*cc, PATIENCE).args(flags).stdin(text.clone());
            if run.finish().success().is_none() {
                let Ended::Finished(finished) = run.finish() else { panic!("{cc} failed") };
                let numbered = text.lines().enumerate().map(|(n, l)| format!("{} {l}\n", n + 1));
                let numbered: String = numbered.collect();
                panic!("{cc} refuses {what}: {}\n{numbered}", finished.stderr.text());
            }
        }
    }
}

#[test]
fn bodies_have_all_of_the_grammar() {
    let text: String = programs()[..12]
        .iter()
        .map(|(program, _)| ctree::print::print_unit(program, UnitId(0)))
        .collect();
    let own = text.lines().filter(|line| line.contains("emi_")).count();
    assert!(own > 100, "{own} lines with variables of their own");
    for form in ["switch (", "do\n", "goto again", "goto done", "for (", "->", "?", "sizeof", " % "]
    {
        let seed = SCOPES.matches(form.trim_end()).count() * 12;
        let there = text.matches(form.trim_end()).count();
        assert!(there > seed, "{form}: {there} in all, {seed} of the seeds");
    }
}

#[test]
fn a_seed_grows_the_same_body_again() {
    let text = |seed| {
        let (program, _) = grown(parse(SCOPES), 30, &mut Choices::new(seed));
        ctree::print::print_unit(&program, UnitId(0))
    };
    assert_eq!(text(5), text(5));
    assert_ne!(text(5), text(6));
}
