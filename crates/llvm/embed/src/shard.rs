//! A part of the documents, and one epoch of training on it.

use std::cell::Cell;

use crate::lanes::{Kernel, Lanes, Vector};
use crate::position::{GROUP, MatrixRow, Targets, learn};
use crate::random::{Alias, Random};
use crate::{Doc2Vec, Documents};

/// What is known of the words from their counts.
#[derive(Debug)]
pub struct Vocabulary {
    /// Number of words in all documents.
    pub total: u64,
    /// A word is kept if 32 random bits are below this.
    keep: Vec<u64>,
    /// The words to tell others from.
    negatives: Alias,
}

impl Vocabulary {
    /// From how often each word occurs. The formulas are those of word2vec: what is kept of a frequent word, and
    /// counts to the power of 3/4 as weights.
    pub fn new(counts: &[u64], sample: f64) -> Vocabulary {
        let total: u64 = counts.iter().sum();
        let often = sample * total as f64;
        let keep = |&count: &u64| {
            let share = often / count.max(1) as f64;
            let part = if sample > 0.0 { (share.sqrt() + share).min(1.0) } else { 1.0 };
            (part * 4_294_967_296.0) as u64
        };
        // Square roots are exact everywhere, powers are not.
        let weight = |&count: &u64| (count as f64).sqrt() * (count as f64).sqrt().sqrt();
        let weights: Vec<f64> = counts.iter().map(weight).collect();
        Vocabulary {
            total,
            keep: counts.iter().map(keep).collect(),
            negatives: Alias::new(&weights),
        }
    }

    /// Number of words, up to the greatest.
    pub fn len(&self) -> usize {
        self.keep.len()
    }
}

/// A part of the documents with its own copy of the words.
#[derive(Debug)]
pub struct Shard<const N: usize> {
    /// Words as context, a row each.
    pub inputs: Vec<Lanes>,
    /// Words as what is to be told, a row each and one more that fills groups up.
    pub outputs: Vec<Lanes>,
    /// Vectors of its documents.
    pub documents: Vec<[Lanes; N]>,
}

/// One epoch of a shard.
#[derive(Debug)]
pub struct Epoch<'a, const N: usize> {
    /// The parameters.
    pub model: &'a Doc2Vec,
    /// What is known of the words.
    pub vocabulary: &'a Vocabulary,
    /// All documents.
    pub corpus: &'a Documents,
    /// The shard.
    pub shard: &'a mut Shard<N>,
    /// Which it is, of how many: its documents are this one and each so many after it.
    pub number: (usize, usize),
    /// Rates of learning at the start and at the end of the epoch.
    pub alpha: (f32, f32),
    /// Where the epoch's chance begins.
    pub seed: u64,
}

/// The words of a document that are kept in an epoch, and what was drawn for each.
#[derive(Default)]
struct KeptWords {
    words: Vec<u16>,
    /// How far the context of each reaches, and the stream that its negatives are drawn from.
    drawn: Vec<(usize, Random)>,
}

impl<const N: usize> Kernel for Epoch<'_, N> {
    type Output = ();

    #[inline(always)]
    fn work<V: Vector>(self) {
        let Shard { inputs, outputs, documents } = self.shard;
        let words: &[Cell<Lanes>] = Cell::from_mut(inputs.as_mut_slice()).as_slice_of_cells();
        let outputs: &[Cell<Lanes>] = Cell::from_mut(outputs.as_mut_slice()).as_slice_of_cells();
        let (words, outputs) = (words.as_chunks::<N>().0, outputs.as_chunks::<N>().0);
        let mut kept = KeptWords::default();
        let (len, (start, end)) = (documents.len() as f32, self.alpha);
        let (number, of) = self.number;
        for (i, vector) in documents.iter_mut().enumerate() {
            let alpha = start + (end - start) * (i as f32 / len);
            let text = self.corpus.get(number + i * of);
            self.vocabulary.thin(text, self.seed, self.model.window, &mut kept);
            for (at, &(reach, random)) in kept.drawn.iter().enumerate() {
                let before = &kept.words[at.saturating_sub(reach)..at];
                let after = &kept.words[at + 1..(at + 1 + reach).min(kept.words.len())];
                let (word, mut random) = (kept.words[at], random);
                // Usually all fit into one group.
                for first in (0..=self.model.negative).step_by(GROUP) {
                    let fill = GROUP.min(self.model.negative + 1 - first);
                    let targets = self.vocabulary.targets(
                        word,
                        first == 0,
                        fill,
                        alpha,
                        &mut random,
                        outputs,
                    );
                    learn::<V, N>(vector, words, [before, after], &targets);
                }
            }
        }
    }
}

