//! Random file-scope declarations and function definitions.

use super::{FUEL, Inside, Wild};
use ctree::{
    FuncId, FuncStorage, FuncType, Item, Quals, Scope, StmtId, Storage, Ty, TypeKind, VarId,
};

impl Wild<'_> {
    /// Fills the unit.
    pub(super) fn unit(&mut self) {
        for _ in 0..4 + self.below(8) {
            for item in self.type_items() {
                self.item(item);
            }
        }
        for _ in 0..3 + self.below(8) {
            self.global();
        }
        for _ in 0..2 + self.below(3) {
            match self.below(5) {
                0 => self.prototype(),
                1 => self.global(),
                _ => self.function(),
            }
        }
        self.function();
    }

    fn global(&mut self) {
        self.fuel = FUEL / 4;
        let ty = self.object_type(3);
        let ty = self.qualify(ty);
        let name = self.fresh("g");
        let var = self.program.add_var(&name, ty, Scope::File);
        let storage = [Storage::None, Storage::None, Storage::Static, Storage::Extern]
            [self.below(4) as usize];
        self.program.vars[var.index()].storage = storage;
        if self.chance(8) {
            self.program.vars[var.index()].align = Some(32);
        }
        self.frames[0].push(var);
        if storage == Storage::Extern {
            self.program.vars[var.index()].defined = false;
            self.item(Item::VarDecl(var));
            return;
        }
        if self.chance(10) {
            self.item(Item::VarDecl(var));
        }
        if self.chance(75) {
            let init = self.init(ty, true, 3);
            self.program.vars[var.index()].init = Some(init);
        }
        self.item(Item::Var(var));
    }

    fn prototype(&mut self) {
        let ty = self.function_type(2);
        let name = self.fresh("f");
        let func = self.program.add_func(&name, ty);
        if self.chance(30) {
            self.program.funcs[func.index()].storage = FuncStorage::Extern;
        }
        self.program.funcs[func.index()].noreturn = self.chance(10);
        self.item(Item::FuncDecl(func));
        self.funcs.push(func);
    }

    fn function(&mut self) {
        self.fuel = FUEL;
        let old_style = self.chance(10);
        let ty = self.function_type(2);
        // As written: parameters keep their typedef names.
        let TypeKind::Function(shape) = self.program.types.kind(ty).clone() else { return };
        // `int f() {}` has no prototype, but nothing to declare in the old style either.
        let ty = if old_style { self.old_style_type(&shape) } else { ty };
        let old_style = old_style && !shape.params.is_empty();
        let name = self.fresh("f");
        let func = self.program.add_func(&name, ty);
        self.specifiers(func, old_style);
        if !old_style && self.chance(25) {
            self.item(Item::FuncDecl(func));
        }
        self.frames.push(Vec::new());
        for &param in &shape.params {
            let id = self.param(param, old_style);
            self.program.funcs[func.index()].params.push(id);
        }
        self.funcs.push(func);
        self.ret = shape.ret;
        self.inside = Inside::default();
        self.func_body(func, shape.variadic && self.has_prototype(ty));
        self.frames.pop();
        self.item(Item::Func(func));
    }

    fn has_prototype(&self, ty: Ty) -> bool {
        self.program.types.as_function(ty).is_some_and(|f| f.proto)
    }

    fn old_style_type(&mut self, shape: &FuncType) -> Ty {
        self.program.types.intern(TypeKind::Function(FuncType {
            ret: shape.ret,
            params: Box::default(),
            variadic: false,
            proto: false,
        }))
    }

    fn specifiers(&mut self, func: FuncId, old_style: bool) {
        let storage =
            [FuncStorage::None, FuncStorage::Static, FuncStorage::Extern][self.below(3) as usize];
        let (inline, noreturn) = (self.chance(20), self.chance(5));
        let f = &mut self.program.funcs[func.index()];
        f.storage = storage;
        // An inline function that is not static may not define static objects of its own.
        f.inline = inline && storage == FuncStorage::Static;
        f.noreturn = noreturn;
        f.old_style = old_style;
    }

    fn param(&mut self, ty: Ty, old_style: bool) -> VarId {
        let name = self.fresh("p");
        let var = self.program.add_var(&name, ty, Scope::Param);
        match self.below(8) {
            0 => self.program.vars[var.index()].ty = ty.qualified(Quals::CONST),
            1 if !old_style && self.program.types.is_scalar(ty) => {
                self.program.vars[var.index()].storage = Storage::Register;
            }
            _ => {}
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.push(var);
        }
        var
    }

    fn func_body(&mut self, func: FuncId, variadic: bool) {
        self.frames.push(Vec::new());
        let mut stmts = Vec::new();
        if variadic {
            self.start_va_list(func, &mut stmts);
        }
        let counter = self.fresh("i");
        let init = self.zero(Ty::INT);
        let (var, decl) = self.program.local(&counter, Ty::INT, Some(init));
        if let Some(frame) = self.frames.last_mut() {
            frame.push(var);
        }
        stmts.push(decl);
        for _ in 0..2 + self.below(5) {
            let stmt = self.stmt(4);
            stmts.push(stmt);
        }
        let last = self.return_stmt();
        stmts.push(self.program.make_stmt(last));
        self.va_list = None;
        self.remaining_labels(&mut stmts);
        self.frames.pop();
        let body = self.program.block(stmts);
        self.program.funcs[func.index()].body = Some(body);
    }

    /// `__builtin_va_list ap; __builtin_va_start(ap, last);`
    fn start_va_list(&mut self, func: FuncId, stmts: &mut Vec<StmtId>) {
        let name = self.fresh("ap");
        let (list, decl) = self.program.local(&name, Ty::VA_LIST, None);
        stmts.push(decl);
        let start = self.va_start();
        let Some(&last) = self.program.func(func).params.last() else { return };
        let args = [self.program.var_ref(list), self.program.var_ref(last)];
        let call = self.program.call_func(start, &args);
        stmts.push(self.program.expr_stmt(call));
        self.va_list = Some(list);
    }

    /// The builtin, which has no declaration.
    fn va_start(&mut self) -> FuncId {
        if let Some(func) = self.va_start {
            return func;
        }
        let ty = self.program.func_type(Ty::VOID, &[Ty::VA_LIST], true);
        let func = self.program.add_func("__builtin_va_start", ty);
        self.program.funcs[func.index()].storage = FuncStorage::Extern;
        self.va_start = Some(func);
        func
    }
}
