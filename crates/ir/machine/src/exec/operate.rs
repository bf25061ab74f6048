//! Operations on values alone.

use irtext::{Bits, Cast, FastMath, Float as Format, IntFlags};

use super::{Frame, Machine, Side};
use crate::code::{Code, Lane, Operand};
use crate::float;
use crate::integer::{self, exact};
use crate::memory::{bits_of, join, split};
use crate::reason::{Construct, Reason};
use crate::shape::Shape;
use crate::value::{Atom, Pointer, Stop, Value, lift, unknown};

impl<'a> Machine<'a> {
    /// What an operation without effects comes to.
    pub(super) fn pure(&mut self, frame: &Frame<'a>, code: &'a Code) -> Result<Value, Stop> {
        match code {
            Code::Unsupported(why) => unknown(why.clone()),
            Code::Integer { op, flags, a, b } => {
                let (a, b) = (self.operand(frame, a)?, self.operand(frame, b)?);
                a.zip(&b, &mut |a, b| integer::binary(*op, *flags, a, b))
            }
            Code::ICmp { predicate, samesign, pointers, a, b } => {
                let (a, b) = (self.operand(frame, a)?, self.operand(frame, b)?);
                match pointers {
                    true => a.zip(&b, &mut |a, b| self.compare_pointers(*predicate, a, b)),
                    false => a.zip(&b, &mut |a, b| integer::compare(*predicate, *samesign, a, b)),
                }
            }
            Code::Float { op, fast, format, a, b } => {
                exact_only(*fast)?;
                let (a, b) = (self.operand(frame, a)?, self.operand(frame, b)?);
                let (a, b) =
                    (self.fast_value(*fast, *format, a)?, self.fast_value(*fast, *format, b)?);
                let result = a.zip(&b, &mut |a, b| {
                    lift([a, b], |[a, b]| float::binary(*op, *format, a, b))
                })?;
                self.fast_value(*fast, *format, result)
            }
            Code::FNeg { fast, format, of } => {
                let of = self.operand(frame, of)?;
                let of = self.fast_value(*fast, *format, of)?;
                let result = of.map(&mut |a| match a {
                    Atom::Free(_) => {
                        let sign = Atom::Exact(Bits::least_signed(format.bits()));
                        integer::binary(irtext::Binary::Xor, IntFlags::default(), a, &sign)
                    }
                    _ => lift([a], |[a]| float::negate(*format, a)),
                })?;
                self.fast_value(*fast, *format, result)
            }
            Code::FCmp { predicate, fast, format, a, b } => {
                let (a, b) = (self.operand(frame, a)?, self.operand(frame, b)?);
                let fast = FastMath { nsz: false, ..*fast };
                let (a, b) =
                    (self.fast_value(fast, *format, a)?, self.fast_value(fast, *format, b)?);
                a.zip(&b, &mut |a, b| {
                    lift([a, b], |[a, b]| {
                        float::compare(*predicate, *format, a, b).map(Atom::truth)
                    })
                })
            }
            Code::Cast { op, flags, fast, from, to, of } => {
                let of = self.operand(frame, of)?;
                self.cast(*op, *flags, *fast, (from, to), of)
            }
            Code::Select { fast, format, condition, a, b } => {
                let condition = self.operand(frame, condition)?;
                let (a, b) = (self.operand(frame, a)?, self.operand(frame, b)?);
                let mut chosen = select(&condition, &a, &b)?;
                match format {
                    Some(format) => {
                        let fast = *fast;
                        if self.side == Side::Source && (fast.nnan || fast.ninf) {
                            // The manual speaks of all arguments; versions look at the chosen one alone.
                            let fast = FastMath { nsz: false, ..fast };
                            for arm in [a, b] {
                                let arm = self.fast_value(fast, *format, arm)?;
                                chosen = chosen.zip(&arm, &mut |chosen, arm| {
                                    let poison = matches!(arm, Atom::Poison);
                                    Ok(if poison { Atom::Poison } else { chosen.clone() })
                                })?;
                            }
                        }
                        self.fast_value(fast, *format, chosen)
                    }
                    None => Ok(chosen),
                }
            }
            Code::Freeze { shape, of } => {
                let of = self.operand(frame, of)?;
                self.freeze(shape, &of)
            }
            Code::Build(parts) => {
                let parts = parts.iter().map(|part| self.operand(frame, part));
                Ok(Value::Many(parts.collect::<Result<_, _>>()?))
            }
            Code::Gep { flags, base, steps, lanes, bits } => {
                self.element(frame, flags, base, steps, *lanes, *bits)
            }
            other => self.parts(frame, other),
        }
    }

