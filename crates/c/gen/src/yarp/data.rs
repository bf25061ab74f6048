//! The symbol table: the variables of a test and their initial values.

use super::Yarp;
use super::scope::VarPool;
use crate::policy::knobs::{Chance, Container, DataKind, Range};
use ctree::{
    ArrayLen, ExprId, ExprKind, Init, InitItem, Item, Quals, RecordKind, Scope, Storage, Ty,
    TypeKind, VarId,
};

/// What a test does with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Read only.
    Input,
    /// Read and written.
    Mixed,
    /// Written only.
    Output,
    /// Read and written, visible to the compiler with its initial value.
    Static,
}

impl Role {
    fn reads(self) -> bool {
        self != Role::Output
    }

    fn writes(self) -> bool {
        self != Role::Input
    }
}

impl Yarp {
    /// The variables of a new test.
    pub(super) fn test_data(&mut self) {
        self.length = self.draw(Range::ArrayLength);
        for _ in 0..1 + self.choices.below(2) {
            self.loop_limit_input();
        }
        for _ in 0..self.draw(Range::Inputs) {
            self.global(Role::Input);
        }
        for _ in 0..self.draw(Range::Mixed) {
            let role = if self.chance(Chance::Static) { Role::Static } else { Role::Mixed };
            self.global(role);
        }
        for _ in 0..self.draw(Range::Outputs) {
            self.global(Role::Output);
        }
    }

    /// A small input, for the bounds of loops.
    fn loop_limit_input(&mut self) {
        let value = self.choices.range(1..=self.length.max(2));
        let ty = self.counter_type(value);
        let init = self.program.int_const(ty, i128::from(value));
        let var = self.define("n", ty, Role::Input, Some(Init::Expr(init)));
        self.scope.add(VarPool::ReadGlobal, var);
        self.limits.push((var, value));
    }

    /// Adds a variable at file scope.
    fn define(&mut self, prefix: &str, ty: Ty, role: Role, init: Option<Init>) -> VarId {
        let name = self.fresh(prefix);
        let var = self.program.add_var(&name, ty, Scope::File);
        let entry = &mut self.program.vars[var.index()];
        entry.init = init;
        entry.storage = if role == Role::Static { Storage::Static } else { Storage::None };
        self.item(Item::Var(var));
        if matches!(role, Role::Mixed | Role::Output) {
            self.test.results.push(var);
        }
        var
    }

    /// A global of a random type.
    pub(super) fn global(&mut self, role: Role) -> Option<VarId> {
        let kind = self.pick::<DataKind>();
        if matches!(kind, DataKind::Pointer | DataKind::PointerPointer) && role != Role::Output {
            return self.pointer_global(kind, role);
        }
        let ty = self.data_type(kind);
        let ty = match role {
            Role::Input if self.chance(Chance::Const) => ty.qualified(Quals::CONST),
            _ => ty,
        };
        let scalar = self.program.types.is_integer(ty);
        let volatile = scalar && self.chance(Chance::Volatile);
        let ty = if volatile { ty.qualified(Quals::VOLATILE) } else { ty };
        let init = if role == Role::Output || (!ty.is_const() && self.chance(Chance::ZeroInit)) {
            None
        } else {
            Some(self.init(ty))
        };
        let prefix = match role {
            Role::Input => "in_",
            Role::Mixed => "mix_",
            Role::Output => "out_",
            Role::Static => "st_",
        };
        let var = self.define(prefix, ty, role, init);
        if self.is_cxx() {
            self.cxx_form(var, ty);
        }
        self.add_to_pools(var, ty, role);
        Some(var)
    }

    /// A new output of a given type.
    pub(super) fn output(&mut self, ty: Ty) -> VarId {
        self.define("out_", ty.unqual(), Role::Output, None)
    }

    /// Adds a variable to the pools that statements choose from.
    fn add_to_pools(&mut self, var: VarId, ty: Ty, role: Role) {
        let (read, write) = match *self.program.types.shape(ty) {
            _ if ty.is_volatile() => (VarPool::ReadVolatile, VarPool::WriteVolatile),
            TypeKind::Array(..) => (VarPool::ReadArray, VarPool::WriteArray),
            TypeKind::Record(_) => (VarPool::ReadRecord, VarPool::WriteRecord),
            _ => (VarPool::ReadGlobal, VarPool::WriteGlobal),
        };
        if role.reads() {
            self.scope.add(read, var);
        }
        if role.writes() {
            self.scope.add(write, var);
        }
        if role == Role::Output {
            self.scope.add(VarPool::WriteOutput, var);
        }
    }

