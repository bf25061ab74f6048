//! A program: translation units over shared arenas.

use crate::expr::{Expr, ExprKind, Init};
use crate::ids::*;
use crate::source::{SourceMap, Span};
use crate::stmt::{Stmt, StmtKind};
use crate::symbol::{Interner, Sym};
use crate::target::DataModel;
use crate::types::{Ty, TypeTable};

/// Storage class of a variable, as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Storage {
    None,
    Static,
    Extern,
    Register,
}

/// Where a variable is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Scope {
    File,
    Block,
    Param,
}

/// A variable. All declarations of one file-scope variable in a unit share an entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Var {
    /// Its name.
    pub name: Sym,
    /// Its type as written; completed by the initialiser for `int a[] = …`.
    pub ty: Ty,
    /// Storage class; for a file-scope variable that of the defining declaration.
    pub storage: Storage,
    /// Where it is declared. A block-scope `extern` is `File` with a [`Item::VarDecl`] in the block.
    pub scope: Scope,
    /// Initialiser.
    pub init: Option<Init>,
    /// Alignment attribute, in bytes.
    pub align: Option<u32>,
    /// Defined here (a tentative definition counts), not only declared `extern`.
    pub defined: bool,
    /// Where its name is declared.
    pub span: Span,
}

/// Storage class of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum FuncStorage {
    None,
    Static,
    Extern,
}

/// A function. All declarations of it in one unit share an entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Func {
    /// Its name.
    pub name: Sym,
    /// Its function type, typedef names kept.
    pub ty: Ty,
    /// Storage class.
    pub storage: FuncStorage,
    /// Declared `inline`.
    pub inline: bool,
    /// Declared `_Noreturn` or with that attribute.
    pub noreturn: bool,
    /// Defined with an old-style (K&R) parameter list.
    pub old_style: bool,
    /// Parameters of the definition.
    pub params: Vec<VarId>,
    /// The body, a block; `None` for a declaration only.
    pub body: Option<StmtId>,
    /// Where its name is declared.
    pub span: Span,
}

/// A label of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// Its name.
    pub name: Sym,
}

/// Element width of a string literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrWidth {
    /// `"…"` and `u8"…"`
    Char,
    /// `L"…"`, 32 bits here.
    Wide,
}

/// A string literal: its bytes as stored, terminating zero included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrLit {
    /// Object representation.
    pub bytes: Vec<u8>,
    /// Element width.
    pub width: StrWidth,
}

/// A declaration at file or block scope.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// `struct S;`: declares the tag in this scope.
    RecordDecl(RecordId),
    /// `struct S { … };`
    Record(RecordId),
    /// `enum E { … };`
    Enum(EnumId),
    /// `typedef T name;`
    Typedef(TypedefId),
    /// A variable's definition, with its initialiser.
    Var(VarId),
    /// A further or mere declaration: `extern int x;`, or a tentative one before the definition.
    VarDecl(VarId),
    /// A function prototype.
    FuncDecl(FuncId),
    /// A function definition.
    Func(FuncId),
}

/// A translation unit: its items in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unit {
    /// Name of the file it came from.
    pub name: String,
    /// Declarations in order.
    pub items: Vec<Item>,
}

/// One or more translation units, over shared arenas.
#[derive(Clone, Debug)]
pub struct Program {
    /// Types and the target's data model.
    pub types: TypeTable,
    /// Identifiers.
    pub names: Interner,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// Variables.
    pub vars: Vec<Var>,
    /// Functions.
    pub funcs: Vec<Func>,
    /// Labels.
    pub labels: Vec<Label>,
    /// String literals.
    pub strings: Vec<StrLit>,
    /// Translation units.
    pub units: Vec<Unit>,
    /// The source text that spans refer to.
    pub source: SourceMap,
}

impl Program {
    /// An empty program for a target.
    pub fn new(model: DataModel) -> Program {
        Program {
            types: TypeTable::new(model),
            names: Interner::default(),
            exprs: Vec::new(),
            stmts: Vec::new(),
            vars: Vec::new(),
            funcs: Vec::new(),
            labels: Vec::new(),
            strings: Vec::new(),
            units: Vec::new(),
            source: SourceMap::default(),
        }
    }

    /// Adds an expression.
    #[inline]
    pub fn add_expr(&mut self, kind: ExprKind, ty: Ty, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, ty, span });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Adds a statement.
    #[inline]
    pub fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.stmts.push(Stmt { kind, span });
        StmtId(self.stmts.len() as u32 - 1)
    }

    /// An expression.
    #[inline]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// A statement.
    #[inline]
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }

    /// A variable.
    #[inline]
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.index()]
    }

    /// A function.
    #[inline]
    pub fn func(&self, id: FuncId) -> &Func {
        &self.funcs[id.index()]
    }

    /// The spelling of a symbol.
    #[inline]
    pub fn name(&self, sym: Sym) -> &str {
        self.names.name(sym)
    }

    /// Whether an expression designates an object (6.3.2.1); functions do not count.
    pub fn is_lvalue(&self, id: ExprId) -> bool {
        use crate::expr::UnOp;
        match self.expr(id).kind {
            ExprKind::Var(_)
            | ExprKind::Str(_)
            | ExprKind::Index(..)
            | ExprKind::Arrow(..)
            | ExprKind::CompoundLit(..) => true,
            ExprKind::Unary(UnOp::Deref, _) => self.types.as_function(self.expr(id).ty).is_none(),
            ExprKind::Member(of, _) => self.is_lvalue(of),
            _ => false,
        }
    }
}
