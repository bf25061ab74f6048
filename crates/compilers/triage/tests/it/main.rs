//! Blame with real compilers. One program, so that it is linked once.

mod clang;
mod common;
mod gcc;
mod mask;
