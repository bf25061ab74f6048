//! Lvalues of integer type within variables, addresses, and indices.

use super::object::{Accessed, Effects, Pointee, PointerTo, ValueType, VarIndex};
use super::relax::Relaxation;
use super::{Induction, Smith};
use ctree::{BinOp, ExprId, Quals, RecordId, RecordKind, Ty};

/// Where the address of something goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Argument;

impl Smith {
    /// Everything that can be named here.
    pub(super) fn visible(&self) -> Vec<VarIndex> {
        self.globals.iter().chain(&self.locals).copied().collect()
    }

    /// One of the suitable variables that is allowed here, or any suitable one where conflicts are
    /// relaxed. `effects` gives the effects of the access.
    fn choose(
        &mut self,
        fits: impl Fn(&Smith, VarIndex) -> bool,
        effects: impl Fn(&mut Smith, VarIndex) -> Effects,
    ) -> (Option<VarIndex>, Option<VarIndex>) {
        let globals = self.globals.clone();
        let locals = self.locals.clone();
        // The block's own variables are used as much as the many globals.
        let mut pools = [locals, globals];
        if self.percent(50) {
            pools.reverse();
        }
        let mut fitting: Vec<VarIndex> = Vec::new();
        let mut base = None;
        for pool in pools {
            let some: Vec<VarIndex> = pool.into_iter().filter(|o| fits(self, *o)).collect();
            if base.is_none() {
                let mut allowed = some.clone();
                allowed.retain(|&o| {
                    let effects = effects(self, o);
                    self.allows(&effects)
                });
                if !allowed.is_empty() {
                    base = Some(self.pick_one(&allowed));
                }
            }
            fitting.extend(some);
        }
        // If no variable is allowed, the base seed chooses something else.
        let conflicting = (base.is_some() && self.relaxes(Relaxation::Conflicts))
            .then(|| self.relax.pick(&fitting).copied());
        (base, conflicting.flatten())
    }

    /// An integer that is read; `None` where nothing can be.
    pub(super) fn read(&mut self) -> Option<ExprId> {
        let fits = |s: &Smith, o: VarIndex| !s.objects[o].nullable;
        let (base, conflicting) = self.choose(fits, |s, o| s.reading(o));
        let made = base.map(|obj| {
            let effects = self.reading(obj);
            self.note(&effects);
            (obj, self.integer_in(obj))
        });
        if let Some(other) = conflicting {
            return Some(self.with_relaxation_stream(|s| s.integer_in(other)));
        }
        let (obj, expr) = made?;
        Some(self.or_through_null(obj, expr, false))
    }

    /// An integer that can be written, with what writing it does.
    pub(super) fn write(&mut self) -> Option<(ExprId, Effects)> {
        let fits = |s: &Smith, o: VarIndex| {
            let object = &s.objects[o];
            let constant = match object.value_type {
                ValueType::Pointer(to) => to.quals.has(Quals::CONST),
                _ => object.quals.has(Quals::CONST),
            };
            !object.nullable && !constant && !s.locked.contains(&o)
        };
        let (base, conflicting) = self.choose(fits, |s, o| s.writing(o));
        let made = base.map(|obj| {
            let effects = self.writing(obj);
            // Reads along the path happen at once, the write after the value.
            self.note(&Effects { reads: effects.reads.clone(), writes: Vec::new() });
            (obj, self.integer_in(obj), Effects { reads: Vec::new(), writes: effects.writes })
        });
        if let Some(other) = conflicting {
            let effects = made.as_ref().map(|(.., effects)| effects.clone()).unwrap_or_default();
            return Some((self.with_relaxation_stream(|s| s.integer_in(other)), effects));
        }
        let (obj, expr, effects) = made?;
        Some((self.or_through_null(obj, expr, true), effects))
    }

    /// Where a pointer is dereferenced, sometimes dereferences one that may be null instead.
    fn or_through_null(&mut self, obj: VarIndex, expr: ExprId, written: bool) -> ExprId {
        if !matches!(self.objects[obj].value_type, ValueType::Pointer(_))
            || !self.relaxes(Relaxation::Null)
        {
            return expr;
        }
        let fits = |o: &VarIndex| match self.objects[*o].value_type {
            ValueType::Pointer(to) => {
                self.objects[*o].nullable && !(written && to.quals.has(Quals::CONST))
            }
            _ => false,
        };
        let nullable: Vec<VarIndex> = self.visible().into_iter().filter(fits).collect();
        match self.relax.pick(&nullable).copied() {
            Some(other) => self.with_relaxation_stream(|s| s.integer_in(other)),
            None => expr,
        }
    }

