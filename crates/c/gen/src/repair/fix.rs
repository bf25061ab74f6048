//! Repairs of a single operation: which rung of the ladder a node gets, what that gives instead of the
//! undefined result, and how it is written into the tree.
//!
//! A node keeps its place and its type, because its parent refers to it: it is overwritten, and
//! what it needs inside is made new.

use super::RepairOptions;
use super::forms::{AssignForm, assign_forms, forms};
use super::number;
use super::rewrite::{self, Base, Count, Operator, Rule, Then};
use super::term::{Constant, Operands, Term, Type, Values, binary, cast, copy, is_simple, lane};
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
    /// No operation any more: a constant, or an object made for the purpose.
    Constant = 3,
}

/// What sort of repair is wanted.
#[derive(Clone, Copy)]
pub(super) struct Wish<'o> {
    /// The lowest rung.
    pub from: Rung,
    /// The node is executed at most once. If not, a form that changes nothing where the operation is
    /// defined is better: the run went on with the operation's own values there.
    pub once: bool,
    /// The node works on vectors: what suits one lane must suit all.
    pub vector: bool,
    pub options: &'o RepairOptions,
}

/// A repair of an operation.
#[derive(Clone, Debug)]
pub(super) struct Fix {
    pub rung: Rung,
    /// What comes instead, as a function of the operands.
    term: Term,
    /// The constant in it.
    c: i128,
    place: Place,
}

