//! LLVM IR as text, to a tree and back, for LLVM 15 to 22 (opaque pointers).
//!
//! It depends on no LLVM, so the texts of two versions can be compared. A module printed again is, to
//! LLVM's own parser, the module that was read.
//!
//! | module | concern |
//! | --- | --- |
//! | `tree`, `op`, `bits` | modules, functions, globals, types; instructions and constants; integers of a width |
//! | `lex`, `words`, `parse/` | text to the tree |
//! | `print/` | the tree to text |
//! | `layout` | sizes, alignments and offsets by the `target datalayout` |
//! | `walk` | the values and blocks that an instruction refers to |
//!
//! Names are kept without escapes, each byte as the character of that number (`\E9` is `é`), because they
//! need not be UTF-8. What is kept as written (debug records, `!DI…` nodes) may name values by number;
//! code that changes a function so that numbers move must drop it.
//!
//! **Architecture Invariant:** what is not understood is refused with its line; nothing is guessed.
//! [`parse_lenient`] leaves out the functions that contain it.
//!
//! Not here: what the instructions mean (`irmachine`, `irproof`).

pub mod bits;
pub mod layout;
mod lex;
pub mod op;
mod parse;
pub mod print;
pub mod tree;
pub mod walk;
mod words;

pub use bits::Bits;
pub use op::*;
pub use parse::{Refused, parse, parse_lenient};
pub use print::{
    function as print_function, module as print, symbol as print_symbol, ty as print_type,
};
pub use tree::*;
