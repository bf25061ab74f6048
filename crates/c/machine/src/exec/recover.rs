//! Recovery from a fault: a [`FaultHandler`] supplies the result that an operation failed to have.
//!
//! An operation without a defined result stops the execution. Recovery takes that stop back: it decodes
//! the operation again, shows its operands to the handler and writes the handler's value to its
//! destination. All of this happens outside of the interpreter's loop, so an execution without a handler
//! pays nothing for it.
//!
//! Arithmetic and array indices continue with the handler's value. A faulty access to a pointer or an
//! object is skipped: a read gives the handler's value, a write does not happen, a pointer does not
//! move, a call is not made. A conflict between unsequenced operands is ignored, and the access is made.
//! So one execution finds many of the faults of a program. What it finds after the first one is only
//! likely; the handler confirms it with another execution.

use super::Machine;
use crate::code::{CodeNode, Op, Reg, WideOp};
use crate::kind::ScalarKind;
use crate::outcome::{Node, UbKind, UnspecKind};
use crate::stop::{ConflictContext, Stop};
use ctree::{BinOp, ExprId, ExprKind};

/// Decides how an execution continues after an operation without a defined result.
pub trait FaultHandler {
    /// The result to continue with.
    fn handle(&mut self, fault: &Fault) -> Recovery;
}

/// What to do about a [`Fault`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recovery {
    /// Continue with this result, wrapped to the result's type; for [`FaultyOp::Index`], with this
    /// index. A result that is not an integer becomes zero, or the unmoved pointer.
    Value(i128),
    /// Stop, as without a handler.
    Stop,
}

/// The operation that is at fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultyOp {
    /// Integer arithmetic, also of a compound assignment. `++` and `--` add 1 and -1. The result
    /// has the type of the left operand.
    Binary(BinOp),
    /// Unary `-`; both operands are its operand.
    Neg,
    /// A floating value becomes an integer; both operands are 0 of the integer type.
    FloatToInt,
    /// An array index; the right operand is the length.
    Index {
        /// Only the address is wanted: the length itself would be a good index.
        address_only: bool,
    },
    /// A scalar is read. Both operands are 0 of its type, or of 0 bits if it is not an integer.
    Read,
    /// Two accesses whose order is unspecified, at least one of them a write. An access inside a call
    /// that an operand makes is not named.
    Conflict {
        /// The access that was about to happen.
        this: Option<ExprId>,
        /// The earlier access.
        other: Option<ExprId>,
    },
    /// Any other operation on pointers or objects. Operands as for a read.
    Other,
}

/// Why an operation has no defined result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultCause {
    /// Undefined behaviour.
    Undefined(UbKind),
    /// Dependence on unspecified behaviour.
    Unspecified(UnspecKind),
}

/// An integer operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Its value; of an unsigned 128-bit type, the bits of its value.
    pub value: i128,
    /// Width of its type.
    pub bits: u32,
    /// Signedness of its type.
    pub signed: bool,
}

/// An operation without a defined result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The node to repair: the operation's, or the one whose operands are unsequenced.
    pub node: Node,
    /// Why it has no defined result.
    pub cause: FaultCause,
    /// The operation.
    pub op: FaultyOp,
    /// Left or only operand.
    pub left: Operand,
    /// Right operand.
    pub right: Operand,
}

/// Where the result goes.
enum ResultSlot {
    Register(Reg, ScalarKind),
    /// An index, to be multiplied by the element size.
    Scaled(Reg, u32),
    /// The first becomes a copy of the second: the pointer does not move.
    Pointer(Reg, Reg),
    Nowhere,
    /// The operation is executed again, its conflict ignored.
    Retry,
}

/// A decoded operation: what it is, its operands, and where its result goes.
type Decoded = (FaultyOp, Operand, Operand, ResultSlot);

const NOTHING: Operand = Operand { value: 0, bits: 0, signed: false };

