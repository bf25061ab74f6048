//! Integer constant expressions (C11 6.6), evaluated on the tree.
//!
//! Integers are exact; signed overflow, division by zero and out-of-range shifts make an
//! expression not constant. Floating operands are followed in `double` precision, which is enough
//! for the casts to integer C allows. Addresses are followed only from a null pointer, for the
//! old-fashioned `(size_t)&((T *)0)->m`.

use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::Parser;
use ctree::*;

/// Greatest depth of a folded tree. The stack must hold this on top of the parser's own nesting.
const MAX_FOLD: u32 = 400;

/// A value: integers as mathematical values, except that `unsigned __int128` wraps into `i128`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ConstValue {
    Int(i128),
    Float(f64),
}

impl ConstValue {
    fn truth(self) -> bool {
        match self {
            ConstValue::Int(n) => n != 0,
            ConstValue::Float(x) => x != 0.0,
        }
    }

    fn int(self) -> Option<i128> {
        match self {
            ConstValue::Int(n) => Some(n),
            ConstValue::Float(_) => None,
        }
    }
}

impl Parser<'_> {
    /// Parses a conditional expression that must be an integer constant; `what` names it in a
    /// message. The nodes are dropped again: the tree holds the value.
    pub(crate) fn const_int(&mut self, what: &str) -> ParseResult<(i128, Ty)> {
        let mark = self.arena_mark();
        let e = self.cond_expr()?;
        let ty = self.ty(e).unqual();
        let span = self.span(e);
        if !self.program.types.is_integer(ty) {
            return invalid(span, format!("{what} is not an integer constant"));
        }
        let Some(value) = self.fold_int(e) else {
            return invalid(span, format!("{what} is not an integer constant"));
        };
        self.drop_nodes_since(mark);
        Ok((value, ty))
    }

    /// A constant that must fit `u32`, such as an alignment.
    pub(crate) fn const_u32(&mut self, what: &str) -> ParseResult<u32> {
        let span = self.cur.span();
        let (value, _) = self.const_int(what)?;
        match u32::try_from(value) {
            Ok(n) => Ok(n),
            Err(_) if value < 0 => invalid(span, format!("{what} is negative")),
            Err(_) => unsupported(span, format!("{what} of {value}")),
        }
    }

    /// The value of an integer constant expression, as its type gives it.
    pub(crate) fn fold_int(&self, e: ExprId) -> Option<i128> {
        self.fold(e, MAX_FOLD)?.int()
    }

    /// Whether an expression has a constant arithmetic value.
    pub(crate) fn fold_num(&self, e: ExprId) -> Option<ConstValue> {
        self.fold(e, MAX_FOLD)
    }

    fn fold(&self, e: ExprId, fuel: u32) -> Option<ConstValue> {
        let fuel = fuel.checked_sub(1)?;
        let ty = self.ty(e);
        match *self.kind(e) {
            ExprKind::Int(bits) => Some(ConstValue::Int(i128::from(bits))),
            ExprKind::Float(bits) => Some(ConstValue::Float(f64::from_bits(bits))),
            ExprKind::LongFloat { mantissa, exponent } => {
                Some(ConstValue::Float(extended(mantissa, exponent)))
            }
            ExprKind::EnumConst(id, index) => self.enumerator_value(id, index).map(ConstValue::Int),
            ExprKind::Unary(op, a) => self.fold_unary(op, a, ty, fuel),
            ExprKind::Binary(..) => self.fold_chain(e, fuel),
            ExprKind::Cond(c, a, b) => {
                let test = self.fold(c, fuel)?;
                if test.truth() { self.fold(a.unwrap_or(c), fuel) } else { self.fold(b, fuel) }
            }
            ExprKind::Cast(_, a) | ExprKind::Implicit(a) => self.fold_cast(a, ty, fuel),
            ExprKind::SizeofExpr(a) => {
                self.program.types.size_of(self.ty(a)).map(|n| ConstValue::Int(n.into()))
            }
            ExprKind::SizeofType(t) => {
                self.program.types.size_of(t).map(|n| ConstValue::Int(n.into()))
            }
            ExprKind::AlignofType(t) => {
                Some(ConstValue::Int(self.program.types.align_of(t).into()))
            }
            _ => None,
        }
    }

    fn enumerator_value(&self, id: EnumId, index: u32) -> Option<i128> {
        let member = self.program.types.enums[id.index()].members.get(index as usize)?;
        let (_, signed) = self.program.types.int_bits(member.ty)?;
        Some(if signed { i128::from(member.value) } else { i128::from(member.value as u64) })
    }

    fn fold_unary(&self, op: UnOp, a: ExprId, ty: Ty, fuel: u32) -> Option<ConstValue> {
        let value = self.fold(a, fuel)?;
        match (op, value) {
            (UnOp::Plus, v) => Some(v),
            (UnOp::LogNot, v) => Some(ConstValue::Int(i128::from(!v.truth()))),
            (UnOp::Neg, ConstValue::Float(x)) => Some(ConstValue::Float(-x)),
            (UnOp::Neg, ConstValue::Int(n)) => self.exact(n.checked_neg()?, ty),
            (UnOp::BitNot, ConstValue::Int(n)) => self.exact(!n, ty),
            _ => None,
        }
    }

    /// A chain such as `a + b + c`, without recursion along its left side: chains may be long.
    fn fold_chain(&self, e: ExprId, fuel: u32) -> Option<ConstValue> {
        let mut chain = Vec::new();
        let mut first = e;
        while let ExprKind::Binary(_, left, _) = *self.kind(first) {
            chain.push(first);
            first = left;
        }
        let mut value = self.fold(first, fuel)?;
        while let Some(node) = chain.pop() {
            let ExprKind::Binary(op, a, b) = *self.kind(node) else { return None };
            value = match op {
                BinOp::LogAnd if !value.truth() => ConstValue::Int(0),
                BinOp::LogOr if value.truth() => ConstValue::Int(1),
                BinOp::LogAnd | BinOp::LogOr => {
                    ConstValue::Int(i128::from(self.fold(b, fuel)?.truth()))
                }
                _ => match (value, self.fold(b, fuel)?) {
                    (ConstValue::Int(x), ConstValue::Int(y)) => {
                        self.int_binary(op, x, y, self.ty(a), self.ty(node))?
                    }
                    (ConstValue::Float(x), ConstValue::Float(y)) => {
                        float_binary(op, x, y, self.ty(node))?
                    }
                    _ => return None,
                },
            };
        }
        Some(value)
    }

    /// `operand` is the type the operation is done in, `ty` that of the result.
    fn int_binary(&self, op: BinOp, x: i128, y: i128, operand: Ty, ty: Ty) -> Option<ConstValue> {
        let (bits, signed) = self.program.types.int_bits(operand)?;
        if bits == 128 && !signed && (x < 0 || y < 0) && !is_bitwise(op) {
            return None; // Beyond the range in which `i128` arithmetic is the right one.
        }
        let truth = |b: bool| Some(ConstValue::Int(i128::from(b)));
        let exact = match op {
            BinOp::Add => x.checked_add(y)?,
            BinOp::Sub => x.checked_sub(y)?,
            BinOp::Mul => x.checked_mul(y)?,
            BinOp::Div => x.checked_div(y)?,
            BinOp::Rem => x.checked_rem(y)?,
            BinOp::BitAnd => x & y,
            BinOp::BitOr => x | y,
            BinOp::BitXor => x ^ y,
            BinOp::Shl | BinOp::Shr if y < 0 || y >= i128::from(bits) => return None,
            // GCC folds `-1 << n` and `1 << 31`, which its own documentation allows.
            BinOp::Shl => {
                return Some(ConstValue::Int(self.wrap(x.checked_shl(y as u32)?, operand)?));
            }
            BinOp::Shr => x >> y,
            BinOp::Lt => return truth(x < y),
            BinOp::Gt => return truth(x > y),
            BinOp::Le => return truth(x <= y),
            BinOp::Ge => return truth(x >= y),
            BinOp::Eq => return truth(x == y),
            BinOp::Ne => return truth(x != y),
            BinOp::LogAnd | BinOp::LogOr | BinOp::Comma => return None,
        };
        self.exact(exact, ty)
    }

    /// The value in a type: wrapped if unsigned, not constant if signed and out of range.
    fn exact(&self, value: i128, ty: Ty) -> Option<ConstValue> {
        let wrapped = self.wrap(value, ty)?;
        let (_, signed) = self.program.types.int_bits(ty)?;
        (wrapped == value || !signed).then_some(ConstValue::Int(wrapped))
    }

    /// Conversion of an integer value to an integer type.
    pub(crate) fn wrap(&self, value: i128, ty: Ty) -> Option<i128> {
        let (bits, signed) = self.program.types.int_bits(ty)?;
        if self.program.types.int_kind(ty) == Some(IntKind::Bool) {
            return Some(i128::from(value != 0));
        }
        if bits >= 128 {
            return Some(value);
        }
        let shift = 128 - bits;
        Some(if signed {
            value << shift >> shift
        } else {
            ((value as u128) << shift >> shift) as i128
        })
    }

    fn fold_cast(&self, a: ExprId, ty: Ty, fuel: u32) -> Option<ConstValue> {
        let types = &self.program.types;
        if types.is_pointer(self.ty(a)) && types.is_integer(ty) {
            let address = self.fold_address(a, fuel)?;
            return self.wrap(address, ty).map(ConstValue::Int);
        }
        let value = self.fold(a, fuel)?;
        match (value, types.float_kind(ty)) {
            (ConstValue::Int(n), None) if types.is_integer(ty) => {
                self.wrap(n, ty).map(ConstValue::Int)
            }
            (ConstValue::Int(n), Some(kind)) => Some(ConstValue::Float(round_to(n as f64, kind))),
            (ConstValue::Float(x), Some(kind)) => Some(ConstValue::Float(round_to(x, kind))),
            (ConstValue::Float(x), None) if types.is_integer(ty) => {
                if types.int_kind(ty) == Some(IntKind::Bool) {
                    return Some(ConstValue::Int(i128::from(x != 0.0)));
                }
                let whole = x.trunc();
                if whole.is_nan() || whole.abs() >= 1e38 {
                    return None;
                }
                let n = whole as i128;
                (self.wrap(n, ty)? == n).then_some(ConstValue::Int(n))
            }
            _ => None,
        }
    }

    /// The value of a pointer expression built on a null pointer.
    fn fold_address(&self, e: ExprId, fuel: u32) -> Option<i128> {
        let fuel = fuel.checked_sub(1)?;
        match *self.kind(e) {
            ExprKind::Cast(_, a) | ExprKind::Implicit(a) => {
                let from = self.ty(a);
                if self.program.types.is_integer(from) {
                    self.fold(a, fuel)?.int()
                } else if self.program.types.is_pointer(from) {
                    self.fold_address(a, fuel)
                } else {
                    self.fold_place(a, fuel)
                }
            }
            ExprKind::Unary(UnOp::AddrOf, a) => self.fold_place(a, fuel),
            _ => None,
        }
    }

    /// The address of an lvalue built on a null pointer.
    fn fold_place(&self, e: ExprId, fuel: u32) -> Option<i128> {
        let fuel = fuel.checked_sub(1)?;
        let types = &self.program.types;
        let field = |record: Ty, index: u32| -> Option<i128> {
            let id = types.as_record(record)?;
            types.records[id.index()].fields.get(index as usize).map(|f| f.offset.into())
        };
        match *self.kind(e) {
            ExprKind::Unary(UnOp::Deref, p) => self.fold_address(p, fuel),
            ExprKind::Arrow(p, i) => {
                let offset = field(types.pointee(self.ty(p))?, i)?;
                self.fold_address(p, fuel)?.checked_add(offset)
            }
            ExprKind::Member(r, i) => self.fold_place(r, fuel)?.checked_add(field(self.ty(r), i)?),
            ExprKind::Index(p, i) => {
                let size = types.size_of(self.ty(e))?;
                let offset = self.fold(i, fuel)?.int()?.checked_mul(size.into())?;
                self.fold_address(p, fuel)?.checked_add(offset)
            }
            _ => None,
        }
    }
}

