//! Work distributed over threads.

use std::sync::{Mutex, PoisonError};

/// Calls `work` for each item with its index, on so many threads; whichever is free takes the next.
pub fn each<T: Send>(threads: usize, items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    if threads <= 1 || items.len() <= 1 {
        return items.iter_mut().enumerate().for_each(|(i, item)| work(i, item));
    }
    let threads = threads.min(items.len());
    let queue = Mutex::new(items.iter_mut().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let serve = || {
        while let Some((i, item)) = next() {
            work(i, item);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(serve);
        }
        serve();
    });
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_item_is_worked_on_once() {
        for threads in [0, 1, 3, 50] {
            let mut items = vec![1; 20];
            super::each(threads, &mut items, |i, item| *item += i);
            assert!(items.iter().enumerate().all(|(i, &item)| item == i + 1), "{items:?}");
        }
    }
}
