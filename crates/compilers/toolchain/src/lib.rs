//! What is installed: compilers to test, companions that help, and the system's preprocessor.
//!
//! [`catalog`] says which tools Gainsay knows, what each one unlocks and which Debian package
//! brings it; [`find`] looks for them on the `PATH` and asks their versions; [`preprocess`] runs
//! `gcc -E` or its like.
//!
//! [`survey()`] finds the compilers that a hunt tests, proves with programs of ours that each works
//! and shares the machine's data model, and [`targets`] makes the columns of one test of them.
//! [`Config`] is what a `gainsay.toml` says about both.

mod breakdown;
pub mod catalog;
pub mod config;
pub mod find;
mod identity;
pub mod matrix;
pub mod preprocess;
mod probe;
mod processor;
pub mod survey;
pub mod target;

pub use catalog::{Known, Tool};
pub use config::{Config, ConfigError};
pub use find::{Found, csmith_headers, find_all, find_tool, on_path};
pub use matrix::targets;
pub use preprocess::{PreprocessError, Preprocessor};
pub use survey::{LeftOut, Survey, SurveyError, is_emulated, survey};
pub use target::{Compiler, Family, Language, Target};
