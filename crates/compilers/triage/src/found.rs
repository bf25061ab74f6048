//! The results of triage, as data.

use oracle::FailureKind;
use serde::{Deserialize, Serialize};

/// Which part of an optimiser a bug needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blame {
    /// The pass that is most likely at fault, by its compiler's own name (`tailr1`, `InstCombinePass`).
    pub pass: Option<String>,
    /// All culprits, the most conclusive first.
    pub culprits: Vec<Culprit>,
    /// Why nothing, or not everything, could be learnt; one sentence each.
    pub limits: Vec<String>,
}

/// Options without which nearly every bug is gone: they prepare what other passes get wrong.
const PREPARING: &[&str] = &["inline", "einline", "early-inlining", "inline-small-functions"];

impl Blame {
    /// The pass, or the option or counter that is known in its place.
    pub fn part(&self) -> Option<String> {
        self.pass.clone().or_else(|| self.culprits.first().map(|culprit| culprit.name.clone()))
    }

    /// The same for keys. The first pass with which LLVM shows a bug depends on the program more than an option
    /// that hides it.
    pub fn stable_part(&self) -> Option<String> {
        let is_bisected = self.culprits.iter().any(|culprit| culprit.method == Method::OptBisect);
        let option = self.culprits.iter().find(|culprit| culprit.method == Method::Option);
        option.filter(|_| is_bisected).map(|option| option.name.clone()).or_else(|| self.part())
    }

    /// Flags that switch off the part that is to blame in any program: an option or a pass. Counters and
    /// limits count what happens in one program.
    pub fn switch(&self) -> Option<&[String]> {
        let is_switch = |culprit: &&Culprit| match culprit.method {
            Method::Option | Method::DisabledPass => {
                !culprit.hides.is_empty() && !PREPARING.contains(&culprit.name.as_str())
            }
            Method::Message | Method::LastPass | Method::OptBisect | Method::DebugCounter => false,
        };
        // An option switches a pass off in all its places.
        let options = self.culprits.iter().filter(|culprit| culprit.method == Method::Option);
        let all = options.chain(&self.culprits);
        all.filter(is_switch).map(|culprit| culprit.hides.as_slice()).next()
    }
}

/// Something without which the bug is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Culprit {
    /// How it was found.
    pub method: Method,
    /// Its name: a pass, a counter, an option.
    pub name: String,
    /// The flags that hide the bug when added to the failing command.
    pub hides: Vec<String>,
    /// One line for a bug report (`pass 37 of 212, on function f`), empty if there is no more to say.
    pub detail: String,
}

/// The ways to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// What the crash itself says.
    Message,
    /// Of a sequence of passes from which none can go, the last.
    LastPass,
    /// LLVM's `-opt-bisect-limit`.
    OptBisect,
    /// GCC's `-fdbg-cnt`.
    DebugCounter,
    /// GCC's `-fdisable-tree-*`, `-fdisable-rtl-*` and `-fdisable-ipa-*`.
    DisabledPass,
    /// An option: of GCC, one that is on at the failing level and off at the one that works; of clang, one that
    /// switches off what the optimiser may assume or do.
    Option,
}

/// The program on every version and level of its compiler's family.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    /// The columns: levels (`-O0`), and the failing flags where those are no mere level.
    pub levels: Vec<String>,
    /// One row for each compiler, oldest first.
    pub rungs: Vec<Rung>,
}

/// One compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rung {
    /// Its name (`gcc-12`).
    pub compiler: String,
    /// Its version (`12.2.0`).
    pub version: String,
    /// One for each level.
    pub cells: Vec<Cell>,
}

/// What one compiler does at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// Right.
    Works,
    /// The same fault.
    Fails,
    /// Another fault.
    Otherwise(FailureKind),
    /// It does not support the program.
    #[serde(alias = "not-for-it")]
    Unsupported,
    /// Nothing is wrong that it could show: a failed check of a compiler that may not check.
    CannotTell,
}
