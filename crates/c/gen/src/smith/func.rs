//! Functions and `main`.

use super::features::{Feature, Limit};
use super::object::{Accessed, Effects, Pointee, PointerTo, ValueType, VarIndex};
use super::{Callee, Smith};
use ctree::{
    BinOp, ExprId, FuncId, FuncStorage, Init, Item, Quals, RecordKind, Scope, StmtId, StmtKind, Ty,
    UnOp,
};

/// Parameters of a function, at most.
const PARAMS: u64 = 4;

/// Steps that one call may take, by our estimate.
const COST: u64 = 2_000;

/// The integer that a pointer points to.
fn pointee(value_type: &ValueType) -> Option<usize> {
    match value_type {
        ValueType::Pointer(PointerTo { depth: 1, base: Pointee::Int(int), .. }) => Some(*int),
        _ => None,
    }
}

impl Smith {
    /// Functions, those that are called before those that call them.
    pub(super) fn all_functions(&mut self) {
        // A single function has no other to call.
        let most = u64::from(self.limit(Limit::Funcs));
        let count = (2 + self.below(most.max(2) - 1)).min(most);
        for number in (1..=count).rev() {
            self.function(number);
        }
    }

    fn function(&mut self, number: u64) {
        let ret = self.result_type();
        let params: Vec<ValueType> =
            (0..self.below(PARAMS + 1)).map(|_| self.param_type()).collect();
        let types: Vec<Ty> = params.iter().map(|s| self.c_type(*s)).collect();
        let result = self.c_type(ret);
        let ty = self.program.func_type(result, &types, false);
        let func = self.program.add_func(&format!("func_{number}"), ty);
        let inline = self.has(Feature::InlineFunction) && self.percent(30);
        self.program.funcs[func.index()].storage = FuncStorage::Static;
        self.program.funcs[func.index()].inline = inline;
        self.in_function = true;
        self.returns = ret;
        (self.cost, self.repeats, self.budget) = (1, 1, COST);
        self.level = 1;
        for &value_type in &params {
            let obj = self.object("p", value_type, Vec::new(), Quals::NONE, 1, Scope::Param);
            self.objects[obj].nullable = false;
            let var = self.objects[obj].var;
            self.program.funcs[func.index()].params.push(var);
            self.locals.push(obj);
        }
        self.decls.push(Vec::new());
        self.blocks.push(Vec::new());
        for _ in 0..1 + self.below(4) {
            self.random_local();
        }
        let inner = self.block();
        self.push(inner);
        self.call_the_rest();
        let last = self.return_statement();
        self.push(last);
        self.retarget_unrestricted_jumps();
        let body = self.end_block(0);
        self.program.funcs[func.index()].body = Some(body);
        self.function_items.push(func);
        self.in_function = false;
        let effects = self.summary_of_globals();
        self.functions.push(Callee { func, ret, params, effects, cost: self.cost, calls: 0 });
    }

    /// Calls some of the functions that have no call yet; the last function calls all of them.
    fn call_the_rest(&mut self) {
        while let Some(at) = self.callee(|_| true).filter(|at| self.functions[*at].calls == 0) {
            let call = self.call_of(at, 2);
            self.push_expr(call);
        }
    }

    fn result_type(&mut self) -> ValueType {
        if self.has(Feature::Pointers) && self.percent(15) {
            return ValueType::Pointer(self.random_pointer());
        }
        if self.has(Feature::ReturnStructs) && !self.structs.is_empty() && self.percent(12) {
            return ValueType::Record(self.a_struct());
        }
        ValueType::Int(self.int())
    }

    fn param_type(&mut self) -> ValueType {
        if self.has(Feature::Pointers) && self.percent(35) {
            return ValueType::Pointer(self.random_pointer());
        }
        if self.has(Feature::ArgStructs) && !self.structs.is_empty() && self.percent(12) {
            return ValueType::Record(self.a_struct());
        }
        // A type that other functions take pointers to is preferred.
        let wanted: Vec<usize> =
            self.functions.iter().flat_map(|f| &f.params).filter_map(pointee).collect();
        match wanted.is_empty() || self.percent(25) {
            true => ValueType::Int(self.int()),
            false => ValueType::Int(self.pick_one(&wanted)),
        }
    }

    /// A pointer that outlives the function: to a global, and nothing that a parameter points to.
    pub(super) fn safe_result(&mut self, to: PointerTo) -> ExprId {
        self.address(to, 0, None)
    }

    /// The effects of the function on its callers: without those on locals.
    fn summary_of_globals(&mut self) -> Effects {
        let mut all = std::mem::take(&mut self.summary);
        let stays = |t: &Accessed| match t {
            Accessed::Variable(o) => self.objects[*o].level == 0,
            Accessed::Pointee(_) => true,
        };
        all.reads.retain(stays);
        all.writes.retain(stays);
        all
    }

