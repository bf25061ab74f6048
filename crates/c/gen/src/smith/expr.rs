//! Expressions.

use super::Smith;
use super::features::Feature;
use super::header::{INTS, WrappedOp, wrappers};
use super::lvalue::Argument;
use super::object::{Accessed, Effects, ValueType, VarIndex};
use super::relax::WrapperStyle;
use ctree::{BinOp, ExprId, Quals, Ty, UnOp};

/// Kinds of expression with an operator, and how often each is drawn.
const OPERATIONS: [(Operation, u32); 12] = [
    (Operation::Wrapped, 30),
    (Operation::Bits, 9),
    (Operation::Compare, 9),
    (Operation::Logical, 6),
    (Operation::Unary, 7),
    (Operation::Call, 12),
    (Operation::Assign, 8),
    (Operation::Step, 6),
    (Operation::Comma, 3),
    (Operation::Cond, 4),
    (Operation::Pointers, 4),
    (Operation::Guarded, 4),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
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
    /// An integer expression whose operators nest to the given depth.
    pub(super) fn expr(&mut self, depth: u32) -> ExprId {
        if depth == 0 || self.percent(20) {
            return self.leaf();
        }
        let allowed: Vec<(Operation, u32)> =
            OPERATIONS.into_iter().filter(|(kind, _)| self.allows_kind(*kind)).collect();
        let kind = self.choices().weighted(&allowed).copied().unwrap_or(Operation::Bits);
        let made = match kind {
            Operation::Wrapped => self.arithmetic(depth),
            Operation::Bits => {
                let op = [BinOp::BitAnd, BinOp::BitOr, BinOp::BitXor];
                Some(self.plain_binary(&op, depth))
            }
            Operation::Compare => {
                use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
                Some(self.plain_binary(&[Eq, Ne, Lt, Le, Gt, Ge], depth))
            }
            Operation::Logical => Some(self.logical(depth)),
            Operation::Unary => Some(self.unary(depth)),
            Operation::Call => self.call(depth),
            Operation::Assign => self.assignment(depth),
            Operation::Step => self.step(),
            Operation::Comma => {
                let first = self.expr(depth - 1);
                let second = self.expr(depth - 1);
                Some(self.program.binary(BinOp::Comma, first, second))
            }
            Operation::Cond => {
                let condition = self.expr(depth - 1);
                let yes = self.expr(depth - 1);
                let no = self.expr(depth - 1);
                Some(self.program.cond(condition, Some(yes), no))
            }
            Operation::Pointers => self.pointer_comparison(),
            Operation::Guarded => self.null_guarded_access(),
        };
        made.unwrap_or_else(|| self.leaf())
    }

    fn allows_kind(&self, kind: Operation) -> bool {
        match kind {
            Operation::Assign => self.has(Feature::EmbeddedAssigns),
            Operation::Comma => self.has(Feature::CommaOperators),
            Operation::Cond => self.has(Feature::Conditionals),
            Operation::Pointers | Operation::Guarded => self.has(Feature::Pointers),
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
        let op = self.pick_one(ops);
        let operands = self.unsequenced(2, |s, _| s.expr(depth - 1));
        self.program.binary(op, operands[0], operands[1])
    }

    fn logical(&mut self, depth: u32) -> ExprId {
        let op = if self.percent(50) { BinOp::LogAnd } else { BinOp::LogOr };
        let left = self.expr(depth - 1);
        let right = self.expr(depth - 1);
        self.program.binary(op, left, right)
    }

    fn unary(&mut self, depth: u32) -> ExprId {
        let ops = [UnOp::BitNot, UnOp::LogNot, UnOp::Plus];
        let count = 2 + u64::from(self.has(Feature::UnaryPlus));
        let op = ops[self.below(count) as usize];
        let operand = self.expr(depth - 1);
        self.program.unary(op, operand)
    }

    /// An operator on a type: through its wrapper where it could be undefined, directly otherwise.
    fn arithmetic(&mut self, depth: u32) -> Option<ExprId> {
        let allowed: Vec<WrappedOp> = WrappedOp::ALL
            .into_iter()
            .filter(|op| match op {
                WrappedOp::Mul => self.has(Feature::Muls),
                WrappedOp::Div | WrappedOp::Mod => self.has(Feature::Divs),
                WrappedOp::Lshift | WrappedOp::Rshift => self.has(Feature::Shifts),
                _ => true,
            })
            .collect();
        let op = self.pick_one(&allowed);
        let int = INTS[self.int()];
        let count = if op == WrappedOp::Minus { 1 } else { 2 };
        let operands = self.unsequenced(count, |s, _| s.expr(depth - 1));
        let fits: Vec<_> = wrappers().into_iter().filter(|w| w.op == op && w.int == int).collect();
        if fits.is_empty() {
            return Some(self.unwrapped_operation(op, int.name, &operands));
        }
        let wrapper = self.pick_one(&fits);
        // Drawn in every form, so that the rest of the program does not depend on the form.
        let mixed = self.percent(50);
        let is_macro = match self.tuple.form {
            WrapperStyle::Functions => false,
            WrapperStyle::Macros => true,
            WrapperStyle::Mixed => mixed,
        };
        let name = wrapper.name(is_macro);
        let func = self.wrappers.get(&name).copied()?;
        self.used.insert(name);
        Some(self.program.call_func(func, &operands))
    }

    /// Operands are converted to the type, so the result fits the promoted type.
    fn unwrapped_operation(&mut self, op: WrappedOp, int: &str, operands: &[ExprId]) -> ExprId {
        let at = INTS.iter().position(|i| i.name == int).unwrap_or(0);
        let ty = self.ints[at];
        let cut: Vec<ExprId> = operands.iter().map(|&e| self.cast_to(ty, e)).collect();
        match op {
            WrappedOp::Minus => self.program.unary(UnOp::Neg, cut[0]),
            WrappedOp::Sub => self.program.binary(BinOp::Sub, cut[0], cut[1]),
            // Two factors of 16 bits may overflow the type they are promoted to.
            WrappedOp::Mul if int == "uint16_t" => {
                let wide = self.program.cast(Ty::UINT, cut[0]);
                self.program.binary(BinOp::Mul, wide, cut[1])
            }
            WrappedOp::Mul => self.program.binary(BinOp::Mul, cut[0], cut[1]),
            _ => self.program.binary(BinOp::Add, cut[0], cut[1]),
        }
    }

    fn cast_to(&mut self, ty: Ty, expr: ExprId) -> ExprId {
        let plain = self.program.types.canon(ty).unqual();
        if self.program.expr(expr).ty.unqual() == plain
            && self.program.bit_field_width(expr).is_none()
        {
            return expr;
        }
        self.program.cast(ty, expr)
    }

    /// Whether sums of two values of a place's type cannot overflow what they are computed in.
    fn wraps(&self, place: ExprId) -> bool {
        let bits = self.program.types.int_bits(self.program.expr(place).ty);
        let wraps = bits.is_some_and(|(bits, signed)| bits < 32 || !signed);
        wraps && self.program.bit_field_width(place).is_none()
    }

    /// `lvalue = value`, or a compound assignment with an operator that is always defined.
    pub(super) fn assignment(&mut self, depth: u32) -> Option<ExprId> {
        let (place, value, effects) = self.two_sides(|s| s.write(), |s| s.expr(depth - 1))?;
        let compound = self.has(Feature::CompoundAssignment) && self.percent(30);
        let bits = self.pick_one(&[BinOp::BitAnd, BinOp::BitOr, BinOp::BitXor]);
        let sum = self.percent(40).then(|| self.pick_one(&[BinOp::Add, BinOp::Sub]));
        let made = match (compound, sum) {
            (false, _) => self.program.assign(place, value),
            (true, Some(op)) if self.wraps(place) => {
                let ty = self.program.expr(place).ty.unqual();
                let value = self.cast_to(ty, value);
                self.program.assign_op(op, place, value)
            }
            (true, _) => self.program.assign_op(bits, place, value),
        };
        self.note(&effects);
        Some(made)
    }

    /// An lvalue, then an unsequenced value that does not access it.
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
                // The value must not write the lvalue, but it may read it.
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
        let op = self.pick_one(&allowed);
        let (place, effects) = self.write()?;
        self.note(&effects);
        // Drawn in any case: a relaxed place may have another type.
        let value = self.constant(None);
        let ty = self.program.expr(place).ty;
        let (bits, signed) = self.program.types.int_bits(ty)?;
        if signed && bits >= 32 && self.program.bit_field_width(place).is_none_or(|w| w >= 32) {
            // It would need a wrapper, which `++` and `--` do not have: an assignment instead.
            return Some(self.program.assign(place, value));
        }
        Some(self.program.unary(op, place))
    }

    /// `p == q`, `p != &x`, `p == (void *)0`
    fn pointer_comparison(&mut self) -> Option<ExprId> {
        let pointers: Vec<VarIndex> = self
            .visible()
            .into_iter()
            .filter(|o| {
                matches!(self.objects[*o].value_type, ValueType::Pointer(_))
                    && self.allows(&Effects {
                        reads: vec![Accessed::Variable(*o)],
                        writes: Vec::new(),
                    })
            })
            .collect();
        if pointers.is_empty() {
            return None;
        }
        let obj = self.pick_one(&pointers);
        let ValueType::Pointer(to) = self.objects[obj].value_type else { return None };
        self.note(&Effects { reads: vec![Accessed::Variable(obj)], writes: Vec::new() });
        let left = self.element(obj);
        let right = match self.percent(50) {
            true => self.null(),
            false => self.address(to, self.level, None),
        };
        let op = if self.percent(50) { BinOp::Eq } else { BinOp::Ne };
        Some(self.program.binary(op, left, right))
    }

    /// `(p != 0) && *p` for a pointer that may be null.
    fn null_guarded_access(&mut self) -> Option<ExprId> {
        let pointers: Vec<VarIndex> = self
            .visible()
            .into_iter()
            .filter(|&o| {
                let object = &self.objects[o];
                // The index of an element would be evaluated twice.
                object.nullable && object.dims.is_empty()
            })
            .collect();
        if pointers.is_empty() {
            return None;
        }
        let obj = self.pick_one(&pointers);
        let effects = self.reading(obj);
        if !self.allows(&effects) {
            return None;
        }
        self.note(&effects);
        let pointer = self.program.var_ref(self.objects[obj].var);
        let null = self.null();
        let test = self.program.binary(BinOp::Ne, pointer, null);
        let value = self.integer_in(obj);
        Some(self.program.binary(BinOp::LogAnd, test, value))
    }

    /// A call of a function that returns an integer.
    fn call(&mut self, depth: u32) -> Option<ExprId> {
        let at = self.callee(|value_type| matches!(value_type, ValueType::Int(_)))?;
        Some(self.call_of(at, depth))
    }

    /// A function that can be called here.
    pub(super) fn callee(&mut self, returns: impl Fn(ValueType) -> bool) -> Option<usize> {
        let fits = |f: &&usize| {
            let function = &self.functions[**f];
            returns(function.ret) && self.affords(function.cost) && self.allows(&function.effects)
        };
        let all: Vec<usize> = (0..self.functions.len()).collect();
        let fitting: Vec<usize> = all.iter().filter(fits).copied().collect();
        let fresh: Vec<usize> =
            fitting.iter().filter(|f| self.functions[**f].calls == 0).copied().collect();
        let from = if fresh.is_empty() { fitting } else { fresh };
        (!from.is_empty()).then(|| self.pick_one(&from))
    }

    pub(super) fn call_of(&mut self, at: usize, depth: u32) -> ExprId {
        let function = self.functions[at].clone();
        self.functions[at].calls += 1;
        self.pay(function.cost);
        let args = self.unsequenced(function.params.len(), |s, i| {
            s.argument(function.params[i], depth.saturating_sub(1))
        });
        self.note(&function.effects);
        self.program.call_func(function.func, &args)
    }

    fn argument(&mut self, value_type: ValueType, depth: u32) -> ExprId {
        match value_type {
            ValueType::Int(_) => self.expr(depth),
            ValueType::Pointer(to) => self.address(to, u32::MAX, Some(Argument)),
            ValueType::Record(_) => self.record_value(value_type),
        }
    }

    /// The value of a whole record.
    pub(super) fn record_value(&mut self, value_type: ValueType) -> ExprId {
        let fits = |o: &VarIndex| {
            self.objects[*o].value_type == value_type
                && self.allows(&Effects { reads: vec![Accessed::Variable(*o)], writes: Vec::new() })
        };
        let all: Vec<VarIndex> = self.visible().into_iter().filter(fits).collect();
        let obj = match all.is_empty() {
            true => self.global(value_type, Vec::new(), Quals::NONE),
            false => self.pick_one(&all),
        };
        self.note(&Effects { reads: vec![Accessed::Variable(obj)], writes: Vec::new() });
        self.element(obj)
    }
}
