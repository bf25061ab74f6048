//! Random expressions (6.5).

use super::Wild;
use ctree::{BinOp, ExprId, FuncId, FuncType, Ty, TypeKind, UnOp};

impl Wild<'_> {
    /// An expression of integer type.
    pub(super) fn integer(&mut self, depth: u32) -> ExprId {
        let e = self.arith(depth);
        if self.program.types.is_integer(self.program.expr(e).ty) {
            return e;
        }
        let ty = self.int_type();
        self.program.cast(ty, e)
    }

    /// An expression of arithmetic or pointer type, as a condition wants.
    pub(super) fn scalar(&mut self, depth: u32) -> ExprId {
        if self.chance(15)
            && let Some(e) =
                self.lvalue(depth, |w, e| w.program.types.is_pointer(w.program.expr(e).ty))
        {
            return e;
        }
        self.arith(depth)
    }

    /// An expression of arithmetic type.
    pub(super) fn arith(&mut self, depth: u32) -> ExprId {
        if depth == 0 || !self.spend() {
            return self.leaf();
        }
        match self.below(22) {
            0..=1 => self.leaf(),
            2..=3 => self.unary(depth),
            4..=8 => self.binary(depth),
            9 => {
                let c = self.scalar(depth - 1);
                let (a, b) = (self.arith(depth - 1), self.arith(depth - 1));
                self.program.cond(c, Some(a), b)
            }
            10 => {
                let (a, b) = (self.arith(depth - 1), self.arith(depth - 1));
                self.program.cond(a, None, b)
            }
            11 => {
                let ty = self.arith_type();
                let e = if self.program.types.is_integer(ty) && self.chance(20) {
                    self.scalar(depth - 1)
                } else {
                    self.arith(depth - 1)
                };
                // A pointer does not convert to a floating type.
                self.program.cast(ty, e)
            }
            12 => self.comma(depth),
            13..=14 => self.assignment(depth).unwrap_or_else(|| self.int_literal()),
            15 => self.size(depth),
            16 => self.increment(depth).unwrap_or_else(|| self.int_literal()),
            17 => self.call_of(depth, |w, ty| w.program.types.is_arithmetic(ty)),
            18 => {
                let ty = self.arith_type();
                self.literal_object(ty, depth)
            }
            19 => self.stmt_expr(depth),
            20 => self.pointer_arith(depth),
            _ => match self.va_list {
                Some(var) => {
                    let list = self.program.var_ref(var);
                    let ty = [Ty::INT, Ty::DOUBLE, Ty::ULONG][self.below(3) as usize];
                    self.program.va_arg(list, ty)
                }
                None => self.leaf(),
            },
        }
    }

    fn leaf(&mut self) -> ExprId {
        match self.below(6) {
            0..=2 => {
                let found =
                    self.lvalue(0, |w, e| w.program.types.is_arithmetic(w.program.expr(e).ty));
                found.unwrap_or_else(|| self.int_literal())
            }
            3 => self.float_literal(),
            4 => self.int_constant(0),
            _ => self.int_literal(),
        }
    }

    fn unary(&mut self, depth: u32) -> ExprId {
        match self.below(4) {
            0 => {
                let e = self.scalar(depth - 1);
                self.program.unary(UnOp::LogNot, e)
            }
            1 => {
                let e = self.integer(depth - 1);
                self.program.unary(UnOp::BitNot, e)
            }
            2 => {
                let e = self.arith(depth - 1);
                self.program.unary(UnOp::Plus, e)
            }
            _ => {
                let e = self.arith(depth - 1);
                self.program.unary(UnOp::Neg, e)
            }
        }
    }

    fn binary(&mut self, depth: u32) -> ExprId {
        use BinOp::*;
        let ops = [
            Mul, Div, Add, Sub, Lt, Gt, Le, Ge, Eq, Ne, LogAnd, LogOr, Rem, Shl, Shr, BitAnd,
            BitXor, BitOr,
        ];
        let at = self.below(ops.len() as u64) as usize;
        let (a, b) = match at {
            0..=9 => (self.arith(depth - 1), self.arith(depth - 1)),
            10..=11 => (self.scalar(depth - 1), self.scalar(depth - 1)),
            _ => (self.integer(depth - 1), self.integer(depth - 1)),
        };
        self.program.binary(ops[at], a, b)
    }

    fn comma(&mut self, depth: u32) -> ExprId {
        let a = match self.below(3) {
            0 => self.void_expr(depth - 1),
            _ => self.arith(depth - 1),
        };
        let b = self.arith(depth - 1);
        self.program.binary(BinOp::Comma, a, b)
    }

    /// An assignment whose value is arithmetic.
    fn assignment(&mut self, depth: u32) -> Option<ExprId> {
        use BinOp::*;
        let lhs = self.lvalue(depth - 1, |w, e| {
            w.is_modifiable(e) && w.program.types.is_arithmetic(w.program.expr(e).ty)
        })?;
        if self.chance(50) {
            let rhs = self.arith(depth - 1);
            return Some(self.program.assign(lhs, rhs));
        }
        let ops = [Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitXor, BitOr];
        let whole = self.program.types.is_integer(self.program.expr(lhs).ty);
        let op = ops[self.below(if whole { 10 } else { 4 }) as usize];
        let rhs = if matches!(op, Add | Sub | Mul | Div) {
            self.arith(depth - 1)
        } else {
            self.integer(depth - 1)
        };
        Some(self.program.assign_op(op, lhs, rhs))
    }

    fn increment(&mut self, depth: u32) -> Option<ExprId> {
        let ops = [UnOp::PreInc, UnOp::PreDec, UnOp::PostInc, UnOp::PostDec];
        let op = ops[self.below(4) as usize];
        let lhs = self.lvalue(depth - 1, |w, e| {
            w.is_modifiable(e) && w.program.types.is_arithmetic(w.program.expr(e).ty)
        })?;
        Some(self.program.unary(op, lhs))
    }

    fn size(&mut self, depth: u32) -> ExprId {
        match self.below(3) {
            0 => {
                let ty = self.object_type(2);
                self.program.sizeof_type(ty)
            }
            1 => {
                let ty = self.object_type(2);
                self.program.alignof_type(ty)
            }
            _ => {
                let found = self.lvalue(0, |w, e| w.is_addressable(e) && w.is_complete(e));
                let e = found.unwrap_or_else(|| self.arith(depth - 1));
                let is_bits = self.program.bit_field_width(e).is_some();
                let e = if is_bits { self.int_literal() } else { e };
                self.program.sizeof_expr(e)
            }
        }
    }

    fn is_complete(&self, e: ExprId) -> bool {
        self.program.types.size_of(self.program.expr(e).ty).is_some()
    }

    /// `p - q`, `p < q`, `p == 0`
    fn pointer_arith(&mut self, depth: u32) -> ExprId {
        let object = |w: &Self, e: ExprId| {
            let to = w.program.types.pointee(w.program.expr(e).ty);
            to.is_some_and(|to| w.program.types.size_of(to).is_some_and(|size| size > 0))
        };
        let Some(program) = self.lvalue(depth - 1, object) else {
            return self.leaf();
        };
        let ty = self.program.expr(program).ty.unqual();
        if self.chance(40) {
            let zero = self.program.int_const(Ty::INT, 0);
            let op = [BinOp::Eq, BinOp::Ne][self.below(2) as usize];
            return if self.chance(50) {
                self.program.binary(op, program, zero)
            } else {
                self.program.binary(op, zero, program)
            };
        }
        let q = self.exact_pointer(ty, depth - 1);
        use BinOp::*;
        let op = [Sub, Lt, Gt, Le, Ge, Eq, Ne][self.below(7) as usize];
        self.program.binary(op, program, q)
    }

    /// A call of a function or through a pointer whose result `wanted` takes; a constant if none
    /// is found.
    fn call_of(&mut self, depth: u32, wanted: impl Fn(&Self, Ty) -> bool) -> ExprId {
        if self.chance(70) {
            for _ in 0..4 {
                let Some(&func) = self.choices.pick(&self.funcs) else { break };
                let Some(ty) = self.program.types.as_function(self.program.func(func).ty).cloned()
                else {
                    break;
                };
                if !wanted(self, self.program.types.resolved(ty.ret)) {
                    continue;
                }
                let designator = self.program.func_ref(func);
                let callee = match self.below(6) {
                    0 => self.program.addr_of(designator),
                    1 => self.program.deref(designator),
                    _ => designator,
                };
                if self.program.func(func).old_style {
                    return self.old_style_call(callee, func, depth);
                }
                return self.call(callee, &ty, depth);
            }
        }
        let pointer = self.lvalue(depth - 1, |w, e| {
            let to = w.program.types.pointee(w.program.expr(e).ty);
            let func = to.and_then(|to| w.program.types.as_function(to));
            func.is_some_and(|f| wanted(w, w.program.types.resolved(f.ret)))
        });
        let Some(pointer) = pointer else {
            return self.int_literal();
        };
        let to = self.program.types.pointee(self.program.expr(pointer).ty).unwrap_or(Ty::VOID);
        let Some(ty) = self.program.types.as_function(to).cloned() else {
            return self.int_literal();
        };
        let callee = if self.chance(40) { self.program.deref(pointer) } else { pointer };
        self.call(callee, &ty, depth)
    }

    fn call(&mut self, callee: ExprId, ty: &FuncType, depth: u32) -> ExprId {
        let mut args = Vec::new();
        for &param in &ty.params {
            let arg = self.value(param, depth - 1);
            args.push(arg);
        }
        if ty.variadic || !ty.proto {
            for _ in 0..self.below(3) {
                let arg = self.scalar(depth - 1);
                args.push(arg);
            }
        }
        self.program.call(callee, &args)
    }

    /// A call without a prototype of a function whose parameters compilers nevertheless know.
    fn old_style_call(&mut self, callee: ExprId, func: FuncId, depth: u32) -> ExprId {
        let mut args = Vec::new();
        for param in self.program.func(func).params.clone() {
            let ty = self.program.types.canon(self.program.var(param).ty).unqual();
            let arg = if self.program.types.is_pointer(ty) {
                self.exact_pointer(ty, depth - 1)
            } else {
                self.value(ty, depth - 1)
            };
            args.push(arg);
        }
        self.program.call(callee, &args)
    }

    /// An expression of type `void`.
    pub(super) fn void_expr(&mut self, depth: u32) -> ExprId {
        let call = self.call_of(depth.max(1), |w, ty| w.program.types.is_void(ty));
        if self.program.types.is_void(self.program.expr(call).ty) && self.chance(60) {
            return call;
        }
        let dropped = self.program.cast(Ty::VOID, call);
        if depth == 0 || self.chance(70) {
            return dropped;
        }
        let (c, other) = (self.scalar(depth - 1), self.void_expr(depth - 1));
        self.program.cond(c, Some(dropped), other)
    }

    /// `(T){…}`
    pub(super) fn literal_object(&mut self, ty: Ty, depth: u32) -> ExprId {
        let init = self.braced_init(ty, depth.saturating_sub(1));
        self.program.compound_lit(ty, init)
    }

    /// A value for an object of type `ty`, to be converted by the caller.
    pub(super) fn value(&mut self, ty: Ty, depth: u32) -> ExprId {
        let canon = self.program.types.canon(ty).unqual();
        match *self.program.types.kind(canon) {
            TypeKind::Pointer(_) => self.pointer(canon, depth),
            TypeKind::Record(_) | TypeKind::Vector(..) => self.aggregate(ty, canon, depth),
            _ => self.arith(depth),
        }
    }

    /// A value of record or vector type.
    fn aggregate(&mut self, ty: Ty, canon: Ty, depth: u32) -> ExprId {
        let found = self.lvalue(depth.min(1), |w, e| {
            w.program.expr(e).ty.unqual() == canon && !w.is_anonymous(e)
        });
        let Some(lvalue) = found else {
            return self.literal_object(ty.unqual(), depth);
        };
        if depth == 0 || !self.spend() {
            return lvalue;
        }
        match self.below(6) {
            0 if self.is_modifiable(lvalue) => {
                let value = self.aggregate(ty, canon, depth - 1);
                self.program.assign(lvalue, value)
            }
            1 => {
                let c = self.scalar(depth - 1);
                let other = self.aggregate(ty, canon, depth - 1);
                self.program.cond(c, Some(lvalue), other)
            }
            2 => {
                let a = self.arith(depth - 1);
                self.program.binary(BinOp::Comma, a, lvalue)
            }
            _ => lvalue,
        }
    }

    /// A pointer of exactly the given type, qualifiers on the outside aside.
    fn exact_pointer(&mut self, canon: Ty, depth: u32) -> ExprId {
        let e = self.pointer(canon, depth);
        let e = self.program.decay(e);
        if self.program.expr(e).ty.unqual() == canon { e } else { self.program.cast(canon, e) }
    }

    /// A pointer that converts to `canon` without a cast, or a null pointer constant.
    fn pointer(&mut self, canon: Ty, depth: u32) -> ExprId {
        let to = self.program.types.pointee(canon).unwrap_or(Ty::VOID);
        let leaf = depth == 0 || !self.spend();
        match self.below(if leaf { 6 } else { 10 }) {
            0 => self.program.int_const(Ty::INT, 0),
            1 => {
                let zero = self.program.int_const(Ty::INT, 0);
                let void = self.program.types.pointer(Ty::VOID);
                self.program.cast(void, zero)
            }
            2..=3 => {
                let found =
                    self.lvalue(depth.min(1), |w, e| w.program.expr(e).ty.unqual() == canon);
                found.unwrap_or_else(|| self.address(canon, to, depth))
            }
            4..=5 => self.address(canon, to, depth),
            6 => {
                let c = self.scalar(depth - 1);
                let (a, b) =
                    (self.exact_pointer(canon, depth - 1), self.pointer_or_null(canon, depth - 1));
                self.program.cond(c, Some(a), b)
            }
            7 if self.program.types.size_of(to).is_some() => {
                let base = self.exact_pointer(canon, depth - 1);
                let offset = self.integer(depth - 1);
                let op = if self.chance(50) { BinOp::Add } else { BinOp::Sub };
                self.program.binary(op, base, offset)
            }
            8 => {
                let from = self.scalar(depth - 1);
                let whole = self.program.types.float_kind(self.program.expr(from).ty).is_none();
                let from = if whole { from } else { self.program.cast(Ty::LONG, from) };
                self.program.cast(canon, from)
            }
            _ => self.pointer_update(canon, to, depth),
        }
    }

    fn pointer_or_null(&mut self, canon: Ty, depth: u32) -> ExprId {
        if self.chance(30) {
            return self.program.int_const(Ty::INT, 0);
        }
        self.exact_pointer(canon, depth)
    }

    /// `p = q`, `p += n`, `p++`
    fn pointer_update(&mut self, canon: Ty, to: Ty, depth: u32) -> ExprId {
        let found = self.lvalue(depth.min(1), |w, e| {
            w.program.expr(e).ty.unqual() == canon && w.is_modifiable(e)
        });
        let Some(lvalue) = found else {
            return self.program.int_const(Ty::INT, 0);
        };
        let sized = self.program.types.size_of(to).is_some();
        match self.below(3) {
            0 if sized => self.program.unary(UnOp::PostInc, lvalue),
            1 if sized => {
                let offset = self.integer(depth - 1);
                self.program.assign_op(BinOp::Sub, lvalue, offset)
            }
            _ => {
                let value = self.pointer(canon, depth - 1);
                self.program.assign(lvalue, value)
            }
        }
    }

    /// The address of something of type `to`.
    fn address(&mut self, canon: Ty, to: Ty, depth: u32) -> ExprId {
        let is_char = self.program.types.canon(to) == Ty::CHAR;
        match self.program.types.kind(to).clone() {
            TypeKind::Function(_) | TypeKind::Void => return self.program.int_const(Ty::INT, 0),
            _ if is_char && self.chance(50) => return self.string(),
            _ => {}
        }
        let array = self.lvalue(depth.min(1), |w, e| {
            let elem = w.program.types.as_array(w.program.expr(e).ty);
            elem.is_some_and(|(elem, _)| elem == to) && w.is_addressable(e)
        });
        if let Some(array) = array {
            return array;
        }
        let object =
            self.lvalue(depth.min(1), |w, e| w.program.expr(e).ty == to && w.is_addressable(e));
        match object {
            Some(object) => self.program.addr_of(object),
            None if depth > 0 && self.program.types.size_of(to).is_some() => {
                let object = self.literal_object(to, depth);
                self.program.addr_of(object)
            }
            None => {
                let zero = self.program.int_const(Ty::INT, 0);
                self.program.cast(canon, zero)
            }
        }
    }
}
