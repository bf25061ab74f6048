//! Sequences to vectors, vectors to clusters, and the selection of those most unlike each other: the parts
//! of CTOS (Jiang et al., *CTOS: Compiler Testing for Optimization Sequences of LLVM*, sections 2.2 and 3.4)
//! that know nothing of compilers.
//!
//! [`Doc2Vec`] makes a vector of each document of word numbers, [`XMeans`] clusters vectors, and [`select()`]
//! is the paper's Algorithm 3. All three use threads, and nothing else of the outside world.
//!
//! **The same seed gives the same bits**, for any number of threads and on every processor. Documents are
//! dealt to shards by their number alone, each shard trains on a copy of the words' matrices, and copies
//! are averaged after each epoch. Work is cut into pieces by its size alone, sums are taken in a fixed
//! order, and products are fused whether or not the processor can; one that cannot is slow.
//!
//! Not here: vectors of documents that were not trained, saving models, hierarchical softmax.

mod doc2vec;
mod documents;
mod kmeans;
mod lanes;
mod points;
mod position;
mod random;
mod select;
mod shard;
mod threads;
mod xmeans;

pub use doc2vec::Doc2Vec;
pub use documents::Documents;
pub use points::Points;
pub use select::select;
pub use xmeans::{Clusters, XMeans};
