//! The features that a generator should produce, in the order of the table.
//!
//! A census may have more rows than these: rows that depend on types are added as they occur.

/// Groups in the order shown, each with the rows that are always there, in their order.
pub(super) const GROUPS: &[(&str, &[&str])] = &[
    ("statements", STATEMENTS),
    ("loops", LOOPS),
    (ITERATIONS, &["0", "1", "2 to 9", "10 to 99", "100 to 999", "1000 and more"]),
    ("functions", FUNCTIONS),
    ("declarations", DECLARATIONS),
    ("pointers", POINTERS),
    ("arrays", ARRAYS),
    ("records", RECORDS),
    ("values", VALUES),
    ("assignments", ASSIGNMENTS),
    ("operators", OPERATORS),
    ("operators by type", &[]),
    ("casts", &[]),
    ("implicit conversions", &[]),
];

/// The group of loop iterations, of which not every row is required.
pub(super) const ITERATIONS: &str = "iterations per entry";

const STATEMENTS: &[&str] = &[
    "statement",
    "expression statement",
    "declaration",
    "if",
    "if-else",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "goto",
    "return",
    "statement expression",
];

const LOOPS: &[&str] =
    &["for", "while", "do", "nesting depth 1", "nesting depth 2", "nesting depth 3"];

const FUNCTIONS: &[&str] = &["function", "recursive function", "call"];

const DECLARATIONS: &[&str] = &[
    "global integer",
    "global pointer",
    "global array",
    "global struct",
    "local integer",
    "local pointer",
    "local array",
    "local struct",
    "parameter integer",
];

const POINTERS: &[&str] =
    &["dereference", "address-of", "pointer arithmetic", "pointer comparison", "pointer subscript"];

const ARRAYS: &[&str] = &[
    "1-d array, constant index",
    "1-d array, variable index",
    "2-d array, constant index",
    "2-d array, variable index",
    "3-d array, constant index",
    "3-d array, variable index",
];

const RECORDS: &[&str] = &[
    "struct member",
    "arrow",
    "union member",
    "bit-field read",
    "bit-field write",
    "struct copy",
    "compound literal",
];

const VALUES: &[&str] =
    &["integer constant", "floating constant", "enum constant", "volatile read", "volatile write"];

const ASSIGNMENTS: &[&str] = &[
    "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|=", "++x", "--x", "x++", "x--",
];

const OPERATORS: &[&str] = &[
    "*",
    "/",
    "%",
    "+",
    "-",
    "<<",
    ">>",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "&",
    "^",
    "|",
    "&&",
    "||",
    "comma",
    "unary +",
    "unary -",
    "~",
    "!",
    "ternary",
    "cast",
    "floating operator",
    "vector operator",
];
