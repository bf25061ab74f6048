//! Loops: counted ones of many forms, array walks, reductions, pointer walks.

use super::scope::VarPool;
use super::{Induction, Yarp};
use crate::policy::knobs::{Chance, CounterType, LoopForm, Range, Reduction, Target};
use ctree::{ArrayLen, BinOp, ExprId, StmtId, StmtKind, Ty, TypeKind, UnOp, VarId};

/// A counter and the range it runs over: `low` included, `high` not.
struct Counter {
    var: VarId,
    low: i64,
    high: i64,
    /// The upper end as an expression to compare with.
    bound: LoopBound,
}

#[derive(Clone, Copy)]
enum LoopBound {
    Constant,
    Input(VarId),
}

impl Yarp {
    /// A type for counting to `most` and one step beyond.
    pub(super) fn counter_type(&mut self, most: i64) -> Ty {
        let ty = match self.pick::<CounterType>() {
            CounterType::Int => Ty::INT,
            CounterType::UInt => Ty::UINT,
            CounterType::Long => Ty::LONG,
            CounterType::ULong => Ty::ULONG,
            CounterType::Short => Ty::SHORT,
            CounterType::UShort => Ty::USHORT,
            CounterType::SChar => Ty::SCHAR,
            CounterType::UChar => Ty::UCHAR,
        };
        let (bits, _) = self.program.types.int_bits(ty).unwrap_or((32, true));
        if bits < 16 && most > 100 { Ty::INT } else { ty }
    }

    /// The range of a loop that the test can afford, if any.
    fn range(&mut self) -> Option<(i64, i64, LoopBound)> {
        let affordable = (self.budget.saturating_sub(self.cost) / self.repeats / 25) as i64;
        let (low, high, bound) = if self.chance(Chance::LoopBoundInput)
            && let Some(&(var, value)) = self.choices.pick(&self.limits)
        {
            (0, value, LoopBound::Input(var))
        } else if self.chance(Chance::LoopFull) {
            let low = if self.choices.chance(20) { 1.min(self.length - 1) } else { 0 };
            let high = self.length - i64::from(self.choices.chance(15));
            (low, high, LoopBound::Constant)
        } else {
            let low = if self.choices.chance(70) { 0 } else { self.choices.range(-3..=3) };
            (low, low + self.draw(Range::Iterations), LoopBound::Constant)
        };
        (low < high && high - low <= affordable).then_some((low, high, bound))
    }

    /// A counter for a range.
    fn counter(&mut self) -> Option<Counter> {
        let (low, high, bound) = self.range()?;
        let mut ty = self.counter_type(high + 8);
        if low < 0 {
            ty = if self.choices.chance(70) { Ty::INT } else { Ty::LONG };
        }
        let name = self.fresh("i");
        let var = self.program.add_var(&name, ty, ctree::Scope::Block);
        Some(Counter { var, low, high, bound })
    }

    fn bound(&mut self, counter: &Counter) -> ExprId {
        match counter.bound {
            LoopBound::Constant => self.program.int_const(Ty::INT, i128::from(counter.high)),
            LoopBound::Input(var) => self.program.var_ref(var),
        }
    }

    /// Declares the counter with a first value.
    fn start(&mut self, counter: &Counter, value: ExprId) -> StmtId {
        let ty = self.program.var(counter.var).ty;
        let init = self.program.init_expr(ty, value);
        self.program.vars[counter.var.index()].init = Some(init);
        self.program.make_stmt(StmtKind::Decl(vec![ctree::Item::Var(counter.var)]))
    }

    fn number(&mut self, value: i64) -> ExprId {
        self.program.int_const(Ty::INT, i128::from(value))
    }

    /// `counter op bound`
    fn compare(&mut self, op: BinOp, var: VarId, bound: ExprId) -> ExprId {
        let counter = self.program.var_ref(var);
        self.program.binary(op, counter, bound)
    }

    fn step(&mut self, op: UnOp, var: VarId) -> ExprId {
        let counter = self.program.var_ref(var);
        self.program.unary(op, counter)
    }

    /// Builds a body that runs for each value of the counter.
    fn counted<T>(&mut self, counter: &Counter, body: impl FnOnce(&mut Yarp) -> T) -> T {
        let (low, high) = (counter.low, counter.high - 1);
        let trips = (high - low + 1) as u64;
        self.inductions.push(Induction { var: counter.var, low, high });
        self.repeats *= trips;
        let made = body(self);
        self.repeats /= trips;
        self.inductions.pop();
        made
    }

