//! Expressions: operators by context, leaves of every kind, common subexpressions.

use super::scope::VarPool;
use super::{Language, Yarp};
use crate::policy::knobs::{
    Binary, Chance, ConstantShare, Context, Leaf, Node, Range, Target, Unary,
};
use ctree::{BinOp, ExprId, ExprKind, Ty, TypeKind, UnOp, VarId};

/// Restrictions on the part of an expression that is being built.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContextState {
    pub(super) ops: Option<Context>,
    constants: Option<ConstantShare>,
    /// The type that is preferred.
    pub(super) ty: Option<Ty>,
}

/// Most nodes of an expression that is kept for another use.
const KEPT_NODES: usize = 24;

impl Context {
    fn allows_unary(self, op: Unary) -> bool {
        match self {
            Context::Additive | Context::AdditiveMultiplicative => op == Unary::Neg,
            Context::Bitwise | Context::BitwiseShift => op == Unary::BitNot,
            Context::Logical => op == Unary::LogNot,
            Context::Multiplicative => false,
        }
    }

    pub(super) fn allows(self, op: Binary) -> bool {
        use Binary::*;
        match self {
            Context::Additive => matches!(op, Add | Sub),
            Context::Bitwise => matches!(op, BitAnd | BitOr | BitXor),
            Context::Logical => matches!(op, LogAnd | LogOr),
            Context::Multiplicative => matches!(op, Mul | Div),
            Context::BitwiseShift => matches!(op, BitAnd | BitOr | BitXor | Shl | Shr),
            Context::AdditiveMultiplicative => matches!(op, Add | Sub | Mul | Div),
        }
    }
}

impl Binary {
    /// The tree's operator.
    pub(super) fn operator(self) -> BinOp {
        match self {
            Binary::Add => BinOp::Add,
            Binary::Sub => BinOp::Sub,
            Binary::Mul => BinOp::Mul,
            Binary::Div => BinOp::Div,
            Binary::Rem => BinOp::Rem,
            Binary::Shl => BinOp::Shl,
            Binary::Shr => BinOp::Shr,
            Binary::BitAnd => BinOp::BitAnd,
            Binary::BitOr => BinOp::BitOr,
            Binary::BitXor => BinOp::BitXor,
            Binary::Lt => BinOp::Lt,
            Binary::Gt => BinOp::Gt,
            Binary::Le => BinOp::Le,
            Binary::Ge => BinOp::Ge,
            Binary::Eq => BinOp::Eq,
            Binary::Ne => BinOp::Ne,
            Binary::LogAnd => BinOp::LogAnd,
            Binary::LogOr => BinOp::LogOr,
        }
    }
}

impl Yarp {
    /// Begins an expression in which nothing has been used yet.
    pub(super) fn begin_expr(&mut self) {
        self.used.clear();
        self.locked = None;
        self.reused = false;
    }

    /// An expression as deep as the policy says.
    pub(super) fn full_expr(&mut self) -> ExprId {
        let depth = self.draw(Range::ExprDepth);
        self.expr(depth)
    }

    /// A condition.
    pub(super) fn condition(&mut self) -> ExprId {
        self.begin_expr();
        let depth = self.draw(Range::ExprDepth).min(3);
        self.truth(depth)
    }

    pub(super) fn truth(&mut self, depth: i64) -> ExprId {
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        let op = self.policy.pick_if(&mut self.choices, |op| {
            use Binary::*;
            matches!(op, Lt | Gt | Le | Ge | Eq | Ne | LogAnd | LogOr | BitAnd)
        });
        self.binary(op.unwrap_or(Binary::Lt), a, b)
    }

    /// An integer expression of any type.
    pub(super) fn expr(&mut self, depth: i64) -> ExprId {
        if depth <= 0 {
            return self.leaf();
        }
        let outer = self.context;
        if self.chance(Chance::ContextExpr) {
            self.context.ops = Some(self.pick::<Context>());
        }
        if self.chance(Chance::ConstantContext) {
            self.context.constants = Some(self.pick::<ConstantShare>());
        }
        let (nodes, calls) = (self.program.exprs.len(), self.calls);
        let node = self.node(depth);
        self.context = outer;
        let nodes = self.program.exprs.len() - nodes;
        let plain = self.locked.is_none() && self.calls == calls;
        if plain && (3..=KEPT_NODES).contains(&nodes) && self.chance(Chance::CseKeep) {
            self.keep(node);
        }
        node
    }

    fn keep(&mut self, node: ExprId) {
        let most = self.policy.most(Range::CseBuffer) as usize;
        if self.subexpressions.len() < most {
            self.subexpressions.push(node);
        } else if most > 0 {
            let at = self.choices.index(most);
            self.subexpressions[at] = node;
        }
    }

