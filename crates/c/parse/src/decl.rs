//! Declarations at file and block scope (C11 6.7, 6.9): typedefs, variables, function prototypes.
//!
//! All declarations of a file-scope name in a unit share one entry. The defining declaration is
//! [`Item::Var`], the one with the initialiser or else the last tentative one; the others are
//! [`Item::VarDecl`]. A static initialiser is only checked to name no automatic variable.

use crate::attr::Attrs;
use crate::builtins;
use crate::declarator::Declarator;
use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::{Linked, Parser};
use crate::scope::Binding;
use crate::specs::{Specs, StorageSpec, TagUse};
use crate::token::{Tok, Token};
use ctree::map::{Child, for_each_child};
use ctree::*;

impl Parser<'_> {
    /// The whole unit.
    pub(crate) fn translation_unit(&mut self) -> ParseResult<()> {
        while self.tok() != Tok::Eof {
            match self.tok() {
                Tok::Semi => {
                    self.bump();
                }
                Tok::KwAsm => return unsupported(self.cur.span(), "`asm` at file scope"),
                Tok::KwStaticAssert => self.static_assert()?,
                _ => self.external_declaration()?,
            }
            self.check_height()?;
        }
        self.finish_tentative()
    }

    fn external_declaration(&mut self) -> ParseResult<()> {
        let specs = self.specs(false)?;
        if self.eat(Tok::Semi) {
            let mut items = Vec::new();
            self.declare_nothing(&specs, &mut items)?;
            self.flush_pending_to_file();
            self.items.append(&mut items);
            return Ok(());
        }
        let deferred = self.deferred.clone();
        let mut first = true;
        loop {
            self.deferred.clone_from(&deferred);
            let mut d = self.declarator(specs.base())?;
            self.after_declarator(&mut d, &specs)?;
            let is_function = self.program.types.as_function(d.ty).is_some();
            if first && is_function && self.body_ahead() {
                self.check_deferred()?;
                return self.function_definition(&specs, d);
            }
            if !self.skip_unsupported(&specs, &d) {
                self.check_deferred()?;
                self.file_declarator(&specs, d, is_function)?;
            }
            first = false;
            if !self.eat(Tok::Comma) {
                break;
            }
            self.attributes(&mut Attrs::default())?;
        }
        self.deferred = None;
        self.expect(Tok::Semi, "`;`")?;
        Ok(())
    }

    /// Whether a function body, or the declarations of old-style parameters, come next.
    fn body_ahead(&self) -> bool {
        match self.tok() {
            Tok::LBrace => true,
            Tok::Semi | Tok::Comma | Tok::Assign => false,
            _ => self.declaration_ahead(),
        }
    }

    /// `asm("name")` labels and attributes after a declarator, and their effect on the type.
    fn after_declarator(&mut self, d: &mut Declarator, specs: &Specs) -> ParseResult<()> {
        loop {
            match self.tok() {
                Tok::KwAsm => {
                    let token = self.bump();
                    if self.tok() != Tok::LParen {
                        return self.unexpected("`(`");
                    }
                    self.skip_brackets()?;
                    // On a variable in a register this would bind a machine register.
                    if specs.storage == StorageSpec::Register {
                        return unsupported(
                            token.span(),
                            "register variable bound to a machine register by `asm`",
                        );
                    }
                }
                Tok::KwAttribute => self.attributes(&mut d.attrs)?,
                _ => break,
            }
        }
        let attrs = std::mem::take(&mut d.attrs);
        d.ty = self.apply_type_attrs(d.ty, &attrs, d.name.span())?;
        d.attrs = attrs;
        Ok(())
    }

    /// A declaration with an unsupported type that may never be used: records the name only.
    fn skip_unsupported(&mut self, specs: &Specs, d: &Declarator) -> bool {
        let typedef = specs.storage == StorageSpec::Typedef;
        let unused = typedef
            || self.program.types.as_function(d.ty).is_some()
            || specs.storage == StorageSpec::Extern && self.tok() != Tok::Assign;
        if !unused {
            return false;
        }
        match self.deferred.take() {
            Some((_, what)) => {
                self.bind_unsupported(d.name.sym, what, typedef);
                true
            }
            None => {
                // A supported declaration of a name that was unsupported makes it usable.
                false
            }
        }
    }

    pub(crate) fn flush_pending_to_file(&mut self) {
        self.items.append(&mut self.pending);
    }

    /// A declaration without declarators: a tag, or nothing at all.
    fn declare_nothing(&mut self, specs: &Specs, items: &mut Vec<Item>) -> ParseResult<()> {
        self.deferred = None;
        if let TagUse::Record(id) = specs.tag
            && !self.pending.contains(&Item::Record(id))
            && !self.program.types.records[id.index()].complete
        {
            items.push(Item::RecordDecl(id));
        }
        if specs.ty.is_none() && specs.storage == StorageSpec::None && !specs.inline {
            // Attributes alone, as in `__attribute__((fallthrough));`, or plain `const;`.
            return Ok(());
        }
        Ok(())
    }

    fn file_declarator(
        &mut self,
        specs: &Specs,
        d: Declarator,
        is_function: bool,
    ) -> ParseResult<()> {
        if specs.storage == StorageSpec::Typedef {
            let item = self.declare_typedef(specs, &d)?;
            self.flush_pending_to_file();
            self.items.extend(item);
            return Ok(());
        }
        if is_function {
            let id = self.declare_function(specs, &d)?;
            self.flush_pending_to_file();
            self.items.push(Item::FuncDecl(id));
            return Ok(());
        }
        self.declare_file_var(specs, d)
    }

    /// `typedef T name;`: the item, unless it only repeats one (6.7p3).
    fn declare_typedef(&mut self, specs: &Specs, d: &Declarator) -> ParseResult<Option<Item>> {
        let name = d.name.sym;
        match self.scopes.name_here(name) {
            Binding::None | Binding::Unsupported(_) => {}
            Binding::Typedef(old) => {
                let old_ty = self.program.types.typedefs[old.index()].ty;
                let (a, b) = (self.canon(old_ty), self.canon(d.ty));
                if !self.compatible(a, b) {
                    return self.redeclared(d.name, "conflicting types for");
                }
                return Ok(None);
            }
            _ => return self.redeclared(d.name, "redeclaration as different kind of symbol of"),
        }
        let align = specs.alignment(&d.attrs);
        self.program.types.typedefs.push(Typedef { name, ty: d.ty, align });
        let id = TypedefId(self.program.types.typedefs.len() as u32 - 1);
        self.intern(TypeKind::Typedef(id));
        self.scopes.bind(name, Binding::Typedef(id));
        Ok(Some(Item::Typedef(id)))
    }

    #[cold]
    pub(crate) fn redeclared<T>(&self, name: Token, what: &str) -> ParseResult<T> {
        invalid(name.span(), format!("{what} `{}`", self.name(name.sym)))
    }

    pub(crate) fn new_var(&mut self, name: Token, ty: Ty, scope: Scope) -> VarId {
        self.program.vars.push(Var {
            name: name.sym,
            ty,
            storage: Storage::None,
            scope,
            init: None,
            align: None,
            defined: scope != Scope::File,
            span: name.span(),
        });
        VarId(self.program.vars.len() as u32 - 1)
    }

    /// The entry for a variable with linkage: the one declared before, or a new one.
    fn linked_var(&mut self, name: Token, ty: Ty) -> ParseResult<VarId> {
        match self.linked.get(&name.sym) {
            Some(&Linked::Var(id)) => {
                let old = self.program.var(id).ty;
                let (a, b) = (self.canon(old), self.canon(ty));
                if a != b {
                    if !self.compatible(a, b) {
                        return self.redeclared(name, "conflicting types for");
                    }
                    self.program.vars[id.index()].ty = self.composite(a, b);
                }
                Ok(id)
            }
            Some(Linked::Func(_)) => {
                self.redeclared(name, "redeclaration as different kind of symbol of")
            }
            None => {
                let id = self.new_var(name, ty, Scope::File);
                self.linked.insert(name.sym, Linked::Var(id));
                Ok(id)
            }
        }
    }

    fn declare_file_var(&mut self, specs: &Specs, d: Declarator) -> ParseResult<()> {
        let name = d.name;
        match self.scopes.name_here(name.sym) {
            Binding::None | Binding::Var(_) | Binding::Unsupported(_) => {}
            _ => return self.redeclared(name, "redeclaration as different kind of symbol of"),
        }
        if self.program.types.is_void(d.ty) && specs.storage != StorageSpec::Extern {
            return invalid(
                name.span(),
                format!("variable `{}` declared void", self.name(name.sym)),
            );
        }
        let known = self.linked.contains_key(&name.sym);
        let has_init = self.tok() == Tok::Assign;
        let id = self.linked_var(name, d.ty)?;
        let is_extern = specs.storage == StorageSpec::Extern;
        let is_static = specs.storage == StorageSpec::Static;
        if known && is_static && self.program.var(id).storage != Storage::Static {
            return self.redeclared(name, "static declaration follows non-static declaration of");
        }
        self.scopes.bind(name.sym, Binding::Var(id));
        let defining = has_init || !is_extern;
        let var = &mut self.program.vars[id.index()];
        var.align = var.align.max(specs.alignment(&d.attrs));
        if !known {
            var.storage = if is_extern { Storage::Extern } else { Storage::None };
        }
        if is_static {
            var.storage = Storage::Static;
        } else if defining && var.storage == Storage::Extern && !is_extern {
            var.storage = Storage::None;
        }
        let was_initialised = var.init.is_some();
        if defining {
            var.defined = true;
        }
        if has_init {
            if was_initialised {
                return self.redeclared(name, "redefinition of");
            }
            self.bump();
            self.var_initializer(id, specs.auto_type)?;
        }
        self.flush_pending_to_file();
        let at = self.items.len();
        if !defining || was_initialised {
            self.items.push(Item::VarDecl(id));
            return Ok(());
        }
        if let Some(earlier) = self.tentative.insert(id, at) {
            self.items[earlier] = Item::VarDecl(id);
        }
        self.items.push(Item::Var(id));
        Ok(())
    }

    /// Parses an initialiser and completes the variable's type with it.
    fn var_initializer(&mut self, id: VarId, auto_type: bool) -> ParseResult<()> {
        let span = self.program.var(id).span;
        if auto_type {
            let e = self.assign_expr()?;
            let e = self.decay(e);
            let ty = self.ty(e).unqual();
            if self.program.types.size_of(ty).is_none() {
                return invalid(span, "`__auto_type` from a value without a complete type");
            }
            let var = &mut self.program.vars[id.index()];
            // The qualifiers of the declaration stay.
            var.ty = ty.qualified(var.ty.quals());
            var.init = Some(Init::Expr(e));
            return Ok(());
        }
        let ty = self.program.var(id).ty;
        let (init, ty) = self.initializer(ty, span)?;
        let var = &mut self.program.vars[id.index()];
        var.ty = ty;
        var.init = Some(init);
        Ok(())
    }

    /// A static variable must not be initialised with an automatic one (6.7.9p4).
    fn refuse_automatic(&self, id: VarId) -> ParseResult<()> {
        let var = self.program.var(id);
        let (Storage::Static, Some(init)) = (var.storage, &var.init) else { return Ok(()) };
        match automatic(self.program, init) {
            Some(e) => invalid(
                self.program.expr(e).span,
                "initializer of a static variable is not constant",
            ),
            None => Ok(()),
        }
    }

    /// At the end of the unit a tentative `int a[];` has one element (6.9.2p2).
    fn finish_tentative(&mut self) -> ParseResult<()> {
        let mut ids: Vec<VarId> = self.tentative.keys().copied().collect();
        ids.sort();
        for id in ids {
            let var = self.program.var(id);
            let (ty, span, name) = (var.ty, var.span, var.name);
            if self.program.types.size_of(ty).is_some() {
                continue;
            }
            match self.program.types.as_array(ty) {
                Some((elem, _)) if self.program.types.size_of(elem).is_some() => {
                    let one = self.array_of(elem, 1, span)?;
                    self.program.vars[id.index()].ty = one;
                }
                _ => {
                    let shown = self.name(name);
                    return invalid(span, format!("storage size of `{shown}` is not known"));
                }
            }
        }
        Ok(())
    }

    // Functions.

    /// Declares a function, merging with earlier declarations.
    pub(crate) fn declare_function(
        &mut self,
        specs: &Specs,
        d: &Declarator,
    ) -> ParseResult<FuncId> {
        let name = d.name;
        match self.scopes.name_here(name.sym) {
            Binding::None | Binding::Func(_) | Binding::Unsupported(_) => {}
            _ => return self.redeclared(name, "redeclaration as different kind of symbol of"),
        }
        let id = match self.linked.get(&name.sym) {
            Some(&Linked::Func(id)) => {
                self.merge_function(id, d)?;
                id
            }
            Some(Linked::Var(_)) => {
                return self.redeclared(name, "redeclaration as different kind of symbol of");
            }
            None => {
                let ty = self.library_type(name.sym, d);
                let id = self.new_func(name.sym, ty, name.span());
                self.program.funcs[id.index()].storage = FuncStorage::None;
                self.linked.insert(name.sym, Linked::Func(id));
                id
            }
        };
        let func = &mut self.program.funcs[id.index()];
        match specs.storage {
            StorageSpec::Static => func.storage = FuncStorage::Static,
            StorageSpec::Extern if func.storage == FuncStorage::None && func.body.is_none() => {
                func.storage = FuncStorage::Extern;
            }
            _ => {}
        }
        func.inline |= specs.inline;
        func.noreturn |= specs.attrs.noreturn || d.attrs.noreturn;
        self.scopes.bind(name.sym, Binding::Func(id));
        Ok(id)
    }

    fn merge_function(&mut self, id: FuncId, d: &Declarator) -> ParseResult<()> {
        let old = self.program.func(id).ty;
        let (a, b) = (self.canon(old), self.canon(d.ty));
        if a == b {
            return Ok(());
        }
        let old_style = d.params.as_ref().is_some_and(|p| !p.names.is_empty())
            || self.program.func(id).old_style;
        if self.compatible_unqual(a, b) || old_style {
            // An old-style definition against a prototype is checked by GCC with warnings only.
            self.program.funcs[id.index()].ty =
                if old_style { self.prototyped(a, b) } else { self.composite(a, b) };
            return Ok(());
        }
        if self.loose.contains_key(&d.name.sym) {
            // GCC warns; our tree already holds calls of the type that was assumed.
            let name = self.name(d.name.sym);
            let message =
                format!("declaration of `{name}` that conflicts with its implicit declaration");
            return unsupported(d.name.span(), message);
        }
        self.redeclared(d.name, "conflicting types for")
    }

    /// Of two function types, the one with a prototype.
    fn prototyped(&self, a: Ty, b: Ty) -> Ty {
        let proto = |t: Ty| self.program.types.as_function(t).is_some_and(|f| f.proto);
        if proto(a) || !proto(b) { a } else { b }
    }

    /// GCC gives `void *memcpy();` the prototype it knows the function by.
    fn library_type(&mut self, name: Sym, d: &Declarator) -> Ty {
        let bare = self.program.types.as_function(d.ty).is_some_and(|f| !f.proto);
        if !bare || self.body_ahead() {
            return d.ty;
        }
        let Some(signature) = builtins::library_signature(self.name(name)) else { return d.ty };
        let known = self.signature_type(&signature);
        let declared = self.canon(d.ty);
        let (Some(f), Some(g)) =
            (self.program.types.as_function(known), self.program.types.as_function(declared))
        else {
            return d.ty;
        };
        // The types `int ()` and `int (const char *, ...)` are not compatible (6.7.6.3p15).
        if f.ret != g.ret || f.variadic {
            return d.ty;
        }
        self.loose.insert(name, ());
        known
    }

    // Block scope.

    /// A declaration in a block; its items, definitions of tags excepted.
    pub(crate) fn block_declaration(&mut self) -> ParseResult<Vec<Item>> {
        let mut items = Vec::new();
        if self.tok() == Tok::KwStaticAssert {
            self.static_assert()?;
            return Ok(items);
        }
        let specs = self.specs(false)?;
        if self.eat(Tok::Semi) {
            self.declare_nothing(&specs, &mut items)?;
            return Ok(items);
        }
        let deferred = self.deferred.clone();
        loop {
            self.deferred.clone_from(&deferred);
            let mut d = self.declarator(specs.base())?;
            self.after_declarator(&mut d, &specs)?;
            if !self.skip_unsupported(&specs, &d) {
                self.check_deferred()?;
                items.extend(self.block_declarator(&specs, d)?);
            }
            if !self.eat(Tok::Comma) {
                break;
            }
            self.attributes(&mut Attrs::default())?;
        }
        self.deferred = None;
        self.expect(Tok::Semi, "`;`")?;
        Ok(items)
    }

    fn block_declarator(&mut self, specs: &Specs, d: Declarator) -> ParseResult<Option<Item>> {
        if specs.storage == StorageSpec::Typedef {
            return self.declare_typedef(specs, &d);
        }
        if self.program.types.as_function(d.ty).is_some() {
            if self.tok() != Tok::Comma && self.tok() != Tok::Semi && self.body_ahead() {
                return unsupported(d.name.span(), "nested function");
            }
            let id = self.declare_function(specs, &d)?;
            return Ok(Some(Item::FuncDecl(id)));
        }
        if specs.storage == StorageSpec::Extern {
            return self.block_extern(specs, d);
        }
        self.declare_local(specs, d).map(Some)
    }

    /// `extern` in a block: the file-scope variable, visible here.
    fn block_extern(&mut self, specs: &Specs, d: Declarator) -> ParseResult<Option<Item>> {
        let name = d.name;
        if self.tok() == Tok::Assign {
            return self.redeclared(name, "initializer on block-scope `extern`");
        }
        if self.scopes.name_here(name.sym) != Binding::None
            && self.linked.get(&name.sym).is_none_or(|l| matches!(l, Linked::Func(_)))
        {
            return self.redeclared(name, "redeclaration of");
        }
        let known = self.linked.contains_key(&name.sym);
        let id = self.linked_var(name, d.ty)?;
        let var = &mut self.program.vars[id.index()];
        if !known {
            var.storage = Storage::Extern;
            var.align = specs.alignment(&d.attrs);
        }
        self.scopes.bind(name.sym, Binding::Var(id));
        Ok(Some(Item::VarDecl(id)))
    }

    fn declare_local(&mut self, specs: &Specs, d: Declarator) -> ParseResult<Item> {
        let name = d.name;
        if self.scopes.name_here(name.sym) != Binding::None {
            return self.redeclared(name, "redeclaration of");
        }
        let id = self.new_var(name, d.ty, Scope::Block);
        let var = &mut self.program.vars[id.index()];
        var.align = specs.alignment(&d.attrs);
        var.storage = match specs.storage {
            StorageSpec::Static => Storage::Static,
            StorageSpec::Register => Storage::Register,
            _ => Storage::None,
        };
        self.scopes.bind(name.sym, Binding::Var(id));
        if self.eat(Tok::Assign) {
            self.var_initializer(id, specs.auto_type)?;
            self.refuse_automatic(id)?;
        } else if specs.auto_type {
            return self.redeclared(name, "`__auto_type` needs an initializer for");
        }
        let ty = self.program.var(id).ty;
        if self.program.types.size_of(ty).is_none() {
            let shown = self.name(name.sym);
            return invalid(name.span(), format!("storage size of `{shown}` is not known"));
        }
        Ok(Item::Var(id))
    }

    /// `_Static_assert(e, "…");` (6.7.10)
    pub(crate) fn static_assert(&mut self) -> ParseResult<()> {
        let keyword = self.bump();
        self.expect(Tok::LParen, "`(`")?;
        let (value, _) = self.const_int("expression in static assertion")?;
        let mut message = String::new();
        if self.eat(Tok::Comma) {
            if self.tok() != Tok::Str {
                return self.unexpected("string literal");
            }
            while self.tok() == Tok::Str {
                let token = self.bump();
                message.push_str(self.token_text(token).trim_matches('"'));
            }
        }
        self.expect(Tok::RParen, "`)`")?;
        self.expect(Tok::Semi, "`;`")?;
        if value == 0 {
            let span = self.span_from(keyword.lo);
            return invalid(span, format!("static assertion failed: \"{message}\""));
        }
        Ok(())
    }
}

/// A variable of a block in an initialiser, where it is evaluated.
fn automatic(program: &Program, init: &Init) -> Option<ExprId> {
    match init {
        Init::Expr(e) => automatic_in(program, *e),
        Init::List(items) => items.iter().find_map(|item| automatic(program, &item.init)),
    }
}

fn automatic_in(program: &Program, e: ExprId) -> Option<ExprId> {
    let kind = &program.expr(e).kind;
    if let ExprKind::Var(var) = *kind {
        let var = program.var(var);
        let lasts = var.scope == Scope::File || var.storage == Storage::Static;
        return (!lasts).then_some(e);
    }
    if matches!(kind, ExprKind::SizeofExpr(_)) {
        return None;
    }
    let mut found = None;
    for_each_child(kind, &mut |child| {
        found = found.or_else(|| match child {
            Child::Expr(inner) => automatic_in(program, inner),
            Child::Init(init) => automatic(program, init),
            Child::Stmt(_) => None,
        });
    });
    found
}
