//! Types, variables and their initialisers.

use super::Smith;
use super::features::{Feature, Limit};
use super::header::INTS;
use super::object::{Pointee, PointerTo, ValueType, VarIndex, Variable};
use super::relax::Relaxation;
use ctree::{
    ExprId, Field, Init, InitItem, Item, Quals, RecordId, RecordKind, Scope, StmtKind, Storage, Ty,
    TypeKind,
};
use std::collections::BTreeSet;

impl Smith {
    /// Structs and unions that variables are made of.
    pub(super) fn record_types(&mut self) {
        if self.has(Feature::Structs) {
            for _ in 0..1 + self.below(3) {
                self.record(RecordKind::Struct);
            }
        }
        if self.has(Feature::Unions) {
            for _ in 0..1 + self.below(2) {
                self.record(RecordKind::Union);
            }
        }
    }

    /// One of the structs, of which there is one at least.
    pub(super) fn a_struct(&mut self) -> RecordId {
        let structs = self.structs.clone();
        self.pick_one(&structs)
    }

    pub(super) fn record_type(&mut self, id: RecordId) -> Ty {
        self.program.types.intern(TypeKind::Record(id))
    }

    /// An integer type that programs may have.
    pub(super) fn int(&mut self) -> usize {
        let allowed: Vec<usize> = (0..INTS.len())
            .filter(|&i| match INTS[i].name {
                "int8_t" => self.has(Feature::Int8),
                "uint8_t" => self.has(Feature::Uint8),
                _ => INTS[i].bits < 64 || self.has(Feature::Longlong),
            })
            .collect();
        self.pick_one(&allowed)
    }

    fn record(&mut self, kind: RecordKind) {
        let is_struct = kind == RecordKind::Struct;
        let most = self.limit(if is_struct { Limit::StructFields } else { Limit::UnionFields });
        let mut fields = Vec::new();
        for number in 0..1 + self.below(u64::from(most)) {
            let name = self.program.names.intern(&format!("f{number}"));
            fields.push(self.field(name, is_struct));
        }
        if !is_struct {
            // An initialiser of the first member sets all bytes.
            let size = |f: &Field| self.program.types.size_of(f.ty).unwrap_or(0);
            fields.sort_by_key(|f| std::cmp::Reverse(size(f)));
        }
        let packed = is_struct && self.has(Feature::Packed) && self.percent(25);
        let number = self.structs.len() + self.unions.len();
        let tag = format!("{}{number}", if is_struct { 'S' } else { 'U' });
        let id = self.program.add_record(&tag, kind, fields, packed);
        self.type_items.push(Item::Record(id));
        let mut inside = BTreeSet::new();
        self.reachable(ValueType::Record(id), &mut inside);
        let ty = self.record_type(id);
        self.inside.insert(ty, inside);
        if is_struct { self.structs.push(id) } else { self.unions.push(id) }
    }

    fn field(&mut self, name: ctree::Sym, is_struct: bool) -> Field {
        if is_struct && self.has(Feature::Bitfields) && self.percent(35) {
            let signed = self.percent(50);
            let width = 1 + u32::from(signed) + self.below(30) as u32;
            let ty = if signed { Ty::INT } else { Ty::UINT };
            return Field { bits: Some(width), ..Field::new(Some(name), ty) };
        }
        if is_struct && !self.structs.is_empty() && self.percent(12) {
            let id = self.a_struct();
            let ty = self.record_type(id);
            return Field::new(Some(name), ty);
        }
        let int = self.int();
        let mut ty = self.ints[int];
        if self.has(Feature::Volatiles) && self.percent(8) {
            ty = ty.qualified(Quals::VOLATILE);
        }
        Field::new(Some(name), ty)
    }

    /// The members that programs use: all of a struct, of a union those of its own size, so that
    /// each can be read after any other was written.
    pub(super) fn members(&self, id: RecordId) -> Vec<u32> {
        let record = &self.program.types.records[id.index()];
        let whole = |f: &Field| self.program.types.size_of(f.ty) == Some(record.size);
        (0..record.fields.len() as u32)
            .filter(|&i| record.kind == RecordKind::Struct || whole(&record.fields[i as usize]))
            .collect()
    }

    /// A new global of a kind that is drawn.
    pub(super) fn random_global(&mut self) -> VarIndex {
        let value_type = self.random_value_type();
        let dims = self.random_dims();
        let quals = self.random_quals();
        self.global(value_type, dims, quals)
    }

