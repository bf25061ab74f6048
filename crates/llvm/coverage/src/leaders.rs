//! Leaders: the first instructions of basic blocks, by linear decoding of functions.
//!
//! A leader is the start of a function, the target of a direct jump, what follows a conditional
//! jump, and what follows an instruction that does not go on, padding aside: targets of jump tables
//! stand there. What is no instruction start of the decoding is dropped (a jump over a `lock`
//! prefix), as a breakpoint there would change another instruction.

use std::thread;

use iced_x86::{Code as Opcode, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};

use crate::image::{Code, FunctionRange, at};

/// Functions that begin in the same so many bytes (a power of two) are decoded together: little enough
/// that threads get about the same.
const CHUNK: u32 = 20;

/// The leaders of all functions, sorted.
pub(crate) fn find(code: &[Code], functions: &[FunctionRange]) -> Vec<u64> {
    let chunks: Vec<&[FunctionRange]> =
        functions.chunk_by(|a, b| a.start >> CHUNK == b.start >> CHUNK).collect();
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    let share = chunks.len().div_ceil(threads).max(1);
    let decoded: Vec<Chunk> = thread::scope(|scope| {
        let work =
            |part: &[&[FunctionRange]]| part.iter().map(|f| Chunk::decode(code, f)).collect();
        let parts: Vec<_> = chunks
            .chunks(share)
            .map(|part| scope.spawn(move || -> Vec<Chunk> { work(part) }))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    });
    let is_start = |&address: &u64| {
        let after = decoded.partition_point(|chunk| chunk.start <= address);
        decoded[..after].last().is_some_and(|chunk| chunk.is_start(address))
    };
    let targets = decoded.iter().flat_map(|chunk| chunk.targets.iter().copied()).filter(is_start);
    let mut leaders: Vec<u64> =
        decoded.iter().flat_map(|chunk| chunk.leaders.iter().copied()).chain(targets).collect();
    leaders.sort_unstable();
    leaders.dedup();
    // A breakpoint that is there already cannot be told from ours.
    leaders.retain(|&leader| at(code, leader, leader + 1).is_some_and(|byte| byte[0] != INT3));
    leaders
}

/// The breakpoint instruction.
pub(crate) const INT3: u8 = 0xcc;

/// What decoding some functions found.
#[derive(Default)]
struct Chunk {
    /// Address of the first function.
    start: u64,
    /// A bit for each address: an instruction begins there.
    starts: Vec<u64>,
    leaders: Vec<u64>,
    /// Targets of jumps, anywhere.
    targets: Vec<u64>,
}

impl Chunk {
    fn decode(code: &[Code], functions: &[FunctionRange]) -> Chunk {
        let start = functions.first().map_or(0, |range| range.start);
        let end = functions.last().map_or(0, |range| range.end);
        let mut chunk = Chunk {
            start,
            starts: vec![0; ((end - start) as usize).div_ceil(64)],
            ..Chunk::default()
        };
        for range in functions {
            if let Some(bytes) = at(code, range.start, range.end) {
                chunk.function(range.start, bytes);
            }
        }
        chunk
    }

    fn function(&mut self, start: u64, bytes: &[u8]) {
        let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        // Whether the next instruction begins a block; padding does not count.
        let mut begins = true;
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            let (ip, opcode) = (instruction.ip(), instruction.code());
            if opcode == Opcode::INVALID {
                // Not code, or code that we do not know: nothing after it is certain.
                return;
            }
            let offset = (ip - self.start) as usize;
            self.starts[offset / 64] |= 1 << (offset % 64);
            let padding = matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3);
            if begins && (!padding || ip == start) {
                self.leaders.push(ip);
                begins = false;
            }
            match opcode.flow_control() {
                FlowControl::ConditionalBranch
                | FlowControl::UnconditionalBranch
                | FlowControl::XbeginXabortXend => {
                    self.targets.push(instruction.near_branch_target());
                    begins = true;
                }
                FlowControl::IndirectBranch | FlowControl::Return | FlowControl::Exception => {
                    begins = true;
                }
                _ => {}
            }
        }
    }

    fn is_start(&self, address: u64) -> bool {
        let offset = (address - self.start) as usize;
        self.starts.get(offset / 64).is_some_and(|word| word >> (offset % 64) & 1 == 1)
    }
}
