//! Builtins on values, program end, and variable arguments.

use super::{LibCall, LibFunc};
use crate::exec::Machine;
use crate::kind::ScalarKind;
use crate::longdouble::F80;
use crate::memory::Access;
use crate::outcome::{UbKind, UnspecKind};
use crate::stop::{ExecResult, Stop, ub, unspecified, unsupported};
use ctree::Ty;
use std::cmp::Ordering;

impl Machine<'_> {
    fn arg_kind(&self, c: LibCall, i: usize) -> ScalarKind {
        let site = &self.code.sites[c.site as usize];
        site.args
            .get(i)
            .and_then(|&ty| ScalarKind::of(&self.program.types, ty))
            .unwrap_or(ScalarKind::I32)
    }

    /// A floating argument, widened.
    fn float_arg(&self, c: LibCall, i: usize) -> F80 {
        let wide = self.wide_argument(c.base, c.site, i);
        match self.arg_kind(c, i) {
            ScalarKind::F32 => F80::from_f32(f32::from_bits(wide as u32)),
            ScalarKind::F64 => F80::from_f64(f64::from_bits(wide as u64)),
            ScalarKind::F80 => F80 { mantissa: wide as u64, exponent: (wide >> 64) as u16 },
            kind => F80::from_i128(kind.value(wide as u64)),
        }
    }

    /// A floating result, narrowed to the kind of the call.
    fn set_float_result(&mut self, c: LibCall, value: F80) {
        match self.call_kind(c) {
            ScalarKind::F32 => self.set_result(c.base, u64::from(value.to_f32().to_bits())),
            ScalarKind::F64 => self.set_result(c.base, value.to_f64().to_bits()),
            _ => self.set_f80(c.base, value),
        }
    }

    fn call_kind(&self, c: LibCall) -> ScalarKind {
        let node = self.code.sites[c.site as usize].node;
        ScalarKind::of(&self.program.types, self.program.expr(node).ty).unwrap_or(ScalarKind::I32)
    }

    pub(super) fn builtin(&mut self, lib: LibFunc, c: LibCall) -> ExecResult<()> {
        let a = self.argument(c.base, c.site, 0);
        let kind = self.arg_kind(c, 0);
        match lib {
            LibFunc::Abort => {
                self.touch_io()?;
                return Err(Box::new(Stop::Abort));
            }
            LibFunc::Exit => {
                self.touch_io()?;
                return Err(Box::new(Stop::Exit(a as u8)));
            }
            LibFunc::Unreachable => {
                return ub(UbKind::Unreachable, "__builtin_unreachable is reached".into());
            }
            LibFunc::Nothing => {}
            LibFunc::Expect => self.set_result(c.base, a),
            LibFunc::Abs => {
                let v = kind.value(a);
                let min =
                    if kind.size() == 4 { i128::from(i32::MIN) } else { i128::from(i64::MIN) };
                if v == min {
                    return ub(UbKind::Library, format!("the absolute value of {v} does not fit"));
                }
                self.set_result(c.base, v.unsigned_abs() as u64);
            }
            LibFunc::ObjectSize => {
                return unspecified(
                    UnspecKind::ImplementationValue,
                    "the result of `__builtin_object_size`".into(),
                );
            }
            LibFunc::VaStart => return self.va_start(a),
            LibFunc::VaEnd => return self.write_list(a, (u64::MAX, 0)),
            LibFunc::VaCopy => {
                let from = self.argument(c.base, c.site, 1);
                let list = self.read_list(from)?;
                return self.write_list(a, list);
            }
            LibFunc::Isdigit => self.set_result(c.base, u64::from((a as u8).is_ascii_digit())),
            LibFunc::Toupper => self.set_result(c.base, u64::from((a as u8).to_ascii_uppercase())),
            LibFunc::Tolower => self.set_result(c.base, u64::from((a as u8).to_ascii_lowercase())),
            LibFunc::AddOverflow
            | LibFunc::SubOverflow
            | LibFunc::MulOverflow
            | LibFunc::AddOverflowP
            | LibFunc::SubOverflowP
            | LibFunc::MulOverflowP => return self.overflow_builtin(lib, c),
            LibFunc::Ffs
            | LibFunc::Clz
            | LibFunc::Ctz
            | LibFunc::Clrsb
            | LibFunc::Popcount
            | LibFunc::Parity
            | LibFunc::Bswap => {
                return self.bit_builtin(lib, c, a, kind);
            }
            _ => return self.float_builtin(lib, c),
        }
        Ok(())
    }

    fn bit_builtin(
        &mut self,
        lib: LibFunc,
        c: LibCall,
        a: u64,
        kind: ScalarKind,
    ) -> ExecResult<()> {
        let width = kind.bits();
        let a = if width == 32 { u64::from(a as u32) } else { a };
        if a == 0 && matches!(lib, LibFunc::Clz | LibFunc::Ctz) {
            return ub(UbKind::Library, "__builtin_clz or __builtin_ctz of 0".into());
        }
        let v = match lib {
            LibFunc::Ffs if a == 0 => 0,
            LibFunc::Ffs => a.trailing_zeros() + 1,
            LibFunc::Clz => a.leading_zeros() - (64 - width),
            LibFunc::Ctz => a.trailing_zeros(),
            LibFunc::Clrsb => {
                let signed = if width == 32 { a as i32 as i64 } else { a as i64 };
                (if signed < 0 { !signed } else { signed }).leading_zeros() - (64 - width) - 1
            }
            LibFunc::Popcount => a.count_ones(),
            LibFunc::Parity => a.count_ones() & 1,
            _ => {
                let swapped = match kind.size() {
                    2 => u64::from((a as u16).swap_bytes()),
                    4 => u64::from((a as u32).swap_bytes()),
                    _ => a.swap_bytes(),
                };
                self.set_result(c.base, swapped);
                return Ok(());
            }
        };
        self.set_result(c.base, u64::from(v));
        Ok(())
    }

    fn overflow_builtin(&mut self, lib: LibFunc, c: LibCall) -> ExecResult<()> {
        let site = &self.code.sites[c.site as usize];
        let (ka, kb) = (self.arg_kind(c, 0), self.arg_kind(c, 1));
        let third = site.args.get(2).copied().unwrap_or(Ty::INT);
        let target = self.program.types.pointee(third).unwrap_or(third);
        let Some(kind) = ScalarKind::of(&self.program.types, target) else {
            return unsupported(format!("`{}` with these argument types", lib.name()));
        };
        if ka.is_wide() || kb.is_wide() || kind.is_wide() {
            return unsupported(format!("`{}` on 128-bit integers", lib.name()));
        }
        let x = ka.value(self.argument(c.base, c.site, 0));
        let y = kb.value(self.argument(c.base, c.site, 1));
        let (exact, low) = match lib {
            LibFunc::AddOverflow | LibFunc::AddOverflowP => (x.checked_add(y), x.wrapping_add(y)),
            LibFunc::SubOverflow | LibFunc::SubOverflowP => (x.checked_sub(y), x.wrapping_sub(y)),
            _ => (x.checked_mul(y), x.wrapping_mul(y)),
        };
        let stored = kind.wrap(low as u64);
        let fits = exact == Some(kind.value(stored));
        if self.program.types.is_pointer(third) {
            let pointer = self.argument(c.base, c.site, 2);
            self.store_value(pointer, target, stored)?;
        }
        self.set_result(c.base, u64::from(!fits));
        Ok(())
    }

    fn float_builtin(&mut self, lib: LibFunc, c: LibCall) -> ExecResult<()> {
        let x = self.float_arg(c, 0);
        let y = self.float_arg(c, 1);
        let order = x.compare(y);
        let truth = match lib {
            LibFunc::IsNan => x.is_nan(),
            LibFunc::IsInf => x.is_infinite(),
            LibFunc::IsFinite => x.is_finite(),
            LibFunc::IsNormal => {
                let tiny = match self.arg_kind(c, 0) {
                    ScalarKind::F32 => f64::from(f32::MIN_POSITIVE),
                    _ => f64::MIN_POSITIVE,
                };
                x.is_finite() && x.abs().compare(F80::from_f64(tiny)).is_some_and(Ordering::is_ge)
            }
            LibFunc::Signbit => x.is_negative(),
            LibFunc::IsUnordered => order.is_none(),
            LibFunc::IsLess => order == Some(Ordering::Less),
            LibFunc::IsLessEqual => order.is_some_and(Ordering::is_le),
            LibFunc::IsGreater => order == Some(Ordering::Greater),
            LibFunc::IsGreaterEqual => order.is_some_and(Ordering::is_ge),
            LibFunc::IsLessGreater => order.is_some_and(Ordering::is_ne),
            LibFunc::IsInfSign => {
                let v = if !x.is_infinite() {
                    0
                } else if x.is_negative() {
                    -1i64
                } else {
                    1
                };
                self.set_result(c.base, v as u64);
                return Ok(());
            }
            _ => return self.float_function(lib, c, x, y),
        };
        self.set_result(c.base, u64::from(truth));
        Ok(())
    }

    fn float_function(&mut self, lib: LibFunc, c: LibCall, x: F80, y: F80) -> ExecResult<()> {
        let double = x.to_f64();
        let value = match lib {
            LibFunc::Fabs => x.abs(),
            LibFunc::Copysign => {
                let magnitude = x.abs();
                if y.is_negative() { -magnitude } else { magnitude }
            }
            LibFunc::Inf => F80::INFINITY,
            LibFunc::Nan => F80 { exponent: 0x7fff, ..F80::DEFAULT_NAN },
            LibFunc::Sqrt if self.call_kind(c) == ScalarKind::F32 => {
                F80::from_f32(x.to_f32().sqrt())
            }
            LibFunc::Sqrt => F80::from_f64(double.sqrt()),
            LibFunc::Floor => F80::from_f64(double.floor()),
            LibFunc::Ceil => F80::from_f64(double.ceil()),
            LibFunc::Trunc => F80::from_f64(double.trunc()),
            LibFunc::Fmod => x.fmod(y),
            _ => return unsupported(format!("builtin `{}`", lib.name())),
        };
        self.set_float_result(c, value);
        Ok(())
    }

    /// A `va_list` holds the number of the call and the position in its arguments.
    fn va_start(&mut self, list: u64) -> ExecResult<()> {
        let number = self.frame_number();
        self.write_list(list, (number, 0))
    }

    fn write_list(&mut self, list: u64, (call, position): (u64, u64)) -> ExecResult<()> {
        let size = self.program.types.model.va_list.0;
        let at = self.range(list, size, Access::Store)?;
        let mut bytes = [0; 24];
        if size < 16 {
            // One number stands for both; neither comes near 32 bits, but for the mark of an ended list.
            let both = call << 32 | position;
            bytes[..4].copy_from_slice(&self.memory.narrowed(both).to_le_bytes());
        } else {
            bytes[..8].copy_from_slice(&call.to_le_bytes());
            bytes[8..16].copy_from_slice(&position.to_le_bytes());
        }
        self.write_bytes(at, &bytes[..size as usize])
    }

    fn read_list(&mut self, list: u64) -> ExecResult<(u64, u64)> {
        let is_narrow = self.program.types.model.va_list.0 < 16;
        let mut bytes = [0; 16];
        for (i, byte) in bytes.iter_mut().take(if is_narrow { 4 } else { 16 }).enumerate() {
            *byte = self.read_char(list + i as u64)?;
        }
        let half = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| bytes[i + k]));
        if is_narrow {
            let both = self.memory.widened(half(0) as u32);
            return Ok((both >> 32, both & 0xffff_ffff));
        }
        Ok((half(0), half(8)))
    }

    /// The remaining arguments of a list, for `vprintf` and the like.
    pub(super) fn rest_of_list(&mut self, list: u64) -> ExecResult<Vec<(u64, u64, Ty)>> {
        let (call, position) = self.read_list(list)?;
        match self.varargs_of(call) {
            Some(args) => Ok(args.get(position as usize..).unwrap_or(&[]).to_vec()),
            None => ub(UbKind::VaArg, "the va_list belongs to a call that has ended".into()),
        }
    }

    pub(crate) fn va_arg(&mut self, d: crate::code::Reg, list: u64, ty: Ty) -> ExecResult<()> {
        let (call, position) = self.read_list(list)?;
        let Some(args) = self.varargs_of(call) else {
            return ub(UbKind::VaArg, "the va_list belongs to a call that has ended".into());
        };
        let Some(&(low, high, actual)) = args.get(position as usize) else {
            return ub(UbKind::VaArg, format!("there are only {} variable arguments", args.len()));
        };
        if !self.va_compatible(ty, actual, low) {
            let name = |ty| ctree::print::print_type(self.program, ty);
            return ub(
                UbKind::VaArg,
                format!("the argument is a `{}`, not a `{}`", name(actual), name(ty)),
            );
        }
        self.write_list(list, (call, position + 1))?;
        if ScalarKind::of(&self.program.types, ty).is_some_and(ScalarKind::is_wide) {
            self.set_wide_result(d, u128::from(low) | (u128::from(high) << 64));
        } else {
            // For a record, the pointer to the caller's copy.
            let kind = ScalarKind::of(&self.program.types, ty).unwrap_or(ScalarKind::U64);
            self.set_result(d, kind.wrap(low));
        }
        Ok(())
    }

    /// 7.16.1.1p2: compatible, or signed and unsigned counterparts with a value that both have, or
    /// pointers to void and to a character type.
    fn va_compatible(&self, wanted: Ty, actual: Ty, value: u64) -> bool {
        if crate::compat::compatible(self.program, wanted, actual) {
            return true;
        }
        let types = &self.program.types;
        match (types.int_kind(wanted), types.int_kind(actual)) {
            (Some(x), Some(y)) => {
                let kind = ScalarKind::of(types, wanted).unwrap_or(ScalarKind::I64);
                x.to_unsigned() == y.to_unsigned()
                    && (kind.is_wide() || value >> (kind.bits() - 1) & 1 == 0)
            }
            _ => {
                let is_bytes = |ty| {
                    types.pointee(ty).is_some_and(|t| {
                        types.is_void(t) || types.int_kind(t).is_some_and(|k| k.rank() == 1)
                    })
                };
                types.is_pointer(wanted)
                    && types.is_pointer(actual)
                    && (is_bytes(wanted) && is_bytes(actual))
            }
        }
    }
}
