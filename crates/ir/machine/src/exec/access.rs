//! Memory accesses: whether one may be, and what it does.

use super::{Frame, Machine, Side};
use crate::code::{Access, Code, INVARIANT, SymbolKind};
use crate::lower::LARGEST_BLOCK;
use crate::memory::{self, Block, Byte, Name, UNDEF};
use crate::outcome::Event;
use crate::reason::{AccessKind, ClaimedValue, Reason, Ub};
use crate::shape::Shape;
use crate::value::{Atom, Pointer, Stop, Value, ub, unknown};

impl<'a> Machine<'a> {
    /// What an instruction comes to, memory included.
    pub(super) fn evaluate(
        &mut self,
        frame: &mut Frame<'a>,
        code: &'a Code,
    ) -> Result<Value, Stop> {
        let nothing = || Ok(Value::many(Vec::new()));
        match code {
            Code::Nothing => nothing(),
            Code::Load { access, from, facts } => {
                let from = self.atom_of(frame, from)?;
                let value = self.load(frame, access, &from)?;
                if access.volatile {
                    self.events.push(Event::VolatileLoad(Value::One(from), access.shape.size()));
                }
                self.claimed(value, &access.shape, facts, ClaimedValue::Loaded)
            }
            Code::Store { access, value, to } => {
                let value = self.operand(frame, value)?;
                let to = self.atom_of(frame, to)?;
                self.store(frame, access, &to, &value)?;
                if access.volatile {
                    let (size, shape) = (access.shape.size(), access.shape.clone());
                    self.events.push(Event::VolatileStore(Value::One(to), size, value, shape));
                }
                nothing()
            }
            Code::Alloca { size, count, align } => {
                let count = match count {
                    None => 1,
                    Some(count) => match self.atom_of(frame, count)? {
                        Atom::Exact(bits) => bits.small().unwrap_or(u128::MAX),
                        Atom::Poison | Atom::Free(_) => return ub(Ub::AllocaOfUndefSize),
                        _ => return unknown(Reason::AllocaOfUnknownSize),
                    },
                };
                let size = u128::from(*size).saturating_mul(count);
                if size > LARGEST_BLOCK.into() {
                    return unknown(Reason::LargeAlloca);
                }
                let block = self.allocate(size as u64, *align, UNDEF, false)?;
                frame.locals.push(block);
                Ok(Value::One(Atom::Pointer(Pointer::Block { block, offset: 0 })))
            }
            Code::CmpXchg { .. } | Code::AtomicRmw { .. } => self.atomic(frame, code),
            Code::Call(call) => self.call(frame, call),
            pure => self.pure(frame, pure),
        }
    }

    fn atomic(&mut self, frame: &mut Frame<'a>, code: &'a Code) -> Result<Value, Stop> {
        match code {
            Code::CmpXchg { access, address, expected, new, weak } => {
                let address = self.atom_of(frame, address)?;
                let (expected, new) = (self.operand(frame, expected)?, self.operand(frame, new)?);
                self.volatile_rmw(access)?;
                let old = self.load(frame, access, &address)?;
                let same = match &access.shape {
                    Shape::Pointer { .. } => self.compare_pointers(
                        irtext::IntPredicate::Eq,
                        old.atom()?,
                        expected.atom()?,
                    )?,
                    _ => crate::integer::compare(
                        irtext::IntPredicate::Eq,
                        false,
                        old.atom()?,
                        expected.atom()?,
                    )?,
                };
                let Atom::Exact(same) = same else { return unknown(Reason::CmpxchgOfUndef) };
                // A weak one may fail; that it does not is one of the things that may happen.
                let fails = *weak && !same.is_zero() && self.choose(2) == 1;
                let written = !same.is_zero() && !fails;
                if written {
                    self.store(frame, access, &address, &new)?;
                } else {
                    self.reach(frame, &address, access, true)?;
                }
                Ok(Value::many(vec![old, Value::One(Atom::truth(written))]))
            }
            Code::AtomicRmw { access, op, address, value } => {
                let address = self.atom_of(frame, address)?;
                let value = self.operand(frame, value)?;
                self.volatile_rmw(access)?;
                let old = self.load(frame, access, &address)?;
                let new = old.zip(&value, &mut |old, value| super::lanes::rmw(*op, old, value))?;
                self.store(frame, access, &address, &new)?;
                Ok(old)
            }
            _ => unknown(Reason::NoSuchOperation),
        }
    }

