//! The memory that a child shares with the server: what it has done, and what it was doing when it died.
//!
//! A signal handler writes here, so everything is atomics and plain bytes at fixed places.

use std::io;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering::SeqCst};

use crate::End;
use crate::wire::{Crash, Frame};

/// Items of a batch; more are done in several.
pub(super) const ITEMS: usize = 256;

/// Return addresses that are kept.
pub(super) const FRAMES: usize = 96;

/// Bytes of a reason that are kept.
const REASON: usize = 8192;

/// Bytes for what items return. Untouched pages cost nothing.
const ARENA: usize = 512 << 20;

/// How LLVM, C++ and Rust say that there is no more memory.
const MEMORY: [&str; 6] = [
    "out of memory",
    "std::bad_alloc",
    "Allocation failed",
    "Cannot allocate memory",
    // The only exception that LLVM knows is that of `operator new`; it ends where Rust begins.
    "cannot catch foreign exceptions",
    "memory allocation of ",
];

/// How a child says it ended.
pub(super) mod fate {
    pub const NONE: u32 = 0;
    pub const FATAL: u32 = 1;
    pub const SIGNAL: u32 = 2;
    pub const TIME: u32 = 3;
    pub const PANIC: u32 = 4;
}

/// What is said of one item.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Slot {
    pub done: AtomicU32,
    pub stage: AtomicU32,
    output: [AtomicU64; 2],
    artifact: [AtomicU64; 2],
    pub micros: AtomicU64,
    features: [AtomicU64; 2],
}

/// The beginning of the shared memory.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Board {
    /// The item in work.
    pub current: AtomicU32,
    pub fate: AtomicU32,
    pub signal: AtomicI32,
    pub is_overflow: AtomicU32,
    /// The instruction that a signal came at.
    pub place: AtomicU64,
    frame_count: AtomicU32,
    frames: [AtomicU64; FRAMES],
    reason_length: AtomicU32,
    reason: [std::sync::atomic::AtomicU8; REASON],
    used: AtomicU64,
    pub slots: [Slot; ITEMS],
}

