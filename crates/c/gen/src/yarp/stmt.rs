//! Statements.

use super::Yarp;
use super::expr::ContextState;
use super::scope::{ScopeMark, VarPool};
use crate::policy::knobs::{Binary, Chance, Context, Range, Statement};
use ctree::{BinOp, ExprId, Init, Label, LabelId, StmtId, StmtKind, Ty, TypeKind, UnOp, VarId};

/// The state to restore at the end of a block.
pub(super) struct BlockState {
    mark: ScopeMark,
    subexpressions: Vec<ExprId>,
    context: ContextState,
}

impl Yarp {
    pub(super) fn enter_block(&mut self) -> BlockState {
        let block = BlockState {
            mark: self.scope.mark(),
            subexpressions: self.subexpressions.clone(),
            context: self.context,
        };
        self.nesting += 1;
        if self.chance(Chance::ContextBlock) {
            self.context.ops = Some(self.pick::<Context>());
        }
        if self.chance(Chance::ContextType) {
            self.context.ty = None;
            self.context.ty = Some(self.int_type());
        }
        block
    }

    pub(super) fn leave_block(&mut self, block: BlockState) {
        self.nesting -= 1;
        self.scope.reset(&block.mark);
        self.subexpressions = block.subexpressions;
        self.context = block.context;
    }

    /// A block of random statements.
    pub(super) fn block(&mut self, depth: i64) -> StmtId {
        let block = self.enter_block();
        let count = self.draw(Range::BlockSize);
        let mut stmts = Vec::new();
        self.stmts(count, depth, &mut stmts);
        self.leave_block(block);
        self.program.block(stmts)
    }

    /// Appends so many random statements, as long as the function may grow.
    pub(super) fn stmts(&mut self, count: i64, depth: i64, stmts: &mut Vec<StmtId>) {
        for _ in 0..count {
            if self.size <= 0 {
                break;
            }
            self.size -= 1;
            self.stmt(depth, stmts);
        }
        if stmts.is_empty() {
            self.assign(stmts);
        }
    }

    /// Appends a random statement.
    fn stmt(&mut self, depth: i64, stmts: &mut Vec<StmtId>) {
        let nodes = self.program.exprs.len();
        let nests = depth > 0 && self.size > 0;
        let loops = nests && self.affords(60);
        let calls = !self.callees.is_empty();
        let kind = self.policy.pick_if(&mut self.choices, |kind| match kind {
            Statement::If | Statement::Switch | Statement::Skip => nests,
            Statement::For | Statement::While | Statement::Do => loops,
            Statement::Walk | Statement::Reduce | Statement::PointerWalk => loops,
            Statement::Call => calls,
            _ => true,
        });
        match kind.unwrap_or(Statement::Assign) {
            Statement::Declare => self.declare(stmts, false),
            Statement::Assign => self.assign(stmts),
            Statement::AssignOp => self.assign_op(stmts),
            Statement::Increment => self.increment(stmts),
            Statement::If => self.branch(depth, stmts),
            Statement::For => return self.for_statement(depth, stmts),
            Statement::While => return self.while_statement(depth, stmts),
            Statement::Do => return self.do_statement(depth, stmts),
            Statement::Reduce => return self.reduction(stmts),
            Statement::Walk => return self.array_walk(depth, stmts),
            Statement::PointerWalk => return self.pointer_walk(stmts),
            Statement::Switch => self.switch(depth, stmts),
            Statement::Table => self.table(stmts),
            Statement::Memory => self.memory_statement(stmts),
            Statement::Call => self.call_statement(stmts),
            Statement::Point => self.assign_pointer(stmts),
            Statement::Copy => self.copy_record(stmts),
            Statement::Skip => self.skip(depth, stmts),
            Statement::Floats => self.float_statement(stmts),
            Statement::Vectors => self.vector_statement(stmts),
        }
        // Nested statements have been charged already; counting some of them twice is only
        // conservative.
        self.pay(nodes);
    }

    /// Charges the nodes made since for one execution of the current block.
    pub(super) fn pay(&mut self, nodes: usize) {
        self.cost += (self.program.exprs.len() - nodes) as u64 * self.repeats;
    }

    pub(super) fn push_expr(&mut self, expr: ExprId, stmts: &mut Vec<StmtId>) {
        stmts.push(self.program.expr_stmt(expr));
    }

    /// Declares a local with an initial value; `top` if it lives as long as the function.
    pub(super) fn declare(&mut self, stmts: &mut Vec<StmtId>, top: bool) {
        if self.chance(Chance::LocalAggregate) {
            return self.declare_aggregate(stmts);
        }
        let ty = self.int_type();
        self.begin_expr();
        let value = self.full_expr();
        let var = self.new_local("v", ty, value, stmts);
        self.scope.add(VarPool::ReadLocal, var);
        self.scope.add(VarPool::WriteLocal, var);
        if top && self.chance(Chance::LocalAddress) {
            self.addressed.insert(var);
            self.scope.add(VarPool::Addressable, var);
        }
    }

