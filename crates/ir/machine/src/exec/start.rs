//! The beginning: memory of an input, arguments, frames.

use super::{Frame, Machine};
use crate::code::{Function, SymbolKind};
use crate::facts::{Effects, Facts};
use crate::input::{Datum, InputByte, Place, Scalar};
use crate::memory::{Block, Byte, Name, UNDEF, Whole};
use crate::reason::{ClaimedValue, Reason, Ub};
use crate::shape::Shape;
use crate::value::{Atom, NULL, Pointer, Stop, Value, ub, unknown};

use std::sync::Arc;

impl<'a> Machine<'a> {
    /// Executes the function that was asked for.
    pub(super) fn start(&mut self, name: &str) -> Result<Value, Stop> {
        self.layout()?;
        let Some(place) = self.program.function(name) else {
            return unknown(Reason::NoBody);
        };
        let function = &self.program.functions[place as usize];
        if let Some(why) = &function.unsupported {
            return unknown(why.clone());
        }
        if function.params.len() != self.input.arguments.len() {
            return unknown(Reason::InputArguments);
        }
        let mut arguments = Vec::with_capacity(function.params.len());
        for ((shape, _), datum) in function.params.iter().zip(&self.input.arguments) {
            arguments.push(self.value(shape, datum)?);
        }
        self.run(function, arguments)
    }

    /// Blocks for the symbols and the input.
    pub(super) fn layout(&mut self) -> Result<(), Stop> {
        let program = self.program;
        for symbol in &program.symbols {
            // LLVM may raise the alignment of a global, on its own side: both sides get more than either wants.
            let (align, writable) = match &symbol.kind {
                SymbolKind::Variable(variable) => (variable.align.max(64), !variable.constant),
                _ => (64, false),
            };
            let address = self.symbol_address(&symbol.name, align);
            let name = Name::Symbol(symbol.name.clone());
            self.blocks.push(block(name, Vec::new(), align, address, writable, false));
        }
        for (number, given) in self.input.blocks.iter().enumerate() {
            let number = number as u32;
            if !given.align.is_power_of_two() || given.align > 1 << 12 {
                return unknown(Reason::InputAlignment);
            }
            let address = self.input_address(number, given.align);
            let name = Name::Input(number);
            self.blocks.push(block(name, Vec::new(), given.align, address, true, true));
        }
        self.apart()?;
        for (number, given) in self.input.blocks.iter().enumerate() {
            let bytes = given.bytes.iter().map(|byte| self.input_byte(byte));
            let mut bytes = bytes.collect::<Result<Vec<_>, _>>()?;
            whole_pointers(&mut bytes, u64::from(self.program.pointer_bits / 8));
            self.blocks[self.first_input as usize + number].bytes = bytes;
        }
        Ok(())
    }

    /// Addresses are drawn; two blocks at one place would be no world.
    pub(super) fn apart(&self) -> Result<(), Stop> {
        // Addresses lie this far apart, or are equal.
        let mut places: Vec<u64> =
            self.blocks.iter().filter_map(|block| Some(block.address? >> 20)).collect();
        places.sort_unstable();
        match places.windows(2).any(|pair| pair[0] == pair[1]) {
            true => unknown(Reason::InputOverlaps),
            false => Ok(()),
        }
    }

    /// A byte of an input.
    pub(super) fn input_byte(&self, byte: &InputByte) -> Result<Byte, Stop> {
        Ok(match byte {
            InputByte::Bits(bits) => Byte::Bits(*bits, 0),
            InputByte::Undef => UNDEF,
            InputByte::Poison => Byte::Poison,
            InputByte::Pointer(place, part) => {
                let shape = Shape::Pointer { space: 0, bits: self.program.pointer_bits };
                let atom = Atom::Pointer(self.place(place)?);
                Byte::Part(Arc::new(Whole { atom, shape }), *part)
            }
        })
    }

    fn place(&self, place: &Place) -> Result<Pointer, Stop> {
        Ok(match place {
            Place::Null => NULL,
            Place::Address(address) => Pointer::Address(*address),
            Place::Block { block, offset } => {
                if *block as usize >= self.input.blocks.len() {
                    return unknown(Reason::InputWithoutBlock);
                }
                Pointer::Block { block: self.first_input + block, offset: *offset }
            }
            Place::Global { name, offset } => match self.program.names.get(name.as_str()) {
                Some(block) => Pointer::Block { block: *block, offset: *offset },
                None => return unknown(Reason::InputWithoutGlobal),
            },
        })
    }

    fn value(&self, shape: &Shape, datum: &Datum) -> Result<Value, Stop> {
        match datum {
            Datum::Many(parts) => {
                let shapes = shape.parts();
                if shapes.len() != parts.len() {
                    return unknown(Reason::InputShape);
                }
                let parts =
                    parts.iter().zip(shapes).map(|(part, (_, shape))| self.value(shape, part));
                Ok(Value::Many(parts.collect::<Result<_, _>>()?))
            }
            Datum::Scalar(scalar) => Ok(Value::One(match (scalar, shape) {
                (_, Shape::Vector(..) | Shape::Array(..) | Shape::Struct(..) | Shape::Void) => {
                    return unknown(Reason::InputShape);
                }
                (Scalar::Undef, _) => Atom::undef(shape.bits()),
                (Scalar::Poison, _) => Atom::Poison,
                (Scalar::Partly { known, free }, Shape::Integer(width))
                    if known.width() == *width =>
                {
                    Atom::free(known.clone(), free.clone(), false)
                }
                (Scalar::Pointer(place), Shape::Pointer { .. }) => {
                    Atom::Pointer(self.place(place)?)
                }
                (Scalar::Bits(bits), Shape::Integer(_) | Shape::Float(_))
                    if bits.width() == shape.bits() =>
                {
                    Atom::Exact(bits.clone())
                }
                _ => return unknown(Reason::InputShape),
            })),
        }
    }