    /// A `for` loop around a body.
    fn for_loop(&mut self, mut counter: Counter, body: impl FnOnce(&mut Yarp) -> StmtId) -> StmtId {
        let var = counter.var;
        let ty = self.program.var(var).ty;
        let (_, signed) = self.program.types.int_bits(ty).unwrap_or((32, true));
        let constant = matches!(counter.bound, LoopBound::Constant);
        let (first, cond, step) = match self.pick::<LoopForm>() {
            LoopForm::Down if signed || counter.low > 0 => {
                let bound = self.bound(&counter);
                let one = self.number(1);
                let first = match counter.bound {
                    LoopBound::Constant => self.number(counter.high - 1),
                    LoopBound::Input(_) => self.program.binary(BinOp::Sub, bound, one),
                };
                let low = self.number(counter.low);
                (first, self.compare(BinOp::Ge, var, low), Some(self.step(UnOp::PostDec, var)))
            }
            LoopForm::Down => {
                // An unsigned counter steps down in the condition.
                let first = self.bound(&counter);
                let low = self.number(counter.low);
                let next = self.step(UnOp::PostDec, var);
                (first, self.program.binary(BinOp::Gt, next, low), None)
            }
            LoopForm::UpTo if constant => {
                let (first, last) = (self.number(counter.low), self.number(counter.high - 1));
                (first, self.compare(BinOp::Le, var, last), Some(self.step(UnOp::PreInc, var)))
            }
            LoopForm::NotEqual => {
                let (first, bound) = (self.number(counter.low), self.bound(&counter));
                (first, self.compare(BinOp::Ne, var, bound), Some(self.step(UnOp::PreInc, var)))
            }
            LoopForm::Step => {
                let by = self.choices.range(2..=4);
                let (first, bound) = (self.number(counter.low), self.bound(&counter));
                let (target, by) = (self.program.var_ref(var), self.number(by));
                let step = self.program.assign_op(BinOp::Add, target, by);
                (first, self.compare(BinOp::Lt, var, bound), Some(step))
            }
            LoopForm::Up | LoopForm::UpTo => {
                let (first, bound) = (self.number(counter.low), self.bound(&counter));
                (first, self.compare(BinOp::Lt, var, bound), Some(self.step(UnOp::PostInc, var)))
            }
        };
        // A loop over nothing known keeps its range: a lower bound above zero is never negative.
        counter.low = counter.low.min(counter.high - 1);
        let init = self.start(&counter, first);
        let body = self.counted(&counter, body);
        self.program.make_stmt(StmtKind::For { init: Some(init), cond: Some(cond), step, body })
    }

    /// A body of random statements, at times with a way out of the loop.
    fn loop_body(&mut self, depth: i64, continues: bool) -> Vec<StmtId> {
        let block = self.enter_block();
        let count = self.draw(Range::BlockSize);
        let mut stmts = Vec::new();
        self.stmts(count, depth - 1, &mut stmts);
        if self.chance(Chance::LoopExit) {
            let condition = self.condition();
            let leave = if continues && self.choices.chance(50) {
                self.program.make_stmt(StmtKind::Continue)
            } else {
                self.program.make_stmt(StmtKind::Break)
            };
            stmts.push(self.program.make_stmt(StmtKind::If(condition, leave, None)));
            // Something must come after it, or `continue` does nothing.
            self.assign(&mut stmts);
        }
        self.leave_block(block);
        stmts
    }

    pub(super) fn for_statement(&mut self, depth: i64, stmts: &mut Vec<StmtId>) {
        let Some(counter) = self.counter() else { return self.assign(stmts) };
        let stmt = self.for_loop(counter, |s| {
            let body = s.loop_body(depth, true);
            s.program.block(body)
        });
        stmts.push(stmt);
    }

