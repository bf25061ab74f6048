//! Small expressions over the operands of an operation: the replacements of repairs.
//!
//! A replacement is defined once, as a [`Term`], and used three times: [`Term::value`] evaluates it,
//! [`Term::build`] writes it into the tree, and the tests translate it for a solver. So what is proved is
//! what is executed.

use super::number;
use cmachine::Operand;
use ctree::{BinOp, ExprId, ExprKind, IntKind, Program, Span, Ty, UnOp};

/// A type of a term, relative to the operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TermType {
    /// That of the left operand.
    Left,
    /// The unsigned type of its width.
    LeftUnsigned,
    /// A signed type of twice its width.
    LeftWide,
    /// That of the right operand.
    Right,
}

/// A constant of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constant {
    /// A small number.
    Small(i64),
    /// The greatest value of its type.
    Max,
    /// The width of the left operand less one.
    CountMask,
    /// The constant that was chosen for this repair.
    Drawn,
}

/// An expression over the operands. Operands of arithmetic have one type.
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// The left operand.
    A,
    /// The right operand.
    B,
    /// A constant of a type.
    Const(Constant, TermType),
    /// A conversion.
    Cast(TermType, Box<Term>),
    /// `+`, `-` or `~`.
    Unary(UnOp, Box<Term>),
    /// Arithmetic; `>` gives an `int`.
    Binary(BinOp, Box<Term>, Box<Term>),
    /// `c ? a : b`.
    Cond(Box<Term>, Box<Term>, Box<Term>),
    /// GNU's `a ?: b`.
    Elvis(Box<Term>, Box<Term>),
}

/// `left op right`
pub fn binary(op: BinOp, left: Term, right: Term) -> Term {
    Term::Binary(op, Box::new(left), Box::new(right))
}

/// `(ty)of`
pub fn cast(ty: TermType, of: Term) -> Term {
    Term::Cast(ty, Box::new(of))
}

/// `op of`
pub fn unary(op: UnOp, of: Term) -> Term {
    Term::Unary(op, Box::new(of))
}

/// A small constant.
pub fn small(value: i64, ty: TermType) -> Term {
    Term::Const(Constant::Small(value), ty)
}

/// The values of a term's operands.
#[derive(Clone, Copy, Debug)]
pub struct OperandValues {
    /// Left operand.
    pub a: Operand,
    /// Right operand.
    pub b: Operand,
    /// The drawn constant.
    pub c: i128,
}

impl OperandValues {
    fn shape(&self, ty: TermType) -> (u32, bool) {
        match ty {
            TermType::Left => (self.a.bits, self.a.signed),
            TermType::LeftUnsigned => (self.a.bits, false),
            TermType::LeftWide => (self.a.bits * 2, true),
            TermType::Right => (self.b.bits, self.b.signed),
        }
    }

    fn constant(&self, constant: Constant, ty: TermType) -> i128 {
        let (bits, signed) = self.shape(ty);
        match constant {
            Constant::Small(value) => value.into(),
            Constant::Max => number::greatest(bits, signed),
            Constant::CountMask => i128::from(self.a.bits) - 1,
            Constant::Drawn => self.c,
        }
    }
}

impl Term {
    /// The value of the term; `None` if an operation in it is undefined.
    pub fn value(&self, on: &OperandValues) -> Option<Operand> {
        match self {
            Term::A => Some(on.a),
            Term::B => Some(on.b),
            &Term::Const(constant, ty) => {
                Some(number::wrapped(on.constant(constant, ty), on.shape(ty)))
            }
            Term::Cast(ty, of) => Some(number::wrapped(of.value(on)?.value, on.shape(*ty))),
            Term::Unary(op, of) => number::unary(*op, of.value(on)?),
            Term::Binary(op, a, b) => number::binary(*op, a.value(on)?, b.value(on)?),
            Term::Cond(c, a, b) => if c.value(on)?.value != 0 { a } else { b }.value(on),
            Term::Elvis(a, b) => {
                let a = a.value(on)?;
                if a.value != 0 { Some(a) } else { b.value(on) }
            }
        }
    }

