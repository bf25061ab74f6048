//! C's integer operators on sets of values. `None` means that the behaviour is, or may be, undefined for
//! one of them.

use ctree::{BinOp, IntKind, Program, Ty, UnOp};

use super::values::ValueSet;

/// An integer type, at most 64 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntType {
    bits: u32,
    signed: bool,
    /// `_Bool`: what is converted to it is compared with zero (6.3.1.2).
    boolean: bool,
}

impl IntType {
    /// The integer type behind a type.
    pub fn of(program: &Program, ty: Ty) -> Option<IntType> {
        let (bits, signed) = program.types.int_bits(ty)?;
        let boolean = program.types.int_kind(ty) == Some(IntKind::Bool);
        (bits <= 64).then_some(IntType { bits, signed, boolean })
    }

    /// A bit-field of that type.
    pub fn narrow(self, bits: u32) -> IntType {
        IntType { bits: bits.min(self.bits), ..self }
    }

    pub fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    pub fn max(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }

    fn all(self) -> ValueSet {
        ValueSet::Span(self.min(), self.max())
    }

    pub fn holds(self, value: i128) -> bool {
        (self.min()..=self.max()).contains(&value)
    }

    fn wrap(self, value: i128) -> i128 {
        if self.boolean {
            return i128::from(value != 0);
        }
        let low = value & ((1 << self.bits) - 1);
        if self.signed && low > self.max() { low - (1 << self.bits) } else { low }
    }

    /// A result in this type: undefined where a signed one does not fit, else modulo.
    fn result(self, value: i128) -> Option<i128> {
        match self.holds(value) {
            true => Some(value),
            false if self.signed => None,
            false => Some(self.wrap(value)),
        }
    }

    /// The same for limits.
    fn span(self, min: i128, max: i128) -> Option<ValueSet> {
        match self.holds(min) && self.holds(max) {
            true => Some(ValueSet::Span(min, max)),
            false if self.signed => None,
            false => Some(self.all()),
        }
    }
}

/// The values converted to a type (6.3.1.2, 6.3.1.3; modulo where GCC and clang say so).
pub(super) fn convert(values: &ValueSet, to: IntType) -> ValueSet {
    match values {
        ValueSet::Set(all) => ValueSet::some(all.iter().map(|v| to.wrap(*v))),
        ValueSet::Span(min, max) if to.holds(*min) && to.holds(*max) => values.clone(),
        ValueSet::Span(..) => to.all(),
    }
}

/// A unary operator on a promoted operand of type `ty`.
pub(super) fn unary(op: UnOp, ty: IntType, of: &ValueSet) -> Option<ValueSet> {
    let one = |value: i128| match op {
        UnOp::Neg => ty.result(-value),
        UnOp::BitNot => ty.result(ty.wrap(!value)),
        UnOp::Plus => Some(value),
        UnOp::LogNot => Some(i128::from(value == 0)),
        _ => None,
    };
    match of {
        ValueSet::Set(all) => {
            let all: Option<Vec<i128>> = all.iter().map(|v| one(*v)).collect();
            Some(ValueSet::some(all?))
        }
        ValueSet::Span(min, max) => match op {
            UnOp::Neg => ty.span(-max, -min),
            UnOp::BitNot if ty.signed => Some(ValueSet::Span(!max, !min)),
            UnOp::BitNot => Some(ValueSet::Span(ty.wrap(!max), ty.wrap(!min))),
            UnOp::Plus => Some(of.clone()),
            UnOp::LogNot => Some(match of.truth() {
                Some(truth) => ValueSet::one(i128::from(!truth)),
                None => ValueSet::Set(vec![0, 1]),
            }),
            _ => None,
        },
    }
}

