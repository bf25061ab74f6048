//! What an execution comes to.

use crate::memory::{Block, Byte, Name};
use crate::reason::{Reason, Ub};
use crate::shape::Shape;
use crate::value::Value;

/// How far executions go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions of one execution.
    pub fuel: u32,
    /// Calls within calls.
    pub depth: u32,
    /// Inputs of a check.
    pub inputs: u32,
    /// Executions of one side on one input, where it has choices.
    pub choices: u32,
    /// From which the inputs are drawn.
    pub seed: u64,
    /// Whether passes may have looked at the whole module: variables that nobody else can name then begin
    /// with their initialisers, and not with anything.
    pub closed: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        // Enough for the loops of unit tests; a check of a small function stays below some milliseconds.
        Limits { fuel: 4000, depth: 12, inputs: 300, choices: 256, seed: 1, closed: false }
    }
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It returned this; of a function without result, a value of no parts.
    Returned(Value),
    /// It is UB: what.
    Ub(Ub),
    /// It called a function that does not return.
    Ended,
    /// It cannot be decided: why.
    Unknown(Reason),
}

/// What others see happen.
#[derive(Clone, Debug)]
pub enum Event {
    /// A call of a function that is declared only, and may write.
    Call {
        /// Of which.
        name: String,
        /// With what.
        arguments: Vec<(Value, Shape)>,
        /// The memory that it may look at.
        seen: Vec<(Name, Vec<Byte>)>,
    },
    /// What was printed, without anything else in between.
    Output(Vec<u8>),
    /// A volatile load.
    VolatileLoad(Value, u64),
    /// A volatile store.
    VolatileStore(Value, u64, Value, Shape),
}

/// One step of an execution, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Of which function.
    pub function: String,
    /// Its block and its place there, as in the tree.
    pub at: (u32, u32),
    /// What came of it.
    pub value: Option<String>,
}

/// An execution.
#[derive(Clone, Debug)]
pub struct Execution {
    /// How it ended.
    pub outcome: Outcome,
    /// What others saw.
    pub events: Vec<Event>,
    /// The steps, if they were asked for.
    pub steps: Vec<Step>,
    /// Memory at the end.
    pub(crate) blocks: Vec<Block>,
    /// Instructions executed.
    pub(crate) spent: u32,
    /// Choices taken, and out of how many.
    pub(crate) taken: Vec<(u32, u32)>,
    /// Some choice was out of more than were offered.
    pub(crate) incomplete: bool,
}
