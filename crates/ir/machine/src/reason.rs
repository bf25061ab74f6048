//! Reasons: why an execution is UB, why it cannot be decided, and what is not supported.
//!
//! They are data, so that they can be counted; [`fmt::Display`] says them. A reason that is about a construct
//! carries it. *Undef* and *UB* are never both called undefined.

use std::fmt;

/// Defines an enum of reasons: variants, with at most one datum each, and what [`fmt::Display`] says.
#[macro_export]
macro_rules! reasons {
    ($(#[$meta:meta])* $name:ident {
        $($variant:ident $(($datum:ident: $type:ty))? => $text:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = $text] $variant $(($type))?,)*
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    $($name::$variant $(($datum))? => ::std::write!(f, $text),)*
                }
            }
        }
    };
}

reasons! {
    /// Why an execution, or a comparison of two, cannot be decided.
    Reason {
        Unsupported(construct: Construct) => "not supported: {construct}",
        LibraryFunction(name: Box<str>) => "library function {name}",
        NotTheLibrarys(name: Box<str>) => "function {name}, which has the name of a library function and is not it",
        AssumeBundle(name: Box<str>) => "`llvm.assume` with an operand bundle {name}",
        NotOnBothSides(name: Box<str>) => "@{name} is not in both modules",
        TooManyValues => "the set of values of an undef operand is too large",
        InTarget(reason: Box<Reason>) => "in the target: {reason}",
        VectorExpected => "a scalar where a vector is needed",
        PartsExpected => "a scalar where a value with parts is needed",
        ScalarExpected => "a value with parts where a scalar is needed",
        FloatExpected => "a value of another type where a float is needed",
        FloatOperationExpected => "an integer operation on floats",
        IntegerOperationExpected => "a float operation on integers",
        IntegerExpected => "a value of another type where an integer is needed",
        PointerExpected => "a value of another type where a pointer is needed",
        ShapesDiffer => "operands of different shapes",
        WidthOfFloat => "a float of another width than its format",
        IndexOutOfAggregate => "an index beyond an aggregate's parts",
        LaneOutOfShuffle => "a mask of `shufflevector` beyond its operands",
        BlockWithoutTerminator => "a basic block without a terminator",
        PhiWithoutPredecessor => "a phi without a value for a predecessor",
        CallWithoutBody => "a call of a function without a body that may be executed",
        NoSuchOperation => "an instruction where an operation is needed",
        UndefMask => "a mask that is undef",
        LanesBelowByte => "a masked access to lanes of fewer than 8 bits",
        FillOfSet => "`llvm.memset` with one of several values",
        AliasMetadataDiffers => "memory accessed with different alias metadata",
        LengthOfCopy => "`llvm.memcpy` or `llvm.memset` with one of several lengths",
        AccessAtPlainAddress => "an access at an address that is not known to be an object's",
        DereferenceablePlainAddress => "`dereferenceable` on an address that is not known to be an object's",
        ByvalPlainAddress => "`byval` of an address that is not known to be an object's",
        InboundsPlainAddress => "`inbounds` arithmetic on an address that is not known to be an object's",
        ResultOfExternalCall => "a result of an external function that its attributes do not allow",
        UndefPassedOut => "undef or poison passed to an external function whose result depends on it",
        KindOfNan => "whether a NaN is quiet or signaling",
        AddressOfLocalAlignment => "the address of a local object (alignment)",
        InputArguments => "an input with another number of arguments",
        InputAlignment => "an input whose object has an alignment that is not a power of two",
        InputOverlaps => "an input with two objects at one address",
        InputWithoutBlock => "an input that points to an object it does not have",
        InputWithoutGlobal => "an input that points to a global that does not exist",
        InputShape => "an input of another type",
        NoaliasReachable => "a `noalias` pointer to an object that another argument reaches",
        ObjectSize => "`llvm.objectsize`",
        VolatileIntrinsic => "a volatile memory intrinsic",
        FmuladdRounding => "whether `llvm.fmuladd` rounds once",
        AssumedAlignment => "`llvm.assume` with an alignment that is not constant",
        LifetimeOfPart => "a lifetime intrinsic on a part of an object",
        LifetimeOfOther => "a lifetime intrinsic on an object that is not an alloca",
        AddressOfLocal => "the address of a local object",
        SmulFix => "`llvm.smul.fix`",
        UmulFixRounding => "the rounding of `llvm.umul.fix`",
        UmulFixOverflow => "an overflow of `llvm.umul.fix`",
        CttzEltsOfUndef => "`llvm.experimental.cttz.elts` of undef lanes",
        IndirectCallTarget => "an indirect call of one of several functions",
        NoaliasResult => "a `noalias` result of a function with a body",
        IndirectCallType => "an indirect call of a function of another type",
        IndirectCallDeclared => "an indirect call of a function that is declared only",
        UndefPointerArithmetic => "`getelementptr` on an undef pointer",
        UndefIndex => "`getelementptr` with an undef index",
        BeyondLocal => "`getelementptr` beyond a local object",
        UndefPointerComparison => "a comparison of an undef pointer",
        OrderBesideLocal => "the order of addresses beside a local object",
        SignOfLocalAddress => "the sign of a local object's address",
        ComparisonWithLocal => "a comparison that depends on the address of a local object",
        CallsTooDeep => "too many nested calls",
        OutOfFuel => "too many instructions: a long loop",
        LargeConstantExpression => "a large constant expression",
        LongString => "a long string",
        PrintfFormat => "a conversion of `printf` that is not supported",
        PrintfTooFewArguments => "`printf` with too few arguments",
        PrintfArgumentType => "`printf` with an argument of another type",
        LibraryFunctionType => "a library function with another type",
        AbsOfMinimum => "`abs` of the least number",
        CharacterClass => "a library function on a character that is not an integer of its type",
        AllocationOfUndefSize => "an allocation whose size is undef",
        LargeAllocation => "a large allocation",
        FreeOfOuterMemory => "`free` of an object that the caller made",
        FreeOfUnknownPointer => "`free` of an address that is not known to be an object's",
        UndefInString => "a string with an undef byte",
        StringDifference => "by how much strings differ",
        AllocaOfUnknownSize => "an `alloca` with one of several sizes",
        LargeAlloca => "a large `alloca`",
        CmpxchgOfUndef => "`cmpxchg` of undef",
        VolatileAtomic => "a volatile `cmpxchg` or `atomicrmw`",
        OutOfMemory => "too much memory",
        AccessThroughSet => "an access through one of several pointers",
        AccessAgainstParameter => "an access that a parameter's attribute excludes",
        AccessAgainstFunction => "an access that the function's memory effects exclude",
        PartlyPoison => "a load of memory that is poison in part",
        SharedChoiceCombined => "lanes combined that share one choice",
        ReductionOfLanes => "a reduction of lanes of another type",
        ClassOfFloat => "a float of unknown class",
        BitcastOfPointers => "`bitcast` between pointers and other types",
        BitcastOfVectors => "`bitcast` of vectors with other lanes",
        FastMath => "fast-math flags that allow other results",
        UndefLaneIndex => "an undef index of a lane",
        X87Encoding => "an encoding that x87 does not have",
        SetOfFloats => "a float that is one of several",
        SignOfNan => "the sign of a NaN",
        WideIntegerToFloat => "an integer of more than 128 bits converted to a float",
        FloatToWideInteger => "a float converted to an integer of more than 127 bits",
        SqrtOfWideFloat => "the square root of a float wider than `double`",
        MinnumOfSignalingNan => "`minnum` or `maxnum` of a signaling NaN",
        MinnumOfZeros => "`minnum` or `maxnum` of zeros of both signs",
        ClassOfSet => "the class of a float that is one of several",
        BitsOfNan => "the bits of a NaN",
        BitsOfPointer => "the bits of a pointer",
        SetOfIntegers => "an integer that is one of several",
        SharedChoiceStored => "lanes stored that share one choice",
        TypePunning => "memory read as another type than it was written",
        PartOfValue => "a load of a part of a value",
        PaddingBits => "the bits above an integer whose width is not a multiple of 8",
        PointerWithUndefBits => "a pointer with undef bits",
        SetsJoined => "lanes joined that are sets of values",
        SharedChoiceJoined => "lanes joined that share one choice",
        SetSplit => "a set of values split into lanes",
        CallType => "a call with another type on the other side",
        VolatileStoreType => "a volatile store of another type on the other side",
        LocalSeenByCall => "which local object a call sees",
        GlobalSize => "a global of another size on the other side",
        BlockSize => "an object of another size on the other side",
        LocalPointerInMemory => "a pointer into a local object, in memory",
        PointerInMemory => "which pointer is in memory",
        PartsInMemory => "parts of values in memory",
        LocalPointer => "a pointer into a local object",
        SetsCompared => "sets of values that cannot be compared",
        UnsupportedEncoding => "a float in an encoding that processors do not have",
        Provenance => "pointers with one address and different provenance",
        NoResult => "an execution without a result",
        NoBody => "the function has no body that may be executed",
        TooManyChoices => "too many choices",
        NotReproduced => "two executions of one input differ",
        SourceAlwaysUb => "the source is UB on every input that was tried",
        TypeChanged => "the type of the function has changed",
        LayoutChanged => "the data layout has changed",
        LocalAttributesChanged => "attributes of a local function have changed",
    }
}

