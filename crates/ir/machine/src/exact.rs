//! What a function computes, where that is one thing and known to the last bit: to be compared with code.

use choice::Choices;
use irtext::Module;

use crate::code::{Program, Symbol, SymbolKind};
use crate::exec::{Side, execute};
use crate::input::Input;
use crate::inputs::Draw;
use crate::memory::{Byte, Name, Object, UNDEF, write};
use crate::mine::Mined;
use crate::outcome::{Limits, Outcome};

/// The result of a function on an input, and what it left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The bytes of what it returned.
    pub result: Vec<u8>,
    /// What the blocks of the input hold in the end; `None` where anything may be.
    pub blocks: Vec<Vec<Option<u8>>>,
}

/// Inputs as a check would draw them.
pub fn inputs(module: &Module, name: &str, limits: &Limits) -> Vec<Input> {
    let Ok(program) = Program::new(module, name) else { return Vec::new() };
    let Some(place) = program.function(name) else { return Vec::new() };
    let Some(function) = program.functions.get(place as usize) else { return Vec::new() };
    let mut mined = Mined::new(true);
    mined.function(&program, place);
    let draw = Draw::new(function, &mined, program.pointer_bits);
    let mut choices = Choices::new(limits.seed).fork(name);
    (0..limits.inputs).map(|number| draw.input(number, &mut choices)).collect()
}

/// What a function computes on an input; `None` if it is UB, not certain, not one thing, or if the
/// environment has a part in it.
pub fn evaluate(module: &Module, name: &str, input: &Input, limits: &Limits) -> Option<Exact> {
    let program = Program::new(module, name).ok()?;
    let function = program.functions.get(program.function(name)? as usize)?;
    let execution = execute(&program, name, input, &[], Side::Source, limits, false);
    let Outcome::Returned(value) = &execution.outcome else { return None };
    if !execution.events.is_empty() || !execution.taken.is_empty() || execution.incomplete {
        return None;
    }
    let from_elsewhere = |(symbol, block): (&Symbol, &Object)| {
        let open = matches!(&symbol.kind, SymbolKind::Variable(v) if v.initial.is_none());
        open && block.ready && input.globals.iter().all(|(name, _)| **name != *symbol.name)
    };
    if program.symbols.iter().zip(&execution.blocks).any(from_elsewhere) {
        return None;
    }
    let mut bytes = vec![UNDEF; usize::try_from(function.result.size()).ok()?];
    write(&function.result, value, &mut bytes, program.big).ok()?;
    let known = |byte: &Byte| match byte {
        Byte::Bits(bits, 0) => Some(*bits),
        _ => None,
    };
    let result: Option<Vec<u8>> = bytes.iter().map(known).collect();
    let block = |number: usize| {
        let name = Name::Input(u32::try_from(number).ok()?);
        let block = execution.blocks.iter().find(|block| block.name == name)?;
        Some(block.bytes.iter().map(known).collect())
    };
    let blocks: Option<Vec<Vec<Option<u8>>>> = (0..input.blocks.len()).map(block).collect();
    Some(Exact { result: result?, blocks: blocks? })
}
