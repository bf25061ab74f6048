//! Selection of dissimilar points: Algorithm 3 of CTOS.
//!
//! The member nearest to each cluster's centre comes first. Then again and again the point with the greatest
//! product of two distances: to the centre of all points, and to the nearest point chosen. The second only
//! falls as more is chosen, so a product that was computed earlier is a bound: points wait in a heap by what is
//! known of them, and only the one on top is brought up to date, as far as it stays on top. What is chosen is the
//! same as if all were.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::lanes::{Kernel, Vector, distance2_in, run_widest};
use crate::{Clusters, Points, threads};

/// Points of a piece that a thread takes.
const PIECE: usize = 4096;

/// Chooses `count` points, or all if there are fewer; their indices in the order of choice. Of points that are
/// equally good the first is taken.
pub fn select(points: &Points, clusters: &Clusters, count: usize, threads: usize) -> Vec<usize> {
    let mut chosen = central(points, clusters);
    chosen.truncate(count);
    let mut taken = vec![false; points.len()];
    chosen.iter().for_each(|&one| taken[one] = true);
    let mut heap = BinaryHeap::from(candidates(points, &chosen, &taken, threads));
    while chosen.len() < count {
        let Some(best) = run_widest(PopBest { points, chosen: &chosen, heap: &mut heap }) else {
            break;
        };
        chosen.push(best);
    }
    chosen
}

/// The member nearest to the centre of each cluster.
fn central(points: &Points, clusters: &Clusters) -> Vec<usize> {
    let mut nearest: Vec<Option<(f32, usize)>> = vec![None; clusters.centres.len()];
    for (point, &cluster) in clusters.of.iter().enumerate().take(points.len()) {
        let Some(best) = nearest.get_mut(cluster as usize) else { continue };
        let distance = points.distance2(point, clusters.centres.row(cluster as usize));
        if best.is_none_or(|(least, _)| distance < least) {
            *best = Some((distance, point));
        }
    }
    nearest.into_iter().flatten().map(|(_, point)| point).collect()
}

/// A point that may be chosen, and what is known of it.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// The product of the squares of its distances. A product of two `f32` is exact in `f64`.
    score: f64,
    /// Squared distance to the centre of all.
    outward: f32,
    /// Squared distance to the nearest of those chosen that it was compared with.
    least: f32,
    /// How many of those chosen it was compared with.
    seen: u32,
    point: u32,
}

impl Candidate {
    #[inline(always)]
    fn lower_distance(&mut self, distance: f32) {
        self.seen += 1;
        if distance < self.least {
            self.least = distance;
            self.score = f64::from(self.outward) * f64::from(distance);
        }
    }
}

impl Ord for Candidate {
    /// The greater score, or else the lower index, is the greater.
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.score.total_cmp(&other.score).then(other.point.cmp(&self.point))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// All points that are not taken, compared with those chosen at the start.
fn candidates(points: &Points, chosen: &[usize], taken: &[bool], threads: usize) -> Vec<Candidate> {
    let centre = points.mean();
    let starts = (0..points.len()).step_by(PIECE);
    let mut pieces: Vec<(usize, Vec<Candidate>)> = starts.map(|start| (start, vec![])).collect();
    threads::each(threads, &mut pieces, |_, (start, piece)| {
        let range = *start..(*start + PIECE).min(points.len());
        run_widest(InitialDistances { points, centre: &centre, chosen, taken, range, piece });
    });
    pieces.into_iter().flat_map(|(_, piece)| piece).collect()
}

struct InitialDistances<'a> {
    points: &'a Points,
    centre: &'a [f32],
    chosen: &'a [usize],
    taken: &'a [bool],
    range: std::ops::Range<usize>,
    piece: &'a mut Vec<Candidate>,
}

impl Kernel for InitialDistances<'_> {
    type Output = ();

    #[inline(always)]
    fn work<V: Vector>(self) {
        for point in self.range.filter(|&point| !self.taken[point]) {
            let row = self.points.row(point);
            let outward = distance2_in::<V>(row, self.centre);
            // With nothing chosen yet the distance to the centre alone decides.
            let mut one = Candidate {
                score: f64::INFINITY,
                outward,
                least: f32::INFINITY,
                seen: 0,
                point: point as u32,
            };
            for &other in self.chosen {
                one.lower_distance(distance2_in::<V>(row, self.points.row(other)));
            }
            if self.chosen.is_empty() {
                one.score = f64::from(outward);
            }
            self.piece.push(one);
        }
    }
}

