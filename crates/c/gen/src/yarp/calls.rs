//! Functions: the tests, the helpers they call, and the calls.

use super::scope::{VarPool, VisibleVars};
use super::{Callee, TestFunction, Yarp};
use crate::policy::knobs::{Binary, Chance, Range};
use ctree::{
    BinOp, ExprId, FuncId, FuncStorage, Item, Quals, Scope, StmtId, StmtKind, Ty, TypeKind, VarId,
};

/// Statements of a helper, at most.
const HELPER_SIZE: i64 = 8;

impl Yarp {
    /// A test: its variables, its helpers, the function itself.
    pub(super) fn test_function(&mut self, number: i64) {
        self.test = TestFunction::default();
        self.scope = VisibleVars::default();
        self.callees.clear();
        self.limits.clear();
        self.constants.clear();
        self.subexpressions.clear();
        self.array_types.clear();
        self.context = Default::default();
        self.vectors.clear();
        (self.cost, self.repeats) = (0, 1);
        self.budget = self.draw(Range::Cost) as u64;
        self.test_data();
        for _ in 0..self.draw(Range::Helpers) {
            self.helper();
        }
        let outer = self.scope.mark();
        let (params, args) = self.test_params();
        let types: Vec<Ty> =
            params.iter().map(|&program| self.program.var(program).ty.unqual()).collect();
        let ty = self.program.func_type(Ty::VOID, &types, false);
        let func = self.program.add_func(&format!("test_{number}"), ty);
        self.program.funcs[func.index()].params = params;
        (self.test.func, self.test.args) = (Some(func), args);

        let depth = self.draw(Range::BlockDepth);
        let count = self.draw(Range::TestSize);
        self.size = count * 4;
        let mut stmts = Vec::new();
        for _ in 0..self.choices.below(3) {
            self.declare(&mut stmts, true);
        }
        self.stmts(count, depth, &mut stmts);
        self.call_the_rest(&mut stmts);
        self.store_locals_to_outputs(&outer, &mut stmts);
        self.define_function(func, stmts);
        self.scope.reset(&outer);
        let test = std::mem::take(&mut self.test);
        self.tests.push(test);
    }

    fn define_function(&mut self, func: FuncId, stmts: Vec<StmtId>) {
        let body = self.program.block(stmts);
        self.program.funcs[func.index()].body = Some(body);
        self.functions.push(func);
        self.item(Item::Func(func));
    }

    /// Inputs that a test takes as parameters, and what the driver passes.
    fn test_params(&mut self) -> (Vec<VarId>, Vec<ExprId>) {
        let (mut params, mut args) = (Vec::new(), Vec::new());
        let candidates: Vec<VarId> = [VarPool::ReadGlobal, VarPool::ReadArray]
            .iter()
            .flat_map(|&pool| self.scope.all(pool).iter().copied())
            .collect();
        for var in candidates {
            let entry = self.program.var(var);
            let (ty, is_static) = (entry.ty, entry.storage == ctree::Storage::Static);
            if is_static || params.len() >= 6 || !self.chance(Chance::TestParams) {
                continue;
            }
            let written = self.scope.all(VarPool::WriteArray).contains(&var);
            match *self.program.types.shape(ty) {
                TypeKind::Int(_) => {
                    let param = self.param(ty.unqual());
                    self.scope.add(VarPool::ReadLocal, param);
                    self.scope.add(VarPool::WriteLocal, param);
                    params.push(param);
                    args.push(self.program.var_ref(var));
                }
                TypeKind::Array(elem, ctree::ArrayLen::Known(n))
                    if self.program.types.is_integer(elem) =>
                {
                    let argument = self.address(var);
                    let ty = self.program.expr(argument).ty;
                    // With `restrict`, the array may only be accessed through the parameter, unless it is
                    // never written.
                    let restrict = !written && self.chance(Chance::Restrict);
                    let ty = if restrict { ty.qualified(Quals::RESTRICT) } else { ty };
                    let param = self.param(ty);
                    self.pointees.insert(param, n as i64);
                    self.scope.add(VarPool::ReadPointer, param);
                    if written {
                        self.scope.add(VarPool::WritePointer, param);
                    }
                    params.push(param);
                    args.push(argument);
                }
                _ => {}
            }
        }
        (params, args)
    }

