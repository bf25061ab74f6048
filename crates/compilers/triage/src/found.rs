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
    /// An option that is on at the failing level and off at the one that works.
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
    #[serde(rename = "not-for-it")]
    Unsupported,
    /// It shows nothing, and could not: the fault is a failed assertion, and it checks none.
    CannotTell,
}
