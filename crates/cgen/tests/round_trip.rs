//! The law of the printer: what is printed reads back as the same tree, and prints the same again.

use choice::Choices;
use ctree::{DataModel, Program, UnitId};

const UNIT: UnitId = UnitId(0);

/// Prints and reads back; panics with the seed and the first difference.
fn check(what: &str, seed: u64, program: &Program) {
    let text = ctree::print::print_unit(program, UNIT);
    let mut read = Program::new(DataModel::X86_64_SYSV);
    let unit = match cparse::parse_unit(&mut read, "printed.c", &text) {
        Ok(unit) => unit,
        Err(error) => {
            let place = read.source.place(error.span);
            panic!("{what} {seed}: not read back: {error:?}\nat {place:#?}");
        }
    };
    let (before, after) =
        (ctree::dump::dump_unit(program, UNIT), ctree::dump::dump_unit(&read, unit));
    if before != after {
        let line = before.lines().zip(after.lines()).find(|(a, b)| a != b);
        panic!("{what} {seed}: the tree changed: {line:#?}");
    }
    let again = ctree::print::print_unit(&read, unit);
    assert_eq!(text, again, "{what} {seed}: the text changed");
}

#[test]
fn wild_units_read_back_unchanged() {
    for seed in 0..1000 {
        check("wild", seed, &cgen::wild::wild(&mut Choices::new(seed)));
    }
}

#[test]
fn simple_programs_read_back_unchanged() {
    for seed in 0..200 {
        check("simple", seed, &cgen::simple(&mut Choices::new(seed)));
    }
}