    /// A frame with its arguments, after what is claimed of them.
    pub(super) fn enter(
        &mut self,
        function: &'a Function,
        arguments: Vec<Value>,
    ) -> Result<Frame<'a>, Stop> {
        let mut frame = Frame {
            function,
            registers: vec![Value::One(Atom::Poison); function.registers as usize],
            locals: Vec::new(),
            limits: Vec::new(),
            older: 0,
            arguments: Vec::new(),
        };
        for (index, (value, (shape, facts))) in
            arguments.into_iter().zip(&function.params).enumerate()
        {
            let mut value = self.claimed(value, shape, facts, ClaimedValue::Argument)?;
            if let Some((size, align)) = facts.byval {
                value = self.copy_for_callee(&mut frame, &value, size, align)?;
            }
            self.limit(&mut frame, &value, facts);
            frame.registers[index] = value;
        }
        // Copies belong to the callee.
        frame.older = self.blocks.len() as u32 - frame.locals.len() as u32;
        self.exclusive(&frame)?;
        Ok(frame)
    }

    fn limit(&mut self, frame: &mut Frame<'a>, value: &Value, facts: &Facts) {
        if let Value::One(Atom::Pointer(Pointer::Block { block, .. })) = value {
            frame.arguments.push(*block);
            if facts.readonly || facts.writeonly {
                frame.limits.push((*block, !facts.writeonly, !facts.readonly));
            }
        }
    }

    /// A pointer that nothing else may lead to, while something else does: what is undefined then is not
    /// tracked.
    fn exclusive(&self, frame: &Frame<'a>) -> Result<(), Stop> {
        for (index, (_, facts)) in frame.function.params.iter().enumerate() {
            let Value::One(Atom::Pointer(Pointer::Block { block, .. })) = &frame.registers[index]
            else {
                continue;
            };
            if !facts.noalias {
                continue;
            }
            let others = frame.arguments.iter().filter(|other| *other == block).count();
            let held = &self.blocks[*block as usize];
            let visible = matches!(held.name, Name::Symbol(_) | Name::World(_)) || held.escaped;
            // Blocks of the input are reached by the arguments alone, unless they point to each other.
            if others > 1 || visible || self.depth > 1 && matches!(held.name, Name::Input(_)) {
                return unknown(Reason::NoaliasReachable);
            }
        }
        Ok(())
    }

    /// The copy that a parameter passed by value is.
    fn copy_for_callee(
        &mut self,
        frame: &mut Frame<'a>,
        value: &Value,
        size: u64,
        align: u64,
    ) -> Result<Value, Stop> {
        let atom = value.atom()?;
        let (from, at) = match atom {
            Atom::Pointer(Pointer::Block { block, offset }) => {
                self.prepare(*block)?;
                (*block, *offset)
            }
            Atom::Pointer(Pointer::Address(0)) | Atom::Poison | Atom::Free(_) => {
                return ub(Ub::ByvalNull);
            }
            _ => return unknown(Reason::ByvalPlainAddress),
        };
        let held = &self.blocks[from as usize];
        if !held.alive || at < 0 || at as u64 + size > held.bytes.len() as u64 {
            return ub(Ub::ByvalOutOfBounds);
        }
        let bytes = held.bytes[at as usize..at as usize + size as usize].to_vec();
        let block = self.allocate(size, align, UNDEF, false)?;
        self.blocks[block as usize].bytes = bytes;
        frame.locals.push(block);
        Ok(Value::One(Atom::Pointer(Pointer::Block { block, offset: 0 })))
    }

    /// A frame of no function, for constants.
    pub(super) fn no_frame(&self) -> Frame<'a> {
        Frame {
            function: &NO_FUNCTION,
            registers: Vec::new(),
            locals: Vec::new(),
            limits: Vec::new(),
            older: 0,
            arguments: Vec::new(),
        }
    }
}

static NO_FUNCTION: std::sync::LazyLock<Function> = std::sync::LazyLock::new(|| Function {
    name: "".into(),
    params: Vec::new(),
    result: Shape::Void,
    result_facts: Facts::default(),
    registers: 0,
    blocks: Vec::new(),
    effects: Effects::ALL,
    null_is_valid: false,
    tagged: false,
    unsupported: None,
});

/// A block with an address.
pub(super) fn block(
    name: Name,
    bytes: Vec<Byte>,
    align: u64,
    address: u64,
    writable: bool,
    ready: bool,
) -> Block {
    Block {
        name,
        bytes,
        align,
        address: Some(address),
        alive: true,
        writable,
        ready,
        heap: false,
        escaped: false,
        tags: Vec::new(),
    }
}

/// Bytes that are the parts of one pointer become parts of one whole.
fn whole_pointers(bytes: &mut [Byte], size: u64) {
    let size = size as usize;
    for start in 0..bytes.len().saturating_sub(size - 1) {
        let Byte::Part(first, 0) = bytes[start].clone() else { continue };
        let fits = bytes[start..start + size].iter().enumerate().all(|(index, byte)| {
            matches!(byte, Byte::Part(whole, part) if **whole == *first && usize::from(*part) == index)
        });
        if fits {
            for (index, byte) in bytes[start..start + size].iter_mut().enumerate() {
                *byte = Byte::Part(first.clone(), index as u8);
            }
        }
    }
}
