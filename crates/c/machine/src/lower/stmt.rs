//! Statements, scopes and jumps.

use super::place::{Lv, Place};
use super::{Home, L, LoopInfo, Lower, ScopeInfo, SwitchInfo};
use crate::code::*;
use crate::kind::Kind;
use crate::memory::Origin;
use ctree::{ExprId, Item, StmtId, StmtKind, Storage, VarId};

impl Lower<'_> {
    /// Runs `f` in a new scope and ends the lifetimes of its variables.
    pub(super) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (parent, next) = (self.f.scope, self.f.next);
        self.f.scopes.push(ScopeInfo {
            parent: Some(parent),
            locals: Vec::new(),
            flags: Vec::new(),
        });
        self.f.scope = self.f.scopes.len() - 1;
        let result = f(self);
        self.leave_scope(self.f.scope);
        self.f.scope = parent;
        self.f.next = next;
        result
    }

    fn leave_scope(&mut self, scope: usize) {
        for i in (0..self.f.scopes[scope].locals.len()).rev() {
            let (local, _) = self.f.scopes[scope].locals[i];
            self.emit(Op::Leave { local });
        }
    }

    /// Ends the lifetimes of all scopes from the current one up to, not including, `outer`.
    pub(super) fn leave_to(&mut self, outer: Option<usize>) {
        let mut scope = Some(self.f.scope);
        while scope != outer {
            let Some(s) = scope else { return };
            self.leave_scope(s);
            scope = self.f.scopes[s].parent;
        }
    }

    /// Gives the variables that a block declares their homes, and begins their lifetimes.
    pub(super) fn declare(&mut self, list: &[StmtId]) {
        for &s in list {
            self.declare_in(s);
        }
    }

    fn declare_in(&mut self, s: StmtId) {
        match &self.p.stmt(s).kind {
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
        let var = self.p.var(v);
        if matches!(var.storage, Storage::Static | Storage::Extern)
            || var.scope == ctree::Scope::File
        {
            return;
        }
        let scope = self.f.scope;
        if !self.in_register(v) {
            let local = self.new_local(var.ty, var.align, Origin::Var(v), true);
            self.homes[v.index()] = Some(Home::Frame { local });
            self.emit(Op::Enter { local });
            return;
        }
        let wide = Kind::of(&self.p.types, var.ty).is_some_and(Kind::is_wide);
        let reg = if wide { self.temp_pair() } else { self.temp() };
        // A variable that its declaration always sets needs no flag.
        let jumped_over = self.f.has_labels || self.f.in_switch > 0;
        let reads_itself = self.facts.own_init.contains(&v);
        let flag = if var.init.is_some() && !jumped_over && !reads_itself {
            None
        } else {
            let flag = self.temp();
            self.f.scopes[scope].flags.push(flag);
            self.emit(Op::Imm { d: flag, v: 0 });
            Some(flag)
        };
        self.homes[v.index()] = Some(Home::Register { reg, flag });
    }

    pub(super) fn stmt(&mut self, s: StmtId) {
        let saved = std::mem::replace(&mut self.node, CodeNode::Stmt(s));
        self.stmt_inner(s);
        self.node = saved;
    }

    fn stmt_inner(&mut self, s: StmtId) {
        let p = self.p;
        self.cover(s);
        match &p.stmt(s).kind {
            StmtKind::Empty => {}
            StmtKind::Expr(e) => {
                self.guarded(|low| low.full(*e));
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
                // Without a condition that can be compiled the branches are still there to be
                // jumped into.
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
                let (here, scope) = (self.here(), self.f.scope);
                if let Some(switch) = self.f.switches.last_mut() {
                    switch.cases.push((*lo, *hi, here, scope));
                }
                self.stmt(*s);
            }
            StmtKind::Default(s) => {
                let (here, scope) = (self.here(), self.f.scope);
                if let Some(switch) = self.f.switches.last_mut() {
                    switch.default = Some((here, scope));
                }
                self.stmt(*s);
            }
            StmtKind::Break => self.leave_loop(true),
            StmtKind::Continue => self.leave_loop(false),
            StmtKind::Goto(label) => {
                if self.f.regions > 0 {
                    let text = self.text("a jump out of a statement expression");
                    self.emit(Op::Unsupported { text });
                }
                let jump = self.emit(Op::Loop { to: 0 });
                self.f.gotos.push((jump, self.f.scope, *label));
            }
            StmtKind::Label(label, s) => {
                self.f.labels.insert(*label, (self.here(), self.f.scope));
                self.stmt(*s);
            }
            StmtKind::Return(value) => self.return_stmt(*value),
        }
    }

    /// A full expression.
    fn full(&mut self, e: ExprId) -> L<()> {
        let saved = std::mem::replace(&mut self.f.pend, false);
        let temps = self.f.temps.len();
        let result = self.discard(e);
        self.end_full(temps);
        self.f.pend = saved;
        result
    }

    /// Ends the lifetimes of temporaries made since there were `temps` of them.
    fn end_full(&mut self, temps: usize) {
        for local in self.f.temps.split_off(temps) {
            self.emit(Op::Leave { local });
        }
    }

    fn condition(&mut self, c: ExprId) -> Option<usize> {
        let saved = std::mem::replace(&mut self.f.pend, false);
        let jump = self.guarded(|low| {
            let (mark, temps) = (low.f.next, low.f.temps.len());
            let r = low.truth(c, None)?;
            low.f.next = mark;
            low.end_full(temps);
            Ok(low.jump_if_zero(r, mark))
        });
        self.f.pend = saved;
        jump
    }

    fn local_init(&mut self, v: VarId) {
        let p = self.p;
        let var = p.var(v);
        if matches!(var.storage, Storage::Static | Storage::Extern)
            || var.scope == ctree::Scope::File
        {
            return;
        }
        let Some(home) = self.homes[v.index()] else { return };
        let Some(init) = &var.init else {
            // Reached again by a jump backwards: indeterminate again (6.2.4p6).
            if self.f.has_labels {
                match home {
                    Home::Register { flag: Some(flag), .. } => {
                        self.emit(Op::Imm { d: flag, v: 0 });
                    }
                    Home::Frame { local } => {
                        self.emit(Op::Forget { local });
                    }
                    _ => {}
                }
            }
            return;
        };
        let place = match home {
            Home::Register { reg, flag } => Place::Register { reg, flag },
            Home::Frame { local } => Place::Frame { local, at: 0, x: NO_REG },
            Home::Static { .. } => return,
        };
        let lv =
            Lv { init: true, ..Lv::new(place, p.types.resolved(var.ty), p.types.align_of(var.ty)) };
        self.guarded(|low| {
            let saved = std::mem::replace(&mut low.f.pend, false);
            let temps = low.f.temps.len();
            let result = match (place, init) {
                (Place::Register { .. }, ctree::Init::Expr(e)) => low.init_register(lv, *e),
                (Place::Register { .. }, ctree::Init::List(items)) => match items.first() {
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
            low.end_full(temps);
            low.f.pend = saved;
            result
        });
    }

    fn init_register(&mut self, lv: Lv, e: ExprId) -> L<()> {
        let Place::Register { reg, flag } = lv.place else { return Ok(()) };
        let mark = self.f.next;
        self.at_expr(e, |low| low.value(e, Some(reg)))?;
        self.f.next = mark;
        if let Some(flag) = flag {
            self.emit(Op::Imm { d: flag, v: 1 });
        }
        Ok(())
    }

    fn loop_body(&mut self, body: StmtId) -> (Vec<usize>, Vec<usize>) {
        self.f.loops.push(LoopInfo {
            scope: self.f.scope,
            breaks: Vec::new(),
            continues: Some(Vec::new()),
        });
        let in_switch = std::mem::replace(&mut self.f.in_switch, 0);
        self.stmt(body);
        self.f.in_switch = in_switch;
        match self.f.loops.pop() {
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
                low.guarded(|low| low.full(step));
            }
            low.emit(Op::Loop { to: top });
            if let Some(exit) = exit {
                low.patch(exit, low.here());
            }
            low.patch_all(breaks);
        });
    }

    fn switch(&mut self, e: ExprId, body: StmtId) {
        let p = self.p;
        let mark = self.f.next;
        let table = self.code.tables.len() as u32;
        let kind = Kind::of(&p.types, p.expr(e).ty).unwrap_or(Kind::I32);
        let emitted = self.guarded(|low| {
            if kind.is_wide() {
                return Err("a switch on a 128-bit integer".into());
            }
            let saved = std::mem::replace(&mut low.f.pend, false);
            let r = low.value(e, None)?;
            low.f.pend = saved;
            low.code.tables.push(Table { unsigned: kind == Kind::U64, ..Table::default() });
            low.emit(Op::Switch { r, table });
            Ok(())
        });
        self.f.next = mark;
        self.f.switches.push(SwitchInfo { cases: Vec::new(), default: None });
        self.f.loops.push(LoopInfo { scope: self.f.scope, breaks: Vec::new(), continues: None });
        self.f.in_switch += 1;
        let outer = self.f.scope;
        self.stmt(body);
        self.f.in_switch -= 1;
        let breaks = self.f.loops.pop().map(|l| l.breaks).unwrap_or_default();
        let Some(info) = self.f.switches.pop() else { return };
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

    /// Code that begins the lifetimes of the scopes between `outer` and `inner` and goes on at
    /// `to`; `to` itself where there are none.
    fn entering(&mut self, outer: usize, inner: usize, to: u32) -> u32 {
        let mut path = Vec::new();
        let mut scope = inner;
        while scope != outer {
            path.push(scope);
            match self.f.scopes[scope].parent {
                Some(parent) => scope = parent,
                None => break,
            }
        }
        let has_any = path.iter().any(|&s| {
            let info = &self.f.scopes[s];
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
            for i in 0..self.f.scopes[scope].locals.len() {
                let (local, declared) = self.f.scopes[scope].locals[i];
                if declared {
                    self.emit(Op::Enter { local });
                }
            }
            for i in 0..self.f.scopes[scope].flags.len() {
                let d = self.f.scopes[scope].flags[i];
                self.emit(Op::Imm { d, v: 0 });
            }
        }
    }

    fn leave_loop(&mut self, is_break: bool) {
        let target = self.f.loops.iter().rposition(|l| is_break || l.continues.is_some());
        let Some(index) = target else { return };
        let scope = self.f.loops[index].scope;
        self.leave_to(Some(scope));
        let jump = self.emit(if is_break { Op::Jump { to: 0 } } else { Op::Loop { to: 0 } });
        let info = &mut self.f.loops[index];
        if is_break {
            info.breaks.push(jump);
        } else if let Some(continues) = &mut info.continues {
            continues.push(jump);
        }
    }

    fn return_stmt(&mut self, value: Option<ExprId>) {
        let p = self.p;
        let ret = self.f.ret;
        let returned = self.guarded(|low| {
            let saved = std::mem::replace(&mut low.f.pend, false);
            let (mark, temps) = (low.f.next, low.f.temps.len());
            match value {
                None => {}
                Some(e) if p.types.is_void(p.expr(e).ty) => low.discard(e)?,
                Some(e) => match Kind::of(&p.types, ret) {
                    Some(_) => {
                        // The last operation alone writes the result, so that a parameter in
                        // register 0 is there as long as it is needed.
                        low.value(e, Some(0))?;
                        low.leave_to(None);
                    }
                    None if low.is_vector(ret) => {
                        let lanes = low.lanes(ret)?;
                        low.vector(e, lanes)?;
                        if let Some(d) = low.f.hidden {
                            let to = Lv::new(Place::Pointer { p: d, at: 0 }, ret, 1);
                            low.store_lanes(&to, lanes)?;
                        }
                        low.leave_to(None);
                    }
                    None => {
                        let from = low.aggregate(e)?;
                        if let Some(d) = low.f.hidden {
                            let s = low.address(&from, None)?;
                            let to = Lv {
                                init: true,
                                ..Lv::new(Place::Pointer { p: d, at: 0 }, ret, 1)
                            };
                            low.copy_op(d, s, to, from);
                        }
                        low.leave_to(None);
                    }
                },
            }
            low.f.temps.truncate(temps);
            low.f.next = mark;
            low.f.pend = saved;
            Ok(())
        });
        if returned.is_none() {
            return;
        }
        if value.is_none_or(|e| p.types.is_void(p.expr(e).ty)) {
            self.leave_to(None);
        }
        let missing = value.is_none() && !p.types.is_void(ret);
        self.emit(if missing { Op::RetMissing } else { Op::Ret });
    }

    /// Connects gotos with their labels through code that ends and begins lifetimes.
    pub(super) fn patch_gotos(&mut self) {
        for (jump, from, label) in std::mem::take(&mut self.f.gotos) {
            let Some(&(to, scope)) = self.f.labels.get(&label) else { continue };
            let ancestors = |mut s: usize| {
                let mut path = vec![s];
                while let Some(parent) = self.f.scopes[s].parent {
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
