//! The error type of the crate and its constructors.

use crate::{ErrorKind, ParseError};
use ctree::Span;

/// Boxed, so that every result in the parser is two words.
pub(crate) type ParseResult<T> = Result<T, Box<ParseError>>;

/// The text breaks a rule of C.
#[cold]
pub(crate) fn invalid<T>(span: Span, message: impl Into<String>) -> ParseResult<T> {
    Err(Box::new(ParseError { kind: ErrorKind::Invalid, span, message: message.into() }))
}

/// The text uses a construct that is not supported.
#[cold]
pub(crate) fn unsupported<T>(span: Span, message: impl Into<String>) -> ParseResult<T> {
    Err(Box::new(ParseError { kind: ErrorKind::Unsupported, span, message: message.into() }))
}
