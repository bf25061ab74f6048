//! The declarations that are visible before each statement, without hidden names.

use std::collections::HashSet;

use crate::map::{Child, for_each_child};
use crate::{ExprId, FuncId, Init, Item, Program, RecordId, StmtId, StmtKind, Sym, VarId};

/// What a declaration makes visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeclaredName {
    Var(VarId),
    Func(FuncId),
    /// A typedef name or an enumeration constant: it hides a variable of the same name.
    Other(Sym),
    /// A record is complete from here on.
    Record(RecordId),
}

/// The declarations visible before each statement of a program.
#[derive(Debug, Default)]
pub struct VisibleDecls {
    /// Declarations, each with the one before it that is visible along with it.
    chain: Vec<(Option<u32>, DeclaredName)>,
    /// By statement: the last declaration before it.
    at: Vec<Option<u32>>,
}

impl VisibleDecls {
    /// Collects the declarations of a program.
    pub fn of(program: &Program) -> VisibleDecls {
        let decls = VisibleDecls { chain: Vec::new(), at: vec![None; program.stmts.len()] };
        let mut builder = VisibilityBuilder { program, decls, head: None };
        for unit in &program.units {
            builder.head = None;
            unit.items.iter().for_each(|item| builder.item(item));
        }
        builder.decls
    }

    /// Variables that can be named before a statement, innermost first.
    pub fn vars(&self, program: &Program, s: StmtId) -> Vec<VarId> {
        let visible = self.visible(program, s).into_iter().filter_map(|declared| match declared {
            DeclaredName::Var(v) => Some(v),
            _ => None,
        });
        visible.collect()
    }

    /// Functions that can be called before a statement, the last declared first.
    pub fn funcs(&self, program: &Program, s: StmtId) -> Vec<FuncId> {
        let visible = self.visible(program, s).into_iter().filter_map(|declared| match declared {
            DeclaredName::Func(f) => Some(f),
            _ => None,
        });
        visible.collect()
    }

    /// Declarations of names that no later one hides.
    fn visible(&self, program: &Program, s: StmtId) -> Vec<DeclaredName> {
        // Headers declare hundreds of names: a table indexed by symbol is faster than a set.
        let mut hidden = vec![false; program.names.len()];
        let is_visible = |declared: &DeclaredName| {
            let name = match *declared {
                DeclaredName::Var(v) => program.var(v).name,
                DeclaredName::Func(f) => program.func(f).name,
                DeclaredName::Other(name) => name,
                DeclaredName::Record(_) => return false,
            };
            !std::mem::replace(&mut hidden[name.0 as usize], true)
        };
        self.before(s).filter(is_visible).collect()
    }

    /// Records whose members are known before a statement. Records without a tag are
    /// nested in others and are not listed.
    pub fn records(&self, s: StmtId) -> HashSet<RecordId> {
        let records = self.before(s).filter_map(|declared| match declared {
            DeclaredName::Record(id) => Some(id),
            _ => None,
        });
        records.collect()
    }

    fn before(&self, s: StmtId) -> impl Iterator<Item = DeclaredName> + '_ {
        let mut head = self.at.get(s.index()).copied().flatten();
        std::iter::from_fn(move || {
            let (before, declared) = self.chain[head? as usize];
            head = before;
            Some(declared)
        })
    }
}

struct VisibilityBuilder<'a> {
    program: &'a Program,
    decls: VisibleDecls,
    head: Option<u32>,
}

impl VisibilityBuilder<'_> {
    fn declare(&mut self, declared: DeclaredName) {
        self.decls.chain.push((self.head, declared));
        self.head = Some(self.decls.chain.len() as u32 - 1);
    }

    fn item(&mut self, item: &Item) {
        let program = self.program;
        match *item {
            Item::RecordDecl(_) => {}
            Item::Record(id) => self.declare(DeclaredName::Record(id)),
            Item::Enum(id) => {
                for member in &program.types.enums[id.index()].members {
                    self.declare(DeclaredName::Other(member.name));
                }
            }
            Item::Typedef(id) => {
                self.declare(DeclaredName::Other(program.types.typedefs[id.index()].name));
            }
            Item::VarDecl(v) => self.declare(DeclaredName::Var(v)),
            Item::Var(v) => {
                self.declare(DeclaredName::Var(v));
                if let Some(init) = &program.var(v).init {
                    self.init(init);
                }
            }
            Item::FuncDecl(f) => self.declare(DeclaredName::Func(f)),
            Item::Func(f) => {
                self.declare(DeclaredName::Func(f));
                let func = program.func(f);
                let outside = self.head;
                func.params.iter().for_each(|&v| self.declare(DeclaredName::Var(v)));
                func.body.iter().for_each(|&s| self.stmt(s));
                self.head = outside;
            }
        }
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::Expr(e) => self.expr(*e),
            Init::List(items) => items.iter().for_each(|item| self.init(&item.init)),
        }
    }

    fn stmt(&mut self, id: StmtId) {
        let program = self.program;
        self.decls.at[id.index()] = self.head;
        let outside = self.head;
        match &program.stmt(id).kind {
            StmtKind::Empty | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {}
            StmtKind::Expr(e) => self.expr(*e),
            StmtKind::Block(list) => list.iter().for_each(|&s| self.stmt(s)),
            StmtKind::If(c, then, other) => {
                self.expr(*c);
                self.stmt(*then);
                other.iter().for_each(|&s| self.stmt(s));
            }
            StmtKind::While(c, body) | StmtKind::Switch(c, body) | StmtKind::DoWhile(body, c) => {
                self.expr(*c);
                self.stmt(*body);
            }
            StmtKind::For { init, cond, step, body } => {
                init.iter().for_each(|&s| self.stmt(s));
                cond.iter().chain(step).for_each(|&e| self.expr(e));
                self.stmt(*body);
            }
            StmtKind::Return(e) => e.iter().for_each(|&e| self.expr(e)),
            // What it declares stays visible in what follows, behind a label too.
            StmtKind::Decl(items) => return items.iter().for_each(|item| self.item(item)),
            StmtKind::Case(_, _, s) | StmtKind::Default(s) | StmtKind::Label(_, s) => {
                return self.stmt(*s);
            }
        }
        self.head = outside;
    }

    fn expr(&mut self, id: ExprId) {
        for_each_child(&self.program.expr(id).kind, &mut |child| match child {
            Child::Expr(e) => self.expr(e),
            Child::Stmt(s) => self.stmt(s),
            Child::Init(init) => self.init(init),
        });
    }
}
