//! What passes a library has, what each runs on, and which lists it is on.
//!
//! An [`Inventory`] is plain data. [`Inventory::make`] asks a library for it, by running every pass alone on
//! small programs; [`Inventory::write`] and [`Inventory::read`] keep it, since that takes a second or two.
//! [`List::All`] is every transformation that must keep the meaning of a whole C program; what is not on
//! it is in [`Inventory::left_out`], with a reason. Parameters have their defaults, but for variants
//! that production pipelines use.

pub(crate) mod log;
mod names;
mod paper;
mod probe;
mod rules;

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::{Deserialize, Serialize};

/// Raised when what is kept under the same library would be another inventory: rules, programs, fields.
const EDITION: u32 = 1;

/// The passes of a library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    edition: u32,
    /// Whose they are.
    pub library: Library,
    /// Its major version.
    pub major: u32,
    /// All that may be drawn: those of any list. A sequence is numbers into this.
    pub passes: Vec<Pass>,
    /// Passes that are not on [`List::All`], each with its reason. Those of the paper may be on its list.
    pub left_out: Vec<LeftOut>,
    /// Those of the paper's 114 that this library has no successor of.
    pub missing: Vec<Missing>,
}

/// What tells one library from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// Its build id: a library that was built anew may have other passes.
    #[serde(default)]
    pub build_id: String,
    /// `16.0.6`
    pub release: String,
}

/// A pass, with its default parameters or those of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// As in a pipeline: `early-cse<memssa>`.
    pub name: String,
    /// What it runs on.
    pub unit: Unit,
    /// As in a log: `EarlyCSEPass`.
    pub class: String,
    /// A pass that has to run before it on every function, because it takes what that one leaves for granted.
    pub needs: Option<String>,
    /// The classes that a log has before its own: of what it needs, or of what every group of loop passes
    /// runs first, on each function, whether it has loops or not.
    pub opening: Vec<String>,
    /// A loop pass that gives up without memory SSA.
    pub needs_memory_ssa: bool,
    /// The lists that it is on.
    pub lists: Vec<List>,
}

/// What a pass runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// The whole module, once.
    Module,
    /// Functions that call each other, callees first.
    Cgscc,
    /// Each function.
    Function,
    /// Each outermost loop.
    LoopNest,
    /// Each loop, inner ones first.
    Loop,
}

/// A list of passes to draw from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum List {
    /// Passes that `-O1`, `-O2`, `-O3`, `-Os` or `-Oz` run.
    Production,
    /// The paper's 114, as far as there are successors.
    Paper,
    /// Every transformation that must keep the meaning of a C program.
    All,
}

/// A pass that is not on [`List::All`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// As in a pipeline.
    pub name: String,
    /// What it runs on.
    pub unit: Unit,
    /// Why, in words that several have in common.
    pub reason: String,
    /// What LLVM said, if it was tried.
    pub detail: String,
}

/// One of the paper's passes that a library does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The paper's name, or today's if it was tried in vain.
    pub name: String,
    /// Why.
    pub why: String,
}

impl Library {
    /// The library of a file; `release` as its server says.
    pub fn new(path: &Path, release: &str) -> Library {
        let size = fs::metadata(path).map_or(0, |data| data.len());
        let build_id = llvmhost::Identity::of(path).build_id.clone();
        Library { path: path.to_path_buf(), size, build_id, release: release.to_string() }
    }
}

impl Unit {
    /// Whether it is one of the two that loops are.
    pub fn is_loop(self) -> bool {
        matches!(self, Unit::LoopNest | Unit::Loop)
    }

    /// Passes of this unit in the groups that lead to them from the module down.
    pub fn nest(self, passes: &str, memory_ssa: bool) -> String {
        match self {
            Unit::Module => passes.to_string(),
            Unit::Cgscc => format!("cgscc({passes})"),
            Unit::Function => format!("function({passes})"),
            Unit::LoopNest | Unit::Loop if memory_ssa => format!("function(loop-mssa({passes}))"),
            Unit::LoopNest | Unit::Loop => format!("function(loop({passes}))"),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Module => "module",
            Unit::Cgscc => "cgscc",
            Unit::Function => "function",
            Unit::LoopNest => "loop nest",
            Unit::Loop => "loop",
        })
    }
}

impl Pass {
    /// As in its group: `licm`, `lower-switch,structurizecfg`.
    pub fn inner(&self) -> String {
        let needs = self.needs.iter().map(String::as_str);
        needs.chain([self.name.as_str()]).collect::<Vec<_>>().join(",")
    }

    /// As a pipeline of its own: `function(loop-mssa(licm))`.
    pub fn text(&self) -> String {
        self.unit.nest(&self.inner(), self.needs_memory_ssa)
    }
}

impl Inventory {
    pub(crate) fn of(library: Library) -> Inventory {
        let major = library.release.split('.').next().and_then(|word| word.parse().ok());
        Inventory {
            edition: EDITION,
            library,
            major: major.unwrap_or(0),
            passes: Vec::new(),
            left_out: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// The passes of a list, as numbers.
    pub fn list(&self, list: List) -> Vec<u16> {
        let numbered = (0..=u16::MAX).zip(&self.passes);
        numbered.filter(|(_, pass)| pass.lists.contains(&list)).map(|(number, _)| number).collect()
    }

    /// The number of a pass: of that name, or else the first of that name with parameters.
    pub fn number(&self, name: &str) -> Option<u16> {
        let is_base = |pass: &Pass| pass.name.split('<').next() == Some(name);
        let exact = self.passes.iter().position(|pass| pass.name == name);
        let at = exact.or_else(|| self.passes.iter().position(is_base))?;
        u16::try_from(at).ok()
    }

    /// A pass by its number.
    pub fn pass(&self, number: u16) -> Option<&Pass> {
        self.passes.get(usize::from(number))
    }

    /// The pass that a refusal names (`unknown function pass 'x'`), if it is one of these.
    pub fn refused(&self, message: &str) -> Option<&Pass> {
        let names = message.split('\'').skip(1).step_by(2);
        names.filter_map(|name| self.passes.iter().find(|pass| pass.name == name)).next()
    }

    /// The inventory in a file, if it is that of this library and of this edition of ours.
    pub fn read(path: &Path, library: &Library) -> Option<Inventory> {
        let inventory: Inventory = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (inventory.edition == EDITION && inventory.library == *library).then_some(inventory)
    }

    /// Keeps it.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        sandbox::replace_file(path, text + "\n")
    }
}
