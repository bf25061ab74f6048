//! Instructions, their operands, and constants.

use std::sync::Arc;

use crate::bits::Bits;
use crate::tree::{Attributes, BlockId, FunctionType, Local, Metadata, Type};

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Debug records before it (`#dbg_value(…)`), as written.
    pub records: Vec<String>,
    /// Its result; `None`: it has none.
    pub result: Option<Local>,
    /// What it does.
    pub op: Op,
    /// Metadata attached to it: `range`, `tbaa`, `dbg`, …
    pub attachments: Vec<(Arc<str>, Metadata)>,
    /// Its line in the text, from 1; 0: it was not read.
    pub line: u32,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A value of the function.
    Local(Local),
    /// A constant.
    Constant(Constant),
    /// `metadata …`, as an argument of a call.
    Metadata(Metadata),
}

/// An operand with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    /// Its type.
    pub ty: Type,
    /// It.
    pub value: Value,
}

/// A constant. Its type stands where it is used.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `7`, `true`.
    Integer(Bits),
    /// A number in the format of its type, as bits of it.
    Float(Bits),
    /// `null`.
    Null,
    /// `zeroinitializer`.
    Zero,
    /// `undef`.
    Undef,
    /// `poison`.
    Poison,
    /// `none`.
    None,
    /// `{ i32 1, ptr null }`, packed where its type is.
    Struct(Vec<(Type, Constant)>),
    /// `[i8 1, i8 2]`.
    Array(Vec<(Type, Constant)>),
    /// `<i8 1, i8 2>`.
    Vector(Vec<(Type, Constant)>),
    /// `splat (i8 1)`.
    Splat(Box<(Type, Constant)>),
    /// `c"…"`.
    Bytes(Arc<[u8]>),
    /// `@name`.
    Global(Symbol),
    /// `blockaddress(@f, %b)`: function and block, the block as written (without `%`).
    BlockAddress(Symbol, Arc<str>),
    /// `dso_local_equivalent @f`, `no_cfi @f`: the word and the function.
    Wrapped(Arc<str>, Symbol),
    /// `ptrauth (ptr @f, i32 0, …)`: a pointer, and how it is signed.
    Signed(Vec<(Type, Constant)>),
    /// A constant expression: an instruction on constants (without flags of its own place: `Binary`, `Cast`,
    /// `GetElementPtr`, `ICmp`, `FCmp`, `Select`, elements). All its operands are constants.
    Expression(Box<Op>),
    /// `asm …`: only as a callee.
    Assembly(Arc<Assembly>),
}

/// A name of the module, as `@name` or `@0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// By its name, unescaped.
    Name(Arc<str>),
    /// By its number.
    Number(u32),
}

