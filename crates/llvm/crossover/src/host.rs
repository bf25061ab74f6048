//! A function as a host: where a call may be inserted, which operands it may replace, and
//! which values it may be given there.

use std::collections::BTreeMap;

use llvmhost::{Dominators, Type, TypeKind, Value, opcode};

use crate::fitness::{calls, must_be_last};

/// Intrinsics whose operands mean more than their values.
const PARTICULAR: &[&str] = &[
    "llvm.annotation",
    "llvm.dbg.",
    "llvm.eh.",
    "llvm.experimental.guard",
    "llvm.experimental.patchpoint",
    "llvm.experimental.stackmap",
    "llvm.experimental.widenable",
    "llvm.instrprof.",
    "llvm.invariant.",
    "llvm.lifetime.",
    "llvm.matrix.column.major.",
    "llvm.memcpy.element.unordered.atomic",
    "llvm.memmove.element.unordered.atomic",
    "llvm.memset.element.unordered.atomic",
    "llvm.objc.",
    "llvm.preserve.",
    "llvm.pseudoprobe",
    "llvm.ptr.annotation",
    "llvm.stackprotector",
    "llvm.stackrestore",
    "llvm.threadlocal.address",
    "llvm.type.",
    "llvm.public.type.",
    "llvm.va_",
    "llvm.var.annotation",
];

/// Attributes of parameters that an argument must have been made for.
const PARTICULAR_PARAMETERS: &[&str] =
    &["immarg", "inalloca", "preallocated", "swifterror", "nest", "byval", "sret", "elementtype"];

/// A place for a call: before an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Location<'c> {
    block: usize,
    /// Which instruction of the block the call comes before.
    before: usize,
    /// Whose operands get the result, if any does.
    pub user: Option<(Value<'c>, Vec<u32>)>,
}

/// A function, taken apart.
#[derive(Debug)]
pub(crate) struct Host<'c> {
    parameters: Vec<Value<'c>>,
    blocks: Vec<Vec<Value<'c>>>,
    successors: Vec<Vec<usize>>,
    dominators: Dominators,
    /// Blocks by their keys.
    index: BTreeMap<usize, usize>,
}

