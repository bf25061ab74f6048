//! Lvalues: random paths from a variable through indices, members and pointers.

use super::Wild;
use ctree::{ExprId, ExprKind, RecordId, Storage, Ty, TypeKind};

impl Wild<'_> {
    /// An lvalue that `wanted` takes; `None` if a few random paths find none.
    pub(super) fn lvalue(
        &mut self,
        depth: u32,
        wanted: impl Fn(&Self, ExprId) -> bool,
    ) -> Option<ExprId> {
        // Paths are cheap, and most programs have a suitable object within this many.
        for _ in 0..8 {
            let Some(var) = self.any_var() else { continue };
            let mut at = self.program.var_ref(var);
            for _ in 0..4 {
                if wanted(self, at) {
                    return Some(at);
                }
                match self.step(at, depth) {
                    Some(next) => at = next,
                    None => break,
                }
            }
        }
        None
    }

    /// One step from an aggregate or pointer to something inside or behind it.
    fn step(&mut self, at: ExprId, depth: u32) -> Option<ExprId> {
        let ty = self.program.expr(at).ty;
        match *self.program.types.kind(ty) {
            TypeKind::Array(..) | TypeKind::Vector(..) => {
                let index = self.small_index(depth);
                Some(self.program.index(at, index))
            }
            TypeKind::Record(id) => {
                let field = self.pick_field(id)?;
                Some(self.program.member(at, field))
            }
            TypeKind::Pointer(to) => {
                self.program.types.size_of(to)?;
                match self.program.types.as_record(to) {
                    Some(id) if self.chance(70) => {
                        let field = self.pick_field(id)?;
                        Some(self.program.arrow(at, field))
                    }
                    _ if self.chance(40) => {
                        let index = self.small_index(depth);
                        Some(self.program.index(at, index))
                    }
                    _ => Some(self.program.deref(at)),
                }
            }
            _ => None,
        }
    }

    fn small_index(&mut self, depth: u32) -> ExprId {
        if depth > 0 && self.chance(30) {
            return self.integer(depth - 1);
        }
        let value = self.below(3);
        self.program.int_const(Ty::INT, i128::from(value))
    }

    /// A member that can be named, or an anonymous one, whose members can be named.
    fn pick_field(&mut self, id: RecordId) -> Option<u32> {
        let fields = &self.program.types.records[id.index()].fields;
        let index = self.choices.index(fields.len());
        let field = fields.get(index)?;
        let unnamed_bits = field.name.is_none() && field.bits.is_some();
        (!unnamed_bits).then_some(index as u32)
    }

    /// Whether an expression stands for an anonymous member, which has no text of its own.
    pub(super) fn is_anonymous(&self, e: ExprId) -> bool {
        let (record, field) = match self.program.expr(e).kind {
            ExprKind::Member(of, field) => (self.program.expr(of).ty, field),
            ExprKind::Arrow(of, field) => {
                match self.program.types.pointee(self.program.expr(of).ty) {
                    Some(to) => (to, field),
                    None => return false,
                }
            }
            _ => return false,
        };
        self.program.types.as_record(record).is_some_and(|id| {
            self.program.types.records[id.index()].fields[field as usize].name.is_none()
        })
    }

    /// Assignable: not const, nor with a const member, nor an array (6.3.2.1p1).
    pub(super) fn is_modifiable(&self, e: ExprId) -> bool {
        self.program.is_lvalue(e)
            && !self.is_anonymous(e)
            && !self.has_const(self.program.expr(e).ty)
    }

    fn has_const(&self, ty: Ty) -> bool {
        if ty.is_const() {
            return true;
        }
        match *self.program.types.shape(ty) {
            TypeKind::Array(..) | TypeKind::VaList => true,
            TypeKind::Record(id) => self.program.types.records[id.index()].fields.iter().any(|f| {
                // Through arrays, whose own assignment is not the question here.
                let mut ty = self.program.types.resolved(f.ty);
                while let Some((elem, _)) = self.program.types.as_array(ty) {
                    ty = self.program.types.resolved(elem).qualified(ty.quals());
                }
                self.has_const(ty)
            }),
            _ => false,
        }
    }

    /// Whether `&e` is allowed: no bit-field, no register, no lane of a vector.
    pub(super) fn is_addressable(&self, e: ExprId) -> bool {
        let is_bits = self.program.bit_field_width(e).is_some();
        !is_bits && !self.is_anonymous(e) && !self.is_register(e) && !self.is_lane(e)
    }

    fn is_lane(&self, e: ExprId) -> bool {
        let ExprKind::Index(base, _) = self.program.expr(e).kind else { return false };
        let ExprKind::Implicit(of) = self.program.expr(base).kind else { return false };
        matches!(self.program.types.kind(self.program.expr(of).ty), TypeKind::Vector(..))
    }

    fn is_register(&self, e: ExprId) -> bool {
        match self.program.expr(e).kind {
            ExprKind::Var(var) => self.program.var(var).storage == Storage::Register,
            ExprKind::Member(of, _) => self.is_register(of),
            _ => false,
        }
    }
}