/// A binary operator: both operands are converted, the left to `ty`, which is the type of the
/// result too unless the operator compares.
pub(super) fn binary(
    op: BinOp,
    ty: IntType,
    left: &ValueSet,
    right: &ValueSet,
) -> Option<ValueSet> {
    if let (ValueSet::Set(a), ValueSet::Set(b)) = (left, right) {
        let mut all = Vec::with_capacity(a.len() * b.len());
        for &x in a {
            for &y in b {
                all.push(single(op, ty, x, y)?);
            }
        }
        return Some(ValueSet::some(all));
    }
    use BinOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
    let (a, b) = ((left.min(), left.max()), (right.min(), right.max()));
    match op {
        Add => ty.span(a.0 + b.0, a.1 + b.1),
        Sub => ty.span(a.0 - b.1, a.1 - b.0),
        Mul => {
            let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
            let products: Option<Vec<i128>> =
                corners.iter().map(|(x, y)| x.checked_mul(*y)).collect();
            let Some(products) = products else { return (!ty.signed).then(|| ty.all()) };
            let all = ValueSet::some(products);
            ty.span(all.min(), all.max())
        }
        Div | Rem if b.0 <= 0 && b.1 >= 0 => None,
        Div => {
            let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
            let all = ValueSet::some(corners.iter().map(|(x, y)| x / y));
            ty.span(all.min(), all.max())
        }
        Rem => {
            if ty.signed && a.0 == ty.min() && b.0 <= -1 && b.1 >= -1 {
                return None;
            }
            let most = b.0.abs().max(b.1.abs()) - 1;
            let low = if a.0 < 0 { -most } else { 0 };
            Some(ValueSet::Span(low, if a.1 > 0 { most } else { 0 }))
        }
        Shl | Shr if b.0 < 0 || b.1 >= i128::from(ty.bits) => None,
        Shl if ty.signed && a.0 < 0 => None,
        Shl => ty.span(a.0 << b.0, a.1 << b.1),
        Shr => {
            let corners = [a.0 >> b.0, a.0 >> b.1, a.1 >> b.0, a.1 >> b.1];
            let all = ValueSet::some(corners);
            Some(ValueSet::Span(all.min(), all.max()))
        }
        BitAnd if a.0 >= 0 && b.0 >= 0 => Some(ValueSet::Span(0, a.1.min(b.1))),
        BitOr | BitXor if a.0 >= 0 && b.0 >= 0 => {
            let most = (a.1 | b.1) as u128;
            Some(ValueSet::Span(0, (most + 1).next_power_of_two() as i128 - 1))
        }
        BitAnd | BitOr | BitXor => Some(ty.all()),
        _ => Some(match compare(op, a, b)? {
            Some(truth) => ValueSet::one(i128::from(truth)),
            None => ValueSet::Set(vec![0, 1]),
        }),
    }
}

fn single(op: BinOp, ty: IntType, x: i128, y: i128) -> Option<i128> {
    use BinOp::*;
    match op {
        Add => ty.result(x + y),
        Sub => ty.result(x - y),
        // Two signed operands have a product that fits; of unsigned ones the low bits count.
        Mul if ty.signed => ty.result(x * y),
        Mul => Some(ty.wrap(x.wrapping_mul(y))),
        Div | Rem if y == 0 || (ty.signed && x == ty.min() && y == -1) => None,
        Div => Some(x / y),
        Rem => Some(x % y),
        Shl | Shr if !(0..i128::from(ty.bits)).contains(&y) => None,
        Shl if ty.signed && x < 0 => None,
        Shl => ty.result(x << y),
        Shr => Some(x >> y),
        BitAnd => Some(x & y),
        BitOr => Some(x | y),
        BitXor => Some(x ^ y),
        _ => compare(op, (x, x), (y, y))?.map(i128::from),
    }
}

