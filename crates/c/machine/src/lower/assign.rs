//! Assignment, `++` and `--`: the store, and the accesses it may conflict with.

use super::effects::Effects;
use super::lvalue::{LValue, ValueLocation};
use super::{Lower, Lowered, VarLocation};
use crate::code::*;
use crate::kind::ScalarKind;
use ctree::{BinOp, ExprId, ExprKind, Ty, UnOp};

impl Lower<'_> {
    pub(super) fn assign(&mut self, a: ExprId, b: ExprId, want: Option<Reg>) -> Lowered<Reg> {
        let ty = self.program.expr(a).ty;
        let kind = self.kind_of(ty)?;
        // The plain case: a register variable.
        if let ExprKind::Var(v) = self.program.expr(a).kind
            && let Some(VarLocation::Register { reg, flag }) = self.var_locations[v.index()]
        {
            let mark = self.func.next;
            self.value(b, Some(reg))?;
            self.func.next = mark;
            if let Some(flag) = flag {
                self.emit(Op::Imm { d: flag, v: 1 });
            }
            return Ok(match want {
                Some(d) => {
                    self.mov(d, reg, kind);
                    d
                }
                None => reg,
            });
        }
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.func.next;
        let target = self.write_effects(a);
        let (ea, eb) = (self.lvalue_effects(a), self.effects(b));
        // The store comes after both operands' values, but not after their pending side effects.
        let pending = (ea.writes | eb.writes) & target.writes != 0 && self.has_pending(a, b);
        // Not into `d`: the target may depend on the variable in `d`.
        let value = self.temp_for(kind);
        let (lv, _) = self.pending(pending, |s| {
            s.unsequenced_pair((ea, eb), |s| s.lvalue(a, false), |s| s.value(b, Some(value)))
        })?;
        self.check_overlap(&lv, b)?;
        self.finish_store(pending, lv, |s| s.store(&lv, value))?;
        self.mov(d, value, kind);
        self.func.next = mark;
        Ok(d)
    }

    /// 6.5.16.1p3: a value read from an object that overlaps the target must overlap it exactly.
    /// Only members of unions can do otherwise without being undefined for another reason.
    pub(super) fn check_overlap(&mut self, to: &LValue, value: ExprId) -> Lowered<()> {
        let mut from = value;
        while let ExprKind::Implicit(inner) = self.program.expr(from).kind {
            from = inner;
        }
        if !to.union
            || to.bits.is_some()
            || !self.program.is_lvalue(from)
            || self.effects(from).writes != 0
        {
            return Ok(());
        }
        let types = &self.program.types;
        let (ty, source) =
            (types.resolved(to.ty).unqual(), types.resolved(self.program.expr(from).ty));
        if !types.is_scalar(source) && !self.is_vector(source) {
            return Ok(());
        }
        let size = |ty| types.size_of(ty).and_then(|n| u8::try_from(n).ok());
        let (size_a, size_b) = (size(ty), size(source));
        let lv = self.lvalue(from, false)?;
        if !lv.union || lv.bits.is_some() || source.unqual() == ty {
            return Ok(());
        }
        let (Some(size_a), Some(size_b)) = (size_a, size_b) else {
            return Err("assignment between large members of one union".into());
        };
        let (a, b) = (self.address(to, None)?, self.address(&lv, None)?);
        self.emit(Op::CheckOverlap { a, b, size_a, size_b });
        Ok(())
    }

    /// `*d = *s` on characters in memory, whose value is not used otherwise: the byte is copied with its
    /// state, padding and fragments of pointers included.
    pub(super) fn is_char_copy(&self, a: ExprId, b: ExprId) -> bool {
        let is_char = |e: ExprId| {
            let ty = self.program.expr(e).ty;
            let in_register = matches!(self.program.expr(e).kind, ExprKind::Var(v)
                if matches!(self.var_locations[v.index()], Some(VarLocation::Register { .. })));
            let is_bits =
                matches!(self.program.expr(e).kind, ExprKind::Member(..) | ExprKind::Arrow(..));
            self.program.is_lvalue(e)
                && !in_register
                && !is_bits
                && !ty.is_volatile()
                && self.program.types.int_kind(ty).is_some_and(|k| k.rank() == 1)
        };
        let mut from = b;
        while let ExprKind::Implicit(inner) = self.program.expr(from).kind {
            if self.program.types.int_kind(self.program.expr(from).ty).is_none_or(|k| k.rank() != 1)
            {
                return false;
            }
            from = inner;
        }
        is_char(a) && is_char(from)
    }

    pub(super) fn char_copy(&mut self, a: ExprId, b: ExprId) -> Lowered<()> {
        let mut from = b;
        while let ExprKind::Implicit(inner) = self.program.expr(from).kind {
            from = inner;
        }
        let (ea, eb) = (self.lvalue_effects(a), self.effects(b));
        let target = self.write_effects(a);
        let pending = (ea.writes | eb.writes) & target.writes != 0 && self.has_pending(a, b);
        let (to, from) = self.pending(pending, |s| {
            s.unsequenced_pair((ea, eb), |s| s.lvalue(a, false), |s| s.lvalue(from, false))
        })?;
        let (d, s) = (self.address(&to, None)?, self.address(&from, None)?);
        if pending {
            self.emit(Op::PendCheckPtr { p: d, at: 0, bit: 0, bits: 8 });
            self.emit(Op::PendEnd { keep: false });
        }
        self.emit(Op::CopyChar { d, s });
        Ok(())
    }

    /// Compiles the operands of an assignment with their side effects logged, if needed.
    pub(super) fn pending<T>(
        &mut self,
        needed: bool,
        f: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        if !needed {
            // An enclosing assignment may still need them.
            return f(self);
        }
        self.emit(Op::PendBegin);
        let saved = std::mem::replace(&mut self.func.pend, true);
        let result = f(self);
        self.func.pend = saved;
        result
    }

    /// The store of an assignment, checked against pending side effects, and noted as one itself.
    pub(super) fn finish_store(
        &mut self,
        pending: bool,
        lv: LValue,
        store: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let whole = (0, self.program.types.size_of(lv.ty).unwrap_or(0) as u32 * 8);
        let (bit, bits) = lv.bits.unwrap_or(whole);
        let (bit, bits) = (bit as u8, bits as u16);
        if pending {
            match (self.direct(lv.location), lv.location) {
                (Some((base, x, at)), _) => {
                    self.emit(Op::PendCheck { base, x, at, bit, bits });
                }
                (None, ValueLocation::Pointer { p, at }) => {
                    self.emit(Op::PendCheckPtr { p, at, bit, bits });
                }
                _ => {}
            }
            let keep = self.func.pend;
            self.emit(Op::PendEnd { keep });
        }
        store(self)?;
        if self.func.pend {
            match (self.direct(lv.location), lv.location) {
                (Some((base, x, at)), _) => {
                    self.emit(Op::PendLog { base, x, at, bit, bits });
                }
                (None, ValueLocation::Pointer { p, at }) => {
                    self.emit(Op::PendLogPtr { p, at, bit, bits });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether an operand has side effects that are not sequenced before its value.
    pub(super) fn has_pending(&self, a: ExprId, b: ExprId) -> bool {
        self.may_leave_pending(a) || self.may_leave_pending(b)
    }

    pub(super) fn may_leave_pending(&self, e: ExprId) -> bool {
        match &self.program.expr(e).kind {
            ExprKind::Assign(..) | ExprKind::AssignOp { .. } => true,
            ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, _) => true,
            ExprKind::Unary(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::Implicit(a)
            | ExprKind::Member(a, _)
            | ExprKind::Arrow(a, _) => self.may_leave_pending(*a),
            ExprKind::Binary(BinOp::LogAnd | BinOp::LogOr | BinOp::Comma, _, b) => {
                self.may_leave_pending(*b)
            }
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                self.may_leave_pending(*a) || self.may_leave_pending(*b)
            }
            ExprKind::Cond(_, a, b) => {
                a.is_some_and(|a| self.may_leave_pending(a)) || self.may_leave_pending(*b)
            }
            _ => false,
        }
    }

    /// What writing an lvalue touches, without its operands.
    pub(super) fn write_effects(&mut self, e: ExprId) -> Effects {
        // Reading touches the same place as writing.
        let all = self.effects(e);
        Effects { reads: 0, writes: all.reads, heavy: false }
    }

    /// Effects of finding out which object an lvalue designates.
    pub(super) fn lvalue_effects(&mut self, e: ExprId) -> Effects {
        match self.program.expr(e).kind {
            ExprKind::Var(_) => Effects::default(),
            ExprKind::Index(a, b) => self.effects(a).and(self.effects(b)),
            ExprKind::Unary(UnOp::Deref, a) | ExprKind::Arrow(a, _) => self.effects(a),
            ExprKind::Member(a, _) => self.lvalue_effects(a),
            _ => self.effects(e),
        }
    }

    pub(super) fn assign_op(
        &mut self,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        comp: Ty,
        want: Option<Reg>,
    ) -> Lowered<Reg> {
        let ty = self.program.expr(a).ty;
        let kind = self.kind_of(ty)?;
        let comp_kind = self.kind_of(comp)?;
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.func.next;
        let (ea, eb) = (self.effects(a), self.effects(b));
        let pending = ea.conflicts(eb) && self.has_pending(a, b);
        let ((lv, old), rhs) = self.pending(pending, |s| {
            s.unsequenced_pair(
                (ea, eb),
                |s| {
                    let lv = s.lvalue(a, false)?;
                    let old = s.at_expr(a, |s| s.load(&lv, None))?;
                    // The register variable itself may change while the right side is evaluated.
                    let old = if let ValueLocation::Register { .. } = lv.location {
                        let copy = s.temp_for(kind);
                        s.mov(copy, old, kind);
                        copy
                    } else {
                        old
                    };
                    s.note_taped(a, old);
                    Ok((lv, old))
                },
                |s| s.value(b, None),
            )
        })?;
        let left = self.convert_value(old, kind, comp_kind, None);
        let result = self.temp_for(comp_kind);
        let rhs_ty = self.program.expr(b).ty;
        self.arithmetic(op, (result, left, rhs), comp, (comp, rhs_ty))?;
        let stored = self.temp_for(kind);
        self.convert_value(result, comp_kind, kind, Some(stored));
        self.finish_store(pending, lv, |s| s.store(&lv, stored))?;
        self.mov(d, stored, kind);
        self.func.next = mark;
        Ok(d)
    }

    /// What an operator that also assigns to `a` reads of it is the value of `a` on tape.
    fn note_taped(&mut self, a: ExprId, old: Reg) {
        let kind = self.kind_of(self.program.expr(a).ty);
        if self.hooks.tapes.contains(&a) && kind.is_ok_and(|kind| kind.is_int() && !kind.is_wide())
        {
            self.emit(Op::Note { r: old, e: a.0 });
        }
    }

    /// `++` and `--`.
    pub(super) fn step(
        &mut self,
        a: ExprId,
        by: i32,
        post: bool,
        want: Option<Reg>,
    ) -> Lowered<Reg> {
        let ty = self.program.expr(a).ty;
        let kind = self.kind_of(ty)?;
        if !post
            && want.is_none()
            && let ExprKind::Var(v) = self.program.expr(a).kind
            && let Some(VarLocation::Register { reg, flag }) = self.var_locations[v.index()]
            && kind.is_int()
            && !kind.is_wide()
            && !self.hooks.tapes.contains(&a)
        {
            if let Some(flag) = flag {
                self.emit(Op::CheckSet { flag, reg });
            }
            self.emit(Op::Step { d: reg, a: reg, kind, by });
            return Ok(reg);
        }
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.func.next;
        let ea = self.lvalue_effects(a);
        let target = self.write_effects(a);
        let pending = ea.writes & target.writes != 0 && self.may_leave_pending(a);
        let lv = self.pending(pending, |s| s.lvalue(a, false))?;
        let old = self.temp_for(kind);
        self.load(&lv, Some(old))?;
        self.note_taped(a, old);
        let new = self.temp_for(kind);
        self.stepped(new, old, ty, kind, by)?;
        self.finish_store(pending, lv, |s| s.store(&lv, new))?;
        self.mov(d, if post { old } else { new }, kind);
        self.func.next = mark;
        Ok(d)
    }

    fn stepped(&mut self, d: Reg, a: Reg, ty: Ty, kind: ScalarKind, by: i32) -> Lowered<()> {
        match kind {
            ScalarKind::Ptr | ScalarKind::Ptr32 => {
                let to = self.program.types.pointee(ty).ok_or("`++` or `--` on a non-pointer")?;
                let elem = self.elem(to);
                let one = self.temp();
                self.constant(one, by as i64 as u64);
                self.emit(Op::PtrAdd { d, p: a, by: one, kind: ScalarKind::I64, elem });
            }
            _ if kind.is_float() || kind.is_wide() => {
                let one = self.temp();
                self.constant(one, by as i64 as u64);
                let one = self.convert_value(one, ScalarKind::I64, kind, None);
                let ty = self.program.types.resolved(ty).unqual();
                self.arithmetic(BinOp::Add, (d, a, one), ty, (ty, ty))?;
            }
            _ => {
                self.emit(Op::Step { d, a, kind, by });
            }
        }
        Ok(())
    }
}
