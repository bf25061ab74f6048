//! Functions, global variables, and attributes.

use llvmhost::{Attribute, Module, Value, opcode};

use super::blocks::{self, Exit};
use super::chosen;

/// All functions.
pub(super) fn functions<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    module.functions()
}

/// Removes functions; calls of them become zero, other uses null.
pub(super) fn remove_functions(module: &mut Module<'_>, places: &[u32]) -> bool {
    let functions = chosen(&functions(module), places);
    for function in &functions {
        let mut calls: Vec<Value<'_>> = Vec::new();
        for user in function.users() {
            if user.called() == Some(*function) && !calls.contains(&user) {
                calls.push(user);
            }
        }
        for call in calls {
            if call.is_used() && !call.ty().has_values() {
                return false;
            }
            match (call.opcode(), call.is_used()) {
                (opcode::INVOKE, _) => match call.successors().first() {
                    Some(normal) => blocks::set_exit(module, call, Exit::To(*normal), false),
                    None => return false,
                },
                (opcode::CALL, used) => {
                    if used {
                        call.replace_with(call.ty().zero());
                    }
                    // SAFETY: nothing uses it, and it is in the list once.
                    unsafe { call.erase() };
                }
                _ => return false,
            }
        }
        if function.is_used() {
            function.replace_with(function.ty().zero());
        }
        // SAFETY: nothing uses it, and it is chosen once.
        unsafe { function.delete_function() };
    }
    let all = module.definitions();
    !functions.is_empty() && all.into_iter().all(|function| blocks::prune(module, function))
}

/// Makes definitions declarations.
pub(super) fn drop_bodies(module: &mut Module<'_>, places: &[u32]) -> bool {
    let functions = chosen(&module.definitions(), places);
    for function in &functions {
        if !blocks::remove(&function.blocks()) {
            return false;
        }
        function.make_declaration();
    }
    !functions.is_empty()
}

/// Global variables, then the aliases that are used.
pub(super) fn globals<'c>(module: &Module<'c>) -> Vec<(Value<'c>, bool)> {
    let variables = module.globals().into_iter().map(|global| (global, false));
    let aliases = module.aliases().into_iter().filter(|alias| alias.is_used());
    variables.chain(aliases.map(|alias| (alias, true))).collect()
}

/// Removes global variables; uses become null. An alias is not used any more; its line goes later.
pub(super) fn remove_globals(module: &mut Module<'_>, places: &[u32]) -> bool {
    let globals = chosen(&globals(module), places);
    for (global, is_alias) in &globals {
        match global.aliasee().filter(|_| *is_alias) {
            Some(aliasee) => global.replace_with(aliasee),
            None => {
                global.replace_with(global.ty().zero());
                // SAFETY: nothing uses it, and it is chosen once.
                unsafe { global.delete_global() };
            }
        }
    }
    !globals.is_empty()
}

/// Global variables that begin with something else than zero.
pub(super) fn initializers<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let differs = |global: &Value<'c>| {
        global.content_type().has_values()
            && global.initializer().is_some_and(|value| !value.is_zero())
    };
    module.globals().into_iter().filter(differs).collect()
}

/// Makes global variables begin with zero.
pub(super) fn zero(module: &mut Module<'_>, places: &[u32]) -> bool {
    let globals = chosen(&initializers(module), places);
    for global in &globals {
        global.set_initializer(global.content_type().zero());
    }
    !globals.is_empty()
}

/// Attributes of functions and calls. Those of intrinsics come back by themselves.
pub(super) fn attributes<'c>(module: &Module<'c>) -> Vec<Attribute<'c>> {
    let mut all = Vec::new();
    for function in module.functions() {
        if !function.is_intrinsic() {
            all.extend(function.attributes());
        }
        for instruction in function.blocks().into_iter().flat_map(|block| block.instructions()) {
            if instruction.is_call() {
                all.extend(instruction.attributes());
            }
        }
    }
    all
}

/// Takes attributes off.
pub(super) fn remove_attributes(module: &mut Module<'_>, places: &[u32]) -> bool {
    let attributes = chosen(&attributes(module), places);
    for attribute in &attributes {
        attribute.remove();
    }
    !attributes.is_empty()
}
