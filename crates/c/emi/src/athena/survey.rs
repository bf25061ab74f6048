//! The requirements of a statement on the site it is transplanted to.

use ctree::map::{Child, for_each_child};
use ctree::{ExprId, ExprKind, FuncId, Init, Item, Program, RecordId, Scope, StmtId, StmtKind};
use ctree::{Storage, Ty, TypeKind, UnOp, VarId};

/// Most statements and expressions of a snippet: a variant should have many small ones.
const STMTS: usize = 20;
const EXPRS: usize = 250;
/// Most bytes of a variable that a snippet declares: the frame is allocated even if the code never
/// runs.
pub(super) const BYTES: u64 = 4096;

/// A variable that a snippet uses and does not declare.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeVar {
    pub var: VarId,
    /// Its address is taken.
    pub addressed: bool,
}

/// The requirements of a statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Requirements {
    /// In source order.
    pub free_vars: Vec<FreeVar>,
    /// Types that its text names, or that its variables have.
    pub types: Vec<Ty>,
    /// Records whose members it names.
    pub records: Vec<RecordId>,
    /// It has a `break`, a `continue` of an enclosing loop.
    pub breaks: bool,
    pub continues: bool,
    declared: Vec<VarId>,
    stmts: usize,
    exprs: usize,
}

impl Requirements {
    /// The requirements of a statement; `None` if it cannot be transplanted.
    pub fn of(program: &Program, s: StmtId) -> Option<Requirements> {
        let mut survey =
            Survey { program, needs: Requirements::default(), breaks: false, continues: false };
        survey.stmt(s)?;
        let mut needs = survey.needs;
        needs.free_vars.retain(|free_var| !needs.declared.contains(&free_var.var));
        Some(needs)
    }

    /// Whether it can be transplanted into another program: it needs no tagged type.
    pub fn is_portable(&self, program: &Program) -> bool {
        let free_vars = self.free_vars.iter().map(|free_var| program.var(free_var.var).ty);
        let mut types = self.types.iter().copied().chain(free_vars);
        self.records.is_empty() && types.all(|ty| is_portable(program, ty))
    }
}

/// Whether a type is made of numbers, pointers and arrays.
fn is_portable(program: &Program, ty: Ty) -> bool {
    match program.types.shape(ty) {
        TypeKind::Void | TypeKind::Int(_) | TypeKind::Float(_) => true,
        TypeKind::Pointer(to) => is_portable(program, *to),
        TypeKind::Array(elem, ctree::ArrayLen::Known(_)) => is_portable(program, *elem),
        _ => false,
    }
}

struct Survey<'a> {
    program: &'a Program,
    needs: Requirements,
    /// A `break`, a `continue` here belongs to a loop of the snippet.
    breaks: bool,
    continues: bool,
}

