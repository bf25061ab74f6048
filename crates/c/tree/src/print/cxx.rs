//! What the printer needs for C++ beyond C: the plan, and lookups in it.
//!
//! The tree is printed as ISO C++11 to C++20, with the GNU extensions that the tree has. The printer
//! does what is mechanical: conversions that are implicit in C only, narrowing in braces, designators,
//! linkage, the containers and static members of the plan. A construct without an equivalent is an
//! [`Unprintable`].
//!
//! The builder of the tree has to avoid: jumps over initialisations, a name declared both in
//! the head of a `for` and in its body, functions that end without a value, names that the standard
//! library declares at file scope (`y0`, `gamma`), and the order in which containers of different
//! units are initialised.

use super::Printer;
use super::cxx_init::Slot;
use super::types::Declared;
use crate::expr::{ExprKind, Init, UnOp};
use crate::ids::{EnumId, ExprId, RecordId, VarId};
use crate::program::{Item, Program, Scope};
use crate::symbol::Sym;
use crate::types::{ArrayLen, Quals, Ty, TypeKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The language to print.
#[derive(Clone, Copy, Debug)]
pub enum Style<'a> {
    /// C11 and the GNU extensions that the tree has.
    C11,
    /// C++, as the plan says.
    Cxx(&'a CxxPlan),
}

/// How an array is represented in C++.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Container {
    /// `T a[n]`
    CArray,
    /// `std::array<T, n>`
    StdArray,
    /// `std::vector<T>`
    Vector,
    /// `std::valarray<T>`
    Valarray,
}

/// How arrays and globals are represented in C++. The default is closest to C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CxxPlan {
    /// The standard: 11, 14, 17 or 20.
    pub std: u8,
    /// Arrays as containers: per dimension, outermost first; dimensions not named are C arrays.
    /// Inside a class everything is a class: `CArray` becomes `StdArray` there.
    pub containers: BTreeMap<VarId, Vec<Container>>,
    /// The same for array members of structs; only `CArray` and `StdArray`, which keep the layout.
    pub fields: BTreeMap<(RecordId, u32), Vec<Container>>,
    /// [`ExprKind::Index`] nodes printed `a.at(i)`, where the array is one that has `at`.
    pub at: BTreeSet<ExprId>,
    /// File-scope variables that are static members of a struct, by the name they have there. The
    /// struct is defined before the variable and outside of functions.
    pub static_members: BTreeMap<VarId, (RecordId, Sym)>,
}

impl CxxPlan {
    /// A plan without containers and static members.
    pub fn new(std: u8) -> CxxPlan {
        CxxPlan {
            std,
            containers: BTreeMap::new(),
            fields: BTreeMap::new(),
            at: BTreeSet::new(),
            static_members: BTreeMap::new(),
        }
    }
}

/// A construct that cannot be printed as C++ under this plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unprintable {
    /// The construct.
    pub what: String,
}

impl fmt::Display for Unprintable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot be printed as C++: {}", self.what)
    }
}

impl std::error::Error for Unprintable {}

/// Headers of the containers, in the order of [`Container`] without the C array.
const HEADERS: [&str; 3] = ["array", "vector", "valarray"];

/// The plan, checked against the program.
pub(super) struct Cxx<'p> {
    pub(super) plan: &'p CxxPlan,
    /// Containers by the rules of C++: C arrays, then classes only; one for each dimension.
    vars: BTreeMap<VarId, Vec<Container>>,
    fields: BTreeMap<(RecordId, u32), Vec<Container>>,
    /// Static members of each record.
    pub(super) members: BTreeMap<RecordId, Vec<VarId>>,
    /// Functions that some unit defines; others are assumed to be the C library's.
    defined: BTreeSet<Sym>,
    /// A header declares the variables, so that constants have external linkage.
    pub(super) has_header: bool,
    /// Which of [`HEADERS`] the text needs.
    pub(super) includes: [bool; 3],
}

