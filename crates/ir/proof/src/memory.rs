//! Memory: what was written where, as a chain; and what a byte read from it is.
//!
//! A pointer is a block and an offset ([`POINTER`] bits: 16 and 64). Blocks are numbered so that the highest
//! bits tell who can know them:
//!
//! | block | what |
//! | --- | --- |
//! | `0x0000` | null: a block without bytes |
//! | `0x0001..` | globals, and whatever arguments and pointers in initial memory point to |
//! | `0x4000..` | allocas whose address is seen by others; the same for both sides |
//! | `0x8000..` | allocas whose address nobody else sees |
//!
//! A byte has [`BYTE`] bits: from the top its value as a number (8), whether it is poison (1), whether it is
//! part of a pointer (1), which part (3), and the pointer (80). The bytes of initial memory are those of an
//! uninterpreted function of the address, and so are those of memory after a call: no theory of arrays is
//! needed, because a read is unfolded over all writes before it.

use std::collections::HashMap;
use std::rc::Rc;

use crate::term::{Node, Origin, Role, Sort, Term, Terms};

/// Bits of a pointer.
pub(crate) const POINTER: u32 = BLOCK + OFFSET;
/// Bits of the number of a block.
pub(crate) const BLOCK: u32 = 16;
/// Bits of an offset.
pub(crate) const OFFSET: u32 = 64;
/// Bits of a byte.
pub(crate) const BYTE: u32 = 13 + POINTER;
/// The first alloca that others see.
pub(crate) const SEEN: u128 = 0x4000;
/// The first alloca that nobody else sees.
pub(crate) const PRIVATE: u128 = 0x8000;

/// A state of memory, by its place in [`Memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct State(u32);

/// How a state came to be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Transition {
    /// What was there before.
    Initial,
    /// Bytes were written from an address on.
    Write { before: State, address: Term, bytes: Rc<[Term]> },
    /// One of two.
    If(Term, State, State),
    /// Somebody else could write: the number of the event.
    Event { before: State, number: u32, frees: bool },
    /// A block begins to live, or ceases to: what it holds is undef.
    Life { before: State, block: Term, alive: bool },
}

/// What is known of a block that a module or a function makes.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// The number of the block, as a term.
    pub(crate) block: Term,
    pub(crate) size: u64,
    /// It may be larger.
    pub(crate) larger: bool,
    pub(crate) align: u64,
    /// Nobody may write to it.
    pub(crate) constant: bool,
    /// Its address may be zero.
    pub(crate) maybe_null: bool,
    /// What it holds for ever, as far as that is known.
    pub(crate) bytes: Option<Rc<[Option<Term>]>>,
}

/// All states of both sides.
pub(crate) struct Memory {
    steps: Vec<Transition>,
    known_steps: HashMap<Transition, State>,
    read: HashMap<(State, Term, bool), Term>,
    alive: HashMap<(State, Term), Term>,
    /// Blocks by their numbers.
    pub(crate) blocks: Vec<Known>,
    /// Bytes of initial memory may be undef.
    pub(crate) undef: bool,
    /// What pointers in memory are where they are not undef.
    pub(crate) twins: HashMap<Origin, Term>,
    /// Something was read that is known, but not here.
    pub(crate) forgot: bool,
}

impl Memory {
    pub(crate) fn new(undef: bool) -> Memory {
        Memory {
            steps: Vec::new(),
            known_steps: HashMap::new(),
            read: HashMap::new(),
            alive: HashMap::new(),
            blocks: Vec::new(),
            undef,
            twins: HashMap::new(),
            forgot: false,
        }
    }

    pub(crate) fn step(&mut self, step: Transition) -> State {
        if let Transition::If(_, a, b) = &step
            && a == b
        {
            return *a;
        }
        if let Some(state) = self.known_steps.get(&step) {
            return *state;
        }
        let state = State(self.steps.len() as u32);
        self.steps.push(step.clone());
        self.known_steps.insert(step, state);
        state
    }