    fn data_type(&mut self, kind: DataKind) -> Ty {
        match kind {
            DataKind::Array => self.array_type(),
            DataKind::Array2 => {
                let rows = self.choices.range(2..=4) as u64;
                let row = self.array_type();
                self.program.types.array(row, rows)
            }
            DataKind::Array3 => {
                let (planes, rows) = (self.choices.range(2..=3), self.choices.range(2..=3));
                let row = self.array_type();
                let plane = self.program.types.array(row, rows as u64);
                self.program.types.array(plane, planes as u64)
            }
            DataKind::Struct => self.struct_type().unwrap_or(Ty::INT),
            DataKind::StructArray => match self.struct_type() {
                Some(elem) => {
                    let length = self.choices.range(2..=6) as u64;
                    self.program.types.array(elem, length)
                }
                None => self.array_type(),
            },
            DataKind::Union => match self.choices.pick(&self.unions).copied() {
                Some(id) => self.record_type(id),
                None => self.int_type(),
            },
            DataKind::Enum => match self.choices.pick(&self.enums).copied() {
                Some(id) if !self.is_cxx() => self.program.types.intern(TypeKind::Enum(id)),
                _ => self.int_type(),
            },
            DataKind::Scalar | DataKind::Pointer | DataKind::PointerPointer => self.int_type(),
        }
    }

    pub(super) fn struct_type(&mut self) -> Option<Ty> {
        let id = self.choices.pick(&self.structs).copied()?;
        Some(self.record_type(id))
    }

    /// An array of integers, most of them of the test's common length.
    pub(super) fn array_type(&mut self) -> Ty {
        if self.chance(Chance::TypeReuse)
            && let Some(&ty) = self.choices.pick(&self.array_types)
        {
            return ty;
        }
        let elem = self.int_type();
        let length = if self.chance(Chance::CommonLength) {
            self.length
        } else {
            self.draw(Range::ArrayLength)
        };
        let ty = self.program.types.array(elem, length as u64);
        self.array_types.push(ty);
        ty
    }

    /// Containers and static members.
    fn cxx_form(&mut self, var: VarId, ty: Ty) {
        let mut dimensions = Vec::new();
        let mut inner = ty;
        while let TypeKind::Array(elem, _) = *self.program.types.shape(inner) {
            inner = elem;
            dimensions.push(match self.pick::<Container>() {
                Container::CArray => ctree::print::Container::CArray,
                Container::StdArray => ctree::print::Container::StdArray,
                Container::Vector => ctree::print::Container::Vector,
                Container::Valarray => ctree::print::Container::Valarray,
            });
        }
        if self.program.types.resolved(inner).unqual() == Ty::BOOL {
            // `std::vector<bool>` has no elements that can be pointed to.
            for container in &mut dimensions {
                if *container == ctree::print::Container::Vector {
                    *container = ctree::print::Container::StdArray;
                }
            }
        }
        if !dimensions.is_empty() {
            self.plan.containers.insert(var, dimensions);
        } else if self.program.var(var).storage == Storage::None
            && self.program.types.is_integer(ty)
            && self.chance(Chance::StaticMember)
            && let Some(&record) = self.choices.pick(&self.structs)
        {
            let name = self.fresh("s");
            let name = self.program.names.intern(&name);
            self.plan.static_members.insert(var, (record, name));
        }
    }

    /// A constant initialiser; parts of an aggregate may be omitted.
    pub(super) fn init(&mut self, ty: Ty) -> Init {
        let parts: Vec<(u64, Ty)> = match *self.program.types.shape(ty) {
            TypeKind::Array(elem, ArrayLen::Known(n)) => (0..n).map(|i| (i, elem)).collect(),
            TypeKind::Vector(elem, lanes) => (0..u64::from(lanes)).map(|i| (i, elem)).collect(),
            TypeKind::Record(id) => {
                let record = &self.program.types.records[id.index()];
                let fields = record.fields.iter().enumerate().filter(|(_, f)| f.name.is_some());
                let fields = fields.map(|(i, f)| (i as u64, f.ty));
                match record.kind {
                    RecordKind::Struct => fields.collect(),
                    // The first member is the largest, so that all bytes are set.
                    RecordKind::Union => fields.take(1).collect(),
                }
            }
            _ => {
                let value = self.constant(ty);
                return self.program.init_expr(ty.unqual(), value);
            }
        };
        let last = parts.len() as u64 - 1;
        // Clang has no designators for lanes.
        let is_vector = matches!(self.program.types.shape(ty), TypeKind::Vector(..));
        let zeroes = self.chance(Chance::ZeroInit) && !is_vector;
        let mut items = Vec::new();
        for (first, ty) in parts {
            if zeroes && first != last && self.choices.chance(50) {
                continue;
            }
            let init = self.init(ty);
            items.push(InitItem { first, last: first, init });
        }
        Init::List(items)
    }

