//! Instructions that only compute: arithmetic, comparisons, conversions, selections, parts of values.

use irmachine::Construct;
use irtext::{Binary, Cast, GepFlags, IntFlags, IntPredicate, Op, Type, Typed, Value};

use crate::memory::{OFFSET, block_of, offset_of, pointer_from_number};
use crate::side::Side;
use crate::term::{Arithmetic, Origin, Role, Term, Terms};
use crate::value::{Kind, Lane};
use crate::{Approximation, Unsupported, unsupported};

impl Side<'_> {
    /// The lanes that an instruction without effect, or a constant expression, gives.
    pub(crate) fn compute(&mut self, op: &Op) -> Result<Vec<Lane>, Unsupported> {
        match op {
            Op::Binary { op, flags, fast, left, right } => {
                let kinds = self.kinds(&left.ty)?;
                let (a, b) = (self.typed(left)?, self.operand(right, &left.ty)?);
                let mut lanes = Vec::new();
                for ((kind, a), b) in kinds.iter().zip(a).zip(b) {
                    lanes.push(match kind {
                        Kind::Float(float) => self.float_binary(*op, *float, fast, a, b)?,
                        _ => self.integer_binary(*op, flags, a, b)?,
                    });
                }
                Ok(lanes)
            }
            Op::FNeg { flags, of } => {
                let kinds = self.kinds(&of.ty)?;
                let lanes = self.typed(of)?;
                let lanes = lanes.into_iter().map(|lane| self.float_negated(lane)).collect();
                self.fast_result(lanes, &kinds, flags)
            }
            Op::ICmp { predicate, samesign, left, right } => {
                let kinds = self.kinds(&left.ty)?;
                let (a, b) = (self.typed(left)?, self.operand(right, &left.ty)?);
                let mut lanes = Vec::new();
                for ((kind, a), b) in kinds.iter().zip(a).zip(b) {
                    lanes.push(self.compared(*kind, *predicate, *samesign, a, b));
                }
                Ok(lanes)
            }
            Op::FCmp { predicate, flags, left, right } => {
                let kinds = self.kinds(&left.ty)?;
                let (a, b) = (self.typed(left)?, self.operand(right, &left.ty)?);
                let mut lanes = Vec::new();
                for ((kind, a), b) in kinds.iter().zip(a).zip(b) {
                    let Kind::Float(float) = kind else {
                        return unsupported(Construct::FloatOperandExpected);
                    };
                    lanes.push(self.float_compared(*predicate, *float, flags, a, b)?);
                }
                Ok(lanes)
            }
            Op::Cast { op, flags, from, to, .. } => self.cast(*op, flags, from, to),
            Op::Select { flags, condition, then, otherwise } => {
                let kinds = self.kinds(&then.ty)?;
                let c = self.typed(condition)?;
                let (a, b) = (self.typed(then)?, self.typed(otherwise)?);
                let lanes = (a.iter().zip(&b).enumerate())
                    .map(|(index, (a, b))| {
                        let c = c[if c.len() == 1 { 0 } else { index }];
                        self.selected(c, *a, *b)
                    })
                    .collect();
                self.fast_result(lanes, &kinds, flags)
            }
            Op::Freeze(of) => {
                let kinds = self.kinds(&of.ty)?;
                let lanes = self.typed(of)?;
                let lanes = self.shared.refreshed(&lanes, self.target, true);
                Ok(kinds.iter().zip(lanes).map(|(kind, lane)| self.frozen(*kind, lane)).collect())
            }
            Op::ExtractElement { vector, index } => self.extract_element(vector, index),
            Op::InsertElement { vector, element, index } => {
                let lanes = self.typed(vector)?;
                let element = self.scalar(element)?;
                let index = self.scalar(index)?;
                let outside = self.outside(index, lanes.len());
                let mut result = Vec::new();
                for (place, lane) in lanes.into_iter().enumerate() {
                    let terms = &mut self.shared.terms;
                    let place = terms.number(terms.width(index.bits), place as u128);
                    let here = terms.equal(index.bits, place);
                    let bits = terms.choose(here, element.bits, lane.bits);
                    let poison = terms.choose(here, element.poison, lane.poison);
                    let poison = terms.or(poison, outside);
                    result.push(self.shared.unless(poison, bits));
                }
                Ok(result)
            }
            Op::ShuffleVector { left, right, mask } => self.shuffle(left, right, mask),
            Op::ExtractValue { aggregate, indices } => {
                let lanes = self.typed(aggregate)?;
                let (start, count) = self.part(&aggregate.ty, indices)?;
                Ok(lanes[start..start + count].to_vec())
            }
            Op::InsertValue { aggregate, element, indices } => {
                let mut lanes = self.typed(aggregate)?;
                let (start, count) = self.part(&aggregate.ty, indices)?;
                let new = self.typed(element)?;
                lanes.splice(start..start + count, new);
                Ok(lanes)
            }
            Op::GetElementPtr { flags, ty, base, indices } => {
                self.element(flags, ty, base, indices)
            }
            _ => unsupported(Unsupported::Instruction),
        }
    }

    fn frozen(&mut self, kind: Kind, lane: Lane) -> Lane {
        if self.shared.terms.is_false(lane.poison) {
            return lane;
        }
        let any = self.shared.free(kind, Role::Choice(Origin::Own), self.target);
        let bits = self.shared.terms.choose(lane.poison, any, lane.bits);
        self.shared.lane(bits)
    }

    pub(crate) fn selected(&mut self, c: Lane, a: Lane, b: Lane) -> Lane {
        let terms = &mut self.shared.terms;
        let yes = terms.is_set(c.bits);
        let bits = terms.choose(yes, a.bits, b.bits);
        let poison = terms.choose(yes, a.poison, b.poison);
        let poison = terms.or(c.poison, poison);
        self.shared.unless(poison, bits)
    }

    /// An operation on integers; undefined behaviour is noted.
    pub(crate) fn integer_binary(
        &mut self,
        op: Binary,
        flags: &IntFlags,
        a: Lane,
        b: Lane,
    ) -> Result<Lane, Unsupported> {
        let mut poison = self.shared.terms.or(a.poison, b.poison);
        let (x, y) = (a.bits, b.bits);
        let terms = &mut self.shared.terms;
        let width = terms.width(x);
        let kind = match op {
            Binary::Add => Arithmetic::Add,
            Binary::Sub => Arithmetic::Sub,
            Binary::Mul => Arithmetic::Mul,
            Binary::UDiv => Arithmetic::UDiv,
            Binary::SDiv => Arithmetic::SDiv,
            Binary::URem => Arithmetic::URem,
            Binary::SRem => Arithmetic::SRem,
            Binary::Shl => Arithmetic::Shl,
            Binary::LShr => Arithmetic::LShr,
            Binary::AShr => Arithmetic::AShr,
            Binary::And => Arithmetic::And,
            Binary::Or => Arithmetic::Or,
            Binary::Xor => Arithmetic::Xor,
            _ => return unsupported(Construct::FloatOperandExpected),
        };
        if matches!(op, Binary::UDiv | Binary::SDiv | Binary::URem | Binary::SRem) {
            let zero = terms.number(width, 0);
            let by_zero = terms.equal(y, zero);
            let mut bad = terms.or(b.poison, by_zero);
            if matches!(op, Binary::SDiv | Binary::SRem) {
                let (least, minus_one) = (terms.sign_bit(width), terms.ones(width));
                let (least, minus_one) = (terms.equal(x, least), terms.equal(y, minus_one));
                let known = terms.not(a.poison);
                let overflows = terms.all(&[least, minus_one, known]);
                bad = terms.or(bad, overflows);
            }
            self.undefined_if(bad);
        }
        let terms = &mut self.shared.terms;
        let result = terms.arithmetic(kind, x, y);
        let mut wrong = Vec::new();
        if matches!(op, Binary::Shl | Binary::LShr | Binary::AShr) {
            let limit = terms.number(width, width.into());
            wrong.push(terms.at_most(false, limit, y));
        }
        if flags.nuw {
            wrong.push(unsigned_overflow(terms, op, x, y, result));
        }
        if flags.nsw {
            wrong.push(signed_overflow(terms, op, x, y, result));
        }
        if flags.exact {
            let back = match op {
                Binary::UDiv => {
                    let rest = terms.arithmetic(Arithmetic::URem, x, y);
                    let zero = terms.number(width, 0);
                    terms.equal(rest, zero)
                }
                Binary::SDiv => {
                    let rest = terms.arithmetic(Arithmetic::SRem, x, y);
                    let zero = terms.number(width, 0);
                    terms.equal(rest, zero)
                }
                _ => {
                    let back = terms.arithmetic(Arithmetic::Shl, result, y);
                    terms.equal(back, x)
                }
            };
            wrong.push(terms.not(back));
        }
        if flags.disjoint {
            let both = terms.arithmetic(Arithmetic::And, x, y);
            let zero = terms.number(width, 0);
            wrong.push(terms.differ(both, zero));
        }
        wrong.push(poison);
        poison = terms.any(&wrong);
        Ok(self.shared.unless(poison, result))
    }

    pub(crate) fn compared(
        &mut self,
        kind: Kind,
        predicate: IntPredicate,
        samesign: bool,
        a: Lane,
        b: Lane,
    ) -> Lane {
        let mut poison = self.shared.terms.or(a.poison, b.poison);
        let (mut x, mut y) = (a.bits, b.bits);
        if kind == Kind::Pointer {
            let terms = &mut self.shared.terms;
            x = self.shared.memory.address(terms, x);
            y = self.shared.memory.address(terms, y);
        }
        let terms = &mut self.shared.terms;
        if samesign {
            let (n, m) = (terms.is_negative(x), terms.is_negative(y));
            let differ = terms.differ(n, m);
            poison = terms.or(poison, differ);
        }
        let holds = predicate_holds(terms, predicate, x, y);
        let bits = terms.bit_of(holds);
        self.shared.unless(poison, bits)
    }

    fn cast(
        &mut self,
        op: Cast,
        flags: &IntFlags,
        from: &Typed,
        to: &Type,
    ) -> Result<Vec<Lane>, Unsupported> {
        let (before, after) = (self.kinds(&from.ty)?, self.kinds(to)?);
        let lanes = self.typed(from)?;
        if op == Cast::BitCast {
            return self.bitcast(&before, &lanes, &after);
        }
        let mut result = Vec::new();
        for ((lane, old), new) in lanes.into_iter().zip(before).zip(after) {
            let width = new.width();
            let x = lane.bits;
            let mut poison = lane.poison;
            let terms = &mut self.shared.terms;
            let bits = match op {
                Cast::Trunc => {
                    let bits = terms.truncate(width, x);
                    let mut wrong = Vec::new();
                    if flags.nuw {
                        let back = terms.zero_extend(old.width(), bits);
                        wrong.push(terms.differ(back, x));
                    }
                    if flags.nsw {
                        let back = terms.sign_extend(old.width(), bits);
                        wrong.push(terms.differ(back, x));
                    }
                    wrong.push(poison);
                    poison = terms.any(&wrong);
                    bits
                }
                Cast::ZExt => {
                    if flags.nneg {
                        let negative = terms.is_negative(x);
                        poison = terms.or(poison, negative);
                    }
                    terms.zero_extend(width, x)
                }
                Cast::SExt => terms.sign_extend(width, x),
                Cast::PtrToInt | Cast::PtrToAddr => {
                    let address = self.shared.memory.address(terms, x);
                    if width <= OFFSET {
                        terms.truncate(width, address)
                    } else {
                        terms.zero_extend(width, address)
                    }
                }
                Cast::IntToPtr => {
                    let number = if old.width() >= OFFSET {
                        terms.truncate(OFFSET, x)
                    } else {
                        terms.zero_extend(OFFSET, x)
                    };
                    let pointer = pointer_from_number(terms, number);
                    self.shared.approximate(Approximation::PointerOfNumber);
                    pointer
                }
                Cast::AddrSpaceCast => return unsupported(Construct::AddrSpaceCast),
                Cast::BitCast => x,
                _ => {
                    result.push(self.float_cast(op, flags, old, new, lane)?);
                    continue;
                }
            };
            result.push(self.shared.unless(poison, bits));
        }
        Ok(result)
    }

    /// The same bits as another type.
    fn bitcast(
        &mut self,
        before: &[Kind],
        lanes: &[Lane],
        after: &[Kind],
    ) -> Result<Vec<Lane>, Unsupported> {
        let is_pointer = |kinds: &[Kind]| kinds.contains(&Kind::Pointer);
        if is_pointer(before) || is_pointer(after) || before.len() == after.len() {
            if before.len() != after.len() {
                return unsupported(Unsupported::BitcastOfPointers);
            }
            return Ok(lanes.to_vec());
        }
        let big = self.layout.is_big_endian();
        let terms = &mut self.shared.terms;
        // From the low end: each lane with the bits where it begins and ends.
        let mut at = 0;
        let mut pieces: Vec<(u32, u32, Lane)> = Vec::new();
        for index in 0..lanes.len() {
            let index = if big { lanes.len() - 1 - index } else { index };
            let width = before[index].width();
            pieces.push((at, at + width, lanes[index]));
            at += width;
        }
        let mut result = Vec::new();
        let mut start = 0;
        for index in 0..after.len() {
            let index = if big { after.len() - 1 - index } else { index };
            let end = start + after[index].width();
            let mut bits: Option<Term> = None;
            let mut poison = Vec::new();
            for (from, to, lane) in pieces.iter().filter(|(from, to, _)| *from < end && *to > start)
            {
                let low = start.max(*from) - from;
                let high = end.min(*to) - from - 1;
                let piece = terms.extract(high, low, lane.bits);
                bits = Some(bits.map_or(piece, |below| terms.concat(piece, below)));
                poison.push(lane.poison);
            }
            let poison = terms.any(&poison);
            let Some(bits) = bits else { return unsupported(Unsupported::BitcastBetweenSizes) };
            result.push(Lane { bits, poison });
            start = end;
        }
        if big {
            result.reverse();
        }
        Ok(result.into_iter().map(|l| self.shared.unless(l.poison, l.bits)).collect())
    }

    /// Whether an index lies outside, or is poison.
    fn outside(&mut self, index: Lane, count: usize) -> Term {
        let terms = &mut self.shared.terms;
        let width = terms.width(index.bits);
        // A count that the index cannot reach.
        if width < 64 && count as u64 >> width != 0 {
            return index.poison;
        }
        let count = terms.number(width, count as u128);
        let beyond = terms.at_most(false, count, index.bits);
        terms.or(index.poison, beyond)
    }

    fn extract_element(&mut self, vector: &Typed, index: &Typed) -> Result<Vec<Lane>, Unsupported> {
        let lanes = self.typed(vector)?;
        let index = self.scalar(index)?;
        let outside = self.outside(index, lanes.len());
        let Some((last, rest)) = lanes.split_last() else {
            return unsupported(Unsupported::EmptyVector);
        };
        let mut result = *last;
        for (place, lane) in rest.iter().enumerate() {
            let terms = &mut self.shared.terms;
            let place = terms.number(terms.width(index.bits), place as u128);
            let here = terms.equal(index.bits, place);
            result = Lane {
                bits: terms.choose(here, lane.bits, result.bits),
                poison: terms.choose(here, lane.poison, result.poison),
            };
        }
        let poison = self.shared.terms.or(outside, result.poison);
        Ok(vec![self.shared.unless(poison, result.bits)])
    }

    fn shuffle(
        &mut self,
        left: &Typed,
        right: &Typed,
        mask: &Typed,
    ) -> Result<Vec<Lane>, Unsupported> {
        let kinds = self.kinds(&left.ty)?;
        let mut lanes = self.typed(left)?;
        lanes.extend(self.typed(right)?);
        let Value::Constant(mask_value) = &mask.value else {
            return unsupported(Construct::ShuffleMask);
        };
        let mask = self.constant(mask_value, &mask.ty)?;
        let mut result = Vec::new();
        for index in mask {
            // An undefined index is a poison lane.
            let lane = match self.shared.terms.as_number(index.bits) {
                Some(number) if self.shared.terms.is_false(index.poison) => {
                    lanes.get(number as usize).copied()
                }
                _ => None,
            };
            result.push(match lane {
                Some(lane) => lane,
                None => self.shared.poison(kinds[0]),
            });
        }
        Ok(result)
    }

    /// Which lanes of an aggregate a way leads to: the first, and how many.
    fn part(&self, ty: &Type, indices: &[u32]) -> Result<(usize, usize), Unsupported> {
        let mut ty = ty.clone();
        let mut start = 0;
        for index in indices {
            let resolved = self.module.resolve(&ty).cloned();
            ty = match resolved {
                Some(Type::Struct { fields, .. }) => {
                    for field in fields.iter().take(*index as usize) {
                        start += self.kinds(field)?.len();
                    }
                    match fields.get(*index as usize) {
                        Some(field) => field.clone(),
                        None => return unsupported(Unsupported::IndexOutOfStructure),
                    }
                }
                Some(Type::Array(_, element)) => {
                    start += self.kinds(&element)?.len() * *index as usize;
                    (*element).clone()
                }
                _ => return unsupported(Unsupported::IndexIntoScalar),
            };
        }
        Ok((start, self.kinds(&ty)?.len()))
    }

    fn element(
        &mut self,
        flags: &GepFlags,
        ty: &Type,
        base: &Typed,
        indices: &[Typed],
    ) -> Result<Vec<Lane>, Unsupported> {
        let bases = self.typed(base)?;
        if let Some(Type::Pointer(space)) = scalar_type(self.module, &base.ty)
            && self.layout.index_bits(*space) != OFFSET
        {
            return unsupported(Unsupported::IndexWidth);
        }
        let mut steps = Vec::new();
        let mut lanes = bases.len();
        let mut ty = ty.clone();
        for (number, index) in indices.iter().enumerate() {
            let values = self.typed(index)?;
            lanes = lanes.max(values.len());
            if number > 0 {
                let resolved = self.module.resolve(&ty).cloned();
                ty = match resolved {
                    Some(Type::Struct { packed, fields }) => {
                        let field = self.shared.terms.as_number(values[0].bits);
                        let field = field.and_then(|f| usize::try_from(f).ok());
                        let offsets = self.layout.fields(self.module, packed, &fields);
                        let (Some(field), Some((offsets, _))) = (field, offsets) else {
                            return unsupported(Unsupported::UnknownLayout);
                        };
                        let (Some(offset), Some(field)) = (offsets.get(field), fields.get(field))
                        else {
                            return unsupported(Unsupported::IndexOutOfStructure);
                        };
                        let offset = self.shared.terms.number(OFFSET, (*offset).into());
                        steps.push((vec![self.shared.lane(offset)], 1));
                        ty = field.clone();
                        continue;
                    }
                    Some(Type::Array(_, element)) => (*element).clone(),
                    Some(Type::Vector { element, .. }) => (*element).clone(),
                    _ => return unsupported(Unsupported::IndexIntoScalar),
                };
            }
            let Some(size) = self.layout.size(self.module, &ty) else {
                return unsupported(Unsupported::UnknownLayout);
            };
            steps.push((values, size));
        }
        let mut result = Vec::new();
        for lane in 0..lanes {
            let pick = |of: &[Lane]| of[if of.len() == 1 { 0 } else { lane }];
            let base = pick(&bases);
            let steps: Vec<(Lane, u64)> =
                steps.iter().map(|(of, size)| (pick(of), *size)).collect();
            result.push(self.stepped(flags, base, &steps));
        }
        Ok(result)
    }

    fn stepped(&mut self, flags: &GepFlags, base: Lane, steps: &[(Lane, u64)]) -> Lane {
        let terms = &mut self.shared.terms;
        let mut wrong = vec![base.poison];
        let mut total = terms.number(OFFSET, 0);
        let signed = flags.inbounds || flags.nusw;
        for (index, size) in steps {
            wrong.push(index.poison);
            let width = terms.width(index.bits);
            let (number, cut) = if width > OFFSET {
                let number = terms.truncate(OFFSET, index.bits);
                let back = terms.sign_extend(width, number);
                (number, terms.differ(back, index.bits))
            } else {
                (terms.sign_extend(OFFSET, index.bits), terms.bool(false))
            };
            let size = terms.number(OFFSET, (*size).into());
            let scaled = terms.arithmetic(Arithmetic::Mul, number, size);
            let sum = terms.add(total, scaled);
            if signed {
                wrong.push(cut);
                wrong.push(signed_overflow(terms, Binary::Mul, number, size, scaled));
                wrong.push(signed_overflow(terms, Binary::Add, total, scaled, sum));
            }
            if flags.nuw {
                wrong.push(unsigned_overflow(terms, Binary::Mul, number, size, scaled));
                wrong.push(unsigned_overflow(terms, Binary::Add, total, scaled, sum));
            }
            total = sum;
        }
        let (block, offset) = (block_of(terms, base.bits), offset_of(terms, base.bits));
        let after = terms.add(offset, total);
        let memory = &self.shared.memory;
        if flags.inbounds {
            let before = memory.within(terms, block, offset, 0);
            let behind = memory.within(terms, block, after, 0);
            let inside = terms.and(before, behind);
            wrong.push(terms.not(inside));
            wrong.push(signed_overflow(terms, Binary::Add, offset, total, after));
        } else if flags.nusw || flags.nuw {
            let start = memory.address(terms, base.bits);
            let end = terms.add(start, total);
            if flags.nuw {
                wrong.push(terms.less(false, end, start));
            }
            if flags.nusw {
                // The address, without sign, plus the offset, with sign.
                let down = terms.is_negative(total);
                let (below, above) = (terms.less(false, start, end), terms.less(false, end, start));
                wrong.push(terms.choose(down, below, above));
            }
        }
        let poison = terms.any(&wrong);
        let bits = terms.concat(block, after);
        self.shared.unless(poison, bits)
    }
}

