//! The printf family (7.21.6).

use super::{LibCall, LibFunc};
use crate::exec::Machine;
use crate::format::{ArgType, Directive, Refusal, parse};
use crate::kind::ScalarKind;
use crate::longdouble::F80;
use crate::memory::{Access, Origin, offset_of, slot_of, with_offset};
use crate::outcome::{UbKind, UnspecKind};
use crate::stop::{ExecResult, ub, unspecified, unsupported};
use ctree::{IntKind, Ty};

/// An argument: its registers and its type.
type PrintArg = (u64, u64, Ty);

impl Machine<'_> {
    fn call_args(&self, c: LibCall, from: usize) -> Vec<PrintArg> {
        let site = &self.code.sites[c.site as usize];
        (from..site.args.len())
            .map(|i| {
                let wide = self.wide_argument(c.base, c.site, i);
                (wide as u64, (wide >> 64) as u64, site.args[i])
            })
            .collect()
    }

    pub(super) fn print_call(&mut self, lib: LibFunc, c: LibCall) -> ExecResult<()> {
        let first = self.argument(c.base, c.site, 0);
        let result = match lib {
            LibFunc::Puts if first == 0 => {
                return ub(UbKind::Library, "puts of a null pointer".into());
            }
            LibFunc::Puts => {
                let mut text = self.read_string(first, None)?;
                text.push(b'\n');
                self.print(&text)?;
                text.len() as u64
            }
            LibFunc::Putchar => {
                self.print(&[first as u8])?;
                u64::from(first as u8)
            }
            LibFunc::Printf => {
                let args = self.call_args(c, 1);
                let text = self.format(first, &args)?;
                self.print(&text)?;
                text.len() as u64
            }
            LibFunc::Sprintf => {
                let format = self.argument(c.base, c.site, 1);
                let args = self.call_args(c, 2);
                self.print_to(first, None, format, &args)?
            }
            _ => {
                let size = self.argument(c.base, c.site, 1);
                let format = self.argument(c.base, c.site, 2);
                let args = self.call_args(c, 3);
                self.print_to(first, Some(size), format, &args)?
            }
        };
        self.set_result(c.base, result);
        Ok(())
    }

    /// Functions that take a stream; output to standard error is discarded.
    pub(super) fn stream_call(&mut self, lib: LibFunc, c: LibCall) -> ExecResult<()> {
        let arg = |s: &Self, i| s.argument(c.base, c.site, i);
        let (stream, text) = match lib {
            LibFunc::Fprintf => {
                let args = self.call_args(c, 2);
                (arg(self, 0), self.format(arg(self, 1), &args)?)
            }
            LibFunc::Vfprintf => {
                let args = self.rest_of_list(arg(self, 2))?;
                (arg(self, 0), self.format(arg(self, 1), &args)?)
            }
            LibFunc::Fputs => {
                let from = arg(self, 0);
                if from == 0 {
                    return ub(UbKind::Library, "fputs of a null pointer".into());
                }
                (arg(self, 1), self.read_string(from, None)?)
            }
            LibFunc::Fputc => (arg(self, 1), vec![arg(self, 0) as u8]),
            LibFunc::Fwrite => {
                let (from, size) = (arg(self, 0), arg(self, 1).saturating_mul(arg(self, 2)));
                let size = u32::try_from(size).unwrap_or(u32::MAX >> 4);
                let mut text = Vec::new();
                for i in 0..size {
                    text.push(self.read_char(with_offset(from, offset_of(from) + i))?);
                }
                (arg(self, 3), text)
            }
            _ if arg(self, 0) == 0 => {
                self.set_result(c.base, 0);
                return self.touch_io();
            }
            _ => (arg(self, 0), Vec::new()),
        };
        match self.memory.objects[slot_of(stream) as usize].origin {
            Origin::Stream(1) => self.print(&text)?,
            Origin::Stream(_) => self.touch_io()?,
            _ => return ub(UbKind::Library, "the stream is neither stdout nor stderr".into()),
        }
        let result = match lib {
            LibFunc::Fputc => u64::from(text[0]),
            LibFunc::Fwrite => arg(self, 2),
            // fputs and fflush: a non-negative number; glibc gives 1 and 0.
            LibFunc::Fputs => 1,
            _ => text.len() as u64,
        };
        self.set_result(c.base, result);
        Ok(())
    }

    pub(super) fn print_list_call(&mut self, lib: LibFunc, c: LibCall) -> ExecResult<()> {
        let first = self.argument(c.base, c.site, 0);
        let (format_at, list_at) = match lib {
            LibFunc::Vprintf => (0, 1),
            LibFunc::Vsprintf => (1, 2),
            _ => (2, 3),
        };
        let format = self.argument(c.base, c.site, format_at);
        let list = self.argument(c.base, c.site, list_at);
        let args = self.rest_of_list(list)?;
        let result = match lib {
            LibFunc::Vprintf => {
                let text = self.format(format, &args)?;
                self.print(&text)?;
                text.len() as u64
            }
            LibFunc::Vsprintf => self.print_to(first, None, format, &args)?,
            _ => {
                let size = self.argument(c.base, c.site, 1);
                self.print_to(first, Some(size), format, &args)?
            }
        };
        self.set_result(c.base, result);
        Ok(())
    }

    fn print_to(
        &mut self,
        to: u64,
        size: Option<u64>,
        format: u64,
        args: &[PrintArg],
    ) -> ExecResult<u64> {
        let mut text = self.format(format, args)?;
        let length = text.len() as u64;
        match size {
            Some(0) => return Ok(length),
            Some(n) => text.truncate((n - 1).min(length) as usize),
            None => {}
        }
        text.push(0);
        if to == 0 {
            return ub(UbKind::Library, "the buffer is a null pointer".into());
        }
        let at = self.range(to, text.len() as u32, Access::Store)?;
        self.write_bytes(at, &text)?;
        Ok(length)
    }

    fn format(&mut self, format: u64, args: &[PrintArg]) -> ExecResult<Vec<u8>> {
        if format == 0 {
            return ub(UbKind::Library, "the format is a null pointer".into());
        }
        let text = self.read_string(format, None)?;
        let directives = match parse(&text) {
            Ok(directives) => directives,
            Err(error) => return refuse(error.refusal, error.to_string()),
        };
        let mut out = Vec::new();
        let mut args = args.iter();
        for directive in directives {
            match directive {
                Directive::Literal(range) => out.extend_from_slice(&text[range]),
                Directive::Spec(spec) => {
                    let mut stars = Vec::new();
                    for _ in 0..spec.stars() {
                        let arg = self.next_arg(&mut args, ArgType::Int)?;
                        stars.push(arg.0 as i32);
                    }
                    let field = match spec.resolve(&stars) {
                        Ok(field) => field,
                        Err(error) => return refuse(error.refusal, error.to_string()),
                    };
                    let wanted = spec.arg();
                    let arg = self.next_arg(&mut args, wanted)?;
                    match wanted {
                        // Compilers fold 0.0/0.0 to a positive NaN; the hardware makes a negative one.
                        ArgType::Double if f64::from_bits(arg.0).is_nan() => {
                            return unspecified(
                                UnspecKind::ImplementationValue,
                                "the sign of a NaN is printed".into(),
                            );
                        }
                        ArgType::Double => field.render_f64(f64::from_bits(arg.0), &mut out),
                        ArgType::LongDouble => {
                            field.render_f80(
                                F80 { mantissa: arg.0, exponent: arg.1 as u16 },
                                &mut out,
                            );
                        }
                        ArgType::Str => {
                            if arg.0 == 0 {
                                return ub(UbKind::Library, "%s with a null pointer".into());
                            }
                            let s = self.read_string(arg.0, field.str_limit())?;
                            field.render_str(&s, &mut out);
                        }
                        ArgType::Pointer => {
                            if arg.0 != 0 {
                                return unspecified(
                                    UnspecKind::Address,
                                    "an address is printed".into(),
                                );
                            }
                            field.render_pointer(0, &mut out);
                        }
                        ArgType::CharAsInt => field.render_char(arg.0 as i32, &mut out),
                        _ => field.render_int(self.as_converted(arg, wanted), &mut out),
                    }
                }
            }
        }
        self.spend_bytes(out.len() as u32)?;
        Ok(out)
    }

    /// An integer argument in the width of its own type and the signedness of the conversion.
    fn as_converted(&self, arg: PrintArg, wanted: ArgType) -> u64 {
        let is_signed = wanted.int_bits().is_some_and(|(_, signed)| signed);
        match self.program.types.int_bits(arg.2) {
            Some((bits, _)) => ScalarKind::int(bits, is_signed).wrap(arg.0),
            None => arg.0,
        }
    }

    fn next_arg(
        &self,
        args: &mut std::slice::Iter<'_, PrintArg>,
        wanted: ArgType,
    ) -> ExecResult<PrintArg> {
        let Some(&arg) = args.next() else {
            return ub(UbKind::Format, "there are fewer arguments than conversions".into());
        };
        if !self.agrees(arg.2, wanted) {
            let name = ctree::print::print_type(self.program, arg.2);
            return ub(UbKind::Format, format!("a conversion for {wanted:?} is given a `{name}`"));
        }
        Ok(arg)
    }

    /// Whether an argument of the (promoted) type suits a conversion.
    fn agrees(&self, ty: Ty, wanted: ArgType) -> bool {
        use ArgType::*;
        let pointee = self.program.types.pointee(ty);
        let rank = self.program.types.int_kind(ty).map(IntKind::to_unsigned);
        match wanted {
            SChar | UChar | Short | UShort | Int | UInt | CharAsInt => rank == Some(IntKind::UInt),
            Long | ULong => rank == Some(IntKind::ULong),
            IntMax | UIntMax => rank == Some(self.program.types.model.intmax_type().to_unsigned()),
            SSize | Size | PtrDiff | UPtrDiff => rank == Some(self.program.types.model.size_type()),
            LongLong | ULongLong => rank == Some(IntKind::ULongLong),
            Double => self.program.types.resolved(ty).unqual() == Ty::DOUBLE,
            LongDouble => self.program.types.resolved(ty).unqual() == Ty::LDOUBLE,
            Str => pointee.is_some_and(|t| {
                self.program.types.int_kind(t).is_some_and(|k| k.rank() == 1)
                    || self.program.types.is_void(t)
            }),
            // Strictly a pointer to void; character pointers have the same representation.
            Pointer => pointee.is_some_and(|t| {
                self.program.types.is_void(t)
                    || self.program.types.int_kind(t).is_some_and(|k| k.rank() == 1)
            }),
        }
    }
}

fn refuse<T>(refusal: Refusal, why: String) -> ExecResult<T> {
    match refusal {
        Refusal::Undefined => ub(UbKind::Format, why),
        Refusal::Unsupported => unsupported(why),
    }
}
