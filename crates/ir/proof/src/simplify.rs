//! The makers of terms. Each gives the simplest term it can see at once, so that two sides that say the same
//! in the same way become one term, and no solver is needed.

use irtext::Bits;

use crate::term::{Arithmetic, Node, Sort, Term, Terms};

impl Terms {
    pub(crate) fn bool(&mut self, value: bool) -> Term {
        self.intern(Node::Bool(value), Sort::Bool)
    }

    pub(crate) fn bits(&mut self, bits: Bits) -> Term {
        let sort = Sort::Bits(bits.width());
        self.intern(Node::Bits(bits), sort)
    }

    /// The low bits of a number.
    pub(crate) fn number(&mut self, width: u32, value: u128) -> Term {
        self.bits(Bits::new(width, value))
    }

    /// All bits set.
    pub(crate) fn ones(&mut self, width: u32) -> Term {
        self.bits(Bits::of_signed(width, &(-1).into()))
    }

    /// The highest bit set.
    pub(crate) fn sign_bit(&mut self, width: u32) -> Term {
        let one = num_bigint::BigUint::from(1u8);
        self.bits(Bits::of_big(width, &(one << (width - 1))))
    }

    pub(crate) fn as_bool(&self, term: Term) -> Option<bool> {
        match self.node(term) {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn as_bits(&self, term: Term) -> Option<&Bits> {
        match self.node(term) {
            Node::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// A constant of at most 128 bits.
    pub(crate) fn as_number(&self, term: Term) -> Option<u128> {
        self.as_bits(term)?.small()
    }

    pub(crate) fn is_true(&self, term: Term) -> bool {
        self.as_bool(term) == Some(true)
    }

    pub(crate) fn is_false(&self, term: Term) -> bool {
        self.as_bool(term) == Some(false)
    }

    fn is_zero(&self, term: Term) -> bool {
        self.as_bits(term).is_some_and(|b| b.unsigned() == 0u8.into())
    }

    fn is_ones(&self, term: Term) -> bool {
        self.as_bits(term).is_some_and(|b| b.signed() == (-1).into())
    }

    pub(crate) fn not(&mut self, term: Term) -> Term {
        match self.node(term) {
            Node::Bool(value) => {
                let value = !*value;
                self.bool(value)
            }
            Node::Not(of) => *of,
            _ => self.intern(Node::Not(term), Sort::Bool),
        }
    }

    pub(crate) fn and(&mut self, a: Term, b: Term) -> Term {
        self.all(&[a, b])
    }

    /// Whether all hold.
    pub(crate) fn all(&mut self, terms: &[Term]) -> Term {
        let mut parts = Vec::new();
        for term in terms {
            match self.node(*term) {
                Node::Bool(true) => {}
                Node::Bool(false) => return *term,
                Node::And(inner) => parts.extend(inner.iter().copied()),
                _ => parts.push(*term),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        // What the other parts say is known within a part that is the negation of a conjunction.
        loop {
            let mut changed = false;
            for index in 0..parts.len() {
                let Node::Not(of) = *self.node(parts[index]) else { continue };
                if parts.binary_search(&of).is_ok() {
                    return self.bool(false);
                }
                let Node::And(inner) = self.node(of) else { continue };
                if parts.len() > 64 || inner.len() > 64 {
                    continue;
                }
                let inner = inner.clone();
                let is_known = |part: &&Term| parts.binary_search(part).is_err();
                let rest: Vec<Term> = inner.iter().filter(is_known).copied().collect();
                let contradicts = rest.iter().any(|part| {
                    let opposite = match self.node(*part) {
                        Node::Not(of) => Some(*of),
                        _ => self.negation_if_known(*part),
                    };
                    opposite.is_some_and(|o| parts.binary_search(&o).is_ok())
                });
                if contradicts {
                    parts.remove(index);
                    changed = true;
                    break;
                }
                if rest.len() < inner.len() {
                    let rest = self.all(&rest);
                    let rest = self.not(rest);
                    parts.remove(index);
                    let mut all = parts.clone();
                    all.push(rest);
                    return self.all(&all);
                }
            }
            if !changed {
                break;
            }
        }
        match parts.as_slice() {
            [] => self.bool(true),
            [one] => *one,
            _ => self.intern(Node::And(parts.into()), Sort::Bool),
        }
    }

    fn negation_if_known(&self, term: Term) -> Option<Term> {
        self.find(&Node::Not(term))
    }

    pub(crate) fn or(&mut self, a: Term, b: Term) -> Term {
        if let Some(merged) = self.merged(a, b) {
            return merged;
        }
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.all(&[a, b]);
        self.not(neither)
    }

    /// Whether any holds.
    pub(crate) fn any(&mut self, terms: &[Term]) -> Term {
        let none: Vec<Term> = terms.iter().map(|t| self.not(*t)).collect();
        let none = self.all(&none);
        self.not(none)
    }

    /// `p` of `p and c` or `p and not c`.
    fn merged(&mut self, a: Term, b: Term) -> Option<Term> {
        let parts = |term: Term| match self.node(term) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![term],
        };
        let (left, right) = (parts(a), parts(b));
        let only = |of: &[Term], other: &[Term]| -> Vec<Term> {
            of.iter().filter(|t| other.binary_search(t).is_err()).copied().collect()
        };
        let (more_left, more_right) = (only(&left, &right), only(&right, &left));
        match (more_left.as_slice(), more_right.as_slice()) {
            ([], _) => Some(a),
            (_, []) => Some(b),
            ([l], [r]) => {
                let opposite = self.not(*l) == *r;
                let shared: Vec<Term> = left.iter().filter(|t| *t != l).copied().collect();
                opposite.then(|| self.all(&shared))
            }
            // `p and c` or `p and not c and d`: the `not c` says nothing.
            ([l], _) => {
                let opposite = self.not(*l);
                let rest: Vec<Term> = right.iter().filter(|t| **t != opposite).copied().collect();
                (rest.len() < right.len()).then(|| {
                    let rest = self.all(&rest);
                    self.or(a, rest)
                })
            }
            (_, [_]) => self.merged(b, a),
            _ => None,
        }
    }

    pub(crate) fn differ(&mut self, a: Term, b: Term) -> Term {
        let equal = self.equal(a, b);
        self.not(equal)
    }

    pub(crate) fn equal(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bool(true);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if self.sort(a) == Sort::Bool {
            return self.equal_bools(a, b);
        }
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
            let same = x == y;
            return self.bool(same);
        }
        // The constant, if there is one, on the right.
        let (left, right) = if self.as_bits(a).is_some() { (b, a) } else { (a, b) };
        match (self.node(left).clone(), self.node(right).clone()) {
            (Node::Concat(h, l), Node::Concat(h2, l2)) if self.width(l) == self.width(l2) => {
                let (high, low) = (self.equal(h, h2), self.equal(l, l2));
                self.and(high, low)
            }
            (Node::Concat(h, l), Node::Bits(_)) => {
                let cut = self.width(l);
                let high = self.extract(self.width(right) - 1, cut, right);
                let low = self.extract(cut - 1, 0, right);
                let (high, low) = (self.equal(h, high), self.equal(l, low));
                self.and(high, low)
            }
            // Parts of one and the same thing: an address, and one a few bytes on.
            (Node::Concat(h, l), _) if self.is_part(h, right) || self.is_part(l, right) => {
                self.equal_parts(h, l, right)
            }
            (_, Node::Concat(h, l)) if self.is_part(h, left) || self.is_part(l, left) => {
                self.equal_parts(h, l, left)
            }
            (Node::If(c, x, y), Node::Bits(_))
                if self.as_bits(x).is_some() || self.as_bits(y).is_some() =>
            {
                let (x, y) = (self.equal(x, right), self.equal(y, right));
                self.choose(c, x, y)
            }
            (Node::Arithmetic(Arithmetic::Add, x, c), Node::Bits(_))
                if self.as_bits(c).is_some() =>
            {
                let rest = self.arithmetic(Arithmetic::Sub, right, c);
                self.equal(x, rest)
            }
            (Node::Arithmetic(Arithmetic::Xor, x, c), Node::Bits(_))
                if self.as_bits(c).is_some() =>
            {
                let rest = self.arithmetic(Arithmetic::Xor, right, c);
                self.equal(x, rest)
            }
            (Node::Arithmetic(Arithmetic::Add, x, c), Node::Arithmetic(Arithmetic::Add, y, d))
                if x == y || c == d || x == d || c == y =>
            {
                let (rest, other) = match () {
                    () if x == y => (c, d),
                    () if c == d => (x, y),
                    () if x == d => (c, y),
                    () => (x, d),
                };
                self.equal(rest, other)
            }
            (Node::Arithmetic(Arithmetic::Add, x, c), _) if x == right || c == right => {
                let rest = if x == right { c } else { x };
                let zero = self.number(self.width(rest), 0);
                self.equal(rest, zero)
            }
            (_, Node::Arithmetic(Arithmetic::Add, y, d)) if y == left || d == left => {
                let rest = if y == left { d } else { y };
                let zero = self.number(self.width(rest), 0);
                self.equal(rest, zero)
            }
            _ => self.intern(Node::Equal(a, b), Sort::Bool),
        }
    }

    fn is_part(&self, part: Term, whole: Term) -> bool {
        matches!(self.node(part), Node::Extract { of, .. } if *of == whole)
    }

    fn equal_parts(&mut self, high: Term, low: Term, whole: Term) -> Term {
        let cut = self.width(low);
        let upper = self.extract(self.width(whole) - 1, cut, whole);
        let lower = self.extract(cut - 1, 0, whole);
        let (high, low) = (self.equal(high, upper), self.equal(low, lower));
        self.and(high, low)
    }

    fn equal_bools(&mut self, a: Term, b: Term) -> Term {
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => return b,
            (Some(false), _) => return self.not(b),
            (_, Some(true)) => return a,
            (_, Some(false)) => return self.not(a),
            _ => {}
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Not(x), _) if x == b => self.bool(false),
            (_, Node::Not(y)) if y == a => self.bool(false),
            (Node::Not(x), Node::Not(y)) => self.equal_bools(x, y),
            (Node::Not(x), _) => {
                let same = self.equal_bools(x, b);
                self.not(same)
            }
            (_, Node::Not(y)) => {
                let same = self.equal_bools(a, y);
                self.not(same)
            }
            _ => {
                let (a, b) = if a < b { (a, b) } else { (b, a) };
                self.intern(Node::Equal(a, b), Sort::Bool)
            }
        }
    }

    /// `a` if `condition`, else `b`.
    pub(crate) fn choose(&mut self, condition: Term, a: Term, b: Term) -> Term {
        if a == b {
            return a;
        }
        match self.node(condition) {
            Node::Bool(true) => return a,
            Node::Bool(false) => return b,
            Node::Not(of) => return self.choose(*of, b, a),
            _ => {}
        }
        let a = self.under(condition, true, a);
        let b = self.under(condition, false, b);
        if a == b {
            return a;
        }
        if self.sort(a) == Sort::Bool {
            match (self.as_bool(a), self.as_bool(b)) {
                (Some(true), Some(false)) => return condition,
                (Some(true), _) => return self.or(condition, b),
                (Some(false), _) => {
                    let not = self.not(condition);
                    return self.and(not, b);
                }
                (_, Some(false)) => return self.and(condition, a),
                (_, Some(true)) => {
                    let not = self.not(condition);
                    return self.or(not, a);
                }
                _ => {}
            }
        }
        let sort = self.sort(a);
        self.intern(Node::If(condition, a, b), sort)
    }

    /// A term where a condition is known, as far as it decides at once.
    fn under(&mut self, condition: Term, holds: bool, term: Term) -> Term {
        if condition == term {
            return self.bool(holds);
        }
        match *self.node(term) {
            Node::If(c, x, y) if c == condition => {
                if holds {
                    x
                } else {
                    y
                }
            }
            Node::Not(of) if of == condition => self.bool(!holds),
            _ => term,
        }
    }

    pub(crate) fn less(&mut self, signed: bool, left: Term, right: Term) -> Term {
        if left == right {
            return self.bool(false);
        }
        if let (Some(x), Some(y)) = (self.as_bits(left), self.as_bits(right)) {
            let less = if signed { x.signed() < y.signed() } else { x.unsigned() < y.unsigned() };
            return self.bool(less);
        }
        if !signed {
            if self.is_zero(right) || self.is_ones(left) {
                return self.bool(false);
            }
            if self.is_zero(left) {
                return self.differ(left, right);
            }
            if self.as_number(right) == Some(1) {
                let zero = self.number(self.width(left), 0);
                return self.equal(left, zero);
            }
            if self.is_ones(right) {
                return self.differ(left, right);
            }
        }
        self.intern(Node::Less { signed, left, right }, Sort::Bool)
    }

    /// `left <= right`.
    pub(crate) fn at_most(&mut self, signed: bool, left: Term, right: Term) -> Term {
        let greater = self.less(signed, right, left);
        self.not(greater)
    }

    pub(crate) fn concat(&mut self, high: Term, low: Term) -> Term {
        if let (Some(h), Some(l)) = (self.as_bits(high), self.as_bits(low)) {
            let width = h.width() + l.width();
            let value = (h.unsigned() << l.width()) | l.unsigned();
            return self.bits(Bits::of_big(width, &value));
        }
        match (self.node(high), self.node(low)) {
            (
                Node::Extract { high: top, low: cut, of: x },
                Node::Extract { high: below, low: bottom, of: y },
            ) if x == y && *cut == below + 1 => {
                let (top, bottom, x) = (*top, *bottom, *x);
                return self.extract(top, bottom, x);
            }
            // To the right, so that parts next to each other meet.
            (_, Node::Concat(next, rest)) => {
                let (next, rest) = (*next, *rest);
                let joined = self.joined(high, next);
                if let Some(joined) = joined {
                    return self.concat(joined, rest);
                }
            }
            (Node::Concat(first, next), _) => {
                let (first, next) = (*first, *next);
                let rest = self.concat(next, low);
                return self.concat(first, rest);
            }
            _ => {}
        }
        let width = self.width(high) + self.width(low);
        self.intern(Node::Concat(high, low), Sort::Bits(width))
    }

    /// Two parts that become one.
    fn joined(&mut self, high: Term, low: Term) -> Option<Term> {
        let whole = match (self.node(high), self.node(low)) {
            (Node::Bits(_), Node::Bits(_)) => true,
            (Node::Extract { low: cut, of: x, .. }, Node::Extract { high: below, of: y, .. }) => {
                x == y && *cut == below + 1
            }
            _ => false,
        };
        whole.then(|| self.concat(high, low))
    }

    pub(crate) fn extract(&mut self, high: u32, low: u32, of: Term) -> Term {
        let width = self.width(of);
        if low == 0 && high + 1 == width {
            return of;
        }
        match self.node(of).clone() {
            Node::Bits(bits) => {
                let value = bits.unsigned() >> low;
                self.bits(Bits::of_big(high - low + 1, &value))
            }
            Node::Extract { low: inner, of, .. } => self.extract(high + inner, low + inner, of),
            Node::Concat(a, b) => {
                let cut = self.width(b);
                if low >= cut {
                    self.extract(high - cut, low - cut, a)
                } else if high < cut {
                    self.extract(high, low, b)
                } else {
                    let a = self.extract(high - cut, 0, a);
                    let b = self.extract(cut - 1, low, b);
                    self.concat(a, b)
                }
            }
            Node::SignExtend(_, x) if high < self.width(x) => self.extract(high, low, x),
            Node::If(c, a, b) => {
                let (a, b) = (self.extract(high, low, a), self.extract(high, low, b));
                self.choose(c, a, b)
            }
            _ => self.intern(Node::Extract { high, low, of }, Sort::Bits(high - low + 1)),
        }
    }

    /// To a width, with zeros.
    pub(crate) fn zero_extend(&mut self, width: u32, of: Term) -> Term {
        let more = width - self.width(of);
        if more == 0 {
            return of;
        }
        let zeros = self.number(more, 0);
        self.concat(zeros, of)
    }

    /// To a width, with copies of the sign.
    pub(crate) fn sign_extend(&mut self, width: u32, of: Term) -> Term {
        if width == self.width(of) {
            return of;
        }
        if let Some(bits) = self.as_bits(of) {
            let value = Bits::of_signed(width, &bits.signed());
            return self.bits(value);
        }
        match *self.node(of) {
            Node::SignExtend(_, x) => self.sign_extend(width, x),
            _ => self.intern(Node::SignExtend(width, of), Sort::Bits(width)),
        }
    }

    /// To a narrower width.
    pub(crate) fn truncate(&mut self, width: u32, of: Term) -> Term {
        self.extract(width - 1, 0, of)
    }

    /// A Boolean as one bit.
    pub(crate) fn bit_of(&mut self, condition: Term) -> Term {
        if let Node::Equal(a, b) = *self.node(condition)
            && self.width(a) == 1
        {
            if self.as_number(a) == Some(1) {
                return b;
            }
            if self.as_number(b) == Some(1) {
                return a;
            }
        }
        let (one, zero) = (self.number(1, 1), self.number(1, 0));
        self.choose(condition, one, zero)
    }

    /// Whether a single bit is set.
    pub(crate) fn is_set(&mut self, bit: Term) -> Term {
        let one = self.number(1, 1);
        self.equal(bit, one)
    }

    /// Whether the highest bit is set.
    pub(crate) fn is_negative(&mut self, term: Term) -> Term {
        let zero = self.number(self.width(term), 0);
        self.less(true, term, zero)
    }

    pub(crate) fn add(&mut self, a: Term, b: Term) -> Term {
        self.arithmetic(Arithmetic::Add, a, b)
    }

    pub(crate) fn subtract(&mut self, a: Term, b: Term) -> Term {
        self.arithmetic(Arithmetic::Sub, a, b)
    }

    pub(crate) fn negate(&mut self, a: Term) -> Term {
        let zero = self.number(self.width(a), 0);
        self.arithmetic(Arithmetic::Sub, zero, a)
    }

    pub(crate) fn arithmetic(&mut self, op: Arithmetic, a: Term, b: Term) -> Term {
        use Arithmetic::*;
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b))
            && let Some(value) = fold(op, x, y)
        {
            return self.bits(value);
        }
        let width = self.width(a);
        // Constants to the right, otherwise by age.
        let (mut a, mut b) = (a, b);
        let commutes = matches!(op, Add | Mul | And | Or | Xor);
        if commutes {
            let constant = |t: Term| self.as_bits(t).is_some();
            if constant(a) || (!constant(b) && b < a) {
                (a, b) = (b, a);
            }
        }
        let is_zero = self.is_zero(b);
        match op {
            Add | Or | Xor | Shl | LShr | AShr | Sub if is_zero => return a,
            Mul | And if is_zero => return b,
            And if self.is_ones(b) || a == b => return a,
            Or if self.is_ones(b) => return b,
            Or if a == b => return a,
            Xor | Sub if a == b => return self.number(width, 0),
            Mul | UDiv if self.as_number(b) == Some(1) => return a,
            Sub if self.as_bits(b).is_some() => {
                let negative = self.negate(b);
                return self.add(a, negative);
            }
            _ => {}
        }
        if let Some(simple) = self.by_constant(op, a, b) {
            return simple;
        }
        // (x op c) op d is x op (c op d).
        if commutes
            && self.as_bits(b).is_some()
            && let Node::Arithmetic(inner, x, c) = *self.node(a)
            && inner == op
            && self.as_bits(c).is_some()
        {
            let constant = self.arithmetic(op, c, b);
            return self.arithmetic(op, x, constant);
        }
        // The constant of a sum to its end.
        if op == Add {
            for (one, other) in [(a, b), (b, a)] {
                if let Node::Arithmetic(Add, x, c) = *self.node(one)
                    && self.as_bits(c).is_some()
                    && self.as_bits(other).is_none()
                {
                    let sum = self.add(x, other);
                    return self.add(sum, c);
                }
            }
        }
        // x - y + y, and x + y - y.
        match (op, self.node(a), self.node(b)) {
            (Add, Node::Arithmetic(Sub, x, y), _) if *y == b => return *x,
            (Add, _, Node::Arithmetic(Sub, x, y)) if *y == a => return *x,
            (Sub, Node::Arithmetic(Add, x, y), _) if *y == b => return *x,
            (Sub, Node::Arithmetic(Add, x, y), _) if *x == b => return *y,
            (Xor, Node::Arithmetic(Xor, x, y), _) if *y == b => return *x,
            (Xor, Node::Arithmetic(Xor, x, y), _) if *x == b => return *y,
            _ => {}
        }
        self.intern(Node::Arithmetic(op, a, b), Sort::Bits(width))
    }