    fn param(&mut self, ty: Ty) -> VarId {
        let name = self.fresh("a");
        self.program.add_var(&name, ty, Scope::Param)
    }

    /// Locals go into outputs of their own, so that what made them counts.
    fn store_locals_to_outputs(
        &mut self,
        outer: &super::scope::ScopeMark,
        stmts: &mut Vec<StmtId>,
    ) {
        for pool in [VarPool::ReadLocal, VarPool::ReadArray, VarPool::ReadRecord] {
            let locals: Vec<VarId> = self.scope.all(pool)[outer[pool as usize]..].into();
            for local in locals {
                if self.program.var(local).scope != Scope::File && self.chance(Chance::Flush) {
                    self.begin_expr();
                    let from = self.integer_in(local);
                    let output = self.output(self.program.expr(from).ty);
                    let to = self.program.var_ref(output);
                    let assign = self.program.assign(to, from);
                    self.push_expr(assign, stmts);
                }
            }
        }
    }

    /// A function that the test can call.
    fn helper(&mut self) {
        let recursive = self.chance(Chance::Recursive);
        let impure = self.chance(Chance::Impure);
        let whole = self.scope.clone();
        self.pure_helper = !impure;
        self.in_helper = true;
        if !impure {
            self.scope.make_read_only();
        }
        let mut params = Vec::new();
        if recursive {
            params.push(self.param(Ty::INT));
        }
        for _ in 0..self.choices.below(4) {
            let ty = match self.struct_type() {
                Some(ty) if self.choices.chance(10) => ty,
                _ => self.int_type(),
            };
            let param = self.param(ty);
            if self.program.types.as_record(ty).is_some() {
                self.scope.add(VarPool::ReadRecord, param);
                self.scope.add(VarPool::WriteRecord, param);
            } else {
                self.scope.add(VarPool::ReadLocal, param);
                self.scope.add(VarPool::WriteLocal, param);
            }
            params.push(param);
        }
        let types: Vec<Ty> = params.iter().map(|&program| self.program.var(program).ty).collect();
        let ret = self.int_type();
        let ty = self.program.func_type(ret, &types, false);
        let name = self.fresh("f");
        let func = self.program.add_func(&name, ty);
        let is_static = self.chance(Chance::StaticFunction);
        let entry = &mut self.program.funcs[func.index()];
        entry.params = params.clone();
        if is_static {
            entry.storage = FuncStorage::Static;
        }
        // A helper must be cheap, for it may be called in loops.
        let (cost, budget) = (self.cost, self.budget);
        (self.cost, self.budget) = (0, budget / 12);
        self.size = HELPER_SIZE;
        let mut stmts = Vec::new();
        let callees = std::mem::take(&mut self.callees);
        if recursive {
            self.recursion_end(params[0], ret, &mut stmts);
        }
        let count = self.choices.range(1..=3);
        self.stmts(count, 1, &mut stmts);
        self.begin_expr();
        let mut value = self.expr(2);
        if recursive {
            value = self.recursion_step(func, &params, value);
        }
        let value = self.program.convert(value, ret);
        stmts.push(self.program.make_stmt(StmtKind::Return(Some(value))));
        self.define_function(func, stmts);
        self.callees = callees;
        let own = self.cost + 4;
        let own = if recursive {
            own * (self.policy.most(Range::RecursionDepth) as u64 + 1)
        } else {
            own
        };
        (self.cost, self.budget) = (cost, budget);
        self.scope = whole;
        self.pure_helper = false;
        self.in_helper = false;
        self.subexpressions.clear();
        self.callees.push(Callee {
            func,
            params: types,
            ret,
            impure,
            recursive,
            cost: own,
            called: false,
        });
    }

