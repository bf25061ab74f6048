//! Hermes: the three mutations of live code (4.2 and 4.4 of its paper).

use std::collections::HashMap;

use choice::Choices;
use ctree::{
    ExprId, FuncId, FuncType, IntKind, Item, Program, Quals, StmtId, StmtKind, Ty, TypeKind,
};

use crate::chain::ProfiledProgram;
use crate::env::{Env, KnownScalar, ProfilePlan};
use crate::site::{Site, Sites};
use crate::synth::{expression, predicate};
use crate::variant::{Change, Edit};
use crate::{Strategies, Strategy, Variant, grow};

/// Greatest depth of predicates.
const DEPTH: i64 = 2;
/// Scalars that one block changes and restores.
const CHANGED: usize = 3;
/// Leaves of an expression.
const LEAVES: usize = 5;

/// Mutates live code at the points that were profiled and reached, at most `room` of them.
pub(crate) fn mutate(
    view: &ProfiledProgram,
    plan: &ProfilePlan,
    strategies: &Strategies,
    room: usize,
    next: &mut Variant,
    choices: &mut Choices,
) {
    let live = [Strategy::Fcb, Strategy::Tg, Strategy::Tcb];
    let live: Vec<Strategy> = live.into_iter().filter(|s| strategies.has(*s)).collect();
    let sites: HashMap<StmtId, &Site> = view.sites.list.iter().map(|s| (s.stmt, s)).collect();
    let mut points: Vec<_> = view.profile.points.iter().collect();
    choices.shuffle(&mut points);
    let mut done = 0;
    for (&at, point) in points {
        let Some(&&site) = sites.get(&at) else { continue };
        if done >= room {
            return;
        }
        let env = plan.env(&mut next.base, at, point);
        if env.known.is_empty() {
            continue;
        }
        let mut order = live.clone();
        choices.shuffle(&mut order);
        let mut maker = LiveMutator { program: &mut next.base, sites: view.sites, site, choices };
        // If a strategy is not applicable at the point, another one is used.
        let made = order.into_iter().find_map(|strategy| {
            let change = match strategy {
                Strategy::Fcb => maker.false_block(&env),
                Strategy::Tg => maker.guard(&env),
                _ => maker.true_block(&env),
            };
            change.map(|change| Edit { strategy, change })
        });
        done += usize::from(made.is_some());
        next.edits.extend(made);
    }
}

struct LiveMutator<'a> {
    program: &'a mut Program,
    sites: &'a Sites,
    site: Site,
    choices: &'a mut Choices,
}

