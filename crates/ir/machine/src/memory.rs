//! Memory: blocks of bytes, and values made into bytes and back.
//!
//! A byte knows which of its bits are free. What is no plain bits (pointers, sets of values, NaNs of which
//! nothing is known, integers that are no whole bytes) lies in memory as parts of a whole, and can be read as
//! that whole only.

use std::sync::Arc;

use irtext::Bits;

use crate::reason::Reason;
use crate::shape::Shape;
use crate::value::{Atom, Pointer, Stop, Value, unknown};

/// A byte.
#[derive(Clone, Debug, PartialEq)]
pub enum Byte {
    /// Known bits, and free ones.
    Bits(u8, u8),
    /// Poison.
    Poison,
    /// The byte of that number of a whole.
    Part(Arc<Whole>, u8),
}

/// What lies in several bytes and cannot be taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    /// It.
    pub atom: Atom,
    /// Its type, without parts.
    pub shape: Shape,
}

/// A byte of which nothing is known.
pub const UNDEF: Byte = Byte::Bits(0, 0xff);

/// Who a block is, in a way that both sides of a refinement share.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Name {
    /// A global variable or a function.
    Symbol(Arc<str>),
    /// A block of the input.
    Input(u32),
    /// A block that the world gave, by the question it answered.
    World(u64),
    /// A block of this execution that the world has seen, by the order in which it did.
    Escaped(u32),
    /// A block of this execution alone.
    Local(u32),
}

/// A block of memory.
#[derive(Clone, Debug)]
pub struct Block {
    /// Who it is.
    pub name: Name,
    /// What it holds.
    pub bytes: Vec<Byte>,
    /// Its address is a multiple of this.
    pub align: u64,
    /// Its address, if it has one that may be seen.
    pub address: Option<u64>,
    /// Whether it may be accessed at all: it is alive.
    pub alive: bool,
    /// Whether it may be written.
    pub writable: bool,
    /// Whether the bytes are there: those of globals are made when first needed.
    pub ready: bool,
    /// Whether it came from `malloc` or the like.
    pub heap: bool,
    /// Whether the world may reach it.
    pub escaped: bool,
    /// Tags of the accesses to each byte, and whether they wrote; empty where nobody asks.
    pub tags: Vec<(u32, bool)>,
}

/// The bytes of a value.
pub fn write(shape: &Shape, value: &Value, bytes: &mut [Byte], big: bool) -> Result<(), Stop> {
    match value {
        Value::One(atom) => write_atom(shape, atom, bytes, big),
        Value::Many(parts) => {
            if let Shape::Vector(_, lane) = shape
                && !lane.bits().is_multiple_of(8)
            {
                let whole = join(parts, lane.bits(), big)?;
                return write_atom(&Shape::Integer(shape.bits()), &whole, bytes, big);
            }
            let places = shape.parts();
            if !matches!(shape, Shape::Vector(..)) {
                // Padding holds nothing afterwards.
                bytes.fill(UNDEF);
            } else if parts.iter().filter(|p| p.any(&|a| a.is_shared())).count() > 1 {
                return unknown(Reason::SharedChoiceStored);
            }
            for ((at, part), value) in places.iter().zip(parts.iter()) {
                let from = *at as usize;
                write(part, value, &mut bytes[from..from + part.size() as usize], big)?;
            }
            Ok(())
        }
    }
}

fn write_atom(shape: &Shape, atom: &Atom, bytes: &mut [Byte], big: bool) -> Result<(), Stop> {
    let count = bytes.len();
    let place = |index: usize| if big { count - 1 - index } else { index };
    let plain = match atom {
        Atom::Poison => {
            bytes.fill(Byte::Poison);
            return Ok(());
        }
        Atom::Exact(bits) => Some((bits.clone(), None)),
        Atom::Free(free) if !free.shared => Some((free.known.clone(), Some(free.free.clone()))),
        Atom::Pointer(Pointer::Address(address)) => {
            Some((Bits::new(shape.bits(), (*address).into()), None))
        }
        _ => None,
    };
    match plain.filter(|(known, _)| known.width().is_multiple_of(8)) {
        Some((known, free)) => {
            let byte = |bits: &Bits, index: usize| {
                bits.part(8 * index as u32, 8).small().unwrap_or(0) as u8
            };
            if let (Some(known), None) = (known.small(), &free) {
                for index in 0..count {
                    bytes[place(index)] = Byte::Bits((known >> (8 * index)) as u8, 0);
                }
                return Ok(());
            }
            for index in 0..count {
                let free = free.as_ref().map_or(0, |free| byte(free, index));
                bytes[place(index)] = Byte::Bits(byte(&known, index), free);
            }
        }
        None => {
            let whole = Arc::new(Whole { atom: atom.clone(), shape: shape.clone() });
            for (index, byte) in bytes.iter_mut().enumerate() {
                *byte = Byte::Part(whole.clone(), index as u8);
            }
        }
    }
    Ok(())
}