    /// Operations by a constant that only move bits.
    fn by_constant(&mut self, op: Arithmetic, a: Term, b: Term) -> Option<Term> {
        use Arithmetic::*;
        let width = self.width(a);
        let constant = self.as_number(b)?;
        let power = constant.is_power_of_two().then(|| constant.trailing_zeros());
        let by = match op {
            Shl | LShr | AShr => u32::try_from(constant).ok().filter(|by| *by < width)?,
            Mul | UDiv | URem => power?,
            And => {
                let bits = constant.trailing_ones();
                (bits > 0 && bits < width && constant.checked_shr(bits).unwrap_or(0) == 0)
                    .then_some(bits)?
            }
            _ => return None,
        };
        if by == 0 {
            return match op {
                URem => Some(self.number(width, 0)),
                _ => Some(a),
            };
        }
        Some(match op {
            Shl | Mul => {
                let rest = self.extract(width - by - 1, 0, a);
                let zeros = self.number(by, 0);
                self.concat(rest, zeros)
            }
            LShr | UDiv => {
                let rest = self.extract(width - 1, by, a);
                self.zero_extend(width, rest)
            }
            AShr => {
                let rest = self.extract(width - 1, by, a);
                self.sign_extend(width, rest)
            }
            _ => {
                let rest = self.extract(by - 1, 0, a);
                self.zero_extend(width, rest)
            }
        })
    }
}

/// What an operation makes of two constants; `None`: left to the solver.
fn fold(op: Arithmetic, x: &Bits, y: &Bits) -> Option<Bits> {
    use Arithmetic::*;
    let width = x.width();
    if let (Add | Sub | Mul, None) = (op, x.small()) {
        let (x, y) = (x.signed(), y.signed());
        let value = match op {
            Add => x + y,
            Sub => x - y,
            _ => x * y,
        };
        return Some(Bits::of_signed(width, &value));
    }
    let (a, b) = (x.small()?, y.small()?);
    let value = match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl if b < u128::from(width) => a << b,
        LShr if b < u128::from(width) => a >> b,
        Shl | LShr => 0,
        AShr => {
            let count = u64::try_from(b).ok()?.min(u64::from(width));
            return Some(Bits::of_signed(width, &(x.signed() >> count)));
        }
        UDiv if b != 0 => a / b,
        URem if b != 0 => a % b,
        SDiv if b != 0 => return Some(Bits::of_signed(width, &(x.signed() / y.signed()))),
        SRem if b != 0 => return Some(Bits::of_signed(width, &(x.signed() % y.signed()))),
        _ => return None,
    };
    Some(Bits::new(width, value))
}
