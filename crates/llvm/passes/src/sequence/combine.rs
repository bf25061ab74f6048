//! Combinatorial sequences: the paper's baseline 2W, and a smaller one.
//!
//! ACTS takes positions for parameters and passes for values: for every two positions, every two passes
//! ([`two_way`]; 34,473 sequences in the paper, 32,258 here for the same 114 passes at length 200). What passes
//! do to each other hardly depends on where in the sequence they stand; [`pairs`] has every ordered pair
//! of neighbours once, in 66 sequences, and is the baseline that is of use.

use choice::Choices;

use super::Sequence;

/// Sequences in which every pass stands directly before every pass, itself too, somewhere: the shortest
/// such text (de Bruijn), cut so that neighbours share a pass. About n²/(length-1) sequences, the last one
/// shorter. The order is random.
pub fn pairs(list: &[u16], length: usize, choices: &mut Choices) -> Vec<Sequence> {
    let mut list = list.to_vec();
    choices.shuffle(&mut list);
    let mut text = Vec::with_capacity(list.len() * list.len() + 1);
    for (at, first) in list.iter().enumerate() {
        text.push(*first);
        text.extend(list[at + 1..].iter().flat_map(|second| [*first, *second]));
    }
    text.extend(list.first());
    let step = length.saturating_sub(1).max(1);
    let starts = (0..text.len().saturating_sub(1)).step_by(step);
    let cut = |start: usize| text[start..text.len().min(start + step + 1)].to_vec();
    starts.map(|start| Sequence(cut(start))).collect()
}

/// Sequences in which every two positions have every two passes, in that order, in some sequence: a
/// covering array. Made of lines in a plane over a field of a prime number of elements (Bose), or of two
/// such planes, whichever needs fewer. Passes that stand for no more than filling up are spread over the list.
pub fn two_way(list: &[u16], length: usize) -> impl Iterator<Item = Sequence> {
    let plan = CoveringPlan::least(list.len(), length);
    let count = if list.is_empty() { 0 } else { plan.rows() };
    (0..count).map(move |row| {
        let number = |position: usize| {
            let value = plan.value(row, position);
            // Beyond the list any will do.
            let at = if value < list.len() { value } else { (value + row + position) % list.len() };
            list[at]
        };
        Sequence((0..length).map(number).collect())
    })
}

/// How a covering array is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CoveringPlan {
    /// A prime number, at least as many as there are values.
    prime: usize,
    /// Planes: with two, positions are places in a square.
    planes: usize,
}

impl CoveringPlan {
    fn least(values: usize, positions: usize) -> CoveringPlan {
        let narrow = prime_from(values);
        let wide = prime_from(values.max(positions.saturating_sub(1)));
        let two = CoveringPlan { prime: narrow, planes: 2 };
        let one = CoveringPlan { prime: wide, planes: 1 };
        // A square of the narrow prime's positions has room for far more than any length of ours.
        let fits = positions <= (narrow + 1) * (narrow + 1);
        if fits && two.rows() < one.rows() { two } else { one }
    }

    fn rows(self) -> usize {
        self.planes * self.prime * self.prime
    }

    /// Positions with the same column are equal in the first plane, and have different ones in the second.
    fn value(self, row: usize, position: usize) -> usize {
        let square = self.prime * self.prime;
        let columns = self.prime + 1;
        let column = if row < square { position % columns } else { position / columns };
        let (slope, offset) = ((row % square) / self.prime, row % self.prime);
        if column == self.prime { slope } else { (slope * column + offset) % self.prime }
    }
}

/// The least prime number that is not less.
fn prime_from(least: usize) -> usize {
    let is_prime = |n: &usize| (2..).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    (least.max(2)..).find(is_prime).unwrap_or(2)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_pair_is_adjacent_once() {
        let list: Vec<u16> = (100..214).collect();
        let all = pairs(&list, 200, &mut Choices::new(1));
        assert_eq!(all.len(), 66);
        assert!(all[..65].iter().all(|one| one.0.len() == 200));
        let windows: Vec<&[u16]> = all.iter().flat_map(|one| one.0.windows(2)).collect();
        let distinct: BTreeSet<&[u16]> = windows.iter().copied().collect();
        assert_eq!((windows.len(), distinct.len()), (114 * 114, 114 * 114));
        for (list, count) in [(vec![], 0), (vec![7], 1)] {
            assert_eq!(pairs(&list, 200, &mut Choices::new(1)).len(), count);
        }
    }

    #[test]
    fn every_two_positions_have_every_pair() {
        // One plane; one with filling; two planes.
        for (values, length, rows) in [(5, 6, 25), (6, 8, 49), (4, 20, 50), (1, 3, 4)] {
            let list: Vec<u16> = (0..values).collect();
            let all: Vec<Sequence> = two_way(&list, length).collect();
            assert_eq!(all.len(), rows, "{values} {length}");
            for i in 0..length {
                for j in i + 1..length {
                    let seen: BTreeSet<(u16, u16)> =
                        all.iter().map(|one| (one.0[i], one.0[j])).collect();
                    assert_eq!(seen.len(), usize::from(values * values), "{i} {j}");
                }
            }
        }
        let list: Vec<u16> = (0..114).collect();
        assert_eq!(two_way(&list, 200).count(), 32_258);
        assert_eq!(two_way(&[], 200).count(), 0);
    }
}
