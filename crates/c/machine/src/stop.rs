//! Why an execution stops. The source location is added afterwards.

use crate::classes::Class;
use crate::outcome::{UbKind, UnspecKind};

/// Result of an operation that may stop the execution.
pub type ExecResult<T> = Result<T, Box<Stop>>;

/// Why execution stops.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Undefined behaviour, with the values involved.
    Undefined(UbKind, String),
    /// Dependence on unspecified behaviour.
    Unspecified(UnspecKind, String),
    /// An access by a class that the object does not have; named when the message is made.
    Aliasing {
        /// Class of the lvalue.
        wanted: Class,
        /// Class found in the object.
        found: Class,
    },
    /// Two accesses whose order is unspecified conflict.
    Conflict {
        /// Code address of the other access.
        other: u32,
        /// Code address of the expression whose operands they belong to, if that is not this one.
        owner: Option<u32>,
        /// Why their order is unspecified.
        between: ConflictContext,
        /// Whether the other access and this one are inside of a call that an operand makes.
        in_call: (bool, bool),
        /// What the two accesses do.
        what: &'static str,
    },
    /// Not modelled.
    Unsupported(String),
    /// The step limit.
    OutOfFuel,
    /// A memory limit.
    OutOfMemory(String),
    /// `exit` or the end of `main`.
    Exit(u8),
    /// `abort` or a trap.
    Abort,
    /// Our own bug.
    Internal(String),
}

/// The context in which two accesses have no specified order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictContext {
    /// Operands: unsequenced.
    Operands,
    /// At least one is inside a called function: indeterminately sequenced.
    Calls,
    /// Expressions of an initialiser list: indeterminately sequenced (6.7.9p23).
    Initialisers,
}

/// Stops with undefined behaviour.
#[cold]
pub fn ub<T>(kind: UbKind, detail: String) -> ExecResult<T> {
    Err(Box::new(Stop::Undefined(kind, detail)))
}

/// Stops with unspecified behaviour.
#[cold]
pub fn unspecified<T>(kind: UnspecKind, detail: String) -> ExecResult<T> {
    Err(Box::new(Stop::Unspecified(kind, detail)))
}

/// Stops with something not modelled.
#[cold]
pub fn unsupported<T>(what: impl Into<String>) -> ExecResult<T> {
    Err(Box::new(Stop::Unsupported(what.into())))
}
