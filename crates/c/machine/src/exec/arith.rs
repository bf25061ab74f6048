//! Integer arithmetic, with a check for each case that C leaves undefined.

use super::Machine;
use crate::code::{Reg, WideOp};
use crate::kind::ScalarKind;
use crate::outcome::UbKind;
use crate::stop::{ExecResult, ub};

impl Machine<'_> {
    #[cold]
    pub(super) fn overflow<T>(&self, op: &str, a: Reg, b: Reg) -> ExecResult<T> {
        let (a, b) = (self.r(a) as i64, self.r(b) as i64);
        ub(UbKind::SignedOverflow, format!("{a} {op} {b}"))
    }

    pub(super) fn divide(
        &mut self,
        d: Reg,
        a: Reg,
        b: Reg,
        kind: ScalarKind,
        remainder: bool,
    ) -> ExecResult<()> {
        let (x, y) = (self.r(a), self.r(b));
        let op = if remainder { "%" } else { "/" };
        if y == 0 {
            return ub(UbKind::DivByZero, format!("{} {op} 0", kind.value(x)));
        }
        let v = if kind.is_signed() {
            let (x, y) = (x as i64, y as i64);
            if y == -1 && x == kind.least() {
                return ub(UbKind::DivOverflow, format!("{x} {op} -1"));
            }
            (if remainder { x % y } else { x / y }) as u64
        } else if remainder {
            x % y
        } else {
            x / y
        };
        self.set(d, v);
        Ok(())
    }

    fn shift_count(&self, b: Reg, width: u32, count: ScalarKind) -> ExecResult<u32> {
        let n = if count.is_wide() { self.wide(b) as i128 } else { count.value(self.r(b)) };
        if n < 0 || n >= i128::from(width) {
            return ub(UbKind::ShiftCount, format!("shift of a {width}-bit value by {n}"));
        }
        Ok(n as u32)
    }

    pub(super) fn shift_left(
        &mut self,
        d: Reg,
        a: Reg,
        b: Reg,
        kind: ScalarKind,
        count: ScalarKind,
    ) -> ExecResult<()> {
        let n = self.shift_count(b, kind.bits(), count)?;
        let x = self.r(a);
        if !kind.is_signed() {
            self.set(d, kind.wrap(x << n));
            return Ok(());
        }
        let value = i128::from(x as i64);
        let shifted = value << n;
        if value < 0 || shifted > -1 - i128::from(kind.least()) {
            return ub(UbKind::ShiftOverflow, format!("{value} << {n}"));
        }
        self.set(d, shifted as u64);
        Ok(())
    }

    pub(super) fn shift_right(
        &mut self,
        d: Reg,
        a: Reg,
        b: Reg,
        kind: ScalarKind,
        count: ScalarKind,
    ) -> ExecResult<()> {
        let n = self.shift_count(b, kind.bits(), count)?;
        let x = self.r(a);
        // Right shift of a negative value is arithmetic, as GCC and clang document.
        self.set(d, if kind.is_signed() { ((x as i64) >> n) as u64 } else { x >> n });
        Ok(())
    }

    pub(super) fn negate(&mut self, d: Reg, a: Reg, kind: ScalarKind) -> ExecResult<()> {
        let x = self.r(a);
        if kind.is_signed() && x as i64 == kind.least() {
            return ub(UbKind::SignedOverflow, format!("-({})", x as i64));
        }
        self.set(d, kind.wrap(x.wrapping_neg()));
        Ok(())
    }

    /// `++` and `--`: done in the promoted type, then converted back.
    pub(super) fn step(&mut self, d: Reg, a: Reg, kind: ScalarKind, by: i32) -> ExecResult<()> {
        let x = self.r(a);
        let v = kind.value(x) + i128::from(by);
        let v = match kind {
            ScalarKind::Bool => u64::from(v != 0),
            ScalarKind::I32 if i32::try_from(v).is_err() => return self.step_overflow(kind, x, by),
            ScalarKind::I64 if i64::try_from(v).is_err() => return self.step_overflow(kind, x, by),
            _ => kind.wrap(v as u64),
        };
        self.set(d, v);
        Ok(())
    }

    #[cold]
    pub(super) fn step_overflow(&self, kind: ScalarKind, x: u64, by: i32) -> ExecResult<()> {
        let sign = if by < 0 { '-' } else { '+' };
        ub(UbKind::SignedOverflow, format!("{} {sign} {}", kind.value(x), by.unsigned_abs()))
    }

    pub(super) fn wide_op(
        &mut self,
        d: Reg,
        a: Reg,
        b: Reg,
        op: WideOp,
        signed: bool,
    ) -> ExecResult<()> {
        let x = self.wide(a);
        if matches!(op, WideOp::Shl | WideOp::Shr) {
            let n = self.shift_count(b, 128, ScalarKind::I64)?;
            return self.wide_shift(d, x, n, op == WideOp::Shl, signed);
        }
        let y = self.wide(b);
        let (sx, sy) = (x as i128, y as i128);
        let compared = match op {
            WideOp::Lt => Some(if signed { sx < sy } else { x < y }),
            WideOp::Le => Some(if signed { sx <= sy } else { x <= y }),
            WideOp::Eq => Some(x == y),
            WideOp::Ne => Some(x != y),
            _ => None,
        };
        if let Some(truth) = compared {
            self.set(d, u64::from(truth));
            return Ok(());
        }
        let overflow =
            || ub(UbKind::SignedOverflow, format!("{op:?} of {sx} and {sy} as `__int128`"));
        let v = match op {
            WideOp::And => x & y,
            WideOp::Or => x | y,
            WideOp::Xor => x ^ y,
            WideOp::Not => !x,
            WideOp::Div | WideOp::Rem if y == 0 => {
                return ub(UbKind::DivByZero, "the divisor is 0".into());
            }
            WideOp::Div | WideOp::Rem if signed && sy == -1 && sx == i128::MIN => {
                return ub(UbKind::DivOverflow, format!("{sx} / -1"));
            }
            WideOp::Div => {
                if signed {
                    (sx / sy) as u128
                } else {
                    x / y
                }
            }
            WideOp::Rem => {
                if signed {
                    (sx % sy) as u128
                } else {
                    x % y
                }
            }
            WideOp::Add if signed => match sx.checked_add(sy) {
                Some(v) => v as u128,
                None => return overflow(),
            },
            WideOp::Sub if signed => match sx.checked_sub(sy) {
                Some(v) => v as u128,
                None => return overflow(),
            },
            WideOp::Mul if signed => match sx.checked_mul(sy) {
                Some(v) => v as u128,
                None => return overflow(),
            },
            WideOp::Neg if signed && sx == i128::MIN => return overflow(),
            WideOp::Add => x.wrapping_add(y),
            WideOp::Sub => x.wrapping_sub(y),
            WideOp::Mul => x.wrapping_mul(y),
            _ => x.wrapping_neg(),
        };
        self.set_wide(d, v);
        Ok(())
    }

    fn wide_shift(&mut self, d: Reg, x: u128, n: u32, left: bool, signed: bool) -> ExecResult<()> {
        let v = match (left, signed) {
            (true, true) => {
                let value = x as i128;
                let shifted = value.wrapping_shl(n);
                if value < 0 || shifted < 0 || shifted >> n != value {
                    return ub(UbKind::ShiftOverflow, format!("{value} << {n}"));
                }
                shifted as u128
            }
            (true, false) => x << n,
            (false, true) => ((x as i128) >> n) as u128,
            (false, false) => x >> n,
        };
        self.set_wide(d, v);
        Ok(())
    }
}
