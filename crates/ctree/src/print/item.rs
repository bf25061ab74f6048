//! Declarations (6.7) and function definitions (6.9.1).

use super::Printer;
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
            match (item, self.early.ty(item, at)) {
                (Item::Func(func), _) => self.definition(*func),
                (_, Some(ty)) => self.one_of_type(item, Some(ty)),
                _ => self.one(item),
            }
            self.push("\n");
        }
    }

    /// A declaration in a block, from the present column. Items that one declaration can make are
    /// printed as one, others one by one.
    pub(super) fn block_decl(&mut self, items: &[Item]) {
        let declarators: Vec<Declarator> = items.iter().filter_map(declarator_of).collect();
        if declarators.len() == items.len()
            && items.len() > 1
            && declarators.iter().all(|&d| self.alike(d, declarators[0]))
        {
            return self.together(&declarators);
        }
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.push("\n");
                self.line();
            }
            self.one(item);
        }
    }

    /// Whether two declarators can share their specifiers.
    fn alike(&self, a: Declarator, b: Declarator) -> bool {
        self.storage(a) == self.storage(b)
            && base_of(self, self.ty_of(a)) == base_of(self, self.ty_of(b))
    }

    fn together(&mut self, declarators: &[Declarator]) {
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
    fn one(&mut self, item: &Item) {
        self.one_of_type(item, None);
    }

    fn one_of_type(&mut self, item: &Item, ty: Option<Ty>) {
        match *item {
            Item::RecordDecl(id) => self.record_tag(id),
            Item::Record(id) => self.record_definition(id),
            Item::Enum(id) => self.enum_definition(id),
            _ => {
                if let Some(d) = declarator_of(item) {
                    let (first, second) = self.storage(d);
                    self.push(first);
                    self.push(second);
                    let ty = ty.unwrap_or_else(|| self.ty_of(d));
                    self.declaration(ty, &Declared::Name(self.name_of(d)));
                    self.tail(d);
                }
            }
        }
        self.push(";");
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
                if let Some(init) = &var.init {
                    self.push(" = ");
                    self.init(var.ty, init);
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
        match d {
            Declarator::Typedef(_) => ("typedef ", ""),
            Declarator::Var(id) => {
                let var = self.program.var(id);
                let class = match var.storage {
                    Storage::None => "",
                    Storage::Static => "static ",
                    Storage::Extern => "extern ",
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
                let class = match func.storage {
                    FuncStorage::Static if in_block => "",
                    FuncStorage::None => "",
                    FuncStorage::Static => "static ",
                    FuncStorage::Extern => "extern ",
                };
                let specifiers = match (func.inline, func.noreturn) {
                    (false, false) => "",
                    (true, false) => "inline ",
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
        if var.storage == Storage::Register {
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
