//! Branches that go one way, blocks that return or are joined, and the removal of what is not reached.

use std::collections::BTreeSet;

use llvmhost::{Block, Builder, Module, Value, opcode};

use super::chosen;

/// Where a block goes on.
#[derive(Clone, Copy)]
pub(super) enum Exit<'c> {
    /// To a block that it went to before.
    To(Block<'c>),
    /// Back to the caller, with zero.
    Return,
}

/// Terminators that we know how to replace.
const KNOWN: [i32; 4] = [opcode::BR, opcode::SWITCH, opcode::INDIRECT_BR, opcode::INVOKE];

fn terminators<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let blocks = module.definitions().into_iter().flat_map(|function| function.blocks());
    let all = blocks.filter_map(|block| block.terminator());
    all.filter(|terminator| KNOWN.contains(&terminator.opcode())).collect()
}

/// Terminators that go somewhere.
pub(super) fn exits<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    terminators(module)
}

/// Terminators that have a choice, with each block that they may go to.
pub(super) fn branches<'c>(module: &Module<'c>) -> Vec<(Value<'c>, Block<'c>)> {
    let mut all = Vec::new();
    for terminator in terminators(module) {
        let mut to = terminator.successors();
        match terminator.opcode() {
            opcode::BR if to.len() < 2 => continue,
            // Where an exception goes, nothing else can.
            opcode::INVOKE => to.truncate(1),
            _ => {}
        }
        let mut seen = BTreeSet::new();
        to.retain(|block| seen.insert(block.key()));
        all.extend(to.into_iter().map(|block| (terminator, block)));
    }
    all
}

/// Makes blocks return.
pub(super) fn leave(module: &mut Module<'_>, places: &[u32]) -> bool {
    let all = chosen(&exits(module), places);
    let exits: Vec<_> = all.into_iter().map(|old| (old, Exit::Return)).collect();
    redirect(module, &exits)
}

/// Makes branches go one way.
pub(super) fn straighten(module: &mut Module<'_>, places: &[u32]) -> bool {
    let mut seen = BTreeSet::new();
    let mut all = chosen(&branches(module), places);
    // One way only: the first that was chosen.
    all.retain(|(old, _)| seen.insert(old.block().key()));
    let exits: Vec<_> = all.into_iter().map(|(old, to)| (old, Exit::To(to))).collect();
    redirect(module, &exits)
}

/// Replaces terminators, and removes what is not reached any more.
fn redirect<'c>(module: &Module<'c>, exits: &[(Value<'c>, Exit<'c>)]) -> bool {
    let mut functions: Vec<Value<'c>> = Vec::new();
    for (old, exit) in exits {
        let function = old.block().function();
        if functions.last() != Some(&function) {
            functions.push(function);
        }
        set_exit(module, *old, *exit, true);
    }
    !exits.is_empty() && functions.into_iter().all(|function| prune(module, function))
}

/// Replaces a terminator. Of an `invoke`, the call may stay.
pub(super) fn set_exit<'c>(module: &Module<'c>, old: Value<'c>, exit: Exit<'c>, keep_call: bool) {
    let context = module.context();
    let block = old.block();
    let mut seen = BTreeSet::new();
    for successor in old.successors() {
        if seen.insert(successor.key()) {
            let kept = matches!(exit, Exit::To(to) if to == successor);
            limit_edges(module, successor, block, usize::from(kept));
        }
    }
    let callee = old.called().filter(|_| keep_call && old.opcode() == opcode::INVOKE);
    if let Some(callee) = callee {
        let builder = Builder::before(context, old);
        let call = builder.call_like(old, Builder::callee_type(old), callee, &old.arguments());
        if old.is_used() {
            old.replace_with(call);
        }
    }
    if old.is_used() {
        old.replace_with(old.ty().zero());
    }
    // SAFETY: nothing uses it, and the caller forgets it.
    unsafe { old.erase() };
    let builder = Builder::at_end(context, block);
    match exit {
        Exit::To(to) => builder.br(to),
        Exit::Return => match block.function().content_type().result() {
            Some(ty) if ty == context.void() => builder.ret(None),
            Some(ty) if ty.has_values() => builder.ret(Some(ty.zero())),
            _ => builder.unreachable(),
        },
    };
}

/// Phis at the beginning of a block.
fn phis<'c>(block: Block<'c>) -> Vec<Value<'c>> {
    let all = block.instructions().into_iter();
    all.take_while(|instruction| instruction.opcode() == opcode::PHI).collect()
}