    /// Operations that take values apart and put them together.
    fn parts(&mut self, frame: &Frame<'a>, code: &'a Code) -> Result<Value, Stop> {
        match code {
            Code::Extract { vector, index } => {
                let (vector, index) = (self.operand(frame, vector)?, self.operand(frame, index)?);
                extract(&vector, index.atom()?)
            }
            Code::Insert { vector, element, index } => {
                let (vector, index) = (self.operand(frame, vector)?, self.operand(frame, index)?);
                let element = self.operand(frame, element)?;
                insert(&vector, element, index.atom()?)
            }
            Code::Shuffle { left, right, mask, element } => {
                let (left, right) = (self.operand(frame, left)?, self.operand(frame, right)?);
                self.shuffle(left.parts()?, right.parts()?, mask, element)
            }
            Code::ExtractValue { of, indices } => {
                let mut value = self.operand(frame, of)?;
                for index in indices {
                    let part = value.parts()?.get(*index as usize).cloned();
                    value = part.map_or_else(|| unknown(Reason::IndexOutOfAggregate), Ok)?;
                }
                Ok(value)
            }
            Code::InsertValue { of, element, indices } => {
                let (of, element) = (self.operand(frame, of)?, self.operand(frame, element)?);
                replace(&of, element, indices)
            }
            _ => unknown(Reason::NoSuchOperation),
        }
    }

    fn shuffle(
        &self,
        left: &[Value],
        right: &[Value],
        mask: &[Lane],
        element: &Shape,
    ) -> Result<Value, Stop> {
        let lane = |place: &Lane| {
            Ok(match place {
                Lane::Poison => element.poison(),
                Lane::Undef if self.side == Side::Source => element.poison(),
                Lane::Undef => element.undef(),
                Lane::From(index) => {
                    let all = left.iter().chain(right).nth(*index as usize);
                    let Some(lane) = all else {
                        return unknown(Reason::LaneOutOfShuffle);
                    };
                    match mask.iter().filter(|other| *other == place).count() {
                        0 | 1 => lane.clone(),
                        _ => lane.map(&mut |atom| Ok(atom.share()))?,
                    }
                }
            })
        };
        Ok(Value::Many(mask.iter().map(lane).collect::<Result<_, _>>()?))
    }

