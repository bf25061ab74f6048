//! Idioms: small patterns that optimisers match, with random operands. Most use an operand twice, which
//! independent choices rarely do.

use super::Yarp;
use crate::policy::knobs::Idiom;
use ctree::{BinOp, ExprId, Ty, UnOp};

impl Yarp {
    /// An idiom with random parts of a depth.
    pub(super) fn idiom(&mut self, depth: i64) -> ExprId {
        use BinOp::*;
        let kind = self.pick::<Idiom>();
        let x = self.part(depth);
        match kind {
            Idiom::Rotate => {
                let (bits, x) = self.unsigned_part(x);
                let count = 1 + self.choices.below(u64::from(bits) - 1) as i64;
                let again = self.program.copy_expr(x);
                let left = self.with_constant(Shl, x, count);
                let right = self.with_constant(Shr, again, i64::from(bits) - count);
                let op = if self.choices.chance(70) { BitOr } else { Add };
                self.program.binary(op, left, right)
            }
            Idiom::ByteSwap => {
                let (bits, x) = self.unsigned_part(x);
                let mut whole: Option<ExprId> = None;
                for byte in 0..bits / 8 {
                    let part = self.program.copy_expr(x);
                    let low = self.with_constant(Shr, part, i64::from(byte * 8));
                    let low = self.with_constant(BitAnd, low, 255);
                    let moved = self.with_constant(Shl, low, i64::from(bits - 8 - byte * 8));
                    whole = Some(match whole {
                        Some(so_far) => self.program.binary(BitOr, so_far, moved),
                        None => moved,
                    });
                }
                whole.unwrap_or(x)
            }
            Idiom::Field => {
                let low = self.choices.below(20) as i64;
                let mask = (1i64 << (1 + self.choices.below(16))) - 1;
                let shifted = self.with_constant(Shr, x, low);
                self.with_constant(BitAnd, shifted, mask)
            }
            Idiom::MaskTest => {
                let ty = self.int_type();
                let mask = self.constant(ty);
                let masked = self.program.binary(BitAnd, x, mask);
                let other = match self.choices.below(3) {
                    0 => self.program.int_const(Ty::INT, 0),
                    1 => self.program.copy_expr(mask),
                    _ => self.constant(ty),
                };
                let op = if self.choices.chance(50) { Eq } else { Ne };
                self.program.binary(op, masked, other)
            }
            Idiom::RangeTest => {
                let (low, again) = (self.program.copy_expr(x), x);
                let ty = self.int_type();
                let (least, most) = (self.constant(ty), self.constant(ty));
                let (less, more) = if self.choices.chance(50) { (Ge, Lt) } else { (Gt, Le) };
                let a = self.program.binary(less, low, least);
                let b = self.program.binary(more, again, most);
                let op = if self.choices.chance(60) { LogAnd } else { LogOr };
                self.program.binary(op, a, b)
            }
            Idiom::MinMax => {
                let y = self.part(depth);
                let (x2, y2) = (self.program.copy_expr(x), self.program.copy_expr(y));
                let ops = [Lt, Gt, Le, Ge];
                let better = self.program.binary(ops[self.choices.index(4)], x, y);
                if self.choices.chance(50) {
                    self.conditional(better, x2, y2)
                } else {
                    self.conditional(better, y2, x2)
                }
            }
            Idiom::Abs => {
                let (again, third) = (self.program.copy_expr(x), self.program.copy_expr(x));
                let zero = self.program.int_const(Ty::INT, 0);
                let negative = self.program.binary(Lt, x, zero);
                let minus = self.unary(UnOp::Neg, again);
                self.conditional(negative, minus, third)
            }
            Idiom::Sign => {
                // The sign bit in every bit, or as 0 and 1.
                let promoted = self.program.promote(x);
                let ty = self.program.expr(promoted).ty;
                let (bits, _) = self.program.types.int_bits(ty).unwrap_or((32, true));
                self.with_constant(Shr, x, i64::from(bits) - 1)
            }
            Idiom::PowerOfTwo => {
                let log = self.choices.below(15);
                let op = [Mul, Div, Rem][self.choices.index(3)];
                self.with_constant(op, x, 1 << log)
            }
            Idiom::TimesSum => {
                // x * c1 ± x * c2, or x * c1 + y * c1.
                let y = if self.choices.chance(60) {
                    self.program.copy_expr(x)
                } else {
                    self.part(depth)
                };
                let (a, b) = (self.choices.range(-9..=9), self.choices.range(-9..=9));
                let left = self.with_constant(Mul, x, a);
                let right = self.with_constant(Mul, y, b);
                let op = if self.choices.chance(50) { Add } else { Sub };
                self.program.binary(op, left, right)
            }
            Idiom::Absorb => {
                // x op (x op y), in any two operators of one family.
                let families =
                    [[BitAnd, BitOr, BitXor], [Add, Sub, Sub], [Sub, BitXor, Add], [Mul, Div, Rem]];
                let family = families[self.choices.index(families.len())];
                let (first, second) = (self.choices.index(3), self.choices.index(3));
                let (again, y) = (self.program.copy_expr(x), self.part(depth));
                let again =
                    if self.choices.chance(25) { self.unary(UnOp::BitNot, again) } else { again };
                let inner = if self.choices.chance(50) { (again, y) } else { (y, again) };
                let inner = self.program.binary(family[second], inner.0, inner.1);
                let sides = if self.choices.chance(50) { (x, inner) } else { (inner, x) };
                self.program.binary(family[first], sides.0, sides.1)
            }
            Idiom::Select => {
                // A condition as a number: c * x, -c & x, c ? x : 0, x + c.
                let condition = self.truth(depth);
                match self.choices.below(4) {
                    0 => self.program.binary(Mul, condition, x),
                    1 => {
                        let all = self.program.unary(UnOp::Neg, condition);
                        self.program.binary(BitAnd, all, x)
                    }
                    2 => {
                        let zero = self.program.int_const(Ty::INT, 0);
                        self.conditional(condition, x, zero)
                    }
                    _ => self.program.binary(Add, x, condition),
                }
            }
            Idiom::Compare => {
                // Two comparisons of the same pair.
                let y = self.part(depth);
                let (x2, y2) = (self.program.copy_expr(x), self.program.copy_expr(y));
                let ops = [Lt, Gt, Le, Ge, Eq, Ne];
                let first = self.program.binary(ops[self.choices.index(6)], x, y);
                let second = self.program.binary(ops[self.choices.index(6)], x2, y2);
                let joins = [LogAnd, LogOr, BitAnd, BitOr, BitXor, Eq];
                self.program.binary(joins[self.choices.index(6)], first, second)
            }
            Idiom::Extend => {
                // Narrow and wide again, by casts or by shifts.
                let narrow =
                    [Ty::SCHAR, Ty::UCHAR, Ty::SHORT, Ty::USHORT, Ty::INT, Ty::UINT, Ty::BOOL];
                let narrow = narrow[self.choices.index(narrow.len())];
                let wide = [Ty::INT, Ty::UINT, Ty::LONG, Ty::ULONG][self.choices.index(4)];
                let wide = self.portable(wide);
                let x = self.program.cast(narrow, x);
                self.program.cast(wide, x)
            }
        }
    }

    /// A part that will be named more than once: small, and without effects.
    fn part(&mut self, depth: i64) -> ExprId {
        let outer = self.no_effects;
        self.no_effects = true;
        let part = self.expr((depth - 2).clamp(0, 1));
        self.no_effects = outer;
        part
    }

    /// A part in an unsigned type of 32 or 64 bits, and that width.
    fn unsigned_part(&mut self, x: ExprId) -> (u32, ExprId) {
        let (ty, bits) = if self.choices.chance(60) { (Ty::UINT, 32) } else { (Ty::ULONG, 64) };
        let ty = self.portable(ty);
        (bits, self.program.cast(ty, x))
    }

    fn with_constant(&mut self, op: BinOp, x: ExprId, number: i64) -> ExprId {
        let number = self.program.int_const(Ty::INT, i128::from(number));
        self.program.binary(op, x, number)
    }
}
