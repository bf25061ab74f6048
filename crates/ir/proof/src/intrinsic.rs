//! LLVM's intrinsic functions that have a meaning here. All others are calls like any.

use irmachine::Construct;
use irtext::{Attribute, Binary, Call, FastMath, Float, IntFlags, Value};

use crate::compute::{signed_overflow, unsigned_overflow};
use crate::side::Side;
use crate::term::{Arithmetic, Term, Terms};
use crate::value::{Kind, Lane};
use crate::{Unsupported, unsupported};

/// Those that do nothing here.
const NOTHING: &[&str] = &[
    "dbg.declare",
    "dbg.value",
    "dbg.label",
    "dbg.assign",
    "donothing",
    "experimental.noalias.scope.decl",
    "var.annotation",
    "assume",
];

impl Side<'_> {
    /// The result of an intrinsic; `None`: it is a call like any.
    pub(crate) fn intrinsic(
        &mut self,
        full: &str,
        call: &Call,
    ) -> Result<Option<Vec<Lane>>, Unsupported> {
        let name = full.strip_prefix("llvm.").unwrap_or(full);
        if name == "assume" {
            if self.target && !call.bundles.is_empty() {
                return unsupported(Unsupported::AssumeBundles);
            }
            let lanes = self.typed(&call.arguments[0].value)?;
            let lanes = self.must_be_defined(&lanes);
            let holds = self.shared.terms.is_set(lanes[0].bits);
            let fails = self.shared.terms.not(holds);
            self.undefined_if(fails);
        }
        if NOTHING.contains(&name) {
            return Ok(Some(Vec::new()));
        }
        let is = |start: &str| {
            name == start || name.strip_prefix(start).is_some_and(|r| r.starts_with('.'))
        };
        if is("lifetime.start") || is("lifetime.end") {
            let Some(pointer) = call.arguments.last() else {
                return unsupported(Construct::Intrinsic(full.into()));
            };
            let pointer = self.scalar(&pointer.value)?;
            self.life(pointer, is("lifetime.start"))?;
            return Ok(Some(Vec::new()));
        }
        if is("memcpy")
            || is("memcpy.inline")
            || is("memmove")
            || is("memset")
            || is("memset.inline")
        {
            return self.block_operation(name, call);
        }
        if call.arguments.iter().any(|a| matches!(a.value.value, Value::Metadata(_))) {
            return Ok(None);
        }
        let Some(first) = call.arguments.first() else { return Ok(None) };
        let same = [
            "expect",
            "expect.with.probability",
            "annotation",
            "launder.invariant.group",
            "strip.invariant.group",
        ];
        if same.iter().any(|name| is(name)) {
            return Ok(Some(self.typed(&first.value)?));
        }
        let Ok(kinds) = self.kinds(&first.value.ty) else { return Ok(None) };
        match kinds.first() {
            Some(Kind::Integer(_)) => self.integer_intrinsic(&is, call),
            Some(Kind::Float(float)) => self.float_intrinsic(&is, call, *float),
            _ => Ok(None),
        }
    }

    /// Copies and fills, of a length that is known.
    fn block_operation(
        &mut self,
        name: &str,
        call: &Call,
    ) -> Result<Option<Vec<Lane>>, Unsupported> {
        let [to, from, count, volatile] = call.arguments.as_slice() else { return Ok(None) };
        let align = |attributes: &irtext::Attributes| {
            attributes.0.iter().find_map(|a| match a {
                Attribute::Number(name, align) if &**name == "align" => Some(*align),
                _ => None,
            })
        };
        let aligns = (align(&to.attributes).unwrap_or(1), align(&from.attributes).unwrap_or(1));
        let length = self.scalar(&count.value)?;
        let is_volatile = self.scalar(&volatile.value)?;
        let plain = self.shared.terms.as_number(is_volatile.bits) == Some(0);
        let known = self.shared.terms.as_number(length.bits).and_then(|n| u64::try_from(n).ok());
        let is_set = name.starts_with("memset");
        let spaces = self.plain_space(&to.value.ty).is_ok()
            && (is_set || self.plain_space(&from.value.ty).is_ok());
        match known {
            Some(0) => return Ok(Some(Vec::new())),
            Some(count) if plain && spaces && count <= self.shared.limits.bytes => {
                let to = self.place(&to.value)?;
                if is_set {
                    let value = self.scalar(&from.value)?;
                    self.fill(to, value, count, aligns.0);
                } else {
                    let from = self.place(&from.value)?;
                    if name.starts_with("memcpy") {
                        self.must_not_overlap(to, from, count);
                    }
                    self.copy(to, from, count, aligns);
                }
                return Ok(Some(Vec::new()));
            }
            _ => {}
        }
        // Otherwise the world does it, if it knows the memory.
        let to = self.scalar(&to.value)?;
        let from = self.scalar(&from.value)?;
        if !self.is_public(to.bits) || (!is_set && !self.is_public(from.bits)) {
            return unsupported(Unsupported::CopyOfUnknownLength);
        }
        Ok(None)
    }

    fn integer_intrinsic(
        &mut self,
        is: &dyn Fn(&str) -> bool,
        call: &Call,
    ) -> Result<Option<Vec<Lane>>, Unsupported> {
        if let Some(lane) = self.reduction(is, call)? {
            return Ok(Some(vec![lane]));
        }
        let mut all = Vec::new();
        for argument in &call.arguments {
            all.push(self.typed(&argument.value)?);
        }
        let count = all[0].len();
        let overflow = [
            ("sadd.with.overflow", Binary::Add, true),
            ("uadd.with.overflow", Binary::Add, false),
            ("ssub.with.overflow", Binary::Sub, true),
            ("usub.with.overflow", Binary::Sub, false),
            ("smul.with.overflow", Binary::Mul, true),
            ("umul.with.overflow", Binary::Mul, false),
        ];
        if let Some((_, op, signed)) = overflow.iter().find(|(name, ..)| is(name)) {
            let (mut results, mut flags) = (Vec::new(), Vec::new());
            for (a, b) in all[0].iter().copied().zip(all[1].iter().copied()) {
                let result = self.integer_binary(*op, &IntFlags::default(), a, b)?;
                let terms = &mut self.shared.terms;
                let check = if *signed { signed_overflow } else { unsigned_overflow };
                let plain = terms.arithmetic(arithmetic(*op), a.bits, b.bits);
                let over = check(terms, *op, a.bits, b.bits, plain);
                let bits = terms.bit_of(over);
                results.push(result);
                flags.push(self.shared.unless(result.poison, bits));
            }
            results.extend(flags);
            return Ok(Some(results));
        }
        let mut lanes = Vec::new();
        for lane in 0..count {
            let given: Vec<Lane> =
                all.iter().map(|of| of[if of.len() == 1 { 0 } else { lane }]).collect();
            match self.lane_intrinsic(is, call, &given)? {
                Some(lane) => lanes.push(lane),
                None => return Ok(None),
            }
        }
        Ok(Some(lanes))
    }

    /// Intrinsics that do the same to each lane.
    fn lane_intrinsic(
        &mut self,
        is: &dyn Fn(&str) -> bool,
        call: &Call,
        given: &[Lane],
    ) -> Result<Option<Lane>, Unsupported> {
        let terms = &mut self.shared.terms;
        let poison: Vec<Term> = given.iter().map(|lane| lane.poison).collect();
        let mut poison = terms.any(&poison);
        let x = given[0].bits;
        let y = given.get(1).map_or(x, |lane| lane.bits);
        let width = terms.width(x);
        let zero = terms.number(width, 0);
        let bits = if is("abs") {
            let least = terms.sign_bit(width);
            let least = terms.equal(x, least);
            let strict = terms.is_set(y);
            let wrong = terms.and(strict, least);
            poison = terms.or(poison, wrong);
            let (negative, opposite) = (terms.is_negative(x), terms.negate(x));
            terms.choose(negative, opposite, x)
        } else if is("smin") || is("umin") {
            let less = terms.less(is("smin"), x, y);
            terms.choose(less, x, y)
        } else if is("smax") || is("umax") {
            let less = terms.less(is("smax"), x, y);
            terms.choose(less, y, x)
        } else if is("ucmp") || is("scmp") {
            let kinds = self.kinds(&call.ty.result)?;
            let terms = &mut self.shared.terms;
            let result = kinds[0].width();
            let (less, more) = (terms.less(is("scmp"), x, y), terms.less(is("scmp"), y, x));
            let (minus, none, one) =
                (terms.ones(result), terms.number(result, 0), terms.number(result, 1));
            let rest = terms.choose(more, one, none);
            terms.choose(less, minus, rest)
        } else if is("ctpop") {
            population(terms, x)
        } else if is("ctlz") || is("cttz") {
            let strict = terms.is_set(y);
            let none = terms.equal(x, zero);
            let wrong = terms.and(strict, none);
            poison = terms.or(poison, wrong);
            zeros(terms, x, is("ctlz"))
        } else if is("bswap") || is("bitreverse") {
            let step = if is("bswap") { 8 } else { 1 };
            let mut result: Option<Term> = None;
            for index in 0..width / step {
                let part = terms.extract((index + 1) * step - 1, index * step, x);
                result = Some(result.map_or(part, |high| terms.concat(high, part)));
            }
            result.unwrap_or(x)
        } else if is("fshl") || is("fshr") {
            let Some(amount) = given.get(2) else { return Ok(None) };
            funnel(terms, x, y, amount.bits, is("fshl"))
        } else if is("uadd.sat") || is("usub.sat") || is("sadd.sat") || is("ssub.sat") {
            let op = if is("uadd.sat") || is("sadd.sat") { Binary::Add } else { Binary::Sub };
            let result = terms.arithmetic(arithmetic(op), x, y);
            if is("uadd.sat") || is("usub.sat") {
                let over = unsigned_overflow(terms, op, x, y, result);
                let end = if op == Binary::Add { terms.ones(width) } else { zero };
                terms.choose(over, end, result)
            } else {
                let over = signed_overflow(terms, op, x, y, result);
                let end = signed_end(terms, x);
                terms.choose(over, end, result)
            }
        } else if is("ushl.sat") || is("sshl.sat") {
            let limit = terms.number(width, width.into());
            let too_far = terms.at_most(false, limit, y);
            poison = terms.or(poison, too_far);
            let result = terms.arithmetic(Arithmetic::Shl, x, y);
            if is("ushl.sat") {
                let over = unsigned_overflow(terms, Binary::Shl, x, y, result);
                let end = terms.ones(width);
                terms.choose(over, end, result)
            } else {
                let over = signed_overflow(terms, Binary::Shl, x, y, result);
                let end = signed_end(terms, x);
                terms.choose(over, end, result)
            }
        } else {
            return Ok(None);
        };
        Ok(Some(self.shared.unless(poison, bits)))
    }

    /// All lanes of a vector of integers in one.
    fn reduction(
        &mut self,
        is: &dyn Fn(&str) -> bool,
        call: &Call,
    ) -> Result<Option<Lane>, Unsupported> {
        let names = ["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"];
        let Some(which) = names.iter().find(|n| is(&format!("vector.reduce.{n}"))) else {
            return Ok(None);
        };
        let lanes = self.typed(&call.arguments[0].value)?;
        let Some((first, rest)) = lanes.split_first() else { return Ok(None) };
        let mut result = *first;
        for lane in rest {
            let terms = &mut self.shared.terms;
            let (x, y) = (result.bits, lane.bits);
            let bits = match *which {
                "smin" | "umin" => {
                    let less = terms.less(*which == "smin", x, y);
                    terms.choose(less, x, y)
                }
                "smax" | "umax" => {
                    let less = terms.less(*which == "smax", x, y);
                    terms.choose(less, y, x)
                }
                "add" => terms.arithmetic(Arithmetic::Add, x, y),
                "mul" => terms.arithmetic(Arithmetic::Mul, x, y),
                "and" => terms.arithmetic(Arithmetic::And, x, y),
                "or" => terms.arithmetic(Arithmetic::Or, x, y),
                _ => terms.arithmetic(Arithmetic::Xor, x, y),
            };
            let poison = terms.or(result.poison, lane.poison);
            result = self.shared.unless(poison, bits);
        }
        Ok(Some(result))
    }

    fn float_intrinsic(
        &mut self,
        is: &dyn Fn(&str) -> bool,
        call: &Call,
        float: Float,
    ) -> Result<Option<Vec<Lane>>, Unsupported> {
        let theory = [
            ("sqrt", "fp.sqrt RNE"),
            ("fma", "fp.fma RNE"),
            ("floor", "fp.roundToIntegral RTN"),
            ("ceil", "fp.roundToIntegral RTP"),
            ("trunc", "fp.roundToIntegral RTZ"),
            ("rint", "fp.roundToIntegral RNE"),
            ("nearbyint", "fp.roundToIntegral RNE"),
            ("roundeven", "fp.roundToIntegral RNE"),
            ("round", "fp.roundToIntegral RNA"),
        ];
        let plain = FastMath { nnan: false, ninf: false, ..call.fast } == FastMath::default();
        let bit_wise = is("fabs") || is("copysign");
        let operation = theory.iter().find(|(name, _)| is(name));
        if !bit_wise && (operation.is_none() || !plain) {
            return Ok(None);
        }
        let mut all = Vec::new();
        for argument in &call.arguments {
            all.push(self.typed(&argument.value)?);
        }
        let mut lanes = Vec::new();
        let mut kinds = Vec::new();
        for lane in 0..all[0].len() {
            let given: Vec<Lane> = all.iter().map(|of| of[lane]).collect();
            let terms = &mut self.shared.terms;
            let poison: Vec<Term> = given.iter().map(|lane| lane.poison).collect();
            let poison = terms.any(&poison);
            let width = float.bits();
            let bits = match operation {
                Some((_, name)) => {
                    let operands: Vec<Term> = given.iter().map(|lane| lane.bits).collect();
                    self.float_apply(name, float, "", &operands)
                }
                None => {
                    let rest = terms.truncate(width - 1, given[0].bits);
                    let sign = match given.get(1) {
                        Some(from) => terms.extract(width - 1, width - 1, from.bits),
                        None => terms.number(1, 0),
                    };
                    terms.concat(sign, rest)
                }
            };
            lanes.push(self.shared.unless(poison, bits));
            kinds.push(Kind::Float(float));
        }
        // Flags bear on the operands, too.
        for of in all {
            let checked = self.fast_result(of, &kinds, &FastMath { nsz: false, ..call.fast })?;
            for (lane, operand) in lanes.iter_mut().zip(checked) {
                let poison = self.shared.terms.or(lane.poison, operand.poison);
                *lane = self.shared.unless(poison, lane.bits);
            }
        }
        Ok(Some(self.fast_result(lanes, &kinds, &call.fast)?))
    }
}