    /// `main`: calls the last function, then hashes all globals and prints the checksum.
    pub(super) fn main(&mut self) {
        let args = [Ty::INT, {
            let pointer = self.program.types.pointer(Ty::CHAR);
            self.program.types.pointer(pointer)
        }];
        let ty = self.program.func_type(Ty::INT, &args, false);
        let main = self.program.add_func("main", ty);
        for (name, ty) in ["argc", "argv"].into_iter().zip(args) {
            let var = self.program.add_var(name, ty, Scope::Param);
            self.program.funcs[main.index()].params.push(var);
        }
        let argc = self.program.funcs[main.index()].params[0];
        let argc = self.program.var_ref(argc);
        let one = self.program.int_const(Ty::INT, 1);
        let more = self.program.binary(BinOp::Gt, argc, one);
        let (print, decl) = self.program.local("print_hash_value", Ty::INT, Some(Init::Expr(more)));
        let mut stmts = vec![decl];
        self.in_function = true;
        self.level = 1;
        self.decls.push(Vec::new());
        if let Some(last) = self.functions.len().checked_sub(1) {
            let call = self.call_of(last, 1);
            self.full_expression();
            stmts.push(self.program.expr_stmt(call));
        }
        self.in_function = false;
        for obj in self.globals.clone() {
            self.hash_object(obj, print, &mut stmts);
        }
        let (Some(printf), Some(context)) = (self.function_named("printf"), self.crc_context())
        else {
            return;
        };
        let format = self.program.str_const(b"checksum = %X\n");
        let flipped = self.program.unary(UnOp::BitNot, context);
        let call = self.program.call_func(printf, &[format, flipped]);
        stmts.push(self.program.expr_stmt(call));
        let zero = self.program.int_const(Ty::INT, 0);
        stmts.push(self.program.make_stmt(StmtKind::Return(Some(zero))));
        let mut decls = self.decls.pop().unwrap_or_default();
        decls.extend(stmts);
        let body = self.program.block(decls);
        self.program.funcs[main.index()].body = Some(body);
        self.main = Some(main);
    }

    fn crc_context(&mut self) -> Option<ExprId> {
        let name = self.program.names.intern("crc32_context");
        let at = self.program.vars.iter().position(|v| v.name == name)?;
        Some(self.program.var_ref(ctree::VarId(at as u32)))
    }

    pub(super) fn function_named(&mut self, name: &str) -> Option<FuncId> {
        let name = self.program.names.intern(name);
        let at = self.program.funcs.iter().position(|f| f.name == name)?;
        Some(FuncId(at as u32))
    }

    /// Hashes all integers of a variable; pointers are left out.
    fn hash_object(&mut self, obj: VarIndex, print: ctree::VarId, stmts: &mut Vec<StmtId>) {
        let object = self.objects[obj].clone();
        if matches!(object.value_type, ValueType::Pointer(_)) {
            return;
        }
        let name = self.program.name(self.program.var(object.var).name).to_string();
        let mut label = name;
        let mut at = self.program.var_ref(object.var);
        let mut loops = Vec::new();
        for (depth, &length) in object.dims.iter().enumerate() {
            let counter = ["i", "j", "k", "m", "n", "o"][depth % 6];
            let (var, decl) = {
                let zero = self.program.int_const(Ty::INT, 0);
                self.program.local(counter, Ty::INT, Some(Init::Expr(zero)))
            };
            let index = self.program.var_ref(var);
            at = self.program.index(at, index);
            label += &format!("[{counter}]");
            loops.push((var, decl, length));
        }
        let mut body = Vec::new();
        self.hash(at, &label, print, &mut body);
        for (var, init, length) in loops.into_iter().rev() {
            let block = self.program.block(std::mem::take(&mut body));
            let place = self.program.var_ref(var);
            let most = self.program.int_const(Ty::INT, i128::from(length));
            let cond = Some(self.program.binary(BinOp::Lt, place, most));
            let place = self.program.var_ref(var);
            let step = Some(self.program.unary(UnOp::PostInc, place));
            body.push(self.program.make_stmt(StmtKind::For {
                init: Some(init),
                cond,
                step,
                body: block,
            }));
        }
        stmts.extend(body);
    }

    fn hash(&mut self, at: ExprId, label: &str, print: ctree::VarId, stmts: &mut Vec<StmtId>) {
        let Some(id) = self.program.types.as_record(self.program.expr(at).ty) else {
            let Some(crc) = self.function_named("transparent_crc") else { return };
            let name = self.program.str_const(label.as_bytes());
            let print = self.program.var_ref(print);
            let call = self.program.call_func(crc, &[at, name, print]);
            stmts.push(self.program.expr_stmt(call));
            return;
        };
        let is_union = self.program.types.records[id.index()].kind == RecordKind::Union;
        for field in self.members(id) {
            let copy = self.program.copy_expr(at);
            let member = self.program.member(copy, field);
            self.hash(member, &format!("{label}.f{field}"), print, stmts);
            if is_union {
                break;
            }
        }
    }

    /// All items of the program after the header, in the order of a C file.
    pub(super) fn assemble(&mut self) {
        let mut items = std::mem::take(&mut self.type_items);
        items.append(&mut self.global_items);
        let functions = std::mem::take(&mut self.function_items);
        items.extend(functions.iter().rev().map(|f| Item::FuncDecl(*f)));
        items.extend(functions.iter().rev().chain(&self.main).map(|f| Item::Func(*f)));
        self.program.units[self.unit.index()].items.append(&mut items);
    }
}
