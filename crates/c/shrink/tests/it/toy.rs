//! A whole reduction without compilers.

use crate::common::{reduce, specimen};
use cgen::yarp::{Options, generate};
use cshrink::{ProgramMap, Specimen};
use ctree::{BinOp, ExprId, ExprKind};

/// Whether some line of the output has a 7.
fn prints_seven(specimen: &Specimen) -> bool {
    String::from_utf8_lossy(&specimen.stdout).lines().any(|line| line.contains('7'))
}

#[test]
fn a_generated_program_becomes_a_line() {
    for seed in 1..=3 {
        let made = generate(seed, &Options::default()).expect("a program");
        let start = specimen(&made.files(true).expect("printable")[0].text);
        let before = start.tokens();
        let end = reduce(start, &prints_seven);
        eprintln!("{before} tokens to {}\n{}", end.tokens(), end.units[0].text);
        assert!(end.tokens() < 40, "seed {seed}:\n{}", end.units[0].text);
    }
}

/// Whether a shift of what is not constant runs at least twice at the same place, and something is
/// printed: as good as a bug that hangs on a loop.
fn shifts_in_a_loop(specimen: &Specimen) -> bool {
    let p = &specimen.program;
    let counts = &specimen.profile().counts;
    let values = &specimen.profile().values;
    let varies = |e: ExprId| values.get(&e).is_some_and(|worth| !worth.constant);
    !specimen.stdout.is_empty()
        && ProgramMap::of(p).exprs.iter().any(|&(e, s)| {
            let often = s.and_then(|s| counts.get(&s)).is_some_and(|&n| n > 1);
            let ExprKind::Binary(BinOp::Shl | BinOp::Shr, a, b) = p.expr(e).kind else {
                return false;
            };
            often && (varies(a) || varies(b))
        })
}

#[test]
fn what_a_bug_hangs_on_stays_and_all_else_goes() {
    for seed in 1..=6 {
        let made = generate(seed, &Options::default()).expect("a program");
        let start = specimen(&made.files(true).expect("printable")[0].text);
        if !shifts_in_a_loop(&start) {
            continue;
        }
        let before = start.tokens();
        let end = reduce(start, &shifts_in_a_loop);
        eprintln!("{before} tokens to {}\n{}", end.tokens(), end.units[0].text);
        assert!(end.tokens() < 80, "seed {seed}:\n{}", end.units[0].text);
    }
}

#[test]
fn other_programs_become_a_line() {
    for text in [
        include_str!("../programs/jumps.c"),
        include_str!("../programs/records.c"),
        include_str!("../programs/calls.c"),
    ] {
        let end = reduce(specimen(text), &|s| !s.stdout.is_empty());
        assert!(end.tokens() < 28, "{}", end.units[0].text);
    }
}
