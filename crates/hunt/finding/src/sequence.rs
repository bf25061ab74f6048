//! A C program that is wrong after a sequence of LLVM's passes.

use std::path::Path;

use oracle::{Case, Expected, FailureKind, SourceFile};
use serde::{Deserialize, Serialize};
use toolchain::Language;

use crate::library::LibraryIdentity;

/// A C program that does something else than it must after passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceSubject {
    /// How it fails.
    pub kind: FailureKind,
    /// Names of the files that clang is given.
    pub units: Vec<String>,
    /// Folders of headers.
    pub include: Vec<String>,
    /// What it must print, with its exit status.
    #[serde(with = "crate::output")]
    pub expected: Expected,
    /// The clang that made IR of it.
    pub clang: String,
    /// For which level.
    pub level: FrontLevel,
    /// The library whose passes they are.
    pub library: LibraryIdentity,
    /// The passes.
    pub passes: String,
    /// Of a comparison: the library that is right about it.
    #[serde(default)]
    pub baseline: Option<LibraryIdentity>,
}

/// For which level clang writes the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrontLevel {
    /// `-O0`, but functions may be optimised.
    Unoptimised,
    /// `-O2`, with all that it says for passes.
    Optimised,
}

impl FrontLevel {
    /// `-O0`.
    pub fn flag(self) -> &'static str {
        match self {
            FrontLevel::Unoptimised => "-O0",
            FrontLevel::Optimised => "-O2",
        }
    }

    /// What makes clang write bitcode and leave it as it is. As for an optimised build it says more:
    /// lifetimes of variables, types of accesses.
    pub fn clang_arguments(self) -> [&'static str; 5] {
        match self {
            FrontLevel::Optimised => ["-O2", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"],
            // Else every function is marked as not to be touched.
            FrontLevel::Unoptimised => {
                ["-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c"]
            }
        }
    }
}

impl SequenceSubject {
    /// `libLLVM-16 -O0 -passes=function(sroa)`: the level is that for which clang writes the IR.
    pub fn label(&self) -> String {
        self.label_of(&self.passes)
    }

    pub(crate) fn label_with(&self, library: &LibraryIdentity) -> String {
        format!("{} {} -passes={}", library.name(), self.level.flag(), self.passes)
    }

    pub(crate) fn label_of(&self, passes: &str) -> String {
        format!("{} {} -passes={passes}", self.library.name(), self.level.flag())
    }

    /// Level and passes.
    pub fn flags(&self) -> Vec<String> {
        vec![self.level.flag().into(), format!("-passes={}", self.passes)]
    }

    /// The program; `files` are all its files.
    pub fn case(&self, files: &[SourceFile]) -> Case {
        Case {
            language: Language::C,
            files: files.to_vec(),
            standard: None,
            harness: None,
            include: self.include.iter().map(Into::into).collect(),
            expected: Some(self.expected.clone()),
            omitted: Default::default(),
        }
    }

    /// What shows it with LLVM's own tools, step by step.
    pub fn steps(&self) -> Vec<String> {
        let clang = Path::new(&self.clang);
        let clang = clang.file_name().unwrap_or(clang.as_os_str()).to_string_lossy();
        let words = self.level.clang_arguments().join(" ");
        let include: String =
            self.include.iter().map(|dir| format!(" -I {}", crate::quoted(dir))).collect();
        let [link, opt, llc] = ["llvm-link", "opt", "llc"].map(|name| self.library.tool(name));
        let mut steps = Vec::new();
        let mut parts = Vec::new();
        for unit in &self.units {
            let output = Path::new(unit).with_extension("bc").display().to_string();
            steps.push(format!("{clang} {words} -w{include} {unit} -o {output}"));
            parts.push(output);
        }
        if parts.len() > 1 {
            steps.push(format!("{link} {} -o whole.bc", parts.join(" ")));
            parts = vec!["whole.bc".into()];
        }
        let passes = &self.passes;
        steps.push(format!("{opt} '-passes={passes}' {} -o optimised.bc", parts.join(" ")));
        steps.push(format!(
            "{llc} -O2 -relocation-model=pic -filetype=obj optimised.bc -o optimised.o"
        ));
        steps.push("cc optimised.o -o program -lm".into());
        steps.push("./program | diff expected -".into());
        steps
    }

    /// The same in one line.
    pub fn command(&self) -> String {
        self.steps().join(" && ")
    }
}
