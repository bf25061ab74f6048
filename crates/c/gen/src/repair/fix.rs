//! Repairs of a single operation: which rung of the ladder a node is put on, the result instead of the
//! undefined one, and how the repair is written into the tree.
//!
//! A node keeps its id and its type, because its parent refers to it: it is overwritten, and its new
//! children are new nodes.

use super::RepairOptions;
use super::forms::{AssignForm, assign_forms, forms};
use super::number;
use super::rewrite::{self, Operator, Replacement, Rule, ShiftCount, ShiftedValue};
use super::term::{
    Constant, OperandValues, Operands, Term, TermType, binary, cast, copy, is_simple, lane,
};
use choice::Choices;
use cmachine::{Fault, FaultyOp, Operand};
use ctree::{BinOp, Expr, ExprId, ExprKind, Program, Ty, UnOp};

/// How far a node has climbed. It never descends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rung {
    /// A similar operation that is defined for the values met (Table 1).
    Table = 1,
    /// A form that is always defined.
    Form = 2,
    /// No operation any more: a constant, or a new object.
    Constant = 3,
}

/// The repair that is requested.
#[derive(Clone, Copy)]
pub(super) struct FixRequest<'o> {
    /// The lowest rung.
    pub from: Rung,
    /// The node is executed at most once. If not, a form that preserves defined results is
    /// better: the run continued with the operation's own values there.
    pub once: bool,
    /// The node works on vectors: the repair applies to all lanes.
    pub vector: bool,
    pub options: &'o RepairOptions,
}

/// A repair of an operation.
#[derive(Clone, Debug)]
pub(super) struct Fix {
    pub rung: Rung,
    /// The replacement, as a function of the operands.
    term: Term,
    /// The constant in it.
    c: i128,
    placement: Placement,
}

