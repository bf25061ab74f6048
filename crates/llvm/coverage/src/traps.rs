//! Breakpoints in a library that is loaded into our own process.
//!
//! The library's code is replaced by a copy in shared memory, with a breakpoint at each block of
//! interest. The handler of SIGTRAP takes a breakpoint away through a second, writable mapping and
//! logs the block in shared memory, too. So a fork of this process that hits a breakpoint takes it
//! away for all, and what was hit once costs nothing from then on.
//!
//! One library for each process, for the life of the process. Its code must not be run with SIGTRAP
//! blocked (a handler of another signal with a full mask), which the kernel answers with death, and
//! must not install a handler of SIGTRAP itself (LLVM's pretty stack traces do).

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::io;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering};

use nix::libc;

use crate::leaders::INT3;
use crate::{Image, Segment, Set};

/// Functions that run with all signals blocked: a breakpoint there is fatal.
const BLOCKED: [&str; 1] = ["_ZN4llvm3sys7Process25SafelyCloseFileDescriptorEi"];

/// Hits that the log holds. More than twice the blocks of the largest library known (3 million), so
/// that nothing is lost that is read before all are hit again.
const LOG: usize = 1 << 23;

/// What the handler works with. Never freed.
static STATE: AtomicPtr<State> = AtomicPtr::new(ptr::null_mut());

/// Breakpoints in a loaded library.
#[derive(Clone, Copy, Debug)]
pub struct Traps {
    state: &'static State,
}

#[derive(Debug)]
struct State {
    /// The load bias.
    base: usize,
    leaders: Vec<u64>,
    originals: Vec<u8>,
    /// For each block: the writable place of its first byte; `None` where no breakpoint may stand.
    bytes: Vec<Option<&'static AtomicU8>>,
    log: &'static Log,
    /// What SIGTRAP did before.
    old: libc::sigaction,
}

/// Hits in order; a ring. An entry is a block's number plus one, 0 if it was not written: its process
/// may have been killed on the way.
struct Log {
    count: AtomicUsize,
    entries: [AtomicU32; LOG],
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "Log({})", self.count.load(Ordering::Relaxed))
    }
}

impl Traps {
    /// Replaces the code of a library by a shared copy with a breakpoint at each block that is not in
    /// `known`, and installs the handler of SIGTRAP.
    ///
    /// # Safety
    ///
    /// The library of `image` is loaded with the load bias `base` and stays loaded, and this process
    /// has no other thread that could run its code meanwhile.
    pub unsafe fn arm(image: &Image, base: usize, known: &Set) -> io::Result<Traps> {
        if !STATE.load(Ordering::Acquire).is_null() {
            return Err(io::Error::other("this process has breakpoints in a library already"));
        }
        // SAFETY: the caller says that the library is there.
        unsafe { check(image, base)? };
        let mut bytes = vec![None; image.leaders().len()];
        for segment in image.segments() {
            let first = image.leaders().partition_point(|&l| l < segment.address);
            let end = image
                .leaders()
                .partition_point(|&l| l < segment.address.saturating_add(segment.size));
            if first < end {
                // SAFETY: the caller says that the library is there and does not run.
                let writable = unsafe { share(segment, base)? };
                for (byte, leader) in bytes[first..end].iter_mut().zip(&image.leaders()[first..]) {
                    // SAFETY: within the segment, which is mapped for good.
                    *byte = Some(unsafe {
                        &*writable.add((leader - segment.address) as usize).cast::<AtomicU8>()
                    });
                }
            }
        }
        for address in BLOCKED.iter().flat_map(|name| image.addresses_of(name)) {
            let own = |leader: u64| image.function_of(leader).is_some_and(|(s, _)| s == address);
            let first = image.leaders().partition_point(|&l| l < address);
            let blocks = image.leaders()[first..].iter().take_while(|&&l| own(l)).count();
            bytes[first..first + blocks].fill(None);
        }
        // SAFETY: a fresh shared mapping of zeros is a `Log`.
        let log =
            unsafe { &*map(ptr::null_mut(), size_of::<Log>(), WRITABLE, None)?.cast::<Log>() };
        let state = State {
            base,
            leaders: image.leaders().to_vec(),
            originals: image.originals().to_vec(),
            bytes,
            log,
            // SAFETY: plain numbers; the kernel fills it in.
            old: unsafe { mem::zeroed() },
        };
        let traps = Traps { state: install(Box::leak(Box::new(state)))? };
        for block in 0..traps.state.leaders.len() as u32 {
            if !known.contains(block) {
                traps.set(block, INT3);
            }
        }
        Ok(traps)
    }

    /// How many hits were logged so far, by this process and its forks.
    pub fn count(&self) -> usize {
        self.state.log.count.load(Ordering::Acquire)
    }

    /// The blocks hit since there were `from` hits, in order.
    pub fn hits(&self, from: usize) -> Vec<u32> {
        self.between(from, self.count())
    }

    pub(crate) fn between(&self, from: usize, to: usize) -> Vec<u32> {
        (from.max(to.saturating_sub(LOG))..to)
            .map(|at| self.state.log.entries[at % LOG].load(Ordering::Acquire))
            .filter_map(|entry| entry.checked_sub(1))
            .collect()
    }

    /// Puts breakpoints back, so that a second run shows whether it reaches these blocks again.
    pub fn rearm(&self, blocks: &[u32]) {
        blocks.iter().for_each(|&block| self.set(block, INT3));
    }

