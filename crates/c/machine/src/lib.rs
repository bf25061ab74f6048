//! The abstract machine: executes a [`ctree::Program`] and gives its exact output, or the exact reason
//! why it has none.
//!
//! [`run`] compiles the tree to compact code (`lower`), executes it (`exec`) over a memory of objects
//! (`memory`), and returns an [`Outcome`]. It is pure: output is collected, time is counted in steps,
//! nothing outside is touched. The semantics are those of C11 with the choices that GCC and Clang
//! document for x86-64 Linux (System V). Undefined and unspecified behaviour is detected in executed
//! code only; code that is not reached may contain anything.
//!
//! | module | concern |
//! | --- | --- |
//! | `outcome` | how an execution can end; the kinds of UB with clause and rule, in one table |
//! | `lower/` | tree to code: `scan` and `effects` (facts first), `lvalue`, `expr`, `ops`, `assign`, `vector`, `call`, `init`, `stmt`, `watch` |
//! | `code`, `kind` | the operations, 12 bytes each, and the tables they point into; scalar kinds |
//! | `exec/` | the interpreter's loop; `access`, `pointer`, `arith`, `float`, `calls` for what is rare or long; `hooks`, `watch` and `recover` |
//! | `memory` | objects, shadow bytes, packed pointers, the check of an access |
//! | `classes`, `extent`, `compat` | effective types, inner array bounds, compatible types |
//! | `sequence` | conflicts between operands whose order is unspecified |
//! | `library/`, `format/`, `longdouble` | the C library, `printf`, x87 arithmetic |
//!
//! **Registers and memory.** A scalar whose address is never taken lives in a register. Everything else
//! lives in one array of bytes with a shadow byte beside each: indeterminate, data, or one of the eight
//! fragments of a pointer, and two marks. A pointer is 64 bits: generation, slot in the object table,
//! offset. A slot is never reused with the same generation, so a dangling pointer is always detected. A
//! common access is decided by comparing one pair of words in the object table and one word of shadow.
//!
//! **Lifetimes** begin where a block is entered and end where it is left; a jump into or out of blocks
//! runs code generated for that jump. The value of a call lives until the end of the full expression.
//!
//! **Order of evaluation.** `effects` over-approximates what operands read and write. Where two might
//! conflict, the code brackets them: the operand without calls runs first while its accesses are
//! logged, they are then marked in the shadow, and an access of the other operand that meets a mark is
//! a conflict. A register variable that conflicts with itself is kept in memory, so there is one
//! mechanism. Without logging the marks are free: a marked byte fails the comparison that every access
//! makes anyway. An assignment's own store is compared with the side effects of its operands that no
//! sequence point or call orders before it.
//!
//! **Effective types.** Scalar types have classes; an object's layout says which class may be accessed
//! at which byte. Allocated storage and unions remember the class stored last. Through a union member
//! anything may be read; through a pointer only what was stored (as GCC documents).
//!
//! **Watched scalars.** A watched scalar has a value only where reading it is defined; the checks are
//! those of the machine's own loads. Between operands whose order is unspecified, only what the other
//! operands cannot reach is watched: a statement inserted there must not make the order matter.
//!
//! **Recovery.** An execution can continue after a fault: a [`FaultHandler`] supplies the result of an
//! operation that has none. The interpreter's loop is not involved: the faulty operation is decoded from
//! its code address afterwards.
//!
//! **Architecture Invariant:** the source location of a verdict is looked up by code address afterwards.
//! No operation carries it.
//!
//! **Architecture Invariant:** hooks are operations that are in the code only when requested.
//!
//! **Architecture Invariant:** what cannot be compiled becomes an operation that stops with
//! [`Outcome::Unsupported`] when it is reached.
//!
//! # Where C11 and the compilers differ
//!
//! - Two unsequenced *reads* of a volatile object are accepted: no order changes the result.
//! - An object begins at an address as aligned as GCC makes it; alignment is judged by the offset.
//!   `MachineConfig::alignment` can check by the types alone, or accept any address.
//! - Right shift of a negative value is arithmetic, narrowing wraps, floating arithmetic follows IEEE 754
//!   without traps. Left shift of a negative value and into the sign bit is undefined.
//! - Calling a function that the program defines under a library function's name is undefined (7.1.3p2).
//! - A pointer kept as an integer is unsupported where it is converted, unless it is converted straight
//!   back. A byte of a pointer or of padding may be copied, by `memcpy` or by an assignment of
//!   characters, but not inspected.
//! - A library function that the program declares itself is checked at the call; without a prototype
//!   GCC's own is used, except for variadic functions.
//! - A vector (`vector_size`) is its lanes: operators work in the lane's type, which overflows as a
//!   scalar would but without promotion, and a vector and its element type may access each other's
//!   objects.
//! - A walk by `++` from one row of an array into the next is not detected; a jump by more is.

mod classes;
mod code;
mod compat;
mod exec;
mod extent;
pub mod format;
mod kind;
mod library;
pub mod longdouble;
mod lower;
mod memory;
pub mod outcome;
mod sequence;
mod stop;

