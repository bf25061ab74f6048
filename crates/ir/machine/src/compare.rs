//! Whether what the target did on an input is allowed by what the source may do.
//!
//! Behaviours are compared as others see them: calls and volatile accesses in order, the result, and memory
//! that outlives the function. Blocks are told apart by names that both sides share.

use std::collections::HashMap;

use crate::code::{Program, SymbolKind};
use crate::exec::{Side, global_bytes, show};
use crate::float;
use crate::input::Input;
use crate::memory::{self, Block, Byte, Name, Whole};
use crate::outcome::{Event, Execution, Outcome};
use crate::reason::Reason;
use crate::shape::Shape;
use crate::value::{Atom, Pointer, Value};

use std::sync::Arc;

/// Why a target's behaviour is not the source's.
pub(crate) enum Difference {
    /// It is not allowed: one sentence.
    Wrong(String),
    /// It cannot be decided: why.
    Unknown(Reason),
}

type Judged = Result<(), Difference>;

fn wrong(what: impl Into<String>) -> Judged {
    Err(Difference::Wrong(what.into()))
}

fn cannot_tell(why: Reason) -> Judged {
    Err(Difference::Unknown(why))
}

/// Both sides of one input.
pub(crate) struct Pair<'a> {
    pub before: &'a Program,
    pub after: &'a Program,
    pub input: &'a Input,
    pub source: &'a Execution,
    pub target: &'a Execution,
}

impl Pair<'_> {
    /// Whether the target's behaviour is the source's, or better.
    pub(crate) fn judge(&self, result: &Shape) -> Judged {
        let names: HashMap<&Name, u32> = self
            .source
            .blocks
            .iter()
            .enumerate()
            .map(|(number, block)| (&block.name, number as u32))
            .collect();
        let judge = Judge { pair: self, names };
        judge.events()?;
        match (&self.source.outcome, &self.target.outcome) {
            (Outcome::Ended, Outcome::Ended) => Ok(()),
            (Outcome::Returned(source), Outcome::Returned(target)) => {
                judge.value(result, source, target, "the result")?;
                judge.memory()
            }
            (Outcome::Ended, _) => {
                wrong("the source ends in a call that does not return, the target does not")
            }
            (_, Outcome::Ended) => {
                wrong("the target ends in a call that does not return, the source does not")
            }
            _ => cannot_tell(Reason::NoResult),
        }
    }
}

struct Judge<'a> {
    pair: &'a Pair<'a>,
    names: HashMap<&'a Name, u32>,
}