impl Survey<'_> {
    fn stmt(&mut self, s: StmtId) -> Option<()> {
        let program = self.program;
        self.needs.stmts += 1;
        if self.needs.stmts > STMTS {
            return None;
        }
        match &program.stmt(s).kind {
            StmtKind::Empty => {}
            StmtKind::Break => self.needs.breaks |= !self.breaks,
            StmtKind::Continue => self.needs.continues |= !self.continues,
            StmtKind::Goto(_) | StmtKind::Label(..) => return None,
            StmtKind::Expr(e) => self.expr(*e)?,
            StmtKind::Block(list) => list.iter().try_for_each(|&s| self.stmt(s))?,
            StmtKind::If(c, then, other) => {
                self.expr(*c)?;
                self.stmt(*then)?;
                other.iter().try_for_each(|&s| self.stmt(s))?;
            }
            StmtKind::While(c, body) | StmtKind::DoWhile(body, c) => {
                self.expr(*c)?;
                self.inside(*body, true)?;
            }
            StmtKind::For { init, cond, step, body } => {
                init.iter().try_for_each(|&s| self.stmt(s))?;
                cond.iter().chain(step).try_for_each(|&e| self.expr(e))?;
                self.inside(*body, true)?;
            }
            StmtKind::Switch(c, body) => {
                self.expr(*c)?;
                self.switch(*body)?;
            }
            // A label outside of a switch belongs to an enclosing one.
            StmtKind::Case(..) | StmtKind::Default(_) => return None,
            StmtKind::Return(e) => e.iter().try_for_each(|&e| self.expr(e))?,
            StmtKind::Decl(items) => items.iter().try_for_each(|item| self.item(item))?,
        }
        Some(())
    }

    fn inside(&mut self, body: StmtId, is_loop: bool) -> Option<()> {
        let outside = (self.breaks, self.continues);
        (self.breaks, self.continues) = (true, self.continues || is_loop);
        let fits = self.stmt(body);
        (self.breaks, self.continues) = outside;
        fits
    }

    /// The labels of a `switch` must be directly in its block.
    fn switch(&mut self, body: StmtId) -> Option<()> {
        let StmtKind::Block(list) = &self.program.stmt(body).kind else { return None };
        for &s in list {
            let mut s = s;
            while let StmtKind::Case(_, _, inner) | StmtKind::Default(inner) =
                self.program.stmt(s).kind
            {
                s = inner;
            }
            self.inside(s, false)?;
        }
        Some(())
    }

    fn item(&mut self, item: &Item) -> Option<()> {
        match *item {
            Item::Var(v) => {
                let var = self.program.var(v);
                let size = self.program.types.size_of(var.ty)?;
                let is_local = var.scope == Scope::Block && var.storage != Storage::Extern;
                if !is_local || size > BYTES {
                    return None;
                }
                self.needs.declared.push(v);
                self.needs.types.push(var.ty);
                var.init.iter().try_for_each(|init| self.init(init))
            }
            // Uses of a typedef name are resolved.
            Item::Typedef(_) => Some(()),
            _ => None,
        }
    }

    fn init(&mut self, init: &Init) -> Option<()> {
        match init {
            Init::Expr(e) => self.expr(*e),
            Init::List(items) => items.iter().try_for_each(|item| self.init(&item.init)),
        }
    }

    fn expr(&mut self, e: ExprId) -> Option<()> {
        let program = self.program;
        self.needs.exprs += 1;
        if self.needs.exprs > EXPRS {
            return None;
        }
        let kind = &program.expr(e).kind;
        match *kind {
            ExprKind::Var(v) => {
                self.free_var(v, program.types.as_array(program.expr(e).ty).is_some())
            }
            ExprKind::Unary(UnOp::AddrOf, mut of) => {
                while let ExprKind::Member(inner, _) = program.expr(of).kind {
                    of = inner;
                }
                if let ExprKind::Var(v) = program.expr(of).kind {
                    self.free_var(v, true);
                }
            }
            ExprKind::Call(f, ref args) if callee(program, f).is_some() => {
                return args.iter().try_for_each(|&arg| self.expr(arg));
            }
            ExprKind::Func(_) | ExprKind::VaArg(..) => return None,
            ExprKind::Cast(ty, _)
            | ExprKind::SizeofType(ty)
            | ExprKind::AlignofType(ty)
            | ExprKind::CompoundLit(ty, _) => self.needs.types.push(ty),
            ExprKind::Member(of, _) => self.member(program.expr(of).ty)?,
            ExprKind::Arrow(of, _) => self.member(program.types.pointee(program.expr(of).ty)?)?,
            _ => {}
        }
        match *program.types.shape(program.expr(e).ty) {
            // Compilers disagree on the operand types that are allowed.
            TypeKind::Vector(..) | TypeKind::VaList => return None,
            TypeKind::Record(id) => self.needs.records.push(id),
            _ => {}
        }
        let mut fits = Some(());
        for_each_child(kind, &mut |child| {
            let part = match child {
                Child::Expr(e) => self.expr(e),
                Child::Stmt(s) => self.stmt(s),
                Child::Init(init) => self.init(init),
            };
            fits = fits.and(part);
        });
        fits
    }

    fn member(&mut self, record: Ty) -> Option<()> {
        self.needs.records.push(self.program.types.as_record(record)?);
        Some(())
    }

    /// A variable that decays, or has a member that does, counts as having its address taken.
    fn free_var(&mut self, var: VarId, addressed: bool) {
        let addressed = addressed || !self.program.types.is_scalar(self.program.var(var).ty);
        match self.needs.free_vars.iter_mut().find(|free_var| free_var.var == var) {
            Some(free_var) => free_var.addressed |= addressed,
            None => self.needs.free_vars.push(FreeVar { var, addressed }),
        }
    }
}

/// The function that is called by name.
pub(super) fn callee(program: &Program, mut f: ExprId) -> Option<FuncId> {
    while let ExprKind::Implicit(inner) = program.expr(f).kind {
        f = inner;
    }
    match program.expr(f).kind {
        ExprKind::Func(f) => Some(f),
        _ => None,
    }
}
