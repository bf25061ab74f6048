//! A search without compilers, for the tests.
#![allow(dead_code)]

use cshrink::{BatchSize, Pass, Rules, Specimen, UnitText};

/// The rules of all tests.
pub fn rules() -> Rules {
    Rules { execute: true, fuel: 200_000, sweep: true, also: Vec::new() }
}

/// A specimen of one file, as we print it.
pub fn specimen(text: &str) -> Specimen {
    let unit = UnitText { name: "test.c".into(), text: text.into() };
    let read = Specimen::new(vec![unit], &rules());
    let read = read.unwrap_or_else(|why| panic!("{why:?}\n{text}"));
    read.with([], &rules()).unwrap_or(read)
}

/// What is to become less.
pub fn weight(specimen: &Specimen) -> (usize, usize) {
    (specimen.tokens(), specimen.units.iter().map(|unit| unit.text.len()).sum())
}

/// A pass towards the normal form, until nothing becomes less.
pub fn normalise(
    mut current: Specimen,
    name: &str,
    is_interesting: &dyn Fn(&Specimen) -> bool,
) -> Specimen {
    let pass = cshrink::normal_forms().into_iter().find(|pass| pass.name == name);
    let pass = pass.expect("a pass of that name");
    let mut level = 0;
    while let Some(edits) = (pass.edits)(&current, level) {
        let less = |made: &Specimen| made.form() < current.form() && is_interesting(made);
        let made = edits.iter().find_map(|edit| current.with([edit], &rules()).filter(less));
        match made {
            Some(made) => current = made,
            None => level += 1,
        }
    }
    current
}

/// The pass of a name.
pub fn pass(name: &str) -> Pass {
    cshrink::passes().into_iter().find(|pass| pass.name == name).expect("a pass of that name")
}

/// One pass over a specimen: what is smaller and interesting is kept.
pub fn shrink(
    mut current: Specimen,
    pass: &Pass,
    is_interesting: &dyn Fn(&Specimen) -> bool,
) -> Specimen {
    let mut level = 0;
    while let Some(edits) = (pass.edits)(&current, level) {
        let mut size = match pass.first_batch {
            BatchSize::All => edits.len(),
            BatchSize::Few => edits.len().min(4),
            BatchSize::One => edits.len().min(1),
        };
        while size > 0 {
            let mut at = 0;
            while let Some(edits) = (pass.edits)(&current, level)
                && at < edits.len()
            {
                let window = &edits[at..(at + size).min(edits.len())];
                let good = |made: &Specimen| pass.grows || weight(made) < weight(&current);
                match current.with(window, &rules()).filter(good).filter(|s| is_interesting(s)) {
                    // What may grow may go on for ever.
                    Some(made) => {
                        current = made;
                        at += if pass.grows { size } else { 0 };
                    }
                    None => at += size,
                }
            }
            size /= 2;
        }
        level += 1;
    }
    current
}

/// All passes until none finds anything.
pub fn reduce(start: Specimen, is_interesting: &dyn Fn(&Specimen) -> bool) -> Specimen {
    let passes = cshrink::passes();
    let mut best = start;
    for _ in 0..8 {
        let mut current = copy(&best);
        for pass in &passes {
            current = shrink(current, pass, is_interesting);
        }
        if weight(&current) >= weight(&best) {
            break;
        }
        best = current;
    }
    best
}

fn copy(specimen: &Specimen) -> Specimen {
    Specimen::new(specimen.units.clone(), &rules()).expect("it was one before")
}
