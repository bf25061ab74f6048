//! Which sequences and which programs are tested with: any, or those that represent the others (CTOS,
//! section 3.4), and the baselines that the paper compares itself with (section 4.3).

use choice::Choices;
use embed::{Doc2Vec, Documents, Points, XMeans, select};

use crate::exclusion::Exclusions;
use crate::features::{features, normalised};
use crate::inventory::{Inventory, List};
use crate::sequence::{Draw, PassPool, Sequence, pairs, two_way};
use crate::shape::ModuleShape;
use crate::vector::{DocumentVectors, PassOnRule, Sharing, program_vector, texts};

/// The window of Doc2Vec over instructions; over passes it is 3 (section 4.1).
const INSTRUCTIONS_WINDOW: usize = 5;

/// How to choose sequences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SequenceSelection {
    /// Many are drawn, and those are selected that are most unlike each other (SS).
    #[default]
    Selection,
    /// As they are drawn (RS).
    Chance,
    /// Each is drawn from a random half of the passes.
    Swarm,
    /// Every ordered pair of passes stands side by side somewhere.
    Pairs,
    /// For every two positions, every two passes stand there somewhere (2W): tens of thousands.
    TwoWay,
}

/// How to choose programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgramSelection {
    /// Many are made, and those are selected whose vectors are most unlike each other (SP).
    #[default]
    Selection,
    /// As they are made (RP).
    Chance,
    /// Selected by static features in place of vectors (SPS).
    Features,
}

/// A request for sequences.
#[derive(Clone, Debug)]
pub struct SequenceRequest {
    /// How.
    pub by: SequenceSelection,
    /// Of which passes.
    pub list: List,
    /// Their lengths.
    pub draw: Draw,
    /// How many are drawn to select from.
    pub of: usize,
    /// How many are wanted.
    pub count: usize,
    /// The seed of all random decisions.
    pub seed: u64,
    /// For vectors and selection.
    pub threads: usize,
}

/// Sequences as wanted, but for what is excluded.
pub fn sequences(
    wanted: &SequenceRequest,
    inventory: &Inventory,
    exclusions: &mut Exclusions,
) -> Vec<Sequence> {
    let list = inventory.list(wanted.list);
    let mut choices = Choices::new(wanted.seed);
    let mut draw = wanted.draw.clone();
    let mut drawn = |draw: &Draw, count: usize| -> Vec<Sequence> {
        (0..count).map(|_| exclusions.draw(draw, &list, inventory, &mut choices)).collect()
    };
    match wanted.by {
        SequenceSelection::Chance => drawn(&draw, wanted.count),
        SequenceSelection::Swarm => {
            draw.pool = PassPool::Half;
            drawn(&draw, wanted.count)
        }
        SequenceSelection::Pairs => {
            let length = usize::from(*draw.length.end());
            let mut all = pairs(&list, length, &mut choices);
            all.retain(|sequence| exclusions.allows(sequence, inventory));
            all.truncate(wanted.count);
            all
        }
        SequenceSelection::TwoWay => {
            let all = two_way(&list, usize::from(*draw.length.end()));
            let allowed = all.filter(|sequence| exclusions.allows(sequence, inventory));
            allowed.take(wanted.count).collect()
        }
        SequenceSelection::Selection => {
            let all = drawn(&draw, wanted.of.max(wanted.count));
            let mut documents = Documents::new();
            for sequence in &all {
                documents.push(&sequence.0);
            }
            let (seed, threads) = (wanted.seed, wanted.threads);
            let points = Doc2Vec { seed, threads, ..Doc2Vec::default() }.train(&documents);
            let chosen = representative(&points, wanted.count, seed, threads);
            chosen.into_iter().map(|at| all[at].clone()).collect()
        }
    }
}

/// Which of some programs are tested with.
pub fn programs(
    by: ProgramSelection,
    shapes: &[ModuleShape],
    count: usize,
    seed: u64,
    threads: usize,
) -> Vec<usize> {
    let points = match by {
        ProgramSelection::Chance => return (0..shapes.len().min(count)).collect(),
        ProgramSelection::Selection => vectors(shapes, seed, threads),
        ProgramSelection::Features => {
            let rows: Vec<Vec<f32>> = shapes.iter().map(features).collect();
            points(&normalised(&rows))
        }
    };
    representative(&points, count, seed, threads)
}

/// Programs as vectors.
pub fn vectors(shapes: &[ModuleShape], seed: u64, threads: usize) -> Points {
    let texts = texts(shapes, Sharing::Same);
    let mut documents = Documents::new();
    for text in &texts.documents {
        let words = text.iter().map(|word| u16::try_from(*word).unwrap_or(u16::MAX));
        documents.push(&words.collect::<Vec<u16>>());
    }
    let model = Doc2Vec { window: INSTRUCTIONS_WINDOW, seed, threads, ..Doc2Vec::default() };
    let edges = model.train(&documents);
    let values: Vec<f32> = edges.rows().flatten().copied().collect();
    let rows = DocumentVectors { values: &values, width: edges.width() };
    let vectors = shapes.iter().zip(&texts.of);
    let vectors: Vec<Vec<f32>> =
        vectors.map(|(shape, of)| program_vector(shape, of, rows, PassOnRule::default())).collect();
    points(&vectors)
}

fn points(rows: &[Vec<f32>]) -> Points {
    let mut points = Points::new(rows.first().map_or(1, Vec::len));
    for row in rows {
        points.push(row);
    }
    points
}

fn representative(points: &Points, count: usize, seed: u64, threads: usize) -> Vec<usize> {
    let clusters = XMeans { seed, threads, ..XMeans::default() }.cluster(points);
    select(points, &clusters, count, threads)
}
