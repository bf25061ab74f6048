//! Initialisers.

use super::effects::Effects;
use super::place::{Lv, Place};
use super::{Home, L, Lower};
use crate::code::*;
use crate::kind::Kind;
use ctree::{
    ArrayLen, ExprId, ExprKind, Init, Program, RecordKind, StrId, Ty, TypeKind, Var, VarId,
};

/// Elements of one `[a ... b]` that are written out one by one; more is refused.
const MAX_RANGE: u64 = 1 << 16;

/// A value and where it goes.
struct Leaf {
    lv: Lv,
    value: Value,
}

enum Value {
    Scalar(ExprId),
    Record(ExprId),
    Vector(ExprId),
    Str(StrId, u64),
}

/// Bytes that an initialiser gives to a flexible array member, beyond the record's size.
pub(super) fn flexible_extra(p: &Program, var: &Var) -> u64 {
    let Some(id) = p.types.as_record(var.ty) else { return 0 };
    let record = &p.types.records[id.index()];
    let (Some(last), Some(Init::List(items))) = (record.fields.last(), &var.init) else { return 0 };
    let Some((elem, ArrayLen::Unknown)) = p.types.as_array(last.ty) else { return 0 };
    let size = p.types.size_of(elem).unwrap_or(0);
    let Some(item) = items.iter().find(|i| i.first as usize == record.fields.len() - 1) else {
        return 0;
    };
    let count = match &item.init {
        Init::List(list) => list.iter().map(|i| i.last + 1).max().unwrap_or(0),
        Init::Expr(e) => match p.expr(*e).kind {
            ExprKind::Str(s) => p.strings[s.index()].bytes.len() as u64 / size.max(1),
            _ => 0,
        },
    };
    (last.offset + count * size).saturating_sub(record.size)
}