/// The type of a lane of a vector, or the type itself.
fn scalar_type<'a>(module: &'a irtext::Module, ty: &'a Type) -> Option<&'a Type> {
    match module.resolve(ty)? {
        Type::Vector { element, .. } => module.resolve(element),
        other => Some(other),
    }
}

fn predicate_holds(terms: &mut Terms, predicate: IntPredicate, x: Term, y: Term) -> Term {
    match predicate {
        IntPredicate::Eq => terms.equal(x, y),
        IntPredicate::Ne => terms.differ(x, y),
        IntPredicate::Ugt => terms.less(false, y, x),
        IntPredicate::Uge => terms.at_most(false, y, x),
        IntPredicate::Ult => terms.less(false, x, y),
        IntPredicate::Ule => terms.at_most(false, x, y),
        IntPredicate::Sgt => terms.less(true, y, x),
        IntPredicate::Sge => terms.at_most(true, y, x),
        IntPredicate::Slt => terms.less(true, x, y),
        IntPredicate::Sle => terms.at_most(true, x, y),
    }
}

/// Whether an operation leaves the numbers without sign.
pub(crate) fn unsigned_overflow(
    terms: &mut Terms,
    op: Binary,
    x: Term,
    y: Term,
    result: Term,
) -> Term {
    let width = terms.width(x);
    match op {
        Binary::Add => terms.less(false, result, x),
        Binary::Sub => terms.less(false, x, y),
        Binary::Mul => {
            if terms.as_number(y) == Some(1) || terms.as_number(x) == Some(1) {
                return terms.bool(false);
            }
            if let Some(bits) = power_of_two(terms, y) {
                return lost_above(terms, x, bits);
            }
            let (x, y) = (terms.zero_extend(2 * width, x), terms.zero_extend(2 * width, y));
            let whole = terms.arithmetic(Arithmetic::Mul, x, y);
            let high = terms.extract(2 * width - 1, width, whole);
            let zero = terms.number(width, 0);
            terms.differ(high, zero)
        }
        Binary::Shl => {
            if let Some(bits) = terms.as_number(y).filter(|bits| *bits < width.into()) {
                return lost_above(terms, x, bits as u32);
            }
            let back = terms.arithmetic(Arithmetic::LShr, result, y);
            terms.differ(back, x)
        }
        _ => terms.bool(false),
    }
}

