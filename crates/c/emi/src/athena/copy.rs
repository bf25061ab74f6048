//! Copies of statements from one program into another.
//!
//! A call of a function that the other program does not have becomes an uninitialised variable, a
//! `return` returns a value of the new function's type. Declared variables get new names.

use std::collections::HashMap;

use ctree::{
    ExprId, ExprKind, FuncId, Init, InitItem, Item, Program, StmtId, StmtKind, Storage, StrId, Ty,
    TypeKind, VarId,
};

use super::survey::callee;
use crate::grow::fresh;

/// The destination of a copy.
pub(super) enum Destination<'a> {
    /// The database: functions are kept by name and type.
    Database,
    /// A site where these functions can be called, library functions only by their own name, in a
    /// function that returns `ret`.
    Site { funcs: &'a [FuncId], library: &'a [FuncId], ret: Ty },
}

/// Copies a statement from one program into another.
pub(super) struct TreeCopier<'a> {
    pub from: &'a Program,
    pub to: &'a mut Program,
    /// Types, variables and functions have the same ids in both.
    pub same: bool,
    pub into: Destination<'a>,
    /// The variables of the copy, by those of the original.
    pub vars: HashMap<VarId, VarId>,
    /// Declarations that the copy needs before it.
    pub decls: Vec<StmtId>,
}

/// The sizes of a program's arenas, to remove what is added later.
pub(super) struct ArenaMark([usize; 5]);

impl ArenaMark {
    pub fn of(program: &Program) -> ArenaMark {
        ArenaMark([
            program.exprs.len(),
            program.stmts.len(),
            program.vars.len(),
            program.strings.len(),
            program.funcs.len(),
        ])
    }

    /// Removes what was added since. Nothing else may refer to it.
    pub fn restore(&self, program: &mut Program) {
        program.exprs.truncate(self.0[0]);
        program.stmts.truncate(self.0[1]);
        program.vars.truncate(self.0[2]);
        program.strings.truncate(self.0[3]);
        program.funcs.truncate(self.0[4]);
    }
}

