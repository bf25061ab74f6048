//! What intrinsics do.

use irtext::{Binary, Bits, Float as Format, IntFlags};

use super::operate::exact_only;
use super::{Frame, Machine};
use crate::code::Call;
use crate::facts::Facts;
use crate::float;
use crate::integer::{self, Function, exact};
use crate::intrinsic::Intrinsic;
use crate::outcome::Event;
use crate::reason::{ClaimedValue, Reason, Ub};
use crate::shape::Shape;
use crate::value::{Atom, NULL, Pointer, Stop, Value, lift, ub, unknown};

impl<'a> Machine<'a> {
    /// A call of an intrinsic.
    pub(super) fn intrinsic(
        &mut self,
        frame: &mut Frame<'a>,
        intrinsic: Intrinsic,
        call: &'a Call,
        mut arguments: Vec<Value>,
    ) -> Result<Value, Stop> {
        // What the arguments of calls claim holds here too; results are claimed about by range and the like.
        for (value, (_, shape, facts)) in arguments.iter_mut().zip(&call.arguments) {
            if *facts != Facts::default() {
                let claims = Facts { noalias: false, ..facts.clone() };
                *value = self.claimed(value.clone(), shape, &claims, ClaimedValue::Argument)?;
            }
        }
        let result = self.intrinsic_result(frame, intrinsic, call, &arguments)?;
        self.claimed(result, &call.result, &call.facts, ClaimedValue::CallResult)
    }

    fn intrinsic_result(
        &mut self,
        frame: &mut Frame<'a>,
        intrinsic: Intrinsic,
        call: &'a Call,
        arguments: &[Value],
    ) -> Result<Value, Stop> {
        let nothing = || Ok(Value::many(Vec::new()));
        match intrinsic {
            Intrinsic::Nothing => nothing(),
            Intrinsic::First => Ok(arguments[0].clone()),
            Intrinsic::Token => Ok(Value::One(Atom::Pointer(NULL))),
            Intrinsic::InvariantStart => {
                if let Atom::Pointer(pointer) = arguments[1].atom()? {
                    self.invariant(*pointer)?;
                }
                // It means nothing but to `invariant.end`.
                Ok(Value::One(Atom::Poison))
            }
            Intrinsic::Integer(function) => integer_function(function, arguments),
            Intrinsic::WithOverflow { op, signed } => with_overflow(op, signed, arguments),
            Intrinsic::ThreeWay { signed } => three_way(signed, &call.result, arguments),
            Intrinsic::FixedMul { signed, saturating } => fixed(signed, saturating, arguments),
            Intrinsic::Round(_)
            | Intrinsic::FAbs
            | Intrinsic::CopySign
            | Intrinsic::Extreme(_)
            | Intrinsic::Fma
            | Intrinsic::FMulAdd => match call.result.format() {
                Some(format) => self.float_function(intrinsic, call, format, arguments),
                None => unknown(Reason::FloatExpected),
            },
            Intrinsic::ToIntegerSat { signed } => to_integer(signed, call, arguments),
            Intrinsic::IsFpClass => is_class(call, arguments),
            Intrinsic::Assume => {
                self.assume(frame, call, arguments)?;
                nothing()
            }
            Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd => {
                self.lifetime(intrinsic == Intrinsic::LifetimeStart, arguments)?;
                nothing()
            }
            Intrinsic::Copy { overlapping } => {
                self.volatile(arguments.get(3))?;
                let aligns = (align_of(call, 0), align_of(call, 1));
                self.copy(
                    frame,
                    &arguments[0],
                    &arguments[1],
                    arguments[2].atom()?,
                    aligns,
                    overlapping,
                )?;
                nothing()
            }
            Intrinsic::Fill => {
                self.volatile(arguments.get(3))?;
                self.fill(
                    frame,
                    &arguments[0],
                    arguments[1].atom()?,
                    arguments[2].atom()?,
                    align_of(call, 0),
                )?;
                nothing()
            }
            Intrinsic::Reduce(reduction) => self.reduce(reduction, call, arguments),
            Intrinsic::PtrMask => self.pointer_mask(arguments),
            Intrinsic::ObjectSize => unknown(Reason::ObjectSize),
            Intrinsic::Trap => {
                let event =
                    Event::Call { name: "llvm.trap".into(), arguments: vec![], seen: vec![] };
                self.events.push(event);
                Err(Stop::Ended)
            }
            Intrinsic::StepVector => match &call.result {
                Shape::Vector(count, lane) => Ok(Value::many(
                    (0..*count).map(|i| Value::One(Atom::bits(lane.bits(), i.into()))).collect(),
                )),
                _ => unknown(Reason::VectorExpected),
            },
            Intrinsic::ActiveLaneMask => active_lanes(&call.result, arguments),
            Intrinsic::CttzElts => first_set(&call.result, arguments),
            Intrinsic::VectorInsert
            | Intrinsic::VectorExtract
            | Intrinsic::VectorReverse
            | Intrinsic::VectorInterleave2
            | Intrinsic::VectorDeinterleave2
            | Intrinsic::Splice => rearrange(intrinsic, &call.result, arguments),
            Intrinsic::MaskedLoad
            | Intrinsic::MaskedStore
            | Intrinsic::MaskedGather
            | Intrinsic::MaskedScatter
            | Intrinsic::ExpandLoad
            | Intrinsic::CompressStore => self.masked(frame, intrinsic, call, arguments),
        }
    }