    pub(super) fn while_statement(&mut self, depth: i64, stmts: &mut Vec<StmtId>) {
        let Some(mut counter) = self.counter() else { return self.assign(stmts) };
        let var = counter.var;
        let first = self.number(counter.low);
        stmts.push(self.start(&counter, first));
        let bound = self.bound(&counter);
        let (cond, body) = if self.choices.chance(50) {
            // The counter steps in the condition, so that `continue` cannot skip it.
            let next = self.step(UnOp::PostInc, var);
            let cond = self.program.binary(BinOp::Lt, next, bound);
            (counter.low, counter.high) = (counter.low + 1, counter.high + 1);
            let body = self.counted(&counter, |s| s.loop_body(depth, true));
            (cond, body)
        } else {
            let cond = self.compare(BinOp::Lt, var, bound);
            let mut body = self.counted(&counter, |s| s.loop_body(depth, false));
            let step = self.step(UnOp::PreInc, var);
            self.push_expr(step, &mut body);
            (cond, body)
        };
        let body = self.program.block(body);
        stmts.push(self.program.make_stmt(StmtKind::While(cond, body)));
        self.scope.add(VarPool::ReadLocal, var);
    }

    pub(super) fn do_statement(&mut self, depth: i64, stmts: &mut Vec<StmtId>) {
        let Some(counter) = self.counter() else { return self.assign(stmts) };
        let var = counter.var;
        let first = self.number(counter.low);
        stmts.push(self.start(&counter, first));
        let body = self.counted(&counter, |s| s.loop_body(depth, true));
        let body = self.program.block(body);
        let next = self.step(UnOp::PreInc, var);
        let bound = self.bound(&counter);
        let cond = self.program.binary(BinOp::Lt, next, bound);
        stmts.push(self.program.make_stmt(StmtKind::DoWhile(body, cond)));
        self.scope.add(VarPool::ReadLocal, var);
    }

    /// A loop whose statements each set one element, as vectorisers like them.
    pub(super) fn array_walk(&mut self, depth: i64, stmts: &mut Vec<StmtId>) {
        let Some(counter) = self.counter() else { return self.assign(stmts) };
        let nested = depth > 1 && self.choices.chance(25);
        let stmt = self.for_loop(counter, |s| {
            let block = s.enter_block();
            let mut body = Vec::new();
            if nested {
                s.array_walk(depth - 1, &mut body);
            } else {
                for _ in 0..1 + s.choices.below(3) {
                    s.walk_step(&mut body);
                }
            }
            s.leave_block(block);
            s.program.block(body)
        });
        stmts.push(stmt);
    }

    fn walk_step(&mut self, stmts: &mut Vec<StmtId>) {
        let nodes = self.program.exprs.len();
        self.begin_expr();
        let Some(target) = self.element_target() else { return self.assign(stmts) };
        let value = self.full_expr();
        let update = if self.policy.weight(Target::Element) > 0 && self.choices.chance(25) {
            let ops =
                [BinOp::Add, BinOp::Sub, BinOp::BitXor, BinOp::BitOr, BinOp::BitAnd, BinOp::Mul];
            let op = ops[self.choices.index(ops.len())];
            self.program.assign_op(op, target, value)
        } else {
            self.program.assign(target, value)
        };
        let mut stmt = self.program.expr_stmt(update);
        if self.chance(Chance::WalkIf) {
            let condition = self.condition();
            stmt = self.program.make_stmt(StmtKind::If(condition, stmt, None));
        }
        stmts.push(stmt);
        self.pay(nodes);
    }

    /// An element of an array to write.
    fn element_target(&mut self) -> Option<ExprId> {
        let var = self.preferred(VarPool::WriteArray)?;
        // Vectorisers want operands of one width.
        if self.chance(Chance::ContextType) {
            self.context.ty = self.int_type_within(self.program.var(var).ty);
        }
        Some(self.integer_in(var))
    }

    /// A local that gathers something over a loop, and goes into an output.
    pub(super) fn reduction(&mut self, stmts: &mut Vec<StmtId>) {
        let kind = self.pick::<Reduction>();
        let ty = self.int_type();
        let Some(counter) = self.counter() else { return self.assign(stmts) };
        let first = match kind {
            Reduction::And => self.number(-1),
            Reduction::Product => self.number(1),
            Reduction::Min | Reduction::Max => self.constant(ty),
            _ => self.number(0),
        };
        let sum = self.new_local("r", ty, first, stmts);
        let stmt = self.for_loop(counter, |s| {
            let block = s.enter_block();
            let nodes = s.program.exprs.len();
            s.begin_expr();
            let value = s.expr(2);
            let update = s.reduce(kind, sum, value);
            s.pay(nodes);
            s.leave_block(block);
            s.program.block(vec![update])
        });
        stmts.push(stmt);
        self.scope.add(VarPool::ReadLocal, sum);
        self.scope.add(VarPool::WriteLocal, sum);
    }