impl LiveMutator<'_> {
    fn predicate(&mut self, env: &Env, expected: bool) -> Option<ExprId> {
        let depth = self.choices.range(0..=DEPTH) as u32;
        predicate(self.program, env, expected, depth, self.choices)
    }

    /// `if (false) …` or `while (false) …`
    fn false_block(&mut self, env: &Env) -> Option<Change> {
        let condition = self.predicate(env, false)?;
        let looped = self.choices.chance(50);
        let body = grow::body(self.program, self.sites, &self.site, looped, self.choices);
        let kind = match looped {
            true => StmtKind::While(condition, body),
            false => StmtKind::If(condition, body, None),
        };
        let code = self.program.make_stmt(kind);
        Some(Change::Insert { before: self.site.stmt, code })
    }

    /// `if (true) s`
    fn guard(&mut self, env: &Env) -> Option<Change> {
        let stmt = self.site.stmt;
        if !self.site.free || matches!(self.program.stmt(stmt).kind, StmtKind::Empty) {
            return None;
        }
        let by = self.predicate(env, true)?;
        Some(Change::Guard { stmt, by })
    }

    /// Changes some scalars behind a condition that holds, and restores them: Figure 6.
    fn true_block(&mut self, env: &Env) -> Option<Change> {
        let mut changed: Vec<KnownScalar> =
            env.known.iter().filter(|k| k.writable).cloned().collect();
        self.choices.shuffle(&mut changed);
        // Two scalars of one variable could be the same object.
        let mut vars = Vec::new();
        changed.retain(|k| {
            !vars.contains(&k.watch.var) && {
                vars.push(k.watch.var);
                true
            }
        });
        changed.truncate(1 + self.choices.index(CHANGED));
        if changed.is_empty() {
            return None;
        }
        let print = self.printf()?;
        let mut env = env.clone();
        let mut list = Vec::new();
        let mut backups = Vec::new();
        for known in &changed {
            let value = expression(self.program, &env, LEAVES, self.choices);
            let values = value.stored(self.program, known.ty, None)?;
            let init = self.program.init_expr(known.ty, value.expr);
            let name = fresh(self.program);
            let (var, decl) = self.program.local(&name, known.ty, Some(init));
            let backup = KnownScalar::own(var, known.ty, values);
            env.known.push(backup.clone());
            list.push(decl);
            backups.push(backup);
        }
        let condition = self.predicate(&env, true)?;
        let body = self.changes(&mut env, &changed, &backups, print)?;
        list.push(self.program.make_stmt(StmtKind::If(condition, body, None)));
        for (known, backup) in changed.iter().zip(&backups).rev() {
            list.push(self.copy(known, backup));
        }
        let code = self.program.block(list);
        Some(Change::Insert { before: self.site.stmt, code })
    }

    /// Saves and changes the scalars, and uses their new values in code without effect.
    fn changes(
        &mut self,
        env: &mut Env,
        changed: &[KnownScalar],
        backups: &[KnownScalar],
        print: FuncId,
    ) -> Option<StmtId> {
        let mut list = Vec::new();
        for (known, backup) in changed.iter().zip(backups) {
            list.push(self.copy(backup, known));
            env.assign(backup, known.values.clone());
        }
        for known in changed {
            let value = expression(self.program, env, LEAVES, self.choices);
            let values = value.stored(self.program, known.ty, known.bits)?;
            let place = known.lvalue(self.program);
            let assignment = self.program.assign(place, value.expr);
            list.push(self.program.expr_stmt(assignment));
            env.assign(known, values);
        }
        let condition = self.predicate(env, false)?;
        let calls = changed.iter().map(|known| self.print(print, known)).collect();
        let calls = self.program.block(calls);
        let kind = match self.choices.chance(50) {
            true => StmtKind::While(condition, calls),
            false => StmtKind::If(condition, calls, None),
        };
        list.push(self.program.make_stmt(kind));
        Some(self.program.block(list))
    }

    /// `to = from;`
    fn copy(&mut self, to: &KnownScalar, from: &KnownScalar) -> StmtId {
        let (to, from) = (to.lvalue(self.program), from.lvalue(self.program));
        let assignment = self.program.assign(to, from);
        self.program.expr_stmt(assignment)
    }

    fn print(&mut self, printf: FuncId, known: &KnownScalar) -> StmtId {
        let value = known.lvalue(self.program);
        let value = self.program.promote(value);
        let format = match self.program.types.int_kind(self.program.expr(value).ty) {
            Some(IntKind::UInt) => "%u\n",
            Some(IntKind::Long) => "%ld\n",
            Some(IntKind::ULong) => "%lu\n",
            Some(IntKind::LongLong) => "%lld\n",
            Some(IntKind::ULongLong) => "%llu\n",
            _ => "%d\n",
        };
        let format = self.program.str_const(format.as_bytes());
        let call = self.program.call_func(printf, &[format, value]);
        self.program.expr_stmt(call)
    }

    /// `printf`, declared where it was not; `None` where the name denotes something else.
    fn printf(&mut self) -> Option<FuncId> {
        let Some(name) = self.program.names.get("printf") else {
            return self.declare_printf();
        };
        let at = self.site.stmt;
        let named = |f: &FuncId| self.program.func(*f).name == name;
        let funcs = self.sites.visible.funcs(self.program, at);
        if let Some(f) = funcs.into_iter().find(|f| named(f)) {
            return is_printf(self.program, f).then_some(f);
        }
        let taken = self.program.vars.iter().any(|var| var.name == name)
            || self.program.funcs.iter().any(|func| func.name == name && func.body.is_some());
        if taken {
            return None;
        }
        self.declare_printf()
    }

    /// Puts a declaration of `printf` before the function that the site is in.
    fn declare_printf(&mut self) -> Option<FuncId> {
        let func = self.site.func;
        let known = |items: &Vec<Item>| items.contains(&Item::Func(func));
        let unit = self.program.units.iter().position(|unit| known(&unit.items))?;
        let at = self.program.units[unit].items.iter().position(|i| *i == Item::Func(func))?;
        // Declared in this unit already, further down or for a function above.
        let name = self.program.names.intern("printf");
        let same = |item: &Item| match *item {
            Item::FuncDecl(f) => (self.program.func(f).name == name).then_some(f),
            _ => None,
        };
        let f = match self.program.units[unit].items.iter().find_map(same) {
            Some(f) if is_printf(self.program, f) => f,
            Some(_) => return None,
            None => {
                let text = self.program.types.pointer(Ty::CHAR.qualified(Quals::CONST));
                let ty = self.program.types.intern(TypeKind::Function(FuncType {
                    ret: Ty::INT,
                    params: Box::new([text]),
                    variadic: true,
                    proto: true,
                }));
                self.program.add_func("printf", ty)
            }
        };
        let items = &mut self.program.units[unit].items;
        if !items[..at].contains(&Item::FuncDecl(f)) {
            items.insert(at, Item::FuncDecl(f));
        }
        Some(f)
    }
}

fn is_printf(program: &Program, f: FuncId) -> bool {
    let of = program.types.as_function(program.func(f).ty);
    program.func(f).body.is_none() && of.is_some_and(|f| f.variadic && f.params.len() == 1)
}

/// A name that nothing in the program has.
pub(crate) fn fresh(program: &Program) -> String {
    let mut number = program.vars.len();
    loop {
        let name = format!("emi_{number}");
        if program.names.get(&name).is_none() {
            return name;
        }
        number += 1;
    }
}