    /// Flags that make poison of NaNs and infinities, or the sign of a zero free.
    pub(super) fn fast_value(
        &mut self,
        fast: FastMath,
        format: Format,
        value: Value,
    ) -> Result<Value, Stop> {
        if !fast.nnan && !fast.ninf && !fast.nsz {
            return Ok(value);
        }
        value.map(&mut |atom| {
            let checked = lift([atom], |[atom]| {
                let class = match atom {
                    Atom::Exact(bits) => match float::class(format, bits) {
                        Some(class) => class,
                        None => return unknown(Reason::ClassOfFloat),
                    },
                    _ if fast.nnan => return Ok(Atom::Poison),
                    other => return Ok((*other).clone()),
                };
                let bad = fast.nnan && class.nan || fast.ninf && class.infinite;
                Ok(if bad { Atom::Poison } else { atom.clone() })
            });
            // A set that is too large to look through holds such a value if nothing of it is known.
            let checked = match checked {
                Err(Stop::Unknown(_)) if atom.is_undef() && (fast.nnan || fast.ninf) => {
                    Atom::Poison
                }
                Err(Stop::Unknown(_)) if atom.is_undef() => atom.clone(),
                other => other?,
            };
            match &checked {
                // LLVM does an operation twice that was there once: the target takes no choice.
                Atom::Exact(bits) if fast.nsz && self.side == Side::Source => {
                    match float::class(format, bits) {
                        Some(class) if class.zero => {
                            let flip = self.choose(2) == 1;
                            if flip { float::negate(format, &checked) } else { Ok(checked) }
                        }
                        _ => Ok(checked),
                    }
                }
                Atom::Set(set) if fast.nsz && self.side == Side::Source => {
                    let mut of = set.of.clone();
                    for member in &set.of {
                        let zero =
                            |bits| float::class(format, bits).is_some_and(|class| class.zero);
                        if matches!(member, Atom::Exact(bits) if zero(bits)) {
                            of.push(float::negate(format, member)?);
                        }
                    }
                    Atom::any_of(of, set.shared)
                }
                _ => Ok(checked),
            }
        })
    }

    fn cast(
        &mut self,
        op: Cast,
        flags: IntFlags,
        fast: FastMath,
        (from, to): (&Shape, &Shape),
        of: Value,
    ) -> Result<Value, Stop> {
        let (lane, width) = (from.lane().1, to.lane().1.bits());
        let format =
            |shape: &Shape| shape.format().map_or_else(|| unknown(Reason::FloatExpected), Ok);
        match op {
            Cast::Trunc | Cast::ZExt => of.map(&mut |a| integer::resize(a, width, false, flags)),
            Cast::SExt => of.map(&mut |a| integer::resize(a, width, true, flags)),
            Cast::FpTrunc | Cast::FpExt => {
                exact_only(fast)?;
                let (f, t) = (format(from)?, format(to)?);
                let of = self.fast_value(fast, f, of)?;
                let result = of.map(&mut |a| lift([a], |[a]| float::convert(f, t, a)))?;
                self.fast_value(fast, t, result)
            }
            Cast::FpToUi | Cast::FpToSi => {
                let f = format(from)?;
                of.map(&mut |a| {
                    lift([a], |[a]| {
                        Ok(match float::to_integer(f, a, width, op == Cast::FpToSi)? {
                            float::Whole::Fits(bits) => Atom::Exact(bits),
                            _ => Atom::Poison,
                        })
                    })
                })
            }
            Cast::UiToFp | Cast::SiToFp => {
                let t = format(to)?;
                of.map(&mut |a| {
                    lift([a], |[a]| {
                        let bits = exact(a)?;
                        if flags.nneg && bits.is_negative() {
                            return Ok(Atom::Poison);
                        }
                        float::of_integer(t, bits, op == Cast::SiToFp)
                    })
                })
            }
            Cast::PtrToInt | Cast::PtrToAddr => of.map(&mut |a| self.address_of(a, width)),
            Cast::IntToPtr => {
                let bits = to.lane().1.bits();
                let number = lane.bits();
                of.map(&mut |a| {
                    let a = match number == bits {
                        true => a.clone(),
                        false => integer::resize(a, bits, false, IntFlags::default())?,
                    };
                    match a.is_undef() {
                        true => Ok(a),
                        false => lift([&a], |[a]| Ok(Atom::Pointer(self.pointer_at(exact(a)?)))),
                    }
                })
            }
            Cast::BitCast => self.bitcast(from, to, of),
            Cast::AddrSpaceCast => unknown(Construct::AddrSpaceCast),
        }
    }

