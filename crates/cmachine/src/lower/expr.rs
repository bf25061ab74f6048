//! Expressions to values.

use super::effects::Effects;
use super::place::{Lv, Place};
use super::{Home, L, Lower};
use crate::code::*;
use crate::kind::Kind;
use ctree::{BinOp, ExprId, ExprKind, StmtKind, Ty, TypeKind, UnOp};

impl Lower<'_> {
    /// Evaluates two operands whose order is open. Where they might conflict, the one without
    /// calls goes first and its accesses are logged while the other runs.
    pub(super) fn pair<A, B>(
        &mut self,
        (ea, eb): (Effects, Effects),
        fa: impl FnOnce(&mut Self) -> L<A>,
        fb: impl FnOnce(&mut Self) -> L<B>,
    ) -> L<(A, B)> {
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
        self.f.regions += 1;
        self.emit(Op::RegionBegin { initialiser: false });
    }

    pub(super) fn region_end(&mut self) {
        self.f.regions -= 1;
        self.emit(Op::RegionEnd);
    }

    pub(super) fn mov(&mut self, d: Reg, a: Reg, kind: Kind) {
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
    pub(super) fn value(&mut self, e: ExprId, want: Option<Reg>) -> L<Reg> {
        self.at_expr(e, |s| s.value_inner(e, want))
    }

    fn value_inner(&mut self, e: ExprId, want: Option<Reg>) -> L<Reg> {
        let p = self.p;
        let expr = p.expr(e);
        if p.is_lvalue(e) {
            return self.read_lvalue(e, want);
        }
        // Side effects inside are pending for an enclosing assignment only where no sequence
        // point or call lies between.
        let pend = self.f.pend;
        let result = match &expr.kind {
            ExprKind::Int(v) => {
                let kind = self.kind_of(expr.ty)?;
                let d = want.unwrap_or_else(|| self.temp_for(kind));
                self.constant(d, kind.wrap(*v));
                Ok(d)
            }
            ExprKind::EnumConst(id, i) => {
                let value = p.types.enums[id.index()].members[*i as usize].value;
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
            ExprKind::SizeofExpr(inner) => self.size_constant(p.expr(*inner).ty, want),
            ExprKind::SizeofType(ty) => self.size_constant(*ty, want),
            ExprKind::AlignofType(ty) => {
                let d = want.unwrap_or_else(|| self.temp());
                self.constant(d, u64::from(p.types.align_of(*ty)));
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
                self.f.pend = false;
                self.call(e, *f, args, want, true)
            }
            ExprKind::Func(_) => Err("a function designator as a value".into()),
            ExprKind::Member(..) => {
                // A member of an rvalue record.
                let lv = self.lvalue(e, false)?;
                self.load(&lv, want)
            }
            ExprKind::StmtExpr(s) => {
                self.f.pend = false;
                self.stmt_expr(e, *s, want)
            }
            ExprKind::VaArg(ap, ty) => {
                let kind = self.kind_of(*ty)?;
                let d = want.unwrap_or_else(|| self.temp_for(kind));
                self.va_arg(d, *ap, *ty)?;
                Ok(d)
            }
            _ => Err("this expression".into()),
        };
        self.f.pend = pend;
        result
    }

    fn va_arg(&mut self, d: Reg, ap: ExprId, ty: Ty) -> L<()> {
        let mark = self.f.next;
        let lv = self.lvalue(ap, true)?;
        let p = self.address(&lv, None)?;
        self.code.types.push(ty);
        let ty = self.code.types.len() as u32 - 1;
        self.emit(Op::VaArg { d, p, ty });
        self.f.next = mark;
        Ok(())
    }

    fn read_lvalue(&mut self, e: ExprId, want: Option<Reg>) -> L<Reg> {
        let ty = self.p.expr(e).ty;
        let kind = self.kind_of(ty)?;
        if let ExprKind::Var(v) = self.p.expr(e).kind
            && let Some(Home::Register { .. }) = self.homes[v.index()]
        {
            let lv = self.lvalue(e, false)?;
            return self.load(&lv, want);
        }
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.f.next;
        let lv = self.lvalue(e, false)?;
        self.load(&lv, Some(d))?;
        self.f.next = mark;
        Ok(d)
    }

    fn size_constant(&mut self, ty: Ty, want: Option<Reg>) -> L<Reg> {
        // sizeof(void) and of functions is 1 as a GNU extension.
        let size = match self.p.types.size_of(ty) {
            Some(size) => size,
            None if matches!(self.p.types.shape(ty), TypeKind::Void | TypeKind::Function(_)) => 1,
            None => return Err("the size of an incomplete type".into()),
        };
        let d = want.unwrap_or_else(|| self.temp());
        self.constant(d, size);
        Ok(d)
    }

    /// Evaluates an expression for its effects.
    pub(super) fn discard(&mut self, e: ExprId) -> L<()> {
        let mark = self.f.next;
        self.at_expr(e, |s| s.discard_inner(e))?;
        self.f.next = mark;
        Ok(())
    }

    fn discard_inner(&mut self, e: ExprId) -> L<()> {
        let p = self.p;
        match &p.expr(e).kind {
            ExprKind::Call(f, args) => self.call(e, *f, args, None, false).map(drop),
            ExprKind::Cast(ty, a) if p.types.is_void(*ty) => self.discard(*a),
            ExprKind::Implicit(a) if p.types.is_void(p.expr(e).ty) => self.discard(*a),
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
            ExprKind::Assign(a, b) if self.is_char_copy(*a, *b) => self.char_copy(*a, *b),
            // The value of an lvalue is not wanted, so it is not read (6.3.2.2), unless volatile.
            _ if p.is_lvalue(e) && !p.expr(e).ty.is_volatile() => self.lvalue(e, true).map(drop),
            _ if p.types.is_scalar(p.expr(e).ty) => self.value(e, None).map(drop),
            ExprKind::Func(_) => Ok(()),
            _ if p.types.is_void(p.expr(e).ty) => match p.expr(e).kind {
                ExprKind::Unary(UnOp::Deref, a) => self.discard(a),
                _ => Err("a void expression of this form".into()),
            },
            _ if scan_is_array(p, e) => self.lvalue(e, true).map(drop),
            _ => self.aggregate(e).map(drop),
        }
    }

    fn assign(&mut self, a: ExprId, b: ExprId, want: Option<Reg>) -> L<Reg> {
        let ty = self.p.expr(a).ty;
        let kind = self.kind_of(ty)?;
        // The plain case: a register variable.
        if let ExprKind::Var(v) = self.p.expr(a).kind
            && let Some(Home::Register { reg, flag }) = self.homes[v.index()]
        {
            let mark = self.f.next;
            self.value(b, Some(reg))?;
            self.f.next = mark;
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
        let mark = self.f.next;
        let target = self.write_effects(a);
        let (ea, eb) = (self.lvalue_effects(a), self.effects(b));
        // The store comes after both operands' values, but not after their pending side effects.
        let pending = (ea.writes | eb.writes) & target.writes != 0 && self.has_pending(a, b);
        // Not into `d`: the target may be found through the variable that `d` is.
        let value = self.temp_for(kind);
        let (lv, _) = self.pending(pending, |s| {
            s.pair((ea, eb), |s| s.lvalue(a, false), |s| s.value(b, Some(value)))
        })?;
        self.check_overlap(&lv, b, kind)?;
        self.finish_store(pending, lv, value)?;
        self.mov(d, value, kind);
        self.f.next = mark;
        Ok(d)
    }

    /// 6.5.16.1p3: a value read from an object that overlaps the target must overlap it exactly.
    /// Only members of unions can do otherwise without being undefined for another reason.
    fn check_overlap(&mut self, to: &Lv, value: ExprId, kind: Kind) -> L<()> {
        let mut from = value;
        while let ExprKind::Implicit(inner) = self.p.expr(from).kind {
            from = inner;
        }
        if !to.union
            || to.bits.is_some()
            || !self.p.is_lvalue(from)
            || self.effects(from).writes != 0
        {
            return Ok(());
        }
        let Some(source) = Kind::of(&self.p.types, self.p.expr(from).ty) else { return Ok(()) };
        let lv = self.lvalue(from, false)?;
        if !lv.union || lv.bits.is_some() || source == kind {
            return Ok(());
        }
        let (a, b) = (self.address(to, None)?, self.address(&lv, None)?);
        self.emit(Op::CheckOverlap {
            a,
            b,
            size_a: kind.size() as u8,
            size_b: source.size() as u8,
        });
        Ok(())
    }

    /// `*d = *s` on characters in memory, whose value nobody else wants: the byte is copied with
    /// whatever it holds, padding and parts of pointers included.
    fn is_char_copy(&self, a: ExprId, b: ExprId) -> bool {
        let is_char = |e: ExprId| {
            let ty = self.p.expr(e).ty;
            let in_register = matches!(self.p.expr(e).kind, ExprKind::Var(v)
                if matches!(self.homes[v.index()], Some(Home::Register { .. })));
            let is_bits = matches!(self.p.expr(e).kind, ExprKind::Member(..) | ExprKind::Arrow(..));
            self.p.is_lvalue(e)
                && !in_register
                && !is_bits
                && !ty.is_volatile()
                && self.p.types.int_kind(ty).is_some_and(|k| k.rank() == 1)
        };
        let mut from = b;
        while let ExprKind::Implicit(inner) = self.p.expr(from).kind {
            if self.p.types.int_kind(self.p.expr(from).ty).is_none_or(|k| k.rank() != 1) {
                return false;
            }
            from = inner;
        }
        is_char(a) && is_char(from)
    }

    fn char_copy(&mut self, a: ExprId, b: ExprId) -> L<()> {
        let mut from = b;
        while let ExprKind::Implicit(inner) = self.p.expr(from).kind {
            from = inner;
        }
        let (ea, eb) = (self.lvalue_effects(a), self.effects(b));
        let target = self.write_effects(a);
        let pending = (ea.writes | eb.writes) & target.writes != 0 && self.has_pending(a, b);
        let (to, from) = self.pending(pending, |s| {
            s.pair((ea, eb), |s| s.lvalue(a, false), |s| s.lvalue(from, false))
        })?;
        let (d, s) = (self.address(&to, None)?, self.address(&from, None)?);
        if pending {
            self.emit(Op::PendCheckPtr { p: d, at: 0, bit: 0, bits: 8 });
            self.emit(Op::PendEnd);
        }
        self.emit(Op::CopyChar { d, s });
        Ok(())
    }

    /// Runs the operands of an assignment with their side effects noted, where that is needed.
    fn pending<T>(&mut self, needed: bool, f: impl FnOnce(&mut Self) -> L<T>) -> L<T> {
        if !needed {
            // An outer assignment may still be interested.
            return f(self);
        }
        self.emit(Op::PendBegin);
        let saved = std::mem::replace(&mut self.f.pend, true);
        let result = f(self);
        self.f.pend = saved;
        result
    }

    /// The store of an assignment, checked against pending side effects, and noted as one itself.
    fn finish_store(&mut self, pending: bool, lv: Lv, s: Reg) -> L<()> {
        let whole = (0, self.kind_of(lv.ty)?.size() * 8);
        let (bit, bits) = lv.bits.unwrap_or(whole);
        let (bit, bits) = (bit as u8, bits as u16);
        if pending {
            match (self.direct(lv.place), lv.place) {
                (Some((base, x, at)), _) => {
                    self.emit(Op::PendCheck { base, x, at, bit, bits });
                }
                (None, Place::Pointer { p, at }) => {
                    self.emit(Op::PendCheckPtr { p, at, bit, bits });
                }
                _ => {}
            }
            self.emit(Op::PendEnd);
        }
        self.store(&lv, s)?;
        if self.f.pend {
            match (self.direct(lv.place), lv.place) {
                (Some((base, x, at)), _) => {
                    self.emit(Op::PendLog { base, x, at, bit, bits });
                }
                (None, Place::Pointer { p, at }) => {
                    self.emit(Op::PendLogPtr { p, at, bit, bits });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether an operand has side effects that are not sequenced before its value.
    fn has_pending(&self, a: ExprId, b: ExprId) -> bool {
        self.pends(a) || self.pends(b)
    }

    fn pends(&self, e: ExprId) -> bool {
        match &self.p.expr(e).kind {
            ExprKind::Assign(..) | ExprKind::AssignOp { .. } => true,
            ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, _) => true,
            ExprKind::Unary(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::Implicit(a)
            | ExprKind::Member(a, _)
            | ExprKind::Arrow(a, _) => self.pends(*a),
            ExprKind::Binary(BinOp::LogAnd | BinOp::LogOr | BinOp::Comma, _, b) => self.pends(*b),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => self.pends(*a) || self.pends(*b),
            ExprKind::Cond(_, a, b) => a.is_some_and(|a| self.pends(a)) || self.pends(*b),
            _ => false,
        }
    }

    /// What writing an lvalue touches, without its operands.
    fn write_effects(&mut self, e: ExprId) -> Effects {
        // Reading touches the same place as writing.
        let all = self.effects(e);
        Effects { reads: 0, writes: all.reads, heavy: false }
    }

    /// Effects of finding out which object an lvalue designates.
    pub(super) fn lvalue_effects(&mut self, e: ExprId) -> Effects {
        match self.p.expr(e).kind {
            ExprKind::Var(_) => Effects::default(),
            ExprKind::Index(a, b) => self.effects(a).and(self.effects(b)),
            ExprKind::Unary(UnOp::Deref, a) | ExprKind::Arrow(a, _) => self.effects(a),
            ExprKind::Member(a, _) => self.lvalue_effects(a),
            _ => self.effects(e),
        }
    }

    fn assign_op(
        &mut self,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        comp: Ty,
        want: Option<Reg>,
    ) -> L<Reg> {
        let ty = self.p.expr(a).ty;
        let kind = self.kind_of(ty)?;
        let comp_kind = self.kind_of(comp)?;
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.f.next;
        let (ea, eb) = (self.effects(a), self.effects(b));
        let pending = ea.conflicts(eb) && self.has_pending(a, b);
        let ((lv, old), rhs) = self.pending(pending, |s| {
            s.pair(
                (ea, eb),
                |s| {
                    let lv = s.lvalue(a, false)?;
                    let old = s.at_expr(a, |s| s.load(&lv, None))?;
                    // The register variable itself may change while the right side is evaluated.
                    let old = if let Place::Register { .. } = lv.place {
                        let copy = s.temp_for(kind);
                        s.mov(copy, old, kind);
                        copy
                    } else {
                        old
                    };
                    Ok((lv, old))
                },
                |s| s.value(b, None),
            )
        })?;
        let left = self.convert_value(old, kind, comp_kind, None);
        let result = self.temp_for(comp_kind);
        let rhs_ty = self.p.expr(b).ty;
        self.arithmetic(op, (result, left, rhs), comp, (comp, rhs_ty))?;
        let stored = self.temp_for(kind);
        self.convert_value(result, comp_kind, kind, Some(stored));
        self.finish_store(pending, lv, stored)?;
        self.mov(d, stored, kind);
        self.f.next = mark;
        Ok(d)
    }

    /// `++` and `--`.
    pub(super) fn step(&mut self, a: ExprId, by: i32, post: bool, want: Option<Reg>) -> L<Reg> {
        let ty = self.p.expr(a).ty;
        let kind = self.kind_of(ty)?;
        if !post
            && want.is_none()
            && let ExprKind::Var(v) = self.p.expr(a).kind
            && let Some(Home::Register { reg, flag }) = self.homes[v.index()]
            && kind.is_int()
            && !kind.is_wide()
        {
            if let Some(flag) = flag {
                self.emit(Op::CheckSet { flag });
            }
            self.emit(Op::Step { d: reg, a: reg, kind, by });
            return Ok(reg);
        }
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.f.next;
        let ea = self.lvalue_effects(a);
        let target = self.write_effects(a);
        let pending = ea.writes & target.writes != 0 && self.pends(a);
        let lv = self.pending(pending, |s| s.lvalue(a, false))?;
        let old = self.temp_for(kind);
        self.load(&lv, Some(old))?;
        let new = self.temp_for(kind);
        self.stepped(new, old, ty, kind, by)?;
        if post {
            self.finish_store(pending, lv, new)?;
            self.mov(d, old, kind);
        } else {
            self.finish_store(pending, lv, new)?;
            self.mov(d, new, kind);
        }
        self.f.next = mark;
        Ok(d)
    }

    fn stepped(&mut self, d: Reg, a: Reg, ty: Ty, kind: Kind, by: i32) -> L<()> {
        match kind {
            Kind::Ptr => {
                let to = self.p.types.pointee(ty).ok_or("a pointer")?;
                let elem = self.elem(to);
                let one = self.temp();
                self.constant(one, by as i64 as u64);
                self.emit(Op::PtrAdd { d, p: a, by: one, kind: Kind::I64, elem });
            }
            _ if kind.is_float() || kind.is_wide() => {
                let one = self.temp();
                self.constant(one, by as i64 as u64);
                let one = self.convert_value(one, Kind::I64, kind, None);
                let ty = self.p.types.resolved(ty).unqual();
                self.arithmetic(BinOp::Add, (d, a, one), ty, (ty, ty))?;
            }
            _ => {
                self.emit(Op::Step { d, a, kind, by });
            }
        }
        Ok(())
    }

    fn conditional(
        &mut self,
        e: ExprId,
        c: ExprId,
        a: Option<ExprId>,
        b: ExprId,
        want: Option<Reg>,
    ) -> L<Reg> {
        let kind = self.kind_of(self.p.expr(e).ty)?;
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.f.next;
        let skip = match a {
            Some(a) => {
                let skip = self.branch_false(c)?;
                self.branch_hook(e, true);
                self.value(a, Some(d))?;
                skip
            }
            None => {
                let saved = std::mem::replace(&mut self.f.pend, false);
                let ckind = self.kind_of(self.p.expr(c).ty)?;
                let r = self.value(c, None)?;
                self.f.pend = saved;
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
        self.f.next = mark;
        self.value(b, Some(d))?;
        self.patch(end, self.here());
        self.f.next = mark;
        Ok(d)
    }

    pub(super) fn branch_hook(&mut self, e: ExprId, taken: bool) {
        if self.hooks.branches {
            self.emit(Op::Branch { point: e.0, taken });
        }
    }

    /// Emits a jump that is taken when a condition is false; returns it for patching.
    pub(super) fn branch_false(&mut self, c: ExprId) -> L<usize> {
        let saved = std::mem::replace(&mut self.f.pend, false);
        let mark = self.f.next;
        let r = self.truth(c, None)?;
        self.f.next = mark;
        self.f.pend = saved;
        Ok(self.emit(Op::JumpZero { r, to: 0 }))
    }

    /// A scalar as a register that is zero exactly when the value compares equal to zero.
    pub(super) fn truth(&mut self, e: ExprId, want: Option<Reg>) -> L<Reg> {
        let kind = self.kind_of(self.p.expr(e).ty)?;
        self.only_sign(e);
        let r = self.value(e, None)?;
        if kind.is_int() && !kind.is_wide() || kind == Kind::Ptr {
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

    /// Notes that of a call's value only the sign matters.
    pub(super) fn only_sign(&mut self, e: ExprId) {
        let mut e = e;
        while let ExprKind::Implicit(inner) = self.p.expr(e).kind {
            e = inner;
        }
        if let ExprKind::Call(..) = self.p.expr(e).kind {
            self.sign_only.insert(e);
        }
    }

    fn stmt_expr(&mut self, e: ExprId, s: ctree::StmtId, want: Option<Reg>) -> L<Reg> {
        let kind = self.kind_of(self.p.expr(e).ty)?;
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let StmtKind::Block(list) = &self.p.stmt(s).kind else {
            return Err("a statement expression of this form".into());
        };
        let Some((&last, init)) = list.split_last() else {
            return Err("an empty statement expression".into());
        };
        self.scoped(|low| {
            low.declare(list);
            for &s in init {
                low.stmt(s);
            }
            match low.p.stmt(last).kind {
                StmtKind::Expr(value) => {
                    // The value may name a variable of the block: copied before the block is left.
                    low.value(value, Some(d)).map(drop)
                }
                _ => Err("a statement expression whose last statement is no expression".into()),
            }
        })?;
        Ok(d)
    }

    /// A record-valued expression: the object that holds it.
    pub(super) fn aggregate(&mut self, e: ExprId) -> L<Lv> {
        self.at_expr(e, |s| s.aggregate_inner(e))
    }

    fn aggregate_inner(&mut self, e: ExprId) -> L<Lv> {
        let p = self.p;
        let ty = p.expr(e).ty;
        if matches!(p.types.shape(ty), TypeKind::Vector(..)) {
            return Err("a vector".into());
        }
        if p.is_lvalue(e) {
            return self.lvalue(e, false);
        }
        let temp = |s: &mut Self| {
            let local = s.new_temp(ty);
            s.emit(Op::Leave { local });
            s.emit(Op::Enter { local });
            Lv {
                init: true,
                ..Lv::new(Place::Frame { local, at: 0, x: NO_REG }, ty, p.types.align_of(ty))
            }
        };
        match &p.expr(e).kind {
            ExprKind::VaArg(ap, written) => {
                let d = self.temp();
                self.va_arg(d, *ap, *written)?;
                Ok(Lv::new(Place::Pointer { p: d, at: 0 }, ty, 1))
            }
            ExprKind::Call(f, args) => {
                let lv = temp(self);
                if let Place::Frame { local, .. } = lv.place {
                    self.f.temps.push(local);
                }
                self.call_record(e, *f, args, lv)?;
                Ok(Lv { init: false, ..lv })
            }
            ExprKind::Assign(a, b) => {
                let (ea, eb) = (self.lvalue_effects(*a), self.effects(*b));
                let (to, from) =
                    self.pair((ea, eb), |s| s.lvalue(*a, false), |s| s.aggregate(*b))?;
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
                Ok(Lv::new(Place::Pointer { p: d, at: 0 }, ty, 1))
            }
            ExprKind::StmtExpr(s) => {
                let to = temp(self);
                let StmtKind::Block(list) = &p.stmt(*s).kind else {
                    return Err("a statement expression of this form".into());
                };
                let Some((&last, init)) = list.split_last() else {
                    return Err("an empty statement expression".into());
                };
                self.scoped(|low| {
                    low.declare(list);
                    for &s in init {
                        low.stmt(s);
                    }
                    let StmtKind::Expr(value) = low.p.stmt(last).kind else {
                        return Err(
                            "a statement expression whose last statement is no expression".into()
                        );
                    };
                    let from = low.aggregate(value)?;
                    low.copy(&to, &from)
                })?;
                Ok(Lv { init: false, ..to })
            }
            _ => Err(format!("this expression of type `{}`", self.type_name(ty))),
        }
    }

    /// Copies a record.
    pub(super) fn copy(&mut self, to: &Lv, from: &Lv) -> L<()> {
        let mark = self.f.next;
        let d = self.address(to, None)?;
        let s = self.address(from, None)?;
        self.copy_op(d, s, *to, *from);
        self.f.next = mark;
        Ok(())
    }

    pub(super) fn copy_op(&mut self, d: Reg, s: Reg, to: Lv, from: Lv) {
        let size = self.p.types.size_of(to.ty).unwrap_or(0) as u32;
        let spec = CopySpec {
            ty: self.p.types.resolved(to.ty).unqual(),
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

fn scan_is_array(p: &ctree::Program, e: ExprId) -> bool {
    super::scan::is_array(p, e)
}
