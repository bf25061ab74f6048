//! The interpreter: frames, blocks, instructions.
//!
//! `operate` does what is on values alone, `pointer` and `access` what needs memory, `claims` attributes,
//! `call` calls and the world's answers, `intrinsic` and `library` functions with a known meaning.

mod access;
mod call;
mod claims;
mod intrinsic;
mod lanes;
mod library;
mod masked;
mod operate;
mod pointer;
mod print;
mod show;
mod start;
mod world;

pub(crate) use show::show;

use std::collections::HashMap;

use irtext::Bits;

use crate::code::{Code, Function, Operand, Program};
use crate::input::Input;
use crate::memory::Block;
use crate::outcome::{Event, Execution, Limits, Outcome, Step};
use crate::reason::{ClaimedValue, Reason, Ub};
use crate::value::{Atom, Stop, Value, ub, unknown};

/// On which side of a refinement an execution is. Where versions of LLVM differ in meaning, the source gets the
/// widest and the target the narrowest, so that a difference is no alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before.
    Source,
    /// After.
    Target,
}

/// Executes a function on an input. `script` gives the choices to take; beyond it, the first of each is taken.
pub fn execute(
    program: &Program,
    function: &str,
    input: &Input,
    script: &[u32],
    side: Side,
    limits: &Limits,
    traced: bool,
) -> Execution {
    let mut machine = Machine::new(program, input, script, side, limits);
    machine.steps = traced.then(Vec::new);
    machine.top = program.function(function);
    let outcome = match machine.start(function) {
        Ok(value) => Outcome::Returned(value),
        Err(Stop::Ub(what)) => Outcome::Ub(what),
        Err(Stop::Unknown(why)) => Outcome::Unknown(why),
        Err(Stop::Ended) => Outcome::Ended,
    };
    Execution {
        outcome,
        events: machine.events,
        steps: machine.steps.unwrap_or_default(),
        spent: limits.fuel - machine.fuel,
        blocks: machine.blocks,
        taken: machine.taken,
        incomplete: machine.incomplete,
    }
}

/// What a global holds before anything is executed.
pub(crate) fn global_bytes(
    program: &Program,
    input: &Input,
    symbol: u32,
    side: Side,
) -> Result<Vec<crate::memory::Byte>, Stop> {
    let limits = Limits::default();
    let mut machine = Machine::new(program, input, &[], side, &limits);
    machine.layout()?;
    machine.prepare(symbol)?;
    Ok(machine.blocks[symbol as usize].bytes.clone())
}

pub(crate) struct Machine<'a> {
    program: &'a Program,
    input: &'a Input,
    limits: &'a Limits,
    side: Side,
    /// Symbols first, then the input's blocks, then those that come up.
    blocks: Vec<Block>,
    first_input: u32,
    fuel: u32,
    /// Bytes that may still be allocated or shown.
    room: u64,
    depth: u32,
    script: &'a [u32],
    taken: Vec<(u32, u32)>,
    incomplete: bool,
    events: Vec<Event>,
    /// Calls so far that may have written memory that nobody names, and other memory.
    hidden_writes: u32,
    other_writes: u32,
    /// How many blocks of this execution the world has seen.
    escaped: u32,
    /// Blocks that the world gave, by the question.
    world: HashMap<u64, u32>,
    steps: Option<Vec<Step>>,
    /// The function that was asked for.
    top: Option<u32>,
    /// Tags of accesses are looked at.
    tagged: bool,
}

/// A function being executed.
pub(crate) struct Frame<'a> {
    function: &'a Function,
    registers: Vec<Value>,
    /// Blocks that die when it returns.
    locals: Vec<u32>,
    /// Blocks that its parameters say are not read, or not written: block, reads, writes.
    limits: Vec<(u32, bool, bool)>,
    /// Blocks there were when it began.
    older: u32,
    /// Blocks that its arguments point to.
    arguments: Vec<u32>,
}

