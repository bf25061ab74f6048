//! What is installed: compilers to test, tools that help, and the system's preprocessor.
//!
//! | module | concern |
//! | --- | --- |
//! | `catalog`, `find` | tools by name: what they unlock, where they are, which version |
//! | `added` | compilers that were added, each in a folder of its own |
//! | `survey/` | which compilers there are, which of them `--cc` means |
//! | `identity`, `probe/`, `breakdown`, `processor` | a compiler's family, version and target, and whether it works |
//! | `cross`, `isa`, `runner` | cross compilers: linker, libraries, packages that are missing; the emulator and its `-cpu` |
//! | `march` | random instruction sets |
//! | `step` | which step of a compilation died, by its driver's messages |
//! | `matrix/`, `target` | optimisation levels, flags by family; a compiler with flags |
//! | `config/` | `gainsay.toml`, with one sentence for each mistake |
//! | `preprocess` | `gcc -E` or its like |
//!
//! **A compiler is probed before it is trusted.** A probe program prints everything that C leaves to the
//! implementation and the machine takes for granted; a compiler with a data model that the machine does not
//! know is left out, with the line that differs. One whose programs nothing runs here is only compiled with. Extensions are tried one by one; a program that uses one that a compiler lacks says
//! nothing about that compiler. Only a refusal excuses: a compiler that *breaks down* on a probe, and that
//! was named, stays in, because that is what a hunt looks for.

pub mod added;
mod breakdown;
pub mod catalog;
pub mod config;
mod cross;
pub mod find;
mod identity;
mod isa;
pub mod march;
pub mod matrix;
pub mod preprocess;
mod probe;
mod processor;
mod runner;
mod step;
pub mod survey;
pub mod target;

pub use catalog::{Tool, ToolInfo};
pub use config::{Config, ConfigError};
pub use ctree::Abi;
pub use find::{InstalledTool, csmith_headers, find_all, find_tool, on_path};
pub use isa::{CpuRule, QemuArch};
pub use matrix::{FlagFamily, FlagTable, families_of, targets};
pub use preprocess::{PreprocessError, Preprocessor};
pub use probe::{TARGET_PROBE, is_about_flags};
pub use runner::{Emulator, Runner};
pub use step::{Step, dead_step, speaker};
pub use survey::{
    FoundCompiler, LeftOut, Survey, SurveyError, compilers_in, is_emulated, survey, try_compiler,
};
pub use target::{Compiler, Family, Language, Target};
