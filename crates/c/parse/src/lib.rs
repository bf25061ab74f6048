//! Preprocessed C text to a typed [`ctree::Program`].
//!
//! A hand-written lexer, parser and type checker for C11 with the GNU extensions that real programs
//! use. The input is a preprocessor's output: line markers are honoured, directives are not. Every
//! implicit conversion becomes a node; constants are folded only where C requires a constant.
//!
//! | module | concern |
//! | --- | --- |
//! | `token`, `lex`, `pragma`, `literal`, `float` | text to tokens and values |
//! | `scope`, `parser` | the parser's state |
//! | `specs`, `attr`, `record`, `enums`, `declarator`, `decl`, `func`, `init` | declarations |
//! | `stmt`, `asm` | statements |
//! | `expr`, `operand`, `binary`, `call`, `special` | expressions: syntax, then type checking |
//! | `convert`, `types`, `fold`, `builtins` | conversions, compatibility, constant expressions, GCC's builtins |
//!
//! **Architecture Invariant:** a construct that the parser does not support is refused with its location.
//! Nothing is guessed.
//!
//! Unsupported: variable-length arrays, `_Complex`, `_Atomic`, thread-local storage, inline assembly
//! with instructions, nested functions, computed `goto`, and floating types beyond the three of C. Each
//! is refused as [`ErrorKind::Unsupported`] with its location; in a prototype or typedef only when it is
//! used.

mod asm;
mod attr;
mod binary;
mod builtins;
mod call;
mod convert;
mod decl;
mod declarator;
mod enums;
mod error;
mod expr;
mod float;
mod fold;
mod func;
mod init;
mod lex;
mod literal;
mod operand;
mod parser;
mod pragma;
mod record;
mod scope;
mod special;
mod specs;
mod stmt;
mod token;
mod types;

use ctree::{Program, Span, Unit, UnitId};

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// The kind of refusal.
    pub kind: ErrorKind,
    /// Where.
    pub span: Span,
    /// One phrase, without a full stop.
    pub message: String,
}

/// The kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Not C: a syntax error or a constraint violation.
    Invalid,
    /// C, or an extension, that is not supported; the message names the construct.
    Unsupported,
}

/// Parses one translation unit (the output of a preprocessor, line markers included) into `program`.
///
/// On a refusal the text stays in the program's source map, so that the span can be shown, and the
/// arenas may hold nodes that nothing refers to; no unit is added.
pub fn parse_unit(program: &mut Program, name: &str, text: &str) -> Result<UnitId, ParseError> {
    parse_unit_as(program, name, text, Dialect::C)
}

/// How C is meant where compilers differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// As all compilers of C mean it: where they differ, the text is refused.
    C,
    /// As compilers of C++ mean it, of a C++ program written as C: a bit-field wider than `int` has its declared
    /// type (C++17 9.6p1, 7.6p5). It is cast to that type in the tree.
    Cxx,
}

/// The same of a text in a dialect.
pub fn parse_unit_as(
    program: &mut Program,
    name: &str,
    text: &str,
    dialect: Dialect,
) -> Result<UnitId, ParseError> {
    parse(program, name, text, dialect).map_err(|error| *error)
}

fn parse(
    program: &mut Program,
    name: &str,
    text: &str,
    dialect: Dialect,
) -> error::ParseResult<UnitId> {
    if program.source.text().len() + text.len() >= u32::MAX as usize - 1 {
        return error::unsupported(Span::NONE, "more than 4 GiB of text");
    }
    let base = program.source.add(name, text);
    let lexed = lex::lex(program, name, text, base)?;
    let mut parser = parser::Parser::new(program, text, base, lexed);
    parser.dialect = dialect;
    parser.translation_unit()?;
    let items = std::mem::take(&mut parser.items);
    program.units.push(Unit { name: name.to_string(), items });
    Ok(UnitId(program.units.len() as u32 - 1))
}
