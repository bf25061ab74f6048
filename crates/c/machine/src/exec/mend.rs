//! Going on after a fault: a [`Mender`] says what the operation should have given.
//!
//! An operation without a defined result stops the execution. Here the stop is taken back: the
//! operation is decoded again, its operands are shown to the mender, and its destination gets the
//! mender's value. All of this happens outside of the interpreter's loop, so a run without a mender
//! pays nothing for it.
//!
//! Arithmetic and array indices go on with the mender's value. What is wrong with a pointer or an
//! object is passed over: a read gives the mender's value, a write does not happen, a pointer does
//! not move, a call is not made. A conflict of operands whose order is open is forgiven, and the
//! access made. So one run finds much of what is wrong with a program; what it finds after the first
//! such thing is only likely, and for the mender to judge by another run.

use super::Machine;
use crate::code::{CodeNode, Op, Reg, WideOp};
use crate::kind::Kind;
use crate::outcome::{Node, UbKind, UnspecKind};
use crate::stop::{Between, Stop};
use ctree::{BinOp, ExprId, ExprKind};

/// Decides how an execution goes on where it has no defined way.
pub trait Mender {
    /// What the operation gives instead.
    fn mend(&mut self, fault: &Fault) -> Mend;
}

/// What to do about a [`Fault`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mend {
    /// Go on as if this were the result, wrapped to the result's type; for
    /// [`Faulty::Index`], as if this were the index. Where the result is no integer, it is zero, or
    /// the pointer that did not move.
    Value(i128),
    /// Stop as without a mender.
    Stop,
}

/// The operation that is at fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faulty {
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
    /// A scalar is read. Both operands are 0 of its type, or of 0 bits if it is no integer.
    Read,
    /// Two accesses whose order is open, of which one writes. Each is named where it is not inside
    /// of a call that an operand makes.
    Conflict {
        /// The access that was about to happen.
        this: Option<ExprId>,
        /// The one before.
        other: Option<ExprId>,
    },
    /// Anything else that has to do with pointers or objects. Operands as for a read.
    Other,
}

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// Undefined behaviour.
    Undefined(UbKind),
    /// Dependence on an open choice.
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
    /// The node to repair: the operation's, or the one that leaves the order of its operands open.
    pub node: Node,
    /// What is wrong with it.
    pub trouble: Trouble,
    /// The operation.
    pub op: Faulty,
    /// Left or only operand.
    pub left: Operand,
    /// Right operand.
    pub right: Operand,
}

/// Where the result goes.
enum Into {
    Register(Reg, Kind),
    /// Times the size of an element.
    Scaled(Reg, u32),
    /// The second is left as it is.
    Pointer(Reg, Reg),
    Nowhere,
    /// The operation is made again.
    Again,
}

/// An operation decoded.
type Decoded = (Faulty, Operand, Operand, Into);

const NOTHING: Operand = Operand { value: 0, bits: 0, signed: false };

