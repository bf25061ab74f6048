//! Why a pair is not put to a solver, and why a solver's answer decides nothing.
//!
//! They are data, so that they can be counted; [`std::fmt::Display`] says them.

use irmachine::{Construct, reasons};

reasons! {
    /// Why there is no question.
    Unsupported {
        Construct(construct: Construct) => "{construct}",
        UndefInLoop => "undef carried around a loop",
        TooLarge => "the function is too large",
        BigEndianPointers => "pointers in big-endian memory",
        BitsInMemory => "a value in memory whose width is not a multiple of 8",
        Instruction => "an instruction without a rule",
        IndexOutOfStructure => "an index outside a structure",
        IndexIntoScalar => "an index into a type without parts",
        AllocaOfUnknownSize => "an `alloca` of unknown size",
        AllocaWithLoop => "an `alloca` outside the entry block of a function with a loop",
        UnknownLayout => "a value of unknown layout",
        PhiWithoutEdge => "a phi without a value for an edge",
        X86Float => "`x86_fp80`",
        PointerWidth => "pointers of other than 64 bits",
        AttributesDiffer => "attributes of the function differ",
        NoFpClass => "`nofpclass`",
        NoAccess => "an instruction where an access is needed",
        LoopsDiffer => "loops differ",
        IndexWidth => "`getelementptr` indices of other than 64 bits",
        CallsDiffer => "calls or other events differ",
        BitcastOfPointers => "`bitcast` between pointers and other types",
        BitcastBetweenSizes => "`bitcast` between types of different sizes",
        AssumeBundles => "`llvm.assume` with operand bundles",
        TypesDiffer => "types of the function differ",
        LayoutsDiffer => "data layouts differ",
        EmptyVector => "an empty vector",
        AllocaWords => "an `alloca` that is `inalloca` or `swifterror`",
        LargeAccess => "an access to many bytes",
        AccessOfUnknownSize => "an access of unknown size",
        AddressSpace => "an access in another address space",
        WideInteger => "a very wide integer",
        ScalarExpected => "a vector where a scalar is needed",
        UseBeforeDefinition => "a value used before it is defined",
        ManyParts => "a value of many parts",
        PhiFlagsInLoop => "a phi with fast-math flags in a loop",
        IrreducibleLoop => "a loop with two entries",
        LifetimeOfOther => "a lifetime intrinsic on an object that is not an `alloca`",
        LifetimeWithLoop => "a lifetime intrinsic in a function with a loop",
        UnnamedGlobal => "a global without a name",
        GlobalsDiffer => "a global differs",
        GlobalOfUnknownSize => "a global of unknown size",
        CopyOfUnknownLength => "a copy of unknown length from or to an `alloca`",
        ReturnsTwice => "a call of a `returns_twice` function",
        CallKind => "a call that is not by `call`, `invoke` or `tail call`",
        RangeMetadata => "`!range` without bounds",
        AlignMetadata => "`!align` without a number",
        NoSuchFunction => "the function is not in both modules",
    }
}

reasons! {
    /// Why questions were put and nothing follows from the answers.
    Undecided {
        NoAnswer => "there is no answer",
        GaveUp => "the solver gave up",
        Silent => "the solver said nothing",
        Said(words: Box<str>) => "the solver said {words}",
        NotUnderstood => "an assignment that is not understood",
        Approximation(of: Approximation) => "the question approximates {of}",
    }
}

reasons! {
    /// What a question does not say exactly: `unsat` proves, `sat` means nothing.
    Approximation {
        GlobalAlignment => "the alignment of a global",
        PointerOfNumber => "a pointer made of a number",
        SignOfZero => "the sign of a zero",
        FloatArithmetic => "float arithmetic",
        FloatConversion => "a conversion of floats",
        Call => "a call",
        VolatileOrAtomic => "a volatile or atomic access",
        Loop => "a loop",
        MemoryAttributes => "attributes about memory",
        MemoryMetadata => "metadata about memory",
        BitsInMemory => "a value in memory whose width is not a multiple of 8",
        ConstantMemory => "a write to constant memory",
        TiedChoices => "the choices of the source",
    }
}

impl std::error::Error for Unsupported {}

impl From<Construct> for Unsupported {
    fn from(construct: Construct) -> Unsupported {
        Unsupported::Construct(construct)
    }
}

pub(crate) fn unsupported<T>(why: impl Into<Unsupported>) -> Result<T, Unsupported> {
    Err(why.into())
}