    pub(crate) fn known(&self, block: Term) -> Option<&Known> {
        self.blocks.iter().find(|known| known.block == block)
    }

    /// The state without what only private allocas hold: what others see of it.
    pub(crate) fn seen_by_others(&mut self, terms: &mut Terms, state: State) -> State {
        let is_private = |terms: &mut Terms, block: Term| {
            let top = terms.extract(BLOCK - 1, BLOCK - 1, block);
            terms.as_number(top) == Some(1)
        };
        match self.steps[state.0 as usize].clone() {
            Transition::Initial => state,
            Transition::Write { before, address, bytes } => {
                let before = self.seen_by_others(terms, before);
                let block = block_of(terms, address);
                if is_private(terms, block) {
                    return before;
                }
                self.step(Transition::Write { before, address, bytes })
            }
            Transition::If(c, a, b) => {
                let (a, b) = (self.seen_by_others(terms, a), self.seen_by_others(terms, b));
                self.step(Transition::If(c, a, b))
            }
            Transition::Event { before, number, frees } => {
                let before = self.seen_by_others(terms, before);
                self.step(Transition::Event { before, number, frees })
            }
            Transition::Life { before, block, alive } => {
                let before = self.seen_by_others(terms, before);
                if is_private(terms, block) {
                    return before;
                }
                self.step(Transition::Life { before, block, alive })
            }
        }
    }

    /// The byte at an address, for one of the sides.
    pub(crate) fn read(
        &mut self,
        terms: &mut Terms,
        state: State,
        address: Term,
        target: bool,
    ) -> Term {
        if let Some(byte) = self.read.get(&(state, address, target)) {
            return *byte;
        }
        let byte = match self.steps[state.0 as usize].clone() {
            Transition::Initial => self.initial(terms, address, target),
            Transition::Write { before, address: to, bytes } => {
                let mut may = Vec::new();
                let mut must = None;
                for (index, byte) in bytes.iter().enumerate() {
                    let place = step_by(terms, to, index as u64);
                    let same = terms.equal(place, address);
                    match terms.as_bool(same) {
                        Some(true) => must = Some(*byte),
                        Some(false) => {}
                        None => may.push((same, *byte)),
                    }
                }
                let below = match must {
                    Some(byte) => byte,
                    None => self.read(terms, before, address, target),
                };
                may.into_iter().fold(below, |below, (same, byte)| terms.choose(same, byte, below))
            }
            Transition::If(c, a, b) => {
                let (a, b) =
                    (self.read(terms, a, address, target), self.read(terms, b, address, target));
                terms.choose(c, a, b)
            }
            Transition::Event { before, number, .. } => {
                let block = block_of(terms, address);
                let private = terms.extract(BLOCK - 1, BLOCK - 1, block);
                let private = terms.is_set(private);
                let constant = self.known(block).is_some_and(|k| k.constant);
                if constant || terms.is_true(private) {
                    self.read(terms, before, address, target)
                } else {
                    let new = leaf(terms, &format!("memory.{number}"), address, 1);
                    let new = self.maybe_undef(terms, number, address, new, target);
                    if terms.is_false(private) {
                        new
                    } else {
                        let old = self.read(terms, before, address, target);
                        terms.choose(private, old, new)
                    }
                }
            }
            Transition::Life { before, block, .. } => {
                let here = block_of(terms, address);
                let same = terms.equal(here, block);
                match terms.as_bool(same) {
                    Some(false) => self.read(terms, before, address, target),
                    _ => {
                        let new = undef_byte(terms, Origin::Own, target);
                        let old = if terms.is_true(same) {
                            new
                        } else {
                            self.read(terms, before, address, target)
                        };
                        terms.choose(same, new, old)
                    }
                }
            }
        };
        self.read.insert((state, address, target), byte);
        byte
    }

