//! Libraries that count themselves: built with `-fsanitize-coverage=inline-8bit-counters`.
//!
//! Such a library calls `__sanitizer_cov_8bit_counters_init` when it is loaded, and finds it only if
//! our executable exports it. An executable that wants this has a build script with
//!
//! ```text
//! println!("cargo::rustc-link-arg-bins=-Wl,--undefined=__sanitizer_cov_8bit_counters_init");
//! println!("cargo::rustc-link-arg-bins=-Wl,--export-dynamic-symbol=__sanitizer_cov_8bit_counters_init");
//! ```
//!
//! and the same for `__sanitizer_cov_pcs_init`, which `pc-table` asks for.
//!
//! A fork's counters are its own. [`Counters::share`] puts them into shared memory, as far as they
//! fill pages; the few at the two edges share their pages with other data, which a fork must not
//! share, and are copied by [`Counters::publish`] when the fork is done.

#![allow(unsafe_code)]

use std::io;
use std::slice;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use nix::libc;

use crate::traps::map;

/// Libraries that can register; each does so once.
const LIBRARIES: usize = 64;

/// Start and end of the counters that have been registered.
static REGISTERED: [(AtomicUsize, AtomicUsize); LIBRARIES] =
    [const { (AtomicUsize::new(0), AtomicUsize::new(0)) }; LIBRARIES];

/// Called by the constructors of an instrumented library.
///
/// # Safety
///
/// From `start` to `stop` there are counters, for as long as the library is loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    for (first, end) in &REGISTERED {
        let there = first.compare_exchange(0, start as usize, Ordering::AcqRel, Ordering::Acquire);
        match there {
            Ok(_) => end.store(stop as usize, Ordering::Release),
            Err(other) if other != start as usize => continue,
            Err(_) => {}
        }
        return;
    }
}

/// Called with a table of code addresses, which nobody needs here.
#[unsafe(no_mangle)]
pub extern "C" fn __sanitizer_cov_pcs_init(_: *const usize, _: *const usize) {}

/// The counters of all instrumented libraries that are loaded.
#[derive(Clone, Debug)]
pub struct Counters {
    parts: Vec<Part>,
}

/// Counters that lie together.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Where the library counts.
    counters: &'static [AtomicU8],
    /// Where others see it: the same place, or a copy.
    seen: &'static [AtomicU8],
}

impl Counters {
    /// The counters of the libraries that are loaded now; `None` if there are none.
    ///
    /// # Safety
    ///
    /// Instrumented libraries are not unloaded.
    pub unsafe fn loaded() -> Option<Counters> {
        let range = |(start, end): &(AtomicUsize, AtomicUsize)| {
            let (start, end) = (start.load(Ordering::Acquire), end.load(Ordering::Acquire));
            // SAFETY: registered as such. A library's plain increments of them are not atomic, but
            // happen in this thread or in another process.
            (start < end).then(|| unsafe { bytes(start, end) })
        };
        let parts: Vec<Part> = REGISTERED
            .iter()
            .filter_map(range)
            .map(|counters| Part { counters, seen: counters })
            .collect();
        (!parts.is_empty()).then_some(Counters { parts })
    }

    /// Puts the counters into shared memory, contents kept, so that this process sees what forks count.
    ///
    /// # Safety
    ///
    /// No other thread runs code of the libraries.
    pub unsafe fn share(&mut self) -> io::Result<()> {
        // SAFETY: takes no pointers.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let mut parts = Vec::new();
        for part in &self.parts {
            let start = part.counters.as_ptr() as usize;
            let end = start + part.counters.len();
            let first = start.next_multiple_of(page).min(end);
            let last = (end & !(page - 1)).max(first);
            let pieces = [(start, first, false), (first, last, true), (last, end, false)];
            for (from, to, whole) in pieces.into_iter().filter(|(from, to, _)| from < to) {
                // SAFETY: within the counters. Whole pages are replaced by others with the same bytes.
                parts.push(unsafe {
                    Part { counters: bytes(from, to), seen: shared(from, to, whole)? }
                });
            }
        }
        self.parts = parts;
        Ok(())
    }

    /// How many counters there are.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.counters.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A fork calls this before it ends, so that its parent sees the counters that share their page
    /// with other data, too. Async-signal-safe.
    pub fn publish(&self) {
        for part in self.parts.iter().filter(|part| part.is_copy()) {
            for (seen, counter) in part.seen.iter().zip(part.counters) {
                seen.store(counter.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        }
    }

    /// What the counters say, by this process and by forks that are done: for each that is not zero
    /// eight times its number plus its [`bucket`].
    pub fn features(&self) -> Vec<u32> {
        let both = |part: &Part| {
            let (seen, counters) = (part.seen, part.counters);
            (0..seen.len()).map(move |i| {
                seen[i].load(Ordering::Relaxed).max(counters[i].load(Ordering::Relaxed))
            })
        };
        features(self.parts.iter().flat_map(both))
    }

    /// Sets all counters to zero.
    pub fn reset(&self) {
        for part in &self.parts {
            let all = part.counters.iter().chain(part.seen);
            all.for_each(|counter| counter.store(0, Ordering::Relaxed));
        }
    }
}

impl Part {
    fn is_copy(&self) -> bool {
        self.seen.as_ptr() != self.counters.as_ptr()
    }
}

/// # Safety
///
/// There are bytes for good, which nobody else holds by reference.
unsafe fn bytes(start: usize, end: usize) -> &'static [AtomicU8] {
    // SAFETY: the caller says so.
    unsafe { slice::from_raw_parts(start as *const AtomicU8, end - start) }
}

/// Shared memory with the bytes of a range, in its place or elsewhere.
///
/// # Safety
///
/// The range may be read, and replaced if that is asked for.
unsafe fn shared(start: usize, end: usize, in_place: bool) -> io::Result<&'static [AtomicU8]> {
    let size = end - start;
    // SAFETY: as the caller says; a new mapping is ours for good.
    unsafe {
        let old = slice::from_raw_parts(start as *const u8, size).to_vec();
        let at = if in_place { start as *mut u8 } else { std::ptr::null_mut() };
        let new = map(at, size, libc::PROT_READ | libc::PROT_WRITE, None)?;
        std::ptr::copy_nonoverlapping(old.as_ptr(), new, size);
        Ok(bytes(new as usize, new as usize + size))
    }
}

/// Features of counters in order.
pub(crate) fn features(counters: impl Iterator<Item = u8>) -> Vec<u32> {
    let feature = |(index, count): (usize, u8)| Some(8 * index as u32 + bucket(count)?);
    counters.enumerate().filter_map(feature).collect()
}

/// How often something happened, roughly, in eight steps as libFuzzer has them: 1, 2, 3, 4-7, 8-15,
/// 16-31, 32-127, and more.
pub fn bucket(count: u8) -> Option<u32> {
    Some(match count {
        0 => return None,
        1..=3 => u32::from(count) - 1,
        4..=7 => 3,
        8..=15 => 4,
        16..=31 => 5,
        32..=127 => 6,
        128.. => 7,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_libfuzzer() {
        let at = |count| bucket(count).unwrap_or(99);
        assert_eq!(bucket(0), None);
        let firsts = [1, 2, 3, 4, 8, 16, 32, 128];
        assert_eq!(firsts.map(at), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!([7, 15, 31, 127, 255].map(at), [3, 4, 5, 6, 7]);
        assert_eq!(features([0, 1, 0, 130].into_iter()), [8, 31]);
    }
}
