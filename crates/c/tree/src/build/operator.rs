//! Expressions from their operands (6.5).

use crate::expr::{BinOp, ExprKind, Init, UnOp};
use crate::ids::{EnumId, ExprId, FuncId, StmtId, VarId};
use crate::program::Program;
use crate::source::Span;
use crate::stmt::StmtKind;
use crate::types::{Ty, TypeKind};

impl Program {
    fn add_node(&mut self, kind: ExprKind, ty: Ty) -> ExprId {
        self.add_expr(kind, ty, Span::NONE)
    }

    /// A variable.
    pub fn var_ref(&mut self, var: VarId) -> ExprId {
        let ty = self.types.canon(self.vars[var.index()].ty);
        self.add_node(ExprKind::Var(var), ty)
    }

    /// A function designator.
    pub fn func_ref(&mut self, func: FuncId) -> ExprId {
        let ty = self.types.canon(self.funcs[func.index()].ty);
        self.add_node(ExprKind::Func(func), ty)
    }

    /// An enumeration constant.
    pub fn enum_ref(&mut self, id: EnumId, member: u32) -> ExprId {
        let ty = self.types.enums[id.index()].members[member as usize].ty;
        self.add_node(ExprKind::EnumConst(id, member), ty)
    }

    /// A unary operator; operands of `+`, `-` and `~` are promoted.
    pub fn unary(&mut self, op: UnOp, operand: ExprId) -> ExprId {
        match op {
            UnOp::Plus | UnOp::Neg | UnOp::BitNot => {
                let operand = self.promote(operand);
                let ty = self.expr(operand).ty.unqual();
                self.add_node(ExprKind::Unary(op, operand), ty)
            }
            UnOp::LogNot => {
                let operand = self.decay(operand);
                self.add_node(ExprKind::Unary(op, operand), Ty::INT)
            }
            UnOp::Deref => self.deref(operand),
            UnOp::AddrOf => self.addr_of(operand),
            UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec => {
                let ty = self.expr(operand).ty.unqual();
                self.add_node(ExprKind::Unary(op, operand), ty)
            }
        }
    }

    /// `*e`
    pub fn deref(&mut self, pointer: ExprId) -> ExprId {
        let pointer = self.decay(pointer);
        let to = self.types.pointee(self.expr(pointer).ty).unwrap_or(Ty::VOID);
        self.add_node(ExprKind::Unary(UnOp::Deref, pointer), to)
    }

    /// `&e`
    pub fn addr_of(&mut self, lvalue: ExprId) -> ExprId {
        let ty = self.types.pointer(self.expr(lvalue).ty);
        self.add_node(ExprKind::Unary(UnOp::AddrOf, lvalue), ty)
    }

