//! Expressions.

use super::Smith;
use super::features::Feature;
use super::header::{INTS, Op, wrappers};
use super::object::{Effects, Obj, Shape, Touch};
use super::place::Argument;
use super::relax::Form;
use ctree::{BinOp, ExprId, Quals, Ty, UnOp};

/// Kinds of expression with an operator, and how often each is drawn.
const KINDS: [(Kind, u32); 12] = [
    (Kind::Wrapped, 30),
    (Kind::Bits, 9),
    (Kind::Compare, 9),
    (Kind::Logical, 6),
    (Kind::Unary, 7),
    (Kind::Call, 12),
    (Kind::Assign, 8),
    (Kind::Step, 6),
    (Kind::Comma, 3),
    (Kind::Cond, 4),
    (Kind::Pointers, 4),
    (Kind::Guarded, 4),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Wrapped,
    Bits,
    Compare,
    Logical,
    Unary,
    Call,
    Assign,
    Step,
    Comma,
    Cond,
    Pointers,
    Guarded,
}

impl Smith {
    /// An integer expression of so many operators within operators.
    pub(super) fn expr(&mut self, depth: u32) -> ExprId {
        if depth == 0 || self.percent(20) {
            return self.leaf();
        }
        let allowed: Vec<(Kind, u32)> =
            KINDS.into_iter().filter(|(kind, _)| self.allows_kind(*kind)).collect();
        let kind = self.choices().weighted(&allowed).copied().unwrap_or(Kind::Bits);
        let made = match kind {
            Kind::Wrapped => self.arithmetic(depth),
            Kind::Bits => {
                let op = [BinOp::BitAnd, BinOp::BitOr, BinOp::BitXor];
                Some(self.plain_binary(&op, depth))
            }
            Kind::Compare => {
                use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
                Some(self.plain_binary(&[Eq, Ne, Lt, Le, Gt, Ge], depth))
            }
            Kind::Logical => Some(self.logical(depth)),
            Kind::Unary => Some(self.unary(depth)),
            Kind::Call => self.call(depth),
            Kind::Assign => self.assignment(depth),
            Kind::Step => self.step(),
            Kind::Comma => {
                let first = self.expr(depth - 1);
                let second = self.expr(depth - 1);
                Some(self.p.binary(BinOp::Comma, first, second))
            }
            Kind::Cond => {
                let condition = self.expr(depth - 1);
                let yes = self.expr(depth - 1);
                let no = self.expr(depth - 1);
                Some(self.p.cond(condition, Some(yes), no))
            }
            Kind::Pointers => self.pointer_comparison(),
            Kind::Guarded => self.guarded(),
        };
        made.unwrap_or_else(|| self.leaf())
    }

    fn allows_kind(&self, kind: Kind) -> bool {
        match kind {
            Kind::Assign => self.has(Feature::EmbeddedAssigns),
            Kind::Comma => self.has(Feature::CommaOperators),
            Kind::Cond => self.has(Feature::Conditionals),
            Kind::Pointers | Kind::Guarded => self.has(Feature::Pointers),
            _ => true,
        }
    }

    /// A constant or a variable.
    pub(super) fn leaf(&mut self) -> ExprId {
        if self.percent(75)
            && let Some(place) = self.read()
        {
            return place;
        }
        self.constant(None)
    }

    fn plain_binary(&mut self, ops: &[BinOp], depth: u32) -> ExprId {
        let op = self.one(ops);
        let operands = self.unsequenced(2, |s, _| s.expr(depth - 1));
        self.p.binary(op, operands[0], operands[1])
    }

    fn logical(&mut self, depth: u32) -> ExprId {
        let op = if self.percent(50) { BinOp::LogAnd } else { BinOp::LogOr };
        let left = self.expr(depth - 1);
        let right = self.expr(depth - 1);
        self.p.binary(op, left, right)
    }

    fn unary(&mut self, depth: u32) -> ExprId {
        let ops = [UnOp::BitNot, UnOp::LogNot, UnOp::Plus];
        let count = 2 + u64::from(self.has(Feature::UnaryPlus));
        let op = ops[self.below(count) as usize];
        let operand = self.expr(depth - 1);
        self.p.unary(op, operand)
    }

