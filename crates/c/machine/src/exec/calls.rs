//! Calls and returns: windows, frames, variable arguments.

use super::{Frame, Machine};
use crate::code::*;
use crate::compat::compatible;
use crate::library::signature::pointer_call_agrees;
use crate::memory::Origin;
use crate::outcome::{UbKind, UnspecKind};
use crate::stop::{ExecResult, Stop, ub, unspecified, unsupported};
use ctree::Ty;

impl Machine<'_> {
    /// Calls `main` after the static initialisers.
    pub(super) fn enter_main(&mut self) -> ExecResult<()> {
        let Some(main) = self.code.main else {
            return unsupported("program without `main`");
        };
        let func = &self.code.funcs[main as usize];
        if func.params.len() > 2 {
            return unsupported("`main` with more than two parameters");
        }
        if !func.params.is_empty() {
            self.regs[0] = 1;
            self.regs[1] = self.argv()?;
        }
        self.frames.clear();
        self.push_call(main, 0, u32::MAX, u32::MAX)
    }

    /// `argv`, if `main` has the parameter: one name and a null pointer.
    fn argv(&mut self) -> ExecResult<u64> {
        let classes = &self.code.classes;
        let name = self.memory.heap_alloc(classes, 2)?.unwrap_or(0);
        let width = self.program.types.model.pointer_size;
        let array = self.memory.heap_alloc(classes, 2 * width)?.unwrap_or(0);
        self.poke(name, b"a\0");
        let base = self.memory.objects[crate::memory::slot_of(array) as usize].base;
        self.write_pointer(base, name);
        self.write_pointer(base + width, 0);
        Ok(array)
    }

    pub(super) fn push_call(
        &mut self,
        number: u32,
        base: Reg,
        site: u32,
        return_to: u32,
    ) -> ExecResult<()> {
        let func = &self.code.funcs[number as usize];
        if self.depth() >= self.max_depth {
            return Err(Box::new(Stop::OutOfMemory(format!(
                "calls nested more than {} deep",
                self.max_depth
            ))));
        }
        if func.regs >= u32::from(NO_REG) - 2 {
            return unsupported("function with more than 65,000 temporaries");
        }
        let varargs =
            if func.variadic { self.collect_varargs(number, base, site) } else { Vec::new() };
        let frame = Frame {
            func: number,
            site,
            return_to,
            window: self.window,
            memory: self.frame_memory,
            objects: self.objects_base,
            regions: self.sequence.depth(),
            varargs,
        };
        self.frame_memory = self.memory.push_frame(func.frame)?;
        self.frames.push(frame);
        self.window += base as usize;
        self.reserve(func.regs as usize);
        self.objects_base = self.frame_objects.len();
        self.frame_objects.resize(self.objects_base + func.locals.len(), 0);
        self.pc = func.entry;
        self.spend(1)
    }

    fn collect_varargs(&self, number: u32, base: Reg, site: u32) -> Vec<(u64, u64, Ty)> {
        let fixed = self.code.funcs[number as usize].params.len();
        let Some(site) = self.code.sites.get(site as usize) else { return Vec::new() };
        let extra = site.args.iter().zip(&site.regs).skip(fixed);
        extra.map(|(&ty, &reg)| (self.r(base + reg), self.r(base + reg + 1), ty)).collect()
    }

    /// Returns from the current call; `missing` if a value is required but there is none.
    pub(super) fn pop_call(&mut self, missing: bool) -> ExecResult<()> {
        let Some(frame) = self.frames.pop() else {
            return Err(Box::new(Stop::Internal("return without a call".into())));
        };
        if frame.func == u32::MAX {
            return self.enter_main();
        }
        let func = &self.code.funcs[frame.func as usize];
        if func.noreturn {
            return ub(UbKind::NoReturn, format!("`{}` returns", self.func_name(frame.func)));
        }
        if missing && self.code.sites.get(frame.site as usize).is_some_and(|s| s.used) {
            self.pc = frame.return_to;
            return ub(
                UbKind::MissingReturn,
                format!("`{}` ended without a value", self.func_name(frame.func)),
            );
        }
        if self.frames.is_empty() {
            if !compatible(self.program, self.return_type(frame.func), Ty::INT) {
                return unspecified(UnspecKind::ExitStatus, "`main` does not return int".into());
            }
            return Err(Box::new(Stop::Exit(self.r(0) as u8)));
        }
        self.unwind(frame.regions);
        self.memory.stack_top = self.frame_memory;
        self.frame_objects.truncate(self.objects_base);
        self.window = frame.window;
        self.frame_memory = frame.memory;
        self.objects_base = frame.objects;
        self.pc = frame.return_to;
        Ok(())
    }

    /// Closes regions that a return left open (a `return` inside a statement expression).
    #[inline(always)]
    fn unwind(&mut self, to: (usize, usize, usize)) {
        if self.sequence.depth() == to {
            return;
        }
        while self.sequence.depth().2 > to.2 {
            self.sequence.pend_end(false);
        }
        while self.sequence.depth().1 > to.1 {
            self.sequence.log_off(&mut self.memory);
        }
        while self.sequence.depth().0 > to.0 {
            self.sequence.end(&mut self.memory);
        }
    }

    fn return_type(&self, number: u32) -> Ty {
        let ty = self.code.funcs[number as usize].ty;
        self.program.types.as_function(ty).map_or(Ty::VOID, |f| f.ret)
    }

    pub(super) fn call_pointer(&mut self, pointer: u64, base: Reg, site: u32) -> ExecResult<()> {
        let slot = crate::memory::slot_of(pointer);
        let object = self.memory.objects[slot as usize];
        if pointer == 0 {
            return ub(UbKind::NullDeref, "the function pointer is null".into());
        }
        if let Origin::LibFunc(lib) = object.origin {
            let CallSite { ty, args, .. } = &self.code.sites[site as usize];
            if let Err((kind, why)) = pointer_call_agrees(self.program, lib, *ty, args) {
                let name = lib.name().to_lowercase();
                return ub(kind, format!("call of `{name}` through a pointer: {why}"));
            }
            return self.call_library(lib, base, site);
        }
        let Origin::Func(number) = object.origin else {
            self.memory.check_valid(pointer)?;
            return ub(UbKind::InvalidPointer, "the pointer does not point to a function".into());
        };
        let info = &self.code.sites[site as usize];
        let def = &self.code.funcs[number as usize];
        if def.ty != info.ty
            && let Err((kind, why)) =
                crate::lower::call_agrees(self.program, def.id, info.ty, &info.args)
        {
            return ub(
                kind,
                format!("call of `{}` through a pointer: {why}", self.func_name(number)),
            );
        }
        self.push_call(number, base, site, self.pc)
    }

    /// The variable arguments of a call that is still in progress.
    pub(crate) fn varargs_of(&self, number: u64) -> Option<&[(u64, u64, Ty)]> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.frames.get(index).map(|f| f.varargs.as_slice())
    }

    /// A number that names the current call, for `va_list`s.
    pub(crate) fn frame_number(&self) -> u64 {
        self.frames.len() as u64
    }
}
