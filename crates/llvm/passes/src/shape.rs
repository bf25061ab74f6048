//! The shape of a module: what its vectors and features are computed from, as plain data.
//!
//! Read from a module in a server's child ([`ModuleShape::of`]); everything after that needs no LLVM. An
//! instruction is its opcode and nothing else, as in CTOS: a call is a call, whatever is called.

use std::collections::{BTreeSet, HashMap};

use llvmhost::{Block as LlvmBlock, Module, Type, TypeKind, Value};
use serde::{Deserialize, Serialize};

/// The shape of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleShape {
    /// The functions that it defines, in order.
    pub functions: Vec<FunctionShape>,
    /// How many functions it declares only, intrinsics among them.
    pub declared: u32,
    /// How many global variables it has.
    pub globals: u32,
    /// How many results of instructions there are of each [`TypeClass`].
    pub results: [u32; TypeClass::ALL.len()],
}

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionShape {
    /// Its name.
    pub name: String,
    /// Its blocks that can be reached; the entry is the first.
    pub blocks: Vec<BlockShape>,
    /// Functions of the shape that it calls, or whose address an instruction of it uses, itself included: what
    /// may be called through a pointer that it takes. In order.
    pub callees: Vec<usize>,
    /// How many parameters it has.
    pub parameters: u32,
}

/// A basic block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockShape {
    /// The numbers of `LLVMOpcode` of its instructions, the same in all versions; see [`llvmhost::opcode`].
    pub words: Vec<u8>,
    /// Blocks that may follow, as the terminator lists them: one may be there twice.
    pub successors: Vec<usize>,
}

/// Types as far as they are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TypeClass {
    Void,
    I1,
    I8,
    I16,
    I32,
    I64,
    OtherInteger,
    Float,
    Pointer,
    Vector,
    Aggregate,
    Other,
}

impl TypeClass {
    /// All, in order.
    pub const ALL: [TypeClass; 12] = [
        TypeClass::Void,
        TypeClass::I1,
        TypeClass::I8,
        TypeClass::I16,
        TypeClass::I32,
        TypeClass::I64,
        TypeClass::OtherInteger,
        TypeClass::Float,
        TypeClass::Pointer,
        TypeClass::Vector,
        TypeClass::Aggregate,
        TypeClass::Other,
    ];

    fn of(ty: Type<'_>) -> TypeClass {
        match ty.kind() {
            TypeKind::Void => TypeClass::Void,
            TypeKind::Integer => match ty.bits() {
                1 => TypeClass::I1,
                8 => TypeClass::I8,
                16 => TypeClass::I16,
                32 => TypeClass::I32,
                64 => TypeClass::I64,
                _ => TypeClass::OtherInteger,
            },
            TypeKind::Float => TypeClass::Float,
            TypeKind::Pointer => TypeClass::Pointer,
            TypeKind::Vector | TypeKind::ScalableVector => TypeClass::Vector,
            TypeKind::Struct | TypeKind::Array => TypeClass::Aggregate,
            _ => TypeClass::Other,
        }
    }
}

impl ModuleShape {
    /// Of a module.
    pub fn of(module: &Module<'_>) -> ModuleShape {
        let all = module.functions();
        let defined: Vec<Value<'_>> =
            all.iter().copied().filter(|function| !function.is_declaration()).collect();
        let numbers =
            defined.iter().enumerate().map(|(at, function)| (function.key(), at)).collect();
        let mut shape = ModuleShape {
            declared: count(all.len() - defined.len()),
            globals: count(module.globals().len()),
            ..ModuleShape::default()
        };
        for function in defined {
            let function = shape.function(function, &numbers);
            shape.functions.push(function);
        }
        shape
    }

    fn function(&mut self, function: Value<'_>, numbers: &HashMap<usize, usize>) -> FunctionShape {
        let blocks = reachable(&function.blocks());
        let mut callees = BTreeSet::new();
        let mut read = |(block, successors): (LlvmBlock<'_>, Vec<usize>)| {
            let instructions = block.instructions();
            for instruction in &instructions {
                self.results[TypeClass::of(instruction.ty()) as usize] += 1;
                functions_in(*instruction, numbers, &mut callees);
            }
            let word = |instruction: Value<'_>| u8::try_from(instruction.opcode()).unwrap_or(0);
            BlockShape { words: instructions.into_iter().map(word).collect(), successors }
        };
        let blocks = blocks.into_iter().map(&mut read).collect();
        FunctionShape {
            name: function.name(),
            blocks,
            callees: callees.into_iter().collect(),
            parameters: count(function.parameters().len()),
        }
    }
}

impl FunctionShape {
    /// The successors of each block.
    pub fn graph(&self) -> Vec<Vec<usize>> {
        self.blocks.iter().map(|block| block.successors.clone()).collect()
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Notes the functions that stand among the operands of a value, or in a constant expression there.
fn functions_in(value: Value<'_>, numbers: &HashMap<usize, usize>, found: &mut BTreeSet<usize>) {
    for operand in value.operands() {
        match numbers.get(&operand.key()) {
            Some(&number) => drop(found.insert(number)),
            None if operand.is_constant_expression() => functions_in(operand, numbers, found),
            None => {}
        }
    }
}

/// The blocks that the first one leads to, itself the first, in order, with the numbers of their successors.
fn reachable<'c>(blocks: &[LlvmBlock<'c>]) -> Vec<(LlvmBlock<'c>, Vec<usize>)> {
    let numbers: HashMap<usize, usize> =
        blocks.iter().enumerate().map(|(at, block)| (block.key(), at)).collect();
    let successors: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| block.terminator().map(Value::successors).unwrap_or_default())
        .map(|nexts| nexts.iter().filter_map(|next| numbers.get(&next.key()).copied()).collect())
        .collect();
    let tree = llvmhost::Dominators::new(&successors);
    let kept: Vec<usize> = (0..blocks.len()).filter(|&block| tree.is_reachable(block)).collect();
    let mut renumbered = vec![0; blocks.len()];
    for (new, &old) in kept.iter().enumerate() {
        renumbered[old] = new;
    }
    let renumber = |old: usize| successors[old].iter().map(|&next| renumbered[next]).collect();
    kept.into_iter().map(|old| (blocks[old], renumber(old))).collect()
}
