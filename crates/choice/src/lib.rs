//! Seeded, labelled, replayable random decisions.
//!
//! Every random decision of the workspace goes through a [`Choices`], which is passed explicitly as
//! `&mut Choices`: the same seed gives the same bytes on every machine and in every version. The
//! generator is ChaCha with 8 rounds. Reductions to ranges are written out here, with integers only,
//! because a library may change its own between releases.
//!
//! A stage takes its own stream with [`Choices::fork`] and a label, so that one stage drawing more or
//! fewer numbers does not shift the decisions of another.
//!
//! Not here: recording and editing single decisions.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::ops::RangeInclusive;

/// A stream of random decisions.
#[derive(Clone, Debug)]
pub struct Choices {
    seed: u64,
    rng: ChaCha8Rng,
}

impl Choices {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Choices {
        let mut key = [0; 32];
        let mut state = seed;
        for word in key.chunks_exact_mut(8) {
            word.copy_from_slice(&split_mix(&mut state).to_le_bytes());
        }
        Choices { seed, rng: ChaCha8Rng::from_seed(key) }
    }

    /// The seed this stream began from; [`new`](Self::new) with it gives the same stream again.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The stream of a stage. It depends on this stream's seed and the label only, not on what was
    /// drawn so far: equal labels give equal streams.
    pub fn fork(&self, label: &str) -> Choices {
        let mut state = self.seed;
        for &byte in label.as_bytes() {
            state = split_mix(&mut state) ^ u64::from(byte);
        }
        // The length keeps the empty label from being the stream itself.
        state = state.wrapping_add(label.len() as u64);
        Choices::new(split_mix(&mut state))
    }

    /// `n` uniform bits, at most 64.
    pub fn bits(&mut self, n: u32) -> u64 {
        debug_assert!(n <= 64);
        match n {
            0 => 0,
            _ => self.rng.next_u64() >> (64 - n.min(64)),
        }
    }

    /// A uniform number less than `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        if n <= 1 {
            return 0;
        }
        // Take the fewest bits that can hold the answer and draw again when beyond it: exact, and
        // less than two draws on average.
        let width = 64 - (n - 1).leading_zeros();
        loop {
            let value = self.bits(width);
            if value < n {
                return value;
            }
        }
    }

    /// An index into a slice of the given length; 0 if it is empty.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A uniform number in a range; its start if the range is empty.
    pub fn range(&mut self, range: RangeInclusive<i64>) -> i64 {
        let (low, high) = range.into_inner();
        let span = high.wrapping_sub(low) as u64;
        if high < low {
            return low;
        }
        let offset = if span == u64::MAX { self.bits(64) } else { self.below(span + 1) };
        low.wrapping_add(offset as i64)
    }

    /// True in `percent` of 100 cases. Whole numbers, so that no floating rounding is involved.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// One element, uniformly; `None` if the slice is empty.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.index(from.len()))
    }

    /// One element, in proportion to the weights; `None` if they sum to 0.
    pub fn weighted<'a, T>(&mut self, from: &'a [(T, u32)]) -> Option<&'a T> {
        let total: u64 = from.iter().map(|(_, weight)| u64::from(*weight)).sum();
        if total == 0 {
            return None;
        }
        let mut at = self.below(total);
        for (value, weight) in from {
            match at.checked_sub(u64::from(*weight)) {
                Some(rest) => at = rest,
                None => return Some(value),
            }
        }
        None
    }

    /// Shuffles a slice uniformly.
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        for last in (1..slice.len()).rev() {
            let with = self.index(last + 1);
            slice.swap(last, with);
        }
    }
}

/// SplitMix64's step: spreads a small seed over a whole key, and mixes labels into seeds.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::Choices;

    #[test]
    fn the_stream_never_changes() {
        let mut choices = Choices::new(1);
        let drawn: Vec<u64> = (0..4).map(|_| choices.bits(64)).collect();
        assert_eq!(drawn, GOLDEN, "a seed in a report must mean the same program for ever");
        let mut fork = Choices::new(1).fork("types");
        assert_eq!(fork.bits(64), GOLDEN_FORK);
        let mixed: Vec<i64> = (0..6).map(|_| choices.range(-5..=5)).collect();
        assert_eq!(mixed, GOLDEN_RANGE);
    }

    const GOLDEN: [u64; 4] =
        [17254111457321727320, 9958508360252413363, 882713562349892078, 15830540372668714512];
    const GOLDEN_FORK: u64 = 5164103557448603790;
    const GOLDEN_RANGE: [i64; 6] = [2, -4, -1, 2, 0, 0];

    #[test]
    fn forks_do_not_depend_on_what_was_drawn() {
        let mut parent = Choices::new(7);
        let mut before = parent.fork("a");
        parent.bits(64);
        let mut after = parent.fork("a");
        assert_eq!(before.bits(64), after.bits(64));
        let mut streams: Vec<u64> =
            ["", "a", "b", "ab", "ba"].iter().map(|l| parent.fork(l).bits(64)).collect();
        streams.push(Choices::new(7).bits(64));
        streams.sort_unstable();
        streams.dedup();
        assert_eq!(streams.len(), 6, "different labels give different streams");
    }

    #[test]
    fn ranges_are_hit_at_both_ends_and_never_left() {
        let mut choices = Choices::new(3);
        let mut seen = [0u32; 3];
        for _ in 0..300 {
            seen[(choices.range(-1..=1) + 1) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| n > 60), "{seen:?}");
        choices.range(i64::MIN..=i64::MAX);
        assert_eq!(choices.range(4..=4), 4);
        assert_eq!(choices.below(0), 0);
        assert_eq!(choices.pick::<u8>(&[]), None);
        assert!(!choices.chance(0));
        assert!(choices.chance(100));
    }

    #[test]
    fn weights_are_kept() {
        let mut choices = Choices::new(5);
        let mut seen = [0u32; 3];
        for _ in 0..1000 {
            seen[*choices.weighted(&[(0, 1), (1, 0), (2, 9)]).unwrap()] += 1;
        }
        assert_eq!(seen[1], 0);
        assert!((50..200).contains(&seen[0]), "{seen:?}");
        assert_eq!(choices.weighted(&[(1, 0)]), None);
    }

    #[test]
    fn shuffle_keeps_the_elements() {
        let mut choices = Choices::new(5);
        let mut deck: Vec<u32> = (0..20).collect();
        choices.shuffle(&mut deck);
        assert_ne!(deck, (0..20).collect::<Vec<_>>());
        deck.sort_unstable();
        assert_eq!(deck, (0..20).collect::<Vec<_>>());
    }
}