impl Judge<'_> {
    fn events(&self) -> Judged {
        let (source, target) = (&self.pair.source.events, &self.pair.target.events);
        for (number, (a, b)) in source.iter().zip(target).enumerate() {
            let at = format!("event {}", number + 1);
            match (a, b) {
                (
                    Event::Call { name, arguments, seen },
                    Event::Call { name: other, arguments: others, seen: others_seen },
                ) => {
                    if name != other || arguments.len() != others.len() {
                        return wrong(format!(
                            "{at}: the source calls @{name}, the target @{other}"
                        ));
                    }
                    for (index, ((a, shape), (b, other))) in
                        arguments.iter().zip(others).enumerate()
                    {
                        if shape != other {
                            return cannot_tell(Reason::CallType);
                        }
                        self.value(
                            shape,
                            a,
                            b,
                            &format!("{at}, argument {} of @{name}", index + 1),
                        )?;
                    }
                    self.seen(seen, others_seen, &format!("{at}, call of @{name}"))?;
                }
                (Event::Output(a), Event::Output(b)) => {
                    if a != b {
                        let (a, b) = (a.escape_ascii(), b.escape_ascii());
                        return wrong(format!("the source prints \"{a}\", the target \"{b}\""));
                    }
                }
                (Event::VolatileLoad(a, size), Event::VolatileLoad(b, other)) if size == other => {
                    self.pointer(a, b, &at)?;
                }
                (
                    Event::VolatileStore(a, size, value, shape),
                    Event::VolatileStore(b, other, written, as_shape),
                ) if size == other => {
                    self.pointer(a, b, &at)?;
                    if shape != as_shape {
                        return cannot_tell(Reason::VolatileStoreType);
                    }
                    self.value(shape, value, written, &at)?;
                }
                _ => {
                    return wrong(format!(
                        "{at}: the source does {}, the target {}",
                        kind(a),
                        kind(b)
                    ));
                }
            }
        }
        match source.len().cmp(&target.len()) {
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Less => wrong(format!(
                "the target does {} that the source does not",
                kind(&target[source.len()])
            )),
            std::cmp::Ordering::Greater => {
                wrong(format!("the target lacks {}", kind(&source[target.len()])))
            }
        }
    }

    fn pointer(&self, a: &Value, b: &Value, what: &str) -> Judged {
        self.value(&Shape::Pointer { space: 0, bits: 64 }, a, b, what)
    }

    /// What a callee saw.
    fn seen(
        &self,
        source: &[(Name, Vec<Byte>)],
        target: &[(Name, Vec<Byte>)],
        what: &str,
    ) -> Judged {
        for (name, bytes) in source {
            if matches!(name, Name::Local(_)) {
                continue;
            }
            if let Some((_, others)) = target.iter().find(|(other, _)| other == name) {
                self.bytes(name, bytes, others, what)?;
            }
        }
        // Blocks that were only shown have no name; the first of one side is the first of the other.
        let local = |all: &[(Name, Vec<Byte>)]| -> Vec<Vec<Byte>> {
            let locals = all.iter().filter(|(name, _)| matches!(name, Name::Local(_)));
            locals.map(|(_, bytes)| bytes.clone()).collect()
        };
        let (a, b) = (local(source), local(target));
        if a.len() != b.len() || a.len() > 1 {
            return if a.is_empty() && b.is_empty() {
                Ok(())
            } else {
                cannot_tell(Reason::LocalSeenByCall)
            };
        }
        for (a, b) in a.iter().zip(&b) {
            if a.len() != b.len() {
                return cannot_tell(Reason::LocalSeenByCall);
            }
            self.bytes(&Name::Local(0), a, b, what)?;
        }
        Ok(())
    }

    fn memory(&self) -> Judged {
        let (before, after) = (self.pair.before, self.pair.after);
        for (number, block) in self.pair.source.blocks.iter().enumerate() {
            let Some(other) = self.pair.target.blocks.iter().find(|b| b.name == block.name) else {
                continue;
            };
            let (mut bytes, mut others) = (block.bytes.clone(), other.bytes.clone());
            match &block.name {
                Name::Symbol(name) => {
                    let SymbolKind::Variable(variable) = &before.symbols[number].kind else {
                        continue;
                    };
                    if variable.constant || variable.local || !block.ready && !other.ready {
                        continue;
                    }
                    let Some(place) = after.names.get(name) else { continue };
                    let first = |program, symbol, side| {
                        global_bytes(program, self.pair.input, symbol, side)
                    };
                    if !block.ready {
                        bytes = first(before, number as u32, Side::Source).unwrap_or_default();
                    }
                    if !other.ready {
                        others = first(after, *place, Side::Target).unwrap_or_default();
                    }
                    if bytes.len() != others.len() {
                        return cannot_tell(Reason::GlobalSize);
                    }
                }
                Name::World(_) if block.heap && !block.escaped => continue,
                Name::Input(_) | Name::World(_) => {}
                Name::Escaped(_) if block.alive && other.alive && block.heap && other.heap => {
                    if bytes.len() != others.len() {
                        return cannot_tell(Reason::BlockSize);
                    }
                }
                _ => continue,
            }
            self.bytes(&block.name, &bytes, &others, "memory at the end")?;
        }
        Ok(())
    }

    fn bytes(&self, name: &Name, source: &[Byte], target: &[Byte], what: &str) -> Judged {
        if source.len() != target.len() {
            return cannot_tell(Reason::BlockSize);
        }
        let mut unsure = None;
        let translated: Option<Vec<Byte>> =
            target.iter().map(|byte| self.translate_byte(byte)).collect();
        let Some(target) = translated else {
            return cannot_tell(Reason::LocalPointerInMemory);
        };
        for index in 0..source.len() {
            if source[index] == target[index] {
                continue;
            }
            match memory::admits(source, &target, index, self.pair.before.big) {
                Some(true) => {}
                Some(false) if is_pointer(&source[index]) || is_pointer(&target[index]) => {
                    unsure = Some(Reason::PointerInMemory);
                }
                Some(false) => {
                    return wrong(format!(
                        "{what}: byte {index} of {} is {} in the source and {} in the target",
                        name_of(name),
                        show_byte(&source[index]),
                        show_byte(&target[index])
                    ));
                }
                None => unsure = Some(Reason::PartsInMemory),
            }
        }
        unsure.map_or(Ok(()), cannot_tell)
    }

    fn translate_byte(&self, byte: &Byte) -> Option<Byte> {
        match byte {
            Byte::Part(whole, part) => {
                let atom = self.translate(&whole.atom)?;
                if atom == whole.atom {
                    return Some(byte.clone());
                }
                Some(Byte::Part(Arc::new(Whole { atom, shape: whole.shape.clone() }), *part))
            }
            other => Some(other.clone()),
        }
    }

    /// An atom of the target with the source's numbers for blocks.
    fn translate(&self, atom: &Atom) -> Option<Atom> {
        match atom {
            Atom::Pointer(Pointer::Block { block, offset }) => {
                let name = &self.pair.target.blocks[*block as usize].name;
                if matches!(name, Name::Local(_)) {
                    return None;
                }
                let block = *self.names.get(name)?;
                Some(Atom::Pointer(Pointer::Block { block, offset: *offset }))
            }
            Atom::Set(set) => {
                let of: Option<Vec<Atom>> =
                    set.of.iter().map(|atom| self.translate(atom)).collect();
                Atom::any_of(of?, set.shared).ok()
            }
            other => Some(other.clone()),
        }
    }

    fn value(&self, shape: &Shape, source: &Value, target: &Value, what: &str) -> Judged {
        match (source, target) {
            (Value::Many(a), Value::Many(b)) if a.len() == b.len() => {
                let shapes = shape.parts();
                for (index, (a, b)) in a.iter().zip(b.iter()).enumerate() {
                    let Some((_, shape)) = shapes.get(index) else {
                        return cannot_tell(Reason::ShapesDiffer);
                    };
                    self.value(shape, a, b, &format!("{what}, part {index}"))?;
                }
                Ok(())
            }
            (Value::One(a), Value::One(b)) => self.atom(shape, a, b, what),
            _ => cannot_tell(Reason::ShapesDiffer),
        }
    }

    fn atom(&self, shape: &Shape, source: &Atom, target: &Atom, what: &str) -> Judged {
        if matches!(source, Atom::Poison) || source.is_undef() && !matches!(target, Atom::Poison) {
            return Ok(());
        }
        let is_nan = |bits: &irtext::Bits| match shape {
            Shape::Float(format) => float::is_nan(*format, bits),
            _ => false,
        };
        let Some(translated) = self.translate(target) else {
            return cannot_tell(Reason::LocalPointer);
        };
        match source.admits(&translated, &is_nan) {
            Some(true) => Ok(()),
            None => cannot_tell(Reason::SetsCompared),
            Some(false) if odd_encoding(shape, source) || odd_encoding(shape, target) => {
                cannot_tell(Reason::UnsupportedEncoding)
            }
            Some(false) if self.same_address(source, &translated) => {
                cannot_tell(Reason::Provenance)
            }
            Some(false) => {
                let name = |blocks: &[Block], block: u32| name_of(&blocks[block as usize].name);
                let a = show(&Value::One(source.clone()), &|b| name(&self.pair.source.blocks, b));
                let b = show(&Value::One(target.clone()), &|b| name(&self.pair.target.blocks, b));
                wrong(format!("{what} is {a} in the source and {b} in the target"))
            }
        }
    }

    /// Whether two pointers may be one address all the same.
    fn same_address(&self, a: &Atom, b: &Atom) -> bool {
        let address = |atom: &Atom| match atom {
            Atom::Pointer(Pointer::Address(address)) => Some(*address),
            Atom::Pointer(Pointer::Block { block, offset }) => {
                let start = self.pair.source.blocks[*block as usize].address?;
                Some(start.wrapping_add_signed(*offset))
            }
            _ => None,
        };
        match (a, b) {
            (Atom::Pointer(_), Atom::Pointer(_)) => match (address(a), address(b)) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            },
            (Atom::Set(set), _) | (_, Atom::Set(set)) => {
                set.of.iter().any(|atom| matches!(atom, Atom::Pointer(_)))
            }
            _ => false,
        }
    }
}