    /// Takes breakpoints away.
    pub fn disarm(&self, blocks: &[u32]) {
        for &block in blocks {
            if let Some(&original) = self.state.originals.get(block as usize) {
                self.set(block, original);
            }
        }
    }

    fn set(&self, block: u32, value: u8) {
        if let Some(Some(byte)) = self.state.bytes.get(block as usize) {
            byte.store(value, Ordering::Release);
        }
    }
}

/// Whether the library in memory is the one of the image.
///
/// # Safety
///
/// It is loaded at `base`.
unsafe fn check(image: &Image, base: usize) -> io::Result<()> {
    let same = image.leaders().iter().zip(image.originals()).all(|(&leader, &original)| {
        // SAFETY: a leader lies in an executable segment, which is mapped.
        original == unsafe { *((base + leader as usize) as *const u8) }
    });
    if same {
        return Ok(());
    }
    let message = format!("the code in memory is not that of {}", image.path().display());
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

const WRITABLE: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;

/// Replaces a loaded segment by a shared copy of itself; where its first byte can be written.
///
/// # Safety
///
/// The segment is loaded at `base`, and nobody runs it.
unsafe fn share(segment: &Segment, base: usize) -> io::Result<*mut u8> {
    // SAFETY: takes no pointers.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let address = base + segment.address as usize;
    let start = address & !(page - 1);
    let size = (address + segment.size as usize).next_multiple_of(page) - start;
    // SAFETY: the name is a string; the mappings are new, or replace pages of the library by others
    // with the same bytes. Pages of a segment belong to it as a whole, and are readable.
    unsafe {
        let fd = libc::memfd_create(c"coverage".as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let mapped = || {
            if libc::ftruncate(fd, size as libc::off_t) != 0 {
                return Err(io::Error::last_os_error());
            }
            let writable = map(ptr::null_mut(), size, WRITABLE, Some(fd))?;
            ptr::copy_nonoverlapping(start as *const u8, writable, size);
            map(start as *mut u8, size, libc::PROT_READ | libc::PROT_EXEC, Some(fd))?;
            Ok(writable.add(address - start))
        };
        let result = mapped();
        libc::close(fd);
        result
    }
}

/// A shared mapping, of memory of its own if there is no file, in place of what is at `at`.
///
/// # Safety
///
/// What is at `at`, if that is not null, may be replaced.
pub(crate) unsafe fn map(
    at: *mut u8,
    size: usize,
    protection: libc::c_int,
    file: Option<libc::c_int>,
) -> io::Result<*mut u8> {
    let fixed = if at.is_null() { 0 } else { libc::MAP_FIXED };
    let anonymous = if file.is_some() { 0 } else { libc::MAP_ANONYMOUS | libc::MAP_NORESERVE };
    let flags = libc::MAP_SHARED | fixed | anonymous;
    // SAFETY: the caller says so.
    let got = unsafe { libc::mmap(at.cast(), size, protection, flags, file.unwrap_or(-1), 0) };
    if got == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(got.cast()) }
}

/// Installs the handler, and remembers what it replaces.
fn install(state: &'static mut State) -> io::Result<&'static State> {
    // SAFETY: `on_trap` is async-signal-safe; the action is a local.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = on_trap as *const () as usize;
        // On the stack for signals, as the program's own may be at its end; and not deferred, so that
        // a breakpoint within a handler of another signal is no special case.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART;
        if libc::sigaction(libc::SIGTRAP, ptr::null(), &mut state.old) != 0 {
            return Err(io::Error::last_os_error());
        }
        let state: *mut State = state;
        STATE.store(state, Ordering::Release);
        if libc::sigaction(libc::SIGTRAP, &action, ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(&*state)
    }
}

/// Allocates nothing, locks nothing, calls nothing of the library.
extern "C" fn on_trap(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel hands valid pointers to a handler of this kind, and the state is set before
    // the handler is and never freed.
    let (state, code, registers) = unsafe {
        let context = &mut *context.cast::<libc::ucontext_t>();
        (&*STATE.load(Ordering::Acquire), (*info).si_code, &mut context.uc_mcontext.gregs)
    };
    let rip = &mut registers[libc::REG_RIP as usize];
    let address = (*rip as usize).wrapping_sub(1);
    let leader = address.wrapping_sub(state.base) as u64;
    // A breakpoint's signal is the kernel's; others come by `kill`.
    if code == libc::SI_KERNEL
        && let Ok(block) = state.leaders.binary_search(&leader)
        && let Some(byte) = state.bytes[block]
    {
        // Another process may have been faster; then there is nothing to log.
        if byte.swap(state.originals[block], Ordering::AcqRel) == INT3 {
            let at = state.log.count.fetch_add(1, Ordering::AcqRel);
            state.log.entries[at % LOG].store(block as u32 + 1, Ordering::Release);
        }
        *rip = address as libc::greg_t;
        return;
    }
    // Not ours: what was to happen before happens now.
    // SAFETY: a handler that the kernel would have called with just this; else calls that are
    // async-signal-safe and take a valid pointer or none.
    unsafe {
        let (old, default) = (state.old.sa_sigaction, libc::SIG_DFL);
        if state.old.sa_flags & libc::SA_SIGINFO != 0 && old != default && old != libc::SIG_IGN {
            mem::transmute::<usize, Handler>(old)(signal, info, context);
        } else {
            libc::sigaction(libc::SIGTRAP, &state.old, ptr::null_mut());
            libc::raise(libc::SIGTRAP);
        }
    }
}

/// A handler of signals.
type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut c_void);
