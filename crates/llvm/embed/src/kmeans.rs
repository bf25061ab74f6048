//! Lloyd's algorithm initialised by k-means++ (Arthur and Vassilvitskii 2007), on some of the points.
//!
//! Members are worked on in pieces of one size, whose sums are added in order: threads change nothing.

use crate::lanes::{Kernel, Vector, add, distance2_in, run_widest};
use crate::random::Random;
use crate::{Points, threads};

/// Members of a piece: enough to be worth handing to a thread, few enough to share out evenly.
const PIECE: usize = 4096;

/// Rounds at most; what moves still then moves little.
const ROUNDS: usize = 100;

/// Some points in groups.
#[derive(Debug)]
pub struct Groups {
    /// The mean of each group, none empty.
    pub centres: Points,
    /// The group of each member.
    pub of: Vec<u32>,
    /// Squared distances of members to their centres, summed for each group.
    pub spread: Vec<f64>,
    /// Members of each group.
    pub sizes: Vec<usize>,
}

impl Groups {
    /// The members of each group.
    pub fn members(&self, all: &[u32]) -> Vec<Vec<u32>> {
        let mut members: Vec<Vec<u32>> =
            self.sizes.iter().map(|&size| Vec::with_capacity(size)).collect();
        for (&member, &group) in all.iter().zip(&self.of) {
            members[group as usize].push(member);
        }
        members
    }
}

/// Up to `count` centres among the members, each far from those before it; fewer if there are no more places.
pub fn seed(points: &Points, members: &[u32], count: usize, random: &mut Random) -> Points {
    let mut centres = Points::new(points.width());
    let Some(&first) = members.get(random.below(members.len())) else { return centres };
    centres.push(points.row(first as usize));
    let mut least = vec![f32::INFINITY; members.len()];
    while centres.len() < count {
        let last = centres.row(centres.len() - 1);
        let total = run_widest(DistanceUpdate { points, members, to: last, least: &mut least });
        if total <= 0.0 {
            break;
        }
        let mut left = random.unit() * total;
        let beyond = |&weight: &f32| {
            left -= f64::from(weight);
            left < 0.0
        };
        // Rounding may leave a little at the end: then the farthest will do.
        let at = least.iter().position(beyond).unwrap_or_else(|| farthest(&least));
        centres.push(points.row(members[at] as usize));
    }
    centres
}

fn farthest(least: &[f32]) -> usize {
    (0..least.len()).fold(0, |a, b| if least[b] > least[a] { b } else { a })
}

/// Lowers least distances to what they are to one more place; their sum.
struct DistanceUpdate<'a> {
    points: &'a Points,
    members: &'a [u32],
    to: &'a [f32],
    least: &'a mut [f32],
}

impl Kernel for DistanceUpdate<'_> {
    type Output = f64;

    #[inline(always)]
    fn work<V: Vector>(self) -> f64 {
        let mut total = 0.0;
        for (least, &member) in self.least.iter_mut().zip(self.members) {
            *least = least.min(distance2_in::<V>(self.points.row(member as usize), self.to));
            total += f64::from(*least);
        }
        total
    }
}

/// Moves centres to the means of what is nearest to them until none moves by more than `tolerance`. Groups that
/// lose all members are gone. There must be a centre.
pub fn refine_centres(
    points: &Points,
    members: &[u32],
    mut centres: Points,
    tolerance: f32,
    threads: usize,
) -> Groups {
    let mut round = 0;
    loop {
        round += 1;
        let (of, sums) = assign(points, members, &centres, threads);
        let kept: Vec<usize> = (0..centres.len()).filter(|&c| sums.sizes[c] > 0).collect();
        let mut next = Points::new(points.width());
        let mut moved = 0.0f32;
        for &c in &kept {
            let mean = sums.mean(c, points.width());
            moved = moved.max(centres.distance2(c, &mean));
            next.push(&mean);
        }
        let lost = kept.len() < centres.len();
        // The assignment was made with these centres, so they are returned, not those they would move to.
        if !lost && (moved <= tolerance * tolerance || round >= ROUNDS) {
            return Groups { centres, of, spread: sums.spread, sizes: sums.sizes };
        }
        centres = next;
    }
}

/// What is summed for each centre over its members.
#[derive(Clone, Debug)]
struct Sums {
    places: Vec<f64>,
    spread: Vec<f64>,
    sizes: Vec<usize>,
}

impl Sums {
    fn new(count: usize, width: usize) -> Sums {
        Sums { places: vec![0.0; count * width], spread: vec![0.0; count], sizes: vec![0; count] }
    }