/// Inline assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembly {
    /// `sideeffect`, `alignstack`, `inteldialect`, `unwind`, in order.
    pub words: Vec<String>,
    /// The text, as written between the quotes.
    pub text: String,
    /// The constraints, as written between the quotes.
    pub constraints: String,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// `ret`.
    Ret(Option<Typed>),
    /// `br label %b`.
    Br(BlockId),
    /// `br i1 %c, label %a, label %b`.
    CondBr {
        /// An `i1`.
        condition: Value,
        /// Where to if it is true.
        then: BlockId,
        /// Where to if not.
        otherwise: BlockId,
    },
    /// `switch`.
    Switch {
        /// On what.
        on: Typed,
        /// Where to if no case matches.
        default: BlockId,
        /// Cases; their type is that of `on`.
        cases: Vec<(Constant, BlockId)>,
    },
    /// `indirectbr`.
    IndirectBr {
        /// Where to.
        address: Typed,
        /// Where it may lead.
        targets: Vec<BlockId>,
    },
    /// `unreachable`.
    Unreachable,
    /// `resume`.
    Resume(Typed),
    /// `invoke`: a call with two ways on.
    Invoke {
        /// The call.
        call: Box<Call>,
        /// Where to when it returns.
        normal: BlockId,
        /// Where to when it throws.
        unwind: BlockId,
    },
    /// `callbr`.
    CallBr {
        /// The call.
        call: Box<Call>,
        /// Where to if it falls through.
        fallthrough: BlockId,
        /// Where else it may jump.
        indirect: Vec<BlockId>,
    },
    /// `landingpad`.
    LandingPad {
        /// Type of its result.
        ty: Type,
        /// Whether it is a cleanup.
        cleanup: bool,
        /// `catch` (true) and `filter` clauses.
        clauses: Vec<(bool, Typed)>,
    },
    /// `catchpad`, `cleanuppad`, `catchswitch`, `catchret`, `cleanupret`.
    Funclet(Box<Funclet>),
    /// `fneg`.
    FNeg {
        /// Fast-math flags.
        flags: FastMath,
        /// Of what.
        of: Typed,
    },
    /// Arithmetic on two operands of one type.
    Binary {
        /// Which.
        op: Binary,
        /// `nsw`, `nuw`, `exact`, `disjoint`.
        flags: IntFlags,
        /// Fast-math flags, for floats.
        fast: FastMath,
        /// The first operand, and the type of both.
        left: Typed,
        /// The second.
        right: Value,
    },
    /// `icmp`.
    ICmp {
        /// How.
        predicate: IntPredicate,
        /// Poison if the signs differ.
        samesign: bool,
        /// The first operand, and the type of both.
        left: Typed,
        /// The second.
        right: Value,
    },
    /// `fcmp`.
    FCmp {
        /// How.
        predicate: FloatPredicate,
        /// Fast-math flags.
        flags: FastMath,
        /// The first operand, and the type of both.
        left: Typed,
        /// The second.
        right: Value,
    },
    /// Conversions.
    Cast {
        /// Which.
        op: Cast,
        /// `nneg` of `zext` and `uitofp`; `nuw` and `nsw` of `trunc`.
        flags: IntFlags,
        /// Fast-math flags (of `fptrunc` and `fpext`, since 20).
        fast: FastMath,
        /// Of what.
        from: Typed,
        /// To what.
        to: Type,
    },
    /// `select`.
    Select {
        /// Fast-math flags.
        flags: FastMath,
        /// An `i1` or a vector of them.
        condition: Typed,
        /// The value if true.
        then: Typed,
        /// The value if not.
        otherwise: Typed,
    },
    /// `freeze`.
    Freeze(Typed),
    /// `phi`.
    Phi {
        /// Fast-math flags.
        flags: FastMath,
        /// Its type.
        ty: Type,
        /// Values, and where each comes from.
        incoming: Vec<(Value, BlockId)>,
    },
    /// `extractelement`.
    ExtractElement {
        /// From which vector.
        vector: Typed,
        /// Which.
        index: Typed,
    },
    /// `insertelement`.
    InsertElement {
        /// Into which vector.
        vector: Typed,
        /// What.
        element: Typed,
        /// Where.
        index: Typed,
    },
    /// `shufflevector`.
    ShuffleVector {
        /// The first vector.
        left: Typed,
        /// The second.
        right: Typed,
        /// A constant vector of `i32`.
        mask: Typed,
    },
    /// `extractvalue`.
    ExtractValue {
        /// From what.
        aggregate: Typed,
        /// The way to it.
        indices: Vec<u32>,
    },
    /// `insertvalue`.
    InsertValue {
        /// Into what.
        aggregate: Typed,
        /// What.
        element: Typed,
        /// The way to it.
        indices: Vec<u32>,
    },
    /// `alloca`.
    Alloca {
        /// `inalloca`, `swifterror`, in order.
        words: Vec<String>,
        /// Of what type.
        ty: Type,
        /// How many; `None`: one.
        count: Option<Typed>,
        /// Its alignment.
        align: Option<u64>,
        /// Its address space.
        space: u32,
    },
    /// `load`.
    Load {
        /// Volatile.
        volatile: bool,
        /// Atomic, and how.
        atomic: Option<Ordering>,
        /// What is read.
        ty: Type,
        /// From where.
        from: Typed,
        /// Alignment of the address.
        align: Option<u64>,
    },
    /// `store`.
    Store {
        /// Volatile.
        volatile: bool,
        /// Atomic, and how.
        atomic: Option<Ordering>,
        /// What.
        value: Typed,
        /// Where.
        to: Typed,
        /// Alignment of the address.
        align: Option<u64>,
    },
    /// `fence`.
    Fence(Ordering),
    /// `cmpxchg`.
    CmpXchg {
        /// May fail without reason.
        weak: bool,
        /// Volatile.
        volatile: bool,
        /// Where.
        address: Typed,
        /// What is expected.
        expected: Typed,
        /// What is written.
        new: Typed,
        /// Ordering of a success (with its scope).
        success: Ordering,
        /// Ordering of a failure, as written.
        failure: String,
        /// Alignment.
        align: Option<u64>,
    },
    /// `atomicrmw`.
    AtomicRmw {
        /// Volatile.
        volatile: bool,
        /// `add`, `xchg`, …, as written.
        op: String,
        /// Where.
        address: Typed,
        /// With what.
        value: Typed,
        /// Its ordering.
        ordering: Ordering,
        /// Alignment.
        align: Option<u64>,
    },
    /// `getelementptr`.
    GetElementPtr {
        /// Flags.
        flags: GepFlags,
        /// The type it steps through.
        ty: Type,
        /// From where.
        base: Typed,
        /// How far.
        indices: Vec<Typed>,
    },
    /// `call`.
    Call(Box<Call>),
    /// `va_arg`.
    VaArg {
        /// The list.
        list: Typed,
        /// What type.
        ty: Type,
    },
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// `tail`, `musttail`, `notail` or nothing.
    pub tail: String,
    /// Fast-math flags.
    pub fast: FastMath,
    /// The calling convention, as written.
    pub convention: String,
    /// Attributes of the result.
    pub result_attributes: Attributes,
    /// Address space of the callee, where written.
    pub space: Option<u32>,
    /// Type of the callee: what the call says, completed from its arguments where it says the result only.
    pub ty: Arc<FunctionType>,
    /// What is called.
    pub callee: Value,
    /// Arguments.
    pub arguments: Vec<Argument>,
    /// Attributes of the call, groups among them.
    pub attributes: Attributes,
    /// Operand bundles.
    pub bundles: Vec<(String, Vec<Typed>)>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its value.
    pub value: Typed,
    /// Its attributes.
    pub attributes: Attributes,
}

