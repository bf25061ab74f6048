//! Expressions: all operators of C over what is visible.

use ctree::{BinOp, ExprId, ExprKind, Ty, TypeKind, UnOp};

use super::BodyGenerator;

/// Integer types that constants, casts and variables are made of.
pub(super) const INTS: [Ty; 11] = [
    Ty::INT,
    Ty::UINT,
    Ty::LONG,
    Ty::ULONG,
    Ty::LLONG,
    Ty::ULLONG,
    Ty::SHORT,
    Ty::USHORT,
    Ty::SCHAR,
    Ty::UCHAR,
    Ty::BOOL,
];

const STEPS: [UnOp; 4] = [UnOp::PreInc, UnOp::PreDec, UnOp::PostInc, UnOp::PostDec];

impl BodyGenerator<'_> {
    /// An expression with a side effect.
    pub(super) fn effect(&mut self, depth: u32) -> ExprId {
        let effect = match self.choices.below(20) {
            0..=8 => self.assignment(depth),
            9..=12 => self.compound_assignment(depth),
            13..=14 => self.increment(depth),
            15..=18 => self.call(depth, |_, _| true),
            _ => None,
        };
        match effect {
            Some(effect) => effect,
            None => self.arith(depth),
        }
    }

    fn assignment(&mut self, depth: u32) -> Option<ExprId> {
        let lvalue = self.lvalue(depth, Self::is_modifiable)?;
        let ty = self.program.expr(lvalue).ty;
        let value = self.value(ty, depth)?;
        Some(self.program.assign(lvalue, value))
    }

    fn compound_assignment(&mut self, depth: u32) -> Option<ExprId> {
        let lvalue = self.lvalue(depth, |generator, e| {
            generator.is_modifiable(e) && generator.supports_increment(e)
        })?;
        let ty = self.program.expr(lvalue).ty;
        if self.program.types.is_pointer(ty) {
            let op = *self.choices.pick(&[BinOp::Add, BinOp::Sub])?;
            let by = self.distance(depth.saturating_sub(1));
            return Some(self.program.assign_op(op, lvalue, by));
        }
        let op = self.arith_op();
        if self.program.types.is_integer(ty) && is_integral(op) {
            let by = self.integer(depth.saturating_sub(1));
            return Some(self.program.assign_op(op, lvalue, by));
        }
        let op = if is_integral(op) { BinOp::Add } else { op };
        let by = self.arith(depth.saturating_sub(1));
        Some(self.program.assign_op(op, lvalue, by))
    }

    fn increment(&mut self, depth: u32) -> Option<ExprId> {
        let lvalue = self.lvalue(depth, |generator, e| {
            generator.is_modifiable(e) && generator.supports_increment(e)
        })?;
        let op = *self.choices.pick(&STEPS)?;
        Some(self.program.unary(op, lvalue))
    }

    /// Whether `+` and `-` accept an object: a number, or a pointer to a type with a size.
    pub(super) fn supports_increment(&self, e: ExprId) -> bool {
        let ty = self.program.expr(e).ty;
        match self.program.types.pointee(ty) {
            Some(to) => self.has_size(to),
            None => self.program.types.is_arithmetic(ty),
        }
    }

    fn has_size(&self, ty: Ty) -> bool {
        // GCC rejects arithmetic on pointers to empty records.
        self.scope.is_complete(self.program, ty)
            && self.program.types.size_of(ty).is_some_and(|size| size > 0)
    }

    /// An expression of some arithmetic type.
    pub(super) fn arith(&mut self, depth: u32) -> ExprId {
        if depth == 0 || self.operators == 0 {
            return self.leaf(depth);
        }
        self.operators -= 1;
        let below = depth - 1;
        let made = match self.choices.below(100) {
            0..=19 => None,
            20..=49 => Some(self.binary(below)),
            50..=56 => Some(self.unary(below)),
            57..=62 => self.number(below, Self::increment),
            63..=67 => self.number(below, Self::assignment),
            68..=71 => self.number(below, Self::compound_assignment),
            72..=77 => {
                let c = self.condition(below);
                let (a, b) = (self.arith(below), self.arith(below));
                Some(self.program.cond(c, Some(a), b))
            }
            78..=82 => {
                let e = self.scalar(below);
                let ty = self.int_type();
                Some(self.program.cast(ty, e))
            }
            83..=85 => {
                let (a, b) = (self.effect(below), self.arith(below));
                Some(self.program.binary(BinOp::Comma, a, b))
            }
            86..=91 => {
                self.call(below, |generator, ret| generator.program.types.is_arithmetic(ret))
            }
            92..=98 => self.pointers(below),
            _ => {
                let of = self
                    .lvalue(0, |generator, e| generator.is_whole(e) && generator.is_addressable(e));
                of.map(|e| self.program.sizeof_expr(e))
            }
        };
        match made {
            Some(e) => e,
            None => self.leaf(depth),
        }
    }

    /// An expression built from an object, if that is a number.
    fn number(
        &mut self,
        depth: u32,
        make: impl Fn(&mut Self, u32) -> Option<ExprId>,
    ) -> Option<ExprId> {
        let mark = self.program.exprs.len();
        let e = make(self, depth)?;
        if self.program.types.is_arithmetic(self.program.expr(e).ty) {
            return Some(e);
        }
        self.program.exprs.truncate(mark);
        None
    }

    /// An object of arithmetic type; seldom a constant.
    fn leaf(&mut self, depth: u32) -> ExprId {
        let is_number = |generator: &Self, e| {
            generator.program.types.is_arithmetic(generator.program.expr(e).ty)
        };
        let depth = depth.min(1).min(self.operators);
        let lvalue = if self.choices.chance(82) { self.lvalue(depth, is_number) } else { None };
        match lvalue {
            Some(lvalue) => lvalue,
            None => self.constant(),
        }
    }

    fn constant(&mut self) -> ExprId {
        if self.choices.chance(10) {
            let ty = *self.choices.pick(&[Ty::FLOAT, Ty::DOUBLE]).unwrap_or(&Ty::DOUBLE);
            let value = [0.0, 1.0, -1.5, 0.1, 1e10][self.choices.index(5)];
            return self.program.float_const(ty, value);
        }
        let ty = self.int_type();
        let (bits, signed) = self.program.types.int_bits(ty).unwrap_or((32, true));
        let max = (1i128 << (bits - u32::from(signed))) - 1;
        let min = if signed { -max - 1 } else { 0 };
        let value = match self.choices.below(8) {
            0 => max,
            1 => min,
            2..=4 => i128::from(self.choices.range(-1..=8)),
            5 => 1 << self.choices.below(u64::from(bits)),
            6 => i128::from(self.choices.bits(16)),
            _ => i128::from(self.choices.bits(64)),
        };
        self.program.int_const(ty, value.clamp(min, max))
    }

    pub(super) fn int_type(&mut self) -> Ty {
        // `int` is what most programs compute in.
        if self.choices.chance(30) { Ty::INT } else { INTS[self.choices.index(INTS.len())] }
    }

    /// An expression of some integer type.
    pub(super) fn integer(&mut self, depth: u32) -> ExprId {
        let e = self.arith(depth);
        if self.program.types.is_integer(self.program.expr(e).ty) {
            return e;
        }
        let ty = self.int_type();
        self.program.cast(ty, e)
    }

    /// A number or a pointer.
    fn scalar(&mut self, depth: u32) -> ExprId {
        let is_pointer =
            |generator: &Self, e| generator.program.types.is_pointer(generator.program.expr(e).ty);
        let pointer = if self.choices.chance(25) { self.lvalue(depth, is_pointer) } else { None };
        match pointer {
            Some(pointer) => pointer,
            None => self.arith(depth),
        }
    }

    /// What a branch can depend on.
    pub(super) fn condition(&mut self, depth: u32) -> ExprId {
        match self.choices.below(3) {
            0 => self.scalar(depth),
            1 => self.arith(depth),
            _ => {
                let op = self.comparison();
                let (a, b) = (self.arith(depth), self.arith(depth));
                self.program.binary(op, a, b)
            }
        }
    }

    fn comparison(&mut self) -> BinOp {
        use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
        [Lt, Gt, Le, Ge, Eq, Ne][self.choices.index(6)]
    }

    fn arith_op(&mut self) -> BinOp {
        use BinOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
        [Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitOr, BitXor][self.choices.index(10)]
    }

    fn binary(&mut self, depth: u32) -> ExprId {
        match self.choices.below(10) {
            0..=1 => {
                let op = self.comparison();
                let (a, b) = (self.arith(depth), self.arith(depth));
                self.program.binary(op, a, b)
            }
            2 => {
                let op = [BinOp::LogAnd, BinOp::LogOr][self.choices.index(2)];
                let (a, b) = (self.scalar(depth), self.scalar(depth));
                self.program.binary(op, a, b)
            }
            _ => {
                let op = self.arith_op();
                let (a, b) = match is_integral(op) {
                    true => (self.integer(depth), self.integer(depth)),
                    false => (self.arith(depth), self.arith(depth)),
                };
                self.program.binary(op, a, b)
            }
        }
    }

    fn unary(&mut self, depth: u32) -> ExprId {
        match self.choices.below(4) {
            0 => {
                let e = self.scalar(depth);
                self.program.unary(UnOp::LogNot, e)
            }
            1 => {
                let e = self.integer(depth);
                self.program.unary(UnOp::BitNot, e)
            }
            2 => {
                let e = self.arith(depth);
                self.program.unary(UnOp::Plus, e)
            }
            _ => {
                let e = self.arith(depth);
                self.program.unary(UnOp::Neg, e)
            }
        }
    }

    /// A comparison or difference of two pointers.
    fn pointers(&mut self, depth: u32) -> Option<ExprId> {
        let is_pointer =
            |generator: &Self, e| generator.program.types.is_pointer(generator.program.expr(e).ty);
        let a = self.lvalue(depth, is_pointer)?;
        let ty = self.program.expr(a).ty.unqual();
        let to = self.program.types.pointee(ty)?;
        let b = self.pointer(ty, to, depth);
        let is_function = self.program.types.as_function(to).is_some();
        let op = match self.choices.below(3) {
            // Only pointers to objects can be compared by `<` or subtracted.
            0 if self.has_size(to) && !self.is_null(b) => BinOp::Sub,
            1 if !self.is_null(b) && self.scope.is_complete(self.program, to) => self.comparison(),
            _ if is_function => BinOp::Ne,
            _ => BinOp::Eq,
        };
        Some(self.program.binary(op, a, b))
    }

    /// A value that may be assigned to an object of a type.
    pub(super) fn value(&mut self, ty: Ty, depth: u32) -> Option<ExprId> {
        let ty = self.program.types.canon(ty).unqual();
        match *self.program.types.kind(ty) {
            TypeKind::Int(_) | TypeKind::Enum(_) | TypeKind::Float(_) => Some(self.arith(depth)),
            TypeKind::Pointer(to) => Some(self.pointer(ty, to, depth)),
            TypeKind::Record(_) if depth > 0 && self.choices.chance(30) => {
                match self.call(depth - 1, |_, ret| ret == ty) {
                    Some(call) => Some(call),
                    None => self.lvalue_of(ty, depth),
                }
            }
            TypeKind::Record(_) | TypeKind::Vector(..) => self.lvalue_of(ty, depth),
            _ => None,
        }
    }

    /// A pointer of a type, to `to`.
    fn pointer(&mut self, ty: Ty, to: Ty, depth: u32) -> ExprId {
        let below = depth.saturating_sub(1);
        let made = match self.choices.below(10) {
            0..=3 => self.address(to, below),
            4..=6 => self.lvalue_of(ty, below),
            7 if depth > 0 && self.operators > 0 && self.has_size(to) => {
                self.operators -= 1;
                let (program, i) = (self.pointer(ty, to, below), self.distance(below));
                let op = [BinOp::Add, BinOp::Sub][self.choices.index(2)];
                Some(if self.is_null(program) {
                    program
                } else {
                    self.program.binary(op, program, i)
                })
            }
            8 if depth > 0 => self.call(below, |_, ret| ret == ty),
            9 if self.scope.can_write(self.program, ty) => {
                // A number becomes one of the width of a pointer first.
                let e = self.scalar(below);
                let is_pointer = self.program.types.is_pointer(self.program.expr(e).ty);
                let e = if is_pointer { e } else { self.program.cast(Ty::LONG, e) };
                Some(self.program.cast(ty, e))
            }
            _ => None,
        };
        match made.or_else(|| self.lvalue_of(ty, below)).or_else(|| self.address(to, below)) {
            Some(pointer) => pointer,
            None => {
                let zero = self.program.int_const(Ty::INT, 0);
                self.program.convert(zero, ty)
            }
        }
    }

    /// Whether a pointer is written as a literal zero, which is a number to most operators.
    fn is_null(&self, e: ExprId) -> bool {
        matches!(self.program.expr(e).kind, ExprKind::Implicit(zero)
            if self.program.types.is_integer(self.program.expr(zero).ty))
    }

    /// The address of an object or function, or an array that decays to it.
    fn address(&mut self, to: Ty, depth: u32) -> Option<ExprId> {
        let to = self.program.types.canon(to);
        if self.program.types.as_function(to).is_some() {
            let funcs: Vec<_> = self.scope.funcs.clone();
            let mut same = funcs
                .into_iter()
                .filter(|f| self.program.types.canon(self.program.func(*f).ty) == to);
            let func = same.next()?;
            return Some(self.program.func_ref(func));
        }
        let fits = move |generator: &Self, ty: Ty| {
            ty.unqual() == to.unqual()
                && to.quals().has(ty.quals())
                && !generator.program.types.is_void(ty)
        };
        let lvalue = self.lvalue(depth, |generator, e| {
            let ty = generator.program.expr(e).ty;
            let elem = generator.program.types.as_array(ty).map(|(elem, _)| elem);
            generator.is_addressable(e)
                && (fits(generator, ty) || elem.is_some_and(|elem| fits(generator, elem)))
        })?;
        if fits(self, self.program.expr(lvalue).ty) {
            return Some(self.program.addr_of(lvalue));
        }
        Some(self.program.decay(lvalue))
    }

    /// A call of a function, or through a pointer to one, that returns what is wanted.
    fn call(&mut self, depth: u32, wanted: impl Fn(&Self, Ty) -> bool) -> Option<ExprId> {
        if self.operators == 0 {
            return None;
        }
        self.operators -= 1;
        let mark = self.program.exprs.len();
        let callee = match self.choices.chance(15) {
            true => {
                let lvalue = self.lvalue(0, |generator, e| {
                    let to = generator.program.types.pointee(generator.program.expr(e).ty);
                    let to = to.and_then(|to| generator.program.types.as_function(to));
                    to.is_some_and(|f| f.proto && !f.variadic)
                })?;
                self.program.decay(lvalue)
            }
            false => {
                let func = *self.choices.pick(&self.scope.funcs)?;
                let callee = self.program.func_ref(func);
                self.program.decay(callee)
            }
        };
        let to = self.program.types.pointee(self.program.expr(callee).ty)?;
        let f = self.program.types.as_function(to)?.clone();
        let ret = self.program.types.canon(f.ret).unqual();
        let is_known = self.program.types.is_void(ret) || self.scope.is_complete(self.program, ret);
        let args = if is_known && wanted(self, ret) {
            f.params.iter().map(|&ty| self.value(ty, depth.min(1))).collect()
        } else {
            None
        };
        let args: Option<Vec<ExprId>> = args;
        match args {
            Some(args) => Some(self.program.call(callee, &args)),
            None => {
                self.program.exprs.truncate(mark);
                None
            }
        }
    }
}

/// Whether an operator takes integers only.
fn is_integral(op: BinOp) -> bool {
    use BinOp::{BitAnd, BitOr, BitXor, Rem, Shl, Shr};
    matches!(op, Rem | Shl | Shr | BitAnd | BitOr | BitXor)
}
