//! An ELF file as far as coverage needs it: code, functions, names, leaders.
//!
//! Functions are the ranges that `.eh_frame` describes: it is there even where symbols are stripped,
//! and everything in such a range is code. The stubs that call other files (`.plt`) are left out: they
//! say nothing, and may run with signals blocked. In a file that BOLT has rewritten the old place of a
//! function that was moved is described, too, but has no symbol any more. Of symbols only those that name functions are kept, as
//! they stand in the file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gimli::{BaseAddresses, CieOrFde, EhFrame, LittleEndian, UnwindSection as _};
use object::elf;
use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _};
use object::{Endianness, Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

use crate::leaders;

/// Why a file cannot be read as an image.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is not an ELF file for x86-64, or a broken one.
    #[error("{} is not an x86-64 ELF file ({why})", path.display())]
    NotElf {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// Executable bytes of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Link-time address of its first byte.
    pub address: u64,
    /// Its size in the file.
    pub size: u64,
}

/// A range of code that `.eh_frame` describes: a function, or a part of one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct FunctionRange {
    pub start: u64,
    pub end: u64,
}

/// An ELF file and its leaders.
#[derive(Debug)]
pub struct Image {
    path: PathBuf,
    build_id: String,
    origin: u64,
    segments: Vec<Segment>,
    functions: Vec<FunctionRange>,
    symbols: Symbols,
    leaders: Vec<u64>,
    originals: Vec<u8>,
    counters: Option<Segment>,
}

impl Image {
    /// Reads a file and finds its leaders, on all processors.
    pub fn read(path: &Path) -> Result<Image, ImageError> {
        let bytes = fs::read(path)
            .map_err(|error| ImageError::Unreadable { path: path.to_path_buf(), error })?;
        Image::parse(path, &bytes)
            .map_err(|why| ImageError::NotElf { path: path.to_path_buf(), why })
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Image, String> {
        let file = ElfFile64::<Endianness>::parse(bytes).map_err(|error| error.to_string())?;
        let endian = file.endian();
        if file.elf_header().e_machine(endian) != elf::EM_X86_64 || !file.is_little_endian() {
            return Err("it is for another processor".into());
        }
        let mut code = Vec::new();
        let mut origin = u64::MAX;
        for header in file.elf_program_headers() {
            let load = header.p_type(endian) == elf::PT_LOAD;
            if load {
                origin = origin.min(header.p_vaddr(endian) & !0xfff);
            }
            if load && header.p_flags(endian) & elf::PF_X != 0 {
                let bytes = header.data(endian, bytes).unwrap_or(&[]);
                code.push(Code { address: header.p_vaddr(endian), bytes });
            }
        }
        code.sort_by_key(|code| code.address);
        let symbols = symbols(&file);
        let functions = functions(&file, &code, &symbols);
        let leaders = leaders::find(&code, &functions);
        let originals =
            leaders.iter().map(|&leader| at(&code, leader, leader + 1).map_or(0, |b| b[0]));
        let counters = file.section_by_name("__sancov_cntrs");
        Ok(Image {
            path: path.to_path_buf(),
            build_id: build_id(&file, bytes),
            origin,
            segments: code
                .iter()
                .map(|code| Segment { address: code.address, size: code.bytes.len() as u64 })
                .collect(),
            functions,
            symbols,
            originals: originals.collect(),
            leaders,
            counters: counters.map(|s| Segment { address: s.address(), size: s.size() }),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The linker's build id in hexadecimal; a hash of the file where it has none.
    pub fn build_id(&self) -> &str {
        &self.build_id
    }

    /// The page that the first byte of the file is mapped to.
    pub(crate) fn origin(&self) -> u64 {
        self.origin
    }

    /// The executable segments, by address.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Addresses of the first instructions of all blocks, sorted. A block's number is its index.
    pub fn leaders(&self) -> &[u64] {
        &self.leaders
    }

    /// The number of the block that begins at an address.
    pub fn block_at(&self, address: u64) -> Option<u32> {
        self.leaders.binary_search(&address).ok().map(|block| block as u32)
    }

    /// The first byte of each block's first instruction.
    pub(crate) fn originals(&self) -> &[u8] {
        &self.originals
    }

    /// The counters of an instrumented executable.
    pub(crate) fn counters(&self) -> Option<Segment> {
        self.counters
    }

    /// Start and name of the function around an address; the name only where there is a symbol for
    /// the start.
    pub fn function_of(&self, address: u64) -> Option<(u64, Option<&str>)> {
        let after = self.functions.partition_point(|range| range.start <= address);
        let range = self.functions[..after].last().filter(|range| address < range.end)?;
        let name = self.symbols.binary_search_by_key(&range.start, |(start, _)| *start).ok();
        Some((range.start, name.map(|name| &*self.symbols[name].1)))
    }

    /// Addresses of a function and of its parts (`name.cold`).
    pub(crate) fn addresses_of(&self, name: &str) -> impl Iterator<Item = u64> {
        let part = move |n: &str| {
            n.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.symbols.iter().filter(move |(_, n)| part(n)).map(|(address, _)| *address)
    }
}

/// Executable bytes and where they are mapped.
pub(crate) struct Code<'a> {
    pub address: u64,
    pub bytes: &'a [u8],
}

/// The bytes from `start` to `end`, if one segment has them all.
pub(crate) fn at<'a>(code: &[Code<'a>], start: u64, end: u64) -> Option<&'a [u8]> {
    let after = code.partition_point(|code| code.address <= start);
    let code = code[..after].last()?;
    let offset = |address: u64| usize::try_from(address - code.address).ok();
    code.bytes.get(offset(start)?..offset(end)?)
}

/// The ranges of `.eh_frame` that are code and may run, sorted and without overlaps. What cannot be
/// read of it is left out.
fn functions(
    file: &ElfFile64<Endianness>,
    code: &[Code],
    symbols: &[Symbol],
) -> Vec<FunctionRange> {
    let Some(section) = file.section_by_name(".eh_frame") else { return Vec::new() };
    let mut frames = EhFrame::new(section.data().unwrap_or(&[]), LittleEndian);
    frames.set_address_size(8);
    let (stubs, old) = (sections(file, ".plt"), sections(file, ".bolt.org.text"));
    let text = sections(file, ".text").first().map_or(0, |text| text.start);
    let bases = BaseAddresses::default().set_eh_frame(section.address()).set_text(text);
    let mut found = Vec::new();
    let mut entries = frames.entries(&bases);
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        let Ok(fde) = partial.parse(EhFrame::cie_from_offset) else { continue };
        let start = fde.initial_address();
        let end = start.saturating_add(fde.len());
        let within =
            |ranges: &[FunctionRange]| ranges.iter().any(|r| r.start <= start && start < r.end);
        let named = || symbols.binary_search_by_key(&start, |(address, _)| *address).is_ok();
        let moved = within(&old) && !named();
        if start < end && !within(&stubs) && !moved && at(code, start, end).is_some() {
            found.push(FunctionRange { start, end });
        }
    }
    found.sort_unstable();
    let mut last = 0;
    found.retain(|range| {
        let apart = range.start >= last;
        last = if apart { range.end } else { last };
        apart
    });
    found
}