/// A comparison of limits: `Some(None)` where it may come out either way.
fn compare(op: BinOp, a: (i128, i128), b: (i128, i128)) -> Option<Option<bool>> {
    let always = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
    Some(match op {
        BinOp::Lt => always(a.1 < b.0, a.0 >= b.1),
        BinOp::Gt => always(a.0 > b.1, a.1 <= b.0),
        BinOp::Le => always(a.1 <= b.0, a.0 > b.1),
        BinOp::Ge => always(a.0 >= b.1, a.1 < b.0),
        BinOp::Eq => always(a.0 == a.1 && b == a, a.1 < b.0 || a.0 > b.1),
        BinOp::Ne => always(a.1 < b.0 || a.0 > b.1, a.0 == a.1 && b == a),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [BinOp; 16] = [
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::Add,
        BinOp::Sub,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::Lt,
        BinOp::Gt,
        BinOp::Le,
        BinOp::Ge,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::BitAnd,
        BinOp::BitXor,
        BinOp::BitOr,
    ];

    fn int(bits: u32, signed: bool) -> IntType {
        IntType { bits, signed, boolean: false }
    }

    fn holds(values: &ValueSet, value: i128) -> bool {
        match values {
            ValueSet::Set(all) => all.contains(&value),
            ValueSet::Span(min, max) => (*min..=*max).contains(&value),
        }
    }

    /// For a type small enough to try everything: what limits say holds for all that is between.
    #[test]
    fn limits_are_never_too_narrow() {
        for signed in [false, true] {
            let ty = int(4, signed);
            let all: Vec<i128> = (ty.min()..=ty.max()).collect();
            let spans: Vec<(i128, i128)> =
                all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b))).collect();
            let spans: Vec<_> = spans.into_iter().filter(|(a, b)| a <= b).collect();
            for op in OPS {
                for &(a, b) in &spans {
                    for &(c, d) in &spans {
                        let (left, right) = (ValueSet::Span(a, b), ValueSet::Span(c, d));
                        let Some(found) = binary(op, ty, &left, &right) else { continue };
                        for x in a..=b {
                            for y in c..=d {
                                let one = single(op, ty, x, y);
                                let one = one.unwrap_or_else(|| panic!("{op:?} {x} {y} {ty:?}"));
                                assert!(holds(&found, one), "{op:?} {x} {y} {ty:?} {found:?}");
                            }
                        }
                    }
                }
            }
            for op in [UnOp::Neg, UnOp::BitNot, UnOp::LogNot, UnOp::Plus] {
                for &(a, b) in &spans {
                    let Some(found) = unary(op, ty, &ValueSet::Span(a, b)) else { continue };
                    for x in a..=b {
                        let one = unary(op, ty, &ValueSet::one(x)).expect("defined for all");
                        assert!(holds(&found, one.min()), "{op:?} {x} {ty:?} {found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn results_are_those_of_c() {
        let (sint, uint, ulong) = (int(32, true), int(32, false), int(64, false));
        assert_eq!(single(BinOp::Add, sint, i128::from(i32::MAX), 1), None);
        assert_eq!(single(BinOp::Add, uint, i128::from(u32::MAX), 1), Some(0));
        let most = i128::from(u64::MAX);
        assert_eq!(single(BinOp::Mul, ulong, most, most), Some(1));
        assert_eq!(single(BinOp::Rem, sint, i128::from(i32::MIN), -1), None);
        assert_eq!(single(BinOp::Rem, sint, -7, 4), Some(-3));
        assert_eq!(single(BinOp::Shr, sint, -7, 1), Some(-4));
        assert_eq!(single(BinOp::Shl, sint, 1, 31), None);
        assert_eq!(convert(&ValueSet::one(-1), uint), ValueSet::one(i128::from(u32::MAX)));
        assert_eq!(
            convert(&ValueSet::one(256), IntType { boolean: true, ..int(1, false) }),
            ValueSet::one(1)
        );
        assert_eq!(convert(&ValueSet::one(256), int(1, false)), ValueSet::one(0));
        assert_eq!(convert(&ValueSet::one(200), int(8, true)), ValueSet::one(-56));
        assert_eq!(
            unary(UnOp::BitNot, uint, &ValueSet::one(0)),
            Some(ValueSet::one(u32::MAX.into()))
        );
        assert_eq!(unary(UnOp::Neg, sint, &ValueSet::one(i32::MIN.into())), None);
    }
}
