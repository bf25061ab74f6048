//! Every edit of every pass gives a specimen or nothing, and enough of them a specimen.

use std::collections::BTreeMap;

use crate::common::{rules, specimen};
use cgen::policy::Policy;
use cgen::yarp::{Options, generate};
use cshrink::Specimen;

/// Passes that are meant to leave the meaning as it is: a third of their edits must be accepted.
const KIND: &[&str] = &[
    "dead code",
    "taken branches",
    "calls",
    "parameters",
    "results",
    "copied variables",
    "qualifiers",
    "arithmetic types",
    "redundant control flow",
    "declarations",
    "names",
];

/// Hand-written programs with what the generator seldom makes.
const PROGRAMS: &[&str] = &[
    include_str!("../programs/jumps.c"),
    include_str!("../programs/records.c"),
    include_str!("../programs/calls.c"),
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

/// Every pass that found something to do has edits that work, and the kind ones many.
fn judge(tally: &Tally) {
    for (name, (accepted, all)) in tally {
        // There is nothing that nothing uses: all specimens begin tidy.
        assert!(*accepted > 0 || *name == "unused declarations", "no edit of {name} works");
        if KIND.contains(name) {
            assert!(3 * accepted > *all, "{name}: {accepted} of {all}");
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
    let policy = Policy::parse("program.tests = [1, 2]").expect("a policy");
    let options = Options { policy, ..Options::default() };
    for seed in 1..=5 {
        let made = generate(seed, &options).expect("a program");
        let files = made.files(true).expect("printable");
        let start = specimen(&files[0].text);
        try_all(&start, 2, &mut tally);
    }
    show(&tally);
    judge(&tally);
}

#[test]
fn edits_of_other_programs_are_specimens() {
    let mut tally = Tally::new();
    for text in PROGRAMS {
        try_all(&specimen(text), usize::MAX, &mut tally);
    }
    show(&tally);
    // These are programs of one unit.
    for pass in cshrink::passes().iter().filter(|pass| pass.name != "moved definitions") {
        assert!(tally.contains_key(pass.name), "the programs have nothing for {}", pass.name);
    }
    judge(&tally);
}
