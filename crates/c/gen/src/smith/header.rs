//! The header of every program: integer types, the checksum, and the wrappers of operators that can be
//! undefined.
//!
//! A wrapper is `unsafe(a, b) ? a : a op b`. It is written from one table in three forms: as a
//! function, as a macro, and as a function that also reports when it was needed. The tree always has
//! functions; a macro differs from its function only in that it evaluates its first operand before its
//! second, so the machine's verdict on the function holds for the macro.

use std::collections::BTreeSet;
use std::fmt::Write;

/// An integer type of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntType {
    pub name: &'static str,
    pub bits: u32,
    pub signed: bool,
    /// The type that the name stands for.
    pub plain: &'static str,
}

pub(super) const INTS: [IntType; 8] = [
    IntType { name: "int8_t", bits: 8, signed: true, plain: "signed char" },
    IntType { name: "uint8_t", bits: 8, signed: false, plain: "unsigned char" },
    IntType { name: "int16_t", bits: 16, signed: true, plain: "short" },
    IntType { name: "uint16_t", bits: 16, signed: false, plain: "unsigned short" },
    IntType { name: "int32_t", bits: 32, signed: true, plain: "int" },
    IntType { name: "uint32_t", bits: 32, signed: false, plain: "unsigned int" },
    IntType { name: "int64_t", bits: 64, signed: true, plain: "long" },
    IntType { name: "uint64_t", bits: 64, signed: false, plain: "unsigned long" },
];

impl IntType {
    /// Greatest value, as a constant expression.
    fn max(&self) -> &'static str {
        if self.bits == 64 { "9223372036854775807L" } else { "2147483647" }
    }

    /// Least value, as a constant expression.
    fn min(&self) -> &'static str {
        if self.bits == 64 { "(-9223372036854775807L - 1)" } else { "(-2147483647 - 1)" }
    }

    /// Bits of the type that operators work in.
    fn promoted(&self) -> u32 {
        self.bits.max(32)
    }

    /// Whether operators work in a signed type.
    fn promotes_to_signed(&self) -> bool {
        self.signed || self.bits < 32
    }

    fn letter(&self) -> char {
        if self.signed { 's' } else { 'u' }
    }
}

/// The operators that have wrappers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WrappedOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Lshift,
    Rshift,
    Minus,
}

impl WrappedOp {
    pub(super) const ALL: [WrappedOp; 8] = [
        WrappedOp::Add,
        WrappedOp::Sub,
        WrappedOp::Mul,
        WrappedOp::Div,
        WrappedOp::Mod,
        WrappedOp::Lshift,
        WrappedOp::Rshift,
        WrappedOp::Minus,
    ];

    fn name(self) -> &'static str {
        match self {
            WrappedOp::Add => "add",
            WrappedOp::Sub => "sub",
            WrappedOp::Mul => "mul",
            WrappedOp::Div => "div",
            WrappedOp::Mod => "mod",
            WrappedOp::Lshift => "lshift",
            WrappedOp::Rshift => "rshift",
            WrappedOp::Minus => "unary_minus",
        }
    }

    fn symbol(self) -> &'static str {
        match self {
            WrappedOp::Add => "+",
            WrappedOp::Sub | WrappedOp::Minus => "-",
            WrappedOp::Mul => "*",
            WrappedOp::Div => "/",
            WrappedOp::Mod => "%",
            WrappedOp::Lshift => "<<",
            WrappedOp::Rshift => ">>",
        }
    }

    pub(super) fn is_shift(self) -> bool {
        matches!(self, WrappedOp::Lshift | WrappedOp::Rshift)
    }
}

/// An operator on a type, with its undefined cases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapper {
    pub op: WrappedOp,
    pub int: IntType,
    /// Whether the count of a shift is signed.
    signed_count: bool,
}

/// All wrappers: every operator on every type on which it can be undefined.
pub(super) fn wrappers() -> Vec<Wrapper> {
    let mut all = Vec::new();
    for op in WrappedOp::ALL {
        for int in INTS {
            let wrapper = |signed_count| Wrapper { op, int, signed_count };
            if op.is_shift() {
                all.extend([wrapper(true), wrapper(false)]);
            } else if wrapper(true).is_needed() {
                all.push(wrapper(true));
            }
        }
    }
    all
}

impl Wrapper {
    /// Whether any operands make it undefined.
    pub(super) fn is_needed(&self) -> bool {
        self.condition().is_some()
    }

    /// Its name as a function, `safe_add_func_int32_t_s_s`, or as a macro.
    pub(super) fn name(&self, is_macro: bool) -> String {
        let kind = if is_macro { "macro" } else { "func" };
        let (op, int, left) = (self.op.name(), self.int.name, self.int.letter());
        let right = match self.op {
            WrappedOp::Minus => String::new(),
            WrappedOp::Lshift | WrappedOp::Rshift => {
                format!("_{}", if self.signed_count { 's' } else { 'u' })
            }
            _ => format!("_{left}"),
        };
        format!("safe_{op}_{kind}_{int}_{left}{right}")
    }