pub use exec::{Fault, FaultCause, FaultHandler, FaultyOp, Operand, Recovery};
pub use outcome::{Exit, Node, Outcome, UbKind, UnspecKind, Verdict};

use code::{Code, CodeNode};
use ctree::{ExprId, Program, Span, StmtId, Ty, VarId};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use stop::{ConflictContext, Stop};

/// Limits of an execution.
#[derive(Clone, Debug)]
pub struct MachineConfig {
    /// Greatest number of steps: backward jumps, calls, and every 64 bytes that a library function
    /// handles.
    pub fuel: u64,
    /// Greatest number of bytes on the heap.
    pub memory: u64,
    /// Bytes of stack for variables in memory.
    pub stack: u32,
    /// Greatest depth of calls.
    pub call_depth: u32,
    /// Greatest number of bytes printed.
    pub output: u64,
    /// How alignment is checked.
    pub alignment: Alignment,
}

impl Default for MachineConfig {
    fn default() -> Self {
        // A step is a loop iteration or a call and takes tens of nanoseconds: minutes in total. Real stacks
        // are 8 MiB, so deeper recursion would not survive in a compiled program either.
        MachineConfig {
            fuel: 1_000_000_000,
            memory: 128 << 20,
            stack: 8 << 20,
            call_depth: 100_000,
            output: 16 << 20,
            alignment: Alignment::Offsets,
        }
    }
}

/// How the alignment of an access through a pointer is checked (6.3.2.3p7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Alignment {
    /// Objects are only as aligned as their types say: a pointer to any member of a packed record
    /// is assumed to be misaligned.
    Types,
    /// Objects begin at addresses as aligned as GCC makes them, so that the offset decides.
    #[default]
    Offsets,
    /// Any address is accepted, as on x86-64 without vector instructions. Not C.
    Any,
}

/// What an execution should record. Everything is off by default and then costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Hooks {
    /// Which statements ran, and how often.
    pub cover: bool,
    /// With `cover`: each execution of them, in order.
    pub trace: bool,
    /// Scalars whose values are recorded each time before a statement runs. Nothing is recorded before a
    /// declaration.
    pub probes: HashMap<StmtId, Vec<Watch>>,
    /// A probe that is reached more often is dropped and has no values. `None` is no limit.
    pub probe_visits: Option<u64>,
    /// Distinct values kept of one scalar at one probe. `None` is 256.
    pub probe_values: Option<usize>,
    /// The outcomes of conditional and logical operators, for each calling expression.
    pub branches: bool,
    /// Volatile accesses, in order.
    pub volatile: bool,
    /// The values that integer expressions had.
    pub values: bool,
    /// Integer expressions whose values are recorded one by one, in the order of evaluation, each up to
    /// [`Hooks::tape_length`].
    pub tapes: HashSet<ExprId>,
    /// Values on one tape; an expression that has more has no tape.
    pub tape_length: usize,
}

/// A scalar to watch: a variable and the path from it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Watch {
    /// Where the path begins. It must be visible at the statement.
    pub var: VarId,
    /// The path.
    pub path: Vec<PathStep>,
}

/// One step of the path to a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathStep {
    /// To a member.
    Field(u32),
    /// To an element.
    Element(u32),
    /// To what a pointer points to.
    Deref,
}

/// What was recorded before a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// How often it was reached.
    pub visits: u64,
    /// One for each watched scalar, in order; `None` if it never had a value.
    pub values: Vec<Option<VarValues>>,
}

/// The values that one integer scalar had at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct VarValues {
    /// Its type.
    pub ty: Ty,
    /// The number of visits at which it had a value, that is, could be read without undefined
    /// behaviour. Behind a pointer they are counted only up to the first visit without one.
    pub seen: u64,
    /// At each of these visits the object itself could also be written: it was never constant behind a
    /// pointer, part of a string literal, storage whose effective type a store would change, or in use
    /// by an operand whose order is unspecified. The qualifiers along the path are not considered.
    pub writable: bool,
    /// Distinct values, up to a cap.
    pub values: BTreeSet<i128>,
    /// All values are in `values`; otherwise only `min` and `max` are sound.
    pub complete: bool,
    /// Least value.
    pub min: i128,
    /// Greatest value.
    pub max: i128,
}

/// The values that an integer expression had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedValue {
    /// Its first value.
    pub first: i128,
    /// Whether it had no other value.
    pub constant: bool,
}

/// A volatile access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolatileAccess {
    /// Machine address: stable for the same program.
    pub address: u32,
    /// Bytes.
    pub size: u32,
    /// The value read or written.
    pub value: u64,
    /// Written rather than read.
    pub store: bool,
    /// The expression.
    pub node: Option<ExprId>,
}