reasons! {
    /// What is not supported: a construct of the language, or of a module.
    Construct {
        DataLayout(why: Box<str>) => "data layout: {why}",
        Type(name: Box<str>) => "type {name}",
        WrappedConstant(name: Box<str>) => "constant `{name}`",
        AddressSpace(number: u32) => "pointers of address space {number}",
        Intrinsic(name: Box<str>) => "intrinsic {name}",
        OperandBundle(name: Box<str>) => "operand bundle {name}",
        CallAttribute(name: Box<str>) => "a call with `{name}`",
        FunctionAttribute(name: Box<str>) => "function attribute `{name}`",
        ParameterAttribute(name: Box<str>) => "a parameter with `{name}`",
        ArgumentAttribute(name: Box<str>) => "an argument with `{name}`",
        ResultAttribute(name: Box<str>) => "a result with `{name}`",
        LoadMetadata(name: Box<str>) => "a load with `{name}`",
        AllocaWord(words: Box<str>) => "`alloca {words}`",
        AtomicRmw(operation: Box<str>) => "`atomicrmw {operation}`",
        MissingSymbol(name: Box<str>) => "@{name}, which is not defined or declared",
        NotAnOperation => "an instruction as an operation",
        LargeAlloca => "a large `alloca`",
        PpcFloat => "`ppc_fp128`",
        AddrSpaceCast => "`addrspacecast`",
        UnsizedType => "a type without size",
        OpaqueType => "an opaque type",
        FieldIndex => "an index of a structure's field that is not constant or out of range",
        ShuffleMask => "a mask of `shufflevector` that is not constant",
        Token => "a token",
        ThreadLocal => "a `thread_local` variable",
        InlineAssembly => "inline assembly",
        UnsizedVariable => "a variable without size",
        FloatOperandExpected => "a float operation on another type",
        ExternWeak => "an `extern_weak` symbol",
        Alias => "an alias",
        ReplaceableAlias => "an alias that may be replaced at link time",
        Constructors => "a variable of a module with constructors",
        SwitchOperand => "a `switch` on another type than an integer",
        Splat => "a `splat` of another type than a vector",
        ScalableVector => "a scalable vector",
        IndirectBr => "`indirectbr`",
        Resume => "`resume`",
        CallBr => "`callbr`",
        LandingPad => "`landingpad`",
        Funclet => "a funclet",
        VaArg => "`va_arg`",
        MisplacedPhi => "a phi below other instructions",
        PtrAuth => "`ptrauth`",
        BlockAddress => "`blockaddress`",
        MetadataOperand => "metadata as an operand",
        LargeVariable => "a large variable",
        LargeArray => "a large array as a value",
        InRange => "`inrange`",
        GepIntoScalar => "`getelementptr` into a type without parts",
        VariadicFunction => "a function with variable arguments",
        DenormalMode => "`denormal-fp-math` other than IEEE's",
        CallTypeOrConvention => "a call with another type or calling convention",
        Allocator => "a call of an allocator (`allockind`)",
        VectorVariant => "a call of a function with a vector variant",
        TypeWithoutValues => "a type without values",
    }
}

