//! The typed C program tree.
//!
//! A [`Program`] is one or more translation units over shared arenas: expressions, statements,
//! variables, functions, types. A node is named by its index in an arena ([`ExprId`], [`StmtId`], …),
//! which stays valid while the tree is edited: a rewrite replaces the node in place and moves the old
//! content to a new id. Every expression carries its type, and every implicit conversion is a node of
//! its own ([`ExprKind::Implicit`]), so that nothing after the parser needs C's conversion rules.
//!
//! | module | concern |
//! | --- | --- |
//! | `expr`, `stmt`, `program`, `ids`, `symbol` | the tree |
//! | `types`, `target`, `layout` | interned types; sizes, alignments and offsets by the System V ABI |
//! | `build/` | constructors that insert the conversions and types the parser would |
//! | `print/` | the tree as C, or as C++ by a plan; as one file, or as header, tests and driver |
//! | `dump/` | the whole tree as an S-expression, for comparison |
//! | `library` | the types of the C library's functions |
//! | `scope`, `map`, `source` | what is visible where; where each node is used; spans to file and line |
//!
//! **A tree can also be printed as C++.** It is a C program and is executed as C. A plan says which
//! arrays become containers, which accesses `.at()`, which globals static members. The generator avoids
//! what has another meaning in C++; the printer refuses what C++ does not have.
//!
//! The tree is pure data: no I/O, no randomness, no semantics beyond types and layout. `cparse` parses
//! text to a tree, `cmachine` executes a tree.
//!
//! Absent: preprocessor directives (a tree is preprocessed), comments, variable-length arrays,
//! `_Complex`, `_Atomic`, inline assembly.

pub mod build;
pub mod dump;
pub mod expr;
pub mod ids;
pub mod layout;
pub mod library;
pub mod map;
pub mod print;
pub mod program;
pub mod scope;
pub mod source;
pub mod stmt;
pub mod symbol;
pub mod target;
pub mod types;

pub use expr::{BinOp, Expr, ExprKind, Init, InitItem, UnOp};
pub use ids::{EnumId, ExprId, FuncId, LabelId, RecordId, StmtId, StrId, TypedefId, UnitId, VarId};
pub use program::{
    Func, FuncStorage, Item, Label, Program, Scope, Storage, StrLit, StrWidth, Unit, Var,
};
pub use source::{SourceMap, Span};
pub use stmt::{Stmt, StmtKind};
pub use symbol::{Interner, Sym};
pub use target::{Abi, DataModel};
pub use types::{
    ArrayLen, Enum, Enumerator, Field, FloatKind, FuncType, IntKind, Quals, Record, RecordKind, Ty,
    TypeKind, TypeTable, Typedef,
};