    /// Types of its operands.
    fn operands(&self) -> Vec<&'static str> {
        let count = if self.signed_count { "int32_t" } else { "uint32_t" };
        match self.op {
            WrappedOp::Minus => vec![self.int.name],
            WrappedOp::Lshift | WrappedOp::Rshift => vec![self.int.name, count],
            _ => vec![self.int.name; 2],
        }
    }

    /// When the operation is undefined; `None` for never.
    fn condition(&self) -> Option<String> {
        let (min, max) = (self.int.min(), self.int.max());
        // Narrow types are promoted, so that only the result is cut.
        let overflows = self.int.signed && self.int.bits >= 32;
        let text = match self.op {
            WrappedOp::Add if overflows => {
                format!("(b > 0 && a > {max} - b) || (b < 0 && a < {min} - b)")
            }
            WrappedOp::Sub if overflows => {
                format!("(b < 0 && a > {max} + b) || (b > 0 && a < {min} + b)")
            }
            WrappedOp::Mul if overflows => format!(
                "a > 0 ? (b > 0 ? a > {max} / b : b < {min} / a) : \
                 (b > 0 ? a < {min} / b : a != 0 && b < {max} / a)"
            ),
            WrappedOp::Div | WrappedOp::Mod if overflows => {
                format!("b == 0 || (a == {min} && b == -1)")
            }
            WrappedOp::Div | WrappedOp::Mod => "b == 0".into(),
            WrappedOp::Minus if overflows => format!("a == {min}"),
            WrappedOp::Lshift | WrappedOp::Rshift => self.bad_shift(),
            _ => return None,
        };
        Some(text)
    }

    fn bad_shift(&self) -> String {
        let mut parts = Vec::new();
        if self.int.signed {
            parts.push("a < 0".to_string());
        }
        if self.signed_count {
            parts.push("b < 0".to_string());
        }
        parts.push(format!("b >= {}", self.int.promoted()));
        if self.op == WrappedOp::Lshift && self.int.promotes_to_signed() {
            parts.push(format!("a > ({} >> b)", self.int.max()));
        }
        parts.join(" || ")
    }

    fn operation(&self) -> String {
        match self.op {
            WrappedOp::Minus => "-a".into(),
            op => format!("a {} b", op.symbol()),
        }
    }

    /// The definition as a function; `note` stands before the safe result.
    fn function(&self, is_macro: bool, note: &str, more: &str) -> String {
        let params: Vec<String> = self
            .operands()
            .iter()
            .zip(["a", "b"])
            .map(|(ty, name)| format!("{ty} {name}"))
            .collect();
        let (ret, name, params) = (self.int.name, self.name(is_macro), params.join(", "));
        let condition = self.condition().unwrap_or_else(|| "0".into());
        let operation = self.operation();
        format!(
            "static {ret} {name}({params}{more})\n{{\n    \
             return ({condition}) ? {note}a : {operation};\n}}\n"
        )
    }

    fn definition(&self) -> String {
        let temporaries: String = self
            .operands()
            .iter()
            .zip([("a", "x"), ("b", "y")])
            .map(|(ty, (name, from))| format!("{ty} {name} = ({from}); "))
            .collect();
        let params = if self.op == WrappedOp::Minus { "x" } else { "x, y" };
        let condition = self.condition().unwrap_or_else(|| "0".into());
        format!(
            "#define {}({params}) ({{ {temporaries}({})(({condition}) ? a : {}); }})\n",
            self.name(true),
            self.int.name,
            self.operation()
        )
    }
}

/// The text of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderForm {
    /// Wrappers of both names as functions: what the machine executes.
    Functions,
    /// Macros as macros: what compilers get.
    AsNamed,
    /// Functions that take the number of the check and report when it was needed.
    Reporting,
}

/// The header with those wrappers that are in `used`, or all of them.
pub(super) fn header(written: HeaderForm, used: Option<&BTreeSet<String>>) -> String {
    let mut text = String::from("int printf(const char *, ...);\n");
    for int in INTS {
        let _ = writeln!(text, "typedef {} {};", int.plain, int.name);
    }
    if written == HeaderForm::Reporting {
        text.push_str(REPORTING_FUNCTION);
    }
    for wrapper in wrappers() {
        for is_macro in [false, true] {
            if used.is_some_and(|used| !used.contains(&wrapper.name(is_macro))) {
                continue;
            }
            text += &match written {
                HeaderForm::AsNamed if is_macro => wrapper.definition(),
                HeaderForm::Reporting => wrapper.function(is_macro, "needed(at), ", ", int32_t at"),
                _ => wrapper.function(is_macro, "", ""),
            };
        }
    }
    text + CHECKSUM
}

const REPORTING_FUNCTION: &str = "\
static void needed(int32_t at)
{
    printf(\"needed %d\\n\", at);
}
";

/// A CRC of 32 bits without a table: the sum of a value is mixed in byte by byte.
const CHECKSUM: &str = "\
static uint32_t crc32_context = 4294967295U;
static void transparent_crc(uint64_t value, const char *name, int print_hash_value)
{
    for (int i = 0; i < 8; i++) {
        crc32_context ^= (uint32_t)(value & 255U);
        for (int bit = 0; bit < 8; bit++)
            crc32_context = (crc32_context >> 1) ^ (3988292384U & (0U - (crc32_context & 1U)));
        value >>= 8;
    }
    if (print_hash_value)
        printf(\"...checksum after hashing %s : %X\\n\", name, crc32_context ^ 4294967295U);
}
";
