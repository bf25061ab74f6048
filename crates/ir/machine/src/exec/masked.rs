//! Accesses of many lanes or many bytes: masked loads and stores, copies, fills.

use super::{Frame, Machine};
use crate::code::{Access, Call};
use crate::integer::exact;
use crate::intrinsic::Intrinsic;
use crate::memory::{self, Byte};
use crate::reason::{Reason, Ub};
use crate::shape::Shape;
use crate::value::{Atom, Pointer, Stop, Value, ub, unknown};

impl<'a> Machine<'a> {
    /// `llvm.masked.…`.
    pub(super) fn masked(
        &mut self,
        frame: &Frame<'a>,
        intrinsic: Intrinsic,
        call: &'a Call,
        arguments: &[Value],
    ) -> Result<Value, Stop> {
        use Intrinsic::*;
        let stores = matches!(intrinsic, MaskedStore | MaskedScatter | CompressStore);
        let spread = matches!(intrinsic, MaskedGather | MaskedScatter);
        let packed = matches!(intrinsic, ExpandLoad | CompressStore);
        let place = if stores { 1 } else { 0 };
        // Until 21 the alignment is an argument; then it is an attribute of the pointer.
        let with_align = !packed && arguments.len() == 4;
        let mask_at = place + 1 + usize::from(with_align);
        let shape = if stores { &call.arguments[0].1 } else { &call.result };
        let Shape::Vector(count, lane) = shape else {
            return unknown(Reason::VectorExpected);
        };
        let align = match with_align {
            true => exact(arguments[place + 1].atom()?)?.small().unwrap_or(1) as u64,
            false => super::intrinsic::align_of(call, place),
        };
        let mask =
            arguments.get(mask_at).map_or_else(|| unknown(Reason::PartsExpected), |m| m.parts())?;
        let mut wanted = Vec::new();
        for lane in mask {
            match lane.atom()? {
                Atom::Exact(bits) => wanted.push(!bits.is_zero()),
                _ => return unknown(Reason::UndefMask),
            }
        }
        if !lane.bits().is_multiple_of(8) {
            return unknown(Reason::LanesBelowByte);
        }
        let size = lane.size();
        let align = if align == 0 { size } else { align };
        let mut lanes = match (stores, arguments.get(mask_at + 1)) {
            (true, _) => Vec::new(),
            (false, Some(rest)) => rest.parts()?.to_vec(),
            (false, None) => return unknown(Reason::PartsExpected),
        };
        let mut next = 0u64;
        for index in 0..*count as usize {
            if !wanted[index] {
                continue;
            }
            let at = if packed { next } else { index as u64 };
            next += 1;
            let (pointer, align) = match spread {
                true => (arguments[place].parts()?[index].atom()?.clone(), align),
                false => {
                    let offset = at * size;
                    let pointer = shifted(arguments[place].atom()?, offset)?;
                    // Each lane is as aligned as the whole leaves it.
                    let align =
                        if offset == 0 { align } else { align.min(1 << offset.trailing_zeros()) };
                    (pointer, if packed { align.min(size.max(1)) } else { align })
                }
            };
            let align = if align.is_power_of_two() { align } else { 1 };
            let access = Access { shape: (**lane).clone(), align, volatile: false, tag: 0 };
            match stores {
                true => {
                    let value = arguments[0].parts()?[index].clone();
                    self.store(frame, &access, &pointer, &value)?;
                }
                false => lanes[index] = self.load(frame, &access, &pointer)?,
            }
        }
        // The whole must be aligned, if anything of it is touched.
        if !spread && !packed && wanted.contains(&true) {
            match arguments[place].atom()? {
                Atom::Pointer(pointer) if self.is_aligned(*pointer, align)? => {}
                _ => return ub(Ub::MaskedMisaligned),
            }
        }
        Ok(Value::many(lanes))
    }

    /// Copies bytes.
    pub(super) fn copy(
        &mut self,
        frame: &Frame<'a>,
        to: &Value,
        from: &Value,
        size: &Atom,
        (align_to, align_from): (u64, u64),
        overlapping: bool,
    ) -> Result<(), Stop> {
        let Some(size) = length(size)? else { return Ok(()) };
        let (source, start) = self.reach_bytes(frame, from.atom()?, size, align_from, false)?;
        let (target, end) = self.reach_bytes(frame, to.atom()?, size, align_to, true)?;
        let size = size as usize;
        if source == target && !overlapping && start != end && start.abs_diff(end) < size {
            return ub(Ub::CopyOverlaps);
        }
        self.untag(source, start, size)?;
        self.untag(target, end, size)?;
        let bytes = self.blocks[source as usize].bytes[start..start + size].to_vec();
        self.blocks[target as usize].bytes[end..end + size].clone_from_slice(&bytes);
        Ok(())
    }

    /// Fills bytes.
    pub(super) fn fill(
        &mut self,
        frame: &Frame<'a>,
        to: &Value,
        byte: &Atom,
        size: &Atom,
        align: u64,
    ) -> Result<(), Stop> {
        let Some(size) = length(size)? else { return Ok(()) };
        let (block, start) = self.reach_bytes(frame, to.atom()?, size, align, true)?;
        let mut bytes = vec![Byte::Poison];
        memory::write(&Shape::Integer(8), &Value::One(byte.clone()), &mut bytes, false)?;
        if matches!(bytes[0], Byte::Part(..)) && size > 1 {
            return unknown(Reason::FillOfSet);
        }
        self.untag(block, start, size as usize)?;
        self.blocks[block as usize].bytes[start..start + size as usize].fill(bytes[0].clone());
        Ok(())
    }

    /// Copies and fills claim nothing about aliases, but may meet what others claim.
    fn untag(&mut self, block: u32, start: usize, size: usize) -> Result<(), Stop> {
        let tags = &self.blocks[block as usize].tags;
        match tags.get(start..start + size) {
            Some(tags) if tags.iter().any(|(tag, _)| *tag != 0) => {
                unknown(Reason::AliasMetadataDiffers)
            }
            _ => Ok(()),
        }
    }
}

/// How many bytes; `None`: none.
pub(super) fn length(size: &Atom) -> Result<Option<u64>, Stop> {
    match size {
        Atom::Exact(bits) => match bits.small().and_then(|size| u64::try_from(size).ok()) {
            Some(0) => Ok(None),
            Some(size) => Ok(Some(size)),
            None => ub(Ub::CopyOutOfBounds),
        },
        Atom::Poison | Atom::Free(_) => ub(Ub::CopyOfUndefLength),
        _ => unknown(Reason::LengthOfCopy),
    }
}

/// A pointer some bytes further.
pub(super) fn shifted(pointer: &Atom, by: u64) -> Result<Atom, Stop> {
    match pointer {
        Atom::Pointer(Pointer::Block { block, offset }) => {
            let offset = offset.wrapping_add(by as i64);
            Ok(Atom::Pointer(Pointer::Block { block: *block, offset }))
        }
        Atom::Pointer(Pointer::Address(0)) => Ok(pointer.clone()),
        Atom::Poison | Atom::Free(_) => Ok(pointer.clone()),
        _ => unknown(Reason::AccessAtPlainAddress),
    }
}