    /// `if (n <= 0) return e;`
    fn recursion_end(&mut self, depth: VarId, ret: Ty, stmts: &mut Vec<StmtId>) {
        let (n, zero) = (self.program.var_ref(depth), self.program.int_const(Ty::INT, 0));
        let done = self.program.binary(BinOp::Le, n, zero);
        self.begin_expr();
        let value = self.expr(1);
        let value = self.program.convert(value, ret);
        let leave = self.program.make_stmt(StmtKind::Return(Some(value)));
        stmts.push(self.program.make_stmt(StmtKind::If(done, leave, None)));
    }

    /// `e op f(n - 1, …)`
    fn recursion_step(&mut self, func: FuncId, params: &[VarId], value: ExprId) -> ExprId {
        let (n, one) = (self.program.var_ref(params[0]), self.program.int_const(Ty::INT, 1));
        let mut args = vec![self.program.binary(BinOp::Sub, n, one)];
        for &param in &params[1..] {
            let record = self.program.types.as_record(self.program.var(param).ty).is_some();
            let arg = if record { self.program.var_ref(param) } else { self.expr(1) };
            args.push(arg);
        }
        let call = self.program.call_func(func, &args);
        let ops = [Binary::Add, Binary::BitXor, Binary::Sub, Binary::Mul];
        let op = ops[self.choices.index(ops.len())];
        self.binary(op, value, call)
    }

    /// Arguments for a callee.
    fn args(&mut self, callee: &Callee, depth: i64) -> Option<Vec<ExprId>> {
        let mut args = Vec::new();
        for (at, &ty) in callee.params.iter().enumerate() {
            args.push(if callee.recursive && at == 0 {
                let depth = self.draw(Range::RecursionDepth);
                self.program.int_const(Ty::INT, i128::from(depth))
            } else if self.program.types.as_record(ty).is_some() {
                let records = self.scope.all(VarPool::ReadRecord).iter().copied();
                let same: Vec<VarId> =
                    records.filter(|&v| self.program.var(v).ty.unqual() == ty).collect();
                match self.choices.pick(&same) {
                    Some(&var) => self.program.var_ref(var),
                    None => {
                        let init = self.init(ty);
                        self.program.compound_lit(ty, init)
                    }
                }
            } else {
                self.expr(depth)
            });
        }
        Some(args)
    }

    /// Calls the helpers that have no call yet.
    fn call_the_rest(&mut self, stmts: &mut Vec<StmtId>) {
        for at in 0..self.callees.len() {
            if !self.callees[at].called {
                self.budget = self.budget.max(self.cost + self.callees[at].cost);
                self.call_of(at, stmts);
            }
        }
    }

    fn call(&mut self, at: usize, depth: i64) -> Option<ExprId> {
        let callee = self.callees[at].clone();
        let callee = &callee;
        if !self.affords(callee.cost) {
            return None;
        }
        self.cost += callee.cost * self.repeats;
        self.calls += 1;
        // In a loop or a branch the call may not be executed; at the top of the test it is.
        self.callees[at].called |= self.nesting == 0;
        let args = self.args(callee, depth)?;
        Some(self.program.call_func(callee.func, &args))
    }

    /// A call within an expression, of a function without effects.
    pub(super) fn pure_call(&mut self, depth: i64) -> Option<ExprId> {
        let pure: Vec<usize> =
            (0..self.callees.len()).filter(|&i| !self.callees[i].impure).collect();
        let at = *self.choices.pick(&pure)?;
        self.call(at, depth - 1)
    }

    /// A call as a statement of its own, its value kept or not.
    pub(super) fn call_statement(&mut self, stmts: &mut Vec<StmtId>) {
        let at = self.choices.index(self.callees.len());
        self.call_of(at, stmts);
    }

    fn call_of(&mut self, at: usize, stmts: &mut Vec<StmtId>) {
        self.begin_expr();
        let ret = self.callees[at].ret;
        let Some(call) = self.call(at, 2) else { return self.assign(stmts) };
        if self.choices.chance(80) {
            let var = self.new_local("c", ret, call, stmts);
            self.scope.add(VarPool::ReadLocal, var);
            self.scope.add(VarPool::WriteLocal, var);
        } else {
            self.push_expr(call, stmts);
        }
    }
}
