//! How an execution can end. *The program is undefined*, *we do not support this* and *we
//! have a bug* are never conflated.

use ctree::{ExprId, Span, StmtId};

/// A node of the tree: what a [`Verdict`] is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Node {
    /// An expression.
    Expr(ExprId),
    /// A statement.
    Stmt(StmtId),
}

/// How an execution ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// `main` returned or `exit` was called, with this status; or `abort` was called.
    Finished(Exit),
    /// Executed code has undefined behaviour.
    Undefined(UbKind, Verdict),
    /// The program's result depends on unspecified behaviour.
    Unspecified(UnspecKind, Verdict),
    /// Executed code uses what the machine does not model.
    Unsupported(Verdict),
    /// The step limit was reached.
    OutOfFuel,
    /// The memory or call-depth limit was reached; says which.
    OutOfMemory(Verdict),
    /// The machine contradicts itself: our bug, to be reported. It says nothing about the program.
    Internal(String),
}

/// How a finished program exited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// With a status, already reduced to what the host sees (0 to 255).
    Status(u8),
    /// Through `abort` or a trap: the host sees SIGABRT or SIGILL.
    Abort,
}

/// Where and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// Location in the source.
    pub span: Span,
    /// Node to repair, where one is known.
    pub node: Option<Node>,
    /// The values involved, or what is not supported, in one phrase without a full stop.
    pub detail: String,
    /// A second location (of the other side effect, or the declaration), with what it is.
    pub other: Option<(Span, &'static str)>,
}

macro_rules! kinds {
    ($(#[$doc:meta])* $enum_name:ident { $($variant:ident: $name:literal, $clause:literal, $rule:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum $enum_name {
            $(#[doc = $rule] $variant,)*
        }

        impl $enum_name {
            /// All kinds.
            pub const ALL: &'static [$enum_name] = &[$($enum_name::$variant),*];

            /// Short stable name, as used in `--json` and for the folders of `tests/`.
            pub fn name(self) -> &'static str {
                match self { $($enum_name::$variant => $name),* }
            }

            /// The clause of C11 that says so.
            pub fn clause(self) -> &'static str {
                match self { $($enum_name::$variant => $clause),* }
            }

            /// The rule that was broken, as one sentence.
            pub fn rule(self) -> &'static str {
                match self { $($enum_name::$variant => $rule),* }
            }
        }
    };
}

kinds! {
    /// Undefined behaviours that the machine detects.
    UbKind {
        SignedOverflow: "signed-overflow", "6.5p5", "the result of a signed operation must fit its type";
        DivByZero: "div-by-zero", "6.5.5p5", "the divisor of / and % must not be zero";
        DivOverflow: "div-overflow", "6.5.5p6", "the quotient of / and % must fit the type";
        ShiftCount: "shift-count", "6.5.7p3", "a shift count must be at least zero and less than the width of the promoted left operand";
        ShiftOverflow: "shift-overflow", "6.5.7p4", "the left operand of << must be non-negative and the result must fit its type";
        FloatToInt: "float-to-int", "6.3.1.4p1", "the integral part of a floating value converted to an integer must fit the integer type";
        NullDeref: "null-deref", "6.5.3.2p4", "a null pointer must not be dereferenced";
        InvalidPointer: "invalid-pointer", "6.5.3.2p4", "a pointer that was made from an integer designates no object";
        OutOfBounds: "out-of-bounds", "6.5.6p8", "an access must lie within the object (and the array) that the pointer points into";
        OnePast: "one-past", "6.5.6p8", "a pointer one past the last element must not be dereferenced";
        Misaligned: "misaligned", "6.3.2.3p7", "a pointer must be aligned for the type it is used with";
        PointerArith: "pointer-arith", "6.5.6p8", "pointer arithmetic must stay within the array or one past its end";
        PointerCompare: "pointer-compare", "6.5.8p5", "relational operators need pointers into the same object";
        PointerSub: "pointer-sub", "6.5.6p9", "subtracted pointers must point into the same array";
        Dangling: "dangling", "6.2.4p2", "a pointer to an object whose lifetime has ended must not be used";
        Indeterminate: "indeterminate", "6.3.2.1p2", "an object must be initialised before it is read";
        Unsequenced: "unsequenced", "6.5p2", "a side effect on an object must be sequenced with respect to other side effects on it and reads of it";
        ConstWrite: "const-write", "6.7.3p6", "an object defined const must not be modified";
        StringWrite: "string-write", "6.4.5p7", "a string literal must not be modified";
        CallType: "call-type", "6.5.2.2p9", "a function must be called with a type compatible with its definition";
        CallArgs: "call-args", "6.5.2.2p6", "the arguments of a call without a prototype must agree with the parameters";
        MissingReturn: "missing-return", "6.9.1p12", "the value of a call must not be used if the function ended without returning one";
        Aliasing: "aliasing", "6.5p7", "an object must be accessed through an lvalue of a compatible type";
        Overlap: "overlap", "6.5.16.1p3", "an object must not be assigned from one that overlaps it inexactly";
        VolatileAccess: "volatile-access", "6.7.3p6", "an object defined volatile must be accessed through a volatile lvalue";
        BadFree: "bad-free", "7.22.3.3p2", "free and realloc take a pointer that an allocation function returned and that was not freed";
        Library: "library", "7.1.4p1", "a library function must be called with valid arguments";
        Format: "format", "7.21.6.1p9", "a conversion specification must agree with the type of its argument";
        VaArg: "va-arg", "7.16.1.1p2", "va_arg must name the type of the next argument, and there must be one";
        TrapValue: "trap-value", "6.2.6.1p5", "a byte pattern that does not represent a value of the type must not be read";
        Unreachable: "unreachable", "4p2", "code marked unreachable must not be reached";
        NoReturn: "noreturn", "6.7.4p8", "a _Noreturn function must not return";
        MultipleDefinition: "multiple-definition", "6.9p5", "an external name must be defined exactly once, with compatible types";
    }
}

kinds! {
    /// Unspecified behaviour that the program's result depends on.
    UnspecKind {
        EvalOrder: "eval-order", "6.5p3", "the result must not depend on the order in which operands are evaluated";
        CallOrder: "call-order", "6.5.2.2p10", "the result must not depend on the order of calls that are indeterminately sequenced";
        Padding: "padding", "6.2.6.1p6", "padding bytes have no specified value";
        Address: "address", "6.3.2.3p6", "the address of an object as a number is not specified";
        StringIdentity: "string-identity", "6.4.5p7", "whether string literals share storage is not specified";
        PointerEquality: "pointer-equality", "6.5.9p6", "whether a pointer one past an object equals one to the next is not specified";
        ImplementationValue: "implementation-value", "3.4.1", "the value differs between implementations of the same target";
        ExitStatus: "exit-status", "5.1.2.2.3p1", "the exit status is not specified where main does not return int";
    }
}
