//! Levels and flags of compilers, and the targets of a test that asks for all levels.
//!
//! | module | concern |
//! | --- | --- |
//! | `family` | families of flags, tables of them, drawing rows of a table |
//! | `gcc`, `clang` | the tables |
//!
//! Flags are such that cannot change what a defined program does: nothing that relaxes floating
//! point. Hunts draw targets by family (`campaign::draw`), unless a user names levels or flag sets; then, and for a
//! program of a user's own, [`targets`] is every compiler at each level.

mod clang;
mod family;
mod gcc;

use std::sync::Arc;

use choice::Choices;

use crate::target::{Compiler, Family, Target};

pub use family::{FlagFamily, FlagTable, families_of};

/// How many flags are put behind a level at most. With more, a failure says less about its cause.
const SWARM: i64 = 3;

/// How often a flag set that was drawn before is drawn again.
const TRIES: usize = 8;

/// The levels of a family.
pub(crate) fn levels(family: Family) -> Vec<String> {
    let levels: &[&str] = match family {
        Family::Gcc | Family::Clang => &["-O0", "-O1", "-O2", "-Os", "-O3"],
        // TCC takes levels and ignores them; what an unknown compiler does at -O2 is what matters.
        Family::Tcc => &["-O0"],
        Family::Pcc => &["-O0", "-O1"],
        Family::Other => &["-O0", "-O2"],
    };
    levels.iter().map(ToString::to_string).collect()
}

/// Families of flags that stand together behind a level where a user named levels: of each some rows.
const EXTRAS: &[FlagFamily] = &[
    FlagFamily::Processor,
    FlagFamily::PassesOff,
    FlagFamily::PassesOn,
    FlagFamily::Promises,
    FlagFamily::WholeProgram,
];

/// The rows of a table that are flag sets of their own.
pub(crate) fn extras(table: &FlagTable) -> Vec<String> {
    EXTRAS.iter().flat_map(|of| table.rows(*of)).cloned().collect()
}

/// The targets of one test. Every compiler at each of its levels; and for each compiler
/// `extras_per_test` flag sets out of its extras, as many as there are. An extra with a level of its
/// own (`-O3 -fwrapv`) is a set as it stands; others are put, one to three of them, behind one of
/// the compiler's levels. What is drawn for a compiler depends on `choices`' seed and on that
/// compiler alone.
pub fn targets(
    compilers: &[Arc<Compiler>],
    extras_per_test: usize,
    choices: &mut Choices,
) -> Vec<Target> {
    let mut targets = Vec::new();
    for compiler in compilers {
        let mut sets: Vec<String> = compiler.levels.clone();
        let mut choices = choices.fork(&format!("flags of {}", compiler.name));
        let wanted = sets.len() + extras_per_test;
        for _ in 0..extras_per_test * TRIES {
            if sets.len() == wanted {
                break;
            }
            let set = draw(compiler, &mut choices);
            sets.extend(set.filter(|set| !sets.contains(set)));
        }
        targets.extend(sets.into_iter().map(|set| Target {
            compiler: compiler.clone(),
            flags: set.split(' ').map(str::to_string).collect(),
        }));
    }
    targets
}

/// Whether a flag set names its level itself.
fn is_whole(set: &str) -> bool {
    set.split(' ').any(|flag| flag.starts_with("-O"))
}

/// One flag set.
fn draw(compiler: &Compiler, choices: &mut Choices) -> Option<String> {
    let first = choices.pick(&compiler.extras)?;
    if is_whole(first) {
        return Some(first.clone());
    }
    // At -O0 most flags do nothing.
    let levels: Vec<&String> = compiler.levels.iter().filter(|l| *l != "-O0").collect();
    let level = choices.pick(&levels).map_or("-O0", |level| level.as_str());
    let mut parts: Vec<&String> = compiler.extras.iter().filter(|e| !is_whole(e)).collect();
    choices.shuffle(&mut parts);
    parts.truncate(choices.range(1..=SWARM) as usize);
    // In the list's order, so that a set has one name.
    let set = compiler.extras.iter().filter(|extra| parts.contains(extra));
    let words: Vec<&str> = std::iter::once(level).chain(set.map(String::as_str)).collect();
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn compiler(name: &str, extras: &[&str]) -> Arc<Compiler> {
        Arc::new(Compiler {
            family: Family::Gcc,
            name: name.into(),
            version: "1".into(),
            triple: "x86_64-linux-gnu".into(),
            c: Vec::new(),
            cxx: None,
            runner: Default::default(),
            abi: Some(ctree::Abi::Lp64),
            levels: levels(Family::Gcc),
            extras: extras.iter().map(ToString::to_string).collect(),
            drawn: FlagTable::default(),
            lacks: Vec::new(),
            checks: None,
            root: None,
        })
    }

    fn all(family: Family) -> Vec<String> {
        extras(&FlagTable::of(family, true))
    }

    fn named(name: &str, extras: &[String]) -> Arc<Compiler> {
        compiler(name, &extras.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn labels(compilers: &[Arc<Compiler>], count: usize, seed: u64) -> Vec<String> {
        let drawn = targets(compilers, count, &mut Choices::new(seed));
        drawn.iter().map(Target::label).collect()
    }

    #[test]
    fn all_levels_and_so_many_extras() {
        let gcc = named("gcc", &all(Family::Gcc));
        let plain = labels(std::slice::from_ref(&gcc), 0, 1);
        assert_eq!(plain, ["gcc -O0", "gcc -O1", "gcc -O2", "gcc -Os", "gcc -O3"]);
        for seed in 0..200 {
            let drawn = labels(std::slice::from_ref(&gcc), 4, seed);
            assert_eq!(drawn[..5], plain);
            assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), 9, "{drawn:?}");
            for label in &drawn[5..] {
                let words = label.split(' ').count();
                // A row has up to two words.
                assert!((3..=8).contains(&words) && !label.contains("-O0"), "{label}");
            }
        }
    }

    #[test]
    fn draws_are_deterministic_varied_and_independent_of_the_company() {
        let (gcc, clang) = (named("gcc", &all(Family::Gcc)), named("clang", &all(Family::Clang)));
        let mut seen = BTreeSet::new();
        for seed in 0..3000 {
            let alone = labels(std::slice::from_ref(&gcc), 1, seed);
            let both = labels(&[clang.clone(), gcc.clone()], 1, seed);
            assert_eq!(both[6..], alone);
            seen.extend(alone.iter().flat_map(|l| l.split(' ')).map(str::to_string));
        }
        for flag in all(Family::Gcc).iter().flat_map(|row| row.split(' ')) {
            assert!(seen.contains(flag), "{flag} is never drawn");
        }
    }

    #[test]
    fn sets_with_a_level_stand_alone_and_few_sets_end_the_draw() {
        let own = compiler("own", &["-O3 -march=native", "-Ofast-not-really"]);
        let drawn = labels(&[own], 5, 1);
        assert_eq!(drawn.len(), 7, "{drawn:?}");
        assert!(drawn.contains(&"own -O3 -march=native".to_string()));
        assert_eq!(labels(&[compiler("bare", &[])], 3, 1).len(), 5);
    }
}
