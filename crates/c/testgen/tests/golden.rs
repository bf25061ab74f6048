//! The same seed gives the same program, on every machine and in every run.

use choice::Choices;
use ctree::{Program, UnitId};

/// FNV-1a of the printed texts of a range of seeds.
fn hash(make: impl Fn(&mut Choices) -> Program) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for seed in 0..20 {
        let program = make(&mut Choices::new(seed));
        for byte in ctree::print::print_unit(&program, UnitId(0)).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    hash
}

// Where a generator or the printer is changed on purpose, put the new value here: the change of
// every seed's program then shows in the commit.

#[test]
fn wild_is_deterministic() {
    assert_eq!(hash(ctestgen::wild), 10285966995127947644);
}

#[test]
fn simple_is_deterministic() {
    assert_eq!(hash(ctestgen::simple), 1072051102074213482);
}
