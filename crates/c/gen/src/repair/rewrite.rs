//! Table 1 of the YARPGen paper (Livinskii, Babokin, Regehr: *Random Testing for C and C++ Compilers
//! with YARPGen*, 2020): an operation that is undefined for the values it meets is replaced by a
//! similar one that is defined.
//!
//! The table is data: each [`Rule`] names an operator, the signedness of its operands, the
//! [`Fact`]s that make it apply, and what comes instead. The tests show, exhaustively at 4 bits and
//! with a solver at 32 and 64, that exactly one rule applies where an operation is undefined, and
//! that its replacement is defined then.
//!
//! The table as printed does not have that property. What is different here:
//!
//! - `a * b`: printed with `a != MIN && b != -1`, which leaves `MIN * 2` without a rule. Here: not
//!   both `a == MIN` and `b == -1`.
//! - `a << (b + c)` and `a >> (b + c)`, `b` negative: `c` in `[-b; -b + width]` includes the width
//!   itself, and for a signed `a` the range reaches the sign bit. Here the last count is the last that
//!   is defined. Besides, `c` must be a value of `b`'s type, which matters next to its minimum.
//! - `a >> (b - c)`: printed without a range of `c`. Here: as for an unsigned `<<`.
//! - `a << b` with a count that is fine but a result that is not: no rule. Here: `a << (b - c)`.
//! - `a << b` with a negative `a`: no rule whatever the count, although it is undefined in C11 even for
//!   a count of 0. Here: `~a` is shifted, which is not negative.
//! - The rules marked † assume a valid count. Here they have forms for every count.

use super::number::{self, bit_length, is_count, least};
use super::term::{Constant, OperandValues, Term, TermType, binary, cast, unary};
use choice::Choices;
use cmachine::Operand;
use ctree::{BinOp, UnOp};

/// An operator of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// Unary minus.
    Neg,
    /// One of `+ - * / % << >>`.
    Binary(BinOp),
}

/// What must hold of an operand's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Sign {
    Signed,
    Unsigned,
    Either,
}

impl Sign {
    /// Whether a type of this signedness will do.
    pub fn allows(self, signed: bool) -> bool {
        match self {
            Sign::Signed => signed,
            Sign::Unsigned => !signed,
            Sign::Either => true,
        }
    }
}

/// A fact about the values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fact {
    /// `a == MIN`
    LeftMin,
    /// `a < 0`
    LeftNegative,
    /// `b == MIN`
    RightMin,
    /// `b < 0`
    RightNegative,
    /// `b == 0`
    RightZero,
    /// `b >= width(a)`
    RightLarge,
    /// `a == MIN && b == -1`
    MinAndMinusOne,
    /// The mathematical result of `+`, `-` or `*` does not fit the type.
    Overflows,
    /// `a * 2^b > MAX`, for a valid count and a non-negative `a`.
    ShiftOverflows,
}

/// The relation of a rule to the printed table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleOrigin {
    /// As printed.
    Printed,
    /// Printed with a gap, see the module's documentation.
    Corrected,
    /// Not printed.
    Added,
    /// Printed with †: avoids what is only implementation-defined.
    Dagger,
}

/// What is shifted instead of `a`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShiftedValue {
    /// `a`
    Same,
    /// `~a`
    Not,
    /// `a + MAX`
    PlusMax,
}

/// The count instead of `b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShiftCount {
    /// `b`
    Same,
    /// `b + c`
    Plus,
    /// `b - c`
    Minus,
}

/// The replacement of the operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replacement {
    /// `+a`
    Left,
    /// `b`, converted.
    Right,
    /// The same operands under another operator.
    Operator(BinOp),
    /// The same shift of other operands.
    Shift(ShiftedValue, ShiftCount),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The operator.
    pub op: Operator,
    /// The left operand's type.
    pub left: Sign,
    /// The right operand's type.
    pub right: Sign,
    /// Facts that hold (true) or do not.
    pub when: &'static [(Fact, bool)],
    /// The replacement.
    pub then: Replacement,
    /// Its relation to the printed table.
    pub origin: RuleOrigin,
}

const fn rule(
    op: BinOp,
    (left, right): (Sign, Sign),
    when: &'static [(Fact, bool)],
    then: Replacement,
    origin: RuleOrigin,
) -> Rule {
    Rule { op: Operator::Binary(op), left, right, when, then, origin }
}