impl Machine<'_> {
    /// Asks the mender about the operation that has just stopped. True if it is done after all.
    pub(super) fn mend(&mut self, stop: &Stop, mender: &mut dyn Mender) -> bool {
        let Some(at) = self.pc.checked_sub(1) else { return false };
        let mut owner = at;
        let mut conflict = None;
        let trouble = match *stop {
            // A return that went wrong is half done.
            Stop::Undefined(UbKind::MissingReturn | UbKind::NoReturn, _) => return false,
            Stop::Undefined(kind, _) => Trouble::Undefined(kind),
            Stop::Aliasing { .. } => Trouble::Undefined(UbKind::Aliasing),
            Stop::Unspecified(kind, _) => Trouble::Unspecified(kind),
            Stop::Conflict { other, owner: whose, between, in_call, .. } => {
                owner = whose.unwrap_or(at);
                conflict = Some(Faulty::Conflict {
                    this: self.expr_at(at).filter(|_| !in_call.1),
                    other: self.expr_at(other).filter(|_| !in_call.0),
                });
                match between {
                    Between::Operands => Trouble::Undefined(UbKind::Unsequenced),
                    Between::Calls => Trouble::Unspecified(UnspecKind::CallOrder),
                    Between::Initialisers => Trouble::Unspecified(UnspecKind::EvalOrder),
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
                Some((conflict, NOTHING, NOTHING, Into::Nowhere))
            }
            (Some(conflict), _) => Some((conflict, NOTHING, NOTHING, Into::Again)),
            (None, _) => self.arithmetic_fault(op, node).or_else(|| self.object_fault(op, node)),
        };
        let Some((op, left, right, into)) = decoded else { return false };
        let fault = Fault { node, trouble, op, left, right };
        let Mend::Value(value) = mender.mend(&fault) else { return false };
        self.resume(into, value, at)
    }

    fn expr_at(&self, at: u32) -> Option<ExprId> {
        match self.code.nodes.get(at as usize) {
            Some(&CodeNode::Expr(e)) => Some(e),
            _ => None,
        }
    }

    fn resume(&mut self, into: Into, value: i128, at: u32) -> bool {
        match into {
            Into::Register(d, kind) if !kind.is_int() && kind.is_wide() => self.set_wide(d, 0),
            Into::Register(d, kind) if !kind.is_int() => self.set(d, 0),
            Into::Register(d, kind) if kind.is_wide() => self.set_wide(d, value as u128),
            Into::Register(d, kind) => self.set(d, kind.wrap(value as u64)),
            Into::Scaled(d, bound) => {
                let bound = self.code.bounds[bound as usize];
                let last = i128::from(bound.len) + i128::from(bound.address_only);
                if !(0..last).contains(&value) {
                    return false;
                }
                self.set(d, value as u64 * u64::from(bound.size));
            }
            Into::Pointer(d, p) => self.set(d, self.r(p)),
            Into::Nowhere => {}
            Into::Again => {
                self.sequence.forgive(at);
                self.pc = at;
            }
        }
        true
    }

    /// Reads, writes and pointers.
    fn object_fault(&self, op: Op, node: Node) -> Option<Decoded> {
        let shape = |kind: Kind| match kind.is_int() {
            true => Operand { value: 0, bits: kind.bits(), signed: kind.is_signed() },
            false => NOTHING,
        };
        let gives = |op, d, kind| Some((op, shape(kind), shape(kind), Into::Register(d, kind)));
        let into = match op {
            Op::Load { d, kind, .. } => return gives(Faulty::Read, d, kind),
            Op::LoadPtr { d, access, .. } => {
                return gives(Faulty::Read, d, self.code.accesses[access as usize].kind);
            }
            Op::LoadBits { d, access, .. } => {
                return gives(Faulty::Read, d, self.code.bits[access as usize].kind);
            }
            Op::CheckSet { reg, .. } => {
                let Node::Expr(e) = node else { return None };
                return gives(Faulty::Read, reg, self.kind(self.p.expr(e).ty)?);
            }
            Op::PtrDiff { d, .. } => return gives(Faulty::Other, d, Kind::I64),
            Op::PtrLess { d, .. } | Op::PtrEq { d, .. } => {
                return gives(Faulty::Other, d, Kind::I32);
            }
            Op::PtrToInt { d, kind, .. } => return gives(Faulty::Other, d, kind),
            Op::PtrAdd { d, p, .. }
            | Op::PtrIndex { d, p, .. }
            | Op::PtrSubInt { d, p, .. }
            | Op::Offset { d, p, .. } => Into::Pointer(d, p),
            Op::Store { .. }
            | Op::StorePtr { .. }
            | Op::StoreBits { .. }
            | Op::UsePtr { .. }
            | Op::CheckAlign { .. }
            | Op::CheckRecord { .. }
            | Op::CheckOverlap { .. }
            | Op::Copy { .. }
            | Op::CopyChar { .. } => Into::Nowhere,
            Op::CallPtr { base, .. } | Op::CallLib { base, .. } => Into::Register(base, Kind::U128),
            _ => return None,
        };
        Some((Faulty::Other, NOTHING, NOTHING, into))
    }

    fn operand(&self, reg: Reg, kind: Kind) -> Operand {
        let value = if kind.is_wide() { self.wide(reg) as i128 } else { kind.value(self.r(reg)) };
        Operand { value, bits: kind.bits(), signed: kind.is_signed() }
    }

    /// Integer arithmetic and array indices.
    fn arithmetic_fault(&self, op: Op, node: Node) -> Option<Decoded> {
        use Op::*;
        let subtracts = matches!(node, Node::Expr(e)
            if matches!(self.p.expr(e).kind, ExprKind::Binary(BinOp::Sub, ..)));
        // A count is brought to 64 bits before it is used: its type is the tree's.
        let count_kind = |count: Kind| match node {
            Node::Expr(e) => match self.p.expr(e).kind {
                ExprKind::Binary(_, _, b) | ExprKind::AssignOp { rhs: b, .. } => {
                    self.kind(self.p.expr(b).ty).unwrap_or(count)
                }
                _ => count,
            },
            Node::Stmt(_) => count,
        };
        let shift = |op, (d, a, b): (Reg, Reg, Reg), left: Kind, count: Kind| {
            let kind = count_kind(count);
            let value = self.operand(b, count).value;
            let value = if kind.is_wide() { value } else { kind.value(kind.wrap(value as u64)) };
            let y = Operand { value, bits: kind.bits(), signed: kind.is_signed() };
            Some((Faulty::Binary(op), self.operand(a, left), y, Into::Register(d, left)))
        };
        let binary = |op, (d, a, b): (Reg, Reg, Reg), left: Kind, right: Kind| {
            let (x, y) = (self.operand(a, left), self.operand(b, right));
            Some((Faulty::Binary(op), x, y, Into::Register(d, left)))
        };
        match op {
            AddI32 { d, a, b } => binary(BinOp::Add, (d, a, b), Kind::I32, Kind::I32),
            AddI64 { d, a, b } => binary(BinOp::Add, (d, a, b), Kind::I64, Kind::I64),
            SubI32 { d, a, b } => binary(BinOp::Sub, (d, a, b), Kind::I32, Kind::I32),
            SubI64 { d, a, b } => binary(BinOp::Sub, (d, a, b), Kind::I64, Kind::I64),
            MulI32 { d, a, b } => binary(BinOp::Mul, (d, a, b), Kind::I32, Kind::I32),
            MulI64 { d, a, b } => binary(BinOp::Mul, (d, a, b), Kind::I64, Kind::I64),
            Div { d, a, b, kind } => binary(BinOp::Div, (d, a, b), kind, kind),
            Rem { d, a, b, kind } => binary(BinOp::Rem, (d, a, b), kind, kind),
            Shl { d, a, b, kind, count } => shift(BinOp::Shl, (d, a, b), kind, count),
            Shr { d, a, b, kind, count } => shift(BinOp::Shr, (d, a, b), kind, count),
            AddI32Imm { d, a, v } => self.constant_added(d, a, Kind::I32, v, subtracts),
            Step { d, a, kind, by } => self.constant_added(d, a, kind, by, false),
            Neg { d, a, kind } => {
                let x = self.operand(a, kind);
                Some((Faulty::Neg, x, x, Into::Register(d, kind)))
            }
            Convert { d, from, to, .. } if from.is_float() && to.is_int() => {
                let x = Operand { value: 0, bits: to.bits(), signed: to.is_signed() };
                Some((Faulty::FloatToInt, x, x, Into::Register(d, to)))
            }
            Wide { d, a, b, op, signed } => {
                let kind = Kind::int(128, signed);
                let op = match op {
                    WideOp::Neg => {
                        let x = self.operand(a, kind);
                        return Some((Faulty::Neg, x, x, Into::Register(d, kind)));
                    }
                    WideOp::Shl => return shift(BinOp::Shl, (d, a, b), kind, Kind::I64),
                    WideOp::Shr => return shift(BinOp::Shr, (d, a, b), kind, Kind::I64),
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
                let op = Faulty::Index { address_only: b.address_only };
                Some((op, self.operand(i, kind), len, Into::Scaled(d, bound)))
            }
            _ => None,
        }
    }

    /// `a + by`, or `a - -by` as it was written.
    fn constant_added(
        &self,
        d: Reg,
        a: Reg,
        kind: Kind,
        by: i32,
        subtracted: bool,
    ) -> Option<Decoded> {
        let left = self.operand(a, kind);
        let (op, by) =
            if subtracted { (BinOp::Sub, -i128::from(by)) } else { (BinOp::Add, by.into()) };
        Some((Faulty::Binary(op), left, Operand { value: by, ..left }, Into::Register(d, kind)))
    }
}
