//! Lvalues: which object an expression designates, reading it and writing it.

use super::{Lower, Lowered, VarLocation};
use crate::classes::Class;
use crate::code::*;
use crate::kind::ScalarKind;
use crate::memory::Origin;
use ctree::{ArrayLen, ExprId, ExprKind, RecordKind, Ty, TypeKind, UnOp, VarId};

/// Where a value is.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueLocation {
    Register {
        reg: Reg,
        flag: Option<Reg>,
    },
    /// A known object: a static one or a variable of the frame, `at` bytes into it, plus `x`.
    Static {
        global: u32,
        at: u32,
        x: Reg,
    },
    Frame {
        local: u32,
        at: u32,
        x: Reg,
    },
    /// Through a pointer.
    Pointer {
        p: Reg,
        at: u32,
    },
}

/// A designated object.
#[derive(Clone, Copy, Debug)]
pub(super) struct LValue {
    pub location: ValueLocation,
    /// Type of the lvalue with its qualifiers.
    pub ty: Ty,
    /// For a bit-field: first bit in the byte, width.
    pub bits: Option<(u32, u32)>,
    /// Alignment that the access may count on.
    pub align: u32,
    /// Reached through a member of a union.
    pub union: bool,
    /// Initialises the object: const does not matter.
    pub init: bool,
}

impl LValue {
    pub(super) fn new(location: ValueLocation, ty: Ty, align: u32) -> LValue {
        LValue { location, ty, bits: None, align, union: false, init: false }
    }

    /// The same object, `by` bytes further, with another type.
    pub(super) fn shifted(mut self, by: u32, ty: Ty, align: u32) -> LValue {
        match &mut self.location {
            ValueLocation::Register { .. } => {}
            ValueLocation::Static { at, .. }
            | ValueLocation::Frame { at, .. }
            | ValueLocation::Pointer { at, .. } => {
                *at = at.saturating_add(by);
            }
        }
        LValue { ty, align, bits: None, ..self }
    }
}