    fn initial(&mut self, terms: &mut Terms, address: Term, target: bool) -> Term {
        let (block, offset) = (block_of(terms, address), offset_of(terms, address));
        if let Some(known) = self.known(block)
            && let Some(bytes) = &known.bytes
            && let Some(index) = terms.as_number(offset)
            && let Some(Some(byte)) = bytes.get(usize::try_from(index).unwrap_or(usize::MAX))
        {
            return *byte;
        }
        self.forgot |= self.known(block).is_some_and(|known| known.constant);
        let byte = leaf(terms, "memory.0", address, 2);
        self.maybe_undef(terms, 0, address, byte, target)
    }

    fn maybe_undef(
        &mut self,
        terms: &mut Terms,
        number: u32,
        address: Term,
        byte: Term,
        target: bool,
    ) -> Term {
        if !self.undef {
            return byte;
        }
        let is_undef = terms.apply(&format!("undef.{number}"), &[address], Sort::Bool);
        let undef = undef_byte(terms, Origin::Byte(address), target);
        terms.choose(is_undef, undef, byte)
    }

    /// Whether a block lives.
    pub(crate) fn alive(&mut self, terms: &mut Terms, state: State, block: Term) -> Term {
        if let Some(alive) = self.alive.get(&(state, block)) {
            return *alive;
        }
        let alive = match self.steps[state.0 as usize].clone() {
            Transition::Initial => terms.bool(true),
            Transition::Write { before, .. } => self.alive(terms, before, block),
            Transition::If(c, a, b) => {
                let (a, b) = (self.alive(terms, a, block), self.alive(terms, b, block));
                terms.choose(c, a, b)
            }
            Transition::Event { before, number, frees } => {
                let before = self.alive(terms, before, block);
                let is_known = terms.as_number(block).is_some();
                if is_known || !frees {
                    before
                } else {
                    let after = terms.apply(&format!("alive.{number}"), &[block], Sort::Bool);
                    terms.and(before, after)
                }
            }
            Transition::Life { before, block: whose, alive } => {
                let same = terms.equal(block, whose);
                let alive = terms.bool(alive);
                let before = self.alive(terms, before, block);
                terms.choose(same, alive, before)
            }
        };
        self.alive.insert((state, block), alive);
        alive
    }

    /// The size of a block.
    pub(crate) fn size(&self, terms: &mut Terms, block: Term) -> Term {
        if terms.as_number(block) == Some(0) {
            return terms.number(OFFSET, 0);
        }
        if let Some(known) = self.known(block)
            && !known.larger
        {
            return terms.number(OFFSET, known.size.into());
        }
        match *terms.node(block) {
            Node::If(c, a, b) => {
                let (a, b) = (self.size(terms, a), self.size(terms, b));
                terms.choose(c, a, b)
            }
            _ => terms.apply("size", &[block], Sort::Bits(OFFSET)),
        }
    }

    /// Whether a block may be written to.
    pub(crate) fn writable(&self, terms: &mut Terms, block: Term) -> Term {
        if let Some(known) = self.known(block) {
            return terms.bool(!known.constant);
        }
        match *terms.node(block) {
            Node::If(c, a, b) => {
                let (a, b) = (self.writable(terms, a), self.writable(terms, b));
                terms.choose(c, a, b)
            }
            _ => terms.apply("writable", &[block], Sort::Bool),
        }
    }

    /// Where a block begins.
    pub(crate) fn base(&self, terms: &mut Terms, block: Term) -> Term {
        if terms.as_number(block) == Some(0) {
            return terms.number(OFFSET, 0);
        }
        match *terms.node(block) {
            Node::If(c, a, b) => {
                let (a, b) = (self.base(terms, a), self.base(terms, b));
                terms.choose(c, a, b)
            }
            _ => terms.apply("address", &[block], Sort::Bits(OFFSET)),
        }
    }

    /// A pointer as a number.
    pub(crate) fn address(&self, terms: &mut Terms, pointer: Term) -> Term {
        let (block, offset) = (block_of(terms, pointer), offset_of(terms, pointer));
        let base = self.base(terms, block);
        terms.add(base, offset)
    }

