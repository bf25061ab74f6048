//! Experimental kinds of statements (3.5 of the paper): floating point and vectors. Both are off
//! unless the policy gives them a weight.

use super::Yarp;
use super::scope::VarPool;
use ctree::{BinOp, ExprId, Init, Item, Scope, StmtId, Ty, TypeKind, UnOp, VarId};

/// Operators in a row on floating values, at most: rounding must stay within the tolerance.
const CHAIN: u64 = 3;

impl Yarp {
    /// `out = chain of operators on inputs between 0.5 and 1`: results are printed and compared
    /// with a tolerance, and not used otherwise.
    pub(super) fn float_statement(&mut self, stmts: &mut Vec<StmtId>) {
        if self.pure_helper {
            return self.assign(stmts);
        }
        let types = [Ty::FLOAT, Ty::DOUBLE, Ty::LDOUBLE];
        let ty = types[self.choices.index(3)];
        let mut value = self.float_leaf();
        for _ in 0..1 + self.choices.below(CHAIN) {
            let right = self.float_leaf();
            let ops = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div];
            let op = ops[self.choices.index(4)];
            value = self.program.binary(op, value, right);
            if self.choices.chance(15) {
                value = self.program.unary(UnOp::Neg, value);
            }
        }
        let output = self.special_global("fo_", ty, None);
        self.test.floats.push(output);
        let value = self.program.convert(value, ty);
        let target = self.program.var_ref(output);
        let assign = self.program.assign(target, value);
        self.push_expr(assign, stmts);
    }

    /// A value from 0.5 to 1: an input, a constant, or an integer scaled into that range.
    fn float_leaf(&mut self) -> ExprId {
        let types = [Ty::FLOAT, Ty::DOUBLE, Ty::LDOUBLE];
        let ty = types[self.choices.index(3)];
        let value = (512 + self.choices.below(513)) as f64 / 1024.0;
        let constant = self.program.float_const(ty, value);
        match self.choices.below(4) {
            0 => constant,
            1 => {
                self.begin_expr();
                let value = self.expr(1);
                let mask = self.program.int_const(Ty::INT, 255);
                let low = self.program.binary(BinOp::BitAnd, value, mask);
                let low = self.program.cast(Ty::INT, low);
                let base = self.program.int_const(Ty::INT, 256);
                let sum = self.program.binary(BinOp::Add, low, base);
                let sum = self.program.cast(ty, sum);
                let scale = self.program.float_const(ty, 512.0);
                self.program.binary(BinOp::Div, sum, scale)
            }
            _ => {
                let input = self.special_global("fi_", ty, Some(Init::Expr(constant)));
                self.program.var_ref(input)
            }
        }
    }

    fn special_global(&mut self, prefix: &str, ty: Ty, init: Option<Init>) -> VarId {
        let name = self.fresh(prefix);
        let var = self.program.add_var(&name, ty, Scope::File);
        self.program.vars[var.index()].init = init;
        self.item(Item::Var(var));
        var
    }

    /// `v = operators on vectors`, lane by lane. The lanes can be read wherever an element can.
    pub(super) fn vector_statement(&mut self, stmts: &mut Vec<StmtId>) {
        if self.pure_helper {
            return self.assign(stmts);
        }
        if self.vectors.len() < 2 || self.choices.chance(15) {
            self.vector_global();
        }
        let target = self.vectors[self.choices.index(self.vectors.len())];
        let ty = self.program.var(target).ty;
        self.begin_expr();
        let value = self.vector(ty, 3);
        let object = self.program.var_ref(target);
        let assign = self.program.assign(object, value);
        self.push_expr(assign, stmts);
    }

    fn vector_global(&mut self) {
        let ty = match self.vectors.first() {
            // Operands of one type meet each other.
            Some(&var) if self.choices.chance(70) => self.program.var(var).ty,
            _ => {
                let elems = [
                    Ty::SCHAR,
                    Ty::UCHAR,
                    Ty::SHORT,
                    Ty::USHORT,
                    Ty::INT,
                    Ty::INT,
                    Ty::UINT,
                    Ty::UINT,
                    Ty::LONG,
                    Ty::ULONG,
                ];
                let elem = elems[self.choices.index(elems.len())];
                let bytes = if self.choices.chance(70) { 16 } else { 32 };
                let (bits, _) = self.program.types.int_bits(elem).unwrap_or((32, true));
                self.program.types.intern(TypeKind::Vector(elem, bytes * 8 / bits))
            }
        };
        let init = self.init(ty);
        let var = self.special_global("vec_", ty, Some(init));
        self.test.results.push(var);
        self.vectors.push(var);
        self.scope.add(VarPool::ReadArray, var);
    }

    fn vector(&mut self, ty: Ty, depth: u32) -> ExprId {
        let TypeKind::Vector(elem, lanes) = *self.program.types.shape(ty) else {
            return self.leaf();
        };
        if depth == 0 || self.choices.chance(20) {
            return self.vector_leaf(ty);
        }
        use BinOp::*;
        match self.choices.below(10) {
            0..=5 => {
                let ops = [Add, Sub, Mul, BitAnd, BitOr, BitXor, Div, Rem];
                let op = ops[self.choices.index(ops.len())];
                let (a, b) = (self.vector(ty, depth - 1), self.vector(ty, depth - 1));
                self.program.binary(op, a, b)
            }
            6 => {
                let (bits, _) = self.program.types.int_bits(elem).unwrap_or((32, true));
                let a = self.vector(ty, depth - 1);
                let counts = (0..u64::from(lanes)).map(|first| {
                    let count = self.choices.below(u64::from(bits));
                    let count = self.program.int_const(elem, i128::from(count));
                    let init = Init::Expr(count);
                    ctree::InitItem { first, last: first, init }
                });
                let counts = Init::List(counts.collect());
                let counts = self.program.compound_lit(ty, counts);
                let op = if self.choices.chance(50) { Shl } else { Shr };
                self.program.binary(op, a, counts)
            }
            7 => {
                let a = self.vector(ty, depth - 1);
                let op = if self.choices.chance(50) { UnOp::Neg } else { UnOp::BitNot };
                self.program.unary(op, a)
            }
            8 => {
                let ops = [Lt, Gt, Le, Ge, Eq, Ne];
                let op = ops[self.choices.index(ops.len())];
                let (a, b) = (self.vector(ty, depth - 1), self.vector(ty, depth - 1));
                let mask = self.program.binary(op, a, b);
                self.program.cast(ty, mask)
            }
            _ => {
                // One scalar for all lanes.
                let (a, b) = (self.vector(ty, depth - 1), self.expr(1));
                let b = self.program.cast(elem, b);
                let ops = [Add, Sub, Mul, BitAnd, BitOr, BitXor];
                let op = ops[self.choices.index(ops.len())];
                self.program.binary(op, a, b)
            }
        }
    }

    fn vector_leaf(&mut self, ty: Ty) -> ExprId {
        let same: Vec<VarId> =
            self.vectors.iter().copied().filter(|&v| self.program.var(v).ty == ty).collect();
        match self.choices.pick(&same) {
            Some(&var) if self.choices.chance(80) => self.program.var_ref(var),
            _ => {
                let init = self.init(ty);
                self.program.compound_lit(ty, init)
            }
        }
    }
}
