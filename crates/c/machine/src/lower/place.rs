//! Lvalues: which object an expression designates, reading it and writing it.

use super::{Home, L, Lower};
use crate::classes::Class;
use crate::code::*;
use crate::kind::Kind;
use crate::memory::Origin;
use ctree::{ArrayLen, ExprId, ExprKind, RecordKind, Ty, TypeKind, UnOp, VarId};

/// Where a value is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
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
pub(super) struct Lv {
    pub place: Place,
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

impl Lv {
    pub(super) fn new(place: Place, ty: Ty, align: u32) -> Lv {
        Lv { place, ty, bits: None, align, union: false, init: false }
    }

    /// The same object, `by` bytes further, with another type.
    pub(super) fn shifted(mut self, by: u32, ty: Ty, align: u32) -> Lv {
        match &mut self.place {
            Place::Register { .. } => {}
            Place::Static { at, .. } | Place::Frame { at, .. } | Place::Pointer { at, .. } => {
                *at = at.saturating_add(by);
            }
        }
        Lv { ty, align, bits: None, ..self }
    }
}

impl Lower<'_> {
    pub(super) fn kind_of(&self, ty: Ty) -> L<Kind> {
        Kind::of(&self.p.types, ty)
            .ok_or_else(|| format!("a value of type `{}`", self.type_name(ty)))
    }

    pub(super) fn type_name(&self, ty: Ty) -> String {
        ctree::print::print_type(self.p, ty)
    }

    /// The object that an lvalue expression designates. `address_only`: it is not accessed.
    pub(super) fn lvalue(&mut self, e: ExprId, address_only: bool) -> L<Lv> {
        self.at_expr(e, |s| s.lvalue_inner(e, address_only))
    }

    fn lvalue_inner(&mut self, e: ExprId, address_only: bool) -> L<Lv> {
        let expr = self.p.expr(e);
        let ty = expr.ty;
        let align = self.p.types.align_of(ty);
        match expr.kind {
            ExprKind::Var(v) => self.variable(v, ty),
            ExprKind::Str(id) => {
                let global = self.string_global(id);
                Ok(Lv::new(Place::Static { global, at: 0, x: NO_REG }, ty, align))
            }
            ExprKind::Unary(UnOp::Deref, base) => self.element(base, None, ty, address_only),
            ExprKind::Index(base, index) => self.element(base, Some(index), ty, address_only),
            ExprKind::Member(of, field) => {
                let record = if self.p.is_lvalue(of) {
                    self.lvalue(of, address_only)?
                } else {
                    self.aggregate(of)?
                };
                self.member(record, field, ty)
            }
            ExprKind::Arrow(base, field) => {
                let to = self.p.types.pointee(self.p.expr(base).ty).ok_or("-> of a non-pointer")?;
                let p = self.pointer_operand(base)?;
                // `&p->f` only computes an address.
                if !address_only {
                    let elem = self.elem(to);
                    self.emit(Op::CheckRecord { p, elem });
                }
                let record = Lv::new(Place::Pointer { p, at: 0 }, to, self.p.types.align_of(to));
                self.member(record, field, ty)
            }
            ExprKind::CompoundLit(written, ref init) => {
                if self.f.at_start {
                    return self.static_literal(written, ty, init);
                }
                let local = self.new_temp(written);
                self.emit(Op::Leave { local });
                self.emit(Op::Enter { local });
                let mut lv = Lv::new(Place::Frame { local, at: 0, x: NO_REG }, ty, align);
                lv.init = true;
                self.init_object(lv, init)?;
                lv.init = false;
                Ok(lv)
            }
            _ => Err("this expression as an lvalue".into()),
        }
    }

    /// A compound literal outside of any function is a static object (6.5.2.5p5).
    fn static_literal(&mut self, written: Ty, ty: Ty, init: &ctree::Init) -> L<Lv> {
        let global = self.new_global(written, None, Origin::Temp);
        let mut lv =
            Lv::new(Place::Static { global, at: 0, x: NO_REG }, ty, self.p.types.align_of(ty));
        lv.init = true;
        self.init_object(lv, init)?;
        lv.init = false;
        Ok(lv)
    }