    pub(super) fn random_value_type(&mut self) -> ValueType {
        let records: Vec<RecordId> = self.structs.iter().chain(&self.unions).copied().collect();
        if self.has(Feature::Pointers) && self.percent(25) {
            return ValueType::Pointer(self.random_pointer());
        }
        if !records.is_empty() && self.percent(20) {
            return ValueType::Record(self.pick_one(&records));
        }
        ValueType::Int(self.int())
    }

    pub(super) fn random_pointer(&mut self) -> PointerTo {
        let mut depth = 1;
        while depth < self.limit(Limit::PointerDepth) && self.percent(20) {
            depth += 1;
        }
        let base = match self.structs.is_empty() || !self.percent(15) {
            true => Pointee::Int(self.int()),
            false => Pointee::Record(self.a_struct()),
        };
        let mut quals = Quals::NONE;
        let volatiles = self.has(Feature::Volatiles) && self.has(Feature::VolatilePointers);
        if volatiles && self.percent(10) {
            quals = quals.with(Quals::VOLATILE);
        }
        let consts = self.has(Feature::Consts) && self.has(Feature::ConstPointers);
        if consts && self.percent(10) {
            quals = quals.with(Quals::CONST);
        }
        PointerTo { depth, base, quals }
    }

    fn random_dims(&mut self) -> Vec<u64> {
        if !self.has(Feature::Arrays) || !self.percent(25) {
            return Vec::new();
        }
        let mut count = 1;
        while count < self.limit(Limit::ArrayDim) && self.percent(35) {
            count += 1;
        }
        let most = u64::from(self.limit(Limit::ArrayLen));
        let mut room = ELEMENTS;
        let dims = (0..count).map(|_| {
            let length = 1 + self.below(most.min(room));
            room = (room / length).max(1);
            length
        });
        dims.collect()
    }

    fn random_quals(&mut self) -> Quals {
        let mut quals = Quals::NONE;
        if self.has(Feature::Volatiles) && self.percent(10) {
            quals = quals.with(Quals::VOLATILE);
        }
        if self.has(Feature::Consts) && self.percent(8) {
            quals = quals.with(Quals::CONST);
        }
        quals
    }

    /// A global variable with an initialiser.
    pub(super) fn global(
        &mut self,
        value_type: ValueType,
        dims: Vec<u64>,
        quals: Quals,
    ) -> VarIndex {
        let obj = self.object("g", value_type, dims, quals, 0, Scope::File);
        let constant_only = std::mem::replace(&mut self.constant_only, true);
        let init = self.initialiser(obj);
        self.constant_only = constant_only;
        let var = self.objects[obj].var;
        let entry = &mut self.program.vars[var.index()];
        (entry.storage, entry.init) = (Storage::Static, init);
        self.global_items.push(Item::Var(var));
        self.globals.push(obj);
        obj
    }

    /// A local variable of a kind that is drawn, declared in the current block.
    pub(super) fn random_local(&mut self) {
        let value_type = self.random_value_type();
        let dims = self.random_dims();
        let quals = self.random_quals();
        self.local(value_type, dims, quals);
    }

    /// A variable of the current block with an initialiser.
    pub(super) fn local(
        &mut self,
        value_type: ValueType,
        dims: Vec<u64>,
        quals: Quals,
    ) -> VarIndex {
        let obj = self.object("l", value_type, dims, quals, self.level, Scope::Block);
        let init = self.initialiser(obj);
        let var = self.objects[obj].var;
        self.program.vars[var.index()].init = init;
        let decl = self.program.make_stmt(StmtKind::Decl(vec![Item::Var(var)]));
        if let Some(decls) = self.decls.last_mut() {
            decls.push(decl);
        }
        self.locals.push(obj);
        obj
    }

    /// A variable that is not declared yet.
    pub(super) fn object(
        &mut self,
        prefix: &str,
        value_type: ValueType,
        dims: Vec<u64>,
        quals: Quals,
        level: u32,
        scope: Scope,
    ) -> VarIndex {
        self.names += 1;
        let name = format!("{prefix}_{}", self.names);
        let mut ty = self.c_type(value_type).qualified(quals);
        for &length in dims.iter().rev() {
            ty = self.program.types.array(ty, length);
        }
        let var = self.program.add_var(&name, ty, scope);
        let is_pointer = matches!(value_type, ValueType::Pointer(_));
        let nullable = is_pointer && self.percent(25) && !self.pointee;
        // A variable without pointers to it can be a counter, and its effects are known exactly.
        let pointable = (self.percent(60) || self.pointee) && !nullable;
        let mut scalars = BTreeSet::new();
        self.reachable(value_type, &mut scalars);
        let is_param = scope == Scope::Param;
        self.objects.push(Variable {
            var,
            value_type,
            dims,
            level,
            quals,
            is_param,
            pointable,
            nullable,
            scalars,
        });
        self.objects.len() - 1
    }

