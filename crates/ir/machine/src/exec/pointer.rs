//! Pointers: arithmetic, comparison, and their addresses as far as these can be seen.
//!
//! Blocks of the input, globals and what the world gave have addresses, the same on both sides. Blocks of the
//! execution itself have none: whatever would depend on one is unknown.

use irtext::{Bits, GepFlags, IntPredicate};

use super::{Frame, Machine};
use crate::code::{Operand, Step};
use crate::integer::{answers, exact, is_signed};
use crate::reason::Reason;
use crate::value::{Atom, Pointer, Stop, Value, lift, unknown};

impl<'a> Machine<'a> {
    /// `getelementptr`.
    pub(super) fn element(
        &mut self,
        frame: &Frame<'a>,
        flags: &GepFlags,
        base: &'a Operand,
        steps: &'a [Step],
        lanes: Option<u32>,
        bits: u32,
    ) -> Result<Value, Stop> {
        let mut pointer = spread(self.operand(frame, base)?, lanes);
        for step in steps {
            let index = spread(self.operand(frame, &step.index)?, lanes);
            pointer = pointer.zip(&index, &mut |pointer, index| {
                self.step_by(flags, pointer, index, step.stride, bits)
            })?;
        }
        Ok(pointer)
    }

    /// One step of a `getelementptr`.
    fn step_by(
        &mut self,
        flags: &GepFlags,
        pointer: &Atom,
        index: &Atom,
        stride: u64,
        bits: u32,
    ) -> Result<Atom, Stop> {
        let strict = flags.inbounds || flags.nusw || flags.nuw;
        if matches!(pointer, Atom::Poison) || matches!(index, Atom::Poison) {
            return Ok(Atom::Poison);
        }
        if matches!(pointer, Atom::Free(_)) {
            return match strict {
                false if pointer.is_undef() => Ok(pointer.clone()),
                _ => unknown(Reason::UndefPointerArithmetic),
            };
        }
        if let Atom::Pointer(Pointer::Block { block, .. }) = pointer {
            self.prepare(*block)?;
        }
        if index.members().is_none() && flags.inbounds {
            // It may lead anywhere, also out of bounds.
            return match index.is_undef() && stride > 0 {
                true => Ok(Atom::Poison),
                false => unknown(Reason::UndefIndex),
            };
        }
        lift([pointer, index], |[pointer, index]| {
            let Atom::Pointer(pointer) = pointer else {
                return unknown(Reason::PointerExpected);
            };
            let wide = exact(index)?;
            let index = wide.resize_signed(bits);
            if strict && flags.inbounds | flags.nusw && wide.width() > bits {
                let kept = index.resize_signed(wide.width()) == *wide;
                if !kept {
                    return Ok(Atom::Poison);
                }
            }
            let index = index.resize_signed(128).small().unwrap_or(0) as i128;
            let offset = index * i128::from(stride);
            self.moved(flags, *pointer, offset, bits)
        })
    }

    fn moved(
        &self,
        flags: &GepFlags,
        pointer: Pointer,
        offset: i128,
        bits: u32,
    ) -> Result<Atom, Stop> {
        let wrapped = |value: i128| match bits {
            64 => i128::from(value as i64),
            _ => i128::from(value as i32),
        };
        if offset == 0 {
            return Ok(Atom::Pointer(pointer));
        }
        let signed = flags.inbounds || flags.nusw;
        if signed && wrapped(offset) != offset || flags.nuw && offset < 0 {
            return Ok(Atom::Poison);
        }
        match pointer {
            Pointer::Address(address) => {
                if flags.inbounds {
                    return match address {
                        0 => Ok(Atom::Poison),
                        _ => unknown(Reason::InboundsPlainAddress),
                    };
                }
                let sum = i128::from(address) + offset;
                let most = (1i128 << bits) - 1;
                if (flags.nusw || flags.nuw) && !(0..=most).contains(&sum) {
                    return Ok(Atom::Poison);
                }
                Ok(Atom::Pointer(Pointer::Address((sum & most) as u64)))
            }
            Pointer::Block { block, offset: before } => {
                let sum = i128::from(before) + wrapped(offset);
                let held = &self.blocks[block as usize];
                let size = held.bytes.len() as i128;
                if flags.inbounds
                    && (!(0..=size).contains(&sum) || !(0..=size).contains(&before.into()))
                {
                    return Ok(Atom::Poison);
                }
                if (flags.nusw || flags.nuw) && !flags.inbounds && !(0..=size).contains(&sum) {
                    let Some(address) = held.address else {
                        return unknown(Reason::BeyondLocal);
                    };
                    let end = i128::from(address) + sum;
                    if !(0..1i128 << bits).contains(&end) {
                        return Ok(Atom::Poison);
                    }
                }
                Ok(Atom::Pointer(Pointer::Block { block, offset: wrapped(sum) as i64 }))
            }
        }
    }