    fn volatile_rmw(&self, access: &Access) -> Result<(), Stop> {
        if access.volatile { unknown(Reason::VolatileAtomic) } else { Ok(()) }
    }

    /// Takes bytes out of what there is for this execution.
    pub(super) fn spend(&mut self, bytes: u64) -> Result<(), Stop> {
        match self.room.checked_sub(bytes) {
            Some(room) => self.room = room,
            None => return unknown(Reason::OutOfMemory),
        }
        Ok(())
    }

    /// A new block.
    pub(super) fn allocate(
        &mut self,
        size: u64,
        align: u64,
        fill: Byte,
        heap: bool,
    ) -> Result<u32, Stop> {
        self.spend(size + 64)?;
        let number = self.blocks.len() as u32;
        self.blocks.push(Block {
            name: Name::Local(number),
            bytes: vec![fill; size as usize],
            align,
            address: None,
            alive: true,
            writable: true,
            ready: true,
            heap,
            escaped: false,
            tags: Vec::new(),
        });
        Ok(number)
    }

    /// Where an access goes, if it may.
    pub(super) fn reach(
        &mut self,
        frame: &Frame<'a>,
        pointer: &Atom,
        access: &Access,
        write: bool,
    ) -> Result<(u32, usize), Stop> {
        let size = access.shape.size();
        let place = self.reach_bytes(frame, pointer, size, access.align, write)?;
        if self.tagged {
            self.tag(place, size as usize, access.tag, write)?;
        }
        Ok(place)
    }

    /// The same for a number of bytes. Nothing is reached where there are none.
    pub(super) fn reach_bytes(
        &mut self,
        frame: &Frame<'a>,
        pointer: &Atom,
        size: u64,
        align: u64,
        write: bool,
    ) -> Result<(u32, usize), Stop> {
        let kind = if write { AccessKind::Store } else { AccessKind::Load };
        let (block, offset) = match pointer {
            Atom::Poison => return ub(Ub::AccessThroughPoison(kind)),
            Atom::Free(_) => return ub(Ub::AccessThroughUndef(kind)),
            Atom::Set(set) => {
                let members = set.of.clone();
                for member in &members {
                    self.reach_bytes(frame, member, size, align, write)?;
                }
                return unknown(Reason::AccessThroughSet);
            }
            Atom::Pointer(Pointer::Address(0)) if !frame.function.null_is_valid => {
                return ub(Ub::AccessThroughNull(kind));
            }
            Atom::Pointer(Pointer::Block { block, offset }) => (*block, *offset),
            _ => return unknown(Reason::AccessAtPlainAddress),
        };
        self.prepare(block)?;
        let held = &self.blocks[block as usize];
        if !held.alive {
            return ub(Ub::AccessToDead(kind));
        }
        if offset < 0 || (offset as u64).saturating_add(size) > held.bytes.len() as u64 {
            return ub(Ub::OutOfBounds(kind));
        }
        let aligned = match held.address {
            Some(address) => (address.wrapping_add_signed(offset)) % align == 0,
            None if held.align >= align => (offset as u64).is_multiple_of(align),
            None => return unknown(Reason::AddressOfLocalAlignment),
        };
        if !aligned {
            return ub(Ub::Misaligned(kind));
        }
        if write && !held.writable {
            return ub(Ub::StoreToConstant);
        }
        self.permitted(frame, block, write)?;
        Ok((block, offset as usize))
    }

    /// What functions and parameters say about themselves. A violation is undefined; but whose pointer it was
    /// is not known for certain here.
    fn permitted(&self, frame: &Frame<'a>, block: u32, write: bool) -> Result<(), Stop> {
        let limit = |(at, reads, writes): &(u32, bool, bool)| {
            *at == block && if write { !writes } else { !reads }
        };
        if frame.limits.iter().any(limit) {
            return unknown(Reason::AccessAgainstParameter);
        }
        let effects = frame.function.effects;
        if block >= frame.older || effects == crate::facts::Effects::ALL {
            return Ok(());
        }
        let held = &self.blocks[block as usize];
        let access = match frame.arguments.contains(&block) {
            true => effects.arguments,
            false => effects.other,
        };
        // Constants may be read whatever is said.
        if write && !access.write || !write && !access.read && held.writable {
            return unknown(Reason::AccessAgainstFunction);
        }
        Ok(())
    }

