//! Documents of word numbers, kept flat: a corpus of hundreds of thousands is two allocations.

/// Documents, each a sequence of words. Words are numbers, best small ones: a model has a row for each up to
/// the greatest.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Documents {
    words: Vec<u16>,
    ends: Vec<usize>,
}

impl Documents {
    /// No documents.
    pub fn new() -> Documents {
        Documents::default()
    }

    /// Adds a document, which may be empty.
    pub fn push(&mut self, words: &[u16]) {
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The words of a document; none if there is no such document.
    pub fn get(&self, document: usize) -> &[u16] {
        let Some(&end) = self.ends.get(document) else { return &[] };
        let start = document.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start..end]
    }

    /// How often each word occurs, up to the greatest.
    pub(crate) fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.words.iter().max().map_or(0, |&word| usize::from(word) + 1)];
        for &word in &self.words {
            counts[usize::from(word)] += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::Documents;

    #[test]
    fn documents_come_back_as_they_went_in() {
        let mut documents = Documents::new();
        assert!(documents.is_empty() && documents.counts().is_empty());
        for words in [&[][..], &[3, 1, 3], &[], &[7]] {
            documents.push(words);
        }
        assert_eq!(documents.len(), 4);
        assert_eq!(documents.get(0), &[] as &[u16]);
        assert_eq!(documents.get(1), &[3, 1, 3]);
        assert_eq!(documents.get(3), &[7]);
        assert_eq!(documents.get(4), &[] as &[u16]);
        assert_eq!(documents.counts(), [0, 1, 0, 2, 0, 0, 0, 1]);
    }
}
