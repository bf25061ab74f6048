//! What library functions do, those that are executed.

use irtext::Bits;

use super::masked::{length, shifted};
use super::{Frame, Machine};
use crate::code::Call;
use crate::float;
use crate::integer::exact;
use crate::library::Library;
use crate::lower::LARGEST_BLOCK;
use crate::memory::{self, Byte, UNDEF};
use crate::reason::{ClaimedValue, Reason, Ub};
use crate::shape::Shape;
use crate::value::{Atom, NULL, Pointer, Stop, Value, lift, ub, unknown};

/// Strings longer than this are not looked through.
const LONGEST: u64 = 4096;

impl<'a> Machine<'a> {
    /// A call of a library function.
    pub(super) fn library(
        &mut self,
        frame: &mut Frame<'a>,
        library: &'a Library,
        call: &'a Call,
        mut arguments: Vec<Value>,
    ) -> Result<Value, Stop> {
        match library {
            Library::Unsupported(name) => return unknown(Reason::LibraryFunction(name.clone())),
            Library::Other(name) => return unknown(Reason::NotTheLibrarys(name.clone())),
            _ => {}
        }
        if !fits(library, call) {
            return unknown(Reason::LibraryFunctionType);
        }
        for (value, (_, shape, facts)) in arguments.iter_mut().zip(&call.arguments) {
            *value = self.claimed(value.clone(), shape, facts, ClaimedValue::Argument)?;
        }
        let result = self.library_result(frame, library, call, &arguments)?;
        self.claimed(result, &call.result, &call.facts, ClaimedValue::CallResult)
    }

    fn library_result(
        &mut self,
        frame: &mut Frame<'a>,
        library: &'a Library,
        call: &'a Call,
        arguments: &[Value],
    ) -> Result<Value, Stop> {
        let first = || arguments[0].atom();
        let one = |atom| Ok(Value::One(atom));
        match library {
            Library::Abs => one(lift([first()?], |[a]| {
                let bits = exact(a)?;
                match *bits == Bits::least_signed(bits.width()) {
                    true => unknown(Reason::AbsOfMinimum),
                    false => Ok(Atom::Exact(bits.magnitude())),
                }
            })?),
            Library::Ffs | Library::IsDigit | Library::IsAscii | Library::ToAscii => {
                one(lift([first()?], |[a]| match library.of_character(exact(a)?) {
                    Some(bits) => Ok(Atom::Exact(bits)),
                    None => unknown(Reason::CharacterClass),
                })?)
            }
            Library::Round(..) | Library::FAbs(_) | Library::CopySign(_) | Library::Extreme(..) => {
                self.library_float(library, call, arguments)
            }
            Library::Malloc => self.allocated(first()?, UNDEF),
            Library::Calloc => {
                let (a, b) = (exact(first()?)?, exact(arguments[1].atom()?)?);
                if a.mul_wraps(b) {
                    return one(Atom::Pointer(NULL));
                }
                self.allocated(&Atom::Exact(a.mul(b)), Byte::Bits(0, 0))
            }
            Library::Free => self.free(first()?),
            Library::StrLen => {
                let mut count = 0u64;
                while self.character(frame, &shifted(first()?, count)?)? != 0 {
                    count += 1;
                    if count > LONGEST {
                        return unknown(Reason::LongString);
                    }
                }
                one(Atom::bits(call.result.bits(), count.into()))
            }
            Library::StrCmp { bounded } => {
                let most =
                    if *bounded { length(arguments[2].atom()?)?.unwrap_or(0) } else { u64::MAX };
                self.compare_bytes(frame, call, arguments, most, true)
            }
            Library::MemCmp => {
                let most = length(arguments[2].atom()?)?.unwrap_or(0);
                self.reach_all(frame, arguments, most)?;
                self.compare_bytes(frame, call, arguments, most, false)
            }
            Library::MemChr => self.find(frame, arguments),
            Library::Memory { fill: false, overlapping } => {
                let size = arguments[2].atom()?;
                self.copy(frame, &arguments[0], &arguments[1], size, (1, 1), *overlapping)?;
                Ok(arguments[0].clone())
            }
            Library::Memory { fill: true, .. } => {
                let byte =
                    crate::integer::resize(arguments[1].atom()?, 8, false, Default::default())?;
                self.fill(frame, &arguments[0], &byte, arguments[2].atom()?, 1)?;
                Ok(arguments[0].clone())
            }
            Library::PrintF | Library::Puts | Library::PutChar => {
                self.print(frame, library, call, arguments)
            }
            Library::Unsupported(name) => unknown(Reason::LibraryFunction(name.clone())),
            Library::Other(name) => unknown(Reason::NotTheLibrarys(name.clone())),
        }
    }

