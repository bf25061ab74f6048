//! Expressions to values.

use super::effects::Effects;
use super::lvalue::{LValue, ValueLocation};
use super::{Lower, Lowered, VarLocation};
use crate::code::*;
use crate::kind::ScalarKind;
use ctree::{BinOp, ExprId, ExprKind, StmtId, StmtKind, Ty, TypeKind, UnOp};

impl Lower<'_> {
    /// Evaluates two operands whose order is unspecified. Where they might conflict, the one without
    /// calls goes first and its accesses are logged while the other runs.
    pub(super) fn unsequenced_pair<A, B>(
        &mut self,
        (ea, eb): (Effects, Effects),
        fa: impl FnOnce(&mut Self) -> Lowered<A>,
        fb: impl FnOnce(&mut Self) -> Lowered<B>,
    ) -> Lowered<(A, B)> {
        if !ea.conflicts(eb) {
            let a = fa(self)?;
            return Ok((a, fb(self)?));
        }
        self.region_begin();
        self.emit(Op::LogOn);
        let result = if ea.heavy && !eb.heavy {
            let b = fb(self)?;
            self.emit(Op::LogOff);
            (fa(self)?, b)
        } else {
            let a = fa(self)?;
            self.emit(Op::LogOff);
            (a, fb(self)?)
        };
        self.region_end();
        Ok(result)
    }

    pub(super) fn region_begin(&mut self) {
        self.func.regions += 1;
        self.emit(Op::RegionBegin { initialiser: false });
    }

    pub(super) fn region_end(&mut self) {
        self.func.regions -= 1;
        self.emit(Op::RegionEnd);
    }

    pub(super) fn mov(&mut self, d: Reg, a: Reg, kind: ScalarKind) {
        if d != a {
            self.emit(if kind.is_wide() { Op::MovWide { d, a } } else { Op::Mov { d, a } });
        }
    }

    pub(super) fn constant(&mut self, d: Reg, value: u64) {
        match i32::try_from(value as i64) {
            Ok(v) => self.emit(Op::Imm { d, v }),
            Err(_) => {
                self.code.consts.push(value);
                let i = self.code.consts.len() as u32 - 1;
                self.emit(Op::Const { d, i })
            }
        };
    }

    /// Evaluates a scalar expression. The register returned may be a variable's own; with `want`
    /// it is that one, written by the last operation only.
    pub(super) fn value(&mut self, e: ExprId, want: Option<Reg>) -> Lowered<Reg> {
        let reg = self.at_expr(e, |s| s.value_inner(e, want))?;
        if (self.hooks.values || self.hooks.tapes.contains(&e))
            && let Ok(kind) = self.kind_of(self.program.expr(e).ty)
            && kind.is_int()
            && !kind.is_wide()
        {
            self.emit(Op::Note { r: reg, e: e.0 });
        }
        Ok(reg)
    }

    fn value_inner(&mut self, e: ExprId, want: Option<Reg>) -> Lowered<Reg> {
        let program = self.program;
        let expr = program.expr(e);
        if program.is_lvalue(e) {
            return self.read_lvalue(e, want);
        }
        // Side effects inside are pending for an enclosing assignment only where no sequence
        // point or call lies between.
        let pend = self.func.pend;
        let result = match &expr.kind {
            ExprKind::Int(v) => {
                let kind = self.kind_of(expr.ty)?;
                let d = want.unwrap_or_else(|| self.temp_for(kind));
                self.constant(d, kind.wrap(*v));
                Ok(d)
            }
            ExprKind::EnumConst(id, i) => {
                let value = program.types.enums[id.index()].members[*i as usize].value;
                let kind = self.kind_of(expr.ty)?;
                let d = want.unwrap_or_else(|| self.temp());
                self.constant(d, kind.wrap(value as u64));
                Ok(d)
            }
            ExprKind::Float(bits) => {
                let d = want.unwrap_or_else(|| self.temp());
                let value = f64::from_bits(*bits);
                let bits =
                    if expr.ty == Ty::FLOAT { u64::from((value as f32).to_bits()) } else { *bits };
                self.constant(d, bits);
                Ok(d)
            }
            ExprKind::LongFloat { mantissa, exponent } => {
                let d = want.unwrap_or_else(|| self.temp_pair());
                self.constant(d, *mantissa);
                self.constant(d + 1, u64::from(*exponent));
                Ok(d)
            }
            ExprKind::SizeofExpr(inner) => self.size_constant(program.expr(*inner).ty, want),
            ExprKind::SizeofType(ty) => self.size_constant(*ty, want),
            ExprKind::AlignofType(ty) => {
                if self.is_aligned_by_vector(*ty) {
                    return Err(
                        "`_Alignof` of a vector of more than 16 bytes, on which compilers disagree"
                            .into(),
                    );
                }
                let d = want.unwrap_or_else(|| self.temp());
                self.constant(d, u64::from(program.types.align_of(*ty)));
                Ok(d)
            }
            ExprKind::Unary(op, a) => self.unary(e, *op, *a, want),
            ExprKind::Binary(op, a, b) => self.binary(e, *op, *a, *b, want),
            ExprKind::Assign(a, b) => self.assign(*a, *b, want),
            ExprKind::AssignOp { op, lhs, rhs, comp } => {
                self.assign_op(*op, *lhs, *rhs, *comp, want)
            }
            ExprKind::Cond(c, a, b) => self.conditional(e, *c, *a, *b, want),
            ExprKind::Cast(_, a) => self.conversion(e, *a, true, want),
            ExprKind::Implicit(a) => self.conversion(e, *a, false, want),
            ExprKind::Call(f, args) => {
                self.func.pend = false;
                self.call(e, *f, args, want, true)
            }
            ExprKind::Func(_) => Err("function designator as a value".into()),
            ExprKind::Member(..) => {
                // A member of an rvalue record.
                let lv = self.lvalue(e, false)?;
                self.load(&lv, want)
            }
            ExprKind::StmtExpr(s) => {
                self.func.pend = false;
                self.stmt_expr(e, *s, want)
            }
            ExprKind::VaArg(ap, ty) => {
                let kind = self.kind_of(*ty)?;
                let d = want.unwrap_or_else(|| self.temp_for(kind));
                self.va_arg(d, *ap, *ty)?;
                Ok(d)
            }
            kind => Err(format!("{} as a scalar value", kind.description())),
        };
        self.func.pend = pend;
        result
    }

    pub(super) fn va_arg(&mut self, d: Reg, ap: ExprId, ty: Ty) -> Lowered<()> {
        let mark = self.func.next;
        let lv = self.lvalue(ap, true)?;
        let p = self.address(&lv, None)?;
        self.code.types.push(ty);
        let ty = self.code.types.len() as u32 - 1;
        self.emit(Op::VaArg { d, p, ty });
        self.func.next = mark;
        Ok(())
    }

    fn read_lvalue(&mut self, e: ExprId, want: Option<Reg>) -> Lowered<Reg> {
        let ty = self.program.expr(e).ty;
        let kind = self.kind_of(ty)?;
        if let ExprKind::Var(v) = self.program.expr(e).kind
            && let Some(VarLocation::Register { .. }) = self.var_locations[v.index()]
        {
            let lv = self.lvalue(e, false)?;
            return self.load(&lv, want);
        }
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.func.next;
        let lv = self.lvalue(e, false)?;
        self.load(&lv, Some(d))?;
        self.func.next = mark;
        Ok(d)
    }

    fn size_constant(&mut self, ty: Ty, want: Option<Reg>) -> Lowered<Reg> {
        // sizeof(void) and of functions is 1 as a GNU extension.
        let size = match self.program.types.size_of(ty) {
            Some(size) => size,
            None if matches!(
                self.program.types.shape(ty),
                TypeKind::Void | TypeKind::Function(_)
            ) =>
            {
                1
            }
            None => return Err("`sizeof` of an incomplete type".into()),
        };
        let d = want.unwrap_or_else(|| self.temp());
        self.constant(d, size);
        Ok(d)
    }

    /// Evaluates an expression for its effects.
    pub(super) fn discard(&mut self, e: ExprId) -> Lowered<()> {
        let mark = self.func.next;
        self.at_expr(e, |s| s.discard_inner(e))?;
        self.func.next = mark;
        Ok(())
    }

    fn discard_inner(&mut self, e: ExprId) -> Lowered<()> {
        let program = self.program;
        match &program.expr(e).kind {
            ExprKind::Call(f, args) => self.call(e, *f, args, None, false).map(drop),
            ExprKind::Cast(ty, a) if program.types.is_void(*ty) => self.discard(*a),
            ExprKind::Implicit(a) if program.types.is_void(program.expr(e).ty) => self.discard(*a),
            ExprKind::Binary(BinOp::Comma, a, b) => {
                self.discard(*a)?;
                self.discard(*b)
            }
            ExprKind::Cond(c, a, b) => {
                let Some(a) = a else { return self.value(e, None).map(drop) };
                let skip = self.branch_false(*c)?;
                self.branch_hook(e, true);
                self.discard(*a)?;
                let end = self.emit(Op::Jump { to: 0 });
                self.patch(skip, self.here());
                self.branch_hook(e, false);
                self.discard(*b)?;
                self.patch(end, self.here());
                Ok(())
            }
            ExprKind::StmtExpr(s) => {
                self.stmt(*s);
                Ok(())
            }
            // A vector's value is computed even if it is not used: its lanes may overflow.
            _ if self.is_vector(program.expr(e).ty)
                && (!program.is_lvalue(e) || program.expr(e).ty.is_volatile()) =>
            {
                let lanes = self.lanes(program.expr(e).ty)?;
                self.vector(e, lanes)
            }
            ExprKind::Unary(UnOp::PostInc, a) => self.step(*a, 1, false, None).map(drop),
            ExprKind::Unary(UnOp::PostDec, a) => self.step(*a, -1, false, None).map(drop),
            ExprKind::Assign(a, b) if self.is_char_copy(*a, *b) => self.char_copy(*a, *b),
            // The value of an lvalue is not used, so it is not read (6.3.2.2), unless volatile. But it
            // is still evaluated: an index must be that of an element (6.5.6p8).
            _ if program.is_lvalue(e) && !program.expr(e).ty.is_volatile() => {
                self.lvalue(e, false).map(drop)
            }
            _ if program.types.is_scalar(program.expr(e).ty) => self.value(e, None).map(drop),
            ExprKind::Func(_) => Ok(()),
            _ if program.types.is_void(program.expr(e).ty) => match program.expr(e).kind {
                ExprKind::Unary(UnOp::Deref, a) => self.discard(a),
                ref kind => Err(format!("{} as a void expression", kind.description())),
            },
            _ if scan_is_array(program, e) => self.lvalue(e, true).map(drop),
            _ => self.aggregate(e).map(drop),
        }
    }

    fn conditional(
        &mut self,
        e: ExprId,
        c: ExprId,
        a: Option<ExprId>,
        b: ExprId,
        want: Option<Reg>,
    ) -> Lowered<Reg> {
        let kind = self.kind_of(self.program.expr(e).ty)?;
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.func.next;
        let skip = match a {
            Some(a) => {
                let skip = self.branch_false(c)?;
                self.branch_hook(e, true);
                self.value(a, Some(d))?;
                skip
            }
            None => {
                let saved = std::mem::replace(&mut self.func.pend, false);
                let ckind = self.kind_of(self.program.expr(c).ty)?;
                let r = self.value(c, None)?;
                self.func.pend = saved;
                let t = self.temp();
                self.emit(Op::Truth { d: t, a: r, kind: ckind });
                let skip = self.emit(Op::JumpZero { r: t, to: 0 });
                self.convert_value(r, ckind, kind, Some(d));
                skip
            }
        };
        let end = self.emit(Op::Jump { to: 0 });
        self.patch(skip, self.here());
        self.branch_hook(e, false);
        self.func.next = mark;
        self.value(b, Some(d))?;
        self.patch(end, self.here());
        self.func.next = mark;
        Ok(d)
    }

    pub(super) fn branch_hook(&mut self, e: ExprId, taken: bool) {
        if self.hooks.branches {
            self.emit(Op::Branch { point: e.0, taken });
        }
    }

    /// Emits a jump that is taken when a condition is false; returns it for patching.
    pub(super) fn branch_false(&mut self, c: ExprId) -> Lowered<usize> {
        let saved = std::mem::replace(&mut self.func.pend, false);
        let mark = self.func.next;
        let r = self.truth(c, None)?;
        self.func.next = mark;
        self.func.pend = saved;
        Ok(self.jump_if_zero(r, mark))
    }

    /// A scalar as a register that is zero exactly when the value compares equal to zero.
    pub(super) fn truth(&mut self, e: ExprId, want: Option<Reg>) -> Lowered<Reg> {
        let kind = self.kind_of(self.program.expr(e).ty)?;
        self.only_sign(e);
        let r = self.value(e, None)?;
        if kind.is_int() && !kind.is_wide() || kind.is_pointer() {
            return Ok(match want {
                Some(d) => {
                    self.emit(Op::Truth { d, a: r, kind });
                    d
                }
                None => r,
            });
        }
        let d = want.unwrap_or_else(|| self.temp());
        self.emit(Op::Truth { d, a: r, kind });
        Ok(d)
    }

    /// Records that only the sign of a call's value is used.
    pub(super) fn only_sign(&mut self, e: ExprId) {
        let mut e = e;
        while let ExprKind::Implicit(inner) = self.program.expr(e).kind {
            e = inner;
        }
        if let ExprKind::Call(..) = self.program.expr(e).kind {
            self.sign_only.insert(e);
        }
    }

    fn stmt_expr(&mut self, e: ExprId, s: StmtId, want: Option<Reg>) -> Lowered<Reg> {
        let kind = self.kind_of(self.program.expr(e).ty)?;
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        // The value may name a variable of the block: copied before the block is left.
        self.block_value(s, |low, value| low.value(value, Some(d)).map(drop))?;
        Ok(d)
    }

    /// Runs the block of a statement expression; `last` gets the expression that is its value.
    pub(super) fn block_value(
        &mut self,
        s: StmtId,
        last: impl FnOnce(&mut Self, ExprId) -> Lowered<()>,
    ) -> Lowered<()> {
        let StmtKind::Block(list) = &self.program.stmt(s).kind else {
            return Err("statement expression without a block".into());
        };
        let Some((&end, before)) = list.split_last() else {
            return Err("value of an empty statement expression".into());
        };
        let StmtKind::Expr(value) = self.program.stmt(end).kind else {
            return Err(
                "value of a statement expression whose last statement is not an expression".into(),
            );
        };
        self.scoped(|low| {
            low.declare(list);
            for &s in before {
                low.stmt(s);
            }
            low.cover(end);
            last(low, value)
        })
    }

    /// A record-valued expression: the object that holds it.
    pub(super) fn aggregate(&mut self, e: ExprId) -> Lowered<LValue> {
        self.at_expr(e, |s| s.aggregate_inner(e))
    }

    fn aggregate_inner(&mut self, e: ExprId) -> Lowered<LValue> {
        let program = self.program;
        let ty = program.expr(e).ty;
        if self.is_vector(ty) {
            return self.vector_object(e);
        }
        if program.is_lvalue(e) {
            return self.lvalue(e, false);
        }
        match &program.expr(e).kind {
            ExprKind::VaArg(ap, written) => {
                let d = self.temp();
                self.va_arg(d, *ap, *written)?;
                Ok(LValue::new(ValueLocation::Pointer { p: d, at: 0 }, ty, 1))
            }
            ExprKind::Call(f, args) => {
                let lv = self.temporary(ty);
                if let ValueLocation::Frame { local, .. } = lv.location {
                    self.func.temps.push(local);
                }
                self.call_record(e, *f, args, lv)?;
                Ok(LValue { init: false, ..lv })
            }
            ExprKind::Assign(a, b) => {
                let (ea, eb) = (self.lvalue_effects(*a), self.effects(*b));
                let (to, from) =
                    self.unsequenced_pair((ea, eb), |s| s.lvalue(*a, false), |s| s.aggregate(*b))?;
                self.copy(&to, &from)?;
                Ok(to)
            }
            ExprKind::Binary(BinOp::Comma, a, b) => {
                self.discard(*a)?;
                self.aggregate(*b)
            }
            ExprKind::Implicit(a) | ExprKind::Cast(_, a) => self.aggregate(*a),
            ExprKind::Member(..) => self.lvalue(e, false),
            ExprKind::Cond(c, Some(a), b) => {
                let d = self.temp();
                let skip = self.branch_false(*c)?;
                let lv = self.aggregate(*a)?;
                self.address(&lv, Some(d))?;
                let end = self.emit(Op::Jump { to: 0 });
                self.patch(skip, self.here());
                let lv = self.aggregate(*b)?;
                self.address(&lv, Some(d))?;
                self.patch(end, self.here());
                Ok(LValue::new(ValueLocation::Pointer { p: d, at: 0 }, ty, 1))
            }
            ExprKind::StmtExpr(s) => {
                let to = self.temporary(ty);
                self.block_value(*s, |low, value| {
                    let from = low.aggregate(value)?;
                    low.copy(&to, &from)
                })?;
                Ok(LValue { init: false, ..to })
            }
            kind => Err(format!("{} of type `{}`", kind.description(), self.type_name(ty))),
        }
    }

    /// Copies a record.
    pub(super) fn copy(&mut self, to: &LValue, from: &LValue) -> Lowered<()> {
        let mark = self.func.next;
        let d = self.address(to, None)?;
        let s = self.address(from, None)?;
        self.copy_op(d, s, *to, *from);
        self.func.next = mark;
        Ok(())
    }

    pub(super) fn copy_op(&mut self, d: Reg, s: Reg, to: LValue, from: LValue) {
        let size = self.program.types.size_of(to.ty).unwrap_or(0) as u32;
        let spec = CopySpec {
            ty: self.program.types.resolved(to.ty).unqual(),
            size,
            align: (to.align, from.align),
            volatile: (to.ty.is_volatile(), from.ty.is_volatile()),
            init: to.init,
        };
        self.code.copies.push(spec);
        let copy = self.code.copies.len() as u32 - 1;
        self.emit(Op::Copy { d, s, copy });
    }
}

fn scan_is_array(program: &ctree::Program, e: ExprId) -> bool {
    super::scan::is_array(program, e)
}