    pub(super) fn new_local(
        &mut self,
        prefix: &str,
        ty: Ty,
        value: ExprId,
        stmts: &mut Vec<StmtId>,
    ) -> VarId {
        let init = self.program.init_expr(ty, value);
        let name = self.fresh(prefix);
        let (var, decl) = self.program.local(&name, ty, Some(init));
        stmts.push(decl);
        var
    }

    fn declare_aggregate(&mut self, stmts: &mut Vec<StmtId>) {
        let ty = match self.struct_type() {
            Some(ty) if self.choices.chance(40) => ty,
            _ => self.array_type(),
        };
        let init = match self.other_of_type(ty, None) {
            Some(value)
                if self.program.types.as_record(ty).is_some() && self.choices.chance(50) =>
            {
                Init::Expr(value)
            }
            _ => self.init(ty),
        };
        let name = self.fresh("v");
        let (var, decl) = self.program.local(&name, ty, Some(init));
        stmts.push(decl);
        let (read, write) = match self.program.types.shape(ty) {
            TypeKind::Array(..) => (VarPool::ReadArray, VarPool::WriteArray),
            _ => (VarPool::ReadRecord, VarPool::WriteRecord),
        };
        self.scope.add(read, var);
        self.scope.add(write, var);
    }

    pub(super) fn assign(&mut self, stmts: &mut Vec<StmtId>) {
        self.begin_expr();
        let Some(target) = self.target() else { return self.declare(stmts, false) };
        let value = self.full_expr();
        let assign = self.program.assign(target, value);
        self.push_expr(assign, stmts);
    }