impl Machine<'_> {
    /// Asks the handler about the operation that has just stopped. True if the execution can continue.
    pub(super) fn recover(&mut self, stop: &Stop, handler: &mut dyn FaultHandler) -> bool {
        let Some(at) = self.pc.checked_sub(1) else { return false };
        let mut owner = at;
        let mut conflict = None;
        let cause = match *stop {
            // A faulty return has already left its frame in part.
            Stop::Undefined(UbKind::MissingReturn | UbKind::NoReturn, _) => return false,
            Stop::Undefined(kind, _) => FaultCause::Undefined(kind),
            Stop::Aliasing { .. } => FaultCause::Undefined(UbKind::Aliasing),
            Stop::Unspecified(kind, _) => FaultCause::Unspecified(kind),
            Stop::Conflict { other, owner: whose, between, in_call, .. } => {
                owner = whose.unwrap_or(at);
                conflict = Some(FaultyOp::Conflict {
                    this: self.expr_at(at).filter(|_| !in_call.1),
                    other: self.expr_at(other).filter(|_| !in_call.0),
                });
                match between {
                    ConflictContext::Operands => FaultCause::Undefined(UbKind::Unsequenced),
                    ConflictContext::Calls => FaultCause::Unspecified(UnspecKind::CallOrder),
                    ConflictContext::Initialisers => FaultCause::Unspecified(UnspecKind::EvalOrder),
                }
            }
            _ => return false,
        };
        let node = match self.code.nodes.get(owner as usize) {
            Some(&CodeNode::Expr(e)) => Node::Expr(e),
            Some(&CodeNode::Stmt(s)) => Node::Stmt(s),
            _ => return false,
        };
        let op = self.code.ops[at as usize];
        let decoded = match (conflict, op) {
            (Some(conflict), Op::PendCheck { .. } | Op::PendCheckPtr { .. }) => {
                Some((conflict, NOTHING, NOTHING, ResultSlot::Nowhere))
            }
            (Some(conflict), _) => Some((conflict, NOTHING, NOTHING, ResultSlot::Retry)),
            (None, _) => self.arithmetic_fault(op, node).or_else(|| self.object_fault(op, node)),
        };
        let Some((op, left, right, into)) = decoded else { return false };
        let fault = Fault { node, cause, op, left, right };
        let Recovery::Value(value) = handler.handle(&fault) else { return false };
        self.resume(into, value, at)
    }

    fn expr_at(&self, at: u32) -> Option<ExprId> {
        match self.code.nodes.get(at as usize) {
            Some(&CodeNode::Expr(e)) => Some(e),
            _ => None,
        }
    }

    fn resume(&mut self, into: ResultSlot, value: i128, at: u32) -> bool {
        match into {
            ResultSlot::Register(d, kind) if !kind.is_int() && kind.is_wide() => {
                self.set_wide(d, 0)
            }
            ResultSlot::Register(d, kind) if !kind.is_int() => self.set(d, 0),
            ResultSlot::Register(d, kind) if kind.is_wide() => self.set_wide(d, value as u128),
            ResultSlot::Register(d, kind) => self.set(d, kind.wrap(value as u64)),
            ResultSlot::Scaled(d, bound) => {
                let bound = self.code.bounds[bound as usize];
                let last = i128::from(bound.len) + i128::from(bound.address_only);
                if !(0..last).contains(&value) {
                    return false;
                }
                self.set(d, value as u64 * u64::from(bound.size));
            }
            ResultSlot::Pointer(d, p) => self.set(d, self.r(p)),
            ResultSlot::Nowhere => {}
            ResultSlot::Retry => {
                self.sequence.ignore_conflict_at(at);
                self.pc = at;
            }
        }
        true
    }

    /// Reads, writes and pointers.
    fn object_fault(&self, op: Op, node: Node) -> Option<Decoded> {
        let shape = |kind: ScalarKind| match kind.is_int() {
            true => Operand { value: 0, bits: kind.bits(), signed: kind.is_signed() },
            false => NOTHING,
        };
        let gives =
            |op, d, kind| Some((op, shape(kind), shape(kind), ResultSlot::Register(d, kind)));
        let into = match op {
            Op::Load { d, kind, .. } => return gives(FaultyOp::Read, d, kind),
            Op::LoadPtr { d, access, .. } => {
                return gives(FaultyOp::Read, d, self.code.accesses[access as usize].kind);
            }
            Op::LoadBits { d, access, .. } => {
                return gives(FaultyOp::Read, d, self.code.bits[access as usize].kind);
            }
            Op::CheckSet { reg, .. } => {
                let Node::Expr(e) = node else { return None };
                return gives(FaultyOp::Read, reg, self.kind(self.program.expr(e).ty)?);
            }
            Op::PtrDiff { d, .. } => return gives(FaultyOp::Other, d, ScalarKind::I64),
            Op::PtrLess { d, .. } | Op::PtrEq { d, .. } => {
                return gives(FaultyOp::Other, d, ScalarKind::I32);
            }
            Op::PtrToInt { d, kind, .. } => return gives(FaultyOp::Other, d, kind),
            Op::PtrAdd { d, p, .. }
            | Op::PtrIndex { d, p, .. }
            | Op::PtrSubInt { d, p, .. }
            | Op::Offset { d, p, .. } => ResultSlot::Pointer(d, p),
            Op::Store { .. }
            | Op::StorePtr { .. }
            | Op::StoreBits { .. }
            | Op::UsePtr { .. }
            | Op::CheckAlign { .. }
            | Op::CheckRecord { .. }
            | Op::CheckOverlap { .. }
            | Op::Copy { .. }
            | Op::CopyChar { .. } => ResultSlot::Nowhere,
            Op::CallPtr { base, .. } | Op::CallLib { base, .. } => {
                ResultSlot::Register(base, ScalarKind::U128)
            }
            _ => return None,
        };
        Some((FaultyOp::Other, NOTHING, NOTHING, into))
    }

    fn operand(&self, reg: Reg, kind: ScalarKind) -> Operand {
        let value = if kind.is_wide() { self.wide(reg) as i128 } else { kind.value(self.r(reg)) };
        Operand { value, bits: kind.bits(), signed: kind.is_signed() }
    }

    /// Integer arithmetic and array indices.
    fn arithmetic_fault(&self, op: Op, node: Node) -> Option<Decoded> {
        use Op::*;
        let subtracts = matches!(node, Node::Expr(e)
            if matches!(self.program.expr(e).kind, ExprKind::Binary(BinOp::Sub, ..)));
        // A shift count is converted to 64 bits before it is used: the tree has its original type.
        let count_kind = |count: ScalarKind| match node {
            Node::Expr(e) => match self.program.expr(e).kind {
                ExprKind::Binary(_, _, b) | ExprKind::AssignOp { rhs: b, .. } => {
                    self.kind(self.program.expr(b).ty).unwrap_or(count)
                }
                _ => count,
            },
            Node::Stmt(_) => count,
        };
        let shift = |op, (d, a, b): (Reg, Reg, Reg), left: ScalarKind, count: ScalarKind| {
            let kind = count_kind(count);
            let value = self.operand(b, count).value;
            let value = if kind.is_wide() { value } else { kind.value(kind.wrap(value as u64)) };
            let y = Operand { value, bits: kind.bits(), signed: kind.is_signed() };
            Some((FaultyOp::Binary(op), self.operand(a, left), y, ResultSlot::Register(d, left)))
        };
        let binary = |op, (d, a, b): (Reg, Reg, Reg), left: ScalarKind, right: ScalarKind| {
            let (x, y) = (self.operand(a, left), self.operand(b, right));
            Some((FaultyOp::Binary(op), x, y, ResultSlot::Register(d, left)))
        };
        match op {
            AddI32 { d, a, b } => binary(BinOp::Add, (d, a, b), ScalarKind::I32, ScalarKind::I32),
            AddI64 { d, a, b } => binary(BinOp::Add, (d, a, b), ScalarKind::I64, ScalarKind::I64),
            SubI32 { d, a, b } => binary(BinOp::Sub, (d, a, b), ScalarKind::I32, ScalarKind::I32),
            SubI64 { d, a, b } => binary(BinOp::Sub, (d, a, b), ScalarKind::I64, ScalarKind::I64),
            MulI32 { d, a, b } => binary(BinOp::Mul, (d, a, b), ScalarKind::I32, ScalarKind::I32),
            MulI64 { d, a, b } => binary(BinOp::Mul, (d, a, b), ScalarKind::I64, ScalarKind::I64),
            Div { d, a, b, kind } => binary(BinOp::Div, (d, a, b), kind, kind),
            Rem { d, a, b, kind } => binary(BinOp::Rem, (d, a, b), kind, kind),
            Shl { d, a, b, kind, count } => shift(BinOp::Shl, (d, a, b), kind, count),
            Shr { d, a, b, kind, count } => shift(BinOp::Shr, (d, a, b), kind, count),
            AddI32Imm { d, a, v } => self.constant_added(d, a, ScalarKind::I32, v, subtracts),
            Step { d, a, kind, by } => self.constant_added(d, a, kind, by, false),
            Neg { d, a, kind } => {
                let x = self.operand(a, kind);
                Some((FaultyOp::Neg, x, x, ResultSlot::Register(d, kind)))
            }
            Convert { d, from, to, .. } if from.is_float() && to.is_int() => {
                let x = Operand { value: 0, bits: to.bits(), signed: to.is_signed() };
                Some((FaultyOp::FloatToInt, x, x, ResultSlot::Register(d, to)))
            }
            Wide { d, a, b, op, signed } => {
                let kind = ScalarKind::int(128, signed);
                let op = match op {
                    WideOp::Neg => {
                        let x = self.operand(a, kind);
                        return Some((FaultyOp::Neg, x, x, ResultSlot::Register(d, kind)));
                    }
                    WideOp::Shl => return shift(BinOp::Shl, (d, a, b), kind, ScalarKind::I64),
                    WideOp::Shr => return shift(BinOp::Shr, (d, a, b), kind, ScalarKind::I64),
                    WideOp::Add => BinOp::Add,
                    WideOp::Sub => BinOp::Sub,
                    WideOp::Mul => BinOp::Mul,
                    WideOp::Div => BinOp::Div,
                    WideOp::Rem => BinOp::Rem,
                    _ => return None,
                };
                binary(op, (d, a, b), kind, kind)
            }
            Index { d, i, kind, bound } => {
                let b = self.code.bounds[bound as usize];
                let len = Operand { value: i128::from(b.len), bits: 64, signed: false };
                let op = FaultyOp::Index { address_only: b.address_only };
                Some((op, self.operand(i, kind), len, ResultSlot::Scaled(d, bound)))
            }
            _ => None,
        }
    }

    /// `a + by`, or `a - -by` as it was written.
    fn constant_added(
        &self,
        d: Reg,
        a: Reg,
        kind: ScalarKind,
        by: i32,
        subtracted: bool,
    ) -> Option<Decoded> {
        let left = self.operand(a, kind);
        let (op, by) =
            if subtracted { (BinOp::Sub, -i128::from(by)) } else { (BinOp::Add, by.into()) };
        Some((
            FaultyOp::Binary(op),
            left,
            Operand { value: by, ..left },
            ResultSlot::Register(d, kind),
        ))
    }
}
