//! What OLD and NEW of a comparison mean: a compiler or a libLLVM.

use anyhow::{Result, anyhow};
use llvmhost::Installed;

use crate::hunt::options::{HuntEngine, Workload};

/// One side of a comparison.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A compiler, as `--cc` takes it.
    Compiler(String),
    /// A libLLVM.
    Library(Installed),
}

/// What libraries are called in findings.
const LIBRARY: &str = "libLLVM-";

impl Operand {
    /// Reads a word: a number, a `.so` file and `libLLVM-…` mean a library, everything else a compiler.
    pub fn of(word: &str) -> Result<Operand> {
        match library_name(word) {
            Some(name) => {
                Ok(Operand::Library(Installed::named(name).map_err(|why| anyhow!("{why}"))?))
            }
            None => Ok(Operand::Compiler(word.to_string())),
        }
    }

    /// Whether a clang is here whose programs it reads, if it is a library.
    pub fn has_clang(&self) -> bool {
        match self {
            Operand::Compiler(_) => true,
            Operand::Library(library) => campaign::front::clang_for(library.major).is_ok(),
        }
    }

    /// The engines for it, if none is asked for. `has_clang`: programs can be made for both libraries.
    pub fn engines(&self, has_clang: bool, workload: &Workload) -> Vec<HuntEngine> {
        let has_corpus = workload.crossover.corpus.is_some();
        match self {
            Operand::Compiler(_) if workload.files.from.is_some() => vec![HuntEngine::Files],
            Operand::Compiler(_) if workload.lang == crate::engines::Lang::Cxx => {
                vec![HuntEngine::Yarp]
            }
            Operand::Compiler(_) => vec![HuntEngine::Yarp, HuntEngine::Smith],
            Operand::Library(_) if has_corpus && !has_clang => vec![HuntEngine::Crossover],
            Operand::Library(_) if has_corpus => vec![HuntEngine::Crossover, HuntEngine::Passes],
            Operand::Library(_) => vec![HuntEngine::Passes],
        }
    }
}

/// The name of the library that a word means.
fn library_name(word: &str) -> Option<&str> {
    let is_number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    let file = word.rsplit('/').next().unwrap_or(word);
    let is_file = file.ends_with(".so") || file.contains(".so.") || file.starts_with("libLLVM.so");
    match word.strip_prefix(LIBRARY) {
        Some(name) if !is_file => Some(name),
        _ => (is_number || is_file).then_some(word),
    }
}

#[cfg(test)]
mod tests {
    use super::library_name;

    #[test]
    fn libraries_are_told_from_compilers() {
        for (word, name) in [
            ("16", Some("16")),
            ("libLLVM-16", Some("16")),
            ("libLLVM-16.so", Some("libLLVM-16.so")),
            ("/opt/llvm/lib/libLLVM.so.22.1", Some("/opt/llvm/lib/libLLVM.so.22.1")),
            ("./libLLVM.so", Some("./libLLVM.so")),
            ("gcc-12", None),
            ("clang-16 -m32", None),
            ("/opt/llvm-16/bin/clang", None),
            ("", None),
        ] {
            assert_eq!(library_name(word), name, "{word}");
        }
    }
}
