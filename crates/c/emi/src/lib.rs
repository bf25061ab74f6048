//! Equivalence modulo inputs (EMI): programs that print exactly what their seed prints and look
//! different to a compiler.
//!
//! A C program without input has one execution, and the machine records all of it. So code can be
//! inserted that never runs, or that runs and restores what it changed; statements can be guarded by
//! conditions that hold; and code that never ran can be removed or replaced. These are the mutations of
//! Hermes (`live`), Orion (`orion`) and Athena (`athena`).
//!
//! | module | concern |
//! | --- | --- |
//! | `strategy` | the mutations by name |
//! | `chain` | from variant to variant; the one execution that checks and profiles |
//! | `variant` | a seed and its edits, any of which can be reverted |
//! | `site` | where code can be inserted, guarded or removed |
//! | `env` | which points are profiled and what is watched there; what is known at a point |
//! | `synth/` | expressions with all values they can have; predicates known to hold or not to hold |
//! | `live` | the mutations of live code: FCB, TG, TCB |
//! | `grow/` | statements for blocks that never run |
//! | `dead` | code that never ran and can be removed; control flow between statements |
//! | `orion`, `athena/` | the mutations of dead code; Athena's database, its transplants, its walk and distance |
//!
//! **A variant is a seed and a list of edits.** The arenas of one [`ctree::Program`] hold the seed and
//! all code ever made for it; an edit inserts code before a statement, guards it, or removes it.
//! Applying edits changes no id, so edits can stand inside the code of other edits, profiles name the
//! seed's own statements, and any subset of the edits is again a variant. This is how a finding is
//! reduced to the fewest edits.
//!
//! **Values are exact.** An expression carries the set of values it can have at its point, or their
//! bounds where there are too many, computed by C's rules. The machine records a value only where reading
//! the scalar is defined, at every visit; a scalar without a value at one visit is not used at all. When
//! a scalar is assigned to, those that may alias it (through a pointer) are dropped.
//!
//! **`restrict` is not modelled by the machine.** In a program that uses it, new live code names only
//! variables that no pointer can point to.
//!
//! **Architecture Invariant:** no variant leaves [`Chain`] without having been executed with the seed's
//! outcome and output. One that differs is a bug of ours and is reported as such, never used as a test.
//!
//! Pure: no files, no processes. `campaign` prints and compiles variants.

mod athena;
mod chain;
mod dead;
mod env;
mod grow;
mod live;
mod orion;
mod site;
mod strategy;
mod synth;
mod variant;

pub use athena::Database;
pub use chain::{Chain, Derived, Options, UnusableSeed, WrongVariant};
pub use strategy::{Strategies, Strategy};
pub use variant::{Change, Edit, Variant};