    /// An integer within a variable.
    pub(super) fn integer_in(&mut self, obj: VarIndex) -> ExprId {
        let at = self.element(obj);
        match self.objects[obj].value_type {
            ValueType::Int(_) => at,
            ValueType::Record(id) => self.member_of(at, id),
            ValueType::Pointer(to) => {
                let mut at = at;
                for _ in 1..to.depth {
                    at = self.program.deref(at);
                }
                match to.base {
                    Pointee::Int(_) => self.program.deref(at),
                    Pointee::Record(id) => {
                        let record = match self.percent(70) {
                            true => {
                                let field = self.member(id);
                                let member = self.program.arrow(at, field);
                                return self.down_to_integer(member);
                            }
                            false => self.program.deref(at),
                        };
                        self.member_of(record, id)
                    }
                }
            }
        }
    }

    /// A variable, or an element where it is an array.
    pub(super) fn element(&mut self, obj: VarIndex) -> ExprId {
        let (var, dims) = (self.objects[obj].var, self.objects[obj].dims.clone());
        let mut at = self.program.var_ref(var);
        for length in dims {
            let index = self.index(length);
            at = self.program.index(at, index);
        }
        at
    }

    fn member(&mut self, id: RecordId) -> u32 {
        let members = self.members(id);
        self.pick_one(&members)
    }

    fn member_of(&mut self, record: ExprId, id: RecordId) -> ExprId {
        let field = self.member(id);
        let member = self.program.member(record, field);
        self.down_to_integer(member)
    }

    fn down_to_integer(&mut self, mut at: ExprId) -> ExprId {
        while let Some(id) = self.program.types.as_record(self.program.expr(at).ty) {
            let field = self.member(id);
            at = self.program.member(at, field);
        }
        at
    }

    /// An index into so many elements; any expression, where bounds are relaxed.
    fn index(&mut self, length: u64) -> ExprId {
        let fits = |i: &&Induction| i.low >= 0 && i.high < length as i64;
        let counters: Vec<Induction> = self.inductions.iter().filter(fits).copied().collect();
        let base = match self.below(3) {
            0 | 1 if !counters.is_empty() => {
                let counter = self.pick_one(&counters);
                self.note(&Effects {
                    reads: vec![Accessed::Variable(counter.obj)],
                    ..Effects::default()
                });
                let var = self.objects[counter.obj].var;
                self.program.var_ref(var)
            }
            _ => {
                let at = self.below(length);
                self.program.int_const(Ty::INT, i128::from(at))
            }
        };
        match self.relaxes(Relaxation::Bounds) {
            true => self.with_relaxation_stream(|s| s.any_index(length)),
            false => base,
        }
    }

    /// A constant near the bounds, or a variable and a constant.
    fn any_index(&mut self, length: u64) -> ExprId {
        let scalars: Vec<VarIndex> =
            self.visible().into_iter().filter(|o| self.is_plain_int(*o)).collect();
        let near = self.below(2 * length + 1);
        if scalars.is_empty() || self.constant_only || self.percent(50) {
            let before = i128::from(self.percent(5));
            return self.program.int_const(Ty::INT, i128::from(near) - before);
        }
        let obj = self.pick_one(&scalars);
        let value = self.program.var_ref(self.objects[obj].var);
        let op = [BinOp::Rem, BinOp::BitAnd, BinOp::Sub, BinOp::Add, BinOp::BitXor, BinOp::Mul];
        let op = self.pick_one(&op);
        let constant = if op == BinOp::BitAnd { near } else { near.max(1) };
        let constant = self.program.int_const(Ty::UINT, i128::from(constant));
        self.program.binary(op, value, constant)
    }

    /// An integer variable, not an array.
    pub(super) fn is_plain_int(&self, obj: VarIndex) -> bool {
        matches!(self.objects[obj].value_type, ValueType::Int(_))
            && self.objects[obj].dims.is_empty()
    }

    /// The value of a pointer: of another pointer, or an address. What it points to lives at least as
    /// long as something of that level.
    pub(super) fn address(
        &mut self,
        to: PointerTo,
        level: u32,
        argument: Option<Argument>,
    ) -> ExprId {
        let base = self.safe_address(to, level, argument);
        if argument.is_some() && self.relaxes(Relaxation::ParamAddress) {
            let params = |s: &Smith, o: VarIndex| s.objects[o].is_param;
            if let Some(address) = self.some_address(to, params) {
                return address;
            }
        }
        base
    }