    fn merge(&mut self, other: &Sums) {
        self.places.iter_mut().zip(&other.places).for_each(|(a, b)| *a += b);
        self.spread.iter_mut().zip(&other.spread).for_each(|(a, b)| *a += b);
        self.sizes.iter_mut().zip(&other.sizes).for_each(|(a, b)| *a += b);
    }

    fn mean(&self, group: usize, width: usize) -> Vec<f32> {
        let sum = &self.places[group * width..][..width];
        sum.iter().map(|s| (s / self.sizes[group] as f64) as f32).collect()
    }
}

/// Gives each member to the nearest centre, the first of several.
fn assign(points: &Points, members: &[u32], centres: &Points, threads: usize) -> (Vec<u32>, Sums) {
    let mut of = vec![0; members.len()];
    let empty = Sums::new(centres.len(), points.width());
    let mut pieces: Vec<(&[u32], &mut [u32], Sums)> = members
        .chunks(PIECE)
        .zip(of.chunks_mut(PIECE))
        .map(|(members, of)| (members, of, empty.clone()))
        .collect();
    threads::each(threads, &mut pieces, |_, (members, of, sums)| {
        run_widest(Assignment { points, members, centres, of, sums });
    });
    let mut sums = empty;
    pieces.iter().for_each(|(_, _, piece)| sums.merge(piece));
    (of, sums)
}

struct Assignment<'a> {
    points: &'a Points,
    members: &'a [u32],
    centres: &'a Points,
    of: &'a mut [u32],
    sums: &'a mut Sums,
}

impl Kernel for Assignment<'_> {
    type Output = ();

    #[inline(always)]
    fn work<V: Vector>(self) {
        let width = self.points.width();
        for (&member, of) in self.members.iter().zip(self.of) {
            let row = self.points.row(member as usize);
            let (mut best, mut least) = (0, f32::INFINITY);
            for (c, centre) in self.centres.rows().enumerate() {
                let distance = distance2_in::<V>(row, centre);
                if distance < least {
                    (best, least) = (c, distance);
                }
            }
            *of = best as u32;
            add(&mut self.sums.places[best * width..][..width], row);
            self.sums.spread[best] += f64::from(least.min(f32::MAX));
            self.sums.sizes[best] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PIECE, refine_centres, seed};
    use crate::Points;
    use crate::random::Random;

    fn line(values: &[f32]) -> (Points, Vec<u32>) {
        let mut points = Points::new(1);
        values.iter().for_each(|&value| points.push(&[value]));
        (points, (0..values.len() as u32).collect())
    }

    #[test]
    fn groups_are_means_of_what_is_nearest() {
        let (points, members) = line(&[0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        let centres = line(&[0.0, 1.0]).0;
        let groups = refine_centres(&points, &members, centres, 0.0, 1);
        assert_eq!(groups.centres, line(&[1.0, 11.0]).0);
        assert_eq!(groups.of, [0, 0, 0, 1, 1, 1]);
        assert_eq!((groups.spread.clone(), groups.sizes.clone()), (vec![2.0, 2.0], vec![3, 3]));
        assert_eq!(groups.members(&members), [[0, 1, 2], [3, 4, 5]]);
        let some = refine_centres(&points, &members[2..4], line(&[5.0]).0, 0.0, 1);
        assert_eq!(some.centres, line(&[6.0]).0);
    }

    #[test]
    fn a_group_without_members_is_gone() {
        let (points, members) = line(&[0.0, 1.0]);
        let groups = refine_centres(&points, &members, line(&[0.5, 99.0]).0, 0.0, 1);
        assert_eq!(groups.centres, line(&[0.5]).0);
        assert_eq!(groups.of, [0, 0]);
    }

    #[test]
    fn seeds_are_different_places() {
        let (points, members) = line(&[5.0, 5.0, 5.0, 7.0]);
        for stream in 0..20 {
            let centres = seed(&points, &members, 3, &mut Random(stream));
            assert_eq!(centres.len(), 2, "there are but two places");
            assert_ne!(centres.row(0), centres.row(1));
        }
        assert!(seed(&points, &[], 3, &mut Random(1)).is_empty());
    }

    #[test]
    fn threads_change_nothing() {
        let mut random = Random(4);
        let values: Vec<f32> = (0..3 * PIECE).map(|_| random.unit() as f32).collect();
        let (points, members) = line(&values);
        let centres = seed(&points, &members, 5, &mut random);
        let one = refine_centres(&points, &members, centres.clone(), 1e-4, 1);
        let many = refine_centres(&points, &members, centres, 1e-4, 3);
        assert_eq!((one.centres, one.of, one.spread), (many.centres, many.of, many.spread));
    }
}
