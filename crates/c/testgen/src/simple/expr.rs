//! Expressions without side effects: all arithmetic in `unsigned int` or `unsigned long`.

use super::Simple;
use ctree::{ArrayLen, BinOp, ExprId, Ty, TypeKind, UnOp, VarId};

impl Simple<'_> {
    /// A constant of an integer type, at times from the ends of its range.
    pub(super) fn constant(&mut self, ty: Ty) -> ExprId {
        let ty = ty.unqual();
        let (bits, signed) = self.program.types.int_bits(ty).unwrap_or((32, true));
        let value = match (self.below(5), signed) {
            (0, true) => i128::MIN >> (128 - bits),
            (1, true) => i128::MAX >> (128 - bits),
            (1, false) => (1i128 << bits) - 1,
            (2, true) => -i128::from(self.below(100)),
            (3, _) => i128::from(self.choices.bits(bits - u32::from(signed))),
            _ => i128::from(self.choices.bits(bits.min(7) - u32::from(signed))),
        };
        self.program.int_const(ty, value)
    }

    /// An expression of type `unsigned int` or `unsigned long`.
    pub(super) fn value(&mut self, ty: Ty, depth: u32) -> ExprId {
        if depth == 0 || self.chance(15) {
            return self.leaf(ty);
        }
        match self.below(12) {
            0..=4 => {
                use BinOp::*;
                let op = [Add, Sub, Mul, BitAnd, BitOr, BitXor][self.below(6) as usize];
                let (a, b) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
                self.program.binary(op, a, b)
            }
            5 => {
                let bits = self.program.types.int_bits(ty).map_or(32, |(bits, _)| bits);
                let (a, count) = (self.value(ty, depth - 1), self.value(Ty::UINT, depth - 1));
                let mask = self.program.int_const(Ty::INT, i128::from(bits - 1));
                let count = self.program.binary(BinOp::BitAnd, count, mask);
                let op = if self.chance(50) { BinOp::Shl } else { BinOp::Shr };
                self.program.binary(op, a, count)
            }
            6 => {
                let (a, b) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
                let one = self.program.int_const(Ty::INT, 1);
                let divisor = self.program.binary(BinOp::BitOr, b, one);
                let op = if self.chance(50) { BinOp::Div } else { BinOp::Rem };
                self.program.binary(op, a, divisor)
            }
            7 => {
                let c = self.truth(depth - 1);
                let (a, b) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
                self.program.cond(c, Some(a), b)
            }
            8 => {
                let a = self.value(ty, depth - 1);
                let op = if self.chance(50) { UnOp::Neg } else { UnOp::BitNot };
                self.program.unary(op, a)
            }
            9 => {
                // Narrow, then wide again: the result depends on signedness.
                let a = self.value(ty, depth - 1);
                let narrow = self.int_type();
                let a = self.program.cast(narrow, a);
                self.program.cast(ty, a)
            }
            10 => {
                let c = self.truth(depth - 1);
                self.program.cast(ty, c)
            }
            _ => self.product_of_shorts(ty),
        }
    }

    /// Signed arithmetic that cannot overflow: the operands are at most 16 bits wide.
    fn product_of_shorts(&mut self, ty: Ty) -> ExprId {
        let (a, b) = (self.leaf(Ty::UINT), self.leaf(Ty::UINT));
        let (a, b) = (self.program.cast(Ty::SHORT, a), self.program.cast(Ty::SCHAR, b));
        let op = [BinOp::Mul, BinOp::Add, BinOp::Sub][self.below(3) as usize];
        let result = self.program.binary(op, a, b);
        self.program.cast(ty, result)
    }

    /// A condition: comparisons, signed ones too, and logical operators.
    pub(super) fn truth(&mut self, depth: u32) -> ExprId {
        use BinOp::*;
        if depth > 0 && self.chance(30) {
            let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
            let op = if self.chance(50) { LogAnd } else { LogOr };
            return self.program.binary(op, a, b);
        }
        if self.chance(15) {
            let a = self.value(Ty::UINT, depth);
            return self.program.unary(UnOp::LogNot, a);
        }
        let op = [Lt, Gt, Le, Ge, Eq, Ne][self.below(6) as usize];
        let (a, b) = if self.chance(50) {
            (self.object().unwrap_or_else(|| self.leaf(Ty::UINT)), self.leaf(Ty::UINT))
        } else {
            (self.value(Ty::ULONG, depth), self.value(Ty::ULONG, depth))
        };
        self.program.binary(op, a, b)
    }

    fn leaf(&mut self, ty: Ty) -> ExprId {
        if self.chance(35) {
            return self.constant(ty);
        }
        match self.object() {
            Some(object) => {
                // A bit-field's promoted type is not its declared one.
                let is_plain = self.program.bit_field_width(object).is_none();
                if is_plain && self.program.expr(object).ty == ty {
                    object
                } else {
                    self.program.cast(ty, object)
                }
            }
            None => self.constant(ty),
        }
    }

    /// An integer object to read.
    fn object(&mut self) -> Option<ExprId> {
        let from = match self.below(10) {
            0..=4 => self.choices.pick(&self.globals).copied(),
            5..=6 => self.choices.pick(&self.locals).copied(),
            7 => self.choices.pick(&self.frozen).copied(),
            _ => {
                let pointer = self.choices.pick(&self.pointers).copied()?;
                let pointer = self.program.var_ref(pointer);
                return Some(self.program.deref(pointer));
            }
        }?;
        Some(self.integer_in(from))
    }

    /// An integer object to write, bit-fields included.
    pub(super) fn target(&mut self) -> Option<ExprId> {
        let from = match self.below(10) {
            0..=5 => self.choices.pick(&self.globals).copied(),
            6..=7 => self.choices.pick(&self.locals).copied(),
            _ => {
                let pointer = self.choices.pick(&self.pointers).copied()?;
                let pointer = self.program.var_ref(pointer);
                return Some(self.program.deref(pointer));
            }
        }?;
        Some(self.integer_in(from))
    }

    /// An integer within a variable; indices are masked to the length, a power of two.
    fn integer_in(&mut self, var: VarId) -> ExprId {
        let mut at = self.program.var_ref(var);
        loop {
            match *self.program.types.shape(self.program.expr(at).ty) {
                TypeKind::Array(_, ArrayLen::Known(len)) => {
                    let index = if self.chance(50) {
                        let value = self.below(len);
                        self.program.int_const(Ty::INT, i128::from(value))
                    } else {
                        let value = self.value(Ty::UINT, 1);
                        let mask = self.program.int_const(Ty::UINT, i128::from(len - 1));
                        self.program.binary(BinOp::BitAnd, value, mask)
                    };
                    at = self.program.index(at, index);
                }
                TypeKind::Record(id) => {
                    let count = self.program.types.records[id.index()].fields.len();
                    let field = self.choices.index(count);
                    at = self.program.member(at, field as u32);
                }
                _ => return at,
            }
        }
    }
}
