//! What stands before every program: integer types, the checksum, and the wrappers around operators
//! that could go wrong.
//!
//! A wrapper is `unsafe(a, b) ? a : a op b`. It is written from one table in three forms: as a
//! function, as a macro, and as a function that also says when it was needed. The tree always has
//! functions; a macro differs from its function only in that it evaluates its first operand before its
//! second, so what the machine says of the function holds for the macro.

use std::collections::BTreeSet;
use std::fmt::Write;

/// An integer type of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Int {
    pub name: &'static str,
    pub bits: u32,
    pub signed: bool,
    /// What the name stands for.
    pub plain: &'static str,
}

pub(super) const INTS: [Int; 8] = [
    Int { name: "int8_t", bits: 8, signed: true, plain: "signed char" },
    Int { name: "uint8_t", bits: 8, signed: false, plain: "unsigned char" },
    Int { name: "int16_t", bits: 16, signed: true, plain: "short" },
    Int { name: "uint16_t", bits: 16, signed: false, plain: "unsigned short" },
    Int { name: "int32_t", bits: 32, signed: true, plain: "int" },
    Int { name: "uint32_t", bits: 32, signed: false, plain: "unsigned int" },
    Int { name: "int64_t", bits: 64, signed: true, plain: "long" },
    Int { name: "uint64_t", bits: 64, signed: false, plain: "unsigned long" },
];

impl Int {
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
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Lshift,
    Rshift,
    Minus,
}

impl Op {
    pub(super) const ALL: [Op; 8] =
        [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Lshift, Op::Rshift, Op::Minus];

    fn name(self) -> &'static str {
        match self {
            Op::Add => "add",
            Op::Sub => "sub",
            Op::Mul => "mul",
            Op::Div => "div",
            Op::Mod => "mod",
            Op::Lshift => "lshift",
            Op::Rshift => "rshift",
            Op::Minus => "unary_minus",
        }
    }

    fn symbol(self) -> &'static str {
        match self {
            Op::Add => "+",
            Op::Sub | Op::Minus => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Mod => "%",
            Op::Lshift => "<<",
            Op::Rshift => ">>",
        }
    }

    pub(super) fn is_shift(self) -> bool {
        matches!(self, Op::Lshift | Op::Rshift)
    }
}

/// An operator on a type, with what can go wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapper {
    pub op: Op,
    pub int: Int,
    /// Whether the count of a shift is signed.
    signed_count: bool,
}

/// All wrappers: every operator on every type on which it can be undefined.
pub(super) fn wrappers() -> Vec<Wrapper> {
    let mut all = Vec::new();
    for op in Op::ALL {
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
            Op::Minus => String::new(),
            Op::Lshift | Op::Rshift => format!("_{}", if self.signed_count { 's' } else { 'u' }),
            _ => format!("_{left}"),
        };
        format!("safe_{op}_{kind}_{int}_{left}{right}")
    }

    /// Types of its operands.
    fn operands(&self) -> Vec<&'static str> {
        let count = if self.signed_count { "int32_t" } else { "uint32_t" };
        match self.op {
            Op::Minus => vec![self.int.name],
            Op::Lshift | Op::Rshift => vec![self.int.name, count],
            _ => vec![self.int.name; 2],
        }
    }

    /// When the operation is undefined; `None` for never.
    fn condition(&self) -> Option<String> {
        let (min, max) = (self.int.min(), self.int.max());
        // Narrow types are promoted, so that only the result is cut.
        let overflows = self.int.signed && self.int.bits >= 32;
        let text = match self.op {
            Op::Add if overflows => {
                format!("(b > 0 && a > {max} - b) || (b < 0 && a < {min} - b)")
            }
            Op::Sub if overflows => {
                format!("(b < 0 && a > {max} + b) || (b > 0 && a < {min} + b)")
            }
            Op::Mul if overflows => format!(
                "a > 0 ? (b > 0 ? a > {max} / b : b < {min} / a) : \
                 (b > 0 ? a < {min} / b : a != 0 && b < {max} / a)"
            ),
            Op::Div | Op::Mod if overflows => format!("b == 0 || (a == {min} && b == -1)"),
            Op::Div | Op::Mod => "b == 0".into(),
            Op::Minus if overflows => format!("a == {min}"),
            Op::Lshift | Op::Rshift => self.bad_shift(),
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
        if self.op == Op::Lshift && self.int.promotes_to_signed() {
            parts.push(format!("a > ({} >> b)", self.int.max()));
        }
        parts.join(" || ")
    }

    fn operation(&self) -> String {
        match self.op {
            Op::Minus => "-a".into(),
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
        let params = if self.op == Op::Minus { "x" } else { "x, y" };
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
pub(super) enum Written {
    /// Wrappers of both names as functions: what the machine executes.
    Functions,
    /// Macros as macros: what compilers get.
    AsNamed,
    /// Functions that take the number of their use and say when they were needed.
    Telling,
}

/// The header with those wrappers that are in `used`, or all of them.
pub(super) fn header(written: Written, used: Option<&BTreeSet<String>>) -> String {
    let mut text = String::from("int printf(const char *, ...);\n");
    for int in INTS {
        let _ = writeln!(text, "typedef {} {};", int.plain, int.name);
    }
    if written == Written::Telling {
        text.push_str(TELLS);
    }
    for wrapper in wrappers() {
        for is_macro in [false, true] {
            if used.is_some_and(|used| !used.contains(&wrapper.name(is_macro))) {
                continue;
            }
            text += &match written {
                Written::AsNamed if is_macro => wrapper.definition(),
                Written::Telling => wrapper.function(is_macro, "needed(at), ", ", int32_t at"),
                _ => wrapper.function(is_macro, "", ""),
            };
        }
    }
    text + CHECKSUM
}

const TELLS: &str = "\
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