/// Where in the node the term is placed.
#[derive(Clone, Debug)]
enum Placement {
    /// Instead of the node.
    Node(Option<&'static Rule>),
    /// Another compound assignment.
    Assign { op: BinOp, comp: TermType, rhs: Term, rule: Option<&'static Rule> },
    /// `--` for `++` and the other way round.
    StepBack,
    /// `x += 1u`.
    StepWrap,
    /// `v = (V)((U)v + (U)w)`, of vectors.
    Store,
    /// Instead of the index.
    Index,
    /// A constant instead of the node or of an assigned value.
    Constant,
}

/// The operator and operands of a fault, as they were before an earlier repair of the node.
pub(super) fn original(
    kind: &ExprKind,
    fault: &Fault,
    earlier: Option<&Fix>,
) -> (FaultyOp, Operand, Operand) {
    let op = match (kind, fault.op) {
        (_, FaultyOp::Index { .. } | FaultyOp::FloatToInt) => fault.op,
        (ExprKind::Binary(op, ..) | ExprKind::AssignOp { op, .. }, _) => FaultyOp::Binary(*op),
        (ExprKind::Unary(UnOp::Neg, _), _) => FaultyOp::Neg,
        _ => fault.op,
    };
    let (mut a, mut b) = (fault.left, fault.right);
    let Some(fix) = earlier else { return (op, a, b) };
    let rule = match fix.placement {
        Placement::Node(rule) | Placement::Assign { rule, .. } => rule,
        Placement::StepBack => {
            b.value = -b.value;
            return (op, a, b);
        }
        Placement::Index => {
            // The only first rung of an index: moved by a constant.
            let moved = if let Term::Binary(BinOp::Add, ..) = fix.term { -fix.c } else { fix.c };
            a = number::wrapped(a.value.wrapping_add(moved), (a.bits, a.signed));
            return (op, a, b);
        }
        _ => None,
    };
    if let Some(Rule { then: Replacement::Shift(base, count), .. }) = rule {
        let moved = match count {
            ShiftCount::Same => 0,
            ShiftCount::Plus => fix.c.wrapping_neg(),
            ShiftCount::Minus => fix.c,
        };
        b = number::wrapped(b.value.wrapping_add(moved), (b.bits, b.signed));
        if *base == ShiftedValue::Not {
            a.value = !a.value;
        }
    }
    (op, a, b)
}

impl Fix {
    /// The result of the repaired operation.
    pub fn value(&self, a: Operand, b: Operand) -> Option<i128> {
        self.term.value(&OperandValues { a, b, c: self.c }).map(|v| v.value)
    }

    /// The repair of a node; `None` if there is none as requested.
    pub fn choose(
        program: &Program,
        kind: &ExprKind,
        (op, a, b): (FaultyOp, Operand, Operand),
        request: FixRequest<'_>,
        choices: &mut Choices,
    ) -> Option<Fix> {
        match op {
            FaultyOp::FloatToInt => {
                let value = number::wrapped(choices.range(-100..=100).into(), (a.bits, a.signed));
                let term = Term::Const(Constant::Drawn, TermType::Left);
                Some(Fix {
                    rung: Rung::Constant,
                    term,
                    c: value.value,
                    placement: Placement::Constant,
                })
            }
            FaultyOp::Index { .. } => Fix::index(a, b, request.from, choices),
            FaultyOp::Read | FaultyOp::Conflict { .. } | FaultyOp::Other => None,
            FaultyOp::Neg => {
                Fix::arithmetic(program, kind, (Operator::Neg, a, b), request, choices)
            }
            FaultyOp::Binary(op) => {
                Fix::arithmetic(program, kind, (Operator::Binary(op), a, b), request, choices)
            }
        }
    }

    fn index(i: Operand, len: Operand, from: Rung, choices: &mut Choices) -> Option<Fix> {
        let len = len.value;
        if len == 0 {
            return None;
        }
        let placement = Placement::Index;
        let drawn = |ty| Term::Const(Constant::Drawn, ty);
        if from == Rung::Table {
            let to = i128::from(choices.below(len as u64));
            let (op, c) = if i.value < to {
                (BinOp::Add, to.checked_sub(i.value))
            } else {
                (BinOp::Sub, i.value.checked_sub(to))
            };
            // The constant must be a value of the index's type.
            if let Some(c) = c
                && c <= number::greatest(i.bits, i.signed)
            {
                return Some(Fix {
                    rung: from,
                    term: binary(op, Term::A, drawn(TermType::Left)),
                    c,
                    placement,
                });
            }
        }
        let rung = Rung::Form;
        if len > number::greatest(i.bits, false) {
            // No unsigned index of this width is too large.
            return Some(Fix {
                rung,
                term: cast(TermType::LeftUnsigned, Term::A),
                c: 0,
                placement,
            });
        }
        if len.count_ones() == 1 && choices.chance(70) {
            let term = binary(BinOp::BitAnd, Term::A, drawn(TermType::Left));
            return Some(Fix { rung, term, c: len - 1, placement });
        }
        let unsigned = cast(TermType::LeftUnsigned, Term::A);
        let term = binary(BinOp::Rem, unsigned, drawn(TermType::LeftUnsigned));
        Some(Fix { rung, term, c: len, placement })
    }

    fn arithmetic(
        program: &Program,
        kind: &ExprKind,
        (op, a, b): (Operator, Operand, Operand),
        request: FixRequest<'_>,
        choices: &mut Choices,
    ) -> Option<Fix> {
        if request.from == Rung::Table
            && let Some(rule) = rewrite::find(op, a, b, false)
            && let Some(placement) = table_placement(kind, rule)
        {
            let c = rewrite::draw(rule, a, b, choices);
            return Some(Fix { rung: Rung::Table, term: rule.term(), c, placement });
        }
        let rung = Rung::Form;
        if request.vector {
            return Fix::lanes(program, kind, op, a.signed, choices);
        }
        match *kind {
            ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, _) => {
                let unsigned = |t| cast(TermType::LeftUnsigned, t);
                let sum = binary(BinOp::Add, unsigned(Term::A), unsigned(Term::B));
                let term = cast(TermType::Left, sum);
                Some(Fix { rung, term, c: 0, placement: Placement::StepWrap })
            }
            ExprKind::AssignOp { op, .. } => {
                let mut all = assign_forms(op, a.signed);
                all.retain(|form| allowed(program, &form.rhs, kind, a.bits, request.options));
                if !request.once && all.iter().any(|form| form.exact) {
                    all.retain(|form| form.exact);
                }
                let form = choices.pick(&all)?.clone();
                let term = form.term();
                let AssignForm { op, comp, rhs, .. } = form;
                Some(Fix {
                    rung,
                    term,
                    c: 0,
                    placement: Placement::Assign { op, comp, rhs, rule: None },
                })
            }
            ExprKind::Unary(..) | ExprKind::Binary(..) => {
                let mut all = forms(op, a.signed);
                all.retain(|form| allowed(program, &form.term, kind, a.bits, request.options));
                if !request.once && all.iter().any(|form| form.exact) {
                    all.retain(|form| form.exact);
                }
                let term = choices.pick(&all)?.term.clone();
                Some(Fix { rung, term, c: 0, placement: Placement::Node(None) })
            }
            _ => None,
        }
    }

    /// The form of an operation on vectors.
    fn lanes(
        program: &Program,
        kind: &ExprKind,
        op: Operator,
        signed: bool,
        choices: &mut Choices,
    ) -> Option<Fix> {
        let rung = Rung::Form;
        let mut all = forms(op, signed);
        all.retain(|form| form.term.takes_vectors());
        let term = choices.pick(&all)?.term.clone();
        let placement = match *kind {
            ExprKind::Binary(..) | ExprKind::Unary(UnOp::Neg, _) => Placement::Node(None),
            // The operation is done in the left operand's type, so the target is named twice.
            ExprKind::AssignOp { lhs, .. } if is_simple(program, lhs) => Placement::Store,
            _ => return None,
        };
        Some(Fix { rung, term, c: 0, placement })
    }

    /// The second rung for a node, whatever its operands.
    pub fn always_defined(
        program: &Program,
        kind: &ExprKind,
        choices: &mut Choices,
        options: &RepairOptions,
    ) -> Option<Fix> {
        let operand = |ty: Ty| {
            let (bits, signed) = program.types.int_bits(lane(program, ty))?;
            Some(Operand { value: 0, bits, signed })
        };
        let ty = |e: ExprId| program.expr(e).ty;
        let (op, a, b) = match *kind {
            ExprKind::Binary(BinOp::Add, a, i) if program.types.is_pointer(ty(a)) => {
                (FaultyOp::Index { address_only: true }, operand(ty(i))?, length(program, a)?)
            }
            ExprKind::Index(a, i) => {
                (FaultyOp::Index { address_only: false }, operand(ty(i))?, length(program, a)?)
            }
            ExprKind::Unary(UnOp::Neg, a) => (FaultyOp::Neg, operand(ty(a))?, operand(ty(a))?),
            ExprKind::Binary(op, a, b) => (FaultyOp::Binary(op), operand(ty(a))?, operand(ty(b))?),
            ExprKind::AssignOp { op, rhs, comp, .. } => {
                (FaultyOp::Binary(op), operand(comp)?, operand(ty(rhs))?)
            }
            _ => return None,
        };
        let vector = is_vector(program, kind);
        let request = FixRequest { from: Rung::Form, once: false, vector, options };
        Fix::choose(program, kind, (op, a, b), request, choices)
    }

    /// Writes the repair into the tree. `kind` is what the node was before any. Returns the inner
    /// node that may be at fault in its stead, if there is one; `None` if nothing was changed.
    pub fn apply(
        &self,
        program: &mut Program,
        node: ExprId,
        kind: &ExprKind,
    ) -> Option<Option<ExprId>> {
        let (ty, span) = (program.expr(node).ty.unqual(), program.expr(node).span);
        let ty_of = |program: &Program, e: ExprId| program.expr(e).ty.unqual();
        let on = |program: &Program, a: Option<ExprId>, left: Ty, b: Option<ExprId>| {
            let right = b.map_or(left, |b| ty_of(program, b));
            Operands { a, b, left, right, c: self.c, span }
        };
        match (&self.placement, kind) {
            (Placement::Node(_), &ExprKind::Binary(_, a, b)) => {
                let on = on(program, Some(a), ty_of(program, a), Some(b));
                let built = self.term.build(program, &on)?;
                replace(program, node, built);
                Some(self.raw_inside(program, node))
            }
            (Placement::Node(_), &ExprKind::Unary(_, a)) => {
                let on = on(program, Some(a), ty_of(program, a), None);
                let built = self.term.build(program, &on)?;
                replace(program, node, built);
                Some(None)
            }
            (
                Placement::Assign { op, comp, rhs, .. },
                &ExprKind::AssignOp { lhs, rhs: b, comp: left, .. },
            ) => {
                let on = on(program, None, left, Some(b));
                let rhs = rhs.build(program, &on)?;
                let comp = on.ty(program, *comp)?;
                program.exprs[node.index()].kind = ExprKind::AssignOp { op: *op, lhs, rhs, comp };
                Some(self.raw_inside(program, rhs))
            }
            (Placement::Store, &ExprKind::AssignOp { lhs, rhs, comp, .. }) => {
                let old = copy(program, lhs)?;
                let on = on(program, Some(old), comp, Some(rhs));
                let value = self.term.build(program, &on)?;
                program.exprs[node.index()].kind = ExprKind::Assign(lhs, value);
                Some(None)
            }
            (Placement::StepBack, &ExprKind::Unary(op, a)) => {
                program.exprs[node.index()].kind = ExprKind::Unary(flipped(op), a);
                Some(None)
            }
            (Placement::StepWrap, &ExprKind::Unary(op, a)) => {
                step_wrap(program, node, op, a).map(|()| None)
            }
            (Placement::Index, &(ExprKind::Index(base, i) | ExprKind::Binary(_, base, i))) => {
                let on = on(program, Some(i), ty_of(program, i), None);
                let index = self.term.build(program, &on)?;
                program.exprs[node.index()].kind = match kind {
                    ExprKind::Index(..) => ExprKind::Index(base, index),
                    _ => ExprKind::Binary(BinOp::Add, base, index),
                };
                Some((self.rung == Rung::Table).then_some(index))
            }
            (Placement::Constant, &ExprKind::AssignOp { lhs, .. }) => {
                let value = self.constant(program, ty_of(program, lhs))?;
                program.exprs[node.index()].kind = ExprKind::Assign(lhs, value);
                Some(None)
            }
            (Placement::Constant, _) => {
                let value = self.constant(program, ty)?;
                replace(program, node, value);
                Some(None)
            }
            _ => None,
        }
    }

    fn constant(&self, program: &mut Program, ty: Ty) -> Option<ExprId> {
        let value = number::wrapped(self.c, program.types.int_bits(ty)?).value;
        Some(program.int_const(ty, value))
    }

    /// The sum or difference that a rule of the table makes a shift's count.
    fn raw_inside(&self, program: &Program, node: ExprId) -> Option<ExprId> {
        let (Placement::Node(rule) | Placement::Assign { rule, .. }) = self.placement else {
            return None;
        };
        let Replacement::Shift(_, ShiftCount::Plus | ShiftCount::Minus) = rule?.then else {
            return None;
        };
        match (&self.placement, &program.expr(node).kind) {
            (Placement::Node(_), &ExprKind::Binary(_, _, count)) => Some(count),
            _ => Some(node),
        }
    }
}

/// Whether an operation works on vectors.
pub(super) fn is_vector(program: &Program, kind: &ExprKind) -> bool {
    let of = match *kind {
        ExprKind::Binary(_, a, _) | ExprKind::Unary(_, a) => program.expr(a).ty,
        ExprKind::AssignOp { comp, .. } => comp,
        _ => return false,
    };
    program.types.lanes(of).is_some()
}

/// The length of the array that a pointer is made from.
fn length(program: &Program, decayed: ExprId) -> Option<Operand> {
    let ExprKind::Implicit(array) = program.expr(decayed).kind else { return None };
    match program.types.as_array(program.expr(array).ty)? {
        (_, ctree::ArrayLen::Known(n)) => {
            Some(Operand { value: n.into(), bits: 64, signed: false })
        }
        _ => None,
    }
}

/// Where a rule's replacement is placed; `None` if a compound assignment cannot express it.
fn table_placement(kind: &ExprKind, rule: &'static Rule) -> Option<Placement> {
    match *kind {
        ExprKind::Unary(UnOp::Neg, _) | ExprKind::Binary(..) => Some(Placement::Node(Some(rule))),
        ExprKind::Unary(..) => Some(Placement::StepBack),
        ExprKind::AssignOp { op, .. } => {
            let (op, rhs) = match (rule.then, rule.term()) {
                (Replacement::Operator(other), _) => (other, Term::B),
                (Replacement::Shift(ShiftedValue::Same, _), Term::Binary(_, _, count)) => {
                    (op, *count)
                }
                _ => return None,
            };
            Some(Placement::Assign { op, comp: TermType::Left, rhs, rule: Some(rule) })
        }
        _ => None,
    }
}

/// Whether a form can be used here: its types exist, GNU's operator is allowed, and an operand
/// that it names twice may be duplicated.
fn allowed(
    program: &Program,
    term: &Term,
    kind: &ExprKind,
    bits: u32,
    options: &RepairOptions,
) -> bool {
    let once = |times: u32, e: ExprId| times < 2 || is_simple(program, e);
    let (a, b) = term.uses();
    let repeatable = match *kind {
        ExprKind::Binary(_, left, right) => once(a, left) && once(b, right),
        ExprKind::Unary(_, of) => once(a, of),
        ExprKind::AssignOp { rhs, .. } => once(b, rhs),
        _ => false,
    };
    let widest = if options.int128 { 64 } else { 32 };
    repeatable
        && !(term.is_wide() && bits > widest)
        && (options.gnu || !term.uses_gnu_conditional())
}

/// Overwrites a node by a new one, whose own entry disappears if it is the last.
pub(super) fn replace(program: &mut Program, node: ExprId, with: ExprId) {
    let is_last = with.index() + 1 == program.exprs.len();
    let Expr { kind, ty, .. } = program.expr(with).clone();
    if is_last {
        program.exprs.pop();
    }
    let expr = &mut program.exprs[node.index()];
    (expr.kind, expr.ty) = (kind, ty);
}

fn flipped(op: UnOp) -> UnOp {
    match op {
        UnOp::PreInc => UnOp::PreDec,
        UnOp::PreDec => UnOp::PreInc,
        UnOp::PostInc => UnOp::PostDec,
        UnOp::PostDec => UnOp::PostInc,
        other => other,
    }
}

/// `++x` becomes `x += 1u`, and `x++` becomes `(T)((x += 1u) - 1u)`.
fn step_wrap(program: &mut Program, node: ExprId, op: UnOp, target: ExprId) -> Option<()> {
    let Expr { ty, span, .. } = *program.expr(node);
    let unsigned = program.types.int_kind(ty)?.to_unsigned().ty();
    let (add, sub) = match op {
        UnOp::PreInc | UnOp::PostInc => (BinOp::Add, BinOp::Sub),
        _ => (BinOp::Sub, BinOp::Add),
    };
    let one = program.int_const(unsigned, 1);
    let assign = ExprKind::AssignOp { op: add, lhs: target, rhs: one, comp: unsigned };
    if let UnOp::PreInc | UnOp::PreDec = op {
        program.exprs[node.index()].kind = assign;
        return Some(());
    }
    let assign = program.add_expr(assign, ty, span);
    let new = program.add_expr(ExprKind::Cast(unsigned, assign), unsigned, span);
    let one = program.int_const(unsigned, 1);
    let old = program.add_expr(ExprKind::Binary(sub, new, one), unsigned, span);
    program.exprs[node.index()].kind = ExprKind::Cast(ty, old);
    Some(())
}
