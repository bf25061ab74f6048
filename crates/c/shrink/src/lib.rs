//! Makes a C program smaller, one edit at a time, and never into a program without an answer.
//!
//! A [`Specimen`] is a program with its text and its answer. A [`Pass`] lists [`Edit`]s of a
//! specimen; [`Specimen::with`] makes some of them and gives the new specimen, if there is one. An
//! edit works on the tree and need not care for types: the tree is printed and *read again*, so that
//! conversions, layouts and uses are checked by the parser, and the text is then executed. What does
//! not parse or has no defined result is nothing.
//!
//! Which edits are worth keeping is not decided here: whoever searches asks a compiler or a script.

mod clean;
mod control;
mod drop;
mod graft;
mod inline;
mod locals;
mod observe;
mod params;
mod rename;
mod retype;
mod shapes;
mod specimen;
mod texts;
mod tokens;
mod types;
mod unite;
mod value;

pub use clean::drop_headers;
pub use ctree::map::{Map, Parent, parts};
pub use specimen::{Rejected, Rules, Specimen, UnitText};
pub use tokens::tokens;

use ctree::Program;

/// A change of a program. Several may be made one after the other: nodes keep their numbers, and a
/// change of what another one has cut off does nothing.
pub type Edit = Box<dyn Fn(&mut Program) + Send + Sync>;

/// A kind of edit.
pub struct Pass {
    /// Its name, for whoever watches.
    pub name: &'static str,
    /// The edits of a level, in the order to be tried; `None` when there is no such level. Edits
    /// that are beside each other should belong together: they are tried together first.
    pub edits: fn(&Specimen, usize) -> Option<Vec<Edit>>,
    /// How many edits are tried together at first.
    pub opening: Opening,
    /// Whether an edit may make the text longer, for the sake of passes that come after it.
    pub grows: bool,
}

/// How many edits to try at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
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
    let pass = |name, edits, opening| Pass { name, edits, opening, grows: false };
    let longer = |name, edits, opening| Pass { grows: true, ..pass(name, edits, opening) };
    vec![
        pass("what is not used", clean::unused, Opening::All),
        pass("what never ran", control::dead, Opening::All),
        pass("statements", drop::statements, Opening::All),
        pass("branches taken", control::taken, Opening::All),
        pass("what is not used", clean::unused, Opening::All),
        pass("functions", drop::functions, Opening::All),
        pass("calls", inline::single, Opening::All),
        pass("parameters", params::parameters, Opening::All),
        pass("results", params::results, Opening::All),
        longer("output", observe::output, Opening::One),
        pass("statements", drop::statements, Opening::All),
        pass("variables", drop::variables, Opening::All),
        pass("initialisers", drop::initialisers, Opening::All),
        pass("loops", control::loops, Opening::All),
        pass("records", shapes::records, Opening::Few),
        pass("arrays", shapes::arrays, Opening::Few),
        pass("values", value::to_values, Opening::All),
        pass("operands", value::to_operands, Opening::Few),
        pass("branches", control::branches, Opening::Few),
        pass("copies", locals::copies, Opening::All),
        longer("calls of several", inline::several, Opening::One),
        pass("mergers", locals::mergers, Opening::One),
        pass("qualifiers", types::qualifiers, Opening::All),
        pass("numbers", types::numbers, Opening::All),
        pass("constants", value::simpler_constants, Opening::All),
        pass("strings", texts::strings, Opening::All),
        pass("announcements", drop::announcements, Opening::All),
        pass("needless", control::needless, Opening::All),
        pass("declarations", locals::declarations, Opening::All),
        pass("names", rename::names, Opening::All),
    ]
}
