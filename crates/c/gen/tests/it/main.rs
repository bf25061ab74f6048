//! The generators from outside: programs against the machine, compilers, solvers and their own printer.
//! One program, so that it is linked once.

mod census;
mod compilers;
mod coverage;
mod cxx;
mod machine;
#[path = "../../../machine/tests/it/place/mod.rs"]
mod place;
mod raw;
mod repair;
mod rewrites;
mod round_trip;
mod smith;
mod smt;
mod watch;
mod wild_runs;
mod yarp;
