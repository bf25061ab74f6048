//! Which operands might conflict: a cheap over-approximation of what an expression reads and
//! writes in memory, calls included. Where there is no conflict, the machine
//! need not check.
//!
//! Locations are hashed into 64 bits: one for input and output, 31 shared by the variables whose
//! address is never taken, 32 shared by the classes of everything that a pointer can reach.

use super::scan::{Facts, has_elements, is_array, root};
use super::watch::path_step_type;
use crate::classes::{CHAR, Class, Classes};
use crate::library::LibFunc;
use crate::{Hooks, PathStep, Watch};
use ctree::{
    ExprId, ExprKind, FuncId, FuncStorage, Init, Item, Program, StmtId, StmtKind, Ty, TypeKind,
    UnOp, VarId,
};
use std::collections::HashMap;

/// Effects of an expression or a function.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Effects {
    /// Locations read.
    pub reads: u64,
    /// Locations written.
    pub writes: u64,
    /// Contains a call of a function with a body: better evaluated last.
    pub heavy: bool,
}

/// Standard input and output, and the rest of the environment.
const IO: u64 = 1;
/// Everything that a pointer can reach.
const REACHABLE: u64 = !0 << 32;

impl Effects {
    /// Whether the order of two operands might matter.
    pub(crate) fn conflicts(self, other: Effects) -> bool {
        self.writes & (other.reads | other.writes) != 0 || other.writes & self.reads != 0
    }

    pub(crate) fn and(self, other: Effects) -> Effects {
        Effects {
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
            heavy: self.heavy || other.heavy,
        }
    }
}

/// Effects of each function on what its callers can see.
pub(crate) struct Summaries {
    of: HashMap<FuncId, Effects>,
    any: Effects,
}

fn class_bits(class: Class) -> u64 {
    if class == CHAR { REACHABLE } else { 1 << (32 + class % 32) }
}

/// Locations of an lvalue access of type `ty` that goes to `var` (or through a pointer).
fn location(
    program: &Program,
    facts: &Facts,
    classes: &mut Classes,
    var: Option<VarId>,
    ty: Ty,
) -> u64 {
    match var {
        Some(v) if !facts.escapes[v.index()] => {
            let in_register = program.var(v).scope != ctree::Scope::File
                && program.var(v).storage != ctree::Storage::Static
                && program.types.is_scalar(program.var(v).ty)
                && !program.types.resolved(program.var(v).ty).is_volatile()
                && !facts.conflicted[v.index()];
            if in_register { 0 } else { 1 << (1 + v.0 % 31) }
        }
        _ => type_bits(program, classes, ty),
    }
}

fn type_bits(program: &Program, classes: &mut Classes, ty: Ty) -> u64 {
    match *program.types.shape(ty) {
        TypeKind::Array(elem, _) | TypeKind::Vector(elem, _) => type_bits(program, classes, elem),
        TypeKind::Record(_) => REACHABLE,
        _ if program.types.is_scalar(ty) => {
            let class = classes.class(&program.types, ty);
            // A named char object is reached by char pointers only, but those reach everything.
            if class == CHAR { 1 << 33 } else { class_bits(class) }
        }
        _ => REACHABLE,
    }
}

fn pointee_bits(program: &Program, classes: &mut Classes, ty: Ty) -> u64 {
    // A vector is accessed as its elements are.
    let ty = program.types.lanes(ty).map_or(ty, |(elem, _)| elem);
    if program.types.is_scalar(ty) {
        let class = classes.class(&program.types, ty);
        return class_bits(class);
    }
    type_bits(program, classes, ty)
}

/// Effects of an expression, remembered.
pub(crate) fn of_expr(
    program: &Program,
    facts: &Facts,
    summaries: &Summaries,
    classes: &mut Classes,
    memo: &mut [Option<Effects>],
    e: ExprId,
) -> Effects {
    let mut walk = EffectWalker { program, facts, classes, memo, calls: Calls::Known(summaries) };
    walk.expr(e)
}