/// Lets phis of a block name another block at most so often.
fn limit_edges<'c>(module: &Module<'c>, block: Block<'c>, from: Block<'c>, most: usize) {
    for phi in phis(block) {
        let mut left = most;
        let mut incoming = phi.incoming();
        incoming.retain(|(_, at)| {
            let within = left > 0;
            left -= usize::from(within && *at == from);
            within || *at != from
        });
        rebuild(module, phi, &incoming);
    }
}

/// Puts a phi of other blocks for a phi: LLVM's C functions cannot change one.
fn rebuild<'c>(module: &Module<'c>, phi: Value<'c>, incoming: &[(Value<'c>, Block<'c>)]) {
    let name = phi.name();
    if incoming.is_empty() {
        phi.replace_with(phi.ty().poison());
    } else {
        let new = Builder::before(module.context(), phi).phi(phi.ty(), incoming);
        phi.replace_with(new);
        phi.set_name("");
        new.set_name(&name);
    }
    // SAFETY: all its uses went to the new one, its own included, and no list of ours has it.
    unsafe { phi.erase() };
}

/// Removes blocks of a function that are not reached. `false` if they cannot be removed.
pub(super) fn prune<'c>(module: &Module<'c>, function: Value<'c>) -> bool {
    let blocks = function.blocks();
    let Some(entry) = blocks.first() else { return true };
    let mut reached = BTreeSet::from([entry.key()]);
    let mut todo = vec![*entry];
    while let Some(block) = todo.pop() {
        let next = block.terminator().map(Value::successors).unwrap_or_default();
        todo.extend(next.into_iter().filter(|next| reached.insert(next.key())));
    }
    let dead: Vec<Block<'c>> =
        blocks.into_iter().filter(|block| !reached.contains(&block.key())).collect();
    for block in &dead {
        for next in block.terminator().map(Value::successors).unwrap_or_default() {
            if reached.contains(&next.key()) {
                limit_edges(module, next, *block, 0);
            }
        }
    }
    remove(&dead)
}

/// Removes blocks that nothing goes to but themselves. `false` if instructions are left that cannot go.
pub(super) fn remove(blocks: &[Block<'_>]) -> bool {
    let mut left: Vec<Value<'_>> = blocks.iter().flat_map(|block| block.instructions()).collect();
    for instruction in &left {
        if instruction.is_used() && instruction.ty().has_values() {
            instruction.replace_with(instruction.ty().poison());
        }
    }
    left.reverse();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|instruction| {
            let used = instruction.is_used();
            if !used {
                // SAFETY: nothing uses it, and it leaves the list.
                unsafe { instruction.erase() };
            }
            used
        });
        if left.len() == before {
            return false;
        }
    }
    for block in blocks {
        // SAFETY: it is empty; its terminator and those that went to it are gone, phis do not name it.
        unsafe { block.delete() };
    }
    true
}

/// The only terminator that goes to a block, if that goes nowhere else and nobody takes the address.
fn only_way<'c>(block: Block<'c>) -> Option<Value<'c>> {
    let users = block.value().users();
    let [user] = users.as_slice() else { return None };
    let fits = user.is_instruction()
        && user.opcode() == opcode::BR
        && user.successors().len() == 1
        && user.block() != block;
    fits.then_some(*user)
}

/// Blocks that can be joined with the one before.
pub(super) fn joins<'c>(module: &Module<'c>) -> Vec<Block<'c>> {
    let functions = module.definitions().into_iter();
    let blocks = functions.flat_map(|function| function.blocks().into_iter().skip(1));
    blocks.filter(|block| only_way(*block).is_some()).collect()
}

/// Joins blocks.
pub(super) fn join(module: &mut Module<'_>, places: &[u32]) -> bool {
    let mut changed = false;
    for block in chosen(&joins(module), places) {
        let Some(branch) = only_way(block) else { continue };
        let before = branch.block();
        for phi in phis(block) {
            let value = phi.incoming().first().map(|(value, _)| *value);
            phi.replace_with(value.filter(|value| *value != phi).unwrap_or(phi.ty().poison()));
            // SAFETY: nothing uses it, and no list of ours has it.
            unsafe { phi.erase() };
        }
        for next in block.terminator().map(Value::successors).unwrap_or_default() {
            for phi in phis(next) {
                let incoming = phi.incoming().into_iter();
                let moved: Vec<_> = incoming
                    .map(|(value, at)| (value, if at == block { before } else { at }))
                    .collect();
                rebuild(module, phi, &moved);
            }
        }
        // SAFETY: a branch has no uses.
        unsafe { branch.erase() };
        let builder = Builder::at_end(module.context(), before);
        for instruction in block.instructions() {
            builder.adopt(instruction);
        }
        // SAFETY: it is empty, its only predecessor's branch is gone, and phis name the other.
        unsafe { block.delete() };
        changed = true;
    }
    changed
}
