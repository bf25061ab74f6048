//! What is installed: compilers to test, companions that help, and the system's preprocessor.
//!
//! [`catalog`] says which tools Gainsay knows, what each one unlocks and which Debian package
//! brings it; [`find`] looks for them on the `PATH` and asks their versions; [`preprocess`] runs
//! `gcc -E` or its like. Not here yet: `Target` (compiler, flags and runner as one value), which
//! comes with the differential hunts, and cross compilers.

pub mod catalog;
pub mod find;
pub mod preprocess;
pub mod target;

pub use catalog::{Known, Tool};
pub use find::{Found, csmith_headers, find_all, find_tool, on_path};
pub use preprocess::{PreprocessError, Preprocessor};
pub use target::{Compiler, Family, Language, Target};
