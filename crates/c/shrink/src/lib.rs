//! Reduces a C program, one edit at a time, and always to a program with a defined result.
//!
//! A [`Specimen`] is a program with its text and its result. A [`Pass`] lists [`Edit`]s of a specimen;
//! [`Specimen::with`] applies some of them and gives the new specimen, if there is one.
//!
//! **Edits may be invalid, specimens are valid.** An edit changes the tree in place without regard to
//! types. The tree is then cleaned up, printed and *parsed again*: the parser inserts the conversions
//! and the layout again and rejects what is not C. The text that was read is executed. Only a text with
//! a defined result is a specimen; the tree of a specimen is always that of its text, so what the
//! machine executed is what a compiler gets. A failed edit costs milliseconds.
//!
//! **Passes go from the coarse to the fine**: statements by depth of calls and nesting, expressions by
//! depth. `observe` makes the program print its variables one by one instead of checksums: the text gets
//! longer, and the next pass removes everything that computed the checksum.
//!
//! **Values come from the execution.** The machine records the value of every integer expression. A call
//! is replaced by its value, a variable by the value read, an expression by its first value: the program
//! behaves as before as far as possible, so the bug is likely to remain.
//!
//! **A normal form** comes last (`normal`): what is left is made to look like the programs of other findings of the
//! same bug.
//!
//! `reduce` decides which edits are kept: it searches, and runs a compiler or a script.

mod aggregates;
mod clean;
mod control;
mod drop;
mod edit;
mod inline;
mod locals;
mod merge_units;
mod normal;
mod observe;
mod params;
mod rename;
mod retype;
mod specimen;
mod texts;
mod tokens;
mod types;
mod value;

pub use clean::drop_headers;
pub use ctree::map::{Parent, ProgramMap, for_each_child};
pub use normal::{Form, normal_forms};
pub use specimen::{Rejected, Rules, Specimen, UnitText};
pub use tokens::{token_length, tokens};

use ctree::Program;

/// A change of a program. Several may be applied in sequence: nodes keep their ids, and a change of a
/// node that another one has removed has no effect.
pub type Edit = Box<dyn Fn(&mut Program) + Send + Sync>;

/// A kind of edit.
pub struct Pass {
    /// Its name, for progress output.
    pub name: &'static str,
    /// The edits of a level, in the order to be tried; `None` when there is no such level. Adjacent
    /// edits should be related: they are tried together first.
    pub edits: fn(&Specimen, usize) -> Option<Vec<Edit>>,
    /// How many edits are tried together at first.
    pub first_batch: BatchSize,
    /// Whether an edit may make the text longer, for the sake of passes that come after it.
    pub grows: bool,
}

/// How many edits are applied together at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchSize {
    /// All of them, then halves, and so on.
    All,
    /// A few.
    Few,
    /// One by one: they exclude each other, or seldom work.
    One,
}

/// A pass with a single level.
fn only(level: usize, edits: impl FnOnce() -> Vec<Edit>) -> Option<Vec<Edit>> {
    (level == 0).then(edits)
}

/// All passes, in the order in which they work best.
pub fn passes() -> Vec<Pass> {
    let pass = |name, edits, first_batch| Pass { name, edits, first_batch, grows: false };
    let longer = |name, edits, first_batch| Pass { grows: true, ..pass(name, edits, first_batch) };
    vec![
        longer("moved definitions", merge_units::moves, BatchSize::One),
        pass("unused declarations", clean::unused, BatchSize::All),
        pass("dead code", control::dead, BatchSize::All),
        pass("statements", drop::statements, BatchSize::All),
        pass("taken branches", control::taken, BatchSize::All),
        pass("unused declarations", clean::unused, BatchSize::All),
        pass("functions", drop::functions, BatchSize::All),
        pass("calls", inline::single, BatchSize::All),
        pass("parameters", params::parameters, BatchSize::All),
        pass("results", params::results, BatchSize::All),
        longer("output", observe::output, BatchSize::One),
        pass("statements", drop::statements, BatchSize::All),
        pass("variables", drop::variables, BatchSize::All),
        pass("initialisers", drop::initialisers, BatchSize::All),
        pass("loops", control::loops, BatchSize::All),
        pass("records", aggregates::records, BatchSize::Few),
        pass("arrays", aggregates::arrays, BatchSize::Few),
        pass("values", value::to_values, BatchSize::All),
        pass("operands", value::to_operands, BatchSize::Few),
        pass("branches", control::branches, BatchSize::Few),
        pass("copied variables", locals::copies, BatchSize::All),
        longer("repeated calls", inline::several, BatchSize::One),
        pass("merged variables", locals::mergers, BatchSize::One),
        pass("qualifiers", types::qualifiers, BatchSize::All),
        pass("arithmetic types", types::numbers, BatchSize::All),
        pass("constants", value::simpler_constants, BatchSize::All),
        pass("strings", texts::strings, BatchSize::All),
        pass("redundant declarations", drop::redundant_declarations, BatchSize::All),
        pass("redundant control flow", control::needless, BatchSize::All),
        pass("declarations", locals::declarations, BatchSize::All),
        pass("names", rename::names, BatchSize::All),
    ]
}
