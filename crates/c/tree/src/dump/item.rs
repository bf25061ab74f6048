//! Dump of declarations and statements.

use super::{Dumper, record_word};
use crate::ids::{EnumId, ExprId, FuncId, RecordId, StmtId, VarId};
use crate::program::Item;
use crate::stmt::StmtKind;
use crate::types::TypeKind;

impl Dumper<'_> {
    /// One declaration.
    pub(super) fn item(&mut self, item: &Item) {
        let program = self.program;
        match *item {
            Item::RecordDecl(id) => {
                let (ordinal, _) = self.records.get(id.index());
                let def = &program.types.records[id.index()];
                self.push("(declare ");
                self.push(record_word(def.kind));
                self.push_name(def.tag, ordinal);
                self.push(")");
            }
            Item::Record(id) => self.record(id),
            Item::Enum(id) => self.enumeration(id),
            Item::Typedef(id) => {
                let (ordinal, _) = self.typedefs.get(id.index());
                let def = &program.types.typedefs[id.index()];
                self.push("(typedef ");
                self.push_name(Some(def.name), ordinal);
                self.push(" ");
                self.ty(def.ty);
                self.align(def.align);
                self.push(")");
            }
            Item::Var(id) => {
                self.push("(define ");
                self.var(id);
                if let Some(init) = &program.var(id).init {
                    self.push(" = ");
                    self.init(init);
                }
                self.push(")");
            }
            Item::VarDecl(id) => {
                self.push("(declare ");
                self.var(id);
                self.push(")");
            }
            Item::FuncDecl(id) => {
                self.push("(declare ");
                self.func(id);
                self.push(")");
            }
            Item::Func(id) => {
                self.push("(define ");
                self.func(id);
                for &param in &program.func(id).params {
                    self.push(" ");
                    self.var(param);
                }
                if let Some(body) = program.func(id).body {
                    self.child(body);
                }
                self.push(")");
            }
        }
    }

    fn align(&mut self, align: Option<u32>) {
        if let Some(n) = align {
            self.push_fmt(format_args!(" aligned {n}"));
        }
    }

    fn record(&mut self, id: RecordId) {
        let (ordinal, _) = self.records.get(id.index());
        let def = &self.program.types.records[id.index()];
        self.push("(");
        self.push(record_word(def.kind));
        self.push_name(def.tag, ordinal);
        self.push_fmt(format_args!(" size {} align {}", def.size, def.align));
        self.push(if def.complete { "" } else { " incomplete" });
        self.push(if def.packed { " packed" } else { "" });
        self.align(def.min_align);
        self.indent += 1;
        for field in &def.fields {
            self.line();
            let name = field.name.map_or("", |name| self.program.name(name));
            self.push_fmt(format_args!("({name} @{}.{} ", field.offset, field.bit));
            self.ty(field.ty);
            if let Some(bits) = field.bits {
                self.push_fmt(format_args!(" : {bits}"));
            }
            self.push(if field.packed { " packed" } else { "" });
            self.align(field.align);
            // The type of an anonymous member is not declared by an item.
            if let TypeKind::Record(inner) = *self.program.types.kind(field.ty)
                && self.program.types.records[inner.index()].tag.is_none()
            {
                self.push(" ");
                self.record(inner);
            }
            self.push(")");
        }
        self.indent -= 1;
        self.push(")");
    }

    fn enumeration(&mut self, id: EnumId) {
        let (ordinal, _) = self.enums.get(id.index());
        let def = &self.program.types.enums[id.index()];
        self.push("(enum ");
        self.push_name(def.tag, ordinal);
        self.push_fmt(format_args!(" {:?}", def.int));
        self.push(if def.packed { " packed" } else { "" });
        for member in &def.members {
            let name = self.program.name(member.name);
            self.push_fmt(format_args!(" ({name} {} ", member.value));
            self.ty(member.ty);
            self.push(")");
        }
        self.push(")");
    }

    /// A variable by name and ordinal; at its first mention with all its properties.
    pub(super) fn var(&mut self, id: VarId) {
        let (ordinal, new) = self.vars.get(id.index());
        let var = self.program.var(id);
        self.push_name(Some(var.name), ordinal);
        if new {
            let (storage, scope) = (var.storage, var.scope);
            self.push_fmt(format_args!("<{storage:?} {scope:?}"));
            self.push(if var.defined { " defined " } else { " " });
            self.ty(var.ty);
            self.align(var.align);
            self.push(">");
        }
    }

    /// A function by name and ordinal; at its first mention with all its properties but the definition.
    pub(super) fn func(&mut self, id: FuncId) {
        let (ordinal, new) = self.funcs.get(id.index());
        let func = self.program.func(id);
        self.push_name(Some(func.name), ordinal);
        if new {
            self.push_fmt(format_args!("<{:?}", func.storage));
            self.push(if func.inline { " inline" } else { "" });
            self.push(if func.noreturn { " noreturn" } else { "" });
            self.push(if func.old_style { " old-style" } else { "" });
            self.push(if func.body.is_some() { " defined " } else { " " });
            self.ty(func.ty);
            self.push(">");
        }
    }

    fn child(&mut self, id: StmtId) {
        self.indent += 1;
        self.line();
        self.stmt(id);
        self.indent -= 1;
    }

    /// One statement.
    pub(super) fn stmt(&mut self, id: StmtId) {
        let program = self.program;
        match &program.stmt(id).kind {
            StmtKind::Empty => self.push("(empty"),
            StmtKind::Expr(expr) => self.head("expr", Some(*expr), &[]),
            StmtKind::Block(stmts) => self.head("block", None, stmts),
            StmtKind::If(cond, then, None) => self.head("if", Some(*cond), &[*then]),
            StmtKind::If(cond, then, Some(other)) => {
                self.head("if-else", Some(*cond), &[*then, *other]);
            }
            StmtKind::While(cond, body) => self.head("while", Some(*cond), &[*body]),
            StmtKind::DoWhile(body, cond) => self.head("do", Some(*cond), &[*body]),
            StmtKind::For { init, cond, step, body } => {
                self.push("(for");
                match init {
                    Some(init) => self.child(*init),
                    None => self.push(" -"),
                }
                for part in [cond, step] {
                    self.push(" ");
                    match part {
                        Some(expr) => self.expr(*expr),
                        None => self.push("-"),
                    }
                }
                self.child(*body);
            }
            StmtKind::Switch(value, body) => self.head("switch", Some(*value), &[*body]),
            StmtKind::Case(low, high, inner) => {
                self.push_fmt(format_args!("(case {low} {high}"));
                self.child(*inner);
            }
            StmtKind::Default(inner) => self.head("default", None, &[*inner]),
            StmtKind::Break => self.push("(break"),
            StmtKind::Continue => self.push("(continue"),
            StmtKind::Goto(label) | StmtKind::Label(label, _) => {
                let kind = &program.stmt(id).kind;
                self.push(if matches!(kind, StmtKind::Goto(_)) { "(goto " } else { "(label " });
                let (ordinal, _) = self.labels.get(label.index());
                self.push_name(Some(program.labels[label.index()].name), ordinal);
                if let StmtKind::Label(_, inner) = kind {
                    self.child(*inner);
                }
            }
            StmtKind::Return(value) => self.head("return", *value, &[]),
            StmtKind::Decl(items) => {
                self.push("(decl");
                for item in items {
                    self.push(" ");
                    self.item(item);
                }
            }
        }
        self.push(")");
    }

    fn head(&mut self, word: &str, expr: Option<ExprId>, stmts: &[StmtId]) {
        self.push("(");
        self.push(word);
        if let Some(expr) = expr {
            self.push(" ");
            self.expr(expr);
        }
        for &stmt in stmts {
            self.child(stmt);
        }
    }
}