    fn node(&mut self, depth: i64) -> ExprId {
        if self.chance(Chance::Effect)
            && let Some(effect) = self.effect(depth)
        {
            return effect;
        }
        let can_reuse = !self.subexpressions.is_empty() && self.locked.is_none();
        let can_call = self.callees.iter().any(|c| !c.impure);
        let may_declare = !self.no_effects;
        let kind = self.policy.pick_if(&mut self.choices, |kind| match kind {
            Node::Cse => can_reuse,
            Node::Call => can_call,
            Node::Block => may_declare,
            _ => true,
        });
        match kind.unwrap_or(Node::Leaf) {
            Node::Leaf => self.leaf(),
            Node::Binary => {
                let ops = self.context.ops;
                let op = self
                    .policy
                    .pick_if(&mut self.choices, |op| ops.is_none_or(|context| context.allows(op)));
                self.operation(op.unwrap_or(Binary::Add), depth)
            }
            Node::Unary => {
                let ops = self.context.ops;
                let op = self.policy.pick_if(&mut self.choices, |op| {
                    ops.is_none_or(|context| context.allows_unary(op))
                });
                let operand = self.expr(depth - 1);
                match op {
                    Some(Unary::Plus) => self.program.unary(UnOp::Plus, operand),
                    Some(Unary::Neg) => self.unary(UnOp::Neg, operand),
                    Some(Unary::BitNot) => self.unary(UnOp::BitNot, operand),
                    Some(Unary::LogNot) => self.program.unary(UnOp::LogNot, operand),
                    None => operand,
                }
            }
            Node::Ternary => {
                let condition = self.truth(depth - 1);
                let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
                self.conditional(condition, a, b)
            }
            Node::Cast => {
                let operand = self.expr(depth - 1);
                let ty = self.int_type();
                self.program.cast(ty, operand)
            }
            Node::Cse => {
                let at = self.choices.index(self.subexpressions.len());
                self.reused = true;
                self.program.copy_expr(self.subexpressions[at])
            }
            Node::Call => match self.pure_call(depth) {
                Some(call) => call,
                None => self.leaf(),
            },
            Node::Idiom => self.idiom(depth),
            Node::Block => self.statement_expr(depth),
            Node::Builtin => self.builtin_call(depth),
            Node::Comma => {
                let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
                // The left operand is there for its effects; without any, compilers may warn.
                let a = self.program.cast(Ty::VOID, a);
                let b = self.promoted_value(b);
                self.program.binary(BinOp::Comma, a, b)
            }
        }
    }

    /// `-a` or `~a`. g++ computes these in the width of a wide bit-field where C++ has them in its
    /// type (trophies/gxx-wide-bit-field): there the operand is cast.
    pub(super) fn unary(&mut self, op: UnOp, operand: ExprId) -> ExprId {
        let is_wide = self.program.bit_field_width(operand).is_some_and(|width| width > 32);
        let operand = if self.is_cxx() && is_wide { self.promoted_value(operand) } else { operand };
        self.program.unary(op, operand)
    }

    /// `c ? a : b`. Compilers fold constant arms early, and clang's sanitizer then reports undefined
    /// behaviour in the arm that is not taken: such an arm becomes a plain constant.
    pub(super) fn conditional(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        let mut arm = |arm: ExprId| {
            let arm = if self.is_risky_constant(arm) { self.any_constant() } else { arm };
            self.promoted_value(arm)
        };
        let (a, b) = (arm(a), arm(b));
        self.program.cond(condition, Some(a), b)
    }

    /// Whether an expression has only constants for leaves, and an operator that could overflow.
    fn is_risky_constant(&self, expr: ExprId) -> bool {
        self.constant_risk(expr) == Some(true)
    }

