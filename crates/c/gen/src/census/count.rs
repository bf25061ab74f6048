//! Traverses functions, statements and expressions, and counts what it finds.

use std::collections::{BTreeMap, BTreeSet};

use cmachine::Profile;
use ctree::{
    ExprId, ExprKind, Func, FuncId, FuncStorage, Init, Item, Program, RecordKind, Scope, StmtId,
    StmtKind, Storage, Sym, Ty, TypeKind, UnOp, VarId,
};

use super::Census;
use super::features::ITERATIONS;
use super::names::{assignment, binary, conversion, object_kind, type_name, unary};

/// How the object that an lvalue designates is accessed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AccessMode {
    Read,
    Write,
    /// Read and written: `+=`, `++`.
    Update,
    /// Not accessed: its address is taken, it decays, or only a part of it is accessed.
    Locate,
}

/// Counts the functions that `own` picks, and the globals.
pub(super) fn census(program: &Program, profile: &Profile, own: &dyn Fn(FuncId) -> bool) -> Census {
    let mut counter = FeatureCounter {
        program,
        profile,
        census: Census { programs: 1, ..Census::default() },
        defined: defined(program),
        calls: BTreeMap::new(),
        caller: FuncId(0),
        live: true,
        depth: 0,
    };
    let items = || program.units.iter().flat_map(|unit| &unit.items);
    for item in items() {
        match *item {
            Item::Var(v) => counter.declared("global", v),
            Item::Func(f) if own(f) => counter.function(f),
            _ => {}
        }
    }
    for item in items() {
        if let Item::Func(f) = *item
            && counter.is_recursive(f)
        {
            counter.live = program.func(f).body.is_some_and(|body| counter.ran(body));
            counter.tick("functions", "recursive function");
        }
    }
    counter.census
}

/// The definitions that other units see.
fn defined(program: &Program) -> BTreeMap<Sym, FuncId> {
    let seen = |f: &Func| f.body.is_some() && f.storage != FuncStorage::Static;
    let all = program.funcs.iter().enumerate().filter(|(_, f)| seen(f));
    all.map(|(i, f)| (f.name, FuncId(i as u32))).collect()
}

struct FeatureCounter<'p> {
    program: &'p Program,
    profile: &'p Profile,
    census: Census,
    defined: BTreeMap<Sym, FuncId>,
    /// Who calls whom by name, among the functions counted.
    calls: BTreeMap<FuncId, BTreeSet<FuncId>>,
    /// The current function.
    caller: FuncId,
    /// Whether the current statement was executed.
    live: bool,
    /// Loops around it.
    depth: u32,
}

