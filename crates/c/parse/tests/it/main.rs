//! The parser from outside: what it takes, what it refuses and how, and input that is not C. One
//! program, so that it is linked once.

mod errors;
mod features;
mod robust;
