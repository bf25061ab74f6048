//! The targets of a test: drawn for its seed by shares and weights.
//!
//! The machine knows the answer, so no reference build is needed. What finds most is most of what is drawn: -O2 and
//! -O3 with flags of some family; the lower levels get the rest. The shares were measured with planted faults
//! (docs/experiments/targets.md); weights are what a hunt has learnt since ([`allocation`](crate::allocation)).
//!
//! A seed with the same weights draws the same targets. Compilers for which a user named levels or flag sets are
//! tested at all of them, as [`toolchain::targets`] has it.

use std::sync::Arc;

use choice::Choices;
use toolchain::{Compiler, Family, FlagFamily, Target, targets};

use crate::allocation::{Arm, Weights};

/// How often a target that was drawn before is drawn again.
const TRIES: usize = 8;

/// How targets are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetChoice {
    /// Flag sets for each test and compiler that is tested at all its levels.
    pub extras_per_test: usize,
    /// Targets for each test of all compilers that draw by family; `None` where they are tested at all their
    /// levels as well.
    pub targets_per_test: Option<usize>,
}

/// A target of a test.
#[derive(Clone, Debug)]
pub struct DrawnTarget {
    /// The compiler with its flags.
    pub target: Target,
    /// What it was drawn as; `None` where it was not drawn.
    pub arm: Option<Arm>,
}

impl DrawnTarget {
    /// One that was not drawn.
    pub fn fixed(target: Target) -> DrawnTarget {
        DrawnTarget { target, arm: None }
    }
}

/// The share of a level. Most of what optimises runs at -O2, the rest at -O3; what -O1 and -Os alone do is little,
/// and -O0 is there for the sake of our own answers and of bugs without optimisation.
fn level_share(level: &str, family: Family) -> f64 {
    match (family, level) {
        (Family::Tcc | Family::Pcc | Family::Other, _) => 1.0,
        (Family::Gcc | Family::Clang, "-O0") => 0.02,
        (Family::Gcc | Family::Clang, "-O1" | "-Os") => 0.04,
        (Family::Gcc | Family::Clang, "-O2") => 0.40,
        (Family::Gcc | Family::Clang, _) => 0.50,
    }
}

/// The share of a family of flags: by the faults that it exposed for its time, and something for each.
fn family_share(family: FlagFamily) -> f64 {
    match family {
        FlagFamily::Plain => 0.15,
        FlagFamily::Processor => 0.14,
        FlagFamily::Vector => 0.17,
        FlagFamily::CostModel => 0.14,
        FlagFamily::Limits => 0.09,
        FlagFamily::PassesOff => 0.07,
        FlagFamily::PassesOn => 0.14,
        FlagFamily::Promises => 0.05,
        // These cost two to four times as much.
        FlagFamily::WholeProgram => 0.03,
        FlagFamily::Profile => 0.01,
        FlagFamily::Sanitizer => 0.01,
    }
}

/// The share of a compiler. The small ones hardly optimise, and are done in a moment.
fn compiler_share(family: Family) -> f64 {
    match family {
        Family::Gcc | Family::Clang => 1.0,
        Family::Tcc | Family::Pcc | Family::Other => 0.25,
    }
}

/// All arms of a compiler with their shares, which add up to the compiler's.
fn arms(compiler: &Compiler) -> Vec<(Arm, f64)> {
    let mut arms = Vec::new();
    for level in &compiler.levels {
        for family in compiler.drawn.families() {
            // Without optimisation there is nothing that flags could change.
            if level == "-O0" && family != FlagFamily::Plain {
                continue;
            }
            let only = if level == "-O0" { 1.0 } else { family_share(family) };
            let share = level_share(level, compiler.family) * only;
            let arm = Arm { compiler: compiler.name.clone(), level: level.clone(), family };
            arms.push((arm, share));
        }
    }
    let sum: f64 = arms.iter().map(|(_, share)| share).sum();
    let whole = compiler_share(compiler.family);
    arms.iter_mut().for_each(|(_, share)| *share *= whole / sum);
    arms
}

/// The targets of one test.
pub fn draw(
    compilers: &[Arc<Compiler>],
    choice: TargetChoice,
    weights: &Weights,
    choices: &mut Choices,
) -> Vec<DrawnTarget> {
    let draws =
        |compiler: &Arc<Compiler>| choice.targets_per_test.is_some() && !compiler.drawn.is_empty();
    let (drawn, fixed): (Vec<Arc<Compiler>>, Vec<Arc<Compiler>>) =
        compilers.iter().cloned().partition(draws);
    let fixed = targets(&fixed, choice.extras_per_test, choices);
    let mut all: Vec<DrawnTarget> = fixed.into_iter().map(DrawnTarget::fixed).collect();
    let arms: Vec<(Arm, f64)> = drawn.iter().flat_map(|compiler| arms(compiler)).collect();
    let chances = weights.chances(&arms);
    let table: Vec<(&Arm, u32)> = arms.iter().map(|(arm, _)| arm).zip(chances).collect();
    let wanted = all.len() + choice.targets_per_test.unwrap_or(0);
    // A stream of its own: the first of two targets is the one of one.
    let mut choices = choices.fork("drawn targets");
    for _ in 0..choice.targets_per_test.unwrap_or(0) * TRIES {
        if all.len() >= wanted {
            break;
        }
        let Some(&arm) = choices.weighted(&table) else { break };
        let Some(compiler) = drawn.iter().find(|c| c.name == arm.compiler) else { break };
        let flags = flags(compiler, arm, &mut choices);
        let target = Target { compiler: compiler.clone(), flags };
        let label = target.label();
        if all.iter().all(|known| known.target.label() != label) {
            all.push(DrawnTarget { target, arm: Some(arm.clone()) });
        }
    }
    // Those of one compiler stand together: a reader looks for compilers.
    all.sort_by_key(|one| compilers.iter().position(|c| c.name == one.target.compiler.name));
    all
}

