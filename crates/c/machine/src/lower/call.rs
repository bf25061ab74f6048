//! Calls.

use super::effects::Effects;
use super::lvalue::LValue;
use super::{Lower, Lowered};
use crate::code::*;
use crate::compat::{compatible, promoted};
use crate::kind::ScalarKind;
use crate::library::{LibFunc, signature};
use crate::outcome::UbKind;
use ctree::{ExprId, ExprKind, FuncId, FuncStorage, Program, Ty};

/// What is called.
enum CallTarget {
    Func(u32),
    LibFunc(LibFunc, FuncId),
    /// Through a pointer that is yet to be evaluated.
    Pointer(ExprId),
}

impl Lower<'_> {
    fn target(&self, f: ExprId) -> Lowered<CallTarget> {
        let mut inner = f;
        while let ExprKind::Implicit(e) | ExprKind::Unary(ctree::UnOp::AddrOf, e) =
            self.program.expr(inner).kind
        {
            inner = e;
        }
        let ExprKind::Func(id) = self.program.expr(inner).kind else {
            return Ok(CallTarget::Pointer(f));
        };
        self.known_target(id)
    }

    fn known_target(&self, id: FuncId) -> Lowered<CallTarget> {
        if let Some(&number) = self.func_numbers.get(&id) {
            return Ok(CallTarget::Func(number));
        }
        let name = self.program.name(self.program.func(id).name);
        match LibFunc::by_name(name) {
            Some(lib) => Ok(CallTarget::LibFunc(lib, id)),
            None => Err(format!("function `{name}`, which has no definition")),
        }
    }

    /// A call with a scalar or no value.
    pub(super) fn call(
        &mut self,
        e: ExprId,
        f: ExprId,
        args: &[ExprId],
        want: Option<Reg>,
        used: bool,
    ) -> Lowered<Reg> {
        let ty = self.program.expr(e).ty;
        if self.in_memory(ty) {
            // A record that is not used still needs storage.
            return self.aggregate(e).map(|_| 0);
        }
        let kind = if self.program.types.is_void(ty) { ScalarKind::I32 } else { self.kind_of(ty)? };
        let d = want.unwrap_or_else(|| self.temp_for(kind));
        let mark = self.func.next;
        let base = self.emit_call(e, f, args, None, used)?;
        if used && !self.program.types.is_void(ty) {
            self.mov(d, base, kind);
        }
        self.func.next = mark;
        Ok(d)
    }

    /// A call whose value is a record, left in `to`.
    pub(super) fn call_record(
        &mut self,
        e: ExprId,
        f: ExprId,
        args: &[ExprId],
        to: LValue,
    ) -> Lowered<()> {
        let mark = self.func.next;
        self.emit_call(e, f, args, Some(to), true)?;
        self.func.next = mark;
        Ok(())
    }

    fn emit_call(
        &mut self,
        e: ExprId,
        f: ExprId,
        args: &[ExprId],
        to: Option<LValue>,
        used: bool,
    ) -> Lowered<Reg> {
        let target = self.target(f)?;
        let fty =
            self.program.types.pointee(self.program.expr(f).ty).unwrap_or(self.program.expr(f).ty);
        let base = self.func.next.min(u32::from(NO_REG)) as Reg;
        let hidden = to.map(|lv| {
            let reg = self.temp();
            (reg, lv)
        });
        let mut regs = Vec::with_capacity(args.len());
        for &arg in args {
            let kind = ScalarKind::of(&self.program.types, self.program.expr(arg).ty);
            let wide = kind.is_some_and(ScalarKind::is_wide);
            regs.push(if wide { self.temp_pair() } else { self.temp() });
        }
        if args.is_empty() && hidden.is_none() {
            // Room for the value.
            self.temp_pair();
        }
        let callee = self.arguments(&target, args, &regs)?;
        if let Some((reg, lv)) = hidden {
            self.address(&lv, Some(reg))?;
        }
        let site = self.code.sites.len() as u32;
        self.code.sites.push(CallSite {
            node: e,
            args: args.iter().map(|&a| self.program.expr(a).ty).collect(),
            regs: regs.iter().map(|r| r - base).collect(),
            ty: fty,
            used,
            sign_only: !used || self.sign_only.contains(&e),
        });
        match target {
            CallTarget::Func(func) => {
                self.check_call(func, fty, args);
                self.emit(Op::Call { func, base, site });
            }
            CallTarget::LibFunc(lib, id) => {
                self.check_library_call(id, fty, args);
                for &arg in args {
                    // Builtins store through their pointer arguments: the class must be known then.
                    if let Some(to) = self.program.types.pointee(self.program.expr(arg).ty)
                        && self.program.types.is_scalar(to)
                    {
                        self.code.classes.class(&self.program.types, to);
                    }
                }
                self.emit(Op::CallLib { lib, base, site });
            }
            CallTarget::Pointer(_) => {
                self.emit(Op::CallPtr { p: callee, base, site });
            }
        }
        Ok(base)
    }

    /// Evaluates the arguments and the function pointer, in an order that we choose.
    fn arguments(&mut self, target: &CallTarget, args: &[ExprId], regs: &[Reg]) -> Lowered<Reg> {
        // Operand i < args.len() is an argument; the last may be the callee.
        let mut operands: Vec<(usize, ExprId, Effects)> = Vec::with_capacity(args.len() + 1);
        for (i, &arg) in args.iter().enumerate() {
            let effects = self.effects(arg);
            operands.push((i, arg, effects));
        }
        let mut callee = 0;
        if let CallTarget::Pointer(f) = *target {
            callee = self.temp();
            let effects = self.effects(f);
            operands.push((args.len(), f, effects));
        }
        let clash = operands
            .iter()
            .enumerate()
            .any(|(i, a)| operands[..i].iter().any(|b| a.2.conflicts(b.2)));
        operands.sort_by_key(|&(i, _, effects)| (effects.heavy, i));
        if clash {
            self.region_begin();
        }
        let last = operands.len().saturating_sub(1);
        for (n, &(i, e, _)) in operands.iter().enumerate() {
            let log = clash && n < last;
            if log {
                self.emit(Op::LogOn);
            }
            let reg = if i == args.len() { callee } else { regs[i] };
            match target {
                // A double free is diagnosed by `free` itself.
                CallTarget::LibFunc(LibFunc::Free | LibFunc::Realloc, _)
                    if self.program.types.is_pointer(self.program.expr(e).ty) =>
                {
                    let r = self.freed_operand(e)?;
                    self.mov(reg, r, ScalarKind::Ptr);
                }
                _ => self.argument(e, reg)?,
            }
            if log {
                self.emit(Op::LogOff);
            }
        }
        if clash {
            self.region_end();
        }
        Ok(callee)
    }

    fn freed_operand(&mut self, e: ExprId) -> Lowered<Reg> {
        let mut inner = e;
        while let ExprKind::Implicit(of) | ExprKind::Cast(_, of) = self.program.expr(inner).kind
            && self.program.types.is_pointer(self.program.expr(of).ty)
        {
            inner = of;
        }
        self.pointer_operand(inner)
    }

    fn argument(&mut self, e: ExprId, reg: Reg) -> Lowered<()> {
        let mark = self.func.next;
        if ScalarKind::of(&self.program.types, self.program.expr(e).ty).is_some() {
            self.value(e, Some(reg))?;
        } else if matches!(
            self.program.types.shape(self.program.expr(e).ty),
            ctree::TypeKind::VaList
        ) {
            let lv = self.lvalue(e, true)?;
            self.address(&lv, Some(reg))?;
        } else if self.is_vector(self.program.expr(e).ty) {
            let lv = self.spill(e)?;
            self.address(&lv, Some(reg))?;
        } else {
            // A copy, so that the argument's object may change before the callee reads it.
            let from = self.aggregate(e)?;
            let to = self.temporary(from.ty.unqual());
            self.copy(&to, &from)?;
            self.address(&to, Some(reg))?;
        }
        self.func.next = mark;
        Ok(())
    }

    /// A direct call must agree with the definition.
    fn check_call(&mut self, func: u32, call: Ty, args: &[ExprId]) {
        let def = self.code.funcs[func as usize].id;
        let name = self.program.name(self.program.func(def).name).to_string();
        if self.program.func(def).storage != FuncStorage::Static && LibFunc::is_reserved(&name) {
            // Compilers know what the library function does and may not call this one.
            self.undefined(
                UbKind::Library,
                format!("the program itself defines `{name}`, a library function (7.1.3p2)"),
            );
        }
        let types: Vec<Ty> = args.iter().map(|&a| self.program.expr(a).ty).collect();
        if let Err((kind, why)) = call_agrees(self.program, def, call, &types) {
            self.undefined(kind, format!("call of `{name}`: {why}"));
        }
    }

    /// A library function must be called with its own type.
    fn check_library_call(&mut self, id: FuncId, call: Ty, args: &[ExprId]) {
        let name = self.program.name(self.program.func(id).name);
        let types: Vec<Ty> = args.iter().map(|&a| self.program.expr(a).ty).collect();
        if let Err((kind, why)) = signature::call_agrees(self.program, name, call, &types) {
            self.undefined(kind, format!("call of `{name}`: {why}"));
        }
    }
}

