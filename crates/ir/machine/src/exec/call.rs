//! Calls, and what the world sees when it is called.

use super::{Frame, Machine};
use crate::code::{Call, Callee, SymbolKind};
use crate::memory::{Byte, Name};
use crate::outcome::Event;
use crate::reason::{ClaimedValue, Reason, Ub};
use crate::value::{Atom, Pointer, Stop, Value, ub, unknown};

impl<'a> Machine<'a> {
    /// A call.
    pub(super) fn call(&mut self, frame: &mut Frame<'a>, call: &'a Call) -> Result<Value, Stop> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for (operand, _, _) in &call.arguments {
            arguments.push(self.operand(frame, operand)?);
        }
        let (function, name) = match &call.callee {
            Callee::Intrinsic(intrinsic) => {
                return self.intrinsic(frame, *intrinsic, call, arguments);
            }
            Callee::Library(library) => return self.library(frame, library, call, arguments),
            Callee::Known(symbol) => match self.program.symbols[*symbol as usize].kind {
                SymbolKind::Function(Some(place)) => (Some(place), None),
                _ => return unknown(Reason::CallWithoutBody),
            },
            Callee::World(name) => (None, Some(name.clone())),
            Callee::Indirect(operand) => match self.atom_of(frame, operand)? {
                Atom::Pointer(Pointer::Block { block, offset: 0 })
                    if (block as usize) < self.program.symbols.len() =>
                {
                    self.indirect(block, call, arguments.len())?
                }
                Atom::Poison | Atom::Free(_) => return ub(Ub::CallThroughUndef),
                Atom::Pointer(Pointer::Address(0)) => return ub(Ub::CallThroughNull),
                _ => return unknown(Reason::IndirectCallTarget),
            },
        };
        for (value, (_, shape, facts)) in arguments.iter_mut().zip(&call.arguments) {
            *value = self.claimed(value.clone(), shape, facts, ClaimedValue::Argument)?;
        }
        match (function, name) {
            (Some(place), _) => {
                let function = &self.program.functions[place as usize];
                let value = self.run(function, arguments)?;
                if call.no_return {
                    return ub(Ub::NoreturnReturned);
                }
                if call.facts.noalias {
                    return unknown(Reason::NoaliasResult);
                }
                self.claimed(value, &call.result, &call.facts, ClaimedValue::CallResult)
            }
            (None, Some(name)) => self.ask(&name, call, arguments),
            (None, None) => unknown(Reason::CallWithoutBody),
        }
    }

    /// A function found by its address, if it has the type that the call says.
    #[allow(clippy::type_complexity)] // A pair as in `call`.
    fn indirect(
        &self,
        symbol: u32,
        call: &Call,
        count: usize,
    ) -> Result<(Option<u32>, Option<std::sync::Arc<str>>), Stop> {
        let symbol = &self.program.symbols[symbol as usize];
        match symbol.kind {
            SymbolKind::Function(Some(place)) => {
                let function = &self.program.functions[place as usize];
                let same = function.params.len() == count
                    && function.result == call.result
                    && function.params.iter().zip(&call.arguments).all(|(p, a)| p.0 == a.1);
                match same && crate::library::Library::of(&symbol.name).is_none() {
                    true => Ok((Some(place), None)),
                    false => unknown(Reason::IndirectCallType),
                }
            }
            SymbolKind::Function(None) => unknown(Reason::IndirectCallDeclared),
            _ => ub(Ub::CallOfOther),
        }
    }

    /// Asks the world.
    fn ask(&mut self, name: &str, call: &'a Call, arguments: Vec<Value>) -> Result<Value, Stop> {
        let effects = call.effects;
        // Who may write or does not come back is an event; others may as well not have been called, or twice: here
        // they return. What is written through arguments alone may never be looked at, and the call be left out.
        let event = effects.hidden.write || effects.other.write || call.no_return;
        let seen = self.seen(call, &arguments)?;
        let answer = self.answer(name, call, &arguments)?;
        if event {
            let shapes = call.arguments.iter().map(|(_, shape, _)| shape.clone());
            let mut shown: Vec<_> = arguments.iter().cloned().zip(shapes).collect();
            for ((value, _), (_, _, facts)) in shown.iter_mut().zip(&call.arguments) {
                if facts.byval.is_some() {
                    // What is passed is the memory, not the address.
                    *value = Value::many(Vec::new());
                }
            }
            // Who reads nothing writes the same again: twice is once.
            let again = !effects.reads()
                && matches!(self.events.last(), Some(Event::Call { name: last, arguments, .. })
                    if last == name && *arguments == shown);
            if !again {
                self.events.push(Event::Call { name: name.into(), arguments: shown, seen });
            }
        }
        self.hidden_writes += u32::from(effects.hidden.write);
        self.other_writes += u32::from(effects.other.write);
        if call.no_return {
            return Err(Stop::Ended);
        }
        Ok(answer)
    }

    /// The memory that a callee of the world may look at, and what it gets hold of by that.
    fn seen(
        &mut self,
        call: &'a Call,
        arguments: &[Value],
    ) -> Result<Vec<(Name, Vec<Byte>)>, Stop> {
        let mut kept = Vec::new();
        let mut shown = Vec::new();
        for (value, (_, _, facts)) in arguments.iter().zip(&call.arguments) {
            for block in blocks_of(value) {
                if facts.nocapture || facts.byval.is_some() { &mut shown } else { &mut kept }
                    .push(block);
            }
        }
        // Who keeps nothing and writes nothing anywhere leaves nobody else with a pointer.
        if call.effects.writes() || call.result != crate::shape::Shape::Void {
            for block in self.reachable(kept.clone())? {
                self.escape(block);
            }
        }
        if !call.effects.reads() {
            return Ok(Vec::new());
        }
        let mut roots: Vec<u32> = Vec::new();
        for (value, (_, _, facts)) in arguments.iter().zip(&call.arguments) {
            // What is only written through a pointer is not looked at.
            if call.effects.arguments.read && !facts.writeonly {
                roots.extend(blocks_of(value));
            }
        }
        if call.effects.other.read {
            roots.extend(self.outside());
        }
        let mut seen = Vec::new();
        for block in self.reachable(roots)? {
            let held = &self.blocks[block as usize];
            if held.writable && held.alive && !matches!(held.name, Name::Symbol(_) if !held.ready) {
                let shown = (held.name.clone(), held.bytes.clone());
                self.spend(shown.1.len() as u64 + 64)?;
                seen.push(shown);
            }
        }
        Ok(seen)
    }

    /// Blocks that anybody may reach: globals that others can name, the input's, and what has escaped.
    fn outside(&self) -> Vec<u32> {
        let exclusive = self.exclusive_inputs();
        let is_outside = |number: usize| {
            let held = &self.blocks[number];
            match &held.name {
                Name::Symbol(_) => match &self.program.symbols[number].kind {
                    SymbolKind::Variable(variable) => {
                        held.ready && !variable.local && !variable.constant
                    }
                    _ => false,
                },
                Name::Input(block) => !exclusive.contains(block) || held.escaped,
                Name::World(_) => !held.heap || held.escaped,
                Name::Escaped(_) => held.alive,
                Name::Local(_) => false,
            }
        };
        (0..self.blocks.len()).filter(|n| is_outside(*n)).map(|n| n as u32).collect()
    }

    /// Blocks of the input that only the function itself may touch while it runs.
    fn exclusive_inputs(&self) -> Vec<u32> {
        let exclusive =
            |(argument, facts): (&crate::input::Datum, &crate::facts::Facts)| match argument {
                crate::input::Datum::Scalar(crate::input::Scalar::Pointer(
                    crate::input::Place::Block { block, .. },
                )) if facts.noalias || facts.byval.is_some() => Some(*block),
                _ => None,
            };
        let Some(function) = self.top() else { return Vec::new() };
        let facts = function.params.iter().map(|(_, facts)| facts);
        self.input.arguments.iter().zip(facts).filter_map(exclusive).collect()
    }

    /// Blocks that lead on from some, themselves among them, in order.
    pub(super) fn reachable(&mut self, from: Vec<u32>) -> Result<Vec<u32>, Stop> {
        let mut found = std::collections::BTreeSet::new();
        let mut open = from;
        while let Some(block) = open.pop() {
            if !found.insert(block) {
                continue;
            }
            let is_other = (block as usize) < self.program.symbols.len()
                && !matches!(self.program.symbols[block as usize].kind, SymbolKind::Variable(_));
            if is_other {
                continue;
            }
            self.prepare(block)?;
            for byte in &self.blocks[block as usize].bytes {
                if let Byte::Part(whole, 0) = byte {
                    open.extend(blocks_of(&Value::One(whole.atom.clone())));
                }
            }
        }
        Ok(found.into_iter().collect())
    }

    /// The world may reach a block from now on.
    fn escape(&mut self, block: u32) {
        let held = &mut self.blocks[block as usize];
        held.escaped = true;
        if let Name::Local(_) = held.name {
            held.name = Name::Escaped(self.escaped);
            self.escaped += 1;
        }
    }
}

/// Blocks that a value points to.
fn blocks_of(value: &Value) -> Vec<u32> {
    match value {
        Value::Many(parts) => parts.iter().flat_map(blocks_of).collect(),
        Value::One(Atom::Pointer(Pointer::Block { block, .. })) => vec![*block],
        Value::One(Atom::Set(set)) => {
            set.of.iter().flat_map(|atom| blocks_of(&Value::One(atom.clone()))).collect()
        }
        _ => Vec::new(),
    }
}
