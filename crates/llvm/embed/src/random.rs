//! A small fast generator. `choice` is for decisions that can be replayed one by one; here hundreds
//! of millions are drawn, all of them in the innermost loop.

/// SplitMix64 (Steele, Lea, Flood 2014). Its states may be any numbers, so a state can be a hash of what the
/// draws are for.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The stream of a seed and of something that it is for.
    pub fn of(seed: u64, label: u64) -> Random {
        let mut random = Random(seed);
        let mixed = random.bits() ^ label;
        Random(Random(mixed).bits())
    }

    /// 64 bits.
    #[inline(always)]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In 0 to 1, without 1.
    #[inline(always)]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Below `n`, all nearly alike: off by less than n / 2^64.
    #[inline(always)]
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }
}

/// Draws from weights in constant time: Walker's alias method, Vose's construction. A draw takes 32 bits, 16
/// for the column and 16 for the side, so weights are kept to 1 in 65,536 of a column.
#[derive(Clone, Debug)]
pub struct Alias {
    /// Below the number the first, else the second.
    columns: Vec<(u32, [u16; 2])>,
}

impl Alias {
    /// A table of at most 65,536 weights, none negative. All zero, or none: 0 is drawn.
    pub fn new(weights: &[f64]) -> Alias {
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return Alias { columns: vec![(1 << 16, [0, 0])] };
        }
        let mut scaled: Vec<f64> =
            weights.iter().map(|w| w * weights.len() as f64 / total).collect();
        let mut columns: Vec<(u32, [u16; 2])> =
            (0..weights.len()).map(|i| (1 << 16, [i as u16; 2])).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&i| scaled[i] < 1.0);
        while let (Some(&low), Some(&high)) = (small.last(), large.last()) {
            small.pop();
            columns[low] = ((scaled[low] * 65536.0) as u32, [low as u16, high as u16]);
            scaled[high] -= 1.0 - scaled[low];
            if scaled[high] < 1.0 {
                large.pop();
                small.push(high);
            }
        }
        // What is left is 1 but for rounding, which must not bring a weight of zero to life.
        let heaviest =
            (0..weights.len()).fold(0, |a, b| if weights[b] > weights[a] { b } else { a });
        for low in small.into_iter().filter(|&low| weights[low] <= 0.0) {
            columns[low] = (0, [heaviest as u16; 2]);
        }
        Alias { columns }
    }

    /// The choice that 32 random bits stand for.
    #[inline(always)]
    pub fn choose(&self, bits: u32) -> u16 {
        let column = ((bits >> 16) as usize * self.columns.len()) >> 16;
        let (below, sides) = self.columns[column];
        // By index: a branch would be mispredicted half of the time.
        sides[usize::from(bits & 0xffff >= below)]
    }
}

#[cfg(test)]
mod tests {
    use super::{Alias, Random};

    #[test]
    fn the_stream_never_changes() {
        let mut random = Random(1);
        assert_eq!(random.bits(), 10451216379200822465);
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
        assert_ne!(Random::of(1, 2).0, Random::of(2, 1).0);
    }

    #[test]
    fn weights_are_kept() {
        let alias = Alias::new(&[1.0, 0.0, 3.0, 4.0, 0.5]);
        let mut random = Random(9);
        let mut seen = [0u32; 5];
        for _ in 0..85_000 {
            seen[usize::from(alias.choose(random.bits() as u32))] += 1;
        }
        assert_eq!(seen[1], 0);
        for (got, want) in seen.into_iter().zip([10_000, 0, 30_000, 40_000, 5_000]) {
            assert!(got.abs_diff(want) < 600, "{seen:?}");
        }
        assert_eq!(Alias::new(&[]).choose(u32::MAX), 0);
        assert_eq!(Alias::new(&[0.0, 0.0]).choose(u32::MAX), 0);
        assert_eq!(Alias::new(&[2.0]).choose(u32::MAX), 0);
    }
}
