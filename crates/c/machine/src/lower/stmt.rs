//! Statements, scopes and jumps.

use super::lvalue::{LValue, ValueLocation};
use super::{LoopInfo, Lower, Lowered, ScopeInfo, SwitchInfo, VarLocation};
use crate::code::*;
use crate::kind::ScalarKind;
use crate::memory::Origin;
use ctree::{ExprId, Item, StmtId, StmtKind, Storage, VarId};

impl Lower<'_> {
    /// Runs `f` in a new scope and ends the lifetimes of its variables.
    pub(super) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (parent, next) = (self.func.scope, self.func.next);
        self.func.scopes.push(ScopeInfo {
            parent: Some(parent),
            locals: Vec::new(),
            flags: Vec::new(),
        });
        self.func.scope = self.func.scopes.len() - 1;
        let result = f(self);
        self.leave_scope(self.func.scope);
        self.func.scope = parent;
        self.func.next = next;
        result
    }

    fn leave_scope(&mut self, scope: usize) {
        for i in (0..self.func.scopes[scope].locals.len()).rev() {
            let (local, _) = self.func.scopes[scope].locals[i];
            self.emit(Op::Leave { local });
        }
    }

    /// Ends the lifetimes of all scopes from the current one up to, not including, `outer`.
    pub(super) fn leave_to(&mut self, outer: Option<usize>) {
        let mut scope = Some(self.func.scope);
        while scope != outer {
            let Some(s) = scope else { return };
            self.leave_scope(s);
            scope = self.func.scopes[s].parent;
        }
    }

    /// Assigns locations to the variables that a block declares, and begins their lifetimes.
    pub(super) fn declare(&mut self, list: &[StmtId]) {
        for &s in list {
            self.declare_in(s);
        }
    }

    fn declare_in(&mut self, s: StmtId) {
        match &self.program.stmt(s).kind {
            StmtKind::Decl(items) => {
                for item in items {
                    if let Item::Var(v) = *item {
                        self.declare_var(v);
                    }
                }
            }
            // A labelled declaration belongs to the block.
            StmtKind::Label(_, s) | StmtKind::Case(_, _, s) | StmtKind::Default(s) => {
                self.declare_in(*s)
            }
            _ => {}
        }
    }

    fn declare_var(&mut self, v: VarId) {
        let var = self.program.var(v);
        if matches!(var.storage, Storage::Static | Storage::Extern)
            || var.scope == ctree::Scope::File
        {
            return;
        }
        let scope = self.func.scope;
        if !self.in_register(v) {
            let local = self.new_local(var.ty, var.align, Origin::Var(v), true);
            self.var_locations[v.index()] = Some(VarLocation::Frame { local });
            self.emit(Op::Enter { local });
            return;
        }
        let wide = ScalarKind::of(&self.program.types, var.ty).is_some_and(ScalarKind::is_wide);
        let reg = if wide { self.temp_pair() } else { self.temp() };
        // A variable that its declaration always sets needs no flag.
        let jumped_over = self.func.has_labels || self.func.in_switch > 0;
        let reads_itself = self.facts.own_init.contains(&v);
        let flag = if var.init.is_some() && !jumped_over && !reads_itself {
            None
        } else {
            let flag = self.temp();
            self.func.scopes[scope].flags.push(flag);
            self.emit(Op::Imm { d: flag, v: 0 });
            Some(flag)
        };
        self.var_locations[v.index()] = Some(VarLocation::Register { reg, flag });
    }

    pub(super) fn stmt(&mut self, s: StmtId) {
        let saved = std::mem::replace(&mut self.node, CodeNode::Stmt(s));
        self.stmt_inner(s);
        self.node = saved;
    }

    fn stmt_inner(&mut self, s: StmtId) {
        let program = self.program;
        self.cover(s);
        match &program.stmt(s).kind {
            StmtKind::Empty => {}
            StmtKind::Expr(e) => {
                self.or_unsupported(|low| low.full_expression(*e));
            }
            StmtKind::Block(list) => self.scoped(|low| {
                low.declare(list);
                for &s in list {
                    low.stmt(s);
                }
            }),
            StmtKind::Decl(items) => {
                for item in items {
                    if let Item::Var(v) = *item {
                        self.local_init(v);
                    }
                }
            }
            StmtKind::If(c, a, b) => {
                // Even if the condition cannot be compiled, the branches may be jumped into.
                let skip = self.condition(*c);
                self.stmt(*a);
                let end = b.map(|_| self.emit(Op::Jump { to: 0 }));
                if let Some(skip) = skip {
                    self.patch(skip, self.here());
                }
                if let (Some(b), Some(end)) = (b, end) {
                    self.stmt(*b);
                    self.patch(end, self.here());
                }
            }
            StmtKind::While(c, body) => self.while_loop(*c, *body),
            StmtKind::DoWhile(body, c) => self.do_loop(*body, *c),
            StmtKind::For { init, cond, step, body } => self.for_loop(*init, *cond, *step, *body),
            StmtKind::Switch(e, body) => self.switch(*e, *body),
            StmtKind::Case(lo, hi, s) => {
                let (here, scope) = (self.here(), self.func.scope);
                if let Some(switch) = self.func.switches.last_mut() {
                    switch.cases.push((*lo, *hi, here, scope));
                }
                self.stmt(*s);
            }
            StmtKind::Default(s) => {
                let (here, scope) = (self.here(), self.func.scope);
                if let Some(switch) = self.func.switches.last_mut() {
                    switch.default = Some((here, scope));
                }
                self.stmt(*s);
            }
            StmtKind::Break => self.leave_loop(true),
            StmtKind::Continue => self.leave_loop(false),
            StmtKind::Goto(label) => {
                if self.func.regions > 0 {
                    let text = self.text("jump out of a statement expression");
                    self.emit(Op::Unsupported { text });
                }
                let jump = self.emit(Op::Loop { to: 0 });
                self.func.gotos.push((jump, self.func.scope, *label));
            }
            StmtKind::Label(label, s) => {
                self.func.labels.insert(*label, (self.here(), self.func.scope));
                self.stmt(*s);
            }
            StmtKind::Return(value) => self.return_stmt(*value),
        }
    }

    /// A full expression.
    fn full_expression(&mut self, e: ExprId) -> Lowered<()> {
        let saved = std::mem::replace(&mut self.func.pend, false);
        let temps = self.func.temps.len();
        let result = self.discard(e);
        self.end_full_expression(temps);
        self.func.pend = saved;
        result
    }

    /// Ends the lifetimes of temporaries made since there were `temps` of them.
    fn end_full_expression(&mut self, temps: usize) {
        for local in self.func.temps.split_off(temps) {
            self.emit(Op::Leave { local });
        }
    }

    fn condition(&mut self, c: ExprId) -> Option<usize> {
        let saved = std::mem::replace(&mut self.func.pend, false);
        let jump = self.or_unsupported(|low| {
            let (mark, temps) = (low.func.next, low.func.temps.len());
            let r = low.truth(c, None)?;
            low.func.next = mark;
            low.end_full_expression(temps);
            Ok(low.jump_if_zero(r, mark))
        });
        self.func.pend = saved;
        jump
    }

    fn local_init(&mut self, v: VarId) {
        let program = self.program;
        let var = program.var(v);
        if matches!(var.storage, Storage::Static | Storage::Extern)
            || var.scope == ctree::Scope::File
        {
            return;
        }
        let Some(location) = self.var_locations[v.index()] else { return };
        let Some(init) = &var.init else {
            // Reached again by a jump backwards: indeterminate again (6.2.4p6).
            if self.func.has_labels {
                match location {
                    VarLocation::Register { flag: Some(flag), .. } => {
                        self.emit(Op::Imm { d: flag, v: 0 });
                    }
                    VarLocation::Frame { local } => {
                        self.emit(Op::Forget { local });
                    }
                    _ => {}
                }
            }
            return;
        };
        let location = match location {
            VarLocation::Register { reg, flag } => ValueLocation::Register { reg, flag },
            VarLocation::Frame { local } => ValueLocation::Frame { local, at: 0, x: NO_REG },
            VarLocation::Static { .. } => return,
        };
        let lv = LValue {
            init: true,
            ..LValue::new(location, program.types.resolved(var.ty), program.types.align_of(var.ty))
        };
        self.or_unsupported(|low| {
            let saved = std::mem::replace(&mut low.func.pend, false);
            let temps = low.func.temps.len();
            let result = match (location, init) {
                (ValueLocation::Register { .. }, ctree::Init::Expr(e)) => low.init_register(lv, *e),
                (ValueLocation::Register { .. }, ctree::Init::List(items)) => match items.first() {
                    Some(ctree::InitItem { init: ctree::Init::Expr(e), .. }) => {
                        low.init_register(lv, *e)
                    }
                    _ => {
                        let r = low.temp_pair();
                        low.constant(r, 0);
                        low.constant(r + 1, 0);
                        low.store(&lv, r)
                    }
                },
                _ => low.init_object(lv, init),
            };
            low.end_full_expression(temps);
            low.func.pend = saved;
            result
        });
    }

    fn init_register(&mut self, lv: LValue, e: ExprId) -> Lowered<()> {
        let ValueLocation::Register { reg, flag } = lv.location else { return Ok(()) };
        let mark = self.func.next;
        self.at_expr(e, |low| low.value(e, Some(reg)))?;
        self.func.next = mark;
        if let Some(flag) = flag {
            self.emit(Op::Imm { d: flag, v: 1 });
        }
        Ok(())
    }

    fn loop_body(&mut self, body: StmtId) -> (Vec<usize>, Vec<usize>) {
        self.func.loops.push(LoopInfo {
            scope: self.func.scope,
            breaks: Vec::new(),
            continues: Some(Vec::new()),
        });
        let in_switch = std::mem::replace(&mut self.func.in_switch, 0);
        self.stmt(body);
        self.func.in_switch = in_switch;
        match self.func.loops.pop() {
            Some(info) => (info.breaks, info.continues.unwrap_or_default()),
            None => Default::default(),
        }
    }

    fn patch_all(&mut self, jumps: Vec<usize>) {
        let here = self.here();
        for jump in jumps {
            self.patch(jump, here);
        }
    }

    fn while_loop(&mut self, c: ExprId, body: StmtId) {
        let top = self.here();
        let exit = self.condition(c);
        let (breaks, continues) = self.loop_body(body);
        for jump in continues {
            self.patch(jump, top);
        }
        self.emit(Op::Loop { to: top });
        if let Some(exit) = exit {
            self.patch(exit, self.here());
        }
        self.patch_all(breaks);
    }

    fn do_loop(&mut self, body: StmtId, c: ExprId) {
        let top = self.here();
        let (breaks, continues) = self.loop_body(body);
        self.patch_all(continues);
        let exit = self.condition(c);
        self.emit(Op::Loop { to: top });
        if let Some(exit) = exit {
            self.patch(exit, self.here());
        }
        self.patch_all(breaks);
    }

    fn for_loop(
        &mut self,
        init: Option<StmtId>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    ) {
        self.scoped(|low| {
            if let Some(init) = init {
                low.declare(&[init]);
                low.stmt(init);
            }
            let top = low.here();
            let exit = cond.and_then(|c| low.condition(c));
            let (breaks, continues) = low.loop_body(body);
            low.patch_all(continues);
            if let Some(step) = step {
                low.or_unsupported(|low| low.full_expression(step));
            }
            low.emit(Op::Loop { to: top });
            if let Some(exit) = exit {
                low.patch(exit, low.here());
            }
            low.patch_all(breaks);
        });
    }

    fn switch(&mut self, e: ExprId, body: StmtId) {
        let program = self.program;
        let mark = self.func.next;
        let table = self.code.tables.len() as u32;
        let kind = ScalarKind::of(&program.types, program.expr(e).ty).unwrap_or(ScalarKind::I32);
        let emitted = self.or_unsupported(|low| {
            if kind.is_wide() {
                return Err("`switch` on a 128-bit integer".into());
            }
            let saved = std::mem::replace(&mut low.func.pend, false);
            let r = low.value(e, None)?;
            low.func.pend = saved;
            low.code
                .tables
                .push(JumpTable { unsigned: kind == ScalarKind::U64, ..JumpTable::default() });
            low.emit(Op::Switch { r, table });
            Ok(())
        });
        self.func.next = mark;
        self.func.switches.push(SwitchInfo { cases: Vec::new(), default: None });
        self.func.loops.push(LoopInfo {
            scope: self.func.scope,
            breaks: Vec::new(),
            continues: None,
        });
        self.func.in_switch += 1;
        let outer = self.func.scope;
        self.stmt(body);
        self.func.in_switch -= 1;
        let breaks = self.func.loops.pop().map(|l| l.breaks).unwrap_or_default();
        let Some(info) = self.func.switches.pop() else { return };
        let end = self.emit(Op::Jump { to: 0 });
        if emitted.is_some() {
            let cases = info
                .cases
                .into_iter()
                .map(|(lo, hi, to, scope)| (lo, hi, self.entering(outer, scope, to)))
                .collect::<Vec<_>>();
            let default = match info.default {
                Some((to, scope)) => self.entering(outer, scope, to),
                None => u32::MAX,
            };
            let after = self.here();
            let table = &mut self.code.tables[table as usize];
            table.cases = cases;
            let unsigned = table.unsigned;
            table.cases.sort_by_key(
                |&(lo, _, _)| if unsigned { i128::from(lo as u64) } else { i128::from(lo) },
            );
            table.default = if default == u32::MAX { after } else { default };
        }
        self.patch(end, self.here());
        self.patch_all(breaks);
    }

    /// Code that begins the lifetimes of the scopes between `outer` and `inner` and continues at
    /// `to`; `to` itself where there are none.
    fn entering(&mut self, outer: usize, inner: usize, to: u32) -> u32 {
        let mut path = Vec::new();
        let mut scope = inner;
        while scope != outer {
            path.push(scope);
            match self.func.scopes[scope].parent {
                Some(parent) => scope = parent,
                None => break,
            }
        }
        let has_any = path.iter().any(|&s| {
            let info = &self.func.scopes[s];
            !info.flags.is_empty() || info.locals.iter().any(|l| l.1)
        });
        if !has_any {
            return to;
        }
        let start = self.here();
        self.enter_path(&path);
        self.emit(Op::Jump { to });
        start
    }

    fn enter_path(&mut self, path: &[usize]) {
        for &scope in path.iter().rev() {
            for i in 0..self.func.scopes[scope].locals.len() {
                let (local, declared) = self.func.scopes[scope].locals[i];
                if declared {
                    self.emit(Op::Enter { local });
                }
            }
            for i in 0..self.func.scopes[scope].flags.len() {
                let d = self.func.scopes[scope].flags[i];
                self.emit(Op::Imm { d, v: 0 });
            }
        }
    }

    fn leave_loop(&mut self, is_break: bool) {
        let target = self.func.loops.iter().rposition(|l| is_break || l.continues.is_some());
        let Some(index) = target else { return };
        let scope = self.func.loops[index].scope;
        self.leave_to(Some(scope));
        let jump = self.emit(if is_break { Op::Jump { to: 0 } } else { Op::Loop { to: 0 } });
        let info = &mut self.func.loops[index];
        if is_break {
            info.breaks.push(jump);
        } else if let Some(continues) = &mut info.continues {
            continues.push(jump);
        }
    }

    fn return_stmt(&mut self, value: Option<ExprId>) {
        let program = self.program;
        let ret = self.func.ret;
        let returned = self.or_unsupported(|low| {
            let saved = std::mem::replace(&mut low.func.pend, false);
            let (mark, temps) = (low.func.next, low.func.temps.len());
            match value {
                None => {}
                Some(e) if program.types.is_void(program.expr(e).ty) => low.discard(e)?,
                Some(e) => match ScalarKind::of(&program.types, ret) {
                    Some(_) => {
                        // The last operation alone writes the result, so that a parameter in
                        // register 0 is there as long as it is needed.
                        low.value(e, Some(0))?;
                        low.leave_to(None);
                    }
                    None if low.is_vector(ret) => {
                        let lanes = low.lanes(ret)?;
                        low.vector(e, lanes)?;
                        if let Some(d) = low.func.hidden {
                            let to = LValue::new(ValueLocation::Pointer { p: d, at: 0 }, ret, 1);
                            low.store_lanes(&to, lanes)?;
                        }
                        low.leave_to(None);
                    }
                    None => {
                        let from = low.aggregate(e)?;
                        if let Some(d) = low.func.hidden {
                            let s = low.address(&from, None)?;
                            let to = LValue {
                                init: true,
                                ..LValue::new(ValueLocation::Pointer { p: d, at: 0 }, ret, 1)
                            };
                            low.copy_op(d, s, to, from);
                        }
                        low.leave_to(None);
                    }
                },
            }
            low.func.temps.truncate(temps);
            low.func.next = mark;
            low.func.pend = saved;
            Ok(())
        });
        if returned.is_none() {
            return;
        }
        if value.is_none_or(|e| program.types.is_void(program.expr(e).ty)) {
            self.leave_to(None);
        }
        let missing = value.is_none() && !program.types.is_void(ret);
        self.emit(if missing { Op::RetMissing } else { Op::Ret });
    }

    /// Connects gotos with their labels through code that ends and begins lifetimes.
    pub(super) fn patch_gotos(&mut self) {
        for (jump, from, label) in std::mem::take(&mut self.func.gotos) {
            let Some(&(to, scope)) = self.func.labels.get(&label) else { continue };
            let ancestors = |mut s: usize| {
                let mut path = vec![s];
                while let Some(parent) = self.func.scopes[s].parent {
                    path.push(parent);
                    s = parent;
                }
                path
            };
            let (left, entered) = (ancestors(from), ancestors(scope));
            let common = left.iter().copied().find(|s| entered.contains(s)).unwrap_or(0);
            let start = self.here();
            for &s in left.iter().take_while(|&&s| s != common) {
                self.leave_scope(s);
            }
            let path: Vec<usize> = entered.into_iter().take_while(|&s| s != common).collect();
            self.enter_path(&path);
            let target = if self.here() == start {
                to
            } else {
                self.emit(Op::Jump { to });
                start
            };
            self.patch(jump, target);
        }
    }
}
