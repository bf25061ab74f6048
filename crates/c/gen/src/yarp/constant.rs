//! Constants: small ones, ends of ranges, blocks of bits, and those used before.

use super::Yarp;
use crate::policy::knobs::{Chance, ConstantChange, ConstantKind, Range};
use ctree::{ExprId, Ty};

impl Yarp {
    /// A constant of an integer type.
    pub(super) fn constant(&mut self, ty: Ty) -> ExprId {
        let ty = self.program.types.resolved(ty).unqual();
        let (bits, signed) = self.program.types.int_bits(ty).unwrap_or((32, true));
        let value = self.constant_bits(bits, signed);
        let value = wrap(value, bits, signed);
        self.program.int_const(ty, value)
    }

    fn constant_bits(&mut self, bits: u32, signed: bool) -> u64 {
        let logical = self.context.ops == Some(crate::policy::knobs::Context::Logical);
        if !logical
            && self.chance(Chance::ConstantReuse)
            && let Some(&old) = self.choices.pick(&self.constants)
        {
            return match self.pick::<ConstantChange>() {
                ConstantChange::Same => old,
                ConstantChange::Negated => old.wrapping_neg(),
                ConstantChange::Complement => !old,
                ConstantChange::Next => old.wrapping_add(1),
                ConstantChange::Previous => old.wrapping_sub(1),
            };
        }
        let value = match self.pick::<ConstantKind>() {
            ConstantKind::Uniform => self.choices.bits(64),
            ConstantKind::Small => self.choices.range(-16..=32) as u64,
            ConstantKind::Limit => {
                let end = match (signed, self.choices.chance(50)) {
                    (true, true) => 1u64 << (bits - 1),
                    (true, false) => (1u64 << (bits - 1)) - 1,
                    (false, true) => 0,
                    (false, false) => u64::MAX,
                };
                let near = self.choices.chance(50);
                end.wrapping_add(if near { self.choices.range(-3..=3) as u64 } else { 0 })
            }
            ConstantKind::Block => {
                let low = self.choices.below(u64::from(bits)) as u32;
                let length = 1 + self.choices.below(u64::from(bits - low)) as u32;
                let block = (u64::MAX >> (64 - length)) << low;
                if self.choices.chance(30) { !block } else { block }
            }
        };
        let most = self.policy.most(Range::ConstantBuffer) as usize;
        if self.constants.len() < most {
            self.constants.push(value);
        } else if most > 0 {
            let at = self.choices.index(most);
            self.constants[at] = value;
        }
        value
    }
}

/// The low bits as a number of that width.
fn wrap(value: u64, bits: u32, signed: bool) -> i128 {
    let shift = 64 - bits.min(64);
    if bits == 1 {
        return i128::from(value & 1);
    }
    if signed {
        i128::from(((value << shift) as i64) >> shift)
    } else {
        i128::from((value << shift) >> shift)
    }
}
