//! The machine's code: a register machine over one flat array of small operations.
//!
//! Registers belong to a call's window; the arguments of a call are evaluated into the callee's
//! first registers, and its value is returned in the first. Integer operations are separate for each
//! width and signedness because each has its own undefined cases.

use crate::classes::{Class, Classes};
use crate::kind::ScalarKind;
use crate::library::LibFunc;
use crate::memory::Origin;
use crate::outcome::UbKind;
use ctree::{ExprId, StmtId, Ty};
use std::collections::HashMap;

/// A register of the current window.
pub type Reg = u16;

/// How an object that is known at compile time is addressed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressBase {
    /// An absolute address.
    Static,
    /// Relative to the frame's memory.
    Frame,
    /// An absolute address, through a volatile lvalue.
    StaticVolatile,
    /// Relative to the frame's memory, through a volatile lvalue.
    FrameVolatile,
}

impl AddressBase {
    /// The same address through a volatile lvalue.
    pub fn volatile(self) -> AddressBase {
        match self {
            AddressBase::Static | AddressBase::StaticVolatile => AddressBase::StaticVolatile,
            AddressBase::Frame | AddressBase::FrameVolatile => AddressBase::FrameVolatile,
        }
    }
}

/// Integer comparisons that a jump can make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Cmp {
    LtS,
    LeS,
    LtU,
    LeU,
    Eq,
    Ne,
}

/// Floating operations, one set for each format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Lt,
    Le,
    Eq,
    Ne,
    Neg,
}

/// Operations on 128-bit integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum WideOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Lt,
    Le,
    Eq,
    Ne,
    Neg,
    Not,
}

/// An operation. `d` is the destination, `a` and `b` are operands, `p` is a pointer operand, `s` the
/// value to store.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
#[rustfmt::skip]
pub enum Op {
    Imm { d: Reg, v: i32 },
    Const { d: Reg, i: u32 },
    Mov { d: Reg, a: Reg },
    MovWide { d: Reg, a: Reg },

    AddI32 { d: Reg, a: Reg, b: Reg },
    AddU32 { d: Reg, a: Reg, b: Reg },
    AddI64 { d: Reg, a: Reg, b: Reg },
    AddU64 { d: Reg, a: Reg, b: Reg },
    AddI32Imm { d: Reg, a: Reg, v: i32 },
    AddU32Imm { d: Reg, a: Reg, v: i32 },
    SubI32 { d: Reg, a: Reg, b: Reg },
    SubU32 { d: Reg, a: Reg, b: Reg },
    SubI64 { d: Reg, a: Reg, b: Reg },
    SubU64 { d: Reg, a: Reg, b: Reg },
    MulI32 { d: Reg, a: Reg, b: Reg },
    MulU32 { d: Reg, a: Reg, b: Reg },
    MulI64 { d: Reg, a: Reg, b: Reg },
    MulU64 { d: Reg, a: Reg, b: Reg },
    /// Division and remainder; signed kinds are I32 and I64.
    Div { d: Reg, a: Reg, b: Reg, kind: ScalarKind },
    Rem { d: Reg, a: Reg, b: Reg, kind: ScalarKind },
    /// Shifts: `count` is the kind of the right operand.
    Shl { d: Reg, a: Reg, b: Reg, kind: ScalarKind, count: ScalarKind },
    Shr { d: Reg, a: Reg, b: Reg, kind: ScalarKind, count: ScalarKind },
    And { d: Reg, a: Reg, b: Reg },
    Or { d: Reg, a: Reg, b: Reg },
    Xor { d: Reg, a: Reg, b: Reg },
    Neg { d: Reg, a: Reg, kind: ScalarKind },
    Not { d: Reg, a: Reg, kind: ScalarKind },
    LogNot { d: Reg, a: Reg },
    LtS { d: Reg, a: Reg, b: Reg },
    LtU { d: Reg, a: Reg, b: Reg },
    LeS { d: Reg, a: Reg, b: Reg },
    LeU { d: Reg, a: Reg, b: Reg },
    Eq { d: Reg, a: Reg, b: Reg },
    Ne { d: Reg, a: Reg, b: Reg },
    /// Adds a constant to an integer narrower than 64 bits or wider: for `++` and `--` of any kind.
    Step { d: Reg, a: Reg, kind: ScalarKind, by: i32 },

