//! The driver: calls each test, mixes its results into a checksum, prints that.
//!
//! A trace also prints every value by name, so that a mismatch names the variable.

use super::{TestFunction, Yarp};
use ctree::{
    BinOp, ExprId, FuncId, FuncStorage, Init, Item, Quals, RecordKind, Scope, StmtId, StmtKind,
    Storage, Ty, TypeKind, UnOp, VarId,
};

/// Functions and variables that the driver is made of.
struct DriverParts {
    printf: FuncId,
    mix: FuncId,
    checksum: VarId,
}

/// FNV-1a's, for 64 bits.
const BASIS: i128 = 0xcbf2_9ce4_8422_2325;
const PRIME: i128 = 0x100_0000_01b3;

impl Yarp {
    pub(super) fn driver(&mut self) {
        let printf = self.declare_printf();
        let wide = self.portable(Ty::ULONG);
        let checksum = self.program.add_var("checksum", wide, Scope::File);
        let init = self.program.int_const(wide, BASIS);
        let entry = &mut self.program.vars[checksum.index()];
        (entry.storage, entry.init) = (Storage::Static, Some(Init::Expr(init)));
        self.item(Item::Var(checksum));
        self.checksum = Some(checksum);
        let mix = self.define_mix(checksum);
        let parts = DriverParts { printf, mix, checksum };
        let tests = std::mem::take(&mut self.tests);
        let mut stmts = Vec::new();
        for (number, test) in tests.iter().enumerate() {
            let Some(func) = test.func else { continue };
            let call = self.program.call_func(func, &test.args);
            self.push_expr(call, &mut stmts);
            let check = self.check_function(number, test, &parts);
            let call = self.program.call_func(check, &[]);
            self.push_expr(call, &mut stmts);
        }
        let zero = self.program.int_const(Ty::INT, 0);
        stmts.push(self.program.make_stmt(StmtKind::Return(Some(zero))));
        let ty = self.program.func_type(Ty::INT, &[], false);
        let main = self.program.add_func("main", ty);
        let body = self.program.block(stmts);
        self.program.funcs[main.index()].body = Some(body);
        self.item(Item::Func(main));
    }

    fn declare_printf(&mut self) -> FuncId {
        let format = self.program.types.pointer(Ty::CHAR.qualified(Quals::CONST));
        let ty = self.program.func_type(Ty::INT, &[format], true);
        let printf = self.program.add_func("printf", ty);
        self.program.funcs[printf.index()].storage = FuncStorage::Extern;
        self.item(Item::FuncDecl(printf));
        printf
    }

    /// `checksum = (checksum ^ value) * PRIME`, and the high half goes into the low one.
    fn define_mix(&mut self, checksum: VarId) -> FuncId {
        let wide = self.portable(Ty::ULONG);
        let ty = self.program.func_type(Ty::VOID, &[wide], false);
        let mix = self.program.add_func("mix", ty);
        let value = self.program.add_var("value", wide, Scope::Param);
        let (old, new) = (self.program.var_ref(checksum), self.program.var_ref(value));
        let mixed = self.program.binary(BinOp::BitXor, old, new);
        let prime = self.program.int_const(wide, PRIME);
        let product = self.program.binary(BinOp::Mul, mixed, prime);
        let target = self.program.var_ref(checksum);
        let first = self.program.assign(target, product);
        let (target, high) = (self.program.var_ref(checksum), self.program.var_ref(checksum));
        let by = self.program.int_const(Ty::INT, 32);
        let high = self.program.binary(BinOp::Shr, high, by);
        let second = self.program.assign_op(BinOp::BitXor, target, high);
        let stmts = vec![self.program.expr_stmt(first), self.program.expr_stmt(second)];
        let body = self.program.block(stmts);
        let func = &mut self.program.funcs[mix.index()];
        (func.storage, func.params, func.body) = (FuncStorage::Static, vec![value], Some(body));
        self.item(Item::Func(mix));
        mix
    }