    /// A binary operator with the usual arithmetic conversions; pointers in `+`, `-` and
    /// comparisons, null pointer constants in comparisons.
    pub fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let rhs = self.decay(rhs);
        if op == BinOp::Comma {
            // The left operand's value is not used, so it is not converted.
            let ty = self.expr(rhs).ty.unqual();
            return self.add_node(ExprKind::Binary(op, lhs, rhs), ty);
        }
        let lhs = self.decay(lhs);
        if let Some(operands) = self.types.vector_operands(op, self.expr(lhs).ty, self.expr(rhs).ty)
        {
            return self.vector_binary(op, lhs, rhs, operands);
        }
        match op {
            BinOp::LogAnd | BinOp::LogOr => self.add_node(ExprKind::Binary(op, lhs, rhs), Ty::INT),
            BinOp::Shl | BinOp::Shr => {
                let (lhs, rhs) = (self.promote(lhs), self.promote(rhs));
                let ty = self.expr(lhs).ty.unqual();
                self.add_node(ExprKind::Binary(op, lhs, rhs), ty)
            }
            _ => {
                let pointers = [lhs, rhs].map(|e| self.types.is_pointer(self.expr(e).ty));
                if pointers == [false, false] {
                    self.arithmetic(op, lhs, rhs)
                } else {
                    self.pointer_operation(op, lhs, rhs, pointers)
                }
            }
        }
    }

    fn arithmetic(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let common = self.common_type(lhs, rhs);
        let (lhs, rhs) = (self.convert(lhs, common), self.convert(rhs, common));
        let ty = if is_comparison(op) { Ty::INT } else { common };
        self.add_node(ExprKind::Binary(op, lhs, rhs), ty)
    }

    fn pointer_operation(
        &mut self,
        op: BinOp,
        lhs: ExprId,
        rhs: ExprId,
        pointers: [bool; 2],
    ) -> ExprId {
        let (left, right) = (self.expr(lhs).ty.unqual(), self.expr(rhs).ty.unqual());
        if is_comparison(op) {
            // A null pointer constant takes the type of the other side.
            let (lhs, rhs) = match pointers {
                [true, false] => (lhs, self.convert(rhs, left)),
                [false, true] => (self.convert(lhs, right), rhs),
                _ => (lhs, rhs),
            };
            return self.add_node(ExprKind::Binary(op, lhs, rhs), Ty::INT);
        }
        match pointers {
            [true, true] => {
                let ty = self.types.model.ptrdiff_type().ty();
                self.add_node(ExprKind::Binary(op, lhs, rhs), ty)
            }
            [true, false] => {
                let rhs = self.promote(rhs);
                self.add_node(ExprKind::Binary(op, lhs, rhs), left)
            }
            _ => {
                // `i + p` is normalised: the pointer comes first.
                let lhs = self.promote(lhs);
                self.add_node(ExprKind::Binary(op, rhs, lhs), right)
            }
        }
    }

    /// `lhs = rhs`
    pub fn assign(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let ty = self.expr(lhs).ty.unqual();
        let rhs = self.convert(rhs, ty);
        self.add_node(ExprKind::Assign(lhs, rhs), ty)
    }

    /// `lhs op= rhs`
    pub fn assign_op(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let ty = self.expr(lhs).ty.unqual();
        let rhs = self.decay(rhs);
        let (rhs, comp) =
            if let Some(operands) = self.types.vector_operands(op, ty, self.expr(rhs).ty) {
                (self.vector_right(rhs, operands), ty)
            } else if self.types.is_pointer(ty) {
                (self.promote(rhs), ty)
            } else if matches!(op, BinOp::Shl | BinOp::Shr) {
                let comp = self.common_type(lhs, lhs);
                (self.promote(rhs), comp)
            } else {
                let comp = self.common_type(lhs, rhs);
                (self.convert(rhs, comp), comp)
            };
        self.add_node(ExprKind::AssignOp { op, lhs, rhs, comp }, ty)
    }

    /// `c ? a : b`, or `c ?: b`; both alternatives arithmetic, or both of one type, or one a
    /// pointer and the other a null pointer constant.
    pub fn cond(&mut self, cond: ExprId, then: Option<ExprId>, other: ExprId) -> ExprId {
        let cond = self.decay(cond);
        let value = then.unwrap_or(cond);
        let (value, other) = (self.decay(value), self.decay(other));
        let (a, b) = (self.expr(value).ty.unqual(), self.expr(other).ty.unqual());
        let ty = if self.types.is_arithmetic(a) && self.types.is_arithmetic(b) {
            self.common_type(value, other)
        } else if self.types.is_void(a) || self.types.is_void(b) {
            return self.add_node(ExprKind::Cond(cond, then, other), Ty::VOID);
        } else if self.types.is_pointer(b) && self.types.is_integer(a) {
            b
        } else {
            a
        };
        let then = then.map(|_| self.convert(value, ty));
        let other = self.convert(other, ty);
        self.add_node(ExprKind::Cond(cond, then, other), ty)
    }

    /// `(T)e`
    pub fn cast(&mut self, ty: Ty, operand: ExprId) -> ExprId {
        let to = self.types.canon(ty).unqual();
        // A cast to void does not use the value.
        let operand = if self.types.is_void(to) { operand } else { self.decay(operand) };
        self.add_node(ExprKind::Cast(ty, operand), to)
    }

    /// A call: arguments converted to the parameters' types, the rest promoted.
    pub fn call(&mut self, callee: ExprId, args: &[ExprId]) -> ExprId {
        let callee = self.decay(callee);
        let to = self.types.pointee(self.expr(callee).ty).unwrap_or(Ty::VOID);
        let (ret, params) = match self.types.as_function(to) {
            Some(f) if f.proto => (f.ret, f.params.clone()),
            Some(f) => (f.ret, Box::default()),
            None => (Ty::VOID, Box::default()),
        };
        let args = args
            .iter()
            .enumerate()
            .map(|(i, &arg)| match params.get(i) {
                Some(&param) => self.convert(arg, param),
                None => self.promote_argument(arg),
            })
            .collect();
        let ty = self.types.canon(ret).unqual();
        self.add_node(ExprKind::Call(callee, args), ty)
    }

    /// A call of a function by its id.
    pub fn call_func(&mut self, func: FuncId, args: &[ExprId]) -> ExprId {
        let callee = self.func_ref(func);
        self.call(callee, args)
    }

    /// `base[index]`; a vector's lanes are reached through a pointer to its first.
    pub fn index(&mut self, base: ExprId, index: ExprId) -> ExprId {
        let ty = self.expr(base).ty;
        let base = match self.types.lanes(ty) {
            Some((elem, _)) => {
                let to = self.types.pointer(elem.qualified(ty.quals()));
                self.convert(base, to)
            }
            None => self.decay(base),
        };
        let index = self.promote(index);
        let elem = self.types.pointee(self.expr(base).ty).unwrap_or(Ty::VOID);
        self.add_node(ExprKind::Index(base, index), elem)
    }

    /// `record.field`
    pub fn member(&mut self, record: ExprId, field: u32) -> ExprId {
        let of = self.expr(record).ty;
        let mut ty = self.field_type(of, field);
        if !self.is_lvalue(record) {
            ty = ty.unqual();
        }
        self.add_node(ExprKind::Member(record, field), ty)
    }

    /// `pointer->field`
    pub fn arrow(&mut self, pointer: ExprId, field: u32) -> ExprId {
        let pointer = self.decay(pointer);
        let of = self.types.pointee(self.expr(pointer).ty).unwrap_or(Ty::VOID);
        let ty = self.field_type(of, field);
        self.add_node(ExprKind::Arrow(pointer, field), ty)
    }

    /// A member has the qualifiers of its record too (6.5.2.3p3).
    fn field_type(&mut self, record: Ty, field: u32) -> Ty {
        match self.types.as_record(record) {
            Some(id) => {
                let ty = self.types.records[id.index()].fields[field as usize].ty;
                self.types.canon(ty.qualified(record.quals()))
            }
            None => Ty::VOID,
        }
    }

    /// `sizeof e`; the operand does not decay.
    pub fn sizeof_expr(&mut self, operand: ExprId) -> ExprId {
        let ty = self.types.model.size_type().ty();
        self.add_node(ExprKind::SizeofExpr(operand), ty)
    }

    /// `sizeof(T)`
    pub fn sizeof_type(&mut self, of: Ty) -> ExprId {
        let ty = self.types.model.size_type().ty();
        self.add_node(ExprKind::SizeofType(of), ty)
    }

    /// `_Alignof(T)`
    pub fn alignof_type(&mut self, of: Ty) -> ExprId {
        let ty = self.types.model.size_type().ty();
        self.add_node(ExprKind::AlignofType(of), ty)
    }

    /// `(T){…}`
    pub fn compound_lit(&mut self, ty: Ty, init: Init) -> ExprId {
        let canon = self.types.canon(ty);
        self.add_node(ExprKind::CompoundLit(ty, Box::new(init)), canon)
    }

    /// `({ … })` with the type of its last expression statement, which decays, or `void`.
    pub fn stmt_expr(&mut self, block: StmtId) -> ExprId {
        let last = match &self.stmt(block).kind {
            StmtKind::Block(stmts) => stmts.last().copied(),
            _ => None,
        };
        let ty = match last.map(|last| (last, &self.stmt(last).kind)) {
            Some((last, &StmtKind::Expr(value))) => {
                let value = self.decay(value);
                self.stmts[last.index()].kind = StmtKind::Expr(value);
                self.expr(value).ty.unqual()
            }
            _ => Ty::VOID,
        };
        self.add_node(ExprKind::StmtExpr(block), ty)
    }

    /// `__builtin_va_arg(list, T)`
    pub fn va_arg(&mut self, list: ExprId, ty: Ty) -> ExprId {
        let canon = self.types.canon(ty).unqual();
        self.add_node(ExprKind::VaArg(list, ty), canon)
    }

    /// The function type `ret(params…)`.
    pub fn func_type(&mut self, ret: Ty, params: &[Ty], variadic: bool) -> Ty {
        self.types.intern(TypeKind::Function(crate::FuncType {
            ret,
            params: params.into(),
            variadic,
            proto: true,
        }))
    }
}

fn is_comparison(op: BinOp) -> bool {
    use BinOp::*;
    matches!(op, Lt | Gt | Le | Ge | Eq | Ne)
}