    /// A temporary object of the current scope.
    pub(super) fn new_temp(&mut self, ty: Ty) -> u32 {
        self.new_local(ty, None, Origin::Temp, false)
    }

    pub(super) fn variable(&mut self, v: VarId, ty: Ty) -> L<Lv> {
        let var = self.p.var(v);
        let align = self.p.types.align_of(var.ty).max(var.align.unwrap_or(1));
        let place = match self.homes[v.index()] {
            Some(Home::Register { reg, flag }) => Place::Register { reg, flag },
            Some(Home::Frame { local }) => Place::Frame { local, at: 0, x: NO_REG },
            Some(Home::Static { global }) => Place::Static { global, at: 0, x: NO_REG },
            None => {
                return Err(format!(
                    "the external variable `{}`, which is defined nowhere",
                    self.p.name(var.name)
                ));
            }
        };
        Ok(Lv::new(place, ty, align))
    }

    pub(super) fn member(&mut self, record: Lv, field: u32, ty: Ty) -> L<Lv> {
        let id = self.p.types.as_record(record.ty).ok_or("a member of a non-record")?;
        let rec = &self.p.types.records[id.index()];
        let f = &rec.fields[field as usize];
        let natural = self.p.types.align_of(f.ty).max(f.align.unwrap_or(1));
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
    ) -> L<Lv> {
        if let ExprKind::Implicit(array) = self.p.expr(base).kind
            && let TypeKind::Array(_, len) = *self.p.types.shape(self.p.expr(array).ty)
            && (self.p.is_lvalue(array) || self.p.types.as_record(self.p.expr(array).ty).is_none())
        {
            return self.array_element(array, len, index, ty, address_only);
        }
        if let ExprKind::Implicit(vector) = self.p.expr(base).kind
            && let Some((_, lanes)) = self.p.types.lanes(self.p.expr(vector).ty)
        {
            return self.array_element(
                vector,
                ArrayLen::Known(lanes.into()),
                index,
                ty,
                address_only,
            );
        }
        let to =
            self.p.types.pointee(self.p.expr(base).ty).ok_or("dereference of a non-pointer")?;
        let align = self.p.types.align_of(to);
        let Some(index) = index else {
            let p = self.pointer_operand(base)?;
            return Ok(Lv::new(Place::Pointer { p, at: 0 }, ty, align));
        };
        let d = self.temp();
        let (ea, eb) = (self.effects(base), self.effects(index));
        let (p, by) = self.pair((ea, eb), |s| s.pointer_operand(base), |s| s.value(index, None))?;
        let kind = self.kind_of(self.p.expr(index).ty)?;
        let elem = self.elem(to);
        self.emit(match address_only {
            true => Op::PtrAdd { d, p, by, kind, elem },
            false => Op::PtrIndex { d, p, by, kind, elem },
        });
        Ok(Lv::new(Place::Pointer { p: d, at: 0 }, ty, align))
    }

