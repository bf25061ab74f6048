//! One process: what it has mapped, its memory, its breakpoints.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use nix::libc;

use super::{Reached, ptrace};
use crate::Image;
use crate::leaders::INT3;

/// The entry of the auxiliary vector that tells where the program begins.
const AT_ENTRY: u64 = 9;

/// A file in a process, with breakpoints.
#[derive(Clone, Copy)]
pub struct MappedImage {
    /// What is added to its addresses.
    pub bias: u64,
    /// Its number.
    pub image: usize,
}

/// A process or a thread.
#[derive(Default)]
pub struct Tracee {
    pid: libc::pid_t,
    /// It has yet to stop for the first time.
    pub new: bool,
    modules: Vec<MappedImage>,
    /// Where it begins, and the byte there, until it has.
    entry: Option<(u64, u8)>,
    memory: Option<File>,
}

impl Tracee {
    /// One that has just executed a file.
    pub fn new(pid: libc::pid_t) -> Tracee {
        Tracee { pid, ..Tracee::default() }
    }

    /// One that this one has started: in a copy of its memory, or in the same.
    pub fn fork(&self, child: libc::pid_t, new: bool) -> Tracee {
        Tracee { pid: child, new, modules: self.modules.clone(), entry: None, memory: None }
    }

    /// The file it executes.
    pub fn executable(&self) -> Option<PathBuf> {
        fs::read_link(format!("/proc/{}/exe", self.pid)).ok()
    }

    /// The files that it has mapped, and where their first bytes are.
    pub fn mapped(&self) -> BTreeMap<PathBuf, u64> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.pid)).unwrap_or_default();
        let mut found = BTreeMap::new();
        for line in maps.lines() {
            // Addresses, protection, offset, device, inode, and the path, which may contain blanks.
            let mut fields = line.splitn(6, ' ');
            let start = fields.next().and_then(|range| range.split('-').next());
            let start = start.and_then(|start| u64::from_str_radix(start, 16).ok());
            let (offset, path) = (fields.nth(1), fields.nth(2).map(str::trim_start));
            if let (Some(start), Some("00000000"), Some(path)) = (start, offset, path)
                && path.starts_with('/')
            {
                found.entry(PathBuf::from(path)).or_insert(start);
            }
        }
        found
    }

    /// Files with breakpoints.
    pub fn modules(&self) -> &[MappedImage] {
        &self.modules
    }

    /// The file with breakpoints that an address belongs to.
    pub fn module_at(&self, address: u64, images: &[Reached]) -> Option<MappedImage> {
        let has = |module: &&MappedImage| {
            let address = address.wrapping_sub(module.bias);
            let segments = images[module.image].image.segments();
            segments.iter().any(|s| address.wrapping_sub(s.address) < s.size)
        };
        self.modules.iter().find(has).copied()
    }

    /// Puts breakpoints at all leaders of a file. Nothing happens if its code is not what it should be.
    pub fn arm(&mut self, module: MappedImage, image: &Image) {
        if self.modules.iter().any(|m| m.image == module.image) {
            return;
        }
        let mut writes = Vec::new();
        for segment in image.segments() {
            let leaders = image.leaders();
            let first = leaders.partition_point(|&l| l < segment.address);
            let end =
                leaders.partition_point(|&l| l < segment.address.saturating_add(segment.size));
            if first == end {
                continue;
            }
            let at = module.bias.wrapping_add(segment.address);
            let Some(mut code) = self.read(at, segment.size as usize) else { return };
            for block in first..end {
                let byte = &mut code[(leaders[block] - segment.address) as usize];
                if *byte != image.originals()[block] {
                    return;
                }
                *byte = INT3;
            }
            writes.push((at, code));
        }
        for (at, code) in writes {
            self.write(at, &code);
        }
        self.modules.push(module);
    }

    /// Puts a breakpoint where the program begins, if it is of our kind.
    pub fn stop_at_entry(&mut self, executable: &Path) {
        let mut head = [0; 20];
        let read = File::open(executable).and_then(|mut file| file.read_exact(&mut head));
        // Magic, 64 bits, little-endian; x86-64.
        if read.is_err() || !head.starts_with(b"\x7fELF\x02\x01") || head[18..] != [62, 0] {
            return;
        }
        let vector = fs::read(format!("/proc/{}/auxv", self.pid)).unwrap_or_default();
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &b| sum << 8 | u64::from(b));
        let mut pairs = vector.chunks_exact(16).map(|pair| (word(&pair[..8]), word(&pair[8..])));
        let Some((_, entry)) = pairs.find(|(key, _)| *key == AT_ENTRY) else { return };
        if let Some(byte) = self.read(entry, 1) {
            self.write(entry, &[INT3]);
            self.entry = Some((entry, byte[0]));
        }
    }

    /// Whether this is where it begins; then that breakpoint is gone.
    pub fn at_entry(&mut self, address: u64) -> bool {
        let Some((_, byte)) = self.entry.take_if(|(entry, _)| *entry == address) else {
            return false;
        };
        self.write(address, &[byte]);
        true
    }

    /// Bytes of its memory.
    pub fn read(&mut self, at: u64, size: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; size];
        self.memory()?.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    }

    /// Writes to its memory, whether it may be written or not. If that fails it is about to die.
    pub fn write(&mut self, at: u64, bytes: &[u8]) {
        if let Some(memory) = self.memory() {
            let _ = memory.write_all_at(bytes, at);
        }
    }

    fn memory(&mut self) -> Option<&File> {
        if self.memory.is_none() {
            self.memory = ptrace::memory(self.pid).ok();
        }
        self.memory.as_ref()
    }
}