    /// Integer or pointer bits to an integer kind of at most 64 bits.
    Wrap { d: Reg, a: Reg, kind: ScalarKind },
    /// Any scalar kind to any other, where `Wrap` is not enough.
    Convert { d: Reg, a: Reg, from: ScalarKind, to: ScalarKind },
    /// 1 if the scalar is not zero.
    Truth { d: Reg, a: Reg, kind: ScalarKind },
    Float { d: Reg, a: Reg, b: Reg, op: FloatOp, kind: ScalarKind },
    Wide { d: Reg, a: Reg, b: Reg, op: WideOp, signed: bool },

    /// Direct access; `x` is a register with a byte offset, or `NO_REG`.
    Load { d: Reg, x: Reg, kind: ScalarKind, base: AddressBase, at: u32 },
    Store { s: Reg, x: Reg, kind: ScalarKind, base: AddressBase, at: u32 },
    /// Access through a pointer.
    LoadPtr { d: Reg, p: Reg, access: u32 },
    StorePtr { s: Reg, p: Reg, access: u32 },
    /// Bit-field access through an address in memory or a pointer, see [`BitAccess`].
    LoadBits { d: Reg, p: Reg, access: u32 },
    StoreBits { s: Reg, p: Reg, access: u32 },
    /// The pointer to a known object.
    FrameAddr { d: Reg, local: u16, x: Reg, at: u32 },
    /// `p + offset` inside one object, already known to be in bounds of its type.
    Offset { d: Reg, p: Reg, x: Reg, at: u32 },
    /// Checks an array index against a constant length and scales it; see [`IndexBound`].
    Index { d: Reg, i: Reg, kind: ScalarKind, bound: u32 },
    /// Pointer arithmetic, see [`ElemType`]; `by` is of `kind`.
    PtrAdd { d: Reg, p: Reg, by: Reg, kind: ScalarKind, elem: u32 },
    /// As `PtrAdd`, about to be dereferenced.
    PtrIndex { d: Reg, p: Reg, by: Reg, kind: ScalarKind, elem: u32 },
    PtrSubInt { d: Reg, p: Reg, by: Reg, kind: ScalarKind, elem: u32 },
    PtrDiff { d: Reg, a: Reg, b: Reg, elem: u32 },
    /// Relational comparison of pointers: less, or less or equal.
    PtrLess { d: Reg, a: Reg, b: Reg, or_equal: bool },
    PtrEq { d: Reg, a: Reg, b: Reg, negate: bool },
    /// The pointer is used as a value: it must not dangle.
    UsePtr { p: Reg },
    /// Conversion to a pointer type with an alignment.
    CheckAlign { p: Reg, align: u32 },
    /// The pointer designates a record of the type, for `->`.
    CheckRecord { p: Reg, elem: u32 },
    IntToPtr { d: Reg, a: Reg, kind: ScalarKind },
    PtrToInt { d: Reg, a: Reg, kind: ScalarKind },
    /// Copies a record: `d` and `s` are pointers.
    Copy { d: Reg, s: Reg, copy: u32 },
    /// Copies one byte with its shadow state.
    CopyChar { d: Reg, s: Reg },
    /// Assignment between overlapping members of a union.
    CheckOverlap { a: Reg, b: Reg, size_a: u8, size_b: u8 },
    /// Sets bytes of a known object to zero.
    Zero { base: AddressBase, at: u32, size: u32 },
    /// Makes bytes of a known object indeterminate.
    Unset { base: AddressBase, at: u32, size: u32 },
    /// Copies a string literal's bytes into a known object.
    Bytes { base: AddressBase, at: u32, bytes: u32 },

    /// Lifetime of a variable of the frame.
    Enter { local: u32 },
    Leave { local: u32 },
    /// The variable becomes indeterminate again.
    Forget { local: u32 },
    /// Reads of a register variable that may not have been set.
    CheckSet { flag: Reg, reg: Reg },

    Jump { to: u32 },
    /// Backward jumps pay for fuel.
    Loop { to: u32 },
    JumpZero { r: Reg, to: u32 },
    JumpNot { r: Reg, to: u32 },
    /// Jumps unless the comparison holds; with a constant, `v` is the right operand.
    JumpUnless { cmp: Cmp, a: Reg, b: Reg, to: u32 },
    JumpUnlessImm { cmp: Cmp, a: Reg, v: i32, to: u32 },
    Switch { r: Reg, table: u32 },
    Call { func: u32, base: Reg, site: u32 },
    CallPtr { p: Reg, base: Reg, site: u32 },
    CallLib { lib: LibFunc, base: Reg, site: u32 },
    Ret,
    RetMissing,

