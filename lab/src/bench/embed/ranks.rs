//! How near edited copies are to their originals.

use embed::Points;

/// What nearness is measured by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The distance, as selection uses it.
    Distance,
    /// The angle.
    Cosine,
}

/// Both.
pub const MEASURES: [Measure; 2] = [Measure::Distance, Measure::Cosine];

/// Prints the ranks of copies among all sequences but other copies of the same. The swapped copies of the first
/// `probes` sequences are after all `count`, those with a deletion after them.
pub fn report(who: &str, points: &Points, count: usize, probes: usize, measure: Measure) {
    let points = if measure == Measure::Cosine { &normal(points) } else { points };
    for (edit, first, other) in
        [("swap", count, count + probes), ("deletion", count + probes, count)]
    {
        let rank = |i: usize| {
            let from = |j: usize| points.distance2(j, points.row(i));
            let own = from(first + i);
            let nearer = |&j: &usize| j != i && j != other + i && from(j) < own;
            1 + (0..points.len()).filter(nearer).count()
        };
        let mut ranks: Vec<usize> = (0..probes).map(rank).collect();
        ranks.sort_unstable();
        let mean = ranks.iter().sum::<usize>() as f64 / probes as f64;
        let best = ranks.iter().filter(|&&rank| rank == 1).count();
        println!(
            "{who:<8} {edit:<9} by {:<9} rank of the copy: median {}, mean {mean:.2}, worst {}, first in {:.1} %; its \
             distance is {:.3} of that of others",
            format!("{measure:?}").to_lowercase(),
            ranks[probes / 2],
            ranks[probes - 1],
            100.0 * best as f64 / probes as f64,
            relative(points, first, probes),
        );
    }
}

/// The mean distance of copies from originals, as a part of that between different originals.
fn relative(points: &Points, first: usize, probes: usize) -> f64 {
    let apart = |i: usize, j: usize| f64::from(points.distance2(j, points.row(i))).sqrt();
    let copies: f64 = (0..probes).map(|i| apart(i, first + i)).sum();
    let others: f64 = (0..probes).map(|i| apart(i, (i + 1) % first)).sum();
    copies / others.max(1e-30)
}

fn normal(points: &Points) -> Points {
    let mut normal = Points::new(points.width());
    for row in points.rows() {
        let norm = row.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-30);
        normal.push(&row.iter().map(|v| v / norm).collect::<Vec<_>>());
    }
    normal
}