    /// A volatile copy is not compared access by access.
    fn volatile(&self, flag: Option<&Value>) -> Result<(), Stop> {
        match flag {
            Some(Value::One(Atom::Exact(bits))) if bits.width() == 1 && !bits.is_zero() => {
                unknown(Reason::VolatileIntrinsic)
            }
            _ => Ok(()),
        }
    }

    fn float_function(
        &mut self,
        intrinsic: Intrinsic,
        call: &'a Call,
        format: Format,
        arguments: &[Value],
    ) -> Result<Value, Stop> {
        let fast = call.fast;
        if !matches!(intrinsic, Intrinsic::FAbs | Intrinsic::CopySign | Intrinsic::Extreme(_)) {
            exact_only(fast)?;
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.fast_value(fast, format, argument.clone())?);
        }
        let result = match intrinsic {
            Intrinsic::Round(op) => {
                values[0].map(&mut |a| lift([a], |[a]| float::unary(op, format, a)))?
            }
            Intrinsic::FAbs => values[0].map(&mut |a| match a {
                Atom::Free(_) => {
                    let rest = Atom::Exact(Bits::greatest_signed(format.bits()));
                    integer::binary(Binary::And, IntFlags::default(), a, &rest)
                }
                _ => lift([a], |[a]| float::absolute(format, a)),
            })?,
            Intrinsic::CopySign => values[0].zip(&values[1], &mut |a, b| {
                lift([a, b], |[a, b]| float::copy_sign(format, a, b))
            })?,
            Intrinsic::Extreme(op) => values[0].zip(&values[1], &mut |a, b| {
                lift([a, b], |[a, b]| float::extreme(op, format, a, b))
            })?,
            Intrinsic::Fma | Intrinsic::FMulAdd => three(&values, &mut |a, b, c| {
                lift([a, b, c], |[a, b, c]| {
                    let once = float::fused(format, a, b, c)?;
                    if intrinsic == Intrinsic::Fma {
                        return Ok(once);
                    }
                    let product = float::binary(Binary::FMul, format, a, b)?;
                    let twice = float::binary(Binary::FAdd, format, &product, c)?;
                    if once == twice { Ok(once) } else { unknown(Reason::FmuladdRounding) }
                })
            })?,
            _ => return unknown(Reason::FloatOperationExpected),
        };
        self.fast_value(fast, format, result)
    }

    /// `llvm.assume` and its bundles.
    fn assume(
        &mut self,
        frame: &Frame<'a>,
        call: &'a Call,
        arguments: &[Value],
    ) -> Result<(), Stop> {
        match arguments[0].atom()? {
            Atom::Exact(bits) if !bits.is_zero() => {}
            Atom::Exact(_) => return ub(Ub::AssumeFalse),
            _ => return ub(Ub::AssumeUndef),
        }
        for (name, operands) in &call.bundles {
            let mut values = Vec::new();
            for (operand, _) in operands {
                values.push(self.operand(frame, operand)?);
            }
            let number = |index: usize| match values.get(index) {
                Some(Value::One(Atom::Exact(bits))) => bits.small().map(|n| n as u64),
                _ => None,
            };
            let mut facts = Facts { noundef: true, ..Facts::default() };
            match name.as_str() {
                "align" => {
                    let Some(align) = number(1).filter(|a| a.is_power_of_two()) else {
                        return unknown(Reason::AssumedAlignment);
                    };
                    let offset = if values.len() > 2 { number(2) } else { Some(0) };
                    let Some(offset) = offset else {
                        return unknown(Reason::AssumedAlignment);
                    };
                    match values[0].atom()? {
                        Atom::Pointer(pointer) => {
                            let shifted = match *pointer {
                                Pointer::Address(address) => {
                                    Pointer::Address(address.wrapping_sub(offset))
                                }
                                Pointer::Block { block, offset: at } => {
                                    Pointer::Block { block, offset: at.wrapping_sub(offset as i64) }
                                }
                            };
                            if !self.is_aligned(shifted, align)? {
                                return ub(Ub::AssumeMisaligned);
                            }
                        }
                        _ => return ub(Ub::AssumeAlignmentOfUndef),
                    }
                    continue;
                }
                "nonnull" => facts.nonnull = true,
                "noundef" => {}
                "dereferenceable" => facts.dereferenceable = number(1),
                "dereferenceable_or_null" => facts.dereferenceable_or_null = number(1),
                // They claim nothing.
                "ignore" | "cold" => continue,
                other => return unknown(Reason::AssumeBundle(other.into())),
            }
            let shape = &operands[0].1;
            self.claimed(values[0].clone(), shape, &facts, ClaimedValue::Assumed)?;
        }
        Ok(())
    }

    fn lifetime(&mut self, start: bool, arguments: &[Value]) -> Result<(), Stop> {
        let Some(Value::One(Atom::Pointer(Pointer::Block { block, offset: 0 }))) = arguments.last()
        else {
            return match arguments.last() {
                Some(Value::One(Atom::Poison)) => Ok(()),
                _ => unknown(Reason::LifetimeOfPart),
            };
        };
        let held = &mut self.blocks[*block as usize];
        if held.address.is_some() || held.heap {
            return unknown(Reason::LifetimeOfOther);
        }
        // Contents are undefined from either on.
        held.bytes.fill(crate::memory::UNDEF);
        held.alive = start;
        Ok(())
    }

    fn pointer_mask(&mut self, arguments: &[Value]) -> Result<Value, Stop> {
        let bits = self.program.pointer_bits;
        arguments[0].zip(&arguments[1], &mut |pointer, mask| {
            lift([pointer, mask], |[pointer, mask]| {
                let (Atom::Pointer(pointer), mask) = (pointer, exact(mask)?) else {
                    return unknown(Reason::PointerExpected);
                };
                let Some(address) = self.address(*pointer) else {
                    return unknown(Reason::AddressOfLocal);
                };
                let cut = Bits::new(bits, address.into()).and(&mask.resize(bits));
                let cut = cut.small().unwrap_or(0) as u64;
                let moved = cut.wrapping_sub(address) as i64;
                Ok(Atom::Pointer(match *pointer {
                    Pointer::Address(_) => Pointer::Address(cut),
                    Pointer::Block { block, offset } => {
                        Pointer::Block { block, offset: offset.wrapping_add(moved) }
                    }
                }))
            })
        })
    }
}