/// Bits of a float of which not even the class is known.
fn odd_encoding(shape: &Shape, atom: &Atom) -> bool {
    match (shape, atom) {
        (Shape::Float(format), Atom::Exact(bits)) => float::class(*format, bits).is_none(),
        _ => false,
    }
}

fn is_pointer(byte: &Byte) -> bool {
    matches!(byte, Byte::Part(whole, _) if matches!(whole.shape, Shape::Pointer { .. }))
}

fn kind(event: &Event) -> String {
    match event {
        Event::Call { name, .. } => format!("a call of @{name}"),
        Event::Output(_) => "output".into(),
        Event::VolatileLoad(..) => "a volatile load".into(),
        Event::VolatileStore(..) => "a volatile store".into(),
    }
}

fn name_of(name: &Name) -> String {
    match name {
        Name::Symbol(name) => format!("@{name}"),
        Name::Input(number) => format!("block {number}"),
        Name::World(_) => "a block of the world".into(),
        Name::Escaped(_) | Name::Local(_) => "a local block".into(),
    }
}

fn show_byte(byte: &Byte) -> String {
    match byte {
        Byte::Bits(bits, 0) => format!("{bits:02x}"),
        Byte::Bits(_, 0xff) => "undef".into(),
        Byte::Bits(bits, free) => format!("{bits:02x} with undef bits {free:02x}"),
        Byte::Poison => "poison".into(),
        Byte::Part(whole, part) => {
            let text = show(&Value::One(whole.atom.clone()), &|_| "a block".into());
            format!("byte {part} of {text}")
        }
    }
}
