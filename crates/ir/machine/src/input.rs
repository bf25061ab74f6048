//! Inputs of a function: its arguments, the memory they lead to, and what the environment answers.
//!
//! An input is plain data, written by the generator of this crate, by a solver's model or by hand. Both
//! sides of a refinement are executed on the same input.
//!
//! Not here: the values that an execution computes with (`value`), and how inputs are drawn (`inputs`).

use std::fmt;

use irtext::Bits;

/// What a function is executed on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// One for each parameter, in order.
    pub arguments: Vec<Datum>,
    /// Memory that pointers among the arguments lead to. A block here has an address of its own, the same on
    /// both sides, and nothing else lies near it.
    pub blocks: Vec<InputObject>,
    /// What global variables hold that have no fixed contents; those not named here hold their initialisers.
    pub globals: Vec<(String, Vec<InputByte>)>,
    /// Which environment: the addresses of blocks, and what functions answer that are declared only.
    pub environment: u64,
}

/// A value of any type.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// An integer, a float or a pointer.
    Scalar(Scalar),
    /// Lanes of a vector, elements of an array, fields of a structure.
    Many(Vec<Datum>),
}

/// A value of a type that has no parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// An integer, or a float as the bits of its format.
    Bits(Bits),
    /// `undef`: each use of it may see other bits.
    Undef,
    /// Some bits are known, each use of it may see other ones in place of the rest: what `or i8 undef, 7` is.
    Partly {
        /// Those that are known; zero where free.
        known: Bits,
        /// Those that are free.
        free: Bits,
    },
    /// `poison`.
    Poison,
    /// A pointer.
    Pointer(InputPointer),
}

/// Where a pointer points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputPointer {
    /// `null`.
    Null,
    /// Into an object of the input.
    Block {
        /// Which of [`Input::blocks`].
        block: u32,
        /// How many bytes from its beginning.
        offset: i64,
    },
    /// Into a global variable, or at a function.
    Global {
        /// Its name, without `@`.
        name: String,
        /// How many bytes from its beginning.
        offset: i64,
    },
    /// An address where there is no memory.
    Address(u64),
}

/// A memory object.
#[derive(Clone, Debug, PartialEq)]
pub struct InputObject {
    /// What it holds; its length is the block's size.
    pub bytes: Vec<InputByte>,
    /// Its address is a multiple of this power of two, and of no greater one.
    pub align: u64,
}

/// A byte of memory.
#[derive(Clone, Debug, PartialEq)]
pub enum InputByte {
    /// These bits.
    Bits(u8),
    /// Bits that are chosen whenever they are read.
    Undef,
    /// `poison`.
    Poison,
    /// The byte of that number, in the order of memory, of a pointer.
    Pointer(InputPointer, u8),
}

impl Datum {
    /// An integer.
    pub fn bits(width: u32, value: u128) -> Datum {
        Datum::Scalar(Scalar::Bits(Bits::new(width, value)))
    }

    /// A pointer into a block of the input.
    pub fn block(block: u32, offset: i64) -> Datum {
        Datum::Scalar(Scalar::Pointer(InputPointer::Block { block, offset }))
    }
}

impl fmt::Display for InputPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (base, offset) = match self {
            InputPointer::Null => return write!(f, "null"),
            InputPointer::Address(address) => return write!(f, "address {address:#x}"),
            InputPointer::Block { block, offset } => (format!("object {block}"), offset),
            InputPointer::Global { name, offset } => (format!("@{name}"), offset),
        };
        match offset {
            0 => write!(f, "{base}"),
            1.. => write!(f, "{base} + {offset}"),
            _ => write!(f, "{base} - {}", offset.unsigned_abs()),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bits(bits) if bits.width() == 1 => write!(f, "{}", bits.bit(0)),
            Scalar::Bits(bits) => write!(f, "{bits}"),
            Scalar::Undef => write!(f, "undef"),
            Scalar::Partly { known, free } => {
                let bit = |index| match (free.bit(index), known.bit(index)) {
                    (true, _) => 'u',
                    (false, true) => '1',
                    (false, false) => '0',
                };
                let bits: String = (0..known.width()).rev().map(bit).collect();
                write!(f, "0b{bits} (u: undef)")
            }
            Scalar::Poison => write!(f, "poison"),
            Scalar::Pointer(place) => write!(f, "{place}"),
        }
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Scalar(scalar) => write!(f, "{scalar}"),
            Datum::Many(parts) => {
                write!(f, "<")?;
                for (index, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if index == 0 { "" } else { ", " })?;
                }
                write!(f, ">")
            }
        }
    }
}

