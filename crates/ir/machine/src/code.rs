//! Code: functions as they are executed. Types are shapes, values are registers, symbols are numbers.
//!
//! An instruction that is not supported is [`Code::Unsupported`]: an execution that does not get there does not need it.

use std::collections::HashMap;
use std::sync::Arc;

use irtext::{
    Binary, Bits, Cast, FastMath, Float as Format, FloatPredicate, GepFlags, IntFlags, IntPredicate,
};

use crate::facts::{Effects, Facts};
use crate::intrinsic::Intrinsic;
use crate::library::Library;
use crate::reason::Construct;
use crate::shape::Shape;
use crate::value::Value;

/// A module made ready for execution.
#[derive(Clone, Debug)]
pub struct Program {
    /// Functions with a body.
    pub(crate) functions: Vec<Function>,
    /// Everything global; a pointer to one has its number as its block.
    pub(crate) symbols: Vec<Symbol>,
    /// Symbols by name.
    pub(crate) names: HashMap<Arc<str>, u32>,
    /// Whether the high byte comes first.
    pub(crate) big: bool,
    /// Bits of a pointer.
    pub(crate) pointer_bits: u32,
}

/// A name of the module.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub name: Arc<str>,
    pub kind: SymbolKind,
}

#[derive(Clone, Debug)]
pub(crate) enum SymbolKind {
    /// A function: its code, if it has some that may be executed.
    Function(Option<u32>),
    /// A global variable.
    Variable(Variable),
    /// What is not supported.
    Unsupported(Construct),
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub size: u64,
    pub align: u64,
    pub constant: bool,
    /// Only this module sees it.
    pub local: bool,
    /// What it starts with: offsets, shapes and values; `None`: not known here.
    pub initial: Option<Vec<(u64, Shape, Operand)>>,
    /// Whether nothing but the initial value can be there at first.
    pub fixed: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: Arc<str>,
    pub params: Vec<(Shape, Facts)>,
    pub result: Shape,
    pub result_facts: Facts,
    /// Parameters come first.
    pub registers: u32,
    pub blocks: Vec<Block>,
    pub effects: Effects,
    /// Null may be accessed.
    pub null_is_valid: bool,
    /// Some access has tags.
    pub tagged: bool,
    /// What in its signature is not supported.
    pub unsupported: Option<Construct>,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub phis: Vec<Phi>,
    pub code: Vec<Instruction>,
}

#[derive(Clone, Debug)]
pub(crate) struct Phi {
    pub result: u32,
    /// Which instruction of the tree's block it is.
    pub at: u32,
    pub fast: FastMath,
    pub format: Option<Format>,
    pub incoming: Vec<(u32, Operand)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub result: Option<u32>,
    /// Which instruction of the tree's block it is.
    pub at: u32,
    pub code: Code,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Register(u32),
    Constant(Value),
    /// A constant expression.
    Expression(Arc<Code>),
}

/// A memory access.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub shape: Shape,
    pub align: u64,
    pub volatile: bool,
    /// What its metadata claims about aliases; 0: nothing.
    pub tag: u32,
}

/// The tag of `!invariant.load`.
pub(crate) const INVARIANT: u32 = 1;

#[derive(Clone, Debug)]
pub(crate) enum Code {
    Unsupported(Construct),
    Ret(Option<Operand>),
    Br(u32),
    CondBr(Operand, u32, u32),
    Switch(Operand, Vec<(Bits, u32)>, u32),
    Unreachable,
    FNeg {
        fast: FastMath,
        format: Format,
        of: Operand,
    },
    Integer {
        op: Binary,
        flags: IntFlags,
        a: Operand,
        b: Operand,
    },
    Float {
        op: Binary,
        fast: FastMath,
        format: Format,
        a: Operand,
        b: Operand,
    },
    ICmp {
        predicate: IntPredicate,
        samesign: bool,
        pointers: bool,
        a: Operand,
        b: Operand,
    },
    FCmp {
        predicate: FloatPredicate,
        fast: FastMath,
        format: Format,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: Cast,
        flags: IntFlags,
        fast: FastMath,
        from: Shape,
        to: Shape,
        of: Operand,
    },
    Select {
        fast: FastMath,
        format: Option<Format>,
        condition: Operand,
        a: Operand,
        b: Operand,
    },
    Freeze {
        shape: Shape,
        of: Operand,
    },
    Extract {
        vector: Operand,
        index: Operand,
    },
    Insert {
        vector: Operand,
        element: Operand,
        index: Operand,
    },
    Shuffle {
        left: Operand,
        right: Operand,
        mask: Vec<Lane>,
        element: Shape,
    },
    ExtractValue {
        of: Operand,
        indices: Vec<u32>,
    },
    InsertValue {
        of: Operand,
        element: Operand,
        indices: Vec<u32>,
    },
    /// A constant with parts that are expressions.
    Build(Vec<Operand>),
    Alloca {
        size: u64,
        count: Option<Operand>,
        align: u64,
    },
    Load {
        access: Access,
        from: Operand,
        facts: Facts,
    },
    Store {
        access: Access,
        value: Operand,
        to: Operand,
    },
    CmpXchg {
        access: Access,
        address: Operand,
        expected: Operand,
        new: Operand,
        weak: bool,
    },
    AtomicRmw {
        access: Access,
        op: Rmw,
        address: Operand,
        value: Operand,
    },
    Gep {
        flags: GepFlags,
        base: Operand,
        steps: Vec<Step>,
        lanes: Option<u32>,
        bits: u32,
    },
    Call(Box<Call>),
    Nothing,
}

/// A lane of a shuffle's mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    From(u32),
    Undef,
    Poison,
}

/// One index of a `getelementptr`.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub index: Operand,
    pub stride: u64,
}

/// What `atomicrmw` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rmw {
    Xchg,
    Integer(Binary),
    Nand,
    Function(crate::integer::Function),
    Float(Binary, Format),
    UIncWrap,
    UDecWrap,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub callee: Callee,
    pub arguments: Vec<(Operand, Shape, Facts)>,
    pub result: Shape,
    pub facts: Facts,
    pub effects: Effects,
    pub fast: FastMath,
    pub no_return: bool,
    /// Operands of the bundles of `llvm.assume`.
    pub bundles: Vec<(String, Vec<(Operand, Shape)>)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Callee {
    /// A function of the module, by its number as a symbol.
    Known(u32),
    /// A function that is declared only.
    World(Arc<str>),
    Intrinsic(Intrinsic),
    Library(Library),
    Indirect(Operand),
}

impl Program {
    /// The place of a function with a body.
    pub(crate) fn function(&self, name: &str) -> Option<u32> {
        match self.symbols[*self.names.get(name)? as usize].kind {
            SymbolKind::Function(code) => code,
            _ => None,
        }
    }
}