    /// `None` if it is not constant.
    fn constant_risk(&self, expr: ExprId) -> Option<bool> {
        use BinOp::*;
        match self.program.expr(expr).kind {
            ExprKind::Int(_) | ExprKind::EnumConst(..) => Some(false),
            ExprKind::Implicit(a) | ExprKind::Cast(_, a) => self.constant_risk(a),
            ExprKind::Unary(UnOp::Neg, a) => {
                let plain = matches!(self.program.expr(a).kind, ExprKind::Int(_));
                self.constant_risk(a).map(|risk| risk || !plain)
            }
            ExprKind::Unary(UnOp::Plus | UnOp::BitNot | UnOp::LogNot, a) => self.constant_risk(a),
            // One constant side may decide these.
            ExprKind::Binary(LogAnd | LogOr | Comma, ..) => Some(true),
            ExprKind::Binary(op, a, b) => {
                let risky = matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr);
                Some(self.constant_risk(a)? | self.constant_risk(b)? | risky)
            }
            ExprKind::Cond(c, Some(a), b) => {
                Some(self.constant_risk(c)? | self.constant_risk(a)? | self.constant_risk(b)?)
            }
            _ => None,
        }
    }

    /// `({ T v = a; v op b; })`
    fn statement_expr(&mut self, depth: i64) -> ExprId {
        // Like a call: a block is not copied.
        self.calls += 1;
        let ty = self.int_type();
        let first = self.expr(depth - 1);
        let mut stmts = Vec::new();
        let local = self.new_local("b", ty, first, &mut stmts);
        let (local, other) = (self.program.var_ref(local), self.expr(depth - 1));
        let ops = [Binary::Add, Binary::Sub, Binary::BitXor, Binary::BitAnd, Binary::Mul];
        let op = ops[self.choices.index(ops.len())];
        let value = self.binary(op, local, other);
        self.push_expr(value, &mut stmts);
        let block = self.program.block(stmts);
        self.program.stmt_expr(block)
    }

    /// In C++ a conditional or comma expression would be an lvalue of the operand's own type, a
    /// bit-field even: the operand is promoted where that would show.
    pub(super) fn promoted_value(&mut self, operand: ExprId) -> ExprId {
        if self.language == Language::C {
            return operand;
        }
        let promoted = self.program.promote(operand);
        let ty = self.program.expr(promoted).ty;
        if promoted == operand && !self.program.is_lvalue(operand) {
            return operand;
        }
        self.program.cast(ty, operand)
    }

    fn operation(&mut self, op: Binary, depth: i64) -> ExprId {
        let a = self.expr(depth - 1);
        let b = match op {
            Binary::Shl | Binary::Shr if self.chance(Chance::ShiftConstant) => {
                let promoted = self.program.promote(a);
                let ty = self.program.expr(promoted).ty;
                let (bits, _) = self.program.types.int_bits(ty).unwrap_or((32, true));
                let count = self.choices.below(u64::from(bits));
                self.program.int_const(Ty::INT, i128::from(count))
            }
            Binary::Div | Binary::Rem if self.chance(Chance::DivisorConstant) => {
                let ty = self.int_type();
                self.constant(ty)
            }
            _ => self.expr(depth - 1),
        };
        self.binary(op, a, b)
    }

    pub(super) fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        self.program.binary(op.operator(), a, b)
    }

    /// An assignment or increment inside an expression, of a local that nothing else in the same
    /// expression touches.
    fn effect(&mut self, depth: i64) -> Option<ExprId> {
        if self.locked.is_some() || self.reused || self.no_effects {
            return None;
        }
        let var = self.choices.pick(self.scope.all(VarPool::WriteLocal)).copied()?;
        let ty = self.program.var(var).ty;
        if self.used.contains(&var) || self.addressed.contains(&var) || !self.is_plain(ty) {
            return None;
        }
        self.locked = Some(var);
        if self.choices.chance(50) && ty != Ty::BOOL {
            let ops = [UnOp::PreInc, UnOp::PreDec, UnOp::PostInc, UnOp::PostDec];
            let op = ops[self.choices.index(4)];
            let target = self.program.var_ref(var);
            return Some(self.program.unary(op, target));
        }
        let value = self.expr(depth - 1);
        let target = self.program.var_ref(var);
        Some(self.program.assign(target, value))
    }

    fn is_plain(&self, ty: Ty) -> bool {
        matches!(self.program.types.shape(ty), TypeKind::Int(_)) && !ty.is_volatile()
    }

    /// A leaf: a constant or a data element.
    pub(super) fn leaf(&mut self) -> ExprId {
        match self.context.constants {
            Some(ConstantShare::All) => return self.any_constant(),
            Some(ConstantShare::Half) if self.choices.chance(50) => return self.any_constant(),
            _ => {}
        }
        let scope = &self.scope;
        let inductions = !self.inductions.is_empty();
        let (enums, in_index) = (!self.enums.is_empty(), self.index_depth > 1);
        let kind = self.policy.pick_if(&mut self.choices, |leaf| match leaf {
            Leaf::Constant => true,
            Leaf::Local => !scope.all(VarPool::ReadLocal).is_empty(),
            Leaf::Induction => inductions,
            Leaf::Global => !scope.all(VarPool::ReadGlobal).is_empty(),
            Leaf::Element => !in_index && !scope.all(VarPool::ReadArray).is_empty(),
            Leaf::Member => !in_index && !scope.all(VarPool::ReadRecord).is_empty(),
            Leaf::Pointer => !in_index && !scope.all(VarPool::ReadPointer).is_empty(),
            Leaf::Enum => enums,
            Leaf::Literal => !in_index,
            Leaf::Volatile => !scope.all(VarPool::ReadVolatile).is_empty(),
        });
        let pool = match kind.unwrap_or(Leaf::Constant) {
            Leaf::Constant => return self.any_constant(),
            Leaf::Induction => {
                return match self.induction(|_| true) {
                    Some(i) => self.program.var_ref(i.var),
                    None => self.any_constant(),
                };
            }
            Leaf::Enum => return self.enumerator(),
            Leaf::Literal => return self.literal(),
            Leaf::Local => VarPool::ReadLocal,
            Leaf::Global => VarPool::ReadGlobal,
            Leaf::Element => VarPool::ReadArray,
            Leaf::Member => VarPool::ReadRecord,
            Leaf::Pointer => VarPool::ReadPointer,
            Leaf::Volatile => VarPool::ReadVolatile,
        };
        match self.preferred(pool) {
            Some(var) if self.locked != Some(var) => self.integer_in(var),
            _ => self.any_constant(),
        }
    }

    /// A variable from a pool, of the preferred type where there is one.
    pub(super) fn preferred(&mut self, pool: VarPool) -> Option<VarId> {
        if let Some(ty) = self.context.ty
            && self.choices.chance(85)
        {
            let all = self.scope.all(pool).iter().copied();
            let same: Vec<VarId> = all
                .filter(|&var| self.int_type_within(self.program.var(var).ty) == Some(ty))
                .collect();
            if let Some(&var) = self.choices.pick(&same) {
                return Some(var);
            }
        }
        self.choices.pick(self.scope.all(pool)).copied()
    }

    /// The integer type that a variable is made of, if it is one.
    pub(super) fn int_type_within(&self, ty: Ty) -> Option<Ty> {
        match *self.program.types.shape(ty) {
            TypeKind::Int(kind) => Some(kind.ty()),
            TypeKind::Array(elem, _) | TypeKind::Vector(elem, _) => self.int_type_within(elem),
            TypeKind::Pointer(to) => self.int_type_within(to),
            _ => None,
        }
    }

    fn any_constant(&mut self) -> ExprId {
        let ty = self.int_type();
        self.constant(ty)
    }

    fn enumerator(&mut self) -> ExprId {
        let id = self.enums[self.choices.index(self.enums.len())];
        let member = self.choices.index(self.program.types.enums[id.index()].members.len());
        let constant = self.program.enum_ref(id, member as u32);
        if self.is_cxx() { self.program.cast(Ty::INT, constant) } else { constant }
    }

    /// A member of a compound literal, or an element of one.
    fn literal(&mut self) -> ExprId {
        let ty = match self.struct_type() {
            Some(ty) if self.is_cxx() || self.choices.chance(60) => ty,
            _ if self.is_cxx() => return self.any_constant(),
            _ => {
                let elem = self.int_type();
                let length = self.choices.range(1..=4) as u64;
                self.program.types.array(elem, length)
            }
        };
        let init = self.init(ty);
        let literal = self.program.compound_lit(ty, init);
        self.integer_within(literal)
    }

    /// An element or member of an expression without a variable.
    fn integer_within(&mut self, mut at: ExprId) -> ExprId {
        loop {
            match *self.program.types.shape(self.program.expr(at).ty) {
                TypeKind::Array(_, ctree::ArrayLen::Known(n)) => {
                    let index = self.index(n as i64);
                    at = self.program.index(at, index);
                }
                TypeKind::Record(id) => {
                    let fields = self.named_fields(id);
                    let field = self.choices.pick(&fields).copied().unwrap_or(0);
                    at = self.program.member(at, field);
                }
                _ => return at,
            }
        }
    }

    /// An integer object to write.
    pub(super) fn target(&mut self) -> Option<ExprId> {
        let scope = &self.scope;
        let pool = |target| match target {
            Target::Local => VarPool::WriteLocal,
            Target::Global => VarPool::WriteGlobal,
            Target::Output => VarPool::WriteOutput,
            Target::Element => VarPool::WriteArray,
            Target::Member => VarPool::WriteRecord,
            Target::Pointer => VarPool::WritePointer,
            Target::Volatile => VarPool::WriteVolatile,
        };
        let kind = self.policy.pick_if(&mut self.choices, |t| !scope.all(pool(t)).is_empty())?;
        let var = self.preferred(pool(kind))?;
        if kind == Target::Output
            && matches!(self.program.types.shape(self.program.var(var).ty), TypeKind::Int(_))
            && self.nesting == 0
            && !self.in_helper
            && self.chance(Chance::FreshOutput)
        {
            let ty = self.int_type();
            let output = self.output(ty);
            return Some(self.program.var_ref(output));
        }
        Some(self.integer_in(var))
    }
}