    /// Whether an offset lies within a block or at its end, with some bytes behind it.
    pub(crate) fn within(&self, terms: &mut Terms, block: Term, offset: Term, bytes: u64) -> Term {
        let size = self.size(terms, block);
        let bytes = terms.number(OFFSET, bytes.into());
        let enough = terms.at_most(false, bytes, size);
        let last = terms.arithmetic(crate::term::Arithmetic::Sub, size, bytes);
        let inside = terms.at_most(false, offset, last);
        terms.and(enough, inside)
    }

    /// Whether a pointer is a multiple of an alignment.
    pub(crate) fn aligned(&self, terms: &mut Terms, pointer: Term, align: u64) -> Term {
        if align <= 1 || !align.is_power_of_two() {
            return terms.bool(true);
        }
        let (block, offset) = (block_of(terms, pointer), offset_of(terms, pointer));
        let bits = align.trailing_zeros();
        let number = match self.known(block) {
            Some(known) if known.align >= align => offset,
            _ => {
                let base = self.base(terms, block);
                terms.add(base, offset)
            }
        };
        let low = terms.truncate(bits, number);
        let zero = terms.number(bits, 0);
        terms.equal(low, zero)
    }
}

/// A byte of memory that is not known; the pointer in it has so many zeros at its top.
fn leaf(terms: &mut Terms, name: &str, address: Term, zeros: u32) -> Term {
    let byte = terms.apply(name, &[address], Sort::Bits(BYTE - zeros));
    let head = terms.extract(BYTE - zeros - 1, POINTER - zeros, byte);
    let rest = terms.extract(POINTER - zeros - 1, 0, byte);
    let none = terms.number(zeros, 0);
    let rest = terms.concat(none, rest);
    terms.concat(head, rest)
}

fn undef_byte(terms: &mut Terms, origin: Origin, target: bool) -> Term {
    let value = terms.choice(Sort::Bits(8), Role::Undef(origin), target);
    let zero = terms.bool(false);
    number_byte(terms, value, zero)
}

/// A byte of a number.
pub(crate) fn number_byte(terms: &mut Terms, value: Term, poison: Term) -> Term {
    let poison = terms.bit_of(poison);
    let rest = terms.number(BYTE - 9, 0);
    let rest = terms.concat(poison, rest);
    terms.concat(value, rest)
}

/// A byte of a pointer.
pub(crate) fn pointer_byte(terms: &mut Terms, pointer: Term, part: u32, poison: Term) -> Term {
    let part = terms.number(3, part.into());
    let value = terms.apply("byte of pointer", &[pointer, part], Sort::Bits(8));
    let (poison, is_pointer) = (terms.bit_of(poison), terms.number(1, 1));
    let rest = terms.concat(part, pointer);
    let rest = terms.concat(is_pointer, rest);
    let rest = terms.concat(poison, rest);
    terms.concat(value, rest)
}

/// A byte as a number.
pub(crate) fn byte_value(terms: &mut Terms, byte: Term) -> Term {
    terms.extract(BYTE - 1, BYTE - 8, byte)
}

/// Whether a byte is poison.
pub(crate) fn byte_poison(terms: &mut Terms, byte: Term) -> Term {
    let bit = terms.extract(BYTE - 9, BYTE - 9, byte);
    terms.is_set(bit)
}

/// Whether a byte is part of a pointer.
pub(crate) fn byte_is_pointer(terms: &mut Terms, byte: Term) -> Term {
    let bit = terms.extract(BYTE - 10, BYTE - 10, byte);
    terms.is_set(bit)
}