/// Where in the node the term goes.
#[derive(Clone, Debug)]
enum Place {
    /// Instead of the node.
    Node(Option<&'static Rule>),
    /// Another compound assignment.
    Assign { op: BinOp, comp: Type, rhs: Term, rule: Option<&'static Rule> },
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
    let rule = match fix.place {
        Place::Node(rule) | Place::Assign { rule, .. } => rule,
        Place::StepBack => {
            b.value = -b.value;
            return (op, a, b);
        }
        Place::Index => {
            // The only first rung of an index: moved by a constant.
            let moved = if let Term::Binary(BinOp::Add, ..) = fix.term { -fix.c } else { fix.c };
            a = number::wrapped(a.value.wrapping_add(moved), (a.bits, a.signed));
            return (op, a, b);
        }
        _ => None,
    };
    if let Some(Rule { then: Then::Shift(base, count), .. }) = rule {
        let moved = match count {
            Count::Same => 0,
            Count::Plus => fix.c.wrapping_neg(),
            Count::Minus => fix.c,
        };
        b = number::wrapped(b.value.wrapping_add(moved), (b.bits, b.signed));
        if *base == Base::Not {
            a.value = !a.value;
        }
    }
    (op, a, b)
}

impl Fix {
    /// What the repaired operation gives.
    pub fn value(&self, a: Operand, b: Operand) -> Option<i128> {
        self.term.value(&Values { a, b, c: self.c }).map(|v| v.value)
    }

    /// The repair of a node; `None` if it has none of this sort.
    pub fn choose(
        p: &Program,
        kind: &ExprKind,
        (op, a, b): (FaultyOp, Operand, Operand),
        wish: Wish<'_>,
        choices: &mut Choices,
    ) -> Option<Fix> {
        match op {
            FaultyOp::FloatToInt => {
                let value = number::wrapped(choices.range(-100..=100).into(), (a.bits, a.signed));
                let term = Term::Const(Constant::Drawn, Type::Left);
                Some(Fix { rung: Rung::Constant, term, c: value.value, place: Place::Constant })
            }
            FaultyOp::Index { .. } => Fix::index(a, b, wish.from, choices),
            FaultyOp::Read | FaultyOp::Conflict { .. } | FaultyOp::Other => None,
            FaultyOp::Neg => Fix::arithmetic(p, kind, (Operator::Neg, a, b), wish, choices),
            FaultyOp::Binary(op) => {
                Fix::arithmetic(p, kind, (Operator::Binary(op), a, b), wish, choices)
            }
        }
    }

    fn index(i: Operand, len: Operand, from: Rung, choices: &mut Choices) -> Option<Fix> {
        let len = len.value;
        if len == 0 {
            return None;
        }
        let place = Place::Index;
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
                    term: binary(op, Term::A, drawn(Type::Left)),
                    c,
                    place,
                });
            }
        }
        let rung = Rung::Form;
        if len > number::greatest(i.bits, false) {
            // No unsigned index of this width is too large.
            return Some(Fix { rung, term: cast(Type::LeftUnsigned, Term::A), c: 0, place });
        }
        if len.count_ones() == 1 && choices.chance(70) {
            let term = binary(BinOp::BitAnd, Term::A, drawn(Type::Left));
            return Some(Fix { rung, term, c: len - 1, place });
        }
        let unsigned = cast(Type::LeftUnsigned, Term::A);
        let term = binary(BinOp::Rem, unsigned, drawn(Type::LeftUnsigned));
        Some(Fix { rung, term, c: len, place })
    }

    fn arithmetic(
        p: &Program,
        kind: &ExprKind,
        (op, a, b): (Operator, Operand, Operand),
        wish: Wish<'_>,
        choices: &mut Choices,
    ) -> Option<Fix> {
        if wish.from == Rung::Table
            && let Some(rule) = rewrite::find(op, a, b, false)
            && let Some(place) = table_place(kind, rule)
        {
            let c = rewrite::draw(rule, a, b, choices);
            return Some(Fix { rung: Rung::Table, term: rule.term(), c, place });
        }
        let rung = Rung::Form;
        if wish.vector {
            return Fix::lanes(p, kind, op, a.signed, choices);
        }
        match *kind {
            ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, _) => {
                let unsigned = |t| cast(Type::LeftUnsigned, t);
                let sum = binary(BinOp::Add, unsigned(Term::A), unsigned(Term::B));
                let term = cast(Type::Left, sum);
                Some(Fix { rung, term, c: 0, place: Place::StepWrap })
            }
            ExprKind::AssignOp { op, .. } => {
                let mut all = assign_forms(op, a.signed);
                all.retain(|form| allowed(p, &form.rhs, kind, a.bits, wish.options));
                if !wish.once && all.iter().any(|form| form.exact) {
                    all.retain(|form| form.exact);
                }
                let form = choices.pick(&all)?.clone();
                let term = form.term();
                let AssignForm { op, comp, rhs, .. } = form;
                Some(Fix { rung, term, c: 0, place: Place::Assign { op, comp, rhs, rule: None } })
            }
            ExprKind::Unary(..) | ExprKind::Binary(..) => {
                let mut all = forms(op, a.signed);
                all.retain(|form| allowed(p, &form.term, kind, a.bits, wish.options));
                if !wish.once && all.iter().any(|form| form.exact) {
                    all.retain(|form| form.exact);
                }
                let term = choices.pick(&all)?.term.clone();
                Some(Fix { rung, term, c: 0, place: Place::Node(None) })
            }
            _ => None,
        }
    }

    /// The form of an operation on vectors.
    fn lanes(
        p: &Program,
        kind: &ExprKind,
        op: Operator,
        signed: bool,
        choices: &mut Choices,
    ) -> Option<Fix> {
        let rung = Rung::Form;
        let mut all = forms(op, signed);
        all.retain(|form| form.term.takes_vectors());
        let term = choices.pick(&all)?.term.clone();
        let place = match *kind {
            ExprKind::Binary(..) | ExprKind::Unary(UnOp::Neg, _) => Place::Node(None),
            // The left operand's type decides, so the target must be named twice.
            ExprKind::AssignOp { lhs, .. } if is_simple(p, lhs) => Place::Store,
            _ => return None,
        };
        Some(Fix { rung, term, c: 0, place })
    }

    /// The second rung for a node, whatever its operands.
    pub fn blind(
        p: &Program,
        kind: &ExprKind,
        choices: &mut Choices,
        options: &RepairOptions,
    ) -> Option<Fix> {
        let operand = |ty: Ty| {
            let (bits, signed) = p.types.int_bits(lane(p, ty))?;
            Some(Operand { value: 0, bits, signed })
        };
        let ty = |e: ExprId| p.expr(e).ty;
        let (op, a, b) = match *kind {
            ExprKind::Binary(BinOp::Add, a, i) if p.types.is_pointer(ty(a)) => {
                (FaultyOp::Index { address_only: true }, operand(ty(i))?, length(p, a)?)
            }
            ExprKind::Index(a, i) => {
                (FaultyOp::Index { address_only: false }, operand(ty(i))?, length(p, a)?)
            }
            ExprKind::Unary(UnOp::Neg, a) => (FaultyOp::Neg, operand(ty(a))?, operand(ty(a))?),
            ExprKind::Binary(op, a, b) => (FaultyOp::Binary(op), operand(ty(a))?, operand(ty(b))?),
            ExprKind::AssignOp { op, rhs, comp, .. } => {
                (FaultyOp::Binary(op), operand(comp)?, operand(ty(rhs))?)
            }
            _ => return None,
        };
        let vector = is_vector(p, kind);
        let wish = Wish { from: Rung::Form, once: false, vector, options };
        Fix::choose(p, kind, (op, a, b), wish, choices)
    }

    /// Writes the repair into the tree. `kind` is what the node was before any. Gives the node
    /// inside that may be at fault in its stead, if there is one; `None` if nothing was changed.
    pub fn apply(&self, p: &mut Program, node: ExprId, kind: &ExprKind) -> Option<Option<ExprId>> {
        let (ty, span) = (p.expr(node).ty.unqual(), p.expr(node).span);
        let ty_of = |p: &Program, e: ExprId| p.expr(e).ty.unqual();
        let on = |p: &Program, a: Option<ExprId>, left: Ty, b: Option<ExprId>| {
            let right = b.map_or(left, |b| ty_of(p, b));
            Operands { a, b, left, right, c: self.c, span }
        };
        match (&self.place, kind) {
            (Place::Node(_), &ExprKind::Binary(_, a, b)) => {
                let on = on(p, Some(a), ty_of(p, a), Some(b));
                let built = self.term.build(p, &on)?;
                replace(p, node, built);
                Some(self.raw_inside(p, node))
            }
            (Place::Node(_), &ExprKind::Unary(_, a)) => {
                let on = on(p, Some(a), ty_of(p, a), None);
                let built = self.term.build(p, &on)?;
                replace(p, node, built);
                Some(None)
            }
            (
                Place::Assign { op, comp, rhs, .. },
                &ExprKind::AssignOp { lhs, rhs: b, comp: left, .. },
            ) => {
                let on = on(p, None, left, Some(b));
                let rhs = rhs.build(p, &on)?;
                let comp = on.ty(p, *comp)?;
                p.exprs[node.index()].kind = ExprKind::AssignOp { op: *op, lhs, rhs, comp };
                Some(self.raw_inside(p, rhs))
            }
            (Place::Store, &ExprKind::AssignOp { lhs, rhs, comp, .. }) => {
                let old = copy(p, lhs)?;
                let on = on(p, Some(old), comp, Some(rhs));
                let value = self.term.build(p, &on)?;
                p.exprs[node.index()].kind = ExprKind::Assign(lhs, value);
                Some(None)
            }
            (Place::StepBack, &ExprKind::Unary(op, a)) => {
                p.exprs[node.index()].kind = ExprKind::Unary(flipped(op), a);
                Some(None)
            }
            (Place::StepWrap, &ExprKind::Unary(op, a)) => step_wrap(p, node, op, a).map(|()| None),
            (Place::Index, &(ExprKind::Index(base, i) | ExprKind::Binary(_, base, i))) => {
                let on = on(p, Some(i), ty_of(p, i), None);
                let index = self.term.build(p, &on)?;
                p.exprs[node.index()].kind = match kind {
                    ExprKind::Index(..) => ExprKind::Index(base, index),
                    _ => ExprKind::Binary(BinOp::Add, base, index),
                };
                Some((self.rung == Rung::Table).then_some(index))
            }
            (Place::Constant, &ExprKind::AssignOp { lhs, .. }) => {
                let value = self.constant(p, ty_of(p, lhs))?;
                p.exprs[node.index()].kind = ExprKind::Assign(lhs, value);
                Some(None)
            }
            (Place::Constant, _) => {
                let value = self.constant(p, ty)?;
                replace(p, node, value);
                Some(None)
            }
            _ => None,
        }
    }

    fn constant(&self, p: &mut Program, ty: Ty) -> Option<ExprId> {
        let value = number::wrapped(self.c, p.types.int_bits(ty)?).value;
        Some(p.int_const(ty, value))
    }

    /// The sum or difference that a rule of the table makes a shift's count.
    fn raw_inside(&self, p: &Program, node: ExprId) -> Option<ExprId> {
        let (Place::Node(rule) | Place::Assign { rule, .. }) = self.place else { return None };
        let Then::Shift(_, Count::Plus | Count::Minus) = rule?.then else { return None };
        match (&self.place, &p.expr(node).kind) {
            (Place::Node(_), &ExprKind::Binary(_, _, count)) => Some(count),
            _ => Some(node),
        }
    }
}

