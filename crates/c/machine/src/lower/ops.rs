//! Operators and conversions.

use super::lvalue::LValue;
use super::{Lower, Lowered};
use crate::code::*;
use crate::kind::ScalarKind;
use ctree::{BinOp, ExprId, ExprKind, Ty, TypeKind, UnOp};

impl Lower<'_> {
    pub(super) fn unary(
        &mut self,
        e: ExprId,
        op: UnOp,
        a: ExprId,
        want: Option<Reg>,
    ) -> Lowered<Reg> {
        let ty = self.program.expr(e).ty;
        match op {
            UnOp::PreInc => self.step(a, 1, false, want),
            UnOp::PreDec => self.step(a, -1, false, want),
            UnOp::PostInc => self.step(a, 1, true, want),
            UnOp::PostDec => self.step(a, -1, true, want),
            UnOp::AddrOf => self.address_of(a, want),
            UnOp::Deref => Err("dereferenced function designator as a value".into()),
            UnOp::LogNot => {
                let d = want.unwrap_or_else(|| self.temp());
                let mark = self.func.next;
                let r = self.truth(a, None)?;
                self.emit(Op::LogNot { d, a: r });
                self.func.next = mark;
                Ok(d)
            }
            UnOp::Plus => self.value(a, want),
            UnOp::Neg | UnOp::BitNot => {
                let kind = self.kind_of(ty)?;
                let d = want.unwrap_or_else(|| self.temp_for(kind));
                let mark = self.func.next;
                let r = self.value(a, None)?;
                self.unary_op(op, d, r, kind);
                self.func.next = mark;
                Ok(d)
            }
        }
    }

    /// `-a` or `~a` of a kind at least as wide as `int`; `~` of any.
    pub(super) fn unary_op(&mut self, op: UnOp, d: Reg, a: Reg, kind: ScalarKind) {
        let signed = kind.is_signed();
        self.emit(match op {
            UnOp::Neg if kind.is_float() => Op::Float { d, a, b: a, op: FloatOp::Neg, kind },
            UnOp::Neg if kind.is_wide() => Op::Wide { d, a, b: a, op: WideOp::Neg, signed },
            _ if kind.is_wide() => Op::Wide { d, a, b: a, op: WideOp::Not, signed },
            UnOp::Neg => Op::Neg { d, a, kind },
            _ => Op::Not { d, a, kind },
        });
    }

    fn address_of(&mut self, a: ExprId, want: Option<Reg>) -> Lowered<Reg> {
        let program = self.program;
        match program.expr(a).kind {
            ExprKind::Func(_) => return self.function_value(a, want),
            // &*p is p (6.5.3.2p3).
            ExprKind::Unary(UnOp::Deref, inner)
                if !matches!(program.expr(inner).kind, ExprKind::Implicit(_)) =>
            {
                return self.value(inner, want);
            }
            _ => {}
        }
        let d = want.unwrap_or_else(|| self.temp());
        let mark = self.func.next;
        let lv = self.lvalue(a, true)?;
        self.address(&lv, Some(d))?;
        self.func.next = mark;
        Ok(d)
    }

    /// The pointer to a function.
    pub(super) fn function_value(&mut self, e: ExprId, want: Option<Reg>) -> Lowered<Reg> {
        let ExprKind::Func(id) = self.program.expr(e).kind else {
            // `*fp` designates the function fp points to.
            if let ExprKind::Unary(UnOp::Deref, inner) = self.program.expr(e).kind {
                return self.value(inner, want);
            }
            return Err(format!(
                "{} as a function designator",
                self.program.expr(e).kind.description()
            ));
        };
        let Some(&number) = self.func_numbers.get(&id) else {
            return self.library_pointer(id, want);
        };
        let d = want.unwrap_or_else(|| self.temp());
        let pointer = self.func_pointer(number);
        self.constant(d, pointer);
        Ok(d)
    }

    fn library_pointer(&mut self, id: ctree::FuncId, want: Option<Reg>) -> Lowered<Reg> {
        let name = self.program.name(self.program.func(id).name);
        let Some(lib) = crate::library::LibFunc::by_name(name) else {
            return Err(format!("function `{name}`, which has no definition"));
        };
        let global = self.special(lib.name(), crate::memory::Origin::LibFunc(lib));
        let d = want.unwrap_or_else(|| self.temp());
        let pointer = self.static_pointer(global, 0);
        self.constant(d, pointer);
        Ok(d)
    }

    pub(super) fn binary(
        &mut self,
        e: ExprId,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        want: Option<Reg>,
    ) -> Lowered<Reg> {
        match op {
            BinOp::Comma => {
                let saved = std::mem::replace(&mut self.func.pend, false);
                self.discard(a)?;
                self.func.pend = saved;
                return self.value(b, want);
            }
            BinOp::LogAnd | BinOp::LogOr => return self.logical(e, op, a, b, want),
            _ => {}
        }
        if let Some(done) = self.array_plus(op, a, b, want)? {
            return Ok(done);
        }
        if let Some(done) = self.plus_constant(op, a, b, want)? {
            return Ok(done);
        }
        let is_zero = |s: &Self, e: ExprId| matches!(s.program.expr(e).kind, ExprKind::Int(0));
        if is_zero(self, b) {
            self.only_sign(a);
        } else if is_zero(self, a) {
            self.only_sign(b);
        }
        let ty = self.program.expr(e).ty;
        let kind = self.kind_of(ty)?;
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.func.next;
        let (ea, eb) = (self.effects(a), self.effects(b));
        let (ra, rb) =
            self.unsequenced_pair((ea, eb), |s| s.value(a, None), |s| s.value(b, None))?;
        let (ta, tb) = (self.program.expr(a).ty, self.program.expr(b).ty);
        self.arithmetic(op, (d, ra, rb), ty, (ta, tb))?;
        self.func.next = mark;
        Ok(d)
    }

    /// `array + i` is `&array[i]`: the array's own bounds count, even where the pointer's type would
    /// let it go through the whole object.
    fn array_plus(
        &mut self,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        want: Option<Reg>,
    ) -> Lowered<Option<Reg>> {
        if op != BinOp::Add {
            return Ok(None);
        }
        let decayed = |s: &Self, e: ExprId| match s.program.expr(e).kind {
            ExprKind::Implicit(array) if s.program.is_lvalue(array) => {
                match s.program.types.as_array(s.program.expr(array).ty) {
                    Some((elem, ctree::ArrayLen::Known(_))) => Some((array, elem)),
                    _ => None,
                }
            }
            _ => None,
        };
        let (base, (array, elem), index) = match (decayed(self, a), decayed(self, b)) {
            (Some(found), _) => (a, found, b),
            (_, Some(found)) => (b, found, a),
            _ => return Ok(None),
        };
        let _ = array;
        let d = want.unwrap_or_else(|| self.temp());
        let mark = self.func.next;
        let lv = self.element(base, Some(index), elem, true)?;
        self.address(&lv, Some(d))?;
        self.func.next = mark;
        Ok(Some(d))
    }

    fn logical(
        &mut self,
        e: ExprId,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        want: Option<Reg>,
    ) -> Lowered<Reg> {
        let d = want.unwrap_or_else(|| self.temp());
        let mark = self.func.next;
        let saved = std::mem::replace(&mut self.func.pend, false);
        let r = self.truth(a, None)?;
        self.func.pend = saved;
        let skip = match op {
            BinOp::LogAnd => self.emit(Op::JumpZero { r, to: 0 }),
            _ => self.emit(Op::JumpNot { r, to: 0 }),
        };
        self.branch_hook(e, true);
        self.func.next = mark;
        self.truth(b, Some(d))?;
        let end = self.emit(Op::Jump { to: 0 });
        self.patch(skip, self.here());
        self.branch_hook(e, false);
        self.emit(Op::Imm { d, v: i32::from(op == BinOp::LogOr) });
        self.patch(end, self.here());
        self.func.next = mark;
        Ok(d)
    }

    /// One operation of type `ty` on operands of types `ta` and `tb`.
    pub(super) fn arithmetic(
        &mut self,
        op: BinOp,
        (d, a, b): (Reg, Reg, Reg),
        ty: Ty,
        (ta, tb): (Ty, Ty),
    ) -> Lowered<()> {
        let (ka, kb) = (self.kind_of(ta)?, self.kind_of(tb)?);
        if ka.is_pointer() || kb.is_pointer() {
            return self.pointer_arithmetic(op, (d, a, b), (ta, tb), (ka, kb));
        }
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        if !shift && ka != kb && ka.size() != kb.size() {
            return Err(format!("binary `{}` on operands of different types", op.symbol()));
        }
        if ka.is_float() {
            return self.float_op(op, (d, a, b), ka);
        }
        let _ = ty;
        if ka.is_wide() || kb.is_wide() {
            return self.wide_op(op, (d, a, b), (ka, kb));
        }
        let code = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => add_like(op, ka, (d, a, b))
                .ok_or_else(|| format!("binary `{}` on `{}`", op.symbol(), self.type_name(ta)))?,
            BinOp::Div => Op::Div { d, a, b, kind: ka },
            BinOp::Rem => Op::Rem { d, a, b, kind: ka },
            BinOp::Shl => Op::Shl { d, a, b, kind: ka, count: kb },
            BinOp::Shr => Op::Shr { d, a, b, kind: ka, count: kb },
            BinOp::BitAnd => Op::And { d, a, b },
            BinOp::BitOr => Op::Or { d, a, b },
            BinOp::BitXor => Op::Xor { d, a, b },
            BinOp::Eq => Op::Eq { d, a, b },
            BinOp::Ne => Op::Ne { d, a, b },
            BinOp::Lt if ka == ScalarKind::U64 => Op::LtU { d, a, b },
            BinOp::Le if ka == ScalarKind::U64 => Op::LeU { d, a, b },
            BinOp::Gt if ka == ScalarKind::U64 => Op::LtU { d, a: b, b: a },
            BinOp::Ge if ka == ScalarKind::U64 => Op::LeU { d, a: b, b: a },
            BinOp::Lt => Op::LtS { d, a, b },
            BinOp::Le => Op::LeS { d, a, b },
            BinOp::Gt => Op::LtS { d, a: b, b: a },
            BinOp::Ge => Op::LeS { d, a: b, b: a },
            BinOp::LogAnd | BinOp::LogOr | BinOp::Comma => {
                return Err(format!("binary `{}` as arithmetic", op.symbol()));
            }
        };
        self.emit(code);
        Ok(())
    }

    /// `a + constant` and `a - constant`.
    fn plus_constant(
        &mut self,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        want: Option<Reg>,
    ) -> Lowered<Option<Reg>> {
        let sign = match op {
            BinOp::Add => 1,
            BinOp::Sub => -1,
            _ => return Ok(None),
        };
        let kind = self.kind_of(self.program.expr(a).ty)?;
        let ExprKind::Int(value) = self.program.expr(b).kind else { return Ok(None) };
        let Ok(v) = i32::try_from(value as i64) else { return Ok(None) };
        if !matches!(kind, ScalarKind::I32 | ScalarKind::U32) {
            return Ok(None);
        }
        let d = want.unwrap_or_else(|| self.temp());
        let mark = self.func.next;
        let a = self.value(a, None)?;
        let v = v * sign;
        self.emit(if kind == ScalarKind::I32 {
            Op::AddI32Imm { d, a, v }
        } else {
            Op::AddU32Imm { d, a, v }
        });
        self.func.next = mark;
        Ok(Some(d))
    }

    fn float_op(&mut self, op: BinOp, (d, a, b): (Reg, Reg, Reg), kind: ScalarKind) -> Lowered<()> {
        let (op, a, b) = match op {
            BinOp::Add => (FloatOp::Add, a, b),
            BinOp::Sub => (FloatOp::Sub, a, b),
            BinOp::Mul => (FloatOp::Mul, a, b),
            BinOp::Div => (FloatOp::Div, a, b),
            BinOp::Lt => (FloatOp::Lt, a, b),
            BinOp::Le => (FloatOp::Le, a, b),
            BinOp::Gt => (FloatOp::Lt, b, a),
            BinOp::Ge => (FloatOp::Le, b, a),
            BinOp::Eq => (FloatOp::Eq, a, b),
            BinOp::Ne => (FloatOp::Ne, a, b),
            _ => return Err(format!("binary `{}` on floating operands", op.symbol())),
        };
        self.emit(Op::Float { d, a, b, op, kind });
        Ok(())
    }

    fn wide_op(
        &mut self,
        op: BinOp,
        (d, a, b): (Reg, Reg, Reg),
        (ka, kb): (ScalarKind, ScalarKind),
    ) -> Lowered<()> {
        if !ka.is_wide() {
            let count = self.narrow_count(b, kb);
            let shift = match op {
                BinOp::Shl => Op::Shl { d, a, b: count, kind: ka, count: ScalarKind::I64 },
                _ => Op::Shr { d, a, b: count, kind: ka, count: ScalarKind::I64 },
            };
            self.emit(shift);
            return Ok(());
        }
        let (mut a, mut b) = (a, b);
        if matches!(op, BinOp::Gt | BinOp::Ge) {
            std::mem::swap(&mut a, &mut b);
        }
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            b = self.narrow_count(b, kb);
        }
        let op = match op {
            BinOp::Add => WideOp::Add,
            BinOp::Sub => WideOp::Sub,
            BinOp::Mul => WideOp::Mul,
            BinOp::Div => WideOp::Div,
            BinOp::Rem => WideOp::Rem,
            BinOp::Shl => WideOp::Shl,
            BinOp::Shr => WideOp::Shr,
            BinOp::BitAnd => WideOp::And,
            BinOp::BitOr => WideOp::Or,
            BinOp::BitXor => WideOp::Xor,
            BinOp::Lt | BinOp::Gt => WideOp::Lt,
            BinOp::Le | BinOp::Ge => WideOp::Le,
            BinOp::Eq => WideOp::Eq,
            BinOp::Ne => WideOp::Ne,
            _ => return Err(format!("binary `{}` on 128-bit integers", op.symbol())),
        };
        self.emit(Op::Wide { d, a, b, op, signed: ka.is_signed() });
        Ok(())
    }

    /// A shift count in 64 bits: a 128-bit one of 128 or more becomes -1, which is also out of range.
    fn narrow_count(&mut self, count: Reg, kind: ScalarKind) -> Reg {
        if !kind.is_wide() {
            return self.convert_value(count, kind, ScalarKind::I64, None);
        }
        let (limit, small, one) = (self.temp_pair(), self.temp(), self.temp());
        self.constant(limit, 128);
        self.constant(limit + 1, 0);
        self.emit(Op::Wide { d: small, a: count, b: limit, op: WideOp::Lt, signed: false });
        self.constant(one, 1);
        self.emit(Op::SubU64 { d: small, a: small, b: one });
        self.emit(Op::Or { d: small, a: small, b: count });
        small
    }

    fn pointer_arithmetic(
        &mut self,
        op: BinOp,
        (d, a, b): (Reg, Reg, Reg),
        (ta, tb): (Ty, Ty),
        (ka, kb): (ScalarKind, ScalarKind),
    ) -> Lowered<()> {
        let pointee = self
            .program
            .types
            .pointee(if ka.is_pointer() { ta } else { tb })
            .ok_or("arithmetic on a non-pointer")?;
        let code = match (op, ka, kb) {
            (BinOp::Add, pointer, _) if pointer.is_pointer() => {
                Op::PtrAdd { d, p: a, by: b, kind: kb, elem: self.elem(pointee) }
            }
            (BinOp::Add, _, _) => Op::PtrAdd { d, p: b, by: a, kind: ka, elem: self.elem(pointee) },
            (BinOp::Sub, _, pointer) if pointer.is_pointer() => {
                Op::PtrDiff { d, a, b, elem: self.elem(pointee) }
            }
            (BinOp::Sub, _, _) => {
                Op::PtrSubInt { d, p: a, by: b, kind: kb, elem: self.elem(pointee) }
            }
            (BinOp::Lt, ..) => Op::PtrLess { d, a, b, or_equal: false },
            (BinOp::Le, ..) => Op::PtrLess { d, a, b, or_equal: true },
            (BinOp::Gt, ..) => Op::PtrLess { d, a: b, b: a, or_equal: false },
            (BinOp::Ge, ..) => Op::PtrLess { d, a: b, b: a, or_equal: true },
            (BinOp::Eq, ..) => Op::PtrEq { d, a, b, negate: false },
            (BinOp::Ne, ..) => Op::PtrEq { d, a, b, negate: true },
            _ => return Err(format!("binary `{}` on pointers", op.symbol())),
        };
        if (kb.is_wide() || ka.is_wide()) && matches!(op, BinOp::Add | BinOp::Sub) {
            return Err("pointer arithmetic with a 128-bit integer".into());
        }
        self.emit(code);
        Ok(())
    }

    /// Explicit and implicit conversions of `a` to the type of `e`.
    pub(super) fn conversion(
        &mut self,
        e: ExprId,
        a: ExprId,
        explicit: bool,
        want: Option<Reg>,
    ) -> Lowered<Reg> {
        let program = self.program;
        let (to, from) = (program.expr(e).ty, program.expr(a).ty);
        match program.types.shape(from) {
            TypeKind::Array(..) => {
                let d = want.unwrap_or_else(|| self.temp());
                let mark = self.func.next;
                let lv =
                    if program.is_lvalue(a) { self.lvalue(a, true)? } else { self.aggregate(a)? };
                self.address(&lv, Some(d))?;
                self.func.next = mark;
                return Ok(d);
            }
            TypeKind::Function(_) => return self.function_value(a, want),
            TypeKind::Vector(..) if explicit => {
                // To an integer of the vector's size: its bytes.
                let lv = self.spill(a)?;
                return self.load(&LValue { ty: to, ..lv }, want);
            }
            TypeKind::Void => {
                return Err("value of a void expression".into());
            }
            _ => {}
        }
        let (kf, kt) = (self.kind_of(from)?, self.kind_of(to)?);
        if kt.is_pointer()
            && let Some(pointer) = self.round_trip(a)
        {
            return self.value(pointer, want);
        }
        if kf == kt && !kt.is_pointer() {
            return self.value(a, want);
        }
        let wanted = want;
        if kt.is_pointer() && kf.is_pointer() {
            let r = self.value(a, wanted)?;
            if explicit && let Some(pointee) = program.types.pointee(to) {
                let align = program.types.align_of(pointee);
                if align > program.types.pointee(from).map_or(1, |t| program.types.align_of(t)) {
                    self.emit(Op::CheckAlign { p: r, align });
                }
            }
            return Ok(r);
        }
        // The destination is set aside first so that temporaries above it can be dropped.
        let needs_op = !self.is_free(kf, kt);
        let d = if needs_op { Some(wanted.unwrap_or_else(|| self.temp_for(kt))) } else { wanted };
        let mark = self.func.next;
        let r = self.value(a, if needs_op { None } else { wanted })?;
        let r = self.convert_value(r, kf, kt, d);
        if needs_op {
            self.func.next = mark;
        }
        Ok(r)
    }

    /// The pointer in `(integer)pointer`, if the integer is wide enough to convert back.
    fn round_trip(&self, e: ExprId) -> Option<ExprId> {
        let mut e = e;
        while let ExprKind::Cast(_, inner) | ExprKind::Implicit(inner) = self.program.expr(e).kind {
            let kind = ScalarKind::of(&self.program.types, self.program.expr(e).ty)?;
            let width = self.program.types.model.pointer_size * 8;
            if !kind.is_int() || kind.is_wide() || kind.bits() < width {
                return None;
            }
            e = inner;
            if ScalarKind::of(&self.program.types, self.program.expr(e).ty)?.is_pointer() {
                return Some(e);
            }
        }
        None
    }

    /// A conversion that leaves the register as it is.
    fn is_free(&self, from: ScalarKind, to: ScalarKind) -> bool {
        if from == to {
            return true;
        }
        if !from.is_int()
            || !to.is_int()
            || from.is_wide()
            || to.is_wide()
            || to == ScalarKind::Bool
        {
            return false;
        }
        if from.bits() == 64 && to.bits() == 64 {
            return true;
        }
        // Widening keeps the value, and both are sign-extended to 64 bits in a register.
        from.bits() < to.bits() && (!from.is_signed() || to.is_signed() || to.bits() == 64)
    }

    /// Converts a register between kinds.
    pub(super) fn convert_value(
        &mut self,
        a: Reg,
        from: ScalarKind,
        to: ScalarKind,
        want: Option<Reg>,
    ) -> Reg {
        if self.is_free(from, to) {
            return match want {
                Some(d) => {
                    self.mov(d, a, to);
                    d
                }
                None => a,
            };
        }
        let d = want.unwrap_or_else(|| self.temp_for(to));
        let op = if to == ScalarKind::Bool {
            Op::Truth { d, a, kind: from }
        } else if from.is_pointer() {
            Op::PtrToInt { d, a, kind: to }
        } else if to.is_pointer() {
            Op::IntToPtr { d, a, kind: from }
        } else if from.is_int() && to.is_int() && !from.is_wide() && !to.is_wide() {
            Op::Wrap { d, a, kind: to }
        } else {
            Op::Convert { d, a, from, to }
        };
        self.emit(op);
        d
    }
}