    /// Operands whose order is unspecified.
    RegionBegin { initialiser: bool },
    LogOn,
    LogOff,
    RegionEnd,
    /// Side effects of operands that the store of an assignment may conflict with.
    PendBegin,
    PendLog { base: AddressBase, x: Reg, at: u32, bit: u8, bits: u16 },
    PendLogPtr { p: Reg, at: u32, bit: u8, bits: u16 },
    PendCheck { base: AddressBase, x: Reg, at: u32, bit: u8, bits: u16 },
    PendCheckPtr { p: Reg, at: u32, bit: u8, bits: u16 },
    /// `keep`: the side effects stay pending for an enclosing assignment.
    PendEnd { keep: bool },

    VaArg { d: Reg, p: Reg, ty: u32 },

    /// Undefined behaviour or an unsupported construct, if reached.
    Undefined { kind: UbKind, text: u32 },
    Unsupported { text: u32 },
    /// Hooks, present only when requested.
    Cover { point: u32 },
    /// Notes the value of an expression.
    Note { r: Reg, e: u32 },
    Probe { point: u32 },
    Branch { point: u32, taken: bool },
}

/// "No register" in an operand.
pub const NO_REG: Reg = Reg::MAX;

/// A checked access through a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PtrAccess {
    /// Kind of the value.
    pub kind: ScalarKind,
    /// Offset added.
    pub offset: u32,
    /// Alignment needed.
    pub align: u32,
    /// Class of the lvalue.
    pub class: Class,
    /// Volatile lvalue.
    pub volatile: bool,
    /// The lvalue is a member of a union object: any member may be read (6.5.2.3, footnote 95).
    pub union_member: bool,
}

/// A bit-field access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitAccess {
    /// How the record is addressed; `None` through a pointer in `p`, else `p` is an index register.
    pub base: Option<AddressBase>,
    /// Byte offset of the first bit.
    pub at: u32,
    /// First bit in that byte.
    pub bit: u32,
    /// Width.
    pub width: u32,
    /// Kind of the declared type.
    pub kind: ScalarKind,
    /// Volatile lvalue.
    pub volatile: bool,
    /// Const member: a store is a constraint violation, kept for initialisers.
    pub init: bool,
}

/// An array bound to check an index against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexBound {
    /// Elements.
    pub len: u64,
    /// Bytes of an element.
    pub size: u32,
    /// Only the address is wanted: one past the end is fine.
    pub address_only: bool,
}

/// The element type of pointer arithmetic, or the record of a `->`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElemType {
    /// Its type, canonical and unqualified.
    pub ty: Ty,
    /// Its size.
    pub size: u32,
}

/// A copy of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CopySpec {
    /// The record type.
    pub ty: Ty,
    /// Bytes.
    pub size: u32,
    /// Alignment needed of the target and the source.
    pub align: (u32, u32),
    /// Volatile target and source lvalues.
    pub volatile: (bool, bool),
    /// The target is being initialised: const does not matter.
    pub init: bool,
}

/// A switch's jump table, sorted by `lo`.
#[derive(Clone, Debug, Default)]
pub struct JumpTable {
    /// (lowest value, highest value, target); compared in the controlling type's order.
    pub cases: Vec<(i64, i64, u32)>,
    /// The target if none matches.
    pub default: u32,
    /// The controlling type is unsigned 64-bit.
    pub unsigned: bool,
}

/// A call site.
#[derive(Clone, Debug)]
pub struct CallSite {
    /// The call expression.
    pub node: ExprId,
    /// Type of each argument after conversion.
    pub args: Vec<Ty>,
    /// First register of each argument, relative to the window.
    pub regs: Vec<Reg>,
    /// The function type at the call, for calls through pointers.
    pub ty: Ty,
    /// The value is used.
    pub used: bool,
    /// Only the sign of the value is used.
    pub sign_only: bool,
}

/// A variable of a function that lives in memory.
#[derive(Clone, Debug)]
pub struct Local {
    /// Offset in the frame's memory.
    pub at: u32,
    /// Bytes.
    pub size: u32,
    /// Alignment.
    pub align: u32,
    /// Layout number.
    pub layout: u32,
    /// What object it is.
    pub origin: Origin,
}

/// A compiled function.
#[derive(Clone, Debug)]
pub struct FuncCode {
    /// Its entry in the tree.
    pub id: ctree::FuncId,
    /// First operation.
    pub entry: u32,
    /// Registers it needs.
    pub regs: u32,
    /// Bytes of frame memory.
    pub frame: u32,
    /// Variables in memory.
    pub locals: Vec<Local>,
    /// The function type of the definition.
    pub ty: Ty,
    /// Fixed parameters' registers, first of each.
    pub params: Vec<Reg>,
    /// Registers that the parameters take.
    pub param_regs: Reg,
    /// Takes variable arguments.
    pub variadic: bool,
    /// Returns a value that takes a pair of registers.
    pub wide_return: bool,
    /// Declared never to return.
    pub noreturn: bool,
}

