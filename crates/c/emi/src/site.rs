//! Sites: where code can be inserted, guarded or removed.

use std::collections::{HashMap, HashSet};

use ctree::library;
use ctree::map::{Child, for_each_child};
use ctree::scope::VisibleDecls;
use ctree::{ExprId, FuncId, FuncStorage, Init, Item, LabelId, Program, StmtId, StmtKind};

/// A statement that code can be inserted before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// The statement.
    pub stmt: StmtId,
    /// The function it is in.
    pub func: FuncId,
    /// It may be guarded or removed: it is not the value of a statement expression.
    pub free: bool,
    /// `break` is allowed here.
    pub breaks: bool,
    /// `continue` is allowed here.
    pub continues: bool,
}

/// All sites of a program, in source order, and what is visible there.
#[derive(Debug)]
pub(crate) struct Sites {
    pub list: Vec<Site>,
    /// Labels of each function that can be jumped to from anywhere in it.
    pub labels: HashMap<FuncId, Vec<LabelId>>,
    pub visible: VisibleDecls,
    /// By function: what a call of it executes.
    callees: Vec<CalleeKind>,
}

/// What a call of a function executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CalleeKind {
    /// A function with a body in the program.
    Defined,
    /// A known library function.
    Library,
    /// A function that may not be defined.
    Unknown,
}

impl Sites {
    /// The sites of functions whose definition is not in the header of a unit, its first `headers`
    /// declarations. Statements from number `known` on exist only in this variant and are not sites.
    pub fn of(program: &Program, headers: &[usize], known: usize) -> Sites {
        let sites = Sites {
            list: Vec::new(),
            labels: HashMap::new(),
            visible: VisibleDecls::of(program),
            callees: callees(program),
        };
        let mut walk =
            SiteCollector { program, known, sites, func: None, within: JumpTargets::default() };
        for (func, body) in own_funcs(program, headers) {
            walk.func = Some(func);
            walk.within = JumpTargets::default();
            walk.stmt(body, false);
        }
        walk.sites
    }

    /// What a call of a function executes.
    pub fn callee(&self, f: FuncId) -> CalleeKind {
        self.callees.get(f.index()).copied().unwrap_or(CalleeKind::Unknown)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct JumpTargets {
    breaks: bool,
    continues: bool,
    stmt_expr: bool,
}

struct SiteCollector<'a> {
    program: &'a Program,
    known: usize,
    sites: Sites,
    func: Option<FuncId>,
    within: JumpTargets,
}

impl SiteCollector<'_> {
    /// `site` is false where nothing can be inserted before a statement: a function's body, the first
    /// clause of a `for`.
    fn stmt(&mut self, id: StmtId, site: bool) {
        self.walk(id, site, true);
    }

    fn walk(&mut self, id: StmtId, site: bool, free: bool) {
        let program = self.program;
        let kind = &program.stmt(id).kind;
        let labelled =
            matches!(kind, StmtKind::Case(..) | StmtKind::Default(_) | StmtKind::Label(..));
        if let Some(func) = self.func
            && site
            && id.index() < self.known
            && !labelled
            && !matches!(kind, StmtKind::Decl(_))
        {
            let JumpTargets { breaks, continues, .. } = self.within;
            self.sites.list.push(Site { stmt: id, func, free, breaks, continues });
        }
        match kind {
            StmtKind::Empty | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {}
            StmtKind::Expr(e) => self.expr(*e),
            StmtKind::Block(list) => list.iter().for_each(|&s| self.stmt(s, true)),
            StmtKind::If(c, then, other) => {
                self.expr(*c);
                self.stmt(*then, true);
                other.iter().for_each(|&s| self.stmt(s, true));
            }
            StmtKind::While(c, body) | StmtKind::DoWhile(body, c) => {
                self.expr(*c);
                self.inside(*body, JumpTargets { breaks: true, continues: true, ..self.within });
            }
            StmtKind::For { init, cond, step, body } => {
                init.iter().for_each(|&s| self.stmt(s, false));
                cond.iter().chain(step).for_each(|&e| self.expr(e));
                self.inside(*body, JumpTargets { breaks: true, continues: true, ..self.within });
            }
            StmtKind::Switch(c, body) => {
                self.expr(*c);
                self.inside(*body, JumpTargets { breaks: true, ..self.within });
            }
            StmtKind::Label(label, s) => {
                if let Some(func) = self.func
                    && !self.within.stmt_expr
                {
                    self.sites.labels.entry(func).or_default().push(*label);
                }
                self.walk(*s, true, free);
            }
            StmtKind::Case(_, _, s) | StmtKind::Default(s) => self.walk(*s, true, free),
            StmtKind::Return(e) => e.iter().for_each(|&e| self.expr(e)),
            StmtKind::Decl(items) => items.iter().for_each(|item| self.item(item)),
        }
    }

