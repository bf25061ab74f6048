//! Floating arithmetic and conversions between scalar kinds.

use super::Machine;
use crate::code::{FloatOp, Reg};
use crate::kind::ScalarKind;
use crate::longdouble::F80;
use crate::outcome::UbKind;
use crate::stop::{ExecResult, ub};
use std::cmp::Ordering;

impl Machine<'_> {
    pub(crate) fn f80(&self, reg: Reg) -> F80 {
        F80 { mantissa: self.r(reg), exponent: self.r(reg + 1) as u16 }
    }

    pub(crate) fn set_f80(&mut self, reg: Reg, value: F80) {
        self.set(reg, value.mantissa);
        self.set(reg + 1, u64::from(value.exponent));
    }

    pub(super) fn float(&mut self, d: Reg, a: Reg, b: Reg, op: FloatOp, kind: ScalarKind) {
        match kind {
            ScalarKind::F32 => {
                let (x, y) = (f32::from_bits(self.r(a) as u32), f32::from_bits(self.r(b) as u32));
                let v = match op {
                    FloatOp::Add => x + y,
                    FloatOp::Sub => x - y,
                    FloatOp::Mul => x * y,
                    FloatOp::Div => x / y,
                    FloatOp::Neg => -x,
                    _ => return self.set(d, u64::from(compare(op, x.partial_cmp(&y)))),
                };
                self.set(d, u64::from(v.to_bits()));
            }
            ScalarKind::F64 => {
                let (x, y) = (f64::from_bits(self.r(a)), f64::from_bits(self.r(b)));
                let v = match op {
                    FloatOp::Add => x + y,
                    FloatOp::Sub => x - y,
                    FloatOp::Mul => x * y,
                    FloatOp::Div => x / y,
                    FloatOp::Neg => -x,
                    _ => return self.set(d, u64::from(compare(op, x.partial_cmp(&y)))),
                };
                self.set(d, v.to_bits());
            }
            _ => {
                let (x, y) = (self.f80(a), self.f80(b));
                let v = match op {
                    FloatOp::Add => x + y,
                    FloatOp::Sub => x - y,
                    FloatOp::Mul => x * y,
                    FloatOp::Div => x / y,
                    FloatOp::Neg => -x,
                    _ => return self.set(d, u64::from(compare(op, x.compare(y)))),
                };
                self.set_f80(d, v);
            }
        }
    }

    pub(super) fn truth(&mut self, d: Reg, a: Reg, kind: ScalarKind) {
        let truth = match kind {
            ScalarKind::F32 => f32::from_bits(self.r(a) as u32) != 0.0,
            ScalarKind::F64 => f64::from_bits(self.r(a)) != 0.0,
            ScalarKind::F80 => !self.f80(a).is_zero(),
            ScalarKind::I128 | ScalarKind::U128 => self.wide(a) != 0,
            _ => self.r(a) != 0,
        };
        self.set(d, u64::from(truth));
    }

    /// The integer in a register as a mathematical value; `None` above the range of `i128`.
    fn integer(&self, a: Reg, kind: ScalarKind) -> (i128, bool) {
        match kind {
            ScalarKind::U128 => (self.wide(a) as i128, true),
            ScalarKind::I128 => (self.wide(a) as i128, false),
            _ => (kind.value(self.r(a)), false),
        }
    }

    /// Conversions that are not a mere change of width.
    pub(super) fn convert(
        &mut self,
        d: Reg,
        a: Reg,
        from: ScalarKind,
        to: ScalarKind,
    ) -> ExecResult<()> {
        if from.is_int() && to.is_int() {
            let (v, _) = self.integer(a, from);
            if to.is_wide() {
                self.set_wide(d, v as u128);
            } else {
                self.set(d, to.wrap(v as u64));
            }
            return Ok(());
        }
        if from.is_int() {
            let (v, unsigned) = self.integer(a, from);
            self.int_to_float(d, v, unsigned, to);
            return Ok(());
        }
        if to.is_int() {
            return self.float_to_int(d, a, from, to);
        }
        match (from, to) {
            (ScalarKind::F32, ScalarKind::F64) => {
                let v = f64::from(f32::from_bits(self.r(a) as u32));
                self.set(d, v.to_bits());
            }
            (ScalarKind::F64, ScalarKind::F32) => {
                let v = f64::from_bits(self.r(a)) as f32;
                self.set(d, u64::from(v.to_bits()));
            }
            (ScalarKind::F32, _) => {
                self.set_f80(d, F80::from_f32(f32::from_bits(self.r(a) as u32)))
            }
            (ScalarKind::F64, _) => self.set_f80(d, F80::from_f64(f64::from_bits(self.r(a)))),
            (_, ScalarKind::F32) => {
                let v = self.f80(a).to_f32();
                self.set(d, u64::from(v.to_bits()));
            }
            _ => {
                let v = self.f80(a).to_f64();
                self.set(d, v.to_bits());
            }
        }
        Ok(())
    }

    fn int_to_float(&mut self, d: Reg, v: i128, unsigned: bool, to: ScalarKind) {
        match to {
            ScalarKind::F32 => {
                let v = if unsigned { v as u128 as f32 } else { v as f32 };
                self.set(d, u64::from(v.to_bits()));
            }
            ScalarKind::F64 => {
                let v = if unsigned { v as u128 as f64 } else { v as f64 };
                self.set(d, v.to_bits());
            }
            _ => {
                let v = if unsigned { F80::from_u128(v as u128) } else { F80::from_i128(v) };
                self.set_f80(d, v);
            }
        }
    }

    /// 6.3.1.4p1: the integral part must fit.
    fn float_to_int(&mut self, d: Reg, a: Reg, from: ScalarKind, to: ScalarKind) -> ExecResult<()> {
        let value = match from {
            ScalarKind::F32 => F80::from_f32(f32::from_bits(self.r(a) as u32)),
            ScalarKind::F64 => F80::from_f64(f64::from_bits(self.r(a))),
            _ => self.f80(a),
        };
        let out_of_range = || {
            let shown = value.to_f64();
            ub(
                UbKind::FloatToInt,
                format!(
                    "{shown} does not fit {} bits{}",
                    to.bits(),
                    if to.is_signed() { "" } else { ", unsigned" }
                ),
            )
        };
        if to == ScalarKind::U128 {
            let Some(v) = value.to_u128() else { return out_of_range() };
            self.set_wide(d, v);
            return Ok(());
        }
        let Some(v) = value.to_i128() else { return out_of_range() };
        if to == ScalarKind::I128 {
            self.set_wide(d, v as u128);
            return Ok(());
        }
        let (lo, hi) = if to.is_signed() {
            (-(1i128 << (to.bits() - 1)), (1i128 << (to.bits() - 1)) - 1)
        } else {
            (0, (1i128 << to.bits()) - 1)
        };
        if v < lo || v > hi {
            return out_of_range();
        }
        self.set(d, to.wrap(v as u64));
        Ok(())
    }
}

fn compare(op: FloatOp, order: Option<Ordering>) -> bool {
    match op {
        FloatOp::Lt => order == Some(Ordering::Less),
        FloatOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        FloatOp::Eq => order == Some(Ordering::Equal),
        _ => order != Some(Ordering::Equal),
    }
}