enum Calls<'a> {
    Known(&'a Summaries),
    /// While summaries are being made: who is called, and whether through a pointer.
    Collect(Vec<FuncId>, bool),
}

struct EffectWalker<'a> {
    program: &'a Program,
    facts: &'a Facts,
    classes: &'a mut Classes,
    memo: &'a mut [Option<Effects>],
    calls: Calls<'a>,
}

impl EffectWalker<'_> {
    fn expr(&mut self, e: ExprId) -> Effects {
        // Empty while summaries are being made, when nothing is final.
        if let Some(&Some(known)) = self.memo.get(e.index()) {
            return known;
        }
        let effects = self.compute(e);
        if let Some(slot) = self.memo.get_mut(e.index()) {
            *slot = Some(effects);
        }
        effects
    }

    /// The access itself, without its operands.
    fn touch(&mut self, e: ExprId) -> u64 {
        let ty = self.program.expr(e).ty;
        match root(self.program, e) {
            Some(v) => location(self.program, self.facts, self.classes, Some(v), ty),
            None => pointee_bits(self.program, self.classes, ty),
        }
    }

    fn read(&mut self, e: ExprId) -> Effects {
        let mut effects = self.operands(e);
        if !is_array(self.program, e) {
            effects.reads |= self.touch(e);
        }
        effects
    }

    fn write(&mut self, e: ExprId) -> Effects {
        let mut effects = self.operands(e);
        effects.writes |= self.touch(e);
        effects
    }

    /// Reading and writing; the lvalue is evaluated once.
    fn update(&mut self, e: ExprId) -> Effects {
        let effects = self.operands(e);
        let bits = self.touch(e);
        Effects { reads: effects.reads | bits, writes: effects.writes | bits, ..effects }
    }

    /// Effects of evaluating which object an lvalue designates.
    fn operands(&mut self, e: ExprId) -> Effects {
        match self.program.expr(e).kind {
            ExprKind::Index(base, index) => self.base(base).and(self.expr(index)),
            ExprKind::Member(of, _) => {
                if self.program.is_lvalue(of) {
                    self.operands(of)
                } else {
                    self.expr(of)
                }
            }
            ExprKind::Arrow(of, _) => self.expr(of),
            ExprKind::Unary(UnOp::Deref, of) => self.base(of),
            ExprKind::CompoundLit(_, ref init) => {
                let bits = type_bits(self.program, self.classes, self.program.expr(e).ty);
                let effects = self.init(init);
                Effects { writes: effects.writes | bits, ..effects }
            }
            _ => Effects::default(),
        }
    }

    /// The pointer operand of an index or dereference: a decayed array is not read.
    fn base(&mut self, e: ExprId) -> Effects {
        match self.program.expr(e).kind {
            ExprKind::Implicit(array) if has_elements(self.program, array) => {
                if self.program.is_lvalue(array) { self.operands(array) } else { self.expr(array) }
            }
            _ => self.expr(e),
        }
    }

    fn compute(&mut self, e: ExprId) -> Effects {
        let program = self.program;
        match &program.expr(e).kind {
            ExprKind::Var(_)
            | ExprKind::Index(..)
            | ExprKind::Arrow(..)
            | ExprKind::Unary(UnOp::Deref, _)
            | ExprKind::CompoundLit(..) => self.read(e),
            ExprKind::Member(of, _) => {
                if program.is_lvalue(*of) {
                    self.read(e)
                } else {
                    self.expr(*of)
                }
            }
            ExprKind::Unary(UnOp::AddrOf, a) => self.operands(*a),
            ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, a) => {
                self.update(*a)
            }
            ExprKind::Implicit(a) | ExprKind::Cast(_, a) if is_array(program, *a) => self.base(e),
            // The lanes of a vector, about to be indexed.
            ExprKind::Implicit(a)
                if has_elements(program, *a) && program.types.is_pointer(program.expr(e).ty) =>
            {
                self.base(e)
            }
            ExprKind::Unary(_, a) | ExprKind::Implicit(a) | ExprKind::Cast(_, a) => self.expr(*a),
            ExprKind::Binary(_, a, b) => self.expr(*a).and(self.expr(*b)),
            ExprKind::Assign(a, b) => self.write(*a).and(self.expr(*b)),
            ExprKind::AssignOp { lhs, rhs, .. } => self.update(*lhs).and(self.expr(*rhs)),
            ExprKind::Cond(c, a, b) => {
                let a = a.map_or(Effects::default(), |a| self.expr(a));
                self.expr(*c).and(a).and(self.expr(*b))
            }
            ExprKind::Call(f, args) => {
                let mut effects = self.callee(*f);
                for &arg in args {
                    effects = effects.and(self.expr(arg));
                }
                effects
            }
            ExprKind::StmtExpr(s) => self.stmt(*s),
            ExprKind::VaArg(a, _) => {
                let effects = self.expr(*a);
                Effects {
                    reads: effects.reads | REACHABLE,
                    writes: effects.writes | REACHABLE,
                    ..effects
                }
            }
            _ => Effects::default(),
        }
    }

    fn callee(&mut self, f: ExprId) -> Effects {
        let target = match self.program.expr(f).kind {
            ExprKind::Implicit(inner) => match self.program.expr(inner).kind {
                ExprKind::Func(id) => Some(id),
                _ => None,
            },
            ExprKind::Func(id) => Some(id),
            _ => None,
        };
        let inner = if target.is_some() { Effects::default() } else { self.expr(f) };
        inner.and(match (&mut self.calls, target) {
            (Calls::Known(known), Some(id)) => known.of.get(&id).copied().unwrap_or(known.any),
            (Calls::Known(known), None) => Effects { heavy: true, ..known.any },
            (Calls::Collect(list, _), Some(id)) => {
                list.push(id);
                Effects::default()
            }
            (Calls::Collect(_, indirect), None) => {
                *indirect = true;
                Effects::default()
            }
        })
    }

    fn init(&mut self, init: &Init) -> Effects {
        match init {
            Init::Expr(e) => self.expr(*e),
            Init::List(items) => {
                items.iter().fold(Effects::default(), |all, item| all.and(self.init(&item.init)))
            }
        }
    }

    fn stmt(&mut self, s: StmtId) -> Effects {
        let program = self.program;
        let mut all = Effects::default();
        match &program.stmt(s).kind {
            StmtKind::Expr(e) | StmtKind::Return(Some(e)) => all = self.expr(*e),
            StmtKind::Block(list) => {
                for &s in list {
                    all = all.and(self.stmt(s));
                }
            }
            StmtKind::If(c, a, b) => {
                all = self.expr(*c).and(self.stmt(*a));
                if let Some(b) = b {
                    all = all.and(self.stmt(*b));
                }
            }
            StmtKind::While(c, s) | StmtKind::DoWhile(s, c) | StmtKind::Switch(c, s) => {
                all = self.expr(*c).and(self.stmt(*s));
            }
            StmtKind::For { init, cond, step, body } => {
                all = self.stmt(*body);
                if let Some(init) = init {
                    all = all.and(self.stmt(*init));
                }
                for e in [cond, step].into_iter().flatten() {
                    all = all.and(self.expr(*e));
                }
            }
            StmtKind::Case(_, _, s) | StmtKind::Default(s) | StmtKind::Label(_, s) => {
                all = self.stmt(*s)
            }
            StmtKind::Decl(items) => {
                for item in items {
                    if let Item::Var(v) = item
                        && let Some(init) = &program.var(*v).init
                    {
                        all = all.and(self.init(init));
                        all.writes |= location(
                            program,
                            self.facts,
                            self.classes,
                            Some(*v),
                            program.var(*v).ty,
                        );
                    }
                }
            }
            _ => {}
        }
        if let Some(&seen) = self.facts.watched.get(&s) {
            // A watched scalar may be read and written at its probe.
            (all.reads, all.writes) = (all.reads | seen, all.writes | seen);
        }
        all
    }
}

