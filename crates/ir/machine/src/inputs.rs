//! Inputs of a function: all there are if they are few, else corners, what the code mentions, and chance.
//!
//! Inputs keep to what the parameters claim: one that does not makes the source UB and tells nothing.

use choice::Choices;
use irtext::{Bits, Float as Format};

use crate::code::Function;
use crate::facts::Facts;
use crate::input::{Datum, Input, InputByte, InputObject, InputPointer, Scalar};
use crate::mine::Mined;
use crate::shape::Shape;
use crate::value::Atom;

/// All inputs of a function whose arguments have few values: with undef and poison, each whole.
pub(crate) fn all(function: &Function, most: usize) -> Option<Vec<Input>> {
    let mut all: Vec<Vec<Datum>> = vec![Vec::new()];
    for (shape, facts) in &function.params {
        let values = all_of(shape, facts, most)?;
        if all.len().checked_mul(values.len())? > most {
            return None;
        }
        let with = |start: &Vec<Datum>| {
            let start = start.clone();
            values.iter().map(move |value| [start.clone(), vec![value.clone()]].concat()).collect()
        };
        all = all.iter().flat_map::<Vec<Vec<Datum>>, _>(with).collect();
    }
    Some(all.into_iter().map(|arguments| Input { arguments, ..Input::default() }).collect())
}

fn all_of(shape: &Shape, facts: &Facts, most: usize) -> Option<Vec<Datum>> {
    match shape {
        Shape::Integer(width) if *width <= 10 => {
            let numbers = (0..1u128 << width).map(|value| Bits::new(*width, value));
            let numbers = numbers.filter(|bits| facts.in_range(bits));
            let mut values: Vec<Datum> =
                numbers.map(|bits| Datum::Scalar(Scalar::Bits(bits))).collect();
            if !facts.noundef {
                values.extend([Scalar::Undef, Scalar::Poison].map(Datum::Scalar));
            }
            Some(values)
        }
        Shape::Vector(count, lane) => {
            let lanes = all_of(lane, facts, most)?;
            let mut all: Vec<Vec<Datum>> = vec![Vec::new()];
            for _ in 0..*count {
                if all.len() * lanes.len() > most {
                    return None;
                }
                let with = |start: &Vec<Datum>| {
                    let start = start.clone();
                    lanes.iter().map(move |v| [start.clone(), vec![v.clone()]].concat()).collect()
                };
                all = all.iter().flat_map::<Vec<Vec<Datum>>, _>(with).collect();
            }
            Some(all.into_iter().map(Datum::Many).collect())
        }
        _ => None,
    }
}

/// Draws inputs.
pub(crate) struct Draw<'a> {
    function: &'a Function,
    mined: &'a Mined,
    pointer_bytes: u8,
}

/// What is drawn for one input.
struct Drawing<'c> {
    choices: &'c mut Choices,
    blocks: Vec<InputObject>,
    /// Blocks that nothing else may lead to.
    exclusive: Vec<u32>,
    /// Whether undef and poison may occur, one in so many.
    loose: Option<u64>,
    /// The argument in which they do; `None`: in all.
    loose_argument: Option<usize>,
    /// Whether numbers are small.
    small: bool,
}

