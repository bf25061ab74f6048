//! Programs that misbehave in every way there is, and what is left of them. One program, so that it is linked once.

mod common;
mod confined;
mod death;
mod misbehaviour;
mod run;
mod scratch;
