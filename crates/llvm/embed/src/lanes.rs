//! Arithmetic on eight numbers at a time, and the one place that detects the features of the processor.
//!
//! Each sum has its order written down and each product that is added to something is fused, so the bits are the
//! same on every processor. One without such instructions is slow.

/// Numbers in a vector.
pub const LANES: usize = 8;

/// Eight numbers in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub struct Lanes(pub [f32; LANES]);

impl Lanes {
    /// Eight zeros.
    pub const ZERO: Lanes = Lanes([0.0; LANES]);
}

/// Eight numbers to compute with, as the processor at hand has them.
pub trait Vector: Copy {
    /// From memory.
    fn load(lanes: Lanes) -> Self;

    /// To memory.
    fn store(self) -> Lanes;

    /// One number in all lanes.
    fn all(value: f32) -> Self;

    /// Lane by lane.
    fn plus(self, other: Self) -> Self;

    /// Lane by lane.
    fn minus(self, other: Self) -> Self;

    /// Lane by lane.
    fn times(self, other: Self) -> Self;

    /// `self * by + plus`, lane by lane, rounded once.
    fn fused(self, by: Self, plus: Self) -> Self;

    /// Lane by lane.
    fn divided_by(self, other: Self) -> Self;

    /// The lanes where `x` is less than `bound` away from zero, zeros elsewhere and where `x` is not a number.
    fn within(self, x: Self, bound: f32) -> Self;

    /// In each lane the sum of one vector's lanes: neighbours, then pairs of them, then halves.
    fn sums(of: [Self; LANES]) -> Self;

    /// The sum of the lanes, in the same order.
    #[inline(always)]
    fn sum(self) -> f32 {
        let [a, b, c, d, e, f, g, h] = self.store().0;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }
}

/// A computation that is worth compiling for wide instructions.
pub trait Kernel {
    /// Its result.
    type Output;

    /// Does it. It and what it calls with `V` must be `#[inline(always)]`, or each operation becomes a call.
    fn work<V: Vector>(self) -> Self::Output;
}

/// Runs a kernel with the widest instructions of the processor.
#[inline]
pub fn run_widest<W: Kernel>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if wide::is_supported() {
        return wide::run(work);
    }
    work.work::<Lanes>()
}

impl Vector for Lanes {
    #[inline(always)]
    fn load(lanes: Lanes) -> Lanes {
        lanes
    }

    #[inline(always)]
    fn store(self) -> Lanes {
        self
    }

    #[inline(always)]
    fn all(value: f32) -> Lanes {
        Lanes([value; LANES])
    }