/// Eight bytes as a pointer. In initial memory a pointer is undef as a whole, or not at all.
pub(crate) fn pointer_of(
    terms: &mut Terms,
    twins: &mut HashMap<Origin, Term>,
    bytes: &[Term],
    target: bool,
) -> Term {
    if let Some(undef) = undef_run(terms, bytes) {
        let defined: Vec<Term> = bytes.iter().map(|byte| defined_arm(terms, *byte)).collect();
        let pointer = pointer_of(terms, twins, &defined, target);
        let origin = Origin::Byte(pointer);
        twins.insert(origin, pointer);
        let any = terms.choice(Sort::Bits(POINTER - 1), Role::Undef(origin), target);
        let none = terms.number(1, 0);
        let any = terms.concat(none, any);
        return terms.choose(undef, any, pointer);
    }
    let payload = terms.extract(POINTER - 1, 0, bytes[0]);
    if initial_run(terms, bytes) {
        return payload;
    }
    let mut whole = Vec::new();
    let mut number: Option<Term> = None;
    for (index, byte) in bytes.iter().enumerate() {
        let kind = terms.extract(BYTE - 10, POINTER, *byte);
        let expected = terms.number(4, 8 | index as u128);
        whole.push(terms.equal(kind, expected));
        let same = terms.extract(POINTER - 1, 0, *byte);
        whole.push(terms.equal(same, payload));
        let value = byte_value(terms, *byte);
        number = Some(match number {
            None => value,
            Some(low) => terms.concat(value, low),
        });
    }
    let whole = terms.all(&whole);
    let number = number.unwrap_or(payload);
    let other = pointer_from_number(terms, number);
    terms.choose(whole, payload, other)
}

/// A pointer made of a number: into some block, the same one whenever the number is the same.
pub(crate) fn pointer_from_number(terms: &mut Terms, number: Term) -> Term {
    if terms.as_number(number) == Some(0) {
        return terms.number(POINTER, 0);
    }
    let pointer = terms.apply("pointer of number", &[number], Sort::Bits(POINTER - 1));
    let zero = terms.number(1, 0);
    terms.concat(zero, pointer)
}

/// Whether bytes are those of one unknown memory, one after the other: as a pointer they are what the first
/// says, because the function that gives them is any function.
fn initial_run(terms: &mut Terms, bytes: &[Term]) -> bool {
    let leaf = |terms: &Terms, byte: Term| {
        let Node::Concat(head, _) = terms.node(byte) else { return None };
        let Node::Extract { of, .. } = terms.node(*head) else { return None };
        match terms.node(*of) {
            Node::Apply(symbol, arguments) => Some((*symbol, *arguments.first()?)),
            _ => None,
        }
    };
    let Some((symbol, address)) = leaf(terms, bytes[0]) else { return false };
    (0..).zip(bytes).all(|(index, byte)| {
        let place = step_by(terms, address, index);
        leaf(terms, *byte) == Some((symbol, place))
    })
}

/// If each byte is undef under a condition and of unknown memory otherwise: the first condition.
fn undef_run(terms: &mut Terms, bytes: &[Term]) -> Option<Term> {
    let mut first = None;
    for byte in bytes {
        let Node::If(condition, ..) = *terms.node(*byte) else { return None };
        let Node::Apply(symbol, _) = terms.node(condition) else { return None };
        if !terms.symbol_info(*symbol).name.starts_with("undef.") {
            return None;
        }
        first.get_or_insert(condition);
    }
    let defined: Vec<Term> = bytes.iter().map(|byte| defined_arm(terms, *byte)).collect();
    first.filter(|_| initial_run(terms, &defined))
}

fn defined_arm(terms: &Terms, byte: Term) -> Term {
    match *terms.node(byte) {
        Node::If(_, _, defined) => defined,
        _ => byte,
    }
}

/// The block of a pointer.
pub(crate) fn block_of(terms: &mut Terms, pointer: Term) -> Term {
    terms.extract(POINTER - 1, OFFSET, pointer)
}

/// The offset of a pointer.
pub(crate) fn offset_of(terms: &mut Terms, pointer: Term) -> Term {
    terms.extract(OFFSET - 1, 0, pointer)
}

/// A pointer some bytes on.
pub(crate) fn step_by(terms: &mut Terms, pointer: Term, bytes: u64) -> Term {
    if bytes == 0 {
        return pointer;
    }
    let (block, offset) = (block_of(terms, pointer), offset_of(terms, pointer));
    let bytes = terms.number(OFFSET, bytes.into());
    let offset = terms.add(offset, bytes);
    terms.concat(block, offset)
}
