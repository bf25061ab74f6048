//! What a solver said: `unsat`, or an assignment, which is made an input that can be executed.
//!
//! Blocks of memory are as large as the assignment says, up to a limit; bytes of which it says nothing are zero.

use std::collections::BTreeMap;

use irmachine::input::{Datum, Input, InputBlock, InputByte, Place, Scalar};
use irtext::Bits;
use num_bigint::BigUint;

use crate::Question;
use crate::memory::{BYTE, OFFSET, POINTER};
use crate::reason::Undecided;
use crate::smt::reached;
use crate::term::{Node, Sort, Term};
use crate::value::{Kind, Shared};

/// What a solver said.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It cannot be.
    Unsat,
    /// It can, on this input.
    Sat(Box<Input>),
    /// It does not say; why.
    Unknown(Undecided),
}

/// Which values a question asks for, in order.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// Arguments: which parameter, and its parts. Three values each: bits, poison, undefined.
    arguments: Vec<(u32, Kind)>,
    /// Bytes of initial memory: an address and a byte each.
    bytes: u32,
    /// Sizes of blocks, and where they begin: a block, a size or an address each.
    sizes: u32,
    addresses: u32,
    /// Names and sizes of globals by their blocks.
    globals: BTreeMap<u16, (String, u64)>,
}

/// No block of an input is made larger.
const LARGEST: u64 = 4096;

/// The alignment of blocks: what is asked for is seldom more.
const ALIGN: u64 = 64;

impl Reader {
    pub(crate) fn new(shared: &mut Shared, goal: Term) -> (Reader, Vec<Term>) {
        let mut reader = Reader::default();
        let mut values = Vec::new();
        let no = shared.terms.bool(false);
        for (name, input) in &shared.inputs {
            let index = name.strip_prefix("argument ").and_then(|rest| rest.split('.').next());
            let Some(index) = index.and_then(|index| index.parse().ok()) else { continue };
            reader.arguments.push((index, input.kind));
            values.extend([input.value, input.poison, input.undef.unwrap_or(no)]);
        }
        let (mut sizes, mut addresses) = (Vec::new(), Vec::new());
        for term in reached(&shared.terms, &[goal]) {
            let Node::Apply(symbol, arguments) = shared.terms.node(term) else { continue };
            if !shared.terms.choices(term).is_empty() {
                continue;
            }
            match shared.terms.symbol_info(*symbol).name.as_str() {
                "memory.0" => {
                    reader.bytes += 1;
                    values.extend([arguments[0], term]);
                }
                "size" => {
                    reader.sizes += 1;
                    sizes.extend([arguments[0], term]);
                }
                "address" => {
                    reader.addresses += 1;
                    addresses.extend([arguments[0], term]);
                }
                _ => {}
            }
        }
        values.extend(sizes);
        values.extend(addresses);
        for (key, block) in &shared.blocks {
            if let (Some(name), Some(number)) =
                (key.strip_prefix('@'), shared.terms.as_number(*block))
            {
                let size =
                    shared.memory.known(*block).filter(|k| !k.constant).map_or(0, |k| k.size);
                reader.globals.insert(number as u16, (name.to_string(), size));
            }
        }
        debug_assert!(
            values.iter().all(|v| matches!(shared.terms.sort(*v), Sort::Bool | Sort::Bits(_)))
        );
        (reader, values)
    }
}

/// Reads the answer to a question.
pub fn read(question: &Question, answer: &str) -> Answer {
    let answer = answer.trim_start();
    let (first, rest) = answer.split_once(['\n', ' ']).unwrap_or((answer, ""));
    match first.trim() {
        "unsat" => Answer::Unsat,
        "sat" => match values(rest) {
            Some(values) => match input(&question.reader, &values) {
                Some(input) => Answer::Sat(Box::new(input)),
                None => Answer::Unknown(Undecided::NotUnderstood),
            },
            None => Answer::Unknown(Undecided::NotUnderstood),
        },
        "unknown" | "timeout" => Answer::Unknown(Undecided::GaveUp),
        "" => Answer::Unknown(Undecided::Silent),
        other => Answer::Unknown(Undecided::Said(other.into())),
    }
}

/// The values of a list of pairs, in order.
fn values(text: &str) -> Option<Vec<Bits>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Vec::new());
    }
    let mut depth = 0;
    let mut start = 0;
    let mut result = Vec::new();
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '|' => quoted = !quoted,
            '(' if !quoted => {
                depth += 1;
                if depth == 2 {
                    start = at;
                }
            }
            ')' if !quoted => {
                if depth == 2 {
                    result.push(last_value(&text[start + 1..at])?);
                }
                depth -= 1;
                if depth == 0 {
                    return Some(result);
                }
            }
            _ => {}
        }
    }
    None
}

/// The value at the end of a pair.
fn last_value(pair: &str) -> Option<Bits> {
    let pair = pair.trim_end();
    if let Some(inner) = pair.strip_suffix(')') {
        let inner = &inner[inner.rfind("(_ bv")? + 5..];
        let (value, width) = inner.split_once(' ')?;
        return Some(Bits::of_big(width.trim().parse().ok()?, &value.parse().ok()?));
    }
    let word = pair.rsplit(char::is_whitespace).next()?;
    if let Some(digits) = word.strip_prefix("#x") {
        let value = BigUint::parse_bytes(digits.as_bytes(), 16)?;
        return Some(Bits::of_big(digits.len() as u32 * 4, &value));
    }
    if let Some(digits) = word.strip_prefix("#b") {
        let value = BigUint::parse_bytes(digits.as_bytes(), 2)?;
        return Some(Bits::of_big(digits.len() as u32, &value));
    }
    match word {
        "true" => Some(Bits::new(1, 1)),
        "false" => Some(Bits::new(1, 0)),
        _ => None,
    }
}

