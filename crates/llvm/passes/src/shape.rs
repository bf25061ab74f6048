//! The shape of a module: what its vectors and features are computed from, as plain data.
//!
//! Read from a module in a server's child ([`Shape::of`]); everything after that needs no LLVM. An
//! instruction is its opcode and nothing else, as in CTOS: a call is a call, whatever is called.

use std::collections::{BTreeSet, HashMap};

use llvmhost::{Block as LlvmBlock, Module, Type, TypeKind, Value};
use serde::{Deserialize, Serialize};

/// The shape of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// The functions that it defines, in order.
    pub functions: Vec<Function>,
    /// How many functions it declares only, intrinsics among them.
    pub declared: u32,
    /// How many global variables it has.
    pub globals: u32,
    /// How many results of instructions there are of each [`Sort`].
    pub results: [u32; Sort::ALL.len()],
}

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its blocks that can be reached; the entry is the first.
    pub blocks: Vec<Block>,
    /// Functions of the shape that it calls, or whose address an instruction of it uses, itself included: what
    /// may be called through a pointer that it takes. In order.
    pub callees: Vec<usize>,
    /// How many parameters it has.
    pub parameters: u32,
}

/// A basic block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The numbers of `LLVMOpcode` of its instructions, the same in all versions; see [`llvmhost::opcode`].
    pub words: Vec<u8>,
    /// Blocks that may follow, as the terminator lists them: one may be there twice.
    pub successors: Vec<usize>,
}

/// Types as far as they are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Sort {
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

impl Sort {
    /// All, in order.
    pub const ALL: [Sort; 12] = [
        Sort::Void,
        Sort::I1,
        Sort::I8,
        Sort::I16,
        Sort::I32,
        Sort::I64,
        Sort::OtherInteger,
        Sort::Float,
        Sort::Pointer,
        Sort::Vector,
        Sort::Aggregate,
        Sort::Other,
    ];

    fn of(ty: Type<'_>) -> Sort {
        match ty.kind() {
            TypeKind::Void => Sort::Void,
            TypeKind::Integer => match ty.bits() {
                1 => Sort::I1,
                8 => Sort::I8,
                16 => Sort::I16,
                32 => Sort::I32,
                64 => Sort::I64,
                _ => Sort::OtherInteger,
            },
            TypeKind::Float => Sort::Float,
            TypeKind::Pointer => Sort::Pointer,
            TypeKind::Vector | TypeKind::ScalableVector => Sort::Vector,
            TypeKind::Struct | TypeKind::Array => Sort::Aggregate,
            _ => Sort::Other,
        }
    }
}

impl Shape {
    /// Of a module.
    pub fn of(module: &Module<'_>) -> Shape {
        let all = module.functions();
        let defined: Vec<Value<'_>> =
            all.iter().copied().filter(|function| !function.is_declaration()).collect();
        let numbers =
            defined.iter().enumerate().map(|(at, function)| (function.key(), at)).collect();
        let mut shape = Shape {
            declared: count(all.len() - defined.len()),
            globals: count(module.globals().len()),
            ..Shape::default()
        };
        for function in defined {
            let function = shape.function(function, &numbers);
            shape.functions.push(function);
        }
        shape
    }

    fn function(&mut self, function: Value<'_>, numbers: &HashMap<usize, usize>) -> Function {
        let blocks = reachable(&function.blocks());
        let mut callees = BTreeSet::new();
        let mut read = |(block, successors): (LlvmBlock<'_>, Vec<usize>)| {
            let instructions = block.instructions();
            for instruction in &instructions {
                self.results[Sort::of(instruction.ty()) as usize] += 1;
                functions_in(*instruction, numbers, &mut callees);
            }
            let word = |instruction: Value<'_>| u8::try_from(instruction.opcode()).unwrap_or(0);
            Block { words: instructions.into_iter().map(word).collect(), successors }
        };
        let blocks = blocks.into_iter().map(&mut read).collect();
        Function {
            name: function.name(),
            blocks,
            callees: callees.into_iter().collect(),
            parameters: count(function.parameters().len()),
        }
    }
}

impl Function {
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