/// The alignment that a call says of an argument.
pub(super) fn align_of(call: &Call, index: usize) -> u64 {
    call.arguments.get(index).and_then(|(_, _, facts)| facts.align).unwrap_or(1)
}

/// Three values of one shape, atom by atom.
fn three(
    values: &[Value],
    combine: &mut dyn FnMut(&Atom, &Atom, &Atom) -> Result<Atom, Stop>,
) -> Result<Value, Stop> {
    match (&values[0], &values[1], &values[2]) {
        (Value::One(a), Value::One(b), Value::One(c)) => Ok(Value::One(combine(a, b, c)?)),
        (Value::Many(a), Value::Many(b), Value::Many(c)) => {
            let mut parts = Vec::with_capacity(a.len());
            for index in 0..a.len() {
                let lane = [a[index].clone(), b[index].clone(), c[index].clone()];
                parts.push(three(&lane, combine)?);
            }
            Ok(Value::many(parts))
        }
        _ => unknown(Reason::ShapesDiffer),
    }
}

fn integer_function(function: Function, arguments: &[Value]) -> Result<Value, Stop> {
    match function {
        Function::Fshl | Function::Fshr => three(arguments, &mut |a, b, c| {
            lift([a, b, c], |[a, b, c]| {
                Ok(integer::function(function, &[exact(a)?, exact(b)?, exact(c)?]))
            })
        }),
        Function::Ctpop => arguments[0]
            .map(&mut |a| lift([a], |[a]| Ok(integer::function(function, &[exact(a)?])))),
        Function::Bswap | Function::BitReverse => arguments[0].map(&mut |a| match a {
            Atom::Free(free) => {
                let moved = |bits: &Bits| match integer::function(function, &[bits]) {
                    Atom::Exact(bits) => bits,
                    _ => bits.clone(),
                };
                Ok(Atom::free(moved(&free.known), moved(&free.free), free.shared))
            }
            _ => lift([a], |[a]| Ok(integer::function(function, &[exact(a)?]))),
        }),
        Function::Abs | Function::Ctlz | Function::Cttz => {
            let flag = exact(arguments[1].atom()?)?.clone();
            arguments[0].map(&mut |a| {
                // All values: the bad one is among them.
                if a.is_undef() && !flag.is_zero() {
                    return Ok(Atom::Poison);
                }
                lift([a], |[a]| Ok(integer::function(function, &[exact(a)?, &flag])))
            })
        }
        _ => arguments[0].zip(&arguments[1], &mut |a, b| {
            let inexact = a.is_loose() || b.is_loose();
            if inexact && let Some(result) = crate::range::function(function, a, b) {
                return Ok(result);
            }
            lift([a, b], |[a, b]| Ok(integer::function(function, &[exact(a)?, exact(b)?])))
        }),
    }
}