/// What the hooks recorded.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Statements that ran. A label, a `case` or a block that was only jumped into is not included; the
    /// statements in it are.
    pub executed: BTreeSet<StmtId>,
    /// How often each of them ran. For the body of a loop it is the number of iterations.
    pub counts: BTreeMap<StmtId, u64>,
    /// Each of them in order, each time.
    pub trace: Vec<StmtId>,
    /// Values at each probe that was reached, and not too often.
    pub points: BTreeMap<StmtId, Point>,
    /// For each conditional or logical operator and the call that its function was called by: how
    /// often the condition held (for `||`: failed), and how often not.
    pub branches: BTreeMap<(Option<ExprId>, ExprId), (u64, u64)>,
    /// Volatile accesses in order.
    pub volatile: Vec<VolatileAccess>,
    /// The values of the integer expressions that were computed. A condition that only controls a jump
    /// may be missing.
    pub values: HashMap<ExprId, ObservedValue>,
    /// Each value of an expression on tape; `None` if there were too many.
    pub tapes: HashMap<ExprId, Option<Vec<i128>>>,
}

/// The outcome of an execution.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Everything written to standard output before that.
    pub stdout: Vec<u8>,
    /// Steps taken.
    pub steps: u64,
    /// What the hooks recorded.
    pub profile: Profile,
}

/// Executes `main` of a program.
pub fn run(program: &Program, config: &MachineConfig) -> Report {
    run_with(program, config, &Hooks::default())
}

/// Executes `main` of a program and records what the hooks ask for.
pub fn run_with(program: &Program, config: &MachineConfig, hooks: &Hooks) -> Report {
    execute(program, config, hooks, None)
}

/// Like [`run_with`], but where an operation has no defined result, the execution continues with one
/// from the handler.
pub fn run_with_recovery(
    program: &Program,
    config: &MachineConfig,
    hooks: &Hooks,
    handler: &mut dyn FaultHandler,
) -> Report {
    execute(program, config, hooks, Some(handler))
}

fn execute(
    program: &Program,
    config: &MachineConfig,
    hooks: &Hooks,
    handler: Option<&mut dyn FaultHandler>,
) -> Report {
    let code = lower::lower(program, hooks);
    if let Some((kind, span, detail)) = code.link_error.clone() {
        let outcome = Outcome::Undefined(kind, Verdict { span, node: None, detail, other: None });
        return Report { outcome, stdout: Vec::new(), steps: 0, profile: Profile::default() };
    }
    let mut machine = exec::Machine::new(program, &code, config, hooks);
    let (pc, stop) = machine.run(handler);
    let outcome = outcome_of(program, &code, pc, stop);
    let steps = config.fuel - machine.fuel;
    machine.recorder.resolve(&code.cover);
    let (stdout, profile) = machine.profile();
    Report { outcome, stdout, steps, profile }
}

fn place(program: &Program, code: &Code, pc: u32) -> (Span, Option<Node>) {
    match code.nodes.get(pc as usize) {
        Some(&CodeNode::Expr(e)) => (program.expr(e).span, Some(Node::Expr(e))),
        Some(&CodeNode::Stmt(s)) => (program.stmt(s).span, Some(Node::Stmt(s))),
        _ => (Span::NONE, None),
    }
}

fn outcome_of(program: &Program, code: &Code, pc: u32, stop: Stop) -> Outcome {
    let (span, node) = place(program, code, pc);
    let verdict = |detail: String| Verdict { span, node, detail, other: None };
    match stop {
        Stop::Exit(status) => Outcome::Finished(Exit::Status(status)),
        Stop::Abort => Outcome::Finished(Exit::Abort),
        Stop::Undefined(kind, detail) => Outcome::Undefined(kind, verdict(detail)),
        Stop::Unspecified(kind, detail) => Outcome::Unspecified(kind, verdict(detail)),
        Stop::Aliasing { wanted, found } => {
            let name = |class| ctree::print::print_type(program, code.classes.example(class));
            let found = match found {
                0 => "no scalar begins there".to_string(),
                class => format!("the object is a `{}`", name(class)),
            };
            Outcome::Undefined(
                UbKind::Aliasing,
                verdict(format!("{found}, accessed as `{}`", name(wanted))),
            )
        }
        Stop::Conflict { other, owner, between, what, .. } => {
            let (other_span, _) = place(program, code, other);
            let other = Some((other_span, "the other access"));
            // The node to repair is the expression whose operands are unsequenced, not the access.
            let node = owner.map_or(node, |pc| place(program, code, pc).1);
            let verdict = Verdict { other, node, ..verdict(what.to_string()) };
            match between {
                ConflictContext::Calls => Outcome::Unspecified(UnspecKind::CallOrder, verdict),
                ConflictContext::Initialisers => {
                    Outcome::Unspecified(UnspecKind::EvalOrder, verdict)
                }
                ConflictContext::Operands => Outcome::Undefined(UbKind::Unsequenced, verdict),
            }
        }
        Stop::Unsupported(what) => Outcome::Unsupported(verdict(what)),
        Stop::OutOfFuel => Outcome::OutOfFuel,
        Stop::OutOfMemory(what) => Outcome::OutOfMemory(verdict(what)),
        Stop::Internal(what) => Outcome::Internal(what),
    }
}