    /// A pointer to another variable of the test, of at least so many elements.
    fn pointer_global(&mut self, kind: DataKind, role: Role) -> Option<VarId> {
        let written = role.writes();
        if kind == DataKind::PointerPointer
            && let Some(&inner) = self.choices.pick(self.scope.all(VarPool::ReadPointer))
            && self.program.var(inner).scope == Scope::File
        {
            let ty = self.program.var(inner).ty;
            let target = self.program.var_ref(inner);
            let address = self.program.addr_of(target);
            let ty = self.program.types.pointer(ty);
            let var = self.pointer_var(ty, address, role);
            self.pointees.insert(var, self.pointees.get(&inner).copied().unwrap_or(1));
            self.scope.add(VarPool::ReadPointer, var);
            if self.scope.all(VarPool::WritePointer).contains(&inner) {
                self.scope.add(VarPool::WritePointer, var);
            }
            return Some(var);
        }
        let (address, elements) = self.address_of_global(written, None)?;
        let ty = self.program.expr(address).ty;
        let var = self.pointer_var(ty, address, role);
        self.pointees.insert(var, elements);
        self.scope.add(VarPool::ReadPointer, var);
        if written {
            self.scope.add(VarPool::WritePointer, var);
            self.scope.add(VarPool::MovePointer, var);
        }
        Some(var)
    }

    fn pointer_var(&mut self, ty: Ty, address: ExprId, role: Role) -> VarId {
        let name = self.fresh("p_");
        let var = self.program.add_var(&name, ty, Scope::File);
        // The driver does not see the statics of the tests. And a C++ container of the driver may be
        // filled after the tests' own variables: a pointer into it stays with it.
        let points_out = self.is_cxx() && !self.names_static(address);
        let hidden = (role == Role::Static && !points_out) || self.names_static(address);
        let entry = &mut self.program.vars[var.index()];
        entry.init = Some(Init::Expr(address));
        entry.storage = if hidden { Storage::Static } else { Storage::None };
        self.item(Item::Var(var));
        var
    }

    fn names_static(&self, address: ExprId) -> bool {
        match self.program.expr(address).kind {
            ExprKind::Var(var) => self.program.var(var).storage == Storage::Static,
            ExprKind::Unary(_, inner) | ExprKind::Implicit(inner) => self.names_static(inner),
            _ => false,
        }
    }

    /// The address of a global that may be read, or written, and how many elements are behind it.
    /// With `like`, only of that pointer type and with as many elements.
    pub(super) fn address_of_global(
        &mut self,
        written: bool,
        like: Option<(Ty, i64)>,
    ) -> Option<(ExprId, i64)> {
        let pools = if written {
            [VarPool::WriteGlobal, VarPool::WriteArray, VarPool::WriteRecord]
        } else {
            [VarPool::ReadGlobal, VarPool::ReadArray, VarPool::ReadRecord]
        };
        let mut candidates = Vec::new();
        for pool in pools {
            for var in self.scope.all(pool).to_vec() {
                // An output is written only; a pointer may read.
                let known = self.program.var(var).scope == Scope::File
                    && !self.scope.all(VarPool::WriteOutput).contains(&var);
                if known && self.pointer_type_to(var).is_some_and(|found| fits(found, like)) {
                    candidates.push(var);
                }
            }
        }
        let &var = self.choices.pick(&candidates)?;
        let (_, elements) = self.pointer_type_to(var)?;
        Some((self.address(var), elements))
    }

    /// The type of a pointer to a variable (or its first element) and the number of elements.
    fn pointer_type_to(&mut self, var: VarId) -> Option<(Ty, i64)> {
        let ty = self.program.var(var).ty;
        match *self.program.types.shape(ty) {
            TypeKind::Array(elem, ArrayLen::Known(n)) => {
                if !self.program.types.is_integer(elem) {
                    return None;
                }
                let elem = self.program.types.resolved(elem).qualified(ty.quals());
                Some((self.program.types.pointer(elem), n as i64))
            }
            TypeKind::Record(id)
                if self.program.types.records[id.index()].kind == RecordKind::Union =>
            {
                None
            }
            TypeKind::Record(_) | TypeKind::Int(_) => Some((self.program.types.pointer(ty), 1)),
            _ => None,
        }
    }

    /// `&v`, or the first element of an array.
    pub(super) fn address(&mut self, var: VarId) -> ExprId {
        let object = self.program.var_ref(var);
        if self.program.types.as_array(self.program.var(var).ty).is_some() {
            return self.program.decay(object);
        }
        self.program.addr_of(object)
    }
}

fn fits((ty, elements): (Ty, i64), like: Option<(Ty, i64)>) -> bool {
    like.is_none_or(|(wanted, least)| ty == wanted && elements >= least)
}
