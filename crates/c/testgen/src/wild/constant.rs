//! Constant expressions (6.6): what initialises objects of static storage.

use super::Wild;
use ctree::{BinOp, ExprId, IntKind, Ty, TypeKind, UnOp};

impl Wild<'_> {
    /// A constant of a scalar type, to be converted by the caller. Operators that could overflow
    /// or divide by zero are left out: compilers refuse those in constants.
    pub(super) fn constant(&mut self, ty: Ty, depth: u32) -> ExprId {
        if self.program.types.is_pointer(ty) {
            return self.address_constant(ty);
        }
        if self.program.types.float_kind(ty).is_some() && self.chance(60) {
            return self.float_literal();
        }
        self.int_constant(depth)
    }

    pub(super) fn int_constant(&mut self, depth: u32) -> ExprId {
        if depth == 0 || !self.spend() {
            return self.int_literal();
        }
        match self.below(8) {
            0 => {
                let operand = self.int_constant(depth - 1);
                let op = [UnOp::Plus, UnOp::BitNot, UnOp::LogNot][self.below(3) as usize];
                self.program.unary(op, operand)
            }
            1..=2 => {
                let ops = [
                    BinOp::BitAnd,
                    BinOp::BitOr,
                    BinOp::BitXor,
                    BinOp::Lt,
                    BinOp::Ge,
                    BinOp::Eq,
                    BinOp::LogAnd,
                    BinOp::LogOr,
                ];
                let op = ops[self.below(8) as usize];
                let (a, b) = (self.int_constant(depth - 1), self.int_constant(depth - 1));
                self.program.binary(op, a, b)
            }
            3 => {
                let cond = self.int_constant(depth - 1);
                let (a, b) = (self.int_constant(depth - 1), self.int_constant(depth - 1));
                self.program.cond(cond, Some(a), b)
            }
            4 => {
                let operand = self.int_constant(depth - 1);
                let ty = self.int_type();
                self.program.cast(ty, operand)
            }
            5 => {
                let ty = self.object_type(2);
                if self.chance(50) {
                    self.program.sizeof_type(ty)
                } else {
                    self.program.alignof_type(ty)
                }
            }
            6 => match self.choices.pick(&self.enums).copied() {
                Some(id) => {
                    let member =
                        self.below(self.program.types.enums[id.index()].members.len() as u64);
                    self.program.enum_ref(id, member as u32)
                }
                None => self.int_literal(),
            },
            _ => self.int_literal(),
        }
    }

    pub(super) fn int_literal(&mut self) -> ExprId {
        let ty = self.int_type();
        let (bits, signed) = self.program.types.int_bits(ty).unwrap_or((32, true));
        let value = match self.below(6) {
            // The ends of the range are where printing goes wrong.
            0 if signed => i128::MIN >> (128 - bits),
            1 if signed => i128::MAX >> (128 - bits),
            1 if bits < 128 => (1i128 << bits) - 1,
            2 if bits >= 32 => i128::from(self.choices.bits(31)),
            3 if signed => -i128::from(self.below(100)),
            4 if bits == 128 => i128::from(self.choices.bits(62)) << 60,
            _ if bits == 1 => i128::from(self.below(2)),
            _ => i128::from(self.below(128)),
        };
        self.program.int_const(ty, value)
    }

    pub(super) fn float_literal(&mut self) -> ExprId {
        let ty = [Ty::FLOAT, Ty::DOUBLE, Ty::LDOUBLE][self.below(3) as usize];
        let value = match self.below(6) {
            0 => 0.0,
            1 => -1.5,
            2 => 0.1,
            3 if ty != Ty::FLOAT => f64::MIN_POSITIVE / 8.0,
            4 if ty != Ty::FLOAT => f64::MAX,
            // Any significand, any exponent that every type has.
            _ => f64::from_bits(self.choices.bits(52) | (1023 - 60 + self.below(120)) << 52),
        };
        self.program.float_const(ty, value)
    }

    fn address_constant(&mut self, ty: Ty) -> ExprId {
        let to = self.program.types.pointee(ty).unwrap_or(Ty::VOID);
        let to = self.program.types.canon(to);
        if self.program.types.int_kind(to) == Some(IntKind::Char) && self.chance(50) {
            return self.string();
        }
        for _ in 0..4 {
            if let Some(&var) = self.choices.pick(&self.frames[0]) {
                let found = self.program.types.canon(self.program.var(var).ty);
                let elem = self.program.types.as_array(found).map(|(elem, _)| elem);
                if !self.is_visible(var) {
                    continue;
                }
                if found == to {
                    let lvalue = self.program.var_ref(var);
                    return self.program.addr_of(lvalue);
                }
                if elem == Some(to) {
                    return self.program.var_ref(var);
                }
            }
        }
        if matches!(self.program.types.kind(to), TypeKind::Function(_)) {
            let same = self.funcs.iter().copied().find(|&f| {
                let func = self.program.types.resolved(self.program.func(f).ty);
                func == to
            });
            if let Some(func) = same {
                return self.program.func_ref(func);
            }
        }
        self.program.int_const(Ty::INT, 0)
    }

    pub(super) fn string(&mut self) -> ExprId {
        let samples: [&[u8]; 8] = [
            b"",
            b"hello\n",
            b"a\0b",
            b"\xff\x80" as &[u8],
            b"??=??/",
            b"\x01\x31\x07\x38\x7f",
            b"quote \" back \\ tab \t",
            b"%d %s\n",
        ];
        let text = samples[self.below(8) as usize];
        self.program.str_const(text)
    }
}
