//! Initialisers.

use super::effects::Effects;
use super::lvalue::{LValue, ValueLocation};
use super::{Lower, Lowered, VarLocation};
use crate::code::*;
use crate::kind::ScalarKind;
use ctree::{
    ArrayLen, ExprId, ExprKind, Init, Program, RecordKind, StrId, Ty, TypeKind, Var, VarId,
};

/// Most elements of one `[a ... b]`, which are initialised one by one.
const MAX_RANGE: u64 = 1 << 16;

/// A value and where it goes.
struct InitValue {
    lv: LValue,
    value: InitSource,
}

enum InitSource {
    Scalar(ExprId),
    Record(ExprId),
    Vector(ExprId),
    Str(StrId, u64),
}

/// Bytes that an initialiser gives to a flexible array member, beyond the record's size.
pub(super) fn flexible_extra(program: &Program, var: &Var) -> u64 {
    let Some(id) = program.types.as_record(var.ty) else { return 0 };
    let record = &program.types.records[id.index()];
    let (Some(last), Some(Init::List(items))) = (record.fields.last(), &var.init) else { return 0 };
    let Some((elem, ArrayLen::Unknown)) = program.types.as_array(last.ty) else { return 0 };
    let size = program.types.size_of(elem).unwrap_or(0);
    let Some(item) = items.iter().find(|i| i.first as usize == record.fields.len() - 1) else {
        return 0;
    };
    let count = match &item.init {
        Init::List(list) => list.iter().map(|i| i.last + 1).max().unwrap_or(0),
        Init::Expr(e) => match program.expr(*e).kind {
            ExprKind::Str(s) => program.strings[s.index()].bytes.len() as u64 / size.max(1),
            _ => 0,
        },
    };
    (last.offset + count * size).saturating_sub(record.size)
}