    fn assign_op(&mut self, stmts: &mut Vec<StmtId>) {
        self.begin_expr();
        let Some(target) = self.target() else { return self.declare(stmts, false) };
        let ops = self.context.ops;
        let op = self.policy.pick_if(&mut self.choices, |op| {
            use Binary::*;
            matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr | BitAnd | BitOr | BitXor)
                && ops.is_none_or(|context| context.allows(op))
        });
        let value = match op {
            Some(Binary::Shl | Binary::Shr) => {
                let count = self.choices.below(32);
                self.program.int_const(Ty::INT, i128::from(count))
            }
            _ => self.full_expr(),
        };
        let update = match op {
            Some(op) => self.program.assign_op(op.operator(), target, value),
            None => self.program.assign(target, value),
        };
        self.push_expr(update, stmts);
    }

    fn increment(&mut self, stmts: &mut Vec<StmtId>) {
        self.begin_expr();
        let Some(target) = self.target() else { return self.declare(stmts, false) };
        let ty = self.program.expr(target).ty;
        // C++17 has no `++` of a bool, C++ none of an enum.
        if self.is_cxx()
            && !(self.program.types.resolved(ty).unqual() != Ty::BOOL && self.is_int(ty))
        {
            return self.assign(stmts);
        }
        let ops = [UnOp::PreInc, UnOp::PreDec, UnOp::PostInc, UnOp::PostDec];
        let update = self.program.unary(ops[self.choices.index(4)], target);
        self.push_expr(update, stmts);
    }

    fn is_int(&self, ty: Ty) -> bool {
        matches!(self.program.types.shape(ty), TypeKind::Int(_))
    }

    fn branch(&mut self, depth: i64, stmts: &mut Vec<StmtId>) {
        let condition = self.condition();
        let then = self.block(depth - 1);
        let other = if self.chance(Chance::Else) { Some(self.block(depth - 1)) } else { None };
        stmts.push(self.program.make_stmt(StmtKind::If(condition, then, other)));
    }

    fn switch(&mut self, depth: i64, stmts: &mut Vec<StmtId>) {
        let cases = self.draw(Range::Cases);
        self.begin_expr();
        let value = self.expr(2);
        // A value out of a small range, so that cases are met.
        let value = self.program.cast(Ty::UINT, value);
        let most = self.program.int_const(Ty::UINT, i128::from(cases + 1));
        let value = self.program.binary(BinOp::Rem, value, most);
        let mut body = Vec::new();
        for case in 0..cases {
            if self.choices.chance(15) {
                continue;
            }
            let inner = self.block(depth - 1);
            body.push(self.program.make_stmt(StmtKind::Case(case, case, inner)));
            if !self.chance(Chance::FallThrough) {
                body.push(self.program.make_stmt(StmtKind::Break));
            }
        }
        let inner = self.block(depth - 1);
        body.push(self.program.make_stmt(StmtKind::Default(inner)));
        let body = self.program.block(body);
        stmts.push(self.program.make_stmt(StmtKind::Switch(value, body)));
    }

    /// A value mapped to constants, by a switch or by a chain of comparisons.
    fn table(&mut self, stmts: &mut Vec<StmtId>) {
        let cases = self.draw(Range::TableCases);
        self.begin_expr();
        let value = self.expr(2);
        let value = self.program.cast(Ty::UINT, value);
        let most = self.program.int_const(Ty::UINT, i128::from(cases + 1));
        let value = self.program.binary(BinOp::Rem, value, most);
        let key = self.new_local("k", Ty::UINT, value, stmts);
        let ty = self.int_type();
        let otherwise = self.constant(ty);
        let result = self.new_local("v", ty, otherwise, stmts);
        let entries: Vec<(i64, StmtId)> = (0..cases)
            .map(|case| {
                let (to, value) = (self.program.var_ref(result), self.constant(ty));
                let assign = self.program.assign(to, value);
                (case, self.program.expr_stmt(assign))
            })
            .collect();
        if self.choices.chance(60) {
            let mut body = Vec::new();
            for (case, assign) in entries {
                body.push(self.program.make_stmt(StmtKind::Case(case, case, assign)));
                body.push(self.program.make_stmt(StmtKind::Break));
            }
            let body = self.program.block(body);
            let key = self.program.var_ref(key);
            stmts.push(self.program.make_stmt(StmtKind::Switch(key, body)));
        } else {
            let mut chain = None;
            for (case, assign) in entries.into_iter().rev() {
                let key = self.program.var_ref(key);
                let case = self.program.int_const(Ty::UINT, i128::from(case));
                let same = self.program.binary(BinOp::Eq, key, case);
                chain = Some(self.program.make_stmt(StmtKind::If(same, assign, chain)));
            }
            stmts.extend(chain);
        }
        self.scope.add(VarPool::ReadLocal, result);
        self.scope.add(VarPool::WriteLocal, result);
    }

    /// Makes a pointer point to another object of the same kind.
    fn assign_pointer(&mut self, stmts: &mut Vec<StmtId>) {
        self.begin_expr();
        let Some(&var) = self.choices.pick(self.scope.all(VarPool::MovePointer)) else {
            return self.declare_pointer(stmts);
        };
        let elements = self.pointees.get(&var).copied().unwrap_or(1);
        let like = (self.program.var(var).ty, elements);
        let Some((address, _)) = self.address_of_global(true, Some(like)) else {
            return self.declare_pointer(stmts);
        };
        let target = self.program.var_ref(var);
        let assign = self.program.assign(target, address);
        self.push_expr(assign, stmts);
    }

    /// A local pointer, to a global or to a local that outlives it.
    fn declare_pointer(&mut self, stmts: &mut Vec<StmtId>) {
        let local = self.choices.pick(self.scope.all(VarPool::Addressable)).copied();
        let (address, elements) = match local {
            Some(var) if self.choices.chance(50) => (self.address(var), 1),
            _ => match self.address_of_global(true, None) {
                Some(found) => found,
                None => return self.declare(stmts, false),
            },
        };
        let ty = self.program.expr(address).ty;
        let var = self.new_local("q", ty, address, stmts);
        self.pointees.insert(var, elements);
        self.scope.add(VarPool::ReadPointer, var);
        self.scope.add(VarPool::WritePointer, var);
        // Local to global only: what it points to must live as long as the pointer.
        self.scope.add(VarPool::MovePointer, var);
    }

    /// Another object of a type, to copy from.
    fn other_of_type(&mut self, ty: Ty, except: Option<VarId>) -> Option<ExprId> {
        let same: Vec<VarId> = self
            .scope
            .all(VarPool::ReadRecord)
            .iter()
            .copied()
            .filter(|&v| Some(v) != except && self.program.var(v).ty.unqual() == ty.unqual())
            .collect();
        let &var = self.choices.pick(&same)?;
        Some(self.program.var_ref(var))
    }

    /// Copies a struct as a whole.
    fn copy_record(&mut self, stmts: &mut Vec<StmtId>) {
        self.begin_expr();
        let Some(&to) = self.choices.pick(self.scope.all(VarPool::WriteRecord)) else {
            return self.assign(stmts);
        };
        let ty = self.program.var(to).ty;
        let from = match self.other_of_type(ty, Some(to)) {
            Some(from) => from,
            None => {
                let init = self.init(ty);
                self.program.compound_lit(ty.unqual(), init)
            }
        };
        let target = self.program.var_ref(to);
        let assign = self.program.assign(target, from);
        self.push_expr(assign, stmts);
    }

    /// `if (c) goto l; … l: ;` around a block, so that no declaration is jumped over.
    fn skip(&mut self, depth: i64, stmts: &mut Vec<StmtId>) {
        let name = self.fresh("l");
        let name = self.program.names.intern(&name);
        self.program.labels.push(Label { name });
        let label = LabelId(self.program.labels.len() as u32 - 1);
        let condition = self.condition();
        let goto = self.program.make_stmt(StmtKind::Goto(label));
        stmts.push(self.program.make_stmt(StmtKind::If(condition, goto, None)));
        stmts.push(self.block(depth - 1));
        let empty = self.program.make_stmt(StmtKind::Empty);
        stmts.push(self.program.make_stmt(StmtKind::Label(label, empty)));
    }
}
