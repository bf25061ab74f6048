//! Constants as text.

use std::fmt::Write as _;

use super::{Printer, escaped, name, put};
use crate::bits::Bits;
use crate::op::{Constant, GepFlags, IntFlags, Op, Symbol, Typed, Value};
use crate::tree::{Float, Type};

impl Printer<'_> {
    pub(super) fn constant(&mut self, ty: &Type, constant: &Constant) {
        match constant {
            Constant::Integer(bits) if bits.width() == 1 => {
                self.out.push_str(if bits.bit(0) { "true" } else { "false" });
            }
            Constant::Integer(bits) => put!(self.out, "{bits}"),
            Constant::Float(bits) => match ty {
                Type::Float(format) => self.out.push_str(&float(*format, bits)),
                _ => put!(self.out, "{bits}"),
            },
            Constant::Null => self.out.push_str("null"),
            Constant::Zero => self.out.push_str("zeroinitializer"),
            Constant::Undef => self.out.push_str("undef"),
            Constant::Poison => self.out.push_str("poison"),
            Constant::None => self.out.push_str("none"),
            Constant::Struct(parts) => {
                let packed =
                    matches!(self.module.resolve(ty), Some(Type::Struct { packed: true, .. }));
                let (open, close) = if packed { ("<{ ", " }>") } else { ("{ ", " }") };
                self.parts(open, parts, close);
            }
            Constant::Array(parts) => self.parts("[", parts, "]"),
            Constant::Vector(parts) => self.parts("<", parts, ">"),
            Constant::Splat(part) => self.parts("splat (", std::slice::from_ref(part), ")"),
            Constant::Bytes(bytes) => put!(self.out, "c\"{}\"", escaped(bytes.iter().copied())),
            Constant::Global(symbol) => put!(self.out, "@{}", symbol_name(symbol)),
            Constant::BlockAddress(function, block) => {
                put!(self.out, "blockaddress(@{}, %{block})", symbol_name(function));
            }
            Constant::Wrapped(word, symbol) => put!(self.out, "{word} @{}", symbol_name(symbol)),
            Constant::Signed(parts) => self.parts("ptrauth (", parts, ")"),
            Constant::Expression(op) => self.expression(op),
            Constant::Assembly(assembly) => {
                self.out.push_str("asm ");
                for word in &assembly.words {
                    put!(self.out, "{word} ");
                }
                put!(self.out, "\"{}\", \"{}\"", assembly.text, assembly.constraints);
            }
        }
    }

    fn parts(&mut self, open: &str, parts: &[(Type, Constant)], close: &str) {
        self.out.push_str(open);
        for (index, (ty, constant)) in parts.iter().enumerate() {
            put!(self.out, "{}{ty} ", if index > 0 { ", " } else { "" });
            self.constant(ty, constant);
        }
        self.out.push_str(close);
    }

    fn operand(&mut self, before: &str, ty: &Type, value: &Value) {
        put!(self.out, "{before}{ty} ");
        self.value(None, ty, value);
    }

    fn operands(&mut self, all: &[&Typed]) {
        for (index, typed) in all.iter().enumerate() {
            self.operand(if index > 0 { ", " } else { " (" }, &typed.ty, &typed.value);
        }
        self.out.push(')');
    }

    fn constant_pair(&mut self, left: &Typed, right: &Value) {
        self.operand(" (", &left.ty, &left.value);
        self.operand(", ", &left.ty, right);
        self.out.push(')');
    }

    fn expression(&mut self, op: &Op) {
        match op {
            Op::Binary { op, flags, left, right, .. } => {
                put!(self.out, "{}{}", op.word(), int_flags(*flags));
                self.constant_pair(left, right);
            }
            Op::Cast { op, flags, from, to, .. } => {
                put!(self.out, "{}{}", op.word(), int_flags(*flags));
                self.operand(" (", &from.ty, &from.value);
                put!(self.out, " to {to})");
            }
            Op::FNeg { of, .. } => {
                self.out.push_str("fneg");
                self.operands(&[of]);
            }
            Op::ICmp { predicate, left, right, .. } => {
                put!(self.out, "icmp {}", predicate.word());
                self.constant_pair(left, right);
            }
            Op::FCmp { predicate, left, right, .. } => {
                put!(self.out, "fcmp {}", predicate.word());
                self.constant_pair(left, right);
            }
            Op::Select { condition, then, otherwise, .. } => {
                self.out.push_str("select");
                self.operands(&[condition, then, otherwise]);
            }
            Op::ExtractElement { vector, index } => {
                self.out.push_str("extractelement");
                self.operands(&[vector, index]);
            }
            Op::InsertElement { vector, element, index } => {
                self.out.push_str("insertelement");
                self.operands(&[vector, element, index]);
            }
            Op::ShuffleVector { left, right, mask } => {
                self.out.push_str("shufflevector");
                self.operands(&[left, right, mask]);
            }
            Op::GetElementPtr { flags, ty, base, indices } => {
                put!(self.out, "getelementptr{} ({ty}", gep_flags(flags));
                self.operand(", ", &base.ty, &base.value);
                for (index, typed) in indices.iter().enumerate() {
                    let marked = flags.inrange_index == Some(index as u32);
                    self.operand(if marked { ", inrange " } else { ", " }, &typed.ty, &typed.value);
                }
                self.out.push(')');
            }
            // No other operation is a constant expression: the parser makes none.
            _ => self.out.push('?'),
        }
    }
}