reasons! {
    /// Undefined behaviour.
    Ub {
        AccessThroughPoison(access: AccessKind) => "{access} through poison",
        AccessThroughUndef(access: AccessKind) => "{access} through undef",
        AccessThroughNull(access: AccessKind) => "{access} through null",
        AccessToDead(access: AccessKind) => "{access} in an object whose lifetime is over",
        OutOfBounds(access: AccessKind) => "{access} out of bounds",
        Misaligned(access: AccessKind) => "{access} that is not aligned",
        FalseMetadata(value: ClaimedValue) => "metadata claims of {value} what is not so",
        UndefNoundef(value: ClaimedValue) => "{value} that is `noundef` is undef or poison",
        NotDereferenceable(value: ClaimedValue) => "{value} that is `dereferenceable` leads to no memory",
        MaskedMisaligned => "a masked access that is not aligned",
        CopyOverlaps => "`llvm.memcpy` of memory that overlaps",
        CopyOutOfBounds => "a copy of more memory than there is",
        CopyOfUndefLength => "a copy of an undef or poison number of bytes",
        ByvalNull => "`byval` of null, undef or poison",
        ByvalOutOfBounds => "`byval` of memory that does not exist",
        AssumeFalse => "`llvm.assume` of false",
        AssumeUndef => "`llvm.assume` of undef or poison",
        AssumeMisaligned => "`llvm.assume` of an alignment that is not so",
        AssumeAlignmentOfUndef => "`llvm.assume` of the alignment of undef or poison",
        CallThroughUndef => "a call through undef or poison",
        CallThroughNull => "a call through null",
        NoreturnReturned => "a `noreturn` function returned",
        CallOfOther => "a call of what is not a function",
        UnreachableReached => "`unreachable` was reached",
        BranchOnPoison => "a branch on poison",
        BranchOnUndef => "a branch on undef",
        FreeOfOther => "`free` of what was not allocated",
        DoubleFree => "`free` of memory that was freed before",
        FreeOfUndef => "`free` of undef or poison",
        AllocaOfUndefSize => "an `alloca` of undef or poison size",
        StoreToConstant => "a store to a constant",
        DivisionByPoison => "a division by poison",
        DivisionByZero => "a division by zero",
        DivisionOverflow => "an overflow of a signed division",
    }
}

impl From<Construct> for Reason {
    fn from(construct: Construct) -> Reason {
        Reason::Unsupported(construct)
    }
}

/// Which kind of memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// It reads.
    Load,
    /// It writes.
    Store,
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessKind::Load => "a load",
            AccessKind::Store => "a store",
        })
    }
}

/// A value of which attributes or metadata claim something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimedValue {
    /// An argument, as callee or caller has it.
    Argument,
    /// What a function returns.
    Result,
    /// What a call returned.
    CallResult,
    /// What an external function returns.
    ExternalResult,
    /// What an `llvm.assume` is about.
    Assumed,
    /// What a load read.
    Loaded,
}

impl fmt::Display for ClaimedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClaimedValue::Argument => "an argument",
            ClaimedValue::Result => "the result",
            ClaimedValue::CallResult => "the result of a call",
            ClaimedValue::ExternalResult => "the result of an external function",
            ClaimedValue::Assumed => "an assumed value",
            ClaimedValue::Loaded => "a loaded value",
        })
    }
}