/// Whether an operation leaves the numbers with sign.
pub(crate) fn signed_overflow(
    terms: &mut Terms,
    op: Binary,
    x: Term,
    y: Term,
    result: Term,
) -> Term {
    let width = terms.width(x);
    match op {
        Binary::Add | Binary::Sub => {
            if terms.as_number(y) == Some(0) || (op == Binary::Add && terms.as_number(x) == Some(0))
            {
                return terms.bool(false);
            }
            let left = terms.arithmetic(Arithmetic::Xor, x, result);
            let other = if op == Binary::Add { result } else { x };
            let right = terms.arithmetic(Arithmetic::Xor, other, y);
            let both = terms.arithmetic(Arithmetic::And, left, right);
            terms.is_negative(both)
        }
        Binary::Mul => {
            if terms.as_number(y) == Some(1) && width > 1 {
                return terms.bool(false);
            }
            if let Some(bits) = power_of_two(terms, y).filter(|bits| bits + 1 < width) {
                return lost_sign(terms, x, bits);
            }
            let (x, y) = (terms.sign_extend(2 * width, x), terms.sign_extend(2 * width, y));
            let whole = terms.arithmetic(Arithmetic::Mul, x, y);
            let back = terms.sign_extend(2 * width, result);
            terms.differ(whole, back)
        }
        Binary::Shl => {
            if let Some(bits) = terms.as_number(y).filter(|bits| *bits < width.into()) {
                return lost_sign(terms, x, bits as u32);
            }
            let back = terms.arithmetic(Arithmetic::AShr, result, y);
            terms.differ(back, x)
        }
        _ => terms.bool(false),
    }
}

/// Which power of two a constant is.
fn power_of_two(terms: &Terms, term: Term) -> Option<u32> {
    let number = terms.as_number(term)?;
    number.is_power_of_two().then(|| number.trailing_zeros())
}

/// Whether any of the highest bits is set.
fn lost_above(terms: &mut Terms, x: Term, bits: u32) -> Term {
    if bits == 0 {
        return terms.bool(false);
    }
    let width = terms.width(x);
    let high = terms.extract(width - 1, width - bits, x);
    let zero = terms.number(bits, 0);
    terms.differ(high, zero)
}

/// Whether the number changes when its highest bits are copies of the one below.
fn lost_sign(terms: &mut Terms, x: Term, bits: u32) -> Term {
    let width = terms.width(x);
    let low = terms.truncate(width - bits, x);
    let back = terms.sign_extend(width, low);
    terms.differ(back, x)
}