impl<'a> Draw<'a> {
    /// For a function.
    pub(crate) fn new(function: &'a Function, mined: &'a Mined, pointer_bits: u32) -> Draw<'a> {
        Draw { function, mined, pointer_bytes: (pointer_bits / 8) as u8 }
    }

    /// Whether the input of a number may have undef and poison in it.
    pub(crate) fn is_loose(number: u32) -> bool {
        number % 4 == 3 || number % 4 == 2 && number > 16
    }

    /// The input of a number.
    pub(crate) fn input(&self, number: u32, choices: &mut Choices) -> Input {
        let mut drawing = Drawing {
            choices,
            blocks: Vec::new(),
            exclusive: Vec::new(),
            // Well-defined inputs first: most faults show there, and undef makes many sources UB.
            loose: match number % 4 {
                // Nearly all lanes, half of them, a few.
                3 => Some([2, 1, 4][(number / 4 % 3) as usize]),
                2 if number > 16 => Some(16),
                _ => None,
            },
            loose_argument: (number % 4 == 3 && number % 32 != 31)
                .then_some((number / 4) as usize % self.function.params.len().max(1)),
            small: number.is_multiple_of(3),
        };
        let mut arguments: Vec<Datum> = Vec::new();
        let rate = drawing.loose;
        for (index, (shape, facts)) in self.function.params.iter().enumerate() {
            let pointer = matches!(shape, Shape::Pointer { .. });
            // The memory of a pointer has its own share.
            let meant = drawing.loose_argument.is_none_or(|argument| argument == index) || pointer;
            drawing.loose = if meant { rate } else { None };
            let before = (0..index).rev().find(|i| self.function.params[*i].0 == *shape);
            let again = before.filter(|i| {
                let other = &self.function.params[*i].1;
                let free = facts.noundef == other.noundef && facts.ranges == other.ranges;
                free && !pointer && drawing.choices.below(8) == 0
            });
            arguments.push(match again {
                Some(other) => arguments[other].clone(),
                None => self.datum(&mut drawing, shape, facts),
            });
        }
        drawing.loose = rate;
        let environment = drawing.choices.bits(16);
        let mut globals = Vec::new();
        for (name, size) in &self.mined.globals {
            // The first input is the program's own beginning.
            if number > 0 && *size <= 4096 && drawing.choices.below(2) == 0 {
                globals.push((name.to_string(), self.contents(&mut drawing, *size, false)));
            }
        }
        Input { arguments, blocks: drawing.blocks, globals, environment }
    }

    fn datum(&self, drawing: &mut Drawing<'_>, shape: &Shape, facts: &Facts) -> Datum {
        match shape {
            Shape::Vector(..) | Shape::Array(..) | Shape::Struct(..) => {
                let parts = shape.parts();
                Datum::Many(
                    parts.iter().map(|(_, part)| self.datum(drawing, part, facts)).collect(),
                )
            }
            one => Datum::Scalar(self.scalar(drawing, one, facts)),
        }
    }

    fn scalar(&self, drawing: &mut Drawing<'_>, shape: &Shape, facts: &Facts) -> Scalar {
        let claims = facts.noundef || facts.dereferenceable.is_some() || facts.byval.is_some();
        if let Some(rate) = drawing.loose
            && !claims
            && drawing.choices.below(if matches!(shape, Shape::Pointer { .. }) { 12 } else { rate })
                == 0
        {
            // Values of which only some bits are undef are given as hints only: LLVM minds them hardly anywhere.
            return if drawing.choices.below(4) == 0 { Scalar::Poison } else { Scalar::Undef };
        }
        match shape {
            Shape::Pointer { .. } => Scalar::Pointer(self.pointer(drawing, facts)),
            Shape::Float(format) => Scalar::Bits(self.float(drawing, *format)),
            other => {
                let bits = self.integer(drawing, other.bits());
                match facts.ranges.first() {
                    Some((low, high)) if !facts.in_range(&bits) => {
                        Scalar::Bits(low.add(&bits.urem(&high.sub(low))))
                    }
                    _ => Scalar::Bits(bits),
                }
            }
        }
    }

    fn integer(&self, drawing: &mut Drawing<'_>, width: u32) -> Bits {
        let choices = &mut *drawing.choices;
        let mined = self.mined.numbers.get(&width);
        let any = |choices: &mut Choices| {
            let words = (0..width.div_ceil(64)).map(|_| choices.bits(64)).collect::<Vec<_>>();
            words.iter().fold(Bits::zero(width), |all, word| {
                all.shl(64.min(width)).or(&Bits::new(width, (*word).into()))
            })
        };
        let one = Bits::new(width, 1);
        if drawing.small && choices.below(2) == 0 {
            return Bits::new(width, choices.below(9).into());
        }
        match choices.below(10) {
            0 => Bits::zero(width),
            1 => Bits::ones(width),
            2 => Bits::least_signed(width).add(&Bits::new(width, choices.below(2).into())),
            3 => Bits::greatest_signed(width),
            4 => one
                .shl(choices.below(width.into()) as u32)
                .sub(&Bits::new(width, choices.below(2).into())),
            5..=7 if mined.is_some() => {
                let list = mined.map(Vec::as_slice).unwrap_or_default();
                let number = list[choices.index(list.len())].clone();
                match choices.below(6) {
                    0 => number.add(&one),
                    1 => number.sub(&one),
                    2 => number.neg(),
                    3 => number.not(),
                    _ => number,
                }
            }
            5 => Bits::new(width, choices.below(16).into()),
            6 => Bits::new(width, choices.below(16).into()).neg(),
            _ => {
                let size = choices.below(u64::from(width) + 1) as u32;
                any(choices).lshr(size)
            }
        }
    }

    fn float(&self, drawing: &mut Drawing<'_>, format: Format) -> Bits {
        let choices = &mut *drawing.choices;
        let width = format.bits();
        if let Some(list) = self.mined.numbers.get(&width)
            && choices.below(4) == 0
        {
            return list[choices.index(list.len())].clone();
        }
        let of = |number: i32| match crate::float::of_integer(
            format,
            &Bits::new(32, number as u128),
            true,
        ) {
            Ok(Atom::Exact(bits)) => bits,
            _ => Bits::zero(width),
        };
        let sign = Bits::least_signed(width);
        let divided = |a: i32, b: i32| {
            let (a, b) = (Atom::Exact(of(a)), Atom::Exact(of(b)));
            match crate::float::binary(irtext::Binary::FDiv, format, &a, &b) {
                Ok(Atom::Exact(bits)) => bits,
                _ => Bits::zero(width),
            }
        };
        let bits = match choices.below(10) {
            0 => Bits::zero(width),
            1 => of(1),
            2 => divided(1, 0),
            // A quiet NaN as processors make it: all bits of the exponent, and the first behind.
            3 => divided(1, 0).or(&Bits::least_signed(width).lshr(match format {
                Format::Half => 6,
                Format::Bfloat | Format::Single => 9,
                Format::Double => 12,
                Format::X86 => 17,
                _ => 16,
            })),
            4 => Bits::new(width, 1 + u128::from(choices.below(3))),
            5 | 6 => of(choices.below(200) as i32),
            7 => divided(choices.below(200) as i32, 7),
            8 => divided(1, 2),
            _ => divided(1, 1 + choices.below(9) as i32),
        };
        if choices.below(3) == 0 { bits.xor(&sign) } else { bits }
    }

    fn pointer(&self, drawing: &mut Drawing<'_>, facts: &Facts) -> InputPointer {
        let may_be_null =
            !facts.nonnull && facts.dereferenceable.is_none() && facts.byval.is_none();
        if may_be_null && drawing.choices.below(12) == 0 {
            return InputPointer::Null;
        }
        let align = facts.align.unwrap_or(1);
        let size = facts.dereferenceable.max(facts.dereferenceable_or_null).unwrap_or(0);
        let shareable = !facts.noalias && facts.byval.is_none();
        if shareable && !drawing.blocks.is_empty() && drawing.choices.below(6) == 0 {
            let block = drawing.choices.index(drawing.blocks.len()) as u32;
            let held = &drawing.blocks[block as usize];
            let fits = held.align >= align && held.bytes.len() as u64 >= size;
            if fits && !drawing.exclusive.contains(&block) {
                let room = held.bytes.len() as u64 - size;
                let step = align.max(4);
                let far = drawing.choices.below((room / step).min(5) + 1) * step;
                return InputPointer::Block { block, offset: far as i64 };
            }
        }
        let wanted = size
            .max(self.mined.reach.saturating_add(32).min(2048))
            .max(facts.byval.map_or(0, |b| b.0));
        let size = wanted.max(64).next_multiple_of(align.clamp(8, 4096));
        let align = match drawing.choices.below(8) {
            0 => align.max(4),
            _ => align.max(16),
        };
        let block = drawing.blocks.len() as u32;
        drawing.blocks.push(InputObject { bytes: Vec::new(), align: align.min(4096) });
        if !shareable {
            drawing.exclusive.push(block);
        }
        let bytes = self.contents(drawing, size, !facts.noalias);
        drawing.blocks[block as usize].bytes = bytes;
        // In the middle sometimes, so that what lies before can be reached.
        let offset = match drawing.choices.below(6) {
            0 if wanted <= 48 => 16i64.max(align as i64),
            _ => 0,
        };
        let room = wanted.max(64) as i64 - offset;
        InputPointer::Block { block, offset: if room >= wanted as i64 { offset } else { 0 } }
    }

    /// What a block holds.
    fn contents(&self, drawing: &mut Drawing<'_>, size: u64, may_point: bool) -> Vec<InputByte> {
        let size = size as usize;
        let mut bytes = vec![InputByte::Bits(0); size];
        let style = drawing.choices.below(6);
        let mut at = 0;
        while at < size {
            let word = [1, 2, 4, 4, 8][drawing.choices.index(5)];
            let number = match (style, self.mined.reads_floats) {
                (_, Some(format)) if drawing.choices.below(2) == 0 => {
                    let count = (format.bits() / 8) as usize;
                    at = at.next_multiple_of(count);
                    let bits = self.float(drawing, format);
                    for index in 0..count.min(size.saturating_sub(at)) {
                        let byte = bits.part(8 * index as u32, 8).small().unwrap_or(0) as u8;
                        bytes[at + index] = InputByte::Bits(byte);
                    }
                    at += count;
                    continue;
                }
                (0, _) => Bits::zero(64),
                (1 | 2, _) => Bits::new(64, drawing.choices.below(6).into()),
                (3, _) => Bits::new(64, drawing.choices.bits(64).into()),
                _ => self.integer(drawing, word as u32 * 8).resize(64),
            };
            for index in 0..word.min(size - at) {
                let byte = number.part(8 * index as u32, 8).small().unwrap_or(0) as u8;
                bytes[at + index] =
                    InputByte::Bits(byte & if self.mined.reads_truth { 1 } else { 255 });
            }
            at += word;
        }
        if self.mined.reads_pointers && may_point {
            self.pointers(drawing, &mut bytes);
        }
        if let Some(rate) = drawing.loose {
            // Whole words: what is undef in part is a matter of its own.
            for word in bytes.chunks_mut(8) {
                if drawing.choices.below(4 * rate) == 0 {
                    word.fill(InputByte::Undef);
                }
            }
        }
        bytes
    }

    /// Pointers to blocks that others may lead to, at places where pointers are.
    fn pointers(&self, drawing: &mut Drawing<'_>, bytes: &mut [InputByte]) {
        if drawing.blocks.len() > 6 {
            return;
        }
        let size = usize::from(self.pointer_bytes);
        let target = drawing.blocks.len() as u32;
        let plain = InputObject { bytes: vec![InputByte::Bits(0); 64], align: 16 };
        drawing.blocks.push(plain);
        for index in 0..64 {
            let byte = drawing.choices.bits(8) as u8;
            drawing.blocks[target as usize].bytes[index] = InputByte::Bits(byte & 3);
        }
        for start in (0..bytes.len().saturating_sub(size - 1)).step_by(size) {
            if drawing.choices.below(4) != 0 {
                for part in 0..size {
                    let place = InputPointer::Block { block: target, offset: 0 };
                    bytes[start + part] = InputByte::Pointer(place, part as u8);
                }
            }
        }
    }
}