fn is_bitwise(op: BinOp) -> bool {
    matches!(op, BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Eq | BinOp::Ne)
}

fn round_to(x: f64, kind: FloatKind) -> f64 {
    if kind == FloatKind::Float { f64::from(x as f32) } else { x }
}

fn float_binary(op: BinOp, x: f64, y: f64, ty: Ty) -> Option<ConstValue> {
    let round = |v: f64| {
        Some(ConstValue::Float(if ty.unqual() == Ty::FLOAT { f64::from(v as f32) } else { v }))
    };
    let truth = |b: bool| Some(ConstValue::Int(i128::from(b)));
    match op {
        BinOp::Add => round(x + y),
        BinOp::Sub => round(x - y),
        BinOp::Mul => round(x * y),
        BinOp::Div => round(x / y),
        BinOp::Lt => truth(x < y),
        BinOp::Gt => truth(x > y),
        BinOp::Le => truth(x <= y),
        BinOp::Ge => truth(x >= y),
        BinOp::Eq => truth(x == y),
        BinOp::Ne => truth(x != y),
        _ => None,
    }
}

/// An x87 value to the nearest `double`, near enough.
fn extended(mantissa: u64, exponent: u16) -> f64 {
    let power = i32::from(exponent & 0x7fff) - 16383 - 63;
    let magnitude = mantissa as f64 * 2f64.powi(power.clamp(-1100, 1100));
    if exponent & 0x8000 != 0 { -magnitude } else { magnitude }
}
