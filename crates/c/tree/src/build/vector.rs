//! Typing of operators on GCC's vectors, for the parser and for trees made by hand.
//!
//! An operator works on each lane in the lane's type. A scalar beside a vector is spread over the
//! lanes: an [`Implicit`](crate::ExprKind::Implicit) conversion to the vector type. A cast between vectors
//! of one size keeps the bytes. `!`, `&&`, `||` and `?:` do not take vectors in C, and clang does not
//! take `++` and `--`.
//!
//! What both GCC and clang accept with the same meaning:
//! - two vectors of exactly one type (a shift count may differ in signedness);
//! - beside a vector, a scalar of its element type, or any integer as a shift count;
//! - a comparison's result as a vector of signed integers, best behind a cast: clang calls 8-byte
//!   lanes `long long` and 1-byte lanes `char`.

use crate::expr::{BinOp, ExprKind, Init, InitItem};
use crate::ids::ExprId;
use crate::program::Program;
use crate::source::Span;
use crate::types::{Ty, TypeKind, TypeTable};

/// What the operands of an operator on vectors are converted to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VectorOperands {
    /// Type of the left operand.
    pub left: Ty,
    /// Type of the right operand; `None` for a shift count, which is only promoted.
    pub right: Option<Ty>,
    /// Type of the result.
    pub result: Ty,
}

impl TypeTable {
    /// Element type and number of lanes of a vector type.
    pub fn lanes(&self, ty: Ty) -> Option<(Ty, u32)> {
        match *self.shape(ty) {
            TypeKind::Vector(elem, lanes) => Some((elem, lanes)),
            _ => None,
        }
    }

    /// How a binary operator takes operands of which at least one is a vector; `None` if there is no
    /// vector, or no such operator on vectors. Incompatible operands are not detected.
    pub fn vector_operands(&mut self, op: BinOp, lhs: Ty, rhs: Ty) -> Option<VectorOperands> {
        use BinOp::{Comma, Eq, Ge, Gt, Le, LogAnd, LogOr, Lt, Ne, Shl, Shr};
        let (lhs, rhs) = (self.canon(lhs).unqual(), self.canon(rhs).unqual());
        let left = match (self.lanes(lhs), self.lanes(rhs)) {
            (Some(_), _) => lhs,
            (None, Some(_)) => rhs,
            (None, None) => return None,
        };
        Some(match op {
            LogAnd | LogOr | Comma => return None,
            Shl | Shr if self.lanes(rhs).is_some() => {
                VectorOperands { left, right: Some(rhs), result: left }
            }
            Shl | Shr => VectorOperands { left, right: None, result: left },
            Lt | Gt | Le | Ge | Eq | Ne => {
                VectorOperands { left, right: Some(left), result: self.mask(left) }
            }
            _ => VectorOperands { left, right: Some(left), result: left },
        })
    }

    /// The type of a comparison of vectors: signed integers as wide as the elements, 0 or -1.
    pub fn mask(&mut self, vector: Ty) -> Ty {
        let Some((elem, lanes)) = self.lanes(vector) else { return vector };
        let int = match self.size_of(elem) {
            Some(1) => Ty::SCHAR,
            Some(2) => Ty::SHORT,
            Some(4) => Ty::INT,
            Some(16) => Ty::INT128,
            _ => self.model.intmax_type().ty(),
        };
        self.vector(int, lanes)
    }
}

impl Program {
    pub(super) fn vector_binary(
        &mut self,
        op: BinOp,
        lhs: ExprId,
        rhs: ExprId,
        operands: VectorOperands,
    ) -> ExprId {
        let lhs = self.convert(lhs, operands.left);
        let rhs = self.vector_right(rhs, operands);
        self.add_expr(ExprKind::Binary(op, lhs, rhs), operands.result, Span::NONE)
    }

    pub(super) fn vector_right(&mut self, rhs: ExprId, operands: VectorOperands) -> ExprId {
        match operands.right {
            Some(ty) => self.convert(rhs, ty),
            None => self.promote(rhs),
        }
    }

    /// `(V){a, b, …}`: lanes in order, the rest zero.
    pub fn vector_lit(&mut self, ty: Ty, lanes: &[ExprId]) -> ExprId {
        let elem = self.types.lanes(ty).map_or(ty, |(elem, _)| elem);
        let items = lanes.iter().enumerate().map(|(i, &lane)| {
            let init = Init::Expr(self.convert(lane, elem));
            InitItem { first: i as u64, last: i as u64, init }
        });
        let items = items.collect();
        self.compound_lit(ty, Init::List(items))
    }
}
