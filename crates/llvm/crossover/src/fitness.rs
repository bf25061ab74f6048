//! Which functions can be inlined, be inlined into, or be called in a crossover.
//!
//! LLVM has contracts that its verifier does not check, such as those of coroutines: a module that breaks
//! one is not valid, whatever the verifier says, and a crash on it is not a bug. Functions that
//! are bound by such contracts are kept out here.

use llvmhost::{TypeKind, Value, opcode};

/// Intrinsics whose calls belong to the frame of their function, or come in sets that must stay whole.
const BOUND: &[&str] = &[
    "llvm.call.preallocated",
    "llvm.coro.",
    "llvm.eh.recoverfp",
    "llvm.eh.sjlj",
    "llvm.experimental.convergence",
    "llvm.experimental.deoptimize",
    "llvm.experimental.gc.",
    "llvm.gcroot",
    "llvm.icall.branch.funnel",
    "llvm.init.trampoline",
    "llvm.localescape",
    "llvm.localrecover",
    "llvm.swift.async",
    "llvm.va_start",
];

/// Intrinsics with numbers that the verifier checks once they are constants. A value that passes make a
/// constant may be one that it does not like, so there must be no such value.
const CHECKED: &[&str] = &[
    "llvm.matrix.column.major.",
    "llvm.memcpy.element.unordered.atomic",
    "llvm.memmove.element.unordered.atomic",
    "llvm.memset.element.unordered.atomic",
];

/// Conventions by which plain code may call on x86-64: C, fast, cold, GHC, preserve_most, preserve_all, swift,
/// cxx_fast_tls, tail, swifttail, stdcall, fastcall, thiscall, spir_func, SysV, Win64, vectorcall, regcall.
const CALLABLE: &[u32] = &[0, 8, 9, 10, 14, 15, 16, 17, 18, 20, 64, 65, 70, 75, 78, 79, 80, 92];

/// Attributes of parameters that require a particular instruction in the caller.
const DEMANDING: &[&str] = &["inalloca", "preallocated", "swifterror", "nest"];

/// Whether a call of it can be made out of any values of its parameters' types.
pub(crate) fn check_callable(function: Value<'_>) -> Result<(), &'static str> {
    if !CALLABLE.contains(&function.convention()) {
        return Err("a calling convention that plain code cannot use");
    }
    let ty = function.content_type();
    let result = ty.result().map(|ty| ty.kind());
    if ty.parameters().iter().map(|ty| ty.kind()).chain(result).any(|kind| kind == TypeKind::Other)
    {
        return Err("a type that only a target knows");
    }
    let demands = |at| DEMANDING.iter().any(|name| function.parameter_has(at, name));
    if (0..ty.parameters().len()).any(demands) {
        return Err("a parameter with demands on its caller");
    }
    check_constants(function)
}

/// Whether every number that the verifier checks is a constant.
fn check_constants(function: Value<'_>) -> Result<(), &'static str> {
    let mut all = function.blocks().into_iter().flat_map(|block| block.instructions());
    let open = |value: Value<'_>| value.ty().kind() == TypeKind::Integer && !value.is_constant();
    let hazard = |call: Value<'_>| calls(call, CHECKED) && call.arguments().into_iter().any(open);
    match all.any(hazard) {
        true => Err("a number that the verifier checks"),
        false => Ok(()),
    }
}

/// Whether its body can stand in another function, by itself.
pub(crate) fn check_inlinable(function: Value<'_>) -> Result<(), &'static str> {
    check_callable(function)?;
    if function.content_type().is_variadic() {
        return Err("variadic");
    }
    check_unbound(function)?;
    for block in function.blocks() {
        if block.value().users().into_iter().any(Value::is_block_address) {
            return Err("the address of a block");
        }
        for instruction in block.instructions() {
            match instruction.opcode() {
                opcode::INDIRECT_BR => return Err("an indirect branch"),
                opcode::CALL_BR => return Err("assembly with labels"),
                _ => {}
            }
            let Some(called) = instruction.called() else { continue };
            if called == function {
                return Err("calls itself");
            }
            if called.is_function() && called.has_attribute("returns_twice")
                || instruction.has_attribute("returns_twice")
            {
                return Err("a call that returns twice");
            }
        }
    }
    Ok(())
}

/// Whether another body can stand in it.
pub(crate) fn check_host(function: Value<'_>) -> Result<(), &'static str> {
    check_unbound(function)?;
    check_constants(function)?;
    let opcodes = function.blocks().into_iter().flat_map(|block| block.instructions());
    let funclets = [opcode::CATCH_PAD, opcode::CLEANUP_PAD, opcode::CATCH_SWITCH];
    // A call in a funclet must say so, by a bundle that the C API of old versions cannot make.
    match opcodes.map(Value::opcode).any(|opcode| funclets.contains(&opcode)) {
        true => Err("funclets"),
        false => Ok(()),
    }
}

/// Refuses functions under contracts that neither a host nor a guest may have.
fn check_unbound(function: Value<'_>) -> Result<(), &'static str> {
    if ["naked", "presplitcoroutine"].iter().any(|name| function.has_attribute(name)) {
        return Err("naked, or a coroutine");
    }
    if function.text_attribute("coroutine.presplit").is_some() {
        return Err("naked, or a coroutine");
    }
    let parameters = function.parameters().len();
    if (0..parameters).any(|at| DEMANDING.iter().any(|name| function.parameter_has(at, name))) {
        return Err("a parameter with demands on its caller");
    }
    for instruction in function.blocks().into_iter().flat_map(|block| block.instructions()) {
        if instruction.opcode() == opcode::ALLOCA
            && instruction.text().contains("alloca swifterror")
        {
            return Err("a swifterror variable");
        }
        if calls(instruction, BOUND) {
            return Err("intrinsics that belong to their function");
        }
    }
    Ok(())
}

/// Whether it is a call of an intrinsic of which one of the texts is a beginning.
pub(crate) fn calls(instruction: Value<'_>, names: &[&str]) -> bool {
    let called = instruction.called().filter(|called| called.is_function());
    let Some(called) = called.filter(|called| called.is_intrinsic()) else { return false };
    let name = called.name();
    names.iter().any(|start| name.starts_with(start))
}

/// Whether it is a call that must be the last thing that its function does.
pub(crate) fn must_be_last(instruction: Value<'_>) -> bool {
    instruction.is_tail_call() && instruction.text().contains("musttail call")
}