fn with_overflow(op: Binary, signed: bool, arguments: &[Value]) -> Result<Value, Stop> {
    let (a, b) = (&arguments[0], &arguments[1]);
    let share = |value: Value| match a.any(&|x| x.is_loose()) || b.any(&|x| x.is_loose()) {
        true => value.map(&mut |atom| Ok(atom.share())),
        false => Ok(value),
    };
    let result = a.zip(b, &mut |a, b| integer::binary(op, IntFlags::default(), a, b))?;
    let overflow = a.zip(b, &mut |a, b| {
        lift([a, b], |[a, b]| {
            let (a, b) = (exact(a)?, exact(b)?);
            Ok(Atom::truth(match (op, signed) {
                (Binary::Add, true) => a.add_wraps_signed(b),
                (Binary::Add, false) => a.add_wraps(b),
                (Binary::Sub, true) => a.sub_wraps_signed(b),
                (Binary::Sub, false) => a.sub_wraps(b),
                (_, true) => a.mul_wraps_signed(b),
                (_, false) => a.mul_wraps(b),
            }))
        })
    })?;
    Ok(Value::many(vec![share(result)?, share(overflow)?]))
}

fn three_way(signed: bool, result: &Shape, arguments: &[Value]) -> Result<Value, Stop> {
    let width = result.lane().1.bits();
    arguments[0].zip(&arguments[1], &mut |a, b| {
        lift([a, b], |[a, b]| {
            let (a, b) = (exact(a)?, exact(b)?);
            let ordering = if signed { a.compare_signed(b) } else { a.compare(b) };
            Ok(Atom::bits(width, ordering as i8 as i128 as u128))
        })
    })
}

/// `llvm.umul.fix`: the high part is what the scale leaves.
fn fixed(signed: bool, saturating: bool, arguments: &[Value]) -> Result<Value, Stop> {
    if signed {
        return unknown(Reason::SmulFix);
    }
    let scale = exact(arguments[2].atom()?)?.small().unwrap_or(0) as u32;
    arguments[0].zip(&arguments[1], &mut |a, b| {
        lift([a, b], |[a, b]| {
            let (a, b) = (exact(a)?, exact(b)?);
            let width = a.width();
            let product = a.resize(2 * width).mul(&b.resize(2 * width));
            let lost = !product.resize(scale.max(1)).is_zero() && scale > 0;
            if lost {
                return unknown(Reason::UmulFixRounding);
            }
            let shifted = product.lshr(scale);
            let fits = shifted.lshr(width).is_zero();
            match (fits, saturating) {
                (true, _) => Ok(Atom::Exact(shifted.resize(width))),
                (false, true) => Ok(Atom::Exact(Bits::ones(width))),
                (false, false) => unknown(Reason::UmulFixOverflow),
            }
        })
    })
}

fn to_integer(signed: bool, call: &Call, arguments: &[Value]) -> Result<Value, Stop> {
    let width = call.result.lane().1.bits();
    let Some(format) = call.arguments[0].1.format() else { return unknown(Reason::FloatExpected) };
    arguments[0].map(&mut |a| {
        lift([a], |[a]| {
            Ok(Atom::Exact(match float::to_integer(format, a, width, signed)? {
                float::Whole::Fits(bits) => bits,
                float::Whole::Nan => Bits::zero(width),
                float::Whole::Beyond(negative) => match (signed, negative) {
                    (true, true) => Bits::least_signed(width),
                    (true, false) => Bits::greatest_signed(width),
                    (false, true) => Bits::zero(width),
                    (false, false) => Bits::ones(width),
                },
            }))
        })
    })
}

