//! Compilers and programs that fail, and what the oracle calls it. One program, so that it is linked once.

mod detectors;
mod faulty;
