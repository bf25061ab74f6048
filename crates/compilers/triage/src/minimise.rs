//! Fewest members of a set that still do: Zeller and Hildebrandt's ddmin.

use oracle::Trouble;

/// A part of `set` that passes `test` and from which no single member can be taken. `set` itself must
/// pass.
pub(crate) fn minimise(
    mut set: Vec<usize>,
    test: &mut dyn FnMut(&[usize]) -> Result<bool, Trouble>,
) -> Result<Vec<usize>, Trouble> {
    let mut parts = 2;
    while set.len() > 1 {
        let size = set.len().div_ceil(parts);
        let mut smaller = None;
        for from in (0..set.len()).step_by(size) {
            let chunk = from..(from + size).min(set.len());
            let without: Vec<usize> = [&set[..chunk.start], &set[chunk.end..]].concat();
            // Of two parts, one without is the other alone.
            if parts > 2 && test(&set[chunk.clone()])? {
                smaller = Some((set[chunk].to_vec(), 2));
                break;
            }
            if test(&without)? {
                smaller = Some((without, (parts - 1).max(2)));
                break;
            }
        }
        match smaller {
            Some((next, number)) => (set, parts) = (next, number),
            None if size == 1 => break,
            None => parts = (parts * 2).min(set.len()),
        }
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_set_is_found() {
        for needed in [vec![5], vec![0, 39], vec![3, 17, 18]] {
            let mut asked = 0;
            let least = minimise((0..40).collect(), &mut |set| {
                asked += 1;
                Ok(needed.iter().all(|n| set.contains(n)))
            });
            assert_eq!(least, Ok(needed));
            assert!(asked < 150, "{asked}");
        }
    }

    #[test]
    fn trouble_gets_through() {
        let stopped = minimise(vec![1, 2, 3], &mut |_| Err(Trouble::Stopped));
        assert_eq!(stopped, Err(Trouble::Stopped));
    }
}
