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
    /// Its build id, if it is known.
    pub build: Option<String>,
    /// The machine it compiles for.
    pub triple: String,
}

impl LibraryIdentity {
    /// `libLLVM-16`.
    pub fn name(&self) -> String {
        format!("libLLVM-{}", self.major)
    }

    pub(crate) fn relocate(&mut self, moved: &dyn Fn(&str) -> String) {
        self.path = moved(&self.path);
    }
}
