//! Vectors of GCC's `vector_size`: a value is a block of registers, one scalar for each lane.
//!
//! An operation on vectors is the scalar operation on each lane, in the lane's type: there is no
//! promotion, so a `signed char` lane overflows beyond 127 (GCC's sanitizer agrees). Memory is
//! read and written lane by lane as objects of the lane's type, because a vector may alias its
//! elements (GCC's alias sets; clang lets it alias anything). Calls pass vectors as they pass
//! records, by copies in memory.
//!
//! Not here: vectors of `long double`, vector conditions (C++ only), shuffles.

use super::lvalue::{LValue, ValueLocation};
use super::{Lower, Lowered};
use crate::code::*;
use crate::kind::ScalarKind;
use crate::memory::Origin;
use crate::outcome::UbKind;
use ctree::{BinOp, ExprId, ExprKind, Ty, TypeKind, UnOp};

/// Most lanes of a supported vector: the code of an operation grows with them. Real vectors have at
/// most 64.
const MAX_LANES: u32 = 256;

/// The registers of a vector value.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    first: u32,
    count: u32,
    elem: Ty,
    kind: ScalarKind,
}

impl Lanes {
    fn reg(self, lane: u32) -> Reg {
        let step = if self.kind.is_wide() { 2 } else { 1 };
        (self.first + lane * step).min(u32::from(NO_REG) - 2) as Reg
    }

    fn all(self) -> impl Iterator<Item = Reg> {
        (0..self.count).map(move |lane| self.reg(lane))
    }
}

/// The right operand of an operator.
#[derive(Clone, Copy)]
enum RightOperand {
    Lanes(Lanes),
    /// One shift count for all lanes.
    Count(Reg, Ty),
}