/// The rules. Those with † come first and are skipped unless asked for; of the others, at most one
/// applies.
#[rustfmt::skip]
pub const TABLE: &[Rule] = {
    use BinOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
    use Fact::*;
    use RuleOrigin::*;
    const SS: (Sign, Sign) = (Sign::Signed, Sign::Signed);
    const US: (Sign, Sign) = (Sign::Unsigned, Sign::Signed);
    const SE: (Sign, Sign) = (Sign::Signed, Sign::Either);
    const UE: (Sign, Sign) = (Sign::Unsigned, Sign::Either);
    const ES: (Sign, Sign) = (Sign::Either, Sign::Signed);
    const EE: (Sign, Sign) = (Sign::Either, Sign::Either);
    &[
        rule(Shr, SE, &[(LeftMin, true), (RightMin, false)], Replacement::Right, Dagger),
        rule(Shr, SE, &[(LeftMin, false), (LeftNegative, true), (RightNegative, false), (RightLarge, false)],
             Replacement::Shift(ShiftedValue::PlusMax, ShiftCount::Same), Dagger),
        rule(Shr, SE, &[(LeftMin, false), (LeftNegative, true), (RightMin, false), (RightNegative, true)],
             Replacement::Shift(ShiftedValue::PlusMax, ShiftCount::Plus), Dagger),
        rule(Shr, SE, &[(LeftMin, false), (LeftNegative, true), (RightLarge, true)],
             Replacement::Shift(ShiftedValue::PlusMax, ShiftCount::Minus), Dagger),

        Rule { op: Operator::Neg, left: Sign::Signed, right: Sign::Either, when: &[(LeftMin, true)],
               then: Replacement::Left, origin: Printed },
        rule(Add, SS, &[(Overflows, true)], Replacement::Operator(Sub), Printed),
        rule(Sub, SS, &[(Overflows, true)], Replacement::Operator(Add), Printed),
        rule(Mul, SS, &[(Overflows, true), (MinAndMinusOne, false)], Replacement::Operator(Div), Corrected),
        rule(Mul, SS, &[(MinAndMinusOne, true)], Replacement::Operator(Sub), Printed),
        rule(Div, EE, &[(RightZero, true)], Replacement::Operator(Mul), Printed),
        rule(Div, SS, &[(MinAndMinusOne, true)], Replacement::Operator(Sub), Printed),
        rule(Rem, EE, &[(RightZero, true)], Replacement::Operator(Mul), Printed),
        rule(Rem, SS, &[(MinAndMinusOne, true)], Replacement::Operator(Sub), Printed),

        rule(Shl, ES, &[(RightMin, true)], Replacement::Left, Printed),
        rule(Shl, US, &[(RightMin, false), (RightNegative, true)],
             Replacement::Shift(ShiftedValue::Same, ShiftCount::Plus), Corrected),
        rule(Shl, SS, &[(RightMin, false), (RightNegative, true), (LeftNegative, false)],
             Replacement::Shift(ShiftedValue::Same, ShiftCount::Plus), Corrected),
        rule(Shl, SS, &[(RightMin, false), (RightNegative, true), (LeftNegative, true)],
             Replacement::Shift(ShiftedValue::Not, ShiftCount::Plus), Added),
        rule(Shl, UE, &[(RightLarge, true)], Replacement::Shift(ShiftedValue::Same, ShiftCount::Minus), Printed),
        rule(Shl, SE, &[(RightLarge, true), (LeftNegative, false)],
             Replacement::Shift(ShiftedValue::Same, ShiftCount::Minus), Printed),
        rule(Shl, SE, &[(RightLarge, true), (LeftNegative, true)],
             Replacement::Shift(ShiftedValue::Not, ShiftCount::Minus), Added),
        rule(Shl, SE, &[(RightNegative, false), (RightLarge, false), (LeftNegative, false), (ShiftOverflows, true)],
             Replacement::Shift(ShiftedValue::Same, ShiftCount::Minus), Added),
        rule(Shl, SE, &[(RightNegative, false), (RightLarge, false), (LeftNegative, true)],
             Replacement::Shift(ShiftedValue::Not, ShiftCount::Minus), Added),

        rule(Shr, ES, &[(RightMin, true)], Replacement::Left, Printed),
        rule(Shr, ES, &[(RightMin, false), (RightNegative, true)],
             Replacement::Shift(ShiftedValue::Same, ShiftCount::Plus), Corrected),
        rule(Shr, EE, &[(RightLarge, true)], Replacement::Shift(ShiftedValue::Same, ShiftCount::Minus), Corrected),
    ]
};

