//! Sequences of passes: drawn at random, or combinatorial; and as pipelines.
//!
//! A sequence is numbers into [`Inventory::passes`]. CTOS section 4.2 draws lengths of 50 to 200 uniformly
//! and each pass uniformly; that is [`Draw::default`]. [`PassPool::Half`] draws each sequence from a random half
//! of the list (swarm). [`pairs`] and [`two_way`] are the combinatorial baselines.

mod combine;

use std::ops::RangeInclusive;

use choice::Choices;
use serde::{Deserialize, Serialize};

use crate::inventory::{Inventory, Pass};
pub use combine::{pairs, two_way};

/// Tries at random before allowed passes are looked for one by one. Both are uniform over what is allowed;
/// looking is slower.
const TRIES: usize = 16;

/// Passes, by their numbers in an inventory.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Sequence(pub Vec<u16>);

/// How a sequence becomes a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Grouping {
    /// Each pass in a group of its own: it has run on all functions before the next one begins, and
    /// means the same whatever stands beside it.
    #[default]
    Alone,
    /// Neighbours of one unit in one group, `function(a,b)`: all of them visit the first function, then
    /// the second, and analyses of a function live on between them.
    Together,
}

impl Sequence {
    /// The sequence of names; `Err` is the first that the inventory does not have.
    pub fn of<'n>(names: &[&'n str], inventory: &Inventory) -> Result<Sequence, &'n str> {
        let numbers = names.iter().map(|name| inventory.number(name).ok_or(*name));
        numbers.collect::<Result<_, _>>().map(Sequence)
    }

    /// Its passes; numbers that the inventory does not have are passed over.
    pub fn passes<'i>(&self, inventory: &'i Inventory) -> impl Iterator<Item = &'i Pass> {
        self.0.iter().filter_map(|number| inventory.pass(*number))
    }

    /// The names of its passes.
    pub fn names<'i>(&self, inventory: &'i Inventory) -> Vec<&'i str> {
        self.passes(inventory).map(|pass| pass.name.as_str()).collect()
    }

    /// As for `opt -passes=`.
    pub fn text(&self, inventory: &Inventory, grouping: Grouping) -> String {
        let passes: Vec<&Pass> = self.passes(inventory).collect();
        let together = |a: &&Pass, b: &&Pass| {
            let same_unit = a.unit == b.unit || a.unit.is_loop() && b.unit.is_loop();
            grouping == Grouping::Together && same_unit && a.needs_memory_ssa == b.needs_memory_ssa
        };
        let groups = passes.chunk_by(together).map(|group| {
            let names: Vec<String> = group.iter().map(|pass| pass.inner()).collect();
            group[0].unit.nest(&names.join(","), group[0].needs_memory_ssa)
        });
        groups.collect::<Vec<_>>().join(",")
    }
}

/// What passes one sequence is drawn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PassPool {
    /// The whole list.
    #[default]
    Whole,
    /// A random half of it, another one for each sequence.
    Half,
}

/// How sequences are drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draw {
    /// Lengths, all alike.
    pub length: RangeInclusive<u16>,
    /// From what.
    pub pool: PassPool,
}

impl Default for Draw {
    fn default() -> Draw {
        Draw { length: 50..=200, pool: PassPool::Whole }
    }
}

impl Draw {
    /// A sequence of passes of a list.
    pub fn draw(&self, list: &[u16], choices: &mut Choices) -> Sequence {
        self.draw_while(list, choices, |_, _| true)
    }

