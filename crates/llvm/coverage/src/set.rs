//! A set of block numbers, as a bitmap.

/// A set of small numbers: blocks of one image, or features.
#[derive(Clone, Default)]
pub struct Set {
    words: Vec<u64>,
    len: usize,
}

impl Set {
    /// The empty set.
    pub fn new() -> Set {
        Set::default()
    }

    /// Puts a number in; whether it was not there.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = place(number);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.len += usize::from(new);
        new
    }

    /// Whether a number is there.
    pub fn contains(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What is in one or the other.
    pub fn union(&self, other: &Set) -> Set {
        let len = self.words.len().max(other.words.len());
        Set::from_words((0..len).map(|i| self.word(i) | other.word(i)).collect())
    }

    /// What is in this one and not in the other.
    pub fn difference(&self, other: &Set) -> Set {
        Set::from_words((0..self.words.len()).map(|i| self.word(i) & !other.word(i)).collect())
    }

    /// All numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let next = |word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
            std::iter::successors(Some(word).filter(|&word| word != 0), next)
                .map(move |word| index as u32 * 64 + word.trailing_zeros())
        })
    }

    /// The bitmap; bits beyond it are zero.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn from_words(words: Vec<u64>) -> Set {
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        Set { words, len }
    }

    fn word(&self, index: usize) -> u64 {
        self.words.get(index).copied().unwrap_or(0)
    }
}

fn place(number: u32) -> (usize, u64) {
    (number as usize / 64, 1 << (number % 64))
}

impl FromIterator<u32> for Set {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Set {
        let mut set = Set::new();
        set.extend(numbers);
        set
    }
}

impl Extend<u32> for Set {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, numbers: I) {
        for number in numbers {
            self.insert(number);
        }
    }
}

/// However long the bitmaps are.
impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        let len = self.words.len().max(other.words.len());
        self.len == other.len && (0..len).all(|i| self.word(i) == other.word(i))
    }
}

impl Eq for Set {}

impl std::fmt::Debug for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_do_what_sets_do() {
        let a: Set = [3, 64, 1000, 3].into_iter().collect();
        let b: Set = [64, 65].into_iter().collect();
        assert_eq!((a.len(), b.len()), (3, 2));
        assert!(a.contains(1000) && !a.contains(1001) && !a.contains(1 << 30));
        assert_eq!(a.union(&b).iter().collect::<Vec<_>>(), [3, 64, 65, 1000]);
        assert_eq!(a.difference(&b).iter().collect::<Vec<_>>(), [3, 1000]);
        assert_eq!(b.difference(&a).iter().collect::<Vec<_>>(), [65]);
        assert_eq!(a.union(&b).len(), 4);
    }

    #[test]
    fn the_length_of_the_bitmap_does_not_count() {
        let small: Set = [1].into_iter().collect();
        let large: Set = [1, 5000].into_iter().collect();
        let cut = large.difference(&[5000].into_iter().collect());
        assert_eq!(small, cut);
        assert_eq!(cut, small);
        assert_ne!(small, large);
        assert!(Set::new().is_empty() && !cut.is_empty());
    }
}