/// The value that bytes hold.
pub fn read(shape: &Shape, bytes: &[Byte], big: bool) -> Result<Value, Stop> {
    match shape {
        Shape::Vector(count, lane) if !lane.bits().is_multiple_of(8) => {
            let whole = read_atom(&Shape::Integer(shape.bits()), bytes, big)?;
            split(&whole, *count, lane.bits(), big)
        }
        Shape::Vector(..) | Shape::Array(..) | Shape::Struct(..) => {
            let parts = shape.parts().into_iter().map(|(at, part)| {
                let from = at as usize;
                read(part, &bytes[from..from + part.size() as usize], big)
            });
            Ok(Value::Many(parts.collect::<Result<_, _>>()?))
        }
        one => Ok(Value::One(read_atom(one, bytes, big)?)),
    }
}

/// The whole of which bytes are all the parts, in order.
fn whole_of(bytes: &[Byte]) -> Option<&Arc<Whole>> {
    let Some(Byte::Part(first, 0)) = bytes.first() else { return None };
    let fits = bytes.iter().enumerate().all(|(index, byte)| match byte {
        Byte::Part(whole, part) => Arc::ptr_eq(whole, first) && usize::from(*part) == index,
        _ => false,
    });
    (fits && first.shape.size() == bytes.len() as u64).then_some(first)
}

/// An atom that bytes hold.
pub fn read_atom(shape: &Shape, bytes: &[Byte], big: bool) -> Result<Atom, Stop> {
    let width = shape.bits();
    if bytes.iter().any(|byte| matches!(byte, Byte::Poison)) {
        return Ok(Atom::Poison);
    }
    let (mut known, mut free, mut plain) = (0u128, 0u128, bytes.len() <= 16);
    for index in 0..bytes.len() {
        let byte = if big { &bytes[bytes.len() - 1 - index] } else { &bytes[index] };
        match byte {
            Byte::Bits(bits, open) if plain => {
                known |= u128::from(*bits) << (8 * index);
                free |= u128::from(*open) << (8 * index);
            }
            Byte::Bits(..) => {}
            _ => plain = false,
        }
    }
    if plain {
        return of_plain(
            shape,
            bytes.len() as u32 * 8,
            Bits::new(128, known),
            Bits::new(128, free),
        );
    }
    if let Some(whole) = whole_of(bytes) {
        return match (&whole.shape, shape) {
            (a, b) if a == b => Ok(whole.atom.clone()),
            (Shape::Pointer { bits: a, .. }, Shape::Pointer { bits: b, .. }) if a == b => {
                Ok(whole.atom.clone())
            }
            (Shape::Integer(a), Shape::Float(_)) if *a == width => Ok(whole.atom.clone()),
            (Shape::Float(_), Shape::Integer(b)) if *b == whole.shape.bits() => {
                bits_of(&whole.atom)
            }
            _ => unknown(Reason::TypePunning),
        };
    }
    if bytes.iter().any(|byte| matches!(byte, Byte::Part(..))) {
        return unknown(Reason::PartOfValue);
    }
    let total = bytes.len() as u32 * 8;
    let (mut known, mut free) = (Bits::zero(total), Bits::zero(total));
    for index in 0..bytes.len() {
        let byte = if big { &bytes[bytes.len() - 1 - index] } else { &bytes[index] };
        if let Byte::Bits(bits, open) = byte {
            known = known.or(&Bits::new(total, (*bits).into()).shl(8 * index as u32));
            free = free.or(&Bits::new(total, (*open).into()).shl(8 * index as u32));
        }
    }
    of_plain(shape, total, known, free)
}

/// A float's atom seen as an integer.
pub fn bits_of(atom: &Atom) -> Result<Atom, Stop> {
    match atom {
        Atom::Nan => unknown(Reason::BitsOfNan),
        Atom::Pointer(_) => unknown(Reason::BitsOfPointer),
        Atom::Set(set) => match set.of.iter().find(|m| !matches!(m, Atom::Exact(_))) {
            Some(inexact) => bits_of(inexact),
            None => Ok(atom.clone()),
        },
        other => Ok(other.clone()),
    }
}

fn of_plain(shape: &Shape, total: u32, known: Bits, free: Bits) -> Result<Atom, Stop> {
    let width = shape.bits();
    if total > width {
        let above = |bits: &Bits| !bits.resize(total).lshr(width).is_zero();
        let undef = free.resize(total).is_ones();
        if !undef && (above(&known) || above(&free)) {
            return unknown(Reason::PaddingBits);
        }
    }
    let (known, free) = (known.resize(width), free.resize(width));
    match shape {
        Shape::Pointer { .. } if free.is_zero() => {
            Ok(Atom::Pointer(Pointer::Address(known.small().unwrap_or(0) as u64)))
        }
        Shape::Pointer { .. } if !free.is_ones() => unknown(Reason::PointerWithUndefBits),
        _ => Ok(Atom::free(known, free, false)),
    }
}