    /// Remembers what accesses claim about aliases; claims that meet are not judged.
    fn tag(
        &mut self,
        (block, offset): (u32, usize),
        size: usize,
        tag: u32,
        write: bool,
    ) -> Result<(), Stop> {
        // A plain write has a mark of its own, so that invariant loads meet it.
        const PLAIN: u32 = u32::MAX;
        let held = &mut self.blocks[block as usize];
        if held.tags.is_empty() {
            held.tags = vec![(0, false); held.bytes.len()];
        }
        for (old, written) in &mut held.tags[offset..offset + size] {
            let new = if tag == 0 && write { PLAIN } else { tag };
            let meets = *old != 0 && new != 0 && *old != new && (write || *written);
            let plain = (*old == PLAIN || new == PLAIN) && *old != INVARIANT && new != INVARIANT;
            if meets && !plain {
                return unknown(Reason::AliasMetadataDiffers);
            }
            if new != 0 && (*old == 0 || *old == PLAIN) {
                *old = new;
            }
            *written |= write;
        }
        Ok(())
    }

    /// A block does not change from now on; a store into it is not judged.
    pub(super) fn invariant(&mut self, pointer: Pointer) -> Result<(), Stop> {
        let Pointer::Block { block, .. } = pointer else { return Ok(()) };
        self.prepare(block)?;
        self.tagged = true;
        let held = &mut self.blocks[block as usize];
        held.tags = vec![(INVARIANT, false); held.bytes.len()];
        Ok(())
    }

    /// Reads a value.
    pub(super) fn load(
        &mut self,
        frame: &Frame<'a>,
        access: &Access,
        pointer: &Atom,
    ) -> Result<Value, Stop> {
        let (block, from) = self.reach(frame, pointer, access, false)?;
        let bytes = &self.blocks[block as usize].bytes;
        let bytes = &bytes[from..from + access.shape.size() as usize];
        let poison = bytes.iter().filter(|byte| matches!(byte, Byte::Poison)).count();
        if self.side == Side::Target && poison > 0 && poison < bytes.len() {
            // LLVM makes loads of integers out of copies of bytes, and gives poison no thought.
            return unknown(Reason::PartlyPoison);
        }
        memory::read(&access.shape, bytes, self.program.big)
    }

    /// Writes a value.
    pub(super) fn store(
        &mut self,
        frame: &Frame<'a>,
        access: &Access,
        pointer: &Atom,
        value: &Value,
    ) -> Result<(), Stop> {
        let (block, from) = self.reach(frame, pointer, access, true)?;
        let bytes = &mut self.blocks[block as usize].bytes;
        let range = from..from + access.shape.size() as usize;
        memory::write(&access.shape, value, &mut bytes[range], self.program.big)
    }

    /// Makes the bytes of a global that was not needed before.
    pub(super) fn prepare(&mut self, block: u32) -> Result<(), Stop> {
        if self.blocks[block as usize].ready {
            return Ok(());
        }
        self.blocks[block as usize].ready = true;
        let program = self.program;
        let symbol = &program.symbols[block as usize];
        let variable = match &symbol.kind {
            SymbolKind::Variable(variable) => variable,
            SymbolKind::Function(_) => return Ok(()),
            SymbolKind::Unsupported(why) => {
                self.blocks[block as usize].ready = false;
                return unknown(why.clone());
            }
        };
        let mut bytes = vec![UNDEF; variable.size as usize];
        let given = self.input.globals.iter().find(|(name, _)| *name == *symbol.name);
        match (given, &variable.initial) {
            (Some((_, given)), _) if !variable.fixed => {
                for (byte, given) in bytes.iter_mut().zip(given) {
                    *byte = self.input_byte(given)?;
                }
            }
            (_, Some(parts)) => {
                let frame = self.no_frame();
                if self.side == Side::Source {
                    // What lies between the parts is undef or poison, by the version.
                    bytes.fill(Byte::Poison);
                }
                for (at, shape, operand) in parts {
                    let value = self.operand(&frame, operand)?;
                    let range = *at as usize..*at as usize + shape.size() as usize;
                    memory::write(shape, &value, &mut bytes[range], self.program.big)?;
                }
            }
            _ => bytes = self.world_bytes(&symbol.name, variable.size),
        }
        self.blocks[block as usize].bytes = bytes;
        Ok(())
    }
}
