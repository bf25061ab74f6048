//! Statements: each full expression has one side effect, each loop a bound.

use super::{COST, Simple};
use ctree::{BinOp, ExprId, Label, LabelId, StmtId, StmtKind, Ty, UnOp, VarId};

impl Simple<'_> {
    /// Appends a random statement, or a declaration.
    pub(super) fn stmt(&mut self, depth: u32, stmts: &mut Vec<StmtId>) {
        self.cost += self.repeats;
        let kind = if depth == 0 { self.below(12) } else { self.below(20) };
        match kind {
            0..=5 => self.assignment(stmts),
            6 => self.increment(stmts),
            7..=8 => self.declaration(stmts),
            9 => self.volatile_access(stmts),
            10 => self.copy(stmts),
            11 => {
                if !self.callees.is_empty() {
                    let callee = self.choices.index(self.callees.len());
                    self.call(callee, stmts);
                }
            }
            12..=14 => self.branch(depth, stmts),
            15..=17 => self.bounded_loop(depth, stmts),
            18 => self.switch(depth, stmts),
            _ => self.skip(depth, stmts),
        }
    }

    fn push_expr(&mut self, expr: ExprId, stmts: &mut Vec<StmtId>) {
        let stmt = self.program.expr_stmt(expr);
        stmts.push(stmt);
    }

    fn value_type(&mut self) -> Ty {
        if self.chance(50) { Ty::UINT } else { Ty::ULONG }
    }

    fn assignment(&mut self, stmts: &mut Vec<StmtId>) {
        use BinOp::*;
        let Some(target) = self.target() else { return };
        let ty = self.value_type();
        let value = self.value(ty, 4);
        let assign = if self.chance(65) {
            self.program.assign(target, value)
        } else {
            // The right side makes the operation unsigned whatever the target is.
            let op = [Add, Sub, Mul, BitAnd, BitOr, BitXor][self.below(6) as usize];
            let wide = self.program.cast(Ty::ULONG, value);
            self.program.assign_op(op, target, wide)
        };
        self.push_expr(assign, stmts);
    }

    /// `++` and `--` where the type wraps or promotes.
    fn increment(&mut self, stmts: &mut Vec<StmtId>) {
        let Some(target) = self.target() else { return };
        let (bits, signed) =
            self.program.types.int_bits(self.program.expr(target).ty).unwrap_or((32, true));
        let is_bit_field = self.program.bit_field_width(target).is_some();
        if bits == 1 || is_bit_field || (signed && bits >= 32) {
            return;
        }
        let ops = [UnOp::PreInc, UnOp::PreDec, UnOp::PostInc, UnOp::PostDec];
        let op = ops[self.below(4) as usize];
        let update = self.program.unary(op, target);
        self.push_expr(update, stmts);
    }

    fn new_local(&mut self, ty: Ty, value: ExprId, stmts: &mut Vec<StmtId>) -> VarId {
        let name = self.fresh("v");
        let init = self.program.init_expr(ty, value);
        let (var, decl) = self.program.local(&name, ty, Some(init));
        stmts.push(decl);
        var
    }

    fn declaration(&mut self, stmts: &mut Vec<StmtId>) {
        let ty = self.int_type();
        let value_type = self.value_type();
        let value = self.value(value_type, 3);
        let var = self.new_local(ty, value, stmts);
        self.locals.push(var);
    }

    /// One access to one volatile object per statement.
    fn volatile_access(&mut self, stmts: &mut Vec<StmtId>) {
        let Some(&var) = self.choices.pick(&self.volatiles) else { return };
        let object = self.program.var_ref(var);
        if self.chance(50) {
            let value = self.value(Ty::UINT, 3);
            let assign = self.program.assign(object, value);
            self.push_expr(assign, stmts);
        } else {
            let local = self.new_local(Ty::ULONG, object, stmts);
            self.locals.push(local);
        }
    }

    /// A struct copied as a whole.
    fn copy(&mut self, stmts: &mut Vec<StmtId>) {
        let records: Vec<VarId> = self
            .globals
            .iter()
            .copied()
            .filter(|&v| self.program.types.as_record(self.program.var(v).ty).is_some())
            .collect();
        let (Some(&to), Some(&from)) = (self.choices.pick(&records), self.choices.pick(&records))
        else {
            return;
        };
        if to == from || self.program.var(to).ty != self.program.var(from).ty {
            return;
        }
        let (to, from) = (self.program.var_ref(to), self.program.var_ref(from));
        let assign = self.program.assign(to, from);
        self.push_expr(assign, stmts);
    }

    /// A call whose result goes to a new local: nothing else happens in that expression. Left out
    /// where the program would run for too long.
    pub(super) fn call(&mut self, index: usize, stmts: &mut Vec<StmtId>) {
        let (func, cost) = (self.callees[index].func, self.callees[index].cost);
        if self.cost + cost * self.repeats > COST {
            return;
        }
        self.cost += cost * self.repeats;
        let Some(ty) = self.program.types.as_function(self.program.func(func).ty).cloned() else {
            return;
        };
        let args: Vec<ExprId> = ty.params.iter().map(|_| self.value(Ty::ULONG, 2)).collect();
        let call = self.program.call_func(func, &args);
        let local = self.new_local(ty.ret, call, stmts);
        self.locals.push(local);
    }

    fn block(&mut self, depth: u32) -> StmtId {
        let stmts = self.stmts(depth);
        self.program.block(stmts)
    }

    fn branch(&mut self, depth: u32, stmts: &mut Vec<StmtId>) {
        let cond = self.truth(2);
        let then = self.block(depth - 1);
        let other = if self.chance(50) { Some(self.block(depth - 1)) } else { None };
        let stmt = self.program.make_stmt(StmtKind::If(cond, then, other));
        stmts.push(stmt);
    }

    /// The body of a loop, with at times a way out of it.
    fn loop_body(&mut self, depth: u32) -> Vec<StmtId> {
        let mut body = self.stmts(depth);
        if self.chance(25) {
            let cond = self.truth(1);
            let kind = if self.chance(50) { StmtKind::Break } else { StmtKind::Continue };
            let leave = self.program.make_stmt(kind);
            body.push(self.program.make_stmt(StmtKind::If(cond, leave, None)));
        }
        body
    }

    fn bounded_loop(&mut self, depth: u32, stmts: &mut Vec<StmtId>) {
        let bound = 1 + self.below(8);
        if self.cost + self.repeats * bound * 4 > COST {
            return;
        }
        self.repeats *= bound;
        let (counter, decl) = self.counter();
        self.frozen.push(counter);
        if self.chance(60) {
            let body = self.loop_body(depth - 1);
            let body = self.program.block(body);
            let stmt = self.for_loop(counter, decl, bound, body);
            stmts.push(stmt);
            // Gone with the loop.
            self.frozen.retain(|&v| v != counter);
        } else {
            stmts.push(decl);
            // The counter moves in the condition, so that `continue` cannot skip it.
            let at = self.program.var_ref(counter);
            let next = self.program.unary(UnOp::PostInc, at);
            let end = self.program.int_const(Ty::INT, i128::from(bound));
            let cond = self.program.binary(BinOp::Lt, next, end);
            let body = self.loop_body(depth - 1);
            let body = self.program.block(body);
            let kind = if self.chance(50) {
                StmtKind::While(cond, body)
            } else {
                StmtKind::DoWhile(body, cond)
            };
            stmts.push(self.program.make_stmt(kind));
        }
        self.repeats /= bound;
    }

    fn switch(&mut self, depth: u32, stmts: &mut Vec<StmtId>) {
        let value = self.value(Ty::UINT, 2);
        let mask = self.program.int_const(Ty::UINT, 7);
        let value = self.program.binary(BinOp::BitAnd, value, mask);
        let mut body = Vec::new();
        let mut low = 0;
        while low < 8 {
            let high = if self.chance(20) { (low + 2).min(7) } else { low };
            let inner = self.block(depth - 1);
            body.push(self.program.make_stmt(StmtKind::Case(low, high, inner)));
            if self.chance(70) {
                body.push(self.program.make_stmt(StmtKind::Break));
            }
            low = high + 1 + self.below(3) as i64;
        }
        let inner = self.block(depth - 1);
        body.push(self.program.make_stmt(StmtKind::Default(inner)));
        let body = self.program.block(body);
        let stmt = self.program.make_stmt(StmtKind::Switch(value, body));
        stmts.push(stmt);
    }

    /// `if (c) goto l; … l: ;` around a block, so that no declaration is jumped over.
    fn skip(&mut self, depth: u32, stmts: &mut Vec<StmtId>) {
        let name = self.fresh("l");
        let name = self.program.names.intern(&name);
        self.program.labels.push(Label { name });
        let label = LabelId(self.program.labels.len() as u32 - 1);
        let cond = self.truth(1);
        let goto = self.program.make_stmt(StmtKind::Goto(label));
        stmts.push(self.program.make_stmt(StmtKind::If(cond, goto, None)));
        let block = self.block(depth - 1);
        stmts.push(block);
        let empty = self.program.make_stmt(StmtKind::Empty);
        stmts.push(self.program.make_stmt(StmtKind::Label(label, empty)));
    }
}