impl<'p> Cxx<'p> {
    pub(super) fn new(program: &Program, plan: &'p CxxPlan) -> Result<Cxx<'p>, Unprintable> {
        let mut cxx = Cxx {
            plan,
            vars: BTreeMap::new(),
            fields: BTreeMap::new(),
            members: BTreeMap::new(),
            defined: program.funcs.iter().filter(|f| f.body.is_some()).map(|f| f.name).collect(),
            has_header: false,
            includes: [false; 3],
        };
        for (&var, dims) in &plan.containers {
            let dims = normal(program, plan, program.var(var).ty, dims)?;
            cxx.vars.insert(var, dims);
        }
        for (&(id, field), dims) in &plan.fields {
            let record = &program.types.records[id.index()];
            let dims = normal(program, plan, record.fields[field as usize].ty, dims)?;
            let fits = dims.iter().all(|&c| c <= Container::StdArray);
            if !fits || (is_container(&dims) && record.packed) {
                return refuse("a member of a struct as a container that changes the layout");
            }
            cxx.fields.insert((id, field), dims);
        }
        for (&var, &(id, _)) in &plan.static_members {
            if program.var(var).scope != Scope::File
                || program.types.records[id.index()].tag.is_none()
            {
                return refuse("a static member that is local, or of a struct without a name");
            }
            cxx.members.entry(id).or_default().push(var);
        }
        Ok(cxx)
    }

    /// Whether a function is one of C's library.
    pub(super) fn is_library(&self, name: Sym) -> bool {
        !self.defined.contains(&name)
    }

    /// `#include` lines for what has been printed; the next text begins anew.
    pub(super) fn take_includes(&mut self) -> String {
        let used = std::mem::take(&mut self.includes);
        let named = HEADERS.iter().zip(used).filter(|(_, used)| *used);
        named.map(|(name, _)| format!("#include <{name}>\n")).collect()
    }

    pub(super) fn var(&self, id: VarId) -> &[Container] {
        self.vars.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn field(&self, id: RecordId, field: u32) -> &[Container] {
        self.fields.get(&(id, field)).map_or(&[], Vec::as_slice)
    }
}

fn refuse<T>(what: &str) -> Result<T, Unprintable> {
    Err(Unprintable { what: what.to_string() })
}

/// Whether any dimension is a class.
pub(super) fn is_container(dims: &[Container]) -> bool {
    dims.last().is_some_and(|&last| last != Container::CArray)
}

/// Whether what is initialised by `{}` would lack elements.
pub(super) fn is_sized_at_run_time(dims: &[Container]) -> bool {
    dims.iter().any(|&c| c >= Container::Vector)
}

/// One container for each dimension of the type; classes have only classes inside.
fn normal(
    program: &Program,
    plan: &CxxPlan,
    ty: Ty,
    wanted: &[Container],
) -> Result<Vec<Container>, Unprintable> {
    let (mut dims, mut ty, mut quals) = (Vec::new(), ty, ty.quals());
    while let Some((elem, len)) = program.types.as_array(ty) {
        let mut here = wanted.get(dims.len()).copied().unwrap_or(Container::CArray);
        if is_container(&dims) {
            here = here.max(Container::StdArray);
        }
        if here != Container::CArray && !matches!(len, ArrayLen::Known(1..)) {
            return refuse("a container without a length");
        }
        dims.push(here);
        (ty, quals) = (elem, quals.with(elem.quals()));
    }
    if is_sized_at_run_time(&dims) && quals.has(Quals::VOLATILE) {
        return refuse("a vector of volatile elements");
    }
    if dims.last() == Some(&Container::Vector) && program.types.resolved(ty).unqual() == Ty::BOOL {
        return refuse("std::vector<bool>");
    }
    // `operator new` gives 16 bytes; only the allocator of C++17 asks for more.
    let aligned = program.types.align_of(ty) <= 16;
    let unaligned = |c: &Container| match c {
        Container::CArray | Container::StdArray => false,
        Container::Vector => plan.std < 17,
        Container::Valarray => true,
    };
    if !aligned && dims.iter().any(unaligned) {
        return refuse("a vector whose elements need more alignment than `new` gives");
    }
    Ok(dims)
}

impl Printer<'_> {
    /// Records the first construct that cannot be printed; what is printed from here on is dropped.
    pub(super) fn fail(&mut self, what: impl Into<String>) {
        self.failure.get_or_insert_with(|| Unprintable { what: what.into() });
    }

    /// The containers that an array lvalue still has from here inwards; none for anything else.
    pub(super) fn dims(&self, id: ExprId) -> &[Container] {
        let Some(cxx) = &self.cxx else { return &[] };
        let types = &self.program.types;
        match self.program.expr(id).kind {
            ExprKind::Var(var) => cxx.var(var),
            ExprKind::Member(of, field) => {
                let record = types.as_record(self.program.expr(of).ty);
                record.map_or(&[], |id| cxx.field(id, field))
            }
            ExprKind::Arrow(of, field) => {
                let to = types.pointee(self.program.expr(of).ty);
                to.and_then(|to| types.as_record(to)).map_or(&[], |id| cxx.field(id, field))
            }
            ExprKind::Index(base, _) | ExprKind::Unary(UnOp::Deref, base) => {
                self.decayed(base).map_or(&[], |array| &self.dims(array)[1..])
            }
            _ => &[],
        }
    }

    /// The container below implicit conversions: an array of classes, or a class itself.
    pub(super) fn decayed(&self, id: ExprId) -> Option<ExprId> {
        let inner = self.innermost(id);
        (inner != id && is_container(self.dims(inner))).then_some(inner)
    }

    /// A variable, by its name in C++.
    pub(super) fn var_name(&mut self, id: VarId) {
        match self.static_member(id) {
            Some((of, name)) => {
                self.qualifier(of);
                self.push_name(name);
            }
            None => self.push_name(self.program.var(id).name),
        }
    }

    /// The struct and the name that a variable has as a static member.
    pub(super) fn static_member(&self, id: VarId) -> Option<(RecordId, Sym)> {
        self.cxx.as_ref().and_then(|cxx| cxx.plan.static_members.get(&id).copied())
    }

    /// Whether an item declares or defines a static member.
    pub(super) fn is_static_member(&self, item: &Item) -> bool {
        matches!(*item, Item::Var(id) | Item::VarDecl(id) if self.static_member(id).is_some())
    }

    /// An enumeration constant. It has its enum's type in C++: if that does not promote to `int`,
    /// it is cast to its type in C.
    pub(super) fn enumerator(&mut self, id: EnumId, index: u32) {
        let member = &self.program.types.enums[id.index()].members[index as usize];
        if self.cxx.is_none() || self.promotes_to_int(id) {
            return self.push_name(member.name);
        }
        self.push("((");
        self.type_name(member.ty);
        self.push(")");
        self.push_name(member.name);
        self.push(")");
    }

    pub(super) fn promotes_to_int(&self, id: EnumId) -> bool {
        self.program.types.enums[id.index()].members.iter().all(|member| member.ty == Ty::INT)
    }

    /// Whether an element is reached by `.at(…)`.
    pub(super) fn has_at(&self, index: ExprId, array: ExprId) -> bool {
        let class = self.dims(array).first();
        self.cxx.as_ref().is_some_and(|cxx| cxx.plan.at.contains(&index))
            && matches!(class, Some(Container::StdArray | Container::Vector))
    }

    /// The operand of `switch`; an enum promotes differently.
    pub(super) fn switch_value(&mut self, id: ExprId) {
        let ty = self.program.expr(id).ty;
        match (self.program.types.kind(ty), self.program.types.int_kind(ty)) {
            (TypeKind::Enum(_), Some(kind)) if self.cxx.is_some() => self.cast(kind.ty(), id),
            _ => self.expr(id, super::expr::COMMA),
        }
    }

    /// A compound literal, as a value.
    pub(super) fn temporary(&mut self, ty: Ty, init: &Init) {
        let ty = self.program.types.resolved(ty).unqual();
        match self.program.types.kind(ty) {
            TypeKind::Record(id) => {
                match self.program.types.records[id.index()].tag {
                    Some(tag) => self.push_name(tag),
                    None => self.fail("a compound literal of a type without a name"),
                }
                self.slot(ty, &[], Slot::Init(init));
            }
            TypeKind::Array(..) => self.fail("a compound literal of array type"),
            TypeKind::Vector(..) => {
                self.push("(");
                self.type_name(ty);
                self.push(")");
                self.slot(ty, &[], Slot::Init(init));
            }
            _ => {
                self.push("((");
                self.type_name(ty);
                self.push(")(");
                self.slot(ty, &[], Slot::Init(init));
                self.push("))");
            }
        }
    }

    /// The containers of a member.
    pub(super) fn field_dims(&self, id: RecordId, field: usize) -> Vec<Container> {
        self.cxx.as_ref().map_or(Vec::new(), |cxx| cxx.field(id, field as u32).to_vec())
    }

    /// The containers of a variable.
    pub(super) fn var_dims(&self, id: VarId) -> Vec<Container> {
        self.cxx.as_ref().map_or(Vec::new(), |cxx| cxx.var(id).to_vec())
    }

    /// Declarations of the variables that are members of a struct.
    pub(super) fn static_members(&mut self, id: RecordId) {
        let members = self.cxx.as_ref().and_then(|cxx| cxx.members.get(&id)).cloned();
        for var in members.unwrap_or_default() {
            let (ty, dims, align) =
                (self.program.var(var).ty, self.var_dims(var), self.program.var(var).align);
            let Some((_, name)) = self.static_member(var) else { continue };
            self.line();
            self.push("static ");
            self.declaration_as(ty, &dims, &Declared::Name(name));
            self.attributes(false, align);
            self.push(";\n");
        }
    }
}
