//! Statements and the variables that they declare.

use ctree::{BinOp, ExprId, Init, Quals, StmtId, StmtKind, Ty, UnOp, VarId};

use super::expr::INTS;
use super::{BodyGenerator, fresh};

/// Greatest nesting of expressions in statements.
const EXPR: u32 = 3;
/// Most bytes of a new variable: the frame is allocated even if the code never runs.
const BYTES: u64 = 1024;

impl BodyGenerator<'_> {
    /// `{ … }` with at least one statement, and at times variables of its own.
    pub(super) fn block(&mut self, depth: u32) -> StmtId {
        let outside = self.scope.vars.len();
        let mut list = Vec::new();
        while self.choices.chance(35) && list.len() < 3 {
            list.push(self.declaration());
        }
        for _ in 0..1 + self.choices.below(4) {
            let stmt = self.stmt(depth);
            list.push(stmt);
            // Compilers remove what follows a jump.
            if self.stmts == 0 || self.is_jump(stmt) {
                break;
            }
        }
        self.scope.vars.truncate(outside);
        self.program.block(list)
    }

    fn stmt(&mut self, depth: u32) -> StmtId {
        self.stmts = self.stmts.saturating_sub(1);
        if depth == 0 || self.stmts == 0 {
            return self.simple();
        }
        match self.choices.below(100) {
            0..=44 => self.simple(),
            45..=59 => {
                let c = self.condition(2);
                let then = self.block(depth - 1);
                let other = self.choices.chance(35).then(|| self.block(depth - 1));
                self.program.make_stmt(StmtKind::If(c, then, other))
            }
            60..=71 => self.for_loop(depth - 1),
            72..=76 => {
                let c = self.condition(2);
                let body = self.looped(depth - 1);
                self.program.make_stmt(StmtKind::While(c, body))
            }
            77..=80 => {
                let body = self.looped(depth - 1);
                let c = self.condition(2);
                self.program.make_stmt(StmtKind::DoWhile(body, c))
            }
            81..=86 => self.switch(depth - 1),
            87..=89 => self.block(depth - 1),
            _ => self.jump(),
        }
    }

    fn simple(&mut self) -> StmtId {
        if self.choices.chance(8) {
            return self.jump();
        }
        let e = self.effect(EXPR);
        self.program.expr_stmt(e)
    }

    fn is_jump(&self, s: StmtId) -> bool {
        use StmtKind::{Break, Continue, Goto, Return};
        matches!(self.program.stmt(s).kind, Break | Continue | Goto(_) | Return(_))
    }

    fn jump(&mut self) -> StmtId {
        let kind = match self.choices.below(4) {
            0 if self.breaks => StmtKind::Break,
            1 if self.continues => StmtKind::Continue,
            2 if !self.labels.is_empty() => {
                StmtKind::Goto(self.labels[self.choices.index(self.labels.len())])
            }
            _ if self.program.types.is_void(self.ret) => StmtKind::Return(None),
            _ => match self.value(self.ret, 2) {
                Some(value) => StmtKind::Return(Some(self.program.convert(value, self.ret))),
                None => StmtKind::Empty,
            },
        };
        self.program.make_stmt(kind)
    }

    /// The body of a loop.
    fn looped(&mut self, depth: u32) -> StmtId {
        let outside = (self.breaks, self.continues);
        (self.breaks, self.continues) = (true, true);
        let body = self.block(depth);
        (self.breaks, self.continues) = outside;
        body
    }

    /// A counted loop, with an existing variable or its own.
    fn for_loop(&mut self, depth: u32) -> StmtId {
        let outside = self.scope.vars.len();
        let is_counter = |generator: &Self, e: ExprId| {
            generator.is_modifiable(e)
                && generator.program.types.is_integer(generator.program.expr(e).ty)
        };
        let old = if self.choices.chance(65) { self.lvalue(0, is_counter) } else { None };
        let from = self.arith(1);
        let (counter, init) = match old {
            Some(lvalue) => {
                let begin = self.program.assign(lvalue, from);
                (lvalue, self.program.expr_stmt(begin))
            }
            None => {
                let ty = self.int_type();
                let init = self.program.init_expr(ty, from);
                let (var, decl) = self.local(ty, Some(init));
                (self.program.var_ref(var), decl)
            }
        };
        let (cond, step) = self.bounds(counter);
        let body = self.looped(depth);
        self.scope.vars.truncate(outside);
        self.program.make_stmt(StmtKind::For {
            init: Some(init),
            cond: Some(cond),
            step: Some(step),
            body,
        })
    }

    fn bounds(&mut self, counter: ExprId) -> (ExprId, ExprId) {
        let ops = [BinOp::Lt, BinOp::Le, BinOp::Ne, BinOp::Gt, BinOp::Ge];
        let op = ops[self.choices.index(ops.len())];
        let (tested, end) = (self.program.copy_expr(counter), self.arith(1));
        let cond = self.program.binary(op, tested, end);
        let stepped = self.program.copy_expr(counter);
        let step = if self.choices.chance(65) {
            let op = [UnOp::PostInc, UnOp::PreInc, UnOp::PostDec][self.choices.index(3)];
            self.program.unary(op, stepped)
        } else {
            let by = self.integer(1);
            let op = [BinOp::Add, BinOp::Sub, BinOp::Shr][self.choices.index(3)];
            self.program.assign_op(op, stepped, by)
        };
        (cond, step)
    }

    fn switch(&mut self, depth: u32) -> StmtId {
        let mut on = self.integer(2);
        if self.program.types.size_of(self.program.expr(on).ty).is_none_or(|size| size > 8) {
            on = self.program.cast(Ty::INT, on);
        }
        let on = self.program.promote(on);
        let breaks = std::mem::replace(&mut self.breaks, true);
        let mut list = Vec::new();
        let mut value = self.choices.range(0..=4);
        for _ in 0..1 + self.choices.below(3) {
            let body = self.block(depth);
            list.push(self.program.make_stmt(StmtKind::Case(value, value, body)));
            if self.choices.chance(60) {
                list.push(self.program.make_stmt(StmtKind::Break));
            }
            value += self.choices.range(1..=9);
        }
        if self.choices.chance(50) {
            let body = self.block(depth);
            list.push(self.program.make_stmt(StmtKind::Default(body)));
        }
        self.breaks = breaks;
        let body = self.program.block(list);
        self.program.make_stmt(StmtKind::Switch(on, body))
    }

    /// A new variable, at times without a value.
    fn declaration(&mut self) -> StmtId {
        let ty = self.local_type();
        let init = match self.choices.chance(55) {
            true if self.program.types.as_array(ty).is_none() => {
                self.value(ty, 2).map(|value| self.program.init_expr(ty, value))
            }
            _ => None,
        };
        let is_volatile = self.program.types.is_scalar(ty) && self.choices.chance(10);
        let ty = if is_volatile { ty.qualified(Quals::VOLATILE) } else { ty };
        self.local(ty, init).1
    }

    fn local(&mut self, ty: Ty, init: Option<Init>) -> (VarId, StmtId) {
        let name = fresh(self.program);
        let (var, decl) = self.program.local(&name, ty, init);
        self.scope.vars.push(var);
        (var, decl)
    }

    /// The type of a new variable: mostly one that occurs in scope, so that the two can be combined.
    fn local_type(&mut self) -> Ty {
        let like = match self.any_var() {
            Some(var) if self.choices.chance(60) => {
                let ty = self.program.var(var).ty;
                let ty = self.program.types.canon(ty).unqual();
                let fits = self.program.types.size_of(ty).is_some_and(|size| size <= BYTES)
                    && self.scope.is_complete(self.program, ty)
                    && self.scope.can_write(self.program, ty);
                fits.then_some(ty)
            }
            _ => None,
        };
        let ty = match like {
            Some(ty) => ty,
            None if self.choices.chance(15) => {
                [Ty::FLOAT, Ty::DOUBLE, Ty::LDOUBLE][self.choices.index(3)]
            }
            None => INTS[self.choices.index(INTS.len())],
        };
        match self.choices.below(10) {
            0..=1 => self.program.types.pointer(ty),
            2 if self.program.types.is_scalar(ty) => {
                self.program.types.array(ty, 1 + self.choices.below(8))
            }
            _ => ty,
        }
    }
}
