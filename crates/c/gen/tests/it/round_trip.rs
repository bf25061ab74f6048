//! The law of the printer: what is printed reads back as the same tree, and prints the same again.

use choice::Choices;
use ctree::{DataModel, Program, UnitId};

/// Prints and reads back; panics with the first difference.
fn check(what: &str, program: &Program, unit: UnitId) {
    let text = ctree::print::print_unit(program, unit);
    let mut read = Program::new(DataModel::X86_64_SYSV);
    let back = match cparse::parse_unit(&mut read, "printed.c", &text) {
        Ok(back) => back,
        Err(error) => {
            let place = read.source.location(error.span);
            panic!("{what}: not read back: {error:?}\nat {place:#?}");
        }
    };
    let (before, after) =
        (ctree::dump::dump_unit(program, unit), ctree::dump::dump_unit(&read, back));
    if before != after {
        let line = before.lines().zip(after.lines()).find(|(a, b)| a != b);
        panic!("{what}: the tree changed: {line:#?}");
    }
    let again = ctree::print::print_unit(&read, back);
    assert_eq!(text, again, "{what}: the text changed");
}

#[test]
fn wild_units_read_back_unchanged() {
    for seed in 0..1000 {
        check(&format!("wild {seed}"), &ctestgen::wild(&mut Choices::new(seed)), UnitId(0));
    }
}

#[test]
fn simple_programs_read_back_unchanged() {
    for seed in 0..200 {
        check(&format!("simple {seed}"), &ctestgen::simple(&mut Choices::new(seed)), UnitId(0));
    }
}

/// Text that people wrote reads back from its print as well.
#[test]
fn the_parsers_corpus_reads_back_unchanged() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../parse/tests/corpus");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("the parser's corpus") {
        let path = entry.expect("a file of the corpus").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let name = path.display().to_string();
        let mut program = Program::new(DataModel::X86_64_SYSV);
        if let Ok(unit) = cparse::parse_unit(&mut program, &name, &text) {
            check(&name, &program, unit);
            files += 1;
        }
    }
    assert!(files > 0, "nothing in {folder} was parsed");
}

/// What is completed only after its use keeps, before that, the type it was used with.
#[test]
fn early_uses_read_back_unchanged() {
    let text = "int f(); extern int a[]; int g(char c) { return f(c) + a[0]; }
        int a[3]; int f(long x) { return x + sizeof a; }";
    let mut program = Program::new(DataModel::X86_64_SYSV);
    let unit = cparse::parse_unit(&mut program, "early.c", text).expect("valid text");
    check("early uses", &program, unit);
}
