//! The tree: a module as its text has it, names resolved within functions.
//!
//! Everything that bears on what a function computes has a field of its own. What bears on nothing but
//! code generation or debugging (visibility, sections, debug records) is kept as words, so that a module
//! printed again is the module that was read.

use std::sync::Arc;

use crate::bits::Bits;
use crate::op::{Constant, Instruction, Typed};

/// A module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// `source_filename`.
    pub source_filename: Option<String>,
    /// `target datalayout`.
    pub layout: Option<String>,
    /// `target triple`.
    pub triple: Option<String>,
    /// `module asm`, line by line, as written between the quotes.
    pub assembly: Vec<String>,
    /// Types with a name, in order; `None`: opaque.
    pub types: Vec<(Arc<str>, Option<Type>)>,
    /// `$name = comdat any`: the name and the kind.
    pub comdats: Vec<(Arc<str>, String)>,
    /// Global variables.
    pub globals: Vec<Global>,
    /// Aliases and ifuncs.
    pub aliases: Vec<Alias>,
    /// Functions, defined and declared, in order.
    pub functions: Vec<Function>,
    /// `attributes #0 = { … }`.
    pub groups: Vec<(u32, Attributes)>,
    /// `!name = !{!0, …}`.
    pub named_metadata: Vec<(Arc<str>, Vec<Metadata>)>,
    /// `!0 = …`: number, whether distinct, what.
    pub metadata: Vec<(u32, bool, Metadata)>,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`.
    Void,
    /// `i32`.
    Integer(u32),
    /// `double`.
    Float(Float),
    /// `ptr`, with its address space.
    Pointer(u32),
    /// `<4 x i32>`, `<vscale x 4 x i32>`.
    Vector {
        /// How many elements, or the least number.
        count: u32,
        /// Whether it is multiplied by `vscale`.
        scalable: bool,
        /// Of what.
        element: Arc<Type>,
    },
    /// `[4 x i32]`.
    Array(u64, Arc<Type>),
    /// `{ i32, ptr }`, `<{ i8, i32 }>`.
    Struct {
        /// Without padding.
        packed: bool,
        /// Its fields.
        fields: Arc<[Type]>,
    },
    /// `%name`: look it up in [`Module::types`].
    Named(Arc<str>),
    /// `i32 (ptr, ...)`: only as the type of a callee.
    Function(Arc<FunctionType>),
    /// `label`.
    Label,
    /// `token`.
    Token,
    /// `metadata`.
    Metadata,
    /// `x86_mmx`, `x86_amx`, `target("…")`: as written.
    Other(Arc<str>),
}

/// Formats of floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Float {
    /// `half`: IEEE, 16 bits.
    Half,
    /// `bfloat`: 16 bits, with the exponent of a `float`.
    Bfloat,
    /// `float`.
    Single,
    /// `double`.
    Double,
    /// `x86_fp80`.
    X86,
    /// `fp128`.
    Quad,
    /// `ppc_fp128`.
    Ppc,
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// What it returns.
    pub result: Type,
    /// What it takes.
    pub params: Vec<Type>,
    /// Whether it takes more.
    pub varargs: bool,
}

/// How a name is seen from outside; the default is `External`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // As LLVM's manual names them.
pub enum Linkage {
    #[default]
    External,
    Private,
    Internal,
    AvailableExternally,
    LinkOnce,
    LinkOnceOdr,
    Weak,
    WeakOdr,
    Common,
    Appending,
    ExternWeak,
}

/// Whether an address matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unnamed {
    /// It does.
    #[default]
    No,
    /// `local_unnamed_addr`: not in this module.
    Local,
    /// `unnamed_addr`: it does not.
    Yes,
}

/// A global variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Its name, without `@`, unescaped; `None`: a number, given by its place among all that is global.
    pub name: Option<Arc<str>>,
    /// Its linkage; `external` written out is an `External` without [`Global::value`].
    pub linkage: Linkage,
    /// `dso_local`, visibility, storage class, `thread_local(…)`: as written.
    pub words: Vec<String>,
    /// Whether its address matters.
    pub unnamed: Unnamed,
    /// Its address space.
    pub space: u32,
    /// Whether something outside initialises it.
    pub externally_initialized: bool,
    /// `constant`, not `global`.
    pub constant: bool,
    /// What it holds.
    pub ty: Type,
    /// What it starts with; `None`: it is declared only.
    pub value: Option<Constant>,
    /// Its alignment.
    pub align: Option<u64>,
    /// Section, partition, comdat, code model, sanitizers: what stands behind commas, as written.
    pub rest: Vec<String>,
    /// Metadata attached to it.
    pub attachments: Vec<(Arc<str>, Metadata)>,
    /// Attributes.
    pub attributes: Attributes,
}

/// An alias or an ifunc.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// Its name.
    pub name: Option<Arc<str>>,
    /// Its linkage.
    pub linkage: Linkage,
    /// Words before `alias` that bear on nothing here.
    pub words: Vec<String>,
    /// Whether its address matters.
    pub unnamed: Unnamed,
    /// `ifunc`, not `alias`.
    pub ifunc: bool,
    /// Type of what it stands for.
    pub ty: Type,
    /// What it stands for, with the type written before it.
    pub target: (Type, Constant),
    /// What stands behind commas, as written.
    pub rest: Vec<String>,
}

/// A function, defined or declared.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name; `None`: a number.
    pub name: Option<Arc<str>>,
    /// Its linkage.
    pub linkage: Linkage,
    /// `dso_local`, visibility, storage class: as written.
    pub words: Vec<String>,
    /// Its calling convention, as written (`fastcc`, `cc 10`); empty: C's.
    pub convention: String,
    /// Attributes of what it returns.
    pub result_attributes: Attributes,
    /// What it returns.
    pub result: Type,
    /// Its parameters: the first [`Function::locals`], in order.
    pub params: Vec<Param>,
    /// Whether it takes more arguments.
    pub varargs: bool,
    /// Whether its address matters.
    pub unnamed: Unnamed,
    /// Its address space.
    pub space: u32,
    /// Attributes of its own, groups among them.
    pub attributes: Attributes,
    /// Section, partition, comdat, align, gc, prefix, prologue: as written, in order.
    pub rest: Vec<String>,
    /// `personality`.
    pub personality: Option<(Type, Constant)>,
    /// Metadata attached to it.
    pub attachments: Vec<(Arc<str>, Metadata)>,
    /// All values that have a name or a number: parameters, then results of instructions in order.
    pub locals: Vec<LocalValue>,
    /// The body; empty: it is declared only.
    pub blocks: Vec<Block>,
}

/// A parameter. Its type and name are those of its local.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The value.
    pub local: Local,
    /// Its attributes.
    pub attributes: Attributes,
}

/// A value of a function, by its place in [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(pub u32);

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalValue {
    /// Its name; `None`: a number, given when it is printed.
    pub name: Option<Arc<str>>,
    /// Its type.
    pub ty: Type,
}

/// A block, by its place in [`Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// A block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its name; `None`: a number.
    pub name: Option<Arc<str>>,
    /// Its instructions; the last one ends it.
    pub instructions: Vec<Instruction>,
}