    /// An operator on a type: behind its wrapper where it could be undefined, bare where not.
    fn arithmetic(&mut self, depth: u32) -> Option<ExprId> {
        let allowed: Vec<Op> = Op::ALL
            .into_iter()
            .filter(|op| match op {
                Op::Mul => self.has(Feature::Muls),
                Op::Div | Op::Mod => self.has(Feature::Divs),
                Op::Lshift | Op::Rshift => self.has(Feature::Shifts),
                _ => true,
            })
            .collect();
        let op = self.one(&allowed);
        let int = INTS[self.int()];
        let count = if op == Op::Minus { 1 } else { 2 };
        let operands = self.unsequenced(count, |s, _| s.expr(depth - 1));
        let fits: Vec<_> = wrappers().into_iter().filter(|w| w.op == op && w.int == int).collect();
        if fits.is_empty() {
            return Some(self.bare(op, int.name, &operands));
        }
        let wrapper = self.one(&fits);
        // Drawn in every form, so that the rest of the program does not depend on the form.
        let mixed = self.percent(50);
        let is_macro = match self.tuple.form {
            Form::Functions => false,
            Form::Macros => true,
            Form::Mixed => mixed,
        };
        let name = wrapper.name(is_macro);
        let func = self.wrappers.get(&name).copied()?;
        self.used.insert(name);
        Some(self.p.call_func(func, &operands))
    }

    /// Operands are cut to the type; what comes out fits into what they are promoted to.
    fn bare(&mut self, op: Op, int: &str, operands: &[ExprId]) -> ExprId {
        let at = INTS.iter().position(|i| i.name == int).unwrap_or(0);
        let ty = self.ints[at];
        let cut: Vec<ExprId> = operands.iter().map(|&e| self.cast_to(ty, e)).collect();
        match op {
            Op::Minus => self.p.unary(UnOp::Neg, cut[0]),
            Op::Sub => self.p.binary(BinOp::Sub, cut[0], cut[1]),
            // Two factors of 16 bits may overflow the type they are promoted to.
            Op::Mul if int == "uint16_t" => {
                let wide = self.p.cast(Ty::UINT, cut[0]);
                self.p.binary(BinOp::Mul, wide, cut[1])
            }
            Op::Mul => self.p.binary(BinOp::Mul, cut[0], cut[1]),
            _ => self.p.binary(BinOp::Add, cut[0], cut[1]),
        }
    }

    fn cast_to(&mut self, ty: Ty, expr: ExprId) -> ExprId {
        let plain = self.p.types.canon(ty).unqual();
        if self.p.expr(expr).ty.unqual() == plain && self.p.bit_field_width(expr).is_none() {
            return expr;
        }
        self.p.cast(ty, expr)
    }

    /// Whether sums of two values of a place's type cannot overflow what they are computed in.
    fn wraps(&self, place: ExprId) -> bool {
        let bits = self.p.types.int_bits(self.p.expr(place).ty);
        let wraps = bits.is_some_and(|(bits, signed)| bits < 32 || !signed);
        wraps && self.p.bit_field_width(place).is_none()
    }

    /// `place = value` or with an operator that cannot go wrong.
    pub(super) fn assignment(&mut self, depth: u32) -> Option<ExprId> {
        let (place, value, effects) = self.two_sides(|s| s.write(), |s| s.expr(depth - 1))?;
        let compound = self.has(Feature::CompoundAssignment) && self.percent(30);
        let bits = self.one(&[BinOp::BitAnd, BinOp::BitOr, BinOp::BitXor]);
        let sum = self.percent(40).then(|| self.one(&[BinOp::Add, BinOp::Sub]));
        let made = match (compound, sum) {
            (false, _) => self.p.assign(place, value),
            (true, Some(op)) if self.wraps(place) => {
                let ty = self.p.expr(place).ty.unqual();
                let value = self.cast_to(ty, value);
                self.p.assign_op(op, place, value)
            }
            (true, _) => self.p.assign_op(bits, place, value),
        };
        self.note(&effects);
        Some(made)
    }

    /// A place, then a value that is computed beside it and does not touch it.
    pub(super) fn two_sides(
        &mut self,
        place: impl FnOnce(&mut Self) -> Option<(ExprId, Effects)>,
        value: impl FnOnce(&mut Self) -> ExprId,
    ) -> Option<(ExprId, ExprId, Effects)> {
        let (mut place, mut value) = (Some(place), Some(value));
        let mut target = None;
        let outer = self.forbidden.clone();
        let mut sides = self.unsequenced(2, |s, side| match side {
            0 => {
                let made = place.take().and_then(|place| place(s));
                if let Some((_, effects)) = &made {
                    target = Some(effects.clone());
                }
                made.map(|(place, _)| place)
            }
            _ => {
                // The value must not be computed by writing to the place, but it may read it.
                if let Some(effects) = &target {
                    effects.writes.iter().for_each(|t| s.forbidden.write(*t));
                }
                let value = value.take()?;
                Some(value(s))
            }
        });
        self.forbidden = outer;
        let value = sides.pop().flatten()?;
        let place = sides.pop().flatten()?;
        Some((place, value, target?))
    }