impl Lower<'_> {
    pub(super) fn kind_of(&self, ty: Ty) -> Lowered<ScalarKind> {
        let kind = ScalarKind::of(&self.program.types, ty);
        // The format is there, but not its size in memory.
        let is_odd = kind == Some(ScalarKind::F80) && self.program.types.model.long_double.0 != 16;
        kind.filter(|_| !is_odd).ok_or_else(|| format!("value of type `{}`", self.type_name(ty)))
    }

    pub(super) fn type_name(&self, ty: Ty) -> String {
        ctree::print::print_type(self.program, ty)
    }

    /// The object that an lvalue expression designates. `address_only`: it is not accessed.
    pub(super) fn lvalue(&mut self, e: ExprId, address_only: bool) -> Lowered<LValue> {
        self.at_expr(e, |s| s.lvalue_inner(e, address_only))
    }

    fn lvalue_inner(&mut self, e: ExprId, address_only: bool) -> Lowered<LValue> {
        let expr = self.program.expr(e);
        let ty = expr.ty;
        let align = self.program.types.align_of(ty);
        match expr.kind {
            ExprKind::Var(v) => self.variable(v, ty),
            ExprKind::Str(id) => {
                let global = self.string_global(id);
                Ok(LValue::new(ValueLocation::Static { global, at: 0, x: NO_REG }, ty, align))
            }
            ExprKind::Unary(UnOp::Deref, base) => self.element(base, None, ty, address_only),
            ExprKind::Index(base, index) => self.element(base, Some(index), ty, address_only),
            ExprKind::Member(of, field) => {
                let record = if self.program.is_lvalue(of) {
                    self.lvalue(of, address_only)?
                } else {
                    self.aggregate(of)?
                };
                self.member(record, field, ty)
            }
            ExprKind::Arrow(base, field) => {
                let to = self
                    .program
                    .types
                    .pointee(self.program.expr(base).ty)
                    .ok_or("`->` on a non-pointer")?;
                let p = self.pointer_operand(base)?;
                // `&p->f` only computes an address.
                if !address_only {
                    let elem = self.elem(to);
                    self.emit(Op::CheckRecord { p, elem });
                }
                let record = LValue::new(
                    ValueLocation::Pointer { p, at: 0 },
                    to,
                    self.program.types.align_of(to),
                );
                self.member(record, field, ty)
            }
            ExprKind::CompoundLit(written, ref init) => {
                if self.func.at_start {
                    return self.static_literal(written, ty, init);
                }
                let local = self.new_temp(written);
                self.emit(Op::Leave { local });
                self.emit(Op::Enter { local });
                let mut lv =
                    LValue::new(ValueLocation::Frame { local, at: 0, x: NO_REG }, ty, align);
                lv.init = true;
                self.init_object(lv, init)?;
                lv.init = false;
                Ok(lv)
            }
            ref kind => Err(format!("{} as an lvalue", kind.description())),
        }
    }

    /// A compound literal outside of any function is a static object (6.5.2.5p5).
    fn static_literal(&mut self, written: Ty, ty: Ty, init: &ctree::Init) -> Lowered<LValue> {
        let global = self.new_global(written, None, Origin::Temp);
        let mut lv = LValue::new(
            ValueLocation::Static { global, at: 0, x: NO_REG },
            ty,
            self.program.types.align_of(ty),
        );
        lv.init = true;
        self.init_object(lv, init)?;
        lv.init = false;
        Ok(lv)
    }

    /// A temporary object of the current scope.
    pub(super) fn new_temp(&mut self, ty: Ty) -> u32 {
        self.new_local(ty, None, Origin::Temp, false)
    }

    pub(super) fn variable(&mut self, v: VarId, ty: Ty) -> Lowered<LValue> {
        let var = self.program.var(v);
        let align = self.program.types.align_of(var.ty).max(var.align.unwrap_or(1));
        let location = match self.var_locations[v.index()] {
            Some(VarLocation::Register { reg, flag }) => ValueLocation::Register { reg, flag },
            Some(VarLocation::Frame { local }) => ValueLocation::Frame { local, at: 0, x: NO_REG },
            Some(VarLocation::Static { global }) => {
                ValueLocation::Static { global, at: 0, x: NO_REG }
            }
            None => {
                return Err(format!(
                    "external variable `{}`, which has no definition",
                    self.program.name(var.name)
                ));
            }
        };
        Ok(LValue::new(location, ty, align))
    }

    pub(super) fn member(&mut self, record: LValue, field: u32, ty: Ty) -> Lowered<LValue> {
        let id = self
            .program
            .types
            .as_record(record.ty)
            .ok_or("member of a type that is not a struct or union")?;
        let rec = &self.program.types.records[id.index()];
        let f = &rec.fields[field as usize];
        let natural = self.program.types.align_of(f.ty).max(f.align.unwrap_or(1));
        let align = if rec.packed || f.packed { f.align.unwrap_or(1) } else { natural };
        let align = align.min(if record.align < rec.align { record.align } else { align });
        let by = u32::try_from(f.offset).unwrap_or(u32::MAX);
        let union = record.union || rec.kind == RecordKind::Union;
        let mut lv = record.shifted(by, ty, align);
        lv.bits = f.bits.map(|width| (f.bit, width));
        lv.union = union;
        Ok(lv)
    }

    /// `base[index]`, or `*base` without an index.
    pub(super) fn element(
        &mut self,
        base: ExprId,
        index: Option<ExprId>,
        ty: Ty,
        address_only: bool,
    ) -> Lowered<LValue> {
        if let ExprKind::Implicit(array) = self.program.expr(base).kind
            && let TypeKind::Array(_, len) = *self.program.types.shape(self.program.expr(array).ty)
            && (self.program.is_lvalue(array)
                || self.program.types.as_record(self.program.expr(array).ty).is_none())
        {
            return self.array_element(array, len, index, ty, address_only);
        }
        if let ExprKind::Implicit(vector) = self.program.expr(base).kind
            && let Some((_, lanes)) = self.program.types.lanes(self.program.expr(vector).ty)
        {
            return self.array_element(
                vector,
                ArrayLen::Known(lanes.into()),
                index,
                ty,
                address_only,
            );
        }
        let to = self
            .program
            .types
            .pointee(self.program.expr(base).ty)
            .ok_or("dereference of a non-pointer")?;
        let align = self.program.types.align_of(to);
        let Some(index) = index else {
            let p = self.pointer_operand(base)?;
            return Ok(LValue::new(ValueLocation::Pointer { p, at: 0 }, ty, align));
        };
        let d = self.temp();
        let (ea, eb) = (self.effects(base), self.effects(index));
        let (p, by) =
            self.unsequenced_pair((ea, eb), |s| s.pointer_operand(base), |s| s.value(index, None))?;
        let kind = self.kind_of(self.program.expr(index).ty)?;
        let elem = self.elem(to);
        self.emit(match address_only {
            true => Op::PtrAdd { d, p, by, kind, elem },
            false => Op::PtrIndex { d, p, by, kind, elem },
        });
        Ok(LValue::new(ValueLocation::Pointer { p: d, at: 0 }, ty, align))
    }

    fn array_element(
        &mut self,
        array: ExprId,
        len: ArrayLen,
        index: Option<ExprId>,
        ty: Ty,
        address_only: bool,
    ) -> Lowered<LValue> {
        let size = self.program.types.size_of(ty).unwrap_or(0) as u32;
        let elem_align = self.program.types.align_of(ty);
        let flexible = match len {
            ArrayLen::Known(n) => {
                n <= 1
                    && self.program.types.as_array(self.program.expr(array).ty).is_some()
                    && matches!(
                        self.program.expr(array).kind,
                        ExprKind::Arrow(..) | ExprKind::Member(..)
                    )
            }
            ArrayLen::Unknown => true,
        };
        let Some(index) = index else {
            let lv = self.lvalue(array, address_only)?;
            return Ok(LValue { ty, ..lv });
        };
        if flexible {
            // A flexible array member (or its old spelling): bounded by the object.
            let elem = self.elem(ty);
            let d = self.temp();
            let (ea, eb) = (self.effects(array), self.effects(index));
            let (p, by) = self.unsequenced_pair(
                (ea, eb),
                |s| {
                    let lv = s.lvalue(array, true)?;
                    s.address(&lv, None)
                },
                |s| s.value(index, None),
            )?;
            let kind = self.kind_of(self.program.expr(index).ty)?;
            self.emit(Op::PtrAdd { d, p, by, kind, elem });
            return Ok(LValue::new(ValueLocation::Pointer { p: d, at: 0 }, ty, elem_align));
        }
        let (ea, eb) = (self.effects(array), self.effects(index));
        let kind = self.kind_of(self.program.expr(index).ty)?;
        if kind.is_wide() {
            return Err("128-bit array index".into());
        }
        let (mut lv, i) =
            self.unsequenced_pair((ea, eb), |s| s.elements(array), |s| s.value(index, None))?;
        let ArrayLen::Known(n) = len else {
            return Err("subscript of an array of unknown length".into());
        };
        let bound = self.bound(IndexBound { len: n, size, address_only });
        let d = self.temp();
        self.emit(Op::Index { d, i, kind, bound });
        self.add_offset(&mut lv, d);
        let align = if lv.align < elem_align { lv.align } else { elem_align };
        Ok(LValue { ty, align, ..lv })
    }

    /// The object that an array or vector designates or, for a computed vector, that stores it.
    fn elements(&mut self, e: ExprId) -> Lowered<LValue> {
        if self.is_vector(self.program.expr(e).ty) {
            self.vector_object(e)
        } else {
            self.lvalue(e, false)
        }
    }

    /// Adds a dynamic byte offset to an lvalue.
    fn add_offset(&mut self, lv: &mut LValue, d: Reg) {
        match &mut lv.location {
            ValueLocation::Register { .. } => {}
            ValueLocation::Static { x, .. } | ValueLocation::Frame { x, .. } => {
                if *x == NO_REG {
                    *x = d;
                } else {
                    let a = *x;
                    *x = d;
                    self.emit(Op::AddU64 { d, a, b: d });
                }
            }
            ValueLocation::Pointer { p, at } => {
                let op = Op::Offset { d, p: *p, x: d, at: *at };
                (*p, *at) = (d, 0);
                self.emit(op);
            }
        }
    }

    /// A pointer that is about to be dereferenced: the dereference checks whether it dangles.
    pub(super) fn pointer_operand(&mut self, e: ExprId) -> Lowered<Reg> {
        if let ExprKind::Var(v) = self.program.expr(e).kind
            && let Some(VarLocation::Register { reg, flag }) = self.var_locations[v.index()]
        {
            if let Some(flag) = flag {
                self.at_expr(e, |s| s.emit(Op::CheckSet { flag, reg }));
            }
            return Ok(reg);
        }
        if self.program.is_lvalue(e) {
            let d = self.temp();
            let mark = self.func.next;
            let lv = self.lvalue(e, false)?;
            self.at_expr(e, |s| s.load_plain(&lv, Some(d)))?;
            self.func.next = mark;
            return Ok(d);
        }
        self.value(e, None)
    }

    /// The pointer to an lvalue.
    pub(super) fn address(&mut self, lv: &LValue, want: Option<Reg>) -> Lowered<Reg> {
        if lv.bits.is_some() {
            return Err("address of a bit-field".into());
        }
        match lv.location {
            ValueLocation::Register { .. } => Err("address of a register variable".into()),
            ValueLocation::Static { global, at, x } => {
                let d = want.unwrap_or_else(|| self.temp());
                let pointer = self.static_pointer(global, at);
                self.constant(d, pointer);
                if x != NO_REG {
                    self.emit(Op::Offset { d, p: d, x, at: 0 });
                }
                Ok(d)
            }
            ValueLocation::Frame { local, at, x } => {
                let d = want.unwrap_or_else(|| self.temp());
                self.emit(Op::FrameAddr { d, local: local as u16, x, at });
                Ok(d)
            }
            ValueLocation::Pointer { p, at } => {
                if at == 0 && want.is_none() {
                    return Ok(p);
                }
                let d = want.unwrap_or_else(|| self.temp());
                if at == 0 {
                    self.emit(Op::Mov { d, a: p });
                } else {
                    self.emit(Op::Offset { d, p, x: NO_REG, at });
                }
                Ok(d)
            }
        }
    }

    /// Base, offset register and offset of a known object.
    pub(super) fn direct(&self, location: ValueLocation) -> Option<(AddressBase, Reg, u32)> {
        match location {
            ValueLocation::Static { global, at, x } => Some((
                AddressBase::Static,
                x,
                self.code.globals[global as usize].base.saturating_add(at),
            )),
            ValueLocation::Frame { local, at, x } => Some((
                AddressBase::Frame,
                x,
                self.func.locals[local as usize].at.saturating_add(at),
            )),
            _ => None,
        }
    }

    /// Whether stores and loads must go through a pointer although the object is known: members
    /// of unions whose address is taken keep track of the last member stored, and objects that
    /// declared volatile or const members are checked.
    fn tracked(&self, lv: &LValue) -> bool {
        if !lv.union {
            return false;
        }
        let origin = match lv.location {
            ValueLocation::Static { global, .. } => self.code.globals[global as usize].origin,
            ValueLocation::Frame { local, .. } => self.func.locals[local as usize].origin,
            _ => return false,
        };
        matches!(origin, Origin::Var(v) if self.facts.escapes[v.index()])
    }

    fn class_of(&mut self, ty: Ty) -> Class {
        self.code.classes.class(&self.program.types, ty)
    }

    pub(super) fn pointer_access(&mut self, lv: &LValue, kind: ScalarKind) -> Lowered<(Reg, u32)> {
        let (p, offset) = match lv.location {
            ValueLocation::Pointer { p, at } => (p, at),
            _ => (self.address(&LValue { bits: None, ..*lv }, None)?, 0),
        };
        let access = PtrAccess {
            kind,
            offset,
            align: lv.align,
            class: self.class_of(lv.ty),
            volatile: lv.ty.is_volatile(),
            union_member: lv.union,
        };
        Ok((p, self.access(access)))
    }

    /// Reads a scalar; a pointer must not dangle (6.2.4p2).
    pub(super) fn load(&mut self, lv: &LValue, want: Option<Reg>) -> Lowered<Reg> {
        let r = self.load_plain(lv, want)?;
        if self.program.types.is_pointer(lv.ty) {
            self.emit(Op::UsePtr { p: r });
        }
        Ok(r)
    }

    /// Reads a scalar; a pointer is checked for dangling when it is dereferenced.
    fn load_plain(&mut self, lv: &LValue, want: Option<Reg>) -> Lowered<Reg> {
        let kind = self.kind_of(lv.ty)?;
        if lv.bits.is_some() {
            let d = want.unwrap_or_else(|| self.temp());
            let (p, access) = self.bit_access(lv, kind);
            self.emit(Op::LoadBits { d, p, access });
            return Ok(d);
        }
        if let ValueLocation::Register { reg, flag } = lv.location {
            if let Some(flag) = flag {
                self.emit(Op::CheckSet { flag, reg });
            }
            return match want {
                Some(d) => {
                    self.mov(d, reg, kind);
                    Ok(d)
                }
                None => Ok(reg),
            };
        }
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        match self.direct(lv.location) {
            Some((base, x, at)) if !self.tracked(lv) => {
                let base = if lv.ty.is_volatile() { base.volatile() } else { base };
                self.emit(Op::Load { d, x, kind, base, at });
            }
            _ => {
                let (p, access) = self.pointer_access(lv, kind)?;
                self.emit(Op::LoadPtr { d, p, access });
            }
        }
        Ok(d)
    }

    /// Writes a scalar. For a bit-field, `s` is left with the value as stored.
    pub(super) fn store(&mut self, lv: &LValue, s: Reg) -> Lowered<()> {
        let kind = self.kind_of(lv.ty)?;
        if lv.bits.is_some() {
            let (p, access) = self.bit_access(lv, kind);
            self.emit(Op::StoreBits { s, p, access });
            return Ok(());
        }
        if let ValueLocation::Register { reg, flag } = lv.location {
            self.mov(reg, s, kind);
            if let Some(flag) = flag {
                self.emit(Op::Imm { d: flag, v: 1 });
            }
            return Ok(());
        }
        match self.direct(lv.location) {
            Some((base, x, at)) if lv.init || !self.tracked(lv) => {
                let base = if lv.ty.is_volatile() && !lv.init { base.volatile() } else { base };
                self.emit(Op::Store { s, x, kind, base, at });
            }
            _ => {
                let (p, access) = self.pointer_access(lv, kind)?;
                self.emit(Op::StorePtr { s, p, access });
            }
        }
        Ok(())
    }

    pub(super) fn bit_access(&mut self, lv: &LValue, kind: ScalarKind) -> (Reg, u32) {
        let (bit, width) = lv.bits.unwrap_or((0, 0));
        let (base, p, at) = match (self.direct(lv.location), lv.location) {
            (Some((base, x, at)), _) => (Some(base), x, at),
            (None, ValueLocation::Pointer { p, at }) => (None, p, at),
            (None, _) => (None, 0, 0),
        };
        let access =
            BitAccess { base, at, bit, width, kind, volatile: lv.ty.is_volatile(), init: lv.init };
        self.code.bits.push(access);
        (p, self.code.bits.len() as u32 - 1)
    }
}