impl TreeCopier<'_> {
    /// A copy of a statement; `None` if it does not fit.
    pub fn stmt(&mut self, s: StmtId) -> Option<StmtId> {
        use StmtKind::*;
        let from = self.from;
        let kind = match &from.stmt(s).kind {
            Empty => Empty,
            Break => Break,
            Continue => Continue,
            Expr(e) => Expr(self.expr(*e)?),
            Block(list) => Block(list.iter().map(|&s| self.stmt(s)).collect::<Option<_>>()?),
            If(c, then, other) => {
                let (c, then) = (self.expr(*c)?, self.stmt(*then)?);
                If(c, then, self.stmt_if(*other)?)
            }
            While(c, body) => While(self.expr(*c)?, self.stmt(*body)?),
            DoWhile(body, c) => DoWhile(self.stmt(*body)?, self.expr(*c)?),
            For { init, cond, step, body } => {
                let init = self.stmt_if(*init)?;
                let (cond, step) = (self.expr_if(*cond)?, self.expr_if(*step)?);
                For { init, cond, step, body: self.stmt(*body)? }
            }
            Switch(e, body) => Switch(self.expr(*e)?, self.stmt(*body)?),
            Case(low, high, s) => Case(*low, *high, self.stmt(*s)?),
            Default(s) => Default(self.stmt(*s)?),
            Return(e) => self.return_stmt(*e)?,
            Decl(items) => self.declaration(items)?,
            Goto(_) | Label(..) => return None,
        };
        Some(self.to.make_stmt(kind))
    }

    fn stmt_if(&mut self, s: Option<StmtId>) -> Option<Option<StmtId>> {
        s.map_or(Some(None), |s| self.stmt(s).map(Some))
    }

    fn expr_if(&mut self, e: Option<ExprId>) -> Option<Option<ExprId>> {
        e.map_or(Some(None), |e| self.expr(e).map(Some))
    }

    fn return_stmt(&mut self, value: Option<ExprId>) -> Option<StmtKind> {
        let value = self.expr_if(value)?;
        let Destination::Site { ret, .. } = self.into else { return Some(StmtKind::Return(value)) };
        if self.to.types.is_void(ret) {
            return Some(match value {
                Some(value) => StmtKind::Expr(value),
                None => StmtKind::Return(None),
            });
        }
        let mut value = value?;
        while let ExprKind::Implicit(inner) = self.to.expr(value).kind {
            value = inner;
        }
        let ty = self.to.expr(value).ty.unqual();
        let fits = ty == ret || self.to.types.is_arithmetic(ty) && self.to.types.is_arithmetic(ret);
        fits.then(|| StmtKind::Return(Some(self.to.convert(value, ret))))
    }

    fn declaration(&mut self, items: &[Item]) -> Option<StmtKind> {
        let mut copies = Vec::new();
        for item in items {
            // The copy does not use typedef names.
            let Item::Var(v) = *item else { continue };
            let copy = self.var(v)?;
            if let Some(init) = &self.from.var(v).init {
                self.to.vars[copy.index()].init = Some(self.init(init)?);
            }
            copies.push(Item::Var(copy));
        }
        Some(if copies.is_empty() { StmtKind::Empty } else { StmtKind::Decl(copies) })
    }

    /// A new variable like another.
    pub fn var(&mut self, v: VarId) -> Option<VarId> {
        let old = self.from.var(v);
        let ty = self.ty(old.ty)?;
        let copy = self.local(ty);
        // The initialiser of a static variable is constant, and free variables are not.
        let is_register = old.storage == Storage::Register;
        let storage = if is_register { Storage::Register } else { Storage::None };
        let var = &mut self.to.vars[copy.index()];
        (var.storage, var.align) = (storage, old.align);
        self.vars.insert(v, copy);
        Some(copy)
    }

    /// A new uninitialised variable.
    pub fn local(&mut self, ty: Ty) -> VarId {
        let name = fresh(self.to);
        self.to.add_var(&name, ty, ctree::Scope::Block)
    }

    /// Declares a new variable before the copy.
    pub fn declare(&mut self, var: VarId) {
        let decl = self.to.make_stmt(StmtKind::Decl(vec![Item::Var(var)]));
        self.decls.push(decl);
    }

    fn init(&mut self, init: &Init) -> Option<Init> {
        Some(match init {
            Init::Expr(e) => Init::Expr(self.expr(*e)?),
            Init::List(items) => {
                let mut copies = Vec::new();
                for item in items {
                    copies.push(InitItem { init: self.init(&item.init)?, ..item.clone() });
                }
                Init::List(copies)
            }
        })
    }

    fn expr(&mut self, e: ExprId) -> Option<ExprId> {
        use ExprKind::*;
        let from = self.from;
        let old = from.expr(e);
        let kind = match &old.kind {
            Int(_) | Float(_) | LongFloat { .. } => old.kind.clone(),
            Str(s) => {
                self.to.strings.push(from.strings[s.index()].clone());
                Str(StrId(self.to.strings.len() as u32 - 1))
            }
            Var(v) => {
                let var = *self.vars.get(v)?;
                return Some(self.to.var_ref(var));
            }
            EnumConst(id, member) => {
                // Its name may not be visible.
                let ty = self.ty(old.ty)?;
                let value = from.types.enums[id.index()].members[*member as usize].value;
                return Some(self.to.int_const(ty, i128::from(value)));
            }
            Unary(op, a) => Unary(*op, self.expr(*a)?),
            Binary(op, a, b) => Binary(*op, self.expr(*a)?, self.expr(*b)?),
            Assign(a, b) => Assign(self.expr(*a)?, self.expr(*b)?),
            AssignOp { op, lhs, rhs, comp } => {
                let (lhs, rhs) = (self.expr(*lhs)?, self.expr(*rhs)?);
                AssignOp { op: *op, lhs, rhs, comp: self.ty(*comp)? }
            }
            Cond(c, a, b) => Cond(self.expr(*c)?, self.expr_if(*a)?, self.expr(*b)?),
            Cast(ty, a) => Cast(self.ty(*ty)?, self.expr(*a)?),
            Implicit(a) => Implicit(self.expr(*a)?),
            Call(f, args) => return self.call(e, *f, args),
            Index(a, b) => Index(self.expr(*a)?, self.expr(*b)?),
            Member(a, field) => Member(self.expr(*a)?, *field),
            Arrow(a, field) => Arrow(self.expr(*a)?, *field),
            SizeofExpr(a) => SizeofExpr(self.expr(*a)?),
            SizeofType(ty) => SizeofType(self.ty(*ty)?),
            AlignofType(ty) => AlignofType(self.ty(*ty)?),
            CompoundLit(ty, init) => CompoundLit(self.ty(*ty)?, Box::new(self.init(init)?)),
            StmtExpr(block) => StmtExpr(self.stmt(*block)?),
            Func(_) | VaArg(..) => return None,
        };
        let ty = self.ty(old.ty)?;
        Some(self.to.add_expr(kind, ty, ctree::Span::NONE))
    }

    fn call(&mut self, e: ExprId, f: ExprId, args: &[ExprId]) -> Option<ExprId> {
        let from = self.from;
        let Some(func) = callee(from, f) else {
            // Through a pointer, whose type says what it takes.
            let f = self.expr(f)?;
            let args: Option<Vec<_>> = args.iter().map(|&arg| self.expr(arg)).collect();
            return Some(self.to.call(f, &args?));
        };
        if let Some(func) = self.func(func) {
            let args: Option<Vec<_>> = args.iter().map(|&arg| self.expr(arg)).collect();
            return Some(self.to.call_func(func, &args?));
        }
        let ty = self.ty(from.expr(e).ty)?;
        if self.to.types.is_void(ty) {
            let zero = self.to.int_const(Ty::INT, 0);
            return Some(self.to.cast(Ty::VOID, zero));
        }
        let local = self.local(ty);
        self.declare(local);
        Some(self.to.var_ref(local))
    }

    /// The function to call: the same, else one of the same type.
    fn func(&mut self, func: FuncId) -> Option<FuncId> {
        let old = self.from.func(func);
        let name = self.from.name(old.name);
        let ty = self.ty(old.ty)?;
        let (funcs, library): (Vec<FuncId>, &[FuncId]) = match self.into {
            Destination::Site { funcs, .. } if self.same && funcs.contains(&func) => {
                return Some(func);
            }
            Destination::Site { funcs, library, .. } => (funcs.to_vec(), library),
            Destination::Database => ((0..self.to.funcs.len() as u32).map(FuncId).collect(), &[]),
        };
        let mut alike = None;
        for &f in funcs.iter().chain(library) {
            if self.to.types.canon(self.to.func(f).ty) == ty {
                if self.to.name(self.to.func(f).name) == name {
                    return Some(f);
                }
                alike = alike.or(Some(f).filter(|f| funcs.contains(f)));
            }
        }
        match self.into {
            Destination::Database => Some(self.to.add_func(name, ty)),
            Destination::Site { .. } => alike,
        }
    }

    /// A type in the other program, canonical.
    pub fn ty(&mut self, ty: Ty) -> Option<Ty> {
        if self.same {
            return Some(self.to.types.canon(ty));
        }
        let from = self.from;
        let quals = from.types.resolved(ty).quals();
        let ty = match from.types.shape(ty) {
            TypeKind::Void => Ty::VOID,
            TypeKind::Int(kind) => kind.ty(),
            TypeKind::Float(kind) => kind.ty(),
            TypeKind::Pointer(to) => {
                let to = self.ty(*to)?;
                self.to.types.pointer(to)
            }
            TypeKind::Array(elem, len) => {
                let elem = self.ty(*elem)?;
                self.to.types.intern(TypeKind::Array(elem, *len))
            }
            TypeKind::Function(f) if f.proto => {
                let params: Option<Vec<Ty>> = f.params.iter().map(|&ty| self.ty(ty)).collect();
                let ret = self.ty(f.ret)?;
                self.to.func_type(ret, &params?, f.variadic)
            }
            _ => return None,
        };
        Some(self.to.types.canon(ty.qualified(quals)))
    }
}
