//! Random statements (6.8) and block-scope declarations.

use super::{Inside, Wild};
use ctree::{ExprId, Init, Item, Label, LabelId, Scope, StmtId, StmtKind, Storage, Ty, VarId};

impl Wild<'_> {
    /// `{ … }` as a scope of its own.
    pub(super) fn block(&mut self, depth: u32) -> StmtId {
        self.frames.push(Vec::new());
        let types = (self.records.len(), self.enums.len(), self.typedefs.len());
        let flexible = self.flexible.len();
        let mut stmts = Vec::new();
        for _ in 0..1 + self.below(5) {
            self.block_item(depth, &mut stmts);
        }
        self.records.truncate(types.0);
        self.flexible.truncate(flexible);
        self.enums.truncate(types.1);
        self.typedefs.truncate(types.2);
        self.frames.pop();
        self.program.block(stmts)
    }

    fn block_item(&mut self, depth: u32, stmts: &mut Vec<StmtId>) {
        if self.chance(30) {
            self.local_declaration(depth, stmts);
        } else {
            let stmt = self.stmt(depth);
            stmts.push(stmt);
        }
    }

    fn local_declaration(&mut self, depth: u32, stmts: &mut Vec<StmtId>) {
        let items = match self.below(12) {
            // Each type has a declaration statement of its own, as the parser makes them.
            0..=1 => {
                for item in self.type_items() {
                    self.declare(vec![item], stmts);
                }
                return;
            }
            2 => match self.choices.pick(&self.frames[0]).copied() {
                Some(var) if self.is_visible(var) => {
                    // The name is now taken in this scope too.
                    if let Some(frame) = self.frames.last_mut() {
                        frame.push(var);
                    }
                    vec![Item::VarDecl(var)]
                }
                _ => vec![Item::Enum(self.enumeration())],
            },
            3 => match self.choices.pick(&self.funcs).copied() {
                Some(func) if !self.program.func(func).old_style => vec![Item::FuncDecl(func)],
                _ => vec![Item::Enum(self.enumeration())],
            },
            4 => {
                let ty = self.object_type(1);
                let ty = if self.program.types.is_scalar(ty) { self.qualify(ty) } else { Ty::INT };
                let pointer = self.program.types.pointer(ty);
                let array = self.program.types.array(pointer, 2);
                let vars = [ty, pointer, array].map(|ty| self.local(ty, depth));
                vars.into_iter().map(Item::Var).collect()
            }
            _ => {
                let ty = self.object_type(3);
                let ty = self.qualify(ty);
                let var = self.local(ty, depth);
                self.local_storage(var);
                vec![Item::Var(var)]
            }
        };
        self.declare(items, stmts);
    }

    fn declare(&mut self, items: Vec<Item>, stmts: &mut Vec<StmtId>) {
        let decl = self.program.make_stmt(StmtKind::Decl(items));
        stmts.push(decl);
    }

    fn local_storage(&mut self, var: VarId) {
        match self.below(8) {
            0 => {
                self.program.vars[var.index()].storage = Storage::Static;
                let ty = self.program.var(var).ty;
                let init = if self.chance(70) { Some(self.init(ty, true, 2)) } else { None };
                self.program.vars[var.index()].init = init;
            }
            1 if self.program.types.is_scalar(self.program.var(var).ty) => {
                // Its own initialiser may already have taken its address.
                self.program.vars[var.index()].storage = Storage::Register;
                self.program.vars[var.index()].init = None;
            }
            2 => self.program.vars[var.index()].align = Some(32),
            _ => {}
        }
    }

    /// A new variable of the innermost scope, at times with the name of an outer one.
    fn local(&mut self, ty: Ty, depth: u32) -> VarId {
        let name = match self.any_var() {
            Some(outer) if self.chance(15) && !self.is_local_name(outer) => {
                self.program.name(self.program.var(outer).name).to_string()
            }
            _ => self.fresh("v"),
        };
        let var = self.program.add_var(&name, ty, Scope::Block);
        // In scope in its own initialiser (6.2.1p7).
        if let Some(frame) = self.frames.last_mut() {
            frame.push(var);
        }
        if self.chance(70) {
            let init = self.init(ty, false, depth.min(2));
            self.program.vars[var.index()].init = Some(init);
        }
        var
    }

    /// Whether a variable's name is taken in the scope where a local would go. The outermost block
    /// of a function shares the scope of the parameters (6.2.1p4): both are the second frame.
    fn is_local_name(&self, var: VarId) -> bool {
        let name = self.program.var(var).name;
        let taken = |frame: &Vec<VarId>| frame.iter().any(|&v| self.program.var(v).name == name);
        self.frames.last().is_some_and(taken) || (self.frames.len() == 3 && taken(&self.frames[1]))
    }

    /// `({ … })` with an arithmetic value.
    pub(super) fn stmt_expr(&mut self, depth: u32) -> ExprId {
        let inside = Inside { in_stmt_expr: true, ..Inside::default() };
        let before = std::mem::replace(&mut self.inside, inside);
        self.frames.push(Vec::new());
        let mut stmts = Vec::new();
        if self.chance(60) {
            let ty = self.object_type(2);
            let var = self.local(ty, depth.min(1));
            stmts.push(self.program.make_stmt(StmtKind::Decl(vec![Item::Var(var)])));
        }
        if self.chance(40) {
            let stmt = self.stmt(depth.min(2) - 1);
            stmts.push(stmt);
        }
        let value = self.arith(depth - 1);
        stmts.push(self.program.expr_stmt(value));
        self.frames.pop();
        self.inside = before;
        let block = self.program.block(stmts);
        self.program.stmt_expr(block)
    }

    fn full_expr(&mut self) -> ExprId {
        match self.below(6) {
            0 => self.void_expr(2),
            1 => {
                let ty = self.value_type(2);
                self.value(ty, 2)
            }
            _ => self.arith(4),
        }
    }

    /// A statement other than a declaration.
    pub(super) fn stmt(&mut self, depth: u32) -> StmtId {
        if depth == 0 || self.fuel == 0 {
            return self.simple_stmt();
        }
        match self.below(20) {
            0..=7 => self.simple_stmt(),
            8..=9 => self.if_stmt(depth),
            10..=13 => self.loop_stmt(depth),
            14..=15 => self.switch(depth),
            16 => self.block(depth - 1),
            17 if !self.inside.in_stmt_expr => self.place_label(depth),
            18 if self.inside.in_switch && !self.inside.in_stmt_expr => {
                // Deep inside the switch, as Duff would.
                self.case(depth)
            }
            _ => self.jump(),
        }
    }

    fn simple_stmt(&mut self) -> StmtId {
        if self.chance(8) {
            return self.program.make_stmt(StmtKind::Empty);
        }
        let e = self.full_expr();
        self.program.expr_stmt(e)
    }

    /// A sub-statement that leaves no `if` open for a following `else`.
    fn body(&mut self, depth: u32) -> StmtId {
        match self.below(10) {
            0..=1 => self.simple_stmt(),
            2 => self.jump(),
            _ => self.block(depth.saturating_sub(1)),
        }
    }

    fn if_stmt(&mut self, depth: u32) -> StmtId {
        let cond = self.scalar(3);
        let then = self.body(depth);
        let other = match self.below(4) {
            0..=1 => None,
            2 => Some(self.body(depth)),
            _ if depth > 1 => Some(self.if_stmt(depth - 1)),
            _ => None,
        };
        self.program.make_stmt(StmtKind::If(cond, then, other))
    }

    fn loop_stmt(&mut self, depth: u32) -> StmtId {
        let was_in_loop = self.inside.in_loop;
        self.frames.push(Vec::new());
        let header = self.below(3);
        let init = if header == 0 { self.for_init(depth) } else { None };
        let cond = self.scalar(2);
        let step = self.arith(2);
        let (has_cond, has_step) = (self.chance(80), self.chance(80));
        self.inside.in_loop = true;
        let body = self.body(depth);
        self.inside.in_loop = was_in_loop;
        self.frames.pop();
        let kind = match header {
            0 => StmtKind::For {
                init,
                cond: has_cond.then_some(cond),
                step: has_step.then_some(step),
                body,
            },
            1 => StmtKind::While(cond, body),
            _ => StmtKind::DoWhile(body, cond),
        };
        self.program.make_stmt(kind)
    }

    fn for_init(&mut self, depth: u32) -> Option<StmtId> {
        match self.below(3) {
            0 => None,
            1 => {
                let e = self.arith(2);
                Some(self.program.expr_stmt(e))
            }
            _ => {
                let ty = self.int_type();
                let count = 1 + self.below(2);
                let items = (0..count).map(|_| Item::Var(self.local(ty, depth.min(1)))).collect();
                Some(self.program.make_stmt(StmtKind::Decl(items)))
            }
        }
    }

    fn switch(&mut self, depth: u32) -> StmtId {
        let value = self.integer(2);
        let value = self.program.promote(value);
        let before = self.inside.clone();
        self.inside.in_switch = true;
        // Signed controlling types can have negative cases.
        let signed =
            self.program.types.int_bits(self.program.expr(value).ty).is_some_and(|(_, s)| s);
        self.inside.next_case = if signed { -2 } else { 0 };
        self.frames.push(Vec::new());
        let body = if self.chance(10) {
            self.case(depth)
        } else {
            let mut stmts = Vec::new();
            let default_at = self.below(6);
            for i in 0..self.below(5) {
                if i == default_at {
                    let inner = self.simple_stmt();
                    stmts.push(self.program.make_stmt(StmtKind::Default(inner)));
                }
                let case = self.case(depth);
                stmts.push(case);
                if self.chance(60) {
                    stmts.push(self.program.make_stmt(StmtKind::Break));
                }
            }
            self.program.block(stmts)
        };
        self.frames.pop();
        self.inside = before;
        self.program.make_stmt(StmtKind::Switch(value, body))
    }

    fn case(&mut self, depth: u32) -> StmtId {
        let low = self.inside.next_case + self.below(3) as i64;
        let high = if self.chance(15) { low + 1 + self.below(4) as i64 } else { low };
        self.inside.next_case = high + 1;
        let inner = match self.below(5) {
            0 => self.program.make_stmt(StmtKind::Empty),
            1 if depth > 1 => self.case(depth - 1),
            2 if depth > 1 => self.block(depth - 1),
            _ => self.simple_stmt(),
        };
        self.program.make_stmt(StmtKind::Case(low, high, inner))
    }

    fn jump(&mut self) -> StmtId {
        let kind = match self.below(4) {
            0 if self.inside.in_loop => StmtKind::Continue,
            1 if self.inside.in_loop || self.inside.in_switch => StmtKind::Break,
            2 => StmtKind::Goto(self.any_label()),
            _ => self.return_stmt(),
        };
        self.program.make_stmt(kind)
    }

    pub(super) fn return_stmt(&mut self) -> StmtKind {
        if self.program.types.is_void(self.ret) {
            return StmtKind::Return(None);
        }
        let value = self.value(self.ret, 3);
        StmtKind::Return(Some(self.program.convert(value, self.ret)))
    }

    fn any_label(&mut self) -> LabelId {
        match self.choices.pick(&self.labels).copied() {
            Some(label) if self.chance(60) => label,
            _ => self.new_label(),
        }
    }

    fn new_label(&mut self) -> LabelId {
        let name = self.fresh_sym("l");
        self.program.labels.push(Label { name });
        let id = LabelId(self.program.labels.len() as u32 - 1);
        self.labels.push(id);
        id
    }

    /// Puts the next label that is still without a place, or a new one.
    fn place_label(&mut self, depth: u32) -> StmtId {
        let label = match self.labels.get(self.placed) {
            Some(&label) => label,
            None => self.new_label(),
        };
        self.placed += 1;
        let inner = match self.below(3) {
            0 => self.program.make_stmt(StmtKind::Empty),
            _ => self.stmt(depth - 1),
        };
        self.program.make_stmt(StmtKind::Label(label, inner))
    }

    /// Labels that were jumped to but not placed, at the end of the function.
    pub(super) fn remaining_labels(&mut self, stmts: &mut Vec<StmtId>) {
        for label in self.labels.split_off(self.placed) {
            let empty = self.program.make_stmt(StmtKind::Empty);
            stmts.push(self.program.make_stmt(StmtKind::Label(label, empty)));
        }
        self.labels.clear();
        self.placed = 0;
    }

    /// A zero initialiser, for variables that must have one.
    pub(super) fn zero(&mut self, ty: Ty) -> Init {
        let zero = self.program.int_const(Ty::INT, 0);
        self.program.init_expr(ty, zero)
    }
}