    /// `check_N`: the checksum of one test.
    fn check_function(
        &mut self,
        number: usize,
        test: &TestFunction,
        parts: &DriverParts,
    ) -> FuncId {
        let ty = self.program.func_type(Ty::VOID, &[], false);
        let check = self.program.add_func(&format!("check_{number}"), ty);
        let mut stmts = Vec::new();
        let wide = self.portable(Ty::ULONG);
        let (target, basis) =
            (self.program.var_ref(parts.checksum), self.program.int_const(wide, BASIS));
        let start = self.program.assign(target, basis);
        self.push_expr(start, &mut stmts);
        for &var in &test.results {
            let path = self.program.name(self.program.var(var).name).to_string();
            let object = self.program.var_ref(var);
            self.mix_object(object, path, &mut Vec::new(), parts, &mut stmts);
        }
        for &var in &test.floats {
            self.print_float(var, parts.printf, &mut stmts);
        }
        let conversion = if wide == Ty::ULONG { "%lx" } else { "%llx" };
        let format = format!("test_{number} {conversion}\n");
        let format = self.program.str_const(format.as_bytes());
        let sum = self.program.var_ref(parts.checksum);
        let print = self.program.call_func(parts.printf, &[format, sum]);
        self.push_expr(print, &mut stmts);
        let body = self.program.block(stmts);
        let func = &mut self.program.funcs[check.index()];
        (func.storage, func.body) = (FuncStorage::Static, Some(body));
        self.item(Item::Func(check));
        check
    }

    /// Mixes every integer of an object; `path` names it, with `%d` for each of the counters.
    fn mix_object(
        &mut self,
        object: ExprId,
        path: String,
        counters: &mut Vec<VarId>,
        parts: &DriverParts,
        stmts: &mut Vec<StmtId>,
    ) {
        let ty = self.program.expr(object).ty;
        if let Some(length) = self.length_of(ty) {
            let name = format!("i{}", counters.len());
            let zero = self.program.int_const(Ty::INT, 0);
            let (counter, decl) = self.program.local(&name, Ty::INT, Some(Init::Expr(zero)));
            let at = self.program.var_ref(counter);
            let element = self.program.index(object, at);
            counters.push(counter);
            let mut inner = Vec::new();
            self.mix_object(element, format!("{path}[%d]"), counters, parts, &mut inner);
            counters.pop();
            let body = self.program.block(inner);
            let (at, end) =
                (self.program.var_ref(counter), self.program.int_const(Ty::INT, length.into()));
            let cond = self.program.binary(BinOp::Lt, at, end);
            let at = self.program.var_ref(counter);
            let step = self.program.unary(UnOp::PostInc, at);
            let (init, cond, step) = (Some(decl), Some(cond), Some(step));
            stmts.push(self.program.make_stmt(StmtKind::For { init, cond, step, body }));
            return;
        }
        match *self.program.types.shape(ty) {
            TypeKind::Record(id) => {
                let mut fields = self.named_fields(id);
                if self.program.types.records[id.index()].kind == RecordKind::Union {
                    fields.truncate(1);
                }
                for field in fields {
                    let name = self.program.types.records[id.index()].fields[field as usize].name;
                    let path = format!("{path}.{}", name.map_or("", |n| self.program.name(n)));
                    let copy = self.program.copy_expr(object);
                    let member = self.program.member(copy, field);
                    self.mix_object(member, path, counters, parts, stmts);
                }
            }
            TypeKind::Int(_) | TypeKind::Enum(_) => {
                if self.trace {
                    self.print_value(object, &path, counters, parts.printf, stmts);
                }
                let wide = self.portable(Ty::ULONG);
                let value = self.program.cast(wide, object);
                let call = self.program.call_func(parts.mix, &[value]);
                self.push_expr(call, stmts);
            }
            _ => {}
        }
    }

    fn print_value(
        &mut self,
        object: ExprId,
        path: &str,
        counters: &[VarId],
        printf: FuncId,
        stmts: &mut Vec<StmtId>,
    ) {
        let (_, signed) =
            self.program.types.int_bits(self.program.expr(object).ty).unwrap_or((32, true));
        let ty = self.portable(if signed { Ty::LONG } else { Ty::ULONG });
        let conversion = match (ty == Ty::LONG || ty == Ty::ULONG, signed) {
            (true, true) => "%ld",
            (true, false) => "%lu",
            (false, true) => "%lld",
            (false, false) => "%llu",
        };
        let mut args = vec![self.program.str_const(format!("{path} = {conversion}\n").as_bytes())];
        for &counter in counters {
            args.push(self.program.var_ref(counter));
        }
        let copy = self.program.copy_expr(object);
        args.push(self.program.cast(ty, copy));
        let print = self.program.call_func(printf, &args);
        self.push_expr(print, stmts);
    }

    /// `float name = value`: compared with a tolerance, not hashed.
    fn print_float(&mut self, var: VarId, printf: FuncId, stmts: &mut Vec<StmtId>) {
        let name = self.program.name(self.program.var(var).name).to_string();
        let format = self.program.str_const(format!("float {name} = %.6f\n").as_bytes());
        let object = self.program.var_ref(var);
        let value = self.program.cast(Ty::DOUBLE, object);
        let print = self.program.call_func(printf, &[format, value]);
        self.push_expr(print, stmts);
    }
}
