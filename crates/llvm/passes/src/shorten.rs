//! Delta debugging of a list, many candidates at a time.

use std::io;

/// Candidates in one question at most. It begins with one, and has twice as many after each that gave nothing: of
/// those behind the first that shows, nobody makes use.
const WINDOW: usize = 16;

/// A minimal sublist, in order, that still `show`s: it does not without any one of its members. The
/// whole list is taken to show. Chunks go first, from halves to single things, the last first: what comes
/// after the culprit is not needed.
pub fn shorten<T: Clone>(
    all: &[T],
    mut show: impl FnMut(&[Vec<T>]) -> io::Result<Vec<bool>>,
) -> io::Result<Vec<T>> {
    let mut kept = all.to_vec();
    let mut size = kept.len().div_ceil(2).max(1);
    loop {
        let mut changed = false;
        // The end of the chunk that is to be tried next.
        let mut end = kept.len();
        let mut window = 1;
        while end > 0 && !kept.is_empty() {
            let starts = (0..window).map(|n| end.saturating_sub(size * n)).take_while(|e| *e > 0);
            let chunks: Vec<(usize, usize)> =
                starts.map(|end| (end.saturating_sub(size), end)).collect();
            let without = |(start, end): &(usize, usize)| [&kept[..*start], &kept[*end..]].concat();
            let candidates: Vec<Vec<T>> = chunks.iter().map(without).collect();
            let shown = show(&candidates)?;
            match shown.iter().position(|shown| *shown) {
                Some(at) => {
                    changed = true;
                    window = 1;
                    end = chunks[at].0;
                    kept = candidates[at].clone();
                }
                None => {
                    window = (window * 2).min(WINDOW);
                    end = chunks.last().map_or(0, |(start, _)| *start);
                }
            }
        }
        match () {
            () if size > 1 => size = size.div_ceil(2),
            () if changed => {}
            () => return Ok(kept),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shorten;

    fn least(all: &[u32], is_enough: impl Fn(&[u32]) -> bool) -> (Vec<u32>, usize) {
        let mut asked = 0;
        let kept = shorten(all, |candidates| {
            asked += candidates.len();
            Ok(candidates.iter().map(|candidate| is_enough(candidate)).collect())
        });
        (kept.expect("no trouble"), asked)
    }

    #[test]
    fn what_is_needed_stays() {
        let all: Vec<u32> = (0..200).collect();
        for needed in [vec![], vec![0], vec![199], vec![3, 77], vec![10, 11, 12, 190]] {
            let (kept, asked) = least(&all, |some| needed.iter().all(|one| some.contains(one)));
            assert_eq!(kept, needed);
            assert!(asked < 700, "{asked} for {needed:?}");
        }
    }

    #[test]
    fn nothing_more_can_go() {
        // Any three even numbers in order, or 7 twice.
        let all: Vec<u32> = (0..60).map(|n| n % 9).collect();
        let is_enough = |some: &[u32]| some.iter().filter(|n| **n % 2 == 0).count() >= 3;
        let (kept, _) = least(&all, is_enough);
        assert_eq!(kept.len(), 3);
        for at in 0..kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(at);
            assert!(!is_enough(&fewer));
        }
        assert_eq!(least(&[], |_| true).0, Vec::<u32>::new());
    }

    #[test]
    fn order_is_kept() {
        let all: Vec<u32> = vec![5, 1, 9, 2, 9, 3];
        let (kept, _) = least(&all, |some| {
            let at = |n| some.iter().position(|one| *one == n);
            matches!((at(5), at(9), at(3)), (Some(a), Some(b), Some(c)) if a < b && b < c)
        });
        assert_eq!(kept.len(), 3);
        assert_eq!((kept[0], kept[1], kept[2]), (5, 9, 3));
    }
}