    /// How often the term names its left and its right operand.
    pub fn uses(&self) -> (u32, u32) {
        let add = |x: (u32, u32), y: (u32, u32)| (x.0 + y.0, x.1 + y.1);
        match self {
            Term::A => (1, 0),
            Term::B => (0, 1),
            Term::Const(..) => (0, 0),
            Term::Cast(_, of) | Term::Unary(_, of) => of.uses(),
            Term::Binary(_, a, b) | Term::Elvis(a, b) => add(a.uses(), b.uses()),
            Term::Cond(c, a, b) => add(c.uses(), add(a.uses(), b.uses())),
        }
    }

    /// Whether GNU's `?:` occurs.
    pub fn uses_gnu_conditional(&self) -> bool {
        match self {
            Term::A | Term::B | Term::Const(..) => false,
            Term::Cast(_, of) | Term::Unary(_, of) => of.uses_gnu_conditional(),
            Term::Binary(_, a, b) => a.uses_gnu_conditional() || b.uses_gnu_conditional(),
            Term::Cond(c, a, b) => {
                c.uses_gnu_conditional() || a.uses_gnu_conditional() || b.uses_gnu_conditional()
            }
            Term::Elvis(..) => true,
        }
    }

    /// Whether the operators in it take vectors.
    pub fn takes_vectors(&self) -> bool {
        match self {
            Term::A | Term::B | Term::Const(..) => true,
            Term::Cast(ty, of) => *ty != TermType::LeftWide && of.takes_vectors(),
            Term::Unary(_, of) => of.takes_vectors(),
            Term::Binary(op, a, b) => *op != BinOp::Gt && a.takes_vectors() && b.takes_vectors(),
            Term::Cond(..) | Term::Elvis(..) => false,
        }
    }

    /// Whether a type of twice the width occurs.
    pub fn is_wide(&self) -> bool {
        match self {
            Term::A | Term::B | Term::Const(..) => false,
            Term::Cast(ty, of) => *ty == TermType::LeftWide || of.is_wide(),
            Term::Unary(_, of) => of.is_wide(),
            Term::Binary(_, a, b) | Term::Elvis(a, b) => a.is_wide() || b.is_wide(),
            Term::Cond(c, a, b) => c.is_wide() || a.is_wide() || b.is_wide(),
        }
    }
}

/// The operands of an operation in a tree.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    /// Left operand, where it is an expression of its own.
    pub a: Option<ExprId>,
    /// Right operand, likewise.
    pub b: Option<ExprId>,
    /// Type of the left operand.
    pub left: Ty,
    /// Type of the right operand.
    pub right: Ty,
    /// The drawn constant.
    pub c: i128,
    /// Where new nodes stand.
    pub span: Span,
}

impl Operands {
    /// The type in the tree. Of a vector, each lane has the type that a scalar would have.
    pub fn ty(&self, program: &mut Program, ty: TermType) -> Option<Ty> {
        let lanes = program.types.lanes(self.left);
        let left = program.types.int_kind(lane(program, self.left))?;
        let scalar = match ty {
            TermType::Left => return Some(self.left),
            TermType::Right => return Some(self.right),
            TermType::LeftUnsigned => left.to_unsigned().ty(),
            TermType::LeftWide => match program.types.model.int_size(left) {
                ..=4 => IntKind::LongLong.ty(),
                8 => IntKind::Int128.ty(),
                _ => return None,
            },
        };
        Some(lanes.map_or(scalar, |(_, count)| program.types.vector(scalar, count)))
    }

    fn values(&self, program: &Program) -> Option<OperandValues> {
        let operand = |ty| {
            let (bits, signed) = program.types.int_bits(lane(program, ty))?;
            Some(Operand { value: 0, bits, signed })
        };
        Some(OperandValues { a: operand(self.left)?, b: operand(self.right)?, c: self.c })
    }
}