/// Locations that each probe looks at.
pub(crate) fn watched(
    program: &Program,
    facts: &Facts,
    classes: &mut Classes,
    hooks: &Hooks,
) -> HashMap<StmtId, u64> {
    let mut of_watch = |watch: &Watch| {
        let (mut var, mut ty) =
            (Some(watch.var), program.types.resolved(program.var(watch.var).ty));
        let mut bits = 0;
        let mut touch = |var: Option<VarId>, ty| match var {
            Some(_) => location(program, facts, classes, var, ty),
            None => pointee_bits(program, classes, ty),
        };
        for &step in &watch.path {
            if step == PathStep::Deref {
                bits |= touch(var, ty);
                var = None;
            }
            ty = path_step_type(&program.types, ty, step)?;
        }
        Some(bits | touch(var, ty))
    };
    // In order: classes are numbered on first use.
    let mut probes: Vec<_> = hooks.probes.iter().collect();
    probes.sort_by_key(|(s, _)| **s);
    let of_probe = |(&s, watches): (&StmtId, &Vec<Watch>)| {
        (s, watches.iter().filter_map(&mut of_watch).fold(0, |all, bits| all | bits))
    };
    probes.into_iter().map(of_probe).collect()
}

impl Summaries {
    /// Summaries of all functions, by iteration to a fixed point over the call graph.
    pub(crate) fn of(program: &Program, facts: &Facts, classes: &mut Classes) -> Summaries {
        let mut bodies: HashMap<ctree::Sym, FuncId> = HashMap::new();
        for (i, func) in program.funcs.iter().enumerate() {
            if func.body.is_some() && func.storage != FuncStorage::Static {
                bodies.insert(func.name, FuncId(i as u32));
            }
        }
        let mut effects: Vec<Effects> = vec![Effects::default(); program.funcs.len()];
        let mut callees: Vec<(Vec<FuncId>, bool)> = vec![(Vec::new(), false); program.funcs.len()];
        let mut any = Effects { reads: REACHABLE | IO, writes: REACHABLE | IO, heavy: true };
        for (i, func) in program.funcs.iter().enumerate() {
            let Some(body) = func.body else {
                match bodies.get(&func.name) {
                    Some(&def) => callees[i].0.push(def),
                    None => effects[i] = library_effects(program.name(func.name)),
                }
                continue;
            };
            let calls = Calls::Collect(Vec::new(), false);
            let mut walk = EffectWalker { program, facts, classes, memo: &mut [], calls };
            let own = walk.stmt(body);
            if let Calls::Collect(list, indirect) = walk.calls {
                callees[i] = (list, indirect);
            }
            effects[i] = Effects { heavy: true, ..own };
            any = any.and(own);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for i in 0..effects.len() {
                let (list, indirect) = &callees[i];
                let mut new = effects[i];
                for callee in list {
                    new = new.and(effects[callee.index()]);
                }
                if *indirect {
                    new = new.and(any);
                }
                if new != effects[i] {
                    effects[i] = new;
                    changed = true;
                }
            }
        }
        let of = effects.into_iter().enumerate().map(|(i, e)| (FuncId(i as u32), e)).collect();
        Summaries { of, any }
    }
}

/// Effects of a library function.
fn library_effects(name: &str) -> Effects {
    match LibFunc::by_name(name) {
        Some(lib) if lib.is_pure() => Effects::default(),
        Some(lib) if lib.is_memory_only() => {
            Effects { reads: REACHABLE, writes: REACHABLE, heavy: false }
        }
        _ => Effects { reads: REACHABLE | IO, writes: REACHABLE | IO, heavy: false },
    }
}
