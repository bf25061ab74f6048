//! The driver: calls each test, mixes its results into a checksum, prints that.
//!
//! With a trace every value is printed by name as well, so that a mismatch names the variable.

use super::{Test, Yarp};
use ctree::{
    BinOp, ExprId, FuncId, FuncStorage, Init, Item, Quals, RecordKind, Scope, StmtId, StmtKind,
    Storage, Ty, TypeKind, UnOp, VarId,
};

/// Functions and variables that the driver is made of.
struct Parts {
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
        let checksum = self.p.add_var("checksum", Ty::ULONG, Scope::File);
        let init = self.p.int_const(Ty::ULONG, BASIS);
        let entry = &mut self.p.vars[checksum.index()];
        (entry.storage, entry.init) = (Storage::Static, Some(Init::Expr(init)));
        self.item(Item::Var(checksum));
        self.checksum = Some(checksum);
        let mix = self.define_mix(checksum);
        let parts = Parts { printf, mix, checksum };
        let tests = std::mem::take(&mut self.tests);
        let mut stmts = Vec::new();
        for (number, test) in tests.iter().enumerate() {
            let Some(func) = test.func else { continue };
            let call = self.p.call_func(func, &test.args);
            self.push_expr(call, &mut stmts);
            let check = self.check_function(number, test, &parts);
            let call = self.p.call_func(check, &[]);
            self.push_expr(call, &mut stmts);
        }
        let zero = self.p.int_const(Ty::INT, 0);
        stmts.push(self.p.make_stmt(StmtKind::Return(Some(zero))));
        let ty = self.p.func_type(Ty::INT, &[], false);
        let main = self.p.add_func("main", ty);
        let body = self.p.block(stmts);
        self.p.funcs[main.index()].body = Some(body);
        self.item(Item::Func(main));
    }

    fn declare_printf(&mut self) -> FuncId {
        let format = self.p.types.pointer(Ty::CHAR.qualified(Quals::CONST));
        let ty = self.p.func_type(Ty::INT, &[format], true);
        let printf = self.p.add_func("printf", ty);
        self.p.funcs[printf.index()].storage = FuncStorage::Extern;
        self.item(Item::FuncDecl(printf));
        printf
    }

    /// `checksum = (checksum ^ value) * PRIME`, and the high half goes into the low one.
    fn define_mix(&mut self, checksum: VarId) -> FuncId {
        let ty = self.p.func_type(Ty::VOID, &[Ty::ULONG], false);
        let mix = self.p.add_func("mix", ty);
        let value = self.p.add_var("value", Ty::ULONG, Scope::Param);
        let (old, new) = (self.p.var_ref(checksum), self.p.var_ref(value));
        let mixed = self.p.binary(BinOp::BitXor, old, new);
        let prime = self.p.int_const(Ty::ULONG, PRIME);
        let product = self.p.binary(BinOp::Mul, mixed, prime);
        let target = self.p.var_ref(checksum);
        let first = self.p.assign(target, product);
        let (target, high) = (self.p.var_ref(checksum), self.p.var_ref(checksum));
        let by = self.p.int_const(Ty::INT, 32);
        let high = self.p.binary(BinOp::Shr, high, by);
        let second = self.p.assign_op(BinOp::BitXor, target, high);
        let stmts = vec![self.p.expr_stmt(first), self.p.expr_stmt(second)];
        let body = self.p.block(stmts);
        let func = &mut self.p.funcs[mix.index()];
        (func.storage, func.params, func.body) = (FuncStorage::Static, vec![value], Some(body));
        self.item(Item::Func(mix));
        mix
    }

    /// `check_N`: the checksum of one test.
    fn check_function(&mut self, number: usize, test: &Test, parts: &Parts) -> FuncId {
        let ty = self.p.func_type(Ty::VOID, &[], false);
        let check = self.p.add_func(&format!("check_{number}"), ty);
        let mut stmts = Vec::new();
        let (target, basis) = (self.p.var_ref(parts.checksum), self.p.int_const(Ty::ULONG, BASIS));
        let start = self.p.assign(target, basis);
        self.push_expr(start, &mut stmts);
        for &var in &test.results {
            let path = self.p.name(self.p.var(var).name).to_string();
            let object = self.p.var_ref(var);
            self.mix_object(object, path, &mut Vec::new(), parts, &mut stmts);
        }
        for &var in &test.floats {
            self.print_float(var, parts.printf, &mut stmts);
        }
        let format = self.p.str_const(format!("test_{number} %lx\n").as_bytes());
        let sum = self.p.var_ref(parts.checksum);
        let print = self.p.call_func(parts.printf, &[format, sum]);
        self.push_expr(print, &mut stmts);
        let body = self.p.block(stmts);
        let func = &mut self.p.funcs[check.index()];
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
        parts: &Parts,
        stmts: &mut Vec<StmtId>,
    ) {
        let ty = self.p.expr(object).ty;
        if let Some(length) = self.length_of(ty) {
            let name = format!("i{}", counters.len());
            let zero = self.p.int_const(Ty::INT, 0);
            let (counter, decl) = self.p.local(&name, Ty::INT, Some(Init::Expr(zero)));
            let at = self.p.var_ref(counter);
            let element = self.p.index(object, at);
            counters.push(counter);
            let mut inner = Vec::new();
            self.mix_object(element, format!("{path}[%d]"), counters, parts, &mut inner);
            counters.pop();
            let body = self.p.block(inner);
            let (at, end) = (self.p.var_ref(counter), self.p.int_const(Ty::INT, length.into()));
            let cond = self.p.binary(BinOp::Lt, at, end);
            let at = self.p.var_ref(counter);
            let step = self.p.unary(UnOp::PostInc, at);
            let (init, cond, step) = (Some(decl), Some(cond), Some(step));
            stmts.push(self.p.make_stmt(StmtKind::For { init, cond, step, body }));
            return;
        }
        match *self.p.types.shape(ty) {
            TypeKind::Record(id) => {
                let mut fields = self.named_fields(id);
                if self.p.types.records[id.index()].kind == RecordKind::Union {
                    fields.truncate(1);
                }
                for field in fields {
                    let name = self.p.types.records[id.index()].fields[field as usize].name;
                    let path = format!("{path}.{}", name.map_or("", |n| self.p.name(n)));
                    let copy = self.p.copy_expr(object);
                    let member = self.p.member(copy, field);
                    self.mix_object(member, path, counters, parts, stmts);
                }
            }
            TypeKind::Int(_) | TypeKind::Enum(_) => {
                if self.trace {
                    self.print_value(object, &path, counters, parts.printf, stmts);
                }
                let value = self.p.cast(Ty::ULONG, object);
                let call = self.p.call_func(parts.mix, &[value]);
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
        let (_, signed) = self.p.types.int_bits(self.p.expr(object).ty).unwrap_or((32, true));
        let (ty, conversion) = if signed { (Ty::LONG, "%ld") } else { (Ty::ULONG, "%lu") };
        let mut args = vec![self.p.str_const(format!("{path} = {conversion}\n").as_bytes())];
        for &counter in counters {
            args.push(self.p.var_ref(counter));
        }
        let copy = self.p.copy_expr(object);
        args.push(self.p.cast(ty, copy));
        let print = self.p.call_func(printf, &args);
        self.push_expr(print, stmts);
    }

    /// `float name = value`: compared with a tolerance, not hashed.
    fn print_float(&mut self, var: VarId, printf: FuncId, stmts: &mut Vec<StmtId>) {
        let name = self.p.name(self.p.var(var).name).to_string();
        let format = self.p.str_const(format!("float {name} = %.6f\n").as_bytes());
        let object = self.p.var_ref(var);
        let value = self.p.cast(Ty::DOUBLE, object);
        let print = self.p.call_func(printf, &[format, value]);
        self.push_expr(print, stmts);
    }
}