    fn some_address(
        &mut self,
        to: PointerTo,
        fits: impl Fn(&Smith, VarIndex) -> bool,
    ) -> Option<ExprId> {
        let all: Vec<VarIndex> = self.visible().into_iter().filter(|o| fits(self, *o)).collect();
        let all: Vec<VarIndex> = all.into_iter().filter(|o| self.can_point_to(*o, to)).collect();
        let obj = self.relax.pick(&all).copied()?;
        Some(self.with_relaxation_stream(|s| s.address_in(obj, to)))
    }

    fn safe_address(&mut self, to: PointerTo, level: u32, argument: Option<Argument>) -> ExprId {
        let visible = self.visible();
        let same = |o: &&VarIndex| {
            let object = &self.objects[**o];
            object.value_type == ValueType::Pointer(to) && !object.nullable && object.level <= level
        };
        let mut pointers: Vec<VarIndex> = visible.iter().filter(same).copied().collect();
        // Initialisers of globals are constant.
        pointers.retain(|_| self.in_function && !self.constant_only);
        pointers.retain(|&o| {
            let effects = Effects { reads: vec![Accessed::Variable(o)], writes: Vec::new() };
            self.allows(&effects)
        });
        if !pointers.is_empty() && self.percent(40) {
            let obj = self.pick_one(&pointers);
            self.note(&Effects { reads: vec![Accessed::Variable(obj)], writes: Vec::new() });
            return self.element(obj);
        }
        let lives = |o: &VarIndex| {
            let object = &self.objects[*o];
            let outlives = object.level <= level && object.pointable;
            outlives && !(argument.is_some() && object.is_param) && self.can_point_to(*o, to)
        };
        let mut objects: Vec<VarIndex> = visible.iter().filter(|o| lives(o)).copied().collect();
        if self.constant_only {
            objects.retain(|o| self.objects[*o].level == 0);
        }
        if objects.is_empty() || self.percent(5) {
            objects = vec![self.new_pointee(to)];
        }
        let obj = self.pick_one(&objects);
        self.address_in(obj, to)
    }

    /// Whether a pointer of this type can point to a variable or into it.
    pub(super) fn can_point_to(&self, obj: VarIndex, to: PointerTo) -> bool {
        let object = &self.objects[obj];
        let quals = object.quals;
        match object.value_type {
            ValueType::Pointer(inner) => {
                inner.depth + 1 == to.depth
                    && PointerTo { depth: to.depth, ..inner } == to
                    && quals == Quals::NONE
                    && !object.nullable
            }
            _ if to.depth > 1 || !to.quals.has(quals) => false,
            ValueType::Int(int) => to.base == Pointee::Int(int),
            ValueType::Record(id) => {
                to.base == Pointee::Record(id) || !self.members_like(id, to).is_empty()
            }
        }
    }

    /// Members of a record that a pointer may point to.
    fn members_like(&self, id: RecordId, to: PointerTo) -> Vec<u32> {
        let record = &self.program.types.records[id.index()];
        let Pointee::Int(int) = to.base else { return Vec::new() };
        if record.packed || record.kind == RecordKind::Union {
            return Vec::new();
        }
        let wanted = self.ints[int];
        let fits = |i: &u32| {
            let field = &record.fields[*i as usize];
            field.bits.is_none() && field.ty.unqual() == wanted && to.quals.has(field.ty.quals())
        };
        (0..record.fields.len() as u32).filter(fits).collect()
    }

    pub(super) fn address_in(&mut self, obj: VarIndex, to: PointerTo) -> ExprId {
        // A stored pointer must not depend on a loop counter.
        let inductions = std::mem::take(&mut self.inductions);
        let mut at = self.element(obj);
        self.inductions = inductions;
        if let (ValueType::Record(id), Pointee::Int(_)) = (self.objects[obj].value_type, to.base) {
            let members = self.members_like(id, to);
            let field = self.pick_one(&members);
            at = self.program.member(at, field);
        }
        self.program.addr_of(at)
    }

    /// A global that a pointer of this type can point to.
    fn new_pointee(&mut self, to: PointerTo) -> VarIndex {
        let (value_type, quals) = match to.depth {
            1 => match to.base {
                Pointee::Int(int) => (ValueType::Int(int), to.quals),
                Pointee::Record(id) => (ValueType::Record(id), to.quals),
            },
            _ => (ValueType::Pointer(PointerTo { depth: to.depth - 1, ..to }), Quals::NONE),
        };
        let pointee = std::mem::replace(&mut self.pointee, true);
        let obj = self.global(value_type, Vec::new(), quals);
        self.pointee = pointee;
        obj
    }
}