    /// A sequence each of whose passes is allowed after those before it: a pass that is not is drawn again,
    /// and is in the end one of those that are, all alike. Where none is, the sequence ends.
    pub fn draw_while(
        &self,
        list: &[u16],
        choices: &mut Choices,
        mut is_allowed: impl FnMut(&[u16], u16) -> bool,
    ) -> Sequence {
        let (least, most) = (i64::from(*self.length.start()), i64::from(*self.length.end()));
        let length = choices.range(least..=most);
        let mut pool = list.to_vec();
        if self.pool == PassPool::Half {
            choices.shuffle(&mut pool);
            pool.truncate(list.len().div_ceil(2));
        }
        let mut drawn = Vec::new();
        for _ in 0..length {
            let mut tries = (0..TRIES).filter_map(|_| choices.pick(&pool).copied());
            let next = tries.find(|number| is_allowed(&drawn, *number)).or_else(|| {
                let mut allowed = pool.clone();
                allowed.retain(|number| is_allowed(&drawn, *number));
                choices.pick(&allowed).copied()
            });
            match next {
                Some(number) => drawn.push(number),
                None => break,
            }
        }
        Sequence(drawn)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::inventory::{Library, List, Unit};

    /// Passes as `unit name class`, in this order; a `!` behind the name is need of memory SSA.
    pub(crate) fn inventory(passes: &[(Unit, &str, &str)]) -> Inventory {
        let library = Library {
            path: "lib.so".into(),
            size: 1,
            build_id: "1d".into(),
            release: "16.0.6".into(),
        };
        let mut inventory = Inventory::of(library);
        inventory.passes = passes
            .iter()
            .map(|(unit, name, class)| Pass {
                name: name.trim_end_matches('!').to_string(),
                unit: *unit,
                class: class.to_string(),
                needs: (*name == "structurizecfg").then(|| "lower-switch".to_string()),
                opening: match unit {
                    Unit::Loop | Unit::LoopNest => {
                        vec!["LoopSimplifyPass".into(), "LCSSAPass".into()]
                    }
                    _ if *name == "structurizecfg" => vec!["LowerSwitchPass".into()],
                    _ => Vec::new(),
                },
                needs_memory_ssa: name.ends_with('!'),
                lists: vec![List::All],
            })
            .collect();
        inventory
    }

    pub(crate) fn usual() -> Inventory {
        inventory(&[
            (Unit::Module, "globaldce", "GlobalDCEPass"),
            (Unit::Cgscc, "inline", "InlinerPass"),
            (Unit::Function, "dce", "DCEPass"),
            (Unit::Function, "loop-simplify", "LoopSimplifyPass"),
            (Unit::Loop, "indvars", "IndVarSimplifyPass"),
            (Unit::Loop, "licm!", "LICMPass"),
            (Unit::LoopNest, "loop-flatten", "LoopFlattenPass"),
            (Unit::Function, "structurizecfg", "StructurizeCFGPass"),
        ])
    }

    pub(crate) fn sequence(names: &str, inventory: &Inventory) -> Sequence {
        let names: Vec<&str> = names.split(' ').collect();
        Sequence::of(&names, inventory).expect("known names")
    }

    #[test]
    fn pipelines() {
        let inventory = usual();
        let all = sequence(
            "dce loop-simplify indvars loop-flatten licm globaldce inline inline",
            &inventory,
        );
        assert_eq!(
            all.text(&inventory, Grouping::Alone),
            "function(dce),function(loop-simplify),function(loop(indvars)),function(loop(loop-flatten)),\
             function(loop-mssa(licm)),globaldce,cgscc(inline),cgscc(inline)"
        );
        assert_eq!(
            all.text(&inventory, Grouping::Together),
            "function(dce,loop-simplify),function(loop(indvars,loop-flatten)),function(loop-mssa(licm)),\
             globaldce,cgscc(inline,inline)"
        );
        let two = sequence("dce structurizecfg", &inventory);
        assert_eq!(
            two.text(&inventory, Grouping::Together),
            "function(dce,lower-switch,structurizecfg)"
        );
        assert_eq!(Sequence::of(&["dce", "gvn"], &inventory), Err("gvn"));
        assert_eq!(Sequence::default().text(&inventory, Grouping::Alone), "");
    }

    #[test]
    fn draws_are_uniform_and_reproducible() {
        let list: Vec<u16> = (10..30).collect();
        let mut choices = Choices::new(1);
        let all: Vec<Sequence> =
            (0..400).map(|_| Draw::default().draw(&list, &mut choices)).collect();
        let mut again = Choices::new(1);
        assert_eq!(all[0], Draw::default().draw(&list, &mut again));
        let lengths: Vec<usize> = all.iter().map(|one| one.0.len()).collect();
        assert!(lengths.iter().all(|length| (50..=200).contains(length)));
        assert!(lengths.contains(&50) || lengths.iter().min() < Some(&55));
        let total: usize = lengths.iter().sum();
        for pass in &list {
            let count = all.iter().flat_map(|one| &one.0).filter(|number| *number == pass).count();
            let expected = total / list.len();
            assert!(count.abs_diff(expected) < expected / 10, "{pass}: {count} of {expected}");
        }
    }

    #[test]
    fn a_swarm_has_half_of_the_list() {
        let list: Vec<u16> = (0..21).collect();
        let draw = Draw { pool: PassPool::Half, ..Draw::default() };
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..50 {
            let mut distinct = draw.draw(&list, &mut Choices::new(seed)).0;
            distinct.sort_unstable();
            distinct.dedup();
            assert!(distinct.len() <= 11);
            seen.extend(distinct);
        }
        assert_eq!(seen.len(), 21);
    }

    #[test]
    fn what_is_not_allowed_is_drawn_again() {
        let list: Vec<u16> = (0..40).collect();
        // Only upwards: soon hardly anything is allowed, in the end nothing.
        let rising = |before: &[u16], next: u16| before.last().is_none_or(|last| next > *last);
        let drawn = Draw::default().draw_while(&list, &mut Choices::new(3), rising).0;
        assert!(drawn.is_sorted_by(|a, b| a < b) && drawn.last() == Some(&39), "{drawn:?}");
        assert!(Draw::default().draw(&[], &mut Choices::new(3)).0.is_empty());
    }
}
