//! Lvalues: random paths from a variable through indices, members and pointers.

use ctree::map::{Child, for_each_child};
use ctree::{ExprId, ExprKind, Program, RecordId, Storage, Ty, TypeKind, VarId};

use super::BodyGenerator;

/// Paths tried for an object of some kind: they are cheap, and most scopes have one within so many.
const WALKS: usize = 10;
/// Most steps of a path.
const STEPS: usize = 5;

impl BodyGenerator<'_> {
    /// A variable, preferably of an inner scope.
    pub(super) fn any_var(&mut self) -> Option<VarId> {
        let all = self.scope.vars.len();
        let near = if self.choices.chance(50) { all.min(8) } else { all };
        let at = self.choices.index(near);
        self.scope.vars[all - near..].get(at).copied()
    }

    /// An object that `wanted` takes; `None` if a few random paths find none.
    pub(super) fn lvalue(
        &mut self,
        depth: u32,
        wanted: impl Fn(&Self, ExprId) -> bool,
    ) -> Option<ExprId> {
        for _ in 0..WALKS {
            let mark = self.program.exprs.len();
            let var = self.any_var()?;
            let mut at = self.program.var_ref(var);
            for _ in 0..STEPS {
                if !self.is_anonymous(at) && wanted(self, at) {
                    return Some(at);
                }
                match self.step(at, depth) {
                    Some(next) => at = next,
                    None => break,
                }
            }
            self.program.exprs.truncate(mark);
        }
        None
    }

    /// An object of a type, qualifiers aside.
    pub(super) fn lvalue_of(&mut self, ty: Ty, depth: u32) -> Option<ExprId> {
        let ty = ty.unqual();
        self.lvalue(depth, |generator, e| {
            generator.program.expr(e).ty.unqual() == ty && generator.is_whole(e)
        })
    }

    /// One step from an aggregate or pointer to something inside or behind it.
    fn step(&mut self, at: ExprId, depth: u32) -> Option<ExprId> {
        match *self.program.types.kind(self.program.expr(at).ty) {
            TypeKind::Array(..) if self.is_register(at) => None,
            TypeKind::Array(elem, _) if self.scope.is_complete(self.program, elem) => {
                let index = self.index(depth);
                Some(self.program.index(at, index))
            }
            TypeKind::Record(id) => {
                let field = self.pick_field(id)?;
                Some(self.program.member(at, field))
            }
            TypeKind::Pointer(to) if self.scope.is_complete(self.program, to) => {
                match self.program.types.as_record(to) {
                    Some(id) if self.choices.chance(70) => {
                        let field = self.pick_field(id)?;
                        Some(self.program.arrow(at, field))
                    }
                    _ if self.choices.chance(40) => {
                        let index = self.index(depth);
                        Some(self.program.index(at, index))
                    }
                    _ => Some(self.program.deref(at)),
                }
            }
            _ => None,
        }
    }

    fn index(&mut self, depth: u32) -> ExprId {
        // Compilers transform accesses with a varying index.
        if depth > 0 && self.choices.chance(60) {
            return self.distance(depth - 1);
        }
        self.small()
    }

    /// An integer to count elements with. A constant is small: no object file can name an address
    /// that is gigabytes away from a symbol.
    pub(super) fn distance(&mut self, depth: u32) -> ExprId {
        let e = self.integer(depth);
        if varies(self.program, e) { e } else { self.small() }
    }

    fn small(&mut self) -> ExprId {
        let value = self.choices.below(4);
        self.program.int_const(Ty::INT, i128::from(value))
    }

    /// A member that can be named, or an anonymous one, whose members can be named.
    fn pick_field(&mut self, id: RecordId) -> Option<u32> {
        if !self.scope.knows(self.program, id) {
            return None;
        }
        let fields = &self.program.types.records[id.index()].fields;
        let index = self.choices.index(fields.len());
        let field = fields.get(index)?;
        let is_unnamed = field.name.is_none() && field.bits.is_some();
        (!is_unnamed).then_some(index as u32)
    }

    /// Whether an expression stands for an anonymous member, which has no text of its own.
    fn is_anonymous(&self, e: ExprId) -> bool {
        let (record, field) = match self.program.expr(e).kind {
            ExprKind::Member(of, field) => (Some(self.program.expr(of).ty), field),
            ExprKind::Arrow(of, field) => {
                (self.program.types.pointee(self.program.expr(of).ty), field)
            }
            _ => return false,
        };
        record.and_then(|ty| self.program.types.as_record(ty)).is_some_and(|id| {
            self.program.types.records[id.index()].fields[field as usize].name.is_none()
        })
    }

    /// The object's type is complete here.
    pub(super) fn is_whole(&self, e: ExprId) -> bool {
        self.scope.is_complete(self.program, self.program.expr(e).ty)
    }

    /// Whether an object may be assigned to: not const, nor with a const member, nor an array
    /// (6.3.2.1p1).
    pub(super) fn is_modifiable(&self, e: ExprId) -> bool {
        let ty = self.program.expr(e).ty;
        let is_array = self.program.types.as_array(ty).is_some();
        !is_array && self.is_whole(e) && !self.has_const(ty)
    }

    fn has_const(&self, ty: Ty) -> bool {
        let ty = self.program.types.resolved(ty);
        ty.is_const()
            || match *self.program.types.shape(ty) {
                TypeKind::Array(elem, _) => self.has_const(elem),
                TypeKind::Record(id) => self.program.types.records[id.index()]
                    .fields
                    .iter()
                    .any(|f| self.has_const(f.ty)),
                _ => false,
            }
    }

    /// Whether `&e` is allowed: no bit-field, no register.
    pub(super) fn is_addressable(&self, e: ExprId) -> bool {
        self.program.bit_field_width(e).is_none() && !self.is_register(e)
    }

    fn is_register(&self, e: ExprId) -> bool {
        match self.program.expr(e).kind {
            ExprKind::Var(var) => self.program.var(var).storage == Storage::Register,
            ExprKind::Member(of, _) => self.is_register(of),
            _ => false,
        }
    }
}

/// Whether something in an expression is read or called.
fn varies(program: &Program, e: ExprId) -> bool {
    let kind = &program.expr(e).kind;
    let mut found = matches!(kind, ExprKind::Var(_) | ExprKind::Call(..));
    for_each_child(kind, &mut |child| {
        if let Child::Expr(e) = child {
            found |= varies(program, e);
        }
    });
    found
}
