//! Every edit of every pass gives a specimen or nothing, and enough of them a specimen.

mod common;

use std::collections::BTreeMap;

use cgen::yarp::{Options, generate};
use common::{rules, specimen};
use cshrink::Specimen;

/// Passes that are meant to leave the meaning as it is: a third of their edits must be accepted.
const KIND: &[&str] = &[
    "what never ran",
    "branches taken",
    "calls",
    "parameters",
    "results",
    "copies",
    "qualifiers",
    "numbers",
    "needless",
    "declarations",
    "names",
];

/// Hand-written programs with what the generator seldom makes.
const PROGRAMS: &[&str] = &[
    include_str!("programs/jumps.c"),
    include_str!("programs/records.c"),
    include_str!("programs/calls.c"),
];

/// Accepted and all edits by pass.
type Tally = BTreeMap<&'static str, (usize, usize)>;

/// Tries the edits of all passes: each of `sample` per level alone, and all of a level together.
fn try_all(start: &Specimen, sample: usize, tally: &mut Tally) {
    for pass in cshrink::passes() {
        let mut level = 0;
        while let Some(edits) = (pass.edits)(start, level) {
            let step = (edits.len() / sample).max(1);
            for edit in edits.iter().step_by(step) {
                let (accepted, all) = tally.entry(pass.name).or_default();
                *all += 1;
                if let Some(made) = start.with([edit], &rules()) {
                    *accepted += 1;
                    let text = made.units.clone();
                    let again = Specimen::new(text, &rules()).expect("it was read and executed");
                    assert_eq!((&again.stdout, again.status), (&made.stdout, made.status));
                }
            }
            start.with(edits.iter(), &rules());
            level += 1;
            assert!(level < 200, "{} has no last level", pass.name);
        }
    }
}

fn show(tally: &Tally) {
    for (name, (accepted, all)) in tally {
        eprintln!("{name:20} {accepted:5} of {all:5}");
    }
}

#[test]
fn edits_of_generated_programs_are_specimens() {
    let mut tally = Tally::new();
    for seed in 1..=10 {
        let made = generate(seed, &Options::default()).expect("a program");
        let files = made.files(true).expect("printable");
        let start = specimen(&files[0].text);
        try_all(&start, 3, &mut tally);
    }
    show(&tally);
}

#[test]
fn edits_of_other_programs_are_specimens() {
    let mut tally = Tally::new();
    for text in PROGRAMS {
        try_all(&specimen(text), usize::MAX, &mut tally);
    }
    show(&tally);
    for pass in cshrink::passes() {
        let (accepted, all) = tally.get(pass.name).copied().unwrap_or_default();
        assert!(accepted > 0, "no edit of {} works", pass.name);
        if KIND.contains(&pass.name) {
            assert!(3 * accepted > all, "{}: {accepted} of {all}", pass.name);
        }
    }
}
