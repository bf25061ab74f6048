//! C's integer arithmetic on typed numbers of any width up to 128 bits: the value, or `None` if it
//! is undefined. The machine has its own at the widths of the target; this one also evaluates the tables,
//! and their tests at 4 bits.

use cmachine::Operand;
use ctree::{BinOp, UnOp};

/// The type of the result of a comparison.
pub const INT: (u32, bool) = (32, true);

/// The least value of a type of this width and signedness.
pub fn least(bits: u32, signed: bool) -> i128 {
    if signed { i128::MIN >> (128 - bits) } else { 0 }
}

/// The greatest value of a type; of the unsigned 128-bit type, its bits.
pub fn greatest(bits: u32, signed: bool) -> i128 {
    if signed { i128::MAX >> (128 - bits) } else { (u128::MAX >> (128 - bits)) as i128 }
}

/// A number reduced to a type.
pub fn wrapped(value: i128, (bits, signed): (u32, bool)) -> Operand {
    let shift = 128 - bits;
    let high = value << shift;
    let value = if signed { high >> shift } else { ((high as u128) >> shift) as i128 };
    Operand { value, bits, signed }
}

/// The number of bits up to the highest that is set, of a number that is not negative.
pub fn bit_length(value: i128) -> u32 {
    128 - value.leading_zeros()
}

/// Whether a number, read as a shift count, is one for a value of this width.
pub fn is_count(count: Operand, bits: u32) -> bool {
    !(count.signed && count.value < 0) && (count.value as u128) < u128::from(bits)
}

/// `op a` in the type of `a`; `None` if C11 leaves it undefined.
pub fn unary(op: UnOp, a: Operand) -> Option<Operand> {
    let shape = (a.bits, a.signed);
    match op {
        UnOp::Plus => Some(a),
        UnOp::BitNot => Some(wrapped(!a.value, shape)),
        UnOp::Neg if a.signed && a.value == least(a.bits, true) => None,
        UnOp::Neg => Some(wrapped(a.value.wrapping_neg(), shape)),
        _ => None,
    }
}

/// `a op b`; `None` if C11 leaves it undefined. Shifts of negative numbers to the right are
/// arithmetic, as compilers document.
pub fn binary(op: BinOp, a: Operand, b: Operand) -> Option<Operand> {
    let shape = (a.bits, a.signed);
    let (x, y) = (a.value, b.value);
    match op {
        BinOp::Shl | BinOp::Shr => return shift(op == BinOp::Shl, a, b),
        BinOp::BitAnd => return Some(wrapped(x & y, shape)),
        BinOp::BitOr => return Some(wrapped(x | y, shape)),
        BinOp::BitXor => return Some(wrapped(x ^ y, shape)),
        BinOp::Gt => {
            let greater = if a.signed { x > y } else { x as u128 > y as u128 };
            return Some(wrapped(greater.into(), INT));
        }
        _ => {}
    }
    if !a.signed {
        let (x, y) = (x as u128, y as u128);
        let value = match op {
            BinOp::Add => x.wrapping_add(y),
            BinOp::Sub => x.wrapping_sub(y),
            BinOp::Mul => x.wrapping_mul(y),
            BinOp::Div => x.checked_div(y)?,
            BinOp::Rem => x.checked_rem(y)?,
            _ => return None,
        };
        return Some(wrapped(value as i128, shape));
    }
    let exact = match op {
        BinOp::Add => x.checked_add(y)?,
        BinOp::Sub => x.checked_sub(y)?,
        BinOp::Mul => x.checked_mul(y)?,
        BinOp::Div => x.checked_div(y)?,
        // Undefined where the quotient is (6.5.5p6).
        BinOp::Rem if y == -1 && x == least(a.bits, true) => return None,
        BinOp::Rem => x.checked_rem(y)?,
        _ => return None,
    };
    let fits = (least(a.bits, true)..=greatest(a.bits, true)).contains(&exact);
    fits.then_some(Operand { value: exact, ..a })
}

fn shift(left: bool, a: Operand, b: Operand) -> Option<Operand> {
    if !is_count(b, a.bits) {
        return None;
    }
    let n = b.value as u32;
    match (left, a.signed) {
        (true, true) => {
            let fits = a.value >= 0 && bit_length(a.value) + n < a.bits;
            fits.then_some(Operand { value: a.value << n, ..a })
        }
        (true, false) => Some(wrapped(a.value << n, (a.bits, false))),
        (false, true) => Some(Operand { value: a.value >> n, ..a }),
        (false, false) => Some(Operand { value: ((a.value as u128) >> n) as i128, ..a }),
    }
}