    /// The address of an exact pointer, if it may be seen.
    pub(super) fn address(&self, pointer: Pointer) -> Option<u64> {
        match pointer {
            Pointer::Address(address) => Some(address),
            Pointer::Block { block, offset } => {
                let address = self.blocks[block as usize].address?;
                let sum = address.wrapping_add_signed(offset);
                Some(if self.program.pointer_bits == 32 { sum & 0xffff_ffff } else { sum })
            }
        }
    }

    /// `ptrtoint`.
    pub(super) fn address_of(&mut self, atom: &Atom, width: u32) -> Result<Atom, Stop> {
        let bits = self.program.pointer_bits;
        if atom.is_undef() {
            return crate::integer::resize(atom, width, false, Default::default());
        }
        lift([atom], |[atom]| {
            let Atom::Pointer(pointer) = atom else { return unknown(Reason::PointerExpected) };
            match self.address(*pointer) {
                Some(address) => {
                    let whole = Bits::new(bits, address.into());
                    Ok(Atom::Exact(whole.resize(width)))
                }
                None => unknown(Reason::AddressOfLocal),
            }
        })
    }

    /// `inttoptr`: into the block that is there, or to no block.
    pub(super) fn pointer_at(&self, bits: &Bits) -> Pointer {
        let address = bits.small().unwrap_or(0) as u64;
        let inside = |start: u64, size: u64| address >= start && address - start < size;
        for (number, block) in self.blocks.iter().enumerate() {
            if let Some(start) = block.address
                && block.alive
                && inside(start, block.bytes.len() as u64)
            {
                let offset = (address - start) as i64;
                return Pointer::Block { block: number as u32, offset };
            }
        }
        Pointer::Address(address)
    }

    /// `icmp` of pointers.
    pub(super) fn compare_pointers(
        &mut self,
        predicate: IntPredicate,
        a: &Atom,
        b: &Atom,
    ) -> Result<Atom, Stop> {
        if matches!(a, Atom::Poison) || matches!(b, Atom::Poison) {
            return Ok(Atom::Poison);
        }
        if a.is_undef() || b.is_undef() {
            return match predicate {
                IntPredicate::Eq | IntPredicate::Ne => Ok(Atom::undef(1)),
                _ => unknown(Reason::UndefPointerComparison),
            };
        }
        for atom in [a, b] {
            if let Atom::Pointer(Pointer::Block { block, .. }) = atom {
                self.prepare(*block)?;
            }
        }
        lift([a, b], |[a, b]| match (a, b) {
            (Atom::Pointer(a), Atom::Pointer(b)) => {
                self.compare_exact(predicate, *a, *b).map(Atom::truth)
            }
            _ => unknown(Reason::PointerExpected),
        })
    }

    fn compare_exact(&self, predicate: IntPredicate, a: Pointer, b: Pointer) -> Result<bool, Stop> {
        let equality = matches!(predicate, IntPredicate::Eq | IntPredicate::Ne);
        if let (Some(x), Some(y)) = (self.address(a), self.address(b)) {
            let bits = self.program.pointer_bits;
            let (x, y) = (Bits::new(bits, x.into()), Bits::new(bits, y.into()));
            let ordering = if is_signed(predicate) { x.compare_signed(&y) } else { x.compare(&y) };
            return Ok(answers(predicate, ordering));
        }
        if let (Pointer::Block { block: p, offset: x }, Pointer::Block { block: q, offset: y }) =
            (a, b)
            && p == q
        {
            if equality || !is_signed(predicate) && self.within(a, true) && self.within(b, true) {
                return Ok(answers(predicate, x.cmp(&y)));
            }
            return unknown(Reason::OrderBesideLocal);
        }
        let null = |p| p == Pointer::Address(0);
        if (null(a) && self.within(b, true)) || (null(b) && self.within(a, true)) {
            if is_signed(predicate) {
                return unknown(Reason::SignOfLocalAddress);
            }
            let ordering =
                if null(a) { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater };
            return Ok(answers(predicate, ordering));
        }
        let blocks = matches!((a, b), (Pointer::Block { .. }, Pointer::Block { .. }));
        if equality && blocks && self.within(a, false) && self.within(b, false) {
            return Ok(predicate == IntPredicate::Ne);
        }
        unknown(Reason::ComparisonWithLocal)
    }

    /// Whether a pointer is at a byte of a live block, or, if `end` counts, behind its last.
    fn within(&self, pointer: Pointer, end: bool) -> bool {
        match pointer {
            Pointer::Address(_) => false,
            Pointer::Block { block, offset } => {
                let block = &self.blocks[block as usize];
                let size = block.bytes.len() as i64;
                block.alive && offset >= 0 && (offset < size || end && offset == size)
            }
        }
    }
}

/// A value for each lane. One that is not exact is one choice for all.
pub(super) fn spread(value: Value, lanes: Option<u32>) -> Value {
    match (lanes, value) {
        (Some(count), Value::One(atom)) => {
            let atom = if count > 1 { atom.share() } else { atom };
            Value::many(vec![Value::One(atom); count as usize])
        }
        (_, value) => value,
    }
}
