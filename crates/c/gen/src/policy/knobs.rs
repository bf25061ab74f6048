//! The knobs of the `yarp` engine: name, default, meaning. The text of a knob is what
//! `gainsay gen --explain` prints.

use super::Alternatives;

/// A chance in percent.
#[derive(Debug)]
pub struct ChanceKnob {
    /// Its name in files.
    pub key: &'static str,
    /// What it decides.
    pub doc: &'static str,
    /// Percent.
    pub default: u32,
    /// Drawn anew for each program.
    pub shuffled: bool,
}

/// A uniform distribution over a range of whole numbers.
#[derive(Debug)]
pub struct RangeKnob {
    /// Its name in files.
    pub key: &'static str,
    /// What it decides.
    pub doc: &'static str,
    /// Both ends.
    pub default: (i64, i64),
    /// The limits in a policy file.
    pub limits: (i64, i64),
    /// Drawn anew for each program.
    pub shuffled: bool,
}

/// Weighted alternatives.
#[derive(Debug)]
pub struct WeightKnob {
    /// Its name in files.
    pub key: &'static str,
    /// What it decides.
    pub doc: &'static str,
    /// Label and weight of each.
    pub labels: &'static [(&'static str, u32)],
    /// Drawn anew for each program.
    pub shuffled: bool,
}

/// A knob by its position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KnobId {
    /// In [`CHANCES`].
    Chance(usize),
    /// In [`RANGES`].
    Range(usize),
    /// In [`WEIGHTS`].
    Weights(usize),
}

macro_rules! is_shuffled {
    () => {
        true
    };
    (fixed) => {
        false
    };
}

