//! An LLVM module under passes.

use serde::{Deserialize, Serialize};

use crate::library::LibraryIdentity;

/// The file of a module.
pub const MODULE_FILE: &str = "test.ll";

/// What the passes made of it.
pub const MODULE_AFTER: &str = "after.ll";

/// How the code generator is asked.
const LLC: &str = "-O2 -relocation-model=pic -filetype=obj -o test.o";

/// An LLVM module on which passes of a library fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleSubject {
    /// The library.
    pub library: LibraryIdentity,
    /// The pipeline; empty for the code generator alone.
    pub passes: String,
    /// What is wrong.
    pub fault: ModuleFault,
    /// Of a comparison: the library that is right about it.
    #[serde(default)]
    pub baseline: Option<LibraryIdentity>,
}

/// What passes do wrong to a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleFault {
    /// A pass crashes, hangs or exhausts memory.
    Pass,
    /// A pass leaves an invalid module: the verifier runs after each.
    InvalidIr,
    /// The code generator crashes, hangs or exhausts memory, after the passes.
    CodeGenerator,
    /// What the passes make of the module does not refine it.
    Refinement,
}

impl ModuleSubject {
    /// `libLLVM-16 -passes=default<O3>`.
    pub fn label(&self) -> String {
        self.label_with(&self.library)
    }

    pub(crate) fn label_with(&self, library: &LibraryIdentity) -> String {
        format!("{} -passes={}", library.name(), self.passes)
    }

    /// What is typed, program and arguments apart, up to what Gainsay is asked about the result; `None` where it
    /// takes two programs. Debian's names of LLVM's tools; elsewhere they have no number.
    pub fn tool(&self) -> Option<(String, Vec<String>)> {
        let passes = format!("-passes={}", self.passes);
        if self.fault == ModuleFault::CodeGenerator {
            let words = format!("{LLC} {MODULE_FILE}");
            let words = words.split(' ').map(String::from).collect();
            return self.passes.is_empty().then(|| (self.library.tool("llc"), words));
        }
        let words: Vec<&str> = match self.fault {
            ModuleFault::Refinement => vec![&passes, "-S", "-o", MODULE_AFTER, MODULE_FILE],
            ModuleFault::InvalidIr => vec![&passes, "-verify-each", "-disable-output", MODULE_FILE],
            ModuleFault::Pass | ModuleFault::CodeGenerator => {
                vec![&passes, "-disable-output", MODULE_FILE]
            }
        };
        let words = words.into_iter().map(String::from).collect();
        Some((self.library.tool("opt"), words))
    }

    /// The commands that show it.
    pub fn commands(&self) -> Vec<String> {
        let opt = self.library.tool("opt");
        let llc = format!("{} {LLC}", self.library.tool("llc"));
        let passes = &self.passes;
        match self.fault {
            ModuleFault::Pass => {
                vec![format!("{opt} '-passes={passes}' -disable-output {MODULE_FILE}")]
            }
            ModuleFault::InvalidIr => {
                vec![format!("{opt} '-passes={passes}' -verify-each -disable-output {MODULE_FILE}")]
            }
            ModuleFault::CodeGenerator if passes.is_empty() => vec![format!("{llc} {MODULE_FILE}")],
            ModuleFault::CodeGenerator => {
                vec![format!("{opt} '-passes={passes}' {MODULE_FILE} | {llc}")]
            }
            ModuleFault::Refinement => vec![
                format!("{opt} '-passes={passes}' -S -o {MODULE_AFTER} {MODULE_FILE}"),
                format!("gainsay llvm verify {MODULE_FILE} {MODULE_AFTER}"),
            ],
        }
    }
}