/// Whether an operation works on vectors.
pub(super) fn is_vector(p: &Program, kind: &ExprKind) -> bool {
    let of = match *kind {
        ExprKind::Binary(_, a, _) | ExprKind::Unary(_, a) => p.expr(a).ty,
        ExprKind::AssignOp { comp, .. } => comp,
        _ => return false,
    };
    p.types.lanes(of).is_some()
}

/// The length of the array that a pointer is made from.
fn length(p: &Program, decayed: ExprId) -> Option<Operand> {
    let ExprKind::Implicit(array) = p.expr(decayed).kind else { return None };
    match p.types.as_array(p.expr(array).ty)? {
        (_, ctree::ArrayLen::Known(n)) => {
            Some(Operand { value: n.into(), bits: 64, signed: false })
        }
        _ => None,
    }
}

/// Where a rule's replacement goes; a compound assignment has no place for some.
fn table_place(kind: &ExprKind, rule: &'static Rule) -> Option<Place> {
    match *kind {
        ExprKind::Unary(UnOp::Neg, _) | ExprKind::Binary(..) => Some(Place::Node(Some(rule))),
        ExprKind::Unary(..) => Some(Place::StepBack),
        ExprKind::AssignOp { op, .. } => {
            let (op, rhs) = match (rule.then, rule.term()) {
                (Then::Operator(other), _) => (other, Term::B),
                (Then::Shift(Base::Same, _), Term::Binary(_, _, count)) => (op, *count),
                _ => return None,
            };
            Some(Place::Assign { op, comp: Type::Left, rhs, rule: Some(rule) })
        }
        _ => None,
    }
}