/// Attributes, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes(pub Vec<Attribute>);

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// `noundef`, `nonnull`, `nocapture`, …
    Flag(Arc<str>),
    /// `align 8`, `dereferenceable(16)`, `alignstack(16)`, …
    Number(Arc<str>, u64),
    /// `byval(T)`, `sret(T)`, `elementtype(T)`, …
    Typed(Arc<str>, Type),
    /// `range(i8 0, 4)`: the type, and the bounds, the second excluded.
    Range(Type, Bits, Bits),
    /// `memory(…)`, `nofpclass(…)`, `allocsize(…)`, `captures(…)`, `uwtable(sync)`: the name, and what is
    /// between the parentheses, as written.
    Words(Arc<str>, String),
    /// `"key"="value"`, as written between the quotes.
    Text(String, Option<String>),
    /// `#0`: look it up in [`Module::groups`].
    Group(u32),
}

/// Metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum Metadata {
    /// `!0`: look it up in [`Module::metadata`].
    Number(u32),
    /// `!{…}`.
    Tuple(Vec<Metadata>),
    /// `!"text"`: as written between the quotes.
    Text(String),
    /// `i32 7`, `ptr %x`.
    Value(Box<Typed>),
    /// `null`.
    Null,
    /// `!DILocation(line: 3, …)`, `!DIExpression()`, `!DIArgList(…)`: as written, without `!`.
    Special(String),
}

impl Attributes {
    /// Whether a word is among them; groups are not looked into.
    pub fn has(&self, word: &str) -> bool {
        self.0.iter().any(|a| matches!(a, Attribute::Flag(name) if &**name == word))
    }

    /// The number that goes with a name.
    pub fn number(&self, word: &str) -> Option<u64> {
        self.0.iter().find_map(|a| match a {
            Attribute::Number(name, number) if &**name == word => Some(*number),
            _ => None,
        })
    }

    /// The type that goes with a name.
    pub fn typed(&self, word: &str) -> Option<&Type> {
        self.0.iter().find_map(|a| match a {
            Attribute::Typed(name, ty) if &**name == word => Some(ty),
            _ => None,
        })
    }

    /// What stands between the parentheses behind a name.
    pub fn words(&self, word: &str) -> Option<&str> {
        self.0.iter().find_map(|a| match a {
            Attribute::Words(name, text) if &**name == word => Some(text.as_str()),
            _ => None,
        })
    }
}

impl Module {
    /// A type that is not a name: looked up until it is none.
    pub fn resolve<'a>(&'a self, ty: &'a Type) -> Option<&'a Type> {
        let mut ty = ty;
        while let Type::Named(name) = ty {
            ty = self.types.iter().find(|(n, _)| n == name)?.1.as_ref()?;
        }
        Some(ty)
    }

    /// A function by its name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name.as_deref() == Some(name))
    }

    /// Attributes with those of their groups in place of these.
    pub fn expand(&self, attributes: &Attributes) -> Attributes {
        let mut all = Vec::new();
        for attribute in &attributes.0 {
            match attribute {
                Attribute::Group(number) => {
                    let group = self.groups.iter().find(|(n, _)| n == number);
                    all.extend(group.iter().flat_map(|(_, group)| group.0.iter().cloned()));
                }
                other => all.push(other.clone()),
            }
        }
        Attributes(all)
    }

    /// What a number of metadata stands for.
    pub fn metadata(&self, number: u32) -> Option<&Metadata> {
        self.metadata.iter().find(|(n, _, _)| *n == number).map(|(_, _, what)| what)
    }
}

impl Function {
    /// Whether it has a body.
    pub fn is_defined(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Whether parameters and result have the types of another function's.
    pub fn has_type_of(&self, other: &Function) -> bool {
        let types = |f: &Function| -> Vec<Type> {
            f.params.iter().map(|param| f.type_of(param.local).clone()).collect()
        };
        self.result == other.result && self.varargs == other.varargs && types(self) == types(other)
    }

    /// The type of a value.
    pub fn type_of(&self, local: Local) -> &Type {
        &self.locals[local.0 as usize].ty
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }
}