impl Lower<'_> {
    /// Whether values of the type are passed and returned in memory: records and vectors.
    pub(super) fn in_memory(&self, ty: Ty) -> bool {
        self.program.types.as_record(ty).is_some() || self.is_vector(ty)
    }

    pub(super) fn is_vector(&self, ty: Ty) -> bool {
        self.program.types.lanes(ty).is_some()
    }

    /// Whether a type holds a vector of more than 16 bytes. Without AVX, GCC's `_Alignof` gives 16
    /// for them, although it lays them out by their size, as clang does and reports.
    pub(super) fn is_aligned_by_vector(&self, ty: Ty) -> bool {
        match *self.program.types.shape(ty) {
            TypeKind::Vector(..) => self.program.types.align_of(ty) > 16,
            TypeKind::Array(elem, _) => self.is_aligned_by_vector(elem),
            TypeKind::Record(id) => {
                let fields = &self.program.types.records[id.index()].fields;
                fields.iter().any(|f| self.is_aligned_by_vector(f.ty))
            }
            _ => false,
        }
    }

    /// Registers for a value of a vector type.
    pub(super) fn lanes(&mut self, ty: Ty) -> Lowered<Lanes> {
        let (elem, count) =
            self.program.types.lanes(ty).ok_or("lanes of a type that is not a vector")?;
        let kind = self.kind_of(elem)?;
        if kind == ScalarKind::F80 || kind == ScalarKind::Bool {
            return Err(format!("vector of `{}`", self.type_name(elem)));
        }
        if count > MAX_LANES {
            return Err(format!("vector of {count} lanes"));
        }
        let first = self.func.next;
        for _ in 0..count {
            self.temp_for(kind);
        }
        Ok(Lanes { first, count, elem, kind })
    }

    /// Evaluates a vector expression.
    pub(super) fn vector(&mut self, e: ExprId, d: Lanes) -> Lowered<()> {
        let mark = self.func.next;
        // Side effects inside are pending for an enclosing assignment only where no sequence
        // point or call lies between.
        let pend = self.func.pend;
        self.at_expr(e, |s| s.vector_inner(e, d))?;
        self.func.pend = pend;
        self.func.next = mark;
        Ok(())
    }

    fn vector_inner(&mut self, e: ExprId, d: Lanes) -> Lowered<()> {
        let program = self.program;
        let ty = program.expr(e).ty;
        if program.is_lvalue(e) {
            let lv = self.lvalue(e, false)?;
            return self.load_lanes(&lv, d);
        }
        match program.expr(e).kind {
            ExprKind::Unary(UnOp::Plus, a) => self.vector(a, d),
            ExprKind::Unary(op @ (UnOp::Neg | UnOp::BitNot), a) => {
                self.vector(a, d)?;
                d.all().try_for_each(|r| self.lane_unary(op, r, d))
            }
            ExprKind::Unary(UnOp::PreInc, a) => self.vector_step(a, BinOp::Add, false, d),
            ExprKind::Unary(UnOp::PreDec, a) => self.vector_step(a, BinOp::Sub, false, d),
            ExprKind::Unary(UnOp::PostInc, a) => self.vector_step(a, BinOp::Add, true, d),
            ExprKind::Unary(UnOp::PostDec, a) => self.vector_step(a, BinOp::Sub, true, d),
            ExprKind::Binary(BinOp::Comma, a, b) => {
                let saved = std::mem::replace(&mut self.func.pend, false);
                self.discard(a)?;
                self.func.pend = saved;
                self.vector(b, d)
            }
            ExprKind::Binary(op, a, b) => {
                let left = self.lanes(program.expr(a).ty)?;
                let (ea, eb) = (self.effects(a), self.effects(b));
                let ((), right) =
                    self.unsequenced_pair((ea, eb), |s| s.vector(a, left), |s| s.right_operand(b))?;
                self.lane_wise(op, d, left, right)
            }
            ExprKind::Assign(a, b) => self.vector_assign(a, b, d),
            ExprKind::AssignOp { op, lhs, rhs, .. } => self.vector_assign_op(op, lhs, rhs, d),
            ExprKind::Cond(c, Some(a), b) => {
                let skip = self.branch_false(c)?;
                self.branch_hook(e, true);
                self.vector(a, d)?;
                let end = self.emit(Op::Jump { to: 0 });
                self.patch(skip, self.here());
                self.branch_hook(e, false);
                self.vector(b, d)?;
                self.patch(end, self.here());
                Ok(())
            }
            ExprKind::Cast(_, a) | ExprKind::Implicit(a) if self.is_vector(program.expr(a).ty) => {
                self.reinterpret(a, d, ty)
            }
            ExprKind::Implicit(a) => {
                let from = self.kind_of(program.expr(a).ty)?;
                let r = self.value(a, None)?;
                let r = self.convert_value(r, from, d.kind, None);
                d.all().for_each(|lane| self.mov(lane, r, d.kind));
                Ok(())
            }
            ExprKind::Cast(_, a) => {
                // An integer of the vector's size: its bytes.
                let r = self.value(a, None)?;
                let lv = self.temporary(ty);
                self.store(&LValue { ty: program.expr(a).ty, ..lv }, r)?;
                self.load_lanes(&lv, d)
            }
            ExprKind::Call(f, ref args) => {
                self.func.pend = false;
                let lv = self.temporary(ty);
                self.call_record(e, f, args, lv)?;
                self.load_lanes(&lv, d)
            }
            ExprKind::StmtExpr(s) => {
                self.func.pend = false;
                self.block_value(s, |low, value| low.vector(value, d))
            }
            ExprKind::Member(..) => {
                let lv = self.lvalue(e, false)?;
                self.load_lanes(&lv, d)
            }
            ExprKind::VaArg(ap, written) => {
                let r = self.temp();
                self.va_arg(r, ap, written)?;
                self.load_lanes(&LValue::new(ValueLocation::Pointer { p: r, at: 0 }, ty, 1), d)
            }
            ref kind => Err(format!("{} of type `{}`", kind.description(), self.type_name(ty))),
        }
    }

    fn right_operand(&mut self, e: ExprId) -> Lowered<RightOperand> {
        let ty = self.program.expr(e).ty;
        if self.is_vector(ty) {
            let lanes = self.lanes(ty)?;
            self.vector(e, lanes)?;
            return Ok(RightOperand::Lanes(lanes));
        }
        // Not a variable's own register: another operand may change it.
        let kind = self.kind_of(ty)?;
        let r = self.temp_for(kind);
        Ok(RightOperand::Count(self.value(e, Some(r))?, ty))
    }

    /// The object that holds a vector: a temporary one if it is not an lvalue.
    pub(super) fn vector_object(&mut self, e: ExprId) -> Lowered<LValue> {
        if self.program.is_lvalue(e) || matches!(self.program.expr(e).kind, ExprKind::Member(..)) {
            return self.lvalue(e, false);
        }
        self.spill(e)
    }

    /// A temporary object with the value of a vector expression.
    pub(super) fn spill(&mut self, e: ExprId) -> Lowered<LValue> {
        let ty = self.program.expr(e).ty.unqual();
        let mark = self.func.next;
        let lanes = self.lanes(ty)?;
        self.vector(e, lanes)?;
        let lv = self.temporary(ty);
        self.store_lanes(&lv, lanes)?;
        self.func.next = mark;
        Ok(LValue { init: false, ..lv })
    }

    /// A new object of the current scope, about to be initialised.
    pub(super) fn temporary(&mut self, ty: Ty) -> LValue {
        let location = if self.func.at_start {
            let global = self.new_global(ty, None, Origin::Temp);
            ValueLocation::Static { global, at: 0, x: NO_REG }
        } else {
            let local = self.new_temp(ty);
            self.emit(Op::Leave { local });
            self.emit(Op::Enter { local });
            ValueLocation::Frame { local, at: 0, x: NO_REG }
        };
        LValue { init: true, ..LValue::new(location, ty, self.program.types.align_of(ty)) }
    }

    /// One lane of an object. The first lane's alignment is the whole vector's.
    fn lane(&self, lv: &LValue, lane: u32, of: Lanes) -> LValue {
        let align = if lane == 0 { lv.align } else { lv.align.min(of.kind.size()) };
        lv.shifted(lane * of.kind.size(), of.elem.qualified(lv.ty.quals()), align)
    }

    pub(super) fn load_lanes(&mut self, lv: &LValue, d: Lanes) -> Lowered<()> {
        for i in 0..d.count {
            let mark = self.func.next;
            let lane = self.lane(lv, i, d);
            self.load(&lane, Some(d.reg(i)))?;
            self.func.next = mark;
        }
        Ok(())
    }

    pub(super) fn store_lanes(&mut self, lv: &LValue, s: Lanes) -> Lowered<()> {
        for i in 0..s.count {
            let mark = self.func.next;
            let lane = self.lane(lv, i, s);
            self.store(&lane, s.reg(i))?;
            self.func.next = mark;
        }
        Ok(())
    }

    /// A vector's bytes as those of another vector type of the same size.
    fn reinterpret(&mut self, a: ExprId, d: Lanes, ty: Ty) -> Lowered<()> {
        let from = self.program.expr(a).ty;
        let Some((elem, count)) = self.program.types.lanes(from) else {
            return Err("cast between a vector and another type".into());
        };
        let kind = self.kind_of(elem)?;
        if count != d.count {
            let lv = self.spill(a)?;
            return self.load_lanes(&LValue { ty, ..lv }, d);
        }
        if kind == d.kind || kind.is_wide() {
            // Signed and unsigned pairs of registers look the same.
            return self.vector(a, d);
        }
        let lanes = self.lanes(from)?;
        self.vector(a, lanes)?;
        for (to, from) in d.all().zip(lanes.all()) {
            // The bits of a narrow floating value are its register's.
            self.emit(Op::Wrap { d: to, a: from, kind: d.kind });
        }
        Ok(())
    }

    fn vector_assign(&mut self, a: ExprId, b: ExprId, d: Lanes) -> Lowered<()> {
        let target = self.write_effects(a);
        let (ea, eb) = (self.lvalue_effects(a), self.effects(b));
        let pending = (ea.writes | eb.writes) & target.writes != 0 && self.has_pending(a, b);
        let (lv, ()) = self.pending(pending, |s| {
            s.unsequenced_pair((ea, eb), |s| s.lvalue(a, false), |s| s.vector(b, d))
        })?;
        self.check_overlap(&lv, b)?;
        self.finish_store(pending, lv, |s| s.store_lanes(&lv, d))
    }

    fn vector_assign_op(&mut self, op: BinOp, a: ExprId, b: ExprId, d: Lanes) -> Lowered<()> {
        let (ea, eb) = (self.effects(a), self.effects(b));
        let pending = ea.conflicts(eb) && self.has_pending(a, b);
        let old = self.lanes(self.program.expr(a).ty)?;
        let (lv, right) = self.pending(pending, |s| {
            s.unsequenced_pair(
                (ea, eb),
                |s| {
                    let lv = s.lvalue(a, false)?;
                    s.at_expr(a, |s| s.load_lanes(&lv, old))?;
                    Ok(lv)
                },
                |s| s.right_operand(b),
            )
        })?;
        self.lane_wise(op, d, old, right)?;
        self.finish_store(pending, lv, |s| s.store_lanes(&lv, d))
    }

    /// `++` and `--`, which GCC's C has for vectors: one more in each lane, in the lane's type.
    fn vector_step(&mut self, a: ExprId, op: BinOp, post: bool, d: Lanes) -> Lowered<()> {
        let ea = self.lvalue_effects(a);
        let target = self.write_effects(a);
        let pending = ea.writes & target.writes != 0 && self.may_leave_pending(a);
        let (old, new) =
            (self.lanes(self.program.expr(a).ty)?, self.lanes(self.program.expr(a).ty)?);
        let lv = self.pending(pending, |s| s.lvalue(a, false))?;
        self.load_lanes(&lv, old)?;
        let one = self.temp();
        self.constant(one, 1);
        let one = self.convert_value(one, ScalarKind::I32, d.kind, None);
        for (to, from) in new.all().zip(old.all()) {
            self.lane_binary(op, (to, from, one), d.elem, d.elem)?;
        }
        self.finish_store(pending, lv, |s| s.store_lanes(&lv, new))?;
        let value = if post { old } else { new };
        d.all().zip(value.all()).for_each(|(to, from)| self.mov(to, from, d.kind));
        Ok(())
    }

    fn lane_wise(&mut self, op: BinOp, d: Lanes, a: Lanes, b: RightOperand) -> Lowered<()> {
        for i in 0..d.count {
            let (right, ty) = match b {
                RightOperand::Lanes(b) => (b.reg(i), b.elem),
                RightOperand::Count(r, ty) => (r, ty),
            };
            self.lane_binary(op, (d.reg(i), a.reg(i), right), a.elem, ty)?;
        }
        Ok(())
    }

    fn lane_unary(&mut self, op: UnOp, r: Reg, d: Lanes) -> Lowered<()> {
        let narrow = d.kind.is_int() && d.kind.bits() < 32;
        if op == UnOp::Neg && narrow && d.kind.is_signed() {
            let mark = self.func.next;
            let t = self.temp();
            self.emit(Op::Neg { d: t, a: r, kind: ScalarKind::I32 });
            self.narrowed(r, t, d.elem, UbKind::SignedOverflow)?;
            self.func.next = mark;
            return Ok(());
        }
        self.unary_op(op, r, r, d.kind);
        Ok(())
    }

    /// One lane of a binary operator: `elem` is the left lane's type, `right` the right one's.
    fn lane_binary(
        &mut self,
        op: BinOp,
        regs: (Reg, Reg, Reg),
        elem: Ty,
        right: Ty,
    ) -> Lowered<()> {
        let mark = self.func.next;
        let (d, a, b) = regs;
        let kind = self.kind_of(elem)?;
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        if !shift && self.kind_of(right)? != kind {
            return Err("vector operator on lanes of different types".into());
        }
        use BinOp::{Add, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Shl, Sub};
        let narrow = kind.is_int() && kind.bits() < 32;
        match op {
            Lt | Gt | Le | Ge | Eq | Ne => {
                let t = self.temp();
                self.arithmetic(op, (t, a, b), elem, (elem, right))?;
                // All bits of the lane, whatever its width.
                self.emit(Op::Neg { d, a: t, kind: ScalarKind::I64 });
                if kind.is_wide() {
                    self.emit(Op::Mov { d: d + 1, a: d });
                }
            }
            Add | Sub | Mul if narrow && !kind.is_signed() => {
                let t = self.temp();
                self.arithmetic(op, (t, a, b), Ty::UINT, (Ty::UINT, Ty::UINT))?;
                self.emit(Op::Wrap { d, a: t, kind });
            }
            Add | Sub | Mul if narrow => {
                let t = self.temp();
                self.arithmetic(op, (t, a, b), Ty::INT, (Ty::INT, Ty::INT))?;
                self.narrowed(d, t, elem, UbKind::SignedOverflow)?;
            }
            Div | Rem if narrow && kind.is_signed() => {
                // The quotient must fit, even where only the remainder is wanted (6.5.5p6).
                let (t, quotient) = (self.temp(), self.temp());
                self.arithmetic(Div, (t, a, b), Ty::INT, (Ty::INT, Ty::INT))?;
                self.narrowed(quotient, t, elem, UbKind::DivOverflow)?;
                if op == Div {
                    self.mov(d, quotient, kind);
                } else {
                    self.arithmetic(op, (d, a, b), Ty::INT, (Ty::INT, Ty::INT))?;
                }
            }
            Shl if narrow && kind.is_signed() => {
                let t = self.temp();
                self.arithmetic(op, (t, a, b), elem, (elem, right))?;
                self.narrowed(d, t, elem, UbKind::ShiftOverflow)?;
            }
            _ => self.arithmetic(op, regs, elem, (elem, right))?,
        }
        self.func.next = mark;
        Ok(())
    }

    /// Brings a result into a lane narrower than `int`, where it must fit.
    fn narrowed(&mut self, d: Reg, a: Reg, elem: Ty, fault: UbKind) -> Lowered<()> {
        let kind = self.kind_of(elem)?;
        let fits = self.temp();
        self.emit(Op::Wrap { d, a, kind });
        self.emit(Op::Eq { d: fits, a: d, b: a });
        let skip = self.emit(Op::JumpNot { r: fits, to: 0 });
        let name = self.type_name(elem);
        self.undefined(fault, format!("the result does not fit into a lane of type `{name}`"));
        self.patch(skip, self.here());
        Ok(())
    }
}