/// The type of a vector's lanes; of anything else, its own.
pub fn lane(program: &Program, ty: Ty) -> Ty {
    program.types.lanes(ty).map_or(ty, |(elem, _)| elem)
}

impl Term {
    /// Builds the term as an expression; `None` if it needs a type or an operand that does not exist.
    /// An operand named more than once must be [`simple`](is_simple).
    pub fn build(&self, program: &mut Program, on: &Operands) -> Option<ExprId> {
        let mut used = (false, false);
        self.node(program, on, &mut used)
    }

    fn node(
        &self,
        program: &mut Program,
        on: &Operands,
        used: &mut (bool, bool),
    ) -> Option<ExprId> {
        let (kind, ty) = match self {
            Term::A => return operand(program, on.a?, &mut used.0),
            Term::B => return operand(program, on.b?, &mut used.1),
            &Term::Const(constant, ty) => {
                let values = on.values(program)?;
                let value = values.constant(constant, ty);
                let ty = on.ty(program, ty)?;
                let scalar = program.int_const(lane(program, ty), value);
                // Beside a vector, it is spread over the lanes.
                return Some(program.convert(scalar, ty));
            }
            Term::Cast(ty, of) => {
                let of = of.node(program, on, used)?;
                let ty = on.ty(program, *ty)?;
                // A scalar that is spread over the lanes is cast before.
                if let (Some((elem, _)), ExprKind::Implicit(scalar)) =
                    (program.types.lanes(ty), &program.expr(of).kind)
                    && let &scalar = scalar
                    && program.types.lanes(program.expr(scalar).ty).is_none()
                {
                    let scalar = program.cast(elem, scalar);
                    return Some(program.convert(scalar, ty));
                }
                (ExprKind::Cast(ty, of), ty)
            }
            Term::Unary(op, of) => {
                let of = of.node(program, on, used)?;
                (ExprKind::Unary(*op, of), program.expr(of).ty.unqual())
            }
            Term::Binary(op, a, b) => {
                let (a, b) = (a.node(program, on, used)?, b.node(program, on, used)?);
                let ty = if *op == BinOp::Gt { Ty::INT } else { program.expr(a).ty.unqual() };
                (ExprKind::Binary(*op, a, b), ty)
            }
            Term::Cond(c, a, b) => {
                let c = c.node(program, on, used)?;
                let (a, b) = (a.node(program, on, used)?, b.node(program, on, used)?);
                (ExprKind::Cond(c, Some(a), b), program.expr(a).ty.unqual())
            }
            Term::Elvis(a, b) => {
                let (a, b) = (a.node(program, on, used)?, b.node(program, on, used)?);
                (ExprKind::Cond(a, None, b), program.expr(a).ty.unqual())
            }
        };
        Some(program.add_expr(kind, ty, on.span))
    }
}

fn operand(program: &mut Program, id: ExprId, used: &mut bool) -> Option<ExprId> {
    if !std::mem::replace(used, true) {
        return Some(id);
    }
    copy(program, id)
}

/// Whether an expression can be duplicated: a variable or a constant, converted or not.
pub fn is_simple(program: &Program, id: ExprId) -> bool {
    let expr = program.expr(id);
    match expr.kind {
        ExprKind::Int(_) | ExprKind::EnumConst(..) => true,
        ExprKind::Var(_) => !expr.ty.is_volatile(),
        ExprKind::Implicit(of) | ExprKind::Cast(_, of) => is_simple(program, of),
        ExprKind::Unary(UnOp::Neg | UnOp::Plus | UnOp::BitNot, of) => is_simple(program, of),
        _ => false,
    }
}

/// A second copy of a simple expression.
pub fn copy(program: &mut Program, id: ExprId) -> Option<ExprId> {
    if !is_simple(program, id) {
        return None;
    }
    Some(program.copy_expr(id))
}
