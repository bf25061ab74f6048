//! LLVM IR as text, to a tree and back, for LLVM 15 to 22 (opaque pointers).
//!
//! What is not understood is refused with its line; nothing is guessed. A module printed again is, to LLVM's
//! own parser, the module that was read.
//!
//! Names are kept without escapes, each byte as the letter of that number (`\E9` is `é`), because they need not
//! be UTF-8. What is kept as written (debug records, `!DI…` nodes) may name values by their numbers, and
//! whoever changes a function so that numbers move must drop it.
//!
//! Not here: what the instructions mean (`irmachine`).

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