/// Where the sections are whose names begin so.
fn sections(file: &ElfFile64<Endianness>, prefix: &str) -> Vec<FunctionRange> {
    let named = file.sections().filter(|s| s.name().is_ok_and(|name| name.starts_with(prefix)));
    let range = |start: u64, size| FunctionRange { start, end: start.saturating_add(size) };
    named.map(|s| range(s.address(), s.size())).collect()
}

/// Function symbols by address, one for each.
type Symbols = Vec<Symbol>;
type Symbol = (u64, Box<str>);

fn symbols(file: &ElfFile64<Endianness>) -> Symbols {
    let mut symbols: Symbols = file
        .symbols()
        .chain(file.dynamic_symbols())
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition())
        .filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?.into())))
        .collect();
    symbols.sort_unstable();
    symbols.dedup_by_key(|(address, _)| *address);
    symbols
}

fn build_id(file: &ElfFile64<Endianness>, bytes: &[u8]) -> String {
    match file.build_id() {
        Ok(Some(id)) if !id.is_empty() => id.iter().map(|byte| format!("{byte:02x}")).collect(),
        _ => format!("hash-{:016x}", fingerprint(bytes.chunks(8).map(word))),
    }
}

fn word(chunk: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..chunk.len()].copy_from_slice(chunk);
    u64::from_le_bytes(word)
}

/// A hash that distinguishes files that are not forged (FNV over words).
pub(crate) fn fingerprint(words: impl Iterator<Item = u64>) -> u64 {
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        (hash ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(23)
    })
}