/// Takes the best candidate off the heap.
struct PopBest<'a> {
    points: &'a Points,
    chosen: &'a [usize],
    heap: &'a mut BinaryHeap<Candidate>,
}

impl Kernel for PopBest<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn work<V: Vector>(self) -> Option<usize> {
        loop {
            let mut top = self.heap.peek_mut()?;
            if top.seen as usize == self.chosen.len() {
                return Some(PeekMut::pop(top).point as usize);
            }
            let mut one = *top;
            let row = self.points.row(one.point as usize);
            let before = one.score;
            while let Some(&other) = self.chosen.get(one.seen as usize) {
                one.lower_distance(distance2_in::<V>(row, self.points.row(other)));
                // Once it has fallen another may be on top; what is not computed may never be asked for.
                if one.score < before {
                    break;
                }
            }
            *top = one;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::select;
    use crate::random::Random;
    use crate::{Clusters, Points, XMeans};

    /// Algorithm 3 as it is written: all distances anew for each choice.
    fn naive(points: &Points, clusters: &Clusters, count: usize) -> Vec<usize> {
        let centre = points.mean();
        let mut chosen = Vec::new();
        for (c, middle) in clusters.centres.rows().enumerate() {
            let members = (0..points.len()).filter(|&i| clusters.of[i] as usize == c);
            let nearest = members.min_by(|&a, &b| {
                points.distance2(a, middle).total_cmp(&points.distance2(b, middle))
            });
            chosen.extend(nearest.filter(|_| chosen.len() < count));
        }
        while chosen.len() < count.min(points.len()) {
            let mut best: Option<(f64, usize)> = None;
            for i in (0..points.len()).filter(|i| !chosen.contains(i)) {
                let apart = chosen.iter().map(|&c| points.distance2(i, points.row(c)));
                let least = apart.fold(f32::INFINITY, f32::min);
                let score = f64::from(points.distance2(i, &centre)) * f64::from(least);
                if best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, i));
                }
            }
            chosen.extend(best.map(|(_, i)| i));
        }
        chosen
    }

    /// Points on a grid, so that many distances are equal and some points are.
    fn grid(len: usize, width: usize, seed: u64) -> Points {
        let mut random = Random(seed);
        let mut points = Points::new(width);
        for _ in 0..len {
            let row: Vec<f32> = (0..width).map(|_| random.below(5) as f32).collect();
            points.push(&row);
        }
        points
    }

    #[test]
    fn as_the_listing_says() {
        for (len, width, count) in [(60, 2, 20), (200, 3, 50), (300, 100, 40), (30, 1, 30)] {
            for seed in 0..5 {
                let points = grid(len, width, seed);
                let clusters = XMeans::default().cluster(&points);
                let want = naive(&points, &clusters, count);
                assert_eq!(select(&points, &clusters, count, 1), want, "{len} {width} {seed}");
                assert_eq!(select(&points, &clusters, count, 3), want);
            }
        }
    }

    #[test]
    fn too_few_points_and_too_few_wanted() {
        let points = grid(40, 2, 1);
        let clusters = XMeans { most: 6, ..XMeans::default() }.cluster(&points);
        let mut all = select(&points, &clusters, 100, 1);
        all.sort_unstable();
        assert_eq!(all, (0..40).collect::<Vec<_>>(), "each once, those in one place too");
        assert_eq!(select(&points, &clusters, 0, 1), []);
        assert_eq!(select(&points, &clusters, 1, 1).len(), 1);
        let none = Points::new(2);
        assert_eq!(select(&none, &XMeans::default().cluster(&none), 3, 2), []);
        let no_clusters = Clusters { centres: Points::new(2), of: vec![] };
        let chosen = select(&points, &no_clusters, 5, 1);
        let centre = points.mean();
        let far = (0..40).map(|i| points.distance2(i, &centre)).fold(0.0, f32::max);
        assert_eq!(
            points.distance2(chosen[0], &centre),
            far,
            "without clusters the outermost is first"
        );
        assert_eq!(chosen.len(), 5);
    }
}