    fn bitcast(&self, from: &Shape, to: &Shape, of: Value) -> Result<Value, Stop> {
        let ((count_from, lane_from), (count_to, lane_to)) = (from.lane(), to.lane());
        let pointers = |shape: &Shape| matches!(shape, Shape::Pointer { .. });
        if pointers(lane_from) || pointers(lane_to) {
            return if from == to { Ok(of) } else { unknown(Reason::BitcastOfPointers) };
        }
        let big = self.program.big;
        if lane_from.bits() == lane_to.bits() && count_from.unwrap_or(1) == count_to.unwrap_or(1) {
            let to_float = lane_to.format().is_some();
            let value = match to_float && lane_from.format().is_some() {
                true => of,
                false => of.map(&mut |a| bits_of(a))?,
            };
            return Ok(match (count_from, count_to) {
                (None, Some(_)) => Value::many(vec![value]),
                (Some(_), None) => value.parts()?[0].clone(),
                _ => value,
            });
        }
        let whole = match count_from {
            Some(_) => self.join_lanes(of.parts()?, lane_from.bits(), lane_to, big)?,
            None => Joined::One(of.atom()?.clone()),
        };
        match (count_to, whole) {
            (Some(count), Joined::Lanes(lanes)) if lanes.len() == count as usize => {
                Ok(Value::many(lanes.into_iter().map(Value::One).collect()))
            }
            (Some(count), Joined::One(whole)) => split(&whole, count, lane_to.bits(), big),
            (None, Joined::One(whole)) => Ok(Value::One(whole)),
            _ => unknown(Reason::BitcastOfVectors),
        }
    }

    /// Lanes joined into wider ones, each of its own; so that poison stays where it is.
    fn join_lanes(
        &self,
        lanes: &[Value],
        width: u32,
        to: &Shape,
        big: bool,
    ) -> Result<Joined, Stop> {
        let group = (to.bits() / width) as usize;
        if to.bits() > width && to.bits().is_multiple_of(width) && group < lanes.len() {
            let joined = lanes.chunks(group).map(|chunk| join(chunk, width, big));
            return Ok(Joined::Lanes(joined.collect::<Result<_, _>>()?));
        }
        if width > to.bits() && width.is_multiple_of(to.bits()) {
            let count = width / to.bits();
            let mut all = Vec::new();
            for lane in lanes {
                for part in split(lane.atom()?, count, to.bits(), big)?.parts()? {
                    all.push(part.atom()?.clone());
                }
            }
            return Ok(Joined::Lanes(all));
        }
        Ok(Joined::One(join(lanes, width, big)?))
    }

    /// One value of each that may be several.
    pub(super) fn freeze(&mut self, shape: &Shape, of: &Value) -> Result<Value, Stop> {
        if let Value::Many(parts) = of {
            let shapes = shape.parts();
            let parts =
                parts.iter().zip(&shapes).map(|(part, (_, shape))| self.freeze(shape, part));
            return Ok(Value::Many(parts.collect::<Result<_, _>>()?));
        }
        let atom = of.atom()?;
        if atom.is_exact() {
            return Ok(of.clone());
        }
        let width = shape.bits();
        if let Shape::Pointer { .. } = shape
            && !matches!(atom, Atom::Set(_))
        {
            self.incomplete = true;
            return Ok(Value::One(Atom::Pointer(Pointer::Address(0))));
        }
        let set = if matches!(atom, Atom::Poison) { Atom::undef(width) } else { atom.clone() };
        // The source must be known in all it may do; of the target, corners are worth more than the first few.
        let most = if self.side == Side::Source { self.limits.choices as usize } else { 8 };
        if let Some(members) = set.members()
            && members.len() <= most
        {
            let choice = self.choose(members.len() as u32);
            return Ok(Value::One(members[choice as usize].clone()));
        }
        self.incomplete = true;
        if let Atom::Range(range) = &set {
            let last = range.low.add(&range.span);
            let ends = [range.low.clone(), last];
            return Ok(Value::One(Atom::Exact(ends[self.choose(2) as usize].clone())));
        }
        let Some((known, free)) = set.known_and_free() else {
            let members = set.members().unwrap_or_default();
            let choice = self.choose(members.len().min(4) as u32);
            return Ok(Value::One(members[choice as usize].clone()));
        };
        // More than can be tried: those at which something happens.
        let candidates =
            [Bits::zero(width), Bits::ones(width), Bits::new(width, 1), Bits::least_signed(width)];
        let choice = self.choose(candidates.len() as u32);
        let bits = known.or(&free.and(&candidates[choice as usize]));
        Ok(Value::One(Atom::Exact(bits)))
    }