impl<'c> Host<'c> {
    /// Looks at a function with a body.
    pub fn new(function: Value<'c>) -> Host<'c> {
        let all = function.blocks();
        let index: BTreeMap<usize, usize> =
            all.iter().enumerate().map(|(at, block)| (block.key(), at)).collect();
        let successors: Vec<Vec<usize>> = all
            .iter()
            .map(|block| block.terminator().map_or_else(Vec::new, |end| end.successors()))
            .map(|next| next.iter().filter_map(|block| index.get(&block.key()).copied()).collect())
            .collect();
        Host {
            parameters: function.parameters(),
            blocks: all.into_iter().map(|block| block.instructions()).collect(),
            dominators: Dominators::new(&successors),
            successors,
            index,
        }
    }

    /// The instruction that a location comes before.
    pub fn instruction(&self, location: &Location<'c>) -> Value<'c> {
        self.blocks[location.block][location.before]
    }

    /// All instructions, those nearest before a location first.
    pub fn around(&self, location: &Location<'c>) -> impl Iterator<Item = Value<'c>> {
        let near = &self.blocks[location.block];
        near[..=location.before]
            .iter()
            .rev()
            .chain(near)
            .chain(self.blocks.iter().flatten())
            .copied()
    }

    /// Everything of a type that may be passed on or replaced, for the facts: arguments and instructions.
    pub fn values(&self) -> impl Iterator<Item = Value<'c>> {
        self.parameters.iter().chain(self.blocks.iter().flatten()).copied()
    }

    /// How many instructions there are.
    pub fn size(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }

    /// Every operand that may be replaced, with its type; `wanted` says which types matter.
    pub fn operands(&self, wanted: impl Fn(Type<'c>) -> bool) -> Vec<(Location<'c>, Type<'c>)> {
        let mut found = Vec::new();
        for (block, instructions) in self.blocks.iter().enumerate() {
            if !self.dominators.is_reachable(block) {
                continue;
            }
            for (before, &user) in instructions.iter().enumerate() {
                if user.opcode() == opcode::PHI {
                    self.incoming(user, &wanted, &mut found);
                } else if !follows_last_call(instructions, before) {
                    for (operand, ty) in replaceable(user) {
                        if wanted(ty) {
                            let user = Some((user, vec![operand]));
                            found.push((Location { block, before, user }, ty));
                        }
                    }
                }
            }
        }
        found
    }

    /// Operands of a phi: the call comes at the end of the block that they come from.
    fn incoming(
        &self,
        phi: Value<'c>,
        wanted: &impl Fn(Type<'c>) -> bool,
        found: &mut Vec<(Location<'c>, Type<'c>)>,
    ) {
        if !wanted(phi.ty()) {
            return;
        }
        let mut from: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (at, (_, block)) in (0..).zip(phi.incoming()) {
            if let Some(&block) = self.index.get(&block.key()) {
                from.entry(block).or_default().push(at);
            }
        }
        for (block, entries) in from {
            if self.dominators.is_reachable(block) && !self.blocks[block].is_empty() {
                let before = self.blocks[block].len() - 1;
                let user = Some((phi, entries));
                found.push((Location { block, before, user }, phi.ty()));
            }
        }
    }

    /// Every place where a call without a result may stand.
    pub fn places(&self) -> Vec<Location<'c>> {
        let mut found = Vec::new();
        for (block, instructions) in self.blocks.iter().enumerate() {
            for (before, &instruction) in instructions.iter().enumerate() {
                // A variable after a call that was inlined would be made anew each time.
                let first = matches!(
                    instruction.opcode(),
                    opcode::PHI | opcode::LANDING_PAD | opcode::ALLOCA
                );
                if self.dominators.is_reachable(block)
                    && !first
                    && !follows_last_call(instructions, before)
                {
                    found.push(Location { block, before, user: None });
                }
            }
        }
        found
    }

    /// Values of a type that a call at a location may use.
    pub fn candidates(&self, location: &Location<'c>, ty: Type<'c>) -> Vec<Value<'c>> {
        let mut found: Vec<Value<'c>> = self.parameters.clone();
        let chain = self.dominators.chain(location.block);
        for &block in chain.iter().rev() {
            let instructions = &self.blocks[block];
            let end = if block == location.block { location.before } else { instructions.len() };
            for &value in &instructions[..end] {
                let arrives = match value.opcode() {
                    opcode::INVOKE => self.successors[block]
                        .first()
                        .is_some_and(|&to| chain.contains(&to) && self.comes_only_from(to, block)),
                    opcode::CALL_BR => false,
                    _ => true,
                };
                if arrives {
                    found.push(value);
                }
            }
        }
        found.retain(|value| value.ty() == ty);
        found
    }

    /// Whether a block has one way in.
    fn comes_only_from(&self, block: usize, from: usize) -> bool {
        let ways = |at: usize| self.successors[at].iter().filter(|&&to| to == block).count();
        ways(from) == 1 && (0..self.successors.len()).all(|at| at == from || ways(at) == 0)
    }
}

/// Whether an instruction stands between a call that must be the last and the end.
fn follows_last_call(instructions: &[Value<'_>], at: usize) -> bool {
    // Between them there is at most a cast, and no such call stands elsewhere.
    at + 2 >= instructions.len()
        && instructions[..at].iter().rev().take(2).copied().any(must_be_last)
}

/// Operands of an instruction, no phi, that may be any value of their type.
fn replaceable<'c>(user: Value<'c>) -> Vec<(u32, Type<'c>)> {
    let count = match user.opcode() {
        // Clauses, pads, sizes of variables; the target of an indirect branch is one of its blocks.
        opcode::LANDING_PAD | opcode::ALLOCA | opcode::INDIRECT_BR | opcode::CALL_BR => 0,
        // The rest are the cases.
        opcode::SWITCH => 1,
        opcode::CALL | opcode::INVOKE if must_be_last(user) || calls(user, PARTICULAR) => 0,
        opcode::CALL | opcode::INVOKE if user.called().is_none_or(Value::is_assembly) => 0,
        opcode::CALL if has_bundles(user) && calls(user, &["llvm.assume"]) => 0,
        opcode::CALL | opcode::INVOKE => user.arguments().len(),
        opcode::GEP => free_indices(user),
        _ => user.operands().len(),
    };
    let is_call = matches!(user.opcode(), opcode::CALL | opcode::INVOKE);
    let particular = |at: usize| {
        is_call && PARTICULAR_PARAMETERS.iter().any(|name| user.parameter_has(at, name))
    };
    (0..count)
        .filter(|&at| !particular(at))
        .filter_map(|at| {
            Some((u32::try_from(at).ok()?, user.operand(u32::try_from(at).ok()?)?.ty()))
        })
        .filter(|(_, ty)| {
            !matches!(ty.kind(), TypeKind::Label | TypeKind::Other | TypeKind::Function)
        })
        .collect()
}

/// Whether a call has more than arguments and a callee. An assumption that has must be of `true`.
fn has_bundles(call: Value<'_>) -> bool {
    call.operands().len() > call.arguments().len() + 1
}

/// How many operands of a `getelementptr` come before one that chooses a member of a struct: those must be
/// constants.
fn free_indices(gep: Value<'_>) -> usize {
    let operands = gep.operands().len();
    let mut ty = gep.stepped_type();
    // The pointer, and the step over whole objects.
    let mut free = operands.min(2);
    while free < operands {
        match ty.and_then(Type::element) {
            Some(element) => ty = Some(element),
            None => break,
        }
        free += 1;
    }
    free
}
