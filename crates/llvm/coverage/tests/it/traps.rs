//! Breakpoints in a library whose blocks all have names. One test: a process has one such library.

#![allow(unsafe_code)]

use coverage::{Image, Probe, Set, Traps};
use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::common::loaded::{Library, forked};
use crate::common::{BLOCKS, SMALL, compile};

/// What a fork exits with that a signal not of ours has reached.
const THEIRS: i32 = 77;

/// A handler that was there before.
extern "C" fn theirs(_: i32, _: *mut libc::siginfo_t, _: *mut std::ffi::c_void) {
    // SAFETY: takes no pointers.
    unsafe { libc::_exit(THEIRS) }
}

fn install(handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut std::ffi::c_void)) {
    let handler = SigHandler::SigAction(handler);
    let action = SigAction::new(handler, SaFlags::SA_SIGINFO, SigSet::empty());
    // SAFETY: the handler only ends the process.
    unsafe { sigaction(Signal::SIGTRAP, &action) }.expect("a handler");
}

#[test]
fn blocks_that_run_are_logged_once() {
    let Some((_scratch, path)) = compile("gcc-12", "blocks.s", SMALL) else { return };
    let image = Image::read(&path).expect("a library");
    let library = Library::open(&path);
    let base = library.base();
    let known: Set =
        [BLOCKS.iter().position(|&b| b == "table_1").expect("there") as u32].into_iter().collect();
    // SAFETY: the library is there; other threads of the test harness do not know it.
    assert!(unsafe { Traps::arm(&image, base + 16, &known) }.is_err(), "not its base");
    install(theirs);
    // SAFETY: as above.
    let traps = unsafe { Traps::arm(&image, base, &known) }.expect("armed");
    // SAFETY: as above.
    assert!(unsafe { Traps::arm(&image, base, &known) }.is_err(), "a second time");
    let named = |blocks: Vec<u32>| blocks.iter().map(|&b| BLOCKS[b as usize]).collect::<Vec<_>>();
    let since = |from| named(traps.hits(from));

    assert_eq!(library.call(c"pick", 3), 1);
    assert_eq!(since(0), ["pick", "pick_small"]);
    assert_eq!(library.call(c"pick", 4), 1);
    assert_eq!(traps.count(), 2);
    assert_eq!(library.call(c"pick", 11), 2);
    assert_eq!(since(2), ["pick_large"]);

    // A block that is known is not told; a child's hits are ours.
    assert_eq!(forked(|| library.call(c"table", 1)), Ok(20));
    assert_eq!(since(3), ["table", "table_end"]);
    assert_eq!(library.call(c"table", 0), 10);
    assert_eq!(library.call(c"table", 2), 30);
    assert_eq!(since(5), ["table_0", "table_2"]);

    // Put back, and hit by a child; taken away, and not hit.
    traps.rearm(&[0, 1, 2]);
    traps.disarm(&[2]);
    assert_eq!(forked(|| library.call(c"pick", 12)), Ok(2));
    assert_eq!(library.call(c"pick", 1), 1);
    assert_eq!(since(7), ["pick", "pick_small"]);

    // A jump into an instruction leads where it should.
    assert_eq!((library.call(c"skip", 0), library.call(c"skip", 4)), (1, 5));
    assert_eq!(since(9), ["skip", "skip_locked"]);

    // Its own breakpoint goes to the handler that was there before, and so does a signal that somebody
    // sends.
    assert_eq!(forked(|| library.call(c"stop", 0)), Ok(THEIRS));
    assert_eq!(since(11), ["stop"]);
    // SAFETY: takes no pointers.
    assert_eq!(forked(|| unsafe { libc::raise(libc::SIGTRAP) }), Ok(THEIRS));

    let mut probe = Probe::from(traps);
    assert!(probe.fresh().is_empty());
    traps.rearm(&[0]);
    probe.begin();
    library.call(c"pick", 1);
    assert_eq!(probe.fresh(), [0]);
    assert!(probe.fresh().is_empty());
}