    /// The value of an operand without parts.
    pub(super) fn atom_of(&mut self, frame: &Frame<'a>, of: &'a Operand) -> Result<Atom, Stop> {
        self.operand(frame, of)?.atom().cloned()
    }
}

/// Lanes made wider or narrower, or all of them as one.
enum Joined {
    Lanes(Vec<Atom>),
    One(Atom),
}

/// Flags that allow other results than the exact one.
pub(super) fn exact_only(fast: FastMath) -> Result<(), Stop> {
    match fast.reassoc || fast.contract || fast.arcp || fast.afn {
        true => unknown(Reason::FastMath),
        false => Ok(()),
    }
}

/// `select`.
pub(super) fn select(condition: &Value, a: &Value, b: &Value) -> Result<Value, Stop> {
    match condition {
        Value::One(condition) => match condition {
            Atom::Exact(bits) => Ok(if bits.is_zero() { b.clone() } else { a.clone() }),
            Atom::Poison => a.map(&mut |_| Ok(Atom::Poison)),
            // One choice for all parts.
            _ => {
                let many = matches!(a, Value::Many(_));
                a.zip(b, &mut |a, b| Atom::any_of(vec![a.clone(), b.clone()], many))
            }
        },
        Value::Many(lanes) => {
            let (a, b) = (a.parts()?, b.parts()?);
            let lanes = lanes.iter().zip(a.iter().zip(b)).map(|(c, (a, b))| select(c, a, b));
            Ok(Value::Many(lanes.collect::<Result<_, _>>()?))
        }
    }
}

/// An index below a number of lanes: `None` if it is or may be beyond.
fn lane_index(index: &Atom, count: usize) -> Result<Option<usize>, Stop> {
    match index {
        Atom::Exact(bits) => {
            let index = bits.small().and_then(|index| usize::try_from(index).ok());
            Ok(index.filter(|index| *index < count))
        }
        Atom::Poison => Ok(None),
        Atom::Free(free) => match free.known.or(&free.free).small() {
            Some(most) if most < count as u128 => unknown(Reason::UndefLaneIndex),
            _ => Ok(None),
        },
        _ => unknown(Reason::UndefLaneIndex),
    }
}

fn extract(vector: &Value, index: &Atom) -> Result<Value, Stop> {
    let lanes = vector.parts()?;
    Ok(match lane_index(index, lanes.len())? {
        Some(index) => lanes[index].clone(),
        None => lanes[0].map(&mut |_| Ok(Atom::Poison))?,
    })
}

fn insert(vector: &Value, element: Value, index: &Atom) -> Result<Value, Stop> {
    let mut lanes = vector.parts()?.to_vec();
    match lane_index(index, lanes.len())? {
        Some(index) => lanes[index] = element,
        None => return vector.map(&mut |_| Ok(Atom::Poison)),
    }
    Ok(Value::many(lanes))
}

fn replace(of: &Value, element: Value, indices: &[u32]) -> Result<Value, Stop> {
    let Some((first, rest)) = indices.split_first() else { return Ok(element) };
    let mut parts = of.parts()?.to_vec();
    match parts.get_mut(*first as usize) {
        Some(part) => *part = replace(part, element, rest)?,
        None => return unknown(Reason::IndexOutOfAggregate),
    }
    Ok(Value::many(parts))
}