    fn array_element(
        &mut self,
        array: ExprId,
        len: ArrayLen,
        index: Option<ExprId>,
        ty: Ty,
        address_only: bool,
    ) -> L<Lv> {
        let size = self.p.types.size_of(ty).unwrap_or(0) as u32;
        let elem_align = self.p.types.align_of(ty);
        let flexible = match len {
            ArrayLen::Known(n) => {
                n <= 1
                    && self.p.types.as_array(self.p.expr(array).ty).is_some()
                    && matches!(self.p.expr(array).kind, ExprKind::Arrow(..) | ExprKind::Member(..))
            }
            ArrayLen::Unknown => true,
        };
        let Some(index) = index else {
            let lv = self.lvalue(array, address_only)?;
            return Ok(Lv { ty, ..lv });
        };
        if flexible {
            // A flexible array member (or its old spelling): bounded by the object.
            let elem = self.elem(ty);
            let d = self.temp();
            let (ea, eb) = (self.effects(array), self.effects(index));
            let (p, by) = self.pair(
                (ea, eb),
                |s| {
                    let lv = s.lvalue(array, true)?;
                    s.address(&lv, None)
                },
                |s| s.value(index, None),
            )?;
            let kind = self.kind_of(self.p.expr(index).ty)?;
            self.emit(Op::PtrAdd { d, p, by, kind, elem });
            return Ok(Lv::new(Place::Pointer { p: d, at: 0 }, ty, elem_align));
        }
        let (ea, eb) = (self.effects(array), self.effects(index));
        let kind = self.kind_of(self.p.expr(index).ty)?;
        if kind.is_wide() {
            return Err("a 128-bit array index".into());
        }
        let (mut lv, i) = self.pair((ea, eb), |s| s.elements(array), |s| s.value(index, None))?;
        let ArrayLen::Known(n) = len else { return Err("an array of unknown size".into()) };
        let bound = self.bound(Bound { len: n, size, address_only });
        let d = self.temp();
        self.emit(Op::Index { d, i, kind, bound });
        self.add_offset(&mut lv, d);
        let align = if lv.align < elem_align { lv.align } else { elem_align };
        Ok(Lv { ty, align, ..lv })
    }

    /// The object that an array or vector designates or, for a computed vector, is kept in.
    fn elements(&mut self, e: ExprId) -> L<Lv> {
        if self.is_vector(self.p.expr(e).ty) {
            self.vector_object(e)
        } else {
            self.lvalue(e, false)
        }
    }

    /// Adds a dynamic byte offset to a place.
    fn add_offset(&mut self, lv: &mut Lv, d: Reg) {
        match &mut lv.place {
            Place::Register { .. } => {}
            Place::Static { x, .. } | Place::Frame { x, .. } => {
                if *x == NO_REG {
                    *x = d;
                } else {
                    let a = *x;
                    *x = d;
                    self.emit(Op::AddU64 { d, a, b: d });
                }
            }
            Place::Pointer { p, at } => {
                let op = Op::Offset { d, p: *p, x: d, at: *at };
                (*p, *at) = (d, 0);
                self.emit(op);
            }
        }
    }

    /// A pointer that is about to be dereferenced: whether it dangles is seen there.
    pub(super) fn pointer_operand(&mut self, e: ExprId) -> L<Reg> {
        if let ExprKind::Var(v) = self.p.expr(e).kind
            && let Some(Home::Register { reg, flag }) = self.homes[v.index()]
        {
            if let Some(flag) = flag {
                self.at_expr(e, |s| s.emit(Op::CheckSet { flag, reg }));
            }
            return Ok(reg);
        }
        if self.p.is_lvalue(e) {
            let d = self.temp();
            let mark = self.f.next;
            let lv = self.lvalue(e, false)?;
            self.at_expr(e, |s| s.load_plain(&lv, Some(d)))?;
            self.f.next = mark;
            return Ok(d);
        }
        self.value(e, None)
    }