    #[inline(always)]
    fn plus(self, other: Lanes) -> Lanes {
        Lanes(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    fn minus(self, other: Lanes) -> Lanes {
        Lanes(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }

    #[inline(always)]
    fn times(self, other: Lanes) -> Lanes {
        Lanes(std::array::from_fn(|i| self.0[i] * other.0[i]))
    }

    #[inline(always)]
    fn fused(self, by: Lanes, plus: Lanes) -> Lanes {
        Lanes(std::array::from_fn(|i| self.0[i].mul_add(by.0[i], plus.0[i])))
    }

    #[inline(always)]
    fn divided_by(self, other: Lanes) -> Lanes {
        Lanes(std::array::from_fn(|i| self.0[i] / other.0[i]))
    }

    #[inline(always)]
    fn within(self, x: Lanes, bound: f32) -> Lanes {
        Lanes(std::array::from_fn(|i| if x.0[i].abs() < bound { self.0[i] } else { 0.0 }))
    }

    #[inline(always)]
    fn sums(of: [Lanes; LANES]) -> Lanes {
        Lanes(of.map(Lanes::sum))
    }
}

/// AVX2 with FMA. Left to itself, the compiler finds no more than two of the eight lanes.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod wide {
    use std::arch::x86_64::*;
    use std::mem::transmute;

    use super::{Kernel, Lanes, Vector};

    /// Whether the processor has it.
    #[inline]
    pub fn is_supported() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }

    /// Runs a kernel with it.
    #[inline]
    pub fn run<W: Kernel>(work: W) -> W::Output {
        assert!(is_supported());
        // SAFETY: the processor has what the function is compiled for.
        unsafe { enabled(work) }
    }

    #[target_feature(enable = "avx2,fma")]
    fn enabled<W: Kernel>(work: W) -> W::Output {
        work.work::<Wide>()
    }

    /// Nobody but `enabled` can name this type: its operations run only where the processor has them.
    #[derive(Clone, Copy)]
    struct Wide(__m256);

    impl Vector for Wide {
        #[inline(always)]
        fn load(lanes: Lanes) -> Wide {
            // SAFETY: both are eight numbers.
            Wide(unsafe { transmute::<[f32; 8], __m256>(lanes.0) })
        }

        #[inline(always)]
        fn store(self) -> Lanes {
            // SAFETY: both are eight numbers.
            Lanes(unsafe { transmute::<__m256, [f32; 8]>(self.0) })
        }

        #[inline(always)]
        fn all(value: f32) -> Wide {
            // SAFETY: see `Wide`.
            Wide(unsafe { _mm256_set1_ps(value) })
        }

        #[inline(always)]
        fn plus(self, other: Wide) -> Wide {
            // SAFETY: see `Wide`.
            Wide(unsafe { _mm256_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn minus(self, other: Wide) -> Wide {
            // SAFETY: see `Wide`.
            Wide(unsafe { _mm256_sub_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn times(self, other: Wide) -> Wide {
            // SAFETY: see `Wide`.
            Wide(unsafe { _mm256_mul_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn fused(self, by: Wide, plus: Wide) -> Wide {
            // SAFETY: see `Wide`.
            Wide(unsafe { _mm256_fmadd_ps(self.0, by.0, plus.0) })
        }

        #[inline(always)]
        fn divided_by(self, other: Wide) -> Wide {
            // SAFETY: see `Wide`.
            Wide(unsafe { _mm256_div_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn within(self, x: Wide, bound: f32) -> Wide {
            // SAFETY: see `Wide`.
            Wide(unsafe {
                let positive = _mm256_andnot_ps(_mm256_set1_ps(-0.0), x.0);
                let mask = _mm256_cmp_ps::<_CMP_LT_OQ>(positive, _mm256_set1_ps(bound));
                _mm256_and_ps(mask, self.0)
            })
        }

        #[inline(always)]
        fn sums([a, b, c, d, e, f, g, h]: [Wide; 8]) -> Wide {
            // SAFETY: see `Wide`.
            Wide(unsafe {
                let four = |a: Wide, b: Wide, c: Wide, d: Wide| {
                    _mm256_hadd_ps(_mm256_hadd_ps(a.0, b.0), _mm256_hadd_ps(c.0, d.0))
                };
                let (first, last) = (four(a, b, c, d), four(e, f, g, h));
                let low = _mm256_permute2f128_ps::<0x20>(first, last);
                _mm256_add_ps(low, _mm256_permute2f128_ps::<0x31>(first, last))
            })
        }
    }
}

/// The squared distance of two points of one width, for loops within [`run_widest`].
#[inline(always)]
pub fn distance2_in<V: Vector>(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [V::all(0.0); 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let (a1, b1) = (a4.remainder(), b4.remainder());
    for (a, b) in a4.zip(b4) {
        for i in 0..4 {
            let difference = V::load(Lanes(a[i])).minus(V::load(Lanes(b[i])));
            sums[i] = difference.fused(difference, sums[i]);
        }
    }
    for (a, b) in a1.iter().zip(b1) {
        let difference = V::load(Lanes(*a)).minus(V::load(Lanes(*b)));
        sums[0] = difference.fused(difference, sums[0]);
    }
    let mut rest = 0.0f32;
    for (a, b) in a_rest.iter().zip(b_rest) {
        rest = (a - b).mul_add(a - b, rest);
    }
    sums[0].plus(sums[1]).plus(sums[2].plus(sums[3])).sum() + rest
}

/// The squared distance of two points.
pub fn distance2(a: &[f32], b: &[f32]) -> f32 {
    run_widest(Distance2(a, b))
}

struct Distance2<'a>(&'a [f32], &'a [f32]);

impl Kernel for Distance2<'_> {
    type Output = f32;

    #[inline(always)]
    fn work<V: Vector>(self) -> f32 {
        distance2_in::<V>(self.0, self.1)
    }
}

/// Adds a row to sums.
#[inline(always)]
pub fn add(sums: &mut [f64], row: &[f32]) {
    for (sum, &value) in sums.iter_mut().zip(row) {
        *sum += f64::from(value);
    }
}

#[cfg(test)]
mod tests {
    use super::{Distance2, Kernel, Lanes, distance2};
    use crate::random::Random;

    /// As a processor without wide instructions computes it.
    #[inline(never)]
    fn portable(a: &[f32], b: &[f32]) -> f32 {
        Distance2(a, b).work::<Lanes>()
    }

    #[test]
    fn distances_are_right_and_the_same_on_every_processor() {
        let mut random = Random(5);
        for width in [1, 2, 7, 8, 9, 31, 33, 100, 129] {
            let mut row = || -> Vec<f32> { (0..width).map(|_| random.unit() as f32).collect() };
            let (a, b) = (row(), row());
            let naive: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(a - b).powi(2)).sum();
            let got = distance2(&a, &b);
            assert!((f64::from(got) - naive).abs() < 1e-5 * naive, "{width}: {got} {naive}");
            assert_eq!(got.to_bits(), portable(&a, &b).to_bits(), "{width}");
            assert_eq!(distance2(&a, &a), 0.0);
        }
    }
}