impl Fact {
    /// Whether it holds of an operation's operands.
    pub fn holds(self, op: Operator, a: Operand, b: Operand) -> bool {
        let is_min = |x: Operand| x.signed && x.value == least(x.bits, true);
        let is_negative = |x: Operand| x.signed && x.value < 0;
        match self {
            Fact::LeftMin => is_min(a),
            Fact::LeftNegative => is_negative(a),
            Fact::RightMin => is_min(b),
            Fact::RightNegative => is_negative(b),
            Fact::RightZero => b.value == 0,
            Fact::RightLarge => !is_negative(b) && !is_count(b, a.bits),
            Fact::MinAndMinusOne => is_min(a) && is_negative(b) && b.value == -1,
            Fact::Overflows => match op {
                Operator::Binary(op) => a.signed && number::binary(op, a, b).is_none(),
                Operator::Neg => is_min(a),
            },
            Fact::ShiftOverflows => {
                a.signed
                    && a.value >= 0
                    && is_count(b, a.bits)
                    && bit_length(a.value) + b.value as u32 >= a.bits
            }
        }
    }
}

impl Rule {
    /// Whether the rule is for these operands.
    pub fn applies(&self, op: Operator, a: Operand, b: Operand) -> bool {
        self.op == op
            && self.left.allows(a.signed)
            && self.right.allows(b.signed)
            && self.when.iter().all(|&(fact, truth)| fact.holds(op, a, b) == truth)
    }

    /// The replacement.
    pub fn term(&self) -> Term {
        let Operator::Binary(op) = self.op else { return unary(UnOp::Plus, Term::A) };
        match self.then {
            Replacement::Left => unary(UnOp::Plus, Term::A),
            Replacement::Right => cast(TermType::Left, Term::B),
            Replacement::Operator(other) => binary(other, Term::A, Term::B),
            Replacement::Shift(base, count) => {
                let drawn = Term::Const(Constant::Drawn, TermType::Right);
                let count = match count {
                    ShiftCount::Same => Term::B,
                    ShiftCount::Plus => binary(BinOp::Add, Term::B, drawn),
                    ShiftCount::Minus => binary(BinOp::Sub, Term::B, drawn),
                };
                binary(op, base.term(), count)
            }
        }
    }

    /// First and last value that may be drawn for `c`, as numbers of `b`'s type; `None` if the
    /// replacement has no `c`.
    pub fn range(&self, a: Operand, b: Operand) -> Option<(i128, i128)> {
        let Replacement::Shift(base, count) = self.then else { return None };
        let base = base.term().value(&OperandValues { a, b, c: 0 })?;
        let keeps_sign = self.op == Operator::Binary(BinOp::Shl) && a.signed;
        let used = if keeps_sign { bit_length(base.value) } else { 0 };
        let room = i128::from(a.bits - 1 - used);
        match count {
            ShiftCount::Same => None,
            ShiftCount::Plus => {
                let first = b.value.checked_neg()?;
                let last = first.saturating_add(room);
                Some((first, last.min(number::greatest(b.bits, b.signed))))
            }
            // Unsigned 128-bit numbers are kept as bits: the difference is right all the same.
            ShiftCount::Minus if is_count(b, a.bits) => Some(((b.value - room).max(0), b.value)),
            ShiftCount::Minus => Some((b.value.wrapping_sub(room), b.value)),
        }
    }
}

impl ShiftedValue {
    fn term(self) -> Term {
        match self {
            ShiftedValue::Same => Term::A,
            ShiftedValue::Not => unary(UnOp::BitNot, Term::A),
            ShiftedValue::PlusMax => {
                binary(BinOp::Add, Term::A, Term::Const(Constant::Max, TermType::Left))
            }
        }
    }
}

/// The rule for an operation; `None` where none is needed. With `dagger`, also for right shifts of
/// negative values, whose result is implementation-defined.
pub fn find(op: Operator, a: Operand, b: Operand, dagger: bool) -> Option<&'static Rule> {
    TABLE
        .iter()
        .filter(|rule| dagger || rule.origin != RuleOrigin::Dagger)
        .find(|rule| rule.applies(op, a, b))
}

/// Draws a rule's constant; 0 if it has none.
pub fn draw(rule: &Rule, a: Operand, b: Operand, choices: &mut Choices) -> i128 {
    let Some((first, last)) = rule.range(a, b) else { return 0 };
    // At most 128 counts.
    let span = last.wrapping_sub(first) as u64;
    first.wrapping_add(i128::from(choices.below(span + 1)))
}
