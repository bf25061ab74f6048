//! Edits and reductions of whole programs. One program, so that it is linked once.

mod before_after;
mod common;
mod edits;
mod toy;
