//! Masks of objects: they are read, assigned and copied through pointers to volatile types.
//!
//! No tape is needed: a compiler has to do what is written, once and in order, and knows nothing of the value.

use ctree::{
    ArrayLen, BinOp, Expr, ExprId, ExprKind, Field, Item, Quals, RecordKind, StmtId, StmtKind, Ty,
    UnOp, VarId,
};

use crate::apply::Rewriter;
use crate::site::is_repeatable;

/// A structure with more members is copied at once.
const MEMBERS: usize = 64;

impl Rewriter<'_> {
    /// `mask(&object)`, which returns `*operand_0`.
    pub fn mask_read(&mut self, e: ExprId, items: &mut Vec<Item>) {
        let ty = self.plain(e);
        let Expr { kind, ty: own, span } = self.program.expr(e).clone();
        let object = self.program.add_expr(kind, own, span);
        let place = self.volatile_address(object, ty, Quals::CONST);
        let (name, params) = self.signature(&[self.program.expr(place).ty]);
        let operand = self.program.var_ref(params[0]);
        let value = self.program.deref(operand);
        let back = self.program.make_stmt(StmtKind::Return(Some(value)));
        let body = self.program.block(vec![back]);
        let func = self.function(&name, ty, params, body, items);
        let call = self.program.call_func(func, &[place]);
        self.replace(e, call);
    }

    /// `mask(&object, value)`, which assigns and returns the value.
    pub fn mask_store(&mut self, e: ExprId, items: &mut Vec<Item>) {
        let ty = self.plain(e);
        // An operator's mask has made a plain assignment of it.
        let (lhs, value) = match self.program.expr(e).kind {
            ExprKind::Assign(lhs, value) => (lhs, value),
            ExprKind::AssignOp { op, lhs, rhs, comp } => {
                let old = self.program.copy_expr(lhs);
                let old = self.program.convert(old, comp);
                (lhs, self.program.binary(op, old, rhs))
            }
            ExprKind::Unary(op, lhs) => {
                let op = match op {
                    UnOp::PreInc | UnOp::PostInc => BinOp::Add,
                    UnOp::PreDec | UnOp::PostDec => BinOp::Sub,
                    UnOp::Plus
                    | UnOp::Neg
                    | UnOp::BitNot
                    | UnOp::LogNot
                    | UnOp::Deref
                    | UnOp::AddrOf => return,
                };
                let (old, one) = (self.program.copy_expr(lhs), self.program.int_const(Ty::INT, 1));
                (lhs, self.program.binary(op, old, one))
            }
            _ => return,
        };
        let value = self.program.convert(value, ty);
        let place = self.volatile_address(lhs, ty, Quals::NONE);
        let (name, params) = self.signature(&[self.program.expr(place).ty, ty]);
        let operand = self.program.var_ref(params[0]);
        let (object, stored) = (self.program.deref(operand), self.program.var_ref(params[1]));
        let assigned = self.program.assign(object, stored);
        let assigned = self.program.expr_stmt(assigned);
        let stored = self.program.var_ref(params[1]);
        let back = self.program.make_stmt(StmtKind::Return(Some(stored)));
        let body = self.program.block(vec![assigned, back]);
        let func = self.function(&name, ty, params, body, items);
        let call = self.program.call_func(func, &[place, value]);
        self.replace(e, call);
    }

    /// Member by member: `(*(volatile T *)&to).first = (*(const volatile T *)&from).first, …`. The bytes cannot be
    /// copied: some are padding.
    pub fn mask_copy(&mut self, e: ExprId, to: ExprId, from: ExprId) {
        let record = self.program.expr(to).ty.unqual();
        let is_repeatable = is_repeatable(&self.program, to) && is_repeatable(&self.program, from);
        let to = self.volatile_address(to, record, Quals::NONE);
        let from = self.volatile_address(from, record, Quals::CONST);
        let [to, from] = [to, from].map(|place| self.program.deref(place));
        let mut copies = Vec::new();
        if is_repeatable {
            self.copy_members(to, from, &mut copies);
        }
        if !(1..=MEMBERS).contains(&copies.len()) {
            copies = vec![self.program.assign(to, from)];
        }
        let both = |a, b| self.program.binary(BinOp::Comma, a, b);
        let Some(all) = copies.into_iter().reduce(both) else { return };
        self.program.exprs[e.index()] = self.program.expr(all).clone();
        self.count += 1;
    }

    /// `T to; copy;` in the place of `T to = from;`
    pub fn mask_init(&mut self, block: StmtId, decl: StmtId, var: VarId, from: ExprId) {
        let to = self.program.var_ref(var);
        let assigned = self.program.assign(to, from);
        self.mask_copy(assigned, to, from);
        self.program.vars[var.index()].init = None;
        let copy = self.program.expr_stmt(assigned);
        if let StmtKind::Block(list) = &mut self.program.stmts[block.index()].kind
            && let Some(at) = list.iter().position(|s| *s == decl)
        {
            list.insert(at + 1, copy);
        }
    }

    /// An assignment for each part of an object that is no structure and no array.
    fn copy_members(&mut self, to: ExprId, from: ExprId, copies: &mut Vec<ExprId>) {
        let ty = self.program.expr(to).ty;
        let program = &mut self.program;
        if copies.len() > MEMBERS {
            return;
        }
        let parts: Vec<[ExprId; 2]> =
            match (program.types.as_record(ty), program.types.as_array(ty)) {
                (Some(record), _)
                    if program.types.records[record.index()].kind == RecordKind::Struct =>
                {
                    let fields = &program.types.records[record.index()].fields;
                    // Unnamed bit-fields are padding.
                    let is_member = |field: &Field| field.name.is_some() || field.bits.is_none();
                    let fields: Vec<u32> = (0u32..)
                        .zip(fields)
                        .filter(|(_, f)| is_member(f))
                        .map(|(n, _)| n)
                        .collect();
                    let copy = |field| {
                        [to, from].map(|e| {
                            let e = program.copy_expr(e);
                            program.member(e, field)
                        })
                    };
                    fields.into_iter().map(copy).collect()
                }
                (_, Some((_, ArrayLen::Known(length)))) => {
                    let copy = |n: u64| {
                        [to, from].map(|e| {
                            let (e, n) =
                                (program.copy_expr(e), program.int_const(Ty::INT, n.into()));
                            program.index(e, n)
                        })
                    };
                    (0..length.min(MEMBERS as u64 + 1)).map(copy).collect()
                }
                _ => {
                    copies.push(program.assign(to, from));
                    return;
                }
            };
        for [to, from] in parts {
            self.copy_members(to, from, copies);
        }
    }

    /// `(volatile ty *)&object`
    fn volatile_address(&mut self, object: ExprId, ty: Ty, more: Quals) -> ExprId {
        let pointer = self.program.types.pointer(ty.qualified(Quals::VOLATILE).qualified(more));
        let place = self.program.addr_of(object);
        self.program.cast(pointer, place)
    }
}
