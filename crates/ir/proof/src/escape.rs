//! Which allocas others can know the address of.
//!
//! An alloca is private if its address, or an address computed from it, is only loaded from and stored to,
//! filled, copied, and marked as living or dead. All others count as seen.

use std::collections::BTreeSet;

use irtext::{Call, Constant, Function, Local, Op, Symbol, Value};

/// Allocas whose address others see.
pub(crate) fn seen(function: &Function) -> BTreeSet<Local> {
    let instructions = || function.blocks.iter().flat_map(|b| &b.instructions);
    let mut result = BTreeSet::new();
    for alloca in instructions().filter(|i| matches!(i.op, Op::Alloca { .. })) {
        let Some(local) = alloca.result else { continue };
        let mut derived = BTreeSet::from([local]);
        let mut is_seen = false;
        loop {
            let before = derived.len();
            for instruction in instructions() {
                match use_of(&instruction.op, &derived) {
                    Use::None | Use::Access => {}
                    Use::Derives => {
                        derived.extend(instruction.result);
                    }
                    Use::Shows => is_seen = true,
                }
            }
            if is_seen || derived.len() == before {
                break;
            }
        }
        if is_seen {
            result.insert(local);
        }
    }
    result
}

enum Use {
    None,
    Access,
    Derives,
    Shows,
}

fn use_of(op: &Op, derived: &BTreeSet<Local>) -> Use {
    let is = |value: &Value| matches!(value, Value::Local(local) if derived.contains(local));
    let if_any = |any: bool, what: Use| if any { what } else { Use::None };
    match op {
        Op::Load { from, volatile: false, atomic: None, .. } => {
            if_any(is(&from.value), Use::Access)
        }
        Op::Store { value, to, volatile: false, atomic: None, .. } => {
            if is(&value.value) {
                Use::Shows
            } else {
                if_any(is(&to.value), Use::Access)
            }
        }
        Op::GetElementPtr { base, indices, .. } => {
            if indices.iter().any(|i| is(&i.value)) {
                return Use::Shows;
            }
            if_any(is(&base.value), Use::Derives)
        }
        Op::Cast { op: irtext::Cast::BitCast, from, .. } => if_any(is(&from.value), Use::Derives),
        Op::Freeze(of) => if_any(is(&of.value), Use::Derives),
        Op::Select { condition, then, otherwise, .. } => {
            if is(&condition.value) {
                return Use::Shows;
            }
            if_any(is(&then.value) || is(&otherwise.value), Use::Derives)
        }
        Op::Phi { incoming, .. } => if_any(incoming.iter().any(|(v, _)| is(v)), Use::Derives),
        Op::Call(call) if is_plain(call) => {
            if_any(call.arguments.iter().any(|a| is(&a.value.value)), Use::Access)
        }
        other => {
            let mut any = false;
            irtext::walk::values(other, &mut |value| any |= is(value));
            if_any(any, Use::Shows)
        }
    }
}

/// Calls that show nobody the address.
fn is_plain(call: &Call) -> bool {
    let Value::Constant(Constant::Global(Symbol::Name(name))) = &call.callee else { return false };
    ["llvm.lifetime.", "llvm.memset.", "llvm.memcpy.", "llvm.memmove.", "llvm.dbg."]
        .iter()
        .any(|start| name.starts_with(start))
}
