//! One step of training: a word is to be told from a few others by the mean of its neighbours' vectors and its
//! document's. This is where all the time goes.
//!
//! The step is that of word2vec and gensim but for a detail: all products are taken before any row changes, so
//! that they can be taken side by side. A word that is drawn twice then moves once.

use std::cell::Cell;

use crate::lanes::{LANES, Lanes, Vector};

/// A row of a matrix of words. Rows are cells since the same word may stand in a context twice.
pub type MatrixRow<const N: usize> = [Cell<Lanes>; N];

/// Rows whose products are taken side by side: a word and the 5 that are usual to tell it from.
pub const GROUP: usize = 6;

/// Some rows of the output matrix.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a, const N: usize> {
    /// The rows.
    pub rows: [&'a MatrixRow<N>; GROUP],
    /// What is true of each: 1 for the word itself, 0 for others.
    pub truth: Lanes,
    /// The rate of learning for each; 0 for rows that only fill the group up.
    pub alpha: Lanes,
}

/// How far predictions are off, where they are products. As in word2vec nothing is learnt where a product is
/// beyond 6: the prediction is as good as certain.
#[inline(always)]
fn error<V: Vector>(truth: V, product: V) -> V {
    let half = V::all(0.5);
    truth.minus(half).minus(tanh(product.times(half)).times(half)).within(product, 6.0)
}

/// The hyperbolic tangent by its continued fraction, cut off after 13: right to 1e-5 within 3. It needs no
/// table, and division is exact on every processor.
#[inline(always)]
fn tanh<V: Vector>(x: V) -> V {
    let square = x.times(x);
    let above = square.plus(V::all(378.0));
    let above = above.fused(square, V::all(17_325.0)).fused(square, V::all(135_135.0));
    let below = square.fused(V::all(28.0), V::all(3_150.0));
    let below = below.fused(square, V::all(62_370.0)).fused(square, V::all(135_135.0));
    x.times(above).divided_by(below)
}

/// Learns one word from its document and its context, the words before and after it.
#[inline(always)]
pub fn learn<V: Vector, const N: usize>(
    document: &mut [Lanes; N],
    words: &[MatrixRow<N>],
    context: [&[u16]; 2],
    targets: &Targets<N>,
) {
    let mut hidden = [V::all(0.0); N];
    for c in 0..N {
        hidden[c] = V::load(document[c]);
    }
    for &word in context.into_iter().flatten() {
        let row = &words[usize::from(word)];
        for c in 0..N {
            hidden[c] = hidden[c].plus(V::load(row[c].get()));
        }
    }
    let share = V::all(1.0 / (1 + context[0].len() + context[1].len()) as f32);
    // A copy, so that the compiler sees that no store below changes it.
    let rows = targets.rows;
    let mut products = [V::all(0.0); LANES];
    for c in 0..N {
        hidden[c] = hidden[c].times(share);
        for t in 0..GROUP {
            products[t] = hidden[c].fused(V::load(rows[t][c].get()), products[t]);
        }
    }
    let off = error(V::load(targets.truth), V::sums(products));
    let steps = off.times(V::load(targets.alpha)).store().0.map(V::all);
    let mut back = [V::all(0.0); N];
    for c in 0..N {
        let old: [V; GROUP] = std::array::from_fn(|t| V::load(rows[t][c].get()));
        let mut sum = old[0].times(steps[0]);
        for t in 1..GROUP {
            sum = old[t].fused(steps[t], sum);
        }
        for t in 0..GROUP {
            rows[t][c].set(hidden[c].fused(steps[t], old[t]).store());
        }
        document[c] = V::load(document[c]).plus(sum).store();
        back[c] = sum;
    }
    for &word in context.into_iter().flatten() {
        let row = &words[usize::from(word)];
        for c in 0..N {
            row[c].set(V::load(row[c].get()).plus(back[c]).store());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{GROUP, Lanes, MatrixRow, Targets, Vector, error, learn};
    use crate::lanes::{Kernel, run_widest};
    use crate::random::Random;

    /// Some steps on a few words.
    struct Steps<'a>(&'a mut [Lanes; 2], &'a [MatrixRow<2>]);

    impl Kernel for Steps<'_> {
        type Output = ();

        #[inline(always)]
        fn work<V: Vector>(self) {
            for first in 0..8u16 {
                let rows = std::array::from_fn(|t| &self.1[10 + (usize::from(first) + t * t) % 9]);
                let mut truth = Lanes::ZERO;
                truth.0[0] = 1.0;
                let targets = Targets::<2> { rows, truth, alpha: Lanes([0.5; 8]) };
                learn::<V, 2>(self.0, self.1, [&[first, first], &[first + 1]], &targets);
            }
        }
    }

    fn rows() -> Vec<MatrixRow<2>> {
        let mut random = Random(3);
        let mut lanes = || Cell::new(Lanes(std::array::from_fn(|_| random.unit() as f32 - 0.5)));
        (0..20).map(|_| [lanes(), lanes()]).collect()
    }

    #[test]
    fn the_same_bits_on_every_processor() {
        let (mut wide, mut plain) = ([Lanes::ZERO; 2], [Lanes::ZERO; 2]);
        let (wide_rows, plain_rows) = (rows(), rows());
        run_widest(Steps(&mut wide, &wide_rows));
        Steps(&mut plain, &plain_rows).work::<Lanes>();
        assert_eq!(wide, plain);
        assert_eq!(wide_rows, plain_rows);
        assert_ne!(wide_rows, rows());
    }

    #[test]
    fn a_step_is_what_the_gradient_says() {
        // One number in each vector: the mean of 1, 2 and 3 is 2; products with 1 and -1 are 2 and -2.
        let lane = |value: f32| Cell::new(Lanes([value, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
        let words: [MatrixRow<1>; 5] = [2.0, 3.0, 1.0, -1.0, 0.0].map(|value| [lane(value)]);
        let mut document = [lane(1.0).get()];
        let (mut truth, mut alpha) = (Lanes::ZERO, Lanes::ZERO);
        truth.0[0] = 1.0;
        alpha.0[..2].copy_from_slice(&[0.1, 0.1]);
        let mut rows = [&words[4]; GROUP];
        (rows[0], rows[1]) = (&words[2], &words[3]);
        learn::<Lanes, 1>(&mut document, &words, [&[0], &[1]], &Targets { rows, truth, alpha });
        let off = 1.0 / (1.0 + 2.0f32.exp());
        let back = 0.1 * off * (1.0 + 1.0);
        let want = [2.0 + back, 3.0 + back, 1.0 + 0.1 * off * 2.0, -1.0 - 0.1 * off * 2.0, 0.0];
        for (row, want) in words.iter().zip(want) {
            assert!((row[0].get().0[0] - want).abs() < 1e-5, "{words:?}");
        }
        assert!((document[0].0[0] - 1.0 - back).abs() < 1e-5);
    }

    #[test]
    fn errors_are_those_of_the_logistic_function() {
        for i in -59..60 {
            let x = i as f32 / 10.0;
            for truth in [0.0, 1.0] {
                let got = error(Lanes([truth; 8]), Lanes([x; 8])).0[3];
                let want = truth - 1.0 / (1.0 + (-x).exp());
                assert!((got - want).abs() < 2e-5, "{truth} {x}: {got} {want}");
            }
        }
        for x in [6.5, -6.5, f32::NAN, f32::INFINITY] {
            assert_eq!(error(Lanes([1.0; 8]), Lanes([x; 8])), Lanes::ZERO);
        }
    }
}