fn add_like(op: BinOp, kind: ScalarKind, (d, a, b): (Reg, Reg, Reg)) -> Option<Op> {
    Some(match (op, kind) {
        (BinOp::Add, ScalarKind::I32) => Op::AddI32 { d, a, b },
        (BinOp::Add, ScalarKind::U32) => Op::AddU32 { d, a, b },
        (BinOp::Add, ScalarKind::I64) => Op::AddI64 { d, a, b },
        (BinOp::Add, ScalarKind::U64) => Op::AddU64 { d, a, b },
        (BinOp::Sub, ScalarKind::I32) => Op::SubI32 { d, a, b },
        (BinOp::Sub, ScalarKind::U32) => Op::SubU32 { d, a, b },
        (BinOp::Sub, ScalarKind::I64) => Op::SubI64 { d, a, b },
        (BinOp::Sub, ScalarKind::U64) => Op::SubU64 { d, a, b },
        (BinOp::Mul, ScalarKind::I32) => Op::MulI32 { d, a, b },
        (BinOp::Mul, ScalarKind::U32) => Op::MulU32 { d, a, b },
        (BinOp::Mul, ScalarKind::I64) => Op::MulI64 { d, a, b },
        (BinOp::Mul, ScalarKind::U64) => Op::MulU64 { d, a, b },
        _ => return None,
    })
}
