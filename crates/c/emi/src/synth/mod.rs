//! Expressions that are known to be defined, and predicates that are known to be true or false.
//!
//! Every expression has the set of values it can have, given those of its variables. They are computed by
//! C's rules, from sets where they are small and from limits otherwise. An expression that might be
//! undefined for one of them is never built.

mod eval;
mod expr;
mod pred;
mod values;

pub(crate) use expr::expression;
pub(crate) use pred::predicate;
pub(crate) use values::ValueSet;
