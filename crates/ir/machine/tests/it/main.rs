//! Execution of IR functions, and refinement by execution. One program, so that it is linked once.

mod execute;
mod refinement;