/// Flags, one space before each.
pub(super) fn int_flags(flags: IntFlags) -> String {
    let all = [
        (flags.nneg, " nneg"),
        (flags.nuw, " nuw"),
        (flags.nsw, " nsw"),
        (flags.exact, " exact"),
        (flags.disjoint, " disjoint"),
    ];
    all.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect()
}

/// Flags, one space before each.
pub(super) fn gep_flags(flags: &GepFlags) -> String {
    let all = [
        (flags.inbounds, " inbounds"),
        (flags.nusw && !flags.inbounds, " nusw"),
        (flags.nuw, " nuw"),
    ];
    let mut text: String = all.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
    if let Some((low, high)) = flags.inrange {
        put!(text, " inrange({low}, {high})");
    }
    text
}

fn symbol_name(symbol: &Symbol) -> String {
    match symbol {
        Symbol::Name(text) => name(text),
        Symbol::Number(number) => number.to_string(),
    }
}

/// A number of a format: decimal where six places say it exactly, as in LLVM's own text.
fn float(format: Float, bits: &Bits) -> String {
    let bits = bits.small().unwrap_or(0);
    match format {
        Float::Half => format!("0xH{bits:04X}"),
        Float::Bfloat => format!("0xR{bits:04X}"),
        Float::X86 => format!("0xK{bits:020X}"),
        Float::Quad => format!("0xL{:016X}{:016X}", bits as u64, bits >> 64),
        Float::Ppc => format!("0xM{:016X}{:016X}", bits as u64, bits >> 64),
        Float::Double => double(bits as u64),
        Float::Single => double(widened(bits as u32)),
    }
}

/// The double of the same value; a signalling NaN stays one.
fn widened(bits: u32) -> u64 {
    let single = f32::from_bits(bits);
    if single.is_nan() {
        let sign = u64::from(bits >> 31) << 63;
        return sign | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29;
    }
    f64::from(single).to_bits()
}

fn double(bits: u64) -> String {
    let number = f64::from_bits(bits);
    let text = format!("{number:.6e}");
    if number.is_finite()
        && text.parse().map(f64::to_bits) == Ok(bits)
        && let Some((mantissa, exponent)) = text.split_once('e')
    {
        let (sign, digits) =
            exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
        return format!("{mantissa}e{sign}{digits:0>2}");
    }
    format!("0x{bits:X}")
}
