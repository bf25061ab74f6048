//! Where faults can be planted: the conditional instructions of a compiler's executable.
//!
//! A fault is an inverted condition: of a jump, of a `setcc` or of a `cmovcc`. In all three the
//! condition is the low half of one opcode byte, and its lowest bit inverts it. The code section is
//! decoded from its start to its end: GCC puts nothing but instructions there.
//! Only 64-bit little-endian ELF files that load at a fixed address, as Debian builds `cc1`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use iced_x86::{Decoder, DecoderOptions};

/// A conditional instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// Address of the instruction.
    pub address: u64,
    /// Address of the byte that holds the condition.
    pub condition: u64,
    /// What kind of instruction it is.
    pub kind: ConditionKind,
}

/// Kinds of conditional instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConditionKind {
    /// `jcc`
    Jump,
    /// `setcc`
    Set,
    /// `cmovcc`
    Move,
}

impl ConditionKind {
    /// The kind's name in a list.
    pub fn name(self) -> &'static str {
        match self {
            ConditionKind::Jump => "jump",
            ConditionKind::Set => "set",
            ConditionKind::Move => "move",
        }
    }
}

/// An executable that faults are planted in.
#[derive(Debug)]
pub struct Executable {
    /// The linker's build id, in hexadecimal: what the addresses of a list belong to.
    pub build_id: String,
    /// Its conditional instructions, by address.
    pub sites: Vec<Site>,
}

impl Executable {
    /// Reads and decodes an executable.
    pub fn read(path: &Path) -> Result<Executable> {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let elf = Elf::new(&bytes)
            .with_context(|| format!("{} is not the ELF file expected", path.display()))?;
        if elf.kind != 2 {
            bail!("{} is position-independent; faults need fixed addresses", path.display());
        }
        let text = elf.section(".text").context("no .text section")?;
        let note = elf.section(".note.gnu.build-id").context("no build id")?;
        // The note's header is 16 bytes: three lengths and the name "GNU\0".
        let id = note.bytes.get(16..).context("a short build id")?;
        let build_id = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let sites = conditionals(text.bytes, text.address);
        Ok(Executable { build_id, sites })
    }
}

/// The conditional instructions of a piece of code.
fn conditionals(code: &[u8], start: u64) -> Vec<Site> {
    let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
    let mut sites = Vec::new();
    while decoder.can_decode() {
        let position = decoder.position();
        let instruction = decoder.decode();
        if let Some((offset, kind)) = condition(&code[position..][..instruction.len()]) {
            let address = start + position as u64;
            sites.push(Site { address, condition: address + offset as u64, kind });
        }
    }
    sites
}

/// The condition's place in an instruction, if it has one.
fn condition(bytes: &[u8]) -> Option<(usize, ConditionKind)> {
    let prefix = |byte: u8| matches!(byte, 0x2e | 0x3e | 0x66 | 0xf2 | 0xf3 | 0x40..=0x4f);
    let at = bytes.iter().position(|&byte| !prefix(byte))?;
    match (bytes[at], bytes.get(at + 1)) {
        (0x70..=0x7f, _) => Some((at, ConditionKind::Jump)),
        (0x0f, Some(0x80..=0x8f)) => Some((at + 1, ConditionKind::Jump)),
        (0x0f, Some(0x90..=0x9f)) => Some((at + 1, ConditionKind::Set)),
        (0x0f, Some(0x40..=0x4f)) => Some((at + 1, ConditionKind::Move)),
        _ => None,
    }
}

/// Just enough of an ELF file: its type and its sections.
struct Elf<'a> {
    bytes: &'a [u8],
    kind: u64,
    table: usize,
    count: usize,
    names: usize,
}

/// A section as it lies in the file.
struct Section<'a> {
    address: u64,
    bytes: &'a [u8],
}

impl<'a> Elf<'a> {
    fn new(bytes: &'a [u8]) -> Option<Elf<'a>> {
        // Magic, 64 bits, little-endian, x86-64.
        if bytes.get(..6)? != b"\x7fELF\x02\x01" || number(bytes, 18, 2)? != 62 {
            return None;
        }
        let kind = number(bytes, 16, 2)?;
        let (table, count) = (number(bytes, 40, 8)? as usize, number(bytes, 60, 2)? as usize);
        let mut elf = Elf { bytes, kind, table, count, names: 0 };
        elf.names = elf.field(number(bytes, 62, 2)? as usize, 24)? as usize;
        Some(elf)
    }

    /// Eight bytes at an offset of a section's header.
    fn field(&self, section: usize, offset: usize) -> Option<u64> {
        number(self.bytes, self.table + 64 * section + offset, 8)
    }

    fn section(&self, name: &str) -> Option<Section<'a>> {
        let named = |&section: &usize| {
            let at = number(self.bytes, self.table + 64 * section, 4).unwrap_or(0) as usize;
            let rest = self.bytes.get(self.names + at..).unwrap_or(&[]);
            rest.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
        };
        let section = (0..self.count).find(named)?;
        let (offset, size) = (self.field(section, 24)? as usize, self.field(section, 32)? as usize);
        Some(Section {
            address: self.field(section, 16)?,
            bytes: self.bytes.get(offset..offset.checked_add(size)?)?,
        })
    }
}

fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(len)?)?;
    Some(field.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_found_behind_prefixes() {
        // jne +2; mov; cmovl %eax,%r8d; setg %al; bnd je near; vmovaps; jmp
        let code = [
            0x75, 0x02, 0x89, 0xc7, 0x44, 0x0f, 0x4c, 0xc0, 0x0f, 0x9f, 0xc0, 0xf2, 0x0f, 0x84, 0,
            0, 0, 0, 0xc5, 0xf8, 0x28, 0xc1, 0xeb, 0x70,
        ];
        let got: Vec<(u64, u64, ConditionKind)> = conditionals(&code, 0x1000)
            .iter()
            .map(|s| (s.address - 0x1000, s.condition - 0x1000, s.kind))
            .collect();
        let want = [
            (0, 0, ConditionKind::Jump),
            (4, 6, ConditionKind::Move),
            (8, 9, ConditionKind::Set),
            (11, 13, ConditionKind::Jump),
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn what_is_no_executable_is_refused() {
        assert!(Elf::new(b"\x7fELF\x02\x01").is_none());
        assert!(Elf::new(b"#!/bin/sh\n").is_none());
    }
}