/// A static object.
#[derive(Clone, Debug)]
pub struct Global {
    /// First byte.
    pub base: u32,
    /// Bytes.
    pub size: u32,
    /// Alignment.
    pub align: u32,
    /// Layout number.
    pub layout: u32,
    /// What object it is.
    pub origin: Origin,
    /// Initial bytes, for string literals.
    pub bytes: Option<Vec<u8>>,
}

/// The tree node that an operation was compiled from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum CodeNode {
    None,
    Expr(ExprId),
    Stmt(StmtId),
}

/// The scalars recorded before a statement.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Where its values are counted.
    pub tally: u32,
    /// One for each watched scalar; `None` where it cannot be watched.
    pub scalars: Vec<Option<WatchedScalar>>,
}

/// One scalar watched at a probe.
#[derive(Clone, Debug)]
pub struct WatchedScalar {
    /// Its type.
    pub ty: Ty,
    /// The kind of that.
    pub kind: ScalarKind,
    /// The pointers to follow, each found through the previous one.
    pub way: Box<[ScalarLocation]>,
    /// The scalar itself.
    pub end: ScalarLocation,
}

/// Where a probe finds a scalar.
#[derive(Clone, Copy, Debug)]
pub enum ScalarLocation {
    /// In a register, set if the flag says so.
    Register {
        /// The register.
        reg: Reg,
        /// Its flag.
        flag: Option<Reg>,
    },
    /// In a known object.
    Direct {
        /// Static or in the frame.
        base: AddressBase,
        /// Offset from there.
        at: u32,
        /// A local variable whose address is not taken.
        private: bool,
    },
    /// Through the last pointer.
    Behind {
        /// It must point to a record of this [`ElemType`].
        record: Option<u32>,
        /// A [`PtrAccess`].
        access: u32,
    },
    /// A bit-field, in a known object or through the last pointer.
    Bits {
        /// The pointer must point to a record of this [`ElemType`].
        record: Option<u32>,
        /// A [`BitAccess`].
        access: u32,
    },
}

/// A compiled program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// All operations.
    pub ops: Vec<Op>,
    /// The node of each operation.
    pub nodes: Vec<CodeNode>,
    /// Functions.
    pub funcs: Vec<FuncCode>,
    /// Static objects, in slot order from [`FIRST_STATIC_SLOT`]; functions come first.
    pub globals: Vec<Global>,
    /// End of the static area.
    pub static_end: u32,
    /// 64-bit constants.
    pub consts: Vec<u64>,
    /// Pointer accesses.
    pub accesses: Vec<PtrAccess>,
    /// Bit-field accesses.
    pub bits: Vec<BitAccess>,
    /// Array bounds.
    pub bounds: Vec<IndexBound>,
    /// Element types.
    pub elems: Vec<ElemType>,
    /// Record copies.
    pub copies: Vec<CopySpec>,
    /// Switch tables.
    pub tables: Vec<JumpTable>,
    /// Call sites.
    pub sites: Vec<CallSite>,
    /// Types that operations refer to.
    pub types: Vec<Ty>,
    /// Texts that operations refer to.
    pub texts: Vec<String>,
    /// Contents of string initialisers.
    pub byte_strings: Vec<Vec<u8>>,
    /// Probes.
    pub probes: Vec<Probe>,
    /// The statement of each tally.
    pub tallies: Vec<StmtId>,
    /// Nodes of cover points.
    pub cover: Vec<CodeNode>,
    /// Effective type classes and layouts.
    pub classes: Classes,
    /// Where the initialisation of static objects begins.
    pub start: u32,
    /// Registers that it needs.
    pub start_regs: u32,
    /// `main`, and whether it takes arguments.
    pub main: Option<u32>,
    /// Definitions of different units that contradict each other (6.9p5, 6.2.7p2).
    pub link_error: Option<(UbKind, ctree::Span, String)>,
    /// Function number of each tree function that has a body.
    pub func_of: HashMap<ctree::FuncId, u32>,
}

/// Slot of the first function object; statics follow the functions.
pub const FIRST_STATIC_SLOT: u32 = 2;

/// The interpreter's working set is the code, so the size of an operation is fixed here.
const _: () = assert!(size_of::<Op>() <= 12);
