//! The kinds of construct.

use serde::{Deserialize, Serialize};

/// What a compiler can be wrong about, as far as bugs are told apart by it.
///
/// The order is from what tells most to what nearly every program has: of several constructs that a failure needs,
/// the first names it. Operators that compilers treat alike are one; signs count only where the operation depends on
/// them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Construct {
    /// Operation on vectors.
    Vector,
    /// `setjmp`, `va_arg`.
    VariableArguments,
    /// `<<`.
    LeftShift(u32),
    /// `>>`.
    RightShift(u32, Sign),
    /// `/` and `%`.
    Division(u32, Sign),
    /// `*`.
    Multiplication(u32),
    /// `&`, `|`, `^`, `~`.
    Bitwise(u32),
    /// From an integer type to another, by width and sign.
    Conversion(u32, Sign, u32),
    /// To an integer.
    FromFloat,
    /// Arithmetic on floating-point numbers.
    Float,
    /// The value of a bit-field.
    BitField,
    /// `<`, `<=`, `>`, `>=`.
    Order(u32, Sign),
    /// `==`, `!=`, `!`, `&&`, `||` on integers.
    Equality(u32),
    /// `+`, `-`, `++`, `--`.
    Addition(u32),
    /// Comparison and difference of pointers.
    Pointers,
    /// `?:`.
    Conditional,
    /// Assignment of a structure or union.
    StructureAssignment,
    /// `switch`.
    Switch,
    /// `goto`.
    Goto,
    /// Assignment to a variable, an element, a member: the store, not the value.
    Assignment,
    /// The value of a structure's or union's member.
    Member,
    /// The value that a pointer points to.
    Dereference,
    /// The value of an element.
    Element,
    /// The value of a parameter.
    Parameter,
    /// Loops.
    Loop,
    /// `if`.
    If,
    /// A call of a function of the program.
    Call,
    /// The value of a variable.
    Variable,
}

/// Whether an operation takes its operands for signed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// Signed.
    Signed,
    /// Unsigned.
    Unsigned,
}

impl Sign {
    pub(crate) fn of(signed: bool) -> Sign {
        if signed { Sign::Signed } else { Sign::Unsigned }
    }

    fn word(self) -> &'static str {
        match self {
            Sign::Signed => "signed",
            Sign::Unsigned => "unsigned",
        }
    }
}

impl Construct {
    /// Whether nearly every bug is gone with it masked: an optimiser knows little of a program whose variables
    /// are volatile.
    pub fn hides_much(self) -> bool {
        match self {
            Construct::Assignment
            | Construct::Member
            | Construct::Dereference
            | Construct::Element
            | Construct::Parameter
            | Construct::Variable => true,
            Construct::Vector
            | Construct::VariableArguments
            | Construct::LeftShift(_)
            | Construct::RightShift(..)
            | Construct::Division(..)
            | Construct::Multiplication(_)
            | Construct::Bitwise(_)
            | Construct::Conversion(..)
            | Construct::FromFloat
            | Construct::Float
            | Construct::BitField
            | Construct::Order(..)
            | Construct::Equality(_)
            | Construct::Addition(_)
            | Construct::Pointers
            | Construct::Conditional
            | Construct::StructureAssignment
            | Construct::Switch
            | Construct::Goto
            | Construct::Loop
            | Construct::If
            | Construct::Call => false,
        }
    }

    /// In words, for titles: `64-bit left shift`.
    pub fn words(self) -> String {
        let text = match self {
            Construct::LeftShift(bits) => return format!("{bits}-bit left shift"),
            Construct::RightShift(bits, sign) => {
                return format!("{} {bits}-bit right shift", sign.word());
            }
            Construct::Division(bits, sign) => {
                return format!("{} {bits}-bit division or remainder", sign.word());
            }
            Construct::Multiplication(bits) => return format!("{bits}-bit multiplication"),
            Construct::Bitwise(bits) => return format!("{bits}-bit bitwise operation"),
            Construct::Conversion(from, sign, to) => {
                return format!("conversion of {} {from}-bit values to {to} bits", sign.word());
            }
            Construct::Order(bits, sign) => {
                return format!("{} {bits}-bit comparison", sign.word());
            }
            Construct::Equality(bits) => return format!("{bits}-bit test for equality"),
            Construct::Addition(bits) => return format!("{bits}-bit addition or subtraction"),
            Construct::Vector => "vector operation",
            Construct::VariableArguments => "variable arguments",
            Construct::FromFloat => "conversion of a floating-point number to an integer",
            Construct::Float => "floating-point arithmetic",
            Construct::BitField => "bit-field",
            Construct::Pointers => "comparison or difference of pointers",
            Construct::Conditional => "conditional expression",
            Construct::StructureAssignment => "structure assignment",
            Construct::Switch => "switch",
            Construct::Goto => "goto",
            Construct::Assignment => "assignment",
            Construct::Member => "structure member",
            Construct::Dereference => "value behind a pointer",
            Construct::Element => "array element",
            Construct::Parameter => "parameter",
            Construct::Variable => "variable",
            Construct::Loop => "loop",
            Construct::If => "if",
            Construct::Call => "function call",
        };
        text.into()
    }
}