/// The flags of an arm, level first.
fn flags(compiler: &Compiler, arm: &Arm, choices: &mut Choices) -> Vec<String> {
    let mut flags: Vec<String> = arm.level.split(' ').map(String::from).collect();
    for row in compiler.drawn.draw(arm.family, choices) {
        flags.extend(row.split(' ').map(String::from));
    }
    flags
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::time::Duration;

    use toolchain::FlagTable;

    use super::*;
    use crate::allocation::Accounts;

    fn compiler(name: &str, family: Family, levels: &[&str]) -> Arc<Compiler> {
        Arc::new(Compiler {
            family,
            name: name.into(),
            version: "1".into(),
            triple: "x86_64-linux-gnu".into(),
            c: Vec::new(),
            cxx: None,
            runner: Default::default(),
            levels: levels.iter().map(ToString::to_string).collect(),
            extras: Vec::new(),
            drawn: FlagTable::of(family, true),
            lacks: Vec::new(),
            abi: Some(toolchain::Abi::Lp64),
            checks: None,
            root: None,
        })
    }

    const LEVELS: &[&str] = &["-O0", "-O1", "-O2", "-Os", "-O3"];

    const TWO: TargetChoice = TargetChoice { extras_per_test: 1, targets_per_test: Some(2) };

    fn labels(compilers: &[Arc<Compiler>], weights: &Weights, seed: u64) -> Vec<String> {
        let drawn = draw(compilers, TWO, weights, &mut Choices::new(seed));
        drawn.iter().map(|drawn| drawn.target.label()).collect()
    }

    #[test]
    fn a_seed_with_weights_draws_the_same_and_seeds_differ() {
        let gcc = [compiler("gcc", Family::Gcc, LEVELS), compiler("tcc", Family::Tcc, &["-O0"])];
        let mut accounts = Accounts::default();
        let good = Arm { compiler: "gcc".into(), level: "-O2".into(), family: FlagFamily::Limits };
        accounts.spend(&good, Duration::from_secs(5));
        accounts.reward(&[&good]);
        let mut seen = BTreeSet::new();
        for seed in 0..300 {
            for weights in [Weights::default(), accounts.weights()] {
                let drawn = labels(&gcc, &weights, seed);
                assert_eq!(drawn, labels(&gcc, &weights, seed));
                assert_eq!(drawn.len(), 2, "{drawn:?}");
                seen.extend(drawn);
            }
        }
        assert!(seen.len() > 300, "{}", seen.len());
    }

    #[test]
    fn levels_and_families_have_their_shares() {
        let gcc = [compiler("gcc", Family::Gcc, LEVELS)];
        let mut levels: BTreeMap<String, u32> = BTreeMap::new();
        let mut families: BTreeMap<FlagFamily, u32> = BTreeMap::new();
        for seed in 0..3000 {
            for one in draw(&gcc, TWO, &Weights::default(), &mut Choices::new(seed)) {
                let arm = one.arm.expect("it was drawn");
                assert_eq!(one.target.flags[0], arm.level);
                *levels.entry(arm.level).or_default() += 1;
                *families.entry(arm.family).or_default() += 1;
            }
        }
        let of = |level: &str| f64::from(levels[level]) / 6000.0;
        assert!(
            (0.35..0.45).contains(&of("-O2")) && (0.45..0.55).contains(&of("-O3")),
            "{levels:?}"
        );
        assert!(LEVELS.iter().all(|level| levels.contains_key(*level)), "{levels:?}");
        assert!(FlagFamily::ALL.iter().all(|family| families.contains_key(family)), "{families:?}");
    }

    #[test]
    fn named_levels_keep_their_meaning() {
        let mut own = (*compiler("own", Family::Gcc, &["-O1", "-O2"])).clone();
        own.drawn = FlagTable::default();
        own.extras = vec!["-fwrapv".into()];
        let both = [Arc::new(own), compiler("gcc", Family::Gcc, LEVELS)];
        let drawn = labels(&both, &Weights::default(), 7);
        assert_eq!(drawn[..2], ["own -O1", "own -O2"]);
        assert!(drawn[2].starts_with("own ") && drawn[2].ends_with(" -fwrapv"), "{drawn:?}");
        assert!(drawn.len() == 5 && drawn[3..].iter().all(|label| label.starts_with("gcc ")));
        let all = TargetChoice { extras_per_test: 0, targets_per_test: None };
        let all = draw(&both, all, &Weights::default(), &mut Choices::new(7));
        assert_eq!(all.len(), 7);
        assert!(all.iter().all(|drawn| drawn.arm.is_none()));
    }

    #[test]
    fn few_targets_end_the_draw() {
        let tcc = [compiler("tcc", Family::Tcc, &["-O0"])];
        assert_eq!(labels(&tcc, &Weights::default(), 1), ["tcc -O0"]);
        assert!(labels(&[], &Weights::default(), 1).is_empty());
    }
}