/// Whether a form can be used here: its types exist, GNU's operator is welcome, and an operand that
/// it names twice may be written twice.
fn allowed(p: &Program, term: &Term, kind: &ExprKind, bits: u32, options: &RepairOptions) -> bool {
    let once = |times: u32, e: ExprId| times < 2 || is_simple(p, e);
    let (a, b) = term.uses();
    let repeatable = match *kind {
        ExprKind::Binary(_, left, right) => once(a, left) && once(b, right),
        ExprKind::Unary(_, of) => once(a, of),
        ExprKind::AssignOp { rhs, .. } => once(b, rhs),
        _ => false,
    };
    let widest = if options.int128 { 64 } else { 32 };
    repeatable && !(term.is_wide() && bits > widest) && (options.gnu || !term.has_elvis())
}

/// Overwrites a node by a new one, whose own entry disappears if it is the last.
pub(super) fn replace(p: &mut Program, node: ExprId, with: ExprId) {
    let is_last = with.index() + 1 == p.exprs.len();
    let Expr { kind, ty, .. } = p.expr(with).clone();
    if is_last {
        p.exprs.pop();
    }
    let expr = &mut p.exprs[node.index()];
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
fn step_wrap(p: &mut Program, node: ExprId, op: UnOp, target: ExprId) -> Option<()> {
    let Expr { ty, span, .. } = *p.expr(node);
    let unsigned = p.types.int_kind(ty)?.to_unsigned().ty();
    let (add, sub) = match op {
        UnOp::PreInc | UnOp::PostInc => (BinOp::Add, BinOp::Sub),
        _ => (BinOp::Sub, BinOp::Add),
    };
    let one = p.int_const(unsigned, 1);
    let assign = ExprKind::AssignOp { op: add, lhs: target, rhs: one, comp: unsigned };
    if let UnOp::PreInc | UnOp::PreDec = op {
        p.exprs[node.index()].kind = assign;
        return Some(());
    }
    let assign = p.add_expr(assign, ty, span);
    let new = p.add_expr(ExprKind::Cast(unsigned, assign), unsigned, span);
    let one = p.int_const(unsigned, 1);
    let old = p.add_expr(ExprKind::Binary(sub, new, one), unsigned, span);
    p.exprs[node.index()].kind = ExprKind::Cast(ty, old);
    Some(())
}
