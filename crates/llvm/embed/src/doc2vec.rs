//! Vectors of documents: PV-DM with negative sampling (Le and Mikolov, *Distributed Representations of Sentences
//! and Documents*, 2014), with the mean of contexts and the defaults of gensim, which CTOS uses.
//!
//! Two things differ from gensim. The random decisions at a word (whether it is left out, how far its context
//! reaches, what it is told from) are drawn from a hash of the epoch, the word and its neighbours, and documents
//! begin at the origin: so documents that are alike are treated alike, and chance does not set them apart. And
//! documents are dealt to a number of shards that follows from the corpus alone; each shard trains on a copy of
//! the words' vectors, and the copies are averaged after each epoch. So threads change nothing of the result.

use crate::lanes::{LANES, Lanes, Vector, run_widest};
use crate::random::Random;
use crate::shard::{Epoch, Shard, Vocabulary};
use crate::{Documents, Points, threads};

/// A model's parameters. The defaults are the paper's (section 4.1), where it says nothing gensim's.
#[derive(Clone, Debug)]
pub struct Doc2Vec {
    /// Coordinates of a vector, 1 to 256.
    pub size: usize,
    /// Words on each side that a context reaches at most.
    pub window: usize,
    /// The learning rate at the start; it falls linearly to 0.0001.
    pub alpha: f32,
    /// Epochs.
    pub epochs: usize,
    /// Negative samples for each word.
    pub negative: usize,
    /// Words with a greater share in the corpus than this are downsampled; 0: never.
    pub sample: f64,
    /// The seed of all random decisions.
    pub seed: u64,
    /// Threads; the result does not depend on them.
    pub threads: usize,
}

impl Default for Doc2Vec {
    fn default() -> Doc2Vec {
        Doc2Vec {
            size: 100,
            window: 3,
            alpha: 0.05,
            epochs: 20,
            negative: 5,
            sample: 1e-3,
            seed: 1,
            threads: 1,
        }
    }
}

/// The learning rate at the end, gensim's default.
const LEAST_ALPHA: f32 = 0.0001;

/// Vectors are at most this wide; it bounds the code that is made, and the paper's are 100.
const WIDEST: usize = 256;

/// Words of a shard at least, for each of the vocabulary. The vectors of words grow from almost nothing, and the
/// mean of copies grows no faster than one copy: with a third of this, sequences with a word deleted were not
/// always nearest to the original any more. (Adding up what the copies learnt in short rounds diverged.)
const SHARD: u64 = 6000;

/// Shards at most, and so threads that have something to do.
const MOST_SHARDS: u64 = 8;

impl Doc2Vec {
    /// A vector for each document. An empty document is at the origin.
    pub fn train(&self, documents: &Documents) -> Points {
        let size = self.size.clamp(1, WIDEST);
        // The widths that code is made for, in lanes; the middle one is for 100.
        match size.div_ceil(LANES) {
            0..=4 => self.train_in::<4>(documents, size),
            5..=13 => self.train_in::<13>(documents, size),
            _ => self.train_in::<{ WIDEST / LANES }>(documents, size),
        }
    }

