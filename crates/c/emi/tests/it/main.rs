//! Mutations from outside: what they print, and that variants mean what their seeds mean. One program,
//! so that it is linked once.

mod dead;
mod texts;
mod variants;