    fn library_float(
        &mut self,
        library: &Library,
        call: &'a Call,
        arguments: &[Value],
    ) -> Result<Value, Stop> {
        // Of zeros of both signs C's `fmin` may return either.
        let nsz = call.fast.nsz || matches!(library, Library::Extreme(..));
        let fast = irtext::FastMath { nsz, ..call.fast };
        if !matches!(library, Library::FAbs(_) | Library::CopySign(_)) {
            super::operate::exact_only(fast)?;
        }
        let Some(format) = call.result.format() else { return unknown(Reason::FloatExpected) };
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.fast_value(fast, format, argument.clone())?;
            values.push(value.atom()?.clone());
        }
        let result = match (library, values.as_slice()) {
            (Library::Round(op, _), [a]) => lift([a], |[a]| float::unary(*op, format, a))?,
            (Library::FAbs(_), [a]) => lift([a], |[a]| float::absolute(format, a))?,
            (Library::CopySign(_), [a, b]) => {
                lift([a, b], |[a, b]| float::copy_sign(format, a, b))?
            }
            (Library::Extreme(op, _), [a, b]) => {
                lift([a, b], |[a, b]| float::extreme(*op, format, a, b))?
            }
            _ => return unknown(Reason::LibraryFunctionType),
        };
        self.fast_value(fast, format, Value::One(result))
    }

    /// New memory, or none.
    fn allocated(&mut self, size: &Atom, fill: Byte) -> Result<Value, Stop> {
        let size = match size {
            Atom::Exact(bits) => bits.small().unwrap_or(u128::MAX),
            _ => return unknown(Reason::AllocationOfUndefSize),
        };
        if size > LARGEST_BLOCK.into() {
            return unknown(Reason::LargeAllocation);
        }
        if self.choose(2) == 1 {
            return Ok(Value::One(Atom::Pointer(NULL)));
        }
        let block = self.allocate(size as u64, 16, fill, true)?;
        Ok(Value::One(Atom::Pointer(Pointer::Block { block, offset: 0 })))
    }

    fn free(&mut self, pointer: &Atom) -> Result<Value, Stop> {
        let nothing = Ok(Value::many(Vec::new()));
        match pointer {
            Atom::Pointer(Pointer::Address(0)) => nothing,
            Atom::Pointer(Pointer::Block { block, offset: 0 }) => {
                let held = &mut self.blocks[*block as usize];
                if !held.heap {
                    // What the outside gave may have come from its allocator.
                    return match held.address.is_none() {
                        true => ub(Ub::FreeOfOther),
                        false => unknown(Reason::FreeOfOuterMemory),
                    };
                }
                if !held.alive {
                    return ub(Ub::DoubleFree);
                }
                held.alive = false;
                nothing
            }
            Atom::Poison | Atom::Free(_) => ub(Ub::FreeOfUndef),
            _ => unknown(Reason::FreeOfUnknownPointer),
        }
    }

    /// A byte of a string.
    pub(super) fn character(&mut self, frame: &Frame<'a>, at: &Atom) -> Result<u8, Stop> {
        let (block, offset) = self.reach_bytes(frame, at, 1, 1, false)?;
        let byte = &self.blocks[block as usize].bytes[offset..=offset];
        match memory::read_atom(&Shape::Integer(8), byte, false)? {
            Atom::Exact(bits) => Ok(bits.small().unwrap_or(0) as u8),
            _ => unknown(Reason::UndefInString),
        }
    }

    fn reach_all(&mut self, frame: &Frame<'a>, arguments: &[Value], size: u64) -> Result<(), Stop> {
        if size > 0 {
            for pointer in &arguments[..2] {
                self.reach_bytes(frame, pointer.atom()?, size, 1, false)?;
            }
        }
        Ok(())
    }

    /// Whether bytes are equal. By how much others differ is the library's choice.
    fn compare_bytes(
        &mut self,
        frame: &Frame<'a>,
        call: &'a Call,
        arguments: &[Value],
        most: u64,
        strings: bool,
    ) -> Result<Value, Stop> {
        let equal = Ok(Value::One(Atom::bits(call.result.bits(), 0)));
        for index in 0..most.min(LONGEST) {
            let a = self.character(frame, &shifted(arguments[0].atom()?, index)?)?;
            let b = self.character(frame, &shifted(arguments[1].atom()?, index)?)?;
            if a != b {
                return unknown(Reason::StringDifference);
            }
            if strings && a == 0 {
                return equal;
            }
        }
        if most > LONGEST { unknown(Reason::LongString) } else { equal }
    }

    fn find(&mut self, frame: &Frame<'a>, arguments: &[Value]) -> Result<Value, Stop> {
        let wanted = exact(arguments[1].atom()?)?.small().unwrap_or(0) as u8;
        let most = length(arguments[2].atom()?)?.unwrap_or(0);
        for index in 0..most.min(LONGEST) {
            let at = shifted(arguments[0].atom()?, index)?;
            if self.character(frame, &at)? == wanted {
                return Ok(Value::One(at));
            }
        }
        if most > LONGEST {
            unknown(Reason::LongString)
        } else {
            Ok(Value::One(Atom::Pointer(NULL)))
        }
    }
}

