//! Statements.

use super::features::{Feature, Limit};
use super::object::{Accessed, Effects, ValueType, VarIndex};
use super::relax::Relaxation;
use super::{ForwardJump, Induction, Jump, Smith};
use ctree::{BinOp, ExprId, Init, Item, Label, LabelId, Quals, Scope, StmtId, StmtKind, Ty, UnOp};

/// Kinds of statement, and how often each is drawn.
const STATEMENTS: [(Statement, u32); 10] = [
    (Statement::Assign, 40),
    (Statement::If, 14),
    (Statement::For, 12),
    (Statement::Walk, 6),
    (Statement::Goto, 7),
    (Statement::Leave, 5),
    (Statement::Call, 8),
    (Statement::Pointer, 12),
    (Statement::Record, 5),
    (Statement::Return, 2),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statement {
    Assign,
    If,
    For,
    /// A loop over an array.
    Walk,
    Goto,
    /// `break` and `continue`.
    Leave,
    Call,
    /// A pointer is made to point elsewhere.
    Pointer,
    /// A whole record is copied.
    Record,
    Return,
}

/// How often a jump back is taken.
const BACK: i128 = 3;

impl Smith {
    /// A block: its variables, then statements.
    pub(super) fn block(&mut self) -> StmtId {
        self.level += 1;
        let locals = self.locals.len();
        self.decls.push(Vec::new());
        self.blocks.push(Vec::new());
        for _ in 0..self.below(3) {
            self.random_local();
        }
        let most = u64::from(self.limit(Limit::BlockSize));
        for _ in 0..1 + self.below(most) {
            self.statement();
        }
        self.end_block(locals)
    }

    /// Ends the innermost block; its variables go out of scope.
    pub(super) fn end_block(&mut self, locals: usize) -> StmtId {
        if self.pending.iter().any(|ahead| ahead.depth == self.blocks.len() && !ahead.within) {
            let empty = self.program.make_stmt(StmtKind::Empty);
            self.push(empty);
        }
        let mut stmts = self.decls.pop().unwrap_or_default();
        stmts.extend(self.blocks.pop().unwrap_or_default());
        self.locals.truncate(locals);
        self.level -= 1;
        self.program.block(stmts)
    }

    /// Adds a statement to the innermost block; pending forward jumps get it as their target.
    pub(super) fn push(&mut self, stmt: StmtId) {
        let depth = self.blocks.len();
        for mut ahead in std::mem::take(&mut self.pending) {
            if ahead.depth == depth && !ahead.within {
                let label = self.label(stmt);
                self.program.stmts[ahead.jump.index()].kind = StmtKind::Goto(label);
                continue;
            }
            // This statement has the jump in it; its target is the next.
            ahead.within &= ahead.depth != depth;
            self.pending.push(ahead);
        }
        if let Some(block) = self.blocks.last_mut() {
            block.push(stmt);
        }
        self.statements.push(stmt);
    }

    pub(super) fn push_expr(&mut self, expr: ExprId) {
        self.full_expression();
        let stmt = self.program.expr_stmt(expr);
        self.push(stmt);
    }

    /// The label of a statement, added if it has none.
    fn label(&mut self, stmt: StmtId) -> LabelId {
        if let StmtKind::Label(label, _) = self.program.stmt(stmt).kind {
            return label;
        }
        self.names += 1;
        let name = self.program.names.intern(&format!("lbl_{}", self.names));
        self.program.labels.push(Label { name });
        let label = LabelId(self.program.labels.len() as u32 - 1);
        // The statement keeps its id, so that other jumps can target it too.
        let kind = self.program.stmt(stmt).kind.clone();
        let inner = self.program.make_stmt(kind);
        self.program.stmts[stmt.index()].kind = StmtKind::Label(label, inner);
        label
    }

    fn statement(&mut self) {
        self.pay(1);
        let nested = self.blocks.len() <= self.limit(Limit::BlockDepth) as usize;
        let allowed: Vec<(Statement, u32)> = STATEMENTS
            .into_iter()
            .filter(|(kind, _)| self.allows_statement(*kind, nested))
            .collect();
        let kind = self.choices().weighted(&allowed).copied().unwrap_or(Statement::Assign);
        let depth = self.limit(Limit::ExprComplexity);
        let depth = 1 + self.below(u64::from(depth)) as u32;
        match kind {
            Statement::Assign => self.assign_statement(depth),
            Statement::If => self.if_statement(depth),
            Statement::For => self.for_statement(),
            Statement::Walk => self.array_loop_statement(depth),
            Statement::Goto => self.goto_statement(),
            Statement::Leave => self.leave_statement(),
            Statement::Call => self.call_statement(depth),
            Statement::Pointer => self.pointer_statement(),
            Statement::Record => self.record_statement(),
            Statement::Return => self.early_return(),
        }
    }

    fn allows_statement(&self, kind: Statement, nested: bool) -> bool {
        match kind {
            Statement::If => nested,
            Statement::For => nested && self.affords(20),
            Statement::Walk => self.affords(20) && self.has(Feature::Arrays),
            Statement::Goto => self.has(Feature::Jumps),
            Statement::Leave => self.has(Feature::Jumps) && !self.inductions.is_empty(),
            Statement::Pointer => self.has(Feature::Pointers),
            Statement::Record => self.has(Feature::Structs),
            Statement::Return => self.blocks.len() > 1,
            _ => true,
        }
    }

    fn assign_statement(&mut self, depth: u32) {
        let made = match self.assignment(depth) {
            Some(made) => made,
            None => self.expr(depth),
        };
        self.push_expr(made);
    }

    fn condition(&mut self) -> ExprId {
        let depth = self.below(3) as u32;
        let condition = self.expr(depth);
        self.full_expression();
        condition
    }

    fn if_statement(&mut self, depth: u32) {
        let condition = self.expr(depth);
        self.full_expression();
        let yes = self.block();
        let no = self.percent(50).then(|| self.block());
        let stmt = self.program.make_stmt(StmtKind::If(condition, yes, no));
        self.push(stmt);
    }

    /// A counter that nothing in the body writes, so that the loop ends.
    fn counter(&mut self) -> VarIndex {
        let free = |o: &VarIndex| {
            let object = &self.objects[*o];
            self.is_plain_int(*o)
                && !object.pointable
                && object.quals == Quals::NONE
                && !self.locked.contains(o)
                && (object.level > 0 || self.has(Feature::GlobalCounters))
        };
        let free: Vec<VarIndex> = self.visible().into_iter().filter(free).collect();
        if free.is_empty() || self.percent(40) {
            let int = self.int();
            let obj = self.local(ValueType::Int(int), Vec::new(), Quals::NONE);
            self.objects[obj].pointable = false;
            return obj;
        }
        self.pick_one(&free)
    }

    /// `for (i = low; i <= high; i += step)` or the other way round, `body` within.
    fn counted(
        &mut self,
        obj: VarIndex,
        low: i64,
        high: i64,
        step: i64,
        body: impl FnOnce(&mut Self),
    ) {
        // An unsigned counter would wrap around below zero.
        let down = self.percent(30) && low >= step;
        let var = self.objects[obj].var;
        let times = ((high - low) / step + 1) as u64;
        let (from, to) = if down { (high, low) } else { (low, high) };
        let constant = |s: &mut Smith, v: i64| s.program.int_const(Ty::INT, i128::from(v));
        let (place, value) = (self.program.var_ref(var), constant(self, from));
        let init = self.program.assign(place, value);
        let init = self.program.expr_stmt(init);
        let (place, value) = (self.program.var_ref(var), constant(self, to));
        let cond = self.program.binary(if down { BinOp::Ge } else { BinOp::Le }, place, value);
        let place = self.program.var_ref(var);
        let step = match (step, down) {
            (1, false) if self.percent(50) => self.program.unary(UnOp::PostInc, place),
            (1, true) if self.percent(50) => self.program.unary(UnOp::PreDec, place),
            (by, _) => {
                let by = constant(self, by);
                self.program.assign_op(if down { BinOp::Sub } else { BinOp::Add }, place, by)
            }
        };
        let touch = Accessed::Variable(obj);
        self.summary.join(&Effects { reads: vec![touch], writes: vec![touch] });
        self.locked.push(obj);
        self.inductions.push(Induction { obj, low, high });
        let repeats = self.repeats;
        self.repeats = repeats.saturating_mul(times);
        self.level += 1;
        let locals = self.locals.len();
        self.decls.push(Vec::new());
        self.blocks.push(Vec::new());
        body(self);
        let body = self.end_block(locals);
        self.repeats = repeats;
        self.inductions.pop();
        self.locked.pop();
        let stmt = self.program.make_stmt(StmtKind::For {
            init: Some(init),
            cond: Some(cond),
            step: Some(step),
            body,
        });
        self.push(stmt);
    }

    fn for_statement(&mut self) {
        let obj = self.counter();
        let low = self.below(4) as i64;
        let high = low + self.below(9) as i64;
        let step = 1 + self.below(3) as i64;
        self.counted(obj, low, high, step, |s| {
            for _ in 0..s.below(2) {
                s.random_local();
            }
            let most = u64::from(s.limit(Limit::BlockSize));
            for _ in 0..1 + s.below(most) {
                s.statement();
            }
        });
    }

    /// Loops over the dimensions of an array that does something with each element.
    fn array_loop_statement(&mut self, depth: u32) {
        let arrays: Vec<VarIndex> = self
            .visible()
            .into_iter()
            .filter(|o| {
                let object = &self.objects[*o];
                let size: u64 = object.dims.iter().product();
                !object.dims.is_empty()
                    && matches!(object.value_type, ValueType::Int(_))
                    && !object.quals.has(Quals::CONST)
                    && self.affords(size)
            })
            .collect();
        if arrays.is_empty() {
            return self.assign_statement(depth);
        }
        let array = self.pick_one(&arrays);
        let dims = self.objects[array].dims.clone();
        let counters: Vec<VarIndex> = dims
            .iter()
            .map(|_| {
                let int = self.int();
                let obj = self.local(ValueType::Int(int), Vec::new(), Quals::NONE);
                self.objects[obj].pointable = false;
                obj
            })
            .collect();
        self.array_loops(array, &dims, &counters, depth.min(3));
    }

    fn array_loops(&mut self, array: VarIndex, dims: &[u64], counters: &[VarIndex], depth: u32) {
        let (Some((&length, dims)), Some((&counter, rest))) =
            (dims.split_first(), counters.split_first())
        else {
            return;
        };
        self.counted(counter, 0, length as i64 - 1, 1, |s| {
            if !rest.is_empty() {
                return s.array_loops(array, dims, rest, depth);
            }
            let made = s.two_sides(
                |s| {
                    let count = s.objects[array].dims.len();
                    let from = s.inductions.len() - count;
                    let counters: Vec<VarIndex> =
                        s.inductions[from..].iter().map(|i| i.obj).collect();
                    let mut at = s.program.var_ref(s.objects[array].var);
                    for counter in counters {
                        let index = s.program.var_ref(s.objects[counter].var);
                        at = s.program.index(at, index);
                    }
                    Some((at, s.writing(array)))
                },
                |s| s.expr(depth),
            );
            if let Some((place, value, effects)) = made {
                let assign = s.program.assign(place, value);
                s.note(&effects);
                s.push_expr(assign);
            }
        });
    }

    /// A jump: backwards within this block or an enclosing one, a few times only, or forwards to the
    /// statement after an enclosing block. Anywhere in the function, where that is relaxed.
    fn goto_statement(&mut self) {
        let condition = self.condition();
        let behind: Vec<StmtId> = self.blocks.iter().flatten().copied().collect();
        let back = self.percent(50) && !behind.is_empty();
        let jump = self.program.make_stmt(StmtKind::Empty);
        let condition = if back {
            let target = self.pick_one(&behind);
            let label = self.label(target);
            self.program.stmts[jump.index()].kind = StmtKind::Goto(label);
            self.few_times(condition)
        } else {
            let depth = 1 + self.below(self.blocks.len() as u64) as usize;
            self.pending.push(ForwardJump { depth, jump, within: true });
            condition
        };
        let in_relaxation = self.relaxes(Relaxation::Goto).then(|| self.relax.clone());
        self.jumps.push(Jump { stmt: jump, in_relaxation });
        let body = self.program.block(vec![jump]);
        let stmt = self.program.make_stmt(StmtKind::If(condition, body, None));
        self.push(stmt);
    }

    /// `n < 3 && condition`, where `n` counts how often this was true.
    fn few_times(&mut self, condition: ExprId) -> ExprId {
        self.names += 1;
        let name = format!("l_{}", self.names);
        let zero = self.program.int_const(Ty::INT, 0);
        let var = self.program.add_var(&name, Ty::INT, Scope::Block);
        self.program.vars[var.index()].init = Some(Init::Expr(zero));
        let decl = self.program.make_stmt(StmtKind::Decl(vec![Item::Var(var)]));
        if let Some(first) = self.decls.first_mut() {
            first.push(decl);
        }
        let place = self.program.var_ref(var);
        let step = self.program.unary(UnOp::PostInc, place);
        let most = self.program.int_const(Ty::INT, BACK);
        let test = self.program.binary(BinOp::Lt, step, most);
        self.program.binary(BinOp::LogAnd, condition, test)
    }

    /// At the end of a function: chooses the targets of relaxed jumps.
    pub(super) fn retarget_unrestricted_jumps(&mut self) {
        let statements = std::mem::take(&mut self.statements);
        for jump in std::mem::take(&mut self.jumps) {
            let Some(mut stream) = jump.in_relaxation else { continue };
            if let Some(&target) = stream.pick(&statements) {
                let label = self.label(target);
                self.program.stmts[jump.stmt.index()].kind = StmtKind::Goto(label);
            }
        }
    }

    fn leave_statement(&mut self) {
        let condition = self.condition();
        let kind = if self.percent(50) { StmtKind::Break } else { StmtKind::Continue };
        let leave = self.program.make_stmt(kind);
        let body = self.program.block(vec![leave]);
        let stmt = self.program.make_stmt(StmtKind::If(condition, body, None));
        self.push(stmt);
    }

    fn call_statement(&mut self, depth: u32) {
        match self.callee(|_| true) {
            Some(at) => {
                let call = self.call_of(at, depth.min(3));
                self.push_expr(call);
            }
            None => self.assign_statement(depth),
        }
    }

    fn pointer_statement(&mut self) {
        let fits = |o: &VarIndex| {
            let object = &self.objects[*o];
            matches!(object.value_type, ValueType::Pointer(_)) && !object.quals.has(Quals::CONST)
        };
        let pointers: Vec<VarIndex> = self.visible().into_iter().filter(fits).collect();
        if pointers.is_empty() {
            return self.assign_statement(2);
        }
        let obj = self.pick_one(&pointers);
        let ValueType::Pointer(to) = self.objects[obj].value_type else { return };
        let (level, nullable) = (self.objects[obj].level, self.objects[obj].nullable);
        let made = self.two_sides(
            |s| {
                let place = s.element(obj);
                Some((place, Effects { reads: Vec::new(), writes: vec![Accessed::Variable(obj)] }))
            },
            |s| match nullable && s.percent(40) {
                true => s.null(),
                false => s.address(to, level, None),
            },
        );
        if let Some((place, value, effects)) = made {
            let assign = self.program.assign(place, value);
            let assign = self.or_dangling(assign);
            self.note(&effects);
            self.push_expr(assign);
        }
    }

    /// Sometimes assigns an address that the pointer outlives instead.
    fn or_dangling(&mut self, assign: ExprId) -> ExprId {
        if !self.relaxes(Relaxation::Dangling) {
            return assign;
        }
        let visible = self.visible();
        let mut pairs = Vec::new();
        for &pointer in &visible {
            let object = &self.objects[pointer];
            let ValueType::Pointer(to) = object.value_type else { continue };
            let shorter = |o: &&VarIndex| {
                self.objects[**o].level > object.level && self.can_point_to(**o, to)
            };
            if !object.quals.has(Quals::CONST) {
                pairs.extend(visible.iter().filter(shorter).map(|o| (pointer, *o, to)));
            }
        }
        let Some(&(pointer, short, to)) = self.relax.pick(&pairs) else { return assign };
        self.with_relaxation_stream(|s| {
            let place = s.element(pointer);
            let address = s.address_in(short, to);
            s.program.assign(place, address)
        })
    }

    fn record_statement(&mut self) {
        let fits = |o: &VarIndex| {
            let object = &self.objects[*o];
            matches!(object.value_type, ValueType::Record(_)) && !object.quals.has(Quals::CONST)
        };
        let records: Vec<VarIndex> = self.visible().into_iter().filter(fits).collect();
        if records.is_empty() {
            return self.assign_statement(2);
        }
        let obj = self.pick_one(&records);
        let value_type = self.objects[obj].value_type;
        let callee = self.callee(|ret| ret == value_type).filter(|_| self.percent(50));
        let made = self.two_sides(
            |s| {
                let place = s.element(obj);
                Some((place, Effects { reads: Vec::new(), writes: vec![Accessed::Variable(obj)] }))
            },
            |s| match callee {
                Some(at) => s.call_of(at, 1),
                None => s.record_value(value_type),
            },
        );
        if let Some((place, value, effects)) = made {
            let assign = self.program.assign(place, value);
            self.note(&effects);
            self.push_expr(assign);
        }
    }

    fn early_return(&mut self) {
        let condition = self.condition();
        let stmt = self.return_statement();
        let body = self.program.block(vec![stmt]);
        let stmt = self.program.make_stmt(StmtKind::If(condition, body, None));
        self.push(stmt);
    }

    /// `return` with a value of the function's type; a pointer only to what outlives the function.
    pub(super) fn return_statement(&mut self) -> StmtId {
        let value_type = self.returns;
        let value = match value_type {
            ValueType::Int(_) => self.expr(2),
            ValueType::Pointer(to) => self.safe_result(to),
            ValueType::Record(_) => self.record_value(value_type),
        };
        self.full_expression();
        let ty = self.c_type(value_type);
        let value = self.program.convert(value, ty);
        self.program.make_stmt(StmtKind::Return(Some(value)))
    }
}