    fn inside(&mut self, body: StmtId, within: JumpTargets) {
        let outside = std::mem::replace(&mut self.within, within);
        self.stmt(body, true);
        self.within = outside;
    }

    fn item(&mut self, item: &Item) {
        if let Item::Var(v) = *item
            && let Some(init) = &self.program.var(v).init
        {
            self.init(init);
        }
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::Expr(e) => self.expr(*e),
            Init::List(items) => items.iter().for_each(|item| self.init(&item.init)),
        }
    }

    fn expr(&mut self, e: ExprId) {
        let program = self.program;
        for_each_child(&program.expr(e).kind, &mut |child| match child {
            Child::Expr(e) => self.expr(e),
            Child::Init(init) => self.init(init),
            Child::Stmt(block) => {
                // C does not define jumps out of it.
                let within = JumpTargets { stmt_expr: true, ..JumpTargets::default() };
                let outside = std::mem::replace(&mut self.within, within);
                if let StmtKind::Block(list) = &program.stmt(block).kind {
                    for (n, &s) in list.iter().enumerate() {
                        self.walk(s, true, n + 1 < list.len());
                    }
                }
                self.within = outside;
            }
        });
    }
}

/// The functions of a program that are not of a header, with their bodies.
pub(crate) fn own_funcs(
    program: &Program,
    headers: &[usize],
) -> impl Iterator<Item = (FuncId, StmtId)> {
    let headers = headers.iter().copied().chain(std::iter::repeat(0));
    let items = program.units.iter().zip(headers).flat_map(|(unit, n)| unit.items.iter().skip(n));
    items.filter_map(|item| match *item {
        Item::Func(f) => Some((f, program.func(f).body?)),
        _ => None,
    })
}

fn callees(program: &Program) -> Vec<CalleeKind> {
    // One without a prototype, or `inline` without `static`, may not be defined.
    let shared = program
        .funcs
        .iter()
        .filter(|func| func.body.is_some() && !func.inline && func.storage != FuncStorage::Static);
    let shared: HashSet<_> = shared.map(|func| func.name).collect();
    let callee = |func: &ctree::Func| {
        let ty = program.types.as_function(func.ty);
        let plain = ty.is_some_and(|ty| ty.proto && !ty.variadic);
        let own = func.body.is_some() && func.storage == FuncStorage::Static;
        let name = program.name(func.name);
        if plain && name != "main" && (own || shared.contains(&func.name)) {
            CalleeKind::Defined
        } else if library::signature(name).is_some() {
            CalleeKind::Library
        } else {
            CalleeKind::Unknown
        }
    };
    program.funcs.iter().map(callee).collect()
}

/// The variables of a program whose address is taken, or that lie in memory otherwise.
pub(crate) fn exposed(program: &Program) -> HashSet<ctree::VarId> {
    use ctree::{ExprKind, Scope, Storage, UnOp};
    let mut found: HashSet<_> = (0..program.vars.len() as u32)
        .map(ctree::VarId)
        .filter(|&v| {
            let var = program.var(v);
            let shared = var.scope == Scope::File || var.storage == Storage::Static;
            shared || !program.types.is_scalar(var.ty)
        })
        .collect();
    for expr in &program.exprs {
        if let ExprKind::Unary(UnOp::AddrOf, mut of) = expr.kind {
            while let ExprKind::Member(inner, _) = program.expr(of).kind {
                of = inner;
            }
            if let ExprKind::Var(v) = program.expr(of).kind {
                found.insert(v);
            }
        }
    }
    found
}
