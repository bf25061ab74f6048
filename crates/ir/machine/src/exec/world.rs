//! The world: addresses, and the answers of functions that are declared only.
//!
//! An answer depends on the name of the function, its arguments, and how many calls before may have changed
//! what it depends on. It is the same on both sides. The world writes no memory of the program.

use irtext::Bits;

use super::Machine;
use super::start::block;
use crate::code::Call;
use crate::memory::{Byte, Name};
use crate::reason::{ClaimedValue, Reason};
use crate::shape::Shape;
use crate::value::{Atom, NULL, Pointer, Stop, Value, unknown};

/// Numbers that look random and depend on what was put in.
#[derive(Clone, Copy)]
pub(super) struct Mix(u64);

impl Mix {
    pub(super) fn new(seed: u64) -> Mix {
        Mix(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub(super) fn add(&mut self, value: u64) {
        let mut z = self.0.wrapping_add(value).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^= z >> 29;
        z = z.wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ (z >> 32);
    }

    pub(super) fn text(&mut self, text: &str) {
        for byte in text.bytes() {
            self.add(byte.into());
        }
        self.add(0x100 + text.len() as u64);
    }

    pub(super) fn next(&mut self) -> u64 {
        self.add(1);
        self.0
    }
}

impl<'a> Machine<'a> {
    /// An address in one of several regions, a multiple of an alignment and of no greater power of two.
    fn region(&self, region: u64, place: u64, align: u64) -> u64 {
        match self.program.pointer_bits {
            32 => (region << 28) + ((place % 200 + 1) << 20) + align,
            _ => (region << 46) + ((place % (1 << 24) + 1) << 20) + align,
        }
    }

    pub(super) fn symbol_address(&self, name: &str, align: u64) -> u64 {
        let mut mix = Mix::new(self.input.environment);
        mix.text(name);
        self.region(1, mix.next() >> 8, align)
    }

    pub(super) fn input_address(&self, number: u32, align: u64) -> u64 {
        // Both orders of two blocks occur.
        let place = match self.input.environment % 2 {
            0 => u64::from(number) + 1,
            _ => 99 - u64::from(number % 99),
        };
        self.region(2, place, align)
    }

    /// What a variable of somebody else holds.
    pub(super) fn world_bytes(&self, name: &str, size: u64) -> Vec<Byte> {
        let mut mix = Mix::new(self.input.environment);
        mix.text(name);
        (0..size).map(|_| Byte::Bits((mix.next() >> 13) as u8, 0)).collect()
    }

    /// The answer to a call.
    pub(super) fn answer(
        &mut self,
        name: &str,
        call: &Call,
        arguments: &[Value],
    ) -> Result<Value, Stop> {
        if let Some(index) = call.arguments.iter().position(|(_, _, facts)| facts.returned) {
            return Ok(arguments[index].clone());
        }
        if call.result == Shape::Void {
            return Ok(Value::many(Vec::new()));
        }
        let mut mix = Mix::new(self.input.environment);
        mix.text(name);
        for (argument, (_, _, facts)) in arguments.iter().zip(&call.arguments) {
            if facts.byval.is_none() {
                self.mix_value(&mut mix, argument)?;
            }
        }
        if call.effects.hidden.read || call.effects.hidden.write {
            mix.add(self.hidden_writes.into());
        }
        if call.effects.other.read || call.effects.other.write {
            mix.add(self.other_writes.into());
        }
        let value = self.random(&call.result.clone(), call, &mut mix)?;
        let claimed = self.claimed(value, &call.result, &call.facts, ClaimedValue::ExternalResult);
        match claimed {
            Ok(value) if !value.any(&|a| a.is_loose()) => Ok(value),
            _ => unknown(Reason::ResultOfExternalCall),
        }
    }

    fn mix_value(&self, mix: &mut Mix, value: &Value) -> Result<(), Stop> {
        match value {
            Value::Many(parts) => parts.iter().try_for_each(|part| self.mix_value(mix, part)),
            Value::One(Atom::Exact(bits)) => {
                for word in 0..bits.width().div_ceil(64) {
                    mix.add(bits.part(64 * word, 64).small().unwrap_or(0) as u64);
                }
                Ok(())
            }
            Value::One(Atom::Nan) => {
                mix.add(7);
                Ok(())
            }
            Value::One(Atom::Pointer(pointer)) => {
                match pointer {
                    Pointer::Address(address) => mix.add(*address),
                    Pointer::Block { block, offset } => {
                        match &self.blocks[*block as usize].name {
                            Name::Symbol(name) => mix.text(name),
                            Name::Input(number) => mix.add(u64::from(*number) + 1000),
                            Name::World(key) => mix.add(*key),
                            Name::Escaped(number) => mix.add(u64::from(*number) + 2000),
                            // A callee that keeps nothing may not tell one such block from another.
                            Name::Local(_) => mix.add(3000),
                        }
                        mix.add(*offset as u64);
                    }
                }
                Ok(())
            }
            Value::One(_) => unknown(Reason::UndefPassedOut),
        }
    }

    fn random(&mut self, shape: &Shape, call: &Call, mix: &mut Mix) -> Result<Value, Stop> {
        Ok(match shape {
            Shape::Integer(width) => {
                let bits = Bits::new(128, u128::from(mix.next()) << 64 | u128::from(mix.next()));
                let bits = match mix.next() % 8 {
                    0 => Bits::zero(*width),
                    1 => Bits::ones(*width),
                    2 => Bits::least_signed(*width),
                    3 | 4 => bits.part(3, 3).resize(*width),
                    _ => bits.resize(*width),
                };
                match call.facts.ranges.first() {
                    Some((low, high)) if !call.facts.in_range(&bits) => {
                        let room = high.sub(low);
                        Value::One(Atom::Exact(low.add(&bits.urem(&room))))
                    }
                    _ => Value::One(Atom::Exact(bits)),
                }
            }
            Shape::Float(format) => {
                let small = Bits::new(8, u128::from(mix.next() >> 20));
                Value::One(crate::float::of_integer(*format, &small, true)?)
            }
            Shape::Pointer { .. } => {
                let facts = &call.facts;
                let key = mix.next();
                let null =
                    !facts.nonnull && facts.dereferenceable.is_none() && key.is_multiple_of(4);
                if null {
                    return Ok(Value::One(Atom::Pointer(NULL)));
                }
                let size = facts.dereferenceable.max(facts.dereferenceable_or_null).unwrap_or(0);
                let align = facts.align.unwrap_or(1).max(16);
                let block = self.world_block(key, size.max(64), align)?;
                // What nobody else leads to is the function's own until it gives it away.
                self.blocks[block as usize].heap = facts.noalias;
                Value::One(Atom::Pointer(Pointer::Block { block, offset: 0 }))
            }
            Shape::Vector(..) | Shape::Array(..) | Shape::Struct(..) => {
                let parts: Vec<Shape> = shape.parts().into_iter().map(|(_, s)| s.clone()).collect();
                let parts = parts.iter().map(|part| self.random(part, call, mix));
                Value::Many(parts.collect::<Result<_, _>>()?)
            }
            Shape::Void => Value::many(Vec::new()),
        })
    }

    /// A block that the world gives in answer to a question; the same again if it is asked again.
    fn world_block(&mut self, key: u64, size: u64, align: u64) -> Result<u32, Stop> {
        if let Some(block) = self.world.get(&key) {
            return Ok(*block);
        }
        if align > 1 << 12 || size > crate::lower::LARGEST_BLOCK {
            return unknown(Reason::ResultOfExternalCall);
        }
        let number = self.blocks.len() as u32;
        let bytes = self.world_bytes(&key.to_string(), size);
        let address = self.region(3, key >> 8, align);
        self.blocks.push(block(Name::World(key), bytes, align, address, true, true));
        self.world.insert(key, number);
        self.apart()?;
        Ok(number)
    }
}