impl<'a> Machine<'a> {
    fn new(
        program: &'a Program,
        input: &'a Input,
        script: &'a [u32],
        side: Side,
        limits: &'a Limits,
    ) -> Machine<'a> {
        Machine {
            program,
            input,
            limits,
            side,
            blocks: Vec::new(),
            first_input: program.symbols.len() as u32,
            fuel: limits.fuel,
            room: 4 * crate::lower::LARGEST_BLOCK,
            depth: 0,
            script,
            taken: Vec::new(),
            incomplete: false,
            events: Vec::new(),
            hidden_writes: 0,
            other_writes: 0,
            escaped: 0,
            world: HashMap::new(),
            steps: None,
            top: None,
            tagged: false,
        }
    }

    /// The function that was asked for.
    fn top(&self) -> Option<&'a Function> {
        self.program.functions.get(self.top? as usize)
    }

    /// A choice out of some.
    fn choose(&mut self, of: u32) -> u32 {
        if of <= 1 {
            return 0;
        }
        let choice = self.script.get(self.taken.len()).copied().unwrap_or(0).min(of - 1);
        self.taken.push((choice, of));
        choice
    }

    /// Executes a function to its end.
    fn run(&mut self, function: &'a Function, arguments: Vec<Value>) -> Result<Value, Stop> {
        if let Some(why) = &function.unsupported {
            return unknown(why.clone());
        }
        if self.depth >= self.limits.depth {
            return unknown(Reason::CallsTooDeep);
        }
        self.depth += 1;
        self.tagged |= function.tagged;
        let mut frame = self.enter(function, arguments)?;
        let result = self.body(&mut frame);
        for local in std::mem::take(&mut frame.locals) {
            self.blocks[local as usize].alive = false;
        }
        self.depth -= 1;
        result
    }

    fn body(&mut self, frame: &mut Frame<'a>) -> Result<Value, Stop> {
        let function = frame.function;
        let (mut at, mut from) = (0u32, u32::MAX);
        'blocks: loop {
            let block = &function.blocks[at as usize];
            self.phis(frame, at, from)?;
            for instruction in &block.code {
                if self.fuel == 0 {
                    return unknown(Reason::OutOfFuel);
                }
                self.fuel -= 1;
                let next = match &instruction.code {
                    Code::Ret(value) => {
                        let value = match value {
                            Some(value) => self.operand(frame, value)?,
                            None => Value::many(Vec::new()),
                        };
                        self.step(frame, at, instruction.at, Some(&value));
                        let facts = &function.result_facts;
                        return self.claimed(value, &function.result, facts, ClaimedValue::Result);
                    }
                    Code::Br(to) => *to,
                    Code::CondBr(condition, then, otherwise) => {
                        let condition = self.operand(frame, condition)?;
                        match self.decided(condition.atom()?)?.is_zero() {
                            true => *otherwise,
                            false => *then,
                        }
                    }
                    Code::Switch(on, cases, default) => {
                        let on = self.operand(frame, on)?;
                        let on = self.decided(on.atom()?)?;
                        let case = cases.iter().find(|(value, _)| *value == on);
                        case.map_or(*default, |(_, to)| *to)
                    }
                    Code::Unreachable => return ub(Ub::UnreachableReached),
                    code => {
                        let value = self.evaluate(frame, code);
                        if let Err(stop) = &value {
                            self.step_stopped(frame, at, instruction.at, stop);
                        }
                        let value = value?;
                        self.step(frame, at, instruction.at, Some(&value));
                        if let Some(result) = instruction.result {
                            frame.registers[result as usize] = value;
                        }
                        continue;
                    }
                };
                self.step(frame, at, instruction.at, None);
                (from, at) = (at, next);
                continue 'blocks;
            }
            return unknown(Reason::BlockWithoutTerminator);
        }
    }

    /// All phis of a block at once.
    fn phis(&mut self, frame: &mut Frame<'a>, at: u32, from: u32) -> Result<(), Stop> {
        let block = &frame.function.blocks[at as usize];
        if block.phis.is_empty() {
            return Ok(());
        }
        let mut values = Vec::with_capacity(block.phis.len());
        for phi in &block.phis {
            let Some((_, operand)) = phi.incoming.iter().find(|(block, _)| *block == from) else {
                return unknown(Reason::PhiWithoutPredecessor);
            };
            let value = self.operand(frame, operand)?;
            let value = match phi.format {
                Some(format) => self.fast_value(phi.fast, format, value)?,
                None => value,
            };
            values.push(value);
        }
        for (phi, value) in block.phis.iter().zip(values) {
            self.step(frame, at, phi.at, Some(&value));
            frame.registers[phi.result as usize] = value;
        }
        Ok(())
    }

    /// The one value of a condition.
    fn decided(&self, atom: &Atom) -> Result<Bits, Stop> {
        match atom {
            Atom::Exact(bits) => Ok(bits.clone()),
            Atom::Poison => ub(Ub::BranchOnPoison),
            Atom::Free(_) | Atom::Set(_) | Atom::Range(_) => ub(Ub::BranchOnUndef),
            _ => unknown(Reason::IntegerExpected),
        }
    }

    /// The value of an operand.
    fn operand(&mut self, frame: &Frame<'a>, operand: &'a Operand) -> Result<Value, Stop> {
        match operand {
            Operand::Register(register) => Ok(frame.registers[*register as usize].clone()),
            Operand::Constant(value) => Ok(value.clone()),
            Operand::Expression(code) => {
                // A constant may stand for more operations than anybody has time for.
                self.fuel = match self.fuel.checked_sub(1) {
                    Some(left) => left,
                    None => return unknown(Reason::LargeConstantExpression),
                };
                self.pure(frame, code)
            }
        }
    }
}