/// Exception handling of other systems: read and written, never executed.
#[derive(Clone, Debug, PartialEq)]
pub enum Funclet {
    /// `catchswitch within %parent [label %a] unwind …`.
    CatchSwitch {
        /// `none` or a local.
        parent: Value,
        /// Its handlers.
        handlers: Vec<BlockId>,
        /// `None`: to caller.
        unwind: Option<BlockId>,
    },
    /// `catchpad within %parent [ … ]`.
    CatchPad(Value, Vec<Typed>),
    /// `cleanuppad within %parent [ … ]`.
    CleanupPad(Value, Vec<Typed>),
    /// `catchret from %pad to label %b`.
    CatchRet(Value, BlockId),
    /// `cleanupret from %pad unwind …`.
    CleanupRet(Value, Option<BlockId>),
}

/// Flags of integer arithmetic and conversions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IntFlags {
    /// Poison on unsigned overflow.
    pub nuw: bool,
    /// Poison on signed overflow.
    pub nsw: bool,
    /// Poison if a division or a shift loses bits.
    pub exact: bool,
    /// Of `or`: poison if both have a bit.
    pub disjoint: bool,
    /// Of `zext` and `uitofp`: poison if negative.
    pub nneg: bool,
}

/// Fast-math flags; `fast` is all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // As LLVM's manual names them.
pub struct FastMath {
    pub nnan: bool,
    pub ninf: bool,
    pub nsz: bool,
    pub arcp: bool,
    pub contract: bool,
    pub afn: bool,
    pub reassoc: bool,
}

/// Flags of `getelementptr`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GepFlags {
    /// `inbounds` (which implies `nusw`).
    pub inbounds: bool,
    /// `nusw`.
    pub nusw: bool,
    /// `nuw`.
    pub nuw: bool,
    /// `inrange(-8, 16)` of a constant expression.
    pub inrange: Option<(i64, i64)>,
    /// Which index is marked `inrange`, before 19.
    pub inrange_index: Option<u32>,
}

/// How an atomic access is ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordering {
    /// `syncscope("…")`: what is between the quotes.
    pub scope: Option<String>,
    /// `monotonic`, `seq_cst`, …
    pub word: String,
}

/// Arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // As LLVM's manual names them.
pub enum Binary {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

/// Conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // As LLVM's manual names them.
pub enum Cast {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    PtrToAddr,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

/// Comparisons of integers and pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // As LLVM's manual names them.
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// Comparisons of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // As LLVM's manual names them.
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}
