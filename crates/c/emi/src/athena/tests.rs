//! Athena and Orion where everything is dead: whatever is put in or taken away, what is left is C.

use choice::Choices;
use cmachine::Profile;
use ctree::{Program, UnitId};

use super::{Database, mutate};
use crate::chain::ProfiledProgram;
use crate::grow::tests::{SCOPES, check, installed, parse};
use crate::site::Sites;
use crate::{Change, Variant, orion};

/// A variant of a program of which nothing ever ran.
fn mutated(program: &Program, database: &Database, choices: &mut Choices) -> Variant {
    let mut next = Variant::new(program.clone());
    let mut last = program.clone();
    for _ in 0..3 {
        let sites = Sites::of(&last, &[], next.base.stmts.len());
        let view = ProfiledProgram { program: &last, sites: &sites, profile: &Profile::default() };
        mutate(&view, database, 40, &mut next, choices);
        orion::mutate(&view, 5, &mut next, choices);
        last = next.program();
    }
    next
}

fn programs() -> Vec<Program> {
    let mut all = vec![parse(SCOPES); 8];
    for seed in 0..25 {
        all.push(ctestgen::wild(&mut Choices::new(seed)));
    }
    for seed in 0..4 {
        let options = cgen::yarp::Options::default();
        all.push(cgen::yarp::generate(seed, &options).expect("a program").program);
        let smith = cgen::smith::SeedTuple::plain(seed);
        all.push(cgen::smith::generate(&smith, &cgen::smith::Options::default()).program);
    }
    all
}

#[test]
fn what_is_put_in_or_taken_away_leaves_a_program() {
    let programs = programs();
    let mut database = Database::default();
    programs.iter().for_each(|program| database.gather(program, &[]));
    let mut choices = Choices::new(7);
    let compilers = installed();
    let mut puts = 0;
    for (number, program) in programs.iter().enumerate() {
        let variant = mutated(program, &database, &mut choices);
        let is_put = |edit: &&crate::Edit| matches!(edit.change, Change::Insert { .. });
        puts += variant.edits.iter().filter(is_put).count();
        check(&compilers, &format!("program {number}"), &variant.program());
        for part in 0..3 {
            parse(&ctree::print::print_unit(&variant.with(|n| n % 3 != part), UnitId(0)));
        }
    }
    assert!(puts > 500, "{puts} snippets");
}

#[test]
fn a_seed_gives_the_same_variant_again() {
    let program = parse(SCOPES);
    let mut database = Database::default();
    database.gather(&program, &[]);
    let edits = |seed| mutated(&program, &database, &mut Choices::new(seed)).edits;
    assert_eq!(edits(5), edits(5));
    assert_ne!(edits(5), edits(6));
}
