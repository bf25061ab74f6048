//! Parameters: those that nobody uses go, and values come in by new ones.
//!
//! LLVM cannot change a function's type, so its blocks move to a new function. Only functions that are called
//! and nothing else can be changed like this.

use llvmhost::{Builder, Module, Type, Value, opcode};

use super::chosen;
use super::instructions::free_operands;

/// Whether all uses of a function are plain calls of it. Debug information knows its parameters, and goes first.
fn is_free(function: Value<'_>) -> bool {
    let ty = function.content_type();
    !ty.is_variadic()
        && !function.has_subprogram()
        && function.users().into_iter().all(|user| {
            user.opcode() == opcode::CALL
                && user.called() == Some(function)
                && Builder::callee_type(user) == ty
                && !user.arguments().contains(&function)
        })
}

fn free_functions<'c>(module: &Module<'c>) -> impl Iterator<Item = Value<'c>> {
    module.definitions().into_iter().filter(|function| is_free(*function))
}

/// Parameters that nobody uses.
pub(super) fn unused<'c>(module: &Module<'c>) -> Vec<(Value<'c>, usize)> {
    let mut all = Vec::new();
    for function in free_functions(module) {
        let parameters = function.parameters().into_iter().enumerate();
        all.extend(parameters.filter(|(_, p)| !p.is_used()).map(|(index, _)| (function, index)));
    }
    all
}

/// Removes parameters.
pub(super) fn remove(module: &mut Module<'_>, places: &[u32]) -> bool {
    let all = chosen(&unused(module), places);
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        let function = group[0].0;
        let kept = 0..function.parameters().len();
        let kept: Vec<bool> = kept.map(|n| !group.iter().any(|(_, index)| *index == n)).collect();
        rebuild(module, function, &kept, &[]);
    }
    !all.is_empty()
}

/// Operands that are instructions and may be anything.
pub(super) fn operands<'c>(module: &Module<'c>) -> Vec<(Value<'c>, Value<'c>, u32)> {
    let mut all = Vec::new();
    for function in free_functions(module) {
        for instruction in function.blocks().into_iter().flat_map(|block| block.instructions()) {
            let operands = free_operands(instruction).into_iter();
            let operands = operands.filter(|(_, operand)| operand.is_instruction());
            all.extend(operands.map(|(index, _)| (function, instruction, index)));
        }
    }
    all
}

/// Puts new parameters for operands; one value is one parameter.
pub(super) fn add(module: &mut Module<'_>, places: &[u32]) -> bool {
    let mut all = chosen(&operands(module), places);
    // Calls of a function that changes are made anew: they are nobody's to edit here.
    let mut functions: Vec<Value<'_>> = all.iter().map(|(function, ..)| *function).collect();
    functions.dedup();
    all.retain(|(_, user, _)| user.called().is_none_or(|called| !functions.contains(&called)));
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        let function = group[0].0;
        let mut values: Vec<Value<'_>> = Vec::new();
        let mut uses = Vec::new();
        for (_, instruction, index) in group {
            let Some(value) = instruction.operand(*index) else { continue };
            let known = values.iter().position(|known| *known == value);
            let at = known.unwrap_or_else(|| {
                values.push(value);
                values.len() - 1
            });
            uses.push((*instruction, *index, at));
        }
        let kept = vec![true; function.parameters().len()];
        let types: Vec<Type<'_>> = values.iter().map(|value| value.ty()).collect();
        let parameters = rebuild(module, function, &kept, &types);
        for (instruction, index, at) in uses {
            if let Some(new) = parameters.get(kept.len() + at) {
                instruction.set_operand(index, *new);
            }
        }
    }
    !all.is_empty()
}

/// Gives a function another type; its parameters then. Calls pass zero for what is new.
fn rebuild<'c>(
    module: &Module<'c>,
    old: Value<'c>,
    kept: &[bool],
    extra: &[Type<'c>],
) -> Vec<Value<'c>> {
    let context = module.context();
    let parameters = old.parameters();
    let stay = |index: &usize| kept.get(*index).copied().unwrap_or(false);
    let left: Vec<usize> = (0..parameters.len()).filter(stay).collect();
    let types = left.iter().map(|index| parameters[*index].ty());
    let types: Vec<Type<'c>> = types.chain(extra.iter().copied()).collect();
    let result = old.content_type().result().unwrap_or(context.void());
    let ty = context.function(result, &types);
    let new = module.declare("", ty);
    new.copy_properties(old);
    for attribute in old.attributes() {
        let at = attribute.parameter().map(|index| left.iter().position(|n| *n == index));
        match at {
            Some(Some(position)) => attribute.copy_to(new, position),
            Some(None) => {}
            None => attribute.copy_to(new, 0),
        }
    }
    for block in old.blocks() {
        block.move_to(new);
    }
    let fresh = new.parameters();
    for (index, new) in left.iter().zip(&fresh) {
        let name = parameters[*index].name();
        parameters[*index].replace_with(*new);
        parameters[*index].set_name("");
        new.set_name(&name);
    }
    for call in old.users() {
        let arguments = call.arguments();
        let passed = left.iter().filter_map(|index| arguments.get(*index).copied());
        let passed: Vec<Value<'c>> = passed.chain(extra.iter().map(|ty| ty.zero())).collect();
        let call_new = Builder::before(context, call).call_like(call, ty, new, &passed);
        if call.is_used() {
            call.replace_with(call_new);
        }
        // SAFETY: nothing uses it; a call uses its callee once.
        unsafe { call.erase() };
    }
    let name = old.name();
    // SAFETY: all its uses were calls; its blocks are in the new one.
    unsafe { old.delete_function() };
    new.set_name(&name);
    fresh
}
