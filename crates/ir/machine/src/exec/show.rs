//! Steps and values, for people.

use super::{Frame, Machine};
use crate::memory::Name;
use crate::outcome::Step;
use crate::value::{Atom, Pointer, Stop, Value};

impl<'a> Machine<'a> {
    /// Records a step, if they are asked for.
    pub(super) fn step(&mut self, frame: &Frame<'a>, block: u32, at: u32, value: Option<&Value>) {
        if self.steps.is_none() {
            return;
        }
        let empty = |value: &&Value| matches!(value, Value::Many(parts) if parts.is_empty());
        let text = value.filter(|value| !empty(value)).map(|value| self.show(value));
        self.record(frame, block, at, text);
    }

    /// Records a step that went wrong.
    pub(super) fn step_stopped(&mut self, frame: &Frame<'a>, block: u32, at: u32, stop: &Stop) {
        let text = match stop {
            Stop::Ub(what) => format!("UB: {what}"),
            Stop::Unknown(why) => format!("unknown: {why}"),
            Stop::Ended => "does not return".into(),
        };
        self.record(frame, block, at, Some(text));
    }

    fn record(&mut self, frame: &Frame<'a>, block: u32, at: u32, value: Option<String>) {
        if let Some(steps) = &mut self.steps {
            steps.push(Step { function: frame.function.name.to_string(), at: (block, at), value });
        }
    }

    /// A value as text.
    pub(super) fn show(&self, value: &Value) -> String {
        show(value, &|block| match &self.blocks[block as usize].name {
            Name::Symbol(name) => format!("@{name}"),
            Name::Input(number) => format!("block {number}"),
            Name::World(_) => "a block of the world".into(),
            Name::Escaped(number) | Name::Local(number) => format!("local block {number}"),
        })
    }
}

/// A value as text, with blocks named.
pub(crate) fn show(value: &Value, block_name: &dyn Fn(u32) -> String) -> String {
    match value {
        Value::Many(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| show(part, block_name)).collect();
            format!("<{}>", parts.join(", "))
        }
        Value::One(atom) => match atom {
            Atom::Poison => "poison".into(),
            Atom::Exact(bits) if bits.width() == 1 => (!bits.is_zero()).to_string(),
            Atom::Exact(bits) => bits.to_string(),
            Atom::Free(_) if atom.is_undef() => "undef".into(),
            Atom::Free(free) => {
                format!("undef in bits {:#x} else {}", free.free.unsigned(), free.known)
            }
            Atom::Range(range) => {
                format!("undef from {} to {}", range.low, range.low.add(&range.span))
            }
            Atom::Set(set) => {
                let of: Vec<String> = set
                    .of
                    .iter()
                    .take(8)
                    .map(|a| show(&Value::One(a.clone()), block_name))
                    .collect();
                let more = if set.of.len() > 8 { ", …" } else { "" };
                format!("one of {{{}{more}}}", of.join(", "))
            }
            Atom::Pointer(Pointer::Address(0)) => "null".into(),
            Atom::Pointer(Pointer::Address(address)) => format!("address {address:#x}"),
            Atom::Pointer(Pointer::Block { block, offset: 0 }) => block_name(*block),
            Atom::Pointer(Pointer::Block { block, offset }) => {
                format!("{} + {offset}", block_name(*block))
            }
            Atom::Nan => "NaN".into(),
        },
    }
}
