//! Libraries that count themselves. One test: the counters of a process are one thing.

#![allow(unsafe_code)]

use coverage::{Counters, Probe, Set};
use nix::sys::signal::Signal;

use crate::common::compile;
use crate::common::loaded::{Library, forked};

const FLAGS: [&str; 3] = ["-shared", "-fPIC", "-fsanitize-coverage=inline-8bit-counters,pc-table"];

/// The same with so many counters that they fill pages.
fn many() -> Vec<&'static str> {
    [&FLAGS[..], &["-DMANY"]].concat()
}

#[test]
fn counters_tell_what_ran() {
    let Some((_small, path)) = compile("clang-16", "counted.c", &FLAGS) else { return };
    let Some((_large, large)) = compile("clang-16", "counted.c", &many()) else { return };
    // SAFETY: here and below: nothing is unloaded, and no other thread runs the libraries.
    assert!(unsafe { Counters::loaded() }.is_none());
    let library = Library::open(&path);
    let mut counters = unsafe { Counters::loaded() }.expect("it has registered");
    assert!(counters.features().is_empty());
    let small = counters.len();

    library.call(c"choose", 2);
    let once = counters.features();
    assert!(!once.is_empty() && once.iter().all(|feature| feature % 8 == 0), "{once:?}");
    library.call(c"choose", 2);
    let twice: Vec<u32> = once.iter().map(|feature| feature + 1).collect();
    assert_eq!(counters.features(), twice);
    counters.reset();
    assert!(counters.features().is_empty());

    // A fork's counters are its own until they are shared.
    assert_eq!(forked(|| library.call(c"choose", -3)), Ok(3));
    assert!(counters.features().is_empty());
    library.call(c"choose", 9);
    let before = counters.features();
    unsafe { counters.share() }.expect("shared");
    assert_eq!(counters.features(), before, "what was counted is kept");
    counters.reset();
    let publishing = |counters: &Counters, argument: i64| {
        let work = || {
            library.call(c"choose", argument);
            counters.publish();
            0
        };
        assert_eq!(forked(work), Ok(0));
    };
    publishing(&counters, 9);
    assert_eq!(counters.features(), before);

    let mut probe = Probe::from(counters.clone());
    probe.begin();
    publishing(&counters, 2);
    assert_eq!(probe.fresh(), once);
    probe.begin();
    publishing(&counters, 2);
    assert!(probe.fresh().is_empty());
    probe.begin();
    publishing(&counters, 20);
    let fresh: Set = probe.fresh().into_iter().collect();
    assert!(!fresh.is_empty() && once.iter().any(|feature| !fresh.contains(*feature)));

    // Many counters: those that fill pages are seen even if a fork is killed.
    let library = Library::open(&large);
    let mut counters = unsafe { Counters::loaded() }.expect("two have registered");
    assert!(counters.len() > small + 3 * 4096, "{}", counters.len());
    unsafe { counters.share() }.expect("shared");
    counters.reset();
    let private = library.address(c"beside_the_counters") as *mut i32;
    let work = || {
        (0..4000).for_each(|n| assert_eq!(library.call(c"many", n), 0));
        unsafe { *private = 1 };
    };
    let killed = forked(|| {
        work();
        std::process::abort()
    });
    assert_eq!(killed, Err(Signal::SIGABRT));
    let seen = counters.features().len();
    assert!(seen > 3000, "{seen} of {}", counters.len());
    assert_eq!(unsafe { *private }, 0, "other data stays a fork's own");
    let published = forked(|| {
        work();
        counters.publish();
        0
    });
    assert_eq!(published, Ok(0));
    assert!(counters.features().len() > seen, "{seen}");
}
