//! Statements and declarations.

use crate::expr::Init;
use crate::ids::{ExprId, FuncId, RecordId, StmtId, UnitId, VarId};
use crate::program::{Func, FuncStorage, Item, Program, Scope, Storage, Unit, Var};
use crate::source::Span;
use crate::stmt::StmtKind;
use crate::types::{Field, Record, RecordKind, Ty};

impl Program {
    /// A statement that came from no text.
    pub fn make_stmt(&mut self, kind: StmtKind) -> StmtId {
        self.add_stmt(kind, Span::NONE)
    }

    /// `e;`
    pub fn expr_stmt(&mut self, expr: ExprId) -> StmtId {
        self.make_stmt(StmtKind::Expr(expr))
    }

    /// `{ … }`
    pub fn block(&mut self, stmts: Vec<StmtId>) -> StmtId {
        self.make_stmt(StmtKind::Block(stmts))
    }

    /// A new variable, defined, without initialiser or storage class; it still needs an [`Item`].
    pub fn add_var(&mut self, name: &str, ty: Ty, scope: Scope) -> VarId {
        let name = self.names.intern(name);
        self.vars.push(Var {
            name,
            ty,
            storage: Storage::None,
            scope,
            init: None,
            align: None,
            defined: true,
            span: Span::NONE,
        });
        VarId(self.vars.len() as u32 - 1)
    }

    /// A new variable of a block and the statement that declares it.
    pub fn local(&mut self, name: &str, ty: Ty, init: Option<Init>) -> (VarId, StmtId) {
        let var = self.add_var(name, ty, Scope::Block);
        self.vars[var.index()].init = init;
        let decl = self.make_stmt(StmtKind::Decl(vec![Item::Var(var)]));
        (var, decl)
    }

    /// An initialiser from an expression, converted to the type it initialises.
    pub fn init_expr(&mut self, ty: Ty, value: ExprId) -> Init {
        Init::Expr(self.convert(value, ty))
    }

    /// A new struct or union, laid out; it still needs an [`Item`].
    pub fn add_record(
        &mut self,
        tag: &str,
        kind: RecordKind,
        fields: Vec<Field>,
        packed: bool,
    ) -> RecordId {
        let tag = Some(self.names.intern(tag));
        self.types.records.push(Record {
            tag,
            kind,
            fields,
            complete: false,
            packed,
            min_align: None,
            size: 0,
            align: 0,
        });
        let id = RecordId(self.types.records.len() as u32 - 1);
        self.types.complete_record(id);
        id
    }

    /// A new function without a body; it still needs an [`Item`].
    pub fn add_func(&mut self, name: &str, ty: Ty) -> FuncId {
        let name = self.names.intern(name);
        self.funcs.push(Func {
            name,
            ty,
            storage: FuncStorage::None,
            inline: false,
            noreturn: false,
            old_style: false,
            params: Vec::new(),
            body: None,
            span: Span::NONE,
        });
        FuncId(self.funcs.len() as u32 - 1)
    }

    /// A new, empty translation unit.
    pub fn add_unit(&mut self, name: &str) -> UnitId {
        self.units.push(Unit { name: name.to_string(), items: Vec::new() });
        UnitId(self.units.len() as u32 - 1)
    }
}