impl Vocabulary {
    /// The words of a document that are kept this time. What is drawn at a word depends on it and the words
    /// beside it, not on where it stands: a word more or less changes nothing farther away.
    #[inline(always)]
    fn thin(&self, text: &[u16], seed: u64, window: usize, kept: &mut KeptWords) {
        kept.words.resize(text.len(), 0);
        kept.drawn.resize(text.len(), (0, Random(0)));
        let window = window.min(text.len());
        let mut len = 0;
        let mut before = 1 << 16;
        for (i, &word) in text.iter().enumerate() {
            let after = text.get(i + 1).map_or(1 << 16, |&word| u64::from(word));
            let key = (before << 34) | (u64::from(word) << 17) | after;
            let mut random = Random::of(seed, key);
            let bits = random.bits();
            let reach = 1 + (((bits & 0xffff_ffff) * window as u64) >> 32) as usize;
            // Each is written, and overwritten if it was not kept: nobody can predict a branch here.
            (kept.words[len], kept.drawn[len]) = (word, (reach.min(window), random));
            len += usize::from(bits >> 32 < self.keep[usize::from(word)]);
            before = u64::from(word);
        }
        kept.words.truncate(len);
        kept.drawn.truncate(len);
    }

    /// The rows to learn at a word, `fill` of them: its own, if it is its first group, and those of random others.
    #[inline(always)]
    fn targets<'a, const N: usize>(
        &self,
        word: u16,
        own: bool,
        fill: usize,
        alpha: f32,
        random: &mut Random,
        outputs: &'a [MatrixRow<N>],
    ) -> Targets<'a, N> {
        let none = outputs.len() - 1;
        let mut targets =
            Targets { rows: [&outputs[none]; GROUP], truth: Lanes::ZERO, alpha: Lanes::ZERO };
        let mut bits = 0;
        for t in 0..GROUP {
            // A draw makes two words.
            bits = if t % 2 == 1 { random.bits() } else { bits >> 32 };
            let other = self.negatives.choose(bits as u32);
            // The word itself is nothing to tell it from.
            let takes = t < fill && other != word;
            let row = if takes { usize::from(other) } else { none };
            targets.rows[t] = &outputs[row];
            targets.alpha.0[t] = if takes { alpha } else { 0.0 };
        }
        if own {
            targets.rows[0] = &outputs[usize::from(word)];
            (targets.truth.0[0], targets.alpha.0[0]) = (1.0, alpha);
        }
        targets
    }
}

#[cfg(test)]
mod tests {
    use super::{KeptWords, Vocabulary};

    #[test]
    fn frequent_words_are_kept_as_gensim_keeps_them() {
        // 114 words alike: (sqrt(f / t) + 1) * t / f of each, with f = 1/114 and t = 0.001.
        let vocabulary = Vocabulary::new(&[1000; 114], 1e-3);
        let part = vocabulary.keep[5] as f64 / 4_294_967_296.0;
        assert!((part - 0.45164).abs() < 1e-4, "{part}");
        assert_eq!(Vocabulary::new(&[1000; 114], 0.0).keep[0], 1 << 32);
        assert_eq!(Vocabulary::new(&[1, 1_000_000], 1e-3).keep[0], 1 << 32);
        let mut kept = KeptWords::default();
        let words: Vec<u16> = (0..10_000u32).map(|i| (i * i / 7 % 114) as u16).collect();
        vocabulary.thin(&words, 3, 3, &mut kept);
        assert!((4000..5000).contains(&kept.words.len()), "{}", kept.words.len());
        assert!((1..=3).all(|reach| kept.drawn.iter().any(|drawn| drawn.0 == reach)));
    }

    #[test]
    fn an_edit_changes_decisions_near_it_only() {
        let vocabulary = Vocabulary::new(&[1000; 114], 1e-3);
        let words: Vec<u16> = (0..200u32).map(|i| (i * i / 7 % 114) as u16).collect();
        let mut shorter = words.clone();
        shorter.remove(100);
        let (mut all, mut less) = (KeptWords::default(), KeptWords::default());
        vocabulary.thin(&words, 3, 3, &mut all);
        vocabulary.thin(&shorter, 3, 3, &mut less);
        let keys = |kept: &KeptWords| -> Vec<(u16, usize, u64)> {
            let pairs = kept.words.iter().zip(&kept.drawn);
            pairs.map(|(&word, drawn)| (word, drawn.0, drawn.1.0)).collect()
        };
        let (all, less) = (keys(&all), keys(&less));
        assert_eq!(all[..30], less[..30]);
        assert_eq!(all[all.len() - 30..], less[less.len() - 30..], "though they stand elsewhere");
    }
}