    fn reduce(&mut self, kind: Reduction, sum: VarId, value: ExprId) -> StmtId {
        let target = self.program.var_ref(sum);
        let op = match kind {
            Reduction::Sum => BinOp::Add,
            Reduction::Xor => BinOp::BitXor,
            Reduction::Or => BinOp::BitOr,
            Reduction::And => BinOp::BitAnd,
            Reduction::Product => BinOp::Mul,
            Reduction::Min | Reduction::Max => {
                // Both sides of the comparison and the result have the type of the local.
                let ty = self.program.var(sum).ty;
                let value = self.program.cast(ty, value);
                let again = self.program.copy_expr(value);
                let (old, kept) = (self.program.var_ref(sum), self.program.var_ref(sum));
                let op = if kind == Reduction::Min { BinOp::Lt } else { BinOp::Gt };
                let better = self.program.binary(op, value, old);
                let best = self.program.cond(better, Some(again), kept);
                let assign = self.program.assign(target, best);
                return self.program.expr_stmt(assign);
            }
            Reduction::Count => {
                let one = self.number(1);
                let more = self.program.assign_op(BinOp::Add, target, one);
                let more = self.program.expr_stmt(more);
                return self.program.make_stmt(StmtKind::If(value, more, None));
            }
        };
        let update = self.program.assign_op(op, target, value);
        self.program.expr_stmt(update)
    }

    /// A loop that moves a pointer through an array.
    pub(super) fn pointer_walk(&mut self, stmts: &mut Vec<StmtId>) {
        let arrays: Vec<VarId> = self
            .scope
            .all(VarPool::WriteArray)
            .iter()
            .copied()
            .filter(|&v| {
                matches!(self.program.types.as_array(self.program.var(v).ty),
                Some((elem, _)) if self.program.types.is_integer(elem))
            })
            .collect();
        let Some(&array) = self.choices.pick(&arrays) else { return self.assign(stmts) };
        let Some((_, ArrayLen::Known(length))) =
            self.program.types.as_array(self.program.var(array).ty)
        else {
            return self.assign(stmts);
        };
        if !self.affords(length * 25) {
            return self.assign(stmts);
        }
        let object = self.program.var_ref(array);
        let first = self.program.decay(object);
        let ty = self.program.expr(first).ty;
        let name = self.fresh("w");
        let init = self.program.init_expr(ty, first);
        let (walker, decl) = self.program.local(&name, ty, Some(init));
        let object = self.program.var_ref(array);
        let (base, n) = (self.program.decay(object), self.number(length as i64));
        let end = self.program.binary(BinOp::Add, base, n);
        let op = if self.choices.chance(50) { BinOp::Lt } else { BinOp::Ne };
        let cond = self.compare(op, walker, end);
        let step = self.step(UnOp::PostInc, walker);
        self.repeats *= length;
        let block = self.enter_block();
        let nodes = self.program.exprs.len();
        self.pointees.insert(walker, 1);
        self.scope.add(VarPool::ReadPointer, walker);
        self.begin_expr();
        let at = self.program.var_ref(walker);
        let target = self.program.deref(at);
        let value = self.expr(2);
        let update = match self.choices.below(3) {
            0 => self.program.assign_op(BinOp::BitXor, target, value),
            1 => self.program.assign_op(BinOp::Add, target, value),
            _ => self.program.assign(target, value),
        };
        let mut body = Vec::new();
        self.push_expr(update, &mut body);
        self.pay(nodes);
        self.leave_block(block);
        self.repeats /= length;
        let body = self.program.block(body);
        let init = Some(decl);
        stmts.push(self.program.make_stmt(StmtKind::For {
            init,
            cond: Some(cond),
            step: Some(step),
            body,
        }));
    }

    /// The number of lanes or elements of a type that has any.
    pub(super) fn length_of(&self, ty: Ty) -> Option<u64> {
        match *self.program.types.shape(ty) {
            TypeKind::Array(_, ArrayLen::Known(n)) => Some(n),
            TypeKind::Vector(_, lanes) => Some(u64::from(lanes)),
            _ => None,
        }
    }
}