impl Lower<'_> {
    /// Initialises a whole object at a direct place.
    pub(super) fn init_object(&mut self, lv: Lv, init: &Init) -> L<()> {
        let mark = self.f.next;
        let mut leaves = Vec::new();
        if let Init::List(_) = init {
            self.zero(&lv)?;
        }
        self.collect(lv, init, &mut leaves)?;
        let effects: Vec<Effects> = leaves
            .iter()
            .map(|leaf| match leaf.value {
                Value::Scalar(e) | Value::Record(e) | Value::Vector(e) => self.effects(e),
                Value::Str(..) => Effects::default(),
            })
            .collect();
        // The initialisers are indeterminately sequenced (6.7.9p23). Those that read the object
        // itself count as in conflict with its initialisation.
        let any_write = effects.iter().any(|e| e.writes != 0);
        let own = self.own_bits(&lv);
        let reads_own = leaves.len() > 1 && effects.iter().any(|e| e.reads & own != 0);
        let clash = leaves.len() > 1
            && (reads_own
                || (any_write
                    && effects
                        .iter()
                        .enumerate()
                        .any(|(i, a)| effects[..i].iter().any(|b| a.conflicts(*b)))));
        if clash {
            self.f.regions += 1;
            self.emit(Op::RegionBegin { initialiser: true });
        }
        for leaf in &leaves {
            if clash {
                self.emit(Op::LogOn);
            }
            self.init_leaf(leaf)?;
            if clash {
                self.emit(Op::LogOff);
            }
        }
        if clash {
            self.region_end();
        }
        self.f.next = mark;
        Ok(())
    }

    /// The bits that stand for the object in [`Effects`].
    fn own_bits(&mut self, lv: &Lv) -> u64 {
        let origin = match lv.place {
            Place::Frame { local, .. } => self.f.locals[local as usize].origin,
            _ => return 0,
        };
        match origin {
            crate::memory::Origin::Var(v) if !self.facts.escapes[v.index()] => 1 << (1 + v.0 % 31),
            crate::memory::Origin::Var(_) => !0 << 32,
            _ => 0,
        }
    }

    fn init_leaf(&mut self, leaf: &Leaf) -> L<()> {
        let mark = self.f.next;
        match leaf.value {
            Value::Scalar(e) => {
                self.at_expr(e, |s| {
                    let kind = s.kind_of(leaf.lv.ty)?;
                    // A bit-field store leaves its register changed: never a variable's own.
                    let want = leaf.lv.bits.map(|_| s.temp_for(kind));
                    let r = s.value(e, want)?;
                    s.store(&leaf.lv, r)
                })?;
            }
            Value::Record(e) => {
                let from = self.aggregate(e)?;
                self.at_expr(e, |s| s.copy(&leaf.lv, &from))?;
            }
            Value::Vector(e) => {
                let lanes = self.lanes(leaf.lv.ty)?;
                self.vector(e, lanes)?;
                self.at_expr(e, |s| s.store_lanes(&leaf.lv, lanes))?;
            }
            Value::Str(id, room) => {
                let mut bytes = self.p.strings[id.index()].bytes.clone();
                bytes.resize(room as usize, 0);
                let (base, _, at) =
                    self.direct(leaf.lv.place).ok_or("a string initialiser here")?;
                self.code.byte_strings.push(bytes);
                let bytes = self.code.byte_strings.len() as u32 - 1;
                self.emit(Op::Bytes { base, at, bytes });
            }
        }
        self.f.next = mark;
        Ok(())
    }

    fn zero(&mut self, lv: &Lv) -> L<()> {
        let (base, _, at) = self.direct(lv.place).ok_or("an initialiser here")?;
        let size = match lv.place {
            Place::Static { global, .. } => self.code.globals[global as usize].size,
            Place::Frame { local, .. } => self.f.locals[local as usize].size,
            _ => 0,
        };
        self.emit(Op::Zero { base, at, size });
        Ok(())
    }

    fn collect(&mut self, lv: Lv, init: &Init, out: &mut Vec<Leaf>) -> L<()> {
        let p = self.p;
        match init {
            Init::Expr(e) => {
                let array = p.types.as_array(lv.ty);
                let value = match (&p.expr(*e).kind, array) {
                    (ExprKind::Str(id), Some((_, len))) => {
                        let room = match len {
                            ArrayLen::Known(n) => {
                                n * p
                                    .types
                                    .size_of(p.types.as_array(lv.ty).map_or(Ty::CHAR, |a| a.0))
                                    .unwrap_or(1)
                            }
                            ArrayLen::Unknown => p.strings[id.index()].bytes.len() as u64,
                        };
                        Value::Str(*id, room)
                    }
                    (ExprKind::CompoundLit(_, inner), Some(_)) => {
                        return self.collect(lv, inner, out);
                    }
                    _ if Kind::of(&p.types, lv.ty).is_some() => Value::Scalar(*e),
                    _ if self.is_vector(lv.ty) => Value::Vector(*e),
                    _ => Value::Record(*e),
                };
                out.push(Leaf { lv, value });
            }
            Init::List(items) => match *p.types.shape(lv.ty) {
                TypeKind::Array(elem, _) | TypeKind::Vector(elem, _) => {
                    let size = p.types.size_of(elem).ok_or("elements of unknown size")? as u32;
                    let elem = p.types.resolved(elem);
                    for item in items {
                        if item.last - item.first > MAX_RANGE {
                            return Err("an initialiser range of more than 65536 elements".into());
                        }
                        for i in item.first..=item.last {
                            let sub = sub_place(lv, i as u32 * size, elem, p.types.align_of(elem));
                            self.collect(sub, &item.init, out)?;
                        }
                    }
                }
                TypeKind::Record(id) => {
                    let record = &p.types.records[id.index()];
                    for item in items {
                        let field = &record.fields[item.first as usize];
                        let fty = p.types.resolved(field.ty);
                        let mut sub = sub_place(lv, field.offset as u32, fty, 1);
                        sub.bits = field.bits.map(|width| (field.bit, width));
                        if record.kind == RecordKind::Union {
                            sub.union = true;
                            self.unset_rest(lv, &sub);
                        }
                        self.collect(sub, &item.init, out)?;
                    }
                }
                _ => {
                    // A scalar in braces.
                    if let Some(item) = items.first() {
                        self.collect(lv, &item.init, out)?;
                    }
                }
            },
        }
        Ok(())
    }

    /// The bytes of an automatic union beyond the member that is initialised have unspecified
    /// values (6.2.6.1p7): GCC clears them, clang does not.
    fn unset_rest(&mut self, union: Lv, member: &Lv) {
        let size = |ty| self.p.types.size_of(ty).unwrap_or(0) as u32;
        let used = match member.bits {
            Some((bit, width)) => (bit + width).div_ceil(8),
            None => size(member.ty),
        };
        let rest = size(union.ty).saturating_sub(used);
        if let (Place::Frame { .. }, Some((base, _, at)), 1..) =
            (union.place, self.direct(union.place), rest)
        {
            self.emit(Op::Unset { base, at: at + used, size: rest });
        }
    }

    /// Emits the initialisation of a static variable.
    pub(super) fn static_init(&mut self, id: VarId) {
        let p = self.p;
        let var = p.var(id);
        let (Some(Home::Static { global }), Some(init)) = (self.homes[id.index()], &var.init)
        else {
            return;
        };
        let lv = Lv {
            init: true,
            ..Lv::new(Place::Static { global, at: 0, x: NO_REG }, p.types.resolved(var.ty), 1)
        };
        self.guarded(|s| s.init_object(lv, init));
    }
}

fn sub_place(lv: Lv, by: u32, ty: Ty, align: u32) -> Lv {
    let place = match lv.place {
        Place::Static { global, at, x } => Place::Static { global, at: at + by, x },
        Place::Frame { local, at, x } => Place::Frame { local, at: at + by, x },
        other => other,
    };
    Lv { place, ty, align, bits: None, ..lv }
}