    /// `++` and `--` on what wraps or cannot overflow: unsigned and narrow integers.
    fn step(&mut self) -> Option<ExprId> {
        let all = [
            (UnOp::PreInc, Feature::PreIncr),
            (UnOp::PreDec, Feature::PreDecr),
            (UnOp::PostInc, Feature::PostIncr),
            (UnOp::PostDec, Feature::PostDecr),
        ];
        let allowed: Vec<UnOp> =
            all.into_iter().filter(|(_, f)| self.has(*f)).map(|(op, _)| op).collect();
        if allowed.is_empty() {
            return None;
        }
        let op = self.one(&allowed);
        let (place, effects) = self.write()?;
        self.note(&effects);
        // Drawn in any case: a relaxed place may have another type.
        let value = self.constant(None);
        let ty = self.p.expr(place).ty;
        let (bits, signed) = self.p.types.int_bits(ty)?;
        if signed && bits >= 32 && self.p.bit_field_width(place).is_none_or(|w| w >= 32) {
            // It would need a wrapper, which a step has not: an assignment then.
            return Some(self.p.assign(place, value));
        }
        Some(self.p.unary(op, place))
    }

    /// `p == q`, `p != &x`, `p == (void *)0`
    fn pointer_comparison(&mut self) -> Option<ExprId> {
        let pointers: Vec<Obj> = self
            .visible()
            .into_iter()
            .filter(|o| {
                matches!(self.objects[*o].shape, Shape::Pointer(_))
                    && self.allows(&Effects { reads: vec![Touch::Object(*o)], writes: Vec::new() })
            })
            .collect();
        if pointers.is_empty() {
            return None;
        }
        let obj = self.one(&pointers);
        let Shape::Pointer(to) = self.objects[obj].shape else { return None };
        self.note(&Effects { reads: vec![Touch::Object(obj)], writes: Vec::new() });
        let left = self.element(obj);
        let right = match self.percent(50) {
            true => self.null(),
            false => self.address(to, self.level, None),
        };
        let op = if self.percent(50) { BinOp::Eq } else { BinOp::Ne };
        Some(self.p.binary(op, left, right))
    }

    /// `(p != 0) && *p` for a pointer that may be null.
    fn guarded(&mut self) -> Option<ExprId> {
        let pointers: Vec<Obj> = self
            .visible()
            .into_iter()
            .filter(|&o| {
                let object = &self.objects[o];
                // An element would have to be the same one twice.
                object.nullable && object.dims.is_empty()
            })
            .collect();
        if pointers.is_empty() {
            return None;
        }
        let obj = self.one(&pointers);
        let effects = self.reading(obj);
        if !self.allows(&effects) {
            return None;
        }
        self.note(&effects);
        let pointer = self.p.var_ref(self.objects[obj].var);
        let null = self.null();
        let test = self.p.binary(BinOp::Ne, pointer, null);
        let value = self.integer_in(obj);
        Some(self.p.binary(BinOp::LogAnd, test, value))
    }

    /// A call of a function that returns an integer.
    fn call(&mut self, depth: u32) -> Option<ExprId> {
        let at = self.callee(|shape| matches!(shape, Shape::Int(_)))?;
        Some(self.call_of(at, depth))
    }

    /// A function that can be called here.
    pub(super) fn callee(&mut self, returns: impl Fn(Shape) -> bool) -> Option<usize> {
        let fits = |f: &&usize| {
            let function = &self.functions[**f];
            returns(function.ret) && self.affords(function.cost) && self.allows(&function.effects)
        };
        let all: Vec<usize> = (0..self.functions.len()).collect();
        let fitting: Vec<usize> = all.iter().filter(fits).copied().collect();
        let fresh: Vec<usize> =
            fitting.iter().filter(|f| self.functions[**f].calls == 0).copied().collect();
        let from = if fresh.is_empty() { fitting } else { fresh };
        (!from.is_empty()).then(|| self.one(&from))
    }

    pub(super) fn call_of(&mut self, at: usize, depth: u32) -> ExprId {
        let function = self.functions[at].clone();
        self.functions[at].calls += 1;
        self.pay(function.cost);
        let args = self.unsequenced(function.params.len(), |s, i| {
            s.argument(function.params[i], depth.saturating_sub(1))
        });
        self.note(&function.effects);
        self.p.call_func(function.func, &args)
    }

    fn argument(&mut self, shape: Shape, depth: u32) -> ExprId {
        match shape {
            Shape::Int(_) => self.expr(depth),
            Shape::Pointer(to) => self.address(to, u32::MAX, Some(Argument)),
            Shape::Record(_) => self.record_value(shape),
        }
    }

    /// The value of a whole record.
    pub(super) fn record_value(&mut self, shape: Shape) -> ExprId {
        let fits = |o: &Obj| {
            self.objects[*o].shape == shape
                && self.allows(&Effects { reads: vec![Touch::Object(*o)], writes: Vec::new() })
        };
        let all: Vec<Obj> = self.visible().into_iter().filter(fits).collect();
        let obj = match all.is_empty() {
            true => self.global(shape, Vec::new(), Quals::NONE),
            false => self.one(&all),
        };
        self.note(&Effects { reads: vec![Touch::Object(obj)], writes: Vec::new() });
        self.element(obj)
    }
}
