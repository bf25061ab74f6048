//! The statistics of the paper's Table 2: medians, the Mann-Whitney U test, the effect size of Vargha and Delaney.

/// The middle of some numbers.
pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// Their mean.
pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// How likely one of the first numbers is to be greater than one of the others, ties by half: 0.5 is no effect.
pub fn a12(ours: &[f64], theirs: &[f64]) -> f64 {
    let one = |a: &f64, b: &f64| match a.total_cmp(b) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let pairs = ours.iter().flat_map(|a| theirs.iter().map(move |b| one(a, b)));
    pairs.sum::<f64>() / (ours.len() * theirs.len()).max(1) as f64
}

/// The two-sided p-value of the Mann-Whitney U test, exact: of all ways to deal the numbers to the two sides,
/// ties as they are, the share that is as far from the middle as what was seen. Samples here are small, where
/// the normal approximation is poor.
pub fn mann_whitney(ours: &[f64], theirs: &[f64]) -> f64 {
    let all: Vec<f64> = ours.iter().chain(theirs).copied().collect();
    // Twice the rank, so that ties have whole numbers.
    let rank = |x: &f64| {
        let below = all.iter().filter(|other| *other < x).count();
        let equal = all.iter().filter(|other| *other == x).count();
        2 * below + equal + 1
    };
    let ranks: Vec<usize> = all.iter().map(rank).collect();
    let (most, total) = (ours.len(), ranks.iter().sum::<usize>());
    // ways[k][s]: in how many ways k of the numbers so far have ranks that sum up to s.
    let mut ways = vec![vec![0.0; total + 1]; most + 1];
    ways[0][0] = 1.0;
    for &rank in &ranks {
        for k in (1..=most).rev() {
            for sum in rank..=total {
                ways[k][sum] += ways[k - 1][sum - rank];
            }
        }
    }
    let seen: usize = ranks[..most].iter().sum();
    // Distances from the middle, times as many as there are numbers, to stay whole.
    let away = |sum: usize| (sum * all.len()).abs_diff(total * most);
    let far = |(sum, n): (usize, &f64)| if away(sum) >= away(seen) { *n } else { 0.0 };
    let last = &ways[most];
    last.iter().enumerate().map(far).sum::<f64>() / last.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, wanted: f64) {
        assert!((got - wanted).abs() < 1e-9, "{got} for {wanted}");
    }

    #[test]
    fn known_p_values() {
        // The example of scipy's manual: U = 17, p = 0.1111.
        close(mann_whitney(&[19., 22., 16., 29., 24.], &[20., 11., 17., 12.]), 14.0 / 126.0);
        // Five and five, apart: 2 of 252 ways; three and three: 2 of 20.
        close(mann_whitney(&[6., 7., 8., 9., 10.], &[1., 2., 3., 4., 5.]), 2.0 / 252.0);
        close(mann_whitney(&[1., 2., 3.], &[4., 5., 6.]), 0.1);
        // With a tie, by hand: ranks 1, 2.5, 2.5, 4; of six sums four are as far off.
        close(mann_whitney(&[1., 2.], &[2., 3.]), 4.0 / 6.0);
        close(mann_whitney(&[3., 3.], &[3., 3., 3.]), 1.0);
        let (a, b) = ([1., 5., 5., 9.], [2., 5., 7.]);
        close(mann_whitney(&a, &b), mann_whitney(&b, &a));
    }

    #[test]
    fn effects_and_middles() {
        close(a12(&[2., 3.], &[1., 1.]), 1.0);
        close(a12(&[1., 2.], &[2., 3.]), 0.125);
        // U of scipy's example.
        close(a12(&[19., 22., 16., 29., 24.], &[20., 11., 17., 12.]) * 20.0, 17.0);
        close(median(&[3., 1., 2.]), 2.0);
        close(median(&[4., 1., 2., 3.]), 2.5);
        close(mean(&[1., 2.]), 1.5);
    }
}
