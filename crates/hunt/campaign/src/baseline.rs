//! Comparisons: only what fails where a *baseline* is right is a finding.
//!
//! A [`Plan`](crate::Plan) may name a baseline: an older compiler, or an older libLLVM. The hunt is that of the newer
//! one. The machine knows what a program must do, so the baseline is asked only about what the newer one gets wrong,
//! with the very same flags or passes, and says one of three things ([`BaselineVerdict`]): it is right, so this is a
//! regression; it is wrong, too, and the failure is counted, no more; or it cannot be told. Of a failed assertion a
//! baseline without assertions cannot tell, nor can one that does not take the program, the module, the flags.
//!
//! A finding of a comparison names its baseline in its subject: reductions keep the baseline right from there.
//!
//! | module | concern |
//! | --- | --- |
//! | `compiler` | a compiler as baseline; flags that both take |
//! | `library` | a libLLVM as baseline of modules and of sequences |
//! | `common_words` | modules in words that older libraries read |

mod common_words;
mod compiler;
mod library;

use std::sync::Arc;

use llvmhost::Installed;
use toolchain::Compiler;

pub(crate) use compiler::CompilerBaseline;
pub(crate) use library::{BaselineTester, LibraryBaseline, cannot_tell};

/// What is right until it is shown otherwise.
#[derive(Clone, Debug)]
pub enum Baseline {
    /// Of compilers of C and C++.
    Compiler(Arc<Compiler>),
    /// Of LLVM's passes.
    Library(Installed),
}

impl Baseline {
    /// The compiler, if it is one.
    pub fn compiler(&self) -> Option<&Arc<Compiler>> {
        match self {
            Baseline::Compiler(compiler) => Some(compiler),
            Baseline::Library(_) => None,
        }
    }

    /// The library, if it is one.
    pub fn library(&self) -> Option<&Installed> {
        match self {
            Baseline::Compiler(_) => None,
            Baseline::Library(library) => Some(library),
        }
    }
}

/// What a baseline says of a failure of the newer one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BaselineVerdict {
    /// It does as it must: a regression.
    Right,
    /// It fails, too.
    Wrong,
    /// It does not say; why, in a sentence.
    CannotTell(String),
}

/// A baseline that took more than this part of the time limit says nothing on one that takes longer.
pub(crate) const AT_EASE: u32 = 4;

/// Why a baseline is silent on a failed check.
pub(crate) fn no_checks(name: &str) -> String {
    format!("{name} is built without the internal checks of which one failed")
}