impl Lower<'_> {
    /// Initialises a whole known object.
    pub(super) fn init_object(&mut self, lv: LValue, init: &Init) -> Lowered<()> {
        let mark = self.func.next;
        let mut values = Vec::new();
        if let Init::List(_) = init {
            self.zero(&lv)?;
        }
        self.collect(lv, init, &mut values)?;
        let effects: Vec<Effects> = values
            .iter()
            .map(|value| match value.value {
                InitSource::Scalar(e) | InitSource::Record(e) | InitSource::Vector(e) => {
                    self.effects(e)
                }
                InitSource::Str(..) => Effects::default(),
            })
            .collect();
        // The initialisers are indeterminately sequenced (6.7.9p23). Those that read the object
        // itself count as in conflict with its initialisation.
        let any_write = effects.iter().any(|e| e.writes != 0);
        let own = self.own_bits(&lv);
        let reads_own = values.len() > 1 && effects.iter().any(|e| e.reads & own != 0);
        let clash = values.len() > 1
            && (reads_own
                || (any_write
                    && effects
                        .iter()
                        .enumerate()
                        .any(|(i, a)| effects[..i].iter().any(|b| a.conflicts(*b)))));
        if clash {
            self.func.regions += 1;
            self.emit(Op::RegionBegin { initialiser: true });
        }
        for value in &values {
            if clash {
                self.emit(Op::LogOn);
            }
            self.init_leaf(value)?;
            if clash {
                self.emit(Op::LogOff);
            }
        }
        if clash {
            self.region_end();
        }
        self.func.next = mark;
        Ok(())
    }

    /// The bits that stand for the object in [`Effects`].
    fn own_bits(&mut self, lv: &LValue) -> u64 {
        let origin = match lv.location {
            ValueLocation::Frame { local, .. } => self.func.locals[local as usize].origin,
            _ => return 0,
        };
        match origin {
            crate::memory::Origin::Var(v) if !self.facts.escapes[v.index()] => 1 << (1 + v.0 % 31),
            crate::memory::Origin::Var(_) => !0 << 32,
            _ => 0,
        }
    }

    fn init_leaf(&mut self, value: &InitValue) -> Lowered<()> {
        let mark = self.func.next;
        match value.value {
            InitSource::Scalar(e) => {
                self.at_expr(e, |s| {
                    let kind = s.kind_of(value.lv.ty)?;
                    // A bit-field store changes its register, so it must not be a variable's own.
                    let want = value.lv.bits.map(|_| s.temp_for(kind));
                    let r = s.value(e, want)?;
                    s.store(&value.lv, r)
                })?;
            }
            InitSource::Record(e) => {
                let from = self.aggregate(e)?;
                self.at_expr(e, |s| s.copy(&value.lv, &from))?;
            }
            InitSource::Vector(e) => {
                let lanes = self.lanes(value.lv.ty)?;
                self.vector(e, lanes)?;
                self.at_expr(e, |s| s.store_lanes(&value.lv, lanes))?;
            }
            InitSource::Str(id, room) => {
                let mut bytes = self.program.strings[id.index()].bytes.clone();
                bytes.resize(room as usize, 0);
                let (base, _, at) = self
                    .direct(value.lv.location)
                    .ok_or("string initialiser of an object behind a pointer")?;
                self.code.byte_strings.push(bytes);
                let bytes = self.code.byte_strings.len() as u32 - 1;
                self.emit(Op::Bytes { base, at, bytes });
            }
        }
        self.func.next = mark;
        Ok(())
    }

    fn zero(&mut self, lv: &LValue) -> Lowered<()> {
        let (base, _, at) =
            self.direct(lv.location).ok_or("initialiser of an object behind a pointer")?;
        let size = match lv.location {
            ValueLocation::Static { global, .. } => self.code.globals[global as usize].size,
            ValueLocation::Frame { local, .. } => self.func.locals[local as usize].size,
            _ => 0,
        };
        self.emit(Op::Zero { base, at, size });
        Ok(())
    }

    fn collect(&mut self, lv: LValue, init: &Init, out: &mut Vec<InitValue>) -> Lowered<()> {
        let program = self.program;
        match init {
            Init::Expr(e) => {
                let array = program.types.as_array(lv.ty);
                let value = match (&program.expr(*e).kind, array) {
                    (ExprKind::Str(id), Some((_, len))) => {
                        let room = match len {
                            ArrayLen::Known(n) => {
                                n * program
                                    .types
                                    .size_of(
                                        program.types.as_array(lv.ty).map_or(Ty::CHAR, |a| a.0),
                                    )
                                    .unwrap_or(1)
                            }
                            ArrayLen::Unknown => program.strings[id.index()].bytes.len() as u64,
                        };
                        InitSource::Str(*id, room)
                    }
                    (ExprKind::CompoundLit(_, inner), Some(_)) => {
                        return self.collect(lv, inner, out);
                    }
                    _ if ScalarKind::of(&program.types, lv.ty).is_some() => InitSource::Scalar(*e),
                    _ if self.is_vector(lv.ty) => InitSource::Vector(*e),
                    _ => InitSource::Record(*e),
                };
                out.push(InitValue { lv, value });
            }
            Init::List(items) => match *program.types.shape(lv.ty) {
                TypeKind::Array(elem, _) | TypeKind::Vector(elem, _) => {
                    let size = program
                        .types
                        .size_of(elem)
                        .ok_or("initialiser of an array with elements of incomplete type")?
                        as u32;
                    let elem = program.types.resolved(elem);
                    for item in items {
                        if item.last - item.first > MAX_RANGE {
                            return Err("initialiser range of more than 65536 elements".into());
                        }
                        for i in item.first..=item.last {
                            let sub =
                                sub_lvalue(lv, i as u32 * size, elem, program.types.align_of(elem));
                            self.collect(sub, &item.init, out)?;
                        }
                    }
                }
                TypeKind::Record(id) => {
                    let record = &program.types.records[id.index()];
                    for item in items {
                        let field = &record.fields[item.first as usize];
                        let fty = program.types.resolved(field.ty);
                        let mut sub = sub_lvalue(lv, field.offset as u32, fty, 1);
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
    fn unset_rest(&mut self, union: LValue, member: &LValue) {
        let size = |ty| self.program.types.size_of(ty).unwrap_or(0) as u32;
        let used = match member.bits {
            Some((bit, width)) => (bit + width).div_ceil(8),
            None => size(member.ty),
        };
        let rest = size(union.ty).saturating_sub(used);
        if let (ValueLocation::Frame { .. }, Some((base, _, at)), 1..) =
            (union.location, self.direct(union.location), rest)
        {
            self.emit(Op::Unset { base, at: at + used, size: rest });
        }
    }

    /// Emits the initialisation of a static variable.
    pub(super) fn static_init(&mut self, id: VarId) {
        let program = self.program;
        let var = program.var(id);
        let (Some(VarLocation::Static { global }), Some(init)) =
            (self.var_locations[id.index()], &var.init)
        else {
            return;
        };
        let lv = LValue {
            init: true,
            ..LValue::new(
                ValueLocation::Static { global, at: 0, x: NO_REG },
                program.types.resolved(var.ty),
                1,
            )
        };
        self.or_unsupported(|s| s.init_object(lv, init));
    }
}

fn sub_lvalue(lv: LValue, by: u32, ty: Ty, align: u32) -> LValue {
    let location = match lv.location {
        ValueLocation::Static { global, at, x } => ValueLocation::Static { global, at: at + by, x },
        ValueLocation::Frame { local, at, x } => ValueLocation::Frame { local, at: at + by, x },
        other => other,
    };
    LValue { location, ty, align, bits: None, ..lv }
}