fn arithmetic(op: Binary) -> Arithmetic {
    match op {
        Binary::Add => Arithmetic::Add,
        Binary::Sub => Arithmetic::Sub,
        _ => Arithmetic::Mul,
    }
}

/// The least number if negative, else the greatest.
fn signed_end(terms: &mut Terms, x: Term) -> Term {
    let width = terms.width(x);
    let least = terms.sign_bit(width);
    let one = terms.number(width, 1);
    let greatest = terms.arithmetic(Arithmetic::Sub, least, one);
    let negative = terms.is_negative(x);
    terms.choose(negative, least, greatest)
}

/// How many bits are set.
fn population(terms: &mut Terms, x: Term) -> Term {
    let width = terms.width(x);
    let mut sum = terms.number(width, 0);
    for index in 0..width {
        let bit = terms.extract(index, index, x);
        let bit = terms.zero_extend(width, bit);
        sum = terms.add(sum, bit);
    }
    sum
}

/// How many zeros stand before the first bit that is set.
fn zeros(terms: &mut Terms, x: Term, leading: bool) -> Term {
    let width = terms.width(x);
    let mut result = terms.number(width, width.into());
    for index in 0..width {
        // The bit looked at last decides.
        let place = if leading { index } else { width - 1 - index };
        let bit = terms.extract(place, place, x);
        let set = terms.is_set(bit);
        let count = if leading { width - 1 - place } else { place };
        let count = terms.number(width, count.into());
        result = terms.choose(set, count, result);
    }
    result
}

fn funnel(terms: &mut Terms, high: Term, low: Term, amount: Term, left: bool) -> Term {
    let width = terms.width(high);
    let modulus = terms.number(width, width.into());
    // One bit: the amount is always zero.
    let amount = if width == 1 {
        terms.number(1, 0)
    } else {
        terms.arithmetic(Arithmetic::URem, amount, modulus)
    };
    let whole = terms.concat(high, low);
    let by = terms.zero_extend(2 * width, amount);
    if left {
        let moved = terms.arithmetic(Arithmetic::Shl, whole, by);
        terms.extract(2 * width - 1, width, moved)
    } else {
        let moved = terms.arithmetic(Arithmetic::LShr, whole, by);
        terms.truncate(width, moved)
    }
}