    fn reachable(&mut self, value_type: ValueType, types: &mut BTreeSet<Ty>) {
        let ty = self.c_type(value_type);
        types.insert(self.program.types.canon(ty).unqual());
        let ValueType::Record(id) = value_type else { return };
        let fields: Vec<Ty> =
            self.program.types.records[id.index()].fields.iter().map(|f| f.ty).collect();
        for ty in fields {
            match self.program.types.as_record(ty) {
                Some(inner) => self.reachable(ValueType::Record(inner), types),
                None => {
                    types.insert(self.program.types.canon(ty).unqual());
                }
            }
        }
    }

    /// The initialiser of a variable; none, where that restriction is relaxed.
    fn initialiser(&mut self, obj: VarIndex) -> Option<Init> {
        let (value_type, dims) = (self.objects[obj].value_type, self.objects[obj].dims.clone());
        let init = self.array_init(obj, value_type, &dims);
        if !self.relaxes(Relaxation::Init) {
            return Some(init);
        }
        let var = self.objects[obj].var;
        if let Some(taken) = self.applied.last_mut() {
            taken.var = Some(var);
        }
        None
    }

    fn array_init(&mut self, obj: VarIndex, value_type: ValueType, dims: &[u64]) -> Init {
        let Some((&length, rest)) = dims.split_first() else {
            return self.value_init(obj, value_type);
        };
        let items = (0..length).map(|i| {
            let init = self.array_init(obj, value_type, rest);
            InitItem { first: i, last: i, init }
        });
        Init::List(items.collect())
    }

    fn value_init(&mut self, obj: VarIndex, value_type: ValueType) -> Init {
        let value = match value_type {
            ValueType::Int(int) => {
                let ty = self.ints[int];
                let value = self.constant(Some(int));
                return self.program.init_expr(ty, value);
            }
            ValueType::Record(id) => return self.record_init(id),
            ValueType::Pointer(to) => {
                let (nullable, level) = (self.objects[obj].nullable, self.objects[obj].level);
                match nullable && self.percent(50) {
                    true => self.null(),
                    false => self.address(to, level, None),
                }
            }
        };
        let ty = self.c_type(value_type);
        self.program.init_expr(ty, value)
    }

    fn record_init(&mut self, id: RecordId) -> Init {
        let record = &self.program.types.records[id.index()];
        let is_union = record.kind == RecordKind::Union;
        let fields: Vec<(Ty, Option<u32>)> = record
            .fields
            .iter()
            .map(|f| (f.ty, f.bits))
            .take(if is_union { 1 } else { 99 })
            .collect();
        let items = fields.into_iter().enumerate().map(|(i, (ty, _))| {
            let init = match self.program.types.as_record(ty) {
                Some(inner) => self.record_init(inner),
                None => {
                    let value = self.constant(None);
                    self.program.init_expr(ty, value)
                }
            };
            InitItem { first: i as u64, last: i as u64, init }
        });
        Init::List(items.collect())
    }

    /// A constant: small, at the edge of a type, or any.
    pub(super) fn constant(&mut self, int: Option<usize>) -> ExprId {
        let int = match int {
            Some(int) => INTS[int],
            None => {
                let int = self.int();
                INTS[int]
            }
        };
        let (bits, signed) = (int.bits, int.signed);
        let max: i128 = (1 << (bits - u32::from(signed))) - 1;
        let min: i128 = if signed { -max - 1 } else { 0 };
        let value = match self.below(10) {
            0..=3 => i128::from(self.below(10)),
            4 => max - i128::from(self.below(3)),
            5 => min + i128::from(self.below(3)),
            6 if signed => -1 - i128::from(self.below(9)),
            _ => {
                let any = i128::from(self.choices().bits(bits));
                if any > max { any - (1 << bits) } else { any }
            }
        };
        let ty = match (bits, signed) {
            (64, true) => Ty::LONG,
            (64, false) => Ty::ULONG,
            (32, false) => Ty::UINT,
            _ => Ty::INT,
        };
        self.program.int_const(ty, value)
    }

    /// `(void *)0`
    pub(super) fn null(&mut self) -> ExprId {
        let zero = self.program.int_const(Ty::INT, 0);
        let to = self.program.types.pointer(Ty::VOID);
        self.program.cast(to, zero)
    }
}

/// Elements of an array.
const ELEMENTS: u64 = 120;