/// Whether a call has the type that the library's function has.
fn fits(library: &Library, call: &Call) -> bool {
    let shapes: Vec<&Shape> = call.arguments.iter().map(|(_, shape, _)| shape).collect();
    let int = |shape: &Shape| matches!(shape, Shape::Integer(32 | 64));
    let ptr = |shape: &Shape| matches!(shape, Shape::Pointer { .. });
    let result = &call.result;
    match library {
        Library::Abs | Library::Ffs | Library::IsDigit | Library::IsAscii | Library::ToAscii => {
            matches!(shapes[..], [a] if int(a)) && int(result)
        }
        Library::Round(_, format) | Library::FAbs(format) => {
            let float = Shape::Float(*format);
            shapes == [&float] && *result == float
        }
        Library::CopySign(format) | Library::Extreme(_, format) => {
            let float = Shape::Float(*format);
            shapes == [&float, &float] && *result == float
        }
        Library::Malloc => matches!(shapes[..], [a] if int(a)) && ptr(result),
        Library::Calloc => matches!(shapes[..], [a, b] if int(a) && a == b) && ptr(result),
        Library::Free => matches!(shapes[..], [a] if ptr(a)) && *result == Shape::Void,
        Library::StrLen => matches!(shapes[..], [a] if ptr(a)) && int(result),
        Library::StrCmp { bounded: false } => {
            matches!(shapes[..], [a, b] if ptr(a) && ptr(b)) && int(result)
        }
        Library::StrCmp { bounded: true } | Library::MemCmp => {
            matches!(shapes[..], [a, b, c] if ptr(a) && ptr(b) && int(c)) && int(result)
        }
        Library::MemChr => {
            matches!(shapes[..], [a, b, c] if ptr(a) && int(b) && int(c)) && ptr(result)
        }
        Library::Memory { fill, .. } => {
            matches!(shapes[..], [a, b, c] if ptr(a) && int(c) && if *fill { int(b) } else { ptr(b) })
                && ptr(result)
        }
        Library::PrintF => shapes.first().is_some_and(|a| ptr(a)) && int(result),
        Library::Puts => matches!(shapes[..], [a] if ptr(a)) && int(result),
        Library::PutChar => matches!(shapes[..], [a] if int(a)) && int(result),
        Library::Unsupported(_) | Library::Other(_) => true,
    }
}