impl fmt::Display for InputByte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputByte::Bits(bits) => write!(f, "{bits:02x}"),
            InputByte::Undef => write!(f, "undef"),
            InputByte::Poison => write!(f, "poison"),
            InputByte::Pointer(place, part) => write!(f, "({place}).{part}"),
        }
    }
}

/// Bytes of a block; many equal ones are counted.
fn write_bytes(f: &mut fmt::Formatter<'_>, bytes: &[InputByte]) -> fmt::Result {
    for (number, run) in bytes.chunk_by(|a, b| a == b).enumerate() {
        let space = if number == 0 { "" } else { " " };
        match run {
            [byte] => write!(f, "{space}{byte}")?,
            [byte, ..] => write!(f, "{space}{byte}×{}", run.len())?,
            [] => {}
        }
    }
    Ok(())
}

impl Input {
    /// The arguments as somebody who knows the parameters writes them, then a line for each block and global.
    pub fn describe(&self, argument: impl Fn(usize, &Datum) -> String) -> String {
        let arguments = self.arguments.iter().enumerate();
        let arguments: Vec<String> = arguments.map(|(index, of)| argument(index, of)).collect();
        arguments.join(", ") + &self.memory().to_string()
    }

    /// Whether an argument or a byte is `undef`.
    pub fn has_undef(&self) -> bool {
        fn in_datum(datum: &Datum) -> bool {
            match datum {
                Datum::Scalar(scalar) => matches!(scalar, Scalar::Undef | Scalar::Partly { .. }),
                Datum::Many(parts) => parts.iter().any(in_datum),
            }
        }
        let blocks = self.blocks.iter().map(|block| &block.bytes);
        let mut bytes = blocks.chain(self.globals.iter().map(|(_, bytes)| bytes)).flatten();
        self.arguments.iter().any(in_datum) || bytes.any(|byte| *byte == InputByte::Undef)
    }

    fn memory(&self) -> Memory<'_> {
        Memory(self)
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.describe(|_, argument| argument.to_string()))
    }
}

/// The blocks and globals of an input, a line each.
struct Memory<'a>(&'a Input);

impl fmt::Display for Memory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, block) in self.0.blocks.iter().enumerate() {
            write!(f, "\nobject {number}: {} bytes, align {}: ", block.bytes.len(), block.align)?;
            write_bytes(f, &block.bytes)?;
        }
        for (name, bytes) in &self.0.globals {
            write!(f, "\n@{name}: ")?;
            write_bytes(f, bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_written_as_a_person_would() {
        let input = Input {
            arguments: vec![Datum::bits(32, 7), Datum::block(0, 4), Datum::Scalar(Scalar::Poison)],
            blocks: vec![InputObject {
                bytes: vec![InputByte::Bits(10), InputByte::Undef, InputByte::Undef],
                align: 8,
            }],
            globals: vec![("g".into(), vec![InputByte::Bits(0); 4])],
            environment: 0,
        };
        let names = ["i32 %x", "ptr %p", "i8 %y"];
        assert_eq!(
            input.describe(|index, argument| format!("{} = {argument}", names[index])),
            "i32 %x = 7, ptr %p = object 0 + 4, i8 %y = poison\nobject 0: 3 bytes, align 8: 0a undef×2\n@g: 00×4"
        );
    }
}