    /// The pointer to a place.
    pub(super) fn address(&mut self, lv: &Lv, want: Option<Reg>) -> L<Reg> {
        if lv.bits.is_some() {
            return Err("the address of a bit-field".into());
        }
        match lv.place {
            Place::Register { .. } => Err("the address of a register variable".into()),
            Place::Static { global, at, x } => {
                let d = want.unwrap_or_else(|| self.temp());
                let pointer = self.static_pointer(global, at);
                self.constant(d, pointer);
                if x != NO_REG {
                    self.emit(Op::Offset { d, p: d, x, at: 0 });
                }
                Ok(d)
            }
            Place::Frame { local, at, x } => {
                let d = want.unwrap_or_else(|| self.temp());
                self.emit(Op::FrameAddr { d, local: local as u16, x, at });
                Ok(d)
            }
            Place::Pointer { p, at } => {
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

    /// Base, offset register and offset of a direct place.
    pub(super) fn direct(&self, place: Place) -> Option<(Base, Reg, u32)> {
        match place {
            Place::Static { global, at, x } => {
                Some((Base::Static, x, self.code.globals[global as usize].base.saturating_add(at)))
            }
            Place::Frame { local, at, x } => {
                Some((Base::Frame, x, self.f.locals[local as usize].at.saturating_add(at)))
            }
            _ => None,
        }
    }

    /// Whether stores and loads must go through a pointer although the object is known: members
    /// of unions whose address is taken keep track of the last member stored, and objects that
    /// declared volatile or const members are checked.
    fn tracked(&self, lv: &Lv) -> bool {
        if !lv.union {
            return false;
        }
        let origin = match lv.place {
            Place::Static { global, .. } => self.code.globals[global as usize].origin,
            Place::Frame { local, .. } => self.f.locals[local as usize].origin,
            _ => return false,
        };
        matches!(origin, Origin::Var(v) if self.facts.escapes[v.index()])
    }

    fn class_of(&mut self, ty: Ty) -> Class {
        self.code.classes.class(&self.p.types, ty)
    }

    pub(super) fn pointer_access(&mut self, lv: &Lv, kind: Kind) -> L<(Reg, u32)> {
        let (p, offset) = match lv.place {
            Place::Pointer { p, at } => (p, at),
            _ => (self.address(&Lv { bits: None, ..*lv }, None)?, 0),
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

    /// Reads a scalar place; a pointer must not dangle (6.2.4p2).
    pub(super) fn load(&mut self, lv: &Lv, want: Option<Reg>) -> L<Reg> {
        let r = self.load_plain(lv, want)?;
        if self.p.types.is_pointer(lv.ty) {
            self.emit(Op::UsePtr { p: r });
        }
        Ok(r)
    }

    /// Reads a scalar place; whether a pointer dangles is seen when it is dereferenced.
    fn load_plain(&mut self, lv: &Lv, want: Option<Reg>) -> L<Reg> {
        let kind = self.kind_of(lv.ty)?;
        if lv.bits.is_some() {
            let d = want.unwrap_or_else(|| self.temp());
            let (p, access) = self.bit_access(lv, kind);
            self.emit(Op::LoadBits { d, p, access });
            return Ok(d);
        }
        if let Place::Register { reg, flag } = lv.place {
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
        match self.direct(lv.place) {
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

    /// Writes a scalar place. For a bit-field, `s` is left with the value as stored.
    pub(super) fn store(&mut self, lv: &Lv, s: Reg) -> L<()> {
        let kind = self.kind_of(lv.ty)?;
        if lv.bits.is_some() {
            let (p, access) = self.bit_access(lv, kind);
            self.emit(Op::StoreBits { s, p, access });
            return Ok(());
        }
        if let Place::Register { reg, flag } = lv.place {
            self.mov(reg, s, kind);
            if let Some(flag) = flag {
                self.emit(Op::Imm { d: flag, v: 1 });
            }
            return Ok(());
        }
        match self.direct(lv.place) {
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

    pub(super) fn bit_access(&mut self, lv: &Lv, kind: Kind) -> (Reg, u32) {
        let (bit, width) = lv.bits.unwrap_or((0, 0));
        let (base, p, at) = match (self.direct(lv.place), lv.place) {
            (Some((base, x, at)), _) => (Some(base), x, at),
            (None, Place::Pointer { p, at }) => (None, p, at),
            (None, _) => (None, 0, 0),
        };
        let access =
            BitAccess { base, at, bit, width, kind, volatile: lv.ty.is_volatile(), init: lv.init };
        self.code.bits.push(access);
        (p, self.code.bits.len() as u32 - 1)
    }
}