/// Lanes as one integer, the first lowest (highest where the high byte comes first).
pub fn join(lanes: &[Value], width: u32, big: bool) -> Result<Atom, Stop> {
    let mut shared = 0;
    let (mut known, mut free) = (Bits::zero(0), Bits::zero(0));
    for index in 0..lanes.len() {
        let lane = if big { &lanes[lanes.len() - 1 - index] } else { &lanes[index] };
        let atom = lane.atom()?;
        if matches!(atom, Atom::Poison) {
            return Ok(Atom::Poison);
        }
        shared += u32::from(atom.is_shared());
        let atom = bits_of(atom)?;
        let Some((k, f)) = atom.known_and_free() else {
            return match lanes.len() {
                1 => Ok(atom),
                _ => unknown(Reason::SetsJoined),
            };
        };
        (known, free) = if index == 0 { (k, f) } else { (known.below(&k), free.below(&f)) };
    }
    if shared > 1 {
        return unknown(Reason::SharedChoiceJoined);
    }
    debug_assert_eq!(known.width(), width * lanes.len() as u32);
    Ok(Atom::free(known, free, shared > 0))
}

/// An integer as lanes.
pub fn split(whole: &Atom, count: u32, width: u32, big: bool) -> Result<Value, Stop> {
    if matches!(whole, Atom::Poison) {
        return Ok(Value::many(vec![Value::One(Atom::Poison); count as usize]));
    }
    let Some((known, free)) = bits_of(whole)?.known_and_free() else {
        return match count {
            1 => Ok(Value::many(vec![Value::One(whole.clone())])),
            _ => unknown(Reason::SetSplit),
        };
    };
    let lane = |index: u32| {
        let from = width * if big { count - 1 - index } else { index };
        Value::One(Atom::free(known.part(from, width), free.part(from, width), whole.is_shared()))
    };
    Ok(Value::many((0..count).map(lane).collect()))
}

/// Whether one byte, where the source has another, is allowed. Both sides number blocks alike. `None`: not
/// known.
pub fn admits(source: &[Byte], target: &[Byte], index: usize, big: bool) -> Option<bool> {
    let not_nan = |_: &Bits| false;
    match (&source[index], &target[index]) {
        // Memory that holds nothing may hold poison as well.
        (Byte::Poison | Byte::Bits(_, 0xff), _) => Some(true),
        (_, Byte::Poison) => Some(false),
        (Byte::Bits(k, f), Byte::Bits(l, g)) => Some(g & !f == 0 && l & !f == *k),
        (Byte::Part(whole, part), _) | (_, Byte::Part(whole, part)) => {
            let start = index.checked_sub(usize::from(*part))?;
            let range = start..start + whole.shape.size() as usize;
            let (a, b) = (source.get(range.clone())?, target.get(range)?);
            let a = read_atom(&whole.shape, a, big).ok()?;
            let b = read_atom(&whole.shape, b, big).ok()?;
            match whole.shape {
                Shape::Float(format) => a.admits(&b, &|bits| crate::float::is_nan(format, bits)),
                _ => a.admits(&b, &not_nan),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let vector = Shape::Vector(2, Arc::new(Shape::Integer(16)));
        let value = Value::many(vec![Value::One(Atom::bits(16, 0x1234)), Value::One(Atom::Poison)]);
        for big in [false, true] {
            let mut bytes = vec![UNDEF; 4];
            write(&vector, &value, &mut bytes, big).unwrap();
            assert_eq!(read(&vector, &bytes, big).unwrap(), value);
            assert_eq!(bytes[0], Byte::Bits(if big { 0x12 } else { 0x34 }, 0));
            let whole = read(&Shape::Integer(32), &bytes, big).unwrap();
            assert_eq!(whole, Value::One(Atom::Poison));
        }
    }

    #[test]
    fn pointers_are_read_whole_only() {
        let shape = Shape::Pointer { space: 0, bits: 64 };
        let pointer = Value::One(Atom::Pointer(Pointer::Block { block: 3, offset: 8 }));
        let mut bytes = vec![UNDEF; 9];
        write(&shape, &pointer, &mut bytes[1..], false).unwrap();
        assert_eq!(read(&shape, &bytes[1..], false).unwrap(), pointer);
        assert!(read(&Shape::Integer(64), &bytes[1..], false).is_err());
        assert!(read(&shape, &bytes[..8], false).is_err());
        let null = Value::One(Atom::Pointer(crate::value::NULL));
        write(&shape, &null, &mut bytes[1..], false).unwrap();
        assert_eq!(
            read(&Shape::Integer(64), &bytes[1..], false).unwrap(),
            Value::One(Atom::bits(64, 0))
        );
    }

    #[test]
    fn odd_widths_are_read_as_written() {
        let mut bytes = vec![UNDEF; 1];
        write(&Shape::Integer(1), &Value::One(Atom::truth(true)), &mut bytes, false).unwrap();
        assert_eq!(read(&Shape::Integer(1), &bytes, false).unwrap(), Value::One(Atom::truth(true)));
        assert!(read(&Shape::Integer(8), &bytes, false).is_err());
        let mask = Shape::Vector(8, Arc::new(Shape::Integer(1)));
        let byte = [Byte::Bits(0b101, 0)];
        let lanes = read(&mask, &byte, false).unwrap();
        assert_eq!(lanes.parts().unwrap()[2], Value::One(Atom::truth(true)));
        assert_eq!(lanes.parts().unwrap()[1], Value::One(Atom::truth(false)));
    }
}
