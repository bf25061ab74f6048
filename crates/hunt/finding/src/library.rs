//! A libLLVM: which one it was.

use serde::{Deserialize, Serialize};

/// A libLLVM as it was when something was found in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryIdentity {
    /// Its file; empty where only the number is known (stores of version 4).
    pub path: String,
    /// Its major version, by which LLVM's tools are called.
    pub major: u32,
    /// Its version in its own words; empty if it was not asked.
    pub version: String,
    /// What distinguishes it in labels, if it is not the one that its number alone means
    /// (`22.1.8+assertions@/opt/llvm/lib/libLLVM.so`).
    pub distinct_name: Option<String>,
    /// Its build id, if it is known.
    pub build: Option<String>,
    /// Whether it checks assertions.
    pub assertions: bool,
    /// The folder of the tools that were built with it, if they are not called by its number.
    pub bin: Option<String>,
    /// The machine it compiles for.
    pub triple: String,
}

impl LibraryIdentity {
    /// `libLLVM-16`.
    pub fn name(&self) -> String {
        match &self.distinct_name {
            Some(name) => format!("libLLVM-{name}"),
            None => format!("libLLVM-{}", self.major),
        }
    }

    /// One of LLVM's tools that belongs to it, as one types it: `opt-16`.
    pub(crate) fn tool(&self, name: &str) -> String {
        match &self.bin {
            Some(bin) => format!("{bin}/{name}"),
            None => format!("{name}-{}", self.major),
        }
    }

    pub(crate) fn relocate(&mut self, moved: &dyn Fn(&str) -> String) {
        let texts = [&mut self.distinct_name, &mut self.bin].into_iter().flatten();
        for text in texts.chain([&mut self.path]) {
            *text = moved(text);
        }
    }
}
