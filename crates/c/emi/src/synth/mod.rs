//! Expressions that are known to be defined, and predicates that are known to hold or not.
//!
//! Every expression comes with the values it can have, given those of its variables: computed as C
//! computes, from sets where they are small and from their limits where not. What might be undefined
//! for one of them is never built.

mod eval;
mod expr;
mod pred;
mod values;

pub(crate) use expr::expression;
pub(crate) use pred::predicate;
pub(crate) use values::ValueSet;