    fn train_in<const N: usize>(&self, documents: &Documents, size: usize) -> Points {
        let vocabulary = Vocabulary::new(&documents.counts(), self.sample);
        let most = vocabulary.total / (SHARD * vocabulary.len().max(1) as u64);
        // A power of two, which threads can share evenly.
        let count = 1 << most.clamp(1, MOST_SHARDS).ilog2();
        let words = self.initial_word_vectors::<N>(vocabulary.len(), size);
        // Dealt in turn, so that a corpus in some order makes no shard unlike the others.
        let dealt = |shard| documents.len().saturating_sub(shard).div_ceil(count);
        let shard = |shard| Shard {
            inputs: words.clone(),
            outputs: vec![Lanes::ZERO; (vocabulary.len() + 1) * N],
            documents: vec![[Lanes::ZERO; N]; dealt(shard)],
        };
        let mut shards: Vec<Shard<N>> = (0..count).map(shard).collect();
        for epoch in 0..self.epochs {
            threads::each(self.threads, &mut shards, |number, shard| {
                run_widest(Epoch {
                    model: self,
                    vocabulary: &vocabulary,
                    corpus: documents,
                    shard,
                    number: (number, count),
                    alpha: (self.alpha_at(epoch), self.alpha_at(epoch + 1)),
                    seed: Random::of(self.seed, epoch as u64).0,
                });
            });
            average(&mut shards, |shard| &mut shard.inputs);
            average(&mut shards, |shard| &mut shard.outputs);
        }
        let mut points = Points::new(size);
        for document in 0..documents.len() {
            let row = &shards[document % count].documents[document / count];
            points.push(&row.map(|lanes| lanes.0).as_flattened()[..size]);
        }
        points
    }

    /// The learning rate after so many epochs.
    fn alpha_at(&self, epoch: usize) -> f32 {
        let progress = epoch as f32 / self.epochs.max(1) as f32;
        self.alpha + (LEAST_ALPHA.min(self.alpha) - self.alpha) * progress
    }

    /// The words' vectors at the start, as gensim has them: small and random.
    fn initial_word_vectors<const N: usize>(&self, count: usize, size: usize) -> Vec<Lanes> {
        let mut random = Random::of(self.seed, u64::MAX);
        let mut words = vec![Lanes::ZERO; count * N];
        for row in words.chunks_exact_mut(N) {
            for i in 0..size {
                row[i / LANES].0[i % LANES] = ((2.0 * random.unit() - 1.0) / size as f64) as f32;
            }
        }
        words
    }
}

/// Gives all shards the mean of their copies of a matrix.
fn average<const N: usize>(
    shards: &mut [Shard<N>],
    matrix: impl Fn(&mut Shard<N>) -> &mut Vec<Lanes>,
) {
    let Some((first, rest)) = shards.split_first_mut() else { return };
    let share = Lanes::all(1.0 / (rest.len() + 1) as f32);
    let mean = matrix(first);
    for other in rest.iter_mut() {
        let pairs = mean.iter_mut().zip(matrix(other));
        pairs.for_each(|(sum, value)| *sum = sum.plus(*value));
    }
    mean.iter_mut().for_each(|sum| *sum = sum.times(share));
    rest.iter_mut().for_each(|other| matrix(other).copy_from_slice(mean));
}

#[cfg(test)]
mod tests {
    use super::Doc2Vec;
    use crate::random::Random;
    use crate::{Documents, Points};

    fn sequence(random: &mut Random, words: std::ops::Range<u16>) -> Vec<u16> {
        let len = 50 + random.below(100);
        (0..len).map(|_| words.start + random.below(words.len()) as u16).collect()
    }

    fn corpus(count: usize, words: std::ops::Range<u16>) -> Documents {
        let mut random = Random(11);
        let mut documents = Documents::new();
        (0..count).for_each(|_| documents.push(&sequence(&mut random, words.clone())));
        documents
    }

