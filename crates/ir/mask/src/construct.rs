//! Kinds of what a pass may look at in a function.

use std::collections::BTreeSet;

use irtext::{Constant, Function, Instruction, IntPredicate, Module, Op, Symbol, Value};
use serde::{Deserialize, Serialize};

use crate::claims;
use crate::opaque::is_maskable;

/// A kind of instruction, or a claim about values; in the order in which they tell bugs apart, the most
/// telling first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Construct {
    /// Calls of an intrinsic, without the types in its name: `llvm.umax`.
    Intrinsic(String),
    /// Calls of a function of C's library: `strlen`.
    Library(String),
    /// A flag of instructions: `nsw`, `inbounds`.
    Flag(String),
    /// An attribute, or metadata of instructions with its sign: `noundef`, `!range`.
    Claim(String),
    /// Instructions with an opcode; integers are compared for order or for equality: `icmp signed`.
    Instruction(String),
}

impl Construct {
    /// In words, for titles and keys.
    pub fn words(&self) -> &str {
        match self {
            Construct::Intrinsic(name)
            | Construct::Library(name)
            | Construct::Flag(name)
            | Construct::Claim(name)
            | Construct::Instruction(name) => name,
        }
    }
}

/// Whom a call calls, if it is a function by its name.
pub(crate) fn callee(op: &Op) -> Option<&str> {
    match op {
        Op::Call(call) => match &call.callee {
            Value::Constant(Constant::Global(Symbol::Name(name))) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// `llvm.umax` of `llvm.umax.v4i32`: without the parts of the name that are types.
pub(crate) fn intrinsic(name: &str) -> String {
    // `v4i32`, `nxv2p0`, `a3i8`, `bf16`: letters of types, then a number.
    let is_type = |part: &str| {
        let rest = part.trim_start_matches(|c| "abfinpsvx".contains(c));
        rest.starts_with(|c: char| c.is_ascii_digit())
            || part.starts_with("sl_")
            || part == "ppcf128"
    };
    let mut parts: Vec<&str> = name.split('.').collect();
    while parts.len() > 2 && parts.last().is_some_and(|part| is_type(part)) {
        parts.pop();
    }
    parts.join(".")
}

/// The kind of an instruction, whether it can be masked or not.
pub(crate) fn kind(op: &Op) -> Construct {
    if let Some(name) = callee(op) {
        if name.starts_with("llvm.") {
            return Construct::Intrinsic(intrinsic(name));
        }
        if irmachine::is_library(name) {
            return Construct::Library(name.to_string());
        }
    }
    Construct::Instruction(word(op).to_string())
}

/// What an instruction is called.
fn word(op: &Op) -> &'static str {
    use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    match op {
        Op::Ret(_) => "ret",
        Op::Br(_) | Op::CondBr { .. } => "br",
        Op::Switch { .. } => "switch",
        Op::IndirectBr { .. } => "indirectbr",
        Op::Unreachable => "unreachable",
        Op::Resume(_) => "resume",
        Op::Invoke { .. } => "invoke",
        Op::CallBr { .. } => "callbr",
        Op::LandingPad { .. } => "landingpad",
        Op::Funclet(_) => "funclet",
        Op::FNeg { .. } => "fneg",
        Op::Binary { op, .. } => op.word(),
        Op::ICmp { predicate: Eq | Ne, .. } => "icmp equality",
        Op::ICmp { predicate: Slt | Sle | Sgt | Sge, .. } => "icmp signed",
        Op::ICmp { predicate: Ult | Ule | Ugt | Uge, .. } => "icmp unsigned",
        Op::FCmp { .. } => "fcmp",
        Op::Cast { op, .. } => op.word(),
        Op::Select { .. } => "select",
        Op::Freeze(_) => "freeze",
        Op::Phi { .. } => "phi",
        Op::ExtractElement { .. } => "extractelement",
        Op::InsertElement { .. } => "insertelement",
        Op::ShuffleVector { .. } => "shufflevector",
        Op::ExtractValue { .. } => "extractvalue",
        Op::InsertValue { .. } => "insertvalue",
        Op::Alloca { .. } => "alloca",
        Op::Load { .. } => "load",
        Op::Store { .. } => "store",
        Op::Fence(_) => "fence",
        Op::CmpXchg { .. } => "cmpxchg",
        Op::AtomicRmw { .. } => "atomicrmw",
        Op::GetElementPtr { .. } => "getelementptr",
        Op::Call(_) => "call",
        Op::VaArg { .. } => "va_arg",
    }
}

/// What of these functions, and of those of the module that they call, can be masked; most telling first.
pub fn constructs(module: &Module, functions: &[String]) -> Vec<Construct> {
    let mut found = BTreeSet::new();
    for function in called(module, functions) {
        claims::of_function(module, function, &mut found);
        for instruction in instructions(function) {
            claims::of_instruction(module, instruction, &mut found);
            if is_maskable(module, function, instruction) {
                found.insert(kind(&instruction.op));
            }
        }
    }
    found.into_iter().collect()
}

/// The functions, and those that they call, directly or not.
pub(crate) fn called<'a>(module: &'a Module, functions: &[String]) -> Vec<&'a Function> {
    let mut names: Vec<String> = functions.to_vec();
    let mut all = Vec::new();
    while let Some(function) = names.get(all.len()).and_then(|name| module.function(name)) {
        for name in instructions(function).filter_map(|instruction| callee(&instruction.op)) {
            let is_new = !name.starts_with("llvm.") && !names.iter().any(|known| known == name);
            if is_new && module.function(name).is_some() {
                names.push(name.to_string());
            }
        }
        all.push(function);
    }
    all
}

pub(crate) fn instructions(function: &Function) -> impl Iterator<Item = &Instruction> {
    function.blocks.iter().flat_map(|block| &block.instructions)
}

#[cfg(test)]
mod tests {
    use super::intrinsic;

    #[test]
    fn intrinsics_are_known_without_their_types() {
        for (name, bare) in [
            ("llvm.umax.i32", "llvm.umax"),
            ("llvm.umax.v4i32", "llvm.umax"),
            ("llvm.vector.reduce.add.nxv4i32", "llvm.vector.reduce.add"),
            ("llvm.masked.load.v4f32.p0", "llvm.masked.load"),
            ("llvm.masked.load.v4f32.p0v4f32", "llvm.masked.load"),
            ("llvm.memcpy.p0i8.p0i8.i64", "llvm.memcpy"),
            ("llvm.sadd.with.overflow.i32", "llvm.sadd.with.overflow"),
            ("llvm.x86.sse2.psra.w", "llvm.x86.sse2.psra.w"),
            ("llvm.assume", "llvm.assume"),
            ("llvm.exp2.bf16", "llvm.exp2"),
        ] {
            assert_eq!(intrinsic(name), bare);
        }
    }
}
