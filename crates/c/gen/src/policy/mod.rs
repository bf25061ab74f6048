//! Generation policies: every random distribution of an engine, by name.
//!
//! A [`Policy`] holds a value for each knob of [`knobs`]: a chance in percent, a range of whole
//! numbers, or weights of labelled alternatives. It comes from the defaults, from a preset or from
//! a TOML file ([`Policy::parse`]), can be printed in that format ([`Policy::explain`]), and is
//! shuffled for each program ([`Policy::shuffled`]), so that the programs of a hunt differ.

pub mod knobs;
mod text;

pub use text::PolicyError;

use choice::Choices;
use knobs::{CHANCES, Chance, KnobId, RANGES, Range, WEIGHTS};

/// Values of all knobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    chances: Vec<u32>,
    ranges: Vec<(i64, i64)>,
    weights: Vec<Vec<u32>>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            chances: CHANCES.iter().map(|k| k.default).collect(),
            ranges: RANGES.iter().map(|k| k.default).collect(),
            weights: WEIGHTS.iter().map(|k| k.labels.iter().map(|&(_, w)| w).collect()).collect(),
        }
    }
}

/// The alternatives of one weighted knob.
pub trait Alternatives: Copy + 'static {
    /// Its position among the weighted knobs.
    const KNOB: usize;
    /// All of them, in the order of their labels.
    const ALL: &'static [Self];
}

impl Policy {
    /// The policy of the paper: its own subset of C, its generation policies on.
    pub fn paper() -> Policy {
        Policy::preset(include_str!("paper.toml"))
    }

    /// The default's features without generation policies: every distribution as uniform as possible.
    pub fn none() -> Policy {
        Policy::preset(include_str!("none.toml"))
    }

    /// The default without GNU extensions.
    pub fn plain() -> Policy {
        Policy::preset(include_str!("plain.toml"))
    }

    /// The default in small programs.
    pub fn small() -> Policy {
        Policy::preset(include_str!("small.toml"))
    }

    /// The default in programs that do the same with every data model.
    pub fn portable() -> Policy {
        Policy::preset(include_str!("portable.toml"))
    }

    /// A preset by its name.
    pub fn named(name: &str) -> Option<Policy> {
        match name {
            "default" => Some(Policy::default()),
            "paper" => Some(Policy::paper()),
            "none" => Some(Policy::none()),
            "plain" => Some(Policy::plain()),
            "small" => Some(Policy::small()),
            "portable" => Some(Policy::portable()),
            _ => None,
        }
    }

    fn preset(text: &str) -> Policy {
        // A test parses all presets.
        Policy::parse(text).unwrap_or_default()
    }

    /// True with the knob's probability.
    pub fn chance(&self, choices: &mut Choices, knob: Chance) -> bool {
        let percent = self.chances[knob as usize];
        percent > 0 && choices.chance(percent)
    }

    /// Whether a feature can occur at all.
    pub fn has(&self, knob: Chance) -> bool {
        self.chances[knob as usize] > 0
    }

    /// A number from the knob's range.
    pub fn draw(&self, choices: &mut Choices, knob: Range) -> i64 {
        let (low, high) = self.ranges[knob as usize];
        choices.range(low..=high)
    }

    /// The upper end of a range.
    pub fn most(&self, knob: Range) -> i64 {
        self.ranges[knob as usize].1
    }

    /// One of the alternatives, by weight; the first if all weights are zero.
    pub fn pick<A: Alternatives>(&self, choices: &mut Choices) -> A {
        self.pick_if(choices, |_| true).unwrap_or(A::ALL[0])
    }

    /// One of those alternatives that are allowed here.
    pub fn pick_if<A: Alternatives>(
        &self,
        choices: &mut Choices,
        allowed: impl Fn(A) -> bool,
    ) -> Option<A> {
        let weights = &self.weights[A::KNOB];
        let weight = |i: usize| if allowed(A::ALL[i]) { u64::from(weights[i]) } else { 0 };
        let sum: u64 = (0..A::ALL.len()).map(weight).sum();
        if sum == 0 {
            return None;
        }
        let mut at = choices.below(sum);
        for (i, &alternative) in A::ALL.iter().enumerate() {
            let weight = weight(i);
            if at < weight {
                return Some(alternative);
            }
            at -= weight;
        }
        None
    }

    /// The weight of an alternative.
    pub fn weight<A: Alternatives + PartialEq>(&self, of: A) -> u32 {
        let at = A::ALL.iter().position(|&a| a == of).unwrap_or(0);
        self.weights[A::KNOB][at]
    }

    /// A random policy around this one, for one program. What is off stays off.
    pub fn shuffled(&self, choices: &mut Choices) -> Policy {
        if !self.chance(choices, Chance::Shuffle) {
            return self.clone();
        }
        let mut new = self.clone();
        for (value, knob) in new.chances.iter_mut().zip(CHANCES) {
            if knob.shuffled && *value > 0 && *value < 100 {
                // Between two fifths and twice as often, and now and then not at all.
                let scaled = u64::from(*value) * (40 + choices.below(161)) / 100;
                *value = if choices.chance(6) { 0 } else { scaled.clamp(1, 97) as u32 };
            }
        }
        for (value, knob) in new.ranges.iter_mut().zip(RANGES) {
            if knob.shuffled && value.0 < value.1 {
                let a = choices.range(value.0..=value.1);
                let b = choices.range(value.0..=value.1);
                *value = (a.min(b), a.max(b));
            }
        }
        for (weights, knob) in new.weights.iter_mut().zip(WEIGHTS) {
            if knob.shuffled {
                shuffle_weights(weights, choices);
            }
        }
        new
    }
}

/// Each weight times a factor between a ninth and nine, or nothing. Larger factors were tried:
/// programs then consist of few kinds of code, differ more, and find less each.
fn shuffle_weights(weights: &mut [u32], choices: &mut Choices) {
    let old = weights.to_vec();
    for weight in weights.iter_mut() {
        let factor = if choices.chance(6) { 0 } else { FACTORS[choices.index(FACTORS.len())] };
        *weight = (u64::from(*weight) * factor) as u32;
    }
    if weights.iter().all(|&w| w == 0) {
        weights.copy_from_slice(&old);
    }
}

/// In ninths.
const FACTORS: [u64; 9] = [1, 2, 4, 6, 9, 13, 20, 40, 81];

impl KnobId {
    fn of(key: &str) -> Option<KnobId> {
        let chance = CHANCES.iter().position(|k| k.key == key).map(KnobId::Chance);
        let range = || RANGES.iter().position(|k| k.key == key).map(KnobId::Range);
        let weights = || WEIGHTS.iter().position(|k| k.key == key).map(KnobId::Weights);
        chance.or_else(range).or_else(weights)
    }
}
