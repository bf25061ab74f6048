//! Makes a finding small: a module, and the passes on which LLVM crashes, hangs or makes an invalid one.
//!
//! [`shrink`] searches, without LLVM: it asks a [`Tester`] which of many [`Candidate`]s still show the
//! finding. [`make`] is the other side, which runs where LLVM is: it does an [`Edit`] to a module.
//! `instructions`, `blocks`, `globals`, `signature` and `words` are the edits, `pipeline` is the text of passes,
//! [`external`] is somebody else's reducer.
//!
//! An edit need not keep what a program computes: the finding is the compiler's, not the program's. But
//! values are first replaced by other values, then by zero, by `poison` last, so that what is left is
//! a program that one can believe. Not here: when two findings are one, and how candidates are run.

#![allow(unsafe_code)]

mod blocks;
pub mod external;
mod globals;
mod instructions;
pub mod pipeline;
mod search;
mod signature;
mod words;

use llvmhost::{Context, Machine, Module, Running};
use serde::{Deserialize, Serialize};

pub use search::{AcceptedEdit, Candidate, Progress, Shrunk, Tester, shrink};

/// A change to a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Edit {
    /// None: only the passes differ.
    Keep,
    /// One kind of change, at these places.
    Places {
        /// Which.
        kind: EditKind,
        /// Numbers of places, as [`count`] counts them.
        places: Vec<u32>,
    },
    /// Passes of LLVM's own are run.
    Run(String),
}

/// Kinds of change, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EditKind {
    /// Debug information goes, all of it.
    Debug,
    /// Functions go, and with them the calls of them.
    Functions,
    /// Functions lose their bodies.
    Bodies,
    /// Global variables go, aliases become what they stand for.
    Globals,
    /// Global variables begin with zero.
    Initializers,
    /// Blocks return where they went on.
    Exits,
    /// Branches go one way only.
    Branches,
    /// Blocks are joined with their only predecessor.
    Joins,
    /// Instructions become one of their operands.
    ToOperand,
    /// Instructions become a parameter of the same type.
    ToParameter,
    /// Instructions become zero; those without a value go.
    ToZero,
    /// Instructions become `poison`.
    ToPoison,
    /// Operands become a parameter of the same type.
    OperandToParameter,
    /// Operands become a parameter that is new.
    OperandToNewParameter,
    /// Operands become zero.
    OperandToZero,
    /// Operands become one.
    OperandToOne,
    /// Parameters that nobody uses go.
    Parameters,
    /// Attributes go: those of functions, parameters, results, calls.
    Attributes,
    /// Lines of the text outside of functions go: metadata, aliases, triple, layout.
    Lines,
    /// Words of the text go that say more than they must: flags, metadata, alignment, linkage.
    Words,
    /// Values and functions get short names.
    Names,
}

impl EditKind {
    /// All of them, coarse to fine.
    pub const ALL: [EditKind; 21] = [
        EditKind::Debug,
        EditKind::Functions,
        EditKind::Bodies,
        EditKind::Globals,
        EditKind::Initializers,
        EditKind::Exits,
        EditKind::Branches,
        EditKind::Joins,
        EditKind::ToOperand,
        EditKind::ToParameter,
        EditKind::ToZero,
        EditKind::ToPoison,
        EditKind::OperandToParameter,
        EditKind::OperandToNewParameter,
        EditKind::OperandToZero,
        EditKind::OperandToOne,
        EditKind::Parameters,
        EditKind::Attributes,
        EditKind::Lines,
        EditKind::Words,
        EditKind::Names,
    ];
}

/// How many places a change has in a module.
pub fn count(module: &Module<'_>, kind: EditKind) -> usize {
    match kind {
        EditKind::Debug => usize::from(module.text().contains("!DI")),
        EditKind::Functions => globals::functions(module).len(),
        EditKind::Bodies => module.definitions().len(),
        EditKind::Globals => globals::globals(module).len(),
        EditKind::Initializers => globals::initializers(module).len(),
        EditKind::Exits => blocks::exits(module).len(),
        EditKind::Branches => blocks::branches(module).len(),
        EditKind::Joins => blocks::joins(module).len(),
        EditKind::ToOperand | EditKind::ToParameter | EditKind::ToZero | EditKind::ToPoison => {
            instructions::places(module, kind).len()
        }
        EditKind::OperandToParameter | EditKind::OperandToZero | EditKind::OperandToOne => {
            instructions::operands(module, kind).len()
        }
        EditKind::OperandToNewParameter => signature::operands(module).len(),
        EditKind::Parameters => signature::unused(module).len(),
        EditKind::Attributes => globals::attributes(module).len(),
        EditKind::Lines => words::lines(&module.text()).len(),
        EditKind::Words => words::words(&module.text()).len(),
        EditKind::Names => words::names(module),
    }
}

/// Changes a module at some places; numbers that are too great mean nothing. `false` if nothing
/// changed, or what came of it is no module at all: then the module is of no use any more.
pub fn apply(module: &mut Module<'_>, kind: EditKind, places: &[u32]) -> bool {
    match kind {
        EditKind::Debug => {
            module.strip_debug();
            true
        }
        EditKind::Functions => globals::remove_functions(module, places),
        EditKind::Bodies => globals::drop_bodies(module, places),
        EditKind::Globals => globals::remove_globals(module, places),
        EditKind::Initializers => globals::zero(module, places),
        EditKind::Exits => blocks::leave(module, places),
        EditKind::Branches => blocks::straighten(module, places),
        EditKind::Joins => blocks::join(module, places),
        EditKind::ToOperand | EditKind::ToParameter | EditKind::ToZero | EditKind::ToPoison => {
            instructions::replace(module, kind, places)
        }
        EditKind::OperandToParameter | EditKind::OperandToZero | EditKind::OperandToOne => {
            instructions::set_operands(module, kind, places)
        }
        EditKind::OperandToNewParameter => signature::add(module, places),
        EditKind::Parameters => signature::remove(module, places),
        EditKind::Attributes => globals::remove_attributes(module, places),
        EditKind::Lines => words::edit(module, places, words::lines),
        EditKind::Words => words::edit(module, places, words::words),
        EditKind::Names => words::rename(module, places),
    }
}

/// The module that an edit makes, verified; `None` if it changes nothing or makes no valid module.
/// LLVM may crash or hang in here too, and that is not the finding.
/// The machine is for passes that the edit runs.
pub fn make<'c>(
    context: &'c Context<'c>,
    base: &[u8],
    edit: &Edit,
    machine: Option<&Machine<'_>>,
) -> Option<Module<'c>> {
    let mut module = context.parse(base, "reduced").ok()?;
    let changed = match edit {
        Edit::Keep => true,
        Edit::Places { kind, places } => apply(&mut module, *kind, places),
        Edit::Run(passes) => module.run(passes, machine, Running::default()).is_ok(),
    };
    (changed && module.verify().is_ok()).then_some(module)
}

/// The chosen of some things, in their order.
fn chosen<T: Copy>(all: &[T], places: &[u32]) -> Vec<T> {
    let mut places: Vec<u32> = places.to_vec();
    places.sort_unstable();
    places.dedup();
    places.iter().filter_map(|place| all.get(*place as usize).copied()).collect()
}