fn is_class(call: &Call, arguments: &[Value]) -> Result<Value, Stop> {
    let Some(format) = call.arguments[0].1.format() else { return unknown(Reason::FloatExpected) };
    let mask = exact(arguments[1].atom()?)?.small().unwrap_or(0) as u32;
    arguments[0].map(&mut |a| {
        lift([a], |[a]| match float::class_bit(format, a)? {
            Some(bit) => Ok(Atom::truth(mask & bit != 0)),
            None if mask & 3 == 0 => Ok(Atom::truth(false)),
            None if mask & 3 == 3 => Ok(Atom::truth(true)),
            None => unknown(Reason::KindOfNan),
        })
    })
}

fn active_lanes(result: &Shape, arguments: &[Value]) -> Result<Value, Stop> {
    let (Some(count), _) = result.lane() else { return unknown(Reason::VectorExpected) };
    let (base, bound) = (arguments[0].atom()?, arguments[1].atom()?);
    let lane = |index: u32| {
        lift([base, bound], |[base, bound]| {
            let (base, bound) = (exact(base)?, exact(bound)?);
            if bound.is_zero() {
                return Ok(Atom::Poison);
            }
            let step = Bits::new(base.width(), index.into());
            let within = !base.add_wraps(&step) && base.add(&step).compare(bound).is_lt();
            Ok(Atom::truth(within))
        })
    };
    let lanes = (0..count).map(|index| Ok(Value::One(lane(index)?)));
    Ok(Value::Many(lanes.collect::<Result<_, _>>()?))
}

fn first_set(result: &Shape, arguments: &[Value]) -> Result<Value, Stop> {
    let lanes = arguments[0].parts()?;
    let poison = !exact(arguments[1].atom()?)?.is_zero();
    let mut first = None;
    for (index, lane) in lanes.iter().enumerate() {
        match lane.atom()? {
            Atom::Poison => return Ok(Value::One(Atom::Poison)),
            Atom::Exact(bits) if bits.is_zero() => {}
            Atom::Exact(_) => first = first.or(Some(index)),
            _ => return unknown(Reason::CttzEltsOfUndef),
        }
    }
    Ok(Value::One(match first {
        None if poison => Atom::Poison,
        place => Atom::bits(result.bits(), place.unwrap_or(lanes.len()) as u128),
    }))
}

fn rearrange(intrinsic: Intrinsic, result: &Shape, arguments: &[Value]) -> Result<Value, Stop> {
    let constant = |value: &Value| -> Result<i128, Stop> {
        Ok(exact(value.atom()?)?.resize_signed(128).small().unwrap_or(0) as i128)
    };
    let mut lanes = arguments[0].parts()?.to_vec();
    match intrinsic {
        Intrinsic::VectorReverse => lanes.reverse(),
        Intrinsic::VectorExtract => {
            let from = constant(&arguments[1])? as usize;
            let (Some(count), _) = result.lane() else { return unknown(Reason::VectorExpected) };
            match lanes.get(from..from + count as usize) {
                Some(part) => lanes = part.to_vec(),
                None => return Ok(result.poison()),
            }
        }
        Intrinsic::VectorInsert => {
            let part = arguments[1].parts()?;
            let from = constant(&arguments[2])? as usize;
            match lanes.get_mut(from..from + part.len()) {
                Some(place) => place.clone_from_slice(part),
                None => return Ok(result.poison()),
            }
        }
        Intrinsic::VectorInterleave2 => {
            let second = arguments[1].parts()?;
            lanes = lanes.iter().zip(second).flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
        }
        Intrinsic::VectorDeinterleave2 => {
            let half =
                |from: usize| Value::many(lanes.iter().skip(from).step_by(2).cloned().collect());
            return Ok(Value::many(vec![half(0), half(1)]));
        }
        _ => {
            let count = lanes.len() as i128;
            let from = constant(&arguments[2])?;
            let start = if from < 0 { count + from } else { from };
            let both: Vec<Value> = lanes.iter().chain(arguments[1].parts()?).cloned().collect();
            match both.get(start.max(0) as usize..(start.max(0) + count) as usize) {
                Some(part) if (-count..count).contains(&from) => lanes = part.to_vec(),
                _ => return Ok(result.poison()),
            }
        }
    }
    Ok(Value::many(lanes))
}
