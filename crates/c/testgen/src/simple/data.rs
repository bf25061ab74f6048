//! Global objects and their way into the checksum.

use super::Simple;
use ctree::{
    ArrayLen, ExprId, Field, Init, InitItem, Item, Quals, RecordKind, Scope, StmtId, StmtKind,
    Storage, Ty, TypeKind, UnOp, VarId,
};

/// Integer types of objects; arithmetic on them is done in `unsigned` or `unsigned long`.
pub(super) const INTS: [Ty; 11] = [
    Ty::BOOL,
    Ty::CHAR,
    Ty::SCHAR,
    Ty::UCHAR,
    Ty::SHORT,
    Ty::USHORT,
    Ty::INT,
    Ty::UINT,
    Ty::LONG,
    Ty::ULONG,
    Ty::ULLONG,
];

impl Simple<'_> {
    pub(super) fn int_type(&mut self) -> Ty {
        INTS[self.below(INTS.len() as u64) as usize]
    }

    /// A struct with a few integers, bit-fields and a small array.
    pub(super) fn record(&mut self) {
        let mut fields = Vec::new();
        for _ in 0..2 + self.below(4) {
            let name = self.fresh("m");
            let name = Some(self.program.names.intern(&name));
            let ty = self.int_type();
            let field = Field::new(name, ty);
            fields.push(match self.below(5) {
                0..=1 => {
                    let ty = [Ty::INT, Ty::UINT][self.below(2) as usize];
                    Field { bits: Some(1 + self.below(31) as u32), ..Field::new(name, ty) }
                }
                2 => Field::new(name, self.program.types.array(ty, 4)),
                _ => field,
            });
        }
        let tag = self.fresh("S");
        let packed = self.choices.chance(20);
        let id = self.program.add_record(&tag, RecordKind::Struct, fields, packed);
        self.records.push(id);
        self.item(Item::Record(id));
    }

    fn record_type(&mut self) -> Ty {
        let id = self.records[self.choices.index(self.records.len())];
        self.program.types.intern(TypeKind::Record(id))
    }

    /// A global object with an initialiser.
    pub(super) fn global(&mut self) {
        let ty = match self.below(6) {
            0..=2 => self.int_type(),
            3 => {
                let elem = self.int_type();
                self.program.types.array(elem, 8)
            }
            4 => {
                let elem = self.int_type();
                let row = self.program.types.array(elem, 4);
                self.program.types.array(row, 2)
            }
            _ => self.record_type(),
        };
        let is_volatile = self.program.types.is_integer(ty) && self.chance(15);
        let ty = if is_volatile { ty.qualified(Quals::VOLATILE) } else { ty };
        let name = self.fresh("g");
        let var = self.program.add_var(&name, ty, Scope::File);
        let init = self.init(ty);
        let global = &mut self.program.vars[var.index()];
        global.init = Some(init);
        global.storage = if self.choices.chance(60) { Storage::Static } else { Storage::None };
        self.item(Item::Var(var));
        if is_volatile { self.volatiles.push(var) } else { self.globals.push(var) }
    }

    /// A constant initialiser that leaves part of an aggregate to be zero.
    pub(super) fn init(&mut self, ty: Ty) -> Init {
        let fields: Vec<(u64, Ty)> = match *self.program.types.shape(ty) {
            TypeKind::Array(elem, ArrayLen::Known(n)) => (0..n).map(|i| (i, elem)).collect(),
            TypeKind::Record(id) => {
                let fields = &self.program.types.records[id.index()].fields;
                fields.iter().enumerate().map(|(i, f)| (i as u64, f.ty)).collect()
            }
            _ => {
                let value = self.constant(ty);
                return self.program.init_expr(ty, value);
            }
        };
        let mut items = Vec::new();
        for (first, ty) in fields {
            if self.chance(80) {
                let init = self.init(ty);
                items.push(InitItem { first, last: first, init });
            }
        }
        Init::List(items)
    }

    /// A global pointer to an integer global.
    pub(super) fn pointer(&mut self) {
        let scalars: Vec<VarId> = self
            .globals
            .iter()
            .copied()
            .filter(|&v| self.program.types.is_integer(self.program.var(v).ty))
            .collect();
        let Some(&target) = self.choices.pick(&scalars) else { return };
        let ty = self.program.types.pointer(self.program.var(target).ty);
        let object = self.program.var_ref(target);
        let address = self.program.addr_of(object);
        let name = self.fresh("q");
        let var = self.program.add_var(&name, ty, Scope::File);
        self.program.vars[var.index()].init = Some(Init::Expr(address));
        self.program.vars[var.index()].storage = Storage::Static;
        self.item(Item::Var(var));
        self.pointers.push(var);
    }

    /// Statements that mix every integer of an object into the checksum.
    pub(super) fn mix_object(&mut self, var: VarId, stmts: &mut Vec<StmtId>) {
        let object = self.program.var_ref(var);
        self.mix_lvalue(object, stmts);
    }

    fn mix_lvalue(&mut self, object: ExprId, stmts: &mut Vec<StmtId>) {
        let ty = self.program.expr(object).ty;
        match *self.program.types.shape(ty) {
            TypeKind::Array(_, ArrayLen::Known(len)) => {
                let (counter, header) = self.counter();
                let at = self.program.var_ref(counter);
                let elem = self.program.index(object, at);
                let mut inner = Vec::new();
                self.mix_lvalue(elem, &mut inner);
                let body = self.program.block(inner);
                stmts.push(self.for_loop(counter, header, len, body));
            }
            TypeKind::Record(id) => {
                for field in 0..self.program.types.records[id.index()].fields.len() {
                    // A node has one parent: walk to the record anew for each member.
                    let copy = self.copy_path(object);
                    let member = self.program.member(copy, field as u32);
                    self.mix_lvalue(member, stmts);
                }
            }
            _ => {
                let call = self.program.call_func(self.mix, &[object]);
                stmts.push(self.program.expr_stmt(call));
            }
        }
    }

    /// A second tree of an lvalue made of a variable, counters and members.
    fn copy_path(&mut self, object: ExprId) -> ExprId {
        use ctree::ExprKind::{Implicit, Index, Member, Var};
        match self.program.expr(object).kind {
            Var(var) => self.program.var_ref(var),
            Implicit(inner) => self.copy_path(inner),
            Index(base, at) => {
                let (base, at) = (self.copy_path(base), self.copy_path(at));
                self.program.index(base, at)
            }
            Member(of, field) => {
                let of = self.copy_path(of);
                self.program.member(of, field)
            }
            _ => object,
        }
    }

    /// A new loop counter and the declaration that starts it at zero.
    pub(super) fn counter(&mut self) -> (VarId, StmtId) {
        let name = self.fresh("i");
        let zero = self.program.int_const(Ty::INT, 0);
        self.program.local(&name, Ty::INT, Some(Init::Expr(zero)))
    }

    /// `for (int i = 0; i < bound; i++) body`
    pub(super) fn for_loop(
        &mut self,
        counter: VarId,
        init: StmtId,
        bound: u64,
        body: StmtId,
    ) -> StmtId {
        let (at, end) =
            (self.program.var_ref(counter), self.program.int_const(Ty::INT, i128::from(bound)));
        let cond = self.program.binary(ctree::BinOp::Lt, at, end);
        let at = self.program.var_ref(counter);
        let step = self.program.unary(UnOp::PostInc, at);
        self.program.make_stmt(StmtKind::For {
            init: Some(init),
            cond: Some(cond),
            step: Some(step),
            body,
        })
    }
}