/// Blocks of the assignment as blocks of an input.
struct Blocks<'a> {
    reader: &'a Reader,
    sizes: BTreeMap<u16, u64>,
    numbers: BTreeMap<u16, u32>,
    /// Where a block begins for the input: solvers like far offsets, executions do not.
    starts: BTreeMap<u16, u64>,
}

impl Blocks<'_> {
    fn place(&mut self, pointer: u128) -> Place {
        let block = (pointer >> OFFSET) as u16;
        let start = self.starts.get(&block).copied().unwrap_or(0);
        let offset = (pointer as u64).wrapping_sub(start) as i64;
        if block == 0 {
            return if offset == 0 { Place::Null } else { Place::Address(offset as u64) };
        }
        if let Some((name, _)) = self.reader.globals.get(&block) {
            return Place::Global { name: name.clone(), offset };
        }
        let next = self.numbers.len() as u32;
        let block = *self.numbers.entry(block).or_insert(next);
        Place::Block { block, offset }
    }
}

fn input(reader: &Reader, values: &[Bits]) -> Option<Input> {
    let mut values = values.iter();
    let mut next = || values.next();
    let mut given = Vec::new();
    for (index, kind) in &reader.arguments {
        let (bits, poison, undef) = (next()?, next()?, next()?);
        given.push((*index, *kind, bits.clone(), poison.bit(0), undef.bit(0)));
    }
    let mut bytes = Vec::new();
    for _ in 0..reader.bytes {
        bytes.push((next()?.small()?, next()?.small()?));
    }
    let mut pairs = |count: u32| -> Option<BTreeMap<u16, u64>> {
        (0..count).map(|_| Some((next()?.small()? as u16, next()?.small()? as u64))).collect()
    };
    let (sizes, addresses) = (pairs(reader.sizes)?, pairs(reader.addresses)?);
    let mut starts: BTreeMap<u16, u64> = BTreeMap::new();
    let pointers = given.iter().filter(|(_, kind, ..)| *kind == Kind::Pointer);
    let places = pointers.filter_map(|(_, _, bits, ..)| bits.small());
    for place in places.chain(bytes.iter().map(|(address, _)| *address)) {
        let (block, offset) = ((place >> OFFSET) as u16, place as u64);
        if block != 0 && !reader.globals.contains_key(&block) {
            let start = starts.entry(block).or_insert(u64::MAX);
            *start = (*start).min(offset);
        }
    }
    // Alignments stay what they are.
    for (block, start) in &mut starts {
        let address = addresses.get(block).copied().unwrap_or(0);
        *start = start.wrapping_sub(address.wrapping_add(*start) % ALIGN);
    }
    let mut blocks = Blocks { reader, sizes, numbers: BTreeMap::new(), starts };
    let mut arguments: Vec<Vec<Datum>> = Vec::new();
    for (index, kind, bits, poison, undef) in given {
        arguments.resize(arguments.len().max(index as usize + 1), Vec::new());
        let scalar = match kind {
            _ if poison => Scalar::Poison,
            _ if undef => Scalar::Undef,
            Kind::Pointer => Scalar::Pointer(blocks.place(bits.small()?)),
            _ => Scalar::Bits(bits),
        };
        arguments[index as usize].push(Datum::Scalar(scalar));
    }
    // Bytes lie in blocks that only they speak of, too.
    let mut contents: BTreeMap<u16, BTreeMap<u64, InputByte>> = BTreeMap::new();
    for (address, byte) in bytes {
        let block = (address >> OFFSET) as u16;
        blocks.place(address);
        let byte = read_byte(byte, &mut blocks);
        let start = blocks.starts.get(&block).copied().unwrap_or(0);
        let offset = (address as u64).wrapping_sub(start);
        contents.entry(block).or_default().insert(offset, byte);
    }
    let filled = |held: &BTreeMap<u64, InputByte>, size: u64| -> Vec<InputByte> {
        (0..size).map(|at| held.get(&at).cloned().unwrap_or(InputByte::Bits(0))).collect()
    };
    let mut made = vec![InputBlock { bytes: Vec::new(), align: ALIGN }; blocks.numbers.len()];
    for (block, number) in &blocks.numbers {
        let held = contents.remove(block).unwrap_or_default();
        let least = held.keys().filter(|k| **k < LARGEST).max().map_or(0, |last| last + 1);
        let start = blocks.starts.get(block).copied().unwrap_or(0);
        let size = blocks.sizes.get(block).map_or(64, |size| size.wrapping_sub(start));
        let size = size.clamp(least, LARGEST);
        made[*number as usize].bytes = filled(&held, size);
    }
    let globals = (reader.globals.iter())
        .filter(|(_, (_, size))| (1..=LARGEST).contains(size))
        .filter_map(|(block, (name, size))| {
            contents.get(block).map(|held| (name.clone(), filled(held, *size)))
        })
        .collect();
    let arguments = arguments
        .into_iter()
        .map(|mut parts| if parts.len() == 1 { parts.remove(0) } else { Datum::Many(parts) })
        .collect();
    Some(Input { arguments, blocks: made, globals, environment: 0 })
}

/// A byte as the question has it; those of initial memory lack two bits of the pointer.
fn read_byte(byte: u128, blocks: &mut Blocks) -> InputByte {
    let pointer = POINTER - 2;
    let top = BYTE - 2;
    let bit = |at: u32| byte >> at & 1 == 1;
    if bit(top - 9) {
        return InputByte::Poison;
    }
    if bit(top - 10) {
        let place = blocks.place(byte & ((1 << pointer) - 1));
        return InputByte::Pointer(place, (byte >> pointer & 7) as u8);
    }
    InputByte::Bits((byte >> (top - 8)) as u8)
}