impl FeatureCounter<'_> {
    fn tick(&mut self, group: &'static str, feature: &str) {
        self.census.tick(group, feature, self.live);
    }

    fn ty(&self, e: ExprId) -> Ty {
        self.program.expr(e).ty
    }

    fn function(&mut self, f: FuncId) {
        let func = self.program.func(f);
        let Some(body) = func.body else { return };
        self.caller = f;
        self.calls.entry(f).or_default();
        self.live = self.ran(body);
        self.tick("functions", "function");
        for &param in &func.params {
            self.declared("parameter", param);
        }
        self.stmt(body);
        self.live = true;
    }

    fn is_recursive(&self, f: FuncId) -> bool {
        let mut reached = BTreeSet::new();
        let mut open = vec![f];
        while let Some(next) = open.pop() {
            let fresh = self.calls.get(&next).into_iter().flatten().filter(|&&c| reached.insert(c));
            open.extend(fresh);
        }
        reached.contains(&f)
    }

    /// Whether a statement was executed: labels and blocks are also entered by jumps, which the
    /// profile notes at what they hold.
    fn ran(&self, s: StmtId) -> bool {
        self.profile.executed.contains(&s)
            || match &self.program.stmt(s).kind {
                StmtKind::Label(_, s) | StmtKind::Case(_, _, s) | StmtKind::Default(s) => {
                    self.ran(*s)
                }
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::For { body, .. } => self.ran(*body),
                StmtKind::Block(list) => list.iter().any(|&s| self.ran(s)),
                _ => false,
            }
    }

    fn stmt(&mut self, s: StmtId) {
        let live = self.ran(s);
        self.with(live, |counter| counter.stmt_inner(s));
    }

    fn with(&mut self, live: bool, counter: impl FnOnce(&mut Self)) {
        let saved = std::mem::replace(&mut self.live, live);
        counter(self);
        self.live = saved;
    }

    fn stmt_inner(&mut self, s: StmtId) {
        use StmtKind::*;
        let program = self.program;
        let kind = &program.stmt(s).kind;
        if !matches!(kind, Empty | Block(_) | Case(..) | Default(_) | Label(..)) {
            self.tick("statements", "statement");
        }
        match kind {
            Empty => {}
            Expr(e) => {
                self.tick("statements", "expression statement");
                self.value(*e);
            }
            Block(list) => list.iter().for_each(|&s| self.stmt(s)),
            If(c, a, b) => {
                self.tick("statements", if b.is_some() { "if-else" } else { "if" });
                self.value(*c);
                self.stmt(*a);
                b.iter().for_each(|&b| self.stmt(b));
            }
            While(c, body) => self.repeat("while", s, *body, |counter| counter.value(*c)),
            DoWhile(body, c) => self.repeat("do", s, *body, |counter| counter.value(*c)),
            For { init, cond, step, body } => self.repeat("for", s, *body, |counter| {
                init.iter().for_each(|&init| counter.first_clause(init));
                cond.iter().for_each(|&cond| counter.value(cond));
                let again = counter.ran(*body);
                counter.with(again, |counter| step.iter().for_each(|&step| counter.value(step)));
            }),
            Switch(e, body) => {
                self.tick("statements", "switch");
                self.value(*e);
                self.stmt(*body);
            }
            Case(_, _, s) => self.labelled("case", *s),
            Default(s) => self.labelled("default", *s),
            Break => self.tick("statements", "break"),
            Continue => self.tick("statements", "continue"),
            Goto(_) => self.tick("statements", "goto"),
            Label(_, s) => self.stmt(*s),
            Return(value) => {
                self.tick("statements", "return");
                value.iter().for_each(|&e| self.value(e));
            }
            Decl(items) => {
                self.tick("statements", "declaration");
                self.items(items);
            }
        }
    }

    /// A label is executed where its statement is reached, not where that is jumped into.
    fn labelled(&mut self, label: &str, s: StmtId) {
        let mut inner = s;
        while let StmtKind::Label(_, s) | StmtKind::Case(_, _, s) | StmtKind::Default(s) =
            self.program.stmt(inner).kind
        {
            inner = s;
        }
        let reached = self.profile.executed.contains(&inner);
        self.with(reached, |counter| counter.tick("statements", label));
        self.stmt(s);
    }

    /// The first clause of `for` does not count as a statement.
    fn first_clause(&mut self, init: StmtId) {
        match &self.program.stmt(init).kind {
            StmtKind::Expr(e) => self.value(*e),
            StmtKind::Decl(items) => self.items(items),
            _ => {}
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            if let Item::Var(v) = *item {
                let var = self.program.var(v);
                let fixed = var.storage == Storage::Static || var.scope == Scope::File;
                self.declared(if fixed { "static local" } else { "local" }, v);
                // A static variable is initialised before program start.
                if !fixed {
                    var.init.iter().for_each(|init| self.init(init));
                }
            }
        }
    }

    fn declared(&mut self, place: &str, v: VarId) {
        let program = self.program;
        let ty = program.var(v).ty;
        self.tick("declarations", &format!("{place} {}", object_kind(program, ty)));
        if program.types.resolved(ty).is_volatile() {
            self.tick("declarations", &format!("{place} volatile"));
        }
    }

    fn repeat(&mut self, kind: &str, s: StmtId, body: StmtId, head: impl FnOnce(&mut Self)) {
        self.depth += 1;
        self.tick("loops", kind);
        self.tick("loops", &format!("nesting depth {}", self.depth));
        if self.live {
            let count = |s| self.profile.counts.get(&s).copied().unwrap_or(0);
            let (entries, iterations) = (count(s), count(body));
            self.census.iterations += iterations;
            self.tick(ITERATIONS, bucket(iterations / entries.max(1)));
        }
        head(self);
        self.stmt(body);
        self.depth -= 1;
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::Expr(e) => {
                self.copied(*e);
                self.value(*e);
            }
            Init::List(items) => items.iter().for_each(|item| self.init(&item.init)),
        }
    }

    /// A record that is assigned, passed or used to initialise another.
    fn copied(&mut self, e: ExprId) {
        if self.program.types.as_record(self.ty(e)).is_some() {
            self.tick("records", "struct copy");
        }
    }

    fn value(&mut self, e: ExprId) {
        self.expr(e, AccessMode::Read);
    }

    fn expr(&mut self, e: ExprId, how: AccessMode) {
        use ExprKind::*;
        let program = self.program;
        let expr = program.expr(e);
        if program.is_lvalue(e) && expr.ty.is_volatile() {
            self.access(how, "volatile read", "volatile write", "values");
        }
        match &expr.kind {
            Int(_) => {
                self.tick("values", "integer constant");
                self.tick("values", &format!("constant {}", type_name(program, expr.ty)));
            }
            Float(_) | LongFloat { .. } => self.tick("values", "floating constant"),
            Str(_) => self.tick("values", "string literal"),
            Var(_) | Func(_) => {}
            EnumConst(..) => self.tick("values", "enum constant"),
            Unary(op, a) => self.unary(*op, *a),
            Binary(op, a, b) => {
                self.binary(binary(*op), expr.ty, *a, *b);
                self.value(*a);
                self.value(*b);
            }
            Assign(a, b) => {
                self.tick("assignments", "=");
                self.copied(*a);
                self.expr(*a, AccessMode::Write);
                self.value(*b);
            }
            AssignOp { op, lhs, rhs, comp } => {
                let name = assignment(*op);
                self.tick("assignments", name);
                self.typed(name, *comp);
                self.moves(*lhs);
                self.expr(*lhs, AccessMode::Update);
                self.value(*rhs);
            }
            Cond(c, a, b) => {
                self.tick("operators", "ternary");
                self.value(*c);
                a.iter().for_each(|&a| self.value(a));
                self.value(*b);
            }
            Cast(ty, a) => {
                self.tick("operators", "cast");
                self.tick("casts", &conversion(program, self.ty(*a), *ty));
                self.value(*a);
            }
            Implicit(a) => self.implicit(*a, expr.ty),
            Call(callee, args) => self.call(*callee, args),
            Index(..) => self.index(e),
            Member(a, field) => {
                self.member(self.ty(*a), *field, how);
                self.expr(
                    *a,
                    if program.is_lvalue(*a) { AccessMode::Locate } else { AccessMode::Read },
                );
            }
            Arrow(a, field) => {
                self.tick("records", "arrow");
                let to = program.types.pointee(self.ty(*a));
                self.member(to.unwrap_or(Ty::VOID), *field, how);
                self.value(*a);
            }
            SizeofExpr(_) | SizeofType(_) | AlignofType(_) => self.tick("operators", "sizeof"),
            CompoundLit(_, init) => {
                self.tick("records", "compound literal");
                self.init(init);
            }
            StmtExpr(s) => {
                self.tick("statements", "statement expression");
                self.stmt(*s);
            }
            VaArg(a, _) => {
                self.tick("functions", "va_arg");
                self.value(*a);
            }
        }
    }

    fn access(&mut self, how: AccessMode, read: &str, write: &str, group: &'static str) {
        if matches!(how, AccessMode::Read | AccessMode::Update) {
            self.tick(group, read);
        }
        if matches!(how, AccessMode::Write | AccessMode::Update) {
            self.tick(group, write);
        }
    }

    /// An operator with the type it works in.
    fn typed(&mut self, op: &str, ty: Ty) {
        let program = self.program;
        self.tick("operators by type", &format!("{op} {}", type_name(program, ty)));
        if program.types.float_kind(ty).is_some() {
            self.tick("operators", "floating operator");
        }
        if matches!(program.types.shape(ty), TypeKind::Vector(..)) {
            self.tick("operators", "vector operator");
        }
    }

    /// An update of a pointer is arithmetic on it.
    fn moves(&mut self, lvalue: ExprId) {
        if self.program.types.is_pointer(self.ty(lvalue)) {
            self.tick("pointers", "pointer arithmetic");
        }
    }

    fn unary(&mut self, op: UnOp, a: ExprId) {
        match op {
            UnOp::Deref => {
                self.tick("pointers", "dereference");
                self.value(a);
            }
            UnOp::AddrOf => {
                self.tick("pointers", "address-of");
                self.expr(a, AccessMode::Locate);
            }
            UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec => {
                self.tick("assignments", unary(op));
                self.typed(unary(op), self.ty(a));
                self.moves(a);
                self.expr(a, AccessMode::Update);
            }
            UnOp::Plus | UnOp::Neg | UnOp::BitNot | UnOp::LogNot => {
                self.tick("operators", unary(op));
                self.typed(unary(op), self.ty(a));
                self.value(a);
            }
        }
    }

    fn binary(&mut self, op: &str, ty: Ty, a: ExprId, b: ExprId) {
        self.tick("operators", op);
        if op == "comma" {
            return;
        }
        // A comparison's result is `int` whatever it compares.
        self.typed(op, self.ty(a));
        let types = &self.program.types;
        let feature = match (types.is_pointer(self.ty(a)), types.is_pointer(self.ty(b))) {
            _ if types.is_pointer(ty) => "pointer arithmetic",
            (true, true) if op == "-" => "pointer difference",
            (true, _) | (_, true) if !matches!(op, "&&" | "||") => "pointer comparison",
            _ => return,
        };
        self.tick("pointers", feature);
    }

    fn implicit(&mut self, a: ExprId, to: Ty) {
        let program = self.program;
        let from = self.ty(a);
        match program.types.shape(from) {
            TypeKind::Function(_) => self.expr(a, AccessMode::Locate),
            // An array, or a vector whose lanes are wanted.
            TypeKind::Array(..) | TypeKind::Vector(..) if program.types.is_pointer(to) => {
                self.expr(a, AccessMode::Locate);
            }
            _ => {
                self.tick("implicit conversions", &conversion(program, from, to));
                self.value(a);
            }
        }
    }

    fn call(&mut self, callee: ExprId, args: &[ExprId]) {
        let feature = match self.callee(callee) {
            None => "call through a pointer",
            Some(f) => match self.definition(f) {
                None => "library call",
                Some(f) => {
                    self.calls.entry(self.caller).or_default().insert(f);
                    "call"
                }
            },
        };
        self.tick("functions", feature);
        self.value(callee);
        for &arg in args {
            self.copied(arg);
            self.value(arg);
        }
    }

    fn callee(&self, e: ExprId) -> Option<FuncId> {
        match self.program.expr(e).kind {
            ExprKind::Func(f) => Some(f),
            ExprKind::Implicit(e) => self.callee(e),
            _ => None,
        }
    }

    fn definition(&self, f: FuncId) -> Option<FuncId> {
        let func = self.program.func(f);
        if func.body.is_some() { Some(f) } else { self.defined.get(&func.name).copied() }
    }

    fn member(&mut self, record: Ty, field: u32, how: AccessMode) {
        let types = &self.program.types;
        let Some(record) = types.as_record(record).map(|id| &types.records[id.index()]) else {
            return;
        };
        self.tick(
            "records",
            match record.kind {
                RecordKind::Struct => "struct member",
                RecordKind::Union => "union member",
            },
        );
        if record.fields.get(field as usize).is_some_and(|f| f.bits.is_some()) {
            self.access(how, "bit-field read", "bit-field write", "records");
        }
    }

    /// `a[i][j]…` is one access of as many dimensions as it has subscripts.
    fn index(&mut self, e: ExprId) {
        let program = self.program;
        let (mut base, mut dimensions, mut constant) = (e, 0, true);
        let what = loop {
            let ExprKind::Index(pointer, index) = program.expr(base).kind else { break "array" };
            constant &= self.is_constant(index);
            self.value(index);
            dimensions += 1;
            base = match program.expr(pointer).kind {
                ExprKind::Implicit(inner) => inner,
                _ => pointer,
            };
            match program.types.shape(self.ty(base)) {
                TypeKind::Array(..) => {}
                TypeKind::Vector(..) => break "vector",
                _ => break "pointer",
            }
        };
        let kind = if constant { "constant" } else { "variable" };
        match what {
            "array" => {
                self.tick("arrays", &format!("{dimensions}-d array, {kind} index"));
                self.expr(base, AccessMode::Locate);
            }
            "vector" => {
                self.tick("arrays", &format!("vector lane, {kind} index"));
                self.expr(base, AccessMode::Locate);
            }
            _ => {
                self.tick("pointers", "pointer subscript");
                self.value(base);
            }
        }
    }

    fn is_constant(&self, e: ExprId) -> bool {
        match self.program.expr(e).kind {
            ExprKind::Int(_) | ExprKind::EnumConst(..) => true,
            ExprKind::Implicit(e) | ExprKind::Cast(_, e) | ExprKind::Unary(UnOp::Neg, e) => {
                self.is_constant(e)
            }
            _ => false,
        }
    }
}

/// Loops by how often their body runs each time they are entered.
fn bucket(iterations: u64) -> &'static str {
    match iterations {
        0 => "0",
        1 => "1",
        2..=9 => "2 to 9",
        10..=99 => "10 to 99",
        100..=999 => "100 to 999",
        _ => "1000 and more",
    }
}
