//! Declarations (6.7) and function definitions (6.9.1).

use super::Printer;
use super::cxx::is_container;
use super::cxx_init::Slot;
use super::types::{Declared, base_of};
use crate::ids::{FuncId, TypedefId, UnitId, VarId};
use crate::program::{FuncStorage, Item, Scope, Storage};
use crate::types::{FuncType, Ty, TypeKind};

/// One declarator of a declaration: everything but the specifiers that it may share with others.
#[derive(Clone, Copy)]
enum Declarator {
    Typedef(TypedefId),
    Var(VarId),
    VarDecl(VarId),
    Func(FuncId),
}

impl Printer<'_> {
    /// All items of a unit.
    pub(super) fn unit(&mut self, id: UnitId) {
        let program = self.program;
        for (at, item) in program.units[id.index()].items.iter().enumerate() {
            self.unit_item(item, at);
        }
    }

    /// The item at a position of a unit, on lines of its own.
    pub(super) fn unit_item(&mut self, item: &Item, at: usize) {
        match (item, self.early.ty(item, at)) {
            (Item::Func(func), _) => self.definition(*func),
            (Item::VarDecl(id), _) if self.static_member(*id).is_some() => return,
            // `typedef int wchar_t;`: a built-in type of C++. Uses are printed as the type it names.
            (Item::Typedef(id), _) if self.is_own_type(*id) => return,
            (_, Some(ty)) => self.single_decl_of_type(item, Some(ty)),
            _ => {
                if let Item::Var(id) = *item
                    && self.hides(id)
                {
                    self.single_decl(&Item::VarDecl(id));
                    self.push("\n");
                }
                self.single_decl(item);
            }
        }
        self.push("\n");
    }

    fn is_own_type(&self, id: TypedefId) -> bool {
        let name = self.program.name(self.program.types.typedefs[id.index()].name);
        self.cxx.is_some() && matches!(name, "wchar_t" | "char16_t" | "char32_t" | "bool")
    }

    /// Whether a variable has internal linkage in C++ only: a constant.
    fn hides(&self, id: VarId) -> bool {
        let var = self.program.var(id);
        self.cxx.as_ref().is_some_and(|cxx| !cxx.has_header)
            && var.storage == Storage::None
            && self.static_member(id).is_none()
            && self.is_const(var.ty)
    }

    /// A declaration in a block, from the present column. Items that one declaration can make are
    /// printed as one, others one by one.
    pub(super) fn block_decl(&mut self, items: &[Item]) {
        let declarators: Vec<Declarator> = items.iter().filter_map(declarator_of).collect();
        if declarators.len() == items.len()
            && items.len() > 1
            && declarators.iter().all(|&d| self.can_share_specifiers(d, declarators[0]))
        {
            return self.declare_together(&declarators);
        }
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.push("\n");
                self.line();
            }
            self.single_decl(item);
        }
    }

    /// Whether two declarators can share their specifiers.
    fn can_share_specifiers(&self, a: Declarator, b: Declarator) -> bool {
        let is_class = |d| match d {
            Declarator::Var(id) | Declarator::VarDecl(id) => is_container(&self.var_dims(id)),
            _ => false,
        };
        !is_class(a)
            && !is_class(b)
            && self.storage(a) == self.storage(b)
            && base_of(self, self.ty_of(a)) == base_of(self, self.ty_of(b))
    }

    fn declare_together(&mut self, declarators: &[Declarator]) {
        for (i, &d) in declarators.iter().enumerate() {
            if i == 0 {
                let (class, specifiers) = self.storage(d);
                self.push(class);
                self.push(specifiers);
                self.specifiers(base_of(self, self.ty_of(d)));
            } else {
                self.push(", ");
            }
            self.declarator(self.ty_of(d), &Declared::Name(self.name_of(d)));
            self.tail(d);
        }
        self.push(";");
    }

    /// One item as a declaration of its own.
    fn single_decl(&mut self, item: &Item) {
        self.single_decl_of_type(item, None);
    }

    fn single_decl_of_type(&mut self, item: &Item, ty: Option<Ty>) {
        match *item {
            Item::RecordDecl(id) => self.record_tag(id),
            Item::Record(id) => self.record_definition(id),
            Item::Enum(id) => self.enum_definition(id),
            _ => {
                if let Some(d) = declarator_of(item) {
                    if self.cxx.is_some() {
                        self.check_declarator(d);
                    }
                    let (first, second) = self.storage(d);
                    self.push(first);
                    self.push(second);
                    let ty = ty.unwrap_or_else(|| self.ty_of(d));
                    self.declare(d, ty);
                    self.tail(d);
                }
            }
        }
        self.push(";");
    }

    /// What C++ forbids of a declaration.
    fn check_declarator(&mut self, d: Declarator) {
        let in_block = self.indent > 0;
        match d {
            Declarator::VarDecl(_) if self.storage(d).0 == "static " => {
                self.fail("a declaration before the definition of a static variable");
            }
            Declarator::Func(_) if in_block && self.storage(d).0.contains('"') => {
                self.fail("a library function declared in a block");
            }
            _ => {}
        }
    }

    fn declare(&mut self, d: Declarator, ty: Ty) {
        let name = Declared::Name(self.name_of(d));
        match d {
            Declarator::Var(id) | Declarator::VarDecl(id) => {
                let dims = self.var_dims(id);
                match self.static_member(id) {
                    Some((of, name)) => self.declaration_as(ty, &dims, &Declared::Member(of, name)),
                    None => self.declaration_as(ty, &dims, &name),
                }
            }
            _ => self.declaration(ty, &name),
        }
    }

    /// What follows a declarator: attributes and initialiser.
    fn tail(&mut self, d: Declarator) {
        let program = self.program;
        match d {
            Declarator::Typedef(id) => {
                self.attributes(false, program.types.typedefs[id.index()].align);
                if let Some(seen) = &mut self.typedefs {
                    seen[id.index()] = true;
                }
            }
            Declarator::Var(id) => {
                let var = program.var(id);
                self.attributes(false, var.align);
                let dims = self.var_dims(id);
                if is_container(&dims) {
                    let slot = var.init.as_ref().map_or(Slot::Zero, Slot::Init);
                    self.container_init(var.ty, &dims, slot);
                } else if let Some(init) = &var.init {
                    self.push(" = ");
                    self.init(var.ty, init);
                } else if self.cxx.is_some() && self.must_be_initialised(var.ty) {
                    self.push(" = {}");
                }
            }
            Declarator::VarDecl(id) => self.attributes(false, program.var(id).align),
            Declarator::Func(_) => {}
        }
    }

    fn ty_of(&self, d: Declarator) -> Ty {
        match d {
            Declarator::Typedef(id) => self.program.types.typedefs[id.index()].ty,
            Declarator::Var(id) | Declarator::VarDecl(id) => self.program.var(id).ty,
            Declarator::Func(id) => self.program.func(id).ty,
        }
    }

    fn name_of(&self, d: Declarator) -> crate::Sym {
        match d {
            Declarator::Typedef(id) => self.program.types.typedefs[id.index()].name,
            Declarator::Var(id) | Declarator::VarDecl(id) => self.program.var(id).name,
            Declarator::Func(id) => self.program.func(id).name,
        }
    }

    /// Storage class and function specifiers, each with a trailing blank.
    fn storage(&self, d: Declarator) -> (&'static str, &'static str) {
        let in_block = self.indent > 0;
        let is_cxx = self.cxx.is_some();
        match d {
            Declarator::Var(id) if self.static_member(id).is_some() => ("", ""),
            Declarator::Typedef(_) => ("typedef ", ""),
            Declarator::Var(id) => {
                let var = self.program.var(id);
                let class = match var.storage {
                    Storage::None => "",
                    Storage::Static => "static ",
                    Storage::Extern => "extern ",
                    Storage::Register if is_cxx => "",
                    Storage::Register => "register ",
                };
                (class, "")
            }
            Declarator::VarDecl(id) => {
                let var = self.program.var(id);
                // In a block, `static` would declare another variable.
                let internal = var.storage == Storage::Static && var.scope == Scope::File;
                (if internal && !in_block { "static " } else { "extern " }, "")
            }
            Declarator::Func(id) => {
                let func = self.program.func(id);
                let is_library = self.cxx.as_ref().is_some_and(|cxx| cxx.is_library(func.name));
                let class = match func.storage {
                    _ if is_library => "extern \"C\" ",
                    FuncStorage::Static if in_block => "",
                    FuncStorage::None => "",
                    FuncStorage::Static => "static ",
                    FuncStorage::Extern => "extern ",
                };
                let specifiers = match (func.inline, func.noreturn) {
                    (false, false) => "",
                    (true, false) => "inline ",
                    (false, true) if is_cxx => "__attribute__((noreturn)) ",
                    (true, true) if is_cxx => "inline __attribute__((noreturn)) ",
                    (false, true) => "_Noreturn ",
                    (true, true) => "inline _Noreturn ",
                };
                (class, specifiers)
            }
        }
    }

    /// A function definition.
    fn definition(&mut self, id: FuncId) {
        let program = self.program;
        let func = program.func(id);
        let TypeKind::Function(ty) = program.types.shape(func.ty) else {
            return; // `Func::ty` is a function type
        };
        // A definition needs its own parameter list, not a typedef's.
        let written = match program.types.kind(func.ty) {
            TypeKind::Function(written) => written,
            _ => ty,
        };
        let (class, specifiers) = self.storage(Declarator::Func(id));
        self.push("\n");
        self.push(class);
        self.push(specifiers);
        let params = |printer: &mut Printer<'_>| printer.params(id, written);
        self.declaration(written.ret, &Declared::Definition(func.name, written, &params));
        if func.old_style && !func.params.is_empty() {
            if self.cxx.is_some() {
                self.fail("an old-style function definition");
            }
            self.push("\n");
            for &param in &func.params {
                self.param(param);
                self.push(";\n");
            }
        } else {
            self.push(" ");
        }
        if let Some(body) = func.body {
            self.function = Some(func.name);
            self.block(body);
            self.function = None;
        }
    }

    /// The parameter list of a definition; names only in an old-style one.
    fn params(&mut self, id: FuncId, ty: &FuncType) {
        let program = self.program;
        let func = program.func(id);
        self.push("(");
        for (i, &param) in func.params.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            if func.old_style {
                self.push_name(program.var(param).name);
            } else {
                self.param(param);
            }
        }
        if !func.old_style {
            match (func.params.is_empty(), ty.variadic) {
                (false, true) => self.push(", ..."),
                (true, true) => self.push("..."),
                (true, false) if ty.proto => self.push("void"),
                _ => {}
            }
        }
        self.push(")");
    }

    fn param(&mut self, id: VarId) {
        let var = self.program.var(id);
        if var.storage == Storage::Register && self.cxx.is_none() {
            self.push("register ");
        }
        self.declaration(var.ty, &Declared::Name(var.name));
        self.attributes(false, var.align);
    }
}

fn declarator_of(item: &Item) -> Option<Declarator> {
    Some(match *item {
        Item::Typedef(id) => Declarator::Typedef(id),
        Item::Var(id) => Declarator::Var(id),
        Item::VarDecl(id) => Declarator::VarDecl(id),
        Item::FuncDecl(id) | Item::Func(id) => Declarator::Func(id),
        Item::RecordDecl(_) | Item::Record(_) | Item::Enum(_) => return None,
    })
}