    fn bits(points: &Points) -> Vec<u32> {
        points.rows().flatten().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn families_of_words_separate() {
        let mut random = Random(2);
        let mut documents = Documents::new();
        for i in 0..400 {
            let first = if i % 2 == 0 { 0 } else { 15 };
            documents.push(&sequence(&mut random, first..first + 20));
        }
        let model = Doc2Vec { size: 32, sample: 0.0, ..Doc2Vec::default() };
        let points = model.train(&documents);
        // By the mean of the first hundred of each family, the others are told.
        let mean = |parity: usize| {
            let mut family = Points::new(32);
            (parity..200).step_by(2).for_each(|i| family.push(points.row(i)));
            family.mean()
        };
        let (even, odd) = (mean(0), mean(1));
        let right =
            |&i: &usize| (points.distance2(i, &even) < points.distance2(i, &odd)) == (i % 2 == 0);
        let told = (200..400).filter(right).count();
        assert!(told >= 198, "{told} of 200");
    }

    /// With the paper's parameters. The model itself hardly minds order: a mean of contexts knows no sides, and with
    /// 40 words of which none is left out a shuffled copy was farther than an edit in 22 of 30 cases only.
    #[test]
    fn an_edit_is_near_and_another_order_is_not() {
        const PROBES: usize = 30;
        let mut documents = corpus(1500, 0..114);
        let mut random = Random(5);
        for i in 0..PROBES {
            let original = documents.get(i).to_vec();
            let mut swapped = original.clone();
            swapped.swap(20, 21);
            documents.push(&swapped);
            let mut shuffled = original.clone();
            (1..shuffled.len()).for_each(|last| shuffled.swap(last, random.below(last + 1)));
            documents.push(&shuffled);
            documents.push(&original.into_iter().rev().collect::<Vec<_>>());
        }
        let points = Doc2Vec::default().train(&documents);
        let (mut nearest, mut shuffled, mut reversed) = (0, 0, 0);
        for i in 0..PROBES {
            let from = |j: usize| points.distance2(j, points.row(i));
            let copies = 1500 + 3 * i;
            let edit = from(copies);
            nearest += usize::from((0..1500).filter(|&j| j != i).all(|j| from(j) > edit));
            shuffled += usize::from(from(copies + 1) > edit);
            reversed += usize::from(from(copies + 2) > edit);
        }
        assert_eq!((nearest, shuffled, reversed), (PROBES, PROBES, PROBES));
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        // Few words, so that there are several shards.
        let documents = corpus(800, 0..4);
        let model = Doc2Vec { epochs: 2, ..Doc2Vec::default() };
        let one = bits(&model.train(&documents));
        assert_eq!(one, bits(&Doc2Vec { threads: 3, ..model.clone() }.train(&documents)));
        assert_ne!(one, bits(&Doc2Vec { seed: 2, ..model }.train(&documents)));
    }

    #[test]
    fn the_bits_never_change() {
        let points = Doc2Vec { size: 8, ..Doc2Vec::default() }.train(&corpus(20, 0..30));
        let hash = bits(&points).iter().fold(0u64, |hash, &b| Random(hash ^ u64::from(b)).bits());
        assert_eq!(hash, GOLDEN, "a seed must mean the same vectors on every machine");
    }

    const GOLDEN: u64 = 77546053458426973;

    #[test]
    fn little_and_odd_input() {
        let train = |documents: &[&[u16]], model: &Doc2Vec| {
            let mut all = Documents::new();
            documents.iter().for_each(|words| all.push(words));
            let points = model.train(&all);
            assert!(points.rows().flatten().all(|value| value.is_finite()));
            assert_eq!(points.len(), documents.len());
            points
        };
        let usual = Doc2Vec::default();
        assert_eq!(train(&[], &usual).width(), 100);
        assert_eq!(train(&[&[], &[]], &usual).row(1), [0.0; 100]);
        train(&[&[5]], &usual);
        train(&[&[65535, 0], &[], &[1]], &Doc2Vec { size: 1, epochs: 1, ..usual.clone() });
        let text: &[u16] = &[1, 2, 3, 1, 2, 3, 4, 4, 4, 1];
        assert_ne!(train(&[text], &Doc2Vec { sample: 0.0, ..usual.clone() }).row(0), [0.0; 100]);
        for odd in [
            Doc2Vec { size: 0, window: 0, negative: 0, epochs: 0, ..usual.clone() },
            Doc2Vec { size: 9999, threads: 0, negative: 17, ..usual.clone() },
            Doc2Vec { size: 40, window: usize::MAX, sample: f64::NAN, ..usual.clone() },
            Doc2Vec { alpha: f32::INFINITY, ..usual.clone() },
            Doc2Vec { alpha: 1e30, sample: 0.0, ..usual },
        ] {
            train(&[text, &[], text], &odd);
        }
    }
}
