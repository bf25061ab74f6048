//! X-means: k-means that finds the number of clusters (Pelleg and Moore, *X-means: Extending K-means with
//! Efficient Estimation of the Number of Clusters*, 2000).
//!
//! The score is the Bayesian information criterion of spherical Gaussians of one variance, with two changes. The
//! variance is that of a coordinate: the paper's formula leaves out the division by the dimension. And the penalty
//! for parameters is paid by each cluster, as in pyclustering, which CTOS uses: paid once, the diffuse cloud that
//! random sequences make fell into 18 clusters, only because it is a little longer in some directions.

use std::f64::consts::TAU;

use crate::Points;
use crate::kmeans::{Groups, refine_centres, seed};
use crate::random::Random;

/// Parameters. The defaults are those of pyclustering, which CTOS uses.
#[derive(Clone, Debug)]
pub struct XMeans {
    /// Clusters at most.
    pub most: usize,
    /// Centres that move less than this have settled.
    pub tolerance: f32,
    /// The seed of all random decisions.
    pub seed: u64,
    /// Threads; the result does not depend on them.
    pub threads: usize,
}

impl Default for XMeans {
    fn default() -> XMeans {
        XMeans { most: 20, tolerance: 0.001, seed: 1, threads: 1 }
    }
}

/// Points in clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The middle of each cluster; none is empty.
    pub centres: Points,
    /// The cluster of each point.
    pub of: Vec<u32>,
}

impl XMeans {
    /// Clusters points. As in pyclustering it begins with two clusters, and never goes back to one, unless all
    /// points are in one place.
    pub fn cluster(&self, points: &Points) -> Clusters {
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let mut random = Random::of(self.seed, 0);
        let mut centres = seed(points, &all, self.most.clamp(1, 2), &mut random);
        if centres.is_empty() {
            return Clusters { centres, of: Vec::new() };
        }
        loop {
            let groups = refine_centres(points, &all, centres, self.tolerance, self.threads);
            let better = self.split(points, &all, &groups, &mut random);
            if better.len() <= groups.centres.len() {
                return Clusters { centres: groups.centres, of: groups.of };
            }
            centres = better;
        }
    }

    /// The centres, with two in place of each whose cluster is better explained by two, as far as there is room.
    fn split(&self, points: &Points, all: &[u32], groups: &Groups, random: &mut Random) -> Points {
        let mut room = self.most.saturating_sub(groups.centres.len());
        let mut centres = Points::new(points.width());
        for (group, members) in groups.members(all).iter().enumerate() {
            let halves = seed(points, members, 2, random);
            if room > 0 && halves.len() == 2 {
                let halves = refine_centres(points, members, halves, self.tolerance, self.threads);
                let width = points.width();
                let whole = bic(&groups.sizes[group..=group], &groups.spread[group..=group], width);
                if halves.centres.len() == 2 && bic(&halves.sizes, &halves.spread, width) > whole {
                    halves.centres.rows().for_each(|half| centres.push(half));
                    room -= 1;
                    continue;
                }
            }
            centres.push(groups.centres.row(group));
        }
        centres
    }
}

/// The criterion for clusters of these sizes and summed squared distances: the greater the better.
fn bic(sizes: &[usize], spread: &[f64], width: usize) -> f64 {
    let (clusters, width) = (sizes.len() as f64, width as f64);
    let len = sizes.iter().sum::<usize>() as f64;
    // Clusters of a single point each, or of points in one place, would have no variance and an endless score.
    let free = (len - clusters).max(1.0);
    let variance = (spread.iter().sum::<f64>() / (width * free)).max(1e-30);
    let shares: f64 = sizes.iter().map(|&n| n as f64 * (n as f64 / len).ln()).sum();
    let likelihood = shares - len * width / 2.0 * (TAU * variance).ln() - width * free / 2.0;
    let parameters = clusters - 1.0 + clusters * width + 1.0;
    likelihood - clusters * parameters / 2.0 * len.ln()
}

#[cfg(test)]
mod tests {
    use super::{Clusters, XMeans};
    use crate::Points;
    use crate::random::Random;

    /// Nearly normal, by the sum of twelve.
    fn normal(random: &mut Random) -> f32 {
        ((0..12).map(|_| random.unit()).sum::<f64>() - 6.0) as f32
    }

    fn blobs(count: usize, each: usize, width: usize, apart: f32) -> Points {
        let mut random = Random(7);
        let mut points = Points::new(width);
        let centres: Vec<Vec<f32>> =
            (0..count).map(|_| (0..width).map(|_| apart * normal(&mut random)).collect()).collect();
        for i in 0..count * each {
            let row: Vec<f32> =
                centres[i % count].iter().map(|c| c + normal(&mut random)).collect();
            points.push(&row);
        }
        points
    }

    #[test]
    fn blobs_are_counted() {
        for (count, width) in [(2, 2), (5, 2), (3, 100), (12, 100), (20, 8)] {
            let points = blobs(count, 60, width, 30.0);
            let found = XMeans::default().cluster(&points);
            assert_eq!(found.centres.len(), count, "{count} of width {width}");
            let same = |i: usize| found.of[i] == found.of[i % count];
            assert!((0..points.len()).all(same), "each blob is a cluster");
        }
    }

    #[test]
    fn there_are_no_more_than_asked_for() {
        let points = blobs(12, 60, 10, 30.0);
        for most in [1, 2, 5] {
            let found = XMeans { most, ..XMeans::default() }.cluster(&points);
            assert_eq!(found.centres.len(), most);
        }
        assert_eq!(XMeans { most: 0, ..XMeans::default() }.cluster(&points).centres.len(), 1);
    }

    #[test]
    fn one_blob_is_not_split_further() {
        let found = XMeans::default().cluster(&blobs(1, 2000, 50, 0.0));
        assert_eq!(found.centres.len(), 2, "the two of the start");
    }

    #[test]
    fn the_same_for_any_number_of_threads() {
        let points = blobs(7, 1500, 6, 4.0);
        let one = XMeans::default().cluster(&points);
        assert_eq!(one, XMeans { threads: 3, ..XMeans::default() }.cluster(&points));
    }

    #[test]
    fn few_points_and_equal_points() {
        let cluster = |points: &Points| XMeans::default().cluster(points);
        let mut points = Points::new(3);
        assert_eq!(cluster(&points), Clusters { centres: Points::new(3), of: vec![] });
        points.push(&[1.0, 2.0, 3.0]);
        assert_eq!(cluster(&points), Clusters { centres: points.clone(), of: vec![0] });
        let one = points.clone();
        (0..50).for_each(|_| points.push(&[1.0, 2.0, 3.0]));
        assert_eq!(cluster(&points), Clusters { centres: one, of: vec![0; 51] });
        (0..50).for_each(|_| points.push(&[1.0, 2.0, 4.0]));
        let found = cluster(&points);
        assert_eq!(found.centres.len(), 2);
        assert!(found.centres.rows().flatten().all(|value| value.is_finite()));
    }
}
