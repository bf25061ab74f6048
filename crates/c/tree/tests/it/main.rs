//! Printing, dumping and scopes of trees that the parser made. One program, so that it is linked once.

mod dump;
mod print;
mod print_cxx;
mod scope;