macro_rules! chances {
    ($(#[doc = $doc:literal] $name:ident $key:literal $default:literal $($mode:ident)?;)*) => {
        /// Chances in percent.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Chance { $(#[doc = $doc] $name),* }

        /// All chances.
        pub const CHANCES: &[ChanceKnob] = &[$(ChanceKnob {
            key: $key, doc: $doc, default: $default, shuffled: is_shuffled!($($mode)?),
        }),*];
    };
}

macro_rules! ranges {
    ($(#[doc = $doc:literal] $name:ident $key:literal $low:literal..$high:literal
        in $least:literal..$most:literal $($mode:ident)?;)*) => {
        /// Ranges of whole numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Range { $(#[doc = $doc] $name),* }

        /// All ranges.
        pub const RANGES: &[RangeKnob] = &[$(RangeKnob {
            key: $key, doc: $doc, default: ($low, $high), limits: ($least, $most),
            shuffled: is_shuffled!($($mode)?),
        }),*];
    };
}

macro_rules! weights {
    ($(#[doc = $doc:literal] $name:ident $key:literal $(($mode:ident))?
        { $($variant:ident $label:literal $weight:literal),* $(,)? })*) => {
        #[allow(clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        enum Position { $($name),* }

        $(
            #[doc = $doc]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[allow(missing_docs)]
            pub enum $name { $($variant),* }

            impl Alternatives for $name {
                const KNOB: usize = Position::$name as usize;
                const ALL: &'static [Self] = &[$($name::$variant),*];
            }
        )*

        /// All weighted alternatives.
        pub const WEIGHTS: &[WeightKnob] = &[$(WeightKnob {
            key: $key, doc: $doc, labels: &[$(($label, $weight)),*],
            shuffled: is_shuffled!($($mode)?),
        }),*];
    };
}

chances! {
    /// A program has distributions of its own, drawn around these.
    Shuffle "policy.shuffle" 40 fixed;
    /// A subtree is built from one operator context only.
    ContextExpr "context.expr" 8;
    /// A block is built from one operator context only.
    ContextBlock "context.block" 8;
    /// A subtree has only constants, or constants for half of its leaves.
    ConstantContext "context.constants" 5;
    /// A block works mostly in one type.
    ContextType "context.type" 30;
    /// A constant is one used before, or made from one.
    ConstantReuse "constant.reuse" 25;
    /// An expression is kept, to be used again.
    CseKeep "cse.keep" 20;

    /// A struct member is a bit-field.
    BitField "types.bit_field" 25;
    /// A struct is packed.
    Packed "types.packed" 6;
    /// A new array, struct or union has an existing type.
    TypeReuse "types.reuse" 50;
    /// An input is const.
    Const "data.const" 25;
    /// A variable is volatile.
    Volatile "data.volatile" 5;
    /// An array's length is its test's common one.
    CommonLength "data.common_length" 75;
    /// A variable without initialiser, or a member or element left out of one, is zero.
    ZeroInit "data.zero_init" 15;
    /// A variable that is read and written is static in the file of the tests.
    Static "data.static" 20;
    /// A test takes inputs as parameters.
    TestParams "test.params" 35;
    /// Parameters and local pointers into arrays are restrict.
    Restrict "test.restrict" 15;

    /// An `if` has an `else`.
    Else "stmt.else" 45;
    /// A loop has a conditional break or continue.
    LoopExit "loop.exit" 20;
    /// A loop's bound is an input rather than a constant.
    LoopBoundInput "loop.bound_input" 40;
    /// A loop nest runs over a common range of its test's arrays.
    LoopFull "loop.full" 70;
    /// A case falls through to the next.
    FallThrough "switch.fall_through" 25;
    /// A function of a test is static.
    StaticFunction "call.static" 70;
    /// A function is recursive, to a bounded depth.
    Recursive "call.recursive" 15;
    /// A function changes globals, and is then called by statements only.
    Impure "call.impure" 35;
    /// An assignment or increment stands inside an expression.
    Effect "expr.effect" 3;
    /// A shift is by a constant that is in range.
    ShiftConstant "expr.shift_constant" 60;
    /// A division is by a constant.
    DivisorConstant "expr.divisor_constant" 40;
    /// Array elements are accessed with `.at()` where C++ allows it.
    At "cxx.at" 30;
    /// A global is a static member of a struct in C++.
    StaticMember "cxx.static_member" 8;
    /// A local is an array or a struct.
    LocalAggregate "stmt.local_aggregate" 12;
    /// An output that is a scalar is a new one, so that nothing overwrites it.
    FreshOutput "stmt.fresh_output" 40;
    /// An array walk is conditional.
    WalkIf "loop.walk_if" 30;
    /// A local variable of a test goes into an output at its end.
    Flush "test.flush" 60;
    /// Repairs may use GNU's `a ?: b` and `__int128`; not at all if 0.
    RepairGnu "repair.gnu" 100 fixed;
    /// Pointers may point to locals of the same test.
    LocalAddress "pointer.to_local" 40;
}

ranges! {
    /// Test functions in a program.
    Tests "program.tests" 10..20 in 1..1000 fixed;
    /// Statements at the top of a test.
    TestSize "test.statements" 4..10 in 1..1000;
    /// Statements of a nested block.
    BlockSize "block.statements" 1..4 in 1..100;
    /// Greatest depth of nested blocks in a test.
    BlockDepth "block.depth" 2..4 in 0..20;
    /// Greatest depth of an expression.
    ExprDepth "expr.depth" 1..5 in 0..20;
    /// Machine steps that a test may cost, by estimate.
    Cost "test.cost" 2000..6000 in 100..10000000 fixed;
    /// Struct types of a program.
    Structs "types.structs" 2..5 in 0..100;
    /// Union types of a program.
    Unions "types.unions" 0..2 in 0..100;
    /// Enumerated types of a program.
    Enums "types.enums" 1..2 in 0..100;
    /// Members of a struct or union.
    Fields "types.fields" 1..6 in 1..100;
    /// Input variables of a test.
    Inputs "data.inputs" 3..8 in 1..1000;
    /// Variables of a test that are read and written.
    Mixed "data.mixed" 2..7 in 0..1000;
    /// Output variables of a test.
    Outputs "data.outputs" 2..5 in 1..1000;
    /// Length of an array.
    ArrayLength "data.array_length" 2..24 in 1..10000;
    /// Iterations of a loop that does not walk an array.
    Iterations "loop.iterations" 1..12 in 1..100000;
    /// Cases of a switch.
    Cases "switch.cases" 2..6 in 1..1000;
    /// Cases of a table.
    TableCases "switch.table_cases" 3..12 in 1..1000;
    /// Helper functions of a test.
    Helpers "call.helpers" 0..3 in 0..100;
    /// Depth of a recursion.
    RecursionDepth "call.recursion_depth" 1..5 in 1..1000;
    /// Expressions kept for another use.
    CseBuffer "cse.buffer" 2..12 in 0..1000;
    /// Constants kept for another use.
    ConstantBuffer "constant.buffer" 2..12 in 0..1000;
}

weights! {
    /// The kind of a statement.
    Statement "stmt.kind" {
        Declare "declare" 22, Assign "assign" 34, AssignOp "compound_assign" 14,
        Increment "increment" 5, If "if" 10, For "for" 12, While "while" 4, Do "do" 4,
        Reduce "reduction" 6, Walk "array_walk" 9, PointerWalk "pointer_walk" 3,
        Switch "switch" 3, Table "table" 2, Memory "memory" 3, Call "call" 4, Point "pointer_assign" 4, Copy "struct_copy" 3,
        Skip "goto" 1, Floats "float" 0, Vectors "vector" 0,
    }
    /// The kind of an inner node of an expression.
    Node "expr.node" {
        Binary "binary" 50, Unary "unary" 12, Ternary "ternary" 6, Cast "cast" 10,
        Cse "cse" 10, Leaf "leaf" 16, Call "call" 4, Comma "comma" 1, Idiom "idiom" 12,
        Block "statement_expression" 1, Builtin "builtin" 3,
    }
    /// A shape that optimisers look for.
    Idiom "expr.idiom" {
        Rotate "rotate" 6, ByteSwap "byte_swap" 1, Field "bit_field" 10, MaskTest "mask_test" 10,
        RangeTest "range_test" 10, MinMax "min_max" 10, Abs "abs" 5, Sign "sign" 6,
        PowerOfTwo "power_of_two" 10, TimesSum "times_sum" 8, Absorb "absorb" 20,
        Select "select" 10, Compare "compare" 12, Extend "extend" 8,
    }
    /// The kind of a leaf of an expression.
    Leaf "expr.leaf" {
        Constant "constant" 16, Local "local" 20, Induction "induction" 10, Global "global" 16,
        Element "element" 18, Member "member" 12, Pointer "pointer" 8, Enum "enum" 2,
        Literal "compound_literal" 1, Volatile "volatile" 1,
    }
    /// Where the value of an assignment goes.
    Target "stmt.target" {
        Local "local" 20, Global "global" 20, Output "output" 25, Element "element" 20,
        Member "member" 12, Pointer "pointer" 8, Volatile "volatile" 2,
    }
    /// A unary operator.
    Unary "expr.unary" {
        Plus "plus" 4, Neg "minus" 30, BitNot "not" 30, LogNot "logical_not" 20,
    }
    /// A binary operator.
    Binary "expr.binary" {
        Add "add" 14, Sub "sub" 14, Mul "mul" 11, Div "div" 7, Rem "rem" 7, Shl "shl" 8,
        Shr "shr" 8, BitAnd "and" 11, BitOr "or" 9, BitXor "xor" 9, Lt "lt" 4, Gt "gt" 4,
        Le "le" 4, Ge "ge" 4, Eq "eq" 5, Ne "ne" 5, LogAnd "logical_and" 4, LogOr "logical_or" 4,
    }
    /// The operators a context is restricted to.
    Context "context.kind" {
        Additive "additive" 20, Bitwise "bitwise" 20, Logical "logical" 10,
        Multiplicative "multiplicative" 10, BitwiseShift "bitwise_shift" 20,
        AdditiveMultiplicative "additive_multiplicative" 20,
    }
    /// How many leaves are constants where that is restricted.
    ConstantShare "context.constant_share" { Half "half" 90, All "all" 10 }
    /// The value of a new constant.
    ConstantKind "constant.kind" {
        Uniform "uniform" 15, Small "small" 40, Limit "limit" 20, Block "bit_block" 25,
    }
    /// What becomes of a constant that is used again.
    ConstantChange "constant.change" {
        Same "same" 40, Negated "negated" 20, Complement "complement" 25, Next "next" 8,
        Previous "previous" 7,
    }
    /// An integer type.
    IntType "types.int" {
        Bool "bool" 4, Char "char" 4, SChar "signed_char" 7, UChar "unsigned_char" 9,
        Short "short" 10, UShort "unsigned_short" 10, Int "int" 26, UInt "unsigned_int" 18,
        Long "long" 10, ULong "unsigned_long" 10, LLong "long_long" 6, ULLong "unsigned_long_long" 6,
    }
    /// A member of a struct or union.
    FieldKind "types.field" {
        Int "int" 60, Array "array" 15, Struct "struct" 12, Enum "enum" 3, Pointer "pointer" 0,
    }
    /// What a global is.
    DataKind "data.kind" {
        Scalar "scalar" 34, Array "array" 34, Array2 "array_2d" 8, Array3 "array_3d" 2, Struct "struct" 12,
        StructArray "struct_array" 5, Union "union" 3, Enum "enum" 2, Pointer "pointer" 8,
        PointerPointer "pointer_to_pointer" 1,
    }
    /// An array index.
    Index "expr.index" {
        Constant "constant" 20, Induction "induction" 55, Shifted "shifted" 18,
        Reversed "reversed" 8, Masked "masked" 8, Modulo "modulo" 5, Wild "wild" 2,
    }
    /// How a pointer is followed.
    PointerForm "pointer.form" { Star "star" 50, Index "index" 35, Sum "sum" 15 }
    /// The direction and test of a counted loop.
    LoopForm "loop.form" {
        Up "up" 55, UpTo "up_to" 12, Down "down" 15, NotEqual "not_equal" 8, Step "step" 10,
    }
    /// The type of a loop's counter.
    CounterType "loop.counter" {
        Int "int" 45, UInt "unsigned_int" 15, Long "long" 10, ULong "unsigned_long" 10,
        Short "short" 7, UShort "unsigned_short" 4, SChar "signed_char" 4, UChar "unsigned_char" 5,
    }
    /// What a reduction computes.
    Reduction "loop.reduction" {
        Sum "sum" 30, Xor "xor" 15, Or "or" 10, And "and" 10, Product "product" 10, Min "min" 12,
        Max "max" 12, Count "count" 10,
    }
    /// How an array is represented in C++.
    Container "cxx.container" {
        CArray "c_array" 45, StdArray "std_array" 25, Vector "std_vector" 15,
        Valarray "std_valarray" 15,
    }
}