impl Board {
    /// Maps a new one, for the life of the process.
    pub fn map() -> io::Result<&'static Board> {
        let size = size_of::<Board>() + ARENA;
        // SAFETY: a new mapping of zeros, which are a valid board, and which is never unmapped.
        unsafe {
            let at = libc::mmap(
                std::ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            );
            if at == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            Ok(&*at.cast::<Board>())
        }
    }

    /// Takes it out of the reach of this process, for good.
    pub fn close(&self) {
        let at: *const Board = self;
        // SAFETY: the mapping is ours; an access after this is fatal, as intended.
        unsafe {
            libc::mprotect(at.cast_mut().cast(), size_of::<Board>() + ARENA, libc::PROT_NONE)
        };
    }

    /// Forgets the last child. Memory that much was written to is given back.
    pub fn clear(&self, items: usize) {
        for slot in &self.slots[..items.min(ITEMS)] {
            slot.done.store(0, SeqCst);
            slot.stage.store(0, SeqCst);
            for number in slot.output.iter().chain(&slot.artifact).chain(&slot.features) {
                number.store(0, SeqCst);
            }
            slot.micros.store(0, SeqCst);
        }
        self.current.store(0, SeqCst);
        self.fate.store(fate::NONE, SeqCst);
        self.signal.store(0, SeqCst);
        self.is_overflow.store(0, SeqCst);
        self.place.store(0, SeqCst);
        self.frame_count.store(0, SeqCst);
        self.reason_length.store(0, SeqCst);
        let used = self.used.swap(0, SeqCst) as usize;
        if used > 8 << 20 {
            // SAFETY: the arena is ours, and nobody reads it now; its pages read as zeros afterwards.
            unsafe { libc::madvise(self.arena().cast(), used.min(ARENA), libc::MADV_REMOVE) };
        }
    }

    fn arena(&self) -> *mut u8 {
        let start: *const Board = self;
        start.wrapping_add(1).cast_mut().cast()
    }

    /// Keeps bytes; `None` when there is no more room.
    fn keep(&self, bytes: &[u8]) -> Option<[u64; 2]> {
        let at = self.used.fetch_add(bytes.len() as u64, SeqCst);
        let end = usize::try_from(at).ok()?.checked_add(bytes.len())?;
        if end > ARENA {
            return None;
        }
        // SAFETY: within the arena, a part that nobody else was given.
        unsafe {
            let to = self.arena().add(end - bytes.len());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        Some([at, bytes.len() as u64])
    }

    fn kept(&self, place: &[AtomicU64; 2]) -> Vec<u8> {
        let [at, length] = [place[0].load(SeqCst) as usize, place[1].load(SeqCst) as usize];
        if at.checked_add(length).is_none_or(|end| end > ARENA) {
            return Vec::new();
        }
        // SAFETY: within the arena; the child that wrote it is done.
        unsafe { std::slice::from_raw_parts(self.arena().add(at), length).to_vec() }
    }

    /// Stores what an item returned. False when there was no room.
    pub fn set_output(&self, item: usize, bytes: &[u8]) -> bool {
        self.keep(bytes).map(|place| set(&self.slots[item].output, place)).is_some()
    }

    /// Stores the artifact of an item. False when there was no room.
    pub fn set_artifact(&self, item: usize, bytes: &[u8]) -> bool {
        self.keep(bytes).map(|place| set(&self.slots[item].artifact, place)).is_some()
    }

    /// Stores what was new in an item. False when there was no room.
    pub fn set_features(&self, item: usize, features: &[u32]) -> bool {
        let bytes: Vec<u8> = features.iter().flat_map(|feature| feature.to_le_bytes()).collect();
        self.keep(&bytes).map(|place| set(&self.slots[item].features, place)).is_some()
    }

    /// What was new in an item.
    pub fn features(&self, item: usize) -> Vec<u32> {
        let bytes = self.kept(&self.slots[item].features);
        let (numbers, _) = bytes.as_chunks();
        numbers.iter().map(|number| u32::from_le_bytes(*number)).collect()
    }

    /// What an item returned.
    pub fn output(&self, item: usize) -> Vec<u8> {
        self.kept(&self.slots[item].output)
    }

    /// The artifact of an item.
    pub fn artifact(&self, item: usize) -> Vec<u8> {
        self.kept(&self.slots[item].artifact)
    }

    /// Notes why the child ends. Async-signal-safe.
    pub fn set_reason(&self, text: &[u8]) {
        let length = text.len().min(REASON);
        for (to, from) in self.reason.iter().zip(&text[..length]) {
            to.store(*from, SeqCst);
        }
        self.reason_length.store(length as u32, SeqCst);
    }

    /// Notes where the child was. Async-signal-safe.
    pub fn set_frames(&self, addresses: &[*mut libc::c_void]) {
        let count = addresses.len().min(FRAMES);
        for (to, from) in self.frames.iter().zip(&addresses[..count]) {
            to.store(*from as u64, SeqCst);
        }
        self.frame_count.store(count as u32, SeqCst);
    }

    /// What the dead child said of its end, `printed` besides, and how the kernel says it ended. One that
    /// we killed was late, unless it had said something else.
    pub fn end(
        &self,
        status: i32,
        in_time: bool,
        printed: String,
        name: impl Fn(u64) -> Option<Frame>,
    ) -> End {
        let length = (self.reason_length.load(SeqCst) as usize).min(REASON);
        let reason: Vec<u8> = self.reason[..length].iter().map(|byte| byte.load(SeqCst)).collect();
        let reason = String::from_utf8_lossy(&reason).into_owned();
        let count = (self.frame_count.load(SeqCst) as usize).min(FRAMES);
        // A return address is behind the call it belongs to; where a signal came is just there.
        let place = self.place.load(SeqCst);
        let inside = |at: u64| if at == place { at } else { at.saturating_sub(1) };
        let frames =
            self.frames[..count].iter().filter_map(|at| name(inside(at.load(SeqCst)))).collect();
        let is_overflow = self.is_overflow.load(SeqCst) != 0;
        let crash = Crash { reason, printed, frames, is_overflow };
        let is_memory = MEMORY
            .iter()
            .any(|words| crash.printed.contains(words) || crash.reason.contains(words));
        match self.fate.load(SeqCst) {
            fate::PANIC => End::Panic(crash.reason),
            fate::TIME => End::Time(crash),
            fate::NONE if !in_time => End::Time(crash),
            _ if is_memory => End::Memory(crash),
            fate::FATAL => End::Fatal(crash),
            fate::SIGNAL => End::Signal(self.signal.load(SeqCst), crash),
            _ if libc::WIFSIGNALED(status) => End::Signal(libc::WTERMSIG(status), crash),
            _ => End::Exit(libc::WEXITSTATUS(status), crash),
        }
    }
}

fn set(place: &[AtomicU64; 2], value: [u64; 2]) {
    place[0].store(value[0], SeqCst);
    place[1].store(value[1], SeqCst);
}
