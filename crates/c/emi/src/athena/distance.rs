//! The distance of a variant from its seed, and whether a proposal is accepted.
//!
//! Athena's measure (Le, Sun, Su, OOPSLA 2015): `α·d(V_Q, V_P) + β·d(E_Q, E_P) − γ·||Q| − |P||`, with
//! `d` the Jaccard distance of the nodes and of the edges of the control flow, `|·|` the number of
//! statements. A proposal that decreases the measure is accepted with probability `exp(σ·δ)`.
//!
//! Nodes are statements here, identified by a hash of their content. The arithmetic is on integers, so
//! that a seed gives the same variant on every machine. The distances are scaled by the number of
//! statements of the seed, so that the walk does not depend on the size of the program.

use std::collections::{HashMap, HashSet};

use choice::Choices;

use crate::dead::{Flow, mix};

/// A statement in the unit of the measure.
const UNIT: i64 = 1024;
/// `α` and `β` are 1, `γ` is a half: new statements then increase the measure until the variant has
/// twice the statements of the seed.
const GAMMA: (i64, i64) = (1, 2);
/// `σ`: a loss of so many statements halves the probability.
const HALVES: i64 = 4;

/// A multiset compared with a fixed one.
#[derive(Debug, Default, PartialEq)]
struct ComparedSet {
    seed: HashSet<u64>,
    /// The multiplicity of each element.
    counts: HashMap<u64, u32>,
    common: i64,
}

impl ComparedSet {
    fn add(&mut self, element: u64) {
        let count = self.counts.entry(element).or_default();
        *count += 1;
        if *count == 1 && self.seed.contains(&element) {
            self.common += 1;
        }
    }

    fn remove(&mut self, element: u64) {
        let Some(count) = self.counts.get_mut(&element) else { return };
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&element);
            self.common -= i64::from(self.seed.contains(&element));
        }
    }

    /// The Jaccard distance, in parts of `scale`.
    fn distance(&self, scale: i64) -> i64 {
        let all = self.seed.len() as i64 + self.counts.len() as i64 - self.common;
        (all - self.common) * scale / all.max(1)
    }
}

/// A variant compared with its seed.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Distance {
    nodes: ComparedSet,
    edges: ComparedSet,
    seed: i64,
    size: i64,
}

impl Distance {
    /// The distance of a program from a seed.
    pub fn new(seed: &Flow, program: &Flow) -> Distance {
        let mut distance = Distance { seed: seed.nodes.len() as i64, ..Distance::default() };
        distance.nodes.seed = seed.nodes.iter().map(|node| node.hash).collect();
        each_edge(seed, |edge| _ = distance.edges.seed.insert(edge));
        distance.add(program);
        distance
    }

    /// Adds statements.
    pub fn add(&mut self, flow: &Flow) {
        flow.nodes.iter().for_each(|node| self.add_node(node.hash));
        each_edge(flow, |edge| self.edges.add(edge));
    }

    /// Removes statements.
    pub fn remove(&mut self, flow: &Flow) {
        flow.nodes.iter().for_each(|node| self.remove_node(node.hash));
        each_edge(flow, |edge| self.edges.remove(edge));
    }

    pub fn add_node(&mut self, hash: u64) {
        self.nodes.add(hash);
        self.size += 1;
    }

    pub fn remove_node(&mut self, hash: u64) {
        self.nodes.remove(hash);
        self.size -= 1;
    }

    pub fn add_edge(&mut self, from: u64, to: u64) {
        self.edges.add(edge(from, to));
    }

    pub fn remove_edge(&mut self, from: u64, to: u64) {
        self.edges.remove(edge(from, to));
    }

    /// The measure.
    pub fn value(&self) -> i64 {
        let scale = self.seed * UNIT;
        let growth = (self.size - self.seed).abs() * UNIT * GAMMA.0 / GAMMA.1;
        self.nodes.distance(scale) + self.edges.distance(scale) - growth
    }
}

fn edge(from: u64, to: u64) -> u64 {
    mix(mix(1, from), to)
}

/// The edges of some statements: to each from its predecessor, and back edges of loops.
fn each_edge(flow: &Flow, mut f: impl FnMut(u64)) {
    for node in &flow.nodes {
        if let Some(pred) = node.pred {
            let pred = flow.nodes[pred as usize].hash;
            f(edge(pred, node.hash));
            if node.loops {
                f(edge(node.hash, pred));
            }
        }
    }
}

/// Whether a proposal is accepted that changes the measure by `delta`.
pub(super) fn is_accepted(delta: i64, choices: &mut Choices) -> bool {
    if delta >= 0 {
        return true;
    }
    let steps = -delta * 8 / (HALVES * UNIT);
    let (halves, eighths) = (steps / 8, steps % 8);
    halves < 16 && choices.bits(16) < EIGHTHS[eighths as usize] >> halves
}

/// Powers of two from 0 down to -7/8, in parts of 2^16.
const EIGHTHS: [u64; 8] = [65536, 60097, 55109, 50535, 46341, 42495, 38968, 35734];

#[cfg(test)]
mod tests {
    use super::{ComparedSet, EIGHTHS, HALVES, UNIT, is_accepted};
    use choice::Choices;

    #[test]
    fn what_leads_away_is_accepted_and_what_leads_back_sometimes() {
        let mut choices = Choices::new(1);
        let mut accepted =
            |delta: i64| (0..1000).filter(|_| is_accepted(delta, &mut choices)).count();
        assert_eq!(accepted(0), 1000);
        assert_eq!(accepted(99), 1000);
        assert!((440..560).contains(&accepted(-HALVES * UNIT)));
        assert!((190..310).contains(&accepted(-2 * HALVES * UNIT)));
        assert_eq!(accepted(-16 * HALVES * UNIT), 0);
        for (n, &power) in EIGHTHS.iter().enumerate() {
            assert!((power as f64 / 65536.0 - (-(n as f64) / 8.0).exp2()).abs() < 1e-4);
        }
    }

    #[test]
    fn the_distance_is_jaccards_and_comes_back() {
        let mut sets = ComparedSet { seed: [1, 2, 3].into(), ..ComparedSet::default() };
        [1, 2, 2, 3].into_iter().for_each(|n| sets.add(n));
        assert_eq!(sets.distance(100), 0);
        sets.remove(2);
        assert_eq!(sets.distance(100), 0, "it is there once more");
        sets.add(4);
        assert_eq!(sets.distance(100), 25);
        sets.remove(3);
        assert_eq!(sets.distance(100), 50);
        sets.add(3);
        sets.remove(4);
        assert_eq!(sets.distance(100), 0);
    }
}