/// Whether a call through type `call` with arguments of types `args` may reach a definition.
pub(crate) fn call_agrees(
    program: &Program,
    def: FuncId,
    call: Ty,
    args: &[Ty],
) -> Result<(), (UbKind, String)> {
    let func = program.func(def);
    let (Some(d), Some(c)) = (program.types.as_function(func.ty), program.types.as_function(call))
    else {
        return Err((UbKind::CallType, "not a function".into()));
    };
    if !compatible(program, d.ret, c.ret) {
        return Err((UbKind::CallType, "the return types differ".into()));
    }
    if c.proto && !func.old_style {
        if !compatible(program, func.ty, call) {
            return Err((UbKind::CallType, "the function types differ".into()));
        }
        return Ok(());
    }
    if d.variadic != c.variadic {
        return Err((UbKind::CallArgs, "a variadic function is called without a prototype".into()));
    }
    // An old-style definition takes promoted arguments (6.5.2.2p6); its own parameter list is not
    // in its type.
    let params: Vec<Ty> = match func.old_style {
        true => func.params.iter().map(|&v| promoted(program, program.var(v).ty)).collect(),
        false => d.params.to_vec(),
    };
    let given: &[Ty] = if c.proto { &c.params } else { args };
    if params.len() != given.len() {
        return Err((
            UbKind::CallArgs,
            format!("{} arguments for {} parameters", given.len(), params.len()),
        ));
    }
    for (&param, &arg) in params.iter().zip(given) {
        if !compatible(program, param, arg) && (c.proto || !same_but_sign(program, param, arg)) {
            return Err((
                UbKind::CallArgs,
                "an argument's type differs from the parameter's".into(),
            ));
        }
    }
    Ok(())
}

/// 6.5.2.2p6: signed and unsigned counterparts agree (if the value is representable in both, which
/// their common register form makes so), and `void *` with character pointers.
fn same_but_sign(program: &Program, a: Ty, b: Ty) -> bool {
    match (program.types.int_kind(a), program.types.int_kind(b)) {
        (Some(x), Some(y)) => x.to_unsigned() == y.to_unsigned(),
        _ => {
            let bytes = |ty| {
                program.types.pointee(ty).is_some_and(|t| {
                    program.types.is_void(t)
                        || program.types.int_kind(t).is_some_and(|k| k.rank() == 1)
                })
            };
            let same_pointee = |a, b| match (program.types.pointee(a), program.types.pointee(b)) {
                (Some(x), Some(y)) => compatible(program, x, y),
                _ => false,
            };
            bytes(a) && bytes(b) || same_pointee(a, b)
        }
    }
}
